"""The lead line of each lever, and the bridge from its recomputed figure to the product's.

What is left after the causes is rounding where the figure then ties at the precision it was printed
in, and unexplained otherwise. Neither is ever spread over the causes.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from verify.compare.explain import Explanation, Waterfall, in_words
from verify.compare.explanation import PART
from verify.compare.figures import At
from verify.compare.tieout import Diff
from verify.render.diff.told import LeverLine, lever_lines
from verify.render.words import is_number
from verify.signoff.policy import Policy
from verify.signoff.result import Bridge, LeadLine
from verify.signoff.words import UNEXPLAINED


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
    falls = {fall.at: fall for fall in told.waterfalls} if told else {}
    for line in lever_lines(diff):
        if line.delta is None or not is_number(line.recomputed):
            continue
        fall = falls.get(figure_at(line.lever, line.unit))
        steps = tuple(_steps(fall, told)) if fall and told else ()
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


def figure_at(lever: str, unit: str) -> At:
    """Where the figure of a lever stands, by its unit."""
    return At(lever, "usd" if unit == "USD" else "amount")


def _steps(fall: Waterfall, told: Explanation) -> Iterator[tuple[str, Fraction]]:
    """The steps in words. Each says where it is not the only one that fits, and where the whole set
    explains no more than a part."""
    alike, others = told.alike(fall.at), told.others.get(fall.at, 0)
    part = PART if alike and alike[0].residual else ""
    for step in fall.steps:
        words = f"{part}{in_words((step.choice,))}"
        if len(fall.steps) == 1 or not others:
            yield f"{words}{told.or_else(fall.at)}", step.amount
        else:
            yield f"{words} (in the first of {others + 1:,} sets that fit alike)", step.amount


def _ties(fall: Waterfall | None, told: Explanation | None) -> bool:
    """Whether the figure ties under the choices of its steps; its rest is then rounding."""
    if fall is None or told is None or not fall.steps:
        return False
    return any(cause.residual == 0 for cause in told.alike(fall.at))


def _cause(line: LeverLine, bridge: Bridge | None, told: Explanation | None) -> str:
    """Why the figure is not the recomputed one, in words."""
    if line.verdict in ("", "not_comparable"):
        return ""
    if line.verdict == "exact":
        return "none: equal"
    if line.verdict == "rounding":
        return "rounding of the printed figure"
    if told is None:
        return "unexplained; no other choices of the method could be tried"
    words = told.cause_words(figure_at(line.lever, line.unit))
    if not words:
        return UNEXPLAINED
    return f"{words}; the rest is unexplained" if bridge and bridge.unexplained else words
