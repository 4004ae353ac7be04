"""How many papers a day a query finds, over the last days: one answer for /try, /subscribe and /mute."""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

from bot.commands.visit import Visit
from bot.render.charts import DailyCounts
from bot.render.trial import SPAN
from scheduler import query, trends
from scheduler.query import Query


class Days(NamedTuple):
    """The first and the last of some days."""

    first: date
    last: date


def last_days(visit: Visit) -> Days | None:
    """The days that a query is tried on, None in an empty archive."""
    newest = visit.store.archive.newest_date()
    if newest is None:
        return None
    last = min(newest, visit.now.date())
    return Days(last - timedelta(days=SPAN - 1), last)


def daily_counts(visit: Visit, parsed: Query, name: str) -> DailyCounts | None:
    """How much news a query found on each of the last days that its dates leave, None in an empty archive."""
    span, today = last_days(visit), visit.now.date()
    if span is None:
        return None
    begin, end = parsed.span(today)
    first, last = max(span.first, begin or span.first), min(span.last, end or span.last)
    if first > last:
        first, last = span
    (tally,) = visit.store.archive.tallies([query.as_news(parsed)], first, last, today=today)
    days = tuple(sorted({*visit.store.archive.dates(first, last), *tally.counts}))
    counts = tuple(tally.of(days))
    return DailyCounts(name, days, counts, trends.trend(counts), (last - first).days + 1)
