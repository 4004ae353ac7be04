"""The names of the sources beside arXiv, and what counts as the address of a feed."""

from __future__ import annotations

from urllib.parse import urlsplit

PREPRINT_SERVERS = ("biorxiv", "medrxiv")
HUGGINGFACE = "huggingface"
SOURCES = (*PREPRINT_SERVERS, HUGGINGFACE)
"""What PAPERBOY_SOURCES may name; `src:` finds their papers by the same names."""


def is_web_address(text: str) -> bool:
    """True for an http or https address with a host."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False
