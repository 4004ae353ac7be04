"""`paperboy run` as its own process: people, feeds, digests, signals, wrong tokens, lost platforms."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path

import pytest

from scheduler.models import Platform
from scheduler.store import open_store
from scheduler.store.clearing import KEPT
from scheduler.store.outbox import Plan
from tests.builders import chat_in
from tests.e2e.running import Paperboy
from tests.e2e.world import World, components, files, texts, told_of, words, words_in, world_in
from tests.fakes.discord_server import Room, Shown
from tests.fakes.telegram_chats import Channel, Group, Person

# aiohttp warns of its own use of a method when a file that is sent to the fake Discord comes in pieces.
pytestmark = pytest.mark.filterwarnings("ignore:unread_data:DeprecationWarning")

TITLES = (
    "Diffusion policies at sea",
    "A*STAR: diffusion policy A_B_C [Extended] (v2)",
    "`code` ~~x~~ ||y|| and a diffusion policy",
    "# no heading, but a diffusion policy",
    "](https://example.org) diffusion policy",
    "tokens <think> and 0.1<z<0.95: diffusion policy",
    "@everyone loves a diffusion policy <@123>",
    "扩散策略 diffusion policy 😀",
)
PAPERS = tuple(f"{title} no. {n:02}" for n, title in enumerate(TITLES * 4))
ELSEWHERE = "A theory of gardens"
QUERY = "diffusion policy"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with world_in(tmp_path) as world:
        for n, title in enumerate(PAPERS):
            world.arxiv.announce("cs.RO", f"2612.{n + 1:05}", title, "We sail and we report. " * 8)
        world.arxiv.announce("cs.LG", "2612.90000", ELSEWHERE)
        world.arxiv.announce("cs.LG", "2612.00001", PAPERS[0], "We sail and we report. " * 8, kind="cross")
        yield world


def test_without_a_token_it_says_so_in_one_line(tmp_path: Path) -> None:
    paperboy = Paperboy(tmp_path)
    paperboy.start()
    try:
        assert asyncio.run(paperboy.ended()) == 2
    finally:
        paperboy.clean_up()
    (line,) = paperboy.output.splitlines()
    assert "PAPERBOY_TELEGRAM_TOKEN" in line
    assert "PAPERBOY_DISCORD_TOKEN" in line
    assert not paperboy.database.exists()


# people


async def test_people_are_answered_on_both_platforms(world: World) -> None:
    await world.up()
    telegram, discord = world.telegram, world.discord
    group, channel = telegram.group("Lab", admins=["ada"], members=["bob"]), telegram.channel("News", ["ada"])
    ada, room, direct = telegram.user("ada"), discord.channel("papers"), discord.direct("ada")

    ada.says(f"/search {QUERY}")
    group.says("bob", f"/subscribe {QUERY}")
    channel.posts(f"/search@{telegram.bot['username']} {QUERY}")
    await world.happens(lambda: ada.received() and group.received() and channel.received())
    assert told_of(PAPERS, texts(ada.received())) == list(PAPERS[:-9:-1])
    assert told_of(PAPERS, texts(channel.received())) == list(PAPERS[:-9:-1])
    assert "Only who manages this chat" in group.received()[-1].text
    assert world.paperboy.rows("select count(*) from subscription") == [(0,)]

    group.says("ada", f"/subscribe {QUERY}")
    await world.happens(lambda: len(group.received()) == 2)
    assert QUERY in group.received()[-1].text

    await discord.command("bob", room, "search", query=QUERY)
    await discord.command("ada", direct, "search", query=QUERY)
    await world.happens(lambda: discord.shown_in(room) and discord.shown_in(direct))
    assert told_of(PAPERS, words_in(discord, room)) == list(PAPERS[:-9:-1])
    assert discord.shown_in(room)[-1].only_for
    assert told_of(PAPERS, words_in(discord, direct)) == list(PAPERS[:-9:-1])

    typed = await discord.complete("ada", room, "subscribe", "query", "reinforcement")
    await world.happens(lambda: typed.callbacks)
    choices = typed.callbacks[0]["data"]["choices"]
    assert choices[0]["value"] == "reinforcement"
    assert "Reinforcement learning" in [choice["name"] for choice in choices]

    assert await world.paperboy.stop() == 0
    world.nothing_was_refused()
    world.no_secret_shows()


async def test_an_older_paper_is_looked_up_and_any_chat_can_have_it(world: World) -> None:
    world.arxiv.has("1706.03762", "Attention Is All You Need")
    await world.up()
    ada, room = world.telegram.user("ada"), world.discord.channel("papers")
    ada.says("https://arxiv.org/abs/1706.03762v7")
    await world.happens(lambda: "Attention Is All" in "".join(texts(ada.received())))
    assert len(ada.received()) == 1

    ada.types("attention is all")
    await world.happens(lambda: world.telegram.lists)
    (listed,) = world.telegram.lists[-1]["results"]
    assert listed["id"] == "1706.03762"

    await world.discord.command("bob", room, "paper", id="9912.99999")
    await world.happens(lambda: "arXiv has no paper" in "".join(words_in(world.discord, room)))
    await world.discord.command("bob", room, "paper", id="1706.03762")
    await world.happens(lambda: "Attention Is All" in "".join(words_in(world.discord, room)))
    shown = world.discord.shown_in(room)[-1]
    assert shown.only_for
    (share,) = [one for one in components(shown) if one.get("label") == "Show to everyone"]
    await world.discord.press("bob", room, shown, share["custom_id"])
    await world.happens(lambda: not world.discord.shown_in(room)[-1].only_for)
    assert "Attention Is All" in words(world.discord.shown_in(room)[-1])
    assert await world.paperboy.stop() == 0
    world.nothing_was_refused()


# digests


async def _everybody_follows(world: World) -> tuple[Person, Group, Channel, Room, Room]:
    """A person, a group, a channel, and on Discord a person's direct messages and a channel."""
    telegram, discord = world.telegram, world.discord
    ada, group = telegram.user("ada"), telegram.group("Lab", admins=["ada"], members=["bob"])
    channel, room, direct = telegram.channel("News"), discord.channel("papers"), discord.direct("ada")
    ada.says(f"/subscribe {QUERY}")
    group.says("ada", f"/subscribe {QUERY}")
    channel.posts(f"/subscribe {QUERY}")
    await discord.command("ada", direct, "subscribe", query=QUERY)
    await discord.command("ada", room, "feed here")
    await discord.command("ada", room, "feed subscribe", query=QUERY)
    await world.happens(lambda: world.paperboy.rows("select count(*) from subscription") == [(5,)])
    await world.happens(lambda: ada.received() and group.received() and channel.received())
    await world.happens(lambda: len(discord.shown_in(room)) == 2 and discord.shown_in(direct))
    return ada, group, channel, room, direct


async def _pages_of(world: World, ada: Person) -> list[str]:
    """All pages of the newest digest, turned one by one, until the first is shown again."""
    pages = [ada.received()[-1].text]
    while pages[-1] != pages[0] or len(pages) == 1:
        ada.presses("▶")
        shown = pages[-1]
        await world.happens(lambda shown=shown: ada.received()[-1].text != shown)
        pages.append(ada.received()[-1].text)
    return pages[:-1]


async def _direct_pages_of(world: World, direct: Room) -> list[str]:
    discord = world.discord
    pages = words_in(discord, direct)[-1:]
    while pages[-1] != pages[0] or len(pages) == 1:
        message = discord.shown_in(direct)[-1]
        (forward,) = (part["custom_id"] for part in components(message) if part.get("label") == "▶")
        await discord.press("ada", direct, message, forward)
        shown = pages[-1]
        await world.happens(lambda shown=shown: words_in(discord, direct)[-1] != shown)
        pages.append(words_in(discord, direct)[-1])
    return pages[:-1]


async def test_the_digest_reaches_every_chat_once(world: World) -> None:
    await world.up()
    ada, group, channel, room, direct = await _everybody_follows(world)
    answers = len(group.received()), len(channel.received()), len(world.discord.shown_in(room))
    world.paperboy.let_the_time_come()
    await world.all_sent()
    assert world.paperboy.parts() == world.paperboy.parts("sent")

    assert told_of(PAPERS, await _pages_of(world, ada)) == list(PAPERS)
    assert told_of(PAPERS, await _direct_pages_of(world, direct)) == list(PAPERS)
    for digest in (group.received()[answers[0] :], channel.received()[answers[1] :]):
        assert told_of(PAPERS, texts(digest)) == list(PAPERS)
        ((name, page),) = files(digest)
        assert name.endswith(".html")
        assert told_of([escape(paper) for paper in PAPERS], [page]) == [escape(paper) for paper in PAPERS]
        assert all(message.quiet for message in digest)
    posted = world.discord.shown_in(room)[answers[2] :]
    assert told_of(PAPERS, map(words, posted)) == list(PAPERS)
    ((name, page),) = (file for message in posted for file in message.files.items())
    assert all(escape(paper) in page for paper in PAPERS)
    everything = [*texts(ada.received()), *texts(group.received()), *words_in(world.discord, room), page]
    assert told_of([ELSEWHERE], everything) == []

    await _nothing_comes_twice(world, ada, room)
    world.nothing_was_refused()
    world.no_secret_shows()
    assert world.paperboy.files == []


def _buttons(message: Shown) -> dict[str, str]:
    return {part.get("label", ""): part.get("custom_id", "") for part in components(message)}


async def test_what_a_member_follows_comes_in_private_or_by_name(world: World) -> None:
    telegram, discord = world.telegram, world.discord
    ada, group = telegram.user("ada"), telegram.group("Lab", admins=["bob"], members=["ada"])
    room = discord.channel("papers")
    await world.up()
    ada.says("/start")
    group.says("ada", f"/my {QUERY}")
    await discord.command("ada", room, "feed here")
    await discord.command("ada", room, "settings", change="members on")
    await discord.command("bob", room, "my", query=QUERY)
    await world.happens(
        lambda: world.paperboy.rows("select count(*) from subscription where owner != ''") == [(2,)]
    )
    for label in ("Show mine", "Here, with a ping"):
        await world.happens(lambda label=label: any(label in _buttons(one) for one in discord.shown_in(room)))
        (shown,) = [one for one in discord.shown_in(room) if label in _buttons(one)]
        assert shown.only_for
        await discord.press("bob", room, shown, _buttons(shown)[label])
    await world.happens(
        lambda: world.paperboy.rows("select count(*) from member where way = 'pinged'") == [(1,)]
    )
    # Discord lets a bot write first: carol never did. While she types nothing is opened.
    opened = sum(asked.path.endswith("users/@me/channels") for asked in discord.asked)
    await discord.complete("carol", room, "my", "query", "rein")
    await asyncio.sleep(0.5)
    assert sum(asked.path.endswith("users/@me/channels") for asked in discord.asked) == opened > 0
    await discord.command("carol", room, "my", query=QUERY)
    await world.happens(
        lambda: world.paperboy.rows("select count(*) from subscription where owner != ''") == [(3,)]
    )
    assert not any("cannot write to you yet" in words(one) for one in discord.shown_in(room))
    before = len(ada.received()), len(group.received()), len(discord.shown_in(room))
    world.paperboy.let_the_time_come()
    await world.all_sent()
    assert told_of(PAPERS, await _pages_of(world, ada)) == list(PAPERS)
    assert told_of(PAPERS, await _direct_pages_of(world, discord.direct("carol"))) == list(PAPERS)
    assert len(group.received()) == before[1]
    posted = discord.shown_in(room)[before[2] :]
    assert told_of(PAPERS, map(words, posted)) == list(PAPERS)
    assert any("bob" in words(one) for one in posted)
    (pinged,) = [one.body for one in posted if one.body.get("content")]
    assert pinged["content"] == f"<@{pinged['allowed_mentions']['users'][0]}>"
    assert pinged["allowed_mentions"]["parse"] == []
    assert await world.paperboy.stop() == 0
    world.nothing_was_refused()


async def test_a_member_is_pinged_in_a_telegram_group(world: World) -> None:
    telegram = world.telegram
    group = telegram.group("Lab", admins=["bob"], members=["ada"])
    ada = telegram.user("ada")
    await world.up()
    group.says("bob", "/settings members on")
    group.says("ada", f"/my {QUERY}")
    await world.happens(lambda: any("For yourself you follow" in text for text in texts(group.received())))
    group.says("ada", "/my")
    await world.happens(lambda: any("Here, with a ping" in one.labels for one in group.received()))
    group.presses("ada", "Here, with a ping")
    await world.happens(
        lambda: world.paperboy.rows("select count(*) from member where way = 'pinged'") == [(1,)]
    )
    before = len(group.received())
    world.paperboy.let_the_time_come()
    await world.all_sent()
    digest = group.received()[before:]
    assert told_of(PAPERS, texts(digest)) == list(PAPERS)
    mentions = [
        one["user"]["id"] for each in digest for one in each.entities if one["type"] == "text_mention"
    ]
    assert mentions == [ada.chat.id]
    assert await world.paperboy.stop() == 0
    world.nothing_was_refused()


async def _nothing_comes_twice(world: World, ada: Person, room: Room) -> None:
    """Neither after a restart nor when the same hour comes again."""
    parts, before = world.paperboy.parts(), (len(ada.received()), len(world.discord.shown_in(room)))
    assert await world.paperboy.stop() == 0
    registered = sum(asked.method == "PUT" for asked in world.discord.asked)
    await world.up()
    world.paperboy.let_the_time_come()
    await world.happens(lambda: world.paperboy.rows("select min(next_due) > unixepoch() from chat") == [(1,)])
    assert await world.paperboy.stop() == 0
    assert world.paperboy.parts() == parts
    assert (len(ada.received()), len(world.discord.shown_in(room))) == before
    # The commands have not changed, so Discord is not asked to take them again.
    assert sum(asked.method == "PUT" for asked in world.discord.asked) == registered
    assert world.paperboy.lines("ERROR") == []


# wrong tokens and lost platforms


async def _bob_is_answered_on_discord(world: World) -> None:
    direct = world.discord.direct("bob")
    await world.happens(lambda: world.discord.identified)
    await world.discord.command("bob", direct, "help")
    await world.happens(lambda: world.discord.shown_in(direct))


async def test_a_refused_token_ends_one_platform_alone(tmp_path: Path) -> None:
    async with world_in(tmp_path, telegram_token="4242:wrong-and-secret") as world:
        world.paperboy.start()
        await world.happens(lambda: world.paperboy.lines("PAPERBOY_TELEGRAM_TOKEN"))
        await _bob_is_answered_on_discord(world)
        assert await world.paperboy.stop() == 0
        (line,) = world.paperboy.lines("telegram is off")
        assert "PAPERBOY_TELEGRAM_TOKEN" in line
        assert "wrong-and-secret" not in world.paperboy.output
        assert "Traceback" not in world.paperboy.output


async def test_two_refused_tokens_end_the_process(tmp_path: Path) -> None:
    wrong = {"telegram_token": "4242:wrong-and-secret", "discord_token": "MTIzNDU2.wrong-and-secret"}
    async with world_in(tmp_path, **wrong) as world:
        world.paperboy.start()
        assert await world.paperboy.ended() == 1
        assert len(world.paperboy.lines("ERROR", "PAPERBOY_TELEGRAM_TOKEN")) == 1
        assert len(world.paperboy.lines("ERROR", "PAPERBOY_DISCORD_TOKEN")) == 1
        assert "wrong-and-secret" not in world.paperboy.output
        assert "Traceback" not in world.paperboy.output


async def test_telegram_is_lost_and_comes_back(tmp_path: Path) -> None:
    async with world_in(tmp_path, log_level="INFO") as world:
        await world.telegram.stop()
        world.paperboy.start()
        await world.happens(lambda: world.paperboy.lines("telegram is down"))
        await _bob_is_answered_on_discord(world)
        assert len(world.paperboy.lines("WARNING")) + len(world.paperboy.lines("ERROR")) <= 3
        await world.telegram.start()
        ada = world.telegram.user("ada")
        ada.says("/help")
        await world.happens(lambda: ada.received())
        assert await world.paperboy.stop() == 0
        assert "Traceback" not in world.paperboy.output
        world.no_secret_shows()


async def test_discord_cannot_be_reached(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        closed = free.getsockname()[1]
    lost = {"discord_api_url": f"http://127.0.0.1:{closed}/api/v10", "discord_gateway_url": ""}
    async with world_in(tmp_path, log_level="INFO", **lost) as world:
        world.paperboy.start()
        await world.happens(lambda: world.paperboy.lines("discord is down"))
        ada = world.telegram.user("ada")
        ada.says("/help")
        await world.happens(lambda: ada.received())
        assert await world.paperboy.stop(signal.SIGINT) == 0
        assert len(world.paperboy.lines("WARNING")) + len(world.paperboy.lines("ERROR")) <= 3
        assert "Traceback" not in world.paperboy.output
        world.no_secret_shows()


async def test_what_was_delivered_long_ago_is_cleared_away(tmp_path: Path) -> None:
    async with world_in(tmp_path) as world:
        now = datetime.now(UTC)
        store = open_store(world.paperboy.database)
        ada = chat_in(store, "1", platform=Platform.TELEGRAM, now=now)
        for run, planned in (("old", now - KEPT - timedelta(days=1)), ("new", now)):
            store.outbox.enqueue(Plan(ada, run, run, (run,), (), None), planned)
        store.db.execute("update delivery set state = 'sent', sent_at = not_before")
        store.close()
        world.paperboy.arguments = ("--only", "scheduler")
        world.paperboy.start()
        await world.happens(lambda: world.paperboy.rows("select text from body") == [("new",)])
        assert world.paperboy.rows("select run_key from delivery") == [("new",)]
        assert await world.paperboy.stop() == 0
        assert world.paperboy.lines("ERROR") == []
