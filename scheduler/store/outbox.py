"""The outbox: planned deliveries, their parts, and what became of each. The only meeting place of both packages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sqlite_utils import Database

from scheduler.models import Chat, Delivery, DeliveryState
from scheduler.slots import moment
from scheduler.store.chats import chat_from
from scheduler.store.database import writing

LEASE = timedelta(seconds=120)
"""How long a claimed part may be in flight before another claim takes it for lost with its process."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One run of one chat, ready to be written: its digest as text, its parts, and the papers it tells of."""

    chat: Chat
    run_key: str
    body: str
    payloads: tuple[str, ...]
    papers: tuple[int, ...]
    newest: date | None


class Outbox:
    """Parts waiting to be sent. One instance serves one connection; several processes may share the file."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def enqueue(self, plan: Plan, now: datetime) -> bool:
        """Writes the digest, its parts and the delivered marks in one transaction.

        Returns False when this run of this chat was planned before: nothing changes then.
        """
        with writing(self._db):
            if self.is_planned(plan.chat.key, plan.run_key):
                return False
            self._db.execute(
                "insert into digest(chat, run_key, body, planned) values (?, ?, ?, ?)",
                [plan.chat.key, plan.run_key, plan.body, now.isoformat()],
            )
            self._mark_delivered(plan)
            for part, payload in enumerate(plan.payloads):
                self._write_part(plan, part, payload, now)
            if plan.newest is not None:
                self._db.execute(
                    "update chat set last_date = max(coalesce(last_date, ''), ?) where key = ?",
                    [plan.newest.isoformat(), plan.chat.key],
                )
            return True

    def _mark_delivered(self, plan: Plan) -> None:
        self._db.conn.executemany(
            "insert or ignore into delivered(chat, paper, run_key) values (?, ?, ?)",
            [(plan.chat.key, paper, plan.run_key) for paper in plan.papers],
        )

    def _write_part(self, plan: Plan, part: int, payload: str, now: datetime) -> None:
        digest = hashlib.sha256(payload.encode()).digest()
        self._db.execute("insert or ignore into body(hash, text) values (?, ?)", [digest, payload])
        self._db.execute(
            "insert into delivery(chat, run_key, part, body, not_before) "
            "values (?, ?, ?, (select key from body where hash = ?), ?)",
            [plan.chat.key, plan.run_key, part, digest, now.timestamp()],
        )

    def is_planned(self, chat: int, run_key: str) -> bool:
        """True when this run of this chat was planned."""
        return self.digest_body(chat, run_key) is not None

    def digest_body(self, chat: int, run_key: str) -> str | None:
        """A planned or kept digest as its text, None when this chat has none of that name."""
        rows = self._db.query("select body from digest where chat = ? and run_key = ?", [chat, run_key])
        return next((row["body"] for row in rows), None)

    def keep_digest(self, chat: int, name: str, body: str, now: datetime) -> None:
        """Keeps a digest that was asked for, so that its pages can be turned; it replaces one of the same name."""
        self._db.execute(
            "insert into digest(chat, run_key, body, planned) values (?, ?, ?, ?) "
            "on conflict(chat, run_key) do update set body = excluded.body, planned = excluded.planned",
            [chat, name, body, now.isoformat()],
        )

    def delivered(self, chat: int, papers: Iterable[int]) -> frozenset[int]:
        """Those of `papers` (keys) that were planned for this chat before."""
        wanted = set(papers)
        if not wanted:
            return frozenset()
        rows = self._db.query(
            "select paper from delivered where chat = ? and paper between ? and ?",
            [chat, min(wanted), max(wanted)],
        )
        return frozenset(row["paper"] for row in rows) & wanted

    def claim(
        self, platforms: Sequence[str], now: datetime, *, limit: int, busy: Iterable[int] = ()
    ) -> tuple[Delivery, ...]:
        """Takes the first open part of up to `limit` chats into flight; parts of one chat only ever in order.

        `busy` are chats that the caller has in flight. A part whose lease ran out is handed out again.
        """
        marks = ", ".join("?" * len(platforms))
        excluded = list(busy)
        not_busy = f"and delivery.chat not in ({', '.join('?' * len(excluded))})" if excluded else ""
        with writing(self._db):
            rows = list(
                self._db.query(
                    "select delivery.key, delivery.chat, run_key, part, attempts, not_before, body.text as payload "
                    "from delivery join body on body.key = delivery.body join chat on chat.key = delivery.chat "
                    "where delivery.key in (select min(key) from delivery "
                    "where state in ('pending', 'sending') group by chat) "
                    f"and chat.platform in ({marks}) and chat.state = 'active' {not_busy} "
                    "and ((delivery.state = 'pending' and not_before <= ?) "
                    "or (delivery.state = 'sending' and lease_until <= ?)) order by not_before limit ?",
                    [*platforms, *excluded, now.timestamp(), now.timestamp(), limit],
                )
            )
            self._db.conn.executemany(
                "update delivery set state = 'sending', attempts = attempts + 1, lease_until = ? where key = ?",
                [((now + LEASE).timestamp(), row["key"]) for row in rows],
            )
            return tuple(self._delivery(row) for row in rows)

    def _delivery(self, row: Mapping[str, Any]) -> Delivery:
        chat = next(iter(self._db.query("select * from chat where key = ?", [row["chat"]])))
        return Delivery(
            key=row["key"],
            chat=chat_from(chat),
            run_key=row["run_key"],
            part=row["part"],
            payload=row["payload"],
            attempts=row["attempts"] + 1,
            not_before=moment(row["not_before"]),
        )

    def sent(self, key: int, message_id: str, now: datetime) -> None:
        """Records that a part stands in its chat."""
        self._db.execute(
            "update delivery set state = 'sent', message_id = ?, reason = '', lease_until = null, sent_at = ? "
            "where key = ?",
            [message_id, now.timestamp(), key],
        )

    def later(self, key: int, not_before: datetime, reason: str, *, counted: bool = True) -> None:
        """Puts a part back until `not_before`; `counted` is false when the attempt was no fault of its own."""
        self._db.execute(
            "update delivery set state = 'pending', not_before = ?, reason = ?, lease_until = null, "
            "attempts = attempts - ? where key = ?",
            [not_before.timestamp(), reason, 0 if counted else 1, key],
        )

    def failed(self, key: int, reason: str) -> None:
        """Records that a part will not be sent; the parts after it go on."""
        self._end(key, DeliveryState.FAILED, reason)

    def unknown(self, key: int, reason: str) -> None:
        """Records that nobody can tell whether a part was sent, and that it is not tried again."""
        self._end(key, DeliveryState.UNKNOWN, reason)

    def _end(self, key: int, state: DeliveryState, reason: str) -> None:
        self._db.execute(
            "update delivery set state = ?, reason = ?, lease_until = null where key = ?",
            [state, reason, key],
        )

    def recover(self, platforms: Sequence[str], now: datetime) -> None:
        """Hands out again at once what was in flight when the only sender for these platforms died."""
        marks = ", ".join("?" * len(platforms))
        self._db.execute(
            "update delivery set lease_until = ? where state = 'sending' and chat in "
            f"(select key from chat where platform in ({marks}))",
            [now.timestamp(), *platforms],
        )

    def next_due(self, platforms: Sequence[str]) -> datetime | None:
        """When the next open part of an active chat may be sent, None when nothing waits."""
        marks = ", ".join("?" * len(platforms))
        rows = self._db.query(
            "select min(coalesce(lease_until, not_before)) as due from delivery "
            "join chat on chat.key = delivery.chat "
            f"where delivery.state in ('pending', 'sending') and chat.state = 'active' and chat.platform in ({marks})",
            list(platforms),
        )
        due = next(iter(rows))["due"]
        return None if due is None else moment(due)

    def counts(self, chat: int | None = None) -> dict[DeliveryState, int]:
        """How many parts are in each state, of one chat or of all."""
        where, values = ("where chat = ?", [chat]) if chat is not None else ("", [])
        rows = self._db.query(f"select state, count(*) as n from delivery {where} group by state", values)
        return {DeliveryState(row["state"]): row["n"] for row in rows}
