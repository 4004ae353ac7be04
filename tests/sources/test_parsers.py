"""Small answers of our own: what every parser does with what is odd, broken, hostile or not its own."""

from __future__ import annotations

import contextlib
import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import SourceChanged, UnknownInput
from scheduler.models import AnnounceType
from scheduler.sources import (
    arxiv_abstract,
    arxiv_api,
    arxiv_feed,
    arxiv_listing,
    arxiv_oai,
    biorxiv,
    documents,
    feeds,
    huggingface,
    kinds,
)
from scheduler.sources.papers import UNKNOWN_VERSION, written_date
from tests.sources.captured import counts

NAMESPACES = 'xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:dc="http://purl.org/dc/elements/1.1/"'


def entry(name: str = "2609.00001v1", kind: str = "new", title: str = "A title", extra: str = "") -> str:
    return (
        f"<item><title>{title}</title><link>https://arxiv.org/abs/{name.partition('v')[0]}</link>"
        f"<description>arXiv:{name} Announce Type: {kind} \nAbstract: Words.</description>"
        f'<guid isPermaLink="false">oai:arXiv.org:{name}</guid><category>cs.LG</category>'
        f"<pubDate>Tue, 29 Sep 2026 00:00:00 -0400</pubDate>"
        f"<arxiv:announce_type>{kind}</arxiv:announce_type><dc:creator>Ada B, Bo C</dc:creator>{extra}</item>"
    )


def rss(*entries: str, head: str = "", tail: str = "</channel></rss>") -> bytes:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><rss {NAMESPACES} version="2.0"><channel>'
        "<title>cs.LG updates on arXiv.org</title><link>http://rss.arxiv.org/rss/cs.LG</link>"
        f"<pubDate>Tue, 29 Sep 2026 00:00:00 -0400</pubDate>{head}{''.join(entries)}{tail}"
    ).encode()


def test_a_feeds_entry_is_read_whole() -> None:
    feed = arxiv_feed.parse(rss(entry(extra="<arxiv:DOI>10.1000/x</arxiv:DOI><dc:rights>CC0</dc:rights>")))
    (announcement,) = feed.announcements
    assert (feed.kind, feed.source, feed.category, feed.date) == (
        "arxiv-feed",
        "arxiv",
        "cs.LG",
        date(2026, 9, 29),
    )
    assert (announcement.announce_type, announcement.category) == (AnnounceType.NEW, "cs.LG")
    paper = announcement.paper
    assert (paper.id, paper.version, paper.abstract) == ("2609.00001", 1, "Words.")
    assert (paper.doi, paper.licence, paper.raw_title) == ("10.1000/x", "CC0", "")


def test_the_announcement_date_is_read_in_the_zone_it_is_written_in() -> None:
    late = rss(entry()).replace(b"00:00:00 -0400", b"23:59:00 -1200")
    assert arxiv_feed.parse(late).date == date(2026, 9, 29)


def test_one_bad_entry_is_named_and_the_rest_is_kept() -> None:
    odd = [entry("nonsense"), entry("2609.00002v1", kind="absonly"), entry("2609.00003v1", title="")]
    feed = arxiv_feed.parse(rss(entry(), *odd, entry("2609.00004v2", kind="replace-cross")))
    assert [announcement.paper.id for announcement in feed.announcements] == ["2609.00001", "2609.00004"]
    assert [(problem.entry, problem.problem) for problem in feed.problems] == [
        ("oai:arXiv.org:nonsense", "no paper id"),
        ("2609.00002", "unknown announce type 'absonly'"),
        ("2609.00003", "no title"),
    ]
    assert not feed.truncated


def test_an_ill_formed_entry_in_the_middle_spoils_no_other() -> None:
    feed = arxiv_feed.parse(rss(entry(), entry("2609.00002v1", title="A & B"), entry("2609.00003v1")))
    assert [announcement.paper.id for announcement in feed.announcements] == ["2609.00001", "2609.00003"]
    assert [(problem.entry, problem.problem) for problem in feed.problems] == [
        ("2609.00002v1", "this entry is ill-formed XML")
    ]
    assert not feed.truncated


def test_control_characters_are_no_reason_to_lose_an_entry() -> None:
    feed = arxiv_feed.parse(rss(entry(title="A\x0bB")))
    assert feed.announcements[0].paper.title == "A B"
    assert feed.problems == ()


@given(st.integers(0, 1200))
def test_a_feed_cut_anywhere_keeps_what_is_whole_and_says_so(kept: int) -> None:
    whole = rss(entry(), entry("2609.00002v1"), entry("2609.00003v1"))
    cut = whole[: min(300 + kept, len(whole) - 12)]
    feed = arxiv_feed.parse(cut)
    assert feed.truncated
    assert feed.problems
    assert len(feed.announcements) == cut.count(b"</item>")


def test_exactly_two_thousand_entries_mean_that_some_are_missing() -> None:
    full = rss(*(entry(f"2609.{number:05}v1", kind="replace") for number in range(1, 2001)))
    feed = arxiv_feed.parse(full)
    assert len(feed.announcements) == 2000
    assert feed.truncated
    assert "new papers are missing" in feed.problems[0].problem
    assert not arxiv_feed.parse(
        full.replace(b"<item>", b"<gone>", 1).replace(b"</item>", b"</gone>", 1)
    ).truncated


def test_entities_are_refused() -> None:
    bomb = b'<!DOCTYPE rss [<!ENTITY a "aaaa">]>' + rss(entry(title="&a;")).partition(b"?>")[2]
    with pytest.raises(SourceChanged, match="entities"):
        arxiv_feed.parse(bomb)
    with pytest.raises(SourceChanged, match="no XML"):
        arxiv_feed.parse(b"Rate exceeded.")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
def test_entities_are_refused_in_every_encoding(encoding: str) -> None:
    bomb = '<!DOCTYPE rss [<!ENTITY a "aaaa">]><rss><channel><item><title>&a;</title></item></channel></rss>'
    try:
        feed = arxiv_feed.parse(bomb.encode(encoding))
    except SourceChanged:
        return
    assert "aaaa" not in str(feed)


def test_a_feed_read_in_pieces_says_what_it_says_read_whole() -> None:
    items = [entry(f"2609.{number:05}v1", title=f"Title {number} &amp; é") for number in range(1, 500)]
    body = rss(*items)
    assert len(body) > 2 * documents._PIECE
    whole = arxiv_feed.parse(body.replace(b"<rss", b"<!DOCTYPE rss><rss", 1))
    assert arxiv_feed.parse(body) == whole
    assert arxiv_feed.parse(b"\xef\xbb\xbf" + body) == whole
    assert len(whole.announcements) == 499


LISTING = """<html><body><h3>Showing new listings for Tuesday, 29 September 2026</h3>
<a id="recent-cs.LG" href="/list/cs.LG/recent">recent</a><dl>{sections}</dl>{tail}"""
SECTION = "<h3>{name} submissions (showing {shown} of {all} entries)</h3>{entries}"
ROW = """<dt><a href ="/abs/{id}" title="Abstract">arXiv:{id}</a></dt><dd><div class='list-title'>
<span class='descriptor'>Title:</span> T{id}</div><div class='list-authors'><a>Ada B</a>, <a>Bo C</a></div>
<div class='list-subjects'><span class="primary-subject">X ({primary})</span>; Y (cs.LG)</div></dd>"""
END = "</body></html>"


def listing(*sections: str, tail: str = END) -> bytes:
    return LISTING.format(sections="".join(sections), tail=tail).encode()


def section(name: str, *rows: str, shown: int | None = None, of: int | None = None) -> str:
    number = len(rows) if shown is None else shown
    return SECTION.format(name=name, shown=number, all=number if of is None else of, entries="".join(rows))


def row(paper_id: str, primary: str = "cs.LG") -> str:
    return ROW.format(id=paper_id, primary=primary)


def test_replacements_and_replaced_cross_lists_are_told_apart() -> None:
    page = listing(section("Replacement", row("2601.00001"), row("2601.00002", "stat.ML")))
    feed = arxiv_listing.parse(page)
    assert counts(feed.announcements) == {"replace": 1, "replace-cross": 1}
    assert feed.declared_by_type == {
        AnnounceType.NEW: 0,
        AnnounceType.CROSS: 0,
        AnnounceType.REPLACE: 1,
        AnnounceType.REPLACE_CROSS: 1,
    }
    assert {announcement.paper.version for announcement in feed.announcements} == {UNKNOWN_VERSION}


def test_two_names_of_one_category_are_one_category() -> None:
    page = listing(section("Replacement", row("2601.00001", "eess.SY")))
    assert counts(arxiv_listing.parse(page, "cs.SY").announcements) == {"replace": 1}
    assert arxiv_listing.parse(page, "cs.SY").announcements[0].paper.categories == (
        "eess.SY",
        "cs.SY",
        "cs.LG",
    )


def test_a_page_of_several_says_that_more_is_stated() -> None:
    feed = arxiv_listing.parse(listing(section("New", row("2609.00001"), of=3)))
    assert feed.truncated
    assert feed.declared == 3
    assert [problem.problem for problem in feed.problems] == ["3 entries stated, 1 read"]


def test_a_page_that_breaks_off_gives_its_whole_entries() -> None:
    page = listing(section("New", row("2609.00001"), row("2609.00002"), row("2609.00003")))
    feed = arxiv_listing.parse(page[: page.index(b"T2609.00002") + 5])
    assert [announcement.paper.id for announcement in feed.announcements] == ["2609.00001"]
    assert feed.truncated
    assert feed.problems[0].entry == "2609.00002"
    assert feed.problems[0].problem == "the page breaks off in this entry"


@pytest.mark.parametrize(
    ("page", "missing"),
    [
        (b"<html><body><h1>Hello</h1></body></html>", "no heading with its date"),
        (b"<html><h3>Showing new listings for Tuesday</h3></html>", "no heading with its date"),
        (listing(), "no sections"),
    ],
)
def test_a_page_without_its_landmarks_names_what_is_missing(page: bytes, missing: str) -> None:
    with pytest.raises(SourceChanged, match=missing):
        arxiv_listing.parse(page)


def test_no_updates_is_an_empty_day() -> None:
    feed = arxiv_listing.parse(listing("<p>No updates today.</p>"))
    assert (feed.announcements, feed.errors, feed.declared, feed.truncated) == ((), (), 0, False)


def test_a_papers_page_without_its_landmarks() -> None:
    with pytest.raises(SourceChanged, match="no title"):
        arxiv_abstract.parse(b"<html><body></body></html>")
    with pytest.raises(SourceChanged, match="no paper id"):
        arxiv_abstract.parse(b"<html><body><h1 class='title'>T</h1></body></html>")


OAI = """<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-09-29T00:00:00Z</responseDate>
<request verb="ListRecords" set="math:math:NA">x</request><ListRecords>{records}
<resumptionToken completeListSize="7">abc|1001</resumptionToken></ListRecords></OAI-PMH>"""
DELETED = (
    '<record><header status="deleted"><identifier>oai:arXiv.org:math/0309136</identifier></header></record>'
)
FOREIGN = (
    "<record><header><identifier>oai:arXiv.org:2609.00001</identifier></header>"
    "<metadata><dc/></metadata></record>"
)
UNNAMED = "<record><header><identifier>what</identifier></header></record>"


def test_deleted_records_tokens_and_foreign_formats() -> None:
    feed = arxiv_oai.parse(OAI.format(records=DELETED + FOREIGN + UNNAMED).encode())
    assert feed.removed == ("math/0309136",)
    assert (feed.next_token, feed.declared, feed.category) == ("abc|1001", 7, "math.NA")
    assert [problem.entry for problem in feed.problems] == ["2609.00001", "what"]
    with pytest.raises(SourceChanged, match="OAI-PMH was due"):
        arxiv_oai.parse(rss())


def test_an_api_entry_without_an_id_is_named() -> None:
    body = b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>x</id><title>T</title></entry></feed>'
    assert [problem.entry for problem in arxiv_api.parse(body).problems] == ["x"]
    with pytest.raises(SourceChanged, match="papers were due"):
        arxiv_api.parse(rss())


def test_biorxiv_pages_have_a_cursor_and_odd_postings_are_named() -> None:
    posting = {
        "doi": "10.1101/2026.01.01.1",
        "title": "T",
        "date": "2026-01-02",
        "version": 2,
        "authors": "A, B.; C",
    }
    answer = {
        "messages": [{"status": "ok", "cursor": 30, "total": "100"}],
        "collection": [posting, {"doi": "x"}, {"doi": "10.1101/2026.01.01.2", "title": "T"}, "odd"],
    }
    feed = biorxiv.parse(json.dumps(answer).encode())
    assert feed.next_token == "34"
    assert counts(feed.announcements) == {"replace": 1}
    assert [author.name for author in feed.announcements[0].paper.authors] == ["A, B.", "C"]
    assert [problem.problem for problem in feed.problems] == ["no DOI", "no date", "no DOI"]
    with pytest.raises(SourceChanged, match="no collection"):
        biorxiv.parse(b"{}")
    with pytest.raises(SourceChanged, match="no JSON"):
        biorxiv.parse(b'{"collection": [')
    with pytest.raises(SourceChanged, match="no JSON"):
        biorxiv.parse(b"[" * 100_000)


def test_hugging_face_papers_without_a_day_are_named() -> None:
    feed = huggingface.parse(
        json.dumps([{"paper": {"id": "2609.00001", "title": "T"}}, {"paper": None}]).encode()
    )
    assert [problem.problem for problem in feed.problems] == ["no day", "no arXiv id"]
    with pytest.raises(SourceChanged, match="no list"):
        huggingface.parse(b"{}")


def test_other_feeds_know_arxiv_papers_dois_and_plain_addresses() -> None:
    body = """<rss version="2.0"><channel><title>B</title><link>https://www.example.org/</link>
    <item><title>On 2609</title><link>https://arxiv.org/abs/2609.00001v2</link>
    <pubDate>Tue, 29 Sep 2026 23:30:00 -0700</pubDate>
    <description>&lt;p&gt;See &lt;b&gt;it&lt;/b&gt;&lt;/p&gt;</description></item>
    <item><title>D</title><link>https://doi.org/10.1000/X</link>
    <pubDate>Tue, 29 Sep 2026 00:00:00 GMT</pubDate></item>
    <item><title>P</title><link>https://example.org/p</link>
    <pubDate>Tue, 29 Sep 2026 00:00:00 GMT</pubDate></item>
    <item><title>Undated</title><link>https://example.org/q</link></item></channel></rss>"""
    feed = feeds.parse(body.encode())
    ids = [announcement.paper.id for announcement in feed.announcements]
    assert ids == ["2609.00001", "doi:10.1000/x", "url:https://example.org/p"]
    first = feed.announcements[0]
    assert (first.date, first.paper.version, first.paper.source) == (date(2026, 9, 29), 2, "arxiv")
    assert first.paper.abstract == "See it"
    assert feed.category == "example.org"
    assert [(problem.entry, problem.problem) for problem in feed.problems] == [
        ("https://example.org/q", "no date")
    ]


def test_a_json_feed() -> None:
    answer = {
        "version": "https://jsonfeed.org/version/1.1",
        "home_page_url": "https://example.org",
        "items": [
            {
                "url": "https://example.org/1",
                "title": "T",
                "content_text": "Words.",
                "date_published": "2026-09-29T10:00:00+08:00",
                "authors": [{"name": "Ada"}],
            }
        ],
    }
    feed = kinds.parse(json.dumps(answer).encode())
    (announcement,) = feed.announcements
    assert (feed.kind, feed.category, announcement.date) == ("feed", "example.org", date(2026, 9, 29))
    assert announcement.paper.authors[0].name == "Ada"


def test_a_whole_article_in_a_feed_is_cut_at_a_sentence() -> None:
    article = "This is a sentence of the article. " * 300
    body = f"""<rss version="2.0"><channel><link>https://e.org</link>
    <item><title>T</title><link>https://e.org/1</link>
    <pubDate>Tue, 29 Sep 2026 00:00:00 GMT</pubDate>
    <description>{article}</description></item></channel></rss>"""
    abstract = feeds.parse(body.encode()).announcements[0].paper.abstract
    assert len(abstract) <= feeds.LONGEST_ABSTRACT
    assert abstract.endswith("article.")


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"", "an empty file"),
        (b" \n\xef\xbb\xbf", "an empty file"),
        (b"Rate exceeded.", "Rate exceeded."),
        (b"hello", "plain text"),
        (b"%PDF-1.7\x00\x01\x02\x03\x04\x05\x06\x07\x08", "a binary file"),
        (
            b"<html><h1>503 Service\n Unavailable</h1></html>",
            "an HTML page that is no arXiv listing (“503 Service",
        ),
        (b"<!DOCTYPE html><title>x</title>", "an HTML page that is no arXiv listing"),
        (b"<svg/>", "an XML document <svg>"),
        (b'{"a": 1}', "a JSON document of another kind"),
        (b"[1]", "a JSON document of another kind"),
        (b"<", "a file that begins like XML"),
    ],
)
def test_unknown_input_is_named_in_one_line_with_the_known_kinds(body: bytes, found: str) -> None:
    with pytest.raises(UnknownInput) as caught:
        kinds.recognise(body)
    message = str(caught.value)
    assert found in message
    assert "known kinds: arxiv-feed, arxiv-listing" in message
    assert "\n" not in message


def test_every_kind_is_recognised_from_its_content() -> None:
    bodies = {
        "arxiv-feed": rss(),
        "arxiv-listing": listing("No updates today"),
        "arxiv-abstract": b'<!DOCTYPE html><html><meta name="citation_arxiv_id" content="2609.00001"></html>',
        "arxiv-api": b'<feed xmlns:opensearch="x"><id>https://arxiv.org/api/x</id></feed>',
        "arxiv-oai": b"<?xml version='1.0'?>\n<OAI-PMH/>",
        "biorxiv": b'{"messages": [], "collection": []}',
        "huggingface": b'[{"paper": {}}]',
        "feed": b"<!-- x --><rss><channel/></rss>",
    }
    assert {kind: kinds.recognise(body) for kind, body in bodies.items()} == {kind: kind for kind in bodies}
    assert set(bodies) == set(kinds.PARSERS)


def test_a_kind_that_was_said_is_believed_and_checked() -> None:
    assert kinds.parse(rss(entry()), "arxiv-feed").kind == "arxiv-feed"
    with pytest.raises(UnknownInput, match="no kind 'rss'"):
        kinds.parse(rss(), "rss")
    with pytest.raises(UnknownInput, match="no arxiv-oai answer"):
        kinds.parse(rss(), "arxiv-oai")


@given(st.binary(max_size=400), st.sampled_from([None, *kinds.PARSERS]))
def test_no_bytes_make_a_parser_fall_over(body: bytes, kind: str | None) -> None:
    with contextlib.suppress(UnknownInput):
        kinds.parse(body, kind)


def test_dates_as_pages_write_them() -> None:
    assert written_date("Showing new listings for Monday, 30 November 2026") == date(2026, 11, 30)
    assert written_date("Catchup results for Machine Learning on Wed, 25 Nov 2026") == date(2026, 11, 25)
    assert written_date("31 February 2026") is None
    assert written_date("no date") is None
