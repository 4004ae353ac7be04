"""One day's papers × all subscriptions, against the loop that keyword bots run."""

from __future__ import annotations

import time
from collections.abc import Sequence

from scheduler import query
from scheduler.matching import DayIndex, matches
from tests.bench import corpus
from tests.bench.figures import Figure, Sizes, at_most, cpu_seconds, peak_megabytes

SAMPLE = 100
"""Subscriptions that the peer's loop is run for; the rest is extrapolated, since every one costs the same."""


def measure(sizes: Sizes) -> list[Figure]:
    """CPU time from papers and saved queries to hits, and the memory it takes.

    The best of several days in a row: as in a bot that runs, the words of yesterday's queries are still known.
    """
    papers = corpus.bilingual_papers(sizes.day)
    distinct = corpus.queries(sizes.distinct)
    subscriptions = corpus.subscriptions(sizes.subscriptions, distinct)
    before = peak_megabytes()

    def ours() -> int:
        return len(matches(DayIndex(papers), set(subscriptions)))

    seconds, found = cpu_seconds(ours)
    memory = peak_megabytes() - before
    if not found:
        raise AssertionError("no subscription found anything: this measures nothing")
    texts = [
        f"{paper.title} {paper.abstract} {words['zh'].title} {words['zh'].abstract}"
        for paper, words in papers
    ]
    peer = keyword_bot_seconds(texts, [_keyword(text) for text in subscriptions])
    size = f"{len(subscriptions):,} subscriptions ({len(distinct):,} queries) × {len(papers):,} papers"
    large = sizes.subscriptions >= 1_000_000
    return [
        at_most(
            f"match {size}",
            seconds,
            "s CPU",
            6 if large else 2,
            peer=f"keyword in text.lower(), extrapolated from {SAMPLE} subscriptions",
            times=peer / seconds,
            least=1000 if large else 300,
        ),
        at_most("match: memory added", memory, "MB", 150),
    ]


def keyword_bot_seconds(texts: Sequence[str], keywords: Sequence[str]) -> float:
    """What keyword bots do: for every subscription, look through every paper. CPU seconds, extrapolated."""
    sample = keywords[:: max(1, len(keywords) // SAMPLE)][:SAMPLE]
    start = time.process_time()
    found: dict[str, list[str]] = {}
    for keyword in sample:
        for text in texts:
            if keyword in text.lower():
                found.setdefault(keyword, []).append(text)
    return (time.process_time() - start) * len(keywords) / len(sample)


def _keyword(text: str) -> str:
    """The first words of a query: those bots know no more than one keyword."""
    return next(query.positive_terms(query.parse(text).root)).text
