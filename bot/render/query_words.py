"""A query, and what is wrong with one, in a reader's words."""

from __future__ import annotations

import unicodedata
from datetime import date
from itertools import groupby

from bot.locale import N_, Translator
from bot.markup import Block, Line, LineKind
from bot.ports import Reply
from bot.render.paper_words import code, line
from scheduler import query as queries
from scheduler.errors import QueryError
from scheduler.models import AnnounceType
from scheduler.query import (
    EXAMPLE,
    MAX_LENGTH,
    Bound,
    Clause,
    DateLimit,
    Field,
    Join,
    Kind,
    Problem,
    Query,
)
from scheduler.query.problems import MAX_TERMS

SECOND_EXAMPLE = '"reinforcement learning" -survey'
_AROUND = 28
"""Letters of a query that are shown on either side of a fault: what a phone shows in one line."""

_WITH = {
    Field.ANYWHERE: N_("{words} in title or abstract"),
    Field.TITLE: N_("{words} in the title"),
    Field.ABSTRACT: N_("{words} in the abstract"),
    Field.AUTHOR: N_("by {words}"),
    Field.CATEGORY: N_("in {words}"),
    Field.ID: N_("with the id {words}"),
    Field.SOURCE: N_("from {words}"),
    Field.TYPE: N_("announced as {words}"),
}
_WITHOUT = {
    Field.ANYWHERE: N_("without {words}"),
    Field.TITLE: N_("without {words} in the title"),
    Field.ABSTRACT: N_("without {words} in the abstract"),
    Field.AUTHOR: N_("not by {words}"),
    Field.CATEGORY: N_("not in {words}"),
    Field.ID: N_("not the id {words}"),
    Field.SOURCE: N_("not from {words}"),
    Field.TYPE: N_("not announced as {words}"),
}
_TYPES = {
    AnnounceType.NEW: N_("a new paper"),
    AnnounceType.CROSS: N_("a cross-listed one"),
    AnnounceType.REPLACE: N_("a replaced one"),
    AnnounceType.REPLACE_CROSS: N_("a replaced cross-listed one"),
}
_ANNOUNCED = {
    Bound.SINCE: N_("announced since {date}"),
    Bound.UNTIL: N_("announced until {date}"),
    Bound.ON: N_("announced on {date}"),
}
_ANNOUNCED_IN = N_("announced in {time}")
_ANNOUNCED_THEN = N_("announced {time}")
_SPANS = {"d": 1, "w": 7, "m": 30, "y": 365}
_FAULTS = {
    Problem.EMPTY: N_("There is nothing to search for."),
    Problem.TOO_LONG: N_("This search is too long: it has {detail} letters, and I read {limit}."),
    Problem.TOO_MANY_TERMS: N_("This search has too many words; {terms} is the most I look for at once."),
    Problem.TOO_DEEP: N_("I can't read this search: too many brackets stand inside each other."),
    Problem.NO_WORDS: N_("There is no word in this search, only signs."),
    Problem.UNCLOSED_QUOTE: N_("I can't read this search: a quotation mark is open."),
    Problem.UNCLOSED_BRACKET: N_("I can't read this search: a bracket is open after “{detail}”."),
    Problem.UNOPENED_BRACKET: N_("I can't read this search: a bracket is closed that was never opened."),
    Problem.LONE_OPERATOR: N_("I can't read this search: “{detail}” needs a word beside it."),
    Problem.WILDCARD_ONLY: N_("I can't read this search: a star needs the beginning of a word."),
    Problem.WILDCARD_SHORT: N_("I can't read this search: a star needs at least three letters before it."),
    Problem.WILDCARD_PLACE: N_("I can't read this search: a star must stand at the end of a word."),
    Problem.ONLY_NEGATIVE: N_("This search says only what must not occur; it needs something to find."),
    Problem.CONTRADICTION: N_("No paper can match: “{detail}” is wanted and excluded at once."),
    Problem.DATES_APART: N_("No paper can match: no day is in “{detail}”."),
    Problem.UNKNOWN_FIELD: N_(
        "I can't search in “{detail}:”. What I know: ti, abs, au, cat, id, src, type; since, until, on."
    ),
    Problem.UNKNOWN_CATEGORY: N_("arXiv has no category “{detail}”."),
    Problem.UNKNOWN_TYPE: N_(
        "arXiv does not announce papers as “{detail}”. It knows new, cross, replace and replace-cross."
    ),
    Problem.BAD_DATE: N_("I can't read the date “{detail}”. Dates look like 2026-09-29, 2026-09 or 7d."),
    Problem.NO_DATE: N_("“{detail}” needs a date behind it: 2026-09-29, 2026-09 or 7d."),
    Problem.DATE_PLACE: N_(
        "I can't read this search: a date or an order must stand outside brackets, on its own."
    ),
    Problem.MEANING: N_("Search by meaning (“{detail}”) is for /search alone; here it takes words."),
    Problem.BAD_SORT: N_("I can't sort by “{detail}”; “sort:relevance” puts the best match first."),
}
_UNREADABLE = N_("I can't read this search.")


def describe(query: Query, t: Translator) -> str:
    """What a query means: “diffusion policy” in title or abstract, without “survey”."""
    explanation = queries.explain(query)
    said = [_said(explanation.clause, t)] if explanation.clause is not None else []
    said += [_limit(limit, t) for limit in explanation.limits]
    said += [t("best match first")] if explanation.by_relevance else []
    return t.clauses(said)


def _said(clause: Clause, t: Translator) -> str:
    if clause.excluded:
        return _excluded(clause, t)
    if (field := _one_field(clause)) is not None:
        return t(_WITH[field], words=_listed(clause, t))
    if clause.join is Join.ANY:
        return t.either([_bracketed(part, _said(part, t)) for part in clause.parts])
    wanted = [part for part in clause.parts if not part.excluded]
    said: list[str] = []
    for field, run in groupby(wanted, key=_one_field):
        parts = tuple(run)
        if field is None:
            said += [_bracketed(part, _said(part, t)) for part in parts]
        else:
            said.append(t(_WITH[field], words=_listed(Clause(join=Join.ALL, parts=parts), t)))
    return t.clauses([*said, *(_excluded(part, t) for part in clause.parts if part.excluded)])


def _excluded(clause: Clause, t: Translator) -> str:
    field = _one_field(Clause(clause.kind, clause.field, clause.text, clause.join, clause.parts))
    if field is None:
        inner = _said(Clause(join=clause.join, parts=clause.parts), t)
        return t("without what is {words}", words=f"({inner})")
    return t(_WITHOUT[field], words=_listed(clause, t))


def _one_field(clause: Clause) -> Field | None:
    """The field of all terms in a clause, None where they differ or something is excluded."""
    if clause.excluded:
        return None
    if clause.join is None:
        return clause.field
    fields = {_one_field(part) for part in clause.parts}
    return fields.pop() if len(fields) == 1 else None


def _listed(clause: Clause, t: Translator) -> str:
    """The words of a clause whose terms are in one field."""
    if clause.join is None:
        return _named(clause, t)
    names = [_bracketed(part, _listed(part, t)) for part in clause.parts]
    return t.names(names) if clause.join is Join.ALL else t.either(names)


def _bracketed(clause: Clause, text: str) -> str:
    return f"({text})" if clause.join is not None and len(clause.parts) > 1 else text


def _named(clause: Clause, t: Translator) -> str:
    if clause.is_open and (clause.kind is Kind.NAME or " " in clause.text):
        return f"“{clause.text}…”"
    if clause.kind is Kind.PREFIX:
        return t("words that begin with “{letters}”", letters=clause.text)
    if clause.kind is Kind.TYPE:
        return t(_TYPES[AnnounceType(clause.text)])
    if clause.kind in (Kind.CATEGORY, Kind.ID, Kind.SOURCE):
        return clause.text
    return f"“{clause.text}”"


def _limit(limit: DateLimit, t: Translator) -> str:
    if limit.when[-1].isalpha():
        days = int(limit.when[:-1]) * _SPANS[limit.when[-1]]
        if limit.bound is Bound.SINCE and days > 1:
            return t.n("announced in the last {count} day", "announced in the last {count} days", days)
        if limit.bound is Bound.ON or (limit.bound is Bound.SINCE and not days):
            return t(_ANNOUNCED_THEN, time=_days_ago(days, t))
        return t(_ANNOUNCED[limit.bound], date=_days_ago(days, t))
    year, *rest = (int(part) for part in limit.when.split("-"))
    if len(rest) == 2:
        return t(_ANNOUNCED[limit.bound], date=t.short_date(date(year, *rest), year=True))
    named = t.month(date(year, rest[0], 1)) if rest else t("the year {year}", year=year)
    return t(_ANNOUNCED_IN, time=named) if limit.bound is Bound.ON else t(_ANNOUNCED[limit.bound], date=named)


def _days_ago(days: int, t: Translator) -> str:
    if days < 2:
        return t("yesterday") if days else t("today")
    return t.n("{count} day ago", "{count} days ago", days)


def error_line(error: QueryError, t: Translator) -> str:
    """What is wrong with a query and one that works, on one line."""
    return f"{_fault(error, t)} {t('Try  {query}', query=error.suggestion)}"


def explain_error(error: QueryError, t: Translator) -> Reply:
    """What is wrong with a query, where, and queries that work."""
    lines = [line(_fault(error, t)), *_picture(error.query, error.position), _tries(error.suggestion, t)]
    return Reply((Block(tuple(lines)),))


def _fault(error: QueryError, t: Translator) -> str:
    sentence = (
        _FAULTS.get(Problem(error.problem), _UNREADABLE) if error.problem in queries.PROBLEMS else _UNREADABLE
    )
    return t(
        sentence, detail=" ".join(error.detail.split()), limit=t.number(MAX_LENGTH), terms=t.number(MAX_TERMS)
    )


def _picture(query: str, position: int) -> tuple[Line, ...]:
    """The query around the fault, and a caret under the place."""
    text = "".join(" " if letter.isspace() else letter for letter in query)
    if not text.strip():
        return ()
    start, end = max(position - _AROUND, 0), min(position + _AROUND, len(text))
    before = ("…" if start else "") + text[start:position]
    shown = before + text[position:end] + ("…" if end < len(text) else "")
    return line(shown, kind=LineKind.PRE), line(" " * _columns(before) + "^", kind=LineKind.PRE)


def _columns(text: str) -> int:
    """How wide a text stands in a fixed font: Chinese letters and most emoji take two columns."""
    return sum(_width(letter) for letter in text)


def _width(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _tries(suggestion: str, t: Translator) -> Line:
    second = SECOND_EXAMPLE if suggestion != SECOND_EXAMPLE else EXAMPLE
    return line(t("Try"), "  ", code(suggestion), f"  {t('or')}  ", code(second))
