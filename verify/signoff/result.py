"""The sign-off as one object. Every document draws it; none computes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from verify.compare.explain import Explanation
from verify.compare.tieout import Diff
from verify.compare.verdicts import DIFFERING
from verify.exact import plain
from verify.period import utc_text
from verify.result import Coverage, Measure, Recomputation, Value, json_value
from verify.signoff.evidence import Evidence
from verify.signoff.months import Months
from verify.signoff.policy import Policy

FORMAT = "verify-signoff/1"
EXIT = {"agrees": 0, "differs": 1, "inconclusive": 4}


@dataclass(frozen=True)
class LeadLine:
    """One lever, or the headline: the product's figure beside its recomputations.

    `verdict` is that of the figure, empty where the product shows none; `threshold` is what the
    policy allows; `compared` counts the lever's figures, `differing` those of them that differ.
    """

    lever: str
    unit: str
    status: str | None
    figure: Value
    from_read: Fraction | None
    recomputed: Value
    delta: Fraction | None
    threshold: Fraction | None
    verdict: str
    coverage: Coverage | None
    compared: int
    differing: int
    cause: str

    def as_json(self) -> dict[str, Any]:
        coverage = self.coverage
        return {
            "lever": self.lever,
            "unit": self.unit,
            "status": self.status,
            "figure": _text(self.figure),
            "from_read": _text(self.from_read),
            "recomputed": _text(self.recomputed),
            "difference": _text(self.delta),
            "threshold": _text(self.threshold),
            "verdict": self.verdict,
            "coverage": None
            if coverage is None
            else {"measured": coverage.measured, "total": coverage.total},
            "compared": self.compared,
            "differing": self.differing,
            "cause": self.cause,
        }


@dataclass(frozen=True)
class Bridge:
    """From the recomputed figure to the product's: `recomputed` + steps + `unexplained` +
    `rounding` is `figure`, exactly. `steps` are words and an amount."""

    lever: str
    unit: str
    recomputed: Fraction
    steps: tuple[tuple[str, Fraction], ...]
    unexplained: Fraction
    rounding: Fraction
    figure: Fraction

    def as_json(self) -> dict[str, Any]:
        return {
            "lever": self.lever,
            "unit": self.unit,
            "recomputed": plain(self.recomputed),
            "steps": [{"explains": words, "amount": plain(a)} for words, a in self.steps],
            "unexplained": plain(self.unexplained),
            "rounding": plain(self.rounding),
            "figure": plain(self.figure),
        }


@dataclass(frozen=True)
class SignOff:
    """A product's figures for one period, tied out, with all that a controller signs for.

    `days` is the recomputation by day, where a lever has days; `queries` are the working papers by
    lever; `explanation` is there where something differed and other choices could be tried.
    """

    created: datetime
    title: str
    policy: Policy
    parameters: Mapping[str, Any]
    diff: Diff
    lead: tuple[LeadLine, ...]
    bridges: tuple[Bridge, ...]
    explanation: Explanation | None
    days: Recomputation
    months: Months | None
    evidence: Evidence
    measures: Mapping[str, tuple[Measure, ...]]
    queries: Mapping[str, str]

    @property
    def verdict(self) -> str:
        """That of the diff."""
        return self.diff.verdict

    @property
    def exit_code(self) -> int:
        """0 agrees, 1 differs, 4 inconclusive."""
        return EXIT[self.verdict]

    @property
    def differing(self) -> int:
        """How many figures differ."""
        return sum(row.verdict in DIFFERING for row in self.diff.rows)

    def as_json(self) -> dict[str, Any]:
        """The document `signoff.json`: the diff's, and what a sign-off adds to it."""
        from verify.signoff.words import conclusion, detail

        told = self.explanation
        document = self.diff.as_json()
        document["verdict"] = self.verdict
        document["causes"] = [cause.as_json() for cause in told.causes] if told else []
        return {
            "format": FORMAT,
            "created": utc_text(self.created),
            "product": self.title,
            "conclusion": conclusion(self),
            "conclusion_detail": detail(self),
            **document,
            "policy": {**self.policy.as_json(), "sha256": self.policy.sha256},
            "parameters": dict(self.parameters),
            "lead": [line.as_json() for line in self.lead],
            "bridges": [bridge.as_json() for bridge in self.bridges],
            "months": None if self.months is None else self.months.as_json(),
            "recomputation": self.diff.result.as_json()["levers"],
            "evidence": self.evidence.as_json(),
        }


def units_of(measures: Mapping[str, tuple[Measure, ...]]) -> dict[str, str]:
    """The unit of each measure by its name."""
    return {measure.name: measure.unit for group in measures.values() for measure in group}


def _text(value: Value) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return str(json_value(value))
