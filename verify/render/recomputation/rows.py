"""A recomputation as one flat table in long form, every value exact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from verify.render.flat import csv_of
from verify.render.recomputation.engines import engines_of
from verify.render.recomputation.measures import (
    PRICE_UNIT,
    PRICES,
    Measures,
    measures_of,
    of_rows,
)
from verify.render.safe import pair_key
from verify.render.words import detail_unit
from verify.result import CardCell, Key, LeverResult, Recomputation, Value, period_json

CSV_COLUMNS = (
    "lever",
    "status",
    "dimension",
    "key",
    "key_is_null",
    "measure",
    "unit",
    "value",
)

_Amount = tuple[str, str, Value]  # measure, unit, value


def csv(
    result: Recomputation, *, measures: Measures, unusual: Mapping[str, Value] | None = None
) -> str:
    """A line for every value: a lever's figure, coverage and totals (no dimension), its breakdowns,
    its cells (dimension `deployment_model`), and how often each finding was made.

    Lines without a lever say what the figures rest on: dimension `export`, `period`, `method`,
    `fields`, `engine`; a switch of the method that is set otherwise than stated is measure
    `unusual`. The null key is an empty cell with `key_is_null` true.
    """
    return csv_of(CSV_COLUMNS, _rows(result, measures, unusual or {}))


def _rows(
    result: Recomputation, measures: Measures, unusual: Mapping[str, Value]
) -> Iterator[tuple[Value, ...]]:
    context: Mapping[str, Mapping[str, Value]] = {
        "export": result.export.as_json(),
        "period": period_json(result.period),
        "method": result.method,
        "fields": result.fields,
        "engine": engines_of(result),
    }
    for dimension, values in context.items():
        for name, value in values.items():
            yield "", "", dimension, name, False, "value", "", value
    for name, value in unusual.items():
        yield "", "", "method", name, False, "unusual", "", value
    for finding in result.findings:
        yield "", "", "finding", finding.code, False, "count", "", finding.count
    for lever in result.levers:
        for dimension, key, amount in _lever(lever, measures):
            null = bool(dimension) and key is None
            yield lever.lever, lever.status, dimension, key, null, *amount


def _lever(lever: LeverResult, measures: Measures) -> Iterator[tuple[str, Key, _Amount]]:
    """Dimension (empty for all of the lever), key and amount."""
    known = measures_of(lever, measures)
    yield "", None, ("figure", lever.unit, lever.figure)
    yield "", None, ("coverage_measured", "", lever.coverage.measured)
    yield "", None, ("coverage_total", "", lever.coverage.total)
    for measure in known:
        if measure.name in lever.totals:
            yield "", None, (measure.name, measure.unit, lever.totals[measure.name])
    for dimension, rows in lever.by.items():
        had = of_rows(rows, known)
        for row in rows:
            for measure in had:
                value = row.measures.get(measure.name)
                yield dimension, row.key, (measure.name, measure.unit, value)
    for cell in lever.cells:
        key = pair_key(cell.deployment, cell.model)
        for amount in _card(cell):
            yield "deployment_model", key, amount
        for measure in known:
            value = cell.measures.get(measure.name)
            yield "deployment_model", key, (measure.name, measure.unit, value)
    for name, value in lever.detail.items():
        yield "detail", name, ("value", detail_unit(name), value)
    for finding in lever.findings:
        yield "finding", finding.code, ("count", "", finding.count)


def _card(cell: CardCell) -> Iterator[_Amount]:
    for name, _ in PRICES:
        yield name, PRICE_UNIT, (cell.price or {}).get(name)
    yield "snapshot", "", cell.snapshot
    yield "snapshot_at", "", cell.snapshot_at
    yield "card_line", "", cell.card_line
