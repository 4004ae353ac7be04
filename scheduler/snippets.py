"""The part of a text where a query's words stand, with the words marked. Pure."""

from __future__ import annotations

import unicodedata

from scheduler.matching import hit_spans
from scheduler.query import Field, Query

Pieces = tuple[tuple[str, bool], ...]

_BEFORE = 40
"""Letters kept in front of the first hit, so that it does not stand at the very edge."""


def snippet(text: str, query: Query, width: int) -> Pieces:
    """At most about `width` letters of an abstract around the first hit, as (piece, whether it is a hit) in order.

    Where nothing of the query stands in the text, the beginning of it. "…" stands where it was cut.
    """
    places = hit_spans(text, query, Field.ABSTRACT)
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
