"""`paperboy` as a newcomer and a program use it: what it prints, and its exit status."""

from __future__ import annotations

import io
import json
import os
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from tests.builders import SHARED

FEEDS = SHARED / "feeds"
needs_feeds = pytest.mark.skipif(
    not FEEDS.is_dir(), reason="the shared folder with captured feeds is not here"
)

RSS = """<?xml version='1.0' encoding='UTF-8'?>
<rss xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0">
<channel><title>cs.RO updates on arXiv.org</title><link>http://rss.arxiv.org/rss/cs.RO</link>
<lastBuildDate>Wed, 30 Sep 2026 04:00:00 +0000</lastBuildDate><pubDate>Wed, 30 Sep 2026 00:00:00 -0400</pubDate>
<item><title>Kites that learn</title><link>https://arxiv.org/abs/2609.40001</link>
<description>arXiv:2609.40001v1 Announce Type: new
Abstract: We present a kite that learns to fly by reinforcement learning.</description>
<guid isPermaLink="false">oai:arXiv.org:2609.40001v1</guid><category>cs.RO</category>
<pubDate>Wed, 30 Sep 2026 00:00:00 -0400</pubDate><arxiv:announce_type>new</arxiv:announce_type>
<dc:creator>Ann Anderson, Bo Sand</dc:creator></item>
<item><title>Ropes, again</title><link>https://arxiv.org/abs/2501.00001</link>
<description>arXiv:2501.00001v3 Announce Type: replace
Abstract: Reinforcement learning with ropes.</description>
<guid isPermaLink="false">oai:arXiv.org:2501.00001v3</guid><category>cs.RO</category>
<pubDate>Wed, 30 Sep 2026 00:00:00 -0400</pubDate><arxiv:announce_type>replace</arxiv:announce_type>
<dc:creator>Cy Andr</dc:creator></item>
</channel></rss>
"""


class Paperboy:
    """The command in this process: `run(...)` gives exit status, output and errors."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
    ) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self.folder = folder
        self.database = folder / "paperboy.sqlite"
        monkeypatch.chdir(folder)
        for name in [name for name in os.environ if name.startswith("PAPERBOY_")]:
            monkeypatch.delenv(name)

    def set(self, **settings: str) -> None:
        for name, value in settings.items():
            self._monkeypatch.setenv(f"PAPERBOY_{name}", value)

    def run(self, *arguments: str, typed: str = "", database: bool = True) -> tuple[int, str, str]:
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode())))
        where = ["--database", str(self.database)] if database else []
        with pytest.raises(SystemExit) as ended:
            main([*arguments[:1], *where, *arguments[1:]])
        output = self._capsys.readouterr()
        assert isinstance(ended.value.code, int)
        assert "Traceback" not in output.out + output.err
        return ended.value.code, output.out, output.err

    def file(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def digest(self, *arguments: str) -> dict[str, Any]:
        status, out, _ = self.run("digest", *arguments, "--format", "json")
        assert status == 0
        found: dict[str, Any] = json.loads(out)
        return found


@pytest.fixture
def paperboy(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Paperboy:
    return Paperboy(monkeypatch, capsys, tmp_path)


def test_demo_delivers_once(paperboy: Paperboy) -> None:
    status, out, err = paperboy.run("demo")
    assert (status, err) == (0, "")
    assert "Tuesday, 29 September 2026" in out
    assert "diffusion policy" in out
    assert "2609.33337" in out
    assert "\x1b" not in out
    status, again, _ = paperboy.run("demo")
    assert status == 0
    assert "already delivered" in again
    assert "2609.33337" not in again


def test_chat_answers_every_line(paperboy: Paperboy) -> None:
    status, out, _ = paperboy.run("chat", typed='/subscribe "diffusion policy"\n/digest\n#1\n/nonsense\n')
    assert status == 0
    assert "You follow “diffusion policy”" in out
    assert "2609.33337" in out
    assert "cs.LG, cs.RO · 2609.33337v1" in out
    assert "I don't know the command “/nonsense”" in out


def test_chats_of_the_console_are_apart(paperboy: Paperboy) -> None:
    paperboy.run("chat", "--as", "ada", typed="/subscribe rl\n")
    _, out, _ = paperboy.run("chat", "--as", "bob", typed="/subscriptions\n")
    assert "follows nothing yet" in out
    _, out, _ = paperboy.run("chat", "--as", "ada", "--lang", "zh", typed="/subscriptions\n")
    assert "1  rl" in out
    _, out, _ = paperboy.run("chat", "--chat", "channel", typed="/subscribe rl\n/digest 2026-09-29\n")
    assert "📎" in out
    assert "paperboy-2026-09-29.html" in out
    assert "/digest" not in paperboy.run("chat", "--chat", "channel", typed="good morning\n")[1]


def test_fetching_a_file_and_reading_its_digest(paperboy: Paperboy) -> None:
    status, out, err = paperboy.run("fetch", "--from", paperboy.file("day.xml", RSS))
    assert (status, err) == (0, "")
    assert out == "cs.RO 2026-09-30: 1 new + 1 replace (fresh)\n"
    shown = paperboy.digest("--date", "2026-09-30", "--query", "reinforcement learning")
    assert (shown["dates"], shown["announced"]) == (["2026-09-30"], 1)
    (entry,) = shown["sections"][0]["papers"]
    assert (entry["id"], entry["version"], entry["announce_type"]) == ("2609.40001", 1, "new")
    assert entry["authors"] == [
        {"name": "Ann Anderson", "affiliation": ""},
        {"name": "Bo Sand", "affiliation": ""},
    ]
    assert entry["tldr_origin"] == "extract"
    assert entry["matched"] == {"fields": ["abstract"], "words": ["reinforcement", "learning"]}
    assert paperboy.digest("--date", "2026-09-30")["sections"][0]["papers"][0]["id"] == "2609.40001"


def test_fetch_prints_one_object_a_line(paperboy: Paperboy) -> None:
    day = paperboy.file("day.xml", RSS)
    status, out, _ = paperboy.run("fetch", "--from", day, day, "--json")
    assert status == 0
    objects = [json.loads(text) for text in out.splitlines()]
    assert [(one["category"], one["date"], one["state"]) for one in objects] == [
        ("cs.RO", "2026-09-30", "fresh")
    ] * 2
    assert objects[0]["counts"] == {"new": 1, "cross": 0, "replace": 1, "replace-cross": 0}
    assert objects[0]["errors"] == []


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_every_form_holds_the_paper(paperboy: Paperboy, form: str) -> None:
    paperboy.run("fetch", "--from", paperboy.file("day.xml", RSS))
    status, out, err = paperboy.run("digest", "--query", "kite", "--format", form)
    assert (status, err) == (0, "")
    for piece in ("Kites that learn", "2609.40001", "Ann Anderson", "https://arxiv.org/abs/2609.40001"):
        assert piece in out


def test_a_chat_sees_its_own_digest(paperboy: Paperboy) -> None:
    paperboy.run("fetch", "--from", paperboy.file("day.xml", RSS))
    paperboy.run("chat", "--as", "ada", typed="/subscribe kite\n/subscribe ropes\n")
    shown = paperboy.digest("--chat", "console:ada", "--date", "2026-09-30")
    assert [section["title"] for section in shown["sections"]] == ["kite"]


def test_a_digest_of_a_day_without_papers_is_empty(paperboy: Paperboy) -> None:
    assert paperboy.digest("--date", "2020-01-01", "--query", "rl") == {
        "dates": ["2020-01-01"],
        "announced": 0,
        "sections": [],
    }


def test_search_for_people_and_programs(paperboy: Paperboy) -> None:
    paperboy.run("fetch", "--from", paperboy.file("day.xml", RSS))
    status, out, _ = paperboy.run("search", "kite")
    assert status == 0
    assert "1 found" in out
    status, out, _ = paperboy.run("search", "kite", "--json", "--limit", "1")
    found = json.loads(out)
    assert (status, found["query"], found["total"]) == (0, "kite", 1)
    assert set(found["papers"][0]) == {
        "id",
        "version",
        "announce_type",
        "title",
        "title_zh",
        "tldr_zh",
        "abstract",
        "abstract_zh",
        "flags",
        "tldr",
        "tldr_origin",
        "authors",
        "categories",
        "links",
        "matched",
    }
    assert paperboy.run("search", "absent-word-of-nobody")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("nonsense",), 2, "No such command"),
        (("search", "(rl"), 2, "bracket"),
        (("search", ""), 2, "nothing to search for"),
        (("search", "*"), 2, "Try"),
        (("search", "cat:cs.XX"), 2, "no category “cs.XX”. Try  cat:cs"),
        (("digest", "--query", "rl cat:hep-th.Y"), 2, "no category"),
        (("digest", "--date", "tomorrow"), 2, "--date takes a day"),
        (("digest", "--query", "a", "--chat", "b"), 2, "not both"),
        (("digest", "--query", "AND OR"), 2, "Try"),
        (("digest", "--chat", "console:nobody"), 2, "no such chat"),
        (("fetch", "cs.XX"), 2, "no arXiv category"),
        (("fetch", "--from"), 2, "at least one file"),
        (("fetch", "--from", "missing.xml"), 1, "cannot be read"),
        (("run",), 2, "PAPERBOY_TELEGRAM_TOKEN"),
        (("chat", "--chat", "party"), 2, "party"),
    ],
)
def test_bad_input_is_one_clear_line_and_a_status(
    paperboy: Paperboy, arguments: tuple[str, ...], status: int, told: str
) -> None:
    ended, _, err = paperboy.run(*arguments, database=arguments != ("nonsense",))
    assert ended == status
    assert told in err


def test_a_file_that_is_no_feed_spoils_no_other(paperboy: Paperboy) -> None:
    bad = paperboy.file("notes.txt", "my notes")
    status, out, err = paperboy.run("fetch", "--from", bad, paperboy.file("day.xml", RSS))
    assert status == 1
    assert "cs.RO 2026-09-30: 1 new + 1 replace (fresh)" in out
    assert err == f"paperboy: {bad}: plain text; known kinds: {err.rpartition(': ')[2]}"


def test_a_feed_cut_in_the_middle_keeps_what_is_whole(paperboy: Paperboy) -> None:
    cut = paperboy.file("cut.xml", RSS[: RSS.index("Ropes")])
    status, out, err = paperboy.run("fetch", "--from", cut)
    assert status == 1
    assert "cs.RO 2026-09-30: 1 new (partial)" in out
    assert "breaks off in the middle" in err
    status, out, _ = paperboy.run("fetch", "--from", paperboy.file("day.xml", RSS))
    assert (status, out) == (0, "cs.RO 2026-09-30: 1 new + 1 replace (fresh)\n")


def test_a_newer_database_and_a_wrong_setting(paperboy: Paperboy) -> None:
    paperboy.run("search", "rl")
    with sqlite3.connect(paperboy.database) as connection:
        connection.execute(
            "insert into _sqlite_migrations(migration_set, name, applied_at) values ('paperboy', 'm9', '2030')"
        )
    connection.close()
    status, _, err = paperboy.run("search", "rl")
    assert status == 1
    assert "newer Paperboy" in err
    paperboy.set(DIGEST_TIME="late")
    status, _, err = paperboy.run("search", "rl")
    assert status == 2
    assert err.startswith("paperboy: PAPERBOY_DIGEST_TIME: 'late' is not allowed")
    assert len(err.splitlines()) == 1


def test_no_network_is_a_failure_in_one_line(paperboy: Paperboy) -> None:
    nowhere = {f"ARXIV_{name}_URL": "http://127.0.0.1:9" for name in ("FEED", "LISTING", "API", "OAI")}
    paperboy.set(**nowhere, CATEGORIES="cs.LG", ARXIV_PACE="0", ARXIV_PAGE_PACE="0")
    status, _, err = paperboy.run("fetch")
    assert status == 1
    assert "cannot be reached" in err
    assert len(err.splitlines()) == 1


@needs_feeds
def test_the_right_values_of_the_captured_feeds(paperboy: Paperboy) -> None:
    """The line of the first issue under "Must hold"; right values from the captured feeds' own README."""
    files = ["arxiv_rss2024_multicat_2026-09-24.xml", "arxiv_atom2024_cs.AI_2025-08-20_7entries.xml"]
    status, out, _ = paperboy.run("fetch", "--from", *(str(FEEDS / name) for name in files), "--json")
    assert status == 0
    first, second = (json.loads(text) for text in out.splitlines())
    assert first["counts"] == {"new": 2, "cross": 1, "replace": 1, "replace-cross": 0}
    assert second["counts"] == {"new": 2, "cross": 5, "replace": 0, "replace-cross": 0}
    shown = paperboy.digest("--date", "2026-09-24", "--query", "cat:stat.ME OR polytope")
    assert shown["announced"] == 3
    (entry,) = shown["sections"][0]["papers"]
    assert (entry["id"], entry["version"], entry["announce_type"]) == ("2205.06398", 2, "cross")
    assert entry["categories"][0] == "stat.ME"
    assert [author["name"] for author in entry["authors"]] == [
        "Pritam Dey",
        "Zhengwu Zhang",
        "David B. Dunson",
    ]
    _, out, _ = paperboy.run("search", "au:castro", "--json")
    (found,) = json.loads(out)["papers"]
    assert found["id"] == "2508.13429"
    assert {"name": "Paulo André Lima de Castro", "affiliation": ""} in found["authors"]


@needs_feeds
def test_a_quiet_category_is_no_error_beside_one_with_news(paperboy: Paperboy) -> None:
    files = ["arxiv_rss2024_weekend_empty_2026-08-01.xml", "arxiv_rss2024_multicat_2026-09-24.xml"]
    status, out, err = paperboy.run("fetch", "--from", *(str(FEEDS / name) for name in files))
    assert (status, err) == (0, "")
    assert out.splitlines()[0].endswith("(quiet)")


@needs_feeds
def test_the_same_day_everywhere(paperboy: Paperboy) -> None:
    """Case 3: 2025-08-20T00:00:00-04:00 is the announcement of the 20th, wherever it is read."""
    day = shutil.copy(FEEDS / "arxiv_atom2024_cs.AI_2025-08-20_7entries.xml", paperboy.folder)
    for zone, local in [
        ("America/Los_Angeles", "2025-08-19 17:00 UTC-7"),
        ("Asia/Shanghai", "2025-08-20 08:00 UTC+8"),
    ]:
        paperboy.set(TIMEZONE=zone)
        paperboy.run("fetch", "--from", str(day))
        _, out, _ = paperboy.run("digest", "--date", "2025-08-20")
        assert f"2025-08-19 20:00 EDT ({local})" in out.splitlines()[0]


def test_a_site_from_the_shell(paperboy: Paperboy) -> None:
    folder = paperboy.folder / "public"
    status, out, err = paperboy.run(
        "site", str(folder), "--lang", "zh", "--base-url", "https://papers.example.org/"
    )
    assert (status, err) == (0, "")
    assert out.startswith(f"{folder}: 1 of 1 days new or changed; ")
    assert "https://papers.example.org/feed.xml" in (folder / "feed.xml").read_text("utf-8")
    assert paperboy.run("site", str(folder), "--lang", "zh", "--base-url", "https://papers.example.org")[
        1
    ] == (f"{folder}: 0 of 1 days new or changed; 0 files written, 0 removed\n")
    paperboy.set(SITE_URL="https://elsewhere.example.org")
    paperboy.run("site", str(folder))
    assert "https://elsewhere.example.org/feed.xml" in (folder / "feed.xml").read_text("utf-8")


def test_a_site_that_cannot_be_written_is_said_in_a_line(paperboy: Paperboy) -> None:
    paperboy.file("index.html", "my home page")
    status, _, err = paperboy.run("site", str(paperboy.folder))
    assert (status, err.count("\n")) == (1, 1)
    assert "holds an index.html that is not Paperboy's; name another folder" in err
    status, _, err = paperboy.run("site", "public", "--base-url", "papers.example.org")
    assert status == 2
    assert "--base-url takes an address that begins with https:// or http://" in err
