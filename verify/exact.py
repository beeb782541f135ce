"""Exact amounts: how they print, and how product figures are read.

Every amount is an `int` (a count, a plain token sum) or a `Fraction` (anything that a weight or a
price has touched). No float is made here or accepted here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

MILLION = 1_000_000


def finite_places(value: Fraction) -> int | None:
    """The decimals that write `value` out in full, or None when no number of them does."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def plain(value: Fraction | int) -> str:
    """`value` as a plain decimal when it is finite, else as `num/den` in lowest terms.

    Never an exponent, never trailing zeros: `14.91302`, `-0.5`, `0`, `124966/3`.
    """
    if isinstance(value, int):
        return str(value)
    places = finite_places(value)
    if places is None:
        return f"{value.numerator}/{value.denominator}"
    digits = abs(value.numerator) * 10**places // value.denominator
    sign = "-" if value < 0 else ""
    whole, part = divmod(digits, 10**places)
    return f"{sign}{whole}" + (f".{part:0{places}d}" if places else "")


def rounded(value: Fraction | int, places: int) -> str:
    """`value` to `places` decimals for people to read: half to even, thousands separated.

    A value that is not zero never prints as zero with a minus sign.
    """
    units = round(Fraction(value) * 10**places)
    whole, part = divmod(abs(units), 10**places)
    sign = "-" if units < 0 else ""
    return f"{sign}{whole:,}" + (f".{part:0{places}d}" if places else "")


@lru_cache(maxsize=4096)
def from_decimal(value: Decimal | None) -> Fraction | None:
    """An engine's exact decimal as a fraction; None stays None."""
    return None if value is None else Fraction(value)


def total(values: Iterable[Fraction | int | None]) -> Fraction:
    """The sum of what could be computed; 0 over nothing."""
    return sum((Fraction(v) for v in values if v is not None), Fraction(0))


NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")


_GIVEN = re.compile(
    r"((?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][-+]?[0-9]{1,2})?"
    r"|[0-9]{1,40}/[0-9]{1,40})(%?)"
)


def given_share(text: str) -> tuple[Fraction, bool]:
    """An amount as a person gives it on the command line, `0.9` or `90%`, and whether it is a
    percentage. Raises ValueError on anything else, also on what would be as long as `1e99999999`,
    and ZeroDivisionError."""
    match = _GIVEN.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return Fraction(match[1]) / (100 if match[2] else 1), bool(match[2])


@dataclass(frozen=True)
class Printed:
    """A figure as a product printed it: its text, exact value, and decimals shown.

    `decimals` counts the decimals of the text written without an exponent (`4.6e-05` shows 6),
    so that trailing zeros count as precision (`0.10` shows 2). `unrounded` marks an exact amount.
    """

    text: str
    value: Fraction
    decimals: int
    unrounded: bool = False

    @classmethod
    def amount(cls, text: str) -> Printed:
        """Read an amount as `plain` writes it; it rounds nothing."""
        return cls(text, Fraction(text), 0, unrounded=True)

    @classmethod
    def read(cls, text: str) -> Printed:
        """Read a JSON number. Raises ValueError on anything else."""
        match = NUMBER.fullmatch(text)
        if match is None:
            raise ValueError(f"not a JSON number: {text!r}")
        exponent = int(match[2][1:]) if match[2] else 0
        if abs(exponent) > 400:
            raise ValueError(f"a number out of all proportion: {text!r}")
        shown = len(match[1]) - 1 if match[1] else 0
        return cls(text, Fraction(text), max(shown - exponent, 0))
