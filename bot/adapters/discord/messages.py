"""Parts as what discord.py sends: embeds, components, files. No I/O."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from hashlib import sha256
from io import BytesIO
from typing import Any

import discord

from bot.ports import Button, Keyboard, Part
from scheduler.models import ChatRef

logger = logging.getLogger(__name__)

CONTENT_LIMIT = 2000
ROWS = 5
BUTTONS_PER_ROW = 5
OPTIONS_PER_SELECT = 25
LABEL_LIMIT = 80
OPTION_LIMIT = 100
PROMPT_LIMIT = 150
URL_LIMIT = 512
DESCRIPTION_LIMIT = 1024
"""Discord's limits (docs.discord.com, "Component reference" and "Message resource")."""

ACTION_PREFIX = "pb:"
"""Begins the custom id of our buttons; the rest is the action, so a button outlives every restart."""

_REPEATED_PREFIX = "pb{count}:"
_SELECT_ID = "pb-choices:{number}"
_SILENT_ID = "pb-none:{number}"
_NONCE_LENGTH = 25


class Panel(discord.ui.View):
    """Components that are only shown: presses are read from the gateway's event."""

    def __init__(self) -> None:
        super().__init__(timeout=None)

    def is_dispatchable(self) -> bool:
        """Always false: discord.py would otherwise hold every message's view in memory for ever."""
        return False


def nonce_of(chat: ChatRef, key: str) -> str:
    """25 letters, the same for the same part in the same chat: Discord compares them per author."""
    return sha256(f"{chat}|{key}".encode()).hexdigest()[:_NONCE_LENGTH]


def new_message(part: Part) -> dict[str, Any]:
    """The keyword arguments that send `part` as a new message."""
    embeds = embeds_of(part)
    fields: dict[str, Any] = {"embeds": embeds} if embeds else {}
    if view := panel_of(part.keyboard):
        fields["view"] = view
    if files := files_of(part):
        fields["files"] = files
    if part.pings:
        fields["content"] = " ".join(f"<@{user}>" for user in part.pings)
        people = [discord.Object(int(user)) for user in part.pings]
        fields["allowed_mentions"] = discord.AllowedMentions(
            everyone=False, roles=False, replied_user=False, users=people
        )
    return fields


def plain_message(part: Part, *, with_file: bool = True) -> dict[str, Any]:
    """The same without embeds and components, for a message that Discord refused.

    A text that is too long for a message rides along whole as a file, so nothing is lost.
    """
    text = discord.utils.escape_markdown(part.plain)
    files = files_of(part) if with_file else []
    if _length(text) > CONTENT_LIMIT:
        files.append(discord.File(BytesIO(part.plain.encode()), "message.txt"))
        text = _beginning(text)
    fields: dict[str, Any] = {"content": text or "…", "suppress_embeds": True}
    return fields | ({"files": files} if files else {})


def as_edit(fields: dict[str, Any]) -> dict[str, Any]:
    """The arguments that turn an existing message into exactly what a new one would be.

    Buttons alone change the buttons alone.
    """
    if fields.keys() == {"view"}:
        return fields
    return {
        "content": fields.get("content"),
        "embeds": fields.get("embeds", []),
        "view": fields.get("view"),
        "attachments": fields.get("files", []),
    }


def embeds_of(part: Part) -> list[discord.Embed]:
    """One embed per card. None has a url of its own: Discord merges embeds that share one."""
    embeds = [
        discord.Embed(title=card.title or None, description=card.text or None)
        for card in part.cards
        if card.title or card.text
    ]
    if part.picture is not None:
        embeds = embeds or [discord.Embed()]
        embeds[-1].set_image(url=f"attachment://{part.picture.name}")
    return embeds


def files_of(part: Part) -> list[discord.File]:
    """The part's attachment and picture, freshly opened: sending closes them."""
    files = []
    if part.attachment is not None:
        files.append(discord.File(BytesIO(part.attachment.text.encode()), part.attachment.name))
    if (picture := part.picture) is not None:
        described = _clip(picture.description, DESCRIPTION_LIMIT)
        files.append(discord.File(BytesIO(picture.png), picture.name, description=described))
    return files


def panel_of(keyboard: Keyboard) -> Panel | None:
    """The keyboard as components: selects first, then buttons; None for an empty one.

    A row of more than five buttons goes on in the next one; where that makes more than five rows, all buttons
    are set close.
    """
    if keyboard.is_empty:
        return None
    panel = Panel()
    selects = list(_selects(keyboard))
    rows = list(_rows(keyboard.rows))
    if len(selects) + len(rows) > ROWS:
        rows = list(_rows([[button for row in keyboard.rows for button in row]]))
    if len(selects) + len(rows) > ROWS:
        logger.error("a keyboard of %d rows was cut to %d", len(selects) + len(rows), ROWS)
    for number, select in enumerate(selects[:ROWS]):
        select.row = number
        panel.add_item(select)
    seen: dict[str, int] = {}
    for number, row in enumerate(rows[: max(ROWS - len(selects), 0)], start=len(selects)):
        for button in row:
            panel.add_item(_button(button, number, seen))
    return panel


def pressed_action(interaction: discord.Interaction[Any]) -> str:
    """The action behind a pressed button or a chosen entry of ours; "" for anything else."""
    data: Any = interaction.data or {}
    if values := data.get("values"):
        return str(values[0])
    prefix, colon, action = str(data.get("custom_id", "")).partition(":")
    known = prefix == "pb" or (prefix.startswith("pb") and prefix[2:].isdigit())
    return action if colon and known else ""


def _button(button: Button, row: int, seen: dict[str, int]) -> discord.ui.Button[Any]:
    label = _clip(_label(button), LABEL_LIMIT)
    if button.url and len(button.url) <= URL_LIMIT:
        return discord.ui.Button(label=label, url=button.url, row=row)
    count = seen[button.action] = seen.get(button.action, -1) + 1
    if not button.action:
        return discord.ui.Button(
            label=label, custom_id=_SILENT_ID.format(number=count), disabled=True, row=row
        )
    # Discord refuses a message in which two components share a custom id.
    prefix = _REPEATED_PREFIX.format(count=count) if count else ACTION_PREFIX
    return discord.ui.Button(label=label, custom_id=prefix + button.action, row=row)


def _selects(keyboard: Keyboard) -> Iterator[discord.ui.Select[Any]]:
    choices = list({button.action: button for button in keyboard.choices if button.action}.values())
    for start in range(0, len(choices), OPTIONS_PER_SELECT):
        yield discord.ui.Select(
            custom_id=_SELECT_ID.format(number=start // OPTIONS_PER_SELECT),
            placeholder=_clip(keyboard.prompt, PROMPT_LIMIT) or None,
            options=[
                discord.SelectOption(label=_clip(_label(button), OPTION_LIMIT), value=button.action)
                for button in choices[start : start + OPTIONS_PER_SELECT]
            ],
        )


def _rows(rows: Sequence[Sequence[Button]]) -> Iterator[Sequence[Button]]:
    for row in rows:
        for start in range(0, len(row), BUTTONS_PER_ROW):
            yield row[start : start + BUTTONS_PER_ROW]


def _label(button: Button) -> str:
    # Discord strips labels and refuses an empty one.
    return button.label.strip() or button.short.strip() or "…"


def _clip(text: str, limit: int) -> str:
    """The text within `limit` UTF-16 units, the strictest way to count letters."""
    if _length(text) <= limit:
        return text
    return text.encode("utf-16-le")[: 2 * (limit - 1)].decode("utf-16-le", "ignore").rstrip() + "…"


def _length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _beginning(text: str) -> str:
    """As many whole lines as fit into a message, or a piece of the first one."""
    kept = ""
    for line in text.splitlines(keepends=True):
        if _length(kept + line) > CONTENT_LIMIT - 2:
            break
        kept += line
    return (kept or text[: CONTENT_LIMIT // 2]).rstrip("\\\n") + "\n…"
