"""Telegram through python-telegram-bot: long polling in, one API call per part out.

update ─ updates ─▶ Request ─ answer ─▶ Reply ─ posting ─▶ messages
outbox ─ Part ─ posting ─▶ the Bot API ─ outcomes ─▶ Outcome
"""

from bot.adapters.telegram.adapter import TelegramAdapter

__all__ = ["TelegramAdapter"]
