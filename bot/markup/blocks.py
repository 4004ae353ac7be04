"""The values that everything else is written in: spans, lines, blocks; and what comes out: cards."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

KNOWN_LINES = 2048
"""Lines that are remembered as they were written: a message is written several times until it is known to fit."""


class Style(StrEnum):
    """How a span looks. `command` is one of our own ("/search"), which a platform may make tappable."""

    PLAIN = "plain"
    BOLD = "bold"
    ITALIC = "italic"
    CODE = "code"
    COMMAND = "command"


class LineKind(StrEnum):
    """What a line is: `quiet` is small print, `quote` may be folded, `pre` keeps blanks in a fixed font."""

    TEXT = "text"
    HEADING = "heading"
    QUIET = "quiet"
    QUOTE = "quote"
    PRE = "pre"


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one style; `url` makes it a link (http, https or tg only). Outside text is data."""

    text: str
    style: Style = Style.PLAIN
    url: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line; a line break inside a span's text counts as a blank."""

    spans: tuple[Span, ...]
    kind: LineKind = LineKind.TEXT

    @property
    def text(self) -> str:
        """The line's letters without styles."""
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that stay together. `opens_card` starts a new embed where a platform has them."""

    lines: tuple[Line, ...]
    opens_card: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """One finished text in a dialect; `title` (in it too, no links) only where the platform has cards."""

    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Packed:
    """One message within its platform's limits: `cards` in the dialect, `plain` the words without markup."""

    cards: tuple[Card, ...]
    plain: str
