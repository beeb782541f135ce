"""The documents that show the program's figures: which each is, and what it shows.

A printed report; or as JSON a measurement, the same in its two sides, a snapshot, or the tokens of
active sessions. JSON is read strictly and held against its schema.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from verify.compare.figures import At
from verify.errors import UnreadableInput
from verify.exact import Printed
from verify.findings import Finding
from verify.systems.mcp_savings import documents
from verify.systems.mcp_savings.attribution import UNATTRIBUTED
from verify.systems.mcp_savings.claims.printed import (
    Report,
    Total,
    read_report,
    rows_by_side,
)
from verify.systems.mcp_savings.claims.shown import (
    Listed,
    Shown,
    session_figures,
    show_measured,
    side_of,
)
from verify.systems.mcp_savings.claims.strange import strange_numbers, strange_words
from verify.systems.mcp_savings.documents import TOKENS, Measured, Snapshot
from verify.systems.mcp_savings.inputs import MOST_BYTES
from verify.systems.mcp_savings.keys import pair
from verify.systems.mcp_savings.measures import HOST_TOOLS, PAY, SAVED, SESSION

_FORMS = "a printed report, a measurement, its two sides, a snapshot, or the tokens of sessions"


def read_shown(path: Path) -> Shown:
    """What the document at `path` shows. Raises UnreadableInput."""
    if path.is_dir():
        raise UnreadableInput(
            f"{path} is a directory", advice="Name one report or one measurement of the program."
        )
    try:
        with path.open("rb") as handle:
            data = handle.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise UnreadableInput(f"{path} does not exist") from None
    except OSError as error:
        raise UnreadableInput(f"cannot read {path}: {(error.strerror or '').lower()}") from None
    if len(data) > MOST_BYTES:
        raise UnreadableInput(f"{path} is larger than {MOST_BYTES:,} bytes")
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        shown = _document(documents.document_in(data, path.name), path.name)
    else:
        shown = _report(data, path.name)
    shown.sha256 = hashlib.sha256(data).hexdigest()
    return shown


def is_document(path: Path) -> bool:
    """Whether the program's figures can be read at `path`."""
    try:
        read_shown(path)
    except UnreadableInput:
        return False
    return True


def _document(document: Any, name: str) -> Shown:
    shown = Shown(name)
    if isinstance(document, list):
        documents.held(document, "measurement", name)
        show_measured(shown, documents.measured(document, name))
        shown.whole, form = True, "measurement"
    elif isinstance(document, dict) and "payBytes" in document:
        _split(shown, documents.held(document, "split", name))
        form = "split"
    elif isinstance(document, dict) and {"serverWeights", "mcpMeasurement"} & document.keys():
        show_snapshot(shown, documents.snapshot(document, name))
        form = "snapshot"
    elif isinstance(document, dict) and {"sessions", "totals"} <= document.keys():
        _sessions(shown, documents.held(document, "sessions", name))
        form = "sessions"
    else:
        raise UnreadableInput(f"{name} shows no figures of the program", advice=f"Give {_FORMS}.")
    shown.strange += strange_numbers(document, form, name)
    return shown


def _split(shown: Shown, document: Mapping[str, Any]) -> None:
    for part in ("enabledOk", "disabled", "disabledOk"):
        listed = documents.measured(document[part], shown.read)
        show_measured(shown, listed, f"/{part}")
        if part != "disabled":
            _split_totals(shown, document, PAY if part == "enabledOk" else SAVED, listed)
    shown.whole = shown.except_broken = True


def _split_totals(
    shown: Shown, document: Mapping[str, Any], lever: str, listed: tuple[Measured, ...]
) -> None:
    sizes, tokens = At(lever, "amount"), At(lever, "tokens")
    shown.show(sizes, _number(document[f"{lever}Bytes"]), f"/{lever}Bytes")
    shown.show(tokens, _number(document[f"{lever}Tokens"]), f"/{lever}Tokens")
    shown.show(At(lever, "servers"), _number(document[f"{lever}Count"]), f"/{lever}Count")
    place = f"/{'enabledOk' if lever == PAY else 'disabledOk'}"
    shown.has_to_be(sizes, ((Fraction(one.bytes), None) for one in listed), place)
    known = [Fraction(one.tokens) for one in listed if one.tokens is not None]
    if len(known) == len(listed):
        shown.has_to_be(tokens, ((value, None) for value in known), place)


def show_snapshot(shown: Shown, taken: Snapshot) -> None:
    """The figures of a snapshot: a measurement, the host's own tools, the session's tokens."""
    shown.host, shown.model = taken.host, taken.model
    if taken.measurement is not None:
        show_measured(shown, taken.measurement)
        shown.whole = True
    for position, weight in enumerate(taken.weights):
        key = None if weight.server == UNATTRIBUTED else weight.server
        at, place = At(HOST_TOOLS, "bytes", "server", key), f"/serverWeights/{position}"
        shown.show(at, _number(str(weight.bytes)), f"{place}/bytes")
        tools = At(HOST_TOOLS, "tools", "server", key)
        shown.show(tools, _number(str(len(weight.tools))), f"{place}/tools")
        parts = ((Fraction(tool.bytes), None) for tool in weight.tools)
        shown.has_to_be(at, parts, f"{place}/tools")
    if taken.weights:
        shown.complete.append((HOST_TOOLS, "server"))
        if taken.total_bytes is not None:
            at = At(HOST_TOOLS, "amount")
            shown.show(at, _number(str(taken.total_bytes)), "/totalSchemaBytes")
            parts = ((Fraction(weight.bytes), None) for weight in taken.weights)
            shown.has_to_be(at, parts, "/serverWeights")
    shown.carries_session = True
    theirs = {ours: name for name, ours in TOKENS.items()}
    shown.session += session_figures(
        shown.read,
        taken.host,
        {
            name: (Printed.amount(str(value)), None, f"/sessionTokens/{theirs[name]}")
            for name, value in taken.session.items()
        },
    )


def _sessions(shown: Shown, document: Mapping[str, Any]) -> None:
    listed, seen = [], set()
    sums: dict[str, list[Fraction]] = {name: [] for name in TOKENS}
    for position, session in enumerate(document["sessions"]):
        place = f"/sessions/{position}"
        key = pair(session["sessionId"], session["project"])
        if key not in seen:
            listed.append(Listed(session["sessionId"], session["project"], f"{place}/sessionId"))
        seen.add(key)
        for name, ours in TOKENS.items():
            value = session["tokens"][name]
            sums[name].append(documents.amount(value, shown.read))
            at = At(SESSION, ours, "session", key)
            shown.show(at, _number(value), f"{place}/tokens/{name}")
    for name, ours in TOKENS.items():
        at = At(SESSION, ours)
        shown.show(at, _number(document["totals"][name]), f"/totals/{name}")
        shown.has_to_be(at, ((value, None) for value in sums[name]), "/sessions")
    shown.show(At(SESSION, "sessions"), _number(str(len(document["sessions"]))), "/sessions")
    shown.listed = listed


def _number(text: str | None) -> Printed | None:
    return None if text is None else Printed.read(text)


def _report(data: bytes, name: str) -> Shown:
    report = read_report(data.decode("utf-8-sig", "replace"))
    if not report.is_one:
        raise UnreadableInput(f"{name} shows no figures of the program", advice=f"Give {_FORMS}.")
    shown = Shown(name, host=report.host, model=report.model, measured_at=report.measured_at)
    shown.whole = report.model is not None
    _show_sessions(shown, report)
    _show_servers(shown, report)
    _show_weights(shown, report)
    shown.strange += strange_words(report.unknown)
    return shown


def _show_sessions(shown: Shown, report: Report) -> None:
    lines = {name: (each.printed, each.half_unit, f"line {line}")
             for name, (each, line) in report.session.items()}  # fmt: skip
    if report.snapshot is not None:
        host = report.host if report.snapshot else None
        shown.session += session_figures(shown.read, host, lines)
        return
    for name, (printed, half, pointer) in lines.items():
        shown.show(At(SESSION, name), printed, pointer, half)
    if report.active is not None:
        count, line = report.active
        shown.show(At(SESSION, "sessions"), _number(str(count)), f"line {line}")
        shown.listed = [Listed(one.start, one.project, f"line {one.line}") for one in report.listed]


def _show_servers(shown: Shown, report: Report) -> None:
    for row in report.servers:
        lever, pointer = side_of(row.enabled), f"line {row.line}"
        if row.server in shown.servers:
            message = f"{shown.read}, line {row.line}: {row.server} stands in the table again"
            shown.findings.append(Finding("report_contradicts_itself", message))
        shown.servers[row.server] = (row.enabled, row.ok)
        if not row.ok or row.bytes is None or row.tools is None:
            at = At(lever, "unmeasured", "server", row.server)
            shown.show(at, _number("1"), f"{pointer}, STATUS")
            continue
        at = At(lever, "bytes", "server", row.server)
        shown.show(at, row.bytes.printed, f"{pointer}, SCHEMA BYTES", row.bytes.half_unit)
        tokens = At(lever, "tokens", "server", row.server)
        printed = row.tokens.printed if row.tokens else None
        half = row.tokens.half_unit if row.tokens else None
        shown.show(tokens, printed, f"{pointer}, TOKENS", half)
        tools = At(lever, "tools", "server", row.server)
        shown.show(tools, _number(str(row.tools)), f"{pointer}, TOOLS")
    for lever, rows in rows_by_side(row for row in report.servers if row.ok).items():
        if lever in report.totals:
            _show_total(shown, lever, report.totals[lever])
            sizes = ((row.bytes.printed.value, row.bytes.half_unit) for row in rows if row.bytes)
            shown.has_to_be(At(lever, "amount"), sizes, "the table")
            counts = [row.tokens for row in rows if row.tokens]
            if len(counts) == len(rows):
                parts = ((each.printed.value, each.half_unit) for each in counts)
                shown.has_to_be(At(lever, "tokens"), parts, "the table")


def _show_total(shown: Shown, lever: str, total: Total) -> None:
    pointer = f"line {total.line}"
    at = At(lever, "amount")
    shown.show(at, total.bytes.printed, f"{pointer}, bytes", total.bytes.half_unit)
    printed = total.tokens.printed if total.tokens else None
    half = total.tokens.half_unit if total.tokens else None
    shown.show(At(lever, "tokens"), printed, f"{pointer}, tokens", half)
    shown.show(At(lever, "servers"), _number(str(total.servers)), f"{pointer}, servers")


def _show_weights(shown: Shown, report: Report) -> None:
    for row in report.weights:
        key, pointer = None if row.server == UNATTRIBUTED else row.server, f"line {row.line}"
        size = At(HOST_TOOLS, "bytes", "server", key)
        shown.show(size, row.bytes.printed, f"{pointer}, SCHEMA BYTES", row.bytes.half_unit)
        share = At(HOST_TOOLS, "share_percent", "server", key)
        shown.show(share, Printed.read(row.share), f"{pointer}, % OF TOTAL", Fraction(1, 20))
        tools = At(HOST_TOOLS, "tools", "server", key)
        shown.show(tools, _number(str(row.tools)), f"{pointer}, TOOLS")
    if report.weights:
        shown.complete.append((HOST_TOOLS, "server"))
    if report.weighed is not None:
        each, line = report.weighed
        at = At(HOST_TOOLS, "amount")
        shown.show(at, each.printed, f"line {line}", each.half_unit)
        parts = ((row.bytes.printed.value, row.bytes.half_unit) for row in report.weights)
        shown.has_to_be(at, parts, "the table")


def strange_places(shown: Shown) -> Iterator[str]:
    """Where the document shows what nothing here compares."""
    yield from (place for place, _ in shown.strange)
