"""Who does what on one database: a file beside it for each role, locked by the kernel while a process holds the role.

The lock (flock) goes when the process ends, however it ends; what the file says of its holder is only for people.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from scheduler.errors import AlreadyRunning, StoreError


class Role(StrEnum):
    """A share of the work that only one process may do on one database."""

    SCHEDULER = "scheduler"
    TELEGRAM = "telegram"
    DISCORD = "discord"


def lock_path(database: Path, role: Role) -> Path:
    """The file that stands for a role on a database."""
    return database.with_name(f"{database.name}.{role}.lock")


@contextmanager
def holding(database: Path, roles: Sequence[Role], now: datetime) -> Iterator[None]:
    """Holds these roles on the database until the context ends, or none of them.

    Raises AlreadyRunning, which says which process holds one of them and since when, and StoreError where no file
    can be written beside the database.
    """
    with contextlib.ExitStack() as held:
        for role in sorted(set(roles)):
            opened = _open(lock_path(database, role))
            held.callback(os.close, opened)
            _take(opened, database, role)
            _sign(opened, now)
        yield


@contextmanager
def opening(database: Path) -> Iterator[None]:
    """Waits until nobody else opens this database: two processes must not lay out a new one at the same time.

    Raises StoreError where no file can be written beside it.
    """
    opened = _open(database.with_name(f"{database.name}.opening.lock"))
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Not inherited: a child process would keep the lock beyond its parent's end.
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(f"cannot use {path}: {error.strerror}; check PAPERBOY_DATABASE") from error


def _take(opened: int, database: Path, role: Role) -> None:
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise AlreadyRunning(
            f"Paperboy runs already on {database} ({role}: {_holder(opened)}); "
            "stop it first, or choose another file with --database"
        ) from None
    except OSError as error:
        raise StoreError(f"cannot lock {lock_path(database, role)}: {error.strerror}") from error


def _sign(opened: int, now: datetime) -> None:
    """Leaves word of who holds the lock; nothing depends on it."""
    with contextlib.suppress(OSError):
        os.ftruncate(opened, 0)
        note = {"pid": os.getpid(), "since": now.isoformat(timespec="seconds")}
        os.pwrite(opened, json.dumps(note).encode(), 0)


def _holder(opened: int) -> str:
    try:
        note = json.loads(os.pread(opened, 1000, 0))
        since = datetime.fromisoformat(note["since"])
        return f"process {int(note['pid'])}, since {since:%Y-%m-%d %H:%M:%S %Z}".strip()
    except (OSError, ValueError, KeyError, TypeError):
        # It has the lock but has not signed yet, or the disk is full.
        return "another process"
