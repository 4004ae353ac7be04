"""Words that models and translation services made, by what they were made from: nothing is paid for twice."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlite_utils import Database

from scheduler.enrich.budget import Amount
from scheduler.enrich.wishes import Part
from scheduler.models import Flag, WordingStatus
from scheduler.store.database import writing

KEPT = timedelta(days=180)
"""How long everything that came of a part is kept: twice as long as papers are told of as late."""

CONTENTS = 300
"""Contents that are cleared in one step: some milliseconds in which nobody else uses the store."""

_CLEAR = """
delete from enrichment where content between ? and ? and made < ? and (
  text = '' or exists (
    select 1 from enrichment as other where other.content = enrichment.content and other.lang = enrichment.lang
    and other.text != '' and (other.part, other.service) > (enrichment.part, enrichment.service)
  )
)
"""
"""Of what was made of a content in a language one short text stays (a TL;DR or a title before an abstract): it says
that a paper's words were made from what the paper says now, so that an unchanged version costs nothing years later."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What words are made from, and by whom.

    `content` is the hash of the paper's words (`enrich.wishes.content_hash`), `service` names the provider and
    everything of it that makes other words: model, prompt, glossary.
    """

    content: str
    lang: str
    service: str


@dataclass(frozen=True, slots=True)
class Made:
    """What came of one part: `text` is "" where nothing usable did, and `reason` says why.

    `next_try` is when it is to be tried again, None when it is done, well or not. A call's cost stands with the first
    of its parts.
    """

    text: str
    status: WordingStatus
    origin: str
    made: datetime
    flags: tuple[Flag, ...] = ()
    reason: str = ""
    cost: Amount = Amount()
    attempts: int = 1
    next_try: datetime | None = None


class Enrichments:
    """The cache. One instance serves one connection."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def of(self, recipe: Recipe) -> dict[Part, Made]:
        """What came of each part that was ever tried."""
        rows = self._db.query(
            "select * from enrichment where content = ? and lang = ? and service = ?", list(astuple(recipe))
        )
        return {Part(row["part"]): _made(row) for row in rows}

    def keep(self, recipe: Recipe, parts: Mapping[Part, Made]) -> None:
        """Writes what came of some parts over what came of them before."""
        with writing(self._db):
            for part, made in parts.items():
                values = _row(recipe, part, made)
                self._db.execute(
                    f"insert or replace into enrichment({', '.join(values)}) values ({', '.join('?' * len(values))})",
                    list(values.values()),
                )

    def has_content(self, content: str, lang: str) -> bool:
        """True when words in `lang` were made from exactly this content."""
        return self._has("content = ? and lang = ? and text != ''", content, lang)

    def given_up(self, content: str, lang: str) -> frozenset[Part]:
        """The parts that were asked for in `lang` without anything usable: they will not be asked for again."""
        rows = self._db.query(
            "select part from enrichment where content = ? and lang = ? and status = 'fallback'",
            [content, lang],
        )
        return frozenset(Part(row["part"]) for row in rows)

    def _has(self, condition: str, *values: object) -> bool:
        rows = self._db.query(f"select 1 from enrichment where {condition} limit 1", list(values))
        return any(True for _ in rows)

    def clear(self, now: datetime) -> Iterator[int]:
        """Clears away what is older than `KEPT` and nobody asks for, in steps that are each a transaction of their own.

        Readers miss nothing: what they see stands with their papers. Gives how many rows each step cleared.
        """
        last = ""
        while contents := self._contents(last):
            first, last = contents[0], contents[-1]
            with writing(self._db):
                cleared = self._db.execute(_CLEAR, [first, last, (now - KEPT).timestamp()]).rowcount
            yield cleared

    def _contents(self, last: str) -> list[str]:
        rows = self._db.query(
            "select distinct content from enrichment where content > ? order by content limit ?",
            [last, CONTENTS],
        )
        return [row["content"] for row in rows]

    def counts(self, since: datetime) -> dict[WordingStatus, int]:
        """How many texts were made since a moment, by status."""
        rows = self._db.query(
            "select status, count(*) as n from enrichment where made >= ? group by 1", [since.timestamp()]
        )
        found = {WordingStatus(row["status"]): int(row["n"]) for row in rows}
        return {status: found[status] for status in WordingStatus if status in found}


def _row(recipe: Recipe, part: Part, made: Made) -> dict[str, object]:
    return {
        "content": recipe.content,
        "lang": recipe.lang,
        "part": part,
        "service": recipe.service,
        "text": made.text,
        "status": made.status,
        "flags": json.dumps([astuple(flag) for flag in made.flags], ensure_ascii=False),
        "reason": made.reason,
        "origin": made.origin,
        "tokens": made.cost.tokens,
        "characters": made.cost.characters,
        "micros": made.cost.micros,
        "attempts": made.attempts,
        "next_try": made.next_try.timestamp() if made.next_try else None,
        "made": made.made.timestamp(),
    }


def _made(row: Mapping[str, Any]) -> Made:
    return Made(
        text=row["text"],
        status=WordingStatus(row["status"]),
        origin=row["origin"],
        made=datetime.fromtimestamp(row["made"], UTC),
        flags=tuple(Flag(*flag) for flag in json.loads(row["flags"])),
        reason=row["reason"],
        cost=Amount(row["tokens"], row["characters"], row["micros"]),
        attempts=row["attempts"],
        next_try=datetime.fromtimestamp(row["next_try"], UTC) if row["next_try"] is not None else None,
    )
