"""`paperboy fetch --from`: captured answers say what the running bot would have made of them."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from scheduler import jobs
from scheduler.models import AnnounceType, BatchState, CauseKind
from scheduler.sources import kinds
from tests.builders import memory_store
from tests.sources.captured import SERVED, captured, table
from tests.sources.test_parsers import entry, rss
from tests.test_cli import Paperboy, paperboy

__all__ = ["paperboy"]

LATER = datetime(2026, 12, 1, tzinfo=UTC)
KINDS = {"rss": "arxiv-feed", "atom": "arxiv-feed", "listnew": "arxiv-listing", "catchup": "arxiv-listing"}
KINDS |= {"abs": "arxiv-abstract", "api": "arxiv-api", "oai": "arxiv-oai"}


def built(moment: str, *entries: str) -> bytes:
    return rss(*entries, head=f"<lastBuildDate>{moment}</lastBuildDate>")


@pytest.mark.parametrize(
    ("moment", "day", "state"),
    [
        ("Tue, 29 Sep 2026 04:05:00 +0000", "Tue, 29 Sep 2026", BatchState.WAITING),
        ("Tue, 29 Sep 2026 20:00:00 +0000", "Tue, 29 Sep 2026", BatchState.STALE),
        ("Sat, 26 Sep 2026 04:05:00 +0000", "Sat, 26 Sep 2026", BatchState.QUIET),
        ("Tue, 08 Sep 2026 04:05:00 +0000", "Tue, 08 Sep 2026", BatchState.QUIET),
    ],
)
def test_an_empty_feed_is_quiet_only_on_a_day_without_announcement(
    moment: str, day: str, state: BatchState
) -> None:
    body = built(moment).replace(b"<pubDate>Tue, 29 Sep 2026", f"<pubDate>{day}".encode())
    batch = jobs.take_captured(memory_store(), kinds.parse(body), LATER)
    assert batch is not None
    assert (batch.state, batch.received, batch.tries) == (state, 0, 0)


def test_yesterdays_papers_under_todays_date_are_stale_and_not_todays() -> None:
    store = memory_store()
    monday = rss(entry("2609.00001v1"), entry("2609.00002v1")).replace(b"Tue, 29", b"Mon, 28")
    jobs.take_captured(store, kinds.parse(monday), LATER)
    repeated = kinds.parse(rss(entry("2609.00001v1"), entry("2609.00002v1")))
    batch = jobs.take_captured(store, repeated, LATER)
    assert batch is not None
    assert (batch.state, batch.received) == (BatchState.STALE, 0)
    assert batch.causes[0].kind is CauseKind.REPEATED
    assert store.archive.dates(date(2026, 9, 1), date(2026, 9, 30)) == (date(2026, 9, 28),)


def test_an_empty_feed_takes_nothing_away() -> None:
    store = memory_store()
    jobs.take_captured(store, kinds.parse(rss(entry())), LATER)
    batch = jobs.take_captured(store, kinds.parse(built("Tue, 29 Sep 2026 04:05:00 +0000")), LATER)
    assert batch is not None
    assert (batch.state, batch.received) == (BatchState.FRESH, 1)


def test_the_shell_says_waiting_and_that_is_no_failure(paperboy: Paperboy) -> None:
    file = paperboy.folder / "early.xml"
    body = built("Wed, 30 Sep 2026 04:05:00 +0000").replace(b"Tue, 29", b"Wed, 30")
    file.write_bytes(body)
    status, out, err = paperboy.run("fetch", "--from", str(file))
    assert (status, err) == (0, "")
    assert out.splitlines() == ["cs.LG 2026-09-30: 0 papers (waiting)"]


def test_an_empty_answer_about_a_whole_day_says_that_its_papers_are_there(paperboy: Paperboy) -> None:
    early = built("Wed, 30 Sep 2026 04:05:00 +0000")
    for name, body in (("day.xml", rss(entry())), ("early.xml", early)):
        (paperboy.folder / name).write_bytes(body.replace(b"Tue, 29", b"Wed, 30"))
    files = [str(paperboy.folder / name) for name in ("day.xml", "early.xml")]
    status, out, _ = paperboy.run("fetch", "--from", *files)
    assert status == 0
    assert out.splitlines()[-1] == "cs.LG 2026-09-30: 0 papers (fresh, 1 archived)"


SCRIPTED = {row["file"]: row for row in table("MANIFEST.tsv")}
STATES = {
    "rss_cs.LG_monday_not_yet.xml": "waiting",
    "rss_cs.LG_saturday_empty.xml": "quiet",
    "catchup_cs.LG_saturday_empty.html": "quiet",
    "listnew_q-bio.TO_empty.html": "quiet",
    "oai_none_match.xml": "quiet",
    "rss_badcat_400.xml": "failed",
    "api_bad_id_400.xml": "failed",
    "catchup_old_400.html": "failed",
}
"""Of every other answer everything is there: fresh."""


def fetched(paperboy: Paperboy, *names: str) -> tuple[int, list[dict[str, Any]]]:
    status, out, _ = paperboy.run("fetch", "--from", *(str(Path(SERVED) / name) for name in names), "--json")
    return status, [json.loads(line) for line in out.splitlines()]


@pytest.mark.shared
@pytest.mark.parametrize("name", SCRIPTED)
def test_every_served_answer_has_its_right_values_in_the_shell(paperboy: Paperboy, name: str) -> None:
    captured(f"served/{name}")
    row = SCRIPTED[name]
    status, (told,) = fetched(paperboy, name)
    assert told["state"] == STATES.get(name, "fresh")
    assert status == (1 if told["state"] == "failed" else 0)
    if told["kind"]:
        assert told["kind"] == KINDS[name.partition("_")[0]]
    if row["items"] != "-":
        assert told["received"] == len(told["papers"]) == int(row["items"])
        assert told["counts"] == {str(kind): int(row[str(kind).replace("-", "_")]) for kind in AnnounceType}
    expected = [one for one in table("EXPECT.tsv") if one["file"] == name]
    if told["kind"] != "arxiv-abstract":
        by_id = {paper["id"]: paper for paper in told["papers"]}
        assert set(by_id) == {one["id"] for one in expected}
        for one in expected:
            paper = by_id[one["id"]]
            assert (paper["announce_type"] or "") == one["type"]
            assert paper["version"] in (int(one["version"]), None)
            assert sorted(paper["categories"]) == sorted(one["categories"].split())
            assert paper["categories"][0] == one["primary"]


@pytest.mark.shared
def test_three_served_days_in_one_run_are_three_days(paperboy: Paperboy) -> None:
    names = ["catchup_cs.LG_2026-11-25_noabs.html", "rss_cs.LG_2026-11-27.xml", "rss_cs.LG.xml"]
    for name in names:
        captured(f"served/{name}")
    status, told = fetched(paperboy, *names, "rss_cs.LG_saturday_empty.xml")
    assert status == 0
    assert [(one["date"], one["state"], one["received"]) for one in told] == [
        ("2026-11-25", "fresh", 20),
        ("2026-11-27", "fresh", 19),
        ("2026-11-30", "fresh", 21),
        ("2026-11-28", "quiet", 0),
    ]
    for day, news in (("2026-11-25", 17), ("2026-11-27", 16), ("2026-11-30", 18)):
        assert paperboy.digest("--date", day)["announced"] == news
