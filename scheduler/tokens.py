"""The one tokeniser: what matching, search and queries all take for a word.

    normalise | words | split and joined forms | plurals folded

Case, accents (Søgaard is sogaard), full-width forms, sub- and superscripts (H₂ is h2), English plurals and
a possessive 's are folded. A word is a run of letters and digits of any script: "RL" is found in "(RL)",
"RL's" and "RL-based", never in "world" — and not in "RLHF" either, which is a word of its own; ask for
`RL OR RLHF`. C++, C#, .NET and decimal numbers are whole words; CI/CD is "ci" and "cd" beside each other.

Hyphenated and slashed pairs are indexed twice: "multi-agent" as the words "multi agent", and joined as
"multiagent" behind the text, with a few neighbours so that short phrases around the joined form match too.

Chinese is cut at word boundaries by rjieba's dictionary, without its guesses at unknown words: these depend
on the neighbourhood, and a query's is never the text's. Words of four and more characters that are two words
of the dictionary are split (量子化学 is 量子 and 化学), so that a query and a text that were cut differently
still meet. Traditional and Japanese forms of common characters are folded to the simplified ones (強化學習).
Japanese kana and Korean syllables are words as long as they run on.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

import rjieba

from scheduler.han import SIMPLIFIED
from scheduler.models import AnnounceType, Author, Paper, Wording
from scheduler.plurals import singular

VERSION = 2
"""Rises when the same text gives other tokens: a full-text index of another version must be built anew."""

SEPARATOR = "."
"""Stands between runs that no phrase may cross; never a token of a text."""

TOKEN_CHARACTERS = "+#.-/_:"
"""What tokens are made of besides letters and digits; everything else in ASCII separates."""

LONGEST = 64
"""Characters of a token: longer runs of letters are cut."""

NAME_GAP = 6
"""The most words between two that are looked for in one author's name."""

_NEIGHBOURS = 3
_NAMES_APART = " ".join([SEPARATOR] * (NAME_GAP + 1))

_HAN = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_HIRAGANA = r"\u3041-\u309f"
_KATAKANA = r"\u30a1-\u30ff\u31f0-\u31ff"


def _word_pattern(letter: str) -> str:
    """A word: atoms (c++, .net, letters and digits, inner apostrophes and decimal points) tied by - and /."""
    atom = rf"(?:[a-z](?:\+\+|\#)|\.net(?!{letter})|{letter}+(?:(?:'|(?<=\d)\.(?=\d)){letter}+)*)"
    return rf"{atom}(?:[-/]{atom})*"


_ASCII_WORD = re.compile(_word_pattern("[a-z0-9]"))
_LETTER = rf"[^\W_{_HAN}{_HIRAGANA}{_KATAKANA}]"
_WORD = re.compile(rf"{_word_pattern(_LETTER)}|[{_HAN}]+|[{_HIRAGANA}]+|[{_KATAKANA}]+")
_STARTS_HAN = re.compile(f"[{_HAN}]")
_LETTER_AND_MARKS = re.compile("(?s:.)[\u0300-\u036f\u3099\u309a]*")
_ACCENTS = re.compile("[\u0300-\u036f]")
_LETTERS: dict[str, str] = {
    **SIMPLIFIED,
    **dict.fromkeys("ø", "o"),
    **dict.fromkeys("łƚ", "l"),
    **dict.fromkeys("đð", "d"),
    **dict(zip("æœþħıŋŧĸə", ("ae", "oe", "th", "h", "i", "n", "t", "k", "e"), strict=True)),
    **dict.fromkeys("‐‑‒–−⁃﹣", "-"),
    **dict.fromkeys("‘’‛ʼʻʹ′`´", "'"),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
}
_FOLDED_LETTER = re.compile(f"[{''.join(_LETTERS)}]")
_LINKING = "a an and as at by for from in is of on or per the to up vs with"
_FUNCTION_WORDS = frozenset(_LINKING.split())


class Piece(NamedTuple):
    """One word of a text: its tokens, the same with pairs joined, and the places of the joined ones there."""

    split: tuple[str, ...]
    joined: tuple[str, ...]
    pairs: tuple[int, ...]


class Run(NamedTuple):
    """Tokens that stand beside each other; `is_open` when the last one may go on (a prefix)."""

    tokens: tuple[str, ...]
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """What can be found of one paper: per field a stream of tokens, one blank between two.

    `ti` is the title and the Chinese title, `abs` the abstract (the English TL;DR where there is none) and
    the Chinese abstract or TL;DR, `au` each author's name on its own, `cat` categories and their archives,
    `id` the id, `src` the source and the announce types.
    """

    ti: str
    abs: str
    au: str
    cat: str
    id: str
    src: str


def normalise(text: str) -> str:
    """`text` with case, accents, compatibility forms, dashes and apostrophes folded.

    Marks of scripts that need them (kana, Indic vowels) stay. Normalising twice changes nothing.
    """
    if text.isascii():
        return text.lower()
    return _fold(_fold(text))


def _fold(text: str) -> str:
    """One pass; a second one folds what compatibility forms and case mappings bring to light."""
    plain = _plain_letters(unicodedata.normalize("NFKC", _plain_letters(text)).casefold())
    bare = _plain_letters(_ACCENTS.sub("", unicodedata.normalize("NFKD", plain)))
    return unicodedata.normalize("NFKC", bare)


def _plain_letters(text: str) -> str:
    """`text` with _LETTERS replaced: most texts have none, which a pattern sees faster than `str.translate`."""
    return _FOLDED_LETTER.sub(_plain_letter, text)


def _plain_letter(letter: re.Match[str]) -> str:
    return _LETTERS[letter.group()]


def words(normal: str) -> list[str]:
    """The words of normalised text as written: pairs with hyphens, Chinese in runs, plurals not folded."""
    return (_ASCII_WORD if normal.isascii() else _WORD).findall(normal)


def piece(word: str) -> Piece:
    """The tokens of one of `words`."""
    return _piece(word) if word.isascii() or not _STARTS_HAN.match(word) else _han_piece(word)


def _han_piece(run: str) -> Piece:
    """Not kept in memory: hardly a run of Chinese comes twice."""
    cut = tuple(han_words(run))
    return Piece(cut, cut, ())


@lru_cache(maxsize=1 << 17)
def _piece(word: str) -> Piece:
    if word.isascii() and word.isalnum():
        alone = (singular(_cut(word)),)
        return Piece(alone, alone, ())
    split: list[str] = []
    joined: list[str] = []
    pairs: list[int] = []
    for chain in _chains(word):
        atoms = [bare_atom(atom) for atom in chain]
        split += [singular(atom) for atom in atoms]
        if _is_joinable(atoms):
            pairs.append(len(joined))
            atoms = [_cut(atoms[0] + atoms[1]), *atoms[2:]]
        joined += [singular(atom) for atom in atoms]
    return Piece(tuple(split), tuple(joined), tuple(pairs))


def _chains(word: str) -> list[list[str]]:
    """The atoms that belong together: a/b is one pair, in a-b/c-d each side is a chain of its own."""
    sides = [side.split("-") for side in word.split("/")]
    if len(sides) == 2 and all(len(side) == 1 for side in sides):
        return [[sides[0][0], sides[1][0]]]
    return sides


def bare_atom(atom: str) -> str:
    """An atom without possessive and apostrophes, at most LONGEST characters: rl's → rl, o'brien → obrien."""
    return _cut(atom.removesuffix("'s").replace("'", "")) if "'" in atom else _cut(atom)


def _cut(atom: str) -> str:
    return atom[:LONGEST].rstrip(SEPARATOR) if len(atom) > LONGEST else atom


def _is_joinable(atoms: Sequence[str]) -> bool:
    """True when the first two atoms are also written as one word: not 5-10, c/c++, state-of-the-art."""
    if len(atoms) < 2 or not (atoms[0].isalnum() and atoms[1].replace(".", "").isalnum()):
        return False
    if atoms[0][-1].isdigit() and atoms[1][0].isdigit():
        return False
    return len(atoms) == 2 or _FUNCTION_WORDS.isdisjoint(atoms)


def han_words(run: str) -> list[str]:
    """A run of Chinese characters cut into dictionary words, unknown ones into characters."""
    return [part for word in rjieba.cut(run, False) for part in _halves(word)]


@lru_cache(maxsize=1 << 14)
def _halves(word: str) -> tuple[str, ...]:
    if len(word) > LONGEST:
        return tuple(word)
    for place in range(2, len(word) - 1):
        if rjieba.has_word(word[:place]) and rjieba.has_word(word[place:]):
            return (word[:place], *_halves(word[place:]))
    return (word,)


def tokens(text: str) -> list[str]:
    """The words of `text`, folded, in order: "Multi-Agent Policies" → multi, agent, policy.

    `text` is clean text (`scheduler.text`); every token is made of letters, digits and TOKEN_CHARACTERS.
    """
    return [token for word in words(normalise(text)) for token in piece(word).split]


class Place(NamedTuple):
    """A token and the part of a text that it stands for: text[start:end]."""

    token: str
    start: int
    end: int


def token_places(text: str) -> tuple[list[Place], list[Place]]:
    """The tokens of `text` with their places, and the same with hyphenated pairs joined."""
    normal, origin = _traced(text)
    split: list[Place] = []
    joined: list[Place] = []
    for match in _WORD.finditer(normal):
        atoms = _atom_spans(match.group(), match.start())
        spans = [(origin[start][0], origin[end - 1][1]) for start, end in atoms]
        each = piece(match.group())
        split += [Place(token, *span) for token, span in zip(each.split, spans, strict=True)]
        for at, token in enumerate(each.joined):
            first = spans.pop(0)
            last = spans.pop(0) if at in each.pairs else first
            joined.append(Place(token, first[0], last[1]))
    return split, joined


def _traced(text: str) -> tuple[str, list[tuple[int, int]]]:
    """`text` normalised letter by letter, and for each character of it the span it comes from."""
    found: list[str] = []
    origin: list[tuple[int, int]] = []
    for match in _LETTER_AND_MARKS.finditer(text):
        normal = normalise(match.group())
        found.append(normal)
        origin += [match.span()] * len(normal)
    return "".join(found), origin


def _atom_spans(word: str, offset: int) -> list[tuple[int, int]]:
    """Where the tokens of `piece(word).split` stand."""
    if not _STARTS_HAN.match(word):
        return [(offset + match.start(), offset + match.end()) for match in re.finditer("[^-/]+", word)]
    ends = list(accumulate((len(part) for part in han_words(word)), initial=offset))
    return list(pairwise(ends))


def stream(text: str) -> list[str]:
    """What is indexed of `text`: its tokens, then, behind separators, joined pairs among their neighbours.

    "deep multi-agent RL" → deep multi agent rl . deep multiagent rl
    """
    pieces = _pieces(normalise(text))
    main = [token for each in pieces for token in each.split]
    if any(each.pairs for each in pieces):
        main += _joined_runs(pieces)
    return main


def _pieces(normal: str) -> list[Piece]:
    return list(map(_piece if normal.isascii() else piece, words(normal)))


def _joined_runs(pieces: Sequence[Piece]) -> list[str]:
    joined: list[str] = []
    places: list[int] = []
    for each in pieces:
        places += [len(joined) + place for place in each.pairs]
        joined += each.joined
    found: list[str] = []
    until = -1
    for place in places:
        start = max(0, place - _NEIGHBOURS)
        if start > until:
            found.append(SEPARATOR)
        found += joined[max(start, until) : place + _NEIGHBOURS + 1]
        until = place + _NEIGHBOURS + 1
    return found


@lru_cache(maxsize=1 << 16)
def text_words(text: str) -> tuple[str, ...]:
    """The `words` of a short text that is not normalised yet."""
    return tuple(words(normalise(text)))


def runs(text: str) -> tuple[Run, ...]:
    """What a query for the phrase `text` looks for, any of which will do; empty for a text without a word.

    "multi-agent RL" gives (multi, agent, rl) and (multiagent, rl). With more than three pairs only all split
    and all joined are looked for.
    """
    return runs_of(text_words(text))


def runs_of(text_words: Sequence[str]) -> tuple[Run, ...]:
    """`runs` of a phrase that is known in `words`."""
    return tuple(Run(tokens) for tokens in _alternatives(text_words))


def _alternatives(written_words: Sequence[str]) -> list[tuple[str, ...]]:
    pieces = [piece(word) for word in written_words]
    if not any(each.pairs for each in pieces):
        alone = tuple(token for each in pieces for token in each.split)
        return [alone] if alone else []
    if sum(bool(each.pairs) for each in pieces) > 3:
        split = tuple(token for each in pieces for token in each.split)
        return [split, tuple(token for each in pieces for token in each.joined)]
    found: list[tuple[str, ...]] = [()]
    for each in pieces:
        forms = dict.fromkeys((each.split, each.joined))
        found = [(*run, *form) for form in forms for run in found]
    return [run for run in dict.fromkeys(found) if run]


def open_runs(text: str) -> tuple[Run, ...]:
    """What a query for `text` looks for when its last word is only the beginning of one.

    A beginning that reaches into a plural's ending also looks for the singular: "polici" gives polici… and
    policy.
    """
    *before, last = text_words(text) or ("",)
    heads = _alternatives(before) or [()]
    found = [Run(head + tail.tokens, tail.is_open) for tail in _open_tails(last) for head in heads]
    return tuple(run for run in found if run.tokens)


def _open_tails(word: str) -> list[Run]:
    if _STARTS_HAN.match(word):
        return [Run(tuple(han_words(word)), True)]
    atoms = [bare_atom(atom) for atom in re.split("[-/]", word) if atom]
    if not atoms:
        return []
    *front, last = atoms
    head = tuple(singular(atom) for atom in front)
    closed = dict.fromkeys(singular(last + ending) for ending in ("", "s", "es"))
    tails = [Run((*head, last), True)]
    tails += [Run((*head, token)) for token in closed if not token.startswith(last)]
    if len(atoms) == 2 and _is_joinable(atoms):
        tails.append(Run((_cut(front[0] + last),), True))
    return tails


@lru_cache(maxsize=1 << 16)
def folded(text: str) -> str:
    """The one spelling of all phrases that look for the same: "Policies" → policy, state-of-the-art → state of the art.

    Pairs that are also looked for joined keep their hyphen (CI/CD → ci-cd).
    """
    found: list[str] = []
    for word in text_words(text):
        if not _STARTS_HAN.match(word):
            found += _folded_word(word)
        elif found and _STARTS_HAN.match(found[-1]) and _cut_alike(found[-1], word):
            found[-1] += word
        else:
            found.append(word)
    return " ".join(found)


def _folded_word(word: str) -> list[str]:
    chains = [[bare_atom(atom) for atom in chain] for chain in _chains(word)]
    stable = list(map(_stable_chain, chains))
    pairs = [2 if _is_joinable(chain) else 1 for chain in chains]
    if pairs.count(2) > 1:  # such pairs are joined together or not at all
        return ["/".join(map("-".join, stable))]
    return [
        part
        for chain, ends in zip(stable, pairs, strict=True)
        for part in ("-".join(chain[:ends]), *chain[ends:])
    ]


def _stable_chain(atoms: list[str]) -> list[str]:
    """The singulars, but where a pair is also looked for joined only as long as that stays the same."""
    stable = [_stable(atom) for atom in atoms]
    if not _is_joinable(atoms):
        return stable
    (one, other), joined = atoms[:2], _joined_token(atoms)
    pairs = (stable[:2], [one, stable[1]], [stable[0], other], [one, other])
    return [*next(pair for pair in pairs if _joined_token(pair) == joined), *stable[2:]]


def _joined_token(atoms: Sequence[str]) -> str:
    return singular(_cut(atoms[0] + atoms[1]))


def _stable(atom: str) -> str:
    """The singular where that stands for itself when it is read again."""
    alone = singular(atom)
    return alone if piece(alone).split == (alone,) else atom


def _cut_alike(before: str, after: str) -> bool:
    """True when two runs of Chinese have the same words written as one."""
    return han_words(before + after) == [*han_words(before), *han_words(after)]


def written(text: str) -> str:
    """The words of `text`, spelt plainly, with the same tokens: "RL's Policies!" → rl policies."""
    return " ".join(map(_written, text_words(text)))


def _written(word: str) -> str:
    if (word.isalnum() and len(word) <= LONGEST) or _STARTS_HAN.match(word):
        return word
    return "".join(bare_atom(part) if part not in ("-", "/") else part for part in re.split("([-/])", word))


def name_tokens(name: str) -> list[str]:
    """The words of a person's name: as `tokens`, but plurals are not folded (Rogers is not Roger)."""
    return [token for atoms in _name_atoms(name) for token in atoms]


def _name_atoms(name: str) -> list[list[str]]:
    found = []
    for word in words(normalise(name)):
        if _STARTS_HAN.match(word):
            found.append(han_words(word))
        else:
            found.append([bare_atom(atom) for atom in re.split("[-/]", word)])
    return found


def _author_runs(author: Author) -> list[str]:
    """A name's words with the given names' initials, and once more with pairs joined (jeanpierre serre)."""
    atoms = _name_atoms(author.name)
    split = [token for group in atoms for token in group]
    if not split:
        return []
    initials = [token[0] for token in split[:-1] if len(token) > 1 and token[0].isalpha()]
    found = [" ".join((*split, *dict.fromkeys(initials)))]
    if len(split) > len(atoms):
        found.append(" ".join("".join(group)[:LONGEST] for group in atoms))
    return found


def document(paper: Paper, wordings: Mapping[str, Wording], types: Collection[AnnounceType] = ()) -> Document:
    """Everything that can be found of `paper`; `wordings` by language ("en", "zh"), `types` all it was announced as."""
    english = wordings.get("en", Wording("en"))
    chinese = wordings.get("zh", Wording("zh"))
    return Document(
        ti=_joined_streams(paper.title, chinese.title),
        abs=_joined_streams(
            paper.abstract or english.tldr or english.abstract, chinese.abstract or chinese.tldr
        ),
        au=f" {_NAMES_APART} ".join(run for author in paper.authors for run in _author_runs(author)),
        cat=" ".join(category_tokens(paper.categories)),
        id=" ".join(id_tokens(paper.id)),
        src=" ".join((*map(opaque_token, paper.source.split()), *type_tokens(types))),
    )


def _joined_streams(*texts: str) -> str:
    streams = (" ".join(stream(text)) for text in texts if text)
    return f" {SEPARATOR} ".join(text for text in streams if text)


def type_token(kind: AnnounceType) -> str:
    """An announce type as it stands beside a source, of which none has a colon."""
    return f"type:{kind}"


def type_tokens(types: Collection[AnnounceType]) -> list[str]:
    """Announce types in their order; a replaced cross-list counts as replaced too."""
    found = set(types)
    if AnnounceType.REPLACE_CROSS in found:
        found.add(AnnounceType.REPLACE)
    return [type_token(kind) for kind in AnnounceType if kind in found]


_ONE_CATEGORY = (
    ("cs.sy", "eess.sy"),
    ("math.mp", "math-ph"),
    ("math.it", "cs.it"),
    ("math.na", "cs.na"),
    ("math.st", "stat.th"),
    ("q-fin.ec", "econ.gn"),
)
_OTHER_NAME = {one: other for pair in _ONE_CATEGORY for one, other in (pair, pair[::-1])}
"""Categories with two names (arXiv category taxonomy, "is an alias for")."""


def category_tokens(categories: Iterable[str]) -> list[str]:
    """Categories, their other names and their archives: cs.SY → cs.sy, cs, eess.sy, eess."""
    found: dict[str, None] = {}
    for category in categories:
        name = opaque_token(category)
        for each in (name, _OTHER_NAME.get(name, name)):
            found |= dict.fromkeys((each, each.partition(".")[0]))
    return [token for token in found if token]


def id_tokens(paper_id: str) -> list[str]:
    """An id, and for old and for foreign ones also what is behind the archive or the kind of id."""
    whole = opaque_token(paper_id)
    if whole.startswith(("doi:", "url:")):
        return [whole, whole[4:]] if whole[4:] else [whole]
    archive, slash, number = whole.partition("/")
    return [whole, number] if slash and number and archive else [whole]


def opaque_token(name: str) -> str:
    """A name that is one token whatever it holds (an id, a category, a source); at most 200 characters."""
    return _OPAQUE.sub("_", normalise(name.strip()))[:200].strip(SEPARATOR)


_OPAQUE = re.compile(rf"[\x00-\x7f](?<![a-z0-9{re.escape(TOKEN_CHARACTERS)}])|\s|[\ud800-\udfff]")
