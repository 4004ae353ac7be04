"""From what a model wrote to words that may be shown: JSON found, id compared, everything foreign taken out. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from scheduler import text
from scheduler.enrich.wishes import Part, Wish

LONGEST = 20_000
"""Characters of one part; more is no abstract."""

MOST_BRACES = 20
"""Opening braces that are tried; what has more of them before its object is no answer."""

_END_OF_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_TOP_LEVEL = (
    r"(?:(?i:com|org|net|io|gg|ly|cn|ru|xyz|cc|co|tk|icu|biz|edu|gov|ai|tv|eu|uk)"
    r"|info|app|dev|me|to|vip|pro|win|top|site|link|live|club|shop|store|online|click|fun|tech)(?![A-Za-z0-9_-])"
)
"""What chat clients make a link of by themselves. Those that are English words count in lower case only: a model that
forgets the space behind a full stop goes on with a capital."""
_HOST = rf"(?:[A-Za-z0-9-]{{1,63}}\.){{1,8}}{_TOP_LEVEL}"
_REST = r"[^\s，。；：、！？）】》\"'<>()\[\]{}]"
_ASCII_REST = r"(?:(?![\"'<>()\[\]{}])[!-~])"
"""Behind a bare host: Chinese goes on without a blank, and is no part of the address."""
_LINK = re.compile(
    rf"(?:(?i:[a-z][a-z0-9+-]{{1,20}}[:：]//|www\.){_REST}+"
    rf"|(?<![A-Za-z0-9_.@-])(?:(?:mailto:)?[A-Za-z0-9._+-]{{1,64}}@)?{_HOST}(?:[:/?#]{_ASCII_REST}*)?)"
)
_MARKDOWN_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,300})\]\(\s*<?(?:https?:|www\.|mailto:|tg:|javascript:)[^()\s]{0,2000}>?\s*\)"
)
_MENTION = re.compile(r"<[@#][!&]?\d+>|(?<![A-Za-z0-9_@.])@(?=[A-Za-z][A-Za-z0-9_]{2,})")
"""Chinese is written without blanks: what stands before an @ or behind a name may be a word of a sentence."""
_EMPHASIS = re.compile(r"(\*\*|__|~~|`)(?=\S)([^*_~`\n]{1,500})(?<=\S)\1")
_BREAKS = re.compile(r"\\n|[\r\n\t]+")


class Unreadable(Exception):
    """An answer that is not what was asked for; the text says why, as it can be told to the model."""


def read(written: str, wish: Wish) -> dict[Part, str]:
    """The words of an answer, cleaned, for every part of the wish. Raises Unreadable."""
    found = _json(written)
    told = str(found.get("id", "")).strip()
    if told != wish.paper.id:
        raise Unreadable(f"the id was {told[:60]!r}, not {str(wish.paper.id)!r}")
    return {part: _part(found, part, wish) for part in wish.parts}


def _part(found: Mapping[str, Any], part: Part, wish: Wish) -> str:
    value = found.get(part)
    if not isinstance(value, str):
        raise Unreadable(f"the key {str(part)!r} was missing or no text")
    if len(value) > LONGEST:
        raise Unreadable(f"the text of {str(part)!r} was endless")
    said = sanitised(value, f"{wish.paper.title}\n{wish.paper.abstract}")
    if not said:
        raise Unreadable(f"the text of {str(part)!r} was empty")
    return said


def _json(written: str) -> dict[str, Any]:
    """The JSON object of an answer, whatever was thought before it or fenced around it."""
    for said in _candidates(written):
        if (found := _first_object(said)) is not None:
            return found
    raise Unreadable("the answer was not one JSON object")


def _candidates(written: str) -> Iterator[str]:
    """Where the object may be: behind the thoughts, which some servers send without their opening tag; else anywhere.

    A paper may be about such tags, so one inside the answer must not cut it.
    """
    if written.lstrip().lower().startswith("<think"):
        yield _END_OF_THOUGHT.split(written, maxsplit=1)[-1]
    yield _END_OF_THOUGHT.split(written)[-1]
    yield written


def _first_object(said: str) -> dict[str, Any] | None:
    decoder = json.JSONDecoder(strict=False)
    place = said.find("{")
    for _ in range(MOST_BRACES):
        if place < 0:
            return None
        try:
            value, _ = decoder.raw_decode(said, place)
        except (ValueError, RecursionError):
            place = said.find("{", place + 1)
            continue
        return dict(value)
    return None


def sanitised(written: str, source: str) -> str:
    """A machine's text on one line as a reader may see it: no links, mentions, markup, control or bidi characters.

    A link or a mention that stands in `source` word for word is the authors' own and stays.
    """
    said = text.clean(_BREAKS.sub(" ", written))
    said = _MARKDOWN_LINK.sub(r"\1", said)
    said = _LINK.sub(lambda link: link.group() if link.group().rstrip(".,;:") in source else "", said)
    said = _MENTION.sub(lambda found: _mention(found, source), said)
    for _ in range(3):
        said = _EMPHASIS.sub(lambda found: found.group() if found.group() in source else found[2], said)
    return " ".join(said.split())


def _mention(found: re.Match[str], source: str) -> str:
    if found.group() != "@":
        return ""
    name = re.match(r"@[A-Za-z0-9_]+", found.string[found.start() :])
    return "@" if name is not None and name.group() in source else ""
