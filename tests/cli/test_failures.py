"""What goes wrong around a run: a full disk, a kill, an interrupt, no permission, two at once.

Each is a message and an exit code; nothing is lost, half-written or left behind.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.exports import record, write_export

LINES = [
    record("model_call", "d", "2026-06-01T00:00:00Z", model="m", agent=f"a{n}", input_tokens=n)
    for n in range(20_000)
]


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four megabytes of records: a second of work."""
    return write_export(tmp_path_factory.mktemp("export"), LINES)


@pytest.fixture
def around(tmp_path: Path) -> dict[str, str]:
    """An environment whose cache and temporary files are the test's own."""
    for name in ("cache", "tmp", "home"):
        (tmp_path / name).mkdir()
    return {
        **os.environ,
        "VERIFY_CACHE_DIR": str(tmp_path / "cache"),
        "TMPDIR": str(tmp_path / "tmp"),
        "HOME": str(tmp_path / "home"),
    }


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "verify", *map(str, arguments)]


def run(
    around: dict[str, str], *arguments: object, most: int | None = None
) -> subprocess.CompletedProcess[str]:
    """A run to its end; `most`: the size of the largest file it may write."""

    def limit() -> None:
        if most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return subprocess.run(
        command(*arguments), env=around, capture_output=True, text=True, preexec_fn=limit
    )


def left(around: dict[str, str]) -> list[str]:
    """What lies in the cache and among the temporary files."""
    return [
        path.name
        for name in ("VERIFY_CACHE_DIR", "TMPDIR")
        for path in Path(around[name]).iterdir()
    ]


@pytest.mark.parametrize("options", [(), ("--no-cache",)])
def test_a_full_disk_while_loading(
    export: Path, around: dict[str, str], options: tuple[str, ...]
) -> None:
    done = run(around, "recompute", export, "--period", "2026-06", *options, most=200_000)
    assert (done.returncode, done.stdout) == (2, "")
    assert "room on the disk" in done.stderr
    assert "Traceback" not in done.stderr
    assert left(around) == []
    assert run(around, "check", export, *options).returncode == 0


def test_a_full_disk_while_writing_leaves_the_old_answer(
    export: Path, around: dict[str, str], tmp_path: Path
) -> None:
    answer = tmp_path / "answer.json"
    answer.write_text("old")
    assert run(around, "check", export).returncode == 0
    done = run(around, "check", export, "--format", "json", "-o", answer, most=100)
    assert done.returncode == 2
    assert str(answer) in done.stderr
    assert "Traceback" not in done.stderr
    assert answer.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir() if "answer" in path.name] == ["answer.json"]


def started(around: dict[str, str], export: Path) -> subprocess.Popen[str]:
    """A run that is loading."""
    process = subprocess.Popen(
        command("recompute", export, "--period", "2026-06"),
        env=around,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    cache = Path(around["VERIFY_CACHE_DIR"])
    until = time.monotonic() + 30
    while not list(cache.glob("building-*/store.duckdb")) and time.monotonic() < until:
        time.sleep(0.002)
    return process


def test_an_interrupt_while_loading(export: Path, around: dict[str, str]) -> None:
    process = started(around, export)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert err == "verify: interrupted; nothing was written\n"
    assert left(around) == []


def test_an_order_to_end_while_loading(export: Path, around: dict[str, str]) -> None:
    process = started(around, export)
    process.terminate()
    out, err = process.communicate()
    assert (process.returncode, out) == (143, "")
    assert err == "verify: ended from outside; nothing was written\n"
    assert left(around) == []


def test_a_killed_run_leaves_nothing_that_the_next_one_keeps(
    export: Path, around: dict[str, str]
) -> None:
    process = started(around, export)
    process.kill()
    process.communicate()
    assert left(around)
    done = run(around, "check", export)
    assert done.returncode == 0
    (entry,) = left(around)
    assert not entry.startswith("building-")


def test_two_runs_at_once(export: Path, around: dict[str, str]) -> None:
    ask = command("recompute", export, "--period", "2026-06", "--format", "json")
    runs = [
        subprocess.Popen(ask, env=around, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate() for process in runs]
    assert [process.returncode for process in runs] == [4, 4]  # there is no price card
    assert said[0] == said[1]
    assert len(left(around)) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_home_that_cannot_be_written(
    export: Path, around: dict[str, str]
) -> None:  # pragma: no cover
    home = Path(around["HOME"])
    home.chmod(0o500)
    del around["VERIFY_CACHE_DIR"]
    done = run(around, "check", export)
    assert done.returncode == 0
    assert "nothing can be kept" in done.stderr


def test_a_cache_that_cannot_be_made(export: Path, around: dict[str, str]) -> None:
    around["VERIFY_CACHE_DIR"] = "/proc/nothing/here"
    done = run(around, "check", export)
    assert done.returncode == 0
    assert "nothing can be kept in /proc/nothing/here" in done.stderr


def test_an_export_that_may_not_be_read(around: dict[str, str], tmp_path: Path) -> None:
    place = write_export(tmp_path / "mine", LINES[:2])
    (place / "records.jsonl").unlink()
    (place / "records.jsonl").symlink_to("/proc/1/mem")
    done = run(around, "check", place)
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
