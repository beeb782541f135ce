"""What every diagnosis may ask: the records, the period, and recomputations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction
from importlib.resources import files
from typing import Any
from zoneinfo import ZoneInfo

from verify.compare.figures import Claims
from verify.engines.duckdb import DuckEngine
from verify.findings import EXAMPLES, Finding
from verify.period import Period
from verify.result import ExportIdentity, LeverResult, Recomputation
from verify.systems.base import Question, Reading
from verify.systems.lighthouse import levers
from verify.systems.lighthouse.fields import RECORD_TYPES
from verify.systems.lighthouse.grid import Grid
from verify.systems.lighthouse.groups import SqlGroups
from verify.systems.lighthouse.load import sql
from verify.systems.lighthouse.measures import LEVERS
from verify.systems.lighthouse.method import Method
from verify.systems.lighthouse.recomputer import Recomputer
from verify.trust.manifest import Manifest

Switches = Mapping[str, str | bool]
Group = Mapping[str, Any]
STATED: Switches = {}


class Context(Recomputer):
    """One export and period, the product's figures about it, and recomputations by DuckDB alone."""

    def __init__(
        self,
        engine: DuckEngine,
        repeats: Callable[[], Sequence[int]],
        identity: ExportIdentity,
        manifest: Manifest | None,
        reading: Reading,
        period: Period,
        claims: Claims,
        baseline_model: str | None,
    ) -> None:
        super().__init__(SqlGroups(engine, repeats), identity, manifest, (), reading)
        self.engine = engine
        self.repeats = repeats
        self.period = period
        self.claims = claims
        self._asked = Question(
            since=period.since,
            until=period.until,
            time_zone=period.time_zone,
            baseline_model=baseline_model,
        )
        self._known: dict[tuple[Any, ...], Recomputation] = {}
        self._prepared: Method | None = None

    @property
    def bounds(self) -> dict[str, Any]:
        """The period as the parameters of a query."""
        return {"start": self.period.start, "end": self.period.end}

    @property
    def exported_at(self) -> datetime | None:
        """When the export was made, if its manifest says so."""
        text = self._manifest.exported_at if self._manifest else None
        if text is not None:
            with suppress(ValueError):  # whoever wrote the manifest meant something else
                instant = datetime.fromisoformat(text)
                return instant if instant.tzinfo else instant.replace(tzinfo=UTC)
        return None

    def rows(self, text: str, **parameters: Any) -> list[dict[str, Any]]:
        """What a query yields over the period, with its days, card and records by the stated
        method."""
        self._ready(STATED)
        return self.engine.rows(text, {**self.bounds, **parameters})

    def recomputed(self, by: tuple[str, ...] = (), switches: Switches = STATED) -> Recomputation:
        """All levers by these dimensions, under these switches."""
        name = (by, tuple(sorted(switches.items())))
        if name not in self._known:
            self._prepared = self._method(switches)
            self._known[name] = self.recompute(replace(self._asked, by=by, switches=switches))
        return self._known[name]

    def records_by_day(self, zone: ZoneInfo) -> Mapping[date, int]:
        """Records of the types that levers read, by local day of a zone."""
        return self._days(zone, RECORD_TYPES)

    def by_stretch(
        self, switches: Switches, stretches: Mapping[str, tuple[datetime, datetime]]
    ) -> list[LeverResult]:
        """Each lever, its rows by `day` being those of the stretches of time of these names."""
        context = self._ready(switches)
        rows = [[name, start, end] for name, (start, end) in stretches.items()]
        self._prepared = None
        self.engine.put("days", "day VARCHAR, starts TIMESTAMPTZ, ends TIMESTAMPTZ", rows)
        return self._all(LEVERS, context, switches, ("day",))

    def on_cards(self, instants: Sequence[datetime]) -> Iterator[list[LeverResult]]:
        """Retrieval and caching with the card as it was before each of these instants."""
        since, until, zone = self.period.since, self.period.until, self.period.time_zone
        self._prepared = None
        grid = Grid(self.engine, since, until, zone, [], None, 0, instants)
        return map(grid.on_card, instants)

    def without(self, lines: Sequence[int]) -> list[LeverResult]:
        """All levers as if these lines were not there."""
        context = self._ready(STATED)
        self._prepared = None
        self.engine.leave_out(lines, RECORD_TYPES)
        self.engine.set_card(sql("card"), context["end"], str(context["card"]))
        found = self._all(LEVERS, context)
        self.engine.leave_out([], RECORD_TYPES)
        return found

    def _record_findings(self, _: Mapping[str, Any]) -> dict[str, list[Finding]]:
        """Those are made where the figures are recomputed to be shown."""
        return {}

    def groups(self, lever: str, dimension: str) -> list[dict[str, Any]]:
        """The groups that a lever's query yields."""
        return self._groups.rows(lever, {**self._ready(STATED), "dimension": dimension})

    def searches(self, text: str, dimension: str) -> list[dict[str, Any]]:
        """The rows of another query with the parameters of retrieval's."""
        return self.engine.rows(text, {**self._ready(STATED), "dimension": dimension})

    def reads_cache(self) -> frozenset[str]:
        """The deployments whose searches are priced as cached."""
        rows = self._groups.rows("reads_cache", self._ready(STATED))
        return frozenset(row["deployment"] for row in rows)

    def by_cell(self, lever: str, dimension: str, name: Callable[[Group], str]) -> LeverResult:
        """Retrieval or caching by `cell`: its groups of a dimension, together by a name of each."""
        found = [{**group, "key": name(group)} for group in self.groups(lever, dimension)]
        method = Method(self.period.time_zone)
        if lever == "retrieval":
            return levers.retrieval(lambda _: found, method, self.reads_cache(), ("cell",))
        return levers.caching(lambda _: found, method, ("cell",))

    def _ready(self, switches: Switches) -> dict[str, Any]:
        """Make days, card and records those of a method; the parameters of its queries."""
        method = self._method(switches)
        period = method.period(self.period.since, self.period.until)
        if method != self._prepared:
            self._groups.prepare(method, period)
            self._prepared = method
        return {
            **method.as_mapping(),
            "start": period.start,
            "end": period.end,
            "hours": period.hours,
            "baseline_model": self._asked.baseline_model,
        }

    def _method(self, switches: Switches) -> Method:
        return Method(self.period.time_zone).but(**dict(switches))

    def _all(
        self,
        names: Iterable[str],
        context: Mapping[str, Any],
        switches: Switches = STATED,
        by: tuple[str, ...] = (),
    ) -> list[LeverResult]:
        asked, method = replace(self._asked, by=by), self._method(switches)
        return [self._lever(name, asked, method, context) for name in names]


def query(name: str) -> str:
    """The text of `NAME.sql` beside this module."""
    return files("verify.systems.lighthouse.diagnose").joinpath(f"{name}.sql").read_text("utf-8")


def named_queries(name: str) -> dict[str, str]:
    """The queries of `NAME.sql`, each after a line `-- @its_name`."""
    found = {}
    for part in query(name).split("-- @")[1:]:
        head, _, text = part.partition("\n")
        found[head.partition(":")[0].strip()] = text.rstrip().rstrip(";")
    return found


def figures(results: Iterable[LeverResult]) -> dict[str, Fraction | None]:
    """Each lever's figure."""
    return {lever.lever: lever.usd for lever in results}


def difference(after: Fraction | None, before: Fraction | None) -> Fraction | None:
    """How much more; None where either is unknown."""
    return None if after is None or before is None else after - before


def exact(value: object) -> Fraction:
    """A value that is known to be a number."""
    assert isinstance(value, Fraction | int)
    return Fraction(value)


def lines_in(rows: Iterable[Mapping[str, Any]]) -> tuple[int, ...]:
    """The first few of all lines that these rows name."""
    return tuple(sorted({line for row in rows for line in row["lines"] or ()})[:EXAMPLES])


def a_line(cell: object) -> tuple[int, ...]:
    """The number of one line, as evidence; none where it is unknown."""
    return (cell,) if isinstance(cell, int) else ()
