"""The measurements run at small sizes and write what they found; what they measure is not judged here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.bench import corpus
from tests.bench.__main__ import PARTS, main
from tests.bench.figures import Figure, at_most, percentile

KEYS = {"name", "value", "unit", "target", "ratio", "peer", "met"}


def test_every_part_prints_a_table_and_writes_its_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCH_PAPERS", "300")
    monkeypatch.setenv("BENCH_SUBSCRIPTIONS", "500")
    output = tmp_path / "build" / "bench.json"
    result = CliRunner().invoke(main, ["--output", str(output), *PARTS], catch_exceptions=False)
    assert result.exit_code == 0
    figures = json.loads(output.read_text("utf-8"))
    assert {frozenset(figure) for figure in figures} == {frozenset(KEYS)}
    assert all(figure["value"] >= 0 for figure in figures)
    assert {figure["name"].split()[0].strip(":") for figure in figures} == {
        "match",
        "search",
        "parse",
        "archive",
        "replay",
        "peak",
        "send",
        "day",
        "render",
        "outbox",
        "site",
        "similar",
        "order",
    }
    assert len(result.output.splitlines()) == len(figures) + 1


def test_one_part_by_name_and_no_other_name(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["--output", str(tmp_path / "x.json"), "nonsense"])
    assert result.exit_code == 2


def test_a_figure_is_met_by_its_value_and_its_ratio() -> None:
    assert at_most("work", 1.0, "s", 2).met
    assert not at_most("work", 3.0, "s", 2).met
    assert at_most("work", 1.0, "s", 2, peer="other", times=300.04, least=300) == Figure(
        "work", 1.0, "s", "≤ 2 s, ≥ 300 ×", 300.0, "other", True
    )
    assert not at_most("work", 1.0, "s", 2, peer="other", times=299.0, least=300).met


def test_percentiles() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile(list(map(float, range(200))), 0.99) == 198.0
    assert percentile([], 0.99) == 0.0


def test_papers_and_subscriptions_are_always_the_same() -> None:
    assert list(corpus.papers(3)) == list(corpus.papers(3))
    distinct = corpus.queries(50)
    assert len(set(distinct)) == 50
    assert set(corpus.subscriptions(200, distinct)) == set(distinct)
