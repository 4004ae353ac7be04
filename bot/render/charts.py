"""Counts over days as pictures with their words: what is drawn, what stands in the text, what a screen reader says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from bot.locale import N_, Translator
from bot.ports import Picture
from bot.render.pictures import Axes, bars, writable
from scheduler.trends import Trend

BAR = 24
"""Letters of the longest bar where there are no pictures."""

PLACES = 5
"""Dates along an axis."""

_WORKDAYS = 5
"""arXiv announces on five days a week."""

_GOING = {
    Trend.RISING: N_("{rate}, rising"),
    Trend.FALLING: N_("{rate}, falling"),
    Trend.STEADY: N_("{rate}, steady"),
}


@dataclass(frozen=True, slots=True)
class DailyCounts:
    """How many papers a query found on each announcement day of a `span` in days, oldest first.

    `name` is the query as it was typed.
    """

    name: str
    days: tuple[date, ...]
    counts: tuple[int, ...]
    trend: Trend | None
    span: int

    @property
    def rate(self) -> float:
        """Papers a day."""
        return sum(self.counts) / max(len(self.counts), 1)


def rate_words(rate: float, t: Translator) -> str:
    """ "About 3 a day"; what is less than one a day by the week."""
    if rate >= 1:
        return t("About {count} a day", count=rounded(rate, t))
    weekly = rate * _WORKDAYS
    if weekly >= 1:
        return t("About {count} a week", count=rounded(weekly, t))
    return t("Less than one a week")


def rounded(rate: float, t: Translator) -> str:
    """ "26", "3.5", "2"."""
    return t.number(round(rate)) if rate >= 10 or rate == round(rate) else f"{rate:.1f}".removesuffix(".0")


def finding(shown: DailyCounts, t: Translator) -> str:
    """ "About 3 a day, rising"."""
    rate = rate_words(shown.rate, t)
    return with_trend(rate, shown.trend, t)


def with_trend(rate: str, trend: Trend | None, t: Translator) -> str:
    """ "About 3 a day" → "About 3 a day, rising"; as it is where no trend can be told."""
    return rate if trend is None else t(_GOING[trend], rate=rate)


def daily_picture(shown: DailyCounts, t: Translator, font: Path | None) -> Picture:
    """The bars of the days with the finding as title."""
    said = finding(shown, t)
    names = axis_names(shown.days, t, font)
    unit = writable(t("papers a day"), font)
    title = writable(t("{query}: {finding}", query=shown.name, finding=_lower(said, t)), font) or writable(
        said, font
    )
    axes = Axes(title, unit, names, subject=writable(shown.name, font))
    if not (title and unit):  # words that the font has no letters for stay in the text
        name = writable(shown.name, font)
        rate = f"{shown.rate:.1f} / d"
        span = f"{shown.days[0].isoformat()} - {shown.days[-1].isoformat()}"
        axes = Axes(f"{name}: {rate}" if name else rate, span, names, shown.trend)
    described = t(
        "Bars: how many papers “{query}” finds on each day from {first} to {last}. {finding}.",
        query=shown.name,
        first=t.short_date(shown.days[0]),
        last=t.short_date(shown.days[-1], year=True),
        finding=said,
    )
    return Picture("papers-a-day.png", bars(axes, shown.counts, font), described, _bars_of_letters(shown, t))


def _lower(sentence: str, t: Translator) -> str:
    return sentence[:1].lower() + sentence[1:] if t.lang == "en" else sentence


def axis_names(
    days: Sequence[date], t: Translator, font: Path | None, most: int = PLACES, *, of_months: bool = False
) -> list[tuple[int, str]]:
    """At most so many dates (or months) along an axis, the last one among them."""
    step = max(1, -(-len(days) // most))
    places = sorted(range(len(days) - 1, -1, -step))
    if of_months:
        return [
            (place, writable(t.short_month(days[place]), font) or f"{days[place]:%Y-%m}") for place in places
        ]
    return [(place, writable(t.short_date(days[place]), font) or f"{days[place]:%m-%d}") for place in places]


def _bars_of_letters(shown: DailyCounts, t: Translator) -> tuple[str, ...]:
    most = max([*shown.counts, 1])
    wide = max(len(str(count)) for count in shown.counts)
    return tuple(
        f"{day:%m-%d} {t.weekday(day)}  {count:>{wide}}  {'█' * -(-BAR * count // most)}".rstrip()
        for day, count in zip(shown.days, shown.counts, strict=True)
    )


def number_lines(shown: DailyCounts) -> tuple[str, ...]:
    """The counts in lines of one week each, behind the week's first announcement day: "08-31   2  4  4  1  2"."""
    wide = max(len(str(count)) for count in shown.counts)
    weeks: dict[tuple[int, int], list[str]] = {}
    for day, count in zip(shown.days, shown.counts, strict=True):
        week = weeks.setdefault(day.isocalendar()[:2], [f"{day:%m-%d}"])
        week.append(f"{count:>{wide}}")
    return tuple("  ".join(week) for week in weeks.values())
