"""The real client over real sockets: addresses, tokens, dropped sessions, and what is not logged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import discord
import pytest

from bot.adapters.discord import DiscordAdapter
from bot.adapters.discord.client import PaperboyClient
from bot.parts import make_parts
from bot.ports import Gone, Keyboard, PlatformStopped, Reply, Request, Sent
from scheduler.models import ChatKind, ChatRef, Platform
from tests.adapters.contract import eventually
from tests.adapters.discord_office import Office, said
from tests.fakes.discord_server import GUILD, ROLE, FakeDiscord, Refused, Room, until_connected

NOWHERE = "ws://127.0.0.1:9"


@pytest.fixture
async def server() -> AsyncIterator[FakeDiscord]:
    fake = FakeDiscord()
    await fake.start()
    fake.person("ada", manages=True)
    yield fake
    await fake.stop()
    assert fake.problems == []


@pytest.fixture
def office() -> Office:
    return Office()


@pytest.fixture(autouse=True)
def no_pause_between_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """discord.py waits five seconds before every session but the first, as Discord demands."""

    async def at_once(_client: object, _shard: int | None, *, initial: bool) -> None:
        return None

    monkeypatch.setattr(PaperboyClient, "before_identify_hook", at_once)


def adapter_for(office: Office, server: FakeDiscord, *, token: str = "", gateway: str = "") -> DiscordAdapter:
    return office.adapter(token=token or server.token, api_url=server.api_url, gateway_url=gateway)


@asynccontextmanager
async def running(adapter: DiscordAdapter, server: FakeDiscord) -> AsyncIterator[asyncio.Task[None]]:
    """The adapter, connected; cancelled at the end."""
    known = len(server.identified)
    task = asyncio.create_task(adapter.run())
    await until_connected(server, known + 1)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait({task})


async def answered(office: Office, server: FakeDiscord, room: Room, **options: str) -> Request:
    """Asks something in a room and gives the request that reached the office."""
    known = len(office.requests)
    await server.command("ada", room, "search", **options)
    await eventually(lambda: len(office.requests) > known)
    return office.requests[known]


def ref(room: Room) -> ChatRef:
    return ChatRef(Platform.DISCORD, str(room.id))


# addresses


async def test_everything_goes_to_the_configured_addresses(server: FakeDiscord, office: Office) -> None:
    server.stated_gateway = server.resume_url = NOWHERE
    adapter = adapter_for(office, server, gateway=server.gateway_url)
    async with running(adapter, server):
        await answered(office, server, server.direct("ada"), query="rl")
        await eventually(lambda: bool(server.shown_in(server.direct("ada"))))
    (identify,) = server.identified
    assert identify["token"] == server.token
    assert identify["intents"] == discord.Intents(guilds=True, dm_messages=True).value
    paths = [asked.path for asked in server.asked]
    assert paths[0] == "/users/@me"
    assert any(path.startswith("/interactions/") for path in paths)
    assert any(path.endswith("/messages/@original") for path in paths)


async def test_without_a_gateway_the_api_is_asked(server: FakeDiscord, office: Office) -> None:
    async with running(adapter_for(office, server), server):
        assert "/gateway/bot" in [asked.path for asked in server.asked]
        assert len(server.identified) == 1


async def test_a_server_that_does_not_know_its_gateway(server: FakeDiscord, office: Office) -> None:
    server.knows_its_gateway = False
    async with running(adapter_for(office, server, gateway=server.gateway_url), server):
        assert len(server.identified) == 1
    with pytest.raises(discord.GatewayNotFound):
        await adapter_for(office, server).run()


async def test_several_shards_where_discord_wants_them(server: FakeDiscord, office: Office) -> None:
    server.stated_shards = 2
    adapter = adapter_for(office, server, gateway=server.gateway_url)
    async with running(adapter, server):
        await until_connected(server, 2)
        assert [identify["shard"] for identify in server.identified] == [[0, 2], [1, 2]]


async def test_the_number_of_shards_can_be_set(server: FakeDiscord, office: Office) -> None:
    adapter = office.adapter(
        token=server.token, api_url=server.api_url, gateway_url=server.gateway_url, shard_count=3
    )
    async with running(adapter, server):
        await until_connected(server, 3)
        assert [identify["shard"] for identify in server.identified] == [[0, 3], [1, 3], [2, 3]]


@pytest.mark.parametrize(("ids", "registers"), [((0, 1), 1), ((2, 3), 0)])
async def test_a_process_takes_only_its_shards_and_waits_its_turn_for_each(
    server: FakeDiscord, office: Office, monkeypatch: pytest.MonkeyPatch, ids: tuple[int, ...], registers: int
) -> None:
    turns: list[int] = []

    async def turn() -> None:
        turns.append(len(server.identified))

    monkeypatch.undo()
    adapter = office.adapter(
        token=server.token,
        api_url=server.api_url,
        gateway_url=server.gateway_url,
        shard_count=4,
        shard_ids=ids,
        turn=turn,
    )
    async with running(adapter, server):
        await until_connected(server, 2)
        assert [identify["shard"] for identify in server.identified] == [[number, 4] for number in ids]
        assert turns == [0, 1]
        # Commands are registered by the process of the first shard alone; any of them can send.
        assert sum(asked.method == "PUT" for asked in server.asked) == registers
        (part,) = make_parts(said("a digest"), Platform.DISCORD)
        assert isinstance(await adapter.send(ref(server.channel("papers")), part, "run/0"), Sent)


async def test_events_come_to_the_shard_of_their_server(server: FakeDiscord) -> None:
    server.guild = (1 << 22) + GUILD
    papers = server.channel("papers")
    offices = [Office(), Office()]
    adapters = [
        office.adapter(
            token=server.token,
            api_url=server.api_url,
            gateway_url=server.gateway_url,
            shard_count=2,
            shard_ids=(number,),
        )
        for number, office in enumerate(offices)
    ]
    async with running(adapters[0], server), running(adapters[1], server):
        await answered(offices[1], server, papers, query="in a channel")
        await answered(offices[0], server, server.direct("ada"), query="in private")
    assert [[request.text for request in office.requests] for office in offices] == [
        ["in private"],
        ["in a channel"],
    ]


# dropped sessions


async def test_a_dropped_connection_is_resumed(server: FakeDiscord, office: Office) -> None:
    server.resume_url = NOWHERE
    adapter = adapter_for(office, server, gateway=server.gateway_url)
    async with running(adapter, server):
        await server.drop(4000)
        await until_connected(server, 2)
        (resume,) = server.resumed
        assert resume["session_id"] == "a-session"
        assert resume["token"] == server.token
        await answered(office, server, server.direct("ada"), query="after")


async def test_the_address_for_resuming_is_used_where_none_is_configured(
    server: FakeDiscord, office: Office
) -> None:
    server.resume_url = server.gateway_url
    async with running(adapter_for(office, server), server):
        await server.order(7)
        await until_connected(server, 2)
        assert (len(server.identified), len(server.resumed)) == (1, 1)


@pytest.mark.parametrize("configured", [True, False])
async def test_a_lost_session_begins_anew_at_the_same_place(
    server: FakeDiscord, office: Office, configured: bool
) -> None:
    adapter = adapter_for(office, server, gateway=server.gateway_url if configured else "")
    async with running(adapter, server):
        await server.order(9, False)
        await until_connected(server, 2)
        assert len(server.identified) == 2
        await answered(office, server, server.direct("ada"), query="after")


# tokens


async def test_a_refused_token_stops_the_platform(server: FakeDiscord, office: Office) -> None:
    adapter = adapter_for(office, server, token="MTIz.another.secret")
    with pytest.raises(PlatformStopped, match="PAPERBOY_DISCORD_TOKEN") as stopped:
        await adapter.run()
    assert "secret" not in str(stopped.value)


@pytest.mark.parametrize("code", [4004, 4013, 4014])
async def test_a_refusal_at_the_gateway_stops_the_platform(
    server: FakeDiscord, office: Office, code: int
) -> None:
    server.close_at_identify = code
    with pytest.raises(PlatformStopped):
        await adapter_for(office, server).run()


@pytest.mark.parametrize("status", [403, 503])
async def test_other_trouble_is_worth_another_try(server: FakeDiscord, office: Office, status: int) -> None:
    server.me_status = status
    adapter = adapter_for(office, server)
    with pytest.raises(discord.HTTPException):
        await adapter.run()
    server.me_status = 200
    async with running(adapter, server):
        assert len(server.identified) == 1


async def test_the_token_is_in_no_log(
    server: FakeDiscord, office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, logger="discord")
    adapter = adapter_for(office, server, gateway=server.gateway_url)
    room = server.channel("papers")
    (part,) = make_parts(said("a digest"), Platform.DISCORD)
    async with running(adapter, server):
        await answered(office, server, room, query="rl")
        office.fails = True
        await answered(office, server, room, query="rl")
        server.refuse(Refused(403, 50013), Refused(401), Refused(400, 50035), Refused(400, 50035))
        for number in range(4):
            await adapter.send(ref(room), part, f"run/{number}")
        await server.drop(4000)
        await until_connected(server, 2)
    wrong = adapter_for(office, server, token="MTIz.wrong.other-secret")
    with pytest.raises(PlatformStopped):
        await wrong.run()
    assert len(caplog.records) > 20
    formatter = logging.Formatter("%(message)s %(name)s %(args)s")
    logged = "\n".join(formatter.format(record) for record in caplog.records)
    assert server.token not in logged
    assert "other-secret" not in logged
    assert server.token not in repr(adapter)


# life


async def test_one_adapter_runs_again_and_again(server: FakeDiscord, office: Office) -> None:
    adapter = adapter_for(office, server, gateway=server.gateway_url)
    room = server.channel("papers")
    (part,) = make_parts(said("a digest"), Platform.DISCORD)
    for number in range(2):
        async with running(adapter, server):
            assert isinstance(await adapter.send(ref(room), part, f"run/{number}"), Sent)
    assert len(server.shown_in(room)) == 2
    assert sum(asked.method == "PUT" for asked in server.asked) == 1


async def test_an_answer_that_is_being_written_is_finished(server: FakeDiscord, office: Office) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(request: Request) -> Reply:
        office.requests.append(request)
        begun.set()
        await go_on.wait()
        return Reply(said("late but whole"))

    office.answer = slow  # type: ignore[method-assign]
    adapter = adapter_for(office, server, gateway=server.gateway_url)
    room = server.channel("papers")
    async with running(adapter, server) as task:
        await server.command("ada", room, "search", query="rl")
        await begun.wait()
        task.cancel()
        asyncio.get_running_loop().call_later(0.2, go_on.set)
        await asyncio.wait({task})
    assert task.cancelled()
    (message,) = server.shown_in(room)
    assert message.body["embeds"][0]["description"] == "late but whole"


async def test_an_interaction_that_is_too_late_is_let_go(
    server: FakeDiscord, office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    server.too_late = True
    adapter = adapter_for(office, server, gateway=server.gateway_url)
    async with running(adapter, server):
        await server.command("ada", server.channel("papers"), "search", query="rl")
        await eventually(lambda: "too late" in caplog.text)
        server.too_late = False
        await answered(office, server, server.direct("ada"), query="on time")
    assert [request.text for request in office.requests] == ["on time"]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


# who and where


async def test_a_chinese_client_is_answered_in_chinese(server: FakeDiscord, office: Office) -> None:
    async with running(adapter_for(office, server), server):
        for locale in ("zh-CN", "zh-TW", "en-GB", "de"):
            await server.command("ada", server.direct("ada"), "search", locale=locale, query="rl")
        await eventually(lambda: len(office.requests) == 4)
    assert sorted(request.lang for request in office.requests) == ["de", "en", "zh", "zh"]


async def test_where_only_the_person_installed_it_their_direct_messages_are_meant(
    server: FakeDiscord, office: Office
) -> None:
    server.installed_by_people_only = True
    room, own = server.channel("somewhere"), server.direct("ada")
    async with running(adapter_for(office, server), server):
        request = await answered(office, server, room, query="rl")
        await eventually(lambda: bool(server.shown_in(room)))
    assert request.chat == ref(own)
    assert (request.kind, request.may_manage) == (ChatKind.PRIVATE, True)
    (message,) = server.shown_in(room)
    assert message.only_for


async def test_a_role_that_is_given_takes_chats_back(server: FakeDiscord, office: Office) -> None:
    room = server.channel("papers")
    async with running(adapter_for(office, server), server):
        await server.roles_changed()
        await server.roles_changed(ROLE)
        await eventually(lambda: bool(office.standings))
    assert office.standings == [(ref(room), None)]


async def test_an_outage_of_a_server_is_no_farewell(server: FakeDiscord, office: Office) -> None:
    server.channel("papers")
    async with running(adapter_for(office, server), server):
        await server.tell("GUILD_DELETE", {"id": str(GUILD), "unavailable": True})
        await answered(office, server, server.direct("ada"), query="rl")
        assert office.standings == []
        await server.tell("GUILD_DELETE", {"id": str(GUILD)})
        await eventually(lambda: bool(office.standings))
    assert {standing for _, standing in office.standings} == {Gone("gone_guild")}


async def test_a_button_without_an_action_is_left_alone(server: FakeDiscord, office: Office) -> None:
    room = server.direct("ada")
    office.replies["search"] = Reply(said("page 1"), Keyboard())
    async with running(adapter_for(office, server), server):
        await answered(office, server, room, query="rl")
        await eventually(lambda: bool(server.shown_in(room)))
        (message,) = server.shown_in(room)
        await server.press("ada", room, message, "someone-elses:button")
        await server.press("ada", room, message, "pb-none:0")
        await server.press("ada", room, message, "pb:page:2")
        await eventually(lambda: len(office.requests) == 2)
    assert office.requests[-1].action == "page:2"
