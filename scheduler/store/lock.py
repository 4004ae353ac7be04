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
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from scheduler.errors import AlreadyRunning, StoreError


class Role(StrEnum):
    """A share of the work that only one process may do on one database."""

    SCHEDULER = "scheduler"
    TELEGRAM = "telegram"
    DISCORD = "discord"


@dataclass(frozen=True, slots=True)
class Shards:
    """A part of the Discord role: these shards out of `count`. The others may be another process's."""

    ids: tuple[int, ...]
    count: int


def lock_path(database: Path, name: str) -> Path:
    """The file that stands for a role (or one shard: "discord.2") on a database."""
    return database.with_name(f"{database.name}.{name}.lock")


@contextmanager
def holding(
    database: Path, roles: Sequence[Role], now: datetime, shards: Shards | None = None
) -> Iterator[None]:
    """Holds these roles on the database until the context ends, or none of them; of Discord only these shards.

    Raises AlreadyRunning, which says which process holds one of them and since when, and StoreError where no file
    can be written beside the database.
    """
    with contextlib.ExitStack() as held:
        for role in sorted(set(roles)):
            if role is Role.DISCORD and shards is not None:
                _hold_shards(held, database, shards, now)
            else:
                _hold(held, database, role, now)
        yield


def _hold(held: contextlib.ExitStack, database: Path, name: str, now: datetime) -> None:
    opened = _open(lock_path(database, name))
    held.callback(os.close, opened)
    _take(opened, database, name)
    _sign(opened, now)


def _hold_shards(held: contextlib.ExitStack, database: Path, shards: Shards, now: datetime) -> None:
    """Shares the role with the processes that count the same shards, and holds each shard alone."""
    with opening(database):
        opened = _open(lock_path(database, Role.DISCORD))
        held.callback(os.close, opened)
        # Whoever is alone on the role says how many shards there are.
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _sign(opened, now, shards.count)
        except BlockingIOError:
            _join(opened, database, shards.count)
        fcntl.flock(opened, fcntl.LOCK_SH)
    for number in shards.ids:
        _hold(held, database, f"{Role.DISCORD}.{number}", now)


def _join(opened: int, database: Path, count: int) -> None:
    """Raises AlreadyRunning where a process has all shards, or counts others than we do."""
    try:
        fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _already_running(opened, database, Role.DISCORD) from None
    theirs = _note(opened).get("shards")
    if theirs != count:
        raise AlreadyRunning(
            f"another process on {database} counts {theirs} Discord shards and this one {count}; "
            "PAPERBOY_DISCORD_SHARD_COUNT must be the same in all of them"
        )


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


def _take(opened: int, database: Path, name: str) -> None:
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _already_running(opened, database, name) from None
    except OSError as error:
        raise StoreError(f"cannot lock {lock_path(database, name)}: {error.strerror}") from error


def _already_running(opened: int, database: Path, name: str) -> AlreadyRunning:
    what = name.replace(".", " shard ")
    return AlreadyRunning(
        f"Paperboy runs already on {database} ({what}: {_holder(opened)}); "
        "stop it first, or choose another file with --database"
    )


def _sign(opened: int, now: datetime, shards: int | None = None) -> None:
    """Leaves word of who holds the lock; nothing but the number of shards is ever read by a program."""
    note = {"pid": os.getpid(), "since": now.isoformat(timespec="seconds")}
    with contextlib.suppress(OSError):
        os.ftruncate(opened, 0)
        os.pwrite(opened, json.dumps(note | ({"shards": shards} if shards else {})).encode(), 0)


def _note(opened: int) -> dict[str, Any]:
    """What the holder has left; nothing where it has not signed yet, or the disk is full."""
    try:
        note = json.loads(os.pread(opened, 1000, 0))
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}


def _holder(opened: int) -> str:
    try:
        note = _note(opened)
        since = datetime.fromisoformat(note["since"])
        return f"process {int(note['pid'])}, since {since:%Y-%m-%d %H:%M:%S %Z}".strip()
    except (ValueError, KeyError, TypeError):
        return "another process"
