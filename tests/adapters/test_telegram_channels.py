"""A channel looked after from a private chat: the real desk behind the real adapter, on the fake Telegram."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from bot.markup import Card
from bot.outbox import record
from bot.ports import Part, Paused
from scheduler.models import Chat, ChatState, Delivery, Platform
from scheduler.store import Store
from scheduler.store.outbox import Plan
from tests.adapters.contract import eventually
from tests.adapters.telegram_harness import Rig, ref_to, rig_for
from tests.fakes.telegram_chats import Channel, Person, RefusedCall, Shown, Topic
from tests.test_commands import NOON, Office

BACK = "Back to your own feed"


@dataclass
class Desk:
    """Ada in private with the bot, which is an administrator of her channel #papers."""

    office: Office
    rig: Rig
    ada: Person
    papers: Channel

    @property
    def store(self) -> Store:
        return self.office.store

    async def says(self, text: str) -> Shown:
        """The newest message after ada has said something."""
        return await self._after(lambda: self.ada.says(text))

    async def presses(self, label: str) -> Shown:
        return await self._after(lambda: self.ada.presses(label))

    async def opens(self) -> Shown:
        """The buttons that pick a chat, after /channel."""
        self.ada.says("/channel")
        return await self.buttons()

    async def buttons(self) -> Shown:
        """The buttons that pick a chat, as soon as they are there."""
        await eventually(lambda: bool(self.ada.received() and self.ada.received()[-1].keyboard))
        return self.ada.received()[-1]

    async def picks(self, label: str, chat: Channel) -> Shown:
        return await self._after(lambda: self.ada.picks(label, chat))

    async def _after(self, does: object) -> Shown:
        known, asked = self.ada.received(), len(self.rig.telegram.calls)
        does()  # type: ignore[operator]
        await eventually(lambda: self.ada.received() != known or len(self.rig.telegram.toasts) > asked)
        await eventually(lambda: self.rig.telegram.is_read)
        return self.ada.received()[-1]

    def chat(self, place: Channel | Person) -> Chat | None:
        place = place if isinstance(place, Channel) else place.chat  # type: ignore[assignment]
        return self.store.chats.at(ref_to(place))  # type: ignore[arg-type]

    def follows(self, place: Channel | Person) -> list[str]:
        chat = self.chat(place)
        return [one.title for one in self.store.chats.subscriptions(chat.key)] if chat else []


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    office = Office()
    rig = await rig_for(office.desk.answer)
    office.desk.meet({Platform.TELEGRAM: rig.adapter})
    ada = rig.telegram.user("ada")
    papers = rig.telegram.channel("#papers", ["ada"], ["bob"])
    await rig.start()
    yield Desk(office, rig, ada, papers)
    await rig.stop()
    office.thread.close()


async def test_a_channel_is_picked_and_looked_after_from_the_private_chat(desk: Desk) -> None:
    await desk.opens()
    answer = await desk.picks("A channel", desk.papers)
    assert "You now manage #papers here." in answer.text
    assert BACK in answer.labels
    answer = await desk.says("/subscribe kites")
    assert answer.text.startswith("For #papers:\n\nYou follow")
    assert (desk.follows(desk.papers), desk.follows(desk.ada)) == (["kites"], [])
    for command in ("subscriptions", "settings", "status", "preview", "topics", "digest"):
        answer = await desk.says(f"/{command}")
        assert "For #papers:" in "\n".join(shown.text for shown in desk.ada.received()[-3:]), command
        assert BACK in answer.labels, command
    await desk.says("/settings time 07:15")
    chat = desk.chat(desk.papers)
    assert chat is not None
    assert chat.schedule.time == "07:15"
    assert desk.papers.received() == (), "nothing of this is shown to the channel's readers"
    assert "back at your own feed" in (await desk.presses(BACK)).text
    await desk.says("/subscribe sea")
    assert (desk.follows(desk.papers), desk.follows(desk.ada)) == (["kites"], ["sea"])


async def test_a_button_stays_with_the_chat_that_its_message_was_about(desk: Desk) -> None:
    await desk.says("/subscribe sea")
    await desk.opens()
    await desk.picks("A channel", desk.papers)
    await desk.says("/subscribe kites")
    await desk.says("/channel back")
    desk.ada.chat.press("Undo", desk.ada)
    await eventually(lambda: desk.follows(desk.papers) == [])
    assert desk.follows(desk.ada) == ["sea"]


async def test_a_button_below_the_text_field_asks_for_both_rights(desk: Desk) -> None:
    shown = await desk.opens()
    channel, group = (button["request_chat"] for button in shown.keyboard)
    assert channel["user_administrator_rights"]["can_post_messages"]
    assert channel["bot_administrator_rights"]["can_post_messages"]
    assert (group["chat_is_channel"], group["bot_is_member"]) == (False, True)
    assert group["user_administrator_rights"]["can_manage_chat"]


async def test_a_pick_that_an_app_made_up_is_verified(desk: Desk) -> None:
    foreign = desk.rig.telegram.channel("#elsewhere", ["bob"], ["ada"])
    desk.ada.says("/start")
    await eventually(lambda: len(desk.ada.received()) == 1)
    desk.ada.shares(1, foreign)
    await eventually(lambda: len(desk.ada.received()) == 2)
    assert "You are no administrator of #elsewhere" in desk.ada.received()[-1].text
    assert desk.chat(foreign) is None


async def test_a_channel_that_the_bot_may_not_post_in_is_refused_with_the_missing_right(desk: Desk) -> None:
    desk.ada.says("/start")
    await eventually(lambda: len(desk.ada.received()) == 1)
    desk.papers.rights = {"can_post_messages": False}
    desk.ada.shares(1, desk.papers)
    await eventually(lambda: len(desk.ada.received()) == 2)
    answer = desk.ada.received()[-1].text
    assert "Missing: Post messages" in answer
    assert "Nothing was changed. Grant me that, then pick #papers again." in answer
    await desk.says("/subscribe sea")
    assert desk.follows(desk.ada) == ["sea"]


@pytest.mark.parametrize("status", ["member", "left", "administrator"])
async def test_who_lost_the_right_is_told_and_changes_nothing(desk: Desk, status: str) -> None:
    await desk.opens()
    await desk.picks("A channel", desk.papers)
    await desk.says("/subscribe kites")
    desk.papers.members[desk.ada.id] = status
    if status == "administrator":
        desk.papers.members[desk.ada.id] = "restricted"
    answer = await desk.says("/subscribe sea")
    assert "You are no administrator of #papers, so nothing was changed." in answer.text
    assert "You are back at your own feed." in answer.text
    assert desk.follows(desk.papers) == ["kites"]
    chat = desk.chat(desk.papers)
    assert chat is not None
    assert desk.store.chats.manager_chat(chat.key) is None
    await desk.says("/subscribe sea")
    assert desk.follows(desk.ada) == ["sea"]


async def test_a_bot_that_was_removed_says_so_and_changes_nothing(desk: Desk) -> None:
    await desk.opens()
    await desk.picks("A channel", desk.papers)
    desk.papers.refusal = RefusedCall(403, "Forbidden: bot was kicked from the channel chat")
    answer = await desk.says("/subscribe kites")
    assert "I was removed from #papers." in answer.text
    assert "nothing was changed" in answer.text
    assert desk.follows(desk.papers) == []
    desk.papers.refusal = None
    assert "You follow" in (await desk.says("/subscribe kites")).text


async def test_when_telegram_cannot_be_asked_nothing_is_changed(desk: Desk) -> None:
    await desk.opens()
    await desk.picks("A channel", desk.papers)
    desk.rig.telegram.refuse(desk.papers.id, 502, "Bad Gateway", method="getChatMember")
    answer = await desk.says("/subscribe kites")
    assert "I can't find out just now who manages #papers" in answer.text
    assert desk.follows(desk.papers) == []
    assert "You follow" in (await desk.says("/subscribe kites")).text


async def test_rights_are_asked_for_at_every_command(desk: Desk) -> None:
    await desk.opens()
    await desk.picks("A channel", desk.papers)
    before = len(desk.rig.telegram.called("getChatMember"))
    await desk.says("/subscribe kites")
    await desk.says("/settings time 07:15")
    assert len(desk.rig.telegram.called("getChatMember")) == before + 4
    await desk.says("/paper 2609.00001")
    assert len(desk.rig.telegram.called("getChatMember")) == before + 4, "a paper is nobody's feed"


async def test_what_is_found_while_looking_after_a_channel_is_followed_there(desk: Desk) -> None:
    await desk.opens()
    await desk.picks("A channel", desk.papers)
    answer = await desk.says("/search kites")
    assert answer.text.startswith("For #papers:")
    await desk.presses("Subscribe to this")
    assert (desk.follows(desk.papers), desk.follows(desk.ada)) == (["kites"], [])


async def test_the_channels_language_can_change_while_the_person_keeps_theirs(desk: Desk) -> None:
    await desk.opens()
    await desk.picks("A channel", desk.papers)
    answer = await desk.says("/settings lang zh")
    assert "Done." in answer.text
    chat, own = desk.chat(desk.papers), desk.chat(desk.ada)
    assert chat is not None
    assert own is not None
    assert (chat.lang, own.lang) == ("zh", "en")
    assert "What I can do" in (await desk.says("/help")).text


async def test_in_a_group_one_is_sent_to_the_private_chat(desk: Desk) -> None:
    group = desk.rig.telegram.group("Lab", ["ada"])
    group.says("ada", "/channel@PaperboyTestBot")
    await eventually(lambda: bool(group.received()))
    assert "in private" in group.received()[-1].text
    assert not group.received()[-1].keyboard


async def test_known_channels_are_one_tap_away(desk: Desk) -> None:
    await desk.opens()
    await desk.picks("A channel", desk.papers)
    await desk.presses(BACK)
    await desk.says("/settings")
    await desk.presses("A group or channel of yours")
    await desk.buttons()
    answer = await desk.presses("#papers")
    assert "You now manage #papers here." in answer.text


# a configuration that moves


def enqueue(desk: Desk, place: Channel | Topic) -> Chat:
    """A part waits for a channel or topic."""
    chat = desk.store.chats.at(ref_to(place))
    assert chat is not None
    part = Part((Card("digest"),), "digest").to_json()
    assert desk.store.outbox.enqueue(Plan(chat, "2026-09-29T08:00", "{}", (part,), (), None), NOON)
    return chat


def in_flight(desk: Desk, place: Channel) -> Delivery:
    """A part that waits for a channel, claimed."""
    enqueue(desk, place)
    (delivery,) = desk.store.outbox.claim(["telegram"], NOON, limit=1)
    return delivery


async def send_what_waits(desk: Desk) -> list[tuple[str, str]]:
    """Everything due is sent through the adapter; chats and texts."""
    sent = []
    while claimed := desk.store.outbox.claim(["telegram"], NOON, limit=9):
        for delivery in claimed:
            part = Part.from_json(delivery.payload)
            outcome = await desk.rig.adapter.send(delivery.chat.ref, part, "k")
            record(desk.store, delivery, outcome, NOON)
            sent.append((delivery.chat.ref.chat_id, part.plain))
    return sent


async def test_use_another_channel_moves_everything(desk: Desk) -> None:
    await desk.opens()
    await desk.picks("A channel", desk.papers)
    await desk.says("/subscribe kites")
    await desk.says("/settings time 07:15")
    old = desk.chat(desk.papers)
    assert old is not None
    record(desk.store, in_flight(desk, desk.papers), Paused("no_rights", ("Post messages",)), NOON)
    await send_what_waits(desk)
    notice = desk.ada.received()[-1]
    assert "I may no longer post in #papers. Missing: Post messages." in notice.text
    assert notice.labels == ("Check again", "Use another channel")

    other = desk.rig.telegram.channel("#new", ["ada"])
    await desk.presses("Use another channel")
    await desk.buttons()
    answer = await desk.picks("A channel", other)
    assert "Everything of #papers is here now." in answer.text
    chat = desk.chat(other)
    assert chat is not None
    assert (chat.key, chat.title, chat.state, chat.schedule.time) == (
        old.key,
        "#new",
        ChatState.ACTIVE,
        "07:15",
    )
    assert desk.follows(other) == ["kites"]
    assert desk.chat(desk.papers) is None
    assert await send_what_waits(desk) == [(str(other.id), "digest")]
    assert [shown.text for shown in other.received()] == ["digest"]


async def test_a_configuration_moves_only_at_the_hand_of_who_looks_after_it(desk: Desk) -> None:
    await desk.opens()
    await desk.picks("A channel", desk.papers)
    await desk.says("/subscribe kites")
    chat = desk.chat(desk.papers)
    assert chat is not None
    bob = desk.rig.telegram.user("bob")
    bobs = desk.rig.telegram.channel("#bobs", ["bob"])
    bob.says("/start")
    await eventually(lambda: len(bob.received()) == 1)
    bob.shares(2 * chat.key + 1, bobs)
    await eventually(lambda: len(bob.received()) == 2)
    assert "nothing to move" in bob.received()[-1].text
    assert desk.follows(desk.papers) == ["kites"]


async def test_use_general_for_a_topic_that_is_gone(desk: Desk) -> None:
    group = desk.rig.telegram.group("Lab", ["ada"], forum=True)
    topic = group.topic("papers")
    await desk.says("/start")
    topic.says("ada", "/subscribe kites")
    await eventually(lambda: len(topic.received()) == 1)
    topic.disappears()
    chat = enqueue(desk, topic)
    await send_what_waits(desk)
    notice = desk.ada.received()[-1]
    assert notice.text.startswith("The topic that I posted to in Lab › papers is gone.")
    assert notice.labels == ("Check again", "Use General", "Use another channel")
    answer = await desk.presses("Use General")
    assert "From now on the digests come to the General topic" in answer.text
    assert await send_what_waits(desk) == [(str(group.id), "digest")]
    assert group.received()[-1].thread_id is None
    moved = desk.store.chats.at(ref_to(group))
    assert moved is not None
    assert moved.key == chat.key
