"""The options that commands share, in one table, so that one name means one thing everywhere."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """How an answer is printed."""

    table = "table"
    json = "json"
    csv = "csv"
    md = "md"


class EngineName(StrEnum):
    """What computes the groups."""

    duckdb = "duckdb"
    polars = "polars"
    spark = "spark"


Export = Annotated[
    Path | None,
    typer.Argument(
        metavar="[EXPORT]",
        help="A directory or an archive. Default: $VERIFY_EXPORT, else this directory, else the "
        "checkout's sample.",
        show_default=False,
    ),
]
System = Annotated[
    str | None,
    typer.Option("--system", metavar="NAME", help="The product, instead of recognising it."),
]
Pin = Annotated[
    str | None,
    typer.Option(
        "--manifest-sha256",
        metavar="HEX",
        help="The manifest's SHA-256 as you received it another way.",
    ),
]
Manifest = Annotated[
    Path | None,
    typer.Option(
        "--manifest",
        metavar="FILE",
        help="A manifest that lies elsewhere, as check --write-manifest makes it.",
    ),
]
Unverified = Annotated[
    bool,
    typer.Option("--unverified", help="Go on although the check failed; every output says so."),
]
SkipInvalid = Annotated[
    bool,
    typer.Option("--skip-invalid", help="Leave invalid lines out; ends with exit 4 at best."),
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Read the export itself; keep and use nothing stored.")
]
Engine = Annotated[
    EngineName, typer.Option("--engine", help="What parses the records and computes the groups.")
]
CrossCheck = Annotated[
    bool,
    typer.Option(
        "--cross-check",
        help="Compute with a second engine as well; a difference in any group is exit 3.",
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="URL",
        help="The cluster of --engine spark: local[*], spark://HOST:PORT, or sc://HOST:PORT.",
    ),
]
Levers = Annotated[
    list[str] | None,
    typer.Option("--lever", metavar="NAME", help="A lever; repeat for several. Default: all."),
]
Month = Annotated[
    str | None,
    typer.Option(
        "--period",
        metavar="YYYY-MM",
        help="A calendar month. Default: the last whole month that the records cover.",
    ),
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="DATE", help="First day of the period, included.")
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="DATE", help="Last day of the period, included.")
]
TimeZone = Annotated[
    str | None,
    typer.Option("--tz", metavar="NAME", help="Time zone of the days. Default: the manifest's."),
]
By = Annotated[
    list[str] | None,
    typer.Option("--by", metavar="DIMENSION", help="Break down by it; repeat for several."),
]
BaselineModel = Annotated[
    str | None,
    typer.Option(
        "--baseline-model",
        metavar="MODEL",
        help="What would have been called: routing's counterfactual, when there is no decision.",
    ),
]
MinCoverage = Annotated[
    str | None,
    typer.Option(
        "--min-coverage",
        metavar="SHARE",
        help="Below this coverage of a lever (0.9 or 90%) the answer is inconclusive.",
    ),
]
Tolerance = Annotated[
    str | None,
    typer.Option(
        "--tolerance",
        metavar="SPEC",
        help='Materiality, stated before the run: "abs=1.00,rel=0.1%". Default: none.',
    ),
]
Method = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="SWITCH=VALUE",
        help="Recompute by another method, e.g. weights=false. Every output says so.",
    ),
]
Now = Annotated[
    str | None,
    typer.Option(
        "--now",
        metavar="TIME",
        help="The time of asking, for systems whose figures depend on it: 2026-10-01T12:00:00Z.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="An option of the product's own; repeat."),
]
Fields = Annotated[
    Path | None,
    typer.Option(
        "--fields",
        metavar="FILE",
        help="The export's own names of attributes, as TOML. Every output says so.",
    ),
]
OutputFormat = Annotated[Format, typer.Option("--format", help="How to print the answer.")]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write the answer there instead."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notices on stderr.")]
