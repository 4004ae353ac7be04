"""Announcement days and their moments (arXiv "Availability of submissions")."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from scheduler import calendar
from tests import rounds


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
    days = rounds.announcement_days(date(2026, 9, 4), date(2026, 9, 9))
    assert days == (date(2026, 9, 4), date(2026, 9, 7), date(2026, 9, 9))
    assert rounds.announcement_days(date(2026, 9, 9), date(2026, 9, 4)) == ()


def test_a_year_without_data_has_the_holidays_that_are_expected() -> None:
    assert calendar.expected_holidays(2027) == {
        date(2027, 1, 1): "New Year's Day",
        date(2027, 1, 18): "Martin Luther King Jr. Day",
        date(2027, 6, 18): "Juneteenth",  # a Saturday: kept on the Friday
        date(2027, 7, 5): "Independence Day",  # a Sunday: kept on the Monday
        date(2027, 9, 6): "Labor Day",
        date(2027, 11, 25): "Thanksgiving",
        date(2027, 12, 24): "Christmas",
    }
    assert calendar.holiday(date(2027, 9, 6)) == "Labor Day"
    assert not calendar.is_certain(date(2027, 9, 6))
    assert calendar.is_certain(date(2026, 9, 7))
    assert not calendar.is_announcement_day(date(2027, 9, 7))
    assert calendar.holiday(date(2026, 5, 25)) == ""


def test_the_rule_expects_nothing_that_arxiv_did_not_keep_in_2026() -> None:
    assert set(calendar.expected_holidays(2026).items()) <= set(calendar.HOLIDAYS[2026].items())


@pytest.mark.parametrize("year", range(2020, 2050))
def test_every_year_has_seven_holidays_in_order_of_sense(year: int) -> None:
    found = calendar.expected_holidays(year)
    assert len(found) == len(set(found.values())) == 7
    assert all(day.weekday() < 5 for day in found)
