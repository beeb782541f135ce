"""The capture as a whole: figures, depth 2, period, and what the reads say against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from verify.compare.figures import HEADLINE, At, Claims, Derived, Figure
from verify.compare.verdicts import DOLLAR_DECIMALS, Precision, Tolerance, judge
from verify.errors import UnreadableInput, UsageProblem
from verify.exact import Printed
from verify.findings import Finding
from verify.period import month_period, parse_date
from verify.systems.lighthouse.reads.consistency import card_contradictions, contradictions
from verify.systems.lighthouse.reads.depth2 import csv_cells, from_reads
from verify.systems.lighthouse.reads.documents import (
    CSV_READ,
    Documents,
    open_documents,
    unread_numbers,
)
from verify.systems.lighthouse.reads.figures import (
    PROFILE_MEASURES,
    READERS,
    breakdowns,
    caching_csv,
)


def read_claims(path: Path) -> Claims:
    """All figures at `path`. Raises UnreadableInput when a document is not what it should be, or
    when the reads are about different periods."""
    documents = open_documents(path)
    reads = documents.reads
    figures = [
        figure for name, read in reads.items() if name in READERS for figure in READERS[name](read)
    ]
    depth2 = from_reads(reads)
    if CSV_READ in reads:
        figures += _csv_figures(reads, depth2, figures)
    statuses = _statuses(reads)
    since, until, zone = _period(documents)
    accepted = dict(_accepted(reads))
    return Claims(
        tuple(figures),
        depth2,
        since,
        until,
        zone,
        baseline_model=_baseline(reads),
        accepted=accepted,
        statuses=statuses,
        complete=tuple(_complete(reads)),
        findings=tuple(_findings(documents, figures, depth2, statuses, accepted)),
        source=_source(reads),
    )


def _csv_figures(
    reads: Mapping[str, Any], depth2: Mapping[At, Derived], figures: list[Figure]
) -> list[Figure]:
    """The figures of the CSV. Beside the JSON form of the same read, only those that say something
    that it does not, or say it twice: they restate one read, and a figure is tied out once."""
    shown = list(caching_csv(reads[CSV_READ]))
    known = {figure.at: figure.value for figure in figures if figure.read == "caching"}
    times = Counter(figure.at for figure in shown)
    return [f for f in shown if times[f.at] > 1 or not _restates(f, known, depth2)]


def _restates(figure: Figure, known: Mapping[At, Any], depth2: Mapping[At, Derived]) -> bool:
    """Whether the JSON form shows the same, or its tokens and card for that row give it."""
    if figure.at in known:
        return bool(known[figure.at] == figure.value)
    derived = depth2.get(figure.at)
    has_row = replace(figure.at, measure="cache_read_tokens") in known
    if not has_row or derived is None or not isinstance(figure.shown, Printed):
        return False
    precision = Precision(max(figure.shown.decimals, DOLLAR_DECIMALS))
    verdict = judge(figure.shown.value, derived.value, precision, Tolerance())
    return verdict in ("exact", "rounding")


def _statuses(reads: Mapping[str, Any]) -> dict[str, str]:
    return {lever["lever"]: lever["status"] for lever in reads.get(HEADLINE, {}).get("levers", ())}


def _accepted(reads: Mapping[str, Any]) -> Iterator[tuple[At, str]]:
    for lever in reads.get(HEADLINE, {}).get("levers", ()):
        if lever["status"] == "included":
            inside = (lever.get("detail") or {}).get("inside")
            reason = (
                f"inside {inside}: accepted, never added" if inside else "accepted, never added"
            )
            for measure in ("status", "usd", "coverage_measured", "coverage_total"):
                yield At(lever["lever"], measure), reason
    for row in reads.get("profiles", {}).get("deployments", ()):
        if row["profile"] == "always_on":
            for measure in PROFILE_MEASURES:
                at = At("infrastructure", measure, "deployment", row["deployment"])
                yield at, "always on: no saving rests on it"


def _baseline(reads: Mapping[str, Any]) -> str | None:
    for lever in reads.get(HEADLINE, {}).get("levers", ()):
        named = (lever.get("detail") or {}).get("baseline_model")
        if isinstance(named, str):
            return named
    return None


def _complete(reads: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, part in (
        ("retrieval", reads.get("retrieval", {}).get("stuffing", {})),
        ("caching", reads.get("caching", {})),
    ):
        for dimension, _ in breakdowns(part):
            yield name, dimension
        if "by_deployment_model" in part:
            yield name, "deployment_model"
    if "by_deployment_model" not in reads.get("caching", {}) and CSV_READ in reads:
        yield "caching", "deployment_model"
    if "profiles" in reads:
        yield "infrastructure", "deployment"
    for lever in reads.get("recompute", {}).get("levers", ()):
        for dimension in lever["by"]:
            yield lever["lever"], dimension
        if "cells" in lever:
            yield lever["lever"], "deployment_model"


def _source(reads: Mapping[str, Any]) -> Mapping[str, Any]:
    """The reads, with caching's cells in the form of its JSON wherever they come from."""
    caching = reads.get("caching", {})
    cells = list(caching.get("by_deployment_model") or csv_cells(reads.get(CSV_READ, ())))
    for lever in reads.get("recompute", {}).get("levers", ()):
        cells += lever.get("cells", ())
    return {**reads, "caching": {**caching, "by_deployment_model": cells}} if cells else reads


def _period(documents: Documents) -> tuple[date | None, date | None, str | None]:
    spans: dict[tuple[date, date], str] = {}
    zones: dict[str, str] = {}
    for name, read in documents.reads.items():
        if name == CSV_READ:
            continue
        file = documents.files[name]
        span, zone = _span(name, read)
        if span is not None:
            spans.setdefault(span, file)
        if zone is not None:
            zones.setdefault(zone, file)
    for what, found in (("periods", spans), ("time zones", zones)):
        if len(found) > 1:
            said = ", ".join(f"{file}: {_said(value)}" for value, file in found.items())
            raise UnreadableInput(
                f"the reads are about different {what} ({said})",
                advice="Capture all of them for one period.",
            )
    since, until = next(iter(spans), (None, None))
    return since, until, next(iter(zones), None)


def _said(value: Any) -> str:
    return value if isinstance(value, str) else f"{value[0]} to {value[1]}"


def _span(name: str, read: Mapping[str, Any]) -> tuple[tuple[date, date] | None, str | None]:
    try:
        if name == HEADLINE:
            month = read.get("period")
            span = month_period(month, "UTC") if month else None
            return ((span.since, span.until) if span else None), read.get("time_zone")
        part = read["period"] if name == "recompute" else read
        if part.get("since") and part.get("until"):
            dates = parse_date(part["since"]), parse_date(part["until"])
            return dates, part.get("time_zone")
        return None, part.get("time_zone")
    except UsageProblem as error:
        raise UnreadableInput(f"the {name} read's period: {error.message}") from None


def _findings(
    documents: Documents,
    figures: list[Figure],
    depth2: Mapping[At, Derived],
    statuses: Mapping[str, str],
    accepted: Mapping[At, str],
) -> Iterator[Finding]:
    if documents.hand_saved and "recompute" not in documents.reads:
        yield Finding("capture_hand_saved", "no capture.json: the figures were saved by hand")
    for name in documents.unread:
        yield Finding("read_unknown", f"{name} is none of the reads; nothing in it was compared")
    for name, read in documents.reads.items():
        if numbers := unread_numbers(name, read):
            message = f"{documents.files[name]} shows numbers that no read is known to carry at "
            yield Finding("read_unknown", f"{message}{', '.join(numbers)}", len(numbers))
        # A count more is a detail; an amount more is a saving that the product may be quoted on.
        if amounts := [place for place in numbers if "usd" in place.rpartition("/")[2].lower()]:
            message = f"{documents.files[name]} shows amounts that were compared with nothing at "
            yield Finding("figure_unknown", f"{message}{', '.join(amounts)}", len(amounts))
    for lever in _levers(accepted):
        yield Finding("lever_accepted", f"{lever} is inside another lever: accepted, never added")
    yield from contradictions(figures, depth2, statuses)
    yield from card_contradictions(documents.reads)


def _levers(accepted: Iterable[At]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(at.lever for at in accepted if at.dimension is None))
