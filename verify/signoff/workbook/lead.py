"""The lead sheet: each lever on one line, and below it the same amounts to the last digit."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite, nan

from verify.exact import plain
from verify.render.diff.figures import Digits
from verify.render.safe import visible
from verify.render.words import is_number
from verify.result import Value
from verify.signoff.result import LeadLine, SignOff
from verify.signoff.tables import coverage_text
from verify.signoff.words import STAMPS, VERDICTS, conclusion, digits_of, exact_text, tick
from verify.signoff.workbook.doubles import Number, added, double, less, rounding_text
from verify.signoff.workbook.sheet import Sheet

WIDTHS = (17, 7, 16, 16, 16, 15, 12, 4, 16, 19, 10, 9, 44)
_TITLES = (
    "Lever",
    "Unit",
    "Product's figure",
    "From its own read",
    "Recomputed from records",
    "Difference",
    "Threshold",
    "",
    "Verdict",
    "Coverage",
    "Figures compared",
    "Of them differ",
    "Cause of the difference",
)
_AMOUNTS = (("Product's figure", 2), ("From its own read", 3), ("Recomputed", 4), ("Difference", 5))
Cells = dict[tuple[str, int], Number | None]


def lead(sheet: Sheet, result: SignOff) -> None:
    """Draw it. The threshold of each line follows from the two cells of the policy above it."""
    last = len(WIDTHS) - 1
    sheet.merged("Lead sheet", "title", last, 24)
    sheet.merged(f" {STAMPS[result.verdict]}", result.verdict, last, 24)
    sheet.merged(visible(conclusion(result)), "conclusion", last, 40)
    absolute, relative = _policy(sheet, result)
    sheet.row += 1
    sheet.repeat(sheet.row)
    sheet.header(_TITLES)
    coverage, cells = coverage_text(result), Cells()
    first = sheet.row
    for line in result.lead:
        _line(sheet, line, _digits(result, line.unit), coverage, cells, (absolute, relative))
        sheet.row += 1
    sheet.sheet.freeze_panes(first, 1)
    _counted(sheet, result, cells)
    _exact(sheet, result, cells)


PolicyCells = tuple[Number | None, Number | None]


def _policy(sheet: Sheet, result: SignOff) -> PolicyCells:
    """The two cells of the policy; None for a threshold that no double holds."""
    tolerance, found = result.policy.tolerance, []
    digest = f"policy fixed before the run, SHA-256 {result.policy.sha256}"
    for words, value, beside in (
        ("Threshold, in the unit", tolerance.absolute, digest),
        ("Threshold, relative", tolerance.relative, "the larger of the two counts"),
    ):
        sheet.text(0, words, "label")
        found.append(sheet.number(2, value, 6))
        sheet.text(3, plain(value), "exact")
        sheet.text(4, beside, "exact")
        sheet.row += 1
    return found[0], found[1]


def _digits(result: SignOff, unit: str) -> Digits:
    return digits_of([line for line in result.lead if line.unit == unit])


def _line(
    sheet: Sheet,
    line: LeadLine,
    digits: Digits,
    coverage: dict[str, str],
    cells: Cells,
    policy: PolicyCells,
) -> None:
    sheet.text(0, visible(line.lever), "label")
    sheet.text(1, line.unit)
    for column, value in ((2, line.figure), (3, line.from_read), (4, line.recomputed)):
        cells[line.lever, column] = _amount(sheet, column, value, digits.amounts)
    if line.delta is not None:
        cells[line.lever, 5] = _difference(sheet, line, digits, cells)
        _threshold(sheet, line, digits, cells[line.lever, 4], policy)
    sheet.text(7, tick(line.verdict), "tick")
    sheet.text(8, VERDICTS[line.verdict])
    sheet.text(9, coverage.get(line.lever, "—") if line.status in (None, "ok") else _status(line))
    sheet.number(10, line.compared, 0)
    sheet.number(11, line.differing, 0)
    sheet.tall(12, visible(line.cause), WIDTHS[12])


def _difference(sheet: Sheet, line: LeadLine, digits: Digits, cells: Cells) -> Number | None:
    """Product's figure less recomputed one, by a formula; where no double holds one of them or
    what is between them, the exact amount in words, which cannot be taken for another one."""
    one, other = cells[line.lever, 2], cells[line.lever, 4]
    rest = less(one.value, other.value) if one and other else nan
    if one and other and isfinite(rest):
        return sheet.formula(5, f"={one.ref}-{other.ref}", rest, digits.differences)
    sheet.text(5, exact_text(line.delta), "exact")
    return None


def _threshold(
    sheet: Sheet, line: LeadLine, digits: Digits, recomputed: Number | None, policy: PolicyCells
) -> None:
    """What the policy allows, by a formula from its two cells, or in words as a difference is."""
    absolute, relative = policy
    if absolute and relative and recomputed:
        threshold = max(absolute.value, relative.value * abs(recomputed.value))
        if isfinite(threshold):
            formula = f"=MAX({absolute.ref},{relative.ref}*ABS({recomputed.ref}))"
            sheet.formula(6, formula, threshold, digits.amounts)
            return
    sheet.text(6, exact_text(line.threshold), "exact")


def _status(line: LeadLine) -> str:
    return visible(f"{line.status}, as the product says")


def _amount(sheet: Sheet, column: int, value: Value, places: int) -> Number | None:
    if is_number(value):
        return sheet.number(column, value, places)
    sheet.text(column, "—" if value is None else visible(str(value)))
    return None


def _counted(sheet: Sheet, result: SignOff, cells: Cells) -> None:
    """The levers that the headline counts, added up by a formula."""
    counted = [line for line in result.lead if line.status == "ok" and (line.lever, 2) in cells]
    if len(counted) < 2 or len({line.unit for line in counted}) > 1:
        return
    sheet.text(0, "Σ of the levers counted", "label")
    digits = _digits(result, counted[0].unit)
    for column, values in (
        (2, [line.figure for line in counted]),
        (4, [line.recomputed for line in counted]),
    ):
        known = [value for value in values if is_number(value)]
        parts = [cell for line in counted if (cell := cells[line.lever, column])]
        total = added(part.value for part in parts)
        if len(parts) < len(known) or not isfinite(total):
            sheet.text(column, exact_text(sum(known, Fraction(0))), "exact")
        elif parts:
            formula = f"=SUM({','.join(part.ref for part in parts)})"
            sheet.formula(column, formula, total, digits.amounts)
    sheet.row += 1


def _exact(sheet: Sheet, result: SignOff, cells: Cells) -> None:
    """The same amounts to the last digit, and what the cells are off by."""
    sheet.heading("The same amounts, exactly")
    sheet.merged(
        "A spreadsheet holds binary fractions: each cell is shown beside the exact amount, and "
        "what rounding lies between them.",
        "note",
        9,
        18,
    )
    sheet.header(("Lever", "Unit", "Amount", "Cell", "Cell less exact", "Exactly", ""))
    for line in result.lead:
        values: tuple[Value, ...] = (line.figure, line.from_read, line.recomputed, line.delta)
        for (title, column), value in zip(_AMOUNTS, values, strict=True):
            cell = cells.get((line.lever, column))
            if not is_number(value):
                continue
            sheet.text(0, visible(line.lever))
            sheet.text(1, line.unit)
            sheet.text(2, title)
            if cell is not None:
                sheet.formula(3, f"={cell.ref}", cell.value, 12 if double(value) else 0)
            sheet.text(4, rounding_text(cell.value if cell else None, value), "exact")
            sheet.text(5, exact_text(value), "exact")
            sheet.row += 1
