"""What no set of choices explains: the set that comes nearest, and where the rest lies.

A hint and no explanation: of many sets one is always the nearest. The rest is located in the rows
of the product's breakdowns that differ under that set, down to single decisions where a read lists
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verify.compare.figures import HEADLINE, At
from verify.compare.tieout import Diff, DiffRow
from verify.compare.verdicts import DIFFERING
from verify.compare.worlds import Choice
from verify.result import json_value

MOST_LOCATED = 3
"""Sets whose rows are worked out; each takes a tie-out."""


@dataclass(frozen=True)
class Nearest:
    """The set that brings a figure nearest, no choices where none brings it nearer; `residual` is
    the figure less what it then is, `rows` the breakdown rows of its lever that differ then, the
    greatest differences first."""

    at: At
    choices: tuple[Choice, ...]
    delta: Fraction
    residual: Fraction
    rows: tuple[DiffRow, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "lever": self.at.lever,
            "measure": self.at.measure,
            "switches": {choice.name: choice.value for choice in self.choices},
            "delta": json_value(self.delta),
            "residual": json_value(self.residual),
            "rows": [row.as_json() for row in self.rows],
        }


def located(diff: Diff, lever: str) -> tuple[DiffRow, ...]:
    """The breakdown rows of a lever that differ, the greatest differences first."""
    rows = [
        row
        for row in diff.rows
        if row.verdict in DIFFERING and row.at.lever == lever and row.at.dimension is not None
    ]
    return tuple(sorted(rows, key=lambda row: -abs(row.delta or Fraction(0))))


def stand_alone(diff: Diff) -> Iterator[DiffRow]:
    """Rows that differ though all totals of their lever agree: no other method does that to one
    row, so they lie in the product's breakdown itself."""
    differing = [row for row in diff.rows if row.verdict in DIFFERING]
    wrong = {row.at.lever for row in differing if row.at.dimension is None}
    for row in differing:
        if row.at.dimension is not None and row.at.lever not in wrong:
            yield row


def unexplained_totals(rows: Iterable[DiffRow]) -> list[DiffRow]:
    """One row for each total in amount that is left, but for the headline, which only adds."""
    found: dict[At, DiffRow] = {}
    for row in rows:
        total = row.at.dimension is None and row.at.lever != HEADLINE
        if total and row.verdict in DIFFERING and row.delta is not None:
            found.setdefault(row.at, row)
    return list(found.values())
