"""Finished databases, kept by the digest of what they were made from.

An entry is a directory: `store.duckdb` and `entry.json`, which says of what version it is and what
the database's own SHA-256 is, under a digest of its own. An entry that is cut short, of another
version, or that does not match is removed and built anew. Whoever can write to the cache can
change answers: `--no-cache` reads the export itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from verify._version import __version__
from verify.errors import UnreadableInput
from verify.store.scratch import LOCK, scratch, sweep

DATABASE = "store.duckdb"
ENTRY = "entry.json"
FORMAT = 1
_BUILDING = "building-"


@dataclass(frozen=True)
class Entry:
    """A stored database and what its loader noted about it."""

    key: str
    directory: Path
    about: dict[str, Any]

    @property
    def database(self) -> Path:
        """The file to open, for reading alone."""
        return self.directory / DATABASE

    @property
    def bytes(self) -> int:
        """Its size on disk."""
        return sum(file.stat().st_size for file in self.directory.iterdir())


def default_root() -> Path:
    """`VERIFY_CACHE_DIR`, else the user's cache directory on this system."""
    given = os.environ.get("VERIFY_CACHE_DIR")
    return Path(given) if given else Path(platformdirs.user_cache_dir("verify-savings"))


def key_of(digests: list[str], loader: str, engine: str, names: dict[str, str]) -> str:
    """The key of a database: what went in, and what made it."""
    parts = json.dumps([FORMAT, __version__, loader, engine, digests, sorted(names.items())])
    return hashlib.sha256(parts.encode()).hexdigest()[:40]


class Cache:
    """A directory of entries. Two programs may use it at once."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def usable(cls, root: Path) -> Cache | None:
        """The cache at `root`, or None where nothing can be written."""
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            with scratch(root, _BUILDING):
                pass
        except OSError:
            return None
        return cls(root)

    def find(self, key: str) -> Entry | None:
        """The entry of that key, if it is sound; an unsound one is removed."""
        directory = self.root / key
        if not directory.is_dir():
            return None
        about = _sound(directory, key)
        if about is None:
            shutil.rmtree(directory, ignore_errors=True)
            return None
        return Entry(key, directory, about)

    @contextmanager
    def building(self) -> Iterator[Path]:
        """A directory of one's own to build in; whatever is left in it afterwards goes away."""
        with ExitStack() as stack:
            try:
                directory = stack.enter_context(scratch(self.root, _BUILDING))
            except OSError as error:
                raise UnreadableInput(f"cannot write to {self.root}: {error.strerror}") from None
            yield directory

    def keep(self, built: Path, key: str, about: dict[str, Any]) -> Entry:
        """Turn a finished directory into the entry of `key`, in one step. Raises UnreadableInput
        when there is no room for it, or something else in its place."""
        try:
            return self._keep(built, key, about)
        except OSError as error:
            raise UnreadableInput(
                f"cannot write to {self.root / key}: {error.strerror}",
                advice="--no-cache keeps nothing.",
            ) from None

    def _keep(self, built: Path, key: str, about: dict[str, Any]) -> Entry:
        for spill in built.glob("*.tmp"):
            shutil.rmtree(spill, ignore_errors=True)
        database = built / DATABASE
        document = {
            "format": FORMAT,
            "version": __version__,
            "key": key,
            "sha256": _digest(database),
            "bytes": database.stat().st_size,
            "about": about,
        }
        document["seal"] = _seal(document)
        (built / ENTRY).write_text(json.dumps(document), "utf-8")
        (built / LOCK).unlink(missing_ok=True)
        home = self.root / key
        try:
            os.rename(built, home)
        except OSError:  # another run was faster
            entry = self.find(key)
            if entry is not None:
                return entry
            os.rename(built, home)
        return Entry(key, home, about)

    def entries(self) -> list[Entry]:
        """Every entry that can be read, sound or not, by key."""
        found = []
        for directory in sorted(self.root.iterdir()) if self.root.is_dir() else []:
            document = _document(directory)
            if document is not None:
                found.append(Entry(directory.name, directory, document["about"]))
        return found

    def clear(self) -> int:
        """Remove every entry; returns how many there were. What a run is building stays."""
        count = len(self.entries())
        for child in self.root.iterdir() if self.root.is_dir() else []:
            if (child / ENTRY).exists() and not child.name.startswith(_BUILDING):
                shutil.rmtree(child, ignore_errors=True)
        sweep(self.root, _BUILDING)
        return count


def _digest(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _seal(document: dict[str, Any]) -> str:
    """A digest of all else that the entry says."""
    rest = {key: value for key, value in document.items() if key != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _document(directory: Path) -> dict[str, Any] | None:
    try:
        document = json.loads((directory / ENTRY).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or not isinstance(document.get("about"), dict):
        return None
    return document


def _sound(directory: Path, key: str) -> dict[str, Any] | None:
    document = _document(directory)
    database = directory / DATABASE
    try:
        if (
            document is None
            or document.get("format") != FORMAT
            or document.get("version") != __version__
            or document.get("key") != key
            or document.get("seal") != _seal(document)
            or document.get("bytes") != database.stat().st_size
            or document.get("sha256") != _digest(database)
        ):
            return None
    except OSError:
        return None
    about: dict[str, Any] = document["about"]
    return about
