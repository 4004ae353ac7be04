"""[Translate the abstract] on a card: asked for once, paid for within the day's budget, told of when it fails."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

import pytest

from bot.commands.desk import Desk
from bot.commands.visit import House
from bot.ports import Button, Reply, Request
from scheduler.models import ChatKind, ChatRef, Platform
from scheduler.store.enrichments import KEPT
from tests.builders import DEFAULTS, paper
from tests.fakes import model_server as plays
from tests.newsdesk import ABSTRACT, Newsdesk, newsdesk, papers

ONE = papers(1)[0]
LABEL = "Translate the abstract"
ASKED = Request(
    ChatRef(Platform.CONSOLE, "bo"), ChatKind.PRIVATE, "bo", lang="en", command="paper", text=ONE.id
)


def desk_of(news: Newsdesk, content: str = "zh") -> Desk:
    """A desk whose reader bo follows nothing that is in the news: no digest brings words for it."""
    news.chat("bo", content, "08:00", "kites")
    news.announces(ONE)
    desk = Desk(news.thread, House((), ("cs.LG",), ""), DEFAULTS, "en", lambda: news.now)
    desk.translate_with(partial(news.enricher.make_now, lang="zh"))
    return desk


def buttons(reply: Reply) -> dict[str, Button]:
    return {button.label: button for row in reply.keyboard.rows for button in row}


def words(reply: Reply) -> str:
    return "\n".join(line.text for block in reply.blocks for line in block.lines)


async def pressed(desk: Desk, card: Reply) -> Reply:
    return await desk.answer(replace(ASKED, command="", text="", action=buttons(card)[LABEL].action))


async def test_an_abstract_is_translated_when_its_reader_asks_for_it() -> None:
    async with newsdesk() as news:
        desk = desk_of(news, "both")
        card = await desk.answer(ASKED)
        assert "中文摘要" not in words(card)
        first = await pressed(desk, card)
        assert (first.toast, first.blocks) == ("Being translated; it takes a moment.", ())
        assert first.later is not None
        done = await first.later()
        assert done.in_place
        assert "中文摘要" in words(done)
        assert news.words(ONE.id).abstract in words(done)
        assert LABEL not in buttons(done)
        assert len(news.server.asked) == 1
        assert LABEL not in buttons(await desk.answer(ASKED))


async def test_those_who_ask_together_wait_for_one_call() -> None:
    async with newsdesk() as news:
        desk = desk_of(news)
        news.server.always(plays.slow(0.05))
        card = await desk.answer(ASKED)
        replies = [await pressed(desk, card) for _ in range(5)]
        done = await asyncio.gather(*(reply.later() for reply in replies if reply.later is not None))
        assert [LABEL in buttons(reply) for reply in done] == [False] * 5
        assert len(news.server.asked) == 1


@pytest.mark.parametrize("settings", [{"daily_tokens": "0"}, {"daily_money": "0", "model_price_read": "1"}])
async def test_the_days_budget_holds_and_the_card_says_so(settings: dict[str, str]) -> None:
    async with newsdesk(**settings) as news:
        desk = desk_of(news)
        first = await pressed(desk, await desk.answer(ASKED))
        assert first.later is not None
        done = await first.later()
        assert "could not be translated now" in words(done)
        assert ONE.title in words(done)
        assert LABEL in buttons(done), "tomorrow it may be asked for again"
        assert news.server.asked == []


async def test_a_model_that_is_down_is_told_of_and_an_unsound_one_not_asked_again() -> None:
    async with newsdesk() as news:
        desk = desk_of(news)
        news.server.always(plays.refuses(503))
        first = await pressed(desk, await desk.answer(ASKED))
        assert first.later is not None
        assert "could not be translated now" in words(await first.later())
        news.server.always(plays.with_words(id="2609.99999"))
        news.now += KEPT
        card = await desk.answer(ASKED)
        again = await pressed(desk, card)
        assert again.later is not None
        assert LABEL not in buttons(await again.later())


async def test_who_reads_english_alone_is_offered_no_translation() -> None:
    async with newsdesk() as news:
        desk = desk_of(news, "en")
        assert LABEL not in buttons(await desk.answer(ASKED))
    async with newsdesk(model_url="", model_name="", model_key="", translator="") as news:
        assert not news.enricher.translates_abstracts()


async def test_without_an_abstract_or_a_service_there_is_nothing_to_ask_for() -> None:
    async with newsdesk() as news:
        news.chat("bo", "zh", "08:00", "kites")
        news.announces(ONE, paper("2609.00002", "Only a title", ""))
        house = House((), ("cs.LG",), "")
        plain = Desk(news.thread, house, DEFAULTS, "en", lambda: news.now)
        assert LABEL not in buttons(await plain.answer(ASKED))
        plain.translate_with(partial(news.enricher.make_now, lang="zh"))
        assert LABEL in buttons(await plain.answer(ASKED))
        assert LABEL not in buttons(await plain.answer(replace(ASKED, text="2609.00002")))
        assert ABSTRACT in words(await plain.answer(ASKED))
