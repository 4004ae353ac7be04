"""The one client for every source of papers; it keeps what arXiv is promised.

One connection at a time over everything; between two requests at least `pace` seconds for feeds, query
API and OAI-PMH together (arXiv API terms of use: one request every three seconds, one connection, for all
machines of one operator), at least `page_pace` for pages (arxiv.org/robots.txt: Crawl-delay 15),
redirects counted. A server that asks for a pause gets it: until then every further request to it fails
here, without reaching the network. After other failures it is left alone for a random time whose bound
doubles ("full jitter"); short ones are waited for, long ones fail here too. Nobody's pause holds up
another server. With `SharedTurns` all of this holds for every process of the deployment together.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Protocol, Self
from urllib.parse import urlencode, urljoin, urlsplit

from scheduler.errors import SourceChanged, SourceError, SourceRefused, SourceThrottled, SourceUnavailable
from scheduler.sources.turns import Board, LocalTurns, Turns
from scheduler.sources.wire import LARGEST_ANSWER, HttpWire, Response, Wire, WireError

logger = logging.getLogger(__name__)

AGENT = "Paperboy/0.1"
MOST_REDIRECTS = 4
MOST_REMEMBERED = 64
PAUSES_WHEN_THROTTLED = 20
"""A server that says "too fast" without a time is left alone for so many times the pace (the API: 60 s)."""
LONGEST_TOLD = 86_400.0
"""Seconds; a server that asks for more is asked again after a day."""
LONGEST_BACKOFF = 600.0
LONGEST_WAIT = 30.0
"""A pause after failures is waited for up to so many seconds; a longer one is a failure of its own."""


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
class Lane:
    """Where a request goes: the source's name for messages, the server that a pause is for, the queue whose
    `pace` (seconds) it keeps."""

    source: str
    server: str
    queue: str
    pace: float


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a conditional request needs: the validators of an answer, and the answer."""

    etag: str
    last_modified: str
    body: bytes


class Memory(Protocol):
    """Keeps the newest answers by address, for conditional requests."""

    async def recall(self, address: str) -> Remembered | None:
        """What was remembered of an address."""

    async def remember(self, address: str, what: Remembered) -> None:
        """Keeps `what`; the oldest others may be forgotten."""


class LastAnswers:
    """A memory that ends with the process; it holds the newest MOST_REMEMBERED."""

    def __init__(self) -> None:
        self._kept: dict[str, Remembered] = {}

    async def recall(self, address: str) -> Remembered | None:
        """What was remembered of an address."""
        return self._kept.get(address)

    async def remember(self, address: str, what: Remembered) -> None:
        """Keeps `what` and forgets the oldest."""
        self._kept.pop(address, None)
        self._kept[address] = what
        while len(self._kept) > MOST_REMEMBERED:
            del self._kept[next(iter(self._kept))]


@dataclass(frozen=True, slots=True)
class Answer:
    """A body, and whether all of it arrived; `is_news` is false for the same bytes as the last time.

    `charset` is what the server says that its text is written in, "" where it says nothing.
    """

    body: bytes
    is_whole: bool = True
    is_news: bool = True
    charset: str = ""


class WebClient:
    """Fetches bytes in turn; an async context manager. One instance serves one event loop.

    `contact` (an e-mail or web address of the operator) goes into the User-Agent. `turns` says who may ask
    next (default: this client alone), `memory` keeps answers for conditional requests (default: in this
    object). `clock` is seconds since 1970, `sleep` waits for seconds, `jitter(x)` chooses from 0 to x;
    tests drive all three. `wire` replaces the network.
    """

    def __init__(
        self,
        *,
        contact: str = "",
        timeout: float = 60.0,
        largest_answer: int = LARGEST_ANSWER,
        turns: Turns | None = None,
        memory: Memory | None = None,
        wire: Wire | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[float], float] = lambda most: random.uniform(0, most),
    ) -> None:
        agent = agent_of(contact)
        self._wire: Wire = (
            HttpWire(agent=agent, timeout=timeout, largest=largest_answer) if wire is None else wire
        )
        self._turns: Turns = LocalTurns() if turns is None else turns
        self._memory: Memory = LastAnswers() if memory is None else memory
        self._clock = clock
        self._sleep = sleep
        self._jitter = jitter

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
        await self._wire.close()

    async def fetch(
        self, url: str, lane: Lane, *, accept: str, public_only: bool = False, conditional: bool = False
    ) -> Answer:
        """The answer to one GET request, after its turn has come.

        An answer that breaks off is given as far as it came (`is_whole` false). Raises SourceThrottled
        (406, 429, a 503 that says when to come back, "Rate exceeded."), SourceUnavailable (no connection,
        a time-out, 5xx), SourceRefused (every other 4xx, with the body; with `public_only` also an address
        of a private network) and SourceChanged (too large, too many redirects).
        """
        remembered = await self._memory.recall(url) if conditional else None
        headers = {"Accept": accept} | _conditions(remembered)
        address = url
        for _ in range(MOST_REDIRECTS + 1):
            response = await self._in_turn(address, lane, headers, public_only)
            target = response.header("Location") if 300 < response.status < 400 else ""
            if not target:
                return await self._answer(url, response, remembered, conditional)
            address = urljoin(address, target)
            headers = {"Accept": accept}
        raise SourceChanged(lane.source, f"{_shown(url)} redirects without end")

    async def _in_turn(self, url: str, lane: Lane, headers: Mapping[str, str], public_only: bool) -> Response:
        while True:
            async with self._turns.held() as board:
                wait = self._wait(board, lane)
                if wait <= 0:
                    return await self._asked(board, url, lane, headers, public_only)
            await self._sleep(wait)

    def _wait(self, board: Board, lane: Lane) -> float:
        """Seconds until the request is due; raises SourceThrottled while the server is to be left alone."""
        now = self._clock()
        server = board.of(_server(lane))
        left = server.left(now)
        if left > 0 and server.is_told:
            raise SourceThrottled(lane.source, f"{lane.source} asked to wait; {left:.0f} s are left", left)
        if left > LONGEST_WAIT:
            tried = f"after {server.failures} failures {lane.source} is left alone; {left:.0f} s are left"
            raise SourceThrottled(lane.source, tried, left)
        return max(left, board.of(_queue(lane)).left(now))

    async def _asked(
        self, board: Board, url: str, lane: Lane, headers: Mapping[str, str], public_only: bool
    ) -> Response:
        board.pause(_queue(lane), self._clock(), lane.pace)
        board.keep()  # a process that ends in the middle of a request has asked all the same
        try:
            response = await self._sent(url, lane, headers, public_only)
            _check(url, lane.source, response)
        except SourceError as error:
            self._failed(board, lane, error)
            raise
        finally:
            board.pause(_queue(lane), self._clock(), lane.pace)
        board.standings.pop(_server(lane), None)
        return response

    def _failed(self, board: Board, lane: Lane, error: SourceError) -> None:
        """How long the server is left alone now."""
        failures = board.of(_server(lane)).failures + 1
        bound = min(LONGEST_BACKOFF, lane.pace * 2.0 ** min(failures, 16))
        if isinstance(error, SourceThrottled) and error.retry_after is not None:
            pause = min(error.retry_after, LONGEST_TOLD)
        elif isinstance(error, SourceThrottled):
            pause = lane.pace * PAUSES_WHEN_THROTTLED + (self._jitter(bound) if failures > 1 else 0.0)
        elif isinstance(error, SourceUnavailable):
            pause = self._jitter(bound)
        else:  # the server is well: it was the request
            board.standings.pop(_server(lane), None)
            return
        told = isinstance(error, SourceThrottled)
        board.pause(_server(lane), self._clock(), pause, is_told=told, failures=failures)

    async def _sent(self, url: str, lane: Lane, headers: Mapping[str, str], public_only: bool) -> Response:
        try:
            response = await self._wire.send(url, headers, public_only=public_only)
        except WireError as error:
            kinds = {"changed": SourceChanged, "refused": SourceRefused}
            kind = kinds.get(error.reason, SourceUnavailable)
            raise kind(lane.source, f"{_shown(url)} {error.words}") from error
        logger.debug("%s answered %d with %d bytes", _shown(url), response.status, len(response.body))
        return response

    async def _answer(
        self, url: str, response: Response, remembered: Remembered | None, conditional: bool
    ) -> Answer:
        if response.status == 304 and remembered is not None:
            return Answer(remembered.body, is_news=False)
        if remembered is not None and response.is_whole and response.body == remembered.body:
            # arXiv's feed service answers If-None-Match with everything again: the content decides.
            return Answer(response.body, is_news=False, charset=response.charset)
        etag, modified = response.header("ETag"), response.header("Last-Modified")
        # "Not modified" says nothing of a charset: an answer that may need it is asked for whole every time.
        may_be_remembered = conditional and response.is_whole and response.charset in ("", "utf-8")
        if may_be_remembered and (etag or modified):
            await self._memory.remember(url, Remembered(etag, modified, response.body))
        return Answer(response.body, response.is_whole, charset=response.charset)


class SourceClient(WebClient):
    """The client for arXiv: it knows the addresses of arXiv's surfaces and the pace of each.

    Paces are in seconds; the other arguments are WebClient's.
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
        turns: Turns | None = None,
        memory: Memory | None = None,
        wire: Wire | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[float], float] = lambda most: random.uniform(0, most),
    ) -> None:
        super().__init__(
            contact=contact,
            timeout=timeout,
            largest_answer=largest_answer,
            turns=turns,
            memory=memory,
            wire=wire,
            clock=clock,
            sleep=sleep,
            jitter=jitter,
        )
        self.addresses = {
            Surface.FEED: feed_url.rstrip("/"),
            Surface.PAGES: listing_url.rstrip("/"),
            Surface.API: api_url.rstrip("/"),
            Surface.OAI: oai_url.rstrip("/"),
        }
        self._paces = {"interfaces": pace, "pages": page_pace}

    async def get(
        self, surface: Surface, path: str = "", params: Mapping[str, str] | None = None, *, accept: str
    ) -> Answer:
        """The answer to one GET request under the surface's address; see `fetch`. Feeds and pages are asked
        for conditionally."""
        query = f"?{urlencode(params)}" if params else ""
        lane = Lane("arxiv", surface, surface.queue, self._paces[surface.queue])
        conditional = surface in (Surface.FEED, Surface.PAGES)
        return await self.fetch(
            f"{self.addresses[surface]}{path}{query}", lane, accept=accept, conditional=conditional
        )


def agent_of(contact: str) -> str:
    """The User-Agent: the program, and how its operator can be reached ("" for no contact)."""
    return f"{AGENT} (+{contact})" if contact else AGENT


def _server(lane: Lane) -> str:
    return f"server {lane.server}"


def _queue(lane: Lane) -> str:
    return f"queue {lane.queue}"


def _check(url: str, source: str, response: Response) -> None:
    """Raise for what is no usable answer."""
    status, retry_after = response.status, response.retry_after
    says_slower = response.body[:200].strip().lower().startswith(b"rate exceeded")
    if status in (406, 429) or says_slower or (status == 503 and retry_after is not None):
        said = "“Rate exceeded.”" if says_slower else f"HTTP {status}"
        raise SourceThrottled(source, f"{_shown(url)} asks to slow down ({said})", retry_after)
    if status >= 500:
        raise SourceUnavailable(source, f"{_shown(url)} is out of order (HTTP {status})")
    if status >= 400:
        raise SourceRefused(source, f"{_shown(url)} refused the request (HTTP {status})", response.body)


def _conditions(remembered: Remembered | None) -> dict[str, str]:
    if remembered is None:
        return {}
    headers = {"If-None-Match": remembered.etag, "If-Modified-Since": remembered.last_modified}
    return {name: value for name, value in headers.items() if value}


def _shown(url: str) -> str:
    """An address for messages: no user, no query."""
    parts = urlsplit(url)
    return f"{parts.hostname or ''}{parts.path}"
