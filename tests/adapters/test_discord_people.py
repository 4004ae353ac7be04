"""People on Discord: the real client inside an offline Discord (simcord)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import discord
import pytest
import simcord
from simcord.backend.errors import SetupError

from bot.adapters.discord import DiscordAdapter
from bot.adapters.discord.client import PaperboyClient
from bot.parts import make_parts
from bot.ports import Attachment, Button, Gone, Keyboard, Part, Paused, Reply, Sent, Suggestion
from scheduler.models import ChatKind, ChatRef, Platform
from tests.adapters.discord_office import COMMANDS, Office, said
from tests.judges import discord_spec

RIGHTS = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    embed_links=True,
    attach_files=True,
    read_message_history=True,
    use_application_commands=True,
)
NEXT = Button("Next page", "page:2")
CARDS = tuple(Button(f"{number}  Paper {number}", f"card:{number}") for number in range(1, 13))


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
def env(simcord_env: simcord.Env) -> Iterator[simcord.Env]:
    """The offline Discord; every request of ours must be one that Discord describes."""
    yield simcord_env
    if discord_spec.is_here():
        for entry in simcord_env.http_requests:
            discord_spec.check_request(entry.method, entry.path, entry.json)


@pytest.fixture
def server(env: simcord.Env) -> Server:
    return Server(env)


class Server:
    """A server with a channel #papers, ada who manages channels, and bob who does not."""

    def __init__(self, env: simcord.Env) -> None:
        self.env = env
        self.guild = env.create_guild("Lab")
        self.own_role = self.guild.roles[env.backend.bot_user.name]
        env.backend.edit_role(self.guild.id, self.own_role.id, {"permissions": 0})
        self.grant(RIGHTS)
        managers = self.guild.create_role("managers", permissions=discord.Permissions(manage_channels=True))
        self.papers = self.guild.create_text_channel("papers")
        self.ada = self.guild.add_member(env.create_user("ada"), roles=[managers])
        self.bob = self.guild.add_member(env.create_user("bob"))

    def grant(self, rights: discord.Permissions) -> None:
        """What everybody, the bot included, may do from now on."""
        self.env.backend.edit_role(self.guild.id, self.guild.id, {"permissions": rights.value})

    def thread(self, name: str = "a paper") -> simcord.ChannelHandle:
        self.env.backend.create_thread(self.papers.id, name, owner_id=self.ada.id)
        return self.papers.threads[-1]


def ref(channel: Any) -> ChatRef:
    return ChatRef(Platform.DISCORD, str(channel.id))


def text_of(message: Any) -> str:
    """Everything that a message says."""
    embeds = [part for embed in message.embeds for part in (embed.title, embed.description) if part]
    return "\n".join([message.content, *embeds]).strip()


def digest_part() -> Part:
    (part,) = make_parts(
        said("1 A paper"), Platform.DISCORD, Keyboard(((NEXT,),)), Attachment("digest.html", "<p>强</p>")
    )
    return part


# commands


async def test_the_table_becomes_slash_commands(env: simcord.Env) -> None:
    (request,) = [entry for entry in env.http_requests if entry.method == "PUT"]
    registered = {command["name"]: command for command in request.json or ()}
    assert list(registered) == ["search", "subscribe", "unsubscribe", "subscriptions", "schedule", "feed"]
    search = registered["search"]
    assert search["description"] == "Search every paper seen"
    assert search["description_localizations"] == {"zh-CN": "搜索所有论文", "zh-TW": "搜索所有论文"}
    assert (search["contexts"], search["integration_types"]) == ([0, 1, 2], [0, 1])
    (option,) = search["options"]
    assert (option["name"], option["required"], option["autocomplete"]) == ("query", True, True)
    assert option["description_localizations"]["zh-CN"] == "要找的词"


async def test_the_feed_is_for_who_manages_channels_of_a_server(env: simcord.Env, server: Server) -> None:
    (request,) = [entry for entry in env.http_requests if entry.method == "PUT"]
    (feed,) = [command for command in request.json or () if command["name"] == "feed"]
    assert (feed["contexts"], feed["integration_types"]) == ([0], [0])
    assert feed["default_member_permissions"] == discord.Permissions(manage_channels=True).value
    names = [option["name"] for option in feed["options"]]
    assert names == ["here", "stop", "take", "subscribe", "unsubscribe", "subscriptions"]
    for option in feed["options"]:
        (channel,) = (one for one in option["options"] if one["name"] == "channel")
        assert (channel["type"], channel["channel_types"]) == (7, [0, 5, 15, 16])
    assert "feed here" in server.ada.available_commands(server.papers)
    assert "feed here" not in server.bob.available_commands(server.papers)
    assert "search" in server.bob.available_commands(server.papers)
    assert not any(name.startswith("feed") for name in env.create_user("eve").available_commands())


async def test_commands_are_registered_again_only_when_they_changed(env: simcord.Env, office: Office) -> None:
    def registrations() -> int:
        return sum(entry.method == "PUT" for entry in env.http_requests)

    assert registrations() == 1
    await env.restart_bot(office.adapter().client())
    assert registrations() == 1
    reworded = replace(COMMANDS[0], summary={"en": "Search the papers", "zh": "搜索所有论文"})
    await env.restart_bot(office.adapter(commands=(reworded, *COMMANDS[1:])).client())
    assert registrations() == 2
    other_chinese = replace(COMMANDS[0], summary={"en": "Search the papers", "zh": "搜索论文"})
    await env.restart_bot(office.adapter(commands=(other_chinese, *COMMANDS[1:])).client())
    assert registrations() == 3


async def test_a_direct_message_is_a_private_chat(env: simcord.Env, office: Office) -> None:
    ada = env.create_user("ada", global_name="Ada L.")
    result = await ada.slash("subscribe", query='  "diffusion policy" -survey ')
    (request,) = office.requests
    assert (request.command, request.text, request.action) == (
        "subscribe",
        '"diffusion policy" -survey',
        "",
    )
    assert request.chat == ref(ada.dm_channel)
    assert (request.kind, request.may_manage) == (ChatKind.PRIVATE, True)
    assert (request.user, request.chat_title, request.lang) == (str(ada.id), "Ada L.", "en")
    assert not result.ephemeral
    assert result.response is not None
    assert text_of(result.response) == "ok"


async def test_a_channel_answers_the_asker_alone(server: Server, office: Office) -> None:
    result = await server.bob.slash(server.papers, "search", query="rl")
    (request,) = office.requests
    assert (request.chat, request.kind) == (ref(server.papers), ChatKind.GROUP)
    assert (request.may_manage, request.chat_title) == (False, "#papers")
    assert result.ephemeral
    assert server.papers.history(viewer=server.ada) == []
    (shown,) = server.papers.history(viewer=server.bob)
    assert text_of(shown) == "ok"


async def test_who_manages_channels_manages_the_feed(server: Server, office: Office) -> None:
    await server.ada.slash(server.papers, "feed subscribe", query="rl")
    await server.ada.slash(server.papers, "feed subscriptions")
    await server.ada.slash(server.papers, "feed stop")
    assert [(request.command, request.text) for request in office.requests] == [
        ("subscribe", "rl"),
        ("subscriptions", ""),
        ("feed", "stop"),
    ]
    assert all(request.may_manage and request.chat == ref(server.papers) for request in office.requests)


async def test_a_thread_and_an_announcement_channel_are_chats_of_their_own(
    server: Server, office: Office
) -> None:
    thread, news = server.thread(), server.guild.create_news_channel("news")
    await server.ada.slash(thread, "search", query="rl")
    await server.ada.slash(news, "search", query="rl")
    assert [(request.chat, request.kind) for request in office.requests] == [
        (ref(thread), ChatKind.GROUP),
        (ref(news), ChatKind.CHANNEL),
    ]


async def test_several_arguments_are_one_line(env: simcord.Env, office: Office) -> None:
    ada = env.create_user("ada")
    await ada.slash("schedule", zone="Europe/Berlin", time="08:00")
    await ada.slash("schedule", zone="UTC")
    await ada.slash("schedule")
    assert [request.text for request in office.requests] == ["08:00 Europe/Berlin", "UTC", ""]


async def test_a_long_answer_comes_in_order(server: Server, office: Office) -> None:
    office.replies["search"] = Reply(tuple(block for n in range(200) for block in said(f"{n:03}" + "x" * 97)))
    result = await server.bob.slash(server.papers, "search", query="rl")
    assert result.response is not None
    messages = [result.response, *result.followups]
    assert len(messages) > 3
    numbers = [line[:3] for message in messages for line in text_of(message).split("\n") if line]
    assert numbers == [f"{n:03}" for n in range(200)]
    assert all(message.ephemeral for message in messages)


async def test_an_answer_for_everybody_takes_the_hidden_ones_place(server: Server, office: Office) -> None:
    office.replies["search"] = Reply(said("for all"), private=False)
    await server.bob.slash(server.papers, "search", query="rl")
    (shown,) = server.papers.history(viewer=server.ada)
    assert text_of(shown) == "for all"
    assert [text_of(message) for message in server.papers.history(viewer=server.bob)] == ["for all"]


async def test_an_empty_answer_leaves_nothing(server: Server, office: Office) -> None:
    office.replies["search"] = Reply()
    await server.bob.slash(server.papers, "search", query="rl")
    assert server.papers.history(viewer=server.bob) == []


async def test_a_short_word_is_the_answer_where_there_is_no_other(server: Server, office: Office) -> None:
    office.replies["search"] = Reply(toast="*Saved*")
    result = await server.bob.slash(server.papers, "search", query="rl")
    assert result.response is not None
    assert result.response.content == r"\*Saved\*"


async def test_an_answer_with_a_file(server: Server, office: Office) -> None:
    office.replies["search"] = Reply(said("as a page"), attachment=Attachment("digest.html", "<p>强</p>"))
    result = await server.bob.slash(server.papers, "search", query="rl")
    assert result.response is not None
    (file,) = result.response.attachments
    assert (file.filename, file.size) == ("digest.html", len("<p>强</p>".encode()))


async def test_a_failing_answer_is_owned_up_to(
    env: simcord.Env, server: Server, office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    office.fails = True
    result = await server.bob.slash(server.papers, "search", query="rl")
    assert result.response is not None
    assert "my fault" in result.response.content
    assert result.ephemeral
    assert env.errors == []
    assert "as this test wants" in caplog.text


async def test_a_command_that_is_no_more_is_answered(
    env: simcord.Env, server: Server, office: Office
) -> None:
    fewer = office.adapter(commands=COMMANDS[1:]).client()
    before = env.backend.commands[None]
    await env.restart_bot(fewer)
    # A client that has not yet been told of the new commands still offers the old ones.
    env.backend.commands[None] = before
    result = await server.bob.slash(server.papers, "search", query="rl")
    assert office.requests == []
    assert result.response is not None
    assert "did not work" in result.response.content
    assert [type(error) for error in env.errors] == [discord.app_commands.CommandNotFound]


# autocomplete


async def test_what_is_typed_is_completed(server: Server, office: Office) -> None:
    office.suggestions = (Suggestion("reinforcement learning", "7"), Suggestion("L" * 120, "8"))
    choices = await server.bob.autocomplete(server.papers, "search", "query", "rei")
    assert [(choice["name"], choice["value"]) for choice in choices] == [
        ("reinforcement learning", "7"),
        ("L" * 100, "8"),
    ]
    ((request, parameter),) = office.completions
    assert (request.command, request.text, parameter) == ("search", "rei", "query")
    assert request.chat == ref(server.papers)
    assert office.requests == []


async def test_no_more_than_discord_takes_is_offered(server: Server, office: Office) -> None:
    office.suggestions = (
        Suggestion("too long to be right", "x" * 101),
        Suggestion("nothing", ""),
        *(Suggestion(f"{number}", f"{number}") for number in range(40)),
    )
    choices = await server.ada.autocomplete(server.papers, "feed unsubscribe", "query", "")
    assert [choice["value"] for choice in choices] == [str(number) for number in range(25)]
    assert office.completions[0][0].command == "unsubscribe"


async def test_failing_suggestions_are_none(env: simcord.Env, server: Server, office: Office) -> None:
    office.fails = True
    assert await server.bob.autocomplete(server.papers, "search", "query", "rei") == []
    assert env.errors == []


# what is written in direct messages


async def test_what_is_written_in_private_is_answered(env: simcord.Env, office: Office) -> None:
    ada = env.create_user("ada", global_name="Ada L.")
    await ada.send_dm("https://arxiv.org/abs/2609.31644")
    (request,) = office.requests
    assert (request.command, request.action, request.text) == ("", "", "https://arxiv.org/abs/2609.31644")
    assert (request.chat, request.kind, request.user) == (ref(ada.dm_channel), ChatKind.PRIVATE, str(ada.id))
    assert request.may_manage
    assert text_of(ada.dm_channel.history()[-1]) == "ok"
    assert len(ada.dm_channel.history()) == 2


async def test_a_slow_answer_in_private_takes_its_beginnings_place(env: simcord.Env, office: Office) -> None:
    async def later() -> Reply:
        return Reply(said("the card"))

    office.replies[""] = Reply(said("looking it up"), later=later)
    ada = env.create_user("ada")
    await ada.send_dm("2609.31644")
    assert [text_of(message) for message in ada.dm_channel.history()] == ["2609.31644", "the card"]


async def test_talk_in_a_channel_is_not_ours(server: Server, office: Office) -> None:
    await server.bob.send(server.papers, "2609.31644 is nice")
    assert office.requests == []


async def test_a_slow_answer_to_a_press_takes_its_beginnings_place(server: Server, office: Office) -> None:
    async def later() -> Reply:
        return Reply(said("the card"))

    office.replies["search"] = Reply(said("page 1"), Keyboard(((NEXT,),)), private=False)
    office.replies["page:2"] = Reply(said("looking it up"), later=later)
    await server.bob.slash(server.papers, "search", query="rl")
    await server.bob.click(server.papers.history()[0], label="Next page")
    assert [text_of(one) for one in server.papers.history(viewer=server.bob)] == ["page 1", "the card"]


# buttons


async def test_a_button_outlives_a_restart(env: simcord.Env, server: Server, office: Office) -> None:
    office.replies["search"] = Reply(said("page 1"), Keyboard(((NEXT,),)), private=False)
    await server.bob.slash(server.papers, "search", query="rl")
    await env.restart_bot(office.adapter().client())
    office.replies["page:2"] = Reply(said("page 2"))
    result = await server.bob.click(server.papers.history()[0], label="Next page")
    assert office.requests[-1].action == "page:2"
    assert (office.requests[-1].command, office.requests[-1].text) == ("", "")
    (card,) = result.followups
    assert text_of(card) == "page 2"
    assert card.ephemeral


async def test_a_page_is_turned_in_place(env: simcord.Env, office: Office) -> None:
    ada = env.create_user("ada")
    office.replies["search"] = Reply(said("page 1"), Keyboard(((NEXT,),)))
    office.replies["page:2"] = Reply(said("page 2"), in_place=True)
    shown = (await ada.slash("search", query="rl")).response
    assert shown is not None
    result = await ada.click(shown.message, label="Next page")
    assert result.followups == []
    (message,) = ada.dm_channel.history()
    assert text_of(message) == "page 2"
    assert message.components == []


async def test_only_a_manager_changes_what_others_see(server: Server, office: Office) -> None:
    office.replies["search"] = Reply(said("page 1"), Keyboard(((NEXT,),)), private=False)
    office.replies["page:2"] = Reply(said("page 2"), Keyboard(((NEXT,),)), in_place=True)
    await server.bob.slash(server.papers, "search", query="rl")
    (message,) = server.papers.history()
    result = await server.bob.click(message, label="Next page")
    assert [(text_of(card), card.ephemeral) for card in result.followups] == [("page 2", True)]
    assert text_of(server.papers.history(viewer=server.ada)[0]) == "page 1"
    await server.ada.click(message, label="Next page")
    assert text_of(server.papers.history(viewer=server.ada)[0]) == "page 2"


async def test_ones_own_hidden_page_may_be_turned(server: Server, office: Office) -> None:
    office.replies["search"] = Reply(said("page 1"), Keyboard(((NEXT,),)))
    office.replies["page:2"] = Reply(said("page 2"), in_place=True)
    result = await server.bob.slash(server.papers, "search", query="rl")
    assert result.response is not None
    await server.bob.click(result.response, label="Next page")
    assert [text_of(message) for message in server.papers.history(viewer=server.bob)] == ["page 2"]


async def test_a_short_word_is_seen_by_who_pressed(server: Server, office: Office) -> None:
    office.replies["search"] = Reply(said("page 1"), Keyboard(((NEXT,),)), private=False)
    office.replies["page:2"] = Reply(toast="Saved")
    await server.bob.slash(server.papers, "search", query="rl")
    result = await server.bob.click(server.papers.history()[0], label="Next page")
    assert [(word.content, word.ephemeral) for word in result.followups] == [("Saved", True)]


async def test_choices_are_one_select(adapter: DiscordAdapter, server: Server, office: Office) -> None:
    keyboard = Keyboard(((NEXT,),), CARDS, "Open a paper…")
    (part,) = make_parts(said("a digest"), Platform.DISCORD, keyboard)
    assert isinstance(await adapter.send(ref(server.papers), part, "run/0"), Sent)
    (message,) = server.papers.history()
    rows: Any = message.components
    (select,), (button,) = rows[0].children, rows[1].children
    assert select.placeholder == "Open a paper…"
    assert [option.label for option in select.options] == [card.label for card in CARDS]
    assert button.custom_id == "pb:page:2"
    result = await server.bob.select(message, ["card:12"])
    assert office.requests[-1].action == "card:12"
    assert [card.ephemeral for card in result.followups] == [True]


async def test_shown_buttons_are_not_kept_in_memory(
    adapter: DiscordAdapter, simcord_bot: PaperboyClient, server: Server, office: Office
) -> None:
    office.replies["search"] = Reply(said("page 1"), Keyboard(((NEXT,),), CARDS))
    await adapter.send(ref(server.papers), digest_part(), "run/0")
    await server.bob.slash(server.papers, "search", query="rl")
    assert list(simcord_bot.persistent_views) == []


async def test_a_failing_answer_to_a_press_is_owned_up_to(
    env: simcord.Env, server: Server, office: Office
) -> None:
    office.replies["search"] = Reply(said("page 1"), Keyboard(((NEXT,),)), private=False)
    await server.bob.slash(server.papers, "search", query="rl")
    office.fails = True
    result = await server.bob.click(server.papers.history()[0], label="Next page")
    assert [("my fault" in word.content, word.ephemeral) for word in result.followups] == [(True, True)]
    assert text_of(server.papers.history()[0]) == "page 1"
    assert env.errors == []


# rights


@pytest.mark.parametrize(
    ("lacking", "named"),
    [
        ({"embed_links": False}, "Embed Links"),
        ({"send_messages": False, "attach_files": False}, "Attach Files and Send Messages"),
    ],
)
async def test_a_feed_needs_rights(
    server: Server, office: Office, lacking: dict[str, bool], named: str
) -> None:
    rights = discord.Permissions(RIGHTS.value)
    rights.update(**lacking)
    server.grant(rights)
    result = await server.ada.slash(server.papers, "feed here")
    assert office.requests == []
    assert result.response is not None
    assert f"#papers yet. My role lacks: {named}. Grant" in result.response.content
    assert result.ephemeral
    server.grant(RIGHTS)
    result = await server.ada.slash(server.papers, "feed here")
    assert [(request.command, request.text) for request in office.requests] == [("feed", "here")]
    assert not result.ephemeral


async def test_a_feed_in_a_thread_needs_the_threads_right(server: Server, office: Office) -> None:
    thread = server.thread()
    rights = discord.Permissions(RIGHTS.value)
    rights.update(send_messages=False)
    server.grant(rights)
    await server.ada.slash(thread, "feed here")
    assert [request.chat for request in office.requests] == [ref(thread)]
    rights.update(send_messages=True, send_messages_in_threads=False)
    server.grant(rights)
    result = await server.ada.slash(thread, "feed here")
    assert result.response is not None
    assert "Send Messages in Threads" in result.response.content


# deliveries


async def test_a_digest_is_posted_without_sound(adapter: DiscordAdapter, server: Server) -> None:
    outcome = await adapter.send(ref(server.papers), digest_part(), "run/0")
    (message,) = server.papers.history(viewer=server.bob)
    assert outcome == Sent(str(message.id))
    assert text_of(message) == "1 A paper"
    assert message.flags.suppress_notifications
    assert [file.filename for file in message.attachments] == ["digest.html"]


async def test_a_digest_with_sound(adapter: DiscordAdapter, server: Server) -> None:
    await adapter.send(ref(server.papers), replace(digest_part(), quiet=False), "run/0")
    assert not server.papers.history()[0].flags.suppress_notifications


async def test_a_digest_in_a_thread_by_either_address(adapter: DiscordAdapter, server: Server) -> None:
    thread = server.thread()
    assert isinstance(await adapter.send(ref(thread), digest_part(), "run/0"), Sent)
    below = ChatRef(Platform.DISCORD, str(server.papers.id), str(thread.id))
    assert isinstance(await adapter.send(below, digest_part(), "run/1"), Sent)
    assert len([message for message in thread.history() if message.embeds]) == 2


async def test_mentions_do_not_ring(env: simcord.Env, adapter: DiscordAdapter, server: Server) -> None:
    part = Part(cards=(), plain="@everyone", keyboard=Keyboard(((NEXT,),)))
    await adapter.send(ref(server.papers), part, "run/0")
    posted = [entry.json for entry in env.http_requests if entry.path.endswith("/messages")]
    assert posted[-1] is not None
    assert posted[-1]["allowed_mentions"]["parse"] == []


@pytest.mark.parametrize(
    ("lacking", "expected"),
    [
        ({"send_messages": False}, Paused("no_rights", ("Send Messages",))),
        (
            {"view_channel": False},
            Paused("no_access", ("View Channel",)),
        ),
    ],
)
async def test_what_is_missing_is_named(
    adapter: DiscordAdapter, server: Server, lacking: dict[str, bool], expected: Paused
) -> None:
    rights = discord.Permissions(RIGHTS.value)
    rights.update(**lacking)
    server.grant(rights)
    outcome = await adapter.send(ref(server.papers), digest_part(), "run/0")
    assert outcome == expected


async def test_a_chat_that_is_no_number(adapter: DiscordAdapter, env: simcord.Env) -> None:
    before = len(env.http_requests)
    outcome = await adapter.send(ChatRef(Platform.DISCORD, "papers"), digest_part(), "run/0")
    assert "papers" in getattr(outcome, "reason", "")
    assert len(env.http_requests) == before


# news


async def test_a_lost_server_is_told_for_each_of_its_channels(
    env: simcord.Env, server: Server, office: Office
) -> None:
    thread, other = server.thread(), server.guild.create_text_channel("other")
    await env.settle()
    office.standings.clear()
    env.backend.remove_guild(server.guild.id)
    await env.settle()
    assert {str(chat.chat_id) for chat, _ in office.standings} >= {
        str(place.id) for place in (server.papers, thread, other)
    }
    assert {standing for _, standing in office.standings} == {Gone("gone_guild")}


async def test_a_deleted_channel_and_its_threads_are_gone(
    env: simcord.Env, server: Server, office: Office
) -> None:
    thread = server.thread()
    await env.settle()
    office.standings.clear()
    env.backend.delete_channel(server.papers.id)
    await env.settle()
    assert (ref(server.papers), Gone("gone_channel")) in office.standings
    assert (ref(thread), Gone("gone_channel")) in office.standings


async def test_a_deleted_thread_is_gone(env: simcord.Env, server: Server, office: Office) -> None:
    thread = server.thread()
    await env.settle()
    env.backend.delete_channel(thread.id)
    await env.settle()
    assert office.standings[-1:] == [(ref(thread), Gone("gone_channel"))]


async def test_rights_that_are_given_back_take_a_chat_back(
    env: simcord.Env, server: Server, office: Office
) -> None:
    server.grant(discord.Permissions.none())
    await env.settle()
    assert office.standings == []
    env.backend.edit_role(server.guild.id, server.own_role.id, {"permissions": RIGHTS.value})
    await env.settle()
    assert office.standings == [(ref(server.papers), None)]


async def test_an_overwrite_that_is_lifted_takes_a_chat_back(
    env: simcord.Env, server: Server, office: Office
) -> None:
    everyone = server.guild.default_role
    shut = server.guild.create_text_channel(
        "shut", overwrites={everyone: discord.PermissionOverwrite(send_messages=False)}
    )
    await env.settle()
    office.standings.clear()
    env.backend.delete_overwrite(shut.id, everyone.id)
    await env.settle()
    assert office.standings == [(ref(shut), None)]


async def test_invisible_commands_are_refused_by_discord_itself(server: Server) -> None:
    with pytest.raises(SetupError, match="not visible"):
        await server.bob.slash(server.papers, "feed here")
