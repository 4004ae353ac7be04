"""The query API's Atom answers: papers with comments and exact submission times, no announcements.

Facts: arXiv API user manual, sections 3.3 and 3.4 (elements, errors). An error is an entry titled "Error"
whose id is an address under /api/errors; it also counts in totalResults.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from scheduler import paper_ids
from scheduler.errors import NotAPaperId, SourceChanged
from scheduler.models import EntryProblem, Paper, ParsedFeed
from scheduler.sources import documents, papers

KIND = "arxiv-api"


def parse(body: bytes) -> ParsedFeed:
    """The papers of one answer; `declared` is its totalResults (all pages), None for an error answer.

    Raises SourceChanged for what is no Atom document.
    """
    document = documents.read(body, "arxiv", "entry")
    if documents.local(document.root) != "feed":
        raise SourceChanged("arxiv", f"a <{documents.local(document.root)}> document where papers were due")
    found: list[Paper] = []
    errors: list[str] = []
    problems = list(document.problems)
    for position, entry in enumerate(document.entries, start=1):
        name = documents.child_words(entry, "id")
        if "/api/errors" in name:
            errors.append(documents.child_words(entry, "summary") or documents.child_words(entry, "title"))
            continue
        try:
            found.append(_paper(entry, name))
        except NotAPaperId:
            problems.append(EntryProblem(name or f"entry {position}", "no paper id"))
    total = documents.child_words(document.root, "totalResults")
    return ParsedFeed(
        KIND,
        "arxiv",
        papers=tuple(found),
        declared=int(total) if total.isdecimal() and not errors else None,
        built=papers.moment(documents.child_words(document.root, "updated")),
        truncated=document.truncated,
        problems=tuple(problems),
        errors=tuple(errors),
    )


def _paper(entry: Element, name: str) -> Paper:
    paper_id, version = paper_ids.parse(name)
    primary = documents.child(entry, "primary_category")
    categories = [category.get("term", "") for category in documents.children(entry, "category")]
    return papers.build(
        paper_id,
        version or papers.UNKNOWN_VERSION,
        documents.child_words(entry, "title"),
        documents.child_words(entry, "summary"),
        [
            papers.author(
                documents.child_words(author, "name"),
                map(documents.words, documents.children(author, "affiliation")),
            )
            for author in documents.children(entry, "author")
        ],
        [primary.get("term", "") if primary is not None else "", *categories],
        comments=documents.child_words(entry, "comment"),
        doi=documents.child_words(entry, "doi"),
        journal_ref=documents.child_words(entry, "journal_ref"),
        submitted=papers.moment(documents.child_words(entry, "published")),
        updated=papers.moment(documents.child_words(entry, "updated")),
    )
