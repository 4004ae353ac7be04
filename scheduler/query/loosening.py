"""Queries near a query: those that find more, and one for what is typed so far."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby

from scheduler.errors import QueryError
from scheduler.query.syntax import And, Field, Node, Not, Or, Query, Term

MOST = 12
STOP_WORDS = frozenset(
    """
    a about all also am an and any are as at be been but by can could did do does for from had has have how i if in
    into is it its may more most my need no not of on one or our out should so some such than that the their them then
    there these they this those to two up us use used using via was we were what when where which who why will with
    would you your 的 了 和 与 在 是 对 中 为 及 或
    """.split()
)
"""Words that say nothing of a subject: alone or beside OR they would find nearly every paper."""
_UNFINISHED = re.compile(r"(?:^|(?<=[\s(\"]))(?:OR|AND|NOT|-?(?:[a-z]+:)?\(?[^\W_]{0,2})$")
"""What hardly says anything at the end of what is typed: an operator, a field, one or two letters."""

_LAST_WORD = re.compile(r"[^\W_]{3,}$")


def looser(query: Query, parse: Callable[[str], Query]) -> tuple[Query, ...]:
    """Queries that find at least what `query` finds, the nearest first; without it and without repeats."""
    found: dict[str, Query] = {}
    for text in _texts(query):
        try:
            near = parse(text)
        except QueryError:
            continue
        if near.canonical != query.canonical:
            found.setdefault(near.canonical, near)
        if len(found) >= MOST:
            break
    return tuple(found.values())


def _texts(query: Query) -> Iterator[str]:
    root = query.root
    if root is None:
        return
    if query.limits:
        yield str(root)
    if isinstance(root, And):
        yield from _with_an_operator(root)
        yield from _with_parts_left_out(root)
    for one in (_anywhere(root), _words_apart(root)):
        yield str(one)
    if isinstance(root, And) and len(words := telling(root.parts)) > 1:
        yield str(Or(words))


def _with_an_operator(root: And) -> Iterator[str]:
    """`rl or ai` as it was meant: "or" in small letters is a word."""
    groups = [
        tuple(run) for is_or, run in groupby(root.parts, key=lambda part: str(part) == "or") if not is_or
    ]
    if len(groups) > 1 and not any(isinstance(part, Not) for part in root.parts):
        yield str(Or(tuple(And(group) if len(group) > 1 else group[0] for group in groups)))


def _with_parts_left_out(root: And) -> Iterator[str]:
    """Without the exclusions, without stop words, then without one part after the other."""
    kept = tuple(part for part in root.parts if not isinstance(part, Not))
    if len(kept) < len(root.parts):
        yield str(And(kept))
    words = telling(kept)
    if words and len(words) < len(kept):
        yield str(And(words))
    if len(words) > 1:
        for left_out in reversed(words):
            yield str(And(tuple(part for part in words if part is not left_out)))


def telling(parts: tuple[Node, ...]) -> tuple[Node, ...]:
    """What is wanted, without stop words."""
    return tuple(part for part in parts if not isinstance(part, Not) and not _is_stop_word(part))


def _is_stop_word(node: Node) -> bool:
    in_text = (Field.ANYWHERE, Field.TITLE, Field.ABSTRACT)
    return isinstance(node, Term) and node.field in in_text and node.text in STOP_WORDS


def _anywhere(node: Node) -> Node:
    """The same with terms of the title or the abstract looked for in both."""
    if isinstance(node, Term):
        is_text = node.field in (Field.TITLE, Field.ABSTRACT)
        return Term(Field.ANYWHERE, node.text, node.runs, node.is_open) if is_text else node
    if isinstance(node, Not):
        return node
    return type(node)(tuple(_anywhere(part) for part in node.parts))


def _words_apart(node: Node) -> str:
    """A phrase alone as its words; anything else as it stands."""
    if not (isinstance(node, Term) and node.field is Field.ANYWHERE and " " in node.text):
        return str(node)
    *front, last = node.text.split()
    # A Term knows how to write a word that could be taken for an id, and a beginning.
    words = [
        *(Term(Field.ANYWHERE, word, ()) for word in front),
        Term(Field.ANYWHERE, last, (), node.is_open),
    ]
    return " ".join(map(str, words))


def typed(text: str, parse: Callable[[str], Query]) -> Query:
    """The query for what is typed so far: the last word counts as the beginning of one. Raises QueryError.

    A quotation mark or a bracket that is still open counts as closed, and a word of too few letters as not yet typed.
    """
    stripped = text.rstrip()
    open_quote = '"' if stripped.count('"') % 2 else ""
    closing = open_quote + ")" * max(stripped.count("(") - stripped.count(")"), 0)
    tries = [f"{stripped}*{closing}"] if _LAST_WORD.search(stripped) else []
    tries.append(f"{stripped}{closing}")
    if not stripped.endswith(('"', ")")) and (shorter := _UNFINISHED.sub("", stripped)) != stripped:
        tries.append(shorter + closing)
    for one in tries[:-1]:
        try:
            return parse(one)
        except QueryError:
            continue
    return parse(tries[-1])
