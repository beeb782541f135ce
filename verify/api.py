"""The public functions. The command line and the notebooks call the same code as these.

    with verify.open_export("export/") as export:
        result = verify.recompute(export, levers=["caching"], period="2026-10", by=["model"])
        tied = verify.diff(export, "export/api")
        told = verify.explain(export, "export/api")

Results are plain immutable objects with exact values (`int` and `Fraction`), a form of their own in
notebooks, `as_json()` as the command line prints it, and `to_polars()`. Nothing heavy is imported
before it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

    from verify.compare.explain import Explanation
    from verify.compare.figures import Claims
    from verify.compare.tieout import Diff
    from verify.compare.verdicts import Tolerance
    from verify.result import Recomputation
    from verify.systems.base import Check, Export, System

Place = str | Path
Period = str | tuple[str | date, str | date]


def sample_export(name: str = "lighthouse") -> Path:
    """Where the sample export of that name lies: in the checkout, or inside the installed package.

    `lighthouse` agrees with its figures; in `lighthouse-planted` the product counted days in UTC
    instead of its own zone. `leanproxy/four-sessions/usage`, `mcp-savings` and `prompt2md` are of
    the other products.
    Raises `verify.errors.UsageProblem` for a name that is none.
    """
    from verify.samples import sample_export as found

    return found(name)


def open_export(
    path: Place,
    *,
    system: str | None = None,
    manifest_sha256: str | None = None,
    manifest: Place | None = None,
    unverified: bool = False,
    skip_invalid: bool = False,
    fields: Place | None = None,
    cache: bool = True,
    engine: str = "duckdb",
    cross_check: bool = False,
    master: str | None = None,
    notice: Callable[[str], None] | None = None,
) -> Export:
    """Check the export at `path` against its manifest, load it, and hand it out opened.

    `system` names the product where it is not to be recognised; `manifest_sha256` pins the
    manifest; `manifest` is one that lies elsewhere, for products that write none; `fields` is a
    TOML file with the export's own names of attributes; `engine` computes the figures (`duckdb`,
    `polars`, `spark` on the cluster `master`), and `cross_check` holds them against a second one;
    `notice` is called with what a person should know. Use the result in a `with` block.
    Raises `verify.errors.IntegrityFailure` with every problem found, unless `unverified`;
    `UnreadableInput` for what cannot be read at all; `UsageProblem` for what does not apply.
    """
    from verify.asking import reading
    from verify.systems import system_for

    place = Path(path)
    product = system_for(place, system)
    how = reading(
        product,
        manifest_sha256=manifest_sha256,
        manifest=None if manifest is None else Path(manifest),
        unverified=unverified,
        skip_invalid=skip_invalid,
        cache=cache,
        fields=None if fields is None else Path(fields),
        engine=engine,
        cross_check=cross_check,
        master=master,
        notice=notice,
    )
    return product.open(place, how)


def check(export: Export, *, time_zone: str | None = None) -> Check:
    """What is in the export: files with their digests, records by type, deployment and local day.

    Days are those of `time_zone`, else the manifest's. Raises `verify.errors.UsageProblem`.
    """
    from verify.systems.base import Question

    return export.check(Question(time_zone=time_zone))


def recompute(
    export: Export,
    *,
    levers: str | Sequence[str] = (),
    period: Period | None = None,
    since: str | date | datetime | None = None,
    until: str | date | None = None,
    time_zone: str | None = None,
    by: str | Sequence[str] = (),
    baseline_model: str | None = None,
    now: str | datetime | None = None,
    options: Mapping[str, str] | None = None,
    switches: Mapping[str, str | bool] | None = None,
) -> Recomputation:
    """Recompute the savings from the raw records, exactly.

    `period` is a month `YYYY-MM` or a pair of dates, both included; `since` and `until` say the
    same one by one. None is the last whole month that the records cover. A product without periods
    takes `since` as an instant, and `now`, the time of asking. `levers` empty means all; `by` names
    dimensions to break down by; `baseline_model` is what routing's counterfactual compares with;
    `options` are the product's own; `switches` set the method otherwise than stated.
    Raises `verify.errors.UsageProblem` for a lever, dimension, zone or period that does not exist.
    """
    from verify.asking import question, recomputed

    asked = question(
        _system(export),
        levers=levers,
        period=period,
        since=since,
        until=until,
        time_zone=time_zone,
        by=by,
        baseline_model=baseline_model,
        now=now,
        options=options,
        switches=switches,
    )
    return recomputed(export, asked)


def read_figures(path: Place, *, system: str | None = None) -> Claims:
    """The product's figures: a captured directory, one JSON document or one CSV read.

    `system` names the product whose reads they are (`lighthouse`, `leanproxy`, …). None: `path` is
    an export that carries its own figures, as those of prompt2md and mcp-savings do.
    Raises `verify.errors.UnreadableInput` for what is none, `UsageProblem` when there are none.
    """
    from verify.asking import claims_of
    from verify.systems import system_for, system_named

    place = Path(path)
    if system is None:
        return claims_of(system_for(place, None), None, place)
    return claims_of(system_named(system), place, place)


def diff(
    export: Export,
    figures: Place | Claims,
    *,
    levers: str | Sequence[str] = (),
    period: Period | None = None,
    since: str | date | datetime | None = None,
    until: str | date | None = None,
    time_zone: str | None = None,
    baseline_model: str | None = None,
    now: str | datetime | None = None,
    options: Mapping[str, str] | None = None,
    switches: Mapping[str, str | bool] | None = None,
    tolerance: str | Tolerance | None = None,
    min_coverage: str | Fraction | None = None,
) -> Diff:
    """Tie every figure that the product shows out against its own records.

    `figures` is a capture, or what `read_figures` made of one. The period is the figures' own;
    another one is refused. `tolerance` is materiality, `"abs=1.00,rel=0.1%"`, default none; below
    `min_coverage` (`"90%"`) of a lever the answer is inconclusive. The rest is as in `recompute`.
    Raises `verify.errors.UsageProblem` and `UnreadableInput`.
    """
    from verify.asking import coverage_share, question
    from verify.compare.run import run_diff
    from verify.compare.verdicts import Tolerance

    system = _system(export)
    asked = question(
        system,
        levers=levers,
        period=period,
        since=since,
        until=until,
        time_zone=time_zone,
        baseline_model=baseline_model,
        now=now,
        options=options,
        switches=switches,
    )
    if tolerance is None:
        tolerance = Tolerance()
    return run_diff(
        system,
        export,
        _claims(system, figures),
        asked,
        tolerance=Tolerance.parse(tolerance) if isinstance(tolerance, str) else tolerance,
        least_coverage=coverage_share(min_coverage)
        if isinstance(min_coverage, str)
        else min_coverage,
    )


def explain(
    export: Export,
    figures: Place | Claims,
    *,
    period: Period | None = None,
    since: str | date | datetime | None = None,
    until: str | date | None = None,
    time_zone: str | None = None,
    baseline_model: str | None = None,
    largest: int = 2,
    diagnosed: bool = True,
) -> Explanation:
    """Why the product's figures differ: the smallest sets of other choices that give them.

    Every other choice of every switch of the method is tried, then every set of up to `largest`
    (1 to 3). The waterfall of a figure adds up to its difference exactly. `diagnosed` says besides
    what the records show about the figures, such as sampling intervals, as `.diagnosis`.
    Raises `verify.errors.UsageProblem`, also for a product without other choices.
    """
    from verify.asking import question
    from verify.compare.explain import explain as find_causes
    from verify.errors import UsageProblem

    if largest not in (1, 2, 3):
        raise UsageProblem(f"largest is 1, 2 or 3, not {largest}")
    system = _system(export)
    asked = question(
        system,
        period=period,
        since=since,
        until=until,
        time_zone=time_zone,
        baseline_model=baseline_model,
    )
    return find_causes(
        system, export, _claims(system, figures), asked, largest=largest, diagnosed=diagnosed
    )


def _system(export: Export) -> System:
    from verify.systems import system_named

    return system_named(export.identity.system)


def _claims(system: System, figures: Place | Claims) -> Claims:
    return system.read_claims(Path(figures)) if isinstance(figures, str | Path) else figures
