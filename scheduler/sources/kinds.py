"""Which parser an answer or a file belongs to, told from its content alone.

`recognise` looks at the first few thousand bytes: no file name, no Content-Type. `parse` recognises and
parses.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from scheduler.errors import SourceChanged, UnknownInput
from scheduler.models import ParsedFeed
from scheduler.sources import (
    arxiv_abstract,
    arxiv_api,
    arxiv_feed,
    arxiv_listing,
    arxiv_oai,
    biorxiv,
    documents,
    feeds,
    huggingface,
)
from scheduler.sources.pages import heading_of

PARSERS: dict[str, Callable[[bytes, str], ParsedFeed]] = {
    arxiv_feed.KIND: lambda body, _: arxiv_feed.parse(body),
    arxiv_listing.KIND: arxiv_listing.parse,
    arxiv_abstract.KIND: lambda body, _: arxiv_abstract.parse(body),
    arxiv_api.KIND: lambda body, _: arxiv_api.parse(body),
    arxiv_oai.KIND: lambda body, _: arxiv_oai.parse(body),
    biorxiv.KIND: lambda body, _: biorxiv.parse(body),
    huggingface.KIND: lambda body, _: huggingface.parse(body),
    feeds.KIND: feeds.parse,
}
"""Every kind and its parser, which gets the body and the category that was asked for."""

_LOOKED_AT = 8000
_ROOT = re.compile(r"<(?![?!])(?:\w+:)?([A-Za-z-]+)")
_LISTING_MARKS = (b"listings for ", b"Catchup results", b"list-title")
_ARXIV_FEED = re.compile(
    r"//(?:rss|export)\.arxiv\.org/(?:rss|atom)/|oai:arXiv\.org:|arxiv:announce_type"
    r"|updates on arXiv\.org|Feed error for query"
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def recognise(body: bytes) -> str:
    """The kind of `body`, a key of PARSERS.

    Raises UnknownInput, in one line that says what was found and which kinds there are.
    """
    head = documents.decoded(body[:_LOOKED_AT]).lstrip("\ufeff \t\r\n")
    if not head.strip("\x00 \t\r\n"):
        raise _unknown("an empty file")
    if head[0] in "{[":
        return _json_kind(head)
    if head[0] == "<":
        return _markup_kind(head, body)
    if "rate exceeded" in head[:200].lower():
        raise _unknown("arXiv's notice “Rate exceeded.”")
    printable = sum(sign.isprintable() or sign.isspace() for sign in head)
    raise _unknown("plain text" if printable > 0.9 * len(head) else "a binary file")


def parse(body: bytes, kind: str | None = None, *, category: str = "") -> ParsedFeed:
    """What `body` says, by the parser of `kind` (recognised when None), for the category that was asked for.

    Raises UnknownInput for a kind that does not exist, and for a body of no kind or not of the kind given.
    """
    kind = kind or recognise(body)
    if kind not in PARSERS:
        raise UnknownInput(f"no kind {kind!r}; known kinds: {', '.join(PARSERS)}")
    try:
        return PARSERS[kind](body, category)
    except SourceChanged as error:
        raise UnknownInput(f"this is no {kind} answer: {error}; known kinds: {', '.join(PARSERS)}") from error


def _unknown(found: str) -> UnknownInput:
    return UnknownInput(f"{found}; known kinds: {', '.join(PARSERS)}")


def _json_kind(head: str) -> str:
    if head[0] == "{" and "jsonfeed.org/version" in head:
        return feeds.KIND
    if head[0] == "{" and '"collection"' in head and ('"doi"' in head or '"messages"' in head):
        return biorxiv.KIND
    if head[0] == "[" and ('"paper"' in head or head.strip("[] \r\n\t") == ""):
        return huggingface.KIND
    raise _unknown("a JSON document of another kind")


def _markup_kind(head: str, body: bytes) -> str:
    root = _ROOT.search(_COMMENT.sub("", head))
    name = root.group(1).lower() if root else ""
    if name == "html" or head[:15].lower().startswith("<!doctype html"):
        return _page_kind(body)
    if name == "oai-pmh":
        return arxiv_oai.KIND
    if name not in ("rss", "feed", "rdf"):
        raise _unknown(f"an XML document <{name}>" if name else "a file that begins like XML")
    if "opensearch" in head and "arxiv.org" in head:
        return arxiv_api.KIND
    return arxiv_feed.KIND if _ARXIV_FEED.search(head) else feeds.KIND


def _page_kind(body: bytes) -> str:
    if any(mark in body for mark in _LISTING_MARKS):
        return arxiv_listing.KIND
    if b"citation_arxiv_id" in body:
        return arxiv_abstract.KIND
    heading = heading_of(body)[:80]
    raise _unknown("an HTML page that is no arXiv listing" + (f" (“{heading}”)" if heading else ""))
