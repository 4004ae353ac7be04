"""Missed days that are older than arXiv's catch-up pages reach."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from scheduler import gaps, jobs, query
from scheduler.models import PaperId
from scheduler.store import Store
from scheduler.store.thread import StoreThread
from tests.builders import feed, memory_store, paper
from tests.sources.arxiv_server import Reply, Time, arxiv_server
from tests.sources.paged_server import client_of, oai, record

NOW = datetime(2026, 9, 29, 12, tzinfo=UTC)
LAST = date(2026, 1, 5)


@pytest.fixture
def away() -> Store:
    """An archive whose newest day of cs.LG is in January."""
    store = memory_store()
    store.archive.store(
        replace(feed(paper("2601.00001"), day=LAST), kind="arxiv-feed"), now=datetime(2026, 1, 5, tzinfo=UTC)
    )
    return store


def test_a_gap_of_more_than_ninety_days_is_noted_once_with_its_first_day(away: Store) -> None:
    jobs.note_missing(away, ["cs.LG", "cs.RO"], NOW)
    assert gaps.noted(away) == {"cs.LG": date(2026, 1, 6)}
    gaps.note(away, "cs.LG", date(2026, 3, 1))
    assert gaps.noted(away) == {"cs.LG": date(2026, 1, 6)}


def test_a_gap_that_the_catch_up_pages_reach_is_none(away: Store) -> None:
    jobs.note_missing(away, ["cs.LG"], datetime(2026, 4, 3, 12, tzinfo=UTC))
    assert gaps.noted(away) == {}


async def test_the_papers_come_for_search_and_are_no_days_news(away: Store) -> None:
    jobs.note_missing(away, ["cs.LG"], NOW)
    store, time = StoreThread(away), Time()
    pages = [
        Reply(oai(record("2602.00001", "2026-02-03", "Mon, 2 Feb 2026 10:00:00 GMT"), token="t")),
        Reply(b"<html>moved</html>"),
        Reply(oai(record("2602.00001", "2026-02-03", "Mon, 2 Feb 2026 10:00:00 GMT"), token="u")),
        Reply(oai(record("2603.00001", "2026-03-03", "Mon, 2 Mar 2026 10:00:00 GMT"))),
    ]
    async with arxiv_server(*pages) as server, client_of(server.url, time) as client:
        await gaps.fill(client, store, NOW, time.sleep)
        await gaps.fill(client, store, NOW, time.sleep)
        asked = len(server.asked)
        await gaps.fill(client, store, NOW, time.sleep)
        assert len(server.asked) == asked, "what is filled is not asked for again"
    assert "from=2026-01-06" in server.asked[0].target
    assert gaps.noted(away) == {}
    for name in ("2602.00001", "2603.00001"):
        found = away.archive.by_id(PaperId(name))
        assert found is not None
        assert found.announced == ()
    assert away.archive.search(query.parse("cat:cs.LG"), today=NOW.date(), limit=9).total == 3
    store.close()
