"""Words as people read them: clean text, author lists, sentences, withdrawal notices.

Everything here is pure, takes any string, and never raises.

`raw | entities and control characters | real HTML markup | TeX | white space | NFC → clean`
"""

from __future__ import annotations

import html
import re
import unicodedata

from scheduler import people, tex
from scheduler.models import Author
from scheduler.tex_symbols import words

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_ENTITY_ROUNDS = 4
"""Feeds escape twice (`&amp;amp;`), reposted ones three times; more is somebody's example text."""

_INVISIBLE = re.compile(
    "[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_HYPHENS = str.maketrans({"\u2010": "-", "\u2011": "-"})
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[a-zA-Z][a-zA-Z0-9:]*)(?P<rest>\s[^<>]*|/)?>")
_PAIRED = words("""
a abbr b big blockquote center cite code del div em font h1 h2 h3 h4 i ins italic kbd
mark ol pre q script small span strike strong style sub sup table tbody td th tr tt u ul
""")
"""HTML elements that are markup only when both their tags are there: `a<b>c` is a comparison."""
_SINGLE = words("br hr p li dl dt dd")
"""HTML elements whose closing tag may be missing."""
_SPACED = _SINGLE | words("blockquote div h1 h2 h3 h4 ol table td th tr ul")
_RAISED = {"sub": "\\textsubscript{", "sup": "\\textsuperscript{"}


def clean(raw: str) -> str:
    """`raw` as readable Unicode on one line: no TeX, no markup, no entities, no control or bidi
    characters, NFC.

    Text that only looks like markup stays (`<think>`, `0.1<z<0.95`), as do money (`$5`), `snake_case`,
    addresses and Markdown characters. Linear in the length of `raw`.
    """
    if _is_clean(raw):
        return raw
    visible = _visible(_without_entities(raw))
    return unicodedata.normalize("NFC", " ".join(tex.to_text(_without_markup(visible)).split()))


def _is_clean(raw: str) -> bool:
    """True for what nothing has to be done to, which is quick to see for most titles and abstracts."""
    return (
        raw.isascii()
        and raw.isprintable()
        and "&" not in raw
        and "<" not in raw
        and "  " not in raw
        and raw == raw.strip()
        and not tex.may_be_tex(raw)
    )


def _without_entities(raw: str) -> str:
    if "&" not in raw:
        return raw
    for _ in range(_ENTITY_ROUNDS):
        decoded = _ENTITY.sub(lambda entity: html.unescape(entity.group()), raw)
        if decoded == raw:
            break
        raw = decoded
    return raw


def _visible(raw: str) -> str:
    if raw.isascii() and raw.isprintable():
        return raw
    return _CONTROL.sub(" ", _INVISIBLE.sub("", raw)).translate(_HYPHENS)


def _without_markup(raw: str) -> str:
    """`raw` without the HTML tags that are really markup; sub- and superscripts become TeX's."""
    if "<" not in raw:
        return raw
    raw = _without_comments(raw)
    tags = list(_TAG.finditer(raw))
    real = _real_tags(tags)
    pieces: list[str] = []
    end = 0
    for position, tag in enumerate(tags):
        if position not in real:
            continue
        pieces += [raw[end : tag.start()], _instead(tag)]
        end = tag.end()
    return "".join([*pieces, raw[end:]])


def _without_comments(raw: str) -> str:
    start = raw.find("<!--")
    pieces: list[str] = []
    end = 0
    while start >= 0 and (close := raw.find("-->", start + 4)) >= 0:
        pieces += [raw[end:start], " "]
        end = close + 3
        start = raw.find("<!--", end)
    return "".join([*pieces, raw[end:]])


def _real_tags(tags: list[re.Match[str]]) -> set[int]:
    real: set[int] = set()
    unclosed: dict[str, list[int]] = {}
    for position, tag in enumerate(tags):
        name = tag["name"].lower().removeprefix("jats:")
        if name in _SINGLE or (name == "img" and tag["rest"]):
            real.add(position)
        elif name in _PAIRED and not tag["close"]:
            unclosed.setdefault(name, []).append(position)
        elif name in _PAIRED and unclosed.get(name):
            real |= {position, unclosed[name].pop()}
    return real


def _instead(tag: re.Match[str]) -> str:
    name = tag["name"].lower().removeprefix("jats:")
    if name in _RAISED:
        return "}" if tag["close"] else _RAISED[name]
    return " " if name in _SPACED else ""


def split_authors(raw: str) -> tuple[Author, ...]:
    """The authors of one string ("Ann B. (Lab, City), Bo C. and Cy D."), in order, with their affiliations.

    Splits at commas, semicolons and "and" outside parentheses. Affiliations are what stands in
    parentheses behind a name; numbered ones are looked up in the list that the last author carries ("(1)
    …, (2) …") where there is one. The form is arXiv's author field and the feed's `dc:creator` (arXiv
    help, "Author names").
    """
    return people.split(clean(raw))


def sentences(text: str) -> list[str]:
    """The sentences of clean text, in order, each stripped; [] for a text without any.

    Knows what scientific prose does: "et al. (2024)", "i.e.", initials, decimals, "class I. After", names
    that begin with a small letter (iCaRL), and Chinese full stops.
    """
    found: list[str] = []
    start = 0
    for end in _sentence_ends(text):
        found.append(text[start:end].strip())
        start = end
    return [sentence for sentence in [*found, text[start:].strip()] if sentence]


_STOP = re.compile(r"(?P<mark>[.!?…]+)[\"'”’)\]]*\s+(?=\S)|[。！？]+[”’」』）]*")
_WORD_BEFORE = re.compile(r"\S+$")
_WORD_AFTER = re.compile(r"[\"'“‘(\[]*([^\s,;:.!?)\]]+)")
_NEVER_LAST = words("""
e.g
i.e cf vs fig figs eq eqs eqn sec secs ref refs tab dr prof mr mrs ms st approx resp w.r.t a.k.a vol thm
lem def ch app viz ca al etc eds ed incl esp jr sr
""")
"""Abbreviations (in lower case) that something must follow; "al" and "etc" may also end a sentence."""
_MAY_BE_LAST = words("al etc jr sr app ref")
_STARTERS = words("""
A An The This These That Those We Our It Its They Their In On For To By With From At
As After Before While When Where Since However Moreover Furthermore Additionally Finally Then Thus Hence
Here There Experiments Results Extensive Although Despite Using Unlike Such Each Both Under Through Across
Code Specifically Instead Existing If But And One See
""")
"""Words that begin a sentence even behind what looks like an initial ("class I. After")."""


_LOOK_BACK = 80
"""As many characters before a full stop decide whether it ends a sentence."""


def _sentence_ends(text: str) -> list[int]:
    """Where sentences end: behind the blanks that follow a full stop."""
    ends: list[int] = []
    start = 0
    for stop in _STOP.finditer(text):
        first = max(start, stop.start() - _LOOK_BACK)
        if stop["mark"] is None or _ends_here(text[first : stop.start()], stop["mark"], text, stop.end()):
            ends.append(stop.end())
            start = stop.end()
    return ends


def _ends_here(before: str, mark: str, text: str, at: int) -> bool:
    after = _WORD_AFTER.match(text, at)
    following = after.group(1) if after else ""
    if not _can_begin(following):
        return False
    if mark != ".":
        return True
    last = _WORD_BEFORE.search(before)
    word = last.group().lstrip("(\"'“‘[") if last else ""
    if word.lower() in _NEVER_LAST:
        opens = text[at] in "([" or following[0].isdigit()
        return word.lower() in _MAY_BE_LAST and not opens
    if len(word) == 1 and (word.isupper() or word == "p"):
        return following in _STARTERS
    if re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]", word):
        return following in _STARTERS
    return not (word.isdigit() and before.strip() == word)


def _can_begin(word: str) -> bool:
    """True for what can be a sentence's first word; a small first letter needs a capital later (iCaRL)."""
    if not word:
        return False
    return not word[0].islower() or any(letter.isupper() for letter in word[1:])


_WORK = r"(?:paper|article|manuscript|submission|work|preprint|version|document|draft)"
_TAKEN_BACK = r"(?:now |temporarily )?(?:withdrawn|retracted)"
_WITHDRAWN_COMMENT = re.compile(
    rf"^\W*(?:{_WORK} )?(?:is |has been )?{_TAKEN_BACK}\b"
    r"(?! (?:from|students?|patients?|participants?|subjects?)\b)"
    rf"|\b(?:this|the|our) (?:\w+ )?{_WORK}(?: \(?v\d+\)?)?"
    rf" (?:has|have|had|is|was|were|are) (?:been |being )?{_TAKEN_BACK}"
    r"|\bwithdrawn (?:by|at the request of) (?:the |all |its )?(?:\w+ )?"
    r"(?:authors?|submitter|arxiv|administrat)"
    r"|\b(?:we|the authors?|i) (?:have |has |had )?(?:withdrawn|withdraw|withdrew|retract|retracted)"
    r" (?:this|the|our)"
    rf" (?:\w+ )?{_WORK}",
    re.IGNORECASE,
)
_WITHDRAWN_ABSTRACT = re.compile(
    rf"^\W*(?:abstract\W+)?(?:this|the) (?:\w+ )?{_WORK}(?: \([^()]{{0,80}}\))?"
    rf" (?:has been|was|is|have been) {_TAKEN_BACK}"
    r"|^\W*(?:paper |article )?withdrawn (?:by|due|because|since|as)\b"
    rf"|\b{_WORK} (?:has been|was|is) (?:now |temporarily )?"
    r"withdrawn (?:by|at the request of) (?:the )?(?:authors?|arxiv|submitter)",
    re.IGNORECASE,
)


def is_withdrawn(comments: str, abstract: str = "") -> bool:
    """True when a paper's comments or abstract say that it is withdrawn; titles are no evidence.

    arXiv marks a withdrawal in no field of its own: the authors' comments tell (arXiv help, "Withdraw or
    retract a paper"), and in old papers the abstract is replaced by the notice.
    """
    return _says(_WITHDRAWN_COMMENT, comments[:2000]) or _says(_WITHDRAWN_ABSTRACT, abstract[:2000])


def _says(notice: re.Pattern[str], text: str) -> bool:
    """Whether the notice stands in the text; most texts have not one of its words, which is cheap to see."""
    folded = text.lower()
    return any(word in folded for word in ("withdr", "retract")) and bool(notice.search(text))
