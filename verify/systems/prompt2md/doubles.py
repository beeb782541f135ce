"""Quotients as JavaScript prints them, computed with integers alone.

A JavaScript number is an IEEE 754 binary64. Its quotient of two integers is the binary64 nearest to
the true quotient, ties to an even significand, and it prints as the shortest decimal that reads
back as the same binary64, of several such the one nearest to it, of two as near the one whose last
digit is even (ECMA-262, Number::toString). So the decimal that a report must show for a ratio can
be derived to the last digit without a float.
"""

from __future__ import annotations

from fractions import Fraction

_SIGNIFICAND_BITS = 53
_LEAST_EXPONENT = -1074
_MOST_DIGITS = 17


def printed_quotient(exact: Fraction) -> Fraction:
    """The decimal that JavaScript prints for a quotient whose true value is `exact`, which is below
    2^1023 in size."""
    printed = _shortest(_nearest(abs(exact)))
    return -printed if exact < 0 else printed


def _nearest(value: Fraction) -> Fraction:
    """The binary64 nearest to `value`, ties to even."""
    if value == 0:
        return Fraction(0)
    exponent = value.numerator.bit_length() - value.denominator.bit_length() - _SIGNIFICAND_BITS
    while value >= Fraction(2) ** (exponent + _SIGNIFICAND_BITS):
        exponent += 1
    exponent = max(exponent, _LEAST_EXPONENT)
    unit = Fraction(2) ** exponent
    return round(value / unit) * unit  # round() of a fraction goes to even on a tie


def _shortest(double: Fraction) -> Fraction:
    """The decimal of fewest digits, nearest to `double`, that reads back as it."""
    if double == 0:
        return double
    magnitude = 0
    while Fraction(10) ** magnitude <= double:
        magnitude += 1
    while Fraction(10) ** (magnitude - 1) > double:
        magnitude -= 1
    for digits in range(1, _MOST_DIGITS + 1):
        unit = Fraction(10) ** (magnitude - digits)
        below = double // unit
        nearer = round(double / unit)  # to even on a tie
        for last in (nearer, 2 * below + 1 - nearer):
            if _nearest(last * unit) == double:
                return last * unit
    return double
