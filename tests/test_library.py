"""A person's own papers: saving, finding, exporting, thumbs; what a chat mutes; similar papers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.deliveries import render
from bot.ports import Request
from scheduler import planning, tastes
from scheduler.models import ChatKind, ChatRef, PaperId, Platform
from scheduler.news import News
from scheduler.store import library as store_library
from scheduler.store.library import LibraryFull, SignalKind
from scheduler.store.mutes import MuteKind
from tests import rounds
from tests.builders import MORNING, TUESDAY, chat_in, feed, memory_store, paper
from tests.test_commands import NOON, Office, Person

KITES = "2609.00001"
SEA = "2609.00002"
ADA = "telegram:1"


@pytest.fixture
def office() -> Iterator[Office]:
    office = Office()
    yield office
    office.thread.close()


@pytest.fixture
def ada(office: Office) -> Person:
    return office.person()


def key_of(office: Office, paper_id: str) -> int:
    known = office.store.archive.by_id(PaperId(paper_id))
    assert known is not None
    return known.key


def test_saving_with_tags_and_a_note_and_changing_them(ada: Person) -> None:
    answer = ada.says(f"/save {KITES} #Robots #todo read before Friday")
    assert "Saved: Diffusion Policies for kites" in answer
    assert "#robots #todo · read before Friday" in answer
    assert "1 paper saved" in answer
    changed = ada.says(f"/save https://arxiv.org/abs/{KITES}v1 -#todo #done")
    assert "Saved already" in changed
    assert "#robots #done · read before Friday" in changed
    assert "#robots #done · read it" in ada.says(f"/save {KITES} # read it")
    assert "#robots #done" in ada.says(f"/save {KITES} -")
    assert "Friday" not in ada.says(f"/save {KITES}")


@pytest.mark.parametrize(
    "typed",
    [
        "arXiv: 2609.00001v1 #robots by Friday",
        "#robots 2609.00001 by Friday",
        "https://arxiv.org/pdf/2609.00001.pdf by #robots Friday",
        "by Friday #robots （arXiv：2609.00001）",
        "2609.00001\n#robots\nby  Friday",
    ],
)
def test_the_paper_stands_anywhere_in_what_is_typed(office: Office, ada: Person, typed: str) -> None:
    ada.says(f"/save {typed}")
    (one,) = office.store.library.saved(ADA)
    assert (one.paper, one.tags, one.note) == (key_of(office, KITES), ("robots",), "by Friday")


def test_a_card_shows_what_its_reader_saved_it_with(ada: Person) -> None:
    ada.says(f"/save {KITES} #robots for the talk")
    card = ada.says(f"/paper {KITES}")
    assert "⭐ Saved on 29 Sep 2026" in card
    assert "#robots · for the talk" in card
    assert "★ Saved" in [button.label for button in ada.buttons]


def test_the_cards_button_saves_and_takes_back(office: Office, ada: Person) -> None:
    ada.says(f"/paper {KITES}")
    assert "Saved." in ada.presses("⭐ Save")
    assert ada.reply.in_place
    assert not ada.reply.blocks
    assert office.store.library.saved_paper(ADA, key_of(office, KITES)) is not None
    assert "No longer saved." in ada.presses("★ Saved")
    assert office.store.library.saved(ADA) == ()


def test_taking_away_what_has_a_note_can_be_undone(office: Office, ada: Person) -> None:
    ada.says(f"/save {KITES} #robots for the talk")
    ada.says(f"/paper {KITES}")
    assert "No longer saved: Diffusion" in ada.presses("★ Saved")
    assert office.store.library.saved(ADA) == ()
    ada.presses("Undo")
    (again,) = office.store.library.saved(ADA)
    assert (again.tags, again.note) == (("robots",), "for the talk")


def test_saved_papers_are_found_by_query_and_tag(ada: Person) -> None:
    ada.says(f"/save {KITES} #robots")
    ada.says(f"/save {SEA} #sea #robots")
    both = ada.says("/saved")
    assert both.index("World models at sea") < both.index("Diffusion Policies for kites")
    assert "Saved papers · 2" in both
    only = ada.says("/saved reinforcement learning")
    assert "kites" in only
    assert "at sea" not in only
    assert "kites" not in ada.says("/saved #sea")
    assert "kites" in ada.says("/saved #robots -sea kites")
    assert "at sea" not in ada.says("/saved #robots -#sea")
    assert "kites" in ada.says("/saved -#sea")
    assert "None of your 2 saved papers fits #nothing" in ada.says("/saved #nothing")
    assert "Saved papers · 2" in ada.presses("Show all")
    assert "kites" not in ada.presses("#sea · 1")
    assert "None of your 2" in ada.says("/saved since:2030-01-01")
    assert "Saved papers · 2" in ada.says("/saved since:2026-09-01")
    assert "can't read this search" in ada.says("/saved (rl AND")
    assert "kites" in ada.says("/saved reinf*")
    assert "at sea" not in ada.says("/saved reinf*")


def test_what_was_noted_is_found_with_the_papers_own_words(ada: Person) -> None:
    ada.says(f"/save {KITES} #robots read before Friday")
    ada.says(f"/save {SEA}")
    assert "kites" in ada.says("/saved friday")
    assert "kites" in ada.says("/saved friday kites")
    assert "None of your 2" in ada.says("/saved friday sea")
    ada.says(f"/save {KITES} -")
    assert "None of your 2" in ada.says("/saved friday")


def test_tags_and_exports_are_suggested(ada: Person) -> None:
    ada.says(f"/save {KITES} #robots")
    ada.says(f"/save {SEA} #robots #sea")
    assert ada.suggested("saved", "query", "") == [
        "#robots",
        "#sea",
        "export bibtex",
        "export json",
        "export markdown",
    ]
    assert ada.suggested("saved", "query", "#s") == ["#s", "#sea"]
    assert ada.suggested("saved", "query", "ex") == ["ex", "export bibtex", "export json", "export markdown"]


def test_a_saved_paper_opens_in_place_and_leads_back(ada: Person) -> None:
    ada.says(f"/save {KITES} #robots")
    ada.says("/saved #robots")
    assert "We fly kites with reinforcement learning." in ada.presses("1")
    assert ada.reply.in_place
    assert "Saved papers · 1 · #robots" in ada.presses("◀ Back to the list")
    assert ada.reply.in_place


def test_saved_papers_have_pages(ada: Person) -> None:
    for number in range(10):
        ada.says(f"/save 2609.001{number:02d}")
    assert "9  " not in ada.says("/saved")
    assert "10  Reinforcement learning, part 0" in ada.presses("▶")
    assert "1  Reinforcement learning, part 9" in ada.presses("◀")


def test_nothing_saved_yet(ada: Person) -> None:
    assert "saved nothing yet" in ada.says("/saved")
    assert "Nothing to export" in ada.says("/saved export")
    assert "/saved export bibtex also as json or markdown" in ada.says("/saved export xml")
    assert "Which paper?" in ada.says("/save")
    assert "is no paper's id" in ada.says("/save kites")
    assert "not in the archive" in ada.says("/save 1706.03762")


def test_exports(ada: Person) -> None:
    ada.says(f"/save {KITES} #robots a *note*")
    ada.says(f"/save {SEA} #sea")
    assert "2 saved papers as BibTeX." in ada.says("/saved export")
    file = ada.reply.attachment
    assert file is not None
    assert file.name == "saved.bib"
    assert file.text.count("@misc{") == 2
    ada.says("/saved export json #robots")
    file = ada.reply.attachment
    assert file is not None
    (one,) = json.loads(file.text)
    assert (one["id"], one["tags"], one["note"]) == (KITES, ["robots"], "a *note*")
    ada.says("/saved")
    ada.presses("Markdown")
    file = ada.reply.attachment
    assert file is not None
    assert "[Diffusion Policies for kites](<https://arxiv.org/abs/2609.00001>)" in file.text
    assert r"a \*note\*" in file.text
    assert "1 saved paper as BibTeX." in ada.says("/saved export sea")


def test_a_note_or_tags_too_many_change_nothing(office: Office, ada: Person) -> None:
    ada.says(f"/save {KITES} #robots")
    assert "1,200 characters" in ada.says(f"/save {KITES} {'x' * 1200}")
    assert "20 tags" in ada.says(f"/save {KITES} " + " ".join(f"#t{n}" for n in range(20)))
    (one,) = office.store.library.saved(ADA)
    assert (one.tags, one.note) == (("robots",), "")


def test_in_a_telegram_group_nobody_sees_what_a_member_keeps(office: Office) -> None:
    group = office.person("-100", ChatKind.GROUP)
    group.says(f"/save {KITES} #secret plan")
    assert "secret" not in group.says(f"/save {KITES} #more plan")
    assert "for your eyes alone" in group.says("/saved")
    card = group.says(f"/paper {KITES}")
    assert "secret" not in card
    assert "⭐ Save" in [button.label for button in group.buttons]
    assert "take it away in private" in group.presses("⭐ Save")
    assert "#secret" in office.person("1").says("/saved")


def test_in_a_group_thumbs_are_counted(office: Office) -> None:
    group = office.person("-100", ChatKind.GROUP)
    group.says(f"/paper {KITES}")
    group.presses("👍")
    assert "👍 1" in [button.label for button in group.buttons]


def test_who_is_not_known_is_told_so(office: Office) -> None:
    class Nobody(Person):
        def _ask(self, request: Request) -> str:
            return super()._ask(replace(request, user=""))

    nobody = Nobody(office, "-100", ChatKind.GROUP, Platform.TELEGRAM, False)
    assert "can't tell who you are" in nobody.says(f"/save {KITES}")
    assert "can't tell who you are" in nobody.says("/saved")
    nobody.says(f"/paper {KITES}")
    assert "can't tell who you are" in nobody.presses("👍")


def test_thumbs_toggle_and_exclude_each_other(office: Office, ada: Person) -> None:
    ada.says(f"/paper {KITES}")
    assert "more like this" in ada.presses("👍")
    assert "👍 ✓" in [button.label for button in ada.buttons]
    assert "less like this" in ada.presses("👎")
    labels = [button.label for button in ada.buttons]
    assert "👎 ✓" in labels
    assert "👍" in labels
    assert "Taken back." in ada.presses("👎 ✓")
    assert office.store.library.vote_of(ADA, key_of(office, KITES)) == 0


def test_opened_cards_are_remembered_and_bounded(
    office: Office, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_library, "MOST_OPENED", 3)
    for number in range(5):
        office.now += timedelta(minutes=1)
        ada.says(f"/paper 2609.001{number:02d}")
    opened = [one.paper for one in office.store.library.signals(1) if one.kind is SignalKind.OPENED]
    assert opened == [key_of(office, f"2609.001{number:02d}") for number in (4, 3, 2)]


def test_a_full_library_says_so(office: Office, ada: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_library, "MOST_SAVED", 1)
    ada.says(f"/save {KITES}")
    assert "remove one first" in ada.says(f"/save {SEA}")
    with pytest.raises(LibraryFull):
        office.store.library.save(ADA, 1, key_of(office, SEA), NOON)


def test_deleting_everything_takes_the_library_along(office: Office, ada: Person) -> None:
    ada.says(f"/save {KITES}")
    office.person("bob", platform=Platform.DISCORD).says(f"/save {KITES}")
    ada.says("/mute survey")
    assert "1 paper that you saved goes with it" in ada.says("/privacy delete")
    ada.presses("Yes, delete")
    assert office.store.library.saved(ADA) == ()
    assert office.store.library.signals(1) == ()
    assert len(office.store.library.saved("discord:1")) == 1


def test_a_group_that_is_deleted_keeps_its_members_papers(office: Office) -> None:
    group = office.person("-100", ChatKind.GROUP)
    group.says(f"/save {KITES}")
    group.says("/privacy delete")
    group.presses("Yes, delete")
    assert len(office.store.library.saved(ADA)) == 1


def test_a_group_that_moves_keeps_its_mutes_and_signals(office: Office) -> None:
    group = office.person("-100", ChatKind.GROUP)
    group.says(f"/save {KITES}")
    group.says("/mute survey")
    office.person("-200", ChatKind.GROUP).says("/mute author Wei Zhang")
    first = office.store.chats.at(ChatRef(Platform.TELEGRAM, "-100"))
    assert first is not None
    office.store.chats.move(first.key, ChatRef(Platform.TELEGRAM, "-200"))
    assert {one.title for one in office.store.mutes.of(first.key)} == {"survey", "Wei Zhang"}
    assert [one.kind for one in office.store.library.signals(first.key)] == [SignalKind.SAVED]


def test_a_paper_that_is_announced_after_all_stays_saved(office: Office, ada: Person) -> None:
    unannounced = replace(feed(), papers=(paper("2608.00009", "Late kites"),), date=None, announcements=())
    office.store.archive.store(unannounced, now=NOON)
    ada.says("/save 2608.00009 #late")
    before = key_of(office, "2608.00009")
    office.store.archive.store(feed(paper("2608.00009", "Late kites")), now=NOON)
    assert key_of(office, "2608.00009") != before
    assert "Late kites" in ada.says("/saved #late")


# what is muted


@pytest.mark.parametrize(
    ("typed", "kind", "query"),
    [
        ("survey", MuteKind.WORD, "survey"),
        ("world model", MuteKind.WORD, '"world model"'),
        ("word survey", MuteKind.WORD, "survey"),
        ("author Wei Zhang", MuteKind.AUTHOR, 'au:"wei zhang"'),
        ("作者 Wei Zhang", MuteKind.AUTHOR, 'au:"wei zhang"'),
        ("cs.CV", MuteKind.CATEGORY, "cat:cs.CV"),
        ("category cs.CV", MuteKind.CATEGORY, "cat:cs.CV"),
        ("paper 2609.00001", MuteKind.PAPER, "id:2609.00001"),
        ("https://arxiv.org/abs/2609.00001", MuteKind.PAPER, "id:2609.00001"),
        ('au:"Wei Zhang"', MuteKind.AUTHOR, 'au:"wei zhang"'),
        ("cat:cs.CV", MuteKind.CATEGORY, "cat:cs.CV"),
        ("ti:survey OR benchmark", MuteKind.WORD, "ti:survey OR benchmark"),
    ],
)
def test_what_can_be_muted(office: Office, ada: Person, typed: str, kind: MuteKind, query: str) -> None:
    assert "Muted: " in ada.says(f"/mute {typed}")
    (one,) = office.store.mutes.of(1)
    assert (one.kind, one.query.casefold()) == (kind, query.casefold())
    assert "Muted already" in ada.says(f"/mute {typed}")


def test_what_cannot_be_muted_is_said(ada: Person) -> None:
    assert "no dates" in ada.says("/mute since:7d")
    assert "no dates" in ada.says("/mute survey since:7d")
    assert "can't read this search" in ada.says("/mute (rl AND")
    assert "is no paper's id" in ada.says("/mute paper kites")
    assert "no category “cs.XX”" in ada.says("/mute category cs.XX")
    for alone in ("/mute", "/mute author", "/mute Paper", "/mute 作者", "/mute cat"):
        assert "What shall never come" in ada.says(alone)
    assert "Nothing is muted" in ada.presses("What is muted")


def test_a_digest_leaves_out_what_is_muted_and_search_does_not(ada: Person) -> None:
    ada.says("/subscribe world models")
    ada.says("/subscribe kites")
    assert "World models at sea" in ada.says("/digest")
    ada.says("/mute author Wei Zhang")
    digest = ada.says("/digest")
    assert "at sea" not in digest
    assert "Diffusion Policies for kites" in digest
    assert "at sea" in ada.says("/search world models")
    assert "author Wei Zhang" in ada.says("/muted")
    assert "No longer muted" in ada.presses("✕ 1")
    assert "World models at sea" in ada.says("/digest")


def test_muting_what_most_papers_have_is_warned_of(ada: Person) -> None:
    assert "That is 96 % of all papers of the last days." in ada.says("/mute reinforcement")
    assert "% of all papers" not in ada.says("/mute gliders")


def test_muting_what_is_followed_says_what_that_means(ada: Person) -> None:
    ada.says("/subscribe world models")
    assert "nothing of it comes any more" in ada.says("/mute world models")
    assert "nothing of it" not in ada.says("/mute kites")


def test_delivery_preview_and_why_agree_on_what_is_muted(office: Office) -> None:
    store = memory_store()
    chat = chat_in(store)
    store.chats.subscribe(chat.key, "kite", "kites", since=TUESDAY)
    store.archive.store(
        feed(paper("2609.00001", "Kites"), paper("2609.00002", "Kites, a survey"), declared=2), now=MORNING
    )
    store.mutes.add(chat.key, MuteKind.WORD, "survey", "survey")
    at = MORNING + timedelta(hours=1)
    shown = planning.preview(store, chat, at, News()).digest
    assert [one.paper.id for one in shown.papers] == ["2609.00001"]
    assert rounds.planned(store, at, render) == 1
    (known,) = store.archive.by_ids([PaperId("2609.00002")])
    assert store.outbox.delivered(chat.key, [known.key]) == frozenset()


def test_why_names_what_muted_a_paper(ada: Person) -> None:
    ada.says("/subscribe world models")
    ada.says("/mute author Wei Zhang")
    assert "muted by you: author Wei Zhang" in ada.says(f"/why {SEA}")


def test_a_card_offers_what_to_mute(ada: Person) -> None:
    ada.says(f"/paper {SEA}")
    offer = ada.presses("Mute…")
    assert "World models at sea" in offer
    assert ada.reply.in_place
    assert "Muted: author Bo Sand" in ada.presses("author Bo Sand")
    assert "No longer muted" in ada.presses("Undo")
    assert "Muted: author Bo Sand" in ada.presses("Undo")
    ada.says(f"/paper {SEA}")
    ada.presses("Mute…")
    assert "A survey of world models." in ada.presses("◀ Back to the card")


def test_only_who_manages_a_group_mutes_there(office: Office) -> None:
    member = office.person("-100", ChatKind.GROUP, may_manage=False)
    assert "Only who manages" in member.says("/mute survey")
    member.says(f"/paper {KITES}")
    assert not [one for one in member.buttons if one.label == "Mute…"]


# similar papers


def test_similar_papers_share_telling_words(ada: Person) -> None:
    store = ada.office.store
    store.archive.store(
        feed(
            paper("2609.00201", "Kites that learn to fly", "Diffusion policies steer kites over the sea."),
            paper("2609.00202", "Cooking with gas", "Nothing of the sort."),
        ),
        now=NOON,
    )
    answer = ada.says(f"/similar {KITES}")
    assert "1  Kites that learn to fly" in answer
    assert "Cooking" not in answer
    assert "shares kite" in answer
    assert "Diffusion policies steer kites over the sea." in ada.presses("1")
    assert "1  Kites that learn to fly" in ada.presses("◀ Back to the list")
    ada.says(f"/paper {KITES}")
    assert "1  Kites that learn to fly" in ada.presses("Similar")
    assert "nothing like it yet" in ada.says("/similar 2609.00202")
    assert ada.suggested("similar", "id", "kites")[:1] == ["2609.00201"]


def test_bibtex_of_a_card(ada: Person) -> None:
    ada.says(f"/paper {KITES}")
    entry = ada.presses("BibTeX")
    assert entry.startswith("@misc{lovelace2026diffusion,")
    assert entry == ada.says(f"/bibtex {KITES}")


def test_thousands_of_authors_come_as_a_file(ada: Person) -> None:
    names = [f"Ada Lovelace{number}" for number in range(400)]
    ada.office.store.archive.store(feed(paper("2609.00301", "Big", authors=names)), now=NOON)
    assert "400 authors" in ada.says("/bibtex 2609.00301")
    assert ada.reply.attachment is not None
    assert "Lovelace399, Ada" in ada.reply.attachment.text


def test_a_private_chat_learns_from_what_its_person_does_in_groups(office: Office, ada: Person) -> None:
    ada.says("/start")
    office.person("-100", ChatKind.GROUP).says(f"/save {KITES}")
    chat = office.store.chats.at(ada.ref)
    assert chat is not None
    (signal,) = tastes.signals_of(office.store, chat)
    assert signal.kind is SignalKind.SAVED


def test_what_is_shown_to_everyone_tells_nothing_of_the_asker(office: Office) -> None:
    class Hidden(Person):
        """A member of a Discord channel, where answers are seen by the asker alone."""

        def _ask(self, request: Request) -> str:
            return super()._ask(replace(request, alone=True))

    member = Hidden(office, "9", ChatKind.GROUP, Platform.DISCORD, True)
    assert "#secret" in member.says(f"/save {KITES} #secret")
    assert "#secret" in member.says("/saved")
    assert not [one for one in member.buttons if one.label == "Show to everyone"]
    assert "#secret" in member.says(f"/paper {KITES}")
    shown = member.presses("Show to everyone")
    assert "Diffusion Policies for kites" in shown
    assert "#secret" not in shown
    assert not member.reply.private
    assert not [one for one in member.buttons if one.label == "★ Saved"]
    office.store.archive.store(
        feed(paper("2609.00201", "Kites that fly", "Diffusion policies steer kites.")), now=NOON
    )
    member.says(f"/similar {KITES}")
    member.presses("Show to everyone")
    assert [one.action for one in member.buttons if one.short == "1"] == ["p:2609.00201"]


@pytest.mark.parametrize("command", [f"/save {KITES}", "/save", "/saved", "/mute", "/similar", "/bibtex"])
def test_whatever_is_typed_is_answered(command: str, caplog: pytest.LogCaptureFixture) -> None:
    office = Office()
    ada = office.person()
    ada.says(f"/save {KITES} #robots")

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.text(max_size=60))
    def answered(typed: str) -> None:
        assert ada.says(f"{command} {typed}").strip()
        assert "Something went wrong" not in ada.says(f"{command} {typed}")

    answered()
    office.thread.close()
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
