"""One line as a typed row, for the engines that do not parse JSON themselves.

Every line goes through the strict reader, so that what a line holds, and whether it is invalid, is
decided by the written rules alone. Rows carry integers: instants are microseconds since 1970,
amounts are counts of 10^-18 USD. The relations are those of tables.sql, without what only a tie-out
of single records asks for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal
from typing import Any, NamedTuple

from verify.systems.lighthouse.fields import FINER, PRICE
from verify.systems.lighthouse.strict import AMOUNT_PLACES, read_line

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SCALE = 10**AMOUNT_PLACES
_MICROSECOND = timedelta(microseconds=1)
_EXACT = Context(prec=64)  # more digits than any scaled amount of 128 bits has


def _relation(text: str) -> dict[str, str]:
    """The columns that a relation has, with `instant`, `text`, `count`, `amount` or `flag`."""
    columns = {"line": "count", "deployment": "text", "ts": "instant", "ts_naive": "flag"}
    for item in text.split():
        name, _, kind = item.partition(":")
        columns[name] = kind or "text"
    return columns


RELATIONS: dict[str, dict[str, str]] = {
    "model_call": _relation(
        "model pack agent provider outcome input_tokens:count output_tokens:count "
        "cache_read_tokens:count cache_write_tokens:count"
    ),
    "retrieval": _relation(
        "model pack agent index corpus_tokens_in_scope:count context_tokens_sent:count sample_rate"
    ),
    "models": _relation(
        "ts_sub model snapshot complete:flag size:count window_tokens:count input_per_m:amount "
        "output_per_m:amount cache_read_per_m:amount cache_write_per_m:amount"
    ),
    "routing_decision": _relation(
        "agent pack applied:flag picked_usd:amount baseline_usd:amount negative_costs:count"
    ),
    "deployment_profile": _relation("ts_sub profile always_on_usd_per_hour:amount"),
    "cost": _relation("kind usd:amount"),
}


class TypedLine(NamedTuple):
    """A record. `relation` is empty, and so is `row`, for a type that no lever reads."""

    relation: str
    row: tuple[Any, ...]


def typed_line(raw: bytes, names: Mapping[str, str], line: int) -> TypedLine | None:
    """The record on a line, None for a blank one. Raises InvalidLine.

    `names` maps an attribute of the contract to the export's own name for it.
    """
    text = read_line(raw, names)
    if text is None:
        return None
    record = json.loads(text)
    kind = record["type"]
    if kind not in RELATIONS:
        return TypedLine("", ())
    attrs = record["attrs"]
    head = (line, record["deployment"], _instant(record["ts"]), not record["ts"].endswith("Z"))
    return TypedLine(kind, head + _READERS.get(kind, _plainly)(kind, attrs))


def scaled(amount: str | None) -> int | None:
    """A plain decimal of at most 18 places, in units of 10^-18."""
    return None if amount is None else int(Decimal(amount).scaleb(AMOUNT_PLACES, _EXACT))


def unscaled(amount: int | None) -> Decimal | None:
    """The decimal that an amount in units of 10^-18 is."""
    return None if amount is None else Decimal(amount).scaleb(-AMOUNT_PLACES, _EXACT)


def microseconds(instant: datetime) -> int:
    """Since 1970."""
    return (instant - EPOCH) // _MICROSECOND


def instant_at(since_1970: int | None) -> datetime | None:
    """The instant, in UTC, of so many microseconds."""
    return None if since_1970 is None else EPOCH + timedelta(microseconds=since_1970)


def _instant(text: str) -> int:
    return microseconds(datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=UTC))


def _plainly(kind: str, attrs: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(attrs.get(name) for name in _OWN[kind])


def _model(_: str, attrs: Mapping[str, Any]) -> tuple[Any, ...]:
    limits, price = attrs.get("limits", {}), attrs.get("price", {})
    return (
        attrs.get(FINER, ""),
        attrs["model"],
        attrs["snapshot"],
        attrs.get("complete"),
        attrs.get("size"),
        limits.get("context_tokens", limits.get("context_window")),
        *(scaled(price.get(name)) for name in PRICE),
    )


def _decision(_: str, attrs: Mapping[str, Any]) -> tuple[Any, ...]:
    candidates = attrs.get("candidates", ())

    def cost(model: str | None) -> int | None:
        named = (c["cost_usd"] for c in candidates if model is not None and c["model"] == model)
        return scaled(next(named, None))

    return (
        attrs.get("agent"),
        attrs.get("pack"),
        attrs.get("applied", True),
        cost(attrs.get("picked")),
        cost(attrs.get("baseline")),
        sum(1 for c in candidates if (c["cost_usd"] or "").startswith("-")),
    )


def _profile(_: str, attrs: Mapping[str, Any]) -> tuple[Any, ...]:
    rate = scaled(attrs.get("always_on_usd_per_hour"))
    return attrs.get(FINER, ""), attrs.get("profile"), rate


def _cost(_: str, attrs: Mapping[str, Any]) -> tuple[Any, ...]:
    return attrs.get("kind"), scaled(attrs.get("usd"))


_OWN = {kind: tuple(columns)[4:] for kind, columns in RELATIONS.items()}
_READERS = {
    "models": _model,
    "routing_decision": _decision,
    "deployment_profile": _profile,
    "cost": _cost,
}
