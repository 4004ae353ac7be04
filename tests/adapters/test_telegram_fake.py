"""The fake Telegram refuses what Telegram refuses; without that, the adapter's tests would prove little."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.fakes.telegram_server import FakeTelegram
from tests.judges.bot_api_spec import BotApi


class Caller:
    """Calls a fake Telegram without any library for bots."""

    def __init__(self, telegram: FakeTelegram, client: httpx.AsyncClient) -> None:
        self.telegram = telegram
        self._client = client

    async def call(self, method: str, token: str = "", **fields: Any) -> dict[str, Any]:
        """The whole answer to one call."""
        path = f"{self.telegram.base_url}/bot{token or self.telegram.token}/{method}"
        answer: dict[str, Any] = (await self._client.post(path, data=fields)).json()
        return answer

    async def refusal(self, method: str, **fields: Any) -> str:
        """What a call is refused with."""
        answer = await self.call(method, **fields)
        assert not answer["ok"]
        return str(answer["description"])


@pytest.fixture
async def caller() -> AsyncIterator[Caller]:
    telegram = FakeTelegram()
    await telegram.start()
    telegram.user("ada").says("/start")
    async with httpx.AsyncClient() as client:
        yield Caller(telegram, client)
    await telegram.stop()


async def test_a_wrong_token_and_a_wrong_method(caller: Caller) -> None:
    assert (await caller.call("getMe", token="1:x"))["error_code"] == 401
    assert (await caller.call("getMee"))["error_code"] == 404
    assert len(caller.telegram.violations) <= 1


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("<think> x", 'Bad Request: can\'t parse entities: Unsupported start tag "think" at byte offset 0'),
        ("<b>open", "Bad Request: can't parse entities: Can't find end tag corresponding to start tag \"b\""),
        ("x" * 4097, "Bad Request: message is too long"),
        ("😀" * 2049, "Bad Request: message is too long"),
        (" \n", "Bad Request: message text is empty"),
        ("<b></b>", "Bad Request: message text is empty"),
    ],
)
async def test_texts_that_are_refused(caller: Caller, text: str, refusal: str) -> None:
    assert await caller.refusal("sendMessage", chat_id=1001, text=text, parse_mode="HTML") == refusal


async def test_a_text_is_measured_after_parsing(caller: Caller) -> None:
    text = "<b>" + "&lt;" * 4096 + "</b>"
    assert (await caller.call("sendMessage", chat_id=1001, text=text, parse_mode="HTML"))["ok"]
    assert caller.telegram.user("ada").received()[0].text == "<" * 4096


@pytest.mark.parametrize(
    ("button", "refusal"),
    [
        ('{"text": "x", "callback_data": "%s"}' % ("é" * 33), "Bad Request: BUTTON_DATA_INVALID"),
        ('{"text": "x"}', "Bad Request: BUTTON_DATA_INVALID"),
        ('{"text": " ", "callback_data": "a"}', "Bad Request: inline keyboard button text is empty"),
        (
            '{"text": "x", "url": "javascript:x"}',
            "Bad Request: inline keyboard button URL 'javascript:x' is bad",
        ),
        (", ".join(['{"text": "x", "callback_data": "a"}'] * 9), "Bad Request: reply markup is too long"),
    ],
)
async def test_buttons_that_are_refused(caller: Caller, button: str, refusal: str) -> None:
    keyboard = f'{{"inline_keyboard": [[{button}]]}}'
    assert await caller.refusal("sendMessage", chat_id=1001, text="x", reply_markup=keyboard) == refusal


async def test_chats_that_are_refused(caller: Caller) -> None:
    telegram = caller.telegram
    assert await caller.refusal("sendMessage", chat_id=999, text="x") == "Bad Request: chat not found"
    stranger = telegram.user("bob").id
    assert "can't initiate" in await caller.refusal("sendMessage", chat_id=stranger, text="x")
    telegram.user("ada").blocks()
    assert "blocked" in await caller.refusal("sendMessage", chat_id=1001, text="x")
    forum = telegram.group("Forum", ["ada"], forum=True)
    refusal = await caller.refusal("sendMessage", chat_id=forum.id, text="x", message_thread_id=5)
    assert refusal == "Bad Request: message thread not found"


async def test_edits_that_are_refused(caller: Caller) -> None:
    sent = await caller.call("sendMessage", chat_id=1001, text="x")
    message = sent["result"]["message_id"]
    same = await caller.refusal("editMessageText", chat_id=1001, message_id=message, text="x")
    assert "message is not modified" in same
    gone = await caller.refusal("editMessageText", chat_id=1001, message_id=77, text="x")
    assert gone == "Bad Request: message to edit not found"
    theirs = await caller.refusal("editMessageText", chat_id=1001, message_id=1, text="x")
    assert theirs == "Bad Request: message can't be edited"


async def test_updates_are_given_until_they_are_confirmed(caller: Caller) -> None:
    for _ in range(2):
        (update,) = (await caller.call("getUpdates"))["result"]
    assert (await caller.call("getUpdates", offset=update["update_id"] + 1))["result"] == []


async def test_what_the_bot_api_does_not_know_is_a_violation(caller: Caller) -> None:
    BotApi.load()
    await caller.call("sendMessage", chat_id=1001, text="x", colour="red")
    await caller.call("sendMessage", chat_id=1001, text="x", disable_notification="perhaps")
    await caller.call("sendMessage", chat_id=1001)
    colour, perhaps, empty = caller.telegram.violations
    assert "colour" in colour
    assert "perhaps" in perhaps
    assert "'text' is a required property" in empty


def test_an_answer_of_another_form_is_a_violation() -> None:
    api = BotApi.load()
    api.check_result("getMe", {"id": 1, "is_bot": True, "first_name": "Paperboy"})
    wrongs: tuple[object, ...] = (
        {"id": 1, "is_bot": True},
        {"id": "1", "is_bot": True, "first_name": "x"},
        [],
        None,
    )
    for wrong in wrongs:
        with pytest.raises(AssertionError, match="getMe result"):
            api.check_result("getMe", wrong)
    with pytest.raises(AssertionError, match="no method getMee"):
        api.check_request("getMee", {})
