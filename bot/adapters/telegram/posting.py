"""One part, one API call: as HTML, and once more as plain text where Telegram refuses the markup."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputFile,
    LinkPreviewOptions,
    ReplyParameters,
)
from telegram.constants import InlineKeyboardMarkupLimit, ParseMode
from telegram.error import BadRequest, TelegramError

from bot.adapters.telegram.outcomes import is_not_editable, is_unchanged, outcome_of
from bot.adapters.telegram.picking import keyboard_of
from bot.ports import Button, Gone, Keyboard, Outcome, Part, Picker, Rejected, Retry, Sent
from scheduler.models import ChatRef

logger = logging.getLogger(__name__)

NOT_FOUND_WAIT = timedelta(hours=1)
"""A chat that Telegram does not find counts as gone when it is still not found this much later."""

LONGEST_WAIT = timedelta(minutes=5)
"""The longest pause between two tries to reach a server that cannot be reached."""

NO_PREVIEW = LinkPreviewOptions(is_disabled=True)


@dataclass(frozen=True, slots=True)
class Manner:
    """How a part is put into a chat: without a sound, and as a reply to a message (None: as no reply)."""

    quiet: bool
    reply_to: int | None = None


class NotEditableError(Exception):
    """The message cannot be edited; its new text needs a message of its own."""


def markup_of(keyboard: Keyboard) -> InlineKeyboardMarkup | None:
    """The keyboard as Telegram shows it: choices first, eight short labels a row; None without buttons."""
    if keyboard.is_empty:
        return None
    choices = [_button(choice, choice.short or choice.label) for choice in keyboard.choices]
    width = InlineKeyboardMarkupLimit.BUTTONS_PER_ROW
    rows = [choices[start : start + width] for start in range(0, len(choices), width)]
    rows += [[_button(button, button.label) for button in row] for row in keyboard.rows if row]
    return InlineKeyboardMarkup(rows)


def _button(button: Button, label: str) -> InlineKeyboardButton:
    if button.url:
        return InlineKeyboardButton(label, url=button.url)
    return InlineKeyboardButton(label, callback_data=button.action)


async def post(bot: Bot, chat: ChatRef, part: Part, manner: Manner, *, plain: bool) -> str:
    """Puts a part into a chat as a new message and gives its id; raises what the library raises."""
    text, mode = text_of(part, plain=plain)
    address: dict[str, Any] = {
        "chat_id": int(chat.chat_id),
        "message_thread_id": int(chat.thread_id) if chat.thread_id else None,
        "disable_notification": manner.quiet,
        "reply_markup": markup_of(part.keyboard),
        "reply_parameters": _reply_to(manner),
        "parse_mode": mode,
    }
    if part.attachment is None:
        message = await bot.send_message(text=text, link_preview_options=NO_PREVIEW, **address)
    else:
        page = InputFile(part.attachment.text.encode(), filename=part.attachment.name)
        message = await bot.send_document(document=page, caption=text or None, **address)
    return str(message.message_id)


async def ask_to_pick(bot: Bot, chat: ChatRef, picker: Picker) -> str:
    """Puts the buttons that pick a chat into a private chat; raises what the library raises."""
    message = await bot.send_message(int(chat.chat_id), picker.text, reply_markup=keyboard_of(picker))
    return str(message.message_id)


async def edit(bot: Bot, chat: ChatRef, message_id: int, part: Part, *, plain: bool) -> str:
    """Lets a message show a part instead and gives its id.

    Raises NotEditableError where that message cannot be edited, else what the library raises. A part
    without text changes the buttons alone.
    """
    text, mode = text_of(part, plain=plain)
    place: dict[str, Any] = {
        "chat_id": int(chat.chat_id),
        "message_id": message_id,
        "reply_markup": markup_of(part.keyboard),
    }
    try:
        if text:
            await bot.edit_message_text(text, parse_mode=mode, link_preview_options=NO_PREVIEW, **place)
        else:
            await bot.edit_message_reply_markup(**place)
    except BadRequest as error:
        if is_not_editable(error):
            raise NotEditableError from error
        if not is_unchanged(error):
            raise
    return str(message_id)


def text_of(part: Part, *, plain: bool) -> tuple[str, str | None]:
    if plain or not part.cards:
        return part.plain, None
    return part.cards[0].text, ParseMode.HTML


def _reply_to(manner: Manner) -> ReplyParameters | None:
    if manner.reply_to is None:
        return None
    return ReplyParameters(manner.reply_to, allow_sending_without_reply=True)


async def attempt(call: Callable[[bool], Awaitable[str]], chat: ChatRef) -> Outcome:
    """Makes a call (`call(plain)` gives a message id), again as plain text where the markup is refused."""
    for plain in (False, True):
        try:
            return Sent(await call(plain))
        except TelegramError as error:
            outcome = outcome_of(error, chat)
            if outcome is not None:
                return outcome
            logger.error("Telegram refused our %s for %s: %s", "text" if plain else "markup", chat, error)
    return Rejected("refused")


class Doubts:
    """Takes the hasty out of two outcomes: a chat not found once, a server not reached again and again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._not_found: dict[str, float] = {}
        self._unreachable = 0

    def weigh(self, chat: ChatRef, outcome: Outcome) -> Outcome:
        """The outcome to act on: `chat_not_found` counts when it lasts, `unreachable` waits longer each time.

        A chat not found may be a passing fault of Telegram's; the memory lasts as long as the process.
        """
        match outcome:
            case Gone("chat_not_found"):
                return self._doubt(chat, outcome)
            case Retry(reason="unreachable"):
                self._unreachable += 1
                wait = outcome.after * 2 ** min(self._unreachable - 1, 10)
                return replace(outcome, after=min(wait, LONGEST_WAIT))
            case Sent():
                self._unreachable = 0
                self._not_found.pop(chat.chat_id, None)
        return outcome

    def _doubt(self, chat: ChatRef, outcome: Gone) -> Outcome:
        wait = NOT_FOUND_WAIT.total_seconds()
        passed = self._clock() - self._not_found.setdefault(chat.chat_id, self._clock())
        if passed < wait:
            return Retry(timedelta(seconds=wait - passed), outcome.reason, counted=False)
        del self._not_found[chat.chat_id]
        return outcome
