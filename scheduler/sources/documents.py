"""XML answers as elements, kept whole as far as they are whole.

An answer that breaks off, or that holds one ill-formed entry, gives every entry that can be read; the
others are named. XML is read by defusedxml: entity bombs and external entities are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from scheduler.errors import SourceChanged
from scheduler.models import EntryProblem

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_ENCODING = re.compile(rb"<\?xml[^>]{0,200}encoding=[\"']([A-Za-z0-9._-]+)[\"']")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_ROOT = re.compile(r"<(?![?!])([^\s<>/]+)[^<>]*>")
_ENTRY_ID = re.compile(
    r"oai:arXiv\.org:([^\s<]+)|<(?:id|guid)[^>]*>\s*(?:oai:arXiv\.org:)?([^\s<]+)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Document:
    """An XML answer: the root without its entries' ill-formed ones, the entries, and what could not be
    read."""

    root: Element
    entries: tuple[Element, ...]
    truncated: bool
    problems: tuple[EntryProblem, ...]


def read(body: bytes, source: str, entry: str) -> Document:
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


def decoded(body: bytes) -> str:
    """`body` as text in the encoding that its declaration names (UTF-8 without one), never raising."""
    declared = _ENCODING.search(body[:400])
    encoding = declared.group(1).decode("ascii") if declared else "utf-8"
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    try:
        return body.decode(encoding, errors="replace")
    except LookupError:
        return body.decode("utf-8", errors="replace")


def local(element: Element) -> str:
    """An element's name without its namespace."""
    return _local(str(element.tag))


@lru_cache(maxsize=4096)
def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


@lru_cache(maxsize=4096)
def _folded(tag: str) -> str:
    return _local(tag).lower()


def within(element: Element, name: str) -> Iterator[Element]:
    """Every descendant of that local name, in document order."""
    return (child for child in element.iter() if local(child) == name)


def children(element: Element, name: str) -> list[Element]:
    """The direct children of that local name (letter case ignored), in order."""
    wanted = name.lower()
    return [child for child in element if _folded(str(child.tag)) == wanted]


def child(element: Element, name: str) -> Element | None:
    """The first direct child of that local name, None without one."""
    return next(iter(children(element, name)), None)


def words(element: Element | None) -> str:
    """An element's text with that of its descendants, stripped; "" for None."""
    return "".join(element.itertext()).strip() if element is not None else ""


def child_words(element: Element, name: str) -> str:
    """The text of the first direct child of that name; "" without one."""
    return words(child(element, name))


def _element(text: str, source: str) -> Element:
    try:
        element: Element = fromstring(text)
    except DefusedXmlException as error:
        raise SourceChanged(source, f"the answer declares XML entities ({type(error).__name__})") from error
    return element


def _recovered(text: str, source: str, entry: str) -> Document:
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
