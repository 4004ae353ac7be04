"""Answers kept in a folder, and answered from it again.

The folder holds numbered files, in the order in which things happened (docs/recordings.md):

    00001.json   a run: {"format": 1, "run": {"job": "fetch", "category": "cs.LG", "now": "2026-09-29T04:05:00+00:00"}}
    00002.json   a request and its answer: "request" {"url", "headers"}, "time", "status", "headers", "whole"
    00002.body   the answer's body, as it was decoded
    00003.json   a request without an answer: "failure" {"reason", "words"} in place of the answer
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from scheduler.errors import StoreError, UnknownInput
from scheduler.sources.wire import Response, Wire, WireError

FORMAT = 1
_LEFT_OUT = frozenset(("content-encoding", "transfer-encoding", "content-length", "set-cookie", "connection"))
"""Of the way, not of the body that is kept (or, a cookie, nobody's business)."""


class RecordingWire:
    """Carries requests over another wire and writes down each one, and what came of it.

    A folder that holds a recording already is gone on with. Raises StoreError where nothing can be written.
    """

    def __init__(self, wire: Wire, folder: Path, clock: Callable[[], datetime]) -> None:
        self._wire = wire
        self._folder = folder
        self._clock = clock
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot record into {folder}: {error.strerror}") from error
        self._number = max((int(path.stem) for path in _entries(folder)), default=0)

    def begin(self, run: Mapping[str, Any]) -> None:
        """Marks what the next requests are for; `run` is plain JSON values."""
        self._write({"run": dict(run)})

    async def send(self, url: str, headers: Mapping[str, str], *, public_only: bool = False) -> Response:
        """The other wire's answer or WireError."""
        asked = {"request": {"url": url, "headers": dict(headers)}, "time": self._clock().isoformat()}
        try:
            response = await self._wire.send(url, headers, public_only=public_only)
        except WireError as error:
            self._write(asked | {"failure": {"reason": error.reason, "words": error.words}})
            raise
        kept = {name: value for name, value in response.headers.items() if name not in _LEFT_OUT}
        self._write(
            asked | {"status": response.status, "headers": kept, "whole": response.is_whole}, response.body
        )
        return response

    async def close(self) -> None:
        """Close the other wire."""
        await self._wire.close()

    def _write(self, entry: dict[str, Any], body: bytes | None = None) -> None:
        self._number += 1
        place = self._folder / f"{self._number:05}.json"
        text = json.dumps({"format": FORMAT} | entry, ensure_ascii=False, indent=1)
        try:
            if body is not None:
                place.with_suffix(".body").write_bytes(body)
            place.write_text(f"{text}\n", encoding="utf-8")
        except OSError as error:
            raise StoreError(f"cannot record into {self._folder}: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One run of a recording: what it was, and the exchanges that belong to it."""

    run: Mapping[str, Any]
    exchanges: tuple[Mapping[str, Any], ...]


def runs(folder: Path) -> Iterator[RecordedRun]:
    """The runs of a recording, in order. Raises UnknownInput for what is no recording (of a known format)."""
    current: Mapping[str, Any] | None = None
    exchanges: list[Mapping[str, Any]] = []
    for path in _entries(folder):
        entry = _read(path)
        if "run" not in entry:
            exchanges.append(entry | {"_body": path.with_suffix(".body")})
            continue
        if current is not None:
            yield RecordedRun(current, tuple(exchanges))
        current, exchanges = entry["run"], []
    if current is None:
        raise UnknownInput(f"{folder} holds no recording; make one with paperboy fetch --record {folder}")
    yield RecordedRun(current, tuple(exchanges))


class ReplayWire:
    """Answers from a recorded run: the same address again gives its next answer. It never reaches a network."""

    def __init__(self, exchanges: tuple[Mapping[str, Any], ...]) -> None:
        self._answers: dict[str, deque[Mapping[str, Any]]] = {}
        for exchange in exchanges:
            self._answers.setdefault(exchange["request"]["url"], deque()).append(exchange)

    async def send(self, url: str, headers: Mapping[str, str], *, public_only: bool = False) -> Response:
        """The recorded answer or WireError; an address that was not asked for then is unavailable."""
        waiting = self._answers.get(url)
        if not waiting:
            raise WireError("unavailable", "is not in the recording")
        exchange = waiting.popleft()
        if "failure" in exchange:
            raise WireError(exchange["failure"]["reason"], exchange["failure"]["words"])
        try:
            body = exchange["_body"].read_bytes()
        except OSError as error:
            raise UnknownInput(f"the recording lacks {exchange['_body'].name}") from error
        return Response(exchange["status"], exchange["headers"], body, exchange["whole"])

    async def close(self) -> None:
        """Nothing is open."""


def _entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.json") if path.stem.isdecimal() and path.stem.isascii())


def _read(path: Path) -> dict[str, Any]:
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        known = entry["format"] == FORMAT and ("run" in entry or "url" in entry["request"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnknownInput(f"{path} is no entry of a recording") from error
    if not known:
        raise UnknownInput(f"{path} is of a recording that this Paperboy does not know; upgrade Paperboy")
    return dict(entry)
