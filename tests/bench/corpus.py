"""Synthetic papers and subscriptions: words of our own in the proportions of real abstracts, always the same."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import accumulate

from scheduler.errors import QueryError
from scheduler.models import Author, Paper, PaperId, Wording
from scheduler.query import parse

COMMON = """
    the of and to a in we is for that with on our are by this as from model learning an which can method data
    these be show propose policy or at results training performance it language reward task approach have
    reinforcement robot agent based using network problem between such more than new while their most also
    across study framework under existing not both state large deep time algorithm system human control
    optimization environment each however without over work multi-agent different image graph further better
    process structure distribution value search world paper space dynamic vision attention sample action
    transformer function optimal efficient evaluate planning diffusion generation semantic inference benchmark
    exploration representation uncertainty safe prompt decision field query token memory gradient feature
    pretraining fine-tuning long-horizon low-rank offline online real-world end-to-end feedback scale bound
    theory quantum particle galaxy spectrum symmetry lattice boundary equation stochastic random variable
    manifold tensor kernel convex regret bandit game equilibrium market risk causal treatment clinical protein
    molecule material surface cell tissue gene climate ocean energy power grid vehicle traffic trajectory
    camera depth motion speech audio music text translation dialogue question answer retrieval document code
    program compiler hardware latency memory-bound throughput privacy attack defense robust adversarial noise
    signal channel antenna wireless sensor cloud edge federated client server database index stream RL LLM
    GPU CNN VLA RLHF GAN 3D C++ survey tutorial dataset open-source state-of-the-art zero-shot few-shot
""".split()
ENDINGS = ("s", "", "", "", "", "", "s", "")
CHINESE = """
    的 我们 强化学习 模型 方法 和 在 提出 策略 任务 数据 训练 学习 机器人 通过 智能体 语言 实验 结果 表明 性能 基于
    框架 优化 问题 现有 视觉 奖励 环境 生成 扩散 推理 规划 控制 人类 图像 能力 系统 研究 算法 多 大型 语言模型 表示
    注意力 世界 动态 探索 不确定性 安全 反馈 决策 量子 材料 蛋白质 分子 临床 气候 能源 网络 隐私 鲁棒性 检索 翻译
""".split()
SYLLABLES = "ka lo mi ren tor va shi du pel qua nor bis fe zan cu wex li gro ath mon dry sel ip uro".split()
CATEGORIES = (
    *(
        "cs.LG",
        "cs.LG",
        "cs.LG",
        "cs.AI",
        "cs.AI",
        "cs.CV",
        "cs.CV",
        "cs.CL",
        "cs.RO",
        "cs.CR",
        "cs.SE",
        "stat.ML",
    ),
    *("math.OC", "math.PR", "quant-ph", "astro-ph.GA", "hep-th", "cond-mat.str-el", "q-bio.NC", "eess.SY"),
)
FAMILY_NAMES = (
    "Zhang Li Wang Chen Müller Rossi Tanaka Kim Singh Silva Novak Smith Okafor Haddad Sørensen".split()
)
RARE_WORDS = 30_000
FUNCTION_WORDS = 24
"""So many words at the head of COMMON carry no topic."""


class Words:
    """Draws words the way texts do: the n-th most common one about 1/n as often as the first."""

    def __init__(self, seed: int, *, skipped: int = 0) -> None:
        self.random = random.Random(seed)
        names = random.Random(0)
        rare = ("".join(names.choices(SYLLABLES, k=names.randint(2, 4))) for _ in range(RARE_WORDS))
        self.words = list(dict.fromkeys([*COMMON, *rare]))[skipped:]
        self._weights = list(accumulate(1 / (place + skipped + 3) for place in range(len(self.words))))
        self._chinese_weights = list(accumulate(1 / (place + 3) for place in range(len(CHINESE))))

    def some(self, count: int) -> list[str]:
        """`count` words, some of them in the plural."""
        drawn = self.random.choices(self.words, cum_weights=self._weights, k=count)
        return [word + self.random.choice(ENDINGS) if word.islower() else word for word in drawn]

    def different(self, count: int) -> list[str]:
        """`count` words that are not the same."""
        while len(set(drawn := self.some(count))) < count:
            pass
        return drawn

    def chinese(self, count: int) -> str:
        """`count` Chinese words without a blank."""
        return "".join(self.random.choices(CHINESE, cum_weights=self._chinese_weights, k=count))

    def sentences(self, count: int) -> str:
        """About `count` words in sentences."""
        drawn = self.some(count)
        for place in range(17, count, 18):
            drawn[place] += "."
        return " ".join(drawn)


def papers(count: int, seed: int = 1) -> Iterator[Paper]:
    """`count` papers with titles of about 10 and abstracts of about 170 words (1.2 kB)."""
    words = Words(seed)
    choose = words.random
    for number in range(count):
        authors = [
            Author(f"{word.title()} {choose.choice(FAMILY_NAMES)}")
            for word in words.some(choose.randint(1, 6))
        ]
        yield Paper(
            PaperId(f"{2001 + number // 90_000:04}.{number % 90_000 + 10_000:05}"),
            1,
            " ".join(words.some(choose.randint(6, 14))),
            words.sentences(choose.randint(120, 220)),
            tuple(authors),
            tuple(dict.fromkeys(choose.choices(CATEGORIES, k=choose.randint(1, 3)))),
        )


def bilingual_papers(count: int, seed: int = 1) -> list[tuple[Paper, dict[str, Wording]]]:
    """`count` papers with Chinese titles and abstracts (about 500 characters)."""
    words = Words(seed + 1)
    return [
        (paper, {"zh": Wording("zh", words.chinese(10), "", words.chinese(250))})
        for paper in papers(count, seed)
    ]


def queries(count: int, seed: int = 2) -> list[str]:
    """`count` different queries as people keep them: words, phrases, alternatives, exclusions, categories, names.

    Nobody follows "the": the commonest words are left out.
    """
    words = Words(seed, skipped=FUNCTION_WORDS)
    found: dict[str, None] = {}
    while len(found) < count:
        with suppress(QueryError):  # some contradict themselves: training -trainings
            found[parse(_query(words)).canonical] = None
    return list(found)


def _query(words: Words) -> str:
    kind = words.random.choices(range(8), weights=(30, 30, 14, 8, 8, 4, 3, 3))[0]
    if kind == 7:
        return words.chinese(words.random.randint(1, 2))
    one, two, three = words.different(3)
    forms = (
        one,
        f'"{one} {two}"',
        f"{one} {two}",
        f'"{one} {two}" OR {three}',
        f"{one} -{two}",
        f"{one} cat:{words.random.choice(CATEGORIES)}",
        f"au:{words.random.choice(FAMILY_NAMES)} {one}",
    )
    return forms[kind]


def subscriptions(count: int, distinct: Sequence[str], seed: int = 3) -> list[str]:
    """The queries of `count` subscriptions: every one of `distinct` once, the first ones many times more."""
    choose = random.Random(seed)
    weights = list(accumulate(1 / (place + 3) for place in range(len(distinct))))
    return [
        *distinct[:count],
        *choose.choices(distinct, cum_weights=weights, k=max(0, count - len(distinct))),
    ]
