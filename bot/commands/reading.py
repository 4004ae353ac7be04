"""/digest, /search and /paper, the pages behind their buttons, and plain text in a private chat."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from bot.commands import by_meaning, cards
from bot.commands.subscribing import next_digest
from bot.commands.visit import (
    CardPlace,
    NotArchived,
    NotTranslated,
    Visit,
    action,
    code,
    cursor_of,
    line,
    paper_choices,
    rows,
    say,
)
from bot.markup import Block, LineKind
from bot.ports import Button, Keyboard, Reply, Suggestion
from bot.render import digest as render_digest
from bot.render import paper as render_paper
from bot.render import search as render_search
from bot.render.html import digest_file
from bot.render.query_words import describe
from scheduler import digest, enrich, matching, paper_ids, query
from scheduler.errors import NotAPaperId, QueryError
from scheduler.models import ChatKind, Digest, Match, PaperId
from scheduler.news import build_for_chat
from scheduler.query import Field, Query
from scheduler.snippets import snippet
from scheduler.store.papers import Known

PAGE = 8
PRINTED = "now"
SHORTEST_BEGINNING = 3
"""Letters from which on a word that is being typed says something."""

_VERSION = re.compile(r"(?<=\d)v\d*\Z")


def show_digest(visit: Visit) -> Reply:
    """The digest of the newest announcement (or of a date that was named), whatever was delivered before."""
    t = visit.t
    subscriptions = visit.store.members.followed_in(visit.chat.key)
    if not subscriptions:
        return say(
            t("This chat follows nothing yet, so there is no digest. For example:"),
            line(code("/subscribe diffusion policy")),
            keyboard=rows(Button(t("Pick a topic"), "topics")),
        )
    day = _wanted_day(visit)
    if day is None:
        return say(t("Nothing is in the archive yet."), next_digest(visit))
    news = visit.house.news.read(visit.store, [day])
    built = build_for_chat(
        visit.store, visit.chat, news, subscriptions=[replace(one, since=None) for one in subscriptions]
    )
    if not built.keys:
        return _nothing_that_day(visit, day, news.announced.get(day, 0))
    name = f"{PRINTED}-{day.isoformat()}"
    visit.store.outbox.keep_digest(visit.chat.key, name, digest.dump(built.digest), visit.now)
    if visit.chat.kind is not ChatKind.PRIVATE:
        # Many read along, so no page is turned for everybody.
        blocks = render_digest.digest_compact(built.digest, visit.view)
        return Reply(blocks, attachment=digest_file(built.digest, visit.view), private=False)
    return page(visit, built.digest, name, 1, in_place=False)


def _wanted_day(visit: Visit) -> date | None:
    try:
        return date.fromisoformat(visit.argument)
    except ValueError:
        return visit.store.archive.newest_date()


def _nothing_that_day(visit: Visit, day: date, announced: int) -> Reply:
    t = visit.t
    if not announced:
        return say(t("Nothing was announced on {date}, or it is not in the archive.", date=t.date(day)))
    return say(
        t.n(
            "Nothing for you among the {count} paper announced on {date}.",
            "Nothing for you among the {count} papers announced on {date}.",
            announced,
            date=t.date(day),
        ),
        next_digest(visit),
        keyboard=rows(Button(t("What this chat follows"), "subscriptions")),
    )


def turn_page(visit: Visit) -> Reply:
    """◀ and ▶ under a digest."""
    name, _, number = visit.argument.rpartition(":")
    body = visit.store.outbox.digest_body(visit.chat.key, name)
    if body is None or not number.isdecimal():
        return say(visit.t("This digest is not kept any more."), keyboard=_digest_button(visit))
    return page(visit, loaded(visit, body), name, int(number), in_place=True)


def whole_page(visit: Visit) -> Reply:
    """[Whole digest as a page] under a digest: the HTML file that a channel gets."""
    body = visit.store.outbox.digest_body(visit.chat.key, visit.argument)
    if body is None:
        return say(visit.t("This digest is not kept any more."), keyboard=_digest_button(visit))
    return Reply(attachment=digest_file(loaded(visit, body), visit.view))


def loaded(visit: Visit, body: str) -> Digest:
    """A kept digest with its papers as the archive has them now."""
    known = visit.store.archive.by_ids(digest.paper_ids(body))
    return digest.load(
        body, {one.paper.id: (one.paper, enrich.complete(one.paper, one.wordings)) for one in known}
    )


def _digest_button(visit: Visit) -> Keyboard:
    return rows(Button(visit.t("Show today's papers"), "digest"))


def page(visit: Visit, shown: Digest, name: str, number: int, *, in_place: bool) -> Reply:
    """One page of a digest that is kept under `name`, with the buttons to the others."""
    pages = render_digest.digest_pages(shown, visit.view)
    wanted = pages[min(max(number, 1), len(pages)) - 1]
    keyboard = render_digest.page_keyboard(name, wanted, len(pages), visit.t)
    return Reply(wanted.blocks, keyboard, in_place=in_place)


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
    if visit.argument.startswith(by_meaning.SIGN):
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
                Button(t("Search for it"), action(visit, "s", str(SearchPlace(visit.argument[:200]))))
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
        return search(visit)
    if len(named) == 1:
        ((paper_id, version),) = named.items()
        return card(visit, paper_id, version)
    return _choice(visit, list(named)[:PAGE])


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
