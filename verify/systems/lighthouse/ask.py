"""Questions to an opened export: recompute the levers, describe what is in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from verify.compare.figures import Claims
from verify.compare.tieout import DiffRow
from verify.engines.duckdb import DuckEngine
from verify.errors import UsageProblem
from verify.findings import Finding
from verify.period import Period, month_end, month_period, utc_text, zone_named
from verify.result import Coverage, ExportIdentity, LeverResult, Recomputation
from verify.systems.base import Check, Question, Reading
from verify.systems.lighthouse import levers
from verify.systems.lighthouse.fields import RECORD_TYPES
from verify.systems.lighthouse.grid import Grid
from verify.systems.lighthouse.load import Loaded, sql
from verify.systems.lighthouse.measures import DIMENSIONS, LEVERS
from verify.systems.lighthouse.method import Method
from verify.systems.lighthouse.reads.consistency import card_differences
from verify.systems.lighthouse.reads.decisions import decision_rows
from verify.systems.lighthouse.repeats import repeated_lines
from verify.trust.manifest import Manifest
from verify.trust.source import Source

_QUARTER = 900_000_000  # microseconds: every zone of today begins its days on a quarter hour
_LEVER_TYPES = {
    "retrieval": ("retrieval",),
    "caching": ("model_call",),
    "routing": ("routing_decision",),
    "infrastructure": ("deployment_profile", "cost"),
}
_MESSAGES = {
    "negative_tokens": "calls with a negative token count, which adds nothing",
    "negative_scope": "searches with a negative token count, which are unmeasured",
    "rate_out_of_range": "searches with a sampling rate outside (0, 1], which are unmeasured",
    "outcome_unknown": "calls whose outcome is neither ok, error nor refused",
    "negative_money": "negative amounts, read as credits",
    "model_without_card": "calls of models without a price on their deployment's card",
    "days_without_cost": "deployment-days without a cost record inflate the saving",
    "profile_changed": "changes of profile inside the period; the newest is applied to all of it",
    "profile_unknown": "profiles of another name than always_on, scheduled or ephemeral",
    "timestamp_without_offset": "records whose timestamp has no offset, read as UTC",
}


class Asker:
    """Answers questions about one export with one engine."""

    def __init__(
        self,
        engine: DuckEngine,
        identity: ExportIdentity,
        manifest: Manifest | None,
        loaded: Loaded,
        findings: tuple[Finding, ...],
        source: Source,
        reading: Reading,
    ) -> None:
        self._engine = engine
        self._identity = identity
        self._manifest = manifest
        self._loaded = loaded
        self._findings = findings
        self._source = source
        self._reading = reading
        self._repeated: list[int] | None = None

    def recompute(self, question: Question) -> Recomputation:
        """See `verify.systems.base.Export.recompute`."""
        names = _levers_asked(question)
        zone, findings = self._zone(question)
        asked = self._period(question, zone)
        method = Method(zone).but(**question.switches)
        period = method.period(asked.since, asked.until)
        self._prepare(method, period)
        context: dict[str, Any] = {
            **method.as_mapping(),
            "start": period.start,
            "end": period.end,
            "hours": period.hours,
            "baseline_model": question.baseline_model,
        }
        results = [self._lever(name, question, method, context) for name in names]
        notes = self._record_findings(context)
        return Recomputation(
            self._identity,
            period,
            method.as_mapping(),
            tuple(_with_findings(result, notes) for result in results),
            (*self._findings, *findings),
            dict(self._reading.fields),
        )

    def _zone(self, question: Question) -> tuple[str, tuple[Finding, ...]]:
        if question.time_zone is not None:
            return zone_named(question.time_zone).key, ()
        if self._manifest is not None and self._manifest.time_zone is not None:
            return zone_named(self._manifest.time_zone).key, ()
        if question.fallback_zone is not None:
            return zone_named(question.fallback_zone).key, ()
        message = "no time zone is named by the manifest or by --tz; days are UTC days"
        return "UTC", (Finding("time_zone_assumed", message),)

    def _period(self, question: Question, zone: str) -> Period:
        if question.month is not None:
            if question.since or question.until:
                raise UsageProblem("a period is a month, or two dates, not both")
            return month_period(question.month, zone)
        since, until = question.since, question.until
        if isinstance(since, datetime):
            raise UsageProblem("LightHouse's periods are whole days: --since takes a date")
        if since and until:
            return Period(since, until, zone)
        if since or until:
            raise UsageProblem("--since and --until go together; both days are included")
        period, whole = self._last_month(zone)
        covered = "the last whole month" if whole else "the last month, which they do not fill,"
        self._reading.notice(f"no period given: {period.label}, {covered} that the records cover")
        return period

    def _last_month(self, zone: str) -> tuple[Period, bool]:
        """The last month with records on its first and on its last local day; where there is none,
        the last with any."""
        dates = sorted(self._days(ZoneInfo(zone), RECORD_TYPES))
        if not dates:
            raise UsageProblem(
                "the export holds no record that a lever reads, so it covers no month",
                advice="Name a period with --period YYYY-MM, or look at verify check --shape.",
            )
        present = set(dates)
        firsts = sorted({day.replace(day=1) for day in dates}, reverse=True)
        for first in firsts:
            if first in present and month_end(first) in present:
                return Period(first, month_end(first), zone), True
        return Period(firsts[0], month_end(firsts[0]), zone), False

    def _days(self, zone: ZoneInfo, types: Iterable[str]) -> dict[date, int]:
        """Records by local day. Instants outside every calendar are left out."""
        rows = self._engine.rows(
            "SELECT epoch_us(ts) // $quarter AS at, count(*) AS records FROM record "
            "WHERE ts IS NOT NULL AND type IN (SELECT unnest($types)) GROUP BY ALL",
            {"quarter": _QUARTER, "types": list(types)},
        )
        found: dict[date, int] = {}
        epoch = datetime(1970, 1, 1, tzinfo=UTC)
        for row in rows:
            instant = epoch + timedelta(microseconds=row["at"] * _QUARTER)
            if 2 < instant.year < 9998:
                day = instant.astimezone(zone).date()
                found[day] = found.get(day, 0) + row["records"]
        return found

    def _prepare(self, method: Method, period: Period) -> None:
        self._engine.set_days(period.days())
        self._engine.leave_out(self._repeats() if method.dedupe else [], RECORD_TYPES)
        self._engine.set_card(sql("card"), period.end, method.card)

    def _repeats(self) -> list[int]:
        if self._repeated is None:
            self._repeated = repeated_lines(self._engine, self._source, self._loaded)
        return self._repeated

    def _lever(
        self, name: str, question: Question, method: Method, context: Mapping[str, Any]
    ) -> LeverResult:
        by = levers.dimensions_of(name, question.by)

        def groups(dimension: str) -> list[dict[str, Any]]:
            return self._engine.rows(sql(name), {**context, "dimension": dimension})

        if name == "retrieval":
            flagged = self._engine.rows(sql("reads_cache"), context)
            reads_cache = frozenset(row["deployment"] for row in flagged)
            return levers.retrieval(groups, method, reads_cache, by)
        if name == "caching":
            return levers.caching(groups, method, by)
        if name == "routing":

            def counterfactual() -> list[dict[str, Any]]:
                return self._engine.rows(sql("counterfactual"), context)

            named = question.baseline_model is not None
            return levers.routing(groups, method, by, counterfactual if named else None)
        groups_of_all = self._engine.rows(sql(name), context)
        return levers.infrastructure(groups_of_all, context["hours"], by)

    def _record_findings(self, context: Mapping[str, Any]) -> dict[str, list[Finding]]:
        rates = self._engine.rows(
            "SELECT DISTINCT sample_rate FROM retrieval "
            "WHERE ts >= $start AND ts < $end AND sample_rate IS NOT NULL",
            context,
        )
        bad = [
            row["sample_rate"]
            for row in rates
            if levers.sampling_weight(row["sample_rate"]) is None
        ]
        found: dict[str, list[Finding]] = {}
        for row in self._engine.rows(sql("findings"), {**context, "bad_rates": bad}):
            if row["found"]:
                message = f"{row['found']:,} {_MESSAGES[row['code']]}"
                finding = Finding(row["code"], message, row["found"], tuple(row["examples"] or ()))
                found.setdefault(row["lever"], []).append(finding)
        return found

    def worlds(self, question: Question, largest: int) -> Grid:
        """See `verify.systems.base.Export.worlds`."""
        zone, _ = self._zone(question)
        asked = self._period(question, zone)
        return Grid(
            self._engine,
            asked.since,
            asked.until,
            zone,
            self._repeats(),
            question.baseline_model,
            largest,
        )

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


def _levers_asked(question: Question) -> tuple[str, ...]:
    for name in question.levers:
        if name not in LEVERS:
            raise UsageProblem(
                f"LightHouse has no lever {name!r}", advice=f"It has {', '.join(LEVERS)}."
            )
    asked = tuple(name for name in LEVERS if name in question.levers) or LEVERS
    for dimension in question.by:
        having = [name for name in LEVERS if dimension in DIMENSIONS[name]]
        if not having:
            known = sorted({name for names in DIMENSIONS.values() for name in names})
            raise UsageProblem(
                f"no lever can be broken down by {dimension!r}",
                advice=f"There are {', '.join(known)}.",
            )
        if not set(having) & set(asked):
            raise UsageProblem(
                f"{', '.join(asked)} cannot be broken down by {dimension!r}",
                advice=f"{', '.join(having)} can.",
            )
    return asked


def _with_findings(result: LeverResult, notes: Mapping[str, list[Finding]]) -> LeverResult:
    found = list(notes.get(result.lever, ()))
    if result.status == "no_data":
        found.insert(0, Finding("fields_absent", _absent(result)))
    return LeverResult(
        result.lever,
        result.status,
        result.usd,
        result.totals,
        result.coverage,
        result.by,
        result.cells,
        result.detail,
        tuple(found),
    )


def _absent(result: LeverResult) -> str:
    types = " or ".join(_LEVER_TYPES[result.lever])
    if result.lever == "infrastructure":
        what = "no deployment whose profile is other than always_on"
    elif result.coverage == Coverage(0, 0):
        what = f"no {types} record in the period"
    else:
        what = f"none of the {result.coverage.total:,} {types} records has what the lever reads"
    return f"{what}; verify check --shape shows which fields the export has"
