"""Announcement days and their moments (arXiv "Availability of submissions")."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from scheduler import calendar


@pytest.mark.parametrize(
    ("day", "moment"),
    [
        (date(2026, 9, 29), datetime(2026, 9, 29, 0, 0, tzinfo=UTC)),
        (date(2026, 11, 30), datetime(2026, 11, 30, 1, 0, tzinfo=UTC)),
        (date(2026, 9, 28), datetime(2026, 9, 28, 0, 0, tzinfo=UTC)),
    ],
)
def test_a_list_is_announced_at_twenty_on_the_evening_before(day: date, moment: datetime) -> None:
    assert calendar.announced_at(day) == moment


def test_no_list_on_weekends_and_after_holidays() -> None:
    assert calendar.is_announcement_day(date(2026, 9, 28))
    assert not calendar.is_announcement_day(date(2026, 9, 26))
    assert not calendar.is_announcement_day(date(2026, 9, 27))
    # Labor Day is the 7th of September: no announcement that evening, so no list dated the 8th.
    assert calendar.is_announcement_day(date(2026, 9, 7))
    assert not calendar.is_announcement_day(date(2026, 9, 8))


@pytest.mark.parametrize(
    ("now", "newest", "following"),
    [
        (datetime(2026, 9, 28, 23, 59, tzinfo=UTC), date(2026, 9, 28), date(2026, 9, 29)),
        (datetime(2026, 9, 29, 0, 0, tzinfo=UTC), date(2026, 9, 29), date(2026, 9, 30)),
        (datetime(2026, 9, 26, 12, 0, tzinfo=UTC), date(2026, 9, 25), date(2026, 9, 28)),
        (datetime(2026, 9, 8, 12, 0, tzinfo=UTC), date(2026, 9, 7), date(2026, 9, 9)),
    ],
)
def test_the_newest_and_the_next_list(now: datetime, newest: date, following: date) -> None:
    assert calendar.newest_day(now) == newest
    assert calendar.next_day(now) == following


def test_days_between() -> None:
    days = calendar.announcement_days(date(2026, 9, 4), date(2026, 9, 9))
    assert days == (date(2026, 9, 4), date(2026, 9, 7), date(2026, 9, 9))
    assert calendar.announcement_days(date(2026, 9, 9), date(2026, 9, 4)) == ()
