"""`verify diff`: tie the product's figures out against its own records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verify.cli import options as opt
from verify.cli.output import deliver, in_colour, notice_to_stderr, terminal_width

EXIT = {"agrees": 0, "differs": 1, "inconclusive": 4}

Figures = Annotated[
    Path | None,
    typer.Option(
        "--figures",
        metavar="API",
        help="The product's figures: a directory of captured reads, one JSON document, one CSV, "
        "or another recompute --format json. May be left out where the export carries them.",
    ),
]
Only = Annotated[
    str | None,
    typer.Option(
        "--only",
        metavar="VERDICT",
        help="Show only rows of that verdict, e.g. differs. The exit code is that of all rows.",
    ),
]


def command(
    export: opt.Export = None,
    figures: Figures = None,
    lever: opt.Levers = None,
    period: opt.Month = None,
    since: opt.Since = None,
    until: opt.Until = None,
    tz: opt.TimeZone = None,
    baseline_model: opt.BaselineModel = None,
    method: opt.Method = None,
    fields: opt.Fields = None,
    now: opt.Now = None,
    settings: opt.Settings = None,
    tolerance: opt.Tolerance = None,
    min_coverage: opt.MinCoverage = None,
    only: Only = None,
    output_format: opt.OutputFormat = opt.Format.table,
    output: opt.Output = None,
    system: opt.System = None,
    manifest_sha256: opt.Pin = None,
    manifest: opt.Manifest = None,
    unverified: opt.Unverified = False,
    skip_invalid: opt.SkipInvalid = False,
    no_cache: opt.NoCache = False,
    quiet: opt.Quiet = False,
) -> None:
    """Tie every figure the product shows out against its own records.

    Example: verify diff ~/exports/2026-10 --figures ~/exports/2026-10/api --tolerance abs=1.00

    Example: verify diff ~/exports/2026-10 --figures caching.csv --only differs --format csv

    Example: verify diff report.json
    """
    from verify.asking import claims_of
    from verify.cli.locate import find_export, opened
    from verify.cli.questions import coverage_share, question
    from verify.compare.run import run_diff
    from verify.compare.verdicts import VERDICTS
    from verify.compare.verdicts import Tolerance as Materiality
    from verify.errors import UsageProblem
    from verify.render import diff as renderer
    from verify.render.jsontext import dumps
    from verify.systems import system_for

    if only is not None and only not in VERDICTS:
        raise UsageProblem(
            f"there is no verdict {only!r}", advice=f"There are {', '.join(VERDICTS)}."
        )
    materiality = Materiality() if tolerance is None else Materiality.parse(tolerance)
    least = coverage_share(min_coverage)
    notice = notice_to_stderr(quiet)
    place = find_export(export, notice)
    product = system_for(place, system)
    asked = question(
        product, lever, period, since, until, tz, None, baseline_model, method, now, settings
    )
    claims = claims_of(product, figures, place)
    _, opened_export = opened(
        place,
        system,
        pin=manifest_sha256,
        manifest=manifest,
        unverified=unverified,
        skip_invalid=skip_invalid,
        no_cache=no_cache,
        fields=fields,
        notice=notice,
        quiet=quiet,
        figures=figures,
        output=output,
    )
    with opened_export:
        result = run_diff(
            product, opened_export, claims, asked, tolerance=materiality, least_coverage=least
        )
    unusual = dict(asked.switches)
    shown = result if only is None else result.only(only)
    if output_format is opt.Format.json:
        answer = dumps(shown.as_json())
    elif output_format is opt.Format.csv:
        answer = renderer.csv(shown, unusual=unusual)
    elif output_format is opt.Format.md:
        answer = renderer.markdown(shown, unusual=unusual)
    else:
        answer = renderer.table(
            shown, width=terminal_width(), colour=in_colour(output), unusual=unusual
        )
    deliver(answer, output)
    if result.export.trust == "unverified":
        raise typer.Exit(3)
    if code := EXIT[result.verdict]:
        raise typer.Exit(code)
