"""Several queries over a while: the picture, its numbers in the text, and its finding in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from bot.locale import Translator
from bot.markup import Block, LineKind, Span, Style
from bot.ports import Picture
from bot.render.charts import axis_names, rounded, with_trend
from bot.render.paper_words import code, dotted, line
from bot.render.pictures import Axes, Named, lines, writable
from bot.render.view import View
from scheduler.trends import DAILY, WEEKLY, Trend

MARKS = "●■▲◆▼"
"""The markers of the picture's lines, in their order."""

UNKNOWN = "-"

PLACES = 4
"""Dates along the axis: the names of the lines take a third of the width."""


@dataclass(frozen=True, slots=True)
class Course:
    """How one query went: papers a day (or per cent of all papers) in each bucket, None where that is not known.

    `mean` is the same over all days that were counted, 0 where none was.
    """

    name: str
    values: tuple[float | None, ...]
    mean: float
    total: int
    trend: Trend | None

    @property
    def last(self) -> float:
        """The newest value that is known, 0 where none is."""
        return next((value for value in reversed(self.values) if value is not None), 0.0)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Courses side by side. `buckets` names each value by a date; `since` is the first date that was counted.

    With `is_all` nothing in the archive is older than `first`.
    """

    courses: tuple[Course, ...]
    buckets: tuple[date, ...]
    first: date
    last: date
    in_share: bool
    since: date
    is_all: bool = False

    @property
    def span(self) -> int:
        """Days that are looked at."""
        return (self.last - self.first).days + 1


def comparison_blocks(shown: Comparison, view: View) -> tuple[Block, ...]:
    """What stands below the picture: each query with its rate and trend, then all numbers by date."""
    t = view.t
    head = dotted(
        Span(_finding(shown, t), Style.BOLD),
        t.n(
            "{count} day until {date}",
            "{count} days until {date}",
            shown.span,
            date=t.short_date(shown.last, year=True),
        ),
        kind=LineKind.TEXT,
    )
    courses = [
        dotted(
            f"{number} {MARKS[number - 1]} {course.name}",
            with_trend(_rate(course.mean, shown, t), course.trend, t),
            t.n("{count} paper", "{count} papers", course.total),
            kind=LineKind.TEXT,
        )
        for number, course in enumerate(shown.courses, start=1)
    ]
    blocks = [
        Block((head, *courses)),
        Block((line(_unit(shown, t)), *(line(row, kind=LineKind.PRE) for row in number_rows(shown, t)))),
    ]
    if shown.is_all:
        note = t("Nothing in the archive is older than {date}.", date=t.short_date(shown.first, year=True))
        blocks.append(Block((line(note),)))
    if len(shown.courses) == 1 and " " in shown.courses[0].name:
        blocks.append(
            Block((line(t("To compare several, write commas between them:"), " ", code("/trends RL, VLA")),))
        )
    if shown.since > shown.first:
        note = t(
            "Counted since {date}: farther back took too long.", date=t.short_date(shown.since, year=True)
        )
        blocks.append(Block((line(note),)))
    return tuple(blocks)


def number_rows(shown: Comparison, t: Translator) -> tuple[str, ...]:
    """A row for each bucket: its date, then the value of each query in order; a row of their numbers first."""
    cells = [[_number(value, t) for value in course.values] for course in shown.courses]
    wide = max((len(cell) for column in cells for cell in column), default=1)
    form = "%Y-%m" if shown.span > WEEKLY else "%m-%d"
    dates = [f"{day:{form}}" for day in shown.buckets]
    blank = " " * (len(dates[0]) if dates else 0)
    head = "  ".join([blank, *(f"{number:>{wide}}" for number in range(1, len(cells) + 1))])
    rows = [
        "  ".join([day, *(f"{column[place]:>{wide}}" for column in cells)]) for place, day in enumerate(dates)
    ]
    return (head, *rows)


def _number(value: float | None, t: Translator) -> str:
    return UNKNOWN if value is None else rounded(value, t)


def _rate(rate: float, shown: Comparison, t: Translator) -> str:
    if shown.in_share:
        return t("{share} % of all papers", share=rounded(rate, t))
    return t("{count} a day", count=rounded(rate, t))


def _finding(shown: Comparison, t: Translator) -> str:
    """ "world model is rising", else who has the most, if anybody has something."""
    most = _leading(shown)
    if len(shown.courses) > 1 and _rising(shown) == [most]:
        return t("{query} is rising", query=most.name)
    if not most.total:
        return t("Nothing found in these days")
    rate = _rate(most.mean, shown, t)
    if len(shown.courses) == 1:
        return t("{query}: {finding}", query=most.name, finding=with_trend(rate, most.trend, t))
    return t("{query} has the most: {rate}", query=most.name, rate=rate)


def _rising(shown: Comparison) -> list[Course]:
    return [course for course in shown.courses if course.trend is Trend.RISING]


def _leading(shown: Comparison) -> Course:
    """Whom the finding is about: the only one that rises, else the one with the most."""
    rising = _rising(shown)
    return rising[0] if len(rising) == 1 else max(shown.courses, key=lambda course: course.mean)


def _unit(shown: Comparison, t: Translator) -> str:
    if shown.span <= DAILY:
        return t("% of all papers") if shown.in_share else t("papers a day")
    if shown.span <= WEEKLY:
        return t("% of all papers, by week") if shown.in_share else t("papers a day, by week")
    return t("% of all papers, by month") if shown.in_share else t("papers a day, by month")


def comparison_picture(shown: Comparison, t: Translator, font: Path | None) -> Picture:
    """The lines with the finding as title; a query that the font cannot write goes by its number."""
    said = _finding(shown, t)
    series = [
        Named(writable(course.name, font) or str(number), course.values)
        for number, course in enumerate(shown.courses, start=1)
    ]
    title, unit = writable(said, font), writable(_unit(shown, t), font)
    names = axis_names(shown.buckets, t, font, PLACES, of_months=shown.span > WEEKLY)
    axes = Axes(title, unit, names, subject=writable(_leading(shown).name, font))
    if not (title and unit):  # words that the font has no letters for stay in the text
        bare = "%" if shown.in_share else "/ d"
        span = f"{shown.first.isoformat()} - {shown.last.isoformat()}"
        axes = Axes(_bare_title(series, shown, bare), span, axes.places)
    described = t(
        "Lines from {first} to {last}: {courses}. {finding}.",
        first=t.short_date(shown.first, year=True),
        last=t.short_date(shown.last, year=True),
        courses=t.row(_described(course, shown, t) for course in shown.courses),
        finding=said,
    )
    return Picture("trends.png", lines(axes, series, font), described, _rows_of_letters(shown.courses))


def _bare_title(series: Sequence[Named], shown: Comparison, unit: str) -> str:
    most = max(range(len(series)), key=lambda place: shown.courses[place].mean)
    return f"{series[most].name}: {shown.courses[most].mean:.1f} {unit}"


def _described(course: Course, shown: Comparison, t: Translator) -> str:
    rate = with_trend(_rate(course.mean, shown, t), course.trend, t)
    return t("“{query}” {rate}", query=course.name, rate=rate)


def _rows_of_letters(courses: Sequence[Course]) -> tuple[str, ...]:
    """Each course in blocks of eight heights, all of one scale: ▁▂▅█."""
    most = max((value for course in courses for value in course.values if value is not None), default=0) or 1
    return tuple(
        "".join(
            " " if value is None else "▁▂▃▄▅▆▇█"[min(int(8 * value / most), 7)] for value in course.values
        )
        + f"  {MARKS[number]} {course.name}"
        for number, course in enumerate(courses)
    )
