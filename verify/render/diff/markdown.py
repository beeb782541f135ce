"""A diff in Markdown: what finance can paste, with every digit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from verify.compare.tieout import Diff, DiffRow
from verify.render.diff.figures import (
    Digits,
    Group,
    groups,
    key_of,
    percent,
    reason_words,
    unit_of,
    verdict_words,
)
from verify.render.diff.told import (
    LeverLine,
    all_findings,
    conclusion,
    lever_lines,
    policy_words,
    untold,
)
from verify.render.pipes import bullets, cell, findings_list, pipe_table
from verify.render.safe import DASH, inert, markdown_key, markdown_text
from verify.render.words import coverage_words, export_words, loud_words
from verify.result import Value


def markdown(diff: Diff, *, unusual: Mapping[str, Value] | None = None) -> str:
    """The conclusion, a line a lever, every row that differs with exact values, and findings.

    `unusual` are the switches of the method that are set otherwise than stated.
    """
    return "\n".join(_parts(diff, unusual or {}))


def _parts(diff: Diff, unusual: Mapping[str, Value]) -> Iterator[str]:
    yield f"# {inert(conclusion(diff))}\n"
    for warning in loud_words(diff.export, unusual):
        yield f"> **{inert(warning)}**\n"
    head = [*export_words(diff.export, period=diff.result.period), *policy_words(diff)]
    yield bullets((label, inert(text)) for label, text in head)
    lines = lever_lines(diff)
    if lines:
        yield _levers(lines, filtered=diff.concluded is not None)
    told = groups(diff)
    for lever in [line.lever for line in lines if line.lever in told]:
        yield f"## {markdown_text(lever)}\n"
        yield _rows(told[lever])
    findings = all_findings(diff)
    if findings:
        yield "## Findings\n"
        yield findings_list(findings)
    reasons = untold(diff)
    if reasons:
        yield "## What cannot be concluded\n"
        yield "".join(f"- {markdown_text(reason)}\n" for reason in reasons)


def _levers(lines: Sequence[LeverLine], *, filtered: bool) -> str:
    units = {line.unit for line in lines}
    mixed = len(units) > 1
    product = "product" if mixed else f"product {markdown_text(units.pop())}".rstrip()
    header = ["lever", "status", *(["unit"] if mixed else []), product, "own read", "recomputed"]
    header += ["difference", "rounded", "verdict", "coverage"]
    header += ["shown"] if filtered else ["differ", "figures"]
    rows = []
    for line in lines:
        counts = (line.rows,) if filtered else (line.differing, line.rows)
        rows.append(
            [
                markdown_key(line.lever),
                cell(line.status),
                *([markdown_text(line.unit)] if mixed else []),
                cell(line.figure),
                cell(line.from_read),
                cell(line.recomputed),
                cell(line.delta),
                _rounded(line.unit, line.delta),
                verdict_words(line.verdict) or DASH,
                inert(coverage_words(line.coverage)) if line.coverage else DASH,
                *map(str, counts),
            ]
        )
    names = [False] * (3 if mixed else 2)
    numeric = [*names, *[True] * 5, False, False, *[True] * (1 if filtered else 2)]
    return pipe_table(header, rows, numeric)


def _rounded(unit: str, delta: Value) -> str:
    if not isinstance(delta, int | Fraction):
        return DASH
    return Digits.of(unit, (), [Fraction(delta)]).difference(Fraction(delta)) or DASH


def _rows(parts: Sequence[Group]) -> str:
    header = ["part", "key", "measure", "figure", "own read", "recomputed", "difference", "rounded"]
    header += ["relative", "why"]
    rows = [_row(group, row) for group in parts for row in group.rows]
    return pipe_table(header, rows, [*[False] * 3, *[True] * 6, False])


def _row(group: Group, row: DiffRow) -> list[str]:
    return [
        markdown_text(group.title),
        "" if group.dimension is None else markdown_key(key_of(row.at)),
        markdown_text(row.at.measure),
        cell(row.figure),
        cell(row.from_read),
        cell(row.recomputed),
        cell(row.delta),
        _rounded(unit_of(row.at.measure), row.delta),
        inert(percent(row.relative) or DASH),
        markdown_text(reason_words(row)),
    ]
