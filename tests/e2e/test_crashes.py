"""A fan-out of a few hundred parts that is killed, stopped and killed again: nothing lost, hardly anything twice."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import pytest

from scheduler import query
from scheduler.models import Chat, ChatKind, ChatRef, Platform
from scheduler.store import Store, open_store
from scheduler.store.chats import Defaults
from tests.e2e.running import digests_time
from tests.e2e.world import World, told_of, words_in, world_in
from tests.fakes.discord_server import Room
from tests.fakes.telegram_chats import Chat as TelegramChat

pytestmark = [
    # aiohttp warns of its own use of a method when a file that is sent to the fake Discord comes in pieces.
    pytest.mark.filterwarnings("ignore:unread_data:DeprecationWarning"),
    # A process that is killed while it uploads leaves the fake servers with half a file.
    pytest.mark.filterwarnings("ignore:.*SpooledTemporaryFile:pytest.PytestUnraisableExceptionWarning"),
]

PAPERS = tuple(f"Number {n:03}: a diffusion policy{' that is described at length' * 4}" for n in range(50))
QUERY = "diffusion policy"
PEOPLE, GROUPS, ROOMS = 40, 20, 40

Part = tuple[str, str, int]
"""A platform, a chat's id there, and the number of a part of its digest."""


def _follow(world: World) -> tuple[list[TelegramChat], list[Room]]:
    """Chats on both platforms that follow the papers, as if they had said so earlier."""
    people = [world.telegram.user(f"reader {n}").chat for n in range(PEOPLE)]
    for chat in people:
        chat.refusal = None
    groups: list[TelegramChat] = [world.telegram.group(f"group {n}") for n in range(GROUPS)]
    rooms = [world.discord.channel(f"room {n}") for n in range(ROOMS)]
    store = open_store(world.paperboy.database)
    try:
        with store.writing():
            for n in range(max(PEOPLE, GROUPS, ROOMS)):
                # Side by side, so that both platforms are at work whenever the process dies.
                for chat in people[n : n + 1]:
                    _add(store, Platform.TELEGRAM, chat.id, ChatKind.PRIVATE)
                for chat in groups[n : n + 1]:
                    _add(store, Platform.TELEGRAM, chat.id, ChatKind.GROUP)
                for room in rooms[n : n + 1]:
                    _add(store, Platform.DISCORD, room.id, ChatKind.GROUP)
    finally:
        store.close()
    return people + groups, rooms


def _add(store: Store, platform: Platform, chat_id: int, kind: ChatKind) -> Chat:
    now = datetime.now(UTC)
    defaults = Defaults(digests_time(now), {"en": "en"})
    chat = store.chats.ensure(ChatRef(platform, str(chat_id)), kind, "", "en", defaults, now)
    store.chats.subscribe(chat.key, query.phrase_query(QUERY).canonical, QUERY)
    return chat


async def test_a_killed_fan_out_is_finished(tmp_path: Path) -> None:
    async with world_in(tmp_path, log_level="INFO") as world:
        for n, title in enumerate(PAPERS):
            world.arxiv.announce("cs.RO", f"2612.{n + 1:05}", title)
        world.arxiv.announce("cs.LG", "2612.90000", "A theory of gardens")
        chats, rooms = _follow(world)
        in_flight: set[Part] = set()
        await world.up()
        world.paperboy.let_the_time_come()
        for ending in ("kill", "stop", "kill", "kill"):
            await _some_more_arrive(world)
            if ending == "stop":
                assert await world.paperboy.stop() == 0
                assert _sending(world) == set()
            else:
                await world.paperboy.kill()
                in_flight |= _sending(world)
            await world.up()
        await world.all_sent()
        assert await world.paperboy.stop() == 0

        assert world.paperboy.parts() == world.paperboy.parts("sent") > 250
        assert in_flight, "the process was never killed while it sent"
        repeated = _everything_arrived_in_order(world, chats)
        assert repeated <= in_flight
        for room in rooms:
            assert told_of(PAPERS, words_in(world.discord, room)) == list(PAPERS)
            assert len(world.discord.shown_in(room)) == _planned(world, Platform.DISCORD, room.id)
        world.nothing_was_refused()
        assert world.paperboy.lines("ERROR") == []
    gc.collect()  # The half files, while their warning is expected.


def _arrived(world: World) -> int:
    sent = ("sendMessage", "sendDocument")
    return sum(method in sent for method, _ in world.telegram.calls) + len(world.discord.shown)


async def _some_more_arrive(world: World) -> None:
    before = _arrived(world)
    await world.happens(lambda: _arrived(world) >= before + 40)
    assert world.paperboy.parts("pending"), "it was over before it could be killed"


def _sending(world: World) -> set[Part]:
    """The parts that were in flight when the process ended."""
    return set(
        world.paperboy.rows(
            "select platform, chat_id, part from delivery join chat on chat.key = delivery.chat "
            "where delivery.state = 'sending'"
        )
    )


def _planned(world: World, platform: Platform, chat_id: int) -> int:
    ((count,),) = world.paperboy.rows(
        "select count(*) from delivery join chat on chat.key = delivery.chat "
        "where platform = ? and chat_id = ?",
        platform,
        str(chat_id),
    )
    return int(count)


def _everything_arrived_in_order(world: World, chats: Iterable[TelegramChat]) -> set[Part]:
    """Checks that each Telegram chat has every part in order, and gives those that came more than once."""
    repeated: set[Part] = set()
    for chat in chats:
        shown = [(message.text, message.document) for message in chat.received()]
        runs = [(one, len(list(same))) for one, same in groupby(shown)]
        assert len(runs) == _planned(world, Platform.TELEGRAM, chat.id)
        wanted = PAPERS[:10] if chat.type == "private" else PAPERS
        assert told_of(PAPERS, (text for (text, _), _ in runs)) == list(wanted)
        twice = (part for part, (_, count) in enumerate(runs) if count > 1)
        repeated |= {(Platform.TELEGRAM, str(chat.id), part) for part in twice}
    return repeated
