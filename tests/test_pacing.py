"""No span of time sees more messages than a platform allows, and none waits longer than it must."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.pacing import Pace
from scheduler.models import Chat, ChatKind, Platform
from tests.builders import chat_in, memory_store

STORE = memory_store()
MOMENTS = st.lists(st.floats(0, 5), min_size=1, max_size=120).map(lambda gaps: list(accumulate(gaps)))


def chat(name: str, kind: ChatKind = ChatKind.PRIVATE, platform: Platform = Platform.TELEGRAM) -> Chat:
    return chat_in(STORE, f"{name} {kind}", kind=kind, platform=platform)


def most_within(moments: list[float], seconds: float) -> int:
    """The most of these moments that lie in one half-open span."""
    return max(sum(start <= one < start + seconds - 1e-6 for one in moments) for start in moments)


@pytest.mark.parametrize(
    ("kind", "seconds", "limit"),
    [(ChatKind.PRIVATE, 1, 1), (ChatKind.GROUP, 60, 20), (ChatKind.CHANNEL, 60, 20)],
)
@given(moments=MOMENTS)
def test_one_chat_gets_no_more_than_it_may(
    kind: ChatKind, seconds: float, limit: int, moments: list[float]
) -> None:
    pace, one = Pace(), chat("one", kind)
    left = [moment + pace.wait(one, moment) for moment in moments]
    assert left == sorted(left)
    assert most_within(left, seconds) <= limit


@pytest.mark.parametrize(("platform", "limit"), [(Platform.TELEGRAM, 30), (Platform.DISCORD, 50)])
@given(moments=MOMENTS.map(lambda moments: [one / 20 for one in moments]))
def test_a_platform_gets_no_more_than_it_may(platform: Platform, limit: int, moments: list[float]) -> None:
    pace = Pace()
    left = [
        moment + pace.wait(chat(f"reader {n}", platform=platform), moment) for n, moment in enumerate(moments)
    ]
    assert most_within(left, 1.0) <= limit


def test_a_fan_out_keeps_up_with_the_platform() -> None:
    pace = Pace()
    last = max(pace.wait(chat(f"reader {n}"), 0.0) for n in range(290))
    assert last <= 10.0


def test_a_chat_tells_when_its_next_place_is_free() -> None:
    pace, one, group = Pace(), chat("one"), chat("one", ChatKind.GROUP)
    assert pace.cooldown(one, 0.0) == 0.0
    assert pace.wait(one, 0.0) == 0.0
    assert pace.cooldown(one, 0.25) == pytest.approx(0.75)
    assert pace.wait(group, 1.0) == 0.0
    assert pace.cooldown(group, 1.0) == 0.0
