"""When papers of several sources are one paper: the same arXiv id, the same DOI, or the same title and first author.

Two records of one source that differ in their id are never one paper, whatever their titles say: a source knows its
own. "Reply to: X" is not "X": every word of a title counts.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable
from dataclasses import fields, replace

from scheduler import paper_ids
from scheduler.errors import NotAPaperId
from scheduler.models import Author, Paper, PaperId

SHORTEST_TITLE = 16
"""Letters and digits; "Introduction" by the same author may be several papers."""


def names(paper: Paper) -> tuple[str, ...]:
    """The names under which `paper` may be met elsewhere, the surest first: its id, its DOI as an id, its title with
    its first author as "title:" and a digest ("" titles, short ones and papers without authors have none)."""
    found = [str(paper.id)]
    if paper.doi:
        try:
            found.append(str(paper_ids.parse(f"doi:{paper.doi}")[0]))
        except NotAPaperId:
            found.append(f"doi:{paper.doi.lower()}")
    title = _letters(paper.title)
    if len(title) >= SHORTEST_TITLE and paper.authors:
        written = f"{title}|{_family_name(paper.authors[0].name)}".encode()
        found.append(f"title:{hashlib.blake2b(written, digest_size=12).hexdigest()}")
    return tuple(dict.fromkeys(found))


def twins(papers: Iterable[Paper]) -> dict[PaperId, PaperId]:
    """For each paper that stands in a response twice, as two sources know it: its id and that of the one before it."""
    named: dict[str, Paper] = {}
    found: dict[PaperId, PaperId] = {}
    for paper in papers:
        for name in names(paper):
            other = named.setdefault(name, paper)
            if other.id != paper.id and may_be_one(other, paper):
                found.setdefault(paper.id, found.get(other.id, other.id))
    return found


def may_be_one(one: Paper, other: Paper) -> bool:
    """True unless both records are one source's own: then their ids decide, and they differ."""
    if one.id == other.id:
        return True
    if paper_ids.is_arxiv(one.id) and paper_ids.is_arxiv(other.id):
        return False
    return not set(one.source.split()) & set(other.source.split())


def united(known: Paper, seen: Paper) -> Paper:
    """One record from two of different sources: arXiv's before one with a DOI before any other, and of equal ones
    the known; what it lacks comes from the other one."""
    chosen, other = (seen, known) if _rank(seen) < _rank(known) else (known, seen)
    left_alone = {"id", "version", "withdrawn", "source", "url", "raw_title", "raw_abstract"}
    filled = {
        one.name: getattr(other, one.name)
        for one in fields(Paper)
        if one.name not in left_alone and not getattr(chosen, one.name)
    }
    if "abstract" in filled:
        filled["raw_abstract"] = other.raw_abstract
    return replace(chosen, source=sources(chosen.source, other.source), **filled)


def merged(known: Paper, seen: Paper) -> Paper:
    """What to keep of one paper seen twice: the newer version's words, and whatever only the other one has.

    An older version never overwrites a newer one; it only fills what is empty.
    """
    if known.id != seen.id:
        return united(known, seen)
    newer, older = (known, seen) if known.version > seen.version else (seen, known)
    kept = {
        name: getattr(older, name)
        for name in (one.name for one in fields(Paper))
        if name not in ("id", "version", "withdrawn") and not getattr(newer, name) and getattr(older, name)
    }
    if not newer.title or newer.title == older.title:
        kept.setdefault("raw_title", newer.raw_title or older.raw_title)
    withdrawn = newer.withdrawn or (newer.version == older.version and older.withdrawn)
    authors = _richer(newer.authors, older.authors)
    kept["source"] = sources(newer.source, older.source)
    return replace(newer, **{**kept, "withdrawn": withdrawn, "authors": authors})


def _richer(newer: tuple[Author, ...], older: tuple[Author, ...]) -> tuple[Author, ...]:
    same = [author.name for author in newer] == [author.name for author in older]
    if not newer or (same and not any(author.affiliation for author in newer)):
        return older
    return newer


def sources(*written: str) -> str:
    """The names of sources of one paper, each once, arXiv first: "arxiv huggingface"."""
    found = dict.fromkeys(name for names in written for name in names.split())
    return " ".join(sorted(found, key=lambda name: name != "arxiv"))


def _rank(paper: Paper) -> int:
    if paper_ids.is_arxiv(paper.id):
        return 0
    return 1 if paper.id.startswith("doi:") else 2


def _letters(text: str) -> str:
    """The letters and digits of `text` without case, accents and compatibility forms."""
    apart = unicodedata.normalize("NFKD", text).casefold()
    return "".join(sign for sign in apart if sign.isalnum())


def _family_name(name: str) -> str:
    """ "Lovelace" of "Ada Lovelace" and of "Lovelace, A."."""
    family, comma, _ = name.partition(",")
    return _letters(family if comma else name.split()[-1] if name.split() else "")
