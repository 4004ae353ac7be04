"""The HTTP side of the library: the token stays out of it, and polling says once what is wrong.

The library builds every address from the token and may name an address in a log line or an error, as may
httpx and a proxy's error page. So the library is given `HIDDEN_TOKEN`, and the real one is put in at the
last moment.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from http import HTTPStatus
from typing import Any, NoReturn
from urllib.parse import quote

from telegram.error import Conflict, NetworkError, TelegramError, TimedOut
from telegram.request import HTTPXRequest
from telegram.warnings import PTBDeprecationWarning

from bot.ports import PlatformStopped

logger = logging.getLogger(__name__)

# The library warns of its own coming change each time Telegram asks for a pause; `outcomes` reads both forms.
warnings.filterwarnings("ignore", message=".*retry_after", category=PTBDeprecationWarning)

# At DEBUG the library writes every update: whatever the members of a group say to each other.
logging.getLogger("telegram").setLevel(logging.INFO)

FIRST_REST, LONGEST_REST = 1.0, 30.0
"""Seconds between a failed poll and the next one, at first and at most."""

SETTLED, LONGER_FOR_THE_FIRST = 10.0, 90.0
"""Who polled undisturbed for so many seconds (10) waits so many seconds (90) longer for the other to end."""

NOTHING_NEW = b'{"ok": true, "result": []}'

HIDDEN_TOKEN = "0:hidden"
"""What the library thinks is the token."""

SHOWN_TOKEN = "[token]"
"""What a log shows where an address holds the token."""


class Connection(HTTPXRequest):
    """Requests whose address gets the real token last, and whose answers and errors never show it."""

    def __init__(self, token: str, pool: int, timeout: float) -> None:
        super().__init__(
            connection_pool_size=pool,
            read_timeout=timeout,
            write_timeout=timeout,
            connect_timeout=timeout,
            pool_timeout=timeout,
            media_write_timeout=3 * timeout,
        )
        self._token = token

    async def do_request(self, url: str, *args: Any, **kwargs: Any) -> tuple[int, bytes]:
        """The status and the body of one call; see `HTTPXRequest.do_request`."""
        address = url.replace(HIDDEN_TOKEN, self._token, 1)
        try:
            status, body = await super().do_request(address, *args, **kwargs)
        except NetworkError as error:
            error.message = without_token(error.message, self._token)
            error.args = (error.message,)
            raise
        return status, without_token(body.decode(errors="replace"), self._token).encode()


class RefusedError(NetworkError):
    """Polling was answered 401 or 404: a revoked token, or a proxy's page. Only `getMe` can tell."""


class PollConnection(Connection):
    """The connection that polls. It tells `watch` how each poll went, and waits itself before the next one.

    The library would sleep after a failure, which a stop could not interrupt, and ends its polling for ever on
    the error that it makes of a 401 or 404: that becomes `RefusedError`.
    """

    def __init__(self, token: str, timeout: float, watch: PollWatch) -> None:
        super().__init__(token, pool=2, timeout=timeout)
        self._watch = watch

    async def do_request(self, url: str, *args: Any, **kwargs: Any) -> tuple[int, bytes]:
        """The status and the body of one poll.

        Raises RefusedError for 401 and 404, and TimedOut (after which the library polls on at once) for every
        other failure.
        """
        if self._watch.has_yielded:
            return HTTPStatus.OK, NOTHING_NEW
        try:
            status, body = await super().do_request(url, *args, **kwargs)
        except NetworkError as error:
            await self._again(error)
        match status:
            case HTTPStatus.OK:
                self._watch.answered()
            case HTTPStatus.UNAUTHORIZED | HTTPStatus.NOT_FOUND:
                raise RefusedError(f"polling was answered {status}")
            case HTTPStatus.CONFLICT:
                await self._again(Conflict("another process polls"))
            case HTTPStatus.TOO_MANY_REQUESTS:
                await self._again(NetworkError("too many requests"), _asked_for(body))
            case _ if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                await self._again(NetworkError(f"polling was answered {status}"))
        return status, body

    async def _again(self, error: TelegramError, least: float = 0.0) -> NoReturn:
        self._watch.failed(error)
        await self._watch.rest(least)
        raise TimedOut(error.message) from error


def _asked_for(body: bytes) -> float:
    """The seconds that Telegram wants to be left alone for (Bot API, ResponseParameters), 0 where it does not say."""
    try:
        return float(json.loads(body)["parameters"]["retry_after"])
    except (ValueError, KeyError, TypeError):
        return 0.0


class PollWatch:
    """Says each outage of polling once, paces the tries, and ends the run when polling cannot go on.

    A second process that polls with the same token makes both lose updates: after `patience` of it the
    operator has to choose, so `ended` raises PlatformStopped. Who polled before it began waits a little
    longer, so that of the two it is the newcomer that ends.
    """

    def __init__(self, patience: timedelta, clock: Callable[[], float] = time.monotonic) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._patience = patience.total_seconds()
        self._clock = clock
        self._stopping = False
        self._told = False
        self._failures = 0
        self._began = clock()
        self._conflict_since: float | None = None
        self._last_conflict = 0.0

    def answered(self) -> None:
        """A poll was answered: an outage, if there was one, is over."""
        if not self._in_conflict():
            self._failures = 0
        if self._told:
            logger.info("Telegram answers again")
            self._told = False

    def failed(self, error: TelegramError) -> None:
        """A poll failed; another one follows."""
        self._failures += 1
        if isinstance(error, RefusedError):
            self.end(error)
        elif isinstance(error, Conflict):
            self._conflict()
        elif not self._told:
            self._told = True
            logger.warning("Telegram cannot be reached, trying on: %s", error)

    async def rest(self, least: float = 0.0) -> None:
        """Waits before the next poll, longer after each failure. The library's own stop cancels the waiting."""
        if not self._stopping:
            await asyncio.sleep(max(least, self.pause()))

    def pause(self) -> float:
        """The seconds that are waited before the next poll after a failure.

        In a conflict they become fewer again towards its end: only another poll shows whether the other one is still
        there when the time is over.
        """
        longest = (
            max(FIRST_REST, min(LONGEST_REST, self._left() / 8)) if self._in_conflict() else LONGEST_REST
        )
        return min(longest, FIRST_REST * 1.5 ** min(self._failures - 1, 20))

    def stop(self) -> None:
        """After the last poll, which confirms what was read, nothing is waited for."""
        self._stopping = True

    @property
    def has_yielded(self) -> bool:
        """True once another process has been left the updates: the library's last poll would disturb it."""
        ended = self.ended
        return ended.done() and not ended.cancelled() and isinstance(ended.exception(), PlatformStopped)

    def end(self, error: Exception) -> None:
        """Ends the run with `error`."""
        if not self.ended.done():
            self.ended.set_exception(error)

    def _in_conflict(self) -> bool:
        # Two pollers interrupt each other in turn, so a good answer in between does not end a conflict.
        since = self._conflict_since
        return since is not None and self._clock() - self._last_conflict <= self._patience

    def _left(self) -> float:
        """The seconds that the conflict may still last."""
        since = self._clock() if self._conflict_since is None else self._conflict_since
        was_here_first = since - self._began >= SETTLED
        return since + self._patience + (LONGER_FOR_THE_FIRST if was_here_first else 0.0) - self._clock()

    def _conflict(self) -> None:
        now = self._clock()
        if self._conflict_since is None or not self._in_conflict():
            self._conflict_since = now
            logger.warning(
                "another process receives Telegram's updates with the same token; waiting for it to end"
            )
        self._last_conflict = now
        if self._left() <= 0:
            self.end(
                PlatformStopped(
                    "Telegram: another process polls with the token of PAPERBOY_TELEGRAM_TOKEN; "
                    "stop it, or give this one its own bot"
                )
            )


def without_token(text: str, token: str) -> str:
    """`text` with the token, plain or percent-encoded, replaced."""
    return text.replace(token, SHOWN_TOKEN).replace(quote(token, safe=""), SHOWN_TOKEN)


@contextmanager
def token_out_of_httpx_logs(token: str) -> Iterator[None]:
    """httpx logs each request's address at INFO; inside this context those lines hold no token."""

    def hide(record: logging.LogRecord) -> bool:
        record.msg, record.args = without_token(record.getMessage(), token), ()
        return True

    httpx_logger = logging.getLogger("httpx")
    httpx_logger.addFilter(hide)
    try:
        yield
    finally:
        httpx_logger.removeFilter(hide)
