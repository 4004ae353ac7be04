"""Papers in any chat ("@bot words"): the list that Telegram shows above the keyboard."""

from __future__ import annotations

import logging

from telegram import InlineQuery, InlineQueryResultArticle, InlineQueryResultsButton, InputTextMessageContent
from telegram.error import TelegramError

from bot.adapters.telegram.posting import NO_PREVIEW, markup_of, text_of
from bot.ports import InlineCard, InlineCards

logger = logging.getLogger(__name__)

KEPT_SECONDS = 300
"""How long Telegram may show the same list for the same words; a day's papers come once a day."""


async def answer_inline(query: InlineQuery, found: InlineCards) -> None:
    """Shows a page of cards; a list that comes too late (the next letter was typed) is no trouble."""
    button = InlineQueryResultsButton(found.note, start_parameter=found.start) if found.note else None
    try:
        await query.answer(
            [_article(card) for card in found.cards],
            next_offset=found.next_offset,
            cache_time=KEPT_SECONDS,
            is_personal=True,
            button=button,
        )
    except TelegramError as error:
        logger.info("a list of papers could not be shown: %s", error)


def _article(card: InlineCard) -> InlineQueryResultArticle:
    text, mode = text_of(card.part)
    return InlineQueryResultArticle(
        card.key,
        card.title,
        InputTextMessageContent(text, parse_mode=mode, link_preview_options=NO_PREVIEW),
        reply_markup=markup_of(card.part.keyboard),
        description=card.description,
    )
