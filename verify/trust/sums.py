"""Manifests made here: what the files of an export are now, so that a later run can show that
nothing has changed since.

Such a manifest proves nothing about the time before it was made, nor who made it. Kept in another
place than the export, or with its own digest written down elsewhere, it cannot be exchanged along
with the files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from verify.errors import IntegrityFailure, Problem, UnreadableInput
from verify.trust.manifest import LIST_NAMES, NAMES, ListedFile, unsafe_path
from verify.trust.source import Entry, Source

_BLOCK = 1 << 20


def list_files(source: Source) -> Iterator[ListedFile]:
    """Every file of an export with its SHA-256 and size; manifests are no part of it.

    Raises IntegrityFailure for what no manifest may list: links, devices, unsafe names.
    """
    entries = [entry for entry in source.entries() if entry.name not in NAMES]
    problems = [problem for entry in entries for problem in _unlistable(entry)]
    if problems:
        raise IntegrityFailure(problems)
    for entry in entries:
        digest, size = hashlib.sha256(), 0
        with source.open(entry.name) as handle:
            while block := handle.read(_BLOCK):
                digest.update(block)
                size += len(block)
        yield ListedFile(entry.name, digest.hexdigest(), size)


def _unlistable(entry: Entry) -> Iterator[Problem]:
    if entry.kind != "file":
        yield Problem("file_not_regular", entry.name, f"it is a {entry.kind}")
    elif (why := unsafe_path(entry.name)) is not None:
        yield Problem("manifest_path_unsafe", entry.name, why)


def as_text(files: list[ListedFile]) -> str:
    """The list in the form of `sha256sum`, a line a file, by path."""
    ordered = sorted(files, key=lambda file: file.path)
    return "".join(f"{file.sha256}  {file.path}\n" for file in ordered)


@dataclass(frozen=True)
class BesideSource:
    """An export whose manifest lies elsewhere: it is there as `SHA256SUMS`, in place of any that
    lies in the export itself."""

    inside: Source
    manifest: Path

    @property
    def label(self) -> str:
        return self.inside.label

    def entries(self) -> list[Entry]:
        size = self.manifest.stat().st_size
        rest = [entry for entry in self.inside.entries() if entry.name not in NAMES]
        return [Entry(LIST_NAMES[0], "file", size), *rest]

    def open(self, name: str) -> BinaryIO:
        if name == LIST_NAMES[0]:
            return self.manifest.open("rb")
        return self.inside.open(name)

    def close(self) -> None:
        self.inside.close()


def with_manifest(source: Source, manifest: Path | None) -> Source:
    """`source`, checked against the `sha256sum` list at `manifest` where one is given.

    Raises UnreadableInput where it is no file.
    """
    if manifest is None:
        return source
    if not manifest.is_file():
        raise UnreadableInput(f"{manifest} is no file", advice="Name a list as sha256sum makes it.")
    return BesideSource(source, manifest)
