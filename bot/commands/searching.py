"""/search, its pages, and papers for what is typed so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.commands import by_meaning
from bot.commands.visit import (
    Visit,
    action,
    code,
    cursor_of,
    line,
    paper_choices,
    rows,
    say,
)
from bot.ports import Button, Keyboard, Reply, Suggestion
from bot.render import search as render_search
from bot.render.query_words import describe
from scheduler import matching, query
from scheduler.query import Field, Query
from scheduler.snippets import snippet
from scheduler.store.papers import Known

PAGE = 8
SHORTEST_BEGINNING = 3
"""Letters from which on a word that is being typed says something."""

_VERSION = re.compile(r"(?<=\d)v\d*\Z")


@dataclass(frozen=True, slots=True)
class SearchPlace:
    """Which page of which search: the query and, for each page before this one, the key that it began before.

    `counted` is how many hits an earlier page knew of.
    """

    query: str
    cursors: tuple[int, ...] = ()
    counted: int = 0

    def __str__(self) -> str:
        counted = f"/{self.counted}" if self.counted else ""
        return ",".join(map(str, self.cursors)) + f"{counted}:{self.query}"

    @classmethod
    def read(cls, text: str) -> SearchPlace:
        """The place that was written as text."""
        place, _, query_text = text.partition(":")
        cursors, _, counted = place.partition("/")
        keys = (cursor_of(key) for key in cursors.split(","))
        return cls(
            query_text,
            tuple(key for key in keys if key is not None),
            int(counted) if counted.isdecimal() else 0,
        )


def search(visit: Visit) -> Reply:
    """The newest papers that a query finds, or after a ~ those that mean what was written."""
    if visit.argument.startswith(query.MEANING_SIGN):
        return by_meaning.search(visit)
    if not visit.argument:
        t = visit.t
        return say(
            t("What are you looking for? Write it after the command:"), line(code("/search world model"))
        )
    return _search_page(visit, SearchPlace(visit.argument), in_place=False)


def search_page(visit: Visit) -> Reply:
    """The buttons under a search: another page."""
    return _search_page(visit, SearchPlace.read(visit.argument), in_place=True)


def _search_page(visit: Visit, place: SearchPlace, *, in_place: bool) -> Reply:
    parsed = query.parse(place.query)
    before = place.cursors[-1] if place.cursors else None
    found = visit.store.archive.search(parsed, today=visit.now.date(), limit=PAGE, before=before)
    if not found.papers and not place.cursors:
        return _nothing_found(visit, parsed)
    first = len(place.cursors) * PAGE + 1
    seen = first - 1 + len(found.papers) + (found.next_before is not None)
    place = replace(place, counted=max(found.total, seen, place.counted))
    results = tuple(
        render_search.Result(first + index, one.paper, one.wordings, one.day, _snippet(one, parsed))
        for index, one in enumerate(found.papers)
    )
    blocks = render_search.search_page(
        parsed.typed,
        results,
        found.total if found.total_is_exact else place.counted,
        visit.view,
        exact=found.total_is_exact,
        by_relevance=parsed.by_relevance,
    )
    keyboard = _search_keyboard(visit, place, parsed, results, found.next_before)
    return Reply(blocks, keyboard, in_place=in_place, shareable=True)


def _snippet(one: Known, parsed: Query) -> Sequence[tuple[str, bool]]:
    words, chinese = one.wordings.get("en"), one.wordings.get("zh")
    texts = [one.paper.abstract or (words.tldr if words else "")]
    texts += [chinese.abstract or chinese.tldr] if chinese else []
    shown = [text for text in texts if text]
    if not shown:
        return ()
    found = next((text for text in shown if matching.hit_spans(text, parsed, Field.ABSTRACT)), shown[0])
    return snippet(found, parsed, 160)


def _search_keyboard(
    visit: Visit,
    place: SearchPlace,
    parsed: Query,
    results: Sequence[render_search.Result],
    next_before: int | None,
) -> Keyboard:
    t = visit.t
    moves = []
    if place.cursors:
        moves.append(Button("◀", action(visit, "s", str(replace(place, cursors=place.cursors[:-1])))))
    if next_before is not None:
        moves.append(
            Button("▶", action(visit, "s", str(replace(place, cursors=(*place.cursors, next_before)))))
        )
    follow = Button(t("Subscribe to this"), action(visit, "sub", parsed.typed))
    choices = paper_choices(visit, [(one.number, one.paper) for one in results])
    return Keyboard(tuple(row for row in (tuple(moves), (follow,)) if row), choices, t("Open a paper…"))


def _nothing_found(visit: Visit, parsed: Query) -> Reply:
    t = visit.t
    nearest = [
        (one, visit.store.archive.search(one, today=visit.now.date(), limit=1))
        for one in query.looser(parsed)
    ]
    offers = [
        (one, f"{t.number(found.total)}{'' if found.total_is_exact else '+'}")
        for one, found in nearest
        if found.total
    ][:3]
    buttons = [
        Button(f"{one.canonical} · {total}"[:60], action(visit, "s", str(SearchPlace(one.canonical))))
        for one, total in offers
    ]
    follow = Button(t("Tell me when one comes"), action(visit, "sub", parsed.typed))
    return say(
        t("Nothing in the archive fits: {meaning}.", meaning=describe(parsed, t)),
        *((t("The nearest that has something:"),) if offers else ()),
        keyboard=rows(*buttons, follow, width=1),
    )


def suggest_papers(visit: Visit, typed: str, limit: int) -> tuple[Suggestion, ...]:
    """Papers for what is typed so far: by id where it looks like one, else by the words, of the title first."""
    typed = _VERSION.sub("", typed.strip())
    known: Sequence[Known] = ()
    if not typed or typed[0].isdigit():
        known = visit.store.archive.with_id_like(typed, limit)
    else:
        # A word that has only begun may have no hit yet: what stands before it still says something.
        *before, last = typed.split(" ")
        for text in (typed, " ".join(before).rstrip()):
            if text and not known:
                parsed = replace(query.parse_typed(text), by_relevance=True)
                known = visit.store.archive.search(parsed, today=visit.now.date(), limit=limit).papers
        if not known and not before and len(last) < SHORTEST_BEGINNING:
            known = visit.store.archive.with_id_like("", limit)
    return tuple(Suggestion(f"{one.paper.id} · {one.paper.title}", str(one.paper.id)) for one in known)
