"""From signs to a query: `text | lexemes | parse | simplify | check → Query`.

either  := both (OR both)*
both    := [NOT] operand ([AND] [NOT] operand)*        AND ties more closely than OR
operand := word | phrase | field operand | ( either )
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from scheduler import paper_ids
from scheduler.errors import NotAPaperId
from scheduler.models import AnnounceType
from scheduler.query.checking import check
from scheduler.query.dates import Bound, DateLimit, canonical_when
from scheduler.query.lexing import Lexeme, Sign, lexemes
from scheduler.query.problems import MAX_DEPTH, MAX_TERMS, MIN_PREFIX, FaultError, Problem
from scheduler.query.syntax import FIELD_NAMES, LOOKS_LIKE_ID, And, Field, Node, Not, Or, Query, Term
from scheduler.tokens import (
    Run,
    name_tokens,
    normalise,
    opaque_token,
    open_runs,
    runs,
    text_words,
    type_token,
    written,
)

_INITIALS = re.compile(r"[A-Z]\.?(?:-?[A-Z]\.?){0,3}")
_FILTERS = (Sign.LIMIT, Sign.SORT)
_TERMS = (Sign.WORD, Sign.PHRASE)
_BEHIND_ALL = (Sign.OR, Sign.CLOSE, Sign.END)
_NO_OPERAND = (Sign.AND, *_BEHIND_ALL)
LONGEST_SHOWN = 40
"""Letters of what is no category that are shown."""

_END = Lexeme(Sign.END, "", -1)
_TYPES = {
    "new": (AnnounceType.NEW,),
    "cross": (AnnounceType.CROSS,),
    "replace": (AnnounceType.REPLACE,),
    "replace-cross": (AnnounceType.REPLACE_CROSS,),
    "news": (AnnounceType.NEW, AnnounceType.CROSS),
    **dict.fromkeys(("cross-list", "cross-lists", "crosslist", "cross-listed"), (AnnounceType.CROSS,)),
    **dict.fromkeys(("replaced", "replacement", "replacements", "rep"), (AnnounceType.REPLACE,)),
}
"""arXiv's announce types (its feeds' `arxiv:announce_type`) and what else they are called."""
_BETWEEN_NAMES = re.compile(r"(?<=\w)-(?=\w)")
_ORDERS = {"relevance": True, "best": True, "newest": False, "date": False, "new": False}


def read(text: str, raw: str) -> Query:
    """The query that `text` says; `raw` is kept as its raw text. Raises FaultError."""
    found = lexemes(text)
    signs, limits, by_relevance = _without_limits(found)
    parser = _Parser(signs, len(text.rstrip()))
    root = parser.whole()
    if root is None and not limits:
        raise FaultError(Problem.NO_WORDS, 0, text.strip())
    limit_place = max((sign.position for sign in found if sign.sign is Sign.LIMIT), default=0)
    check(root, limits, parser.places, limit_place)
    query = Query(root, limits, by_relevance, raw)
    _check_kept(query.canonical, text)
    return query


def _check_kept(canonical: str, text: str) -> None:
    """Raises FaultError for a query whose canonical text, with all brackets written out, is too deep to be read."""
    if canonical.count("(") >= MAX_DEPTH // 2 and canonical != text:
        try:
            read(canonical, canonical)
        except FaultError as fault:
            raise FaultError(fault.problem, max(text.find("("), 0), fault.detail) from None


def _without_limits(signs: list[Lexeme]) -> tuple[list[Lexeme], tuple[DateLimit, ...], bool]:
    """The signs that speak of words, the date limits, and whether `sort:relevance` is among them."""
    if not any(lexeme.sign in _FILTERS for lexeme in signs):
        return signs, (), False
    kept: list[Lexeme] = []
    limits: dict[DateLimit, None] = {}
    by_relevance = False
    depth = 0
    for place, lexeme in enumerate(signs):
        depth += (lexeme.sign is Sign.OPEN) - (lexeme.sign is Sign.CLOSE)
        if lexeme.sign not in _FILTERS:
            kept.append(lexeme)
            continue
        _check_place(signs, place, depth)
        if kept and kept[-1].sign is Sign.AND:
            kept.pop()
        if lexeme.sign is Sign.LIMIT:
            limits[_limit(lexeme)] = None
        else:
            by_relevance = _order(lexeme)
    starts_with_limit = bool(limits) and bool(kept) and kept[0].sign is Sign.AND
    return kept[starts_with_limit:], tuple(sorted(limits)), by_relevance


def _check_place(signs: list[Lexeme], place: int, depth: int) -> None:
    before = signs[place - 1].sign if place else None
    after = signs[place + 1].sign if place + 1 < len(signs) else None
    if depth > 0 or before in (Sign.OR, Sign.NOT, Sign.FIELD) or after is Sign.OR:
        raise FaultError(Problem.DATE_PLACE, signs[place].position, signs[place].text)


def _limit(lexeme: Lexeme) -> DateLimit:
    when = canonical_when(lexeme.text.rstrip(".,"))
    if when is None:
        raise FaultError(Problem.BAD_DATE, lexeme.position, lexeme.text)
    return DateLimit(Bound(lexeme.name), when)


def _order(lexeme: Lexeme) -> bool:
    order = _ORDERS.get(lexeme.text.lower())
    if order is None:
        raise FaultError(Problem.BAD_SORT, lexeme.position, lexeme.text)
    return order


class _Parser:
    """Reads one list of signs from the front; `places` says where each term stood last."""

    def __init__(self, signs: list[Lexeme], length: int) -> None:
        self._signs = [*signs, _END]
        self._next = 0
        self._depth = 0
        self._open = 0
        self._last_place = max(length - 1, 0)
        self._terms = 0
        self.places: list[tuple[Term, int]] = []

    def whole(self) -> Node | None:
        node = self._either(Field.ANYWHERE)
        if (left := self._peek()).sign is not Sign.END:
            raise FaultError(Problem.UNOPENED_BRACKET, left.position)
        return node

    def _peek(self) -> Lexeme:
        return self._signs[self._next]

    def _take(self, sign: Sign) -> Lexeme | None:
        lexeme = self._signs[self._next]
        if lexeme.sign is not sign:
            return None
        self._next += 1
        return lexeme

    def _either(self, field: Field) -> Node | None:
        first = self._both(field)
        parts = [first]
        while operator := self._take(Sign.OR):
            if parts[-1] is None:
                raise self._lone(operator)
            parts.append(self._both(field))
            if parts[-1] is None:
                raise self._lone(operator)
        return first if len(parts) == 1 else either(part for part in parts if part is not None)

    def _both(self, field: Field) -> Node | None:
        parts: list[Node] = []
        while self._peek().sign not in _BEHIND_ALL:
            operator = self._take(Sign.AND)
            if operator and not parts:
                raise self._lone(operator)
            part = self._operand(field)
            if part is not None:
                parts.append(part)
            elif operator:
                raise self._lone(operator)
        return both(parts)

    def _operand(self, field: Field) -> Node | None:
        """One operand; None for an empty pair of brackets and where the next sign begins none."""
        lexeme = self._peek()
        if lexeme.sign in _NO_OPERAND:
            return None
        self._next += 1
        if lexeme.sign in _TERMS:
            return self._term(field, self._whole_name(lexeme) if field is Field.AUTHOR else lexeme)
        if lexeme.sign is Sign.NOT:
            return opposite(self._needed(field, lexeme))
        if lexeme.sign is Sign.FIELD:
            return self._needed(FIELD_NAMES[lexeme.text], lexeme)
        return self._group(field, lexeme)

    def _whole_name(self, family: Lexeme) -> Lexeme:
        """`au:Zhang, W.` is one name although it has no quotes."""
        given = self._peek()
        if not family.text.endswith(",") or not _INITIALS.fullmatch(given.text):
            return family
        self._next += 1
        return Lexeme(Sign.PHRASE, f"{family.text} {given.text}", family.position)

    def _needed(self, field: Field, operator: Lexeme) -> Node:
        self._enter(operator)
        node = self._operand(field)
        self._depth -= 1
        if node is None:
            raise self._lone(operator)
        return node

    def _group(self, field: Field, opening: Lexeme) -> Node | None:
        self._enter(opening)
        self._open += 1
        node = self._either(field)
        if self._take(Sign.CLOSE) is None:
            raise self._unclosed()
        self._depth -= 1
        self._open -= 1
        return node

    def _lone(self, operator: Lexeme) -> FaultError:
        """An operator without an operand; where the text breaks off within brackets, these are the fault."""
        if self._open and self._peek() is _END:
            return self._unclosed()
        return FaultError(Problem.LONE_OPERATOR, operator.position, operator.text)

    def _unclosed(self) -> FaultError:
        """A bracket that is open at the end of the text; the detail is the last sign there."""
        last = self._signs[-2]
        detail = f"{last.text}:" if last.sign is Sign.FIELD else last.text
        return FaultError(Problem.UNCLOSED_BRACKET, self._last_place, detail)

    def _enter(self, lexeme: Lexeme) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise FaultError(Problem.TOO_DEEP, lexeme.position)

    def _term(self, field: Field, lexeme: Lexeme) -> Node:
        found = terms(field, lexeme)
        self._terms += len(found)
        if self._terms > MAX_TERMS:
            raise FaultError(Problem.TOO_MANY_TERMS, lexeme.position)
        self.places += [(term, lexeme.position) for term in found]
        return found[0] if len(found) == 1 else either(found)


def either(parts: Iterable[Node]) -> Node:
    """`parts` tied by or, without repetition; the part itself when there is one."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,))]
    kept = tuple(dict.fromkeys(flat))
    return kept[0] if len(kept) == 1 else Or(kept)


def both(parts: Sequence[Node]) -> Node | None:
    """`parts` tied by and, without repetition; None when there is none."""
    if len(parts) < 2:
        return parts[0] if parts else None
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, And) else (part,))]
    kept = tuple(dict.fromkeys(flat))
    return And(kept) if len(kept) > 1 else kept[0]


def opposite(node: Node) -> Node:
    """What holds when `node` does not."""
    return node.part if isinstance(node, Not) else Not(node)


def terms(field: Field, lexeme: Lexeme) -> list[Term]:
    """The term that one word or phrase stands for; several, one of which will do, for `cat:cs.LG,cs.AI`."""
    if field is Field.TYPE:
        return [term_of_type(kind) for kind in _announce_types(lexeme)]
    if field is Field.CATEGORY:
        names = [name for name in lexeme.text.replace("+", ",").split(",") if text_words(opaque_token(name))]
        if not names:
            raise FaultError(Problem.UNKNOWN_CATEGORY, lexeme.position, lexeme.text[:LONGEST_SHOWN])
        return [_category(name) for name in names]
    if field is Field.ID or (not field and lexeme.sign is Sign.WORD and _is_id(lexeme.text)):
        return [_id(lexeme.text)]
    if field is Field.SOURCE:
        return [_opaque(field, opaque_token(lexeme.text))]
    stem = _stem(lexeme)
    if stem is not None:
        return [_prefix(field, stem, lexeme)]
    return [_words_term(field, lexeme.text)]


@lru_cache(maxsize=1 << 16)
def _words_term(field: Field, text: str) -> Term:
    return Term(field, written(text), _names(text) if field is Field.AUTHOR else runs(text))


def _is_id(word: str) -> bool:
    if word.isalpha():
        return False
    if not LOOKS_LIKE_ID.fullmatch(word) and "://" not in word and not word.lower().startswith("arxiv:"):
        return False
    try:
        paper_ids.parse(word)
    except NotAPaperId:
        return False
    return True


def _id(text: str) -> Term:
    try:
        return _opaque(Field.ID, opaque_token(paper_ids.parse(text)[0]))
    except NotAPaperId:
        return _opaque(Field.ID, opaque_token(text))


def _announce_types(lexeme: Lexeme) -> list[AnnounceType]:
    """The types that are named, one of which will do. Raises FaultError."""
    place = lexeme.position
    kinds: list[AnnounceType] = []
    for name in re.split("([,+])", lexeme.text):
        if name not in ("", ",", "+"):
            known = _TYPES.get(normalise(name).replace("_", "-").replace(" ", "-"))
            if known is None:
                raise FaultError(Problem.UNKNOWN_TYPE, place, name)
            kinds += known
        place += len(name)
    return kinds


def term_of_type(kind: AnnounceType) -> Term:
    """What `type:` and the name of an announce type stand for."""
    return Term(Field.TYPE, kind.value, (Run((type_token(kind),)),))


def _opaque(field: Field, token: str) -> Term:
    token = token.lstrip("-")
    return Term(field, token, (Run((token,)),))


def _category(name: str) -> Term:
    """A category in arXiv's own spelling (cs.LG, astro-ph.GA, cond-mat.str-el); `cs.*` is the archive."""
    is_open = name.endswith("*") and not name.endswith(".*")
    token = opaque_token(name.rstrip("*").rstrip(".")).lstrip("-")
    archive, dot, subject = token.partition(".")
    spelling = f"{archive}{dot}{subject.upper() if len(subject) == 2 else subject}"
    return Term(Field.CATEGORY, spelling, (Run((token,), is_open),), is_open)


def _stem(lexeme: Lexeme) -> str | None:
    """What stands before a star that means something, None without one. Raises FaultError."""
    text = lexeme.text
    if "*" not in text:
        return None
    stem = text.rstrip("*")
    last = written(stem).rpartition(" ")[2]
    is_usable = len(last) >= MIN_PREFIX or not last.isascii()
    if lexeme.sign is Sign.PHRASE:
        ends_in_a_word = stem[-1:].isalnum() or stem[-1:] in ("+", "#")
        return stem if is_usable and text.endswith("*") and ends_in_a_word else None
    if "*" in stem or not text.endswith("*"):
        raise FaultError(Problem.WILDCARD_PLACE, lexeme.position, text)
    if not is_usable:
        raise FaultError(Problem.WILDCARD_SHORT, lexeme.position, text)
    return stem


def _prefix(field: Field, stem: str, lexeme: Lexeme) -> Term:
    if field is Field.AUTHOR:
        found = tuple(Run(run.tokens, True) for run in _names(stem)[:1])
    else:
        found = open_runs(stem)
    return Term(field, written(stem), found, True)


def _names(text: str) -> tuple[Run, ...]:
    """The words of a name, each once, as they are and with hyphenated ones joined."""
    split = tuple(dict.fromkeys(name_tokens(text)))
    joined = tuple(dict.fromkeys(name_tokens(_BETWEEN_NAMES.sub("", normalise(text)))))
    return tuple(Run(tokens) for tokens in dict.fromkeys((split, joined)))
