"""Questions and openings, as the public functions and the command line both make them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path

from verify.compare.figures import Claims
from verify.errors import UsageProblem
from verify.exact import given_share
from verify.period import parse_date, parse_instant
from verify.result import Recomputation
from verify.systems.base import Export, Question, Reading, System

DUCKDB = "duckdb"
Dates = tuple[str | date, str | date]


def question(
    system: System,
    *,
    levers: str | Sequence[str] = (),
    period: str | Dates | None = None,
    since: str | date | datetime | None = None,
    until: str | date | None = None,
    time_zone: str | None = None,
    by: str | Sequence[str] = (),
    baseline_model: str | None = None,
    now: str | datetime | None = None,
    options: Mapping[str, str] | None = None,
    switches: Mapping[str, str | bool] | None = None,
) -> Question:
    """The question. Texts are parsed; one name may stand for a sequence of one.

    Raises UsageProblem for what cannot be read, does not fit together, or does not exist.
    """
    if period is not None and (since is not None or until is not None):
        raise UsageProblem("a period is a month or its days, and since and until are days: use one")
    if isinstance(period, tuple):
        since, until = period
    for name in options or ():
        if name not in system.options:
            known = ", ".join(f"{key} ({meaning})" for key, meaning in system.options.items())
            raise UsageProblem(
                f"{system.title} has no option {name!r}",
                advice=f"It has {known}." if known else "It has none of its own.",
            )
    return Question(
        levers=_several(levers),
        month=period if isinstance(period, str) else None,
        since=_date_or_instant(since) if isinstance(since, str) else since,
        until=parse_date(until) if isinstance(until, str) else until,
        time_zone=time_zone,
        by=tuple(dict.fromkeys(_several(by))),
        baseline_model=baseline_model,
        now=parse_instant(now) if isinstance(now, str) else now,
        options=dict(options or {}),
        switches=dict(switches or {}),
    )


def _several(names: str | Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _date_or_instant(text: str) -> date | datetime:
    return parse_date(text) if len(text) <= 10 else parse_instant(text)


def coverage_share(text: str | None) -> Fraction | None:
    """`0.9` or `90%` as a fraction of 1. Raises UsageProblem."""
    if text is None:
        return None
    try:
        share, _ = given_share(text)
        if share > 1:
            raise ValueError(text)
    except (ValueError, ZeroDivisionError):
        raise UsageProblem(f"{text!r} is not a share", advice="Write it as 0.9 or 90%.") from None
    return share


def reading(
    system: System,
    *,
    manifest_sha256: str | None,
    manifest: Path | None,
    unverified: bool,
    skip_invalid: bool,
    cache: bool,
    fields: Path | None,
    engine: str = DUCKDB,
    cross_check: bool = False,
    master: str | None = None,
    notice: Callable[[str], None] | None = None,
) -> Reading:
    """How an export of `system` is to be read; `fields` is a file for `read_fields`.

    Raises UsageProblem for what does not apply to the system.
    """
    from verify.fieldnames import read_fields

    if manifest is not None and not getattr(system, "takes_manifest", False):
        raise UsageProblem(
            f"--manifest does not apply: an export of {system.title} is checked against its own"
        )
    engines = getattr(system, "engines", (DUCKDB,))
    if engine not in engines:
        raise UsageProblem(
            f"{system.title} has no engine {engine!r}", advice=f"It has {', '.join(engines)}."
        )
    if cross_check and len(engines) == 1:
        raise UsageProblem(f"{system.title} has one engine, and a cross-check takes two")
    if master is not None and engine != "spark":
        raise UsageProblem("--master names the cluster of --engine spark")
    made = Reading(
        manifest=manifest,
        manifest_sha256=_hex(manifest_sha256),
        unverified=unverified,
        skip_invalid=skip_invalid,
        cache=cache,
        fields=read_fields(fields, system),
        engine=engine,
        cross_check=cross_check,
        master=master,
    )
    return made if notice is None else replace(made, notice=notice)


def _hex(pin: str | None) -> str | None:
    if pin is None:
        return None
    digits = pin.strip().lower()
    if len(digits) != 64 or set(digits) - set("0123456789abcdef"):
        raise UsageProblem("--manifest-sha256 takes 64 hex digits")
    return digits


def recomputed(export: Export, asked: Question) -> Recomputation:
    """The answer, which names the switches that were asked to be otherwise than stated."""
    return replace(export.recompute(asked), unusual=dict(asked.switches))


def claims_of(system: System, figures: Path | None, place: Path) -> Claims:
    """The product's figures captured at `figures`; None: those the export at `place` carries.

    Raises UnreadableInput, and UsageProblem when there are none.
    """
    found = system.carried_claims(place) if figures is None else system.read_claims(figures)
    if found is None:
        beside = place / "api"
        example = f", e.g. --figures {beside}" if beside.is_dir() else ""
        raise UsageProblem(
            "no figures given",
            advice=f"Name the product's captured figures with --figures{example}, or see verify "
            "recompute.",
        )
    return found
