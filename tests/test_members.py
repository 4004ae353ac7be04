"""Keywords of members: what they type, how the papers reach them, and who sees what."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta

import pytest

from bot.deliveries import render
from bot.ports import Part, Request
from scheduler import digest
from scheduler.models import Chat, ChatKind, ChatRef, Digest, Platform
from tests import rounds
from tests.builders import TUESDAY, feed, paper
from tests.test_commands import NOON, Office, Person

WEDNESDAY = TUESDAY + timedelta(days=1)
MORNING_AFTER = NOON + timedelta(days=1)
KITES = '"diffusion policies"'


class Member(Person):
    """Somebody of a group or in private, with an id and a name of their own."""

    alone = True
    """Answers are shown to the asker only, as Discord can do it."""

    def __init__(self, office: Office, user: str, chat: str, kind: ChatKind, manages: bool = False) -> None:
        super().__init__(office, chat, kind, Platform.TELEGRAM, manages)
        self.user = user

    def _ask(self, request: Request) -> str:
        named = {"user": self.user, "user_name": f"The <b>{self.user}</b>", "alone": self.alone}
        return super()._ask(Request(**{one: getattr(request, one) for one in request.__slots__} | named))


@pytest.fixture
def office() -> Iterator[Office]:
    office = Office()
    yield office
    office.thread.close()


def in_group(office: Office, user: str, manages: bool = False) -> Member:
    return Member(office, user, "-100", ChatKind.GROUP, manages)


def in_private(office: Office, user: str) -> Member:
    return Member(office, user, user, ChatKind.PRIVATE, manages=True)


def told(office: Office) -> dict[str, Digest]:
    """By chat, what Wednesday's round tells it of."""
    office.store.archive.store(
        feed(
            paper("2610.00001", "Diffusion policies on ice", "We skate."),
            paper("2610.00002", "World models under ice", "We dive."),
            day=WEDNESDAY,
        ),
        now=MORNING_AFTER,
    )
    made: dict[str, Digest] = {}

    def keep(chat: Chat, shown: Digest, run_key: str) -> tuple[str, ...]:
        made[chat.ref.chat_id] = shown
        return render(chat, shown, run_key)

    rounds.planned(office.store, MORNING_AFTER, keep)
    return made


def titles(shown: Digest) -> dict[str, list[str]]:
    return {one.heading: [entry.paper.title for entry in one.papers] for one in shown.sections}


def test_a_member_without_rights_follows_for_themself_and_the_papers_come_in_private(office: Office) -> None:
    in_private(office, "7").says("/start")
    ada = in_group(office, "7")
    answer = ada.says("/my diffusion policies")
    assert "For yourself you follow “diffusion policies”" in answer
    assert "I send you their papers in private." in answer
    assert "I cannot write to you yet" not in answer
    assert in_group(office, "8", True).says("/subscriptions").startswith("This chat follows nothing yet")
    shown = told(office)
    assert set(shown) == {"7"}
    assert titles(shown["7"]) == {"diffusion policies": ["Diffusion policies on ice"]}


def test_who_never_wrote_in_private_is_told_what_to_do_and_gets_them_from_then_on(office: Office) -> None:
    office.store.notes["start link telegram"] = "https://t.me/PaperboyBot?start="
    ada = in_group(office, "7")
    assert "write me /start in private once" in ada.says("/my diffusion policies")
    (link,) = [one.url for one in ada.buttons if one.url]
    assert link == "https://t.me/PaperboyBot?start=my"
    answer = in_private(office, "7").says("/start my")
    assert "1  diffusion policies" in answer
    assert "Next digest" in answer
    assert "7" in told(office)


def test_what_was_followed_before_the_first_private_word_begins_with_the_newest_papers(
    office: Office,
) -> None:
    group = in_group(office, "7")
    group.says("/my kites")
    (before,) = office.store.db.query("select since from subscription")
    own = in_private(office, "7")
    own.says("/start my")
    (after,) = office.store.db.query("select since from subscription")
    newest = office.store.archive.newest_date()
    assert newest is not None
    assert before["since"] > newest.isoformat()
    assert after["since"] <= before["since"]
    assert "I bring you the new arXiv papers" in in_private(office, "8").says("/start my")


def test_one_digest_has_what_is_followed_in_private_and_in_groups_each_paper_once(office: Office) -> None:
    own = in_private(office, "7")
    own.says('/subscribe "diffusion policies"')
    in_group(office, "7").says('/my "diffusion policies"')
    in_group(office, "7").says("/my ice")
    assert titles(told(office)["7"]) == {
        "diffusion policies": ["Diffusion policies on ice"],
        "ice": ["World models under ice"],
    }


def test_named_only_where_the_chat_allows_it_and_the_member_wants_it(office: Office) -> None:
    ada, boss = in_group(office, "7"), in_group(office, "1", True)
    in_private(office, "7").says("/start")
    boss.says("/subscribe world models")
    ada.says("/my ice")
    ada.says("/my")
    assert not [one for one in ada.buttons if one.label == "Under my name here"]
    assert "may be named in the digest" in boss.says("/settings members on")
    assert "Only who manages" in ada.says("/settings members on")
    assert "in private" in ada.says("/my")
    assert "under your name" in ada.presses("Under my name here")
    shown = told(office)
    assert set(shown) == {"-100"}
    assert titles(shown["-100"]) == {
        "world models": ["World models under ice"],
        "ice · The <b>7</b>": ["Diffusion policies on ice"],
    }
    assert shown["-100"].papers[0].also == ("ice · The <b>7</b>",)
    body = digest.dump(shown["-100"])
    papers = {one.paper.id: (one.paper, one.wordings) for one in shown["-100"].papers}
    assert [one.heading for one in digest.load(body, papers).sections] == [
        "world models",
        "ice · The <b>7</b>",
    ]


def test_where_naming_is_switched_off_again_the_papers_come_in_private(office: Office) -> None:
    ada, boss = in_group(office, "7"), in_group(office, "1", True)
    in_private(office, "7").says("/start")
    boss.says("/settings members on")
    ada.says("/my ice")
    ada.says("/my")
    ada.presses("Here, with a ping")
    assert "come to them in private only" in boss.says("/settings members off").replace("comes", "come")
    assert set(told(office)) == {"7"}


@pytest.mark.parametrize("platform", [Platform.TELEGRAM, Platform.DISCORD])
def test_a_ping_is_asked_for_and_reaches_that_member_alone(office: Office, platform: Platform) -> None:
    ada, bob, boss = in_group(office, "7"), in_group(office, "8"), in_group(office, "1", True)
    boss.says("/settings members on")
    for member, way in ((ada, "Here, with a ping"), (bob, "Under my name here")):
        member.says("/my ice")
        member.says("/my")
        member.presses(way)
    shown = told(office)["-100"]
    chat = office.store.chats.at(ChatRef(Platform.TELEGRAM, "-100"))
    assert chat is not None
    there = Chat(
        **{one: getattr(chat, one) for one in Chat.__slots__} | {"ref": ChatRef(platform, chat.ref.chat_id)}
    )
    first, *others = map(Part.from_json, render(there, shown, "run"))
    assert first.pings == ("7",)
    assert not any(part.pings for part in others)
    text = "".join(card.text for card in first.cards)
    assert ("tg://user?id=7" in text) is (platform is Platform.TELEGRAM)
    assert "tg://user?id=8" not in text
    assert "<b>7</b>" not in text


def test_where_others_read_along_no_list_is_shown_and_a_way_is_chosen_in_silence(office: Office) -> None:
    ada, boss = in_group(office, "7"), in_group(office, "1", True)
    ada.alone = False
    ada.says("/my ice")
    assert "ice" not in ada.says("/my")
    assert ada.buttons == []
    boss.says("/settings members on")
    assert "listed in private" in ada.says("/my")
    assert [one.label for one in ada.buttons] == ["In private", "Under my name here", "Here, with a ping"]
    assert "under your name" in ada.presses("Under my name here")
    assert ada.reply.toast
    assert set(told(office)) == {"-100"}


def test_only_the_owner_ends_a_keyword(office: Office) -> None:
    ada, bob = in_group(office, "7"), in_group(office, "8", True)
    ada.says("/my ice")
    ada.says("/my")
    bob.reply = ada.reply
    assert "not yours" in bob.presses("✕ 1")
    ada.says("/my")
    assert "no longer" in ada.presses("✕ 1")
    assert "nothing for yourself" in ada.says("/my")
    assert "nothing for yourself" in bob.says("/my")


def test_limits_for_each_member_with_clear_words(office: Office) -> None:
    ada, bob = in_group(office, "7"), in_group(office, "8")
    for number in range(100):
        ada.says(f"/my word{number}")
    assert "100 things in this chat already, which is the limit" in ada.says("/my one more")
    assert "For yourself you follow" in bob.says("/my one more")
    assert "500" in bob.says(f"/my {'long ' * 120}")


def test_in_private_all_of_ones_own_are_listed_by_chat(office: Office) -> None:
    own = in_private(office, "7")
    assert "/subscribe" in own.says("/my")
    in_group(office, "7").says("/my ice")
    Member(office, "7", "-200", ChatKind.GROUP).says("/my kites")
    listed = own.says("/my")
    assert "-100" in listed
    assert "1  ice" in listed
    assert "2  kites" in listed
    assert "no longer" in own.presses("✕ 2")
    assert "kites" not in own.says("/my")


def test_who_writes_in_the_groups_name_is_nobody(office: Office) -> None:
    assert "Write as yourself" in in_group(office, "-100").says("/my ice")


def test_forgetting_a_person_forgets_what_they_follow_anywhere(office: Office) -> None:
    own = in_private(office, "7")
    own.says("/start")
    in_group(office, "7").says("/my ice")
    own.says("/privacy delete")
    own.presses("Yes, delete")
    assert "nothing for yourself" in in_group(office, "7").says("/my")
    assert asyncio.run(office.thread.call(lambda store: store.members.count(2))) == 0


def test_why_says_that_a_members_keyword_found_it(office: Office) -> None:
    own = in_private(office, "7")
    own.says("/start")
    in_group(office, "7").says("/my kites")
    answer = own.says("/why 2609.00001")
    assert "kites" in answer
    assert "Finds it" in answer
