"""Dialects and packing: whatever a text holds, both platforms show the same letters, within their limits."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.markup import (
    Block,
    Card,
    Dialect,
    Line,
    LineKind,
    Packed,
    Span,
    Style,
    are_one_message,
    dialect_for,
    own_words,
    pack,
    size_of,
    visible,
)
from bot.markup.letters import clean, cluster_ends, is_blank, link_target, utf16_length
from scheduler.models import Platform
from tests.judges import telegram_entities

TELEGRAM = dialect_for(Platform.TELEGRAM)
DISCORD = dialect_for(Platform.DISCORD)
CONSOLE = dialect_for(Platform.CONSOLE)
ABS = "https://arxiv.org/abs/2609.31644"


# --- readers of our own, so that the dialects are not judged by themselves


class _HtmlText(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.shown = ""
        self.links: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in {"b", "i", "code", "pre", "a", "blockquote"}
        assert "pre" not in self.open
        assert "code" not in self.open
        self.open.append(tag)
        self.links += [value or "" for name, value in attrs if name == "href"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.shown += data


def read_html(text: str) -> tuple[str, list[str]]:
    """The shown text and the links of Telegram's HTML."""
    reader = _HtmlText()
    reader.feed(text)
    reader.close()
    assert not reader.open
    return reader.shown, reader.links


class DiscordReader:
    """Reads an embed's text as Discord does: no escapes within links, no address as a link's text."""

    def __init__(self, text: str) -> None:
        self.links: list[str] = []
        self.shown = "\n".join(self._line(line) for line in self._without_fences(text))

    def _without_fences(self, text: str) -> list[str]:
        lines: list[str] = []
        fenced = False
        for line in text.split("\n"):
            if line == "```":
                fenced = not fenced
            else:
                lines.append("\0" + line if fenced else line)
        assert not fenced
        return lines

    def _line(self, line: str) -> str:
        if line.startswith("\0"):
            return line[1:]
        for prefix in ("-# ", "> "):
            if line.startswith(prefix):
                line = line[len(prefix) :]
                break
        if line in (">", "-#"):
            return ""
        assert not re.match(r"\s*(#{1,3} |>|[-*+] |-# |\d+\. )", line), f"reads as a block: {line!r}"
        return self._inline(line)

    def _inline(self, text: str) -> str:
        shown, place, marks = "", 0, list[str]()
        while place < len(text):
            rest = text[place:]
            if found := re.match(r"\\([^0-9A-Za-z\s])|`[^`]+`(?!`)", rest):
                shown += found[1] or found[0].strip("`")
            elif found := re.match(r"\[([^\[\]]+)\]\(<(https?://[^\s<>()\\]+|tg://[^\s<>()\\]+)>\)", rest):
                assert not re.search(r"[\\*_~|`<@]|://|:[\w+-]+:", found[1]), found[1]
                assert found[1].strip()
                self.links.append(found[2])
                shown += found[1]
            elif found := re.match(r"\*\*?", rest):
                if marks and marks[-1] == found[0]:
                    marks.pop()
                else:
                    marks.append(found[0])
            else:
                found = re.match(r"[\s\S]", rest)
                assert found
                assert found[0] not in "_~|`<[@", f"{found[0]!r} is active in {text!r}"
                assert not re.match(r"(https?|steam|discord)://|:[\w+-]+:", rest), f"active in {text!r}"
                shown += found[0]
            place += found.end()
        assert not marks, f"open marks in {text!r}"
        return shown


def shown_on_telegram(packed: Packed) -> str:
    assert len(packed.cards) == 1
    return read_html(packed.cards[0].text)[0]


def shown_on_discord(packed: Packed) -> str:
    return "\n\n".join(
        "\n".join(DiscordReader(text).shown for text in (card.title, card.text) if text)
        for card in packed.cards
    )


def letters(text: str) -> str:
    """Without what shows nothing: splitting may eat blanks, and lines of invisible letters are left out."""
    return "".join(letter for letter in text if not is_blank(letter))


def within_telegram(packed: Packed) -> None:
    (card,) = packed.cards
    parsed, entities = telegram_entities.parse_html(card.text)
    assert parsed.strip()
    assert parsed == packed.plain == visible(packed, TELEGRAM)
    assert 0 < utf16_length(parsed) <= 4096
    assert len(card.text.encode()) < 9000
    assert len(entities) <= 100
    assert card.text.count("</") <= 100


def within_discord(packed: Packed) -> None:
    assert 1 <= len(packed.cards) <= 10
    assert all(card.title or card.text.strip() for card in packed.cards)
    assert all(utf16_length(card.title) <= 256 for card in packed.cards)
    assert all(utf16_length(card.text) <= 4096 for card in packed.cards)
    assert sum(utf16_length(card.title + card.text) for card in packed.cards) <= 6000


# --- texts from outside

NASTY = (
    "A*STAR: A_B_C [Extended] (v2)",
    "`code` ~~x~~ ||y|| **b** __u__ ***",
    "# not a heading",
    "-# not small",
    "> not a quote",
    "1. not a list",
    "12) nor this",
    "- nor + this",
    "](https://example.org)",
    "[a](https://example.org) ![b](c)",
    "https://example.org/a_b(c)?d=*e*",
    "@everyone @here <@123> <@&5> <#1> <:e:1> </cmd:1> <t:1:R> :smile: a:b:c: http://x.y",
    "<b>bold</b> &amp;amp; &lt; x<y and y>z tokens <think> 0.1<z<0.95 $<a,x>=0$",
    "cs.AI cs.CL math.CO see example.org/x, mail a@b.co, @durov #tag $BTC /start 10.0.0.1",
    "\\ backslash \\* \\\\ end\\",
    "عنوان بالعربية \u202eevil\u202c ok",
    "👩‍👩‍👧 🇨🇳🇩🇪 👍🏽 e\u0301\u0323 각",
    "control \x00\x01\x07\x1b[31m\x7f\x85 tab\tnew\nline\r\nend \ud800 \ufeff\uffff",
    "¯\\_(ツ)_/¯ ```fence``` ``",
    "{braces} {0} %s %(x)s",
)

outside = st.one_of(
    st.text(max_size=200),
    st.sampled_from(NASTY),
    st.text(st.sampled_from("*_~|`>#-+[]()<@:&;\\/ .1a中\n😀\u0301"), max_size=60),
    st.builds(lambda piece, times: piece * times, st.text(min_size=1, max_size=8), st.integers(1, 600)),
)
urls = st.sampled_from(
    ("", "", ABS, 'http://e.org/a(b)c?x=<y>&z="q" *_|', "tg://resolve?domain=x", "javascript:x")
)
spans = st.builds(Span, outside, st.sampled_from(Style), urls)
lines = st.builds(
    lambda parts, kind: Line(tuple(parts), kind), st.lists(spans, max_size=4), st.sampled_from(LineKind)
)
blocks = st.builds(lambda rows, opens: Block(tuple(rows), opens), st.lists(lines, max_size=4), st.booleans())


def all_letters(given_blocks: list[Block]) -> str:
    return letters("\n".join(clean(line.text) for block in given_blocks for line in block.lines))


@given(st.lists(blocks, max_size=4))
def test_telegram_shows_everything_in_order_within_its_limits(given_blocks: list[Block]) -> None:
    messages = pack(given_blocks, TELEGRAM)
    for packed in messages:
        within_telegram(packed)
        assert shown_on_telegram(packed) == packed.plain
    assert letters("".join(packed.plain for packed in messages)) == all_letters(given_blocks)


@given(st.lists(blocks, max_size=4))
def test_discord_shows_everything_in_order_within_its_limits(given_blocks: list[Block]) -> None:
    messages = pack(given_blocks, DISCORD)
    for packed in messages:
        within_discord(packed)
        assert letters(shown_on_discord(packed)) == letters(packed.plain)
        assert letters(visible(packed, DISCORD)) == letters(packed.plain)
    assert letters("".join(packed.plain for packed in messages)) == all_letters(given_blocks)


plain_lines = st.builds(
    lambda parts, kind: Line(tuple(parts), kind),
    st.lists(spans, max_size=4),
    st.sampled_from((LineKind.TEXT, LineKind.HEADING, LineKind.QUIET)),
)
plain_blocks = st.builds(
    lambda rows, opens: Block(tuple(rows), opens), st.lists(plain_lines, max_size=4), st.booleans()
)


@given(
    st.lists(st.one_of(plain_blocks, st.just(Block((Line((Span("a title " * 12),)),), True))), max_size=14)
)
def test_sizes_add_up_to_what_packing_finds(given_blocks: list[Block]) -> None:
    one_on_both = all(len(pack(given_blocks, dialect)) <= 1 for dialect in (TELEGRAM, DISCORD))
    assert are_one_message(map(size_of, given_blocks)) == one_on_both


@given(st.lists(blocks, max_size=4))
def test_the_console_gets_one_text_and_both_its_dialects_say_the_same(given_blocks: list[Block]) -> None:
    plain, colour = (
        pack(given_blocks, CONSOLE),
        pack(given_blocks, dialect_for(Platform.CONSOLE, colour=True)),
    )
    assert len(plain) == len(colour) <= 1
    for one, other in zip(plain, colour, strict=True):
        assert "\x1b" not in one.cards[0].text
        assert one.cards[0].text == one.plain == other.plain
        assert visible(other, dialect_for(Platform.CONSOLE, colour=True)) == one.plain


@given(st.lists(blocks, max_size=3))
def test_telegram_makes_no_link_or_mention_of_outside_text(given_blocks: list[Block]) -> None:
    without_commands = [
        Block(
            tuple(
                Line(tuple(span for span in line.spans if span.style is not Style.COMMAND), line.kind)
                for line in block.lines
            )
        )
        for block in given_blocks
    ]
    for packed in pack(without_commands, TELEGRAM):
        assert telegram_entities.live_links(packed.cards[0].text) == []


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("kind", LineKind)
@pytest.mark.parametrize("url", ["", ABS])
def test_known_traps_are_verbatim_on_both_platforms(
    text: str, style: Style, kind: LineKind, url: str
) -> None:
    block = Block((Line((Span(text, style, url),), kind),))
    telegram, discord = pack([block], TELEGRAM), pack([block], DISCORD)
    expected = letters(clean(text))
    assert [letters(shown_on_telegram(packed)) for packed in telegram] == [expected]
    assert [letters(shown_on_discord(packed)) for packed in discord] == [expected]
    within_telegram(telegram[0])
    within_discord(discord[0])


@pytest.mark.parametrize("text", [text for text in NASTY if text != "](https://example.org)"])
def test_a_title_keeps_its_link(text: str) -> None:
    block = Block((Line((Span("1  "), Span(text, Style.BOLD, ABS))),))
    assert set(read_html(pack([block], TELEGRAM)[0].cards[0].text)[1]) == {ABS}
    assert set(DiscordReader(pack([block], DISCORD)[0].cards[0].text).links) == {ABS}


def test_an_address_as_a_title_links_only_where_we_say() -> None:
    block = Block((Line((Span("](https://example.org)", Style.BOLD, ABS),)),))
    assert pack([block], DISCORD)[0].cards[0].text == (
        f"**\\][(https](<{ABS}>)\\:[//example.org)](<{ABS}>)**"
    )
    assert pack([block], TELEGRAM)[0].cards[0].text == f'<b><a href="{ABS}">](https://example.org)</a></b>'


def test_telegram_writes_each_kind_of_line() -> None:
    block = Block(
        (
            Line((Span("reinforcement learning · 12"),), LineKind.HEADING),
            Line((Span("1  "), Span("Tom & Jerry", Style.BOLD, ABS))),
            Line((Span("Kulkarni +9 · cs.LG · "), Span("2609.31644", Style.CODE)), LineKind.QUIET),
            Line((Span("first"),), LineKind.QUOTE),
            Line((Span("second"),), LineKind.QUOTE),
            Line((Span("(rl AND"),), LineKind.PRE),
            Line((Span("      ^"),), LineKind.PRE),
            Line((Span("send "), Span("/help", Style.COMMAND))),
        )
    )
    assert pack([block], TELEGRAM)[0].cards == (
        Card(
            "<b>reinforcement learning · 12</b>\n"
            f'1  <b><a href="{ABS}">Tom &amp; Jerry</a></b>\n'
            "Kulkarni +9 · <code>cs.LG</code> · <code>2609.31644</code>\n"
            "<blockquote expandable>first\nsecond</blockquote>\n"
            "<pre>(rl AND\n      ^</pre>\n"
            "send /help"
        ),
    )


def test_discord_writes_each_kind_of_line() -> None:
    block = Block(
        (
            Line((Span("A*B · 12"),), LineKind.HEADING),
            Line((Span("1  "), Span("Tom & Jerry", Style.BOLD, ABS))),
            Line((Span("Kulkarni +9 · cs.LG · "), Span("2609.31644", Style.CODE)), LineKind.QUIET),
            Line((Span("first"),), LineKind.QUOTE),
            Line((Span("(rl AND"),), LineKind.PRE),
            Line((Span("      ^"),), LineKind.PRE),
            Line((Span("Again"),), LineKind.HEADING),
        ),
        opens_card=True,
    )
    header = Block((Line((Span("Tuesday"), Span(" it", Style.ITALIC))),))
    assert pack([header, block], DISCORD)[0].cards == (
        Card("Tuesday *it*"),
        Card(
            f"1  **[Tom & Jerry](<{ABS}>)**\n"
            "-# Kulkarni +9 · cs.LG · `2609.31644`\n"
            "> first\n"
            "```\n(rl AND\n      ^\n```\n"
            "**Again**",
            title="A\\*B · 12",
        ),
    )


def paper(number: int, letters_of_tldr: int = 280) -> Block:
    return Block(
        (Line((Span(f"Paper {number}", Style.BOLD, ABS),)), Line((Span("x " * (letters_of_tldr // 2)),)))
    )


@pytest.mark.parametrize("dialect", [TELEGRAM, DISCORD])
def test_messages_are_split_between_blocks(dialect: Dialect) -> None:
    papers = [paper(number) for number in range(1, 145)]
    messages = pack(papers, dialect)
    assert len(messages) > 1
    firsts = [packed.plain.split("\n")[0] for packed in messages]
    assert all(re.fullmatch(r"Paper \d+", first) for first in firsts)
    numbers = [int(number) for packed in messages for number in re.findall(r"Paper (\d+)", packed.plain)]
    assert numbers == list(range(1, 145))


@pytest.mark.parametrize("dialect", [TELEGRAM, DISCORD])
@pytest.mark.parametrize("letter", ["x", "中", "😀", "👩‍👩‍👧", "e\u0301", "*", "[", "&"])
def test_a_word_longer_than_a_message_is_cut_between_letters(dialect: Dialect, letter: str) -> None:
    text = letter * 6000
    messages = pack([Block((Line((Span("Title"),)), Line((Span(text),), LineKind.QUOTE)))], dialect)
    assert messages[0].plain.startswith("Title")
    assert "".join(packed.plain for packed in messages) == f"Title\n{text}".replace("\n", "", 0) or (
        "".join(packed.plain.removeprefix("Title").strip() for packed in messages) == text
    )
    for packed in messages:
        pieces = packed.plain.removeprefix("Title").strip()
        assert pieces == letter * (len(pieces) // len(letter))
        (within_telegram if dialect is TELEGRAM else within_discord)(packed)


@pytest.mark.parametrize("dialect", [TELEGRAM, DISCORD])
def test_a_long_line_is_cut_at_a_blank(dialect: Dialect) -> None:
    words = [f"word{number}" for number in range(1500)]
    messages = pack([Block((Line((Span(" ".join(words)),)),))], dialect)
    assert len(messages) > 1
    assert [word for packed in messages for word in packed.plain.split()] == words


def test_a_message_never_has_more_than_a_hundred_entities() -> None:
    spans = tuple(Span(f"{number} ", style) for number in range(150) for style in (Style.BOLD, Style.CODE))
    messages = pack([Block((Line(spans),))], TELEGRAM)
    assert len(messages) > 2
    for packed in messages:
        within_telegram(packed)


def test_embeds_of_one_message_are_at_most_ten() -> None:
    sections = [
        Block((Line((Span(f"section {number}"),), LineKind.HEADING), Line((Span("text"),))), opens_card=True)
        for number in range(23)
    ]
    messages = pack(sections, DISCORD)
    assert [len(packed.cards) for packed in messages] == [10, 10, 3]
    assert [card.title for packed in messages for card in packed.cards] == [f"section {n}" for n in range(23)]


def test_a_heading_that_is_a_link_or_too_long_stays_in_the_description() -> None:
    linked = Block((Line((Span("Title", url=ABS),), LineKind.HEADING),), opens_card=True)
    long = Block((Line((Span("x" * 300),), LineKind.HEADING),), opens_card=True)
    cards = pack([linked, long], DISCORD)[0].cards
    assert cards == (Card(f"**[Title](<{ABS}>)**"), Card(f"**{'x' * 300}**"))


@pytest.mark.parametrize("nothing", [[], [Block(())], [Block((Line(()), Line((Span(" \n\u200b\u200d"),))))]])
@pytest.mark.parametrize("dialect", [TELEGRAM, DISCORD, CONSOLE])
def test_nothing_to_show_is_no_message(nothing: list[Block], dialect: Dialect) -> None:
    assert pack(nothing, dialect) == ()


def test_only_web_and_telegram_addresses_become_links() -> None:
    assert link_target("javascript:alert(1)") == link_target("/abs/1") == link_target("") == ""
    assert link_target("HTTPS://e.org/ü") == "HTTPS://e.org/%C3%BC"
    assert link_target('https://e.org/a b)>"') == "https://e.org/a%20b%29%3E%22"
    assert link_target("https://e.org/" + "x" * 2000) == ""


def test_letters_are_cut_where_a_reader_sees_a_boundary() -> None:
    text = "ae\u0301👩‍👩‍👧🇨🇳🇩🇪👍🏽각z"
    ends = list(cluster_ends(text))
    cut = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    assert cut == ["a", "e\u0301", "👩‍👩‍👧", "🇨🇳", "🇩🇪", "👍🏽", "각", "z"]
    assert next(cluster_ends("a" + "\u0301" * 500)) <= 64


def test_our_own_commands_can_be_tapped_and_those_of_others_not() -> None:
    ours = Block((Line(own_words("Send /settings to change it, and/or /help.")),))
    assert pack([ours], TELEGRAM)[0].cards[0].text == "Send /settings to change it, and/or /help."
    theirs = Block((Line((Span("Send /settings now"),)),))
    assert pack([theirs], TELEGRAM)[0].cards[0].text == "Send <code>/settings</code> now"
    assert "".join(span.text for span in own_words("/a_b c /d")) == "/a_b c /d"


SEED = Path(__file__).resolve().parents[2] / "shared" / "seeds" / "002_55bc4fadcb41fb0a.txt"


@pytest.mark.shared
@pytest.mark.skipif(not SEED.exists(), reason="the shared folder is not beside the checkout")
@pytest.mark.parametrize("dialect", [TELEGRAM, DISCORD])
def test_the_digest_of_144_papers_arrives_whole(dialect: Dialect) -> None:
    paragraphs = SEED.read_text(encoding="utf-8").split("\n\n")
    given_blocks = [
        Block(tuple(Line((Span(line),)) for line in paragraph.split("\n"))) for paragraph in paragraphs
    ]
    messages = pack(given_blocks, dialect)
    for packed in messages:
        (within_telegram if dialect is TELEGRAM else within_discord)(packed)
    assert letters("".join(packed.plain for packed in messages)) == all_letters(given_blocks)
