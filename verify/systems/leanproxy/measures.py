"""What is recomputed: the report's mechanisms, its totals, and the dashboard's windows.

The first six levers are rows of the product's report. `report` is its totals and breakdowns,
`today` and `week` are the windows. They count the same tokens, so levers are never added up:
`report` is the total, in which discovery, a cost, is not.
"""

from __future__ import annotations

from verify.result import Measure
from verify.systems.leanproxy.report import (
    DEDUP,
    DISCOVERY,
    MECHANISMS,
    PROJECTION,
    SCHEMA,
    SUMMARIZATION,
    TRUNCATION,
)
from verify.systems.leanproxy.windows import TODAY, VIEWS, WEEK

REPORT = "report"
WINDOWS = (TODAY, WEEK)
LEVERS = (*MECHANISMS, REPORT, *WINDOWS)

DIMENSIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(MECHANISMS, ("session", "day")),
    REPORT: ("tool", "server", "session", "day"),
    **dict.fromkeys(WINDOWS, ("tool", "server")),
}

PRICE, VIEW, SINCE = "price_per_mtok", "view", "since"
OPTIONS = {
    PRICE: "USD per million tokens, for what the saved tokens would have cost",
    VIEW: f"which of the product's readers makes the windows: {' or '.join(VIEWS)}",
    SINCE: "the report's cut to the nanosecond, where --since is too coarse",
}

_TOKENS = "tokens"
_SAVED = Measure("saved_tokens", _TOKENS, "saved")

MEASURES: dict[str, tuple[Measure, ...]] = {
    SCHEMA: (
        _SAVED,
        Measure("original_tokens", _TOKENS, "native"),
        Measure("resulting_tokens", _TOKENS, "sent"),
        Measure("calls", "", "listings"),
    ),
    TRUNCATION: (
        _SAVED,
        Measure("original_tokens", _TOKENS, "original"),
        Measure("resulting_tokens", _TOKENS, "returned"),
        Measure("calls", "", "truncated"),
    ),
    PROJECTION: (_SAVED, Measure("calls", "", "projected")),
    DEDUP: (_SAVED, Measure("calls", "", "hits")),
    SUMMARIZATION: (
        _SAVED,
        Measure("calls", "", "summarized"),
        Measure("fallbacks", "", "fallbacks"),
    ),
    DISCOVERY: (
        _SAVED,
        Measure("resulting_tokens", _TOKENS, "cost"),
        Measure("calls", "", "calls"),
    ),
    REPORT: (
        Measure("total_saved_tokens", _TOKENS, "saved"),
        Measure("total_original_tokens", _TOKENS, "original"),
        Measure("total_saved_percent", "%", "share saved"),
        Measure("estimated_cost_saved", "USD", "cost saved (estimated)"),
        Measure("price_per_mtok", "USD/M", "price given"),
        Measure("extra_turns_estimate", "", "extra turns (estimated)"),
        Measure("session_count", "", "sessions"),
        _SAVED,
        Measure("original_tokens", _TOKENS, "original"),
        Measure("returned_tokens", _TOKENS, "returned"),
        Measure("discovery_tokens", _TOKENS, "discovery"),
        Measure("calls", "", "calls"),
        Measure("timestamp", "", "latest line"),
    ),
    **dict.fromkeys(
        WINDOWS,
        (
            _SAVED,
            Measure("original_tokens", _TOKENS, "original"),
            Measure("returned_tokens", _TOKENS, "returned"),
            Measure("saved_percent", "%", "share saved"),
            Measure("discovery_tokens", _TOKENS, "discovery"),
            Measure("discovery_calls", "", "discovery calls"),
            Measure("tool_calls", "", "tool calls"),
            Measure("sessions", "", "sessions"),
            Measure("calls", "", "calls"),
            Measure("tools", "", "tools"),
            Measure("top_server", "", "top server"),
            Measure("top_tool", "", "top tool"),
        ),
    ),
}
