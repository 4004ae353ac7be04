"""How many papers have a word, and which: read from the full-text index (SQLite, "FTS5 Extension", fts5vocab)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlite_utils import Database

_REMEMBERED = 200_000


class Vocabulary:
    """The words of all archived papers. One instance serves one connection.

    Frequencies are remembered until a paper of another date comes: they change slowly.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._as_of = -1
        self._papers = 0
        self._known: dict[str, int] = {}

    @property
    def papers(self) -> int:
        """How many papers are archived."""
        self._refresh()
        return self._papers

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many papers each of these words occurs, 0 for one that is in none."""
        self._refresh()
        return {term: self._frequency(term) for term in terms}

    def _frequency(self, term: str) -> int:
        known = self._known.get(term)
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            row = self._db.execute("select doc from paper_term where term = ?", [term]).fetchone()
            known = self._known[term] = row[0] if row else 0
        return known

    def _refresh(self) -> None:
        newest = self._db.execute("select max(key) from paper").fetchone()[0] or 0
        if newest // 100_000 != self._as_of:
            self._as_of = newest // 100_000
            self._papers = self._db.execute("select count(*) from paper").fetchone()[0]
            self._known.clear()

    def with_term(self, term: str, most: int) -> Iterator[int]:
        """The keys of the newest papers whose title or abstract has a word, at most `most` of them."""
        rows = self._db.execute(
            "select rowid from paper_text where paper_text match ? order by rowid desc limit ?",
            [f'{{ti abs}} : "{term}"', most],
        )
        return (key for (key,) in rows)

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
