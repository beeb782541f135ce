"""Amounts print what they are, and are read as what was printed."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from verify.exact import Printed, finite_places, from_decimal, plain, rounded, total

ANY = st.fractions()
DECIMALS = st.builds(
    lambda mantissa, places: Fraction(mantissa, 10**places),
    st.integers(-(10**30), 10**30),
    st.integers(0, 40),
)


@given(st.one_of(ANY, DECIMALS, st.integers()))
@example(Fraction(0))
@example(Fraction(-1, 3))
@example(Fraction(1, 10**400))
@example(10**400)
def test_a_plain_amount_is_the_amount(value: Fraction | int) -> None:
    assert Fraction(plain(value)) == value
    assert plain(Fraction(value)) == plain(value)


@given(st.one_of(ANY, DECIMALS))
def test_a_plain_amount_has_one_form(value: Fraction) -> None:
    text = plain(value)
    finite = finite_places(value) is not None
    assert re.fullmatch(
        r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?" if finite else r"-?[0-9]+/[1-9][0-9]*", text
    )
    assert text != "-0"
    if not finite:
        numerator, denominator = map(int, text.split("/"))
        assert (numerator, denominator) == (value.numerator, value.denominator)


@given(st.one_of(ANY, DECIMALS))
def test_finite_places_are_the_fewest_that_do(value: Fraction) -> None:
    places = finite_places(value)
    if places is None:
        assert pow(10, 2000, value.denominator) != 0
    else:
        assert (value * 10**places).denominator == 1
        assert places == 0 or (value * 10 ** (places - 1)).denominator != 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction("14.91302"), "14.91302"),
        (Fraction("-0.5"), "-0.5"),
        (Fraction("1e-18"), "0.000000000000000001"),
        (Fraction(1200), "1200"),
        (Fraction(124966, 3), "124966/3"),
        (Fraction(-1, 3), "-1/3"),
        (0, "0"),
        (-7, "-7"),
    ],
)
def test_plain_amounts(value: Fraction | int, text: str) -> None:
    assert plain(value) == text


@given(st.one_of(ANY, DECIMALS), st.integers(0, 12))
@example(Fraction("-0.004"), 2)
@example(Fraction("-0.5"), 0)
@example(Fraction("0.005"), 2)
@example(Fraction("-0.005"), 2)
def test_a_rounded_amount_is_the_nearest_and_never_minus_nothing(
    value: Fraction, places: int
) -> None:
    text = rounded(value, places)
    assert re.fullmatch(
        r"-?[0-9]{1,3}(,[0-9]{3})*" + (rf"\.[0-9]{{{places}}}" if places else ""), text
    )
    back = Fraction(text.replace(",", ""))
    unit = Fraction(1, 10**places)
    assert abs(back - value) <= unit / 2
    if abs(back - value) == unit / 2:
        assert back / unit % 2 == 0  # half to even
    if back == 0:
        assert not text.startswith("-")
    else:
        assert text.startswith("-") == (value < 0)
    assert rounded(-value, places).lstrip("-") == text.lstrip("-")


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        ("-0.19", 0, "0"),
        ("-0.19", 1, "-0.2"),
        ("1234567.891", 2, "1,234,567.89"),
        ("999.995", 2, "1,000.00"),
        ("2.5", 0, "2"),
        ("3.5", 0, "4"),
        ("0.000045", 5, "0.00004"),
        ("12345678901234567.02", 2, "12,345,678,901,234,567.02"),
    ],
)
def test_rounded_amounts(value: str, places: int, text: str) -> None:
    assert rounded(Fraction(value), places) == text


JSON_NUMBERS = st.from_regex(
    re.compile(r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][-+]?[0-9]{1,2})?", re.ASCII),
    fullmatch=True,
)


@given(JSON_NUMBERS)
def test_a_printed_number_has_the_value_of_its_text_and_the_decimals_it_shows(text: str) -> None:
    printed = Printed.read(text)
    assert printed.text == text
    assert printed.value == Fraction(Decimal(text))
    assert printed.decimals == max(-int(Decimal(text).as_tuple().exponent), 0)
    assert not printed.unrounded


@pytest.mark.parametrize(
    ("text", "decimals"),
    [
        ("0", 0),
        ("5", 0),
        ("0.10", 2),
        ("4.6e-05", 6),
        ("4.6E-5", 6),
        ("1.50e1", 1),
        ("1e3", 0),
        ("1.5e3", 0),
        ("-0.0", 1),
        ("1e-400", 400),
    ],
)
def test_the_decimals_that_a_number_shows(text: str, decimals: int) -> None:
    assert Printed.read(text).decimals == decimals


@pytest.mark.parametrize(
    "text",
    [
        "",
        " 1",
        "1 ",
        "1\n",
        "+1",
        "01",
        "1.",
        ".5",
        "1e",
        "1/3",
        "1,000",
        "1_000",
        "0x10",
        "NaN",
        "Infinity",
        "-",
        "\u0661",
        "1e401",
        "1e-401",
        "1e99999999999999999999",
    ],
)
def test_what_is_no_number_to_print_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        Printed.read(text)


@given(st.one_of(ANY, DECIMALS))
def test_an_amount_of_our_own_comes_back_unrounded(value: Fraction) -> None:
    printed = Printed.amount(plain(value))
    assert printed.value == value
    assert printed.unrounded


@given(st.lists(st.one_of(st.none(), ANY, st.integers())))
def test_a_total_is_the_sum_of_what_is_known_in_any_order(
    values: list[Fraction | int | None],
) -> None:
    known = [Fraction(value) for value in values if value is not None]
    assert total(values) == total(values[::-1]) == sum(known, Fraction(0))
    assert isinstance(total([]), Fraction)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=18))
def test_an_engine_s_decimal_is_taken_exactly(value: Decimal) -> None:
    assert from_decimal(value) == Fraction(str(value))
    assert from_decimal(None) is None
