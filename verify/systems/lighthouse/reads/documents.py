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
from verify.exact import NUMBER, Printed
from verify.schemata import schema, violations
from verify.systems.lighthouse.reads.capture import Capture, open_capture
from verify.systems.lighthouse.reads.figures import CACHING_MEASURES, RETRIEVAL_MEASURES
from verify.trust.strictjson import NotStrictJson, NumberText, loads

READS = ("headline", "retrieval", "caching", "routing", "profiles")
CSV_READ = "caching.group_by_deployment"
MAX_BYTES = 512 * 1024 * 1024
MAX_DIGITS = 400  # beyond it a number is no figure, and costly to compute with
_SHOWN = 5
_OTHER_ROW: Mapping[str, Any] = {
    "properties": {name: {} for name in ("key", *RETRIEVAL_MEASURES, *CACHING_MEASURES)}
}
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


def _captured(capture: Capture, place: Path) -> Documents:
    """The reads of a capture, from the bytes that its digests were held against."""
    reads: dict[str, Any] = {}
    files: dict[str, str] = {}
    for name, pages in capture.pages.items():
        for file, body in pages:
            found = _read(place / file, body)
            if found is None or found[0] != name:
                raise UnreadableInput(f"{file} is not the read {name} that the capture says")
            if name not in reads:
                reads[name], files[name] = found[1], file
            elif name == "routing":  # pages: each lists decisions of its own, of one whole
                for part in ("since", "until", "time_zone", "totals"):
                    if found[1].get(part) != reads[name].get(part):
                        raise UnreadableInput(f"{file} has another {part} than {files[name]}")
                decisions = [*reads[name]["decisions"], *found[1]["decisions"]]
                reads[name] = {**reads[name], "decisions": decisions}
            else:
                raise UnreadableInput(f"the capture holds the read {name} twice")
    return Documents(reads, files, hand_saved=False)


def _directory(path: Path) -> Documents:
    capture = open_capture(path)
    if capture is not None:
        return _captured(capture, path)
    reads: dict[str, Any] = {}
    files: dict[str, str] = {}
    unread = []
    for child in sorted(path.iterdir()):
        if child.name.startswith(".") or not child.is_file():
            continue
        found = _open(child) if child.suffix.lower() in (".json", ".csv") else None
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
    return Documents(reads, files, tuple(unread))


def _open(path: Path) -> tuple[str, Any] | None:
    try:
        with path.open("rb") as handle:
            data = handle.read(MAX_BYTES + 1)
    except OSError as error:
        why = (error.strerror or "").lower()
        raise UnreadableInput(f"cannot read {path}: {why}") from None
    if len(data) > MAX_BYTES:
        raise UnreadableInput(f"{path} is larger than any read ({MAX_BYTES:,} bytes)")
    return _read(path, data)


def _read(path: Path, data: bytes) -> tuple[str, Any] | None:
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

    Raises UnreadableInput when it looks like a read and is not what its schema says, or when the
    wrapping holds several that are not the same.
    """
    found = list(_unwrapped(document))
    if not found:
        return None
    name, read = found[0]
    if any(other != found[0] for other in found):
        raise UnreadableInput(
            f"{where} holds more than one read", advice="Save each of them in a file of its own."
        )
    _require_schema(read, name, where)
    _require_numbers(read, where)
    _require_keys(read["stuffing"] if name == "retrieval" else read, where)
    return name, read


def _unwrapped(document: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    if not isinstance(document, dict) or depth > 3:
        return
    name = _name_of(document)
    if name is not None:
        yield name, document
        return
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
    if {"since", "total"} <= document.keys() or any(key.startswith("by_") for key in document):
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


def _require_numbers(read: Any, where: str) -> None:
    """Numbers as JSON allows them can be too large to compute with, or even to print."""
    for place, text in _numbers(read):
        if not _is_computable(text):
            shown = f"{text[:20]}... ({len(text):,} characters)" if len(text) > 40 else text
            raise UnreadableInput(f"{where} {place}: a number out of all proportion: {shown}")


def _numbers(value: Any) -> Iterator[tuple[str, str]]:
    stack = [("", value)]
    while stack:
        place, item = stack.pop()
        if isinstance(item, NumberText):
            yield place, item
        elif isinstance(item, dict):
            stack.extend((f"{place}/{key}", member) for key, member in item.items())
        elif isinstance(item, list):
            stack.extend((f"{place}/{at}", member) for at, member in enumerate(item))


def _is_computable(text: str) -> bool:
    if len(text) > MAX_DIGITS:
        return False
    try:
        Printed.read(text)
    except ValueError:
        return False
    return True


def _require_keys(part: Mapping[str, Any], where: str) -> None:
    """The schema knows the breakdowns that the product names; whatever else is one has keys too."""
    for name, rows in part.items():
        if not name.startswith("by_") or name == "by_deployment_model":
            continue
        if not isinstance(rows, list):
            raise UnreadableInput(f"{where} {name}: expected an array of rows")
        for position, row in enumerate(rows):
            key = row.get("key", row) if isinstance(row, dict) else row
            if not isinstance(key, str | None) or isinstance(key, NumberText):
                message = f"{where} {name}/{position}: expected a row with a key, text or null"
                raise UnreadableInput(message)


def unread_numbers(name: str, read: Any) -> list[str]:
    """Where a read holds numbers under names that it is not known to carry: nothing reads them.
    Positions are `*`. What a decision or a free text holds beside is no figure."""
    if name == CSV_READ:
        known = {*_CSV_KEYS, *_CSV_NUMBERS, "output_per_m"}
        return sorted({f"/*/{key}" for row in read for key in row if key not in known})
    if name in ("routing", "recompute"):
        return []
    whole = schema(f"lighthouse/reads/{name}")
    return sorted(set(_unread(read, whole, whole["$defs"], "")))


def _unread(value: Any, part: Any, definitions: Mapping[str, Any], place: str) -> Iterator[str]:
    if "$ref" in part:
        part = definitions[part["$ref"].removeprefix("#/$defs/")]
    if isinstance(value, list) and "items" in part:
        for item in value:
            yield from _unread(item, part["items"], definitions, f"{place}/*")
    elif isinstance(value, dict) and "properties" in part:
        for key, member in value.items():
            if key in part["properties"]:
                yield from _unread(member, part["properties"][key], definitions, f"{place}/{key}")
            elif key.startswith("by_"):
                yield from _unread(member, {"items": _OTHER_ROW}, definitions, f"{place}/{key}")
            else:
                yield from (f"{place}/{key}" for _ in _numbers(member))


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
    read: dict[str, Any] = {key: row[key] for key in _CSV_KEYS}
    for key in _CSV_NUMBERS:
        text = row[key]
        if text and not (NUMBER.fullmatch(text) and _is_computable(text)):
            shown = repr(text[:40])
            raise UnreadableInput(f"{path}, line {line}: {key}: expected a number, found {shown}")
        if not text and not key.endswith("_per_m"):
            raise UnreadableInput(f"{path}, line {line}: {key}: expected a number, found nothing")
        read[key] = NumberText(text) if text else None
    others = {key: NumberText(text) for key, text in row.items() if key not in read}
    return read | {key: text for key, text in others.items() if _is_computable(text)}
