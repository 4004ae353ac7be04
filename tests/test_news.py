"""Announcement dates are read once, and again whenever anything of them changed, whoever changed it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest

from scheduler import editions, planning, query
from scheduler.models import Chat, Digest, PaperId, Wording
from scheduler.news import News
from scheduler.store import Store
from tests import rounds
from tests.builders import MORNING, TUESDAY, chat_in, feed, memory_store, paper

MONDAY = date(2026, 9, 28)
SEA = paper("2609.00001", "Policy gradients at sea")


@pytest.fixture
def store() -> Store:
    store = memory_store()
    store.archive.store(feed(SEA), now=MORNING)
    store.archive.store(feed(paper("2609.00009", "Older policies"), day=MONDAY), now=MORNING)
    return store


def key_of(store: Store, paper_id: str) -> int:
    known = store.archive.by_id(PaperId(paper_id))
    assert known is not None
    return known.key


CHANGES: dict[str, Callable[[Store], object]] = {
    "another paper": lambda store: store.archive.store(feed(SEA, paper("2609.00002")), now=MORNING),
    "another category": lambda store: store.archive.store(feed(SEA, category="cs.RO"), now=MORNING),
    "a new title": lambda store: store.archive.store(
        feed(replace(SEA, title="Policies on land", version=2)), now=MORNING
    ),
    "new words": lambda store: store.archive.add_wording(
        key_of(store, SEA.id), Wording("zh", "海上的策略梯度")
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_day_is_read_again_when_something_of_it_changed(store: Store, change: str) -> None:
    news = News()
    news.read(store, [MONDAY, TUESDAY])
    assert news.unread(store, [MONDAY, TUESDAY]) == []
    before = store.revisions.newest()
    CHANGES[change](store)
    assert news.unread(store, [MONDAY, TUESDAY]) == [TUESDAY]
    assert store.revisions.of([TUESDAY])[TUESDAY] == store.revisions.newest() > before


def test_reading_the_same_feed_again_changes_nothing(store: Store) -> None:
    news = News()
    news.read(store, [TUESDAY])
    store.archive.store(feed(SEA), now=MORNING)
    assert news.unread(store, [TUESDAY]) == []


def test_a_paper_of_two_days_stands_once_under_the_newer_one(store: Store) -> None:
    store.archive.store(feed(SEA, day=MONDAY, category="cs.RO"), now=MORNING)
    day = News().read(store, [MONDAY, TUESDAY])
    assert {one.paper.id: one.date for one in day.candidates.values()} == {
        "2609.00001": TUESDAY,
        "2609.00009": MONDAY,
    }
    assert set(day.find("policy")) == set(day.candidates)
    assert day.announced == {MONDAY: 2, TUESDAY: 1}


def test_only_a_week_stays_in_memory(store: Store) -> None:
    news = News()
    days = [date(2026, 9, number) for number in range(1, 20)]
    news.read(store, days)
    assert news.unread(store, days) == []
    news.read(store, days[-1:])
    assert len(news.unread(store, days)) == len(days) - 8


# what a slot looks at


def follower(store: Store, name: str, text: str = "policy") -> Chat:
    chat = chat_in(store, name)
    store.chats.subscribe(chat.key, query.parse(text).canonical, text)
    return chat


def plain(_chat: Chat, digest: Digest, _run_key: str) -> tuple[str, ...]:
    return (" ".join(one.paper.id for one in digest.papers),)


def test_a_second_slot_looks_only_at_what_is_new_or_changed(store: Store) -> None:
    chat = follower(store, "ada")
    due = MORNING.replace(hour=8)
    assert rounds.planned(store, due, plain) == 1
    tomorrow = due.replace(day=30)
    entry = store.due.of(chat.key)
    assert entry is not None
    follows = store.chats.subscriptions(chat.key)
    assert planning.round_at(store, tomorrow).dates_for(entry, follows) == ()
    store.archive.store(feed(SEA, paper("2609.00002", "A late policy")), now=due)
    assert planning.round_at(store, tomorrow).dates_for(entry, follows) == (TUESDAY,)
    assert rounds.planned(store, tomorrow, plain) == 1
    body = store.outbox.digest_body(chat.key, "2026-09-30T08:00")
    assert body is not None
    assert "2609.00002" in body
    assert "2609.00001" not in body


def test_who_gets_the_same_shares_one_edition(store: Store) -> None:
    chats = [follower(store, f"reader {n}") for n in range(5)] + [follower(store, "other", "older")]
    assert rounds.planned(store, MORNING.replace(hour=8), plain) == 6
    shared = {row["shared"] for row in store.db.query("select shared from digest")}
    assert len(shared) == 2
    assert len(list(store.db.query("select 1 from body"))) == 4
    assert len(list(store.db.query("select 1 from told"))) == 2
    told = {chat.title: store.outbox.digest_body(chat.key, "2026-09-29T08:00") for chat in chats}
    assert len(set(told.values())) == 2


def test_a_long_round_is_planned_in_small_steps(store: Store) -> None:
    for number in range(60):
        follower(store, f"reader {number}", f"policy -word{number}")
    work, planner = editions.Work(planning.round_at(store, MORNING.replace(hour=8))), editions.Planner(plain)
    steps = []
    while not work.is_over:
        steps.append(planner.step(store, work))
    assert sum(steps) == 60
    assert max(steps) == editions.NEW_IN_STEP
