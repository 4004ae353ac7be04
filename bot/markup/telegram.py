"""Telegram's HTML: https://core.telegram.org/bots/api#html-style.

The server turns bare addresses, @names, #words and $TICKERS of a text into links by itself ("cs.AI" and
"cs.CL" are addresses to it). Text from outside may not do that, so such a token stands in `<code>`, where
nothing is detected and a tap copies it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from itertools import groupby

from bot.markup.blocks import KNOWN_LINES, Block, Card, Line, LineKind, Packed, Span, Style
from bot.markup.dialects import plain_text
from bot.markup.letters import utf16_length

TEXT_LIMIT = 4000
"""UTF-16 units of visible text; the platform's own limit is 4,096 after parsing."""

RAW_LIMIT = 8900
"""Bytes of the HTML; servers have refused somewhat larger ones."""

ENTITY_LIMIT = 96
"""Tags in one message; beyond 100 the server silently ignores them."""

_LIVE = re.compile(
    r"""(?x)
    (?:https?|ftp|tg|ton|tonsite)://\S+  # an address with its scheme
  | (?<![\w.@-])[\w.@-]*[\w~，。-]\.  # a bare address or mail
    (?:[A-Za-z]{2,}|xn--[\w-]+|рф|中国|中國|香港|台湾|中文网)(?::\d[\w.@-]*)?(?:[/?\#]\S*)?
  | \d{1,3}(?:\.\d{1,3}){3}(?::\d[\w.@-]*)?(?:/\S*)?  # a numeric address
  | (?<!\w)[@\#＃]\w[\w.@-]*  # a name, a hash tag
  | (?<![\w$])\$[A-Z1][A-Z0-9]{0,7}(?!\w)  # a ticker
  | (?<!\w)/\w[\w.@-]*  # a command
    """
)
_MAYBE_LIVE = re.compile(r"[/@#＃$]|\.\w")
"""Without one of these nothing of `_LIVE` can be in a text: looking for that first is many times faster."""
_TAG = re.compile(r"<[^<>]*>")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
_STYLE_TAGS = {Style.BOLD: "b", Style.ITALIC: "i", Style.CODE: "code"}


@dataclass(frozen=True, slots=True)
class TelegramDialect:
    """HTML with b, i, code, pre, a and expandable quotations."""

    @property
    def name(self) -> str:
        """ "telegram"."""
        return "telegram"

    def write(self, blocks: Sequence[Block]) -> Packed:
        """The blocks as one text; `opens_card` means nothing here."""
        text = "\n\n".join(written(block) for block in blocks)
        return Packed((Card(text),), plain_text(blocks))

    def fits(self, packed: Packed) -> bool:
        """True within the limits of visible text, raw bytes and entities."""
        text = packed.cards[0].text
        return (
            utf16_length(packed.plain) <= TEXT_LIMIT
            and len(text.encode()) <= RAW_LIMIT
            and text.count("</") <= ENTITY_LIMIT
        )

    def read(self, text: str) -> str:
        """The text after parsing."""
        return unescape(_TAG.sub("", text))


def written(block: Block) -> str:
    """One tidy block as HTML."""
    return "\n".join(_run(kind, tuple(run)) for kind, run in groupby(block.lines, key=lambda line: line.kind))


def _run(kind: LineKind, lines: tuple[Line, ...]) -> str:
    if kind is LineKind.PRE:
        return "<pre>" + "\n".join(_escaped(line.text) for line in lines) + "</pre>"
    text = "\n".join(_line(line) for line in lines)
    return f"<blockquote expandable>{text}</blockquote>" if kind is LineKind.QUOTE else text


@lru_cache(maxsize=KNOWN_LINES)
def _line(line: Line) -> str:
    bold = line.kind is LineKind.HEADING
    return "".join(
        _span(span, Style.BOLD if bold and span.style is not Style.CODE else span.style)
        for span in line.spans
    )


def _span(span: Span, style: Style) -> str:
    if span.url:
        link = f'<a href="{_escaped(span.url)}">{_escaped(span.text)}</a>'
        return link if style is Style.CODE else _tagged(link, style)  # nothing may stand within code
    if style in (Style.CODE, Style.COMMAND):
        return _tagged(_escaped(span.text), style)
    return "".join(
        _tagged(_escaped(piece), Style.CODE if live else style) for piece, live in _pieces(span.text)
    )


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The text cut into (piece, whether the server would make a link of it)."""
    place = 0
    for found in _LIVE.finditer(text) if _MAYBE_LIVE.search(text) else ():
        if found.start() > place:
            yield text[place : found.start()], False
        yield found[0], True
        place = found.end()
    if place < len(text):
        yield text[place:], False


def _tagged(html: str, style: Style) -> str:
    tag = _STYLE_TAGS.get(style)
    return f"<{tag}>{html}</{tag}>" if tag and html.strip() else html


def _escaped(text: str) -> str:
    return text.translate(_ESCAPES)
