"""Opens the one SQLite file and keeps its transactions. Works on a stock SQLite 3.40."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlite_utils import Database

from scheduler.errors import DatabaseTooNew, StoreError
from scheduler.store.schema import MIGRATIONS

BUSY_TIMEOUT = 30.0
"""Seconds that a writer waits for another process's transaction."""


def connect(path: Path | None) -> Database:
    """The database at `path` with every migration applied; None opens one in memory.

    The folder is made when it is missing. Raises DatabaseTooNew for a file that a newer Paperboy wrote and
    StoreError for one that cannot be opened or is no database.
    """
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        # One thread at a time uses the connection (bot.app's store thread), not always the one that opened it.
        connection = sqlite3.connect(
            str(path) if path else ":memory:", timeout=BUSY_TIMEOUT, check_same_thread=False
        )
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"cannot open the database {path}: {error}; check PAPERBOY_DATABASE") from error
    try:
        return _prepared(connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise StoreError(
            f"cannot use the database {path}: {error}; choose another file with --database"
        ) from error
    except DatabaseTooNew:
        connection.close()
        raise


def _prepared(connection: sqlite3.Connection, path: Path | None) -> Database:
    db = Database(connection)
    refuse_newer(db, path)
    for pragma in ("journal_mode=wal", "synchronous=normal", "foreign_keys=on", "mmap_size=268435456"):
        connection.execute(f"pragma {pragma}").fetchall()
    if MIGRATIONS.pending(db):
        MIGRATIONS.apply(db)
    return db


def refuse_newer(db: Database, path: Path | None) -> None:
    """Raises DatabaseTooNew when the file has migrations that this Paperboy does not know."""
    known = {migration.name for migration in MIGRATIONS.pending(db)} | {
        migration.name for migration in MIGRATIONS.applied(db)
    }
    ours = set(known_names())
    unknown = sorted(known - ours)
    if unknown:
        raise DatabaseTooNew(
            f"the database {path} was written by a newer Paperboy ({unknown[-1]}); "
            "upgrade Paperboy, or choose another file with --database or PAPERBOY_DATABASE"
        )


def known_names() -> tuple[str, ...]:
    """The names of this Paperboy's migrations, oldest first."""
    return tuple(migration.name for migration in MIGRATIONS._migrations)


@contextmanager
def writing(db: Database) -> Iterator[None]:
    """One transaction that holds the write lock from its start; nested uses are savepoints of the outer one.

    BEGIN IMMEDIATE: a deferred transaction that reads first can fail at its first write, whatever the timeout.
    """
    if db.conn.in_transaction:
        with db.atomic():
            yield
        return
    db.conn.execute("begin immediate")
    try:
        yield
    except BaseException:
        db.conn.rollback()
        raise
    db.conn.commit()
