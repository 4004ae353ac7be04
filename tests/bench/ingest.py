"""Reading a feed, archiving it, and reading it again, against feedparser and sqlite-utils."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.sax.saxutils import escape

import feedparser
from sqlite_utils import Database

from scheduler.models import Announcement, AnnounceType, Paper, ParsedFeed
from scheduler.sources import kinds
from scheduler.store import open_store
from tests.bench import corpus
from tests.bench.figures import Figure, Sizes, at_most, cpu_seconds, peak_megabytes, wall_seconds

DAY = date(2026, 9, 29)
SEARCHED = ["title", "abstract", "authors", "categories", "id", "source"]
NOW = datetime(2026, 9, 29, 4, 30, tzinfo=UTC)


def measure(sizes: Sizes) -> list[Figure]:
    """Seconds to parse a day's feed (parse), to archive it searchable (archive), and again unchanged (replay)."""
    papers = list(corpus.papers(sizes.day))
    with TemporaryDirectory() as folder:
        archived, replayed = _archive(Path(folder) / "ours.db", papers)
        memory = peak_megabytes()
        peer = _upsert_all(Path(folder) / "peer.db", papers)
    return [
        _parsing(papers),
        at_most("archive", archived, "s", 1.5),
        at_most(
            "replay",
            replayed,
            "s",
            0.1,
            peer="sqlite-utils upsert_all into a table with a full-text index",
            times=peer / replayed,
            least=30,
        ),
        at_most("peak memory", memory, "MB", 400),
    ]


def _parsing(papers: Sequence[Paper]) -> Figure:
    body = _feed(papers)
    ours, parsed = cpu_seconds(lambda: kinds.parse(body))
    peer, entries = cpu_seconds(lambda: feedparser.parse(body).entries, rounds=1)
    titles = [each.paper.title for each in parsed.announcements]
    if titles != [entry.title for entry in entries]:
        raise AssertionError("the two parsers do not read the same titles")
    return at_most("parse", ours, "s CPU", 0.5, peer="feedparser.parse", times=peer / ours, least=15)


def _archive(path: Path, papers: Sequence[Paper]) -> tuple[float, float]:
    """Seconds for new papers, and for the same ones again."""
    announcements = tuple(Announcement(each, AnnounceType.NEW, DAY, "cs.LG") for each in papers)
    feed = ParsedFeed("arxiv-feed", "arxiv", "cs.LG", DAY, announcements)
    store = open_store(path)
    try:
        first, _ = wall_seconds(lambda: store.archive.store(feed, now=NOW), rounds=1)
        again, _ = wall_seconds(lambda: store.archive.store(feed, now=NOW))
        return first, again
    finally:
        store.close()


def _upsert_all(path: Path, papers: Sequence[Paper]) -> float:
    """Seconds for the same papers again as sqlite-utils' documentation suggests it."""
    rows = [
        asdict(each) | {"authors": _names(each), "categories": " ".join(each.categories)} for each in papers
    ]
    db = Database(path)
    try:
        db["paper"].insert_all(rows, pk="id")  # type: ignore[union-attr]
        db["paper"].enable_fts(SEARCHED, create_triggers=True)  # type: ignore[union-attr]
        seconds, _ = wall_seconds(lambda: db["paper"].upsert_all(rows, pk="id"))  # type: ignore[union-attr]
        return seconds
    finally:
        db.close()


def _names(paper: Paper) -> str:
    return ", ".join(author.name for author in paper.authors)


def _feed(papers: Sequence[Paper]) -> bytes:
    items = "".join(_entry(each) for each in papers)
    return f"""<?xml version='1.0' encoding='UTF-8'?>
<rss xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0">
<channel><title>cs.LG updates on arXiv.org</title><link>http://rss.arxiv.org/rss/cs.LG</link>
<description>cs.LG updates on the arXiv.org e-print archive.</description>
<pubDate>Tue, 29 Sep 2026 00:00:00 -0400</pubDate>
{items}</channel></rss>
""".encode()


def _entry(paper: Paper) -> str:
    authors = escape(_names(paper))
    categories = "".join(f"<category>{category}</category>" for category in paper.categories)
    return f"""<item><title>{escape(paper.title)}</title><link>https://arxiv.org/abs/{paper.id}</link>
<description>arXiv:{paper.id}v1 Announce Type: new
Abstract: {escape(paper.abstract)}</description>
<guid isPermaLink="false">oai:arXiv.org:{paper.id}v1</guid>{categories}
<pubDate>Tue, 29 Sep 2026 00:00:00 -0400</pubDate><arxiv:announce_type>new</arxiv:announce_type>
<dc:rights>http://creativecommons.org/licenses/by/4.0/</dc:rights><dc:creator>{authors}</dc:creator></item>
"""
