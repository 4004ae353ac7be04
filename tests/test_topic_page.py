"""/topic and `paperboy topic`: a topic's description and its papers, newest first, with why each is there."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from bot.markup import dialect_for, pack
from bot.render.html import digest_html
from bot.render.stream import stream_html, stream_markdown, stream_text, topic_stream
from bot.render.topic import topic_blocks
from bot.render.view import View
from scheduler import query, stream, topics
from scheduler.models import AnnounceType, Flag, Platform, Wording
from scheduler.store import Store
from scheduler.topics import Topic
from tests.builders import MORNING, TUESDAY, feed, memory_store, paper
from tests.sample_digest import SAMPLE
from tests.test_cli import Paperboy as Shell
from tests.test_cli import paperboy as paperboy
from tests.test_commands import Office, Person
from tests.test_commands import ada as ada
from tests.test_commands import office as office

WORLDS = next(topic for topic in topics.catalogue() if topic.key == "world-models")
MANY = 20


@pytest.fixture
def store() -> Store:
    store = memory_store()
    for age in range(MANY):
        one = paper(
            f"2609.{age:05}",
            f"World model no. {age}",
            "We present a world model of boats. It improves steering by 12%.",
            authors=("Ana Müller", "Bo Sand", "Cy Andr"),
        )
        store.archive.store(feed(one, day=TUESDAY - timedelta(days=age)), now=MORNING)
    crossed = paper("2608.00001", "A latent thing", "About a latent world model.", version=2)
    words = {crossed.id: (Wording("zh", "潜在之物", "关于潜在世界模型。"),)}
    late = feed(crossed, day=TUESDAY - timedelta(days=MANY), category="cs.RO", kind=AnnounceType.CROSS)
    store.archive.store(late, now=MORNING, wordings=words)
    store.archive.store(feed(paper("2609.99999", "Nothing to do with it")), now=MORNING)
    return store


def view(content: str = "both") -> View:
    return View("zh" if content == "zh" else "en", content, "UTC", Platform.TELEGRAM)


def page(store: Store, limit: int = 100, before: int | None = None) -> stream.StreamPage:
    return stream.read(store, query.parse(WORLDS.query), today=TUESDAY, limit=limit, before=before)


def test_a_stream_is_newest_first_with_date_and_reason(store: Store) -> None:
    shown = page(store)
    assert [one.paper.id for one in shown.papers] == [
        *(f"2609.{age:05}" for age in range(MANY)),
        "2608.00001",
    ]
    assert [one.number for one in shown.papers] == list(range(1, MANY + 2))
    assert [one.date for one in shown.papers] == [TUESDAY - timedelta(days=age) for age in range(MANY + 1)]
    assert (shown.total, shown.exact, shown.next_before) == (MANY + 1, True, None)
    first, last = shown.papers[0], shown.papers[-1]
    assert (first.match.fields, first.match.words) == (("title",), ("world model",))
    assert last.match.fields == ("abstract",)
    assert last.announce_type is AnnounceType.CROSS
    assert "12%" in first.wordings["en"].tldr


def test_pages_of_a_stream_follow_one_another(store: Store) -> None:
    seen: list[str] = []
    before: int | None = None
    for _ in range(3):
        shown = page(store, limit=8, before=before)
        seen += [one.paper.id for one in shown.papers]
        before = shown.next_before
    assert before is None
    assert seen == [one.paper.id for one in page(store).papers]


def test_a_paper_that_was_never_announced_has_the_day_it_came_from() -> None:
    store = memory_store()
    plain = feed(day=None)  # type: ignore[arg-type]
    store.archive.store(
        type(plain)("arxiv-oai", "arxiv", papers=(paper("2609.1", "World models"),)), now=MORNING
    )
    (one,) = page(store).papers
    assert one.date == MORNING.date()


def test_text_has_what_the_stream_of_summaries_has_and_more(store: Store) -> None:
    shown = page(store, limit=2)
    text = stream_text(topic_stream(WORLDS, shown.papers, shown.total, view()), view().t)
    assert text.splitlines() == [
        "World models",
        WORLDS.description["en"],
        WORLDS.description["zh"],
        "21 papers, newest first",
        "",
        "1 World model no. 0",
        "We present a world model of boats. It improves steering by 12%.",
        "By Ana Müller, Bo Sand, Cy Andr",
        "29 Sep 2026 · cs.LG · 2609.00000 · TL;DR: extract",
        "https://arxiv.org/abs/2609.00000",
        "found by world model (title)",
        "",
        "2 World model no. 1",
        "We present a world model of boats. It improves steering by 12%.",
        "By Ana Müller, Bo Sand, Cy Andr",
        "28 Sep 2026 · cs.LG · 2609.00001 · TL;DR: extract",
        "https://arxiv.org/abs/2609.00001",
        "found by world model (title)",
    ]


@pytest.mark.parametrize("content", ["en", "zh", "both"])
def test_every_form_says_the_same(store: Store, content: str) -> None:
    shown = page(store)
    told = topic_stream(WORLDS, shown.papers, shown.total, view(content))
    for written in (
        stream_html(told, view(content)),
        stream_markdown(told, view(content).t).replace("\\", ""),
        stream_text(told, view(content).t),
    ):
        for word in (
            "World model no. 19",
            "Ana Müller",
            "https://arxiv.org/abs/2609.00019",
            "A latent thing",
        ):
            assert word in written
        assert ("潜在之物" in written) == (content != "en")
        assert ("关于潜在世界模型" in written) == (content != "en")
    assert told.title == ("世界模型" if content == "zh" else "World models")


def test_what_the_checks_doubt_is_marked_beside_the_words(store: Store) -> None:
    doubted = Flag("title", "number", "major", "3.6k → 36k")
    one = paper("2609.77777", "World models of 3.6k kites", "We present world models.")
    words = {one.id: (Wording("zh", "三万六千只风筝的世界模型", flags=(doubted,)),)}
    store.archive.store(feed(one), now=MORNING, wordings=words)
    shown = page(store, limit=1)
    told = topic_stream(WORLDS, shown.papers, shown.total, view())
    assert "⚠ 3.6k → 36k?" in stream_html(told, view())
    assert "⚠ 3.6k → 36k?" in stream_text(told, view().t)
    (packed,) = pack(topic_blocks(WORLDS, shown, 1, view()), dialect_for(Platform.CONSOLE))
    assert "⚠ 3.6k → 36k?" in packed.plain


def test_the_page_is_of_the_same_make_as_the_digest(store: Store) -> None:
    shown = page(store)
    html = stream_html(topic_stream(WORLDS, shown.papers, shown.total, view()), view())
    style = digest_html(SAMPLE, view()).partition("<style>")[2].partition("</style>")[0]
    assert style in html
    assert "<script" not in html


def test_a_page_in_the_chat_is_one_message_however_long_its_words(store: Store) -> None:
    long = "word " * 40
    for age in range(8):
        one = paper(f"2610.{age:05}", f"World model {long}", f"We present a world model {long}{long}. It is.")
        words = {one.id: (Wording("zh", "世界模型" * 30, "世界模型" * 60),)}
        store.archive.store(feed(one, day=date(2026, 10, 1)), now=MORNING, wordings=words)
    blocks = topic_blocks(WORLDS, page(store, limit=8), 1, view())
    for platform in (Platform.TELEGRAM, Platform.DISCORD):
        assert len(pack(blocks, dialect_for(platform))) == 1


# --- in a chat


def test_a_topics_page_is_opened_turned_and_followed(office: Office, ada: Person) -> None:
    answer = ada.says("/topic reinforcement-learning")
    assert "Agents that learn from reward" in answer
    assert "25 papers, newest first" in answer
    assert "1  Reinforcement learning, part 24" in answer
    assert "Lovelace · 29 Sep · cs.LG · 2609.00124" in answer
    turned = ada.presses("▶")
    assert ada.reply.in_place
    assert "Reinforcement learning · page 2" in turned
    assert "9  Reinforcement learning, part 16" in turned
    assert "1  Reinforcement learning, part 24" in ada.presses("◀")
    assert "2609.00124v1" in ada.presses("1")
    ada.says("/topic Reinforcement Learning")
    assert "You follow “Reinforcement learning”" in ada.presses("Follow this topic")
    (saved,) = office.store.chats.subscriptions(1)
    assert saved.title == "Reinforcement learning"


def test_the_catalogue_shows_what_is_new_by_number(ada: Person) -> None:
    ada.says("/topics")
    ada.presses("Computer science")
    assert "World models\nModels that predict" in ada.presses("6")
    assert "Computer science" in ada.presses("◀ Computer science")


def test_in_chinese_it_reads_chinese(office: Office) -> None:
    person = office.person("zhu")
    answer = person.says("/topic 强化学习", lang="zh")
    assert "智能体如何靠奖励学会决策" in answer
    assert "25 篇论文，最新在前" in answer
    assert answer.count("命中：") == answer.count("9月29日 · cs.LG") == 8, "each paper says why it is there"


def test_a_topic_named_like_its_words_says_why_too(office: Office) -> None:
    answer = office.person("ada").says("/topic reinforcement learning")
    assert "found by reinforcement learning (title" in answer


def test_an_unknown_topic_is_answered_with_the_nearest(ada: Person) -> None:
    answer = ada.says("/topic world modles")
    assert "There is no topic “world modles”." in answer
    assert "World models" in [button.label for button in ada.buttons]
    assert "Models that predict" in ada.presses("World models")
    assert "There is no topic" in ada.says("/topic " + "x" * 500)


def test_without_a_name_it_is_the_catalogue_and_names_are_completed(ada: Person) -> None:
    assert "Which field?" in ada.says("/topic")
    assert ada.suggested("topic", "topic", "world") == ["world-models"]
    assert len(ada.suggested("topic", "topic", "")) == 25


def test_the_operators_topics_are_in_the_chat(office: Office, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        '[[topic]]\nkey = "kites"\nfield = "eess"\ntitle_en = "Kites"\ndescription_en = "Things on lines."\n'
        'query = "kites"\n',
        encoding="utf-8",
    )
    mine: tuple[Topic, ...] = topics.catalogue(own)
    ada = office.person("ada")
    office.desk._house = type(office.desk._house)(mine, ("cs.LG",), "")
    assert "Things on lines." in ada.says("/topic kites")
    assert "Diffusion Policies for kites" in ada.says("/topic Kites")


# --- from the shell


def test_topics_from_the_shell(paperboy: Shell) -> None:
    status, out, _ = paperboy.run("topic", "world-models", "--format", "json", "--lang", "zh")
    shown = json.loads(out)
    assert (status, shown["total"], shown["topic"]["key"]) == (0, 2, "world-models")
    assert shown["papers"][0]["date"] == "2026-09-29"
    assert shown["papers"][0]["matched"] == {"fields": ["title"], "words": ["world model"]}
    for form in ("text", "markdown", "html"):
        status, out, err = paperboy.run("topic", "World models", "--format", form, "--limit", "1")
        assert (status, err) == (0, "")
        assert "MA-JEPA" in out
        assert "CyberWorld" not in out
    status, out, _ = paperboy.run("topic")
    assert "cs  world-models  World models\n" in out
    assert len(out.splitlines()) == len(topics.catalogue())
    assert json.loads(paperboy.run("topic", "--format", "json")[1])[0]["field"] == "cs"


def test_a_topic_that_is_not_there_is_refused_with_the_nearest(paperboy: Shell) -> None:
    status, _, err = paperboy.run("topic", "world-model")
    assert (status, err) == (2, "paperboy: there is no topic 'world-model'; the nearest: world-models\n")
    status, _, err = paperboy.run("topic", "robot")
    assert (status, err) == (2, "paperboy: there is no topic 'robot'; the nearest: robot-learning\n")
    assert "the nearest: trading-and-portfolios" in paperboy.run("topic", "portfolio")[2]
    status, _, err = paperboy.run("digest", "--topic", "zzz")
    assert (status, err) == (2, "paperboy: there is no topic 'zzz'; paperboy topic lists them all\n")
    assert paperboy.run("digest", "--topic", "speech", "--query", "rl")[0] == 2


def test_a_digest_of_a_topic(paperboy: Shell) -> None:
    (section,) = paperboy.digest("--topic", "world-models")["sections"]
    assert section["title"] == "World models"
    assert len(section["papers"]) == 2


def test_a_wrong_file_of_topics_is_an_operators_mistake(paperboy: Shell) -> None:
    paperboy.set(TOPICS=paperboy.file("own.toml", "[[topic]]\nkey = 'x'\n"))
    status, _, err = paperboy.run("topic")
    assert (status, err.count("\n")) == (2, 1)
    assert "PAPERBOY_TOPICS" in err
    assert "field is missing" in err
