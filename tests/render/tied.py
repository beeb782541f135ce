"""Tie-outs built by hand: the product's figures are the recomputed ones but for what is changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from verify.compare.figures import HEADLINE, At, Claims, Derived, Figure
from verify.compare.tieout import Diff, DiffRow, tie_out
from verify.compare.verdicts import Tolerance
from verify.exact import Printed, plain, rounded, total
from verify.findings import Finding
from verify.result import LeverResult, Recomputation, Value

from .built import MEASURES, caching, infrastructure, recomputation, retrieval

Changes = Mapping[At, str | None]
UNITS = {measure.name: measure.unit for group in MEASURES.values() for measure in group}


def sound() -> Recomputation:
    """Three levers, all with a figure."""
    return recomputation(retrieval(), caching(), infrastructure())


def printed(value: Value, places: int = 6) -> Printed | str | None:
    """A value as a product prints it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Fraction):
        return Printed.read(rounded(value, places).replace(",", ""))
    return Printed.read(str(value))


def figures_of(lever: LeverResult) -> Iterator[tuple[At, Value]]:
    name = lever.lever
    yield At(name, "status"), lever.status
    yield At(name, "usd"), lever.usd
    yield At(name, "coverage_measured"), lever.coverage.measured
    for measure, value in lever.totals.items():
        if measure != "usd":
            yield At(name, measure), value
    for dimension, rows in lever.by.items():
        for row in rows:
            for measure, value in row.measures.items():
                yield At(name, measure, dimension, row.key), value
    for cell in lever.cells:
        for measure, value in cell.measures.items():
            yield At(name, measure, "deployment_model", cell.key), value


def tied(
    result: Recomputation | None = None,
    changes: Changes | None = None,
    *,
    leave_out: Sequence[At] = (),
    claimed: Sequence[tuple[At, Printed | str | None]] = (),
    accepted: Mapping[At, str] | None = None,
    statuses: Mapping[str, str] | None = None,
    complete: Sequence[tuple[str, str]] = (),
    tolerance: Tolerance | None = None,
    least: Fraction | None = None,
    extra: Sequence[DiffRow] = (),
    findings: Sequence[Finding] = (),
) -> Diff:
    """The tie-out of `result` with figures that fit it, but for `changes` and what is left out or
    claimed besides."""
    result = result or sound()
    changes = changes or {}
    headline = total(lever.usd for lever in result.levers)
    known: list[tuple[At, Value]] = [(At(HEADLINE, "usd"), headline)]
    known += [pair for lever in result.levers for pair in figures_of(lever)]
    shown = [
        (at, _shown(changes[at]) if at in changes else printed(value))
        for at, value in known
        if at not in leave_out
    ]
    figures = tuple(
        Figure(at, value, "headline" if at.measure == "usd" else at.lever, f"/{number}")
        for number, (at, value) in enumerate([*shown, *claimed])
    )
    own = {
        figure.at: Derived(figure.shown.value)
        for figure in figures
        if isinstance(figure.shown, Printed) and figure.at.measure == "usd"
    }
    claims = Claims(
        figures,
        own,
        None,
        None,
        None,
        accepted=accepted or {},
        statuses=statuses or {lever.lever: lever.status for lever in result.levers},
        complete=complete,
    )
    return tie_out(
        result,
        claims,
        UNITS,
        tolerance=tolerance or Tolerance(),
        least_coverage=least,
        extra=extra,
        findings=findings,
    )


def _shown(text: str | None) -> Printed | str | None:
    try:
        return None if text is None else Printed.read(text)
    except ValueError:
        return text


def month(count: int, delta: Fraction = Fraction(1)) -> tuple[DiffRow, ...]:
    """`count` days, of which each differs more than the one before."""
    rows = []
    for number in range(1, count + 1):
        value = Fraction(100)
        off = delta * number
        at = At("retrieval", "usd", "day", f"2026-10-{number:02}")
        figure = plain(value + off)
        rows.append(DiffRow(at, figure, None, value, off, "differs", "another figure", "r", "/d"))
    return tuple(rows)
