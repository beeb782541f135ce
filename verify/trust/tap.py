"""Bytes handed out while they are hashed: what is parsed is what was hashed.

A `Tap` reads a file once. Every byte read goes into the digest and, decompressed where the name
says so, out to the caller in blocks of whole lines. The same read counts lines and notes where a
number is longer than a binary double can carry, because a JSON parser would round it unasked.
"""

from __future__ import annotations

import hashlib
import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from verify.errors import UnreadableInput
from verify.trust.inflate import ERRORS, gunzip, unzstd

BLOCK = 1 << 18
MAX_LINE = 16 * 1024 * 1024
# Fifteen significant digits survive a binary double and come back; more may not. An integer is
# exact in any parser here, so only a run with a point in it or an exponent behind it is in doubt.
_RUN = b"0" * 16
_DIGITS = bytes(48 if (48 <= byte <= 57 or byte == 46) else byte for byte in range(256))
_LONG_NUMBER = re.compile(rb"[:\[,]\s*-?(?:[0-9.]{17}|[0-9.]{16}[eE])")


class LineTooLong(Exception):
    """A line beyond `MAX_LINE` bytes; carries its number."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class ChangedMeanwhile(Exception):
    """A file is not what it was when it was read before; carries its name."""


class Tap:
    """One reading of one file.

    After `blocks()` is exhausted: `sha256` and `bytes` of the file as it lies on disk, `lines`
    (blank ones included), `carriage_returns` (lines that end in CR LF), `byte_order_mark`,
    `long_numbers` (numbers, from 1, of the lines that a parser might misread).
    """

    def __init__(self, handle: BinaryIO, name: str) -> None:
        self._handle = handle
        self._name = name
        self._digest = hashlib.sha256()
        self._states: list[hashlib._Hash] = []
        self._starts: list[tuple[int, int]] = []
        self._given = 0
        self.bytes = 0
        self.lines = 0
        self.carriage_returns = 0
        self.byte_order_mark = False
        self.long_numbers: list[int] = []

    @property
    def sha256(self) -> str:
        """Hex digest of what was read so far."""
        return self._digest.hexdigest()

    def blocks(self) -> Iterator[bytes]:
        """Whole lines, decompressed, about a mebibyte at a time; the last may lack its newline.

        Raises UnreadableInput when the file cannot be read or decompressed to its end, and
        LineTooLong.
        """
        rest = b""
        for chunk in self._plain():
            end = chunk.rfind(b"\n") + 1
            if len(rest) + chunk.find(b"\n") > MAX_LINE:
                raise LineTooLong(self.lines + 1)
            if end:
                yield self._seen(b"".join((rest, memoryview(chunk)[:end])))
                rest = chunk[end:]
            else:
                rest += chunk
            if len(rest) > MAX_LINE:
                raise LineTooLong(self.lines + 1)
        if rest:
            yield self._seen(rest)

    def blocks_with(self, lines: Sequence[int], handle: BinaryIO) -> Iterator[tuple[int, bytes]]:
        """Those blocks once more that hold the numbered `lines`, ascending, each with the number
        of its first line; read from `handle`, which is another opening of the same file.

        Only for a file that `can_seek`. Each stretch is hashed on from where the digest stood
        before it, so it must be what was read the first time. Raises ChangedMeanwhile.
        """
        if handle.seek(0, os.SEEK_END) != self.bytes:
            raise ChangedMeanwhile(self._name)
        starts = [first for first, _ in self._starts]
        for at in sorted({bisect_right(starts, line) - 1 for line in lines}):
            first, begins = self._starts[at]
            ends = self._starts[at + 1][1] if at + 1 < len(self._starts) else self._given
            yield first, self._same(handle, begins, ends)

    def can_seek(self, handle: BinaryIO) -> bool:
        """Whether the places of blocks are places in the file."""
        return not self._name.lower().endswith((".gz", ".zst")) and handle.seekable()

    def _same(self, handle: BinaryIO, begins: int, ends: int) -> bytes:
        found = []
        for at in range(begins // BLOCK, -(-ends // BLOCK)):
            handle.seek(at * BLOCK)
            chunk = _filled(handle)
            state = self._states[at].copy()
            state.update(chunk)
            after = self._states[at + 1] if at + 1 < len(self._states) else self._digest
            if state.digest() != after.digest():
                raise ChangedMeanwhile(self._name)
            found.append(chunk)
        base = begins // BLOCK * BLOCK
        return b"".join(found)[begins - base : ends - base]

    def drain(self) -> None:
        """Read what is left, for its digest alone."""
        for _ in self._raw():
            pass

    def _seen(self, block: bytes) -> bytes:
        self._starts.append((self.lines + 1, self._given))
        self._given += len(block)
        if self.lines == 0 and block.startswith(b"\xef\xbb\xbf"):
            self.byte_order_mark = True
        elif block.startswith(b"\xef\xbb\xbf"):
            self.long_numbers.append(self.lines + 1)  # a parser that begins here would skip it
        if _may_hold_long_numbers(block):
            self._note_long_numbers(block)
        if b"\r" in block:
            self.carriage_returns += block.count(b"\r\n")
        self.lines += block.count(b"\n") + (not block.endswith(b"\n"))
        return block

    def _note_long_numbers(self, block: bytes) -> None:
        for number, line in enumerate(block.split(b"\n"), start=self.lines + 1):
            if _LONG_NUMBER.search(line):
                self.long_numbers.append(number)

    def _raw(self) -> Iterator[bytes]:
        try:
            while chunk := _filled(self._handle):
                self._states.append(self._digest.copy())
                self._digest.update(chunk)
                self.bytes += len(chunk)
                yield chunk
        except OSError as error:
            why = (error.strerror or "unknown error").lower()
            raise UnreadableInput(f"cannot read {self._name} to its end: {why}") from None

    def _plain(self) -> Iterator[bytes]:
        lowered = self._name.lower()
        try:
            if lowered.endswith(".gz"):
                yield from gunzip(self._raw())
            elif lowered.endswith(".zst"):
                yield from unzstd(self._raw())
            else:
                yield from self._raw()
        except ERRORS as error:
            raise UnreadableInput(f"cannot decompress {self._name}: {error}") from None


def _filled(handle: BinaryIO) -> bytes:
    """A whole block, or what is left: every reading of a file is cut at the same places."""
    block = handle.read(BLOCK)
    while block and (more := handle.read(BLOCK - len(block))):
        block += more
    return block


def _may_hold_long_numbers(block: bytes) -> bool:
    """Whether sixteen digits or points stand in a row: they cover four neighbours among every
    fourth byte, which is a cheap look that seldom finds anything."""
    sparse = block[::4].translate(_DIGITS)
    at = sparse.find(_RUN[:4])
    while at >= 0:
        if _RUN in block[max(4 * at - 3, 0) : 4 * at + 16].translate(_DIGITS):
            return True
        at = sparse.find(_RUN[:4], at + 1)
    return False


def blank_lines(lines: list[bytes], first_line: int) -> list[int]:
    """The numbers of those of `lines` that a parser may pass over as white space; the first is
    `first_line`."""
    return [first_line + at for at, line in enumerate(lines) if not line.strip()]


def nearly_blank_lines(lines: list[bytes], first_line: int) -> list[int]:
    """Those of the blank lines that hold white space which JSON does not know."""
    blanks = blank_lines(lines, first_line)
    return [at for at in blanks if lines[at - first_line].strip(b" \t\r")]
