"""/try as a person uses it: what a subject would bring, near misses, and what narrows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ports import Picture
from scheduler.errors import QueryError
from scheduler.matching import DayIndex
from scheduler.models import AnnounceType, Paper, Platform
from scheduler.query import as_news, parse
from scheduler.store import Store
from scheduler.store.search import Patience, tally
from tests import announced
from tests.announced import Announced
from tests.builders import MORNING, TUESDAY, feed, paper
from tests.test_commands import Office, Person
from tests.test_search import archive, key

DAYS = [day for n in range(26, -1, -1) if (day := TUESDAY - timedelta(days=n)).weekday() < 5]


@pytest.fixture
def office() -> Iterator[Office]:
    office = Office()
    yield office
    office.thread.close()


def announce(store: Store, day: date, titles: Sequence[str], kind: AnnounceType = AnnounceType.NEW) -> None:
    first = int(f"{day:%m%d}") * 100
    papers = [
        paper(f"26{day:%m}.{first + n:05}", title, categories=("cs.RO" if n % 2 else "cs.LG",))
        for n, title in enumerate(titles)
    ]
    store.archive.store(feed(*papers, day=day, kind=kind), now=MORNING)


def ada_with_a_month(office: Office) -> Person:
    for number, day in enumerate(DAYS[:-1]):
        announce(
            office.store, day, ["Kite flying", *["Multi-agent kites"] * (number // 4), "Kites in flight"]
        )
    return office.person()


def test_a_subject_is_tried_before_it_is_followed(office: Office) -> None:
    ada = ada_with_a_month(office)
    answer = ada.says("/try multi agent")
    assert answer.startswith(
        "multi agent · 30 days until 29 Sep 2026\nAbout 1.7 a day, rising: 32 papers on 19"
    )
    assert "09-03  0  0\n09-07  0  0  1  1  1" in answer
    assert "1  Multi-agent kites" in answer
    assert [button.label for button in ada.buttons][-1] == "Subscribe to this"
    ada.presses("Subscribe to this")
    (saved,) = office.store.chats.subscriptions(1)
    assert (saved.query, saved.title) == ('"multi agent"', "multi agent")


def test_who_follows_what_was_tried_hears_the_same_rate(office: Office) -> None:
    ada = ada_with_a_month(office)
    assert "About 1.7 a day" in ada.says("/try multi agent")
    assert "About 1.7 papers a day." in ada.says("/subscribe multi agent")


def test_only_the_days_that_the_query_names_count(office: Office) -> None:
    ada = ada_with_a_month(office)
    whole, week = ada.says("/try kites"), ada.says("/try kites since:7d")
    assert "30 days until 29 Sep 2026" in whole
    assert "8 days until 29 Sep 2026" in week
    assert "on 6 announcement days" in week
    assert "  0" not in week


def test_meaning_is_for_search_alone(office: Office) -> None:
    ada = ada_with_a_month(office)
    for command in ("/try", "/subscribe", "/trends"):
        answer = ada.says(f"{command} ~kites in flight")
        assert "Search by meaning (“~”) is for /search alone" in answer
        assert "kites in flight" in answer.splitlines()[-1]
    assert office.store.chats.subscriptions(1) == ()


def test_the_picture_says_the_same(office: Office) -> None:
    ada = ada_with_a_month(office)
    ada.says("/try multi agent")
    shown = ada.reply.picture
    assert isinstance(shown, Picture)
    assert shown.png.startswith(b"\x89PNG")
    assert shown.description.endswith("About 1.7 a day, rising.")
    assert shown.bars[-2].startswith("09-28 Mon  4  ███")


def test_what_is_just_not_found_can_be_taken_in(office: Office) -> None:
    ada = ada_with_a_month(office)
    announce(office.store, TUESDAY, ["Multiagent kites"])
    answer = ada.says('/try "multi agent kites"')
    assert (
        "Not found by it, on the same days:\n“multi-agent kites” +1 · with a hyphen or in one word" in answer
    )
    answer = ada.presses("With “multi-agent kites” too")
    assert '"multi agent kite" OR "multi-agent kite" · 30 days' in answer
    assert ": 33 papers on 19 announcement days." in answer


def test_too_much_is_warned_of_and_narrowed_by_a_tap(office: Office) -> None:
    for day in DAYS:
        announce(office.store, day, [*["On wind and kites"] * 30, *["Wind kites"] * 30])
    ada = office.person()
    answer = ada.says("/try wind OR kites")
    assert "More than" not in answer
    assert "That is more than 50 a day, which nobody reads. These find less:" in answer
    assert "(wind OR kite) cat:cs.LG · about 30 a day" in answer
    answer = ada.presses("(wind OR kite) cat:cs.LG")
    assert "About 30 a day, steady" in answer
    assert "nobody reads" not in answer


def test_nothing_found_offers_what_has_something(office: Office) -> None:
    ada = ada_with_a_month(office)
    answer = ada.says("/try kites -flight cat:cs.RO xyzzy")
    assert "It finds none of the" in answer
    assert ada.reply.picture is None
    ada.presses("kite cat:cs.RO · ")
    assert "announcement days." in ada.says("/try kite cat:cs.RO")


def test_an_empty_archive_and_no_words(office: Office) -> None:
    ada = office.person()
    assert "/try diffusion policy" in ada.says("/try")
    office.store.db.execute("delete from announcement")
    assert ada.says("/try rl") == "Nothing is in the archive yet, so there is nothing to try it on."


def test_papers_that_were_only_replaced_do_not_count(office: Office) -> None:
    announce(office.store, TUESDAY, ["Gliders", "Gliders too"], AnnounceType.REPLACE)
    announce(office.store, TUESDAY - timedelta(days=1), ["Gliders"])
    assert ": 1 paper on 2 announcement days." in office.person().says("/try gliders")


def test_a_topic_and_the_exact_words_of_a_button(office: Office) -> None:
    ada = ada_with_a_month(office)
    topic = office.desk and next(iter(ada.suggested("try", "query", "robot")))
    assert topic
    assert "30 days until" in ada.says(f"/try {topic}")


@pytest.mark.parametrize("platform", [Platform.TELEGRAM, Platform.DISCORD, Platform.CONSOLE])
def test_numbers_stand_in_the_text_once(office: Office, platform: Platform) -> None:
    ada_with_a_month(office)
    person = office.person(platform=platform)
    answer = person.says("/try kite flying")
    assert person.reply.picture is not None
    shown = "\n".join((answer, *person.reply.picture.bars)) if platform is Platform.CONSOLE else answer
    assert ("09-07  1  1  1  1  1" in shown) is (platform is not Platform.CONSOLE)
    assert ("09-07 Mon  1  ████" in shown) is (platform is Platform.CONSOLE)


@given(
    st.lists(announced.papers(), min_size=1, max_size=6),
    st.lists(announced.query_texts(), min_size=1, max_size=4),
    st.integers(0, 9),
)
@settings(max_examples=80)
def test_counts_by_day_are_those_of_matching(papers: list[Announced], texts: list[str], apart: int) -> None:
    days = [TUESDAY - timedelta(days=apart * place) for place in range(len(papers))]
    db, index = archive(papers, [key(day, n) for n, day in enumerate(days)]), DayIndex(papers)
    for text in texts:
        try:
            query = as_news(parse(text))
        except QueryError:
            continue
        found = tally(db, query, days[-1], days[0], today=TUESDAY, patience=Patience(lambda: 0.0))
        expected: dict[date, int] = {}
        for place in index.papers(query):
            expected[days[place]] = expected.get(days[place], 0) + 1
        assert found.counts == expected
        assert found.since == days[-1]
    db.close()


def test_counting_stops_when_the_time_is_up() -> None:
    days = [TUESDAY - timedelta(days=30 * back) for back in range(20)]
    papers: list[Announced] = [(Paper(paper("2609.00001").id, 1, "rl"), {}) for _ in days]
    db = archive(papers, [key(day) for day in days])
    ticks = iter(range(100))
    hurry = Patience(lambda: float(next(ticks)), page=1.5)
    found = tally(db, parse("rl"), days[-1], days[0], today=TUESDAY, patience=hurry)
    assert days[-1] < found.since < days[0]
    assert set(found.counts) == {day for day in days if day >= found.since}
    limited = tally(db, parse("rl since:40d until:20d"), days[-1], days[0], today=TUESDAY, patience=hurry)
    assert limited.counts == {days[1]: 1}


def test_who_follows_replaced_papers_is_told_that_digests_have_none(office: Office) -> None:
    ada = office.person()
    told = "A digest brings new and cross-listed papers only"
    assert told in ada.says("/subscribe type:replace rl")
    assert told not in ada.says("/subscribe type:new,cross kites")
    assert told not in ada.says("/subscribe type:replace OR gliders")
