"""A topic's stream of summaries, newest first: each paper in words once, for pages, feeds, mail and programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from typing import Any

from bot.locale import N_, Translator
from bot.markup.letters import link_target
from bot.render.digest import marks, matched
from bot.render.html import anchor, marked, outward, thanks
from bot.render.markdown import escaped
from bot.render.page import LANGUAGE_TAGS, page, quiet, text
from bot.render.paper_words import abstract_page, full_authors, marked_chinese_title, origin_name, tldrs
from bot.render.view import View
from scheduler.models import DigestPaper, PaperId
from scheduler.topics import Topic

BYLINE = 10
"""Authors named in a byline; the rest is counted."""

FIELDS = {
    "cs": N_("Computer science"),
    "stat": N_("Statistics"),
    "math": N_("Mathematics"),
    "physics": N_("Physics"),
    "q-bio": N_("Quantitative biology"),
    "q-fin": N_("Quantitative finance"),
    "econ": N_("Economics"),
    "eess": N_("Electrical engineering"),
}
"""The fields of topics (`scheduler.topics.FIELDS`) by name."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One paper in words, as every page and feed shows it.

    `day` is the announcement date (ISO), `url` its abstract page ("" for none), `said` its TL;DRs as (language,
    text) and `origin` who wrote the first of them, `byline` its authors in short and `authors` all of them, `marks`
    what a reader must know ("withdrawn"), `why` which words of the topic's query matched and where.
    """

    id: str
    day: str
    url: str
    title: str
    chinese: str
    said: tuple[tuple[str, str], ...]
    origin: str
    byline: str
    authors: tuple[str, ...]
    categories: tuple[str, ...]
    marks: tuple[str, ...]
    why: str

    @classmethod
    def read(cls, fields: dict[str, Any]) -> Entry:
        """The entry whose fields were written as JSON. Raises TypeError for any other object."""
        said = tuple((lang, words) for lang, words in fields["said"])
        lists = {name: tuple(fields[name]) for name in ("authors", "categories", "marks")}
        return cls(**{**fields, "said": said, **lists})


def entry(one: DigestPaper, view: View) -> Entry:
    """A paper in the words of one reader's view. What matched is always told: entries are read one by one, in feeds."""
    paper, told = one.paper, tldrs(one.wordings, view.languages)
    return Entry(
        id=paper.id,
        day=one.date.isoformat(),
        url=link_target(abstract_page(paper)),
        title=paper.title,
        chinese=marked_chinese_title(one.wordings, view.languages),
        said=tuple((said.lang, said.shown) for said in told),
        origin=origin_name(told[0].origin, view.t) if told else "",
        byline=full_authors(paper.authors, BYLINE),
        authors=tuple(author.name for author in paper.authors),
        categories=paper.categories,
        marks=marks(one, view.t),
        why=matched(one, "", view.t),
    )


@dataclass(frozen=True, slots=True)
class Stream:
    """What stands above a stream and the entries in it. `description` is (language, text), `total` how many there are.

    `exact` is false where counting stopped at `total`.
    """

    title: str
    description: tuple[tuple[str, str], ...]
    total: int
    entries: tuple[Entry, ...]
    exact: bool = True


def topic_stream(
    topic: Topic, papers: Sequence[DigestPaper], total: int, view: View, *, exact: bool = True
) -> Stream:
    """A topic's stream in the words of one view: the topic's own and those of each paper."""
    title, description = topic_words(topic, view)
    return Stream(title, description, total, tuple(entry(one, view) for one in papers), exact)


def topic_words(topic: Topic, view: View) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A topic's title in the interface's language, and its description in every language that is read, each once."""
    said = {topic.description[lang]: lang for lang in reversed(view.languages)}
    described = tuple((lang, words) for words, lang in reversed(said.items()))
    return topic.title[view.lang], described


def counted_line(total: int, exact: bool, t: Translator) -> str:
    """ "1,204 papers, newest first"; not `exact` means that counting stopped at `total`."""
    if not total:
        return t("Nothing yet.")
    if not exact:
        return t("more than {count} papers, newest first", count=t.number(total))
    return t.n("{count} paper, newest first", "{count} papers, newest first", total)


def facts_line(one: Entry, t: Translator) -> str:
    """ "29 Sep 2026 · cs.LG · 2609.31644 · withdrawn · TL;DR: extract"."""
    category = one.categories[0] if one.categories else ""
    day = t.short_date(date.fromisoformat(one.day), year=True)
    facts = (day, category, one.id, *one.marks, origin_words(one))
    return " · ".join(filter(None, facts))


def origin_words(one: Entry) -> str:
    """ "TL;DR: extract": who wrote the summary."""
    return f"TL;DR: {one.origin}" if one.origin else ""


def byline(one: Entry, t: Translator) -> str:
    """ "By Ada Lovelace, Bo Sand", "" where nobody is named."""
    return t("By {authors}", authors=one.byline) if one.byline else ""


def stream_text(stream: Stream, t: Translator) -> str:
    """The stream as plain text: the description, then each paper's title, summary, byline, facts and link."""
    pieces = [
        "\n".join(
            (
                stream.title,
                *(words for _, words in stream.description),
                counted_line(stream.total, stream.exact, t),
            )
        )
    ]
    for number, one in enumerate(stream.entries, start=1):
        lines = (
            f"{number}  {one.title}",
            one.chinese,
            *(words for _, words in one.said),
            byline(one, t),
            facts_line(one, t),
            one.url,
            one.why,
        )
        pieces.append("\n".join(" ".join(line.split()) for line in lines if line))
    return "\n\n".join(pieces) + "\n"


def stream_markdown(stream: Stream, t: Translator) -> str:
    """The stream as a Markdown page (CommonMark)."""
    pieces = [f"# {escaped(stream.title)}", *(escaped(words) for _, words in stream.description)]
    pieces.append(escaped(counted_line(stream.total, stream.exact, t)))
    for number, one in enumerate(stream.entries, start=1):
        title = escaped(one.title)
        pieces.append(f"### {number}\\. [{title}](<{one.url}>)" if one.url else f"### {number}\\. {title}")
        pieces += [f"**{escaped(one.chinese)}**"] if one.chinese else []
        pieces += [escaped(words) for _, words in one.said]
        pieces += [escaped(line) for line in (byline(one, t), facts_line(one, t), one.why) if line]
    return "\n\n".join(pieces) + "\n"


def stream_html(stream: Stream, view: View) -> str:
    """The stream as one page that works from a file."""
    pieces = [
        *stream_head(stream, view),
        "<main>",
        *stream_days(stream.entries, view),
        "</main>",
        thanks(view.t),
    ]
    return page(stream.title, "\n".join(pieces), view.lang)


def stream_head(stream: Stream, view: View) -> list[str]:
    """A page's head: the topic's title, its description, and how many papers there are."""
    described = [f'<p lang="{LANGUAGE_TAGS[lang]}">{text(words)}</p>' for lang, words in stream.description]
    counted = quiet(counted_line(stream.total, stream.exact, view.t))
    return [f"<header><h1>{text(stream.title)}</h1>", *described, *counted, "</header>"]


def stream_days(entries: Sequence[Entry], view: View, days: str = "") -> Iterator[str]:
    """Every paper under the heading of its day. `days` is the folder of the days' pages, "" where there are none."""
    shown = ""
    for one in entries:
        if one.day != shown:
            shown = one.day
            yield f"<h2>{_linked(view.t.date(date.fromisoformat(shown)), f'{days}{shown}.html' if days else '')}</h2>"
        yield _article(one, view.t, f"{days}{one.day}.html#{anchor(PaperId(one.id))}" if days else "")


def _linked(words: str, target: str) -> str:
    return f'<a href="{escape(target)}">{text(words)}</a>' if target else text(words)


def _article(one: Entry, t: Translator, place: str) -> str:
    category = one.categories[0] if one.categories else ""
    facts = [text(category), _linked(one.id, place), *marked(*one.marks), text(origin_words(one))]
    lines = [
        "<article>",
        f'<h3 lang="en">{outward(one.url, one.title) or text(one.title)}</h3>',
        f'<p class="chinese" lang="zh-Hans">{text(one.chinese)}</p>' if one.chinese else "",
        *(f'<p lang="{LANGUAGE_TAGS[lang]}">{text(words)}</p>' for lang, words in one.said),
        *quiet(byline(one, t)),
        f'<p class="quiet">{" · ".join(filter(None, facts))}</p>',
        *quiet(one.why),
        "</article>",
    ]
    return "\n".join(filter(None, lines))
