"""Cross-listed papers, for each subscription on or off: in digests, /preview, /why and under /subscriptions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from scheduler import digest, news, query
from scheduler.digest import Candidate
from scheduler.models import AnnounceType, Match, Platform, Subscription
from tests.builders import TUESDAY, chat_in, feed, memory_store, paper
from tests.test_commands import Office, Person

HIT = Match(("title",), ("kite",))


@pytest.fixture
def office() -> Iterator[Office]:
    office = Office()
    crossed = paper("2609.00900", "Kites of others", categories=("cs.CV", "cs.LG"))
    office.store.archive.store(feed(crossed, kind=AnnounceType.CROSS, category="cs.LG"), now=office.now)
    yield office
    office.thread.close()


@pytest.fixture(params=[Platform.TELEGRAM, Platform.DISCORD, Platform.CONSOLE])
def ada(office: Office, request: pytest.FixtureRequest) -> Person:
    return follower(office.person(platform=request.param))


def follower(person: Person) -> Person:
    """Somebody who follows kites, and that since ever."""
    person.says("/subscribe kites")
    person.office.store.db.execute("update subscription set since = null")
    return person


def switched_off(person: Person) -> Person:
    person.says("/subscriptions")
    person.presses("Cross-listed papers…")
    person.presses("− 1")
    return person


def candidate(kind: AnnounceType, *categories: str) -> Candidate:
    return Candidate(1, paper("2609.00001", "Kites", categories=categories), kind, TUESDAY, {}, 0)


@pytest.mark.parametrize(
    ("wanted", "kind", "categories", "is_told"),
    [
        ("kite", AnnounceType.NEW, ("cs.LG",), True),
        ("kite", AnnounceType.CROSS, ("cs.CV", "cs.LG"), False),
        # New in cs.CV, which is fetched too: to a query about cs.LG it is cross-listed all the same.
        ("kite cat:cs.LG", AnnounceType.NEW, ("cs.CV", "cs.LG"), False),
        ("kite cat:cs.LG", AnnounceType.NEW, ("cs.LG", "cs.CV"), True),
        ("kite cat:cs", AnnounceType.NEW, ("cs.CV", "cs.LG"), True),
        ("kite cat:cs", AnnounceType.CROSS, ("math.OC", "cs.LG"), False),
        ("kite cat:cs.SY", AnnounceType.NEW, ("eess.SY", "cs.SY"), True),
        ("kite (cat:cs.LG OR cat:cs.CV)", AnnounceType.NEW, ("cs.CV", "cs.LG"), True),
        # What may be of any category goes by the announcement alone.
        ("cat:cs.LG OR kite", AnnounceType.NEW, ("cs.CV",), True),
        ("kite -cat:cs.CV", AnnounceType.CROSS, ("math.OC", "cs.LG"), False),
    ],
)
def test_what_is_cross_listed_to_a_subscription(
    wanted: str, kind: AnnounceType, categories: tuple[str, ...], is_told: bool
) -> None:
    canonical = query.parse(wanted).canonical
    entry = candidate(kind, *categories)
    with_them = Subscription(1, 1, canonical, "kites")
    without = replace(with_them, cross_lists=False)

    def told(subscription: Subscription) -> bool:
        hits = {canonical: {1: HIT}}
        return bool(digest.build({entry.key: entry}, hits, [subscription], announced={TUESDAY: 1}).keys)

    assert told(with_them)
    assert told(without) is is_told
    assert digest.leaves_out(without, entry) is not is_told
    assert not digest.leaves_out(with_them, entry)


def test_a_query_that_cannot_be_read_any_more_leaves_nothing_out_by_category() -> None:
    broken = Subscription(1, 1, "((((", "broken", cross_lists=False)
    assert not digest.leaves_out(broken, candidate(AnnounceType.NEW, "cs.CV"))


def test_the_list_shows_and_a_button_changes_it(office: Office, ada: Person) -> None:
    assert "cross" not in ada.says("/subscriptions").replace("Cross-listed papers…", "").lower()
    shown = ada.presses("Cross-listed papers…")
    assert "kites  with cross-listed papers" in shown
    assert ada.reply.in_place
    assert "kites  without cross-listed papers" in ada.presses("“kites” without cross-listed papers")
    assert "without cross-listed papers" in ada.presses("◀ Back to the list")
    assert ada.reply.in_place
    ada.presses("Cross-listed papers…")
    assert "kites  with cross-listed papers" in ada.presses("+ 1")
    (saved,) = office.store.chats.subscriptions(1)
    assert saved.cross_lists


def test_in_chinese(office: Office, ada: Person) -> None:
    ada.says("/settings lang zh")
    ada.says("/subscriptions")
    ada.presses("交叉列出的论文…")
    assert "不含交叉列出的论文" in ada.presses("− 1")


def test_preview_digest_and_why_agree(office: Office, ada: Person) -> None:
    assert "Kites of others" in ada.says("/preview")
    assert "Kites of others" in ada.says("/digest")
    assert "it comes with the next digest" in ada.says("/why 2609.00900")
    switched_off(ada)
    for command in ("/preview", "/digest"):
        answer = ada.says(command)
        assert "Diffusion Policies for kites" in answer
        assert "Kites of others" not in answer
    why = ada.says("/why 2609.00900")
    assert "only as cross-listed, which is switched off for what finds it" in why
    assert "Cross-listed papers are switched off for it, and to it this one is only cross-listed." in why
    assert "it comes with the next digest" in ada.says("/why 2609.00001")


def test_another_subscription_that_wants_it_gets_it(office: Office) -> None:
    ada = switched_off(follower(office.person()))
    ada.says("/subscribe others")
    office.store.db.execute("update subscription set since = null")
    assert "Kites of others" in ada.says("/preview")
    assert "it comes with the next digest" in ada.says("/why 2609.00900")


def test_what_is_planned_leaves_them_out(office: Office) -> None:
    ada = switched_off(follower(office.person()))
    chat = office.store.chats.at(ada.ref)
    assert chat is not None
    day = news.read_day(office.store, [TUESDAY])
    built = news.build_for_chat(office.store, chat, day)
    assert [one.paper.id for one in built.digest.papers] == ["2609.00001"]


def test_undo_brings_a_subscription_back_as_it_was(office: Office) -> None:
    ada = switched_off(follower(office.person()))
    ada.says("/unsubscribe 1")
    ada.presses("Undo")
    (saved,) = office.store.chats.subscriptions(1)
    assert not saved.cross_lists


def test_only_who_manages_a_chat_changes_it(office: Office) -> None:
    follower(office.person("group"))
    guest = office.person("group", may_manage=False)
    guest.says("/subscriptions")
    assert "Only who manages" in guest.presses("Cross-listed papers…")
    owner = office.person("group")
    owner.says("/subscriptions")
    owner.presses("Cross-listed papers…")
    guest.reply = owner.reply
    assert "Only who manages" in guest.presses("− 1")


def test_a_subscription_that_was_ended_meanwhile(office: Office) -> None:
    ada = follower(office.person())
    ada.says("/subscriptions")
    ada.presses("Cross-listed papers…")
    office.store.chats.unsubscribe(1, 1)
    assert "ended already" in ada.presses("− 1")
    assert ada.says("/subscriptions")


def test_no_other_chat_is_changed() -> None:
    store = memory_store()
    one, two = chat_in(store), chat_in(store, "bo")
    saved, _ = store.chats.subscribe(one.key, "kite", "kites")
    assert store.chats.follow_cross_lists(two.key, saved.key, False) is None
    (kept,) = store.chats.subscriptions(one.key)
    assert kept.cross_lists
