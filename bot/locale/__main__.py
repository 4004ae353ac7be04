"""`python -m bot.locale`: keeps the Chinese catalogue in step with the code and says what it lacks."""

from __future__ import annotations

import sys

import click

from bot.locale import catalogue


def main() -> int:
    """Rewrites the catalogue; exit status 1 when a sentence has no translation yet."""
    fresh = catalogue.brought_up_to_date(catalogue.read(), catalogue.extracted())
    catalogue.CATALOGUE.write_bytes(catalogue.written(fresh))
    gaps = catalogue.missing(fresh)
    for sentence in gaps:
        click.echo(f"not translated: {sentence}")
    click.echo(f"{len(fresh)} sentences, {len(gaps)} not translated")
    return 1 if gaps else 0


if __name__ == "__main__":
    sys.exit(main())
