"""The vectors of papers for search by meaning: kept as bytes, compared all at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlite_utils import Database

from scheduler.store.database import writing
from scheduler.store.papers import Archive, Known

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 200_000
"""The newest papers that are learned and compared: 77 MB of memory, a tenth of a second a search."""

ROWS_AT_ONCE = 20_000

_HAS_WORDS = "(abstract != '' or key in (select paper from wording where tldr != '' or abstract != ''))"


class Meanings:
    """One instance serves one connection. What was read once stays in memory; a search reads only what is new."""

    def __init__(self, db: Database, archive: Archive) -> None:
        self._db = db
        self._archive = archive
        self._rows: list[int] = []
        self._vectors: NDArray[np.int8] | None = None

    def waiting(self, limit: int) -> tuple[Known, ...]:
        """The newest papers with words beyond their title that have no vector; of the newest `MOST` papers only."""
        found = self._db.execute(
            f"select key from (select * from paper order by key desc limit ?) where {_HAS_WORDS} "
            "and key not in (select paper from meaning) order by key desc limit ?",
            [MOST, limit],
        )
        return self._archive.by_key([key for (key,) in found.fetchall()])

    def put(self, keys: Sequence[int], vectors: Sequence[bytes]) -> None:
        """Keeps the vectors of papers; the first one stays, another process may learn the same papers."""
        with writing(self._db):
            self._db.conn.executemany(
                "insert or ignore into meaning(paper, vector) values (?, ?)", zip(keys, vectors, strict=True)
            )

    def progress(self) -> tuple[int, int]:
        """How many papers can be found by meaning, and of how many."""
        learned = self._db.execute("select count(*) from meaning").fetchone()[0]
        papers = self._db.execute(f"select count(*) from paper where {_HAS_WORDS}").fetchone()[0]
        return int(learned), max(min(int(papers), MOST), int(learned))

    def nearest(self, vector: bytes, limit: int) -> tuple[int, ...]:
        """The keys of the papers whose vectors are nearest to this one, the nearest first."""
        import numpy as np

        known = self._read()
        if known is None:
            return ()
        wanted = np.frombuffer(vector, np.int8).astype(np.float32)
        scores = np.concatenate(
            [
                known[start : start + ROWS_AT_ONCE].astype(np.float32) @ wanted
                for start in range(0, len(known), ROWS_AT_ONCE)
            ]
        )
        best = np.argsort(-scores, kind="stable")[:limit]
        return self._papers([self._rows[place] for place in best])

    def _read(self) -> NDArray[np.int8] | None:
        """All vectors, one a row; those written since the last time are added."""
        import numpy as np

        after = self._rows[-1] if self._rows else 0
        new: list[tuple[int, Any]] = self._db.execute(
            "select key, vector from meaning where key > ? order by key", [after]
        ).fetchall()
        if new:
            rows = np.frombuffer(b"".join(vector for _key, vector in new), np.int8).reshape(len(new), -1)
            self._vectors = rows if self._vectors is None else np.concatenate([self._vectors, rows])
            self._rows.extend(key for key, _vector in new)
        return self._vectors

    def _papers(self, rows: Sequence[int]) -> tuple[int, ...]:
        marks = ", ".join("?" * len(rows))
        papers = dict(
            self._db.execute(f"select key, paper from meaning where key in ({marks})", list(rows)).fetchall()
        )
        return tuple(papers[row] for row in rows if row in papers)
