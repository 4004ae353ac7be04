"""What trying arXiv's own services showed (the facts' section 7), a check for each finding, on what they served."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest

from scheduler import jobs, query
from scheduler.errors import UnknownInput
from scheduler.models import AnnounceType, BatchState, ChangeKind, Paper, PaperId, ParsedFeed
from scheduler.probing import is_checked
from scheduler.sources import arxiv_feed, arxiv_listing, kinds
from scheduler.sources.http import Lane, WebClient
from scheduler.sources.papers import UNKNOWN_VERSION
from tests.builders import feed, memory_store, paper
from tests.sources.arxiv_server import Reply, arxiv_server
from tests.sources.captured import captured
from tests.sources.test_parsers import entry, rss

MONDAY = date(2026, 11, 30)
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def served(name: str) -> ParsedFeed:
    return kinds.parse(captured(f"served/{name}"))


def papers_of(answer: ParsedFeed) -> dict[str, Paper]:
    return {str(one.id): one for one in (*(each.paper for each in answer.announcements), *answer.papers)}


def a_full_feed_has_lost_new_papers() -> None:
    replaced = [entry(f"2601.{number:05}v2", kind="replace") for number in range(1, 1998)]
    full = arxiv_feed.parse(
        rss(*replaced, entry("2609.00001v1"), entry("2609.00002v1"), entry("2609.00003v1"))
    )
    assert full.truncated
    store = memory_store()
    batch = jobs.take_feed(store, full, "cs.LG", date(2026, 9, 29), datetime(2026, 9, 29, 12, tzinfo=UTC))
    assert batch.state is BatchState.PARTIAL
    assert not is_checked(batch)


def an_empty_feed_is_quiet_on_saturday_and_waited_for_on_monday() -> None:
    states = {}
    for name in ("rss_cs.LG_saturday_empty.xml", "rss_cs.LG_monday_not_yet.xml"):
        batch = jobs.take_captured(memory_store(), served(name), NOON)
        assert batch is not None
        states[name] = (str(batch.date), batch.state)
    assert list(states.values()) == [("2026-11-28", BatchState.QUIET), ("2026-11-30", BatchState.WAITING)]
    quiet = jobs.take_listing(
        memory_store(), served("listnew_q-bio.TO_empty.html"), {}, "q-bio.TO", MONDAY, NOON
    )
    assert quiet.state is BatchState.QUIET


def a_listing_has_the_date_of_its_heading() -> None:
    still_friday = served("listnew_cs.LG_saturday_still_friday.html")
    assert (still_friday.date, len(still_friday.announcements)) == (date(2026, 11, 27), 19)
    assert served("listnew_q-bio.TO_empty.html").announcements == ()
    assert served("catchup_cs.LG_saturday_empty.html").date == date(2026, 11, 28)


def an_unchanged_feed_is_known_by_its_content() -> None:
    body = captured("served/rss_cs.LG.xml")
    reply = Reply(body, headers={"ETag": "unquoted-and-of-the-build-time"})

    async def asked_twice() -> list[bool]:
        async with arxiv_server(reply) as server, WebClient() as client:
            lane = Lane("arxiv", "server", "queue", 0.0)
            return [
                (await client.fetch(server.url, lane, accept="*/*", conditional=True)).is_news
                for _ in range(2)
            ]

    assert asyncio.run(asked_twice()) == [True, False]
    atom = served("atom_cs.LG+cs.AI.xml")
    assert atom.built is not None
    assert (atom.date, {one.date for one in atom.announcements}) == (MONDAY, {MONDAY})
    assert atom.built.hour != 5, "updated is when it was made, not New York's midnight"


def raw_tex_and_unicode_are_the_same_words() -> None:
    surfaces = [
        papers_of(served(name)) for name in ("rss_cs.LG.xml", "listnew_cs.LG.html", "api_id_list.xml")
    ]
    assert len({one["2611.03005"].title for one in surfaces}) == 1
    assert "Gödel's étude" in surfaces[0]["2611.03005"].title
    assert r"G\"odel" in surfaces[0]["2611.03005"].raw_title


def blanks_before_names_are_no_names() -> None:
    found = papers_of(served("rss_cs.LG.xml"))
    assert found["2611.03007"].authors[0].name == "INVENT Collaboration"
    assert all(author.name == author.name.strip() != "" for one in found.values() for author in one.authors)
    assert not any("  " in author.name for one in found.values() for author in one.authors)


def only_comments_tell_of_a_withdrawal() -> None:
    store = memory_store()
    kept = feed(paper("2610.03020", "A Paper To Be Withdrawn"), day=date(2026, 10, 1))
    store.archive.store(kept, now=NOON)
    jobs.take_feed(store, served("rss_cs.LG.xml"), "cs.LG", MONDAY, NOON)
    known = store.archive.by_id(PaperId("2610.03020"))
    assert known is not None
    assert (known.paper.version, known.paper.withdrawn) == (2, False)
    jobs.take_listing(store, served("listnew_cs.LG.html"), {}, "cs.LG", MONDAY, NOON)
    known = store.archive.by_id(PaperId("2610.03020"))
    assert known is not None
    assert (known.paper.version, known.paper.withdrawn) == (2, True)
    kinds_of_change = [change.kind for change in store.archive.changes_since(0, [known.key])]
    assert kinds_of_change[0] is ChangeKind.VERSION
    assert kinds_of_change[-1] is ChangeKind.WITHDRAWN


def late_replacements_are_in_oai_alone() -> None:
    hidden = {"2610.03021": 6, "2610.03022": 1}
    announced = {**papers_of(served("rss_cs.LG.xml")), **papers_of(served("listnew_cs.LG.html"))}
    assert not hidden.keys() & announced.keys()
    harvested = papers_of(served("oai_listrecords_arXivRaw_cs.LG.xml"))
    assert {name: harvested[name].version for name in hidden} == hidden
    assert harvested["2610.03022"].journal_ref
    store = memory_store()
    jobs.take_feed(store, served("rss_cs.LG.xml"), "cs.LG", MONDAY, NOON)
    batch = jobs.take_listing(store, served("listnew_cs.LG.html"), {}, "cs.LG", MONDAY, NOON)
    assert batch.state is BatchState.FRESH, "what neither surface has does not make a day incomplete"


def surfaces_of_one_day_differ() -> None:
    archive, category = papers_of(served("listnew_cs.html")), papers_of(served("listnew_cs.LG.html"))
    assert len(archive) == 26
    assert category.keys() - archive.keys() == {"2610.03016"}, (
        "a cross-list inside cs is none on the page of cs"
    )
    caught_up = served("catchup_stat.ML_2026-11-30_abs.html")
    crossed_elsewhere = {str(one.paper.id): one.announce_type for one in caught_up.announcements}
    assert crossed_elsewhere["2610.03017"] is AnnounceType.CROSS


def two_names_are_one_category() -> None:
    store = memory_store()
    for name in ("rss_cs.LG.xml", "listnew_cs.LG.html"):
        one = papers_of(served(name))["2611.03012"]
        assert set(one.categories) == {"eess.SY", "cs.SY", "cs.LG"}
        assert one.primary_category == "eess.SY"
    store.archive.store(served("rss_cs.LG.xml"), now=NOON)
    for text in ("cat:cs.SY", "cat:eess.SY"):
        found = store.archive.search(query.parse(text), today=MONDAY, limit=9)
        assert [one.paper.id for one in found.papers] == ["2611.03012"]


def bad_input_is_an_error_and_nothing_found_is_none() -> None:
    assert served("rss_badcat_400.xml").errors[0].startswith("Bad subject class 'XX'.")
    assert served("api_bad_id_400.xml").errors == ("incorrect id format for nonsense",)
    nothing = served("oai_none_match.xml")
    assert (nothing.errors, nothing.papers) == ((), ())
    with pytest.raises(UnknownInput, match="Catchup only allowed for past 90 days"):
        served("catchup_old_400.html")
    assert arxiv_listing.PAGE in (25, 50, 100, 250, 500, 1000, 2000)


def an_old_days_page_takes_no_newer_version_back() -> None:
    page = served("catchup_cs.LG_2026-11-25_noabs.html")
    replaced = next(one for one in page.announcements if one.announce_type is AnnounceType.REPLACE)
    assert replaced.paper.version == UNKNOWN_VERSION
    store = memory_store()
    newest = paper(str(replaced.paper.id), "A newer title", "Newer words", version=4)
    store.archive.store(feed(newest, day=date(2026, 11, 27)), now=NOON)
    store.archive.store(page, now=NOON)
    known = store.archive.by_id(replaced.paper.id)
    assert known is not None
    assert (known.paper.version, known.paper.title, known.paper.abstract) == (
        4,
        "A newer title",
        "Newer words",
    )


FINDINGS: dict[int, Callable[[], None]] = {
    1: a_full_feed_has_lost_new_papers,
    2: an_empty_feed_is_quiet_on_saturday_and_waited_for_on_monday,
    3: a_listing_has_the_date_of_its_heading,
    4: an_unchanged_feed_is_known_by_its_content,
    5: raw_tex_and_unicode_are_the_same_words,
    6: blanks_before_names_are_no_names,
    7: only_comments_tell_of_a_withdrawal,
    8: late_replacements_are_in_oai_alone,
    9: surfaces_of_one_day_differ,
    10: two_names_are_one_category,
    11: bad_input_is_an_error_and_nothing_found_is_none,
    12: an_old_days_page_takes_no_newer_version_back,
}


@pytest.mark.shared
@pytest.mark.parametrize("number", FINDINGS, ids=lambda number: f"{number}-{FINDINGS[number].__name__}")
def test_finding(number: int) -> None:
    FINDINGS[number]()
