"""One test for each row of the table "Telegram's error -> what we do": the real library, a real server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import timedelta

import httpx
import pytest
from telegram.error import (
    BadRequest,
    Conflict,
    Forbidden,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from bot.adapters.telegram.outcomes import outcome_of
from bot.adapters.telegram.posting import Doubts
from bot.markup import Card
from bot.ports import (
    Ambiguous,
    Attachment,
    Button,
    Gone,
    Keyboard,
    Moved,
    Outcome,
    Part,
    Paused,
    Rejected,
    Retry,
    Sent,
)
from scheduler.models import ChatRef, Platform
from tests.adapters.contract import Answers, eventually
from tests.adapters.telegram_harness import Rig, ref_to, rig_for
from tests.fakes.telegram_chats import Json
from tests.patience import PATIENCE

pytestmark = pytest.mark.filterwarnings("ignore:.*retry_after:telegram.warnings.PTBDeprecationWarning")

PART = Part(cards=(Card("<b>Bold</b> &amp; plain"),), plain="Bold & plain")
PAGE = Part(cards=(Card("<b>Digest</b>"),), plain="Digest", attachment=Attachment("d.html", "<p>强</p>"))
CHAT = ChatRef(Platform.TELEGRAM, "1001")


@dataclass
class Now:
    """A clock that stands still until told."""

    seconds: float = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
async def rig(now: Now) -> AsyncIterator[Rig]:
    """A running adapter; "ada" has spoken to the bot before; a lost answer is given up after 0.5 s."""
    rig = await rig_for(Answers(), patience=0.5, clock=now)
    rig.telegram.user("ada").chat.refusal = None
    await rig.start()
    yield rig
    await rig.stop()


async def send(rig: Rig, part: Part = PART, chat: ChatRef = CHAT) -> Outcome:
    return await rig.adapter.send(chat, part, "2026-09-29/0")


REFUSALS: list[tuple[int, str, Json | None, Outcome]] = [
    (
        429,
        "Too Many Requests: retry after 17",
        {"retry_after": 17},
        Retry(timedelta(seconds=17), "flood_wait", counted=False),
    ),
    (
        400,
        "Bad Request: group chat was upgraded to a supergroup chat",
        {"migrate_to_chat_id": -1001234},
        Moved(ChatRef(Platform.TELEGRAM, "-1001234")),
    ),
    (403, "Forbidden: bot was blocked by the user", None, Gone("blocked")),
    (403, "Forbidden: user is deactivated", None, Gone("deactivated")),
    (403, "Forbidden: bot was kicked from the group chat", None, Gone("kicked")),
    (403, "Forbidden: bot was kicked from the supergroup chat", None, Gone("kicked")),
    (403, "Forbidden: bot was kicked from the channel chat", None, Gone("kicked")),
    (403, "Forbidden: the group chat was deleted", None, Gone("kicked")),
    (403, "Forbidden: bot is not a member of the channel chat", None, Gone("not_member")),
    (403, "Forbidden: bot can't initiate conversation with a user", None, Gone("cannot_initiate")),
    (403, "Forbidden: bot can't send messages to bots", None, Gone("cannot_initiate")),
    (403, "Forbidden: something new", None, Gone("blocked")),
    (403, "Forbidden: CHAT_WRITE_FORBIDDEN", None, Paused("no_rights", ("Send messages",))),
    (
        400,
        "Bad Request: not enough rights to send text messages to the chat",
        None,
        Paused("no_rights", ("Send messages",)),
    ),
    (
        400,
        "Bad Request: not enough rights to send documents to the chat",
        None,
        Paused("no_rights", ("Send files",)),
    ),
    (
        400,
        "Bad Request: need administrator rights in the channel chat",
        None,
        Paused("no_rights", ("Post messages",)),
    ),
    (400, "Bad Request: have no rights to send a message", None, Paused("no_rights", ("Send messages",))),
    (400, "Bad Request: CHAT_WRITE_FORBIDDEN", None, Paused("no_rights", ("Send messages",))),
    (400, "Bad Request: CHAT_RESTRICTED", None, Paused("no_rights", ("Send messages",))),
    (400, "Bad Request: CHAT_SEND_DOCS_FORBIDDEN", None, Paused("no_rights", ("Send files",))),
    (400, "Bad Request: message thread not found", None, Paused("topic_gone")),
    (400, "Bad Request: TOPIC_DELETED", None, Paused("topic_gone")),
    (400, "Bad Request: TOPIC_CLOSED", None, Paused("topic_closed")),
    (400, "Bad Request: message text is empty", None, Rejected("empty")),
    (400, "Bad Request: group chat was deactivated", None, Gone("deactivated")),
    (
        409,
        "Conflict: terminated by other getUpdates request",
        None,
        Retry(timedelta(seconds=5), "conflict", counted=False, scope="platform"),
    ),
    (413, "Request Entity Too Large", None, Rejected("too_big")),
    (500, "Internal Server Error", None, Ambiguous("server_error")),
    (502, "Bad Gateway", None, Ambiguous("server_error")),
    (504, "Gateway Timeout", None, Ambiguous("server_error")),
]


@pytest.mark.parametrize(("status", "description", "parameters", "outcome"), REFUSALS)
@pytest.mark.parametrize("part", [PART, PAGE], ids=["text", "file"])
async def test_a_refusal_is_its_outcome(
    rig: Rig, part: Part, status: int, description: str, parameters: Json | None, outcome: Outcome
) -> None:
    rig.telegram.refuse(1001, status, description, parameters)
    assert await send(rig, part) == outcome
    assert rig.telegram.user("ada").received() == ()
    assert len(rig.telegram.called("sendMessage") + rig.telegram.called("sendDocument")) == 1
    assert isinstance(await send(rig, part), Sent), "a refusal concerns that one call"


@pytest.mark.parametrize(
    "description",
    [
        'Bad Request: can\'t parse entities: Unsupported start tag "think" at byte offset 0',
        "Bad Request: ENTITY_BOUNDS_INVALID",
        "Bad Request: wrong type of the web page content",
        "Bad Request: failed to get HTTP URL content",
        "Bad Request: WEBPAGE_CURL_FAILED",
        "Bad Request: something new",
    ],
)
@pytest.mark.parametrize("part", [PART, PAGE], ids=["text", "file"])
async def test_refused_markup_goes_out_as_plain_text_at_once(
    rig: Rig, part: Part, description: str, caplog: pytest.LogCaptureFixture
) -> None:
    rig.telegram.refuse(1001, 400, description)
    assert isinstance(await send(rig, part), Sent)
    (shown,) = rig.telegram.user("ada").received()
    assert (shown.text, shown.entities) == (part.plain, ())
    assert shown.document == (("d.html", "<p>强</p>") if part.attachment else None)
    assert "refused our markup" in caplog.text


async def test_markup_that_telegram_really_cannot_read_goes_out_as_plain_text(rig: Rig) -> None:
    outcome = await send(rig, Part(cards=(Card("<think> x"),), plain="<think> x"))
    assert isinstance(outcome, Sent)
    assert rig.telegram.user("ada").received()[-1].text == "<think> x"


async def test_what_is_refused_as_plain_text_too_is_rejected(rig: Rig) -> None:
    rig.telegram.refuse(1001, 400, "Bad Request: BUTTON_DATA_INVALID", times=2)
    assert await send(rig) == Rejected("refused")
    assert len(rig.telegram.called("sendMessage")) == 2


async def test_a_flood_wait_between_markup_and_plain_text_is_kept(rig: Rig) -> None:
    rig.telegram.refuse(1001, 400, "Bad Request: can't parse entities")
    rig.telegram.refuse(1001, 429, "Too Many Requests", {"retry_after": 3})
    assert await send(rig) == Retry(timedelta(seconds=3), "flood_wait", counted=False)


async def test_a_button_that_is_too_long_is_rejected(rig: Rig) -> None:
    keyboard = Keyboard(rows=((Button("x", action="é" * 33),),))
    part = Part(cards=(Card("text"),), plain="text", keyboard=keyboard)
    assert await send(rig, part) == Rejected("refused")


@pytest.mark.parametrize(
    "description", ["message is too long", "message caption is too long", "MEDIA_CAPTION_TOO_LONG"]
)
async def test_what_is_too_long_goes_out_as_a_file_with_its_beginning(
    rig: Rig, description: str, caplog: pytest.LogCaptureFixture
) -> None:
    rig.telegram.refuse(1001, 400, f"Bad Request: {description}")
    assert isinstance(await send(rig, PAGE), Sent)
    rig.telegram.refuse(1001, 400, f"Bad Request: {description}")
    assert isinstance(await send(rig), Sent)
    page, text = rig.telegram.user("ada").received()
    assert (page.document, page.text, page.entities) == (("d.html", "<p>强</p>"), "Digest", ())
    assert text.document == ("message.txt", "Bold & plain")
    assert caplog.text.count("refused our markup") == 2


async def test_what_is_too_long_as_a_file_too_is_rejected(rig: Rig) -> None:
    rig.telegram.refuse(1001, 400, "Bad Request: message caption is too long", times=2)
    assert await send(rig) == Rejected("too_long")


async def test_a_text_over_the_limit_loses_nothing(rig: Rig) -> None:
    lines = "\n".join(f"{number} 强化学习 😀" for number in range(500))
    assert isinstance(await send(rig, Part(cards=(Card(lines),), plain=lines)), Sent)
    (shown,) = rig.telegram.user("ada").received()
    assert shown.document == ("message.txt", lines)
    assert shown.text.startswith("0 强化学习 😀\n1 强化学习 😀\n")
    assert shown.text.endswith("😀\n…")
    assert isinstance(await send(rig, Part(cards=(Card("<b>" + "x" * 4096 + "</b>"),), plain="x")), Sent)


async def test_an_empty_text_is_rejected(rig: Rig) -> None:
    assert await send(rig, Part(cards=(), plain="")) == Rejected("empty")


@pytest.mark.parametrize("description", ["Bad Request: chat not found", "Bad Request: PEER_ID_INVALID"])
async def test_a_chat_that_is_not_found_is_for_the_outbox_to_believe(rig: Rig, description: str) -> None:
    rig.telegram.refuse(1001, 400, description)
    assert await send(rig) == Gone("chat_not_found")
    assert rig.standings.told == []


async def test_an_answer_to_a_chat_that_is_not_found_says_nothing_of_the_chat(rig: Rig) -> None:
    rig.telegram.refuse(1001, 400, "Bad Request: chat not found", method="sendMessage")
    ada = rig.telegram.user("ada")
    ada.says("/help")
    ada.says("/help")
    await eventually(lambda: len(ada.received()) == 1)
    assert rig.standings.told == []


async def test_an_unknown_chat_is_not_found(rig: Rig) -> None:
    assert await send(rig, chat=ChatRef(Platform.TELEGRAM, "-100999")) == Gone("chat_not_found")


@pytest.mark.parametrize("accepted", [True, False])
@pytest.mark.parametrize("reset", [True, False])
async def test_a_connection_lost_after_the_request_is_ambiguous(
    rig: Rig, accepted: bool, reset: bool
) -> None:
    rig.telegram.hang_up(1001, accepted=accepted, reset=reset)
    assert await send(rig) == Ambiguous("answer_lost")
    assert len(rig.telegram.user("ada").received()) == accepted


@pytest.mark.parametrize("accepted", [True, False])
async def test_an_answer_that_does_not_come_is_ambiguous(rig: Rig, accepted: bool) -> None:
    rig.telegram.stall(1001, accepted=accepted)
    assert await send(rig) == Ambiguous("answer_lost")
    assert len(rig.telegram.user("ada").received()) == accepted


async def test_an_answer_that_is_no_json_is_ambiguous(rig: Rig) -> None:
    rig.telegram.answer_raw(200, "<html>Sign in to the hotel</html>", chat_id=1001)
    assert await send(rig) == Ambiguous("strange_answer")
    rig.telegram.answer_raw(502, "<html>Bad gateway</html>", chat_id=1001)
    assert await send(rig) == Ambiguous("server_error")


async def test_a_server_that_is_away_is_asked_again_less_and_less_often(rig: Rig) -> None:
    await rig.telegram.stop()
    waits = [await send(rig) for _ in range(8)]
    assert waits[0] == Retry(timedelta(seconds=5), "unreachable", counted=False, scope="platform")
    seconds = [wait.after.total_seconds() for wait in waits if isinstance(wait, Retry)]
    assert seconds == [5, 10, 20, 40, 80, 160, 300, 300]
    await rig.telegram.start()
    assert isinstance(await send(rig), Sent)
    await rig.telegram.stop()
    assert await send(rig) == waits[0]
    await rig.telegram.start()


async def test_a_401_stops_the_platform_when_get_me_says_so_too(rig: Rig) -> None:
    rig.telegram.token = "4242:another"
    assert await send(rig) == Retry(timedelta(minutes=1), "token", counted=False, scope="platform")
    assert rig.run is not None
    with pytest.raises(Exception, match="PAPERBOY_TELEGRAM_TOKEN"):
        await asyncio.wait_for(rig.run, PATIENCE)
    rig.run = None


@pytest.mark.parametrize("status", [401, 404])
async def test_a_proxys_404_does_not_stop_the_platform(rig: Rig, status: int) -> None:
    rig.telegram.answer_raw(status, "<html>no such page</html>", chat_id=1001)
    assert await send(rig) == Retry(timedelta(minutes=1), "token", counted=False, scope="platform")
    assert len(rig.telegram.called("getMe")) == 2
    assert rig.run is not None
    assert not rig.run.done()
    assert isinstance(await send(rig), Sent)


def caused(error: TelegramError, cause: type[httpx.HTTPError]) -> TelegramError:
    error.__cause__ = cause("as the library gives it")
    return error


UNREACHABLE = Retry(timedelta(seconds=5), "unreachable", counted=False, scope="platform")


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (lambda: caused(TimedOut(), httpx.PoolTimeout), UNREACHABLE),
        (lambda: caused(TimedOut(), httpx.ConnectTimeout), UNREACHABLE),
        (lambda: caused(NetworkError("x"), httpx.ConnectError), UNREACHABLE),
        (lambda: caused(NetworkError("x"), httpx.ProxyError), UNREACHABLE),
        (lambda: caused(TimedOut(), httpx.ReadTimeout), Ambiguous("answer_lost")),
        (lambda: caused(TimedOut(), httpx.WriteTimeout), Ambiguous("answer_lost")),
        (lambda: caused(NetworkError("x"), httpx.ReadError), Ambiguous("answer_lost")),
        (lambda: caused(NetworkError("x"), httpx.RemoteProtocolError), Ambiguous("answer_lost")),
        (lambda: RetryAfter(timedelta(seconds=7)), Retry(timedelta(seconds=7), "flood_wait", counted=False)),
        (lambda: RetryAfter(7), Retry(timedelta(seconds=7), "flood_wait", counted=False)),
        (lambda: Forbidden("Forbidden: new"), Gone("blocked")),
        (lambda: BadRequest("new"), None),
        (lambda: Conflict("x"), Retry(timedelta(seconds=5), "conflict", counted=False, scope="platform")),
        (lambda: TelegramError("x"), Ambiguous("strange_answer")),
    ],
)
def test_the_cause_says_whether_it_was_sent(
    error: Callable[[], TelegramError], outcome: Outcome | None
) -> None:
    assert outcome_of(error(), CHAT) == outcome


@pytest.mark.parametrize("setting", ["", "1"])
def test_a_flood_wait_is_read_in_both_forms(monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", setting)
    error = RetryAfter(7)
    assert isinstance(error.retry_after, timedelta) == bool(setting)
    assert outcome_of(error, CHAT) == Retry(timedelta(seconds=7), "flood_wait", counted=False)


def test_an_unknown_refusal_by_a_group_is_not_a_block() -> None:
    assert outcome_of(Forbidden("new"), ChatRef(Platform.TELEGRAM, "-100")) == Gone("kicked")


def test_other_outcomes_are_not_doubted() -> None:
    doubts = Doubts()
    for outcome in (Gone("blocked"), Paused("no_rights"), Ambiguous("answer_lost"), Rejected("empty")):
        assert doubts.weigh(outcome) is outcome


async def test_a_part_is_sent_as_it_should_look(rig: Rig) -> None:
    keyboard = Keyboard(
        rows=((Button("◀", action="page:0"), Button("Page", url="https://arxiv.org/abs/1")), ()),
        choices=tuple(Button(f"Paper {n}", action=f"card:{n}", short=str(n)) for n in range(1, 13)),
    )
    part = Part(cards=PART.cards, plain=PART.plain, keyboard=keyboard, quiet=True)
    outcome = await send(rig, part)
    (shown,) = rig.telegram.user("ada").received()
    assert outcome == Sent(str(shown.message_id))
    assert [len(row) for row in shown.rows] == [8, 4, 2]
    assert shown.rows[0][0] == {"text": "1", "callback_data": "card:1"}
    assert shown.rows[2][1] == {"text": "Page", "url": "https://arxiv.org/abs/1"}
    assert (shown.quiet, shown.preview, shown.reply_to) == (True, False, None)
    assert shown.piece(shown.entities[0]) == "Bold"


async def test_a_part_that_is_not_quiet_sounds(rig: Rig) -> None:
    await send(rig, Part(cards=PART.cards, plain=PART.plain, quiet=False))
    assert not rig.telegram.user("ada").received()[0].quiet


async def test_a_file_without_a_text_has_no_caption(rig: Rig) -> None:
    assert isinstance(await send(rig, Part(cards=(), plain="", attachment=PAGE.attachment)), Sent)
    (fields,) = rig.telegram.called("sendDocument")
    assert "caption" not in fields


async def test_a_part_goes_into_its_topic(rig: Rig) -> None:
    topic = rig.telegram.group("Forum", admins=["ada"], forum=True).topic("papers")
    assert isinstance(await send(rig, chat=ref_to(topic)), Sent)
    assert len(topic.received()) == 1
    topic.closes()
    assert await send(rig, chat=ref_to(topic)) == Paused("topic_closed")
    topic.disappears()
    assert await send(rig, chat=ref_to(topic)) == Paused("topic_gone")


async def test_a_group_that_moved_says_where(rig: Rig) -> None:
    old = rig.telegram.group("Lab", admins=["ada"], basic=True)
    new = rig.telegram.group("Lab", admins=["ada"])
    old.becomes(new)
    assert await send(rig, chat=ref_to(old)) == Moved(ref_to(new))
    assert isinstance(await send(rig, chat=ref_to(new)), Sent)


async def test_one_chats_flood_wait_does_not_hold_another(rig: Rig) -> None:
    group = rig.telegram.group("Busy", admins=["ada"])
    rig.telegram.refuse(group.id, 429, "Too Many Requests", {"retry_after": 600})
    busy, quiet = await asyncio.gather(send(rig, chat=ref_to(group)), send(rig))
    assert busy == Retry(timedelta(seconds=600), "flood_wait", counted=False)
    assert isinstance(quiet, Sent)


async def test_what_was_not_sent_is_logged_with_its_key(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    rig.telegram.refuse(1001, 403, "Forbidden: bot was blocked by the user")
    await send(rig)
    assert "part 2026-09-29/0 for telegram:1001: Gone(reason='blocked')" in caplog.text
