"""Models behind an OpenAI-compatible address: OpenAI, DeepSeek, Ollama, vLLM, llama.cpp, LM Studio and others.

They differ in what a request may hold. The first request asks for most; whatever an endpoint refuses is left out of the
next one, and what it took in the end is remembered for it, over a restart too:

`json_schema → json_object → no format`, `max_tokens → max_completion_tokens`, `temperature → none`
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

from scheduler.enrich import answers, prompts
from scheduler.enrich.budget import Amount, TokenPrice
from scheduler.enrich.glossary import Glossary
from scheduler.enrich.wishes import Part, Wish
from scheduler.errors import PaperTooLong
from scheduler.providers.calling import Caller, read_json, said
from scheduler.providers.port import Answer
from scheduler.sources.wire import Response

FORMATS = ("json_schema", "json_object", "none")
MORE_ROOM = 4
"""A model that thinks aloud needs so many times the room of its answer."""

TASK_TOKENS = 400
"""What a model reads beside the paper, about."""

AROUND = 200
"""Tokens that a chat template may put around two messages, at most."""

_PICKY = frozenset({400, 422, 500, 501})
"""What endpoints answer to a field that they do not know: DeepSeek 400, llama.cpp's server 500, vLLM 400 or 422."""

_OVERFLOWING = frozenset({400, 413, 422, 500})
_OVERFLOWS = (
    b"context_length_exceeded",
    b"context length",
    b"context window",
    b"context size",
    b"exceed_context",
    b"too many tokens",
)
"""How endpoints say that a paper is too long: OpenAI, vLLM and DeepSeek, Ollama, llama.cpp's server."""


class ShapeMemory(Protocol):
    """Keeps what an endpoint takes, as a short text."""

    async def recall(self, endpoint: str) -> str:
        """What was remembered of an endpoint, "" for nothing."""

    async def remember(self, endpoint: str, shape: str) -> None:
        """Keeps it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a request to one endpoint holds. `room` multiplies the length that an answer may have."""

    form: str = FORMATS[0]
    limit: str = "max_tokens"
    has_temperature: bool = True
    room: int = 1

    def after(self, refusal: str) -> Shape | None:
        """What to try when this was refused with these words (lower case), None when there is nothing left to try."""
        if self.limit == "max_tokens" and "max_completion_tokens" in refusal:
            return replace(self, limit="max_completion_tokens")
        if self.has_temperature and "temperature" in refusal:
            return replace(self, has_temperature=False)
        if self.form == FORMATS[-1]:
            return None
        return replace(self, form=FORMATS[FORMATS.index(self.form) + 1])

    @classmethod
    def read(cls, text: str) -> Shape:
        """The shape that was written down; the first one for a text that is none."""
        try:
            shape = cls(**json.loads(text))
        except (ValueError, TypeError):
            return cls()
        return shape if shape.form in FORMATS else cls()


class ChatModel:
    """One model. `name` is what its server calls it, and the origin that readers see."""

    kind = "model"
    version = f"prompt {prompts.VERSION}"
    learns = True

    def __init__(
        self,
        caller: Caller,
        name: str,
        glossary: Glossary,
        *,
        price: TokenPrice,
        memory: ShapeMemory,
        parts: Mapping[str, tuple[Part, ...]],
    ) -> None:
        self.name = name
        self.parts = parts
        self._caller = caller
        self._glossary = glossary
        self._price = price
        self._memory = memory
        self._shape: Shape | None = None
        self._beyond = 1.0
        self._endpoint = f"{caller.place.url} {name}"

    async def close(self) -> None:
        """Close the connections."""
        await self._caller.close()

    def most(self, wish: Wish, defects: Sequence[str] = ()) -> Amount:
        """The bytes of the request, since a token is at least one, and the length that the answer may have.

        More from a server that was seen to count more than that.
        """
        room = (self._shape or Shape()).room
        read, written = self._read_at_most(wish, defects), prompts.written_tokens(wish) * room
        return self._price.of(int(read * self._beyond) + 1, int(written * self._beyond) + 1)

    def likely(self, wish: Wish) -> Amount:
        """A token is about four letters of English; a Chinese text has as many tokens as its source, at most."""
        title, abstract = len(wish.paper.title), len(wish.paper.abstract)
        room = {Part.TITLE: title, Part.TLDR: 280, Part.ABSTRACT: abstract}
        written = 40 + sum(room[part] for part in wish.parts) // 3
        return self._price.of(TASK_TOKENS + (title + abstract) // 4, written)

    def _read_at_most(self, wish: Wish, defects: Sequence[str]) -> int:
        messages = prompts.messages(wish, _MARKER_EXAMPLE, self._glossary, defects)
        told = sum(len(message["content"].encode()) for message in messages)
        return told + len(json.dumps(prompts.schema(wish))) + AROUND

    async def ask(self, wish: Wish, within: Amount, defects: Sequence[str] = ()) -> Answer:
        """The words. Raises ProviderError."""
        if self._shape is None:
            self._shape = Shape.read(await self._memory.recall(self._endpoint))
        shape: Shape | None = self._shape
        while shape is not None:
            body = self._body(wish, within, defects, shape)
            response = await self._caller.post("/chat/completions", body, self._headers())
            if response.status == 200:
                await self._keep(shape)
                answer = await self._answer(response, wish)
                self._believe(answer, within)
                return answer
            refusal = said(response, self._caller.place.key).lower()
            if response.status in _OVERFLOWING and any(sign in response.body.lower() for sign in _OVERFLOWS):
                title = self._caller.place.title
                raise PaperTooLong(title, f"{wish.paper.id} does not fit into the context of {self.name}")
            shape = shape.after(refusal) if response.status in _PICKY else None
        raise self._caller.failure(response)

    def _headers(self) -> dict[str, str]:
        key = self._caller.place.key
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _believe(self, answer: Answer, within: Amount) -> None:
        """A server that counts more than a call can have is believed from then on: the next calls reserve as much."""
        if answer.used is not None and answer.used.tokens > within.tokens:
            self._beyond *= 1.01 * answer.used.tokens / within.tokens

    def _body(self, wish: Wish, within: Amount, defects: Sequence[str], shape: Shape) -> dict[str, Any]:
        marker = f"=== {secrets.token_hex(8)} ==="
        paid = within.tokens - self._read_at_most(wish, defects)
        body: dict[str, Any] = {
            "model": self.name,
            "messages": prompts.messages(wish, marker, self._glossary, defects),
            shape.limit: max(min(prompts.written_tokens(wish) * shape.room, paid), 1),
        }
        if shape.has_temperature:
            body["temperature"] = 0.2
        if shape.form == "json_schema":
            schema = {"name": "paper", "strict": True, "schema": prompts.schema(wish)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif shape.form == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    async def _keep(self, shape: Shape) -> None:
        """Remembers what the endpoint took; what another call learned of the room meanwhile stays."""
        known = self._shape or Shape()
        learned = replace(shape, room=max(shape.room, known.room))
        if learned != known:
            self._shape = learned
            await self._memory.remember(self._endpoint, json.dumps(asdict(learned)))

    async def _answer(self, response: Response, wish: Wish) -> Answer:
        told = read_json(response)
        used = self._used(told)
        choice = _first(told.get("choices")) if isinstance(told, dict) else None
        if choice is None:
            return Answer({}, used, "the answer was no chat completion")
        if choice.get("finish_reason") == "length":
            await self._keep(replace(self._shape or Shape(), room=MORE_ROOM))
            return Answer({}, used, "the answer was cut off: it must be shorter")
        try:
            return Answer(answers.read(_content(choice), wish), used)
        except answers.Unreadable as error:
            return Answer({}, used, str(error))

    def _used(self, told: Any) -> Amount | None:
        usage = told.get("usage") if isinstance(told, dict) else None
        if not isinstance(usage, dict):
            return None
        read, written = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if not isinstance(read, int) or not isinstance(written, int):
            return None
        return self._price.of(read, written)


_MARKER_EXAMPLE = f"=== {'0' * 16} ==="


def _first(choices: Any) -> dict[str, Any] | None:
    found = choices[0] if isinstance(choices, list) and choices else None
    return found if isinstance(found, dict) else None


def _content(choice: Mapping[str, Any]) -> str:
    """The text of a choice; some servers send it in pieces."""
    message = choice.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        pieces = [piece.get("text") for piece in content if isinstance(piece, dict)]
        content = "".join(piece for piece in pieces if isinstance(piece, str))
    return content if isinstance(content, str) else ""
