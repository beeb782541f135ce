"""Each routing decision that the read lists against its record in the export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from verify.compare.figures import At
from verify.compare.tieout import DiffRow
from verify.compare.verdicts import DOLLAR_DECIMALS, Precision, Tolerance, judge
from verify.engines.duckdb import DuckEngine
from verify.exact import Printed, plain
from verify.systems.lighthouse.reads.depth2 import decision_delta, number
from verify.trust.strictjson import NumberText, loads

DECISIONS = """
    SELECT line, deployment ->> '$' AS deployment, epoch_us(ts) AS at, id ->> '$' AS id,
           agent ->> '$' AS agent, pack ->> '$' AS pack, others ->> '$.picked' AS picked,
           others ->> '$.baseline' AS baseline, others ->> '$.applied' AS applied, candidates
    FROM lines
    WHERE type = '"routing_decision"'
      AND line IN (SELECT line FROM routing_decision WHERE ts >= $start AND ts < $end)
    ORDER BY line
"""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_COMPARED = ("agent", "pack", "picked", "baseline", "applied", "candidates")

Name = tuple[str | None, int | None, str | None]


@dataclass(frozen=True)
class _Decision:
    name: Name
    content: Mapping[str, Any]
    delta: Fraction | None
    place: str

    @property
    def key(self) -> str:
        deployment, at, identity = self.name
        if identity is not None:
            return identity
        when = "?" if at is None else (_EPOCH + timedelta(microseconds=at)).isoformat()
        return f"{deployment} {when}"


def decision_rows(
    read: Mapping[str, Any], engine: DuckEngine, context: Mapping[str, Any]
) -> Iterator[DiffRow]:
    """A row a decision, of the read or of the records: its delta, and whether all of it is the
    same. Decisions are paired by deployment, instant and id; of several alike, equal ones first.
    A cost is as exact as any other dollar figure: to half a unit of the decimals that they show."""
    recorded: dict[Name, list[_Decision]] = {}
    for row in engine.rows(DECISIONS, context):
        decision = _recorded(row)
        recorded.setdefault(decision.name, []).append(decision)
    shown: dict[Name, list[_Decision]] = {}
    for position, item in enumerate(read["decisions"]):
        decision = _shown(item, position)
        shown.setdefault(decision.name, []).append(decision)
    precision = Precision(max((_decimals(item) for item in read["decisions"]), default=0))
    for name in [*shown, *(name for name in recorded if name not in shown)]:
        yield from _paired(shown.get(name, []), recorded.get(name, []), precision)


def _decimals(item: Mapping[str, Any]) -> int:
    costs = [cost for c in item.get("candidates") or () if (cost := c.get("cost_usd")) is not None]
    return max([DOLLAR_DECIMALS, *(Printed.read(cost).decimals for cost in costs)])


def _paired(
    shown: list[_Decision], recorded: list[_Decision], precision: Precision
) -> Iterator[DiffRow]:
    left, right = list(shown), list(recorded)
    for verdict in ("exact", "rounding"):
        for decision in tuple(left):
            agreeing = (o for o in right if _verdict(decision, o, precision) == verdict)
            twin = next(agreeing, None)
            if twin is not None:
                left.remove(decision)
                right.remove(twin)
                yield _row(decision, twin, verdict, "")
    for decision, other in zip(left, right, strict=False):
        parts = [part for part in _COMPARED if decision.content[part] != other.content[part]]
        reason = f"{other.place} of the export has another {', '.join(parts)}"
        yield _row(decision, other, "differs", reason)
    for decision in left[len(right) :]:
        yield _row(decision, None, "only_in_figures", "the period's records have no such decision")
    for other in right[len(left) :]:
        yield _row(
            None, other, "only_in_records", f"{other.place} of the export is not in the read"
        )


def _verdict(shown: _Decision, recorded: _Decision, precision: Precision) -> str:
    if shown.content == recorded.content:
        return "exact"
    one, other = dict(shown.content), dict(recorded.content)
    costs, own = one.pop("candidates"), other.pop("candidates")
    if one != other or [model for model, _ in costs] != [model for model, _ in own]:
        return "differs"
    for (_, cost), (_, recorded_cost) in zip(costs, own, strict=True):
        if cost is None or recorded_cost is None:
            if cost is not recorded_cost:
                return "differs"
        elif judge(cost, recorded_cost, precision, Tolerance()) == "differs":
            return "differs"
    return "rounding"


def _row(shown: _Decision | None, recorded: _Decision | None, verdict: str, reason: str) -> DiffRow:
    either = shown or recorded
    assert either is not None
    figure = shown.delta if shown else None
    recomputed = recorded.delta if recorded else None
    both = figure is not None and recomputed is not None
    return DiffRow(
        At("routing", "delta_usd", "decision", either.key),
        None if figure is None else plain(figure),
        figure,
        recomputed,
        figure - recomputed if both and figure is not None and recomputed is not None else None,
        verdict,
        reason,
        "routing",
        shown.place if shown else "",
    )


def _recorded(row: Mapping[str, Any]) -> _Decision:
    candidates = loads(row["candidates"].encode()) if row["candidates"] else []
    record = {**row, "applied": row["applied"] != "false", "candidates": candidates}
    return _decision(record, row["at"], f"line {row['line']}")


def _shown(item: Mapping[str, Any], position: int) -> _Decision:
    record = {**item, "applied": item.get("applied") is not False}
    return _decision(record, _instant(item.get("ts")), f"/decisions/{position}")


def _decision(record: Mapping[str, Any], at: int | None, place: str) -> _Decision:
    candidates = [
        {"model": c.get("model"), "cost_usd": _text(c.get("cost_usd"))}
        for c in record.get("candidates") or ()
    ]
    content = {part: record.get(part) for part in _COMPARED}
    content["candidates"] = tuple((c["model"], number(c["cost_usd"])) for c in candidates)
    delta = decision_delta({**record, "candidates": candidates})
    return _Decision((record.get("deployment"), at, record.get("id")), content, delta, place)


def _text(value: Any) -> Any:
    """A cost as number text; long decimals come from the store as strings."""
    return NumberText(value) if isinstance(value, str) else value


def _instant(text: Any) -> int | None:
    """Microseconds since 1970 in UTC, finer digits cut; None for what is no timestamp."""
    if not isinstance(text, str):
        return None
    try:
        at = datetime.fromisoformat(_cut(text).upper())
    except ValueError:
        return None
    at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return (at - _EPOCH) // timedelta(microseconds=1)


def _cut(text: str) -> str:
    head, dot, rest = text.partition(".")
    if not dot:
        return text
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    return f"{head}.{digits[:6].ljust(6, '0')}{rest[len(digits) :]}"
