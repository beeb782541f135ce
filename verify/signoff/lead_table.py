"""The lead table and the bridges as shared tables, for page and Markdown."""

from __future__ import annotations

from verify.render.safe import DASH, visible
from verify.render.words import is_number
from verify.result import Value
from verify.signoff.result import Bridge, SignOff
from verify.signoff.tables import Amount, Cell, Table, coverage_text
from verify.signoff.words import VERDICTS, digits_of, tick

_COLUMNS = (
    ("Lever", 16),
    ("Unit", 8),
    ("Product's figure", 18),
    ("From its own read", 18),
    ("Recomputed", 18),
    ("Difference", 16),
    ("Threshold", 14),
    ("Verdict", 20),
    ("Coverage", 22),
    ("Figures that differ", 16),
    ("Cause of the difference", 60),
)
_MOST_PLACES = 12


def lead_table(result: SignOff) -> Table:
    """Each lever on one line."""
    coverage, rows = coverage_text(result), []
    for line in result.lead:
        digits = digits_of([other for other in result.lead if other.unit == line.unit])
        delta: Cell = None
        if line.delta is not None:
            text = digits.difference(line.delta) or ""
            delta = Amount(line.delta, min(len(text.partition(".")[2]), _MOST_PLACES))
        rows.append(
            (
                visible(line.lever),
                line.unit,
                _amount(line.figure, digits.amounts),
                _amount(line.from_read, digits.amounts),
                _amount(line.recomputed, digits.amounts),
                delta,
                _amount(line.threshold, digits.amounts),
                f"{tick(line.verdict)} {VERDICTS[line.verdict]}".strip(),
                coverage.get(line.lever, DASH),
                f"{line.differing:,} of {line.compared:,}",
                visible(line.cause),
            )
        )
    return Table("Lead sheet", _COLUMNS, tuple(rows))


def _amount(value: Value, places: int) -> Cell:
    if is_number(value):
        return Amount(value, places)
    return None if value is None else visible(str(value))


def bridge_table(bridge: Bridge) -> Table:
    """From the recomputed figure to the product's; unexplained and rounding are never left out."""
    places = 9 if bridge.unit == "USD" else 2
    rows: list[tuple[Cell, ...]] = [
        ("Recomputed from the records", Amount(bridge.recomputed, places)),
        *(
            (f"Cause {number}: {visible(words)}", Amount(amount, places))
            for number, (words, amount) in enumerate(bridge.steps, 1)
        ),
        ("Unexplained difference", Amount(bridge.unexplained, places)),
        ("Rounding of the printed figure", Amount(bridge.rounding, places)),
        ("Product's figure", Amount(bridge.figure, places)),
    ]
    title = f"{visible(bridge.lever)}: from the recomputed figure to the product's"
    return Table(title, (("Line", 60), (bridge.unit or "Amount", 20)), tuple(rows))
