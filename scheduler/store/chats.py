"""Chats and their subscriptions, and when each chat's next digest is due."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from sqlite_utils import Database

from scheduler import slots
from scheduler.models import (
    Chat,
    ChatKind,
    ChatRef,
    ChatState,
    Platform,
    Schedule,
    Subscription,
)
from scheduler.store.database import writing

SUBSCRIPTIONS_PER_CHAT = 100


class TooManySubscriptions(Exception):
    """A chat has `SUBSCRIPTIONS_PER_CHAT` subscriptions already."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a chat starts with."""

    schedule: Schedule
    content: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DueChat:
    """A chat whose slot has come: the slot's moment and the newest announcement date it was ever told of."""

    chat: Chat
    slot: datetime
    last_date: date | None


class Chats:
    """Every chat that has spoken to Paperboy. One instance serves one connection."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def ensure(
        self, ref: ChatRef, kind: ChatKind, title: str, lang: str, defaults: Defaults, now: datetime
    ) -> Chat:
        """The chat at this address, made with the defaults when it is new; its title is kept up to date."""
        known = self.at(ref)
        if known is None:
            with writing(self._db):
                self._insert(ref, kind, title, lang, defaults, now)
            known = self.at(ref)
            assert known is not None
        elif (title and known.title != title) or known.kind is not kind:
            known = replace(known, title=title or known.title, kind=kind)
            self._db.execute(
                "update chat set title = ?, kind = ? where key = ?", [known.title, kind, known.key]
            )
        return known

    def _insert(
        self, ref: ChatRef, kind: ChatKind, title: str, lang: str, defaults: Defaults, now: datetime
    ) -> None:
        schedule = defaults.schedule
        self._db.execute(
            "insert into chat(platform, chat_id, thread_id, kind, title, lang, content, time, zone, weekdays, "
            "state, reason, joined, next_due) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'active', '', ?, ?) "
            "on conflict(platform, chat_id, thread_id) do nothing",
            [
                ref.platform,
                ref.chat_id,
                ref.thread_id,
                kind,
                title,
                lang,
                defaults.content.get(lang, "en"),
                schedule.time,
                schedule.zone,
                "".join(str(day) for day in sorted(schedule.weekdays)),
                now.isoformat(),
                slots.next_slot(schedule, now).timestamp(),
            ],
        )

    def at(self, ref: ChatRef) -> Chat | None:
        """The chat at this address, None when it never spoke to us."""
        rows = self._db.query(
            "select * from chat where platform = ? and chat_id = ? and thread_id = ?",
            [ref.platform, ref.chat_id, ref.thread_id],
        )
        return next((chat_from(row) for row in rows), None)

    def all_at(self, ref: ChatRef) -> tuple[Chat, ...]:
        """Every chat that an address stands for: an address without a thread stands for its threads too."""
        rows = self._db.query(
            "select * from chat where platform = ? and chat_id = ? and ? in ('', thread_id) order by key",
            [ref.platform, ref.chat_id, ref.thread_id],
        )
        return tuple(chat_from(row) for row in rows)

    def get(self, key: int) -> Chat | None:
        """The chat of this key."""
        return next(
            (chat_from(row) for row in self._db.query("select * from chat where key = ?", [key])), None
        )

    def save(self, chat: Chat, now: datetime) -> None:
        """Writes a chat's settings and state; the next slot follows the schedule."""
        self._db.execute(
            "update chat set title = ?, kind = ?, lang = ?, content = ?, time = ?, zone = ?, weekdays = ?, "
            "state = ?, reason = ?, next_due = ? where key = ?",
            [
                chat.title,
                chat.kind,
                chat.lang,
                chat.content,
                chat.schedule.time,
                chat.schedule.zone,
                "".join(str(day) for day in sorted(chat.schedule.weekdays)),
                chat.state,
                chat.reason,
                slots.next_slot(chat.schedule, now).timestamp(),
                chat.key,
            ],
        )

    def set_state(self, key: int, state: ChatState, reason: str = "") -> None:
        """Pauses, ends or resumes a chat's deliveries; its settings and subscriptions stay."""
        self._db.execute("update chat set state = ?, reason = ? where key = ?", [state, reason, key])

    def move(self, key: int, to: ChatRef) -> None:
        """Gives a chat its new address; where a chat stands there already, its subscriptions join this one's."""
        with writing(self._db):
            other = self.at(to)
            if other is not None and other.key != key:
                self._absorb(key, other.key)
            self._db.execute(
                "update chat set platform = ?, chat_id = ?, thread_id = ? where key = ?",
                [to.platform, to.chat_id, to.thread_id, key],
            )

    def _absorb(self, key: int, other: int) -> None:
        for table in ("subscription", "digest", "delivered", "delivery"):
            self._db.execute(f"update or ignore {table} set chat = ? where chat = ?", [key, other])
            self._db.execute(f"delete from {table} where chat = ?", [other])
        self._db.execute("delete from chat where key = ?", [other])

    def due(self, now: datetime) -> tuple[DueChat, ...]:
        """The active chats whose slot has come, with at least one subscription, the longest waiting first."""
        rows = self._db.query(
            "select * from chat where next_due <= ? and state = 'active' "
            "and exists (select 1 from subscription where subscription.chat = chat.key) order by next_due",
            [now.timestamp()],
        )
        return tuple(_due(row) for row in rows)

    def slot_done(self, chat: Chat, now: datetime) -> None:
        """Closes a chat's slot: the next one is the first after `now`."""
        self._db.execute(
            "update chat set next_due = ? where key = ?",
            [slots.next_slot(chat.schedule, now).timestamp(), chat.key],
        )

    def next_digest(self, key: int) -> datetime | None:
        """When the chat's next slot is, in UTC; None for an unknown chat."""
        rows = self._db.query("select next_due from chat where key = ?", [key])
        return next((slots.moment(row["next_due"]) for row in rows if row["next_due"]), None)

    def last_date(self, key: int) -> date | None:
        """The newest announcement date that this chat was told of."""
        rows = self._db.query("select last_date from chat where key = ?", [key])
        return next((date.fromisoformat(row["last_date"]) for row in rows if row["last_date"]), None)

    def subscribe(
        self, chat: int, query: str, title: str, *, owner: str = "", since: date | None = None
    ) -> tuple[Subscription, bool]:
        """The chat's subscription to a canonical query, and whether it is new.

        Raises TooManySubscriptions at the limit.
        """
        with writing(self._db):
            for known in self.subscriptions(chat):
                if known.query == query and known.owner == owner:
                    return known, False
            if len(self.subscriptions(chat)) >= SUBSCRIPTIONS_PER_CHAT:
                raise TooManySubscriptions
            self._db.execute(
                "insert into subscription(chat, query, title, owner, since) values (?, ?, ?, ?, ?)",
                [chat, query, title, owner, since.isoformat() if since else None],
            )
            return self.subscriptions(chat)[-1], True

    def unsubscribe(self, chat: int, key: int) -> Subscription | None:
        """Ends one of the chat's subscriptions and returns it, None when it is not (any more) there."""
        with writing(self._db):
            known = self.subscription(chat, key)
            self._db.execute("delete from subscription where key = ? and chat = ?", [key, chat])
            return known

    def subscription(self, chat: int, key: int) -> Subscription | None:
        """One of the chat's subscriptions."""
        return next((known for known in self.subscriptions(chat) if known.key == key), None)

    def subscriptions(self, chat: int) -> tuple[Subscription, ...]:
        """The chat's subscriptions, oldest first."""
        rows = self._db.query("select * from subscription where chat = ? order by key", [chat])
        return tuple(_subscription(row) for row in rows)

    def queries(self) -> frozenset[str]:
        """Every distinct query that an active chat subscribes to."""
        rows = self._db.query(
            "select distinct query from subscription join chat on chat.key = subscription.chat "
            "where chat.state = 'active'"
        )
        return frozenset(row["query"] for row in rows)

    def forget(self, key: int) -> None:
        """Deletes a chat and everything kept of it."""
        with writing(self._db):
            for table in ("subscription", "digest", "delivered", "delivery"):
                self._db.execute(f"delete from {table} where chat = ?", [key])
            self._db.execute("delete from chat where key = ?", [key])


def chat_from(row: Mapping[str, Any]) -> Chat:
    """The chat of a row of the `chat` table."""
    return Chat(
        key=row["key"],
        ref=ChatRef(Platform(row["platform"]), row["chat_id"], row["thread_id"]),
        kind=ChatKind(row["kind"]),
        title=row["title"],
        lang=row["lang"],
        content=row["content"],
        schedule=Schedule(row["time"], row["zone"], frozenset(int(day) for day in row["weekdays"])),
        state=ChatState(row["state"]),
        reason=row["reason"],
        joined=datetime.fromisoformat(row["joined"]),
    )


def _due(row: Mapping[str, Any]) -> DueChat:
    last = date.fromisoformat(row["last_date"]) if row["last_date"] else None
    return DueChat(chat_from(row), slots.moment(row["next_due"]), last)


def _subscription(row: Mapping[str, Any]) -> Subscription:
    return Subscription(
        key=row["key"],
        chat=row["chat"],
        query=row["query"],
        title=row["title"],
        owner=row["owner"],
        since=date.fromisoformat(row["since"]) if row["since"] else None,
    )
