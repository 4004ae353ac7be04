"""What a send makes of each of Discord's answers, over real sockets and with the real client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from types import SimpleNamespace

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.discord import DiscordAdapter
from bot.adapters.discord.outcomes import RefusalBrake
from bot.markup import Card
from bot.parts import make_parts
from bot.ports import (
    Ambiguous,
    Attachment,
    Button,
    Gone,
    Keyboard,
    Outcome,
    Part,
    Paused,
    Rejected,
    Retry,
    Sent,
)
from scheduler.models import ChatRef, Platform
from tests.adapters.discord_office import Office, said
from tests.fakes.discord_server import HANG_UP, FakeDiscord, Refused, Room, until_connected

VIA = {"Via": "1.1 google"}
SILENT = 1 << 12
NO_PREVIEWS = 1 << 2
HOUR = timedelta(hours=1)


class Stage:
    """A running adapter with one channel."""

    def __init__(self, server: FakeDiscord, adapter: DiscordAdapter, room: Room) -> None:
        self.server, self.adapter, self.room = server, adapter, room
        self.chat = ChatRef(Platform.DISCORD, str(room.id))

    async def send(self, part: Part | None = None, key: str = "run/0") -> Outcome:
        return await self.adapter.send(self.chat, part or digest(), key)


@pytest.fixture
async def stage(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    server = FakeDiscord()
    await server.start()
    room = server.channel("papers")
    adapter = Office().adapter(token=server.token, api_url=server.api_url, gateway_url=server.gateway_url)
    running = asyncio.create_task(adapter.run())
    await until_connected(server)
    monkeypatch.setattr("discord.http.asyncio", _without_waiting())
    yield Stage(server, adapter, room)
    running.cancel()
    await asyncio.wait({running})
    await server.stop()
    assert server.problems == []


def _without_waiting() -> SimpleNamespace:
    """asyncio as discord.py's REST client sees it, with pauses that are over at once."""

    async def at_once(_seconds: float) -> None:
        return None

    return SimpleNamespace(**(vars(asyncio) | {"sleep": at_once}))


def digest(keyboard: Keyboard | None = None, attachment: Attachment | None = None) -> Part:
    (part,) = make_parts(said("1 A *paper*"), Platform.DISCORD, keyboard, attachment)
    return part


def limited(seconds: float, **headers: str) -> Refused:
    return Refused(429, 20028, headers=VIA | headers, extra={"retry_after": seconds, "global": False})


def page(status: int, **headers: str) -> Refused:
    return Refused(status, body="<html>error 1015</html>", content_type="text/html", headers=headers)


ONE_ANSWER: dict[str, tuple[Refused, Outcome]] = {
    "unknown channel": (Refused(404, 10003), Gone("gone_channel")),
    "unknown server": (Refused(404, 10004), Gone("gone_guild")),
    "missing access": (Refused(403, 50001), Paused("no_access")),
    "missing permissions": (Refused(403, 50013), Paused("no_rights")),
    "direct messages closed": (Refused(403, 50007), Gone("dm_closed")),
    "no server in common": (Refused(403, 50278), Gone("dm_closed")),
    "no server in common, as a bad request": (Refused(400, 50278), Gone("dm_closed")),
    "archived thread": (Refused(400, 50083), Paused("locked")),
    "locked thread": (Refused(403, 160005), Paused("locked")),
    "another 403": (Refused(403, 20001), Paused("no_access")),
    "sent and deleted by somebody": (Refused(404, 10008), Sent()),
    "long rate limit": (limited(90.5), Retry(timedelta(seconds=90.5), "rate limited", counted=False)),
    "banned: no Via": (
        Refused(429, extra={"retry_after": 1.0}),
        Retry(HOUR, "cloudflare", counted=False, scope="platform"),
    ),
    "banned: a page": (page(429, **VIA), Retry(HOUR, "cloudflare", counted=False, scope="platform")),
    "banned for longer": (
        page(429, **{"Retry-After": "7200"}),
        Retry(2 * HOUR, "cloudflare", counted=False, scope="platform"),
    ),
    "blocked: a page": (page(403), Retry(HOUR, "cloudflare", counted=False, scope="platform")),
    "blocked by the network": (
        Refused(403, 40333),
        Retry(HOUR, "cloudflare", counted=False, scope="platform"),
    ),
    "token revoked": (
        Refused(401),
        Retry(timedelta(minutes=5), "unauthorized", counted=False, scope="platform"),
    ),
    "out of service": (Refused(503), Retry(timedelta(seconds=30), "server error 503")),
    "nothing where JSON should be": (Refused(502, body=""), Ambiguous("an answer that cannot be read")),
    "no such path": (
        Refused(404),
        Retry(timedelta(minutes=5), "404 0: refused, as this test wants"),
    ),
}


@pytest.mark.parametrize("case", ONE_ANSWER)
async def test_one_answer_is_one_outcome(stage: Stage, case: str) -> None:
    refusal, expected = ONE_ANSWER[case]
    stage.server.refuse(refusal)
    assert await stage.send() == expected
    assert len(stage.server.sent()) == 1
    assert await stage.send(key="run/1") == Sent(str(stage.server.shown_in(stage.room)[0].id))


async def test_a_short_rate_limit_is_waited_for(stage: Stage) -> None:
    stage.server.refuse(limited(0.01), limited(0.01))
    assert isinstance(await stage.send(), Sent)
    assert len(stage.server.shown_in(stage.room)) == 1


async def test_a_rate_limit_without_end_is_handed_back(stage: Stage) -> None:
    stage.server.refuse(*[limited(0.01, **{"Retry-After": "75"})] * 5)
    assert await stage.send() == Retry(timedelta(seconds=75), "rate limited", counted=False)


@pytest.mark.parametrize("status", [500, 502, 504, 524])
async def test_a_server_error_is_ambiguous_after_tries_with_one_nonce(stage: Stage, status: int) -> None:
    stage.server.refuse(*[Refused(status)] * 5)
    assert await stage.send() == Ambiguous(f"server error {status}")
    nonces = {asked.json["nonce"] for asked in stage.server.sent()}
    assert len(stage.server.sent()) == 5
    assert len(nonces) == 1
    assert isinstance(await stage.send(), Sent)
    assert {asked.json["nonce"] for asked in stage.server.sent()} == nonces


async def test_a_connection_that_breaks_is_ambiguous(stage: Stage) -> None:
    stage.server.refuse(HANG_UP)
    outcome = await stage.send()
    assert isinstance(outcome, Ambiguous)
    assert "connection lost" in outcome.reason


async def test_a_server_that_is_not_there_got_nothing(stage: Stage) -> None:
    await stage.server.stop()
    assert await stage.send() == Retry(timedelta(seconds=15), "unreachable", counted=False, scope="platform")


async def test_a_nonce_is_short_and_of_this_part_in_this_chat(stage: Stage) -> None:
    other = stage.server.channel("other")
    await stage.send()
    await stage.send()
    await stage.send(key="run/1")
    await stage.adapter.send(ChatRef(Platform.DISCORD, str(other.id)), digest(), "run/0")
    nonces = [asked.json["nonce"] for asked in stage.server.sent()]
    assert [len(nonce) for nonce in nonces] == [25] * 4
    assert nonces[0] == nonces[1]
    assert len(set(nonces)) == 3
    assert all(asked.json["enforce_nonce"] for asked in stage.server.sent())
    assert (len(stage.server.shown_in(stage.room)), len(stage.server.shown_in(other))) == (2, 1)


# refused as it is


@pytest.mark.parametrize("refusal", [Refused(400, 50035), Refused(400, 50006), Refused(413, 40005)])
async def test_a_refused_part_is_sent_as_plain_text_once(stage: Stage, refusal: Refused) -> None:
    part = digest(Keyboard(((Button("Next", "page:2"),),)))
    stage.server.refuse(refusal)
    assert isinstance(await stage.send(part), Sent)
    rich, plain = (asked.json for asked in stage.server.sent())
    assert rich["embeds"][0]["description"] == r"1 A \*paper\*"
    assert plain["content"] == r"1 A \*paper\*"
    assert not plain.get("embeds")
    assert not plain.get("components")
    assert plain["flags"] == SILENT | NO_PREVIEWS
    assert rich["nonce"] == plain["nonce"]


async def test_a_part_that_is_refused_twice_is_rejected(stage: Stage) -> None:
    stage.server.refuse(Refused(400, 50035), Refused(400, 50035))
    outcome = await stage.send()
    assert outcome == Rejected("400 50035: refused, as this test wants")
    assert len(stage.server.sent()) == 2


@pytest.mark.parametrize(("status", "kept"), [(400, ["digest.html"]), (413, [])])
async def test_the_file_stays_unless_it_was_too_large(stage: Stage, status: int, kept: list[str]) -> None:
    part = digest(attachment=Attachment("digest.html", "<p>强</p>"))
    stage.server.refuse(Refused(status, 1))
    assert isinstance(await stage.send(part), Sent)
    assert list(stage.server.shown_in(stage.room)[0].files) == kept


async def test_a_long_plain_text_rides_along_whole(stage: Stage) -> None:
    lines = "\n".join(f"{number} A paper with a *long* title" for number in range(150))
    stage.server.refuse(Refused(400, 50035))
    assert isinstance(await stage.send(Part(cards=(Card("x"),), plain=lines)), Sent)
    (message,) = stage.server.shown_in(stage.room)
    assert message.files == {"message.txt": lines}
    assert message.body["content"].startswith("0 A paper with a \\*long\\* title\n1 ")
    assert message.body["content"].endswith("title\n…")
    assert len(message.body["content"]) <= 2000


# the brake


async def test_too_many_refusals_stop_the_requests(stage: Stage) -> None:
    brake = stage.adapter._brake  # the limit of 5,000 would take minutes over sockets
    for _ in range(4999):
        brake.note(403, {})
    stage.server.refuse(Refused(403, 50013))
    assert await stage.send() == Paused("no_rights")
    outcome = await stage.send()
    assert isinstance(outcome, Retry)
    assert (outcome.reason, outcome.counted, outcome.scope) == ("too many refusals", False, "platform")
    assert timedelta(minutes=9) < outcome.after <= timedelta(minutes=10)
    assert len(stage.server.sent()) == 1


Step = tuple[float, int]


@given(st.lists(st.tuples(st.floats(0, 50), st.sampled_from([200, 401, 403, 404, 429])), max_size=60))
def test_the_brake_holds_exactly_while_the_limit_is_in_the_window(steps: list[Step]) -> None:
    now = 0.0
    brake = RefusalBrake(limit=5, window=100.0, clock=lambda: now)
    refused_at: list[float] = []
    for seconds, status in steps:
        now += seconds
        brake.note(status, {})
        if status in (401, 403, 429):
            refused_at.append(now)
        recent = [moment for moment in refused_at if moment > now - 100]
        assert (brake.wait() is not None) == (len(recent) >= 5)


def test_a_limit_that_is_shared_with_others_does_not_count() -> None:
    brake = RefusalBrake(limit=1)
    brake.note(429, {"X-RateLimit-Scope": "shared"})
    assert brake.wait() is None
    brake.note(429, {"X-RateLimit-Scope": "user"})
    assert brake.wait() is not None


def test_the_right_library_is_meant() -> None:
    """A package named like the library stands beside it."""
    assert discord.__version__.startswith("2.7.")
    send: Callable[..., Awaitable[Outcome]] = DiscordAdapter.send
    assert send.__module__ == "bot.adapters.discord.adapter"
