"""The settings: the only place that reads the environment. One frozen object; secrets never show in it.

Every setting is an environment variable with the prefix PAPERBOY_, which a file `.env` in the working directory may
hold too (the environment wins). A wrong value names the variable, what was given and what is allowed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from dotenv import dotenv_values
from PIL import ImageFont

from scheduler.categories import CATEGORIES
from scheduler.enrich.wishes import Part
from scheduler.errors import SettingsError
from scheduler.providers.translators import DIALECTS
from scheduler.sources.names import SOURCES, is_web_address

PREFIX = "PAPERBOY_"
MOST_SHARDS = 16_000
T = TypeVar("T")


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """A text that shows as *** wherever it is printed; `reveal()` gives it, false when it is empty."""

    _text: str

    def __repr__(self) -> str:
        return "***" if self._text else "(none)"

    def __bool__(self) -> bool:
        return bool(self._text)

    def reveal(self) -> str:
        """The text itself, for the one place that needs it."""
        return self._text


def _path(text: str) -> Path:
    if not text.strip():
        raise ValueError("a file's path")
    return Path(text).expanduser()


def _no_path_or(text: str) -> Path | None:
    return _path(text) if text.strip() else None


def _categories(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(re.split(r"[,\s]+", text.strip(" ,"))))
    for name in names:
        if name not in CATEGORIES:
            raise ValueError(
                f"arXiv categories with commas between, such as cs.LG,stat.ML ({name!r} is none)"
            )
    return names


def _zone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (KeyError, ValueError, OSError):
        raise ValueError("an IANA time zone such as Europe/Berlin or Asia/Shanghai") from None
    return text


def _clock(text: str) -> str:
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", text):
        raise ValueError("a time of day from 00:00 to 23:59, such as 08:00")
    return text


def web_address(text: str) -> str:
    """The address without a slash at its end. Raises ValueError with what is allowed."""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("an address that begins with https:// or http://")
    return text.rstrip("/")


def _no_url_or(text: str) -> str:
    return web_address(text) if text else ""


def _url_with(path: str) -> Callable[[str], str]:
    """Reads an address whose path is `path` unless it has one."""

    def read(text: str) -> str:
        url = web_address(text)
        return url if urlsplit(url).path else url + path

    return read


def _url_before(*endings: str) -> Callable[[str], str]:
    """Reads an address that is completed later: an ending that is put behind it anyway is taken off."""

    def read(text: str) -> str:
        url = web_address(text)
        for ending in endings:
            url = url.removesuffix(ending)
        return url

    return read


def _gateway(text: str) -> str:
    if text and urlsplit(text).scheme not in ("ws", "wss"):
        raise ValueError("an address that begins with wss:// or ws://, or nothing to ask Discord for it")
    return text.rstrip("/")


def _shard_count(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST_SHARDS:
        raise ValueError(f"a number of shards from 1 to {MOST_SHARDS}, or 0 to do as Discord recommends")
    return int(text)


def _shard_ids(text: str) -> tuple[int, ...]:
    ids: set[int] = set()
    for piece in filter(None, re.split(r"[,\s]+", text)):
        span = re.fullmatch(r"(\d{1,5})(?:-(\d{1,5}))?", piece)
        if span is None or int(span[2] or span[1]) < int(span[1]):
            raise ValueError("shard ids such as 0-3 or 0,1, or nothing for all shards")
        ids.update(range(int(span[1]), int(span[2] or span[1]) + 1))
    return tuple(sorted(ids))


def _contact(text: str) -> str:
    if any(character in text for character in "\r\n") or not text.isascii():
        raise ValueError("an e-mail or web address in ASCII letters, which arXiv can reach you by")
    return text.strip()


def _lang(text: str) -> str:
    if text not in ("en", "zh"):
        raise ValueError("en or zh")
    return text


def _content(text: str) -> str:
    if text not in ("en", "zh", "both"):
        raise ValueError("en, zh or both")
    return text


def _sources(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name for name in re.split(r"[,\s]+", text.lower()) if name))
    for name in names:
        if name not in SOURCES:
            raise ValueError(f"{', '.join(SOURCES)} with commas between, or nothing ({name!r} is none)")
    return names


def _feeds(text: str) -> tuple[str, ...]:
    addresses = tuple(dict.fromkeys(name for name in re.split(r",\s*|\s+", text.strip(" ,")) if name))
    if not all(map(is_web_address, addresses)):
        raise ValueError("addresses that begin with https:// or http://, with commas between")
    return addresses


def _font(text: str) -> Path | None:
    path = _no_path_or(text)
    try:
        if path is not None:
            ImageFont.truetype(str(path), 12)
    except OSError:
        raise ValueError("a file with a TrueType or OpenType font (.ttf, .otf, .ttc)") from None
    return path


def _yes_or_no(text: str) -> bool:
    if text.lower() not in ("0", "1", "no", "yes", "false", "true"):
        raise ValueError("1 or 0")
    return text.lower() in ("1", "yes", "true")


def _seconds(text: str, least: float = 0) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not least <= value <= 3600:
        raise ValueError(f"seconds from {least:g} to 3600")
    return value


def _tick(text: str) -> float:
    return _seconds(text, least=0.1)


def _model_url(text: str) -> str:
    """An address without the ending that is put behind it; one without a path has OpenAI's."""
    return _url_with("/v1")(_url_before("/chat/completions")(text)) if text else ""


def _line(text: str) -> str:
    if not text.isprintable():
        raise ValueError("a name on one line")
    return text


def _translator(text: str) -> str:
    if text.lower() not in ("", *DIALECTS):
        raise ValueError(f"{', '.join(DIALECTS)}, or nothing")
    return text.lower()


def _parts(text: str) -> tuple[str, ...]:
    names = [name for name in re.split(r"[,\s]+", text.lower()) if name]
    if not all(name in list(Part) for name in names):
        raise ValueError(f"{', '.join(Part)} with commas between")
    return tuple(part for part in Part if part in names)


def _decimal(text: str) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() and 0 <= value <= 1_000_000 else None


def _price(text: str) -> Decimal:
    if (value := _decimal(text)) is None:
        raise ValueError("an amount of money such as 0.15")
    return value


def _money_or_off(text: str) -> Decimal | None:
    if text.lower() == "off":
        return None
    if (value := _decimal(text)) is None:
        raise ValueError("an amount of money such as 0.50, or off")
    return value


def _count(text: str, most: int = 1_000_000) -> int:
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text[:9]) <= most:
        raise ValueError(f"a whole number from 1 to {most}")
    return int(text)


def _count_to_64(text: str) -> int:
    return _count(text, 64)


def _count_or_off(text: str) -> int | None:
    if text.lower() == "off":
        return None
    if not (text.isascii() and text.isdecimal()) or len(text) > 12:
        raise ValueError("a whole number, or off")
    return int(text)


def _level(text: str) -> str:
    if text.upper() not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        raise ValueError("DEBUG, INFO, WARNING or ERROR")
    return text.upper()


def _token(text: str) -> Secret:
    if re.search(r"\s", text):
        raise ValueError("the token as it was given to you, without blanks")
    return Secret(text)


def setting(parse: Callable[[str], T], default: str, doc: str) -> T:
    """A setting of `Settings`: how it is read, what it is when it is not set, and what `.env.example` says of it."""
    meta = {"parse": parse, "default": default, "doc": doc}
    made: T = field(metadata=meta)
    return made


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting, read and checked. The variable of `digest_time` is PAPERBOY_DIGEST_TIME, and so on."""

    database: Path = setting(_path, "data/paperboy.sqlite", "The one file that holds everything.")
    categories: tuple[str, ...] = setting(
        _categories, "cs.LG,cs.AI,cs.CL,cs.RO,stat.ML", "The arXiv categories that are fetched every day."
    )
    contact: str = setting(
        _contact, "", "An e-mail or web address of yours; arXiv sees it in the User-Agent."
    )
    timezone: str = setting(_zone, "UTC", "The time zone that a new chat starts with (IANA name).")
    digest_time: str = setting(_clock, "08:00", "The time of day at which a new chat gets its digest.")
    lang: str = setting(_lang, "en", "The language of a chat whose platform does not tell one: en or zh.")
    telegram_token: Secret = setting(
        _token, "", "Telegram: the token that @BotFather gave you. Empty: no Telegram."
    )
    telegram_base_url: str = setting(
        _url_before("/bot"), "https://api.telegram.org", "Telegram: the Bot API server."
    )
    discord_token: Secret = setting(_token, "", "Discord: the bot's token. Empty: no Discord.")
    discord_api_url: str = setting(web_address, "https://discord.com/api/v10", "Discord: the REST API.")
    discord_gateway_url: str = setting(
        _gateway, "", "Discord: the gateway. Empty: the REST API is asked for it."
    )
    discord_shard_count: int = setting(
        _shard_count, "0", "Discord: how many shards there are in all. 0: as many as Discord recommends."
    )
    discord_shard_ids: tuple[int, ...] = setting(
        _shard_ids, "", "Discord: the shards of this process, such as 0-3 or 0,1. Empty: all of them."
    )
    arxiv_feed_url: str = setting(
        _url_before("/rss", "/atom"), "https://rss.arxiv.org", "arXiv: the feeds (/rss/… and /atom/…)."
    )
    arxiv_listing_url: str = setting(
        web_address, "https://arxiv.org", "arXiv: the listing pages (/list/… and /catchup/…)."
    )
    arxiv_api_url: str = setting(
        _url_with("/api/query"), "https://export.arxiv.org/api/query", "arXiv: the query API."
    )
    arxiv_oai_url: str = setting(_url_with("/oai"), "https://oaipmh.arxiv.org/oai", "arXiv: OAI-PMH.")
    arxiv_pace: float = setting(
        _seconds, "3", "Seconds between two requests to arXiv's feeds and APIs. arXiv's terms say 3."
    )
    arxiv_page_pace: float = setting(
        _seconds, "15", "Seconds between two requests to arXiv's pages. arXiv's robots.txt says 15."
    )
    sources: tuple[str, ...] = setting(
        _sources, "", "Other sources that are on: biorxiv, medrxiv, huggingface, with commas between."
    )
    feeds: tuple[str, ...] = setting(
        _feeds, "", "Addresses of RSS, Atom or JSON feeds that are read too, with commas between."
    )
    allow_private_feeds: bool = setting(
        _yes_or_no, "0", "1 allows feeds at addresses of your own network; 0 refuses them."
    )
    meaning: bool = setting(
        _yes_or_no, "1", "Search by meaning (/search ~words) where its extra is installed; 0 turns it off."
    )
    biorxiv_url: str = setting(web_address, "https://api.biorxiv.org", "bioRxiv and medRxiv: the API.")
    huggingface_url: str = setting(web_address, "https://huggingface.co", "Hugging Face: the daily papers.")
    glossary: Path | None = setting(
        _no_path_or, "", "A CSV file (term,preferred,forbidden) on top of seeds/glossary.zh.csv."
    )
    model_url: str = setting(
        _model_url,
        "",
        "A model for TL;DRs and Chinese: the address of any OpenAI-compatible API, such as https://api.openai.com/v1, "
        "https://api.deepseek.com or http://localhost:11434/v1 (Ollama). Empty: no model.",
    )
    model_key: Secret = setting(_token, "", "The model's API key; a model of your own may need none.")
    model_name: str = setting(
        _line, "", "The model, as its server calls it: gpt-4o-mini, deepseek-chat, qwen3:8b."
    )
    model_price_read: Decimal = setting(
        _price, "0", "What a million tokens that the model reads cost, in your currency."
    )
    model_price_written: Decimal = setting(
        _price, "0", "What a million tokens that the model writes cost, in your currency."
    )
    model_timeout: float = setting(_tick, "120", "Seconds after which an answer is not waited for any more.")
    translator: str = setting(
        _translator, "", "A translation service for Chinese: deepl, google or libretranslate. Empty: none."
    )
    translator_url: str = setting(
        _no_url_or, "", "Its address, where it is not the service's usual one (your own LibreTranslate)."
    )
    translator_key: Secret = setting(_token, "", "Its API key; a LibreTranslate of your own may need none.")
    translator_parts: tuple[str, ...] = setting(
        _parts,
        "title",
        "What it translates: title, tldr, abstract, with commas between. The model does the rest.",
    )
    translator_price: Decimal = setting(
        _price, "0", "What a million characters that it translates cost, in your currency."
    )
    daily_tokens: int | None = setting(
        _count_or_off, "500000", "The most tokens that are used in a day (UTC); off for no limit."
    )
    daily_characters: int | None = setting(
        _count_or_off, "16000", "The most characters that are translated in a day; off for no limit."
    )
    daily_money: Decimal | None = setting(
        _money_or_off, "1", "The most money that is spent in a day, by the prices above; off for no limit."
    )
    calls_at_once: int = setting(
        _count_to_64, "4", "How many models and translators are asked at the same time."
    )
    calls_a_minute: int = setting(_count, "60", "How many times in a minute they are asked at most.")
    words_wait: float = setting(
        _seconds,
        "600",
        "Seconds that a digest which is late because arXiv was late may wait for TL;DRs and translations.",
    )
    topics: Path | None = setting(
        _no_path_or, "", "A TOML file with topics of your own, on top of those in seeds/topics.toml."
    )
    site_dir: Path | None = setting(
        _no_path_or, "", "The static site: the folder that paperboy run keeps up to date. Empty: no site."
    )
    site_lang: str = setting(_content, "en", "The static site: what papers are shown in: en, zh or both.")
    site_url: str = setting(_no_url_or, "", "The static site: its address, for links in its feeds.")
    font: Path | None = setting(
        _font, "", "A font file with Chinese for the words in pictures. Empty: one that this machine has."
    )
    chat_subscriptions: int = setting(_count, "100", "How many subscriptions a chat may have.")
    member_subscriptions: int = setting(
        _count, "100", "How many a member of a group or channel may have there for themself."
    )
    tick: float = setting(_tick, "20", "Seconds between two looks at what is due: fetches and digests.")
    log_level: str = setting(_level, "INFO", "How much is logged: DEBUG, INFO, WARNING or ERROR.")


def load_settings(
    environ: Mapping[str, str] | None = None, *, dotenv: Path | None = None, database: Path | None = None
) -> Settings:
    """The settings from the environment and the file `.env`; `database` overrides PAPERBOY_DATABASE.

    Raises SettingsError for a value that is not allowed.
    """
    given = _given(os.environ if environ is None else environ, dotenv or Path(".env"))
    values: dict[str, Any] = {one.name: _value(one.name, one.metadata, given) for one in fields(Settings)}
    if database is not None:
        values["database"] = database
    settings = Settings(**values)
    _check_shards(settings)
    return settings


def _check_shards(settings: Settings) -> None:
    """Raises SettingsError for shards that cannot be: every process must count alike, from 0 on."""
    ids, count = settings.discord_shard_ids, settings.discord_shard_count
    if ids and not count:
        raise SettingsError(
            f"{PREFIX}DISCORD_SHARD_IDS needs {PREFIX}DISCORD_SHARD_COUNT, the same in every process"
        )
    if ids and ids[-1] >= count:
        raise SettingsError(
            f"{PREFIX}DISCORD_SHARD_IDS: there is no shard {ids[-1]} among {count}; "
            f"they are numbered from 0 to {count - 1}"
        )


def no_colour() -> bool:
    """True when the person at the terminal wants plain text (https://no-color.org)."""
    return bool(os.environ.get("NO_COLOR"))


def unknown_settings(
    environ: Mapping[str, str] | None = None, *, dotenv: Path | None = None
) -> tuple[str, ...]:
    """The PAPERBOY_ variables that are no setting (misspelt, or of another version), by name."""
    given = _given(os.environ if environ is None else environ, dotenv or Path(".env"))
    return tuple(sorted(set(given) - {PREFIX + one.name.upper() for one in fields(Settings)}))


def _given(environ: Mapping[str, str], dotenv: Path) -> dict[str, str]:
    try:
        from_file = dotenv_values(dotenv) if dotenv.is_file() else {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read {dotenv}: {error}") from error
    merged = {name: value or "" for name, value in from_file.items()} | dict(environ)
    return {name: value for name, value in merged.items() if name.startswith(PREFIX)}


def _value(name: str, meta: Mapping[str, Any], given: Mapping[str, str]) -> object:
    variable = PREFIX + name.upper()
    text = given.get(variable, "").strip() or meta["default"]
    try:
        return meta["parse"](text)
    except ValueError as error:
        shown = "what was given" if meta["parse"] is _token else repr(text)
        raise SettingsError(f"{variable}: {shown} is not allowed; it takes {error}") from None
