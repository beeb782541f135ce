"""Bytes handed out while they are hashed: what is parsed is what was hashed.

A `Tap` reads a file once. Every byte read goes into the digest and, decompressed where the name
says so, out to the caller in blocks of whole lines. The same read counts lines and notes where a
number is longer than a binary double can carry, because a JSON parser would round it unasked.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import BinaryIO

from verify.errors import UnreadableInput
from verify.trust.inflate import ERRORS, gunzip, unzstd

BLOCK = 1 << 20
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
                yield self._seen(rest + chunk[:end])
                rest = chunk[end:]
            else:
                rest += chunk
            if len(rest) > MAX_LINE:
                raise LineTooLong(self.lines + 1)
        if rest:
            yield self._seen(rest)

    def drain(self) -> None:
        """Read what is left, for its digest alone."""
        for _ in self._raw():
            pass

    def _seen(self, block: bytes) -> bytes:
        if self.lines == 0 and block.startswith(b"\xef\xbb\xbf"):
            self.byte_order_mark = True
        elif block.startswith(b"\xef\xbb\xbf"):
            self.long_numbers.append(self.lines + 1)  # a parser that begins here would skip it
        # A run of sixteen covers four neighbours among every fourth byte: a cheap look first.
        if _RUN[:4] in block[::4].translate(_DIGITS) and _RUN in block.translate(_DIGITS):
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
            while chunk := self._filled():
                self._digest.update(chunk)
                self.bytes += len(chunk)
                yield chunk
        except OSError as error:
            why = (error.strerror or "unknown error").lower()
            raise UnreadableInput(f"cannot read {self._name} to its end: {why}") from None

    def _filled(self) -> bytes:
        """A whole block, or what is left: every reading of a file is cut at the same places."""
        block = self._handle.read(BLOCK)
        while block and (more := self._handle.read(BLOCK - len(block))):
            block += more
        return block

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


def blank_lines(lines: list[bytes], first_line: int) -> list[int]:
    """The numbers of those of `lines` that a parser may pass over as white space; the first is
    `first_line`."""
    return [first_line + at for at, line in enumerate(lines) if not line.strip()]


def nearly_blank_lines(lines: list[bytes], first_line: int) -> list[int]:
    """Those of the blank lines that hold white space which JSON does not know."""
    blanks = blank_lines(lines, first_line)
    return [at for at in blanks if lines[at - first_line].strip(b" \t\r")]
