"""The sources beside arXiv, against a server on the loopback: each by itself, and one paper is one paper."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from scheduler import harvesting, query
from scheduler.errors import SourceRefused, SourceUnavailable
from scheduler.harvesting import Others, SourceState, fetch_others_if_due
from scheduler.models import AnnounceType, BatchState, PaperId
from scheduler.sources import others
from scheduler.sources.http import WebClient
from scheduler.sources.wire import is_public
from scheduler.store import Store
from scheduler.store.thread import StoreThread
from tests.builders import memory_store
from tests.patience import PATIENCE
from tests.sources.arxiv_server import ArxivServer, Reply, Time, arxiv_server

NOW = datetime(2026, 9, 30, 10, tzinfo=UTC)
TODAY = NOW.date()
HOUR = timedelta(hours=1)


def told(state: SourceState) -> str:
    """Why not everything was had, as the log has it."""
    return "; ".join(map(str, state.causes))


def posting(number: int, day: date = TODAY, title: str = "", **other: str) -> dict[str, str]:
    return {
        "doi": f"10.1101/2026.09.30.{number:06}",
        "title": title or f"Cells that sail, part {number}",
        "authors": "Lovelace, A.; Sand, B.",
        "date": day.isoformat(),
        "version": "1",
        "type": "new results",
        "category": "cell biology",
        "abstract": "We sail.",
        "server": "bioRxiv",
        **other,
    }


class Preprints:
    """The servers' API: 2 postings a page. `faults` counts pages that come empty, by their cursor."""

    def __init__(self, *postings: dict[str, str]) -> None:
        self.postings = list(postings)
        self.faults: dict[int, int] = {}

    def answer(self, target: str) -> Reply:
        _, _, server, first, last, cursor = urlsplit(target).path.split("/")
        start = int(cursor)
        found = [
            one for one in self.postings if first <= one["date"] <= last and one["server"].lower() == server
        ]
        page = found[start : start + 2]
        if self.faults.get(start, 0):
            self.faults[start] -= 1
            page = []
        message = {"status": "ok", "cursor": cursor, "count": len(page), "total": str(len(found))}
        if not found:
            message = {"status": "no posts found"}
        return Reply(json.dumps({"messages": [message], "collection": page}).encode())


def featured(paper_id: str, day: str, title: str = "Sailing models") -> dict[str, Any]:
    paper = {
        "id": paper_id,
        "title": title,
        "summary": "We sail.",
        "submittedOnDailyAt": f"{day}T00:00:00.000Z",
    }
    return {"paper": paper | {"authors": [{"name": "Ada Lovelace"}], "publishedAt": f"{day}T00:00:00.000Z"}}


class Features:
    """Hugging Face's daily papers by day."""

    def __init__(self, **days: list[dict[str, Any]]) -> None:
        self.days = {name.removeprefix("d").replace("_", "-"): papers for name, papers in days.items()}
        self.asked: list[str | None] = []

    def answer(self, target: str) -> Reply:
        day = parse_qs(urlsplit(target).query).get("date", [None])[0]
        self.asked.append(day)
        newest = max(self.days) if self.days else ""
        return Reply(json.dumps(self.days.get(day or newest, [])).encode())


def rss(*entries: tuple[str, str, str]) -> bytes:
    written = "".join(
        f"<item><title>{title}</title><link>{link}</link><pubDate>{day}</pubDate><description>We sail.</description>"
        "<author>Ada Lovelace</author></item>"
        for title, link, day in entries
    )
    return f'<rss version="2.0"><channel><title>Blog</title><link>https://b.example</link>{written}</channel></rss>'.encode()


WEDNESDAY = "Wed, 30 Sep 2026 08:00:00 GMT"


def client_in(time: Time, **options: Any) -> WebClient:
    return WebClient(timeout=PATIENCE, clock=time, sleep=time.sleep, jitter=lambda most: most, **options)


def routed(**answers: Callable[[str], Reply]) -> Callable[[str], Reply]:
    """Answers by the first part of the path."""

    def answer(target: str) -> Reply:
        return answers[target.split("/")[1].partition("?")[0]](target)

    return answer


class Run:
    """One store, and ticks of the job against a server."""

    def __init__(
        self, server: ArxivServer, names: Sequence[str], feeds: Sequence[str] = (), allow: bool = True
    ):
        self.inside: Store = memory_store()
        self.store = StoreThread(self.inside)
        self.time = Time()
        addresses = tuple(f"{server.url}/{feed}" for feed in feeds)
        self.wanted = Others(tuple(names), addresses, server.url, server.url, allow)

    async def tick(self, now: datetime = NOW) -> tuple[SourceState, ...]:
        async with client_in(self.time) as client:
            return await fetch_others_if_due(client, self.store, self.wanted, now)

    def found(self, text: str) -> list[str]:
        page = self.inside.archive.search(query.parse(text), today=TODAY, limit=50)
        return [one.paper.id for one in page.papers]


async def test_preprints_come_page_by_page_and_each_day_is_a_batch() -> None:
    api = Preprints(*(posting(n, TODAY - timedelta(days=n % 2)) for n in range(1, 6)))
    async with arxiv_server(api.answer) as server:
        run = Run(server, ["biorxiv"])
        (state,) = await run.tick()
    assert state == SourceState("biorxiv", NOW, 5, (), TODAY)
    assert [asked.target for asked in server.asked] == [
        f"/details/biorxiv/2026-09-29/2026-09-30/{cursor}" for cursor in (0, 2, 4)
    ]
    assert run.time.slept == [1.0, 1.0]
    batches = [run.inside.batches.of("biorxiv", day) for day in (date(2026, 9, 29), TODAY)]
    assert [(one.state, one.received) for one in batches if one] == [
        (BatchState.FRESH, 3),
        (BatchState.FRESH, 2),
    ]
    assert len(run.found("src:biorxiv")) == len(run.found("cat:cell-biology")) == 5
    assert len(run.inside.archive.day(TODAY)) == 2
    run.store.close()


async def test_an_empty_page_in_the_middle_is_asked_for_again_or_is_a_failure() -> None:
    api = Preprints(*(posting(n) for n in range(1, 6)))
    api.faults = {2: 1}
    async with arxiv_server(api.answer) as server:
        run = Run(server, ["biorxiv"])
        assert (await run.tick())[0].found == 5
        api.faults = {2: 9}
        (state,) = await run.tick(NOW + HOUR)
    assert "empty page in the middle" in told(state)
    assert state.whole_until == TODAY
    run.store.close()


async def test_the_servers_are_two_sources_and_nothing_posted_is_an_answer() -> None:
    api = Preprints(posting(1), posting(2, server="medRxiv", title="Hearts that sail upwind"))
    async with arxiv_server(api.answer) as server:
        run = Run(server, ["medrxiv"])
        await run.tick()
        assert run.found("src:medrxiv") == ["doi:10.1101/2026.09.30.000002"]
        assert run.found("src:biorxiv") == []
        api.postings.clear()
        (state,) = await run.tick(NOW + HOUR)
    assert (state.found, state.causes) == (0, ())
    run.store.close()


async def test_a_revision_is_a_replacement_and_no_news() -> None:
    api = Preprints(posting(1), posting(1, version="2", title="Cells that sail faster"))
    async with arxiv_server(api.answer) as server:
        run = Run(server, ["biorxiv"])
        await run.tick()
    known = run.inside.archive.by_id(PaperId("doi:10.1101/2026.09.30.000001"))
    assert known is not None
    assert (known.paper.version, known.paper.title) == (2, "Cells that sail faster")
    assert [kind for _, _, kind in known.announced] == [AnnounceType.NEW]
    run.store.close()


async def test_a_source_is_asked_once_an_hour_and_after_downtime_from_where_it_was_whole() -> None:
    api = Preprints(posting(1))
    async with arxiv_server(api.answer) as server:
        run = Run(server, ["biorxiv"])
        assert len(await run.tick()) == 1
        assert await run.tick(NOW + timedelta(minutes=59)) == ()
        assert len(await run.tick(NOW + HOUR)) == 1
        await run.tick(NOW + timedelta(days=5))
        await run.tick(NOW + timedelta(days=90))
    spans = [asked.target.split("/")[3:5] for asked in server.asked]
    assert spans == [
        ["2026-09-29", "2026-09-30"],
        ["2026-09-29", "2026-09-30"],
        ["2026-09-29", "2026-10-05"],
        ["2026-12-15", "2026-12-29"],
    ]
    run.store.close()


async def test_featured_papers_are_arxivs_papers() -> None:
    api = Features(
        d2026_09_29=[featured("2609.00001", "2026-09-29")], d2026_09_30=[featured("2609.00002", "2026-09-30")]
    )
    async with arxiv_server(api.answer) as server:
        run = Run(server, ["huggingface"])
        (state,) = await run.tick()
    assert (state.found, api.asked) == (2, ["2026-09-29", None])
    assert run.found("src:huggingface") == run.found("src:arxiv") == ["2609.00002", "2609.00001"]
    run.store.close()


async def test_a_source_that_fails_stops_only_itself() -> None:
    api = Preprints(posting(1))
    broken = Reply(b"<html>down</html>", 500)
    async with arxiv_server(
        routed(
            details=api.answer,
            api=lambda _: broken,
            blog=lambda _: Reply(rss(("Sailing at home", "https://b.example/1", WEDNESDAY))),
            page=lambda _: Reply(b"<!doctype html><html><h1>Moved house</h1></html>"),
        )
    ) as server:
        run = Run(server, ["huggingface", "biorxiv"], ["page", "blog"])
        states = await run.tick()
    assert [state.found for state in states] == [0, 1, 0, 1]
    assert "HTTP 500" in told(states[0])
    assert "Moved house" in told(states[2])
    assert [state.whole_until for state in states] == [None, TODAY, None, TODAY]
    assert tuple(harvesting.states(run.inside, run.wanted.names).values()) == states
    run.store.close()


async def test_one_paper_of_three_sources_is_one_paper() -> None:
    title = "Policies that learn to sail upwind"
    async with arxiv_server(
        routed(
            details=Preprints(posting(1, title=title)).answer,
            api=Features(d2026_09_30=[featured("2609.00001", "2026-09-30", title)]).answer,
            blog=lambda _: Reply(rss((title, "https://doi.org/10.1101/2026.09.30.000001", WEDNESDAY))),
        )
    ) as server:
        run = Run(server, ["biorxiv", "huggingface"], ["blog"])
        await run.tick()
    for source in ("arxiv", "biorxiv", "huggingface"):
        assert run.found(f"src:{source}") == ["2609.00001"]
    assert len(run.inside.archive.day(TODAY)) == 1
    run.store.close()


async def test_a_feeds_papers_are_found_by_its_host_and_old_ones_are_not_announced() -> None:
    entries = (
        ("Sailing today", "https://b.example/1", WEDNESDAY),
        ("Sailing of old", "https://b.example/2", "Wed, 1 Jul 2026 08:00:00 GMT"),
        ("Sailing in a dream", "https://b.example/3", "Fri, 1 Oct 2027 08:00:00 GMT"),
        ("On arXiv", "https://arxiv.org/abs/2609.00009", WEDNESDAY),
    )
    async with arxiv_server(Reply(rss(*entries))) as server:
        run = Run(server, [], ["blog"])
        (state,) = await run.tick()
    assert state.found == 3
    assert "dated in the future (2027-10-01)" in told(state)
    assert set(run.found("src:feed")) == {"url:https://b.example/1", "url:https://b.example/2", "2609.00009"}
    assert set(run.found("src:127.0.0.1")) == set(run.found("src:feed"))
    assert [one.paper.id for one in run.inside.archive.day(TODAY)] == [
        "url:https://b.example/1",
        "2609.00009",
    ]
    assert run.inside.archive.dates(date(2020, 1, 1), date(2030, 1, 1)) == (TODAY,)
    run.store.close()


async def test_json_feeds_and_atom_are_feeds_too() -> None:
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "Blog",
        "items": [
            {
                "id": "1",
                "url": "https://b.example/1",
                "title": "Sailing",
                "date_published": "2026-09-30T08:00:00Z",
            }
        ],
    }
    atom = (
        b'<feed xmlns="http://www.w3.org/2005/Atom"><title>B</title><entry><title>Rowing</title>'
        b'<link href="https://b.example/2"/><updated>2026-09-30T08:00:00Z</updated></entry></feed>'
    )
    async with arxiv_server(Reply(json.dumps(feed).encode()), Reply(atom)) as server:
        run = Run(server, [], ["one", "two"])
        states = await run.tick()
    assert [state.found for state in states] == [1, 1]
    run.store.close()


@pytest.mark.parametrize(
    "body", [b'{"x": 1}', b"Rate exceeded.", b"", b"<oops/>", b'{"version": "https://json']
)
async def test_what_is_no_feed_is_a_failure_with_a_reason(body: bytes) -> None:
    async with arxiv_server(Reply(body)) as server:
        run = Run(server, [], ["blog"])
        (state,) = await run.tick()
    assert (state.found, state.whole_until) == (0, None)
    assert state.causes
    run.store.close()


async def test_arxivs_own_feed_is_no_operators_feed() -> None:
    body = b'<rss version="2.0"><channel><link>http://rss.arxiv.org/rss/cs.LG</link></channel></rss>'
    async with arxiv_server(Reply(body)) as server, client_in(Time()) as client:
        with pytest.raises(SourceRefused, match="its own setting"):
            await others.fetch_any_feed(client, f"{server.url}/x", allow_private=True)


# addresses


async def test_a_private_address_is_refused_without_being_asked() -> None:
    async with arxiv_server(Reply(rss())) as server:
        port = urlsplit(server.url).port
        for host in ("127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433"):
            run = Run(server, [], allow=False)
            run.wanted = Others(feeds=(f"http://{host}:{port}/blog",))
            (state,) = await run.tick()
            assert "no public address; PAPERBOY_ALLOW_PRIVATE_FEEDS=1" in told(state) or "no address" in told(
                state
            )
            run.store.close()
    assert server.asked == []


async def test_a_name_that_leads_to_a_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    await _resolving(monkeypatch, "93.184.216.34", "10.0.0.7")
    async with client_in(Time()) as client:
        with pytest.raises(SourceRefused, match="no public address"):
            await others.fetch_any_feed(client, "https://feed.example/rss")


async def _resolving(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    import asyncio

    looked_up: list[str] = []

    async def getaddrinfo(host: str, port: int, **_: Any) -> list[Any]:
        looked_up.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo)
    return looked_up


async def test_the_address_that_is_spoken_to_is_the_one_that_was_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scheduler.sources.wire.is_public", lambda address: address == "127.0.0.1")
    async with arxiv_server(Reply(rss(("Sailing", "https://b.example/1", WEDNESDAY)))) as server:
        port = urlsplit(server.url).port
        looked_up = await _resolving(monkeypatch, "127.0.0.1")
        async with client_in(Time()) as client:
            feed = await others.fetch_any_feed(client, f"http://feed.example:{port}/rss")
    assert len(feed.announcements) == 1
    assert feed.category == "feed.example"
    assert server.asked[0].headers["host"] == f"feed.example:{port}"
    assert looked_up == ["feed.example"]


async def test_a_redirect_into_the_own_network_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scheduler.sources.wire.is_public", lambda address: address == "127.0.0.1")
    moved = Reply(status=302, headers={"Location": "http://192.168.0.1/admin"})
    async with arxiv_server(moved) as server, client_in(Time()) as client:
        with pytest.raises(SourceRefused, match=r"192\.168\.0\.1/admin is no public address"):
            await others.fetch_any_feed(client, server.url)


async def test_a_redirect_to_another_scheme_is_refused() -> None:
    moved = Reply(status=302, headers={"Location": "file:///etc/passwd"})
    async with arxiv_server(moved) as server, client_in(Time()) as client:
        with pytest.raises((SourceRefused, SourceUnavailable)):
            await others.fetch_any_feed(client, server.url, allow_private=True)


@pytest.mark.parametrize(
    "address", ["ftp://b.example/rss", "file:///etc/passwd", "b.example", "https://", ""]
)
async def test_only_web_addresses_are_feeds(address: str) -> None:
    async with client_in(Time()) as client:
        with pytest.raises(SourceRefused, match="no https or http address"):
            await others.fetch_any_feed(client, address)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:93.184.216.34", True),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
        ("not an address", False),
    ],
)
def test_which_addresses_are_public(address: str, public: bool) -> None:
    assert is_public(address) is public


async def test_a_key_in_a_feeds_address_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="scheduler")
    async with arxiv_server(Reply(status=500)) as server:
        run = Run(server, [], ["blog?key=verysecret"])
        (state,) = await run.tick()
    assert "verysecret" not in caplog.text + told(state) + state.title
    assert caplog.text
    run.store.close()
