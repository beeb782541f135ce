"""The house's terminal pages: headings, pairs, findings, and tables that fit the width.

A table never cuts a number. What does not fit is names, which are cut so that they stay apart, and
then whole columns, the least telling first, which the line under the table names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from verify.findings import Finding
from verify.render.safe import DASH, NULL_KEY, fitted_apart, shown_key
from verify.render.words import ROUNDED, amount, finding_words, places_for
from verify.result import Value

if TYPE_CHECKING:
    from rich.text import Text

MINIMUM_WIDTH = 40
MOST_ROWS = 1000
"""No person reads more rows of a table; a million would take minutes to draw."""
_GAP = 2
_NAME_WIDTH = 16  # what a column of names keeps before columns of numbers are left out for it
_SHORTEST_NAME = 8
_SEVERITY_STYLES = {"error": "bold red", "warning": "yellow", "info": "dim"}


@dataclass(frozen=True)
class Column:
    """A column of a table. `unit` stands under the title.

    `kind` is `amount` (a number, or a name that stands for one), `name`, `key` (of a breakdown: the
    null key has a word of its own), `words` (never cut) or `ordinal` (a number that is not an
    amount). Columns of rank 0 are always shown; of
    the others, those with the highest rank are the first to be left out.
    """

    title: str
    unit: str = ""
    kind: str = "amount"
    rank: int = 0


@dataclass(frozen=True)
class DrawnColumn:
    """A column with its cells as text."""

    column: Column
    cells: tuple[str, ...]
    numeric: bool
    cuttable: bool
    inexact: bool
    natural: int  # its width when nothing is cut
    least: int  # its width when names are cut


class Page:
    """A page of plain text, `width` columns wide, with colours only where `colour` asks for them.

    Cells of tables are taken as they come from an export and made visible here; every other text
    is expected to be so already. It is a `verify.render.sheet.Sheet`.
    """

    ROUNDED = ROUNDED
    MORE = "--format csv"
    JSON = "--format json"

    def __init__(self, *, width: int, colour: bool) -> None:
        from io import StringIO

        from rich.console import Console

        self._width = max(width, MINIMUM_WIDTH)
        self._out = StringIO()
        self._console = Console(
            file=self._out,
            width=self._width,
            force_terminal=colour,
            color_system="standard" if colour else None,
            no_color=False,
            force_jupyter=False,
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
        )

    def text(self) -> str:
        """All of the page. Lines carry no blanks at their end."""
        lines = [line.rstrip() for line in self._out.getvalue().split("\n")]
        return "\n".join(lines).rstrip("\n") + "\n"

    def blank(self) -> None:
        """An empty line."""
        self._console.print()

    def line(self, text: str, style: str = "") -> None:
        """A paragraph."""
        self._console.print(_text(text, style), overflow="fold")

    def loud(self, text: str) -> None:
        """A warning that nobody may miss, without colour too."""
        self._hanging(_text("!!!", "bold red"), len("!!!"), _text(text, "bold red"))
        self.blank()

    def heading(self, title: str, *words: str) -> None:
        """A heading over what follows, on a rule as wide as the page, after an empty line."""
        self.blank()
        text = _text("── ", "dim").append(title, "bold not dim")
        for part in words:
            text.append("  ").append(part, "not dim")
        text.append(" ")
        text.append("─" * (self._width - text.cell_len))
        self._console.print(text, overflow="fold")

    def pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Labels with what they label."""
        from rich.cells import cell_len

        rows = list(pairs)
        label_width = max((cell_len(label) for label, _ in rows), default=0)
        for label, value in rows:
            self._hanging(_text(label, "dim"), label_width, _text(value))

    def amounts(self, amounts: Iterable[tuple[str, Value, str]]) -> None:
        """A column of single amounts: what each is, how much, and its unit."""
        rows = list(amounts)
        texts = [amount(value, places_for(unit, [value])) for _, value, unit in rows]
        width = max(map(len, texts), default=0)
        self.pairs(
            (label, f"{text:>{width}} {unit}".rstrip())
            for (label, _, unit), text in zip(rows, texts, strict=True)
        )

    def findings(self, findings: Iterable[Finding]) -> None:
        """Each finding: how grave it is, what it says, its lines and its code."""
        for finding in findings:
            style = _SEVERITY_STYLES.get(finding.severity, "")
            text = _text(finding_words(finding))
            text.append(f" [{finding.code}]", "dim")
            self._hanging(_text(finding.severity, style), len("warning"), text)

    def table(
        self,
        columns: Sequence[Column],
        rows: Sequence[Sequence[Value]],
        total: Sequence[Value] = (),
    ) -> None:
        """A table. `total` is its last line, under a rule; there an empty text is an empty cell.

        Of more than `MOST_ROWS` rows only so many are drawn, which is said.
        """
        hidden = len(rows) - MOST_ROWS
        rows = rows[:MOST_ROWS]
        drawn = [
            draw_column(column, [row[at] for row in rows], total[at : at + 1])
            for at, column in enumerate(columns)
        ]
        shown = _chosen(drawn, self._width)
        self._draw(shown, bool(total))
        notes = [ROUNDED] if any(column.inexact for column in shown) else []
        left_out = [_full_title(d.column) for d in drawn if all(d is not other for other in shown)]
        if left_out:
            notes.append(f"--format csv also has {', '.join(left_out)}")
        if hidden > 0:
            notes.append(f"and {hidden:,} more rows; {self.MORE} has every row")
        for note in notes:
            self.line(note, "dim")

    def _draw(self, shown: Sequence[DrawnColumn], has_total: bool) -> None:
        from rich.box import SIMPLE
        from rich.table import Table

        widths = _widths(shown, self._width)
        table = Table(
            box=SIMPLE,
            show_edge=False,
            pad_edge=False,
            padding=(0, _GAP - 1, 0, 0),
            show_footer=has_total,
            header_style="bold",
            footer_style="bold",
        )
        bodies = []
        units = any(drawn.column.unit for drawn in shown)
        for drawn, width in zip(shown, widths, strict=True):
            cells = fitted_apart(drawn.cells, width) if drawn.cuttable else list(drawn.cells)
            header = _text(drawn.column.title)
            if units:
                header.append(f"\n{drawn.column.unit}", "dim")
            table.add_column(
                header,
                _text(cells.pop() if has_total else ""),
                justify="right" if drawn.numeric else "left",
                width=width,
                no_wrap=True,
            )
            bodies.append(cells)
        for line in zip(*bodies, strict=True):
            table.add_row(*(_text(cell) for cell in line))
        # rich crops what is wider than its console, and a number with fewer digits is another
        # number: better a line that is too long.
        needed = sum(widths) + _GAP * (len(widths) - 1)
        self._console.width = max(needed, self._width)
        self._console.print(table)
        self._console.width = self._width

    def _hanging(self, label: Text, label_width: int, text: Text) -> None:
        """A label, and beside it text that wraps under itself."""
        margin = label_width + _GAP
        lines = text.wrap(self._console, self._width - margin, overflow="fold") or [_text("")]
        for number, line in enumerate(lines):
            # Appended, not copied: the style of the label is not that of the line.
            start = _text("").append_text(label) if number == 0 else _text("")
            start.append(" " * (margin - start.cell_len))
            start.append_text(line)
            self._console.print(start, overflow="ignore", no_wrap=True, crop=False)


def _text(text: str, style: str = "") -> Text:
    """Text that is shown as it is: no markup in it means anything."""
    from rich.text import Text

    return Text(text, style=style)


def _full_title(column: Column) -> str:
    return f"{column.title} {column.unit}".rstrip()


def draw_column(column: Column, values: Sequence[Value], total: Sequence[Value]) -> DrawnColumn:
    """The cells of a column as text, those of `total` last, and how they are to stand."""
    from rich.cells import cell_len

    everything = [*values, *total]
    places = places_for(column.unit, everything)
    cells = [_cell_text(column.kind, value, places) for value in values]
    cells += ["" if value == "" else amount(value, places) for value in total]
    names = column.kind == "amount" and any(isinstance(value, str) for value in values)
    numeric = column.kind in ("amount", "ordinal") and not names
    cuttable = names or column.kind in ("key", "name")
    title = max(cell_len(column.title), cell_len(column.unit))
    natural = max(title, *map(cell_len, cells)) if cells else title
    least = min(natural, max(_NAME_WIDTH, title)) if cuttable else natural
    inexact = numeric and any(_inexact(value, places) for value in everything)
    return DrawnColumn(column, tuple(cells), numeric, cuttable, inexact, natural, least)


def _cell_text(kind: str, value: Value, places: int) -> str:
    if value is None:
        return NULL_KEY if kind == "key" else DASH
    if isinstance(value, str) and kind != "words":
        return shown_key(value)
    return str(value) if kind == "ordinal" else amount(value, places)


def _inexact(value: Value, places: int) -> bool:
    return isinstance(value, int | Fraction) and (Fraction(value) * 10**places).denominator != 1


def _chosen(drawn: Sequence[DrawnColumn], width: int) -> list[DrawnColumn]:
    """The columns that are shown, in their order: by rank, each that still fits."""
    kept: set[int] = {at for at, d in enumerate(drawn) if d.column.rank == 0}
    for at in sorted(range(len(drawn)), key=lambda at: drawn[at].column.rank):
        if _least_width([drawn[other] for other in sorted(kept | {at})]) <= width:
            kept.add(at)
    return [drawn[at] for at in sorted(kept)]


def _widths(shown: Sequence[DrawnColumn], width: int) -> list[int]:
    """How wide each column is: names take what the others leave, or give what they lack."""
    widths = [d.least for d in shown]
    spare = width - _least_width(shown)
    for at, d in enumerate(shown):
        if not d.cuttable:
            continue
        if spare < 0:
            change = max(spare, min(0, _SHORTEST_NAME - widths[at]))
        else:
            change = min(spare, d.natural - widths[at])
        widths[at] += change
        spare -= change
    return widths


def _least_width(drawn: Sequence[DrawnColumn]) -> int:
    return sum(d.least for d in drawn) + _GAP * (len(drawn) - 1)
