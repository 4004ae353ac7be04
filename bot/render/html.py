"""A digest as one HTML page that works from a file: no script, no outside request, readable on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from bot.locale import Translator
from bot.markup.letters import clean, link_target
from bot.ports import Attachment
from bot.render.digest import announced_line, days_line, marks, matched, section_title, total_line
from bot.render.paper_words import (
    abstract_page,
    abstracts,
    chinese_title,
    doi_url,
    full_authors,
    links,
    origin_name,
    short_authors,
    tldrs,
)
from bot.render.view import View
from scheduler.categories import category_name
from scheduler.models import Digest, DigestPaper, Section

AUTHORS = 60
BYLINE = 2
_LANGUAGE_TAGS = {"en": "en", "zh": "zh-Hans"}

STYLE = """
:root { color-scheme: light dark; --text: #1c1c1e; --quiet: #5c5c63; --line: #d9d9de; --link: #0b57d0;
  --paper: #fdfdfc; --mark: #8a4b00; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e6e8; --quiet: #a5a5ad; --line: #3a3a3f;
  --link: #8ab4f8; --paper: #161618; --mark: #ffb868; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 65ch; padding: 1rem 1rem 3rem; background: var(--paper); color: var(--text);
  font: 17px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Noto Sans CJK SC",
  "Microsoft YaHei", sans-serif; overflow-wrap: break-word; }
[lang|="zh"] { line-height: 1.75; }
a { color: var(--link); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0 .25rem; }
h2 { font-size: 1.15rem; line-height: 1.3; margin: 2.5rem 0 .5rem; padding-top: .5rem;
  border-top: 2px solid var(--line); }
p { margin: .35rem 0; }
.quiet { color: var(--quiet); font-size: .87rem; }
.mark { color: var(--mark); }
nav ul { list-style: none; margin: 1rem 0; padding: 0; }
nav a { display: block; padding: .45rem 0; }
details { border-top: 1px solid var(--line); padding: .6rem 0; }
h2 + details { border-top: 0; }
summary { cursor: pointer; font-weight: 600; line-height: 1.4; }
summary .number { color: var(--quiet); font-weight: 400; margin-right: .35em; }
summary .chinese, summary .tldr { display: block; font-weight: 400; }
summary .tldr { margin-top: .25rem; }
summary .byline { display: block; font-weight: 400; margin-top: .15rem; }
blockquote { margin: .6rem 0; padding: 0 0 0 .9rem; border-left: 3px solid var(--line); }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .95em; }
.links a { display: inline-block; margin-right: 1.2em; padding: .35rem 0; }
footer { border-top: 2px solid var(--line); margin-top: 2.5rem; padding-top: .75rem; }
@media print {
  :root { --text: #000; --quiet: #333; --line: #999; --link: #000; --paper: #fff; --mark: #000; }
  body { max-width: none; padding: 0; font-size: 11pt; }
  nav { display: none; }
  details, blockquote { break-inside: avoid; }
  h2 { break-after: avoid; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
}
""".strip()

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def digest_html(digest: Digest, view: View) -> str:
    """The whole digest: sections as links on top, each paper folded to its title and TL;DR."""
    t = view.t
    title = days_line(digest, t)
    body = "\n".join(
        [
            f"<header><h1>{_text(title)}</h1>",
            f'<p class="quiet">{_text(announced_line(digest.dates, view))}</p>' if digest.dates else "",
            f'<p class="quiet">{_text(total_line(digest, t))}</p></header>',
            *_contents(digest, t),
            "<main>",
            *(_section(number, section, view) for number, section in enumerate(digest.sections, start=1)),
            "</main>",
            f'<footer class="quiet"><p>{_text(_thanks(t))}</p></footer>',
        ]
    )
    return _page(title, body, "zh" if view.lang == "zh" else "en")


def digest_file(digest: Digest, view: View) -> Attachment:
    """The complete digest as a self-contained page in a file, named after its first and last day."""
    days = "_".join(day.isoformat() for day in (digest.dates[:1] + digest.dates[1:][-1:]))
    return Attachment(f"paperboy-{days}.html", digest_html(digest, view))


def _page(title: str, body: str, lang: str) -> str:
    return f"""<!doctype html>
<html lang="{_LANGUAGE_TAGS[lang]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="referrer" content="no-referrer">
<title>{_text(title)} · Paperboy</title>
<style>
{STYLE}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def _thanks(t: Translator) -> str:
    return t("Thank you to arXiv for use of its open access interoperability.")


def _contents(digest: Digest, t: Translator) -> Iterator[str]:
    if len(digest.sections) < 2:
        return
    yield f'<nav aria-label="{_text(t("Sections"))}"><ul>'
    for number, section in enumerate(digest.sections, start=1):
        yield f'<li><a href="#section-{number}">{_text(_section_title(section, t))}</a></li>'
    yield "</ul></nav>"


def _section_title(section: Section, t: Translator) -> str:
    return section_title(section, t)


def _section(number: int, section: Section, view: View) -> str:
    t = view.t
    papers = [_paper(paper, section, view) for paper in section.papers]
    if not papers:
        papers = [f'<p class="quiet">{_text(t("These papers stand in other sections."))}</p>']
    heading = f'<h2 id="section-{number}">{_text(_section_title(section, t))}</h2>'
    return "\n".join(["<section>", heading, *papers, "</section>"])


def _paper(one: DigestPaper, section: Section, view: View) -> str:
    return "\n".join(
        [
            f'<details id="paper-{one.number}">',
            _summary(one, view),
            *_facts(one, section, view),
            *_abstracts(one, view),
            _links(one, view.t),
            "</details>",
        ]
    )


def _summary(one: DigestPaper, view: View) -> str:
    """What shows while the paper is folded: number, title, TL;DR, first authors, primary category, id."""
    parts = [f'<span class="number">{one.number}</span><span lang="en">{_text(one.paper.title)}</span>']
    if chinese := chinese_title(one.wordings, view.languages):
        parts.append(f'<span class="chinese" lang="zh-Hans">{_text(chinese)}</span>')
    parts += [
        f'<span class="tldr" lang="{_LANGUAGE_TAGS[said.lang]}">{_text(said.text)}</span>'
        for said in tldrs(one.wordings, view.languages)
    ]
    byline = (short_authors(one.paper.authors, BYLINE), one.paper.primary_category, one.paper.id)
    parts.append(f'<span class="quiet byline">{_text(" · ".join(filter(None, byline)))}</span>')
    return f"<summary>{''.join(parts)}</summary>"


def _facts(one: DigestPaper, section: Section, view: View) -> Iterator[str]:
    t, paper = view.t, one.paper
    if paper.authors:
        yield f'<p class="quiet">{_text(full_authors(paper.authors, AUTHORS))}</p>'
    subjects = "; ".join(
        f"{name} ({code})" if (name := category_name(code)) else code for code in paper.categories
    )
    facts = [_text(subjects), f"<code>{_text(paper.id)}</code>", _text(t.short_date(one.date, year=True))]
    facts += [f'<span class="mark">{_text(mark)}</span>' for mark in marks(one, t)]
    facts += [_text(paper.comments), _text(paper.journal_ref)]
    yield f'<p class="quiet">{" · ".join(filter(None, facts))}</p>'
    why = [matched(one, section, t), t("also under {titles}", titles=t.names(one.also)) if one.also else ""]
    if any(why):
        yield f'<p class="quiet">{_text(" · ".join(filter(None, why)))}</p>'


def _abstracts(one: DigestPaper, view: View) -> Iterator[str]:
    for said in abstracts(one.paper, one.wordings, view.languages):
        origin = (
            f' <span class="quiet">{_text(origin_name(said.origin, view.t))}</span>' if said.origin else ""
        )
        paragraphs = "".join(f"<p>{_text(text)}</p>" for text in said.text.split("\n") if text.strip())
        yield f'<blockquote lang="{_LANGUAGE_TAGS[said.lang]}">{paragraphs}{origin}</blockquote>'


def _links(one: DigestPaper, t: Translator) -> str:
    known = links(one.paper)
    known["abs"] = abstract_page(one.paper)
    labels = {"abs": t("Abstract page"), "pdf": "PDF", "html": "HTML"}
    anchors = [
        f'<a href="{escape(target)}" rel="noopener noreferrer">{_text(label)}</a>'
        for form, label in labels.items()
        if (target := link_target(known.get(form, "")))
    ]
    if one.paper.doi and (target := link_target(doi_url(one.paper.doi))):
        anchors.append(f'<a href="{escape(target)}" rel="noopener noreferrer">DOI</a>')
    return f'<p class="links">{" ".join(anchors)}</p>' if anchors else ""


def _text(text: str) -> str:
    return escape(clean(text))
