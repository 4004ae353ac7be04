"""An arXiv that lives in the test: a server on 127.0.0.1 whose feeds and listings are always today's news.

arxiv.announce("cs.LG", "2609.00001", "Policy gradients at sea", "We sail.")
arxiv.announce("cs.LG", "2609.00002", "An older one", kind="cross")
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from html import escape

from aiohttp import web

from scheduler import calendar

_HEAD = (
    "<?xml version='1.0' encoding='UTF-8'?>"
    '<rss xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0">'
    "<channel><title>{category} updates on arXiv.org</title>"
    "<link>http://rss.arxiv.org/rss/{category}</link><pubDate>{midnight}</pubDate>"
)


_ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
    "<id>http://arxiv.org/api/query</id><title>ArXiv Query</title>"
    "<opensearch:totalResults>1</opensearch:totalResults>"
)

_SECTIONS = {"new": "New submissions", "cross": "Cross submissions"}


@dataclass(frozen=True, slots=True)
class Announced:
    """One paper of the feed, as an author wrote it."""

    id: str
    title: str
    abstract: str = ""
    kind: str = "new"
    authors: str = "Ada Lovelace, Bo Sand"


class FakeArxiv:
    """The server. `asked` holds the path of every request; the feeds are dated the newest day that can be out."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._papers: dict[str, list[Announced]] = {}
        self._older: dict[str, Announced] = {}
        self._runner: web.AppRunner | None = None
        self._port = 0

    async def start(self) -> None:
        """Listens on a free port."""
        app = web.Application()
        app.router.add_get("/rss/{category}", self._feed)
        app.router.add_get("/list/{category}/new", self._listing)
        app.router.add_get("/api/query", self._query)
        app.router.add_route("*", "/{path:.*}", self._nothing)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Closes the port."""
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def url(self) -> str:
        """What stands for "https://rss.arxiv.org" and arXiv's other addresses."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def settings(self) -> dict[str, str]:
        """The settings that send Paperboy here."""
        names = ("feed", "listing", "api", "oai")
        return {f"arxiv_{name}_url": self.url for name in names} | {
            "arxiv_pace": "0.01",
            "arxiv_page_pace": "0.01",
        }

    def announce(
        self, category: str, paper_id: str, title: str, abstract: str = "", kind: str = "new"
    ) -> Announced:
        """Puts a paper at the end of a category's feed."""
        paper = Announced(paper_id, title, abstract or "We say how and how well.", kind)
        self._papers.setdefault(category, []).append(paper)
        return paper

    def has(self, paper_id: str, title: str) -> None:
        """An older paper, which only the query API tells of."""
        self._older[paper_id] = Announced(paper_id, title, "We say how and how well.")

    async def _query(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        ids = request.query.get("id_list", "").split(",")
        entries = "".join(_result(self._older[one]) for one in ids if one in self._older)
        return web.Response(text=f"{_ATOM}{entries}</feed>", content_type="application/atom+xml")

    async def _feed(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        category = request.match_info["category"]
        day = calendar.possible_day(datetime.now(UTC))
        body = "".join(_entry(paper, category) for paper in self._papers.get(category, ()))
        head = _HEAD.format(category=category, midnight=_midnight(day))
        return web.Response(text=f"{head}{body}</channel></rss>", content_type="application/rss+xml")

    async def _listing(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        papers = self._papers.get(request.match_info["category"], [])
        day = calendar.possible_day(datetime.now(UTC))
        sections = "".join(
            _section(name, [paper for paper in papers if paper.kind == kind])
            for kind, name in _SECTIONS.items()
        )
        heading = f"<h3>Showing new listings for {day:%A}, {day.day} {day:%B %Y}</h3>"
        page = f"<html><body>{heading}{sections}<p>Total of {len(papers)} entries</p></body></html>"
        return web.Response(text=page, content_type="text/html")

    async def _nothing(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        return web.Response(status=404, text="nothing here")


def _midnight(day: date) -> str:
    return format_datetime(datetime.combine(day, time(), calendar.NEW_YORK))


def _entry(paper: Announced, category: str) -> str:
    """The feed's form since 2024 (arXiv help, "RSS feeds")."""
    summary = f"arXiv:{paper.id}v1 Announce Type: {paper.kind} \nAbstract: {paper.abstract}"
    return (
        f"<item><title>{escape(paper.title)}</title><link>https://arxiv.org/abs/{paper.id}</link>"
        f"<description>{escape(summary)}</description>"
        f'<guid isPermaLink="false">oai:arXiv.org:{paper.id}v1</guid><category>{category}</category>'
        f"<arxiv:announce_type>{paper.kind}</arxiv:announce_type>"
        f"<dc:creator>{escape(paper.authors)}</dc:creator></item>"
    )


def _result(paper: Announced) -> str:
    """One entry of the query API (arXiv API user's manual, 3.3)."""
    return (
        f"<entry><id>http://arxiv.org/abs/{paper.id}v1</id><title>{escape(paper.title)}</title>"
        f"<summary>{escape(paper.abstract)}</summary><author><name>Ada Lovelace</name></author>"
        '<published>2017-06-12T17:57:34Z</published><category term="cs.LG"/></entry>'
    )


def _section(name: str, papers: list[Announced]) -> str:
    """One section of a listing page (arXiv's published templates)."""
    if not papers:
        return ""
    entries = "".join(
        f'<dt><a href="/abs/{paper.id}" title="Abstract">arXiv:{paper.id}</a></dt><dd>'
        f'<div class="list-title mathjax"><span class="descriptor">Title:</span> {escape(paper.title)}</div>'
        f'<div class="list-authors">{escape(paper.authors)}</div>'
        f'<p class="mathjax">{escape(paper.abstract)}</p></dd>'
        for paper in papers
    )
    return f"<h3>{name} (showing {len(papers)} of {len(papers)} entries)</h3><dl>{entries}</dl>"
