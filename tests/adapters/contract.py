"""What every adapter promises, as tests: subclass `AdapterContract` and give it a `Harness`.

    class TestTelegramContract(AdapterContract):
        @pytest.fixture
        def harness(self) -> Harness:
            return TelegramHarness()

The suite starts and stops the harness itself. A harness speaks for the people in the chats and sees what they
see.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum

import pytest

from bot.markup import Block, Line, LineKind, Span, Style
from bot.parts import make_parts
from bot.ports import (
    Ambiguous,
    Answer,
    Attachment,
    Button,
    ChatAdapter,
    CommandSpec,
    Gone,
    Keyboard,
    Parameter,
    Part,
    Paused,
    Picture,
    Rejected,
    Reply,
    Request,
    Retry,
    Sent,
    Suggestion,
)
from bot.render.pictures import Axes, bars
from scheduler.models import ChatKind, ChatRef, Platform
from tests.patience import PATIENCE

"""Seconds that a test waits for something that has to happen."""

NASTY_TEXTS = (
    "A*STAR: A_B_C [Extended] (v2)",
    "`code` ~~x~~ ||y||",
    "# not a heading",
    "1. not a list",
    "- not a list either",
    "> not a quotation",
    "](https://example.org)",
    "<think> & 0.1<z<0.95",
    "Tom &amp; Jerry, &lt;b&gt;",
    "a\\b \\* c",
    "__init__ and **kwargs**",
    "@everyone <@123> <#45>",
    "$<a,x>=0$ and {braces}",
    "强化学习：用 <b> 标签 😀",
)

COMMANDS = (
    CommandSpec(
        "search",
        {"en": "Search every paper seen", "zh": "搜索所有论文"},
        parameters=(Parameter("query", {"en": "Words to look for", "zh": "要找的词"}, suggests=True),),
    ),
    CommandSpec(
        "subscribe",
        {"en": "Follow a search", "zh": "订阅一个搜索"},
        parameters=(Parameter("query", {"en": "Words to follow", "zh": "要订阅的词"}),),
        manages=True,
    ),
    CommandSpec("help", {"en": "What Paperboy can do", "zh": "使用说明"}),
)


class Place(StrEnum):
    """The chats of a harness. "ada" administers the group, "bob" is a member of it."""

    PRIVATE = "private"
    GROUP = "group"


class Refusal(StrEnum):
    """What a platform can answer to a send."""

    BLOCKED = "blocked"
    NO_RIGHTS = "no_rights"
    FLOOD = "flood"
    MARKUP = "markup"
    SERVER_ERROR = "server_error"


@dataclass(frozen=True, slots=True)
class Seen:
    """One message as a person sees it now: markup interpreted, private answers included.

    `labels` are its buttons' and choices' visible texts, `links` pairs of visible text and address,
    `attachment` a file's name and text, `picture` what is shown above it.
    """

    text: str
    labels: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    attachment: tuple[str, str] | None = None
    picture: bytes | None = None
    message_id: str = ""


class Harness(ABC):
    """One adapter with a fake platform behind it.

    `places` are the chats it has, `refusals` what it can be told to answer, `deduplicates` is true where the
    same key sent twice leaves one message, `interactive` is false where there is nothing to press, `edits`
    where a message cannot be replaced, `toasts_shown` where there is no place for a short word beside a
    button, `limit` is the visible characters of one message (None: no limit).
    """

    platform: Platform
    places: frozenset[Place] = frozenset(Place)
    refusals: frozenset[Refusal] = frozenset(Refusal)
    deduplicates = False
    interactive = True
    edits = True
    toasts_shown = True
    limit: int | None = None

    @abstractmethod
    async def build(self, answer: Answer) -> ChatAdapter:
        """Starts the fake platform and makes an adapter for it, with `COMMANDS`; `run` is not called yet."""

    @abstractmethod
    async def start(self) -> None:
        """Runs the adapter as a task and returns when it receives."""

    @abstractmethod
    async def stop(self) -> None:
        """Cancels the run, waits for its end and stops the fake platform; raises what the run raised.

        Raises AssertionError too when the platform saw anything that its specification does not allow.
        """

    @abstractmethod
    def ref(self, place: Place) -> ChatRef:
        """The address of a chat."""

    @abstractmethod
    async def says(self, line: str, place: Place = Place.PRIVATE, by: str = "ada") -> None:
        """A person enters a command line such as "/search diffusion policy"."""

    @abstractmethod
    async def press(self, button: Button, place: Place = Place.PRIVATE, by: str = "ada") -> None:
        """Presses (or chooses) `button` under the newest message that shows it."""

    @abstractmethod
    def received(self, place: Place = Place.PRIVATE) -> tuple[Seen, ...]:
        """Every message of ours that stands in the chat now, oldest first."""

    @abstractmethod
    def toasts(self) -> tuple[str, ...]:
        """The short words shown beside pressed buttons so far."""

    async def refuse_next(self, refusal: Refusal, place: Place = Place.PRIVATE) -> None:
        """The platform answers the next send to the chat with a refusal."""
        raise NotImplementedError(refusal)


async def eventually(condition: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Returns as soon as `condition` holds; raises AssertionError after `patience` seconds."""
    end = asyncio.get_running_loop().time() + patience
    while not condition():
        if asyncio.get_running_loop().time() > end:
            raise AssertionError(f"did not happen within {patience:g} s")
        await asyncio.sleep(0.01)


def text_block(*texts: str, style: Style = Style.PLAIN, kind: LineKind = LineKind.TEXT) -> Block:
    """A block with one line per text."""
    return Block(tuple(Line((Span(text, style),), kind) for text in texts))


@dataclass
class Answers:
    """An answer function that remembers the requests and answers what it was told to."""

    reply: Reply | Callable[[Request], Reply] = field(default_factory=lambda: Reply((text_block("ok"),)))
    requests: list[Request] = field(default_factory=list)
    failures: int = 0

    async def __call__(self, request: Request) -> Reply:
        self.requests.append(request)
        if self.failures:
            self.failures -= 1
            raise RuntimeError("the answer function failed, as this test wants")
        return self.reply(request) if callable(self.reply) else self.reply


async def no_suggestions(_request: Request, _parameter: str) -> tuple[Suggestion, ...]:
    """A `Suggest` that knows nothing."""
    return ()


@dataclass
class Stage:
    """A started adapter with its harness and its answers."""

    harness: Harness
    adapter: ChatAdapter
    answers: Answers

    async def asks(self, line: str, place: Place = Place.PRIVATE, by: str = "ada") -> Request:
        """Says a line and gives the request that came of it."""
        known = len(self.answers.requests)
        await self.harness.says(line, place, by)
        await eventually(lambda: len(self.answers.requests) > known)
        return self.answers.requests[known]

    async def presses(self, button: Button, place: Place = Place.PRIVATE, by: str = "ada") -> Request:
        """Presses a button and gives the request that came of it."""
        known = len(self.answers.requests)
        await self.harness.press(button, place, by)
        await eventually(lambda: len(self.answers.requests) > known)
        return self.answers.requests[known]

    async def messages(self, count: int, place: Place = Place.PRIVATE) -> tuple[Seen, ...]:
        """The chat's messages, as soon as there are `count`."""
        await eventually(lambda: len(self.harness.received(place)) >= count)
        return self.harness.received(place)

    async def shows(self, text: str, reply: Reply, place: Place = Place.PRIVATE) -> Seen:
        """Asks for `reply` with a command and gives the newest message, which must hold `text`."""
        self.answers.reply = reply
        await self.harness.says("/help", place)
        await eventually(lambda: any(text in seen.text for seen in self.harness.received(place)))
        return self.harness.received(place)[-1]

    def needs(self, *, place: Place = Place.PRIVATE, interactive: bool = False) -> None:
        """Skips the test where the platform has no such place or nothing to press."""
        if place not in self.harness.places:
            pytest.skip(f"{self.harness.platform} has no {place} chat")
        if interactive and not self.harness.interactive:
            pytest.skip(f"{self.harness.platform} has nothing to press")


SAVED = Button("★ Saved", "save:1")
PICTURE = Picture(
    "bars.png",
    bars(Axes("About 3 a day", "papers a day", [(0, "28 Sep"), (1, "29 Sep")]), [2, 4]),
    "About 3 a day: 2 on 28 September, 4 on 29 September.",
    ("28 Sep  ██ 2", "29 Sep  ████ 4"),
)
PAGE_TURN = Button(label="Next page", action="page:2", short="▶")
CARDS = tuple(Button(label=f"{n}  Paper number {n}", action=f"card:{n}", short=str(n)) for n in range(1, 13))


class AdapterContract:
    """The tests. A subclass gives the `harness` fixture; every test runs inside a running event loop."""

    @pytest.fixture
    async def stage(self, harness: Harness) -> AsyncIterator[Stage]:
        """The adapter, running."""
        answers = Answers()
        adapter = await harness.build(answers)
        await harness.start()
        yield Stage(harness, adapter, answers)
        await harness.stop()

    # requests

    async def test_a_command_becomes_a_request(self, stage: Stage) -> None:
        request = await stage.asks("/search diffusion policy -survey")
        assert (request.command, request.text, request.action) == ("search", "diffusion policy -survey", "")
        assert request.kind is ChatKind.PRIVATE
        assert request.chat == stage.harness.ref(Place.PRIVATE)
        assert request.may_manage
        assert request.user

    async def test_a_command_without_words_has_no_text(self, stage: Stage) -> None:
        request = await stage.asks("/help")
        assert (request.command, request.text) == ("help", "")

    @pytest.mark.parametrize(
        "words", ['"diffusion policy" AND (rl OR "q learning")', "C++ H$_2$ <b> 强化学习"]
    )
    async def test_words_arrive_as_typed(self, stage: Stage, words: str) -> None:
        request = await stage.asks(f"/search {words}")
        assert request.text == words

    async def test_an_administrator_may_manage_a_group(self, stage: Stage) -> None:
        stage.needs(place=Place.GROUP)
        request = await stage.asks("/subscribe rl", Place.GROUP, by="ada")
        assert request.kind is ChatKind.GROUP
        assert request.chat == stage.harness.ref(Place.GROUP)
        assert request.may_manage

    async def test_a_member_may_not_manage_a_group(self, stage: Stage) -> None:
        stage.needs(place=Place.GROUP)
        request = await stage.asks("/search rl", Place.GROUP, by="bob")
        assert not request.may_manage

    async def test_two_people_are_two_users(self, stage: Stage) -> None:
        stage.needs(place=Place.GROUP)
        ada = await stage.asks("/search rl", Place.GROUP, by="ada")
        bob = await stage.asks("/search rl", Place.GROUP, by="bob")
        assert ada.user != bob.user
        assert ada.chat == bob.chat

    async def test_a_failing_answer_does_not_stop_the_adapter(self, stage: Stage) -> None:
        stage.answers.failures = 1
        await stage.asks("/search one")
        request = await stage.asks("/search two")
        assert request.text == "two"
        await eventually(lambda: any("ok" in seen.text for seen in stage.harness.received()))

    # replies

    @pytest.mark.parametrize("text", NASTY_TEXTS)
    @pytest.mark.parametrize("style", [Style.PLAIN, Style.BOLD])
    async def test_text_arrives_verbatim(self, stage: Stage, text: str, style: Style) -> None:
        seen = await stage.shows(text, Reply((text_block(text, style=style),)))
        assert text in seen.text.splitlines()

    @pytest.mark.parametrize("text", NASTY_TEXTS)
    async def test_linked_text_arrives_with_its_address(self, stage: Stage, text: str) -> None:
        url = "https://arxiv.org/abs/2609.31644v1"
        seen = await stage.shows(text, Reply((Block((Line((Span(text, Style.BOLD, url),)),)),)))
        if seen.links:
            assert (text, url) in seen.links
        else:
            assert url in seen.text

    async def test_a_long_reply_arrives_in_order_and_whole(self, stage: Stage) -> None:
        titles = [f"Paper {n:03}: " + f"<word{n}> " * 20 for n in range(120)]
        stage.answers.reply = Reply(tuple(text_block(title.strip()) for title in titles))
        await stage.harness.says("/help")
        await eventually(lambda: any("Paper 119" in seen.text for seen in stage.harness.received()))
        seen = stage.harness.received()
        whole = "\n".join(message.text for message in seen)
        assert [whole.count(title.strip()) for title in titles] == [1] * len(titles)
        assert sorted(titles, key=lambda title: whole.index(title.strip())) == titles
        if stage.harness.limit is not None:
            assert len(seen) > 1
            assert all(len(message.text) <= stage.harness.limit for message in seen)

    async def test_a_text_without_blanks_is_split_and_whole(self, stage: Stage) -> None:
        abstract = "".join(chr(ord("a") + n % 26) for n in range(6000))
        stage.answers.reply = Reply((text_block(abstract), text_block("the end")))
        await stage.harness.says("/help")
        await eventually(lambda: any("the end" in seen.text for seen in stage.harness.received()))
        whole = "".join(message.text for message in stage.harness.received())
        assert abstract in "".join(whole.split())

    async def test_the_rest_of_a_slow_answer_takes_its_beginnings_place(self, stage: Stage) -> None:
        ready = asyncio.Event()

        async def later() -> Reply:
            await ready.wait()
            return Reply((text_block("the card"),))

        stage.answers.reply = Reply((text_block("looking it up"),), later=later)
        await stage.harness.says("/help")
        await eventually(lambda: any("looking it up" in seen.text for seen in stage.harness.received()))
        ready.set()
        await eventually(lambda: any("the card" in seen.text for seen in stage.harness.received()))
        standing = [seen.text for seen in stage.harness.received()]
        assert any("looking it up" in text for text in standing) is not stage.harness.edits

    async def test_a_pressed_buttons_slow_answer_arrives_too(self, stage: Stage) -> None:
        stage.needs(interactive=True)

        async def later() -> Reply:
            return Reply((text_block("the card"),))

        await stage.shows("page 1", Reply((text_block("page 1"),), Keyboard(rows=((PAGE_TURN,),))))
        stage.answers.reply = Reply((text_block("looking it up"),), later=later)
        await stage.presses(PAGE_TURN)
        await eventually(lambda: any("the card" in seen.text for seen in stage.harness.received()))

    async def test_a_short_word_comes_first_and_the_page_in_its_place_later(self, stage: Stage) -> None:
        stage.needs(interactive=True)
        ready = asyncio.Event()

        async def later() -> Reply:
            await ready.wait()
            return Reply((text_block("page 2"),), in_place=True)

        await stage.shows("page 1", Reply((text_block("page 1"),), Keyboard(rows=((PAGE_TURN,),))))
        stage.answers.reply = Reply(toast="a moment", in_place=True, later=later)
        pressing = asyncio.ensure_future(stage.presses(PAGE_TURN))
        ready.set()
        await pressing
        await eventually(lambda: any("page 2" in seen.text for seen in stage.harness.received()))
        standing = [seen.text for seen in stage.harness.received()]
        assert any("page 1" in text for text in standing) is not stage.harness.edits

    async def test_an_attachment_arrives(self, stage: Stage) -> None:
        page = "<!doctype html><p>强化学习 & more</p>\n"
        reply = Reply((text_block("The whole digest"),), attachment=Attachment("digest.html", page))
        seen = await stage.shows("The whole digest", reply)
        assert seen.attachment == ("digest.html", page)

    async def test_a_picture_arrives_with_its_text(self, stage: Stage) -> None:
        seen = await stage.shows("About 3 a day", Reply((text_block("About 3 a day"),), picture=PICTURE))
        assert "About 3 a day" in seen.text
        assert seen.picture == PICTURE.png or (seen.picture is None and PICTURE.bars[1] in seen.text)

    async def test_a_picture_stands_above_a_text_that_is_too_long_for_its_caption(self, stage: Stage) -> None:
        long = tuple(text_block(f"line {number} " + "word " * 20) for number in range(20))
        stage.answers.reply = Reply((*long, text_block("the end")), picture=PICTURE)
        await stage.harness.says("/help")
        await eventually(lambda: any("the end" in seen.text for seen in stage.harness.received()))
        shown = stage.harness.received()
        whole = "\n".join(seen.text for seen in shown)
        assert [seen.picture for seen in shown if seen.picture] in ([PICTURE.png], [])
        assert any(seen.picture for seen in shown) or PICTURE.bars[0] in whole
        assert all(f"line {number} " in whole for number in range(20))

    async def test_another_picture_takes_its_place(self, stage: Stage) -> None:
        stage.needs(interactive=True)
        keyboard = Keyboard(rows=((PAGE_TURN,),))
        await stage.shows("page 1", Reply((text_block("page 1"),), keyboard, picture=PICTURE))
        stage.answers.reply = Reply((text_block("page 2"),), keyboard, picture=PICTURE, in_place=True)
        await stage.presses(PAGE_TURN)
        await eventually(lambda: "page 2" in stage.harness.received()[-1].text)
        standing = [seen for seen in stage.harness.received() if "page" in seen.text]
        assert len(standing) == (1 if stage.harness.edits else 2)

    # buttons

    async def test_a_pressed_button_comes_back_as_its_action(self, stage: Stage) -> None:
        stage.needs(interactive=True)
        await stage.shows("page 1", Reply((text_block("page 1"),), Keyboard(rows=((PAGE_TURN,),))))
        request = await stage.presses(PAGE_TURN)
        assert (request.action, request.command, request.text) == ("page:2", "", "")
        assert request.chat == stage.harness.ref(Place.PRIVATE)
        assert request.kind is ChatKind.PRIVATE

    async def test_a_pressed_button_turns_the_page_in_place(self, stage: Stage) -> None:
        stage.needs(interactive=True)
        keyboard = Keyboard(rows=((PAGE_TURN,),))
        await stage.shows("page 1", Reply((text_block("page 1"),), keyboard))
        stage.answers.reply = Reply((text_block("page 2"),), keyboard, in_place=True)
        await stage.presses(PAGE_TURN)
        await eventually(lambda: "page 2" in stage.harness.received()[-1].text)
        standing = [seen for seen in stage.harness.received() if "page" in seen.text]
        assert len(standing) == (1 if stage.harness.edits else 2)

    async def test_buttons_alone_in_place_leave_the_text(self, stage: Stage) -> None:
        stage.needs(interactive=True)
        await stage.shows("a card", Reply((text_block("a card"),), Keyboard(((PAGE_TURN,),))))
        stage.answers.reply = Reply(keyboard=Keyboard(((SAVED,),)), in_place=True, toast="Kept.")
        await stage.presses(PAGE_TURN)
        await eventually(lambda: SAVED.label in stage.harness.received()[-1].labels)
        if stage.harness.edits:
            (seen,) = stage.harness.received()
            assert "a card" in seen.text

    async def test_the_same_page_again_changes_nothing(self, stage: Stage) -> None:
        stage.needs(interactive=True)
        reply = Reply((text_block("page 1"),), Keyboard(rows=((PAGE_TURN,),)), in_place=True)
        await stage.shows("page 1", reply)
        await stage.presses(PAGE_TURN)
        stage.answers.reply = Reply((text_block("after"),))
        await stage.harness.says("/help")
        await eventually(lambda: "after" in stage.harness.received()[-1].text)
        assert len(stage.harness.received()) == (2 if stage.harness.edits else 3)

    async def test_choices_are_shown_and_each_comes_back(self, stage: Stage) -> None:
        stage.needs(interactive=True)
        keyboard = Keyboard(rows=((PAGE_TURN,),), choices=CARDS, prompt="Open a paper…")
        seen = await stage.shows("a page", Reply((text_block("a page"),), keyboard))
        assert len(seen.labels) == len(CARDS) + 1
        for card in (CARDS[0], CARDS[11]):
            assert (await stage.presses(card)).action == card.action

    async def test_a_member_who_presses_may_not_manage(self, stage: Stage) -> None:
        stage.needs(place=Place.GROUP, interactive=True)
        reply = Reply((text_block("page 1"),), Keyboard(rows=((PAGE_TURN,),)), private=False)
        await stage.shows("page 1", reply, Place.GROUP)
        assert not (await stage.presses(PAGE_TURN, Place.GROUP, by="bob")).may_manage
        assert (await stage.presses(PAGE_TURN, Place.GROUP, by="ada")).may_manage

    async def test_a_toast_alone_sends_no_message(self, stage: Stage) -> None:
        stage.needs(interactive=True)
        await stage.shows("page 1", Reply((text_block("page 1"),), Keyboard(rows=((PAGE_TURN,),))))
        stage.answers.reply = Reply(toast="Saved")
        await stage.presses(PAGE_TURN)
        if stage.harness.toasts_shown:
            await eventually(lambda: any("Saved" in toast for toast in stage.harness.toasts()))
        stage.answers.reply = Reply((text_block("after"),))
        await stage.harness.says("/help")
        await eventually(lambda: "after" in stage.harness.received()[-1].text)
        assert not any(
            "Saved" in seen.text for seen in stage.harness.received() if stage.harness.toasts_shown
        )

    async def test_a_failing_answer_to_a_button_does_not_stop_the_adapter(self, stage: Stage) -> None:
        stage.needs(interactive=True)
        await stage.shows("page 1", Reply((text_block("page 1"),), Keyboard(rows=((PAGE_TURN,),))))
        stage.answers.failures = 1
        await stage.presses(PAGE_TURN)
        assert (await stage.presses(PAGE_TURN)).action == "page:2"

    # deliveries

    async def test_a_part_is_sent(self, stage: Stage) -> None:
        part = part_of(stage.harness, "<think> first digest", Keyboard(rows=((PAGE_TURN,),)))
        outcome = await stage.adapter.send(stage.harness.ref(Place.PRIVATE), part, "run-1/0")
        assert isinstance(outcome, Sent)
        (seen,) = await stage.messages(1)
        assert "<think> first digest" in seen.text
        if stage.harness.interactive:
            assert len(seen.labels) == 1
            assert outcome.message_id

    async def test_a_part_survives_the_outbox(self, stage: Stage) -> None:
        part = part_of(stage.harness, "through JSON", attachment=Attachment("a.html", "<p>强</p>"))
        assert Part.from_json(replace(part, picture=PICTURE).to_json()) == replace(part, picture=PICTURE)
        outcome = await stage.adapter.send(
            stage.harness.ref(Place.PRIVATE), Part.from_json(part.to_json()), "run-1/0"
        )
        assert isinstance(outcome, Sent)
        assert (await stage.messages(1))[0].attachment == ("a.html", "<p>强</p>")

    async def test_parts_arrive_in_order(self, stage: Stage) -> None:
        for n in range(5):
            part = part_of(stage.harness, f"part {n}")
            assert isinstance(
                await stage.adapter.send(stage.harness.ref(Place.PRIVATE), part, f"run-1/{n}"), Sent
            )
        texts = [seen.text for seen in await stage.messages(5)]
        assert [f"part {n}" in text for n, text in enumerate(texts)] == [True] * 5

    async def test_the_same_key_twice(self, stage: Stage) -> None:
        part = part_of(stage.harness, "once or twice")
        chat = stage.harness.ref(Place.PRIVATE)
        first = await stage.adapter.send(chat, part, "run-1/0")
        second = await stage.adapter.send(chat, part, "run-1/0")
        assert isinstance(first, Sent)
        assert isinstance(second, Sent)
        if stage.harness.deduplicates:
            assert first == second
            assert len(await stage.messages(1)) == 1
        else:
            assert len(await stage.messages(2)) == 2

    async def test_the_same_key_in_two_chats_is_two_messages(self, stage: Stage) -> None:
        stage.needs(place=Place.GROUP)
        part = part_of(stage.harness, "for both")
        for place in (Place.PRIVATE, Place.GROUP):
            assert isinstance(await stage.adapter.send(stage.harness.ref(place), part, "run-1/0"), Sent)
            await stage.messages(1, place)

    @pytest.mark.parametrize("refusal", Refusal)
    async def test_a_refusal_is_a_typed_outcome(self, stage: Stage, refusal: Refusal) -> None:
        if refusal not in stage.harness.refusals:
            pytest.skip(f"{stage.harness.platform} does not answer {refusal}")
        await stage.harness.refuse_next(refusal)
        part = part_of(stage.harness, "wanted")
        outcome = await stage.adapter.send(stage.harness.ref(Place.PRIVATE), part, "run-1/0")
        match refusal:
            case Refusal.BLOCKED:
                assert isinstance(outcome, Gone)
                assert outcome.reason
            case Refusal.NO_RIGHTS:
                assert isinstance(outcome, Paused)
                assert outcome.reason == "no_rights"
            case Refusal.FLOOD:
                assert isinstance(outcome, Retry)
                assert outcome.after > timedelta(0)
                assert not outcome.counted
            case Refusal.MARKUP:
                assert isinstance(outcome, Sent | Rejected)
                if isinstance(outcome, Sent):
                    assert "wanted" in (await stage.messages(1))[0].text
            case Refusal.SERVER_ERROR:
                assert isinstance(outcome, Ambiguous | Retry)

    async def test_after_a_refusal_others_are_served(self, stage: Stage) -> None:
        stage.needs(place=Place.GROUP)
        if Refusal.BLOCKED not in stage.harness.refusals:
            pytest.skip(f"{stage.harness.platform} cannot be blocked")
        await stage.harness.refuse_next(Refusal.BLOCKED)
        part = part_of(stage.harness, "wanted")
        await stage.adapter.send(stage.harness.ref(Place.PRIVATE), part, "run-1/0")
        assert isinstance(await stage.adapter.send(stage.harness.ref(Place.GROUP), part, "run-1/0"), Sent)

    # life

    async def test_before_the_run_a_send_is_put_off(self, harness: Harness) -> None:
        adapter = await harness.build(Answers())
        if adapter.platform is not Platform.CONSOLE:
            outcome = await adapter.send(harness.ref(Place.PRIVATE), part_of(harness, "early"), "run-1/0")
            assert isinstance(outcome, Retry)
            assert not outcome.counted
            assert outcome.scope == "platform"
        await harness.start()
        assert isinstance(
            await adapter.send(harness.ref(Place.PRIVATE), part_of(harness, "on time"), "run-1/0"), Sent
        )
        await harness.stop()

    async def test_nothing_is_left_after_a_stop(self, harness: Harness) -> None:
        before = asyncio.all_tasks()
        answers = Answers()
        await harness.build(answers)
        await harness.start()
        await harness.says("/help")
        await eventually(lambda: bool(answers.requests))
        await harness.stop()
        await eventually(lambda: asyncio.all_tasks() <= before)


def part_of(
    harness: Harness, text: str, keyboard: Keyboard | None = None, attachment: Attachment | None = None
) -> Part:
    """One part with one line of text in the harness' dialect."""
    (part,) = make_parts((text_block(text),), harness.platform, keyboard, attachment)
    return part
