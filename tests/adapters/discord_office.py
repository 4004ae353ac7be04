"""What stands behind a Discord adapter in tests: commands, answers, and everything that it was told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bot.adapters.discord import DiscordAdapter
from bot.markup import Block, Line, Span
from bot.ports import CommandSpec, Gone, Moved, Parameter, Paused, Reply, Request, Suggestion
from scheduler.models import ChatRef

QUERY = Parameter("query", {"en": "Words to look for", "zh": "要找的词"}, required=True, suggests=True)

COMMANDS = (
    CommandSpec("search", {"en": "Search every paper seen", "zh": "搜索所有论文"}, (QUERY,)),
    CommandSpec("subscribe", {"en": "Follow a search", "zh": "订阅一个搜索"}, (QUERY,), manages=True),
    CommandSpec("unsubscribe", {"en": "End one", "zh": "取消订阅"}, (QUERY,), manages=True),
    CommandSpec("subscriptions", {"en": "What is followed", "zh": "已有的订阅"}),
    CommandSpec(
        "schedule",
        {"en": "When the digest comes", "zh": "推送时间"},
        (
            Parameter("time", {"en": "HH:MM", "zh": "时:分"}),
            Parameter("zone", {"en": "Time zone", "zh": "时区"}, suggests=True),
        ),
    ),
    CommandSpec("feed", {"en": "A channel's feed", "zh": "频道推送"}, (Parameter("where", {"en": "here"}),)),
)


def said(*texts: str) -> tuple[Block, ...]:
    """One block with one line per text."""
    return (Block(tuple(Line((Span(text),)) for text in texts)),)


@dataclass
class Office:
    """Answers by action or command, suggestions, and what was asked and told."""

    replies: dict[str, Reply] = field(default_factory=dict)
    suggestions: tuple[Suggestion, ...] = ()
    requests: list[Request] = field(default_factory=list)
    completions: list[tuple[Request, str]] = field(default_factory=list)
    standings: list[tuple[ChatRef, Gone | Paused | Moved | None]] = field(default_factory=list)
    memory: dict[str, str] = field(default_factory=dict)
    fails: bool = False

    async def answer(self, request: Request) -> Reply:
        """The reply for the request's action or command; "ok" where none is set."""
        self.requests.append(request)
        if self.fails:
            raise RuntimeError("as this test wants")
        return self.replies.get(request.action or request.command, Reply(said("ok")))

    async def suggest(self, request: Request, parameter: str) -> tuple[Suggestion, ...]:
        """The suggestions, whatever is asked."""
        self.completions.append((request, parameter))
        if self.fails:
            raise RuntimeError("as this test wants")
        return self.suggestions

    async def standing(self, chat: ChatRef, standing: Gone | Paused | Moved | None) -> None:
        """Remembers what a chat is said to be."""
        self.standings.append((chat, standing))

    def adapter(
        self,
        *,
        token: str = "not-a-token",
        api_url: str = "https://discord.com/api/v10",
        gateway_url: str = "",
        commands: tuple[CommandSpec, ...] = COMMANDS,
        **sharding: Any,
    ) -> DiscordAdapter:
        """An adapter in front of this office."""
        return DiscordAdapter(
            token=token,
            api_url=api_url,
            gateway_url=gateway_url,
            answer=self.answer,
            suggest=self.suggest,
            commands=commands,
            standing=self.standing,
            memory=self.memory,
            **sharding,
        )
