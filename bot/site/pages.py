"""The pages of the site: the index of days, a day, a topic, a topic's month. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from html import escape
from itertools import groupby

from bot.locale import Translator
from bot.render.digest import days_line, total_line
from bot.render.html import contents, digest_lines, sections, thanks
from bot.render.page import page, text
from bot.render.stream import FIELDS, Stream, stream_days, stream_head
from bot.site.form import Form
from scheduler.models import Digest, Section
from scheduler.topics import Topic

POLICY = "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'"
"""What a page of the site may load: the site's own looks and its search."""

NEWEST_DAYS = 10
"""Days that the index names at once; the months before are folded."""


Neighbours = tuple[date | None, date | None]
"""The days before and after one, None where there is none."""

_NEXT = re.compile(r'<span class="next">.*?</span>')


def day_page(digest: Digest, by_topic: int, neighbours: Neighbours, form: Form) -> str:
    """A day's page: its first `by_topic` sections are topics, the others arXiv's categories."""
    (day,) = digest.dates
    t, name = form.t, f"days/{day.isoformat()}"
    title = days_line(digest, t)
    body = [
        _top(form, "..", _neighbours(*neighbours, t)),
        f"<header><h1>{text(title)}</h1>",
        *digest_lines(digest, form.view),
        _feed_links(day.isoformat(), t),
        "</header>",
        _search(form, "..", scope="day"),
        *_table(digest.sections, by_topic, t),
        "<main>",
        *sections(digest.sections, form.view),
        "</main>",
        thanks(t),
    ]
    return _page(title, body, form, "..", name, description=total_line(digest, t))


def _table(shown: Sequence[Section], by_topic: int, t: Translator) -> Iterator[str]:
    if len(shown) < 2:
        return
    yield '<div class="table">'
    for heading, part, first in (
        (t("Topics"), shown[:by_topic], 1),
        (t("Everything else, by category"), shown[by_topic:], by_topic + 1),
    ):
        if part:
            yield f'<p class="quiet">{text(heading)}</p>'
            yield from contents(part, t, first)
    yield "</div>"


def topic_page(topic: Topic, stream: Stream, months: Sequence[str], form: Form, month: str = "") -> str:
    """A topic's page: its newest papers and the `months` that have a page of their own, or the page of one `month`.

    A month is written "2026-09".
    """
    t = form.t
    root = "../.." if month else ".."
    name = f"topics/{topic.key}/{month}" if month else f"topics/{topic.key}"
    title = f"{stream.title} · {_month(month, t)}" if month else stream.title
    body = [
        _top(form, root, f'<a href="../{topic.key}.html">{text(stream.title)}</a>' if month else ""),
        *stream_head(stream, form.view),
        "" if month else _feed_links(topic.key, t),
        _search(form, root),
        "<main>",
        *stream_days(stream.entries, form.view, f"{root}/days/"),
        "</main>",
        *_months(topic, months, t),
        thanks(t),
    ]
    described = stream.description[0][1] if stream.description else ""
    return _page(title, body, form, root, name, description=described, feeds="" if month else name)


def _months(topic: Topic, months: Sequence[str], t: Translator) -> Iterator[str]:
    if not months:
        return
    yield f'<nav aria-label="{text(t("By month"))}"><h2>{text(t("By month"))}</h2><ul>'
    for month in months:
        yield f'<li><a href="{topic.key}/{month}.html">{text(_month(month, t))}</a></li>'
    yield "</ul></nav>"


def index_page(days: Mapping[date, int], form: Form) -> str:
    """The first page: search, the newest days with how many papers each has, the months before, and the topics."""
    t = form.t
    ordered = sorted(days, reverse=True)
    body = [
        f"<header><h1>Paperboy</h1><p>{text(purpose(t))}</p>",
        _feed_links("feed", t),
        "</header>",
        _search(form, "."),
        "<main>",
        *_days(ordered, days, t),
        *_topics(form),
        "</main>",
        thanks(t),
    ]
    return _page(t("The days' papers"), body, form, ".", "index", description=purpose(t), feeds="feed")


def purpose(t: Translator) -> str:
    """What the site is, in a sentence."""
    return t("Every announcement day's papers in short, by topic and by category.")


def _days(ordered: Sequence[date], days: Mapping[date, int], t: Translator) -> Iterator[str]:
    yield f"<h2>{text(t('Days'))}</h2>"
    if not ordered:
        yield f'<p class="quiet">{text(t("Nothing is in the archive yet."))}</p>'
    yield from _day_list(ordered[:NEWEST_DAYS], days, t)
    older = groupby(ordered[NEWEST_DAYS:], key=lambda day: f"{day:%Y-%m}")
    for month, run in older:
        yield f"<details><summary>{text(_month(month, t))}</summary>"
        yield from _day_list(list(run), days, t)
        yield "</details>"


def _day_list(shown: Sequence[date], days: Mapping[date, int], t: Translator) -> Iterator[str]:
    yield '<ul class="plain">'
    for day in shown:
        count = t.n("{count} paper", "{count} papers", days[day])
        link = f'<a href="days/{day.isoformat()}.html">{text(t.date(day))}</a>'
        yield f'<li>{link} <span class="quiet">{text(count)}</span></li>'
    yield "</ul>"


def _topics(form: Form) -> Iterator[str]:
    t = form.t
    yield f"<h2>{text(t('Topics'))}</h2>"
    for field, name in FIELDS.items():
        topics = [topic for topic in form.topics if topic.field == field]
        if topics:
            yield f"<h3>{text(t(name))}</h3><nav><ul>"
            for topic in topics:
                yield f'<li><a href="topics/{topic.key}.html">{text(topic.title[form.view.lang])}</a></li>'
            yield "</ul></nav>"


def _page(
    title: str,
    body: Sequence[str],
    form: Form,
    root: str,
    name: str,
    *,
    description: str,
    feeds: str | None = None,
) -> str:
    head = [f'<link rel="stylesheet" href="{root}/style.css">']
    head.append(f'<meta name="description" content="{text(description)}">')
    for ending, kind in (("xml", "application/atom+xml"), ("json", "application/feed+json")):
        if feed := name if feeds is None else feeds:
            head.append(
                f'<link rel="alternate" type="{kind}" title="{text(title)}" href="{root}/{feed}.{ending}">'
            )
    if form.base:
        head.append(f'<link rel="canonical" href="{escape(form.base)}/{name}.html">')
    head.append(f'<script defer src="{root}/search.js"></script>')
    return page(title, "\n".join(filter(None, body)), form.view.lang, "\n".join(head), POLICY)


def _top(form: Form, root: str, beside: str) -> str:
    home = f'<a href="{root}/index.html">{text(form.t("All days and topics"))}</a>'
    return f'<div class="top">{home}{beside}</div>'


def _neighbours(before: date | None, after: date | None, t: Translator) -> str:
    earlier = (
        f'<a rel="prev" href="{before.isoformat()}.html">◀ {text(t.short_date(before))}</a>' if before else ""
    )
    return earlier + _next(after, t)


def _next(after: date | None, t: Translator) -> str:
    link = f'<a rel="next" href="{after.isoformat()}.html">{text(t.short_date(after))} ▶</a>' if after else ""
    return f'<span class="next">{link}</span>'


def with_next(day_page: str, after: date, t: Translator) -> str:
    """A day's finished page with a link to the day after it, which came later than the page."""
    return _NEXT.sub(lambda _: _next(after, t), day_page, count=1)


def _feed_links(name: str, t: Translator) -> str:
    links = f'<a href="{name}.xml">Atom</a> · <a href="{name}.json">JSON</a>'
    return f'<p class="quiet">{text(t("Feeds:"))} {links}</p>'


def _search(form: Form, root: str, scope: str = "all") -> str:
    """The search, hidden where no script brings it to life; a day's page is searched by itself."""
    t = form.t
    words = {
        "found": t("{number} found", number="{count}"),
        "since": t("back to {day}", day="{day}"),
        "part": t("{number} of {total} papers", number="{count}", total="{total}"),
        "none": t("Nothing found."),
    }
    told = "".join(f' data-{name}="{text(sentence)}"' for name, sentence in words.items())
    label = t("Search this day") if scope == "day" else t("Search all days")
    return (
        f'<form role="search" class="search" data-root="{root}/" data-scope="{scope}"{told} hidden>'
        f'<input type="search" aria-label="{text(label)}" placeholder="{text(label)}" autocomplete="off">'
        '<output class="quiet"></output></form><ol id="found" class="plain"></ol>'
        f'<button type="button" id="more" hidden>{text(t("Look in older days"))}</button>'
    )


def _month(month: str, t: Translator) -> str:
    return t.month(date.fromisoformat(f"{month}-01"))
