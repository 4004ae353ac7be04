"""The newest answers of sources with their validators, so that a restart does not ask for everything again."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from sqlite_utils import Database

from scheduler.store.database import writing

MOST_KEPT = 64
"""Answers; a category's feed is about half a megabyte when it is packed."""


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer and what a conditional request for it needs."""

    etag: str
    last_modified: str
    body: bytes


class Answers:
    """The kept answers by address. One instance serves one connection."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def of(self, address: str) -> KeptAnswer | None:
        """The kept answer of an address, None where there is none or it cannot be read."""
        rows = self._db.query("select etag, last_modified, body from answer where address = ?", [address])
        for row in rows:
            try:
                return KeptAnswer(row["etag"], row["last_modified"], zlib.decompress(row["body"]))
            except zlib.error:
                return None
        return None

    def keep(self, address: str, answer: KeptAnswer) -> None:
        """Keeps an answer instead of the one before, and the newest MOST_KEPT in all."""
        with writing(self._db):
            self._db.execute("delete from answer where address = ?", [address])
            self._db.execute(
                "insert into answer(address, etag, last_modified, body) values (?, ?, ?, ?)",
                [address, answer.etag, answer.last_modified, zlib.compress(answer.body, 6)],
            )
            self._db.execute(
                "delete from answer where key <= (select key from answer order by key desc limit 1 offset ?)",
                [MOST_KEPT],
            )
