"""From a chat's digest to the parts that the outbox keeps: pages for one reader, a list and a file for many."""

from __future__ import annotations

from dataclasses import replace

from bot.locale import translator
from bot.parts import as_post, make_parts
from bot.ports import Keyboard, Part
from bot.render import digest as render_digest
from bot.render.html import digest_file
from bot.render.view import View
from scheduler.models import Chat, ChatKind, Digest, Platform

SELECTABLE = 25
"""Options of one Discord select (components reference)."""


def view_of(chat: Chat, start_link: str = "") -> View:
    """How a chat wants papers shown."""
    return View(
        lang=chat.lang,
        content=chat.content,
        zone=chat.schedule.zone,
        platform=chat.ref.platform,
        start_link=start_link,
    )


def render(chat: Chat, digest: Digest, run_key: str, start_link: str = "") -> tuple[str, ...]:
    """The finished parts of a digest as the outbox keeps them (`ports.Part` as JSON).

    A private chat gets the first page with buttons to the others; a group or channel the complete compact list and
    the complete digest as an HTML file; in a forum that is a post of its own, named by the day. `start_link` is what a
    paper's private card is opened with from a channel.
    """
    view = view_of(chat, start_link)
    parts = _parts(chat, digest, view, run_key)
    if chat.kind is ChatKind.FORUM:
        parts = as_post(parts, render_digest.days_line(digest, view.t))
    return tuple(part.to_json() for part in parts)


def _parts(chat: Chat, digest: Digest, view: View, run_key: str) -> tuple[Part, ...]:
    if digest.expected is not None:
        return make_parts((render_digest.nothing_new(view, digest.expected),), view.platform)
    if chat.kind is ChatKind.PRIVATE:
        return _page(digest, view, run_key)
    first, *others = _list_and_file(digest, view)
    return (replace(first, pings=_pings(digest)), *others)


def _pings(digest: Digest) -> tuple[str, ...]:
    """Who wants to be told by the platform that something of theirs is in the digest."""
    return tuple(dict.fromkeys(one.ping for one in digest.sections if one.ping))


def _page(digest: Digest, view: View, run_key: str) -> tuple[Part, ...]:
    pages = render_digest.digest_pages(digest, view)
    first = pages[0]
    keyboard = render_digest.page_keyboard(run_key, first, len(pages), translator(view.lang))
    return make_parts(first.blocks, view.platform, keyboard)


def _list_and_file(digest: Digest, view: View) -> tuple[Part, ...]:
    blocks = render_digest.digest_compact(digest, view)
    return make_parts(blocks, view.platform, _select(digest, view), digest_file(digest, view))


def _select(digest: Digest, view: View) -> Keyboard:
    """On Discord a select whose card only the one who chose sees; on Telegram the numbers are links instead."""
    if view.platform is not Platform.DISCORD:
        return Keyboard()
    choices = render_digest.paper_choices(digest.papers[:SELECTABLE], lambda paper: f"p:{paper.id}")
    return Keyboard(choices=choices, prompt=view.t("Open a paper…"))
