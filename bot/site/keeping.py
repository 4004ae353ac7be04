"""`paperboy run` keeps a site up to date: after a day is complete, and now and then for what else has changed.

The pages are made by a process of its own, so that nobody is answered later because of them.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from scheduler import planning
from scheduler.store import Store
from scheduler.store.thread import StoreThread

logger = logging.getLogger(__name__)

LOOKED_AT = 30
"""Days that are looked at: older ones change by `paperboy site` alone."""

NOW_AND_THEN = timedelta(hours=1)
"""So long at most until a page shows what has changed in a day that was complete: a translation, a withdrawal."""

_RECENT = timedelta(days=10)

Stamp = tuple[tuple[object, ...], ...]


class Keeper:
    """Looks whether the site is due, and has it written by `command` (its options follow)."""

    def __init__(
        self,
        store: StoreThread,
        command: Sequence[str],
        categories: Sequence[str],
        clock: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._command = tuple(command)
        self._categories = tuple(categories)
        self._clock = clock
        self._seen: Stamp = ()
        self._done: datetime | None = None

    async def write_if_due(self) -> None:
        """Writes the site when the newest day is complete and something has come since the last time."""
        now = self._clock()
        seen = await self._store.call(lambda store: stamp(store, self._categories, now))
        if seen is None or (seen == self._seen and self._done and now - self._done < NOW_AND_THEN):
            return
        await self._write()
        # After a failure too: it is told once, and tried again when there is something new.
        self._seen, self._done = seen, now

    async def _write(self) -> None:
        process = await asyncio.create_subprocess_exec(
            *self._command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        try:
            out, err = await process.communicate()
        except asyncio.CancelledError:
            process.terminate()
            await process.wait()
            raise
        if process.returncode:
            logger.warning(
                "the site is not up to date: %s", _last_line(err) or f"status {process.returncode}"
            )
        else:
            logger.info("The site is up to date: %s", _last_line(out))


def stamp(store: Store, categories: Sequence[str], now: datetime) -> Stamp | None:
    """What the last days have, to be compared; None while the newest day is still coming in."""
    wanted = planning.wanted_categories(store, categories)
    if not planning.is_settled(store, now, wanted):
        return None
    newest = planning.newest_day(store, now)
    batches = (
        batch for days in range(_RECENT.days) for batch in store.batches.on(newest - timedelta(days=days))
    )
    return tuple((one.category, one.date, one.state, one.received) for one in batches)


def command(database: str, folder: str, lang: str, base: str) -> tuple[str, ...]:
    """The command that writes the site in a process of its own."""
    options = ("--database", database, "--lang", lang, "--days", str(LOOKED_AT))
    return (sys.executable, "-m", "bot", "site", *options, *(("--base-url", base) if base else ()), folder)


def _last_line(written: bytes) -> str:
    lines = written.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("paperboy: ") if lines else ""
