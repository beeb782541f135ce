"""From recomputed totals to levers: every figure with its label and its estimator.

All figures are tokens as the product counts them, by `ceil(bytes / 4)` of what it measured, which
is an estimate of any model's tokens. Nothing here is dollars; what the tokens would have cost is
computed from a price that the reader gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from verify.result import Coverage, LeverResult, Row, Value
from verify.systems.leanproxy.instants import date_text
from verify.systems.leanproxy.measures import DIMENSIONS, REPORT
from verify.systems.leanproxy.notes import ESTIMATOR
from verify.systems.leanproxy.report import (
    DISCOVERY,
    SUMMARIZATION,
    ToolTotal,
    Totals,
    by_server,
    by_tool,
    server_of,
    snapshots,
    totals,
)
from verify.systems.leanproxy.store import Kept
from verify.systems.leanproxy.windows import Window

MEASURED = "measured"
SAVING, COST = "saving", "cost"
Days = Iterable[tuple[int, Window]]
NO_PARTS = ("tool", "server", "day")
"""Tools and servers have tool results alone, without schemas, and days are made by the window rule:
they are no parts of a total."""


def mechanism(
    name: str, whole: Totals, kept: Mapping[str, Kept], days: Days, by: Iterable[str], stored: bool
) -> LeverResult:
    """A row of the report; `whole` are the totals of the lines `kept`, by session.

    Coverage is the sessions whose lines carry what the row is made of: all of them, or those whose
    response governor was on.
    """
    rows: dict[str, tuple[Row, ...]] = {}
    for dimension in wanted(name, by):
        if dimension == "session":
            each = [(key, totals(snapshots([one]), stored=stored)) for key, one in kept.items()]
        else:
            each = [(date_text(day), window.totals) for day, window in days]
        rows[dimension] = tuple(Row(key, _row(name, one)) for key, one in each)
    return LeverResult(
        name,
        status(whole.sessions),
        None,
        _row(name, whole),
        Coverage(_covered(name, kept), whole.sessions),
        rows,
        detail={
            "basis": MEASURED,
            "kind": COST if name == DISCOVERY else SAVING,
            "estimator": ESTIMATOR,
        },
        amount=whole.mechanisms[name].saved,
        unit="tokens",
        alternatives=NO_PARTS,
    )


def _row(name: str, whole: Totals) -> dict[str, Value]:
    row = whole.mechanisms[name]
    found: dict[str, Value] = {
        "original_tokens": row.original,
        "resulting_tokens": row.resulting,
        "saved_tokens": row.saved,
        "calls": row.calls,
    }
    return found | {"fallbacks": whole.fallbacks} if name == SUMMARIZATION else found


def _covered(name: str, kept: Mapping[str, Kept]) -> int:
    if not name.startswith("response_"):
        return len(kept)
    return sum(
        one.snapshot is not None and one.snapshot.governor is not None for one in kept.values()
    )


def report(
    whole: Totals,
    kept: Mapping[str, Kept],
    days: Days,
    by: Iterable[str],
    price: Fraction | None,
    stored: bool,
) -> LeverResult:
    """The report's totals and breakdowns. Extra turns stay a count of discovery calls."""
    figures: dict[str, Value] = {
        "total_original_tokens": whole.original,
        "total_saved_tokens": whole.saved,
        "total_saved_percent": whole.percent,
        "extra_turns_estimate": whole.extra_turns,
        "session_count": whole.sessions,
    }
    if price is not None:
        figures |= {"price_per_mtok": price, "estimated_cost_saved": whole.cost(price)}
    rows: dict[str, tuple[Row, ...]] = {}
    tools = by_tool(snapshots(kept.values()))
    for dimension in wanted(REPORT, by):
        if dimension == "tool":
            rows[dimension] = _sizes(tools)
        elif dimension == "server":
            rows[dimension] = _sizes(by_server(tools, windows=False))
        elif dimension == "session":
            rows[dimension] = tuple(_session(key, one, stored) for key, one in kept.items())
        else:
            rows[dimension] = tuple(_day(day, window) for day, window in days)
    return LeverResult(
        REPORT,
        status(whole.sessions),
        None,
        figures,
        Coverage(whole.sessions, whole.sessions),
        rows,
        detail={
            "basis": MEASURED,
            "kind": SAVING,
            "estimator": ESTIMATOR,
            "extra_turns_basis": "estimated from measured discovery calls, never tokens",
            **({"cost_basis": "estimated from the price given"} if price is not None else {}),
        },
        amount=whole.saved,
        unit="tokens",
        alternatives=NO_PARTS,
    )


def _sizes(tools: Mapping[str, ToolTotal]) -> tuple[Row, ...]:
    """Largest first; of equal sizes the order of their names, where the product has none."""
    ordered = sorted(tools.items(), key=lambda item: (-item[1].original, item[0]))
    return tuple(
        Row(
            name,
            {
                "original_tokens": one.original,
                "returned_tokens": one.returned,
                "saved_tokens": one.saved,
                "calls": one.calls,
            },
        )
        for name, one in ordered
    )


def _session(key: str, kept: Kept, stored: bool) -> Row:
    whole = totals(snapshots([kept]), stored=stored)
    return Row(
        key,
        {
            "timestamp": kept.stamp,
            "total_original_tokens": whole.original,
            "total_saved_tokens": whole.saved,
        },
    )


def _day(day: int, window: Window) -> Row:
    return Row(
        date_text(day),
        {
            "total_original_tokens": window.totals.original,
            "total_saved_tokens": window.totals.saved,
            "total_saved_percent": window.totals.percent,
            "discovery_tokens": window.totals.mechanisms[DISCOVERY].resulting,
            "extra_turns_estimate": window.totals.extra_turns,
            "session_count": window.totals.sessions,
        },
    )


def windowed(
    name: str, window: Window, since: str, detail: Mapping[str, Value], by: Iterable[str]
) -> LeverResult:
    """A window of the dashboard. `since` is its start as the product prints it."""
    whole = window.totals
    discovery = whole.mechanisms[DISCOVERY]
    rows: dict[str, tuple[Row, ...]] = {}
    for dimension in wanted(name, by):
        if dimension == "tool":
            rows[dimension] = tuple(_tool(row) for row in _sizes(window.tools))
        else:
            rows[dimension] = tuple(_server(row, window) for row in _sizes(window.servers))
    return LeverResult(
        name,
        status(whole.sessions),
        None,
        {
            "sessions": whole.sessions,
            "original_tokens": whole.original,
            "saved_tokens": whole.saved,
            "saved_percent": whole.percent,
            "discovery_calls": discovery.calls,
            "discovery_tokens": discovery.resulting,
            "tool_calls": whole.results,
            "top_server": next((str(row.key) for row in _sizes(window.servers)), ""),
            "top_tool": next((str(row.key) for row in _sizes(window.tools)), ""),
        },
        Coverage(whole.sessions, whole.sessions),
        rows,
        detail={
            "since": since,
            "basis": MEASURED,
            "kind": SAVING,
            "estimator": ESTIMATOR,
            **detail,
        },
        amount=whole.saved,
        unit="tokens",
        alternatives=NO_PARTS,
    )


def _tool(row: Row) -> Row:
    server = server_of(str(row.key), windows=True)
    tool = str(row.key)[len(server) + 1 :] if server else str(row.key)
    return Row(row.key, {**row.measures, "server": server, "tool": tool})


def _server(row: Row, window: Window) -> Row:
    count = sum(server_of(tool, windows=True) == row.key for tool in window.tools)
    return Row(row.key, {**row.measures, "tools": count})


def status(sessions: int) -> str:
    """`ok`, or `no_data` where no session has a line that counts: figures over nothing are 0."""
    return "ok" if sessions else "no_data"


def wanted(lever: str, by: Iterable[str]) -> tuple[str, ...]:
    """Those of the dimensions asked for that the lever has, in its own order."""
    asked = set(by)
    return tuple(name for name in DIMENSIONS[lever] if name in asked)
