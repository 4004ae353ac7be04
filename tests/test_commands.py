"""The commands, as a person uses them in a chat: what is answered, and that nothing else happens."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.commands.desk import Desk
from bot.commands.table import COMMANDS, specs
from bot.commands.visit import House, rows
from bot.locale import PSEUDO, translator
from bot.markup import LineKind
from bot.parts import make_parts
from bot.ports import ACTION_LIMIT, Button, Gone, Moved, Reply, Request
from bot.render.view import View
from scheduler import topics
from scheduler.models import Author, ChatKind, ChatRef, ChatState, PaperId, Platform, Wording
from scheduler.store import Store, search
from scheduler.store.thread import StoreThread
from tests.builders import DEFAULTS, TUESDAY, feed, memory_store, paper

NOON = datetime(2026, 9, 29, 12, 0, tzinfo=UTC)
TOPICS = topics.catalogue()


class Person:
    """Somebody in a chat; `says` and `presses` give the visible text of the answer."""

    def __init__(
        self, office: Office, name: str, kind: ChatKind, platform: Platform, may_manage: bool
    ) -> None:
        self.office = office
        self.ref = ChatRef(platform, name)
        self.kind = kind
        self.may_manage = may_manage
        self.reply = Reply()

    def says(self, text: str, lang: str = "en") -> str:
        command, _, rest = text[1:].partition(" ") if text.startswith("/") else ("", "", text)
        return self._ask(
            Request(self.ref, self.kind, "1", command, rest.strip(), may_manage=self.may_manage, lang=lang)
        )

    def presses(self, label: str) -> str:
        exact = [one for one in self.buttons if label in (one.short, one.label)]
        (button,) = exact or [one for one in self.buttons if one.label.startswith(label)]
        return self._ask(Request(self.ref, self.kind, "1", action=button.action, may_manage=self.may_manage))

    def _ask(self, request: Request) -> str:
        self.reply = asyncio.run(self.office.desk.answer(request))
        for button in self.buttons:
            assert bool(button.action) != bool(button.url)
            assert len(button.action.encode()) <= ACTION_LIMIT
        parts = make_parts(self.reply.blocks, self.ref.platform, self.reply.keyboard, self.reply.attachment)
        return "\n".join([*(part.plain for part in parts), *([self.reply.toast] if self.reply.toast else [])])

    @property
    def buttons(self) -> list[Button]:
        keyboard = self.reply.keyboard
        return [*keyboard.choices, *(button for row in keyboard.rows for button in row)]

    def suggested(self, command: str, parameter: str, typed: str) -> list[str]:
        request = Request(self.ref, self.kind, "1", command, typed)
        return [one.value for one in asyncio.run(self.office.desk.suggest(request, parameter))]


class Office:
    """A desk over an archive with one day's papers."""

    def __init__(self) -> None:
        self.store: Store = memory_store()
        self.now = NOON
        self.thread = StoreThread(self.store)
        house = House(TOPICS, ("cs.LG",), "ops@example.org")
        self.desk = Desk(self.thread, house, DEFAULTS, "en", lambda: self.now)
        papers = [
            paper("2609.00001", "Diffusion Policies for kites", "We fly kites with reinforcement learning."),
            paper(
                "2609.00002",
                "World models at sea",
                "A survey of world models.",
                authors=("Wei Zhang", "Bo Sand"),
            ),
            *(
                paper(f"2609.001{n:02d}", f"Reinforcement learning, part {n}", "More of it.")
                for n in range(25)
            ),
        ]
        words = {papers[0].id: (Wording("zh", "风筝的扩散策略", "用强化学习放风筝。", origin="editor"),)}
        self.store.archive.store(feed(*papers), now=NOON, wordings=words)

    def person(
        self,
        name: str = "ada",
        kind: ChatKind = ChatKind.PRIVATE,
        platform: Platform = Platform.TELEGRAM,
        may_manage: bool = True,
    ) -> Person:
        return Person(self, name, kind, platform, may_manage)


@pytest.fixture
def office() -> Iterator[Office]:
    office = Office()
    yield office
    office.thread.close()


@pytest.fixture
def ada(office: Office) -> Person:
    return office.person()


def test_plain_words_are_saved_as_the_phrase_and_can_be_loosened(office: Office, ada: Person) -> None:
    answer = ada.says("/subscribe reinforcement learning")
    assert "the phrase “reinforcement learning”" in answer
    assert "About 26 papers a day." in answer
    assert "Next digest tomorrow at 08:00." in answer
    (saved,) = office.store.chats.subscriptions(1)
    assert saved.query == '"reinforcement learning"'
    ada.presses("Words in any order")
    (saved,) = office.store.chats.subscriptions(1)
    assert saved.query == "reinforcement learning"


def test_operators_and_quotes_are_saved_as_they_stand(office: Office, ada: Person) -> None:
    answer = ada.says('/subscribe (kite OR "world model") -survey')
    assert "You follow" in answer
    (saved,) = office.store.chats.subscriptions(1)
    assert saved.query == '(kite OR "world model") -survey'
    assert not [button for button in ada.buttons if button.label == "Words in any order"]


def test_the_same_query_twice_and_undo(office: Office, ada: Person) -> None:
    ada.says("/subscribe Diffusion Policies")
    assert "already" in ada.says('/subscribe "diffusion policy"')
    ada.says("/subscribe kites")
    assert "no longer" in ada.presses("Undo")
    assert [one.title for one in office.store.chats.subscriptions(1)] == ["Diffusion Policies"]
    assert "You follow" in ada.presses("Undo")


def test_unsubscribing_by_number_title_and_button(office: Office, ada: Person) -> None:
    for text in ("kites", "bandits", "sea"):
        ada.says(f"/subscribe {text}")
    assert "“bandits”" in ada.says("/unsubscribe 2")
    assert "“sea”" in ada.says("/unsubscribe SEA")
    assert "does not follow “nothing”" in ada.says("/unsubscribe nothing")
    assert "1  kites" in ada.says("/unsubscribe")
    assert "“kites”" in ada.presses("✕ 1")
    assert "follows nothing yet" in ada.says("/subscriptions")


def test_a_digest_has_pages_of_ten_and_cards_behind_its_numbers(ada: Person) -> None:
    ada.says("/subscribe kites")
    ada.says("/subscribe reinforcement learning")
    answer = ada.says("/digest")
    assert "26 for you of 27" in answer
    assert "1  Diffusion Policies for kites" in answer
    assert "10  Reinforcement learning" in answer
    assert "11  " not in answer
    assert "11  Reinforcement learning" in ada.presses("▶")
    assert ada.reply.in_place
    assert "26  " in ada.presses("▶")
    assert "1  Diffusion" in ada.presses("▶")
    card = ada.presses("1")
    assert "We fly kites with reinforcement learning." in card
    assert ada.reply.in_place
    assert "Here because of" in card
    assert "1  Diffusion" in ada.presses("◀ Back to the digest")


def test_a_digest_comes_whole_as_a_page_and_leads_to_the_settings(ada: Person) -> None:
    ada.says("/subscribe kites")
    ada.says("/subscribe reinforcement learning")
    ada.says("/digest")
    ada.presses("▶")
    pressed = list(ada.buttons)
    ada.presses("Whole digest as a page")
    page = ada.reply.attachment
    assert page is not None
    assert page.name == "paperboy-2026-09-29.html"
    assert page.text.count("<details") == 26
    assert not ada.reply.in_place
    ada.reply = Reply(keyboard=rows(*pressed))
    assert "Settings of this chat" in ada.presses("Settings")
    ada.office.store.chats.forget(1)
    ada.reply = Reply(keyboard=rows(*pressed))
    assert "not kept any more" in ada.presses("Whole digest as a page")


def test_a_paper_opened_from_a_channel(ada: Person) -> None:
    view = View("en", "en", "UTC", Platform.TELEGRAM, "https://t.me/paperboy?start=")
    link = view.card_url(PaperId("2609.00001"))
    assert "We fly kites" in ada.says(f"/start {link.rpartition('=')[2]}")
    assert "I bring you" in ada.says("/start ads")


def test_a_day_without_hits_says_so(ada: Person) -> None:
    ada.says("/subscribe anteaters")
    assert "Nothing for you among the 27 papers announced on Tuesday, 29 September 2026." in ada.says(
        "/digest"
    )
    assert "Nothing was announced on Wednesday, 1 January 2020" in ada.says("/digest 2020-01-01")
    assert "follows nothing yet" in ada.office.person("bob").says("/digest")


def test_search_goes_forth_and_back(ada: Person) -> None:
    first = ada.says("/search reinforcement learning")
    assert "26 found" in first
    second = ada.presses("▶")
    third = ada.presses("▶")
    assert len({first, second, third}) == 3
    assert ada.presses("◀") == second
    assert ada.presses("◀") == first
    assert not [button for button in ada.buttons if button.label == "◀"]
    assert "You follow" in ada.presses("Subscribe to this")


def test_a_search_without_a_hit_offers_the_nearest_that_has_one(ada: Person) -> None:
    answer = ada.says('/search "world model" -survey')
    assert "Nothing in the archive fits:" in answer
    assert "1 found" in ada.presses('"world model" · 1')


@pytest.mark.parametrize("wanted", ["reinforcement", "reinforcement sort:relevance"])
def test_every_page_is_reached_and_the_count_never_falls(ada: Person, wanted: str) -> None:
    shown = [ada.says(f"/search {wanted}")]
    while any(button.label == "▶" for button in ada.buttons):
        shown.append(ada.presses("▶"))
        assert len(shown) < 9
    titles = [line for page in shown for line in page.splitlines() if re.match(r"\d+  ", line)]
    assert [int(title.split()[0]) for title in titles] == list(range(1, 27))
    assert len({title.split("  ", 1)[1] for title in titles}) == 26
    counts = [int(found[1]) for page in shown if (found := re.search(r"(\d+) found", page))]
    assert counts == [26] * len(shown)


def test_the_number_found_is_never_less_than_what_was_shown(
    ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search.Patience, "__init__", _hasty)
    pages = [ada.says("/search reinforcement"), *(ada.presses(button) for button in "▶▶◀◀")]
    counts = [int(found[1]) for page in pages if (found := re.search(r"(\d+)\+ found", page))]
    assert len(counts) == 5
    assert counts == sorted(counts)
    assert counts[2] >= 25


def _hasty(self: search.Patience, clock: Callable[[], float], page: float = 1.0) -> None:
    """No time at all to count."""
    for name, value in (("clock", clock), ("page", page), ("count", -1.0)):
        object.__setattr__(self, name, value)


def test_alternatives_that_were_typed_as_words_are_offered(office: Office, ada: Person) -> None:
    ada.says("/subscribe kites or world model")
    assert 'kites OR "world model"' in ada.presses('Any of them: kites OR "world model"')
    (saved,) = office.store.chats.subscriptions(1)
    assert saved.query == 'kite OR "world model"'
    ada.says("/subscribe RL, kelp")
    assert "Any of them: RL OR kelp" in [button.label for button in ada.buttons]
    ada.says("/subscribe coral reefs")
    assert not [button for button in ada.buttons if button.label.startswith("Any of them")]


def test_what_can_never_come_any_more_is_not_followed(office: Office, ada: Person) -> None:
    for text in ("kites until:2026-01-01", "kites on:2026-08", "kites until:7d"):
        assert "These days are over" in ada.says(f"/subscribe {text}")
    assert office.store.chats.subscriptions(1) == ()
    assert "You follow" in ada.says("/subscribe kites since:2026-01-01")


def test_what_was_found_in_chinese_words_is_shown(ada: Person) -> None:
    assert "用强化学习放风筝" in ada.says("/search 强化学习")
    assert "We fly kites" in ada.says("/search kites")


def test_papers_by_any_form_of_their_id(ada: Person) -> None:
    for text in ("2609.00001", "arXiv:2609.00001v1", "https://arxiv.org/pdf/2609.00001", "[2609.00001]"):
        assert "Diffusion Policies for kites" in ada.says(f"/paper {text}")
    assert "is no paper's id" in ada.says("/paper not-a-paper")
    assert "Diffusion Policies for kites" in ada.says("/paper [2609.00001] Diffusion Policies for kites")
    assert "1  Diffusion Policies for kites" in ada.says("/paper 2609.00001 2001.00001")
    assert "not in the archive" in ada.says("/paper 2001.00001")
    assert ada.buttons[0].url == "https://arxiv.org/abs/2001.00001"
    assert "2609.33867" in ada.says("/paper")


def test_a_version_that_was_asked_for_is_linked(ada: Person) -> None:
    for version, said in ((1, False), (3, True)):
        answer = ada.says(f"/paper 2609.00001v{version}")
        assert (f"You asked for version {version}" in answer) is said
        assert ada.buttons[0].url == f"https://arxiv.org/abs/2609.00001v{version}"
        assert "⭐ Save" in [button.label for button in ada.buttons]


def test_plain_text_is_a_card_or_a_search(ada: Person) -> None:
    assert "We fly kites" in ada.says("look at https://arxiv.org/abs/2609.00001v1 please")
    assert "1 found" in ada.says("kites")


CASE_11 = [
    "attention is all you need",
    '"attention is all you need"',
    '"attention',
    "AND OR",
    "(rl",
    "",
    "x" * 500,
    "y " * 250,
    "😀",
    "non-invasive glucose",
    "a:b",
    "*",
    "NEAR(x",
    "CI/CD",
    "C++",
    ".NET",
    "H$_2$",
    "-",
    '""',
    "\\",
    "cat:",
    "🙂 OR 🙃",
]


@pytest.mark.parametrize(
    "command", ["search", "subscribe", "try", "paper", "unsubscribe", "digest", "topics", "topic", "settings"]
)
@pytest.mark.parametrize("text", CASE_11)
def test_whatever_is_typed_is_answered(office: Office, ada: Person, command: str, text: str) -> None:
    answer = ada.says(f"/{command} {text}")
    assert answer.strip()
    assert "Something went wrong" not in answer


def test_an_error_in_a_query_points_at_the_place_and_shows_one_that_works(ada: Person) -> None:
    answer = ada.says("/search (rl")
    assert "I can't read this search" in answer
    picture = [line for block in ada.reply.blocks for line in block.lines if line.kind is LineKind.PRE]
    assert picture[0].text == "(rl"
    assert picture[1].text.strip() == "^"
    tries = re.findall(r"Try {2}(.+?) {2}or", answer)
    assert "found" in ada.says(f"/search {tries[0]}") or "Nothing in the archive" in ada.says(
        f"/search {tries[0]}"
    )


def test_topics_by_field_one_tap_subscribes(office: Office, ada: Person) -> None:
    ada.says("/topics")
    assert "Physics · 8" in [button.label for button in ada.buttons]
    answer = ada.presses("Physics")
    topic = next(topic for topic in TOPICS if topic.field == "physics")
    assert topic.description["en"] in answer
    ada.presses(topic.title["en"])
    (saved,) = office.store.chats.subscriptions(1)
    assert saved.title == topic.title["en"]
    assert "already" in ada.says(f"/subscribe {topic.key}")


def test_settings_change_one_at_a_time(office: Office, ada: Person) -> None:
    assert "Digest at 07:30, UTC." in ada.says("/settings time 7:30")
    assert "Digest at 07:30, Asia/Shanghai." in ada.says("/settings zone asia/shanghai")
    assert "does not fit here" in ada.says("/settings zone Atlantis")
    assert "There is no setting “colour”" in ada.says("/settings colour red")
    assert "Digests come without a sound." in ada.says("/settings")
    assert "Digests come with a sound." in ada.presses("With a sound")
    assert "Either on or off." in ada.says("/settings sound loud")
    assert "Digests come without a sound." in ada.says("/settings sound off")
    ada.says("/settings lang zh")
    chat = office.store.chats.get(1)
    assert chat is not None
    assert (chat.lang, chat.content, chat.schedule.time, chat.schedule.zone) == (
        "zh",
        "both",
        "07:30",
        "Asia/Shanghai",
    )
    assert re.search("[\u4e00-\u9fff]", ada.says("/help"))


@pytest.mark.parametrize(
    ("typed", "content"),
    [
        ("content original", "en"),
        ("content 原文", "en"),
        ("papers translation", "zh"),
        ("content 译文", "zh"),
        ("content both", "both"),
        ("content 双语", "both"),
        ("content ZH", "zh"),
    ],
)
def test_papers_are_shown_as_the_reader_chooses(
    office: Office, ada: Person, typed: str, content: str
) -> None:
    ada.says(f"/settings {typed}")
    chat = office.store.chats.get(1)
    assert chat is not None
    assert (chat.lang, chat.content) == ("en", content)
    assert "original, translation and both" in ada.says("/settings content klingon")


def test_a_new_chat_is_spoken_to_in_its_own_language(office: Office) -> None:
    wei = office.person("wei")
    assert re.search("[\u4e00-\u9fff]", wei.says("/start", lang="zh-CN"))
    wei.says("/subscribe kites")
    digest = wei.says("/digest")
    assert "风筝的扩散策略" in digest
    assert "用强化学习放风筝。" in digest


def test_only_who_manages_a_group_changes_what_it_follows(office: Office) -> None:
    boss = office.person("-1", ChatKind.GROUP)
    member = office.person("-1", ChatKind.GROUP, may_manage=False)
    for text in ("/subscribe kites", "/settings time 09:00", "/stop", "/feed here", "/privacy delete"):
        assert "Only who manages this chat" in member.says(text)
    boss.says("/subscribe kites")
    assert "Only who manages" in member.says("/unsubscribe kites")
    assert "1 paper of 27" in member.says("/digest")
    assert member.reply.attachment is not None
    assert not member.buttons
    assert "found" in member.says("/search kites")
    assert len(office.store.chats.subscriptions(1)) == 1


def test_stop_and_feed_here(office: Office, ada: Person) -> None:
    ada.says("/subscribe kites")
    assert "kept" in ada.says("/stop")
    ada.says("/search kites")
    chat = office.store.chats.get(1)
    assert chat is not None
    assert chat.state is ChatState.PAUSED
    assert "The digest comes here." in ada.says("/feed here")
    assert office.store.due.by(NOON + timedelta(days=1))


def test_a_chat_that_was_gone_and_speaks_again_is_served_again(office: Office, ada: Person) -> None:
    ada.says("/subscribe kites")
    asyncio.run(office.desk.standing(ada.ref, Gone("blocked")))
    gone = office.store.chats.get(1)
    assert gone is not None
    assert (gone.state, gone.reason) == (ChatState.GONE, "blocked")
    ada.says("/start")
    back = office.store.chats.get(1)
    assert back is not None
    assert (back.state, back.reason) == (ChatState.ACTIVE, "")
    asyncio.run(office.desk.standing(ada.ref, Moved(ChatRef(Platform.TELEGRAM, "-100"))))
    assert office.store.chats.at(ChatRef(Platform.TELEGRAM, "-100")) is not None
    asyncio.run(office.desk.standing(ChatRef(Platform.TELEGRAM, "never seen"), Gone("kicked")))


def test_what_happens_to_a_group_happens_to_its_topics(office: Office) -> None:
    topics = [Person(office, ref, ChatKind.GROUP, Platform.TELEGRAM, True) for ref in ("-1", "-1")]
    topics[1].ref = ChatRef(Platform.TELEGRAM, "-1", "7")
    for one in topics:
        one.says("/subscribe kites")
    asyncio.run(office.desk.standing(ChatRef(Platform.TELEGRAM, "-1"), Gone("kicked")))
    states = [office.store.chats.at(one.ref) for one in topics]
    assert [chat.state for chat in states if chat is not None] == [ChatState.GONE, ChatState.GONE]
    asyncio.run(
        office.desk.standing(ChatRef(Platform.TELEGRAM, "-1"), Moved(ChatRef(Platform.TELEGRAM, "-100")))
    )
    assert office.store.chats.at(ChatRef(Platform.TELEGRAM, "-100", "7")) is not None


def test_privacy_and_deletion(office: Office, ada: Person) -> None:
    ada.says("/subscribe kites")
    assert "ops@example.org" in ada.says("/privacy")
    ada.presses("Delete everything")
    assert "Nothing was deleted" in ada.presses("Keep everything")
    ada.says("/privacy delete")
    assert "is deleted" in ada.presses("Yes, delete")
    assert office.store.chats.at(ada.ref) is None


def test_completions(office: Office, ada: Person) -> None:
    ada.says("/subscribe kites")
    assert ada.suggested("unsubscribe", "subscription", "ki") == ["1"]
    assert "2609.00001" in ada.suggested("paper", "id", "2609.0000")
    assert ada.suggested("paper", "id", "kit") == ["2609.00001"]
    assert "reinforcement-learning" in ada.suggested("subscribe", "query", "reinf")
    assert ada.suggested("search", "query", "(rl") == ["(rl"]
    assert ada.suggested("search", "query", "kit") == ["kit", "2609.00001"]
    assert ada.suggested("paper", "id", '"world mo') == ["2609.00002"]
    assert ada.suggested("paper", "id", "kites wi") == ["2609.00001"]
    assert len(ada.suggested("paper", "id", "k")) == 25
    assert ada.suggested("paper", "id", "2609.00001v1") == ["2609.00001"]
    assert ada.suggested("paper", "id", "(((") == []
    assert len(ada.suggested("paper", "id", "")) == 25


def test_an_old_button_and_an_unknown_token_are_answered(ada: Person) -> None:
    for action in (
        "nonsense:1",
        "~99999",
        "~x",
        "d:gone:1",
        "d:",
        "undo:999",
        "p:not a paper",
        "topic:none",
        "t:none",
        "t:1:none",
        "t:x,y:reinforcement-learning",
        "loosen:",
    ):
        reply = asyncio.run(ada.office.desk.answer(Request(ada.ref, ada.kind, "1", action=action)))
        assert reply.blocks or reply.toast, action


def test_a_fault_of_ours_is_a_calm_sentence(
    ada: Person, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("scheduler.store.papers.Archive.search", lambda *_, **__: 1 / 0)
    assert "Something went wrong on my side" in ada.says("/search kites")
    assert "ZeroDivisionError" in caplog.text


def test_every_command_is_listed_in_both_languages() -> None:
    for spec in specs():
        for lang in ("en", "zh"):
            assert 1 <= len(spec.summary[lang]) <= 100
            for parameter in spec.parameters:
                assert 1 <= len(parameter.summary[lang]) <= 100
        assert re.fullmatch("[a-z0-9_]{1,32}", spec.name)
    assert {
        "start",
        "help",
        "subscribe",
        "unsubscribe",
        "subscriptions",
        "topics",
        "digest",
        "search",
        "paper",
    } <= {command.name for command in COMMANDS}


DATA = re.compile(
    "|".join(
        [
            r"⟦[^⟦⟧]*⟧",
            *(re.escape(topic.title["en"]) + "|" + re.escape(topic.description["en"]) for topic in TOPICS),
            r"/\w+( \w+ [\w:/]+| diffusion policy| world model| 2609\.33867| delete)?",
            r"[Rr]einforcement learning|Diffusion Policies for kites|kites|world model|RLHF cat",
            r"English|中文|TL;DR|PDF|HTML",
        ]
    )
)


def test_no_sentence_bypasses_the_catalogue(office: Office) -> None:
    """In the pseudo language every sentence stands in ⟦…⟧: what is left outside must be data."""
    pat = office.person("pat")
    pat.says("/start")
    chat = office.store.chats.get(1)
    assert chat is not None
    office.store.chats.save(replace(chat, lang=PSEUDO), NOON)
    assert translator(PSEUDO)("x") == "⟦x⟧"
    spoken = [
        "/start",
        "/help",
        "/subscribe",
        "/subscribe kites",
        "/subscribe kites",
        "/subscriptions",
        "/digest",
    ]
    spoken += [
        "/unsubscribe kites",
        "/unsubscribe nothing",
        "/topics",
        "/topics cs",
        "/topic reinforcement-learning",
        "/topic nothing-like-it",
        "/settings",
        "/settings time 09:00",
    ]
    spoken += [
        "/settings time late",
        "/settings colour",
        "/privacy",
        "/privacy delete",
        "/stop",
        "/feed here",
    ]
    spoken += [
        "/nonsense",
        "/search",
        "/search (kites",
        "/paper",
        "/paper kites",
        "/paper 2001.00001",
        "/digest 2020-01-01",
    ]
    for text in spoken:
        answer = pat.says(text)
        shown = answer + "\n" + "\n".join(button.label for button in pat.buttons)
        rest = shown
        while (shorter := DATA.sub("", rest)) != rest:
            rest = shorter
        words = re.findall(r"[A-Za-z]{4,}(?: [A-Za-z]+)+", rest)
        assert not words, (text, words)


def test_an_author_with_an_affiliation_is_shown_with_it(office: Office, ada: Person) -> None:
    one = replace(paper("2609.00777", "Ants"), authors=(Author("Li Na", "Tsinghua University, Beijing"),))
    office.store.archive.store(feed(one, day=TUESDAY), now=NOON)
    assert "Li Na (Tsinghua University, Beijing)" in ada.says("/paper 2609.00777")
