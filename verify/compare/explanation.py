"""What an explanation says: causes, waterfalls, what is left, and what the records say besides."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from verify.compare.diagnosis import Diagnosis
from verify.compare.figures import At
from verify.compare.nearest import Nearest
from verify.compare.tieout import Diff, DiffRow
from verify.compare.worlds import Choice
from verify.result import json_value, period_json

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Cause:
    """A set of choices under which a figure ties. `residual` is what is left of its difference:
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
            "explains": in_words(self.choices),
        }


@dataclass(frozen=True)
class Step:
    """What one choice has to do with a difference."""

    choice: Choice
    amount: Fraction


@dataclass(frozen=True)
class Waterfall:
    """From the recomputed figure to the product's: `recomputed` + steps + `unexplained` is
    `figure`, exactly."""

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
    though all totals of their lever agree. `diagnosis` is None where a product offers none."""

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
