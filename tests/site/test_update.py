"""What is written when: only what changed, each file whole, and nothing of anybody else's."""

from __future__ import annotations

import fcntl
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from bot.site import folder as site_folder
from bot.site.days import MadeDay, Order, in_turn
from bot.site.folder import files_of
from bot.site.form import Form
from bot.site.update import Outcome, update
from bot.site.workers import working
from scheduler import topics
from scheduler.errors import SiteError
from scheduler.models import PaperId, Wording
from scheduler.store import Store, open_store
from tests.builders import MORNING, feed, memory_store, paper
from tests.site.archive import MONDAY, THURSDAY, TUESDAY, WEDNESDAY, announce, filled, form

ALWAYS = {"index.html", "days.js", "feed.xml", "feed.json"}
"""What a new day changes beside its own files and its topics'."""


@pytest.fixture
def store() -> Store:
    return filled(memory_store())


def shown(path: Path) -> set[str]:
    """The site's files, without what it remembers of itself."""
    return {
        file.relative_to(path).as_posix()
        for file in path.rglob("*")
        if file.is_file() and site_folder.KEPT not in file.parts
    }


def test_the_first_update_writes_everything(store: Store, tmp_path: Path) -> None:
    outcome = update(store, tmp_path, form())
    assert outcome.days == (THURSDAY, MONDAY, TUESDAY)
    assert set(outcome.written) == shown(tmp_path)
    assert shown(tmp_path) >= ALWAYS | {"style.css", "search.js", "robots.txt", "topics/world-models.html"}
    assert {name for day in outcome.days for name in files_of(day)} <= shown(tmp_path)
    assert "sitemap.xml" not in shown(tmp_path)


def test_the_second_update_writes_nothing(store: Store, tmp_path: Path) -> None:
    update(store, tmp_path, form())
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.html")}
    outcome = update(store, tmp_path, form())
    assert (outcome.days, outcome.written, outcome.removed, outcome.all_days) == ((), (), (), 3)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.html")} == before


def test_a_new_day_writes_its_own_files_its_topics_and_the_index(store: Store, tmp_path: Path) -> None:
    update(store, tmp_path, form())
    announce(store, WEDNESDAY, "A world model of the sea")
    outcome = update(store, tmp_path, form())
    assert outcome.days == (WEDNESDAY,)
    topic = {f"topics/world-models{ending}" for ending in (".html", ".xml", ".json", "/2026-09.html")}
    before = {f"days/{TUESDAY.isoformat()}.html"}
    assert set(outcome.written) == ALWAYS | topic | set(files_of(WEDNESDAY)) | before


def test_a_new_day_without_topics_writes_nine_files(store: Store, tmp_path: Path) -> None:
    update(store, tmp_path, form())
    announce(store, WEDNESDAY, "Nothing that a topic has")
    assert len(update(store, tmp_path, form()).written) == 9


def test_what_changes_in_a_paper_changes_its_days_and_its_topics(store: Store, tmp_path: Path) -> None:
    update(store, tmp_path, form())
    known = store.archive.by_id(PaperId("2609.00001"))
    assert known is not None
    store.archive.store(feed(replace(known.paper, withdrawn=True), day=THURSDAY), now=MORNING)
    outcome = update(store, tmp_path, form())
    assert outcome.days == (THURSDAY, TUESDAY)
    assert "days/2026-09-28.html" not in outcome.written
    for name in ("days/2026-09-24.html", "topics/world-models.html", "topics/world-models.xml"):
        assert "withdrawn" in (tmp_path / name).read_text("utf-8"), name


def test_words_that_come_later_are_shown(store: Store, tmp_path: Path) -> None:
    update(store, tmp_path, form())
    known = store.archive.by_id(PaperId("hep-th/9901001"))
    assert known is not None
    store.archive.add_wording(known.key, Wording("zh", title="论边界"))
    assert update(store, tmp_path, form()).days == (MONDAY,)
    assert "论边界" in (tmp_path / "days/2026-09-28.html").read_text("utf-8")


def test_a_new_day_is_linked_from_the_day_before_it_without_scripts(store: Store, tmp_path: Path) -> None:
    page = tmp_path / f"days/{TUESDAY.isoformat()}.html"
    update(store, tmp_path, form())
    assert 'rel="next"' not in page.read_text("utf-8")
    assert '<a rel="next" href="2026-09-29.html">' in (tmp_path / "days/2026-09-28.html").read_text("utf-8")
    announce(store, WEDNESDAY, "One more")
    update(store, tmp_path, form())
    linked = page.read_text("utf-8")
    assert re.search(r"<a rel=\"next\" href=\"2026-09-30.html\">[^<]*30[^<]* ▶</a>", linked)
    page.unlink()
    update(store, tmp_path, form())
    assert page.read_text("utf-8") == linked, "made anew it is the same"


def test_a_day_without_a_page_is_linked_from_nowhere(store: Store, tmp_path: Path) -> None:
    update(store, tmp_path, form(), newest=1)
    assert 'rel="prev"' not in (tmp_path / f"days/{TUESDAY.isoformat()}.html").read_text("utf-8")
    update(store, tmp_path, form())
    assert (
        '<a rel="prev" href="2026-09-28.html">' in (tmp_path / f"days/{TUESDAY.isoformat()}.html").read_text()
    )


def test_a_day_that_is_caught_up_is_linked_from_the_day_after_it(store: Store, tmp_path: Path) -> None:
    update(store, tmp_path, form())
    announce(store, date(2026, 9, 25), "Friday's paper")
    assert update(store, tmp_path, form()).days == (date(2026, 9, 25), MONDAY)
    assert 'href="2026-09-25.html"' in (tmp_path / "days/2026-09-28.html").read_text("utf-8")


def test_only_the_newest_days_when_so_asked_and_older_ones_stay(store: Store, tmp_path: Path) -> None:
    assert update(store, tmp_path, form(), newest=1).days == (TUESDAY,)
    assert "days/2026-09-24.html" not in shown(tmp_path)
    update(store, tmp_path, form())
    announce(store, WEDNESDAY, "One more")
    outcome = update(store, tmp_path, form(), newest=1)
    assert (outcome.days, outcome.all_days) == ((WEDNESDAY,), 4)
    assert "days/2026-09-24.html" in (tmp_path / "index.html").read_text("utf-8")


def test_a_file_that_somebody_deleted_is_written_again(store: Store, tmp_path: Path) -> None:
    update(store, tmp_path, form())
    for name in ("days/2026-09-24.html", "topics/world-models.xml", "style.css"):
        (tmp_path / name).unlink()
    outcome = update(store, tmp_path, form())
    assert set(outcome.written) == {"days/2026-09-24.html", "topics/world-models.xml", "style.css"}


def test_an_update_that_was_broken_off_goes_on_where_it_was(store: Store, tmp_path: Path) -> None:
    def one_day(orders: Sequence[Order]) -> Iterator[MadeDay]:
        yield from in_turn(store, form())(orders[:1])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        update(store, tmp_path, form(), make=one_day)
    assert "index.html" not in shown(tmp_path)
    assert update(store, tmp_path, form()).days == (MONDAY, TUESDAY)
    assert "index.html" in shown(tmp_path)
    assert not list(tmp_path.rglob("*.new"))


def test_a_lost_memory_costs_an_update_and_writes_the_same(store: Store, tmp_path: Path) -> None:
    update(store, tmp_path, form())
    before = {name: (tmp_path / name).read_bytes() for name in shown(tmp_path)}
    (tmp_path / site_folder.KEPT / "manifest.json").write_text("{", "utf-8")
    update(store, tmp_path, form())
    assert {name: (tmp_path / name).read_bytes() for name in shown(tmp_path)} == before


def test_a_topic_that_is_gone_takes_its_pages_along(store: Store, tmp_path: Path) -> None:
    update(store, tmp_path, form())
    fewer = Form("both", tuple(one for one in topics.catalogue() if one.key != "world-models"))
    outcome = update(store, tmp_path, fewer)
    assert set(outcome.removed) == {
        f"topics/world-models{ending}" for ending in (".html", ".xml", ".json", "/2026-09.html")
    }
    assert not (tmp_path / "topics/world-models.html").exists()
    assert "world-models" not in (tmp_path / "index.html").read_text("utf-8")


def test_a_month_that_a_topic_has_no_more_goes_too(store: Store, tmp_path: Path) -> None:
    update(store, tmp_path, form())
    changed = tuple(
        replace(one, query="nothing-has-this") if one.key == "world-models" else one
        for one in topics.catalogue()
    )
    assert update(store, tmp_path, Form("both", changed)).removed == ("topics/world-models/2026-09.html",)
    page = (tmp_path / "topics/world-models.html").read_text("utf-8")
    assert "Nothing yet." in page
    assert "2026-09.html" not in page


def test_another_language_writes_the_pages_anew(store: Store, tmp_path: Path) -> None:
    update(store, tmp_path, form("en"))
    assert "绳索的世界模型" not in (tmp_path / "days/2026-09-29.html").read_text("utf-8")
    assert update(store, tmp_path, form("zh")).days == (THURSDAY, MONDAY, TUESDAY)
    page = (tmp_path / "days/2026-09-29.html").read_text("utf-8")
    assert '<html lang="zh-Hans">' in page
    assert "绳索的世界模型" in page


def test_an_empty_archive_is_a_site_too(tmp_path: Path) -> None:
    outcome = update(memory_store(), tmp_path, form("en"))
    assert outcome.all_days == 0
    assert "Nothing is in the archive yet." in (tmp_path / "index.html").read_text("utf-8")
    assert "Nothing yet." in (tmp_path / "topics/world-models.html").read_text("utf-8")


def test_somebody_elses_site_is_left_alone(store: Store, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("My home page", "utf-8")
    with pytest.raises(SiteError, match=r"index\.html that is not Paperboy's; name another folder"):
        update(store, tmp_path, form())
    assert shown(tmp_path) == {"index.html"}
    assert (tmp_path / "index.html").read_text("utf-8") == "My home page"


def test_a_folder_that_is_no_folder_is_named(store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(SiteError, match=r"cannot write the site in .*file"):
        update(store, tmp_path / "file" / "site", form())


def test_two_updates_at_once_do_not_mix(store: Store, tmp_path: Path) -> None:
    update(store, tmp_path, form())
    with (tmp_path / site_folder.KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(SiteError, match="another process is writing the site"):
            update(store, tmp_path, form())


def test_what_a_day_remembers_and_somebody_spoilt_is_named(store: Store, tmp_path: Path) -> None:
    update(store, tmp_path, form())
    kept = tmp_path / site_folder.KEPT / "2026-09-29.json"
    kept.write_text(json.dumps({"world-models": [{"id": "x"}]}), "utf-8")
    announce(store, WEDNESDAY, "One more")
    with pytest.raises(SiteError, match=r"2026-09-29\.json is damaged; delete it"):
        update(store, tmp_path, form())
    kept.unlink()
    assert TUESDAY in update(store, tmp_path, form()).days


def test_several_processes_make_the_very_same_site(tmp_path: Path) -> None:
    database = tmp_path / "paperboy.sqlite"
    store = filled(open_store(database))
    announce(store, WEDNESDAY, "A world model of the sea")
    try:
        outcomes: list[Outcome] = [
            update(store, tmp_path / "alone", form()),
            update(store, tmp_path / "many", form(), make=working(store, database, form())),
        ]
    finally:
        store.close()
    assert outcomes[0] == outcomes[1]
    for name in outcomes[0].written:
        assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "many" / name).read_bytes(), name


def test_a_fingerprint_changes_with_everything_that_a_page_shows() -> None:
    store = filled(memory_store())
    seen = {store.archive.fingerprint(TUESDAY)}
    store.archive.store(feed(paper("2609.00007", "New here"), day=TUESDAY), now=MORNING)
    seen.add(store.archive.fingerprint(TUESDAY))
    key = store.archive.day(TUESDAY)[0].key
    store.archive.add_wording(key, Wording("zh", title="新"))
    seen.add(store.archive.fingerprint(TUESDAY))
    batch = store.batches.on(TUESDAY)[0]
    store.batches.put(replace(batch, declared=99))
    seen.add(store.archive.fingerprint(TUESDAY))
    assert len(seen) == 4
    store.batches.put(replace(batch, declared=99, fetched_at=MORNING))
    assert store.archive.fingerprint(TUESDAY) in seen
    assert store.archive.fingerprint(THURSDAY) not in seen
