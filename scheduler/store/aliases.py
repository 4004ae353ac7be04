"""Under which other names an archived paper is known: DOIs, ids of other sources, its title with its first author."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from sqlite_utils import Database

from scheduler import identity
from scheduler.models import Paper, PaperId

CHUNK = 500
SCHEMA = (
    "create table alias(name text not null, paper integer not null, primary key(name, paper)) without rowid"
)


class Aliases:
    """The other names of archived papers. One instance serves one connection."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def keys_of(self, papers: Iterable[Paper]) -> dict[PaperId, tuple[tuple[str, int], ...]]:
        """By id, each shared name and the key of an archived paper that has it too, the surest first."""
        named = {paper.id: identity.names(paper) for paper in papers}
        wanted = list(dict.fromkeys(chain.from_iterable(named.values())))
        found: dict[str, list[int]] = {}
        for start in range(0, len(wanted), CHUNK):
            chunk = wanted[start : start + CHUNK]
            marks = ", ".join("?" * len(chunk))
            for statement in (
                f"select id as name, key from paper where id in ({marks})",
                f"select name, paper as key from alias where name in ({marks})",
            ):
                for row in self._db.query(statement, chunk):
                    found.setdefault(row["name"], []).append(row["key"])
        keys = {
            paper_id: tuple((name, key) for name in names for key in found.get(name, ()))
            for paper_id, names in named.items()
        }
        return {paper_id: known for paper_id, known in keys.items() if known}

    def key_of(self, name: str) -> int | None:
        """The key of the paper that is known under an id or a DOI which is not its own id."""
        rows = self._db.query("select paper from alias where name = ? limit 1", [name])
        return next((int(row["paper"]) for row in rows), None)

    def add(self, key: int, paper: Paper, others: Sequence[str] = ()) -> None:
        """Writes down every name of `paper` but its id, and `others`."""
        names = [name for name in (*identity.names(paper), *others) if name != paper.id]
        self._db.conn.executemany(
            "insert or ignore into alias(name, paper) values (?, ?)", [(name, key) for name in names]
        )
