"""TeX to readable Unicode, tolerantly: whatever cannot be understood stays as text, and nothing ever raises.

A scanner over one regular expression feeds a stack of frames: groups, formulas, and commands that wait for
their arguments. The stack is bounded (`MAX_DEPTH`), so that cost is linear and hostile nesting harmless. A
formula's dollar signs are told from money before the scan (`_formulas`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from scheduler.tex_symbols import (
    ACCENTS,
    ALPHABETS,
    BINARY,
    BLANKS,
    FENCES,
    FRACTIONS,
    FUNCTIONS,
    IN_TEXT,
    KERNS,
    LAST_OF,
    LETTERS,
    MATH_ACCENTS,
    NOTHING,
    RAISED,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    SYMBOLS,
    WITHOUT,
    accented,
)

MAX_DEPTH = 64
"""Groups and commands nested deeper than this lose their braces and their effect, not their text."""

_TOKEN = re.compile(
    r"""
      (?P<url>(?<![A-Za-z0-9])(?:https?://|ftp://|www\.)(?:\\[_%&\#~]|[^\s\\{}<>"$^])+)
    | \\(?P<word>[A-Za-z]+)(?P<gap>\s*)
    | \\(?P<sign>.)
    | (?P<open>\{) | (?P<close>\}) | (?P<dollar>\$\$?) | (?P<script>[\^_])
    | (?P<space>\s+) | (?P<dash>--+) | (?P<quote>``|''|[`']) | (?P<tie>~+)
    | (?P<plain>(?:(?!https?://|ftp://|www\.|--)[^\\{}$^_\s`'~])+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_DOLLAR = re.compile(r"\\.|\$\$?", re.DOTALL)
_MONEY = re.compile(r"\d[\d,.]*(?:\s?(?:k|K|M|B|bn|million|billion|trillion|thousand|USD))?(?:\s|[-–—/+)]|$)")
_FORMULA_SIGN = re.compile(r"[\\^_{}=<>]")
_PROSE_WORD = re.compile(r"\s[A-Za-z]{2,}|[A-Za-z]{4,}")
_SINGLE_QUOTED = re.compile(r"`(?:[^`'\s]|[ ](?=\S)|'(?=[A-Za-z])){1,80}'(?![A-Za-z])")
_WORD_BEFORE = re.compile(r"[A-Za-z]{3}\Z|[a-z][.,!?]\Z")
"""Two apostrophes behind a word close a quotation, its beginning may be lost; behind one letter they are primes."""
_SCRIPT_RUN = re.compile(r"[+\-−]?\d+")
_ROOT = re.compile(r"\s*\[([^\[\]{}]{1,12})\]")
_OPTION = re.compile(r"\s*\[[^\[\]{}]{0,60}\]")
_STAR = re.compile(r"\*(?=\s*\{)")
_DIMENSION = re.compile(r"\s*[-+]?\d*\.?\d+\s*(?:mu|em|ex|pt|mm|cm|in|sp)\b\s?")
_FENCE_DOT = re.compile(r"\s*\.(?!\d)")
_LITERAL_BRACES = re.compile(r"[,:;\"=|]")
_UMLAUTS = frozenset("aeiouyAEIOUYıȷwWxX")
_UNARY_AFTER = frozenset("([{,=<>≤≥|^_/")

_BLANK_SIGNS = frozenset(", ;:>\\\n\t\r")
_NO_SIGNS = frozenset("!-/@")

_SIGNS = (*"\\$^_{}~`", "--", "''")
"""Text without any of these has no TeX, as most abstracts: a hyphen or an apostrophe alone is none."""
_IN_PROSE = re.compile(r"[\\{}$^_~`']|--|https?://|ftp://|www\.")
"""What may end a run of prose outside formulas: everything before it stands as it is."""


@dataclass(slots=True)
class _Frame:
    """A group or formula that collects `out`, or a command that waits for `wanted` arguments.

    `closes` is the place of a formula's closing dollar sign, -1 for one that a command closes.
    """

    kind: str
    math: bool
    out: list[str] = field(default_factory=list)
    wanted: int = 0
    apply: Callable[[list[str]], str] | None = None
    arguments_in_math: bool = False
    is_script: bool = False
    closes: int = -1
    has_command: bool = False


def to_text(raw: str) -> str:
    """`raw` with its TeX turned into Unicode; blanks are not folded, letters may be decomposed."""
    return _Reader(raw).read() if may_be_tex(raw) else raw


def may_be_tex(raw: str) -> bool:
    """False for text that certainly has no TeX."""
    for sign in _SIGNS:  # noqa: SIM110 - a generator would take as long again, and this is asked of every text
        if sign in raw:
            return True
    return False


def _formulas(raw: str) -> dict[int, int]:
    """Where formulas open and close: the place of each opening dollar sign and of its closing one.

    A dollar sign opens a formula when the text up to the next one looks like a formula and not like a sum of
    money; otherwise it is a dollar.
    """
    signs = [sign for sign in _DOLLAR.finditer(raw) if sign.group()[0] == "$"]
    found: dict[int, int] = {}
    position = 0
    while position + 1 < len(signs):
        opening, closing = signs[position], signs[position + 1]
        if _is_formula(raw[opening.end() : closing.start()], raw[closing.end() : closing.end() + 1]):
            found[opening.start()] = closing.start()
            position += 1
        position += 1
    return found


def _is_formula(inside: str, following: str) -> bool:
    if not inside.strip():
        return False
    has_sign = _FORMULA_SIGN.search(inside) is not None
    if _MONEY.match(inside) and (following.isdigit() or inside[-1].isspace() or _PROSE_WORD.search(inside)):
        return has_sign and not _PROSE_WORD.search(inside)
    if inside[0].isspace() or inside[-1].isspace():
        return has_sign or (len(inside) <= 24 and not _PROSE_WORD.search(inside))
    return has_sign or not following.isdigit()


class _Reader:
    """One reading of one text; `read` may be called once."""

    def __init__(self, raw: str) -> None:
        self._raw = raw
        self._at = 0
        self._formulas = _formulas(raw) if "$" in raw else {}
        self._stack = [_Frame("group", math=False)]
        self._skipped = 0
        self._quotes = 0
        self._quote_ends: set[int] = set()
        self._gap_before = False

    def read(self) -> str:
        match = _TOKEN.match
        while self._at < len(self._raw):
            self._prose()
            token = match(self._raw, self._at)
            if token is None:
                break
            self._at = token.end()
            kind = token.lastgroup or "other"
            if kind == "gap":
                self._command(token["word"], token["gap"])
            else:
                getattr(self, f"_on_{kind}")(token.group())
                self._gap_before = False
        while len(self._stack) > 1:
            self._give_up()
        return "".join(self._stack[0].out)

    def _prose(self) -> None:
        """Takes over at once what is neither TeX nor in a formula: most of a text."""
        top = self._stack[-1]
        if top.kind != "group" or top.math:
            return
        stop = _IN_PROSE.search(self._raw, self._at)
        end = stop.start() if stop else len(self._raw)
        if end > self._at:
            top.out.append(self._raw[self._at : end])
            self._at = end
            self._gap_before = False

    # What a token does

    def _on_plain(self, text: str) -> None:
        top = self._stack[-1]
        if top.kind == "command":
            run = _SCRIPT_RUN.match(text) if top.is_script else None
            unit = run.group() if run else text[0]
            self._at -= len(text) - len(unit)
            text = unit
        if top.math and "&" in text:
            text = text.replace("&", " ")
        self._deliver(text)

    def _on_other(self, text: str) -> None:
        self._deliver(text)

    def _on_url(self, text: str) -> None:
        self._deliver(re.sub(r"\\(.)", r"\1", text))

    def _on_space(self, text: str) -> None:
        if self._stack[-1].kind != "command":
            self._deliver(text)

    def _on_dash(self, text: str) -> None:
        before, after = self._last(), self._next()
        is_flag = (before == "" or before.isspace()) and after.isascii() and after.isalpha()
        if self._stack[-1].math or is_flag or after == ">" or before in ("<", "!"):
            self._deliver(text)
        else:
            self._deliver({2: "–", 3: "—"}.get(len(text), text))

    def _on_quote(self, text: str) -> None:
        start = self._at - len(text)
        if self._stack[-1].math:
            self._deliver(text)
        elif text == "``":
            self._quotes += 1
            self._deliver("“")
        elif text == "''" and (self._quotes or _WORD_BEFORE.search(self._raw, max(0, start - 3), start)):
            self._quotes = max(self._quotes - 1, 0)
            self._deliver("”")
        elif text == "`" and (quoted := _SINGLE_QUOTED.match(self._raw, start)):
            self._quote_ends.add(quoted.end() - 1)
            self._deliver("‘")
        else:
            self._deliver("’" if start in self._quote_ends else text)

    def _on_tie(self, text: str) -> None:
        before, after = self._last(), self._next()
        ties = before.isalnum() or (before != "" and before in ".)]},:%”’'")
        if self._stack[-1].math or (len(text) == 1 and ties and after != "" and not after.isspace()):
            text = " "
        self._deliver(text)

    def _on_dollar(self, text: str) -> None:
        start = self._at - len(text)
        if start in self._formulas:
            self._push(_Frame("formula", math=True, closes=self._formulas[start]))
        elif any(frame.closes == start for frame in self._stack):
            self._close_formula(start)
        else:
            self._deliver(text)

    def _on_open(self, text: str) -> None:
        top = self._stack[-1]
        math = top.arguments_in_math if top.kind == "command" else top.math
        if len(self._stack) >= MAX_DEPTH:
            self._skipped += 1
        else:
            self._push(_Frame("group", math=math))

    def _on_close(self, text: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        depth = next((n for n in range(len(self._stack) - 1, 0, -1) if self._stack[n].kind != "command"), 0)
        if depth == 0 or self._stack[depth].kind != "group":
            if not self._stack[-1].math:
                self._deliver(text)
            return
        while len(self._stack) - 1 > depth:
            self._give_up()
        self._close_group()

    def _on_script(self, sign: str) -> None:
        top = self._stack[-1]
        if not top.math and not self._is_text_script(sign):
            self._deliver(sign)
            return
        table = SUPERSCRIPTS if sign == "^" else SUBSCRIPTS
        self._wait(1, lambda given: _script(sign, given[0], table), math=True, is_script=sign == "^")

    def _on_sign(self, token: str) -> None:
        sign = token[1]
        top = self._stack[-1]
        if sign in "([":
            self._push(_Frame("formula", math=True))
        elif sign in ")]":
            if any(frame.kind == "formula" and frame.closes == -1 for frame in self._stack):
                self._close_formula(-1)
        elif sign in ACCENTS and not (top.math and sign in ".="):
            self._wait(1, lambda given: _text_accent(sign, given[0]), math=top.math)
        elif sign in _BLANK_SIGNS:
            self._deliver(" ")
        elif sign not in _NO_SIGNS:
            self._deliver("‖" if sign == "|" else sign)

    # What a command does

    def _command(self, word: str, gap: str) -> None:
        gap_before, self._gap_before = self._gap_before, False
        for frame in reversed(self._stack):
            if frame.kind != "command":
                frame.has_command = True
                break
        if word in LETTERS:
            self._deliver(LETTERS[word])
        elif word in BINARY:
            self._deliver(self._between(BINARY[word], gap, gap_before))
        elif word in SYMBOLS:
            self._deliver(SYMBOLS[word] + self._gap_after(gap))
        elif word in FUNCTIONS:
            self._deliver(self._named(FUNCTIONS[word]) + ("" if self._stack[-1].math else gap))
        elif not self._takes_arguments(word):
            self._bare(word, gap)
        if self._stack[-1].math and gap:
            self._gap_before = True

    def _takes_arguments(self, word: str) -> bool:
        """Start to wait for the arguments of `word`; False for a command without any."""
        math = self._stack[-1].math
        if word in ACCENTS and not math and len(word) == 1:
            self._wait(1, lambda given: _text_accent(word, given[0]))
        elif word in MATH_ACCENTS:
            self._wait(1, lambda given: _math_accent(word, given[0]), math=True)
        elif word in ALPHABETS:
            self._wait(1, lambda given: ALPHABETS[word].get(given[0], given[0]), math=True)
        elif word in FRACTIONS:
            self._wait(2, lambda given: f"{_factor(given[0])}/{_factor(given[1])}", math=True)
        elif word == "sqrt":
            self._root()
        elif word in WITHOUT:
            self._drop()
        elif word in LAST_OF:
            self._wait(LAST_OF[word], lambda given: given[-1], math=math)
        elif word in _SHAPES:
            wanted, shape = _SHAPES[word]
            self._wait(wanted, shape, math=math and word not in IN_TEXT)
        elif self._next_open():
            self._wait(1, lambda given: given[0], math=math and word not in IN_TEXT)
        else:
            return False
        return True

    def _bare(self, word: str, gap: str) -> None:
        if word in NOTHING:
            if word in FENCES and (dot := _FENCE_DOT.match(self._raw, self._at)):
                self._at = dot.end()
        elif word in BLANKS:
            self._deliver(" ")
        elif word in KERNS:
            if dimension := _DIMENSION.match(self._raw, self._at):
                self._at = dimension.end()
        elif word == "item":
            self._deliver(" • ")
        elif word.startswith("operatorname"):
            self._deliver(gap)
        else:
            self._deliver(self._named(word) if self._stack[-1].math else word + gap)

    def _root(self) -> None:
        index = _ROOT.match(self._raw, self._at)
        if index:
            self._at = index.end()
        sign = (
            {"3": "∛", "4": "∜"}.get(index[1], f"{_script('^', index[1], SUPERSCRIPTS)}√") if index else "√"
        )
        self._wait(1, lambda given: sign + _radicand(given[0]), math=True)

    def _drop(self) -> None:
        option = _OPTION.match(self._raw, self._at)
        if option:
            self._at = option.end()
        top = self._stack[-1]
        if top.out and top.kind != "command":
            top.out[-1] = top.out[-1].rstrip()
            if not top.out[-1]:
                top.out.pop()
        self._wait(1, lambda _: "")

    # Spacing

    def _last(self) -> str:
        """The character that was written last in the innermost group, "" at its start."""
        for frame in reversed(self._stack):
            if frame.kind != "command":
                return frame.out[-1][-1] if frame.out else ""
        return ""

    def _next(self) -> str:
        return self._raw[self._at : self._at + 1]

    def _next_open(self) -> bool:
        star = _STAR.match(self._raw, self._at)
        if star:
            self._at = star.end()
        return self._raw[self._at : self._at + 1] == "{"

    def _between(self, sign: str, gap: str, gap_before: bool) -> str:
        """A sign between two things: blanks on both sides when the source has one on either side."""
        last = self._last()
        if not self._stack[-1].math:
            return f" {sign}{gap}" if gap and last.isalnum() and sign not in "×±~·" else sign + gap
        if last == "" or last in _UNARY_AFTER:
            return sign
        if not (gap or gap_before or last.isspace()):
            return sign
        return f"{sign} " if last.isspace() else f" {sign} "

    def _gap_after(self, gap: str) -> str:
        if not self._stack[-1].math:
            return gap
        following = self._next()
        wide = self._last().isspace() and (following.isalnum() or following == "\\")
        return " " if gap and (wide or following in tuple("<>=+-*/|")) else ""

    def _named(self, word: str) -> str:
        """A function's name, set apart from letters and digits on both sides."""
        last = self._last()
        before = " " if last.isalnum() or last in tuple(")]") else ""
        following = self._raw[self._at : self._at + 5]
        is_fence = following.startswith(("\\left", "\\big", "\\Big", "\\{", "\\l"))
        is_word = following[:1].isalnum() or (following[:1] == "\\" and following[1:2].isalpha())
        return f"{before}{word} " if is_word and not is_fence else f"{before}{word}"

    def _is_text_script(self, sign: str) -> bool:
        """Outside formulas only what cannot be a name or an emoticon is a script: `x_{i}`, `10^{-4}`,
        `n^2`."""
        following = self._raw[self._at : self._at + 3]
        if following[:1] == "{":
            return "}" in self._raw[self._at : self._at + 60]
        last = self._last()
        if sign == "_" or not (last.isalnum() or last in tuple(")]")):
            return False
        if following[:1] == "\\":
            return following[1:2].isalpha()
        is_number = _SCRIPT_RUN.match(following) is not None
        is_letter = following[:1].isalpha() and not following[1:2].isalnum()
        return is_number or is_letter or (following[:1] == "*" and last.isalpha())

    # The stack

    def _push(self, frame: _Frame) -> None:
        if len(self._stack) < MAX_DEPTH:
            self._stack.append(frame)

    def _wait(
        self,
        wanted: int,
        apply: Callable[[list[str]], str],
        *,
        math: bool = False,
        is_script: bool = False,
    ) -> None:
        top = self._stack[-1]
        self._push(
            _Frame(
                "command",
                math=top.math,
                wanted=wanted,
                apply=apply,
                arguments_in_math=math,
                is_script=is_script,
            )
        )

    def _deliver(self, text: str) -> None:
        """Hand `text` to whatever is waiting for it; a command that has all its arguments hands on its
        result."""
        while (top := self._stack[-1]).kind == "command":
            top.out.append(text)
            if len(top.out) < top.wanted:
                return
            self._stack.pop()
            text = top.apply(top.out) if top.apply else ""
        if text:
            top.out.append(text)

    def _close_group(self) -> None:
        frame = self._stack.pop()
        text = "".join(frame.out)
        is_argument = self._stack[-1].kind == "command"
        if not (is_argument or frame.math or frame.has_command) and _LITERAL_BRACES.search(text):
            text = f"{{{text}}}"
        self._deliver(text)

    def _close_formula(self, closes: int) -> None:
        while not (self._stack[-1].kind == "formula" and self._stack[-1].closes == closes):
            self._give_up()
        self._skipped = 0
        self._deliver("".join(self._stack.pop().out))

    def _give_up(self) -> None:
        """Close the innermost frame although its end never came; its text stays."""
        frame = self._stack.pop()
        if frame.kind == "command":
            missing = [""] * (frame.wanted - len(frame.out))
            text = frame.apply([*frame.out, *missing]) if frame.apply else ""
        else:
            text = "".join(frame.out)
            if frame.kind == "group" and not frame.math:
                text = "{" + text
        self._deliver(text)


def _script(sign: str, text: str, table: dict[str, str]) -> str:
    bare = text.strip()
    if not bare:
        return ""
    if all(letter in table for letter in bare):
        return "".join(table[letter] for letter in bare)
    if sign == "^" and all(letter in RAISED for letter in bare):
        return "".join(RAISED[letter] for letter in bare)
    return f"{sign}{bare}" if len(bare) == 1 else f"{sign}({bare})"


def _text_accent(sign: str, base: str) -> str:
    if not base.strip():
        return sign + base if sign in "~^" else base
    if sign == '"' and base[0] not in _UMLAUTS:
        return sign + base
    if sign == "." and not base[0].isalpha():
        return base
    return accented(base, ACCENTS[sign])


def _math_accent(word: str, base: str) -> str:
    return accented(base, MATH_ACCENTS[word]) if len(base) == 1 else base


def _factor(text: str) -> str:
    """`text` as one operand of a fraction: in parentheses unless it is one number, letter or call."""
    bare = text.strip()
    return bare if re.fullmatch(r"[\w.√∂′²³₀-₉ᵢⱼₙ]*(?:\([^()]*\))?", bare) else f"({bare})"


def _radicand(text: str) -> str:
    bare = text.strip()
    return bare if len(bare) == 1 or bare.isdigit() else f"({bare})"


def _link(given: list[str]) -> str:
    """`\\href{address}{words}`: the words; the address where there are none."""
    return given[1] if given[1].strip() else given[0]


_SHAPES: dict[str, tuple[int, Callable[[list[str]], str]]] = {
    "href": (2, _link),
    "footnote": (1, lambda given: f" ({given[0]})"),
    "textsuperscript": (1, lambda given: _script("^", given[0], SUPERSCRIPTS)),
    "textsubscript": (1, lambda given: _script("_", given[0], SUBSCRIPTS)),
    "binom": (2, lambda given: f"({given[0]} choose {given[1]})"),
    "underset": (2, lambda given: f"{given[1]}{_script('_', given[0], SUBSCRIPTS)}"),
    "pmod": (1, lambda given: f" (mod {given[0]})"),
    "xrightarrow": (1, lambda given: f" →{_script('^', given[0], SUPERSCRIPTS)} "),
    "SI": (2, lambda given: f"{given[0]} {given[1]}"),
    "qty": (2, lambda given: f"{given[0]} {given[1]}"),
}
