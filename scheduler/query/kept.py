"""Reading what was kept of a query (`Query.canonical`) in pieces: mostly terms side by side, met again and again.

rl "world model" -survey        every piece, or its opposite
rl OR "policy gradient"         any piece
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scheduler.tokens import Run, runs_of

_PIECE = re.compile(r'(?:[^\s"]|"[^"]*")+')
_PLAIN = re.compile(r'[a-z]+|"[a-z]+(?: [a-z]+)*"')


class Pieces(NamedTuple):
    """The terms of a canonical text, those behind a minus apart; `is_either` when one of them will do."""

    wanted: list[str]
    unwanted: list[str]
    is_either: bool


def pieces(text: str) -> Pieces | None:
    """The terms that a canonical text is made of; None for one with brackets, which has to be read as a whole."""
    if "(" in text or text.count('"') % 2:
        return None
    if " OR " in text:
        found = _PIECE.findall(text)
        return Pieces(found[::2], [], is_either=True) if set(found[1::2]) == {"OR"} else None
    found = _PIECE.findall(text) if '"' in text else text.split(" ")
    if " -" not in text:
        return Pieces(found, [], is_either=False)
    wanted = [piece for piece in found if not piece.startswith("-")]
    unwanted = [piece[1:] for piece in found if piece.startswith("-")]
    return Pieces(wanted, unwanted, is_either=False) if wanted else None


def plain_runs(piece: str) -> tuple[Run, ...] | None:
    """What a piece looks for in title and abstract (`Term.runs`); None for all but plain words and phrases."""
    return runs_of(piece.strip('"').split(" ")) if _PLAIN.fullmatch(piece) else None
