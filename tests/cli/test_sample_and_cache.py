"""`verify sample` and `verify cache`."""

from __future__ import annotations

import filecmp
from pathlib import Path

from support.program import verify


def test_the_same_arguments_make_the_same_bytes(tmp_path: Path) -> None:
    asked = ("--records", "1200", "--seed", "5", "--tz", "Asia/Kathmandu", "--period", "2026-02")
    for name in ("one", "two"):
        assert verify("sample", tmp_path / name, *asked).code == 0
    compared = filecmp.dircmp(tmp_path / "one", tmp_path / "two")
    assert compared.left_only == compared.right_only == compared.diff_files == []
    assert compared.subdirs["api"].diff_files == []
    assert verify("diff", tmp_path / "one", "--figures", tmp_path / "one" / "api").code == 0


def test_an_existing_directory_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    assert verify("sample", tmp_path / "mine").code == 2
    assert verify("sample", tmp_path / "mine", "--overwrite").code == 2
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "x"


def test_bad_arguments_are_exit_2(tmp_path: Path) -> None:
    for bad in (
        ("--records", "10"),
        ("--tz", "Nowhere/At"),
        ("--plant", "zone"),
        ("--period", "x"),
    ):
        run = verify("sample", tmp_path / "out", *bad)
        assert run.code == 2, bad
        assert not (tmp_path / "out").exists()


def test_the_cache_is_shown_and_cleared(tmp_path: Path, private_cache: Path) -> None:
    assert "nothing stored" in verify("cache").out
    place = tmp_path / "export"
    verify("sample", place, "--records", "1000")
    verify("recompute", place)
    shown = verify("cache")
    assert "1 stored" in shown.out
    assert str(private_cache) in shown.out
    assert verify("cache", "clear").out == "removed 1\n"
    assert "nothing stored" in verify("cache").out


def test_no_cache_keeps_nothing(tmp_path: Path, private_cache: Path) -> None:
    place = tmp_path / "export"
    verify("sample", place, "--records", "1000")
    first = verify("recompute", place, "--no-cache", "--format", "json")
    assert list(private_cache.iterdir()) == []
    assert verify("recompute", place, "--format", "json").out == first.out
    assert verify("recompute", place, "--format", "json").out == first.out
