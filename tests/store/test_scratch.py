"""A run's own directories go with it, however it ends, and those of the living stay."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

import pytest
from support.killed import left_by_a_killed_run

from verify.store.scratch import LOCK, scratch, sweep


def test_it_is_gone_afterwards(tmp_path: Path) -> None:
    with scratch(tmp_path, "mine-") as place:
        (place / "in").mkdir()
        (place / "in" / "file").write_bytes(b"x")
        assert place.name.startswith("mine-")
        assert place.stat().st_mode & 0o077 == 0
    with pytest.raises(KeyboardInterrupt), scratch(tmp_path, "mine-"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_what_the_dead_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    left = left_by_a_killed_run(tmp_path, "mine-")
    (tmp_path / "mine-without-a-lock").mkdir()
    (tmp_path / "mine-file").touch()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / LOCK).touch()
    (tmp_path / "mine-link").symlink_to(elsewhere, target_is_directory=True)
    kept = {path.name for path in tmp_path.iterdir()} - {left.name}
    with scratch(tmp_path, "mine-") as living:
        sweep(tmp_path, "mine-")
        assert {path.name for path in tmp_path.iterdir()} == kept | {living.name}
    assert (elsewhere / LOCK).exists()


def test_the_next_run_sweeps(tmp_path: Path) -> None:
    left = left_by_a_killed_run(tmp_path, "mine-")
    with scratch(tmp_path, "other-"):
        assert left.exists()
    with scratch(tmp_path, "mine-"):
        assert not left.exists()


def test_a_disk_without_locks_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_file: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refused)
    with scratch(tmp_path, "mine-") as place:
        sweep(tmp_path, "mine-")
        assert place.is_dir()
    assert list(tmp_path.iterdir()) == []
