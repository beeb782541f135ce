"""The levers of LightHouse: what each measures, by which dimensions, and how it adds up."""

from __future__ import annotations

from verify.result import Measure

LEVERS = ("retrieval", "caching", "routing", "infrastructure")

DIMENSIONS: dict[str, tuple[str, ...]] = {
    "retrieval": ("agent", "pack", "index", "model", "deployment", "day"),
    "caching": ("model", "agent", "pack", "deployment", "provider", "day"),
    "routing": ("agent", "pack", "deployment", "day"),
    "infrastructure": ("deployment",),
}

_USD, _TOKENS, _COUNT = "USD", "tokens", ""

MEASURES: dict[str, tuple[Measure, ...]] = {
    "retrieval": (
        Measure("stuffed_tokens", _TOKENS, "stuffed"),
        Measure("sent_tokens", _TOKENS, "sent"),
        Measure("tokens_avoided", _TOKENS, "avoided"),
        Measure("usd_uncached", _USD, "uncached"),
        Measure("usd_cached", _USD, "cached"),
        Measure("usd", _USD, "saved"),
        Measure("measured", _COUNT, "measured"),
        Measure("unmeasured", _COUNT, "unmeasured"),
        Measure("unpriced", _COUNT, "unpriced"),
    ),
    "caching": (
        Measure("saved_usd", _USD, "saved"),
        Measure("input_tokens", _TOKENS, "input"),
        Measure("output_tokens", _TOKENS, "output"),
        Measure("cache_read_tokens", _TOKENS, "cache read"),
        Measure("cache_write_tokens", _TOKENS, "cache write"),
        Measure("calls", _COUNT, "calls"),
        Measure("reported", _COUNT, "reported"),
    ),
    "routing": (
        Measure("saving_usd", _USD, "saving"),
        Measure("escalation_usd", _USD, "escalation"),
        Measure("off_saving_usd", _USD, "off saving"),
        Measure("decisions", _COUNT, "decisions"),
        Measure("uncomparable", _COUNT, "uncomparable"),
    ),
    "infrastructure": (
        Measure("profile", _COUNT, "profile"),
        Measure("always_on_usd", _USD, "always on"),
        Measure("actual_usd", _USD, "actual"),
        Measure("saved_usd", _USD, "saved"),
    ),
}
