"""`verify finding` and `verify lever`: what a finding or a lever is."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Annotated

import typer

from verify.cli import options as opt
from verify.cli.output import deliver
from verify.errors import UsageProblem

Code = Annotated[
    str | None,
    typer.Argument(
        metavar="[CODE]",
        help="A finding's code, e.g. file_digest. Default: list all.",
        show_default=False,
    ),
]
Name = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]", help="A lever, e.g. caching. Default: list all.", show_default=False
    ),
]


def finding(code: Code = None) -> None:
    """Say what a finding means for a figure, or list all findings.

    Example: verify finding days_without_cost
    """
    from verify.findings import KINDS
    from verify.render.reference import finding_list, finding_text
    from verify.systems import register_findings

    register_findings()
    if code is None:
        deliver(finding_list(), None)
        return
    if code not in KINDS:
        raise UsageProblem(
            f"there is no finding {code!r}", advice=_near(code, KINDS, "verify finding lists all.")
        )
    deliver(finding_text(KINDS[code]), None)


def lever(name: Name = None, system: opt.System = None) -> None:
    """Print a lever's formula, where it comes from, its inputs and its query, or list all levers.

    Example: verify lever caching

    Example: verify lever schema --system leanproxy
    """
    from verify.systems import NAMES, system_named

    systems = [system_named(system)] if system else [system_named(known) for known in NAMES]
    if name is None:
        width = max(len(product.name) for product in systems)
        lines = [f"{product.name:<{width}}  {', '.join(product.levers)}\n" for product in systems]
        deliver("".join(lines), None)
        return
    found = [product.explain_lever(name) for product in systems if name in product.levers]
    if not found:
        known = [lever for product in systems for lever in product.levers]
        raise UsageProblem(
            f"there is no lever {name!r}", advice=_near(name, known, "verify lever lists all.")
        )
    deliver("\n".join(found), None)


def _near(name: str, known: Iterable[str], otherwise: str) -> str:
    near = get_close_matches(name, list(known), n=3)
    return f"Did you mean {' or '.join(near)}?" if near else otherwise
