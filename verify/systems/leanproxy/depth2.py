"""Depth 2: what follows from the product's documents alone.

A report's totals from its own rows: the sum of the rows that are no cost, the percentage of the two
totals, the cost from the price. A window's percentage, and its servers from its tools. Sums wrap at
64 bits, as the product's do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from verify.compare.figures import At, Derived, Figure
from verify.compare.verdicts import Precision, Tolerance, judge
from verify.exact import MILLION, Printed, plain
from verify.findings import Finding
from verify.systems.leanproxy.measures import REPORT, WINDOWS
from verify.systems.leanproxy.notes import wrapped
from verify.systems.leanproxy.report import MECHANISMS, SCHEMA, TRUNCATION

SIZES = ("calls", "original_tokens", "returned_tokens", "saved_tokens")


def of_report(document: Mapping[str, Any]) -> dict[At, Derived]:
    """The totals of a report, from its rows and its other totals."""
    rows = {row["mechanism"]: row for row in document["mechanisms"]}
    found = _sums(rows)
    turns = Fraction(rows["discovery"]["calls"])
    found[At(REPORT, "extra_turns_estimate")] = Derived(turns)
    original, saved = (Fraction(document[f"total_{name}_tokens"]) for name in ("original", "saved"))
    percent = saved * 100 / original if original > 0 else Fraction(0)
    found[At(REPORT, "total_saved_percent")] = Derived(percent)
    if "price_per_mtok" in document:
        cost = saved * Printed.read(document["price_per_mtok"]).value / MILLION
        found[At(REPORT, "estimated_cost_saved")] = Derived(cost)
    sessions = document.get("per_session") or []
    found[At(REPORT, "session_count")] = Derived(Fraction(len(sessions)))
    return found


def _sums(rows: Mapping[str, Mapping[str, Any]]) -> dict[At, Derived]:
    """The totals that the rows of a report add up to."""
    original = sum(int(rows[name]["original_tokens"]) for name in (SCHEMA, TRUNCATION))
    saved = sum(int(rows[name]["saved_tokens"]) for name in MECHANISMS if name != "discovery")
    return {
        At(REPORT, "total_original_tokens"): Derived(Fraction(wrapped(original))),
        At(REPORT, "amount"): Derived(Fraction(wrapped(saved))),
    }


def of_windows(document: Mapping[str, Any]) -> dict[At, Derived]:
    """The percentages of windows from their tokens, and servers from their tools."""
    found: dict[At, Derived] = {}
    for name in WINDOWS:
        part = document[name]
        original, saved = Fraction(part["original_tokens"]), Fraction(part["saved_tokens"])
        percent = saved * 100 / original if original > 0 else Fraction(0)
        found[At(name, "saved_percent")] = Derived(percent)
        for server in {row["server"] for row in part["by_server"]}:
            tools = [row for row in part["by_tool"] if row["server"] == server]
            found[At(name, "tools", "server", server)] = Derived(Fraction(len(tools)))
            for measure in SIZES:
                total = Fraction(wrapped(sum(int(row[measure]) for row in tools)))
                found[At(name, measure, "server", server)] = Derived(total)
    return found


def of_table(rows: Iterable[Mapping[str, str]]) -> dict[At, Derived]:
    """The last row of the CSV, from the others."""
    by_name = {row["mechanism"]: row for row in rows}
    found = _sums(by_name)
    total = by_name["TOTAL"]
    original, saved = Fraction(total["original_tokens"]), Fraction(total["saved_tokens"])
    percent = saved * 100 / original if original > 0 else Fraction(0)
    return found | {At(REPORT, "total_saved_percent"): Derived(percent)}


def contradictions(figures: Iterable[Figure], derived: Mapping[At, Derived]) -> Iterator[Finding]:
    """Figures that do not follow from the document that shows them."""
    for figure in figures:
        given = derived.get(figure.at)
        if given is None or not isinstance(figure.shown, Printed):
            continue
        precision = Precision(figure.shown.decimals or None)
        if judge(figure.shown.value, given.value, precision, Tolerance()) == "differs":
            message = (
                f"{figure.read} {figure.pointer} shows {figure.text}, its own rows give "
                f"{plain(given.value)}"
            )
            yield Finding("read_not_its_inputs", message)
