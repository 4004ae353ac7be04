"""What Discord's answers to a send mean, and the brake that keeps refused requests below a ban. No I/O.

Codes: docs.discord.com, "Opcodes and Status Codes"; limits of refused requests: "Rate Limits".
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from datetime import timedelta

import aiohttp
import discord

from bot.ports import Ambiguous, Gone, Outcome, Paused, Rejected, Retry, Sent

CLOUDFLARE_WAIT = timedelta(hours=1)
UNREACHABLE_WAIT = timedelta(seconds=15)
SERVER_ERROR_WAIT = timedelta(seconds=30)
RATE_LIMIT_WAIT = timedelta(seconds=60)
REFUSED_WAIT = timedelta(minutes=5)
REASON_LIMIT = 300

STARTING = Retry(timedelta(seconds=1), "starting", counted=False, scope="platform")

SEND_ERRORS = (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError, json.JSONDecodeError)
"""Everything that a send through discord.py may raise for reasons outside this program."""

_GONE = {
    10003: "gone_channel",
    10004: "gone_guild",
    10015: "gone_channel",
    50007: "dm_closed",
    50278: "dm_closed",
}
_PAUSED = {50001: "no_access", 50013: "no_rights", 50083: "locked", 160005: "locked", 40067: "no_tag"}
_BLOCKED_BY_CLOUDFLARE = 40333
_DELETED_AGAIN = 10008
"""Answered to the nonce of a message that somebody deleted again (discord.py, `Messageable.send`)."""

_NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
_RETRIED_BY_THE_LIBRARY = {500, 502, 504, 524}


class NotRepeatedError(discord.DiscordException):
    """A post's making was answered with a server error; the library's own repeat might make a second one."""


def is_our_mistake(error: discord.HTTPException) -> bool:
    """True when Discord refused the message itself: worth trying again as plain text."""
    return error.status in (400, 413) and error.code not in {*_GONE, *_PAUSED, _BLOCKED_BY_CLOUDFLARE}


def outcome_of(error: BaseException, missing: tuple[str, ...] = ()) -> Outcome:
    """The outcome that one of `SEND_ERRORS` stands for; `missing` names the rights that the cache lacks."""
    match error:
        case discord.RateLimited():
            return _rate_limited(timedelta(seconds=error.retry_after))
        case discord.HTTPException():
            return _refused(error, missing)
        case _ if isinstance(error, _NOT_SENT):
            return Retry(UNREACHABLE_WAIT, "unreachable", counted=False, scope="platform")
        case NotRepeatedError():
            return Ambiguous(str(error))
        case json.JSONDecodeError():
            # discord.py reads the answer before it looks at its status.
            return Ambiguous("an answer that cannot be read")
        case _:
            return Ambiguous(f"connection lost ({type(error).__name__})")


def _refused(error: discord.HTTPException, missing: tuple[str, ...]) -> Outcome:
    if reason := _GONE.get(error.code):
        return Gone(reason)
    if reason := _PAUSED.get(error.code):
        return Paused(reason, missing)
    if error.code == _DELETED_AGAIN:
        return Sent()
    if error.code == _BLOCKED_BY_CLOUDFLARE or _is_cloudflare(error):
        return Retry(max(CLOUDFLARE_WAIT, _retry_after(error)), "cloudflare", counted=False, scope="platform")
    return _by_status(error, missing)


def _by_status(error: discord.HTTPException, missing: tuple[str, ...]) -> Outcome:
    match error.status:
        case 429:
            return _rate_limited(max(RATE_LIMIT_WAIT, _retry_after(error)))
        case 401:
            return Retry(REFUSED_WAIT, "unauthorized", counted=False, scope="platform")
        case 403:
            return Paused("no_access", missing)
        case 400 | 413:
            return Rejected(_brief(error))
        case status if status in _RETRIED_BY_THE_LIBRARY:
            return Ambiguous(f"server error {status}")
        case status if status >= 500:
            return Retry(SERVER_ERROR_WAIT, f"server error {status}")
        case _:
            return Retry(REFUSED_WAIT, _brief(error))


def _rate_limited(after: timedelta) -> Retry:
    return Retry(after, "rate limited", counted=False)


def _is_cloudflare(error: discord.HTTPException) -> bool:
    """A ban by the network in front of Discord: no `Via` header on a 429, or a page instead of JSON."""
    if error.status not in (403, 429):
        return False
    headers = _headers(error)
    return "json" not in headers.get("Content-Type", "json") or (
        error.status == 429 and not headers.get("Via")
    )


def _retry_after(error: discord.HTTPException) -> timedelta:
    try:
        return timedelta(seconds=float(_headers(error).get("Retry-After", "0")))
    except (ValueError, OverflowError):
        return timedelta(0)


def _headers(error: discord.HTTPException) -> Mapping[str, str]:
    headers: Mapping[str, str] = error.response.headers
    return headers


def _brief(error: discord.HTTPException) -> str:
    return f"{error.status} {error.code}: {error.text}"[:REASON_LIMIT]


class RefusalBrake:
    """Counts refused requests (401, 403, 429) and asks for a pause before Discord bans the address.

    Discord bans for 10,000 of them in ten minutes; 429s of a shared resource do not count ("Rate Limits",
    "Invalid Request Limit").
    """

    def __init__(
        self, limit: int = 5000, window: float = 600.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limit = limit
        self._window = window
        self._clock = clock
        self._refusals: deque[float] = deque(maxlen=limit)

    def note(self, status: int, headers: Mapping[str, str]) -> None:
        """Takes note of one answer."""
        shared = headers.get("X-RateLimit-Scope", "").lower() == "shared"
        if status in (401, 403) or (status == 429 and not shared):
            self._refusals.append(self._clock())

    def wait(self) -> timedelta | None:
        """How long to send nothing; None while sending is safe."""
        if len(self._refusals) < self._limit:
            return None
        left = self._refusals[0] + self._window - self._clock()
        return timedelta(seconds=left) if left > 0 else None

    def trace(self) -> aiohttp.TraceConfig:
        """A trace for the client's session that notes every answer, retries and interactions included.

        It also keeps discord.py from repeating the making of a post, which no nonce protects.
        """
        trace = aiohttp.TraceConfig()
        trace.on_request_end.append(self._answered)
        return trace

    async def _answered(
        self, _session: aiohttp.ClientSession, _context: object, ended: aiohttp.TraceRequestEndParams
    ) -> None:
        status = ended.response.status
        self.note(status, ended.response.headers)
        if (
            status in _RETRIED_BY_THE_LIBRARY
            and ended.method == "POST"
            and ended.url.path.endswith("/threads")
        ):
            raise NotRepeatedError(f"server error {status}")
