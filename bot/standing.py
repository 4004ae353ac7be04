"""When a platform keeps us from a chat: the state with its reason, one notice to who can mend it, and the end.

A notice goes through the outbox to the private chat of the person who set the group or channel up. Nothing of a chat
is deleted before it has rested for `KEPT`, with a notice `NOTICE_BEFORE` that.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from bot.locale import N_, Translator, translator
from bot.markup import Block, Line, Span
from bot.parts import as_post, make_parts
from bot.ports import Button, Keyboard, action_for
from scheduler.models import Chat, ChatKind, ChatState, Platform
from scheduler.store import Store
from scheduler.store.chats import Resting
from scheduler.store.outbox import NOTICE, Plan

logger = logging.getLogger(__name__)

KEPT = timedelta(days=90)
NOTICE_BEFORE = timedelta(days=7)

_PROBLEMS = {
    "no_rights": N_("I may no longer post in {chat}. Missing: {rights}."),
    "no_permission": N_("I may no longer post in {chat}. Missing: {rights}."),
    "no_access": N_("I can no longer see {chat}. Missing: {rights}."),
    "locked": N_("{chat} is locked, so I can't post there."),
    "topic_closed": N_("The topic in {chat} is closed, so I can't post there."),
    "topic_gone": N_("The topic that I posted to in {chat} is gone."),
    "kicked": N_("I was removed from {chat}."),
    "not_member": N_("I am no longer a member of {chat}."),
    "left": N_("I am no longer a member of {chat}."),
    "blocked": N_("I am blocked in {chat}."),
    "deactivated": N_("The account of {chat} is deactivated."),
    "cannot_initiate": N_("{chat} has not spoken to me yet, so I may not write there."),
    "chat_not_found": N_("{chat} can't be found any more."),
    "gone_channel": N_("{chat} does not exist any more, or I can no longer see it."),
    "gone_guild": N_("The server of {chat} does not exist any more, or I am no longer on it."),
    "media": N_("{chat} is a media channel, where every post needs a picture, so I can't post there."),
    "no_tag": N_("Posts in {chat} must have a tag, and it has none that I may use."),
    "dm_closed": N_("{chat} takes no private messages from me."),
    "stopped": N_("Digests are stopped in {chat}."),
}
_OTHERWISE = N_("I can't post in {chat} ({reason}).")

_LOST = frozenset({"gone_channel", "gone_guild", "chat_not_found", "deactivated"})
"""Nothing brings these back; another channel can have what they followed."""

_TOLD = frozenset(
    {
        "no_rights",
        "no_permission",
        "no_access",
        "locked",
        "topic_closed",
        "topic_gone",
        "kicked",
        "not_member",
        "left",
        "media",
        "no_tag",
        *_LOST,
    }
)
_OF_ONE_TOPIC = frozenset({"topic_closed", "topic_gone", "locked"})
_OF_A_SERVER = frozenset({"gone_guild"})

RIGHTS = (
    N_("Send messages"),
    N_("Send files"),
    N_("Post messages"),
    N_("Manage topics"),
    N_("Create Posts"),
    N_("Send Messages in Posts"),
    N_("View Channel"),
    N_("Send Messages"),
    N_("Send Messages in Threads"),
    N_("Embed Links"),
    N_("Attach Files"),
)
"""The rights that adapters name, as the platforms' own settings call them."""


def reason_text(reason: str, missing: Sequence[str]) -> str:
    """A stable key with the rights that are missing, as a chat keeps it: "no_rights Send messages, Send files"."""
    return f"{reason} {', '.join(missing)}".rstrip()


def problem_words(chat: Chat, t: Translator, name: str = "") -> str:
    """Why a chat rests, in one sentence; `name` stands for the chat's title."""
    reason, _, rights = chat.reason.partition(" ")
    missing = t.names([t(right) for right in rights.split(", ")]) if rights else t("the right to post")
    text = _PROBLEMS.get(reason, _OTHERWISE)
    words = t(text, chat=name or chat.title or chat.ref.chat_id, rights=missing, reason=chat.reason)
    return words[:1].upper() + words[1:] if name else words


def rest(
    store: Store,
    chat: Chat,
    state: ChatState,
    reason: str,
    missing: Sequence[str],
    now: datetime,
) -> bool:
    """Lets a chat rest with its reason, and tells who can mend it once; True when a notice was enqueued.

    Its settings, subscriptions and open parts stay.
    """
    full = reason_text(reason, missing)
    with store.writing():
        told = store.chats.rest(chat.key, state, full, now)
        if told == full or reason not in _TOLD or chat.kind is ChatKind.PRIVATE:
            return False
        nearby = reason not in _OF_ONE_TOPIC and store.chats.told_nearby(chat, full, reason in _OF_A_SERVER)
        store.chats.told(chat.key, full)
        resting = store.chats.get(chat.key)
        return not nearby and resting is not None and _tell(store, resting, now)


def _tell(store: Store, chat: Chat, now: datetime) -> bool:
    owner = store.chats.manager_chat(chat.key)
    if owner is None:
        return False
    t = translator(owner.lang)
    is_lost = chat.reason.partition(" ")[0] in _LOST
    lines = (
        problem_words(chat, t),
        t("Its settings are kept, and another channel can have them.")
        if is_lost
        else t("Settings are kept; I start again by myself once that is mended."),
    )
    return notice(store, owner, f"{chat.key} {now.isoformat()}", lines, now, *_ways_out(chat, t))


def _ways_out(chat: Chat, t: Translator) -> Iterator[Button]:
    """What the person who looks after a resting chat can do about it."""
    yield Button(t("Check again"), f"check:{chat.key}")
    if chat.ref.platform is Platform.TELEGRAM and chat.ref.thread_id and chat.reason.startswith("topic_"):
        yield Button(t("Use General"), action_for(chat.key, "general"))
    yield Button(t("Use another channel"), f"another:{chat.key}")


def notice(
    store: Store, to: Chat, name: str, sentences: Sequence[str], now: datetime, *buttons: Button
) -> bool:
    """Enqueues a message that is no digest; False when one of this name was enqueued before."""
    block = Block(tuple(Line((Span(sentence),)) for sentence in sentences))
    keyboard = Keyboard(tuple((button,) for button in buttons))
    parts = make_parts((block,), to.ref.platform, keyboard)
    if to.kind is ChatKind.FORUM:
        parts = as_post(parts, sentences[0])
    payloads = tuple(part.to_json() for part in parts)
    return store.outbox.enqueue(Plan(to, f"{NOTICE}{name}", "", payloads, (), None), now)


def look_after(store: Store, now: datetime) -> None:
    """Once a day: paused chats are tried again, those that rest for long are announced and then forgotten."""
    for entry in store.chats.resting():
        with store.writing():
            _look_after(store, entry, now)


def _look_after(store: Store, entry: Resting, now: datetime) -> None:
    chat, rested = entry.chat, now - entry.since
    if entry.warned is not None and rested >= KEPT and now - entry.warned >= NOTICE_BEFORE:
        logger.info("%s rested for %d days and is forgotten: %s", chat.ref, rested.days, chat.reason)
        store.chats.forget(chat.key)
        return
    if entry.warned is None and rested >= KEPT - NOTICE_BEFORE:
        store.chats.warned(chat.key, now)
        _announce_end(store, chat, now)
    if chat.state is ChatState.PAUSED:
        store.chats.try_again(chat.key)


def _announce_end(store: Store, chat: Chat, now: datetime) -> None:
    owner = store.chats.manager_chat(chat.key)
    if owner is None:
        return
    t = translator(owner.lang)
    lines = (
        problem_words(chat, t),
        t(
            "That was long ago. On {date} I delete what {chat} follows, unless it is mended before.",
            date=t.date((now + NOTICE_BEFORE).date()),
            chat=chat.title or chat.ref.chat_id,
        ),
    )
    name = f"{chat.key} end {now.date().isoformat()}"
    notice(store, owner, name, lines, now, *_ways_out(chat, t))
