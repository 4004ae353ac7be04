"""Real answers captured by public projects, against right values worked out without these parsers."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from scheduler.errors import UnknownInput
from scheduler.models import EntryProblem, Paper, ParsedFeed
from scheduler.sources import feeds, kinds
from tests.sources.captured import captured, counts

pytestmark = pytest.mark.shared


def read(name: str, category: str = "") -> ParsedFeed:
    return kinds.parse(captured(name), category=category)


def names(paper: Paper) -> list[str]:
    return [author.name for author in paper.authors]


def announced(feed: ParsedFeed) -> dict[str, Paper]:
    return {str(announcement.paper.id): announcement.paper for announcement in feed.announcements}


def test_a_feed_that_breaks_off_gives_its_86_whole_entries() -> None:
    feed = read("arxiv_atom2024_cs.AI_2025-08-20_truncated86.xml")
    papers = announced(feed)
    assert feed.truncated
    assert feed.problems == (EntryProblem("2508.13435v1", "the answer breaks off in this entry"),)
    assert len(papers) == 86
    assert counts(feed.announcements) == {"new": 41, "cross": 45}
    assert {announcement.date for announcement in feed.announcements} == {date(2025, 8, 20)}
    first, *_, last = papers.values()
    assert (first.id, first.version, last.id) == ("2508.13167", 1, "2508.13434")
    assert len(first.authors) == 30
    assert names(first)[0] == "Weizhen Li"
    assert papers["2508.00875"].doi == "10.7249/PEA3971-1"
    journal = "2025 IEEE/RSJ international conference on intelligent robots and systems (IROS)"
    assert papers["2508.13303"].journal_ref == journal
    assert "<think>" in papers["2508.13382"].abstract
    assert "<answer>" in papers["2508.13382"].abstract
    assert "p < 0.001" in papers["2508.13171"].abstract
    assert names(papers["2508.13177"])[:3] == ["Nikola Pižurica", "Nikola Milović", "Igor Jovančević"]
    every = {name for paper in papers.values() for name in names(paper)}
    assert every >= {
        "Jörg Deigmöller",
        "Jan Jakubův",
        "Mikoláš Janota",
        "Daniel Fišer",
        "Jörg Hoffmann",
        "Hendrik Kraß",
        "Alán Aspuru-Guzik",
        "Anders Søgaard",
        "Inès Blin",
        "Alexander Rodríguez",
        "Paulo André Lima de Castro",
    }
    assert not any(set(name) & set("\\{}") for name in every)


def test_a_whole_atom_feed() -> None:
    feed = read("arxiv_atom2024_cs.AI_2025-08-20_7entries.xml")
    assert counts(feed.announcements) == {"cross": 5, "new": 2}
    assert next(iter(announced(feed))) == "2508.13426"
    assert "Paulo André Lima de Castro" in names(announced(feed)["2508.13429"])


def test_a_cross_list_at_version_two_is_no_replacement() -> None:
    feed = read("arxiv_rss2024_multicat_2026-09-24.xml")
    assert counts(feed.announcements) == {"new": 2, "cross": 1, "replace": 1}
    papers = announced(feed)
    old = papers["2205.06398"]
    assert (old.version, old.primary_category, old.doi) == (2, "stat.ME", "10.1093/bioinformatics/btac431")
    assert names(old) == ["Pritam Dey", "Zhengwu Zhang", "David B. Dunson"]
    assert papers["2009.13987"].version == 3
    assert len(papers["2609.26820"].authors) == 3
    assert feed.category == "cs.LG+cs.AI+cs.CL+stat.ML"


def test_a_weekend_is_quiet() -> None:
    feed = read("arxiv_rss2024_weekend_empty_2026-08-01.xml")
    assert (feed.announcements, feed.errors, feed.truncated) == ((), (), False)
    assert feed.date == date(2026, 8, 1)
    assert feed.built == datetime(2026, 8, 1, 4, 0, 14, tzinfo=UTC)


def test_api_answers() -> None:
    (paper,) = read("arxiv_api2016_id_1111.2011v2.xml").papers
    assert (paper.id, paper.version, paper.primary_category) == ("1111.2011", 2, "cond-mat.str-el")
    assert paper.title == (
        "Quantum Criticality for Extended Nodes on a Bethe Lattice in the Large Connectivity Limit"
    )
    assert names(paper) == ["James M. Murray", "Adrian Del Maestro", "Zlatko Tesanovic"]
    assert paper.submitted == datetime(2011, 11, 8, 18, 48, 36, tzinfo=UTC)
    assert paper.updated == datetime(2012, 4, 2, 12, 38, 54, tzinfo=UTC)
    assert paper.doi == "10.1103/PhysRevB.85.115117"
    (bases,) = read("arxiv_api2026_id_1605.08386.xml").papers
    assert (bases.id, bases.version, bases.primary_category) == ("1605.08386", 1, "math.CO")
    assert names(bases) == ["Caprice Stanley", "Tobias Windisch"]
    (sparticle,) = read("arxiv_api2026_oldid_hep-ex_0406020v1.xml").papers
    assert (sparticle.id, sparticle.version, names(sparticle)) == ("hep-ex/0406020", 1, ["Alessia Tricomi"])
    assert sparticle.authors[0].affiliation == "for the ATLAS and CMS Collaborations"
    (zero,) = read("arxiv_api2026_title_is_zero.xml").papers
    assert (zero.id, zero.title, zero.primary_category) == ("2104.12255", "0", "cs.CR")
    assert "$35,000 in total" in zero.abstract


def test_api_answers_without_papers() -> None:
    empty = read("arxiv_api2026_empty_id_0000.0000.xml")
    assert (empty.papers, empty.errors, empty.declared) == ((), (), 0)
    wrong = read("arxiv_api2026_err_incorrect_id_HTTP400.xml")
    assert (wrong.papers, wrong.errors) == ((), ("incorrect id format for abc",))


def test_slices_of_one_search() -> None:
    first, later = (
        read("arxiv_api2026_search_testing_start5_m15.xml"),
        read("arxiv_api2026_search_testing_start40.xml"),
    )
    assert (len(first.papers), len(later.papers)) == (15, 10)
    assert first.declared == later.declared == 214881
    assert not {paper.id for paper in first.papers} & {paper.id for paper in later.papers}


def test_oai_records() -> None:
    feed = read("oai_arXiv_ListRecords_hep-th.xml")
    found = {str(paper.id): paper for paper in feed.papers}
    assert {key: len(paper.authors) for key, paper in found.items()} == {
        "1412.8323": 1,
        "1507.07790": 2,
        "1607.01710": 5,
    }
    assert found["1412.8323"].primary_category == "quant-ph"
    assert found["1507.07790"].journal_ref == "J. Phys. A: Math. Theor. 51 (2018) 035201"
    (planck,) = read("oai_arXiv_rec0.xml").papers
    assert (planck.id, len(planck.authors), names(planck)[0]) == ("1601.03238", 5, "Planck Collaboration")
    assert planck.doi == "10.1103/PhysRevD.93.016005"
    (icecube,) = read("oai_arXiv_rec1.xml").papers
    assert names(icecube) == ["Teresa Maria Montaruli for the IceCube Collaboration"]
    (bicep,) = read("oai_arXiv_rec4_suffix.xml").papers
    assert (
        bicep.title
        == "BICEP2 / Keck Array VII: Matrix based E/B Separation applied to BICEP2 and the Keck Array"
    )
    assert len(bicep.authors) == 66
    assert names(bicep)[0] == "Keck Array"
    assert names(bicep)[-1] == "K. W. Yoon"


def test_oai_errors() -> None:
    bad = read("oai_generic_badResumptionToken.xml")
    assert bad.errors == ("badResumptionToken: This resumptionToken is invalid",)
    assert bad.next_token == ""
    assert read("oai_generic_noRecordsMatch.xml").errors == ()


def test_biorxiv_postings() -> None:
    feed = read("biorxiv_details_2026-07-15.json")
    assert (feed.declared, feed.date, len(feed.announcements)) == (3, date(2026, 7, 15), 3)
    paper = announced(feed)["doi:10.64898/2025.12.19.695336"]
    assert (paper.version, len(paper.authors)) == (3, 10)
    assert (names(paper)[0], names(paper)[-1]) == ("Dubois, Q.", "Gueguen, E.")
    assert counts(feed.announcements) == {"new": 2, "replace": 1}
    assert feed.next_token == ""


def test_daily_papers_of_hugging_face() -> None:
    feed = read("hf_daily_papers_2026-07-31.json")
    found = announced(feed)
    assert list(found) == ["2607.23193", "2607.27958", "2607.28582", "2607.28308", "2607.16922"]
    assert feed.date == date(2026, 7, 31)
    assert found["2607.27958"].title.startswith("Σ-Mem: An Online Reliability Memory for LLM-based")
    assert found["2607.28582"].title.startswith("β-OPSD: ")
    assert [len(paper.authors) for paper in found.values()] == [6, 3, 5, 3, 9]


def test_a_blog() -> None:
    feed = read("feed_bair_blog.xml")
    papers = [announcement.paper for announcement in feed.announcements]
    assert len(papers) == 3
    assert papers[0].title == "Gradient-based Planning for World Models at Longer Horizons"
    assert papers[0].submitted is not None
    assert papers[0].submitted.isoformat() == "2026-04-20T02:00:00-07:00"
    assert feed.announcements[0].date == date(2026, 4, 20)
    assert papers[0].abstract.startswith("GRASP is a new gradient-based planner")
    assert "font-size" not in papers[0].abstract


def test_ill_formed_feeds_end_quickly_and_say_so() -> None:
    cut = read("ill_rss_incomplete_cdata.xml")
    assert cut.announcements == ()
    assert cut.truncated
    assert cut.problems
    with pytest.raises(UnknownInput, match="names no encoding and is not UTF-8"):
        read("ill_chardet_koi8r.xml")
    named = feeds.parse(captured("ill_chardet_koi8r.xml"), charset="koi8-r")
    assert [(problem.entry, problem.problem) for problem in named.problems] == [
        ("Как пережить новогоднюю ночь", "no address")
    ]


def test_the_listing_excerpt() -> None:
    feed = read("arxiv_listing_cs_new_2026-08-12_excerpt.html", category="cs")
    assert feed.date == date(2026, 8, 12)
    assert counts(feed.announcements) == {"new": 2, "cross": 2, "replace": 2}
    papers = announced(feed)
    assert names(papers["2608.09949"]) == ["Serge Kernbach"]
    assert papers["2608.09949"].primary_category == "cs.AI"
    assert names(papers["2608.09967"]) == ["Tamar Gozlan", "Claudia V. Goldman"]
    assert (papers["2608.09949"].version, papers["2112.07752"].version) == (1, 5)
    assert papers["2607.28646"].journal_ref == "2026 Narrative Inquiry 23 (2)"
    assert papers["2607.28646"].title.startswith('"YES! YES! I absolutely love this insight!"')
    assert "5–6%" in papers["2505.23399"].abstract
