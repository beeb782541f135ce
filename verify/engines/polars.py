"""What the Polars engine adds to Polars: exact sums, and rows with Python's exact numbers.

Integers are summed in 128 bits, which no sum of 64-bit integers over the 2^32 rows of a frame can
leave. Amounts are integers too, in units of 10^-18 USD and below 10^38, so whole dollars and the
rest are summed apart: Polars wraps round in silence where a sum leaves 128 bits, and these cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from verify.period import Day

Converter = Callable[[Any], Any]


def exact_sum(values: pl.Expr) -> pl.Expr:
    """The sum of those that are not null; 0 over nothing."""
    return values.cast(pl.Int128).sum()


def exact_sum_or_null(values: pl.Expr) -> pl.Expr:
    """The sum of those that are not null; null over nothing."""
    return pl.when(values.count() > 0).then(exact_sum(values))


def whole_of(amount: pl.Expr, scale: int) -> pl.Expr:
    """The whole units of an amount that is counted in `scale` parts of one, towards zero."""
    return amount.abs() // scale * amount.sign()


def rest_of(amount: pl.Expr, scale: int) -> pl.Expr:
    """What `whole_of` leaves, with the sign of the amount."""
    return amount - whole_of(amount, scale) * scale


def day_of(instants: pl.Series, days: list[Day], in_units: Callable[[Any], int]) -> pl.Series:
    """The date, as text, of the local day that each of the instants lies in; all of them lie
    within `days`."""
    real = [day for day in days if day.start < day.end]
    starts = pl.Series([in_units(day.start) for day in real], dtype=pl.Int64)
    dates = pl.Series([day.date.isoformat() for day in real], dtype=pl.String)
    if instants.is_empty():
        return pl.Series(dtype=pl.String)
    return dates.gather(starts.search_sorted(instants, side="right") - 1)


def rows_of(frame: pl.DataFrame, converters: Mapping[str, Converter]) -> list[dict[str, Any]]:
    """A dict a row; a column named in `converters` goes through its function."""
    found = frame.rows(named=True)
    for row in found:
        for name, convert in converters.items():
            if name in row:
                row[name] = convert(row[name])
    return found
