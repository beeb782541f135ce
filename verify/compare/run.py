"""The diff as one call: figures in, recomputation over the same period, rows out."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction

from verify.compare.figures import Claims
from verify.compare.tieout import Diff, tie_out
from verify.compare.verdicts import Tolerance
from verify.errors import UsageProblem
from verify.period import month_period
from verify.systems.base import Export, Question, System


def run_diff(
    system: System,
    export: Export,
    claims: Claims,
    question: Question,
    *,
    tolerance: Tolerance,
    least_coverage: Fraction | None,
) -> Diff:
    """Tie `claims` out against the records of `export`.

    The period is the figures' own; a question about another one raises UsageProblem. The levers
    and dimensions are those that the figures show, unless the question names levers.
    """
    asked = _about_the_figures(question, claims)
    wanted = set(question.levers)
    if wanted:
        claims = replace(
            claims,
            figures=tuple(f for f in claims.figures if f.at.lever in wanted),
            complete=tuple(at for at in claims.complete if at[0] in wanted),
        )
    known = [name for name in system.levers if name in claims.levers]
    if not known:
        known = list(system.levers)
    dimensions = {
        name
        for name in claims.dimensions
        if any(name in system.dimensions[lever] for lever in known)
    }
    result = export.recompute(
        replace(
            asked,
            levers=tuple(known),
            by=tuple(sorted(dimensions)),
            baseline_model=question.baseline_model or claims.baseline_model,
        )
    )
    rows, findings = export.details(claims, result)
    if wanted:
        rows = [row for row in rows if row.at.lever in wanted]
    units = {m.name: m.unit for group in system.measures.values() for m in group}
    return tie_out(
        result,
        claims,
        units,
        tolerance=tolerance,
        least_coverage=least_coverage,
        extra=rows,
        findings=findings,
    )


def _about_the_figures(question: Question, claims: Claims) -> Question:
    if claims.since is None or claims.until is None:
        return question
    own: tuple[date, date] = (claims.since, claims.until)
    zone = question.time_zone
    if question.month is not None:
        month = month_period(question.month, "UTC")
        given = (month.since, month.until)
    elif question.since is not None or question.until is not None:
        given = (question.since or own[0], question.until or own[1])
    else:
        given = own
    if given != own:
        raise UsageProblem(
            f"the figures are about {own[0]} to {own[1]}, not {given[0]} to {given[1]}",
            advice="Leave the period out, or name figures of that period.",
        )
    return replace(
        question,
        month=None,
        since=own[0],
        until=own[1],
        time_zone=zone,
        fallback_zone=claims.time_zone,
    )
