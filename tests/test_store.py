"""The archive: versions, replays, late papers, batches, and the schema's migrations."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from sqlite_utils import Database

from scheduler import query, tokens
from scheduler.errors import DatabaseTooNew, StoreError
from scheduler.matching import DayIndex
from scheduler.models import (
    AnnounceType,
    BatchState,
    Cause,
    CauseKind,
    ChatRef,
    ChatState,
    Flag,
    PaperId,
    ParsedFeed,
    Platform,
    Wording,
    WordingStatus,
)
from scheduler.store import Store, open_store, reindexing, search
from scheduler.store.chats import SUBSCRIPTIONS_PER_CHAT, TooManySubscriptions
from scheduler.store.database import known_names
from scheduler.store.schema import MIGRATIONS
from tests.builders import MORNING, TUESDAY, chat_in, feed, memory_store, paper


@pytest.fixture
def store() -> Store:
    return memory_store()


def found(store: Store, text: str) -> list[str]:
    page = store.archive.search(query.parse(text), today=TUESDAY, limit=50)
    return [one.paper.id for one in page.papers]


def test_archiving_twice_changes_nothing(store: Store) -> None:
    day = feed(paper("2609.00001", "World models"), paper("2609.00002", "Bandits"))
    first = store.archive.store(day, now=MORNING)
    changes = store.db.conn.total_changes
    again = store.archive.store(day, now=MORNING)
    assert first == again
    assert first is not None
    assert (first.state, first.received) == (BatchState.FRESH, 2)
    # Only the batch's own record is written again.
    assert store.db.conn.total_changes - changes == 1
    assert found(store, "world model") == ["2609.00001"]


def test_an_older_version_never_overwrites_a_newer_one(store: Store) -> None:
    store.archive.store(feed(paper("2609.00001", "New title", "New abstract", version=2)), now=MORNING)
    store.archive.store(
        feed(paper("2609.00001", "Old title", "Old abstract", version=1, comments="5 pages")), now=MORNING
    )
    known = store.archive.by_id(PaperId("2609.00001"))
    assert known is not None
    assert (known.paper.version, known.paper.title, known.paper.abstract) == (2, "New title", "New abstract")
    assert known.paper.comments == "5 pages"
    assert found(store, "new title") == ["2609.00001"]
    assert found(store, "old title") == []


def test_a_newer_version_replaces_the_words_in_the_index(store: Store) -> None:
    store.archive.store(feed(paper("2609.00001", "Bandits at sea")), now=MORNING)
    store.archive.store(
        feed(
            paper("2609.00001", "Bandits on land", version=2),
            kind=AnnounceType.REPLACE,
            day=date(2026, 9, 30),
        ),
        now=MORNING,
    )
    assert found(store, "sea") == []
    assert found(store, "land") == ["2609.00001"]


def test_a_replacement_is_no_news(store: Store) -> None:
    store.archive.store(feed(paper("2609.00001"), kind=AnnounceType.REPLACE), now=MORNING)
    assert store.archive.day(TUESDAY) == ()
    assert store.archive.announced(TUESDAY) == 0


def test_new_in_one_category_and_crossed_into_another_is_one_new_paper(store: Store) -> None:
    one = paper("2609.00001", categories=("cs.LG", "stat.ML"))
    store.archive.store(feed(one, category="stat.ML", kind=AnnounceType.CROSS), now=MORNING)
    store.archive.store(feed(one, category="cs.LG"), now=MORNING)
    (entry,) = store.archive.day(TUESDAY)
    assert entry.announce_type is AnnounceType.NEW
    assert store.archive.announced(TUESDAY) == 1


def test_a_cut_day_is_partial_and_what_comes_later_completes_it(store: Store) -> None:
    first = store.archive.store(replace(feed(paper("2609.00001")), truncated=True), now=MORNING)
    assert first is not None
    assert (first.state, first.received) == (BatchState.PARTIAL, 1)
    whole = store.archive.store(feed(paper("2609.00001"), paper("2609.00002"), declared=2), now=MORNING)
    assert whole is not None
    assert (whole.state, whole.received) == (BatchState.FRESH, 2)


def test_a_count_that_does_not_match_is_partial(store: Store) -> None:
    batch = store.archive.store(feed(paper("2609.00001"), declared=3), now=MORNING)
    assert batch is not None
    assert (batch.state, batch.causes) == (BatchState.PARTIAL, (Cause(CauseKind.MISSING, ("1", "3")),))


def test_an_empty_answer_does_not_undo_a_day(store: Store) -> None:
    store.archive.store(feed(paper("2609.00001")), now=MORNING)
    batch = store.archive.store(feed(), now=MORNING)
    assert batch is not None
    assert (batch.state, batch.received) == (BatchState.FRESH, 1)


def test_papers_without_an_announcement_are_archived_but_no_news(store: Store) -> None:
    assert (
        store.archive.store(ParsedFeed("arxiv-api", "arxiv", papers=(paper("2609.00001"),)), now=MORNING)
        is None
    )
    assert store.archive.by_id(PaperId("2609.00001")) is not None
    assert store.archive.newest_date() is None


def test_words_in_another_language_are_found(store: Store) -> None:
    one = paper("2609.00001", "Diffusion policies")
    words = {one.id: (Wording("zh", title="扩散策略", tldr="让机器人更稳。", origin="editor"),)}
    store.archive.store(feed(one), now=MORNING, wordings=words)
    assert found(store, "扩散策略") == ["2609.00001"]
    known = store.archive.by_id(one.id)
    assert known is not None
    store.archive.add_wording(known.key, Wording("zh", abstract="抓取任务。", origin="sample-model"))
    assert found(store, "抓取") == ["2609.00001"]
    again = store.archive.by_id(one.id)
    assert again is not None
    assert again.wordings["zh"] == Wording(
        "zh", "扩散策略", "让机器人更稳。", "抓取任务。", "editor", translator="sample-model"
    )


def test_keys_rise_with_the_announcement_date(store: Store) -> None:
    store.archive.store(feed(paper("2609.00009")), now=MORNING)
    store.archive.store(feed(paper("2609.00001"), day=TUESDAY + timedelta(days=1)), now=MORNING)
    assert found(store, "paper") == ["2609.00001", "2609.00009"]


def test_a_paper_that_was_only_known_takes_its_place_when_it_is_announced(store: Store) -> None:
    old, new = paper("2609.00001", "Kites first"), paper("2609.00002", "Kites second")
    submitted = replace(old, submitted=datetime(2026, 9, 1, tzinfo=UTC))
    store.archive.store(ParsedFeed("arxiv-api", "arxiv", papers=(submitted,)), now=MORNING)
    store.archive.add_wording(20260901 * 100_000 + 1, Wording("zh", title="风筝", origin="editor"))
    store.archive.store(feed(new), now=MORNING)
    assert found(store, "kite") == ["2609.00002", "2609.00001"]
    store.archive.store(feed(old, day=TUESDAY + timedelta(days=1)), now=MORNING)
    assert found(store, "kite") == ["2609.00001", "2609.00002"]
    assert found(store, "风筝") == ["2609.00001"]
    known = store.archive.by_id(PaperId("2609.00001"))
    assert known is not None
    assert (known.wordings["zh"].title, known.newest_date) == ("风筝", TUESDAY + timedelta(days=1))


def test_the_limit_of_subscriptions(store: Store) -> None:
    chat = chat_in(store)
    for number in range(SUBSCRIPTIONS_PER_CHAT):
        store.chats.subscribe(chat.key, f"word{number}", "w")
    assert store.chats.subscribe(chat.key, "word1", "w")[1] is False
    with pytest.raises(TooManySubscriptions):
        store.chats.subscribe(chat.key, "one more", "w")


def test_a_moved_chat_keeps_everything_and_joins_the_chat_that_stands_there(store: Store) -> None:
    old, new = (
        chat_in(store, "-1", platform=Platform.TELEGRAM),
        chat_in(store, "-100", platform=Platform.TELEGRAM),
    )
    store.chats.subscribe(old.key, "rl", "rl")
    store.chats.subscribe(new.key, "rl", "rl")
    store.chats.subscribe(new.key, "robot", "robot")
    store.chats.move(old.key, ChatRef(Platform.TELEGRAM, "-100"))
    moved = store.chats.at(ChatRef(Platform.TELEGRAM, "-100"))
    assert moved is not None
    assert moved.key == old.key
    assert [one.query for one in store.chats.subscriptions(old.key)] == ["rl", "robot"]
    assert store.chats.at(ChatRef(Platform.TELEGRAM, "-1")) is None


def test_only_active_chats_with_a_subscription_are_due(store: Store) -> None:
    chat, idle, gone = chat_in(store, "a"), chat_in(store, "b"), chat_in(store, "c")
    for one in (chat, gone):
        store.chats.subscribe(one.key, "rl", "rl")
    store.chats.set_state(gone.key, ChatState.GONE, "blocked")
    assert idle.state is ChatState.ACTIVE
    due = store.due.by(MORNING + timedelta(hours=1))
    assert [entry.chat.key for entry in due] == [chat.key]
    store.due.close([chat.key], MORNING + timedelta(hours=25))
    assert store.due.by(MORNING + timedelta(hours=24)) == ()
    assert store.due.by(MORNING + timedelta(hours=25))


def test_notes_and_tokens(store: Store) -> None:
    store.notes["commands"] = "abc"
    assert dict(store.notes) == {"commands": "abc", reindexing.NOTE: search.VERSION}
    del store.notes["commands"]
    with pytest.raises(KeyError):
        del store.notes["commands"]
    token = store.tokens.token("sub:" + "x" * 200)
    assert store.tokens.token("sub:" + "x" * 200) == token
    assert store.tokens.text(token) == "sub:" + "x" * 200
    assert store.tokens.text("999") is None
    assert store.tokens.text("1; drop table paper") is None


def test_a_database_survives_being_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "paperboy.sqlite"
    first = open_store(path)
    first.archive.store(feed(paper("2609.00001", "World models")), now=MORNING)
    first.close()
    again = open_store(path)
    assert found(again, "world model") == ["2609.00001"]
    again.close()


def test_flags_are_kept_with_the_text_that_they_are_about(store: Store) -> None:
    one = paper("2609.00001", "Kites", "A kite of 3.6k lines.")
    store.archive.store(feed(one), now=MORNING)
    known = store.archive.by_id(one.id)
    assert known is not None
    number = Flag("abstract", "number", "major", "3.6k → 36k")
    store.archive.add_wording(
        known.key, Wording("zh", "风筝", abstract="36k线的风筝。", origin="import", flags=(number,))
    )
    store.archive.add_wording(known.key, Wording("zh", title="风筝！", origin="import"))
    flagged = store.archive.by_id(one.id)
    assert flagged is not None
    assert (flagged.wordings["zh"].flags, flagged.wordings["zh"].status) == ((number,), WordingStatus.FLAGGED)
    store.archive.add_wording(known.key, Wording("zh", abstract="3.6k线的风筝。", origin="import"))
    mended = store.archive.by_id(one.id)
    assert mended is not None
    assert mended.wordings["zh"] == Wording("zh", "风筝！", "", "3.6k线的风筝。", "import")


CHAT_OF_ANY_AGE = (
    "insert into chat(platform, chat_id, thread_id, kind, title, lang, content, time, zone, weekdays, state, reason, "
    "joined, next_due) values ('telegram', '7', '', 'private', 'ada', 'en', 'en', '08:00', 'UTC', '0123456', 'active', "
    "'', '2026-09-01T00:00:00+00:00', 0)"
)


@pytest.mark.parametrize("name", known_names()[1:])
def test_every_migration_keeps_what_the_schema_before_it_held(tmp_path: Path, name: str) -> None:
    path = tmp_path / "paperboy.sqlite"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before=name)
    old.execute(CHAT_OF_ANY_AGE)
    old.execute("insert into subscription(chat, query, title, owner) values (1, 'rl', 'rl', '')")
    old.close()
    store = open_store(path)
    chat = store.chats.at(ChatRef(Platform.TELEGRAM, "7"))
    assert chat is not None
    assert [one.query for one in store.chats.subscriptions(chat.key)] == ["rl"]
    assert [entry.chat.key for entry in store.due.by(MORNING)] == [chat.key]
    store.archive.store(feed(paper("2609.00001", "World models")), now=MORNING)
    assert found(store, "world model") == ["2609.00001"]
    assert {row["name"] for row in store.db.query("select name from _sqlite_migrations")} == set(
        known_names()
    )
    store.close()


def test_delivered_marks_of_each_paper_become_lists(tmp_path: Path) -> None:
    path = tmp_path / "paperboy.sqlite"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m014_lists_of_papers")
    old.execute(CHAT_OF_ANY_AGE)
    for run_key, papers in (("2026-09-28T08:00", (7, 5)), ("2026-09-29T08:00", (9,))):
        old.execute(
            "insert into digest(chat, run_key, body, planned) values (1, ?, '', '2026-09-29')", [run_key]
        )
        for key in papers:
            old.execute("insert into delivered(chat, paper, run_key) values (1, ?, ?)", [key, run_key])
    old.close()
    store = open_store(path)
    assert store.outbox.delivered(1, [5, 6, 7, 8, 9]) == {5, 7, 9}
    told = {
        run.run_key: store.outbox.lists.papers_of([run.told]) for run in store.outbox.recent([1], "2026")[1]
    }
    assert told == {"2026-09-28T08:00": {5, 7}, "2026-09-29T08:00": {9}}
    run = store.outbox.run_with(1, 7)
    assert run is not None
    assert run.run_key == "2026-09-28T08:00"
    store.close()


def test_a_database_from_a_newer_paperboy_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "paperboy.sqlite"
    open_store(path).close()
    db = Database(path)
    db["_sqlite_migrations"].insert(  # type: ignore[union-attr]
        {"migration_set": "paperboy", "name": "m999_from_the_future", "applied_at": "2030-01-01"}
    )
    db.close()
    before = path.read_bytes()
    with pytest.raises(DatabaseTooNew, match="m999_from_the_future"):
        open_store(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are my notes, not a database\n" * 100, encoding="utf-8")
    with pytest.raises(StoreError) as caught:
        open_store(path)
    assert "\n" not in str(caught.value)
    assert path.read_text(encoding="utf-8").startswith("these are my notes")


def types_found(store: Store) -> dict[str, list[str]]:
    return {
        kind: sorted(found(store, f"type:{kind}")) for kind in ("new", "cross", "replace", "replace-cross")
    }


def test_a_paper_is_found_by_all_that_it_was_announced_as(store: Store) -> None:
    both, crossed = paper("2609.00001", "Both"), paper("2609.00002", "Crossed")
    old = paper("2609.00003", "Old", version=2)
    store.archive.store(feed(both), now=MORNING)
    store.archive.store(feed(both, crossed, category="cs.AI", kind=AnnounceType.CROSS), now=MORNING)
    store.archive.store(feed(old, kind=AnnounceType.REPLACE_CROSS), now=MORNING)
    expected = {
        "new": ["2609.00001"],
        "cross": ["2609.00001", "2609.00002"],
        "replace": ["2609.00003"],
        "replace-cross": ["2609.00003"],
    }
    assert types_found(store) == expected
    assert found(store, "-type:new type:cross") == ["2609.00002"]
    later = replace(both, version=2, abstract="Now with proofs.")
    store.archive.store(feed(later, day=TUESDAY + timedelta(days=9), kind=AnnounceType.REPLACE), now=MORNING)
    assert types_found(store) == expected | {"replace": ["2609.00001", "2609.00003"]}
    assert found(store, "proofs type:replace type:new") == ["2609.00001"]


def test_the_first_line_of_a_category_and_day_says_the_type(store: Store) -> None:
    one = paper("2609.00001")
    twice = feed(one)
    twice = replace(
        twice,
        announcements=(
            *twice.announcements,
            replace(twice.announcements[0], announce_type=AnnounceType.CROSS),
        ),
    )
    for _ in range(2):
        store.archive.store(twice, now=MORNING)
    store.archive.store(feed(one, kind=AnnounceType.CROSS), now=MORNING)
    assert types_found(store) == {"new": ["2609.00001"], "cross": [], "replace": [], "replace-cross": []}


def test_matching_and_search_agree_on_types(store: Store) -> None:
    kinds = list(AnnounceType)
    for number, kind in enumerate(kinds):
        store.archive.store(
            feed(paper(f"2609.0000{number}"), category=f"cs.A{number}", kind=kind), now=MORNING
        )
    known = store.archive.by_key(store.archive.keys())
    index = DayIndex([(one.paper, one.wordings) for one in known], types=[one.types for one in known])
    for text in (
        "type:new",
        "type:cross",
        "type:replace",
        "type:replace-cross",
        "type:new,cross",
        "cs -type:new",
    ):
        wanted = query.parse(text.replace("cs ", "cat:cs "))
        assert sorted(found(store, wanted.canonical)) == [
            known[place].paper.id for place in index.papers(wanted)
        ], text


def test_an_index_of_an_older_tokeniser_is_built_anew(tmp_path: Path) -> None:
    path = tmp_path / "papers.db"
    store = open_store(path)
    store.archive.store(feed(paper("2609.00001", "Kites")), now=MORNING)
    # As an earlier tokeniser left it: no announce types.
    search.clear(store.db)
    known = store.archive.by_id(PaperId("2609.00001"))
    assert known is not None
    search.index(store.db, known.key, tokens.document(known.paper, known.wordings))
    store.notes[reindexing.NOTE] = "1"
    store.db.conn.commit()
    assert found(store, "kites type:new") == []
    store.close()
    store = open_store(path)
    assert found(store, "kites type:new") == ["2609.00001"]
    assert not reindexing.renew(store.db, store.archive, store.notes)
    store.close()
