"""The levers' groups as Polars expressions: the second calculation.

Each function yields the same integer groups as the `.sql` file of its name, whose head has the
formula; the steps are Polars' own. Groups of few rows meet their prices after the records are
summed, where the SQL joins first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from verify.engines.polars import exact_sum, exact_sum_or_null, rest_of, rows_of, whole_of
from verify.systems.lighthouse.levers import PRICES
from verify.systems.lighthouse.typed import SCALE, instant_at, unscaled
from verify.systems.lighthouse.world import World

Choices = Mapping[str, Any]
TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
DEFAULT_WINDOW = 200_000
_AMOUNTS = (*PRICES, *(f"base_{name}" for name in PRICES), "always_on_usd_per_hour", "actual_rest")
_RESTS = ("saving_rest", "escalation_rest", "off_saving_rest")
_CONVERTERS = {"snapshot_at": instant_at} | dict.fromkeys((*_AMOUNTS, *_RESTS), unscaled)
_NOT_REFUSED = pl.col("outcome").ne_missing("refused")


def _tokens() -> list[pl.Expr]:
    return [exact_sum(pl.col(name).filter(pl.col(name) > 0)).alias(name) for name in TOKENS]


def caching(world: World, choices: Choices) -> pl.DataFrame:
    """Tokens by key, deployment and model, beside the card."""
    calls = world.keyed(world.within("model_call"), choices["dimension"])
    if not choices["refused_in_caching"]:
        calls = calls.filter(_NOT_REFUSED)
    groups = calls.group_by("key", "deployment", "model").agg(
        pl.len().alias("calls"), (pl.col("cache_read_tokens") >= 0).sum().alias("reported"),
        *_tokens(),
    )  # fmt: skip
    on_card = world.card.select(
        "deployment", "model", "snapshot", "snapshot_at", pl.col("line").alias("card_line"), *PRICES
    )
    return groups.join(on_card, on=["deployment", "model"], how="left")


def counterfactual(world: World, choices: Choices) -> pl.DataFrame:
    """Tokens of unrefused calls by deployment and model, beside its card and the baseline's."""
    groups = (
        world.within("model_call")
        .filter(_NOT_REFUSED)
        .group_by("deployment", "model")
        .agg(pl.len().alias("calls"), *_tokens())
    )
    own = world.card.select("deployment", "model", *PRICES)
    base = world.card.filter(pl.col("model") == choices["baseline_model"]).select(
        "deployment", *(pl.col(name).alias(f"base_{name}") for name in PRICES)
    )
    joined = groups.join(own, on=["deployment", "model"], how="left")
    return joined.join(base, on="deployment", how="left")


def reads_cache(world: World, choices: Choices) -> pl.DataFrame:  # noqa: ARG001
    """The deployments that read from a cache at all."""
    reading = world.within("model_call").filter(pl.col("cache_read_tokens") > 0)
    return reading.select("deployment").unique()


def retrieval(world: World, choices: Choices) -> pl.DataFrame:
    """Tokens of searches by key, deployment, sampling rate and prices."""
    searches = _priced_searches(world, choices)
    window = pl.col("window_tokens").fill_null(DEFAULT_WINDOW)
    scope = pl.col("corpus_tokens_in_scope")
    if choices["unmeasured_as_window"]:
        scope = scope.fill_null(window)
    sent = pl.col("context_tokens_sent")
    measured = ((scope >= 0) & (sent >= 0)).fill_null(False)
    stuffed = pl.min_horizontal(scope, window)
    avoided = pl.max_horizontal(stuffed - sent, pl.lit(0)) if choices["clamp"] else stuffed - sent

    def of_measured(value: pl.Expr) -> pl.Expr:
        return exact_sum_or_null(value.filter(measured))

    return searches.group_by(
        "key", "deployment", "sample_rate", "input_per_m", "cache_read_per_m"
    ).agg(
        measured=measured.sum(),
        unmeasured=measured.not_().sum(),
        stuffed_tokens=of_measured(stuffed),
        sent_tokens=of_measured(sent),
        tokens_avoided=of_measured(avoided),
    )


def _priced_searches(world: World, choices: Choices) -> pl.DataFrame:
    """The searches of the period, each with its window and the prices that it is valued at."""
    calls = world.within("model_call")
    if not choices["refused_in_called"]:
        calls = calls.filter(_NOT_REFUSED)
    card = world.card.select("deployment", "model", "window_tokens", "input_per_m",
                             "cache_read_per_m")  # fmt: skip
    called = calls.select("deployment", "pack", "model").unique()
    on_card = called.join(card, on=["deployment", "model"])
    priced = pl.col("input_per_m").is_not_null()
    known = on_card.filter(pl.col("window_tokens") > 0)
    if choices["window_priced_only"]:
        known = known.filter(priced)
    windows = known.group_by("deployment", "pack").agg(pl.col("window_tokens").min())
    cheapest = (
        on_card.filter(priced)
        .sort("input_per_m", "model")
        .unique(["deployment", "pack"], keep="first", maintain_order=True)
        .select("deployment", "pack", "input_per_m", "cache_read_per_m")
    )
    own = card.filter(priced).select("deployment", "model", own_input="input_per_m",
                                     own_read="cache_read_per_m")  # fmt: skip
    pack = ["deployment", "pack"]
    own_priced = pl.col("own_input").is_not_null()
    return (
        world.keyed(world.within("retrieval"), choices["dimension"])
        .join(windows, on=pack, how="left", nulls_equal=True)
        .join(cheapest, on=pack, how="left", nulls_equal=True)
        .join(own, on=["deployment", "model"], how="left")
        .with_columns(
            input_per_m=pl.when(own_priced).then("own_input").otherwise("input_per_m"),
            cache_read_per_m=pl.when(own_priced).then("own_read").otherwise("cache_read_per_m"),
        )
    )


def routing(world: World, choices: Choices) -> pl.DataFrame:
    """Decisions, and what they saved and cost more, by key."""
    decisions = world.keyed(world.within("routing_decision"), choices["dimension"])
    picked, baseline, applied = pl.col("picked_usd"), pl.col("baseline_usd"), pl.col("applied")
    whole = whole_of(baseline, SCALE) - whole_of(picked, SCALE)
    rest = rest_of(baseline, SCALE) - rest_of(picked, SCALE)
    sums = {}
    for name, which, sign in (
        ("saving", applied & (baseline > picked), 1),
        ("escalation", applied & (baseline < picked), -1),
        ("off_saving", ~applied & (baseline > picked), 1),
    ):
        sums[f"{name}_whole"] = exact_sum_or_null(whole.filter(which) * sign)
        sums[f"{name}_rest"] = exact_sum_or_null(rest.filter(which) * sign)
    return decisions.group_by("key").agg(
        **sums, decisions=pl.len(), uncomparable=whole.is_null().sum()
    )


def infrastructure(world: World, choices: Choices) -> pl.DataFrame:  # noqa: ARG001
    """Deployments that are not always on: profile, rate and costs."""
    spent = (
        world.within("cost")
        .filter(pl.col("kind") == "infrastructure", pl.col("usd").is_not_null())
        .group_by("deployment")
        .agg(
            actual_whole=exact_sum(whole_of(pl.col("usd"), SCALE)),
            actual_rest=exact_sum(rest_of(pl.col("usd"), SCALE)),
        )
    )
    eligible = newest_profiles(world).filter(pl.col("profile").ne_missing("always_on"))
    joined = eligible.join(spent, on="deployment", how="left")
    return joined.select(
        "deployment", "profile", "always_on_usd_per_hour", "actual_whole", "actual_rest"
    )


def newest_profiles(world: World) -> pl.DataFrame:
    """Each deployment's newest profile before the end of the period; on a tie the later line."""
    listed = world.before_end("deployment_profile").sort("ts", "ts_sub", "line")
    return listed.unique("deployment", keep="last", maintain_order=True)


GROUPS: dict[str, Callable[[World, Choices], pl.DataFrame]] = {
    "retrieval": retrieval,
    "caching": caching,
    "routing": routing,
    "infrastructure": infrastructure,
    "counterfactual": counterfactual,
    "reads_cache": reads_cache,
}


def groups_of(query: str, world: World, choices: Choices) -> list[dict[str, Any]]:
    """The rows that the query of that name yields."""
    return rows_of(GROUPS[query](world, choices), _CONVERTERS)
