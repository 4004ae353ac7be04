"""`paperboy import`: bilingual digests read, mended, checked and archived; printed, they can be read again."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, date, datetime
from io import StringIO
from pathlib import Path

import pytest

from bot.cli import main
from bot.importing import from_paths
from bot.views import digest_of, write
from scheduler import importing, seeds
from scheduler.errors import UnknownInput
from scheduler.models import AnnounceType, Author, Paper, PaperId, Wording, WordingStatus
from scheduler.sources import digests
from scheduler.store import Store
from tests.bilingual import SOUND
from tests.builders import SHARED, TUESDAY, feed, memory_store

NOW = datetime(2026, 9, 29, 15, tzinfo=UTC)
HEAD = (
    "生成时间: 2026-09-29 22:49:42 (UTC+8); Arxiv 发布时间: 2026-09-29 20:00 EDT (2026-09-30 08:00 UTC+8)\n\n"
    "今天共有 {count} 篇相关文章\n"
)
KITES, BUOYS, ORCHARD = SOUND[:3]


def entry(one: Paper, words: Wording, *, abstract_zh: str | None = None) -> str:
    return "\n".join(
        [
            f"\n{one.title}\n\n{words.title}\n",
            "• Authors: Ada Lovelace, José Ñandú (Institute of Wind, Lima), Wei Zhang",
            "• Subjects: Subjects: Machine Learning (cs.LG); Robotics (cs.RO)",
            f"• Arxiv link: https://arxiv.org/abs/{one.id}",
            f"• Pdf link: https://arxiv.org/pdf/{one.id}",
            f"• Abstract {one.abstract}",
            f"• 中文摘要 {words.abstract if abstract_zh is None else abstract_zh}",
        ]
    )


DIGEST = "\n".join(
    [
        HEAD.format(count=3),
        "Keyword: kites",
        entry(KITES[0], KITES[1], abstract_zh=KITES[1].abstract.replace("3.6k", "36k")),
        entry(*BUOYS, abstract_zh="⚠️ 翻译失败"),
        "\nKeyword: orchards",
        entry(*ORCHARD),
    ]
)


def imported(store: Store, text: str = DIGEST) -> importing.Imported:
    return importing.store_digest(store, digests.parse(text.encode()), seeds.glossary(), NOW)


def papers_of(
    store: Store, day: date = TUESDAY
) -> dict[PaperId, tuple[Paper, AnnounceType, dict[str, Wording]]]:
    return {
        one.paper.id: (one.paper, one.announce_type, dict(one.wordings)) for one in store.archive.day(day)
    }


def printed(store: Store, lang: str = "both") -> str:
    return write(digest_of(store, TUESDAY, "kite* OR buoys OR apples", None, NOW), "text", lang, "UTC", NOW)


def test_every_field_is_read_and_what_is_wrong_is_mended() -> None:
    read = digests.parse(DIGEST.encode())
    assert (read.date, read.corrected, read.declared, read.problems) == (TUESDAY, True, 3, ())
    assert read.claimed is not None
    assert read.claimed.isoformat() == "2026-09-29T20:00:00-04:00"
    assert read.keywords == {"kites": 2, "orchards": 1}
    first, second, _ = read.entries
    assert first.paper == replace(
        KITES[0],
        version=0,
        authors=(
            Author("Ada Lovelace"),
            Author("José Ñandú", "Institute of Wind, Lima"),
            Author("Wei Zhang"),
        ),
        categories=("cs.LG", "cs.RO"),
    )
    assert (second.translation_failed, second.wordings[0].title, second.wordings[0].abstract) == (
        True,
        BUOYS[1].title,
        "",
    )


def test_an_import_archives_checks_and_changes_nothing_when_it_is_repeated() -> None:
    store = memory_store()
    first = imported(store)
    assert (first.papers, first.new, first.untranslated) == (3, 3, (BUOYS[0].id,))
    assert [(flag.kind, flag.detail) for flag in first.flagged[KITES[0].id]] == [("number", "3.6k → 36k")]
    before, changes = papers_of(store), store.db.conn.total_changes
    again = imported(store)
    assert (again.papers, again.new) == (3, 0)
    assert papers_of(store) == before
    assert store.db.conn.total_changes == changes
    chinese = before[KITES[0].id][2]["zh"]
    assert (chinese.status, chinese.origin) == (WordingStatus.FLAGGED, "import")
    assert before[ORCHARD[0].id][2]["zh"].status is WordingStatus.OK
    assert store.batches.on(TUESDAY) == (), "a keyword digest is no category's whole day"


def test_what_is_printed_and_imported_again_is_the_same() -> None:
    store, other = memory_store(), memory_store()
    imported(store)
    text = printed(store)
    assert text.startswith(
        "生成时间: 2026-09-29 23:00:00 (UTC+8); "
        "Arxiv 发布时间: 2026-09-28 20:00 EDT (2026-09-29 08:00 UTC+8)\n\n今天共有 3 篇相关文章\n\nKeyword: kite*"
    )
    assert "翻译失败" not in text
    assert "• ⚠ 3.6k → 36k?" in text
    imported(other, text)
    one, two = papers_of(store), papers_of(other)
    assert list(one) == list(two)
    for key in one:
        for field in fields(Paper):
            assert getattr(one[key][0], field.name) == getattr(two[key][0], field.name), (key, field.name)
        assert one[key][1:] == two[key][1:], key
    assert printed(other) == text


def test_particulars_survive_the_round(tmp_path: Path) -> None:
    store, other = memory_store(), memory_store()
    more = DIGEST.replace(
        "• Abstract Counting",
        "• Announce type: cross\n• Comments: 12 pages, ICRA 2027\n• Journal ref: J. Fruit 3 (2026) 14\n"
        "• DOI: 10.1234/apple.7\n• TL;DR Counts apples at dusk.\n• TL;DR 在黄昏数苹果。\n• Abstract Counting",
    )
    imported(store, more)
    paper, kind, words = papers_of(store)[ORCHARD[0].id]
    assert (paper.comments, paper.journal_ref, paper.doi) == (
        "12 pages, ICRA 2027",
        "J. Fruit 3 (2026) 14",
        "10.1234/apple.7",
    )
    assert (kind, words["en"].tldr, words["zh"].tldr) == (
        AnnounceType.CROSS,
        "Counts apples at dusk.",
        "在黄昏数苹果。",
    )
    imported(other, printed(store))
    assert papers_of(other) == papers_of(store)


def test_papers_of_other_sources_go_round_too() -> None:
    store, other = memory_store(), memory_store()
    found = (
        replace(KITES[0], id=PaperId("doi:10.1101/2026.09.28.123456"), source="biorxiv", version=0),
        replace(
            BUOYS[0],
            id=PaperId("url:https://blog.example.org/kites"),
            source="feed blog.example.org",
            url="https://blog.example.org/kites",
            version=1,
        ),
    )
    store.archive.store(feed(*found), now=NOW)
    imported(other, printed(store))
    assert papers_of(other) == papers_of(store)


def test_an_english_digest_is_read_too() -> None:
    store, other = memory_store(), memory_store()
    imported(store)
    imported(other, printed(store, "en"))
    assert papers_of(other).keys() == papers_of(store).keys()
    assert all("zh" not in words for _, _, words in papers_of(other).values())


def test_an_editors_words_stay_the_editors_when_a_file_repeats_them() -> None:
    store = memory_store()
    imported(store)
    key = store.archive.by_id(KITES[0].id)
    assert key is not None
    store.archive.add_wording(
        key.key, Wording("zh", title="放风筝的KiteRL", tldr="放风筝。", origin="editor")
    )
    edited = store.archive.by_id(KITES[0].id)
    assert edited is not None
    imported(store, printed(store))
    again = store.archive.by_id(KITES[0].id)
    assert again is not None
    assert again.wordings == edited.wordings


@pytest.mark.parametrize(
    ("head", "day", "corrected"),
    [
        ("生成时间: 2026-09-29 22:49:42 (UTC+8); Arxiv 发布时间: 2026-09-28 20:00 EDT", TUESDAY, False),
        (
            "生成时间: 2026-09-29 07:59:00 (UTC+8); Arxiv 发布时间: 2026-09-28 20:00 EDT",
            date(2026, 9, 28),
            True,
        ),
        (
            "Generated: 2026-10-03 10:00:00 (UTC+0); arXiv announcement: 2026-10-02 20:00 EDT",
            date(2026, 10, 2),
            True,
        ),
        (
            "Generated: 2026-11-10 03:00:00 (UTC+0); arXiv announcement: 2026-11-09 20:00 EST",
            date(2026, 11, 10),
            False,
        ),
        ("Arxiv 发布时间: 2026-09-28 20:00 EDT (2026-09-29 08:00 UTC+8)", TUESDAY, False),
        ("生成时间: 2026-09-29 22:49:42 (UTC+8)", TUESDAY, False),
    ],
)
def test_the_announcement_is_the_lists_real_one(head: str, day: date, corrected: bool) -> None:
    text = f"{head}\n\nKeyword: x\n{entry(*KITES)}"
    read = digests.parse(text.encode())
    assert (read.date, read.corrected) == (day, corrected)


def test_an_announcement_that_cannot_be_read_is_told_of_and_not_one_that_is_not_stated() -> None:
    generated = "生成时间: 2026-09-29 22:49:42 (UTC+8)"
    bad, none = (
        digests.parse(f"{head}\n\nKeyword: x\n{entry(*KITES)}".encode())
        for head in (f"{generated}; Arxiv 发布时间: 2026-13-45 20:00 EDT", generated)
    )
    assert (bad.date, none.date, none.problems) == (TUESDAY, TUESDAY, ())
    (problem,) = bad.problems
    assert problem.problem == (
        "its time of announcement cannot be read; 2026-09-29 follows from when it was generated"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no digest"),
        ("a shopping list\n\nmilk", "no digest"),
        ("\x00\x01\x02", "no digest"),
        (entry(*KITES), "neither when it was generated"),
        (HEAD.format(count=1).replace("2026-", "2026/"), "no digest"),
    ],
)
def test_a_file_that_is_no_digest_is_refused(text: str, problem: str) -> None:
    with pytest.raises(UnknownInput, match=problem):
        digests.parse(text.encode())


def test_a_cut_digest_gives_what_is_whole_and_says_what_is_missing() -> None:
    cut = DIGEST[: DIGEST.index("\nKeyword: orchards")]
    read = digests.parse(cut.encode())
    assert len(read.entries) == 2
    assert read.problems[0].problem == "it says 3 papers, 2 are in it"
    broken = DIGEST.replace(f"• Arxiv link: https://arxiv.org/abs/{BUOYS[0].id}", "• Arxiv link: nowhere")
    read = digests.parse(broken.encode())
    assert [one.paper.id for one in read.entries] == [KITES[0].id, ORCHARD[0].id]
    assert [(one.entry, one.problem) for one in read.problems] == [
        (BUOYS[0].title, "it has no link to a paper")
    ]


def test_a_title_that_begins_like_a_heading_is_a_title() -> None:
    odd = replace(KITES[0], title="Keyword: Spotting in Noise")
    text = "\n".join([HEAD.format(count=2), "Keyword: kites", entry(*ORCHARD), entry(odd, KITES[1])])
    read = digests.parse(text.encode())
    assert [one.paper.title for one in read.entries] == [ORCHARD[0].title, odd.title]
    assert {one.keyword for one in read.entries} == {"kites"}


def test_wrapped_fields_and_windows_line_ends_are_read() -> None:
    wrapped = DIGEST.replace("quick decisions", "quick\n  decisions").replace("\n", "\r\n")
    assert [one.paper for one in digests.parse(wrapped.encode()).entries] == [
        one.paper for one in digests.parse(DIGEST.encode()).entries
    ]


# --- the command


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "old" / "deep"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text(DIGEST, encoding="utf-8")
    (tmp_path / "old" / "notes.txt").write_text("milk and bread", encoding="utf-8")
    (tmp_path / "old" / "feed.txt").write_text(
        '<rss version="2.0"><channel></channel></rss>', encoding="utf-8"
    )
    return tmp_path


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    captured = capsys.readouterr()
    return int(ended.value.code or 0), captured.out, captured.err


def test_import_says_what_came_of_each_file(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = ("--database", str(files / "p.sqlite"))
    status, out, _ = run("import", str(files / "old/deep"), *database, capsys=capsys)
    assert status == 0
    assert "3 papers, 3 new, announced 2026-09-29" in out
    assert "announcement time corrected: 2026-09-29 20:00 EDT" in out
    assert "kites (2), orchards (1)" in out
    assert f"translation missing: {BUOYS[0].id}" in out
    assert "1 paper flagged" in out
    status, out, err = run("import", str(files / "old"), str(files / "none.txt"), *database, capsys=capsys)
    assert status == 1
    assert "3 papers, 0 new" in out
    assert "notes.txt: no digest" in err
    assert "paperboy fetch --from" in err
    assert "none.txt: cannot be read" in err
    assert "Traceback" not in err


class Terminal(StringIO):
    """Standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_many_files_show_how_far_they_are(files: Path) -> None:
    store, out, quiet = memory_store(), Terminal(), StringIO()
    results = from_paths(store, [files / "old"], seeds.glossary(), NOW, out)
    assert [bool(one.errors) for one in results] == [False, True, True]
    assert "Importing" in out.getvalue()
    assert "100%" in out.getvalue()
    from_paths(store, [files / "old"], seeds.glossary(), NOW, quiet)
    assert quiet.getvalue() == ""


def test_import_and_translations_for_programs(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = ("--database", str(files / "p.sqlite"))
    status, out, _ = run("import", str(files / "old/deep/a.txt"), "--json", *database, capsys=capsys)
    shown = json.loads(out)
    assert status == 0
    assert (shown["papers"], shown["new"], shown["date"], shown["corrected"]) == (3, 3, "2026-09-29", True)
    assert shown["keywords"] == {"kites": 2, "orchards": 1}
    _, out, _ = run("translations", "--flagged", "--json", *database, capsys=capsys)
    assert json.loads(out) == [
        {
            "id": KITES[0].id,
            "field": "abstract",
            "kind": "number",
            "severity": "major",
            "detail": "3.6k → 36k",
        }
    ]
    _, out, _ = run("translations", "--flagged", *database, capsys=capsys)
    assert "3.6k → 36k" in out
    assert "1 place in 1 paper" in out
    _, out, _ = run("translations", "--json", *database, capsys=capsys)
    assert {one["status"] for one in json.loads(out)} == {"ok", "flagged"}


# --- the shared digest


@pytest.mark.shared
def test_the_shared_digest_goes_round() -> None:
    found = next(iter(sorted((SHARED / "seeds").glob("002*"))), None)
    if found is None:
        pytest.skip(f"needs {SHARED}/seeds")
    store, other = memory_store(), memory_store()
    first = imported(store, found.read_text("utf-8"))
    assert (first.papers, first.new, len(first.untranslated)) == (144, 144, 1)
    query = '"reinforcement learning" OR "diffusion policy"'
    text = write(digest_of(store, TUESDAY, query, None, NOW), "text", "both", "UTC", NOW)
    assert "Arxiv 发布时间: 2026-09-28 20:00 EDT (2026-09-29 08:00 UTC+8)" in text.splitlines()[0]
    assert imported(other, text).papers == 144
    for form in ("text", "json", "markdown", "html"):
        printed_by = [
            write(digest_of(each, TUESDAY, query, None, NOW), form, "both", "UTC", NOW)
            for each in (store, other)
        ]
        assert printed_by[0] == printed_by[1], form
    one, two = papers_of(store), papers_of(other)
    for key in one:
        assert one[key][1:] == two[key][1:], key
        assert one[key][0] == replace(
            two[key][0], raw_title=one[key][0].raw_title, raw_abstract=one[key][0].raw_abstract
        )
