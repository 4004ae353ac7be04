"""`python -m tests.bench [PART...]`: prints the table of targets and writes build/bench.json."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from tests.bench import deliver, ingest, matching, search, similar, site
from tests.bench.figures import Figure, Sizes, table, write

PARTS: dict[str, Callable[[Sizes], list[Figure]]] = {
    "matching": matching.measure,
    "search": search.measure,
    "ingest": ingest.measure,
    "deliver": deliver.measure,
    "site": site.measure,
    "similar": similar.measure,
}


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(list(PARTS)))
@click.option(
    "--output", type=click.Path(path_type=Path), default=Path("build/bench.json"), show_default=True
)
def main(names: tuple[str, ...], output: Path) -> None:
    """Measures the parts that are named, all of them when none is."""
    sizes = Sizes.from_environment()
    figures = [figure for name in names or PARTS for figure in PARTS[name](sizes)]
    write(figures, output)
    click.echo(table(figures))


if __name__ == "__main__":
    main()
