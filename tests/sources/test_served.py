"""Everything that arXiv's own software served, against the tables that say what is in it."""

from __future__ import annotations

from collections import defaultdict

import pytest

from scheduler.errors import UnknownInput
from scheduler.models import AnnounceType, Paper, ParsedFeed
from scheduler.sources import kinds
from scheduler.sources.papers import UNKNOWN_VERSION
from scheduler.text import clean
from tests.sources.captured import captured, counts, table

pytestmark = pytest.mark.shared

MANIFEST = table("MANIFEST.tsv")
EXPECTED: dict[str, list[dict[str, str]]] = defaultdict(list)
for row in table("EXPECT.tsv"):
    EXPECTED[row["file"]].append(row)

KINDS = {"rss": "arxiv-feed", "atom": "arxiv-feed", "listnew": "arxiv-listing", "catchup": "arxiv-listing"}
KINDS |= {"abs": "arxiv-abstract", "api": "arxiv-api", "oai": "arxiv-oai"}


def read(name: str) -> ParsedFeed:
    return kinds.parse(captured(f"served/{name}"))


def papers_of(feed: ParsedFeed) -> list[Paper]:
    return [*(announcement.paper for announcement in feed.announcements), *feed.papers]


def test_the_tables_are_there() -> None:
    if not MANIFEST:
        pytest.skip("shared/feeds/served is not beside this checkout")
    assert len(MANIFEST) == 22
    assert sum(map(len, EXPECTED.values())) == 248


@pytest.mark.parametrize("row", MANIFEST, ids=lambda row: row["file"])
def test_each_answer_has_its_kind_its_counts_and_its_ends(row: dict[str, str]) -> None:
    if row["file"] == "catchup_old_400.html":
        with pytest.raises(UnknownInput, match="Catchup only allowed for past 90 days"):
            read(row["file"])
        return
    feed = read(row["file"])
    assert feed.kind == KINDS[row["file"].partition("_")[0]]
    assert not feed.truncated
    assert feed.problems == ()
    if row["items"] == "-":
        return
    found = papers_of(feed)
    assert len(found) == int(row["items"])
    if feed.kind in ("arxiv-feed", "arxiv-listing"):
        stated = {kind: int(row[str(kind).replace("-", "_")]) for kind in AnnounceType}
        assert counts(feed.announcements) == {str(kind): count for kind, count in stated.items() if count}
        if feed.kind == "arxiv-listing":
            assert feed.declared == int(row["items"])
            assert feed.declared_by_type == stated
    if found and row["file"] != "api_id_list.xml":
        assert (found[0].id, found[-1].id) == (row["first_id"], row["last_id"])


@pytest.mark.parametrize("name", EXPECTED)
def test_each_paper_has_its_version_type_categories_and_title(name: str) -> None:
    feed = read(name)
    found = {paper.id: paper for paper in papers_of(feed)}
    types = {announcement.paper.id: str(announcement.announce_type) for announcement in feed.announcements}
    order = [str(paper_id) for paper_id in found]
    rows = EXPECTED[name]
    if feed.kind == "arxiv-api":
        order.sort()
    assert order == [row["id"] for row in rows]
    for row in rows:
        paper = next(paper for paper in found.values() if paper.id == row["id"])
        assert paper.title == clean(row["title_as_stored"])
        assert paper.primary_category == row["primary"]
        assert sorted(paper.categories) == sorted(row["categories"].split())
        assert paper.version in (int(row["version"]), UNKNOWN_VERSION)
        assert types.get(paper.id, "") == row["type"]


@pytest.mark.parametrize("name", ["rss_cs.LG.xml", "oai_listrecords_arXivRaw_cs.LG.xml", "api_id_list.xml"])
def test_feed_api_and_raw_records_know_every_version(name: str) -> None:
    found = {str(paper.id): paper.version for paper in papers_of(read(name))}
    assert found == {row["id"]: int(row["version"]) for row in EXPECTED[name]}


def test_every_surface_gives_the_same_words() -> None:
    """The feed and arXivRaw have raw TeX, pages, arXiv format and API Unicode: clean, they agree."""
    names = ["rss_cs.LG.xml", "listnew_cs.LG.html", "oai_listrecords_arXivRaw_cs.LG.xml", "api_id_list.xml"]
    names += ["oai_listrecords_arXiv_cs.LG.xml", "catchup_cs.LG_2026-11-30_abs.html", "atom_cs.LG+cs.AI.xml"]
    for name in names:
        paper = next(paper for paper in papers_of(read(name)) if paper.id == "2611.03005")
        assert paper.title == (
            "Rates of O(n^(-1/2)) for ℓ₁: Gödel's étude & not bold, 50% off_line *star* [2026-11-30]"
        )
        assert paper.abstract == (
            "We show a<b and c>d & more, with 𝒪(log n) regret for Søren's 5% case; see https://example.org/x_y."
        )
        assert [author.name for author in paper.authors] == [
            "René Müller",
            "Jarł Włodarczyk",
            "Éva Nagy-Szűcs",
        ]
        assert paper.raw_title.startswith("Rates of $O(n^{-1/2})$")


def test_affiliations_collaborations_and_blanks_in_names() -> None:
    for name in ("rss_cs.LG.xml", "listnew_cs.LG.html", "oai_listrecords_arXivRaw_cs.LG.xml"):
        found = {paper.id: paper.authors for paper in papers_of(read(name))}
        by_number = {
            str(paper_id): [author.name for author in authors] for paper_id, authors in found.items()
        }
        assert by_number["2611.03006"] == ["A. B. First", "Carla Second Jr.", "D. van der Third"]
        assert by_number["2611.03007"] == ["INVENT Collaboration", "A. Aa", "B. Bb", "C. Cc"]
        assert by_number["2611.03009"] == ["Zoë Müller", "王小明"]
        assert len(by_number["2611.03008"]) == 35
    listed = {str(paper.id): paper.authors for paper in papers_of(read("listnew_cs.LG.html"))}
    assert listed["2611.03006"][0].affiliation == "Invented Inst. of Tech; Madeup Lab, Springfield"
    queried = {str(paper.id): paper.authors for paper in papers_of(read("api_id_list.xml"))}
    assert queried["2611.03006"][0].affiliation == "Invented Inst. of Tech; Madeup Lab, Springfield"


def test_a_withdrawal_shows_wherever_there_are_comments() -> None:
    names = [
        "listnew_cs.LG.html",
        "catchup_cs.LG_2026-11-30_abs.html",
        "api_id_list.xml",
        "abs_withdrawn.html",
    ]
    names += ["oai_listrecords_arXivRaw_cs.LG.xml", "oai_listrecords_arXiv_cs.LG.xml"]
    for name in names:
        withdrawn = [str(paper.id) for paper in papers_of(read(name)) if paper.withdrawn]
        assert withdrawn == ["2610.03020"], name


def test_the_withdrawn_papers_page() -> None:
    (paper,) = read("abs_withdrawn.html").papers
    assert (paper.id, paper.version, paper.primary_category) == ("2610.03020", 2, "cs.LG")
    assert paper.comments == "This paper has been withdrawn by the author due to an error in Theorem 1"
    assert paper.abstract == "An invented abstract, one plain line."
    assert paper.submitted is not None
    assert paper.submitted.isoformat() == "2026-09-29T15:30:00+00:00"
    assert paper.updated is not None
    assert paper.updated.isoformat() == "2026-11-27T15:30:00+00:00"


def test_feed_dates_are_new_yorks_and_pages_say_their_own() -> None:
    dates = {
        "rss_cs.LG.xml": "2026-11-30",
        "rss_cs.LG_monday_not_yet.xml": "2026-11-30",
        "rss_cs.LG_saturday_empty.xml": "2026-11-28",
        "atom_cs.LG+cs.AI.xml": "2026-11-30",
        "listnew_cs.LG_saturday_still_friday.html": "2026-11-27",
        "listnew_q-bio.TO_empty.html": "2026-11-30",
        "catchup_cs.LG_saturday_empty.html": "2026-11-28",
        "catchup_cs.LG_2026-11-25_noabs.html": "2026-11-25",
    }
    assert {name: str(read(name).date) for name in dates} == dates


def test_errors_are_told_apart_from_quiet_days() -> None:
    (error,) = read("rss_badcat_400.xml").errors
    assert error.startswith("Bad subject class 'XX'.")
    assert read("api_bad_id_400.xml").errors == ("incorrect id format for nonsense",)
    for name in ("oai_none_match.xml", "listnew_q-bio.TO_empty.html", "rss_cs.LG_saturday_empty.xml"):
        assert read(name).errors == ()


def test_the_requests_category_is_known_from_the_answer() -> None:
    names = {
        "rss_cs.LG.xml": "cs.LG",
        "atom_cs.LG+cs.AI.xml": "cs.LG+cs.AI",
        "listnew_cs.LG.html": "cs.LG",
        "listnew_cs.html": "cs",
        "catchup_stat.ML_2026-11-30_abs.html": "stat.ML",
        "oai_listrecords_arXiv_cs.LG.xml": "cs.LG",
    }
    assert {name: read(name).category for name in names} == names


def test_journal_doi_licence_and_comments_are_kept() -> None:
    (paper,) = [paper for paper in papers_of(read("rss_cs.LG.xml")) if paper.id == "2611.03011"]
    assert paper.doi == "10.0000/invented.2026.1"
    assert paper.journal_ref == "Inv. J. Tests 12 (2026) 34-56"
    assert paper.licence == "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"
    (listed,) = [paper for paper in papers_of(read("listnew_cs.LG.html")) if paper.id == "2611.03002"]
    assert listed.comments == "12 pages, 3 figures, code at https://example.org/invented"
