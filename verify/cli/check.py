"""`verify check`: is the export what its manifest says, well-formed and complete?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verify.cli import options as opt
from verify.cli.output import complain, deliver, in_colour, notice_to_stderr, terminal_width
from verify.errors import IntegrityFailure, UnreadableInput, UsageProblem
from verify.findings import lines_left_out
from verify.systems.base import Check, Export, Question, System

if TYPE_CHECKING:
    from verify.cli.closer import Looked

Deep = Annotated[
    bool,
    typer.Option("--deep", help="Hold every byte to RFC 8259, every record to its JSON Schema."),
]
Shape = Annotated[
    bool,
    typer.Option("--shape", help="Show each field found, beside those that are expected."),
]

WriteManifest = Annotated[
    Path | None,
    typer.Option(
        "--write-manifest",
        metavar="OUT",
        help="Write a sha256 manifest of the export as it is now, for later runs.",
    ),
]

Opener = Callable[..., tuple[System, Export]]
Looker = Callable[[Export], "Looked"]


def command(
    export: opt.Export = None,
    tz: opt.TimeZone = None,
    deep: Deep = False,
    shape: Shape = False,
    fields: opt.Fields = None,
    output_format: opt.OutputFormat = opt.Format.table,
    output: opt.Output = None,
    system: opt.System = None,
    manifest_sha256: opt.Pin = None,
    manifest: opt.Manifest = None,
    unverified: opt.Unverified = False,
    skip_invalid: opt.SkipInvalid = False,
    no_cache: opt.NoCache = False,
    write_manifest: WriteManifest = None,
    quiet: opt.Quiet = False,
) -> None:
    """Check the export against its manifest, and describe what is in it.

    Example: verify check ~/exports/2026-10 --manifest-sha256 9f86d081...

    Example: verify check ~/exports/2026-10 --shape

    Example: verify check ~/.leanproxy/usage --write-manifest usage.sums
    """
    from verify.cli.closer import closer_looks, look_closer
    from verify.cli.locate import find_export, opened
    from verify.fieldnames import read_fields
    from verify.systems import system_for

    notice = notice_to_stderr(quiet)
    place = find_export(export, notice)
    product = system_for(place, system)
    if write_manifest is not None and not getattr(product, "takes_manifest", False):
        raise UsageProblem(
            f"--write-manifest does not apply: an export of {product.title} is never checked "
            "against a manifest that was made here"
        )
    looks = closer_looks(product, deep=deep, shape=shape)
    names = read_fields(fields, product)
    opener = partial(
        opened,
        place,
        system,
        pin=manifest_sha256,
        manifest=manifest,
        no_cache=no_cache,
        fields=fields,
        quiet=quiet,
        output=output,
    )
    looker = partial(look_closer, looks, fields=names, quiet=quiet)
    noted = {"fields": names} if names else {}
    try:
        _, opened_export = opener(unverified=unverified, skip_invalid=skip_invalid, notice=notice)
        with opened_export:
            ordinary = opened_export.check(Question(time_zone=tz))
            looked = looker(opened_export)
        result = _with(ordinary, looked, noted)
    except IntegrityFailure as failure:
        despite = _despite(failure, opener, looker, noted) if looks else None
        if output_format is opt.Format.json:
            found = {} if despite is None else despite.document
            _deliver_json({**failure_document(failure), **noted, **found}, output)
        elif despite is not None:
            _deliver(despite, output_format, output)
        complain(failure)
        raise typer.Exit(failure.exit_code) from None
    if output_format is opt.Format.json:
        _deliver_json(result.as_json(), output)
    else:
        _deliver(result, output_format, output)
    if looked.wrong or result.export.trust == "unverified":
        raise typer.Exit(3)
    if write_manifest is not None:
        from verify.cli.sums import write_sums

        write_sums(place, write_manifest, result.document, notice)
    if not result.sound:
        skipped = lines_left_out(result.findings)
        raise typer.Exit(4 if skipped else 3)


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


def _with(check: Check, looked: Looked, noted: Mapping[str, Any]) -> Check:
    """The check with what the closer looks found."""
    document = {**check.document, **noted, **looked.document}
    if "not_checked" in document:
        left = [what for what in document["not_checked"] if what not in looked.covers]
        document["not_checked"] = left
    return replace(
        check,
        sound=check.sound and not looked.wrong,
        findings=(*check.findings, *looked.findings),
        document=document,
    )


def _despite(
    failure: IntegrityFailure, opener: Opener, looker: Looker, noted: Mapping[str, Any]
) -> Check | None:
    """What the closer looks find in an export that failed its check, as far as it can be read. What
    else is wrong is told."""
    try:
        _, export = opener(unverified=True, skip_invalid=True, notice=notice_to_stderr(True))
        with export:
            bare = Check(export.identity, False, export.findings, {})
            return _with(bare, looker(export), noted)
    except (IntegrityFailure, UnreadableInput) as error:
        if isinstance(error, UnreadableInput) or error.problems != failure.problems:
            complain(error)
        return None


def _deliver(result: Check, output_format: opt.Format, output: Path | None) -> None:
    from verify.render import check as renderer

    if output_format is opt.Format.csv:
        answer = renderer.csv(result)
    elif output_format is opt.Format.md:
        answer = renderer.markdown(result)
    else:
        answer = renderer.table(result, width=terminal_width(), colour=in_colour(output))
    deliver(answer, output)


def _deliver_json(document: dict[str, Any], output: Path | None) -> None:
    from verify.render.jsontext import dumps

    deliver(dumps(document), output)
