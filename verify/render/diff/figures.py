"""The rows of a diff as they are drawn: what differs, grouped, with words and digits for it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from verify.compare.figures import At
from verify.compare.tieout import Diff, DiffRow
from verify.exact import Printed, rounded
from verify.render.safe import pair_key
from verify.render.words import MONEY_PLACES, detail_unit, is_number
from verify.result import Key, Value

CELLS = "deployment_model"
"""The dimension whose keys are a deployment and a model in one."""

UNITS = ("USD", "tokens", "")
CENTS = 2
SMALL_MONEY = 10_000
"""From here on, dollars are shown to the cent."""
_LARGE = 1_000
_MOST_PLACES = 12
_MOST_DIGITS = 40
_QUOTIENT = re.compile(r"-?[0-9]{1,2000}/[1-9][0-9]{0,2000}")

_UNTOLD = frozenset({"exact", "rounding"})
_WORDS = {
    "within_tolerance": "within tolerance",
    "only_in_figures": "only in the figures",
    "only_in_records": "only in the records",
    "not_comparable": "not comparable",
}


def verdict_words(verdict: str) -> str:
    """A verdict as a reader is told it."""
    return _WORDS.get(verdict, verdict)


def figures_words(count: int) -> str:
    """So many figures."""
    return f"{count:,} {'figure' if count == 1 else 'figures'}"


@dataclass(frozen=True)
class Group:
    """The rows of one lever and dimension (None: its totals) that are shown, `of` so many."""

    lever: str
    dimension: str | None
    rows: tuple[DiffRow, ...]
    of: int

    @property
    def title(self) -> str:
        """`totals`, or by what they are broken down, not yet made visible."""
        if self.dimension is None:
            return "totals"
        return "by deployment and model" if self.dimension == CELLS else f"by {self.dimension}"

    @property
    def key_title(self) -> str:
        """The title of the column of keys, not yet made visible."""
        return "deployment / model" if self.dimension == CELLS else self.dimension or ""


def groups(diff: Diff) -> dict[str, list[Group]]:
    """What differs, by lever and dimension, totals first. Of a diff whose rows are those of one
    verdict, all of them."""
    found: dict[str, dict[str | None, list[DiffRow]]] = {}
    for row in diff.rows:
        found.setdefault(row.at.lever, {}).setdefault(row.at.dimension, []).append(row)
    told: dict[str, list[Group]] = {}
    for lever, dimensions in found.items():
        for dimension in sorted(dimensions, key=lambda name: name is not None):
            every = dimensions[dimension]
            shown = tuple(
                row for row in every if diff.concluded is not None or row.verdict not in _UNTOLD
            )
            if shown:
                group = Group(lever, dimension, shown, len(every))
                told.setdefault(lever, []).append(group)
    return told


def key_of(at: At) -> Key:
    """The key to show, not yet made visible: that of a cell as `deployment / model`."""
    if at.dimension != CELLS or at.key is None:
        return at.key
    try:
        pair = json.loads(at.key)
    except ValueError:
        return at.key
    if not isinstance(pair, list) or len(pair) != 2:
        return at.key
    if not all(part is None or isinstance(part, str) for part in pair):
        return at.key
    return pair_key(*pair)


def unit_of(measure: str) -> str:
    """The unit that a measure's name says."""
    return detail_unit(measure) or ("tokens" if "tokens" in measure.split("_") else "")


def figure_of(row: DiffRow) -> Value:
    """What the product shows: the exact value of a number, a word as it is."""
    text = row.figure
    if text is None or isinstance(row.recomputed, str | bool):
        return text
    if row.delta is not None and is_number(row.recomputed):
        return row.recomputed + row.delta
    try:
        value = Fraction(text) if _QUOTIENT.fullmatch(text) else Printed.read(text).value
    except ValueError:
        return text
    # Nobody counts so far: a word that only looks like a number is shown as it is.
    return value if abs(value) < 10**_MOST_DIGITS else text


def is_word(row: DiffRow) -> bool:
    """Whether the figure is a name, such as a status, and no amount."""
    return isinstance(figure_of(row), str) or isinstance(row.recomputed, str | bool)


def largest_first(rows: Iterable[DiffRow]) -> list[DiffRow]:
    """Dollars before tokens before counts, and the largest difference first. What one side lacks
    differs by all of it."""

    def place(row: DiffRow) -> tuple[int, Fraction]:
        sides = [
            abs(Fraction(side)) for side in (figure_of(row), row.recomputed) if is_number(side)
        ]
        size = max(sides, default=Fraction(0)) if row.delta is None else abs(row.delta)
        return UNITS.index(unit_of(row.at.measure)), -size

    return sorted(rows, key=place)


@dataclass(frozen=True)
class Digits:
    """To how many decimals the amounts of one unit are shown, and their differences."""

    amounts: int
    differences: int

    @classmethod
    def of(cls, unit: str, amounts: Iterable[Value], differences: Sequence[Fraction]) -> Digits:
        """As few as tell the amounts and keep every difference from reading as zero."""
        known = [Fraction(value) for value in amounts if is_number(value)]
        if unit == "USD":
            large = any(abs(value) >= SMALL_MONEY for value in known)
            places = CENTS if large else MONEY_PLACES
        else:
            numbers = (*known, *differences)
            small = any(n.denominator != 1 and abs(n) < _LARGE for n in numbers)
            places = 2 if small else 0
        needed = max((_telling(value, places) for value in differences), default=places)
        return cls(places, min(needed, _MOST_PLACES))

    def amount(self, value: Value) -> str | None:
        """An amount for people to read; None where there is none."""
        return rounded(value, self.amounts) if is_number(value) else None

    def difference(self, value: Fraction | None) -> str | None:
        """A difference with its sign. One that is not zero never reads as zero."""
        return None if value is None else rounded(value, _telling(value, self.differences))


def _telling(value: Fraction, places: int) -> int:
    """The decimals that show `value`: `places`, or two digits of it where it would read as 0."""
    if value == 0 or round(value * 10**places) != 0:
        return places
    while abs(value) * 10**places < 10:
        places += 1
    return places


def percent(relative: Fraction | None) -> str | None:
    """A share in percent, to two decimals. Only what is zero shows 0.00."""
    if relative is None:
        return None
    text = rounded(relative * 100, 2)
    if relative and text == "0.00":
        text = "<0.01" if relative > 0 else ">-0.01"
    return f"{text} %"


def reason_words(row: DiffRow) -> str:
    """Verdict and reason together, not yet made visible; `differs` goes without saying."""
    if row.verdict == "differs" and row.reason:
        return row.reason
    words = verdict_words(row.verdict)
    return f"{words}: {row.reason}" if row.reason else words
