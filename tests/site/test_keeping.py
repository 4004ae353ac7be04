"""`paperboy run` and its site: written after a day is complete, by another process, and never in anybody's way."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.site.keeping import NOW_AND_THEN, Keeper, command, stamp
from scheduler import calendar
from scheduler.store.thread import StoreThread
from tests.builders import feed, memory_store, paper
from tests.e2e.running import until
from tests.e2e.world import World, world_in
from tests.patience import PATIENCE
from tests.site.archive import TUESDAY, WEDNESDAY

MORNING = calendar.announced_at(TUESDAY) + timedelta(hours=5)
WRITE = (
    "import sys, pathlib; pathlib.Path(sys.argv[1]).open('a').write('x'); print('first'); print('all well')"
)
FAIL = "import sys; print('paperboy: the disk is full', file=sys.stderr); sys.exit(1)"

LASTING = (
    "import os, pathlib, sys, time; pathlib.Path(sys.argv[1]).write_text(str(os.getpid())); time.sleep(600)"
)


class House:
    """A keeper over an archive, a clock that is driven, and a command that leaves a letter for each time it ran."""

    def __init__(self, folder: Path, program: str = WRITE) -> None:
        self.now: datetime = MORNING
        self.store = memory_store()
        self.thread = StoreThread(self.store)
        self._trace = folder / "trace"
        self.keeper = Keeper(
            self.thread, [sys.executable, "-c", program, str(self._trace)], ["cs.LG"], lambda: self.now
        )

    @property
    def runs(self) -> int:
        return len(self._trace.read_text("utf-8")) if self._trace.exists() else 0


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


async def test_it_waits_for_a_complete_day_and_writes_once(house: House) -> None:
    await house.keeper.write_if_due()
    assert house.runs == 0
    house.store.archive.store(feed(paper("2609.1"), day=TUESDAY, declared=1), now=MORNING)
    await house.keeper.write_if_due()
    await house.keeper.write_if_due()
    assert house.runs == 1


async def test_papers_that_come_later_are_written_and_other_changes_within_the_hour(house: House) -> None:
    house.store.archive.store(feed(paper("2609.1"), day=TUESDAY, declared=1), now=MORNING)
    await house.keeper.write_if_due()
    house.store.archive.store(feed(paper("2609.1"), paper("2609.2"), day=TUESDAY, declared=2), now=MORNING)
    await house.keeper.write_if_due()
    assert house.runs == 2
    house.now += NOW_AND_THEN - timedelta(seconds=1)
    await house.keeper.write_if_due()
    assert house.runs == 2
    house.now += timedelta(seconds=1)
    await house.keeper.write_if_due()
    assert house.runs == 3


async def test_a_failure_is_told_once_and_what_went_well_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "bot.site.keeping")
    for program in (FAIL, WRITE):
        house = House(tmp_path, program)
        house.store.archive.store(feed(paper("2609.1"), day=TUESDAY, declared=1), now=MORNING)
        await house.keeper.write_if_due()
        await house.keeper.write_if_due()
    assert caplog.messages == [
        "the site is not up to date: the disk is full",
        "The site is up to date: all well",
    ]


async def test_ending_paperboy_ends_the_writing(tmp_path: Path) -> None:
    house, trace = House(tmp_path, LASTING), tmp_path / "trace"
    house.store.archive.store(feed(paper("2609.1"), day=TUESDAY, declared=1), now=MORNING)
    writing = asyncio.create_task(house.keeper.write_if_due())
    await until(lambda: trace.exists() and trace.read_text("utf-8"))
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(writing, PATIENCE)
    with pytest.raises(ProcessLookupError):
        os.kill(int(trace.read_text("utf-8")), 0)


def test_what_is_compared_tells_days_and_counts_apart() -> None:
    store = memory_store()
    store.archive.store(feed(paper("2609.1"), day=TUESDAY, declared=1), now=MORNING)
    first = stamp(store, ["cs.LG"], MORNING)
    assert first is not None
    assert stamp(store, ["cs.LG", "cs.RO"], MORNING) is None
    store.archive.store(feed(paper("2609.2"), day=WEDNESDAY, declared=1), now=MORNING)
    assert stamp(store, ["cs.LG"], MORNING + timedelta(days=1)) not in (None, first)


def test_the_command_names_everything_it_needs() -> None:
    told = command("data/paperboy.sqlite", "public", "both", "https://papers.example.org")
    assert told[1:] == (
        *("-m", "bot", "site", "--database", "data/paperboy.sqlite", "--lang", "both", "--days", "30"),
        *("--base-url", "https://papers.example.org", "public"),
    )
    assert "--base-url" not in command("x", "public", "en", "")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with world_in(
        tmp_path, site_dir=str(tmp_path / "public"), site_url="https://papers.example.org"
    ) as world:
        world.arxiv.announce("cs.RO", "2612.00001", "Diffusion policies at sea", "We sail.")
        world.arxiv.announce("cs.LG", "2612.90000", "A theory of gardens", "We plant.")
        yield world


@pytest.mark.filterwarnings("ignore:unread_data:DeprecationWarning")
async def test_a_running_paperboy_writes_its_site(world: World, tmp_path: Path) -> None:
    public = tmp_path / "public"
    await world.up()
    await until(lambda: world.paperboy.lines("The site is up to date"), 40, world.paperboy)
    days = [page.read_text("utf-8") for page in (public / "days").glob("*.html")]
    assert any("Diffusion policies at sea" in page and "A theory of gardens" in page for page in days)
    assert "https://papers.example.org/feed.xml" in (public / "feed.xml").read_text("utf-8")
    assert not world.paperboy.lines("WARNING")
