"""`verify.sign_off`: the sign-off as a public function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

    from verify.compare.verdicts import Tolerance
    from verify.signoff.result import SignOff


def _silent(_: str) -> None:
    return None


def sign_off(
    export: str | Path,
    figures: str | Path | None = None,
    *,
    out: str | Path,
    key: str | Path | None = None,
    tolerance: str | Tolerance | None = None,
    min_coverage: str | Fraction | None = None,
    levers: str | Sequence[str] = (),
    period: str | tuple[str | date, str | date] | None = None,
    since: str | date | datetime | None = None,
    until: str | date | None = None,
    time_zone: str | None = None,
    baseline_model: str | None = None,
    now: str | datetime | None = None,
    options: Mapping[str, str] | None = None,
    switches: Mapping[str, str | bool] | None = None,
    largest: int = 2,
    system: str | None = None,
    manifest_sha256: str | None = None,
    manifest: str | Path | None = None,
    skip_invalid: bool = False,
    fields: str | Path | None = None,
    cache: bool = True,
    notice: Callable[[str], None] = _silent,
) -> SignOff:
    """Tie the product's figures out and write the documents that a controller signs into `out`.

    `out` is a new directory: signoff.xlsx, signoff.html, signoff.md, signoff.json and
    attestation.json are put there in one step. `period` is a month `2026-10`, a quarter `2026-Q4`
    or two dates, and has to be that of the figures. `tolerance` and `min_coverage` are the policy;
    `notice` is told its digest before the export is opened. `key` is the PEM file of an Ed25519 key
    that signs. The rest is as in `diff`. Raises `verify.errors.IntegrityFailure`, with nothing
    written; `UsageProblem` and `UnreadableInput`.
    """
    from verify.asking import coverage_share, question, reading
    from verify.compare.verdicts import Tolerance
    from verify.signoff.folder import claimed, write
    from verify.signoff.make import make
    from verify.signoff.policy import Policy
    from verify.signoff.quarter import quarter_dates
    from verify.signoff.request import Request
    from verify.systems import system_for

    if isinstance(tolerance, str):
        tolerance = Tolerance.parse(tolerance)
    least = coverage_share(min_coverage) if isinstance(min_coverage, str) else min_coverage
    place, target = Path(export), Path(out)
    product = system_for(place, system)
    asked = question(
        product,
        levers=levers,
        period=(quarter_dates(period) or period) if isinstance(period, str) else period,
        since=since,
        until=until,
        time_zone=time_zone,
        baseline_model=baseline_model,
        now=now,
        options=options,
        switches=switches,
    )
    how = reading(
        product,
        manifest_sha256=manifest_sha256,
        manifest=None if manifest is None else Path(manifest),
        unverified=False,
        skip_invalid=skip_invalid,
        cache=cache,
        fields=None if fields is None else Path(fields),
        notice=notice,
    )
    captured = None if figures is None else Path(figures)
    policy = Policy(tolerance or Tolerance(), least)
    request = Request(place, captured, system, policy, asked, how, largest)
    claimed(target, request)
    signer = None
    if key is not None:
        from verify.signoff.dsse import private_key

        signer = private_key(Path(key))
    result = make(request, notice)
    write(result, target, request, signer)
    return result
