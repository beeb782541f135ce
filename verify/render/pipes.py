"""Markdown: headings, pipe tables with exact values, lists of findings. For pasting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from verify.findings import Finding
from verify.render.safe import DASH, inert, markdown_key
from verify.render.words import exact, finding_words
from verify.result import Value


def pipe_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]
) -> str:
    """A pipe table of cells that are inert already; columns that are `numeric` stand right."""
    rule = ["---:" if right else ":---" for right in numeric]
    return "".join(f"| {' | '.join(line)} |\n" for line in [header, rule, *rows])


def cell(value: Value) -> str:
    """An exact value as a cell; a dash for None."""
    if isinstance(value, str):
        return markdown_key(value)
    return DASH if value is None else exact(value)


def bullets(pairs: Iterable[tuple[str, str]]) -> str:
    """Labels with what they label, which is inert already."""
    return "".join(f"- {label}: {text}\n" for label, text in pairs)


def findings_list(findings: Iterable[Finding]) -> str:
    """Each finding: how grave it is, what it says, its lines and its code."""
    return "".join(
        f"- **{finding.severity}** {inert(finding_words(finding))} (`{finding.code}`)\n"
        for finding in findings
    )
