"""CSV in long form: one value a line, so that its columns never change."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from io import StringIO

from verify.render.safe import csv_text, visible
from verify.render.words import exact
from verify.result import Value

_PLAIN = re.compile(r"[A-Za-z0-9_./: -]*")


class _Bare:
    """A cell without quotes: the csv module quotes all but what calls itself a number.

    All other text is quoted, so that it stays one cell in a spreadsheet that separates by
    semicolons or tabs.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __float__(self) -> float:
        raise TypeError("a cell is its exact text")


def csv_of(header: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """A header and rows by RFC 4180. Numbers are exact, None is empty, and names are made visible
    and kept from being formulas."""
    out = StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow([_Bare(title) for title in header])
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return out.getvalue()


def _cell(value: Value) -> str | _Bare:
    if value is None or isinstance(value, int | Fraction):
        return _Bare(exact(value))
    text = csv_text(visible(value))
    return _Bare(text) if _PLAIN.fullmatch(text) else text
