"""/search ~words: papers that mean what was written, in whatever words and language they say it."""

from __future__ import annotations

import re

from bot.commands.visit import Visit, action, code, line, paper_choices, rows, say
from bot.markup import Block
from bot.ports import Button, Keyboard, Reply
from bot.render import search as render_search
from scheduler import meaning
from scheduler.query import FIELD_NAMES, MEANING_SIGN

_FILTER = re.compile(rf"(?<!\S)-?(?:{'|'.join(FIELD_NAMES)}|since|until|on|sort):\S+", re.IGNORECASE)
"""What belongs to a query of words."""

PAGE = 8

PAGES = 5
"""Everything has some distance to everything: after forty papers hardly one is about what was meant."""


def search(visit: Visit) -> Reply:
    """The papers nearest in meaning; without the extra, how to get it; while it learns, how far it is."""
    return _page(visit, visit.argument.removeprefix(MEANING_SIGN).strip(), 0, in_place=False)


def page(visit: Visit) -> Reply:
    """◀ and ▶ under such a search."""
    number, _, text = visit.argument.partition(":")
    return _page(visit, text, int(number) if number.isdecimal() else 0, in_place=True)


def _page(visit: Visit, text: str, number: int, *, in_place: bool) -> Reply:
    t, encoder = visit.t, visit.house.encoder
    if encoder is None:
        return _not_here(visit, text)
    if found := _FILTER.search(text):
        words = " ".join(_FILTER.sub(" ", text).split()) or t("robots that play badminton")
        return say(
            t("After ~ I read words only, and no “{filter}”. Try", filter=found[0]),
            line(code(f"/search {MEANING_SIGN}{words}")),
        )
    if not text:
        return say(
            t("What should the papers be about? Write it after the sign:"),
            line(code("/search ~robots that play badminton")),
        )
    done, total = visit.store.meanings.progress()
    if not done:
        return say(
            t("I am still learning what the papers mean; nothing can be found this way yet. Try again later.")
        )
    keys = meaning.nearest(encoder, visit.store, text, PAGE * PAGES)
    first = min(number, (len(keys) - 1) // PAGE) * PAGE
    results = tuple(
        render_search.Result(first + place, one.paper, one.wordings, one.day)
        for place, one in enumerate(visit.store.archive.by_key(keys[first : first + PAGE]), start=1)
    )
    blocks = render_search.meaning_page(f"{MEANING_SIGN}{text}", results, visit.view)
    if done < total:
        told = t(
            "{done} of {total} papers can be found this way so far; I am learning the others.",
            done=t.number(done),
            total=t.number(total),
        )
        blocks = (*blocks, Block((line(told),)))
    return Reply(blocks, _keyboard(visit, text, first, len(keys), results), in_place=in_place, shareable=True)


def _keyboard(
    visit: Visit, text: str, first: int, count: int, results: tuple[render_search.Result, ...]
) -> Keyboard:
    number = first // PAGE
    moves = []
    if first:
        moves.append(Button("◀", action(visit, "m", str(number - 1), text)))
    if first + PAGE < count:
        moves.append(Button("▶", action(visit, "m", str(number + 1), text)))
    choices = paper_choices(visit, [(one.number, one.paper) for one in results])
    return Keyboard((tuple(moves),) if moves else (), choices, visit.t("Open a paper…"))


def _not_here(visit: Visit, text: str) -> Reply:
    t = visit.t
    words = [Button(t("Search for the words"), action(visit, "s", f":{text[:200]}"))] if text else []
    return say(
        t("Searching by meaning (~) is not set up here. Who runs me can add it, as the README says."),
        keyboard=rows(*words),
    )
