"""The characters that TeX commands stand for: tables only (The LaTeX Companion's symbol lists)."""

from __future__ import annotations

import unicodedata


def words(table: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(table.split())


def _pairs(table: str) -> dict[str, str]:
    cells = table.split()
    return dict(zip(cells[::2], cells[1::2], strict=True))


_GREEK = """
alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ
varkappa ϰ lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ
upsilon υ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ
Upsilon Υ Phi Φ Psi Ψ Omega Ω digamma ϝ varGamma Γ varDelta Δ varTheta Θ varLambda Λ varPi Π varSigma Σ
varPhi Φ varPsi Ψ varOmega Ω upalpha α upbeta β upmu μ uppi π upsigma σ
"""
_ORDINARY = """
ell ℓ hbar ħ hslash ħ imath ı jmath ȷ Re ℜ Im ℑ aleph ℵ beth ℶ wp ℘ partial ∂ nabla ∇ infty ∞ emptyset ∅
varnothing ∅ forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ top ⊤ bot ⊥ angle ∠ triangle △ square □ Box □
Diamond ◇ diamondsuit ♢ heartsuit ♡ spadesuit ♠ clubsuit ♣ star ⋆ bigstar ★ blacksquare ■
blacktriangle ▲ flat ♭ natural ♮ sharp ♯ prime ′ backprime ‵ dagger † dag † ddagger ‡ ddag ‡ degree °
textdegree ° ldots … dots … cdots ⋯ dotsc … dotsb ⋯ vdots ⋮ ddots ⋱ textellipsis … S § P ¶ pounds £
textsterling £ euro € texteuro € yen ¥ copyright © textcopyright © textregistered ® texttrademark ™
checkmark ✓ cmark ✓ xmark ✗ surd √ sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂
bigoplus ⨁ bigotimes ⨂ bigvee ⋁ bigwedge ⋀ bigsqcup ⨆ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ langle ⟨
rangle ⟩ llbracket ⟦ rrbracket ⟧ lbrace { rbrace } lbrack [ rbrack ] vert | lvert | rvert | Vert ‖
lVert ‖ rVert ‖ backslash \\ textbackslash \\ textasciitilde ~ textasciicircum ^ textunderscore _
textbar | textless < textgreater > textendash – textemdash — textquotedblleft “ textquotedblright ”
textquoteleft ‘ textquoteright ’ guillemotleft « guillemotright » textmu µ micro µ textbullet • bullet •
cent ¢ textcent ¢ eth ð lbraceclose } textquestiondown ¿ textexclamdown ¡ male ♂ female ♀ astrosun ☉
sun ☉ odot ⊙ earth ⊕ Earth ⊕ textonehalf ½ bigcirc ◯ TeX TeX LaTeX LaTeX BibTeX BibTeX mho ℧ Bbbk 𝕜
complement ∁ eth ð lq ‘ rq ’ i ı j ȷ textsection § textparagraph ¶ textdagger † textperiodcentered ·
slash / colon : lt < gt > textasteriskcentered *
"""
_BINARY = """
times × div ÷ pm ± mp ∓ cdot · cdotp · centerdot · ast * circ ∘ otimes ⊗ oplus ⊕ ominus ⊖ cup ∪ cap ∩
setminus ∖ smallsetminus ∖ wedge ∧ land ∧ vee ∨ lor ∨ sqcup ⊔ sqcap ⊓ uplus ⊎ wr ≀ amalg ⨿ le ≤ leq ≤
leqslant ≤ ge ≥ geq ≥ geqslant ≥ ll ≪ gg ≫ lll ⋘ ggg ⋙ ne ≠ neq ≠ equiv ≡ approx ≈ thickapprox ≈
approxeq ≊ sim ~ thicksim ~ simeq ≃ cong ≅ propto ∝ varpropto ∝ asymp ≍ doteq ≐ triangleq ≜ coloneqq ≔
eqqcolon ≕ lesssim ≲ gtrsim ≳ lessapprox ⪅ gtrapprox ⪆ prec ≺ succ ≻ preceq ⪯ succeq ⪰ preccurlyeq ≼
succcurlyeq ≽ in ∈ ni ∋ notin ∉ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊ supsetneq ⊋
nsubseteq ⊈ sqsubseteq ⊑ sqsupseteq ⊒ mid | nmid ∤ parallel ∥ nparallel ∦ perp ⊥ models ⊨ vdash ⊢
dashv ⊣ vDash ⊨ Vdash ⊩ bowtie ⋈ to → rightarrow → longrightarrow ⟶ leftarrow ← gets ← longleftarrow ⟵
leftrightarrow ↔ longleftrightarrow ⟷ Rightarrow ⇒ Longrightarrow ⟹ implies ⟹ Leftarrow ⇐ impliedby ⟸
Leftrightarrow ⇔ iff ⟺ Longleftrightarrow ⟺ mapsto ↦ longmapsto ⟼ uparrow ↑ downarrow ↓ updownarrow ↕
Uparrow ⇑ Downarrow ⇓ nearrow ↗ searrow ↘ swarrow ↙ nwarrow ↖ hookrightarrow ↪ hookleftarrow ↩
rightharpoonup ⇀ rightharpoondown ⇁ rightleftharpoons ⇌ leftrightharpoons ⇋ rightleftarrows ⇄
leftrightarrows ⇆ twoheadrightarrow ↠ rightsquigarrow ⇝ leadsto ⇝ upharpoonright ↾ restriction ↾
because ∵ therefore ∴ lhd ⊲ rhd ⊳ unlhd ⊴ unrhd ⊵ trianglelefteq ⊴ boxplus ⊞ boxtimes ⊠ ltimes ⋉
rtimes ⋊ lessgtr ≶ gtrless ≷ between ≬ nleq ≰ ngeq ≱ nless ≮ ngtr ≯ ncong ≇ nrightarrow ↛ nLeftarrow ⇍
nRightarrow ⇏ barwedge ⊼ veebar ⊻ textrightarrow → textleftarrow ← texttimes × textpm ± bmod mod
"""
_LETTERS = """
o ø O Ø l ł L Ł ss ß SS ẞ ae æ AE Æ oe œ OE Œ aa å AA Å dh ð DH Ð th þ TH Þ dj đ DJ Đ ng ŋ NG Ŋ
"""
_FUNCTION_NAMES = """
arccos arcsin arctan arg argmax argmin cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim
liminf limsup ln log max min Pr sec sin sinh sup tan tanh sgn sign Tr tr diag rank span softmax poly
polylog supp conv
"""

SYMBOLS = _pairs(_GREEK) | _pairs(_ORDINARY)
"""Command to character, for what stands by itself."""
BINARY = _pairs(_BINARY)
"""Command to character, for what stands between two things."""
LETTERS = _pairs(_LETTERS)
"""Command to letter, for what stands inside words and swallows the blanks behind it."""
FUNCTIONS = {name: name for name in words(_FUNCTION_NAMES)} | {"varliminf": "liminf", "injlim": "inj lim"}
"""Command to word, for names that are set apart from their neighbours."""

NOTHING = words("""
left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr bigm
displaystyle textstyle scriptstyle limits nolimits bf it rm sf tt sc em sl bfseries itshape ttfamily
rmfamily sffamily scshape small large Large LARGE huge Huge tiny normalsize footnotesize scriptsize
centering noindent xspace protect nonumber notag boldmath unboldmath relax selectfont upshape mdseries
normalfont mathstrut strut hfill allowbreak nobreak newblock cr hline unskip ignorespaces leavevmode mit
upright maketitle footnotemark
""")
"""Commands without arguments that show nothing."""
FENCES = words("left right middle")
BLANKS = words("""
quad qquad thinspace enspace space par newline linebreak smallskip medskip bigskip nobreakspace enskip
negthinspace newpage break
""")
KERNS = words("kern mkern mskip hskip vskip")
"""Commands that move what follows by a length written behind them."""
WITHOUT = words("""
label ref eqref pageref cref Cref autoref cite citep citet citealt citealp
citeauthor citeyear parencite textcite nocite vspace hspace color phantom hphantom vphantom tag
includegraphics begin end pagestyle thispagestyle input bibliography thanks
""")
"""Commands that are dropped with their one argument."""
LAST_OF = {"textcolor": 2, "colorbox": 2, "overset": 2, "stackrel": 2, "texorpdfstring": 2, "parbox": 2}
LAST_OF |= {"resizebox": 3, "raisebox": 2, "scalebox": 2, "multicolumn": 3, "fontsize": 2, "hyperref": 1}
"""Commands that show the last of so many arguments."""
IN_TEXT = words("""
text textrm textit textbf
textsf texttt textsc textsl textup textmd emph textnormal mbox hbox fbox makebox footnote uline url path
href
""")
"""Commands whose argument is text, inside formulas too."""
FRACTIONS = words("frac dfrac tfrac cfrac nicefrac sfrac xfrac")

ACCENTS = {
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    '"': "\u0308",
    "~": "\u0303",
    "=": "\u0304",
    ".": "\u0307",
    "H": "\u030b",
    "c": "\u0327",
    "d": "\u0323",
    "b": "\u0331",
    "k": "\u0328",
    "r": "\u030a",
    "u": "\u0306",
    "v": "\u030c",
    "t": "\u0361",
    "G": "\u030f",
    "U": "\u030e",
}
"""Accent command to combining character, in text."""
MATH_ACCENTS = {
    "hat": "\u0302",
    "widehat": "\u0302",
    "tilde": "\u0303",
    "widetilde": "\u0303",
    "bar": "\u0304",
    "overline": "\u0305",
    "underline": "\u0332",
    "vec": "\u20d7",
    "overrightarrow": "\u20d7",
    "dot": "\u0307",
    "ddot": "\u0308",
    "check": "\u030c",
    "breve": "\u0306",
    "acute": "\u0301",
    "grave": "\u0300",
    "mathring": "\u030a",
    "not": "\u0338",
}
"""Accent command to combining character, in mathematics; put on single characters only."""


def _alphabet(first_upper: int, first_lower: int | None, exceptions: str = "") -> dict[str, str]:
    """A styled alphabet; `exceptions` are letters that Unicode encoded before the styled block."""
    table = {chr(65 + place): chr(first_upper + place) for place in range(26)}
    if first_lower is not None:
        table |= {chr(97 + place): chr(first_lower + place) for place in range(26)}
    return table | _pairs(exceptions)


ALPHABETS = {
    "mathbb": _alphabet(0x1D538, 0x1D552, "C ℂ H ℍ N ℕ P ℙ Q ℚ R ℝ Z ℤ 1 𝟙 0 𝟘"),
    "mathcal": _alphabet(0x1D49C, None, "B ℬ E ℰ F ℱ H ℋ I ℐ L ℒ M ℳ R ℛ"),
    "mathfrak": _alphabet(0x1D504, 0x1D51E, "C ℭ H ℌ I ℑ R ℜ Z ℨ"),
}
ALPHABETS |= {"Bbb": ALPHABETS["mathbb"], "mathds": ALPHABETS["mathbb"], "bbm": ALPHABETS["mathbb"]}
ALPHABETS |= {"mathbbm": ALPHABETS["mathbb"], "mathscr": ALPHABETS["mathcal"], "cal": ALPHABETS["mathcal"]}
ALPHABETS |= {"frak": ALPHABETS["mathfrak"], "EuScript": ALPHABETS["mathcal"]}
"""Alphabet command to its letters; used for an argument of one letter, longer words stay plain."""

SUPERSCRIPTS = dict(
    zip(
        "0123456789+-−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδεθφχ",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᵠᵡ",
        strict=True,
    )
)
SUBSCRIPTS = dict(
    zip(
        "0123456789+-−=()aehijklmnoprstuvxβγρφχ",
        "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ",
        strict=True,
    )
)
RAISED = {"∘": "°", "°": "°", "′": "′", "″": "″", "*": "*", "†": "†", "‡": "‡", "⊤": "ᵀ", "⋆": "*", "∗": "*"}
"""Characters that are already raised, or have one raised form: `A^*` is A*, `90^\\circ` is 90°."""


def accented(base: str, mark: str) -> str:
    """`base` with the combining `mark` on its first letter, composed; dotless i and j give way to i and j."""
    if not base or not (base[0].isalnum() or base[0] in "=<>∈∃≡~≈⊂⊆∼"):
        return base if base else ""
    first = {"ı": "i", "ȷ": "j"}.get(base[0], base[0])
    return unicodedata.normalize("NFC", first + mark) + base[1:]
