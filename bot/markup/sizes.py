"""How large a block is on the platforms that limit messages, so that what fits is known without writing it.

Lines and blocks stand apart by line breaks alone, so sizes add up. `tests/test_markup.py` holds the sums against
`pack()`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from bot.markup import discord, telegram
from bot.markup.blocks import Block, Line, LineKind
from bot.markup.letters import is_blank, tidy_line, utf16_length

KNOWN = 20_000
"""Lines whose size is remembered: the same papers stand in the digests of many."""


class Size(NamedTuple):
    """A block's size: on Telegram visible UTF-16 units, bytes and tags; on Discord units of its title and its text.

    `opens_card` is true when it begins a new embed. A block that shows nothing is `EMPTY`.
    """

    units: int
    raw: int
    tags: int
    title: int
    text: int
    opens_card: bool


EMPTY = Size(0, 0, 0, 0, 0, False)


def size_of(block: Block) -> Size:
    """The size of a block of texts, headings and small print (no quotation and nothing in a fixed font)."""
    places = [place for place, line in enumerate(block.lines) if not is_blank(line.text)]
    if not places:
        return EMPTY
    lines = block.lines[places[0] : places[-1] + 1]
    title = _title_size(lines[0]) if block.opens_card and lines[0].kind is LineKind.HEADING else 0
    sizes = [_line_size(line) for line in lines]
    texts = sizes[1:] if title else sizes
    breaks = len(lines) - 1
    return Size(
        sum(size.units for size in sizes) + breaks,
        sum(size.raw for size in sizes) + breaks,
        sum(size.tags for size in sizes),
        title,
        sum(size.text for size in texts) + max(len(texts) - 1, 0),
        block.opens_card,
    )


@lru_cache(maxsize=KNOWN)
def _line_size(line: Line) -> Size:
    """The size of a line that is no title."""
    tidy = tidy_line(line)
    block = Block((tidy,))
    html = telegram.written(block)
    text = discord.written((block,)).text
    return Size(
        utf16_length(tidy.text), len(html.encode()), html.count("</"), 0, utf16_length(text), opens_card=False
    )


@lru_cache(maxsize=KNOWN)
def _title_size(line: Line) -> int:
    """The units of a heading as the title of an embed, 0 where it cannot be one."""
    return utf16_length(discord.written((Block((tidy_line(line),), opens_card=True),)).title)


def are_one_message(sizes: Iterable[Size]) -> bool:
    """True when blocks of these sizes are at most one message on Telegram and on Discord."""
    shown = [size for size in sizes if size is not EMPTY]
    between = 2 * max(len(shown) - 1, 0)
    return (
        sum(size.units for size in shown) + between <= telegram.TEXT_LIMIT
        and sum(size.raw for size in shown) + between <= telegram.RAW_LIMIT
        and sum(size.tags for size in shown) <= telegram.ENTITY_LIMIT
        and _is_one_set_of_embeds(shown)
    )


def _is_one_set_of_embeds(shown: list[Size]) -> bool:
    texts: list[int] = []
    titles = 0
    for place, size in enumerate(shown):
        titles += size.title
        if size.opens_card or not place:
            texts.append(size.text)
        elif size.text:
            texts[-1] += size.text + (2 if texts[-1] else 0)
    return (
        len(texts) <= discord.EMBEDS_LIMIT
        and all(text <= discord.DESCRIPTION_LIMIT for text in texts)
        and titles + sum(texts) <= discord.TOTAL_LIMIT
    )
