"""Which measures a lever has, and which of them tell most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from verify.result import CardCell, LeverResult, Measure, Row, Value

Measures = Mapping[str, Sequence[Measure]]

PRICES = (
    ("input_per_m", "input"),
    ("output_per_m", "output"),
    ("cache_read_per_m", "read"),
    ("cache_write_per_m", "write"),
)
PRICE_UNIT = "USD/M"

# Where a table has room for some measures only, it keeps these, in this order. Measures without a
# place here follow: money, then tokens, then counts.
_TELLING = (
    ("usd", "saved_usd", "saving_usd"),
    ("tokens_avoided", "cache_read_tokens", "escalation_usd", "profile"),
    ("measured", "cache_write_tokens"),
    ("unmeasured", "calls"),
    ("unpriced", "reported", "uncomparable"),
)
_UNITS = ("USD", "tokens", "")


def measures_of(lever: LeverResult, measures: Measures) -> Sequence[Measure]:
    """The system's measures of the lever; where it names none, those that the totals hold."""
    return measures.get(lever.lever) or [Measure(name, "", name) for name in lever.totals]


def of_rows(rows: Sequence[Row], measures: Sequence[Measure]) -> Sequence[Measure]:
    """Those of the measures that any of the rows has: not every breakdown has every measure."""
    return [m for m in measures if any(m.name in row.measures for row in rows)]


def ranked(measures: Sequence[Measure]) -> dict[str, int]:
    """Measures by name, with their rank; 0 tells most."""

    def place(measure: Measure) -> tuple[int, int]:
        for position, names in enumerate(_TELLING):
            if measure.name in names:
                return position, 0
        unit = _UNITS.index(measure.unit) if measure.unit in _UNITS else 1
        return len(_TELLING), unit

    return {measure.name: rank for rank, measure in enumerate(sorted(measures, key=place))}


def total_of(lever: LeverResult, measure: Measure, rows: Sequence[Row | CardCell]) -> Value:
    """What the total line says of a measure: the lever's total; empty text where it has none; None
    where no row knows the measure, since its total is then a sum over nothing."""
    if measure.name not in lever.totals:
        return ""
    known = any(row.measures.get(measure.name) is not None for row in rows)
    return lever.totals[measure.name] if known else None
