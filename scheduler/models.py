"""The domain types, in the field's words. Frozen, without I/O; every date is an announcement date unless named.

Text fields hold *clean* text (TeX turned into Unicode, entities decoded, white space folded: `scheduler.text`);
what the source really sent is kept beside it in `raw_title` and `raw_abstract` where the two differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import NewType

PaperId = NewType("PaperId", str)
"""Normalised, without a version: `2603.01234`, `hep-th/9901001`; other sources `doi:10.1101/…`, `url:https://…`."""


class AnnounceType(StrEnum):
    """How a paper appears in an announcement; the order is from the most to the least news."""

    NEW = "new"
    CROSS = "cross"
    REPLACE = "replace"
    REPLACE_CROSS = "replace-cross"

    @property
    def is_news(self) -> bool:
        """True for a paper that the category's readers have not been told of before (new, cross)."""
        return self in (AnnounceType.NEW, AnnounceType.CROSS)

    @property
    def rank(self) -> int:
        """0 for new … 3 for replace-cross: of several types on one day the lowest one counts."""
        return list(AnnounceType).index(self)


class BatchState(StrEnum):
    """What is known of one category's announcement of one day."""

    FRESH = "fresh"
    WAITING = "waiting"
    QUIET = "quiet"
    STALE = "stale"
    PARTIAL = "partial"
    FAILED = "failed"


class CauseKind(StrEnum):
    """Why a day or a source is not, or not yet, as it should be. The comment names the values."""

    NOTED = "noted"
    NOT_FETCHED = "not-fetched"
    HOLIDAY = "holiday"  # its English name
    NO_UPDATES = "no-updates"
    NOTHING_ANNOUNCED = "nothing-announced"
    EMPTY_SO_FAR = "empty-so-far"
    STILL_EARLIER = "still-earlier"  # the date that the feed has
    ALREADY_LATER = "already-later"  # the date that the feed has
    REPEATED = "repeated"
    NO_DATE = "no-date"
    COUNT_TO_COME = "count-to-come"
    LISTING_EMPTY = "listing-empty"
    OTHER_LISTING = "other-listing"  # the date that the listing has
    NOT_CHECKED = "not-checked"
    NEWS_MISSING = "news-missing"  # received, declared
    MISSING = "missing"  # received, declared
    CUT = "cut"
    UNREADABLE = "unreadable"  # how many entries, the first of them
    LEFT_ALONE = "left-alone"
    THROTTLED = "throttled"
    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    CHANGED = "changed"
    FAULT = "fault"


class ChangeKind(StrEnum):
    """What changed in a paper that was archived before."""

    VERSION = "version"
    TITLE = "title"
    COMMENTS = "comments"
    WITHDRAWN = "withdrawn"
    DOI = "doi"
    JOURNAL_REF = "journal_ref"


class Order(StrEnum):
    """The order of papers within a section: as announced, hits in the title first, or what suits the chat first."""

    ANNOUNCED = "announced"
    TITLE_FIRST = "title-first"
    FOR_YOU = "for-you"


class Platform(StrEnum):
    """Where a chat lives."""

    CONSOLE = "console"
    TELEGRAM = "telegram"
    DISCORD = "discord"


class ChatKind(StrEnum):
    """One reader (private), a group, topic or thread whose members talk, a channel that is read, or a forum.

    In a forum every digest is a post of its own.
    """

    PRIVATE = "private"
    GROUP = "group"
    CHANNEL = "channel"
    FORUM = "forum"


class ChatState(StrEnum):
    """Whether a chat gets deliveries; `paused` and `gone` carry a reason."""

    ACTIVE = "active"
    PAUSED = "paused"
    GONE = "gone"


class DeliveryState(StrEnum):
    """The life of one part in the outbox."""

    PENDING = "pending"
    SENDING = "sending"
    SENT = "sent"
    UNKNOWN = "unknown"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Author:
    """One author as shown ("Anders Søgaard"); `affiliation` is "" where the source gives none."""

    name: str
    affiliation: str = ""


@dataclass(frozen=True, slots=True)
class Flag:
    """One place where words that were made from a paper do not say what the paper says.

    `field` is "title", "abstract" or "tldr"; `kind` a short stable key ("number", "name", "terminology", …; see
    `scheduler.enrich.checks`); `severity` "minor" or "major"; `detail` the place in short: "3.6k → 36k".
    """

    field: str
    kind: str
    severity: str
    detail: str


class WordingStatus(StrEnum):
    """How far words can be trusted: checked, flagged, not to be had, or the original put in their place."""

    OK = "ok"
    FLAGGED = "flagged"
    FAILED = "failed"
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True)
class Wording:
    """A paper's words in one language ("en", "zh"); "" for what there is not.

    `origin` says who wrote them: "extract" (the built-in one), "editor" (a person; the seeds), "import", or a
    model's name; `translator` names who wrote title and abstract where that is somebody else. `flags` is what the
    checks found in them.
    """

    lang: str
    title: str = ""
    tldr: str = ""
    abstract: str = ""
    origin: str = "extract"
    flags: tuple[Flag, ...] = ()
    status: WordingStatus = WordingStatus.OK
    translator: str = ""


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper in its newest known version. `categories` has the primary first; `abstract` may be "".

    `version` is 0 where the source does not say it (listing pages, OAI-PMH's arXiv format).
    """

    id: PaperId
    version: int
    title: str
    abstract: str = ""
    authors: tuple[Author, ...] = ()
    categories: tuple[str, ...] = ()
    source: str = "arxiv"
    comments: str = ""
    doi: str = ""
    journal_ref: str = ""
    licence: str = ""
    withdrawn: bool = False
    submitted: datetime | None = None
    updated: datetime | None = None
    url: str = ""
    raw_title: str = ""
    raw_abstract: str = ""

    @property
    def primary_category(self) -> str:
        """The category the paper belongs to; "" where the source names none."""
        return self.categories[0] if self.categories else ""


@dataclass(frozen=True, slots=True)
class Announcement:
    """One paper in one category's announcement of one day. `announce_type` is relative to that category."""

    paper: Paper
    announce_type: AnnounceType
    date: date
    category: str


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that changed in an archived paper. `number` rises with every change that is written down.

    `paper` is the paper's key in the archive, `at` when the change was seen, `old` and `new` what was and is there
    ("1" and "2" for a version, "" for nothing, "" and "yes" for a withdrawal).
    """

    number: int
    paper: int
    at: datetime
    kind: ChangeKind
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class EntryProblem:
    """An entry that could not be read whole: never dropped silently. `entry` is an id or a position."""

    entry: str
    problem: str


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """What one response says: everything a parser could read of it, and what it could not.

    `kind` names the parser (see `scheduler.sources.kinds`). `category` is the request's ("cs.LG", "cs.LG+cs.AI", ""
    where a response has none); `date` is the announcement date, None for responses without one (the query API,
    OAI-PMH). `papers` holds papers without an announcement. `declared` is the count that the response itself
    states, None where it states none. `truncated` is true for a response that breaks off in the middle. `removed`
    lists records that the source says are deleted. `next_token` says where an answer goes on
    ("" at its end): an OAI-PMH resumption token, a cursor, the entries of a listing's page; `stamped` is the newest
    datestamp of OAI-PMH's records.
    """

    kind: str
    source: str
    category: str = ""
    date: date | None = None
    announcements: tuple[Announcement, ...] = ()
    papers: tuple[Paper, ...] = ()
    declared: int | None = None
    declared_by_type: Mapping[AnnounceType, int] = field(default_factory=dict)
    built: datetime | None = None
    truncated: bool = False
    problems: tuple[EntryProblem, ...] = ()
    errors: tuple[str, ...] = ()
    removed: tuple[PaperId, ...] = ()
    next_token: str = ""
    stamped: datetime | None = None


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason for a state: its kind, its values, and what a source or a program said (English, "" for nothing)."""

    kind: CauseKind
    values: tuple[str, ...] = ()
    said: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.kind, *self.values, self.said)))


@dataclass(frozen=True, slots=True)
class Batch:
    """The record of one unit of work: one category's announcement of one day.

    `declared` is the count the source stated (None: it stated none), `received` what was archived, `counts` the
    received papers by announce type, `declared_counts` the stated ones, `causes` what explains a state other than
    fresh. `tries` counts the times a source was asked (0: the day is known to be missing), `fetched_at` is the
    last of them and `listed_at` the last time that the listing was asked; `first_seen` is when the first paper came
    and `completed` when the day was whole.
    """

    category: str
    date: date
    state: BatchState
    received: int
    declared: int | None = None
    counts: Mapping[AnnounceType, int] = field(default_factory=dict)
    source: str = ""
    causes: tuple[Cause, ...] = ()
    fetched_at: datetime | None = None
    declared_counts: Mapping[AnnounceType, int] = field(default_factory=dict)
    tries: int = 0
    listed_at: datetime | None = None
    first_seen: datetime | None = None
    completed: datetime | None = None

    @property
    def news(self) -> int:
        """How many received papers are news (new or cross-listed)."""
        return sum(count for kind, count in self.counts.items() if kind.is_news)

    @property
    def declared_news(self) -> int | None:
        """How many new and cross-listed papers the listing stated, None where it was not read."""
        if not self.declared_counts:
            return None
        return sum(count for kind, count in self.declared_counts.items() if kind.is_news)


@dataclass(frozen=True, slots=True)
class ChatRef:
    """A chat's address on its platform. `thread_id` is "" outside topics and threads."""

    platform: Platform
    chat_id: str
    thread_id: str = ""

    def __str__(self) -> str:
        thread = f"/{self.thread_id}" if self.thread_id else ""
        return f"{self.platform}:{self.chat_id}{thread}"


@dataclass(frozen=True, slots=True)
class Quiet:
    """Hours of every local day in which nothing is sent, as "HH:MM"; an `end` before the `start` is the next day's."""

    start: str
    end: str

    def __str__(self) -> str:
        return f"{self.start}-{self.end}"


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a chat gets its digest: "HH:MM" in an IANA zone, on `weekdays` (0 is Monday; a single one is weekly).

    `at_announcement` is instead of the time: as soon as an announcement is complete. Nothing is sent in `quiet`.
    `says_nothing_new` asks for a line where there is nothing to tell.
    """

    time: str
    zone: str
    weekdays: frozenset[int] = frozenset(range(7))
    at_announcement: bool = False
    quiet: Quiet | None = None
    says_nothing_new: bool = False


@dataclass(frozen=True, slots=True)
class Chat:
    """One chat that has spoken to Paperboy. `key` is its row; `lang` the interface's language ("en", "zh").

    `content` is what papers are shown in: "en", "zh" or "both"; `order` is that of its digest's papers. With `sound`
    its people want to hear a digest come. With `names_members` its digest has what members follow, under their names.
    """

    key: int
    ref: ChatRef
    kind: ChatKind
    title: str
    lang: str
    content: str
    schedule: Schedule
    state: ChatState = ChatState.ACTIVE
    reason: str = ""
    joined: datetime | None = None
    order: Order = Order.TITLE_FIRST
    sound: bool = False
    names_members: bool = False

    @property
    def languages(self) -> tuple[str, ...]:
        """What papers are shown in, in order: ("en",), ("zh",) or ("en", "zh")."""
        return ("en", "zh") if self.content == "both" else (self.content,)


@dataclass(frozen=True, slots=True)
class Subscription:
    """One keyword subscription. `query` is canonical text (`scheduler.query`); `title` heads its section.

    `since` is the first announcement date that it is delivered for. Without `cross_lists` papers that are only
    cross-listed are left out. `owner` is the member of the chat whose own it is ("telegram:4711"), "" for the chat's;
    in a digest `member` is that person's name where it is shown, and `ping` the id of who wants to be pinged.
    """

    key: int
    chat: int
    query: str
    title: str
    owner: str = ""
    since: date | None = None
    cross_lists: bool = True
    member: str = ""
    ping: str = ""

    @property
    def heading(self) -> str:
        """What heads its section and is named beside papers of other sections."""
        return f"{self.title} · {self.member}" if self.member else self.title


@dataclass(frozen=True, slots=True)
class Match:
    """Why a paper is in a section: the fields that matched ("title", "abstract", "authors", "categories", "id", …)
    and the words, as the query has them."""

    fields: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def in_title(self) -> bool:
        """True when the title alone has a hit."""
        return "title" in self.fields


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a paper suits a chat: the liked paper that it is nearest to, and what was done with that one.

    `kind` is a stable key: "saved", "liked" or "opened".
    """

    kind: str
    title: str


@dataclass(frozen=True, slots=True)
class DigestPaper:
    """One paper of a digest. `number` runs through the whole digest from 1; `also` names other sections it fits.

    `reason` is set for the first papers of a section that is in the chat's own order.
    """

    number: int
    paper: Paper
    announce_type: AnnounceType
    date: date
    match: Match
    wordings: Mapping[str, Wording] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    late: bool = False
    reason: Reason | None = None

    def wording(self, lang: str) -> Wording | None:
        """The paper's words in `lang`, None where there are none."""
        return self.wordings.get(lang)


@dataclass(frozen=True, slots=True)
class Section:
    """One subscription's part of a digest: `also_elsewhere` counts hits that are shown under another section.

    `member` and `ping` are as in `Subscription`.
    """

    title: str
    query: str
    papers: tuple[DigestPaper, ...]
    also_elsewhere: int = 0
    member: str = ""
    ping: str = ""

    @property
    def heading(self) -> str:
        """Its title, with the member whose own it is."""
        return f"{self.title} · {self.member}" if self.member else self.title


class Shortfall(StrEnum):
    """Why papers of a digest are not in the language that its chat reads."""

    BUDGET = "budget"
    LATE = "late"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    UNSOUND = "unsound"


@dataclass(frozen=True, slots=True)
class Digest:
    """What one chat is told of one or more announcement dates. `announced` counts new and cross-listed papers.

    `complete` is true when arXiv's own count of every category was reached, false when papers are known to be
    missing, and None when no count was stated.

    `more` papers fit too but were left out of a digest of several days: /digest shows a day whole. `shortfall` is why
    some papers were not translated when the digest was planned, None where all were or no service is set up.

    `meant_for` is the moment at which a digest that was missed should have come, `expected` the next announcement where
    there is nothing to tell.
    """

    dates: tuple[date, ...]
    announced: int
    sections: tuple[Section, ...]
    complete: bool | None = True
    more: int = 0
    shortfall: Shortfall | None = None
    meant_for: datetime | None = None
    expected: date | None = None

    @property
    def papers(self) -> tuple[DigestPaper, ...]:
        """Every paper once, in the order of the numbers."""
        return tuple(paper for section in self.sections for paper in section.papers)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One part of one run in the outbox, as the sender claims it. `payload` is `bot`'s finished part as JSON.

    `thread` is the forum post that the run's earlier parts stand in; `reason` why it was put back the last time.
    """

    key: int
    chat: Chat
    run_key: str
    part: int
    payload: str
    attempts: int
    not_before: datetime
    thread: str = ""
    reason: str = ""
