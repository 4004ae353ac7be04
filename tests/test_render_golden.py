"""What a sample digest looks like in every view. `python -m tests.test_render_golden` writes them anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.locale import translator
from bot.markup import Block, dialect_for, pack
from bot.render.digest import digest_compact, digest_pages, nothing_new
from bot.render.html import digest_html
from bot.render.json import digest_object
from bot.render.markdown import digest_markdown
from bot.render.paper import paper_card
from bot.render.query_words import explain_error
from bot.render.search import Result, search_page
from bot.render.text import digest_text
from bot.render.view import View
from scheduler import calendar, query
from scheduler.errors import QueryError
from scheduler.models import Match, Platform
from tests.sample_digest import DIFFUSION, GRADIENTS, SAMPLE, SILENT, STAR, TUESDAY, WORDS

FOLDER = Path(__file__).parent / "golden"
NOW = datetime(2026, 9, 29, 14, 49, 42, tzinfo=UTC)


def view(lang: str, content: str) -> View:
    return View(lang, content, "Asia/Shanghai", Platform.TELEGRAM)


def in_dialect(blocks: Sequence[Block], platform: Platform) -> str:
    cards = [card for packed in pack(blocks, dialect_for(platform)) for card in packed.cards]
    return "\n--------\n".join(f"[{card.title}]\n{card.text}" if card.title else card.text for card in cards)


def pages(lang: str, content: str, platform: Platform = Platform.CONSOLE) -> str:
    shown = [in_dialect(page.blocks, platform) for page in digest_pages(SAMPLE, view(lang, content))]
    return "\n========\n".join(shown)


def card(lang: str, content: str, platform: Platform = Platform.CONSOLE) -> str:
    because = (("reinforcement learning", Match(("title", "abstract"), ("reinforcement learning",))),)
    words = WORDS[GRADIENTS.id]
    blocks = paper_card(GRADIENTS, words, view(lang, content), announced=TUESDAY, because=because)
    return in_dialect(blocks, platform)


def search(lang: str, content: str) -> str:
    hit = (("… the policy is a ", False), ("diffusion", True), (" model …", False))
    results = (
        Result(1, DIFFUSION, WORDS[DIFFUSION.id], TUESDAY, hit),
        Result(2, GRADIENTS, WORDS[GRADIENTS.id], TUESDAY),
    )
    blocks = search_page("diffusion -survey", results, 1000, view(lang, content), exact=False)
    return in_dialect(blocks, Platform.TELEGRAM)


def fault(lang: str) -> str:
    with pytest.raises(QueryError) as caught:
        query.parse("强化学习 (rl robot")
    return in_dialect(explain_error(caught.value, translator(lang)).blocks, Platform.CONSOLE)


GOLDEN: dict[str, Callable[[], str]] = {
    "digest_en.txt": lambda: pages("en", "en"),
    "digest_zh.txt": lambda: pages("zh", "zh"),
    "digest_both.txt": lambda: pages("en", "both"),
    "digest_telegram.txt": lambda: pages("en", "both", Platform.TELEGRAM),
    "digest_discord.txt": lambda: pages("en", "both", Platform.DISCORD),
    "compact_telegram.txt": lambda: in_dialect(digest_compact(SAMPLE, view("en", "en")), Platform.TELEGRAM),
    "compact_discord_zh.txt": lambda: in_dialect(digest_compact(SAMPLE, view("zh", "zh")), Platform.DISCORD),
    "nothing_new.txt": lambda: in_dialect(
        [nothing_new(view("en", "en"), calendar.next_day(NOW))], Platform.CONSOLE
    ),
    "card_en.txt": lambda: card("en", "en"),
    "card_both_telegram.txt": lambda: card("en", "both", Platform.TELEGRAM),
    "card_zh_discord.txt": lambda: card("zh", "zh", Platform.DISCORD),
    "card_silent.txt": lambda: in_dialect(paper_card(SILENT, {}, view("en", "en")), Platform.CONSOLE),
    "card_star_telegram.txt": lambda: in_dialect(
        paper_card(STAR, WORDS[STAR.id], view("en", "en"), announced=TUESDAY), Platform.TELEGRAM
    ),
    "search_en.txt": lambda: search("en", "en"),
    "search_zh.txt": lambda: search("zh", "both"),
    "fault_en.txt": lambda: fault("en"),
    "fault_zh.txt": lambda: fault("zh"),
    "text_both.txt": lambda: digest_text(SAMPLE, NOW, "Asia/Shanghai", "both"),
    "text_en.txt": lambda: digest_text(SAMPLE, NOW, "America/New_York", "en"),
    "digest_en.md": lambda: digest_markdown(SAMPLE, view("en", "en")),
    "digest_zh.md": lambda: digest_markdown(SAMPLE, view("zh", "both")),
    "digest_both.html": lambda: digest_html(SAMPLE, view("en", "both")),
    "digest_en.json": lambda: json.dumps(digest_object(SAMPLE, "en"), ensure_ascii=False, indent=2),
    "digest_zh.json": lambda: json.dumps(digest_object(SAMPLE, "zh"), ensure_ascii=False, indent=2),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_sample_looks_as_agreed(name: str) -> None:
    assert GOLDEN[name]().rstrip() == (FOLDER / name).read_text(encoding="utf-8").rstrip()


def test_every_golden_file_is_compared() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(GOLDEN)


if __name__ == "__main__":
    for name, write in GOLDEN.items():
        (FOLDER / name).write_text(write().rstrip() + "\n", encoding="utf-8")
