"""`verify replay`: run a sign-off again and compare."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verify.cli import options as opt
from verify.cli.output import deliver, notice_to_stderr

Place = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of the sign-off.")]
Where = Annotated[
    Path | None,
    typer.Option("--export", metavar="EXPORT", help="Where the export lies now."),
]
Figures = Annotated[
    Path | None,
    typer.Option("--figures", metavar="API", help="Where the captured figures lie now."),
]
PublicKey = Annotated[
    Path | None,
    typer.Option("--public-key", metavar="PEM", help="Check the signature with this Ed25519 key."),
]


def command(
    place: Place,
    export: Where = None,
    figures: Figures = None,
    manifest: opt.Manifest = None,
    public_key: PublicKey = None,
    output_format: opt.OutputFormat = opt.Format.table,
    output: opt.Output = None,
    no_cache: opt.NoCache = False,
    quiet: opt.Quiet = False,
) -> None:
    """Check every digest of a sign-off, recompute it, and name whatever is not as attested.

    Exit 0 only when all is identical; 3 when an input, a document, the policy or the signature is
    not what was signed off; 1 when another figure, version or query comes of the same inputs; 4
    when there is a signature and no --public-key to check it with.

    Example: verify replay 2026-10-signoff --public-key public.pem
    """
    from verify.errors import UsageProblem
    from verify.render.jsontext import dumps
    from verify.signoff.folder import spared
    from verify.signoff.replay import replay
    from verify.signoff.told import replay_text

    if output_format not in (opt.Format.table, opt.Format.json):
        raise UsageProblem(f"replay has no {output_format} form", advice="Use table or json.")
    if output is not None:
        spared(place, output)
    found = replay(
        place,
        export=export,
        figures=figures,
        manifest=manifest,
        public_key=public_key,
        cache=not no_cache,
        notice=notice_to_stderr(quiet),
    )
    json_wanted = output_format is opt.Format.json
    deliver(dumps(found.as_json()) if json_wanted else replay_text(found), output)
    if found.exit_code:
        raise typer.Exit(found.exit_code)
