"""From the bytes of an export to Polars frames, without DuckDB: the second calculation's records.

The bytes are read through the same tap that hashes them, and every line by the strict reader. The
frames hold the columns that levers read, all of them in memory.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import polars as pl

from verify.errors import IntegrityFailure, Problem
from verify.store.database import threads
from verify.systems.base import Progress
from verify.systems.lighthouse.load import MAX_INVALID, InvalidAt, Loaded, Part, Segment
from verify.systems.lighthouse.strict import InvalidLine
from verify.systems.lighthouse.typed import RELATIONS, typed_line
from verify.trust.source import Source
from verify.trust.sweep import SMALL, Block, in_order
from verify.trust.tap import LineTooLong, Tap

Frames = dict[str, pl.DataFrame]
_TYPES: dict[str, type[pl.DataType]] = {
    "text": pl.String,
    "count": pl.Int64,
    "instant": pl.Int64,
    "amount": pl.Int128,
    "flag": pl.Boolean,
}


@dataclass
class _BlockRead:
    """What a block of lines holds."""

    frames: Frames = field(default_factory=dict)
    blanks: list[int] = field(default_factory=list)
    invalid: list[InvalidAt] = field(default_factory=list)


def schema(relation: str) -> dict[str, type[pl.DataType]]:
    """The columns of a relation with their types."""
    return {name: _TYPES[kind] for name, kind in RELATIONS[relation].items()}


def read_frames(
    source: Source,
    paths: Sequence[str],
    *,
    names: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> tuple[Frames, Loaded]:
    """The files `paths` of `source`, in this order: a frame a relation, and what was found on the
    way, as `verify.systems.lighthouse.load.load` reports it.

    Raises UnreadableInput when a file cannot be read or decompressed.
    """
    parts: list[Part] = []

    def blocks() -> Iterator[Block]:
        next_line = 1
        for path in paths:
            part = Part(path, next_line)
            parts.append(part)
            yield from _blocks(source, part, progress)
            next_line += part.lines + (part.unread_from is not None)

    pieces: dict[str, list[pl.DataFrame]] = {relation: [] for relation in RELATIONS}
    blanks: list[int] = []
    invalid: list[InvalidAt] = []
    more_invalid = 0
    read = partial(_read_block, dict(names or {}))
    for found in in_order(read, blocks(), threads() if _worth_it(source, paths) else 1):
        blanks += found.blanks
        room = MAX_INVALID - len(invalid)
        invalid += found.invalid[:room]
        more_invalid += len(found.invalid[room:])
        for relation, frame in found.frames.items():
            pieces[relation].append(frame)
    for part in parts:
        own = blanks[bisect_left(blanks, part.first_line) :]
        own = own[: bisect_left(own, part.first_line + part.lines)]
        rows = part.lines - len(own)
        part.segments.append(Segment(part.first_line, 0, part.lines, rows, blanks=own))
        if part.unread_from is not None:
            reason = "longer than 16 MiB; nothing after it was read"
            invalid.append(InvalidAt(part.unread_from, reason))
    invalid.sort(key=lambda at: at.line)
    frames = {
        relation: pl.concat([pl.DataFrame(schema=schema(relation)), *found], rechunk=True)
        for relation, found in pieces.items()
    }
    return frames, Loaded(tuple(parts), tuple(invalid), more_invalid)


def _worth_it(source: Source, paths: Sequence[str]) -> bool:
    """Whether there is enough to read for several processes. Compressed, a file holds some ten
    times its size."""
    sizes = {entry.name: entry.size for entry in source.entries()}
    return sum(sizes.get(path, 0) * (1 if path.endswith("l") else 10) for path in paths) > SMALL


def repeated(source: Source, loaded: Loaded) -> pl.Series:
    """The numbers of the lines that repeat an earlier one of the export, byte for byte.

    Raises IntegrityFailure when a file is no longer what it was.
    """
    lines: list[int] = []
    digests: list[bytes] = []
    for part in loaded.parts:
        again = Part(part.path, part.first_line)
        for block in _blocks(source, again, None):
            for number, raw in enumerate(block.lines(), block.first_line):
                lines.append(number)
                digests.append(hashlib.sha256(raw).digest())
        if again.sha256 != part.sha256:
            problem = Problem("file_digest", part.path, "it changed while it was being read")
            raise IntegrityFailure([problem])
    seen = pl.DataFrame({"line": lines, "digest": digests}, {"line": pl.Int64, "digest": pl.Binary})
    return seen.filter(~pl.col("digest").is_first_distinct())["line"]


def _blocks(source: Source, part: Part, progress: Progress | None) -> Iterator[Block]:
    """The blocks of a part; afterwards `part` says what was read."""
    with source.open(part.path) as handle:
        tap = Tap(handle, part.path)
        try:
            for data in tap.blocks():
                first = part.first_line + part.lines
                part.lines = tap.lines
                if progress is not None:
                    progress(len(data))
                yield Block(data, part.path, first, part.first_line)
        except LineTooLong as error:
            part.unread_from = part.first_line + error.line - 1
            tap.drain()
    part.sha256, part.bytes, part.lines = tap.sha256, tap.bytes, tap.lines
    part.carriage_returns, part.byte_order_mark = tap.carriage_returns, tap.byte_order_mark


def _read_block(names: Mapping[str, str], block: Block) -> _BlockRead:
    found = _BlockRead()
    rows: dict[str, list[tuple[object, ...]]] = {}
    for number, raw in enumerate(block.lines(), block.first_line):
        try:
            record = typed_line(raw, names, number)
        except InvalidLine as error:
            found.invalid.append(InvalidAt(number, error.reason, error.kind))
            continue
        if record is None:
            found.blanks.append(number)
        elif record.relation:
            rows.setdefault(record.relation, []).append(record.row)
    for relation, members in rows.items():
        found.frames[relation] = pl.DataFrame(members, schema(relation), orient="row")
    return found
