"""Chats and their subscriptions, and when each chat's next digest is due."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    Order,
    Platform,
    Schedule,
    Subscription,
)
from scheduler.store.database import writing
from scheduler.store.library import KEPT_BY_PERSON, Library, person_name
from scheduler.store.schedules import SCHEDULE_COLUMNS, schedule_from, schedule_row

SUBSCRIPTIONS_PER_CHAT = 100


class TooManySubscriptions(Exception):
    """A chat has `SUBSCRIPTIONS_PER_CHAT` subscriptions already."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a chat starts with."""

    schedule: Schedule
    content: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Resting:
    """A chat that its platform keeps us from; `warned` is when the end of its settings was announced."""

    chat: Chat
    since: datetime
    warned: datetime | None


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
            "insert into chat(platform, chat_id, thread_id, kind, title, lang, content, "
            f"{', '.join(SCHEDULE_COLUMNS)}, state, reason, joined, next_due) values "
            f"(?, ?, ?, ?, ?, ?, ?, {', '.join('?' * len(SCHEDULE_COLUMNS))}, 'active', '', ?, ?) "
            "on conflict(platform, chat_id, thread_id) do nothing",
            [
                ref.platform,
                ref.chat_id,
                ref.thread_id,
                kind,
                title,
                lang,
                defaults.content.get(lang, "en"),
                *schedule_row(schedule),
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
            "update chat set title = ?, kind = ?, lang = ?, content = ?, "
            f"{', '.join(f'{name} = ?' for name in SCHEDULE_COLUMNS)}, "
            "paper_order = ?, sound = ?, names_members = ?, state = ?, reason = ?, next_due = ? where key = ?",
            [
                chat.title,
                chat.kind,
                chat.lang,
                chat.content,
                *schedule_row(chat.schedule),
                chat.order,
                int(chat.sound),
                int(chat.names_members),
                chat.state,
                chat.reason,
                slots.next_slot(chat.schedule, now).timestamp(),
                chat.key,
            ],
        )

    def set_state(self, key: int, state: ChatState, reason: str = "") -> None:
        """Pauses, ends or resumes a chat's deliveries because somebody wants it; settings and subscriptions stay.

        What the chat rested for before is forgotten.
        """
        self._db.execute(
            "update chat set state = ?, reason = ?, told = '', rests_since = null, warned = null where key = ?",
            [state, reason, key],
        )

    def rest(self, key: int, state: ChatState, reason: str, now: datetime) -> str:
        """Pauses or ends a chat's deliveries because its platform does, and returns the reason last told of."""
        self._db.execute(
            "update chat set state = ?, reason = ?, rests_since = coalesce(rests_since, ?) where key = ?",
            [state, reason, now.isoformat(), key],
        )
        return next((row["told"] for row in self._db.query("select told from chat where key = ?", [key])), "")

    def told(self, key: int, reason: str) -> None:
        """Somebody was told why the chat rests."""
        self._db.execute("update chat set told = ? where key = ?", [reason, key])

    def told_nearby(self, chat: Chat, reason: str, server: bool = False) -> bool:
        """True when somebody was told that another topic of the same group rests for this reason.

        With `server`: that any other chat of the same person's does.
        """
        rows = self._db.query(
            "select 1 from chat where platform = ? and key != ? and told = ? and state != 'active' and (chat_id = ? "
            "or ? and manager = (select own.manager from chat as own where own.key = ?))",
            [chat.ref.platform, chat.key, reason, chat.ref.chat_id, server, chat.key],
        )
        return any(True for _ in rows)

    def try_again(self, key: int) -> None:
        """Lets a paused chat's parts be tried once more; should that fail, it rests as before and nobody is told."""
        self._db.execute(
            "update chat set state = 'active', reason = '' where key = ? and state = 'paused'", [key]
        )

    def worked(self, key: int) -> None:
        """A message stands in the chat: whatever it rested for is over."""
        self._db.execute(
            "update chat set told = '', rests_since = null, warned = null where key = ? and rests_since is not null",
            [key],
        )

    def warned(self, key: int, now: datetime) -> None:
        """Notes that the end of the chat's settings was announced."""
        self._db.execute("update chat set warned = ? where key = ?", [now.isoformat(), key])

    def resting(self) -> tuple[Resting, ...]:
        """The chats that rest because their platform says so, the longest resting first."""
        rows = self._db.query(
            "select * from chat where rests_since is not null and state != 'active' order by rests_since, key"
        )
        return tuple(_resting(row) for row in rows)

    def note_person(self, key: int, person: str) -> None:
        """Notes who a private chat is with (the person's id on the platform)."""
        self._db.execute("update chat set person = ? where key = ? and person != ?", [person, key, person])

    def note_manager(self, key: int, person: str) -> None:
        """Notes who set a group or channel up; somebody whom we cannot write to takes nobody's place."""
        self._db.execute(
            "update chat set manager = ? where key = ? and manager != ? and (manager = '' or exists "
            "(select 1 from chat as own where own.platform = chat.platform and own.person = ?))",
            [person, key, person, person],
        )

    def manager_chat(self, key: int) -> Chat | None:
        """The private chat of who set a group or channel up, None where we may not write to anybody."""
        rows = self._db.query(
            "select own.* from chat join chat as own on own.platform = chat.platform and own.person = chat.manager "
            "where chat.key = ? and chat.manager != '' and own.kind = 'private' and own.state = 'active' "
            "order by own.key limit 1",
            [key],
        )
        return next((chat_from(row) for row in rows), None)

    def managed_by(self, platform: Platform, person: str) -> tuple[Chat, ...]:
        """The groups and channels that a person (the id on the platform) set up, oldest first."""
        rows = self._db.query(
            "select * from chat where platform = ? and manager = ? and manager != '' and kind != 'private' "
            "order by key",
            [platform, person],
        )
        return tuple(chat_from(row) for row in rows)

    def managed_from(self, key: int) -> tuple[Chat, ...]:
        """The groups and channels that the person of this private chat set up, oldest first."""
        rows = self._db.query(
            "select chat.* from chat as own join chat on chat.platform = own.platform and chat.manager = own.person "
            "where own.key = ? and own.person != '' and own.kind = 'private' and chat.kind != 'private' "
            "order by chat.key",
            [key],
        )
        return tuple(chat_from(row) for row in rows)

    def steer(self, key: int, other: int | None) -> None:
        """From now on commands in a private chat are for another chat; None: for itself again."""
        self._db.execute("update chat set steers = ? where key = ?", [other, key])

    def steered(self, key: int) -> Chat | None:
        """The chat that a private chat's commands are for, None for itself."""
        rows = self._db.query(
            "select other.* from chat join chat as other on other.key = chat.steers where chat.key = ?", [key]
        )
        return next((chat_from(row) for row in rows), None)

    def drop_manager(self, key: int, person: str) -> None:
        """Somebody looks after a group or channel no longer."""
        self._db.execute("update chat set manager = '' where key = ? and manager = ?", [key, person])

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
            # A forum's post stays where it was.
            self._db.execute("update delivery set thread = '' where chat = ? and thread != ''", [key])

    def _absorb(self, key: int, other: int) -> None:
        for table in KEPT_BY_PERSON:
            self._db.execute(f"update {table} set chat = ? where chat = ?", [key, other])
        # Both may have a run of the same slot, whose parts must not be lost.
        for table in ("digest", "delivery"):
            self._db.execute(
                f"update {table} set run_key = run_key || ? where chat = ? and run_key in "
                "(select run_key from digest where chat = ?)",
                [f" of chat {other}", other, key],
            )
        for table in ("subscription", "member", "mute", "taste", "digest", "delivery"):
            self._db.execute(f"update or ignore {table} set chat = ? where chat = ?", [key, other])
            self._db.execute(f"delete from {table} where chat = ?", [other])
        self._db.execute("update chat set steers = ? where steers = ?", [key, other])
        self._db.execute("update chat set planned_revision = 0 where key = ?", [key])
        self._db.execute("delete from chat where key = ?", [other])

    def next_digest(self, key: int) -> datetime | None:
        """When the chat's next slot is, in UTC; None for an unknown chat."""
        rows = self._db.query("select next_due from chat where key = ?", [key])
        return next((slots.moment(row["next_due"]) for row in rows if row["next_due"]), None)

    def last_date(self, key: int) -> date | None:
        """The newest announcement date that this chat was told of."""
        rows = self._db.query("select last_date from chat where key = ?", [key])
        return next((date.fromisoformat(row["last_date"]) for row in rows if row["last_date"]), None)

    def subscribe(
        self,
        chat: int,
        query: str,
        title: str,
        *,
        since: date | None = None,
        cross_lists: bool = True,
        most: int = SUBSCRIPTIONS_PER_CHAT,
    ) -> tuple[Subscription, bool]:
        """The chat's subscription to a canonical query, and whether it is new.

        Raises TooManySubscriptions from `most` on.
        """
        with writing(self._db):
            for known in self.subscriptions(chat):
                if known.query == query:
                    return known, False
            if len(self.subscriptions(chat)) >= most:
                raise TooManySubscriptions
            self.add(chat, query, title, since=since, cross_lists=cross_lists)
            # A query may find what is old and was never asked for: the next slot looks at every day again.
            self._db.execute("update chat set planned_revision = 0 where key = ?", [chat])
            return self.subscriptions(chat)[-1], True

    def add(
        self,
        chat: int,
        query: str,
        title: str,
        *,
        owner: str = "",
        since: date | None = None,
        cross_lists: bool = True,
    ) -> None:
        """Writes a subscription that is not there yet, the chat's or (`owner`) a member's own."""
        self._db.execute(
            "insert into subscription(chat, query, title, owner, since, cross_lists) values (?, ?, ?, ?, ?, ?)",
            [chat, query, title, owner, since.isoformat() if since else None, cross_lists],
        )

    def begin_by(self, chat: int, day: date) -> None:
        """Subscriptions that were to begin with a later announcement begin with this day's."""
        self._db.execute(
            "update subscription set since = ? where chat = ? and since > ?",
            [day.isoformat(), chat, day.isoformat()],
        )

    def unsubscribe(self, chat: int, key: int) -> Subscription | None:
        """Ends one of the chat's subscriptions and returns it, None when it is not (any more) there."""
        with writing(self._db):
            known = self.subscription(chat, key)
            self._db.execute(
                "delete from subscription where key = ? and chat = ? and owner = ''", [key, chat]
            )
            return known

    def follow_cross_lists(self, chat: int, key: int, cross_lists: bool) -> Subscription | None:
        """Switches cross-listed papers on or off for one of the chat's subscriptions, None when it is not there."""
        self._db.execute(
            "update subscription set cross_lists = ? where key = ? and chat = ?", [cross_lists, key, chat]
        )
        return self.subscription(chat, key)

    def subscription(self, chat: int, key: int) -> Subscription | None:
        """One of the chat's subscriptions."""
        return next((known for known in self.subscriptions(chat) if known.key == key), None)

    def subscriptions(self, chat: int) -> tuple[Subscription, ...]:
        """The chat's own subscriptions, oldest first."""
        return self.subscriptions_of([chat]).get(chat, ())

    def subscriptions_of(self, chats: Sequence[int]) -> dict[int, tuple[Subscription, ...]]:
        """The own subscriptions of those of `chats` (at most some thousands) that have any, oldest first."""
        found: dict[int, list[Subscription]] = {}
        marks = ", ".join("?" * len(chats))
        sql = f"select * from subscription where chat in ({marks}) and owner = '' order by key"
        for row in self._db.query(sql, chats):
            found.setdefault(row["chat"], []).append(subscription_from(row))
        return {chat: tuple(own) for chat, own in found.items()}

    def queries(self) -> frozenset[str]:
        """Every distinct query that an active chat subscribes to."""
        rows = self._db.query(
            "select distinct query from subscription join chat on chat.key = subscription.chat "
            "where chat.state = 'active'"
        )
        return frozenset(row["query"] for row in rows)

    def stamp(self) -> str:
        """A text that is another one once a chat follows something else or is shown papers in another language."""
        subscriptions = "select count(*), sum(key), max(key) from subscription"
        languages = "select content, state, count(*), sum(key) from chat group by 1, 2 order by 1, 2"
        return repr([self._db.execute(sql).fetchall() for sql in (subscriptions, languages)])

    def forget(self, key: int) -> None:
        """Deletes a chat and everything kept of it; a person is no longer named as who set up a group.

        With a private chat goes what its person saved, liked, opened and follows as a member anywhere; with a group
        what its members follow there.
        """
        with writing(self._db):
            self._forget_library(key)
            self._db.execute(
                "update chat set manager = '' where manager != '' and exists (select 1 from chat as own "
                "where own.key = ? and own.platform = chat.platform and own.person = chat.manager)",
                [key],
            )
            for table in ("subscription", "member", "mute", "taste", "digest", "delivery"):
                self._db.execute(f"delete from {table} where chat = ?", [key])
            self._db.execute("update chat set steers = null where steers = ?", [key])
            self._db.execute("delete from chat where key = ?", [key])

    def _forget_library(self, key: int) -> None:
        if person := self.person_of(key):
            Library(self._db).forget(person)
            self._db.execute("delete from subscription where owner = ?", [person])
            self._db.execute("delete from member where person = ?", [person])
        for table in KEPT_BY_PERSON:
            self._db.execute(f"update {table} set chat = 0 where chat = ?", [key])

    def person_of(self, key: int) -> str:
        """Who a private chat is with, as the library knows people; "" for a group, a channel or an unknown one."""
        rows = self._db.query(
            "select platform, person from chat where key = ? and kind = 'private' and person != ''", [key]
        )
        return next((person_name(Platform(row["platform"]), row["person"]) for row in rows), "")

    def private_with(self, person: str) -> Chat | None:
        """The active private chat with a person, as the library knows people; None where we may not write."""
        platform, _, user = person.partition(":")
        rows = self._db.query(
            "select * from chat where person = ? and platform = ? and kind = 'private' and state = 'active' "
            "order by key limit 1",
            [user, platform],
        )
        return next((chat_from(row) for row in rows), None)


def chat_from(row: Mapping[str, Any]) -> Chat:
    """The chat of a row of the `chat` table."""
    return Chat(
        key=row["key"],
        ref=ChatRef(Platform(row["platform"]), row["chat_id"], row["thread_id"]),
        kind=ChatKind(row["kind"]),
        title=row["title"],
        lang=row["lang"],
        content=row["content"],
        schedule=schedule_from(*(row[name] for name in SCHEDULE_COLUMNS)),
        state=ChatState(row["state"]),
        reason=row["reason"],
        joined=datetime.fromisoformat(row["joined"]),
        order=Order(row["paper_order"]),
        sound=bool(row["sound"]),
        names_members=bool(row["names_members"]),
    )


def _resting(row: Mapping[str, Any]) -> Resting:
    warned = datetime.fromisoformat(row["warned"]) if row["warned"] else None
    return Resting(chat_from(row), datetime.fromisoformat(row["rests_since"]), warned)


def subscription_from(row: Mapping[str, Any]) -> Subscription:
    """The subscription of a row of its table."""
    return Subscription(
        key=row["key"],
        chat=row["chat"],
        query=row["query"],
        title=row["title"],
        owner=row["owner"],
        since=date.fromisoformat(row["since"]) if row["since"] else None,
        cross_lists=bool(row["cross_lists"]),
    )
