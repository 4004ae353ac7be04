"""An arXiv query API and an OAI-PMH server on 127.0.0.1 that answer in pages, and misbehave when they are told to."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from urllib.parse import parse_qs, urlsplit

from scheduler.sources.http import SourceClient
from tests.patience import PATIENCE
from tests.sources.arxiv_server import ArxivServer, Reply, Time, arxiv_server


@dataclass(frozen=True, slots=True)
class Submitted:
    """One paper of the API: its id and the day of its first submission."""

    id: str
    day: date


@dataclass(slots=True)
class QueryApi:
    """The papers that there are, oldest first. `faults` are given instead of the next answers: "empty", "zero" (empty,
    and no total), "slow" (429), "error" (an error entry under HTTP 400); None answers well."""

    papers: list[Submitted]
    faults: list[str | None] = field(default_factory=list)
    pretend: int | None = None
    appearing: list[Submitted] = field(default_factory=list)
    """Papers that turn up at the front after the first answer."""
    starts: list[int] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)

    def answer(self, target: str) -> Reply:
        """The answer to one request."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
        start, size = int(asked["start"]), int(asked["max_results"])
        self.starts.append(start)
        self.queries.append(asked["search_query"])
        found = self._found(asked["search_query"])
        fault = self.faults.pop(0) if self.faults else None
        if fault == "slow":
            return Reply(status=429, headers={"Retry-After": "30"})
        if fault == "error":
            return Reply(
                _atom(
                    1,
                    "<entry><id>https://arxiv.org/api/errors#x</id><title>Error</title>"
                    "<summary>start must be an integer</summary></entry>",
                ),
                400,
            )
        total = 0 if fault == "zero" else self.pretend if self.pretend is not None else len(found)
        page = [] if fault else found[start : start + size]
        self.papers[:0], self.appearing = self.appearing, []
        return Reply(_atom(total, "".join(map(_entry, page))))

    def _found(self, query: str) -> list[Submitted]:
        span = re.search(r"submittedDate:\[(\d{8})0000 TO (\d{8})2359\]", query)
        if span is None:
            return list(self.papers)
        first, last = (datetime.strptime(day, "%Y%m%d").date() for day in span.groups())  # noqa: DTZ007
        return [paper for paper in self.papers if first <= paper.day <= last]


def _atom(total: int, entries: str) -> bytes:
    return (
        '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
        f"<id>http://arxiv.org/api/x</id><opensearch:totalResults>{total}</opensearch:totalResults>{entries}</feed>"
    ).encode()


def _entry(paper: Submitted) -> str:
    return (
        f"<entry><id>http://arxiv.org/abs/{paper.id}v1</id><title>Sailing by {paper.id}</title>"
        f"<published>{paper.day}T10:00:00Z</published><updated>{paper.day}T10:00:00Z</updated>"
        '<summary>We sail.</summary><author><name>Ada Lovelace</name></author><category term="cs.LG"/></entry>'
    )


def record(
    paper_id: str, stamp: str, submitted: str = "Thu, 1 Jan 2026 10:00:00 GMT", *, deleted: bool = False
) -> str:
    """One record in arXivRaw."""
    status = ' status="deleted"' if deleted else ""
    head = f"<header{status}><identifier>oai:arXiv.org:{paper_id}</identifier><datestamp>{stamp}</datestamp></header>"
    if deleted:
        return f"<record>{head}</record>"
    return (
        f'<record>{head}<metadata><arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>{paper_id}</id>'
        f'<version version="v1"><date>{submitted}</date></version>'
        f'<version version="v2"><date>{submitted}</date></version>'
        f"<title>Sailing by {paper_id}</title><authors>Ada Lovelace</authors><categories>cs.LG</categories>"
        "<abstract>We sail.</abstract></arXivRaw></metadata></record>"
    )


def oai(*records: str, token: str = "", error: str = "") -> bytes:
    """One ListRecords answer."""
    more = f"<resumptionToken>{token}</resumptionToken>" if token else "<resumptionToken/>"
    body = (
        f'<error code="{error}">words</error>'
        if error
        else f"<ListRecords>{''.join(records)}{more}</ListRecords>"
    )
    return f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">{body}</OAI-PMH>'.encode()


def client_of(url: str, time: Time) -> SourceClient:
    """A client whose API and OAI-PMH are at `url`, in driven time."""
    return SourceClient(
        api_url=f"{url}/api/query",
        oai_url=f"{url}/oai",
        timeout=PATIENCE,
        clock=time,
        sleep=time.sleep,
        jitter=lambda most: most,
    )


@asynccontextmanager
async def query_api(api: QueryApi) -> AsyncIterator[tuple[SourceClient, ArxivServer, Time]]:
    """The running API and a client for it."""
    time = Time()
    async with arxiv_server(api.answer) as server, client_of(server.url, time) as client:
        yield client, server, time
