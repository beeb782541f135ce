"""A reader gets the bytes once, in order, through a pipe or a file; all of them are hashed."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.store.pump import pump

BOTH = pytest.mark.parametrize("pipes", [True, False], ids=["pipe", "file"])


def whole(path: str) -> bytes:
    with open(path, "rb") as handle:
        return handle.read()


class Hashing:
    """Blocks that are hashed as they are taken, as a tap does it."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self.blocks = blocks
        self.digest = hashlib.sha256()
        self.taken = 0

    def __iter__(self) -> Iterator[bytes]:
        for block in self.blocks:
            self.digest.update(block)
            self.taken += 1
            yield block


@BOTH
@given(blocks=st.lists(st.binary(max_size=3000), max_size=20))
@settings(max_examples=40, deadline=None)
def test_the_reader_gets_the_bytes_that_were_handed_over(pipes: bool, blocks: list[bytes]) -> None:
    assert pump(iter(blocks), whole, pipes=pipes) == b"".join(blocks)


@BOTH
def test_more_than_a_pipe_holds(pipes: bool) -> None:
    blocks = [bytes([at % 256]) * 700_001 for at in range(12)]
    assert pump(blocks, whole, pipes=pipes) == b"".join(blocks)


@BOTH
def test_a_reader_that_stops_early_does_not_stop_the_hashing(pipes: bool) -> None:
    blocks = Hashing([b"x" * 1_000_000] * 8)

    def a_little(path: str) -> bytes:
        with open(path, "rb", buffering=0) as handle:
            return handle.read(10)

    assert pump(blocks, a_little, pipes=pipes) == b"x" * 10
    assert blocks.taken == 8
    assert blocks.digest.hexdigest() == hashlib.sha256(b"x" * 8_000_000).hexdigest()


@BOTH
def test_a_reader_that_never_looks_does_not_stop_the_hashing(pipes: bool) -> None:
    blocks = Hashing([b"x" * 1_000_000] * 8)
    assert pump(blocks, lambda _path: 7, pipes=pipes) == 7
    assert blocks.taken == 8


@BOTH
def test_a_reader_that_fails_fails_with_its_own_error_after_all_is_taken(pipes: bool) -> None:
    blocks = Hashing([b"x" * 1_000_000] * 8)

    def fails(path: str) -> None:
        with open(path, "rb", buffering=0) as handle:
            handle.read(10)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        pump(blocks, fails, pipes=pipes)
    assert blocks.taken == 8


@BOTH
def test_an_error_in_the_blocks_wins(pipes: bool) -> None:
    def torn() -> Iterator[bytes]:
        yield b'{"a":1}\n'
        yield b'{"a":'
        raise ValueError("torn")

    def parse(path: str) -> int:
        if not whole(path).endswith(b"}\n"):
            raise KeyError("not JSON")
        return 1

    with pytest.raises(ValueError, match="torn"):
        pump(torn(), parse, pipes=pipes)


@BOTH
def test_an_error_in_the_blocks_is_raised_though_the_reader_is_content(pipes: bool) -> None:
    def torn() -> Iterator[bytes]:
        yield b"1"
        raise ValueError("torn")

    with pytest.raises(ValueError, match="torn"):
        pump(torn(), whole, pipes=pipes)


@BOTH
def test_nothing_is_left_behind(
    pipes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = set(os.listdir("/dev/fd"))
    threads = threading.active_count()

    def torn() -> Iterator[bytes]:
        yield b"1"
        raise ValueError("torn")

    missing: dict[str, int] = {}
    for _ in range(20):
        pump([b"1", b"2"], whole, pipes=pipes)
        with pytest.raises(ValueError):
            pump(torn(), whole, pipes=pipes)
        with pytest.raises(KeyError):
            pump([b"1"], missing.__getitem__, pipes=pipes)
    assert set(os.listdir("/dev/fd")) == before
    assert threading.active_count() == threads
    assert os.listdir(tmp_path) == []


def test_a_private_file_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert pump([b"1"], lambda path: os.stat(path).st_mode & 0o777, pipes=False) == 0o600


def test_a_disk_that_is_full_is_an_error_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def full() -> Iterator[bytes]:
        yield b"1"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        pump(full(), whole, pipes=False)
    assert os.listdir(tmp_path) == []


@BOTH
def test_duckdb_reads_each_line_once(pipes: bool) -> None:
    lines = [b'{"n":%d}\n' % at for at in range(50_000)]
    blocks = Hashing(b"".join(lines[at : at + 997]) for at in range(0, len(lines), 997))
    connection = duckdb.connect()

    def load(path: str) -> list[tuple[int, int]]:
        return connection.execute(
            f"SELECT count(*), sum(n)::BIGINT FROM read_ndjson('{path}', columns = {{n: 'BIGINT'}})"
        ).fetchall()

    assert pump(blocks, load, pipes=pipes) == [(50_000, sum(range(50_000)))]
    assert blocks.digest.hexdigest() == hashlib.sha256(b"".join(lines)).hexdigest()


@BOTH
def test_duckdb_that_gives_up_leaves_the_hashing_whole(pipes: bool) -> None:
    blocks = Hashing([b"not json\n"] + [b'{"n":1}\n' * 100_000] * 8)
    connection = duckdb.connect()

    def load(path: str) -> object:
        return connection.execute(
            f"SELECT count(n) FROM read_ndjson('{path}', columns = {{n: 'BIGINT'}})"
        ).fetchall()

    with pytest.raises(duckdb.Error):
        pump(blocks, load, pipes=pipes)
    assert blocks.taken == 9
