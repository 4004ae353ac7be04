"""Settings: read in one place, checked, and never showing a secret."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from bot import services
from bot.config import PREFIX, Settings, load_settings, unknown_settings
from scheduler.errors import SettingsError

ROOT = Path(__file__).resolve().parents[1]
NONE = Path("does-not-exist.env")


def test_defaults_need_no_environment() -> None:
    settings = load_settings({}, dotenv=NONE)
    assert settings.categories == ("cs.LG", "cs.AI", "cs.CL", "cs.RO", "stat.ML")
    assert settings.arxiv_pace == 3.0
    assert not settings.telegram_token


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    dotenv = tmp_path / ".env"
    dotenv.write_text(
        "PAPERBOY_TIMEZONE=Asia/Shanghai\nPAPERBOY_DIGEST_TIME=07:15\nOTHER=1\n", encoding="utf-8"
    )
    settings = load_settings({"PAPERBOY_DIGEST_TIME": "09:00"}, dotenv=dotenv)
    assert (settings.timezone, settings.digest_time) == ("Asia/Shanghai", "09:00")


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("TIMEZONE", "Berlin", "IANA time zone"),
        ("DIGEST_TIME", "8 o'clock", "08:00"),
        ("DIGEST_TIME", "24:00", "23:59"),
        ("CATEGORIES", "cs.LG,cs.XX", "'cs.XX' is none"),
        ("TELEGRAM_BASE_URL", "api.telegram.org", "https://"),
        ("DISCORD_GATEWAY_URL", "https://gateway", "wss://"),
        ("ARXIV_PACE", "-1", "seconds"),
        ("LOG_LEVEL", "loud", "WARNING"),
        ("LANG", "fr", "en or zh"),
        ("MODEL_URL", "localhost:11434", "https://"),
        ("MODEL_PRICE_READ", "-1", "0.15"),
        ("MODEL_PRICE_WRITTEN", "nan", "0.15"),
        ("TRANSLATOR", "bing", "deepl, google, libretranslate"),
        ("TRANSLATOR_PARTS", "title body", "title, tldr, abstract"),
        ("DAILY_TOKENS", "many", "or off"),
        ("DAILY_MONEY", "1 EUR", "or off"),
        ("CALLS_AT_ONCE", "0", "from 1 to 64"),
        ("CALLS_A_MINUTE", "1.5", "whole number"),
        ("DISCORD_SHARD_COUNT", "two", "0 to do as Discord recommends"),
        ("DISCORD_SHARD_COUNT", "16001", "16000"),
        ("DISCORD_SHARD_IDS", "3-0", "0-3 or 0,1"),
        ("DISCORD_SHARD_IDS", "first", "0-3 or 0,1"),
        ("DISCORD_SHARD_IDS", "-1", "0-3 or 0,1"),
    ],
)
def test_a_wrong_value_names_the_variable_what_was_given_and_what_is_allowed(
    variable: str, value: str, told: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings({PREFIX + variable: value}, dotenv=NONE)
    message = str(caught.value)
    assert PREFIX + variable in message
    assert repr(value) in message
    assert told in message
    assert "\n" not in message


def test_addresses_are_taken_with_or_without_their_usual_path() -> None:
    here = "http://127.0.0.1:8081"
    given = {
        "PAPERBOY_TELEGRAM_BASE_URL": f"{here}/bot",
        "PAPERBOY_ARXIV_FEED_URL": f"{here}/rss/",
        "PAPERBOY_ARXIV_API_URL": here,
        "PAPERBOY_ARXIV_OAI_URL": f"{here}/oai2",
    }
    settings = load_settings(given, dotenv=NONE)
    assert (settings.telegram_base_url, settings.arxiv_feed_url) == (here, here)
    assert (settings.arxiv_api_url, settings.arxiv_oai_url) == (f"{here}/api/query", f"{here}/oai2")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        ("https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1"),
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("https://api.example.org/openai/deployments", "https://api.example.org/openai/deployments"),
        ("", ""),
    ],
)
def test_a_models_address_is_taken_as_its_server_writes_it(given: str, read: str) -> None:
    assert load_settings({"PAPERBOY_MODEL_URL": given}, dotenv=NONE).model_url == read


def test_a_limit_can_be_off_and_parts_keep_their_order() -> None:
    given = {
        "PAPERBOY_DAILY_TOKENS": "off",
        "PAPERBOY_DAILY_MONEY": "OFF",
        "PAPERBOY_TRANSLATOR_PARTS": "tldr,title",
    }
    settings = load_settings(given, dotenv=NONE)
    assert (settings.daily_tokens, settings.daily_money) == (None, None)
    assert settings.translator_parts == ("title", "tldr")
    limits = services.limits(settings)
    assert (limits.caps.tokens, limits.caps.characters, limits.caps.micros) == (None, 16_000, None)
    assert services.limits(load_settings({}, dotenv=NONE)).caps.micros == 1_000_000


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"MODEL_URL": "http://localhost:11434"}, "PAPERBOY_MODEL_NAME"),
        ({"MODEL_NAME": "qwen3:8b"}, "PAPERBOY_MODEL_URL"),
        ({"TRANSLATOR": "deepl"}, "PAPERBOY_TRANSLATOR_KEY"),
    ],
)
def test_a_service_that_is_named_by_half_is_a_wrong_setting(given: dict[str, str], told: str) -> None:
    settings = load_settings({PREFIX + name: value for name, value in given.items()}, dotenv=NONE)
    with pytest.raises(SettingsError) as caught:
        services.require_names(settings)
    assert told in str(caught.value)


def test_secrets_never_show() -> None:
    token = "123456:AAH-verysecret"
    settings = load_settings({"PAPERBOY_TELEGRAM_TOKEN": token}, dotenv=NONE)
    assert settings.telegram_token.reveal() == token
    for shown in (repr(settings), str(settings), f"{settings.telegram_token}", repr(settings.telegram_token)):
        assert "verysecret" not in shown
    with pytest.raises(SettingsError) as caught:
        load_settings({"PAPERBOY_TELEGRAM_TOKEN": "1:very secret"}, dotenv=NONE)
    assert "very secret" not in str(caught.value)


def test_unknown_settings_are_named() -> None:
    assert unknown_settings({"PAPERBOY_TELEGRAM_TOKN": "x", "PATH": "y"}, dotenv=NONE) == (
        "PAPERBOY_TELEGRAM_TOKN",
    )


def test_env_example_is_every_setting_with_its_default() -> None:
    assert (ROOT / ".env.example").read_text(encoding="utf-8") == example()


def example() -> str:
    """What `.env.example` must hold."""
    head = (
        "# Paperboy's settings. Copy this file to .env and change what you need; every line is optional.\n"
        "# The environment wins over .env.\n"
    )
    lines = [
        f"\n# {one.metadata['doc']}\n#{PREFIX}{one.name.upper()}={one.metadata['default']}\n"
        for one in fields(Settings)
    ]
    return head + "".join(lines)


@pytest.mark.parametrize(
    ("given", "ids"),
    [("", ()), ("0-3", (0, 1, 2, 3)), ("0,1", (0, 1)), ("5, 0-1", (0, 1, 5)), ("2,1-3", (1, 2, 3))],
)
def test_shards_are_named_one_by_one_or_from_to(given: str, ids: tuple[int, ...]) -> None:
    environ = {PREFIX + "DISCORD_SHARD_IDS": given, PREFIX + "DISCORD_SHARD_COUNT": "8"}
    assert load_settings(environ, dotenv=NONE).discord_shard_ids == ids


@pytest.mark.parametrize(
    ("ids", "count", "told"),
    [("0-1", "", "needs PAPERBOY_DISCORD_SHARD_COUNT"), ("0-4", "4", "no shard 4 among 4")],
)
def test_shards_that_cannot_be_are_refused(ids: str, count: str, told: str) -> None:
    environ = {PREFIX + "DISCORD_SHARD_IDS": ids, PREFIX + "DISCORD_SHARD_COUNT": count}
    with pytest.raises(SettingsError, match=told) as caught:
        load_settings(environ, dotenv=NONE)
    assert "PAPERBOY_DISCORD_SHARD_IDS" in str(caught.value)
