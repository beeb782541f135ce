"""`verify finding` and `verify lever`: what a finding or a lever is."""

from __future__ import annotations

from typing import Annotated

import typer

from verify.cli import options as opt
from verify.cli.output import deliver
from verify.errors import UsageProblem

Code = Annotated[str, typer.Argument(metavar="CODE", help="A finding's code, e.g. file_digest.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="A lever, e.g. caching.")]


def finding(code: Code) -> None:
    """Say what a finding means for a figure.

    Example: verify finding days_without_cost
    """
    from verify.findings import KINDS
    from verify.render.reference import finding_text
    from verify.systems import register_findings

    register_findings()
    if code not in KINDS:
        from difflib import get_close_matches

        near = get_close_matches(code, KINDS, n=3)
        advice = f"Did you mean {' or '.join(near)}?" if near else "docs/findings.md lists all."
        raise UsageProblem(f"there is no finding {code!r}", advice=advice)
    deliver(finding_text(KINDS[code]), None)


def lever(name: Name, system: opt.System = None) -> None:
    """Print a lever's query, with its formula and where that comes from.

    Example: verify lever caching
    """
    from verify.systems import NAMES, system_named

    systems = [system_named(system)] if system else [system_named(known) for known in NAMES]
    for product in systems:
        if name in product.levers:
            deliver(product.explain_lever(name), None)
            return
    known = ", ".join(lever for product in systems for lever in product.levers)
    raise UsageProblem(f"there is no lever {name!r}", advice=f"There are {known}.")
