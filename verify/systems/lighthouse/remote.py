"""Where a cluster reads an export from: a directory, an address that it knows, or a pattern.

What this machine can open is opened by the usual rules. The rest is listed and, where this process
needs a small file of it such as the manifest, fetched through the cluster.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from verify.engines.spark import SparkEngine
from verify.errors import UnreadableInput, UsageProblem
from verify.systems.lighthouse.executor import plain_path
from verify.trust.source import DirectorySource, Entry, Source

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*):/+(.*)", re.DOTALL)
_WILD = re.compile(r"[*?\[]")
_SPECIAL = re.compile(r"([][{}*?\\,])")


@dataclass(frozen=True)
class Place:
    """A directory as Spark knows it, and the pattern that record files in it have to match."""

    root: str
    pattern: str | None = None

    def path(self, name: str) -> str:
        """A file of it, in the form of `plain_path`."""
        return plain_path(f"{self.root}/{name}")


def place_of(path: Path) -> Place:
    """What was typed, as a place. `s3a://bucket/x` went through a `Path`, which joins slashes."""
    text = str(path)
    address = _ADDRESS.fullmatch(text)
    if address is not None:
        text = f"{address[1]}://{'/' if address[1] == 'file' else ''}{address[2]}"
    wild = _WILD.search(text)
    if wild is None or path.exists():
        return Place(text if address else str(path.resolve()))
    root, _, _ = text[: wild.start()].rpartition("/")
    pattern = text[len(root) + 1 :] if root else text
    return Place(root if address else str(Path(root or ".").resolve()), pattern)


def source_at(place: Place, engine: SparkEngine) -> Source:
    """The files there. Raises UnreadableInput, UsageProblem."""
    local = Path(place.root)
    if local.is_dir():
        source: Source = DirectorySource(local)
    elif _ADDRESS.match(place.root):
        source = ClusterSource(place, engine)
    elif local.exists():
        raise UsageProblem(
            f"{local} is not a directory", advice="--engine spark reads parts, not an archive."
        )
    else:
        raise UnreadableInput(f"{local} does not exist")
    return source if place.pattern is None else _Matching(source, place.pattern)


@dataclass(frozen=True)
class ClusterSource:
    """A directory that only the cluster can read."""

    place: Place
    engine: SparkEngine

    @property
    def label(self) -> str:
        return self.place.root

    def entries(self) -> list[Entry]:
        files = self.engine.files([self.place.root]).select("path", "length")
        prefix = len(self.place.path(""))
        found = [
            Entry(plain_path(row["path"])[prefix:], "file", row["length"])
            for row in self.engine.collected(files)
        ]
        return sorted(found, key=lambda entry: entry.name)

    def open(self, name: str) -> BinaryIO:
        files = self.engine.files([escaped(f"{self.place.root}/{name}")]).select("content")
        rows = self.engine.collected(files)
        if len(rows) != 1:
            raise UnreadableInput(f"cannot read {name}: it is not there")
        return BytesIO(rows[0]["content"])

    def close(self) -> None:
        """It holds nothing."""


@dataclass(frozen=True)
class _Matching:
    """A source without the record files that do not match a pattern."""

    source: Source
    pattern: str

    @property
    def label(self) -> str:
        return f"{self.source.label}/{self.pattern}"

    def entries(self) -> list[Entry]:
        return [e for e in self.source.entries() if not e.holds_records or self._matches(e.name)]

    def _matches(self, name: str) -> bool:
        parts, patterns = name.split("/"), self.pattern.split("/")
        return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))

    def open(self, name: str) -> BinaryIO:
        return self.source.open(name)

    def close(self) -> None:
        self.source.close()


def escaped(path: str) -> str:
    """A path that Spark is not to take for a pattern."""
    return _SPECIAL.sub(r"\\\1", path)
