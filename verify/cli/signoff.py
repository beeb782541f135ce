"""`verify signoff`: the finance documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verify.cli import options as opt
from verify.cli.output import deliver, notice_to_stderr

Figures = Annotated[
    Path | None,
    typer.Option("--figures", metavar="API", help="The product's figures, as for verify diff."),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="The new directory for the documents."),
]
Key = Annotated[
    Path | None,
    typer.Option("--key", metavar="PEM", help="Sign the attestation with this Ed25519 key."),
]
Month = Annotated[
    str | None,
    typer.Option(
        "--period",
        metavar="PERIOD",
        help="A month 2026-10 or a quarter 2026-Q4. Default: that of the figures.",
    ),
]
Largest = Annotated[
    int,
    typer.Option(
        "--largest", min=1, max=3, metavar="N", help="Look for causes in sets of up to N choices."
    ),
]


def command(
    export: opt.Export = None,
    figures: Figures = None,
    out: Out = None,
    key: Key = None,
    lever: opt.Levers = None,
    period: Month = None,
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
    largest: Largest = 2,
    system: opt.System = None,
    manifest_sha256: opt.Pin = None,
    manifest: opt.Manifest = None,
    skip_invalid: opt.SkipInvalid = False,
    no_cache: opt.NoCache = False,
    quiet: opt.Quiet = False,
) -> None:
    """Write the documents that a controller signs: workbook, page, note, data and attestation.

    The exit code is that of the diff; the documents are written all the same. On an integrity
    failure nothing is written.

    Example: verify signoff ~/exports/2026-10 --figures ~/exports/2026-10/api --out 2026-10-signoff
    """
    from verify.cli.locate import find_export
    from verify.cli.questions import question
    from verify.errors import UsageProblem
    from verify.render.safe import visible
    from verify.signoff.api import sign_off
    from verify.signoff.words import STAMPS, conclusion
    from verify.systems import system_for

    if out is None:
        raise UsageProblem("no place for the documents", advice="Name it with --out.")
    notice = notice_to_stderr(quiet)
    place = find_export(export, notice)
    product = system_for(place, system)
    terms = question(product, None, None, None, None, None, None, None, method, None, settings)
    result = sign_off(
        place,
        figures,
        out=out,
        key=key,
        tolerance=tolerance,
        min_coverage=min_coverage,
        levers=lever or (),
        period=period,
        since=since,
        until=until,
        time_zone=tz,
        baseline_model=baseline_model,
        now=now,
        options=terms.options,
        switches=terms.switches,
        largest=largest,
        system=system,
        manifest_sha256=manifest_sha256,
        manifest=manifest,
        skip_invalid=skip_invalid,
        fields=fields,
        cache=not no_cache,
        notice=notice,
    )
    signed = "signed" if key is not None else "not signed; --key signs it"
    deliver(
        f"{STAMPS[result.verdict]}: {visible(conclusion(result))}\n"
        f"{visible(str(out))}: signoff.xlsx, signoff.html, signoff.md, signoff.json, "
        f"attestation.json ({signed})\n",
        None,
    )
    if result.exit_code:
        raise typer.Exit(result.exit_code)
