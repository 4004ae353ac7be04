"""/digest, and the pages of one behind their buttons."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from bot.commands.subscribing import next_digest
from bot.commands.visit import (
    Visit,
    code,
    line,
    rows,
    say,
)
from bot.ports import Button, Keyboard, Reply
from bot.render import digest as render_digest
from bot.render.html import digest_file
from scheduler import digest, enrich
from scheduler.models import ChatKind, Digest
from scheduler.news import build_for_chat

PRINTED = "now"


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
