"""Digests in a chat: pages that are one message everywhere, the compact list, their buttons."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.locale import translator
from bot.markup import Block, LineKind, dialect_for, pack, visible
from bot.ports import ACTION_LIMIT
from bot.render.digest import digest_compact, digest_pages, nothing_new, page_keyboard
from bot.render.view import View
from scheduler import calendar
from scheduler.models import (
    AnnounceType,
    Author,
    Digest,
    Match,
    Paper,
    PaperId,
    Platform,
    Section,
    Wording,
)
from tests.sample_digest import GRADIENTS, MONDAY, SAMPLE, TUESDAY, entry, large

BOTH = (Platform.TELEGRAM, Platform.DISCORD)
PLAIN = dialect_for(Platform.CONSOLE)


def view(content: str = "en", zone: str = "Asia/Shanghai", lang: str = "en") -> View:
    return View(lang, content, zone, Platform.TELEGRAM)


def said(blocks: tuple[Block, ...]) -> str:
    return "\n".join(visible(packed, PLAIN) for packed in pack(blocks, PLAIN))


def first_page(digest: Digest, seen_by: View) -> list[str]:
    return said(digest_pages(digest, seen_by)[0].blocks).split("\n")


@pytest.mark.parametrize("count", [1, 10, 11, 18, 144])
@pytest.mark.parametrize("content", ["en", "zh", "both"])
def test_every_page_is_one_message_with_at_most_ten_papers(count: int, content: str) -> None:
    digest = large(count, languages=2)
    pages = digest_pages(digest, view(content))
    assert [paper for page in pages for paper in page.papers] == list(digest.papers)
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    for page in pages:
        assert 1 <= len(page.papers) <= 10
        for platform in BOTH:
            assert len(pack(page.blocks, dialect_for(platform))) == 1


@pytest.mark.parametrize("content", ["en", "both"])
def test_titles_are_never_cut_and_short_texts_neither(content: str) -> None:
    digest = large(20, title_letters=240, tldr_letters=900, languages=2)
    pages = digest_pages(digest, view(content))
    text = "\n".join(said(page.blocks) for page in pages)
    for paper in digest.papers:
        assert paper.paper.title in text
    assert "A trimmer trained on simulated regattas beats a human crew in light wind." in said(
        digest_pages(SAMPLE, view())[0].blocks
    )


def test_a_tldr_is_cut_between_words_and_only_as_far_as_the_page_needs() -> None:
    few, many = (first_page(large(count, tldr_letters=900), view()) for count in (3, 10))
    cut = [[line for line in page if line.startswith("seven letters")] for page in (few, many)]
    assert all(line.endswith(("seven…", "letters…")) for lines in cut for line in lines)
    assert all(240 < len(line) <= 280 for line in cut[0])
    assert all(len(line) < 280 for line in cut[1])


def test_long_titles_make_smaller_pages_rather_than_cut_ones() -> None:
    pages = digest_pages(large(10, title_letters=900), view())
    assert len(pages) > 1
    assert sum(len(page.papers) for page in pages) == 10


titles = st.one_of(
    st.text(min_size=1, max_size=120),
    st.text("*_[]()<>&`~|\\#@:/. a中", min_size=1, max_size=200),
)


@given(st.lists(st.tuples(titles, st.text(max_size=600), titles), min_size=1, max_size=14))
def test_whatever_papers_hold_a_page_is_one_message(rows: list[tuple[str, str, str]]) -> None:
    papers = tuple(
        entry(
            number,
            Paper(
                PaperId(f"2609.{number:05}"), 1, title, authors=(Author(name),) * 66, categories=("cs.AI",)
            ),
            wordings={"en": Wording("en", tldr=tldr), "zh": Wording("zh", title=name, tldr=tldr)},
        )
        for number, (title, tldr, name) in enumerate(rows, start=1)
    )
    digest = Digest((TUESDAY,), 20, (Section(rows[0][0], "q", papers),))
    pages = digest_pages(digest, view("both"))
    assert [paper.number for page in pages for paper in page.papers] == list(range(1, len(rows) + 1))
    for page in pages:
        for platform in BOTH:
            assert len(pack(page.blocks, dialect_for(platform))) == 1


def test_the_head_tells_both_clocks() -> None:
    assert first_page(SAMPLE, view())[:2] == [
        "📬 Tuesday, 29 September 2026",
        "Announced Mon 20:00 New York, 08:00 for you · 4 for you of 1,204, all received",
    ]
    assert first_page(SAMPLE, view(zone="America/New_York"))[1].startswith("Announced Mon 20:00 New York · ")
    assert ", 17:00 for you" in first_page(SAMPLE, view(zone="America/Los_Angeles"))[1]
    assert ", 14:00 for you" in first_page(SAMPLE, view(zone="Pacific/Kiritimati"))[1]


def test_the_list_of_monday_is_announced_on_sunday() -> None:
    monday = replace(SAMPLE, dates=(date(2026, 9, 28),))
    # The list dated Monday is announced on Sunday evening: in Honolulu that is Sunday afternoon.
    assert (
        "Announced Sun 20:00 New York, 14:00 for you" in first_page(monday, view(zone="Pacific/Honolulu"))[1]
    )


def test_an_incomplete_day_says_so() -> None:
    assert first_page(replace(SAMPLE, complete=False), view())[1].endswith("1,204, more may follow")


def test_several_days_in_one() -> None:
    days = (date(2026, 9, 24), date(2026, 9, 25), date(2026, 9, 28))
    assert first_page(replace(SAMPLE, dates=days), view())[:2] == [
        "📬 3 days in one: Thu 24, Fri 25, Mon 28 September",
        "4 for you of 1,204, all received",
    ]


def test_a_later_page_says_where_it_is_and_goes_on_with_its_section() -> None:
    second = digest_pages(large(18), view())[1]
    lines = said(second.blocks).split("\n")
    assert lines[0] == "📬 Tuesday, 29 September 2026 · page 2"
    assert lines[2] == "reinforcement learning · 18, continued"
    assert lines[3].startswith("11  Paper 11")


def test_sections_open_cards_and_say_what_stands_elsewhere() -> None:
    blocks = digest_pages(SAMPLE, view())[0].blocks
    headings = [block.lines[0].text for block in blocks if block.lines[0].kind is LineKind.HEADING]
    assert headings[1:] == [
        "reinforcement learning · 3",
        "sailing · 1 (1 also under reinforcement learning)",
        "diffusion policy · 1",
    ]
    assert all(block.opens_card for block in blocks if block.lines[0].kind is LineKind.HEADING)


def test_late_papers_are_marked_and_counted() -> None:
    lines = first_page(SAMPLE, view())
    assert any(line.endswith("withdrawn · late, of 28 Sep") for line in lines)
    assert "+1 that arrived late for Monday" in lines


def test_untranslated_papers_are_counted_for_who_wants_chinese() -> None:
    assert not any("Not translated" in line for line in first_page(SAMPLE, view("en")))
    assert "Not translated today: 3 of 4" in first_page(SAMPLE, view("zh"))


def test_a_missing_language_falls_back_to_the_other() -> None:
    chinese_only = {"zh": Wording("zh", tldr="只有中文。")}
    digest = Digest((TUESDAY,), 1, (Section("s", "s", (entry(1, GRADIENTS, wordings=chinese_only),)),))
    assert "只有中文。" in first_page(digest, view("en"))
    assert "Extends A* with stars." in first_page(SAMPLE, view("zh"))


def test_a_replacement_names_its_version() -> None:
    paper = entry(1, replace(GRADIENTS, version=3), announce_type=AnnounceType.REPLACE)
    digest = Digest((TUESDAY,), 1, (Section("s", "s", (paper,)),))
    assert any(line.endswith("· version 3") for line in first_page(digest, view()))


def test_what_matched_is_told_where_the_section_does_not_say_it() -> None:
    told = entry(1, GRADIENTS, match=Match(("abstract",), ("policy gradient", "rl")))
    digest = Digest((TUESDAY,), 1, (Section("RL", "rl", (told,)),))
    assert "found by policy gradient, rl (abstract)" in first_page(digest, view())
    plain = entry(1, GRADIENTS, match=Match(("abstract",), ("rl",)))
    digest = Digest((TUESDAY,), 1, (Section("RL", "rl", (plain,)),))
    assert not any("found by" in line for line in first_page(digest, view()))


def test_a_category_is_no_word_that_was_found_unless_it_is_all_that_was_looked_for() -> None:
    def shown(fields: tuple[str, ...], words: tuple[str, ...]) -> str:
        paper = entry(1, GRADIENTS, match=Match(fields, words))
        section = Section("sailing", "sail", (paper,))
        return "\n".join(first_page(replace(SAMPLE, sections=(section,)), view()))

    assert "found by policy gradient (title)" in shown(("title", "categories"), ("cs.LG", "policy gradient"))
    assert "found by cs.LG (categories)" in shown(("categories",), ("cs.LG",))


def test_a_digest_without_papers_is_one_page() -> None:
    (page,) = digest_pages(Digest((TUESDAY,), 0, ()), view())
    assert page.papers == ()
    assert said(page.blocks).startswith("📬 Tuesday, 29 September 2026")


def test_the_keyboard_opens_papers_and_turns_pages_round() -> None:
    t = translator("en")
    pages = digest_pages(large(24), view())
    first, last = (page_keyboard("day-2026-09-29", page, len(pages), t) for page in (pages[0], pages[-1]))
    assert [button.short for button in first.choices] == [str(number) for number in range(1, 11)]
    assert first.choices[0].label.startswith("1 · Paper 1")
    assert first.choices[0].action == "c:1:2609.00001|day-2026-09-29"
    assert [(button.label, button.action) for button in first.rows[0]] == [
        ("◀", "d:day-2026-09-29:3"),
        ("1/3", "d:day-2026-09-29:1"),
        ("▶", "d:day-2026-09-29:2"),
    ]
    assert last.rows[0][2].action == "d:day-2026-09-29:1"
    buttons = [*first.choices, *first.rows[0]]
    assert all(len(button.action.encode()) <= ACTION_LIMIT for button in buttons)
    assert all(len(button.label) <= 80 for button in buttons)


def test_one_page_needs_no_turning() -> None:
    (page,) = digest_pages(SAMPLE, view())
    ((whole, settings),) = page_keyboard("x", page, 1, translator("en")).rows
    assert (whole.label, whole.action) == ("Whole digest as a page", "whole:x")
    assert (settings.label, settings.action) == ("Settings", "settings")


def test_the_compact_list_holds_every_paper_with_one_line_each() -> None:
    digest = large(144)
    blocks = digest_compact(digest, view())
    for platform in BOTH:
        dialect = dialect_for(platform)
        text = "\n".join(visible(packed, dialect) for packed in pack(blocks, dialect))
        places = [text.index(paper.paper.title) for paper in digest.papers]
        assert places == sorted(places)
    papers = [block for block in blocks if any(line.text.startswith("1  ") for line in block.lines)]
    assert [len(block.lines) for block in papers] == [3]  # the section's heading, the title, one line


def test_numbers_link_into_a_private_card_where_the_bot_can_be_reached() -> None:
    there = replace(view(), start_link="https://t.me/paperboy_example_bot?start=")
    number = digest_compact(SAMPLE, there)[1].lines[1].spans[0]
    assert number.text == "1"
    assert number.url == "https://t.me/paperboy_example_bot?start=pMjYwOS4wMDAwMQ"
    assert View.started_paper("pMjYwOS4wMDAwMQ") == "2609.00001"
    assert View.started_paper("hello") is None


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (datetime(2026, 9, 29, 14, tzinfo=UTC), "Nothing new. The next announcement comes Wed 08:00."),
        (datetime(2026, 10, 2, 14, tzinfo=UTC), "Nothing new. The next announcement comes Mon 08:00."),
    ],
)
def test_nothing_new_names_the_next_announcement_on_the_readers_clock(now: datetime, expected: str) -> None:
    assert said((nothing_new(view(), calendar.next_day(now)),)) == expected


def test_papers_keep_their_day_in_a_late_digest() -> None:
    papers = tuple(entry(n, GRADIENTS, late=True, date=MONDAY) for n in (1, 2))
    digest = Digest((MONDAY,), 3, (Section("s", "s", papers),))
    assert "+2 that arrived late for Monday" in first_page(digest, view())
