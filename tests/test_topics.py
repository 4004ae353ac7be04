"""The catalogue of topics with an operator's own file on top, and what is said of a file that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.config import load_settings
from bot.render.stream import FIELDS
from scheduler import topics
from scheduler.errors import SettingsError, UnknownInput

TIDES = """
# Ours
[[topic]]
key = "tidal-power"
field = "physics"
title_en = "Tidal power"
title_zh = "潮汐能"
description_en = "Turbines under the sea."
description_zh = "海底的涡轮机。"
query = '"tidal power" OR "tidal turbine"'
"""


def own(folder: Path, text: str) -> Path:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_operators_topics_stand_behind_the_shipped_ones(tmp_path: Path) -> None:
    shipped, merged = topics.catalogue(), topics.catalogue(own(tmp_path, TIDES))
    assert merged[:-1] == shipped
    assert merged[-1].key == "tidal-power"
    assert merged[-1].title == {"en": "Tidal power", "zh": "潮汐能"}


def test_an_own_topic_replaces_the_shipped_one_of_its_key_in_its_place(tmp_path: Path) -> None:
    replaced = TIDES.replace("tidal-power", topics.catalogue()[3].key)
    merged = topics.catalogue(own(tmp_path, replaced))
    assert len(merged) == len(topics.catalogue())
    assert merged[3].title["en"] == "Tidal power"


def test_english_stands_in_for_chinese_that_an_operator_leaves_out(tmp_path: Path) -> None:
    short = "\n".join(line for line in TIDES.splitlines() if "_zh" not in line)
    topic = topics.catalogue(own(tmp_path, short))[-1]
    assert topic.title["zh"] == "Tidal power"
    assert topic.description["zh"] == "Turbines under the sea."


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('key = "tidal-power"\n', "", "topic 1 (line 3): key is missing"),
        ('query = \'"tidal power" OR "tidal turbine"\'', "query = ''", "query is missing"),
        ('"tidal-power"', '"Tidal Power"', "small letters, digits and hyphens"),
        ('"tidal-power"', "7", "key is no text in quotes"),
        ('"physics"', '"biology"', "field 'biology' is none of cs, stat, math, physics"),
        ('"tidal power" OR', "cat:cs.XX OR", "unknown category 'cs.XX' at letter"),
        ('"tidal power" OR', "(tidal OR", "unclosed bracket"),
        ("title_zh", "titel_zh", "titel_zh is not known; a topic has key, field"),
        ("[[topic]]", "[topics]", "it has no [[topic]]"),
        ("[[topic]]", "limit = 3\n[[topic]]", "'limit' is no part of a catalogue"),
        ("field =", "field", "it is not TOML: "),
        ("海底", "\ud800", "it is not UTF-8 text"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name_the_place_and_the_reason(
    tmp_path: Path, before: str, after: str, said: str
) -> None:
    assert before in TIDES
    path = tmp_path / "own.toml"
    path.write_bytes(TIDES.replace(before, after, 1).encode("utf-8", "surrogatepass"))
    with pytest.raises(SettingsError) as caught:
        topics.catalogue(path)
    assert str(caught.value).startswith(f"PAPERBOY_TOPICS: {path}: ")
    assert said in str(caught.value)


def test_two_topics_of_one_key_and_the_line_of_the_second(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"'tidal-power' \(line 13\): there is another topic of this key"):
        topics.catalogue(own(tmp_path, TIDES + TIDES))


def test_a_missing_file_names_the_setting_and_a_missing_catalogue_the_release(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"PAPERBOY_TOPICS: .*nowhere\.toml cannot be read: No such file"):
        topics.catalogue(tmp_path / "nowhere.toml")
    with pytest.raises(UnknownInput, match="take it from the release"):
        topics.catalogue(shipped=tmp_path / "nowhere.toml")


def test_a_topic_is_found_by_its_key_and_by_its_title_in_either_language() -> None:
    known = topics.catalogue()
    for name in ("world-models", "World  Models", "世界模型"):
        found = topics.named(known, name)
        assert found is not None
        assert found.key == "world-models"
    assert topics.named(known, "no such topic") is None


def test_every_field_has_a_name_in_the_chat() -> None:
    assert tuple(FIELDS) == topics.FIELDS


def test_the_setting_names_the_file() -> None:
    assert load_settings({"PAPERBOY_TOPICS": "own.toml"}).topics == Path("own.toml")
    assert load_settings({}).topics is None
