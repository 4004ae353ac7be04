"""A topic's page in a chat: its description, then its stream of summaries, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from bot.markup import Block, Line, LineKind
from bot.render.digest import LADDER, Room, is_one_message, marks, matched, title_line
from bot.render.paper_words import code, dotted, line, marked_chinese_title, short_authors, tldrs
from bot.render.stream import counted_line
from bot.render.view import View
from scheduler.models import DigestPaper
from scheduler.stream import StreamPage
from scheduler.topics import Topic


def topic_blocks(topic: Topic, stream: StreamPage, page: int, view: View) -> tuple[Block, ...]:
    """One page of the stream, cut as far as one message needs; `page` counts from 1."""
    for room in LADDER:
        blocks = (_head(topic, stream, page, view), *_papers(stream.papers, room, view))
        if is_one_message(blocks):
            break
    return blocks


def _head(topic: Topic, stream: StreamPage, page: int, view: View) -> Block:
    t, title = view.t, topic.title[view.lang]
    if page > 1:
        heading = t("{title} · page {number}", title=title, number=page)
        return Block((line(heading, kind=LineKind.HEADING),), opens_card=True)
    lines = [line(title, kind=LineKind.HEADING), line(topic.description[view.lang])]
    counted = counted_line(stream.total, stream.exact, t)
    return Block((*lines, line(counted, kind=LineKind.QUIET)), opens_card=True)


def _papers(papers: Sequence[DigestPaper], room: Room, view: View) -> list[Block]:
    return [Block(_lines(one, room, view)) for one in papers]


def _lines(one: DigestPaper, room: Room, view: View) -> tuple[Line, ...]:
    lines = [title_line(one, view)]
    if chinese := marked_chinese_title(one.wordings, view.languages):
        lines.append(line(chinese))
    if room.tldr:
        lines += [line(said.within(room.tldr)) for said in tldrs(one.wordings, view.languages)]
    lines.append(
        dotted(
            short_authors(one.paper.authors, room.authors),
            view.t.short_date(one.date),
            one.paper.primary_category,
            code(one.paper.id),
            *marks(one, view.t),
        )
    )
    if why := matched(one, "", view.t):
        lines.append(line(why, kind=LineKind.QUIET))
    return tuple(lines)
