"""A recomputation as a page for the terminal: rounded, and said to be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from verify.render.recomputation.engines import engine_words
from verify.render.recomputation.measures import (
    PRICE_UNIT,
    PRICES,
    Measures,
    measures_of,
    of_rows,
    ranked,
    total_of,
)
from verify.render.safe import visible
from verify.render.sheet import Sheet
from verify.render.tables import Column, Page
from verify.render.words import (
    amount_words,
    coverage_words,
    detail_unit,
    export_words,
    loud_words,
)
from verify.result import LeverResult, Measure, Recomputation, Row, Value

_DIGEST_DIGITS = 12


def table(
    result: Recomputation,
    *,
    measures: Measures,
    width: int,
    colour: bool,
    unusual: Mapping[str, Value] | None = None,
) -> str:
    """The page for a terminal of `width` columns.

    `measures` are those of the system, by lever; `unusual` the switches of the method that are set
    otherwise than stated.
    """
    page = Page(width=width, colour=colour)
    draw(page, result, measures=measures, unusual=unusual)
    return page.text()


def draw(
    page: Sheet,
    result: Recomputation,
    *,
    measures: Measures,
    unusual: Mapping[str, Value] | None = None,
) -> None:
    """The same on any sheet."""
    for warning in loud_words(result.export, unusual or {}):
        page.loud(warning)
    page.pairs(
        [
            *export_words(result.export, digits=_DIGEST_DIGITS, period=result.period),
            *_fields(result),
            *engine_words(result),
        ]
    )
    page.blank()
    _summary(page, result.levers)
    for lever in result.levers:
        _lever(page, lever, measures_of(lever, measures))
    if result.findings:
        page.heading("the whole export")
        page.findings(result.findings)


def _fields(result: Recomputation) -> Iterable[tuple[str, str]]:
    if result.fields:
        named = (f"{visible(name)} is {visible(own)}" for name, own in result.fields.items())
        yield "fields", ", ".join(named)


def _summary(page: Sheet, levers: Sequence[LeverResult]) -> None:
    units = {lever.unit for lever in levers}
    one = len(units) == 1  # else each figure has its unit beside it
    columns = [
        Column("lever", kind="name"),
        Column("status", kind="words"),
        Column("figure", units.pop()) if one else Column("figure", kind="words"),
        Column("coverage", kind="words", rank=1),
        Column("findings", rank=2),
    ]
    rows = [
        (
            lever.lever,
            lever.status,
            lever.figure if one else amount_words(lever.figure, lever.unit),
            coverage_words(lever.coverage),
            len(lever.findings),
        )
        for lever in levers
    ]
    page.table(columns, rows)


def _lever(page: Sheet, lever: LeverResult, measures: Sequence[Measure]) -> None:
    known = lever.figure is not None
    figure = amount_words(lever.figure, lever.unit) if known else "no figure"
    page.heading(visible(lever.lever), visible(lever.status), figure)
    page.pairs(
        (visible(name), amount_words(value, detail_unit(name)))
        for name, value in lever.detail.items()
    )
    broken_down = [(name, rows) for name, rows in lever.by.items() if rows]
    if not broken_down and any(lever.totals.values()):
        page.blank()
        _totals(page, lever, measures)
    for name, rows in broken_down:
        page.blank()
        _breakdown(page, lever, name, rows, measures)
    if lever.cells:
        page.blank()
        _cells(page, lever, measures)
    if lever.findings:
        page.blank()
        page.findings(lever.findings)


def _totals(page: Sheet, lever: LeverResult, measures: Sequence[Measure]) -> None:
    page.amounts(
        (measure.label, lever.totals[measure.name], measure.unit)
        for measure in measures
        if measure.name in lever.totals
    )


def _breakdown(
    page: Sheet,
    lever: LeverResult,
    dimension: str,
    rows: Sequence[Row],
    measures: Sequence[Measure],
) -> None:
    measures = of_rows(rows, measures)
    ranks = ranked(measures)
    columns = [Column(dimension, kind="key")]
    columns += [Column(m.label, m.unit, rank=ranks[m.name]) for m in measures]
    lines = [(row.key, *(row.measures.get(m.name) for m in measures)) for row in rows]
    total = ("total", *(total_of(lever, m, rows) for m in measures))
    page.table(columns, lines, () if dimension in lever.alternatives else total)


def _cells(page: Sheet, lever: LeverResult, measures: Sequence[Measure]) -> None:
    """Each deployment and model beside the card that it was priced on."""
    ranks = ranked(measures)
    ordered = sorted(measures, key=lambda measure: ranks[measure.name])
    figure, others = ordered[:1], ordered[1:]
    # What the saving is made of goes first: prices, the card's line, which leads to it, and the two
    # measures that tell most. The output price is no part of it; the card's name and time follow
    # from its line; the other measures stand in the breakdowns.
    columns = [Column("deployment", kind="key"), Column("model", kind="key")]
    columns += [Column(m.label, m.unit) for m in figure]
    columns += [
        Column(label, PRICE_UNIT, rank=5 if name == "output_per_m" else 1) for name, label in PRICES
    ]
    columns += [
        Column("line", kind="ordinal", rank=2),
        Column("snapshot", kind="name", rank=6),
        Column("snapshot time", kind="words", rank=7),
    ]
    columns += [
        Column(m.label, m.unit, rank=3 + at if at < 2 else 6 + at) for at, m in enumerate(others)
    ]
    lines: list[tuple[Value, ...]] = []
    for cell in lever.cells:
        price = cell.price or {}
        lines.append(
            (
                cell.deployment,
                cell.model,
                *(cell.measures.get(m.name) for m in figure),
                *(price.get(name) for name, _ in PRICES),
                cell.card_line,
                cell.snapshot,
                cell.snapshot_at,
                *(cell.measures.get(m.name) for m in others),
            )
        )
    total: list[Value] = ["total", "", *(total_of(lever, m, lever.cells) for m in figure)]
    total += [""] * (len(PRICES) + 3)
    page.line("each deployment and model beside the price card that it was priced on", "dim")
    page.table(columns, lines, [*total, *(total_of(lever, m, lever.cells) for m in others)])
