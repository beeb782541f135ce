"""What every rendering says in the same words: trust, coverage, findings, amounts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, TypeGuard

from verify.exact import plain, rounded
from verify.findings import Finding
from verify.period import Period, Stretch, utc_text
from verify.render.safe import DASH, ELLIPSIS, shown_key, visible
from verify.result import Coverage, ExportIdentity, Value

if TYPE_CHECKING:
    from verify.compare.explanation import Explanation

MONEY_PLACES = 6
ROUNDED = "rounded for reading; --format json has every digit"
UNVERIFIED = (
    "UNVERIFIED: the export failed its check and was read all the same. "
    "No figure from it proves anything."
)

_TRUST = {
    "pinned": "the files fit the manifest, and the manifest is the one whose digest was given",
    "unauthenticated": "the files fit the manifest; nobody vouched for the manifest itself",
    "unmanifested": "there is no manifest: a change of the files would not be noticed",
    "unverified": "the export failed its check and was read all the same",
}


def loud_words(export: ExportIdentity, unusual: Mapping[str, Value]) -> list[str]:
    """What must stand above every figure: a failed check, another method than the stated one."""
    warnings = [UNVERIFIED] if export.trust == "unverified" else []
    if unusual:
        switches = (f"{visible(name)}={visible(exact(value))}" for name, value in unusual.items())
        warnings.append(f"NOT BY THE STATED METHOD: {', '.join(switches)}")
    return warnings


def export_words(
    export: ExportIdentity, *, digits: int | None = None, period: Period | Stretch | None = None
) -> list[tuple[str, str]]:
    """Whose figures these are and for when, which bytes were read, and who vouches for them.

    `digits` shortens the digest.
    """
    digest = visible(export.sha256)
    if digits is not None and len(digest) > digits:
        digest = digest[:digits] + ELLIPSIS
    meaning = _TRUST.get(export.trust)
    product = visible(export.system)
    whose = f"{shown_key(export.tenant)} ({product})"
    return [
        ("product", product) if export.tenant is None else ("tenant", whose),
        *(_period_words(period) if period else ()),
        ("export", f"{export.records:,} records, SHA-256 {digest}"),
        ("trust", visible(export.trust) + (f": {meaning}" if meaning else "")),
    ]


def _period_words(period: Period | Stretch) -> list[tuple[str, str]]:
    if isinstance(period, Stretch):
        return [("period", period.label)]
    hours = amount_words(period.hours, "hours")
    instants = f"{utc_text(period.start)} until, not including, {utc_text(period.end)}"
    return [
        ("period", f"{period.label} in {visible(period.time_zone)}, {hours}"),
        ("from", instants),
    ]


def places_for(unit: str, values: Iterable[Value]) -> int:
    """Decimals that a column of `unit` shows: money 6, prices as many as they need (2 to 6), other
    amounts none while all are whole, else 2."""
    if unit == "USD":
        return MONEY_PLACES
    amounts = [Fraction(value) for value in values if is_number(value)]
    if unit.startswith("USD"):
        fitting = (places for places in range(2, MONEY_PLACES) if _whole(amounts, places))
        return next(fitting, MONEY_PLACES)
    return 0 if _whole(amounts, 0) else 2


def _whole(amounts: Iterable[Fraction], places: int) -> bool:
    return all((amount * 10**places).denominator == 1 for amount in amounts)


def is_number(value: Value) -> TypeGuard[int | Fraction]:
    """Whether `value` is an amount or a count. A truth value is neither."""
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def amount(value: Value, places: int) -> str:
    """A value for people to read: a number to `places`, a dash for None, names made visible."""
    if value is None:
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    return visible(value) if isinstance(value, str) else rounded(value, places)


def exact(value: Value) -> str:
    """A value as exact text; empty for None, names as they are."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else plain(value)


def coverage_words(coverage: Coverage) -> str:
    """`922 of 1,092  84.4 %`. Only what is whole shows 100, and only what is empty shows 0."""
    counts = f"{coverage.measured:,} of {coverage.total:,}"
    share = coverage.share
    if share is None:
        return f"{counts}  {DASH}"
    percent = rounded(share * 100, 1)
    if share not in (0, 1):
        percent = {"0.0": "<0.1", "100.0": ">99.9"}.get(percent, percent)
    return f"{counts}  {percent} %"


def sets_that_fit(told: Explanation) -> str:
    """How many sets of choices fit, and how many of them are listed."""
    listed, fitting = len(told.sets), told.fitting
    if not told.unheld:
        return f"{fitting:,} sets of choices that the records cannot tell apart"
    return (
        f"{fitting:,} sets of choices, {listed:,} of them listed: {told.unheld:,} more fit the "
        "totals as well, and were not held against every row"
    )


def amount_words(value: Value, unit: str) -> str:
    """A single amount with its unit."""
    text = amount(value, places_for(unit, [value]))
    return f"{text} {unit}" if unit and value is not None else text


def detail_unit(name: str) -> str:
    """The unit of a lever's detail, which has no measure to say it."""
    return "USD" if "usd" in name.split("_") else ""


def finding_words(finding: Finding) -> str:
    """The message, and the lines that show it."""
    text = visible(finding.message)
    if not finding.examples:
        return text
    noun = "line" if finding.count == 1 and len(finding.examples) == 1 else "lines"
    more = " …" if finding.count > len(finding.examples) else ""
    return f"{text} ({noun} {', '.join(str(line) for line in finding.examples)}{more})"
