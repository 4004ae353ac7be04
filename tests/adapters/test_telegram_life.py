"""Starting, polling, stopping, and what never shows: against the fake Telegram."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace

import pytest
from telegram.error import Conflict, NetworkError

from bot.adapters.telegram.commands import menus
from bot.adapters.telegram.connection import PollWatch, RefusedError, without_token
from bot.app import supervise
from bot.markup import Card
from bot.ports import Button, CommandSpec, Keyboard, Part, PlatformStopped, Reply, Request, Retry, Sent
from scheduler.models import ChatRef, Platform
from tests.adapters.contract import COMMANDS, Answers, eventually, text_block
from tests.adapters.telegram_harness import Rig, rig_for
from tests.patience import PATIENCE

pytestmark = pytest.mark.filterwarnings("ignore:.*retry_after:telegram.warnings.PTBDeprecationWarning")

PART = Part(cards=(Card("<b>x</b>"),), plain="x")
CHAT = ChatRef(Platform.TELEGRAM, "1001")


@dataclass
class Now:
    """A clock that stands still until told."""

    seconds: float = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
async def rig() -> AsyncIterator[Rig]:
    """An adapter that is not running yet."""
    rig = await rig_for(Answers(), patience=2.0)
    yield rig
    await rig.stop()


async def nothing_left(before: set[asyncio.Task[object]]) -> None:
    await eventually(lambda: asyncio.all_tasks() <= before)


# starting


async def test_a_refused_token_stops_the_platform_and_names_the_setting(rig: Rig) -> None:
    before = asyncio.all_tasks()
    rig.telegram.token = "4242:another"
    with pytest.raises(PlatformStopped, match="PAPERBOY_TELEGRAM_TOKEN"):
        await rig.adapter.run()
    assert await rig.adapter.send(CHAT, PART, "k") == Retry(
        timedelta(seconds=1), "starting", counted=False, scope="platform"
    )
    await nothing_left(before)


@pytest.mark.parametrize("status", [401, 404])
async def test_a_proxys_page_at_the_start_is_worth_trying_again(rig: Rig, status: int) -> None:
    rig.telegram.answer_raw(status, f"<html>no /bot{rig.telegram.token}/getMe here</html>", method="getMe")
    with pytest.raises(NetworkError) as caught:
        await rig.adapter.run()
    assert rig.telegram.token not in repr(caught.value)
    await rig.start()
    assert rig.adapter.username == "PaperboyTestBot"


@pytest.mark.parametrize("method", ["getMe", "deleteWebhook"])
async def test_a_start_that_fails_leaves_nothing_and_can_be_repeated(rig: Rig, method: str) -> None:
    before = asyncio.all_tasks()
    rig.telegram.refuse(None, 502, "Bad Gateway", method=method)
    with pytest.raises(NetworkError):
        await rig.adapter.run()
    assert isinstance(await rig.adapter.send(CHAT, PART, "k"), Retry)
    await nothing_left(before)
    rig.telegram.user("ada").says("/help")
    await rig.start()
    await eventually(lambda: len(rig.telegram.user("ada").received()) == 1)


async def test_a_server_that_is_away_is_worth_trying_again(rig: Rig) -> None:
    await rig.telegram.stop()
    with pytest.raises(NetworkError):
        await rig.adapter.run()
    await rig.telegram.start()
    await rig.start()


async def test_the_username_is_known_once_started(rig: Rig) -> None:
    assert rig.adapter.username == ""
    await rig.start()
    assert rig.adapter.username == "PaperboyTestBot"


async def test_what_was_written_while_nobody_ran_is_answered(rig: Rig) -> None:
    ada = rig.telegram.user("ada")
    ada.says("/stop")
    await rig.start()
    await eventually(lambda: len(ada.received()) == 1)
    assert all(not fields.get("drop_pending_updates") for fields in rig.telegram.called("deleteWebhook"))


async def test_only_the_kinds_of_update_that_are_read_are_asked_for(rig: Rig) -> None:
    await rig.start()
    (first, *_) = rig.telegram.called("getUpdates")
    assert set(first["allowed_updates"]) == {
        "message",
        "channel_post",
        "callback_query",
        "my_chat_member",
        "inline_query",
    }
    assert first["timeout"] == 2


# command menus


async def test_menus_are_set_per_scope_and_language(rig: Rig) -> None:
    await rig.start()
    assert set(rig.telegram.menus) == {
        (scope, language)
        for scope in ("all_private_chats", "all_group_chats", "all_chat_administrators")
        for language in ("", "zh")
    }
    names = {key: [entry["command"] for entry in menu] for key, menu in rig.telegram.menus.items()}
    assert names["all_private_chats", ""] == ["search", "subscribe", "help"]
    assert names["all_chat_administrators", "zh"] == ["search", "subscribe", "help"]
    assert names["all_group_chats", ""] == ["search", "help"]
    assert rig.telegram.menus["all_private_chats", "zh"][2]["description"] == "使用说明"


async def test_menus_are_set_again_only_when_they_change() -> None:
    hashes: dict[str, str] = {}
    for changed in (6, 0, 1):
        rig = await rig_for(Answers(), hashes=hashes)
        if changed == 1:
            hashes["telegram:commands:all_group_chats:zh"] = "older"
        await rig.start()
        assert len(rig.telegram.called("setMyCommands")) == changed
        await rig.stop()


def test_another_bot_gets_its_own_menus() -> None:
    (menu, *_) = menus(COMMANDS, ("en", "zh"))
    assert menu.digest(1) != menu.digest(2)
    renamed = CommandSpec("search", {"en": "Another summary", "zh": "搜索"})
    assert menu.digest(1) != next(menus((renamed, *COMMANDS[1:]), ("en", "zh"))).digest(1)


@pytest.mark.parametrize("status", [400, 429])
async def test_a_refused_menu_does_not_keep_the_bot_from_working(status: int) -> None:
    hashes: dict[str, str] = {}
    rig = await rig_for(Answers(), hashes=hashes)
    wait = {"retry_after": 60} if status == 429 else None
    rig.telegram.refuse(None, status, "refused", wait, method="setMyCommands")
    await rig.start()
    rig.telegram.user("ada").says("/help")
    await eventually(lambda: len(rig.telegram.user("ada").received()) == 1)
    await rig.stop()
    assert hashes == {}


# polling


async def test_polling_goes_on_after_an_outage_that_is_told_once(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "bot")
    await rig.start()
    rig.telegram.refuse(None, 502, "Bad Gateway", method="getUpdates", times=2)
    ada = rig.telegram.user("ada")
    ada.says("/help")
    await eventually(lambda: "answers again" in caplog.text, patience=15)
    await eventually(lambda: len(ada.received()) == 1)
    lines = [record.getMessage() for record in caplog.records if "cannot be reached" in record.getMessage()]
    assert len(lines) == 1


@pytest.mark.parametrize("status", [401, 404])
async def test_a_refused_poll_ends_the_run_and_the_next_one_finds_out(rig: Rig, status: int) -> None:
    await rig.start()
    run, rig.run = rig.run, None
    assert run is not None
    rig.telegram.refuse(None, status, "Unauthorized", method="getUpdates")
    rig.telegram.user("ada").says("/help")
    with pytest.raises(RefusedError):
        await asyncio.wait_for(run, PATIENCE)
    await rig.start()
    await eventually(lambda: len(rig.telegram.user("ada").received()) >= 1)


async def test_a_token_revoked_while_polling_stops_the_platform(rig: Rig) -> None:
    await rig.start()
    run, rig.run = rig.run, None
    assert run is not None
    rig.telegram.token = "4242:new"
    with pytest.raises(RefusedError):
        await asyncio.wait_for(run, PATIENCE)
    with pytest.raises(PlatformStopped):
        await rig.adapter.run()


async def test_a_second_poller_is_told_once_and_stops_the_platform_in_the_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = Now()
    rig = await rig_for(Answers(), clock=now)
    await rig.start()
    run, rig.run = rig.run, None
    assert run is not None
    rig.telegram.refuse(None, 409, "Conflict: terminated", method="getUpdates", times=99)
    polls = len(rig.telegram.called("getUpdates"))
    rig.telegram.user("ada").says("/help")
    await eventually(lambda: len(rig.telegram.called("getUpdates")) > polls)
    await eventually(lambda: "another process receives" in caplog.text)
    assert not run.done()
    now.seconds += 300
    polls = len(rig.telegram.called("getUpdates"))
    with pytest.raises(PlatformStopped, match="another process polls"):
        await asyncio.wait_for(run, PATIENCE)
    # The library's last poll would disturb the process that goes on.
    assert len(rig.telegram.called("getUpdates")) <= polls + 1
    lines = [record for record in caplog.records if "another process receives" in record.getMessage()]
    assert len(lines) == 1
    await rig.stop()


async def test_two_real_pollers_disturb_each_other() -> None:
    first = await rig_for(Answers())
    await first.start()
    polls = len(first.telegram.called("getUpdates"))
    second = await rig_for(Answers(), telegram=first.telegram)
    await second.start()
    await eventually(lambda: len(first.telegram.called("getUpdates")) > polls + 1)
    await second.end_run()
    await first.stop()


async def test_conflicts_that_end_are_forgotten() -> None:
    now = Now()
    watch = PollWatch(timedelta(minutes=5), now)
    watch.failed(Conflict("x"))
    now.seconds += 200
    watch.failed(Conflict("x"))
    now.seconds += 400
    watch.failed(Conflict("x"))
    assert not watch.ended.done()
    now.seconds += 299
    watch.answered()
    watch.failed(Conflict("x"))
    assert not watch.ended.done()
    # Who polled before the conflict began waits a minute and a half longer.
    now.seconds += 91
    watch.failed(Conflict("x"))
    assert isinstance(watch.ended.exception(), PlatformStopped)


def test_of_two_pollers_the_newcomer_ends_first() -> None:
    async def ends_after(polled_well: float) -> float:
        now = Now()
        watch = PollWatch(timedelta(minutes=5), now)
        watch.answered()
        now.seconds += polled_well
        began = now.seconds
        while not watch.ended.done():
            watch.failed(Conflict("x"))
            watch.answered()
            now.seconds += 5
        assert isinstance(watch.ended.exception(), PlatformStopped)
        return now.seconds - 5 - began

    assert asyncio.run(ends_after(0)) == 300
    assert asyncio.run(ends_after(3600)) == 390


@pytest.mark.parametrize("slow", range(0, 60, 6))
def test_of_two_that_take_turns_the_newcomer_ends_after_five_minutes_and_the_other_goes_on(slow: int) -> None:
    """Telegram ends a poll with 409 as soon as the other process polls (Bot API, getUpdates).

    `slow` are the seconds that one answer of Telegram's takes, after the first turns.
    """

    async def both() -> tuple[float, bool]:
        now = Now()
        first = PollWatch(timedelta(minutes=5), now)
        now.seconds += 3600
        newcomer = PollWatch(timedelta(minutes=5), now)
        polls, other, turns, began = newcomer, first, 0, 0.0
        while not (newcomer.ended.done() or first.ended.done()):
            other.failed(Conflict("x"))
            began = began or (now.seconds if other is newcomer else 0.0)
            now.seconds += other.pause() + (slow if turns == 4 else 0)
            polls, other, turns = other, polls, turns + 1
        return now.seconds - began, first.ended.done()

    lasted, is_first_over = asyncio.run(both())
    assert 300 <= lasted <= 315
    assert not is_first_over


async def test_polls_fail_less_and_less_often_also_when_two_pollers_take_turns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []

    async def at_once(pause: float) -> None:
        pauses.append(round(pause, 1))

    quick = SimpleNamespace(**(vars(asyncio) | {"sleep": at_once}))
    monkeypatch.setattr("bot.adapters.telegram.connection.asyncio", quick)
    watch = PollWatch(timedelta(minutes=5))
    for error in (NetworkError("x"), Conflict("x")):
        for _ in range(11):
            watch.failed(error)
            await watch.rest()
            if isinstance(error, Conflict):
                watch.answered()
        assert pauses[:4] == [1, 1.5, 2.2, 3.4]
        assert pauses[-1] == 30
        watch, pauses[:] = PollWatch(timedelta(minutes=5)), []
    watch.failed(NetworkError("x"))
    watch.answered()
    watch.failed(NetworkError("x"))
    await watch.rest()
    await watch.rest(17)
    assert pauses == [1, 17]


@pytest.mark.parametrize("trouble", ["away", "conflict", "flood", "server error"])
async def test_a_stop_does_not_wait_for_the_next_poll(
    rig: Rig, trouble: str, caplog: pytest.LogCaptureFixture
) -> None:
    await rig.start()
    refusals: dict[str, tuple[int, str, dict[str, int] | None]] = {
        "conflict": (409, "Conflict: terminated", None),
        "flood": (429, "Too Many Requests", {"retry_after": 600}),
        "server error": (502, "Bad Gateway", None),
    }
    polls = len(rig.telegram.called("getUpdates"))
    if trouble == "away":
        await rig.telegram.stop()
    else:
        rig.telegram.refuse(None, *refusals[trouble], method="getUpdates", times=99)
        rig.telegram.user("ada").says("/help")
        await eventually(lambda: len(rig.telegram.called("getUpdates")) > polls)
    # The pauses grow to seconds.
    await asyncio.sleep(1.5)
    began = asyncio.get_running_loop().time()
    await rig.end_run()
    assert asyncio.get_running_loop().time() - began < 0.5
    gc.collect()
    assert "never retrieved" not in caplog.text
    if trouble == "away":
        await rig.telegram.start()


# stopping


async def test_a_stop_in_the_moment_of_the_start_ends_the_run() -> None:
    rig = await rig_for(Answers())
    rig.telegram.stall(None, method="deleteWebhook")
    run = asyncio.create_task(supervise("telegram", rig.adapter.run))
    await eventually(lambda: bool(rig.telegram.called("deleteWebhook")))
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(run, PATIENCE)
    await rig.stop()


async def test_a_stop_is_heard_whatever_breaks_on_the_way_out() -> None:
    begun = asyncio.Event()

    async def breaks() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise RuntimeError("still running")

    run = asyncio.create_task(supervise("telegram", breaks))
    await begun.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(run, PATIENCE)


async def test_a_stop_lets_a_running_answer_finish_and_confirms_what_was_read() -> None:
    began, gate = asyncio.Event(), asyncio.Event()

    async def slow(_request: Request) -> Reply:
        began.set()
        await gate.wait()
        return await Answers()(_request)

    rig = await rig_for(slow)
    await rig.start()
    ada = rig.telegram.user("ada")
    ada.says("/help")
    await began.wait()
    run, rig.run = rig.run, None
    assert run is not None
    run.cancel()
    await asyncio.sleep(0.05)
    assert not run.done()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert len(ada.received()) == 1
    assert rig.telegram.is_read
    await rig.stop()


async def test_a_stop_gives_up_an_answer_that_never_comes(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("bot.adapters.telegram.adapter.STOP_PATIENCE", 0.1)
    before = asyncio.all_tasks()
    began = asyncio.Event()

    async def never(request: Request) -> Reply:
        if request.command == "help":
            return Reply((text_block("a page"),), Keyboard(rows=((Button("Next", action="page:2"),),)))
        began.set()
        await asyncio.Event().wait()
        return Reply()

    rig = await rig_for(never)
    await rig.start()
    ada = rig.telegram.user("ada")
    ada.says("/help")
    await eventually(lambda: len(ada.received()) == 1)
    ada.presses("Next")
    for n in range(3):
        ada.says(f"/search {n}")
    await began.wait()
    await rig.stop()
    assert "are given up" in caplog.text
    await nothing_left(before)


async def test_after_a_stop_a_send_is_put_off_and_a_new_run_sends(rig: Rig) -> None:
    rig.telegram.user("ada").says("/start")
    await rig.start()
    await rig.end_run()
    assert isinstance(await rig.adapter.send(CHAT, PART, "k"), Retry)
    await rig.start()
    assert isinstance(await rig.adapter.send(CHAT, PART, "k"), Sent)


# the token


async def test_the_token_is_in_no_log_at_any_level(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore", "telegram"):
        caplog.set_level(logging.DEBUG, name)
    rig = await rig_for(Answers(), patience=0.5)
    telegram, secret = rig.telegram, rig.telegram.token
    echo = f"<html>/bot{secret}/x and /bot{secret.replace(':', '%3A')}/x</html>"
    telegram.answer_raw(404, echo, method="getMe")
    with pytest.raises(NetworkError):
        await rig.adapter.run()
    await rig.start()
    telegram.user("ada").says("/help")
    await eventually(lambda: len(telegram.user("ada").received()) == 1)
    telegram.refuse(1001, 400, f"Bad Request: https://x/bot{secret}/sendMessage")
    telegram.answer_raw(404, echo, chat_id=1001)
    telegram.answer_raw(200, echo, chat_id=1001)
    telegram.answer_raw(502, echo, chat_id=1001)
    telegram.hang_up(1001)
    telegram.stall(1001)
    for n in range(8):
        await rig.adapter.send(CHAT, PART, f"k{n}")
    telegram.answer_raw(502, echo, method="getUpdates")
    telegram.user("ada").says("/help")
    await eventually(lambda: "cannot be reached" in caplog.text)
    await telegram.stop()
    await rig.adapter.send(CHAT, PART, "away")
    assert secret not in repr(rig.adapter)
    await telegram.start()
    await rig.stop()
    telegram.token = "4242:another"
    await telegram.start()
    with pytest.raises(PlatformStopped) as caught:
        await rig.adapter.run()
    await telegram.stop()
    assert "HTTP Request" in caplog.text, "httpx has logged its addresses"
    for shown in (caplog.text, repr(caught.value)):
        assert secret not in shown
        assert secret.replace(":", "%3A") not in shown
        assert secret.partition(":")[2] not in shown
    assert all(not record.args or secret not in repr(record.args) for record in caplog.records)


def test_the_token_is_hidden_plain_and_encoded() -> None:
    assert without_token("a/bot1:x/getMe b/bot1%3Ax/", "1:x") == "a/bot[token]/getMe b/bot[token]/"
