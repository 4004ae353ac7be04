"""README, ARCHITECTURE and the catalogue of commands say what the code does."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from bot.cli import paperboy
from bot.commands.table import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("package", ["bot", "scheduler"])
def test_every_module_is_in_the_architecture_and_no_other(package: str) -> None:
    start = ARCHITECTURE.index(f"## {package}/")
    table = ARCHITECTURE[start : ARCHITECTURE.index("\n## ", start + 1)]
    rows = "\n".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
    named = set(re.findall(r"`([a-z_]+(?:\.py|/))`", rows))
    folder = ROOT / package
    there = {path.name for path in folder.glob("*.py") if path.name != "__init__.py"}
    there |= {f"{path.parent.name}/" for path in folder.glob("*/__init__.py")}
    assert named == there


def test_the_readme_names_every_command_of_the_chat_and_of_the_shell() -> None:
    for command in COMMANDS:
        assert f"/{command.name}" in README, command.name
    for name in paperboy.commands:
        assert f"paperboy {name}" in README or f"make {name}" in README, name


def test_every_target_that_the_documents_name_is_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"(?:`|^)make ([a-z]+)", README + ARCHITECTURE, re.MULTILINE)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_every_document_that_is_linked_is_there() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README + ARCHITECTURE):
        assert (ROOT / target).exists(), target


def test_the_lock_files_name_no_registry() -> None:
    for lock in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / lock).read_text(encoding="utf-8")
        assert "--hash=sha256:" in text
        assert not re.search(r"https?://|--(extra-)?index|--find-links|file:", text)


def test_ci_runs_the_readmes_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert script.rstrip().endswith("make test")
    assert "make test" in README


def test_no_path_of_a_machine_is_in_the_project() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    machine = re.compile("/" + r"(work|root|home)/\w")
    for name in listed.splitlines():
        path = ROOT / name
        if path.suffix in {".py", ".md", ".toml", ".yml", ".po", ".jsonl", ""} and path.is_file():
            assert not machine.search(path.read_text(encoding="utf-8", errors="replace")), name


def test_decisions_are_numbered_from_one_and_each_once() -> None:
    records = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    numbers = [int(path.name[:4]) for path in records]
    assert numbers == list(range(1, len(records) + 1))
    for number, path in zip(numbers, records, strict=True):
        assert path.read_text(encoding="utf-8").startswith(f"# {number}. "), path.name
