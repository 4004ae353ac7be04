"""How many papers have a word, and which, read from the full-text index; and what was learnt of each chat's taste."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sqlite_utils import Database

from scheduler import ranking
from scheduler.models import Paper, Wording
from scheduler.ranking import Vector
from scheduler.store import search
from scheduler.store.rows import KEYS_PER_DAY

_REMEMBERED = 200_000
_VECTORS = 5000
_SAMPLE = 2000
_ENOUGH_IN_SAMPLE = 20
_COUNTED = 2000
_HAS = "paper_text match ? and rowid <= ?"


class Vocabulary:
    """The words of all archived papers. One instance serves one connection.

    A common word is counted in the newest papers and that share taken for all; a rare one is counted whole. So each
    costs at most a few thousand rows, however large the archive is. Frequencies are remembered until the archive has
    grown by a tenth: they change slowly.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._newest_day = -1
        self._papers = 0
        self._sample_from = 0
        self._rarities: dict[str, float] = {}
        self._vectors: dict[Paper, Vector] = {}

    def vector(self, paper: Paper, wordings: Mapping[str, Wording]) -> Vector:
        """The tf-idf vector of a paper; those of a day's papers are made once for all chats."""
        self._refresh()
        known = self._vectors.get(paper)
        if known is None:
            if len(self._vectors) >= _VECTORS:
                self._vectors.clear()
            counts = ranking.term_counts(paper, wordings)
            known = self._vectors[paper] = ranking.vector(counts, self.rarities(counts))
        return known

    def rarities(self, terms: Iterable[str]) -> dict[str, float]:
        """How telling each of these words is (`ranking.rarity`)."""
        self._refresh()
        return {term: self._rarity(term) for term in terms}

    def _rarity(self, term: str) -> float:
        known = self._rarities.get(term)
        if known is None:
            if len(self._rarities) >= _REMEMBERED:
                self._rarities.clear()
            known = self._rarities[term] = ranking.rarity(self._frequency(term), self._papers)
        return known

    def _frequency(self, term: str) -> int:
        """In about how many papers a word occurs."""
        match = _in_text(term)
        recent = self._count(
            f"select count(*) from paper_text where {_HAS}", match, search.rowid(self._sample_from)
        )
        if recent >= _ENOUGH_IN_SAMPLE:
            return recent * self._papers // min(_SAMPLE, self._papers)
        capped = f"select count(*) from (select rowid from paper_text where {_HAS} limit {_COUNTED})"
        return self._count(capped, match, search.rowid(0))

    def _count(self, sql: str, *values: object) -> int:
        return int(self._db.execute(sql, list(values)).fetchone()[0] or 0)

    def _refresh(self) -> None:
        """Counts the papers again when one of another day has come."""
        newest = self._count("select max(key) from paper")
        if newest // KEYS_PER_DAY == self._newest_day:
            return
        self._newest_day = newest // KEYS_PER_DAY
        papers = self._count("select count(*) from paper")
        if not 0.9 <= self._papers / max(papers, 1) <= 1.1:
            self._papers = papers
            self._rarities.clear()
            self._vectors.clear()
        sample = "select min(key) from (select key from paper order by key desc limit ?)"
        self._sample_from = self._count(sample, _SAMPLE)

    def with_term(self, term: str, most: int) -> Iterator[int]:
        """The keys of the newest papers whose title or abstract has a word, at most `most` of them."""
        rows = self._db.execute(
            "select rowid from paper_text where paper_text match ? order by rowid limit ?",
            [_in_text(term), most],
        )
        return (search.rowid(row) for (row,) in rows)

    def taste(self, chat: int, stamp: str) -> str | None:
        """The taste that was learnt of a chat from the signals that `stamp` names, "" for too few of them.

        None when nothing was learnt from just these.
        """
        rows = self._db.query("select body from taste where chat = ? and stamp = ?", [chat, stamp])
        return next((row["body"] for row in rows), None)

    def keep_taste(self, chat: int, stamp: str, body: str) -> None:
        """Keeps what was learnt of a chat."""
        self._db.execute(
            "insert or replace into taste(chat, stamp, body) values (?, ?, ?)", [chat, stamp, body]
        )


def _in_text(term: str) -> str:
    return f'{{ti abs}} : "{term}"'
