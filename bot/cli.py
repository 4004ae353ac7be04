"""`paperboy`: demo, run, chat, fetch, digest, search.

Exit status: 0 done, 1 failed, 2 wrong usage or settings. What a program may read goes to standard output, what a
person should know to standard error, each in one clear line.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import click

from bot import app, console, fetching, views
from bot.config import Settings, load_settings, unknown_settings
from bot.locale import translator
from bot.render.query_words import error_line
from scheduler.errors import PaperboyError, QueryError, SettingsError
from scheduler.models import ChatKind
from scheduler.store import Store

F = TypeVar("F", bound=Callable[..., Any])

FAILED = 1
WRONG = 2


def database_option(command: F) -> F:
    """`--database FILE`, which every command takes."""
    return click.option(
        "--database",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="The SQLite file to use instead of PAPERBOY_DATABASE.",
    )(command)


@contextmanager
def opened(settings: Settings) -> Iterator[Store]:
    """The store of the settings, seeded when it is new, closed at the end."""
    store = app.open_seeded(settings.database)
    try:
        yield store
    finally:
        store.close()


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="paperboy", prog_name="paperboy")
def paperboy() -> None:
    """Brings researchers the day's papers, on Telegram and Discord.

    Try it without any account: paperboy demo
    """


@paperboy.command()
@database_option
def run(database: Path | None) -> None:
    """Deliver for real: fetch, match and post until stopped (Ctrl-C or SIGTERM)."""
    settings = load_settings(database=database)
    _log(settings)
    for name in unknown_settings():
        click.echo(f"paperboy: {name} is no setting and has no effect; .env.example lists them all", err=True)
    if not settings.contact:
        click.echo("paperboy: PAPERBOY_CONTACT is not set; tell arXiv how it can reach you", err=True)
    sys.exit(asyncio.run(app.run(settings)))


def _log(settings: Settings) -> None:
    logging.basicConfig(
        level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s", stream=sys.stderr
    )
    for name in ("httpx", "httpcore", "apscheduler"):
        # They write whole addresses at INFO and DEBUG, and Telegram's hold the token.
        logging.getLogger(name).setLevel(logging.WARNING)


@paperboy.command()
@database_option
@click.option("--lang", type=click.Choice(["en", "zh"]), default=None, help="The language to speak.")
@click.option("--prompt/--no-prompt", default=None, help="Go on with a prompt (default: on a terminal).")
def demo(database: Path | None, lang: str | None, prompt: bool | None) -> None:
    """Show the whole way of a paper here in the terminal: no token, no network, no model."""
    settings = load_settings(database=database or Path("data/demo.sqlite"))
    asyncio.run(console.demo(settings, lang or settings.lang, _prompt_wanted(prompt)))


def _prompt_wanted(prompt: bool | None) -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() if prompt is None else prompt


@paperboy.command()
@database_option
@click.option("--as", "name", default="you", metavar="NAME", help="Who is typing.")
@click.option("--chat", "kind", type=click.Choice([str(kind) for kind in ChatKind]), default="private")
@click.option(
    "--lang", type=click.Choice(["en", "zh"]), default=None, help="What a new chat is spoken to in."
)
def chat(database: Path | None, name: str, kind: str, lang: str | None) -> None:
    """Read lines from standard input and print the bot's replies: everything can be tried this way.

    Buttons are shown with numbers; a line such as #2 presses one.
    """
    settings = load_settings(database=database)
    asyncio.run(console.talk(settings, name, ChatKind(kind), lang or settings.lang))


@paperboy.command()
@database_option
@click.argument("names", nargs=-1, metavar="[CATEGORY...|FILE...]")
@click.option(
    "--from", "offline", is_flag=True, help="The names are files with captured responses: no network."
)
@click.option("--kind", default=None, help="What the files are, when it is not to be recognised.")
@click.option("--category", default="", help="The category of files that do not name one.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each category and date.")
def fetch(
    database: Path | None,
    names: tuple[str, ...],
    offline: bool,
    kind: str | None,
    category: str,
    as_json: bool,
) -> None:
    """Fetch the newest announcement of the configured (or named) categories, or read captured responses.

    \b
    paperboy fetch
    paperboy fetch cs.LG stat.ML
    paperboy fetch --from day.xml other.xml --json
    """
    settings = load_settings(database=database)
    if offline and not names:
        raise click.UsageError("--from needs at least one file")
    if offline:
        with opened(settings) as store:
            results = fetching.from_files(store, [Path(name) for name in names], kind, category)
    else:
        results = fetching.from_network(settings, names)
    for result in results:
        click.echo(json.dumps(result.for_programs(), ensure_ascii=False) if as_json else result.for_people())
    for result in results:
        for error in result.errors:
            click.echo(f"paperboy: {error}", err=True)
    if any(result.has_failed for result in results):
        sys.exit(FAILED)


@paperboy.command()
@database_option
@click.option("--date", "day", metavar="D", help="An announcement date as 2026-09-29 (default: the newest).")
@click.option("--query", "wanted", metavar="Q", help="One query instead of a chat's subscriptions.")
@click.option("--chat", "chat_name", metavar="C", help="A chat, as console:you or telegram:123456.")
@click.option(
    "--lang", type=click.Choice(["en", "zh", "both"]), default="en", help="What papers are shown in."
)
@click.option(
    "--format", "form", type=click.Choice(sorted(views.FORMS)), default="text", help="How it is written."
)
def digest(
    database: Path | None, day: str | None, wanted: str | None, chat_name: str | None, lang: str, form: str
) -> None:
    """Print a day's digest for a query, for a chat, or for nobody in particular (all papers)."""
    settings = load_settings(database=database)
    if wanted is not None and chat_name is not None:
        raise click.UsageError("either --query or --chat, not both")
    with opened(settings) as store:
        shown = views.digest_of(store, _day(day), wanted, chat_name, app.clock())
        click.echo(views.write(shown, form, lang, settings.timezone, app.clock()))


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise click.UsageError(f"--date takes a day as 2026-09-29, not {text!r}") from None


@paperboy.command()
@database_option
@click.argument("words", nargs=-1, required=True, metavar="QUERY")
@click.option("--limit", type=click.IntRange(1, 1000), default=10, help="At most so many papers.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for programs.")
@click.option(
    "--lang", type=click.Choice(["en", "zh", "both"]), default="en", help="What papers are shown in."
)
def search(database: Path | None, words: tuple[str, ...], limit: int, as_json: bool, lang: str) -> None:
    """Find papers in the archive, newest first."""
    settings = load_settings(database=database)
    with opened(settings) as store:
        click.echo(views.search(store, " ".join(words), limit, as_json, lang, settings, app.clock()))


def main(arguments: Sequence[str] | None = None) -> None:
    """The `paperboy` command. Ends the process with its exit status; no traceback for what is foreseen."""
    try:
        status = paperboy.main(args=list(arguments) if arguments is not None else None, standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except QueryError as error:
        click.echo(f"paperboy: {error_line(error, translator('en'))}", err=True)
        sys.exit(WRONG)
    except PaperboyError as error:
        click.echo(f"paperboy: {error}", err=True)
        sys.exit(WRONG if isinstance(error, SettingsError) else FAILED)
    sys.exit(status if isinstance(status, int) else 0)
