"""What an abbreviation stands for, as papers themselves say it: "proximal policy optimization (PPO)"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from scheduler.tokens import tokens

_INTRODUCED = re.compile(r"((?:[^\W\d_]+[\s/-]+){2,8})\(([A-Z][A-Za-z-]{1,8}?)s?[),;]")
_LONGEST = 8
_KNOWN = {
    "ai": "artificial intelligence",
    "asr": "automatic speech recognition",
    "cnn": "convolutional neural network",
    "eeg": "electroencephalography",
    "gan": "generative adversarial network",
    "gnn": "graph neural network",
    "gp": "gaussian process",
    "hci": "human computer interaction",
    "hri": "human robot interaction",
    "irl": "inverse reinforcement learning",
    "lidar": "light detection and ranging",
    "llm": "large language model",
    "marl": "multi agent reinforcement learning",
    "mcts": "monte carlo tree search",
    "mdp": "markov decision process",
    "ml": "machine learning",
    "moe": "mixture of experts",
    "mpc": "model predictive control",
    "mri": "magnetic resonance imaging",
    "nlp": "natural language processing",
    "ocr": "optical character recognition",
    "ode": "ordinary differential equation",
    "pde": "partial differential equation",
    "pinn": "physics informed neural network",
    "ppo": "proximal policy optimization",
    "rag": "retrieval augmented generation",
    "rl": "reinforcement learning",
    "rlhf": "reinforcement learning from human feedback",
    "rnn": "recurrent neural network",
    "sde": "stochastic differential equation",
    "sgd": "stochastic gradient descent",
    "slam": "simultaneous localization and mapping",
    "snn": "spiking neural network",
    "ssl": "self supervised learning",
    "tts": "text to speech",
    "vae": "variational autoencoder",
    "vit": "vision transformer",
    "vla": "vision language action",
    "vlm": "vision language model",
    "vqa": "visual question answering",
}
"""For archives whose texts do not introduce them."""


def introduced(texts: Iterable[str]) -> Counter[tuple[str, str]]:
    """Pairs of an abbreviation and its words, folded, with the number of times that texts introduce them."""
    return Counter(pair for text in texts for pair in _pairs(text))


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for match in _INTRODUCED.finditer(text):
        letters = match[2].replace("-", "").lower()
        words = tokens(match[1])[-len(letters) :]
        if "".join(word[0] for word in words) == letters:
            yield letters, " ".join(words)


def spelt_out(text: str, texts: Iterable[str]) -> str:
    """The words that an abbreviation stands for, "" where `texts` and general knowledge do not say."""
    return _commonest(
        {long: n for (short, long), n in introduced(texts).items() if short == text}
    ) or _KNOWN.get(text, "")


def abbreviated(text: str, texts: Iterable[str]) -> str:
    """The abbreviation of some words, "" where `texts` and general knowledge have none."""
    folded = " ".join(tokens(text))
    found = {short: n for (short, long), n in introduced(texts).items() if long == folded}
    known = (short for short, long in _KNOWN.items() if " ".join(tokens(long)) == folded)
    return _commonest(found) or next(known, "")


def _commonest(counted: dict[str, int]) -> str:
    return max(counted, key=lambda text: counted[text], default="")
