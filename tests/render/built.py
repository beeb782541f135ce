"""Results as the systems make them, built by hand: small, and awkward where it matters."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction

from hypothesis import settings
from hypothesis import strategies as st

from verify.findings import Finding
from verify.period import Period
from verify.result import (
    CardCell,
    Coverage,
    ExportIdentity,
    Key,
    LeverResult,
    Measure,
    Recomputation,
    Row,
    Value,
)
from verify.systems.base import Check

DIGEST = "694af028c9dd38650ff7d654ab0684a2983f9e1b4144eeafb33ed2b94051db6c"

MEASURES: Mapping[str, tuple[Measure, ...]] = {
    "retrieval": (
        Measure("stuffed_tokens", "tokens", "stuffed"),
        Measure("sent_tokens", "tokens", "sent"),
        Measure("tokens_avoided", "tokens", "avoided"),
        Measure("usd_uncached", "USD", "uncached"),
        Measure("usd_cached", "USD", "cached"),
        Measure("usd", "USD", "saved"),
        Measure("measured", "", "measured"),
        Measure("unmeasured", "", "unmeasured"),
        Measure("unpriced", "", "unpriced"),
    ),
    "caching": (
        Measure("saved_usd", "USD", "saved"),
        Measure("input_tokens", "tokens", "input"),
        Measure("cache_read_tokens", "tokens", "cache read"),
        Measure("calls", "", "calls"),
        Measure("reported", "", "reported"),
    ),
    "infrastructure": (
        Measure("profile", "", "profile"),
        Measure("always_on_usd", "USD", "always on"),
        Measure("actual_usd", "USD", "actual"),
        Measure("saved_usd", "USD", "saved"),
    ),
    "routing": (
        Measure("saving_usd", "USD", "saving"),
        Measure("decisions", "", "decisions"),
    ),
}


def searches(avoided: Fraction, usd: Fraction, measured: int) -> dict[str, Value]:
    return {
        "stuffed_tokens": Fraction(4_399_100),
        "sent_tokens": 4_399_100 - avoided,
        "tokens_avoided": avoided,
        "usd_uncached": usd * 6,
        "usd_cached": usd / 2,
        "usd": usd,
        "measured": measured,
        "unmeasured": 7,
        "unpriced": 1,
    }


def retrieval(keys: Sequence[Key] = ("triage", None)) -> LeverResult:
    """Two findings, a total that no finite decimal writes, the null key."""
    rows = tuple(
        Row(key, searches(Fraction(13_084_034, 3) + at, Fraction(7_145_064, 10**7) * at, 20 + at))
        for at, key in enumerate(keys)
    )
    totals: dict[str, Value] = {}
    for measure in MEASURES["retrieval"]:
        amounts = [row.measures[measure.name] for row in rows]
        totals[measure.name] = sum(a for a in amounts if isinstance(a, int | Fraction))
    return LeverResult(
        "retrieval",
        "ok",
        Fraction(7_145_064, 10**7),
        totals,
        Coverage(922, 1_092),
        {"agent": rows},
        findings=(
            Finding("negative_scope", "2 searches with a negative token count", 2, (82, 83)),
            Finding("rate_out_of_range", "9 searches with a rate of 2", 9, (42, 60, 64)),
        ),
    )


def calls(saved: Fraction) -> dict[str, Value]:
    return {
        "saved_usd": saved,
        "input_tokens": 1_234_567,
        "cache_read_tokens": 0,
        "calls": 33,
        "reported": 31,
    }


def card(*prices: Fraction | None) -> dict[str, Fraction | None]:
    names = ("input_per_m", "output_per_m", "cache_read_per_m", "cache_write_per_m")
    return dict(zip(names, prices, strict=True))


def caching(keys: Sequence[Key] = ("", "None", "triage")) -> LeverResult:
    """Cells with a card, with one that has no price for cache writes, and with none."""
    saved = [Fraction(459, 10**7), Fraction(-123, 10**4), Fraction(0)]
    three, nothing = Fraction(3), Fraction(0)
    prices = (
        card(three, three, Fraction("0.3"), Fraction("3.75")),
        card(nothing, nothing, nothing, None),
        None,
    )
    cells = tuple(
        CardCell(
            ("alpha", "beta", "gamma")[at],
            "m-cached",
            prices[at],
            None if prices[at] is None else "a-1",
            None if prices[at] is None else "2026-09-20T00:00:00Z",
            None if prices[at] is None else 12_345,
            calls(saved[at]),
        )
        for at in range(3)
    )
    rows = tuple(Row(key, calls(saved[at % 3])) for at, key in enumerate(keys))
    return LeverResult(
        "caching",
        "ok",
        Fraction(-122_541, 10**7),
        calls(Fraction(-122_541, 10**7)),
        Coverage(31, 33),
        {"agent": rows},
        cells,
    )


def infrastructure() -> LeverResult:
    """A loss, and a deployment whose cost nobody recorded."""
    rows = (
        Row(
            "beta",
            {
                "profile": "scheduled",
                "always_on_usd": Fraction("7.45"),
                "actual_usd": Fraction("123.456789"),
                "saved_usd": Fraction("-116.006789"),
            },
        ),
        Row(
            "delta",
            {
                "profile": "ephemeral",
                "always_on_usd": Fraction(745),
                "actual_usd": None,
                "saved_usd": None,
            },
        ),
    )
    total = {"saved_usd": Fraction("-116.006789")}
    by = {"deployment": rows}
    return LeverResult("infrastructure", "ok", total["saved_usd"], total, Coverage(1, 2), by)


def routing() -> LeverResult:
    """Nothing could be compared."""
    totals: dict[str, Value] = {"saving_usd": Fraction(0), "decisions": 0}
    detail: dict[str, Value] = {"source": "decisions"}
    return LeverResult(
        "routing", "no_comparison", None, totals, Coverage(0, 0), {"agent": ()}, detail=detail
    )


def identity(trust: str = "unauthenticated", tenant: str | None = "acme") -> ExportIdentity:
    return ExportIdentity("lighthouse", tenant, DIGEST, 1_500, trust)


def recomputation(
    *levers: LeverResult, trust: str = "unauthenticated", tenant: str | None = "acme"
) -> Recomputation:
    return Recomputation(
        identity(trust, tenant),
        Period(date(2026, 10, 1), date(2026, 10, 31), "Europe/Lisbon"),
        {"zone": "Europe/Lisbon", "weights": True, "dedupe": False},
        levers or (retrieval(), caching(), routing(), infrastructure()),
        (Finding("file_unread", "not in the manifest, not read: api/x.json", 8),),
    )


def check(
    *, sound: bool = True, trust: str = "unauthenticated", name: Key = "alpha", days: int = 3
) -> Check:
    document = {
        "files": [
            {
                "path": f"{name}.jsonl",
                "sha256": DIGEST,
                "bytes": 30_739,
                "lines": 150,
                "records": 150,
            }
        ],
        "time_zone": "Europe/Lisbon",
        "span": {"first": "2026-09-01T00:00:00Z", "last": "2026-11-03T00:00:00Z"},
        "types": [{"key": "cost", "records": 1_234}, {"key": None, "records": 1}],
        "deployments": [{"key": name, "records": 110}],
        "days": [{"key": f"day {number}", "records": number} for number in range(1, days + 1)],
        "unread": [{"what": "type", "key": name, "records": 1}],
        "not_checked": ["who made the manifest"],
    }
    findings = (Finding("line_skipped", "an invalid line was left out", 1, (7,)),)
    return Check(identity(trust), sound, findings, document)


calm = settings(deadline=None)
"""A busy machine fails no test."""

CORNERS = (
    None,
    "",
    "None",
    "null",
    "(none)",
    '"(none)"',
    '""',
    '"',
    "total",
    "—",
    " x",
    "x ",
    "x",
    "=1+1",
    "'=1+1",
    "-1",
    "\x1b[31mred\x1b[0m",
    r"\x1b[31mred\x1b[0m",
    "\\",
    "\\\\",
    "\u202egnp.exe",
    "a\u200bb",
    "ab",
    "a b",
    "a\u00a0b",
    "a\tb",
    "a\r\nb",
    "[bold]x[/bold]",
    "x|y",
    "<script>",
    "e\u0301té",
    "été",
    "❤",
    "❤\ufe0f",
    "☕",
    "☕\ufe0f",
    "漢字" * 100,
    "a" * 300,
    "a" * 299 + "b",
    "a…",
    "\x7f\x80\x9b31m",
    "\ud800",
    "\U000e0041",
)

keys = st.one_of(
    st.sampled_from([key for key in CORNERS if key is not None]),
    st.text(max_size=60),
    st.text(
        st.sampled_from("\\xu0f1b\"/ =+-@'…|*_`:.\x1b\u202e\u200d\ufe0f❤☕\u0301e"), max_size=12
    ),
    st.text(st.characters(categories=["Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs", "Mn"]), max_size=8),
)
"""Names to be afraid of."""


def obeyed(text: str, *, allowed: str = "\n") -> set[str]:
    """The characters of `text` that a terminal would obey, or show nothing for."""
    hidden = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
    return {c for c in text if c not in allowed and unicodedata.category(c) in hidden}
