"""The built-in TL;DR: two of the abstract's own sentences, what is new and what came of it. Pure and quick.

The contribution ("we propose …", the name before the title's colon) and the result (numbers,
"outperforms") beat general extractive methods on these texts. Openings that point elsewhere ("To solve
these problems,") are cut off, questions and remarks on code are passed over, and long sentences end at a
clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from scheduler.text import sentences

LONGEST = 280
"""A TL;DR is at most so many characters."""

_SHORTEST_CLAUSE = 50
_SHORTEST_SENTENCE = 30
"""What is shorter ("We first analyze it.") says nothing by itself."""
_LEAST_RESULT = 2.0
"""A sentence that scores less is no result."""

_WORK = (
    r"(?:paper|work|article|study|survey|report|thesis|letter|note|manuscript|tutorial|review|contribution)"
)
_MAKE = (
    r"(?:propos|introduc|present|develop|design|describ|formulat|releas|build|construct|devis|creat|contribut"
    r"|advanc|curat|unveil|implement|put forward)"
)
_FIND = (
    r"(?:show|stud(?:y|ie)|investigat|prov(?:e|es|ed|ing)\b|demonstrat|find\b|found|establish|analy[sz]|examin|explor"
    r"|consider|provid|deriv|argu|report|address|tackl|reveal|observ|identif|evaluat|compar|reformulat|extend"
    r"|prob(?:e|es)\b|ask\b|benchmark|quantif|audit\b|measure|formali[sz]|trace\b|us(?:e|es)\b|appl(?:y|ies)|revisit|review|survey|discuss|conduct|characteri[sz]|train|offer|aim|focus)"
)
_ADVERBS = r"(?:\w+ly |then |also |first |here |thus |therefore |hence |further |next |instead )*"
# These are held against sentences in lower case: half as dear as patterns that ignore case.
_STRONG = re.compile(
    rf"\b(?:we|i|authors) {_ADVERBS}(?:have )?{_MAKE}"
    rf"|\b(?:this|the|our|the present) (?:\w+ )?{_WORK} {_ADVERBS}{_MAKE}"
    r"|\b(?:is|are) (?:\w+ly )?(?:proposed|introduced|presented|developed)\b"
    r"|\bour (?:main |key |core )?(?:contribution|proposal|method|approach|framework|model|algorithm)"
    r" (?:is|are)\b",
)
_WEAK = re.compile(
    rf"\b(?:we|i|authors) {_ADVERBS}(?:have )?{_FIND}"
    rf"|\b(?:this|the|our|the present) (?:\w+ )?{_WORK} {_ADVERBS}{_FIND}"
    r"|\b(?:is|are) (?:\w+ly )?(?:studied|investigated|proved|shown|derived|analy[sz]ed)\b",
)
_GAIN = re.compile(
    r"\b(?:outperform|surpass|state[- ]of[- ]the[- ]art|improv|recover|achiev|reduc|exceed|faster|speed-?up|gains?\b"
    r"|boost|superior|competitive|match(?:es|ing)|lower(?:s|ing)?\b|increas|converg|optimal|attain|reach|cut(?:s|ting)\b"
    r"|accura|scales?\b|robust|consistently|significant|half the|orders? of magnitude)",
)
_EVIDENCE = re.compile(
    r"\b(?:experiment|result|evaluat|empirical|benchmark|simulation|across|ablation|show that"
    r"|demonstrate that|find that|prove that|observe that)",
)
_FIGURE = re.compile(r"(?<![\w.])(?:\d+(?:[.,]\d+)*\s?(?:%|×|x\b|percent|points?\b|times\b|fold)|\d+\.\d+)")
_REMARK = re.compile(
    r"\b(?:code|data|dataset|model|project|demo|video|weight|implementation|checkpoint|material|page)s?\b.{0,80}"
    r"\b(?:available|released|found at|open-?sourced|accessible|public)|https?://|this https url|\bgithub\b",
)
_REMARK_SIGNS = ("availab", "releas", "found at", "sourced", "accessib", "public", "http", "github")
"""One of these stands in every remark; most sentences have none, and looking for them costs next to nothing."""

_BACKGROUND = re.compile(
    r"^(?:however|but|unfortunately|existing|recent|despite|although|while|current|traditional|prior|previous|many"
    r"|most|yet|nevertheless|in recent years|nowadays|conventional)\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"^(?:\(?(?:[ivx]{1,4}|\d)\) |(?:to|in order to|towards?|for) (?:(?!\bwe\b|\bthis (?:paper|work)\b)[^.;:])"
    rf"{{2,160}}?, (?=(?:we|this {_WORK}|here|i|our)\b)"
    rf"|in (?:this|the present|our) (?:\w+ )?{_WORK},? (?:therefore,? )?"
    r"|(?:motivated|inspired|driven|guided|prompted) by [^.;:]{2,120}?, (?=we\b)"
    r"|(?:because|since|given|beyond|through|instead of|unlike|rather than) [^.;:]{2,200}?, (?=we\b)"
    r"|(?:building|based|drawing|leveraging) (?:up)?on [^.;:]{2,100}?, (?=we\b)"
    r"|(?:here|therefore|thus|hence|consequently|accordingly|however|moreover|furthermore|additionally|finally"
    r"|specifically|in particular|concretely|notably|importantly|in addition|in response|in contrast|instead"
    r"|as a result|overall|to this end|to that end|in light of this|in summary|in short),? "
    r"|(?:first|second|also), "
    r")",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\([^()]{1,200}\)")
_FURTHER = re.compile(r"\bwe (?:also|further|additionally|then)\b")
_SCENE = re.compile(
    r"(?:(?:extensive|comprehensive|our|these|the|empirical|experimental|further|additional|diagnostic|simulation) )*"
    r"(?:experiments?|results?|evaluations?|findings?|simulations?|ablations?|analys[ei]s)\b[^.;:]{0,160}?"
    r"\b(?:show|demonstrate|indicate|reveal|confirm|suggest|establish)s? "
    r"(?:that |(?=(?:our|it|this) |(?-i:\w*[A-Z]\w*[A-Z]\w* )))"
    r"|we (?:also |further |empirically )*(?:show|find|demonstrate|observe|prove) that ",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:across|on|in|for|under|when|with|compared|relative|experimentally|empirically|through|after)\b"
    r"[^.;:]{2,160}?, (?=(?:our|we|it|the|this|these)\b)",
    re.IGNORECASE,
)
_LOOSE_END = re.compile(
    r"(?:[\s,;:–—]+(?:of|to|the|an?|in|on|for|with|by|and|or|from|than|that|which|at|as|its|their|our|is|are|both"
    r"|every|each|between))+\Z"
)
_CLAUSE_END = re.compile(
    r"; |: | — | – |, (?=(?:while|which|where|whereas|and|but|with|thereby|thus|enabling|allowing|making"
    r"|yielding|achieving|including|leading|resulting|reducing|improving|using|without|by|as|compared|such|so|in|on|for)\b)"
    r"| (?=(?:compared (?:to|with)|while|whereas|thereby|without|by \w+ing|in order to|so that)\b)"
)


@dataclass(frozen=True, slots=True)
class _Sentence:
    place: int
    text: str
    contribution: float
    result: float


def tldr(title: str, abstract: str) -> str:
    """An extract of `abstract` (clean text) of at most 280 characters; "" for an empty abstract.

    Every word of it stands in the abstract, in the abstract's order; an ellipsis marks a sentence that
    was cut.
    """
    name = _name(title)
    scored = [_scored(place, text, name) for place, text in enumerate(sentences(abstract))]
    if not scored:
        return ""
    contribution = max(scored, key=lambda sentence: sentence.contribution)
    if contribution.contribution <= 0:
        contribution = _instead(scored)
    first = _standing(contribution.text)
    others = [_after(contribution.place, each) for each in scored if each.place != contribution.place]
    found = _result(first, others, name)
    if found is None:
        return shortened(first, LONGEST)
    first, place, result = found
    return f"{first} {result}" if contribution.place < place else f"{result} {first}"


def _instead(scored: list[_Sentence]) -> _Sentence:
    """Where nobody says what is new: the best result, or else the first sentence that is no question."""
    best = max(scored, key=lambda sentence: sentence.result)
    if best.result >= _LEAST_RESULT:
        return best
    return next((each for each in scored if not each.text.endswith("?")), scored[0])


def _after(place: int, sentence: _Sentence) -> _Sentence:
    """A sentence as a result of the contribution at `place`: what stands before that is mostly its background."""
    return sentence if sentence.place > place else replace(sentence, result=sentence.result - 1.5)


def _result(first: str, others: list[_Sentence], name: str) -> tuple[str, int, str] | None:
    """The contribution as it is shown, and the result that goes best with it: its place and as much of it as fits.

    A result that fits whole is worth more than one without its opening, and that more than one that is cut; what is
    cut before it says anything is worth nothing.
    """
    fitting: list[tuple[float, str, int, str]] = []
    for each in others:
        if each.result < _LEAST_RESULT:
            continue
        for price, contribution, text in _ways(first, each.text, name):
            fitting.append((each.result - price, contribution, each.place, text))
    best = max(fitting, key=lambda way: way[0], default=None)
    return best[1:] if best is not None and best[0] > 0 else None


def _ways(first: str, text: str, name: str) -> Iterator[tuple[float, str, str]]:
    """How contribution and result may stand together within LONGEST, each with its price."""
    whole = _standing(text)
    bare = _without_scene(whole, name)
    room = LONGEST - len(first) - 1
    if len(whole) <= room:
        yield 0.0, first, whole
    elif len(bare) <= room:
        yield 0.6, first, bare
    elif room >= _SHORTEST_CLAUSE and _says_something(cut := shortened(bare, room)):
        yield 1.4, first, cut
    elif len(bare) <= LONGEST // 2:
        yield 1.6, shortened(first, LONGEST - len(bare) - 1), bare


def _without_scene(text: str, name: str) -> str:
    """A result without what it was found by and where ("Extensive experiments on … show that")."""
    scene = _SCENE.match(text) or _PLACE.match(text)
    if scene is None and name:
        scene = re.match(
            rf"(?:Across|On|In|For|Under|When|With|Compared|Relative) [^.;:]{{2,160}}?, (?={re.escape(name)})",
            text,
        )
    rest = text[scene.end() :] if scene else ""
    return rest[0].upper() + rest[1:] if len(rest) >= 30 else text


def _says_something(text: str) -> bool:
    return _GAIN.search(text.lower()) is not None or _FIGURE.search(text) is not None


def _name(title: str) -> str:
    """The method's name: what stands before the title's colon, when that is short enough to be a name."""
    before, colon, _ = title.partition(":")
    return before.strip() if colon and 1 < len(before.strip()) <= 40 and len(before.split()) <= 4 else ""


def _scored(place: int, text: str, name: str) -> _Sentence:
    if text.endswith("?") or len(text) < 20 or not any(letter.isalpha() for letter in text):
        return _Sentence(place, text, -10.0, -10.0)
    lower = _ASIDE.sub(" ", text.lower())
    is_background, is_remark = _BACKGROUND.match(text) is not None, _is_remark(lower)
    has_name = bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
    contribution = 4.0 * bool(_STRONG.search(lower)) or 2.5 * bool(_WEAK.search(lower))
    contribution += 2.0 * has_name - 2.5 * is_background - 0.15 * place - 3.0 * is_remark
    contribution -= 4.0 * (len(text) < _SHORTEST_SENTENCE) + 1.0 * (_FURTHER.search(lower) is not None)
    if has_name and not contribution > 3 and re.match(rf"{re.escape(name)}(?:,| is\b| \()", text):
        contribution += 1.5
    figures = len(_FIGURE.findall(text))
    result = 2.0 * bool(_GAIN.search(lower)) + 1.0 * bool(_EVIDENCE.search(lower)) + min(figures, 3) * 1.0
    result -= 1.0 * lower.startswith(("ablation", "further ablation"))
    result += 0.4 * has_name + 0.05 * place - 2.0 * is_background - 4.0 * is_remark
    return _Sentence(place, text, contribution, result)


def _is_remark(lower: str) -> bool:
    return any(sign in lower for sign in _REMARK_SIGNS) and _REMARK.search(lower) is not None


def _standing(text: str) -> str:
    """`text` without an opening that leans on what was said before it."""
    for _ in range(2):
        cut = _DANGLING.match(text)
        rest = text[cut.end() :] if cut else ""
        if len(rest) < 20:
            return text
        text = rest[0].upper() + rest[1:]
    return text


def shortened(text: str, room: int) -> str:
    """`text` within `room` characters: whole, or up to the end of a clause or a word, and an ellipsis."""
    if len(text) <= room:
        return text
    head = text[: room - 1]
    ends = [
        end.start() for end in _CLAUSE_END.finditer(head) if end.start() >= max(_SHORTEST_CLAUSE, room // 3)
    ]
    cut = ends[-1] if ends else head.rfind(" ")
    kept = _LOOSE_END.sub("", head[:cut] if cut > 0 else head)
    return f"{kept.rstrip(' ,;:–—')}…"
