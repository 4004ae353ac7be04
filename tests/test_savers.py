"""Whoever saved a paper is told of its new version, withdrawal, DOI or journal reference: once, and in private."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from bot import savers
from bot.deliveries import render
from bot.ports import Part
from scheduler.models import (
    Chat,
    ChatKind,
    ChatState,
    Paper,
    PaperId,
    ParsedFeed,
    Platform,
    Quiet,
    Schedule,
)
from scheduler.store import Store
from tests import rounds
from tests.builders import MORNING, TUESDAY, chat_in, feed, memory_store, paper

ADA = "console:ada"
ARRIVED = MORNING + timedelta(minutes=30)
AFTER_SLOT = MORNING + timedelta(hours=2)
KITES = paper("2609.00001", "Kites", comments="9 pages")


@pytest.fixture
def store() -> Store:
    store = memory_store()
    store.archive.store(feed(KITES, paper("2609.00002", "Stars")), now=MORNING)
    return store


def ada(store: Store) -> Chat:
    chat = chat_in(store, "ada")
    store.chats.note_person(chat.key, "ada")
    return chat


def saves(store: Store, chat: Chat, *papers: str, person: str = ADA) -> None:
    for name in papers:
        known = store.archive.by_id(PaperId(name))
        assert known is not None
        store.library.save(person, chat.key, known.key, MORNING)


def becomes(store: Store, *papers: Paper) -> None:
    """The archive sees the papers as they are now."""
    store.archive.store(ParsedFeed("arxiv-api", "arxiv", papers=papers), now=ARRIVED)


def messages(store: Store, platform: Platform = Platform.CONSOLE) -> Sequence[str]:
    claimed = []
    while parts := store.outbox.claim([platform], AFTER_SLOT + timedelta(days=9), limit=1):
        claimed.append(Part.from_json(parts[0].payload).plain)
        store.outbox.sent(parts[0].key, "1", AFTER_SLOT)
    return claimed


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (
            replace(KITES, version=2, title="Kites and wind", comments="14 pages"),
            "v2: title changed, before: “Kites”; now 14 pages",
        ),
        (replace(KITES, version=3), "v3 is there"),
        (replace(KITES, withdrawn=True), "withdrawn by its authors"),
        (replace(KITES, doi="10.1/kites"), "DOI 10.1/kites"),
        (replace(KITES, journal_ref="J. Kites 3 (2026)"), "published: J. Kites 3 (2026)"),
    ],
)
def test_each_change_is_told_in_words(store: Store, after: Paper, said: str) -> None:
    saves(store, ada(store), "2609.00001")
    becomes(store, after)
    assert savers.tell_if_due(store, AFTER_SLOT) == 1
    (message,) = messages(store)
    assert message.startswith("⭐ A paper that you saved has changed")
    assert said in message
    assert savers.tell_if_due(store, AFTER_SLOT + timedelta(days=1)) == 0


def test_several_changes_of_a_paper_are_one_line(store: Store) -> None:
    saves(store, ada(store), "2609.00001", "2609.00002")
    becomes(store, replace(KITES, version=2, title="Wind"))
    becomes(store, replace(KITES, version=3, title="Storm"), paper("2609.00002", "Stars", version=2))
    savers.tell_if_due(store, AFTER_SLOT)
    (message,) = messages(store)
    assert "2 papers that you saved have changed" in message
    assert "1  Storm\nv3: title changed, before: “Kites”" in message
    assert "2  Stars\nv2 is there" in message


def test_what_changed_before_it_was_saved_is_not_told(store: Store) -> None:
    becomes(store, replace(KITES, version=2))
    saves(store, ada(store), "2609.00001")
    assert savers.tell_if_due(store, AFTER_SLOT) == 0


def test_at_most_one_message_a_day_at_the_chats_hour(store: Store) -> None:
    saves(store, ada(store), "2609.00001")
    becomes(store, replace(KITES, version=2))
    assert savers.tell_if_due(store, ARRIVED) == 0
    assert savers.tell_if_due(store, AFTER_SLOT) == 1
    becomes(store, replace(KITES, version=3))
    assert savers.tell_if_due(store, AFTER_SLOT + timedelta(hours=3)) == 0
    assert savers.tell_if_due(store, AFTER_SLOT + timedelta(days=1)) == 1
    assert len(messages(store)) == 2


def test_it_stands_behind_the_digest_of_the_day(store: Store) -> None:
    chat = ada(store)
    store.chats.subscribe(chat.key, "star", "stars", since=TUESDAY)
    saves(store, chat, "2609.00001")
    becomes(store, replace(KITES, version=2))
    at = MORNING + timedelta(hours=1)
    assert savers.tell_if_due(store, at) == 0
    assert rounds.planned(store, at, render) == 1
    assert savers.tell_if_due(store, at) == 1
    digest, news = messages(store)
    assert digest.startswith("📬")
    assert news.startswith("⭐")


def test_many_papers_come_over_several_days(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(savers, "MOST", 1)
    saves(store, ada(store), "2609.00001", "2609.00002")
    becomes(store, replace(KITES, version=2), paper("2609.00002", "Stars", version=2))
    for day in range(3):
        savers.tell_if_due(store, AFTER_SLOT + timedelta(days=day))
    first, second = messages(store)
    assert "Kites" in first
    assert "Stars" in second


@pytest.mark.parametrize("kind", [ChatKind.GROUP, ChatKind.CHANNEL])
def test_a_group_is_never_told(store: Store, kind: ChatKind) -> None:
    group = chat_in(store, "crowd", kind=kind)
    saves(store, group, "2609.00001")
    becomes(store, replace(KITES, version=2))
    assert savers.tell_if_due(store, AFTER_SLOT) == 0
    chat = ada(store)
    assert savers.tell_if_due(store, AFTER_SLOT) == 1
    assert store.outbox.is_waiting(chat.key)
    assert not store.outbox.is_waiting(group.key)


def test_who_stopped_is_left_alone_and_old_news_is_dropped(store: Store) -> None:
    chat = ada(store)
    saves(store, chat, "2609.00001")
    becomes(store, replace(KITES, version=2))
    store.chats.set_state(chat.key, ChatState.PAUSED, "stopped")
    assert savers.tell_if_due(store, AFTER_SLOT) == 0
    store.chats.set_state(chat.key, ChatState.ACTIVE)
    much_later: datetime = AFTER_SLOT + savers.WITHIN + timedelta(days=1)
    assert savers.tell_if_due(store, much_later) == 0


def test_quiet_hours_are_kept(store: Store) -> None:
    quiet = Schedule("08:00", "UTC", quiet=Quiet("07:00", "11:00"))
    chat = replace(ada(store), schedule=quiet)
    store.chats.save(chat, MORNING)
    saves(store, chat, "2609.00001")
    becomes(store, replace(KITES, version=2))
    assert savers.tell_if_due(store, AFTER_SLOT) == 0
    assert savers.tell_if_due(store, AFTER_SLOT + timedelta(hours=3)) == 1
