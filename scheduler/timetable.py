"""The only APScheduler: it ticks the jobs, and the database says what is due.

Jobs are coalesced, never overlap themselves, and however late a tick comes it is run (APScheduler would skip it after
one second by default).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from apscheduler.schedulers.asyncio import AsyncIOScheduler

# A job that outlasts its interval is no news (five feeds, three seconds apart); its next tick comes anyway.
logging.getLogger("apscheduler.scheduler").setLevel(logging.ERROR)


def _is_failure(record: logging.LogRecord) -> bool:
    """False for a job that was cancelled, even before its first step: APScheduler takes the stop for its failure."""
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


logging.getLogger("apscheduler.executors.default").addFilter(_is_failure)

Job = Callable[[], Awaitable[None]]


class Timetable:
    """Runs each job every so often until it is stopped."""

    def __init__(self) -> None:
        self._scheduler = AsyncIOScheduler(
            timezone="UTC",
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        )

    def every(self, interval: timedelta, name: str, job: Job, first: datetime) -> None:
        """Adds a job that runs at `first` (aware) and then once an interval; `name` must be its own."""
        self._scheduler.add_job(
            job,
            "interval",
            seconds=interval.total_seconds(),
            id=name,
            name=name,
            replace_existing=True,
            next_run_time=first,
        )

    def start(self) -> None:
        """Begins to tick on the running event loop."""
        self._scheduler.start()

    def stop(self) -> None:
        """Stops ticking; a job under way is cancelled, so the caller first lets go of what must be finished."""
        self._scheduler.shutdown(wait=False)
