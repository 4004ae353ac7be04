"""The database's schema as numbered migrations, each additive and tested from the one before it."""

from __future__ import annotations

import json
from itertools import groupby

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from scheduler import identity
from scheduler.models import Author, Paper, PaperId
from scheduler.store import aliases, changes, replays, revisions, search

MIGRATIONS = Migrations("paperboy")

PAPERS = """
create table paper(
  key integer primary key,
  id text not null unique,
  version integer not null,
  title text not null,
  abstract text not null,
  authors text not null,
  categories text not null,
  source text not null,
  comments text not null,
  doi text not null,
  journal_ref text not null,
  licence text not null,
  withdrawn integer not null,
  submitted text,
  updated text,
  url text not null,
  raw_title text not null,
  raw_abstract text not null
);
create table wording(
  paper integer not null references paper(key),
  lang text not null,
  title text not null,
  tldr text not null,
  abstract text not null,
  origin text not null,
  primary key(paper, lang)
) without rowid;
create table announcement(
  date text not null,
  category text not null,
  position integer not null,
  paper integer not null references paper(key),
  announce_type text not null,
  primary key(date, category, paper)
) without rowid;
create index announcement_paper on announcement(paper);
create table batch(
  category text not null,
  date text not null,
  state text not null,
  received integer not null,
  declared integer,
  counts text not null,
  source text not null,
  reason text not null,
  fetched_at text,
  primary key(category, date)
) without rowid;
"""

CHATS = """
create table chat(
  key integer primary key,
  platform text not null,
  chat_id text not null,
  thread_id text not null,
  kind text not null,
  title text not null,
  lang text not null,
  content text not null,
  time text not null,
  zone text not null,
  weekdays text not null,
  state text not null,
  reason text not null,
  joined text not null,
  next_due real,
  last_date text,
  unique(platform, chat_id, thread_id)
);
create index chat_due on chat(next_due) where next_due is not null and state = 'active';
create table subscription(
  key integer primary key,
  chat integer not null references chat(key),
  query text not null,
  title text not null,
  owner text not null,
  since text,
  unique(chat, query, owner)
);
create index subscription_query on subscription(query);
"""

OUTBOX = """
create table digest(
  chat integer not null references chat(key),
  run_key text not null,
  body text not null,
  planned text not null,
  primary key(chat, run_key)
) without rowid;
create table delivered(
  chat integer not null,
  paper integer not null,
  run_key text not null,
  primary key(chat, paper)
) without rowid;
create table body(
  key integer primary key,
  hash blob not null unique,
  text text not null
);
create table delivery(
  key integer primary key,
  chat integer not null references chat(key),
  run_key text not null,
  part integer not null,
  body integer not null references body(key),
  state text not null default 'pending',
  attempts integer not null default 0,
  not_before real not null,
  lease_until real,
  message_id text not null default '',
  reason text not null default '',
  sent_at real,
  unique(chat, run_key, part)
);
create index delivery_open on delivery(chat, key) where state in ('pending', 'sending');
"""

NOTES = """
create table note(name text primary key, value text not null) without rowid;
create table token(key integer primary key, text text not null unique);
"""

LIBRARY = (
    "create table saved(person text not null, paper integer not null references paper(key), "
    "chat integer not null, tags text not null, note text not null, at text not null, told integer not null, "
    "primary key(person, paper)) without rowid",
    "create index saved_paper on saved(paper)",
    "create index saved_chat on saved(chat)",
    "create table vote(person text not null, paper integer not null references paper(key), "
    "chat integer not null, value integer not null, at text not null, primary key(person, paper)) without rowid",
    "create index vote_paper on vote(paper)",
    "create index vote_chat on vote(chat)",
    "create table opened(person text not null, paper integer not null references paper(key), "
    "chat integer not null, at text not null, primary key(person, paper)) without rowid",
    "create index opened_paper on opened(paper)",
    "create index opened_chat on opened(chat)",
    "create table mute(key integer primary key, chat integer not null references chat(key), kind text not null, "
    "query text not null, title text not null, unique(chat, query))",
    "create table taste(chat integer primary key, stamp text not null, body text not null)",
)

MADE_WORDS = (
    """create table enrichment(
  content text not null,
  lang text not null,
  part text not null,
  service text not null,
  text text not null,
  status text not null,
  flags text not null,
  reason text not null,
  origin text not null,
  tokens integer not null,
  characters integer not null,
  micros integer not null,
  attempts integer not null,
  next_try real,
  made real not null,
  primary key(content, lang, part, service)
) without rowid""",
    """create table spending(
  date text primary key,
  tokens integer not null,
  characters integer not null,
  micros integer not null
) without rowid""",
)


MEMBERS = (
    "create table member(chat integer not null references chat(key), person text not null, name text not null, "
    "way text not null default 'private', primary key(chat, person)) without rowid",
    "create index subscription_owner on subscription(owner) where owner != ''",
    "alter table chat add column names_members integer not null default 0",
)


@MIGRATIONS()
def m001_first_schema(db: Database) -> None:
    """Papers and their announcements, chats and subscriptions, the outbox, and small notes."""
    for script in (PAPERS, CHATS, OUTBOX, NOTES, search.SCHEMA):
        for statement in script.split(";\n"):
            if statement.strip():
                db.execute(statement)


@MIGRATIONS()
def m002_batch_times(db: Database) -> None:
    """What the listing stated of a day, when its sources were asked, and up to when each chat's slots were planned."""
    for column in (
        "declared_counts text not null default '{}'",
        "tries integer not null default 0",
        "listed_at text",
        "first_seen text",
        "completed text",
    ):
        db.execute(f"alter table batch add column {column}")
    db.execute("alter table chat add column planned_until text")


@MIGRATIONS()
def m003_answers_and_aliases(db: Database) -> None:
    """The newest answers of sources for conditional requests, and the other names of papers."""
    db.execute(
        "create table answer(key integer primary key, address text not null unique, etag text not null, "
        "last_modified text not null, body blob not null)"
    )
    db.execute(aliases.SCHEMA)
    for row in db.execute("select key, id, title, doi, authors from paper").fetchall():
        authors = tuple(Author(name, place) for name, place in json.loads(row[4]))
        paper = Paper(PaperId(row[1]), 0, row[2], doi=row[3], authors=authors)
        names = [(name, row[0]) for name in identity.names(paper) if name != paper.id]
        db.conn.executemany("insert or ignore into alias(name, paper) values (?, ?)", names)


@MIGRATIONS()
def m004_who_can_mend(db: Database) -> None:
    """Who a private chat is with, who set a group up, since when a chat rests, and the outbox's order of sending.

    On Telegram a private chat has the number of its person (Bot API, Chat).
    """
    for column in (
        "person text not null default ''",
        "manager text not null default ''",
        "told text not null default ''",
        "rests_since text",
        "warned text",
    ):
        db.execute(f"alter table chat add column {column}")
    db.execute("update chat set person = chat_id where platform = 'telegram' and kind = 'private'")
    db.execute("create index chat_person on chat(person) where person != ''")
    db.execute("create index delivery_due on delivery(not_before, key) where state = 'pending'")
    db.execute("create index delivery_leased on delivery(lease_until) where state = 'sending'")


@MIGRATIONS()
def m005_changes_and_cross_lists(db: Database) -> None:
    """What changed in archived papers, and whether a subscription follows cross-listed papers."""
    for statement in changes.SCHEMA:
        db.execute(statement)
    db.execute("alter table subscription add column cross_lists integer not null default 1")


@MIGRATIONS()
def m005_replays(db: Database) -> None:
    """Which answers are archived just as they are."""
    db.execute(replays.SCHEMA)


@MIGRATIONS()
def m006_schedules(db: Database) -> None:
    """More ways to be served, digests kept once however many chats get them, and when each day's papers changed.

    A day's revision rises with every change of its announcements, of its papers and of their words, whoever makes it;
    a chat's `planned_revision` is the newest one that its last slot was planned with.
    """
    for column in (
        "at_announcement integer not null default 0",
        "quiet text not null default ''",
        "says_nothing_new integer not null default 0",
        "planned_revision integer not null default 0",
    ):
        db.execute(f"alter table chat add column {column}")
    db.execute("alter table digest add column shared integer references body(key)")
    for statement in revisions.SCHEMA:
        db.execute(statement)


@MIGRATIONS()
def m007_chats_managed_from_elsewhere(db: Database) -> None:
    """Which chat a private chat's commands are for, and the post of a forum that a run's parts stand in."""
    db.execute("alter table chat add column steers integer")
    db.execute("alter table delivery add column thread text not null default ''")


@MIGRATIONS()
def m007b_sound_of_digests(db: Database) -> None:
    """Whether a chat's digests come with a sound."""
    db.execute("alter table chat add column sound integer not null default 0")


@MIGRATIONS()
def m008_library(db: Database) -> None:
    """What people save, like and open, what a chat never wants to be told of, and the order of its papers."""
    for statement in LIBRARY:
        db.execute(statement)
    db.execute("alter table chat add column paper_order text not null default 'title-first'")


@MIGRATIONS()
def m009_checked_wordings(db: Database) -> None:
    """What the checks found in a paper's words (a JSON list), how far they can be trusted, and who translated."""
    db.execute("alter table wording add column flags text not null default '[]'")
    db.execute("alter table wording add column status text not null default 'ok'")
    db.execute("alter table wording add column translator text not null default ''")


@MIGRATIONS()
def m010_made_words(db: Database) -> None:
    """What models and translation services made of which words, and what each day was spent on them."""
    for statement in MADE_WORDS:
        db.execute(statement)


@MIGRATIONS()
def m012_meanings(db: Database) -> None:
    """The vectors of papers for search by meaning."""
    db.execute(
        "create table meaning(key integer primary key, paper integer not null unique references paper(key), "
        "vector blob not null)"
    )


@MIGRATIONS()
def m013_members(db: Database) -> None:
    """Keywords of members: how each is told, and whether a chat names them."""
    for statement in MEMBERS:
        db.execute(statement)


@MIGRATIONS()
def m014_lists_of_papers(db: Database) -> None:
    """The delivered marks of a run as one list of papers, kept once for all chats that got the same."""
    db.execute("create table told(key integer primary key, papers text not null unique)")
    db.execute("alter table digest add column told integer references told(key)")
    marks = db.execute("select chat, run_key, paper from delivered order by chat, run_key, paper").fetchall()
    for (chat, run_key), rows in groupby(marks, key=lambda row: row[:2]):
        papers = ",".join(str(paper) for _, _, paper in rows)
        db.execute("insert or ignore into told(papers) values (?)", [papers])
        db.execute(
            "update digest set told = (select key from told where papers = ?) where chat = ? and run_key = ?",
            [papers, chat, run_key],
        )
    db.execute("drop table delivered")


@MIGRATIONS()
def m015_lists_by_paper(db: Database) -> None:
    """Which lists a paper stands in, and which chats got a list."""
    db.execute(
        "create table told_paper(paper integer not null, told integer not null, primary key(paper, told)) without rowid"
    )
    for key, papers in db.execute("select key, papers from told").fetchall():
        db.conn.executemany(
            "insert or ignore into told_paper(paper, told) values (?, ?)",
            [(int(paper), key) for paper in papers.split(",") if paper],
        )
    db.execute("create index digest_told on digest(told, chat) where told is not null")
