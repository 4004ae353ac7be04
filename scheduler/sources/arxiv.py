"""Fetching from arXiv: `client.get | kinds.recognise | a parser → ParsedFeed`; a failure is a SourceError.

Facts: arXiv help, "RSS feeds"; API user manual, section 3.1; arxiv-browse's published routes (/list,
/catchup).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from scheduler.errors import SourceError, SourceRefused, SourceUnavailable, UnknownInput
from scheduler.models import ParsedFeed
from scheduler.sources import arxiv_api, arxiv_feed, arxiv_listing, arxiv_oai, kinds
from scheduler.sources.http import Answer, SourceClient, Surface
from scheduler.sources.pages import heading_of

logger = logging.getLogger(__name__)

XML = "application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1"
HTML = "text/html, application/xhtml+xml;q=0.9, */*;q=0.1"
IDS_AT_ONCE = 100
MOST_PAGES = 10
"""A listing of more pages would be a fault of ours or of arXiv's; the largest days have two."""


async def fetch_feed(client: SourceClient, category: str) -> ParsedFeed:
    """Today's feed of one category ("cs.LG") or of several joined by "+".

    A category that arXiv does not know gives `errors` and no announcements; an answer that breaks off
    gives what is whole, with `truncated`. Raises SourceError.
    """
    try:
        answer = await client.get(Surface.FEED, f"/rss/{category}", accept=XML)
    except SourceRefused as error:
        return _explained(error, arxiv_feed.KIND)
    feed = _parsed(answer, arxiv_feed.KIND, category)
    return replace(feed, category=feed.category or category)


async def fetch_listing(client: SourceClient, category: str, day: date | None = None) -> ParsedFeed:
    """The listing of a category with its declared counts: the newest one, or that of `day` (up to 90 days back).

    One of more than 2,000 entries is fetched page by page; where a later page cannot be had, what there is comes as
    `truncated`. Raises SourceError; SourceRefused says in arXiv's words why a page does not exist.
    """
    pages = [await _listing_page(client, category, day, [])]
    while len(pages) < MOST_PAGES and arxiv_listing.has_more(pages):
        try:
            page = await _listing_page(client, category, day, pages)
        except SourceError as error:
            logger.warning("page %d of the listing of %s: %s", len(pages) + 1, category, error)
            break
        if page.date != pages[0].date:
            raise SourceUnavailable("arxiv", f"the listing of {category} changed between two of its pages")
        if arxiv_listing.read_so_far([*pages, page]) == arxiv_listing.read_so_far(pages):
            break
        pages.append(page)
    return arxiv_listing.joined(pages) if len(pages) > 1 else pages[0]


async def _listing_page(
    client: SourceClient, category: str, day: date | None, before: Sequence[ParsedFeed]
) -> ParsedFeed:
    """The page that follows those `before`: the listing counts entries, catch-up counts pages."""
    if day is None:
        skip = str(arxiv_listing.read_so_far(before))
        path, params = f"/list/{category}/new", {"skip": skip, "show": str(arxiv_listing.PAGE)}
    else:
        path, params = f"/catchup/{category}/{day.isoformat()}", {"abs": "True"}
        params |= {"page": str(len(before) + 1)} if before else {}
    try:
        answer = await client.get(Surface.PAGES, path, params, accept=HTML)
    except SourceRefused as error:
        words = heading_of(error.body)
        raise SourceRefused("arxiv", f"{error} {words}".strip(), error.body) from error
    return _parsed(answer, arxiv_listing.KIND, category)


async def fetch_papers(client: SourceClient, ids: Sequence[str]) -> ParsedFeed:
    """The papers of these ids (with or without a version) from the query API, 100 at a time.

    Ids that arXiv does not have are not in the answer; one that it cannot read gives `errors`. Raises
    SourceError.
    """
    merged = ParsedFeed(arxiv_api.KIND, "arxiv", declared=0)
    for start in range(0, len(ids), IDS_AT_ONCE):
        asked = ids[start : start + IDS_AT_ONCE]
        params = {"id_list": ",".join(asked), "max_results": str(len(asked))}
        try:
            answer = await client.get(Surface.API, params=params, accept=XML)
            feed = _parsed(answer, arxiv_api.KIND, "")
        except SourceRefused as error:
            feed = _explained(error, arxiv_api.KIND)
        merged = replace(
            merged,
            papers=(*merged.papers, *feed.papers),
            declared=(merged.declared or 0) + (feed.declared or 0),
            truncated=merged.truncated or feed.truncated,
            problems=(*merged.problems, *feed.problems),
            errors=(*merged.errors, *feed.errors),
        )
    return merged


async def fetch_search(client: SourceClient, query: str, start: int, size: int) -> ParsedFeed:
    """One page of a query's papers, oldest submission first; an error entry gives `errors`. Raises
    SourceError."""
    params = {
        "search_query": query,
        "start": str(start),
        "max_results": str(size),
        "sortBy": "submittedDate",
        "sortOrder": "ascending",
    }
    try:
        answer = await client.get(Surface.API, params=params, accept=XML)
    except SourceRefused as error:
        return _explained(error, arxiv_api.KIND)
    return _parsed(answer, arxiv_api.KIND, "")


async def fetch_records(
    client: SourceClient, oai_set: str, since: date | None = None, *, token: str = "", form: str = "arXivRaw"
) -> ParsedFeed:
    """One page of changed records of an OAI-PMH set ("cs:cs:LG") with their versions; `next_token` for
    the next. `form` is the metadata's ("arXivRaw", "arXiv").

    With `token` the rest is ignored, as OAI-PMH 2.0 (section 3.5) demands. OAI-PMH's own errors are in
    `errors`. Raises SourceError.
    """
    params = {"verb": "ListRecords", "resumptionToken": token}
    if not token:
        params = {"verb": "ListRecords", "metadataPrefix": form, "set": oai_set}
        params |= {"from": since.isoformat()} if since else {}
    try:
        answer = await client.get(Surface.OAI, params=params, accept=XML)
    except SourceRefused as error:
        return _explained(error, arxiv_oai.KIND)
    return _parsed(answer, arxiv_oai.KIND, "")


def _parsed(answer: Answer, kind: str, category: str) -> ParsedFeed:
    """The answer read as `kind`; an error page or a notice in its place is a source that is out of order."""
    try:
        found = kinds.recognise(answer.body)
    except UnknownInput as error:
        found = str(error).partition("; known kinds")[0]
    if found != kind:
        raise SourceUnavailable("arxiv", f"arXiv sent {found} where {kind} was due")
    feed = kinds.PARSERS[kind](answer.body, category)
    return feed if answer.is_whole else replace(feed, truncated=True)


def _explained(error: SourceRefused, kind: str) -> ParsedFeed:
    """What a refusal says in the form of `kind`; raises `error` again when it says nothing of the sort."""
    try:
        feed = kinds.parse(error.body, kind)
    except UnknownInput:
        raise error from None
    if not feed.errors:
        raise error
    return feed
