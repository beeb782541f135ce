"""The product's own documents: which each is, opened strictly and held against its schema.

Its report as JSON or CSV; its windows as JSON, by themselves or in the `usage` member of what its
metrics endpoint serves. A recomputation of this program is read as well.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify.errors import UnreadableInput
from verify.schemata import violations
from verify.systems.leanproxy.report import MECHANISMS
from verify.trust.strictjson import NotStrictJson, loads

SAVINGS, DASHBOARD, TABLE, RECOMPUTE = "report", "windows", "csv", "recompute"
COLUMNS = (
    "mechanism",
    "measured",
    "is_cost",
    "original_tokens",
    "resulting_tokens",
    "saved_tokens",
    "calls",
    "notes",
)
MAX_BYTES = 256 * 1024 * 1024
_SHOWN = 5


@dataclass(frozen=True)
class Documents:
    """The documents found, by sort, each with its file; files that are none; and whether a
    capture.json says where they came from."""

    read: Mapping[str, Any]
    files: Mapping[str, str]
    unread: tuple[str, ...] = ()
    hand_saved: bool = True


def open_documents(path: Path) -> Documents:
    """The documents at `path`: one file, or a directory with at most one of each sort.

    Raises UnreadableInput when there is none, when one is not what its schema says, or when a
    directory holds two of a sort.
    """
    if not path.exists():
        raise UnreadableInput(f"{path} does not exist", advice="Name the product's report.")
    if not path.is_dir():
        found = _open(path)
        if found is None:
            raise UnreadableInput(
                f"{path} is none of leanproxy-mcp's documents",
                advice="Name what report --export json or csv wrote, or the dashboard's windows.",
            )
        return Documents({found[0]: found[1]}, {found[0]: path.name})
    read: dict[str, Any] = {}
    files: dict[str, str] = {}
    unread = []
    for child in sorted(path.iterdir()):
        if child.suffix.lower() not in (".json", ".csv") or not child.is_file():
            continue
        found = None if child.name == "capture.json" else _open(child)
        if found is None:
            if child.name != "capture.json":
                unread.append(child.name)
            continue
        sort, document = found
        if sort in read:
            raise UnreadableInput(
                f"{path} holds two documents of one sort: {files[sort]} and {child.name}",
                advice="Name the one that is meant.",
            )
        read[sort], files[sort] = document, child.name
    if not read:
        raise UnreadableInput(f"{path} holds none of leanproxy-mcp's documents")
    return Documents(read, files, tuple(unread), not (path / "capture.json").exists())


def _open(path: Path) -> tuple[str, Any] | None:
    try:
        with path.open("rb") as handle:
            data = handle.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableInput(f"cannot read {path}: {(error.strerror or '').lower()}") from None
    if len(data) > MAX_BYTES:
        raise UnreadableInput(f"{path} is larger than any report ({MAX_BYTES:,} bytes)")
    if path.suffix.lower() == ".csv":
        rows = _table(path, data)
        return None if rows is None else (TABLE, rows)
    try:
        document = loads(data)
    except NotStrictJson as error:
        raise UnreadableInput(
            f"{path} cannot be read: {error}", advice="Save the document again as it came."
        ) from None
    return _recognised(document, str(path))


def _recognised(document: Any, where: str) -> tuple[str, Any] | None:
    if not isinstance(document, dict):
        return None
    if "levers" in document and "export" in document:
        _require(document, "outputs/recompute", where)
        return RECOMPUTE, document
    if "mechanisms" in document:
        _require(document, "leanproxy/report", where)
        shown = [row["mechanism"] for row in document["mechanisms"]]
        _complete(shown, where)
        return SAVINGS, document
    windows = document if "today" in document else document.get("usage")
    if isinstance(windows, dict) and "today" in windows:
        _require(windows, "leanproxy/windows", where)
        return DASHBOARD, windows
    return None


def _require(document: Any, schema: str, where: str) -> None:
    wrong = violations(document, schema)
    if wrong:
        shown = "; ".join(map(str, wrong[:_SHOWN]))
        more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise UnreadableInput(
            f"{where} is not what it should be: {shown}{more}",
            advice=f"See schemas/{schema}.schema.json.",
        )


def _complete(shown: list[str], where: str) -> None:
    """A report has every row once; a report without one is no whole report."""
    missing = [name for name in MECHANISMS if name not in shown]
    twice = sorted({name for name in shown if shown.count(name) > 1})
    if missing or twice:
        words = (
            f"lacks the rows {', '.join(missing)}"
            if missing
            else (f"shows the rows {', '.join(twice)} twice")
        )
        raise UnreadableInput(f"{where} {words}", advice="Export the report again.")


def _table(path: Path, data: bytes) -> list[dict[str, str]] | None:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableInput(f"{path} is not UTF-8 at byte {error.start + 1}") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        if tuple(next(reader, ())) != COLUMNS:
            return None
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in reader if row]
    except (csv.Error, ValueError) as error:
        raise UnreadableInput(f"{path}, line {reader.line_num}: {error}") from None
    if [row["mechanism"] for row in rows].count("TOTAL") != 1:
        raise UnreadableInput(f"{path} has no row TOTAL, or more than one")
    _complete([row["mechanism"] for row in rows], str(path))
    return rows
