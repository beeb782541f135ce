"""Reference texts made from the registries, so that they cannot fall behind them.

`python -m verify.render.reference` prints docs/findings.md, and with `levers`
docs/working-papers.md.
"""

from __future__ import annotations

import sys
from collections import Counter

from verify.findings import KINDS, SEVERITIES, Kind
from verify.systems import NAMES, register_findings, system_named

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


def finding_list() -> str:
    """Every code with its title, the gravest first, for a terminal."""
    register_findings()
    width = max(map(len, KINDS))
    lines = [
        f"{kind.code:<{width}}  {kind.severity:<7}  {kind.title}"
        for severity in SEVERITIES
        for kind in sorted(KINDS.values(), key=lambda kind: kind.code)
        if kind.severity == severity
    ]
    return "\n".join(lines) + "\n"


_PAPERS = """\
# Working papers

What `verify lever NAME` prints, for every lever of every product: what it measures, by which
dimensions, from which inputs, its formula, whether the product states it or we read it so, and the
query that computes it. The choices in words are in [the method](method.md).
"""


_LISTS = ("measures ", "dimensions ", "inputs ")


def levers_markdown() -> str:
    """The working papers of all products, as docs/working-papers.md."""
    parts = [_PAPERS]
    for name in NAMES:
        system = system_named(name)
        papers = {lever: _sections(system.explain_lever(lever)) for lever in system.levers}
        often = Counter(section for sections in papers.values() for section in sections)
        shared = [section for section in often if often[section] > 1 and not _is_list(section)]
        parts.append(f"## {system.title}\n")
        for lever, sections in papers.items():
            parts.append(f"### {lever}\n")
            parts.append("".join(_bullet(part) for part in sections if _is_list(part)))
            own = [part for part in sections if not _is_list(part) and part not in shared]
            if own:
                parts.append(_code("\n\n".join(own)))
        if shared:
            parts.append(f"### Shared by several levers of {system.title}\n")
            parts += [_code(section) for section in shared]
    return "\n".join(parts)


def _sections(text: str) -> list[str]:
    """A lever's text without its title: its lists, and each query or formula."""
    return text.rstrip().split("\n\n")[1:]


def _is_list(section: str) -> bool:
    return section.startswith(_LISTS)


def _bullet(section: str) -> str:
    name, text = section.split(None, 1)
    return f"- {name}: {'; '.join(line.strip() for line in text.splitlines())}\n"


def _code(text: str) -> str:
    return f"```{'sql' if 'SELECT' in text else 'text'}\n{text}\n```\n"


if __name__ == "__main__":
    sys.stdout.write(levers_markdown() if sys.argv[1:] == ["levers"] else findings_markdown())
