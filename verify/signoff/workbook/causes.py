"""Causes: for each figure the way from the recomputed amount to the product's, added up live."""

from __future__ import annotations

from fractions import Fraction

from verify.render.safe import visible
from verify.signoff.result import Bridge, SignOff
from verify.signoff.words import causes_note, exact_text
from verify.signoff.workbook.doubles import Number, added
from verify.signoff.workbook.sheet import Sheet

WIDTHS = (70, 20, 34, 14)
PLACES = 9


def causes(sheet: Sheet, result: SignOff) -> None:
    """Draw it. The product's figure is the sum of the lines above it."""
    sheet.merged("Causes: from the recomputed figure to the product's", "title", 3, 24)
    sheet.merged(causes_note(result), "note", 3, 32)
    if not result.bridges:
        sheet.merged("The product shows no total that could be bridged.", "wrap", 3)
    for bridge in result.bridges:
        _bridge(sheet, bridge)


def lines_of(bridge: Bridge) -> list[tuple[str, Fraction]]:
    """The lines of a bridge: recomputed, causes, unexplained, rounding; they are never left out."""
    return [
        ("Recomputed from the records", bridge.recomputed),
        *bridge.steps,
        ("Unexplained difference", bridge.unexplained),
        ("Rounding of the printed figure", bridge.rounding),
    ]


def _bridge(sheet: Sheet, bridge: Bridge) -> None:
    sheet.heading(f"{visible(bridge.lever)}, {bridge.unit}")
    sheet.header(("Line", "Amount", "exactly", "cell less exact"))
    written: list[Number] = []
    lines = lines_of(bridge)
    for words, amount in lines:
        sheet.tall(0, visible(words), WIDTHS[0])
        cell = sheet.number(1, amount, PLACES)
        sheet.exact(2, amount, cell)
        if cell is not None:
            written.append(cell)
        sheet.row += 1
    if len(written) < len(lines):  # a line is beyond what a cell holds, and so is no live sum
        sheet.text(0, "Product's figure", "label")
        sheet.text(2, exact_text(bridge.figure), "exact")
        sheet.row += 1
        return
    sheet.text(0, "Product's figure Σ", "label")
    formula = f"=SUM({written[0].ref}:{written[-1].ref})"
    cell = sheet.formula(1, formula, added(number.value for number in written), PLACES)
    sheet.exact(2, bridge.figure, cell)
    sheet.row += 1
