"""Every line once more, in order, whatever the processes do."""

from __future__ import annotations

import gzip
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from verify.errors import UnreadableInput
from verify.trust import tap
from verify.trust.source import DirectorySource
from verify.trust.sweep import Block, Sweep, in_order


def slow_square(number: int) -> int:
    time.sleep(0.02 if number % 3 == 0 else 0)
    return number * number


def ended(_: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def failing(number: int) -> int:
    if number == 3:
        raise UnreadableInput("three")
    return number


@pytest.mark.parametrize("processes", [1, 2])
def test_the_order_is_that_of_the_items(processes: int) -> None:
    assert list(in_order(slow_square, range(20), processes)) == [n * n for n in range(20)]


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_comes_through(processes: int) -> None:
    with pytest.raises(UnreadableInput, match="three"):
        list(in_order(failing, range(10), processes))


def test_few_items_are_held_at_once() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for number in range(100):
            taken += 1
            yield number

    for done, _ in enumerate(in_order(slow_square, items(), 2), start=1):
        assert taken <= done + 2 * 2
    assert taken == 100


def test_a_process_that_is_ended_is_said() -> None:
    with pytest.raises(UnreadableInput, match="ended from outside"):
        list(in_order(ended, range(3), 2))


def test_blocks_count_lines_through_all_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tap, "BLOCK", 64)
    first = b"\xef\xbb\xbf" + b"".join(b"a%03d\n" % number for number in range(50)) + b"\n"
    second = b"".join(b"b%03d\r\n" % number for number in range(30)) + b"last"
    (tmp_path / "1.jsonl").write_bytes(first)
    (tmp_path / "2.jsonl.gz").write_bytes(gzip.compress(second))
    told: list[tuple[int, int]] = []
    sweep = Sweep(DirectorySource(tmp_path), ["1.jsonl", "2.jsonl.gz"], lambda *at: told.append(at))
    numbered: list[tuple[int, bytes, str]] = []
    for block in sweep.blocks():
        for number, line in enumerate(block.lines(), start=block.first_line):
            numbered.append((number, line, block.place(number)))
    assert [number for number, *_ in numbered] == list(range(1, 83))
    assert numbered[0] == (1, b"a000", "1.jsonl, line 1")
    assert numbered[50] == (51, b"", "1.jsonl, line 51")
    assert numbered[51] == (52, b"b000\r", "2.jsonl.gz, line 1")
    assert numbered[-1] == (82, b"last", "2.jsonl.gz, line 31")
    assert [(file.first_line, file.lines) for file in sweep.files] == [(1, 51), (52, 31)]
    assert told[-1][1] == sweep.total == sum(path.stat().st_size for path in tmp_path.iterdir())
    assert sweep.changed({file.path: file.sha256 for file in sweep.files}) == []
    (changed,) = sweep.changed({"1.jsonl": sweep.files[0].sha256, "2.jsonl.gz": "0" * 64})
    assert (changed.code, changed.where) == ("file_digest", "2.jsonl.gz")


def test_a_line_without_end_stops_its_file_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tap, "BLOCK", 64)
    monkeypatch.setattr(tap, "MAX_LINE", 200)
    (tmp_path / "1.jsonl").write_bytes(b"a\n" * 40 + b"x" * 1000 + b"\nafter\n")
    (tmp_path / "2.jsonl").write_bytes(b"b\n")
    sweep = Sweep(DirectorySource(tmp_path), ["1.jsonl", "2.jsonl"])
    blocks: list[Block] = list(sweep.blocks())
    assert blocks[-1].lines() == [b"b"]
    assert [file.unread_from for file in sweep.files] == [41, None]


def test_a_line_too_long_counts_as_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line that was not read and the first line of the next file have two numbers."""
    monkeypatch.setattr(tap, "MAX_LINE", 100)
    monkeypatch.setattr(tap, "BLOCK", 64)
    (tmp_path / "a.jsonl").write_bytes(b"{}\n" + b"x" * 200 + b"\n{}\n")
    (tmp_path / "b.jsonl").write_bytes(b"{}\n")
    sweep = Sweep(DirectorySource(tmp_path), ["a.jsonl", "b.jsonl"])
    assert [block.path for block in sweep.blocks()] == ["a.jsonl", "b.jsonl"]
    first, second = sweep.files
    assert (first.unread_from, second.first_line) == (2, 3)
