"""Two sources of one day against each other: what the listing has and the archive has not. Pure.

The listing states how many papers there are and which; the feed has their versions, licences and untouched words.
What both have keeps the feed's words, and gets from the listing what only it has: the comments, which alone tell of a
withdrawal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from scheduler.models import Announcement, AnnounceType, Paper, PaperId, ParsedFeed


def missing(listing: ParsedFeed, archived: Mapping[PaperId, AnnounceType]) -> tuple[Announcement, ...]:
    """The listing's announcements whose papers are not archived for that category and day, in its order."""
    return tuple(entry for entry in listing.announcements if entry.paper.id not in archived)


def filled(entries: Iterable[Announcement], fetched: Mapping[PaperId, Paper]) -> tuple[Announcement, ...]:
    """The announcements with the paper as the query API has it, where it was fetched; type and date stay."""
    return tuple(replace(entry, paper=_fuller(entry.paper, fetched.get(entry.paper.id))) for entry in entries)


def _fuller(listed: Paper, fetched: Paper | None) -> Paper:
    if fetched is None:
        return listed
    return replace(fetched, comments=fetched.comments or listed.comments)


def annotated(listing: ParsedFeed, known: Iterable[Paper]) -> tuple[Paper, ...]:
    """The known papers to which the listing adds something: comments, a DOI, a journal reference, a withdrawal."""
    listed = {entry.paper.id: entry.paper for entry in listing.announcements}
    pairs = ((paper, _annotated(paper, listed[paper.id])) for paper in known if paper.id in listed)
    return tuple(after for before, after in pairs if after != before)


def _annotated(known: Paper, listed: Paper) -> Paper:
    return replace(
        known,
        comments=listed.comments or known.comments,
        doi=listed.doi or known.doi,
        journal_ref=listed.journal_ref or known.journal_ref,
        withdrawn=listed.withdrawn or known.withdrawn,
    )
