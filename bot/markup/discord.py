"""Discord's markdown in embeds.

Inside the text of a masked link a backslash is shown instead of escaping, and a text that looks like an
address undoes the link (discord/discord-api-docs issues 6185 and 7721). So what needs escaping stands between
links: the link is closed before it and opened again behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from bot.markup.blocks import KNOWN_LINES, Block, Card, Line, LineKind, Packed, Span, Style
from bot.markup.dialects import plain_text
from bot.markup.letters import is_blank, utf16_length

DESCRIPTION_LIMIT = 4000
"""UTF-16 units of one embed's description; the platform's own limit is 4,096."""

TITLE_LIMIT = 256
EMBEDS_LIMIT = 10
TOTAL_LIMIT = 5900
"""Titles and descriptions of all embeds of a message; the platform's own limit is 6,000."""

LINKS_PER_SPAN = 6
"""A link is opened again at most so often within one span; the rest stays readable without it."""

_ACTIVE = re.compile(r"[\\*_~|`<\[\]@]|:(?=//|[\w+-]*(?::|$))")
_LINE_START = re.compile(r"(\s*)(?:(\d+)([.)])|([-+>#]))")
_BACKTICKS = re.compile("`+")


@dataclass(frozen=True, slots=True)
class DiscordDialect:
    """Markdown; one embed per block that opens a card, its heading as the embed's title."""

    @property
    def name(self) -> str:
        """ "discord"."""
        return "discord"

    def write(self, blocks: Sequence[Block]) -> Packed:
        """The blocks as embeds of one message."""
        cards: list[list[Block]] = []
        for block in blocks:
            if block.opens_card or not cards:
                cards.append([])
            cards[-1].append(block)
        return Packed(tuple(written(card) for card in cards), plain_text(blocks))

    def fits(self, packed: Packed) -> bool:
        """True within the limits of each embed and of the message."""
        lengths = [(utf16_length(card.title), utf16_length(card.text)) for card in packed.cards]
        return (
            len(lengths) <= EMBEDS_LIMIT
            and all(title <= TITLE_LIMIT and text <= DESCRIPTION_LIMIT for title, text in lengths)
            and sum(title + text for title, text in lengths) <= TOTAL_LIMIT
        )

    def read(self, text: str) -> str:
        """The letters that are shown."""
        fences = re.split(r"^```\n(.*?)\n```$", text, flags=re.DOTALL | re.MULTILINE)
        return "".join(piece if number % 2 else _read(piece) for number, piece in enumerate(fences))


def written(blocks: Sequence[Block]) -> Card:
    """Tidy blocks as one embed."""
    heading, rest = _heading(blocks[0])
    texts = [_block(block) for block in (rest, *blocks[1:]) if block.lines]
    return Card("\n\n".join(texts), heading)


def _heading(block: Block) -> tuple[str, Block]:
    """The embed's title and the rest of its first block; none for a heading that is a link or too long."""
    first = block.lines[0]
    if not block.opens_card or first.kind is not LineKind.HEADING or any(span.url for span in first.spans):
        return "", block
    title = _escaped(first.text, at_start=True)
    if utf16_length(title) > TITLE_LIMIT:
        return "", block
    return title, replace(block, lines=block.lines[1:])


def _block(block: Block) -> str:
    return "\n".join(_run(kind, tuple(run)) for kind, run in groupby(block.lines, key=lambda line: line.kind))


def _run(kind: LineKind, lines: tuple[Line, ...]) -> str:
    if kind is LineKind.PRE and not any("```" in line.text for line in lines):
        return "```\n" + "\n".join(line.text for line in lines) + "\n```"
    prefix = {LineKind.QUIET: "-# ", LineKind.QUOTE: "> "}.get(kind, "")
    return "\n".join(prefix + _line(line) if line.text.strip() else prefix.strip() for line in lines)


@lru_cache(maxsize=KNOWN_LINES)
def _line(line: Line) -> str:
    text = ""
    for span in line.spans:
        bold = line.kind is LineKind.HEADING and span.style is not Style.CODE
        text += _span(span, Style.BOLD if bold else span.style, text)
    return text


def _span(span: Span, style: Style, before: str) -> str:
    """One span in markdown; `before` is what the line already says."""
    if style is Style.CODE and not span.url and _is_code(span.text) and not before.endswith("`"):
        return f"`{span.text}`"
    mark = {Style.BOLD: "**", Style.ITALIC: "*"}.get(style, "")
    at_start = not before.strip() and not mark
    inner = span.text.strip()
    text = _linked(inner, span.url) if span.url else _escaped(inner, at_start)
    # Two emphasised runs that touch would read as one longer mark.
    if not mark or not inner or before.endswith("*"):
        mark = ""
    lead = span.text[: len(span.text) - len(span.text.lstrip())]
    tail = span.text[len(span.text.rstrip()) :] if inner else ""
    return f"{lead}{mark}{text}{mark}{tail}"


def _is_code(text: str) -> bool:
    return "`" not in text and text == text.strip() != ""


def _escaped(text: str, at_start: bool = False) -> str:
    escaped = _ACTIVE.sub(lambda found: "\\" + found[0], text)
    if at_start and (found := _LINE_START.match(escaped)):
        place = found.start(3) if found[3] else found.start(4)
        escaped = f"{escaped[:place]}\\{escaped[place:]}"
    return escaped


def _linked(text: str, url: str) -> str:
    pieces = []
    links = 0
    for piece, active in _link_pieces(text):
        if active or is_blank(piece) or links == LINKS_PER_SPAN:
            pieces.append(_escaped(piece) if not active else "".join(f"\\{letter}" for letter in piece))
        else:
            pieces.append(f"[{piece}](<{url}>)")
            links += 1
    return "".join(pieces)


def _link_pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The text cut into (piece, whether every letter of it must be escaped)."""
    place = 0
    for found in re.finditer(f"(?:{_ACTIVE.pattern})+", text):
        if found.start() > place:
            yield text[place : found.start()], False
        yield found[0], True
        place = found.end()
    if place < len(text):
        yield text[place:], False


_EMPTY = (">", "-#")
_SEEN = re.compile(r"\\(?P<escaped>.)|\*{1,2}|`(?P<code>[^`\n]+)`|\[(?P<linked>[^\[\]\n]+)\]\(<[^<>\s]*>\)")


def _read(text: str) -> str:
    lines = ("" if line in _EMPTY else re.sub(r"^(?:-#|>) ", "", line) for line in text.split("\n"))
    return _SEEN.sub(
        lambda found: found["escaped"] or found["code"] or found["linked"] or "", "\n".join(lines)
    )
