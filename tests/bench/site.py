"""A static site of many days, and what one more day costs."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

from bot.site.form import Form
from bot.site.update import Outcome, update
from bot.site.workers import working
from scheduler import calendar, topics
from scheduler.models import Announcement, AnnounceType, Paper, ParsedFeed
from scheduler.store import Store, open_store
from tests.bench import corpus
from tests.bench.figures import Figure, Sizes, at_most, wall_seconds

SMALL = 1000
"""With fewer papers a day, a few days will do."""

FIRST = date(2026, 9, 1)


def measure(sizes: Sizes) -> list[Figure]:
    """Wall time of `paperboy site` for 30 days of `sizes.day` papers into an empty folder, and for the 31st day.

    Every third paper has a topic's words in its title, so that topics are as full as on a busy day.
    """
    count = 30 if sizes.day >= SMALL else 5
    days = _days(count + 1)
    form = Form("en", topics.catalogue(), "https://papers.example.org")
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "bench.sqlite")
        papers = list(corpus.papers(sizes.day * len(days)))
        for place, day in enumerate(days[:-1]):
            _archive(store, day, papers[place * sizes.day : (place + 1) * sizes.day])
        site = Path(folder) / "site"
        make = working(store, Path(folder) / "bench.sqlite", form)
        whole, made = wall_seconds(lambda: update(store, site, form, make=make), rounds=1)
        _archive(store, days[-1], papers[-sizes.day :])
        again, one = wall_seconds(lambda: update(store, site, form, make=make), rounds=1)
        store.close()
    _check(made, count, one)
    size = f"{sizes.day:,} papers"
    return [
        at_most(f"site: {count} days × {size}", whole, "s", 30),
        at_most(f"site: a new day of {size}", again, "s", 3),
    ]


def _days(count: int) -> Sequence[date]:
    days: list[date] = []
    day = FIRST
    while len(days) < count:
        if calendar.is_announcement_day(day):
            days.append(day)
        day += timedelta(days=1)
    return days


def _archive(store: Store, day: date, papers: Sequence[Paper]) -> None:
    announcements = tuple(
        Announcement(_in_a_topic(paper, place), AnnounceType.NEW, day, paper.primary_category)
        for place, paper in enumerate(papers)
    )
    store.archive.store(
        ParsedFeed("arxiv-rss", "arxiv", "cs.LG", day, announcements), now=calendar.announced_at(day)
    )


SUBJECTS = ("world model", "LLM agent", "reinforcement learning", "gaussian splatting", "dark matter", "GNN")


def _in_a_topic(paper: Paper, place: int) -> Paper:
    if place % 3:
        return paper
    return replace(paper, title=f"{paper.title} {SUBJECTS[place // 3 % len(SUBJECTS)]}")


def _check(made: Outcome, count: int, one: Outcome) -> None:
    if len(made.days) != count or len(one.days) != 1:
        raise AssertionError("not every day was written: this measures something else")
