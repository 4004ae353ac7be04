"""A small HTTP server on 127.0.0.1 that says what a test wants, and a clock that only tests move."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Reply:
    """One answer; `cut` closes the connection before the promised length is sent, `silent` never answers."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    silent: bool = False


Answering = Callable[[str], Reply]


@dataclass(slots=True)
class Asked:
    """One request as the server saw it."""

    target: str
    headers: dict[str, str]


@dataclass(slots=True)
class ArxivServer:
    """Answers from `replies` in order (the last one again and again), or as a function of the target, and keeps what
    was asked."""

    replies: list[Reply | Answering]
    asked: list[Asked] = field(default_factory=list)
    open_now: int = 0
    most_at_once: int = 0
    url: str = ""
    idle: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request and its answer; the connection is closed behind it."""
        self.idle.clear()
        try:
            line = await reader.readline()
            self.asked.append(Asked(line.split()[1].decode(), await _headers(reader)))
            self.open_now += 1
            self.most_at_once = max(self.most_at_once, self.open_now)
            await self._answer(reader, writer)
            self.open_now -= 1
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            self.idle.set()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        chosen = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        reply = chosen if isinstance(chosen, Reply) else chosen(self.asked[-1].target)
        if reply.silent:
            await reader.read()  # until the client goes away
            return
        length = len(reply.body) + (100 if reply.cut else 0)
        headers = {"Content-Length": str(length), "Connection": "close"} | reply.headers
        lines = [
            f"HTTP/1.1 {reply.status} X",
            *(f"{name}: {value}" for name, value in headers.items()),
            "",
            "",
        ]
        with contextlib.suppress(ConnectionError):
            writer.write("\r\n".join(lines).encode() + reply.body)
            await writer.drain()


async def _headers(reader: asyncio.StreamReader) -> dict[str, str]:
    headers: dict[str, str] = {}
    while (line := await reader.readline()).strip():
        name, _, value = line.decode().partition(":")
        headers[name.lower()] = value.strip()
    return headers


@asynccontextmanager
async def arxiv_server(*replies: Reply | Answering) -> AsyncIterator[ArxivServer]:
    """A running server with these replies; its `url` is its address."""
    served = ArxivServer(list(replies))
    listening = await asyncio.start_server(served.serve, "127.0.0.1", 0)
    served.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    async with listening:
        yield served
        if served.asked:
            await served.idle.wait()


@dataclass(slots=True)
class Time:
    """Monotonic seconds that pass only while somebody sleeps; `slept` is what was waited for."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.now += seconds
