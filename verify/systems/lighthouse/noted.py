"""What is odd about the records behind the figures, from frames: `findings.sql` said once more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from verify.findings import EXAMPLES
from verify.systems.lighthouse.expressions import TOKENS, newest_profiles
from verify.systems.lighthouse.levers import PRICES
from verify.systems.lighthouse.typed import microseconds
from verify.systems.lighthouse.world import World

_RELATIONS_OF = {
    "caching": ("model_call", "models"),
    "retrieval": ("retrieval",),
    "routing": ("routing_decision",),
    "infrastructure": ("deployment_profile", "cost"),
}


def findings_of(world: World, bad_rates: list[str]) -> list[dict[str, Any]]:
    """By lever, a code of the registry, how often, and the first lines; `bad_rates` are the
    sampling rates of the period that lie outside (0, 1]."""
    found = [
        {
            "lever": lever,
            "code": code,
            "found": len(lines),
            "examples": lines.sort().head(EXAMPLES).to_list(),
        }
        for lever, code, lines in _noted(world, bad_rates)
    ]
    missing = {"lever": "infrastructure", "code": "days_without_cost"}
    return [*found, {**missing, "found": _days_without_cost(world), "examples": []}]


def _noted(world: World, bad_rates: list[str]) -> Iterator[tuple[str, str, pl.Series]]:
    calls, searches = world.within("model_call"), world.within("retrieval")

    def lines(records: pl.DataFrame, *which: pl.Expr) -> pl.Series:
        return records.filter(*which)["line"]

    def negative(*names: str) -> pl.Expr:
        return pl.any_horizontal(*((pl.col(name) < 0).fill_null(False) for name in names))

    yield "caching", "negative_tokens", lines(calls, negative(*TOKENS))
    known = pl.col("outcome").is_in(["ok", "error", "refused"])
    yield "caching", "outcome_unknown", lines(calls, pl.col("outcome").is_not_null(), ~known)
    priced = world.card.filter(pl.col("input_per_m").is_not_null())
    without = calls.join(priced, on=["deployment", "model"], how="anti")
    yield "caching", "model_without_card", lines(without)
    yield "caching", "negative_money", lines(world.card, negative(*PRICES))
    scope = negative("corpus_tokens_in_scope", "context_tokens_sent")
    yield "retrieval", "negative_scope", lines(searches, scope)
    rate = pl.col("sample_rate").is_in(pl.Series(bad_rates, dtype=pl.String).implode())
    yield "retrieval", "rate_out_of_range", lines(searches, rate)
    decisions = world.within("routing_decision")
    yield "routing", "negative_money", lines(decisions, pl.col("negative_costs") > 0)
    costs = world.within("cost").filter(pl.col("kind") == "infrastructure")
    yield "infrastructure", "negative_money", lines(costs, pl.col("usd") < 0)
    profiles = world.before_end("deployment_profile")
    named = pl.col("profile").is_in(["always_on", "scheduled", "ephemeral"]).fill_null(False)
    yield "infrastructure", "profile_unknown", lines(profiles, ~named)
    yield "infrastructure", "profile_changed", _changed(world)
    for lever, relations in _RELATIONS_OF.items():
        naive = [lines(world.within(relation), pl.col("ts_naive")) for relation in relations]
        yield lever, "timestamp_without_offset", pl.concat(naive)


def _changed(world: World) -> pl.Series:
    """The profiles of the period that differ from the one before them."""
    profiles = world.before_end("deployment_profile").sort("ts", "ts_sub", "line")

    def before(name: str) -> pl.Expr:
        return pl.col(name).shift(1).over("deployment")

    differs = pl.any_horizontal(
        pl.col(name).ne_missing(before(name)) for name in ("profile", "always_on_usd_per_hour")
    )
    marked = profiles.with_columns(changed=before("line").is_not_null() & differs)
    start = microseconds(world.period.start)
    return marked.filter("changed", pl.col("ts") >= start)["line"]


def _days_without_cost(world: World) -> int:
    """Days of deployments that do report costs, but not on that day."""
    costs = world.within("cost").filter(
        pl.col("kind") == "infrastructure", pl.col("usd").is_not_null()
    )
    watched = newest_profiles(world).filter(pl.col("profile").ne_missing("always_on"))
    fed = costs.join(watched, on="deployment", how="semi")
    days = sum(1 for day in world.period.days() if day.start < day.end)
    covered = world.keyed(fed, "day").select("deployment", "key").n_unique() if len(fed) else 0
    return fed["deployment"].n_unique() * days - covered
