"""Where the period and its days lie: in the tenant's zone and in UTC, and what lies between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from verify.compare.diagnosis import Cell, Diagnosis, Section
from verify.exact import plain
from verify.findings import Finding
from verify.period import Period, utc_text
from verify.result import LeverResult, Row, Value
from verify.systems.lighthouse.diagnose.context import (
    Context,
    difference,
    exact,
    figures,
    lines_in,
    query,
)

_TOKENS = {
    "retrieval": ("tokens_avoided",),
    "caching": ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
}
_USD = {"retrieval": "usd", "caching": "saved_usd", "routing": "net_usd"}
_ODD = {
    "after_export": ("timestamp_future", "are dated after the export was made"),
    "far_off": ("timestamp_far", "lie more than a year from the period"),
}
_A_YEAR = timedelta(days=366)

Stretches = dict[str, tuple[datetime, datetime]]


def diagnose(context: Context) -> Diagnosis:
    """Borders, edges, figures and days in two zones; clock changes; odd timestamps."""
    zone, other = context.period.time_zone, _other_zone(context)
    periods = {zone: context.period}
    periods.setdefault(other, Period(context.period.since, context.period.until, other))
    edges = _edges(context, periods)
    here = context.recomputed(("day",))
    there = here if other == zone else context.recomputed(("day",), {"zone": other})
    changes = list(_changes(context.period))
    stamps = context.rows(query("timestamps"), exported=context.exported_at, far=_A_YEAR)
    sections = (
        _borders(periods),
        edges,
        _figures(here.levers, there.levers, zone, other),
        _days(context, (here.levers, there.levers), (zone, other)),
        Section("clock_changes", "days that have not 24 hours", ("day", "hours"), tuple(changes)),
        Section(
            "timestamps",
            "records whose timestamps are odd",
            ("what", "records", "earliest", "latest", "lines"),
            tuple(
                (
                    r["what"],
                    r["records"],
                    utc_text(r["earliest"]),
                    utc_text(r["latest"]),
                    tuple(r["lines"]),
                )
                for r in stamps
            ),
            "without_offset: taken as UTC; after_export: later than the manifest's exported_at; "
            "far_off: more than 366 days from the period",
        ),
    )
    return Diagnosis(sections, tuple(_findings(edges, changes, stamps, zone, other)))


def _other_zone(context: Context) -> str:
    """UTC; for a tenant in UTC the zone that the figures name."""
    if context.period.time_zone == "UTC" and context.claims.time_zone is not None:
        return context.claims.time_zone
    return "UTC"


def _borders(periods: Mapping[str, Period]) -> Section:
    rows = tuple(
        (zone, utc_text(period.start), utc_text(period.end), period.hours)
        for zone, period in periods.items()
    )
    columns = ("zone", "start", "end", "hours")
    return Section(
        "period", "the period, from its first instant to the first after it", columns, rows
    )


def _edges(context: Context, periods: Mapping[str, Period]) -> Section:
    """What lies in one of two periods and not in the other."""
    found: list[tuple[Cell, ...]] = []
    pairs = list(periods.items())
    for (zone, period), (_, other) in ((pairs[0], pairs[-1]), (pairs[-1], pairs[0])):
        stretches = _only_in(period, other)
        if not stretches:
            continue
        levers = context.by_stretch({"zone": zone}, stretches)
        for edge, (start, end) in stretches.items():
            within = {"start": start, "end": end}
            seen = {row["type"]: row for row in context.rows(query("edge"), **within)}
            for lever in levers:
                at = (edge, zone, utc_text(start), utc_text(end), lever.lever)
                found += _edge_rows(at, lever, edge, seen)
    return Section(
        "edges",
        "records that belong to the period in one zone and not in the other",
        ("edge", "only_in", "from", "until", "lever", "records", "tokens", "usd", "lines"),
        tuple(found),
        "tokens are those the lever counts; usd is the records' part of the lever's figure in the "
        "period that has them, for infrastructure their costs",
    )


_TYPE = {
    "retrieval": "retrieval",
    "caching": "model_call",
    "routing": "routing_decision",
    "infrastructure": "cost",
}


def _only_in(period: Period, other: Period) -> Stretches:
    found: Stretches = {}
    if period.start < other.start:
        found["start"] = (period.start, min(other.start, period.end))
    if period.end > other.end:
        found["end"] = (max(other.end, period.start), period.end)
    return found


def _edge_rows(
    at: tuple[str, ...], lever: LeverResult, edge: str, seen: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[Cell, ...]]:
    records = seen.get(_TYPE[lever.lever])
    if records is None:
        return
    row = next((row for row in lever.by.get("day", ()) if row.key == edge), None)
    usd = _usd(lever.lever, row) if row else _costs(records)
    tokens = _sum(row, _TOKENS.get(lever.lever, ())) if row else None
    yield (*at, records["records"], tokens, usd, tuple(records["lines"]))


def _costs(records: Mapping[str, Any]) -> Fraction | None:
    if records["whole"] is None:
        return None
    return Fraction(records["whole"]) + Fraction(records["rest"])


def _figures(
    here: Iterable[LeverResult], there: Iterable[LeverResult], zone: str, other: str
) -> Section:
    one, two = figures(here), figures(there)
    rows = tuple((name, one[name], two[name], difference(two[name], one[name])) for name in one)
    columns = ("lever", "usd", "usd_other_zone", "difference")
    title = f"each figure in {zone} and in {other}"
    return Section("zone_figures", title, columns, rows)


def _days(
    context: Context, levers: tuple[Iterable[LeverResult], ...], zones: tuple[str, str]
) -> Section:
    """A line a day: its hours, and the records and dollars that either zone puts on it."""
    counts = [context.records_by_day(ZoneInfo(zone)) for zone in zones]
    usd: list[dict[tuple[str, str | None], Value]] = [
        {
            (lever.lever, row.key): _usd(lever.lever, row)
            for lever in side
            for row in lever.by.get("day", ())
        }
        for side in levers
    ]
    rows = []
    for day in context.period.days():
        name = day.date.isoformat()
        cells: list[Cell] = [name, _hours(day.start, day.end)]
        cells += [side.get(day.date, 0) for side in counts]
        cells += [side.get((lever, name), Fraction(0)) for lever in _USD for side in usd]
        rows.append(tuple(cells))
    columns = ["day", "hours", "records", "records_other_zone"]
    columns += [f"{lever}_usd{suffix}" for lever in _USD for suffix in ("", "_other_zone")]
    title = f"the days in {zones[0]} and in {zones[1]}"
    return Section("days", title, tuple(columns), tuple(rows))


def _changes(period: Period) -> Iterator[tuple[str, Fraction]]:
    for day in period.days():
        hours = _hours(day.start, day.end)
        if hours != 24:
            yield day.date.isoformat(), hours


def _hours(start: datetime, end: datetime) -> Fraction:
    return Fraction((end - start) // timedelta(microseconds=1), 3_600_000_000)


def _usd(lever: str, row: Row) -> Value:
    if lever == "routing":
        return exact(row.measures["saving_usd"]) - exact(row.measures["escalation_usd"])
    return row.measures[_USD[lever]]


def _sum(row: Row, names: Iterable[str]) -> Value:
    values = [value for name in names if isinstance(value := row.measures[name], int | Fraction)]
    return sum(values) if values else None


def _findings(
    edges: Section,
    changes: Iterable[tuple[str, Fraction]],
    stamps: Iterable[Mapping[str, Any]],
    zone: str,
    other: str,
) -> Iterator[Finding]:
    found = [dict(zip(edges.columns, row, strict=True)) for row in edges.rows]
    if found:
        count = sum(int(exact(row["records"])) for row in found)
        message = f"{count:,} records belong to the period in only one of {zone} and {other}"
        yield Finding("zone_edges", message, count, lines_in(found))
    for day, hours in changes:
        yield Finding("clock_change", f"{day} has {plain(hours)} hours in {zone}")
    for row in stamps:
        code, words = _ODD.get(row["what"], ("", ""))
        if code:
            message = f"{row['records']:,} records {words}"
            yield Finding(code, message, row["records"], tuple(row["lines"]))
