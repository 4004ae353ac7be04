"""XML answers as elements, kept whole as far as they are whole.

An answer that breaks off, or that holds one ill-formed entry, gives every entry that can be read; the
others are named. Entity bombs and external entities are refused: XML is read by defusedxml, unless it has no document
type, without which there are no entities to declare (XML 1.0, section 4.2).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar, cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from scheduler.errors import SourceChanged
from scheduler.models import EntryProblem

E = TypeVar("E")

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_ENCODING = re.compile(rb"<\?xml[^>]{0,200}encoding=[\"']([A-Za-z0-9._-]+)[\"']")
_PIECE = 65_536
"""Bytes that are parsed at a time: what is made of them is used while it is still at hand."""
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_ROOT = re.compile(r"<(?![?!])([^\s<>/]+)[^<>]*>")
_ENTRY_ID = re.compile(
    r"oai:arXiv\.org:([^\s<]+)|<(?:id|guid)[^>]*>\s*(?:oai:arXiv\.org:)?([^\s<]+)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Document(Generic[E]):
    """An XML answer: the root without its entries' ill-formed ones, the entries (elements, or what was made of them),
    and what could not be read."""

    root: Element
    entries: tuple[E, ...]
    truncated: bool
    problems: tuple[EntryProblem, ...]


class Fields:
    """The direct children of an entry by their local names, letter case ignored: read once, asked for often."""

    __slots__ = ("_first", "_others")

    def __init__(self, entry: Element) -> None:
        self._first: dict[str, Element] = {}
        self._others: dict[str, list[Element]] = {}
        for child in entry:
            name = _FOLDED[child.tag]
            if name in self._first:
                self._others.setdefault(name, []).append(child)
            else:
                self._first[name] = child

    def all(self, name: str) -> list[Element]:
        """The children of that name (in lower case), in order."""
        first = self._first.get(name)
        return [] if first is None else [first, *self._others.get(name, ())]

    def words(self, *names: str) -> str:
        """The text of the first child of the first of these names that has any; "" without one."""
        for name in names:
            found = words(self._first.get(name))
            if found:
                return found
        return ""


def taken(body: bytes, source: str, entry: str, take: Callable[[Element, int], E]) -> Document[E]:
    """As `read`, with what `take` makes of each entry and its position (from 1) in its place.

    A well-formed answer is read in pieces and each entry let go at once: that is faster, and never needs the memory
    for all of them.
    """
    document = _streamed(body, entry, take) if _is_plain(body) else None
    if document is not None:
        return document
    whole = read(body, source, entry)
    made = tuple(take(element, position) for position, element in enumerate(whole.entries, start=1))
    return Document(whole.root, made, whole.truncated, whole.problems)


def _is_plain(body: bytes) -> bool:
    """True for UTF-8 without a document type: what was looked for here cannot be hidden in another encoding."""
    declared = _ENCODING.search(body[:400])
    is_utf8 = declared is None or declared.group(1).lower() in (b"utf-8", b"utf8", b"us-ascii", b"ascii")
    begins_so = body[:5].lstrip(b"\xef\xbb\xbf").startswith(b"<") and b"\x00" not in body[:5]
    return is_utf8 and begins_so and b"<!DOCTYPE" not in body


def _streamed(body: bytes, entry: str, take: Callable[[Element, int], E]) -> Document[E] | None:
    """The document of a well-formed answer, None for any other; the root keeps its entries as empty elements."""
    parser: XMLPullParser[Element] = XMLPullParser(("end",))
    entries: list[E] = []
    element: Element | None = None
    try:
        for start in range(0, len(body), _PIECE):
            parser.feed(body[start : start + _PIECE])
            for _, element in cast("Iterator[tuple[str, Element]]", parser.read_events()):
                if element.tag.endswith(entry) and local(element) == entry:
                    entries.append(take(element, len(entries) + 1))
                    element.clear()
        parser.close()
    except ParseError:
        return None
    return Document(element, tuple(entries), truncated=False, problems=()) if element is not None else None


def read(body: bytes, source: str, entry: str) -> Document[Element]:
    """The document in `body` with its `entry` elements (a local name, as "item").

    Raises SourceChanged when `body` is no XML at all, or declares entities.
    """
    text = _ILLEGAL.sub(" ", decoded(body)).lstrip("\ufeff")
    text = _DECLARATION.sub("", text, count=1)
    try:
        root = _element(text, source)
    except ParseError:
        return _recovered(text, source, entry)
    return Document(root, tuple(within(root, entry)), truncated=False, problems=())


def written_in(body: bytes, charset: str = "") -> str:
    """The text of `body` as its byte order mark, its declaration, or `charset` (what its server says) have it.

    Without any of these it is UTF-8. Raises UnicodeDecodeError where none of them fits: never a guess.
    """
    for encoding in filter(None, (named_encoding(body), charset)):
        with suppress(UnicodeDecodeError, LookupError):
            return body.decode(encoding)
    return body.decode("utf-8-sig")


def named_encoding(body: bytes) -> str:
    """The encoding that the byte order mark or the XML declaration names, "" for none."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    declared = _ENCODING.search(body[:400])
    return declared.group(1).decode("ascii") if declared else ""


def decoded(body: bytes) -> str:
    """`body` as text in the encoding that its declaration names (UTF-8 without one), never raising."""
    try:
        return body.decode(named_encoding(body) or "utf-8", errors="replace")
    except LookupError:
        return body.decode("utf-8", errors="replace")


def local(element: Element) -> str:
    """An element's name without its namespace."""
    return _local(str(element.tag))


@lru_cache(maxsize=4096)
def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


class _FoldedNames(dict[str, str]):
    """Local names in lower case by tag; a document has few, and each of them a thousand times."""

    MOST = 4096

    def __missing__(self, tag: object) -> str:
        name = _local(str(tag)).lower()
        if len(self) < self.MOST and isinstance(tag, str):
            self[tag] = name
        return name


_FOLDED = _FoldedNames()


def within(element: Element, name: str) -> Iterator[Element]:
    """Every descendant of that local name, in document order."""
    return (child for child in element.iter() if local(child) == name)


def children(element: Element, name: str) -> list[Element]:
    """The direct children of that local name (letter case ignored), in order."""
    wanted = name.lower()
    return [child for child in element if _FOLDED[child.tag] == wanted]


def child(element: Element, name: str) -> Element | None:
    """The first direct child of that local name, None without one."""
    return next(iter(children(element, name)), None)


def words(element: Element | None) -> str:
    """An element's text with that of its descendants, stripped; "" for None."""
    if element is None:
        return ""
    return "".join(element.itertext()).strip() if len(element) else (element.text or "").strip()


def child_words(element: Element, name: str) -> str:
    """The text of the first direct child of that name; "" without one."""
    return words(child(element, name))


def _element(text: str, source: str) -> Element:
    try:
        element: Element = fromstring(text)
    except DefusedXmlException as error:
        raise SourceChanged(source, f"the answer declares XML entities ({type(error).__name__})") from error
    return element


def _recovered(text: str, source: str, entry: str) -> Document[Element]:
    """Each entry by itself, in the root's namespaces."""
    opening = _ROOT.search(text)
    if opening is None:
        raise SourceChanged(source, "the answer is no XML")
    name = opening.group(1)
    starts = [start.start() for start in re.finditer(rf"<{entry}[\s>]", text)]
    entries: list[Element] = []
    problems: list[EntryProblem] = []
    for position, start in enumerate(starts):
        end = starts[position + 1] if position + 1 < len(starts) else len(text)
        close = text.find(f"</{entry}>", start, end)
        piece = text[start : close + len(entry) + 3] if close >= 0 else text[start:end]
        whole = _fragment(opening.group(), piece, name, source) if close >= 0 else None
        if whole is None:
            cut = close < 0 and position + 1 == len(starts)
            problems.append(_problem(piece, position, cut=cut))
        else:
            entries += list(within(whole, entry))[:1]
    truncated = f"</{name}>" not in text[-200:]
    head = _head(text[opening.start() : starts[0] if starts else len(text)], name, source)
    if truncated and not any("breaks off" in problem.problem for problem in problems):
        problems.append(EntryProblem(f"behind entry {len(starts)}", "the answer breaks off"))
    return Document(head, tuple(entries), truncated, tuple(problems))


def _fragment(opening: str, piece: str, name: str, source: str) -> Element | None:
    try:
        return _element(f"{opening}{piece}</{name}>", source)
    except ParseError:
        return None


def _head(text: str, name: str, source: str) -> Element:
    """What stands before the first entry; an empty root when that is broken too."""
    for ending in (f"</{name}>", f"</channel></{name}>", f"</ListRecords></{name}>"):
        try:
            return _element(text + ending, source)
        except ParseError:
            continue
    last = max(text.rfind(f"</{inner}>") for inner in ("link", "title", "pubDate", "updated", "id"))
    shorter = text[: text.find(">", last) + 1] if last > 0 else ""
    if shorter and shorter != text:
        return _head(shorter, name, source)
    return Element(name)


def _problem(piece: str, position: int, *, cut: bool) -> EntryProblem:
    found = _ENTRY_ID.search(piece)
    name = (found.group(1) or found.group(2)) if found else f"entry {position + 1}"
    return EntryProblem(
        name, "the answer breaks off in this entry" if cut else "this entry is ill-formed XML"
    )
