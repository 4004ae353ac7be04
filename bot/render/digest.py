"""A digest in a chat: pages for one reader, a compact list for many.

A page is one message on every platform. TL;DRs and author lists are cut as far as ten papers need to fit,
titles never; where that is not enough the page has fewer papers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import NamedTuple, overload

from bot.locale import N_, Translator
from bot.markup import Block, Line, LineKind, Size, Span, are_one_message, size_of
from bot.ports import ACTION_LIMIT, Button, Keyboard
from bot.render.paper_words import (
    Said,
    abstract_page,
    bold_link,
    clip,
    code,
    dotted,
    field_names,
    line,
    marked_chinese_title,
    short_authors,
    tldrs,
    untranslated,
)
from bot.render.view import View
from scheduler import calendar
from scheduler.categories import ARCHIVES, CATEGORIES
from scheduler.models import (
    AnnounceType,
    Author,
    Digest,
    DigestPaper,
    Match,
    Paper,
    Platform,
    Section,
    Shortfall,
)

PAPERS_ON_A_PAGE = 10
LABEL_LIMIT = 80
COMPACT_TLDR = 120
REASON_TITLE = 60


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a digest; `number` counts from 1."""

    number: int
    blocks: tuple[Block, ...]
    papers: tuple[DigestPaper, ...]


@dataclass(frozen=True, slots=True)
class Room:
    """How much of each paper a page shows: characters of a TL;DR, named authors."""

    tldr: int
    authors: int


_SHORTFALLS = {
    Shortfall.BUDGET: N_("daily budget reached"),
    Shortfall.LATE: N_("not ready in time"),
    Shortfall.UNREACHABLE: N_("the translation service cannot be reached"),
    Shortfall.REFUSED: N_("the translation service refuses; the operator has been told"),
    Shortfall.UNSOUND: N_("no sound translation came"),
}

LADDER = (
    Room(280, 2),
    Room(220, 2),
    Room(160, 2),
    Room(120, 2),
    Room(100, 2),
    Room(80, 1),
    Room(60, 1),
    Room(0, 1),
    Room(0, 0),
)


class Pages(Sequence[Page]):
    """A digest in pages of at most ten papers, each one message on Telegram and on Discord; never no page.

    Where pages begin is known at once, each is made when it is asked for. Only a single paper with a title of
    thousands of letters makes a page that has to be split.
    """

    def __init__(self, digest: Digest, view: View) -> None:
        self._layout = _Layout(digest, view)
        self._starts = self._layout.starts()

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> Page: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Page]: ...
    def __getitem__(self, index: int | slice) -> Page | Sequence[Page]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        place = range(len(self))[index]
        ends = (*self._starts[1:], self._layout.size)
        return self._layout.page(place + 1, self._starts[place], ends[place])


def digest_pages(digest: Digest, view: View) -> Pages:
    """The digest's pages; see `Pages`."""
    return Pages(digest, view)


def is_one_message(blocks: Iterable[Block]) -> bool:
    """True for what is one message on Telegram and on Discord."""
    return are_one_message(map(size_of, blocks))


class _Layout:
    """Which papers stand on which page of a digest, and how much of each is shown."""

    def __init__(self, digest: Digest, view: View) -> None:
        self._digest, self._view = digest, view
        self._papers = digest.papers
        self._told: dict[int, _Told] = {}
        self._last = tuple(_footer(digest, view))
        self._headers: dict[int, Block] = {}
        self._roomy: set[tuple[int, int]] = set()
        self.size = len(self._papers)

    def starts(self) -> tuple[int, ...]:
        """The place of each page's first paper: as many fit as fit when as little as possible is shown of each."""
        starts: list[int] = []
        place = 0
        while place < self.size or not starts:
            starts.append(place)
            place += max(self._count(len(starts), place), 1)
        return tuple(starts)

    def _count(self, number: int, start: int) -> int:
        count = min(PAPERS_ON_A_PAGE, self.size - start)
        if self._fits(number, start, start + count, LADDER[0]):
            self._roomy.add((start, start + count))
            return count
        while count > 1 and not self._fits(number, start, start + count, LADDER[-1]):
            count -= 1
        return count

    def _fits(self, number: int, start: int, end: int, room: Room) -> bool:
        return are_one_message(
            size_of(piece) if isinstance(piece, Block) else _sized(*piece, room)
            for piece in self._pieces(number, start, end)
        )

    def page(self, number: int, start: int, end: int) -> Page:
        """The page with the papers from `start` to `end`, with as much of each as there is room for."""
        room = LADDER[0] if (start, end) in self._roomy else self._room(number, start, end)
        blocks = tuple(
            piece if isinstance(piece, Block) else _block(*piece, room)
            for piece in self._pieces(number, start, end)
        )
        return Page(number, blocks, self._papers[start:end])

    def _room(self, number: int, start: int, end: int) -> Room:
        return next((room for room in LADDER if self._fits(number, start, end, room)), LADDER[-1])

    def _pieces(self, number: int, start: int, end: int) -> Iterator[Block | tuple[Line | None, _Told]]:
        """What stands on a page: finished blocks, and papers (under a heading) that are still to be cut."""
        digest, view = self._digest, self._view
        if number not in self._headers:
            self._headers[number] = _header(digest, view, number)
        yield self._headers[number]
        place = 0
        for section in digest.sections:
            here = section.papers[max(start - place, 0) : max(end - place, 0)]
            place += len(section.papers)
            if not section.papers and end == self.size:
                yield Block((_heading(digest, section, view),), opens_card=True)
            for paper in here:
                goes_on = paper is not section.papers[0]
                heading = _heading(digest, section, view, goes_on) if paper is here[0] else None
                yield heading, self._told_of(paper, section)
        if end == self.size:
            yield from self._last

    def _told_of(self, paper: DigestPaper, section: Section) -> _Told:
        known = self._told.get(paper.number)
        if known is None:
            known = self._told[paper.number] = _told(paper, section, self._view)
        return known


def _block(heading: Line | None, told: _Told, room: Room) -> Block:
    lines = told.lines(room)
    return Block(lines) if heading is None else Block((heading, *lines), opens_card=True)


def _sized(heading: Line | None, told: _Told, room: Room) -> Size:
    if heading is not None:
        return size_of(_block(heading, told, room))
    # Numbers of as many digits are as long: most digests then find the size of their papers known.
    return _size(told._replace(number="0" * len(told.number)), room)


def _header(digest: Digest, view: View, number: int) -> Block:
    t = view.t
    if number > 1:
        name = _days_in_short(digest.dates, t)
        return Block(
            (line(t("📬 {days} · page {number}", days=name, number=number), kind=LineKind.HEADING),), True
        )
    lines = [line(f"📬 {days_line(digest, t)}", kind=LineKind.HEADING)]
    lines.append(dotted(announced_line(digest.dates, view), _counts(digest, t)))
    return Block((*lines, *_late_lines(digest, view)), opens_card=True)


def _late_lines(digest: Digest, view: View) -> tuple[Line, ...]:
    """For when a digest that was missed was meant, on the reader's clock."""
    if digest.meant_for is None:
        return ()
    t, meant = view.t, view.local(digest.meant_for)
    words = t("Late: meant for {weekday} {time}.", weekday=t.weekday(meant.date()), time=t.time(meant))
    return (line(words, kind=LineKind.QUIET),)


def days_line(digest: Digest, t: Translator) -> str:
    """ "Tuesday, 29 September 2026", or "3 days in one: Thu 24, Fri 25, Mon 28 September"."""
    dates = digest.dates
    if len(dates) > 1:
        return t.n(
            "{count} day in one: {days}", "{count} days in one: {days}", len(dates), days=t.dates(dates)
        )
    return t.date(dates[0]) if dates else t("Nothing new")


def _days_in_short(dates: Sequence[date], t: Translator) -> str:
    return t.dates(dates) if len(dates) > 1 else t.date(dates[0]) if dates else ""


def announced_line(dates: Sequence[date], view: View) -> str:
    """When the newest of the lists was announced, in New York and on the reader's clock."""
    if len(dates) != 1:
        return ""
    t, moment = view.t, calendar.announced_at(dates[0])
    local = view.local(moment)
    there = f"{t.weekday(moment.date())} {t.time(moment)}"
    if local.replace(tzinfo=None) == moment.replace(tzinfo=None):
        return t("Announced {there} New York", there=there)
    here = t.time(local)
    if local.date() not in (dates[0], moment.date()):
        here = f"{t.weekday(local.date())} {here}"
    return t("Announced {there} New York, {here} for you", there=there, here=here)


def _counts(digest: Digest, t: Translator) -> str:
    count, announced = len(digest.papers), digest.announced
    if announced < count:
        return t("{count} for you", count=t.number(count))
    counts = {"count": t.number(count), "announced": t.number(announced)}
    if digest.complete:
        return t("{count} for you of {announced}, all received", **counts)
    if digest.complete is None:
        return t("{count} for you of {announced}", **counts)
    return t("{count} for you of {announced}, more may follow", **counts)


def _heading(digest: Digest, section: Section, view: View, goes_on: bool = False) -> Line:
    t = view.t
    text = section_title(section, t)
    if goes_on:
        text = t("{section}, continued", section=text)
    elif section.also_elsewhere:
        text = t("{section} ({note})", section=text, note=_elsewhere(digest, section, t))
    return line(text, *_ping(section, view, goes_on), kind=LineKind.HEADING)


def _ping(section: Section, view: View, goes_on: bool) -> tuple[Span, ...]:
    """Telegram's mention of the member who wants to be pinged; Discord has them outside of what is shown in cards."""
    if not section.ping or goes_on or view.platform is not Platform.TELEGRAM:
        return ()
    return (Span(" "), Span("🔔", url=f"tg://user?id={section.ping}"))


def section_title(section: Section, t: Translator) -> str:
    """ "diffusion policy · 2": how many papers the query finds, those shown under another section among them."""
    return f"{section.heading} · {t.number(len(section.papers) + section.also_elsewhere)}"


def _elsewhere(digest: Digest, section: Section, t: Translator) -> str:
    others = [
        other.heading
        for other in digest.sections
        if other is not section and any(section.heading in paper.also for paper in other.papers)
    ]
    count = section.also_elsewhere
    if len(others) == 1:
        return t.n("{count} also under {title}", "{count} also under {title}", count, title=others[0])
    return t.n("{count} also under another section", "{count} also under other sections", count)


class _Told(NamedTuple):
    """What is said of one paper on a page, before it is cut to a room. `card` and `page` are addresses."""

    number: str
    card: str
    title: str
    page: str
    chinese: str
    tldrs: tuple[Said, ...]
    authors: tuple[Author, ...]
    quiet: tuple[str, ...]
    code: str
    why: str

    def lines(self, room: Room) -> tuple[Line, ...]:
        """The title whole, TL;DRs and authors as far as there is room."""
        lines = [line(Span(self.number, url=self.card), "  ", bold_link(self.title, self.page))]
        if self.chinese:
            lines.append(line(self.chinese))
        if room.tldr:
            lines += [line(said.within(room.tldr)) for said in self.tldrs]
        category, *marked = self.quiet
        lines.append(dotted(short_authors(self.authors, room.authors), category, code(self.code), *marked))
        if self.why:
            lines.append(line(self.why, kind=LineKind.QUIET))
        return tuple(lines)


@lru_cache(maxsize=50_000)
def _size(told: _Told, room: Room) -> Size:
    """The size of a paper's block: the same papers stand in the digests of many."""
    return size_of(Block(told.lines(room)))


def _told(paper: DigestPaper, section: Section, view: View) -> _Told:
    one, words = paper.paper, paper.wordings
    return _Told(
        str(paper.number),
        view.card_url(one.id),
        one.title,
        abstract_page(one),
        marked_chinese_title(words, view.languages),
        tldrs(words, view.languages),
        one.authors,
        (one.primary_category, *marks(paper, view.t)),
        one.id,
        why_words(paper, section, view.t),
    )


def title_line(paper: DigestPaper, view: View) -> Line:
    """Number and title, each with its link."""
    number = Span(f"{paper.number}", url=view.card_url(paper.paper.id))
    return line(number, "  ", bold_link(paper.paper.title, abstract_page(paper.paper)))


def marks(paper: DigestPaper, t: Translator) -> tuple[str, ...]:
    """What a reader must know beside the title: not new here, withdrawn, late."""
    marks = []
    if paper.announce_type is AnnounceType.CROSS:
        marks.append(t("cross-listed"))
    elif not paper.announce_type.is_news:
        marks.append(t("version {version}", version=paper.paper.version))
    if paper.paper.withdrawn:
        marks.append(t("withdrawn"))
    if paper.late:
        marks.append(t("late, of {day}", day=t.short_date(paper.date)))
    return tuple(marks)


def why_words(paper: DigestPaper, section: Section, t: Translator) -> str:
    """What matched where the section's title does not say it, the other sections that it fits, and why it is first."""
    also = t("also under {titles}", titles=t.names(paper.also)) if paper.also else ""
    return " · ".join(filter(None, (matched(paper, section.title, t), also, suits(paper, t))))


_REASONS = {
    "saved": N_("because you saved “{title}”"),
    "liked": N_("because you liked “{title}”"),
    "opened": N_("because you opened “{title}”"),
}


def suits(paper: DigestPaper, t: Translator) -> str:
    """ "because you saved “World models”", "" for a paper that does not come first for such a reason."""
    reason = paper.reason
    return t(_REASONS[reason.kind], title=clip(reason.title, REASON_TITLE)) if reason is not None else ""


def matched(paper: DigestPaper, title: str, t: Translator) -> str:
    """ "found by policy gradient (abstract)", "" where the `title` above says the words already.

    A category beside words is where the query looks, not what it looks for.
    """
    match = _without_categories(paper.match)
    if not match.words or [word.casefold() for word in match.words] == [title.casefold()]:
        return ""
    return t("found by {words} ({fields})", words=t.row(match.words), fields=field_names(match.fields, t))


def _without_categories(match: Match) -> Match:
    fields = tuple(name for name in match.fields if name != "categories")
    words = tuple(word for word in match.words if word not in CATEGORIES and word not in ARCHIVES)
    return Match(fields, words) if fields and words else match


def _footer(digest: Digest, view: View) -> tuple[Block, ...]:
    t = view.t
    lines = []
    late = [paper.date for paper in digest.papers if paper.late]
    for day in sorted(set(late)):
        count = late.count(day)
        text = t.n(
            "+{count} that arrived late for {day}",
            "+{count} that arrived late for {day}",
            count,
            day=t.weekday_long(day),
        )
        lines.append(line(text, kind=LineKind.QUIET))
    if digest.more:
        text = t.n(
            "{count} more fits, by day: {command}",
            "{count} more fit, by day: {command}",
            digest.more,
            command=f"/digest {max(digest.dates).isoformat()}",
        )
        lines.append(line(text, kind=LineKind.QUIET))
    if missing := untranslated_line(digest, view):
        lines.append(line(missing, kind=LineKind.QUIET))
    return (Block(tuple(lines), opens_card=True),) if lines else ()


def untranslated_line(digest: Digest, view: View) -> str:
    """ "Not translated today: 3 of 18 (daily budget reached)", "" when nothing is missing."""
    t = view.t
    missing = sum(untranslated(paper.wordings, view.languages) for paper in digest.papers)
    if not missing:
        return ""
    counts = {"missing": t.number(missing), "total": t.number(len(digest.papers))}
    if digest.shortfall is None:
        return t("Not translated today: {missing} of {total}", **counts)
    reason = t(_SHORTFALLS[digest.shortfall])
    return t("Not translated today: {missing} of {total} ({reason})", reason=reason, **counts)


def nothing_new(view: View, expected: date) -> Block:
    """For who asks when there is nothing: when the next announcement (its date) comes, on the reader's clock."""
    t, moment = view.t, view.local(calendar.announced_at(expected))
    return Block(
        (
            line(
                t(
                    "Nothing new. The next announcement comes {weekday} {time}.",
                    weekday=t.weekday(moment.date()),
                    time=t.time(moment),
                )
            ),
        )
    )


def paper_choices(papers: Iterable[DigestPaper], action: Callable[[Paper], str]) -> tuple[Button, ...]:
    """A button per paper, with its number as the short label; none where the action is too long."""
    return tuple(
        Button(clip(f"{one.number} · {one.paper.title}", LABEL_LIMIT), pressed, short=str(one.number))
        for one in papers
        if len((pressed := action(one.paper)).encode()) <= ACTION_LIMIT
    )


def page_keyboard(name: str, page: Page, pages: int, t: Translator) -> Keyboard:
    """A button per paper of the page, which opens its card in place; ◀ n/m ▶ for more pages; the whole as a file.

    `name` is the digest's run key. A paper whose id is too long for a button has none.
    """
    choices = paper_choices(page.papers, lambda paper: f"c:{page.number}:{paper.id}|{name}")
    others = (Button(t("Whole digest as a page"), f"whole:{name}"), Button(t("Settings"), "settings"))
    if pages == 1:
        return Keyboard((others,), choices, t("Open a paper…"))
    turns = (
        Button("◀", f"d:{name}:{(page.number - 2) % pages + 1}"),
        Button(f"{page.number}/{pages}", f"d:{name}:{page.number}"),
        Button("▶", f"d:{name}:{page.number % pages + 1}"),
    )
    return Keyboard((turns, others), choices, t("Open a paper…"))


def digest_compact(digest: Digest, view: View) -> tuple[Block, ...]:
    """The whole digest for many readers: each section a card, each paper its title and one line.

    The complete digest follows as a file (`html.digest_html`).
    """
    t = view.t
    blocks = [
        Block(
            (
                line(f"📬 {days_line(digest, t)}", kind=LineKind.HEADING),
                dotted(announced_line(digest.dates, view), total_line(digest, t)),
                *_late_lines(digest, view),
            ),
            True,
        )
    ]
    for section in digest.sections:
        heading = _heading(digest, section, view)
        if not section.papers:
            blocks.append(Block((heading,), opens_card=True))
        for paper in section.papers:
            lines = _compact_lines(paper, view)
            is_first = paper is section.papers[0]
            blocks.append(Block((heading, *lines) if is_first else lines, opens_card=is_first))
    return (*blocks, *_footer(digest, view))


def total_line(digest: Digest, t: Translator) -> str:
    """ "18 papers of 1,204", or "1,204 papers" for all of them."""
    count, announced = len(digest.papers), digest.announced
    if announced < count or (announced == count and digest.complete is not False):
        return t.n("{count} paper", "{count} papers", count)
    if digest.complete is False:
        return t.n(
            "{count} paper of {announced}, more may follow",
            "{count} papers of {announced}, more may follow",
            count,
            announced=t.number(announced),
        )
    return t.n(
        "{count} paper of {announced}", "{count} papers of {announced}", count, announced=t.number(announced)
    )


def _compact_lines(paper: DigestPaper, view: View) -> tuple[Line, ...]:
    lines = [title_line(paper, view)]
    if chinese := marked_chinese_title(paper.wordings, view.languages):
        lines.append(line(chinese))
    elif said := tldrs(paper.wordings, view.languages):
        lines.append(line(said[0].within(COMPACT_TLDR)))
    return tuple(lines)
