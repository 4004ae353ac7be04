"""Announcements + subscriptions + what was delivered before → one chat's digest. Pure.

Every paper stands once, in the first section that it fits; the other sections that it fits are named beside it.
Within a section, hits in the title come first, then the order of the announcement (new before cross-listed); or the
announcement alone counts, or what suits the chat best comes first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Protocol

from scheduler import query, tokens
from scheduler.errors import QueryError
from scheduler.models import (
    AnnounceType,
    Digest,
    DigestPaper,
    Match,
    Order,
    Paper,
    PaperId,
    Reason,
    Section,
    Shortfall,
    Subscription,
    Wording,
)

Words = Mapping[str, Wording]
Hits = Mapping[str, Mapping[int, Match]]
"""For each canonical query, the keys of the papers it finds, and why."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A paper that could be in a digest. `place` is its order in the announcements, newest date first."""

    key: int
    paper: Paper
    announce_type: AnnounceType
    date: date
    wordings: Words
    place: int


class Listed(Protocol):
    """A paper as it was announced on one day."""

    @property
    def paper(self) -> Paper:
        """The paper."""

    @property
    def announce_type(self) -> AnnounceType:
        """The strongest type that it had that day in any category."""


@dataclass(frozen=True, slots=True)
class Suit:
    """How well a paper suits a chat: higher is better. `why` finds the reason, where it may be said."""

    score: float
    why: Callable[[], Reason | None] = lambda: None


Suits = Mapping[int, Suit]
"""How well papers (keys) suit a chat; those that are missing have nothing in common with its taste."""

_NO_SUIT = Suit(0.0)
REASONS_SHOWN = 3
"""Of so many papers at the head of a section it is said why they come first."""


@dataclass(frozen=True, slots=True)
class Built:
    """A digest and the keys of its papers, in the order of their numbers; `left_out` are those that `capped` hides."""

    digest: Digest
    keys: tuple[int, ...]
    left_out: frozenset[int] = frozenset()


def build(
    candidates: Mapping[int, Candidate],
    hits: Hits,
    subscriptions: Sequence[Subscription],
    *,
    announced: Mapping[date, int],
    delivered: frozenset[int] = frozenset(),
    told_until: date | None = None,
    complete: bool | None = True,
    order: Order = Order.TITLE_FIRST,
    suits: Suits | None = None,
) -> Built:
    """One chat's digest of the candidates (by key) that it was not told of before.

    `suits` is what the order for-you goes by; without it hits in the title come first, as ever.

    `announced` counts the news of each date; `told_until` is the newest date of an earlier digest: papers of it or
    of an older date that turn up now are marked late.
    """
    chosen = [_section_hits(subscription, hits, candidates, delivered) for subscription in subscriptions]
    home = _homes(chosen)
    sections: list[Section] = []
    keys: list[int] = []
    for index, subscription in enumerate(subscriptions):
        here = (key for key in chosen[index] if home[key] == index)
        own = _ordered(here, chosen[index], candidates, order, suits)
        papers = tuple(
            _digest_paper(number, candidates[key], chosen, subscriptions, index, told_until)
            for number, key in enumerate(own, start=len(keys) + 1)
        )
        if order is Order.FOR_YOU and suits:
            papers = _with_reasons(papers, own, suits)
        keys.extend(own)
        if papers or chosen[index]:
            sections.append(
                Section(
                    subscription.title,
                    subscription.query,
                    papers,
                    len(chosen[index]) - len(own),
                    subscription.member,
                    subscription.ping,
                )
            )
    dates = _dates([candidates[key] for key in keys], told_until)
    total = sum(announced.get(day, 0) for day in dates)
    return Built(Digest(dates, total, tuple(sections), complete), tuple(keys))


def capped(built: Built, most: int) -> Built:
    """The digest with at most `most` papers, every section keeping its best ones; `more` counts those left out.

    `keys` stays as it is: what was left out is on request, and does not come again by itself.
    """
    shown = built.digest
    sizes = [len(section.papers) for section in shown.sections]
    if sum(sizes) <= most:
        return built
    kept = _shares(sizes, most)
    sections: list[Section] = []
    left_out: set[int] = set()
    number = place = 0
    for section, count in zip(shown.sections, kept, strict=True):
        papers = tuple(
            replace(paper, number=own) for own, paper in enumerate(section.papers[:count], number + 1)
        )
        left_out.update(built.keys[place + count : place + len(section.papers)])
        number, place = number + count, place + len(section.papers)
        sections.append(replace(section, papers=papers))
    capped_digest = replace(shown, sections=tuple(sections), more=len(left_out))
    return replace(built, digest=capped_digest, left_out=frozenset(left_out))


def _shares(sizes: Sequence[int], most: int) -> list[int]:
    """How many of `most` each section gets: the small ones all they have, the others the same."""
    shares = [0] * len(sizes)
    left = most
    for done, index in enumerate(sorted(range(len(sizes)), key=lambda index: sizes[index])):
        shares[index] = min(sizes[index], left // (len(sizes) - done))
        left -= shares[index]
    return shares


def _section_hits(
    subscription: Subscription,
    hits: Hits,
    candidates: Mapping[int, Candidate],
    delivered: frozenset[int],
) -> dict[int, Match]:
    since = subscription.since
    found = {
        key: match
        for key, match in hits.get(subscription.query, {}).items()
        if key not in delivered and (since is None or candidates[key].date >= since)
    }
    if not subscription.cross_lists:
        at_home = _home_of(subscription)
        found = {key: match for key, match in found.items() if not _is_cross_listed(candidates[key], at_home)}
    return found


def leaves_out(subscription: Subscription, entry: Listed) -> bool:
    """True for a paper that the subscription is not told of because it is only cross-listed."""
    return not subscription.cross_lists and _is_cross_listed(entry, _home_of(subscription))


def _home_of(subscription: Subscription) -> frozenset[str]:
    """The categories that the subscription is about, as tokens; none where it names none, or cannot be read."""
    try:
        return query.home_categories(query.parse(subscription.query).root)
    except QueryError:
        return frozenset()


def _is_cross_listed(entry: Listed, at_home: frozenset[str]) -> bool:
    """True for a paper that is new elsewhere and comes to a subscription only as cross-listed.

    To a query about categories (`at_home`) a paper is new when its primary category is one of them; to any other
    query when it is new in one of the categories that are fetched.
    """
    if at_home:
        return at_home.isdisjoint(tokens.category_tokens([entry.paper.primary_category]))
    return entry.announce_type is AnnounceType.CROSS


def _homes(chosen: Sequence[Mapping[int, Match]]) -> dict[int, int]:
    home: dict[int, int] = {}
    for index, section in enumerate(chosen):
        for key in section:
            home.setdefault(key, index)
    return home


def _ordered(
    keys: Iterable[int],
    matches: Mapping[int, Match],
    candidates: Mapping[int, Candidate],
    order: Order,
    suits: Suits | None,
) -> list[int]:
    def by_title(key: int) -> tuple[bool, int]:
        return not matches[key].in_title, candidates[key].place

    if order is Order.ANNOUNCED:
        return sorted(keys, key=lambda key: candidates[key].place)
    if order is Order.FOR_YOU and suits is not None:
        return sorted(keys, key=lambda key: (-suits.get(key, _NO_SUIT).score, *by_title(key)))
    return sorted(keys, key=by_title)


def _with_reasons(
    papers: tuple[DigestPaper, ...], keys: Sequence[int], suits: Suits
) -> tuple[DigestPaper, ...]:
    head = zip(papers[:REASONS_SHOWN], keys, strict=False)
    explained = (replace(paper, reason=suits.get(key, _NO_SUIT).why()) for paper, key in head)
    return (*explained, *papers[REASONS_SHOWN:])


def _digest_paper(
    number: int,
    entry: Candidate,
    chosen: Sequence[Mapping[int, Match]],
    subscriptions: Sequence[Subscription],
    home: int,
    told_until: date | None,
) -> DigestPaper:
    also = tuple(
        subscription.heading
        for index, subscription in enumerate(subscriptions)
        if index != home and entry.key in chosen[index]
    )
    return DigestPaper(
        number=number,
        paper=entry.paper,
        announce_type=entry.announce_type,
        date=entry.date,
        match=chosen[home][entry.key],
        wordings=entry.wordings,
        also=also,
        late=told_until is not None and entry.date <= told_until,
    )


def _dates(entries: Sequence[Candidate], told_until: date | None) -> tuple[date, ...]:
    """The dates that a digest is about: those of its papers, unless only late ones came."""
    on_time = {entry.date for entry in entries if told_until is None or entry.date > told_until}
    return tuple(sorted(on_time or {entry.date for entry in entries}))


def dump(digest: Digest) -> str:
    """A digest as a text without the papers' own words, which `load` takes from the archive again."""
    return json.dumps(
        {
            "dates": [day.isoformat() for day in digest.dates],
            "announced": digest.announced,
            "complete": digest.complete,
            "more": digest.more,
            "shortfall": digest.shortfall,
            "meant": digest.meant_for.isoformat() if digest.meant_for else None,
            "sections": [
                {
                    "title": section.title,
                    "query": section.query,
                    "also": section.also_elsewhere,
                    **({"member": section.member, "ping": section.ping} if section.member else {}),
                    "papers": [_dump_paper(entry) for entry in section.papers],
                }
                for section in digest.sections
            ],
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def _dump_paper(entry: DigestPaper) -> list[object]:
    return [
        entry.number,
        entry.paper.id,
        entry.announce_type,
        entry.date.isoformat(),
        entry.match.fields,
        entry.match.words,
        entry.also,
        entry.late,
        [entry.reason.kind, entry.reason.title] if entry.reason else None,
    ]


def paper_ids(body: str) -> tuple[PaperId, ...]:
    """The ids of a dumped digest's papers, in the order of their numbers."""
    return tuple(PaperId(row[1]) for section in json.loads(body)["sections"] for row in section["papers"])


def load(body: str, papers: Mapping[PaperId, tuple[Paper, Words]]) -> Digest:
    """The digest that `dump` wrote, with the papers as the archive has them now."""
    raw = json.loads(body)
    return Digest(
        dates=tuple(date.fromisoformat(day) for day in raw["dates"]),
        announced=raw["announced"],
        complete=raw["complete"],
        more=raw.get("more", 0),
        shortfall=Shortfall(raw["shortfall"]) if raw.get("shortfall") else None,
        meant_for=datetime.fromisoformat(raw["meant"]) if raw.get("meant") else None,
        sections=tuple(
            Section(
                section["title"],
                section["query"],
                tuple(_load_paper(row, papers) for row in section["papers"] if row[1] in papers),
                section["also"],
                section.get("member", ""),
                section.get("ping", ""),
            )
            for section in raw["sections"]
        ),
    )


def _load_paper(row: Sequence[object], papers: Mapping[PaperId, tuple[Paper, Words]]) -> DigestPaper:
    number, paper_id, kind, day, matched_fields, words, also, late, *rest = row
    paper, wordings = papers[PaperId(str(paper_id))]
    assert isinstance(number, int)
    return DigestPaper(
        number=number,
        paper=paper,
        announce_type=AnnounceType(str(kind)),
        date=date.fromisoformat(str(day)),
        match=Match(_texts(matched_fields), _texts(words)),
        wordings=wordings,
        also=_texts(also),
        late=bool(late),
        reason=Reason(*_texts(rest[0])) if rest and rest[0] else None,
    )


def _texts(value: object) -> tuple[str, ...]:
    assert isinstance(value, list)
    return tuple(str(text) for text in value)
