"""Which papers are near each other, and near what a chat liked: tf-idf vectors and a linear model over them. Pure.

    words of title and abstract | tf-idf, unit length | cosine                 similar papers
    signals | weighted mean of the liked − of the disliked | dot product       a chat's own order

The model is the nearest-centroid one (Rocchio's): with the few dozen signals that one chat gives it is as good as what
takes longer to fit, it can be explained by the liked paper that is nearest, and it costs microseconds a paper.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from scheduler.models import Paper, Reason, Wording
from scheduler.tokens import tokens

Vector = Mapping[str, float]
"""A paper's telling words with their weights; of unit length, {} for a paper without any."""

TITLE_COUNTS = 3
LONGEST_VECTOR = 60
"""So many of its most telling words stand for a paper."""

ENOUGH = 5
"""Papers with a signal from which on a chat's taste is known."""

LONGEST_TASTE = 500
"""So many words, the strongest ones, are kept of what a chat likes and dislikes."""

REASONS = 60
REASON_WORDS = 20
"""The liked papers that may be named as a reason, and how many words of each are kept."""

_LITTLE = frozenset(
    "about across after all also an and any are as at based be been before between both but by can do "
    "does each for from has have how however in into is it its more most no not of on one only or other "
    "our over own same show so some such than that the their them then there these they this those "
    "through thus to two under up use using via was we were what when where whether which while who whose "
    "why will with within without yet "
    "achieve address aim allow apply approach challenge challenging common complex consider contribution current "
    "demonstrate demonstrating design develop different diverse effect effective effectively effectiveness efficient "
    "enable enabling ensure evaluate evaluation existing experiment experimental explicitly extensive finally first "
    "focus framework further general good high highlight important improve improved improving include including "
    "introduce introducing key large leading leverage leveraging limited low mainly major many method moreover "
    "multiple need new non novel number often paper particular perform performance post potential present previous "
    "problem propose proposed provide recent recently reduce remain require result role several shift significant "
    "significantly simple single small specific state study substantially suggest superior support task technique "
    "term toward traditional type typically understand useful various well widely work".split()
)
"""Words that say nothing of a subject, however rare they are in a small archive (as plurals are folded)."""

SIMILAR = 0.06
"""So near a paper must be to count as similar, also to the liked one that is named as a reason."""

TYPICAL = 4.0
"""The rarity of a word that nobody has looked up: one of fifty papers has it."""

SHARED = 5
"""So many shared words are named."""

_AGAINST = 0.75
_DAMPED = (0.0, *(1.0 + math.log(count) for count in range(1, 100)))
"""What so many occurrences of a word count."""


@dataclass(frozen=True, slots=True)
class Example:
    """A paper that a chat's people did something with: `weight` above 0 for liked ones, below for disliked.

    `reason` is a stable key of what was done ("saved", "liked", "opened").
    """

    title: str
    vector: Vector
    weight: float
    reason: str


@dataclass(frozen=True, slots=True)
class Taste:
    """What a chat's signals say: the model's weights, and the liked papers that can be named as a reason."""

    weights: Vector
    liked: tuple[Example, ...]

    def score(self, paper: Vector) -> float:
        """How well a paper suits the chat: higher is better, 0 for one that has nothing in common."""
        return dot(paper, self.weights)

    def reason(self, paper: Vector, title: str = "") -> Reason | None:
        """The liked paper that is nearest to this one, None when none is near; the one of that `title` is no reason."""
        best, near = None, SIMILAR
        for one in self.liked:
            nearness = dot(one.vector, paper)
            if nearness > near and one.title != title:
                best, near = one, nearness
        return Reason(best.reason, best.title) if best is not None else None

    def to_json(self) -> str:
        """A text that `from_json` turns back into this taste, weights rounded."""
        liked = [[one.title, _rounded(one.vector), one.weight, one.reason] for one in self.liked]
        return json.dumps([_rounded(self.weights), liked], ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Taste:
        """The taste that `to_json` wrote."""
        weights, liked = json.loads(text)
        return cls(weights, tuple(Example(*one) for one in liked))


def _rounded(vector: Vector) -> dict[str, float]:
    return {term: round(weight, 4) for term, weight in vector.items()}


def term_counts(paper: Paper, wordings: Mapping[str, Wording]) -> Mapping[str, int]:
    """How often each word occurs in a paper, those of the title three times as much; numbers are left out.

    Where there is no abstract, the English TL;DR stands for it.
    """
    english = wordings.get("en", Wording("en"))
    return _counts(paper.title, paper.abstract or english.tldr)


@lru_cache(maxsize=4096)
def _counts(title: str, abstract: str) -> Mapping[str, int]:
    counts = Counter(tokens(abstract))
    for term in tokens(title):
        counts[term] += TITLE_COUNTS
    return {term: count for term, count in counts.items() if _says_something(term)}


def _says_something(term: str) -> bool:
    return term not in _LITTLE and not (
        term.isascii() and (len(term) == 1 or term.replace(".", "").isdigit())
    )


def rarity(frequency: int, papers: int) -> float:
    """How telling a word is that occurs in `frequency` of `papers` papers; 0 for one of more than half of them."""
    idf = math.log(max(papers, 2) / (1.0 + frequency))
    return idf if idf > math.log(2) else 0.0


def vector(counts: Mapping[str, int], rarities: Mapping[str, float]) -> Vector:
    """The tf-idf vector of a paper, from how often each word occurs in it and how telling that word is."""
    weights = {
        term: _damped(count) * telling
        for term, count in counts.items()
        if (telling := rarities.get(term, 0.0))
    }
    kept = sorted(weights.items(), key=lambda entry: (-entry[1], entry[0]))[:LONGEST_VECTOR]
    return _unit(dict(kept))


def _damped(count: int) -> float:
    return _DAMPED[min(count, len(_DAMPED) - 1)]


def nearness(
    own: Vector, rarities: Mapping[str, float], counts: Mapping[str, int]
) -> tuple[float, tuple[str, ...]]:
    """How near a paper with these `counts` is to `own`, 0 to 1, and the words that both share, most telling first.

    The cosine, but for words that only the other paper has: `rarities` need hold only those of the own paper, and
    all others count as `TYPICAL`. So a search for similar papers looks up the words of one paper, not of all.
    """
    products: dict[str, float] = {}
    length = 0.0
    for term, count in counts.items():
        weight = _damped(count) * rarities.get(term, TYPICAL)
        length += weight * weight
        if term in own:
            products[term] = weight * own[term]
    shared = sorted(products, key=lambda term: (-products[term], term))
    return (sum(products.values()) / math.sqrt(length) if length else 0.0), tuple(shared[:SHARED])


def _unit(weights: Vector) -> Vector:
    length = math.sqrt(sum(weight * weight for weight in weights.values()))
    return {term: weight / length for term, weight in weights.items()} if length else {}


def dot(one: Vector, other: Vector) -> float:
    """The product of two vectors: of two papers' the cosine of their angle, 0 to 1."""
    if len(one) > len(other):
        one, other = other, one
    return sum(weight * other[term] for term, weight in one.items() if term in other)


def learn(examples: Sequence[Example]) -> Taste | None:
    """What a chat's signals say, None when they are too few or nothing is liked."""
    liked = [one for one in examples if one.weight > 0 and one.vector]
    disliked = [one for one in examples if one.weight < 0 and one.vector]
    if len(examples) < ENOUGH or not liked:
        return None
    weights = dict(_mean(liked))
    for term, weight in _mean(disliked).items():
        weights[term] = weights.get(term, 0.0) - _AGAINST * weight
    strongest = sorted(weights.items(), key=lambda entry: (-abs(entry[1]), entry[0]))[:LONGEST_TASTE]
    named = sorted(liked, key=lambda one: -one.weight)[:REASONS]
    return Taste(dict(strongest), tuple(map(_shortened, named)))


def _mean(examples: Iterable[Example]) -> Vector:
    """The mean direction of the examples, each by its weight."""
    total: dict[str, float] = {}
    for one in examples:
        for term, weight in one.vector.items():
            total[term] = total.get(term, 0.0) + abs(one.weight) * weight
    return _unit(total)


def _shortened(one: Example) -> Example:
    kept = sorted(one.vector.items(), key=lambda entry: -entry[1])[:REASON_WORDS]
    return Example(one.title, dict(kept), one.weight, one.reason)
