"""What the figures rest on: what is measured and what is not, silent days, and bounds.

Each way of not knowing has its own column; none is taken for zero, and no bound is added to
anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from verify.compare.diagnosis import Cell, Diagnosis, Section
from verify.exact import rounded
from verify.findings import Finding
from verify.result import LeverResult, Row, cell_key
from verify.systems.lighthouse.diagnose.context import Context, exact, query

_DIMENSIONS = ("deployment", "agent", "day")
_COLUMNS = ("total", "measured", "unmeasured", "unpriced", "uncomparable", "no_feed")
_TENTH = Fraction(1, 10)


def diagnose(context: Context) -> Diagnosis:
    """Coverage by lever and dimension, silence, the least covered tenth, and the bound."""
    levers = context.recomputed(_DIMENSIONS).levers
    unpriced = {name: _unpriced(context.groups("caching", name)) for name in _DIMENSIONS}
    counted = [row for lever in levers for row in _counted(lever, unpriced)]
    active = context.rows(query("coverage"))
    dates = [day.date.isoformat() for day in context.period.days() if day.start < day.end]
    seen = {row["day"] for row in active}
    silent = [day for day in dates if day not in seen]
    runs = list(_runs(active, dates))
    least = [row for name in ("retrieval", "caching") if (row := _least(context, name))]
    bounds = list(_bounds(context))
    sections = (
        Section(
            "coverage",
            "what each lever measured, and what not and why",
            ("lever", "dimension", "key", *_COLUMNS),
            tuple(counted),
        ),
        Section(
            "silent_days",
            "days of the period without any call, search or decision",
            ("day",),
            tuple((day,) for day in silent),
        ),
        Section(
            "reporting",
            "from when until when each deployment reports",
            (
                "deployment",
                "records",
                "first_day",
                "last_day",
                "days",
                "longest_gap",
                "starts",
                "stops",
            ),
            tuple(runs),
            "starts, stops: true where the deployment is silent at that end of the period for "
            "longer than ever between its records",
        ),
        Section(
            "least_covered",
            "what rests on the least covered tenth of the records",
            ("lever", "cells", "cells_in_all", "records", "records_in_all", "usd", "share_of_usd"),
            tuple(least),
            "records are put in order by the coverage of their deployment and day",
        ),
        Section(
            "bound",
            "what the figure could at most be if unmeasured searches were like those of their pack",
            ("deployment", "pack", "measured", "unmeasured", "usd", "bound_of_unmeasured"),
            tuple(bounds),
            "a bound, not a figure: never added to anything. Each unmeasured search is taken as "
            "worth the mean of the measured ones of its deployment and pack; null where there are "
            "none",
        ),
    )
    return Diagnosis(sections, tuple(_findings(silent, runs, least, bounds)))


def _unpriced(groups: Iterable[Mapping[str, Any]]) -> dict[Any, int]:
    """Calls of models without a price, by key."""
    found: dict[Any, int] = {}
    for group in groups:
        if group["input_per_m"] is None:
            found[group["key"]] = found.get(group["key"], 0) + group["calls"]
    return found


def _counted(
    lever: LeverResult, unpriced: Mapping[str, Mapping[Any, int]]
) -> Iterator[tuple[Cell, ...]]:
    for dimension in _DIMENSIONS:
        for row in lever.by.get(dimension, ()):
            m = row.measures
            cells: dict[str, Cell] = dict.fromkeys(_COLUMNS)
            if lever.lever == "retrieval":
                cells |= {name: m[name] for name in ("measured", "unmeasured", "unpriced")}
                cells["total"] = _count(row, "measured") + _count(row, "unmeasured")
            elif lever.lever == "caching":
                cells |= {"total": m["calls"], "measured": m["reported"]}
                cells["unmeasured"] = _count(row, "calls") - _count(row, "reported")
                cells["unpriced"] = unpriced[dimension].get(row.key, 0)
            elif lever.lever == "routing":
                cells |= {"total": m["decisions"], "uncomparable": m["uncomparable"]}
                cells["measured"] = _count(row, "decisions") - _count(row, "uncomparable")
            else:
                fed = m["actual_usd"] is not None
                cells |= {"total": 1, "measured": int(m["saved_usd"] is not None)}
                cells |= {"no_feed": int(not fed), "unpriced": int(m["always_on_usd"] is None)}
            yield (lever.lever, dimension, row.key, *cells.values())


def _count(row: Row, name: str) -> int:
    value = row.measures[name]
    assert isinstance(value, int)
    return value


def _runs(active: Sequence[Mapping[str, Any]], dates: list[str]) -> Iterator[tuple[Cell, ...]]:
    """For each deployment the days on which it has records, and whether it stops short."""
    at = {day: number for number, day in enumerate(dates)}
    found: dict[str, dict[int, int]] = {}
    for row in active:
        found.setdefault(row["deployment"], {})[at[row["day"]]] = row["records"]
    for deployment, by_day in sorted(found.items()):
        days = sorted(by_day)
        longest = max((b - a - 1 for a, b in pairwise(days)), default=0)
        before, after = days[0], len(dates) - 1 - days[-1]
        yield (
            deployment,
            sum(by_day.values()),
            dates[days[0]],
            dates[days[-1]],
            len(days),
            longest,
            before > longest,
            after > longest,
        )


def _least(context: Context, lever: str) -> tuple[Cell, ...] | None:
    """The dollars that rest on the least covered tenth of a lever's records."""
    result = context.by_cell(
        lever, "day", lambda group: cell_key(group["deployment"], group["key"])
    )
    cells = []
    for row in result.by["cell"]:
        if lever == "retrieval":
            measured, usd = _count(row, "measured"), exact(row.measures["usd"])
            total = measured + _count(row, "unmeasured")
        else:
            measured, usd = _count(row, "reported"), exact(row.measures["saved_usd"])
            total = _count(row, "calls")
        cells.append((Fraction(measured, total), row.key or "", total, usd))
    cells.sort()
    records, dollars = sum(cell[2] for cell in cells), sum((c[3] for c in cells), Fraction(0))
    if not records:
        return None
    taken, held, resting = 0, 0, Fraction(0)
    for _, _, total, usd in cells:
        if held >= records * _TENTH:
            break
        taken, held, resting = taken + 1, held + total, resting + usd
    share = resting / dollars if dollars else None
    return (lever, taken, len(cells), held, records, resting, share)


def _bounds(context: Context) -> Iterator[tuple[Cell, ...]]:
    """By deployment and pack: what the unmeasured would be worth at the mean of the measured."""
    names: dict[str, tuple[str, str | None]] = {}

    def key(group: Mapping[str, Any]) -> str:
        name = cell_key(group["deployment"], group["key"] or "") + str(group["key"] is None)
        names[name] = group["deployment"], group["key"]
        return name

    for row in context.by_cell("retrieval", "pack", key).by["cell"]:
        measured, unmeasured = _count(row, "measured"), _count(row, "unmeasured")
        usd = exact(row.measures["usd"])
        if unmeasured:
            worth = usd / measured * unmeasured if measured else None
            yield (*names[row.key or ""], measured, unmeasured, usd, worth)


def _findings(
    silent: Sequence[str],
    runs: Iterable[tuple[Cell, ...]],
    least: Iterable[tuple[Cell, ...]],
    bounds: Sequence[tuple[Cell, ...]],
) -> Iterator[Finding]:
    if silent:
        shown = ", ".join(silent[:3]) + (" and more" if len(silent) > 3 else "")
        days = "day has" if len(silent) == 1 else "days have"
        yield Finding("silent_days", f"{len(silent)} {days} no record at all: {shown}", len(silent))
    for deployment, _, first, last, _, longest, starts, stops in runs:
        words = [f"begins on {first}"] * bool(starts) + [f"ends on {last}"] * bool(stops)
        if words:
            gap = "no day" if not longest else "a day" if longest == 1 else f"{longest} days"
            message = f"{deployment} {' and '.join(words)}; between, it is silent for {gap} at most"
            yield Finding("deployment_partial", message)
    for lever, _, _, held, records, usd, share in least:
        # The last cell taken may reach beyond the tenth: it is its own share that is exceeded.
        if share is not None and exact(share) > exact(held) / exact(records) and exact(usd) > 0:
            percent = rounded(exact(share) * 100, 1)
            yield Finding(
                "coverage_resting",
                f"{lever}: the least covered tenth of the records holds {percent} % of the dollars",
            )
    worth = [exact(row[5]) for row in bounds if row[5] is not None]
    if worth and (total := sum(worth, Fraction(0))):
        count = sum(int(exact(row[3])) for row in bounds)
        message = (
            f"retrieval: {count:,} unmeasured searches would be worth {rounded(total, 6)} USD at "
            "most if they were like the measured ones of their pack; a bound, never added"
        )
        yield Finding("coverage_bound", message, count)
