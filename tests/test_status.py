"""`paperboy status` and /status over a real archive, and the step of the schema that they need."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from sqlite_utils import Database

from bot import views
from bot.commands.desk import Desk
from bot.commands.visit import House
from bot.config import load_settings
from bot.parts import make_parts
from bot.ports import Request
from scheduler import jobs
from scheduler.models import AnnounceType, BatchState, ChatKind, ChatRef, ParsedFeed, Platform, Schedule
from scheduler.store import Store, open_store
from scheduler.store.chats import Defaults
from scheduler.store.schema import MIGRATIONS
from scheduler.store.thread import StoreThread
from tests.builders import feed, memory_store, paper

MONDAY, TUESDAY = date(2026, 9, 28), date(2026, 9, 29)
NOON = datetime(2026, 9, 29, 12, 0, tzinfo=UTC)


def listed(found: ParsedFeed) -> ParsedFeed:
    return replace(
        found, kind="arxiv-listing", declared=len(found.announcements), declared_by_type={AnnounceType.NEW: 3}
    )


def half_a_day() -> Store:
    """Two of three papers of today, nothing of stat.ML, and Monday missing."""
    store = memory_store()
    friday = replace(feed(paper("2609.00009"), day=date(2026, 9, 25)), kind="arxiv-feed")
    store.archive.store(friday, now=NOON - timedelta(days=4))
    jobs.note_missing(store, ["cs.LG"], NOON)
    found = feed(paper("2609.00001"), paper("2609.00002"))
    jobs.take_feed(store, replace(found, kind="arxiv-feed"), "cs.LG", TUESDAY, NOON)
    jobs.take_listing(store, listed(found), {}, "cs.LG", TUESDAY, NOON)
    jobs.take_feed(store, "HTTP 500", "stat.ML", TUESDAY, NOON)
    return store


def test_the_status_of_the_shell() -> None:
    store = half_a_day()
    settings = load_settings({"PAPERBOY_CATEGORIES": "cs.LG,stat.ML", "PAPERBOY_TIMEZONE": "Europe/Berlin"})
    lines = views.status(store, settings, False, NOON).splitlines()
    assert lines == [
        "Sources",
        "cs.LG 29 Sep: 2 new + 0 cross, 2 of 3, incomplete (2 of 3 new and cross-listed papers received)",
        "stat.ML nothing received yet · 29 Sep: failed (HTTP 500)",
        "Still missing, 1 day: cs.LG 28 Sep",
        "Next announcement: Tue 20:00 New York, Wed 02:00 for you",
    ]
    told = json.loads(views.status(store, settings, True, NOON))["sources"]
    lg, ml = told["categories"]
    assert (lg["last"]["state"], lg["last"]["received"], lg["last"]["declared"]) == ("partial", 2, 3)
    assert (lg["last"]["first_seen"], lg["last"]["completed"]) == (NOON.isoformat(), None)
    assert (ml["last"], ml["today"]["reason"], ml["today"]["tries"]) == (None, "HTTP 500", 1)
    assert [(one["category"], one["date"]) for one in told["missing"]] == [("cs.LG", "2026-09-28")]


def test_the_status_of_the_chat() -> None:
    store = StoreThread(half_a_day())
    defaults = Defaults(Schedule("08:00", "Asia/Shanghai"), {"en": "en", "zh": "both"})
    desk = Desk(store, House((), ("cs.LG",), ""), defaults, "en", lambda: NOON)
    request = Request(ChatRef(Platform.CONSOLE, "ada"), ChatKind.PRIVATE, "1", "status", lang="en")
    reply = asyncio.run(desk.answer(request))
    told = "\n".join(part.plain for part in make_parts(reply.blocks, Platform.CONSOLE, reply.keyboard))
    assert "2 of 3, incomplete" in told
    assert "Next announcement: Tue 20:00 New York, Wed 08:00 for you" in told
    store.close()


def test_a_database_of_the_first_schema_keeps_its_days_and_learns_their_times(tmp_path: Path) -> None:
    path = tmp_path / "paperboy.sqlite"
    db = Database(path)
    MIGRATIONS.apply(db, stop_before="m002_batch_times")
    db.execute(
        "insert into batch(category, date, state, received, declared, counts, source, reason, fetched_at) "
        "values ('cs.LG', '2026-09-29', 'fresh', 2, 2, '{\"new\": 2}', 'arxiv-feed', '', ?)",
        [NOON.isoformat()],
    )
    db.conn.commit()
    db.close()
    store = open_store(path)
    batch = store.archive.batch("cs.LG", TUESDAY)
    assert batch is not None
    assert (batch.state, batch.news, batch.fetched_at) == (BatchState.FRESH, 2, NOON)
    assert (batch.tries, batch.declared_news, batch.first_seen, batch.completed) == (0, None, None, None)
    store.archive.put_batch(replace(batch, tries=3, first_seen=NOON, listed_at=NOON))
    assert store.archive.batch("cs.LG", TUESDAY) == replace(batch, tries=3, first_seen=NOON, listed_at=NOON)
    assert store.archive.arrived(MONDAY, TUESDAY, NOON - timedelta(hours=1)) == (TUESDAY,)
    assert store.archive.arrived(MONDAY, TUESDAY, NOON + timedelta(hours=1)) == ()
    store.close()
