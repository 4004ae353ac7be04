"""/try: what a query would bring, before it is followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from bot.commands.rates import Days, daily_counts, last_days
from bot.commands.subscribing import read_wish
from bot.commands.visit import Visit, action, code, line, rows, say
from bot.markup import Block
from bot.ports import Button, Keyboard, Reply
from bot.render import trial as render_trial
from bot.render.charts import daily_picture
from bot.render.search import Result
from bot.render.trial import FLOOD, Trial
from scheduler import query, trends
from scheduler.query import Near, Nearness, Query
from scheduler.store.papers import Known

EXAMPLES, NEAR, NARROWER = 3, 4, 3
READ = 60
"""Papers that are read for the words and categories that go with a query."""


def try_wish(visit: Visit) -> Reply:
    """What would come of following what was typed, read as /subscribe reads it."""
    if not visit.argument:
        t = visit.t
        return say(
            t("What do you want to try? Write it after the command:"), line(code("/try diffusion policy"))
        )
    parsed, title = read_wish(visit, visit.argument)
    return _tried(visit, parsed, title)


def try_query(visit: Visit) -> Reply:
    """The same for a button's query, exactly as it stands."""
    parsed = query.parse(visit.argument)
    return _tried(visit, parsed, parsed.typed)


def _tried(visit: Visit, parsed: Query, title: str) -> Reply:
    days, daily = last_days(visit), daily_counts(visit, parsed, title)
    if days is None or daily is None:
        return say(visit.t("Nothing is in the archive yet, so there is nothing to try it on."))
    news = query.as_news(replace(parsed, by_relevance=False))
    found = _examples(visit, news, days)
    texts = [one.paper.abstract for one in found]
    near = _near(visit, parsed, texts, days)
    narrower = _narrower(visit, parsed, found, days, len(daily.days)) if daily.rate > FLOOD else ()
    trial = Trial(daily, _results(found[:EXAMPLES]), near, narrower)
    if not any(daily.counts):
        return _nothing(visit, parsed, trial, days)
    return Reply(
        render_trial.trial_blocks(trial, visit.view),
        _keyboard(visit, parsed, trial),
        picture=daily_picture(daily, visit.t, visit.house.font),
        shareable=True,
    )


def _tallies(visit: Visit, days: Days, wanted: Sequence[Query]) -> tuple[trends.Tally, ...]:
    return visit.store.archive.tallies(wanted, days.first, days.last, today=visit.now.date())


def _examples(visit: Visit, news: Query, days: Days) -> tuple[Known, ...]:
    found = visit.store.archive.search(query.recent(news, days.first), today=visit.now.date(), limit=READ)
    return found.papers


def _results(found: Sequence[Known]) -> tuple[Result, ...]:
    return tuple(
        Result(number, one.paper, one.wordings, one.day) for number, one in enumerate(found, start=1)
    )


def _near(visit: Visit, parsed: Query, texts: Sequence[str], days: Days) -> tuple[tuple[Near, int], ...]:
    """The near misses that have papers, the most telling ones first."""
    near = query.near_misses(parsed, texts)
    tallies = _tallies(visit, days, [query.as_news(one.missed) for one in near])
    counted = [(one, tally.total) for one, tally in zip(near, tallies, strict=True) if tally.total]
    return tuple(sorted(counted, key=lambda pair: -pair[1])[:NEAR])


def _narrower(
    visit: Visit, parsed: Query, found: Sequence[Known], days: Days, count: int
) -> tuple[tuple[Query, float], ...]:
    """Narrower queries with their papers a day: those that can be read, else the narrowest."""
    primary = Counter(one.paper.primary_category for one in found if one.paper.categories)
    narrower = query.narrower(parsed, [category for category, _ in primary.most_common(NARROWER)])
    tallies = _tallies(visit, days, [query.as_news(one) for one in narrower])
    rates = [(one, tally.total / count) for one, tally in zip(narrower, tallies, strict=True) if tally.total]
    readable = [(one, rate) for one, rate in rates if rate <= FLOOD]
    return tuple((readable or sorted(rates, key=lambda pair: pair[1])[:1])[:NARROWER])


def _keyboard(visit: Visit, parsed: Query, trial: Trial) -> Keyboard:
    t = visit.t
    narrow = [
        Button(render_trial.narrow_label(one, rate, t), action(visit, "try", one.typed))
        for one, rate in trial.narrower
    ]
    choices = tuple(
        Button(
            f"{one.number} · {one.paper.title}"[:90],
            action(visit, "p", one.paper.id),
            short=str(one.number),
        )
        for one in trial.examples
    )
    buttons = [*narrow, *_wider(visit, trial), _follow(visit, parsed)]
    return Keyboard(rows(*buttons, width=1).rows, choices, t("Open a paper…"))


def _wider(visit: Visit, trial: Trial) -> list[Button]:
    """Buttons that take near misses in; not where there is too much already."""
    if trial.counts.rate > FLOOD:
        return []
    return [
        Button(_wider_label(visit, one), action(visit, "try", one.wider.canonical))
        for one, _ in trial.near[:2]
    ]


def _wider_label(visit: Visit, near: Near) -> str:
    if near.kind is Nearness.APART:
        return visit.t("Words in any order")
    return visit.t("With “{words}” too", words=near.text[:40])


def _follow(visit: Visit, parsed: Query) -> Button:
    return Button(visit.t("Subscribe to this"), action(visit, "sub", parsed.typed))


def _nothing(visit: Visit, parsed: Query, trial: Trial, days: Days) -> Reply:
    """No hit on all these days: near misses, looser queries that find something, and following it all the same."""
    t = visit.t
    (every,) = _tallies(visit, days, [query.as_news(Query(None))])
    looser = query.looser(parsed)
    tallies = _tallies(visit, days, [query.as_news(one) for one in looser])
    offers = [(one, tally.total) for one, tally in zip(looser, tallies, strict=True) if tally.total][
        :NARROWER
    ]
    buttons = [
        Button(f"{one.canonical} · {t.number(total)}"[:60], action(visit, "try", one.canonical))
        for one, total in offers
    ]
    head = Block(render_trial.nothing_lines(trial.counts, every.total, t))
    near = [line(render_trial.near_label(one, missed, t)) for one, missed in trial.near]
    more = (Block((line(t("Not found by it, on the same days:")), *near)),) if near else ()
    keyboard = rows(*buttons, *_wider(visit, trial), _follow(visit, parsed), width=1)
    return Reply((head, *more), keyboard)
