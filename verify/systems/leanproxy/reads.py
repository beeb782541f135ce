"""The figures that the product's documents show, and the question that they answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from verify.compare.figures import At, Claims, Derived, Figure
from verify.errors import UnreadableInput
from verify.exact import Printed
from verify.findings import Finding
from verify.systems.leanproxy import depth2
from verify.systems.leanproxy.documents import (
    DASHBOARD,
    RECOMPUTE,
    SAVINGS,
    TABLE,
    Documents,
    open_documents,
)
from verify.systems.leanproxy.instants import ZERO, parse_stamp, stamp_text
from verify.systems.leanproxy.levers import COST, MEASURED, SAVING
from verify.systems.leanproxy.measures import PRICE, REPORT, SINCE, VIEW, WINDOWS
from verify.systems.leanproxy.own import own_figures
from verify.systems.leanproxy.report import SUMMARIZATION

ROUNDED = "rounded percentage"
"""Where the claims keep the figure of the CSV's last row, which has a precision of its own."""
_SHARE = "total_saved_percent"
_PERCENT = re.compile(r"(-?[0-9]+\.[0-9])% saved")
_ATTEMPTS = re.compile(r"\b([0-9]{1,18}) attempt")
_ROW = ("original_tokens", "resulting_tokens", "calls")
_TOTALS = ("session_count", "total_original_tokens", "total_saved_percent", "extra_turns_estimate")
_WINDOW = (
    "sessions",
    "original_tokens",
    "saved_percent",
    "discovery_calls",
    "discovery_tokens",
    "tool_calls",
)


def read_claims(path: Path) -> Claims:
    """All figures at `path`. Raises UnreadableInput."""
    documents = open_documents(path)
    read = documents.read
    if RECOMPUTE in read and len(read) > 1:
        raise UnreadableInput(
            f"{path} holds a recomputation beside the product's documents",
            advice="Name the one that is meant.",
        )
    figures: list[Figure] = []
    derived: dict[At, Derived] = {}
    complete: list[tuple[str, str]] = []
    findings = list(_findings(documents))
    if RECOMPUTE in read:
        figures, complete = own_figures(read[RECOMPUTE])
    if SAVINGS in read:
        shown = list(_report(read[SAVINGS]))
        own = depth2.of_report(read[SAVINGS])
        findings += depth2.contradictions(shown, own)
        figures, derived = [*figures, *shown], derived | own
        complete.append((REPORT, "session"))
    if DASHBOARD in read:
        shown = list(_windows(read[DASHBOARD]))
        own = depth2.of_windows(read[DASHBOARD])
        findings += depth2.contradictions(shown, own)
        figures, derived = [*figures, *shown], derived | own
        complete += [(name, part) for name in WINDOWS for part in ("tool", "server")]
    if TABLE in read:
        table, percent = list(_table(read[TABLE])), _percent(read[TABLE])
        known = {figure.at: figure.value for figure in figures}
        findings += _against(table, known)
        figures += [figure for figure in table if figure.at not in known]
        own = depth2.of_table(read[TABLE])
        findings += depth2.contradictions([*table, percent], own)
        derived = own | derived
        read = {**read, ROUNDED: percent}
    return Claims(
        tuple(figures),
        derived,
        None,
        None,
        None,
        complete=tuple(complete),
        findings=tuple(findings),
        source=read,
        asked=_asked(read),
    )


def _number(value: str) -> Printed:
    return Printed.read(value)


def _report(document: Mapping[str, Any]) -> Iterator[Figure]:
    for position, row in enumerate(document["mechanisms"]):
        name, pointer = row["mechanism"], f"/mechanisms/{position}"
        for measure in _ROW:
            shown = _number(row[measure])
            yield Figure(At(name, measure), shown, SAVINGS, f"{pointer}/{measure}")
        saved = _number(row["saved_tokens"])
        yield Figure(At(name, "amount"), saved, SAVINGS, f"{pointer}/saved_tokens")
        basis = MEASURED if row["measured"] else "estimated"
        yield Figure(At(name, "basis"), basis, SAVINGS, f"{pointer}/measured")
        kind = COST if row.get("is_cost") else SAVING
        yield Figure(At(name, "kind"), kind, SAVINGS, f"{pointer}/is_cost")
        if "estimator" in row:
            at = At(name, "estimator")
            yield Figure(at, row["estimator"], SAVINGS, f"{pointer}/estimator")
        attempts = _ATTEMPTS.search(row.get("notes", ""))
        if name == SUMMARIZATION and attempts:
            at = At(name, "fallbacks")
            yield Figure(at, _number(attempts[1]), SAVINGS, f"{pointer}/notes")
    yield Figure(At(REPORT, "estimator"), document["estimator"], SAVINGS, "/estimator")
    for measure in (*_TOTALS, "estimated_cost_saved"):
        if measure in document:
            shown = _number(document[measure])
            yield Figure(At(REPORT, measure), shown, SAVINGS, f"/{measure}")
    saved = _number(document["total_saved_tokens"])
    yield Figure(At(REPORT, "amount"), saved, SAVINGS, "/total_saved_tokens")
    for member, dimension in LISTS.items():
        for position, row in enumerate(document.get(member) or ()):
            for measure in ("original_tokens", "calls"):
                at = At(REPORT, measure, dimension, row["tool"])
                pointer = f"/{member}/{position}/{measure}"
                yield Figure(at, _number(row[measure]), SAVINGS, pointer)
    for position, row in enumerate(document.get("per_session") or ()):
        pointer = f"/per_session/{position}"
        at = At(REPORT, "timestamp", "session", row["session_id"])
        yield Figure(at, row["timestamp"], SAVINGS, f"{pointer}/timestamp")
        for measure in ("total_original_tokens", "total_saved_tokens"):
            at = At(REPORT, measure, "session", row["session_id"])
            yield Figure(at, _number(row[measure]), SAVINGS, f"{pointer}/{measure}")


LISTS = {"top_tools_by_response_size": "tool", "top_servers_by_response_size": "server"}
"""The lists of a report that show the largest alone, and what they are broken down by."""


def _windows(document: Mapping[str, Any]) -> Iterator[Figure]:
    for name in WINDOWS:
        part = document[name]
        yield Figure(At(name, "since"), part["since"], DASHBOARD, f"/{name}/since")
        at = At(name, "estimator")
        yield Figure(at, document["estimator"], DASHBOARD, "/estimator")
        for measure in _WINDOW:
            shown = _number(part[measure])
            yield Figure(At(name, measure), shown, DASHBOARD, f"/{name}/{measure}")
        saved = _number(part["saved_tokens"])
        yield Figure(At(name, "amount"), saved, DASHBOARD, f"/{name}/saved_tokens")
        for member, dimension in (("by_tool", "tool"), ("by_server", "server")):
            for position, row in enumerate(part[member]):
                yield from _size(name, dimension, row, f"/{name}/{member}/{position}")


def _size(name: str, dimension: str, row: Mapping[str, Any], pointer: str) -> Iterator[Figure]:
    key = tool_key(row) if dimension == "tool" else row["server"]
    if dimension == "tool":
        for measure in ("server", "tool"):
            at = At(name, measure, dimension, key)
            yield Figure(at, row[measure], DASHBOARD, f"{pointer}/{measure}")
    else:
        at = At(name, "tools", dimension, key)
        yield Figure(at, _number(row["tools"]), DASHBOARD, f"{pointer}/tools")
    for measure in depth2.SIZES:
        at = At(name, measure, dimension, key)
        yield Figure(at, _number(row[measure]), DASHBOARD, f"{pointer}/{measure}")


def tool_key(row: Mapping[str, Any]) -> str:
    """The whole name of a tool that a window shows in two parts."""
    return f"{row['server']}.{row['tool']}" if row["server"] else str(row["tool"])


def _table(rows: Iterable[Mapping[str, str]]) -> Iterator[Figure]:
    for position, row in enumerate(rows, start=2):
        name, place = row["mechanism"], f"line {position}"
        if name == "TOTAL":
            yield Figure(
                At(REPORT, "total_original_tokens"),
                _cell(row, "original_tokens", place),
                TABLE,
                place,
            )
            yield Figure(At(REPORT, "amount"), _cell(row, "saved_tokens", place), TABLE, place)
            continue
        for measure in _ROW:
            yield Figure(At(name, measure), _cell(row, measure, place), TABLE, place)
        yield Figure(At(name, "amount"), _cell(row, "saved_tokens", place), TABLE, place)
        basis = MEASURED if row["measured"] == "true" else "estimated"
        yield Figure(At(name, "basis"), basis, TABLE, place)
        kind = COST if row["is_cost"] == "true" else SAVING
        yield Figure(At(name, "kind"), kind, TABLE, place)


def _percent(rows: Iterable[Mapping[str, str]]) -> Figure:
    place, notes = next(
        (f"line {position}", row["notes"])
        for position, row in enumerate(rows, start=2)
        if row["mechanism"] == "TOTAL"
    )
    percent = _PERCENT.fullmatch(notes)
    if percent is None:
        raise UnreadableInput(f"the CSV's {place}: {notes!r} is no percentage saved")
    return Figure(At(REPORT, _SHARE), _number(percent[1]), TABLE, place)


def _cell(row: Mapping[str, str], column: str, place: str) -> Printed:
    try:
        return _number(row[column])
    except ValueError:
        raise UnreadableInput(
            f"the CSV's {place}: {column}: expected a number, found {row[column]!r}"
        ) from None


def _asked(read: Mapping[str, Any]) -> dict[str, Any]:
    """What the documents say of the question that they answer."""
    asked: dict[str, Any] = {}
    options: dict[str, str] = {}
    if SAVINGS in read:
        asked["since"] = _cut(read[SAVINGS]["since"], options)
        if "price_per_mtok" in read[SAVINGS]:
            options[PRICE] = str(read[SAVINGS]["price_per_mtok"])
    if DASHBOARD in read:
        asked["now"] = _moment(_instant(read[DASHBOARD]["today"]["since"]))
    if RECOMPUTE in read:
        document = read[RECOMPUTE]
        method = document["method"]
        start = method.get(SINCE) or document["period"]["start"]
        asked["since"] = None if start is None else _cut(start, options)
        if "now" in method:
            asked["now"] = _moment(_instant(method["now"]))
            options[VIEW] = method[VIEW]
        for lever in document["levers"]:
            if lever["lever"] == REPORT and PRICE in lever["totals"]:
                options[PRICE] = lever["totals"][PRICE]
    return asked | ({"options": options} if options else {})


def _cut(text: str, options: dict[str, str]) -> datetime | None:
    instant = _instant(text)
    if instant == ZERO:
        return None
    if instant % 1000:
        options[SINCE] = stamp_text(instant)
    return _moment(instant)


def _instant(text: str) -> int:
    parsed = parse_stamp(text)
    if parsed is None:
        raise UnreadableInput(f"{text!r} in the product's document is not a timestamp")
    return parsed[0]


def _moment(instant: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=instant // 1000)


def _findings(documents: Documents) -> Iterator[Finding]:
    if documents.hand_saved and RECOMPUTE not in documents.read:
        message = "no capture.json: nothing says where the product's figures came from and when"
        yield Finding("capture_hand_saved", message)
    for name in documents.unread:
        yield Finding("read_unknown", f"{name} is none of the product's documents")


def _against(table: Iterable[Figure], known: Mapping[At, Any]) -> Iterator[Finding]:
    for figure in table:
        if figure.at in known and known[figure.at] != figure.value:
            what = f"{figure.at.lever} {figure.at.measure}"
            message = f"the CSV shows {figure.text} for {what}, the JSON {known[figure.at]}"
            yield Finding("reads_disagree", message)
