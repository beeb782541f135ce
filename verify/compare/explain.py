"""Why figures differ: the smallest sets of other choices under which they no longer do.

Every single other choice of every switch is tried, then every pair, then, if asked, triples. A set
explains when it makes differing figures tie and breaks none that it touches. Survivors are held
against everything the capture shows, breakdown rows and decisions included; those that agree with
most are named, together where nothing in the records tells them apart. What no set explains stays
unexplained, and is located in the rows in which it lies.

The difference of a figure is shared among the choices of a set by their Shapley values: the mean,
over all orders in which they could be made, of what each changes. Steps and unexplained rest add up
to the difference exactly. A set is shared among no figure that it does not bring nearer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from verify.compare.causes import causes_of, others_of, waterfalls_of
from verify.compare.explanation import Cause, Explanation, Step, Waterfall, in_words
from verify.compare.figures import Claims
from verify.compare.nearest import MOST_LOCATED, Nearest, located, stand_alone, unexplained_totals
from verify.compare.run import about_the_figures, run_diff
from verify.compare.search import Search
from verify.compare.tieout import Diff, DiffRow, precisions_of
from verify.compare.verdicts import AGREEING, DIFFERING, Tolerance
from verify.compare.worlds import Choice
from verify.systems.base import Diagnosing, Export, Question, System

__all__ = ["Cause", "Explanation", "Step", "Waterfall", "explain", "in_words"]

SURVIVORS = 60
"""Sets that are held against all that the capture shows; each takes a tie-out."""


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

    first = chosen[0] if chosen else ()
    unheld = best[SURVIVORS:]
    causes = tuple(causes_of(diff, chosen, search))
    return Explanation(
        diff,
        tuple(chosen),
        search.tried,
        tested,
        agreeing,
        causes,
        tuple(waterfalls_of(diff, chosen, search)),
        remaining,
        tuple(_nearest(diff, last, first, search, again)),
        tuple(stand_alone(last)),
        diagnosis,
        len(unheld),
        others_of(causes, causes_of(diff, [*chosen, *unheld], search)),
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


def _nearest(
    diff: Diff,
    last: Diff,
    first: tuple[Choice, ...],
    search: Search,
    again: Callable[[tuple[Choice, ...]], Diff],
) -> Iterator[Nearest]:
    """Of each total that `first`, the set that explains the rest, leaves unexplained: which set
    comes nearest, be it none, that one or another, and where the rest lies under it."""
    known: dict[tuple[Choice, ...], Diff] = {(): diff, first: last}
    most = len(known) + MOST_LOCATED
    for row in unexplained_totals(last.rows):
        before = _same(diff, row)
        if before is None or before.delta is None or before.verdict not in DIFFERING:
            continue
        other = search.nearest(row.at)
        if other not in known and len(known) == most:
            continue
        if other not in known:
            known[other] = again(other)
        tried = [(choices, _same(known[choices], row)) for choices in ((), first, other)]
        then = [(choices, at.delta) for choices, at in tried if at and at.delta is not None]
        # Of sets that come equally near the smallest: the empty one, where no other comes nearer.
        choices, residual = min(then, key=lambda pair: (abs(pair[1]), len(pair[0])))
        rows = located(known[choices], row.at.lever)
        yield Nearest(row.at, choices, before.delta, residual, rows)


def _same(diff: Diff, row: DiffRow) -> DiffRow | None:
    """The row of another tie-out that is about the same figure."""
    of = (row.at, row.read, row.pointer)
    return next((own for own in diff.rows if (own.at, own.read, own.pointer) == of), None)


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
