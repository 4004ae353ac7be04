"""A digest that was read from a file into the archive: its papers, their announcement, their checked translations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from scheduler.enrich import extract
from scheduler.enrich.checks import check_tldr, check_translation
from scheduler.enrich.glossary import Glossary
from scheduler.models import Announcement, Flag, Paper, PaperId, ParsedFeed, Wording
from scheduler.sources.digests import KIND, Entry, TextDigest
from scheduler.store import Store


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import brought. `new` counts papers that the archive did not have, `untranslated` those whose translation
    had failed; `flagged` holds what the checks found, by paper."""

    papers: int
    new: int
    untranslated: tuple[PaperId, ...]
    flagged: Mapping[PaperId, tuple[Flag, ...]]


def store_digest(store: Store, digest: TextDigest, glossary: Glossary, now: datetime) -> Imported:
    """Archives a digest's papers under its announcement date, in one transaction; doing it again changes nothing.

    A digest holds what somebody's keywords found: no category's day is taken for complete because of it.
    """
    entries = {entry.paper.id: entry for entry in digest.entries}
    wordings = {key: tuple(_checked(entry, glossary)) for key, entry in entries.items()}
    announcements = tuple(
        Announcement(entry.paper, entry.announce_type, digest.date, entry.paper.primary_category)
        for entry in entries.values()
    )
    known = {one.paper.id for one in store.archive.by_ids(entries)}
    store.archive.store(ParsedFeed(KIND, "arxiv", "", digest.date, announcements), now=now, wordings=wordings)
    return Imported(
        len(entries),
        len(entries.keys() - known),
        tuple(key for key, entry in entries.items() if entry.translation_failed),
        {key: flags for key, words in wordings.items() if (flags := _flags(words))},
    )


def _flags(wordings: tuple[Wording, ...]) -> tuple[Flag, ...]:
    return tuple(flag for word in wordings for flag in word.flags)


def _checked(entry: Entry, glossary: Glossary) -> Iterator[Wording]:
    """The paper's words with what the checks find in them; a TL;DR that we make ourselves is not kept."""
    for word in entry.wordings:
        if word.lang == "en":
            if not _is_an_extract(entry.paper, word.tldr):
                yield replace(word, flags=check_tldr(entry.paper, word.tldr))
            continue
        flags = check_translation(entry.paper, word, glossary)
        yield replace(
            word, flags=flags + (check_tldr(entry.paper, word.tldr, word.lang) if word.tldr else ())
        )


def _is_an_extract(paper: Paper, tldr: str) -> bool:
    return extract.tldr(paper.title, paper.abstract) == tldr
