"""Channels looked after from a private chat and forums, with the real process on both platforms."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.e2e.world import World, texts, told_of, words, words_in, world_in
from tests.fakes.discord_server import GUILD

# aiohttp warns of its own use of a method when a file that is sent to the fake Discord comes in pieces.
pytestmark = pytest.mark.filterwarnings("ignore:unread_data:DeprecationWarning")

PAPERS = tuple(f"A diffusion policy at sea, part {n:03}" for n in range(150))


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with world_in(tmp_path) as world:
        for n, title in enumerate(PAPERS):
            world.arxiv.announce("cs.RO", f"2612.{n + 1:05}", title, "We sail and we report. " * 8)
        world.arxiv.announce("cs.LG", "2612.90000", "A theory of gardens")
        yield world


async def test_a_channel_gets_its_digest_and_nothing_of_how_it_was_set_up(world: World) -> None:
    await world.up()
    ada, channel = world.telegram.user("ada"), world.telegram.channel("#papers", ["ada"], ["bob"])
    ada.says("/channel")
    await world.happens(lambda: ada.received() and ada.received()[-1].keyboard)
    ada.picks("A channel", channel)
    await world.happens(lambda: "You now manage #papers here." in ada.received()[-1].text)
    ada.says("/subscribe diffusion policy")
    await world.happens(
        lambda: "For #papers:" in ada.received()[-1].text and "follow" in ada.received()[-1].text
    )
    assert channel.received() == ()
    world.paperboy.let_the_time_come()
    await world.all_sent()
    assert told_of(PAPERS, texts(channel.received())) == list(PAPERS)
    assert all(message.quiet for message in channel.received())
    assert await world.paperboy.stop() == 0
    world.nothing_was_refused()


async def test_a_forum_gets_one_post_that_a_kill_does_not_double(world: World) -> None:
    await world.up()
    discord = world.discord
    room, forum = discord.channel("talk"), discord.channel("daily", 15)
    await discord.tell("CHANNEL_CREATE", discord.described(forum))
    await discord.command("ada", room, "feed here", channel=forum)
    await discord.command("ada", room, "feed subscribe", query="diffusion policy", channel=forum)
    await world.happens(lambda: len(discord.shown_in(room)) == 2)
    assert all("For #daily:" in text for text in words_in(discord, room))
    assert all(message.only_for for message in discord.shown_in(room))
    world.paperboy.let_the_time_come()
    await world.happens(lambda: discord.posts_in(forum))
    await world.paperboy.kill()
    await world.up()
    await world.all_sent()
    (post,) = discord.posts_in(forum)
    assert told_of(PAPERS, map(words, discord.shown_in(post))) == list(PAPERS)
    assert len(discord.shown_in(post)) > 1
    assert await world.paperboy.stop() == 0
    world.nothing_was_refused()


async def test_shards_in_two_processes_send_each_part_once(tmp_path: Path) -> None:
    """The server is on the second shard; the first one's process sends, the other answers."""
    async with world_in(tmp_path, discord_shard_count="2", discord_shard_ids="0") as world:
        discord, second = world.discord, world.paperboy.beside(discord_shard_ids="1")
        discord.guild = (1 << 22) + GUILD
        for n, title in enumerate(PAPERS):
            world.arxiv.announce("cs.RO", f"2612.{n + 1:05}", title, "We sail and we report. " * 8)
        world.arxiv.announce("cs.LG", "2612.90000", "A theory of gardens")
        second.arguments = ("--only", "discord")
        room = discord.channel("papers")
        await world.up()
        second.start()
        try:
            await world.happens(lambda: len(discord.identified) == 2)
            await discord.command("ada", room, "feed subscribe", query="diffusion policy")
            await world.happens(lambda: discord.shown_in(room))
            sent = len(discord.sent())
            world.paperboy.let_the_time_come()
            await world.all_sent()
            posted = discord.shown_in(room)[1:]
            assert told_of(PAPERS, map(words, posted)) == list(PAPERS)
            assert len(discord.sent()) == sent + len(posted)

            third = world.paperboy.beside(discord_shard_ids="1")
            third.arguments = ("--only", "discord")
            third.start()
            assert await third.ended() == 1
            assert "(discord shard 1: process" in third.output

            # Without the first shard's process people are answered, and what is to be sent waits for it.
            assert await world.paperboy.stop() == 0
            await discord.command("ada", room, "search", query="sea")
            await world.happens(lambda: len(discord.shown_in(room)) == len(posted) + 2)
            assert await second.stop() == 0
        finally:
            second.clean_up()
        assert second.lines("Traceback") == []
        world.nothing_was_refused()
