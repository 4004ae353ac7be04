"""A stop is no failure of the job that it meets, at whatever step; a failure still is one."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta

import pytest

from scheduler.timetable import Job, Timetable


async def stopped_after(steps: int, job: Job) -> None:
    timetable = Timetable()
    timetable.every(timedelta(seconds=20), "learn", job, datetime.now(UTC))
    timetable.start()
    for _ in range(steps):
        await asyncio.sleep(0)
    timetable.stop()
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.parametrize("steps", range(6))
def test_a_stop_leaves_no_error_however_far_the_job_is(steps: int, caplog: pytest.LogCaptureFixture) -> None:
    begun: list[bool] = []

    async def job() -> None:
        begun.append(True)
        await asyncio.Event().wait()

    with caplog.at_level(logging.WARNING):
        asyncio.run(stopped_after(steps, job))
    assert not caplog.records
    assert bool(begun) or steps < 5


def test_a_job_that_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def job() -> None:
        raise ValueError("broken")

    asyncio.run(stopped_after(5, job))
    assert "broken" in caplog.text
