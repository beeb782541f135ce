"""What cannot be: a saving greater than what it is measured against. And how tokens are counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from verify.compare.diagnosis import Cell, Diagnosis, Section
from verify.compare.figures import At
from verify.exact import MILLION, from_decimal, rounded, total
from verify.findings import Finding
from verify.result import LeverResult, Value
from verify.systems.lighthouse.diagnose.context import Context, exact, named_queries
from verify.systems.lighthouse.levers import sampling_weight

Baselines = dict[tuple[str, str], Fraction]


def diagnose(context: Context) -> Diagnosis:
    """Each saving beside its baseline, by deployment and in total, and the token convention."""
    queries = named_queries("plausible")
    levers = context.recomputed(("deployment",)).levers
    routed = context.rows(queries["routed"])
    baselines = _baselines(context, levers, routed)
    rows = [row for lever in levers for row in _beside(lever, baselines, context)]
    convention = context.rows(queries["convention"])
    sections = (
        Section(
            "baselines",
            "each saving beside what it is measured against",
            ("lever", "deployment", "baseline_usd", "saving_usd", "product_usd"),
            tuple(rows),
            "the baselines: sending the whole scope at the input price; cached tokens at the input "
            "price; applied decisions at their baseline; always on. deployment null is the total",
        ),
        Section(
            "cached_tokens",
            "calls that read a cache, by the size of their input",
            ("deployment", "reading", "input_smaller", "input_at_least"),
            tuple(tuple(row.values()) for row in convention),
            "cached tokens are taken as not part of input_tokens",
        ),
    )
    return Diagnosis(sections, (*_above(rows), *_convention(convention)))


def _baselines(
    context: Context, levers: Iterable[LeverResult], routed: Iterable[Mapping[str, Any]]
) -> Baselines:
    found: Baselines = {}

    def add(lever: str, deployment: str, usd: Fraction) -> None:
        at = (lever, deployment)
        found[at] = found.get(at, Fraction(0)) + usd

    for group in context.groups("retrieval", "total"):
        weight, price = sampling_weight(group["sample_rate"]), from_decimal(group["input_per_m"])
        if weight is not None and price is not None and group["measured"]:
            add(
                "retrieval", group["deployment"], group["stuffed_tokens"] * weight * price / MILLION
            )
    for group in context.groups("caching", "total"):
        price = from_decimal(group["input_per_m"])
        if price is not None:
            add("caching", group["deployment"], group["cache_read_tokens"] * price / MILLION)
    for row in routed:
        add("routing", row["deployment"], Fraction(row["whole"]) + Fraction(row["rest"]))
    for lever in levers:
        for always in lever.by.get("deployment", ()) if lever.lever == "infrastructure" else ():
            usd = always.measures["always_on_usd"]
            if usd is not None and always.measures["saved_usd"] is not None:
                add("infrastructure", str(always.key), exact(usd))
    return found


def _beside(
    lever: LeverResult, baselines: Baselines, context: Context
) -> Iterator[tuple[Cell, ...]]:
    name = lever.lever
    own = {at[1]: usd for at, usd in baselines.items() if at[0] == name}
    claimed = next((f.value for f in context.claims.figures if f.at == At(name, "usd")), None)
    product = claimed if isinstance(claimed, Fraction) else None
    if own or product is not None:
        yield (name, None, total(own.values()), lever.usd, product)
    for row in lever.by.get("deployment", ()):
        if row.key in own:
            yield (name, row.key, own[row.key], _saving(name, row.measures), None)


def _saving(lever: str, measures: Mapping[str, Value]) -> Value:
    if lever == "routing":
        return exact(measures["saving_usd"]) - exact(measures["escalation_usd"])
    return measures["usd" if lever == "retrieval" else "saved_usd"]


def _above(rows: Iterable[tuple[Cell, ...]]) -> Iterator[Finding]:
    for lever, deployment, baseline, saving, product in rows:
        where = lever if deployment is None else f"{lever} of {deployment}"
        for whose, usd in (("the records give", saving), ("the product claims", product)):
            if usd is not None and exact(usd) > exact(baseline):
                message = (
                    f"{where}: {whose} a saving of {rounded(exact(usd), 6)} USD, more than the "
                    f"{rounded(exact(baseline), 6)} USD that it is measured against"
                )
                yield Finding("saving_above_baseline", message)


def _convention(rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    reading, smaller = (sum(row[name] for row in rows) for name in ("reading", "input_smaller"))
    if not reading:
        return
    if smaller * 2 > reading:
        message = (
            f"in {smaller:,} of {reading:,} calls that read a cache the input is smaller than that"
        )
        yield Finding("cached_tokens_outside", message, smaller)
    else:
        larger = reading - smaller
        message = (
            f"in {larger:,} of {reading:,} calls that read a cache the input is at least as large"
        )
        yield Finding("cached_tokens_inside", message, larger)
