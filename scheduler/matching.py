"""A day's papers × every distinct query, at once; and what matched where.

    papers | tokens.document | per field: token → bit mask of papers      (once a day)
    query  | masks of its terms | and, or, not | hits                     (once per distinct query)

Each paper is one bit. A word is a look-up, boolean operators are operators on whole numbers, and only a phrase
looks into the streams of the few papers that have all its words. `scheduler.store.search` finds the same papers:
both read the streams of `scheduler.tokens`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from scheduler.models import Match, Paper, Wording
from scheduler.query import Field, Node, Not, Or, Query, Term, positive_terms
from scheduler.tokens import NAME_GAP, Document, Place, Run, document, token_places

_MATCH_FIELDS = {
    Field.TITLE: "title",
    Field.ABSTRACT: "abstract",
    Field.AUTHOR: "authors",
    Field.CATEGORY: "categories",
    Field.ID: "id",
    Field.SOURCE: "source",
}
_TEXT = (Field.TITLE, Field.ABSTRACT)


class DayIndex:
    """Papers made ready for many queries. Indices are those of the sequence given.

    `day` is their announcement date: a query's date limits are held against it. Without it (papers that were
    chosen by date already) they let everything through.
    """

    def __init__(
        self, papers: Sequence[tuple[Paper, Mapping[str, Wording]]], *, day: date | None = None
    ) -> None:
        self.size = len(papers)
        self.day = day
        documents = [document(paper, wordings) for paper, wordings in papers]
        self._columns = {field: _Column(_streams(documents, field), field) for field in _MATCH_FIELDS}
        self._all = (1 << self.size) - 1
        self._masks: dict[Term, tuple[tuple[Field, int], ...]] = {}

    def mask(self, query: Query, *, today: date | None = None) -> int:
        """The hits of `query` as bits: bit i is paper i. `today` resolves spans, else the papers' day."""
        if not self._in_time(query, today):
            return 0
        return self._all if query.root is None else self._evaluate(query.root)

    def papers(self, query: Query, *, today: date | None = None) -> tuple[int, ...]:
        """The indices of the papers that `query` finds, rising."""
        return tuple(_bits(self.mask(query, today=today)))

    def hits(self, query: Query, *, today: date | None = None) -> dict[int, Match]:
        """The papers that `query` finds by index, rising, and why."""
        places = self._places(query)
        known: dict[tuple[tuple[str, ...], tuple[str, ...]], Match] = {}
        found: dict[int, Match] = {}
        for index in _bits(self.mask(query, today=today)):
            reason = _reason(places, index)
            found[index] = known.setdefault(reason, Match(*reason))
        return found

    def match(self, query: Query, index: int) -> Match:
        """Why `query` finds paper `index`, without asking whether it does."""
        return Match(*_reason(self._places(query), index))

    def _in_time(self, query: Query, today: date | None) -> bool:
        if not query.limits or self.day is None:
            return True
        first, last = query.span(today or self.day)
        return (first is None or first <= self.day) and (last is None or self.day <= last)

    def _evaluate(self, node: Node) -> int:
        if isinstance(node, Term):
            found = 0
            for _, mask in self._term(node):
                found |= mask
            return found
        if isinstance(node, Not):
            return self._all & ~self._evaluate(node.part)
        if isinstance(node, Or):
            found = 0
            for part in node.parts:
                found |= self._evaluate(part)
            return found
        found = self._all
        for part in node.parts:
            found &= self._evaluate(part)
            if not found:
                break
        return found

    def _term(self, term: Term) -> tuple[tuple[Field, int], ...]:
        """Per field that has the term, the papers that have it there."""
        known = self._masks.get(term)
        if known is None:
            fields = _TEXT if term.field is Field.ANYWHERE else (term.field,)
            masks = ((field, self._columns[field].any_of(term.runs)) for field in fields)
            known = self._masks[term] = tuple((field, mask) for field, mask in masks if mask)
        return known

    def _places(self, query: Query) -> list[tuple[str, str, int]]:
        return [
            (term.text, _MATCH_FIELDS[field], mask)
            for term in positive_terms(query.root)
            for field, mask in self._term(term)
        ]


def matches(
    index: DayIndex, queries: Iterable[Query], *, today: date | None = None
) -> dict[str, tuple[int, ...]]:
    """For each query that finds something, by canonical text, the indices of its papers; equal ones once."""
    found: dict[str, tuple[int, ...]] = {}
    seen: set[str] = set()
    for query in queries:
        if query.canonical in seen:
            continue
        seen.add(query.canonical)
        papers = index.papers(query, today=today)
        if papers:
            found[query.canonical] = papers
    return found


def hit_spans(text: str, query: Query) -> list[tuple[int, int]]:
    """Where the words and phrases of `query` stand in clean `text` (start, end), rising, without overlaps.

    A phrase is a hit as a whole only; of "RL-based" RL alone is one.
    """
    spans: set[tuple[int, int]] = set()
    wanted = [
        term for term in positive_terms(query.root) if term.field is Field.ANYWHERE or term.field in _TEXT
    ]
    for tokens in token_places(text):
        for run in {run for term in wanted for run in term.runs}:
            spans.update(_run_spans(tokens, run))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _run_spans(tokens: Sequence[Place], run: Run) -> Iterator[tuple[int, int]]:
    length = len(run.tokens)
    for at in range(len(tokens) - length + 1):
        here = [place.token for place in tokens[at : at + length]]
        if run.is_open and here[-1].startswith(run.tokens[-1]):
            here[-1] = run.tokens[-1]
        if tuple(here) == run.tokens:
            yield tokens[at].start, tokens[at + length - 1].end


def _streams(documents: Sequence[Document], field: Field) -> list[str]:
    return [getattr(each, field.value) for each in documents]


class _Column:
    """One field of all papers: which papers have a token, and their streams for what needs positions."""

    def __init__(self, streams: Sequence[str], field: Field) -> None:
        self._within_names = field is Field.AUTHOR
        self._streams = [f" {stream} " for stream in streams]
        self._masks: dict[str, int] = {}
        masks = self._masks
        for index, stream in enumerate(streams):
            bit = 1 << index
            for token in set(stream.split()):
                masks[token] = masks.get(token, 0) | bit
        self._sorted: list[str] = []

    def any_of(self, runs: Sequence[Run]) -> int:
        """The papers that have one of `runs`."""
        found = 0
        for run in runs:
            found |= self._run(run)
        return found

    def _run(self, run: Run) -> int:
        found = self._token(run.tokens[-1], run.is_open)
        for token in run.tokens[:-1]:
            found &= self._masks.get(token, 0)
        if len(run.tokens) == 1 or not found:
            return found
        holds = self._holds_name if self._within_names else self._holds_phrase
        return sum(1 << index for index in _bits(found) if holds(index, run))

    def _token(self, token: str, is_open: bool) -> int:
        return self._prefix(token) if is_open else self._masks.get(token, 0)

    def _prefix(self, start: str) -> int:
        if not self._sorted:
            self._sorted = sorted(self._masks)
        found = 0
        for place in range(bisect_left(self._sorted, start), len(self._sorted)):
            token = self._sorted[place]
            if not token.startswith(start):
                break
            found |= self._masks[token]
        return found

    def _holds_phrase(self, index: int, run: Run) -> bool:
        phrase = " ".join(run.tokens)
        return (f" {phrase}" if run.is_open else f" {phrase} ") in self._streams[index]

    def _holds_name(self, index: int, run: Run) -> bool:
        """FTS5's NEAR: at most NAME_GAP tokens between the first and the last of the words."""
        *whole, last = run.tokens
        stream = self._streams[index].split()
        places = [[at for at, token in enumerate(stream) if token == word] for word in whole]
        places.append(
            [
                at
                for at, token in enumerate(stream)
                if (token.startswith(last) if run.is_open else token == last)
            ]
        )
        return any(
            all(any(start <= at <= start + NAME_GAP + 1 for at in each) for each in places)
            for start in {at for each in places for at in each}
        )


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _reason(places: Sequence[tuple[str, str, int]], index: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields and the words of one hit, each once, fields in the order of a paper."""
    here = [(text, field) for text, field, mask in places if mask >> index & 1]
    fields = {field for _, field in here}
    return (
        tuple(field for field in _MATCH_FIELDS.values() if field in fields),
        tuple(dict.fromkeys(text for text, _ in here)),
    )
