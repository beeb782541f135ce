"""A diff as one flat table: a line for every figure, every value exact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from verify.compare.tieout import Diff
from verify.render.diff.figures import figure_of, key_of, unit_of
from verify.render.flat import csv_of
from verify.result import Value, period_json

CSV_COLUMNS = (
    "lever",
    "dimension",
    "key",
    "key_is_null",
    "measure",
    "unit",
    "figure",
    "from_read",
    "recomputed",
    "delta",
    "relative",
    "verdict",
    "lever_measured",
    "lever_total",
    "reason",
    "read",
    "pointer",
    "value",
)
_Line = Mapping[str, Value]


def csv(diff: Diff, *, unusual: Mapping[str, Value] | None = None) -> str:
    """A line for every figure; one without a dimension is a total. `lever_measured` and
    `lever_total` are the recomputed coverage of its lever.

    What the figures rest on stands in column `value`: dimension `diff` (the verdict), `export`,
    `period`, `method` (a switch set otherwise than stated is measure `unusual`), `fields` and
    `policy`; then what is `inconclusive`, and each `finding` with how grave it is as its verdict.
    The null key is an empty cell with `key_is_null` true.
    """
    lines = (*_context(diff, unusual or {}), *_figures(diff), *_findings(diff))
    return csv_of(CSV_COLUMNS, ([line.get(name, "") for name in CSV_COLUMNS] for line in lines))


def _context(diff: Diff, unusual: Mapping[str, Value]) -> Iterator[_Line]:
    yield _said("diff", "verdict", "value", diff.verdict)
    policy: dict[str, Value] = {
        "tolerance": str(diff.tolerance),
        "min_coverage": diff.least_coverage,
    }
    if diff.concluded is not None:
        policy["only"] = diff.rows[0].verdict if diff.rows else None
    context: Mapping[str, Mapping[str, Value]] = {
        "export": diff.export.as_json(),
        "period": period_json(diff.result.period),
        "method": diff.result.method,
        "fields": diff.result.fields,
        "policy": policy,
    }
    for dimension, values in context.items():
        for name, value in values.items():
            yield _said(dimension, name, "value", value)
    for name, value in unusual.items():
        yield _said("method", name, "unusual", value)
    for reason in diff.inconclusive:
        yield {**_said("inconclusive", "", "", ""), "reason": reason}


def _said(dimension: str, key: str, measure: str, value: Value) -> dict[str, Value]:
    return {
        "dimension": dimension,
        "key": key,
        "key_is_null": False,
        "measure": measure,
        "value": value,
    }


def _figures(diff: Diff) -> Iterator[_Line]:
    known = {lever.lever: lever for lever in diff.result.levers}
    for row in diff.rows:
        lever = known.get(row.at.lever)
        yield {
            "lever": row.at.lever,
            "dimension": row.at.dimension,
            "key": key_of(row.at),
            "key_is_null": row.at.dimension is not None and row.at.key is None,
            "measure": row.at.measure,
            "unit": lever.unit if lever and row.at.measure == "amount" else unit_of(row.at.measure),
            "figure": figure_of(row),
            "from_read": row.from_read,
            "recomputed": row.recomputed,
            "delta": row.delta,
            "relative": row.relative,
            "verdict": row.verdict,
            "lever_measured": lever.coverage.measured if lever else None,
            "lever_total": lever.coverage.total if lever else None,
            "reason": row.reason,
            "read": row.read,
            "pointer": row.pointer,
        }


def _findings(diff: Diff) -> Iterator[_Line]:
    found = [("", finding) for finding in diff.findings]
    for lever in diff.result.levers:
        found += [(lever.lever, finding) for finding in lever.findings]
    for name, finding in found:
        yield {
            **_said("finding", finding.code, "count", finding.count),
            "lever": name,
            "verdict": finding.severity,
            "reason": finding.message,
        }
