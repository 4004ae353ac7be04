"""The contract of every adapter, for Telegram: the real library against the fake server."""

from __future__ import annotations

import pytest

from tests.adapters.contract import AdapterContract, Harness
from tests.adapters.telegram_harness import TelegramHarness

pytestmark = pytest.mark.filterwarnings("ignore:.*retry_after:telegram.warnings.PTBDeprecationWarning")


class TestTelegramContract(AdapterContract):
    """Every promise of `AdapterContract`."""

    @pytest.fixture
    def harness(self) -> Harness:
        return TelegramHarness()
