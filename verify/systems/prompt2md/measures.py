"""The levers of prompt2md: what each measures, by which dimensions, and its options."""

from __future__ import annotations

from collections.abc import Mapping

from verify.result import Measure

LEVERS: tuple[str, ...] = ("ledger", "cache")
DIMENSIONS: Mapping[str, tuple[str, ...]] = {
    "ledger": ("report", "document", "provider"),
    "cache": ("report", "document", "provider"),
}
ALTERNATIVES = ("provider",)
"""Dimensions whose rows each hold all documents, so that they are never added."""

OPTIONS: Mapping[str, str] = {
    "n": "amortize over so many calls; the report's own figure stays over 10",
    "profiles": "a TOML file of cache profiles in place of the built-in ones",
}
FIGURES: Mapping[str, tuple[str, ...]] = {
    "ledger": (
        *("raw", "structure", "strip", "summarize", "layout"),
        *("compressed", "saved", "ratio"),
    ),
    "cache": ("stable", "volatile", "eligible", "first", "next", "amortized", "headline"),
}
"""The figures that a report shows, each tied out on its own."""

_TOKENS, _PERCENT, _COUNT = "tokens", "%", ""
_COMMON = (
    Measure("reports", _COUNT, "reports"),
    Measure("differing", _COUNT, "differing"),
    Measure("provider", _COUNT, "provider"),
    Measure("depth", _COUNT, "from"),
)

# In the order of what tells most: that is the order in which a narrow table keeps them.
MEASURES: Mapping[str, tuple[Measure, ...]] = {
    "ledger": (
        Measure("saved", _TOKENS, "saved"),
        Measure("raw", _TOKENS, "raw"),
        Measure("compressed", _TOKENS, "compressed"),
        Measure("ratio", "of raw", "ratio"),
        Measure("strip", _TOKENS, "strip"),
        Measure("summarize", _TOKENS, "summarize"),
        Measure("structure", _TOKENS, "structure"),
        Measure("layout", _TOKENS, "layout"),
        Measure("ratio_exact", "of raw", "ratio exact"),
        *_COMMON,
    ),
    "cache": (
        Measure("headline", _PERCENT, "headline"),
        Measure("beyond_cache", _PERCENT, "beyond cache"),
        Measure("next", _TOKENS, "next"),
        Measure("first", _TOKENS, "first"),
        Measure("amortized_n", _TOKENS, "over N"),
        Measure("break_even", "calls", "break-even"),
        Measure("stable", _TOKENS, "stable"),
        Measure("volatile", _TOKENS, "volatile"),
        Measure("eligible", _COUNT, "eligible"),
        Measure("amortized", _TOKENS, "over 10"),
        Measure("headline_exact", _PERCENT, "headline exact"),
        Measure("headline_rounding", _PERCENT, "headline rounding"),
        Measure("next_exact", _TOKENS, "next exact"),
        Measure("next_rounding", _TOKENS, "next rounding"),
        Measure("first_exact", _TOKENS, "first exact"),
        Measure("first_rounding", _TOKENS, "first rounding"),
        Measure("amortized_exact", _TOKENS, "over 10 exact"),
        Measure("amortized_rounding", _TOKENS, "over 10 rounding"),
        Measure("amortized_n_exact", _TOKENS, "over N exact"),
        *_COMMON,
    ),
}
