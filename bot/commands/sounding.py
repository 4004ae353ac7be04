"""Whether a chat's digests come with a sound, as /settings shows and changes it. They come quietly unless asked."""

from __future__ import annotations

from dataclasses import replace

from bot.commands.visit import Visit, action
from bot.ports import Button
from scheduler.models import Chat

_WORDS = {"on": True, "yes": True, "开": True, "off": False, "no": False, "关": False}


def changed(chat: Chat, value: str) -> Chat | None:
    """The chat with its sound on or off, None for any other word."""
    sound = _WORDS.get(value.casefold())
    return replace(chat, sound=sound) if sound is not None else None


def words(visit: Visit) -> str:
    """How digests come now."""
    t = visit.t
    return t("Digests come with a sound.") if visit.chat.sound else t("Digests come without a sound.")


def button(visit: Visit) -> Button:
    """The other way."""
    t, turned = visit.t, "off" if visit.chat.sound else "on"
    label = t("Without a sound") if visit.chat.sound else t("With a sound")
    return Button(label, action(visit, "set", "sound", turned))
