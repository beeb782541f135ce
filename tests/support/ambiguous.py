"""An export in which two choices come to the same: three calls, of which one is a refused repeat.

To leave refused calls out and to count identical lines once both take one call of three away, so
that nothing in the product's headline tells them apart.
"""

from __future__ import annotations

import json
from pathlib import Path

from support.exports import record, write_export

BOTH = ("refused_in_caching = false", "dedupe = true")
ALL_CALLS, TWO_CALLS = "0.0081", "0.0054"
"""What caching saves by the stated method, and by either of the two choices."""


def ambiguous(place: Path, caching: str, *, tenant: str = "acme") -> Path:
    """The export, whose headline shows two calls and `caching` dollars for them."""
    card = {"input_per_m": 3, "output_per_m": 15, "cache_read_per_m": 0.3}
    call = {"model": "m", "cache_read_tokens": 1000, "input_tokens": 10, "output_tokens": 10}
    kept = record("model_call", "d", "2026-10-10T00:00:00Z", outcome="ok", **call)
    lines = [
        record("models", "d", "2026-10-01T00:00:00Z", model="m", price=card, snapshot="s"),
        kept,
        kept,
        record("model_call", "d", "2026-10-10T01:00:00Z", outcome="refused", **call),
    ]
    write_export(place, lines, tenant=tenant)
    (place / "api").mkdir()
    (place / "api" / "headline.json").write_text(_headline(caching))
    return place


def _headline(caching: str) -> str:
    nothing = {"measured": 0, "total": 0}
    silent = {"status": "no_data", "usd": None, "coverage": nothing, "detail": {}}
    saved = {"status": "ok", "usd": float(caching), "coverage": {"measured": 2, "total": 2}}
    levers = [
        {"lever": "retrieval", **silent},
        {"lever": "caching", **saved, "detail": {"cache_read_tokens": 2000}},
        {
            "lever": "routing",
            **silent,
            "status": "no_comparison",
            "detail": {"source": "decisions"},
        },
        {"lever": "infrastructure", **silent},
    ]
    period = {"period": "2026-10", "time_zone": "UTC"}
    return json.dumps({**period, "usd": float(caching), "levers": levers})
