"""The cover: the conclusion first, then purpose, source, procedure, and lines to sign on."""

from __future__ import annotations

from verify.render.safe import visible
from verify.signoff import tables
from verify.signoff.result import SignOff
from verify.signoff.words import (
    BLANKS,
    NOT_PROVEN,
    PROCEDURE,
    PURPOSE,
    STAMPS,
    conclusion,
    detail,
    warnings,
)
from verify.signoff.workbook.sheet import Sheet

WIDTHS = (22, 34, 22, 34)
_LAST = len(WIDTHS) - 1
LINE = 110
"""Characters that fit on one line."""


def cover(sheet: Sheet, result: SignOff) -> None:
    """Draw it."""
    sheet.merged(f"Savings reported by {result.title}: sign-off", "title", _LAST, 26)
    for warning in warnings(result):
        sheet.merged(warning, "loud", _LAST, 20)
    sheet.merged(f" {STAMPS[result.verdict]}", result.verdict, _LAST, 26)
    sheet.merged(
        visible(conclusion(result)),
        "conclusion",
        _LAST,
        16 * (1 + len(conclusion(result)) // 95) + 6,
    )
    sheet.merged(visible(detail(result)), "note", _LAST, 16)
    sheet.row += 1
    for first, second in ((BLANKS[0], BLANKS[1]), (BLANKS[2], BLANKS[3])):
        sheet.text(0, first, "label")
        sheet.text(1, "", "line")
        sheet.text(2, second, "label")
        sheet.text(3, "", "line")
        sheet.sheet.set_row(sheet.row, 26)
        sheet.row += 1
    sheet.heading("Purpose")
    sheet.merged(PURPOSE, "wrap", _LAST, 30)
    sheet.heading("Source")
    for name, text in tables.particulars(result).rows:
        sheet.text(0, str(name), "label")
        sheet.sheet.merge_range(sheet.row, 1, sheet.row, _LAST, "")
        sheet.text(1, str(text), "wrap")
        sheet.row += 1
    for title, lines in (("Procedure", PROCEDURE), ("What is not proven", NOT_PROVEN)):
        sheet.heading(title)
        for number, line in enumerate(lines, 1):
            height = 15 if len(line) < LINE else 30
            sheet.merged(f"{number}. {line}", "wrap", _LAST, height)
