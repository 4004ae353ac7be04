"""Whoever saved a paper is told when it changes: once a day at most, in private, behind the digest of that day."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from bot.deliveries import view_of
from bot.parts import make_parts
from bot.render.news import PaperNews, news_blocks, news_keyboard
from scheduler import slots
from scheduler.models import Change, Chat
from scheduler.store import Store
from scheduler.store.outbox import NOTICE, Plan

logger = logging.getLogger(__name__)

WITHIN = timedelta(days=30)
"""A change is told of for so long: whoever could not be reached till then is spared it."""

MOST = 25
"""Papers in one message; the others come the day after."""


def tell_if_due(store: Store, now: datetime) -> int:
    """Enqueues what is to be told, and returns to how many people."""
    told = 0
    for person in store.library.savers_to_tell(now, WITHIN):
        try:
            with store.writing():
                told += _tell(store, person, now)
        except Exception:
            logger.exception("%s could not be told what changed in saved papers", person)
    return told


def _tell(store: Store, person: str, now: datetime) -> bool:
    chat = store.chats.private_with(person)
    if chat is None or not _is_time(store, chat, now):
        return False
    news = _news(store, person)[:MOST]
    view = view_of(chat)
    parts = make_parts(news_blocks(news, view), chat.ref.platform, news_keyboard(news, view.t))
    name = f"{NOTICE}saved {slots.local_day(chat.schedule, now).isoformat()}"
    payloads = tuple(part.to_json() for part in parts)
    if not store.outbox.enqueue(Plan(chat, name, "", payloads, (), None), now):
        return False
    store.library.told(person, [one.key for one in news], store.archive.last_change())
    return True


def _is_time(store: Store, chat: Chat, now: datetime) -> bool:
    """Once the day's hour has come, outside quiet hours, and not before a digest that still waits for its papers."""
    schedule = chat.schedule
    if now < slots.slot_on(schedule, slots.local_day(schedule, now)) or slots.quiet_end(schedule, now) > now:
        return False
    due = store.chats.next_digest(chat.key)
    return not store.members.followed_in(chat.key) or due is None or due > now


def _news(store: Store, person: str) -> tuple[PaperNews, ...]:
    """What changed since the person was last told, by paper, the first change first."""
    saved = {one.paper: one.told for one in store.library.saved(person)}
    changes = store.archive.changes_since(min(saved.values(), default=0), saved)
    fresh: dict[int, list[Change]] = {}
    for change in changes:
        if change.number > saved[change.paper]:
            fresh.setdefault(change.paper, []).append(change)
    known = store.archive.by_key(list(fresh))
    return tuple(PaperNews(one.key, one.paper, tuple(fresh[one.key])) for one in known)
