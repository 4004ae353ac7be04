"""The HTTP client and arXiv's fetchers against a real server on the loopback, in driven time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date

import pytest

from scheduler.errors import SourceChanged, SourceError, SourceRefused, SourceThrottled, SourceUnavailable
from scheduler.sources import arxiv
from scheduler.sources.http import LastAnswers, Remembered, SourceClient, Surface
from tests.patience import PATIENCE
from tests.sources.arxiv_server import ArxivServer, Reply, Time, arxiv_server
from tests.sources.test_parsers import entry, listing, row, rss, section

API = b"""<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">
<id>https://arxiv.org/api/x</id><opensearch:totalResults>1</opensearch:totalResults><entry>
<id>http://arxiv.org/abs/2609.00001v2</id><title>T</title><summary>S</summary></entry></feed>"""
API_ERROR = b"""<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">
<id>https://arxiv.org/</id><entry><id>https://arxiv.org/api/errors#x</id><title>Error</title>
<summary>incorrect id format for x</summary></entry></feed>"""
BAD_CATEGORY = b"""<rss version="2.0"><channel>
<title>Feed error for query: http://rss.arxiv.org/rss/cs.XX</title>
<link>http://rss.arxiv.org/rss/cs.XX</link><description>Bad subject class 'XX'.</description>
</channel></rss>"""
OAI = b"<OAI-PMH xmlns='http://www.openarchives.org/OAI/2.0/'><error code='noRecordsMatch'/></OAI-PMH>"


@asynccontextmanager
async def arxiv_at(
    *replies: Reply, patience: float = PATIENCE
) -> AsyncIterator[tuple[SourceClient, ArxivServer, Time]]:
    time = Time()
    async with arxiv_server(*replies) as server, _client(server.url, time, patience) as client:
        yield client, server, time


def _client(url: str, time: Time, patience: float = PATIENCE) -> SourceClient:
    return SourceClient(
        contact="ada@example.org",
        feed_url=url,
        listing_url=url,
        api_url=f"{url}/api/query",
        oai_url=f"{url}/oai",
        timeout=patience,
        largest_answer=100_000,
        clock=time,
        sleep=time.sleep,
    )


async def test_a_feed_is_fetched_with_our_name_and_what_we_accept() -> None:
    async with arxiv_at(Reply(rss(entry()))) as (client, server, _):
        feed = await arxiv.fetch_feed(client, "cs.LG+cs.AI")
    assert [announcement.paper.id for announcement in feed.announcements] == ["2609.00001"]
    (asked,) = server.asked
    assert asked.target == "/rss/cs.LG+cs.AI"
    assert asked.headers["user-agent"] == "Paperboy/0.1 (+ada@example.org)"
    assert "application/rss+xml" in asked.headers["accept"]


async def test_interfaces_share_three_seconds_and_pages_take_fifteen() -> None:
    replies = [
        Reply(rss()),
        Reply(API),
        Reply(OAI),
        Reply(listing("No updates today")),
        Reply(listing("No updates today")),
    ]
    async with arxiv_at(*replies) as (client, server, time):
        await arxiv.fetch_feed(client, "cs.LG")
        await arxiv.fetch_papers(client, ["2609.00001"])
        await arxiv.fetch_records(client, "cs:cs:LG", date(2026, 9, 29))
        await arxiv.fetch_listing(client, "cs.LG")
        await arxiv.fetch_listing(client, "cs.LG", date(2026, 9, 29))
    assert time.slept == [3.0, 3.0, 15.0]
    assert [asked.target for asked in server.asked] == [
        "/rss/cs.LG",
        "/api/query?id_list=2609.00001&max_results=1",
        "/oai?verb=ListRecords&metadataPrefix=arXivRaw&set=cs%3Acs%3ALG&from=2026-09-29",
        "/list/cs.LG/new?skip=0&show=2000",
        "/catchup/cs.LG/2026-09-29?abs=True",
    ]


async def test_requests_at_the_same_time_take_turns_on_one_connection() -> None:
    async with arxiv_at(Reply(rss())) as (client, server, time):
        await asyncio.gather(*(arxiv.fetch_feed(client, name) for name in ("cs.AI", "cs.CL", "cs.LG")))
    assert server.most_at_once == 1
    assert time.slept == [3.0, 3.0]


@pytest.mark.parametrize(
    ("reply", "error", "seconds"),
    [
        (Reply(status=429, headers={"Retry-After": "120"}), SourceThrottled, 120.0),
        (
            Reply(
                status=503,
                headers={
                    "Date": "Tue, 29 Sep 2026 00:00:00 GMT",
                    "Retry-After": "Tue, 29 Sep 2026 00:10:00 GMT",
                },
            ),
            SourceThrottled,
            600.0,
        ),
        (Reply(status=406), SourceThrottled, None),
        (Reply(b"Rate exceeded.\n"), SourceThrottled, None),
    ],
)
async def test_a_server_that_asks_for_a_pause_gets_it(
    reply: Reply, error: type[SourceError], seconds: float | None
) -> None:
    async with arxiv_at(reply, Reply(rss(entry()))) as (client, server, time):
        with pytest.raises(error) as caught:
            await arxiv.fetch_feed(client, "cs.LG")
        assert isinstance(caught.value, SourceThrottled)
        assert caught.value.retry_after == seconds
        time.now += (seconds or 60) - 1
        with pytest.raises(SourceThrottled, match="1 s are left"):
            await arxiv.fetch_feed(client, "cs.AI")
        assert len(server.asked) == 1
        time.now += 1
        assert (await arxiv.fetch_feed(client, "cs.LG")).announcements


@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_a_server_error_is_unavailable(status: int) -> None:
    async with arxiv_at(Reply(b"<html>oops</html>", status)) as (client, _, _):
        with pytest.raises(SourceUnavailable, match=f"HTTP {status}"):
            await arxiv.fetch_feed(client, "cs.LG")


async def test_no_answer_and_no_server_are_unavailable() -> None:
    async with arxiv_at(Reply(silent=True), patience=0.05) as (client, _, _):
        with pytest.raises(SourceUnavailable, match="did not answer in time"):
            await arxiv.fetch_feed(client, "cs.LG")
    async with _client("http://127.0.0.1:9", Time()) as client:
        with pytest.raises(SourceUnavailable, match="cannot be reached"):
            await arxiv.fetch_feed(client, "cs.LG")


@pytest.mark.parametrize("body", [b"", b"<html><h1>Maintenance</h1></html>", b"Service unavailable", API])
async def test_what_is_no_feed_is_not_taken_for_a_quiet_day(body: bytes) -> None:
    async with arxiv_at(Reply(body)) as (client, _, _):
        with pytest.raises(SourceUnavailable, match="where arxiv-feed was due"):
            await arxiv.fetch_feed(client, "cs.LG")


async def test_an_answer_that_breaks_off_keeps_what_is_whole() -> None:
    body = rss(entry(), entry("2609.00002v1"))
    async with arxiv_at(Reply(body[:-60], cut=True)) as (client, _, _):
        feed = await arxiv.fetch_feed(client, "cs.LG")
    assert feed.truncated
    assert [announcement.paper.id for announcement in feed.announcements] == ["2609.00001"]


async def test_a_cut_behind_the_last_entry_is_still_a_cut() -> None:
    async with arxiv_at(Reply(rss(entry()), cut=True)) as (client, _, _):
        assert (await arxiv.fetch_feed(client, "cs.LG")).truncated


async def test_a_broken_error_page_is_unavailable() -> None:
    async with arxiv_at(Reply(b"<html>", 500, cut=True)) as (client, _, _):
        with pytest.raises(SourceUnavailable):
            await arxiv.fetch_feed(client, "cs.LG")


async def test_an_unknown_category_is_explained_by_the_feed_itself() -> None:
    async with arxiv_at(Reply(BAD_CATEGORY, 400)) as (client, _, _):
        feed = await arxiv.fetch_feed(client, "cs.XX")
    assert feed.errors == ("Bad subject class 'XX'.",)
    async with arxiv_at(Reply(API_ERROR, 400)) as (client, _, _):
        assert (await arxiv.fetch_papers(client, ["x"])).errors == ("incorrect id format for x",)


async def test_a_refusal_carries_the_answer() -> None:
    page = b"<html><h1>Invalid date: 2026-08-01. Catchup only allowed for past 90 days</h1></html>"
    async with arxiv_at(Reply(page, 400)) as (client, _, _):
        with pytest.raises(SourceRefused, match="Catchup only allowed for past 90 days") as caught:
            await arxiv.fetch_listing(client, "cs.LG", date(2026, 8, 1))
    assert caught.value.body == page
    async with arxiv_at(Reply(b"no", 404)) as (client, _, _):
        with pytest.raises(SourceRefused, match="HTTP 404"):
            await arxiv.fetch_feed(client, "cs.LG")


async def test_redirects_wait_for_their_turn_and_end() -> None:
    moved = Reply(status=301, headers={"Location": "/catchup/eess.SY/2026-09-29?abs=True"})
    page = Reply(listing(section("New", row("2609.00001", "eess.SY"))))
    async with arxiv_at(moved, page) as (client, server, time):
        feed = await arxiv.fetch_listing(client, "cs.SY", date(2026, 9, 29))
    assert len(feed.announcements) == 1
    assert time.slept == [15.0]
    assert server.asked[1].target == "/catchup/eess.SY/2026-09-29?abs=True"
    async with arxiv_at(moved) as (client, _, _):
        with pytest.raises(SourceChanged, match="redirects without end"):
            await arxiv.fetch_listing(client, "cs.SY")


async def test_conditional_requests_save_what_has_not_changed() -> None:
    memory = LastAnswers()
    time = Time()
    first = Reply(rss(entry()), headers={"ETag": "abc", "Last-Modified": "Tue, 29 Sep 2026 00:00:00 GMT"})
    async with (
        arxiv_server(first, Reply(status=304)) as server,
        SourceClient(feed_url=server.url, memory=memory, clock=time, sleep=time.sleep) as client,
    ):
        once = await arxiv.fetch_feed(client, "cs.LG")
        again = await arxiv.fetch_feed(client, "cs.LG")
        assert once == again
        assert not (await client.get(Surface.FEED, "/rss/cs.LG", accept="*/*")).is_news
    assert "if-none-match" not in server.asked[0].headers
    assert server.asked[1].headers["if-none-match"] == "abc"
    assert server.asked[1].headers["if-modified-since"] == "Tue, 29 Sep 2026 00:00:00 GMT"
    assert server.asked[1].headers["user-agent"] == "Paperboy/0.1"
    kept = await memory.recall(f"{server.url}/rss/cs.LG")
    assert kept == Remembered("abc", "Tue, 29 Sep 2026 00:00:00 GMT", rss(entry()))


async def test_an_endless_answer_is_stopped() -> None:
    async with arxiv_at(Reply(b"x" * 100_001)) as (client, _, _):
        with pytest.raises(SourceChanged, match="more than 100000 bytes"):
            await arxiv.fetch_feed(client, "cs.LG")


async def test_many_ids_are_asked_for_in_hundreds() -> None:
    async with arxiv_at(Reply(API)) as (client, server, time):
        feed = await arxiv.fetch_papers(client, [f"2609.{number:05}" for number in range(1, 202)])
    assert len(server.asked) == 3
    assert server.asked[2].target.endswith("id_list=2609.00201&max_results=1")
    assert [paper.version for paper in feed.papers] == [2, 2, 2]
    assert (feed.declared, time.slept) == (3, [3.0, 3.0])


async def test_no_ids_ask_for_nothing() -> None:
    async with arxiv_at(Reply(API)) as (client, server, _):
        assert (await arxiv.fetch_papers(client, [])).papers == ()
    assert server.asked == []


async def test_messages_and_log_show_no_query(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="scheduler")
    async with arxiv_at(Reply(status=500)) as (client, _, _):
        with pytest.raises(SourceUnavailable) as caught:
            await arxiv.fetch_papers(client, ["2609.00001"])
    assert "id_list" not in str(caught.value)
    assert "id_list" not in "".join(record.getMessage() for record in caplog.records)
    assert not [record for record in caplog.records if record.levelno > logging.DEBUG]


async def test_a_turn_that_was_cancelled_blocks_nobody() -> None:
    async with arxiv_at(Reply(silent=True), Reply(rss(entry()))) as (client, _, time):
        waiting = asyncio.create_task(arxiv.fetch_feed(client, "cs.AI"))
        await asyncio.sleep(0.05)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await arxiv.fetch_feed(client, "cs.LG")).announcements
        assert time.slept == [3.0]
