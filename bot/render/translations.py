"""`paperboy translations`: which papers have Chinese words, and what the checks doubt in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler.models import PaperId, Wording

Words = tuple[PaperId, Wording]


def flag_objects(paper_id: PaperId, word: Wording) -> list[dict[str, str]]:
    """One JSON object for each place that the checks doubt: id, field, kind, severity, detail."""
    return [
        {"id": paper_id, "field": one.field, "kind": one.kind, "severity": one.severity, "detail": one.detail}
        for one in word.flags
    ]


def word_object(words: Words) -> dict[str, Any]:
    """One JSON object for a paper's Chinese words: what there is, who wrote it, and what is doubted."""
    paper_id, word = words
    return {
        "id": paper_id,
        "lang": word.lang,
        "status": str(word.status),
        "origin": word.origin,
        "translator": word.translator or word.origin,
        "title": word.title,
        "tldr": word.tldr,
        "abstract": word.abstract,
        "flags": flag_objects(paper_id, word),
    }


def flag_table(words: Sequence[Words]) -> str:
    """A line for each place: id, field, kind, severity, detail; and how many of how many papers."""
    rows = [[*one.values()] for each in words for one in flag_objects(*each)]
    if not rows:
        return "No translation is flagged."
    return "\n".join([*_aligned(rows), "", f"{_count(len(rows), 'place')} in {_count(len(words), 'paper')}"])


def word_table(words: Sequence[Words]) -> str:
    """A line for each paper: id, status, who translated, title."""
    if not words:
        return "No paper has Chinese words yet."
    rows = [[paper_id, str(one.status), one.translator or one.origin, one.title] for paper_id, one in words]
    return "\n".join([*_aligned(rows), "", _count(len(rows), "paper")])


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows in columns; the last column is as long as it likes."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)), row[-1]])
        for row in rows
    ]


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
