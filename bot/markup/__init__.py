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
from bot.markup.sizes import Size, are_one_message, size_of

__all__ = [
    "Block",
    "Card",
    "Dialect",
    "Line",
    "LineKind",
    "Packed",
    "Size",
    "Span",
    "Style",
    "are_one_message",
    "dialect_for",
    "own_words",
    "pack",
    "size_of",
    "visible",
]
