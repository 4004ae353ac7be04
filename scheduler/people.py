"""Author lists: one string with names and affiliations to authors."""

from __future__ import annotations

import re

from scheduler.models import Author

_GROUP = r"collaborations?|team|consortium|group|project|network|alliance|initiative"
_GROUP_COLON = re.compile(rf"\b(?:{_GROUP})\s*:\s+", re.IGNORECASE)
_AND = re.compile(r"^(?:and|&)\s+|\s+(?:and|&)\s+", re.IGNORECASE)
_COMMA = re.compile(r"[,;，；、]")
_SUFFIX = re.compile(r"(?:Jr|Sr|Jnr|Snr|II|III|IV|Esq|PhD|Ph\.D|MD|M\.D)\.?", re.IGNORECASE)
_NUMBERS = re.compile(r"\W*\d+(?:\W*(?:and|&|,|;|\*|†|‡)?\W*\d+)*\W*", re.IGNORECASE)
_LEGEND = re.compile(r"\(\s*(\d+)\s*\)\s*([^()]*(?:\([^()]*[^()\d\s][^()]*\)[^()]*)*)")
_AFFILIATION_SEPARATOR = "; "


def split(text: str) -> tuple[Author, ...]:
    """The authors of a clean author string, in order; see `scheduler.text.split_authors`."""
    parts: list[tuple[str, str]] = []
    for piece in _pieces(text):
        name, affiliation = _name_and_affiliation(piece)
        if parts and not affiliation and _SUFFIX.fullmatch(name):
            parts[-1] = (f"{parts[-1][0]} {name}", parts[-1][1])
        elif name:
            parts.append((name, affiliation))
        elif affiliation and parts:
            parts[-1] = (parts[-1][0], _AFFILIATION_SEPARATOR.join(filter(None, (parts[-1][1], affiliation))))
    legend, parts = _legend(parts)
    return tuple(Author(name, _resolved(affiliation, legend)) for name, affiliation in parts)


def _pieces(text: str) -> list[str]:
    """`text` cut at commas, semicolons, "and" and a collaboration's colon, outside parentheses."""
    if not _may_be_cut_elsewhere(text):
        return [stripped for piece in _COMMA.split(text) if (stripped := piece.strip())]
    inside = _inside_parentheses(text)
    cuts = [(place, place + 1) for place, sign in enumerate(text) if sign in ",;，；、" and not inside[place]]
    cuts += [match.span() for match in _AND.finditer(text) if not inside[match.start()]]
    colons = _GROUP_COLON.finditer(text)
    cuts += [(match.end() - 1, match.end()) for match in colons if not inside[match.start()]]
    pieces: list[str] = []
    end = 0
    for start, stop in sorted(cuts):
        if start >= end:
            pieces.append(text[end:start])
            end = stop
    stripped = [piece.strip() for piece in [*pieces, text[end:]]]
    return [_AND.sub("", piece, count=1) if _AND.match(piece) else piece for piece in stripped if piece]


def _may_be_cut_elsewhere(text: str) -> bool:
    """False for a list of authors that is certainly cut at its commas alone, as most are."""
    return "(" in text or ":" in text or "&" in text or "and" in text.lower()


def _inside_parentheses(text: str) -> list[bool]:
    """For each character whether it stands in a pair of parentheses (the signs of the pair included)."""
    if "(" not in text:
        return [False] * len(text)
    change = [0] * (len(text) + 1)
    opened: list[int] = []
    for place, sign in enumerate(text):
        if sign == "(":
            opened.append(place)
        elif sign == ")" and opened:
            change[opened.pop()] += 1
            change[place + 1] -= 1
    inside: list[bool] = []
    depth = 0
    for place in range(len(text)):
        depth += change[place]
        inside.append(depth > 0)
    return inside


def _name_and_affiliation(piece: str) -> tuple[str, str]:
    """Split "Li Na (Lab) (City)" into ("Li Na", "Lab; City"); an unclosed parenthesis ends with the piece."""
    if "(" not in piece and ")" not in piece:
        return _shown(piece), ""
    inside = _inside_parentheses(piece)
    name: list[str] = []
    groups: list[str] = []
    current: list[str] = []
    for place, sign in enumerate(piece):
        (current if inside[place] else name).append(sign)
        if current and (place + 1 == len(piece) or not inside[place + 1]):
            groups.append("".join(current)[1:-1].strip())
            current = []
    bare, opened, rest = "".join(name).partition("(")
    if opened:
        groups.append(rest.strip(" )"))
    return _shown(bare), _AFFILIATION_SEPARATOR.join(group for group in groups if group)


def _shown(bare: str) -> str:
    name = " ".join(bare.split()).rstrip(",;")
    return name if len(name) == 1 else name.removesuffix(":").rstrip()


def _legend(parts: list[tuple[str, str]]) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The numbered list of affiliations that the last author carries, and the authors without it."""
    if not parts:
        return {}, parts
    name, affiliation = parts[-1]
    start = re.search(r"\(\s*\d+\s*\)\s*\S", affiliation)
    if start is None:
        return {}, parts
    entries = _LEGEND.findall(affiliation[start.start() :])
    legend = {number: words.strip(" ,;.") for number, words in entries if words.strip(" ,;.")}
    own = affiliation[: start.start()].strip(f" {_AFFILIATION_SEPARATOR}")
    return legend, [*parts[:-1], (name, own)]


def _resolved(affiliation: str, legend: dict[str, str]) -> str:
    """Numbers looked up in `legend`; what cannot be looked up stays as the source has it."""
    if not legend or not _NUMBERS.fullmatch(affiliation):
        return affiliation
    found = [legend[number] for number in re.findall(r"\d+", affiliation) if number in legend]
    return _AFFILIATION_SEPARATOR.join(found) or affiliation
