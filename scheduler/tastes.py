"""Similar papers and a chat's taste from what the store holds: signals, words, frequencies. Reads the store only,
but for the taste that it keeps, so that a chat's signals are read again only when there is a new one.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from scheduler import ranking
from scheduler.digest import Candidate, Suit
from scheduler.models import Chat
from scheduler.ranking import Example, Taste, Vector
from scheduler.store import Store
from scheduler.store.library import Signal, SignalKind
from scheduler.store.papers import Known

WEIGHTS = {
    SignalKind.SAVED: 3.0,
    SignalKind.LIKED: 3.0,
    SignalKind.OPENED: 1.0,
    SignalKind.DISLIKED: -3.0,
}

_TELLING = 12
_CARRIERS = 1000
_COMPARED = 60
"""Candidates for similar papers: the newest that have one of the most telling words; the best of them are compared."""


@dataclass(frozen=True, slots=True)
class Similar:
    """A paper near another one: how near (0 to 1), and the words that both share."""

    known: Known
    nearness: float
    words: tuple[str, ...]


def similar(store: Store, known: Known, most: int) -> tuple[Similar, ...]:
    """The papers nearest to one, at most `most`, the nearest first."""
    counts = ranking.term_counts(known.paper, known.wordings)
    rarities = store.vocabulary.rarities(counts)
    own = ranking.vector(counts, rarities)
    candidates = [key for key in _candidates(store, own) if key != known.key][:_COMPARED]
    found = [
        Similar(one, *ranking.nearness(own, rarities, ranking.term_counts(one.paper, one.wordings)))
        for one in store.archive.by_key(candidates)
    ]
    found.sort(key=lambda one: (-one.nearness, -one.known.key))
    return tuple(one for one in found if one.nearness >= ranking.SIMILAR)[:most]


def _candidates(store: Store, own: Vector) -> Iterable[int]:
    """Papers that share telling words, those that share the most first."""
    scores: dict[int, float] = {}
    for term in sorted(own, key=lambda term: -own[term])[:_TELLING]:
        weight = own[term] ** 2
        for key in store.vocabulary.with_term(term, _CARRIERS):
            scores[key] = scores.get(key, 0.0) + weight
    return heapq.nlargest(_COMPARED + 1, scores, key=lambda key: (scores[key], key))


def taste_of(store: Store, chat: Chat) -> Taste | None:
    """What a chat's signals say of its taste, None while they are too few."""
    signals = signals_of(store, chat)
    stamp = f"{len(signals)} {signals[0].at.isoformat() if signals else ''}"
    kept = store.vocabulary.taste(chat.key, stamp)
    if kept is None:
        learnt = ranking.learn(_examples(store, signals))
        kept = learnt.to_json() if learnt is not None else ""
        store.vocabulary.keep_taste(chat.key, stamp, kept)
    return Taste.from_json(kept) if kept else None


def suits(
    store: Store, chat: Chat, candidates: Sequence[Candidate], *, explained: bool
) -> Mapping[int, Suit] | None:
    """How well each candidate suits the chat, None while its taste is not known.

    `explained` also gives the reasons, which name papers that somebody saved or opened.
    """
    taste = taste_of(store, chat)
    if taste is None:
        return None
    return {entry.key: _suit(store, taste, entry, explained) for entry in candidates}


def _suit(store: Store, taste: Taste, entry: Candidate, explained: bool) -> Suit:
    vector = store.vocabulary.vector(entry.paper, entry.wordings)
    score = taste.score(vector)
    return Suit(score, partial(taste.reason, vector, entry.paper.title)) if explained else Suit(score)


def signals_of(store: Store, chat: Chat) -> tuple[Signal, ...]:
    """One signal for each paper that something was done with in this chat, the newest first.

    Of several the strongest counts; a thumb down is stronger than all. A private chat is its person's: what was done
    elsewhere counts too.
    """
    strongest: dict[int, Signal] = {}
    for signal in store.library.signals(chat.key, store.chats.person_of(chat.key)):
        known = strongest.get(signal.paper)
        if known is None or _strength(signal) > _strength(known):
            strongest[signal.paper] = signal
    return tuple(sorted(strongest.values(), key=lambda signal: signal.at, reverse=True))


def _strength(signal: Signal) -> float:
    return 10.0 if signal.kind is SignalKind.DISLIKED else WEIGHTS[signal.kind]


def _examples(store: Store, signals: Sequence[Signal]) -> list[Example]:
    kinds: Mapping[int, SignalKind] = {signal.paper: signal.kind for signal in signals}
    known = store.archive.by_key(list(kinds))
    return [
        Example(
            one.paper.title,
            store.vocabulary.vector(one.paper, one.wordings),
            WEIGHTS[kinds[one.key]],
            kinds[one.key],
        )
        for one in known
    ]
