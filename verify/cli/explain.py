"""`verify explain`: why the product's figures and the records part."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verify.cli import options as opt
from verify.cli.diff import EXIT
from verify.cli.output import deliver, in_colour, notice_to_stderr, terminal_width

Figures = Annotated[
    Path | None,
    typer.Option("--figures", metavar="API", help="The product's figures, as for verify diff."),
]
Largest = Annotated[
    int,
    typer.Option(
        "--largest", min=1, max=3, metavar="N", help="Try sets of up to so many other choices."
    ),
]

PacketTo = Annotated[
    Path | None,
    typer.Option(
        "--packet", metavar="DIR", help="Also make a directory to send to the product's vendor."
    ),
]
Redact = Annotated[
    bool, typer.Option("--redact", help="Replace names of agents and packs in the packet.")
]


def command(
    export: opt.Export = None,
    figures: Figures = None,
    period: opt.Month = None,
    since: opt.Since = None,
    until: opt.Until = None,
    tz: opt.TimeZone = None,
    baseline_model: opt.BaselineModel = None,
    largest: Largest = 2,
    packet: PacketTo = None,
    redact: Redact = False,
    output_format: opt.OutputFormat = opt.Format.table,
    output: opt.Output = None,
    system: opt.System = None,
    fields: opt.Fields = None,
    manifest_sha256: opt.Pin = None,
    manifest: opt.Manifest = None,
    unverified: opt.Unverified = False,
    skip_invalid: opt.SkipInvalid = False,
    no_cache: opt.NoCache = False,
    quiet: opt.Quiet = False,
) -> None:
    """Find why the product's figures differ: other choices of the method that give them.

    Every other choice of every switch is tried, then every pair. The exit code is that of the
    diff: an explained difference is a difference.

    Example: verify explain ~/exports/2026-10 --figures ~/exports/2026-10/api
    """
    from verify.asking import claims_of
    from verify.cli.locate import find_export, opened
    from verify.cli.questions import question
    from verify.compare.explain import explain
    from verify.compare.packet import require_free, write_packet
    from verify.errors import UsageProblem
    from verify.render import explanation as renderer
    from verify.render.jsontext import dumps
    from verify.systems import system_for

    notice = notice_to_stderr(quiet)
    if redact and packet is None:
        raise UsageProblem("--redact is about a packet", advice="Name one with --packet DIR.")
    if packet is not None:
        require_free(packet)
    place = find_export(export, notice)
    product = system_for(place, system)
    asked = question(product, None, period, since, until, tz, None, baseline_model, None)
    claims = claims_of(product, figures, place)
    _, opened_export = opened(
        place,
        system,
        pin=manifest_sha256,
        manifest=manifest,
        fields=fields,
        unverified=unverified,
        skip_invalid=skip_invalid,
        no_cache=no_cache,
        notice=notice,
        quiet=quiet,
        figures=figures,
        output=output,
    )
    with opened_export:
        told = explain(product, opened_export, claims, asked, largest=largest, diagnosed=True)
        if packet is not None:
            made = write_packet(product, opened_export, told, asked, packet, redact)
            notice(f"{packet} holds {len(made.evidence)} sets of records that show it")
    if output_format is opt.Format.json:
        answer = dumps(told.as_json())
    elif output_format is opt.Format.csv:
        answer = renderer.csv(told)
    elif output_format is opt.Format.md:
        answer = renderer.markdown(told)
    else:
        answer = renderer.table(told, width=terminal_width(), colour=in_colour(output))
    deliver(answer, output)
    if told.diff.export.trust == "unverified":
        raise typer.Exit(3)
    if code := EXIT[told.diff.verdict]:
        raise typer.Exit(code)
