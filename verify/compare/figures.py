"""What a product claims: its figures, each with the place it was read from.

A figure is known by lever, dimension, key and measure; a recomputation is asked for the same
coordinates. `NULL_KEY` tells the null key of a breakdown from a total, which has no key at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any

from verify.exact import Printed
from verify.findings import Finding
from verify.result import Key

HEADLINE = "headline"


@dataclass(frozen=True)
class At:
    """Where a figure stands: `dimension` None is a total, and then `key` is None too."""

    lever: str
    measure: str
    dimension: str | None = None
    key: Key = None


@dataclass(frozen=True)
class Figure:
    """One figure as the product printed it: a number, a word such as a status, or None (null).

    `read` and `pointer` say in which document it stands and where. `half_unit` is half a unit of
    the last digit of a figure that was rounded by itself (`13.9K`: 50), whatever its measure shows
    elsewhere; None: the measure's precision is its own.
    """

    at: At
    shown: Printed | str | None
    read: str
    pointer: str
    half_unit: Fraction | None = None

    @property
    def value(self) -> Fraction | str | None:
        """The exact value of what was printed."""
        return self.shown.value if isinstance(self.shown, Printed) else self.shown

    @property
    def text(self) -> str | None:
        """The text of what was printed."""
        return self.shown.text if isinstance(self.shown, Printed) else self.shown


@dataclass(frozen=True)
class Derived:
    """A figure recomputed from the reads' own inputs (depth 2). `shares` counts the rounded
    figures that it is the sum of: each may be half a unit off."""

    value: Fraction
    shares: int = 0


@dataclass(frozen=True)
class Claims:
    """All that a capture holds.

    `from_reads` is depth 2, where the reads carry the inputs. `accepted` are
    figures that cannot be derived and are taken as they are, with the reason. `complete` names
    the breakdowns (lever, dimension) that the capture shows whole. `source` are the documents as
    read, for what only the system can tie out. `asked` are the fields of a question, and its
    options, that figures without a period of days answer: `since` (None: no cut), `now`.
    """

    figures: tuple[Figure, ...]
    from_reads: Mapping[At, Derived]
    since: date | None
    until: date | None
    time_zone: str | None
    baseline_model: str | None = None
    accepted: Mapping[At, str] = field(default_factory=dict)
    statuses: Mapping[str, str] = field(default_factory=dict)
    complete: Sequence[tuple[str, str]] = ()
    findings: tuple[Finding, ...] = ()
    source: Mapping[str, Any] = field(default_factory=dict)
    asked: Mapping[str, Any] = field(default_factory=dict)

    @property
    def levers(self) -> tuple[str, ...]:
        """The levers that any figure or whole breakdown is about, in order of appearance."""
        found = (f.at.lever for f in self.figures if f.at.lever != HEADLINE)
        return tuple(dict.fromkeys((*found, *(lever for lever, _ in self.complete))))

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions that anything is broken down by, be it into no row at all."""
        found = (f.at.dimension for f in self.figures if f.at.dimension is not None)
        return tuple(dict.fromkeys((*found, *(dimension for _, dimension in self.complete))))

    def accepts(self, figure: Figure, answered: bool) -> bool:
        """Whether a figure is taken as it is. `answered`: the records have such a row. Then only
        that a lever is inside another is the product's to say, not the amount that it shows."""
        if figure.at not in self.accepted or not answered:
            return figure.at in self.accepted
        total = figure.at.dimension is None
        return total and (figure.at.measure == "status" or figure.value is None)

    @property
    def shows_headline(self) -> bool:
        """Whether the headline is among them, which shows every lever."""
        return any(f.at.lever == HEADLINE for f in self.figures)
