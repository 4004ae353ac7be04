"""The checks: what is sound stays unflagged, what is damaged is caught and named, and no text takes long."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler import seeds
from scheduler.enrich import extract
from scheduler.enrich.checks import check_tldr, check_translation
from scheduler.enrich.figures import differences, figures
from scheduler.enrich.glossary import Glossary
from scheduler.enrich.number_words import english_numbers, han_numbers
from scheduler.models import Flag, Paper, Wording
from scheduler.sources import digests
from tests import damage
from tests.bilingual import SOUND
from tests.builders import SHARED, paper

glossary: Callable[[], Glossary] = cache(seeds.glossary)


def flags_of(source: str, target: str, title: str = "", title_zh: str = "") -> list[tuple[str, str]]:
    found = check_translation(
        paper("2609.40000", title, source), Wording("zh", title_zh, abstract=target), glossary()
    )
    return [(flag.kind, flag.detail) for flag in found]


@pytest.mark.parametrize(("one", "words"), SOUND, ids=lambda each: getattr(each, "id", ""))
def test_a_sound_translation_is_not_flagged(one: Paper, words: Wording) -> None:
    assert check_translation(one, words, glossary()) == ()


@pytest.mark.parametrize(
    ("source", "target", "kind", "detail"),
    [
        ("We label 3.6k frames.", "我们标注了36k帧。", "number", "3.6k → 36k"),
        ("We label 3.6k frames.", "我们标注了3.6帧。", "number", "3.6k → 3.6"),
        ("We label 3.6k frames.", "我们标注了帧。", "number", "3.6k → ?"),
        ("We label frames.", "我们标注了36帧。", "number", "? → 36"),
        ("A model of 7B weights.", "一个7亿权重的模型。", "number", "7B → 7亿"),
        ("It takes 10⁻⁴ of it.", "它占其10⁻³。", "number", "10⁻⁴ → 10⁻³"),
        ("A gain of 80% in yield.", "产率提高了80。", "percent", "80% → 80"),
        ("A gain of 1.85× in speed.", "速度提高了1.85美元。", "money", "1.85× → 1.85美元"),
        ("It recovers 87–94% of it.", "它恢复了87美元至94%。", "money", "87 → 87美元"),
        ("A flight costs $5 now.", "现在一次飞行花费5。", "money", "$5 → 5"),
        ("It answers in 5 ms now.", "现在它在5秒内回答。", "unit", "5 ms → 5秒"),
        ("We beat GRPO by far.", "我们远胜该方法。", "name", "GRPO → ?"),
        ("We beat Qwen3-8B by far.", "我们远胜该模型。", "name", "Qwen3-8B → ?"),
        ("We beat DiffusionRFT here.", "我们在此胜过扩散RFT。", "name", "DiffusionRFT → RFT"),
        ("We beat the rest by far.", "我们远胜其余的Coloc。", "name", "? → Coloc"),
        ("See https://a.example/x for it.", "见该网站。", "url", "https://a.example/x → ?"),
        ("See the page for it.", "见 https://b.example 页面。", "url", "? → https://b.example"),
        ("The rate of L is fast.", "\\mathcal{L}的速率很快。", "tex", "? → \\mathcal{L}的速率很快"),
        ("The rate √n is fast.", "该速率很快。", "tex", "√ → ?"),
        (
            "The rate f(n) of order h is fast.",
            "该速率 f(n)% 很快，阶为 h。",
            "tex",
            "? → 该速率 f(n)% 很快，阶为 h",
        ),
        ("We explore it at length here.", "翻译失败", "refusal", "“翻译失败”"),
        ("We explore it at length here.", "抱歉，我无法翻译这段话。", "refusal", "“抱歉，我”"),
        (
            "We explore it at length here.",
            "We explore it at length here.",
            "untranslated",
            "“We explore it at length here.”",
        ),
        ("A policy for kites.", "一种风筝的政策。", "terminology", "policy → 政策"),
        (
            "We run it on Safety-Gymnasium.",
            "我们在安全体育馆上运行它。",
            "terminology",
            "safety gymnasium → 安全体育馆",
        ),
    ],
)
def test_each_kind_of_fault_is_named(source: str, target: str, kind: str, detail: str) -> None:
    assert (kind, detail) in flags_of(source, target)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Three of 12 robots fell; 3.6k frames.", "12台机器人中有三台倒下；3600帧。"),
        ("It has 1.2 million rows and 7B weights.", "它有120万行和70亿权重。"),
        ("From 52.5% to 58.5%, by 6.0 points.", "从52.5%升至58.5%，提高6.0个百分点。"),
        ("It halves the cost of 50% of runs.", "它使一半运行的成本减半。"),
        ("It is 80% faster and 3x smaller.", "它快八成，体积缩小到三分之一。"),
        ("We use 3D scans with 6-DoF grasps in 2026.", "我们在2026年使用三维扫描和6自由度抓取。"),
        ("It has a macro-F1 of 63.3% and image-to-3D steps.", "其宏观F1为63.3%，并有图像到三维的步骤。"),
        ("RL for LLMs on AI tasks.", "面向人工智能任务的大语言模型强化学习。"),
        ("Public policy and the policy of agents.", "公共政策与智能体的策略。"),
        ("We train long short-term memory networks.", "我们训练LSTM网络。"),
        ("REstoring Old Paintings (REOP) works.", "修复旧画（REOP）有效。"),
        ("Two settings: SHORT TURN and LONG TURN.", "两种设置：短回合和长回合。"),
    ],
)
def test_another_way_to_say_the_same_is_no_fault(source: str, target: str) -> None:
    assert flags_of(source, target) == []


def test_the_name_before_a_titles_colon_is_kept_in_title_and_abstract() -> None:
    title, source = "Echo: Hearing Walls", "Robots bump. We build Echo, which hears walls."
    assert flags_of(source, "机器人会碰撞。我们构建了Echo，它能听见墙。", title, "Echo：听见墙") == []
    lost = flags_of(source, "机器人会碰撞。我们构建了回声，它能听见墙。", title, "回声：听见墙")
    assert lost == [("name", "Echo → ?"), ("name", "Echo → ?")]
    assert flags_of("It sails.", "它航行。", "Humanoid Sailing: A Study", "人形机器人航海：一项研究") == []
    assert flags_of("It sails.", "它航行。", "Mr.Wind: A Study", "风先生：一项研究") == [
        ("name", "Mr.Wind → ?")
    ]


def test_a_superscript_belongs_to_the_name_before_a_titles_colon() -> None:
    title, source = "Q² Tides: Rising Twice", "The sea rises. We build Q² Tides, which rises twice."
    target = "海会上涨。我们构建了Q² Tides，它上涨两次。"
    assert flags_of(source, target, title, "Q² Tides：上涨两次") == []
    assert flags_of(source, target, title, "Q² 潮汐：上涨两次") == [("name", "Q² Tides → ?")]


def test_an_acronym_that_is_something_else_in_most_places_is_named() -> None:
    source = "We study BAR. BAR is deep, so BAR pays. Many like BAR, and BAR likes them."
    assert flags_of(source, "我们研究BAR。酒吧很深，因此酒吧有回报。许多人喜欢BAR，酒吧也喜欢他们。") == [
        ("name", "BAR → ?")
    ]
    assert flags_of(source, "我们研究BAR。BAR很深，因此它有回报。许多人喜欢BAR，BAR也喜欢他们。") == []
    often = "An LLM asks an LLM. The LLM answers, and LLM by LLM they learn what an LLM is."
    assert flags_of(often, "一个LLM询问另一个。它回答，它们逐一学习自己是什么。") == []


def test_a_title_about_a_kind_of_thing_names_nothing() -> None:
    source = "We survey LLM agents and what RL does for them."
    assert (
        flags_of(
            source,
            "我们综述大语言模型智能体以及强化学习对它们的作用。",
            "LLM Agents: A Survey",
            "大语言模型智能体：综述",
        )
        == []
    )
    assert (
        flags_of(
            source, "我们综述大语言模型智能体以及强化学习对它们的作用。", "RL: A Survey", "强化学习：综述"
        )
        == []
    )


def test_a_longer_right_rendering_hides_a_wrong_one_inside_it() -> None:
    """代理 is inside no term here, but 政策 is inside 公共政策: a text with both terms is judged for each."""
    source = "A public policy, and a policy that is learned."
    assert flags_of(source, "一项公共政策，以及学习得到的策略。") == []
    assert flags_of(source, "一项公共政策，以及学习得到的政策。") == [("terminology", "policy → 政策")]


RATES: dict[damage.Damage, float] = {
    damage.digit_changed: 1.0,
    damage.number_dropped: 1.0,
    damage.decimal_moved: 1.0,
    damage.percent_dropped: 1.0,
    damage.name_replaced: 1.0,
    damage.truncated: 1.0,
    damage.left_in_english: 1.0,
    damage.doubled: 0.95,
    damage.sentence_dropped: 0.9,
}


def caught(one: Paper, words: Wording, damaged: str) -> bool:
    found = check_translation(one, replace(words, abstract=damaged), glossary())
    return any(flag.kind != "terminology" for flag in found)


@pytest.mark.parametrize("kind", damage.DAMAGES, ids=lambda kind: kind.__name__)
def test_damage_to_sound_translations_is_caught(kind: damage.Damage) -> None:
    tried = [
        caught(one, words, damaged)
        for number in range(10)
        for one, words in SOUND
        if (damaged := kind(one.abstract, words.abstract, random.Random(number)))
        not in (None, words.abstract)
        and damaged is not None
    ]
    assert len(tried) >= 30
    assert sum(tried) / len(tried) >= RATES[kind]


def test_two_sentences_made_one_are_not_a_missing_one() -> None:
    for one, words in SOUND:
        parts = words.abstract.split("。")
        for place in range(len(parts) - 2):
            joined = "。".join([*parts[:place], f"{parts[place]}，{parts[place + 1]}", *parts[place + 2 :]])
            kinds = {
                flag.kind for flag in check_translation(one, replace(words, abstract=joined), glossary())
            }
            assert "missing" not in kinds, (one.id, place)


# --- TL;DR


KITES = SOUND[0][0]


@pytest.mark.parametrize(
    ("tldr", "kind", "detail"),
    [
        ("KiteRL learns from 36k demonstrations.", "number", "? → 36k"),
        ("KiteRL stays aloft in 240% of trials.", "percent", "? → 240%"),
        ("KiteRL beats DreamerV3 with 3.6k demonstrations.", "name", "? → DreamerV3"),
        ("See https://evil.example now.", "url", "? → https://evil.example"),
        ("It flies and it flies and it flies and it flies and it flies and it flies.", "repeated", ""),
        ("I'm sorry, I cannot summarize this.", "refusal", "“I'm sorry”"),
        ("KiteRL costs $8 a flight.", "money", "? → $8"),
        ("Learns \\textbf{kites}.", "tex", ""),
    ],
)
def test_what_a_tldr_adds_is_named(tldr: str, kind: str, detail: str) -> None:
    found = check_tldr(KITES, tldr)
    assert [flag.field for flag in found] == ["tldr"] * len(found)
    assert any(flag.kind == kind and detail in flag.detail for flag in found), found


@pytest.mark.parametrize(
    ("tldr", "lang"),
    [
        ("KiteRL learns from 3,600 demonstrations and beats PPO by 12.4 points.", "en"),
        ("KiteRL从3.6k次示范和120万次模拟飞行中学习，升空率达87.5%，比PPO高12.4个百分点。", "zh"),
        ("KiteRL learns with L2 losses.", "en"),
        ("RL policy with 7B parameters at 50 Hz, a fourth of the samples.", "en"),
    ],
)
def test_what_a_tldr_leaves_out_is_its_business(tldr: str, lang: str) -> None:
    assert check_tldr(replace(KITES, abstract=f"{KITES.abstract} The L₂ loss is used."), tldr, lang) == ()


@pytest.mark.parametrize(("one", "words"), SOUND, ids=lambda each: getattr(each, "id", ""))
def test_an_extract_adds_nothing(one: Paper, words: Wording) -> None:
    assert check_tldr(one, extract.tldr(one.title, one.abstract)) == ()


# --- numbers in words


def test_numbers_in_words() -> None:
    assert {42, 40, 2, 200} <= english_numbers("forty-two of two hundred")
    assert {12, 10, 2} <= english_numbers("a dozen, ten and twice")
    assert {360, 1_200_000, 0} <= {*han_numbers("三百六十和一百二十万"), 0}
    assert {80, 50} <= han_numbers("八成和一半")
    assert han_numbers("三点五") == {
        han for han in han_numbers("三点五") if han in (3, 5) or str(han) == "3.5"
    }


def test_digits_of_names_are_no_figures() -> None:
    assert [one.text for one in figures("GPT-6 and Qwen3.8-27B on H20 with top-5 of 30 runs")] == ["5", "30"]
    assert [one.value for one in figures("12,534 and 1,024,000 and 0.85")] == [
        12534,
        1024000,
        figures("0.85")[0].value,
    ]


@given(st.integers(10, 10**9), st.integers(1, 9))
def test_any_number_with_another_digit_is_a_difference(number: int, step: int) -> None:
    text = str(number)
    other = str((int(text[0]) + step - 1) % 9 + 1) + text[1:]
    assert bool(differences(f"It has {text} parts.", f"它有{other}个部分。")) is (other != text)
    assert differences(f"It has {text} parts.", f"它有{text}个部分。") == ()


# --- cost and robustness


HOSTILE = (
    "a" * 10,
    "A-a-",
    "1,111,",
    "1.1.1.",
    "$1 ",
    "GPT-4.",
    "(((",
    "百分之",
    "三百",
    "https://a.",
    "the of and to ",
    "we fly. ",
    "Ab",
    "\\a{",
    "1 to ",
    "A1.",
)


def test_a_thousand_lost_names_take_no_longer_than_others() -> None:
    text = " ".join(f"Net{number}B of {number}.{number}k" for number in range(3000))
    start = time.process_time()
    check_translation(
        paper("2609.40000", "Kite", text), Wording("zh", "风筝", abstract="风筝。" * 50), glossary()
    )
    assert time.process_time() - start < 5


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        one, words = (
            paper("2609.40000", "Kite: a study", text),
            Wording("zh", "风筝", abstract=text[::-1] + text),
        )
        start = time.process_time()
        check_translation(one, words, glossary())
        check_tldr(one, text, "zh")
        return time.process_time() - start

    short, long = min(seconds(2_000) for _ in range(3)), seconds(16_000)
    assert long < max(24 * short, 0.5)


@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=80))
@settings(max_examples=200)
def test_any_text_is_checked_without_an_exception(source: str, target: str, title: str) -> None:
    one = paper("2609.40000", title, source)
    assert all(
        isinstance(flag, Flag)
        for flag in check_translation(one, Wording("zh", target, "", target), glossary())
    )
    check_tldr(one, target, "en")


# --- the shared digest


SHARED_RATES: dict[damage.Damage, float] = {
    damage.digit_changed: 0.98,
    damage.number_dropped: 0.88,
    damage.decimal_moved: 0.98,
    damage.percent_dropped: 0.9,
    damage.name_replaced: 0.82,
    damage.truncated: 1.0,
    damage.left_in_english: 1.0,
    damage.doubled: 0.97,
    damage.sentence_dropped: 0.9,
}
"""At least so much of the damage is caught; what is not is mostly a number or name that stands elsewhere too."""


@pytest.mark.shared
@pytest.mark.parametrize("kind", damage.DAMAGES, ids=lambda kind: kind.__name__)
def test_damage_to_the_shared_digests_sound_translations_is_caught(kind: damage.Damage) -> None:
    found = next(iter(sorted((SHARED / "seeds").glob("002*"))), None)
    if found is None:
        pytest.skip(f"needs {SHARED}/seeds")
    rng = random.Random(7)
    tried = []
    for entry in digests.parse(found.read_bytes()).entries:
        one, words = entry.paper, entry.wordings[-1]
        if not words.abstract or caught(one, words, words.abstract):
            continue
        damaged = kind(one.abstract, words.abstract, rng)
        if damaged is not None and damaged != words.abstract:
            tried.append(caught(one, words, damaged))
    assert len(tried) >= 30
    assert sum(tried) / len(tried) >= SHARED_RATES[kind]


@pytest.mark.shared
def test_what_editors_wrote_is_not_doubted() -> None:
    """The words in seeds/papers.jsonl are people's, made from abstracts that only the shared digest has."""
    found = next(iter(sorted((SHARED / "seeds").glob("002*"))), None)
    if found is None:
        pytest.skip(f"needs {SHARED}/seeds")
    papers = {entry.paper.id: entry.paper for entry in digests.parse(found.read_bytes()).entries}
    written = [
        (papers[key], word)
        for _, words in seeds.read_papers()
        for key in words
        if key in papers
        for word in words[key]
    ]
    assert len(written) > 150
    doubted = [one.id for one, word in written if word.tldr and check_tldr(one, word.tldr, word.lang)]
    doubted += [one.id for one, word in written if word.title and check_translation(one, word, glossary())]
    assert len(doubted) <= 2


@pytest.mark.shared
def test_the_shared_digests_damage_is_found_quickly() -> None:
    found = next(iter(sorted((SHARED / "seeds").glob("002*"))), None)
    if found is None:
        pytest.skip(f"needs {SHARED}/seeds")
    read = digests.parse(found.read_bytes())
    start = time.process_time()
    flagged = {
        entry.paper.id
        for entry in read.entries
        for word in entry.wordings
        if any(flag.kind != "terminology" for flag in check_translation(entry.paper, word, glossary()))
    }
    assert time.process_time() - start < 2
    assert len(read.entries) == 144
    assert 20 <= len(flagged) <= 28
