"""Blocks into messages: split between blocks; within a block only when it alone is too long."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from bot.markup.blocks import Block, Card, Line, LineKind, Packed, Span
from bot.markup.dialects import ConsoleDialect, Dialect
from bot.markup.discord import DiscordDialect
from bot.markup.letters import cluster_ends, is_blank, tidy_block
from bot.markup.telegram import TelegramDialect
from scheduler.models import Platform


def dialect_for(platform: Platform, colour: bool = False) -> Dialect:
    """The dialect of a platform; `colour` is for a terminal that shows it."""
    if platform is Platform.TELEGRAM:
        return TelegramDialect()
    if platform is Platform.DISCORD:
        return DiscordDialect()
    return ConsoleDialect(colour)


def pack(blocks: Iterable[Block], dialect: Dialect) -> tuple[Packed, ...]:
    """The blocks as messages in order, each within the platform's limits, none empty, nothing left out.

    A block that does not fit alone is split between its lines, a line at blanks, and a word that is longer
    than a message between letters. Blocks that show nothing are skipped.
    """
    tidy = [shown for block in blocks if (shown := tidy_block(block)).lines]
    if not tidy:
        return ()
    # Most are one message: then each block is written once, and none alone to see whether it fits.
    whole = dialect.write(tidy)
    if dialect.fits(whole):
        return (whole,)
    pieces = [piece for block in tidy for piece in _pieces(block, dialect)]
    messages: list[Packed] = []
    while pieces:
        count = _count_that_fits(pieces, dialect)
        messages.append(dialect.write(pieces[:count]))
        pieces = pieces[count:]
    return tuple(messages)


def _count_that_fits(pieces: list[Block], dialect: Dialect) -> int:
    """How many of the first blocks fit into one message, one at least: found by halving, as more is never shorter."""
    if _fit(pieces, dialect):
        return len(pieces)
    first_bad = bisect_left(range(2, len(pieces)), True, key=lambda count: not _fit(pieces[:count], dialect))
    return first_bad + 1


def visible(shown: Packed | Card, dialect: Dialect) -> str:
    """What a reader sees of a message or a card: its letters without markup, cards apart by an empty line."""
    if isinstance(shown, Packed):
        return "\n\n".join(visible(card, dialect) for card in shown.cards)
    return "\n".join(dialect.read(text) for text in (shown.title, shown.text) if text)


def _fit(blocks: list[Block], dialect: Dialect) -> bool:
    return dialect.fits(dialect.write(blocks))


def _pieces(block: Block, dialect: Dialect) -> Iterator[Block]:
    """The block itself, or as few blocks as its lines need to fit one by one."""
    if _fit([block], dialect):
        yield block
        return
    opens_card = block.opens_card
    lines: list[Line] = []
    for line in (piece for whole in block.lines for piece in _line_pieces(whole, dialect)):
        if lines and not _fit([Block((*lines, line), opens_card)], dialect):
            yield from _shown(Block(tuple(lines), opens_card))
            lines, opens_card = [], False
        lines.append(line)
    yield from _shown(Block(tuple(lines), opens_card))


def _shown(block: Block) -> Iterator[Block]:
    tidy = tidy_block(block)
    if tidy.lines:
        yield tidy


def _line_pieces(line: Line, dialect: Dialect) -> Iterator[Line]:
    while not is_blank(line.text) and not _fit([Block((line,))], dialect):
        head, line = _split(line, dialect)
        yield head
    yield line


def _split(line: Line, dialect: Dialect) -> tuple[Line, Line]:
    """The longest beginning of the line that fits, cut at a blank that comes late enough, and the rest."""
    text = line.text
    ends = list(cluster_ends(text))
    # The first place whose beginning does not fit: lengths grow with the text, give or take one escape.
    first_bad = bisect_left(ends, True, key=lambda end: not _fit([Block((_cut(line, 0, end),))], dialect))
    best = max(first_bad - 1, 0)
    while best > 0 and not _fit([Block((_cut(line, 0, ends[best]),))], dialect):
        best -= 1
    end = ends[best]
    if line.kind is not LineKind.PRE and (blank := text.rfind(" ", end // 2, end + 1)) > 0:
        end = blank
    return _cut(line, 0, end), _cut(line, end, len(text))


def _cut(line: Line, start: int, end: int) -> Line:
    spans = []
    place = 0
    for span in line.spans:
        text = span.text[max(start - place, 0) : max(end - place, 0)]
        place += len(span.text)
        if text:
            spans.append(Span(text, span.style, span.url))
    return Line(tuple(spans), line.kind)
