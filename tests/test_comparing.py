"""/trends as a person uses it, and how its line is read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.locale import translator
from bot.parts import CAPTION_LIMIT, reply_parts
from scheduler.models import Platform
from scheduler.query.several import several
from tests.builders import TUESDAY
from tests.test_commands import Office, Person
from tests.test_trying import announce

DAYS = [day for n in range(88, 0, -1) if (day := TUESDAY - timedelta(days=n)).weekday() < 5]


@pytest.fixture
def office() -> Iterator[Office]:
    office = Office()
    yield office
    office.thread.close()


@pytest.fixture
def ada(office: Office) -> Person:
    for number, day in enumerate(DAYS):
        announce(office.store, day, ["Kites", "Kites", *["Gliders, balloons"] * (number // 20), "Birds"])
    return office.person()


@pytest.mark.parametrize(
    ("text", "texts", "days"),
    [
        ("a, b, c 90d", ("a", "b", "c"), 90),
        ("a,b", ("a", "b"), None),
        ("rl，强化学习、机器人 3月", ("rl", "强化学习", "机器人"), 90),
        ('"trust, safety", rl 12w', ('"trust, safety"', "rl"), 84),
        ("“trust, safety”; rl", ("“trust, safety”", "rl"), None),
        ("(a, b) OR c, d", ("(a, b) OR c", "d"), None),
        ("rl cat:cs.LG,cs.AI, b", ("rl cat:cs.LG,cs.AI", "b"), None),
        ("cat:cs.LG, cat:cs.AI", ("cat:cs.LG", "cat:cs.AI"), None),
        ("au:Zhang, W., rl", ("au:Zhang, W.", "rl"), None),
        ("a, a,  a", ("a",), None),
        ("", (), None),
        (", ,", (), None),
        ("2y", (), 730),
        ("covid19 1y", ("covid19",), 365),
        ('"open, rl', ('"open, rl',), None),
        ("3d", (), 3),
    ],
)
def test_commas_part_what_is_no_phrase(text: str, texts: tuple[str, ...], days: int | None) -> None:
    assert several(text) == (texts, days)


@given(st.text(alphabet='ab, "()，“”:cat90d', max_size=40))
def test_nothing_is_lost_between_commas(text: str) -> None:
    found = several(text)
    assert all(piece == " ".join(piece.split()) and piece for piece in found.texts)
    letters = [letter for letter in text if letter in "ab"]
    kept = [letter for piece in found.texts for letter in piece if letter in "ab"]
    assert set(kept) <= set(letters)
    assert found.days is not None or set(kept) == set(letters)


def test_subjects_are_compared_over_weeks(ada: Person) -> None:
    answer = ada.says("/trends kites, gliders, “gliders, balloons”, xyzzy")
    lines = answer.splitlines()
    assert lines[:5] == [
        "kites has the most: 2 a day · 90 days until 29 Sep 2026",
        "1 ● kites · 2 a day, steady · 125 papers",
        "2 ■ gliders · 1 a day, rising · 66 papers",
        "3 ▲ gliders, balloons · 1 a day, rising · 66 papers",
        "4 ◆ xyzzy · 0 a day · 0 papers",
    ]
    assert lines[6] == "papers a day, by week"
    assert lines[7].split() == ["1", "2", "3", "4"]
    assert lines[8].split() == ["06-29", "2", "0", "0", "0"]
    assert lines[-2:] == ["09-21    2  2.2  2.2    0", "09-28  1.5  1.5  1.5    0"]


def test_one_that_rises_is_the_finding(ada: Person) -> None:
    answer = ada.says("/trends kites, gliders")
    assert answer.startswith("gliders is rising · 90 days")
    shown = ada.reply.picture
    assert shown is not None
    assert shown.png.startswith(b"\x89PNG")
    assert "“gliders” 1 a day, rising" in shown.description
    assert shown.bars[1].endswith("▆  ■ gliders")


def test_shares_and_spans_are_a_tap_away(ada: Person) -> None:
    ada.says("/trends kites, gliders")
    answer = ada.presses("Share of all papers")
    assert ada.reply.in_place
    assert "% of all papers, steady" in answer or "% of all papers, falling" in answer
    answer = ada.presses("30 days")
    assert "30 days until" in answer
    assert "% of all papers" in answer
    assert [button.label for button in ada.buttons] == ["90 days", "365 days", "Papers a day"]
    assert "90 days until" in ada.presses("90 days")


def test_the_finding_of_one_subject_and_of_chinese(ada: Person) -> None:
    assert ada.says("/trends kites").startswith("kites: 2 a day, steady · 90 days")
    ada.says("/settings lang zh")
    answer = ada.says("/trends kites, 风筝 30d")
    assert "kites最多：每天2篇" in answer
    assert ada.reply.picture is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "What do you want to compare?"),
        ("a,b,c,d,e,f", "at most 5 subjects at once; these are 6."),
        ("rl 5d", "between 7 days and 3 years"),
        ("rl 9y", "between 7 days and 3 years"),
    ],
)
def test_mistakes_are_answered_with_an_example(ada: Person, text: str, said: str) -> None:
    answer = ada.says(f"/trends {text}")
    assert said in answer
    assert answer.endswith('/trends RL, "world model", diffusion policy 90d')


def test_an_unreadable_subject_is_shown_with_its_place(ada: Person) -> None:
    answer = ada.says("/trends rl, (moe")
    assert "a bracket is open" in answer
    assert "(moe\n   ^" in answer


def test_an_empty_archive(office: Office) -> None:
    office.store.db.execute("delete from announcement")
    assert office.person().says("/trends rl") == translator("en")(
        "Nothing is in the archive yet, so there is nothing to compare."
    )


def test_a_comparison_fits_below_its_picture(ada: Person) -> None:
    ada.says("/trends kites, gliders, birds 90d")
    (part,) = reply_parts(ada.reply, Platform.TELEGRAM)
    assert part.picture is not None
    assert len(part.plain) <= CAPTION_LIMIT


def test_who_forgets_the_commas_is_told_of_them(ada: Person) -> None:
    said = "To compare several, write commas between them: /trends RL, VLA"
    assert said in ada.says("/trends kites birds")
    assert said not in ada.says("/trends kites, birds")
    assert said not in ada.says("/trends kites")


def test_nobody_has_the_most_of_nothing(ada: Person) -> None:
    answer = ada.says("/trends xyzzy, zyxxy")
    assert answer.startswith("Nothing found in these days · 90 days")
    ada.says("/settings lang zh")
    assert ada.says("/trends xyzzy").startswith("这些天里什么也没找到")


def test_a_rate_is_that_of_all_days_and_the_numbers_name_their_unit(ada: Person) -> None:
    days = len(DAYS)
    answer = ada.says("/trends kites 90d")
    assert f"{125 / days:.1f}".removesuffix(".0") in answer.splitlines()[1]
    assert "papers a day, by week" in answer
    whole = ada.presses("365 days")
    assert "89 days until 29 Sep 2026" in whole
    assert "papers a day, by week" in whole
    assert "Nothing in the archive is older than 3 Jul 2026." in whole
