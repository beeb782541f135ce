"""A question to an export, answered: from the integer groups of an engine to a recomputation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from verify.errors import UsageProblem
from verify.findings import Finding
from verify.period import Period, month_end, month_period, zone_named
from verify.result import Coverage, ExportIdentity, LeverResult, Recomputation
from verify.systems.base import Question, Reading
from verify.systems.lighthouse import levers
from verify.systems.lighthouse.fields import RECORD_TYPES
from verify.systems.lighthouse.groups import QUARTER, Groups
from verify.systems.lighthouse.measures import DIMENSIONS, LEVERS
from verify.systems.lighthouse.method import Method
from verify.trust.manifest import Manifest

_LEVER_TYPES = {
    "retrieval": ("retrieval",),
    "caching": ("model_call",),
    "routing": ("routing_decision",),
    "infrastructure": ("deployment_profile", "cost"),
}
# In the order in which a lever's findings are told, whatever order an engine finds them in.
_MESSAGES = {
    "negative_tokens": "calls with a negative token count, which adds nothing",
    "outcome_unknown": "calls whose outcome is neither ok, error nor refused",
    "model_without_card": "calls of models without a price on their deployment's card",
    "negative_scope": "searches with a negative token count, which are unmeasured",
    "rate_out_of_range": "searches with a sampling rate outside (0, 1], which are unmeasured",
    "negative_money": "negative amounts, read as credits",
    "profile_unknown": "profiles of another name than always_on, scheduled or ephemeral",
    "profile_changed": "changes of profile inside the period; the newest is applied to all of it",
    "days_without_cost": "deployment-days without a cost record inflate the saving",
    "timestamp_without_offset": "records whose timestamp has no offset, read as UTC",
}
_ORDER = tuple(_MESSAGES)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Quarters of an hour since then of which every zone has a date: years 3 to 9997.
_QUARTERS = range(
    *((datetime(year, 1, 1, tzinfo=UTC) - _EPOCH) // timedelta(minutes=15) for year in (3, 9998))
)


class Recomputer:
    """Recomputes the levers of one export from the groups of one engine."""

    def __init__(
        self,
        groups: Groups,
        identity: ExportIdentity,
        manifest: Manifest | None,
        findings: tuple[Finding, ...],
        reading: Reading,
    ) -> None:
        self._groups = groups
        self._identity = identity
        self._manifest = manifest
        self._findings = findings
        self._reading = reading

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
            self._groups.name,
            self._groups.checked_by,
        )

    def _prepare(self, method: Method, period: Period) -> None:
        self._groups.prepare(method, period)

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

    def _days(self, zone: ZoneInfo, types: Sequence[str]) -> dict[date, int]:
        """Records by local day. Instants outside every calendar are left out."""
        found: dict[date, int] = {}
        for at, records in self._groups.quarters(types).items():
            if at in _QUARTERS:
                instant = _EPOCH + timedelta(microseconds=at * QUARTER)
                day = instant.astimezone(zone).date()
                found[day] = found.get(day, 0) + records
        return found

    def _lever(
        self, name: str, question: Question, method: Method, context: Mapping[str, Any]
    ) -> LeverResult:
        by = levers.dimensions_of(name, question.by)

        def groups(dimension: str) -> list[dict[str, Any]]:
            return self._groups.rows(name, {**context, "dimension": dimension})

        if name == "retrieval":
            flagged = self._groups.rows("reads_cache", context)
            reads_cache = frozenset(row["deployment"] for row in flagged)
            return levers.retrieval(groups, method, reads_cache, by)
        if name == "caching":
            return levers.caching(groups, method, by)
        if name == "routing":

            def counterfactual() -> list[dict[str, Any]]:
                return self._groups.rows("counterfactual", context)

            named = question.baseline_model is not None
            return levers.routing(groups, method, by, counterfactual if named else None)
        groups_of_all = self._groups.rows(name, context)
        return levers.infrastructure(groups_of_all, context["hours"], by)

    def _record_findings(self, context: Mapping[str, Any]) -> dict[str, list[Finding]]:
        found: dict[str, list[Finding]] = {}
        rows = self._groups.rows("findings", context)
        for row in sorted(rows, key=lambda row: _ORDER.index(row["code"])):
            if row["found"]:
                message = f"{row['found']:,} {_MESSAGES[row['code']]}"
                finding = Finding(row["code"], message, row["found"], tuple(row["examples"] or ()))
                found.setdefault(row["lever"], []).append(finding)
        return found


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
