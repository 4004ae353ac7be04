"""/trends: several queries beside each other over a while."""

from __future__ import annotations

from datetime import date, timedelta

from bot.commands.subscribing import read_wish
from bot.commands.visit import Visit, action, code, line, rows, say
from bot.ports import Button, Keyboard, Reply
from bot.render.comparison import MARKS, Comparison, Course, comparison_blocks, comparison_picture
from scheduler import query, trends
from scheduler.query import Query
from scheduler.query.several import several

DAYS = 90
SHORTEST, LONGEST = 7, 3 * 365
SPANS = (30, 90, 365)
MOST = len(MARKS)
LONGEST_BREAK = timedelta(days=14)
"""Longer than arXiv ever pauses: an archive with nothing for so long begins behind it."""

EXAMPLE = 'RL, "world model", diffusion policy 90d'


def compare(visit: Visit) -> Reply:
    """How many papers a day each of some queries found."""
    found = several(visit.argument)
    days = DAYS if found.days is None else found.days
    problem = _problem(visit, found.texts, days)
    if problem:
        return say(problem, line(code(f"/trends {EXAMPLE}")))
    return _compared(visit, found.texts, days, in_share=False, in_place=False)


def _problem(visit: Visit, texts: tuple[str, ...], days: int) -> str:
    """What is wrong with what is to be compared, "" for nothing."""
    t = visit.t
    if not texts:
        return t("What do you want to compare? Write up to {count} subjects with commas between:", count=MOST)
    if len(texts) > MOST:
        return t(
            "I compare at most {count} subjects at once; these are {given}. For example:",
            count=MOST,
            given=len(texts),
        )
    if not SHORTEST <= days <= LONGEST:
        return t(
            "I look back between {least} days and {most} years. For example:",
            least=SHORTEST,
            most=LONGEST // 365,
        )
    return ""


def compare_again(visit: Visit) -> Reply:
    """The buttons below: another span, or shares instead of counts."""
    form, _, rest = visit.argument.partition(":")
    days, _, text = rest.partition(":")
    span = int(days) if days.isdecimal() else DAYS
    texts = several(text).texts[:MOST]
    return _compared(visit, texts, min(max(span, SHORTEST), LONGEST), in_share=form == "share", in_place=True)


def _compared(visit: Visit, texts: tuple[str, ...], days: int, *, in_share: bool, in_place: bool) -> Reply:
    newest = visit.store.archive.newest_date()
    if newest is None:
        return say(visit.t("Nothing is in the archive yet, so there is nothing to compare."))
    wishes = [read_wish(visit, text) for text in texts]
    last = min(newest, visit.now.date())
    shown = _comparison(visit, wishes, last - timedelta(days=days - 1), last, in_share=in_share)
    return Reply(
        comparison_blocks(shown, visit.view),
        _keyboard(visit, ", ".join(texts), days, in_share=in_share),
        picture=comparison_picture(shown, visit.t, visit.house.font),
        in_place=in_place,
        shareable=True,
    )


def _comparison(
    visit: Visit, wishes: list[tuple[Query, str]], first: date, last: date, *, in_share: bool
) -> Comparison:
    wanted = [query.as_news(Query(None)), *(query.as_news(parsed) for parsed, _ in wishes)]
    every, *tallies = visit.store.archive.tallies(wanted, first, last, today=visit.now.date())
    days = sorted({*visit.store.archive.dates(first, last), *every.counts})
    begins = days[0] if days else first
    is_all = begins - first > LONGEST_BREAK
    first = begins if is_all else first
    buckets = trends.buckets(days, (last - first).days + 1)
    since = max(first, *(tally.since for tally in (every, *tallies)))
    whole = trends.Bucket(first, tuple(day for day in days if day >= since))

    def rate(tally: trends.Tally, bucket: trends.Bucket) -> float | None:
        return trends.share(tally, every, bucket) if in_share else trends.a_day(tally, bucket)

    courses = tuple(
        Course(
            title,
            tuple(rate(tally, bucket) for bucket in buckets),
            (rate(tally, whole) if whole.days else None) or 0.0,
            tally.total,
            trends.trend(tally.of(days)),
        )
        for (_, title), tally in zip(wishes, tallies, strict=True)
    )
    return Comparison(
        courses, tuple(bucket.first for bucket in buckets), first, last, in_share, since, is_all
    )


def _keyboard(visit: Visit, text: str, days: int, *, in_share: bool) -> Keyboard:
    t, form = visit.t, "share" if in_share else "count"
    other = Button(
        t("Papers a day") if in_share else t("Share of all papers"),
        action(visit, "tr", "count" if in_share else "share", str(days), text),
    )
    spans = [
        Button(t.n("{count} day", "{count} days", span), action(visit, "tr", form, str(span), text))
        for span in SPANS
        if span != days
    ]
    return Keyboard((*rows(*spans).rows, (other,)))
