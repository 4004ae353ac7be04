"""arXiv's OAI-PMH answers in the formats `arXiv` and `arXivRaw`: metadata, no announcements.

Facts: arXiv help, "Open Archives Initiative"; OAI-PMH 2.0, sections 3.5 (flow control), 3.6 (errors),
2.5.1 (deleted records). Datestamps are days of modification, not of announcement. Only `arXivRaw` tells
versions; in `arXiv` format the version is UNKNOWN_VERSION.
"""

from __future__ import annotations

from datetime import datetime
from xml.etree.ElementTree import Element

from scheduler import paper_ids, text
from scheduler.errors import NotAPaperId, SourceChanged
from scheduler.models import Author, EntryProblem, Paper, PaperId, ParsedFeed
from scheduler.sources import documents, papers

KIND = "arxiv-oai"


def parse(body: bytes) -> ParsedFeed:
    """The records of one answer; deleted ones are in `removed`, a resumption token in `next_token`.

    `noRecordsMatch` is an empty answer and no error; every other OAI-PMH error is in `errors` as "code:
    words". Raises SourceChanged for what is no OAI-PMH document.
    """
    document = documents.read(body, "arxiv", "record")
    if documents.local(document.root) != "OAI-PMH":
        raise SourceChanged("arxiv", f"a <{documents.local(document.root)}> document where OAI-PMH was due")
    found: list[Paper] = []
    removed: list[PaperId] = []
    problems = list(document.problems)
    for position, record in enumerate(document.entries, start=1):
        read = _record(record, position)
        if isinstance(read, Paper):
            found.append(read)
        elif isinstance(read, EntryProblem):
            problems.append(read)
        else:
            removed.append(PaperId(read))
    token = next(documents.within(document.root, "resumptionToken"), None)
    size = token.get("completeListSize", "") if token is not None else ""
    return ParsedFeed(
        KIND,
        "arxiv",
        _category(document.root),
        papers=tuple(found),
        declared=int(size) if size.isdecimal() else None,
        built=papers.moment(documents.child_words(document.root, "responseDate")),
        truncated=document.truncated,
        problems=tuple(problems),
        errors=_errors(document.root),
        removed=tuple(removed),
        next_token=documents.words(token),
        stamped=max(filter(None, map(_stamp, document.entries)), default=None),
    )


def _stamp(record: Element) -> datetime | None:
    header = documents.child(record, "header")
    return papers.moment(documents.child_words(header, "datestamp")) if header is not None else None


def _errors(root: Element) -> tuple[str, ...]:
    codes = [
        (error.get("code", "unknown"), documents.words(error)) for error in documents.children(root, "error")
    ]
    return tuple(f"{code}: {words}".rstrip(": ") for code, words in codes if code != "noRecordsMatch")


def _category(root: Element) -> str:
    """The category of the request's set: `cs:cs:LG` is cs.LG, `physics:hep-th` is hep-th."""
    request = documents.child(root, "request")
    parts = request.get("set", "").split(":") if request is not None else [""]
    return ".".join(parts[1:]) if len(parts) > 1 else parts[0]


def _record(record: Element, position: int) -> Paper | EntryProblem | str:
    """A paper, a problem, or the id of a deleted record."""
    header = documents.child(record, "header")
    name = documents.child_words(header, "identifier") if header is not None else ""
    metadata = next((part for kind in ("arXivRaw", "arXiv") for part in documents.within(record, kind)), None)
    try:
        paper_id, _ = paper_ids.parse(
            name or (documents.child_words(metadata, "id") if metadata is not None else "")
        )
    except NotAPaperId:
        return EntryProblem(name or f"record {position}", "no paper id")
    if header is not None and header.get("status") == "deleted":
        return paper_id
    if metadata is None:
        return EntryProblem(paper_id, "no metadata in the formats arXiv or arXivRaw")
    return _paper(metadata, paper_id)


def _paper(metadata: Element, paper_id: PaperId) -> Paper:
    versions = documents.children(metadata, "version")
    written = [documents.child_words(version, "date") for version in versions]
    if not versions:
        written = [documents.child_words(metadata, "created"), documents.child_words(metadata, "updated")]
    moments = [papers.moment(words) for words in written if words]
    return papers.build(
        paper_id,
        _version(versions),
        documents.child_words(metadata, "title"),
        documents.child_words(metadata, "abstract"),
        _authors(metadata),
        documents.child_words(metadata, "categories").split(),
        comments=documents.child_words(metadata, "comments"),
        doi=documents.child_words(metadata, "doi"),
        journal_ref=documents.child_words(metadata, "journal-ref"),
        licence=documents.child_words(metadata, "license"),
        submitted=_first(moments),
        updated=_first(moments[::-1]),
    )


def _first(moments: list[datetime | None]) -> datetime | None:
    return next((moment for moment in moments if moment is not None), None)


def _version(versions: list[Element]) -> int:
    numbers = [version.get("version", "").lstrip("v") for version in versions]
    return max((int(number) for number in numbers if number.isdecimal()), default=papers.UNKNOWN_VERSION)


def _authors(metadata: Element) -> tuple[Author, ...]:
    """arXivRaw has one string, arXiv an element for each author (persons, collaborations, even a ":")."""
    field = documents.child(metadata, "authors")
    if field is None:
        return ()
    persons = documents.children(field, "author")
    if not persons:
        return text.split_authors(documents.words(field))
    return tuple(
        papers.author(
            " ".join(documents.child_words(person, part) for part in ("forenames", "keyname", "suffix")),
            map(documents.words, documents.children(person, "affiliation")),
        )
        for person in persons
    )
