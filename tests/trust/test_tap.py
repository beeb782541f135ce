"""What is handed out is what was hashed, whole lines at a time, however the bytes come in."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
import re
import zlib
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st

from verify.errors import UnreadableInput
from verify.trust import tap as tap_module
from verify.trust.tap import (
    BLOCK,
    MAX_LINE,
    ChangedMeanwhile,
    LineTooLong,
    Tap,
    blank_lines,
    nearly_blank_lines,
)


class Dripping(io.BytesIO):
    """A file that hands out a few bytes at a time."""

    def __init__(self, data: bytes, seed: int) -> None:
        super().__init__(data)
        self.rng = random.Random(seed)

    def read(self, size: int | None = -1, /) -> bytes:
        assert size is not None
        assert size >= 0
        return super().read(min(size, self.rng.randrange(1, 90)))


def tapped(data: bytes, name: str = "records.jsonl") -> tuple[Tap, list[bytes]]:
    tap = Tap(io.BytesIO(data), name)
    return tap, list(tap.blocks())


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tap_module, "BLOCK", 64)


LINES = st.lists(st.binary(max_size=90).map(lambda line: line.replace(b"\n", b"")), max_size=12)


@given(LINES, st.booleans(), st.integers(0, 1000))
def test_blocks_are_the_bytes_in_whole_lines(lines: list[bytes], ends: bool, seed: int) -> None:
    data = b"\n".join(lines) + (b"\n" if ends else b"")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tap_module, "BLOCK", 64)
        tap = Tap(Dripping(data, seed), "records.jsonl")
        blocks = list(tap.blocks())
        assert blocks == tapped(data)[1]  # however it drips
    assert b"".join(blocks) == data
    assert all(block.endswith(b"\n") for block in blocks[:-1])
    assert all(blocks)
    assert tap.sha256 == hashlib.sha256(data).hexdigest()
    assert tap.bytes == len(data)
    assert tap.lines == len(data.split(b"\n")) - (data.endswith(b"\n") or not data)
    assert tap.byte_order_mark == data.startswith(b"\xef\xbb\xbf")
    assert tap.carriage_returns == data.count(b"\r\n")


@given(
    st.binary(max_size=2000), st.integers(1, 4), st.sampled_from(["gz", "zst"]), st.integers(0, 9)
)
def test_compressed_blocks_are_the_plain_bytes_and_the_digest_is_of_the_packed(
    data: bytes, members: int, suffix: str, seed: int
) -> None:
    size = len(data) // members + 1
    pieces = [data[at : at + size] for at in range(0, members * size, size)]
    packed = b"".join(packer(suffix)(piece) for piece in pieces)
    tap = Tap(Dripping(packed, seed), f"records.JSONL.{suffix.upper()}")
    assert b"".join(tap.blocks()) == data
    assert tap.sha256 == hashlib.sha256(packed).hexdigest()
    assert tap.bytes == len(packed)


def packer(suffix: str) -> Any:
    return gzip.compress if suffix == "gz" else zstandard.compress


TEXT = b"".join(b'{"n":%d}\n' % (at * at) for at in range(3000))


@pytest.mark.parametrize("suffix", ["gz", "zst"])
@pytest.mark.parametrize(
    "damage",
    {
        "cut in the header": lambda packed: packed[:3],
        "cut in the middle": lambda packed: packed[: len(packed) // 2],
        "cut by a byte": lambda packed: packed[:-1],
        "cut in the second member": lambda packed: packed + packed[:-5],
        "one byte behind": lambda packed: packed + b"\x1f",
        "zeros behind": lambda packed: packed + b"\0" * 512,
        "text behind": lambda packed: packed + b'{"n":1}\n',
        "text in front": lambda packed: b"\n" + packed,
        "a byte changed": lambda packed: packed[:40] + bytes([packed[40] ^ 1]) + packed[41:],
        "not compressed at all": lambda _packed: TEXT,
        "nothing": lambda _packed: b"",
    }.items(),
    ids=lambda damage: damage[0] if isinstance(damage, tuple) else damage,
)
def test_damaged_compression_is_an_error_and_never_an_early_end(suffix: str, damage: Any) -> None:
    packed = damage[1](
        zstandard.ZstdCompressor(write_checksum=True).compress(TEXT)
        if suffix == "zst"
        else gzip.compress(TEXT)
    )
    with pytest.raises(UnreadableInput, match="cannot decompress"):
        tapped(packed, f"records.jsonl.{suffix}")


def test_a_gzip_checksum_that_does_not_fit_is_an_error() -> None:
    packed = bytearray(gzip.compress(TEXT))
    packed[-5] ^= 1
    with pytest.raises(UnreadableInput, match="cannot decompress"):
        tapped(bytes(packed), "records.jsonl.gz")


def test_a_zlib_stream_is_no_gzip() -> None:
    with pytest.raises(UnreadableInput):
        tapped(zlib.compress(TEXT), "records.jsonl.gz")


def test_a_file_that_unpacks_to_a_thousand_times_its_size_comes_in_pieces() -> None:
    for suffix in ("gz", "zst"):
        packed = packer(suffix)(b"\n" * (24 << 20))
        tap = Tap(io.BytesIO(packed), f"records.jsonl.{suffix}")
        assert max(len(block) for block in tap.blocks()) <= 16 << 20
        assert tap.lines == 24 << 20


def test_an_endless_line_in_a_small_file_is_refused_in_little_memory() -> None:
    for suffix in ("gz", "zst"):
        packed = packer(suffix)(b"\n\n" + b"x" * (30 << 20))
        tap = Tap(io.BytesIO(packed), f"records.jsonl.{suffix}")
        with pytest.raises(LineTooLong) as caught:
            list(tap.blocks())
        assert caught.value.line == 3
        tap.drain()
        assert tap.sha256 == hashlib.sha256(packed).hexdigest()


def test_a_window_that_no_reader_should_give_is_an_error() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=28, enable_ldm=False)
    maker = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    packed = maker.compress(b"\n" * 1000) + maker.flush()
    with pytest.raises(UnreadableInput, match="cannot decompress"):
        tapped(packed, "records.jsonl.zst")


@pytest.mark.parametrize("before", [0, 1000, BLOCK, BLOCK // 2 + 7])
@pytest.mark.parametrize("end", [b"\n", b""])
def test_the_longest_line_is_exact_wherever_it_begins(before: int, end: bytes) -> None:
    head = b"x" * (before - 1) + b"\n" if before else b""
    longest = b"y" * MAX_LINE
    tap, blocks = tapped(head + longest + end + (b"z\n" if end else b""))
    assert sum(map(len, blocks)) == tap.bytes
    with pytest.raises(LineTooLong) as caught:
        tapped(head + longest + b"y" + end + (b"z\n" if end else b""))
    assert caught.value.line == (2 if before else 1)


def test_what_is_left_after_a_line_too_long_still_reaches_the_digest() -> None:
    data = b"1\n2\n" + b"x" * (MAX_LINE + 5) + b"\n4\n"
    tap = Tap(io.BytesIO(data), "records.jsonl")
    with pytest.raises(LineTooLong) as caught:
        list(tap.blocks())
    tap.drain()
    assert caught.value.line == 3
    assert tap.lines == 2
    assert tap.sha256 == hashlib.sha256(data).hexdigest()
    assert tap.bytes == len(data)


def test_a_read_that_fails_is_an_error_with_its_reason() -> None:
    class Failing(io.BytesIO):
        def read(self, _size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(UnreadableInput, match=r"cannot read records\.jsonl to its end: input"):
        list(Tap(Failing(), "records.jsonl").blocks())


# --- some of the lines once more --------------------------------------------------------------


@given(LINES, st.data())
def test_blocks_read_again_hold_the_lines_asked_for(
    lines: list[bytes], data: st.DataObject
) -> None:
    whole = b"".join(line + b"\n" for line in lines)
    numbers = st.lists(st.integers(1, max(len(lines), 1)), unique=True, max_size=len(lines))
    asked = sorted(data.draw(numbers))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tap_module, "BLOCK", 64)
        tap = tapped(whole)[0]
        found: dict[int, bytes] = {}
        for first, block in tap.blocks_with(asked, Dripping(whole, 1)):
            found.update(enumerate(block.split(b"\n")[:-1], start=first))
    assert set(asked) <= set(found)
    assert all(lines[number - 1] == found[number] for number in asked)


@given(st.binary(min_size=1, max_size=600), st.integers(0, 599), st.integers(1, 255))
def test_a_byte_that_changed_in_a_block_read_again_is_noticed(
    data: bytes, at: int, change: int
) -> None:
    at %= len(data)
    changed = data[:at] + bytes([data[at] ^ change]) + data[at + 1 :]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tap_module, "BLOCK", 64)
        tap = tapped(data)[0]
        lines = range(1, tap.lines + 1)
        assert b"".join(block for _, block in tap.blocks_with(lines, io.BytesIO(data))) == data
        for other in (changed, data[:-1], data + b"x"):
            with pytest.raises(ChangedMeanwhile):
                list(tap.blocks_with(lines, io.BytesIO(other)))


def test_places_in_a_packed_file_are_not_places_of_lines() -> None:
    for name, seekable in (("a.jsonl", True), ("a.jsonl.gz", False), ("a.JSONL.ZST", False)):
        assert Tap(io.BytesIO(), name).can_seek(io.BytesIO()) == seekable


# --- numbers that a parser would round -------------------------------------------------------


def number_texts() -> st.SearchStrategy[str]:
    """JSON numbers with many digits, some long enough to be in doubt and some not."""
    digits = st.text("0123456789", min_size=1, max_size=24)
    whole = st.one_of(st.just("0"), digits.map(lambda text: text.lstrip("0") or "0"))
    point = st.one_of(st.just(""), digits.map(lambda text: "." + text))
    power = st.one_of(st.just(""), st.integers(-30, 30).map(lambda e: f"e{e}"))
    return st.tuples(st.sampled_from(["", "-"]), whole, point, power).map("".join)


def in_doubt(number: str) -> bool:
    mantissa = number.lower().lstrip("-").partition("e")[0]
    return len(mantissa) >= 17 or (len(mantissa) == 16 and "e" in number.lower())


PLACES = (b'{"a":%s}', b'{"a": %s ,"b":1}', b"[%s]", b"[1,%s]", b'{"a":[2,\t%s]}', b'{"a":\r%s}')


@given(
    number=number_texts(),
    place=st.sampled_from(PLACES),
    before=st.integers(0, 150),
    behind=st.integers(0, 70),
)
@example("0.1234567890123456", PLACES[0], 3, 0)
@example("1234567890123456e1", PLACES[2], 0, 0)
@settings(max_examples=400)
def test_a_number_too_long_for_a_double_is_noted_wherever_it_stands(
    number: str, place: bytes, before: int, behind: int
) -> None:
    filler = b'{"note":"%s"}\n' % (b"x" * before)
    data = filler + place % number.encode() + b"\n" + b'{"z":"%s"}' % (b"y" * behind)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tap_module, "BLOCK", 64)
        tap, _ = tapped(data)
    assert (2 in tap.long_numbers) == in_doubt(number)


@given(number_texts().filter(lambda number: not in_doubt(number)))
@settings(max_examples=300)
def test_a_number_that_is_not_noted_survives_a_double(number: str) -> None:
    """What is not in doubt comes back from a binary double as the number that was written."""
    if "." in number or "e" in number:
        assert Decimal(repr(float(number))) == Decimal(number)


@pytest.mark.parametrize(
    "line",
    [
        b'{"id":"1234567890123456789"}',
        b'{"at":"2026-10-03T12:00:00.123456789012"}',
        b'{"1234567890123456789":1}',
        b'{"a":123456789012345,"b":678901234567890}',
        b'{"a":1234567890123456,"b":"7"}',
    ],
)
def test_what_is_no_long_number_is_not_noted(line: bytes) -> None:
    assert tapped(line)[0].long_numbers == []


@pytest.mark.usefixtures("small_blocks")
def test_each_line_with_a_long_number_is_noted_once_by_its_number() -> None:
    long = b'{"a":12345678901234567,"b":0.12345678901234567}'
    lines = [b"{}", long, b"", b"{}", long, b"x" * 100, long]
    assert tapped(b"\n".join(lines))[0].long_numbers == [2, 5, 7]


@pytest.mark.usefixtures("small_blocks")
def test_a_byte_order_mark_where_a_parser_may_begin_is_noted() -> None:
    lines = [b"\xef\xbb\xbf{}", b"x" * 57, b"\xef\xbb\xbf{}", b"{}"]
    tap, blocks = tapped(b"\n".join(lines))
    assert blocks[1].startswith(b"\xef\xbb\xbf")
    assert tap.byte_order_mark
    assert tap.long_numbers == [3]


# --- blank lines -----------------------------------------------------------------------------


def test_blank_lines_are_those_of_white_space() -> None:
    lines = [b"", b" ", b"\t\r", b"\x0b", b" \x0c", b"\xa0", b"\x00", b"\xe2\x80\xa8", b"{}"]
    assert blank_lines(lines, 11) == [11, 12, 13, 14, 15]
    assert nearly_blank_lines(lines, 11) == [14, 15]


@given(st.lists(st.sampled_from([b"", b" ", b"\t", b"\r", b"\x0c", b"1", b"\x85"]), max_size=9))
def test_a_blank_line_is_blank_or_nearly_so(lines: list[bytes]) -> None:
    blank = set(blank_lines(lines, 1))
    assert set(nearly_blank_lines(lines, 1)) <= blank
    for at, line in enumerate(lines, start=1):
        assert (at in blank) == (not line.strip())


def _records() -> Iterator[bytes]:
    for at in range(20_000):
        yield json.dumps({"n": at, "text": "ü" * (at % 50)}).encode() + b"\n"


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_a_file_of_many_blocks(suffix: str) -> None:
    data = b"".join(_records())
    packed = packer(suffix[1:])(data) if suffix else data
    tap, blocks = tapped(packed, f"records.jsonl{suffix}")
    assert b"".join(blocks) == data
    assert tap.lines == 20_000
    assert all(block.endswith(b"\n") for block in blocks)


@given(st.binary(max_size=60), st.integers(14, 19), st.binary(max_size=60), st.data())
def test_no_run_of_sixteen_digits_is_overlooked(
    before: bytes, length: int, after: bytes, data: st.DataObject
) -> None:
    run = bytes(
        data.draw(st.lists(st.sampled_from(b"0123456789."), min_size=length, max_size=length))
    )
    block = before + run + after
    expected = re.search(rb"[0-9.]{16}", block) is not None
    assert tap_module._may_hold_long_numbers(block) == expected
