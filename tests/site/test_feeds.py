"""Every feed of a site is one that readers accept: Atom by RFC 4287 and feedparser, JSON Feed by its version 1.1."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import feedparser
import pytest
from defusedxml.ElementTree import fromstring

from bot.site.update import update
from tests.builders import memory_store
from tests.site.archive import BASE, EVIL, filled, form

ATOM = "{http://www.w3.org/2005/Atom}"
LANG = "{http://www.w3.org/XML/1998/namespace}lang"


@pytest.fixture(scope="module", params=["", BASE], ids=["from files", "with an address"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    path = tmp_path_factory.mktemp("site")
    update(filled(memory_store()), path, form("both", request.param))
    return path, request.param


def feeds(path: Path, ending: str) -> list[Path]:
    found = [*path.glob(f"*.{ending}"), *path.glob(f"days/*.{ending}"), *path.glob(f"topics/*.{ending}")]
    return [file for file in found if file.name != "sitemap.xml"]


def words(element: Element, name: str) -> str:
    found = element.find(ATOM + name)
    assert found is not None, name
    return found.text or ""


def test_there_is_a_feed_of_each_form_for_every_day_and_topic(site: tuple[Path, str]) -> None:
    path, _ = site
    names = {file.relative_to(path).with_suffix("").as_posix() for file in feeds(path, "xml")}
    assert names == {file.relative_to(path).with_suffix("").as_posix() for file in feeds(path, "json")}
    assert {"feed", "days/2026-09-24", "days/2026-09-29", "topics/world-models"} <= names
    assert len([name for name in names if name.startswith("topics/")]) == len(form().topics)


def test_every_atom_feed_has_what_the_standard_asks_for(site: tuple[Path, str]) -> None:
    path, base = site
    identities = []
    for file in feeds(path, "xml"):
        root = fromstring(file.read_bytes())
        assert root.tag == f"{ATOM}feed"
        assert root.get(LANG) == "en"
        identities.append(words(root, "id"))
        assert words(root, "title")
        assert datetime.fromisoformat(words(root, "updated")).tzinfo is not None
        links = {link.get("rel"): link.get("href") for link in root.findall(f"{ATOM}link")}
        name = file.relative_to(path).as_posix()
        page = "index.html" if name == "feed.xml" else name.replace(".xml", ".html")
        assert links == ({"self": f"{base}/{name}", "alternate": f"{base}/{page}"} if base else {})
        entries = root.findall(f"{ATOM}entry")
        assert len({words(entry, "id") for entry in entries}) == len(entries)
        for entry in entries:
            assert words(entry, "title")
            assert words(entry, "content")
            assert datetime.fromisoformat(words(entry, "updated")) <= datetime.fromisoformat(
                words(root, "updated")
            )
            assert words(entry, "id").startswith(("https://", "urn:uuid:"))
    assert len(set(identities)) == len(identities)


def test_feedparser_finds_no_fault_in_any_feed(site: tuple[Path, str]) -> None:
    path, _ = site
    for file in feeds(path, "xml"):
        parsed = feedparser.parse(file.read_bytes())
        assert not parsed.bozo, (file, parsed.get("bozo_exception"))
        assert parsed.version == "atom10"


def test_a_topics_feed_has_its_papers_newest_first_each_once(site: tuple[Path, str]) -> None:
    path, _ = site
    parsed = feedparser.parse((path / "topics/world-models.xml").read_bytes())
    assert [entry.title for entry in parsed.entries] == [
        "World models of ropes",
        "World models for kites",
    ]
    ropes, kites = parsed.entries
    assert ropes.link == "https://arxiv.org/abs/2609.00003"
    assert ropes.published == "2026-09-28T20:00:00-04:00"
    assert ropes.content[0].type == "text/html"
    assert '<p lang="zh-Hans">绳索的世界模型</p>' in ropes.content[0].value
    assert "found by world model (title)" in ropes.content[0].value
    assert [author.name for author in kites.authors] == ["Ana Müller", "Bo Sand"]
    assert [tag.term for tag in kites.tags] == ["cs.LG"]
    assert "world model of kites" in kites.summary


def test_words_from_outside_stay_words(site: tuple[Path, str]) -> None:
    path, _ = site
    parsed = feedparser.parse((path / "days/2026-09-28.xml").read_bytes(), sanitize_html=False)
    evil = next(entry for entry in parsed.entries if "2609.00002" in entry.id)
    shown = EVIL.replace("\u202e", "").replace("\x07", "").strip()
    assert fromstring((path / "days/2026-09-28.xml").read_bytes())[
        5
    ].tag  # well formed for a strict reader too
    assert evil.title == shown
    assert "<script" not in evil.content[0].value
    assert "&lt;script&gt;" in evil.content[0].value


def test_every_json_feed_keeps_the_rules_of_its_version(site: tuple[Path, str]) -> None:
    path, base = site
    for file in feeds(path, "json"):
        feed: dict[str, Any] = json.loads(file.read_text("utf-8"))
        assert feed["version"] == "https://jsonfeed.org/version/1.1"
        assert feed["title"]
        assert feed["language"] == "en"
        assert feed.get("feed_url") == (f"{base}/{file.relative_to(path).as_posix()}" if base else None)
        assert len({item["id"] for item in feed["items"]}) == len(feed["items"])
        for item in feed["items"]:
            check_item(item)


def check_item(item: dict[str, Any]) -> None:
    known: dict[str, type] = {
        "id": str,
        "url": str,
        "title": str,
        "content_html": str,
        "summary": str,
        "date_published": str,
        "authors": list,
        "tags": list,
        "language": str,
    }
    assert item.keys() <= known.keys()
    assert {"id", "content_html"} <= item.keys()
    for name, value in item.items():
        assert isinstance(value, known[name]), name
        assert value, name
    assert datetime.fromisoformat(item["date_published"]).tzinfo is not None
    assert item["language"] in ("en", "zh-Hans")
    assert all(author["name"] for author in item.get("authors", []))
    assert "url" not in item or item["url"].startswith("https://")


def test_a_chinese_site_speaks_chinese_in_its_feeds(tmp_path: Path) -> None:
    update(filled(memory_store()), tmp_path, form("zh"))
    feed = json.loads((tmp_path / "topics/world-models.json").read_text("utf-8"))
    assert feed["language"] == "zh-Hans"
    assert feed["title"] == "Paperboy · 世界模型"
    ropes, kites = feed["items"]
    assert ropes["title"] == "绳索的世界模型"
    assert (kites["title"], kites["language"]) == ("World models for kites", "en")
    atom = (tmp_path / "topics/world-models.xml").read_text("utf-8")
    assert '<title xml:lang="zh-Hans">绳索的世界模型</title>' in atom
    assert '<title xml:lang="en">World models for kites</title>' in atom
