"""One part, one API call: as HTML; as plain text where Telegram refuses the markup; as a file where it is too long."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any

from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputFile,
    InputMediaPhoto,
    LinkPreviewOptions,
    ReplyParameters,
)
from telegram.constants import InlineKeyboardMarkupLimit, ParseMode
from telegram.error import BadRequest, TelegramError

from bot.adapters.telegram.outcomes import is_not_editable, is_unchanged, outcome_of
from bot.adapters.telegram.picking import keyboard_of
from bot.ports import Button, Keyboard, Outcome, Part, Picker, Rejected, Retry, Sent
from scheduler.models import ChatRef

logger = logging.getLogger(__name__)

LONGEST_WAIT = timedelta(minutes=5)
"""The longest pause between two tries to reach a server that cannot be reached."""

SHORT_CAPTION = 500
"""Letters of the text under a file that holds all of it: within the caption's 1,024 units whatever they are."""

NO_PREVIEW = LinkPreviewOptions(is_disabled=True)


DESCRIPTION_LIMIT = 500
"""Letters of a picture's description where it stands below it as its only text."""


class Form(StrEnum):
    """How a part is put: with its markup, as plain text, or (too long for a message) as a file with its beginning."""

    MARKUP = "markup"
    PLAIN = "text"
    SHORT = "file"


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


async def post(bot: Bot, chat: ChatRef, part: Part, manner: Manner, form: Form = Form.MARKUP) -> str:
    """Puts a part into a chat as a new message and gives its id; raises what the library raises."""
    text, mode = text_of(part, form)
    address: dict[str, Any] = {
        "chat_id": int(chat.chat_id),
        "message_thread_id": int(chat.thread_id) if chat.thread_id else None,
        "disable_notification": manner.quiet,
        "reply_markup": markup_of(part.keyboard),
        "reply_parameters": _reply_to(manner),
        "parse_mode": mode,
    }
    file = _file_of(part, form)
    if part.picture is not None:
        photo = InputFile(part.picture.png, filename=part.picture.name)
        caption = text or part.picture.description[:DESCRIPTION_LIMIT]
        message = await bot.send_photo(photo=photo, caption=caption, **address)
    elif file is None:
        message = await bot.send_message(text=text, link_preview_options=NO_PREVIEW, **address)
    else:
        message = await bot.send_document(document=file, caption=text or None, **address)
    return str(message.message_id)


def _file_of(part: Part, form: Form) -> InputFile | None:
    if part.attachment is not None:
        return InputFile(part.attachment.text.encode(), filename=part.attachment.name)
    return InputFile(part.plain.encode(), filename="message.txt") if form is Form.SHORT else None


async def ask_to_pick(bot: Bot, chat: ChatRef, picker: Picker) -> str:
    """Puts the buttons that pick a chat into a private chat; raises what the library raises."""
    message = await bot.send_message(int(chat.chat_id), picker.text, reply_markup=keyboard_of(picker))
    return str(message.message_id)


async def edit(bot: Bot, chat: ChatRef, message_id: int, part: Part, form: Form = Form.MARKUP) -> str:
    """Lets a message show a part instead and gives its id.

    Raises NotEditableError where that message cannot be edited, else what the library raises. A part
    without text changes the buttons alone.
    """
    if form is Form.SHORT:
        raise NotEditableError
    text, mode = text_of(part, form)
    place: dict[str, Any] = {
        "chat_id": int(chat.chat_id),
        "message_id": message_id,
        "reply_markup": markup_of(part.keyboard),
    }
    try:
        if part.picture is not None:
            photo = InputMediaPhoto(part.picture.png, text or None, mode, filename=part.picture.name)
            await bot.edit_message_media(photo, **place)
        elif text:
            await bot.edit_message_text(text, parse_mode=mode, link_preview_options=NO_PREVIEW, **place)
        else:
            await bot.edit_message_reply_markup(**place)
    except BadRequest as error:
        if is_not_editable(error):
            raise NotEditableError from error
        if not is_unchanged(error):
            raise
    return str(message_id)


def text_of(part: Part, form: Form = Form.MARKUP) -> tuple[str, str | None]:
    """The part's text and the parse mode that reads it."""
    if form is Form.SHORT:
        return _beginning(part.plain), None
    if form is Form.PLAIN or not part.cards:
        return part.plain, None
    return part.cards[0].text, ParseMode.HTML


def _reply_to(manner: Manner) -> ReplyParameters | None:
    if manner.reply_to is None:
        return None
    return ReplyParameters(manner.reply_to, allow_sending_without_reply=True)


def _beginning(text: str) -> str:
    """As many whole lines as fit under a file, or a piece of the first one; the file holds everything."""
    if len(text) <= SHORT_CAPTION:
        return text
    cut = text[:SHORT_CAPTION]
    return (cut[: cut.rfind("\n")] if "\n" in cut else cut).rstrip() + "\n…"


async def attempt(call: Callable[[Form], Awaitable[str]], chat: ChatRef) -> Outcome:
    """Makes a call (it gives a message id), and again in a humbler form where Telegram refuses this one."""
    form: Form | None = Form.MARKUP
    outcome: Outcome | None = None
    while form is not None:
        try:
            return Sent(await call(form))
        except TelegramError as error:
            outcome = outcome_of(error, chat)
            refused, form = form, _humbler(form, outcome)
            if outcome is None or form is not None:
                logger.error("Telegram refused our %s for %s: %s", refused, chat, error)
    return outcome or Rejected("refused")


def _humbler(form: Form, outcome: Outcome | None) -> Form | None:
    """The form in which what was refused may still be taken; None for every other answer."""
    if outcome is None and form is Form.MARKUP:
        return Form.PLAIN
    return Form.SHORT if outcome == Rejected("too_long") and form is not Form.SHORT else None


class Doubts:
    """Lets a server that is not reached again and again be asked less and less often."""

    def __init__(self) -> None:
        self._unreachable = 0

    def weigh(self, outcome: Outcome) -> Outcome:
        """The outcome to act on: `unreachable` waits longer each time."""
        match outcome:
            case Retry(reason="unreachable"):
                self._unreachable += 1
                wait = outcome.after * 2 ** min(self._unreachable - 1, 10)
                return replace(outcome, after=min(wait, LONGEST_WAIT))
            case Sent():
                self._unreachable = 0
        return outcome
