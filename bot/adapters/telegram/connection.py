"""The HTTP side of the library: the token stays out of it, and polling says once what is wrong.

The library builds every address from the token and may name an address in a log line or an error, as may
httpx and a proxy's error page. So the library is given `HIDDEN_TOKEN`, and the real one is put in at the
last moment.
"""

from __future__ import annotations

import asyncio
import logging
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from telegram.error import Conflict, NetworkError, TelegramError
from telegram.request import HTTPXRequest
from telegram.warnings import PTBDeprecationWarning

from bot.ports import PlatformStopped

logger = logging.getLogger(__name__)

# The library warns of its own coming change each time Telegram asks for a pause; `outcomes` reads both forms.
warnings.filterwarnings("ignore", message=".*retry_after", category=PTBDeprecationWarning)

# At DEBUG the library writes every update: whatever the members of a group say to each other.
logging.getLogger("telegram").setLevel(logging.INFO)

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
    """The connection that polls: it tells `watch` when an answer is good.

    A 401 or 404 becomes `RefusedError`, since the library ends its polling for ever on the error it makes
    of them.
    """

    def __init__(self, token: str, timeout: float, watch: PollWatch) -> None:
        super().__init__(token, pool=2, timeout=timeout)
        self._watch = watch

    async def do_request(self, url: str, *args: Any, **kwargs: Any) -> tuple[int, bytes]:
        """The status and the body of one poll; raises RefusedError for 401 and 404."""
        status, body = await super().do_request(url, *args, **kwargs)
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.NOT_FOUND):
            raise RefusedError(f"polling was answered {status}")
        if status == HTTPStatus.OK:
            self._watch.answered()
        return status, body


class PollWatch:
    """Says each outage of polling once, and ends the run when polling cannot go on.

    A second process that polls with the same token makes both lose updates: after `patience` of it the
    operator has to choose, so `ended` raises PlatformStopped.
    """

    def __init__(self, patience: timedelta, clock: Callable[[], float] = time.monotonic) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._patience = patience.total_seconds()
        self._clock = clock
        self._told = False
        self._conflict_since: float | None = None
        self._last_conflict = 0.0

    def answered(self) -> None:
        """A poll was answered: an outage, if there was one, is over."""
        if self._told:
            logger.info("Telegram answers again")
            self._told = False

    def failed(self, error: TelegramError) -> None:
        """A poll failed; the library tries again by itself."""
        if isinstance(error, RefusedError):
            self.end(error)
        elif isinstance(error, Conflict):
            self._conflict()
        elif not self._told:
            self._told = True
            logger.warning("Telegram cannot be reached, trying on: %s", error)

    def end(self, error: Exception) -> None:
        """Ends the run with `error`."""
        if not self.ended.done():
            self.ended.set_exception(error)

    def _conflict(self) -> None:
        now = self._clock()
        # Two pollers interrupt each other in turn, so a good answer in between does not end a conflict.
        if self._conflict_since is None or now - self._last_conflict > self._patience:
            self._conflict_since = now
            logger.warning(
                "another process receives Telegram's updates with the same token; waiting for it to end"
            )
        self._last_conflict = now
        if now - self._conflict_since >= self._patience:
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
