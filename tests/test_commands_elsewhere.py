"""Papers beyond the chat's own digest: looked up at arXiv, shown to everyone, put into any chat."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.commands.desk import Desk
from bot.commands.visit import House
from bot.markup import Block
from bot.ports import Button, InlineCards, Reply, Request
from scheduler.lookups import Finding
from scheduler.models import ChatKind, ChatRef, PaperId, ParsedFeed, Platform
from scheduler.store import Store
from scheduler.store.thread import StoreThread
from tests.builders import DEFAULTS, feed, memory_store, paper

NOON = datetime(2026, 9, 29, 12, 0, tzinfo=UTC)
ADA = Request(ChatRef(Platform.TELEGRAM, "1"), ChatKind.PRIVATE, "1", lang="en")
BOB = Request(ChatRef(Platform.DISCORD, "77"), ChatKind.GROUP, "2", lang="en", may_manage=False, alone=True)


class Arxiv:
    """A `Find`: what it is told to find, it archives."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.finding = Finding.FOUND

    async def __call__(self, paper_id: PaperId) -> Finding:
        if self.finding is Finding.FOUND:
            papers = (paper(paper_id, "Attention Is All You Need"),)
            self.store.archive.store(ParsedFeed("api", "arxiv", papers=papers), now=NOON)
        return self.finding


@pytest.fixture
def store() -> Store:
    store = memory_store()
    entries = [paper(f"2609.{number:05}", f"Diffusion policy number {number}") for number in range(1, 31)]
    store.archive.store(feed(*entries), now=NOON)
    return store


@pytest.fixture
def desk(store: Store) -> Desk:
    return Desk(StoreThread(store), House((), ("cs.LG",), "ops@example.org"), DEFAULTS, "en", lambda: NOON)


def asks(desk: Desk, request: Request) -> Reply:
    return asyncio.run(desk.answer(request))


def words(blocks: tuple[Block, ...]) -> str:
    return "\n".join(line.text for block in blocks for line in block.lines)


def labels(reply: Reply) -> list[str]:
    return [button.label for row in reply.keyboard.rows for button in row]


def button(reply: Reply, label: str) -> Button:
    (found,) = [one for row in reply.keyboard.rows for one in row if one.label == label]
    return found


# looked up


def test_without_a_source_it_is_said_where_the_paper_is(desk: Desk) -> None:
    reply = asks(desk, replace(ADA, command="paper", text="1706.03762v5"))
    assert "not in the archive" in words(reply.blocks)
    assert button(reply, "Abstract page").url.endswith("1706.03762v5")
    assert reply.later is None


def test_an_unknown_paper_is_looked_up_after_the_answer(desk: Desk, store: Store) -> None:
    desk.look_up_with(Arxiv(store))
    reply = asks(desk, replace(ADA, text="see https://arxiv.org/pdf/1706.03762"))
    assert words(reply.blocks) == "1706.03762 is new to me: looking it up at arXiv…"
    assert reply.later is not None
    card = asyncio.run(_wait(reply))
    assert "Attention Is All You Need" in words(card.blocks)
    assert asks(desk, replace(ADA, text="1706.03762")).later is None


async def _wait(reply: Reply) -> Reply:
    assert reply.later is not None
    return await reply.later()


@pytest.mark.parametrize(
    ("finding", "lang", "told", "offered"),
    [
        (Finding.UNKNOWN, "en", "arXiv has no paper 1706.03762", False),
        (Finding.NO_ANSWER, "en", "arXiv does not answer", True),
        (Finding.BUSY, "en", "again in a minute", True),
        (Finding.UNKNOWN, "zh", "arXiv 没有", False),
        (Finding.NO_ANSWER, "zh", "arXiv 暂时没有", True),
    ],
)
def test_what_is_not_found_is_told_with_what_to_do(
    desk: Desk, store: Store, finding: Finding, lang: str, told: str, offered: bool
) -> None:
    source = Arxiv(store)
    source.finding = finding
    desk.look_up_with(source)
    reply = asyncio.run(_wait(asks(desk, replace(ADA, command="paper", text="1706.03762", lang=lang))))
    assert told in words(reply.blocks)
    assert bool(labels(reply)) is offered
    if offered and lang == "en":
        source.finding = Finding.FOUND
        again = asks(desk, replace(ADA, action=button(reply, "Try again").action))
        assert "Attention" in words(asyncio.run(_wait(again)).blocks)


def test_a_source_that_gives_another_paper_is_not_asked_for_ever(desk: Desk) -> None:
    async def nothing(_paper_id: PaperId) -> Finding:
        return Finding.FOUND

    desk.look_up_with(nothing)
    reply = asyncio.run(_wait(asks(desk, replace(ADA, text="1706.03762"))))
    assert "arXiv has no paper" in words(reply.blocks)
    assert reply.later is None


def test_several_papers_in_one_message_are_a_choice(desk: Desk) -> None:
    reply = asks(desk, replace(ADA, text="2609.00001 and arxiv.org/abs/1706.03762v2, also 2609.00002"))
    assert [one.short for one in reply.keyboard.choices] == ["1", "2", "3"]
    assert "Diffusion policy number 1 2609.00001" in words(reply.blocks)
    opened = asks(desk, replace(ADA, action=reply.keyboard.choices[2].action))
    assert "Diffusion policy number 2" in words(opened.blocks)


# shown to everyone


@pytest.mark.parametrize(
    "asked", [{"command": "search", "text": "diffusion"}, {"command": "paper", "text": "2609.00003"}]
)
def test_what_one_person_sees_can_be_shown_to_everyone(desk: Desk, asked: dict[str, str]) -> None:
    own = asks(desk, replace(BOB, **asked))  # type: ignore[arg-type]
    assert own.private
    shared = asks(desk, replace(BOB, action=button(own, "Show to everyone").action))
    assert not shared.private
    assert shared.blocks == own.blocks
    assert shared.keyboard.choices == own.keyboard.choices
    assert all(one.url for row in shared.keyboard.rows for one in row)


@pytest.mark.parametrize("label", ["⭐ Save", "👍", "👎"])
def test_a_card_can_still_be_shown_to_everyone_after_a_thumb(desk: Desk, label: str) -> None:
    card = asks(desk, replace(BOB, command="paper", text="2609.00003"))
    pressed = asks(desk, replace(BOB, action=button(card, label).action))
    shared = asks(desk, replace(BOB, action=button(pressed, "Show to everyone").action))
    assert shared.blocks[0] == card.blocks[0]
    assert not shared.private
    assert not asks(desk, replace(BOB, action=button(card, label).action)).blocks


@pytest.mark.parametrize("command", ["try", "trends"])
def test_pictures_can_be_shown_to_everyone(desk: Desk, command: str) -> None:
    own = asks(desk, replace(BOB, command=command, text="diffusion"))
    shared = asks(desk, replace(BOB, action=button(own, "Show to everyone").action))
    assert shared.picture is not None
    assert shared.picture == own.picture
    assert not shared.private


def test_a_turned_page_is_shared_as_it_stands(desk: Desk) -> None:
    first = asks(desk, replace(BOB, command="search", text="diffusion"))
    second = asks(desk, replace(BOB, action=button(first, "▶").action))
    shared = asks(desk, replace(BOB, action=button(second, "Show to everyone").action))
    assert shared.blocks == second.blocks
    assert (shared.private, shared.in_place) == (False, False)


def test_where_nobody_else_reads_there_is_nothing_to_share(desk: Desk) -> None:
    assert "Show to everyone" not in labels(asks(desk, replace(ADA, command="search", text="diffusion")))
    in_private = replace(BOB, kind=ChatKind.PRIVATE, alone=False)
    assert "Show to everyone" not in labels(asks(desk, replace(in_private, text="diffusion")))


def test_settings_are_nobody_elses_business(desk: Desk) -> None:
    assert "Show to everyone" not in labels(asks(desk, replace(BOB, command="settings", may_manage=True)))


# in any chat


def listed(desk: Desk, text: str, offset: str = "", lang: str = "en") -> InlineCards:
    return asyncio.run(desk.inline(replace(ADA, text=text, lang=lang), offset))


def test_cards_come_newest_first_page_by_page(desk: Desk) -> None:
    first = listed(desk, "diffusion pol")
    second = listed(desk, "diffusion pol", first.next_offset)
    keys = [one.key for one in (*first.cards, *second.cards)]
    assert keys == sorted(keys, reverse=True) or keys == sorted(keys)
    assert len(set(keys)) == 30
    assert second.next_offset == ""
    one = first.cards[0]
    assert one.title.startswith("Diffusion policy number")
    assert one.description == "Lovelace · cs.LG · 29 Sep 2026"
    assert all(button.url for row in one.part.keyboard.rows for button in row)


def test_an_id_gives_its_card_and_nothing_typed_the_newest(desk: Desk) -> None:
    assert [one.key for one in listed(desk, "https://arxiv.org/abs/2609.00007v1").cards] == ["2609.00007"]
    unknown = listed(desk, "1706.03762")
    assert unknown.note == "Not in the archive yet: ask me for it"
    # What the note leads to asks for it.
    assert "1706.03762" in words(asks(desk, replace(ADA, command="start", text=unknown.start)).blocks)
    assert len(listed(desk, "").cards) == 20


@pytest.mark.parametrize("text", ["(", "cat:", "*", '"', "-x", "xyzzy plugh", "a" * 256])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_finds_nothing_or_cannot_be_read_is_a_short_note(desk: Desk, text: str, lang: str) -> None:
    found = listed(desk, text, lang=lang)
    assert bool(found.cards) is not bool(found.note)
    assert len(found.note) <= 64
    if found.note:
        help_with_searching = words(asks(desk, replace(ADA, command="start", text=found.start)).blocks)
        assert "polic*" in help_with_searching


def test_looking_makes_no_chat(desk: Desk, store: Store) -> None:
    listed(desk, "diffusion")
    assert store.chats.at(ADA.chat) is None


def test_the_cards_are_in_the_persons_own_language(desk: Desk) -> None:
    asks(desk, replace(ADA, command="settings", text="language zh"))
    assert any(
        "摘要" in one.part.plain or "页" in str(one.part.keyboard) for one in listed(desk, "diffusion").cards
    )
