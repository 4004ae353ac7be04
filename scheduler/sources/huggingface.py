"""Hugging Face's daily papers (JSON list): arXiv papers that people there featured on a day.

The day is `submittedOnDailyAt`, read as written; `publishedAt` is the arXiv submission's and, outside
`paper`, shifted by some hours. Ids are arXiv's, so the papers are arXiv's papers, at an unknown version.
"""

from __future__ import annotations

from typing import Any

from scheduler import paper_ids
from scheduler.errors import NotAPaperId, SourceChanged
from scheduler.models import Announcement, AnnounceType, EntryProblem, ParsedFeed
from scheduler.sources import papers, values

KIND = "huggingface"
CATEGORY = "huggingface"
"""The category that these announcements are filed under; it is none of arXiv's."""


def parse(body: bytes) -> ParsedFeed:
    """The featured papers as announcements of their day. Raises SourceChanged for another JSON document."""
    features = values.document(body, "huggingface")
    if not isinstance(features, list):
        raise SourceChanged("huggingface", "the answer is no list of papers")
    announcements: list[Announcement] = []
    problems: list[EntryProblem] = []
    for position, feature in enumerate(features, start=1):
        read = _announcement(feature, position)
        (announcements if isinstance(read, Announcement) else problems).append(read)  # type: ignore[arg-type]
    days = {announcement.date for announcement in announcements}
    return ParsedFeed(
        KIND,
        "huggingface",
        CATEGORY,
        date=days.pop() if len(days) == 1 else None,
        announcements=tuple(announcements),
        problems=tuple(problems),
    )


def _announcement(feature: Any, position: int) -> Announcement | EntryProblem:
    paper = values.of(feature, "paper")
    name = values.string(paper, "id")
    try:
        paper_id, version = paper_ids.parse(name)
    except NotAPaperId:
        return EntryProblem(name or f"paper {position}", "no arXiv id")
    featured = values.string(paper, "submittedOnDailyAt") or values.string(feature, "publishedAt")
    day = papers.moment(featured)
    title = values.string(paper, "title") or values.string(feature, "title")
    if day is None or not title:
        return EntryProblem(paper_id, "no day" if day is None else "no title")
    authors = values.of(paper, "authors")
    names = [values.string(person, "name") for person in authors] if isinstance(authors, list) else []
    built = papers.build(
        paper_id,
        version or papers.UNKNOWN_VERSION,
        title,
        values.string(paper, "summary") or values.string(feature, "summary"),
        [papers.author(person) for person in names if person],
        [],
        source="arxiv huggingface",
        submitted=papers.moment(values.string(paper, "publishedAt")),
    )
    return Announcement(built, AnnounceType.NEW, day.date(), CATEGORY)
