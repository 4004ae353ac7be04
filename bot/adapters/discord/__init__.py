"""Discord through discord.py: the gateway in, REST out.

interaction ─ asking ─▶ Request ─ answer ─▶ Reply ─ answering ─▶ messages
outbox ─ Part ─ messages ─▶ POST /channels/{id}/messages ─ outcomes ─▶ Outcome
"""

from bot.adapters.discord.adapter import DiscordAdapter

__all__ = ["DiscordAdapter"]
