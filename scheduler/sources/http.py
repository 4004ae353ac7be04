"""The one HTTP client for every source of papers; it keeps what arXiv is promised.

One connection at a time over everything; between two requests at least `pace` seconds for feeds, query
API and OAI-PMH together (arXiv API terms of use: one request every three seconds, one connection, for all
machines of one operator), at least `page_pace` for pages (arxiv.org/robots.txt: Crawl-delay 15),
redirects counted. A server that asks for a pause gets it: until then every further request fails here,
without reaching the network.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from types import TracebackType
from typing import Self

import httpx

from scheduler.errors import SourceChanged, SourceRefused, SourceThrottled, SourceUnavailable

logger = logging.getLogger(__name__)

AGENT = "Paperboy/0.1"
LARGEST_ANSWER = 40_000_000
"""More bytes than any feed or listing has (2,000 entries are about 5 MB)."""
MOST_REDIRECTS = 4
MOST_REMEMBERED = 64
PAUSES_WHEN_THROTTLED = 20
"""A server that says "too fast" without a time is left alone for so many times the pace (the API: 60 s)."""

_SOURCE = "arxiv"


class Surface(StrEnum):
    """The parts of arXiv that have their own address; all but PAGES share one pace."""

    FEED = "feed"
    API = "api"
    OAI = "oai"
    PAGES = "pages"

    @property
    def queue(self) -> str:
        """What its requests take turns with."""
        return "pages" if self is Surface.PAGES else "interfaces"


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a conditional request needs: the validators of an answer, and the answer."""

    etag: str
    last_modified: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """A body, and whether all of it arrived; `is_news` is false for an answer that the server did not
    repeat."""

    body: bytes
    is_whole: bool = True
    is_news: bool = True


class SourceClient:
    """Fetches bytes from arXiv; an async context manager. One instance serves one event loop.

    `contact` (an e-mail or web address of the operator) goes into the User-Agent. Paces are in seconds.
    `memory` keeps validators and bodies by address for conditional requests (default: the newest 64, in
    this object). `clock` is monotonic seconds, `sleep` waits for seconds; tests drive both.
    """

    def __init__(
        self,
        *,
        contact: str = "",
        feed_url: str = "https://rss.arxiv.org",
        listing_url: str = "https://arxiv.org",
        api_url: str = "https://export.arxiv.org/api/query",
        oai_url: str = "https://oaipmh.arxiv.org/oai",
        pace: float = 3.0,
        page_pace: float = 15.0,
        timeout: float = 60.0,
        largest_answer: int = LARGEST_ANSWER,
        memory: MutableMapping[str, Remembered] | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._urls = {
            Surface.FEED: feed_url.rstrip("/"),
            Surface.PAGES: listing_url.rstrip("/"),
            Surface.API: api_url.rstrip("/"),
            Surface.OAI: oai_url.rstrip("/"),
        }
        self._paces = {"interfaces": pace, "pages": page_pace}
        self._next: dict[str, float] = {}
        self._blocked: dict[str, float] = {}
        self._largest = largest_answer
        self._memory: MutableMapping[str, Remembered] = {} if memory is None else memory
        self._clock = clock
        self._sleep = sleep
        self._lock = asyncio.Lock()
        self._http = httpx.AsyncClient(
            headers={"User-Agent": f"{AGENT} (+{contact})" if contact else AGENT},
            timeout=timeout,
            follow_redirects=False,
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection."""
        await self._http.aclose()

    async def get(
        self, surface: Surface, path: str = "", params: Mapping[str, str] | None = None, *, accept: str
    ) -> Answer:
        """The answer to one GET request under the surface's address, after its turn has come.

        An answer that breaks off is given as far as it came (`is_whole` false). Raises SourceThrottled
        (406, 429, a 503 that says when to come back, "Rate exceeded."), SourceUnavailable (no connection,
        a time-out, 5xx), SourceRefused (every other 4xx, with the body) and SourceChanged (too large, too
        many redirects).
        """
        url = httpx.URL(self._urls[surface] + path, params=dict(params) if params else None)
        async with self._lock:
            for _ in range(MOST_REDIRECTS + 1):
                await self._turn(surface)
                try:
                    answer = await self._once(surface, url, accept)
                finally:
                    self._next[surface.queue] = self._clock() + self._paces[surface.queue]
                if isinstance(answer, Answer):
                    return answer
                url = answer
        raise SourceChanged(_SOURCE, f"{_shown(url)} redirects without end")

    async def _turn(self, surface: Surface) -> None:
        """Wait until the next request is due; raise SourceThrottled while the server wants to be left
        alone."""
        blocked = self._blocked.get(surface.queue, 0.0) - self._clock()
        if blocked > 0:
            raise SourceThrottled(_SOURCE, f"arXiv asked to wait; {blocked:.0f} s are left", blocked)
        wait = self._next.get(surface.queue, 0.0) - self._clock()
        if wait > 0:
            await self._sleep(wait)

    async def _once(self, surface: Surface, url: httpx.URL, accept: str) -> Answer | httpx.URL:
        """One request: its answer, or the address that it redirects to."""
        remembered = self._memory.get(str(url))
        headers = {"Accept": accept} | _conditions(remembered)
        try:
            async with self._http.stream("GET", url, headers=headers) as response:
                body, is_whole = await self._body(response)
        except httpx.TimeoutException as error:
            raise SourceUnavailable(_SOURCE, f"{_shown(url)} did not answer in time") from error
        except httpx.HTTPError as error:
            reason = type(error).__name__
            raise SourceUnavailable(_SOURCE, f"{_shown(url)} cannot be reached ({reason})") from error
        logger.debug("%s answered %d with %d bytes", _shown(url), response.status_code, len(body))
        if response.has_redirect_location:
            return url.join(response.headers.get("Location", ""))
        if response.status_code == httpx.codes.NOT_MODIFIED and remembered is not None:
            return Answer(remembered.body, is_news=False)
        self._check(surface, url, response, body)
        if is_whole:
            self._remember(str(url), response, body)
        return Answer(body, is_whole)

    async def _body(self, response: httpx.Response) -> tuple[bytes, bool]:
        """The body, and whether it arrived whole; what came of a successful answer that breaks off is
        kept."""
        pieces: list[bytes] = []
        size = 0
        try:
            async for piece in response.aiter_bytes():
                pieces.append(piece)
                size += len(piece)
                if size > self._largest:
                    raise SourceChanged(_SOURCE, f"the answer is larger than {self._largest} bytes")
        except (httpx.HTTPError, httpx.StreamError):
            if not pieces or not response.is_success:
                raise
            return b"".join(pieces), False
        return b"".join(pieces), True

    def _check(self, surface: Surface, url: httpx.URL, response: httpx.Response, body: bytes) -> None:
        """Raise for what is no usable answer."""
        status = response.status_code
        retry_after = _retry_after(response)
        says_slower = body[:200].strip().lower().startswith(b"rate exceeded")
        if status in (406, 429) or says_slower or (status == 503 and retry_after is not None):
            pause = (
                retry_after if retry_after is not None else self._paces[surface.queue] * PAUSES_WHEN_THROTTLED
            )
            self._blocked[surface.queue] = self._clock() + pause
            said = "“Rate exceeded.”" if says_slower else f"HTTP {status}"
            raise SourceThrottled(_SOURCE, f"{_shown(url)} asks to slow down ({said})", retry_after)
        if status >= 500:
            raise SourceUnavailable(_SOURCE, f"{_shown(url)} is out of order (HTTP {status})")
        if not response.is_success:
            raise SourceRefused(_SOURCE, f"{_shown(url)} refused the request (HTTP {status})", body)

    def _remember(self, address: str, response: httpx.Response, body: bytes) -> None:
        etag, modified = response.headers.get("ETag", ""), response.headers.get("Last-Modified", "")
        if not (etag or modified):
            return
        self._memory.pop(address, None)
        self._memory[address] = Remembered(etag, modified, body)
        while len(self._memory) > MOST_REMEMBERED:
            del self._memory[next(iter(self._memory))]


def _conditions(remembered: Remembered | None) -> dict[str, str]:
    if remembered is None:
        return {}
    headers = {"If-None-Match": remembered.etag, "If-Modified-Since": remembered.last_modified}
    return {name: value for name, value in headers.items() if value}


def _retry_after(response: httpx.Response) -> float | None:
    """Retry-After in seconds; a date is measured against the server's own Date (RFC 9110, section 10.2.3)."""
    written = response.headers.get("Retry-After", "").strip()
    if written.isdecimal():
        return float(written)
    until, sent = _http_date(written), _http_date(response.headers.get("Date", ""))
    if until is None or sent is None:
        return None
    return max((until - sent).total_seconds(), 0.0)


def _http_date(written: str) -> datetime | None:
    try:
        read = parsedate_to_datetime(written)
    except (ValueError, TypeError, IndexError):
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def _shown(url: httpx.URL) -> str:
    """An address for messages: no user, no query."""
    return f"{url.host}{url.path}"
