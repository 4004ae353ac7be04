"""Formatted text as values, and the only place that knows escaping and lengths.

A `Span` is a run of text in one style; a `Line` is spans; a `Block` is lines that belong together (one
paper, one header) and is split only when it alone exceeds a limit. A `Dialect` writes them for one platform;
`pack()` splits blocks into messages, each within the platform's limit.

    blocks ─ tidy ─ split where too long ─ write in the dialect ─▶ Packed (cards, plain)
"""

from bot.markup.blocks import Block, Card, Line, LineKind, Packed, Span, Style
from bot.markup.dialects import Dialect
from bot.markup.letters import own_words
from bot.markup.packing import dialect_for, pack, visible

__all__ = [
    "Block",
    "Card",
    "Dialect",
    "Line",
    "LineKind",
    "Packed",
    "Span",
    "Style",
    "dialect_for",
    "own_words",
    "pack",
    "visible",
]
