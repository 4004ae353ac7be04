"""What a query means, as pieces that `bot.locale` puts into words of a language."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from scheduler.query.dates import DateLimit
from scheduler.query.syntax import And, Field, Kind, Node, Not, Or, Query, Term


class Join(StrEnum):
    """How the parts of a clause belong together."""

    ALL = "all"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement about a paper: a term (`kind`, `field`, `text`), or `parts` under `join`.

    `is_open` says that the text is only the beginning. `excluded` turns it round. Neighbouring words and phrases of one
    field can be named in one breath: they are parts of one clause.
    """

    kind: Kind | None = None
    field: Field = Field.ANYWHERE
    text: str = ""
    join: Join | None = None
    parts: tuple[Clause, ...] = ()
    excluded: bool = False
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Explanation:
    """A query in pieces: what must hold (None: nothing but the dates), the date limits, the order."""

    clause: Clause | None
    limits: tuple[DateLimit, ...]
    by_relevance: bool


def explain(query: Query) -> Explanation:
    """The pieces of `query`, in its order; excluded ones last within their clause."""
    clause = _clause(query.root) if query.root is not None else None
    return Explanation(clause, query.limits, query.by_relevance)


def _clause(node: Node, excluded: bool = False) -> Clause:
    if isinstance(node, Not):
        return _clause(node.part, not excluded)
    if isinstance(node, Term):
        return Clause(node.kind, node.field, node.text, excluded=excluded, is_open=node.is_open)
    parts = tuple(_clause(part) for part in sorted(node.parts, key=lambda part: isinstance(part, Not)))
    join = Join.ALL if isinstance(node, And) else Join.ANY
    assert isinstance(node, And | Or)
    return Clause(join=join, parts=parts, excluded=excluded)
