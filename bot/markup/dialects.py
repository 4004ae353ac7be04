"""What a dialect is, and the two dialects of the console."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.markup.blocks import Block, Card, Line, LineKind, Packed, Span, Style


class Dialect(Protocol):
    """Writes blocks for one platform; those given to `write` are tidy (`letters.tidy_block`), not empty."""

    @property
    def name(self) -> str:
        """ "telegram", "discord", "plain" or "ansi"."""

    def write(self, blocks: Sequence[Block]) -> Packed:
        """The blocks as one message, whatever its length."""

    def fits(self, packed: Packed) -> bool:
        """True when the platform takes the message."""

    def read(self, text: str) -> str:
        """The letters that a reader sees of a text in this dialect."""


def plain_text(blocks: Sequence[Block]) -> str:
    """The words alone: lines under each other, an empty line between blocks."""
    return "\n\n".join("\n".join(line.text for line in block.lines) for block in blocks)


@dataclass(frozen=True, slots=True)
class ConsoleDialect:
    """Text for a terminal, without a limit.

    `colour` adds ANSI weight to headings, small print and styles, and links that a terminal opens (OSC 8; one that
    does not know them shows the text alone).
    """

    colour: bool = False

    @property
    def name(self) -> str:
        """ "ansi" in colour, else "plain"."""
        return "ansi" if self.colour else "plain"

    def write(self, blocks: Sequence[Block]) -> Packed:
        """Everything as one text."""
        plain = plain_text(blocks)
        if not self.colour:
            return Packed((Card(plain),), plain)
        text = "\n\n".join("\n".join(_painted(line) for line in block.lines) for block in blocks)
        return Packed((Card(text),), plain)

    def fits(self, packed: Packed) -> bool:
        """Always: a terminal scrolls."""
        return True

    def read(self, text: str) -> str:
        """The text without our colours (outside text has no escape characters: `letters.clean`)."""
        for code in _ANSI_CODES:
            text = text.replace(code, "")
        return _LINK.sub("", text)


_RESET = "\x1b[0m"
_STYLES = {Style.BOLD: "\x1b[1m", Style.ITALIC: "\x1b[3m"}
_KINDS = {LineKind.HEADING: "\x1b[1m", LineKind.QUIET: "\x1b[2m"}
_LINK = re.compile("\x1b\\]8;;[^\x1b]*\x1b\\\\")
_ANSI_CODES = (_RESET, *_STYLES.values(), *_KINDS.values())


def _painted(line: Line) -> str:
    return "".join(_painted_span(span, _KINDS.get(line.kind, "")) for span in line.spans)


def _painted_span(span: Span, base: str) -> str:
    codes = base + _STYLES.get(span.style, "")
    text = f"{codes}{span.text}{_RESET}" if codes else span.text
    return f"\x1b]8;;{span.url}\x1b\\{text}\x1b]8;;\x1b\\" if span.url else text
