"""A page of search results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from bot.markup import Block, Line, LineKind, Span, Style
from bot.render.paper_words import (
    Wordings,
    abstract_page,
    bold_link,
    code,
    dotted,
    line,
    marked_chinese_title,
    tldrs,
)
from bot.render.view import View
from scheduler.models import Paper

TLDR = 160


@dataclass(frozen=True, slots=True)
class Result:
    """One paper that was found. `snippet` is a piece of its text as (text, is a hit); () for none.

    `shared` are words that it has in common with the paper that similar ones are shown of.
    """

    number: int
    paper: Paper
    wordings: Wordings
    date: date | None
    snippet: Sequence[tuple[str, bool]] = ()
    shared: Sequence[str] = ()


def search_page(
    query: str,
    results: Sequence[Result],
    total: int,
    view: View,
    *,
    exact: bool = True,
    by_relevance: bool = False,
) -> tuple[Block, ...]:
    """What was searched for (as it was typed), in which order, how many were found, and this page's results.

    Not `exact` means that counting stopped at `total`.
    """
    t = view.t
    order = t("best match first") if by_relevance else t("newest first")
    if not results and not total:
        return (Block((line(code(query)), line(t("Nothing found.")))),)
    number = t.number(total) if exact else f"{t.number(total)}+"
    head = dotted(code(query), order, t("{number} found", number=number), kind=LineKind.TEXT)
    return (Block((head,)), *(Block(_result_lines(result, view)) for result in results))


def similar_page(paper: Paper, results: Sequence[Result], view: View) -> tuple[Block, ...]:
    """A page of papers like `paper`, the nearest first."""
    head = Block(
        (
            line(view.t("Similar papers, the nearest first"), kind=LineKind.HEADING),
            dotted(paper.title, code(paper.id)),
        )
    )
    return (head, *(Block(_result_lines(result, view)) for result in results))


def meaning_page(text: str, results: Sequence[Result], view: View) -> tuple[Block, ...]:
    """What was meant, as it was typed, and the papers nearest to it."""
    head = dotted(code(text), view.t("nearest in meaning first"), kind=LineKind.TEXT)
    return (Block((head,)), *(Block(_result_lines(result, view)) for result in results))


def _result_lines(result: Result, view: View) -> tuple[Line, ...]:
    t, paper = view.t, result.paper
    lines = [line(f"{result.number}  ", bold_link(paper.title, abstract_page(paper)))]
    if chinese := marked_chinese_title(result.wordings, view.languages):
        lines.append(line(chinese))
    if result.snippet and any(is_hit for _, is_hit in result.snippet):
        lines.append(_snippet(result.snippet))
    elif said := tldrs(result.wordings, view.languages):
        lines.append(line(said[0].within(TLDR)))
    day = t.short_date(result.date) if result.date else ""
    shared = t("shares {words}", words=t.row(result.shared)) if result.shared else ""
    lines.append(dotted(day, paper.primary_category, code(paper.id), shared))
    return tuple(lines)


def _snippet(pieces: Sequence[tuple[str, bool]]) -> Line:
    return Line(tuple(Span(text, Style.ITALIC if is_hit else Style.PLAIN) for text, is_hit in pieces))
