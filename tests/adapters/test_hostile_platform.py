"""Everything that a platform can do to us, at once and one after another: nobody else waits, and nothing is lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from bot.ports import PlatformStopped
from scheduler.models import DeliveryState, Platform
from tests.adapters.both_platforms import Both, Place, both_platforms
from tests.adapters.contract import eventually
from tests.fakes.discord_server import ANSWER_LOST, HANG_UP, Refused
from tests.fakes.telegram_chats import Json, Topic
from tests.patience import PATIENCE

HALF_A_DAY = 43_838
"""Seconds of the longest flood wait that was seen."""

VIA = {"Via": "1.1 google"}
PENDING, SENT = DeliveryState.PENDING, DeliveryState.SENT


@pytest.fixture
async def both(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Both]:
    async with both_platforms(monkeypatch) as stage:
        yield stage


def _id(place: Place) -> int:
    return place.group.id if isinstance(place, Topic) else place.id


class Town:
    """Chats on both platforms by what happens to them; every one is sent a digest of two parts."""

    def __init__(self, both: Both) -> None:
        self.both = both
        telegram, discord = both.telegram, both.discord
        self.calm: list[Place] = [
            telegram.user("bob").chat,
            telegram.group("Calm", ["ada"]),
            telegram.channel("Calm news", ["ada"]),
            discord.channel("calm"),
            discord.channel("calm-forum", 15),
            discord.direct("ada"),
        ]
        telegram.user("bob").chat.refusal = None
        self.forum = telegram.group("Forum", ["ada"], forum=True)
        self.hit: dict[str, Place] = {
            name: telegram.group(name, ["ada"])
            for name in "short long kicked parse too-long server before after migrating".split()
        }
        self.hit["topic"] = self.forum.topic("papers")
        self.hit |= {
            f"d-{name}": discord.channel(name)
            for name in "short long rights parse gone server before after".split()
        }
        self.new = telegram.group("migrated", ["ada"])

    def begins(self, run: str) -> None:
        """A digest waits for everybody."""
        self.keys = {name: self.both.chat(place).key for name, place in self.hit.items()}
        for name, place in self.hit.items():
            self.both.enqueue(place, f"{run} {name} 1", f"{run} {name} 2", run=run)
        for number, place in enumerate(self.calm):
            self.both.enqueue(place, f"{run} calm{number} 1", f"{run} calm{number} 2", run=run)

    def strikes(self) -> None:
        """The next part of each chat meets what its name says."""
        for name, status, text, extra in TELEGRAM:
            place = self.hit[name]
            chat = self.forum if name == "topic" else place
            self.both.telegram.refuse(_id(chat), status, text, self._extra(extra), method="sendMessage")
        for name, accepted in (("before", False), ("after", True)):
            self.both.telegram.stall(_id(self.hit[name]), accepted=accepted, method="sendMessage")
        for name, refusals in DISCORD:
            self.both.discord.refuse(*refusals, room=self.hit[f"d-{name}"])  # type: ignore[arg-type]

    def _extra(self, extra: Json | None) -> Json | None:
        return {"migrate_to_chat_id": self.new.id} if extra == {"migrate": 1} else extra

    def calm_have(self, *runs: str) -> bool:
        """True when every calm chat has all parts of these runs, in order, once."""
        return all(
            [text for text in self.both.seen(place) if " calm" in text]
            == [f"{run} calm{number} {part}" for run in runs for part in (1, 2)]
            for number, place in enumerate(self.calm)
            if _id(place) != self._forum_id
        ) and self._posts() == [[f"{run} calm4 1", f"{run} calm4 2"] for run in runs]

    @property
    def _forum_id(self) -> int:
        return _id(self.calm[4])

    def _posts(self) -> list[list[str]]:
        return [self.both.seen(post) for post in self.both.discord.posts_in(self.calm[4])]  # type: ignore[arg-type]


TELEGRAM: tuple[tuple[str, int, str, Json | None], ...] = (
    ("short", 429, "Too Many Requests: retry after 2", {"retry_after": 2}),
    ("long", 429, f"Too Many Requests: retry after {HALF_A_DAY}", {"retry_after": HALF_A_DAY}),
    ("kicked", 403, "Forbidden: bot was kicked from the supergroup chat", None),
    ("parse", 400, "Bad Request: can't parse entities: unsupported start tag", None),
    ("too-long", 400, "Bad Request: message is too long", None),
    ("topic", 400, "Bad Request: message thread not found", None),
    ("server", 502, "Bad Gateway", None),
    ("migrating", 400, "Bad Request: group chat was upgraded to a supergroup chat", {"migrate": 1}),
)

DISCORD: tuple[tuple[str, tuple[Refused, ...]], ...] = (
    ("short", (Refused(429, 20028, headers=VIA, extra={"retry_after": 0.01, "global": False}),)),
    ("long", (Refused(429, 20028, headers=VIA, extra={"retry_after": HALF_A_DAY, "global": False}),)),
    ("rights", (Refused(403, 50013),)),
    ("parse", (Refused(400, 50035),)),
    ("gone", (Refused(404, 10003),)),
    ("server", (Refused(502),) * 5),
    ("before", (HANG_UP,)),
    ("after", (ANSWER_LOST,)),
)


async def test_every_other_chat_is_served_on_time_and_nothing_is_lost(
    both: Both, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, logger="discord")
    town = Town(both)
    await _struck_at_once(both, town)
    await _mended_bit_by_bit(both, town)
    await _telegram_away(both, town)
    await _gateway_dropped(both, town)
    await _token_revoked(both, town)
    _nothing_is_lost(both, town)


async def _struck_at_once(both: Both, town: Town) -> None:
    town.begins("mon")
    town.strikes()
    started = both.now
    await both.sends()
    assert both.now == started
    assert town.calm_have("mon"), "nobody waits for another's trouble"
    moved = town.hit.pop("migrating")
    assert both.seen(moved) == []
    assert {name: both.now_is(place) for name, place in town.hit.items()} == {
        **dict.fromkeys(town.hit, ("active", "")),
        "kicked": ("gone", "kicked"),
        "topic": ("paused", "topic_gone"),
        "d-rights": ("paused", "no_rights"),
        "d-gone": ("gone", "gone_channel"),
    }
    waiting = {name: both.waits(place) for name, place in town.hit.items() if both.states(place).get(PENDING)}
    assert {name: (seconds, tries) for name, (seconds, tries, _) in waiting.items()} == {
        "short": (2, 0),
        "long": (HALF_A_DAY, 0),
        "kicked": (0, 0),
        "topic": (0, 0),
        "server": (60, 1),
        "before": (60, 1),
        "after": (60, 1),
        "d-long": (HALF_A_DAY, 0),
        "d-rights": (0, 0),
        "d-gone": (0, 0),
        "d-server": (60, 1),
        "d-before": (60, 1),
        "d-after": (60, 1),
    }
    for name in ("parse", "d-short", "d-parse"):
        assert both.seen(town.hit[name]) == [f"mon {name} 1", f"mon {name} 2"]
    (long_one, second) = town.hit["too-long"].received()  # type: ignore[union-attr]
    assert long_one.document == ("message.txt", "mon too-long 1")
    assert second.text == "mon too-long 2"
    assert both.seen(town.new) == ["mon migrating 1", "mon migrating 2"]
    assert both.chat(town.new).key == town.keys["migrating"]


async def _mended_bit_by_bit(both: Both, town: Town) -> None:
    await both.sends(seconds=2)
    assert both.seen(town.hit["short"]) == ["mon short 1", "mon short 2"]
    await both.sends(seconds=58)
    for name in ("server", "before", "d-server", "d-before", "d-after"):
        assert both.seen(town.hit[name]) == [f"mon {name} 1", f"mon {name} 2"]
    # Telegram has no key against repeats: the one whose answer was lost stands twice, and only that one.
    assert both.seen(town.hit["after"]) == ["mon after 1", "mon after 1", "mon after 2"]
    told = [shown.text.splitlines()[0] for shown in both.telegram.user("ada").received()]
    assert sorted(told) == [
        "I was removed from kicked.",
        "The topic that I posted to in papers is gone.",
    ]
    town.hit["kicked"].takes_bot_back("ada")  # type: ignore[union-attr]
    await eventually(lambda: both.now_is(town.hit["kicked"]) == ("active", ""))
    both.telegram.user("ada").presses("Use General")
    await eventually(lambda: both.store.chats.at(both.chat(town.forum).ref) is not None)
    await both.sends(seconds=HALF_A_DAY)
    assert both.seen(town.hit["kicked"]) == ["mon kicked 1", "mon kicked 2"]
    for name in ("long", "d-long"):
        assert both.seen(town.hit[name]) == [f"mon {name} 1", f"mon {name} 2"]


async def _telegram_away(both: Both, town: Town) -> None:
    """Connections are refused: Discord goes on, and what was for Telegram follows when it is back."""
    on_telegram = town.calm[:3]
    await both.telegram.stop()
    for number, place in enumerate(town.calm):
        both.enqueue(place, f"tue calm{number} 1", f"tue calm{number} 2", run="tue")
    await both.sends()
    assert all(both.states(place)[PENDING] == 2 for place in on_telegram)
    assert all(both.states(place) == {SENT: 4} for place in town.calm[3:])
    await both.telegram.start()
    await both.sends(minutes=1)
    assert town.calm_have("mon", "tue")


async def _gateway_dropped(both: Both, town: Town) -> None:
    """With and without a session to resume, sending goes on, and people are answered afterwards."""
    for run, drop in (("wed", both.discord.drop(4000)), ("thu", both.discord.order(9, False))):
        known = len(both.discord.identified) + len(both.discord.resumed)
        await drop
        for number, place in enumerate(town.calm):
            both.enqueue(place, f"{run} calm{number} 1", f"{run} calm{number} 2", run=run)
        await both.sends()
        await eventually(
            lambda known=known: len(both.discord.identified) + len(both.discord.resumed) > known  # type: ignore[misc]
        )
    assert (len(both.discord.resumed), len(both.discord.identified)) == (1, 2)
    assert town.calm_have("mon", "tue", "wed", "thu")
    room = both.discord.channel("talk")
    await both.discord.command("ada", room, "help")
    await eventually(lambda: bool(both.discord.shown_in(room)))


async def _token_revoked(both: Both, town: Town) -> None:
    """Telegram ends with a word to the operator; its parts wait for the next start, Discord goes on."""
    token, both.telegram.token = both.telegram.token, "4242:another"
    for number, place in enumerate(town.calm):
        both.enqueue(place, f"fri calm{number} 1", f"fri calm{number} 2", run="fri")
    await both.sends()
    run = both.running.pop(Platform.TELEGRAM)
    with pytest.raises(Exception, match=r"token|401"):
        await asyncio.wait_for(run, PATIENCE)
    with pytest.raises(PlatformStopped, match="PAPERBOY_TELEGRAM_TOKEN"):
        await both.adapters[Platform.TELEGRAM].run()
    assert all(both.states(place)[PENDING] == 2 for place in town.calm[:3])
    assert all(PENDING not in both.states(place) for place in town.calm[3:])
    both.telegram.token = token
    await both.connect(Platform.TELEGRAM)
    await both.sends(minutes=2)
    assert town.calm_have("mon", "tue", "wed", "thu", "fri")


def _nothing_is_lost(both: Both, town: Town) -> None:
    """All that is not sent waits for a right or a channel that is gone; no setting is lost."""
    open_parts = {name for name, place in town.hit.items() if PENDING in both.states(place)}
    assert open_parts == {"d-rights", "d-gone"}
    assert set(both.store.outbox.counts()) == {PENDING, SENT}
    assert both.now_is(town.hit["d-gone"]) == ("gone", "gone_channel")
    places: list[Place] = [*town.hit.values(), town.new, town.forum]
    seen = [text for place in places for text in both.seen(place)]
    due = [f"mon {name} {part}" for name in town.keys if name not in open_parts for part in (1, 2)]
    assert {text: seen.count(text) for text in due} == dict.fromkeys(due, 1) | {
        # Its answer was lost after Telegram had taken it.
        "mon after 1": 2,
    }
