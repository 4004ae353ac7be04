"""What each refusal of the Bot API means for a delivery: the one table of its error texts.

Telegram's texts are not a contract, so the type of the error decides first and a lower-case piece of its
text second (core.telegram.org/bots/api, "Making requests"; tdlib's and the Bot API server's sources for the
texts).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType

import httpx
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)

from bot.ports import Ambiguous, Gone, Moved, Outcome, Paused, Rejected, Retry
from scheduler.models import ChatRef, Platform

UNREACHABLE_WAIT = timedelta(seconds=5)
"""How long everything on Telegram waits when the server could not be reached at all."""

TOKEN_WAIT = timedelta(minutes=1)
"""How long everything on Telegram waits after an answer that looks like a refused token."""

_NOT_SENT = (
    httpx.PoolTimeout,
    httpx.ConnectTimeout,
    httpx.ConnectError,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
)
"""The causes after which nothing can have reached the server."""

_NO_RIGHTS = (
    "not enough rights",
    "need administrator rights",
    "have no rights",
    "write_forbidden",
    "chat_restricted",
    "chat_admin_required",
    "_forbidden",
)

_FORBIDDEN: Mapping[str, str] = MappingProxyType(
    {
        "blocked by the user": "blocked",
        "user is deactivated": "deactivated",
        "was kicked": "kicked",
        "was deleted": "kicked",
        "not a member": "not_member",
        "not a participant": "not_member",
        "can't initiate": "cannot_initiate",
        "can't send messages to bots": "cannot_initiate",
    }
)

_TOPIC: Mapping[str, str] = MappingProxyType(
    {
        "topic_closed": "topic_closed",
        "message thread not found": "topic_gone",
        "topic_deleted": "topic_gone",
        "topic_id_invalid": "topic_gone",
    }
)

_NOT_FOUND = ("chat not found", "peer_id_invalid")

_TOO_LONG = ("message is too long", "caption is too long", "media_caption_too_long")

_EMPTY = ("text is empty", "message must be non-empty")

SEND_PHOTOS = "Send photos"

_RIGHTS_BY_WORD: Mapping[str, str] = MappingProxyType(
    {
        "document": "Send files",
        "docs": "Send files",
        "photo": SEND_PHOTOS,
        "channel": "Post messages",
        "manage topics": "Manage topics",
    }
)


def outcome_of(error: TelegramError, chat: ChatRef) -> Outcome | None:
    """What a failed call means for a part to `chat`; None: send the same part again without its markup.

    The order matters: BadRequest and TimedOut are kinds of NetworkError in python-telegram-bot.
    """
    match error:
        case RetryAfter():
            return Retry(flood_wait(error), "flood_wait", counted=False)
        case ChatMigrated():
            return Moved(ChatRef(Platform.TELEGRAM, str(error.new_chat_id), chat.thread_id))
        case Forbidden():
            return _forbidden(error.message.lower(), chat)
        case BadRequest():
            return _bad_request(error.message.lower())
        case InvalidToken():
            return Retry(TOKEN_WAIT, "token", counted=False, scope="platform")
        case Conflict():
            return Retry(UNREACHABLE_WAIT, "conflict", counted=False, scope="platform")
        case NetworkError():
            return _network(error)
    return Ambiguous("strange_answer")


def flood_wait(error: RetryAfter) -> timedelta:
    """The wait that Telegram asks for; the library gives seconds, or a timedelta if PTB_TIMEDELTA is set."""
    wait = error.retry_after
    return wait if isinstance(wait, timedelta) else timedelta(seconds=wait)


def is_unchanged(error: TelegramError) -> bool:
    """True when an edit failed because the message shows just that already."""
    return "message is not modified" in error.message.lower()


def is_not_editable(error: TelegramError) -> bool:
    """True when that message cannot be edited, now or later (gone, too old, a file, not ours)."""
    text = error.message.lower()
    pieces = ("to edit not found", "can't be edited", "no text in the message", "message_id_invalid")
    return any(piece in text for piece in pieces)


def _forbidden(text: str, chat: ChatRef) -> Outcome:
    if _holds(text, _NO_RIGHTS):
        return Paused("no_rights", _missing(text))
    unnamed = "kicked" if chat.chat_id.startswith("-") else "blocked"
    return Gone(next((reason for piece, reason in _FORBIDDEN.items() if piece in text), unnamed))


def _bad_request(text: str) -> Outcome | None:
    for piece, reason in _TOPIC.items():
        if piece in text:
            return Paused(reason)
    if _holds(text, _NO_RIGHTS):
        return Paused("no_rights", _missing(text))
    if _holds(text, _NOT_FOUND):
        return Gone("chat_not_found")
    if "was deactivated" in text:
        return Gone("deactivated")
    if _holds(text, _TOO_LONG):
        return Rejected("too_long")
    if _holds(text, _EMPTY):
        return Rejected("empty")
    return None


def _network(error: NetworkError) -> Outcome:
    if isinstance(error.__cause__, _NOT_SENT):
        return Retry(UNREACHABLE_WAIT, "unreachable", counted=False, scope="platform")
    if "entity too large" in error.message.lower():
        return Rejected("too_big")
    return Ambiguous("answer_lost" if isinstance(error.__cause__, httpx.HTTPError) else "server_error")


def _missing(text: str) -> tuple[str, ...]:
    named = tuple(right for word, right in _RIGHTS_BY_WORD.items() if word in text)
    return named[:1] or ("Send messages",)


def _holds(text: str, pieces: tuple[str, ...]) -> bool:
    return any(piece in text for piece in pieces)
