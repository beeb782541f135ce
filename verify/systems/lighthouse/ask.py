"""What else can be asked of an export that DuckDB has loaded: other worlds, single records, and
what is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from verify.compare.diagnosis import Diagnosis
from verify.compare.figures import Claims
from verify.compare.tieout import DiffRow
from verify.engines.duckdb import DuckEngine
from verify.findings import Finding
from verify.period import utc_text
from verify.result import ExportIdentity, Key, Recomputation
from verify.systems.base import Check, Question, Reading
from verify.systems.lighthouse.fields import RECORD_TYPES
from verify.systems.lighthouse.grid import Grid
from verify.systems.lighthouse.groups import LEFT_OUT_OF, Groups, SqlGroups
from verify.systems.lighthouse.load import Loaded
from verify.systems.lighthouse.raw import lines_at
from verify.systems.lighthouse.reads.consistency import card_differences
from verify.systems.lighthouse.reads.decisions import decision_rows
from verify.systems.lighthouse.recomputer import Recomputer
from verify.systems.lighthouse.repeats import originals, repeated_lines
from verify.trust.manifest import Manifest
from verify.trust.source import Source

_MOST_SEARCHED = 20
"""Deployments in which few records that show a disagreement are looked for."""


class Asker(Recomputer):
    """Answers questions about one export. `combined` makes of DuckDB's groups those that figures
    are computed from: they may be held against another engine's."""

    def __init__(
        self,
        engine: DuckEngine,
        identity: ExportIdentity,
        manifest: Manifest | None,
        loaded: Loaded,
        findings: tuple[Finding, ...],
        source: Source,
        reading: Reading,
        combined: Callable[[Groups], Groups],
    ) -> None:
        groups = combined(SqlGroups(engine, self.repeats))
        super().__init__(groups, identity, manifest, findings, reading)
        self._engine = engine
        self._loaded = loaded
        self._source = source
        self._repeated: list[int] | None = None

    def repeats(self) -> list[int]:
        """The lines that repeat an earlier one."""
        if self._repeated is None:
            self._repeated = repeated_lines(self._engine, self._source, self._loaded)
        return self._repeated

    def worlds(self, question: Question, largest: int) -> Grid:
        """See `verify.systems.base.Export.worlds`."""
        zone, _ = self._zone(question)
        asked = self._period(question, zone)
        return Grid(
            self._engine,
            asked.since,
            asked.until,
            zone,
            self.repeats(),
            question.baseline_model,
            largest,
        )

    def diagnose(self, question: Question, claims: Claims) -> Diagnosis:
        """See `verify.systems.base.Diagnosing.diagnose`."""
        from verify.systems.lighthouse.diagnose import diagnose
        from verify.systems.lighthouse.diagnose.context import Context

        zone, _ = self._zone(question)
        period = self._period(question, zone)
        about = (self._identity, self._manifest, self._reading)
        return diagnose(
            Context(self._engine, self.repeats, *about, period, claims, question.baseline_model)
        )

    def lines_that_differ(
        self, question: Question, lever: str, switches: Mapping[str, str | bool]
    ) -> list[int]:
        """See `verify.systems.base.Evidencing.lines_that_differ`."""
        from verify.systems.lighthouse.diagnose import evidence

        zone, _ = self._zone(question)
        asked = replace(question, levers=(lever,), by=("deployment",))
        sides = [self.recompute(asked), self.recompute(replace(asked, switches=switches))]
        stated, other = (
            {row.key: row.measures for row in side.lever(lever).by["deployment"]} for side in sides
        )
        methods, periods = evidence.cases(question, zone, switches)
        repeats: Mapping[int, int] = {}
        if "dedupe" in switches:
            repeats = originals(self._engine, self._source, self._loaded)
        # A lever's figure can be another one though no measure of a row is: those come last.
        names = sorted((stated[key] == other.get(key), key) for key in stated if key is not None)
        for _, name in names[:_MOST_SEARCHED]:
            few = evidence.Reducer(self._engine, lever, name, methods, periods, repeats)
            if lines := few.needed():
                return lines
        return []

    def lines_of_row(self, question: Question, lever: str, dimension: str, key: Key) -> list[int]:
        """See `verify.systems.base.Evidencing.lines_of_row`."""
        from verify.systems.lighthouse.diagnose import evidence

        period = self._period(question, self._zone(question)[0])
        return evidence.lines_of_row(self._engine, period, lever, dimension, key)

    def written(self, lines: Sequence[int]) -> list[bytes]:
        """See `verify.systems.base.Evidencing.written`."""
        return list(lines_at(self._source, self._loaded, lines))

    def details(self, claims: Claims, result: Recomputation) -> tuple[list[DiffRow], list[Finding]]:
        """See `verify.systems.base.Export.details`: decisions, cards, and the zone."""
        rows: list[DiffRow] = []
        findings: list[Finding] = []
        source = claims.source
        if "routing" in source:
            period = result.period
            context = {"start": period.start, "end": period.end}
            rows += decision_rows(source["routing"], self._engine, context)
        read_cells = source.get("caching", {}).get("by_deployment_model")
        for lever in result.levers if read_cells else ():
            findings += card_differences(lever.cells, read_cells)
        own = self._manifest.time_zone if self._manifest else None
        if own is not None and claims.time_zone not in (None, own):
            message = f"the figures' time zone is {claims.time_zone}, the manifest's is {own}"
            findings.append(Finding("figures_zone", message))
        return rows, findings

    def check(self, question: Question) -> Check:
        """See `verify.systems.base.Export.check`."""
        zone, findings = self._zone(question)
        self._engine.leave_out([], LEFT_OUT_OF)
        by_type = self._counts("type")
        document = {
            "files": [
                {
                    "path": part.path,
                    "sha256": part.sha256,
                    "bytes": part.bytes,
                    "lines": part.lines,
                    "records": part.records,
                }
                for part in self._loaded.parts
            ],
            "time_zone": zone,
            "span": self._span(),
            "types": by_type,
            "deployments": self._counts("deployment"),
            "days": [
                {"key": day.isoformat(), "records": count}
                for day, count in sorted(self._days(ZoneInfo(zone), _names(by_type)).items())
            ],
            "unread": self._unread(by_type),
            "not_checked": [
                "attributes that no lever reads",
                "records of types that no lever reads",
                "who made the manifest",
            ],
        }
        sound = self._identity.trust != "unverified" and not self._loaded.invalid
        return Check(self._identity, sound, (*self._findings, *findings), document)

    def _counts(self, column: str) -> list[dict[str, Any]]:
        return self._engine.rows(
            f"SELECT {column} AS key, count(*) AS records FROM record GROUP BY ALL "
            "ORDER BY records DESC, key NULLS LAST"
        )

    def _span(self) -> dict[str, str] | None:
        (row,) = self._engine.rows(
            "SELECT min(ts) AS first, max(ts) AS last FROM record "
            "WHERE type IN (SELECT unnest($types))",
            {"types": list(RECORD_TYPES)},
        )
        if row["first"] is None:
            return None
        return {"first": utc_text(row["first"]), "last": utc_text(row["last"])}

    def _unread(self, by_type: list[dict[str, Any]]) -> list[dict[str, Any]]:
        found = [
            {"what": "type", "key": row["key"], "records": row["records"]}
            for row in by_type
            if row["key"] not in RECORD_TYPES
        ]
        costs = self._engine.rows(
            "SELECT kind AS key, count(*) AS records FROM cost "
            "WHERE kind IS DISTINCT FROM 'infrastructure' GROUP BY ALL ORDER BY ALL"
        )
        return found + [{"what": "cost of kind", **row} for row in costs]


def _names(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    return [row["key"] for row in rows]
