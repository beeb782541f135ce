"""Frames: exact, typed, and never a float."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import duckdb
import polars as pl
import pytest

from verify.errors import UsageProblem
from verify.render.frames import lever_frame
from verify.result import LeverResult, Row, Value

from .built import caching, infrastructure, recomputation, retrieval
from .tied import sound, tied

FLOATS = {pl.Float32, pl.Float64}


def lever_of(*values: Value) -> LeverResult:
    """A lever with a row for each value of one measure."""
    rows = tuple(Row(f"key {at}", {"amount": value}) for at, value in enumerate(values))
    return replace(caching(), by={"model": rows})


def column(*values: Value, scale: int | None = None) -> pl.Series:
    return lever_frame(lever_of(*values), "model", scale)["amount"]


def test_counts_are_integers() -> None:
    made = column(1, None, 2**63 - 1)
    assert made.dtype == pl.Int64
    assert made.to_list() == [1, None, 2**63 - 1]
    assert column(2**63).dtype == pl.Decimal(30, 0)
    assert column(10**40).to_list() == [str(10**40)]


def test_amounts_are_decimals_of_the_least_scale_that_writes_all_out() -> None:
    made = column(Fraction(1, 8), Fraction(-5), None, 3)
    assert made.dtype == pl.Decimal(30, 3)
    assert made.to_list() == [Decimal("0.125"), Decimal(-5), None, Decimal(3)]
    assert column(Fraction(1, 10**18)).dtype == pl.Decimal(30, 18)
    assert column(Fraction(10**37 + 1, 10)).dtype == pl.Decimal(38, 1)


def test_a_database_puts_two_columns_together_without_dropping_decimals() -> None:
    prices = pl.DataFrame({"four": column(Fraction(46875, 10**4)), "three": column(Fraction(1, 8))})
    one = duckdb.sql("SELECT coalesce(four, three) AS one FROM prices")
    assert one is not None
    (row,) = one.fetchall()
    assert (prices.height, row[0]) == (1, Decimal("4.6875"))


@pytest.mark.parametrize(
    "value", [Fraction(1, 3), Fraction(1, 10**19), Fraction(10**37) + Fraction(1, 100)]
)
def test_what_no_decimal_holds_is_exact_text(value: Fraction) -> None:
    made = column(value, Fraction(1, 2), None)
    assert made.dtype == pl.String
    assert made.to_list()[1:] == ["0.5", None]
    assert Fraction(made[0]) == value


def test_a_scale_rounds_half_to_even_and_fixes_the_type() -> None:
    made = column(Fraction(1, 3), Fraction(5, 10**7), Fraction(15, 10**7), None, scale=6)
    assert made.dtype == pl.Decimal(30, 6)
    assert made.to_list() == [Decimal("0.333333"), Decimal(0), Decimal("0.000002"), None]
    assert column(1, scale=6).dtype == pl.Int64
    for bad in (-1, 19):
        with pytest.raises(UsageProblem, match="scale is 0 to 18"):
            column(Fraction(1, 3), scale=bad)


def test_unknown_is_null_and_never_zero() -> None:
    assert column(None, None).to_list() == [None, None]
    assert column(None, Fraction(0)).to_list() == [None, Decimal(0)]


def test_names_are_as_the_export_has_them() -> None:
    frame = lever_frame(retrieval(("=1+1", None)), "agent")
    assert frame["agent"].to_list() == ["=1+1", None]


def test_no_column_of_any_frame_is_a_float() -> None:
    result = recomputation(retrieval(), caching(), infrastructure())
    frames = [result.to_polars(), result.to_polars(scale=2), tied(sound()).to_polars()]
    for lever in result.levers:
        frames += [lever.to_polars(), *(lever.to_polars(by) for by in lever.by)]
    frames.append(result.lever("caching").to_polars("card"))
    for frame in frames:
        assert frame.height > 0
        assert not FLOATS & set(frame.dtypes)


def test_a_frame_has_the_rows_of_its_result() -> None:
    result = recomputation(caching())
    lever = result.lever("caching")
    assert result.to_polars()["lever"].to_list() == ["caching"]
    for by, rows in lever.by.items():
        frame = lever.to_polars(by)
        assert frame[by].to_list() == [row.key for row in rows]
    assert lever.to_polars("card")["deployment"].to_list() == [c.deployment for c in lever.cells]
    diff = tied(sound())
    frame = diff.to_polars(scale=6)
    assert frame["verdict"].to_list() == [row.verdict for row in diff.rows]
    words = frame.filter(pl.col("measure") == "status")
    assert words["recomputed"].is_null().all()
    assert set(words["recomputed_word"]) == {"ok"}


def test_a_dimension_that_was_not_asked_for() -> None:
    with pytest.raises(UsageProblem, match="no caching by colour") as refused:
        caching().to_polars("colour")
    assert "card" in refused.value.advice
