"""The days of announcements, and a whole round of digests planned at once."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

from scheduler import calendar
from scheduler.editions import Planner, Work
from scheduler.planning import Render, round_at
from scheduler.store import Store


def planned(store: Store, now: datetime, render: Render, categories: Iterable[str] = ()) -> int:
    """Plans all that is due at `now`, and returns how many digests were planned."""
    planner, work, count = Planner(render), Work(round_at(store, now, categories)), 0
    while not work.is_over:
        count += planner.step(store, work)
    return count


def announcement_days(first: date, last: date) -> tuple[date, ...]:
    """Every date from `first` to `last`, both included, on which an announcement is expected, oldest first."""
    return tuple(day for day in calendar.possible_days(first, last) if calendar.is_announcement_day(day))
