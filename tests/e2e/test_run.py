"""`paperboy run` as its own process: people, feeds, digests, signals, crashes, wrong tokens, lost platforms."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.arxiv import FakeArxiv
from tests.e2e.running import Paperboy, until
from tests.fakes.discord_server import FakeDiscord
from tests.fakes.discord_server import Shown as Posted
from tests.fakes.telegram_server import FakeTelegram

TITLES = (
    "Diffusion policies at sea",
    "A*STAR: diffusion policy A_B_C [Extended] (v2)",
    "`code` ~~x~~ ||y|| and a diffusion policy",
    "# no heading, but a diffusion policy",
    "](https://example.org) diffusion policy",
    "<think> & 0.1<z<0.95: diffusion policy",
    "@everyone loves a diffusion policy <@123>",
    "扩散策略 diffusion policy 😀",
)
OTHERS = ("A theory of gardens", "On the weather of Mars")


@dataclass
class World:
    """Both platforms, arXiv, and the Paperboy between them."""

    telegram: FakeTelegram
    discord: FakeDiscord
    arxiv: FakeArxiv
    folder: Path
    paperboy: Paperboy

    def people(self) -> None:
        """Ada, who manages, and bob, who does not, on Discord."""
        self.discord.person("ada", manages=True)
        self.discord.person("bob")

    async def up(self) -> None:
        """Starts Paperboy, and returns when it listens on both platforms."""
        polls, connections = len(self.telegram.called("getUpdates")), len(self.discord.identified)
        self.paperboy.start()
        await until(
            lambda: (
                len(self.telegram.called("getUpdates")) > polls and len(self.discord.identified) > connections
            ),
            paperboy=self.paperboy,
        )

    def assert_nothing_was_refused(self) -> None:
        """Every request was one that the platforms describe, and every text was taken as it was."""
        assert self.telegram.violations == []
        assert self.discord.problems == []
        assert self.paperboy.lines("ERROR") == []
        assert "Traceback" not in self.paperboy.output


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    telegram, discord, arxiv = FakeTelegram(), FakeDiscord(), FakeArxiv()
    for server in (telegram, discord, arxiv):
        await server.start()
    paperboy = Paperboy(
        tmp_path,
        telegram_token=telegram.token,
        telegram_base_url=telegram.base_url,
        discord_token=discord.token,
        discord_api_url=discord.api_url,
        discord_gateway_url=discord.gateway_url,
        categories="cs.RO,cs.LG",
        log_level="DEBUG",
        **arxiv.settings,
    )
    made = World(telegram, discord, arxiv, tmp_path, paperboy)
    made.people()
    yield made
    paperboy.clean_up()
    for server in (telegram, discord, arxiv):
        await server.stop()


def said(message: Posted) -> str:
    """Everything that a Discord message says, as it was written."""
    embeds = message.body.get("embeds") or []
    pieces = [piece for embed in embeds for piece in (embed.get("title"), embed.get("description")) if piece]
    return "\n".join([message.body.get("content") or "", *pieces])


def order_of(ids: list[str], text: str) -> list[str]:
    """The papers that a text names, in its order, as often as it names them by their code."""
    return re.findall("|".join(map(re.escape, ids)), text)
