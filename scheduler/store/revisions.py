"""When the papers of each announcement date changed: a number that rises with every change, whoever makes it.

Triggers keep it, so that no writer can forget it. What was made from a day's papers is still right while the day's
revision is the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from sqlite_utils import Database

_NEXT = "(select coalesce(max(revision), 0) + 1 from day_revision)"
_OF_PAPER = "date in (select date from announcement where paper = {key})"

SCHEMA = (
    "create table day_revision(date text primary key, revision integer not null) without rowid",
    "create index day_revision_newest on day_revision(revision)",
    "insert into day_revision(date, revision) select distinct date, 1 from announcement",
    "create trigger day_announced after insert on announcement begin "
    f"insert into day_revision(date, revision) values (new.date, {_NEXT}) "
    "on conflict(date) do update set revision = excluded.revision; end",
    *(
        f"create trigger day_{table}_{name} after {event} on {table} begin "
        f"update day_revision set revision = {_NEXT} where {_OF_PAPER.format(key=key)}; end"
        for table, name, event, key in (
            ("paper", "changed", "update", "new.key"),
            ("wording", "added", "insert", "new.paper"),
            ("wording", "changed", "update", "new.paper"),
            ("wording", "removed", "delete", "old.paper"),
        )
    ),
)


class Revisions:
    """The revisions of announcement dates. One instance serves one connection."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def of(self, days: Iterable[date]) -> dict[date, int]:
        """The revision of each of these days, 0 for one without announcements."""
        wanted = {day.isoformat(): day for day in days}
        rows = self._db.conn.execute(
            f"select date, revision from day_revision where date in ({', '.join('?' * len(wanted))})",
            list(wanted),
        )
        return dict.fromkeys(wanted.values(), 0) | {wanted[day]: revision for day, revision in rows}

    def newest(self) -> int:
        """The revision of the newest change, 0 in an empty archive."""
        return int(self._db.conn.execute("select coalesce(max(revision), 0) from day_revision").fetchone()[0])
