"""The contract suite that every adapter passes, and each adapter's own tests."""

import pytest

pytest.register_assert_rewrite("tests.adapters.contract")
