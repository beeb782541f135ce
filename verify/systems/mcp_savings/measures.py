"""What is recomputed: what servers cost and no longer cost, what sessions used, and beside them the
host's own tools and the tokens on the wire.

`pay` and `saved` are per request, in bytes and, separately counted, in tokens. No two levers are
ever added: one is still paid, the other is paid no more, and the rest are of other things.
"""

from __future__ import annotations

from verify.result import Measure

PAY, SAVED, SESSION, HOST_TOOLS, WIRE = "pay", "saved", "session", "host_tools", "wire"
SIDES = (PAY, SAVED)
STATED = (PAY, SAVED, SESSION)
"""Recomputed unless levers are named; the others too where the export has what they are made of."""
LEVERS = (*STATED, HOST_TOOLS, WIRE)

MODEL = "model"
NO_MODEL = "none"
OPTIONS = {
    MODEL: f"the model for which tokens are counted, e.g. gpt-5.4; {NO_MODEL}: for none",
}

DIMENSIONS: dict[str, tuple[str, ...]] = {
    PAY: ("server", "tool"),
    SAVED: ("server", "tool"),
    SESSION: ("session", "project"),
    HOST_TOOLS: ("server", "tool"),
    WIRE: ("session",),
}

_BYTES, _TOKENS, _COUNT = "bytes", "tokens", ""

_SIDE = (
    Measure("bytes", _BYTES, "schema"),
    Measure("tokens", _TOKENS, "schema"),
    Measure("tools", _COUNT, "tools"),
    Measure("servers", _COUNT, "measured"),
    Measure("unmeasured", _COUNT, "not measured"),
)

SESSION_TOKENS = (
    "input_tokens",
    "output_tokens",
    "reasoning_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
)
WIRE_TOKENS = tuple(name for name in SESSION_TOKENS if name != "reasoning_tokens")

_LABELS = {
    "input_tokens": "input",
    "output_tokens": "output",
    "reasoning_tokens": "reasoning",
    "cache_read_tokens": "cache read",
    "cache_write_tokens": "cache write",
}

MEASURES: dict[str, tuple[Measure, ...]] = {
    PAY: _SIDE,
    SAVED: _SIDE,
    SESSION: (
        *(Measure(name, _TOKENS, _LABELS[name]) for name in SESSION_TOKENS),
        Measure("sessions", _COUNT, "sessions"),
        Measure("messages", _COUNT, "messages"),
    ),
    HOST_TOOLS: (
        Measure("bytes", _BYTES, "schema"),
        Measure("share_percent", "%", "share"),
        Measure("tools", _COUNT, "tools"),
    ),
    WIRE: (
        *(Measure(name, _TOKENS, _LABELS[name]) for name in WIRE_TOKENS),
        Measure("requests", _COUNT, "requests"),
        Measure("unmeasured", _COUNT, "not measured"),
    ),
}
