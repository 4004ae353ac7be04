"""The outbox: planned deliveries, their parts, and what became of each. The only meeting place of both packages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from sqlite_utils import Database

from scheduler.models import Chat, Delivery, DeliveryState
from scheduler.slots import moment
from scheduler.store import clearing
from scheduler.store.chats import chat_from
from scheduler.store.database import writing
from scheduler.store.told import ToldLists

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


@dataclass(frozen=True, slots=True)
class Edition:
    """A digest as the outbox keeps it once, however many chats get it: the keys of its texts, and of the
    list of its papers: the delivered marks of all who get it."""

    digest: int
    parts: tuple[int, ...]
    told: int
    newest: date | None


class Issue(NamedTuple):
    """One run of one chat: which edition it gets, and when its parts may leave (POSIX seconds)."""

    chat: int
    run_key: str
    edition: Edition
    not_before: float


class Told(NamedTuple):
    """One planned run, and the key of the list of its papers."""

    run_key: str
    told: int


@dataclass(frozen=True, slots=True)
class Run:
    """What became of one planned run of a chat: its worst state, the newest moment of sending, and a reason.

    With `is_cleared` that was so long ago that it is not kept any more.

    `waits_until` is when its first open part may leave, None when nothing of it is open.
    """

    run_key: str
    planned: datetime
    state: DeliveryState
    sent_at: datetime | None
    waits_until: datetime | None
    reason: str
    is_cleared: bool = False


_WORST_FIRST = (
    DeliveryState.FAILED,
    DeliveryState.UNKNOWN,
    DeliveryState.PENDING,
    DeliveryState.SENDING,
    DeliveryState.SENT,
)

QUIET_HOURS = "quiet hours"
"""Why a part waits that became ready when its chat wants quiet."""

NOTICE = "notice "
"""What the run keys of notices about chats begin with; they are no digests."""


class Outbox:
    """Parts waiting to be sent. One instance serves one connection; several processes may share the file."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.lists = ToldLists(db)

    def enqueue(self, plan: Plan, now: datetime) -> bool:
        """Writes the digest, its parts and the delivered marks in one transaction.

        Returns False when this run of this chat was planned before: nothing changes then.
        """
        with writing(self._db):
            if self.is_planned(plan.chat.key, plan.run_key):
                return False
            edition = self.edition(plan.body, plan.payloads, plan.papers, plan.newest)
            self.issue([Issue(plan.chat.key, plan.run_key, edition, now.timestamp())], now)
            if plan.newest is not None:
                self._db.execute(
                    "update chat set last_date = max(coalesce(last_date, ''), ?) where key = ?",
                    [plan.newest.isoformat(), plan.chat.key],
                )
            return True

    def edition(
        self, body: str, payloads: Sequence[str], papers: tuple[int, ...], newest: date | None
    ) -> Edition:
        """Keeps a digest (as text) and its finished parts, to be issued in the same transaction."""
        parts = tuple(self._body(text) for text in payloads)
        return Edition(self._body(body), parts, self.lists.keep(sorted(papers)), newest)

    def issue(self, issues: Sequence[Issue], now: datetime) -> None:
        """Plans a run for each of many chats, with its delivered marks, at a fraction of the cost of one by one.

        None of them may be planned yet (`is_planned`); all of them are written or, should one be broken, none. Whoever
        closes the chats' slots notes the date that they were told of (`Due.close`).
        """
        with writing(self._db):
            planned = now.isoformat()
            self._many(
                "insert into digest(chat, run_key, body, planned, shared, told) values (?, ?, '', ?, ?, ?)",
                ((chat, run_key, planned, of.digest, of.told) for chat, run_key, of, _ in issues),
            )
            self._many(
                "insert into delivery(chat, run_key, part, body, not_before) values (?, ?, ?, ?, ?)",
                (
                    (chat, run_key, part, body, not_before)
                    for chat, run_key, of, not_before in issues
                    for part, body in enumerate(of.parts)
                ),
            )

    def _many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        self._db.conn.executemany(statement, rows)

    def _body(self, text: str) -> int:
        """The key of a text, which is kept once however many chats get it."""
        digest = hashlib.sha256(text.encode()).digest()
        known = self._db.conn.execute("select key from body where hash = ?", (digest,)).fetchone()
        if known is None:
            added = self._db.conn.execute("insert into body(hash, text) values (?, ?)", (digest, text))
            return int(added.lastrowid or 0)
        return int(known[0])

    def recent(self, chats: Sequence[int], since: str) -> dict[int, tuple[Told, ...]]:
        """The runs of those of `chats` that have any whose key is not less than `since`, in the order of their keys.

        A digest's run key begins with its local date, so that `since` may be one.
        """
        rows = self._db.conn.execute(
            f"select chat, run_key, told from digest where chat in ({', '.join('?' * len(chats))}) "
            "and run_key >= ? order by chat, run_key",
            [*chats, since],
        )
        found: dict[int, tuple[Told, ...]] = {}
        for chat, run_key, told in rows:
            found[chat] = (*found.get(chat, ()), Told(run_key, told or 0))
        return found

    def is_planned(self, chat: int, run_key: str) -> bool:
        """True when this run of this chat was planned."""
        known = self._db.conn.execute("select 1 from digest where chat = ? and run_key = ?", (chat, run_key))
        return known.fetchone() is not None

    def digest_body(self, chat: int, run_key: str) -> str | None:
        """A planned or kept digest as its text, None when this chat has none of that name, or not any more."""
        rows = self._db.query(
            "select coalesce(body.text, digest.body) as body from digest left join body on body.key = shared "
            "where chat = ? and run_key = ?",
            [chat, run_key],
        )
        return next((row["body"] or None for row in rows), None)

    def clear(self, now: datetime) -> Iterator[int]:
        """Clears away, step by step, what was planned so long ago that nobody asks for it (`clearing.clear`)."""
        return clearing.clear(self._db, now - clearing.KEPT)

    def keep_digest(self, chat: int, name: str, body: str, now: datetime) -> None:
        """Keeps a digest that was asked for, so that its pages can be turned; it replaces one of the same name."""
        self._db.execute(
            "insert into digest(chat, run_key, body, planned) values (?, ?, ?, ?) "
            "on conflict(chat, run_key) do update set body = excluded.body, shared = null, planned = excluded.planned",
            [chat, name, body, now.isoformat()],
        )

    def delivered(self, chat: int, papers: Iterable[int]) -> frozenset[int]:
        """Those of `papers` (keys) that were planned for this chat before."""
        wanted = set(papers)
        if not wanted:
            return frozenset()
        return (
            self.lists.papers_of(self.lists.who_got([chat], self.lists.with_any_of(wanted)).get(chat, ()))
            & wanted
        )

    def claim(
        self, platforms: Sequence[str], now: datetime, *, limit: int, busy: Iterable[int] = ()
    ) -> tuple[Delivery, ...]:
        """Takes the first open part of up to `limit` chats into flight; parts of one chat only ever in order.

        `busy` are chats that the caller has in flight. A part whose lease ran out is handed out again.
        """
        with writing(self._db):
            excluded = list(busy)
            keys = self._leased(platforms, now, limit, excluded)
            keys += self._ready(platforms, now, limit - len(keys), excluded)
            self._db.conn.executemany(
                "update delivery set state = 'sending', attempts = attempts + 1, lease_until = ? where key = ?",
                [((now + LEASE).timestamp(), key) for key in keys],
            )
            return self._deliveries(keys)

    def _leased(self, platforms: Sequence[str], now: datetime, limit: int, busy: Sequence[int]) -> list[int]:
        """Parts whose process died with them."""
        marks = ", ".join("?" * len(platforms))
        rows = self._db.query(
            "select delivery.key from delivery join chat on chat.key = delivery.chat "
            f"where delivery.state = 'sending' and lease_until <= ? and platform in ({marks}) "
            f"and chat.state = 'active' and chat.key not in ({', '.join('?' * len(busy))}) "
            "order by lease_until limit ?",
            [now.timestamp(), *platforms, *busy, limit],
        )
        return [row["key"] for row in rows]

    def _ready(self, platforms: Sequence[str], now: datetime, limit: int, busy: Sequence[int]) -> list[int]:
        """The first open part of each chat where that is due, the longest waiting first.

        It walks the index of what is due and stops at the limit: a long backlog costs nothing.
        """
        marks = ", ".join("?" * len(platforms))
        rows = self._db.query(
            "select key from delivery indexed by delivery_due where state = 'pending' and not_before <= ? "
            f"and chat not in ({', '.join('?' * len(busy))}) "
            "and exists (select 1 from chat where chat.key = delivery.chat and chat.state = 'active' "
            f"and platform in ({marks})) "
            "and not exists (select 1 from delivery as earlier where earlier.chat = delivery.chat "
            "and earlier.key < delivery.key and earlier.state in ('pending', 'sending')) "
            "order by not_before, key limit ?",
            [now.timestamp(), *busy, *platforms, limit],
        )
        return [row["key"] for row in rows]

    def _deliveries(self, keys: Sequence[int]) -> tuple[Delivery, ...]:
        """Parts that were just claimed, in this order."""
        marks = ", ".join("?" * len(keys))
        rows = self._db.query(
            "select delivery.key, chat, run_key, part, attempts, not_before, reason, body.text as payload, "
            "coalesce((select max(thread) from delivery as earlier where earlier.chat = delivery.chat "
            "and earlier.run_key = delivery.run_key), '') as thread "
            f"from delivery join body on body.key = delivery.body where delivery.key in ({marks})",
            keys,
        )
        claimed = {row["key"]: row for row in rows}
        chats = [row["chat"] for row in claimed.values()]
        known = self._db.query(f"select * from chat where key in ({marks})", chats)
        by_key = {row["key"]: chat_from(row) for row in known}
        return tuple(_delivery(claimed[key], by_key[claimed[key]["chat"]]) for key in keys)

    def sent(self, key: int, message_id: str, now: datetime, thread: str = "") -> None:
        """Records that a part stands in its chat, or in a post (`thread`) of its forum."""
        self._db.execute(
            "update delivery set state = 'sent', message_id = ?, reason = '', lease_until = null, sent_at = ?, "
            "thread = ? where key = ?",
            [message_id, now.timestamp(), thread, key],
        )

    def later(self, key: int, not_before: datetime, reason: str, *, counted: bool = True) -> None:
        """Puts a part back until `not_before`; `counted` is false when the attempt was no fault of its own."""
        self._db.execute(
            "update delivery set state = 'pending', not_before = ?, reason = ?, lease_until = null, "
            "attempts = attempts - ? where key = ?",
            [not_before.timestamp(), reason, 0 if counted else 1, key],
        )

    def release(self, chat: int, now: datetime) -> None:
        """Lets go what waits for the end of a chat's quiet hours: they are others now."""
        self._db.execute(
            "update delivery set not_before = ?, reason = '' where chat = ? and state = 'pending' "
            "and not_before > ? and reason in ('', ?)",
            [now.timestamp(), chat, now.timestamp(), QUIET_HOURS],
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

    def is_waiting(self, chat: int) -> bool:
        """True when a part for this chat is still to be sent."""
        rows = self._db.query(
            "select 1 from delivery where chat = ? and state in ('pending', 'sending') limit 1", [chat]
        )
        return any(True for _ in rows)

    def run_with(self, chat: int, paper: int) -> Run | None:
        """The run that told a chat of a paper (its key), None when there was none."""
        rows = self._db.query(
            "select run_key from told_paper join digest on digest.told = told_paper.told "
            "where paper = ? and chat = ? order by planned limit 1",
            [paper, chat],
        )
        return next((self._run(chat, row["run_key"]) for row in rows), None)

    def last_run(self, chat: int) -> Run | None:
        """The chat's newest planned digest, None before its first."""
        rows = self._db.query(
            "select run_key from digest where chat = ? and run_key not glob ? and exists (select 1 from delivery "
            "where delivery.chat = digest.chat and delivery.run_key = digest.run_key) "
            "order by planned desc, run_key desc limit 1",
            [chat, f"{NOTICE}*"],
        )
        return next((self._run(chat, row["run_key"]) for row in rows), None)

    def _run(self, chat: int, run_key: str) -> Run:
        digests = self._db.query("select planned from digest where chat = ? and run_key = ?", [chat, run_key])
        planned = datetime.fromisoformat(next(iter(digests))["planned"])
        parts = list(
            self._db.query(
                "select state, reason, sent_at, not_before from delivery where chat = ? and run_key = ? order by part",
                [chat, run_key],
            )
        )
        states = {DeliveryState(part["state"]) for part in parts}
        state = next((one for one in _WORST_FIRST if one in states), DeliveryState.SENT)
        sent = [part["sent_at"] for part in parts if part["sent_at"] is not None]
        waiting = [part for part in parts if part["state"] in (DeliveryState.PENDING, DeliveryState.SENDING)]
        return Run(
            run_key,
            planned,
            state,
            moment(max(sent)) if sent else None,
            moment(waiting[0]["not_before"]) if waiting else None,
            next((part["reason"] for part in parts if part["state"] == state), ""),
            is_cleared=not parts,
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


def _delivery(row: Mapping[str, Any], chat: Chat) -> Delivery:
    return Delivery(
        key=row["key"],
        chat=chat,
        run_key=row["run_key"],
        part=row["part"],
        payload=row["payload"],
        attempts=row["attempts"],
        not_before=moment(row["not_before"]),
        thread=row["thread"],
        reason=row["reason"],
    )
