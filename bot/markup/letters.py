"""Text from outside made safe to show: characters that nobody passes on, link targets, letter boundaries."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from bot.markup.blocks import KNOWN_LINES, Block, Line, LineKind, Span, Style

LONGEST_URL = 1000
LONGEST_CLUSTER = 64
_SCHEMES = ("https://", "http://", "tg://")
_BREAKS = re.compile("[\t\n\x0b\x0c\r\x1c-\x1f\x85\u2028\u2029]+")
# Bidirectional overrides and isolates would turn the letters of what follows them, our words included; a byte
# order mark and the noncharacters show nothing, and platforms differ in whether they drop them.
_DROPPED = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u2060\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]"
)
_PLAIN_URL = re.compile(r"[\w!#$%&+,\-./:;=?@~]*", re.ASCII)
_SURROGATES = re.compile("[\ud800-\udfff]")
_ZERO_WIDTH_JOINER = "\u200d"


def utf16_length(text: str) -> int:
    """The length in UTF-16 units, as Telegram counts and Discord at most counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def clean(text: str) -> str:
    """The text on one line, without control characters, direction overrides and broken surrogates."""
    if text.isprintable():
        return text  # nearly every one; what is taken out below is never printable
    return _SURROGATES.sub("\ufffd", _DROPPED.sub("", _BREAKS.sub(" ", text)))


def is_blank(text: str) -> bool:
    """True for a text that shows nothing."""
    return all(letter.isspace() or unicodedata.category(letter) == "Cf" for letter in text)


def link_target(url: str) -> str:
    """The URL with every character encoded that could end it in a dialect; "" for what may not be linked."""
    if not url.lower().startswith(_SCHEMES) or len(url) > LONGEST_URL:
        return ""
    if _PLAIN_URL.fullmatch(url):
        return url
    return "".join(letter if _may_stand(letter) else _encoded(letter) for letter in url)


def _may_stand(letter: str) -> bool:
    return "!" <= letter <= "~" and letter not in "\"'()<>[]\\^`{|}*"


def _encoded(letter: str) -> str:
    return "".join(f"%{byte:02X}" for byte in letter.encode("utf-8", "replace"))


_COMMAND = re.compile(r"(?<![\w/])/[a-z_]{2,32}\b")


def own_words(text: str) -> tuple[Span, ...]:
    """One of our own sentences as spans: its commands ("/settings") are marked, so they can be tapped."""
    spans, place = [], 0
    for found in _COMMAND.finditer(text):
        spans += [Span(text[place : found.start()]), Span(found[0], Style.COMMAND)]
        place = found.end()
    return tuple(span for span in (*spans, Span(text[place:])) if span.text)


@lru_cache(maxsize=KNOWN_LINES)
def tidy_line(line: Line) -> Line:
    """The line with clean text, links that may be made, no blanks around it, and like neighbours joined."""
    merged: list[Span] = []
    for span in line.spans:
        text, url = clean(span.text), link_target(span.url) if span.url else ""
        if merged and (span.style, url) == (merged[-1].style, merged[-1].url):
            merged[-1] = Span(merged[-1].text + text, span.style, url)
        elif text:
            merged.append(Span(text, span.style, url))
    if line.kind is not LineKind.PRE:
        _strip(merged)
    elif merged:
        merged[-1] = replace(merged[-1], text=merged[-1].text.rstrip())
    return Line(tuple(span for span in merged if span.text), line.kind)


def _strip(spans: list[Span]) -> None:
    while spans and not (text := spans[0].text.lstrip()):
        spans.pop(0)
    if spans and text != spans[0].text:
        spans[0] = replace(spans[0], text=text)
    while spans and not (text := spans[-1].text.rstrip()):
        spans.pop()
    if spans and text != spans[-1].text:
        spans[-1] = replace(spans[-1], text=text)


def tidy_block(block: Block) -> Block:
    """The block with tidy lines, without blank ones at either end (no lines at all when all are blank)."""
    lines = [tidy_line(line) for line in block.lines]
    while lines and is_blank(lines[0].text):
        lines.pop(0)
    while lines and is_blank(lines[-1].text):
        lines.pop()
    return Block(tuple(lines), block.opens_card)


def cluster_ends(text: str) -> Iterator[int]:
    """The places where the text may be cut without breaking what is seen as one letter, the end included.

    Combining marks, variation selectors, emoji modifiers, joined emoji, flags and Hangul syllables stay
    whole; a run of more than `LONGEST_CLUSTER` marks is cut all the same.
    """
    start = flags = 0
    for place in range(1, len(text)):
        before, after = text[place - 1], text[place]
        flags = flags + 1 if _is_flag(before) else 0
        belongs = _continues(before, after) or (_is_flag(after) and flags % 2 == 1)
        if not belongs or place - start >= LONGEST_CLUSTER:
            yield place
            start = place
    if text:
        yield len(text)


def _is_flag(letter: str) -> bool:
    return "\U0001f1e6" <= letter <= "\U0001f1ff"


def _continues(before: str, after: str) -> bool:
    if after == _ZERO_WIDTH_JOINER or unicodedata.category(after) in ("Mn", "Mc", "Me"):
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True
    if before == _ZERO_WIDTH_JOINER:
        return not after.isspace()
    return "\u1100" <= before <= "\u11ff" and "\u1160" <= after <= "\u11ff"
