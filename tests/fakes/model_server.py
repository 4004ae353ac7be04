"""A model, and translation services, that live in the test: a server on 127.0.0.1 that plays whatever it is told to.

server.plays(refuses(429, retry_after=1), good, times=…)   # the next requests, in order; then it answers well
server.always(broken)                                       # until told otherwise
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Json = dict[str, Any]
Answering = Callable[["Asked"], Awaitable[web.Response] | web.Response]


@dataclass(frozen=True)
class Asked:
    """One chat completion that was asked for, read as a model would."""

    body: Json
    headers: dict[str, str]

    @property
    def task(self) -> str:
        """The system message."""
        return str(self.body["messages"][0]["content"])

    @property
    def paper(self) -> Json:
        """The paper between the two marker lines of the user message."""
        lines = str(self.body["messages"][1]["content"]).split("\n")
        assert lines[0] == lines[-1]
        assert lines[0] in self.task
        found: Json = json.loads("\n".join(lines[1:-1]))
        return found

    @property
    def keys(self) -> list[str]:
        """The keys that are asked for, "id" among them."""
        (named,) = re.findall(r"exactly these keys: ([a-z, ]+)\.", self.task)
        return str(named).split(", ")

    @property
    def is_chinese(self) -> bool:
        """Whether Chinese words are asked for."""
        return "Simplified Chinese" in self.task

    @property
    def format(self) -> str:
        """The response format: "json_schema", "json_object" or "none"."""
        return str(self.body.get("response_format", {}).get("type", "none"))

    @property
    def length(self) -> int:
        """Letters of all messages."""
        return sum(len(message["content"]) for message in self.body["messages"])

    @property
    def is_retry(self) -> bool:
        """Whether the defects of an earlier answer are named."""
        return "refused for these defects" in self.task


def words(asked: Asked, **instead: str) -> Json:
    """A good answer's words for every key that is asked for; `instead` takes the place of some of them."""
    paper = asked.paper
    first = paper["abstract"].split(". ")[0].rstrip(".")
    made = {
        "id": paper["id"],
        "title": chinese_title(paper["title"]),
        "tldr": "本文提出一种方法，并说明其效果。" if asked.is_chinese else f"In short: {first}.",
        "abstract": chinese(paper["abstract"]),
    }
    return {key: instead.get(key, made[key]) for key in asked.keys}


def chinese_title(title: str) -> str:
    """A title in Chinese: a name before a colon stays."""
    name, colon, rest = title.partition(": ")
    return f"{name}：{chinese(rest)}" if colon else chinese(title)


def chinese(text: str) -> str:
    """A text in Chinese of about the right length, by sentences, with every number and name of the source."""
    return "".join(_chinese_sentence(sentence) for sentence in re.split(r"(?<=[.!?]) ", text) if sentence)


def _chinese_sentence(sentence: str) -> str:
    kept = re.findall(r"[\w.%$-]*\d[\w.%]*[\w%]|\d|\b[A-Z]\w*[A-Z]\w*\b", sentence)
    filling = "我们在这里用中文说明作者所提出的策略与结果并且逐句译出原文的内容不多也不少"
    length = max(len(sentence) // 3, 4)
    said = (filling * (length // len(filling) + 1))[:length]
    return " ".join([said, *kept]) + ("。" if sentence[-1] in ".!?" else "")


def completion(
    asked: Asked, content: str, *, finish: str = "stop", usage: tuple[int, int] | None = None
) -> web.Response:
    """A chat completion with this content; `usage` is tokens read and written, None for what is usual."""
    read, written = usage or (asked.length // 4, len(content) // 2 + 1)
    return web.json_response(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}
            ],
            "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
        }
    )


def good(asked: Asked) -> web.Response:
    """What was asked for."""
    return completion(asked, json.dumps(words(asked), ensure_ascii=False))


def saying(write: Callable[[Asked], str]) -> Answering:
    """Whatever `write` makes of the request."""
    return lambda asked: completion(asked, write(asked))


def with_words(**instead: str) -> Answering:
    """A good answer but for some of its words."""
    return saying(lambda asked: json.dumps(words(asked, **instead), ensure_ascii=False))


def refusal(
    status: int, message: str = "no", *, code: str = "", retry_after: float | None = None
) -> web.Response:
    """An error in OpenAI's form."""
    headers = {"Retry-After": f"{retry_after:g}"} if retry_after is not None else {}
    error = {"error": {"message": message, "type": "error", "code": code}}
    return web.json_response(error, status=status, headers=headers)


def refuses(
    status: int, message: str = "no", *, code: str = "", retry_after: float | None = None
) -> Answering:
    """Nothing but this error."""
    return lambda asked: refusal(status, message, code=code, retry_after=retry_after)


def takes(*formats: str, otherwise: int = 400) -> Answering:
    """Knows only some response formats."""

    def answer(asked: Asked) -> web.Response:
        known = asked.format in formats
        return good(asked) if known else refusal(otherwise, "this response_format is not available")

    return answer


def slow(seconds: float) -> Answering:
    """A good answer, late."""

    async def answer(asked: Asked) -> web.Response:
        await asyncio.sleep(seconds)
        return good(asked)

    return answer


@dataclass
class ModelServer:
    """The server. `asked` holds every chat completion, `translated` every translation's path, body and headers.

    `billed` is tokens read and written of every answer that was paid for.
    """

    asked: list[Asked] = field(default_factory=list)
    translated: list[tuple[str, Json, dict[str, str]]] = field(default_factory=list)
    billed: list[tuple[int, int]] = field(default_factory=list)
    most_at_once: int = 0
    translation: Callable[[str, Json], web.Response] | None = None
    _next: list[Answering] = field(default_factory=list)
    _otherwise: Answering = good
    _at_once: int = 0
    _port: int = 0
    _runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """What stands for "https://api.openai.com/v1"."""
        return f"{self.root}/v1"

    @property
    def root(self) -> str:
        """The address without a path: where translation services are."""
        return f"http://127.0.0.1:{self._port}"

    def plays(self, *answers: Answering) -> None:
        """What the next requests get, in order."""
        self._next += answers

    def always(self, answer: Answering) -> None:
        """What every request gets that `plays` says nothing of."""
        self._otherwise = answer

    async def start(self) -> None:
        """Listens on a free port."""
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._complete)
        for path in ("/v2/translate", "/language/translate/v2", "/translate"):
            app.router.add_post(path, self._translate)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Closes the port; `start` opens the same one again."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _complete(self, request: web.Request) -> web.Response:
        asked = Asked(await request.json(), dict(request.headers))
        self.asked.append(asked)
        answer = self._next.pop(0) if self._next else self._otherwise
        with self._counted():
            response = answer(asked)
            if not isinstance(response, web.Response):
                response = await response
        self._bill(response)
        return response

    def _bill(self, response: web.Response) -> None:
        usage = re.search(r'"prompt_tokens": (\d+), "completion_tokens": (\d+)', response.text or "")
        if usage:
            self.billed.append((int(usage[1]), int(usage[2])))

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            yield
        finally:
            self._at_once -= 1

    async def _translate(self, request: web.Request) -> web.Response:
        body: Json = await request.json()
        self.translated.append((request.path, body, dict(request.headers)))
        if self.translation is not None:
            return self.translation(request.path, body)
        return web.json_response(translation(request.path, body))


def translation(path: str, body: Json) -> Json:
    """A good answer in the form of the service at this path (the public descriptions of DeepL's API v2, of Google's
    Cloud Translation Basic v2 and of LibreTranslate)."""
    sources: list[str] = body["text"] if "text" in body else body["q"]
    texts = [chinese_title(text) for text in sources]
    if path == "/v2/translate":
        return {"translations": [{"detected_source_language": "EN", "text": text} for text in texts]}
    if path == "/language/translate/v2":
        return {"data": {"translations": [{"translatedText": text} for text in texts]}}
    return {"translatedText": texts}


@asynccontextmanager
async def model_server() -> AsyncIterator[ModelServer]:
    """A running server."""
    server = ModelServer()
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
