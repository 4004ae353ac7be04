"""From a chat's digest to the parts that the outbox keeps: pages for one reader, a list and a file for many."""

from __future__ import annotations

from bot.locale import translator
from bot.parts import make_parts
from bot.ports import Attachment
from bot.render import digest as render_digest
from bot.render.html import digest_html
from bot.render.view import View
from scheduler.models import Chat, ChatKind, Digest


def view_of(chat: Chat) -> View:
    """How a chat wants papers shown."""
    return View(lang=chat.lang, content=chat.content, zone=chat.schedule.zone, platform=chat.ref.platform)


def render(chat: Chat, digest: Digest, run_key: str) -> tuple[str, ...]:
    """The finished parts of a digest as the outbox keeps them (`ports.Part` as JSON).

    A private chat gets the first page with buttons to the others; a group or channel the complete compact list and
    the complete digest as an HTML file.
    """
    view = view_of(chat)
    platform = chat.ref.platform
    if chat.kind is ChatKind.PRIVATE:
        pages = render_digest.digest_pages(digest, view)
        keyboard = render_digest.page_keyboard(run_key, pages[0], len(pages), translator(chat.lang))
        parts = make_parts(pages[0].blocks, platform, keyboard)
    else:
        parts = make_parts(
            render_digest.digest_compact(digest, view), platform, attachment=file_of(digest, view)
        )
    return tuple(part.to_json() for part in parts)


def file_of(digest: Digest, view: View) -> Attachment:
    """The complete digest as a self-contained page."""
    days = "_".join(day.isoformat() for day in (digest.dates[:1] + digest.dates[1:][-1:]))
    return Attachment(f"paperboy-{days}.html", digest_html(digest, view))
