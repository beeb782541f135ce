"""Reference texts made from the registries, so that they cannot fall behind them.

`python -m verify.render.reference` prints docs/findings.md.
"""

from __future__ import annotations

import sys

from verify.findings import KINDS, SEVERITIES, Kind
from verify.systems import register_findings

_HEAD = """\
A finding says what a reader of a figure should know about it. It has a code, a severity, a count
and evidence: the first lines of the export where it was made. It never changes a figure. An
`error` about the export is exit 3, one about a read makes `diff` exit 1. `verify finding CODE`
prints one of these.
"""


def finding_text(kind: Kind) -> str:
    """One finding, for a terminal."""
    return f"{kind.code} ({kind.severity})\n{kind.title}\n\n{kind.meaning}\n"


def findings_markdown() -> str:
    """All findings, the gravest first, then by code, as docs/findings.md."""
    register_findings()
    parts = [
        "# Findings\n",
        _HEAD,
    ]
    for severity in SEVERITIES:
        parts.append(f"## {severity.capitalize()}\n")
        for kind in sorted(KINDS.values(), key=lambda kind: kind.code):  # whoever registered first
            if kind.severity == severity:
                parts.append(f"### `{kind.code}`\n\n{kind.title}. {kind.meaning}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(findings_markdown())
