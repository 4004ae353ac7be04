"""What a person keeps of papers: saved ones with tags and a note, a thumb up or down, cards that were opened.

It belongs to the person, wherever it was done ("telegram:4711"); beside each stands the chat where it was done, for
that chat's order of papers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlite_utils import Database

from scheduler.models import Platform
from scheduler.store.database import writing

KEPT_BY_PERSON = ("saved", "vote", "opened")
"""The tables of this module: rows by `person` and `paper`, with the `chat` where it was done."""

MOST_SAVED = 5000
MOST_VOTES = 2000
MOST_OPENED = 500
"""Rows of one person; of votes and opened cards the oldest make room, saving more papers is refused."""

NEWEST_SIGNALS = 300
"""So many signals of each kind are looked at for a chat's order of papers."""


class LibraryFull(Exception):
    """A person has saved `MOST_SAVED` papers."""


class SignalKind(StrEnum):
    """What somebody did with a paper."""

    SAVED = "saved"
    LIKED = "liked"
    DISLIKED = "disliked"
    OPENED = "opened"


@dataclass(frozen=True, slots=True)
class Saved:
    """A paper (its key) that a person saved, when, and with what words. `told` is the number of the last change of it
    that the person was told of."""

    paper: int
    at: datetime
    tags: tuple[str, ...] = ()
    note: str = ""
    told: int = 0


@dataclass(frozen=True, slots=True)
class Signal:
    """One thing that somebody did with a paper (its key), and when."""

    paper: int
    kind: SignalKind
    at: datetime


def person_name(platform: Platform, user: str) -> str:
    """What a person is called in these tables: "telegram:4711"; "" for nobody."""
    return f"{platform}:{user}" if user else ""


class Library:
    """What people keep of papers. One instance serves one connection."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def save(
        self,
        person: str,
        chat: int,
        paper: int,
        now: datetime,
        *,
        add: Sequence[str] = (),
        drop: Sequence[str] = (),
        note: str | None = None,
    ) -> tuple[Saved, bool]:
        """Saves a paper, or changes what a saved one carries; gives it, and whether it is newly saved.

        Tags are added and dropped; a `note` of None leaves the one there is. Raises LibraryFull.
        """
        with writing(self._db):
            known = self.saved_paper(person, paper)
            if known is None and self.count(person) >= MOST_SAVED:
                raise LibraryFull
            before = known or Saved(paper, now, told=self._last_change())
            kept = (tag for tag in (*before.tags, *add) if tag not in drop)
            after = Saved(
                paper,
                before.at,
                tuple(dict.fromkeys(kept)),
                before.note if note is None else note,
                before.told,
            )
            self._db.execute(
                "insert or replace into saved(person, paper, chat, tags, note, at, told) values (?, ?, ?, ?, ?, ?, ?)",
                [person, paper, chat, " ".join(after.tags), after.note, _written(after.at), after.told],
            )
            return after, known is None

    def _last_change(self) -> int:
        row = next(iter(self._db.query("select max(key) as key from change")))
        return int(row["key"] or 0)

    def remove(self, person: str, paper: int) -> Saved | None:
        """Takes a paper out of a person's saved ones and returns it, None when it was not there."""
        with writing(self._db):
            known = self.saved_paper(person, paper)
            self._db.execute("delete from saved where person = ? and paper = ?", [person, paper])
            return known

    def saved_paper(self, person: str, paper: int) -> Saved | None:
        """A paper as a person saved it, None when it is not saved."""
        rows = self._db.query("select * from saved where person = ? and paper = ?", [person, paper])
        return next((_saved(row) for row in rows), None)

    def saved(self, person: str) -> tuple[Saved, ...]:
        """Everything a person saved, the newest first."""
        rows = self._db.query("select * from saved where person = ? order by at desc, paper desc", [person])
        return tuple(_saved(row) for row in rows)

    def count(self, person: str) -> int:
        """How many papers a person saved."""
        return self._count("saved", person)

    def _count(self, table: str, person: str) -> int:
        row = next(iter(self._db.query(f"select count(*) as n from {table} where person = ?", [person])))
        return int(row["n"])

    def vote(self, person: str, chat: int, paper: int, value: int, now: datetime) -> None:
        """A thumb up (1) or down (-1) of a person; 0 takes it back."""
        if value:
            self._db.execute(
                "insert or replace into vote(person, paper, chat, value, at) values (?, ?, ?, ?, ?)",
                [person, paper, chat, value, _written(now)],
            )
            self._bound("vote", person, MOST_VOTES)
        else:
            self._db.execute("delete from vote where person = ? and paper = ?", [person, paper])

    def vote_of(self, person: str, paper: int) -> int:
        """A person's thumb for a paper: 1, -1, or 0 for none."""
        rows = self._db.query("select value from vote where person = ? and paper = ?", [person, paper])
        return next((row["value"] for row in rows), 0)

    def votes_in(self, chat: int, paper: int) -> tuple[int, int]:
        """How many thumbs up and down a paper was given in a chat."""
        rows = self._db.query("select value from vote where paper = ? and chat = ?", [paper, chat])
        values = [row["value"] for row in rows]
        return values.count(1), values.count(-1)

    def opened(self, person: str, chat: int, paper: int, now: datetime) -> None:
        """Notes that a person opened a paper's card; the newest `MOST_OPENED` are kept."""
        self._db.execute(
            "insert or replace into opened(person, paper, chat, at) values (?, ?, ?, ?)",
            [person, paper, chat, _written(now)],
        )
        self._bound("opened", person, MOST_OPENED)

    def _bound(self, table: str, person: str, most: int) -> None:
        if self._count(table, person) > most:
            self._db.execute(
                f"delete from {table} where person = ? and paper in "
                f"(select paper from {table} where person = ? order by at desc limit -1 offset ?)",
                [person, person, most],
            )

    def signals(self, chat: int, person: str = "") -> tuple[Signal, ...]:
        """What was done in a chat, and anywhere by `person`: the newest of each kind, the newest first."""
        kinds = {
            "saved": f"select paper, at, '{SignalKind.SAVED}' as kind from saved",
            "vote": "select paper, at, case value when 1 then 'liked' else 'disliked' end as kind from vote",
            "opened": f"select paper, at, '{SignalKind.OPENED}' as kind from opened",
        }
        found = [
            Signal(row["paper"], SignalKind(row["kind"]), datetime.fromisoformat(row["at"]))
            for select in kinds.values()
            for row in self._db.query(
                f"{select} where chat = ? or (person = ? and person != '') order by at desc limit ?",
                [chat, person, NEWEST_SIGNALS],
            )
        ]
        return tuple(sorted(found, key=lambda signal: signal.at, reverse=True))

    def savers_to_tell(self, now: datetime, within: timedelta) -> tuple[str, ...]:
        """Who saved a paper that changed within that time and was not told of it yet."""
        rows = self._db.query(
            "select distinct saved.person from change join saved on saved.paper = change.paper "
            "where change.key > saved.told and change.at >= ? order by 1",
            [_written(now - within)],
        )
        return tuple(row["person"] for row in rows)

    def told(self, person: str, papers: Iterable[int], number: int) -> None:
        """A person was told of every change of these papers up to the one of that number."""
        self._db.conn.executemany(
            "update saved set told = ? where person = ? and paper = ?",
            [(number, person, paper) for paper in papers],
        )

    def forget(self, person: str) -> None:
        """Deletes everything that is kept of a person."""
        for table in KEPT_BY_PERSON:
            self._db.execute(f"delete from {table} where person = ?", [person])


def saved_with_tag(saved: Iterable[Saved], tags: Sequence[str]) -> tuple[Saved, ...]:
    """Those that carry every one of `tags`."""
    return tuple(one for one in saved if set(tags) <= set(one.tags))


def _saved(row: Mapping[str, Any]) -> Saved:
    return Saved(
        row["paper"],
        datetime.fromisoformat(row["at"]),
        tuple(row["tags"].split()),
        row["note"],
        row["told"],
    )


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
