"""The files of an export, opened without trusting a name.

A `Source` lists what is there and opens a member by its listed name. A directory is walked
without following links, and a member is opened component by component, so that no symlink
exchanged meanwhile can lead out of it. An archive is read by the rules of `verify.trust.archive`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from verify.errors import UnreadableInput

RECORD_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson", ".gz", ".zst")
MAX_ENTRIES = 100_000


@dataclass(frozen=True)
class Entry:
    """A thing in an export. `kind` is `file`, `symlink` or `device`; `links` counts hard links."""

    name: str
    kind: str
    size: int
    links: int = 1

    @property
    def holds_records(self) -> bool:
        """Whether a reader would take it, by its name, for records."""
        return self.name.lower().endswith(RECORD_SUFFIXES)


class Source(Protocol):
    """Where an export's files lie."""

    @property
    def label(self) -> str:
        """How the user named it."""

    def entries(self) -> list[Entry]:
        """Everything in it, sorted by name; directories only as parts of names."""

    def open(self, name: str) -> BinaryIO:
        """A regular file of it, for reading. Raises UnreadableInput, never follows a link."""

    def close(self) -> None:
        """Let go of what it holds; nothing of it is opened afterwards."""


@dataclass(frozen=True)
class DirectorySource:
    """An export that lies unpacked in a directory."""

    root: Path

    @property
    def label(self) -> str:
        return str(self.root)

    def entries(self) -> list[Entry]:
        found = []
        for entry in _walk(self.root):
            found.append(entry)
            if len(found) > MAX_ENTRIES:
                raise UnreadableInput(
                    f"{self.root} holds more than {MAX_ENTRIES:,} files; that is no export",
                    advice="Name the export's own directory.",
                )
        return sorted(found, key=lambda entry: entry.name)

    def open(self, name: str) -> BinaryIO:
        try:
            descriptor = _open_beneath(self.root, name)
        except OSError as error:
            raise UnreadableInput(f"cannot read {name}: {_why(error)}") from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise UnreadableInput(f"cannot read {name}: it is not a regular file")
        return os.fdopen(descriptor, "rb", buffering=0)

    def close(self) -> None:
        """It holds nothing."""


def _walk(root: Path) -> Iterator[Entry]:
    pending = [""]
    while pending:
        prefix = pending.pop()
        try:
            with os.scandir(root / prefix) as listing:
                for child in listing:
                    name = prefix + child.name
                    if child.is_symlink():
                        yield Entry(name, "symlink", 0)
                    elif child.is_dir(follow_symlinks=False):
                        pending.append(name + "/")
                    else:
                        facts = child.stat(follow_symlinks=False)
                        kind = "file" if stat.S_ISREG(facts.st_mode) else "device"
                        yield Entry(name, kind, facts.st_size, facts.st_nlink)
        except OSError as error:
            raise UnreadableInput(f"cannot list {root / prefix}: {_why(error)}") from None


def _open_beneath(root: Path, name: str) -> int:
    no_follow = getattr(os, "O_NOFOLLOW", 0)
    read = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    *parents, last = name.split("/")
    if ".." in (*parents, last):
        raise FileNotFoundError(errno.ENOENT, "it steps to a parent directory")
    if os.open not in os.supports_dir_fd:
        return os.open(root / name, read | no_follow)
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parents:
            deeper = os.open(part, os.O_RDONLY | os.O_DIRECTORY | no_follow, dir_fd=here)
            os.close(here)
            here = deeper
        return os.open(last, read | no_follow, dir_fd=here)
    finally:
        os.close(here)


def _why(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def open_source(path: Path) -> Source:
    """The source at `path`; close it. Raises UnreadableInput when there is none, and
    IntegrityFailure for an archive that is refused."""
    from verify.trust.archive import SUFFIXES, is_archive, open_archive  # it builds on this module

    if path.is_dir():
        return DirectorySource(path)
    if is_archive(path):
        return open_archive(path)
    if not path.exists():
        raise UnreadableInput(f"{path} does not exist")
    raise UnreadableInput(
        f"{path} is neither a directory nor an archive",
        advice=f"Name the directory that holds the manifest, or a file {', '.join(SUFFIXES)}.",
    )
