"""How one chat wants to see papers."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.locale import Translator, translator
from scheduler.models import PaperId, Platform

START_LIMIT = 64
"""Letters of a Telegram deep link's `start` value (core.telegram.org/bots/features#deep-linking)."""


@dataclass(frozen=True, slots=True)
class View:
    """`lang` is the interface's language, `content` what papers are shown in ("en", "zh" or "both").

    `zone` is an IANA zone. `start_link` is the beginning of an address that opens a private talk with the bot
    (`https://t.me/name?start=`), "" where there is none.
    """

    lang: str
    content: str
    zone: str
    platform: Platform
    start_link: str = ""

    @property
    def t(self) -> Translator:
        """The translator for the interface's language."""
        return translator(self.lang)

    @property
    def languages(self) -> tuple[str, ...]:
        """What papers are shown in, in order: ("en",), ("zh",) or ("en", "zh")."""
        return ("en", "zh") if self.content == "both" else (self.content,)

    def local(self, moment: datetime) -> datetime:
        """An aware moment on the chat's own clock."""
        return moment.astimezone(ZoneInfo(self.zone))

    def card_url(self, paper_id: PaperId) -> str:
        """The address that opens a paper's card in private, "" where there is none; see `started_paper`."""
        token = self.start_value(paper_id)
        return f"{self.start_link}{token}" if self.start_link and token else ""

    @staticmethod
    def start_value(paper_id: PaperId) -> str:
        """What /start gets to open a paper's card, "" for an id that is too long for it; see `started_paper`."""
        token = "p" + urlsafe_b64encode(paper_id.encode()).decode().rstrip("=")
        return token if len(token) <= START_LIMIT else ""

    @staticmethod
    def started_paper(token: str) -> PaperId | None:
        """The paper that `start_value` stands for, None for any other value."""
        if not token.startswith("p"):
            return None
        try:
            return PaperId(urlsafe_b64decode(token[1:] + "=" * (-len(token[1:]) % 4)).decode())
        except ValueError:
            return None
