"""One day of the archive as the site shows it: its sections, its papers by topic, and the files made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from bot.render.stream import Entry, entry, topic_words
from bot.site import feeds, pages, searching
from bot.site.feeds import Feed
from bot.site.form import Form
from scheduler import query
from scheduler.categories import category_name
from scheduler.digest import Hits
from scheduler.models import Digest, DigestPaper, Match, PaperId, Subscription
from scheduler.news import Day, build_for, read_day
from scheduler.store import Store

_NOTHING = Match((), ())


@dataclass(frozen=True, slots=True)
class SiteDay:
    """A day's digest, whose first `by_topic` sections are topics, its papers in words, and those of every topic."""

    digest: Digest
    by_topic: int
    entries: tuple[Entry, ...]
    topics: dict[str, list[Entry]]


@dataclass(frozen=True, slots=True)
class Order:
    """A day whose files are to be made, its neighbours in the archive, and a hash of what they are made from.

    The day after is not in the hash: when it comes, its link is put into the page that stands (`pages.with_next`).
    """

    day: date
    before: date | None
    after: date | None
    made_from: str


@dataclass(frozen=True, slots=True)
class MadeDay:
    """A day's files by their path in the site, how many papers it has, and its papers by topic."""

    order: Order
    files: dict[str, str]
    papers: int
    topics: dict[str, list[Entry]]


Make = Callable[[Sequence[Order]], Iterator[MadeDay]]
"""Makes the files of these days, in their order."""


def in_turn(store: Store, form: Form) -> Make:
    """Makes one day after the other from an open store."""
    return lambda orders: (made_day(store, order, form) for order in orders)


def made_day(store: Store, order: Order, form: Form) -> MadeDay:
    """The files of one day (`folder.files_of`)."""
    shown, view = site_day(store, order.day, form), form.view
    name = f"days/{order.day.isoformat()}"
    feed = Feed(
        name=name,
        page=f"{name}.html",
        title=f"Paperboy · {form.t.date(order.day)}",
        description="",
        lang=view.lang,
        base=form.base,
        updated=feeds.moment(order.day),
        posts=tuple(feeds.post(one, view.lang) for one in shown.entries),
    )
    files = {
        f"{name}.html": pages.day_page(shown.digest, shown.by_topic, (order.before, order.after), form),
        f"{name}.js": searching.day_script(order.day, shown.digest.papers, view),
        **{f"{name}.{ending}": content for ending, content in feeds.both_forms(feed).items()},
    }
    return MadeDay(order, files, len(shown.entries), shown.topics)


def site_day(store: Store, day: date, form: Form) -> SiteDay:
    """All news of one announcement date: every paper once, under the first topic that it fits or its own category."""
    queries = {topic.key: query.parse(topic.query).canonical for topic in form.topics}
    news = read_day(store, [day])
    hits = {canonical: news.find(canonical) for canonical in queries.values()}
    titles = {topic.key: topic_words(topic, form.view)[0] for topic in form.topics}
    followed = [Subscription(0, 0, queries[key], titles[key]) for key in queries]
    others, rest = _the_rest(news, hits, form)
    built = build_for(news, [*followed, *others], hits={**hits, **rest})
    shown = replace(built.digest, dates=(day,), announced=news.announced.get(day, 0))
    of_topics = {one.query for one in followed}
    papers = {one.paper.id: one for one in shown.papers}
    return SiteDay(
        shown,
        sum(section.query in of_topics for section in shown.sections),
        tuple(entry(one, form.view) for section in shown.sections for one in section.papers),
        {
            key: _entries(news, hits[canonical], papers, form)
            for key, canonical in queries.items()
            if hits[canonical]
        },
    )


def _the_rest(news: Day, hits: Hits, form: Form) -> tuple[list[Subscription], Hits]:
    """What no topic finds as hits of its primary category, the categories with most papers first."""
    found = {key for own in hits.values() for key in own}
    rest: dict[str, dict[int, Match]] = {}
    for key, one in news.candidates.items():
        if key not in found:
            rest.setdefault(one.paper.primary_category, {})[key] = _NOTHING
    ordered = sorted(rest, key=lambda code: (-len(rest[code]), code))
    sections = [Subscription(0, 0, f"primary:{code}", _category_title(code, form)) for code in ordered]
    return sections, {f"primary:{code}": rest[code] for code in ordered}


def _category_title(code: str, form: Form) -> str:
    if not code:
        return form.t("Without a category")
    name = category_name(code)
    return f"{name} ({code})" if name else code


def _entries(
    news: Day,
    hits: Mapping[int, Match],
    papers: Mapping[PaperId, DigestPaper],
    form: Form,
) -> list[Entry]:
    told = [(one.paper.id, hits[key]) for key, one in news.candidates.items() if key in hits]
    return [entry(replace(papers[name], match=match), form.view) for name, match in told]
