"""Counts by day: buckets, rates, and what counts as a trend."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.trends import Tally, Trend, a_day, buckets, share, trend

MONDAY = date(2026, 9, 7)
WORKDAYS = [day for n in range(60) if (day := MONDAY + timedelta(days=n)).weekday() < 5]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([0, 0, 0, 0, 0, 0], None),
        ([], None),
        ([64], None),
        ([1, 1, 1, 9, 9], None),
        ([1, 1, 2, 1, 2, 1], Trend.STEADY),
        ([1, 1, 1, 9, 9, 9], Trend.RISING),
        ([9, 9, 9, 5, 1, 1, 1], Trend.FALLING),
        ([0, 0, 0, 0, 0, 4], Trend.STEADY),
        ([0, 0, 0, 0, 0, 5], Trend.RISING),
        ([100, 100, 100, 110, 110, 110], Trend.STEADY),
    ],
)
def test_a_trend_is_more_than_chance(counts: list[int], expected: Trend | None) -> None:
    assert trend(counts) is expected
    assert trend(counts[::-1]) == (None if expected is None else -expected)


def test_buckets_are_days_weeks_or_months() -> None:
    days = WORKDAYS[:12]
    assert [bucket.days for bucket in buckets(days, 30)] == [(day,) for day in days]
    weeks = buckets(days, 90)
    assert [(week.first, len(week.days)) for week in weeks] == [
        (MONDAY, 5),
        (MONDAY + timedelta(days=7), 5),
        (MONDAY + timedelta(days=14), 2),
    ]
    assert [month.first for month in buckets(WORKDAYS, 365)] == [
        date(2026, 9, 1),
        date(2026, 10, 1),
        date(2026, 11, 1),
    ]


@given(st.sets(st.sampled_from(WORKDAYS)), st.sampled_from([7, 35, 36, 210, 211, 900]))
def test_every_day_is_in_one_bucket(days: set[date], span: int) -> None:
    ordered = sorted(days)
    made = buckets(ordered, span)
    assert [day for bucket in made for day in bucket.days] == ordered
    assert all(bucket.first <= bucket.days[0] for bucket in made)


def test_a_week_with_a_holiday_compares_with_a_whole_one() -> None:
    tally = Tally(dict.fromkeys(WORKDAYS, 4), WORKDAYS[0])
    whole, short = buckets([*WORKDAYS[:5], *WORKDAYS[6:9]], 90)
    assert (a_day(tally, whole), a_day(tally, short)) == (4, 4)
    every = Tally(dict.fromkeys(WORKDAYS, 16), WORKDAYS[0])
    assert share(tally, every, short) == 25
    assert share(tally, Tally({}, WORKDAYS[0]), short) is None


def test_what_was_not_counted_whole_is_not_known() -> None:
    late = Tally({WORKDAYS[3]: 2}, WORKDAYS[3])
    first, second = buckets([*WORKDAYS[:5], *WORKDAYS[5:7]], 90)
    assert (a_day(late, first), a_day(late, second)) == (None, 0)
    assert share(late, Tally(dict.fromkeys(WORKDAYS, 1), MONDAY), first) is None
    assert late.of(WORKDAYS[2:5]) == [0, 2, 0]
    assert late.total == 2
