"""What a query just does not find, and queries that find less: for who tries one before following it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from scheduler.errors import QueryError
from scheduler.models import AnnounceType
from scheduler.query.acronyms import abbreviated, spelt_out
from scheduler.query.loosening import telling
from scheduler.query.reading import both, either, term_of_type
from scheduler.query.spelling import other_spellings, parted
from scheduler.query.syntax import And, Field, Node, Not, Or, Query, Term, positive_terms

MOST = 10
_IN_TEXT = (Field.ANYWHERE, Field.TITLE, Field.ABSTRACT)
_SHORTEST_STEM = 4
_LONGEST_ACRONYM = 6
_REPLACED = term_of_type(AnnounceType.REPLACE)
_NEWS = either(map(term_of_type, (AnnounceType.NEW, AnnounceType.CROSS)))


class Nearness(StrEnum):
    """How a near miss differs from what was asked for."""

    SPELLING = "spelling"
    HYPHEN = "hyphen"
    ACRONYM = "acronym"
    ENDING = "ending"
    APART = "apart"


@dataclass(frozen=True, slots=True)
class Near:
    """One way of writing a term of a query that the query does not find.

    `text` is that way; `missed` finds the papers that have it and are not found, `wider` those and all that are.
    """

    kind: Nearness
    text: str
    missed: Query
    wider: Query


def near_misses(query: Query, texts: Sequence[str], parse: Callable[[str], Query]) -> tuple[Near, ...]:
    """Other ways of writing what is looked for, at most MOST: `texts` are those that were found."""
    found: dict[str, Near] = {}
    for term in dict.fromkeys(positive_terms(query.root)):
        if term.field not in _IN_TEXT or term.is_open:
            continue
        for kind, text in _ways(term, texts):
            near = _near(query, term, kind, text, parse)
            if near is not None and near.wider != query:
                found.setdefault(near.wider.canonical, near)
    return tuple(found.values())[:MOST]


def _ways(term: Term, texts: Sequence[str]) -> Iterator[tuple[Nearness, str]]:
    words = term.text.split()
    for place, word in enumerate(words):
        for other in other_spellings(word):
            yield Nearness.SPELLING, " ".join((*words[:place], other, *words[place + 1 :]))
    for place in range(len(words) - 1):
        if words[place].isalpha() and words[place + 1].isalpha():
            pair = f"{words[place]}-{words[place + 1]}"
            yield Nearness.HYPHEN, " ".join((*words[:place], pair, *words[place + 2 :]))
    if len(words) == 1:
        yield from ((Nearness.HYPHEN, apart) for apart in parted(words[0]))
        if len(words[0]) <= _LONGEST_ACRONYM and (long := spelt_out(words[0], texts)):
            yield Nearness.ACRONYM, long
    elif short := abbreviated(term.text, texts):
        yield Nearness.ACRONYM, short.upper()
    if words[-1].isalpha() and words[-1].isascii() and len(words[-1]) >= _SHORTEST_STEM:
        yield Nearness.ENDING, f"{term.text}*"
    if len(words) > 1:
        yield Nearness.APART, term.text


def _near(query: Query, term: Term, kind: Nearness, text: str, parse: Callable[[str], Query]) -> Near | None:
    quoted = text if kind is Nearness.APART else f'"{text}"'
    try:
        way = parse(f"{term.field}:({quoted})" if term.field else quoted).root
    except QueryError:
        return None
    if way is None or query.root is None:
        return None
    instead = _with(query.root, term, way)
    as_well = _with(query.root, term, either((term, way)))
    return Near(
        kind,
        text,
        replace(query, root=both((instead, Not(query.root))), raw=""),
        replace(query, root=as_well, raw=""),
    )


def _with(node: Node, term: Term, other: Node) -> Node:
    """The tree with `other` in the place of `term`; what is excluded stays as it is."""
    if node == term:
        return other
    if isinstance(node, And):
        return both([_with(part, term, other) for part in node.parts]) or node
    if isinstance(node, Or):
        return either(_with(part, term, other) for part in node.parts)
    return node


def narrower(query: Query, categories: Sequence[str], parse: Callable[[str], Query]) -> tuple[Query, ...]:
    """Queries that find part of what `query` finds: as a phrase, in the title, in one of `categories`."""
    found: dict[str, Query] = {}
    for text in _narrower_texts(query, categories):
        try:
            one = parse(text)
        except QueryError:
            continue
        if one != query:
            found.setdefault(one.canonical, one)
    return tuple(found.values())


def _narrower_texts(query: Query, categories: Sequence[str]) -> Iterator[str]:
    root = query.root
    if root is None:
        return
    if isinstance(root, And) and len(words := telling(root.parts)) > 1 and all(map(_is_word, root.parts)):
        yield f'"{" ".join(part.text for part in root.parts if isinstance(part, Term))}"'
        yield " ".join(f"ti:{word}" for word in words)
    if isinstance(root, Term | Or) and all(term.field is Field.ANYWHERE for term in positive_terms(root)):
        yield f"ti:{root}" if isinstance(root, Term) else f"ti:({root})"
    body = f"({root})" if isinstance(root, Or) else str(root)
    if not any(term.field is Field.CATEGORY for term in positive_terms(root)):
        yield from (f"{body} cat:{category}" for category in categories)


def _is_word(node: Node) -> bool:
    return isinstance(node, Term) and node.field is Field.ANYWHERE and not node.is_open


def as_news(query: Query) -> Query:
    """The same without papers that were announced only as replacements: what a digest would bring."""
    if query.root is None:
        return query
    only_replaced = And((_REPLACED, Not(_NEWS)))
    return replace(query, root=both((query.root, Not(only_replaced))))
