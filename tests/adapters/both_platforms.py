"""Both platforms' real adapters, the real desk and the real sender on one store; time is driven by hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from bot.adapters.discord import DiscordAdapter
from bot.adapters.discord.client import PaperboyClient
from bot.adapters.telegram import TelegramAdapter
from bot.commands.desk import Desk
from bot.commands.visit import House
from bot.markup import Card
from bot.outbox import Sender
from bot.parts import as_post
from bot.ports import Part
from scheduler import topics
from scheduler.models import Chat, ChatKind, ChatRef, DeliveryState, Platform
from scheduler.store import Store
from scheduler.store.outbox import Plan
from scheduler.store.thread import StoreThread
from tests.adapters.contract import COMMANDS, eventually
from tests.adapters.telegram_harness import ref_to
from tests.builders import DEFAULTS, MORNING, memory_store
from tests.fakes.discord_server import FakeDiscord, Room, until_connected
from tests.fakes.telegram_chats import Chat as TelegramChat
from tests.fakes.telegram_chats import Topic
from tests.fakes.telegram_server import FakeTelegram
from tests.patience import PATIENCE

Place = TelegramChat | Topic | Room

GIVEN_UP = 3.0
"""Seconds after which an answer of Telegram's that does not come is given up."""


@dataclass
class Both:
    """The stage. `ada` (Telegram's 1001) and Discord's ada look after the groups and channels."""

    telegram: FakeTelegram
    discord: FakeDiscord
    store: Store = field(default_factory=memory_store)
    now: datetime = MORNING
    running: dict[Platform, asyncio.Task[None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.thread = StoreThread(self.store)
        self.desk = Desk(self.thread, House(topics.catalogue(), (), ""), DEFAULTS, "en", lambda: self.now)
        self.adapters: dict[Platform, Any] = {
            Platform.TELEGRAM: self._telegram_adapter(),
            Platform.DISCORD: self._discord_adapter(),
        }
        self.desk.meet(self.adapters)
        self.sender = Sender(self.thread, self.adapters, lambda: self.now, sleep=_at_once)

    def _telegram_adapter(self) -> TelegramAdapter:
        return TelegramAdapter(
            token=self.telegram.token,
            base_url=self.telegram.base_url,
            answer=self.desk.answer,
            suggest=self.desk.suggest,
            commands=COMMANDS,
            standing=self.desk.standing,
            timeout=GIVEN_UP,
            poll_seconds=1,
            clock=lambda: self.now.timestamp(),
        )

    def _discord_adapter(self) -> DiscordAdapter:
        return DiscordAdapter(
            token=self.discord.token,
            api_url=self.discord.api_url,
            gateway_url=self.discord.gateway_url,
            answer=self.desk.answer,
            suggest=self.desk.suggest,
            commands=COMMANDS,
            standing=self.desk.standing,
            memory={},
        )

    async def connect(self, platform: Platform) -> None:
        """Runs an adapter until it receives."""
        polls = len(self.telegram.called("getUpdates"))
        greeted = len(self.discord.identified)
        self.running[platform] = run = asyncio.create_task(self.adapters[platform].run())
        if platform is Platform.TELEGRAM:
            await eventually(lambda: len(self.telegram.called("getUpdates")) > polls or run.done())
        else:
            await until_connected(self.discord, greeted + 1)

    async def close(self) -> None:
        """Ends the runs."""
        for run in self.running.values():
            run.cancel()
            with suppress(asyncio.CancelledError):
                await run
        self.thread.close()

    # chats and parts

    def chat(self, place: Place) -> Chat:
        """The chat that stands for a place, made where it is new; ada looks after it."""
        ref = _ref(place)
        known = self.store.chats.at(ref)
        if known is not None:
            return known
        name = place.title if isinstance(place, TelegramChat) else place.name
        chat = self.store.chats.ensure(ref, _kind(place), name, "en", DEFAULTS, self.now)
        if chat.kind is ChatKind.PRIVATE:
            self.store.chats.note_person(chat.key, str(place.id) if not isinstance(place, Topic) else "")
        else:
            self.store.chats.note_manager(chat.key, "1001")
        return chat

    def enqueue(self, place: Place, *texts: str, run: str = "2026-09-29T08:00") -> Chat:
        """A digest of one part for each text waits for a chat."""
        chat = self.chat(place)
        parts = tuple(
            Part((Card(f"<b>{text}</b>" if chat.ref.platform is Platform.TELEGRAM else text),), text)
            for text in texts
        )
        if chat.kind is ChatKind.FORUM:
            parts = as_post(parts, run)
        payloads = tuple(part.to_json() for part in parts)
        assert self.store.outbox.enqueue(Plan(chat, run, "{}", payloads, (), None), self.now)
        return chat

    async def sends(self, **later: float) -> None:
        """Everything that is due (after so much time) is sent."""
        self.now += timedelta(**later)
        await asyncio.wait_for(self.sender.drain(), PATIENCE)

    def seen(self, place: Place) -> list[str]:
        """What stands in a place, in order."""
        if isinstance(place, Room):
            shown = self.discord.shown_in(place)
            return [
                (one.body.get("embeds") or [{}])[0].get("description") or one.body["content"] for one in shown
            ]
        return [shown.text for shown in place.received()]

    def now_is(self, place: Place) -> tuple[str, str]:
        """The state of a place's chat and its reason."""
        chat = self.chat(place)
        return str(chat.state), chat.reason

    def states(self, place: Place) -> dict[DeliveryState, int]:
        """How many parts of a place's chat are in each state."""
        return self.store.outbox.counts(self.chat(place).key)

    def waits(self, place: Place) -> tuple[float, int, str]:
        """Seconds until the first open part of a place's chat, its attempts, and why it waits."""
        rows = self.store.db.query(
            "select not_before, attempts, reason from delivery where chat = ? and state = 'pending' order by key",
            [self.chat(place).key],
        )
        row = next(iter(rows))
        return round(row["not_before"] - self.now.timestamp(), 3), row["attempts"], row["reason"]


async def _at_once(_seconds: float) -> None:
    await asyncio.sleep(0)


def _ref(place: Place) -> ChatRef:
    return ChatRef(Platform.DISCORD, str(place.id)) if isinstance(place, Room) else ref_to(place)


def _kind(place: Place) -> ChatKind:
    if isinstance(place, Room):
        return {1: ChatKind.PRIVATE, 5: ChatKind.CHANNEL, 15: ChatKind.FORUM}.get(place.type, ChatKind.GROUP)
    if isinstance(place, Topic):
        return ChatKind.GROUP
    return {"private": ChatKind.PRIVATE, "channel": ChatKind.CHANNEL}.get(place.type, ChatKind.GROUP)


@asynccontextmanager
async def both_platforms(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Both]:
    """Both platforms, connected; every pause of the libraries' own is over at once."""
    telegram, discord = FakeTelegram(), FakeDiscord()
    for server in (telegram, discord):
        await server.start()
    discord.person("ada", manages=True)
    both = Both(telegram, discord)

    async def no_pause(_client: object, _shard: int | None, *, initial: bool) -> None:
        return None

    monkeypatch.setattr(PaperboyClient, "before_identify_hook", no_pause)
    for platform in (Platform.TELEGRAM, Platform.DISCORD):
        await both.connect(platform)
    quick: Callable[..., Any] = _at_once
    monkeypatch.setattr("discord.http.asyncio", SimpleNamespace(**(vars(asyncio) | {"sleep": quick})))
    both.telegram.user("ada").chat.refusal = None
    both.chat(both.telegram.user("ada").chat)
    try:
        yield both
    finally:
        await both.close()
        for server in (telegram, discord):
            await server.stop()
    assert telegram.violations == []
    assert discord.problems == []
