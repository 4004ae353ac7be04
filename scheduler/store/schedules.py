"""A chat's schedule as columns of its row."""

from __future__ import annotations

from functools import lru_cache

from scheduler.models import Quiet, Schedule

SCHEDULE_COLUMNS = ("time", "zone", "weekdays", "at_announcement", "quiet", "says_nothing_new")


def schedule_row(schedule: Schedule) -> tuple[object, ...]:
    """A schedule as the columns `SCHEDULE_COLUMNS`."""
    return (
        schedule.time,
        schedule.zone,
        "".join(str(day) for day in sorted(schedule.weekdays)),
        schedule.at_announcement,
        str(schedule.quiet or ""),
        schedule.says_nothing_new,
    )


@lru_cache(maxsize=10_000)
def schedule_from(
    time: str, zone: str, weekdays: str, at_announcement: int, quiet: str, says_nothing_new: int
) -> Schedule:
    """The schedule of these columns; equal ones are one object."""
    return Schedule(
        time,
        zone,
        frozenset(int(day) for day in weekdays),
        bool(at_announcement),
        Quiet(*quiet.split("-")) if quiet else None,
        bool(says_nothing_new),
    )
