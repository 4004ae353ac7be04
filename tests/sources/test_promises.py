"""The promises to a source over processes, restarts and failures, against a real server in driven time."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from scheduler.errors import SourceThrottled, SourceUnavailable, StoreError
from scheduler.harvesting import StoreMemory
from scheduler.sources import arxiv
from scheduler.sources.http import MOST_REMEMBERED, LastAnswers, Remembered, SourceClient, Surface
from scheduler.sources.turns import Board, LocalTurns, SharedTurns, Standing, Turns
from scheduler.store.answers import MOST_KEPT
from scheduler.store.thread import StoreThread
from tests.builders import memory_store
from tests.patience import PATIENCE
from tests.sources.arxiv_server import Reply, Time, arxiv_server
from tests.sources.test_fetching import API
from tests.sources.test_parsers import entry, listing, rss

ROOT = Path(__file__).resolve().parents[2]
OUT_OF_ORDER = Reply(b"<html>oops</html>", 500)


def client_at(
    url: str, time: Time, turns: Turns | None = None, jitter: Callable[[float], float] = lambda most: most
) -> SourceClient:
    return SourceClient(
        feed_url=url,
        listing_url=url,
        api_url=f"{url}/api/query",
        turns=turns,
        timeout=PATIENCE,
        clock=time,
        sleep=time.sleep,
        jitter=jitter,
    )


async def test_two_clients_of_one_database_keep_one_pace_and_one_connection(tmp_path: Path) -> None:
    time, file = Time(), tmp_path / "paperboy.sqlite.pace"
    async with (
        arxiv_server(Reply(rss())) as server,
        client_at(server.url, time, SharedTurns(file)) as one,
        client_at(server.url, time, SharedTurns(file)) as other,
    ):
        await asyncio.gather(
            *(arxiv.fetch_feed(client, name) for client in (one, other) for name in ("cs.AI", "cs.CL"))
        )
    assert server.most_at_once == 1
    assert time.slept == [3.0, 3.0, 3.0]


async def test_a_pause_that_one_process_was_asked_for_is_kept_by_the_next(tmp_path: Path) -> None:
    time, file = Time(), tmp_path / "folder" / "pace"
    async with arxiv_server(Reply(status=429, headers={"Retry-After": "120"}), Reply(rss(entry()))) as server:
        async with client_at(server.url, time, SharedTurns(file)) as first:
            with pytest.raises(SourceThrottled):
                await arxiv.fetch_feed(first, "cs.LG")
        async with client_at(server.url, time, SharedTurns(file)) as second:
            time.now += 119
            with pytest.raises(SourceThrottled, match="1 s are left"):
                await arxiv.fetch_feed(second, "cs.LG")
            time.now += 1
            assert (await arxiv.fetch_feed(second, "cs.LG")).announcements
    assert len(server.asked) == 2


_HOLDER = """
import asyncio, sys
from pathlib import Path
from scheduler.sources.turns import SharedTurns

async def hold():
    async with SharedTurns(Path(sys.argv[1])).held() as board:
        board.pause("queue interfaces", 1000.0, 3.0)
        board.keep()
        print("held", flush=True)
        await asyncio.sleep(60)

asyncio.run(hold())
"""


async def test_a_process_that_is_killed_in_its_turn_locks_nobody_out(tmp_path: Path) -> None:
    file = tmp_path / "pace"
    holder = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        _HOLDER,
        str(file),
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"held\n"
    with pytest.raises(SourceUnavailable, match="another Paperboy"):
        async with SharedTurns(file, longest_hold=0.1).held():
            pass
    holder.kill()
    await holder.wait()
    async with SharedTurns(file).held() as board:
        # It had asked when it died: its turn counts.
        assert board.of("queue interfaces").left(1000.0) == 3.0


@pytest.mark.parametrize(
    "written",
    [
        "",
        "{",
        "[]",
        '{"queue pages": 3}',
        '{"queue pages": {"x": 1}}',
        '{"queue pages": {"free_at": "x", "pause": 1, "is_told": 0, "failures": 0}}',
        "\x00\x01",
    ],
)
async def test_a_file_that_cannot_be_read_counts_as_empty_and_is_written_anew(
    tmp_path: Path, written: str
) -> None:
    file = tmp_path / "pace"
    file.write_text(written * 3 if written == "{" else written)
    async with SharedTurns(file).held() as board:
        assert board.standings == {}
        board.pause("queue pages", 5.0, 1.0)
    assert json.loads(file.read_text())["queue pages"]["free_at"] == 6.0


async def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="PAPERBOY_DATABASE"):
        async with SharedTurns(tmp_path / "file" / "pace").held():
            pass


def test_a_clock_that_was_set_back_makes_no_longer_pause() -> None:
    assert Standing(free_at=5000.0, pause=3.0).left(now=10.0) == 3.0
    assert Standing(free_at=5000.0, pause=3.0).left(now=4999.0) == 1.0
    assert Standing(free_at=5000.0, pause=3.0).left(now=6000.0) == 0.0


async def test_after_failures_a_server_is_left_alone_for_longer_each_time() -> None:
    bounds: list[float] = []

    def most(bound: float) -> float:
        bounds.append(bound)
        return bound

    time = Time()
    async with arxiv_server(OUT_OF_ORDER) as server, client_at(server.url, time, jitter=most) as client:
        for _ in range(4):
            with pytest.raises(SourceUnavailable):
                await arxiv.fetch_feed(client, "cs.LG")
        with pytest.raises(SourceThrottled, match="after 4 failures arxiv is left alone; 48 s are left"):
            await arxiv.fetch_feed(client, "cs.LG")
    assert bounds == [6.0, 12.0, 24.0, 48.0]
    assert time.slept == [6.0, 12.0, 24.0]
    assert len(server.asked) == 4


async def test_the_wait_after_a_failure_is_any_part_of_its_bound() -> None:
    time = Time()
    async with (
        arxiv_server(OUT_OF_ORDER, Reply(rss(entry()))) as server,
        client_at(server.url, time, jitter=lambda most: most * 0.75) as client,
    ):
        with pytest.raises(SourceUnavailable):
            await arxiv.fetch_feed(client, "cs.LG")
        assert (await arxiv.fetch_feed(client, "cs.LG")).announcements
        await arxiv.fetch_feed(client, "cs.LG")
    assert time.slept == [4.5, 3.0]


async def test_a_success_ends_the_series_of_failures() -> None:
    time = Time()
    replies = [OUT_OF_ORDER, Reply(rss()), OUT_OF_ORDER, Reply(rss())]
    async with arxiv_server(*replies) as server, client_at(server.url, time) as client:
        for _ in range(2):
            with pytest.raises(SourceUnavailable):
                await arxiv.fetch_feed(client, "cs.LG")
            await arxiv.fetch_feed(client, "cs.LG")
    assert time.slept == [6.0, 3.0, 6.0]


async def test_a_throttled_feed_delays_neither_the_query_api_nor_the_pages() -> None:
    time = Time()
    replies = [
        Reply(status=429, headers={"Retry-After": "3600"}),
        Reply(API),
        Reply(listing("No updates today")),
    ]
    async with arxiv_server(*replies) as server, client_at(server.url, time) as client:
        with pytest.raises(SourceThrottled):
            await arxiv.fetch_feed(client, "cs.LG")
        assert (await arxiv.fetch_papers(client, ["2609.00001"])).papers
        await arxiv.fetch_listing(client, "cs.LG", date(2026, 9, 29))
    assert time.slept == [3.0]


async def test_a_feed_does_not_wait_for_the_pages_pace() -> None:
    time = Time()
    page, day = Reply(listing("No updates today")), date(2026, 9, 29)
    async with arxiv_server(page, Reply(rss()), page) as server, client_at(server.url, time) as client:
        await arxiv.fetch_listing(client, "cs.LG", day)
        await arxiv.fetch_feed(client, "cs.LG")
        await arxiv.fetch_listing(client, "cs.AI", day)
    assert time.slept == [15.0]
    assert [asked.target[:4] for asked in server.asked] == ["/cat", "/rss", "/cat"]


async def test_an_unchanged_answer_is_no_news_though_the_server_sends_it_again() -> None:
    time = Time()
    first = Reply(rss(entry()), headers={"ETag": "one"})
    again = Reply(rss(entry()), headers={"ETag": "two"})
    changed = Reply(rss(entry("2609.00002v1")), headers={"ETag": "three"})
    async with arxiv_server(first, again, changed) as server, client_at(server.url, time) as client:
        answers = [await client.get(Surface.FEED, "/rss/cs.LG", accept="*/*") for _ in range(3)]
    assert [answer.is_news for answer in answers] == [True, False, True]
    assert [asked.headers.get("if-none-match") for asked in server.asked] == [None, "one", "one"]


async def test_answers_are_remembered_over_a_restart(tmp_path: Path) -> None:
    time, database = Time(), tmp_path / "paperboy.sqlite"
    first = Reply(rss(entry()), headers={"ETag": "abc"})
    feeds = []
    async with arxiv_server(first, Reply(status=304)) as server:
        for _ in range(2):
            store = StoreThread.open(database)
            memory = StoreMemory(store)
            async with SourceClient(
                feed_url=server.url, memory=memory, clock=time, sleep=time.sleep
            ) as client:
                feeds.append(await arxiv.fetch_feed(client, "cs.LG"))
            store.close()
    assert feeds[0] == feeds[1]
    assert feeds[0].announcements
    assert server.asked[1].headers["if-none-match"] == "abc"


async def test_only_the_newest_answers_are_kept() -> None:
    store = StoreThread(memory_store())
    for memory, most in ((StoreMemory(store), MOST_KEPT), (LastAnswers(), MOST_REMEMBERED)):
        for number in range(most + 2):
            await memory.remember(f"https://a.example/{number}", Remembered("e", "", b"x" * number))
        await memory.remember("https://a.example/5", Remembered("new", "", b"y"))
        assert await memory.recall("https://a.example/0") is None
        assert await memory.recall("https://a.example/1") is None
        assert await memory.recall("https://a.example/2") == Remembered("e", "", b"xx")
        assert await memory.recall("https://a.example/5") == Remembered("new", "", b"y")
    store.close()


async def test_a_board_is_kept_when_the_turn_ends_in_an_error() -> None:
    turns = LocalTurns()

    async def fail() -> None:
        async with turns.held() as board:
            board.pause("queue pages", 10.0, 5.0)
            raise SourceUnavailable("arxiv", "no")

    with pytest.raises(SourceUnavailable):
        await fail()
    async with turns.held() as board:
        assert board.of("queue pages").left(11.0) == 4.0
    assert Board().of("anything") == Standing()
