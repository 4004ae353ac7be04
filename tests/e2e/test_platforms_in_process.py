"""Whole conversations with the real desk on both platforms, in English and in Chinese."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator

import pytest
import simcord

from bot.adapters.discord import DiscordAdapter
from bot.adapters.discord.client import PaperboyClient
from bot.adapters.telegram import TelegramAdapter
from bot.commands.table import specs
from bot.locale import Translator, translator
from bot.render import bibtex
from scheduler import query, tastes, topics
from scheduler.errors import QueryError
from tests.e2e.conversation import (
    NOW,
    Ada,
    AdaOnConsole,
    AdaOnDiscord,
    AdaOnTelegram,
    Office,
    Seen,
    open_office,
)
from tests.e2e.finding import Finding
from tests.e2e.running import until
from tests.e2e.world import told_of
from tests.fakes.telegram_server import FakeTelegram
from tests.judges import discord_spec

WORD = "learning"
PHRASE = "language models"

CASE_11 = (
    "attention is all you need",
    '"attention is all you need"',
    '"attention',
    "AND OR",
    "(rl",
    "",
    "x" * 500,
    "x" * 501,
    "many words " * 46,
    "🚀",
    "non-invasive glucose",
    "a:b",
    "*",
    "NEAR(x",
    "强化学习",
)

_CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.fixture
def office() -> Iterator[Office]:
    with open_office() as office:
        yield office


@pytest.fixture(autouse=True)
def no_fault_of_ours(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No answer of this module may be an apology."""
    yield
    records = [*caplog.get_records("setup"), *caplog.get_records("call")]
    assert [record.getMessage() for record in records if record.levelno >= logging.ERROR] == []


class Conversations(Finding):
    """What both platforms must do; a subclass has the fixture `ada`."""

    @pytest.fixture(params=["en", "zh"])
    def lang(self, request: pytest.FixtureRequest) -> str:
        """The language that ada chooses."""
        return str(request.param)

    @pytest.fixture
    async def t(self, ada: Ada, lang: str) -> Translator:
        """The words of the language, which ada has chosen."""
        seen = await ada.says("settings", f"lang {lang}")
        assert bool(_CHINESE.search(seen.text.replace("中文", ""))) == (lang == "zh")
        return translator(lang)

    async def test_a_subscription_from_the_first_word_to_the_last(
        self, ada: Ada, office: Office, t: Translator
    ) -> None:
        seen = await ada.says("subscribe", PHRASE)
        assert PHRASE in seen.text
        assert office.follows(ada) == [query.phrase_query(PHRASE).canonical]
        await ada.presses(t("Words in any order"))
        loose = query.parse(PHRASE).canonical
        assert office.follows(ada) == [loose]
        assert loose in (await ada.says("subscriptions")).text
        await ada.says("unsubscribe", "1")
        assert office.follows(ada) == []
        await ada.presses(t("Undo"))
        assert office.follows(ada) == [loose]

    async def test_the_digest_is_read_page_by_page(self, ada: Ada, office: Office, t: Translator) -> None:
        await ada.says("subscribe", WORD)
        seen = await ada.says("digest")
        pages = [seen.text]
        while not _is_last_page(seen):
            seen = await ada.presses("▶")
            pages.append(seen.text)
        assert len(pages) > 2
        titles = _titles(office, WORD)
        assert Counter(told_of(titles, pages)) == Counter(titles)
        assert (await ada.presses("◀")).text == pages[-2]

    async def test_a_paper_is_opened_in_place_and_closed_again(
        self, ada: Ada, office: Office, t: Translator
    ) -> None:
        await ada.says("subscribe", WORD)
        page = await ada.says("digest")
        third = told_of(_titles(office, WORD), [page.text])[2]
        card = await ada.opens(3)
        assert third in card.text
        assert "TL;DR" in card.text
        back = await ada.presses(t("◀ Back to the digest"))
        assert back == page

    async def test_a_search_is_turned_and_followed(self, ada: Ada, office: Office, t: Translator) -> None:
        titles = _titles(office, WORD)
        first = await ada.says("search", WORD)
        assert str(len(titles)) in first.text
        second = await ada.presses("▶")
        assert told_of(titles, [first.text, second.text]) == list(titles[:16])
        assert (await ada.presses("◀")).text == first.text
        assert titles[1] in (await ada.opens(2)).text
        await ada.presses(t("Subscribe to this"))
        assert office.follows(ada) == [query.parse(WORD).canonical]

    async def test_a_topic_is_looked_into_turned_and_followed(
        self, ada: Ada, office: Office, t: Translator, lang: str
    ) -> None:
        wanted = topics.named(topics.catalogue(), "reinforcement-learning")
        assert wanted is not None
        found = office.store.archive.search(query.parse(wanted.query), today=NOW.date(), limit=500).papers
        titles = [one.paper.title for one in found]
        await ada.says("topics")
        await ada.presses(f"{t('Computer science')} · 14")
        first = await ada.opens(1)
        assert wanted.title[lang] in first.text
        assert wanted.description[lang] in first.text
        second = await ada.presses("▶")
        assert told_of(titles, [first.text, second.text]) == titles[:16]
        assert (await ada.presses("◀")).text == first.text
        assert titles[1] in (await ada.opens(2)).text
        named = await ada.says("topic", wanted.title["zh"])
        assert named.text == first.text
        await ada.presses(t("Follow this topic"))
        assert office.follows(ada) == [query.parse(wanted.query).canonical]

    async def test_a_paper_is_saved_found_and_taken_away(
        self, ada: Ada, office: Office, t: Translator
    ) -> None:
        one = office.store.archive.search(query.parse(WORD), today=NOW.date(), limit=1).papers[0]
        await ada.says("paper", one.paper.id)
        await ada.presses(t("⭐ Save"))
        (saved,) = office.store.library.saved(office.person(ada))
        assert saved.paper == one.key
        await ada.says("save", f"{one.paper.id} #Robots read_*this*")
        seen = await ada.says("saved", "#robots")
        assert one.paper.title in seen.text
        assert "#robots · read_*this*" in seen.text
        card = await ada.opens(1)
        assert one.paper.title in card.text
        assert "read_*this*" in card.text
        assert (await ada.presses(t("◀ Back to the list"))).text == seen.text
        assert "read_*this*" in (await ada.opens(1)).text
        await ada.presses(t("★ Saved"))
        assert office.store.library.saved(office.person(ada)) == ()
        await ada.presses(t("Undo"))
        (again,) = office.store.library.saved(office.person(ada))
        assert (again.tags, again.note) == (("robots",), "read_*this*")

    async def test_an_entry_for_latex_arrives_verbatim(self, ada: Ada, office: Office, t: Translator) -> None:
        one = office.store.archive.search(query.parse(WORD), today=NOW.date(), limit=1).papers[0]
        assert bibtex.entry(one.paper) in (await ada.says("bibtex", one.paper.id)).text

    async def test_an_author_is_muted_from_the_card(self, ada: Ada, office: Office, t: Translator) -> None:
        await ada.says("subscribe", WORD)
        title = told_of(_titles(office, WORD), [(await ada.says("digest")).text])[0]
        found = office.store.archive.search(query.parse(WORD), today=NOW.date(), limit=500).papers
        (one,) = (known.paper for known in found if known.paper.title == title)
        author = one.authors[0].name
        await ada.says("paper", one.id)
        await ada.presses(t("Mute…"))
        await ada.presses(t("author {title}", title=author))
        assert title not in (await ada.says("digest")).text
        assert author in (await ada.says("muted")).text

    async def test_similar_papers_are_opened_and_left_again(
        self, ada: Ada, office: Office, t: Translator
    ) -> None:
        one = office.store.archive.search(query.parse(PHRASE), today=NOW.date(), limit=1).papers[0]
        await ada.says("paper", one.paper.id)
        seen = await ada.presses(t("Similar"))
        assert t("Similar papers, the nearest first") in seen.text
        (nearest, *_) = tastes.similar(office.store, one, 1)
        assert nearest.known.paper.title in (await ada.opens(1)).text
        assert (await ada.presses(t("◀ Back to the list"))).text == seen.text

    async def test_the_settings(self, ada: Ada, office: Office, t: Translator, lang: str) -> None:
        assert "08:00" in (await ada.says("settings")).text
        assert "07:30" in (await ada.says("settings", "time 07:30")).text
        assert "Asia/Shanghai" in (await ada.says("settings", "zone asia/shanghai")).text
        schedule = office.chat(ada).schedule
        assert (schedule.time, schedule.zone) == ("07:30", "Asia/Shanghai")
        assert "25:00" in (await ada.says("settings", "time 25:00")).text
        assert office.chat(ada).schedule == schedule
        await ada.says("settings")
        await ada.presses("English" if lang == "zh" else "中文")
        assert office.chat(ada).lang == ("en" if lang == "zh" else "zh")

    async def test_every_command_answers_without_an_argument(
        self, ada: Ada, t: Translator, lang: str
    ) -> None:
        for spec in specs():
            seen = await ada.says(spec.name)
            assert bool(_CHINESE.search(seen.text)) == (lang == "zh"), spec.name

    @pytest.mark.parametrize("command", ["search", "subscribe"])
    async def test_whatever_is_typed_is_answered(
        self, ada: Ada, office: Office, t: Translator, command: str
    ) -> None:
        for typed in CASE_11:
            seen = await ada.says(command, typed)
            assert seen.text.strip()
            if (fault := _fault(command, typed)) is not None:
                assert t("Try") in seen.text
                assert fault.suggestion in seen.text
                query.parse(fault.suggestion)
        wrong = sum(_fault(command, typed) is not None for typed in CASE_11)
        if command == "subscribe":
            assert len(office.follows(ada)) == len(CASE_11) - wrong - 2  # nothing, and the same twice


def _fault(command: str, typed: str) -> QueryError | None:
    """What is wrong with a query; no query at all is asked for instead."""
    try:
        if typed:
            query.phrase_query(typed) if command == "subscribe" and query.is_plain_words(
                typed
            ) else query.parse(typed)
    except QueryError as error:
        return error
    return None


def _is_last_page(seen: Seen) -> bool:
    (place,) = (label for label in seen.buttons if re.fullmatch(r"\d+/\d+", label))
    number, _, count = place.partition("/")
    return number == count


def _titles(office: Office, word: str) -> tuple[str, ...]:
    """The titles of all papers that a query finds, newest first."""
    found = office.store.archive.search(query.parse(word), today=NOW.date(), limit=500)
    return tuple(one.paper.title for one in found.papers)


class TestOnTelegram(Conversations):
    """The conversations over the Bot API of the fake Telegram."""

    @pytest.fixture
    async def ada(self, office: Office) -> AsyncIterator[Ada]:
        telegram = FakeTelegram()
        await telegram.start()
        desk = office.desk
        adapter = TelegramAdapter(
            token=telegram.token,
            base_url=telegram.base_url,
            answer=desk.answer,
            suggest=desk.suggest,
            commands=specs(),
            standing=desk.standing,
            poll_seconds=2,
        )
        run = asyncio.create_task(adapter.run())
        await until(lambda: telegram.called("getUpdates") or run.done())
        yield AdaOnTelegram(telegram.user("ada"))
        run.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await run
        await telegram.stop()
        assert telegram.violations == []

    async def test_the_language_of_the_app_is_spoken_from_the_start(self, ada: AdaOnTelegram) -> None:
        ada.person.lang = "zh-hans"
        assert _CHINESE.search((await ada.says("start")).text)


class TestOnDiscord(Conversations):
    """The conversations through the real client in an offline Discord."""

    @pytest.fixture
    def simcord_bot(self, office: Office) -> PaperboyClient:
        """The adapter's client with the real command table."""
        desk = office.desk
        return DiscordAdapter(
            token="not-a-token",
            api_url="https://discord.com/api/v10",
            gateway_url="",
            answer=desk.answer,
            suggest=desk.suggest,
            commands=specs(),
            standing=desk.standing,
            memory={},
        ).client()

    async def test_an_id_and_a_note_are_asked_for_apart(self, ada: AdaOnDiscord, office: Office) -> None:
        one = office.store.archive.search(query.parse(WORD), today=NOW.date(), limit=1).papers[0]
        assert one.paper.title in (await ada.fills_in("save", id=one.paper.id, note="#robots read this")).text
        (saved,) = office.store.library.saved(office.person(ada))
        assert (saved.tags, saved.note) == (("robots",), "read this")

    @pytest.fixture
    def ada(self, simcord_env: simcord.Env) -> Iterator[Ada]:
        yield AdaOnDiscord(simcord_env)
        if discord_spec.is_here():
            for entry in simcord_env.http_requests:
                discord_spec.check_request(entry.method, entry.path, entry.json)


class TestFindingOnTheConsole(Finding):
    """The cases at a terminal."""

    @pytest.fixture
    def ada(self, office: Office) -> Ada:
        return AdaOnConsole(office.desk)

    @pytest.fixture
    def t(self) -> Translator:
        return translator("en")

    @pytest.mark.parametrize("command", ["search", "subscribe", "try", "trends"])
    async def test_whatever_is_typed_is_answered(self, ada: Ada, command: str) -> None:
        for typed in CASE_11:
            assert (await ada.says(command, typed)).text.strip()
