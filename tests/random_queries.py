"""Hypothesis strategies: papers and queries made of the same few awkward words, so that they often meet."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from hypothesis import strategies as st

from scheduler.models import Author, Paper, PaperId, Wording

DAYS = (date(2026, 9, 28), date(2026, 9, 29))
LATIN = [
    "RL",
    "RL's",
    "rl",
    "RLHF",
    "policy",
    "policies",
    "Policies",
    "world",
    "model",
    "models",
    "multi-agent",
    "multiagent",
    "multi",
    "agent",
    "agents",
    "fine-tuning",
    "finetuning",
    "fine",
    "tuning",
    "state-of-the-art",
    "C++",
    "c++",
    "C#",
    ".NET",
    "CI/CD",
    "ci",
    "cd",
    "cicd",
    "3D",
    "H₂",
    "h2",
    "2.5",
    "5-10",
    "v1.5",
    "Søgaard",
    "sogaard",
    "café",
    "naïve",
    "O'Brien",
    "don't",
    "the",
    "a",
    "and",
    "or",
    "not",
    "encoder/decoder",
    "text-to-speech",
    "text",
    "to",
    "speech",
    "a-b/c-d",
    "GPT-4",
    "e.g.",
    "analysis",
    "analyses",
    "bias",
    "transformers",
    "transform",
    "α-divergence",
    "β",
    "straße",
    "İstanbul",
    "ﬁne",
    "rock'n'roll",
    "c/c++",
    "x²-y",
    "NEAR",
    "2609.00001",
    "hep-th",
    "cs.LG",
    "ti",
    "au",
    '"quoted"',
    "(RL)",
    "self-play/co-play",
    "½",
    "ǆ",
    "Å",
    "ſ",
]
EASTERN = [
    "强化学习",
    "强化",
    "学习",
    "化学",
    "量子化学",
    "強化學習",
    "深度强化学习",
    "策略",
    "多智能体",
    "世界模型",
    "ディープ",
    "ラーニング",
    "がんばる",
    "한국어",
    "한국",
    "мир",
    "Миру",
    "λόγος",
    "λογος",
    "हिन्दी",
    "々",
    "〇",
    "强化学习RL",
]
ODD = ["🤖", "—", "'", "-", "/", "\u00ad", "\u200b", "*", "$", "\\", "\x00", "\ud800", "\u0301", "ʼ", "…"]
NAMES = [
    "Wei",
    "Zhang",
    "Zhang,",
    "Wei-Lun",
    "Søgaard",
    "Sogaard",
    "Anders",
    "A.",
    "B.",
    "Jean-Pierre",
    "Serre",
    "O'Brien",
    "van",
    "der",
    "Waals",
    "张伟",
    "张",
    "伟",
    "Rogers",
    "Roger",
    "Li",
]
CATEGORIES = (
    "cs.LG",
    "cs.SY",
    "eess.SY",
    "math.IT",
    "cs.IT",
    "stat.ML",
    "hep-th",
    "cond-mat.str-el",
    "q-bio.NC",
)
IDS = ("2609.00001", "2609.00002", "hep-th/9901001", "doi:10.1101/2026.01.02", "url:https://x.org/ü (1)")
GAPS = (" ", " ", " ", " ", "-", "/", "", ", ", "\n", " . ", "'")

word = st.sampled_from([*LATIN, *EASTERN]) | st.sampled_from(ODD)


@st.composite
def prose(draw: st.DrawFn, most: int = 12) -> str:
    """Words with odd things between them."""
    parts = draw(st.lists(st.tuples(word, st.sampled_from(GAPS)), max_size=most))
    return "".join(part for pair in parts for part in pair)


@st.composite
def name(draw: st.DrawFn) -> str:
    """A person's name."""
    return " ".join(draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4)))


@st.composite
def paper_with_words(draw: st.DrawFn) -> tuple[Paper, Mapping[str, Wording]]:
    """A paper and what is said of it in Chinese and English, any of it empty."""
    paper = Paper(
        PaperId(draw(st.sampled_from(IDS))),
        1,
        draw(prose(6)),
        draw(prose()),
        tuple(Author(each) for each in draw(st.lists(name(), max_size=3))),
        tuple(draw(st.lists(st.sampled_from(CATEGORIES), max_size=3, unique=True))),
        draw(st.sampled_from(("arxiv", "bioRxiv", "my feed"))),
    )
    chinese = Wording("zh", draw(prose(4)), draw(prose(3)), draw(prose(6)))
    english = Wording("en", "", draw(prose(4)), "")
    return paper, draw(
        st.sampled_from(({}, {"zh": chinese}, {"en": english}, {"zh": chinese, "en": english}))
    )


TEXT_FIELDS = ("", "", "", "", "", "ti:", "abs:", "title:", "all:")
FIXED = (
    *(f"cat:{category}" for category in CATEGORIES),
    *("cat:cs", "cat:cs*", "cat:cs.*", "cat:cs.L*", "cat:cs.LG,hep-th", "cat:math-ph"),
    *(f'id:"{each}"' for each in IDS),
    *("src:arxiv", "src:biorxiv", 'src:"my feed"', "10.1101/2026.01.02", "arXiv:2609.00002v3"),
)
LIMITS = (
    *(
        "",
        "",
        "",
        "",
        "",
        " since:2026-09-29",
        " until:2026-09-28",
        " on:2026-09-28",
        " since:1d",
        " on:2026-09",
    ),
    *(" on:0d", " sort:relevance", " since:2w sort:relevance"),
)
_written_word = st.sampled_from([*LATIN, *EASTERN])
_written_words = st.lists(_written_word, min_size=1, max_size=4).map(" ".join)
_field = st.sampled_from(TEXT_FIELDS)


@st.composite
def _words_term(draw: st.DrawFn) -> str:
    form = draw(st.sampled_from(("{}", "{}", "{}*", '"{}"', '"{}"', '"{}*"')))
    return draw(_field) + form.format(draw(_written_words if '"' in form else _written_word))


@st.composite
def _author_term(draw: st.DrawFn) -> str:
    form = draw(st.sampled_from(('au:"{}"', 'au:"{}"', 'au:"{}*"', "author:{}")))
    return form.format(draw(name()))


_term = st.one_of(_words_term(), _words_term(), _words_term(), _author_term(), st.sampled_from(FIXED))


@st.composite
def query_text(draw: st.DrawFn) -> str:
    """A text that is mostly a readable query."""
    text = draw(_term)
    for _ in range(draw(st.integers(0, 4))):
        form = draw(
            st.sampled_from(("{} {}", "{} OR {}", "{} AND {}", "{} | {}", "{} -{}", "{} NOT {}", "({}) {}"))
        )
        parts = (text, draw(_term)) if draw(st.booleans()) else (draw(_term), f"({text})")
        text = form.format(*parts)
    return draw(st.sampled_from(("{}", "{}", "{}", "ti:({})"))).format(text) + draw(st.sampled_from(LIMITS))


SIGNS = [
    "(",
    ")",
    '"',
    "“",
    "”",
    "*",
    "-",
    "--",
    "|",
    "||",
    "AND",
    "OR",
    "NOT",
    "ANDNOT",
    "&&",
    "ti:",
    "au:",
    "cat:",
    "id:",
    "src:",
    "all:",
    "since:",
    "until:",
    "on:",
    "sort:",
    "order:",
    "co:",
    "7d",
    "2026-09-29",
    "2026-13-01",
    "relevance",
    ",",
    ".",
    ":",
    ";",
    "/",
    "\\",
    "$",
    "$H_2$",
    "\\emph{x}",
    "+",
    "#",
    "🤖",
    "a",
    "ab",
    "abc",
    "RL",
    "强化学习",
    "化",
    "\x00",
    "�",
    "ａｂｃ",
    "（",
    "）",
    "「",
    "」",
]
_signs = st.sampled_from(SIGNS)


@st.composite
def query_noise(draw: st.DrawFn) -> str:
    """A text that is mostly no query."""
    if draw(st.booleans()):
        return draw(st.text(max_size=60))
    signs = draw(st.lists(_signs, max_size=draw(st.sampled_from((4, 14, 90)))))
    text = draw(st.sampled_from(("", " "))).join(signs)
    return draw(query_text()) + text if draw(st.booleans()) else text
