"""The part of a text where a query's words stand, with the words marked. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from scheduler import tokens
from scheduler.query import Field, Query, positive_terms

Pieces = tuple[tuple[str, bool], ...]

_CHUNK = re.compile(r"[\u3400-\u9fff]+|[^\s\u3400-\u9fff]+")
_TEXT_FIELDS = (Field.ANYWHERE, Field.TITLE, Field.ABSTRACT)
_BEFORE = 40
"""Letters kept in front of the first hit, so that it does not stand at the very edge."""


def snippet(text: str, query: Query, width: int) -> Pieces:
    """At most about `width` letters of `text` around the first hit, as (piece, whether it is a hit) in order.

    Where nothing of the query stands in the text, the beginning of it. "…" stands where it was cut.
    """
    places = _hit_places(text, query)
    start, end = _window(text, places[0][0] if places else 0, width)
    pieces: list[tuple[str, bool]] = [("… ", False)] if start else []
    at = start
    for first, last in places:
        if first >= start and last <= end and first >= at:
            pieces += [(text[at:first], False), (text[first:last], True)]
            at = last
    pieces.append((text[at:end] + (" …" if end < len(text) else ""), False))
    return tuple(piece for piece in pieces if piece[0])


def _window(text: str, hit: int, width: int) -> tuple[int, int]:
    start = max(0, min(hit - _BEFORE, len(text) - width))
    if start:
        blank = text.find(" ", start, hit + 1)
        start = blank + 1 if blank >= 0 else start
    end = min(len(text), start + width)
    if end < len(text):
        blank = text.rfind(" ", max(start, hit + 1), end)
        end = blank if blank > start else end
    return start, _whole(text, end)


def _whole(text: str, end: int) -> int:
    """`end`, moved so that no letter is parted from its marks."""
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return end


def _hit_places(text: str, query: Query) -> list[tuple[int, int]]:
    """Where words of the query stand, in order: whole words of the text, or runs of Chinese."""
    wanted, beginnings = _wanted(query)
    places = []
    for chunk in _CHUNK.finditer(text):
        found = set(tokens.stream(chunk.group()))
        if found & wanted or any(word.startswith(tuple(beginnings)) for word in found if beginnings):
            places.append(_inner(chunk.group(), chunk.start(), wanted))
    return places


def _inner(chunk: str, at: int, wanted: set[str]) -> tuple[int, int]:
    """The hit within one chunk: for Chinese the wanted word itself, else the chunk without punctuation around it."""
    chinese = [word for word in wanted if word in chunk and not word.isascii()]
    if chinese:
        word = max(chinese, key=len)
        return at + chunk.index(word), at + chunk.index(word) + len(word)
    core = chunk.strip("()[]{}.,;:!?\"'“”‘’—–-")
    first = chunk.index(core) if core else 0
    return at + first, at + first + len(core or chunk)


def _wanted(query: Query) -> tuple[set[str], Sequence[str]]:
    closed: set[str] = set()
    beginnings: list[str] = []
    for term in positive_terms(query.root):
        if term.field not in _TEXT_FIELDS:
            continue
        for run in term.runs:
            closed.update(run.tokens[:-1] if run.is_open else run.tokens)
            if not run.is_open and not any(token.isascii() for token in run.tokens):
                closed.add("".join(run.tokens))  # a Chinese phrase stands in one piece
            if run.is_open:
                beginnings.append(run.tokens[-1])
    return closed, beginnings
