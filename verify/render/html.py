"""The house's pages in a notebook: the same sheets as on a terminal, as HTML.

Every text is escaped here. A notebook also typesets what stands between dollar signs; nothing in a
name is taken for a formula.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from verify.findings import Finding
from verify.render.safe import html_text
from verify.render.tables import MOST_ROWS, Column, draw_column
from verify.render.words import amount_words, finding_words
from verify.result import Value

_STYLE = """<style>
.verify-result {max-width: 75em; font-size: 0.95em; line-height: 1.45}
.verify-result p {margin: 0.4em 0}
.verify-result h4 {margin: 1.2em 0 0.4em; border-bottom: 1px solid rgba(128, 128, 128, 0.5)}
.verify-result h4 span {font-weight: normal; margin-left: 0.8em}
.verify-result table {border-collapse: collapse; margin: 0.4em 0; font-size: 1em}
.verify-result th, .verify-result td {padding: 0.15em 0.7em 0.15em 0; text-align: left;
  vertical-align: top; background: none; border: none; white-space: pre-wrap}
.verify-result thead th {border-bottom: 1px solid rgba(128, 128, 128, 0.5); vertical-align: bottom}
.verify-result tfoot td {border-top: 1px solid rgba(128, 128, 128, 0.5); font-weight: bold}
.verify-result .verify-pairs th {white-space: nowrap}
.verify-result .verify-scroll {max-height: 24em; overflow: auto}
.verify-result .verify-number {text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap}
.verify-result .verify-dim, .verify-result .verify-pairs th {opacity: 0.7; font-weight: normal}
.verify-result .verify-bold {font-weight: bold}
.verify-result .verify-loud {font-weight: bold; border-left: 4px solid; padding-left: 0.6em}
</style>"""

_MOST_SEEN = 16  # rows; longer tables scroll


class HtmlSheet:
    """See `verify.render.sheet.Sheet`."""

    ROUNDED = "rounded for reading; .to_polars() and .as_json() have every digit"
    MORE = ".to_polars()"
    JSON = ".as_json()"

    def __init__(self) -> None:
        self._parts: list[str] = []

    def html(self) -> str:
        """All of it, as one element."""
        inside = "\n".join(self._parts)
        return (
            f'<div class="verify-result tex2jax_ignore mathjax_ignore">{_STYLE}\n{inside}\n</div>'
        )

    def blank(self) -> None:
        """Room between parts is a matter of style here."""

    def line(self, text: str, style: str = "") -> None:
        kind = "verify-bold" if "bold" in style else "verify-dim" if "dim" in style else ""
        indent = len(text) - len(text.lstrip())
        room = f' style="margin-left: {indent}em"' if indent else ""
        self._parts.append(f'<p class="{kind}"{room}>{html_text(text.lstrip())}</p>')

    def loud(self, text: str) -> None:
        self._parts.append(f'<p class="verify-loud">{html_text(text)}</p>')

    def heading(self, title: str, *words: str) -> None:
        told = "".join(f"<span>{html_text(word)}</span>" for word in words)
        self._parts.append(f"<h4>{html_text(title)}{told}</h4>")

    def pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        lines = [
            f"<tr><th>{html_text(label)}</th><td>{html_text(value)}</td></tr>"
            for label, value in pairs
        ]
        if lines:
            self._parts.append(f'<table class="verify-pairs">{"".join(lines)}</table>')

    def amounts(self, amounts: Iterable[tuple[str, Value, str]]) -> None:
        self.pairs((label, amount_words(value, unit)) for label, value, unit in amounts)

    def findings(self, findings: Iterable[Finding]) -> None:
        self.pairs(
            (finding.severity, f"{finding_words(finding)} [{finding.code}]") for finding in findings
        )

    def table(
        self,
        columns: Sequence[Column],
        rows: Sequence[Sequence[Value]],
        total: Sequence[Value] = (),
    ) -> None:
        hidden = len(rows) - MOST_ROWS
        rows = rows[:MOST_ROWS]
        drawn = [
            draw_column(column, [row[at] for row in rows], total[at : at + 1])
            for at, column in enumerate(columns)
        ]
        kinds = [' class="verify-number"' if column.numeric else "" for column in drawn]
        head = "".join(
            f"<th{kind}>{html_text(column.title)}{_unit(column)}</th>"
            for column, kind in zip(columns, kinds, strict=True)
        )
        body = [_cells([column.cells[at] for column in drawn], kinds) for at in range(len(rows))]
        foot = ""
        if total:
            foot = f"<tfoot>{_cells([column.cells[-1] for column in drawn], kinds)}</tfoot>"
        made = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody>{foot}</table>"
        long = len(rows) > _MOST_SEEN
        self._parts.append(f'<div class="verify-scroll">{made}</div>' if long else made)
        if any(column.inexact for column in drawn):
            self.line(self.ROUNDED, "dim")
        if hidden > 0:
            self.line(f"and {hidden:,} more rows; {self.MORE} has every row", "dim")


def _unit(column: Column) -> str:
    return f'<br><span class="verify-dim">{html_text(column.unit)}</span>' if column.unit else ""


def _cells(cells: Sequence[str], kinds: Sequence[str]) -> str:
    inside = "".join(
        f"<td{kind}>{html_text(cell)}</td>" for cell, kind in zip(cells, kinds, strict=True)
    )
    return f"<tr>{inside}</tr>"
