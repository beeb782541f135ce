"""Tests of completeness: is it all there, was all of it read, and was all of it compared?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from verify.compare.tieout import Diff
from verify.exact import plain
from verify.period import Period
from verify.render.words import coverage_words, is_number
from verify.result import LeverResult, Recomputation, Row
from verify.signoff.evidence import CompletenessTest, InputFile
from verify.signoff.policy import Policy

_TRUSTED = {
    "pinned": "every file fits the manifest, whose own digest was given",
    "unauthenticated": "every file fits the manifest; nobody vouched for the manifest",
}


ADDITIVE = frozenset({"USD", "tokens", "bytes"})


def completeness(
    diff: Diff,
    days: Recomputation,
    checked: Mapping[str, Any],
    inputs: tuple[InputFile, ...],
    policy: Policy,
    units: Mapping[str, str],
) -> tuple[CompletenessTest, ...]:
    """Every test that the inputs allow, in the order in which the data walks."""
    return (
        *_files(diff, inputs),
        *_lines(diff, checked),
        *_cut_off(days, checked),
        *_footing(diff.result, days, units),
        *_compared(diff),
        *_coverage(diff.result, policy),
    )


def _test(name: str, expected: str, found: str, passed: bool | None) -> CompletenessTest:
    result = "not testable" if passed is None else "passed" if passed else "not passed"
    return CompletenessTest(name, expected, found, result)


def _files(diff: Diff, inputs: tuple[InputFile, ...]) -> Iterator[CompletenessTest]:
    trust = diff.export.trust
    yield _test(
        "Files against the manifest",
        "every listed file is there with its SHA-256, and no file of records is unlisted",
        _TRUSTED.get(trust, "the product writes no manifest"),
        True if trust in _TRUSTED else None,
    )
    counted = [file.records for file in inputs if file.records is not None]
    if counted:
        yield _test(
            "Records of the files",
            f"{diff.export.records:,} records read",
            f"{sum(counted):,} records in {len(counted):,} files",
            sum(counted) == diff.export.records,
        )


def _lines(diff: Diff, checked: Mapping[str, Any]) -> Iterator[CompletenessTest]:
    counts = [
        (file["lines"], file["records"])
        for file in checked.get("files", ())
        if {"lines", "records"} <= set(file)
    ]
    if not counts:
        return
    lines, records = (sum(part) for part in zip(*counts, strict=True))
    found = {finding.code: finding.count for finding in diff.findings}
    blank, skipped = found.get("blank_lines", 0), found.get("line_skipped", 0)
    yield _test(
        "Lines read",
        f"{lines:,} lines, each a record or blank",
        f"{records:,} records, {blank:,} blank, {skipped:,} left out as invalid",
        lines == records + blank and not skipped,
    )


def _cut_off(days: Recomputation, checked: Mapping[str, Any]) -> Iterator[CompletenessTest]:
    period, listed = days.period, checked.get("days")
    if not isinstance(period, Period) or not listed:
        return
    first, last = period.since.isoformat(), period.until.isoformat()
    counts = {day["key"]: day["records"] for day in listed}
    inside = {day for day in counts if first <= day <= last}
    early = sum(count for day, count in counts.items() if day < first)
    late = sum(count for day, count in counts.items() if day > last)
    within = sum(counts[day] for day in inside)
    yield _test(
        "Cut-off",
        f"records of {first} to {last}, both included, in {period.time_zone}",
        f"{within:,} inside, {early:,} before, {late:,} after; {within + early + late:,} in all",
        within > 0,
    )
    every = sum(1 for day in period.days() if day.start < day.end)
    yield _test(
        "Days with records",
        f"{every:,} days of the period",
        f"{len(inside):,} days with records",
        len(inside) == every,
    )


def _footing(
    result: Recomputation, days: Recomputation, units: Mapping[str, str]
) -> Iterator[CompletenessTest]:
    """Rows of each breakdown against the lever's total, in exact arithmetic."""
    by_day = {lever.lever: lever for lever in days.levers}
    for lever in result.levers:
        parts = dict(lever.by)
        if lever.lever in by_day:
            parts.setdefault("day", by_day[lever.lever].by.get("day", ()))
        feet = [
            (dimension, name, amount, _added(rows, name))
            for dimension, rows in parts.items()
            if dimension not in lever.alternatives
            for name, amount in additive(lever, rows, units)
        ]
        if feet:
            wrong = [f"{name} by {d}" for d, name, amount, added in feet if amount != added]
            yield _test(
                f"Footing of {lever.lever}",
                f"{len(feet):,} columns of {len({d for d, *_ in feet}):,} breakdowns add up",
                "all do, to the last digit" if not wrong else f"not {', '.join(wrong)}",
                not wrong,
            )


def additive(
    lever: LeverResult, rows: tuple[Row, ...], units: Mapping[str, str]
) -> Iterator[tuple[str, Fraction | int]]:
    """The totals of a lever that the rows of a breakdown have to add up to: amounts of money,
    tokens or bytes, and counts. Shares, and what is no number in every row, are no sums."""
    for name, value in lever.totals.items():
        inside = [row.measures[name] for row in rows if name in row.measures]
        if not inside or not is_number(value):
            continue
        counts = isinstance(value, int) and all(type(v) is int for v in inside)
        if units.get(name) in ADDITIVE or (not units.get(name) and counts):
            yield name, value


def _added(rows: tuple[Row, ...], name: str) -> Fraction:
    values = (row.measures.get(name) for row in rows)
    return sum((Fraction(v) for v in values if isinstance(v, Fraction | int)), Fraction(0))


def _compared(diff: Diff) -> Iterator[CompletenessTest]:
    every = len(diff.rows)
    open_ = sum(row.verdict == "not_comparable" for row in diff.rows)
    yield _test(
        "Figures compared",
        f"{every:,} figures that the product shows or the records give",
        f"{every - open_:,} compared, {open_:,} not comparable",
        every > 0 and not open_,
    )
    missing = sum(row.verdict == "only_in_records" for row in diff.rows)
    extra = sum(row.verdict == "only_in_figures" for row in diff.rows)
    yield _test(
        "Rows on one side only",
        "none",
        f"{missing:,} only in the records, {extra:,} only in the product's figures",
        not missing and not extra,
    )


def _coverage(result: Recomputation, policy: Policy) -> Iterator[CompletenessTest]:
    least = policy.least_coverage
    for lever in result.levers:
        share = lever.coverage.share
        known = least is not None and share is not None
        expected = "no least coverage was agreed"
        if least is not None:
            expected = f"at least {_percent(least)} of what the lever is about was measured"
        yield _test(
            f"Coverage of {lever.lever}",
            expected,
            coverage_words(lever.coverage),
            share >= least if known and share is not None and least is not None else None,
        )


def _percent(share: Fraction) -> str:
    return f"{plain(share * 100)} %"
