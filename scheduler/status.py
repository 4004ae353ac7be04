"""How the sources stand: each category's last announcement, what is known of today's, and when the next is expected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from scheduler import calendar
from scheduler.models import Batch
from scheduler.store import Store


@dataclass(frozen=True, slots=True)
class CategoryStatus:
    """One category: the record of its last announcement that is there, and that of the newest possible day.

    Each is None before there is any; both are the same once the newest day is there.
    """

    category: str
    last: Batch | None
    today: Batch | None


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """Every category, the next list that is expected, and the holidays on whose evenings there is none before it.

    `missing` are earlier days that are known to be missing or not whole, oldest first.
    """

    categories: tuple[CategoryStatus, ...]
    missing: tuple[Batch, ...]
    next_day: date
    next_at: datetime
    holidays: tuple[tuple[date, str], ...]


def sources(store: Store, categories: Iterable[str], now: datetime) -> SourceStatus:
    """How these categories stand at `now` (aware)."""
    names = tuple(categories)
    newest, following = calendar.possible_day(now), calendar.next_day(now)
    earlier = store.batches.unsettled(newest - timedelta(days=90), newest - timedelta(days=1))
    return SourceStatus(
        tuple(
            CategoryStatus(name, store.batches.newest(name), store.batches.of(name, newest)) for name in names
        ),
        tuple(batch for batch in earlier if batch.category in names),
        following,
        calendar.announced_at(following),
        holidays_before(following, now),
    )


def holidays_before(following: date, now: datetime) -> tuple[tuple[date, str], ...]:
    """The evenings (New York's dates) before the list dated `following` without an announcement, each with its name."""
    local = now.astimezone(calendar.NEW_YORK)
    today = local.date()
    if calendar.announced_at(today + timedelta(days=1)) <= now:
        today += timedelta(days=1)
    evenings = (today + timedelta(days=offset) for offset in range((following - today).days - 1))
    return tuple(
        (evening, calendar.holiday(evening))
        for evening in evenings
        if calendar.holiday(evening) and calendar.is_weekday(evening + timedelta(days=1))
    )
