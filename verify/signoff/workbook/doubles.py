"""The binary doubles that a spreadsheet will hold, and what its formulas make of them.

The only floats of the package. They are computed here as a spreadsheet computes them, so that a
recalculation changes nothing, and each stands beside the exact amount that it stands for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

_NEAR = 2.0**-48


class Number(NamedTuple):
    """A cell with a number: where it stands, as `$`-less A1, and the double in it."""

    ref: str
    value: float


def double(value: Fraction | int) -> float | None:
    """The double that the file will hold, which writes 16 digits; None for one beyond doubles."""
    try:
        return float(f"{float(value):.16G}")
    except OverflowError:
        return None


def fitting(value: float, places: int) -> int:
    """So many decimals that no more than the 15 digits are shown which a spreadsheet keeps."""
    return max(min(places, 15 - len(str(int(abs(value))))), 0)


def less(one: float, other: float) -> float:
    """`one - other` as spreadsheets subtract: nearly equal numbers leave nothing."""
    rest = one - other
    nearly = (one < 0) == (other < 0) and abs(rest) < abs(one) * _NEAR
    return 0.0 if one == other or nearly else rest


def added(values: Iterable[float]) -> float:
    """`SUM`, which compensates for rounding; no number where it would leave doubles."""
    try:
        return math.fsum(values)
    except (OverflowError, ValueError):
        return math.nan


def saved_by_caching(
    reads: float, writes: float, price: float, read_price: float, write_price: float
) -> float:
    """The caching formula, step by step."""
    premium = max(less(write_price, price), 0.0)
    return less(reads * less(price, read_price), writes * premium) / 1_000_000


def rounding_text(cell: float | None, exact: Fraction | int) -> str:
    """The cell less the exact amount, to two digits: `0`, `-1.6e-17`."""
    if cell is None or not math.isfinite(cell):
        return "no double holds it"
    rest = Fraction(cell) - exact
    if rest == 0:
        return "0"
    try:
        return f"{float(rest):.1e}"
    except OverflowError:
        return "beyond doubles"
