"""What all tests share: Hypothesis never judges by the clock, which on a busy machine fails what is right."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("paperboy", deadline=None)
settings.load_profile("paperboy")
