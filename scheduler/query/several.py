"""Several queries in one line: `RL, "trust, safety", cat:cs.LG,cs.AI 90d`."""

from __future__ import annotations

import re
from typing import NamedTuple

_COMMAS = ",，、;；"
_QUOTES = {**dict.fromkeys('"“”„‟＂', '"'), "「": "」", "『": "』", "《": "》", "«": "»"}
_OPEN, _CLOSE = "([（【", ")]）】"
_SPAN = re.compile(rf"(?:^|[\s{_COMMAS}])(\d{{1,4}})\s?([dwmyDWMY天周月年])\s*$")
_DAYS = {
    **dict(zip("dwmy", (1, 7, 30, 365), strict=True)),
    **dict(zip("天周月年", (1, 7, 30, 365), strict=True)),
}
_LIST = re.compile(r"(?<!\S)-?\(?(?:cat|category|type|announced):\S*$", re.IGNORECASE)
_FAMILY_NAME = re.compile(r"(?<!\S)-?\(?(?:au|author|authors):[^\s,]+$", re.IGNORECASE)
_INITIALS = re.compile(r"\s*[A-Z]\.?(?:-?[A-Z]\.?){0,3}(?=[\s,]|$)")


class Several(NamedTuple):
    """The texts of the queries in order, each once, and the span in days that was named (None: none was)."""

    texts: tuple[str, ...]
    days: int | None


def several(text: str) -> Several:
    """`text` at its commas: not at those in quotes, in brackets, in a list of categories, before initials."""
    days: int | None = None
    if span := _SPAN.search(text):
        days = int(span[1]) * _DAYS[span[2].lower()]
        text = text[: span.start()]
    pieces = dict.fromkeys(" ".join(piece.split()) for piece in _pieces(text))
    return Several(tuple(piece for piece in pieces if piece), days)


def _pieces(text: str) -> list[str]:
    pieces, start, closing, depth = [], 0, "", 0
    for place, letter in enumerate(text):
        if closing:
            closing = "" if _QUOTES.get(letter, letter) == closing else closing
        elif letter in _QUOTES:
            closing = _QUOTES[letter]
        elif letter in _OPEN or letter in _CLOSE:
            depth = max(depth + (1 if letter in _OPEN else -1), 0)
        elif letter in _COMMAS and not depth and not _belongs(text[start:place], text[place + 1 :]):
            pieces.append(text[start:place])
            start = place + 1
    return [*pieces, text[start:]]


def _belongs(before: str, after: str) -> bool:
    """True for a comma that a query itself has: cat:cs.LG,cs.AI and au:Zhang, W."""
    in_list = bool(_LIST.search(before)) and bool(after) and not after[0].isspace()
    return in_list or bool(_FAMILY_NAME.search(before) and _INITIALS.match(after))
