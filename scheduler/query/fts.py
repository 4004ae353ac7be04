"""A query as an FTS5 expression (SQLite, "FTS5 Extension", section 3): every term of it quoted."""

from __future__ import annotations

from dataclasses import replace

from scheduler.query.syntax import And, Field, Node, Not, Or, Query, Term, positive_terms
from scheduler.tokens import NAME_GAP, Run


def fts(query: Query) -> str:
    """The expression that finds the same papers as `scheduler.matching`; "" for a query of date limits alone.

    For a table with the columns ti, abs, au, cat, id and src whose tokens are those of `scheduler.tokens`.
    """
    return expression(query.root) if query.root is not None else ""


def title_expression(query: Query) -> str:
    """The expression for hits whose title has what may be anywhere; "" when the query asks for nothing such."""
    if query.root is None or all(term.field for term in positive_terms(query.root)):
        return ""
    return expression(_in_title(query.root))


def _in_title(node: Node) -> Node:
    if isinstance(node, Term):
        return replace(node, field=node.field or Field.TITLE)
    if isinstance(node, Not):
        return node
    return replace(node, parts=tuple(_in_title(part) for part in node.parts))


def expression(node: Node) -> str:
    """`node` as an FTS5 expression; `node` is not a Not."""
    if isinstance(node, Term):
        return _term(node)
    if isinstance(node, Or):
        return f"({' OR '.join(expression(part) for part in node.parts)})"
    if isinstance(node, And):
        wanted = " AND ".join(expression(part) for part in node.parts if not isinstance(part, Not))
        unwanted = [expression(part.part) for part in node.parts if isinstance(part, Not)]
        return f"(({wanted}) NOT ({' OR '.join(unwanted)}))" if unwanted else f"({wanted})"
    raise TypeError("a query that only excludes has no FTS5 expression")


def _term(term: Term) -> str:
    columns = term.field.column or "{ti abs}"
    runs = [_name(run) if term.field is Field.AUTHOR else _phrase(run) for run in term.runs]
    if len(runs) == 1:
        return f"{columns} : {runs[0]}"
    return f"({' OR '.join(f'{columns} : {run}' for run in runs)})"


def _phrase(run: Run) -> str:
    quoted = f'"{" ".join(run.tokens)}"'
    return f"{quoted} *" if run.is_open else quoted


def _name(run: Run) -> str:
    if len(run.tokens) == 1:
        return _phrase(run)
    quoted = [f'"{token}"' for token in run.tokens]
    if run.is_open:
        quoted[-1] += " *"
    return f"NEAR({' '.join(quoted)}, {NAME_GAP})"
