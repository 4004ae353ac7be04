"""Invented papers and a digest of them, for the tests of rendering."""

from __future__ import annotations

from datetime import date

from scheduler.models import (
    AnnounceType,
    Author,
    Digest,
    DigestPaper,
    Match,
    Paper,
    PaperId,
    Section,
    Wording,
)

TUESDAY = date(2026, 9, 29)
MONDAY = date(2026, 9, 28)


def authors(*names: str) -> tuple[Author, ...]:
    return tuple(Author(name) for name in names)


GRADIENTS = Paper(
    id=PaperId("2609.00001"),
    version=1,
    title="Policy Gradients at Sea: Learning to Trim Sails from Sparse Rewards",
    abstract=(
        "Sailing boats see a reward only when they cross the line. We train a trimmer with reinforcement "
        "learning on 3.6k hours of simulated regattas. It beats a human crew in light wind and learns to "
        "wait for gusts."
    ),
    authors=authors("Ada Northwind", "Bo van der Zee", "Cy Andr Jr.", "Dee Lu", "Eve Ngo"),
    categories=("cs.LG", "cs.RO"),
    comments="14 pages, 3 figures",
    doi="10.1000/sea.1",
    journal_ref="J. Sail 7 (2026) 1",
)
STAR = Paper(
    id=PaperId("2609.00002"),
    version=2,
    title="A*STAR: A_B_C [Extended] (v2) & <think> 0.1<z<0.95",
    abstract="We extend A* with stars.",
    authors=(Author("Li Na", "Tsinghua University, Beijing"), Author("Ana Diaz")),
    categories=("cs.AI", "math.CO"),
)
SILENT = Paper(
    id=PaperId("hep-th/9901001"),
    version=1,
    title="On Boundaries Nobody Described",
    authors=authors("The ATLAS Collaboration"),
    categories=("hep-th",),
    withdrawn=True,
)
DIFFUSION = Paper(
    id=PaperId("2609.00003"),
    version=1,
    title="Diffusion Policies for Folding Paper Boats",
    abstract="A robot folds paper boats. Its policy is a diffusion model. It fails on wet paper.",
    authors=authors("Fay Moon", "Gil Sun"),
    categories=("cs.RO",),
)

WORDS = {
    GRADIENTS.id: {
        "en": Wording("en", tldr="A trimmer trained on simulated regattas beats a human crew in light wind."),
        "zh": Wording(
            "zh",
            title="海上的策略梯度：从稀疏奖励中学习调帆",
            tldr="在模拟帆船赛中训练的调帆策略，在小风中胜过人类船员。",
            abstract="帆船只有冲过终点线才会得到奖励。我们用强化学习训练调帆策略。",
            origin="editor",
        ),
    },
    STAR.id: {"en": Wording("en", tldr="Extends A* with stars.", origin="sample-model-1")},
    SILENT.id: {},
    DIFFUSION.id: {"en": Wording("en", tldr="A diffusion policy folds paper boats, but not wet ones.")},
}


def entry(number: int, paper: Paper, **more: object) -> DigestPaper:
    given: dict[str, object] = {
        "announce_type": AnnounceType.NEW,
        "date": TUESDAY,
        "match": Match(("title", "abstract"), ("reinforcement learning",)),
        "wordings": WORDS.get(paper.id, {}),
        **more,
    }
    return DigestPaper(number=number, paper=paper, **given)  # type: ignore[arg-type]


SAMPLE = Digest(
    dates=(TUESDAY,),
    announced=1204,
    sections=(
        Section(
            "reinforcement learning",
            '"reinforcement learning"',
            (
                entry(1, GRADIENTS, also=("sailing",)),
                entry(2, STAR, announce_type=AnnounceType.CROSS, match=Match(("abstract",), ("a star",))),
                entry(3, SILENT, late=True, date=MONDAY),
            ),
        ),
        Section("sailing", "sail*", (), also_elsewhere=1),
        Section(
            "diffusion policy",
            '"diffusion policy"',
            (entry(4, DIFFUSION, match=Match(("title",), ("diffusion policy",))),),
        ),
    ),
)


def large(count: int, title_letters: int = 90, tldr_letters: int = 400, languages: int = 1) -> Digest:
    """A digest of one section with `count` papers of many words."""
    papers = []
    for number in range(1, count + 1):
        paper = Paper(
            id=PaperId(f"2609.{number:05}"),
            version=1,
            title=(f"Paper {number} " + "word " * title_letters)[:title_letters].strip(),
            abstract="An abstract.",
            authors=authors(*(f"Ann Author{index}" for index in range(66))),
            categories=("cs.LG",),
        )
        words = {"en": Wording("en", tldr=("seven letters " * tldr_letters)[:tldr_letters])}
        if languages == 2:
            words["zh"] = Wording(
                "zh", title="中文标题" * (title_letters // 8), tldr="强化学习" * (tldr_letters // 4)
            )
        papers.append(entry(number, paper, wordings=words))
    section = Section("reinforcement learning", '"reinforcement learning"', tuple(papers))
    return Digest((TUESDAY,), 1204, (section,))
