"""`verify sample`: make an export with its reads, at any size, with any planted error."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verify.cli import options as opt
from verify.cli.output import notice_to_stderr

Out = Annotated[Path, typer.Argument(metavar="OUT", help="The directory to make.")]
Records = Annotated[int, typer.Option("--records", metavar="N", help="How many lines.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Another seed, another export.")]
Month = Annotated[str, typer.Option("--period", metavar="YYYY-MM", help="The month it is about.")]
Zone = Annotated[str, typer.Option("--tz", metavar="NAME", help="The tenant's time zone.")]
Tenant = Annotated[str, typer.Option("--tenant", metavar="NAME", help="The tenant's name.")]
Plant = Annotated[
    list[str] | None,
    typer.Option(
        "--plant",
        metavar="SWITCH=VALUE",
        help="Let the product calculate otherwise, e.g. zone=UTC; repeat for several.",
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an export made before.")]


def command(
    out: Out,
    records: Records = 3000,
    seed: Seed = 1,
    period: Month = "2026-10",
    tz: Zone = "Europe/Madrid",
    tenant: Tenant = "acme",
    plant: Plant = None,
    overwrite: Overwrite = False,
    quiet: opt.Quiet = False,
) -> None:
    """Make a LightHouse export with its API reads: the same arguments, the same bytes.

    Example: verify sample demo --records 200000 --plant zone=UTC --plant weights=false
    """
    from verify.errors import UsageProblem
    from verify.period import month_period
    from verify.render.safe import visible
    from verify.systems.lighthouse.method import parse_switch
    from verify.systems.lighthouse.sample import SamplePlan, make_sample

    month = month_period(period, tz)
    try:
        plan = SamplePlan(seed, records, month.since, month.until, tz, tenant)
    except ValueError as error:
        raise UsageProblem(str(error)) from None
    switches = dict(parse_switch(text) for text in plant or ())
    report = make_sample(out, plan, switches, overwrite=overwrite)
    tell = notice_to_stderr(quiet)
    tell(f"{report.records:,} records, SHA-256 {report.sha256}")
    if switches:
        tell("the reads were calculated with " + ", ".join(f"{k}={v}" for k, v in switches.items()))
    typer.echo(visible(str(report.path)))
