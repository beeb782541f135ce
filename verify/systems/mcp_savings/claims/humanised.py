"""Figures as the program prints them for people: base 1000, one decimal, or whole below 1000.

`882 B` and `210` are exact. `1.5 KB` and `13.9K` were rounded to a unit of their own, a tenth of
the prefix: each stands for any figure within half of that. As a number, `13.9K` is `13.9e3`.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from verify.exact import Printed

_BYTES = re.compile(r"([0-9]{1,400}(?:\.[0-9]{1,9})?) (B|KB|MB|GB)")
_TOKENS = re.compile(r"([0-9]{1,400}(?:\.[0-9]{1,9})?)([KMB]?)")
_BYTE_UNITS = ("B", "KB", "MB", "GB")
_TOKEN_UNITS = ("", "K", "M", "B")


class Humanised(NamedTuple):
    """A figure, and half a unit of its last digit; None where it was printed whole."""

    printed: Printed
    half_unit: Fraction | None


def bytes_shown(text: str) -> Humanised | None:
    """A figure of bytes; None where the text is none."""
    return _read(_BYTES.fullmatch(text), _BYTE_UNITS)


def tokens_shown(text: str) -> Humanised | None:
    """A figure of tokens; None where the text is none."""
    return _read(_TOKENS.fullmatch(text), _TOKEN_UNITS)


def _read(match: re.Match[str] | None, units: tuple[str, ...]) -> Humanised | None:
    if match is None:
        return None
    power = 3 * units.index(match[2])
    try:
        if power == 0:
            return Humanised(Printed.read(match[1]), None)
        printed = Printed.read(f"{match[1]}e{power}")
    except ValueError:  # a leading zero, such as 013
        return None
    decimals = len(match[1].partition(".")[2])
    return Humanised(printed, Fraction(10) ** (power - decimals) / 2)
