"""Papers for any chat: what somebody types after the bot's name, as a list of cards to send there."""

from __future__ import annotations

from datetime import date
from hashlib import sha256

from bot.commands.visit import cursor_of
from bot.parts import make_parts
from bot.ports import InlineCard, InlineCards
from bot.render.paper import card_keyboard, paper_card
from bot.render.paper_words import short_authors
from bot.render.view import View
from scheduler import enrich, paper_ids, query
from scheduler.errors import QueryError
from scheduler.store import Store
from scheduler.store.papers import Known

PAGE = 20
"""Cards of one page; Telegram takes 50 (Bot API, answerInlineQuery), a phone shows five at a time."""

AUTHORS = 2

SEARCHING = "inline"
"""What /start gets from who wants to know how searching works."""

EVERYTHING = "since:1991-01-01"
"""What is listed before anything was typed: the newest papers."""

KEY_LIMIT = 64
"""Bytes of a result's id (Bot API, InlineQueryResultArticle)."""


def cards(store: Store, view: View, typed: str, offset: str, today: date) -> InlineCards:
    """The page of papers for what is typed so far, newest first; what cannot be read yet gives a note."""
    t = view.t
    named = paper_ids.find_all(typed)
    if named:
        known = store.archive.by_ids([paper_id for paper_id, _version in named])
        if not known:
            return InlineCards(
                note=t("Not in the archive yet: ask me for it"),
                start=view.start_value(named[0][0]) or SEARCHING,
            )
        return InlineCards(tuple(_card(one, view) for one in known))
    try:
        wanted = query.parse_typed(typed) if typed else query.parse(EVERYTHING)
    except QueryError:
        return InlineCards(note=t("I can't read this yet. How searching works"), start=SEARCHING)
    before = cursor_of(offset)
    found = store.archive.search(wanted, today=today, limit=PAGE, before=before)
    if not found.papers and not offset:
        return InlineCards(note=t("No paper fits. How searching works"), start=SEARCHING)
    more = "" if found.next_before is None else str(found.next_before)
    return InlineCards(tuple(_card(one, view) for one in found.papers), more)


def _card(known: Known, view: View) -> InlineCard:
    paper = known.paper
    blocks = paper_card(paper, enrich.complete(paper, known.wordings), view, announced=known.newest_date)
    shown = make_parts(blocks, view.platform, card_keyboard(paper, view.t))
    when = view.t.short_date(known.day, year=True) if known.day else ""
    told = (short_authors(paper.authors, AUTHORS), paper.primary_category, when)
    return InlineCard(_key(paper.id), paper.title, " · ".join(filter(None, told)), shown[0])


def _key(paper_id: str) -> str:
    return paper_id if len(paper_id.encode()) <= KEY_LIMIT else sha256(paper_id.encode()).hexdigest()
