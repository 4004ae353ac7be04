"""Feeds in other encodings: what they or their servers name is read; what nobody names is refused, not guessed."""

from __future__ import annotations

import pytest

from scheduler.errors import SourceChanged
from scheduler.sources import documents, feeds, others
from scheduler.sources.http import WebClient
from tests.sources.arxiv_server import Reply, arxiv_server

TITLE = "Как пережить новогоднюю ночь"


def blog(title: str = TITLE, declaration: str = "") -> str:
    return (
        f'{declaration}<rss version="2.0"><channel><title>Блог</title><link>https://blog.example.org</link><item>'
        f"<title>{title}</title><link>https://blog.example.org/1</link>"
        "<pubDate>Tue, 29 Sep 2026 10:00:00 +0000</pubDate></item></channel></rss>"
    )


def titles(body: bytes, charset: str = "") -> list[str]:
    return [entry.paper.title for entry in feeds.parse(body, charset=charset).announcements]


@pytest.mark.parametrize("encoding", ["utf-8", "koi8-r", "windows-1251", "utf-16", "iso-8859-5"])
def test_what_the_feed_names_is_read(encoding: str) -> None:
    declaration = f'<?xml version="1.0" encoding="{encoding}"?>'
    assert titles(blog(declaration=declaration).encode(encoding)) == [TITLE]


@pytest.mark.parametrize("charset", ["koi8-r", "windows-1251", "utf-8"])
def test_what_only_the_server_names_is_read(charset: str) -> None:
    assert titles(blog().encode(charset), charset) == [TITLE]


def test_what_nobody_names_is_utf_8_or_refused() -> None:
    assert titles(blog().encode()) == [TITLE]
    assert titles(b"\xef\xbb\xbf" + blog().encode()) == [TITLE]
    with pytest.raises(SourceChanged, match="names no encoding and is not UTF-8"):
        feeds.parse(blog().encode("koi8-r"))


def test_a_name_that_is_wrong_is_told_of_and_the_rest_is_kept() -> None:
    body = blog(declaration='<?xml version="1.0" encoding="utf-8"?>').encode()
    feed = feeds.parse(body.replace("Блог".encode(), b"\xff\xfe blog"))
    assert [entry.paper.title for entry in feed.announcements] == [TITLE]
    assert [(problem.entry, problem.problem) for problem in feed.problems] == [
        ("the feed's text", "bytes that are not utf-8")
    ]


def test_an_encoding_that_does_not_exist_is_passed_by() -> None:
    declaration = '<?xml version="1.0" encoding="klingon"?>'
    assert titles(blog(declaration=declaration).encode()) == [TITLE]
    assert documents.written_in(blog().encode("koi8-r"), "koi8-r") == blog()


def test_a_feed_that_breaks_off_in_the_middle_of_a_sign_is_only_cut() -> None:
    whole = blog("ночь" * 50).encode()
    place = whole.index("ночь".encode()) + 9
    feed = feeds.parse(whole[:place])
    assert feed.truncated
    assert not any("bytes" in problem.problem for problem in feed.problems)


async def fetched(client: WebClient, url: str) -> list[str]:
    feed = await others.fetch_any_feed(client, url, allow_private=True, pace=0.0)
    return [entry.paper.title for entry in feed.announcements]


@pytest.mark.parametrize("kind", ["text/xml; charset=KOI8-R", 'application/rss+xml; charset="koi8-r"'])
async def test_a_charset_that_the_server_names(kind: str) -> None:
    reply = Reply(blog().encode("koi8-r"), headers={"Content-Type": kind, "ETag": '"1"'})
    async with arxiv_server(reply) as server, WebClient() as client:
        assert await fetched(client, server.url) == [TITLE]
        assert await fetched(client, server.url) == [TITLE]
    # What depends on the server's word is not asked for conditionally: "not modified" would not repeat it.
    assert all("if-none-match" not in asked.headers for asked in server.asked)


async def test_a_charset_that_nobody_names() -> None:
    reply = Reply(blog().encode("koi8-r"), headers={"Content-Type": "text/xml"})
    async with arxiv_server(reply) as server, WebClient() as client:
        with pytest.raises(SourceChanged, match=r"127\.0\.0\.1: the feed names no encoding"):
            await fetched(client, server.url)
