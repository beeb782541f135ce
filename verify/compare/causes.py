"""What a set of choices has to do with one figure: whether it is a cause of its difference, and how
the difference is shared among its choices.

A set that explains many figures need not explain each. It is a cause of a figure's difference where
the figure then ties, and of a part of it where what is left is less than it was. A figure that it
takes farther off is not explained by it, whatever else is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations

from verify.compare.explanation import Cause, Step, Waterfall
from verify.compare.figures import HEADLINE, At
from verify.compare.search import Search
from verify.compare.tieout import Diff, DiffRow
from verify.compare.verdicts import DIFFERING
from verify.compare.worlds import Choice, Switches
from verify.result import Value

Choices = tuple[Choice, ...]

_SAVED = ("usd", "amount")
"""The measures that are a lever's figure: dollars, or what it saves instead."""


def causes_of(diff: Diff, sets: Sequence[Choices], search: Search) -> Iterator[Cause]:
    """The causes of each total that differs, be it a word, in the order of the sets. What sets have
    in common is named once."""
    for row in _total_rows(diff):
        found = (_cause(row, choices, search) for choices in sets)
        yield from dict.fromkeys(cause for cause in found if cause is not None)


def others_of(listed: Iterable[Cause], every: Iterable[Cause]) -> dict[At, int]:
    """By figure: how many of all causes fit it as the first one listed does, without that one."""
    least: dict[At, Fraction] = {}
    for cause in listed:
        left = abs(cause.residual)
        least[cause.at] = min(left, least.get(cause.at, left))
    as_well = [c for c in every if c.at in least and abs(c.residual) <= least[c.at]]
    return {at: count - 1 for at, count in Counter(c.at for c in as_well).items() if count > 1}


def waterfalls_of(diff: Diff, sets: Sequence[Choices], search: Search) -> Iterator[Waterfall]:
    """From each lever's recomputed figure to the product's, by the first set that fits it best."""
    for row in _total_rows(diff):
        if row.at.measure not in _SAVED or row.figure is None or row.delta is None:
            continue  # there are no two sides
        recomputed = Fraction(row.figure) - row.delta
        steps = tuple(_shares(row.at, _first(row, sets, search), search))
        unexplained = row.delta - sum((step.amount for step in steps), Fraction(0))
        yield Waterfall(row.at, row.figure, recomputed, row.delta, steps, unexplained)


def _total_rows(diff: Diff) -> Iterator[DiffRow]:
    """The rows of totals that differ, once for each figure."""
    seen = set()
    for row in diff.rows:
        if row.at.dimension is None and row.verdict in DIFFERING:
            if row.at not in seen:
                yield row
            seen.add(row.at)


def _cause(row: DiffRow, choices: Choices, search: Search) -> Cause | None:
    """The set as a cause of a row's difference; None where the figure does not come nearer."""
    switches = {choice.name: choice.value for choice in choices}
    value = _value(search, row.at, switches)
    if value == _value(search, row.at, {}):
        return None
    moving = tuple(choice for choice in choices if _moves(search, row.at, choices, choice))
    # Where each choice does alone what all do, none is needed: then none is left out.
    moving = moving or choices
    if search.tying(row, switches):
        return Cause(row.at, moving, Fraction(0))
    if row.figure is None or row.delta is None or not isinstance(value, Fraction | int):
        return None
    residual = Fraction(row.figure) - value
    return Cause(row.at, moving, residual) if abs(residual) < abs(row.delta) else None


def _value(search: Search, at: At, switches: Switches) -> Value:
    """An amount or a word under these switches."""
    return search.amount(at, switches) if at.lever == HEADLINE else search.values(switches).get(at)


def _moves(search: Search, at: At, choices: Choices, choice: Choice) -> bool:
    """Whether the figure is another one without the choice."""
    switches = {other.name: other.value for other in choices}
    without = {name: value for name, value in switches.items() if name != choice.name}
    return _value(search, at, switches) != _value(search, at, without)


def _first(row: DiffRow, sets: Sequence[Choices], search: Search) -> Choices:
    """The first of the sets that fit a figure best; no choices where none has to do with it."""
    found = [(cause, choices) for choices in sets if (cause := _cause(row, choices, search))]
    best = min(found, key=lambda pair: abs(pair[0].residual), default=None)
    return best[1] if best else ()


def _shares(at: At, choices: Choices, search: Search) -> Iterator[Step]:
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
