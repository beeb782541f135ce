"""What an export says of itself, and whether that is so.

The rules, each with a code of its own; all problems are collected and none is passed over:

1. There is a manifest (`manifest_missing`), it can be read, it is of a known form, and it lists at
   least one file (`manifest_unreadable`, `manifest_empty`).
2. Every entry is well formed: a digest is 64 hex digits (`manifest_digest_malformed`), a path is
   relative, without a parent step, a drive, a scheme, a backslash or an empty part
   (`manifest_path_unsafe`).
3. No two entries name one file, not even after Unicode normalisation and case folding
   (`manifest_duplicate`); where several manifests lie side by side they agree
   (`manifest_conflict`).
4. Every listed file is there (`file_missing`), is a regular file and no link (`file_not_regular`),
   and has the listed size, digest and number of records (`file_size`, `file_digest`,
   `file_records`).
5. Every file that a reader would take for records is listed (`file_unlisted`). Other unlisted
   files are a warning (`file_unread`), as is a file with more than one hard link (`file_linked`).
6. The manifest's own digest, where the caller was given it another way, fits (`manifest_pin`).
   Without it the manifest is unauthenticated: it shows that the files are the ones it lists, not
   who made them.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from verify.errors import Problem, UnreadableInput
from verify.trust.source import Entry, Source
from verify.trust.strictjson import NotStrictJson, NumberText, loads

FORMAT = "lighthouse-export/1"
JSON_NAME = "manifest.json"
LIST_NAMES = ("SHA256SUMS", "manifest-sha256.txt")
NAMES = (JSON_NAME, *LIST_NAMES)
MAX_MANIFEST_BYTES = 64 * 1024 * 1024
_HEX = re.compile(r"[0-9a-fA-F]{64}")
_LIST_LINE = re.compile(r"(\\?)([0-9a-fA-F]*) [ *](.*)")


@dataclass(frozen=True)
class ListedFile:
    """A file as the manifest lists it; `bytes` and `records` only where it gives them."""

    path: str
    sha256: str
    bytes: int | None = None
    records: int | None = None


@dataclass(frozen=True)
class Manifest:
    """What the manifest says. `sha256` is its own digest; `names` says where it was read."""

    names: tuple[str, ...]
    sha256: str
    files: tuple[ListedFile, ...]
    tenant: str | None = None
    time_zone: str | None = None
    exported_at: str | None = None

    def digest(self) -> str:
        """One digest for the export: the file's own when there is one file, else that of the list
        `<sha256>  <path>`, a line a file, sorted by path."""
        if len(self.files) == 1:
            return self.files[0].sha256
        lines = sorted(f"{file.sha256}  {file.path}\n" for file in self.files)
        ordered = sorted(lines, key=lambda line: line[66:])
        return hashlib.sha256("".join(ordered).encode("utf-8", "surrogateescape")).hexdigest()


@dataclass(frozen=True)
class Reading:
    """The outcome of reading the manifest: what it says, and all that is wrong or odd about it."""

    manifest: Manifest | None
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def unsafe_path(path: str) -> str | None:
    """Why `path` may not stand in a manifest, or None when it may."""
    if not path:
        return "it is empty"
    if path.startswith("/"):
        return "it is absolute"
    if "\\" in path:
        return "it holds a backslash"
    if re.match(r"[A-Za-z]:", path):
        return "it names a drive"
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", path):
        return "it is remote"
    if any(unicodedata.category(character) == "Cc" for character in path):
        return "it holds a control character"
    parts = path.split("/")
    if ".." in parts:
        return "it steps to a parent directory"
    if "" in parts or "." in parts:
        return "it has an empty part"
    return None


def read_manifest(source: Source, pin: str | None = None) -> Reading:
    """Read the manifest of `source` by rules 1 to 3, 5 and 6, and what of rule 4 needs no hashing.

    `pin` is the manifest's SHA-256 as received another way. Never raises for what is in the
    export: every problem is in the result.
    """
    entries = {entry.name: entry for entry in source.entries()}
    present = [name for name in NAMES if name in entries]
    if not present:
        message = f"no manifest found (looked for {', '.join(NAMES)})"
        return Reading(None, (Problem("manifest_missing", source.label, message),), ())
    problems: list[Problem] = []
    read: list[Manifest] = []
    for name in present:
        if entries[name].kind != "file":
            problems.append(Problem("file_not_regular", name, f"it is a {entries[name].kind}"))
            continue
        manifest, wrong = _read_one(source, name, entries[name].size)
        problems += wrong
        if manifest is not None:
            problems += _duplicates(manifest)
            read.append(manifest)
    manifest = read[0] if read else None
    if len(read) > 1:
        problems += _conflicts(read)
    if manifest is not None:
        problems += _pin(manifest, pin)
        problems += _presence(manifest, entries)
        problems += _unlisted(manifest, entries)
    return Reading(manifest, tuple(problems), tuple(_warnings(manifest, entries)))


def _read_one(source: Source, name: str, size: int) -> tuple[Manifest | None, list[Problem]]:
    if size > MAX_MANIFEST_BYTES:
        message = f"{size:,} bytes; a manifest of more than {MAX_MANIFEST_BYTES:,} is not read"
        return None, [Problem("manifest_unreadable", name, message)]
    try:
        data = _whole(source, name)
    except (OSError, UnreadableInput) as error:
        return None, [Problem("manifest_unreadable", name, str(error))]
    own = hashlib.sha256(data).hexdigest()
    try:
        if name == JSON_NAME:
            return _from_json(name, own, loads(data))
        return _from_list(name, own, data)
    except NotStrictJson as error:
        return None, [Problem("manifest_unreadable", name, str(error))]


def _whole(source: Source, name: str) -> bytes:
    most = MAX_MANIFEST_BYTES + 1
    data = b""
    with source.open(name) as handle:
        while more := handle.read(most - len(data)):
            data += more
    return data


def _from_json(name: str, own: str, value: Any) -> tuple[Manifest | None, list[Problem]]:
    if not isinstance(value, dict):
        return None, [Problem("manifest_unreadable", name, "it is not a JSON object")]
    listed = value.get("files")
    problems: list[Problem] = []
    if isinstance(listed, dict):
        rows: list[Any] = [{"path": path, "sha256": digest} for path, digest in listed.items()]
    elif isinstance(listed, list):
        rows = listed
    else:
        return None, [Problem("manifest_unreadable", name, "it has no list of files")]
    form = value.get("format")
    if form != FORMAT and not (isinstance(listed, dict) and form is None):
        message = f"format is {form!r}, expected {FORMAT!r}"
        problems.append(Problem("manifest_unreadable", name, message))
    files = []
    for position, row in enumerate(rows, start=1):
        file, wrong = _listed(name, position, row)
        problems += wrong
        if file is not None:
            files.append(file)
    if not rows:
        problems.append(Problem("manifest_empty", name, "it lists no file"))
    texts: dict[str, str | None] = {}
    for key in ("tenant", "time_zone", "exported_at"):
        texts[key] = value.get(key)
        if texts[key] is not None and (
            not isinstance(texts[key], str) or isinstance(texts[key], NumberText)
        ):
            problems.append(Problem("manifest_unreadable", name, f"{key} is not a string"))
            texts[key] = None
    return Manifest((name,), own, tuple(files), **texts), problems


def _listed(name: str, position: int, row: Any) -> tuple[ListedFile | None, list[Problem]]:
    where = f"{name}, entry {position}"
    if not isinstance(row, dict):
        return None, [Problem("manifest_unreadable", where, "it is not an object")]
    path, digest = row.get("path"), row.get("sha256")
    if not isinstance(path, str) or isinstance(path, NumberText):
        return None, [Problem("manifest_unreadable", where, "path is not a string")]
    numbers: dict[str, int | None] = {"bytes": None, "records": None}
    problems = _entry_problems(where, path, digest)
    for key in numbers:
        given = row.get(key)
        if given is None:
            continue
        if not isinstance(given, NumberText) or not re.fullmatch(r"[0-9]{1,18}", given):
            problems.append(Problem("manifest_unreadable", where, f"{key} is not a count"))
        else:
            numbers[key] = int(given)
    if problems:
        return None, problems
    return ListedFile(path, str(digest).lower(), numbers["bytes"], numbers["records"]), []


def _entry_problems(where: str, path: str, digest: Any) -> list[Problem]:
    problems = []
    is_text = isinstance(digest, str) and not isinstance(digest, NumberText)
    if not is_text or not _HEX.fullmatch(digest):
        message = f"the digest of {path!r} is not 64 hex digits"
        problems.append(Problem("manifest_digest_malformed", where, message))
    if (why := unsafe_path(path)) is not None:
        problems.append(Problem("manifest_path_unsafe", where, f"the path {path!r}: {why}"))
    return problems


def _from_list(name: str, own: str, data: bytes) -> tuple[Manifest | None, list[Problem]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"not UTF-8 at byte {error.start + 1}"
        return None, [Problem("manifest_unreadable", name, message)]
    files, problems, rows = [], [], 0
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.removesuffix("\r")
        if not line.strip():
            continue
        rows += 1
        where = f"{name}, line {number}"
        match = _LIST_LINE.fullmatch(line)
        if match is None:
            message = "expected '<64 hex digits>  <path>'"
            problems.append(Problem("manifest_unreadable", where, message))
            continue
        path = match[3]
        if match[1]:
            message = "an escaped file name; give the export's files plain names"
            problems.append(Problem("manifest_path_unsafe", where, message))
            continue
        wrong = _entry_problems(where, path.removeprefix("./"), match[2])
        problems += wrong
        if not wrong:
            files.append(ListedFile(path.removeprefix("./"), match[2].lower()))
    if not rows:
        problems.append(Problem("manifest_empty", name, "it lists no file"))
    return Manifest((name,), own, tuple(files)), problems


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _duplicates(manifest: Manifest) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for file in manifest.files:
        key = _folded(file.path)
        if key in seen:
            message = f"{file.path!r} and {seen[key]!r} name one file"
            yield Problem("manifest_duplicate", manifest.names[0], message)
        seen[key] = file.path


def _conflicts(read: list[Manifest]) -> Iterator[Problem]:
    first = {file.path: file.sha256 for file in read[0].files}
    own = {manifest.names[0]: manifest.sha256 for manifest in read}
    for manifest in read:
        for file in manifest.files:
            if own.get(file.path, file.sha256) != file.sha256:
                message = f"its SHA-256 is {own[file.path]}, {manifest.names[0]} says {file.sha256}"
                yield Problem("manifest_conflict", file.path, message)
    for other in read[1:]:
        listed = {file.path: file.sha256 for file in other.files}
        for path in sorted(first.keys() | listed.keys()):
            if path not in NAMES and first.get(path) != listed.get(path):
                message = f"it and {read[0].names[0]} do not say the same of {path!r}"
                yield Problem("manifest_conflict", other.names[0], message)


def _pin(manifest: Manifest, pin: str | None) -> Iterator[Problem]:
    if pin is not None and pin.lower() != manifest.sha256:
        message = f"its SHA-256 is {manifest.sha256}, expected {pin.lower()}"
        yield Problem("manifest_pin", manifest.names[0], message)


def _presence(manifest: Manifest, entries: dict[str, Entry]) -> Iterator[Problem]:
    for file in manifest.files:
        entry = entries.get(file.path)
        if entry is None:
            yield Problem("file_missing", file.path, "listed in the manifest but not there")
        elif entry.kind != "file":
            yield Problem("file_not_regular", file.path, f"it is a {entry.kind}")
        elif file.bytes is not None and entry.size != file.bytes:
            message = f"{entry.size:,} bytes, the manifest says {file.bytes:,}"
            yield Problem("file_size", file.path, message)


def _unlisted(manifest: Manifest, entries: dict[str, Entry]) -> Iterator[Problem]:
    listed = {file.path for file in manifest.files}
    for entry in entries.values():
        if entry.holds_records and entry.name not in listed:
            message = "it holds records and the manifest does not list it"
            yield Problem("file_unlisted", entry.name, message)


def _warnings(manifest: Manifest | None, entries: dict[str, Entry]) -> Iterator[Problem]:
    listed = {file.path for file in manifest.files} if manifest else set()
    for entry in entries.values():
        if entry.name in listed and entry.links > 1:
            message = f"it has {entry.links} hard links: another name can change it"
            yield Problem("file_linked", entry.name, message)
        elif entry.name not in listed and entry.name not in NAMES and not entry.holds_records:
            yield Problem("file_unread", entry.name, "not in the manifest; nothing reads it")
