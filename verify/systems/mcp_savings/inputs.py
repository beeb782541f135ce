"""The files of an export: found by their place, read once, and hashed as they are read.

An export is a snapshot; or a directory with any of

    servers/<server>.tools.json   what each server answered to tools/list (also without the folder)
    opencode.json                 the host's configuration
    snapshot.json                 the program's snapshot
    projects/<p>/<session>.jsonl  an agent's transcripts (else transcripts/<p>/<session>.jsonl)
    mtimes.json                   when they were last written, which a copy loses
    telemetry.jsonl               a proxy's log of the same sessions

Only these places are looked at, and no link is followed; so an agent's home directory can be named
as it is, and what else lies there (credentials among it) is never opened. The digest of the
configuration is that of the names and switches that were kept of it, because a digest of the whole
could be used to guess what was not.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from verify.errors import IntegrityFailure, Problem, UnreadableInput
from verify.systems.mcp_savings import documents
from verify.systems.mcp_savings.documents import Configured, Snapshot, Times, ToolList
from verify.trust.archive import is_archive
from verify.trust.manifest import ListedFile, Manifest
from verify.trust.source import DirectorySource

LIST_SUFFIX = ".tools.json"
SERVERS = "servers"
CONFIGURATION, SNAPSHOT, TIMES, LOG = (
    "opencode.json",
    "snapshot.json",
    "mtimes.json",
    "telemetry.jsonl",
)
TRANSCRIPTS = ("projects", "transcripts")
_LINES = ".jsonl"
MOST_BYTES = 64 * 1024 * 1024
_SNAPSHOT_MARKS = (b'"serverWeights"', b'"mcpMeasurement"')


@dataclass(frozen=True)
class Hashed:
    """A file that was read, and as what."""

    path: str
    role: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Transcript:
    """A session's transcript, not opened yet. `written` is when it was last written, in
    milliseconds since 1970; None where that is not known."""

    path: str
    project: str
    session: str
    written: Fraction | None


@dataclass(frozen=True)
class Inputs:
    """All that lies in an export. What is not there is None or empty.

    `named_by` says what the servers of `configured` are taken from. `deeper` counts transcripts
    that lie deeper than the program looks, `copied` whether times come from `mtimes.json`.
    """

    label: str
    root: DirectorySource | None
    lists: tuple[ToolList, ...] = ()
    configured: tuple[Configured, ...] | None = None
    snapshot: Snapshot | None = None
    times: Times | None = None
    transcripts: tuple[Transcript, ...] = ()
    deeper: int = 0
    log: str | None = None
    files: tuple[Hashed, ...] = ()
    unread: tuple[str, ...] = field(default=())

    def digest(self, also: tuple[Hashed, ...] = ()) -> str:
        """One digest of all that was read, `also` among it."""
        listed = tuple(ListedFile(file.path, file.sha256) for file in (*self.files, *also))
        return Manifest(("",), "", listed).digest()


def is_snapshot(path: Path) -> bool:
    """Whether a file looks like the program's snapshot."""
    if path.suffix.lower() != ".json" or not path.is_file() or path.stat().st_size > MOST_BYTES:
        return False
    data = path.read_bytes()
    return any(mark in data for mark in _SNAPSHOT_MARKS)


def looks_like_an_export(path: Path) -> bool:
    """Whether what lies at `path` has one of the forms above; reads a snapshot at most. A host's
    configuration alone lies in many a directory that is no export."""
    try:
        if not path.is_dir():
            return is_snapshot(path)
        patterns = (f"*{LIST_SUFFIX}", f"{SERVERS}/*{LIST_SUFFIX}")
        found = any(next(path.glob(pattern), None) is not None for pattern in patterns)
        return (
            found
            or is_snapshot(path / SNAPSHOT)
            or any(
                next((path / folder).glob(f"*/*{_LINES}"), None) is not None
                for folder in TRANSCRIPTS
            )
        )
    except OSError:
        return False


def read_inputs(path: Path) -> Inputs:
    """Read the export at `path`; transcripts and the log are only found.

    Raises UnreadableInput for what cannot be read, IntegrityFailure for a link or a device where a
    file should be.
    """
    if path.is_dir():
        return _Reader(path).directory()
    if not path.exists():
        raise UnreadableInput(f"{path} does not exist")
    if is_archive(path):
        raise UnreadableInput(
            f"{path} is an archive, which would have to be unpacked whole, credentials and all",
            advice="Unpack what is meant to be read, and name the directory.",
        )
    data = _whole(DirectorySource(path.parent), path.name)
    found = documents.snapshot(documents.document_in(data, path.name), path.name)
    return Inputs(str(path), None, snapshot=found, files=(_hashed(path.name, "snapshot", data),))


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._source = DirectorySource(path)
        self._problems: list[Problem] = []
        self._files: list[Hashed] = []

    def directory(self) -> Inputs:
        top = dict(self._entries(""))
        lists = tuple(self._lists(top))
        configured = self._configuration(top)
        snapshot = None
        if self._has(top, SNAPSHOT):
            document = documents.document_in(self._read(SNAPSHOT, "snapshot"), SNAPSHOT)
            snapshot = documents.snapshot(document, SNAPSHOT)
        times = None
        if self._has(top, TIMES):
            document = documents.document_in(self._read(TIMES, "mtimes"), TIMES)
            times = documents.times(document, TIMES)
        log = LOG if self._has(top, LOG) else None
        transcripts = [*self._transcripts(top, times)]
        if self._problems:
            raise IntegrityFailure(self._problems, advice="Lay the file itself in the directory.")
        if not (lists or configured is not None or snapshot or transcripts or log):
            raise UnreadableInput(
                f"{self._path} holds nothing to audit",
                advice=f"Expected {SERVERS}/*{LIST_SUFFIX}, {CONFIGURATION}, {SNAPSHOT}, or "
                f"transcripts in {' or '.join(TRANSCRIPTS)}.",
            )
        return Inputs(
            str(self._path),
            self._source,
            lists,
            configured,
            snapshot,
            times,
            tuple(transcripts),
            self._deeper(top),
            log,
            tuple(self._files),
            tuple(self._unread(top)),
        )

    def _entries(self, folder: str) -> Iterator[tuple[str, str]]:
        """What lies in a folder: names, sorted, and `file`, `folder`, `symlink` or `device`."""
        try:
            with os.scandir(self._path / folder) as listing:
                children = sorted(listing, key=lambda child: os.fsencode(child.name))
        except OSError as error:
            why = (error.strerror or "").lower()
            raise UnreadableInput(f"cannot list {self._path / folder}: {why}") from None
        for child in children:
            if child.is_symlink():
                yield child.name, "symlink"
            elif child.is_dir(follow_symlinks=False):
                yield child.name, "folder"
            else:
                yield child.name, "file" if child.is_file(follow_symlinks=False) else "device"

    def _has(self, entries: dict[str, str], name: str, folder: str = "") -> bool:
        """Whether there is such a file. A link or a device in its place is a problem."""
        kind = entries.get(name)
        if kind in (None, "folder"):
            return False
        if kind != "file":
            message = f"it is a {kind}; what it leads to is not part of the export"
            self._problems.append(Problem("file_not_regular", f"{folder}{name}", message))
        return kind == "file"

    def _read(self, name: str, role: str) -> bytes:
        data = _whole(self._source, name)
        self._files.append(_hashed(name, role, data))
        return data

    def _lists(self, top: dict[str, str]) -> Iterator[ToolList]:
        folders = {"": top}
        if top.get(SERVERS) == "folder":
            folders[f"{SERVERS}/"] = dict(self._entries(SERVERS))
        seen: dict[str, str] = {}
        for folder, entries in folders.items():
            for name in entries:
                if not name.endswith(LIST_SUFFIX) or not self._has(entries, name, folder):
                    continue
                server, path = name.removesuffix(LIST_SUFFIX), f"{folder}{name}"
                if server in seen:
                    raise UnreadableInput(
                        f"there are two tool lists of {server}: {seen[server]} and {path}",
                        advice="Keep the one that is meant.",
                    )
                seen[server] = path
                yield documents.tool_list(self._read(path, "tool list"), server, path)

    def _configuration(self, top: dict[str, str]) -> tuple[Configured, ...] | None:
        if not self._has(top, CONFIGURATION):
            return None
        kept = documents.configured(_whole(self._source, CONFIGURATION), CONFIGURATION)
        canonical = json.dumps([[server.server, server.enabled] for server in kept]).encode()
        self._files.append(_hashed(CONFIGURATION, "names and switches", canonical))
        return kept

    def _transcripts(self, top: dict[str, str], times: Times | None) -> Iterator[Transcript]:
        folder = _transcripts_in(top)
        for project, kind in self._entries(folder) if folder else ():
            if kind != "folder":
                continue
            for name, sort in self._entries(f"{folder}/{project}"):
                if sort == "file" and name.endswith(_LINES):
                    path = f"{folder}/{project}/{name}"
                    written = self._written(path, times)
                    yield Transcript(path, project, name.removesuffix(_LINES), written)

    def _written(self, path: str, times: Times | None) -> Fraction | None:
        if times is not None:
            return times.files.get(path)
        facts = os.stat(self._path / path, follow_symlinks=False)
        return Fraction(facts.st_mtime_ns, 1_000_000)

    def _deeper(self, top: dict[str, str]) -> int:
        folder, found = _transcripts_in(top), 0
        for place, _, names in os.walk(self._path / folder) if folder else ():
            depth = len(Path(place).relative_to(self._path / folder).parts)
            found += sum(name.endswith(_LINES) for name in names) if depth > 1 else 0
        return found

    def _unread(self, top: dict[str, str]) -> Iterator[str]:
        """Files at the top that nothing reads; a home directory's are nobody's concern."""
        if any(top.get(folder) == "folder" for folder in TRANSCRIPTS[:1]):
            return
        known = {CONFIGURATION, SNAPSHOT, TIMES, LOG}
        for name, kind in top.items():
            if kind == "file" and name not in known and not name.endswith(LIST_SUFFIX):
                yield name


def _transcripts_in(top: dict[str, str]) -> str:
    """The folder of transcripts; empty where there is none."""
    return next((folder for folder in TRANSCRIPTS if top.get(folder) == "folder"), "")


def _whole(source: DirectorySource, name: str) -> bytes:
    parts, size = [], 0
    with source.open(name) as handle:
        while part := handle.read(1024 * 1024):
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES:
                raise UnreadableInput(f"{name} is larger than {MOST_BYTES:,} bytes")
    return b"".join(parts)


def _hashed(path: str, role: str, data: bytes) -> Hashed:
    return Hashed(path, role, len(data), hashlib.sha256(data).hexdigest())
