"""arXiv's daily feed, RSS 2.0 and Atom 1.0 (since 2024), of one category or several ("cs.LG+cs.AI").

Facts: arXiv help, "RSS feeds" and the RSS and Atom specifications there; the feed service's published
source. The announcement date is the channel's pubDate (Atom: an entry's published), which is New York's
midnight: it is read as written and never shifted. The guid, not the link, has the version. A feed holds
at most 2,000 entries and sacrifices new papers first, so exactly 2,000 mean that some are missing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

from scheduler import paper_ids, text
from scheduler.calendar import NEW_YORK
from scheduler.errors import NotAPaperId, SourceChanged
from scheduler.models import Announcement, AnnounceType, EntryProblem, Paper, PaperId, ParsedFeed
from scheduler.sources import documents, papers
from scheduler.sources.documents import Document, Fields, words

KIND = "arxiv-feed"
LIMIT = 2000
"""The feed service's most entries (arXiv help, "RSS feeds")."""

_TYPES = {str(kind): kind for kind in AnnounceType}
_HEADER = re.compile(
    r"^\s*arXiv:\S+\s+Announce\s+Type:\s*(?P<type>[\w-]+)\s*(?:Abstract:\s*)?", re.IGNORECASE
)


class Entry(NamedTuple):
    """One entry as the feed has it: words are raw, `version` is 0 and `date` None where none is written."""

    id: PaperId
    version: int
    announce_type: AnnounceType
    date: date | None
    title: str
    abstract: str
    creators: str
    categories: tuple[str, ...]
    doi: str
    journal_ref: str
    licence: str


def parse(body: bytes) -> ParsedFeed:
    """The announcements of one feed answer; an error document gives `errors` and no announcements.

    Raises SourceChanged for what is no RSS and no Atom document.
    """
    document = read(body)
    channel = documents.child(document.root, "channel")
    head = document.root if channel is None else channel
    if documents.local(document.root) not in ("rss", "feed"):
        raise SourceChanged("arxiv", f"a <{documents.local(document.root)}> document where a feed was due")
    category, built = _category(head), _built(head)
    title = documents.child_words(head, "title")
    if title.startswith("Feed error for query"):
        reason = documents.child_words(head, "description") or documents.child_words(head, "subtitle")
        return ParsedFeed(KIND, "arxiv", category, built=built, errors=(reason or title,))
    day = _date(head, document.entries, built)
    announcements, problems = _announcements(document.entries, category, day)
    if len(document.entries) >= LIMIT:
        problems.append(EntryProblem(category, f"the feed is full ({LIMIT} entries): new papers are missing"))
    return ParsedFeed(
        KIND,
        "arxiv",
        category,
        date=day,
        announcements=tuple(announcements),
        built=built,
        truncated=document.truncated or len(document.entries) >= LIMIT,
        problems=(*problems, *document.problems),
    )


def read(body: bytes) -> Document[Entry | EntryProblem]:
    """The feed with its entries as they are written, and those that are nobody's: without an id, of an unknown type.

    Raises SourceChanged for what is no XML.
    """
    entry_name = "entry" if re.search(rb"<feed[\s>]", body[:4000]) else "item"
    return documents.taken(body, "arxiv", entry_name, _entry)


def _entry(element: Element, position: int) -> Entry | EntryProblem:
    fields = Fields(element)
    name = fields.words("guid", "id", "link")
    try:
        paper_id, version = paper_ids.parse(name)
    except NotAPaperId:
        return EntryProblem(name or f"entry {position}", "no paper id")
    summary = fields.words("description", "summary")
    header = _HEADER.match(summary)
    written = fields.words("announce_type") or (header["type"] if header else "")
    kind = _TYPES.get(written)
    if kind is None:
        return EntryProblem(paper_id, f"unknown announce type {written!r}")
    return Entry(
        paper_id,
        version or papers.UNKNOWN_VERSION,
        kind,
        _day(fields.words("pubdate", "published")),
        fields.words("title"),
        summary[header.end() :] if header else summary,
        ", ".join(map(words, fields.all("creator"))),
        tuple([name.get("term") or words(name) for name in fields.all("category")]),
        fields.words("doi"),
        fields.words("journal_reference"),
        fields.words("rights"),
    )


def _announcements(
    entries: Iterable[Entry | EntryProblem], category: str, day: date | None
) -> tuple[list[Announcement], list[EntryProblem]]:
    announcements: list[Announcement] = []
    problems: list[EntryProblem] = []
    for entry in entries:
        made = _announcement(entry, category, day) if isinstance(entry, Entry) else entry
        if isinstance(made, EntryProblem):
            problems.append(made)
        else:
            announcements.append(made)
    return announcements, problems


def _announcement(entry: Entry, category: str, day: date | None) -> Announcement | EntryProblem:
    announced = entry.date or day
    if announced is None:
        return EntryProblem(entry.id, "no announcement date")
    paper = paper_of(entry)
    if not paper.title:
        return EntryProblem(entry.id, "no title")
    return Announcement(paper, entry.announce_type, announced, category or paper.primary_category)


def paper_of(entry: Entry) -> Paper:
    """The paper of an entry, in readable words."""
    return papers.build(
        entry.id,
        entry.version,
        entry.title,
        entry.abstract,
        text.split_authors(entry.creators),
        entry.categories,
        doi=entry.doi,
        journal_ref=entry.journal_ref,
        licence=entry.licence,
    )


def _category(head: Element) -> str:
    """The request's category as the channel's own address names it."""
    addresses = [words(link) or link.get("href", "") for link in documents.children(head, "link")]
    for address in (*addresses, documents.child_words(head, "id")):
        path = unquote(urlsplit(address).path)
        if "/rss/" in path or "/atom/" in path:
            return path.rstrip("/").rpartition("/")[2]
    return ""


def _built(head: Element) -> datetime | None:
    return papers.moment(
        documents.child_words(head, "lastBuildDate") or documents.child_words(head, "updated")
    )


def _date(head: Element, entries: Iterable[Entry | EntryProblem], built: datetime | None) -> date | None:
    """The announcement date: the channel's, else the entries', else the New York day of the build (empty
    Atom)."""
    channel = _day(documents.child_words(head, "pubDate"))
    if channel is not None:
        return channel
    days = Counter(entry.date for entry in entries if isinstance(entry, Entry) and entry.date is not None)
    if days:
        return days.most_common(1)[0][0]
    return built.astimezone(NEW_YORK).date() if built else None


@lru_cache(maxsize=256)
def _day(written: str) -> date | None:
    """The day of a moment in the zone that it is written in; the entries of a feed have all the same."""
    read = papers.moment(written)
    return read.date() if read else None
