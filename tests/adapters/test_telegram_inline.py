"""Papers in any chat: what Telegram is told when somebody types after the bot's name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from bot.parts import make_parts
from bot.ports import Button, InlineCard, InlineCards, Keyboard, Request
from scheduler.models import ChatKind, ChatRef, Platform
from tests.adapters.contract import Answers, eventually, text_block
from tests.adapters.telegram_harness import Rig, rig_for

PAGE = Keyboard(((Button("Abstract page", url="https://arxiv.org/abs/2609.31644v1"),),))


def card(key: str, title: str) -> InlineCard:
    (part,) = make_parts((text_block(f"{title} <b> & more"),), Platform.TELEGRAM, PAGE)
    return InlineCard(key, title, "Kulkarni +9 · cs.LG", part)


@dataclass
class Lists:
    """An `Inline` that remembers."""

    found: InlineCards = field(default_factory=InlineCards)
    asked: list[tuple[Request, str]] = field(default_factory=list)

    async def __call__(self, request: Request, offset: str) -> InlineCards:
        self.asked.append((request, offset))
        return self.found


@pytest.fixture
def lists() -> Lists:
    return Lists()


@pytest.fixture
async def rig(lists: Lists) -> AsyncIterator[Rig]:
    rig = await rig_for(Answers(), inline=lists)
    await rig.start()
    yield rig
    await rig.stop()


async def test_words_after_the_name_give_a_list_of_cards(rig: Rig, lists: Lists) -> None:
    lists.found = InlineCards((card("2609.31644", "MaD-RL"), card("2609.1", "A*STAR")), next_offset="42")
    ada = rig.telegram.user("ada")
    ada.types(" diffusion policy ", offset="77")
    await eventually(lambda: bool(rig.telegram.lists))
    ((request, offset),) = lists.asked
    assert (request.text, offset, request.user) == ("diffusion policy", "77", str(ada.id))
    assert (request.chat, request.kind) == (ChatRef(Platform.TELEGRAM, str(ada.id)), ChatKind.PRIVATE)
    (shown,) = rig.telegram.lists
    assert [one["title"] for one in shown["results"]] == ["MaD-RL", "A*STAR"]
    first = shown["results"][0]
    assert first["input_message_content"]["message_text"] == "MaD-RL &lt;b&gt; &amp; more"
    assert first["input_message_content"]["link_preview_options"] == {"is_disabled": True}
    assert first["reply_markup"]["inline_keyboard"][0][0]["url"] == "https://arxiv.org/abs/2609.31644v1"
    assert first["description"] == "Kulkarni +9 · cs.LG"
    assert (shown["next_offset"], shown["is_personal"]) == ("42", True)


async def test_a_note_leads_into_the_private_talk(rig: Rig, lists: Lists) -> None:
    lists.found = InlineCards(note="No paper fits. How searching works", start="inline")
    rig.telegram.user("ada").types("xyzzy")
    await eventually(lambda: bool(rig.telegram.lists))
    (shown,) = rig.telegram.lists
    assert shown["results"] == []
    assert shown["button"] == {"text": "No paper fits. How searching works", "start_parameter": "inline"}


async def test_a_list_that_comes_too_late_is_no_trouble(
    rig: Rig, lists: Lists, caplog: pytest.LogCaptureFixture
) -> None:
    rig.telegram.refuse(
        None, 400, "Bad Request: query is too old and response timeout expired", method="answerInlineQuery"
    )
    rig.telegram.user("ada").types("late")
    rig.telegram.user("ada").types("later")
    await eventually(lambda: len(rig.telegram.lists) == 1)
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")]
