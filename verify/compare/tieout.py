"""The tie-out: a row for every figure that the product shows, and a verdict for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from verify.compare.figures import HEADLINE, At, Claims, Derived, Figure
from verify.compare.verdicts import (
    DIFFERING,
    DOLLAR_DECIMALS,
    Precision,
    Tolerance,
    judge,
)
from verify.exact import Printed, plain, total
from verify.findings import Finding, lines_left_out
from verify.result import (
    ExportIdentity,
    LeverResult,
    Recomputation,
    Value,
    json_value,
    period_json,
)

if TYPE_CHECKING:
    import polars as pl

COVERAGE = {"coverage_measured": "measured", "coverage_total": "total"}


@dataclass(frozen=True)
class DiffRow:
    """One figure beside its recomputations. `delta` is figure less recomputed."""

    at: At
    figure: str | None
    from_read: Fraction | None
    recomputed: Value
    delta: Fraction | None
    verdict: str
    reason: str
    read: str = ""
    pointer: str = ""

    @property
    def relative(self) -> Fraction | None:
        """`delta / recomputed`; None where that is unknown or 0."""
        if self.delta is None or not isinstance(self.recomputed, Fraction | int):
            return None
        return self.delta / self.recomputed if self.recomputed else None

    def as_json(self) -> dict[str, Any]:
        recomputed = self.recomputed
        return {
            "lever": self.at.lever,
            "dimension": self.at.dimension,
            "key": self.at.key,
            "measure": self.at.measure,
            "figure": None if self.figure is None else str(self.figure),
            "from_read": json_value(self.from_read),
            "recomputed": str(recomputed)
            if isinstance(recomputed, int)
            else json_value(recomputed),
            "delta": json_value(self.delta),
            "relative": json_value(self.relative),
            "verdict": self.verdict,
            "reason": self.reason,
            "read": self.read,
            "pointer": self.pointer,
        }


@dataclass(frozen=True)
class Diff:
    """The product's figures tied out against the records."""

    result: Recomputation
    claims: Claims
    rows: tuple[DiffRow, ...]
    findings: tuple[Finding, ...]
    tolerance: Tolerance
    least_coverage: Fraction | None
    inconclusive: tuple[str, ...]
    concluded: str | None = None

    @property
    def export(self) -> ExportIdentity:
        return self.result.export

    @property
    def verdict(self) -> str:
        """`differs` if any figure does or a read contradicts itself; `inconclusive` if anything
        could not be compared, or lines were left out; else `agrees`."""
        if self.concluded is not None:
            return self.concluded
        if any(row.verdict in DIFFERING for row in self.rows):
            return "differs"
        if any(finding.severity == "error" for finding in self.findings):
            return "differs"
        return "inconclusive" if self.inconclusive else "agrees"

    def only(self, verdict: str) -> Diff:
        """The same diff with the rows of one verdict alone; what it concludes stays."""
        rows = tuple(row for row in self.rows if row.verdict == verdict)
        return replace(self, rows=rows, concluded=self.verdict)

    def to_polars(self, *, scale: int | None = None) -> pl.DataFrame:
        """A row a figure, as `diff --format csv` has them. See `verify.render.frames`."""
        from verify.render.frames import diff_frame

        return diff_frame(self, scale)

    def _repr_html_(self) -> str:
        from verify.render.notebook import diff_html

        return diff_html(self)

    def as_json(self) -> dict[str, Any]:
        """The document that `diff --format json` prints."""
        return {
            "verdict": self.verdict,
            "export": self.export.as_json(),
            "period": period_json(self.result.period),
            **({"fields": dict(self.result.fields)} if self.result.fields else {}),
            "method": {name: json_value(v) for name, v in self.result.method.items()},
            "policy": {
                "tolerance": str(self.tolerance),
                "min_coverage": json_value(self.least_coverage),
            },
            "rows": [row.as_json() for row in self.rows],
            "inconclusive": list(self.inconclusive),
            "causes": [],
            "findings": [finding.as_json() for finding in self.findings],
        }


class _Recomputed:
    """The recomputation, asked by coordinates."""

    def __init__(self, result: Recomputation) -> None:
        self._levers = {lever.lever: lever for lever in result.levers}
        self._rows: dict[tuple[str, str], dict[str | None, Mapping[str, Value]]] = {}
        for lever in result.levers:
            for dimension, rows in lever.by.items():
                self._rows[lever.lever, dimension] = {row.key: row.measures for row in rows}
            self._rows[lever.lever, "deployment_model"] = {
                cell.key: cell.measures for cell in lever.cells
            }

    @property
    def levers(self) -> Iterable[LeverResult]:
        return self._levers.values()

    def lever(self, name: str) -> LeverResult | None:
        return self._levers.get(name)

    def breakdown(self, lever: str, dimension: str) -> dict[str | None, Mapping[str, Value]] | None:
        return self._rows.get((lever, dimension))

    def has(self, at: At) -> bool:
        """Whether there is such a row at all."""
        if at.dimension is None:
            return at.lever in self._levers
        rows = self._rows.get((at.lever, at.dimension))
        return rows is not None and at.key in rows

    def value(self, at: At) -> Value:
        """The recomputed value at `at`; None where it is unknown. Raises KeyError where the
        recomputation has no such measure."""
        if at.dimension is not None:
            return self._rows[at.lever, at.dimension][at.key][at.measure]
        lever = self._levers[at.lever]
        if at.measure == "status":
            return lever.status
        if at.measure in COVERAGE:
            return int(getattr(lever.coverage, COVERAGE[at.measure]))
        if at.measure == "usd":
            return lever.usd
        if at.measure == "amount":
            return lever.amount
        part, dash, name = at.measure.partition("-")
        if dash:
            return {"totals": lever.totals, "detail": lever.detail}[part][name]
        return lever.totals[at.measure] if at.measure in lever.totals else lever.detail[at.measure]


def tie_out(
    result: Recomputation,
    claims: Claims,
    units: Mapping[str, str],
    *,
    tolerance: Tolerance,
    least_coverage: Fraction | None,
    extra: Iterable[DiffRow] = (),
    findings: Iterable[Finding] = (),
) -> Diff:
    """Set every figure of `claims` beside `result`.

    `units` gives the unit of each measure. `extra` are rows that a system ties out by itself
    (decisions against records); where one is about a figure of `claims`, it is that figure's row.
    """
    recomputed = _Recomputed(result)
    extra = tuple(extra)
    by_the_system = {row.at for row in extra}
    precisions = precisions_of(claims.figures, units)
    rows = [
        _row(figure, recomputed, claims, precisions, tolerance, result)
        for figure in claims.figures
        if figure.at not in by_the_system
    ]
    rows += _missing(recomputed, claims)
    rows += extra
    return Diff(
        result,
        claims,
        tuple(rows),
        (*result.findings, *claims.findings, *findings),
        tolerance,
        least_coverage,
        tuple(_inconclusive(rows, result, claims, least_coverage)),
    )


def precisions_of(
    figures: Iterable[Figure], units: Mapping[str, str]
) -> dict[tuple[str, str], Precision]:
    shown: dict[tuple[str, str], int] = {}
    for figure in figures:
        if isinstance(figure.shown, Printed):
            at = (figure.at.lever, figure.at.measure)
            least = DOLLAR_DECIMALS if units.get(figure.at.measure) == "USD" else 0
            shown[at] = max(shown.get(at, least), figure.shown.decimals)
    return {
        at: Precision(decimals if decimals or units.get(at[1]) == "USD" else None)
        for at, decimals in shown.items()
    }


def ties(
    figure: Figure,
    value: Value,
    precisions: Mapping[tuple[str, str], Precision],
    shares: int = 0,
) -> bool:
    """Whether a figure agrees with a value, but for rounding. `shares` as in `judge`."""
    shown = figure.value
    if not isinstance(shown, Fraction) or not isinstance(value, Fraction | int):
        return shown == value
    precision = precisions[figure.at.lever, figure.at.measure]
    if isinstance(value, int) or (isinstance(figure.shown, Printed) and figure.shown.unrounded):
        precision = Precision(None)
    verdict = judge(shown, Fraction(value), precision, Tolerance(), shares)
    return verdict in ("exact", "rounding")


def _row(
    figure: Figure,
    recomputed: _Recomputed,
    claims: Claims,
    precisions: Mapping[tuple[str, str], Precision],
    tolerance: Tolerance,
    result: Recomputation,
) -> DiffRow:
    at = figure.at
    derived = claims.from_reads.get(at)
    from_read = derived.value if derived else None
    if claims.accepts(figure, recomputed.has(at)):
        return _said(figure, from_read, None, "not_comparable", claims.accepted[at])
    if at.lever == HEADLINE:
        return _headline(figure, claims, result, precisions, tolerance)
    if recomputed.lever(at.lever) is None:
        reason = "a lever that cannot be recomputed from the records"
        return _said(figure, from_read, None, "not_comparable", reason)
    if at.dimension is not None and recomputed.breakdown(at.lever, at.dimension) is None:
        reason = "a breakdown that cannot be recomputed from the records"
        return _said(figure, from_read, None, "not_comparable", reason)
    if not recomputed.has(at):
        return _said(figure, from_read, None, "only_in_figures", "the records have no such row")
    try:
        value = recomputed.value(at)
    except KeyError:
        reason = "a measure that cannot be recomputed from the records"
        return _said(figure, from_read, None, "not_comparable", reason)
    return _judged(figure, derived, value, precisions, tolerance)


def _judged(
    figure: Figure,
    derived: Derived | None,
    value: Value,
    precisions: Mapping[tuple[str, str], Precision],
    tolerance: Tolerance,
) -> DiffRow:
    shown, from_read = figure.value, derived.value if derived else None
    if shown is None or value is None:
        if shown == value:
            return _said(figure, from_read, value, "exact", "")
        reason = "the product shows none" if shown is None else "the records give none"
        return _said(figure, from_read, value, "differs", reason)
    if isinstance(shown, str) or isinstance(value, str):
        same = shown == value
        reason = "" if same else "the records say otherwise"
        return _said(figure, from_read, value, "exact" if same else "differs", reason)
    exact = Fraction(value)
    precision = precisions[figure.at.lever, figure.at.measure]
    if isinstance(value, int) or (isinstance(figure.shown, Printed) and figure.shown.unrounded):
        precision = Precision(None)
    if figure.half_unit is not None:
        precision = Precision(None, figure.half_unit)
    verdict = judge(shown, exact, precision, tolerance)
    reason = _reason(verdict, shown, derived, precision)
    return DiffRow(
        figure.at,
        figure.text,
        from_read,
        value,
        shown - exact,
        verdict,
        reason,
        figure.read,
        figure.pointer,
    )


def _reason(verdict: str, shown: Fraction, derived: Derived | None, precision: Precision) -> str:
    if verdict == "rounding" and precision.printed is not None:
        return f"within half a printed unit, {plain(precision.printed)}"
    if verdict != "differs":
        return ""
    if derived is None:
        return "the records give another figure"
    if judge(shown, derived.value, precision, Tolerance(), derived.shares) != "differs":
        return "it follows from the product's own read, which the records contradict"
    return "neither the product's own read nor the records give it"


def _said(
    figure: Figure, from_read: Fraction | None, value: Value, verdict: str, reason: str
) -> DiffRow:
    return DiffRow(
        figure.at,
        figure.text,
        from_read,
        value,
        None,
        verdict,
        reason,
        figure.read,
        figure.pointer,
    )


def _headline(
    figure: Figure,
    claims: Claims,
    result: Recomputation,
    precisions: Mapping[tuple[str, str], Precision],
    tolerance: Tolerance,
) -> DiffRow:
    """The headline is the sum of the levers that the product calls ok, as printed. It has to be
    that sum, and that sum has to be that of the recomputed levers."""
    counted = [name for name, status in claims.statuses.items() if status == "ok"]
    known = {lever.lever: lever for lever in result.levers}
    derived = claims.from_reads.get(figure.at)
    printed = derived.value if derived else None
    if any(name not in known for name in counted):
        reason = "it counts a lever that cannot be recomputed from the records"
        return _said(figure, printed, None, "not_comparable", reason)
    if not counted and figure.shown is None:
        return _said(figure, printed, None, "exact", "")
    value = total(known[name].usd for name in counted)
    if not isinstance(figure.shown, Printed):
        return _said(figure, printed, value, "differs", "the product shows none")
    precision = precisions[figure.at.lever, figure.at.measure]
    shown = figure.shown.value
    verdict = judge(shown, value, precision, tolerance, shares=len(counted))
    reason = ""
    if printed is not None and judge(shown, printed, precision, Tolerance()) == "differs":
        reason = "it is not the sum of the levers that the product counts"
        if not tolerance.allows(shown - printed, printed):
            verdict = "differs"
    elif verdict == "differs":
        reason = "it is the sum of the product's levers, of which some differ"
    return DiffRow(
        figure.at,
        figure.text,
        printed,
        value,
        shown - value,
        verdict,
        reason,
        figure.read,
        figure.pointer,
    )


def _missing(recomputed: _Recomputed, claims: Claims) -> list[DiffRow]:
    """Rows of the records that a breakdown, shown whole, lacks: one for each measure it shows.
    And levers with a figure that the headline, which shows every lever, leaves out."""
    measures: dict[tuple[str, str], list[str]] = {}
    keys: dict[tuple[str, str], set[str | None]] = {}
    reads: dict[tuple[str, str], tuple[str, str]] = {}
    for figure in claims.figures:
        if figure.at.dimension is not None:
            at = (figure.at.lever, figure.at.dimension)
            keys.setdefault(at, set()).add(figure.at.key)
            if figure.at.measure not in measures.setdefault(at, []):
                measures[at].append(figure.at.measure)
            reads[at] = (figure.read, figure.pointer.rsplit("/", 2)[0])
    found = []
    for lever, dimension in dict.fromkeys(claims.complete):
        rows = recomputed.breakdown(lever, dimension)
        for key, values in (rows or {}).items():
            if key in keys.get((lever, dimension), ()):
                continue
            shown = measures.get((lever, dimension)) or list(values)
            read, pointer = reads.get((lever, dimension), ("", ""))
            for measure in shown:
                if measure in values:
                    found.append(
                        DiffRow(
                            At(lever, measure, dimension, key),
                            None,
                            None,
                            values[measure],
                            None,
                            "only_in_records",
                            "the product's breakdown has no such row",
                            read,
                            pointer,
                        )
                    )
    for left_out in recomputed.levers if claims.shows_headline else ():
        if left_out.status == "ok" and left_out.lever not in claims.statuses:
            at_lever, reason = At(left_out.lever, "usd"), "the headline does not show this lever"
            found.append(
                DiffRow(
                    at_lever,
                    None,
                    None,
                    left_out.usd,
                    None,
                    "only_in_records",
                    reason,
                    HEADLINE,
                    "/levers",
                )
            )
    return found


def _inconclusive(
    rows: Sequence[DiffRow],
    result: Recomputation,
    claims: Claims,
    least: Fraction | None,
) -> Iterable[str]:
    """What keeps the answer from being conclusive, in words."""
    compared = set(claims.levers)
    for lever in result.levers:
        if lever.lever not in compared:
            continue
        if lever.status != "ok":
            yield f"{lever.lever}: {lever.status}"
        elif not lever.conclusive(least):
            share = lever.coverage.share
            shown = "nothing" if share is None else f"{plain(share * 100)} %"
            yield f"{lever.lever}: coverage of {shown} is below the least asked for"
    for row in rows:
        if row.verdict == "not_comparable" and row.at not in claims.accepted:
            yield f"{row.at.lever} {row.at.measure}: {row.reason}"
    if not any(row.verdict != "not_comparable" and row.at.lever != HEADLINE for row in rows):
        yield "no figure was compared"
    if any(finding.code == "figure_unknown" for finding in claims.findings):
        yield "the product shows amounts that no read is known to carry"
    if lines_left_out(result.findings):
        yield "lines were left out"
