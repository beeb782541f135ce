"""`verify recompute`: the savings, from the raw records."""

from __future__ import annotations

import typer

from verify.cli import options as opt
from verify.cli.output import deliver, in_colour, notice_to_stderr, terminal_width


def command(
    export: opt.Export = None,
    lever: opt.Levers = None,
    period: opt.Month = None,
    since: opt.Since = None,
    until: opt.Until = None,
    tz: opt.TimeZone = None,
    by: opt.By = None,
    baseline_model: opt.BaselineModel = None,
    method: opt.Method = None,
    fields: opt.Fields = None,
    now: opt.Now = None,
    settings: opt.Settings = None,
    min_coverage: opt.MinCoverage = None,
    output_format: opt.OutputFormat = opt.Format.table,
    output: opt.Output = None,
    system: opt.System = None,
    manifest_sha256: opt.Pin = None,
    manifest: opt.Manifest = None,
    unverified: opt.Unverified = False,
    skip_invalid: opt.SkipInvalid = False,
    no_cache: opt.NoCache = False,
    engine: opt.Engine = opt.EngineName.duckdb,
    cross_check: opt.CrossCheck = False,
    master: opt.Master = None,
    quiet: opt.Quiet = False,
) -> None:
    """Recompute the savings from the raw records, exactly.

    Example: verify recompute --lever caching --period 2026-10 --by model

    Example: verify recompute ~/exports/2026-10.tar.gz --by agent --format csv -o agents.csv

    Example: verify recompute --method zone=UTC
    """
    from verify.asking import recomputed
    from verify.cli.locate import opened
    from verify.cli.questions import coverage_share, question
    from verify.findings import lines_left_out
    from verify.render import recomputation
    from verify.render.jsontext import dumps

    least = coverage_share(min_coverage)
    product, opened_export = opened(
        export,
        system,
        pin=manifest_sha256,
        manifest=manifest,
        unverified=unverified,
        skip_invalid=skip_invalid,
        no_cache=no_cache,
        fields=fields,
        engine=engine.value,
        cross_check=cross_check,
        master=master,
        notice=notice_to_stderr(quiet),
        quiet=quiet,
        output=output,
    )
    asked = question(
        product, lever, period, since, until, tz, by, baseline_model, method, now, settings
    )
    with opened_export:
        result = recomputed(opened_export, asked)
    if output_format is opt.Format.json:
        answer = dumps(result.as_json())
    elif output_format is opt.Format.csv:
        answer = recomputation.csv(result, measures=product.measures, unusual=dict(asked.switches))
    elif output_format is opt.Format.md:
        answer = recomputation.markdown(
            result, measures=product.measures, unusual=dict(asked.switches)
        )
    else:
        answer = recomputation.table(
            result,
            measures=product.measures,
            width=terminal_width(),
            colour=in_colour(output),
            unusual=dict(asked.switches),
        )
    deliver(answer, output)
    skipped = lines_left_out(result.findings)
    if result.export.trust == "unverified":
        raise typer.Exit(3)
    if skipped or any(not result_lever.conclusive(least) for result_lever in result.levers):
        raise typer.Exit(4)
