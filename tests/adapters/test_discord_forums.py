"""A forum's daily post, and commands that name another channel: simcord for people, sockets for what goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from types import SimpleNamespace

import discord
import pytest
import simcord
from simcord.backend.models.channel import Overwrite
from simcord.enums import OverwriteType

from bot.adapters.discord import DiscordAdapter
from bot.adapters.discord.client import PaperboyClient
from bot.parts import as_post, make_parts
from bot.ports import Ambiguous, Outcome, Part, Paused, Rejected, Rights, RightsUnknown, Sent
from scheduler.models import ChatKind, ChatRef, Platform
from tests.adapters.contract import eventually
from tests.adapters.discord_office import Office, said
from tests.adapters.test_discord_people import RIGHTS, Server, ref, text_of
from tests.fakes.discord_server import ANSWER_LOST, HANG_UP, FakeDiscord, Refused, Room, until_connected

DAY = "Tuesday, 29 September 2026"


@pytest.fixture
def office() -> Office:
    return Office()


@pytest.fixture
def adapter(office: Office) -> DiscordAdapter:
    return office.adapter()


@pytest.fixture
def simcord_bot(adapter: DiscordAdapter) -> PaperboyClient:
    return adapter.client()


@pytest.fixture
def server(simcord_env: simcord.Env) -> Server:
    return Server(simcord_env)


def digest(*texts: str) -> tuple[Part, ...]:
    """A part for each text, as a forum gets them."""
    parts = [part for text in texts for part in make_parts(said(text), Platform.DISCORD)]
    return as_post(parts, DAY)


# commands that name a channel


async def test_a_forum_is_named_by_a_command_given_elsewhere(server: Server, office: Office) -> None:
    forum = server.guild.create_forum_channel("daily")
    result = await server.ada.slash(server.papers, "feed here", channel=forum)
    (request,) = office.requests
    assert (request.chat, request.kind, request.chat_title) == (ref(forum), ChatKind.FORUM, "#daily")
    assert (request.may_manage, request.elsewhere) == (True, True)
    assert result.ephemeral, "what is for another channel is not shown in this one"


async def test_the_channel_itself_named_is_no_other_one(server: Server, office: Office) -> None:
    await server.ada.slash(server.papers, "feed subscribe", query="rl", channel=server.papers)
    assert (office.requests[0].chat, office.requests[0].elsewhere) == (ref(server.papers), False)


async def test_who_does_not_manage_the_named_channel_may_not_change_it(
    server: Server, office: Office
) -> None:
    news = server.guild.create_news_channel("news")
    deny = Overwrite(
        server.ada.id, OverwriteType.MEMBER, deny=discord.Permissions(manage_channels=True).value
    )
    server.env.backend.edit_channel(news.id, {}, overwrites=[deny])
    await server.ada.slash(server.papers, "feed subscribe", query="rl", channel=news)
    (request,) = office.requests
    assert (request.chat, request.kind, request.may_manage) == (ref(news), ChatKind.CHANNEL, False)


async def test_a_forum_where_a_right_is_missing_is_refused_by_its_name(
    server: Server, office: Office
) -> None:
    forum = server.guild.create_forum_channel("daily")
    server.grant(RIGHTS & ~discord.Permissions(send_messages=True, send_messages_in_threads=True))
    result = await server.ada.slash(server.papers, "feed here", channel=forum)
    assert office.requests == []
    assert result.response is not None
    assert "#daily" in result.response.content
    assert "Create Posts and Send Messages in Posts" in result.response.content


async def test_suggestions_are_those_of_the_named_channel_for_who_manages_it(
    server: Server, office: Office
) -> None:
    forum = server.guild.create_forum_channel("daily")
    await server.ada.autocomplete(server.papers, "feed unsubscribe", "query", "r", channel=forum)
    ((request, _),) = office.completions
    assert (request.chat, request.kind, request.chat_title) == (ref(forum), ChatKind.FORUM, "#daily")


async def test_discord_tells_who_manages_a_channel(adapter: DiscordAdapter, server: Server) -> None:
    here = ref(server.papers)
    assert await adapter.rights(here, ChatKind.GROUP, str(server.ada.id)) == Rights(True)
    assert await adapter.rights(here, ChatKind.GROUP, str(server.bob.id)) == Rights(False)
    assert await adapter.rights(here, ChatKind.GROUP, "42") == Rights(False)
    server.grant(RIGHTS & ~discord.Permissions(embed_links=True))
    rights = await adapter.rights(here, ChatKind.GROUP, str(server.ada.id))
    assert rights.obstacle == Paused("no_rights", ("Embed Links",))
    with pytest.raises(RightsUnknown):
        await adapter.rights(ChatRef(Platform.DISCORD, "42"), ChatKind.GROUP, str(server.ada.id))


# posts


async def send(adapter: DiscordAdapter, chat: ChatRef, parts: tuple[Part, ...]) -> str:
    """Sends parts as the outbox does, and gives the post that they stand in."""
    thread = ""
    for number, part in enumerate(parts):
        outcome = await adapter.send(replace(chat, thread_id=thread), part, f"run/{number}")
        assert isinstance(outcome, Sent)
        thread = outcome.thread
    return thread


async def test_a_digest_is_one_post_named_by_its_day(adapter: DiscordAdapter, server: Server) -> None:
    forum = server.guild.create_forum_channel("daily")
    thread = await send(adapter, ref(forum), digest("one", "two", "three"))
    (post,) = forum.threads
    assert (str(post.id), post.name) == (thread, DAY)
    assert [text_of(message) for message in post.history()] == ["one", "two", "three"]
    assert all(message.flags.suppress_notifications for message in post.history())


async def test_a_part_without_a_post_is_a_message_like_any_other(
    adapter: DiscordAdapter, server: Server
) -> None:
    (part,) = digest("one")
    assert isinstance(await adapter.send(ref(server.papers), part, "run/0"), Sent)
    assert [text_of(message) for message in server.papers.history()] == ["one"]


async def test_what_was_made_for_a_channel_becomes_a_post_named_by_its_first_words(
    adapter: DiscordAdapter, server: Server
) -> None:
    forum = server.guild.create_forum_channel("daily")
    (part,) = make_parts(said("Monday's papers", "one"), Platform.DISCORD)
    assert isinstance(await adapter.send(ref(forum), part, "run/0"), Sent)
    (post,) = forum.threads
    assert post.name == "Monday's papers"


# posts over sockets


@dataclass
class Forum:
    """A running adapter with one forum."""

    server: FakeDiscord
    adapter: DiscordAdapter
    room: Room

    @property
    def chat(self) -> ChatRef:
        return ChatRef(Platform.DISCORD, str(self.room.id))

    async def send(self, part: Part, key: str, thread: str = "") -> Outcome:
        return await self.adapter.send(replace(self.chat, thread_id=thread), part, key)

    def texts(self) -> list[list[str]]:
        """What stands in each post."""
        return [
            [message.body["embeds"][0]["description"] for message in self.server.shown_in(post)]
            for post in self.server.posts_in(self.room)
        ]


async def forum_with(*tags: str, type: int = 15) -> AsyncIterator[Forum]:
    fake = FakeDiscord()
    await fake.start()
    room = fake.channel("daily", type, tags)
    adapter = Office().adapter(token=fake.token, api_url=fake.api_url, gateway_url=fake.gateway_url)
    running = asyncio.create_task(adapter.run())
    await until_connected(fake)
    yield Forum(fake, adapter, room)
    running.cancel()
    await asyncio.wait({running})
    await fake.stop()
    assert fake.problems == []


@pytest.fixture
async def forum(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Forum]:
    async def at_once(_seconds: float) -> None:
        return None

    async for one in forum_with():
        monkeypatch.setattr("discord.http.asyncio", SimpleNamespace(**(vars(asyncio) | {"sleep": at_once})))
        yield one


async def test_after_a_kill_the_digest_goes_on_in_the_same_post(forum: Forum) -> None:
    first, second = digest("one", "two")
    sent = await forum.send(first, "run/0")
    assert isinstance(sent, Sent)
    # Killed before that was written down: both parts are sent again.
    assert await forum.send(first, "run/0") == sent
    for _ in range(2):
        assert isinstance(await forum.send(second, "run/1", sent.thread), Sent)
    assert forum.texts() == [["one", "two"]]


async def test_another_digest_of_the_day_joins_its_post(forum: Forum) -> None:
    (first,), (evening,) = digest("one"), digest("late papers")
    sent = await forum.send(first, "08:00/0")
    assert isinstance(sent, Sent)
    for _ in range(2):
        joined = await forum.send(evening, "20:00/0")
        assert isinstance(joined, Sent)
        assert joined.thread == sent.thread
    assert forum.texts() == [["one", "late papers"]]


@pytest.mark.parametrize("status", [500, 502, 504])
async def test_a_server_error_never_makes_two_posts(forum: Forum, status: int) -> None:
    (first,) = digest("one")
    forum.server.refuse(Refused(status))
    assert await forum.send(first, "run/0") == Ambiguous(f"server error {status}")
    made = [asked for asked in forum.server.asked if asked.path.endswith("/threads")]
    assert len(made) == 1, "the library does not repeat it"
    assert isinstance(await forum.send(first, "run/0"), Sent)
    assert forum.texts() == [["one"]]


async def test_a_lost_answer_to_a_post_that_stands_is_found_again(forum: Forum) -> None:
    (first,) = digest("one")
    forum.server.refuse(ANSWER_LOST)
    assert isinstance(await forum.send(first, "run/0"), Ambiguous)
    assert isinstance(await forum.send(first, "run/0"), Sent)
    assert forum.texts() == [["one"]]


async def test_a_post_that_is_deleted_in_between_ends_its_digest_alone(forum: Forum) -> None:
    first, second = digest("one", "two")
    sent = await forum.send(first, "run/0")
    assert isinstance(sent, Sent)
    forum.server.refuse(Refused(404, 10003))
    assert await forum.send(second, "run/1", sent.thread) == Rejected("its post was deleted")
    forum.server.refuse(Refused(400, 50083))
    assert await forum.send(second, "run/1", sent.thread) == Rejected("its post was locked")


async def test_a_refused_post_is_made_as_plain_text(forum: Forum) -> None:
    (first,) = digest("A *paper*")
    forum.server.refuse(Refused(400, 50035))
    assert isinstance(await forum.send(first, "run/0"), Sent)
    (post,) = forum.server.posts_in(forum.room)
    assert forum.server.shown_in(post)[0].body["content"] == r"A \*paper\*"


async def test_a_forum_that_demands_a_tag_gets_a_fitting_one() -> None:
    async for forum in forum_with("talk", "Papers"):
        (first,) = digest("one")
        assert isinstance(await forum.send(first, "run/0"), Sent)
        (made,) = (asked for asked in forum.server.asked if asked.path.endswith("/threads"))
        assert made.json["applied_tags"] == ["901"]


async def test_a_tag_that_cannot_be_had_pauses_with_its_reason(forum: Forum) -> None:
    (first,) = digest("one")
    forum.server.refuse(Refused(400, 40067))
    assert await forum.send(first, "run/0") == Paused("no_tag")
    assert isinstance(await forum.send(first, "run/0"), Sent)


async def test_a_media_channel_pauses_with_its_reason() -> None:
    async for media in forum_with(type=16):
        (first,) = digest("one")
        assert await media.send(first, "run/0") == Paused("media")
        assert [asked for asked in media.server.asked if asked.method == "POST"] == []


async def test_a_media_channel_is_refused_by_its_name() -> None:
    async for media in forum_with(type=16):
        media.server.person("ada", manages=True)
        here = media.server.channel("talk")
        asked = await media.server.command("ada", here, "feed here", channel=media.room)
        await eventually(lambda: bool(asked.callbacks))  # noqa: B023
        assert "#daily is a media channel" in asked.callbacks[0]["data"]["content"]


async def test_a_hang_up_while_posting_is_ambiguous_and_not_repeated(forum: Forum) -> None:
    (first,) = digest("one")
    forum.server.refuse(HANG_UP)
    assert isinstance(await forum.send(first, "run/0"), Ambiguous)
    assert isinstance(await forum.send(first, "run/0"), Sent)
    assert forum.texts() == [["one"]]
