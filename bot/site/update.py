"""Brings the site's folder up to date with the archive: `paperboy site`, and `paperboy run` after each day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import blake2b
from html import escape
from pathlib import Path

from bot.render.page import STYLE
from bot.render.stream import Entry, Stream, topic_words
from bot.site import feeds, pages, searching
from bot.site.days import Make, Order, in_turn
from bot.site.feeds import Feed, Post
from bot.site.folder import DayRecord, Folder, opened
from bot.site.form import Form
from scheduler.store import Store
from scheduler.topics import Topic

NEWEST = 100
"""Papers on a topic's first page and in its feeds; the months have all."""

DAYS_ON_A_TOPIC = 90
"""Days that a topic's first page reaches back: a topic that has few papers shows fewer."""

DAYS_IN_FEED = 30

_FIRST = date(1991, 8, 14)
"""The day on which arXiv began."""

_SEARCH = Path(__file__).with_name("search.js")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an update did: the days whose pages were made anew, the files that were written and those taken away."""

    days: tuple[date, ...]
    written: tuple[str, ...]
    removed: tuple[str, ...]
    all_days: int


def update(
    store: Store, path: Path, form: Form, newest: int | None = None, make: Make | None = None
) -> Outcome:
    """Writes what is missing or has changed in the site at `path`.

    With `newest` only so many of the newest days are looked at; what stands of older ones stays and is still linked.
    `make` makes the days' files, in this process where it is not given (`workers.working` has several do it). Raises
    SiteError.
    """
    with opened(path) as folder:
        wanted = _wanted(store, folder, form, newest)
        for made in (make or in_turn(store, form))(wanted):
            for name, content in made.files.items():
                folder.write(name, content)
            _link(folder, made.order, form)
            folder.keep_day(made.order.day, DayRecord(made.order.made_from, made.papers), made.topics)
        days = tuple(order.day for order in wanted)
        _write_topics(folder, form, days)
        _write_rest(folder, form)
        return Outcome(days, tuple(folder.written), tuple(folder.removed), len(folder.days))


def _wanted(store: Store, folder: Folder, form: Form, newest: int | None) -> list[Order]:
    """The days whose pages do not stand there as the archive has them now, oldest first."""
    program = form.fingerprint()
    last = store.archive.newest_date()
    dates = store.archive.dates(_FIRST, last) if last else ()
    looked_at = frozenset(dates[-newest:] if newest else dates)
    shown = [day for day in dates if day in looked_at or day in folder.days]
    orders = []
    for before, day, after in zip((None, *shown), shown, (*shown[1:], None), strict=False):
        if day not in looked_at and folder.remembers(day):
            continue
        made_from = _hash(program, str(before), store.archive.fingerprint(day))
        if not folder.has_day(day, made_from):
            orders.append(Order(day, before, after, made_from))
    return orders


def _link(folder: Folder, made: Order, form: Form) -> None:
    """Puts the link to a day into the page of the day before it, where that one stood there already."""
    name = f"days/{made.before.isoformat()}.html" if made.before else ""
    if name and (page := folder.read(name)):
        folder.write(name, pages.with_next(page, made.day, form.t))


def _write_feed(folder: Folder, feed: Feed) -> None:
    for ending, content in feeds.both_forms(feed).items():
        folder.write(f"{feed.name}.{ending}", content)


def _write_topics(folder: Folder, form: Form, made: Sequence[date]) -> None:
    known = _Known(folder)
    months = sorted({_month(day) for day in made})
    for topic in form.topics:
        for month in months:
            _write_month(folder, topic, month, known, form)
        _write_topic(folder, topic, known.entries(topic, known.newest), form)
    keys = {topic.key for topic in form.topics}
    folder.remove("topics", lambda name: name.split("/")[1].partition(".")[0] not in keys)


def _write_month(folder: Folder, topic: Topic, month: str, known: _Known, form: Form) -> None:
    name = f"topics/{topic.key}/{month}.html"
    entries = known.entries(topic, [day for day in folder.days if _month(day) == month])
    if entries:
        folder.write(name, pages.topic_page(topic, _stream(topic, entries, form), (), form, month))
    else:
        folder.remove("topics", name.__eq__)


def _write_topic(folder: Folder, topic: Topic, entries: Sequence[Entry], form: Form) -> None:
    name, view = f"topics/{topic.key}", form.view
    months = sorted((Path(found).stem for found in folder.names(f"{name}/")), reverse=True)
    newest = entries[:NEWEST]
    stream = replace(_stream(topic, newest, form), exact=len(entries) <= NEWEST)
    folder.write(f"{name}.html", pages.topic_page(topic, stream, months, form))
    described = stream.description[0][1]
    posts = tuple(feeds.post(one, view.lang) for one in newest)
    updated = posts[0].moment if posts else feeds.moment(_FIRST)
    title = f"Paperboy · {stream.title}"
    _write_feed(folder, Feed(name, f"{name}.html", title, described, view.lang, form.base, updated, posts))


def _stream(topic: Topic, entries: Sequence[Entry], form: Form) -> Stream:
    title, description = topic_words(topic, form.view)
    return Stream(title, description, len(entries), tuple(entries))


def _month(day: date) -> str:
    return f"{day:%Y-%m}"


class _Known:
    """What the days remember of their papers by topic, each day read once."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._days: dict[date, dict[str, list[Entry]]] = {}
        self.newest = sorted(folder.days, reverse=True)[:DAYS_ON_A_TOPIC]

    def entries(self, topic: Topic, days: Iterable[date]) -> list[Entry]:
        """The topic's papers of these days, newest day first; one of several days stands where it was first new."""
        first: dict[str, Entry] = {}
        for day in sorted(days):
            for one in reversed(self._of(day).get(topic.key, ())):
                first.setdefault(one.id, one)
        return list(first.values())[::-1]

    def _of(self, day: date) -> dict[str, list[Entry]]:
        if day not in self._days:
            self._days[day] = self._folder.topics_of(day)
        return self._days[day]


def _write_rest(folder: Folder, form: Form) -> None:
    counts = {day: record.papers for day, record in folder.days.items()}
    folder.write("index.html", pages.index_page(counts, form))
    folder.write("days.js", searching.days_script(counts))
    folder.write("search.js", _SEARCH.read_text(encoding="utf-8"))
    folder.write("style.css", STYLE + "\n")
    _write_feed(folder, _feed_of_days(counts, form))
    robots = ["User-agent: *", "Allow: /"]
    if form.base:
        folder.write("sitemap.xml", _sitemap(counts, form))
        robots.append(f"Sitemap: {form.base}/sitemap.xml")
    folder.write("robots.txt", "\n".join(robots) + "\n")


def _feed_of_days(counts: Mapping[date, int], form: Form) -> Feed:
    newest = sorted(counts, reverse=True)[:DAYS_IN_FEED]
    posts = tuple(_day_post(day, counts[day], form) for day in newest)
    updated = feeds.moment(newest[0] if newest else _FIRST)
    described = pages.purpose(form.t)
    return Feed("feed", "index.html", "Paperboy", described, form.view.lang, form.base, updated, posts)


def _day_post(day: date, count: int, form: Form) -> Post:
    name = f"days/{day.isoformat()}.html"
    said = form.t.n("{count} paper", "{count} papers", count)
    return Post(
        identity=f"{form.base}/{name}" if form.base else feeds.urn(name),
        url=f"{form.base}/{name}" if form.base else "",
        title=form.t.date(day),
        title_lang=form.view.lang,
        lang=form.view.lang,
        moment=feeds.moment(day),
        summary=said,
        body=f"<p>{said}</p>",
    )


def _sitemap(days: Iterable[date], form: Form) -> str:
    names = ["index.html", *(f"topics/{topic.key}.html" for topic in form.topics)]
    names += [f"days/{day.isoformat()}.html" for day in sorted(days, reverse=True)]
    addresses = "\n".join(f"<url><loc>{escape(form.base)}/{name}</loc></url>" for name in names)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{addresses}\n</urlset>\n'
    )


def _hash(*parts: str) -> str:
    return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()
