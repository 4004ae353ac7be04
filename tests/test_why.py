"""/why, /preview and the chat's part of /status: what happened to a paper here, and why, in words."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

import pytest

from bot.deliveries import render
from bot.outbox import record
from bot.ports import Ambiguous, Rejected, Retry, Sent
from scheduler import planning
from scheduler.models import AnnounceType, ChatState, DeliveryState
from scheduler.news import News, read_day
from scheduler.store.clearing import KEPT
from scheduler.store.outbox import Plan
from tests.builders import TUESDAY, feed, paper
from tests.test_commands import NOON, Office, Person

WEDNESDAY = date(2026, 9, 30)


@pytest.fixture
def office() -> Iterator[Office]:
    office = Office()
    yield office
    office.thread.close()


def follower(office: Office, *subjects: str) -> Person:
    ada = office.person()
    for subject in subjects:
        ada.says(f"/subscribe {subject}")
    return ada


def key_of(office: Office, person: Person) -> int:
    chat = office.store.chats.at(person.ref)
    assert chat is not None
    return chat.key


def plan_tuesday(office: Office, person: Person) -> int:
    """Plans the chat's digest of Tuesday, whatever it followed it since."""
    key = key_of(office, person)
    office.store.db.execute("update subscription set since = null")
    chat = office.store.chats.get(key)
    assert chat is not None
    day = read_day(office.store, [TUESDAY])
    assert planning.plan(office.store, chat, day, "2026-09-29T12:00", render, NOON, None)
    return key


def test_what_was_cleared_away_is_said_to_be_not_kept(office: Office) -> None:
    ada = follower(office, "kites")
    chat = office.store.chats.get(plan_tuesday(office, ada))
    assert chat is not None
    later = NOON + KEPT + timedelta(days=2)
    office.store.outbox.enqueue(Plan(chat, "2027-01-01T12:00", "{}", ("{}",), (), None), later)
    while parts := office.store.outbox.claim(["telegram"], later, limit=1):
        record(office.store, parts[0], Sent("1"), later)
    assert "Delivered here on" in ada.says("/why 2609.00001")
    assert sum(office.store.outbox.clear(later)) > 0
    told = ada.says("/why 2609.00001")
    assert "Planned on" in told
    assert "not kept any more" in told
    assert "30 December 2026 12:00, delivered" in ada.says("/status")


def test_delivered_says_when_and_for_which_words(office: Office) -> None:
    ada = follower(office, '"reinforcement learning"', "kites -survey")
    plan_tuesday(office, ada)
    assert "on its way" in ada.says("/why 2609.00001")
    while parts := office.store.outbox.claim(["telegram"], office.now, limit=1):
        record(office.store, parts[0], Sent("1"), office.now + timedelta(minutes=1))
    told = ada.says("/why https://arxiv.org/abs/2609.00001v2")
    assert "Delivered here on" in told
    assert "12:01" in told
    assert "Finds it: “reinforcement learning” (abstract)." in told
    assert "Finds it: “kite” (title, abstract)." in told


@pytest.mark.parametrize(
    ("subject", "paper_id", "words"),
    [
        ('"world model" -survey', "2609.00002", "Excluded by -survey."),
        ('"world model" -(survey OR au:zhang)', "2609.00002", "Excluded by -(survey OR au:zhang)."),
        ('"protein folding"', "2609.00002", "None of its words occurs in this paper."),
        ('"sea kites"', "2609.00002", "Found sea, but not kite."),
        (
            '"at world models sea"',
            "2609.00002",
            'The words of "at world model sea" are in this paper, but not side by side.',
        ),
        ("sea kites", "2609.00002", "Found sea, but not kite."),
        ("sea (kites OR kelp)", "2609.00002", "Found sea, but not kite OR kelp."),
        ("kites cat:cs.RO", "2609.00001", "Found kite, but not cat:cs.RO."),
    ],
)
def test_what_is_not_found_has_its_reason(office: Office, subject: str, paper_id: str, words: str) -> None:
    ada = office.person()
    chat = office.store.chats
    ada.says("/start")
    chat.subscribe(key_of(office, ada), subject, subject)
    told = ada.says(f"/why {paper_id}")
    assert words in told
    assert "nothing that this chat follows finds it" in told


def test_a_replacement_is_no_news(office: Office) -> None:
    ada = follower(office, '"reinforcement learning"')
    again = paper("2608.00007", "Reinforcement learning again", version=3)
    office.store.archive.store(feed(again, kind=AnnounceType.REPLACE), now=NOON)
    assert "only as a replacement" in ada.says("/why 2608.00007")


def test_a_paper_from_before_the_subscription(office: Office) -> None:
    ada = follower(office, '"reinforcement learning"')
    (one,) = office.store.chats.subscriptions(key_of(office, ada))
    assert one.since == WEDNESDAY
    told = ada.says("/why 2609.00001")
    assert "this chat began to follow it later" in told
    assert "Followed since" in told


def test_what_came_later_comes_next(office: Office) -> None:
    ada = follower(office, '"reinforcement learning"')
    office.store.archive.store(
        feed(paper("2609.10001", "Reinforcement learning on Wednesday"), day=WEDNESDAY), now=NOON
    )
    office.now = NOON + timedelta(hours=16)
    told = ada.says("/why 2609.10001")
    assert "it comes with the next digest. Next digest" in told
    assert planning.preview(office.store, office.store.chats.at(ada.ref), office.now, News()).keys  # type: ignore[arg-type]


def test_a_paper_that_is_not_there_and_what_is_none(office: Office) -> None:
    ada = follower(office, "kites")
    assert "is not in the archive" in ada.says("/why 2609.99999")
    assert "no paper's id" in ada.says("/why kites")
    assert "/why 2609.33867" in ada.says("/why")


def test_a_chat_that_follows_nothing(office: Office) -> None:
    assert "This chat follows nothing yet." in office.person().says("/why 2609.00001")


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [
        ((Rejected("bad"),), "the platform refused a part of it"),
        ((Ambiguous("answer_lost"), Ambiguous("answer_lost")), "never said whether it arrived"),
        ((Retry(timedelta(hours=12), "flood_wait", counted=False),), "it waits until"),
    ],
)
def test_a_digest_that_did_not_arrive_says_so(
    office: Office, outcomes: tuple[Rejected | Ambiguous | Retry, ...], words: str
) -> None:
    ada = follower(office, "kites")
    plan_tuesday(office, ada)
    for outcome in outcomes:
        (part,) = office.store.outbox.claim(["telegram"], office.now, limit=1)
        record(office.store, part, outcome, office.now)
        office.now += timedelta(minutes=2)
    assert words in ada.says("/why 2609.00001")
    assert words in ada.says("/status")


def test_preview_marks_nothing_and_its_pages_turn(office: Office) -> None:
    ada = follower(office, '"reinforcement learning"')
    office.store.db.execute("update subscription set since = null")
    shown = ada.says("/preview")
    assert "As it would be now" in shown
    assert "Reinforcement learning, part 0" in shown
    assert "Reinforcement learning, part 20" in ada.presses("▶") + ada.presses("▶")
    assert office.store.outbox.counts() == {}
    key = plan_tuesday(office, ada)
    assert office.store.outbox.counts(key) == {DeliveryState.PENDING: 1}
    assert "Nothing new for this chat so far." in ada.says("/preview")


def test_preview_of_a_chat_that_follows_nothing(office: Office) -> None:
    assert "This chat follows nothing yet" in office.person().says("/preview")


def test_status_tells_of_this_chat(office: Office) -> None:
    ada = office.person()
    told = ada.says("/status")
    assert "It follows 0 things." in told
    assert "Nothing was delivered here so far." in told
    ada = follower(office, "kites")
    told = ada.says("/status")
    assert "It follows 1 thing." in told
    assert "Next digest tomorrow at 08:00." in told
    key = plan_tuesday(office, ada)
    while parts := office.store.outbox.claim(["telegram"], office.now, limit=1):
        record(office.store, parts[0], Sent("1"), office.now)
    assert "Last digest: Tuesday, 29 September 2026 12:00, delivered." in ada.says("/status")
    ada.says("/stop")
    assert "Digests are stopped in this chat." in ada.says("/status")
    chat = office.store.chats.get(key)
    assert chat is not None
    assert chat.state is ChatState.PAUSED
