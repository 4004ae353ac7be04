"""An arXiv that plays a script: feeds, listings, catch-up pages and the query API on 127.0.0.1, in driven time.

arxiv = ScriptedArxiv(clock)
arxiv.announce(MONDAY, "cs.LG", "2610.00001", "new")
arxiv.feed_from(MONDAY, time(9))              # the feed of that day is late: empty until nine in New York
arxiv.fails(start, end, "/rss/", Reply(status=500))
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from email.utils import format_datetime
from math import ceil
from urllib.parse import parse_qs, urlsplit

from scheduler import calendar
from scheduler.models import AnnounceType
from scheduler.sources.http import SourceClient
from tests.sources.arxiv_server import Reply

NEWS = ("new", "cross")
SECTIONS = {"New": ("new",), "Cross": ("cross",), "Replacement": ("replace", "replace-cross")}


@dataclass(slots=True)
class Clock:
    """The time of everything in a test: it passes only while somebody sleeps or the test says so."""

    now: datetime

    def __call__(self) -> float:
        return self.now.timestamp()

    async def sleep(self, seconds: float) -> None:
        # A moment has microseconds: rounded up, or somebody would wait for the rest of one for ever.
        self.now += timedelta(microseconds=ceil(seconds * 1_000_000))


@dataclass(frozen=True, slots=True)
class Entry:
    """One paper of one category's day."""

    id: str
    kind: str
    primary: str
    version: int


@dataclass(frozen=True, slots=True)
class Fault:
    """What is answered instead, from `start` to `end`, to requests whose path begins with `path`."""

    start: datetime
    end: datetime
    path: str
    reply: Reply


@dataclass(slots=True)
class ScriptedArxiv:
    """What arXiv has on each day, when it shows it, and every request it got with its moment."""

    clock: Clock
    days: dict[tuple[date, str], list[Entry]] = field(default_factory=dict)
    shown_from: dict[tuple[str, date], datetime] = field(default_factory=dict)
    halved_until: dict[tuple[str, date, str], datetime] = field(default_factory=dict)
    repeated_until: dict[date, datetime] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    asked: list[tuple[datetime, str]] = field(default_factory=list)
    open_now: int = 0
    most_at_once: int = 0
    url: str = ""

    # the script

    def announce(
        self,
        day: date,
        category: str,
        paper_id: str,
        kind: str = "new",
        *,
        primary: str = "",
        version: int = 1,
    ) -> None:
        """Puts a paper into one category's announcement."""
        entry = Entry(paper_id, kind, primary or category, version)
        self.days.setdefault((day, category), []).append(entry)

    def late(self, day: date, at: time) -> None:
        """Feed and listing of a day show nothing of it before this time in New York."""
        for surface in ("feed", "listing"):
            self.shown_from[surface, day] = datetime.combine(day, at, calendar.NEW_YORK)

    def halved(self, surface: str, day: date, category: str, until: time) -> None:
        """The feed has only each second paper, or the listing only names the count, until then in New York."""
        self.halved_until[surface, day, category] = datetime.combine(day, until, calendar.NEW_YORK)

    def repeats(self, day: date, until: time) -> None:
        """Until then the feed has the papers of the day before under this day's date; the listing is the old one."""
        self.repeated_until[day] = datetime.combine(day, until, calendar.NEW_YORK)
        self.shown_from["listing", day] = self.repeated_until[day]

    def fails(self, start: datetime, end: datetime, path: str, reply: Reply) -> None:
        """Answers something else for a while."""
        self.faults.append(Fault(start, end, path, reply))

    def expected(self, day: date, category: str) -> Mapping[str, AnnounceType]:
        """What must be archived of one category's day."""
        return {entry.id: AnnounceType(entry.kind) for entry in self.days.get((day, category), ())}

    def news(self) -> dict[str, date]:
        """Every paper that is to be told of, and its date."""
        return {
            entry.id: day
            for (day, _), entries in self.days.items()
            for entry in entries
            if entry.kind in NEWS
        }

    # the surfaces

    def answer(self, target: str) -> Reply:
        """What arXiv says to a request at this moment."""
        for fault in self.faults:
            if target.startswith(fault.path) and fault.start <= self.clock.now < fault.end:
                return fault.reply
        path = urlsplit(target).path
        parts = path.strip("/").split("/")
        if parts[0] == "rss":
            return Reply(self._feed(parts[1]).encode())
        if parts[0] == "list":
            return Reply(self._listing(parts[1]).encode())
        if parts[0] == "catchup":
            return self._catchup(parts[1], date.fromisoformat(parts[2]))
        return Reply(self._papers(parse_qs(urlsplit(target).query)["id_list"][0].split(",")).encode())

    def _today(self) -> date:
        return self.clock.now.astimezone(calendar.NEW_YORK).date()

    def _feed(self, category: str) -> str:
        day = self._today()
        entries = list(self.days.get((day, category), ()))
        if self.clock.now < self.shown_from.get(("feed", day), self.clock.now):
            entries = []
        if self.clock.now < self.repeated_until.get(day, self.clock.now):
            entries = list(self.days.get((_before(day), category), ()))
        if self.clock.now < self.halved_until.get(("feed", day, category), self.clock.now):
            entries = entries[::2]
        midnight = format_datetime(datetime.combine(day, time(), calendar.NEW_YORK))
        items = "".join(_item(entry, midnight) for entry in entries)
        return (
            '<?xml version="1.0" encoding="UTF-8"?><rss xmlns:arxiv="http://arxiv.org/schemas/atom" '
            'xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0"><channel>'
            f"<title>{category} updates on arXiv.org</title><link>http://rss.arxiv.org/rss/{category}</link>"
            f"<lastBuildDate>{format_datetime(self.clock.now)}</lastBuildDate><pubDate>{midnight}</pubDate>"
            f"{items}</channel></rss>"
        )

    def _newest_listing(self) -> date:
        """The newest date in the whole database, whatever the clock says: it flips at 20:00 in New York."""
        shown = [
            day
            for day, _ in self.days
            if max(
                calendar.announced_at(day), self.shown_from.get(("listing", day), calendar.announced_at(day))
            )
            <= self.clock.now
        ]
        return max(shown)

    def _listing(self, category: str) -> str:
        day = self._newest_listing()
        return self._page(f"<h3>Showing new listings for {day:%A, %-d %B %Y}</h3>", category, day)

    def _catchup(self, category: str, day: date) -> Reply:
        if day > self._today() or (self._today() - day).days > 90:
            return Reply(b"<html><h1>Bad request</h1></html>", status=400)
        heading = f"<h1>Catchup results for {category} on {day:%a, %d %b %Y}</h1>"
        return Reply(self._page(heading, category, day).encode())

    def _page(self, heading: str, category: str, day: date) -> str:
        entries = self.days.get((day, category), [])
        if not entries:
            return f"<html><body>{heading}<p>No updates for {day:%a, %d %b %Y}</p></body></html>"
        is_halved = self.clock.now < self.halved_until.get(("listing", day, category), self.clock.now)
        sections = []
        for name, kinds in SECTIONS.items():
            chosen = [entry for entry in entries if entry.kind in kinds]
            shown = chosen[::2] if is_halved else chosen
            rows = "".join(_row(entry) for entry in shown)
            sections.append(
                f"<h3>{name} submissions (showing {len(shown)} of {len(chosen)} entries)</h3>{rows}"
            )
        body = "".join(sections)
        return f"<html><body>{heading}<div>Total of {len(entries)} entries</div><dl>{body}</dl></body></html>"

    def _papers(self, ids: list[str]) -> str:
        known = {entry.id: entry for entries in self.days.values() for entry in entries}
        found = "".join(_api_entry(known[paper_id]) for paper_id in ids if paper_id in known)
        return (
            '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom" '
            'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><id>https://arxiv.org/api/x</id>'
            f"<opensearch:totalResults>{len(ids)}</opensearch:totalResults>{found}</feed>"
        )

    # the server

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request and its answer; the connection is closed behind it."""
        try:
            line = await reader.readline()
            while (await reader.readline()).strip():
                pass
            target = line.split()[1].decode()
            self.asked.append((self.clock.now, target))
            self.open_now += 1
            self.most_at_once = max(self.most_at_once, self.open_now)
            reply = self.answer(target)
            if reply.silent:
                await reader.read()
            else:
                await _write(writer, reply)
            self.open_now -= 1
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


async def _write(writer: asyncio.StreamWriter, reply: Reply) -> None:
    headers = {"Content-Length": str(len(reply.body)), "Connection": "close"} | reply.headers
    lines = [f"HTTP/1.1 {reply.status} X", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    with contextlib.suppress(ConnectionError):
        writer.write("\r\n".join(lines).encode() + reply.body)
        await writer.drain()


def _before(day: date) -> date:
    day -= timedelta(days=1)
    while day.weekday() > 4:
        day -= timedelta(days=1)
    return day


def title_of(paper_id: str) -> str:
    """Every source's title of a paper."""
    return f"Paper {paper_id}"


def _item(entry: Entry, midnight: str) -> str:
    return (
        f"<item><title>{title_of(entry.id)}</title><link>https://arxiv.org/abs/{entry.id}</link>"
        f"<description>arXiv:{entry.id}v{entry.version} Announce Type: {entry.kind} \nAbstract: Words.</description>"
        f'<guid isPermaLink="false">oai:arXiv.org:{entry.id}v{entry.version}</guid>'
        f"<category>{entry.primary}</category><pubDate>{midnight}</pubDate>"
        f"<arxiv:announce_type>{entry.kind}</arxiv:announce_type><dc:creator>Ada B, Bo C</dc:creator></item>"
    )


def _row(entry: Entry) -> str:
    return (
        f'<dt><a href ="/abs/{entry.id}" title="Abstract">arXiv:{entry.id}</a></dt><dd>'
        f"<div class='list-title'><span class='descriptor'>Title:</span> {title_of(entry.id)}</div>"
        "<div class='list-authors'><a>Ada B</a>, <a>Bo C</a></div>"
        f"<div class='list-comments'><span class='descriptor'>Comments:</span> {len(entry.id)} pages</div>"
        f"<div class='list-subjects'><span class=\"primary-subject\">X ({entry.primary})</span></div>"
        "<p class='mathjax'>Words.</p></dd>"
    )


def _api_entry(entry: Entry) -> str:
    return (
        f"<entry><id>http://arxiv.org/abs/{entry.id}v{entry.version}</id><title>{title_of(entry.id)}</title>"
        f"<summary>Words.</summary><author><name>Ada B</name></author>"
        f'<arxiv:primary_category term="{entry.primary}"/><category term="{entry.primary}"/></entry>'
    )


@asynccontextmanager
async def playing(arxiv: ScriptedArxiv, patience: float = 1.5) -> AsyncIterator[SourceClient]:
    """The script on a port of the loopback, and a client whose clock and sleep are the script's."""
    listening = await asyncio.start_server(arxiv.serve, "127.0.0.1", 0)
    arxiv.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    async with listening, client_of(arxiv, patience) as client:
        yield client


def client_of(arxiv: ScriptedArxiv, patience: float = 1.5) -> SourceClient:
    """A client with arXiv's own paces, which sleeps in driven time."""
    return SourceClient(
        contact="ada@example.org",
        feed_url=arxiv.url,
        listing_url=arxiv.url,
        api_url=f"{arxiv.url}/api/query",
        oai_url=f"{arxiv.url}/oai",
        timeout=patience,
        clock=arxiv.clock,
        sleep=arxiv.clock.sleep,
        jitter=lambda most: most / 2,
    )


def utc(day: date, hour: int, minute: int = 0) -> datetime:
    """A moment in UTC."""
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC)
