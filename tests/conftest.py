"""What all tests share: nothing is judged by the clock, which on a busy machine fails what is right."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import settings

from tests.patience import PATIENCE

settings.register_profile("paperboy", deadline=None)
settings.load_profile("paperboy")


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """simcord gives a bot five seconds to come to rest, which a busy machine may exceed."""
    for test in items:
        if "simcord_env" in getattr(test, "fixturenames", ()):
            test.add_marker(pytest.mark.simcord(settle_timeout=PATIENCE))
