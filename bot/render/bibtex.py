"""Papers as BibTeX (btxdoc, "Designing BibTeX styles"; arXiv help, "Hypertex BibTeX style": eprint fields).

    title    raw TeX where the source sent some, else clean text | escape | protect capitals
    authors  "Family, Given" | escape
    key      family name, year, first telling word: vaswani2017attention

BibTeX lower-cases titles and counts braces even behind a backslash, so formulas and words like GPT stand in braces
of their own and a brace that is text is written by its name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import count

from bot.render.paper_words import abstract_page, surname
from scheduler import paper_ids
from scheduler.models import Author, Paper
from scheduler.tex_symbols import ACCENTS, BINARY, LETTERS, SUBSCRIPTS, SUPERSCRIPTS, SYMBOLS
from scheduler.tokens import normalise, words

_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "&%#_$"},
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "\u00a0": "~",
    **dict.fromkeys("‐‑", "-"),
    "–": "--",
    "—": "---",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "…": r"\ldots{}",
}
_LETTERS = {letter: f"{{\\{name}}}" for name, letter in LETTERS.items()}
_ACCENTS = {mark: name for name, mark in ACCENTS.items() if name not in "tGU"}
_RAISED = {shown: plain for plain, shown in SUPERSCRIPTS.items() if plain.isascii() and plain.isalnum()}
_LOWERED = {shown: plain for plain, shown in SUBSCRIPTS.items() if plain.isascii() and plain.isalnum()}
_SYMBOLS = {
    sign: f"{{$\\{name}$}}"
    for name, sign in reversed([*(SYMBOLS | BINARY).items()])
    if len(sign) == 1 and not sign.isascii() and name.isalpha()
}
_BARE_SIGN = re.compile(r"(?<!\\)[&%#]")
_FORMULA_SIGNS = frozenset(name for name in SYMBOLS | BINARY if not name.startswith("text"))
_RUN = re.compile(r"[^\W_]+")
_SCRIPTS = re.compile(f"([{''.join(_RAISED)}]+)|([{''.join(_LOWERED)}]+)")
_TEX = re.compile(
    r"""(?x)
    (?P<math>\$\$?[^$]*\$\$?)
  | (?P<accent>\\(?:[`'^"~=.]\s*|[Hcdbkruv](?:\s+|(?=\{)))(?:\{[^{}]*\}|\\?[A-Za-z]))
  | (?P<command>\\[A-Za-z]+\s*|\\.)
  | (?P<open>\{) | (?P<close>\})
  | (?P<text>[^\\${}]+)
    """
)
_SERVERS = {"biorxiv": "bioRxiv", "medrxiv": "medRxiv"}
_MARKUP = re.compile(r"</?[A-Za-z]")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_LITTLE = frozenset(
    "a an and are as at be beyond by can do does for from how in into is it its not of on or over the to "
    "towards toward under via we what when where which why with".split()
)


def entry(paper: Paper, key: str = "") -> str:
    """One paper's entry; `key` stands for the key that `cite_key` gives."""
    kind = "article" if paper.journal_ref or _published_doi(paper) else "misc"
    present = [(name, value) for name, value in _fields(paper) if value]
    width = max(len(name) for name, _ in present)
    lines = [f"  {name.ljust(width)} = {{{value}}}," for name, value in present]
    return "\n".join((f"@{kind}{{{key or cite_key(paper)},", *lines, "}"))


def bibliography(papers: Sequence[Paper]) -> str:
    """The entries of several papers, their keys made unique: the second vaswani2017attention ends in "b"."""
    used: set[str] = set()
    entries = []
    for paper in papers:
        key = next(key for key in _variants(cite_key(paper)) if key not in used)
        used.add(key)
        entries.append(entry(paper, key))
    return "".join(f"{one}\n\n" for one in entries)


def cite_key(paper: Paper) -> str:
    """The first author's family name, the year and the title's first telling word, in ASCII letters and digits."""
    family = surname(paper.authors[0].name) if paper.authors else ""
    telling = [word for word in map(_plain, words(normalise(paper.title))) if word]
    word = next((one for one in telling if one not in _LITTLE), telling[0] if telling else "")
    return f"{_plain(normalise(family)) or 'anonymous'}{_first_year(paper)}{word}"


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text)


def _variants(key: str) -> Iterator[str]:
    yield key
    yield from (f"{key}{letter}" for letter in "bcdefghijklmnopqrstuvwxyz")
    yield from (f"{key}-{number}" for number in count(27))


def _fields(paper: Paper) -> Iterator[tuple[str, str]]:
    is_arxiv = paper_ids.is_arxiv(paper.id)
    yield "title", _title(paper)
    yield "author", " and ".join(map(_author, paper.authors))
    yield "year", _year(paper)
    yield "journal", latex(paper.journal_ref)
    yield "doi", _address(paper.doi)
    if is_arxiv:
        yield "eprint", paper.id
        yield "archivePrefix", "arXiv"
        yield "primaryClass", paper.primary_category
    else:
        yield "howpublished", latex(_SERVERS.get(paper.source, ""))
    yield "url", _address(abstract_page(paper))


def _address(text: str) -> str:
    """An address or a DOI as it is, but for braces, which BibTeX would count."""
    return text.replace("{", "%7B").replace("}", "%7D")


def _published_doi(paper: Paper) -> str:
    """The DOI of a journal's version: neither the one that arXiv itself gives nor a preprint's own."""
    is_own = paper.doi.casefold().startswith("10.48550/") or paper.id == f"doi:{paper.doi.casefold()}"
    return "" if is_own else paper.doi


def _year(paper: Paper) -> str:
    """When the journal's version came out where that is known, else when the paper was first submitted."""
    stated = _YEAR.findall(paper.journal_ref)
    return stated[-1] if stated else _first_year(paper)


def _first_year(paper: Paper) -> str:
    """From the id, which keeps the month of the first version (arXiv help, "arXiv identifier")."""
    if paper_ids.is_arxiv(paper.id):
        digits = paper.id.rpartition("/")[2][:2]
        return f"19{digits}" if "/" in paper.id and digits > "90" else f"20{digits}"
    return str(paper.submitted.year) if paper.submitted else ""


def _author(author: Author) -> str:
    name, family = author.name.split(), surname(author.name).split()
    if family == name:
        return f"{{{latex(author.name)}}}"
    has_suffix = name[-len(family) :] != family
    given = name[: len(name) - len(family) - has_suffix]
    parts = (family, name[-1:] if has_suffix else [], given)
    return ", ".join(latex(" ".join(part)) for part in parts if part).replace(" and ", " {and} ")


def _title(paper: Paper) -> str:
    raw = unescape(paper.raw_title)
    return _from_tex(raw) if _is_sound_tex(raw) else _protected(paper.title)


def _is_sound_tex(raw: str) -> bool:
    """True for a title with TeX in it that is whole: LaTeX stops at a brace or a dollar sign too many."""
    if not re.search(r"[\\${]", raw) or _MARKUP.search(raw):
        return False
    depth = 0
    bare = re.sub(r"\\.", "", raw)
    for sign in re.findall("[{}]", bare):
        depth += 1 if sign == "{" else -1
        if depth < 0:
            return False
    braces_are_even = raw.count("{") - raw.count("}") == 0
    return depth == 0 and braces_are_even and bare.count("$") % 2 == 0 and not raw.endswith("\\")


def _from_tex(raw: str) -> str:
    """TeX kept as it is, with formulas and accents in braces and plain words escaped and protected."""
    depth = 0
    pieces = []
    for found in _TEX.finditer(" ".join(raw.split())):
        depth += (found.lastgroup == "open") - (found.lastgroup == "close")
        piece = found.group()
        if found.lastgroup == "text":
            piece = _protected(piece) if depth == 0 else latex(piece)
        elif found.lastgroup in ("math", "accent"):
            piece = f"{{{_BARE_SIGN.sub(_escaped_sign, piece)}}}"
        elif piece[1:].strip() in _FORMULA_SIGNS and depth == 0:
            piece = f"{{${piece.strip()}$}}{piece[len(piece.rstrip()) :]}"
        pieces.append(piece)
    return "".join(pieces)


def _escaped_sign(sign: re.Match[str]) -> str:
    return f"\\{sign.group()}"


def _protected(text: str) -> str:
    """Clean text escaped, with braces around words whose capitals must stay: GPT, MaD-RL, 3D, but not Attention."""
    return latex(_RUN.sub(lambda run: _marked(run.group()), text)).translate(_BRACES)


_OPEN, _CLOSE = "\ue000", "\ue001"
_BRACES = {ord(_OPEN): "{", ord(_CLOSE): "}"}
"""Stand for our own braces while the text around them is escaped: private characters, which no title has."""


def _marked(word: str) -> str:
    is_short = len(word) == 1 and word not in "AI"
    has_number = any(letter.isdigit() for letter in word)
    keeps = any(letter.isupper() for letter in (word if is_short or has_number else word[1:]))
    return f"{_OPEN}{word}{_CLOSE}" if keeps else word


def latex(text: str) -> str:
    """Clean text as LaTeX writes it; letters that have no command of their own stay Unicode."""
    scripted = unicodedata.normalize("NFC", text)
    return "".join(_piece(piece) for piece in _SCRIPTS.split(scripted) if piece)


def _piece(text: str) -> str:
    if text[0] in _RAISED:
        return f"{{$^{{{''.join(_RAISED[sign] for sign in text)}}}$}}"
    if text[0] in _LOWERED:
        return f"{{$_{{{''.join(_LOWERED[sign] for sign in text)}}}$}}"
    return "".join(map(_letter, text))


def _letter(letter: str) -> str:
    if letter.isascii() or letter in _SPECIAL:
        return _SPECIAL.get(letter, letter)
    if letter in _LETTERS:
        return _LETTERS[letter]
    parts = unicodedata.normalize("NFD", letter)
    if len(parts) == 2 and parts[0].isascii() and parts[1] in _ACCENTS:
        base, name = parts[0], _ACCENTS[parts[1]]
        return f"{{\\{name}{{{base}}}}}" if name.isalpha() else f"{{\\{name}{base}}}"
    return _SYMBOLS.get(letter, letter)
