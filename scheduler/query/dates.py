"""Dates in a query: days, months, years, and spans that end today."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

_DAY = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
_SPAN = re.compile(r"(\d{1,3})([dwmy])")
_SPAN_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_WORDS = {"today": "0d", "yesterday": "1d"}


class Bound(StrEnum):
    """Which side of a date is meant."""

    SINCE = "since"
    UNTIL = "until"
    ON = "on"


@dataclass(frozen=True, slots=True, order=True)
class DateLimit:
    """One date filter. `when` is canonical: "2026-09-01", "2026-09", "2026", or days before today ("7d")."""

    bound: Bound
    when: str

    def __str__(self) -> str:
        return f"{self.bound}:{self.when}"

    def span(self, today: date) -> tuple[date | None, date | None]:
        """The first and the last announcement date that is let through, None for an open side."""
        first, last = _days(self.when, today)
        return (None if self.bound is Bound.UNTIL else first, None if self.bound is Bound.SINCE else last)


def canonical_when(text: str) -> str | None:
    """`text` as `DateLimit.when`, None when it is no date.

    Understands YYYY-MM-DD, YYYYMMDD, YYYY-MM and YYYY (also with / or . between), 7d, 2w, 3m, 1y (a month is 30
    days, a year 365), today and yesterday.
    """
    word = _WORDS.get(text.lower(), text.lower())
    if span := _SPAN.fullmatch(word):
        return f"{int(span[1])}{span[2]}"
    found = _DAY.fullmatch(word) or _COMPACT.fullmatch(word)
    if found is None:
        return None
    year, *rest = (int(part) for part in found.groups() if part)
    try:
        date(year, *[*rest, 1, 1][:2])
    except ValueError:
        return None
    return "-".join((f"{year:04}", *(f"{part:02}" for part in rest)))


def _days(when: str, today: date) -> tuple[date, date]:
    span = _SPAN.fullmatch(when)
    if span:
        back = timedelta(days=int(span[1]) * _SPAN_DAYS[span[2]])
        day = today - back if back < today - date.min else date.min
        return day, day
    year, *rest = (int(part) for part in when.split("-"))
    if len(rest) == 2:
        return date(year, *rest), date(year, *rest)
    if rest:
        return date(year, rest[0], 1), date(year, rest[0], monthrange(year, rest[0])[1])
    return date(year, 1, 1), date(year, 12, 31)


def narrowest(limits: tuple[DateLimit, ...], today: date) -> tuple[date | None, date | None]:
    """The first and the last date that every one of `limits` lets through, None for an open side."""
    spans = [limit.span(today) for limit in limits]
    firsts = [first for first, _ in spans if first is not None]
    lasts = [last for _, last in spans if last is not None]
    return max(firsts, default=None), min(lasts, default=None)
