"""What carries a request to a server and its answer back: the only httpx, for sources and for models.

`HttpWire` goes over the network; `scheduler.sources.recording` has one that writes everything down and one
that answers from what was written down.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Protocol

import httpx

LARGEST_ANSWER = 40_000_000
"""More bytes than any feed or listing has (2,000 entries are about 5 MB)."""


@dataclass(frozen=True, slots=True)
class Response:
    """One answer: `headers` by lower-case name, the body decoded, and whether all of it arrived."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    is_whole: bool = True

    def header(self, name: str) -> str:
        """A header's value, "" for one that is not there."""
        return self.headers.get(name.lower(), "")

    @property
    def charset(self) -> str:
        """The charset of Content-Type in lower case, "" without one (RFC 9110, section 8.3.2)."""
        header = Message()
        header["Content-Type"] = self.header("Content-Type")
        return header.get_content_charset("")

    @property
    def retry_after(self) -> float | None:
        """Retry-After in seconds, None without one; a date is measured against the server's own Date (RFC 9110,
        section 10.2.3)."""
        written = self.header("Retry-After").strip()
        if written.isascii() and written.isdecimal():
            return float(written)
        until, sent = _http_date(written), _http_date(self.header("Date"))
        if until is None or sent is None:
            return None
        return max((until - sent).total_seconds(), 0.0)


def _http_date(written: str) -> datetime | None:
    try:
        read = parsedate_to_datetime(written)
    except (ValueError, TypeError, IndexError):
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


class WireError(Exception):
    """No answer. `reason` is "unavailable", "changed" or "refused"; the text follows the address in a message.

    `was_sent` is false where no connection came about, so that the server cannot have done anything.
    """

    def __init__(self, reason: str, words: str, *, was_sent: bool = True) -> None:
        super().__init__(words)
        self.reason = reason
        self.words = words
        self.was_sent = was_sent


class Wire(Protocol):
    """Sends one GET request; follows no redirect."""

    async def send(self, url: str, headers: Mapping[str, str], *, public_only: bool = False) -> Response:
        """The answer; with `public_only` no address of a private network is spoken to. Raises WireError."""

    async def close(self) -> None:
        """Let go of every connection."""


class HttpWire:
    """The network, `connections` at a time. `timeout` in seconds, `largest` in bytes."""

    def __init__(
        self, *, agent: str, timeout: float = 60.0, largest: int = LARGEST_ANSWER, connections: int = 1
    ) -> None:
        self._largest = largest
        limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
        self._http = _client(agent, timeout, limits)
        self._direct: httpx.AsyncClient | None = None
        self._agent, self._timeout = agent, timeout

    def _public_http(self) -> httpx.AsyncClient:
        """Without a proxy, and without a connection that was opened for another name: both would undo what `_pin`
        looked at."""
        if self._direct is None:
            alone = httpx.Limits(max_connections=1, max_keepalive_connections=0)
            self._direct = _client(self._agent, self._timeout, alone, trust_env=False)
        return self._direct

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()
        if self._direct is not None:
            await self._direct.aclose()

    async def send(self, url: str, headers: Mapping[str, str], *, public_only: bool = False) -> Response:
        """The answer; one that breaks off is given as far as it came. Raises WireError.

        With `public_only` the connection is direct, whatever proxy the environment names.
        """
        http = self._public_http() if public_only else self._http
        return await self._carried(http, "GET", url, headers, None, public_only)

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Response:
        """The answer to a POST request; follows no redirect. Raises WireError."""
        return await self._carried(self._http, "POST", url, headers, body, False)

    async def _carried(
        self,
        http: httpx.AsyncClient,
        method: str,
        url: str,
        headers: Mapping[str, str],
        content: bytes | None,
        public_only: bool,
    ) -> Response:
        try:
            request = http.build_request(method, url, headers=dict(headers), content=content)
            if public_only:
                await _pin(request)
            response = await http.send(request, stream=True)
            try:
                body, is_whole = await self._body(response)
            finally:
                await response.aclose()
        except httpx.TimeoutException as error:
            sent = not isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout)
            raise WireError("unavailable", "did not answer in time", was_sent=sent) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            sent = not isinstance(error, httpx.ConnectError | httpx.InvalidURL | httpx.UnsupportedProtocol)
            words = f"cannot be reached ({type(error).__name__})"
            raise WireError("unavailable", words, was_sent=sent) from error
        return Response(response.status_code, dict(response.headers), body, is_whole)

    async def _body(self, response: httpx.Response) -> tuple[bytes, bool]:
        pieces: list[bytes] = []
        size = 0
        try:
            async for piece in response.aiter_bytes():
                pieces.append(piece)
                size += len(piece)
                if size > self._largest:
                    raise WireError("changed", f"answers with more than {self._largest} bytes")
        except (httpx.HTTPError, httpx.StreamError):
            if not pieces or not response.is_success:
                raise
            return b"".join(pieces), False
        return b"".join(pieces), True


def _client(agent: str, timeout: float, limits: httpx.Limits, *, trust_env: bool = True) -> httpx.AsyncClient:
    headers = {"User-Agent": agent}
    return httpx.AsyncClient(headers=headers, timeout=timeout, limits=limits, trust_env=trust_env)


async def _pin(request: httpx.Request) -> None:
    """Sends `request` to an address that was looked at, so that no second look-up can lead elsewhere.

    The name stays in the Host header and in the TLS handshake (httpcore's "sni_hostname").
    """
    host, port = request.url.host, request.url.port or (443 if request.url.scheme == "https" else 80)
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise WireError("unavailable", "has no address") from error
    addresses = [str(entry[4][0]) for entry in found]
    if not addresses or not all(map(is_public, addresses)):
        raise WireError(
            "refused",
            "is no public address; PAPERBOY_ALLOW_PRIVATE_FEEDS=1 allows feeds of your own network",
        )
    request.url = request.url.copy_with(host=addresses[0])
    request.extensions = {**request.extensions, "sni_hostname": host}


def is_public(address: str) -> bool:
    """True for an IP address of the open internet; false for loopback, private, link-local, multicast and
    for IPv6 addresses that wrap an IPv4 one (RFC 4291, 3056, 4380, 6052), which may be any of these."""
    try:
        read = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(read, ipaddress.IPv6Address):
        if read.ipv4_mapped is not None:
            return is_public(str(read.ipv4_mapped))
        if read.sixtofour is not None or read.teredo is not None or read in _WRAPPED:
            return False
    return read.is_global and not read.is_multicast and not read.is_reserved


_WRAPPED = ipaddress.ip_network("64:ff9b::/96")
