"""A day's papers × every distinct query, at once; and what matched where.

    papers | tokens.document | per field: token → where it stands      (once a day)
    query  | masks of its terms | and, or, not | hits                  (once per distinct query)

Each paper is one bit. A word is a look-up, boolean operators are operators on whole numbers, and a phrase is
made of pairs. `scheduler.store.search` finds the same papers: both read the streams of
`scheduler.tokens`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial, reduce
from itertools import chain, compress, pairwise, repeat
from operator import and_, or_
from typing import NamedTuple

from scheduler.collecting import without_collecting
from scheduler.errors import QueryError
from scheduler.models import AnnounceType, Match, Paper, Wording
from scheduler.query import Field, Node, Not, Or, Query, Term, parse, positive_terms
from scheduler.query.kept import pieces, plain_runs
from scheduler.tokens import NAME_GAP, Document, Place, Run, document, token_places

_MATCH_FIELDS = {
    Field.TITLE: "title",
    Field.ABSTRACT: "abstract",
    Field.AUTHOR: "authors",
    Field.CATEGORY: "categories",
    Field.ID: "id",
    Field.SOURCE: "source",
    Field.TYPE: "type",
}
_TEXT = (Field.TITLE, Field.ABSTRACT)
_NO_TERM = -1
KEPT_PIECES = 1 << 17
"""Of so many words and phrases an index remembers the papers."""

_MANY = 40
"""From so many ones on, a mask is read faster digit by digit than one by one."""
_NO_TOKEN = ""
_GAP = [_NO_TOKEN] * (NAME_GAP + 1)
"""Behind each paper: no phrase and no name reaches over it."""
_NUMBERS = tuple(range(4096))
"""The same objects for the hits of every query: of the numbers beyond 256, Python would make new ones each time."""
_DIGITS = bytes.maketrans(b"01", b"\x00\x01")


class DayIndex:
    """Papers made ready for many queries. Indices are those of the sequence given.

    `types` holds, paper by paper, all that it was announced as; without it `type:` finds nothing.
    `day` is their announcement date: a query's date limits are held against it. Without it (papers that were
    chosen by date already) they let everything through.
    """

    def __init__(
        self,
        papers: Sequence[tuple[Paper, Mapping[str, Wording]]],
        *,
        types: Iterable[Collection[AnnounceType]] = (),
        day: date | None = None,
    ) -> None:
        self.size = len(papers)
        self.day = day
        documents = [
            document(paper, wordings, kinds)
            for (paper, wordings), kinds in zip(papers, chain(types, repeat(())), strict=False)
        ]
        with without_collecting():
            self._columns = _Columns(documents)
        self._all = (1 << self.size) - 1
        self._known = _Known(self._columns)

    def mask(self, query: Query, *, today: date | None = None) -> int:
        """The hits of `query` as bits: bit i is paper i. `today` resolves spans, else the papers' day."""
        if not self._in_time(query, today):
            return 0
        return self._all if query.root is None else self._evaluate(query.root)

    def mask_of(self, text: str) -> int:
        """The hits of a canonical text as bits: as `mask` of what it reads as, at a fraction of the cost.

        Raises QueryError for what cannot be read (any more).
        """
        found = pieces(text)
        if found is None:
            return self.mask(parse(text))
        wanted = [self._known[piece] for piece in found.wanted]
        unwanted = [self._known[piece] for piece in found.unwanted]
        if _NO_TERM in wanted or _NO_TERM in unwanted:
            return self.mask(parse(text))
        mask = reduce(or_ if found.is_either else and_, wanted)
        for one in unwanted:
            mask &= ~one
        return mask

    def papers(self, query: Query, *, today: date | None = None) -> tuple[int, ...]:
        """The indices of the papers that `query` finds, rising."""
        return tuple(places(self.mask(query, today=today)))

    def hits(self, query: Query, *, today: date | None = None) -> dict[int, Match]:
        """The papers that `query` finds by index, rising, and why."""
        found: dict[int, Match] = {}
        for mask, here in _by_reason(self.mask(query, today=today), self._places(query)):
            found |= dict.fromkeys(places(mask), _match(here))
        return dict(sorted(found.items()))

    def match(self, query: Query, index: int) -> Match:
        """Why `query` finds paper `index`, without asking whether it does."""
        return _match([place for place in self._places(query) if place.mask >> index & 1])

    def _in_time(self, query: Query, today: date | None) -> bool:
        if not query.limits or self.day is None:
            return True
        first, last = query.span(today or self.day)
        return (first is None or first <= self.day) and (last is None or self.day <= last)

    def _evaluate(self, node: Node) -> int:
        if isinstance(node, Term):
            return self._columns.any_of(node)
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

    def _places(self, query: Query) -> list[_Place]:
        return [
            _Place(term.text, _MATCH_FIELDS[field], mask)
            for term in positive_terms(query.root)
            for field, mask in self._columns.each(term)
        ]


def matches(index: DayIndex, texts: Iterable[str]) -> dict[str, int]:
    """For each canonical text that finds something its papers as bits, to be read with `places`.

    Raises QueryError for a text that cannot be read.
    """
    with without_collecting():
        return {text: mask for text in texts if (mask := index.mask_of(text))}


def hit_spans(text: str, query: Query, field: Field | None = None) -> list[tuple[int, int]]:
    """Where the words and phrases of `query` stand in clean `text` (start, end), rising, without overlaps.

    `field` says what the text is (title or abstract): what is looked for in the other one is no hit then.

    A phrase is a hit as a whole only; of "RL-based" RL alone is one.
    """
    spans: set[tuple[int, int]] = set()
    fields = (Field.ANYWHERE, *(_TEXT if field is None else (field,)))
    wanted = [term for term in positive_terms(query.root) if term.field in fields]
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


class _Columns(dict[Field, "_Column"]):
    """All fields of a day's papers."""

    def __init__(self, documents: Sequence[Document]) -> None:
        super().__init__()
        for field in _MATCH_FIELDS:
            self[field] = _Column([getattr(each, field.column) for each in documents], field)

    def each(self, term: Term) -> list[tuple[Field, int]]:
        """Per field that has the term, the papers that have it there."""
        fields = _TEXT if term.field is Field.ANYWHERE else (term.field,)
        masks = ((field, self[field].any_of(term.runs)) for field in fields)
        return [(field, mask) for field, mask in masks if mask]

    def any_of(self, term: Term) -> int:
        """The papers that have the term in any of its fields."""
        found = 0
        for _, mask in self.each(term):
            found |= mask
        return found


class _Known(dict[str, int]):
    """The papers that have a piece of a query (`scheduler.query.kept`), _NO_TERM for a text that is no term.

    What is asked for the first time is worked out.
    """

    def __init__(self, columns: _Columns) -> None:
        super().__init__()
        self._columns = columns

    def __missing__(self, piece: str) -> int:
        if len(self) >= KEPT_PIECES:
            self.clear()
        mask = self[piece] = self._worked_out(piece)
        return mask

    def _worked_out(self, piece: str) -> int:
        runs = plain_runs(piece)
        if runs is not None:
            return self._columns[Field.TITLE].any_of(runs) | self._columns[Field.ABSTRACT].any_of(runs)
        try:
            read = parse(piece)
        except QueryError:
            return _NO_TERM
        if not isinstance(read.root, Term) or read.limits or read.by_relevance:
            return _NO_TERM
        return self._columns.any_of(read.root)


class _Column:
    """One field of all papers: for each token the papers that have it.

    For phrases and names also as one stream of tokens with a gap behind each paper's, made when the first one is asked
    for; which tokens follow another is noted for those that phrases begin with.
    """

    def __init__(self, streams: Sequence[str], field: Field) -> None:
        self._within_names = field is Field.AUTHOR
        self._streams = streams
        self._bit = [1 << index for index in range(len(streams))]
        self._masks: defaultdict[str, int] = defaultdict(int)
        for bit, stream in zip(self._bit, streams, strict=True):
            for token in set(stream.split()):
                self._masks[token] |= bit
        self._sorted: list[str] = []
        self._followers: dict[str, dict[str, int]] = {}
        self._stream: list[str] = []
        self._paper_at = array("L")
        # Arrays, because the garbage collector walks through lists again and again.
        self._places: defaultdict[str, array[int]] = defaultdict(partial(array, "L"))

    def _lay_out(self) -> None:
        """Makes the one stream, once."""
        for index, stream in enumerate(self._streams):
            tokens = stream.split()
            self._stream += tokens
            self._stream += _GAP
            self._paper_at.extend([index] * (len(tokens) + len(_GAP)))
        for place, token in enumerate(self._stream):
            self._places[token].append(place)
        self._places.pop(_NO_TOKEN, None)

    def any_of(self, runs: Sequence[Run]) -> int:
        """The papers that have one of `runs`."""
        found = 0
        for run in runs:
            found |= self._run(run)
        return found

    def _run(self, run: Run) -> int:
        if len(run.tokens) == 1:
            return self._prefix(run.tokens[0]) if run.is_open else self._masks.get(run.tokens[0], 0)
        if not self._may_have(run):
            return 0
        if not self._stream:
            self._lay_out()
        return self._name(run) if self._within_names else self._phrase(run)

    def _may_have(self, run: Run) -> int:
        """The papers that have all whole tokens of `run` somewhere."""
        found = -1
        for token in run.tokens[:-1] if run.is_open else run.tokens:
            found &= self._masks.get(token, 0)
        return found

    def _papers_at(self, places: Iterable[int]) -> int:
        papers = set(map(self._paper_at.__getitem__, places))
        return sum(map(self._bit.__getitem__, papers))

    def _prefix(self, start: str) -> int:
        found = 0
        for token in self._beginning(start):
            found |= self._masks[token]
        return found

    def _beginning(self, start: str) -> Iterator[str]:
        if not self._sorted:
            self._sorted = sorted(self._masks)
        for at in range(bisect_left(self._sorted, start), len(self._sorted)):
            if not self._sorted[at].startswith(start):
                return
            yield self._sorted[at]

    def _phrase(self, run: Run) -> int:
        whole = list(run.tokens[:-1] if run.is_open else run.tokens)
        found = -1
        for first, second in pairwise(whole):
            found &= self._after(first).get(second, 0)
        if run.is_open:
            found &= self._open_after(whole[-1], run.tokens[-1])
        return self._with_whole(whole, run, found) if len(run.tokens) > 2 and found else found

    def _after(self, token: str) -> dict[str, int]:
        """The tokens that stand right behind `token`, each with the papers where it does."""
        known = self._followers.get(token)
        if known is None:
            known = self._followers[token] = {}
            stream, paper_at, bit = self._stream, self._paper_at, self._bit
            for place in self._places.get(token, ()):
                second = stream[place + 1]
                known[second] = known.get(second, 0) | bit[paper_at[place]]
        return known

    def _open_after(self, token: str, start: str) -> int:
        found = 0
        for second, mask in self._after(token).items():
            if second.startswith(start):
                found |= mask
        return found

    def _with_whole(self, whole: list[str], run: Run, candidates: int) -> int:
        """Those of `candidates` that have all of `run` side by side, not only each pair of it."""
        rarest = min(range(len(whole)), key=lambda at: len(self._places[whole[at]]))
        stream, paper_at, length, papers = self._stream, self._paper_at, len(whole), set(places(candidates))
        starts = (place - rarest for place in self._places[whole[rarest]] if paper_at[place] in papers)
        found = (start for start in starts if stream[start : start + length] == whole)
        if run.is_open:
            found = (start for start in found if stream[start + length].startswith(run.tokens[-1]))
        return self._papers_at(found)

    def _name(self, run: Run) -> int:
        """The papers with all words of `run` in one name; as FTS5's NEAR, at most NAME_GAP tokens between two."""
        *front, last = run.tokens
        places = [set(self._places.get(token, ())) for token in front]
        ends = self._beginning(last) if run.is_open else (last,)
        places.append({place for token in ends for place in self._places.get(token, ())})
        return self._papers_at(
            start
            for start in set().union(*places)
            if all(any(start + offset in each for offset in range(NAME_GAP + 2)) for each in places)
        )


def places(mask: int) -> Sequence[int]:
    """The indices of the papers that are bits of a mask, rising."""
    if mask.bit_count() > _MANY:
        digits = f"{mask:b}".encode()[::-1].translate(_DIGITS)
        return list(compress(_NUMBERS if len(digits) <= len(_NUMBERS) else range(len(digits)), digits))
    found = []
    while mask:
        lowest = mask & -mask
        place = lowest.bit_length() - 1
        found.append(_NUMBERS[place] if place < len(_NUMBERS) else place)
        mask ^= lowest
    return found


class _Place(NamedTuple):
    """A word of a query in one field, and the papers that have it there."""

    word: str
    field: str
    mask: int


def _by_reason(mask: int, places: Sequence[_Place]) -> list[tuple[int, list[_Place]]]:
    """The papers of `mask` in groups that have the same of `places`."""
    groups: list[tuple[int, list[_Place]]] = [(mask, [])] if mask else []
    for place in places:
        parted = []
        for group, here in groups:
            if within := group & place.mask:
                parted.append((within, [*here, place]))
            if without := group & ~place.mask:
                parted.append((without, here))
        groups = parted
    return groups


def _match(places: Sequence[_Place]) -> Match:
    """The fields and the words of one hit, each once, fields in the order of a paper."""
    fields = {place.field for place in places}
    return Match(
        tuple(field for field in _MATCH_FIELDS.values() if field in fields),
        tuple(dict.fromkeys(place.word for place in places)),
    )
