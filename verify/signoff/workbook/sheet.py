"""One sheet: cells of text, numbers and formulas with their values, and its print set-up."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from typing import Any

from verify.render.words import is_number
from verify.result import Value
from verify.signoff.extra import package
from verify.signoff.tables import Amount, Cell, Table
from verify.signoff.words import exact_text
from verify.signoff.workbook.doubles import Number, double, fitting, rounding_text

MOST_CHARACTERS = 32_000
BEYOND = "beyond doubles"
_HEADING = 180  # UTF-16 units of a header that are its text
_TALLEST = 400  # points of a row
_A4 = 9
_STYLES: Mapping[str, Mapping[str, Any]] = {
    "text": {"valign": "top", "indent": 1, "align": "left"},
    "wrap": {"valign": "top", "text_wrap": True, "indent": 1, "align": "left"},
    "exact": {
        "valign": "top",
        "indent": 1,
        "align": "left",
        "font_name": "Consolas",
        "font_size": 9,
        "font_color": "#444444",
    },
    "title": {"bold": True, "font_size": 16},
    "heading": {"bold": True, "font_size": 12, "font_color": "#1F3A5F"},
    "header": {
        "bold": True,
        "text_wrap": True,
        "valign": "top",
        "bg_color": "#E7ECF2",
        "bottom": 1,
    },
    "tick": {"bold": True, "align": "center", "valign": "top"},
    "label": {"bold": True, "valign": "top"},
    "note": {"italic": True, "font_color": "#555555", "text_wrap": True, "valign": "top"},
    "line": {"bottom": 1},
    "agrees": {"bold": True, "font_size": 16, "font_color": "#FFFFFF", "bg_color": "#1B6E3C"},
    "differs": {"bold": True, "font_size": 16, "font_color": "#FFFFFF", "bg_color": "#A32020"},
    "inconclusive": {"bold": True, "font_size": 16, "font_color": "#FFFFFF", "bg_color": "#8A5A00"},
    "conclusion": {"font_size": 12, "text_wrap": True, "valign": "top"},
    "loud": {"bold": True, "font_color": "#A32020", "text_wrap": True},
}


class Book:
    """The workbook's formats, made once each."""

    def __init__(self, book: Any) -> None:
        self.book = book
        self._formats: dict[tuple[str, int | None], Any] = {}
        self.rowcol = package("xlsxwriter.utility").xl_rowcol_to_cell

    def style(self, name: str) -> Any:
        """A style by its name."""
        return self._format(name, None)

    def number(self, places: int) -> Any:
        """Numbers to so many decimals, thousands apart."""
        return self._format("number", places)

    def _format(self, name: str, places: int | None) -> Any:
        if (name, places) not in self._formats:
            own = dict(_STYLES.get(name, {"valign": "top"}))
            if places is not None:
                own["num_format"] = "#,##0" + ("." + "0" * places if places else "")
            self._formats[name, places] = self.book.add_format(own)
        return self._formats[name, places]


class Sheet:
    """A worksheet, written from the top; `row` is the next free one, counted from 0."""

    def __init__(
        self, book: Book, name: str, widths: tuple[int, ...], heading: str, pages: int = 0
    ) -> None:
        self._book = book
        self._widths = widths
        self.name = name
        self.row = 0
        self.sheet = sheet = book.book.add_worksheet(name)
        sheet.set_landscape()
        sheet.set_paper(_A4)
        sheet.fit_to_pages(1, pages)
        sheet.set_margins(left=0.5, right=0.5, top=0.75, bottom=0.75)
        sheet.set_header(f"&L{_literal(heading)}&R&A")
        sheet.set_footer("&LPrepared by: ____________  Reviewed by: ____________&RPage &P of &N")
        sheet.hide_gridlines(2)
        for column, width in enumerate(widths):
            sheet.set_column(column, column, width)

    def text(self, column: int, text: str, style: str = "text", row: int | None = None) -> None:
        """Text, whatever it begins with."""
        at = self.row if row is None else row
        if len(text) > MOST_CHARACTERS:
            text = text[:MOST_CHARACTERS] + " … cut; signoff.json has all of it"
        self.sheet.write_string(at, column, text, self._book.style(style))

    def number(
        self, column: int, value: Fraction | int, places: int, row: int | None = None
    ) -> Number | None:
        """The nearest double of a number; its text where there is none."""
        at = self.row if row is None else row
        own = double(value)
        if own is None:
            self.text(column, exact_text(value), "exact", at)
            return None
        self.sheet.write_number(at, column, own, self._book.number(fitting(own, places)))
        return Number(self._book.rowcol(at, column), own)

    def formula(
        self, column: int, formula: str, value: float, places: int, row: int | None = None
    ) -> Number:
        """A live formula, with the value that a spreadsheet will get; in words where that is no
        number, because it left doubles on the way."""
        at = self.row if row is None else row
        if not isfinite(value):
            self.text(column, BEYOND, "exact", at)
            return Number(self._book.rowcol(at, column), value)
        form = self._book.number(fitting(value, places))
        self.sheet.write_formula(at, column, formula, form, value)
        return Number(self._book.rowcol(at, column), value)

    def exact(self, column: int, value: Value, cell: Number | None) -> Number | None:
        """Beside its cell: the exact amount as text, and what the cell is off by."""
        self.text(column, exact_text(value), "exact")
        if is_number(value):
            self.text(column + 1, rounding_text(cell.value if cell else None, value), "exact")
        return cell

    def figure(self, column: int, value: Value, places: int) -> Number | None:
        """A number with its exact amount beside it, over three columns; a word as text."""
        if is_number(value):
            cell = self.number(column, value, places)
            return self.exact(column + 1, value, cell)
        self.text(column, exact_text(value))
        return None

    def tall(self, column: int, text: str, width: int) -> None:
        """Text over as many lines as it needs in a column of that width."""
        self.text(column, text, "wrap")
        lines = 1 + len(text) // max(width - 4, 1)
        if lines > 1:
            self.sheet.set_row(self.row, min(15 * lines, _TALLEST))

    def header(self, titles: tuple[str, ...]) -> None:
        """A row of titles."""
        self.sheet.set_row(self.row, 30)
        for column, title in enumerate(titles):
            self.text(column, title, "header")
        self.row += 1

    def repeat(self, row: int) -> None:
        """Repeat a row on every printed page, and keep it in sight."""
        self.sheet.repeat_rows(row)

    def merged(self, text: str, style: str, last: int, height: float | None = None) -> None:
        """Text over the columns up to `last`."""
        form = self._book.style(style)
        self.sheet.merge_range(self.row, 0, self.row, last, "", form)
        self.text(0, text, style)
        if height:
            self.sheet.set_row(self.row, min(height, _TALLEST))
        self.row += 1

    def heading(self, text: str) -> None:
        self.row += 1
        self.text(0, text, "heading")
        self.row += 1

    def table(self, table: Table, *, titled: bool = True) -> int:
        """A table of the shared form; hands back the row of its titles."""
        if titled:
            self.heading(table.title)
        if table.note:
            self.merged(table.note, "note", min(len(table.columns) - 1, 8), 32)
        titles, amounts = self.row, amount_columns(table)
        self.header(
            tuple(
                text
                for at, (title, _) in enumerate(table.columns)
                for text in ((title, f"{title}, exact") if at in amounts else (title,))
            )
        )
        for row in table.rows:
            column = 0
            self._fit(table, row)
            for at, cell in enumerate(row):
                self._cell(column, cell)
                if at in amounts:
                    column += 1
                    self.text(column, exact_of(cell), "exact")
                column += 1
            self.row += 1
        return titles

    def _fit(self, table: Table, row: tuple[Cell, ...]) -> None:
        """As high as its longest text needs in the columns of the sheet, which its first table may
        have made narrower than this one asks for."""
        lines, column = 1, 0
        amounts = amount_columns(table)
        for at, (cell, (_, width)) in enumerate(zip(row, table.columns, strict=True)):
            if isinstance(cell, str):
                wide = min((width, *self._widths[column : column + 1]))
                lines = max(lines, 1 + len(cell) // max(wide - 2, 1))
            column += 2 if at in amounts else 1
        if lines > 1:
            self.sheet.set_row(self.row, min(15 * lines, _TALLEST))

    def _cell(self, column: int, cell: Cell) -> None:
        if isinstance(cell, Amount):
            self.number(column, cell.value, cell.places)
        else:
            self.text(column, "—" if cell is None else cell, "wrap")


def amount_columns(table: Table) -> frozenset[int]:
    """The columns of a table that hold amounts; each has its exact text beside it."""
    return frozenset(
        at for row in table.rows for at, cell in enumerate(row) if isinstance(cell, Amount)
    )


def widths_of(table: Table) -> tuple[int, ...]:
    """How wide the columns of a table are, those of exact texts among them."""
    amounts = amount_columns(table)
    return tuple(
        size
        for at, (_, width) in enumerate(table.columns)
        for size in ((width, width) if at in amounts else (width,))
    )


def exact_of(cell: Cell) -> str:
    """The exact amount of a cell."""
    return exact_text(cell.value) if isinstance(cell, Amount) else ""


def fitted(text: str, most: int) -> str:
    """As much of a text's beginning as takes no more than `most` UTF-16 units; no character is
    cut in two."""
    return text.encode("utf-16-le")[: 2 * most].decode("utf-16-le", "ignore")


def _literal(text: str) -> str:
    """Text in a header, where `&` begins a code; at most 255 units in all. It is cut before `&` is
    doubled: half of a pair would begin a code."""
    most = _HEADING
    while len((fit := fitted(text, most)).encode("utf-16-le")) // 2 + fit.count("&") > _HEADING:
        most -= 1
    return fit.replace("&", "&&")
