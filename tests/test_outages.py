"""One platform unreachable for a day: the other unaffected, and the log says it in a handful of lines."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime, timedelta

import pytest

from bot.app import supervise
from bot.markup import Card
from bot.outages import Outages
from bot.outbox import Sender
from bot.ports import Outcome, Part, PlatformStopped, Retry, Sent
from scheduler.models import ChatRef, DeliveryState, Platform
from scheduler.store.outbox import Plan
from scheduler.store.thread import StoreThread
from tests.builders import MORNING, TUESDAY, chat_in, memory_store
from tests.fakes.platform import SilentPlatform

HANDFUL = 10
A_DAY = timedelta(days=1)


class Unreachable(SilentPlatform):
    """A platform that cannot be reached until a moment."""

    def __init__(self, platform: Platform, life: Life, until: datetime) -> None:
        super().__init__(platform)
        self.life, self.until = life, until
        self.sent: list[tuple[str, datetime]] = []
        self.tries = 0

    async def send(self, chat: ChatRef, part: Part, key: str) -> Outcome:
        self.tries += 1
        if self.life.now < self.until:
            return Retry(timedelta(seconds=5), "unreachable", counted=False, scope="platform")
        self.sent.append((chat.chat_id, self.life.now))
        return Sent("1")


class Life:
    """A sender to both platforms on a clock that is driven; a new part for every chat each hour."""

    def __init__(self) -> None:
        self.now = MORNING
        self.store = memory_store()
        self.chats = [
            chat_in(self.store, f"{platform} {number}", platform=platform)
            for platform in (Platform.TELEGRAM, Platform.DISCORD)
            for number in range(40)
        ]

    def plan(self, hour: int) -> None:
        part = Part((Card("a digest"),), "a digest").to_json()
        for chat in self.chats:
            self.store.outbox.enqueue(Plan(chat, f"run {hour:02}", "{}", (part,), (), TUESDAY), self.now)

    async def sleep(self, _seconds: float) -> None:
        await asyncio.sleep(0)


async def test_a_platform_that_is_away_for_a_day(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    life = Life()
    telegram = Unreachable(Platform.TELEGRAM, life, until=MORNING + A_DAY)
    discord = Unreachable(Platform.DISCORD, life, until=MORNING)
    thread = StoreThread(life.store)
    adapters = {Platform.TELEGRAM: telegram, Platform.DISCORD: discord}
    sender = Sender(thread, adapters, lambda: life.now, sleep=life.sleep)
    for hour in range(24):
        life.plan(hour)
        while life.now < MORNING + timedelta(hours=hour + 1):
            await sender.drain()
            life.now += timedelta(seconds=30)
        assert len(discord.sent) == 40 * (hour + 1)
    assert telegram.sent == []
    assert telegram.tries < 2000  # about once a minute, with one part
    for _ in range(60):
        await sender.drain()
        life.now += timedelta(seconds=30)
    thread_counts = await thread.call(lambda store: store.outbox.counts())
    assert thread_counts == {DeliveryState.SENT: 2 * 40 * 24}
    for chat in life.chats[:40]:
        assert [name for name, _ in telegram.sent].count(chat.ref.chat_id) == 24
    late = {
        moment for _, moment in discord.sent if (moment - MORNING) % timedelta(hours=1) > timedelta(minutes=1)
    }
    assert not late
    lines = [record.getMessage() for record in caplog.records if record.levelno >= logging.INFO]
    assert len(lines) <= HANDFUL, lines
    assert "telegram takes no messages (unreachable)" in lines[0]
    assert lines[-1].startswith("telegram takes messages again, after 1 day")
    assert not any("discord" in line for line in lines)
    thread.close()


async def test_a_platform_that_fails_to_start_for_a_day(caplog: pytest.LogCaptureFixture) -> None:
    now = MORNING

    async def run_once() -> None:
        if now > MORNING + A_DAY:
            raise PlatformStopped("as this test wants")
        raise ConnectionError("nobody is there")

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += timedelta(seconds=seconds)

    await supervise("discord", run_once, sleep=sleep, now=lambda: now)
    lines = [record.getMessage() for record in caplog.records]
    assert 3 <= len(lines) <= HANDFUL, lines
    assert lines[0].startswith("discord is down (ConnectionError: nobody is there)")


def test_an_outage_is_told_of_at_once_after_an_hour_and_every_six_hours() -> None:
    outages = Outages()
    told = [
        round(minutes / 60)
        for minutes in range(0, 24 * 60, 7)
        if outages.is_news("telegram", MORNING + timedelta(minutes=minutes))
    ]
    assert told == [0, 1, 7, 13, 19]
    assert outages.lasts("telegram", MORNING + A_DAY) == A_DAY
    assert outages.over("telegram", MORNING + A_DAY) == A_DAY
    assert outages.over("telegram", MORNING + A_DAY) is None
    assert outages.is_news("telegram", MORNING + A_DAY)
