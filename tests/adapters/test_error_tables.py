"""Every row of the facts' two tables "error -> action", from the platform's answer to what the store says after it.

The first cell of each row is the key; where the facts lie beside the checkout, no row may be missing here.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta

import pytest
from telegram.error import BadRequest, ChatMigrated, Forbidden, NetworkError, RetryAfter, TimedOut

from bot.adapters.telegram.outcomes import outcome_of
from bot.outbox import ACCESS_WAIT, NOT_FOUND_WAIT
from bot.ports import Gone, Moved, PlatformStopped, Retry
from scheduler.models import ChatRef, DeliveryState, Platform
from tests.adapters.both_platforms import Both, both_platforms
from tests.adapters.contract import eventually
from tests.builders import SHARED
from tests.fakes.discord_server import Refused, Room
from tests.fakes.telegram_chats import Group, Json
from tests.patience import PATIENCE

Row = Callable[[Both], Awaitable[None]]

PENDING, SENT = DeliveryState.PENDING, DeliveryState.SENT
VIA = {"Via": "1.1 google"}
TELEGRAM: dict[str, Row] = {}
DISCORD: dict[str, Row] = {}


def row(table: dict[str, Row], cell: str) -> Callable[[Row], Row]:
    """Puts a test into a table under the first cell of its row."""

    def add(test: Row) -> Row:
        table[cell] = test
        return test

    return add


@pytest.fixture
async def both(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Both]:
    async with both_platforms(monkeypatch) as stage:
        yield stage


# Telegram


def group_of(both: Both, *, forum: bool = False) -> Group:
    return both.telegram.group("Lab", ["ada"], forum=forum)


async def refused(both: Both, status: int, text: str, parameters: Json | None = None) -> Group:
    """A part for a new group is refused so."""
    group = group_of(both)
    both.enqueue(group, "one")
    both.telegram.refuse(group.id, status, text, parameters, method="sendMessage")
    await both.sends()
    return group


def notices(both: Both) -> list[str]:
    """What ada was told in private."""
    return [shown.text.splitlines()[0] for shown in both.telegram.user("ada").received()]


@row(TELEGRAM, "`RetryAfter`")
async def flood_wait(both: Both) -> None:
    group = await refused(both, 429, "Too Many Requests: retry after 17", {"retry_after": 17})
    assert (both.waits(group), both.now_is(group)) == ((17, 0, "flood_wait"), ("active", ""))
    calm = both.telegram.user("bob").chat
    calm.refusal = None
    both.enqueue(calm, "at once")
    await both.sends()
    assert both.seen(calm) == ["at once"]
    # Three chats within ten seconds mean everybody.
    others = [group_of(both) for _ in range(2)]
    for other in others:
        both.enqueue(other, "one")
        both.telegram.refuse(other.id, 429, "Too Many Requests", {"retry_after": 9}, method="sendMessage")
    await both.sends()
    both.enqueue(calm, "after the pause", run="next")
    await both.sends(seconds=8)
    assert both.seen(calm) == ["at once"]
    await both.sends(seconds=9)
    assert both.seen(calm) == ["at once", "after the pause"]
    assert both.seen(group) == ["one"]


@row(TELEGRAM, "`ChatMigrated`")
async def migrated(both: Both) -> None:
    old, new = both.telegram.group("Lab", ["ada"], basic=True), group_of(both)
    key = both.enqueue(old, "one", "two").key
    both.store.chats.subscribe(key, "rl", "rl")
    both.store.chats.subscribe(both.chat(new).key, "sea", "sea")
    text = "Bad Request: group chat was upgraded to a supergroup chat"
    both.telegram.refuse(old.id, 400, text, {"migrate_to_chat_id": new.id}, method="sendMessage")
    await both.sends()
    assert (both.seen(old), both.seen(new)) == ([], ["one", "two"])
    assert both.chat(new).key == key
    assert {one.query for one in both.store.chats.subscriptions(key)} == {"rl", "sea"}


@row(TELEGRAM, "`Forbidden` (blocked, kicked, deactivated, not a member, can't initiate)")
async def forbidden(both: Both) -> None:
    for text, reason, told in (
        ("bot was kicked from the supergroup chat", "kicked", 1),
        ("bot is not a member of the supergroup chat", "not_member", 1),
        ("bot can't initiate conversation with a user", "cannot_initiate", 0),
        ("bot was blocked by the user", "blocked", 0),
        ("user is deactivated", "deactivated", 1),
    ):
        before = len(notices(both))
        group = await refused(both, 403, f"Forbidden: {text}")
        assert both.now_is(group) == ("gone", reason)
        assert both.states(group) == {PENDING: 1}
        await both.sends()
        assert len(notices(both)) == before + told, reason
    group.takes_bot_back("ada")
    await eventually(lambda: both.now_is(group) == ("active", ""))
    await both.sends()
    assert both.seen(group) == ["one"]


@row(TELEGRAM, "400 `chat not found`, `PEER_ID_INVALID`")
async def not_found(both: Both) -> None:
    for text in ("chat not found", "PEER_ID_INVALID"):
        group = await refused(both, 400, f"Bad Request: {text}")
        assert both.now_is(group) == ("active", "")
        assert both.waits(group)[0] == NOT_FOUND_WAIT.total_seconds()
        both.telegram.refuse(group.id, 400, f"Bad Request: {text}", method="sendMessage")
        await both.sends(hours=1)
        assert both.now_is(group) == ("gone", "chat_not_found")
    found = await refused(both, 400, "Bad Request: chat not found")
    await both.sends(hours=1)
    assert both.seen(found) == ["one"]


@row(
    TELEGRAM,
    "400 `not enough rights`, `need administrator rights`, `have no rights`, `CHAT_WRITE_FORBIDDEN`, `CHAT_RESTRICTED`",
)
async def no_rights(both: Both) -> None:
    for text, right in (
        ("not enough rights to send text messages to the chat", "Send messages"),
        ("need administrator rights in the channel chat", "Post messages"),
        ("have no rights to send a message", "Send messages"),
        ("CHAT_WRITE_FORBIDDEN", "Send messages"),
        ("CHAT_RESTRICTED", "Send messages"),
    ):
        group = await refused(both, 400, f"Bad Request: {text}")
        assert both.now_is(group) == ("paused", f"no_rights {right}")
        await both.sends()
        assert notices(both)[-1] == f"I may no longer post in Lab. Missing: {right}."
    group.takes_bot_back("ada")
    await eventually(lambda: both.now_is(group) == ("active", ""))
    await both.sends()
    assert both.seen(group) == ["one"]


@row(TELEGRAM, "400 `message thread not found`, `TOPIC_CLOSED`, `TOPIC_DELETED`")
async def topic(both: Both) -> None:
    group = group_of(both, forum=True)
    for text, reason in (
        ("message thread not found", "topic_gone"),
        ("TOPIC_CLOSED", "topic_closed"),
        ("TOPIC_DELETED", "topic_gone"),
    ):
        place = group.topic(text)
        both.enqueue(place, "one")
        both.telegram.refuse(group.id, 400, f"Bad Request: {text}", method="sendMessage")
        await both.sends()
        assert both.now_is(place) == ("paused", reason)
        await both.sends()
        assert both.telegram.user("ada").received()[-1].labels == (
            "Check again",
            "Use General",
            "Use another channel",
        )


@row(TELEGRAM, "400 `can't parse entities`, `entity`")
async def markup(both: Both) -> None:
    for text in ("can't parse entities: unsupported start tag", "ENTITY_BOUNDS_INVALID"):
        group = await refused(both, 400, f"Bad Request: {text}")
        assert both.seen(group) == ["one"]
        assert group.received()[0].entities == ()


@row(TELEGRAM, "400 `message is too long`, `caption is too long`, `text is empty`")
async def too_long(both: Both) -> None:
    for text in ("message is too long", "message caption is too long"):
        group = await refused(both, 400, f"Bad Request: {text}")
        assert group.received()[0].document == ("message.txt", "one")
        assert both.states(group) == {SENT: 1}
    group = await refused(both, 400, "Bad Request: message text is empty")
    assert both.states(group) == {DeliveryState.FAILED: 1}


@row(
    TELEGRAM,
    "400 `wrong type of the web page content`, `failed to get HTTP URL content`, `WEBPAGE_*`",
)
async def web_page(both: Both) -> None:
    for text in (
        "wrong type of the web page content",
        "failed to get HTTP URL content",
        "WEBPAGE_CURL_FAILED",
    ):
        group = await refused(both, 400, f"Bad Request: {text}")
        assert both.seen(group) == ["one"]


@row(TELEGRAM, "400 `message is not modified`, `query is too old`")
async def nothing_to_do(both: Both) -> None:
    ada = both.telegram.user("ada")
    ada.says("/topics")
    await eventually(lambda: len(ada.received()) == 1)
    for method, text in (
        ("editMessageText", "message is not modified"),
        ("answerCallbackQuery", "query is too old and response timeout expired or query ID is invalid"),
    ):
        both.telegram.refuse(None, 400, f"Bad Request: {text}", method=method)
        calls = len(both.telegram.calls)
        label = ada.received()[-1].labels[0]
        ada.presses(label)
        await eventually(lambda calls=calls: len(both.telegram.calls) > calls)  # type: ignore[misc]
    ada.says("/help")
    await eventually(lambda: "What I can do" in ada.received()[-1].text)
    assert both.now_is(ada.chat) == ("active", "")


@row(TELEGRAM, "`TimedOut` cause PoolTimeout/ConnectTimeout, `NetworkError` cause ConnectError")
async def not_sent(both: Both) -> None:
    group = group_of(both)
    both.enqueue(group, "one")
    await both.telegram.stop()
    await both.sends()
    assert (both.waits(group), both.now_is(group)) == ((5, 0, "unreachable"), ("active", ""))
    await both.telegram.start()
    await both.sends(seconds=5)
    assert both.seen(group) == ["one"]


@row(TELEGRAM, "`TimedOut` cause ReadTimeout/WriteTimeout, ReadError, RemoteProtocolError, 5xx")
async def ambiguous(both: Both) -> None:
    for accepted in (False, True):
        for fault in (both.telegram.stall, both.telegram.hang_up):
            group = group_of(both)
            both.enqueue(group, "one")
            fault(group.id, accepted=accepted, method="sendMessage")
            await both.sends()
            assert both.waits(group) == (60, 1, "answer_lost")
            await both.sends(seconds=60)
            assert both.seen(group) == ["one"] * (1 + accepted)
    group = await refused(both, 502, "Bad Gateway")
    both.telegram.refuse(group.id, 502, "Bad Gateway", method="sendMessage")
    await both.sends(seconds=60)
    assert both.states(group) == {DeliveryState.UNKNOWN: 1}, "one repeat is enough, and it shows"
    both.enqueue(group, "tomorrow", run="next")
    await both.sends()
    assert both.seen(group) == ["tomorrow"]


@row(TELEGRAM, "`InvalidToken`")
async def invalid_token(both: Both) -> None:
    group = group_of(both)
    both.enqueue(group, "one")
    both.telegram.answer_raw(404, "<html>no such page</html>", chat_id=group.id)
    await both.sends()
    assert both.waits(group) == (60, 0, "token")
    assert not both.running[Platform.TELEGRAM].done()
    await both.sends(minutes=1)
    assert both.seen(group) == ["one"]
    both.telegram.token = "4242:another"
    both.enqueue(group, "two", run="next")
    await both.sends()
    assert both.waits(group) == (60, 0, "token")
    with pytest.raises(Exception, match="token"):
        await asyncio.wait_for(both.running.pop(Platform.TELEGRAM), PATIENCE)
    with pytest.raises(PlatformStopped, match="PAPERBOY_TELEGRAM_TOKEN"):
        await both.adapters[Platform.TELEGRAM].run()


@row(TELEGRAM, "`Conflict`")
async def conflict(both: Both) -> None:
    both.telegram.refuse(None, 409, "Conflict: terminated", method="getUpdates", times=99)
    both.telegram.user("ada").says("/help")
    run = both.running.pop(Platform.TELEGRAM)
    polls = len(both.telegram.called("getUpdates"))
    await eventually(lambda: len(both.telegram.called("getUpdates")) > polls + 1)
    assert not run.done()
    both.now += timedelta(minutes=5)
    with pytest.raises(PlatformStopped, match="another process polls"):
        await asyncio.wait_for(run, PATIENCE)


# Discord


async def answered(both: Both, refusal: Refused, type: int = 0) -> Room:
    """A part for a new channel is refused so."""
    room = both.discord.channel("papers", type)
    both.enqueue(room, "one")
    both.discord.refuse(refusal, room=room)
    await both.sends()
    return room


async def served_later(both: Both, room: Room, **later: float) -> None:
    """What waits for a room is sent when its time has come."""
    await both.sends(**later)
    assert both.seen(room) == ["one"]


@row(DISCORD, "10003 unknown channel, 10004 guild, 10015 webhook")
async def unknown(both: Both) -> None:
    for code, reason in ((10003, "gone_channel"), (10004, "gone_guild"), (10015, "gone_channel")):
        room = await answered(both, Refused(404, code))
        assert both.now_is(room) == ("gone", reason)
        assert both.states(room) == {PENDING: 1}, "kept for 90 days"


@row(DISCORD, "50001 missing access")
async def missing_access(both: Both) -> None:
    room = await answered(both, Refused(403, 50001))
    assert both.now_is(room)[1].startswith("no_access")
    before = len(both.discord.sent())
    await both.sends(hours=1)
    assert len(both.discord.sent()) == before, "a channel is not tried on"
    direct = both.discord.direct("ada")
    both.enqueue(direct, "one")
    both.discord.refuse(Refused(403, 50001), room=direct)
    await both.sends()
    assert both.waits(direct) == (ACCESS_WAIT.total_seconds(), 1, "no_access")
    await served_later(both, direct, hours=1)


@row(DISCORD, "50013 missing permissions")
async def missing_permissions(both: Both) -> None:
    room = await answered(both, Refused(403, 50013))
    assert both.now_is(room)[0] == "paused"
    assert both.now_is(room)[1].startswith("no_rights")
    before = len(both.discord.sent())
    await both.sends(hours=12)
    assert len(both.discord.sent()) == before, "403s count towards a ban"


@row(DISCORD, "50007, 50278")
async def direct_closed(both: Both) -> None:
    direct = both.discord.direct("ada")
    both.enqueue(direct, "one")
    for code in (50007, 50278):
        both.discord.refuse(Refused(403, code), room=direct)
        await both.sends()
        assert both.now_is(direct) == ("gone", "dm_closed")
        await both.discord.command("ada", direct, "help")
        await eventually(lambda: both.now_is(direct) == ("active", ""))
    await both.sends()
    assert "one" in both.seen(direct)


@row(DISCORD, "50035")
async def our_bug(both: Both) -> None:
    room = await answered(both, Refused(400, 50035))
    assert both.seen(room) == ["one"]
    assert both.discord.shown_in(room)[0].body["content"] == "one", "as plain text"


@row(DISCORD, "50083, locked thread")
async def locked(both: Both) -> None:
    for refusal in (Refused(400, 50083), Refused(403, 160005)):
        room = await answered(both, refusal, 11)
        assert both.now_is(room) == ("paused", "locked")


@row(DISCORD, "20028 / 429 with retry_after")
async def rate_limited(both: Both) -> None:
    long = {"retry_after": 43838.0, "global": False}
    room = await answered(both, Refused(429, 20028, headers=VIA, extra=long))
    assert both.waits(room) == (43838, 0, "rate limited")
    calm = both.discord.channel("calm")
    both.enqueue(calm, "one")
    await served_later(both, calm)


@row(DISCORD, "429 without `Via` or with an HTML body")
async def cloudflare(both: Both) -> None:
    room = await answered(both, Refused(429, extra={"retry_after": 1.0}))
    assert both.waits(room) == (3600, 0, "cloudflare")
    calm = both.discord.channel("calm")
    both.enqueue(calm, "one")
    before = len(both.discord.asked)
    await both.sends(minutes=59)
    assert len(both.discord.asked) == before, "all requests rest"
    await served_later(both, calm, minutes=1)
    page = Refused(429, body="<html>error 1015</html>", content_type="text/html", headers=VIA)
    room = await answered(both, page)
    assert both.waits(room) == (3600, 0, "cloudflare")


@row(DISCORD, "40333")
async def bad_agent(both: Both) -> None:
    room = await answered(both, Refused(403, 40333))
    assert both.waits(room) == (3600, 0, "cloudflare")


@row(DISCORD, "5xx")
async def server_error(both: Both) -> None:
    for status in (500, 502, 504, 524):
        room = both.discord.channel("papers")
        both.enqueue(room, "one")
        both.discord.refuse(*[Refused(status)] * 5, room=room)
        await both.sends()
        assert both.waits(room)[:2] == (60, 1)
        await served_later(both, room, seconds=60)
    nonces = {
        asked.json["nonce"] for asked in both.discord.sent() if asked.path.split("/")[2] == str(room.id)
    }
    assert len(nonces) == 1, "the same body again and again"
    room = await answered(both, Refused(503))
    assert both.waits(room) == (30, 1, "server error 503")


@row(DISCORD, "10062 / 40060")
async def too_late(both: Both) -> None:
    both.discord.too_late = True
    direct = both.discord.direct("ada")
    asked = len(both.discord.asked)
    await both.discord.command("ada", direct, "help")
    await eventually(lambda: len(both.discord.asked) > asked)
    await asyncio.sleep(0.05)
    assert len(both.discord.asked) == asked + 1, "no second try"
    both.discord.too_late = False
    await both.discord.command("ada", direct, "help")
    await eventually(lambda: bool(both.seen(direct)))


@pytest.mark.parametrize("cell", TELEGRAM)
async def test_telegram(both: Both, cell: str) -> None:
    await TELEGRAM[cell](both)


@pytest.mark.parametrize("cell", DISCORD)
async def test_discord(both: Both, cell: str) -> None:
    await DISCORD[cell](both)


# the tables


@pytest.mark.shared
@pytest.mark.parametrize(("platform", "table"), [("Telegram", TELEGRAM), ("Discord", DISCORD)])
def test_no_row_of_the_facts_is_missing(platform: str, table: dict[str, Row]) -> None:
    facts = SHARED / "facts" / "chat-platforms.md"
    if not facts.exists():
        pytest.skip("the shared facts are not beside this checkout")
    section = facts.read_text(encoding="utf-8").split("### 3.3 ")[1].split("\n## ")[0]
    start = section.index(f"\n{platform}")
    rows = re.split(r"\n\n", section[start:].strip())[1].splitlines()[2:]
    cells = {line.split("|")[1].strip() for line in rows}
    assert cells == set(table)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (RetryAfter(7), Retry(timedelta(seconds=7), "flood_wait", counted=False)),
        (ChatMigrated(-1002), Moved(ChatRef(Platform.TELEGRAM, "-1002"))),
        (Forbidden("Forbidden: bot was blocked by the user"), Gone("blocked")),
        (BadRequest("chat not found"), Gone("chat_not_found")),
    ],
)
def test_the_kinds_that_are_kinds_of_another_come_first(error: Exception, expected: object) -> None:
    """BadRequest and TimedOut are NetworkErrors in python-telegram-bot: the order of the cases decides."""
    assert issubclass(BadRequest, NetworkError)
    assert issubclass(TimedOut, NetworkError)
    assert not issubclass(Forbidden, NetworkError)
    assert outcome_of(error, ChatRef(Platform.TELEGRAM, "1")) == expected  # type: ignore[arg-type]
