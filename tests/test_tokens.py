"""The one tokeniser: what counts as a word."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scheduler.models import Author, Paper, PaperId, Wording
from scheduler.plurals import singular
from scheduler.tokens import (
    LONGEST,
    SEPARATOR,
    TOKEN_CHARACTERS,
    Run,
    category_tokens,
    document,
    id_tokens,
    name_tokens,
    normalise,
    opaque_token,
    open_runs,
    runs,
    stream,
    token_places,
    tokens,
    written,
)
from tests.random_queries import prose

ANY_TEXT = st.text() | st.text(alphabet="abRL's-/.+#*_ 12ø²化学强é\u0301’–ſıŉΐ") | st.text(alphabet="a-/. '")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("RL", "rl"),
        ("(RL) RL's “RL’s”", "rl rl rl"),
        ("RL-based deep-RL", "rl based deep rl"),
        ("RLHF", "rlhf"),
        ("the early world", "the early world"),
        ("World-Models, world\n  model", "world model world model"),
        ("text-to-speech", "text to speech"),
        ("C++ C++17 C# F# .NET ASP.NET", "c++ c++ 17 c# f# .net asp .net"),
        ("CI/CD and 3D", "ci cd and 3d"),
        ("R² H₂ H₂O x³", "r2 h2 h2o x3"),
        ("GPT-4.5 Qwen2.5-7B 0.1<z<0.95", "gpt 4.5 qwen2.5 7b 0.1 z 0.95"),
        ("π₀ πολιτικός ΠΌΛΙΣ α-divergence", "π0 πολιτικοσ πολισ α divergence"),
        ("Sogaard Søgaard So\u0301gaard ＳＯＧＡＡＲＤ", "sogaard sogaard sogaard sogaard"),
        ("Łukasz Đặng Weiß Ærø Œuvre", "lukasz dang weiss aero oeuvre"),
        ("O'Brien’s d'Alembert users'", "obrien dalembert user"),
        ("A_B_C [v2] {x} a:b x=y", "a b c v2 x a b x y"),
        ("🔥 robots 🤖", "robot"),
        ("强化学习", "强化 学习"),
        ("強化學習", "强化 学习"),
        ("基于RL的方法", "基于 rl 的 方法"),
        ("化学反应 量子化学", "化学 反应 量子 化学"),
        ("강화학습 テスト の", "강화학습 テスト の"),
        ("", ""),
    ],
)
def test_words(text: str, words: str) -> None:
    assert " ".join(tokens(text)) == words


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("policies", "policy"),
        ("models", "model"),
        ("boxes", "box"),
        ("classes", "class"),
        ("losses", "loss"),
        ("batches", "batch"),
        ("caches", "cache"),
        ("approaches", "approach"),
        ("matrices", "matrix"),
        ("analyses", "analysis"),
        ("hypotheses", "hypothesis"),
        ("cameras", "camera"),
        ("llms", "llm"),
        ("gpus", "gpu"),
        ("metrics", "metric"),
        ("sizes", "size"),
        ("databases", "database"),
        ("biases", "bias"),
        ("viruses", "virus"),
    ],
)
def test_plurals_are_folded(plural: str, one: str) -> None:
    assert singular(plural) == one
    assert singular(one) == one


@pytest.mark.parametrize(
    "word",
    [
        "analysis",
        "bias",
        "loss",
        "class",
        "status",
        "physics",
        "gauss",
        "news",
        "series",
        "species",
        "this",
        "gas",
        "bus",
        "rls",
        "dynamics",
        "robotics",
        "mars",
        "chaos",
        "basis",
        "lens",
        "always",
        "organization",
        "across",
    ],
)
def test_what_only_looks_like_a_plural_stays(word: str) -> None:
    assert singular(word) == word


def test_pairs_are_also_indexed_joined_among_their_neighbours() -> None:
    assert stream("deep Multi-Agent RL") == ["deep", "multi", "agent", "rl", ".", "deep", "multiagent", "rl"]
    assert stream("fine-tuned multi-agent")[-3:] == [".", "finetuned", "multiagent"]
    assert "cicd" in stream("CI/CD")


@pytest.mark.parametrize("text", ["state-of-the-art", "pages 5-10", "c++/c#", "a b", "text-to-speech"])
def test_what_nobody_writes_as_one_word_is_not_joined(text: str) -> None:
    assert SEPARATOR not in stream(text)


def test_far_pairs_are_apart() -> None:
    found = stream("multi-agent one two three four five six seven eight pre-training")
    assert " ".join(found).endswith(". multiagent one two three . six seven eight pretraining")


def test_a_query_looks_for_both_spellings_of_a_pair() -> None:
    assert [run.tokens for run in runs("multi-agent RL")] == [("multi", "agent", "rl"), ("multiagent", "rl")]
    assert runs("multiagent") == (Run(("multiagent",)),)
    assert runs("…") == ()
    assert len(runs("a-b c-d e-f g-h i-j")) == 2


def test_a_beginning_that_reaches_into_a_plural_ending_finds_the_word() -> None:
    assert open_runs("polici") == (Run(("polici",), True), Run(("policy",)))
    assert open_runs("diffus")[0] == Run(("diffus",), True)
    assert Run(("multi", "ag"), True) in open_runs("multi-ag")
    assert Run(("multiag",), True) in open_runs("multi-ag")
    assert open_runs("!") == ()


def test_names_keep_their_s() -> None:
    assert name_tokens("Carl Rogers") == ["carl", "rogers"]
    assert name_tokens("Jean-Pierre Serre") == ["jean", "pierre", "serre"]
    assert name_tokens("张伟") == ["张", "伟"] or name_tokens("张伟") == ["张伟"]


def test_a_document_has_each_field() -> None:
    paper = Paper(
        PaperId("math/0309136"),
        1,
        "Multi-agent games",
        authors=(Author("Wei Q. Zhang"), Author("W. Li"), Author("")),
        categories=("cs.SY", "math-ph"),
    )
    words = {"en": Wording("en", tldr="Short words"), "zh": Wording("zh", title="博弈", tldr="化学")}
    found = document(paper, words)
    assert found.ti == "multi agent game . multiagent game . 博弈"
    assert found.abs == "short word . 化学"
    assert found.au.split(f" {SEPARATOR} ")[0] == "wei q zhang w"
    assert found.au.endswith(". w li")
    assert found.cat == "cs.sy cs eess.sy eess math-ph math.mp math"
    assert found.id == "math/0309136 0309136"
    assert found.src == "arxiv"


def test_the_abstract_is_preferred_to_the_short_words() -> None:
    paper = Paper(PaperId("2609.00001"), 1, "T", abstract="Long text")
    zh = Wording("zh", abstract="长文", tldr="短")
    assert document(paper, {"en": Wording("en", tldr="short"), "zh": zh}).abs.startswith("long text . 长")


def test_names_of_ids_and_categories() -> None:
    assert id_tokens("doi:10.1101/2026.01.02") == ["doi:10.1101/2026.01.02", "10.1101/2026.01.02"]
    assert id_tokens("2609.31644") == ["2609.31644"]
    assert id_tokens("url:https://example.org/a?b=c d") == [
        "url:https://example.org/a_b_c_d",
        "https://example.org/a_b_c_d",
    ]
    assert category_tokens(["cs.NA"]) == ["cs.na", "cs", "math.na", "math"]
    assert category_tokens([""]) == []


@given(ANY_TEXT | prose())
@example("\u0130\u0307 ﬀ’ſ")
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(ANY_TEXT)
def test_a_token_is_never_a_separator_and_never_holds_one(text: str) -> None:
    for token in tokens(text):
        assert token
        assert token != SEPARATOR
        assert len(token) <= 2 * LONGEST
        assert all(not each.isascii() or each.isalnum() or each in TOKEN_CHARACTERS for each in token)
        assert not any(each.isspace() for each in token)
        assert token == token.lower() or not token.isascii()


@given(ANY_TEXT | prose())
@example("强" * 100)
@example("x" * 100 + " " + "y.5" * 40)
@example("a'b'c's d-e's/f 0'0")
def test_plain_spelling_keeps_the_tokens(text: str) -> None:
    assert tokens(written(text)) == tokens(text)
    assert written(written(text)) == written(text)
    assert runs(written(text)) == runs(text)


@given(ANY_TEXT)
def test_the_stream_begins_with_the_tokens(text: str) -> None:
    words = tokens(text)
    assert stream(text)[: len(words)] == words


@given(ANY_TEXT)
def test_an_opaque_name_is_one_token(name: str) -> None:
    token = opaque_token(name)
    assert len(token.split()) <= 1
    token.encode()  # SQLite takes no half of a surrogate pair
    assert opaque_token(token) == token


@given(st.text(alphabet="abRL's-/.+# 12ø²化学强") | prose())
def test_places_are_those_of_the_tokens(text: str) -> None:
    split, joined = token_places(text)
    assert [place.token for place in split] == tokens(text)
    for place in (*split, *joined):
        assert 0 <= place.start < place.end <= len(text)
    assert [place.start for place in split] == sorted(place.start for place in split)


def test_places_stand_for_what_was_written() -> None:
    text = "The Søgaard-style H₂ policies, 强化学习"
    split, joined = token_places(text)
    assert [text[place.start : place.end] for place in split] == [
        "The",
        "Søgaard",
        "style",
        "H₂",
        "policies",
        "强化",
        "学习",
    ]
    assert text[joined[1].start : joined[1].end] == "Søgaard-style"


@given(st.text(alphabet="abcdefsuie", min_size=1))
def test_folding_a_plural_twice_changes_nothing_that_matters(word: str) -> None:
    assert singular(word).isalpha()
    assert len(singular(word)) >= min(len(word), 3)


def test_very_long_runs_of_letters_are_cut() -> None:
    assert tokens("x" * 6000) == ["x" * LONGEST]


@given(prose(), prose())
def test_a_blank_parts_words(left: str, right: str) -> None:
    assert tokens(f"{left}\n{right}") == tokens(left) + tokens(right)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cs.SY", "eess.SY"),
        ("math.MP", "math-ph"),
        ("math.IT", "cs.IT"),
        ("math.NA", "cs.NA"),
        ("math.ST", "stat.TH"),
        ("q-fin.EC", "econ.GN"),
    ],
)
def test_a_category_with_two_names_is_found_by_both(one: str, other: str) -> None:
    assert set(category_tokens([one])) == set(category_tokens([other]))
    assert {one.lower(), other.lower()} <= set(category_tokens([one]))
