"""A feed's entries as Atom (RFC 4287) and as JSON Feed (version 1.1, jsonfeed.org). Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from bot.markup.letters import clean
from bot.render.page import LANGUAGE_TAGS
from bot.render.stream import Entry
from scheduler import calendar


@dataclass(frozen=True, slots=True)
class Post:
    """One entry: `url` and `identity` are absolute, `moment` is RFC 3339, `body` is HTML.

    `title_lang` is the title's language, `lang` the summary's.
    """

    identity: str
    url: str
    title: str
    title_lang: str
    lang: str
    moment: str
    summary: str
    body: str
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed: `name` is its path without an ending, `page` that of the page it belongs to, `base` the site's address.

    Without a base (a site read from files) it says no address of its own, and no page.
    """

    name: str
    page: str
    title: str
    description: str
    lang: str
    base: str
    updated: str
    posts: tuple[Post, ...]

    @property
    def identity(self) -> str:
        """What stays the same whatever else of the feed changes: its address, or a name made from its path."""
        return f"{self.base}/{self.name}.xml" if self.base else urn(self.name)


def moment(day: date) -> str:
    """The moment of a day's announcement, as both forms write it."""
    return calendar.announced_at(day).isoformat()


def post(one: Entry, lang: str) -> Post:
    """A paper as an entry, in the language "en" or "zh" as far as it has words in it."""
    said = next((words for spoken, words in one.said if spoken == lang), one.said[0][1] if one.said else "")
    spoken = next((spoken for spoken, words in one.said if words == said), "en")
    title, title_lang = (one.chinese, "zh") if lang == "zh" and one.chinese else (one.title, "en")
    return Post(
        identity=one.url or urn(one.id),
        url=one.url,
        title=" · ".join((title, *one.marks)),
        title_lang=title_lang,
        lang=spoken,
        moment=moment(date.fromisoformat(one.day)),
        summary=said,
        body="".join(_body(one)),
        authors=one.authors,
        tags=one.categories,
    )


def _body(one: Entry) -> Iterator[str]:
    if one.chinese:
        yield _paragraph(one.chinese, "zh")
    for lang, words in one.said:
        yield _paragraph(words, lang)
    for words in (one.byline, one.why):
        if words:
            yield f"<p>{escape(clean(words))}</p>"
    if not (one.said or one.byline or one.why):
        yield _paragraph(one.title, "en")


def _paragraph(words: str, lang: str) -> str:
    return f'<p lang="{LANGUAGE_TAGS[lang]}">{escape(clean(words))}</p>'


def atom(feed: Feed) -> str:
    """The feed as Atom."""
    tag = LANGUAGE_TAGS[feed.lang]
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{tag}">',
        f"<id>{_xml(feed.identity)}</id>",
        f"<title>{_xml(feed.title)}</title>",
        f"<subtitle>{_xml(feed.description)}</subtitle>" if feed.description else "",
        f"<updated>{feed.updated}</updated>",
        "<author><name>Paperboy</name></author>",
        "<generator>Paperboy</generator>",
        *_addresses(feed),
        *(_atom_entry(one) for one in feed.posts),
        "</feed>",
    ]
    return "\n".join(filter(None, lines)) + "\n"


def both_forms(feed: Feed) -> dict[str, str]:
    """The feed's files by their ending."""
    return {"xml": atom(feed), "json": json_feed(feed)}


def _addresses(feed: Feed) -> Iterator[str]:
    if feed.base:
        yield f'<link rel="self" type="application/atom+xml" href="{_xml(f"{feed.base}/{feed.name}.xml")}"/>'
        yield f'<link rel="alternate" type="text/html" href="{_xml(f"{feed.base}/{feed.page}")}"/>'


def _atom_entry(one: Post) -> str:
    return "".join(
        (
            "<entry>",
            f"<id>{_xml(one.identity)}</id>",
            f'<title xml:lang="{LANGUAGE_TAGS[one.title_lang]}">{_xml(one.title)}</title>',
            f'<link rel="alternate" href="{_xml(one.url)}"/>' if one.url else "",
            f"<published>{one.moment}</published><updated>{one.moment}</updated>",
            *(f"<author><name>{_xml(name)}</name></author>" for name in one.authors),
            *(f'<category term="{_xml(tag)}"/>' for tag in one.tags),
            f'<summary xml:lang="{LANGUAGE_TAGS[one.lang]}">{_xml(one.summary)}</summary>'
            if one.summary
            else "",
            f'<content type="html">{_xml(one.body)}</content>',
            "</entry>",
        )
    )


def json_feed(feed: Feed) -> str:
    """The feed as JSON Feed 1.1."""
    said: dict[str, Any] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": clean(feed.title),
        "description": clean(feed.description),
        "language": LANGUAGE_TAGS[feed.lang],
        "home_page_url": f"{feed.base}/{feed.page}" if feed.base else "",
        "feed_url": f"{feed.base}/{feed.name}.json" if feed.base else "",
        "authors": [{"name": "Paperboy"}],
    }
    said["items"] = [_json_post(one) for one in feed.posts]
    return json.dumps({name: value for name, value in said.items() if value != ""}, ensure_ascii=False) + "\n"


def _json_post(one: Post) -> dict[str, Any]:
    said: dict[str, Any] = {
        "id": one.identity,
        "url": one.url,
        "title": clean(one.title),
        "content_html": one.body,
        "summary": clean(one.summary),
        "date_published": one.moment,
        "authors": _names(one.authors),
        "tags": list(one.tags),
        "language": LANGUAGE_TAGS[one.lang],
    }
    return {name: value for name, value in said.items() if value}


def _names(authors: Sequence[str]) -> list[dict[str, str]]:
    return [{"name": clean(name)} for name in authors]


def urn(name: str) -> str:
    """A name that is always the same for the same thing, for what has no address."""
    return uuid5(NAMESPACE_URL, f"paperboy:{name}").urn


def _xml(text: str) -> str:
    return escape(clean(text))
