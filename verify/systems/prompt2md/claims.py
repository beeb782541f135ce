"""The figures that reports show, and what follows from a report's own figures alone."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from verify.compare.figures import At, Claims, Derived, Figure
from verify.errors import IntegrityFailure
from verify.systems.prompt2md.arithmetic import (
    CLAIMED_CALLS,
    HEADLINE_PLACES,
    Calls,
    half_up,
    headline_of,
    ratio_of,
)
from verify.systems.prompt2md.documents import Documents, read_documents
from verify.systems.prompt2md.doubles import printed_quotient
from verify.systems.prompt2md.measures import FIGURES
from verify.systems.prompt2md.reports import Report

DIMENSION = "report"
CARRIED = "carried"


def read_claims(path: Path) -> Claims:
    """The figures of the report, or of the reports, at `path`.

    Raises UnreadableInput where there is none; IntegrityFailure for one that cannot be read.
    """
    documents = read_documents(path)
    if documents.problems:
        raise IntegrityFailure(documents.problems, advice="Capture the report again.")
    return claims_of(documents)


def carried_claims(path: Path) -> Claims | None:
    """The figures of the export's own reports. Those that cannot be read are left to the opening
    of the export, which refuses them."""
    return claims_of(read_documents(path), carried=True)


def claims_of(documents: Documents, *, carried: bool = False) -> Claims:
    """Every figure of every report, by report. `source` has the digest of what was read."""
    figures: list[Figure] = []
    derived: dict[At, Derived] = {}
    for report in documents.reports:
        for lever, names in FIGURES.items():
            for name in names:
                at = At(lever, name, DIMENSION, report.key)
                figures.append(Figure(at, report.figures[name], report.path, report.pointers[name]))
        for lever, name, value in _from_the_report(report):
            derived[At(lever, name, DIMENSION, report.key)] = Derived(value)
    return Claims(
        tuple(figures),
        derived,
        since=None,
        until=None,
        time_zone=None,
        complete=tuple((lever, DIMENSION) for lever in FIGURES) if carried else (),
        source={CARRIED: documents.digest()} if carried else {},
    )


def _from_the_report(report: Report) -> Iterator[tuple[str, str, Fraction]]:
    """Figures that follow from others of the same report, as printed: lever, figure, value.

    What needs a provider's profile is not among them.
    """
    raw, compressed = report.number("raw"), report.number("compressed")
    yield "ledger", "compressed", Fraction(report.number("stable") + report.number("volatile"))
    yield "ledger", "layout", Fraction(compressed)
    yield "ledger", "saved", Fraction(raw - compressed)
    yield "ledger", "ratio", printed_quotient(ratio_of(compressed, raw))
    calls = Calls(Fraction(report.number("first")), Fraction(report.number("next")))
    yield "cache", "amortized", half_up(calls.amortized(CLAIMED_CALLS))
    yield "cache", "headline", half_up(headline_of(calls.next, raw), HEADLINE_PLACES)
