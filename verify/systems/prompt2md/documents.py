"""The files of an export: reports, the store of originals, inputs. Read strictly, hashed as read.

An export is one report, or a directory or archive of them. There may be folders: `reports/`,
`store/` (the originals, `ID.json`) and `inputs/` (texts, known by their digest). Where there is no
`reports/`, a file is taken for what its content says. What is taken for none is listed.
"""

from __future__ import annotations

import hashlib
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from verify.errors import Problem, UnreadableInput
from verify.systems.prompt2md.reports import Report, Stored, id_of, report_from, stored_from
from verify.trust.archive import is_archive
from verify.trust.manifest import ListedFile, Manifest
from verify.trust.source import DirectorySource, Entry, Source, open_source
from verify.trust.strictjson import NotStrictJson, loads

MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Input:
    """A text given beside the reports, known by the id that its digest makes."""

    path: str
    source_id: str
    text: str


@dataclass(frozen=True)
class Hashed:
    """A file that was read, and as what."""

    path: str
    role: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Documents:
    """All that an export holds. `has_store` tells an export without the store from one whose store
    lacks an original; `problems` are reports that cannot be read."""

    reports: tuple[Report, ...]
    stored: tuple[Stored, ...]
    inputs: tuple[Input, ...]
    files: tuple[Hashed, ...]
    unread: tuple[str, ...]
    problems: tuple[Problem, ...]
    has_store: bool

    @cached_property
    def _originals(self) -> dict[str, str]:
        texts = {entry.source_id: entry.text for entry in self.inputs}
        whole = (entry for entry in self.stored if entry.problem is None)
        return texts | {entry.named: entry.text for entry in whole if entry.text is not None}

    @cached_property
    def _names(self) -> dict[str, str]:
        return {e.source_id: e.path.removeprefix("inputs/") for e in reversed(self.inputs)}

    def original(self, source_id: str) -> str | None:
        """The text whose digest begins with `source_id`, from the store or else the inputs."""
        return self._originals.get(source_id)

    def name_of(self, source_id: str) -> str:
        """A document's name: that of the input, else the id."""
        return self._names.get(source_id, source_id)

    def digest(self) -> str:
        """One digest for all files read."""
        files = tuple(ListedFile(file.path, file.sha256) for file in self.files)
        return Manifest(("",), "", files).digest()


def read_documents(path: Path) -> Documents:
    """Read the export at `path`. Raises UnreadableInput when there is nothing, or no report;
    IntegrityFailure for an archive that is refused."""
    place = path.resolve()
    if not place.exists():
        raise UnreadableInput(f"{path} does not exist", advice="Name a report or a directory.")
    alone = place.is_file() and not is_archive(place)
    with closing(DirectorySource(place.parent) if alone else open_source(place)) as source:
        reader = _Reader(source)
        if alone:
            reader.report(place.name, reader.bytes_of(place.name))
        else:
            reader.directory()
        documents = reader.documents()
    if not documents.reports and not documents.problems:
        raise UnreadableInput(
            f"{path} holds no report of prompt2md",
            advice="A report is what its compress --json prints.",
        )
    return documents


class _Reader:
    """Collects what is in an export, file by file."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._reports: list[Report] = []
        self._stored: list[Stored] = []
        self._inputs: list[Input] = []
        self._files: list[Hashed] = []
        self._unread: list[str] = []
        self._problems: list[Problem] = []
        self._has_store = False

    def documents(self) -> Documents:
        return Documents(
            tuple(self._reports),
            tuple(self._stored),
            tuple(self._inputs),
            tuple(self._files),
            tuple(self._unread),
            tuple(self._problems),
            self._has_store,
        )

    def directory(self) -> None:
        """Everything in the directory, each file for what its folder or its content says it is."""
        entries = self._source.entries()
        folders = {entry.name.split("/")[0] for entry in entries if "/" in entry.name}
        self._has_store = "store" in folders
        for entry in entries:
            folder, separator, _ = entry.name.partition("/")
            role = folder if separator else ""
            if not _may_be(role, entry.name, "reports" in folders):
                self._unread.append(entry.name)
            elif entry.kind != "file":
                self._odd(entry, role)
            else:
                self._take(entry.name, role)

    def _odd(self, entry: Entry, role: str) -> None:
        if role in ("reports", "store") and entry.kind != "sidecar":
            message = f"it is a {entry.kind}; what it leads to is not part of the export"
            self._problems.append(Problem("file_not_regular", entry.name, message))
        else:
            self._unread.append(entry.name)

    def _take(self, name: str, role: str) -> None:
        try:
            data = self.bytes_of(name)
        except UnreadableInput as error:
            self._problems.append(Problem("file_unreadable", name, error.message))
            return
        if role == "inputs" or (role == "" and not name.lower().endswith(".json")):
            self._input(name, data)
        elif role == "store" or (role == "" and _looks_stored(data)):
            self._store_entry(name, data)
        elif role == "reports" or b'"savings"' in data or _broken(data):
            self.report(name, data)
        else:
            self._unread.append(name)

    def bytes_of(self, name: str) -> bytes:
        """A file's bytes. Raises UnreadableInput."""
        with self._source.open(name) as handle:
            parts = []
            size = 0
            while part := handle.read(1024 * 1024):
                parts.append(part)
                size += len(part)
                if size > MAX_BYTES:
                    raise UnreadableInput(f"{name} is larger than {MAX_BYTES:,} bytes")
        return b"".join(parts)

    def _note(self, name: str, role: str, data: bytes) -> None:
        self._files.append(Hashed(name, role, len(data), hashlib.sha256(data).hexdigest()))

    def report(self, name: str, data: bytes) -> None:
        """A report, or what is wrong with it."""
        self._note(name, "report", data)
        try:
            self._reports.append(report_from(name, data))
        except ValueError as error:
            self._problems.append(Problem("document_invalid", name, str(error)))

    def _store_entry(self, name: str, data: bytes) -> None:
        self._has_store = True
        self._note(name, "store", data)
        self._stored.append(stored_from(name, data))

    def _input(self, name: str, data: bytes) -> None:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            self._unread.append(name)
            return
        self._note(name, "input", data)
        self._inputs.append(Input(name, id_of(text), text))


def _may_be(role: str, name: str, sorted_in_folders: bool) -> bool:
    """Whether a file in the folder `role` (empty: in none) may be of use."""
    if role == "":
        return not sorted_in_folders and name.lower().endswith((".json", ".md", ".markdown"))
    return role == "inputs" or (role in ("reports", "store") and name.lower().endswith(".json"))


def _looks_stored(data: bytes) -> bool:
    return b'"text"' in data and b'"sourceId"' in data and b'"savings"' not in data


def _broken(data: bytes) -> bool:
    try:
        loads(data)
    except NotStrictJson:
        return True
    return False
