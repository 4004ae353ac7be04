"""Models and translation services over HTTP: what is sent, what is understood, and which setting a refusal names."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any

import pytest
from aiohttp import web

from scheduler.enrich.budget import Amount, TokenPrice
from scheduler.enrich.glossary import Glossary
from scheduler.enrich.wishes import Part, Wish
from scheduler.errors import (
    PaperTooLong,
    ProviderError,
    ProviderRefused,
    ProviderThrottled,
    ProviderUnavailable,
)
from scheduler.providers.calling import Caller, Place
from scheduler.providers.chat_model import ChatModel
from scheduler.providers.port import Answer
from scheduler.providers.translators import DIALECTS, Translator
from tests.builders import paper
from tests.fakes import model_server as plays
from tests.fakes.model_server import ModelServer, model_server
from tests.patience import PATIENCE

PAPER = paper("2609.00001", "SailNet: a policy", "We propose SailNet. It wins 87% of races.")
WISH = Wish(1, PAPER, "zh", tuple(Part), "SailNet wins 87% of races.")
KEY = "sk-nobody-may-read-this"
MEND = {0: "SETTING_URL", 401: "SETTING_KEY", 402: "SETTING_KEY", 403: "SETTING_KEY", 404: "SETTING_NAME"}


class Memory(dict[str, str]):
    """What was learned of endpoints."""

    async def recall(self, endpoint: str) -> str:
        return self.get(endpoint, "")

    async def remember(self, endpoint: str, shape: str) -> None:
        self[endpoint] = shape


def model(server: ModelServer, memory: Memory | None = None, timeout: float = 5) -> ChatModel:
    caller = Caller(
        Place("the model", server.url, KEY, MEND), agent="Paperboy/test", timeout=timeout, calls=4
    )
    return ChatModel(
        caller,
        "test-model",
        Glossary(),
        price=TokenPrice(Decimal("0.5"), Decimal(2)),
        memory=Memory() if memory is None else memory,
        parts={"zh": tuple(Part)},
    )


@asynccontextmanager
async def asked_of(
    server: ModelServer, memory: Memory | None = None, patience: float = PATIENCE
) -> AsyncIterator[Any]:
    """A function that asks the model for the wish."""
    one = model(server, memory, patience)

    async def ask(wish: Wish = WISH) -> Answer:
        return await one.ask(wish, one.most(wish))

    try:
        yield ask
    finally:
        await one.close()


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with model_server() as running:
        yield running


async def test_a_good_answer_and_what_it_cost(server: ModelServer) -> None:
    async with asked_of(server) as ask:
        answer = await ask()
    assert set(answer.words) == set(Part)
    assert answer.words[Part.TITLE].startswith("SailNet：")
    ((read, written),) = server.billed
    assert answer.used == TokenPrice(Decimal("0.5"), Decimal(2)).of(read, written)
    (asked,) = server.asked
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert asked.body["model"] == "test-model"
    assert asked.format == "json_schema"


async def test_a_call_costs_at_most_what_is_said_before(server: ModelServer) -> None:
    one = model(server)
    for parts in ((Part.TITLE,), (Part.TITLE, Part.TLDR), tuple(Part)):
        wish = WISH.with_parts(parts)
        answer = await one.ask(wish, one.most(wish))
        assert answer.used is not None
        assert answer.used.micros <= one.most(wish).micros
        assert one.likely(wish).micros <= one.most(wish).micros
        sent = json.dumps(server.asked[-1].body, ensure_ascii=False)
        assert server.asked[-1].body["max_tokens"] < len(sent.encode())
    await one.close()


async def test_a_server_that_counts_too_much_is_believed(server: ModelServer) -> None:
    server.always(lambda asked: plays.completion(asked, json.dumps(plays.words(asked)), usage=(50_000, 100)))
    one = model(server)
    first = one.most(WISH)
    answer = await one.ask(WISH, first)
    assert answer.used is not None
    assert first.tokens < answer.used.tokens <= one.most(WISH).tokens
    assert server.asked[-1].body["max_tokens"] < 3000
    await one.ask(WISH, one.most(WISH))
    assert server.asked[-1].body["max_tokens"] == server.asked[-2].body["max_tokens"]
    await one.close()


async def test_without_usage_the_cost_is_not_known(server: ModelServer) -> None:
    def silent(asked: plays.Asked) -> web.Response:
        message = {"role": "assistant", "content": json.dumps(plays.words(asked))}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}]})

    server.always(silent)
    async with asked_of(server) as ask:
        assert (await ask()).used is None


@pytest.mark.parametrize(
    ("formats", "status", "tried"),
    [
        (("json_object", "none"), 400, ["json_schema", "json_object"]),
        (("json_object", "none"), 500, ["json_schema", "json_object"]),
        (("none",), 422, ["json_schema", "json_object", "none"]),
    ],
)
async def test_the_format_that_an_endpoint_takes_is_found_and_remembered(
    server: ModelServer, formats: tuple[str, ...], status: int, tried: list[str]
) -> None:
    server.always(plays.takes(*formats, otherwise=status))
    memory = Memory()
    async with asked_of(server, memory) as ask:
        assert (await ask()).words
        assert [one.format for one in server.asked] == tried
        assert (await ask()).words
    async with asked_of(server, memory) as ask:  # after a restart
        assert (await ask()).words
    assert [one.format for one in server.asked] == [*tried, formats[0], formats[0]]


async def test_a_model_that_counts_completion_tokens_and_has_its_own_temperature(server: ModelServer) -> None:
    def modern(asked: plays.Asked) -> web.Response:
        if "max_tokens" in asked.body:
            return plays.refusal(400, "Unsupported parameter: use 'max_completion_tokens' instead.")
        if "temperature" in asked.body:
            return plays.refusal(400, "Unsupported value: 'temperature' does not support 0.2")
        return plays.good(asked)

    server.always(modern)
    async with asked_of(server) as ask:
        assert (await ask()).words
    assert server.asked[-1].format == "json_schema"
    assert len(server.asked) == 3


async def test_an_outage_is_not_taken_for_a_format(server: ModelServer) -> None:
    server.always(plays.refuses(500))
    memory = Memory()
    async with asked_of(server, memory) as ask:
        with pytest.raises(ProviderUnavailable) as caught:
            await ask()
    assert not caught.value.may_be_billed
    assert memory == {}


@pytest.mark.parametrize(("status", "setting"), [(401, "KEY"), (402, "KEY"), (403, "KEY"), (404, "NAME")])
async def test_a_refusal_names_the_setting_and_never_the_key(
    server: ModelServer, status: int, setting: str
) -> None:
    server.always(plays.refuses(status, f"no such thing: {KEY}"))
    async with asked_of(server) as ask:
        with pytest.raises(ProviderRefused) as caught:
            await ask()
    assert f"SETTING_{setting}" in str(caught.value)
    assert KEY not in str(caught.value)
    assert len(server.asked) == 1


async def test_an_account_without_money_is_not_waited_for(server: ModelServer) -> None:
    server.always(plays.refuses(429, "You exceeded your current quota", code="insufficient_quota"))
    async with asked_of(server) as ask:
        with pytest.raises(ProviderRefused) as caught:
            await ask()
    assert "no money left (HTTP 429)" in str(caught.value)
    assert "SETTING_KEY" in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        (plays.refuses(429, retry_after=12), 12),
        (plays.refuses(429), None),
        (plays.refuses(503, retry_after=3), 3),
    ],
)
async def test_a_pause_that_is_asked_for_is_told(
    server: ModelServer, answer: plays.Answering, seconds: float | None
) -> None:
    server.always(answer)
    async with asked_of(server) as ask:
        with pytest.raises(ProviderThrottled) as caught:
            await ask()
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        (400, "This model's maximum context length is 4096 tokens.", "context_length_exceeded"),
        (400, "the request exceeds the available context size", "exceed_context_size_error"),
        (500, "input exceeds the context window", ""),
    ],
)
async def test_a_paper_that_is_too_long_is_told_apart(
    server: ModelServer, status: int, message: str, code: str
) -> None:
    server.always(plays.refuses(status, message, code=code))
    async with asked_of(server) as ask:
        with pytest.raises(PaperTooLong):
            await ask()
    assert len(server.asked) == 1


async def test_a_request_that_alone_is_refused_stops_nothing(server: ModelServer) -> None:
    server.always(plays.refuses(400, "content filter"))
    async with asked_of(server) as ask:
        with pytest.raises(ProviderError) as caught:
            await ask()
    assert type(caught.value) is ProviderError
    assert "content filter" in str(caught.value)


async def test_a_slow_answer_is_given_up_and_may_have_been_billed(server: ModelServer) -> None:
    server.always(plays.slow(1))
    async with asked_of(server, patience=0.1) as ask:
        with pytest.raises(ProviderUnavailable) as caught:
            await ask()
    assert caught.value.may_be_billed
    assert "in time" in str(caught.value)


async def test_where_nobody_listens_nothing_was_billed(server: ModelServer) -> None:
    await server.stop()
    async with asked_of(server) as ask:
        with pytest.raises(ProviderUnavailable) as caught:
            await ask()
    assert not caught.value.may_be_billed
    assert "SETTING_URL" in str(caught.value)


@pytest.mark.parametrize(
    "body", ["", "[]", "<html>", '{"choices": []}', '{"choices": [{"message": null}]}', '{"choices": [{}]}']
)
async def test_what_is_no_chat_completion_is_a_defect(server: ModelServer, body: str) -> None:
    server.always(lambda asked: web.Response(text=body, content_type="application/json"))
    async with asked_of(server) as ask:
        answer = await ask()
    assert not answer.words
    assert answer.defect


async def test_content_in_pieces_is_put_together(server: ModelServer) -> None:
    def pieces(asked: plays.Asked) -> web.Response:
        text = json.dumps(plays.words(asked))
        content = [{"type": "text", "text": text[:10]}, {"type": "text", "text": text[10:]}]
        return web.json_response({"choices": [{"message": {"content": content}}]})

    server.always(pieces)
    async with asked_of(server) as ask:
        assert set((await ask()).words) == set(Part)


# translation services


def translator(server: ModelServer, name: str, key: str = KEY) -> Translator:
    dialect = DIALECTS[name]
    caller = Caller(
        Place(dialect.title, server.root, key, MEND), agent="Paperboy/test", timeout=PATIENCE, calls=2
    )
    return Translator(caller, dialect, price=Decimal(20), parts={"zh": tuple(Part)})


@pytest.mark.parametrize(
    ("name", "path", "body", "header"),
    [
        (
            "deepl",
            "/v2/translate",
            {"source_lang": "EN", "target_lang": "ZH-HANS"},
            ("Authorization", f"DeepL-Auth-Key {KEY}"),
        ),
        (
            "google",
            "/language/translate/v2",
            {"source": "en", "target": "zh-CN", "format": "text"},
            ("X-Goog-Api-Key", KEY),
        ),
        (
            "libretranslate",
            "/translate",
            {"source": "en", "target": "zh", "format": "text", "api_key": KEY},
            ("Accept", "application/json"),
        ),
    ],
)
async def test_each_translation_service_is_spoken_to_in_its_own_form(
    server: ModelServer, name: str, path: str, body: dict[str, str], header: tuple[str, str]
) -> None:
    one = translator(server, name)
    answer = await one.ask(WISH, one.most(WISH))
    await one.close()
    ((asked_path, asked, headers),) = server.translated
    texts = asked.pop("text", None) or asked.pop("q")
    assert (asked_path, asked, headers[header[0]]) == (path, body, header[1])
    assert texts == [PAPER.title, WISH.tldr, PAPER.abstract]
    assert answer.words[Part.TITLE].startswith("SailNet：")
    assert answer.used == Amount(characters=len("".join(texts)), micros=20 * len("".join(texts)))


async def test_a_libretranslate_of_ones_own_needs_no_key(server: ModelServer) -> None:
    one = translator(server, "libretranslate", key="")
    assert (await one.ask(WISH, one.most(WISH))).words
    await one.close()
    assert "api_key" not in server.translated[0][1]


def test_the_usual_addresses() -> None:
    assert DIALECTS["deepl"].usual_url("abc:fx") == "https://api-free.deepl.com"
    assert DIALECTS["deepl"].usual_url("abc") == "https://api.deepl.com"
    assert DIALECTS["google"].usual_url("") == "https://translation.googleapis.com"
    assert DIALECTS["libretranslate"].usual_url("") == "https://libretranslate.com"


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (403, "{}", ProviderRefused),
        (456, '{"message": "Quota exceeded"}', ProviderRefused),
        (400, '{"error": "Invalid API key"}', ProviderRefused),
        (429, "{}", ProviderThrottled),
        (500, "oops", ProviderUnavailable),
        (413, "{}", ProviderError),
    ],
)
async def test_a_translation_services_refusals(
    server: ModelServer, name: str, status: int, body: str, error: type[ProviderError]
) -> None:
    server.translation = lambda path, asked: web.Response(text=body, status=status)
    one = translator(server, name)
    with pytest.raises(error):
        await one.ask(WISH, one.most(WISH))
    await one.close()


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize(
    "body", ["", "[]", "{}", '{"translations": [{"text": "一"}]}', '{"translatedText": "一"}']
)
async def test_what_is_no_translation_is_a_defect(server: ModelServer, name: str, body: str) -> None:
    server.translation = lambda path, asked: web.Response(text=body)
    one = translator(server, name)
    answer = await one.ask(WISH, one.most(WISH))
    await one.close()
    assert not answer.words
    assert answer.defect
