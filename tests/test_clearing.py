"""What the outbox keeps of old runs: what is asked for later, and nothing that would grow for years."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from scheduler.models import Chat, ChatRef, DeliveryState, Platform
from scheduler.store import Store
from scheduler.store.clearing import KEPT
from scheduler.store.outbox import NOTICE, Plan
from tests.builders import MORNING, TUESDAY, chat_in, feed, memory_store, paper

LATER = MORNING + KEPT + timedelta(days=1)
A_DAY = timedelta(days=1)


@pytest.fixture
def store() -> Iterator[Store]:
    opened = memory_store()
    opened.archive.store(feed(paper("2609.00001")), now=MORNING)
    yield opened
    assert opened.db.execute("pragma foreign_keys").fetchone() == (1,)
    assert opened.db.execute("pragma foreign_key_check").fetchall() == []
    opened.close()


def plan(
    store: Store, chat: Chat, run: str, *texts: str, at: datetime = MORNING, papers: tuple[int, ...] = ()
) -> None:
    body = f'{{"run": "{run}"}}'
    assert store.outbox.enqueue(Plan(chat, run, body, texts or (f"part of {run}",), papers, TUESDAY), at)


def send_all(store: Store, at: datetime) -> None:
    while claimed := store.outbox.claim(["console"], at, limit=10):
        for one in claimed:
            store.outbox.sent(one.key, "1", at)


def clear(store: Store, now: datetime = LATER) -> int:
    return sum(store.outbox.clear(now))


def count(store: Store, table: str) -> int:
    return int(store.db.execute(f"select count(*) from {table}").fetchone()[0])


def texts(store: Store) -> set[str]:
    return {row[0] for row in store.db.execute("select text from body")}


def test_of_an_old_run_its_mark_and_its_moment_stay(store: Store) -> None:
    ada = chat_in(store)
    plan(store, ada, "old", "one", "two", papers=(1,))
    send_all(store, MORNING)
    plan(store, ada, "new", at=LATER)
    assert clear(store) == 1 + 3
    assert store.outbox.delivered(ada.key, [1]) == {1}
    run = store.outbox.run_with(ada.key, 1)
    assert run is not None
    assert (run.run_key, run.planned, run.is_cleared) == ("old", MORNING, True)
    assert store.outbox.digest_body(ada.key, "old") is None
    assert store.outbox.is_planned(ada.key, "old")
    assert texts(store) == {'{"run": "new"}', "part of new"}
    assert clear(store) == 0


def test_within_the_time_nothing_goes(store: Store) -> None:
    ada = chat_in(store)
    plan(store, ada, "old")
    plan(store, ada, "new", at=LATER)
    send_all(store, LATER)
    assert clear(store, MORNING + KEPT) == 0


def test_what_is_still_to_be_sent_stays_with_its_whole_run(store: Store) -> None:
    ada = chat_in(store)
    plan(store, ada, "old", "one", "two")
    (first,) = store.outbox.claim(["console"], MORNING, limit=1)
    store.outbox.sent(first.key, "1", MORNING, thread="77")
    plan(store, ada, "new", at=LATER)
    assert clear(store) == 0
    (second,) = store.outbox.claim(["console"], LATER, limit=1)
    assert (second.payload, second.thread) == ("two", "77")


def test_a_chats_last_digest_stays_however_old(store: Store) -> None:
    ada = chat_in(store)
    plan(store, ada, "older")
    plan(store, ada, "last", at=MORNING + A_DAY)
    send_all(store, MORNING + A_DAY)
    plan(store, ada, f"{NOTICE}1", at=LATER)
    clear(store, LATER + A_DAY)
    run = store.outbox.last_run(ada.key)
    assert run is not None
    assert (run.run_key, run.state, run.sent_at) == ("last", DeliveryState.SENT, MORNING + A_DAY)
    assert store.outbox.digest_body(ada.key, "last") is not None
    assert count(store, "delivery") == 2


def test_of_notices_and_of_what_was_only_asked_for_nothing_stays(store: Store) -> None:
    ada = chat_in(store)
    plan(store, ada, f"{NOTICE}1")
    send_all(store, MORNING)
    store.outbox.keep_digest(ada.key, "asked", "{}", MORNING)
    plan(store, ada, "new", at=LATER)
    clear(store)
    assert [row[0] for row in store.db.execute("select run_key from digest")] == ["new"]


def test_a_forgotten_chats_texts_go(store: Store) -> None:
    ada, bo = chat_in(store), chat_in(store, "bo")
    plan(store, ada, "hers")
    plan(store, bo, "his")
    store.chats.forget(ada.key)
    clear(store, MORNING)
    assert texts(store) == {'{"run": "his"}', "part of his"}


@pytest.mark.parametrize("steps", range(8))
def test_a_text_that_is_needed_again_in_between_stays(store: Store, steps: int) -> None:
    ada, bo = chat_in(store), chat_in(store, "bo")
    plan(store, ada, "old", "the same")
    send_all(store, MORNING)
    plan(store, ada, "new", at=LATER)
    send_all(store, LATER)
    clearing = store.outbox.clear(LATER)
    for _ in range(steps):
        next(clearing, None)
    plan(store, bo, "old", "the same", at=LATER)
    for _ in clearing:
        pass
    (part,) = store.outbox.claim(["console"], LATER, limit=10)
    assert part.payload == "the same"
    assert store.outbox.digest_body(bo.key, "old") == '{"run": "old"}'


@pytest.mark.parametrize("steps", range(8))
def test_a_group_that_moves_in_between_loses_nothing(store: Store, steps: int) -> None:
    others = [chat_in(store, f"c{n}") for n in range(150)]
    plan(store, others[-1], "its own")
    plan(store, others[0], "another", at=LATER)
    clearing = store.outbox.clear(LATER)
    for _ in range(steps):
        next(clearing, None)
    store.chats.move(others[0].key, ChatRef(Platform.CONSOLE, "c149"))
    for _ in clearing:
        pass
    found = []
    while claimed := store.outbox.claim(["console"], LATER, limit=10):
        found += [one.payload for one in claimed]
        for one in claimed:
            store.outbox.sent(one.key, "1", LATER)
    assert sorted(found) == ["part of another", "part of its own"]


def test_after_years_the_outbox_has_no_more_parts_and_texts_than_after_months(store: Store) -> None:
    people = [chat_in(store, name) for name in ("ada", "bo", "cy")]
    sizes = []
    for day in range(3 * 365):
        now = MORNING + day * A_DAY
        for chat in people:
            # Whoever gets the same shares its text, and one chat has a word of its own.
            plan(store, chat, f"{day}", f"digest {day}", *(["own"] if chat.key == 1 else []), at=now)
        send_all(store, now)
        if day % 30 == 29:
            clear(store, now)
            sizes.append((count(store, "delivery"), count(store, "body")))
    assert sizes[5] == sizes[-1] == (4 * 91, 2 * 91 + 1)
    # Of each run one short row says when it was planned.
    assert count(store, "digest where body = '' and shared is null") == 3 * (3 * 365 - 15 - 91)
