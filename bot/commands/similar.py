"""/similar: the papers of the archive that are nearest to one, with the words that they share."""

from __future__ import annotations

from bot.commands import cards
from bot.commands.visit import Visit, action, code, line, page_turns, paper_choices, rows, say
from bot.ports import Button, Keyboard, Reply
from bot.render import search as render_search
from scheduler import tastes
from scheduler.models import PaperId
from scheduler.store.papers import Known
from scheduler.tastes import Similar

PAGE = 8
MOST = 40


def similar(visit: Visit) -> Reply:
    """The papers like the one that was named."""
    if not visit.argument:
        return say(
            visit.t("Which paper? Write its id or a link after the command:"),
            line(code("/similar 2609.33867")),
        )
    known = cards.named(visit, visit.argument)
    return known if isinstance(known, Reply) else _page(visit, known, 1, in_place=False)


def similar_page(visit: Visit) -> Reply:
    """[Similar] on a card, the buttons under a page, and the way back to it from a card."""
    number, _, paper = visit.argument.partition(":")
    known = visit.store.archive.by_id(PaperId(paper))
    if known is None:
        return Reply(toast=visit.t("This paper is not in the archive any more."))
    wanted = int(number) if number.isdecimal() else 1
    return _page(visit, known, max(wanted, 1), in_place=number != "")


def _page(visit: Visit, known: Known, number: int, *, in_place: bool) -> Reply:
    t = visit.t
    found = tastes.similar(visit.store, known, MOST)
    if not found:
        return say(
            t("The archive has nothing like it yet: {title}", title=known.paper.title),
            keyboard=rows(Button(t("Open the card"), f"p:{known.paper.id}")),
        )
    pages = -(-len(found) // PAGE)
    number = min(number, pages)
    first = (number - 1) * PAGE
    shown = found[first : first + PAGE]
    blocks = render_search.similar_page(
        known.paper,
        [_result(one, at) for at, one in enumerate(shown, start=first + 1)],
        visit.view,
    )
    keyboard = _keyboard(visit, known, shown, number, pages)
    return Reply(blocks, keyboard, in_place=in_place, shareable=True)


def _result(one: Similar, number: int) -> render_search.Result:
    known = one.known
    return render_search.Result(number, known.paper, known.wordings, known.day, shared=one.words)


def _keyboard(visit: Visit, known: Known, shown: tuple[Similar, ...], number: int, pages: int) -> Keyboard:
    paper = known.paper.id
    here = action(visit, "sim", str(number), paper)
    numbered = enumerate((one.known.paper for one in shown), start=(number - 1) * PAGE + 1)
    turns = page_turns(number, pages, lambda page: action(visit, "sim", str(page), paper))
    return Keyboard(turns.rows, paper_choices(visit, numbered, here), visit.t("Open a paper…"))
