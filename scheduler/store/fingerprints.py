"""A day as one hash: what is the same needs no second look."""

from __future__ import annotations

from datetime import date
from hashlib import blake2b

from sqlite_utils import Database

_PAPERS = "(select paper from announcement where date = :day)"
_ALL_OF_A_DAY = (
    "select category, paper, announce_type, position from announcement where date = :day order by 1, 2",
    "select category, state, received, declared, declared_counts from batch where date = :day order by 1",
    f"select * from paper where key in {_PAPERS} order by key",
    f"select * from wording where paper in {_PAPERS} order by paper, lang",
)


def of_day(db: Database, day: date) -> str:
    """The hash of everything that is stored of one announcement date; any change of it gives another one."""
    hashed = blake2b(digest_size=16)
    for statement in _ALL_OF_A_DAY:
        for row in db.execute(statement, {"day": day.isoformat()}):
            hashed.update(repr(row).encode("utf-8", "surrogatepass"))
    return hashed.hexdigest()
