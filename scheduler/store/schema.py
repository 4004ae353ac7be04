"""The database's schema as numbered migrations, each additive and tested from the one before it."""

from __future__ import annotations

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from scheduler.store import search

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


@MIGRATIONS()
def m001_first_schema(db: Database) -> None:
    """Papers and their announcements, chats and subscriptions, the outbox, and small notes."""
    for script in (PAPERS, CHATS, OUTBOX, NOTES, search.SCHEMA):
        for statement in script.split(";\n"):
            if statement.strip():
                db.execute(statement)
