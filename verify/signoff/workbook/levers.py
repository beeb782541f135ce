"""A sheet a lever: the figure, the caching formula live, footings, and every row to every digit."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from typing import NamedTuple

from verify.compare.tieout import DiffRow
from verify.compare.verdicts import DIFFERING
from verify.render.diff.figures import figure_of, key_of, unit_of
from verify.render.safe import shown_key, visible
from verify.render.words import is_number
from verify.result import CardCell, LeverResult
from verify.signoff.completeness import additive
from verify.signoff.result import LeadLine, SignOff, units_of
from verify.signoff.words import VERDICTS, digits_of, exact_text, period_label, tick
from verify.signoff.workbook.doubles import Number, added, double, less, saved_by_caching
from verify.signoff.workbook.sheet import Sheet

MOST_ROWS = 50_000
"""Rows of one lever that a sheet shows; beyond them those that differ come first."""
WIDTHS = (20, 26, 20, 16, 26, 10, 16, 26, 10, 16, 26, 10, 18, 5, 44, 12)
_TITLES = (
    "By",
    "Key",
    "Measure",
    "Product's figure",
    "exactly",
    "cell less exact",
    "Recomputed",
    "exactly",
    "cell less exact",
    "Difference",
    "exactly",
    "cell less exact",
    "Verdict",
    "",
    "Reason",
    "Read",
)
_TOTAL = "total"


class Written(NamedTuple):
    """A row on the sheet: its place, what it is about, and the doubles in its cells."""

    row: int
    dimension: str
    measure: str
    figure: Number | None
    recomputed: Number | None


def lever_sheet(sheet: Sheet, line: LeadLine, result: SignOff) -> None:
    """Draw it."""
    found = next((lever for lever in result.diff.result.levers if lever.lever == line.lever), None)
    sheet.merged(f"{visible(line.lever)}, {visible(period_label(result))}", "title", 8, 24)
    _figure(sheet, line)
    if found is not None and found.cells:
        _cells(sheet, found)
    rows = [row for row in result.diff.rows if row.at.lever == line.lever]
    shown = _shown(rows)
    feet = _feet(found, result) if found is not None else []
    start = sheet.row + (len(feet) + 4 if feet else 0)
    at_feet, sheet.row = sheet.row, start
    written = _rows(sheet, shown, len(rows))
    if feet:
        end, sheet.row = sheet.row, at_feet
        _footings(sheet, feet, written)
        sheet.row = end


def _shown(rows: list[DiffRow]) -> list[DiffRow]:
    if len(rows) <= MOST_ROWS:
        return rows
    return sorted(rows, key=lambda row: row.verdict not in DIFFERING)[:MOST_ROWS]


def _figure(sheet: Sheet, line: LeadLine) -> None:
    """Product's figure less recomputed one, by a formula."""
    digits = digits_of([line])
    sheet.heading(f"The figure, {line.unit or 'no unit'}")
    sheet.header(("Amount", "", "", "Cell", "exactly", "cell less exact"))
    cells: dict[str, Number | None] = {}
    for name, value in (
        ("Product's figure", line.figure),
        ("From its own read", line.from_read),
        ("Recomputed", line.recomputed),
    ):
        sheet.text(0, name, "label")
        cells[name] = sheet.figure(3, value, digits.amounts)
        sheet.row += 1
    one, other = cells["Product's figure"], cells["Recomputed"]
    if line.delta is not None and one and other:
        sheet.text(0, "Difference", "label")
        rest = less(one.value, other.value)
        cell = sheet.formula(3, f"={one.ref}-{other.ref}", rest, digits.differences)
        sheet.exact(4, line.delta, cell)
        sheet.row += 1
    sheet.text(0, "Verdict", "label")
    sheet.text(3, f"{VERDICTS[line.verdict]} {tick(line.verdict)}".strip())
    sheet.text(4, visible(line.cause))
    sheet.row += 1


def _cells(sheet: Sheet, lever: LeverResult) -> None:
    """Each deployment and model: tokens and rates, and the saving by a formula from them."""
    sheet.heading("By deployment and model, from tokens and rates: (reads × (input − cache read) − "
                  "writes × max(cache write − input, 0)) / 1,000,000")  # fmt: skip
    sheet.header(
        (
            *("Deployment", "Model", "Snapshot", "Input USD/M", "Cache read USD/M", ""),
            *("Cache write USD/M", "Cache-read tokens", "", "Cache-write tokens"),
            *("Saved, exactly", "cell less exact", "Saved USD"),
        )
    )
    saved = [_cell(sheet, cell) for cell in lever.cells]
    known = [number for number in saved if number is not None]
    total = lever.totals.get("saved_usd")
    if known and is_number(total):
        sheet.text(0, "Σ", "tick")
        formula = f"=SUM({known[0].ref}:{known[-1].ref})"
        cell = sheet.formula(12, formula, added(number.value for number in known), 6)
        sheet.exact(10, total, cell)
        sheet.row += 1


def _cell(sheet: Sheet, cell: CardCell) -> Number | None:
    price, saved = cell.price or {}, cell.measures.get("saved_usd")
    sheet.text(0, visible(cell.deployment))
    sheet.text(1, visible(cell.model))
    sheet.text(2, visible(cell.snapshot or "no price card"))
    numbers: dict[str, Number | None] = {}
    for column, name in ((3, "input_per_m"), (4, "cache_read_per_m"), (6, "cache_write_per_m")):
        value = price.get(name)
        numbers[name] = None if value is None else sheet.number(column, value, 6)
        if value is None:
            sheet.text(column, "—")
    for column, name in ((7, "cache_read_tokens"), (9, "cache_write_tokens")):
        tokens = cell.measures.get(name)
        numbers[name] = sheet.number(column, tokens, 0) if is_number(tokens) else None
    written = None
    if is_number(saved):
        written = _live(sheet, numbers, saved) or sheet.number(12, saved, 6)
        sheet.exact(10, saved, written)
    sheet.row += 1
    return written


def _live(
    sheet: Sheet, numbers: Mapping[str, Number | None], saved: Fraction | int
) -> Number | None:
    """The saving as a formula; None where another method than the stated one gave it."""
    names = ("cache_read_tokens", "cache_write_tokens", "input_per_m", "cache_read_per_m")
    reads, writes, price, read_price = (numbers[name] for name in names)
    if not (reads and writes and price and read_price):
        return None
    write_price = numbers["cache_write_per_m"] or price
    value = saved_by_caching(*(n.value for n in (reads, writes, price, read_price, write_price)))
    expected = double(saved)
    if expected is None or abs(value - expected) > 1e-9 * max(abs(expected), 1.0):
        return None
    formula = (
        f"=({reads.ref}*({price.ref}-{read_price.ref})"
        f"-{writes.ref}*MAX({write_price.ref}-{price.ref},0))/1000000"
    )
    return sheet.formula(12, formula, value, 6)


def _rows(sheet: Sheet, rows: list[DiffRow], every: int) -> list[Written]:
    """Every figure of the lever, a line each."""
    sheet.heading(f"Every figure that the product shows, {every:,} in all")
    if every > len(rows):
        left = f"{every - len(rows):,} more rows that agree stand in signoff.json alone."
        sheet.merged(left, "loud", 8)
    sheet.repeat(sheet.row)
    sheet.header(_TITLES)
    return [_row(sheet, row) for row in rows]


def _row(sheet: Sheet, row: DiffRow) -> Written:
    at = row.at
    dimension = at.dimension or _TOTAL
    sheet.text(0, visible(dimension))
    sheet.text(1, shown_key(key_of(at)) if at.dimension else "")
    sheet.text(2, visible(at.measure))
    places = 6 if unit_of(at.measure) == "USD" else 2 if _fraction(row) else 0
    figure = sheet.figure(3, figure_of(row), places)
    recomputed = sheet.figure(6, row.recomputed, places)
    if row.delta is not None and figure and recomputed:
        rest = less(figure.value, recomputed.value)
        formula = f"={figure.ref}-{recomputed.ref}"
        sheet.exact(10, row.delta, sheet.formula(9, formula, rest, places + 3 if places else 0))
    sheet.text(12, VERDICTS[row.verdict])
    sheet.text(13, tick(row.verdict), "tick")
    sheet.text(14, visible(row.reason))
    sheet.text(15, visible(row.read))
    sheet.row += 1
    return Written(sheet.row - 1, dimension, at.measure, figure, recomputed)


def _fraction(row: DiffRow) -> bool:
    return any(
        is_number(value) and Fraction(value).denominator != 1
        for value in (figure_of(row), row.recomputed)
    )


Foot = tuple[str, str, Fraction | int]


def _feet(lever: LeverResult, result: SignOff) -> list[Foot]:
    """What the rows of each breakdown shown have to add up to."""
    units = units_of(result.measures)
    shown = {(row.at.dimension, row.at.measure) for row in result.diff.rows
             if row.at.lever == lever.lever}  # fmt: skip
    return [
        (dimension, name, total)
        for dimension, rows in lever.by.items()
        if dimension not in lever.alternatives
        for name, total in additive(lever, rows, units)
        if (dimension, name) in shown
    ]


def _footings(sheet: Sheet, feet: list[Foot], written: list[Written]) -> None:
    """Each column of each breakdown added up by a formula, beside the lever's exact total."""
    sheet.heading("Footing: the recomputed rows below, added up, against the lever's total")
    sheet.header(
        ("By", "", "Measure", "Sum of rows", "Total, exactly", "sum less exact", "", "Mark")
    )
    if not written:
        return
    first, last = written[0].row + 1, written[-1].row + 1
    for dimension, measure, total in feet:
        parts = [
            row.recomputed.value
            for row in written
            if row.recomputed and (row.dimension, row.measure) == (dimension, measure)
        ]
        sheet.text(0, dimension)
        sheet.text(2, measure)
        here = sheet.row + 1
        formula = f"=SUMIFS(G{first}:G{last},A{first}:A{last},A{here},C{first}:C{last},C{here})"
        places = 6 if unit_of(measure) == "USD" else 0
        cell = sheet.formula(3, formula, added(parts), places)
        sheet.exact(4, total, cell)
        allowed = (abs(Fraction(total)) + 1) / 10**9
        near = isfinite(cell.value) and abs(Fraction(cell.value) - total) <= allowed
        sheet.text(7, "Σ" if near else f"rows are missing: {exact_text(total)}", "tick")
        sheet.row += 1
