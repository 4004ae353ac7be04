"""How many papers a day a query finds, over a while: counts by day into buckets, a rate, and whether it rises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import IntEnum
from itertools import groupby
from math import sqrt

DAILY, WEEKLY = 35, 210
"""The longest spans in days whose buckets are days, and weeks; those of longer spans are months."""

FEWEST = 6
"""Announcement days that a trend can be told from: more than one week's."""

_BEYOND_CHANCE = 2.0


@dataclass(frozen=True, slots=True)
class Tally:
    """Hits by announcement date, days without one left out.

    `since` is the first date that was counted: later than the one asked for where the time was up.
    """

    counts: Mapping[date, int]
    since: date

    @property
    def total(self) -> int:
        """All hits."""
        return sum(self.counts.values())

    def of(self, days: Sequence[date]) -> list[int]:
        """The hits of each of `days`."""
        return [self.counts.get(day, 0) for day in days]


class Trend(IntEnum):
    """Where a count is going."""

    FALLING = -1
    STEADY = 0
    RISING = 1


def trend(counts: Sequence[int]) -> Trend | None:
    """Whether the later half has more than the earlier one, beyond what chance does; None for too few days or none.

    The difference of two Poisson counts has the square root of their sum as its standard deviation; two of them count.
    """
    if len(counts) < FEWEST or not any(counts):
        return None
    half = len(counts) // 2
    earlier, later = sum(counts[:half]), sum(counts[len(counts) - half :])
    far = _BEYOND_CHANCE * sqrt(earlier + later)
    if abs(later - earlier) <= far:
        return Trend.STEADY
    return Trend.RISING if later > earlier else Trend.FALLING


@dataclass(frozen=True, slots=True)
class Bucket:
    """The announcement days of one day, week (from Monday) or month; `first` names it."""

    first: date
    days: tuple[date, ...]


def buckets(days: Sequence[date], span: int) -> tuple[Bucket, ...]:
    """Announcement days, oldest first, in buckets that suit a span of so many days."""
    if span <= DAILY:
        return tuple(Bucket(day, (day,)) for day in days)
    first_of = _monday if span <= WEEKLY else _month
    return tuple(Bucket(first, tuple(run)) for first, run in groupby(days, key=first_of))


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _month(day: date) -> date:
    return day.replace(day=1)


def a_day(tally: Tally, bucket: Bucket) -> float | None:
    """Papers a day in a bucket, so that weeks with holidays compare; None for what was not counted whole."""
    if bucket.days[0] < tally.since:
        return None
    return sum(tally.of(bucket.days)) / len(bucket.days)


def share(tally: Tally, every: Tally, bucket: Bucket) -> float | None:
    """Hits in per cent of `every` paper of a bucket; None for what was not counted whole."""
    if bucket.days[0] < max(tally.since, every.since):
        return None
    papers = sum(every.of(bucket.days))
    return 100 * sum(tally.of(bucket.days)) / papers if papers else None
