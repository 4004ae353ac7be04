"""One process for each role on one database, and words for whoever comes second."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scheduler.errors import AlreadyRunning, StoreError
from scheduler.store.lock import Role, Shards, holding, lock_path
from tests.patience import PATIENCE

NOW = datetime(2026, 9, 29, 7, 0, tzinfo=UTC)
HOLD = """
import sys, time
from datetime import UTC, datetime
from pathlib import Path
from scheduler.store.lock import Role, holding
with holding(Path(sys.argv[1]), [Role(name) for name in sys.argv[2:]], datetime(2026, 9, 29, 7, tzinfo=UTC)):
    print("held", flush=True)
    time.sleep(60)
"""


@contextmanager
def another(database: Path, *roles: Role) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds these roles."""
    root = Path(__file__).resolve().parents[1]
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(database), *roles], cwd=root, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_the_second_is_told_who_holds_it_and_since_when(tmp_path: Path) -> None:
    database = tmp_path / "paperboy.sqlite"
    with (
        another(database, Role.SCHEDULER, Role.TELEGRAM) as first,
        pytest.raises(AlreadyRunning) as refused,
        holding(database, list(Role), NOW),
    ):
        pass
    assert str(refused.value) == (
        f"Paperboy runs already on {database} (scheduler: process {first.pid}, since 2026-09-29 07:00:00 UTC); "
        "stop it first, or choose another file with --database"
    )


def test_who_is_refused_holds_nothing_of_what_it_wanted(tmp_path: Path) -> None:
    database = tmp_path / "paperboy.sqlite"
    with another(database, Role.TELEGRAM):
        with pytest.raises(AlreadyRunning), holding(database, list(Role), NOW):
            pass
        with another(database, Role.SCHEDULER, Role.DISCORD):
            pass


def test_roles_are_apart_and_so_are_databases(tmp_path: Path) -> None:
    with (
        another(tmp_path / "one.sqlite", Role.SCHEDULER),
        holding(tmp_path / "one.sqlite", [Role.TELEGRAM], NOW),
        holding(tmp_path / "two.sqlite", list(Role), NOW),
    ):
        pass


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    database = tmp_path / "paperboy.sqlite"
    with another(database, *Role) as first:
        first.kill()
        first.wait()
        with holding(database, list(Role), NOW):
            pass
    with holding(database, list(Role), NOW):
        pass


def test_a_holder_that_left_no_word_is_still_a_holder(tmp_path: Path) -> None:
    database = tmp_path / "paperboy.sqlite"
    with another(database, Role.DISCORD):
        lock_path(database, Role.DISCORD).write_text("{")
        with (
            pytest.raises(AlreadyRunning, match="discord: another process"),
            holding(database, [Role.DISCORD], NOW),
        ):
            pass


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(StoreError, match="check PAPERBOY_DATABASE"),
        holding(tmp_path / "file" / "paperboy.sqlite", [Role.DISCORD], NOW),
    ):
        pass


def test_the_command_ends_with_1_and_one_line(tmp_path: Path) -> None:
    database, role = tmp_path / "paperboy.sqlite", Role.TELEGRAM
    environ = {"PAPERBOY_TELEGRAM_TOKEN": "1:a", "PAPERBOY_DISCORD_TOKEN": "b", "PATH": ""}
    environ |= {
        "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
        "PAPERBOY_CONTACT": "a@b.c",
        "PAPERBOY_TELEGRAM_BASE_URL": "http://127.0.0.1:9",
        "PAPERBOY_DISCORD_API_URL": "http://127.0.0.1:9",
    }
    command = [sys.executable, "-m", "bot", "run", "--database", str(database)]
    with another(database, role) as first:
        for only in ((), ("--only", role)):
            ended = subprocess.run(
                [*command, *only],
                cwd=tmp_path,
                env=environ,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
            assert ended.returncode == 1
            (line,) = ended.stderr.splitlines()
            assert line.startswith(
                f"paperboy: Paperboy runs already on {database} ({role}: process {first.pid}, "
            )
        fetched = subprocess.run(
            [sys.executable, "-m", "bot", "search", "--database", str(database), "diffusion"],
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert fetched.returncode == 0, fetched.stderr


def test_the_scheduler_alone_needs_no_token(tmp_path: Path) -> None:
    environ = {
        "PATH": "",
        "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
        "PAPERBOY_CONTACT": "a@b.c",
    }
    environ |= {
        f"PAPERBOY_ARXIV_{name}_URL": "http://127.0.0.1:9" for name in ("FEED", "LISTING", "API", "OAI")
    }
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "run", "--only", "scheduler", "--database", str(tmp_path / "p.sqlite")],
        cwd=tmp_path,
        env=environ,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        seen = ""
        deadline = time.monotonic() + PATIENCE
        while "Paperboy is up: scheduler" not in seen and time.monotonic() < deadline:
            seen += process.stderr.readline()
        process.terminate()
        process.stderr.read()
    assert "Paperboy is up: scheduler" in seen
    assert process.returncode == 0


def test_a_platform_alone_needs_its_own_token(tmp_path: Path) -> None:
    environ = {"PATH": "", "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    ended = subprocess.run(
        [sys.executable, "-m", "bot", "run", "--only", "discord", "--database", str(tmp_path / "p.sqlite")],
        cwd=tmp_path,
        env={**environ, "PAPERBOY_TELEGRAM_TOKEN": "1:a", "PAPERBOY_CONTACT": "a@b.c"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 2
    assert "PAPERBOY_DISCORD_TOKEN" in ended.stderr


# shards of Discord


def test_processes_with_different_shards_work_side_by_side(tmp_path: Path) -> None:
    database = tmp_path / "paperboy.sqlite"
    with (
        holding(database, [Role.DISCORD, Role.TELEGRAM], NOW, Shards((0, 1), 4)),
        holding(database, [Role.DISCORD], NOW, Shards((2,), 4)),
        holding(database, [Role.DISCORD, Role.SCHEDULER], NOW, Shards((3,), 4)),
    ):
        pass


def refused(database: Path, shards: Shards | None) -> str:
    with pytest.raises(AlreadyRunning) as caught, holding(database, [Role.DISCORD], NOW, shards):
        pass
    return str(caught.value)


def test_a_shard_is_held_by_one_process(tmp_path: Path) -> None:
    database = tmp_path / "paperboy.sqlite"
    with holding(database, [Role.DISCORD], NOW, Shards((0, 1), 4)):
        told = refused(database, Shards((1, 2), 4))
        assert "(discord shard 1: process" in told
        # Who was refused holds nothing: its other shard is free.
        with holding(database, [Role.DISCORD], NOW, Shards((2,), 4)):
            pass
    with holding(database, [Role.DISCORD], NOW, Shards((1,), 4)):
        pass


def test_all_of_discord_and_some_shards_of_it_exclude_each_other(tmp_path: Path) -> None:
    database = tmp_path / "paperboy.sqlite"
    with holding(database, [Role.DISCORD], NOW, Shards((1,), 4)):
        assert "(discord: process" in refused(database, None)
    with holding(database, [Role.DISCORD], NOW):
        assert "(discord: process" in refused(database, Shards((1,), 4))


def test_all_processes_must_count_the_same_shards(tmp_path: Path) -> None:
    database = tmp_path / "paperboy.sqlite"
    with holding(database, [Role.DISCORD], NOW, Shards((0,), 4)):
        told = refused(database, Shards((4,), 8))
        assert "counts 4 Discord shards and this one 8" in told
        assert "PAPERBOY_DISCORD_SHARD_COUNT" in told
    with holding(database, [Role.DISCORD], NOW, Shards((4,), 8)):
        pass
