"""The one query language: what can be said, how it is kept, what is refused and what is suggested instead."""

from __future__ import annotations

import sqlite3
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.errors import QueryError
from scheduler.query import (
    EXAMPLE,
    MAX_LENGTH,
    PROBLEMS,
    And,
    Bound,
    DateLimit,
    Field,
    Join,
    Kind,
    Not,
    Or,
    Problem,
    Query,
    Term,
    categories,
    explain,
    fts,
    is_plain_words,
    looser,
    parse,
    parse_typed,
    phrase_query,
    positive_terms,
)
from scheduler.query.suggesting import LONGEST as LONGEST_SUGGESTION
from scheduler.tokens import LONGEST
from tests.random_queries import query_noise, query_text

TODAY = date(2026, 9, 29)
SIGNS = [
    *(
        "rl",
        "RL's",
        "policies",
        "multi-agent",
        "C++",
        ".NET",
        "CI/CD",
        "3D",
        "H$_2$",
        "强化学习",
        "化学",
        "π₀",
        "ø",
    ),
    *(
        '"',
        "“",
        "」",
        "(",
        ")",
        "（",
        "|",
        "OR",
        "AND",
        "NOT",
        "ANDNOT",
        "or",
        "-",
        "−",
        "*",
        "polic*",
        "ab*",
    ),
    *("ti:", "title: ", "abs:", "au:", "cat:", "id:", "src:", "jr:", "a:b", "cs.LG", "cs.*", "2609.31644v1"),
    *(
        "since:7d",
        "until:2026-09-01",
        "on:today",
        "since:x",
        "sort:relevance",
        "sort:",
        "🔥",
        "\\",
        "{",
        "$",
        ":",
    ),
    *("Zhang, W.", "NEAR(x", "'", ",", "，", "://", "arxiv:", "\x00", "\n", "…"),
]
ANY_QUERY = st.text(max_size=60) | st.lists(
    st.sampled_from(SIGNS) | st.sampled_from([" ", " ", ""]), max_size=14
).map("".join)


def problem_of(text: str) -> QueryError:
    with pytest.raises(QueryError) as caught:
        parse(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("RL", "rl"),
        ("(RL)", "rl"),
        ("attention is all you need", "attention is all you need"),
        ('"Attention is  all you need"', '"attention is all you need"'),
        ("“Diffusion Policies” OR 「强化学习」", '"diffusion policy" OR 强化学习'),
        ("non-invasive glucose", "non-invasive glucose"),
        ("text-to-speech", '"text to speech"'),
        ("a:b", '"a b"'),
        ("C++ .NET CI/CD 3D", "c++ .net ci-cd 3d"),
        ("H$_2$", "h2"),
        (r"S{\o}gaard", "sogaard"),
        ("Søgaard", "sogaard"),
        ("rl -robot", "rl -robot"),
        ("rl NOT robot", "rl -robot"),
        ("rl ANDNOT robot", "rl -robot"),
        ("rl AND NOT (a OR b)", "rl -(a OR b)"),
        ("NOT NOT rl", "rl"),
        ("（强化学习｜RL） －机器人", "(强化学习 OR rl) -机器人"),
        ("a b OR c", "(a b) OR c"),
        ("(a OR b) c", "(a OR b) c"),
        ("a (-b -c)", "a -b -c"),
        ("a | b || c", "a OR b OR c"),
        ("rl and or not", "rl and or not"),
        ('"OR"', "or"),
        ("rl RL Rl", "rl"),
        ("Models", "model"),
        ("Multi-Agents", "multi-agent"),
        ("rl-matrices", "rl-matrices"),
        ("agents-models", "agents-model"),
        ("multi/agent", "multi-agent"),
        ('"the multi-agent-systems"', '"the multi-agent system"'),
        ("State-of-the-Art", '"state of the art"'),
        ('"强化 学习"', "强化学习"),
        ('"强化" 学习', "强化 学习"),
        ("強化學習", "强化学习"),
        ("a-b/c-d", "a-b/c-d"),
        ("type:new", "type:new"),
        ("announced: Cross-List", "type:cross"),
        ("type:replaced rl", "type:replace rl"),
        ("type:new,cross rl", "(type:new OR type:cross) rl"),
        ("type:news", "type:new OR type:cross"),
        ('type:"replace cross"', "type:replace-cross"),
        ("rl -type:cross", "rl -type:cross"),
        ("model OR models", "model"),
        ("diffus*", "diffus*"),
        ('"diffusion polic*"', '"diffusion polic*"'),
        ('"diffusion polic"*', '"diffusion polic*"'),
        ('"A* search"', '"a search"'),
        ("强*", "强*"),
        ("ti:rl title: rl", "ti:rl"),
        ('ti:(rl OR "world model")', 'ti:rl OR ti:"world model"'),
        ("ti:-x y", "-ti:x y"),
        ("all:electron", "electron"),
        ('au:"Wei Zhang"', 'au:"wei zhang"'),
        ('author: "Zhang, W."', 'au:"zhang w"'),
        ("au:Zhang, W. rl", 'au:"zhang w" rl'),
        ("cat:cs.lg", "cat:cs.LG"),
        ("cat:cs.*", "cat:cs"),
        ("cat:cond-mat.STR-EL", "cat:cond-mat.str-el"),
        ("cat:cs.LG,cs.AI", "cat:cs.LG OR cat:cs.AI"),
        ("2609.31644v2", "id:2609.31644"),
        ("https://arxiv.org/abs/1810.04805v2", "id:1810.04805"),
        ("id:math.GT/0309136", "id:math/0309136"),
        ('"2609.31644"', '"2609.31644"'),
        ("rl since:2026/9/1 until:20260930", "rl since:2026-09-01 until:2026-09-30"),
        ("since:2w rl", "rl since:2w"),
        ("rl AND since:7d AND robot", "rl robot since:7d"),
        ("since:7d AND rl", "rl since:7d"),
        ("a OR b on:today", "(a OR b) on:0d"),
        ("sort:relevance rl", "rl sort:relevance"),
        ("sort:newest rl", "rl"),
        ("since:7d", "since:7d"),
        ('"deep learning"-based', '"deep learning" based'),
        ("rl - ", "rl"),
        ('"" rl ( )', "rl"),
        ("🔥 rl", "rl"),
        ("Matching: a study", "matching a study"),
        ("on: the road", "on the road"),
        ('id:"doi:10.1101/2026.01.02"', 'id:"doi:10.1101/2026.01.02"'),
        ("id:doi:10.1101/2026.01.02 rl", 'id:"doi:10.1101/2026.01.02" rl'),
        ('id:"url:https://example.org/a b"', 'id:"url:https://example.org/a_b"'),
        ("(rl -)", "rl"),
        ("强" * 200, "强" * 200),
        ("x" * 200, "x" * LONGEST),
    ],
)
def test_canonical_text(text: str, canonical: str) -> None:
    query = parse(text)
    assert query.canonical == canonical
    assert parse(canonical) == query
    assert parse(canonical).canonical == canonical
    assert query.raw == text


@pytest.mark.parametrize(
    ("text", "problem", "position", "suggestion"),
    [
        ("", Problem.EMPTY, 0, EXAMPLE),
        (" \n", Problem.EMPTY, 0, EXAMPLE),
        ('"attention', Problem.UNCLOSED_QUOTE, 0, '"attention"'),
        ('rl "world model', Problem.UNCLOSED_QUOTE, 3, 'rl "world model"'),
        ("AND OR", Problem.LONE_OPERATOR, 0, '"and" "or"'),
        ("rl OR", Problem.LONE_OPERATOR, 3, "rl"),
        ("| rl", Problem.LONE_OPERATOR, 0, "rl"),
        ("NOT", Problem.LONE_OPERATOR, 0, '"not"'),
        ("rl AND AND x", Problem.LONE_OPERATOR, 3, "rl AND x"),
        ("ti:", Problem.LONE_OPERATOR, 0, "ti:attention"),
        ("(rl", Problem.UNCLOSED_BRACKET, 2, "(rl)"),
        ("NEAR(x", Problem.UNCLOSED_BRACKET, 5, "NEAR(x)"),
        ("(rl AND", Problem.UNCLOSED_BRACKET, 6, "(rl)"),
        ("(rl AND  ", Problem.UNCLOSED_BRACKET, 6, "(rl)"),
        ("((rl OR", Problem.UNCLOSED_BRACKET, 6, "((rl))"),
        ("a OR (b NOT", Problem.UNCLOSED_BRACKET, 10, "a OR (b)"),
        ("(rl AND (x", Problem.UNCLOSED_BRACKET, 9, "(rl AND (x))"),
        ("rl AND)", Problem.LONE_OPERATOR, 3, "rl"),
        ("src:", Problem.LONE_OPERATOR, 0, "src:arxiv"),
        ("rl )", Problem.UNOPENED_BRACKET, 3, "rl"),
        ("🔥", Problem.NO_WORDS, 0, EXAMPLE),
        (":", Problem.NO_WORDS, 0, EXAMPLE),
        ('""', Problem.NO_WORDS, 0, EXAMPLE),
        ("*", Problem.WILDCARD_ONLY, 0, EXAMPLE),
        ("rl *", Problem.WILDCARD_ONLY, 3, "rl"),
        ("ab*", Problem.WILDCARD_SHORT, 0, "ab"),
        ("0'0*", Problem.WILDCARD_SHORT, 0, "0'0"),
        ("rob*t", Problem.WILDCARD_PLACE, 0, "rob t"),
        ("*mer", Problem.WILDCARD_PLACE, 0, "mer"),
        ("-rl", Problem.ONLY_NEGATIVE, 1, "learning -rl"),
        ("a OR -b", Problem.ONLY_NEGATIVE, 6, "a OR b"),
        ("a (-b OR -c)", Problem.ONLY_NEGATIVE, 4, None),
        ("rl -RL", Problem.CONTRADICTION, 4, "rl"),
        ('"multi agents" -agent', Problem.CONTRADICTION, 16, '"multi agents"'),
        ("ti:robots -rob*", Problem.CONTRADICTION, 11, "ti:robots"),
        ("cat:cs.LG NOT cat:cs.lg", Problem.CONTRADICTION, None, "cat:cs.LG"),
        ("(a OR b) -(b OR a)", Problem.CONTRADICTION, None, "(a OR b)"),
        ("rl since:2026-09-10 until:2026-09-01", Problem.DATES_APART, 20, "rl"),
        ("rl since:7d until:30d", Problem.DATES_APART, 12, "rl"),
        ("rl since:2026-13-01", Problem.BAD_DATE, 3, "rl since:7d"),
        ("rl since:soon", Problem.BAD_DATE, 3, "rl since:7d"),
        ("rl OR since:7d", Problem.DATE_PLACE, 6, None),
        ("(rl since:7d)", Problem.DATE_PLACE, 4, None),
        ("rl -since:7d", Problem.DATE_PLACE, None, None),
        ("since:2030 until:2020", Problem.DATES_APART, 11, "since:7d"),
        ("rl after:2026", Problem.UNKNOWN_FIELD, 3, "rl 2026"),
        ("rl sort:stars", Problem.BAD_SORT, 3, "rl sort:relevance"),
        ("rl since:", Problem.NO_DATE, 3, "rl since:7d"),
        ("until: rl", Problem.NO_DATE, 0, "since:7d rl"),
        ("(rl OR ai) -rl -ai", Problem.CONTRADICTION, 16, "(rl OR ai)"),
        ("~robots that play", Problem.MEANING, 0, "robots that play"),
        (" ~ ", Problem.MEANING, 1, EXAMPLE),
        ("sort:stars", Problem.BAD_SORT, 0, f"{EXAMPLE} sort:relevance"),
        ("jr:nature", Problem.UNKNOWN_FIELD, 0, "nature"),
        ("rl type:old", Problem.UNKNOWN_TYPE, 8, "rl type:new"),
        ("type:new,old", Problem.UNKNOWN_TYPE, 9, "type:new,new"),
        ("rl cat:cs.XX", Problem.UNKNOWN_CATEGORY, 7, "rl cat:cs"),
        ("rl cat:zz.ZZ", Problem.UNKNOWN_CATEGORY, 7, "rl"),
        ("(" * 9 + "x" + ")" * 9, Problem.TOO_DEEP, 8, "x"),
        (" ".join(f"w{n}" for n in range(33)), Problem.TOO_MANY_TERMS, None, "w0 w1 w2 w3 w4 w5 w6 w7"),
        ("rl " * 200, Problem.TOO_LONG, MAX_LENGTH, "rl rl rl rl rl rl rl rl"),
        ("x" * 501, Problem.TOO_LONG, MAX_LENGTH, None),
    ],
)
def test_refusals(text: str, problem: Problem, position: int | None, suggestion: str | None) -> None:
    error = problem_of(text)
    assert error.problem == problem
    assert error.problem in PROBLEMS
    assert error.query == text
    if position is not None:
        assert error.position == position
    if suggestion is not None:
        assert error.suggestion == suggestion
    assert parse(error.suggestion)
    assert len(str(error).splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "canonical"),
    [("rl !survey", "rl -survey"), ("rl !(a1 OR b2)", "rl -(a1 OR b2)"), ("rl! robot", "rl robot")],
)
def test_an_exclamation_mark_in_front_excludes(text: str, canonical: str) -> None:
    assert parse(text).canonical == canonical


@pytest.mark.parametrize(
    "text", ["au:O\u0361-40", "au:Jean\u2013Pierre", "au:Jean\u2010Pierre", "au:Jo\u0301-Li"]
)
def test_a_name_with_a_hyphen_is_the_same_read_again(text: str) -> None:
    assert parse(parse(text).canonical) == parse(text)


def test_a_category_whose_words_lie_beyond_all_names_is_none() -> None:
    for text in ("cat:" + "#" * 300 + "x*", "rl cat:" + "=" * 250 + "b"):
        with pytest.raises(QueryError) as caught:
            parse(text)
        assert caught.value.problem == Problem.UNKNOWN_CATEGORY
        parse(caught.value.suggestion)
    assert parse("cat:cs.LG," + "#" * 300 + "x").canonical == "cat:cs.LG"


def test_brackets_that_are_only_written_out_count_too() -> None:
    texts = ["z"]
    for number in range(12):
        texts.append(f"a{number} | b{number} ({texts[-1]})")
    readable = [text for text in texts if not _fault_in(text)]
    assert 3 < len(readable) < 9
    assert {_fault_in(text) for text in texts[len(readable) :]} == {Problem.TOO_DEEP}
    for text in readable:
        assert parse(parse(text).canonical) == parse(text)


def _fault_in(text: str) -> str:
    """What is wrong with a text, "" for one that can be read."""
    try:
        parse(text)
    except QueryError as error:
        parse(error.suggestion)
        return error.problem
    return ""


@pytest.mark.parametrize(
    "text", ["%t\\i:B\x02Ans", "tı:rl", "abſ:rl", "ſince:7d rl", "İd:5", "ſort:x rl", "doİ:1"]
)
def test_letters_that_only_look_like_a_fields_are_words(text: str) -> None:
    assert not parse(text).limits
    assert all(term.field is Field.ANYWHERE for term in positive_terms(parse(text).root))


def test_every_problem_is_tested() -> None:
    marks = test_refusals.pytestmark  # type: ignore[attr-defined]
    assert {case[1] for case in marks[0].args[1]} == PROBLEMS


def test_a_bracket_is_open_after_the_last_sign() -> None:
    for text, last in (("(rl AND", "AND"), ("(rl", "rl"), ("(ti:", "ti:"), ('(a "b c"', "b c")):
        assert problem_of(text).detail == last


def test_500_characters_are_read_or_refused_in_one_line() -> None:
    assert parse(f'"{"word " * 99}"'[:MAX_LENGTH].rstrip() + "")


def read_or_refused(text: str) -> Query | QueryError:
    try:
        return parse(text)
    except QueryError as error:
        return error


@given(ANY_QUERY | query_noise() | query_text())
@settings(max_examples=400)
def test_anything_is_a_query_or_a_refusal_with_a_query_that_works(text: str) -> None:
    query = read_or_refused(text)
    if isinstance(query, QueryError):
        assert query.problem in PROBLEMS
        assert 0 <= query.position <= len(text)
        assert parse(query.suggestion)
        assert len(query.suggestion) <= LONGEST_SUGGESTION
        return
    again = parse(query.canonical)
    assert again == query
    assert again.canonical == query.canonical
    assert list(positive_terms(query.root)) or query.limits
    explain(query)


def table() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.execute(
        "create virtual table paper_text using fts5(ti, abs, au, cat, id, src, content='', "
        """tokenize="ascii tokenchars '+#.-/_:'")"""
    )
    return db


@given(ANY_QUERY | query_noise() | query_text())
@settings(max_examples=150)
def test_fts5_never_refuses_an_expression(text: str) -> None:
    try:
        expression = fts(parse(text))
    except QueryError:
        return
    db = table()
    if expression:
        db.execute("select rowid from paper_text where paper_text match ?", [expression]).fetchall()
    db.close()


def test_nothing_of_a_query_stands_unquoted_in_its_expression() -> None:
    assert fts(parse("rl NEAR* -ti:robots")) == (
        '(({ti abs} : "rl" AND {ti abs} : "near" *) NOT (ti : "robot"))'
    )
    assert fts(parse('au:"Wei Zhang" cat:cs.LG')) == '(au : NEAR("wei" "zhang", 6) AND cat : "cs.lg")'
    assert fts(parse("multi-agent")) == '({ti abs} : "multi agent" OR {ti abs} : "multiagent")'
    assert fts(parse("since:7d")) == ""


def test_the_tree() -> None:
    root = parse('(RL OR "world models") ti:robots -diffus*').root
    assert isinstance(root, And)
    either, robots, without = root.parts
    assert isinstance(either, Or)
    assert isinstance(robots, Term)
    assert isinstance(without, Not)
    assert [part.kind for part in either.parts if isinstance(part, Term)] == [Kind.WORD, Kind.PHRASE]
    assert (robots.field, robots.text, robots.runs[0].tokens) == (Field.TITLE, "robots", ("robot",))
    assert isinstance(without.part, Term)
    assert without.part.kind is Kind.PREFIX


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Diffusion-Policies", "diffusion-policy"),
        ('"world model"', "“World  Models”"),
        ("au:Søgaard", r"author:S{\o}gaard"),
        ("au:Søgaard", "AU:So\u0301gaard"),
        ("強化學習", "强化学习"),
        ("cat:CS.lg", "category:cs.LG"),
    ],
)
def test_equal_queries(text: str, other: str) -> None:
    assert parse(text) == parse(other)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("rl", None, None),
        ("since:7d", date(2026, 9, 22), None),
        ("until:1w", None, date(2026, 9, 22)),
        ("on:today", TODAY, TODAY),
        ("on:yesterday", date(2026, 9, 28), date(2026, 9, 28)),
        ("on:2026-09", date(2026, 9, 1), date(2026, 9, 30)),
        ("since:2026", date(2026, 1, 1), None),
        ("until:2025", None, date(2025, 12, 31)),
        ("since:2m since:2026-09-01", date(2026, 9, 1), None),
        ("since:2026-09-01 until:0d", date(2026, 9, 1), TODAY),
        ("since:1y", date(2025, 9, 29), None),
    ],
)
def test_dates(text: str, first: date | None, last: date | None) -> None:
    assert parse(text).span(TODAY) == (first, last)


def test_a_span_never_leaves_the_calendar() -> None:
    assert parse("since:999y").span(date(200, 1, 1)) == (date.min, None)


def test_plain_words_mean_a_phrase() -> None:
    assert is_plain_words("reinforcement learning")
    assert is_plain_words("attention is all you need")
    for text in (
        "rl",
        "强化学习",
        '"a b"',
        "a OR b",
        "a -b",
        "ti:a b",
        "transf* x",
        "(a b)",
        "a since:7d",
        '"a',
    ):
        assert not is_plain_words(text)
    assert phrase_query("reinforcement  learning").canonical == '"reinforcement learning"'
    assert phrase_query("强化学习").canonical == "强化学习"


def test_categories_that_are_wanted() -> None:
    assert categories(parse("rl (cat:cs.lg OR cat:math) -cat:cs.CV")) == {"cs.LG", "math"}
    assert categories(parse("rl")) == frozenset()


def test_an_explanation_has_the_exclusions_last() -> None:
    found = explain(parse('-robot (rl OR "world models") au:"Wei Zhang" since:7d sort:relevance'))
    assert found.clause is not None
    assert found.clause.join is Join.ALL
    either, name, robot = found.clause.parts
    assert either.join is Join.ANY
    assert [(part.kind, part.text) for part in either.parts] == [
        (Kind.WORD, "rl"),
        (Kind.PHRASE, "world models"),
    ]
    assert (name.kind, name.field, name.text) == (Kind.NAME, Field.AUTHOR, "wei zhang")
    assert (robot.excluded, robot.text) == (True, "robot")
    assert found.limits == (DateLimit(Bound.SINCE, "7d"),)
    assert found.by_relevance
    assert explain(parse("since:7d")).clause is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rl", []),
        ("rl or ai", ["rl OR ai", "rl ai", "rl", "ai"]),
        ("rl robots -survey", ["rl robot", "rl", "robot", "rl OR robot"]),
        ("attention is all you need", ["attention"]),
        ("what is all you need", []),
        (
            "the attention of robots",
            ["attention robot", "attention", "robot", "attention OR robot"],
        ),
        ("ti:rl", ["rl"]),
        ('"world model"', ["world model"]),
        ('"world model" since:7d', ['"world model"', "world model"]),
        ('"2609.00001 model"', ['"2609.00001" model']),
        ('"deep transf*"', ["deep transf*"]),
        ('au:"wei zhang"', []),
        ("since:7d", []),
    ],
)
def test_looser_queries_leave_something_out(text: str, expected: list[str]) -> None:
    assert [near.canonical for near in looser(parse(text))] == expected


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("diffusion pol", "diffusion pol*"),
        ("diffusion po", "diffusion po"),
        ('"diffusion pol"', '"diffusion pol"'),
        ("ti:rob ", "ti:rob*"),
        ("rl OR", "rl"),
        ("rl -", "rl"),
        ("(rl OR world mo", "rl OR (world mo)"),
        ('"deep rei', '"deep rei*"'),
        ('"diff', "diff*"),
        ("(rl", "rl"),
        ("强化学习", "强化学习*"),
    ],
)
def test_what_is_typed_so_far(typed: str, canonical: str) -> None:
    assert parse_typed(typed).canonical == canonical


@given(
    st.lists(
        st.lists(
            st.sampled_from(
                "multi-agent multi/agent Multi-Agents multi agent agents models Model model rl-matrices rl-matrix "
                "State-of-the-art state of the art 强化 学习 强化学习 a-b/c-d GPT-4 gpt4 O'Brien C++-based 5-10".split()
            ),
            min_size=1,
            max_size=5,
        ).map(" ".join),
        min_size=2,
        max_size=12,
    )
)
@settings(max_examples=200)
def test_phrases_that_look_for_the_same_have_one_spelling(phrases: list[str]) -> None:
    spelt: dict[tuple[object, ...], str] = {}
    for phrase in phrases:
        found = phrase_query(phrase)
        assert parse(found.canonical) == found
        assert isinstance(found.root, Term)
        assert spelt.setdefault(found.root.runs, found.canonical) == found.canonical


def test_a_name_with_a_dash_in_it_is_kept_as_it_was_read() -> None:
    for text in ("au:jean--luc", "au:jean-luc", 'au:"li -- wei"'):
        kept = parse(text)
        assert parse(kept.canonical).root == kept.root
    assert parse("au:jean-luc").root != parse("au:jean--luc").root
