"""Where the levers' integer groups come from: one form that every engine has, and two compared.

`recompute` asks for groups by the name of a query and turns them into figures; what runs the
query is an engine's own affair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol

from verify.errors import IntegrityFailure, Problem
from verify.period import Period
from verify.systems.lighthouse.fields import RECORD_TYPES
from verify.systems.lighthouse.levers import sampling_weight
from verify.systems.lighthouse.load import sql
from verify.systems.lighthouse.method import Method

Rows = list[dict[str, Any]]
Context = Mapping[str, Any]
QUARTER = 900_000_000
"""Microseconds: every zone of today begins its days on a quarter hour."""
MOST_GROUPS = 200_000
"""Of one query. Prices and weights are applied to them in memory, half a gigabyte of it."""
LEFT_OUT_OF = (*RECORD_TYPES, "record")
"""The relations that a line which is left out is not in."""


class Groups(Protocol):
    """The groups of one export, as one engine computes them."""

    @property
    def name(self) -> str:
        """The engine's."""

    @property
    def checked_by(self) -> str | None:
        """The engine that its groups are held against, if any."""

    def prepare(self, method: Method, period: Period) -> None:
        """From now on: this card, these days, and these lines left out."""

    def rows(self, query: str, context: Context) -> Rows:
        """What the query of that name yields: one of retrieval, caching, routing, infrastructure,
        counterfactual, reads_cache, rates and findings. Counts are `int`, amounts `Decimal`,
        instants in UTC."""

    def quarters(self, types: Sequence[str]) -> dict[int, int]:
        """Records of these types by the quarter hour that they lie in, counted from 1970."""


class SqlEngine(Protocol):
    """What runs the levers' SQL over the relations of tables.sql."""

    @property
    def name(self) -> str: ...

    def rows(
        self, sql: str, parameters: Mapping[str, Any] | None = None, most: int | None = None
    ) -> Rows: ...

    def set_days(self, days: Any) -> None: ...

    def set_card(self, sql: str, end: Any, rule: str) -> None: ...

    def leave_out(self, lines: Sequence[int], relations: Sequence[str]) -> None: ...


class SqlGroups:
    """Groups by the `.sql` files. `repeats` finds the lines that repeat an earlier one."""

    checked_by = None

    def __init__(self, engine: SqlEngine, repeats: Callable[[], Sequence[int]]) -> None:
        self._engine = engine
        self._repeats = repeats

    @property
    def name(self) -> str:
        return self._engine.name

    def prepare(self, method: Method, period: Period) -> None:
        self._engine.set_days(period.days())
        self._engine.leave_out(self._repeats() if method.dedupe else [], LEFT_OUT_OF)
        self._engine.set_card(sql("card"), period.end, method.card)

    def rows(self, query: str, context: Context) -> Rows:
        if query == "findings":
            context = {**context, "bad_rates": bad_rates(self.rows("rates", context))}
        return self._engine.rows(sql(query), context, MOST_GROUPS)

    def quarters(self, types: Sequence[str]) -> dict[int, int]:
        self._engine.leave_out([], LEFT_OUT_OF)
        rows = self._engine.rows(
            "SELECT epoch_us(ts) // $quarter AS at, count(*) AS records FROM record "
            "WHERE ts IS NOT NULL AND type IN (SELECT unnest($types)) GROUP BY ALL",
            {"quarter": QUARTER, "types": list(types)},
        )
        return {row["at"]: row["records"] for row in rows}


def bad_rates(rates: Rows) -> list[str]:
    """Those of the sampling rates, as the engine itself writes them, outside (0, 1]."""
    return [row["sample_rate"] for row in rates if sampling_weight(row["sample_rate"]) is None]


class EnginesDisagree(IntegrityFailure):
    """Two engines that read one contract found two things (exit 3). The problems carry the groups
    that differ."""

    def __init__(self, first: str, second: str, what: str, problems: Sequence[Problem]) -> None:
        super().__init__(
            problems, advice="One of the two calculations is wrong: please report it. No figure."
        )
        self.message = f"{first} and {second} do not agree on {what}"
        self.args = (self.message,)


class CheckedGroups:
    """The groups of the first engine, each query held against the second one's, exactly."""

    def __init__(self, first: Groups, second: Groups) -> None:
        self._first = first
        self._second = second
        self.compared: Counter[str] = Counter()

    @property
    def name(self) -> str:
        return self._first.name

    @property
    def checked_by(self) -> str:
        return self._second.name

    def prepare(self, method: Method, period: Period) -> None:
        self._first.prepare(method, period)
        self._second.prepare(method, period)

    def rows(self, query: str, context: Context) -> Rows:
        rows = self._first.rows(query, context)
        other = self._second.rows(query, context)
        by = context.get("dimension")
        what = query if by in (None, "total") else f"{query} by {by}"
        names = (self._first.name, self._second.name)
        if problems := _differences(names, what, rows, other):
            raise EnginesDisagree(*names, what, problems)
        self.compared[query] += len(rows)
        return rows

    def quarters(self, types: Sequence[str]) -> dict[int, int]:
        return self._first.quarters(types)


_SUMS = frozenset(
    (
        *("calls", "reported", "measured", "unmeasured", "decisions", "uncomparable", "found"),
        *("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
        *("stuffed_tokens", "sent_tokens", "tokens_avoided", "saving_whole", "saving_rest"),
        *("escalation_whole", "escalation_rest", "off_saving_whole", "off_saving_rest"),
    )
)
Folded = dict[tuple[tuple[str, Any], ...], dict[str, Any]]


def folded(rows: Rows) -> Folded:
    """Groups by what they are grouped by, each a mapping of its sums.

    Amounts become fractions, and so do sampling rates, which one engine keeps as they are written:
    groups that differ only there become one. Sums that count nothing are left out.
    """
    found: Folded = {}
    for row in rows:
        key = tuple((name, _plain(name, row[name])) for name in sorted(row) if name not in _SUMS)
        sums = found.setdefault(key, {})
        for name in row:
            if name in _SUMS and row[name] is not None:
                sums[name] = sums.get(name, 0) + _plain(name, row[name])
    return {key: sums for key, sums in found.items() if sums.get("found", 1)}


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, Decimal):
        return Fraction(value)
    if name == "sample_rate" and value is not None:
        return Fraction(value)
    return tuple(value) if isinstance(value, list) else value


def _differences(names: tuple[str, str], what: str, one: Rows, two: Rows) -> list[Problem]:
    first, second = folded(one), folded(two)
    problems = []
    for key in (*first, *(key for key in second if key not in first)):
        here, there = first.get(key), second.get(key)
        if here != there:
            group = ", ".join(f"{name} {_shown(value)}" for name, value in key)
            sides = (
                f"{name} {_sums(side)}" for name, side in zip(names, (here, there), strict=True)
            )
            problems.append(Problem("engines_disagree", what, f"{group}: {'; '.join(sides)}"))
    return problems


def _sums(sums: Mapping[str, Any] | None) -> str:
    if sums is None:
        return "has no such group"
    return ", ".join(f"{name} {_shown(value)}" for name, value in sums.items()) or "has it"


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str) else "null" if value is None else str(value)
