"""One JSON call to a service, and what its refusals mean."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from scheduler.errors import ProviderError, ProviderRefused, ProviderThrottled, ProviderUnavailable
from scheduler.sources.wire import HttpWire, Response, WireError

LARGEST_ANSWER = 2_000_000
MEANINGS = {
    401: "does not accept the key",
    402: "says that the account has no money left",
    403: "does not allow this key to do it",
    404: "does not know this address or this model",
    456: "says that the account's quota is used up",
}
"""What useless requests are answered with (456 is DeepL's); every other one is about one request alone."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a service is, and which settings to mend when it refuses. `title` names it in messages."""

    title: str
    url: str
    key: str
    settings: Mapping[int, str]

    def setting(self, status: int) -> str:
        """The setting that an answer with this status is about."""
        return self.settings.get(status, self.settings[0])


class Caller:
    """Posts JSON to one service. `timeout` is for a whole call, in seconds; `calls` are open at once at most."""

    def __init__(self, place: Place, *, agent: str, timeout: float, calls: int) -> None:
        self.place = place
        self._timeout = timeout
        self._wire = HttpWire(agent=agent, timeout=timeout, largest=LARGEST_ANSWER, connections=calls)

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()

    async def post(self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> Response:
        """The answer with any status but one that stops everything.

        Raises ProviderRefused (401, 402, 403, 404, 456), ProviderThrottled (429, a 503 that says when to come back) and
        ProviderUnavailable (no connection, too slow).
        """
        sent = json.dumps(body, ensure_ascii=False).encode()
        told = {"Content-Type": "application/json", "Accept": "application/json", **headers}
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._wire.post(self.place.url + path, told, sent)
        except TimeoutError as error:
            raise self._unavailable("did not answer in time", may_be_billed=True) from error
        except WireError as error:
            raise self._unavailable(error.words, may_be_billed=error.was_sent) from error
        self._check(response)
        return response

    def _unavailable(self, words: str, *, may_be_billed: bool) -> ProviderUnavailable:
        place = self.place
        told = f"{place.title} at {_shown(place.url)} {words}; see {place.setting(0)}"
        return ProviderUnavailable(place.title, told, may_be_billed=may_be_billed)

    def _check(self, response: Response) -> None:
        status, place = response.status, self.place
        if status == 429 and b"insufficient_quota" in response.body:
            status = 402  # OpenAI's word for an account without money; to wait is of no use
        if status in MEANINGS:
            told = f"{place.title} at {_shown(place.url)} {MEANINGS[status]} (HTTP {response.status})"
            why = f"{said(response, place.key)}; see {place.setting(status)}"
            raise ProviderRefused(place.title, f"{told}: {why}")
        if status == 429 or (status == 503 and response.retry_after is not None):
            told = f"{place.title} asks to slow down (HTTP {status})"
            raise ProviderThrottled(place.title, told, response.retry_after)

    def failure(self, response: Response) -> ProviderError:
        """What an answer is that is no success, and that `post` let through."""
        told = f"{self.place.title} answered HTTP {response.status}: {said(response, self.place.key)}"
        if response.status >= 500 or response.status in (408, 409, 425):
            return ProviderUnavailable(self.place.title, told)
        if 300 <= response.status < 400:
            return ProviderRefused(self.place.title, f"{told}; it redirects, see {self.place.setting(0)}")
        return ProviderError(self.place.title, told)


def read_json(response: Response) -> Any:
    """The body as JSON, None where it is none."""
    try:
        return json.loads(response.body)
    except (ValueError, RecursionError):
        return None


def said(response: Response, key: str) -> str:
    """What the body says, in at most 160 characters on one line and without the key."""
    text = response.body[:2000].decode("utf-8", "replace")
    told = read_json(response)
    if isinstance(told, dict):
        error = told.get("error") or told.get("message") or told.get("detail") or text
        text = str(error.get("message", error) if isinstance(error, dict) else error)
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return (text.replace(key, "***") if key else text)[:160] or "(nothing)"


def _shown(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2]
