"""Why figures differ: the smallest sets of other choices under which they no longer do.

Every single other choice of every switch is tried, then every pair, then, if asked, triples. A set
explains when it makes differing figures tie and breaks none that it touches. Survivors are held
against everything the capture shows, breakdown rows and decisions included; those that agree with
most are named, together where nothing in the records tells them apart. What no set explains stays
unexplained, and is located in the rows in which it lies.

The difference of a figure is shared among the choices of a set by their Shapley values: the mean,
over all orders in which they could be made, of what each changes. Steps and unexplained rest add up
to the difference exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

from verify.compare.figures import HEADLINE, At, Claims, Figure
from verify.compare.run import about_the_figures, run_diff
from verify.compare.tieout import Diff, DiffRow, precisions_of, ties
from verify.compare.verdicts import AGREEING, DIFFERING, Precision, Tolerance
from verify.compare.worlds import Choice, Switches, Worlds
from verify.exact import Printed
from verify.result import Value, json_value, period_json
from verify.systems.base import Export, Question, System

SURVIVORS = 12


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
    `remaining` are the rows that the first set leaves differing."""

    diff: Diff
    sets: tuple[tuple[Choice, ...], ...]
    tried: int
    tested: int
    agreeing: int
    causes: tuple[Cause, ...]
    waterfalls: tuple[Waterfall, ...]
    remaining: tuple[DiffRow, ...]

    def as_json(self) -> dict[str, Any]:
        """The document that `explain --format json` prints."""
        result = self.diff.result
        return {
            "verdict": self.diff.verdict,
            "export": self.diff.export.as_json(),
            "period": period_json(result.period),
            "sets": [{choice.name: choice.value for choice in chosen} for chosen in self.sets],
            "tried": self.tried,
            "tested": self.tested,
            "agreeing": self.agreeing,
            "causes": [cause.as_json() for cause in self.causes],
            "waterfall": [waterfall.as_json() for waterfall in self.waterfalls],
            "remaining": [row.as_json() for row in self.remaining],
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


def explain(
    system: System,
    export: Export,
    claims: Claims,
    question: Question,
    *,
    largest: int = 2,
) -> Explanation:
    """Tie `claims` out, and find why they differ, in sets of up to `largest` choices.

    Raises UsageProblem as `run_diff` does, or when the system offers no other choices.
    """
    none = Tolerance()
    diff = run_diff(system, export, claims, question, tolerance=none, least_coverage=None)
    if not any(row.verdict in DIFFERING for row in diff.rows):
        return Explanation(diff, (), 0, len(diff.rows), len(diff.rows), (), (), ())
    asked = replace(about_the_figures(question, claims), baseline_model=claims.baseline_model)
    worlds = export.worlds(asked, largest)
    units = {m.name: m.unit for group in system.measures.values() for m in group}
    search = _Search(worlds, claims, precisions_of(claims.figures, units))
    best = search.best(largest)
    confirmed = _confirmed(system, export, claims, question, diff, best)
    chosen = [choices for choices, _ in confirmed]
    last = confirmed[0][1] if confirmed else diff
    tested = sum(row.verdict != "not_comparable" for row in last.rows)
    agreeing = sum(row.verdict in AGREEING for row in last.rows)
    return Explanation(
        diff,
        tuple(chosen),
        search.tried,
        tested,
        agreeing,
        tuple(_causes(diff, chosen, search)),
        tuple(_waterfalls(diff, chosen, search)),
        tuple(row for row in last.rows if row.verdict in DIFFERING),
    )


class _Search:
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
            if figure.at in self.stated and figure.at not in claims.accepted
        ]
        self.wrong = {
            at
            for at, figure in enumerate(self.figures)
            if not self._ties(figure, self.stated[figure.at])
        }
        self.tried = 0

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
        for at, figure in enumerate(self.figures):
            value = values.get(figure.at)
            if value == self.stated[figure.at]:
                continue
            if self._ties(figure, value):
                solved += at in self.wrong
            elif at not in self.wrong:
                return 0
        return solved

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


def _confirmed(
    system: System,
    export: Export,
    claims: Claims,
    question: Question,
    diff: Diff,
    best: list[tuple[Choice, ...]],
) -> list[tuple[tuple[Choice, ...], Diff]]:
    """Of the best sets those that agree with most of all that the capture shows, each with its
    tie-out. A set that leaves as many rows differing as none does is no explanation."""
    outcomes = []
    for choices in best[:SURVIVORS]:
        switches = {choice.name: choice.value for choice in choices}
        again = run_diff(
            system,
            export,
            claims,
            replace(question, switches={**question.switches, **switches}),
            tolerance=Tolerance(),
            least_coverage=None,
        )
        outcomes.append((choices, again, _differing(again)))
    fewest = min((count for _, _, count in outcomes), default=0)
    if fewest >= _differing(diff):
        return []
    return [(choices, again) for choices, again, count in outcomes if count == fewest]


def _differing(diff: Diff) -> int:
    return sum(row.verdict in DIFFERING for row in diff.rows)


def _total_rows(diff: Diff) -> Iterator[DiffRow]:
    """The rows of totals that differ in amount, once for each figure."""
    seen = set()
    for row in diff.rows:
        if row.at.dimension is None and row.verdict in DIFFERING and row.delta is not None:
            if row.at not in seen:
                yield row
            seen.add(row.at)


def _causes(diff: Diff, chosen: list[tuple[Choice, ...]], search: _Search) -> Iterator[Cause]:
    for row in _total_rows(diff):
        for choices in chosen:
            switches = {choice.name: choice.value for choice in choices}
            moving = tuple(c for c in choices if _moves(search, row.at, switches, c))
            value = search.amount(row.at, switches)
            if not moving or value is None or row.figure is None:
                continue
            tied = search.tying(row, switches)
            residual = Fraction(0) if tied else Fraction(row.figure) - value
            yield Cause(row.at, moving, residual)


def _moves(search: _Search, at: At, switches: Switches, choice: Choice) -> bool:
    """Whether the figure is another one without the choice."""
    without = {name: value for name, value in switches.items() if name != choice.name}
    return search.amount(at, switches) != search.amount(at, without)


def _waterfalls(
    diff: Diff, chosen: list[tuple[Choice, ...]], search: _Search
) -> Iterator[Waterfall]:
    choices = chosen[0] if chosen else ()
    for row in _total_rows(diff):
        if row.at.measure != "usd" or row.figure is None or row.delta is None:
            continue
        recomputed = Fraction(row.figure) - row.delta
        steps = tuple(_shapley(search, row.at, choices))
        unexplained = row.delta - sum((step.amount for step in steps), Fraction(0))
        yield Waterfall(row.at, row.figure, recomputed, row.delta, steps, unexplained)


def _shapley(search: _Search, at: At, choices: tuple[Choice, ...]) -> Iterator[Step]:
    """Each choice's mean change of the figure over all orders, where it changes it at all."""
    shares = dict.fromkeys(choices, Fraction(0))
    orders = list(permutations(choices))
    for order in orders:
        made: dict[str, str | bool] = {}
        before = search.amount(at, made)
        for choice in order:
            made[choice.name] = choice.value
            after = search.amount(at, made)
            if before is not None and after is not None:
                shares[choice] += (after - before) / len(orders)
            before = after
    for choice, amount in shares.items():
        if amount:
            yield Step(choice, amount)
