"""The diff as one call: figures in, recomputation over the same period, rows out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from fractions import Fraction
from typing import Any

from verify.asking import recomputed
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
    asked = about_the_figures(question, claims)
    wanted = set(question.levers)
    _known(system, claims, question.levers)
    if wanted:
        claims = replace(
            claims,
            figures=tuple(f for f in claims.figures if f.at.lever in wanted),
            complete=tuple(at for at in claims.complete if at[0] in wanted),
        )
    known = [name for name in system.levers if name in claims.levers]
    if claims.shows_headline or not known:
        known = list(system.levers)
    dimensions = {
        name
        for name in claims.dimensions
        if any(name in system.dimensions[lever] for lever in known)
    }
    result = recomputed(
        export,
        replace(
            asked,
            levers=tuple(known),
            by=tuple(sorted(dimensions)),
            baseline_model=question.baseline_model or claims.baseline_model,
        ),
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


def _known(system: System, claims: Claims, asked: Sequence[str]) -> None:
    """Raises UsageProblem for a lever that neither the system nor the figures know: left out, it
    would be said to agree."""
    names = list(dict.fromkeys((*system.levers, *claims.levers)))
    for name in asked:
        if name not in names:
            raise UsageProblem(
                f"neither {system.title} nor the figures have a lever {name!r}",
                advice=f"There are {', '.join(names)}.",
            )


def about_the_figures(question: Question, claims: Claims) -> Question:
    """The question, about the period of the figures. Raises UsageProblem when it names another."""
    if claims.since is None or claims.until is None:
        return _answering(replace(question, fallback_zone=claims.time_zone), claims.asked)
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


def _answering(question: Question, asked: Mapping[str, Any]) -> Question:
    """The question that figures without a period of days answer. Their cut and options are theirs
    and may be repeated; the time of asking is theirs where none is given."""
    own = {name: value for name, value in asked.items() if name != "now" or question.now is None}
    options = dict(own.pop("options", {}))
    for name, value in own.items():
        _same(f"--{name}", getattr(question, name), value)
    for name, value in question.options.items():
        _same(name, value, options.get(name, value))
    return replace(question, **own, options={**question.options, **options})


def _same(name: str, given: Any, own: Any) -> None:
    if isinstance(given, date) and not isinstance(given, datetime):
        given = datetime.combine(given, time(), UTC)
    if given is not None and given != own:
        raise UsageProblem(
            f"the figures were made with {name} {own}, not {given}",
            advice="Leave it out, or name figures that were made so.",
        )
