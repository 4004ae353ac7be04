"""What the fake Telegram refuses of a message: markup, lengths, buttons."""

from __future__ import annotations

import re

from tests.fakes.telegram_chats import Json, RefusedCall
from tests.judges.telegram_entities import Entity, MarkupError, parse_html

TEXT_LIMIT, CAPTION_LIMIT = 4096, 1024
ACTION_BYTES, BUTTONS, BUTTONS_PER_ROW = 64, 100, 8

_ENTITY_TYPES = {
    "Bold": "bold",
    "Italic": "italic",
    "Underline": "underline",
    "Strikethrough": "strikethrough",
    "Spoiler": "spoiler",
    "Code": "code",
    "Pre": "pre",
    "PreCode": "pre",
    "TextUrl": "text_link",
    "MentionName": "text_mention",
    "BlockQuote": "blockquote",
    "ExpandableBlockQuote": "expandable_blockquote",
}


def parse(text: str, mode: str | None) -> tuple[str, tuple[Json, ...]]:
    """A text as it is shown, with its entities as Bot API objects."""
    if mode is None:
        return text.strip("\n").rstrip(), ()
    if mode != "HTML":
        raise RefusedCall(400, "Bad Request: unsupported parse_mode")
    try:
        shown, entities = parse_html(text)
    except MarkupError as error:
        problem = str(error)
        raise RefusedCall(400, f"Bad Request: {problem[:1].lower()}{problem[1:]}") from error
    return shown.rstrip(), tuple(_entity(entity) for entity in entities)


def _entity(entity: Entity) -> Json:
    known = {"type": _ENTITY_TYPES[entity.kind], "offset": entity.offset, "length": entity.length}
    about = (
        {"user": {"id": entity.user, "is_bot": False, "first_name": str(entity.user)}} if entity.user else {}
    )
    return known | about | ({"url": entity.url} if entity.url else {})


def rows(fields: Json) -> tuple[tuple[Json, ...], ...]:
    """The inline keyboard of a call, row by row."""
    keyboard = fields.get("reply_markup", {}).get("inline_keyboard", [])
    buttons = [button for row in keyboard for button in row]
    if len(buttons) > BUTTONS or any(len(row) > BUTTONS_PER_ROW for row in keyboard):
        raise RefusedCall(400, "Bad Request: reply markup is too long")
    for button in buttons:
        if not button["text"].strip():
            raise RefusedCall(400, "Bad Request: inline keyboard button text is empty")
        if "url" in button:
            if not re.match(r"(https?|tg)://\S+$", button["url"]):
                raise RefusedCall(400, f"Bad Request: inline keyboard button URL '{button['url']}' is bad")
        elif not 1 <= len(button.get("callback_data", "").encode()) <= ACTION_BYTES:
            raise RefusedCall(400, "Bad Request: BUTTON_DATA_INVALID")
    return tuple(tuple(row) for row in keyboard)


def check_length(text: str, limit: int, what: str) -> None:
    """Refuses a text that is longer than `limit` UTF-16 units."""
    if len(text.encode("utf-16-le")) // 2 > limit:
        raise RefusedCall(400, f"Bad Request: {what} is too long")
