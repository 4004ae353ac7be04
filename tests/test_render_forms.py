"""A digest as HTML, Markdown, JSON and text; cards, searches, queries in words; all said by catalogue."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from html import unescape
from html.parser import HTMLParser

import pytest

from bot.locale import PSEUDO, translator
from bot.markup import Block, Style, dialect_for, pack
from bot.ports import Keyboard
from bot.render.digest import digest_compact, digest_pages, nothing_new, page_keyboard
from bot.render.html import digest_html
from bot.render.json import digest_object, paper_facts, paper_object, search_object
from bot.render.markdown import digest_markdown
from bot.render.paper import card_keyboard, paper_card
from bot.render.paper_words import clip, full_authors, short_authors, surname, with_links
from bot.render.query_words import describe, error_line, explain_error
from bot.render.search import Result, search_page
from bot.render.text import digest_text
from bot.render.view import View
from scheduler import calendar, query
from scheduler.categories import ALIASES, CATEGORIES, canonical, category_name
from scheduler.errors import QueryError
from scheduler.models import Author, Match, Paper, PaperId, Platform, Wording
from tests.sample_digest import (
    DIFFUSION,
    GRADIENTS,
    MONDAY,
    SAMPLE,
    SILENT,
    STAR,
    TUESDAY,
    WORDS,
    authors,
    entry,
    large,
)

NOW = datetime(2026, 9, 29, 14, 49, 42, tzinfo=UTC)
PLAIN = dialect_for(Platform.CONSOLE)


def view(lang: str = "en", content: str = "en") -> View:
    return View(lang, content, "Asia/Shanghai", Platform.TELEGRAM)


def said(blocks: Sequence[Block]) -> str:
    return "\n\n".join(packed.plain for packed in pack(blocks, PLAIN))


def problem(text: str) -> QueryError:
    with pytest.raises(QueryError) as caught:
        query.parse(text)
    return caught.value


# --- every sentence comes from the catalogue

DATA = re.compile(
    "|".join(
        re.escape(text)
        for paper in (GRADIENTS, STAR, SILENT, DIFFUSION)
        for text in sorted(
            (
                *(
                    part
                    for word in WORDS[paper.id].values()
                    for part in (word.title, word.tldr, word.abstract)
                ),
                *(author.name for author in paper.authors),
                *(surname(author.name) for author in paper.authors),
                *(author.affiliation for author in paper.authors),
                *(f"{paper.id}v{paper.version}", paper.id, paper.title, paper.abstract),
                *(paper.comments, paper.doi, paper.journal_ref, *paper.categories),
                *(section.title for section in SAMPLE.sections),
                *(category_name(code) for code in paper.categories),
                "sample-model-1",
            ),
            key=len,
            reverse=True,
        )
        if text
    )
)
NAMES_OF_THINGS = re.compile("TL;DR|PDF|HTML|DOI")


def outside_brackets(text: str) -> str:
    """What stands outside ⟦…⟧, without data and names that are the same in every language."""
    text = DATA.sub("", text)
    kept, depth = "", 0
    for letter in text:
        depth += letter == "⟦"
        kept += letter if depth == 0 else ""
        depth -= letter == "⟧"
    return NAMES_OF_THINGS.sub("", kept)


def labels(keyboard: Keyboard) -> str:
    buttons = [*keyboard.choices, *(button for row in keyboard.rows for button in row)]
    return " ".join([*(button.label for button in buttons), keyboard.prompt])


PSEUDO_VIEW = view(PSEUDO, "both")
BECAUSE = (("sailing", Match(("title", "abstract"), ("sail",))),)
SAID_IN_PSEUDO: dict[str, Callable[[], str]] = {
    "pages": lambda: "\n".join(said(page.blocks) for page in digest_pages(SAMPLE, PSEUDO_VIEW)),
    "several days": lambda: said(
        digest_pages(replace(SAMPLE, dates=(MONDAY, TUESDAY), complete=False), PSEUDO_VIEW)[0].blocks
    ),
    "second page": lambda: said((digest_pages(large(18), PSEUDO_VIEW)[1].blocks[0],)),
    "compact": lambda: said(digest_compact(SAMPLE, PSEUDO_VIEW)),
    "nothing": lambda: said((nothing_new(PSEUDO_VIEW, calendar.next_day(NOW)),)),
    "buttons": lambda: labels(
        page_keyboard("x", digest_pages(SAMPLE, PSEUDO_VIEW)[0], 2, translator(PSEUDO))
    ),
    "cards": lambda: "\n".join(
        said(paper_card(paper, WORDS[paper.id], PSEUDO_VIEW, announced=TUESDAY, because=BECAUSE))
        for paper in (GRADIENTS, STAR, SILENT)
    ),
    "card buttons": lambda: labels(card_keyboard(GRADIENTS, translator(PSEUDO))),
    "search": lambda: said(search_page("", [Result(1, STAR, WORDS[STAR.id], TUESDAY)], 1000, PSEUDO_VIEW)),
    "nothing found": lambda: said(search_page("", [], 0, PSEUDO_VIEW)),
    "page": lambda: _shown(digest_html(SAMPLE, PSEUDO_VIEW)),
    "markdown": lambda: (
        digest_markdown(SAMPLE, PSEUDO_VIEW).replace("\\", "").replace("https://arxiv.org/abs/", "")
    ),
    "meaning": lambda: re.sub(
        "“(a1|b1|c1|wei zhang|x1|p1|q1)”|cs.LG|2026-09",
        "",
        describe(
            query.parse(
                '(a1 OR b1) c1 cat:cs.LG au:"Wei Zhang" -ti:x1 -(p1 abs:q1) '
                "since:2026-09 until:7d sort:relevance"
            ),
            translator(PSEUDO),
        ),
    ),
    "fault": lambda: error_line(problem("(rl"), translator(PSEUDO)).replace("(rl)", ""),
    "picture": lambda: re.sub(
        r"\(rl\)|\(rl|\"reinforcement learning\" -survey",
        "",
        said(explain_error(problem("(rl"), translator(PSEUDO)).blocks),
    ),
}


def _shown(html: str) -> str:
    return unescape(re.sub("<style>.*?</style>|<[^>]*>", "", html, flags=re.DOTALL)).replace("Paperboy", "")


@pytest.mark.parametrize("name", SAID_IN_PSEUDO)
def test_no_sentence_bypasses_the_catalogue(name: str) -> None:
    text = SAID_IN_PSEUDO[name]()
    assert "⟦" in text
    assert re.findall(r"[^\W\d_]{2,}", outside_brackets(text)) == []


# --- HTML


class _Page(HTMLParser):
    VOID = frozenset({"meta", "link", "br", "img"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.folded: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag == "summary":
            self.folded.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "summary" in self.open:
            self.folded[-1] += data


def test_the_page_asks_nothing_of_the_network_and_runs_nothing() -> None:
    html = digest_html(SAMPLE, view("en", "both"))
    page = _Page(html)
    assert page.open == []
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "img", "link", "iframe", "object", "form", "base"}
    assert all(
        not name.startswith("on") and name != "src" for _, attributes in page.tags for name in attributes
    )
    assert "url(" not in html
    assert "@import" not in html
    (policy,) = [a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert "default-src 'none'" in policy
    addresses = [a["href"] for tag, a in page.tags if tag == "a"]
    assert all(
        address.startswith(("https://arxiv.org/", "https://doi.org/", "#section-")) for address in addresses
    )


def test_the_page_starts_with_its_sections_and_folds_each_paper() -> None:
    page = _Page(digest_html(SAMPLE, view("en", "both")))
    ids = {a["id"] for _, a in page.tags if "id" in a}
    anchors = [
        a["href"].removeprefix("#") for tag, a in page.tags if tag == "a" and a["href"].startswith("#")
    ]
    assert anchors == ["section-1", "section-2", "section-3"]
    assert set(anchors) <= ids
    assert len(page.folded) == len(SAMPLE.papers)
    for paper, summary in zip(SAMPLE.papers, page.folded, strict=True):
        assert summary.startswith(f"{paper.number} {paper.paper.title}")


def test_chinese_on_the_page_is_marked_as_such() -> None:
    html = digest_html(SAMPLE, view("en", "both"))
    assert '<html lang="en">' in html
    assert '<span class="chinese" lang="zh-Hans">海上的策略梯度' in html
    assert '<blockquote lang="zh-Hans"><p>帆船' in html
    assert "海上" not in digest_html(SAMPLE, view("en", "en"))
    chinese = digest_html(SAMPLE, view("zh", "zh"))
    assert '<html lang="zh-Hans">' in chinese
    assert '<span lang="en">Machine Learning (cs.LG); Robotics (cs.RO)</span>' in chinese
    assert '<span lang="en">14 pages, 3 figures</span>' in chinese


def test_the_page_thanks_arxiv_in_its_own_words() -> None:
    assert "Thank you to arXiv for use of its open access interoperability." in digest_html(SAMPLE, view())


def test_outside_text_on_the_page_is_text() -> None:
    evil = Paper(
        PaperId("url:javascript:alert(1)"),
        1,
        '<script>alert(1)</script> & "quotes" \x00\x1b',
        abstract="</blockquote><img src=x onerror=alert(1)>",
        authors=authors("<b>Bold</b>"),
        comments="<i>",
        source="feed",
        url='javascript:alert("1")',
    )
    html = digest_html(
        replace(SAMPLE, sections=(replace(SAMPLE.sections[0], papers=(entry(1, evil),)),)), view()
    )
    page = _Page(html)
    assert {"script", "img", "b", "i"}.isdisjoint(tag for tag, _ in page.tags)
    assert "javascript:" not in "".join(value for _, a in page.tags for value in a.values())
    assert "\x00" not in html


# --- Markdown, text, JSON


def test_an_address_that_only_arxiv_knows_is_a_link_to_the_page_that_has_it() -> None:
    one = replace(DIFFUSION, abstract="We weave nets. Code is at this https URL, demos at this http URL.")
    words = {
        "zh": Wording("zh", abstract="我们织网。代码见此 https URL，演示见此 http 网址。", origin="import")
    }
    page = "https://arxiv.org/abs/2609.00003"
    card = paper_card(one, words, view(content="both"))
    linked = [span for block in card for each in block.lines for span in each.spans if span.url == page]
    assert [span.text for span in linked[1:]] == [
        "this https URL",
        "this http URL",
        "此 https URL",
        "此 http 网址",
    ]
    shown = replace(entry(1, one), wordings=words)
    digest = replace(SAMPLE, sections=(replace(SAMPLE.sections[0], papers=(shown,)),))
    html = digest_html(digest, view(content="both"))
    assert f'Code is at <a href="{page}" rel="noopener noreferrer">this https URL</a>, demos at <a' in html
    markdown = digest_markdown(digest, view())
    assert f"Code is at [this https URL](<{page}>), demos at [this http URL](<{page}>)." in markdown
    assert [span.url for span in with_links("Code: this https URL.", "")] == [""]


def test_markdown_titles_are_verbatim() -> None:
    markdown = digest_markdown(SAMPLE, view())
    assert (
        r"[A\*STAR: A\_B\_C \[Extended\] (v2) \& \<think\> 0.1\<z\<0.95](<https://arxiv.org/abs/2609.00002>)"
        in markdown
    )
    odd = entry(
        1, replace(GRADIENTS, title="x", abstract="1. no list # here - nor ![this](https://example.org)")
    )
    digest = replace(SAMPLE, sections=(replace(SAMPLE.sections[0], papers=(odd,)),))
    assert r"> 1\. no list # here - nor \!\[this\](https\://example.org)" in digest_markdown(digest, view())


def test_the_text_has_the_head_and_the_fields_of_the_seeds() -> None:
    lines = digest_text(SAMPLE, NOW, "Asia/Shanghai", "both").split("\n")
    assert lines[0] == (
        "生成时间: 2026-09-29 22:49:42 (UTC+8); Arxiv 发布时间: 2026-09-28 20:00 EDT (2026-09-29 08:00 UTC+8)"
    )
    assert lines[2] == "今天共有 4 篇相关文章"
    assert lines[4] == "Keyword: reinforcement learning"
    assert lines[6] == GRADIENTS.title
    assert "• Subjects: Machine Learning (cs.LG); Robotics (cs.RO)" in lines
    assert "• Pdf link: https://arxiv.org/pdf/2609.00001" in lines
    assert any(line.startswith("• 中文摘要 帆船") for line in lines)


def test_the_english_text_has_an_english_head_and_no_chinese() -> None:
    text = digest_text(SAMPLE, NOW, "America/New_York", "en")
    assert text.startswith(
        "Generated: 2026-09-29 10:49:42 (UTC-4); "
        "arXiv announcement: 2026-09-28 20:00 EDT (2026-09-28 20:00 UTC-4)\n\n4 papers for you\n"
    )
    assert not re.search("[\u4e00-\u9fff]", text)


@pytest.mark.parametrize(
    ("zone", "offset"), [("Asia/Kolkata", "UTC+5:30"), ("America/St_Johns", "UTC-2:30"), ("UTC", "UTC+0")]
)
def test_odd_offsets_of_zones(zone: str, offset: str) -> None:
    assert f"({offset})" in digest_text(SAMPLE, NOW, zone, "en").split(";")[0]


def test_a_winter_list_is_announced_in_standard_time() -> None:
    winter = replace(SAMPLE, dates=(date(2026, 11, 10),))
    assert "2026-11-09 20:00 EST (2026-11-10 09:00 UTC+8)" in digest_text(
        winter, NOW, "Asia/Shanghai", "both"
    )


def test_the_json_object_has_exactly_the_agreed_keys() -> None:
    whole = digest_object(SAMPLE, "en")
    assert list(whole) == ["dates", "announced", "sections"]
    assert whole["dates"] == ["2026-09-29"]
    assert [list(section) for section in whole["sections"]] == [["title", "query", "papers"]] * 3
    assert whole["sections"][0]["papers"][0] == {
        "id": "2609.00001",
        "version": 1,
        "announce_type": "new",
        "title": GRADIENTS.title,
        "title_zh": "海上的策略梯度：从稀疏奖励中学习调帆",
        "tldr": "A trimmer trained on simulated regattas beats a human crew in light wind.",
        "tldr_origin": "extract",
        "tldr_zh": WORDS[GRADIENTS.id]["zh"].tldr,
        "abstract": GRADIENTS.abstract,
        "abstract_zh": WORDS[GRADIENTS.id]["zh"].abstract,
        "flags": [],
        "authors": [{"name": author.name, "affiliation": ""} for author in GRADIENTS.authors],
        "categories": ["cs.LG", "cs.RO"],
        "links": {form: f"https://arxiv.org/{form}/2609.00001" for form in ("abs", "pdf", "html")},
        "matched": {"fields": ["title", "abstract"], "words": ["reinforcement learning"]},
    }
    assert json.loads(json.dumps(whole)) == whole


def test_json_speaks_the_language_asked_for_where_it_can() -> None:
    chinese = paper_object(GRADIENTS, WORDS[GRADIENTS.id], "zh")
    assert chinese["tldr"].startswith("在模拟帆船赛")
    assert chinese["tldr_origin"] == "editor"
    assert paper_object(STAR, WORDS[STAR.id], "zh")["tldr"] == "Extends A* with stars."
    bare = paper_object(SILENT, {}, "en")
    assert (bare["tldr"], bare["tldr_origin"], bare["title_zh"]) == ("", "", "")
    assert bare["matched"] is bare["announce_type"] is None


def test_a_search_is_an_object_of_the_same_papers() -> None:
    paper = paper_object(STAR, {}, "en")
    assert search_object("rl", 41, [paper]) == {"query": "rl", "total": 41, "papers": [paper]}


def test_the_facts_of_a_paper_hold_nothing_of_ours() -> None:
    facts = paper_facts(STAR)
    assert facts["authors"][0] == {"name": "Li Na", "affiliation": "Tsinghua University, Beijing"}
    assert not {"tldr", "title_zh", "matched"} & set(facts)


# --- cards and searches


def test_a_card_without_abstract_authors_or_words_is_whole() -> None:
    bare = Paper(PaperId("doi:10.1101/2026.01.01.000001"), 1, "Title", source="biorxiv")
    assert said(paper_card(bare, {}, view())) == "Title\ndoi:10.1101/2026.01.01.000001"
    first, second = datetime(2016, 5, 26, tzinfo=UTC), datetime(2017, 1, 3, tzinfo=UTC)
    assert said(paper_card(replace(bare, submitted=first), {}, view())).endswith(" · submitted 26 May 2016")
    again = replace(bare, submitted=first, updated=second)
    assert said(paper_card(again, {}, view())).endswith(" · submitted 26 May 2016, updated 3 Jan 2017")
    (row,) = card_keyboard(bare, translator("en")).rows
    assert [(button.label, button.url) for button in row] == [
        ("Abstract page", "https://doi.org/10.1101/2026.01.01.000001")
    ]


def test_a_card_of_many_authors_names_three_and_counts_the_rest() -> None:
    crowd = replace(GRADIENTS, authors=authors(*(f"Ann A{n}" for n in range(66))))
    assert "Ann A0, Ann A1, Ann A2 +63" in said(paper_card(crowd, {}, view()))


def test_a_card_is_within_limits_for_the_longest_papers() -> None:
    long = replace(
        GRADIENTS,
        abstract="x" * 6000,
        authors=tuple(Author("A" * 60, "B" * 200) for _ in range(66)),
        comments="c" * 3000,
    )
    for platform in (Platform.TELEGRAM, Platform.DISCORD):
        messages = pack(paper_card(long, {}, view(), announced=TUESDAY), dialect_for(platform))
        assert "".join(packed.plain for packed in messages).count("x") >= 6000


def test_chinese_readers_read_chinese_first() -> None:
    text = said(paper_card(GRADIENTS, WORDS[GRADIENTS.id], view("zh", "zh")))
    assert text.index("帆船只有") < text.index("Sailing boats")
    both = said(paper_card(GRADIENTS, WORDS[GRADIENTS.id], view("en", "both")))
    assert both.index("Sailing boats") < both.index("帆船只有")
    assert "帆船" not in said(paper_card(GRADIENTS, WORDS[GRADIENTS.id], view("en", "en")))


def test_a_search_shows_its_hits_in_italics() -> None:
    snippet = (("… a ", False), ("diffusion", True), (" model …", False))
    blocks = search_page("diffusion", [Result(9, DIFFUSION, {}, TUESDAY, snippet)], 1000, view(), exact=False)
    assert said(blocks).split("\n")[0] == "diffusion · newest first · 1,000+ found"
    line = blocks[1].lines[1]
    assert [(span.text, span.style) for span in line.spans] == [
        ("… a ", Style.PLAIN),
        ("diffusion", Style.ITALIC),
        (" model …", Style.PLAIN),
    ]
    assert blocks[1].lines[0].spans[0].text == "9  "


def test_a_search_tells_its_order_and_that_nothing_was_found() -> None:
    by_relevance = search_page("rl", [Result(1, STAR, {}, None)], 37, view(), by_relevance=True)
    assert said(by_relevance).startswith("rl · best match first · 37 found")
    assert said(search_page("rl", [], 0, view())) == "rl\nNothing found."


# --- words


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Sourabh Kulkarni", "Kulkarni"),
        ("Laurens van der Maaten", "van der Maaten"),
        ("Martin Luther King Jr.", "King"),
        ("Sammy Davis III", "Davis"),
        ("The ATLAS Collaboration", "The ATLAS Collaboration"),
        ("Plato", "Plato"),
        ("王伟", "王伟"),
        ("de Finetti", "Finetti"),
        ("", ""),
    ],
)
def test_surnames(name: str, short: str) -> None:
    assert surname(name) == short


def test_authors_in_short() -> None:
    names = authors("Sourabh Kulkarni", "Ksheeraj Vepuri", "Basar Demir", "Emily Shen")
    assert short_authors(names, 2) == "Kulkarni, Vepuri +2"
    assert short_authors(names[:3], 2) == "Kulkarni, Vepuri, Demir"
    assert short_authors(names, 0) == short_authors((), 2) == ""
    assert full_authors((Author("Li Na", "Lab"), Author("Bo")), 8) == "Li Na (Lab), Bo"
    many = authors(*(f"A{number}" for number in range(66)))
    assert full_authors(many, 8) == full_authors(many, 60) == "A0, A1, A2 +63"
    assert full_authors(many[:9], 8).endswith("A7, A8")


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 5, "short"),
        ("one two three", 9, "one two…"),
        ("one two, three", 10, "one two…"),
        ("强化学习的方法很多", 5, "强化学习…"),
        ("e\u0301" * 5, 4, "e\u0301…"),
        ("x" * 20, 10, "x" * 9 + "…"),
        ("我们提出DiffusionNFT方法", 12, "我们提出…"),
        ("我们提出DiffusionNFT方法", 17, "我们提出DiffusionNFT…"),
        ("采用Qwen3.8-27B模型", 8, "采用…"),
        ("提出的方法采用Qwen3.8-27B模型", 12, "提出的方法采用…"),
    ],
)
def test_texts_are_cut_to_fit(text: str, limit: int, expected: str) -> None:
    assert clip(text, limit) == expected
    assert len(clip(text, limit)) <= limit


# --- queries in words


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        (
            '"diffusion policy" -survey',
            "“diffusion policy” in title or abstract, without “survey”",
            "标题或摘要中有“diffusion policy”，不含“survey”",
        ),
        (
            "rl robot since:7d",
            "“rl” and “robot” in title or abstract, announced in the last 7 days",
            "标题或摘要中有“rl”和“robot”，最近 7 天内公布",
        ),
        (
            "rl OR transf*",
            "“rl” or words that begin with “transf” in title or abstract",
            "标题或摘要中有“rl”或以“transf”开头的词",
        ),
        ("ti:rl cat:cs.LG", "“rl” in the title, in cs.LG", "标题中有“rl”，分类为 cs.LG"),
        (
            "ti:rl OR abs:robot",
            "“rl” in the title or “robot” in the abstract",
            "标题中有“rl”或摘要中有“robot”",
        ),
        ("on:2026-09-29", "announced on 29 Sep 2026", "2026年9月29日公布"),
        ("on:today", "announced today", "今天公布"),
        ("on:1d", "announced yesterday", "昨天公布"),
        ("on:7d", "announced 7 days ago", "7 天前公布"),
        ("since:1d", "announced since yesterday", "昨天起公布"),
        ("on:2026-09", "announced in September 2026", "2026年9月公布"),
        ("since:2026-09", "announced since September 2026", "2026年9月起公布"),
        ("on:2026", "announced in the year 2026", "2026年公布"),
        ("au:Søg*", "by “sog…”", "作者是“sog…”"),
        ('"deep rein*"', "“deep rein…” in title or abstract", "标题或摘要中有“deep rein…”"),
        (
            "(rl robot) OR agent",
            "(“rl” and “robot”) or “agent” in title or abstract",
            "标题或摘要中有(“rl”和“robot”)或“agent”",
        ),
    ],
)
def test_queries_in_words(text: str, english: str, chinese: str) -> None:
    parsed = query.parse(text)
    assert describe(parsed, translator("en")) == english
    assert describe(parsed, translator("zh")) == chinese


def test_a_wrong_query_is_shown_with_its_place_and_one_that_works() -> None:
    (block,) = explain_error(problem("(rl robot"), translator("en")).blocks
    assert [line.text for line in block.lines] == [
        "I can't read this search: a bracket is open after “robot”.",
        "(rl robot",
        "        ^",
        'Try  (rl robot)  or  "reinforcement learning" -survey',
    ]
    assert error_line(problem("(rl robot"), translator("en")) == (
        "I can't read this search: a bracket is open after “robot”. Try  (rl robot)"
    )


def test_the_caret_stands_under_the_place_in_long_and_chinese_queries() -> None:
    (block,) = explain_error(problem("强化学习 (rl"), translator("en")).blocks
    assert block.lines[2].text == " " * 11 + "^"
    text = "longerword " * 20 + "(rl"
    (block,) = explain_error(problem(text), translator("en")).blocks
    shown, caret = block.lines[1].text, block.lines[2].text
    assert len(shown) <= 60
    assert shown.startswith("…")
    assert shown[caret.index("^")] == "l"


@pytest.mark.parametrize("key", sorted(query.PROBLEMS))
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_problem_has_a_sentence(key: str, lang: str) -> None:
    t = translator(lang)
    text = error_line(QueryError(key, "rl {x}", 0, "rl", "piece {y}"), t)
    assert text.endswith(t("Try  {query}", query="rl"))
    assert not text.startswith(t("I can't read this search.") + " ")


def test_an_unknown_problem_is_still_answered() -> None:
    assert (
        error_line(QueryError("new", "x", 0, "rl"), translator("en")) == "I can't read this search. Try  rl"
    )


# --- categories


def test_every_category_has_a_name_and_aliases_lead_into_the_table() -> None:
    assert len(CATEGORIES) == 155
    assert all(name and name == name.strip() for name in CATEGORIES.values())
    assert set(ALIASES) | set(ALIASES.values()) <= set(CATEGORIES)
    assert all(CATEGORIES[one] == CATEGORIES[other] for one, other in ALIASES.items() if one != "q-fin.EC")
    assert (canonical("cs.SY"), canonical("cs.LG"), category_name("cmp-lg")) == ("eess.SY", "cs.LG", "")
