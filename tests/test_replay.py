"""Record and replay: a fetch kept in a folder gives the same days again, offline, byte for byte."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot import app
from scheduler.errors import SourceRefused, SourceUnavailable, StoreError, UnknownInput
from scheduler.sources import arxiv
from scheduler.sources.http import SourceClient
from scheduler.sources.recording import RecordingWire, ReplayWire, runs
from scheduler.sources.wire import HttpWire, Wire, WireError
from tests.builders import SHARED
from tests.patience import PATIENCE
from tests.sources.arxiv_server import ArxivServer, Reply, Time, arxiv_server
from tests.sources.test_fetching import API
from tests.sources.test_parsers import entry, listing, row, rss, section
from tests.test_cli import Paperboy
from tests.test_harvesting import Preprints, posting

NOW = datetime(2026, 9, 30, 5, 0, tzinfo=UTC)
DAY = "2026-09-30"
"""Not the day of the seeds."""
PAGE = listing(section("New", row("2609.00001"), row("2609.00002"), row("2609.00003"))).replace(
    b"Tuesday, 29 September", b"Wednesday, 30 September"
)
FEED = rss(
    entry("2609.00002v1", title="Kites that learn"), entry("2609.00003v1", "cross", title="Ropes")
).replace(b"Tue, 29 Sep", b"Wed, 30 Sep")


def announce(target: str) -> Reply:
    """A day whose feed lacks the paper that the listing has and the query API knows."""
    if target.startswith("/rss/"):
        return Reply(FEED, headers={"ETag": "abc", "Set-Cookie": "secret=1"})
    if target.startswith("/api/"):
        return Reply(API)
    if target.startswith("/details/"):
        return Preprints(posting(1, NOW.date())).answer(target)
    return Reply(PAGE)


@pytest.fixture
def paperboy(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Paperboy:
    monkeypatch.setattr(app, "clock", lambda: NOW)
    return Paperboy(monkeypatch, capsys, tmp_path)


@asynccontextmanager
async def serving(
    paperboy: Paperboy, *answers: Reply | Callable[[str], Reply], **settings: str
) -> AsyncIterator[ArxivServer]:
    async with arxiv_server(*answers) as server:
        names = ("FEED", "LISTING", "API", "OAI")
        paperboy.set(**{f"ARXIV_{name}_URL": server.url for name in names})
        paperboy.set(ARXIV_PACE="0", ARXIV_PAGE_PACE="0", BIORXIV_URL=server.url, **settings)
        yield server


async def run(paperboy: Paperboy, *arguments: str, database: str = "") -> tuple[int, str, str]:
    if database:
        paperboy.database = paperboy.folder / database
    return await asyncio.to_thread(paperboy.run, *arguments)


async def digests(paperboy: Paperboy, database: str) -> list[str]:
    forms = ("text", "json", "markdown", "html")
    written = [
        await run(paperboy, "digest", "--date", DAY, "--format", form, "--lang", lang, database=database)
        for form in forms
        for lang in ("en", "both")
    ]
    assert {status for status, _, _ in written} == {0}
    return [output for _, output, _ in written]


async def test_a_recorded_day_gives_the_same_digests_offline(paperboy: Paperboy) -> None:
    folder = str(paperboy.folder / "kept")
    async with serving(paperboy, announce, SOURCES="biorxiv", CATEGORIES="cs.LG,stat.ML") as server:
        recorded = await run(paperboy, "fetch", "--record", folder, "--json", database="one.sqlite")
        asked = len(server.asked)
        before = await digests(paperboy, "one.sqlite")
        for name in ("ARXIV_FEED_URL", "ARXIV_LISTING_URL", "ARXIV_API_URL", "BIORXIV_URL"):
            paperboy.set(**{name: "http://127.0.0.1:9"})
        replayed = await run(paperboy, "replay", folder, "--json", database="two.sqlite")
        after = await digests(paperboy, "two.sqlite")
        assert len(server.asked) == asked > 4
    assert recorded == replayed
    assert before == after
    assert all("Kites that learn" in written for written in before)
    assert "Cells that sail, part 1" in before[0]
    lines = [json.loads(line) for line in recorded[1].splitlines()]
    assert [(line["category"], line["state"], line["received"]) for line in lines] == [
        ("cs.LG", "fresh", 3),
        ("stat.ML", lines[1]["state"], lines[1]["received"]),
        ("biorxiv", "fresh", 1),
    ]


async def test_replaying_twice_and_into_a_filled_database_changes_nothing(paperboy: Paperboy) -> None:
    folder = str(paperboy.folder / "kept")
    async with serving(paperboy, announce, CATEGORIES="cs.LG"):
        await run(paperboy, "fetch", "--record", folder, database="one.sqlite")
        before = await digests(paperboy, "one.sqlite")
        for _ in range(2):
            status, _, _ = await run(paperboy, "replay", folder, database="one.sqlite")
            assert status == 0
        assert await digests(paperboy, "one.sqlite") == before


@pytest.mark.parametrize(
    "bad",
    [
        Reply(b"<html>oops</html>", 500),
        Reply(status=429, headers={"Retry-After": "60"}),
        Reply(b"Rate exceeded."),
        Reply(FEED[:-60], cut=True),
    ],
)
async def test_a_recorded_failure_fails_again(paperboy: Paperboy, bad: Reply) -> None:
    folder = str(paperboy.folder / "kept")

    def answer(target: str) -> Reply:
        return bad

    async with serving(paperboy, answer):
        recorded = await run(paperboy, "fetch", "cs.LG", "--record", folder, "--json", database="one.sqlite")
        replayed = await run(paperboy, "replay", folder, "--json", database="two.sqlite")
    assert recorded == replayed
    assert json.loads(recorded[1])["state"] != "fresh"


async def test_days_are_added_to_a_recording(paperboy: Paperboy, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = paperboy.folder / "kept"
    async with serving(paperboy, announce):
        await run(paperboy, "fetch", "cs.LG", "--record", str(folder), database="one.sqlite")
        first = sorted(path.name for path in folder.iterdir())
        monkeypatch.setattr(app, "clock", lambda: NOW.replace(hour=9))
        await run(paperboy, "fetch", "cs.LG", "--record", str(folder), database="one.sqlite")
    assert [found.run["now"] for found in runs(folder)] == [
        "2026-09-30T05:00:00+00:00",
        "2026-09-30T09:00:00+00:00",
    ]
    names = sorted(path.name for path in folder.iterdir())
    assert names[: len(first)] == first
    assert names[0] == "00001.json"
    kept = json.loads((folder / "00002.json").read_text(encoding="utf-8"))
    assert kept["request"]["url"].endswith("/rss/cs.LG")
    assert kept["status"] == 200
    assert kept["time"] == "2026-09-30T05:00:00+00:00"
    assert kept["headers"]["etag"] == "abc"
    assert "set-cookie" not in kept["headers"]
    assert (folder / "00002.body").read_bytes() == FEED


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (None, "", "holds no recording"),
        ("00001.json", "{", "no entry of a recording"),
        ("00001.json", "[]", "no entry of a recording"),
        ("00001.json", '{"format": 2, "run": {}}', "upgrade Paperboy"),
        (
            "00001.json",
            '{"format": 1, "run": {"job": "dance", "now": "2026-09-30T05:00:00+00:00"}}',
            "not known",
        ),
        ("00001.json", '{"format": 1, "run": {"job": "category"}}', "cannot be read"),
        ("notes.json", "{}", "holds no recording"),
    ],
)
async def test_what_is_no_recording_is_told_in_one_line(
    paperboy: Paperboy, name: str | None, text: str, said: str
) -> None:
    folder = paperboy.folder / "kept"
    folder.mkdir()
    if name:
        (folder / name).write_text(text, encoding="utf-8")
    status, output, errors = await run(paperboy, "replay", str(folder))
    assert (status, output) == (1, "")
    assert said in errors
    assert len(errors.splitlines()) == 1


async def test_a_folder_that_is_not_there_and_two_ways_at_once_are_wrong_usage(paperboy: Paperboy) -> None:
    assert (await run(paperboy, "replay", "nowhere"))[0] == 2
    assert (await run(paperboy, "fetch", "--from", "x.xml", "--record", "kept"))[0] == 2
    status, _, errors = await run(paperboy, "fetch", "biorxiv")
    assert status == 2
    assert "no source that is on" in errors


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="cannot record into"):
        RecordingWire(ReplayWire(()), tmp_path / "kept", lambda: NOW)


def test_a_file_in_the_folders_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("")
    with pytest.raises(StoreError, match="cannot record into"):
        RecordingWire(ReplayWire(()), tmp_path / "kept", lambda: NOW)


# the wires


async def recorded_and_replayed(folder: Path, *replies: Reply) -> list[str]:
    """What a feed's fetch came to, over the network and from its recording."""
    ends = []
    async with arxiv_server(*replies) as server:
        patience = 0.1 if any(reply.silent for reply in replies) else PATIENCE
        wire = RecordingWire(HttpWire(agent="x", timeout=patience), folder, lambda: NOW)
        wire.begin({"job": "test"})
        ends.append(await _end(_client(server.url, wire)))
    (only,) = runs(folder)
    again = ReplayWire(only.exchanges)
    ends.append(await _end(_client(server.url, again)))
    return ends


def _client(url: str, wire: Wire) -> SourceClient:
    time = Time()
    return SourceClient(feed_url=url, wire=wire, clock=time, sleep=time.sleep)


async def _end(client: SourceClient) -> str:
    async with client:
        try:
            return repr(await arxiv.fetch_feed(client, "cs.LG"))
        except (SourceUnavailable, SourceRefused) as error:
            return repr(error)


@pytest.mark.parametrize(
    "replies",
    [
        [Reply(FEED)],
        [Reply(FEED[:-60], cut=True)],
        [Reply(status=301, headers={"Location": "/rss/eess.SY"}), Reply(FEED)],
        [Reply(silent=True)],
        [Reply(b"no", 404)],
        [Reply(b"", 500)],
    ],
)
async def test_a_replayed_answer_is_the_recorded_one(tmp_path: Path, replies: list[Reply]) -> None:
    network, replayed = await recorded_and_replayed(tmp_path / "kept", *replies)
    assert network == replayed


async def test_what_was_not_asked_for_is_not_reachable(tmp_path: Path) -> None:
    await recorded_and_replayed(tmp_path, Reply(FEED))
    (only,) = runs(tmp_path)
    wire = ReplayWire(only.exchanges)
    url = only.exchanges[0]["request"]["url"]
    assert (await wire.send(url, {})).body == FEED
    for other in (url, "https://arxiv.org/list/cs.LG/new"):
        with pytest.raises(WireError, match="not in the recording"):
            await wire.send(other, {})


async def test_a_missing_body_is_named(tmp_path: Path) -> None:
    await recorded_and_replayed(tmp_path, Reply(FEED))
    (only,) = runs(tmp_path)
    (tmp_path / "00002.body").unlink()
    with pytest.raises(UnknownInput, match=r"lacks 00002\.body"):
        await ReplayWire(only.exchanges).send(only.exchanges[0]["request"]["url"], {})


async def test_a_recording_can_be_moved(paperboy: Paperboy) -> None:
    async with serving(paperboy, announce):
        await run(paperboy, "fetch", "cs.LG", "--record", "kept", database="one.sqlite")
        before = await digests(paperboy, "one.sqlite")
    shutil.move(paperboy.folder / "kept", paperboy.folder / "moved")
    await run(paperboy, "replay", "moved", database="two.sqlite")
    assert await digests(paperboy, "two.sqlite") == before


SERVED = SHARED / "feeds" / "served"


@pytest.mark.skipif(not SERVED.is_dir(), reason="the shared folder with arXiv's own answers is not here")
async def test_two_days_of_arxivs_own_answers_come_out_the_same(
    paperboy: Paperboy, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = {
        "2026-11-27": ("rss_cs.LG_2026-11-27.xml", "catchup_cs.LG_2026-11-27_abs.html"),
        "2026-11-30": ("rss_cs.LG.xml", "listnew_cs.LG.html"),
    }
    today = ["2026-11-27"]

    def answer(target: str) -> Reply:
        feed, page = days[today[0]]
        if target.startswith("/rss/"):
            return Reply((SERVED / feed).read_bytes())
        if target.startswith("/list/"):
            return Reply((SERVED / page).read_bytes())
        return Reply((SERVED / "api_id_list.xml").read_bytes())

    folder = str(paperboy.folder / "kept")
    recorded, replayed = [], []
    async with serving(paperboy, answer):
        for today[0] in days:
            monkeypatch.setattr(app, "clock", lambda: datetime.fromisoformat(f"{today[0]}T12:00:00+00:00"))
            status, output, _ = await run(
                paperboy, "fetch", "cs.LG", "--record", folder, "--json", database="one.sqlite"
            )
            recorded += output.splitlines()
            assert status == 0
    status, output, _ = await run(paperboy, "replay", folder, "--json", database="two.sqlite")
    replayed = output.splitlines()
    assert (status, recorded) == (0, replayed)
    for day in days:
        for form in ("text", "json", "markdown", "html"):
            shown = [
                await run(paperboy, "digest", "--date", day, "--format", form, database=name)
                for name in ("one.sqlite", "two.sqlite")
            ]
            assert shown[0] == shown[1]
            assert day == "2026-11-27" or "Überraschung" in shown[0][1]
