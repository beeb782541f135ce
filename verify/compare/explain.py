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

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

from verify.compare.explanation import Cause, Explanation, Step, Waterfall, in_words
from verify.compare.figures import At, Claims
from verify.compare.nearest import MOST_LOCATED, Nearest, located, stand_alone, unexplained_totals
from verify.compare.run import about_the_figures, run_diff
from verify.compare.search import Search
from verify.compare.tieout import Diff, DiffRow, precisions_of
from verify.compare.verdicts import AGREEING, DIFFERING, Tolerance
from verify.compare.worlds import Choice, Switches
from verify.systems.base import Diagnosing, Export, Question, System

__all__ = ["Cause", "Explanation", "Step", "Waterfall", "explain", "in_words"]

SURVIVORS = 60


def explain(
    system: System,
    export: Export,
    claims: Claims,
    question: Question,
    *,
    largest: int = 2,
    diagnosed: bool = False,
) -> Explanation:
    """Tie `claims` out, and find why they differ, in sets of up to `largest` choices. `diagnosed`:
    say also what the records show besides, where the product offers that.

    Raises UsageProblem as `run_diff` does, or when the system offers no other choices.
    """
    diff = _diff(system, export, claims, question, ())
    about = about_the_figures(question, claims)
    asked = replace(about, baseline_model=question.baseline_model or claims.baseline_model)
    diagnosis = None
    if diagnosed and isinstance(export, Diagnosing):
        diagnosis = export.diagnose(asked, claims)
    if not _differing(diff):
        seen = len(diff.rows)
        return Explanation(diff, (), 0, seen, seen, (), (), (), diagnosis=diagnosis)
    worlds = export.worlds(asked, largest)
    units = {m.name: m.unit for group in system.measures.values() for m in group}
    search = Search(worlds, claims, precisions_of(claims.figures, units))
    best = search.best(largest)
    confirmed = _confirmed(system, export, claims, question, diff, best)
    chosen = [choices for choices, _ in confirmed]
    last = confirmed[0][1] if confirmed else diff
    tested = sum(row.verdict != "not_comparable" for row in last.rows)
    agreeing = sum(row.verdict in AGREEING for row in last.rows)
    remaining = tuple(row for row in last.rows if row.verdict in DIFFERING)

    def again(choices: tuple[Choice, ...]) -> Diff:
        return _diff(system, export, claims, question, choices)

    if chosen:
        nearest = _left(diff, last, chosen[0])
    else:
        nearest = _nearest(diff, search, again)
    return Explanation(
        diff,
        tuple(chosen),
        search.tried,
        tested,
        agreeing,
        tuple(_causes(diff, chosen, search)),
        tuple(_waterfalls(diff, chosen, search)),
        remaining,
        tuple(nearest),
        tuple(stand_alone(last)),
        diagnosis,
    )


def _diff(
    system: System,
    export: Export,
    claims: Claims,
    question: Question,
    choices: tuple[Choice, ...],
) -> Diff:
    """The tie-out under these choices, without any tolerance."""
    switches = {choice.name: choice.value for choice in choices}
    return run_diff(
        system,
        export,
        claims,
        replace(question, switches={**question.switches, **switches}),
        tolerance=Tolerance(),
        least_coverage=None,
    )


def _left(diff: Diff, last: Diff, choices: tuple[Choice, ...]) -> Iterator[Nearest]:
    """Where that lies which a set of choices that explains the rest does not explain."""
    deltas = {row.at: row.delta for row in diff.rows}
    for row in unexplained_totals(last.rows):
        assert row.delta is not None
        delta = deltas.get(row.at)
        before = row.delta if delta is None else delta
        yield Nearest(row.at, choices, before, row.delta, located(last, row.at.lever))


def _nearest(
    diff: Diff, search: Search, again: Callable[[tuple[Choice, ...]], Diff]
) -> Iterator[Nearest]:
    """The nearest set of each total that differs, and where the rest lies under it."""
    known: dict[tuple[Choice, ...], Diff] = {(): diff}
    for row in unexplained_totals(diff.rows):
        choices = search.nearest(row.at)
        if choices not in known and len(known) > MOST_LOCATED:
            continue
        if choices not in known:
            known[choices] = again(choices)
        under = known[choices]
        then = next((other for other in under.rows if other.at == row.at), None)
        if then is not None and then.delta is not None and row.delta is not None:
            yield Nearest(row.at, choices, row.delta, then.delta, located(under, row.at.lever))


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
        again = _diff(system, export, claims, question, choices)
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


def _causes(diff: Diff, chosen: list[tuple[Choice, ...]], search: Search) -> Iterator[Cause]:
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


def _moves(search: Search, at: At, switches: Switches, choice: Choice) -> bool:
    """Whether the figure is another one without the choice."""
    without = {name: value for name, value in switches.items() if name != choice.name}
    return search.amount(at, switches) != search.amount(at, without)


def _waterfalls(
    diff: Diff, chosen: list[tuple[Choice, ...]], search: Search
) -> Iterator[Waterfall]:
    choices = chosen[0] if chosen else ()
    for row in _total_rows(diff):
        if row.at.measure != "usd" or row.figure is None or row.delta is None:
            continue
        recomputed = Fraction(row.figure) - row.delta
        steps = tuple(_shapley(search, row.at, choices))
        unexplained = row.delta - sum((step.amount for step in steps), Fraction(0))
        yield Waterfall(row.at, row.figure, recomputed, row.delta, steps, unexplained)


def _shapley(search: Search, at: At, choices: tuple[Choice, ...]) -> Iterator[Step]:
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
