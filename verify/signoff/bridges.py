"""The lead line of each lever, and the bridge from its recomputed figure to the product's.

What is left after the causes is rounding where the figure then ties at the precision it was printed
in, and unexplained otherwise. Neither is ever spread over the causes.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from verify.compare.explain import Explanation, Waterfall, in_words
from verify.compare.tieout import Diff
from verify.render.diff.told import LeverLine, lever_lines
from verify.render.words import is_number
from verify.signoff.policy import Policy
from verify.signoff.result import Bridge, LeadLine


def lead_lines(
    diff: Diff, policy: Policy, told: Explanation | None, bridges: tuple[Bridge, ...]
) -> Iterator[LeadLine]:
    """The headline, then each lever, as the diff tells them."""
    across = {bridge.lever: bridge for bridge in bridges}
    for line in lever_lines(diff):
        recomputed = line.recomputed
        threshold = None
        if is_number(recomputed) and line.delta is not None:
            threshold = policy.threshold(Fraction(recomputed))
        yield LeadLine(
            line.lever,
            line.unit,
            line.status,
            line.figure,
            line.from_read,
            recomputed,
            line.delta,
            threshold,
            line.verdict,
            line.coverage,
            line.rows,
            line.differing,
            _cause(line, across.get(line.lever), told),
        )


def bridges_of(diff: Diff, told: Explanation | None) -> Iterator[Bridge]:
    """A bridge for every figure of a lever, and of the headline, that has two sides."""
    falls = {fall.at.lever: fall for fall in told.waterfalls} if told else {}
    for line in lever_lines(diff):
        if line.delta is None or not is_number(line.recomputed):
            continue
        fall = falls.get(line.lever)
        steps = _steps(fall)
        rest = line.delta - sum((amount for _, amount in steps), Fraction(0))
        rounded = line.verdict in ("exact", "rounding") or _ties(fall, told)
        recomputed = Fraction(line.recomputed)
        yield Bridge(
            line.lever,
            line.unit,
            recomputed,
            steps,
            Fraction(0) if rounded else rest,
            rest if rounded else Fraction(0),
            recomputed + line.delta,
        )


def _steps(fall: Waterfall | None) -> tuple[tuple[str, Fraction], ...]:
    if fall is None:
        return ()
    return tuple((in_words((step.choice,)), step.amount) for step in fall.steps)


def _ties(fall: Waterfall | None, told: Explanation | None) -> bool:
    """Whether the figure ties under the first set of choices; its rest is then rounding."""
    if fall is None or told is None or not fall.steps:
        return False
    first = next((cause for cause in told.causes if cause.at == fall.at), None)
    return first is not None and first.residual == 0


def _cause(line: LeverLine, bridge: Bridge | None, told: Explanation | None) -> str:
    """Why the figure is not the recomputed one, in words."""
    if line.verdict in ("", "not_comparable"):
        return ""
    if line.verdict == "exact":
        return "none: equal"
    if line.verdict == "rounding":
        return "rounding of the printed figure"
    causes = [words for words, _ in bridge.steps] if bridge else []
    if bridge and bridge.unexplained:
        causes.append("unexplained in part" if causes else "unexplained")
    if not causes and line.verdict == "differs":
        causes = ["unexplained"] if told else ["no other choices of the method could be tried"]
    return "; ".join(causes)
