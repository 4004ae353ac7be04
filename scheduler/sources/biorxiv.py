"""bioRxiv's and medRxiv's details answers (JSON, /details/{server}/{from}/{to}/{cursor}).

Facts: the servers' API page (api.biorxiv.org). Numbers come as strings or as numbers; authors are
"Family, I." joined by ";"; a posting is dated by day, and a revision is a posting with a higher version.
"""

from __future__ import annotations

from typing import Any

from scheduler import paper_ids
from scheduler.errors import NotAPaperId, SourceChanged
from scheduler.models import Announcement, AnnounceType, EntryProblem, ParsedFeed
from scheduler.sources import papers, values

KIND = "biorxiv"


def parse(body: bytes) -> ParsedFeed:
    """One page of postings as announcements of their day, in the category of their server ("biorxiv").

    First versions are new, later ones replacements. `declared` is the total of all pages, `next_token`
    the cursor of the next page ("" on the last one). Raises SourceChanged for another JSON document.
    """
    answer = values.document(body, "biorxiv")
    postings = values.of(answer, "collection")
    if not isinstance(postings, list):
        raise SourceChanged("biorxiv", "the answer has no collection")
    message = values.first(values.of(answer, "messages"))
    announcements: list[Announcement] = []
    problems: list[EntryProblem] = []
    for position, posting in enumerate(postings, start=1):
        read = _announcement(posting, position)
        (announcements if isinstance(read, Announcement) else problems).append(read)  # type: ignore[arg-type]
    total, cursor = values.number(message, "total"), values.number(message, "cursor")
    behind = (cursor or 0) + len(postings)
    days = {announcement.date for announcement in announcements}
    status = values.string(message, "status")
    return ParsedFeed(
        KIND,
        "biorxiv",
        values.string(values.first(postings), "server").lower() or "biorxiv",
        date=days.pop() if len(days) == 1 else None,
        announcements=tuple(announcements),
        declared=total,
        problems=tuple(problems),
        errors=(status,) if status not in ("", "ok", "no posts found") else (),
        next_token=str(behind) if total is not None and postings and behind < total else "",
    )


def _announcement(posting: Any, position: int) -> Announcement | EntryProblem:
    doi = values.string(posting, "doi")
    try:
        paper_id, _ = paper_ids.parse(f"doi:{doi}")
    except NotAPaperId:
        return EntryProblem(doi or f"posting {position}", "no DOI")
    posted = papers.moment(values.string(posting, "date"))
    if posted is None or not values.string(posting, "title"):
        return EntryProblem(paper_id, "no date" if posted is None else "no title")
    version = values.number(posting, "version") or 1
    server = values.string(posting, "server").lower() or "biorxiv"
    paper = papers.build(
        paper_id,
        version,
        values.string(posting, "title"),
        values.string(posting, "abstract"),
        [papers.author(name) for name in values.string(posting, "authors").split(";") if name.strip()],
        [server, values.string(posting, "category")],
        source=server,
        doi=doi,
        licence=values.string(posting, "license"),
        withdrawn="withdrawn" in values.string(posting, "type").lower(),
        updated=posted,
        url=f"https://doi.org/{doi}",
    )
    kind = AnnounceType.NEW if version == 1 else AnnounceType.REPLACE
    return Announcement(paper, kind, posted.date(), server)
