"""The Discord adapter keeps the promises of every adapter, over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from bot.adapters.discord import DiscordAdapter
from bot.markup import Block, Line, Span, Style
from bot.ports import Answer, Button, ChatAdapter, Reply
from scheduler.models import ChatRef, Platform
from tests.adapters.contract import (
    COMMANDS,
    NASTY_TEXTS,
    AdapterContract,
    Harness,
    Place,
    Refusal,
    Seen,
    Stage,
    no_suggestions,
)
from tests.fakes.discord_server import FakeDiscord, Refused, Shown, until_connected
from tests.judges import discord_markdown

REFUSALS = {
    Refusal.BLOCKED: Refused(403, 50007),
    Refusal.NO_RIGHTS: Refused(403, 50013),
    Refusal.FLOOD: Refused(
        429, 20028, headers={"Via": "1.1 fake"}, extra={"retry_after": 90.5, "global": False}
    ),
    Refusal.MARKUP: Refused(400, 50035),
    Refusal.SERVER_ERROR: Refused(503),
}


class DiscordHarness(Harness):
    """The adapter in front of the small Discord; ada manages channels, bob does not."""

    platform = Platform.DISCORD
    deduplicates = True
    limit = 6000

    def __init__(self) -> None:
        self.discord = FakeDiscord()
        self.discord.person("ada", manages=True)
        self.discord.person("bob")
        self.rooms = {Place.PRIVATE: self.discord.direct("ada"), Place.GROUP: self.discord.channel("papers")}
        self.adapter: Any = None
        self.running: asyncio.Task[None] | None = None

    async def build(self, answer: Answer) -> ChatAdapter:
        async def standing(_chat: ChatRef, _standing: object) -> None:
            return None

        await self.discord.start()
        self.adapter = DiscordAdapter(
            token=self.discord.token,
            api_url=self.discord.api_url,
            gateway_url=self.discord.gateway_url,
            answer=answer,
            suggest=no_suggestions,
            commands=COMMANDS,
            standing=standing,
            memory={},
        )
        adapter: ChatAdapter = self.adapter
        return adapter

    async def start(self) -> None:
        self.running = asyncio.create_task(self.adapter.run())
        await until_connected(self.discord)

    async def stop(self) -> None:
        if self.running is not None:
            self.running.cancel()
            await asyncio.wait({self.running})
            assert self.running.cancelled() or self.running.exception() is None
        await self.discord.stop()
        assert not self.discord.problems

    def ref(self, place: Place) -> ChatRef:
        return ChatRef(Platform.DISCORD, str(self.rooms[place].id))

    async def says(self, line: str, place: Place = Place.PRIVATE, by: str = "ada") -> None:
        name, _, text = line.removeprefix("/").partition(" ")
        (spec,) = [spec for spec in COMMANDS if spec.name == name]
        options = {spec.parameters[0].name: text} if text else {}
        await self.discord.command(by, self.rooms[place], name, **options)

    async def press(self, button: Button, place: Place = Place.PRIVATE, by: str = "ada") -> None:
        room = self.rooms[place]
        for message in reversed(self.discord.shown_in(room)):
            for component in _components(message):
                if component.get("custom_id") == f"pb:{button.action}":
                    await self.discord.press(by, room, message, component["custom_id"])
                    return
                if any(option["value"] == button.action for option in component.get("options", ())):
                    await self.discord.choose(by, room, message, component["custom_id"], button.action)
                    return
        raise AssertionError(f"no message shows {button}")

    def received(self, place: Place = Place.PRIVATE) -> tuple[Seen, ...]:
        return tuple(
            _seen(message) for message in self.discord.shown_in(self.rooms[place]) if not _is_toast(message)
        )

    def toasts(self) -> tuple[str, ...]:
        everything = [message for room in self.rooms.values() for message in self.discord.shown_in(room)]
        return tuple(message.body["content"] for message in everything if _is_toast(message))

    async def refuse_next(self, refusal: Refusal, place: Place = Place.PRIVATE) -> None:
        self.discord.refuse(REFUSALS[refusal])


def _components(message: Shown) -> Iterator[dict[str, Any]]:
    for row in message.body.get("components") or ():
        yield from row["components"]


def _is_toast(message: Shown) -> bool:
    """A hidden line of text below a pressed button: Discord's place for a short word."""
    return message.is_followup and bool(message.only_for) and not message.body.get("embeds")


def _seen(message: Shown) -> Seen:
    texts = [message.body.get("content") or ""]
    for embed in message.body.get("embeds") or ():
        texts += [embed.get("title") or "", embed.get("description") or ""]
    pages = [discord_markdown.read(text) for text in texts if text]
    labels: list[str] = []
    for component in _components(message):
        labels += [option["label"] for option in component.get("options", ())] or [component["label"]]
    return Seen(
        text="\n".join(page.text for page in pages),
        labels=tuple(labels),
        links=tuple(link for page in pages for link in page.links),
        attachment=next((file for file in message.files.items() if not file[0].endswith(".png")), None),
        picture=_picture(message),
        message_id=str(message.id),
    )


def _picture(message: Shown) -> bytes | None:
    """What an embed shows of the files that came with it."""
    for embed in message.body.get("embeds") or ():
        if image := embed.get("image"):
            return message.files[image["url"].removeprefix("attachment://")].encode("latin-1")
    return None


class TestDiscordContract(AdapterContract):
    @pytest.fixture
    def harness(self) -> Harness:
        return DiscordHarness()

    @pytest.mark.parametrize("text", NASTY_TEXTS)
    async def test_linked_text_arrives_with_its_address(self, stage: Stage, text: str) -> None:
        """Here a title is several links in a row: what must be escaped cannot stand inside one."""
        url = "https://arxiv.org/abs/2609.31644v1"
        seen = await stage.shows(text, Reply((Block((Line((Span(text, Style.BOLD, url),)),)),)))
        assert text in seen.text.splitlines()
        assert {address for _, address in seen.links} == {url}
        shown = text
        for piece, _ in seen.links:
            before, found, shown = shown.partition(piece)
            assert found
            assert not any(letter.isalnum() for letter in before)
        assert not any(letter.isalnum() for letter in shown)
