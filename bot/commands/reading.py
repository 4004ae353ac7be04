"""/paper, the card of one and its buttons, and plain text in a private chat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.commands import cards, searching
from bot.commands.visit import (
    CardPlace,
    NotArchived,
    NotTranslated,
    Visit,
    action,
    code,
    line,
    rows,
    say,
)
from bot.markup import Block, LineKind
from bot.ports import Button, Keyboard, Reply
from bot.render import paper as render_paper
from scheduler import enrich, matching, paper_ids, query
from scheduler.errors import NotAPaperId, QueryError
from scheduler.models import Match, PaperId
from scheduler.store.papers import Known

MOST_NAMED = 8
"""Papers of one text that can be chosen from."""


def show_paper(visit: Visit) -> Reply:
    """One paper's card, by its id or a link to it."""
    t = visit.t
    if not visit.argument:
        return say(
            t("Which paper? Write its id or a link after the command:"), line(code("/paper 2609.33867"))
        )
    try:
        paper_id, version = paper_ids.parse(visit.argument)
    except NotAPaperId:
        if paper_ids.find_all(visit.argument):
            return plain_text(visit)
        return say(
            t(
                "“{text}” is no paper's id. One looks like 2609.33867 or hep-th/9901001; a link works too.",
                text=visit.argument[:80],
            ),
            keyboard=rows(
                Button(
                    t("Search for it"), action(visit, "s", str(searching.SearchPlace(visit.argument[:200])))
                )
            ),
        )
    return card(visit, paper_id, version)


def card(visit: Visit, paper_id: PaperId, version: int | None = None, back: str = "") -> Reply:
    """The card of a paper; raises NotArchived.

    A `version` that was asked for is linked as it is. `back` is the action of the button
    that leads back to where the card was opened.
    """
    t = visit.t
    known = visit.store.archive.by_id(paper_id)
    if known is None:
        raise NotArchived(paper_id, version)
    words = enrich.complete(known.paper, known.wordings)
    because = _because(visit, known)
    blocks = (
        *render_paper.paper_card(
            known.paper, words, visit.view, announced=known.newest_date, because=because
        ),
        *cards.own_words(visit, known),
    )
    cards.note_opened(visit, known)
    if version is not None and version != known.paper.version:
        said = t("You asked for version {version}; this is what I know of the paper.", version=version)
        blocks = (Block((line(said),)), *blocks)
    return Reply(blocks, cards.keyboard(visit, known, back, version), shareable=True)


def open_paper(visit: Visit) -> Reply:
    """A paper's button: its card, to the one who pressed."""
    return card(visit, PaperId(visit.argument))


def open_in_place(visit: Visit) -> Reply:
    """A paper's button under a digest's page: its card instead of the page, and a way back."""
    page, _, rest = visit.argument.partition(":")
    paper_id, _, name = rest.rpartition("|")
    return replace(card(visit, PaperId(paper_id), back=f"d:{name}:{page}"), in_place=True)


def reopen(visit: Visit) -> Reply:
    """A paper's button under a list: its card instead of the list, and a way back."""
    return _in_place(visit, CardPlace.read(visit.argument))


def _in_place(visit: Visit, place: CardPlace) -> Reply:
    return replace(card(visit, place.paper, back=place.back), in_place=True)


def translate(visit: Visit) -> Reply:
    """[Translate the abstract] on a card: the card with the translation. Raises NotTranslated while there is none."""
    place = CardPlace.read(visit.argument)
    known = visit.store.archive.by_id(place.paper)
    if known is not None and cards.may_translate(visit, known):
        raise NotTranslated(known.key, place)
    return _in_place(visit, place)


def untranslated(visit: Visit, place: CardPlace) -> Reply:
    """The card once more, and that no translation came."""
    reply = _in_place(visit, place)
    said = visit.t(
        "The abstract could not be translated now: the service does not answer, or the day's budget is spent."
    )
    return replace(reply, blocks=(*reply.blocks, Block((line(said, kind=LineKind.QUIET),))))


def _because(visit: Visit, known: Known) -> tuple[tuple[str, Match], ...]:
    """Which of the chat's subscriptions find this paper, with the fields that match."""
    index = matching.DayIndex([(known.paper, known.wordings)], types=[known.types])
    found = []
    for one in visit.store.members.followed_in(visit.chat.key):
        try:
            hits = index.hits(query.parse(one.query), today=visit.now.date())
        except QueryError:
            continue
        if 0 in hits:
            found.append((one.heading, hits[0]))
    return tuple(found)


def plain_text(visit: Visit) -> Reply:
    """What somebody writes without a command: the card of the paper it names, a choice of several, else a search."""
    named = dict(paper_ids.find_all(visit.argument))
    if not named:
        return searching.search(visit)
    if len(named) == 1:
        ((paper_id, version),) = named.items()
        return card(visit, paper_id, version)
    return _choice(visit, list(named)[:MOST_NAMED])


def _choice(visit: Visit, named: Sequence[PaperId]) -> Reply:
    titles = {one.paper.id: one.paper.title for one in visit.store.archive.by_ids(named)}
    lines = [
        line(f"{number}  ", titles.get(one, ""), " " if one in titles else "", code(one))
        for number, one in enumerate(named, start=1)
    ]
    choices = tuple(
        Button(f"{number} · {titles.get(one, one)}"[:90], action(visit, "p", one), short=str(number))
        for number, one in enumerate(named, start=1)
    )
    return Reply((Block(tuple(lines)),), Keyboard(choices=choices, prompt=visit.t("Open a paper…")))
