"""The pages in a real browser, from files: on a phone and a desk, light and dark, with the search at work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.render.html import digest_html
from bot.site.update import update
from tests.builders import memory_store
from tests.sample_digest import SAMPLE
from tests.site.archive import WEDNESDAY, announce, filled, form
from tests.site.browser import DESKTOP, PHONE, Browser, needs_chromium

pytestmark = needs_chromium

PAGES = (
    "site/index.html",
    "site/days/2026-09-28.html",
    "site/days/2026-09-29.html",
    "site/topics/world-models.html",
    "site/topics/world-models/2026-09.html",
    "digest.html",
)
LONG = "An/abstract_without_a_single_blank" * 20

MEASURE = """(page, window) => ({
  wide: page.documentElement.scrollWidth - page.documentElement.clientWidth,
  background: window.getComputedStyle(page.body).backgroundColor,
  letters: window.getComputedStyle(page.body).color,
  size: window.getComputedStyle(page.body).fontSize,
  column: page.querySelector("main").getBoundingClientRect().width,
  small: [...page.querySelectorAll("nav a")].filter((a) => a.getBoundingClientRect().height < 28).length,
})"""
RESULTS = """(page) => ({
  said: page.querySelector("output").textContent,
  found: [...page.querySelectorAll("#found a")].map((a) => [a.textContent, a.getAttribute("href")]),
  hidden: page.querySelector("main").hidden,
  more: !page.getElementById("more").hidden,
})"""
FILTERED = """(page) => ({
  said: page.querySelector("output").textContent,
  shown: [...page.querySelectorAll("main details:not([hidden])")].length,
  sections: [...page.querySelectorAll("main section:not([hidden])")].length,
})"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    folder = tmp_path_factory.mktemp("browser")
    store = filled(memory_store())
    announce(
        store, WEDNESDAY, LONG, "Policies at sea", *(f"A world model, part {part}" for part in range(60))
    )
    update(store, folder / "site", form("both"))
    view = form("both").view
    (folder / "digest.html").write_text(digest_html(SAMPLE, view), encoding="utf-8")
    return Browser(folder)


def measured(browser: Browser, *, dark: bool) -> dict[tuple[str, tuple[int, int]], Any]:
    frames = [(page, size) for page in (*PAGES, "site/days/2026-09-30.html") for size in (PHONE, DESKTOP)]
    return dict(zip(frames, browser.sees(MEASURE, frames, dark=dark), strict=True))


def test_nothing_is_wider_than_the_window_and_everything_can_be_tapped(browser: Browser) -> None:
    for (page, size), seen in measured(browser, dark=False).items():
        assert seen["wide"] <= 0, (page, size)
        assert seen["small"] == 0, (page, size)
        assert seen["size"] == "17px"
        assert seen["column"] <= 700, (page, size)


def test_dark_pages_are_dark_and_light_ones_light(browser: Browser) -> None:
    def lightness(colour: str) -> int:
        return sum(int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(","))

    light, dark = measured(browser, dark=False), measured(browser, dark=True)
    for place in light:
        assert lightness(light[place]["background"]) - lightness(light[place]["letters"]) > 550, place
        assert lightness(dark[place]["letters"]) - lightness(dark[place]["background"]) > 550, place


def test_the_search_finds_words_in_any_form_over_all_days(browser: Browser) -> None:
    index = "site/index.html#q="
    asked = (
        "kite%20world",
        "%22world%20model%20of%20kites%22",
        "policy",
        "muller",
        "2609.00003",
        "绳索",
        "nothing-has-it",
    )
    seen = browser.sees(RESULTS, [(index + query, PHONE) for query in asked])
    found = dict(zip(asked, seen, strict=True))
    kites = [["World models for kites", f"./days/2026-09-{day}.html#2609.00001"] for day in (29, 24)]
    assert found["kite%20world"] == {"said": "2 found", "found": kites, "hidden": True, "more": False}
    assert found["%22world%20model%20of%20kites%22"]["found"] == kites
    assert [title for title, _ in found["policy"]["found"]] == ["Policies at sea"]
    assert found["muller"]["found"] == kites
    assert [place for _, place in found["2609.00003"]["found"]] == ["./days/2026-09-29.html#2609.00003"]
    assert [title for title, _ in found["绳索"]["found"]] == ["World models of ropes"]
    assert found["nothing-has-it"]["said"] == "Nothing found."
    assert found["nothing-has-it"]["found"] == []


def test_a_search_that_finds_much_stops_and_can_go_on(browser: Browser) -> None:
    more = """(page, window) => {
      const before = page.querySelector("output").textContent;
      page.getElementById("more").click();
      return new Promise((resolve) => window.setTimeout(
        () => resolve([before, page.querySelector("output").textContent]), 500));
    }"""
    ((before, after),) = browser.sees(more, [("site/index.html#q=world%20model", DESKTOP)])
    assert (before, after) == ("60 found · back to 2026-09-30", "63 found")


def test_a_days_page_hides_what_does_not_fit(browser: Browser) -> None:
    frames = [(f"site/days/2026-09-30.html#q={query}", PHONE) for query in ("policies", "model%207", "zebra")]
    assert browser.sees(FILTERED, frames) == [
        {"said": "1 of 62 papers", "shown": 1, "sections": 1},
        {"said": "2 of 62 papers", "shown": 2, "sections": 1},  # part 7, and the paper that is number 7
        {"said": "0 of 62 papers", "shown": 0, "sections": 0},
    ]


def test_a_link_to_a_paper_unfolds_it_and_shows_its_title(browser: Browser) -> None:
    look = """(page, window) => {
      const paper = page.querySelector("details[open]");
      return [page.querySelectorAll("details[open]").length, paper.querySelector("summary span + span").textContent,
              Math.abs(paper.getBoundingClientRect().top) < 40 || window.innerHeight > 700];
    }"""
    (seen,) = browser.sees(look, [("site/days/2026-09-30.html#2609.90040", PHONE)])
    assert seen == [1, "A world model, part 38", True]


def test_an_address_that_cannot_be_read_spoils_nothing(browser: Browser) -> None:
    look = "(page) => [page.querySelector('form').hidden, page.querySelector('output').textContent]"
    frames = [(f"site/days/2026-09-30.html#{place}", PHONE) for place in ("%", "q=%", "q=", "no-such-paper")]
    assert [hidden for hidden, _ in browser.sees(look, frames)] == [False] * 4


def test_words_from_outside_run_nothing(browser: Browser) -> None:
    look = "(page) => [page.scripts.length, page.querySelector('details').textContent.includes('<script>')]"
    (seen,) = browser.sees(look, [("site/days/2026-09-28.html", PHONE)])
    assert seen == [2, True]


def test_a_picture_is_taken(browser: Browser, tmp_path: Path) -> None:
    target = tmp_path / "day.png"
    browser.picture(browser.folder / "site/days/2026-09-30.html", target, PHONE, dark=True)
    assert target.read_bytes().startswith(b"\x89PNG")
