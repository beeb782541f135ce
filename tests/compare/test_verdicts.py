"""When two figures agree: half units, float noise, tolerances, and nothing beside."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.compare.verdicts import (
    AGREEING,
    DIFFERING,
    FLOAT_NOISE,
    VERDICTS,
    Precision,
    Tolerance,
    judge,
)
from verify.errors import UsageProblem
from verify.exact import Printed

SIX, WHOLE = Precision(6), Precision(None)
HALF = Fraction(1, 2_000_000)
HAIR = Fraction(1, 10**40)
NONE = Tolerance()
ORDER = ("exact", "rounding", "within_tolerance", "differs")


def verdict(figure: object, recomputed: object, precision: Precision = SIX) -> str:
    return judge(Fraction(str(figure)), Fraction(str(recomputed)), precision, NONE)


def test_every_verdict_agrees_differs_or_is_no_comparison() -> None:
    assert set(VERDICTS) == AGREEING | DIFFERING | {"not_comparable"}
    assert not AGREEING & DIFFERING


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("base", ["0", "0.05", "-17.916161", "1234.5"])
def test_half_a_unit_is_in_and_anything_beyond_is_out(base: str, sign: int) -> None:
    recomputed = Fraction(base)
    assert judge(recomputed + sign * HALF, recomputed, SIX, NONE) == "rounding"
    assert judge(recomputed + sign * (HALF + HAIR), recomputed, SIX, NONE) == "differs"
    assert judge(recomputed + sign * HAIR, recomputed, SIX, NONE) == "rounding"


def test_half_way_figures_tie_whichever_way_they_were_rounded() -> None:
    for shown in ("2.000000", "2.000001"):
        assert verdict(shown, "2.0000005") == "rounding"
    for shown in ("1.999999", "2.000002"):
        assert verdict(shown, "2.0000005") == "differs"


@pytest.mark.parametrize(
    ("figure", "recomputed"),
    [
        (10**15 + 1, 10**15),
        (10**15, 10**15 + 1),
        (12_345_678_901_234_567, 12_345_678_901_234_568),
        (1, 0),
        (0, -1),
    ],
)
def test_whole_numbers_are_exact(figure: int, recomputed: int) -> None:
    assert verdict(figure, recomputed, WHOLE) == "differs"
    assert verdict(recomputed, recomputed, WHOLE) == "exact"


def test_dollars_are_not_compared_through_a_float() -> None:
    assert verdict("12345678901234567.01", "12345678901234567.02", WHOLE) == "differs"
    assert verdict("12345.010001", "12345.010002") == "differs"


def test_a_float_sum_is_off_in_its_last_digits() -> None:
    assert verdict("104870793.33333333", Fraction(314612380, 3), Precision(8)) == "rounding"
    assert verdict(repr(0.1 + 0.2), "0.3", Precision(17)) == "rounding"
    for amount in (10**9, -(10**9)):
        edge = abs(amount) * FLOAT_NOISE
        assert judge(amount + edge, Fraction(amount), SIX, NONE) == "rounding"
        assert judge(amount + edge + HAIR, Fraction(amount), SIX, NONE) == "differs"


def test_float_noise_is_of_the_recomputed_side() -> None:
    recomputed = Fraction(10**9)
    figure = recomputed + recomputed * FLOAT_NOISE
    assert judge(figure, recomputed, SIX, NONE) == "rounding"
    assert judge(recomputed - recomputed * FLOAT_NOISE, recomputed, SIX, NONE) == "rounding"
    lower = recomputed - recomputed * FLOAT_NOISE
    assert judge(recomputed, lower, SIX, NONE) == "differs"


@pytest.mark.parametrize("recomputed", ["0.05", "-0.05", "0.0000011", "45.38"])
def test_a_zero_is_no_rounding_of_something(recomputed: str) -> None:
    assert verdict("0.0", recomputed) == "differs"
    assert verdict(recomputed, "0") == "differs"


def test_a_negative_zero_is_zero() -> None:
    assert verdict("-0.0", "0") == "exact"
    assert Printed.read("-0.0").value == 0


def test_a_sum_of_printed_figures_has_a_half_unit_for_each() -> None:
    for shares in (0, 1, 4):
        edge = HALF * (shares + 1)
        assert judge(edge, Fraction(0), SIX, NONE, shares) == "rounding"
        assert judge(edge + HAIR, Fraction(0), SIX, NONE, shares) == "differs"
    assert judge(Fraction(1), Fraction(0), WHOLE, NONE, 100) == "differs"


def test_the_tolerance_is_of_the_recomputed_side() -> None:
    tenth = Tolerance.parse("rel=10%")
    ways = {
        (110, 100): True,
        (90, 100): True,
        (100, 110): True,
        (100, 90): False,
        (111, 100): False,
    }
    for (figure, recomputed), within in ways.items():
        found = judge(Fraction(figure), Fraction(recomputed), SIX, tenth)
        assert found == ("within_tolerance" if within else "differs"), (figure, recomputed)
        mirrored = judge(Fraction(-figure), Fraction(-recomputed), SIX, tenth)
        assert mirrored == found


def test_the_greater_of_both_tolerances_counts() -> None:
    both = Tolerance.parse("abs=1.00,rel=0.1%")
    assert judge(Fraction(501), Fraction(500), SIX, both) == "within_tolerance"
    assert judge(Fraction(5005), Fraction(5000), SIX, both) == "within_tolerance"
    assert judge(Fraction(5005) + HAIR, Fraction(5000), SIX, both) == "differs"
    assert judge(Fraction(1) + HAIR, Fraction(0), SIX, both) == "differs"
    assert judge(Fraction(1), Fraction(0), SIX, Tolerance.parse("rel=100%")) == "differs"


def test_a_tolerance_never_hides_that_figures_are_equal_or_rounded() -> None:
    wide = Tolerance.parse("abs=1000,rel=100%")
    one = Fraction(1)
    assert judge(one, one, SIX, wide) == "exact"
    assert judge(one + HALF, one, SIX, wide) == "rounding"
    assert judge(one + HALF + HAIR, one, SIX, wide) == "within_tolerance"
    assert judge(one + 1001, one, SIX, wide) == "differs"
    assert judge(Fraction(2), one, WHOLE, wide) == "within_tolerance"


@pytest.mark.parametrize(
    ("text", "absolute", "relative"),
    [
        ("abs=1.00,rel=0.1%", "1", "1/1000"),
        ("rel=0.1%, abs=1.00", "1", "1/1000"),
        ("abs=0", "0", "0"),
        ("abs=0.000001", "1/1000000", "0"),
        ("rel=0.001", "0", "1/1000"),
        ("rel=1/3", "0", "1/3"),
        ("rel=100%", "0", "1"),
        ("rel=1e-9", "0", "1/1000000000"),
    ],
)
def test_a_tolerance_that_is_one(text: str, absolute: str, relative: str) -> None:
    parsed = Tolerance.parse(text)
    assert parsed == Tolerance(Fraction(absolute), Fraction(relative))
    assert Tolerance.parse(str(parsed)) == parsed


@pytest.mark.parametrize(
    "text",
    [
        "",
        ",",
        "1.00",
        "abs",
        "abs=",
        "abs=-1",
        "rel=-0.1%",
        "abs=1%",
        "rel=%",
        "rel=1%%",
        "abs=1,abs=2",
        "abs=1,",
        "abs=nan",
        "rel=inf",
        "abs=Infinity",
        "abs=1,00",
        "abs=1/0",
        "about=1",
        "ABS=1",
        "abs=1;rel=1%",
        "abs=$1",
        "abs=0x10",
        "abs=1e400",
        "abs=1e99999999",
        "rel=1e-99999999",
        "abs=" + "9" * 41,
    ],
)
def test_a_tolerance_that_is_none(text: str) -> None:
    with pytest.raises(UsageProblem) as caught:
        Tolerance.parse(text)
    assert repr(text) in caught.value.message
    assert "abs=1.00" in caught.value.advice


@pytest.mark.parametrize("text", ["NaN", "nan", "Infinity", "-Infinity", "inf", "", "1.", ".5"])
def test_no_figure_is_no_number(text: str) -> None:
    with pytest.raises(ValueError):
        Printed.read(text)


@pytest.mark.parametrize(
    ("text", "value", "decimals"),
    [
        ("0", "0", 0),
        ("-0.0", "0", 1),
        ("0.10", "1/10", 2),
        ("17.916161", "17916161/1000000", 6),
        ("4.6e-05", "46/1000000", 6),
        ("1e-07", "1/10000000", 7),
        ("1E2", "100", 0),
        ("1.25e1", "25/2", 1),
        ("1.0e1", "10", 0),
        ("12216218", "12216218", 0),
    ],
)
def test_a_figure_keeps_the_precision_it_was_printed_in(
    text: str, value: str, decimals: int
) -> None:
    printed = Printed.read(text)
    assert (printed.value, printed.decimals, printed.text) == (Fraction(value), decimals, text)


amounts = st.decimals(
    min_value=Decimal(-(10**12)), max_value=Decimal(10**12), places=9, allow_nan=False
).map(Fraction)
precisions = st.one_of(st.none(), st.integers(min_value=0, max_value=12)).map(Precision)
small = st.fractions(min_value=0, max_value=10, max_denominator=10**9)
tolerances = st.builds(Tolerance, small, small)


@settings(deadline=None)
@given(amounts, amounts, precisions, tolerances)
def test_signs_do_not_matter(
    one: Fraction, other: Fraction, precision: Precision, tolerance: Tolerance
) -> None:
    found = judge(one, other, precision, tolerance)
    assert found in ORDER
    assert judge(-one, -other, precision, tolerance) == found


@settings(deadline=None)
@given(amounts, small, precisions)
def test_half_units_and_absolute_tolerances_have_no_base(
    one: Fraction, apart: Fraction, precision: Precision
) -> None:
    """Only what is relative has a side that it is relative to."""
    other = one + apart
    if apart <= FLOAT_NOISE * max(abs(one), abs(other)):
        return
    for tolerance in (NONE, Tolerance(apart), Tolerance(apart / 2)):
        found = judge(one, other, precision, tolerance)
        assert judge(other, one, precision, tolerance) == found


@settings(deadline=None)
@given(amounts, amounts, precisions, tolerances, tolerances)
def test_a_wider_tolerance_never_makes_a_figure_differ(
    one: Fraction, other: Fraction, precision: Precision, first: Tolerance, second: Tolerance
) -> None:
    wider = Tolerance(max(first.absolute, second.absolute), max(first.relative, second.relative))
    narrow, wide = (judge(one, other, precision, given) for given in (first, wider))
    assert ORDER.index(wide) <= ORDER.index(narrow)


@settings(deadline=None)
@given(amounts, small, small, precisions, tolerances)
def test_further_away_is_never_better(
    recomputed: Fraction, near: Fraction, more: Fraction, precision: Precision, given_: Tolerance
) -> None:
    closer = judge(recomputed + near, recomputed, precision, given_)
    further = judge(recomputed + near + more, recomputed, precision, given_)
    assert ORDER.index(closer) <= ORDER.index(further)


@settings(deadline=None)
@given(amounts, amounts, precisions)
def test_exact_is_equal_and_whole_numbers_do_not_round(
    one: Fraction, other: Fraction, precision: Precision
) -> None:
    found = judge(one, other, precision, NONE)
    assert (found == "exact") == (one == other)
    if precision.decimals is None:
        assert found in ("exact", "differs")


@settings(deadline=None)
@given(amounts, st.integers(min_value=0, max_value=9))
def test_what_is_rounded_correctly_ties(exact: Fraction, decimals: int) -> None:
    shown = Fraction(round(exact * 10**decimals), 10**decimals)
    assert judge(shown, exact, Precision(decimals), NONE) in ("exact", "rounding")
    off = shown + Fraction(2, 10**decimals)
    if FLOAT_NOISE * abs(exact) < Fraction(1, 10**decimals):
        assert judge(off, exact, Precision(decimals), NONE) == "differs"
