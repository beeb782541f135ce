"""The sign-off made: policy first, then the export, the tie-out, causes, months and evidence."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from verify.asking import claims_of
from verify.compare.explain import Explanation, explain
from verify.compare.figures import Claims
from verify.compare.run import about_the_figures, run_diff
from verify.compare.tieout import Diff
from verify.compare.verdicts import DIFFERING
from verify.errors import UsageProblem
from verify.result import Recomputation
from verify.signoff.bridges import bridges_of, lead_lines
from verify.signoff.completeness import completeness
from verify.signoff.evidence import (
    Evidence,
    InputFile,
    export_files,
    figure_files,
    manifest_file,
    query_digests,
    unchanged,
    versions,
)
from verify.signoff.extra import require
from verify.signoff.months import months_of
from verify.signoff.request import Request, parameters
from verify.signoff.result import SignOff, units_of
from verify.systems import system_for
from verify.systems.base import Export, Question, System

EPOCH = "SOURCE_DATE_EPOCH"


def make(
    request: Request, notice: Callable[[str], None], created: datetime | None = None
) -> SignOff:
    """Compute everything that the documents draw. `created` is the time that they state; by default
    it is now.

    Raises IntegrityFailure when an input is not what it should be, UnreadableInput and UsageProblem
    as the tie-out does. `notice` is told the digest of the policy before an export is opened.
    """
    require()
    created = created or now()
    notice(f"policy fixed before the run, SHA-256 {request.policy.sha256}")
    system = system_for(request.export, request.system)
    before = _beside(request)
    claims = claims_of(system, request.figures, request.export)
    with system.open(request.export, request.reading) as export:
        diff = run_diff(
            system,
            export,
            claims,
            request.question,
            tolerance=request.policy.tolerance,
            least_coverage=request.policy.least_coverage,
        )
        told = _explained(system, export, claims, request, diff, notice)
        asked = _asked(request.question, claims, diff)
        days = _by_day(system, export, asked, diff)
        months = months_of(export, asked, days)
        checked = export.check(asked).as_json()
        inputs = (*export_files(request.export, checked, request.figures), *before)
        tests = completeness(diff, days, checked, inputs, request.policy, units_of(system.measures))
    unchanged(before, _beside(request))
    bridges = tuple(bridges_of(diff, told))
    return SignOff(
        created,
        system.title,
        request.policy,
        parameters(request, system.name),
        diff,
        tuple(lead_lines(diff, request.policy, told, bridges)),
        bridges,
        told,
        days,
        months,
        Evidence(inputs, tests, versions(), query_digests(system.name)),
        system.measures,
        {lever.lever: system.explain_lever(lever.lever) for lever in diff.result.levers},
    )


def _beside(request: Request) -> tuple[InputFile, ...]:
    """The inputs beside the export, as they are now."""
    return (*figure_files(request.figures), *manifest_file(request.reading.manifest))


def now() -> datetime:
    """The time of creation, to the second: SOURCE_DATE_EPOCH where that is set."""
    fixed = os.environ.get(EPOCH)
    if fixed is None:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        return datetime.fromtimestamp(int(fixed), UTC)
    except (ValueError, OverflowError, OSError):
        raise UsageProblem(f"{EPOCH} is {fixed!r}, not a count of seconds") from None


def _explained(
    system: System,
    export: Export,
    claims: Claims,
    request: Request,
    diff: Diff,
    notice: Callable[[str], None],
) -> Explanation | None:
    """Why figures differ; None where none does, or the system has no choices to explain by."""
    apart = {*DIFFERING, "within_tolerance"}
    if not any(row.verdict in apart for row in diff.rows):
        return None
    notice("figures differ; looking for causes")
    try:
        return explain(system, export, claims, request.question, largest=request.largest)
    except UsageProblem as problem:
        notice(f"no causes: {problem.message}")
        return None


def _asked(question: Question, claims: Claims, diff: Diff) -> Question:
    return replace(
        about_the_figures(question, claims),
        levers=tuple(lever.lever for lever in diff.result.levers),
        baseline_model=question.baseline_model or claims.baseline_model,
    )


def _by_day(system: System, export: Export, asked: Question, diff: Diff) -> Recomputation:
    """The same levers by day, where any of them has days."""
    has_days = any("day" in system.dimensions[name] for name in asked.levers)
    if not has_days or all("day" in lever.by for lever in diff.result.levers):
        return diff.result
    return export.recompute(replace(asked, by=("day",)))
