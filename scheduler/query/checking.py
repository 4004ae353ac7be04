"""Queries that read well and still cannot be answered: only exclusions, or nothing that could match."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from scheduler.categories import is_misnamed
from scheduler.query.dates import DateLimit, narrowest
from scheduler.query.problems import FaultError, Problem
from scheduler.query.syntax import And, Field, Node, Not, Or, Term
from scheduler.tokens import Run

_ANY_DAY = date(2000, 1, 1)
_SPANS = "dwmy"

Places = Sequence[tuple[Term, int]]
"""Where each term of a query stands in its text, in order."""


def check(root: Node | None, limits: tuple[DateLimit, ...], places: Places, limit_place: int) -> None:
    """Raises FaultError for a query that only excludes or that no paper can match.

    `limit_place` is where the last of `limits` stands in the text.
    """
    if root is not None:
        _check_node(root, places)
    if limits:
        _check_dates(limits, limit_place)


def _check_node(node: Node, places: Places) -> None:
    if isinstance(node, Term):
        if node.field is Field.CATEGORY and is_misnamed(node.text):
            raise FaultError(Problem.UNKNOWN_CATEGORY, _place(node, places), node.text)
        return
    if isinstance(node, Not):
        raise FaultError(Problem.ONLY_NEGATIVE, _place(node, places), str(node))
    wanted = [part for part in node.parts if not isinstance(part, Not)]
    unwanted = [part.part for part in node.parts if isinstance(part, Not)]
    if not wanted or (isinstance(node, Or) and unwanted):
        raise FaultError(Problem.ONLY_NEGATIVE, _place(node, places), str(node))
    for part in (*wanted, *unwanted):
        _check_node(part, places)
    if not isinstance(node, And):
        return
    for other in wanted:
        alternatives = other.parts if isinstance(other, Or) else (other,)
        excluded = [next((part for part in unwanted if implies(one, part)), None) for one in alternatives]
        if excluded[-1] is not None and None not in excluded:
            raise FaultError(Problem.CONTRADICTION, _place(excluded[-1], places), str(excluded[-1]))


def _place(node: Node, places: Places) -> int:
    """Where the first term under an exclusion, or else the first term, stands."""
    if isinstance(node, Term):
        return next((place for term, place in reversed(places) if term == node), 0)
    if isinstance(node, Not):
        return _place(node.part, places)
    excluded = [part for part in node.parts if isinstance(part, Not)]
    return _place((*excluded, *node.parts)[0], places)


def implies(node: Node, other: Node) -> bool:
    """True when every paper that has `node` surely has `other`; False also where that is not obvious."""
    if isinstance(node, Or):
        return all(implies(part, other) for part in node.parts)
    if isinstance(other, And):
        return all(implies(node, part) for part in other.parts)
    if isinstance(node, And) and any(implies(part, other) for part in node.parts):
        return True
    if isinstance(other, Or):
        return any(implies(node, part) for part in other.parts)
    if isinstance(node, Term) and isinstance(other, Term):
        return _term_implies(node, other)
    return False


def _term_implies(term: Term, other: Term) -> bool:
    in_text = (Field.TITLE, Field.ABSTRACT)
    if term.field is not other.field and not (other.field is Field.ANYWHERE and term.field in in_text):
        return False
    contains = _has_words if term.field is Field.AUTHOR else _has_run
    return all(any(contains(run, wanted) for wanted in other.runs) for run in term.runs)


def _has_words(run: Run, wanted: Run) -> bool:
    return not wanted.is_open and not run.is_open and set(wanted.tokens) <= set(run.tokens)


def _has_run(run: Run, wanted: Run) -> bool:
    """True when the tokens of `run` hold those of `wanted` side by side."""
    length = len(wanted.tokens)
    for start in range(len(run.tokens) - length + 1):
        *front, last = run.tokens[start : start + length]
        is_last_open = run.is_open and start + length == len(run.tokens)
        if tuple(front) == wanted.tokens[:-1] and _token_implies(last, is_last_open, wanted):
            return True
    return False


def _token_implies(token: str, is_open: bool, wanted: Run) -> bool:
    return (
        token.startswith(wanted.tokens[-1]) if wanted.is_open else token == wanted.tokens[-1] and not is_open
    )


def _check_dates(limits: tuple[DateLimit, ...], place: int) -> None:
    """Dates of one kind can be compared whatever the day; a span and a date cannot."""
    for relative in (True, False):
        same = tuple(limit for limit in limits if (limit.when[-1] in _SPANS) is relative)
        first, last = narrowest(same, _ANY_DAY)
        if first is not None and last is not None and first > last:
            raise FaultError(Problem.DATES_APART, place, " ".join(map(str, same)))
