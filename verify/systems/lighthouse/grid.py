"""Many methods from few queries.

The store is asked once for calls, decisions and searches grouped by *segment*, the stretch between
two neighbouring borders of all the periods that any method could mean, and for searches once per
distinct context window that any method gives a deployment and pack. A method is then a run of
segments and a choice among groups: sums of integers, handed to the same small functions that turn
any groups into figures.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import cache
from itertools import accumulate
from typing import Any
from zoneinfo import available_timezones

from verify.compare.figures import At
from verify.compare.worlds import Choice, Switches
from verify.engines.duckdb import DuckEngine
from verify.errors import UsageProblem
from verify.period import first_instant
from verify.result import LeverResult, Row, Value
from verify.systems.lighthouse import levers
from verify.systems.lighthouse.fields import RECORD_TYPES
from verify.systems.lighthouse.load import sql
from verify.systems.lighthouse.method import SWITCHES, Method

DEFAULT_WINDOW = 200_000
_CALL_SUMS = (
    "calls",
    "reported",
    "reading",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
)
_SEARCH_SUMS = ("searches", "stuffed", "sent", "avoided", "signed")
_DECISION_SUMS = ("decisions", "whole", "rest")
_PRICES = ("input_per_m", "output_per_m", "cache_read_per_m", "cache_write_per_m")

# Which switches can move a lever at all: it is computed once for each way to set these.
_PERIOD = ("zone", "until_exclusive", "dedupe")
_MOVED_BY = {
    "retrieval": (
        *_PERIOD,
        "card",
        "window_priced_only",
        "weights",
        "clamp",
        "unmeasured_as_window",
        "refused_in_called",
    ),
    "caching": (*_PERIOD, "card", "write_premium", "null_read_saves", "refused_in_caching"),
    "routing": (*_PERIOD, "card", "escalation_netted"),
    "infrastructure": _PERIOD,
}

Key = tuple[Any, ...]
Card = dict[tuple[str, str], dict[str, Any]]


def zones_by_days(since: date, until: date) -> dict[tuple[datetime, ...], tuple[str, ...]]:
    """The IANA zones by the borders of their local days in the period: zones that share all of
    them cannot be told apart by anything that happened in it."""
    dates = [since + timedelta(days=n) for n in range((until - since).days + 2)]
    found: dict[tuple[datetime, ...], list[str]] = {}
    for name in sorted(available_timezones()):
        try:
            borders = tuple(first_instant(day, name) for day in dates)
        except (UsageProblem, OverflowError, ValueError):
            continue
        found.setdefault(borders, []).append(name)
    return {borders: tuple(names) for borders, names in found.items()}


@dataclass(frozen=True)
class _Span:
    """A period as a run of segments: `first` up to, not including, `after`."""

    start: datetime
    end: datetime
    first: int
    after: int


@dataclass
class _Sums:
    """Cumulative sums by segment for each key: a run of segments is a difference of two."""

    names: tuple[str, ...]
    segments: int
    of: dict[Key, dict[int, tuple[Any, ...]]] = field(default_factory=dict)
    _running: dict[Key, list[tuple[Any, ...]]] = field(default_factory=dict)
    _within: dict[tuple[int, int], list[tuple[Key, tuple[Any, ...]]]] = field(default_factory=dict)

    def add(self, key: Key, segment: int, row: Mapping[str, Any]) -> None:
        """Take in one group of the query."""
        self.of.setdefault(key, {})[segment] = tuple(row[name] or 0 for name in self.names)

    def close(self) -> None:
        """Make ready for questions."""
        nothing = (0,) * len(self.names)
        for key, by_segment in self.of.items():
            each = (by_segment.get(at, nothing) for at in range(self.segments))
            self._running[key] = [nothing, *accumulate(each, _plus)]

    def within(self, span: _Span) -> list[tuple[Key, tuple[Any, ...]]]:
        """Each key with its sums over a run of segments."""
        at = span.first, span.after
        if at not in self._within:
            self._within[at] = [
                (key, tuple(b - a for a, b in zip(running[at[0]], running[at[1]], strict=True)))
                for key, running in self._running.items()
                if running[at[0]] is not running[at[1]] and running[at[0]] != running[at[1]]
            ]
        return self._within[at]


def _plus(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))


class Grid:
    """See `verify.compare.worlds.Worlds`: the worlds of one LightHouse export and period."""

    def __init__(
        self,
        engine: DuckEngine,
        since: date,
        until: date,
        zone: str,
        repeats: list[int],
        baseline_model: str | None,
        largest: int = 2,
        card_ends: Iterable[datetime] = (),
    ) -> None:
        self._card_ends = tuple(card_ends)
        self._engine = engine
        self._since, self._until, self._zone = since, until, zone
        self._repeats = repeats
        self._baseline = baseline_model
        self._queries = _queries()
        self.choices = tuple(self._all_choices()) if largest else ()
        self._borders = self._all_borders()
        self._snapshots = [row["ts"] for row in engine.rows(self._queries["snapshots"])]
        self._cards: dict[tuple[int, str, bool], Card] = {}
        self._infra: dict[tuple[datetime, datetime, bool], list[dict[str, Any]]] = {}
        self._known: dict[tuple[Any, ...], dict[At, Value]] = {}
        self._measured: dict[tuple[Any, ...], dict[str, Value]] = {}
        self._left_out = False
        self._prepare()
        self._calls = self._sums("calls", ("deployment", "pack", "model", "refused", "repeated"))
        self._decisions = self._sums("decisions", ("deployment", "applied", "sign", "repeated"))
        self._windows_of = cache(self._compute_windows)
        self._searches = self._all_searches(largest)

    def _all_choices(self) -> Iterable[Choice]:
        for borders, names in zones_by_days(self._since, self._until).items():
            if self._zone in names or borders == self._own_days():
                continue
            known = "UTC" if "UTC" in names else names[0]
            others = tuple(name for name in names if name != known)
            yield Choice("zone", known, SWITCHES[0].meaning, others)
        for switch in SWITCHES[1:]:
            for value in switch.values[1:]:
                yield Choice(switch.name, value, switch.meaning)

    def _own_days(self) -> tuple[datetime, ...]:
        days = (self._until - self._since).days + 2
        return tuple(
            first_instant(self._since + timedelta(days=n), self._zone) for n in range(days)
        )

    def _zones(self) -> list[str]:
        return [self._zone, *(str(c.value) for c in self.choices if c.name == "zone")]

    def _all_borders(self) -> list[datetime]:
        found = set()
        for zone in self._zones():
            for lost in (False, True):
                period = Method(zone, until_exclusive=lost).period(self._since, self._until)
                found |= {period.start, period.end}
        return sorted(found)

    def _span(self, method: Method) -> _Span:
        period = method.period(self._since, self._until)
        start, end = period.start, max(period.start, period.end)
        first, after = bisect_left(self._borders, start), bisect_left(self._borders, end)
        return _Span(start, end, first, after)

    def _prepare(self) -> None:
        rows = [[at, number] for number, at in enumerate(self._borders)]
        self._engine.put("borders", "begins TIMESTAMPTZ, segment BIGINT", rows)
        self._engine.put("repeats", "line BIGINT", [[line] for line in self._repeats])
        self._engine.leave_out([], RECORD_TYPES)

    def _sums(self, name: str, keys: tuple[str, ...]) -> _Sums:
        self._leave_out(False)  # repeats are groups of their own here
        columns = {"calls": _CALL_SUMS, "decisions": _DECISION_SUMS, "searches": _SEARCH_SUMS}
        sums = _Sums(columns[name], len(self._borders))
        for row in self._engine.rows(self._queries[name], {"last": self._borders[-1]}):
            if name == "decisions" and row["rest"] is not None:
                row["rest"] = Fraction(row["rest"])
            sums.add(tuple(row[key] for key in keys), row["segment"], row)
        sums.close()
        return sums

    def _all_searches(self, largest: int) -> _Sums:
        """Searches under every window that a set of up to `largest` choices can give."""
        asked: set[tuple[str, str | None, int]] = set()
        searched = [tuple(row.values()) for row in self._engine.rows(self._queries["searched"])]
        for method in self._methods_that_move_windows(largest):
            windows, _ = self._windows(method)
            asked |= {(d, p, windows.get((d, p), DEFAULT_WINDOW)) for d, p in searched}
        for end in self._card_ends:
            windows, _ = self._windows(Method(self._zone), end)
            asked |= {(d, p, windows.get((d, p), DEFAULT_WINDOW)) for d, p in searched}
        rows = [list(row) for row in sorted(asked, key=repr)]
        columns = "deployment VARCHAR, pack VARCHAR, window_tokens BIGINT"
        self._engine.put("windows_asked", columns, rows)
        keys = (
            "deployment",
            "pack",
            "model",
            "sample_rate",
            "window_tokens",
            "repeated",
            "no_scope",
            "readable",
        )
        return self._sums("searches", keys)

    def _methods_that_move_windows(self, largest: int) -> Iterable[Method]:
        moving = {"zone", "card", "window_priced_only", "refused_in_called", "dedupe"}
        moving |= {"until_exclusive"}
        choices = [c for c in self.choices if c.name in moving]
        sets: list[dict[str, str | bool]] = [{}]
        for _ in range(largest):
            sets += [
                {**chosen, c.name: c.value}
                for chosen in sets
                for c in choices
                if c.name not in chosen and (not chosen or max(chosen) < c.name)
            ]
        return (self._method(switches) for switches in sets)

    def _method(self, switches: Switches) -> Method:
        return Method(self._zone).but(**dict(switches))

    def _card(self, end: datetime, rule: str, dedupe: bool) -> Card:
        at = (
            0 if rule in ("newest_in_export", "last_in_file") else bisect_left(self._snapshots, end)
        )
        known = self._cards.get((at, rule, dedupe))
        if known is None:
            self._leave_out(dedupe)
            rows = self._engine.rows(sql("card"), {"end": end, "card": rule})
            known = {(row["deployment"], row["model"]): row for row in rows}
            self._cards[at, rule, dedupe] = known
        return known

    def _leave_out(self, dedupe: bool) -> None:
        if dedupe != self._left_out:
            self._engine.leave_out(self._repeats if dedupe else [], RECORD_TYPES)
            self._left_out = dedupe

    def _windows(
        self, method: Method, card_end: datetime | None = None
    ) -> tuple[dict[Any, int], dict[Any, Mapping[str, Any]]]:
        span = self._span(method)
        result: tuple[dict[Any, int], dict[Any, Mapping[str, Any]]] = self._windows_of(
            span.start,
            span.end,
            card_end or span.end,
            method.card,
            method.window_priced_only,
            method.refused_in_called,
            method.dedupe,
        )
        return result

    def _compute_windows(
        self,
        start: datetime,
        end: datetime,
        card_end: datetime,
        rule: str,
        priced_only: bool,
        refused_called: bool,
        dedupe: bool,
    ) -> tuple[dict[Any, int], dict[Any, Mapping[str, Any]]]:
        """By deployment and pack: the smallest window, and the cheapest priced model's card."""
        first, after = bisect_left(self._borders, start), bisect_left(self._borders, end)
        card = self._card(card_end, rule, dedupe)
        windows: dict[Any, int] = {}
        cheapest: dict[Any, Mapping[str, Any]] = {}
        for key, _ in self._calls.within(_Span(start, end, first, after)):
            deployment, pack, model, refused, repeated = key
            on_card = card.get((deployment, model))
            if on_card is None or (refused and not refused_called) or (repeated and dedupe):
                continue
            at, price = (deployment, pack), on_card["input_per_m"]
            window = on_card["window_tokens"]
            if window is not None and window > 0 and (price is not None or not priced_only):
                windows[at] = min(windows.get(at, window), window)
            if price is not None:
                best = cheapest.get(at)
                if best is None or (price, model) < (best["input_per_m"], best["model"]):
                    cheapest[at] = on_card
        return windows, cheapest

    def figures(self, switches: Switches) -> Mapping[At, Value]:
        """See `Worlds.figures`."""
        method = self._method(switches)
        found: dict[At, Value] = {}
        for name, moving in _MOVED_BY.items():
            chosen = (name, *(getattr(method, switch) for switch in moving))
            if chosen not in self._known:
                self._known[chosen] = dict(_coordinates(self._lever(name, method)))
            found |= self._known[chosen]
        return found

    def on_card(self, end: datetime) -> list[LeverResult]:
        """Retrieval and caching by the stated method, but on the card as it was before `end`, one
        of the `card_ends`."""
        return [self._lever(name, Method(self._zone), end) for name in ("retrieval", "caching")]

    def _lever(self, name: str, method: Method, card_end: datetime | None = None) -> LeverResult:
        """One lever under `method`, in total and by deployment."""
        span = self._span(method)
        by = ("deployment",)
        card_end = card_end or span.end
        if name == "retrieval":
            card = self._card(card_end, method.card, method.dedupe)
            reading = frozenset(
                key[0]
                for key, sums in self._calls.within(span)
                if sums[2] and not (key[4] and method.dedupe)
            )
            windows = self._windows(method, card_end)
            groups = self._search_groups(span, method, card, *windows)
            return self._retrieval(groups, method, reading)
        if name == "caching":
            card = self._card(card_end, method.card, method.dedupe)
            return levers.caching(_asked(self._call_groups(span, method, card)), method, by)
        if name == "routing":
            decisions = _asked(self._decision_groups(span, method))
            named = self._baseline is not None
            otherwise = (lambda: self._counterfactual(span, method)) if named else None
            return levers.routing(decisions, method, by, otherwise)
        hours = Fraction((span.end - span.start) // timedelta(microseconds=1), 3_600_000_000)
        return levers.infrastructure(self._infrastructure(span, method), hours, by)

    def _retrieval(
        self, groups: Iterable[dict[str, Any]], method: Method, reading: frozenset[str]
    ) -> LeverResult:
        """Retrieval from its groups. Most methods leave most deployments as they are: each is
        worked out once for what it is made of."""
        of: dict[str, list[dict[str, Any]]] = {}
        for group in groups:
            of.setdefault(group["deployment"], []).append(group)
        rows = []
        for deployment, members in sorted(of.items()):
            made_of = (
                method.weights,
                deployment in reading,
                *(tuple(group.values()) for group in members),
            )
            measures = self._measured.get(made_of)
            if measures is None:
                measures = levers.retrieval_measures(members, method, reading)
                self._measured[made_of] = measures
            rows.append(Row(deployment, measures))
        totals: dict[str, Value] = {}
        for measure, zero in levers.retrieval_measures([], method, reading).items():
            values = [zero, *(row.measures[measure] for row in rows)]
            totals[measure] = sum(value for value in values if isinstance(value, int | Fraction))
        return levers.retrieval_of(totals, {"deployment": tuple(rows)})

    def _call_groups(self, span: _Span, method: Method, card: Card) -> Iterable[dict[str, Any]]:
        cells: dict[tuple[str, str], list[int]] = {}
        for key, sums in self._calls.within(span):
            deployment, _, model, refused, repeated = key
            if (repeated and method.dedupe) or (refused and not method.refused_in_caching):
                continue
            cell = cells.setdefault((deployment, model), [0] * len(_CALL_SUMS))
            for at, amount in enumerate(sums):
                cell[at] += amount
        for (deployment, model), amounts in cells.items():
            on_card = card.get((deployment, model), {})
            yield {
                "deployment": deployment,
                "model": model,
                "snapshot": on_card.get("snapshot"),
                "snapshot_at": on_card.get("snapshot_at"),
                "card_line": on_card.get("line"),
                **{name: on_card.get(name) for name in _PRICES},
                **dict(zip(_CALL_SUMS, amounts, strict=True)),
            }

    def _search_groups(
        self,
        span: _Span,
        method: Method,
        card: Card,
        windows: Mapping[Any, int],
        cheapest: Mapping[Any, Mapping[str, Any]],
    ) -> Iterable[dict[str, Any]]:
        groups: dict[tuple[Any, ...], list[int]] = {}
        for key, sums in self._searches.within(span):
            deployment, pack, model, rate, window, repeated, no_scope, readable = key
            if window != windows.get((deployment, pack), DEFAULT_WINDOW):
                continue
            if repeated and method.dedupe:
                continue
            count, stuffed, sent, avoided, signed = sums
            measured = readable and (not no_scope or method.unmeasured_as_window)
            own = card.get((deployment, model), {})
            pricing: Mapping[str, Any] = own
            if own.get("input_per_m") is None:
                pricing = cheapest.get((deployment, pack), {})
            # Prices and weights are applied to few groups: those that share them are summed first.
            at = (deployment, rate, pricing.get("input_per_m"), pricing.get("cache_read_per_m"))
            group = groups.setdefault(at, [0, 0, 0, 0, 0])
            if measured:
                saved = avoided if method.clamp else signed
                for place, amount in enumerate((count, 0, stuffed, sent, saved)):
                    group[place] += amount
            else:
                group[1] += count
        for (deployment, rate, price, read_price), group in groups.items():
            measured, unmeasured, stuffed, sent, saved = group
            yield {
                "deployment": deployment,
                "sample_rate": rate,
                "input_per_m": price,
                "cache_read_per_m": read_price,
                "measured": measured,
                "unmeasured": unmeasured,
                "stuffed_tokens": stuffed,
                "sent_tokens": sent,
                "tokens_avoided": saved,
            }

    def _decision_groups(self, span: _Span, method: Method) -> Iterable[dict[str, Any]]:
        names = {(True, 1): "saving", (True, -1): "escalation", (False, 1): "off_saving"}
        for key, (count, whole, rest) in self._decisions.within(span):
            deployment, applied, sign, repeated = key
            if repeated and method.dedupe:
                continue
            group: dict[str, Any] = {
                "deployment": deployment,
                "decisions": count,
                "uncomparable": count if sign is None else 0,
            }
            for name in names.values():
                group |= {f"{name}_whole": None, f"{name}_rest": None}
            name = names.get((applied, sign), "")
            if name:
                flip = -1 if name == "escalation" else 1
                group |= {f"{name}_whole": flip * whole, f"{name}_rest": flip * rest}
            yield group

    def _infrastructure(self, span: _Span, method: Method) -> list[dict[str, Any]]:
        at = (span.start, span.end, method.dedupe)
        if at not in self._infra:
            self._leave_out(method.dedupe)
            asked = {"start": span.start, "end": span.end}
            self._infra[at] = self._engine.rows(sql("infrastructure"), asked)
        return self._infra[at]

    def _counterfactual(self, span: _Span, method: Method) -> list[dict[str, Any]]:
        self._leave_out(method.dedupe)
        self._engine.set_card(sql("card"), span.end, method.card)
        asked = {"start": span.start, "end": span.end, "baseline_model": self._baseline}
        return self._engine.rows(sql("counterfactual"), asked)


def _asked(groups: Iterable[dict[str, Any]]) -> levers.Groups:
    """Groups as a lever asks for them: in total, or by deployment."""
    known = list(groups)

    def by(dimension: str) -> list[dict[str, Any]]:
        if dimension == "deployment":
            return [{**group, "key": group["deployment"]} for group in known]
        return [{**group, "key": None} for group in known]

    return by


def _queries() -> dict[str, str]:
    """The named queries of grid.sql."""
    parts = sql("grid").split("-- @")[1:]
    return {
        part.partition(":")[0].partition("\n")[0].strip(): part.partition("\n")[2]
        .rstrip()
        .rstrip(";")
        for part in parts
    }


def _coordinates(lever: LeverResult) -> Iterable[tuple[At, Value]]:
    name = lever.lever
    yield At(name, "status"), lever.status
    yield At(name, "usd"), lever.usd
    yield At(name, "coverage_measured"), lever.coverage.measured
    yield At(name, "coverage_total"), lever.coverage.total
    for measure, value in lever.totals.items():
        if measure != "usd":
            yield At(name, measure), value
    for row in lever.by.get("deployment", ()):
        for measure, value in row.measures.items():
            yield At(name, measure, "deployment", row.key), value
