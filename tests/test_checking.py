"""`paperboy check` and `paperboy enrich`: what works and which setting to mend; words made at once."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.e2e.arxiv import FakeArxiv
from tests.e2e.running import ROOT, digests_time
from tests.fakes import model_server as plays
from tests.fakes.discord_server import FakeDiscord
from tests.fakes.model_server import ModelServer, model_server
from tests.fakes.telegram_server import FakeTelegram

KEY = "sk-nobody-may-read-this"


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    async with model_server() as running:
        yield running


@pytest.fixture
async def telegram() -> AsyncIterator[FakeTelegram]:
    running = FakeTelegram()
    await running.start()
    yield running
    await running.stop()


@pytest.fixture
async def discord() -> AsyncIterator[FakeDiscord]:
    running = FakeDiscord()
    await running.start()
    yield running
    await running.stop()


async def paperboy(folder: Path, *command: str, said: str = "", **settings: str) -> tuple[int, str]:
    """The exit status of a command, and everything that was written."""
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(folder)}
    environ["PAPERBOY_DATABASE"] = str(folder / "p.sqlite")
    # Whatever the clock of the machine says: a digest of today's papers is still to come.
    schedule = digests_time(datetime.now(UTC))
    environ |= {"PAPERBOY_TIMEZONE": schedule.zone, "PAPERBOY_DIGEST_TIME": schedule.time}
    environ |= {f"PAPERBOY_{name.upper()}": value for name, value in settings.items()}
    started = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bot", *command),
        cwd=folder,
        env=environ,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    written = (await started.communicate(said.encode()))[0].decode()
    return started.returncode or 0, written


async def check(folder: Path, **settings: str) -> tuple[int, dict[str, str], str]:
    """The exit status, and each line by what it is about; then everything that was written."""
    status, written = await paperboy(folder, "check", **settings)
    parted = [line.split(maxsplit=1)[1].partition(": ") for line in written.splitlines() if " " in line]
    return status, {name: told for name, _, told in parted}, written


async def test_all_is_well(
    tmp_path: Path, model: ModelServer, telegram: FakeTelegram, discord: FakeDiscord
) -> None:
    status, told, written = await check(
        tmp_path,
        model_url=model.url,
        model_name="sea-model",
        model_key=KEY,
        translator="libretranslate",
        translator_url=model.root,
        telegram_token=telegram.token,
        telegram_base_url=telegram.base_url,
        discord_token=discord.token,
        discord_api_url=discord.api_url,
    )
    assert status == 0, written
    assert list(told) == ["database", "LibreTranslate", "sea-model", "telegram", "discord"]
    assert "FAULT" not in written
    assert told["telegram"] == "the token is @PaperboyTestBot's"
    assert len(model.asked) == len(model.translated) == 1
    for secret in (KEY, telegram.token, discord.token):
        assert secret not in written


async def test_every_fault_is_named_with_its_setting(
    tmp_path: Path, model: ModelServer, telegram: FakeTelegram
) -> None:
    model.always(plays.refuses(401, f"no such key {KEY}"))
    status, told, written = await check(
        tmp_path,
        model_url=model.url,
        model_name="sea-model",
        model_key=KEY,
        telegram_token="1:wrong-and-secret",
        telegram_base_url=telegram.base_url,
        discord_token="also-wrong-and-secret",
        discord_api_url="http://127.0.0.1:9",
        telegram_tokn="x",
    )
    assert status == 1
    assert "PAPERBOY_MODEL_KEY" in told["sea-model"]
    assert "PAPERBOY_TELEGRAM_TOKEN" in told["telegram"]
    assert "PAPERBOY_DISCORD_API_URL" in told["discord"]
    assert "PAPERBOY_TELEGRAM_TOKN" in told["settings"]
    assert written.count("FAULT") == 4
    assert KEY not in written
    assert "wrong-and-secret" not in written
    assert "Traceback" not in written


async def test_a_model_that_answers_nonsense_is_a_fault(tmp_path: Path, model: ModelServer) -> None:
    model.always(plays.saying(lambda asked: "hello"))
    status, told, _ = await check(tmp_path, model_url=model.url, model_name="sea-model")
    assert status == 1
    assert "not what was asked for" in told["sea-model"]


async def test_a_model_without_a_name_is_a_wrong_setting(tmp_path: Path) -> None:
    status, _, written = await check(tmp_path, model_url="http://127.0.0.1:9/v1")
    assert status == 2
    assert "PAPERBOY_MODEL_NAME" in written


# paperboy enrich


@pytest.mark.parametrize("is_weekly", [False, True])
async def test_words_are_made_at_once_for_the_next_digest_whenever_it_comes(
    tmp_path: Path, model: ModelServer, is_weekly: bool
) -> None:
    arxiv = FakeArxiv()
    await arxiv.start()
    arxiv.announce(
        "cs.RO", "2612.00001", "SailNet: a diffusion policy", "We propose SailNet. It wins 87% of races."
    )
    told = {"model_url": model.url, "model_name": "sea-model"}
    status, written = await paperboy(tmp_path, "fetch", "cs.RO", **arxiv.settings)
    await arxiv.stop()
    assert status == 0, written
    said = '/settings papers both\n/subscribe "diffusion policy"\n'
    if is_weekly:
        said += f"/settings weekly {datetime.now(UTC) + timedelta(days=3):%A}\n"
    assert (await paperboy(tmp_path, "chat", said=said))[0] == 0
    status, written = await paperboy(tmp_path, "enrich", **told)
    assert status == 0, written
    assert "sea-model works" in written
    assert "ok 4" in written
    assert written.endswith("There is nothing more to make for the next digests now.\n")
    assert [one.is_chinese for one in model.asked] == [False, True]
    assert (await paperboy(tmp_path, "enrich", **told))[0] == 0
    assert len(model.asked) == 2
    _, written = await paperboy(tmp_path, "status", **told)
    assert "sea-model works" in written


async def test_what_still_lacks_words_is_told(tmp_path: Path, model: ModelServer) -> None:
    arxiv = FakeArxiv()
    await arxiv.start()
    arxiv.announce("cs.RO", "2612.00001", "SailNet: a diffusion policy")
    assert (await paperboy(tmp_path, "fetch", "cs.RO", **arxiv.settings))[0] == 0
    await arxiv.stop()
    await paperboy(tmp_path, "chat", said='/settings papers both\n/subscribe "diffusion policy"\n')
    model.always(plays.refuses(401, "no such key"))
    _, written = await paperboy(tmp_path, "enrich", model_url=model.url, model_name="sea-model")
    assert "PAPERBOY_MODEL_KEY" in written
    assert "1 paper of the next digests lacks words still" in written


async def test_without_a_model_nothing_can_be_made(tmp_path: Path) -> None:
    status, written = await paperboy(tmp_path, "enrich")
    assert status == 2
    assert "PAPERBOY_MODEL_URL" in written
