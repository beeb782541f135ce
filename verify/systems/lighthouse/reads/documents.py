"""Captured documents: which read each is, opened strictly and held against its schema.

A document saved by hand is recognised by what is in it. A read may also come wrapped, as an
assistant's tool hands it back: in `result`, `savings`, `data` or `structuredContent`, or as JSON
text in `content[].text` [reading].
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify.errors import UnreadableInput
from verify.schemata import violations
from verify.trust.strictjson import NotStrictJson, NumberText, loads

READS = ("headline", "retrieval", "caching", "routing", "profiles")
CSV_READ = "caching.group_by_deployment"
MAX_BYTES = 512 * 1024 * 1024
_SHOWN = 5
_WRAPPERS = ("result", "savings", "data", "structuredContent")
_CSV_KEYS = ("deployment", "model")
_CSV_NUMBERS = (
    "input_per_m",
    "cache_read_per_m",
    "cache_write_per_m",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "saved_usd",
)


@dataclass(frozen=True)
class Documents:
    """The reads found, by name, each with the file it came from; and files that are none."""

    reads: Mapping[str, Any]
    files: Mapping[str, str]
    unread: tuple[str, ...] = ()
    hand_saved: bool = True


def open_documents(path: Path) -> Documents:
    """The reads at `path`: a directory of them, one JSON document, or one CSV.

    Raises UnreadableInput when there is none, or one is not what its schema says.
    """
    if path.is_dir():
        return _directory(path)
    if not path.exists():
        raise UnreadableInput(f"{path} does not exist", advice="Name the captured reads.")
    found = _open(path)
    if found is None:
        raise UnreadableInput(
            f"{path} is none of LightHouse's reads", advice=f"There are {', '.join(READS)}."
        )
    name, document = found
    return Documents({name: document}, {name: path.name})


def _directory(path: Path) -> Documents:
    reads: dict[str, Any] = {}
    files: dict[str, str] = {}
    unread = []
    for child in sorted(path.iterdir()):
        if child.suffix.lower() not in (".json", ".csv") or not child.is_file():
            continue
        if child.name == "capture.json":
            continue
        found = _open(child)
        if found is None:
            unread.append(child.name)
            continue
        name, document = found
        if name in reads:
            raise UnreadableInput(
                f"{path} holds the read {name} twice: {files[name]} and {child.name}",
                advice="Keep the one that is meant.",
            )
        reads[name], files[name] = document, child.name
    if not reads:
        raise UnreadableInput(
            f"{path} holds none of LightHouse's reads",
            advice=f"Expected {', '.join(f'{read}.json' for read in READS)}.",
        )
    return Documents(reads, files, tuple(unread), not (path / "capture.json").exists())


def _open(path: Path) -> tuple[str, Any] | None:
    try:
        with path.open("rb") as handle:
            data = handle.read(MAX_BYTES + 1)
    except OSError as error:
        why = (error.strerror or "").lower()
        raise UnreadableInput(f"cannot read {path}: {why}") from None
    if len(data) > MAX_BYTES:
        raise UnreadableInput(f"{path} is larger than any read ({MAX_BYTES:,} bytes)")
    if path.suffix.lower() == ".csv":
        return CSV_READ, _csv(path, data)
    try:
        document = loads(data)
    except NotStrictJson as error:
        raise UnreadableInput(
            f"{path} cannot be read: {error}", advice="Save the read again as it came."
        ) from None
    return recognised(document, str(path))


def recognised(document: Any, where: str) -> tuple[str, Any] | None:
    """The name of the read that `document` is, and the read without its wrapping.

    Raises UnreadableInput when it looks like a read and is not what its schema says.
    """
    for candidate in _unwrapped(document):
        name = _name_of(candidate)
        if name is not None:
            _require_schema(candidate, name, where)
            return name, candidate
    return None


def _unwrapped(document: Any, depth: int = 0) -> Iterator[Any]:
    if not isinstance(document, dict) or depth > 3:
        return
    yield document
    for key in _WRAPPERS:
        yield from _unwrapped(document.get(key), depth + 1)
    content = document.get("content")
    for item in content if isinstance(content, list) else ():
        text = item.get("text") if isinstance(item, dict) else None
        if isinstance(text, str):
            try:
                yield from _unwrapped(loads(text.encode("utf-8", "surrogatepass")), depth + 1)
            except NotStrictJson:
                continue


def _name_of(document: Mapping[str, Any]) -> str | None:
    if "method" in document and "levers" in document and "export" in document:
        return "recompute"
    if "levers" in document:
        return "headline"
    if "stuffing" in document:
        return "retrieval"
    if "decisions" in document:
        return "routing"
    if "by_model" in document or "by_deployment_model" in document:
        return "caching"
    if "deployments" in document:
        return "profiles"
    return None


def _require_schema(document: Any, name: str, where: str) -> None:
    schema = "outputs/recompute" if name == "recompute" else f"lighthouse/reads/{name}"
    wrong = violations(document, schema)
    if wrong:
        shown = "; ".join(f"{v.where or '/'}: {v.message}" for v in wrong[:_SHOWN])
        more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise UnreadableInput(
            f"{where} is not what the {name} read should be: {shown}{more}",
            advice="Capture it again, or see schemas/lighthouse/reads.",
        )


def _csv(path: Path, data: bytes) -> list[dict[str, Any]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableInput(f"{path} is not UTF-8 at byte {error.start + 1}") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        expected = set(_CSV_KEYS) | set(_CSV_NUMBERS)
        if not set(header) >= expected or len(set(header)) != len(header):
            missing = ", ".join(sorted(expected - set(header))) or "unique column names"
            raise UnreadableInput(
                f"{path} is not caching grouped by deployment as CSV: expected {missing}"
            )
        return [
            _csv_row(path, reader.line_num, dict(zip(header, row, strict=True)))
            for row in reader
            if row
        ]
    except csv.Error as error:
        raise UnreadableInput(f"{path}, line {reader.line_num}: {error}") from None
    except ValueError:
        raise UnreadableInput(
            f"{path}, line {reader.line_num}: expected {len(header)} fields"
        ) from None


def _csv_row(path: Path, line: int, row: dict[str, str]) -> dict[str, Any]:
    from verify.exact import NUMBER

    read: dict[str, Any] = {key: row[key] for key in _CSV_KEYS}
    for key in _CSV_NUMBERS:
        text = row[key]
        if text and not NUMBER.fullmatch(text):
            raise UnreadableInput(f"{path}, line {line}: {key}: expected a number, found {text!r}")
        if not text and not key.endswith("_per_m"):
            raise UnreadableInput(f"{path}, line {line}: {key}: expected a number, found nothing")
        read[key] = NumberText(text) if text else None
    return read
