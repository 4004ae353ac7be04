"""Readable words from raw ones: TeX, entities, markup, author lists, sentences, withdrawals."""

from __future__ import annotations

import random
import re
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.enrich.extract import tldr
from scheduler.models import Author
from scheduler.sources import digests
from scheduler.text import clean, is_withdrawn, sentences, split_authors

SEEDS = Path(__file__).resolve().parents[2] / "shared" / "seeds"


@pytest.mark.parametrize(
    ("raw", "readable"),
    [
        (r"R$^2$ Flow and the $L_2$ divergence of H$_2$O", "R² Flow and the L₂ divergence of H₂O"),
        (r"the $\pi_{0.5}$ policy $\pi_\theta$", "the π_(0.5) policy π_θ"),
        (r"$87$--$94\%$ of it", "87–94% of it"),
        (r"4\times faster, $1.13\times$", "4× faster, 1.13×"),
        (r"$A \to B \rightleftharpoons C$", "A → B ⇌ C"),
        (r"$10^{-4}$ and 10^{-4} and 10^-4", "10⁻⁴ and 10⁻⁴ and 10⁻⁴"),
        (r"$d=\sqrt{\mathrm{KL}(\pi_\theta \Vert \pi_{\mathrm{ref}})}$", "d=√(KL(π_θ‖π_(ref)))"),
        (r"$\widetilde{O}(\sqrt{SAH^3K})$", "Õ(√(SAH³K))"),
        (r"$O(n^{-1/2})$ for $\ell_1$", "O(n^(-1/2)) for ℓ₁"),
        (r"$\mathcal{O}(\log n)$, $n\log n$, $\mathbb{R}^d$", "𝒪(log n), n log n, ℝᵈ"),
        (r"$\frac{1}{2}$, $\frac{a+1}{b}$, \frac12", "1/2, (a+1)/b, 1/2"),
        (r"$\sqrt{2}$, $\sqrt[3]{x}$, $\sqrt{x+1}$", "√2, ∛x, √(x+1)"),
        (r"$x_{i,j}$ and $n^{th}$ and $x^{2q}$", "x_(i,j) and nᵗʰ and x^(2q)"),
        (r"$90^\circ$, $x^\top$, $f^{\prime}$, A$^*$", "90°, xᵀ, f′, A*"),
        (r"$3\times 10^{-4}$, $0.5\pm 0.1$, $\sim 5$, $x\in X$", "3 × 10⁻⁴, 0.5 ± 0.1, ~5, x ∈ X"),
        (r"$\left\{ x : \|x\| \le 1 \right.$", "{ x : ‖x‖ ≤ 1"),
        (r"$\hat{\theta}$, $\bar{x}$, $\not=$", "θ̂, x̄, ≠"),
        (r"\(x^2\) and \[ y \]", "x² and y"),
        (r"$\binom{n}{k}$", "(n choose k)"),
        (r"$\mathcal{E\mkern-2mu L}$", "EL"),
        (r"$\min_{x \in X} f(x)$", "min_(x ∈ X) f(x)"),
    ],
)
def test_formulas_become_unicode(raw: str, readable: str) -> None:
    assert clean(raw) == unicodedata.normalize("NFC", readable)


@pytest.mark.parametrize(
    ("raw", "readable"),
    [
        (r"\textbf{bold} \emph{it} \textsc{Sc} {\bf b} {\em e}", "bold it Sc b e"),
        (
            r"Code at \href{this https URL}{}, see \href{https://a.b}{the page}",
            "Code at this https URL, see the page",
        ),
        (r"\href{https://a.b/c_d}{}", "https://a.b/c_d"),
        (r"\url{https://a.b/x_y~z}", "https://a.b/x_y~z"),
        (r"5\% \& \#1 \$3 a\_b \{x\}", "5% & #1 $3 a_b {x}"),
        ("pages 3--5 --- yes", "pages 3–5 — yes"),
        ("``quoted'' and `single' and don't", "“quoted” and ‘single’ and don't"),
        ("the ready set'' way, f''(x) and 5'' of arc", "the ready set” way, f''(x) and 5'' of arc"),
        ("Fig.~1, about ~5", "Fig. 1, about ~5"),
        (r"\unknown{kept} and \mymethod{} is, \foo", "kept and is, foo"),
        (r"as shown \cite{x,y} in~\cite{z}.", "as shown in."),
        (r"\textcolor{red}{warm} \footnote{note}", "warm (note)"),
        ("{BERT} and {GPT}", "BERT and GPT"),
        (r"line one\\line two", "line one line two"),
    ],
)
def test_tex_in_text_becomes_words(raw: str, readable: str) -> None:
    assert clean(raw) == readable


@pytest.mark.parametrize(
    ("raw", "readable"),
    [
        (r"Nikola Pi\v{z}urica", "Nikola Pižurica"),
        (r"Mikol\'a\v{s} Janota", "Mikoláš Janota"),
        (r"Hendrik Kra{\ss}", "Hendrik Kraß"),
        (r"Anders S{\o}gaard", "Anders Søgaard"),
        (r"S\o ren", "Søren"),
        (r"Jan Jakub\r{u}v", "Jan Jakubův"),
        (r"In\`es Blin", "Inès Blin"),
        (r"Jar{\l} W{\l}odarczyk, \'Eva Nagy-Sz\H{u}cs", "Jarł Włodarczyk, Éva Nagy-Szűcs"),
        (r"G\"odel's \'etude", "Gödel's étude"),
        (r"\'{\i}, \'\i, {\'e}, \c{c}, \v z, \^{\j}", "í, í, é, ç, ž, ĵ"),
        (r"\AA{}ngstr\"{o}m \ae \O", "Ångström æØ"),
        (r"Erd\H os and Tur\'an", "Erdős and Turán"),
    ],
)
def test_accents_become_letters(raw: str, readable: str) -> None:
    assert clean(raw) == readable


@pytest.mark.parametrize(
    "text",
    [
        "costs $5 … $10",
        "costs $5 and $10 now",
        "US$500 and A$300",
        "$2 million, then $3.5B",
        "$35,000 in total",
        "snake_case, layer_1, A_B_C and __init__",
        "https://example.org/x_y~z--w?a=1&copy=2 and www.example.org/a_b",
        "0.1<z<0.95",
        "x<y and y>z",
        "tokens <think> and <answer>",
        "a<b>c",
        "A*STAR: A_B_C [Extended] (v2)",
        "`code` ~~x~~ ||y||",
        "# not a heading",
        "1. not a list",
        "](https://example.org)",
        "{0,1}^n",
        'returns {"a": 1}',
        "run it with --help",
        "A --> B",
        "R&D at AT&T",
        "Überraschung – 北京 “quotes” 🙂 naïve",
        "👩‍🔬 and 👨‍👩‍👧",
        "C++ ^_^ 50% off",
        "0",
        "",
    ],
)
def test_what_only_looks_like_markup_stays(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("raw", "readable"),
    [
        ("A <b>bold</b> title", "A bold title"),
        ("Tom &amp;amp; Jerry", "Tom & Jerry"),
        ("Tom &amp; Jerry &#39;s &lt;think&gt;", "Tom & Jerry 's <think>"),
        ("$<a,x>=0$", "<a,x>=0"),
        ("H<sub>2</sub>O, x<sup>2</sup>", "H₂O, x²"),
        ("<p>One</p><p>two<br/>three</p>", "One two three"),
        ("<jats:p>One <jats:italic>two</jats:italic></jats:p>", "One two"),
        ('<a href="https://x.y">link</a> <!-- gone -->end', "link end"),
        ("non\u2011breaking\u00a0\u202eevil\u202c \u200bzero\x00\x1b[0m", "non-breaking evil zero [0m"),
        ("  many \n\t blanks ", "many blanks"),
        ("e\u0301tude", "étude"),
    ],
)
def test_entities_markup_and_invisible_characters_go(raw: str, readable: str) -> None:
    assert clean(raw) == readable


def test_the_feeds_hardest_title() -> None:
    raw = r"Rates of $O(n^{-1/2})$ for $\ell_1$: G\"odel's \'etude & <b>not bold</b>, 50\% off_line *star*"
    assert clean(raw) == "Rates of O(n^(-1/2)) for ℓ₁: Gödel's étude & not bold, 50% off_line *star*"


HOSTILE = r"""
{ $ \frac ^ $^ {a \' <b> <!-- ` `a _{ } a^{ \( \sqrt[ ~ &amp; \cite[ www. - <a( (( , al. Mr.A. \begin{a}
\text{ \left \hat \\ '' `` {}
"""


@pytest.mark.parametrize("piece", [*HOSTILE.split(), "$a b c ", "et al. ", ", ", "A. "])
def test_hostile_input_takes_linear_time(piece: str) -> None:
    hostile = piece * (100_000 // len(piece))
    began = time.process_time()
    cleaned = clean(hostile)
    split_authors(hostile)
    sentences(cleaned)
    is_withdrawn(cleaned, cleaned)
    assert time.process_time() - began < 3


def test_a_thousand_hostile_fragments_take_linear_time() -> None:
    """Each fragment is a tangle of its own; at ten times the length it may cost about ten times as much."""
    rng = random.Random(6)
    pieces = [
        *HOSTILE.split(),
        "$a b c ",
        "et al. ",
        ", ",
        "A. ",
        "x",
        " ",
        "}",
        "$",
        "\\frac{1}{",
        "_{",
        "]",
        ">",
    ]
    fragments = ["".join(rng.choices(pieces, k=rng.randint(5, 60))) for _ in range(1000)]

    def seconds(times: int) -> float:
        began = time.process_time()
        for fragment in fragments:
            clean(fragment * times)
        return time.process_time() - began

    once, tenfold = seconds(1), seconds(10)
    assert tenfold < 30 * max(once, 0.1)


@given(st.text(max_size=300))
def test_no_text_makes_it_raise_and_nothing_invisible_is_left(text: str) -> None:
    cleaned = clean(text)
    assert cleaned == " ".join(cleaned.split())
    assert unicodedata.is_normalized("NFC", cleaned)
    assert not re.search("[\x00-\x1f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", cleaned)
    split_authors(text)
    sentences(text)
    is_withdrawn(text, text)


@given(st.text(alphabet="\\{}$^_`'~-<>&;#%ab1 ,.()[]\"vouc", max_size=80))
def test_no_tangle_of_tex_makes_it_raise(text: str) -> None:
    assert isinstance(clean(text), str)


@given(
    st.text(
        alphabet=st.characters(categories=["L", "N"], include_characters=" .,;:!?()'\"%&/+=*"), max_size=200
    )
)
def test_plain_prose_is_clean_already(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@pytest.mark.shared
def test_no_tex_is_left_in_the_seeds() -> None:
    if not SEEDS.is_dir():
        pytest.skip("the shared seeds are not beside this checkout")
    digest = next(SEEDS.glob("002_*")).read_text(encoding="utf-8")
    entries = digests.parse(digest.encode()).entries
    assert len(entries) == 144
    shown = [text for one in entries for text in (one.paper.title, one.paper.abstract)]
    shown += [tldr(one.paper.title, one.paper.abstract) for one in entries]
    left = [found for text in shown for found in re.findall(r"\\\w*|\$\S*|[{}]|[_^]\{|``|''", text)]
    assert [found for found in left if not re.fullmatch(r"\$\d.*", found)] == []


@pytest.mark.parametrize(
    ("raw", "authors"),
    [
        ("Igor A. Zaliznyak and John M. Tranquada", [("Igor A. Zaliznyak", ""), ("John M. Tranquada", "")]),
        ("Ann Anderson, Bo Sand and Cy Andr", [("Ann Anderson", ""), ("Bo Sand", ""), ("Cy Andr", "")]),
        ("Ann Anderson, Bo Sand, and Cy Andr", [("Ann Anderson", ""), ("Bo Sand", ""), ("Cy Andr", "")]),
        (
            "Fanyi Wang (Honor), Li Na (Tsinghua University, Beijing), Ana Diaz (1 and 2)",
            [("Fanyi Wang", "Honor"), ("Li Na", "Tsinghua University, Beijing"), ("Ana Diaz", "1 and 2")],
        ),
        ("Hu (Zhejiang Leapmotor Technology Co., Ltd)", [("Hu", "Zhejiang Leapmotor Technology Co., Ltd")]),
        (" INVENT Collaboration, A. Aa", [("INVENT Collaboration", ""), ("A. Aa", "")]),
        ("INVENT Collaboration: A. Aa, B. Bb", [("INVENT Collaboration", ""), ("A. Aa", ""), ("B. Bb", "")]),
        ("Zoë Müller,  王小明", [("Zoë Müller", ""), ("王小明", "")]),
        (
            "A. B. First (1 and 2), Carla Second Jr. (2), D. van der Third ((1) Inst. of X., (2) Lab, Town)",
            [
                ("A. B. First", "Inst. of X; Lab, Town"),
                ("Carla Second Jr.", "Lab, Town"),
                ("D. van der Third", ""),
            ],
        ),
        (
            r"Ren\'e M\"uller (Universit\'e de Z\"urich), Jar{\l} W{\l}odarczyk",
            [("René Müller", "Université de Zürich"), ("Jarł Włodarczyk", "")],
        ),
        ("X Y (Dept. (Physics), U (Z)), B", [("X Y", "Dept. (Physics), U (Z)"), ("B", "")]),
        ("X (Lab) (City), B", [("X", "Lab; City"), ("B", "")]),
        ("Foo (Bar, Baz", [("Foo", "Bar"), ("Baz", "")]),
        ("Sammy Davis, Jr., Bo Diddley", [("Sammy Davis Jr.", ""), ("Bo Diddley", "")]),
        ("Anders Sandberg, Andy Land", [("Anders Sandberg", ""), ("Andy Land", "")]),
        ("Nikola Pi\\v{z}urica", [("Nikola Pižurica", "")]),
        ("", []),
        (" , ;", []),
    ],
)
def test_authors_are_told_apart_with_their_affiliations(raw: str, authors: list[tuple[str, str]]) -> None:
    assert split_authors(raw) == tuple(Author(name, affiliation) for name, affiliation in authors)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Smith et al. (2024) show it. Lee et al. Our method wins.", 3),
        ("Use it, i.e. never. See e.g. Figs. 3 and 4 of Sec. 2.", 2),
        ("We do (i) this; (ii) that. It costs 3.5 points.", 2),
        ("Methods like SFT and DAPO I. After that, J. Smith left.", 2),
        ("It grows by 1.5 vs. 2.0. iCaRL wins.", 2),
        ('He said "stop." Then he left.', 2),
        ("The U.S. Army came.", 1),
        ("Papers 2401.00001 and v2. Next.", 2),
        ("他来了。你好！Good.", ["他来了。", "你好！", "Good."]),
        ("", []),
        ("no end", ["no end"]),
    ],
)
def test_sentences(text: str, expected: list[str] | int) -> None:
    found = sentences(text)
    assert "".join(found).replace(" ", "") == text.replace(" ", "")
    assert found == expected if isinstance(expected, list) else len(found) == expected


@pytest.mark.parametrize(
    "words",
    [
        "This paper has been withdrawn by the author due to an error in Theorem 1",
        "The paper has been temporarily withdrawn",
        "This submission has been withdrawn by arXiv administrators",
        "We have withdrawn this manuscript",
        "Paper withdrawn due to a gap in the proof",
    ],
)
def test_a_withdrawal_is_seen(words: str) -> None:
    assert is_withdrawn(words)
    assert is_withdrawn("withdrawn")
    assert is_withdrawn("", "This paper has been withdrawn by the author.")


@pytest.mark.parametrize(
    "words",
    [
        "12 pages",
        "Submitted to ICLR 2025 and withdrawn",
        "withdrawn from ICML; 9 pages",
        "Withdrawn students: a survey of 12 schools",
        "Patients were withdrawn from treatment",
    ],
)
def test_other_uses_of_the_word_are_no_withdrawal(words: str) -> None:
    assert not is_withdrawn(words)
    assert not is_withdrawn("", words)
