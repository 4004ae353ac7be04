"""Announcements + subscriptions + what was delivered → one chat's digest."""

from __future__ import annotations

from datetime import date

from scheduler import digest
from scheduler.digest import Candidate
from scheduler.models import AnnounceType, Match, Subscription
from tests.builders import TUESDAY, paper

MONDAY = date(2026, 9, 28)
TITLE = Match(("title",), ("rl",))
ABSTRACT = Match(("abstract",), ("rl",))


def candidate(key: int, day: date = TUESDAY) -> Candidate:
    one = paper(f"2609.{key:05d}", f"Paper {key}")
    return Candidate(key, one, AnnounceType.NEW, day, {}, key)


def by_key(*candidates: digest.Candidate) -> dict[int, digest.Candidate]:
    return {one.key: one for one in candidates}


def subscription(key: int, query: str, since: date | None = None) -> Subscription:
    return Subscription(key, 1, query, query, since=since)


ANNOUNCED = {TUESDAY: 10, MONDAY: 7}


def test_every_paper_once_in_the_first_section_that_it_fits() -> None:
    hits = {"rl": {1: TITLE, 2: ABSTRACT}, "robot": {2: TITLE, 3: TITLE}}
    built = digest.build(
        by_key(candidate(1), candidate(2), candidate(3)),
        hits,
        [subscription(1, "rl"), subscription(2, "robot")],
        announced=ANNOUNCED,
    )
    assert built.keys == (1, 2, 3)
    first, second = built.digest.sections
    assert [entry.number for entry in built.digest.papers] == [1, 2, 3]
    assert first.papers[1].also == ("robot",)
    assert (len(second.papers), second.also_elsewhere) == (1, 1)
    assert (built.digest.dates, built.digest.announced) == ((TUESDAY,), 10)


def test_hits_in_the_title_come_first_then_the_order_of_the_announcement() -> None:
    hits = {"rl": {1: ABSTRACT, 2: TITLE, 3: ABSTRACT, 4: TITLE}}
    built = digest.build(
        by_key(*map(candidate, (1, 2, 3, 4))), hits, [subscription(1, "rl")], announced=ANNOUNCED
    )
    assert built.keys == (2, 4, 1, 3)


def test_delivered_papers_and_those_before_a_subscription_began_are_left_out() -> None:
    hits = {"rl": {1: TITLE, 2: TITLE, 3: TITLE}}
    built = digest.build(
        by_key(candidate(1), candidate(2), candidate(3, MONDAY)),
        hits,
        [subscription(1, "rl", since=TUESDAY)],
        announced=ANNOUNCED,
        delivered=frozenset({1}),
    )
    assert built.keys == (2,)


def test_papers_that_come_after_their_day_was_told_are_late() -> None:
    hits = {"rl": {1: TITLE, 2: TITLE}}
    built = digest.build(
        by_key(candidate(1), candidate(2, MONDAY)),
        hits,
        [subscription(1, "rl")],
        announced=ANNOUNCED,
        told_until=MONDAY,
    )
    assert {entry.paper.id: entry.late for entry in built.digest.papers} == {
        "2609.00001": False,
        "2609.00002": True,
    }
    assert built.digest.dates == (TUESDAY,)
    assert built.digest.announced == 10


def test_several_days_in_one() -> None:
    hits = {"rl": {1: TITLE, 2: TITLE}}
    built = digest.build(
        by_key(candidate(1), candidate(2, MONDAY)), hits, [subscription(1, "rl")], announced=ANNOUNCED
    )
    assert built.digest.dates == (MONDAY, TUESDAY)
    assert built.digest.announced == 17


def test_a_digest_survives_its_text() -> None:
    hits = {"rl": {1: TITLE, 2: ABSTRACT}, "robot": {2: TITLE}}
    built = digest.build(
        by_key(candidate(1), candidate(2)),
        hits,
        [subscription(1, "rl"), subscription(2, "robot")],
        announced=ANNOUNCED,
        told_until=MONDAY,
    )
    body = digest.dump(built.digest)
    known = {entry.paper.id: (entry.paper, entry.wordings) for entry in built.digest.papers}
    assert digest.paper_ids(body) == tuple(entry.paper.id for entry in built.digest.papers)
    assert digest.load(body, known) == built.digest
