"""What a sign-off rests on: the files with their digests, the program, and tests of completeness.

A test says what was expected and what was found; it never changes a verdict.
"""

from __future__ import annotations

import hashlib
import platform
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from verify import tokens
from verify._version import __version__
from verify.errors import IntegrityFailure, Problem, UnreadableInput
from verify.trust.manifest import NAMES
from verify.trust.source import Source, open_source

_BLOCK = 1 << 20
_DRAWING = ("xlsxwriter", "altair", "vl-convert-python")
_PAPERS = (".sql", ".txt", ".toml")


@dataclass(frozen=True)
class InputFile:
    """A file as it was read. `name` begins with `export/`, `figures/` or `manifest/`."""

    name: str
    sha256: str
    bytes: int
    records: int | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "sha256": self.sha256,
            "bytes": self.bytes,
            "records": self.records,
        }


@dataclass(frozen=True)
class CompletenessTest:
    """`result` is `passed`, `not passed` or `not testable`."""

    name: str
    expected: str
    found: str
    result: str

    def as_json(self) -> dict[str, str]:
        return {
            "name": self.name,
            "expected": self.expected,
            "found": self.found,
            "result": self.result,
        }


@dataclass(frozen=True)
class Evidence:
    """`versions` are those of the programs, `queries` the digests of the working papers."""

    inputs: tuple[InputFile, ...]
    tests: tuple[CompletenessTest, ...]
    versions: Mapping[str, str]
    queries: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        return {
            "inputs": [file.as_json() for file in self.inputs],
            "tests": [test.as_json() for test in self.tests],
            "versions": dict(self.versions),
            "queries": dict(self.queries),
        }


def figure_files(place: Path | None) -> tuple[InputFile, ...]:
    """The captured reads at `place`, a directory or one document. Raises UnreadableInput."""
    if place is None:
        return ()
    try:
        if not place.is_dir():
            return (_file("figures", place.name, place.read_bytes()),)
        found = [child for child in sorted(place.iterdir()) if child.is_file()]
        return tuple(_file("figures", child.name, child.read_bytes()) for child in found)
    except OSError as error:
        why = (error.strerror or "").lower()
        raise UnreadableInput(f"cannot read the figures at {place}: {why}") from None


def manifest_file(place: Path | None) -> tuple[InputFile, ...]:
    """A manifest that lies outside the export. Raises UnreadableInput."""
    if place is None:
        return ()
    try:
        return (_file("manifest", place.name, place.read_bytes()),)
    except OSError as error:
        why = (error.strerror or "").lower()
        raise UnreadableInput(f"cannot read the manifest at {place}: {why}") from None


def _file(kind: str, name: str, data: bytes) -> InputFile:
    return InputFile(f"{kind}/{name}", hashlib.sha256(data).hexdigest(), len(data))


def unchanged(before: tuple[InputFile, ...], after: tuple[InputFile, ...]) -> None:
    """Raises IntegrityFailure where a captured read changed while it was worked on."""
    earlier, later = ({file.name: file.sha256 for file in side} for side in (before, after))
    changed = [name for name in {**earlier, **later} if earlier.get(name) != later.get(name)]
    if changed:
        raise IntegrityFailure(
            [Problem("file_digest", name, "it changed while it was read") for name in changed],
            advice="Copy the figures, and sign off the copy.",
        )


def export_files(
    place: Path, checked: Mapping[str, Any], figures: Path | None
) -> Iterator[InputFile]:
    """The export's files: those that the check hashed as it read them, and its manifests. Where a
    system's check lists none, every file that lies there and is none of the figures."""
    listed = {
        entry["path"]: entry
        for entry in checked.get("files", ())
        if isinstance(entry, Mapping) and {"path", "sha256", "bytes"} <= set(entry)
    }
    source = open_source(place)
    try:
        for entry in source.entries():
            if entry.name in listed:
                known = listed.pop(entry.name)
                yield InputFile(
                    f"export/{entry.name}",
                    known["sha256"],
                    known["bytes"],
                    known.get("records"),
                )
            elif entry.kind == "file" and (
                entry.name in NAMES
                or (not checked.get("files") and _own(place, entry.name, figures))
            ):
                yield _hashed(source, entry.name)
        for path, known in listed.items():  # an archive's names may be given otherwise
            yield InputFile(f"export/{path}", known["sha256"], known["bytes"], known.get("records"))
    finally:
        source.close()


def _own(place: Path, name: str, figures: Path | None) -> bool:
    if figures is None or not place.is_dir():
        return True
    inside, path = figures.resolve(), (place / name).resolve()
    return path != inside and inside not in path.parents


def _hashed(source: Source, name: str) -> InputFile:
    digest, size = hashlib.sha256(), 0
    with source.open(name) as handle:
        while block := handle.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return InputFile(f"export/{name}", digest.hexdigest(), size)


def versions() -> dict[str, str]:
    """The programs that a figure may depend on, the digest of this one's own source, and the
    programs that the bytes of a document depend on. Needs the extra `signoff`."""
    return {
        "verify": __version__,
        "verify source": source_digest(),
        "python": platform.python_version(),
        "duckdb": version("duckdb"),
        "tzdata": _zones(),
        **{name: version(name) for name in _DRAWING},
        "tokenizer": version("toktok-rs") if tokens.available() else "not installed",
        "zlib": zlib.ZLIB_RUNTIME_VERSION,  # it compresses the workbook
    }


def _zones() -> str:
    """The release of the time-zone rules that periods are made with: the system's where it has
    them, else the package's."""
    import zoneinfo

    for root in zoneinfo.TZPATH:
        for name in ("+VERSION", "tzdata.zi"):
            path = Path(root) / name
            if path.is_file():
                with path.open(encoding="utf-8", errors="replace") as handle:
                    return handle.readline().removeprefix("# version").strip()
        if (Path(root) / "UTC").exists():
            return "the system's, of unknown release"
    return version("tzdata")


@cache
def source_digest() -> str:
    """One SHA-256 over the names and bytes of this package's own files."""
    digest = hashlib.sha256()
    root = Path(str(files("verify")))
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.suffix in (".py", *_PAPERS):
            name = path.relative_to(root).as_posix()
            own = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{own}  {name}\n".encode())
    return digest.hexdigest()


def query_digests(system: str) -> dict[str, str]:
    """The SHA-256 of each working paper of a system: its queries, formulas and profiles."""
    folder = files(f"verify.systems.{system.replace('-', '_')}")
    return {
        paper.name: hashlib.sha256(paper.read_bytes()).hexdigest()
        for paper in sorted(folder.iterdir(), key=lambda paper: paper.name)
        if paper.name.endswith(_PAPERS)
    }
