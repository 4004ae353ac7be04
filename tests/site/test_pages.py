"""The pages: whole, linked, safe, in the right language, and readable without a script."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from bot.site.update import update
from tests.builders import memory_store
from tests.site.archive import BASE, WEDNESDAY, announce, filled, form

VOID = {"meta", "link", "input", "br"}
OUTSIDE = ("https://arxiv.org/", "https://doi.org/")


class Page(HTMLParser):
    """A page's tags with their attributes, its ids and its text; fails for tags that are not closed in order."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(file.read_text("utf-8"))
        self.close()
        assert not self._open, (file, self._open)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open, (self.file, tag)
        assert self._open.pop() == tag, (self.file, tag)

    def handle_data(self, data: str) -> None:
        self.text += data

    def having(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("site")
    store = filled(memory_store())
    announce(store, WEDNESDAY, *(f"A world model, part {part}" for part in range(120)), "Ropes")
    update(store, path, form("both", BASE))
    return path


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    return {file.relative_to(site).as_posix(): Page(file) for file in site.rglob("*.html")}


def test_every_link_leads_to_a_place_that_is_there(site: Path, pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        assert len(set(page.ids)) == len(page.ids), name
        for link in page.having("a"):
            target = link.get("href", "")
            if target.startswith(OUTSIDE):
                continue
            path, _, place = unquote(target).partition("#")
            file = (site / name).parent / path if path else site / name
            assert file.is_file(), (name, target)
            if place:
                assert place in pages[file.resolve().relative_to(site).as_posix()].ids, (name, target)


def test_nothing_is_asked_for_outside(site: Path, pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        (policy,) = (meta["content"] for meta in page.having("meta") if "http-equiv" in meta)
        assert policy.startswith("default-src 'none'; style-src 'self'; script-src 'self'")
        loaded = [link["href"] for link in page.having("link") if link["rel"] == "stylesheet"]
        loaded += [script["src"] for script in page.having("script")]
        assert len(loaded) == 2
        for target in loaded:
            assert ((site / name).parent / target).is_file(), (name, target)
        assert not any(
            "style" in attributes or any(one.startswith("on") for one in attributes)
            for _, attributes in page.tags
        )
    for file in (site / "style.css", site / "search.js"):
        assert not re.search(r"https?:|url\(|@import|fetch\(|innerHTML", file.read_text("utf-8")), file


def test_a_day_begins_with_its_sections_as_links_and_folds_each_paper(pages: dict[str, Page]) -> None:
    page = pages["days/2026-09-29.html"]
    assert not page.having("nav"), "one section needs no table"
    busy = pages["days/2026-09-30.html"]
    names = [name for name, _ in busy.tags]
    assert names.index("nav") < names.index("main")
    links = [link["href"] for link in busy.having("a") if link.get("href", "").startswith("#section")]
    assert links == ["#section-1", "#section-2"]
    assert len(busy.having("details")) == 121
    assert "World models · 120" in busy.text
    assert "Machine Learning (cs.LG) · 1" in busy.text


def test_a_paper_is_reached_by_its_id_inside_what_is_folded(site: Path) -> None:
    page = (site / "days/2026-09-28.html").read_text("utf-8")
    assert re.search(r'<details>\n<summary>.*?</summary>\n<div id="hep-th/9901001">', page, re.DOTALL)


def test_words_from_outside_are_words(pages: dict[str, Page]) -> None:
    page = pages["days/2026-09-28.html"]
    assert [script["src"] for script in page.having("script")] == ["../search.js"]
    assert '<script>alert("1")</script> & </details> ]]> {{x}}' in page.text
    assert "\u202e" not in page.text


def test_languages_are_tagged(site: Path) -> None:
    page = (site / "days/2026-09-29.html").read_text("utf-8")
    assert '<html lang="en">' in page
    assert '<span class="chinese" lang="zh-Hans">绳索的世界模型</span>' in page
    topic = (site / "topics/world-models/2026-09.html").read_text("utf-8")
    assert '<p lang="zh-Hans">预测环境' in topic
    assert '<p class="chinese" lang="zh-Hans">绳索的世界模型</p>' in topic


def test_a_topics_page_is_its_description_and_its_newest_papers_with_why(pages: dict[str, Page]) -> None:
    page = pages["topics/world-models.html"]
    for words in (
        "Models that predict what happens next in an environment, for planning, simulation and play.",
        "more than 100 papers, newest first",
        "Wednesday, 30 September 2026",
        "By Ada Lovelace",
        "found by world model (title)",
        "September 2026",
    ):
        assert words in page.text, words
    assert len(page.having("article")) == 100
    month = pages["topics/world-models/2026-09.html"]
    assert len(month.having("article")) == 122
    assert "World models · September 2026" in month.text
    assert any(link.get("href") == "../../days/2026-09-24.html" for link in month.having("a"))


def test_the_index_names_every_day_and_topic(pages: dict[str, Page]) -> None:
    page = pages["index.html"]
    links = [link["href"] for link in page.having("a")]
    days = [link for link in links if link.startswith("days/")]
    assert days == [f"days/2026-09-{day}.html" for day in (30, 29, 28, 24)]
    assert [link for link in links if link.startswith("topics/")] == [
        f"topics/{topic.key}.html" for topic in form().topics
    ]
    assert "121 papers" in page.text


def test_feeds_are_announced_in_the_head(pages: dict[str, Page]) -> None:
    for name, feed in (
        ("index.html", "./feed"),
        ("days/2026-09-29.html", "../days/2026-09-29"),
        ("topics/world-models.html", "../topics/world-models"),
    ):
        found = {
            link["href"]: link["type"] for link in pages[name].having("link") if link["rel"] == "alternate"
        }
        assert found == {f"{feed}.xml": "application/atom+xml", f"{feed}.json": "application/feed+json"}
        (canonical,) = (link["href"] for link in pages[name].having("link") if link["rel"] == "canonical")
        assert canonical == f"{BASE}/{name}"


def test_robots_may_read_everything_and_find_it(site: Path, pages: dict[str, Page]) -> None:
    assert (site / "robots.txt").read_text(
        "utf-8"
    ) == f"User-agent: *\nAllow: /\nSitemap: {BASE}/sitemap.xml\n"
    listed = set(
        re.findall(rf"<loc>{re.escape(BASE)}/(.*?)</loc>", (site / "sitemap.xml").read_text("utf-8"))
    )
    assert listed == {name for name in pages if not re.fullmatch(r"topics/.*/.*", name)}


def test_what_the_script_alone_can_do_is_hidden_without_it(pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        (form_attributes,) = page.having("form")
        assert "hidden" in form_attributes, name
