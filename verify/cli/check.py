"""`verify check`: is the export what its manifest says, well-formed and complete?"""

from __future__ import annotations

from typing import Any

import typer

from verify.cli import options as opt
from verify.cli.output import complain, deliver, in_colour, notice_to_stderr, terminal_width
from verify.errors import IntegrityFailure
from verify.systems.base import Question


def command(
    export: opt.Export = None,
    tz: opt.TimeZone = None,
    output_format: opt.OutputFormat = opt.Format.table,
    output: opt.Output = None,
    system: opt.System = None,
    manifest_sha256: opt.Pin = None,
    unverified: opt.Unverified = False,
    skip_invalid: opt.SkipInvalid = False,
    no_cache: opt.NoCache = False,
    quiet: opt.Quiet = False,
) -> None:
    """Check the export against its manifest, and describe what is in it.

    Example: verify check ~/exports/2026-10 --manifest-sha256 9f86d081...
    """
    from verify.cli.locate import opened
    from verify.render import check as renderer
    from verify.render.jsontext import dumps

    try:
        _, opened_export = opened(
            export,
            system,
            pin=manifest_sha256,
            unverified=unverified,
            skip_invalid=skip_invalid,
            no_cache=no_cache,
            notice=notice_to_stderr(quiet),
        )
    except IntegrityFailure as failure:
        if output_format is opt.Format.json:
            deliver(dumps(failure_document(failure)), output)
        complain(failure)
        raise typer.Exit(failure.exit_code) from None
    with opened_export:
        result = opened_export.check(Question(time_zone=tz))
    if output_format is opt.Format.json:
        answer = dumps(result.as_json())
    elif output_format is opt.Format.csv:
        answer = renderer.csv(result)
    elif output_format is opt.Format.md:
        answer = renderer.markdown(result)
    else:
        answer = renderer.table(result, width=terminal_width(), colour=in_colour(output))
    deliver(answer, output)
    if result.export.trust == "unverified":
        raise typer.Exit(3)
    if not result.sound:
        raise typer.Exit(4)


def failure_document(failure: IntegrityFailure) -> dict[str, Any]:
    """What `check --format json` prints for an export that failed: every problem."""
    return {
        "sound": False,
        "problems": [
            {
                "code": problem.code,
                "where": problem.where,
                "message": problem.message,
                "line": problem.line,
            }
            for problem in failure.problems
        ],
    }
