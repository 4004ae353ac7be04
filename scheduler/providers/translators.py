"""Translation services that are paid by the character: DeepL, Google and LibreTranslate.

DeepL: developers.deepl.com, "Translate text" (POST /v2/translate). Google: Cloud Translation Basic v2 (POST
/language/translate/v2). LibreTranslate: its README (POST /translate with a list of texts).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from scheduler.enrich import answers
from scheduler.enrich.budget import Amount, characters
from scheduler.enrich.wishes import Part, Wish
from scheduler.errors import ProviderRefused
from scheduler.providers.calling import Caller, read_json, said
from scheduler.providers.port import Answer


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one kind of service is spoken to. `usual_url` says where it is for a key."""

    title: str
    path: str
    usual_url: Callable[[str], str]
    headers: Callable[[str], Mapping[str, str]]
    body: Callable[[Sequence[str], str], Mapping[str, Any]]
    texts: Callable[[Any], list[str]]


def _deepl_url(key: str) -> str:
    """Keys of the free plan end with ":fx" and have an address of their own."""
    return "https://api-free.deepl.com" if key.endswith(":fx") else "https://api.deepl.com"


DEEPL = Dialect(
    "DeepL",
    "/v2/translate",
    _deepl_url,
    lambda key: {"Authorization": f"DeepL-Auth-Key {key}"},
    lambda texts, key: {"text": list(texts), "source_lang": "EN", "target_lang": "ZH-HANS"},
    lambda told: [one["text"] for one in told["translations"]],
)
GOOGLE = Dialect(
    "Google Translate",
    "/language/translate/v2",
    lambda key: "https://translation.googleapis.com",
    lambda key: {"X-Goog-Api-Key": key},
    lambda texts, key: {"q": list(texts), "source": "en", "target": "zh-CN", "format": "text"},
    lambda told: [one["translatedText"] for one in told["data"]["translations"]],
)
LIBRETRANSLATE = Dialect(
    "LibreTranslate",
    "/translate",
    lambda key: "https://libretranslate.com",
    lambda key: {},
    lambda texts, key: (
        {"q": list(texts), "source": "en", "target": "zh", "format": "text"}
        | ({"api_key": key} if key else {})
    ),
    lambda told: told["translatedText"] if isinstance(told["translatedText"], list) else [],
)
DIALECTS = {"deepl": DEEPL, "google": GOOGLE, "libretranslate": LIBRETRANSLATE}


class Translator:
    """One translation service, from English to Simplified Chinese. `price` is money per million characters."""

    kind = "translator"
    version = "1"
    learns = False

    def __init__(
        self, caller: Caller, dialect: Dialect, *, price: Decimal, parts: Mapping[str, tuple[Part, ...]]
    ) -> None:
        self.name = dialect.title
        self.parts = parts
        self._caller = caller
        self._dialect = dialect
        self._price = price

    async def close(self) -> None:
        """Close the connections."""
        await self._caller.close()

    def most(self, wish: Wish, defects: Sequence[str] = ()) -> Amount:
        """The letters that are sent, which is what these services count."""
        return characters(sum(map(len, _sources(wish))), self._price)

    def likely(self, wish: Wish) -> Amount:
        """The same as at most."""
        return self.most(wish)

    async def ask(self, wish: Wish, within: Amount, defects: Sequence[str] = ()) -> Answer:
        """The words. Raises ProviderError."""
        key, sources = self._caller.place.key, _sources(wish)
        response = await self._caller.post(
            self._dialect.path, self._dialect.body(sources, key), self._dialect.headers(key)
        )
        if response.status == 400:
            # Every text is like every other one to these services: what they refuse is the key or the language.
            place = self._caller.place
            told = f"{place.title} refuses the request (HTTP 400): {said(response, key)}; see {place.setting(401)}"
            raise ProviderRefused(place.title, told)
        if response.status != 200:
            raise self._caller.failure(response)
        try:
            found = [str(text) for text in self._dialect.texts(read_json(response))]
        except (KeyError, TypeError, AttributeError):
            return Answer({}, within, "the answer was no translation")
        if len(found) != len(sources):
            return Answer({}, within, f"{len(found)} texts came for {len(sources)}")
        return _answer(wish, sources, found, within)


def _answer(wish: Wish, sources: Sequence[str], found: Sequence[str], used: Amount) -> Answer:
    words = {
        part: answers.sanitised(text, source)
        for part, source, text in zip(wish.parts, sources, found, strict=True)
    }
    return Answer(words, used) if all(words.values()) else Answer({}, used, "a text was empty")


def _sources(wish: Wish) -> tuple[str, ...]:
    texts = {Part.TITLE: wish.paper.title, Part.TLDR: wish.tldr, Part.ABSTRACT: wish.paper.abstract}
    return tuple(texts[part] for part in wish.parts)
