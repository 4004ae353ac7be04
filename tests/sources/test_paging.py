"""Paging through the query API and OAI-PMH, against servers that misbehave as arXiv's do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import date, timedelta
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import SourceChanged, SourceRefused, SourceUnavailable
from scheduler.models import ParsedFeed
from scheduler.sources import arxiv, paging
from scheduler.sources.http import Answer, SourceClient, Surface
from scheduler.sources.recording import ReplayWire
from tests.sources.arxiv_server import Reply, Time, arxiv_server
from tests.sources.paged_server import QueryApi, Submitted, client_of, oai, query_api, record

FIRST = date(2026, 1, 1)


def many(count: int) -> list[Submitted]:
    return [Submitted(f"2601.{n:05}", FIRST + timedelta(days=n // 100)) for n in range(1, count + 1)]


async def found(client: SourceClient, **options: int) -> ParsedFeed:
    return await paging.search(client, "cat:cs.LG", page=10, overlap=3, **options)


async def test_pages_overlap_and_every_paper_comes_once() -> None:
    api = QueryApi(many(25))
    async with query_api(api) as (client, _, time):
        feed = await found(client)
    assert [paper.id for paper in feed.papers] == [paper.id for paper in api.papers]
    assert (feed.declared, feed.truncated) == (25, False)
    assert api.starts == [0, 7, 14, 21]
    assert time.slept == [3.0, 3.0, 3.0]


async def test_papers_that_move_up_between_two_pages_are_not_missed() -> None:
    api = QueryApi(many(25), appearing=[Submitted("2601.09999", FIRST), Submitted("2601.09998", FIRST)])
    async with query_api(api) as (client, _, _):
        feed = await found(client)
    assert {paper.id for paper in feed.papers} >= {paper.id for paper in many(25)}


async def test_a_page_that_shares_nothing_with_the_one_before_is_stepped_back_from() -> None:
    appeared = [Submitted(f"2601.{n}", FIRST) for n in range(90000, 90008)]
    api = QueryApi(many(25), appearing=appeared)
    async with query_api(api) as (client, _, _):
        feed = await paging.search(client, "cat:cs.LG", page=10, overlap=1)
    assert {paper.id for paper in feed.papers} >= {paper.id for paper in many(25)}


@pytest.mark.parametrize("faults", [[None, "empty"], [None, "zero"], [None, "empty", "zero", "empty"]])
async def test_an_empty_page_in_the_middle_is_asked_for_again(faults: list[str | None]) -> None:
    api = QueryApi(many(25), faults=list(faults))
    async with query_api(api) as (client, _, _):
        feed = await found(client)
    assert len(feed.papers) == 25
    assert api.starts == [0, *[7] * len(faults), 14, 21]


async def test_an_empty_first_page_with_a_total_is_asked_for_again() -> None:
    api = QueryApi(many(5), faults=["empty"])
    async with query_api(api) as (client, _, _):
        assert len((await found(client)).papers) == 5


async def test_a_page_that_stays_empty_is_no_end() -> None:
    api = QueryApi(many(25), faults=[None, "empty", "empty", "empty", "empty"])
    async with query_api(api) as (client, _, _):
        with pytest.raises(SourceUnavailable, match="25 results but gives an empty page at 7"):
            await found(client)


async def test_nothing_found_is_an_answer() -> None:
    async with query_api(QueryApi([])) as (client, server, _):
        feed = await found(client)
    assert (feed.papers, feed.declared, feed.truncated, len(server.asked)) == ((), 0, False, 1)


async def test_an_error_entry_is_an_error() -> None:
    async with query_api(QueryApi(many(5), faults=["error"])) as (client, _, _):
        with pytest.raises(SourceRefused, match="start must be an integer"):
            await found(client)


async def test_more_than_the_api_gives_out_is_refused_before_the_second_page() -> None:
    api = QueryApi(many(25), pretend=30_001)
    async with query_api(api) as (client, server, _):
        with pytest.raises(paging.TooManyResults, match="30001"):
            await found(client)
    assert len(server.asked) == 1


async def test_no_slice_is_larger_than_two_thousand() -> None:
    api = QueryApi(many(5))
    async with query_api(api) as (client, server, _):
        await paging.search(client, "cat:cs.LG", page=5000)
    assert "max_results=2000" in server.asked[0].target
    assert "sortBy=submittedDate&sortOrder=ascending" in server.asked[0].target


@given(st.integers(0, 60), st.integers(1, 12), st.integers(0, 12))
def test_every_total_page_and_overlap_give_every_paper_once(count: int, page: int, overlap: int) -> None:
    """The walk itself, without a network: fetch_search is what a client is asked."""
    api = QueryApi(many(count))

    class Wireless(SourceClient):
        async def get(
            self, surface: Surface, path: str = "", params: Mapping[str, str] | None = None, *, accept: str
        ) -> Answer:
            return Answer(api.answer(f"/?{urlencode(params or {})}").body)

    async def walk() -> ParsedFeed:
        async with Wireless(wire=ReplayWire(())) as client:
            return await paging.search(client, "cat:cs.LG", page=page, overlap=overlap)

    feed = asyncio.run(walk())
    assert [paper.id for paper in feed.papers] == [paper.id for paper in api.papers]
    assert not feed.truncated


@pytest.mark.parametrize(
    ("category", "name"),
    [
        ("cs.LG", "cs:cs:LG"),
        ("math.NA", "math:math:NA"),
        ("hep-th", "physics:hep-th"),
        ("physics.optics", "physics:physics:optics"),
        ("astro-ph.GA", "physics:astro-ph:GA"),
        ("q-bio.TO", "q-bio:q-bio:TO"),
        ("quant-ph", "physics:quant-ph"),
    ],
)
def test_the_set_of_a_category(category: str, name: str) -> None:
    assert paging.oai_set(category) == name


async def harvested(*replies: Reply) -> tuple[list[ParsedFeed], list[str]]:
    time = Time()
    async with arxiv_server(*replies) as server, client_of(server.url, time) as client:
        pages = [feed async for feed in paging.harvest(client, "cs.LG", FIRST)]
    return pages, [asked.target.partition("?")[2] for asked in server.asked]


BEGIN = "verb=ListRecords&metadataPrefix=arXivRaw&set=cs%3Acs%3ALG&from="


async def test_tokens_lead_from_page_to_page_and_deleted_records_are_named() -> None:
    pages, asked = await harvested(
        Reply(oai(record("2601.00001", "2026-01-02"), token="abc|1")),
        Reply(oai(record("2601.00002", "2026-01-03"), record("2601.00003", "2026-01-03", deleted=True))),
    )
    assert asked == [f"{BEGIN}2026-01-01", "verb=ListRecords&resumptionToken=abc%7C1"]
    assert [[paper.id for paper in page.papers] for page in pages] == [["2601.00001"], ["2601.00002"]]
    assert pages[1].removed == ("2601.00003",)
    assert [page.stamped.date() for page in pages if page.stamped] == [date(2026, 1, 2), date(2026, 1, 3)]
    assert {paper.version for page in pages for paper in page.papers} == {2}


@pytest.mark.parametrize("status", [200, 400])
async def test_an_expired_token_begins_again_at_the_newest_day_seen(status: int) -> None:
    pages, asked = await harvested(
        Reply(oai(record("2601.00001", "2026-01-02"), record("2601.00002", "2026-01-05"), token="t1")),
        Reply(oai(error="badResumptionToken"), status),
        Reply(oai(record("2601.00002", "2026-01-05"), record("2601.00004", "2026-01-06"))),
    )
    assert asked == [f"{BEGIN}2026-01-01", "verb=ListRecords&resumptionToken=t1", f"{BEGIN}2026-01-05"]
    assert [paper.id for page in pages for paper in page.papers][-1] == "2601.00004"


async def test_a_token_that_expires_again_and_again_ends_the_harvest() -> None:
    same = Reply(oai(record("2601.00001", "2026-01-01"), token="t"))
    expired = Reply(oai(error="badResumptionToken"))
    with pytest.raises(SourceUnavailable, match="again and again"):
        await harvested(*[same, expired] * 5)


async def test_the_same_token_again_is_no_next_page() -> None:
    with pytest.raises(SourceChanged, match="same resumption token"):
        await harvested(Reply(oai(record("2601.00001", "2026-01-02"), token="t")))


async def test_other_errors_of_oai_are_errors_and_none_is_an_answer() -> None:
    with pytest.raises(SourceRefused, match="badArgument"):
        await harvested(Reply(oai(error="badArgument")))
    pages, _ = await harvested(Reply(oai(error="noRecordsMatch")))
    assert [page.papers for page in pages] == [()]


async def test_the_other_metadata_format() -> None:
    async with arxiv_server(Reply(oai())) as server, client_of(server.url, Time()) as client:
        await arxiv.fetch_records(client, "physics:hep-th", form="arXiv")
    assert "metadataPrefix=arXiv&" in server.asked[0].target
