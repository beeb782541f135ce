"""From the bytes of an export to a database of typed records.

The fast path lets DuckDB parse the bytes while they are hashed. It loads what is written plainly
and vouches for nothing else: lines in doubt, and whole files that DuckDB refuses, are read again,
from bytes that must have the same digest, by the strict reader, which either says what the line
holds or that it is invalid. Both paths end in the same SQL.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb

from verify.errors import IntegrityFailure, Problem, UnreadableInput
from verify.store.database import connect
from verify.store.pump import pump
from verify.systems.lighthouse.fields import COLUMNS, FINER, LINE, RECORD_TYPES
from verify.systems.lighthouse.strict import InvalidLine, read_line
from verify.trust.source import Source
from verify.trust.tap import ChangedMeanwhile, LineTooLong, Tap, blank_lines, nearly_blank_lines

# Part of the key of a stored database: raise it when facts.sql, tables.sql or what they mean
# changes.
LOADER = "lighthouse-11"
MAX_INVALID = 100_000
# What DuckDB is given at once. It keeps the order of the lines by holding back what comes early, so
# this bounds its memory; an invalid line costs the slow reading of one segment, not of the file.
SEGMENT = 128 * 1024 * 1024
# DuckDB takes twice this for a buffer; a longer line goes to the strict reader.
MAX_OBJECT = 4 * 1024 * 1024

Progress = Callable[[int], None]


def sql(name: str) -> str:
    """The text of one of the `.sql` files beside this module."""
    return files("verify.systems.lighthouse").joinpath(f"{name}.sql").read_text("utf-8")


@dataclass(frozen=True)
class InvalidAt:
    """A line that cannot be read: its number in the export, counted through all parts. `kind` is
    the type of its record, where that much is beyond doubt."""

    line: int
    reason: str
    kind: str | None = None


@dataclass
class Segment:
    """A run of whole lines that was given to DuckDB at once. `failed`: it refused them."""

    first_line: int
    first_row: int
    lines: int = 0
    rows: int = 0
    failed: bool = False
    blanks: list[int] = field(default_factory=list)

    @property
    def ends_before(self) -> int:
        """The number of the first line after it."""
        return self.first_line + self.lines


@dataclass
class Part:
    """One file of records as it was read. Lines are numbered on from `first_line`."""

    path: str
    first_line: int
    sha256: str = ""
    bytes: int = 0
    lines: int = 0
    carriage_returns: int = 0
    byte_order_mark: bool = False
    segments: list[Segment] = field(default_factory=list)
    long_numbers: list[int] = field(default_factory=list)
    unread_from: int | None = None

    @classmethod
    def from_noted(cls, noted: Mapping[str, Any]) -> Part:
        """A part as `dataclasses.asdict` wrote it down."""
        segments = [Segment(**segment) for segment in noted["segments"]]
        return cls(**{**noted, "segments": segments})

    @property
    def blanks(self) -> int:
        """How many lines hold only white space."""
        return sum(len(segment.blanks) for segment in self.segments)

    @property
    def records(self) -> int:
        """Lines that are not blank."""
        return self.lines - self.blanks


class _Piece:
    """About `SEGMENT` bytes of a run of blocks; `more` says whether anything is left of it."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self.more = True

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for block in self._blocks:
            size += len(block)
            yield block
            if size >= SEGMENT:
                return
        self.more = False


@dataclass(frozen=True)
class Loaded:
    """What the loading found: the parts, and every invalid line (at most `MAX_INVALID`, and how
    many more there are)."""

    parts: tuple[Part, ...]
    invalid: tuple[InvalidAt, ...]
    more_invalid: int = 0

    def place(self, line: int) -> tuple[str, int]:
        """The file and the line in it of a line counted through all parts."""
        starts = [part.first_line for part in self.parts]
        part = self.parts[max(bisect_right(starts, line) - 1, 0)]
        return part.path, line - part.first_line + 1


def load(
    source: Source,
    paths: Sequence[str],
    database: Path,
    *,
    names: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Loaded:
    """Load the files `paths` of `source`, in this order, into a new database at `database`.

    `names` maps an attribute of the contract to the export's own name for it. Invalid lines are
    reported, not raised. Raises UnreadableInput when a file cannot be read or decompressed, and
    IntegrityFailure when it changes while it is read.
    """
    connection = connect(database, read_only=False)
    try:
        loader = _Loader(connection, source, names or {}, progress)
        parts = loader.read_all(paths)
        plainly = _plainly_numbered(parts)  # before the strict reader finds blanks of its own
        invalid = loader.settle(parts)
        connection.execute(sql("lines" if plainly else "lines_numbered"))
        connection.execute(f"CREATE TABLE decided_again AS {loader.decided_again()}")
        connection.execute(sql("tables"))
        connection.execute("CHECKPOINT")
    except duckdb.Error as error:
        raise UnreadableInput(
            f"DuckDB could not load the records: {str(error).splitlines()[0]}",
            advice="Is there room on the disk? VERIFY_MEMORY sets the memory it may use.",
        ) from error
    finally:
        connection.close()
    return Loaded(tuple(parts), tuple(invalid), loader.more_invalid)


def _plainly_numbered(parts: Sequence[Part]) -> bool:
    segments = [segment for part in parts for segment in part.segments]
    return all(s.first_line == s.first_row + 1 and not s.blanks for s in segments)


class _Loader:
    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        source: Source,
        names: Mapping[str, str],
        progress: Progress | None,
    ) -> None:
        self._db = connection
        self._source = source
        self._names = names
        self._progress = progress
        self._taps: dict[str, Tap] = {}
        self.more_invalid = 0
        self._db.execute(sql("schema"))

    def read_all(self, paths: Sequence[str]) -> list[Part]:
        """The fast path over every part."""
        parts: list[Part] = []
        next_line = 1
        for path in paths:
            part = Part(path, next_line)
            self._read_fast(part)
            parts.append(part)
            next_line += part.lines + (part.unread_from is not None)
        return parts

    def _read_fast(self, part: Part) -> None:
        with self._source.open(part.path) as handle:
            tap = self._taps[part.path] = Tap(handle, part.path)
            blocks = self._watched(tap.blocks())
            more = True
            while more:
                segment = Segment(part.first_line + tap.lines, self._count("facts"))
                before = tap.lines
                piece = _Piece(blocks)
                try:
                    pump(piece, self._insert_facts)
                except duckdb.Error:
                    segment.failed = True
                except LineTooLong as error:
                    segment.failed = self._count("facts") == segment.first_row
                    part.unread_from = part.first_line + error.line - 1
                    tap.drain()
                    piece.more = False
                more = piece.more
                segment.lines = tap.lines - before
                segment.rows = self._count("facts") - segment.first_row
                part.segments.append(segment)
        part.sha256, part.bytes, part.lines = tap.sha256, tap.bytes, tap.lines
        part.carriage_returns, part.byte_order_mark = tap.carriage_returns, tap.byte_order_mark
        part.long_numbers = [part.first_line + number - 1 for number in tap.long_numbers]
        self._find_blanks(part)

    def _watched(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        for block in blocks:
            if self._progress is not None:
                self._progress(len(block))
            yield block

    def _count(self, table: str) -> int:
        row = self._db.execute(f"SELECT count(*) FROM {table}").fetchone()
        return int(row[0]) if row else 0

    def _insert_facts(self, path: str) -> None:
        self._db.execute(
            "INSERT INTO facts SELECT * EXCLUDE (line_no, ts_sub) "
            "REPLACE (doubt OR line_no IS NOT NULL OR ts_sub IS NOT NULL AS doubt) "
            f"FROM ({_typed_lines(path, self._names)})"
        )

    def _find_blanks(self, part: Part) -> None:
        odd = [s for s in part.segments if not s.failed and s.rows != s.lines]
        if not odd:
            return
        for first, lines in self._numbered_lines(part):
            for segment in odd:
                if segment.first_line <= first < segment.ends_before:
                    segment.blanks += blank_lines(lines, first)
                    part.long_numbers += nearly_blank_lines(lines, first)
        for segment in odd:
            if segment.rows + len(segment.blanks) != segment.lines:
                # DuckDB and we do not agree what a line is. Then it is not plain.
                raise UnreadableInput(
                    f"{part.path}: DuckDB read {segment.rows:,} records where there are "
                    f"{segment.lines - len(segment.blanks):,} lines"
                )

    def _numbered_lines(self, part: Part) -> Iterator[tuple[int, list[bytes]]]:
        """The lines of a part once more, in runs, with the number of the first of each run."""
        number = part.first_line
        for block in self._again(part):
            lines = _split(block, part, number)
            yield number, lines
            number += len(lines)

    def _runs_with(self, part: Part, doubts: list[int]) -> Iterator[tuple[int, list[bytes]]]:
        """Runs of lines of a part once more, those at least that hold a line in doubt."""
        tap, ahead = self._taps[part.path], part.first_line - 1
        with self._source.open(part.path) as handle:
            if not tap.can_seek(handle):
                yield from self._numbered_lines(part)
                return
            try:
                for first, block in tap.blocks_with([line - ahead for line in doubts], handle):
                    yield first + ahead, _split(block, part, first + ahead)
            except ChangedMeanwhile:
                raise _changed(part) from None

    def _again(self, part: Part) -> Iterator[bytes]:
        """The blocks of a part once more; an error when they are not the same bytes."""
        with self._source.open(part.path) as handle:
            tap = Tap(handle, part.path)
            try:
                yield from tap.blocks()
            except LineTooLong:
                tap.drain()
        if tap.sha256 != part.sha256:
            raise _changed(part)

    def settle(self, parts: Sequence[Part]) -> list[InvalidAt]:
        """Read every line in doubt again; returns the invalid ones."""
        self._number_rows(parts)
        doubts = self._doubts(parts)
        invalid: list[InvalidAt] = []
        ordered = sorted(doubts)
        for part in parts:
            ends = part.first_line + part.lines
            own = ordered[bisect_left(ordered, part.first_line) : bisect_left(ordered, ends)]
            if any(segment.failed for segment in part.segments):
                self._reread(part, self._numbered_lines(part), doubts, invalid)
            elif own:
                self._reread(part, self._runs_with(part, own), doubts, invalid)
            if part.unread_from is not None:
                reason = "longer than 16 MiB; nothing after it was read"
                invalid.append(InvalidAt(part.unread_from, reason))
        refused = {at.line for at in invalid}
        for segment in (s for part in parts for s in part.segments if s.blanks):
            segment.blanks = [at for at in segment.blanks if at not in refused]
        if invalid:
            self._db.execute(
                "INSERT INTO invalid SELECT unnest(?::BIGINT[]), unnest(?::VARCHAR[])",
                [[at.line for at in invalid], [at.reason for at in invalid]],
            )
        return sorted(invalid, key=lambda at: at.line)

    def _number_rows(self, parts: Sequence[Part]) -> None:
        steps: dict[int, int] = {}
        for segment in (s for part in parts for s in part.segments if not s.failed):
            ahead = segment.first_line - segment.first_row
            steps[segment.first_row] = ahead
            for passed, blank in enumerate(segment.blanks, start=1):
                # Of several steps at one row the last counts: all blanks before it are passed.
                steps[blank - ahead - passed + 1] = ahead + passed
        self._steps = sorted(steps.items())
        if not _plainly_numbered(parts):
            self._db.execute(
                "INSERT INTO numbering SELECT unnest(?::BIGINT[]), unnest(?::BIGINT[])",
                [[row for row, _ in self._steps], [ahead for _, ahead in self._steps]],
            )

    def _line_of(self, row: int) -> int:
        at = bisect_right(self._steps, row, key=lambda step: step[0]) - 1
        return row + self._steps[at][1]

    def _doubts(self, parts: Sequence[Part]) -> set[int]:
        self._db.execute(f"CREATE TABLE decided AS {sql('decisions')}")
        rows = self._db.execute(sql("doubts")).fetchall()
        lines = {self._line_of(row) for (row,) in rows}
        return lines.union(*(part.long_numbers for part in parts))

    def decided_again(self) -> str:
        """The query for the decisions among the lines that were read again; most often none were,
        and an empty table is had for less."""
        if not self._count("resolved"):
            return "FROM decided LIMIT 0"
        again = sql("decisions").replace("rowid AS row_at", "line AS row_at", 1)
        return again.replace("FROM facts", "FROM resolved", 1)

    def _reread(
        self,
        part: Part,
        runs: Iterator[tuple[int, list[bytes]]],
        doubts: set[int],
        invalid: list[InvalidAt],
    ) -> None:
        asked: list[int] = []

        def canonical() -> Iterator[bytes]:
            segments = iter(part.segments)
            segment = next(segments)
            for first, lines in runs:
                while segment is not part.segments[-1] and first >= segment.ends_before:
                    segment = next(segments)
                read = self._strictly(segment, first, lines, doubts, asked, invalid)
                if read:
                    yield "".join(read).encode()

        pump(canonical(), self._insert_resolved)
        self._note_reread(asked)

    def _strictly(
        self,
        segment: Segment,
        first: int,
        lines: list[bytes],
        doubts: set[int],
        asked: list[int],
        invalid: list[InvalidAt],
    ) -> list[str]:
        read = []
        for at, raw in enumerate(lines, start=first):
            if not segment.failed and at not in doubts:
                continue
            asked.append(at)
            try:
                line = read_line(raw, self._names, at)
            except InvalidLine as error:
                if len(invalid) < MAX_INVALID:
                    invalid.append(InvalidAt(at, error.reason, error.kind))
                else:
                    self.more_invalid += 1
                continue
            if line is None:
                segment.blanks.append(at)
            else:
                read.append(line + "\n")
        return read

    def _insert_resolved(self, path: str) -> None:
        self._db.execute(
            "INSERT INTO resolved SELECT * REPLACE (CAST(line_no ->> '$' AS BIGINT) AS line_no, "
            f"ts_sub ->> '$' AS ts_sub) FROM ({_typed_lines(path, {})})"
        )
        left = self._db.execute(
            "SELECT line FROM resolved WHERE doubt AND type IN (SELECT unnest(?)) LIMIT 1",
            [[f'"{kind}"' for kind in RECORD_TYPES]],
        ).fetchone()
        if left:
            raise UnreadableInput(f"line {left[0]}: the strict reader and the loader do not agree")

    def _note_reread(self, lines: list[int]) -> None:
        if not lines:
            return
        numbers = "".join(f"{line}\n" for line in lines).encode()
        pump(iter([numbers]), self._insert_reread)

    def _insert_reread(self, path: str) -> None:
        self._db.execute(
            f"INSERT INTO reread FROM read_csv({_literal(path)}, header = false, "
            "columns = {'line': 'BIGINT'}, auto_detect = false)"
        )


def _typed_lines(path: str, names: Mapping[str, str]) -> str:
    """The query that reads the lines at `path` as facts.sql has them."""
    own = {column: names.get(column, column) for column in (*COLUMNS, FINER, LINE)}
    attrs = ", ".join(f"{_quoted(name)} JSON" for name in dict.fromkeys(own.values()))
    columns = {"type": "JSON", "deployment": "JSON", "ts": "JSON", "attrs": f"STRUCT({attrs})"}
    renamed = {FINER: "ts_sub", LINE: "line_no"}
    picked = ", ".join(
        f"attrs.{_quoted(name)} AS {_quoted(renamed.get(column, column))}"
        for column, name in own.items()
    )
    spec = ", ".join(f"{_literal(key)}: {_literal(kind)}" for key, kind in columns.items())
    lines = (
        f"SELECT type, deployment, ts, attrs IS NULL AS no_attrs, {picked} "
        f"FROM read_ndjson({_literal(path)}, columns = {{{spec}}}, compression = 'none', "
        f"maximum_object_size = {MAX_OBJECT})"
    )
    return sql("facts").replace("FROM export_lines", f"FROM ({lines})", 1)


def _split(block: bytes, part: Part, first_line: int) -> list[bytes]:
    """The lines of a block that begins with `first_line`, without their newlines."""
    if first_line == part.first_line and part.byte_order_mark:
        block = block.removeprefix(b"\xef\xbb\xbf")
    lines = block.split(b"\n")
    if block.endswith(b"\n"):
        lines.pop()
    return lines


def _changed(part: Part) -> IntegrityFailure:
    problem = Problem("file_digest", part.path, "it changed while it was being read")
    return IntegrityFailure([problem])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
