"""What the outbox does not keep for ever: the parts and the digests of old runs, and texts that nothing refers to.

old runs of some chats | texts that the rest refers to | texts that nothing refers to

What stays is what is asked for later: the delivered marks, the moment each of their runs was planned, whatever is still
to be sent, and each chat's last run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta

from sqlite_utils import Database

from scheduler.store.database import writing

KEPT = timedelta(days=90)
"""How long after its planning a run keeps its parts and its digest; days are told of as late no farther back."""

CHATS = 50
RUNS = 500
PARTS = 3_000
TEXTS = 3_000
"""What is looked at in one step: some ten milliseconds in which nobody else uses the store."""

_OLD_RUNS = """
with span as (
  select * from digest where chat between :first and :last and (body != '' or shared is not null)
),
newest as (
  select chat, max(planned) as planned from span where run_key not glob 'notice *'
  and exists (select 1 from delivery where delivery.chat = span.chat and delivery.run_key = span.run_key)
  group by chat
)
select span.chat, span.run_key, span.run_key glob 'notice *' or not exists (
  select 1 from delivery where delivery.chat = span.chat and delivery.run_key = span.run_key
)
from span left join newest on newest.chat = span.chat
where span.planned < :before and (newest.planned is null or span.planned < newest.planned)
and not exists (
  select 1 from delivery where delivery.chat = span.chat and delivery.run_key = span.run_key
  and delivery.state in ('pending', 'sending')
)
limit :limit
"""


def clear(db: Database, before: datetime) -> Iterator[int]:
    """Clears away the runs that were planned before a moment (UTC), in steps that are each a transaction of their own.

    Gives how many runs or texts each step cleared. Whoever asks for the next one decides who is served in between.
    """
    # The newest text stays: its key would be given anew.
    top = _number(db, "select max(key) from body")
    last = 0
    while chats := _keys(db, "select key from chat where key > ? order by key limit ?", last, CHATS):
        last = chats[-1]
        while removed := _clear_runs_of(db, chats[0], last, before):
            yield removed
        yield 0
    texts, last = _Texts(db, top), 0
    while texts.mark_needed():
        yield 0
    while keys := _keys(
        db, "select key from body where key > ? and key < ? order by key limit ?", last, top, TEXTS
    ):
        last = keys[-1]
        yield texts.remove_others(keys)


def _clear_runs_of(db: Database, first: int, last: int, before: datetime) -> int:
    """Clears some old runs of these chats; how many they were. Notices, and what was only asked for, leave nothing."""
    span = {"first": first, "last": last, "before": before.isoformat(), "limit": RUNS}
    same = "where chat = ? and run_key = ?"
    with writing(db):
        runs = db.conn.execute(_OLD_RUNS, span).fetchall()
        told = [(chat, run_key) for chat, run_key, is_passing in runs if not is_passing]
        passing = [(chat, run_key) for chat, run_key, is_passing in runs if is_passing]
        db.conn.executemany(f"delete from delivery {same}", [*told, *passing])
        db.conn.executemany(f"update digest set body = '', shared = null {same}", told)
        db.conn.executemany(f"delete from digest {same}", passing)
    return len(runs)


class _Texts:
    """The texts with keys below `top`, and which of them are found to be needed, in many steps."""

    def __init__(self, db: Database, top: int) -> None:
        self._db = db
        self._needed = bytearray(top + 1)
        self._seen = 0

    def mark_needed(self) -> bool:
        """Marks the texts of the next parts and of their digests; true while there may be more parts.

        It goes by the parts' keys: they stay as they are when a chat moves, and newer parts come behind.
        """
        rows = self._db.conn.execute(
            "select delivery.key, delivery.body, shared from delivery left join digest "
            "on digest.chat = delivery.chat and digest.run_key = delivery.run_key "
            "where delivery.key > ? order by delivery.key limit ?",
            (self._seen, PARTS),
        ).fetchall()
        for self._seen, part, whole in rows:
            for text in (part, whole):
                if text is not None and text < len(self._needed):
                    self._needed[text] = 1
        return len(rows) == PARTS

    def remove_others(self, keys: Sequence[int]) -> int:
        """Removes those of the texts that nothing refers to; how many they were."""
        with _unchecked(self._db), writing(self._db):
            while self.mark_needed():
                pass
            others = [(key,) for key in keys if not self._needed[key]]
            self._db.conn.executemany("delete from body where key = ?", others)
        return len(others)


@contextmanager
def _unchecked(db: Database) -> Iterator[None]:
    """Without a look through the whole outbox for each text that goes: what refers to it was looked for at once."""
    db.conn.execute("pragma foreign_keys=off")
    try:
        yield
    finally:
        db.conn.execute("pragma foreign_keys=on")


def _keys(db: Database, statement: str, *values: object) -> list[int]:
    return [row[0] for row in db.conn.execute(statement, values)]


def _number(db: Database, statement: str) -> int:
    return int(db.conn.execute(statement).fetchone()[0] or 0)
