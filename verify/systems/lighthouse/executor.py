"""What runs on a cluster's executors: one file of records to typed rows, by the strict reader.

Nothing here may import what only the driver has. A first reading takes the digests of the files.
Every later one is of the bytes that have them, or it fails: also where an executor was lost and its
files are read again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pyarrow as pa

from verify.errors import UnreadableInput
from verify.systems.lighthouse.strict import InvalidLine
from verify.systems.lighthouse.typed import RELATIONS, typed_line, unscaled
from verify.trust.sweep import Block
from verify.trust.tap import LineTooLong, Tap

PART = "#part"
"""The relation of the one row of a file that says, in its `note`, what was found on the way."""
ROWS = 20_000
MAX_INVALID = 100_000
_ARROW = {
    "text": pa.string(),
    "count": pa.int64(),
    "instant": pa.int64(),
    "amount": pa.decimal128(38, 18),
    "flag": pa.bool_(),
}
_SPARK = {"text": "STRING", "count": "BIGINT", "instant": "BIGINT", "flag": "BOOLEAN"} | {
    "amount": "DECIMAL(38, 18)"
}
_OWN = {
    name: kind for columns in RELATIONS.values() for name, kind in columns.items() if name != "line"
}
HEAD = {
    "part": pa.int32(),
    "at": pa.int64(),
    "relation": pa.string(),
    "note": pa.string(),
}
ROW = pa.schema([*HEAD.items(), *((name, _ARROW[kind]) for name, kind in _OWN.items())])
COLUMNS = ", ".join(
    ["part INT, at BIGINT, relation STRING, note STRING"]
    + [f"`{name}` {_SPARK[kind]}" for name, kind in _OWN.items()]
)
FILES = "part INT, sha256 STRING"
_FILE_ROW = pa.schema([("part", pa.int32()), ("sha256", pa.string())])
DIGESTS = "part INT, at BIGINT, digest BINARY"
_DIGEST_ROW = pa.schema([("part", pa.int32()), ("at", pa.int64()), ("digest", pa.binary())])
Batches = Iterator[pa.RecordBatch]


class ChangedFile(Exception):
    """A file is no longer what it was when its digest was taken."""


@dataclass(frozen=True)
class Expected:
    """The files by the form of `plain_path`, each with its number and digest."""

    files: Mapping[str, tuple[int, str]]

    def part_of(self, path: str, content: bytes) -> int:
        """The number of the file. Raises ChangedFile."""
        part, sha256 = self.files[plain_path(path)]
        if hashlib.sha256(content).hexdigest() != sha256:
            raise ChangedFile(f"{path} changed while it was being read")
        return part


def plain_path(path: str) -> str:
    """A path as Spark names it and as a user does, in one form."""
    return "/" + path.removeprefix("file:").lstrip("/") if path.startswith(("file:", "/")) else path


def files_seen(batches: Batches, parts: Mapping[str, int]) -> Batches:
    """For `mapInArrow`: batches of `path` and `content` to rows of `FILES`."""
    for path, content in _files(batches):
        row = {"part": [parts[plain_path(path)]], "sha256": [hashlib.sha256(content).hexdigest()]}
        yield pa.RecordBatch.from_pydict(row, schema=_FILE_ROW)


def rows_of_files(batches: Batches, expected: Expected, names: Mapping[str, str]) -> Batches:
    """The same to rows of `COLUMNS`: one a record that levers read, and one of `PART` a file."""
    for path, content in _files(batches):
        yield from _rows_of(expected.part_of(path, content), path, content, names)


def digests_of_files(batches: Batches, expected: Expected) -> Batches:
    """The same to rows of `DIGESTS`: one a line."""
    for path, content in _files(batches):
        part = expected.part_of(path, content)
        for block in _Reading(path, content).blocks():
            lines = [hashlib.sha256(raw).digest() for raw in block.lines()]
            at = range(block.first_line, block.first_line + len(lines))
            columns = {"part": [part] * len(lines), "at": list(at), "digest": lines}
            yield pa.RecordBatch.from_pydict(columns, schema=_DIGEST_ROW)


def _files(batches: Batches) -> Iterator[tuple[str, bytes]]:
    for batch in batches:
        for at in range(batch.num_rows):
            yield batch.column("path")[at].as_py(), batch.column("content")[at].as_py()


class _Reading:
    """One file, and what is known of it once its blocks were read."""

    def __init__(self, path: str, content: bytes) -> None:
        self._path = path
        self.tap = Tap(BytesIO(content), path)
        self.unread_from: int | None = None
        self.failure: str | None = None

    def blocks(self) -> Iterator[Block]:
        first = 1
        try:
            for data in self.tap.blocks():
                yield Block(data, self._path, first, 1)
                first = 1 + self.tap.lines
        except LineTooLong as error:
            self.unread_from = error.line
            self.tap.drain()
        except UnreadableInput as error:
            self.failure = error.message


def _rows_of(part: int, path: str, content: bytes, names: Mapping[str, str]) -> Batches:
    reading = _Reading(path, content)
    blanks: list[int] = []
    invalid: list[tuple[int, str, str | None]] = []
    more_invalid = 0
    waiting: dict[str, list[tuple[Any, ...]]] = {}
    for block in reading.blocks():
        for at, raw in enumerate(block.lines(), block.first_line):
            try:
                record = typed_line(raw, names, at)
            except InvalidLine as error:
                if len(invalid) < MAX_INVALID:
                    invalid.append((at, error.reason, error.kind))
                else:
                    more_invalid += 1
                continue
            if record is None:
                blanks.append(at)
            elif record.relation:
                waiting.setdefault(record.relation, []).append(record.row)
        for relation in [name for name, rows in waiting.items() if len(rows) >= ROWS]:
            yield _batch(part, relation, waiting.pop(relation))
    for relation, rows in waiting.items():
        yield _batch(part, relation, rows)
    tap = reading.tap
    note = {
        "bytes": len(content),
        "lines": tap.lines,
        "carriage_returns": tap.carriage_returns,
        "byte_order_mark": tap.byte_order_mark,
        "blanks": blanks,
        "invalid": invalid,
        "more_invalid": more_invalid,
        "unread_from": reading.unread_from,
        "failure": reading.failure,
    }
    yield _note(part, json.dumps(note))


def _batch(part: int, relation: str, rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
    kinds = RELATIONS[relation]
    columns = dict(zip(kinds, zip(*rows, strict=True), strict=True))
    for name, kind in kinds.items():
        if kind == "amount":
            columns[name] = tuple(map(unscaled, columns[name]))
    count = len(rows)
    head = {"part": [part] * count, "at": columns.pop("line"), "relation": [relation] * count}
    return _arrow(head | columns, count)


def _note(part: int, note: str) -> pa.RecordBatch:
    one = {"part": [part], "at": [0], "relation": [PART], "note": [note]}
    return _arrow(one, 1)


def _arrow(columns: Mapping[str, Any], count: int) -> pa.RecordBatch:
    arrays = [
        pa.array(columns[field.name], field.type)
        if field.name in columns
        else pa.nulls(count, field.type)
        for field in ROW
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=ROW)
