"""Keywords that members of a group or channel have of their own there, and how the papers reach them.

They are rows of `subscription` with an `owner` ("telegram:4711", as the library names people), told of in the owner's
private chat; where the chat allows it and the member wants it, in the chat's digest, under the member's name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from sqlite_utils import Database

from scheduler.models import Subscription
from scheduler.store.chats import Chats, TooManySubscriptions, subscription_from
from scheduler.store.database import writing

_IN_PRIVATE = (
    "select own.key as told, subscription.* from chat as own "
    "join subscription on subscription.owner = own.platform || ':' || own.person "
    "join chat as place on place.key = subscription.chat "
    "join member on member.chat = place.key and member.person = subscription.owner "
    "where own.kind = 'private' and own.person != '' and subscription.owner != '' "
    "and (member.way = 'private' or not place.names_members) and own.key in"
)
_BY_NAME = (
    "select subscription.*, member.name, member.way from subscription "
    "join chat as place on place.key = subscription.chat "
    "join member on member.chat = place.key and member.person = subscription.owner "
    "where subscription.owner != '' and place.names_members and member.way != 'private' and subscription.chat in"
)


class Way(StrEnum):
    """How a member is told of papers: in private, by name in the chat's digest, or by name with a ping."""

    PRIVATE = "private"
    NAMED = "named"
    PINGED = "pinged"


@dataclass(frozen=True, slots=True)
class Place:
    """A chat (its key and title) in which a person has keywords, and those."""

    chat: int
    title: str
    keywords: tuple[Subscription, ...]


class Members:
    """Members' own keywords. One instance serves one connection."""

    def __init__(self, db: Database, chats: Chats) -> None:
        self._db = db
        self._chats = chats

    def keywords(self, chat: int, person: str) -> tuple[Subscription, ...]:
        """What a person follows for themself in a chat, oldest first."""
        rows = self._db.query(
            "select * from subscription where chat = ? and owner = ? and owner != '' order by key",
            [chat, person],
        )
        return tuple(map(subscription_from, rows))

    def places(self, person: str) -> tuple[Place, ...]:
        """Every chat in which a person has keywords, the oldest chat first."""
        rows = self._db.query(
            "select distinct chat.key, chat.title, chat.chat_id from subscription join chat "
            "on chat.key = subscription.chat where owner = ? and owner != '' order by chat.key",
            [person],
        )
        return tuple(
            Place(row["key"], row["title"] or row["chat_id"], self.keywords(row["key"], person))
            for row in rows
        )

    def follow(
        self, chat: int, person: str, name: str, query: str, title: str, *, since: date | None, most: int
    ) -> tuple[Subscription, bool]:
        """A person's keyword in a chat, and whether it is new. Raises TooManySubscriptions from `most` on."""
        with writing(self._db):
            self._db.execute(
                "insert into member(chat, person, name) values (?, ?, ?) "
                "on conflict(chat, person) do update set name = excluded.name",
                [chat, person, name],
            )
            known = self.keywords(chat, person)
            for one in known:
                if one.query == query:
                    return one, False
            if len(known) >= most:
                raise TooManySubscriptions
            self._chats.add(chat, query, title, owner=person, since=since)
            self._ask_anew(chat, person)
            return self.keywords(chat, person)[-1], True

    def end(self, person: str, key: int) -> Subscription | None:
        """Ends one of a person's keywords, in whatever chat, and returns it; None for what is not theirs."""
        with writing(self._db):
            rows = list(
                self._db.query(
                    "select * from subscription where key = ? and owner = ? and owner != ''", [key, person]
                )
            )
            self._db.execute(
                "delete from subscription where key = ? and owner = ? and owner != ''", [key, person]
            )
        return next(map(subscription_from, rows), None)

    def begin_by(self, person: str, first: date, chat: int | None = None) -> None:
        """Lets a person's keywords (those of one chat, or of all) begin with that date, or stay with an earlier one."""
        self._db.execute(
            "update subscription set since = ? where owner = ? and owner != '' and since > ? "
            "and chat = coalesce(?, chat)",
            [first.isoformat(), person, first.isoformat(), chat],
        )

    def way(self, chat: int, person: str) -> Way:
        """How a person wants to be told of what their keywords in a chat find."""
        rows = self._db.query("select way from member where chat = ? and person = ?", [chat, person])
        return next((Way(row["way"]) for row in rows), Way.PRIVATE)

    def tell(self, chat: int, person: str, way: Way) -> None:
        """From now on a person who has keywords in a chat is told in this way."""
        with writing(self._db):
            self._db.execute("update member set way = ? where chat = ? and person = ?", [way, chat, person])
            self._ask_anew(chat, person)

    def count(self, chat: int) -> int:
        """How many members have keywords in a chat."""
        row = self._db.execute(
            "select count(distinct owner) from subscription where chat = ? and owner != ''", [chat]
        ).fetchone()
        return int(row[0])

    def followed(self, chats: Sequence[int]) -> dict[int, tuple[Subscription, ...]]:
        """All that the digests of `chats` are about: their own subscriptions, then their members' (by name, or of a
        private chat's person from elsewhere), oldest first, each query of one kind once."""
        known = self._chats.subscriptions_of(chats)
        found = {chat: list(known.get(chat, ())) for chat in chats}
        for chat, one in self._of_members(chats):
            if one.member or all(known.query != one.query for known in found[chat]):
                found[chat].append(one)
        return {chat: tuple(all_of_it) for chat, all_of_it in found.items()}

    def outlines(self, chats: Sequence[int]) -> dict[int, tuple[object, ...]]:
        """For each of those of `chats` whose digests are about anything, a value that is the same where `followed`
        differs in nothing but whose it is: at a fraction of the cost."""
        marks = ", ".join("?" * len(chats))
        rows = self._db.conn.execute(
            "select chat, query, title, cross_lists, since from subscription "
            f"where chat in ({marks}) and owner = '' order by key",
            list(chats),
        )
        found: dict[int, tuple[object, ...]] = {}
        for chat, *outline in rows:
            found[chat] = (*found.get(chat, ()), *outline)
        for chat, one in self._of_members(chats):
            outline = [one.query, one.title, one.cross_lists, one.since, one.member, one.ping]
            found[chat] = (*found.get(chat, ()), *outline)
        return found

    def _of_members(self, chats: Sequence[int]) -> Iterator[tuple[int, Subscription]]:
        """What members follow, by the chat that tells them of it: in private first, then by name, oldest first."""
        if not self._db.execute("select exists(select 1 from subscription where owner != '')").fetchone()[0]:
            return
        marks = ", ".join("?" * len(chats))
        for row in self._db.query(f"{_IN_PRIVATE} ({marks}) order by subscription.key", chats):
            yield row["told"], subscription_from(row)
        for row in self._db.query(f"{_BY_NAME} ({marks}) order by subscription.key", chats):
            ping = row["owner"].partition(":")[2] if row["way"] == Way.PINGED else ""
            yield row["chat"], replace(subscription_from(row), member=row["name"], ping=ping)

    def followed_in(self, chat: int) -> tuple[Subscription, ...]:
        """All that one chat's digest is about."""
        return self.followed([chat])[chat]

    def _ask_anew(self, chat: int, person: str) -> None:
        """A keyword may find what is old and was never asked for: the next slots look at every day again."""
        platform, _, user = person.partition(":")
        self._db.execute(
            "update chat set planned_revision = 0 where key = ? or (platform = ? and person = ? and kind = 'private')",
            [chat, platform, user],
        )
