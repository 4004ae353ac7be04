"""What a chat never wants in its digests, each as one query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlite_utils import Database

from scheduler.store.database import writing

MOST = 100
CHUNK = 500


class TooManyMutes(Exception):
    """A chat mutes `MOST` things already."""


class MuteKind(StrEnum):
    """What a chat does not want: words, an author, one paper, a category."""

    WORD = "word"
    AUTHOR = "author"
    PAPER = "paper"
    CATEGORY = "category"


@dataclass(frozen=True, slots=True)
class Mute:
    """One thing that a chat does not want to be told of. `query` is canonical text, `title` what a person reads."""

    key: int
    chat: int
    kind: MuteKind
    query: str
    title: str


class Mutes:
    """What every chat mutes. One instance serves one connection."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, chat: int, kind: MuteKind, query: str, title: str) -> tuple[Mute, bool]:
        """The chat's mute of a canonical query, and whether it is new. Raises TooManyMutes."""
        with writing(self._db):
            known = self.of(chat)
            same = next((one for one in known if one.query == query), None)
            if same is not None:
                return same, False
            if len(known) >= MOST:
                raise TooManyMutes
            self._db.execute(
                "insert into mute(chat, kind, query, title) values (?, ?, ?, ?)", [chat, kind, query, title]
            )
            return self.of(chat)[-1], True

    def end(self, chat: int, key: int) -> Mute | None:
        """Ends one of the chat's mutes and returns it, None when it is not (any more) there."""
        with writing(self._db):
            known = next((one for one in self.of(chat) if one.key == key), None)
            self._db.execute("delete from mute where key = ? and chat = ?", [key, chat])
            return known

    def of(self, chat: int) -> tuple[Mute, ...]:
        """What a chat mutes, oldest first."""
        return self.of_each([chat]).get(chat, ())

    def of_each(self, chats: Iterable[int]) -> dict[int, tuple[Mute, ...]]:
        """What those of `chats` mute that mute anything, oldest first."""
        found: dict[int, tuple[Mute, ...]] = {}
        wanted = list(chats)
        for start in range(0, len(wanted), CHUNK):
            chunk = wanted[start : start + CHUNK]
            marks = ", ".join("?" * len(chunk))
            for row in self._db.query(f"select * from mute where chat in ({marks}) order by key", chunk):
                found[row["chat"]] = (*found.get(row["chat"], ()), _mute(row))
        return found


def _mute(row: Mapping[str, Any]) -> Mute:
    return Mute(row["key"], row["chat"], MuteKind(row["kind"]), row["query"], row["title"])
