"""`python -m tests.torture`: kills Paperboy again and again while it sends to local stand-ins of both platforms.

KILLS (20) times `kill -9` during a fan-out of PARTS (2,000) parts, at random moments of a random SEED; SPLIT=1 runs
one process for each share of the work and kills them together. The last line is `lost=0 repeated=N in_flight=M`;
exit status 1 when a part is missing or out of order, more came twice than was in flight, or anything did on Discord.
"""

from __future__ import annotations

import asyncio
import copy
import itertools
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.markup import Card
from bot.ports import Part
from scheduler.models import Chat, ChatKind, ChatRef, Platform, Schedule
from scheduler.store import Store, open_store
from scheduler.store.chats import Defaults
from scheduler.store.outbox import Plan
from tests.e2e.running import Paperboy
from tests.e2e.world import World, words, world_in
from tests.fakes.discord_server import Room
from tests.fakes.telegram_chats import Chat as TelegramChat

PARTS_OF_A_CHAT = 4
"""Telegram takes one message a second in a chat, so a fan-out needs many chats with few parts each."""

PATIENCE = 600.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of it: parts that never arrived, those that came more than once, and those in flight at the kills."""

    lost: int
    repeated: int
    repeated_on_discord: int
    disordered: int
    in_flight: int

    @property
    def is_good(self) -> bool:
        """True when the promise was kept."""
        return not (
            self.lost or self.disordered or self.repeated_on_discord or self.repeated > self.in_flight
        )


async def torture(
    world: World, kills: int, parts: int, chance: random.Random, roles: Sequence[str]
) -> Verdict:
    """Sends `parts` parts with `kills` kills between them and says what arrived."""
    world.arxiv.announce("cs.RO", "2612.00001", "A paper that nobody waits for")
    world.arxiv.announce("cs.LG", "2612.00002", "Another one")
    people, rooms = _fan_out(world, parts)
    in_flight = 0
    processes = await _start(world, roles)
    for moment in sorted(chance.randrange(parts // 50, parts * 19 // 20) for _ in range(kills)):
        await world.happens(lambda due=moment: _arrived(people, rooms, world) >= due, PATIENCE)
        await asyncio.sleep(chance.uniform(0, 0.1))
        await asyncio.gather(*(process.kill() for process in processes))
        in_flight += world.paperboy.parts("sending")
        click.echo(f"killed at {_arrived(people, rooms, world)} parts, in flight so far: {in_flight}")
        processes = await _start(world, roles)
    await world.happens(lambda: world.paperboy.parts("sent") == parts, PATIENCE)
    for process in processes:
        await process.stop()
    return _judge(world, people, rooms, in_flight)


def _texts(name: str, parts: int) -> tuple[str, ...]:
    return tuple(f"{name}, part {number} of {parts}" for number in range(1, parts + 1))


def _fan_out(world: World, parts: int) -> tuple[list[tuple[TelegramChat, int]], list[tuple[Room, int]]]:
    """The chats on both platforms with the number of parts that each is to get; all of it is planned."""
    people: list[tuple[TelegramChat, int]] = []
    rooms: list[tuple[Room, int]] = []
    store = open_store(world.paperboy.database)
    try:
        with store.writing():
            for count in _shares(parts // 2):
                chat = world.telegram.user(f"reader {len(people)}").chat
                chat.refusal = None
                people.append((chat, count))
                _plan(store, ChatRef(Platform.TELEGRAM, str(chat.id)), ChatKind.PRIVATE, count)
            for count in _shares(parts - parts // 2):
                room = world.discord.channel(f"room {len(rooms)}")
                rooms.append((room, count))
                _plan(store, ChatRef(Platform.DISCORD, str(room.id)), ChatKind.GROUP, count)
    finally:
        store.close()
    return people, rooms


def _shares(parts: int) -> Iterator[int]:
    """As many numbers as there are chats; their sum is `parts`."""
    for start in range(0, parts, PARTS_OF_A_CHAT):
        yield min(PARTS_OF_A_CHAT, parts - start)


def _plan(store: Store, ref: ChatRef, kind: ChatKind, count: int) -> Chat:
    now = datetime.now(UTC)
    defaults = Defaults(Schedule("08:00", "UTC"), {"en": "en"})
    chat = store.chats.ensure(ref, kind, "", "en", defaults, now)
    payloads = tuple(Part((Card(text),), text).to_json() for text in _texts(ref.chat_id, count))
    store.outbox.enqueue(Plan(chat, "torture", "{}", payloads, (), None), now)
    return chat


async def _start(world: World, roles: Sequence[str]) -> list[Paperboy]:
    """Paperboy as one process, or as one for each role."""
    if not roles:
        await world.up()
        return [world.paperboy]
    polls, greeted = len(world.telegram.called("getUpdates")), len(world.discord.identified)
    processes = [_only(world.paperboy, role) for role in roles]
    for process in processes:
        process.start()
    await world.happens(lambda: len(world.telegram.called("getUpdates")) > polls)
    await world.happens(lambda: len(world.discord.identified) > greeted)
    return processes


def _only(paperboy: Paperboy, role: str) -> Paperboy:
    """Another process on the same database, for one share of the work."""
    share = copy.copy(paperboy)
    share.arguments = ("--only", role)
    return share


def _arrived(
    people: Sequence[tuple[TelegramChat, int]], rooms: Sequence[tuple[Room, int]], world: World
) -> int:
    return sum(len(chat.received()) for chat, _ in people) + len(world.discord.shown)


def _judge(
    world: World,
    people: Sequence[tuple[TelegramChat, int]],
    rooms: Sequence[tuple[Room, int]],
    in_flight: int,
) -> Verdict:
    telegram = [
        (_texts(str(chat.id), count), [message.text for message in chat.received()]) for chat, count in people
    ]
    discord = [
        (_texts(str(room.id), count), [words(message) for message in world.discord.shown_in(room)])
        for room, count in rooms
    ]
    both = [*telegram, *discord]
    return Verdict(
        lost=sum(len(set(wanted) - set(shown)) for wanted, shown in both),
        repeated=sum(_repeats(shown) for _, shown in both),
        repeated_on_discord=sum(_repeats(shown) for _, shown in discord),
        disordered=sum(not _in_order(wanted, shown) for wanted, shown in both),
        in_flight=in_flight,
    )


def _repeats(shown: Sequence[str]) -> int:
    return len(shown) - len(set(shown))


def _in_order(wanted: Sequence[str], shown: Sequence[str]) -> bool:
    """True when what is there stands in the order of the parts, repeats side by side."""
    kept = [text for text in wanted if text in shown]
    return [text for text, _ in itertools.groupby(shown)] == kept


async def main() -> int:
    """Runs it as the environment says and prints what came of it."""
    kills, parts = int(os.environ.get("KILLS", "20")), int(os.environ.get("PARTS", "2000"))
    seed = int(os.environ.get("SEED") or time.time())
    roles = ("scheduler", "telegram", "discord") if os.environ.get("SPLIT") else ()
    click.echo(f"{kills} kills in {parts} parts, SEED={seed}")
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        world = await stack.enter_async_context(world_in(Path(folder), log_level="WARNING"))
        verdict = await torture(world, kills, parts, random.Random(seed), roles)
    if verdict.disordered or verdict.repeated_on_discord:
        click.echo(
            f"out of order in {verdict.disordered} chats; twice on Discord: {verdict.repeated_on_discord}"
        )
    click.echo(f"lost={verdict.lost} repeated={verdict.repeated} in_flight={verdict.in_flight}")
    return 0 if verdict.is_good else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
