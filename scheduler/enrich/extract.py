"""The built-in TL;DR: two of the abstract's own sentences, what is new and what came of it. Pure and quick.

The contribution ("we propose …", the name before the title's colon) and the result (numbers,
"outperforms") beat general extractive methods on these texts. Openings that point elsewhere ("To solve
these problems,") are cut off, questions and remarks on code are passed over, and long sentences end at a
clause.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from scheduler.text import sentences

LONGEST = 280
"""A TL;DR is at most so many characters."""

_SHORTEST_CLAUSE = 50
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
    r"|us(?:e|es)\b|appl(?:y|ies)|revisit|review|survey|discuss|conduct|characteri[sz]|train|offer|aim|focus)"
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
    r"\b(?:outperform|surpass|state[- ]of[- ]the[- ]art|improv|achiev|reduc|exceed|faster|speed-?up|gains?\b"
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
    r"^(?:(?:to|in order to|towards?|for) (?:(?!\bwe\b|\bthis (?:paper|work)\b)[^.;:])"
    rf"{{2,160}}?, (?=(?:we|this {_WORK}|here|i|our)\b)"
    rf"|in (?:this|the present|our) (?:\w+ )?{_WORK},? (?:therefore,? )?"
    r"|(?:motivated|inspired|driven|guided|prompted) by [^.;:]{2,120}?, (?=we\b)"
    r"|(?:building|based|drawing|leveraging) (?:up)?on [^.;:]{2,100}?, (?=we\b)"
    r"|(?:here|therefore|thus|hence|consequently|accordingly|however|moreover|furthermore|additionally|finally"
    r"|specifically|in particular|concretely|notably|importantly|in addition|in response|in contrast|instead"
    r"|as a result|overall|to this end|to that end|in light of this|in summary|in short),? "
    r"|(?:first|second|also), "
    r")",
    re.IGNORECASE,
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
        contribution = next((each for each in scored if not each.text.endswith("?")), scored[0])
    others = [each for each in scored if each.place != contribution.place]
    result = max(others, key=lambda sentence: sentence.result, default=None)
    if result is None or result.result < 2:
        return shortened(_standing(contribution.text), LONGEST)
    return _joined(contribution, result)


def _name(title: str) -> str:
    """The method's name: what stands before the title's colon, when that is short enough to be a name."""
    before, colon, _ = title.partition(":")
    return before.strip() if colon and 1 < len(before.strip()) <= 40 and len(before.split()) <= 4 else ""


def _scored(place: int, text: str, name: str) -> _Sentence:
    if text.endswith("?") or len(text) < 20 or not any(letter.isalpha() for letter in text):
        return _Sentence(place, text, -10.0, -10.0)
    lower = text.lower()
    is_background, is_remark = _BACKGROUND.match(text) is not None, _is_remark(lower)
    has_name = bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
    contribution = 4.0 * bool(_STRONG.search(lower)) or 2.5 * bool(_WEAK.search(lower))
    contribution += 2.0 * has_name - 2.5 * is_background - 0.15 * place - 3.0 * is_remark
    if has_name and not contribution > 3 and re.match(rf"{re.escape(name)}(?:,| is\b| \()", text):
        contribution += 1.5
    figures = len(_FIGURE.findall(text))
    result = 2.0 * bool(_GAIN.search(lower)) + 1.0 * bool(_EVIDENCE.search(lower)) + min(figures, 3) * 0.8
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


def _joined(contribution: _Sentence, result: _Sentence) -> str:
    """Both in the abstract's order; the result is cut first, then left out, and last the contribution is
    cut."""
    first, second = _standing(contribution.text), _standing(result.text)
    room = LONGEST - len(first) - 1
    shorter = shortened(second, room) if room >= _SHORTEST_CLAUSE else ""
    if not shorter and len(second) <= LONGEST // 2:
        first = shortened(first, LONGEST - len(second) - 1)
        shorter = second
    if not shorter or (shorter.endswith("…") and len(shorter) < _SHORTEST_CLAUSE):
        return shortened(first, LONGEST)
    return f"{first} {shorter}" if contribution.place < result.place else f"{shorter} {first}"


def shortened(text: str, room: int) -> str:
    """`text` within `room` characters: whole, or up to the end of a clause or a word, and an ellipsis."""
    if len(text) <= room:
        return text
    head = text[: room - 1]
    ends = [
        end.start() for end in _CLAUSE_END.finditer(head) if end.start() >= max(_SHORTEST_CLAUSE, room // 3)
    ]
    cut = ends[-1] if ends else head.rfind(" ")
    return f"{(head[:cut] if cut > 0 else head).rstrip(' ,;:–—')}…"
