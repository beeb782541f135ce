"""Decompression in bounded memory: chunks in, pieces of at most a mebibyte out.

A stream that is cut off is an error, and so is anything behind the last one.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import zstandard

PIECE = 1 << 20
# Four bytes of Zstandard can stand for 128 KiB. What is given to the decoder at once bounds what
# it returns at once: 512 bytes to 16 MiB.
_ZSTD_STEP = 512
_ZSTD_WINDOW = 1 << 27

ERRORS = (zlib.error, zstandard.ZstdError, EOFError)


class Surplus(Exception):
    """Data that ended before the bytes that were to hold it; `count` of them are left."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count


def inflate(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The content of one raw deflate stream. Raises one of `ERRORS`, and Surplus."""
    inflater, surplus = zlib.decompressobj(wbits=-zlib.MAX_WBITS), 0
    for chunk in chunks:
        if inflater.eof:
            surplus += len(chunk)
            continue
        more = True
        while more and not inflater.eof:
            piece = inflater.decompress(chunk, PIECE)
            if piece:
                yield piece
            chunk = inflater.unconsumed_tail
            more = bool(chunk) or len(piece) == PIECE  # a full piece may have left some behind
        surplus += len(inflater.unused_data)
    if not inflater.eof:
        raise EOFError("it ends in the middle of its data")
    if surplus:
        raise Surplus(surplus)


def gunzip(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The content of all gzip members; checksums are checked. Raises one of `ERRORS`."""
    inflater, begun = zlib.decompressobj(wbits=31), True  # without a member it is cut short
    for chunk in chunks:
        while chunk:
            begun = True
            piece = inflater.decompress(chunk, PIECE)
            if piece:
                yield piece
            if inflater.eof:  # another member may follow
                chunk = inflater.unused_data
                inflater, begun = zlib.decompressobj(wbits=31), False
            else:
                chunk = inflater.unconsumed_tail
    if begun:
        raise EOFError("it ends in the middle of its data")


def unzstd(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The content of all Zstandard frames. Raises one of `ERRORS`."""
    maker = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    inflater, begun = maker.decompressobj(), True
    for chunk in chunks:
        for start in range(0, len(chunk), _ZSTD_STEP):
            step = chunk[start : start + _ZSTD_STEP]
            while step:
                begun = True
                plain = inflater.decompress(step)
                for at in range(0, len(plain), PIECE):
                    yield plain[at : at + PIECE]
                if inflater.eof:
                    step = inflater.unused_data
                    inflater, begun = maker.decompressobj(), False
                else:
                    step = b""
    if begun:
        raise EOFError("it ends in the middle of its data")
