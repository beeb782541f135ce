"""When two figures agree. The one definition; there is no other epsilon anywhere.

- `exact`: equal, also when both are unknown.
- `rounding`: at most half a unit, inclusive, of the precision that the measure shows in the
  capture (dollars at least six decimals; integers are exact), or at most 1e-12 of the recomputed
  value, because the product adds binary floats.
- `within_tolerance`: at most max(abs, rel x |recomputed|), as stated before the run.
- `differs`: anything else.
- `only_in_figures`, `only_in_records`: a row that one side has and the other has not.
- `not_comparable`: one side can not be computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from verify.errors import UsageProblem
from verify.exact import given_share, plain

VERDICTS = (
    "exact",
    "rounding",
    "within_tolerance",
    "differs",
    "only_in_figures",
    "only_in_records",
    "not_comparable",
)
AGREEING = frozenset({"exact", "rounding", "within_tolerance"})
DIFFERING = frozenset({"differs", "only_in_figures", "only_in_records"})
DOLLAR_DECIMALS = 6
FLOAT_NOISE = Fraction(1, 10**12)


@dataclass(frozen=True)
class Tolerance:
    """Materiality, fixed before the run: `abs` in the measure's unit, `rel` of the recomputed
    value."""

    absolute: Fraction = Fraction(0)
    relative: Fraction = Fraction(0)

    @classmethod
    def parse(cls, text: str) -> Tolerance:
        """`abs=1.00,rel=0.1%`, either or both. Raises UsageProblem."""
        given: dict[str, Fraction] = {}
        for piece in text.split(","):
            name, separator, value = piece.strip().partition("=")
            try:
                if name not in ("abs", "rel") or not separator or name in given:
                    raise ValueError(piece)
                amount, percent = given_share(value)
                if name == "abs" and percent:
                    raise ValueError(piece)
            except (ValueError, ZeroDivisionError):
                raise UsageProblem(
                    f"{text!r} is not a tolerance", advice='Write it as "abs=1.00,rel=0.1%".'
                ) from None
            given[name] = amount
        return cls(given.get("abs", Fraction(0)), given.get("rel", Fraction(0)))

    def allows(self, delta: Fraction, recomputed: Fraction) -> bool:
        """Whether a difference of `delta` is within it."""
        return abs(delta) <= max(self.absolute, self.relative * abs(recomputed))

    def __str__(self) -> str:
        return f"abs={plain(self.absolute)},rel={plain(self.relative * 100)}%"


@dataclass(frozen=True)
class Precision:
    """To how many decimals a measure is shown; None where it is a whole number by nature.

    `printed` is half a unit of one figure that was rounded by itself; None: it was not.
    """

    decimals: int | None
    printed: Fraction | None = None

    @property
    def half_unit(self) -> Fraction:
        """Half a unit of the last digit shown; 0 for whole numbers, which do not round."""
        if self.printed is not None:
            return self.printed
        return Fraction(1, 2 * 10**self.decimals) if self.decimals is not None else Fraction(0)


def judge(
    figure: Fraction,
    recomputed: Fraction,
    precision: Precision,
    tolerance: Tolerance,
    shares: int = 0,
) -> str:
    """The verdict on two known numbers. `shares` is the number of printed figures that `figure` is
    the sum of: each of them may be rounded too."""
    delta = figure - recomputed
    if delta == 0:
        return "exact"
    if precision.half_unit:
        allowed = precision.half_unit * (1 + shares)
        if abs(delta) <= max(allowed, FLOAT_NOISE * abs(recomputed)):
            return "rounding"
    return "within_tolerance" if tolerance.allows(delta, recomputed) else "differs"
