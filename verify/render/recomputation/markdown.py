"""A recomputation in Markdown: what finance can paste, with every digit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from verify.render.pipes import bullets, cell, findings_list, pipe_table
from verify.render.recomputation.engines import engine_words
from verify.render.recomputation.measures import (
    PRICE_UNIT,
    PRICES,
    Measures,
    measures_of,
    of_rows,
    total_of,
)
from verify.render.safe import inert, markdown_key, markdown_text, shown_key, visible
from verify.render.words import (
    amount,
    coverage_words,
    exact,
    export_words,
    loud_words,
    places_for,
)
from verify.result import CardCell, LeverResult, Measure, Recomputation, Row, Value


def markdown(
    result: Recomputation, *, measures: Measures, unusual: Mapping[str, Value] | None = None
) -> str:
    """Headings, pipe tables of exact values, and lists of findings.

    `measures` are those of the system, by lever; `unusual` the switches of the method that are set
    otherwise than stated.
    """
    return "\n".join(_parts(result, measures, unusual or {}))


def _parts(
    result: Recomputation, measures: Measures, unusual: Mapping[str, Value]
) -> Iterator[str]:
    export = result.export
    whose = inert(visible(export.system) if export.tenant is None else shown_key(export.tenant))
    yield f"# Savings recomputed: {whose}, {inert(result.period.label)}\n"
    for warning in loud_words(result.export, unusual):
        yield f"> **{inert(warning)}**\n"
    head = export_words(result.export, period=result.period)
    yield bullets((label, inert(text)) for label, text in (*head, *engine_words(result)))
    yield _summary(result.levers)
    for lever in result.levers:
        yield from _lever(lever, measures_of(lever, measures))
    yield "## Method\n"
    method = [(inert(name), cell(value)) for name, value in result.method.items()]
    yield pipe_table(["switch", "value"], method, [False, False])
    if result.fields:
        yield "## Fields of another name\n"
        named = [(markdown_text(a), markdown_text(b)) for a, b in result.fields.items()]
        yield pipe_table(["contract", "export"], named, [False, False])
    if result.findings:
        yield "## Findings about the whole export\n"
        yield findings_list(result.findings)


def _summary(levers: Sequence[LeverResult]) -> str:
    header = ["lever", "status", "figure, exact", "rounded", "unit", "coverage", "findings"]
    rows = [
        (
            markdown_text(lever.lever),
            markdown_text(lever.status),
            cell(lever.figure),
            amount(lever.figure, places_for(lever.unit, [lever.figure])),
            markdown_text(lever.unit),
            inert(coverage_words(lever.coverage)),
            str(len(lever.findings)),
        )
        for lever in levers
    ]
    return pipe_table(header, rows, [False, False, True, True, False, False, True])


def _lever(lever: LeverResult, measures: Sequence[Measure]) -> Iterator[str]:
    yield f"## {markdown_text(lever.lever)}\n"
    if lever.detail:
        yield bullets((inert(name), cell(value)) for name, value in lever.detail.items())
    having = [measure for measure in measures if measure.name in lever.totals]
    totals = [(inert(_title(m)), cell(lever.totals[m.name])) for m in having]
    yield pipe_table(["total", "exact"], totals, [False, True])
    for dimension, rows in lever.by.items():
        if rows:
            yield f"### {markdown_text(lever.lever)} by {markdown_text(dimension)}\n"
            yield _breakdown(lever, dimension, rows, measures)
    if lever.cells:
        yield f"### {markdown_text(lever.lever)} by deployment and model\n"
        yield _cells(lever, measures)
    if lever.findings:
        yield f"### Findings about {markdown_text(lever.lever)}\n"
        yield findings_list(lever.findings)


def _title(measure: Measure) -> str:
    return f"{measure.label} {measure.unit}".rstrip()


def _breakdown(
    lever: LeverResult, dimension: str, rows: Sequence[Row], measures: Sequence[Measure]
) -> str:
    measures = of_rows(rows, measures)
    header = [markdown_text(dimension), *(inert(_title(m)) for m in measures)]
    lines = [
        [markdown_key(row.key), *(cell(row.measures.get(m.name)) for m in measures)] for row in rows
    ]
    if dimension not in lever.alternatives:
        lines.append(["**total**", *(_total(lever, m, rows) for m in measures)])
    numeric = [not any(isinstance(row.measures.get(m.name), str) for row in rows) for m in measures]
    return pipe_table(header, lines, [False, *numeric])


def _total(lever: LeverResult, measure: Measure, rows: Sequence[Row | CardCell]) -> str:
    value = total_of(lever, measure, rows)
    return "" if value == "" else cell(value)


def _cells(lever: LeverResult, measures: Sequence[Measure]) -> str:
    header = ["deployment", "model", *(f"{label} {PRICE_UNIT}" for _, label in PRICES)]
    header += ["snapshot", "snapshot time", "line", *(inert(_title(m)) for m in measures)]
    lines: list[list[str]] = []
    for found in lever.cells:
        prices: Mapping[str, Value] = found.price or {}
        lines.append(
            [
                markdown_key(found.deployment),
                markdown_key(found.model),
                *(cell(prices.get(name)) for name, _ in PRICES),
                cell(found.snapshot),
                cell(found.snapshot_at),
                exact(found.card_line) or cell(None),
                *(cell(found.measures.get(m.name)) for m in measures),
            ]
        )
    empty = [""] * (len(PRICES) + 4)
    lines.append(["**total**", *empty, *(_total(lever, m, lever.cells) for m in measures)])
    names = [False, False, *[True] * len(PRICES), False, False, True]
    return pipe_table(header, lines, [*names, *[True] * len(measures)])
