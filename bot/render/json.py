"""Digests and papers as JSON objects, for programs: keys are stable, texts are as shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bot.render.paper_words import Wordings, links, tldrs
from scheduler.models import AnnounceType, Digest, Match, Paper, Wording


def paper_facts(paper: Paper) -> dict[str, Any]:
    """What a source says of a paper: nothing of ours in it."""
    return {
        "id": paper.id,
        "version": paper.version or None,
        "title": paper.title,
        "abstract": paper.abstract,
        "authors": _authors(paper),
        "categories": list(paper.categories),
        "comments": paper.comments,
        "doi": paper.doi,
        "journal_ref": paper.journal_ref,
        "licence": paper.licence,
        "withdrawn": paper.withdrawn,
        "links": links(paper),
    }


def paper_object(
    paper: Paper,
    wordings: Wordings,
    lang: str,
    *,
    announce_type: AnnounceType | None = None,
    match: Match | None = None,
) -> dict[str, Any]:
    """A paper as `digest --format json` and `search --json` show it.

    `version` is null where no source has told it (listing pages and OAI-PMH do not). `tldr` is in `lang` ("en",
    "zh"; "both" counts as "en") or else in the other language, "" where there is none. `matched` is null where
    nothing was matched, `announce_type` where it is about no announcement. `flags` is what the checks found in the
    words that are not the paper's own.
    """
    said = tldrs(wordings, ("zh",) if lang == "zh" else ("en",))
    chinese = wordings.get("zh", Wording("zh"))
    return {
        "id": paper.id,
        "version": paper.version or None,
        "announce_type": str(announce_type) if announce_type is not None else None,
        "title": paper.title,
        "title_zh": chinese.title,
        "tldr": said[0].text if said else "",
        "tldr_origin": said[0].origin if said else "",
        "tldr_zh": chinese.tldr,
        "abstract": paper.abstract,
        "abstract_zh": chinese.abstract,
        "flags": [{"lang": lang, **asdict(flag)} for lang, word in wordings.items() for flag in word.flags],
        "authors": _authors(paper),
        "categories": list(paper.categories),
        "links": links(paper),
        "matched": {"fields": list(match.fields), "words": list(match.words)} if match is not None else None,
    }


def digest_object(digest: Digest, lang: str) -> dict[str, Any]:
    """A digest; dates are ISO, papers in the order of their numbers."""
    return {
        "dates": [day.isoformat() for day in digest.dates],
        "announced": digest.announced,
        "sections": [
            {
                "title": section.title,
                "query": section.query,
                "papers": [
                    paper_object(
                        one.paper, one.wordings, lang, announce_type=one.announce_type, match=one.match
                    )
                    for one in section.papers
                ],
            }
            for section in digest.sections
        ],
    }


def search_object(query: str, total: int, papers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What `search --json` prints; `papers` are `paper_object`s."""
    return {"query": query, "total": total, "papers": list(papers)}


def _authors(paper: Paper) -> list[dict[str, str]]:
    return [{"name": author.name, "affiliation": author.affiliation} for author in paper.authors]
