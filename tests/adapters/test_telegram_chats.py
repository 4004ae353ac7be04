"""People in private chats, groups, topics and channels, against the fake Telegram."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from functools import partial

import pytest

from bot.markup import Block, Line, Span
from bot.ports import Attachment, Button, Gone, Keyboard, Moved, Paused, Reply, Request
from scheduler.models import ChatKind, ChatRef, Platform
from tests.adapters.contract import PICTURE, Answers, eventually, text_block
from tests.adapters.telegram_harness import Rig, ref_to, rig_for
from tests.fakes.telegram_chats import Group

pytestmark = pytest.mark.filterwarnings("ignore:.*retry_after:telegram.warnings.PTBDeprecationWarning")

NEXT = Button("Next", action="page:2")
PAGE_1 = Reply((text_block("page 1"),), Keyboard(rows=((NEXT,),)))


@dataclass
class Now:
    """A clock that stands still until told."""

    seconds: float = 1000.0

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Scene:
    """A running adapter and its answers."""

    rig: Rig
    answers: Answers
    now: Now

    async def request(self, count: int = 1) -> Request:
        """The newest request, as soon as there are `count`."""
        await eventually(lambda: len(self.answers.requests) >= count)
        assert len(self.answers.requests) == count
        return self.answers.requests[-1]

    async def settled(self, says: Callable[[str], object]) -> None:
        """Everything said so far where `says` speaks has been handled and answered: each chat has its order.

        The witness of it leaves no request.
        """
        says("/help witness")
        await eventually(lambda: any(request.text == "witness" for request in self.answers.requests))
        self.answers.requests[:] = [r for r in self.answers.requests if r.text != "witness"]

    def group(self, *, forum: bool = False, basic: bool = False) -> Group:
        """A group owned by ada with the administrator cy and the member bob."""
        return self.rig.telegram.group("Lab", ["ada", "cy"], ["bob"], forum=forum, basic=basic)


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    now = Now()
    answers = Answers()
    rig = await rig_for(answers, clock=now)
    await rig.start()
    yield Scene(rig, answers, now)
    await rig.stop()


# commands


async def test_a_private_command_says_who_and_where(scene: Scene) -> None:
    ada = scene.rig.telegram.user("ada")
    ada.lang = "zh-hans"
    ada.says("/subscribe  diffusion\npolicy ")
    assert await scene.request() == Request(
        chat=ChatRef(Platform.TELEGRAM, str(ada.id)),
        kind=ChatKind.PRIVATE,
        user=str(ada.id),
        command="subscribe",
        text="diffusion\npolicy",
        may_manage=True,
        chat_title="ada",
        lang="zh-hans",
        user_name="ada",
    )


async def test_plain_text_in_private_is_a_request_without_a_command(scene: Scene) -> None:
    scene.rig.telegram.user("ada").says("attention is all you need")
    request = await scene.request()
    assert (request.command, request.text) == ("", "attention is all you need")


async def test_a_deep_link_comes_as_the_text_of_start(scene: Scene) -> None:
    scene.rig.telegram.user("ada").says("/start cGFwZXI6MjYwOS4zMTY0NA")
    request = await scene.request()
    assert (request.command, request.text) == ("start", "cGFwZXI6MjYwOS4zMTY0NA")


async def test_an_unknown_command_in_private_is_told_to_the_answer_function(scene: Scene) -> None:
    scene.rig.telegram.user("ada").says("/Frobnicate now")
    assert (await scene.request()).command == "frobnicate"


@pytest.mark.parametrize("text", ["/订阅 rl", "/", "//search", "a /search", "/search@", "/a-b"])
async def test_what_is_no_command_is_plain_text(scene: Scene, text: str) -> None:
    scene.rig.telegram.user("ada").says(text)
    assert ((await scene.request()).command, scene.answers.requests[0].text) == ("", text)


async def test_a_sticker_is_not_answered(scene: Scene) -> None:
    ada = scene.rig.telegram.user("ada")
    ada.says("")
    await scene.settled(ada.says)
    assert scene.answers.requests == []


@pytest.mark.parametrize("name", ["PaperboyTestBot", "paperboytestBOT"])
async def test_a_command_with_our_name_is_ours(scene: Scene, name: str) -> None:
    scene.group().says("bob", f"/search@{name} rl")
    assert (await scene.request()).text == "rl"


async def test_others_commands_and_talk_in_a_group_are_not_answered(scene: Scene) -> None:
    group = scene.group()
    for text in ("/search@OtherBot rl", "/roll 6", "see you at 5", "/frobnicate"):
        group.says("bob", text)
    await scene.settled(partial(group.says, "bob"))
    assert scene.answers.requests == []
    await eventually(lambda: len(group.received()) == 1)


async def test_an_unknown_command_with_our_name_is_answered_in_a_group(scene: Scene) -> None:
    scene.group().says("bob", "/frobnicate@PaperboyTestBot")
    assert (await scene.request()).command == "frobnicate"


# groups


@pytest.mark.parametrize(
    ("name", "may_manage"), [("ada", True), ("cy", True), ("bob", False), ("eve", False)]
)
async def test_only_administrators_may_manage_a_group(scene: Scene, name: str, may_manage: bool) -> None:
    group = scene.group()
    group.says(name, "/subscribe rl")
    request = await scene.request()
    assert (request.may_manage, request.kind, request.chat_title) == (may_manage, ChatKind.GROUP, "Lab")
    assert request.chat == ref_to(group)


async def test_who_administers_is_remembered_for_a_minute(scene: Scene) -> None:
    group = scene.group()
    bob = scene.rig.telegram.user("bob")
    for count, passed in enumerate((0, 59, 2), start=1):
        scene.now.seconds += passed
        group.members[bob.id] = "member" if count == 1 else "administrator"
        group.says("bob", "/subscribe rl")
        assert (await scene.request(count)).may_manage == (count == 3)
    assert len(scene.rig.telegram.called("getChatMember")) == 2


async def test_who_cannot_be_looked_up_may_not_manage_and_is_asked_for_again(scene: Scene) -> None:
    group = scene.group()
    scene.rig.telegram.refuse(group.id, 400, "Bad Request: CHAT_ADMIN_REQUIRED", method="getChatMember")
    group.says("ada", "/subscribe rl")
    assert not (await scene.request()).may_manage
    group.says("ada", "/subscribe rl")
    assert (await scene.request(2)).may_manage


async def test_an_anonymous_administrator_may_manage(scene: Scene) -> None:
    group = scene.group()
    group.says_anonymously("/subscribe rl")
    request = await scene.request()
    assert (request.may_manage, request.user) == (True, str(group.id))
    assert scene.rig.telegram.called("getChatMember") == []


async def test_somebody_in_a_channels_name_may_not_manage(scene: Scene) -> None:
    channel = scene.rig.telegram.channel("News", ["bob"])
    scene.group().says_as_channel(channel, "/subscribe rl")
    request = await scene.request()
    assert (request.may_manage, request.user) == (False, str(channel.id))


async def test_a_channels_post_is_not_answered_again_in_its_discussion_group(scene: Scene) -> None:
    channel = scene.rig.telegram.channel("News", ["ada"])
    group = scene.group()
    channel.posts("/subscribe rl")
    group.copies(channel, "/subscribe rl")
    await scene.request()
    await scene.settled(partial(group.says, "ada"))
    assert [request.chat for request in scene.answers.requests] == [ref_to(channel)]


async def test_an_answer_in_a_group_is_a_reply_with_a_sound_even_when_private(scene: Scene) -> None:
    group = scene.group()
    asked = group.says("bob", "/search rl")
    await eventually(lambda: len(group.received()) == 1)
    (shown,) = group.received()
    assert (shown.reply_to, shown.quiet, shown.preview) == (asked, False, False)
    assert scene.rig.telegram.user("bob").received() == ()


async def test_an_answer_in_private_is_no_reply(scene: Scene) -> None:
    ada = scene.rig.telegram.user("ada")
    ada.says("/search rl")
    await eventually(lambda: len(ada.received()) == 1)
    assert (ada.received()[0].reply_to, ada.received()[0].quiet) == (None, False)


async def test_the_answer_to_a_deleted_message_still_comes(scene: Scene) -> None:
    group = scene.group()

    def after_deletion(_request: Request) -> Reply:
        group.messages.clear()
        return Reply((text_block("still here"),))

    scene.answers.reply = after_deletion
    group.says("bob", "/search rl")
    await eventually(lambda: len(group.received()) == 1)
    assert group.received()[0].reply_to is None


# topics and channels


async def test_a_topic_is_a_chat_of_its_own(scene: Scene) -> None:
    group = scene.group(forum=True)
    papers, jobs = group.topic("papers"), group.topic("jobs")
    papers.says("ada", "/search rl")
    request = await scene.request()
    assert request.chat == ChatRef(Platform.TELEGRAM, str(group.id), str(papers.thread_id))
    assert request.chat_title == "Lab › papers"
    # An answer to another message does not tell the topic's name: the one that is known stays.
    group.says("ada", "/search rl", papers.thread_id)
    assert (await scene.request(2)).chat_title == ""
    await eventually(lambda: len(papers.received()) == 2)
    assert jobs.received() == ()


async def test_the_general_topic_has_no_thread(scene: Scene) -> None:
    group = scene.group(forum=True)
    group.says("ada", "/search rl")
    assert (await scene.request()).chat == ref_to(group)
    await eventually(lambda: len(group.received()) == 1)
    assert group.received()[0].thread_id is None


async def test_a_reply_thread_outside_a_forum_is_no_topic(scene: Scene) -> None:
    group = scene.group()
    group.writes("/search rl", scene.rig.telegram.user("ada").as_json(), message_thread_id=7)
    assert (await scene.request()).chat == ref_to(group)


async def test_a_button_in_a_topic_comes_from_there(scene: Scene) -> None:
    topic = scene.group(forum=True).topic("papers")
    scene.answers.reply = PAGE_1
    topic.says("ada", "/search rl")
    await eventually(lambda: len(topic.received()) == 1)
    topic.presses("bob", "Next")
    assert (await scene.request(2)).chat == ref_to(topic)
    await eventually(lambda: len(topic.received()) == 2)


async def test_a_channel_post_manages_the_channel_and_is_answered_without_a_sound(scene: Scene) -> None:
    channel = scene.rig.telegram.channel("News", ["ada"], ["bob"])
    channel.posts("/subscribe rl")
    request = await scene.request()
    assert (request.kind, request.may_manage, request.chat) == (ChatKind.CHANNEL, True, ref_to(channel))
    await eventually(lambda: len(channel.received()) == 1)
    assert (channel.received()[0].quiet, channel.received()[0].reply_to) == (True, None)


async def test_a_channels_reader_who_presses_may_not_manage(scene: Scene) -> None:
    channel = scene.rig.telegram.channel("News", ["ada"], ["bob"])
    scene.answers.reply = PAGE_1
    channel.posts("/search rl")
    await eventually(lambda: len(channel.received()) == 1)
    channel.presses("bob", "Next")
    assert not (await scene.request(2)).may_manage
    channel.presses("ada", "Next")
    assert (await scene.request(3)).may_manage


# buttons


async def shown_page(scene: Scene) -> int:
    """Ada has a page with a "Next" button; gives the message's id."""
    ada = scene.rig.telegram.user("ada")
    scene.answers.reply = PAGE_1
    ada.says("/search rl")
    await eventually(lambda: len(ada.received()) == 1)
    return ada.received()[0].message_id


async def test_a_page_is_turned_in_place_with_its_buttons(scene: Scene) -> None:
    page, ada = await shown_page(scene), scene.rig.telegram.user("ada")
    scene.answers.reply = Reply(
        (Block((Line((Span("page 2", url="https://arxiv.org/abs/1"),)),)),),
        Keyboard(rows=((Button("Back", action="page:1"),),)),
        in_place=True,
        toast="2 of 2",
    )
    ada.presses("Next")
    await eventually(lambda: ada.received()[0].labels == ("Back",))
    (shown,) = ada.received()
    assert (shown.message_id, shown.text, shown.links) == (
        page,
        "page 2",
        (("page 2", "https://arxiv.org/abs/1"),),
    )
    assert scene.rig.telegram.toasts == ["2 of 2"]
    (edit,) = scene.rig.telegram.called("editMessageText")
    assert edit["link_preview_options"] == {"is_disabled": True}


async def test_buttons_alone_can_change(scene: Scene) -> None:
    await shown_page(scene)
    ada = scene.rig.telegram.user("ada")
    scene.answers.reply = Reply(keyboard=Keyboard(rows=((Button("Saved", action="save:0"),),)), in_place=True)
    ada.presses("Next")
    await eventually(lambda: ada.received()[0].labels == ("Saved",))
    assert ada.received()[0].text == "page 1"


async def test_a_message_that_cannot_be_edited_is_followed_by_a_new_one(scene: Scene) -> None:
    await shown_page(scene)
    ada = scene.rig.telegram.user("ada")
    scene.answers.reply = Reply((text_block("page 2"),), in_place=True)
    for description in ("message to edit not found", "message can't be edited", "MESSAGE_ID_INVALID"):
        scene.rig.telegram.refuse(ada.id, 400, f"Bad Request: {description}", method="editMessageText")
        before = len(ada.received())
        ada.presses("Next")
        await eventually(lambda before=before: len(ada.received()) == before + 1)  # type: ignore[misc]
    assert [shown.text for shown in ada.received()] == ["page 1", "page 2", "page 2", "page 2"]


async def test_a_file_is_followed_by_a_new_message(scene: Scene) -> None:
    ada = scene.rig.telegram.user("ada")
    scene.answers.reply = replace(PAGE_1, attachment=Attachment("d.html", "<p>x</p>"))
    ada.says("/search rl")
    await eventually(lambda: len(ada.received()) == 1)
    scene.answers.reply = Reply((text_block("page 2"),), in_place=True)
    ada.presses("Next")
    await eventually(lambda: len(ada.received()) == 2)
    assert (ada.received()[0].document, ada.received()[1].text) == (("d.html", "<p>x</p>"), "page 2")


@pytest.mark.parametrize(
    "refusal",
    ["not enough rights to send photos to the chat", "PHOTO_INVALID_DIMENSIONS", "IMAGE_PROCESS_FAILED"],
)
async def test_where_no_picture_may_be_sent_its_text_is(scene: Scene, refusal: str) -> None:
    ada = scene.rig.telegram.user("ada")
    scene.rig.telegram.refuse(ada.id, 400, f"Bad Request: {refusal}", method="sendPhoto", times=3)
    scene.answers.reply = replace(PAGE_1, picture=PICTURE)
    ada.says("/try rl")
    await eventually(lambda: len(ada.received()) == 1)
    (shown,) = ada.received()
    assert (shown.text, shown.photo) == ("page 1", None)
    assert scene.rig.standings.told == []


async def test_a_picture_takes_the_place_of_a_text(scene: Scene) -> None:
    await shown_page(scene)
    ada = scene.rig.telegram.user("ada")
    scene.answers.reply = Reply((text_block("page 2"),), picture=PICTURE, in_place=True)
    ada.presses("Next")
    await eventually(lambda: ada.received()[0].photo == PICTURE.png)
    assert [shown.text for shown in ada.received()] == ["page 2"]


async def test_a_page_with_a_file_is_a_new_message(scene: Scene) -> None:
    await shown_page(scene)
    ada = scene.rig.telegram.user("ada")
    scene.answers.reply = Reply((text_block("all"),), attachment=Attachment("d.html", "x"), in_place=True)
    ada.presses("Next")
    await eventually(lambda: len(ada.received()) == 2)
    assert ada.received()[1].document == ("d.html", "x")


async def test_an_edit_whose_markup_is_refused_is_made_plain(scene: Scene) -> None:
    await shown_page(scene)
    ada = scene.rig.telegram.user("ada")
    scene.rig.telegram.refuse(ada.id, 400, "Bad Request: can't parse entities", method="editMessageText")
    scene.answers.reply = Reply((text_block("<page> 2"),), in_place=True)
    ada.presses("Next")
    await eventually(lambda: ada.received()[0].text == "<page> 2")
    assert ada.received()[0].entities == ()


async def test_a_page_that_is_shown_already_is_no_trouble(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    await shown_page(scene)
    ada = scene.rig.telegram.user("ada")
    scene.answers.reply = replace(PAGE_1, in_place=True)
    ada.presses("Next")
    await scene.request(2)
    await scene.settled(ada.says)
    assert len(scene.rig.telegram.called("editMessageText")) == 1
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")]


async def test_a_button_under_a_message_that_telegram_has_forgotten_works(scene: Scene) -> None:
    await shown_page(scene)
    ada = scene.rig.telegram.user("ada")
    scene.answers.reply = Reply((text_block("page 2"),), in_place=True)
    ada.presses("Next", forgotten=True)
    request = await scene.request(2)
    assert (request.action, request.chat, request.kind) == ("page:2", ref_to(ada.chat), ChatKind.PRIVATE)
    await eventually(lambda: ada.received()[-1].text == "page 2")


async def test_a_slow_answer_releases_the_button_and_says_its_word_as_a_message(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.adapters.telegram.adapter.TOAST_PATIENCE", 0.05)
    await shown_page(scene)
    ada, telegram = scene.rig.telegram.user("ada"), scene.rig.telegram
    gate = asyncio.Event()

    async def slow(_request: Request) -> Reply:
        await gate.wait()
        return Reply(toast="Saved")

    monkeypatch.setattr(scene.rig.adapter, "_answer", slow)
    ada.presses("Next")
    await eventually(lambda: telegram.toasts == [""])
    assert len(ada.received()) == 1
    gate.set()
    await eventually(lambda: ada.received()[-1].text == "Saved")


async def test_a_failing_answer_releases_the_button_and_says_nothing(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    await shown_page(scene)
    ada = scene.rig.telegram.user("ada")
    scene.answers.failures = 1
    ada.presses("Next")
    await eventually(lambda: scene.rig.telegram.toasts == [""])
    await scene.settled(ada.says)
    await eventually(lambda: len(ada.received()) == 2)
    assert "could not be answered" in caplog.text


async def test_a_long_word_is_cut_to_what_telegram_shows(scene: Scene) -> None:
    await shown_page(scene)
    scene.answers.reply = Reply(toast="字" * 300)
    scene.rig.telegram.user("ada").presses("Next")
    await eventually(lambda: scene.rig.telegram.toasts == ["字" * 200])


async def test_a_press_that_is_too_old_to_release_is_answered_all_the_same(scene: Scene) -> None:
    await shown_page(scene)
    ada = scene.rig.telegram.user("ada")
    scene.rig.telegram.refuse(None, 400, "Bad Request: query is too old", method="answerCallbackQuery")
    scene.answers.reply = Reply((text_block("page 2"),), in_place=True)
    ada.presses("Next")
    await eventually(lambda: ada.received()[0].text == "page 2")


# order, floods and other troubles of answers


async def test_one_chats_requests_are_answered_in_order_while_others_go_on(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    handled: list[str] = []

    async def answer(request: Request) -> Reply:
        if request.text == "1":
            await gate.wait()
        handled.append(request.text)
        return Reply()

    monkeypatch.setattr(scene.rig.adapter, "_answer", answer)
    for n in "123":
        scene.rig.telegram.user("ada").says(f"/search {n}")
    scene.rig.telegram.user("bob").says("/search b")
    await eventually(lambda: handled == ["b"])
    gate.set()
    await eventually(lambda: handled == ["b", "1", "2", "3"])


async def test_an_answer_waits_out_a_short_flood(scene: Scene) -> None:
    ada = scene.rig.telegram.user("ada")
    scene.rig.telegram.refuse(ada.id, 429, "Too Many Requests: retry after 1", {"retry_after": 1})
    ada.says("/search rl")
    await eventually(lambda: len(ada.received()) == 1)


async def test_an_answer_gives_up_on_a_long_flood(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    ada = scene.rig.telegram.user("ada")
    scene.rig.telegram.refuse(ada.id, 429, "Too Many Requests: retry after 60", {"retry_after": 60})
    ada.says("/search rl")
    await eventually(lambda: "was not delivered" in caplog.text)
    ada.says("/search rl")
    await eventually(lambda: len(ada.received()) == 1)


async def test_an_answer_that_may_not_be_posted_is_told(scene: Scene) -> None:
    group = scene.group()
    scene.rig.telegram.refuse(group.id, 400, "Bad Request: not enough rights", method="sendMessage")
    group.says("bob", "/search rl")
    await eventually(lambda: bool(scene.rig.standings.told))
    assert scene.rig.standings.told == [(ref_to(group), Paused("no_rights", ("Send messages",)))]


async def test_an_answer_follows_its_group_to_its_new_address(scene: Scene) -> None:
    group = scene.group(basic=True)
    new = scene.group()
    scene.rig.telegram.refuse(
        group.id, 400, "Bad Request: upgraded", {"migrate_to_chat_id": new.id}, method="sendMessage"
    )
    group.says("bob", "/search rl")
    await eventually(lambda: len(new.received()) == 1)
    assert scene.rig.standings.told == [(ref_to(group), Moved(ref_to(new)))]


# standing


async def told(scene: Scene, count: int = 1) -> list[tuple[ChatRef, Gone | Paused | Moved | None]]:
    await eventually(lambda: len(scene.rig.standings.told) >= count)
    return scene.rig.standings.told


async def test_a_block_and_a_return_are_told(scene: Scene) -> None:
    ada = scene.rig.telegram.user("ada")
    ada.blocks()
    ada.unblocks()
    assert await told(scene, 2) == [(ref_to(ada.chat), Gone("blocked")), (ref_to(ada.chat), None)]


@pytest.mark.parametrize(("ban", "reason"), [(True, "kicked"), (False, "not_member")])
async def test_a_removal_from_a_group_is_told(scene: Scene, ban: bool, reason: str) -> None:
    group = scene.group()
    group.removes_bot("ada", ban=ban)
    group.takes_bot_back("ada")
    assert await told(scene, 2) == [(ref_to(group), Gone(reason)), (ref_to(group), None)]


async def test_a_mute_in_a_group_is_told(scene: Scene) -> None:
    group = scene.group()
    group.mutes_bot("ada")
    group.takes_bot_back("ada")
    assert await told(scene, 2) == [
        (ref_to(group), Paused("no_rights", ("Send messages",))),
        (ref_to(group), None),
    ]


async def test_a_channel_without_the_right_to_post_is_told(scene: Scene) -> None:
    channel = scene.rig.telegram.channel("News", ["ada"])
    channel.demotes_bot("ada")
    channel.change(scene.rig.telegram.user("ada"), "administrator", None)
    assert await told(scene, 2) == [
        (ref_to(channel), Paused("no_rights", ("Post messages",))),
        (ref_to(channel), None),
    ]


async def test_a_group_that_becomes_a_supergroup_is_told_once(scene: Scene) -> None:
    old, new = scene.group(basic=True), scene.group()
    old.becomes(new)
    await scene.settled(partial(new.says, "ada"))
    assert await told(scene) == [(ref_to(old), Moved(ref_to(new)))]


async def test_a_reopened_topic_is_told(scene: Scene) -> None:
    topic = scene.group(forum=True).topic("papers")
    topic.closes()
    topic.reopens("ada")
    assert await told(scene) == [(ref_to(topic), None)]
