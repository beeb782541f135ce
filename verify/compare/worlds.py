"""Other worlds: the same records under other choices of the method, many at once.

A system that can answer many methods quickly offers `Worlds`; `verify.compare.explain` searches
them. A choice is a switch and a value; `also` names values that the records cannot tell from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from verify.compare.figures import At
from verify.result import Value

Switches = Mapping[str, str | bool]


@dataclass(frozen=True)
class Choice:
    """One switch set otherwise, what that means, and other values that come to the same."""

    name: str
    value: str | bool
    meaning: str
    also: tuple[str, ...] = ()


class Worlds(Protocol):
    """The figures of one export and period under any set of choices."""

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Every single other choice of every switch."""

    def figures(self, switches: Switches) -> Mapping[At, Value]:
        """The totals of every lever, and its rows by deployment, under these switches."""
