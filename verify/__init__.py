"""Prove or refute the savings that AI products claim.

The public functions; the command line and the notebook call the same ones.

    with verify.open_export("export/") as export:
        result = verify.recompute(export, levers=["caching"], period="2026-10")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verify._version import __version__

if TYPE_CHECKING:
    from verify.result import Recomputation
    from verify.systems.base import Export

__all__ = ["__version__", "open_export", "recompute"]


def open_export(
    path: str | Path,
    *,
    system: str | None = None,
    manifest_sha256: str | None = None,
    unverified: bool = False,
    skip_invalid: bool = False,
    cache: bool = True,
) -> Export:
    """Check the export at `path` against its manifest, load it, and hand it out opened.

    `system` names the product where it is not to be recognised. Use the result in a `with` block.
    Raises `verify.errors.IntegrityFailure` with every problem found, unless `unverified`;
    `UnreadableInput` for what cannot be read at all.
    """
    from verify.systems import system_for
    from verify.systems.base import Reading

    place = Path(path)
    reading = Reading(
        manifest_sha256=manifest_sha256,
        unverified=unverified,
        skip_invalid=skip_invalid,
        cache=cache,
    )
    return system_for(place, system).open(place, reading)


def recompute(
    export: Export,
    *,
    levers: Sequence[str] = (),
    period: str | tuple[str, str] | None = None,
    time_zone: str | None = None,
    by: Sequence[str] = (),
    baseline_model: str | None = None,
    switches: Mapping[str, str | bool] | None = None,
) -> Recomputation:
    """Recompute the savings from the raw records, exactly.

    `period` is a month `YYYY-MM` or a pair of dates, both included; None is the last whole month
    that the records cover. `levers` empty means all. `by` names dimensions to break down by.
    Raises `verify.errors.UsageProblem` for a lever, dimension, zone or period that does not exist.
    """
    from verify.period import parse_date
    from verify.systems.base import Question

    month = period if isinstance(period, str) else None
    dates = period if isinstance(period, tuple) else None
    return export.recompute(
        Question(
            levers=tuple(levers),
            month=month,
            since=parse_date(dates[0]) if dates else None,
            until=parse_date(dates[1]) if dates else None,
            time_zone=time_zone,
            by=tuple(by),
            baseline_model=baseline_model,
            switches=switches or {},
        )
    )
