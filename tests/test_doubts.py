"""What the checks doubt is told beside its place, on every surface; what failed gives way to the original."""

from __future__ import annotations

from bot.markup import dialect_for, pack
from bot.render.digest import digest_compact, digest_pages
from bot.render.html import digest_html
from bot.render.markdown import digest_markdown
from bot.render.paper import paper_card
from bot.render.text import digest_text
from bot.render.view import View
from scheduler.enrich import complete
from scheduler.models import (
    AnnounceType,
    Digest,
    DigestPaper,
    Flag,
    Match,
    Platform,
    Section,
    Wording,
    WordingStatus,
)
from tests.builders import MORNING, TUESDAY, paper

BOTH = View("en", "both", "UTC", Platform.CONSOLE)
ENGLISH = View("en", "en", "UTC", Platform.CONSOLE)
KITES = paper("2609.00001", "CAPEX: Kites in Wind", "We label 3.6k frames of kites.")
FLAGS = (
    Flag("title", "name", "major", "CAPEX → ?"),
    Flag("abstract", "number", "major", "3.6k → 36k"),
    Flag("abstract", "terminology", "minor", "policy → 政策"),
    Flag("tldr", "number", "major", "? → 12"),
)
CHINESE = Wording(
    "zh",
    "资本支出：风中的风筝",
    "标注12帧。",
    "我们标注了36k帧风筝。",
    "sample-model",
    FLAGS,
    WordingStatus.FLAGGED,
)


def card(words: Wording, view: View) -> str:
    packed = pack(paper_card(KITES, {"zh": words}, view), dialect_for(Platform.CONSOLE))
    return "\n".join(one.plain for one in packed)


def digest(words: Wording) -> Digest:
    one = DigestPaper(1, KITES, AnnounceType.NEW, TUESDAY, Match((), ()), {"zh": words})
    return Digest((TUESDAY,), 1, (Section("kites", "kites", (one,)),))


def test_a_card_marks_each_place_and_no_terms() -> None:
    shown = card(CHINESE, BOTH)
    assert "资本支出：风中的风筝  ⚠ CAPEX → ?" in shown
    assert "⚠ 3.6k → 36k?" in next(line for line in shown.splitlines() if "中文摘要" in line)
    assert "标注12帧。  ⚠ ? → 12?" in shown
    assert "政策" not in shown


def test_who_reads_english_alone_sees_no_mark_of_a_translation() -> None:
    english = Wording("en", tldr="We label 3.6k frames.")
    packed = pack(paper_card(KITES, {"zh": CHINESE, "en": english}, ENGLISH), dialect_for(Platform.CONSOLE))
    assert not any("⚠" in one.plain for one in packed)


def test_digests_mark_what_they_show() -> None:
    told = digest(CHINESE)
    pages = [pack(page.blocks, dialect_for(Platform.CONSOLE))[0].plain for page in digest_pages(told, BOTH)]
    compact = [one.plain for one in pack(digest_compact(told, BOTH), dialect_for(Platform.CONSOLE))]
    for shown in (*pages, *compact):
        assert "⚠ CAPEX → ?" in shown
        assert "3.6k → 36k" not in shown, "the abstract is not here"
    for whole in (digest_html(told, BOTH), digest_markdown(told, BOTH)):
        assert "CAPEX → ?" in whole
        assert "3.6k → 36k?" in whole
    assert "⚠&nbsp;CAPEX → ?" in digest_html(told, BOTH), "the sign does not end a line"


def test_a_failed_translation_shows_the_original() -> None:
    failed = Wording("zh", "风中的风筝", "", "", "import", (), WordingStatus.FAILED)
    shown = card(failed, BOTH)
    assert "We label 3.6k frames of kites." in shown
    assert "中文摘要" not in shown


def test_a_tldr_that_is_the_abstract_over_again_is_not_shown_beside_it() -> None:
    """The abstract of KITES is one sentence: its extract is all of it."""
    words = complete(KITES, {})
    assert words["en"].tldr == KITES.abstract
    packed = pack(paper_card(KITES, words, ENGLISH), dialect_for(Platform.CONSOLE))
    assert "\n".join(one.plain for one in packed).count("3.6k frames") == 1
    one = DigestPaper(1, KITES, AnnounceType.NEW, TUESDAY, Match((), ()), words)
    told = Digest((TUESDAY,), 1, (Section("kites", "kites", (one,)),))
    for whole in (
        digest_html(told, ENGLISH),
        digest_markdown(told, ENGLISH),
        digest_text(told, MORNING, "UTC", "en"),
    ):
        assert whole.count("3.6k frames") == 1
    assert any("3.6k frames" in one.text for one in digest_pages(told, ENGLISH)[0].blocks[1].lines)


def test_the_translator_of_an_abstract_is_named_not_the_writer_of_the_tldr() -> None:
    words = Wording("zh", "", "标注。", "我们标注了帧。", "editor", translator="import")
    shown = card(words, BOTH)
    assert "imported" in next(line for line in shown.splitlines() if "中文摘要" in line)
    assert "by an editor" in shown
