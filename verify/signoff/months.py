"""A period of several months: a column a month, and the total.

Two readings, side by side. *By the period's days*: the days of the period, priced as the period is,
added up by month; they make the period exactly. *Each month by itself*: what a sign-off of that
month alone would give, priced on the cards and profiles at that month's end; their sum may differ
from the period, and the difference is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

from verify.exact import plain
from verify.period import Period, month_end
from verify.result import LeverResult, Recomputation, Row
from verify.systems.base import Export, Question

BY_DAYS = "by the period's days"
BY_ITSELF = "each month by itself"


@dataclass(frozen=True)
class MonthLine:
    """One measure of a lever: an amount a month (None: no figure), their sum, and the period's."""

    lever: str
    measure: str
    unit: str
    basis: str
    amounts: tuple[Fraction | None, ...]
    period: Fraction | None

    @property
    def total(self) -> Fraction:
        return sum((amount for amount in self.amounts if amount is not None), Fraction(0))

    @property
    def difference(self) -> Fraction | None:
        """The sum of the months less the period's figure."""
        return None if self.period is None else self.total - self.period

    def as_json(self) -> dict[str, Any]:
        return {
            "lever": self.lever,
            "measure": self.measure,
            "unit": self.unit,
            "basis": self.basis,
            "amounts": [None if a is None else plain(a) for a in self.amounts],
            "total": plain(self.total),
            "period": None if self.period is None else plain(self.period),
            "difference": None if self.difference is None else plain(self.difference),
        }


@dataclass(frozen=True)
class Months:
    """The months of a period, each with its first and last day, and the lines."""

    spans: tuple[tuple[date, date], ...]
    lines: tuple[MonthLine, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """`2026-07`, or the days of a month that is not whole."""
        return tuple(Period(first, last, "UTC").label for first, last in self.spans)

    def as_json(self) -> dict[str, Any]:
        return {"months": list(self.labels), "lines": [line.as_json() for line in self.lines]}


def months_of(export: Export, asked: Question, days: Recomputation) -> Months | None:
    """The months of the period of `days`; None where it lies in one month or knows no days."""
    period = days.period
    if not isinstance(period, Period):
        return None
    spans = tuple(_spans(period))
    if len(spans) < 2:
        return None
    alone = [
        export.recompute(replace(asked, month=None, since=first, until=last, by=()))
        for first, last in spans
    ]
    lines = [*_by_days(days, spans), *_by_itself(days, alone)]
    return Months(spans, tuple(lines))


def _spans(period: Period) -> Iterator[tuple[date, date]]:
    first = period.since
    while first <= period.until:
        last = min(month_end(first), period.until)
        yield first, last
        first = last + timedelta(days=1)


def _by_days(days: Recomputation, spans: tuple[tuple[date, date], ...]) -> Iterator[MonthLine]:
    for lever in days.levers:
        rows = lever.by.get("day", ())
        for measure in money_of(lever, rows):
            total = lever.totals[measure]
            assert isinstance(total, Fraction | int)
            amounts = tuple(_sum(rows, measure, first, last) for first, last in spans)
            yield MonthLine(lever.lever, measure, lever.unit, BY_DAYS, amounts, Fraction(total))


def money_of(lever: LeverResult, rows: Iterable[Row]) -> list[str]:
    """The measures of `rows` that are amounts in the lever's own unit and have a total."""
    names = dict.fromkeys(name for row in rows for name in row.measures)
    unit = "usd" if lever.unit == "USD" else lever.unit.lower()
    return [
        name
        for name in names
        if unit in name.split("_") and isinstance(lever.totals.get(name), Fraction | int)
    ]


def _sum(rows: Iterable[Row], measure: str, first: date, last: date) -> Fraction:
    inside = (row for row in rows if row.key and first.isoformat() <= row.key <= last.isoformat())
    values = (row.measures.get(measure) for row in inside)
    return sum((Fraction(v) for v in values if isinstance(v, Fraction | int)), Fraction(0))


def _by_itself(days: Recomputation, alone: list[Recomputation]) -> Iterator[MonthLine]:
    for lever in days.levers:
        amounts = tuple(_figure(month.lever(lever.lever)) for month in alone)
        if any(amount is not None for amount in amounts):
            name = "usd" if lever.unit == "USD" else "amount"
            yield MonthLine(lever.lever, name, lever.unit, BY_ITSELF, amounts, _figure(lever))


def _figure(lever: LeverResult) -> Fraction | None:
    return None if lever.figure is None else Fraction(lever.figure)
