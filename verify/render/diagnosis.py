"""A diagnosis in short: what of it nobody should overlook. JSON has all of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from verify.exact import rounded
from verify.findings import SEVERITIES, Finding
from verify.render.pipes import bullets
from verify.render.safe import inert, shown_key, visible
from verify.render.words import finding_words
from verify.result import Value

if TYPE_CHECKING:
    from verify.compare.diagnosis import Diagnosis
    from verify.compare.explanation import Explanation
    from verify.compare.nearest import Nearest
    from verify.compare.tieout import DiffRow
    from verify.render.sheet import Sheet

MOST_FINDINGS = 8
_MOST_NEAREST = 4
_MOST_REASONS = 3


def draw(page: Sheet, diagnosis: Diagnosis) -> None:
    """The findings, the gravest first, as many as leave the causes on the screen."""
    if not diagnosis.findings:
        return
    page.heading("what else the records show")
    shown = _gravest_first(diagnosis.findings)
    page.findings(shown[:MOST_FINDINGS])
    hidden = len(shown) - MOST_FINDINGS
    rest = f"and {hidden:,} more; " if hidden > 0 else ""
    page.line(f"{rest}{page.JSON} has every row behind these", "dim")


def markdown(diagnosis: Diagnosis) -> str:
    """The findings as a list."""
    if not diagnosis.findings:
        return ""
    items = (
        (finding.severity, inert(finding_words(finding)))
        for finding in _gravest_first(diagnosis.findings)
    )
    return f"## What else the records show\n\n{bullets(items)}"


def _gravest_first(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def where_the_rest_lies(told: Explanation) -> Iterator[str]:
    """What is known about the rows that no set explains, in sentences. Made visible."""
    if told.alone:
        figures = "figure differs" if len(told.alone) == 1 else "figures differ"
        their = "its" if len(told.alone) == 1 else "their"
        yield (
            f"{len(told.alone):,} {figures} although every total of {their} lever agrees: no other "
            "method does that, so the product's breakdown itself is wrong there"
        )
    for nearest in told.nearest[:_MOST_NEAREST]:
        yield _nearest(nearest)
    reasons = [row.reason for row in told.remaining if row.at.dimension == "decision"]
    for reason in reasons[:_MOST_REASONS]:
        yield f"routing: {visible(reason)}"
    if len(reasons) > _MOST_REASONS:
        yield f"routing: {len(reasons):,} decisions in all; --format json names each line"


def _nearest(nearest: Nearest) -> str:
    figure = visible(f"{nearest.at.lever} {nearest.at.measure}")
    if nearest.choices:
        shown = ", ".join(f"{c.name} = {_value(c.value)}" for c in nearest.choices)
        text = (
            f"{figure} is off by {rounded(nearest.delta, 6)}; nearest comes {visible(shown)}, "
            f"which leaves {rounded(nearest.residual, 6)}"
        )
    else:
        text = (
            f"{figure} is off by {rounded(nearest.delta, 6)}; no other choice comes nearer without "
            "breaking a figure that agrees"
        )
    places = ", ".join(_place(row) for row in _one_a_dimension(nearest.rows))
    return f"{text}. It lies in {places or 'no row shown'}"


def _one_a_dimension(rows: Iterable[DiffRow]) -> list[DiffRow]:
    """The row of each dimension that differs most, of the rows given in that order."""
    found: dict[str | None, DiffRow] = {}
    for row in rows:
        found.setdefault(row.at.dimension, row)
    return list(found.values())


def _place(row: DiffRow) -> str:
    delta = "" if row.delta is None else f" ({rounded(row.delta, 6)})"
    return f"{row.at.dimension} {shown_key(row.at.key)}{delta}"


def _value(value: Value) -> str:
    return value if isinstance(value, str) else str(value).lower()
