"""What a LightHouse record holds: the one table of record types, attributes and their kinds.

The strict line reader, the loader's columns, `check --shape` and the JSON Schemas all follow this
table. `stated` says whether the product's own documentation names the attribute; what it does not
name is our reading, and is changed here when a real export shows otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Attribute:
    """An attribute of a record type that a lever reads.

    `kind` is `text`, `count` (an integer), `amount` (an exact decimal in USD), `rate` (a decimal
    of any length), `flag` (true or false), or one of the nested `price`, `limits`, `candidates`.
    """

    name: str
    kind: str
    stated: bool
    required: bool = False


def _attributes(stated: str, reading: str, required: str = "") -> tuple[Attribute, ...]:
    found = []
    for names, is_stated in ((stated, True), (reading, False)):
        for item in names.split():
            name, _, kind = item.partition(":")
            found.append(Attribute(name, kind or "text", is_stated, name in required.split()))
    return tuple(found)


ATTRIBUTES: dict[str, tuple[Attribute, ...]] = {
    "models": _attributes(
        "model price:price limits:limits",
        "provider snapshot complete:flag size:count",
        required="model",
    ),
    "model_call": _attributes(
        "model pack outcome cache_read_tokens:count cache_write_tokens:count",
        "input_tokens:count output_tokens:count id agent provider",
        required="model",
    ),
    "retrieval": _attributes(
        "pack corpus_tokens_in_scope:count context_tokens_sent:count sample_rate:rate",
        "id agent index model",
    ),
    "routing_decision": _attributes(
        "candidates:candidates", "picked baseline applied:flag id agent pack"
    ),
    "deployment_profile": _attributes("", "profile always_on_usd_per_hour:amount"),
    "cost": _attributes("", "kind usd:amount"),
}

# The levers whose figures a record of a type can reach. A call says which models were called, and
# whether a cache was read: searches are priced by both.
TOUCHES: dict[str, tuple[str, ...]] = {
    "models": ("retrieval", "caching", "routing"),
    "model_call": ("retrieval", "caching", "routing"),
    "retrieval": ("retrieval",),
    "routing_decision": ("routing",),
    "deployment_profile": ("infrastructure",),
    "cost": ("infrastructure",),
}

PRICE = ("input_per_m", "output_per_m", "cache_read_per_m", "cache_write_per_m")
LIMITS = ("context_tokens", "context_window")
CANDIDATE = ("model", "cost_usd")

RECORD_TYPES = tuple(ATTRIBUTES)
TOP = ("type", "deployment", "ts", "attrs")

# Every attribute that some lever reads, once, in a fixed order: the columns of the loader.
COLUMNS: tuple[str, ...] = tuple(
    dict.fromkeys(attribute.name for group in ATTRIBUTES.values() for attribute in group)
)

# What the strict reader adds to a line it has read again: its number, and the digits of its
# timestamp beyond the microsecond. A line of the export that holds such a key is itself in doubt.
LINE = "verify:line"
FINER = "verify:finer"
