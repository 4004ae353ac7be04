"""`paperboy run` with a model: what a reader gets on Telegram is the model's TL;DR and Chinese, or says why not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.e2e.world import World, texts, world_in
from tests.fakes import model_server as plays
from tests.fakes.model_server import ModelServer, chinese_title, model_server

pytestmark = pytest.mark.filterwarnings("ignore:unread_data:DeprecationWarning")

TITLE = "SailNet: a diffusion policy for the sea"
ABSTRACT = (
    "We propose SailNet, a policy that learns to sail. It wins 87% of 40 races against the best skippers."
)
KEY = "sk-nobody-may-read-this"


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    async with model_server() as running:
        yield running


def settings(model: ModelServer, **others: str) -> dict[str, str]:
    return {"model_url": model.url, "model_name": "sea-model", "model_key": KEY} | others


async def _subscribed(world: World) -> None:
    """Ada follows the paper on Telegram, in both languages."""
    world.arxiv.announce("cs.RO", "2612.00001", TITLE, ABSTRACT)
    world.arxiv.announce("cs.LG", "2612.90000", "A theory of gardens")
    await world.up()
    ada = world.telegram.user("ada")
    for said in ("/settings papers both", '/subscribe "diffusion policy"'):
        before = len(ada.received())
        ada.says(said)
        await world.happens(lambda before=before: len(ada.received()) > before)


async def _digest(world: World) -> str:
    """Ada's digest, once its time has come."""
    ada = world.telegram.user("ada")
    before = len(ada.received())
    world.paperboy.let_the_time_come()
    await world.happens(lambda: len(ada.received()) > before, 60)
    return "\n".join(texts(ada.received()[before:]))


async def test_a_digest_has_the_models_words(tmp_path: Path, model: ModelServer) -> None:
    model.always(plays.takes("json_object", "none", otherwise=500))
    async with world_in(tmp_path, **settings(model)) as world:
        await _subscribed(world)
        made = "select lang, title, tldr, origin from wording where origin = 'sea-model'"
        await world.happens(lambda: len(world.paperboy.rows(made)) == 2)
        told = await _digest(world)
        assert "In short: We propose SailNet, a policy that learns to sail." in told
        assert chinese_title(TITLE) in told
        assert "Not translated" not in told
        ada = world.telegram.user("ada")
        ada.says("/paper 2612.00001")
        await world.happens(lambda: "sea-model" in ada.received()[-1].text)
        assert await world.paperboy.stop() == 0
        assert {asked.paper["id"] for asked in model.asked} == {"2612.00001"}
        assert KEY not in world.paperboy.output
        world.nothing_was_refused()
        world.no_secret_shows()


@pytest.mark.parametrize(
    ("answer", "others", "reason"),
    [
        (plays.refuses(401), {}, "the translation service refuses; the operator has been told"),
        (plays.slow(60), {"model_timeout": "50"}, "not ready in time"),
        (plays.good, {"daily_tokens": "10"}, "daily budget reached"),
        (plays.with_words(id="2612.99999"), {}, "no sound translation came"),
    ],
)
async def test_a_digest_without_them_leaves_on_time_and_says_why(
    tmp_path: Path, model: ModelServer, answer: plays.Answering, others: dict[str, str], reason: str
) -> None:
    model.always(answer)
    async with world_in(tmp_path, **settings(model, **others)) as world:
        await _subscribed(world)
        if reason != "not ready in time":
            noted = "select value from note where name = 'service sea-model'"
            await world.happens(lambda: world.paperboy.rows(noted))
        told = await _digest(world)
        assert TITLE in told
        assert "SailNet, a policy that learns to sail" in told  # the extract
        assert f"Not translated today: 1 of 1 ({reason})" in told
        assert await world.paperboy.stop() == 0
        assert KEY not in world.paperboy.output
        assert "Traceback" not in world.paperboy.output
