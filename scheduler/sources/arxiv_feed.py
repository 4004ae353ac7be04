"""arXiv's daily feed, RSS 2.0 and Atom 1.0 (since 2024), of one category or several ("cs.LG+cs.AI").

Facts: arXiv help, "RSS feeds" and the RSS and Atom specifications there; the feed service's published
source. The announcement date is the channel's pubDate (Atom: an entry's published), which is New York's
midnight: it is read as written and never shifted. The guid, not the link, has the version. A feed holds
at most 2,000 entries and sacrifices new papers first, so exactly 2,000 mean that some are missing.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, datetime
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

from scheduler import paper_ids, text
from scheduler.calendar import NEW_YORK
from scheduler.errors import NotAPaperId, SourceChanged
from scheduler.models import Announcement, AnnounceType, EntryProblem, Paper, PaperId, ParsedFeed
from scheduler.sources import documents, papers

KIND = "arxiv-feed"
LIMIT = 2000
"""The feed service's most entries (arXiv help, "RSS feeds")."""

_HEADER = re.compile(
    r"^\s*arXiv:\S+\s+Announce\s+Type:\s*(?P<type>[\w-]+)\s*(?:Abstract:\s*)?", re.IGNORECASE
)


def parse(body: bytes) -> ParsedFeed:
    """The announcements of one feed answer; an error document gives `errors` and no announcements.

    Raises SourceChanged for what is no RSS and no Atom document.
    """
    entry_name = "entry" if re.search(rb"<feed[\s>]", body[:4000]) else "item"
    document = documents.read(body, "arxiv", entry_name)
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


def _announcements(
    entries: tuple[Element, ...], category: str, day: date | None
) -> tuple[list[Announcement], list[EntryProblem]]:
    announcements: list[Announcement] = []
    problems: list[EntryProblem] = []
    for position, entry in enumerate(entries, start=1):
        read = _announcement(entry, position, category, day)
        if isinstance(read, EntryProblem):
            problems.append(read)
        else:
            announcements.append(read)
    return announcements, problems


def _announcement(
    entry: Element, position: int, category: str, day: date | None
) -> Announcement | EntryProblem:
    name = documents.child_words(entry, "guid") or documents.child_words(entry, "id")
    link = documents.child_words(entry, "link")
    try:
        paper_id, version = paper_ids.parse(name or link)
    except NotAPaperId:
        return EntryProblem(name or link or f"entry {position}", "no paper id")
    summary = documents.child_words(entry, "description") or documents.child_words(entry, "summary")
    header = _HEADER.match(summary)
    kind = documents.child_words(entry, "announce_type") or (header["type"] if header else "")
    announced = _entry_date(entry) or day
    if kind not in list(AnnounceType):
        return EntryProblem(paper_id, f"unknown announce type {kind!r}")
    if announced is None:
        return EntryProblem(paper_id, "no announcement date")
    paper = _paper(entry, paper_id, version, summary[header.end() :] if header else summary)
    if not paper.title:
        return EntryProblem(paper_id, "no title")
    return Announcement(paper, AnnounceType(kind), announced, category or paper.primary_category)


def _paper(entry: Element, paper_id: PaperId, version: int | None, abstract: str) -> Paper:
    creators = [documents.words(creator) for creator in documents.children(entry, "creator")]
    return papers.build(
        paper_id,
        version or papers.UNKNOWN_VERSION,
        documents.child_words(entry, "title"),
        abstract,
        text.split_authors(", ".join(creators)),
        (name.get("term") or documents.words(name) for name in documents.children(entry, "category")),
        doi=documents.child_words(entry, "doi"),
        journal_ref=documents.child_words(entry, "journal_reference"),
        licence=documents.child_words(entry, "rights"),
    )


def _category(head: Element) -> str:
    """The request's category as the channel's own address names it."""
    addresses = [documents.words(link) or link.get("href", "") for link in documents.children(head, "link")]
    for address in (*addresses, documents.child_words(head, "id")):
        path = unquote(urlsplit(address).path)
        if "/rss/" in path or "/atom/" in path:
            return path.rstrip("/").rpartition("/")[2]
    return ""


def _built(head: Element) -> datetime | None:
    return papers.moment(
        documents.child_words(head, "lastBuildDate") or documents.child_words(head, "updated")
    )


def _date(head: Element, entries: tuple[Element, ...], built: datetime | None) -> date | None:
    """The announcement date: the channel's, else the entries', else the New York day of the build (empty
    Atom)."""
    channel = papers.moment(documents.child_words(head, "pubDate"))
    if channel is not None:
        return channel.date()
    days = Counter(day for entry in entries if (day := _entry_date(entry)) is not None)
    if days:
        return days.most_common(1)[0][0]
    return built.astimezone(NEW_YORK).date() if built else None


def _entry_date(entry: Element) -> date | None:
    written = documents.child_words(entry, "pubDate") or documents.child_words(entry, "published")
    read = papers.moment(written)
    return read.date() if read else None
