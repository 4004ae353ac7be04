"""Whether a translation is whole: as long as its source, sentence for sentence, translated, and said once. Pure.

Sentences are aligned by their lengths (after Gale and Church, 1993): a sentence that was left out is told from two
that were made one, because the rest then fits worse.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from scheduler.text import sentences

_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z0-9]+(?:['’-][A-Za-z0-9]+)*")
_TOKEN = re.compile(r"[\u3400-\u9fff]|[A-Za-z0-9]+")
_ENGLISH_RUN = re.compile(r"(?:\b[a-z]{2,20}[,;:]?(?: |$)|\b(?:a|I|[A-Z][a-z]{1,20})[,;:]? )+")
_FUNCTION_WORDS = frozenset(
    "the of and to in a is that for with as on by this we are from which it be".split()
)

LENGTH_PER_WORD = 1.9
"""Chinese characters (Latin words count two) for each English word, the mean of 143 abstracts; they vary by 6 %."""

_SHORTEST, _LONGEST = 0.7, 1.4
_SHORTEST_TITLE, _LONGEST_TITLE = 0.35, 2.6
_LEAST_WORDS = 30
_VARIANCE = 1.6
"""Of a sentence's length, for each English word; as measured on the same abstracts."""

_BEADS = {(1, 1): 0.1, (2, 1): 3.0, (1, 2): 3.0, (2, 2): 5.0, (1, 0): 5.0, (0, 1): 5.0}
"""How many sentences of the source are how many of the target, and what each costs beside its length."""

_MOST_SENTENCES = 60
_REPEATED = 18
_PERIOD = 24
_LOOP = 12
_SEED = 4
_QUOTED = 8
_LEAST_TOKENS = 5


@dataclass(frozen=True, slots=True)
class Gap:
    """What is not whole: kind "untranslated", "length", "missing" or "repeated", and the place in short."""

    kind: str
    detail: str


def gaps(source: str, target: str, *, is_title: bool) -> tuple[Gap, ...]:
    """What is not whole in a Chinese `target` of an English `source`, the gravest only."""
    found = _untranslated(source, target) or _length(source, target, is_title)
    if found is None and not is_title:
        found = _missing(source, target)
    return tuple(gap for gap in (found, loop(target, source)) if gap is not None)


def loop(text: str, source: str = "") -> Gap | None:
    """The first piece of `text` that is said again and again, or twice at length, where `source` does not do so."""
    again = _again(text)
    return Gap("repeated", f"“{again}”") if again and not _again(source) else None


def _again(text: str) -> str:
    """The beginning of what is repeated in a text, "" where nothing is."""
    tokens = _TOKEN.findall(text)
    place = _repetition(tokens)
    if place is not None:
        return _joined(tokens[place : place + _QUOTED])
    seen: set[str] = set()
    for sentence in sentences(text):
        if sentence in seen and len(_TOKEN.findall(sentence)) >= _LEAST_TOKENS:
            return _joined(_TOKEN.findall(sentence)[:_QUOTED])
        seen.add(sentence)
    return ""


def _repetition(tokens: Sequence[str]) -> int | None:
    """Where a piece begins that follows upon itself twice, or that comes again anywhere in _REPEATED tokens.

    Every piece of four tokens is compared with the last one like it, and both are followed as far as they agree.
    """
    last: dict[tuple[str, ...], int] = {}
    checked = 0
    for place in range(len(tokens) - _SEED + 1):
        piece = tuple(tokens[place : place + _SEED])
        before = last.get(piece)
        last[piece] = place
        if before is None or place < checked:
            continue
        end = place
        while end < len(tokens) and tokens[end] == tokens[end - place + before]:
            end += 1
        period = place - before
        if end - place >= (max(_LOOP, 2 * period) if period <= _PERIOD else _REPEATED):
            return before
        checked = end - _SEED + 1
    return None


def _joined(tokens: Sequence[str]) -> str:
    text = ""
    for token in tokens:
        text += f" {token}" if text and text[-1].isascii() and token[0].isascii() else token
    return f"{text}…"


def _untranslated(source: str, target: str) -> Gap | None:
    """English that stayed: nearly all of the target, or a run of words that only prose has."""
    han, words = len(_HAN.findall(target)), _prose(target)
    if len(_prose(source)) >= 2 and (len(words) > han if han else len(words) >= 2):
        return Gap("untranslated", _shortened(target))
    for run in _ENGLISH_RUN.finditer(target):
        prose = run.group().lower().split()
        if len(prose) >= 7 and len(_FUNCTION_WORDS & set(prose)) >= 2:
            return Gap("untranslated", _shortened(run.group().strip()))
    return None


def _prose(text: str) -> list[str]:
    return [word for word in _LATIN.findall(text) if word.islower() and word.isalpha() and len(word) > 1]


def _shortened(text: str, words: int = 6) -> str:
    parts = text.split()
    return f"“{' '.join(parts[:words])}{' …' if len(parts) > words else ''}”"


def _length(source: str, target: str, is_title: bool) -> Gap | None:
    expected, actual = _words(source) * LENGTH_PER_WORD, _size(target)
    least, most = (_SHORTEST_TITLE, _LONGEST_TITLE) if is_title else (_SHORTEST, _LONGEST)
    if not expected or (not is_title and _words(source) < _LEAST_WORDS):
        return None
    share = actual / expected
    return None if least <= share <= most else Gap("length", f"{share:.0%}")


def _words(text: str) -> int:
    return len(_LATIN.findall(text))


def _size(text: str) -> float:
    return len(_HAN.findall(text)) + 2.0 * len(_LATIN.findall(text))


def _missing(source: str, target: str) -> Gap | None:
    """The first sentence of the source that nothing in the target can be the translation of."""
    theirs, ours = sentences(source), sentences(target)
    if len(theirs) <= len(ours) or len(theirs) > _MOST_SENTENCES or not ours:
        return None
    words = [float(_words(each)) for each in theirs]
    # A terse translator is no one who leaves things out: half of the measure is the translation's own.
    rate = (LENGTH_PER_WORD + _size(target) / max(sum(words), 1.0)) / 2
    left_out = _left_out([rate * each for each in words], [_size(each) for each in ours])
    return Gap("missing", f"{_shortened(theirs[left_out])} → ?") if left_out is not None else None


def _left_out(source: list[float], target: list[float]) -> int | None:
    """The place of the first source sentence that the cheapest alignment leaves without a counterpart."""

    @cache
    def cheapest(i: int, j: int) -> tuple[float, tuple[int, int]]:
        if i == len(source) and j == len(target):
            return 0.0, (0, 0)
        best = (math.inf, (1, 0))
        for (a, b), price in _BEADS.items():
            if i + a <= len(source) and j + b <= len(target):
                cost = price + (_misfit(sum(source[i : i + a]), sum(target[j : j + b])) if a and b else 0.0)
                best = min(best, (cost + cheapest(i + a, j + b)[0], (a, b)))
        return best

    i = j = 0
    while i < len(source) or j < len(target):
        a, b = cheapest(i, j)[1]
        if (a, b) == (1, 0):
            return i
        i, j = i + a, j + b
    return None


def _misfit(expected: float, size: float) -> float:
    return (size - expected) ** 2 / (2 * _VARIANCE * max(expected / LENGTH_PER_WORD, 1.0))
