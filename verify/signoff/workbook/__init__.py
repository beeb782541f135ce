"""`signoff.xlsx`: the working papers as a workbook with live formulas.

Every amount stands as a number for the spreadsheet and as exact text beside it. Text is written as
text, whatever it begins with. Formulas carry the value that a spreadsheet computes.
"""

from __future__ import annotations

import re
from io import BytesIO

from verify.render.safe import shown_key, visible
from verify.signoff import tables
from verify.signoff.extra import package
from verify.signoff.result import SignOff
from verify.signoff.words import period_label
from verify.signoff.workbook import causes, cover, lead, levers
from verify.signoff.workbook.sheet import Book, Sheet, fitted, widths_of

_FORBIDDEN = re.compile(r"[\[\]:*?/\\']")
_LONGEST = 31  # of UTF-16 units, as spreadsheets count
_OWN = (
    "Cover",
    "Lead sheet",
    "Evidence",
    "Months",
    "Price cards",
    "Causes",
    "Exceptions",
    "Legend",
)


def workbook(result: SignOff) -> bytes:
    """The bytes of the workbook; the same result gives the same bytes."""
    held = BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    made = package("xlsxwriter").Workbook(held, options)
    made.set_properties(
        {
            "title": f"Sign-off of savings, {visible(period_label(result))}",
            "author": "verify",
            "created": result.created.replace(tzinfo=None),
        }
    )
    made.set_calc_mode("auto")
    book = Book(made)
    heading = f"{shown_key(result.diff.export.tenant)}, {visible(period_label(result))}"
    cover.cover(Sheet(book, "Cover", cover.WIDTHS, heading, pages=1), result)
    lead.lead(Sheet(book, "Lead sheet", lead.WIDTHS, heading), result)
    _evidence(book, result, heading)
    months = tables.months(result)
    if months is not None:
        _table(book, "Months", months, heading)
    names: set[str] = {name.casefold() for name in _OWN}
    for line in result.lead:
        sheet = Sheet(book, sheet_name(line.lever, names), levers.WIDTHS, heading)
        levers.lever_sheet(sheet, line, result)
    cards = tables.price_cards(result)
    if cards is not None:
        _table(book, "Price cards", cards, heading)
    causes.causes(Sheet(book, "Causes", causes.WIDTHS, heading), result)
    _table(book, "Exceptions", tables.exceptions(result), heading)
    _table(book, "Legend", tables.legend(), heading)
    made.close()
    return held.getvalue()


def sheet_name(lever: str, taken: set[str]) -> str:
    """A sheet's name for a lever: none that a spreadsheet forbids, none that is `taken`."""
    plain = _FORBIDDEN.sub("_", visible(lever)).strip() or "lever"
    name = base = fitted(plain[0].upper() + plain[1:], _LONGEST)
    number = 1
    while name.casefold() in taken or name.casefold() == "history":
        number += 1
        suffix = f" {number}"
        name = fitted(base, _LONGEST - len(suffix)) + suffix
    taken.add(name.casefold())
    return name


def _evidence(book: Book, result: SignOff, heading: str) -> None:
    sheet = Sheet(book, "Evidence", (34, 68, 50, 68), heading)
    sheet.merged("Evidence", "title", 3, 24)
    sheet.table(tables.tests(result))
    sheet.table(tables.inputs(result))
    sheet.table(tables.parameters(result))


def _table(book: Book, name: str, table: tables.Table, heading: str) -> None:
    sheet = Sheet(book, name, widths_of(table), heading)
    sheet.merged(table.title, "title", max(1, min(3, len(table.columns) - 1)), 24)
    titles = sheet.table(table, titled=False)
    sheet.repeat(titles)
    sheet.sheet.freeze_panes(titles + 1, 0)
    if not table.rows:
        sheet.text(0, "none")
