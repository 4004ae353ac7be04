"""Who may ask a source next: the pace, the pauses that servers asked for, and the waiting after failures.

All of it stands on one `Board`, in this process (`LocalTurns`) or in a small file beside the database
(`SharedTurns`), so that every Paperboy that works on that database takes turns with the others: whoever
holds the board is the only one that asks. The file is locked by the kernel (flock), which lets go when a
process ends, however it ends: nobody can lock it for ever.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from scheduler.errors import SourceUnavailable, StoreError

LONGEST_HOLD = 600.0
"""Seconds to wait for another process's request; none takes so long."""
LOOK_AGAIN = 0.05
"""Seconds between two looks whether the other process is done."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Until when something is left alone: `free_at` ends a pause of `pause` seconds.

    `is_told` says that the server asked for it; `failures` counts those since the last success.
    """

    free_at: float = 0.0
    pause: float = 0.0
    is_told: bool = False
    failures: int = 0

    def left(self, now: float) -> float:
        """Seconds that are left of the pause; never more than all of it, should the clock have been set back."""
        return max(0.0, min(self.free_at - now, self.pause))


@dataclass(slots=True)
class Board:
    """The standings by name; `keep` makes them outlast this process where they can."""

    standings: dict[str, Standing] = field(default_factory=dict)
    write: Callable[[Mapping[str, Standing]], None] = lambda standings: None

    def of(self, name: str) -> Standing:
        """One standing; a new one for a name that has none."""
        return self.standings.get(name, Standing())

    def pause(
        self, name: str, now: float, seconds: float, *, is_told: bool = False, failures: int = 0
    ) -> None:
        """Leaves `name` alone for so many seconds from `now` on."""
        self.standings[name] = Standing(now + seconds, seconds, is_told, failures)

    def keep(self) -> None:
        """Writes the standings down, if they live anywhere but here."""
        self.write(self.standings)


class Turns(Protocol):
    """Gives the board to one asker at a time."""

    def held(self) -> AbstractAsyncContextManager[Board]:
        """The board, which nobody else has until the context ends; what was changed on it is kept."""


class LocalTurns:
    """The turns of one process and one event loop."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._board = Board()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[Board]:
        """The board of this process."""
        async with self._lock:
            yield self._board


class SharedTurns:
    """The turns of every process that names the same file. Times on its board are seconds since 1970."""

    def __init__(self, path: Path, *, longest_hold: float = LONGEST_HOLD) -> None:
        self._path = path
        self._longest_hold = longest_hold
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[Board]:
        """The board in the file. Raises StoreError where the file cannot be used, SourceUnavailable when
        another process holds it beyond all sense."""
        async with self._lock:
            opened = self._open()
            try:
                await self._locked(opened)
                board = Board(_read(opened), lambda standings: self._write(opened, standings))
                try:
                    yield board
                finally:
                    board.keep()
            finally:
                os.close(opened)

    def _open(self) -> int:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(f"cannot use {self._path}: {error.strerror}; check PAPERBOY_DATABASE") from error

    async def _locked(self, opened: int) -> None:
        """Waits for the lock without holding up the event loop (flock itself would)."""
        waited = 0.0
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            if waited >= self._longest_hold:
                raise SourceUnavailable("arxiv", f"another Paperboy has held {self._path.name} for too long")
            await asyncio.sleep(LOOK_AGAIN)
            waited += LOOK_AGAIN

    def _write(self, opened: int, standings: Mapping[str, Standing]) -> None:
        written = json.dumps({name: asdict(standing) for name, standing in standings.items()}).encode()
        try:
            os.pwrite(opened, written, 0)
            os.ftruncate(opened, len(written))
        except OSError as error:
            raise StoreError(f"cannot write {self._path}: {error.strerror}") from error


def _standing(free_at: float, pause: float, is_told: bool, failures: int) -> Standing:
    return Standing(float(free_at), float(pause), bool(is_told), int(failures))


def _read(opened: int) -> dict[str, Standing]:
    """The standings in the file; what cannot be read (a crash in the middle of a write) counts as none."""
    try:
        read: Any = json.loads(os.pread(opened, 100_000, 0) or b"{}")
        return {str(name): _standing(**standing) for name, standing in read.items()}
    except (ValueError, TypeError, AttributeError):
        return {}
