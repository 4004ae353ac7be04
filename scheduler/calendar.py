"""Announcement days: when arXiv announces, what a date's announcement is called, and what to expect next.

The list dated day D is announced at 20:00 US Eastern on D-1, Sunday to Thursday, so D is Monday to Friday
(arXiv "Availability of submissions"). A holiday H has no announcement on its evening, so the list of the next day is
empty (arXiv RSS help; seen on 2025-12-31). The calendar tunes expectations and words only; probing decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

NEW_YORK = ZoneInfo("America/New_York")
ANNOUNCED_AT = time(20, 0)

HOLIDAYS: dict[int, dict[date, str]] = {
    2026: {
        date(2026, 1, 1): "New Year's Day",
        date(2026, 1, 19): "Martin Luther King Jr. Day",
        date(2026, 6, 19): "Juneteenth",
        date(2026, 7, 3): "Independence Day",
        date(2026, 9, 7): "Labor Day",
        date(2026, 11, 26): "Thanksgiving",
        date(2026, 12, 25): "Christmas",
        date(2026, 12, 29): "the winter break",
        date(2026, 12, 31): "New Year's Eve",
    }
}
"""arXiv's holidays by year with their names: the days are those of its availability page (edited 2026-01-08).

A year that is not here has the holidays of `expected_holidays`.
"""


_FIXED = {
    (1, 1): "New Year's Day",
    (6, 19): "Juneteenth",
    (7, 4): "Independence Day",
    (12, 25): "Christmas",
}
_MONDAY, _THURSDAY = 0, 3
_MOVING = {
    (1, _MONDAY, 3): "Martin Luther King Jr. Day",
    (9, _MONDAY, 1): "Labor Day",
    (11, _THURSDAY, 4): "Thanksgiving",
}
"""Month, weekday, and the how manieth of the month."""


def holiday(evening: date) -> str:
    """The name of the holiday on which no announcement is expected in the evening, "" on every other day."""
    return _holidays(evening.year).get(evening, "")


def is_certain(evening: date) -> bool:
    """True for a year whose holidays arXiv has named; those of any other year are only expected."""
    return evening.year in HOLIDAYS


@lru_cache(maxsize=16)
def _holidays(year: int) -> Mapping[date, str]:
    return HOLIDAYS[year] if year in HOLIDAYS else expected_holidays(year)


def expected_holidays(year: int) -> dict[date, str]:
    """The holidays to be expected in a year that arXiv has not named any for.

    Those of the United States that it keeps year after year: its lists leave out others, and which days of the winter
    break are free changes. One on a Saturday is kept on the Friday before it, one on a Sunday on the Monday after it
    (5 U.S.C. 6103).
    """
    found = {_kept_on(date(year, *day)): name for day, name in _FIXED.items()}
    for (month, weekday, count), name in _MOVING.items():
        first = date(year, month, 1)
        offset = (weekday - first.weekday()) % 7 + 7 * (count - 1)
        found[first + timedelta(days=offset)] = name
    return found


def _kept_on(day: date) -> date:
    moved = {5: -1, 6: 1}
    return day + timedelta(days=moved.get(day.weekday(), 0))


def announced_at(day: date) -> datetime:
    """The moment the list dated `day` is announced: 20:00 in New York on the evening before."""
    return datetime.combine(day - timedelta(days=1), ANNOUNCED_AT, NEW_YORK)


def is_announcement_day(day: date) -> bool:
    """True when a list dated `day` is expected: Monday to Friday, and the evening before was no holiday."""
    return is_weekday(day) and not holiday(day - timedelta(days=1))


def is_weekday(day: date) -> bool:
    """True when a list dated `day` is possible at all, on holidays too: Monday to Friday."""
    return day.weekday() < 5


def feed_due(day: date) -> datetime:
    """The moment the feed of `day` is built: midnight in New York (arXiv RSS help)."""
    return datetime.combine(day, time(), NEW_YORK)


def newest_day(now: datetime) -> date:
    """The date of the newest list that is expected to be out at `now` (aware)."""
    local = now.astimezone(NEW_YORK)
    day = local.date() + timedelta(days=1)
    while not is_announcement_day(day) or announced_at(day) > now:
        day -= timedelta(days=1)
    return day


def possible_day(now: datetime) -> date:
    """The date of the newest list that can be out at `now` (aware), whatever the holidays say."""
    local = now.astimezone(NEW_YORK)
    day = local.date() + timedelta(days=1)
    while not is_weekday(day) or announced_at(day) > now:
        day -= timedelta(days=1)
    return day


def next_day(now: datetime) -> date:
    """The date of the first list that is still to be announced at `now` (aware)."""
    day = now.astimezone(NEW_YORK).date()
    while not is_announcement_day(day) or announced_at(day) <= now:
        day += timedelta(days=1)
    return day


def possible_days(first: date, last: date) -> tuple[date, ...]:
    """Every date from `first` to `last`, both included, on which a list is possible, oldest first."""
    span = (last - first).days + 1
    days = (first + timedelta(days=offset) for offset in range(max(span, 0)))
    return tuple(day for day in days if is_weekday(day))
