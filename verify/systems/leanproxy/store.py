"""A usage store read once, in bounded memory: what of its lines any figure can be made of.

Of each file, session and UTC day only the latest line is kept, the first read where several have
its instant. Every cut of the report and of the windows is a UTC midnight, or an instant that the
store is read again for (`cut`), so no figure needs another line.

A proxy writes a line every five seconds whether anything happened or not. A rest of a line that is
equal byte for byte to one that was read before, its timestamp apart, says the same: it is not
decoded again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple

from verify.errors import UnreadableInput
from verify.systems.leanproxy.instants import DAY, ZERO, plain_stamp, stamp_text
from verify.systems.leanproxy.lines import Decoded, Line, Reason, decode, salvaged
from verify.systems.leanproxy.notes import Notes, changes
from verify.systems.leanproxy.shape import Snapshot

MAX_LINE = 8 * 1024 * 1024
"""The product cannot read a line of this many bytes or more; its report fails."""
BLOCK = 1 << 20
MOST_SKIPPED = 1_000
_HEAD = b'{"timestamp":"'
_STAMP = len(_HEAD)
_NAME = len('","session_id":"')  # where the session's name begins after the timestamp


class Group(NamedTuple):
    """Lines that can stand for each other: of one file and session, on one UTC day, on one side of
    the cut."""

    file: int
    session: str
    day: int
    after: bool


@dataclass(slots=True)
class Kept:
    """The latest line of a group. `count` is how many records the group has."""

    at: int
    offset: int
    file: int
    line: int
    snapshot: Snapshot | None
    count: int = 0

    @property
    def stamp(self) -> str:
        """Its timestamp as the product prints it."""
        return stamp_text(self.at, self.offset)

    def later_than(self, other: Kept | None) -> bool:
        """Whether the product takes it rather than `other`: later, or at the same instant read
        before."""
        if other is None or self.at != other.at:
            return other is None or self.at > other.at
        return (self.file, self.line) < (other.file, other.line)


class Skipped(NamedTuple):
    """A line that the product passes over. `lines` is what a person would see in it."""

    file: int
    line: int
    reason: Reason
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class UsageFile:
    """A file of the store as it was read. `before` counts the lines of the files before it."""

    path: str
    day: int
    sha256: str
    bytes: int
    lines: int
    records: int
    skipped: int
    before: int
    too_long: int | None = None


@dataclass
class Store:
    """What was read. `live` has what the live reader sees of a group instead, where it differs."""

    cut: int | None = None
    files: list[UsageFile] = field(default_factory=list)
    ends: dict[Group, Kept] = field(default_factory=dict)
    live: dict[Group, Kept | None] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    notes: Notes = field(default_factory=Notes)

    def place(self, file: int, line: int) -> str:
        """Where a line stands, in words."""
        return f"{self.files[file].path} line {line}"

    def place_of(self, number: int) -> str:
        """The same for a line number of the whole store."""
        for at in range(len(self.files) - 1, -1, -1):
            if number > self.files[at].before:
                return self.place(at, number - self.files[at].before)
        return f"line {number}"


@dataclass(slots=True)
class _Track:
    """What is known of a session while its lines go by."""

    session: str
    last: Line
    at: int
    key: bytes = b""
    rest: bytes = b""
    group: Group | None = None
    kept: Kept | None = None
    apart: bool = False
    marks: tuple[str, ...] = ()


class Reader:
    """Reads the files of a store in order; `store` is what was found so far."""

    def __init__(self, cut: int | None = None) -> None:
        self.store = Store(cut)
        self._tracks: dict[str, _Track] = {}
        self._known: dict[bytes, _Track] = {}
        self._file = 0
        self._day = 0
        self._before = 0
        self._number = 0
        self._records = 0
        self._passed_over = 0

    def read(
        self, handle: BinaryIO, path: str, day: int, progress: Callable[[int], None] | None = None
    ) -> None:
        """Read a file of the UTC day `day` to its end. Raises UnreadableInput."""
        store = self.store
        self._file, self._day = len(store.files), day
        self._before = sum(file.lines for file in store.files[-1:]) + (
            store.files[-1].before if store.files else 0
        )
        self._number = self._records = self._passed_over = 0
        self._known.clear()
        for track in self._tracks.values():
            track.group = track.kept = None
        digest = hashlib.sha256()
        size, rest, too_long = 0, b"", None
        try:
            while chunk := handle.read(BLOCK):
                digest.update(chunk)
                size += len(chunk)
                if too_long is None:
                    rest, too_long = self._lines(rest, chunk)
                if progress is not None:
                    progress(len(chunk))
        except OSError as error:
            why = (error.strerror or "unknown error").lower()
            raise UnreadableInput(f"cannot read {path} to its end: {why}") from None
        if rest and too_long is None:
            self._number += 1
            self._decoded(rest, decode(rest), complete=False)
        store.files.append(
            UsageFile(
                path,
                day,
                digest.hexdigest(),
                size,
                self._number,
                self._records,
                self._passed_over,
                self._before,
                too_long,
            )
        )

    def _lines(self, rest: bytes, chunk: bytes) -> tuple[bytes, int | None]:
        """Take in whole lines; what is left of the chunk, and the number of a line too long."""
        end = chunk.rfind(b"\n")
        if end < 0:
            rest += chunk
            return (b"", self._number + 1) if len(rest) >= MAX_LINE else (rest, None)
        lines = (rest + chunk[:end]).split(b"\n")
        known = self._known
        for raw in lines:
            self._number += 1
            if raw.startswith(_HEAD):
                close = raw.find(b'"', _STAMP)
                track = known.get(raw[close : raw.find(b'"', close + _NAME)])
                if (
                    track is not None
                    and len(raw) - close == len(track.rest)
                    and raw.endswith(track.rest)
                    and (at := plain_stamp(raw[_STAMP:close])) is not None
                ):
                    self._again(track, at)
                    continue
            if len(raw) >= MAX_LINE:
                return b"", self._number
            self._decoded(raw, decode(raw), complete=True)
        return chunk[end + 1 :], None

    def _again(self, track: _Track, at: int) -> None:
        """A line whose rest is that of the session's last: only its instant is new."""
        if at > track.at and at // DAY == self._day and not track.marks:
            self._records += 1
            track.at = at
        else:
            self._observe(track, at, None)
        kept, group = track.kept, track.group
        if kept is None or group is None or track.apart or not self._same(group, at):
            self._keep(track, track.last._replace(at=at), True, True)
            return
        kept.count += 1
        if at > kept.at:
            kept.at, kept.offset, kept.line = at, 0, self._number
            kept.snapshot = track.last.snapshot

    def _same(self, group: Group, at: int) -> bool:
        cut = self.store.cut
        return at // DAY == group.day and group.after == (cut is not None and at >= cut)

    def _observe(self, track: _Track, at: int, fell: tuple[str, ...] | None) -> None:
        """Note what the line says beside its counters. `fell` names counters that went down; None
        where none changed."""
        notes, number = self.store.notes, self._before + self._number
        self._records += 1
        if at // DAY != self._day and at != ZERO:
            notes.add("usage_file_day", number)
        if at <= track.at:
            notes.order(track.session, number, at - track.at, fell)
        elif fell:
            notes.fell(track.session, number, fell)
        for code in track.marks:
            notes.add(code, number)
        track.at = at

    def _decoded(self, raw: bytes, decoded: Decoded, complete: bool) -> None:
        line, live = decoded.line, decoded.live if complete else None
        if line is None:
            self._skip(raw, decoded.reason)
            if live is None:
                return
        shown = line or live
        assert shown is not None
        track = self._tracks.get(shown.session)
        if line is not None:
            if track is None:
                track = self._tracks[line.session] = _Track(line.session, line, line.at - 1)
            fell = changes(track.last.snapshot, line.snapshot)
            track.marks = self.store.notes.marks(line)
            self._observe(track, line.at, fell)
            track.last = line
            self._remember(
                track, raw, decoded.plain and complete and line.session != "" and line.at != ZERO
            )
        else:
            track = track or _Track(shown.session, shown, shown.at)
        self._keep(track, shown, line is not None, live is not None)

    def _remember(self, track: _Track, raw: bytes, plain: bool) -> None:
        if not plain or not raw.startswith(_HEAD):
            self._known.pop(track.key, None)
            return
        close = raw.find(b'"', _STAMP)
        track.rest = raw[close:]
        track.key = raw[close : raw.find(b'"', close + _NAME)]
        self._known[track.key] = track

    def _skip(self, raw: bytes, reason: Reason | None) -> None:
        if reason is None:
            self.store.notes.add("blank_lines", self._before + self._number)
            return
        self._passed_over += 1
        self.store.notes.add(f"usage_line_{reason.sort}", self._before + self._number)
        if len(self.store.skipped) < MOST_SKIPPED:
            seen = tuple(salvaged(raw))
            self.store.skipped.append(Skipped(self._file, self._number, reason, seen))

    def _keep(self, track: _Track, line: Line, report: bool, live: bool) -> None:
        """Let a line stand for its group, for each of the two readers that sees it."""
        store, cut = self.store, self.store.cut
        after = cut is not None and line.at >= cut
        group = Group(self._file, line.session, line.at // DAY, after)
        if report != live and group not in store.live:
            before = store.ends.get(group)
            store.live[group] = None if before is None else _copy(before)
        apart = group in store.live
        if report:
            kept = store.ends[group] = self._latest(store.ends.get(group), line)
            kept.count += 1
            track.group, track.kept = group, kept
        if track.group == group:
            track.apart = apart
        if live and apart:
            store.live[group] = self._latest(store.live[group], line)

    def _latest(self, kept: Kept | None, line: Line) -> Kept:
        if kept is None:
            return Kept(line.at, line.offset, self._file, self._number, line.snapshot)
        if line.at > kept.at:
            kept.at, kept.offset, kept.line = line.at, line.offset, self._number
            kept.snapshot = line.snapshot
        return kept


def _copy(kept: Kept) -> Kept:
    return Kept(kept.at, kept.offset, kept.file, kept.line, kept.snapshot, kept.count)
