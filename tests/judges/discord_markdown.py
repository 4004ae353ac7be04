"""What a reader sees of Discord's markdown in an embed: from the client's behaviour, not from our dialect.

Everything that the client would turn into something else is turned into something else here, so a text that
was not escaped does not come out as it went in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_FENCE = re.compile(r"```(?:\w*\n)?(.*?)\n?```", re.DOTALL)
_LINE_MARK = re.compile(r"(?:#{1,3}|-#|>(?:>>)?) (?=\S)")
_BULLET = re.compile(r"(\s*)[-*] (?=\S)")

_TOKEN = re.compile(
    r"""
    \\(?P<escaped>[!-/:-@\[-`{-~])
  | (?P<ticks>`+)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)
  | \[(?P<shown>[^\[\]\n]+)\]\((?:<(?P<bracketed>[^<>\s]+)>|(?P<bare>[^()\s]+))\)
  | <(?P<auto>https?://[^<>\s]+)>
  | (?P<address>https?://[^\s<>)]+)
  | <(?P<mention>@[!&]?\d+|\#\d+|a?:\w+:\d+|t:\d+(?::\w)?|/[^:>]+:\d+)>
  | \*\*(?P<bold>(?:\\.|[^\\])+?)\*\*(?!\*)
  | __(?P<underline>(?:\\.|[^\\])+?)__(?!_)
  | ~~(?P<struck>(?:\\.|[^\\])+?)~~
  | \|\|(?P<hidden>(?:\\.|[^\\])+?)\|\|
  | \*(?P<italic>(?:\\.|[^\\\s*])(?:\\.|[^\\*])*)\*(?!\*)
  | \b_(?P<slanted>(?:\\.|[^\\_])+)_\b
    """,
    re.VERBOSE | re.DOTALL,
)

_NESTING = ("bold", "underline", "struck", "hidden", "italic", "slanted")


@dataclass
class Page:
    """The letters that are shown, and the links as (shown text, address)."""

    text: str = ""
    links: list[tuple[str, str]] = field(default_factory=list)


def read(markdown: str) -> Page:
    """The page that a client makes of `markdown`."""
    page = Page()
    pieces: list[str] = []
    place = 0
    for fence in _FENCE.finditer(markdown):
        pieces += [_prose(markdown[place : fence.start()], page), fence[1]]
        place = fence.end()
    page.text = "".join([*pieces, _prose(markdown[place:], page)])
    return page


def _prose(text: str, page: Page) -> str:
    return "\n".join(_line(line, page) for line in text.split("\n"))


def _line(line: str, page: Page) -> str:
    if bullet := _BULLET.match(line):
        return f"{bullet[1]}• {_line(line[bullet.end() :], page)}"
    return _inline(_LINE_MARK.sub("", line, count=1) if _LINE_MARK.match(line) else line, page)


def _inline(text: str, page: Page) -> str:
    return _TOKEN.sub(lambda found: _shown(found, page), text)


def _shown(found: re.Match[str], page: Page) -> str:
    if (kind := found.lastgroup) in _NESTING and kind is not None:
        return _inline(found[kind], page)
    if found["escaped"]:
        return found["escaped"]
    if found["code"]:
        return found["code"]
    if found["mention"]:
        return "⟨mention⟩"
    return _link(found, page)


def _link(found: re.Match[str], page: Page) -> str:
    address = found["bracketed"] or found["bare"] or found["auto"] or found["address"]
    # The text of a link is shown as it stands, backslashes included.
    shown = found["shown"] or address
    page.links.append((shown, address))
    return shown
