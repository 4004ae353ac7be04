"""How fast deliveries may leave: per chat, and for everything on one platform. Pure; time is given."""

from __future__ import annotations

from dataclasses import dataclass, field

from scheduler.models import Chat, ChatKind, Platform


@dataclass(frozen=True, slots=True)
class Rate:
    """`count` messages per `seconds`, evenly, but `burst` of them at once if need be.

    No span of `seconds` ever sees more than `count + burst` of them.
    """

    count: float
    seconds: float
    burst: int = 1


EVERYTHING = {Platform.TELEGRAM: Rate(29, 1), Platform.DISCORD: Rate(45, 1, burst=5)}
"""Telegram bots FAQ: about 30 messages a second. Discord rate limits: 50 requests a second for one bot."""

ONE_CHAT = {
    (Platform.TELEGRAM, ChatKind.PRIVATE): Rate(1, 1),
    (Platform.TELEGRAM, ChatKind.GROUP): Rate(15, 60, burst=5),
    (Platform.TELEGRAM, ChatKind.CHANNEL): Rate(15, 60, burst=5),
}
"""Telegram bots FAQ: one message a second in a chat, 20 a minute in a group. Discord's own library paces channels."""


@dataclass(slots=True)
class _Bucket:
    """When the place of the newest send counts no more; a send is due when a place in the burst is free."""

    rate: Rate
    free_at: float = 0.0

    def reserve(self, now: float) -> float:
        """Seconds to wait for the place that this call takes (generic cell rate algorithm)."""
        start = max(self.free_at, now)
        self.free_at = start + self.rate.seconds / self.rate.count
        return max(0.0, start - self._burst - now)

    def left(self, now: float) -> float:
        """Seconds until a place is free."""
        return max(0.0, self.free_at - self._burst - now)

    @property
    def _burst(self) -> float:
        return self.rate.seconds / self.rate.count * (self.rate.burst - 1)


@dataclass(slots=True)
class Pace:
    """The state of all buckets. `wait(chat, now)` takes a place and says how long to wait for it, in seconds."""

    _platforms: dict[Platform, _Bucket] = field(default_factory=dict)
    _chats: dict[int, _Bucket] = field(default_factory=dict)

    def wait(self, chat: Chat, now: float) -> float:
        """Seconds (monotonic clock `now`) until a message to `chat` may leave; its place is taken."""
        wait = 0.0
        if (rate := EVERYTHING.get(chat.ref.platform)) is not None:
            wait = self._platforms.setdefault(chat.ref.platform, _Bucket(rate)).reserve(now)
        if (rate := ONE_CHAT.get((chat.ref.platform, chat.kind))) is not None:
            wait = max(wait, self._chats.setdefault(chat.key, _Bucket(rate)).reserve(now + wait) + wait)
        if len(self._chats) > 10_000:  # Of no use any more are those that could send at once.
            self._chats = {key: bucket for key, bucket in self._chats.items() if bucket.free_at > now}
        return wait

    def cooldown(self, chat: Chat, now: float) -> float:
        """Seconds until the chat's own next place is free, without taking it."""
        bucket = self._chats.get(chat.key)
        return bucket.left(now) if bucket is not None else 0.0
