"""The catalogue is complete and in step with the code; dates, numbers and lists read well."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from string import Formatter

import pytest

from bot.locale import LANGUAGES, PSEUDO, Translator, catalogue, translator

TUESDAY = date(2026, 9, 29)


def forms(text: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    if isinstance(text, str):
        return (text,)
    return tuple(text or ())


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def translated() -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    for message in catalogue.read():
        if message.id:
            yield forms(message.id), forms(message.string)


def test_the_catalogue_holds_exactly_what_the_code_says() -> None:
    in_code = {forms(message.id) for message in catalogue.extracted() if message.id}
    in_file = {sentences for sentences, _ in translated()}
    assert in_file == in_code, "run: python -m bot.locale"


def test_every_sentence_has_a_translation() -> None:
    assert catalogue.missing(catalogue.read()) == []


def test_the_file_is_as_the_tool_writes_it() -> None:
    fresh = catalogue.brought_up_to_date(catalogue.read(), catalogue.extracted())
    written = catalogue.written(fresh)
    assert catalogue.CATALOGUE.read_bytes() == written, "run: python -m bot.locale"
    assert b"\n#: " not in written
    assert b", fuzzy" not in written


def test_translations_have_the_placeholders_of_their_sentences() -> None:
    wrong = [
        (sentences, words)
        for sentences, words in translated()
        if any(text and placeholders(text) != placeholders(sentences[-1]) for text in words)
    ]
    assert wrong == []


def test_translations_are_chinese_in_chinese_punctuation() -> None:
    """No English comma or full stop stands between Chinese letters."""
    between = re.compile(r"[\u4e00-\u9fff][,.;!?][\u4e00-\u9fff]")
    assert [words for _, words in translated() if any(between.search(text) for text in words)] == []


def test_extraction_sees_calls_in_f_strings_tables_and_methods(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(
        'TABLE = {1: N_("In a table.")}\n'
        "x = f\"<b>{t('In an f-string.')}</b>\"\n"
        'y = visit.t("On an " "attribute.", value=1)\n'
        'z = self.t.n("{count} paper", "{count} papers", 3)\n'
        "w = t(name)\n"
    )
    found = {forms(message.id) for message in catalogue.extracted(tmp_path) if message.id}
    assert found == {
        ("In a table.",),
        ("In an f-string.",),
        ("On an attribute.",),
        ("{count} paper", "{count} papers"),
    }


def test_updating_keeps_translations_and_drops_what_is_gone(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text('t("Kept.")\nt("Gone.")\n')
    known = catalogue.extracted(tmp_path)
    for sentence in ("Kept.", "Gone."):
        message = known.get(sentence)
        assert message is not None
        message.string = "有"
    (tmp_path / "one.py").write_text('t("Kept.")\nt("New.")\n')
    fresh = catalogue.brought_up_to_date(known, catalogue.extracted(tmp_path))
    assert {forms(message.id): message.string for message in fresh if message.id} == {
        ("Kept.",): "有",
        ("New.",): None,
    }
    assert catalogue.missing(fresh) == ["New."]


@pytest.mark.parametrize(
    ("lang", "expected"),
    [
        ("en", ("Tuesday, 29 September 2026", "29 Sep", "29 Sep 2026", "Tue", "Tuesday")),
        ("zh", ("2026年9月29日 星期二", "9月29日", "2026年9月29日", "周二", "星期二")),
    ],
)
def test_dates(lang: str, expected: tuple[str, ...]) -> None:
    t = translator(lang)
    said = (
        t.date(TUESDAY),
        t.short_date(TUESDAY),
        t.short_date(TUESDAY, year=True),
        t.weekday(TUESDAY),
        t.weekday_long(TUESDAY),
    )
    assert said == expected


def test_several_dates_name_each_month_once() -> None:
    days = [date(2026, 9, 28), date(2026, 9, 24), date(2026, 9, 25)]
    assert translator("en").dates(days) == "Thu 24, Fri 25, Mon 28 September"
    assert translator("zh").dates(days) == "9月24日周四、25日周五、28日周一"
    across = [date(2026, 9, 30), date(2026, 10, 1)]
    assert translator("en").dates(across) == "Wed 30 September, Thu 1 October"


def test_numbers_times_and_lists() -> None:
    english, chinese = translator("en"), translator("zh")
    assert english.number(1204) == chinese.number(1204) == "1,204"
    assert english.time(datetime(2026, 9, 29, 8, 5, tzinfo=UTC)) == "08:05"
    assert [english.names(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    assert chinese.names(["a", "b", "c"]) == "a、b和c"
    assert english.either(["a", "b", "c"]) == "a, b or c"
    assert english.n("{count} paper", "{count} papers", 1) == "1 paper"
    assert english.n("{count} paper", "{count} papers", 1204) == "1,204 papers"
    assert chinese.n("{count} paper", "{count} papers", 2) == "2 篇论文"


@pytest.mark.parametrize(
    ("tag", "lang"),
    [("en", "en"), ("zh", "zh"), ("zh-Hans", "zh"), ("zh_CN", "zh"), ("ZH", "zh"), ("fr", "en"), ("", "en")],
)
def test_unknown_languages_are_answered_in_english(tag: str, lang: str) -> None:
    assert translator(tag).lang == lang
    assert lang in LANGUAGES


def test_a_translator_is_made_once() -> None:
    assert translator("zh") is translator("zh")


def test_values_are_data_whatever_they_hold() -> None:
    t: Translator = translator("en")
    assert t("{title} is followed.", title="{braces} %s {0}") == "{braces} %s {0} is followed."


def test_the_pseudo_language_marks_every_sentence() -> None:
    t = translator(PSEUDO)
    assert t("Nothing new") == "⟦Nothing new⟧"
    assert t.n("{count} paper", "{count} papers", 2) == "⟦2 papers⟧"
    assert t.date(TUESDAY) == "⟦Tuesday, 29 September 2026⟧"
