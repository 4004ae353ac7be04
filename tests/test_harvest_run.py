"""The other sources and the backfill as an operator has them: in `paperboy run`, and on the command line."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from tests.e2e.world import world_in
from tests.sources.arxiv_server import Reply, arxiv_server
from tests.sources.paged_server import QueryApi, Submitted, oai, record
from tests.test_cli import Paperboy
from tests.test_harvesting import Preprints, posting, routed, rss

ROOT = Path(__file__).resolve().parents[1]


async def test_paperboy_run_reads_the_sources_that_are_on(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    blog = rss(("Sailing at home", "https://b.example/1", now.strftime("%a, %d %b %Y %H:%M:%S GMT")))
    answer = routed(details=Preprints(posting(1, now.date())).answer, blog=lambda _: Reply(blog))
    async with arxiv_server(answer) as server:
        settings = {
            "sources": "biorxiv",
            "feeds": f"{server.url}/blog",
            "allow_private_feeds": "1",
            "biorxiv_url": server.url,
        }
        async with world_in(tmp_path, **settings) as world:
            paperboy = world.paperboy
            paperboy.start()
            both = "select source from paper where source in ('biorxiv', 'feed 127.0.0.1') order by source"
            await world.happens(lambda: paperboy.rows(both) == [("biorxiv",), ("feed 127.0.0.1",)])
            assert await paperboy.stop() == 0
    pace = json.loads(paperboy.database.with_name("paperboy.sqlite.pace").read_text(encoding="utf-8"))
    assert "queue interfaces" in pace


async def test_two_processes_of_one_database_keep_one_pace(tmp_path: Path) -> None:
    asked: list[tuple[str, float]] = []

    def answer(target: str) -> Reply:
        asked.append((target.split("/")[1], time.monotonic()))
        return Reply(b"<html>oops</html>", 404)

    async with arxiv_server(answer) as server:
        settings = {f"PAPERBOY_ARXIV_{name}_URL": server.url for name in ("FEED", "LISTING", "API", "OAI")}
        environ = os.environ | settings | {"PYTHONPATH": str(ROOT), "PAPERBOY_ARXIV_PAGE_PACE": "0"}
        command = [sys.executable, "-m", "bot", "fetch", "--database", str(tmp_path / "one.sqlite")]
        names = [("cs.LG", "cs.AI", "cs.CL"), ("hep-th", "stat.ML")]
        running = [
            await asyncio.create_subprocess_exec(
                *command,
                *categories,
                env=environ | {"PAPERBOY_ARXIV_PACE": "0.4"},
                cwd=tmp_path,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
            )
            for categories in names
        ]
        assert [await process.wait() for process in running] == [1, 1]
    times = [moment for place, moment in asked if place == "rss"]
    assert len(times) == 5
    assert all(later - earlier >= 0.39 for earlier, later in pairwise(times))
    assert server.most_at_once == 1


@pytest.fixture
def paperboy(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Paperboy:
    return Paperboy(monkeypatch, capsys, tmp_path)


JANUARY = [Submitted(f"2601.{n:05}", date(2026, 1, 1) + timedelta(days=n // 2)) for n in range(1, 61)]
BACKFILL = ("backfill", "cs.LG", "--since", "2026-01-01", "--until", "2026-01-31")


async def test_backfill_fills_the_archive_and_goes_on_where_it_was(paperboy: Paperboy) -> None:
    api = QueryApi(list(JANUARY))
    paperboy.set(ARXIV_PACE="0", ARXIV_PAGE_PACE="0")
    async with arxiv_server(api.answer) as server:
        paperboy.set(ARXIV_API_URL=f"{server.url}/api/query")
        status, output, errors = await asyncio.to_thread(paperboy.run, *BACKFILL)
        assert (status, output) == (0, "cs.LG: 60 papers, 60 of them new to the archive\n")
        assert errors.splitlines()[0] == "cs.LG 2026-01-01 to 2026-01-07: 13 papers, 13 new"
        asked = len(server.asked)
        status, output, errors = await asyncio.to_thread(paperboy.run, *BACKFILL)
        assert (status, output, errors) == (0, "cs.LG: 0 papers, 0 of them new to the archive\n", "")
        assert len(server.asked) == asked
    status, output, _ = await asyncio.to_thread(paperboy.run, "search", "sailing", "by", "--json")
    assert status == 0
    assert json.loads(output)["total"] == 60


async def test_backfill_by_oai_pmh(paperboy: Paperboy) -> None:
    paperboy.set(ARXIV_PACE="0", ARXIV_PAGE_PACE="0")
    pages = [
        Reply(oai(record("2601.00001", "2026-01-02"), token="t")),
        Reply(oai(record("2601.00002", "2026-01-05"))),
    ]
    async with arxiv_server(*pages) as server:
        paperboy.set(ARXIV_OAI_URL=f"{server.url}/oai")
        run = ("backfill", "cs.LG", "--since", "2026-01-01", "--via", "oai")
        status, output, errors = await asyncio.to_thread(paperboy.run, *run)
    assert (status, output) == (0, "cs.LG: 2 papers, 2 of them new to the archive\n")
    assert errors.splitlines() == ["cs.LG 2026-01-02: 1 paper, 1 new", "cs.LG 2026-01-05: 1 paper, 1 new"]


async def test_a_backfill_that_comes_short_says_so(paperboy: Paperboy) -> None:
    twice = [Submitted("2601.00001", date(2026, 1, 1))] * 2
    paperboy.set(ARXIV_PACE="0", ARXIV_PAGE_PACE="0")
    async with arxiv_server(QueryApi(twice).answer) as server:
        paperboy.set(ARXIV_API_URL=f"{server.url}/api/query")
        status, output, errors = await asyncio.to_thread(paperboy.run, *BACKFILL)
    assert (status, output) == (1, "cs.LG: 1 paper, 1 of them new to the archive\n")
    assert "cs.LG 2026-01-01 to 2026-01-07: 1 of 2 papers, 1 new" in errors
    assert "some days came short" in errors


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cs.XX", "--since", "2026-01-01"), "'cs.XX' is no arXiv category"),
        (("cs.LG",), "--since"),
        (("cs.LG", "--since", "yesterday"), "--since takes a day as 2026-09-29"),
        (("cs.LG", "--since", "2026-01-01", "--until", "soon"), "--until takes a day"),
        (("cs.LG", "--since", "2026-01-01", "--until", "2026-02-01", "--via", "oai"), "--via api only"),
        (("cs.LG", "--since", "2026-02-01", "--until", "2026-01-01"), "nothing was submitted"),
    ],
)
def test_wrong_usage_of_backfill(paperboy: Paperboy, arguments: tuple[str, ...], said: str) -> None:
    status, output, errors = paperboy.run("backfill", *arguments)
    assert (status, output) == (2, "")
    assert said in errors


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("SOURCES", "biorxiv,psyarxiv", "'psyarxiv' is none"),
        ("FEEDS", "ftp://b.example/rss", "https:// or http://"),
        ("FEEDS", "https://b.example/rss, nothing", "https:// or http://"),
        ("ALLOW_PRIVATE_FEEDS", "perhaps", "1 or 0"),
    ],
)
def test_wrong_settings_of_sources_are_named(paperboy: Paperboy, name: str, value: str, said: str) -> None:
    paperboy.set(**{name: value})
    status, _, errors = paperboy.run("fetch", "cs.LG")
    assert status == 2
    assert f"PAPERBOY_{name}" in errors
    assert said in errors
