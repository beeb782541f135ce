"""What an explanation says: causes, waterfalls, what is left, and what the records say besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from verify.compare.diagnosis import Diagnosis
from verify.compare.figures import At
from verify.compare.nearest import Nearest
from verify.compare.tieout import Diff, DiffRow
from verify.compare.verdicts import DIFFERING
from verify.compare.worlds import Choice
from verify.result import json_value, period_json

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Cause:
    """A set of choices under which a figure ties, or less is left of its difference: `residual`,
    0 when it ties at the precision it was printed in."""

    at: At
    choices: tuple[Choice, ...]
    residual: Fraction

    def as_json(self) -> dict[str, Any]:
        return {
            "lever": self.at.lever,
            "measure": self.at.measure,
            "switches": {choice.name: choice.value for choice in self.choices},
            "residual": json_value(self.residual),
            "explains": self.words,
        }

    @property
    def words(self) -> str:
        """What it is, and that it explains no more than a part where it does not."""
        words = in_words(self.choices)
        return f"{PART}{words}" if self.residual else words


PART = "explains part: "
"""What stands before a cause under which something is left."""


def fitting_alike(causes: Sequence[Cause]) -> tuple[Cause, ...]:
    """Of the causes of one figure those that leave the least; all of them may be the one."""
    least = min((abs(cause.residual) for cause in causes), default=Fraction(0))
    return tuple(cause for cause in causes if abs(cause.residual) == least)


@dataclass(frozen=True)
class Step:
    """What one choice has to do with a difference."""

    choice: Choice
    amount: Fraction


@dataclass(frozen=True)
class Waterfall:
    """From the recomputed figure to the product's: `recomputed` + steps + `unexplained` is
    `figure`, exactly. The steps are those of one set, the first of those that fit it alike; there
    are none where no set brings the figure nearer."""

    at: At
    figure: str
    recomputed: Fraction
    delta: Fraction
    steps: tuple[Step, ...]
    unexplained: Fraction

    def as_json(self) -> dict[str, Any]:
        return {
            "lever": self.at.lever,
            "measure": self.at.measure,
            "figure": self.figure,
            "recomputed": json_value(self.recomputed),
            "delta": json_value(self.delta),
            "steps": [
                {
                    "switches": {step.choice.name: step.choice.value},
                    "amount": json_value(step.amount),
                    "explains": in_words((step.choice,)),
                }
                for step in self.steps
            ],
            "unexplained": json_value(self.unexplained),
        }


@dataclass(frozen=True)
class Explanation:
    """Why a diff differs. `sets` are the indistinguishable best sets of choices, smallest first;
    `tested` counts the figures that each was held against, `agreeing` those that then tie;
    `remaining` are the rows that the first set leaves differing; `nearest` says of each total
    among them which set comes nearest, and where the rest lies; `alone` are rows that differ
    though all totals of their lever agree. `diagnosis` is None where a product offers none.
    `unheld` counts sets that fit the totals as well and were too many to be held against all that
    the capture shows; `others` says of a figure how many causes fit it as the first does."""

    diff: Diff
    sets: tuple[tuple[Choice, ...], ...]
    tried: int
    tested: int
    agreeing: int
    causes: tuple[Cause, ...]
    waterfalls: tuple[Waterfall, ...]
    remaining: tuple[DiffRow, ...]
    nearest: tuple[Nearest, ...] = ()
    alone: tuple[DiffRow, ...] = ()
    diagnosis: Diagnosis | None = None
    unheld: int = 0
    others: Mapping[At, int] = field(default_factory=dict)

    @property
    def fitting(self) -> int:
        """How many sets fit, those that are not listed included."""
        return len(self.sets) + self.unheld

    @property
    def before(self) -> int:
        """How many figures differ by the stated method."""
        return sum(row.verdict in DIFFERING for row in self.diff.rows)

    @property
    def mended(self) -> int:
        """How many of them do not under the first set."""
        left = {(row.at, row.read, row.pointer) for row in self.remaining}
        wrong = (row for row in self.diff.rows if row.verdict in DIFFERING)
        return sum((row.at, row.read, row.pointer) not in left for row in wrong)

    def alike(self, at: At) -> tuple[Cause, ...]:
        """The causes listed that fit a figure best, the waterfall's first; none: unexplained."""
        return fitting_alike([cause for cause in self.causes if cause.at == at])

    def cause_words(self, at: At) -> str:
        """The cause of a figure's difference, and what else would be; empty: unexplained."""
        alike = self.alike(at)
        return alike[0].words + self.or_else(at) if alike else ""

    def or_else(self, at: At) -> str:
        """What could stand in the place of a figure's first cause: the other where it is one that
        is listed, else how many there are."""
        others, alike = self.others.get(at, 0), self.alike(at)
        if not others:
            return ""
        if others == 1:
            return f", or {in_words(alike[1].choices)}" if len(alike) > 1 else ", or another set"
        return f", or one of {others:,} other sets"

    def to_polars(self, *, scale: int | None = None) -> pl.DataFrame:
        """The waterfalls, a row a step, from recomputed to the product's figure. See
        `verify.render.frames`."""
        from verify.render.frames import waterfall_frame

        return waterfall_frame(self, scale)

    def _repr_html_(self) -> str:
        from verify.render.notebook import explanation_html

        return explanation_html(self)

    def as_json(self) -> dict[str, Any]:
        """The document that `explain --format json` prints."""
        result = self.diff.result
        return {
            "verdict": self.diff.verdict,
            "export": self.diff.export.as_json(),
            "period": period_json(result.period),
            **({"fields": dict(result.fields)} if result.fields else {}),
            "sets": [{choice.name: choice.value for choice in chosen} for chosen in self.sets],
            "fitting": self.fitting,
            "unheld": self.unheld,
            "tried": self.tried,
            "tested": self.tested,
            "agreeing": self.agreeing,
            "causes": [cause.as_json() for cause in self.causes],
            "waterfall": [waterfall.as_json() for waterfall in self.waterfalls],
            "remaining": [row.as_json() for row in self.remaining],
            "nearest": [nearest.as_json() for nearest in self.nearest],
            "alone": [row.as_json() for row in self.alone],
            "diagnostics": None if self.diagnosis is None else self.diagnosis.as_json(),
            "findings": [finding.as_json() for finding in self.diff.findings],
        }


def in_words(choices: tuple[Choice, ...]) -> str:
    """The choices as a reader understands them."""
    return "; ".join(
        f"{choice.meaning} ({choice.name} = {_shown(choice.value)}"
        + (f", as in {len(choice.also)} more zones of the same days" if choice.also else "")
        + ")"
        for choice in choices
    )


def _shown(value: str | bool) -> str:
    return value if isinstance(value, str) else str(value).lower()
