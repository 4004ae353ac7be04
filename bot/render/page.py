"""The frame of every HTML page: no script and no outside request of its own, readable on a phone, dark or light."""

from __future__ import annotations

from html import escape

from bot.markup.letters import clean

LANGUAGE_TAGS = {"en": "en", "zh": "zh-Hans"}
"""A language's tag (BCP 47): Chinese is in simplified letters."""

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
h3 { font-size: 1rem; line-height: 1.4; margin: 0; }
article { border-top: 1px solid var(--line); padding: .6rem 0; }
h2 + article { border-top: 0; }
p { margin: .35rem 0; }
.quiet { color: var(--quiet); font-size: .87rem; }
.mark { color: var(--mark); }
nav ul { list-style: none; margin: .5rem 0 1rem; padding: 0; display: flex; flex-wrap: wrap; gap: .4rem; }
nav a { display: inline-block; padding: .3rem .7rem; border: 1px solid var(--line); border-radius: 1.1rem;
  font-size: .9rem; line-height: 1.4; }
.top { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.top a { padding: .35rem 0; font-size: .9rem; }
.plain { list-style: none; margin: .5rem 0; padding: 0; }
.plain li { padding: .3rem 0; }
form { margin: 1rem 0; }
input { width: 100%; padding: .55rem .75rem; font: inherit; color: inherit; background: transparent;
  border: 1px solid var(--line); border-radius: .5rem; }
input:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
output { display: block; margin-top: .35rem; }
output:empty { display: none; }
button { padding: .45rem .9rem; font: inherit; font-size: .9rem; color: var(--link); background: transparent;
  border: 1px solid var(--line); border-radius: 1.1rem; cursor: pointer; }
[hidden] { display: none !important; }
details { border-top: 1px solid var(--line); padding: .6rem 0; }
h2 + details { border-top: 0; }
summary { cursor: pointer; font-weight: 600; line-height: 1.4; list-style: none; position: relative;
  padding-right: 1.75rem; }
summary::-webkit-details-marker { display: none; }
summary::after { content: "+"; position: absolute; right: .25rem; top: 0; color: var(--quiet); font-weight: 400; }
details[open] > summary::after { content: "−"; }
details > div { scroll-margin-top: 12rem; }
summary .number { color: var(--quiet); font-weight: 400; }
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
  nav, form, button, summary::after { display: none; }
  details, blockquote, article { break-inside: avoid; }
  h2 { break-after: avoid; }
  summary { position: static; padding-right: 0; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
}
""".strip()


POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What a page alone in a file may load: nothing."""

ALONE = f"<style>\n{STYLE}\n</style>"
"""The head of a page that brings its looks along."""


def page(title: str, body: str, lang: str, head: str = ALONE, policy: str = POLICY) -> str:
    """A whole page in the language "en" or "zh"; `head` is what stands in its head beside the title."""
    return f"""<!doctype html>
<html lang="{LANGUAGE_TAGS[lang]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<title>{text(title)} · Paperboy</title>
{head}
</head>
<body>
{body}
</body>
</html>
"""


def text(words: str) -> str:
    """Words from anywhere as they may stand in a page."""
    return escape(clean(words))


def quiet(*lines: str) -> list[str]:
    """Each line that says something as a quiet paragraph."""
    return [f'<p class="quiet">{text(line)}</p>' for line in lines if line]
