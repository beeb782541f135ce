"""The search for other choices under which figures that differ no longer do."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

from verify.compare.figures import HEADLINE, At, Claims, Figure
from verify.compare.tieout import DiffRow, ties
from verify.compare.verdicts import Precision
from verify.compare.worlds import Choice, Switches, Worlds
from verify.exact import Printed
from verify.result import Value


class Search:
    """Sets of choices against the figures that a world answers for."""

    def __init__(
        self, worlds: Worlds, claims: Claims, precisions: Mapping[tuple[str, str], Precision]
    ) -> None:
        self._worlds = worlds
        self._claims = claims
        self._precisions = precisions
        self._seen: dict[tuple[tuple[str, str | bool], ...], Mapping[At, Value]] = {}
        self.stated = self.values({})
        self.figures = [
            figure
            for figure in claims.figures
            if figure.at in self.stated and not claims.accepts(figure, True)
        ]
        self.wrong = {
            at
            for at, figure in enumerate(self.figures)
            if not self._ties(figure, self.stated[figure.at])
        }
        self.tried = 0
        self._nearest: dict[At, tuple[Fraction, tuple[Choice, ...]]] = {}

    def values(self, switches: Switches) -> Mapping[At, Value]:
        """The figures under these switches, computed once."""
        name = tuple(sorted(switches.items()))
        if name not in self._seen:
            self._seen[name] = self._worlds.figures(switches)
        return self._seen[name]

    def _ties(self, figure: Figure, value: Value) -> bool:
        return ties(figure, value, self._precisions)

    def best(self, largest: int) -> list[tuple[Choice, ...]]:
        """The smallest sets that make the most differing figures tie and break none they touch."""
        found: list[tuple[Choice, ...]] = []
        most = 0
        for size in range(1, largest + 1):
            if most == len(self.wrong):
                break
            for choices in combinations(self._worlds.choices, size):
                if len({choice.name for choice in choices}) < size:
                    continue
                self.tried += 1
                solved = self._solved(choices)
                if solved > most:
                    found, most = [choices], solved
                elif solved == most and solved and len(found[0]) == size:
                    found.append(choices)
        return found

    def _solved(self, choices: tuple[Choice, ...]) -> int:
        """How many differing figures tie under these choices; 0 when one that tied is broken."""
        values = self._worlds.figures({choice.name: choice.value for choice in choices})
        solved = 0
        moved = []
        for at, figure in enumerate(self.figures):
            value = values.get(figure.at)
            if value == self.stated[figure.at]:
                continue
            if at in self.wrong:
                moved.append((figure, value))
                solved += self._ties(figure, value)
            elif not self._ties(figure, value):
                return 0
        self._note(moved, choices)
        return solved

    def _note(self, moved: list[tuple[Figure, Value]], choices: tuple[Choice, ...]) -> None:
        """Keep the choices that bring a total nearest: of equal ones the first, so the fewest."""
        for figure, value in moved:
            shown = figure.value
            if figure.at.dimension is not None or not isinstance(shown, Fraction):
                continue
            if not isinstance(value, Fraction | int):
                continue
            best = self._nearest.get(figure.at)
            if best is None:
                stated = self.stated[figure.at]
                if isinstance(stated, Fraction | int):
                    best = (abs(shown - stated), ())
            if best is None or abs(shown - value) < best[0]:
                best = (abs(shown - value), choices)
            self._nearest[figure.at] = best

    def nearest(self, at: At) -> tuple[Choice, ...]:
        """The set that breaks nothing and brings a total nearest; empty where none does."""
        return self._nearest[at][1] if at in self._nearest else ()

    def amount(self, at: At, switches: Switches) -> Fraction | None:
        """A figure in dollars or tokens under these switches, the headline included."""
        values = self.values(switches)
        if at.lever == HEADLINE:
            counted = [name for name, status in self._claims.statuses.items() if status == "ok"]
            amounts = [values.get(At(name, "usd")) for name in counted]
            known = [Fraction(a) for a in amounts if isinstance(a, Fraction | int)]
            return sum(known, Fraction(0))
        value = values.get(at)
        return Fraction(value) if isinstance(value, Fraction | int) else None

    def tying(self, row: DiffRow, switches: Switches) -> bool:
        """Whether the figure of a row ties under these switches."""
        figure = next(
            (f for f in self._claims.figures if f.at == row.at and f.pointer == row.pointer), None
        )
        if figure is None:
            return False
        if row.at.lever == HEADLINE:
            amount = self.amount(row.at, switches)
            if amount is None or not isinstance(figure.shown, Printed):
                return False
            shares = sum(status == "ok" for status in self._claims.statuses.values())
            return ties(figure, amount, self._precisions, shares)
        return self._ties(figure, self.values(switches).get(row.at))
