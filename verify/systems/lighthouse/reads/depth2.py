"""Depth 2: figures recomputed from the reads' own inputs, without the records.

Caching follows from tokens and card of each deployment and model. Retrieval's dollars come by
deployment, cached or not as the caching read says the deployment read a cache. Routing follows
from the decisions listed, infrastructure from the profiles, the headline from the levers as
printed. What a read does not carry the inputs of has no figure here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from verify.compare.figures import HEADLINE, At, Derived
from verify.exact import MILLION, Printed
from verify.result import cell_key
from verify.systems.lighthouse.fields import PRICE
from verify.systems.lighthouse.reads.figures import (
    RETRIEVAL_MEASURES,
    ROUTING_MEASURES,
    TOKENS,
)

Row = Mapping[str, Any]


def number(value: Any) -> Fraction | None:
    """A number of a read as it was printed, exactly; None for null or absent."""
    return None if value is None else Printed.read(value).value


def cell_saving(row: Row, card: Row | None) -> Fraction:
    """USD that a deployment and model saved by caching, from its tokens and card."""
    price = number((card or {}).get("input_per_m"))
    read_price = number((card or {}).get("cache_read_per_m"))
    if price is None or read_price is None:
        return Fraction(0)
    write_price = number((card or {}).get("cache_write_per_m"))
    premium = max((price if write_price is None else write_price) - price, Fraction(0))
    reads = (number(row.get("cache_read_tokens")) or 0) * (price - read_price)
    return (reads - (number(row.get("cache_write_tokens")) or 0) * premium) / MILLION


def from_reads(reads: Mapping[str, Any]) -> dict[At, Derived]:
    """Every figure that the reads' own inputs give, by its coordinates."""
    found: dict[At, Derived] = {}
    if "caching.group_by_deployment" in reads:
        found |= _caching_csv(reads["caching.group_by_deployment"])
    if "caching" in reads:
        found |= _caching(reads["caching"])
    if "retrieval" in reads:
        found |= _retrieval(reads["retrieval"], reads.get("caching"))
    if "routing" in reads:
        found |= _routing(reads["routing"])
    if "profiles" in reads:
        found |= _profiles(reads["profiles"])
    if "headline" in reads:
        found |= _headline(reads["headline"])
    return found


def _summed(rows: Iterable[Row], measure: str) -> Derived | None:
    values = [v for row in rows if (v := number(row.get(measure))) is not None]
    return Derived(sum(values, Fraction(0)), len(values)) if values else None


def _caching(read: Row) -> dict[At, Derived]:
    cells = read.get("by_deployment_model")
    if cells is None:
        return {}
    found: dict[At, Fraction] = {}

    def add(at: At, amount: Fraction) -> None:
        found[at] = found.get(at, Fraction(0)) + amount

    carried = [name for name in TOKENS if all(name in cell for cell in cells)]
    for measure in (*carried, "saved_usd"):
        add(At("caching", measure), Fraction(0))
    for cell in cells:
        amounts = {name: number(cell[name]) or Fraction(0) for name in carried}
        amounts["saved_usd"] = cell_saving(cell, cell.get("price"))
        for measure, amount in amounts.items():
            add(At("caching", measure), amount)
            add(At("caching", measure, "deployment", cell["deployment"]), amount)
            add(At("caching", measure, "model", cell["model"]), amount)
        key = cell_key(cell["deployment"], cell["model"])
        add(At("caching", "saved_usd", "deployment_model", key), amounts["saved_usd"])
    found[At("caching", "usd")] = found[At("caching", "saved_usd")]
    return {at: Derived(amount) for at, amount in found.items()}


def csv_cells(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """The CSV's rows as the JSON form has them, the card apart."""
    return [{**row, "price": {name: row[name] for name in PRICE if name in row}} for row in rows]


def _caching_csv(rows: Iterable[Row]) -> dict[At, Derived]:
    return {
        At(
            "caching", "saved_usd", "deployment_model", cell_key(row["deployment"], row["model"])
        ): Derived(cell_saving(row, row))
        for row in rows
    }


def _retrieval(read: Row, caching: Row | None) -> dict[At, Derived]:
    rows = read["stuffing"].get("by_deployment")
    if not rows:
        return {}
    found = {}
    for measure in RETRIEVAL_MEASURES:
        amount = _summed(rows, measure)
        if amount is not None:
            found[At("retrieval", measure)] = amount
    if caching is not None and caching.get("by_deployment") is not None:
        reading = {
            row["key"]
            for row in caching["by_deployment"]
            if (number(row.get("cache_read_tokens")) or 0) > 0
        }
        dollars = [
            number(row["usd_cached" if row["key"] in reading else "usd_uncached"]) or Fraction(0)
            for row in rows
        ]
        found[At("retrieval", "usd")] = Derived(sum(dollars, Fraction(0)), len(dollars))
    measured = found.get(At("retrieval", "measured"))
    unmeasured = found.get(At("retrieval", "unmeasured"))
    if measured is not None and unmeasured is not None:
        found[At("retrieval", "coverage_measured")] = measured
        found[At("retrieval", "coverage_total")] = Derived(measured.value + unmeasured.value)
    return found


def decision_delta(decision: Row) -> Fraction | None:
    """What the baseline would have cost more than the picked model, by the first candidate of
    each name; None where a cost is missing."""
    costs: dict[str | None, Fraction | None] = {None: None}
    for candidate in decision.get("candidates") or ():
        costs.setdefault(candidate.get("model"), number(candidate.get("cost_usd")))
    baseline, picked = costs.get(decision.get("baseline")), costs.get(decision.get("picked"))
    return None if baseline is None or picked is None else baseline - picked


def _routing(read: Row) -> dict[At, Derived]:
    sums = dict.fromkeys(ROUTING_MEASURES, Fraction(0))
    for decision in read["decisions"]:
        sums["decisions"] += 1
        delta = decision_delta(decision)
        applied = decision.get("applied") is not False
        if delta is None:
            sums["uncomparable"] += 1
        elif delta > 0:
            sums["saving_usd" if applied else "off_saving_usd"] += delta
        elif applied:
            sums["escalation_usd"] -= delta
    found = {At("routing", name): Derived(amount) for name, amount in sums.items()}
    comparable = sums["decisions"] - sums["uncomparable"]
    found[At("routing", "coverage_measured")] = Derived(comparable)
    found[At("routing", "coverage_total")] = Derived(sums["decisions"])
    if comparable:
        found[At("routing", "usd")] = Derived(sums["saving_usd"] - sums["escalation_usd"])
    return found


def _profiles(read: Row) -> dict[At, Derived]:
    rows = [row for row in read["deployments"] if row.get("profile") != "always_on"]
    known = [
        (always, actual)
        for row in rows
        if (always := number(row.get("always_on_usd"))) is not None
        and (actual := number(row.get("actual_usd"))) is not None
    ]
    found = {
        At("infrastructure", "coverage_measured"): Derived(Fraction(len(known))),
        At("infrastructure", "coverage_total"): Derived(Fraction(len(rows))),
    }
    if known:
        saved = sum((always - actual for always, actual in known), Fraction(0))
        found[At("infrastructure", "usd")] = Derived(saved, 2 * len(known))
    return found


def _headline(read: Row) -> dict[At, Derived]:
    counted = [number(lever.get("usd")) for lever in read["levers"] if lever["status"] == "ok"]
    printed = sum((usd for usd in counted if usd is not None), Fraction(0))
    return {At(HEADLINE, "usd"): Derived(printed)}
