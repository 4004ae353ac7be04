"""Both platforms and arXiv around one Paperboy, and what a person sees of a digest."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.arxiv import FakeArxiv
from tests.e2e.running import Paperboy, until
from tests.fakes.discord_server import FakeDiscord, Room, Shown
from tests.fakes.telegram_chats import Shown as Message
from tests.fakes.telegram_server import FakeTelegram
from tests.judges import discord_markdown
from tests.patience import PATIENCE


@dataclass
class World:
    """On Discord ada manages channels and bob does not."""

    telegram: FakeTelegram
    discord: FakeDiscord
    arxiv: FakeArxiv
    paperboy: Paperboy

    async def up(self) -> None:
        """Starts Paperboy, and returns when it listens on both platforms and has fetched every category."""
        polls, greeted = len(self.telegram.called("getUpdates")), len(self.discord.identified)
        self.paperboy.start()
        await self.happens(lambda: len(self.telegram.called("getUpdates")) > polls)
        await self.happens(lambda: len(self.discord.identified) > greeted)
        await self.happens(lambda: self.paperboy.fetched() == 2)

    async def happens(self, what: Any, patience: float = PATIENCE) -> None:
        """Waits until `what()` is true; a failure shows what Paperboy wrote."""
        await until(what, patience, self.paperboy)

    async def all_sent(self, patience: float = PATIENCE) -> None:
        """Waits until digests were planned and no part is open any more."""
        paperboy = self.paperboy
        await self.happens(lambda: paperboy.parts() and not paperboy.parts("pending", "sending"), patience)

    def no_secret_shows(self) -> None:
        """No token of any kind is in what Paperboy wrote."""
        secrets = (self.telegram.token, self.telegram.token.partition(":")[2], self.discord.token)
        for secret in (*secrets, *self.discord.interactions):
            assert secret not in self.paperboy.output

    def nothing_was_refused(self) -> None:
        """Every request was one that the platforms describe, and every text was taken as it was."""
        assert self.telegram.violations == []
        assert self.discord.problems == []
        assert self.paperboy.lines("bot.adapters", "refused") == []


@asynccontextmanager
async def world_in(folder: Path, **settings: str) -> AsyncIterator[World]:
    """A world with a Paperboy that is not started yet."""
    telegram, discord, arxiv = FakeTelegram(), FakeDiscord(), FakeArxiv()
    for server in (telegram, discord, arxiv):
        await server.start()
    told = {
        "telegram_token": telegram.token,
        "telegram_base_url": telegram.base_url,
        "discord_token": discord.token,
        "discord_api_url": discord.api_url,
        "discord_gateway_url": discord.gateway_url,
        "categories": "cs.RO,cs.LG",
        "log_level": "DEBUG",
    }
    paperboy = Paperboy(folder, **(told | arxiv.settings | settings))
    discord.person("ada", manages=True)
    discord.person("bob")
    discord.person("carol")
    try:
        yield World(telegram, discord, arxiv, paperboy)
    finally:
        paperboy.clean_up()
        for server in (telegram, discord, arxiv):
            await server.stop()


def words(message: Shown) -> str:
    """What a reader sees of a message on Discord."""
    embeds = message.body.get("embeds") or []
    pieces = [piece for embed in embeds for piece in (embed.get("title"), embed.get("description"))]
    written = [message.body.get("content"), *pieces]
    return "\n".join(discord_markdown.read(piece).text for piece in written if piece)


def words_in(discord: FakeDiscord, room: Room) -> list[str]:
    """What a reader sees in a room, message by message."""
    return [words(message) for message in discord.shown_in(room)]


def components(message: Shown) -> list[dict[str, Any]]:
    """The buttons and selects under a message on Discord."""
    return [part for row in message.body.get("components") or [] for part in row["components"]]


def told_of(titles: Sequence[str], texts: Iterable[str]) -> list[str]:
    """The papers that texts tell of, in the order of the telling, by their titles."""
    pattern = "|".join(re.escape(title) for title in titles)
    return re.findall(pattern, "\n".join(texts))


def texts(messages: Iterable[Message]) -> list[str]:
    """What a reader sees on Telegram, message by message."""
    return [message.text for message in messages]


def files(messages: Iterable[Message]) -> list[tuple[str, str]]:
    """Names and contents of the files among messages on Telegram."""
    return [message.document for message in messages if message.document is not None]
