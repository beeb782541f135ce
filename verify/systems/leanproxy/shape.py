"""What a line of a usage store holds: every field that the product decodes, with its type.

The fields that figures are made of are stated by the product's documentation; the types of the
others follow from what it writes. A value of another type makes the product skip the line, so the
whole shape matters, not only what is counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

INTEGER = "an integer of 64 bits"
COUNT = "an integer of 64 bits that is not negative"
FLAG = "true or false"
TEXT = "a string"
STAMP = "an RFC 3339 timestamp"

Kind = object
Shape = Mapping[str, Kind]


@dataclass(frozen=True)
class Part:
    """A field that holds an object. `optional`: null takes it away; otherwise null changes
    nothing."""

    shape: Shape
    optional: bool = False

    @cached_property
    def counters(self) -> bool:
        """Whether every field of it is an integer."""
        return all(kind is INTEGER for kind in self.shape.values())


@dataclass(frozen=True)
class Many:
    """A field that holds an array of objects."""

    shape: Shape


_SAVINGS = (
    "projected",
    "projection_saved_tokens",
    "dedup_hits",
    "dedup_saved_tokens",
    "summarized",
    "summarize_saved_tokens",
    "summarize_fallbacks",
)
_SIZES = ("results", "truncated", "original_tokens", "returned_tokens")

TOOL: Shape = {"tool": TEXT, **dict.fromkeys((*_SIZES, *_SAVINGS), INTEGER)}
_STORE: Shape = {
    "entries": INTEGER,
    "bytes": INTEGER,
    "evictions": COUNT,
    "expirations": COUNT,
    "disk": FLAG,
}
GOVERNOR: Shape = {
    **dict.fromkeys(("enabled", "default_projections", "dedup_enabled", "summarize_enabled"), FLAG),
    **dict.fromkeys((*_SIZES, *_SAVINGS, "saved_tokens"), INTEGER),
    **dict.fromkeys(("max_tokens", "spilled", "read_result_calls", "projection_rules"), INTEGER),
    "store": Part(_STORE),
    "by_tool": Many(TOOL),
}
_CACHE: Shape = {
    "enabled": FLAG,
    "hits": COUNT,
    "misses": COUNT,
    "evictions": COUNT,
    "bytes": INTEGER,
    "entries": INTEGER,
}
TELEMETRY: Shape = dict.fromkeys(
    (
        "requests_total",
        "errors_total",
        "redactions_total",
        "injection_detections_total",
        "cache_hits_total",
        "cache_misses_total",
        "policy_decisions_total",
        "rate_limit_waits_total",
        "tool_pin_events_total",
        "requests_in_flight",
        "governor_results_total",
        "governor_truncations_total",
        "governor_tokens_saved_total",
        "governor_projections_total",
        "governor_projection_tokens_saved_total",
        "governor_dedup_hits_total",
        "governor_dedup_tokens_saved_total",
        "governor_summarizations_total",
        "governor_summarization_tokens_saved_total",
        "governor_summarization_fallbacks_total",
        "schema_listings_total",
        "schema_native_tokens_total",
        "schema_sent_tokens_total",
        "discovery_calls_total",
        "discovery_tokens_total",
    ),
    INTEGER,
)
SNAPSHOT: Shape = {
    "telemetry": Part(TELEMETRY),
    "response_governor": Part(GOVERNOR, optional=True),
    "response_cache": Part(_CACHE, optional=True),
}
LINE: Shape = {
    "timestamp": STAMP,
    "session_id": TEXT,
    "pid": INTEGER,
    "estimator": TEXT,
    "snapshot": Part(SNAPSHOT),
}


class Telemetry(NamedTuple):
    """The counters of `telemetry` that figures are made of: plain token sums and counts."""

    schema_listings_total: int = 0
    schema_native_tokens_total: int = 0
    schema_sent_tokens_total: int = 0
    discovery_calls_total: int = 0
    discovery_tokens_total: int = 0


class Governor(NamedTuple):
    """The counters of `response_governor` that figures are made of."""

    results: int = 0
    truncated: int = 0
    original_tokens: int = 0
    returned_tokens: int = 0
    saved_tokens: int = 0
    projected: int = 0
    projection_saved_tokens: int = 0
    dedup_hits: int = 0
    dedup_saved_tokens: int = 0
    summarized: int = 0
    summarize_saved_tokens: int = 0
    summarize_fallbacks: int = 0


class Tool(NamedTuple):
    """One tool's results within a session."""

    tool: str = ""
    results: int = 0
    original_tokens: int = 0
    returned_tokens: int = 0


class Snapshot(NamedTuple):
    """A session's cumulative counters. `governor` is None while the response governor is off."""

    telemetry: Telemetry = Telemetry()
    governor: Governor | None = None
    tools: tuple[Tool, ...] = ()


EMPTY = Snapshot()
