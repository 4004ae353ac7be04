"""From blocks to finished parts: what the outbox stores and what an adapter sends as an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.markup import Block, dialect_for, pack
from bot.ports import Attachment, Keyboard, Part, Picture, Reply
from scheduler.models import Platform

CAPTION_LIMIT = 1000
"""A file's caption stays below Telegram's 1,024 UTF-16 units after parsing."""


def make_parts(
    blocks: Sequence[Block],
    platform: Platform,
    keyboard: Keyboard | None = None,
    attachment: Attachment | None = None,
    picture: Picture | None = None,
) -> tuple[Part, ...]:
    """The blocks as parts, each one message of `platform`; the keyboard stands under the last text.

    An attachment rides on the last part when that is short enough to be its caption, else it is a part of its own. A
    picture stands above a text that is short and alone, else above all of them.
    """
    parts = [
        Part(cards=packed.cards, plain=packed.plain)
        for packed in pack(blocks, dialect_for(platform, colour=True))
    ]
    if keyboard is not None and not keyboard.is_empty:
        last = parts.pop() if parts else Part(cards=(), plain="")
        parts.append(replace(last, keyboard=keyboard))
    if picture is not None:
        if len(parts) == 1 and _is_caption(parts[0]):
            parts = [replace(parts[0], picture=picture)]
        else:
            parts.insert(0, Part(cards=(), plain="", picture=picture))
    if attachment is not None:
        if parts and parts[-1].picture is None and _is_caption(parts[-1]):
            parts[-1] = replace(parts[-1], attachment=attachment)
        else:
            parts.append(Part(cards=(), plain="", attachment=attachment))
    return tuple(parts)


def as_post(parts: Sequence[Part], name: str) -> tuple[Part, ...]:
    """The parts as one post of a forum, which the first one opens."""
    return (replace(parts[0], post=name), *parts[1:]) if parts else ()


def _is_caption(part: Part) -> bool:
    return len(part.plain.encode("utf-16-le")) // 2 <= CAPTION_LIMIT


def reply_parts(reply: Reply, platform: Platform) -> tuple[Part, ...]:
    """A reply as parts, in their order."""
    return make_parts(reply.blocks, platform, reply.keyboard, reply.attachment, reply.picture)
