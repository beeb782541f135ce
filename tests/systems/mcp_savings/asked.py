"""Exports opened and asked, and what they answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.program import Run, verify

from verify.result import LeverResult, Recomputation, Value
from verify.systems import system_named
from verify.systems.base import Question, Reading

NAME = "mcp-savings"


def recomputed(place: Path, **question: Any) -> Recomputation:
    """What is recomputed of an export."""
    with system_named(NAME).open(place, Reading()) as export:
        return export.recompute(Question(**question))


def lever(place: Path, name: str, **question: Any) -> LeverResult:
    """One lever of it."""
    return recomputed(place, levers=(name,), **question).lever(name)


def by(result: LeverResult, dimension: str, measure: str) -> dict[str | None, Value]:
    """One measure by the keys of a dimension."""
    return {row.key: row.measures.get(measure) for row in result.by[dimension]}


def codes(result: Recomputation) -> dict[str, int]:
    """How often each finding was made, about the export or a lever of it."""
    found: dict[str, int] = {}
    for finding in (*result.findings, *(one for each in result.levers for one in each.findings)):
        found[finding.code] = found.get(finding.code, 0) + finding.count
    return found


def said(result: Recomputation, code: str) -> str:
    """What a finding says."""
    every = (*result.findings, *(one for each in result.levers for one in each.findings))
    return "; ".join(finding.message for finding in every if finding.code == code)


def diffed(place: Path, figures: Path | None = None, *options: object) -> Run:
    """The tie-out of a document, as JSON."""
    named = () if figures is None else ("--figures", figures)
    return verify("diff", place, "--system", NAME, *named, "--format", "json", *options)


def rows(run: Run, *verdicts: str) -> list[tuple[str, str | None, str]]:
    """Lever, key and measure of the rows with a verdict."""
    return [
        (row["lever"], row["key"], row["measure"])
        for row in run.json["rows"]
        if row["verdict"] in verdicts
    ]


def found(run: Run) -> dict[str, str]:
    """The findings of a tie-out about the figures, by code."""
    return {finding["code"]: finding["message"] for finding in run.json["findings"]}
