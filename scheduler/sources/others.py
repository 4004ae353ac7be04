"""Fetching from the sources beside arXiv: bioRxiv and medRxiv, Hugging Face's daily papers, and operators' feeds.

Facts: the preprint servers' API page (api.biorxiv.org: /details/{server}/{from}/{to}/{cursor}, 100 postings a page);
Hugging Face's /api/daily_papers with `date`. Each host has its own pace and its own pauses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from urllib.parse import urlsplit

from scheduler import identity
from scheduler.errors import SourceChanged, SourceRefused, SourceUnavailable, UnknownInput
from scheduler.models import Announcement, EntryProblem, Paper, ParsedFeed
from scheduler.sources import biorxiv, feeds, huggingface, kinds
from scheduler.sources.http import Answer, Lane, WebClient
from scheduler.sources.names import is_web_address
from scheduler.sources.pages import heading_of

JSON = "application/json, */*;q=0.1"
FEED = (
    "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, "
    "application/json;q=0.9, text/xml;q=0.8, */*;q=0.1"
)
PACE = 1.0
"""Seconds between two requests to one host; none of these sources states a pace."""
MOST_PAGES = 100
TRIES = 3


async def fetch_preprints(
    client: WebClient, base: str, server: str, first: date, last: date, *, pace: float = PACE
) -> ParsedFeed:
    """The postings of "biorxiv" or "medrxiv" from `first` to `last`, of all pages; each version is one.

    A page that is empty before the stated total is asked for again; what is missing in the end shows in
    `truncated`. Raises SourceError.
    """
    found: dict[tuple[str, int], Announcement] = {}
    problems: dict[str, EntryProblem] = {}
    cursor, total = "0", 0
    for _ in range(MOST_PAGES):
        url = f"{base.rstrip('/')}/details/{server}/{first}/{last}/{cursor}"
        page = await _postings(client, url, server, pace, has_more=total > int(cursor))
        total = page.declared or total
        found |= {(entry.paper.id, entry.paper.version): entry for entry in page.announcements}
        problems |= {problem.entry: problem for problem in page.problems}
        if not page.next_token or int(page.next_token) <= int(cursor):
            break
        cursor = page.next_token
    read = len(found) + len(problems)
    announcements = tuple(replace(entry, category=server) for entry in found.values())
    return ParsedFeed(
        biorxiv.KIND,
        server,
        server,
        announcements=announcements,
        declared=total,
        truncated=read < total,
        problems=tuple(problems.values()),
    )


async def _postings(client: WebClient, url: str, server: str, pace: float, *, has_more: bool) -> ParsedFeed:
    for _ in range(TRIES):
        answer = await client.fetch(url, _lane(url, server, pace), accept=JSON)
        page = _read(answer, server, biorxiv.parse)
        if page.errors:
            raise SourceRefused(server, f"{server} answers “{page.errors[0]}”")
        if page.announcements or page.problems or not has_more:
            return page
    raise SourceUnavailable(server, f"{server} gives an empty page in the middle of its postings")


async def fetch_daily_papers(
    client: WebClient, base: str, day: date | None = None, *, pace: float = PACE
) -> ParsedFeed:
    """Hugging Face's daily papers of `day`, or the newest. Raises SourceError."""
    url = f"{base.rstrip('/')}/api/daily_papers" + (f"?date={day}" if day else "")
    answer = await client.fetch(url, _lane(url, "huggingface", pace), accept=JSON)
    return _read(answer, "huggingface", huggingface.parse)


async def fetch_any_feed(
    client: WebClient, address: str, *, allow_private: bool = False, pace: float = PACE
) -> ParsedFeed:
    """The entries of an operator's feed in the category of its host; `src:feed` and `src:` with the host find them.

    Raises SourceError: SourceRefused for what is no http(s) address and, without `allow_private`, for one of a
    private network (the address that is spoken to is the one that was looked at), at every redirect.
    """
    host = urlsplit(address).hostname or "" if is_web_address(address) else ""
    if not host:
        raise SourceRefused("feed", f"{address!r} is no https or http address")
    lane = _lane(address, host, pace)
    answer = await client.fetch(address, lane, accept=FEED, public_only=not allow_private, conditional=True)
    feed = _read(answer, host, lambda body: _any_feed(body, host, answer.charset))
    announcements = tuple(
        replace(entry, paper=_named(entry.paper, host), category=host) for entry in feed.announcements
    )
    return replace(feed, source=host, category=host, announcements=announcements)


def _any_feed(body: bytes, host: str, charset: str) -> ParsedFeed:
    try:
        kind = kinds.recognise(body)
    except UnknownInput as error:
        found = str(error).partition("; known kinds")[0]
        words = heading_of(body) if found.startswith("an HTML") else ""
        raise SourceChanged(host, f"{host} sent {found} where a feed was due {words}".strip()) from error
    if kind != feeds.KIND:
        raise SourceRefused(host, f"{host} sent {kind}; that is fetched by its own setting, not as a feed")
    try:
        return feeds.parse(body, host, charset)
    except SourceChanged as error:
        raise SourceChanged(host, f"{host}: {error}") from error


def _named(paper: Paper, host: str) -> Paper:
    return replace(paper, source=identity.sources(paper.source, "feed", host))


def _read(answer: Answer, source: str, parse: Callable[[bytes], ParsedFeed]) -> ParsedFeed:
    if not answer.is_whole and answer.body[:1] in (b"{", b"["):
        raise SourceUnavailable(source, f"the answer of {source} breaks off in the middle")
    feed = parse(answer.body)
    return feed if answer.is_whole else replace(feed, truncated=True)


def _lane(url: str, source: str, pace: float) -> Lane:
    host = urlsplit(url).netloc.rpartition("@")[2]
    return Lane(source, host, host, pace)
