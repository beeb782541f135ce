"""Results as Polars frames, without a float.

Counts and plain token sums are integers. An exact amount is a decimal of one scale for its column,
the least at which all of its values are written out in full; where there is none (a third, more
than 18 decimals, more digits than 38) the column is exact text, as `verify.exact.plain` writes it.
With a `scale` given, amounts are decimals of that scale, rounded half to even (text only where 38
digits do not hold them), so that the type of a column does not depend on the data. Names are as the
export has them, not made visible; the null key is null. What is unknown is null, never 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from verify.errors import UsageProblem
from verify.exact import finite_places, plain
from verify.render.words import is_number

if TYPE_CHECKING:
    import polars as pl

    from verify.compare.diagnosis import Section
    from verify.compare.explain import Explanation
    from verify.compare.tieout import Diff
    from verify.result import LeverResult, Recomputation, Value

DIGITS = 30
"""Of a column, where they do: a database that puts two columns of 38 together drops decimals."""
MOST_DIGITS = 38
MOST_PLACES = 18
CARD = "card"


def levers_frame(result: Recomputation, scale: int | None = None) -> pl.DataFrame:
    """A row a lever: `lever`, `status`, `figure`, `unit`, `measured`, `total`."""
    levers = result.levers
    return _frame(
        {
            "lever": [lever.lever for lever in levers],
            "status": [lever.status for lever in levers],
            "figure": [_amount(lever.figure) for lever in levers],
            "unit": [lever.unit for lever in levers],
            "measured": [lever.coverage.measured for lever in levers],
            "total": [lever.coverage.total for lever in levers],
        },
        scale,
    )


def lever_frame(lever: LeverResult, by: str | None, scale: int | None = None) -> pl.DataFrame:
    """A lever's totals, its rows by a dimension that was asked for, or its cells with their cards.

    Raises UsageProblem for a dimension that the result does not have.
    """
    if by is None:
        return _frame({name: [value] for name, value in lever.totals.items()}, scale)
    if by == CARD:
        cells = [
            {
                "deployment": cell.deployment,
                "model": cell.model,
                **(cell.price or {}),
                "snapshot": cell.snapshot,
                "snapshot_at": cell.snapshot_at,
                "card_line": cell.card_line,
                **cell.measures,
            }
            for cell in lever.cells
        ]
        return _rows(cells, scale)
    if by not in lever.by:
        known = ", ".join([*lever.by, *([CARD] if lever.cells else [])])
        raise UsageProblem(
            f"the result has no {lever.lever} by {by}",
            advice=f"It has {known}." if known else f"Recompute with by={by!r}.",
        )
    return _rows([{by: row.key, **row.measures} for row in lever.by[by]], scale, [by])


def diff_frame(diff: Diff, scale: int | None = None) -> pl.DataFrame:
    """A row a figure. `figure` is its text as printed; `recomputed` is null where the records give
    a word, such as a status, which is then `recomputed_word`."""
    rows = diff.rows
    return _frame(
        {
            "lever": [row.at.lever for row in rows],
            "dimension": [row.at.dimension for row in rows],
            "key": [row.at.key for row in rows],
            "measure": [row.at.measure for row in rows],
            "figure": [row.figure for row in rows],
            "from_read": [_amount(row.from_read) for row in rows],
            "recomputed": [_amount(row.recomputed) for row in rows],
            "recomputed_word": [
                row.recomputed if isinstance(row.recomputed, str) else None for row in rows
            ],
            "delta": [_amount(row.delta) for row in rows],
            "relative": [_amount(row.relative) for row in rows],
            "verdict": [row.verdict for row in rows],
            "reason": [row.reason for row in rows],
            "read": [row.read for row in rows],
            "pointer": [row.pointer for row in rows],
        },
        scale,
    )


def waterfall_frame(told: Explanation, scale: int | None = None) -> pl.DataFrame:
    """A row a step of each figure: `recomputed`, each switch, `unexplained`, `figure`."""
    steps: list[tuple[str, str, str, str | None, str | None, Fraction]] = []
    for fall in told.waterfalls:
        at = (fall.at.lever, fall.at.measure)
        steps.append((*at, "recomputed", None, None, fall.recomputed))
        for step in fall.steps:
            value = step.choice.value
            shown = value if isinstance(value, str) else str(value).lower()
            steps.append((*at, "step", step.choice.name, shown, step.amount))
        steps.append((*at, "unexplained", None, None, fall.unexplained))
        steps.append((*at, "figure", None, None, fall.recomputed + fall.delta))
    names = ("lever", "measure", "step", "switch", "value", "amount")
    return _frame({name: [step[at] for step in steps] for at, name in enumerate(names)}, scale)


def section_frame(section: Section, scale: int | None = None) -> pl.DataFrame:
    """A row a row of a diagnosis; line numbers are a list of integers."""
    import polars as pl

    columns = list(zip(*section.rows, strict=True)) or [()] * len(section.columns)
    made = []
    for name, cells in zip(section.columns, columns, strict=True):
        if any(isinstance(cell, tuple) for cell in cells):
            lists = [list(cell) if isinstance(cell, tuple) else None for cell in cells]
            made.append(pl.Series(name, lists, pl.List(pl.Int64)))
        else:
            values = [cell for cell in cells if not isinstance(cell, tuple)]
            made.append(_series(name, values, _checked(scale)))
    return pl.DataFrame(made)


def _checked(scale: int | None) -> int | None:
    if scale is not None and not 0 <= scale <= MOST_PLACES:
        raise UsageProblem(f"scale is 0 to {MOST_PLACES}, not {scale}")
    return scale


def _amount(value: Value) -> Fraction | None:
    """A number as an exact amount, so that a column of mixed measures has one type."""
    return Fraction(value) if is_number(value) else None


def _rows(
    rows: Sequence[Mapping[str, Value]], scale: int | None, names: Sequence[str] = ()
) -> pl.DataFrame:
    found = list(dict.fromkeys((*names, *(name for row in rows for name in row))))
    return _frame({name: [row.get(name) for row in rows] for name in found}, scale)


def _frame(columns: Mapping[str, Sequence[Value]], scale: int | None) -> pl.DataFrame:
    import polars as pl

    places = _checked(scale)
    return pl.DataFrame([_series(name, values, places) for name, values in columns.items()])


def _series(name: str, values: Sequence[Value], scale: int | None) -> pl.Series:
    import polars as pl

    known = [value for value in values if value is not None]
    if known and all(isinstance(value, bool) for value in known):
        return pl.Series(name, values, pl.Boolean)
    if known and all(is_number(value) for value in known):
        if all(isinstance(value, int) and -(2**63) <= value < 2**63 for value in known):
            return pl.Series(name, values, pl.Int64)
        places = _places(known) if scale is None else scale
        if places is not None:
            made = [_decimal(value, places) for value in values]
            digits = max(len(found.as_tuple().digits) for found in made if found is not None)
            if digits <= MOST_DIGITS:
                room = DIGITS if digits <= DIGITS else MOST_DIGITS
                return pl.Series(name, made, pl.Decimal(room, places))
    return pl.Series(name, [_text(value) for value in values], pl.String)


def _places(values: Sequence[Value]) -> int | None:
    """The least scale at which all of them are written out in full, if there is one."""
    needed = [finite_places(Fraction(value)) for value in values if is_number(value)]
    found = [places for places in needed if places is not None]
    if len(found) < len(needed) or max(found) > MOST_PLACES:
        return None
    return max(found)


def _decimal(value: Value, places: int) -> Decimal | None:
    """`value` to so many decimals, each of them written, half to even."""
    if not is_number(value):
        return None
    units = round(Fraction(value) * 10**places)
    digits = tuple(map(int, str(abs(units))))
    return Decimal((int(units < 0), digits, -places))


def _text(value: Value) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else plain(value)
