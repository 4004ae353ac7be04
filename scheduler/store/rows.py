"""Papers as rows: what the database has of them by key and by id, read many at once."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import date, datetime
from typing import Any

from sqlite_utils import Database

from scheduler.models import AnnounceType, Author, Paper, PaperId, Wording
from scheduler.store.wordings import read_words

KEYS_PER_DAY = 100_000
"""A paper's key is yyyymmdd * KEYS_PER_DAY + sequence: a date is a range of keys, newest first their order."""

COLUMNS = tuple(field.name for field in fields(Paper))
CHUNK = 500

Wordings = Mapping[str, Wording]
Places = Mapping[tuple[date, str], AnnounceType]
"""What a paper was announced as, by date and category."""


class PaperRows:
    """The rows of papers, of their words and of their announcements. One instance serves one connection."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def papers(self, keys: Sequence[int]) -> dict[int, Paper]:
        """The papers of these keys; unknown keys are left out."""
        return {row["key"]: _paper(row) for row in self.among("select * from paper where key in", keys)}

    def named(self, ids: Iterable[PaperId]) -> dict[PaperId, tuple[int, Paper]]:
        """The papers of these ids with their keys; unknown ids are left out."""
        rows = self.among("select * from paper where id in", sorted(ids))
        return {PaperId(row["id"]): (row["key"], _paper(row)) for row in rows}

    def words(self, keys: Sequence[int]) -> dict[int, dict[str, Wording]]:
        """The words of each key's paper by language; an empty dict for a paper without any."""
        found: dict[int, dict[str, Wording]] = {key: {} for key in keys}
        for row in self.among("select * from wording where paper in", keys):
            found[row["paper"]][row["lang"]] = read_words(row)
        return found

    def places(self, keys: Collection[int]) -> dict[int, dict[tuple[date, str], AnnounceType]]:
        """Where each key's paper was announced; an empty dict for one that never was (query API, OAI-PMH)."""
        found: dict[int, dict[tuple[date, str], AnnounceType]] = {key: {} for key in keys}
        statement = "select paper, date, category, announce_type from announcement where paper in"
        for row in self.among(statement, sorted(keys)):
            place = (date.fromisoformat(row["date"]), row["category"])
            found[row["paper"]][place] = AnnounceType(row["announce_type"])
        return found

    def add(self, key: int, paper: Paper) -> None:
        """Writes a paper that the archive does not have."""
        marks = ", ".join("?" * (len(COLUMNS) + 1))
        self._db.execute(
            f"insert into paper(key, {', '.join(COLUMNS)}) values ({marks})", [key, *_row(paper)]
        )

    def change(self, key: int, paper: Paper) -> None:
        """Writes a paper over the one of this key."""
        columns = ", ".join(f"{name} = ?" for name in COLUMNS)
        self._db.execute(f"update paper set {columns} where key = ?", [*_row(paper), key])

    def last_key(self, day: date) -> int:
        """The greatest key of a paper that was first announced on `day`; the one before the first where none is."""
        first, end = day_keys(day)
        rows = self._db.query("select max(key) as key from paper where key between ? and ?", [first, end])
        return int(next(iter(rows))["key"] or first)

    def among(self, statement: str, values: Sequence[object]) -> Iterator[dict[str, Any]]:
        """The rows of a statement that ends in "in", for however many values."""
        for start in range(0, len(values), CHUNK):
            chunk = list(values[start : start + CHUNK])
            yield from self._db.query(f"{statement} ({', '.join('?' * len(chunk))})", chunk)


def day_keys(day: date) -> tuple[int, int]:
    """The first and the last key that papers first announced on `day` can have."""
    first = int(day.strftime("%Y%m%d")) * KEYS_PER_DAY
    return first, first + KEYS_PER_DAY - 1


def _row(paper: Paper) -> list[object]:
    plain: dict[str, object] = {name: getattr(paper, name) for name in COLUMNS}
    plain["authors"] = json.dumps(
        [[author.name, author.affiliation] for author in paper.authors], ensure_ascii=False
    )
    plain["categories"] = " ".join(paper.categories)
    plain["withdrawn"] = int(paper.withdrawn)
    for name in ("submitted", "updated"):
        moment = getattr(paper, name)
        plain[name] = moment.isoformat() if moment else None
    return list(plain.values())


def _paper(row: Mapping[str, Any]) -> Paper:
    values = {name: row[name] for name in COLUMNS}
    values["id"] = PaperId(row["id"])
    values["authors"] = tuple(Author(name, place) for name, place in json.loads(row["authors"]))
    values["categories"] = tuple(row["categories"].split())
    values["withdrawn"] = bool(row["withdrawn"])
    for name in ("submitted", "updated"):
        values[name] = datetime.fromisoformat(row[name]) if row[name] else None
    return Paper(**values)
