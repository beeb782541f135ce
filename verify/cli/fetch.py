"""`verify fetch`: capture the product's figures, once, with where and when."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from verify.cli import options as opt
from verify.cli.output import deliver, notice_to_stderr

Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="The new directory to capture into.")
]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", metavar="URL", help="Another address than the tenant's own."),
]
EnvFile = Annotated[
    Path | None,
    typer.Option("--env-file", metavar="FILE", help="NAME=value lines with the key and tenant."),
]
CaBundle = Annotated[
    Path | None,
    typer.Option("--ca-bundle", metavar="FILE", help="Certificates of a company's proxy."),
]
CompareWith = Annotated[
    Path | None,
    typer.Option(
        "--compare-with",
        metavar="OTHER",
        help="After capturing (or for an --out that is there): what was restated since OTHER.",
    ),
]
Tries = Annotated[int, typer.Option("--tries", min=1, max=20, help="How often to ask at most.")]
Timeout = Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds to wait for data.")]


def command(
    out: Out = None,
    period: opt.Month = None,
    since: opt.Since = None,
    until: opt.Until = None,
    base_url: BaseUrl = None,
    env_file: EnvFile = None,
    ca_bundle: CaBundle = None,
    compare_with: CompareWith = None,
    tries: Tries = 5,
    timeout: Timeout = 30.0,
    output_format: opt.OutputFormat = opt.Format.table,
    quiet: opt.Quiet = False,
) -> None:
    """Capture LightHouse's API reads, byte for byte, with where and when they came from.

    Keys come from AAL_TENANT, AAL_KEY, CF_ACCESS_CLIENT_ID and CF_ACCESS_CLIENT_SECRET.

    Example: verify fetch --period 2026-10 --out captures/2026-10
    """
    from verify.errors import UsageProblem
    from verify.period import Period, month_period, parse_date
    from verify.render.safe import visible

    if out is None:
        raise UsageProblem("no place to capture into", advice="Name it with --out.")
    tell = notice_to_stderr(quiet)
    if not (compare_with is not None and out.is_dir() and any(out.iterdir())):
        from verify.systems.lighthouse.fetch import Conduct, access_from, fetch, read_env_file

        if period is not None and since is None and until is None:
            asked = month_period(period, "UTC")
        elif period is None and since is not None and until is not None:
            asked = Period(parse_date(since), parse_date(until), "UTC")
        else:
            raise UsageProblem("name --period YYYY-MM, or both --since and --until")
        environment = {**os.environ, **(read_env_file(env_file) if env_file else {})}
        conduct = Conduct(tries=tries, timeout=timeout, ca_bundle=ca_bundle, tell=tell)
        made = fetch(access_from(environment, base_url), asked, out, conduct)
        tell(f"captured {asked.label} into {made}")
        if compare_with is None:
            typer.echo(visible(str(made)))
    if compare_with is not None:
        from verify.compare.restated import restated
        from verify.render import restatement
        from verify.systems import system_named

        product = system_named("lighthouse")
        changes = restated(product.read_claims(compare_with), product.read_claims(out))
        deliver(restatement.rendered(changes, output_format.value), None)
        if changes:
            raise typer.Exit(1)
