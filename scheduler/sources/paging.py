"""Whole results from interfaces that answer in pages: arXiv's query API, and OAI-PMH.

Facts: arXiv API user manual, sections 3.1.1.2 and 3.1.1.3 (at most 30,000 results, in slices of at most 2,000; more is
HTTP 400); OAI-PMH 2.0, section 3.5 (flow control: tokens) and 2.7.2 (deleted records). The API sometimes gives an
empty page in the middle of a result; arXiv's tokens expire daily.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date

from scheduler.errors import SourceChanged, SourceRefused, SourceUnavailable
from scheduler.models import EntryProblem, Paper, PaperId, ParsedFeed
from scheduler.sources import arxiv, arxiv_api
from scheduler.sources.http import SourceClient

PAGE = 1000
LARGEST_PAGE = 2000
OVERLAP = 20
"""So many entries of a page are asked for again with the next: what moves up meanwhile is not missed."""
MOST_RESULTS = 30_000
TRIES = 4
"""How often an empty page is asked for."""
RESTARTS = 3
"""How often a harvest may begin again at the same day."""
_OWN_GROUP = ("cs", "econ", "eess", "math", "q-bio", "q-fin", "stat")


class TooManyResults(SourceRefused):
    """A query with more results than the API gives out: ask for less at a time."""


def submitted_in(category: str, first: date, last: date) -> str:
    """The query for a category's papers first submitted from `first` to `last` (both included, GMT)."""
    return f"cat:{category} AND submittedDate:[{first:%Y%m%d}0000 TO {last:%Y%m%d}2359]"


async def search(
    client: SourceClient, query: str, *, page: int = PAGE, overlap: int = OVERLAP, most: int = MOST_RESULTS
) -> ParsedFeed:
    """Every paper that a query of the API finds, oldest submission first, each once.

    `declared` is the API's own total and `truncated` says that fewer could be had. Raises TooManyResults for
    more than `most`, SourceUnavailable for a page that stays empty, and the other SourceErrors.
    """
    papers: dict[PaperId, Paper] = {}
    problems: dict[str, EntryProblem] = {}
    size = min(page, LARGEST_PAGE)
    start, total, steps_back = 0, 0, 3
    while True:
        feed = await _page(client, query, start, size, total)
        total = feed.declared or 0
        if total > most:
            raise TooManyResults(
                "arxiv", f"{total} results are more than {most}: ask for fewer days at a time"
            )
        if start and steps_back and not any(paper.id in papers for paper in feed.papers):
            steps_back -= 1
            start = max(0, start - size // 2)
            continue
        papers |= {paper.id: paper for paper in feed.papers}
        problems |= {problem.entry: problem for problem in feed.problems}
        reached = start + len(feed.papers) + len(feed.problems)
        if reached >= total:
            break
        start = max(reached - overlap, start + 1)
    return ParsedFeed(
        arxiv_api.KIND,
        "arxiv",
        papers=tuple(papers.values()),
        declared=total,
        truncated=len(papers) + len(problems) < total,
        problems=tuple(problems.values()),
    )


async def _page(client: SourceClient, query: str, start: int, size: int, total: int) -> ParsedFeed:
    """One page that is not empty, unless nothing is left; `total` is what the pages before said (0: none yet)."""
    for _ in range(TRIES):
        feed = await arxiv.fetch_search(client, query, start, size)
        if feed.errors:
            raise SourceRefused("arxiv", f"the query API refuses {query!r}: {feed.errors[0]}")
        if feed.papers or feed.problems or (feed.declared == 0 and not total):
            return feed
        if feed.declared is not None and total <= start and feed.declared <= start:
            return feed
    raise SourceUnavailable("arxiv", f"the query API has {total} results but gives an empty page at {start}")


def oai_set(category: str) -> str:
    """The OAI-PMH set of a category: cs.LG is cs:cs:LG, hep-th is physics:hep-th (arXiv OAI help, ListSets)."""
    archive, _, subject = category.partition(".")
    group = archive if archive in _OWN_GROUP else "physics"
    return ":".join(filter(None, (group, archive, subject)))


async def harvest(
    client: SourceClient, category: str, since: date | None, *, form: str = "arXivRaw"
) -> AsyncIterator[ParsedFeed]:
    """Every record of a category that changed on or after `since`, page by page, deleted ones in `removed`.

    `form` is "arXivRaw" (with versions) or "arXiv" (with affiliations). arXiv orders its pages by the time of
    change (arXiv/oaipmh, the service's source): when a token has expired the harvest begins again at the
    newest day that it has seen, so a record may come twice. Raises SourceError.
    """
    token, begin, restarts = "", since, 0
    newest = since
    while True:
        feed = await arxiv.fetch_records(client, oai_set(category), begin, token=token, form=form)
        if token and any(error.startswith("badResumptionToken") for error in feed.errors):
            restarts = 0 if newest != begin else restarts + 1
            if restarts > RESTARTS:
                raise SourceUnavailable("arxiv", f"OAI-PMH forgets its tokens at {begin} again and again")
            token, begin = "", newest
            continue
        if feed.errors:
            raise SourceRefused("arxiv", f"OAI-PMH refuses {category}: {feed.errors[0]}")
        newest = max(filter(None, (newest, feed.stamped and feed.stamped.date())), default=None)
        yield replace(feed, category=category)
        if feed.next_token and feed.next_token == token:
            raise SourceChanged("arxiv", "OAI-PMH gives the same resumption token again")
        token = feed.next_token
        if not token:
            return
