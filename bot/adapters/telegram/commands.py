"""The command menus that Telegram shows while somebody types "/": one per scope and language."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass

from telegram import (
    Bot,
    BotCommand,
    BotCommandScope,
    BotCommandScopeAllChatAdministrators,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
)
from telegram.error import TelegramError

from bot.ports import CommandSpec

logger = logging.getLogger(__name__)

EVERYBODY_IN_A_GROUP: BotCommandScope = BotCommandScopeAllGroupChats()

SCOPES: tuple[BotCommandScope, ...] = (
    BotCommandScopeAllPrivateChats(),
    EVERYBODY_IN_A_GROUP,
    BotCommandScopeAllChatAdministrators(),
)


@dataclass(frozen=True, slots=True)
class Menu:
    """One menu: `language` is "" for everybody whose language has no menu of its own."""

    scope: BotCommandScope
    language: str
    commands: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """The menu's name among the remembered hashes."""
        return f"telegram:commands:{self.scope.type}:{self.language or 'default'}"

    def digest(self, bot_id: int) -> str:
        """A short text that changes when the menu or the bot does."""
        content = json.dumps([bot_id, self.commands], ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()[:16]


def menus(commands: Sequence[CommandSpec], languages: Sequence[str]) -> Iterator[Menu]:
    """Every menu; a group's members are not offered what only its administrators may do."""
    for scope in SCOPES:
        offered = [spec for spec in commands if not (spec.manages and scope is EVERYBODY_IN_A_GROUP)]
        for position, language in enumerate(languages):
            entries = tuple((spec.name, spec.summary[language]) for spec in offered)
            yield Menu(scope, "" if position == 0 else language, entries)


async def set_commands(
    bot: Bot,
    commands: Sequence[CommandSpec],
    languages: Sequence[str],
    hashes: MutableMapping[str, str],
) -> None:
    """Sets the menus that have changed since `hashes` was written, and writes it.

    A failure is logged and the next start tries again: the commands work without a menu.
    """
    for menu in menus(commands, languages):
        digest = menu.digest(bot.id)
        if hashes.get(menu.name) == digest:
            continue
        try:
            await bot.set_my_commands(
                [BotCommand(name, summary) for name, summary in menu.commands],
                scope=menu.scope,
                language_code=menu.language or None,
            )
        except TelegramError as error:
            logger.warning("Telegram: the command menu %s could not be set: %s", menu.name, error)
            return
        hashes[menu.name] = digest
