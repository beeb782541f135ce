"""The commands, in the order in which a newcomer meets them."""

from __future__ import annotations

from typing import Annotated

import typer

from verify._version import __version__
from verify.cli import (
    cache,
    check,
    diff,
    explain,
    explainers,
    fetch,
    recompute,
    replay,
    sample,
    signoff,
)

app = typer.Typer(
    name="verify",
    help="Prove or refute the savings that AI products claim, from their raw usage records.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"verify {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Say the version."),
    ] = False,
) -> None:
    """Prove or refute the savings that AI products claim, from their raw usage records."""


app.command("check")(check.command)
app.command("recompute")(recompute.command)
app.command("diff")(diff.command)
app.command("explain")(explain.command)
app.command("fetch")(fetch.command)
app.command("signoff")(signoff.command)
app.command("replay")(replay.command)
app.command("sample")(sample.command)
app.add_typer(cache.app, name="cache")
app.command("lever")(explainers.lever)
app.command("finding")(explainers.finding)
