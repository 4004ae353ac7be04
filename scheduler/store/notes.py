"""Small things worth keeping: named notes, and short tokens for texts too long for a button."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping

from sqlite_utils import Database


class Notes(MutableMapping[str, str]):
    """Named texts that survive a restart, used as a dict. One instance serves one connection."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def __getitem__(self, name: str) -> str:
        for row in self._db.query("select value from note where name = ?", [name]):
            return str(row["value"])
        raise KeyError(name)

    def __setitem__(self, name: str, value: str) -> None:
        self._db.execute("insert or replace into note(name, value) values (?, ?)", [name, value])

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        self._db.execute("delete from note where name = ?", [name])

    def __iter__(self) -> Iterator[str]:
        return iter([row["name"] for row in self._db.query("select name from note order by name")])

    def __len__(self) -> int:
        return int(next(iter(self._db.query("select count(*) as n from note")))["n"])


class Tokens:
    """Short numbers that stand for texts in a button's action (64 bytes at most). They never expire."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def token(self, text: str) -> str:
        """The number for this text, the same each time."""
        self._db.execute("insert or ignore into token(text) values (?)", [text])
        return str(next(iter(self._db.query("select key from token where text = ?", [text])))["key"])

    def text(self, token: str) -> str | None:
        """The text behind a number, None for one that was never given."""
        if not token.isdecimal() or len(token) > 18:
            return None
        rows = self._db.query("select text from token where key = ?", [int(token)])
        return next((row["text"] for row in rows), None)
