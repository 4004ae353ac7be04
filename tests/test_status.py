"""`paperboy status` and /status over a real archive, and the step of the schema that they need."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from sqlite_utils import Database

from bot import views
from bot.commands.desk import Desk
from bot.commands.visit import House
from bot.config import load_settings
from bot.locale import translator
from bot.parts import make_parts
from bot.ports import Request
from bot.render.causes import causes_words
from scheduler import causes, jobs
from scheduler.harvesting import Others, fetch_source
from scheduler.models import (
    AnnounceType,
    BatchState,
    Cause,
    CauseKind,
    ChatKind,
    ChatRef,
    ParsedFeed,
    Platform,
    Schedule,
)
from scheduler.sources.http import WebClient
from scheduler.store import Store, open_store
from scheduler.store.chats import Defaults
from scheduler.store.schema import MIGRATIONS
from scheduler.store.thread import StoreThread
from tests.builders import feed, memory_store, paper
from tests.sources.arxiv_server import Reply, arxiv_server

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
    jobs.take_feed(store, Cause(CauseKind.UNAVAILABLE, said="HTTP 500"), "stat.ML", TUESDAY, NOON)
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


SHANGHAI = Defaults(Schedule("08:00", "Asia/Shanghai"), {"en": "en", "zh": "both"})
OTHERS = ("biorxiv", "https://blog.example.org/feed?key=verysecret")


def asked(store: StoreThread, lang: str, sources: tuple[str, ...] = ()) -> str:
    """What /status says in a new chat of that language."""
    desk = Desk(store, House((), ("cs.LG", "stat.ML"), "", sources=sources), SHANGHAI, "en", lambda: NOON)
    request = Request(ChatRef(Platform.CONSOLE, lang), ChatKind.PRIVATE, "1", "status", lang=lang)
    reply = asyncio.run(desk.answer(request))
    return "\n".join(part.plain for part in make_parts(reply.blocks, Platform.CONSOLE, reply.keyboard))


def test_the_status_of_the_chat() -> None:
    store = StoreThread(half_a_day())
    told = asked(store, "en")
    assert "2 of 3, incomplete" in told
    assert "Next announcement: Tue 20:00 New York, Wed 08:00 for you" in told
    store.close()


def test_a_chinese_status_has_no_english_words() -> None:
    store = StoreThread(half_a_day())
    told = asked(store, "zh", OTHERS)
    assert "新论文和交叉列出的论文收到 2 / 3 篇" in told
    assert "stat.ML 尚未收到 · 9月29日：失败（来源连接不上或出了故障）" in told.replace(": ", "：")
    assert "biorxiv 尚未获取" in told
    left = re.sub(r"cs\.LG|stat\.ML|biorxiv|blog\.example\.org|/\w+", "", told)
    assert re.findall(r"[A-Za-z]{2,}", left) == []
    store.close()


async def test_the_other_sources_stand_in_the_status() -> None:
    store = StoreThread(half_a_day())
    async with (
        arxiv_server(Reply(status=500)) as server,
        WebClient() as web,
    ):
        wanted = Others(("biorxiv",), biorxiv_url=server.url, pace=0.0)
        await fetch_source(web, store, wanted, "biorxiv", NOON)
    settings = load_settings(
        {
            "PAPERBOY_CATEGORIES": "cs.LG",
            "PAPERBOY_SOURCES": "biorxiv",
            "PAPERBOY_FEEDS": OTHERS[1],
            "PAPERBOY_TIMEZONE": "Europe/Berlin",
        }
    )
    told = await store.call(lambda store: views.status(store, settings, False, NOON))
    assert "biorxiv 29 Sep 14:00: 127.0.0.1/details/biorxiv/" in told
    assert "is out of order (HTTP 500)" in told
    assert "blog.example.org not fetched yet" in told
    machine = json.loads(await store.call(lambda store: views.status(store, settings, True, NOON)))
    first, second = machine["sources"]["others"]
    assert (first["source"], first["found"], first["causes"]) == ("biorxiv", 0, ["unavailable"])
    assert (second["source"], second["asked"]) == ("blog.example.org", None)
    assert "verysecret" not in told + json.dumps(machine)
    store.close()


def test_every_cause_has_words_in_every_language() -> None:
    for kind in CauseKind:
        if kind is CauseKind.NOTED:
            continue
        cause = Cause(kind, ("Labor Day",) if kind is CauseKind.HOLIDAY else ("2026-09-28", "1204"))
        english, chinese = (causes_words([cause], translator(lang)) for lang in ("en", "zh"))
        assert english
        assert "{" not in english + chinese
        assert re.search("[\u4e00-\u9fff]", chinese), kind


def test_causes_survive_their_text_and_older_words_stay_what_was_said() -> None:
    several = (Cause(CauseKind.NOT_CHECKED), Cause(CauseKind.THROTTLED, said="HTTP 429"))
    assert causes.loaded(causes.dumped(several)) == several
    assert causes.loaded("") == ()
    older = causes.loaded("the feed still has 2026-09-28")
    assert causes_words(older, translator("en")) == "the feed still has 2026-09-28"
    assert causes_words(older, translator("zh")) == ""
    assert causes.loaded('["gone", 1]') == (Cause(CauseKind.NOTED, said='["gone", 1]'),)


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
    batch = store.batches.of("cs.LG", TUESDAY)
    assert batch is not None
    assert (batch.state, batch.news, batch.fetched_at) == (BatchState.FRESH, 2, NOON)
    assert (batch.tries, batch.declared_news, batch.first_seen, batch.completed) == (0, None, None, None)
    store.batches.put(replace(batch, tries=3, first_seen=NOON, listed_at=NOON))
    assert store.batches.of("cs.LG", TUESDAY) == replace(batch, tries=3, first_seen=NOON, listed_at=NOON)
    assert store.batches.arrived(MONDAY, TUESDAY, NOON - timedelta(hours=1)) == (TUESDAY,)
    assert store.batches.arrived(MONDAY, TUESDAY, NOON + timedelta(hours=1)) == ()
    store.close()
