"""A chat that its platform keeps us from: one notice to who can mend it, a way back, and nothing deleted too soon."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot import standing
from bot.locale import translator
from bot.outbox import record
from bot.parts import make_parts
from bot.ports import Gone, Moved, Outcome, Part, Paused, Reply, Request, Sent
from scheduler.models import Chat, ChatKind, ChatRef, ChatState, Delivery, DeliveryState, Platform
from scheduler.store.outbox import Plan
from tests.test_commands import Office

GROUP = ChatRef(Platform.TELEGRAM, "-100")
ADA = ChatRef(Platform.TELEGRAM, "7")


def shown(reply: Reply) -> str:
    """What a person reads of an answer."""
    return "\n".join(part.plain for part in make_parts(reply.blocks, Platform.TELEGRAM)) or reply.toast


class House(Office):
    """A group that ada (7) set up, and her private chat, both with something to be sent."""

    def __init__(self, *, writes_in_private: bool = True) -> None:
        super().__init__()
        if writes_in_private:
            self.ask(ADA, ChatKind.PRIVATE, "7", "start")
        self.ask(GROUP, ChatKind.GROUP, "7", "subscribe", "kites")

    def ask(
        self, ref: ChatRef, kind: ChatKind, user: str, command: str, text: str = "", *, manages: bool = True
    ) -> str:
        title = "Reading group" if kind is ChatKind.GROUP else "Ada"
        request = Request(ref, kind, user, command, text, may_manage=manages, chat_title=title, lang="en")
        reply = asyncio.run(self.desk.answer(request))
        return shown(reply)

    def press(self, action: str, ref: ChatRef = ADA) -> str:
        reply = asyncio.run(
            self.desk.answer(Request(ref, ChatKind.PRIVATE, ref.chat_id, action=action, lang="en"))
        )
        return shown(reply)

    def tells(self, change: Gone | Paused | Moved | None, ref: ChatRef = GROUP) -> None:
        asyncio.run(self.desk.standing(ref, change))

    def chat(self, ref: ChatRef = GROUP) -> Chat:
        chat = self.store.chats.at(ref)
        assert chat is not None
        return chat

    def enqueue(self, run: str, ref: ChatRef = GROUP) -> None:
        plan = Plan(self.chat(ref), run, "{}", (Part((), run).to_json(),), (), None)
        assert self.store.outbox.enqueue(plan, self.now)

    def send(self, outcome: Outcome) -> Delivery:
        """One part is sent; `outcome` is what the platform says."""
        (part,) = self.store.outbox.claim(["telegram"], self.now, limit=1)
        record(self.store, part, outcome, self.now)
        return part

    def notices(self) -> list[Part]:
        """Everything that waits for ada's private chat."""
        rows = self.store.db.query(
            "select text from delivery join body on body.key = delivery.body where chat = ? order by delivery.key",
            [self.chat(ADA).key],
        )
        return [Part.from_json(row["text"]) for row in rows]

    def passes(self, **time: float) -> None:
        self.now += timedelta(**time)
        standing.look_after(self.store, self.now)


@pytest.fixture
def house() -> Iterator[House]:
    house = House()
    yield house
    house.thread.close()


def test_who_never_wrote_in_private_is_asked_to_where_a_chat_is_set_up() -> None:
    house = House(writes_in_private=False)
    wanted = "Write me /start in private once"
    assert wanted in house.ask(GROUP, ChatKind.GROUP, "7", "subscribe", "sails")
    assert wanted in house.ask(GROUP, ChatKind.GROUP, "7", "feed", "here")
    assert wanted not in house.ask(
        GROUP, ChatKind.GROUP, "-100", "feed", "here"
    )  # somebody in the group's name
    assert wanted not in house.ask(ADA, ChatKind.PRIVATE, "7", "subscribe", "sails")
    assert wanted not in house.ask(GROUP, ChatKind.GROUP, "7", "subscribe", "boats")
    assert wanted not in house.ask(GROUP, ChatKind.GROUP, "7", "feed", "here")
    house.thread.close()


def test_a_lost_right_is_told_once_with_its_name_and_a_button(house: House) -> None:
    house.enqueue("one")
    house.send(Paused("no_rights", ("Send files",)))
    assert (house.chat().state, house.chat().reason) == (ChatState.PAUSED, "no_rights Send files")
    house.tells(Paused("no_rights", ("Send files",)))
    (notice,) = house.notices()
    assert notice.plain == (
        "I may no longer post in Reading group. Missing: Send files.\n"
        "Settings are kept; I start again by myself once that is mended."
    )
    key = house.chat().key
    assert [(button.label, button.action) for (button,) in notice.keyboard.rows] == [
        ("Check again", f"check:{key}"),
        ("Use another channel", f"another:{key}"),
    ]
    assert house.store.chats.subscriptions(house.chat().key)
    assert house.store.outbox.counts(house.chat().key) == {DeliveryState.PENDING: 1}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (Gone("kicked"), "I was removed from Reading group."),
        (Gone("not_member"), "I am no longer a member of Reading group."),
        (Paused("topic_closed"), "The topic in Reading group is closed, so I can't post there."),
        (Paused("no_access", ("View Channel",)), "I can no longer see Reading group. Missing: View Channel."),
        (
            Paused("no_rights", ("Send Messages", "Embed Links")),
            "I may no longer post in Reading group. Missing: Send Messages and Embed Links.",
        ),
    ],
)
def test_what_can_be_mended_is_told_in_words(house: House, change: Gone | Paused, told: str) -> None:
    house.tells(change)
    (notice,) = house.notices()
    assert notice.plain.splitlines()[0] == told


@pytest.mark.parametrize("change", [Gone("gone_channel"), Gone("deactivated"), Gone("gone_guild")])
def test_what_is_gone_for_good_can_go_to_another_channel(house: House, change: Gone) -> None:
    house.tells(change)
    house.tells(change)
    assert house.chat().state is ChatState.GONE
    (notice,) = house.notices()
    assert notice.plain.endswith("Its settings are kept, and another channel can have them.")
    assert house.store.chats.subscriptions(house.chat().key)


def test_the_channels_of_a_lost_server_are_told_of_once(house: House) -> None:
    places = [ChatRef(Platform.DISCORD, number) for number in ("31", "32", "33")]
    house.ask(ChatRef(Platform.DISCORD, "9"), ChatKind.PRIVATE, "7", "start")
    for place in places:
        house.ask(place, ChatKind.GROUP, "7", "subscribe", "kites")
    for place in places:
        house.tells(Gone("gone_guild"), place)
    assert house.store.outbox.counts() == {DeliveryState.PENDING: 1}
    assert all(house.chat(place).reason == "gone_guild" for place in places)


def test_both_digests_of_one_slot_survive_a_move(house: House) -> None:
    there = replace(GROUP, chat_id="-200")
    house.ask(there, ChatKind.GROUP, "7", "subscribe", "sea")
    house.enqueue("2026-09-29T08:00")
    house.enqueue("2026-09-29T08:00", there)
    house.tells(Moved(there))
    chat = house.chat(there)
    assert {one.title for one in house.store.chats.subscriptions(chat.key)} == {"kites", "sea"}
    assert house.store.outbox.counts(chat.key) == {DeliveryState.PENDING: 2}


def test_a_blocked_person_is_not_written_to(house: House) -> None:
    house.tells(Gone("blocked"), ADA)
    assert house.chat(ADA).state is ChatState.GONE
    assert house.notices() == []


def test_nobody_is_told_where_nobody_can_be() -> None:
    house = House(writes_in_private=False)
    house.tells(Gone("kicked"))
    assert house.store.outbox.counts() == {}
    house.thread.close()


def test_who_only_reads_along_is_not_told(house: House) -> None:
    house.ask(ChatRef(Platform.TELEGRAM, "8"), ChatKind.PRIVATE, "8", "start")
    house.ask(GROUP, ChatKind.GROUP, "8", "subscribe", "sea", manages=False)
    house.ask(GROUP, ChatKind.GROUP, "8", "search", "sea")
    house.tells(Gone("kicked"))
    assert len(house.notices()) == 1


def test_an_anonymous_administrator_takes_nobodys_place(house: House) -> None:
    house.ask(GROUP, ChatKind.GROUP, "1087968824", "subscribe", "sea")
    house.tells(Gone("kicked"))
    assert len(house.notices()) == 1


def test_topics_of_one_group_are_told_of_once(house: House) -> None:
    for topic in ("3", "4"):
        house.ask(replace(GROUP, thread_id=topic), ChatKind.GROUP, "7", "subscribe", "kites")
    house.tells(Gone("kicked"))
    assert len(house.notices()) == 1
    house.tells(None)
    house.send(Sent("1"))
    for topic in ("3", "4"):
        house.enqueue("one", replace(GROUP, thread_id=topic))
        house.send(Paused("topic_closed"))
        house.send(Sent("1"))
    assert len(house.notices()) == 3, "two topics were closed"


def test_the_right_comes_back_and_goes_again(house: House) -> None:
    house.enqueue("one")
    house.send(Paused("no_rights", ("Send files",)))
    house.tells(None)
    assert house.chat().state is ChatState.ACTIVE
    assert house.send(Sent("1")).run_key == "one"
    house.passes(hours=1)
    house.tells(Paused("no_rights", ("Send files",)))
    assert len(house.notices()) == 2


def test_a_chat_that_was_stopped_stays_so(house: House) -> None:
    house.ask(GROUP, ChatKind.GROUP, "7", "stop")
    house.tells(Gone("kicked"))
    house.tells(None)
    assert house.chat().reason == "stopped"
    house.passes(days=400)
    assert house.chat().reason == "stopped"


def test_check_again_sends_what_waits(house: House) -> None:
    house.enqueue("one")
    house.send(Paused("no_rights", ("Send files",)))
    house.send(Sent("1"))
    assert "I try it now" in house.press(f"check:{house.chat().key}")
    assert house.send(Sent("2")).run_key == "one"
    assert "Nothing keeps me from Reading group now." in house.press(f"check:{house.chat().key}")


def test_check_again_that_fails_is_told_anew(house: House) -> None:
    house.tells(Paused("no_rights", ("Send files",)))
    house.send(Sent("1"))
    house.now += timedelta(minutes=1)
    house.press(f"check:{house.chat().key}")
    probe = house.send(Paused("no_rights", ("Send messages",)))
    assert probe.chat.ref == GROUP
    assert Part.from_json(probe.payload).plain == "Digests come here again."
    assert [notice.plain.splitlines()[0] for notice in house.notices()] == [
        "I may no longer post in Reading group. Missing: Send files.",
        "I may no longer post in Reading group. Missing: Send messages.",
    ]


def test_only_who_set_it_up_can_check(house: House) -> None:
    house.tells(Gone("kicked"))
    stranger = ChatRef(Platform.TELEGRAM, "8")
    for action in (f"check:{house.chat().key}", "check:", "check:99999", "check:x"):
        assert house.press(action, stranger) == "There is nothing to check any more."
    assert house.chat().state is ChatState.GONE


def test_a_paused_chat_is_tried_every_day_without_another_word(house: House) -> None:
    house.enqueue("one")
    house.send(Paused("no_rights", ("Send files",)))
    house.send(Sent("1"))
    for _ in range(5):
        house.passes(days=1)
        assert house.send(Paused("no_rights", ("Send files",))).run_key == "one"
    assert len(house.notices()) == 1
    house.passes(days=1)
    assert house.send(Sent("2")).run_key == "one"
    assert house.chat().state is ChatState.ACTIVE
    house.passes(days=200)
    assert house.store.chats.at(GROUP) is not None


def test_a_chat_is_forgotten_after_ninety_days_and_a_notice(house: House) -> None:
    house.tells(Gone("kicked"))
    house.passes(days=82)
    assert len(house.notices()) == 1
    house.passes(days=1)
    assert house.notices()[1].plain.splitlines()[1].startswith("That was long ago. On ")
    for _ in range(6):
        house.passes(days=1)
    assert house.store.chats.subscriptions(house.chat().key)
    house.passes(days=1)
    assert house.store.chats.at(GROUP) is None
    assert len(house.notices()) == 2


def test_a_process_that_was_off_for_long_announces_the_end_first(house: House) -> None:
    house.tells(Gone("kicked"))
    house.passes(days=400)
    assert house.store.chats.at(GROUP) is not None
    house.passes(days=6)
    assert house.store.chats.at(GROUP) is not None
    house.passes(days=1)
    assert house.store.chats.at(GROUP) is None


def test_a_chat_that_came_back_is_not_forgotten(house: House) -> None:
    house.tells(Gone("kicked"))
    house.passes(days=84)
    house.tells(None)
    house.passes(days=30)
    assert house.chat().state is ChatState.ACTIVE


def test_a_chat_that_is_not_found_once_is_tried_again(house: House) -> None:
    house.enqueue("one")
    house.send(Gone("chat_not_found"))
    assert house.chat().state is ChatState.ACTIVE
    assert house.store.outbox.claim(["telegram"], house.now, limit=1) == ()
    house.now += timedelta(hours=1)
    house.send(Gone("chat_not_found"))
    assert house.chat().state is ChatState.GONE


def test_status_in_private_lists_what_one_set_up(house: House) -> None:
    assert "Set up by you, and served: Reading group." in house.ask(ADA, ChatKind.PRIVATE, "7", "status")
    house.tells(Gone("kicked"))
    told = house.ask(ADA, ChatKind.PRIVATE, "7", "status")
    assert "⚠ I was removed from Reading group." in told


def test_who_has_everything_deleted_is_no_longer_named(house: House) -> None:
    house.store.chats.forget(house.chat(ADA).key)
    (row,) = house.store.db.query("select manager from chat where key = ?", [house.chat().key])
    assert row["manager"] == ""


@pytest.mark.parametrize("reason", ["no_rights", "kicked", "never heard of"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_problem_has_words(house: House, reason: str, lang: str) -> None:
    chat = replace(house.chat(), state=ChatState.GONE, reason=reason)
    assert "Reading group" in standing.problem_words(chat, translator(lang))


# another channel


CHANNELS = {name: ChatRef(Platform.DISCORD, number) for name, number in (("old", "31"), ("new", "32"))}


def on_discord(house: House, name: str, command: str, text: str = "", user: str = "7", **more: Any) -> Reply:
    """Somebody asks in a channel of Discord's."""
    kind = more.pop("kind", ChatKind.GROUP)
    request = Request(CHANNELS[name], kind, user, command, text, chat_title=f"#{name}", lang="en", **more)
    return asyncio.run(house.desk.answer(request))


@pytest.fixture
def moving(house: House) -> House:
    """Ada (7) has set #old up, and something waits for it."""
    house.ask(ChatRef(Platform.DISCORD, "9"), ChatKind.PRIVATE, "7", "start")
    on_discord(house, "old", "subscribe", "kites")
    on_discord(house, "old", "settings", "time 07:15")
    house.enqueue("one", CHANNELS["old"])
    return house


def test_on_discord_the_new_channel_takes_everything(moving: House) -> None:
    key = moving.chat(CHANNELS["old"]).key
    moving.tells(Gone("gone_channel"), CHANNELS["old"])
    direct = ChatRef(Platform.DISCORD, "9")
    pressed = Request(direct, ChatKind.PRIVATE, "7", action=f"another:{key}", lang="en")
    told = shown(asyncio.run(moving.desk.answer(pressed)))
    assert "/feed take" in told
    assert "#old" in told
    offered = on_discord(moving, "new", "feed", "take", kind=ChatKind.FORUM)
    ((button,),) = offered.keyboard.rows
    assert button.label == "#old"
    assert "Everything of #old is here now." in shown(
        on_discord(moving, "new", "", action=button.action, kind=ChatKind.FORUM)
    )
    chat = moving.chat(CHANNELS["new"])
    assert (chat.key, chat.title, chat.kind, chat.schedule.time) == (key, "#new", ChatKind.FORUM, "07:15")
    assert (chat.state, moving.store.chats.at(CHANNELS["old"])) == (ChatState.ACTIVE, None)
    assert [one.title for one in moving.store.chats.subscriptions(key)] == ["kites"]
    claimed = moving.store.outbox.claim(["discord"], moving.now, limit=9)
    assert [part.chat.ref for part in claimed if part.run_key == "one"] == [CHANNELS["new"]]


def test_nobody_takes_what_another_looks_after(moving: House) -> None:
    assert "nothing to move here" in shown(on_discord(moving, "new", "feed", "take", user="8"))
    key = moving.chat(CHANNELS["old"]).key
    stolen = on_discord(moving, "new", "", action=f"take:{key}", user="8")
    assert "nothing to move" in shown(stolen)
    refused = on_discord(moving, "new", "feed", "take", may_manage=False)
    assert "Only who manages this chat" in shown(refused)
    assert moving.store.chats.at(CHANNELS["old"]) is not None


def test_an_answer_about_another_channel_names_it_and_keeps_its_buttons_there(moving: House) -> None:
    reply = on_discord(moving, "old", "subscriptions", elsewhere=True)
    assert shown(reply).startswith("For #old:")
    key = moving.chat(CHANNELS["old"]).key
    assert all(choice.action.startswith(f"@{key}:") for choice in reply.keyboard.choices)
    # Without a platform that could be asked who manages it, nothing is changed.
    pressed = on_discord(moving, "new", "", action=reply.keyboard.choices[0].action)
    assert "I can't find out just now who manages #old" in shown(pressed)
    assert moving.store.chats.subscriptions(key)


def test_a_part_of_a_forum_does_not_follow_its_old_post_to_another_channel(moving: House) -> None:
    moving.enqueue("two", CHANNELS["old"])
    (part,) = moving.store.outbox.claim(["discord"], moving.now, limit=1)
    record(moving.store, part, Sent("5", thread="5"), moving.now)
    key = moving.chat(CHANNELS["old"]).key
    moving.store.chats.move(key, CHANNELS["new"])
    (part,) = moving.store.outbox.claim(["discord"], moving.now, limit=1)
    assert part.thread == ""
