"""What a query would bring, before anybody follows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.locale import N_, Translator
from bot.markup import Block, Line, LineKind
from bot.render.charts import DailyCounts, finding, number_lines, rate_words
from bot.render.paper_words import abstract_page, bold_link, code, dotted, line
from bot.render.search import Result
from bot.render.view import View
from scheduler.models import Platform
from scheduler.query import Near, Nearness, Query

FLOOD = 50
"""More papers a day than anybody reads."""

SPAN = 30
"""Days that are looked at."""

_KINDS = {
    Nearness.SPELLING: N_("another spelling"),
    Nearness.HYPHEN: N_("with a hyphen or in one word"),
    Nearness.ACRONYM: N_("abbreviated or spelt out"),
    Nearness.ENDING: N_("longer words"),
    Nearness.APART: N_("not side by side"),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """What is known of a query over the last days: its counts, examples, near misses and narrower queries.

    Each near miss comes with the number of papers that the query misses by it, each narrower query with how many a
    day it finds.
    """

    counts: DailyCounts
    examples: Sequence[Result]
    near: Sequence[tuple[Near, int]]
    narrower: Sequence[tuple[Query, float]]


def trial_blocks(trial: Trial, view: View) -> tuple[Block, ...]:
    """The answer to /try, short enough to stand below a picture."""
    t, counts = view.t, trial.counts
    head = [dotted(code(counts.name), _span(counts, t), kind=LineKind.TEXT), line(_sum(counts, t))]
    if counts.rate > FLOOD:
        head.append(line(_flood(trial, t)))
        head += [line(narrow_label(query, rate, t)) for query, rate in trial.narrower]
    blocks = [Block(tuple(head))]
    if view.platform is not Platform.CONSOLE:  # there the bars have their numbers
        blocks.append(Block(tuple(line(text, kind=LineKind.PRE) for text in number_lines(counts))))
    blocks += [Block(_example(result, view)) for result in trial.examples]
    if trial.near:
        near = [line(near_label(one, missed, t)) for one, missed in trial.near]
        blocks.append(Block((line(t("Not found by it, on the same days:")), *near)))
    return tuple(blocks)


def _span(counts: DailyCounts, t: Translator) -> str:
    until = t.short_date(counts.days[-1], year=True)
    return t.n("{count} day until {date}", "{count} days until {date}", counts.span, date=until)


def _sum(counts: DailyCounts, t: Translator) -> str:
    total = sum(counts.counts)
    days = t.n("{count} announcement day", "{count} announcement days", len(counts.days))
    return t.n(
        "{finding}: {count} paper on {days}.",
        "{finding}: {count} papers on {days}.",
        total,
        finding=finding(counts, t),
        days=days,
    )


def _flood(trial: Trial, t: Translator) -> str:
    if trial.narrower:
        return t("That is more than {count} a day, which nobody reads. These find less:", count=FLOOD)
    return t("That is more than {count} a day, which nobody reads; another word makes it fewer.", count=FLOOD)


def narrow_label(query: Query, rate: float, t: Translator) -> str:
    """ "ti:RL · about 12 a day"."""
    said = rate_words(rate, t)
    return f"{query.typed} · {said[:1].lower() + said[1:] if t.lang == 'en' else said}"


def near_label(near: Near, missed: int, t: Translator) -> str:
    """ "“multi-agent” +12 · with a hyphen or in one word"."""
    return f"“{near.text}” +{t.number(missed)} · {t(_KINDS[near.kind])}"


def _example(result: Result, view: View) -> tuple[Line, ...]:
    day = view.t.short_date(result.date) if result.date else ""
    title = line(f"{result.number}  ", bold_link(result.paper.title, abstract_page(result.paper)))
    return (title, dotted(day, result.paper.primary_category, code(result.paper.id)))


def nothing_lines(counts: DailyCounts, announced: int, t: Translator) -> tuple[Line, ...]:
    """What is said of a query that found nothing on all these days."""
    return (
        dotted(code(counts.name), _span(counts, t), kind=LineKind.TEXT),
        line(
            t.n(
                "It finds none of the {count} paper of these days.",
                "It finds none of the {count} papers of these days.",
                announced,
            )
        ),
    )
