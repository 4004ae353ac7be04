"""The lists of papers that chats were told of: the delivered marks, each list kept once however many chats got it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlite_utils import Database

MANY_LISTS = 100
"""With more lists than so many for each chat it is cheaper to look through the runs of the chats."""

CHUNK = 1000


class ToldLists:
    """Lists of papers (their keys), and who got them. One instance serves one connection."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def keep(self, papers: Sequence[int]) -> int:
        """The key of a list of papers, which is kept once however many chats were told of them."""
        text = ",".join(map(str, papers))
        known = self._db.conn.execute("select key from told where papers = ?", (text,)).fetchone()
        if known is not None:
            return int(known[0])
        key = int(self._db.conn.execute("insert into told(papers) values (?)", (text,)).lastrowid or 0)
        self._db.conn.executemany(
            "insert or ignore into told_paper(paper, told) values (?, ?)", [(paper, key) for paper in papers]
        )
        return key

    def with_any_of(self, papers: Iterable[int]) -> tuple[int, ...]:
        """The lists in which any of these papers (keys) stands."""
        found: set[int] = set()
        for marks, chunk in _chunks(list(papers)):
            rows = self._db.conn.execute(f"select told from told_paper where paper in ({marks})", chunk)
            found.update(key for (key,) in rows)
        return tuple(sorted(found))

    def who_got(self, chats: Sequence[int], lists: Sequence[int]) -> dict[int, tuple[int, ...]]:
        """Which of these lists those of `chats` got that got any, whenever that was."""
        wanted, found = frozenset(chats), dict[int, tuple[int, ...]]()
        for chat, told in self._got(chats, lists):
            if chat in wanted:
                found[chat] = (*found.get(chat, ()), told)
        return {chat: tuple(sorted(set(own))) for chat, own in found.items()}

    def _got(self, chats: Sequence[int], lists: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Chats and lists, some other chats among them."""
        if len(lists) > MANY_LISTS * len(chats):
            among = frozenset(lists)
            for marks, chunk in _chunks(chats):
                rows = self._db.conn.execute(f"select chat, told from digest where chat in ({marks})", chunk)
                yield from ((chat, told) for chat, told in rows if told in among)
            return
        for marks, chunk in _chunks(lists):
            yield from self._db.conn.execute(
                "select chat, told from digest indexed by digest_told "
                f"where told in ({marks}) and chat between ? and ?",
                [*chunk, min(chats), max(chats)],
            )

    def papers_of(self, lists: Iterable[int]) -> frozenset[int]:
        """The keys of the papers in these lists (`Edition.told`)."""
        keys = list(lists)
        rows = self._db.conn.execute(
            f"select papers from told where key in ({', '.join('?' * len(keys))})", keys
        )
        return frozenset(int(key) for (text,) in rows for key in text.split(",") if key)


def _chunks(keys: Sequence[int]) -> Iterator[tuple[str, Sequence[int]]]:
    """The keys in pieces, each with its placeholders."""
    for start in range(0, len(keys), CHUNK):
        chunk = keys[start : start + CHUNK]
        yield ", ".join("?" * len(chunk)), chunk
