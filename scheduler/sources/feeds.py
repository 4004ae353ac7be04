"""Any other feed: RSS 0.9 to 2.0, Atom and RDF through feedparser, and JSON Feed 1 (jsonfeed.org).

An entry's id is the arXiv id or the DOI that its address or its identifiers name, else `url:` and its
address. Its day is the one written in it, in the zone written in it; entries without any are reported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import feedparser
from selectolax.lexbor import LexborHTMLParser

from scheduler import paper_ids, text
from scheduler.errors import NotAPaperId, SourceChanged
from scheduler.models import Announcement, AnnounceType, Author, EntryProblem, PaperId, ParsedFeed
from scheduler.sources import documents, papers, values

KIND = "feed"
LONGEST_ABSTRACT = 4000
"""Blogs put whole articles into their feeds; an abstract ends with the last whole sentence before this."""

_LONGEST_SIGN = 4
"""Bytes of one sign in UTF-8: so many may be missing at the end of an answer that breaks off."""
_ELEMENT = re.compile(
    r"</?(?:p|div|br|span|a|b|i|em|strong|img|[uo]l|li|h[1-6]|table|meta|style)\b|<!--", re.I
)


@dataclass(frozen=True, slots=True)
class _Entry:
    address: str
    names: tuple[str, ...]
    title: str
    summary: str
    written: str
    authors: tuple[Author, ...]


def parse(body: bytes, category: str = "", charset: str = "") -> ParsedFeed:
    """The entries of a feed as new papers of their day, under `category` (default: the feed's host).

    `built` is the feed's own time. A feed that breaks off gives the entries that could be read and
    `truncated`. `charset` is what the server says of a feed that does not name its own. Raises SourceChanged for what
    is no feed, and for one in an encoding that nobody names.
    """
    if body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _json_feed(body, category)
    readable, faults = _readable(body, charset)
    read = feedparser.parse(
        BytesIO(readable),
        sanitize_html=False,
        resolve_relative_uris=False,
        response_headers={"content-type": "application/xml; charset=utf-8"},
    )
    if not dict.get(read, "version") and not read.entries:
        raise SourceChanged("feed", "the answer is no feed")
    error = dict.get(read, "bozo_exception")
    fault = str(error) if "SAXParse" in type(error).__name__ else ""
    head = read.feed
    return _parsed(
        [_from_feed(entry) for entry in read.entries],
        category or _host(_get(head, "link")),
        _get(head, "updated") or _get(head, "published"),
        fault,
        faults,
    )


def _readable(body: bytes, charset: str) -> tuple[bytes, tuple[EntryProblem, ...]]:
    """The feed in UTF-8, and what is not as it is said to be.

    Bytes that do not fit into an encoding that is named are marked in the text and told of; without a name nothing
    is guessed, because a wrong guess is words that nobody wrote.
    """
    try:
        return documents.written_in(body, charset).encode("utf-8", "replace"), ()
    except UnicodeDecodeError as error:
        named = documents.named_encoding(body) or charset
        cut = len(body) - error.start < _LONGEST_SIGN
        if not named and not cut:
            raise SourceChanged(
                "feed", "the feed names no encoding and is not UTF-8; its server should name it"
            ) from error
        problem = EntryProblem("the feed's text", f"bytes that are not {named or 'UTF-8'}")
        return documents.decoded(body).encode("utf-8", "replace"), () if cut else (problem,)


def _json_feed(body: bytes, category: str) -> ParsedFeed:
    feed = values.document(body, "feed")
    entries = values.of(feed, "items")
    if not isinstance(entries, list) or "jsonfeed" not in values.string(feed, "version"):
        raise SourceChanged("feed", "the answer is no JSON Feed")
    site = category or _host(values.string(feed, "home_page_url") or values.string(feed, "feed_url"))
    return _parsed([_from_json(entry) for entry in entries], site, "", "")


def _parsed(
    entries: list[_Entry], category: str, built: str, fault: str, faults: Sequence[EntryProblem] = ()
) -> ParsedFeed:
    announcements: list[Announcement] = []
    problems: list[EntryProblem] = list(faults)
    for position, entry in enumerate(entries, start=1):
        read = _announcement(entry, category, position)
        if isinstance(read, EntryProblem):
            problems.append(read)
        else:
            announcements.append(read)
    if fault:
        problems.append(EntryProblem(f"behind entry {len(entries)}", f"the feed is ill-formed: {fault}"))
    days = {announcement.date for announcement in announcements}
    return ParsedFeed(
        KIND,
        "feed",
        category,
        date=days.pop() if len(days) == 1 else None,
        announcements=tuple(announcements),
        built=papers.moment(built),
        truncated=bool(fault),
        problems=tuple(problems),
    )


def _announcement(entry: _Entry, category: str, position: int) -> Announcement | EntryProblem:
    label = entry.address or entry.title or f"entry {position}"
    paper_id, version = _paper_id(entry)
    if paper_id is None:
        return EntryProblem(label, "no address")
    written = papers.moment(entry.written)
    if written is None or not entry.title:
        return EntryProblem(label, "no date" if written is None else "no title")
    paper = papers.build(
        paper_id,
        version or (1 if paper_id.startswith("url:") else papers.UNKNOWN_VERSION),
        _plain(entry.title),
        _shortened(_plain(entry.summary)),
        entry.authors,
        [] if paper_ids.is_arxiv(paper_id) else [category],
        source="arxiv" if paper_ids.is_arxiv(paper_id) else "feed",
        submitted=written,
        url=entry.address,
    )
    return Announcement(paper, AnnounceType.NEW, written.date(), category)


def _paper_id(entry: _Entry) -> tuple[PaperId | None, int | None]:
    for name in (*entry.names, entry.address):
        try:
            return paper_ids.parse(name)
        except NotAPaperId:
            continue
    is_address = entry.address.startswith(("https://", "http://"))
    return (PaperId(f"url:{entry.address}") if is_address else None), None


def _from_feed(entry: Any) -> _Entry:
    content = dict.get(entry, "content") or [{}]
    people = dict.get(entry, "authors") or []
    names = [text.split_authors(str(dict.get(person, "name") or "")) for person in people]
    return _Entry(
        address=_get(entry, "link"),
        names=tuple(
            filter(None, (_get(entry, "id"), _get(entry, "prism_doi"), _get(entry, "dc_identifier")))
        ),
        title=_get(entry, "title"),
        summary=_get(entry, "summary") or str(content[0].get("value", "")),
        written=_get(entry, "published") or _get(entry, "updated"),
        authors=tuple(author for group in names for author in group),
    )


def _from_json(entry: Any) -> _Entry:
    people = values.of(entry, "authors") or [values.of(entry, "author")]
    named = [values.string(person, "name") for person in people] if isinstance(people, list) else []
    summary = (values.string(entry, name) for name in ("summary", "content_text", "content_html"))
    return _Entry(
        address=values.string(entry, "url") or values.string(entry, "external_url"),
        names=tuple(filter(None, (values.string(entry, "id"), values.string(entry, "external_url")))),
        title=values.string(entry, "title"),
        summary=next(filter(None, summary), ""),
        written=values.string(entry, "date_published") or values.string(entry, "date_modified"),
        authors=tuple(papers.author(name) for name in named if name),
    )


def _get(entry: Any, name: str) -> str:
    """A field's string; plain `dict.get`, because feedparser's own answers one field for another."""
    value = dict.get(entry, name)
    return value.strip() if isinstance(value, str) else ""


def _plain(written: str) -> str:
    """The words of HTML without its styles, scripts and comments; other text as it is."""
    if not _ELEMENT.search(written):
        return written
    page = LexborHTMLParser(written)
    for node in page.css("style, script, template, noscript"):
        node.decompose()
    return " ".join((page.body.text(separator=" ") if page.body else "").split())


def _shortened(written: str) -> str:
    if len(written) <= LONGEST_ABSTRACT:
        return written
    whole = text.sentences(written[: LONGEST_ABSTRACT + 1])[:-1]
    return " ".join(whole) or f"{written[: LONGEST_ABSTRACT - 1]}…"


def _host(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
