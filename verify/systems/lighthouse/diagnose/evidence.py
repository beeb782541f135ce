"""The fewest records that show a disagreement between two methods.

Records are taken away as long as the two figures still differ. The first line without which they
do not, reading down the file, is needed; it is kept, and the search starts again, until what is
kept differs by itself. So few lines are found with few recomputations, and each is needed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from verify.engines.duckdb import DuckEngine
from verify.period import Period
from verify.result import Key, LeverResult
from verify.systems.base import Question
from verify.systems.lighthouse import levers
from verify.systems.lighthouse.fields import ATTRIBUTES, RECORD_TYPES
from verify.systems.lighthouse.load import sql
from verify.systems.lighthouse.method import Method
from verify.trust.strictjson import loads

MOST_NEEDED = 12
"""Lines beyond which a search is given up."""
MOST_LINES = 2_000
"""Lines of one row of a breakdown that are still handed on."""
VISIBLE = Fraction(1, 10**6)
"""Dollars by which two figures have to differ to be seen to."""

_READS = {
    "retrieval": ("models", "model_call", "retrieval"),
    "caching": ("models", "model_call"),
    "routing": ("routing_decision",),
    "infrastructure": ("deployment_profile", "cost"),
}
_UNNEEDED = frozenset({"id", "agent", "index", "provider"})


class Reducer:
    """Looks for few lines of one deployment under which a lever's figure depends on the method.

    `originals` maps a line that repeats an earlier one to that one: a repeat is only a repeat
    beside it.
    """

    def __init__(
        self,
        engine: DuckEngine,
        lever: str,
        deployment: str,
        methods: tuple[Method, Method],
        periods: tuple[Period, Period],
        originals: Mapping[int, int],
    ) -> None:
        self._engine = engine
        self._lever = lever
        self._cases = tuple(zip(methods, periods, strict=True))
        self._originals = originals
        self._copy(deployment, min(p.start for p in periods), max(p.end for p in periods))

    def _copy(self, deployment: str, start: datetime, end: datetime) -> None:
        """The deployment's records, apart: the search asks for them again and again."""
        self._engine.leave_out([], RECORD_TYPES)
        for relation in RECORD_TYPES:
            timed = relation not in ("models", "deployment_profile")
            wanted = relation in _READS[self._lever]
            within = "AND ts >= $start AND ts < $end" if timed and wanted else ""
            self._engine.rows(
                f"CREATE OR REPLACE TEMP TABLE few_{relation} AS SELECT * FROM {relation} "
                f"WHERE deployment = $deployment {within if wanted else 'AND false'}",
                {"deployment": deployment, "start": start, "end": end},
            )

    def needed(self) -> list[int]:
        """The lines, ascending; none where more than `MOST_NEEDED` would be."""
        unions = " UNION ALL ".join(f"SELECT line FROM few_{name}" for name in RECORD_TYPES)
        lines = [row["line"] for row in self._engine.rows(f"{unions} ORDER BY line")]
        kept: set[int] = set()
        try:
            if not lines or not self._differs(kept, lines[-1]):
                return []
            while not self._differs(kept, 0):
                if len(kept) >= MOST_NEEDED:
                    return []
                low, high = -1, len(lines) - 1  # up to `high` they differ, up to `low` they do not
                while high - low > 1:
                    middle = (low + high) // 2
                    if self._differs(kept, lines[middle]):
                        high = middle
                    else:
                        low = middle
                kept.add(lines[high])
            for line in sorted(kept):  # what was needed first may not be needed at last
                fewer = kept - {line}
                if self._differs(fewer, 0):
                    kept = fewer
            return sorted(kept)
        finally:
            self._engine.leave_out([], RECORD_TYPES)

    def _differs(self, kept: set[int], last: int) -> bool:
        """Whether the lines up to `last`, with those kept, give two figures."""
        one, two = (self._figure(kept, last, *case) for case in self._cases)
        return one is not None and two is not None and abs(one - two) >= VISIBLE

    def _figure(self, kept: set[int], last: int, method: Method, period: Period) -> Fraction | None:
        left_out = [
            repeat
            for repeat, original in self._originals.items()
            if method.dedupe and (original <= last or original in kept)
        ]
        shown = ", ".join(map(str, sorted(kept))) or "NULL"
        hidden = ", ".join(map(str, left_out)) or "NULL"
        for relation in RECORD_TYPES:
            self._engine.rows(
                f"CREATE OR REPLACE TEMP VIEW {relation} AS SELECT * FROM few_{relation} "
                f"WHERE (line <= {last} OR line IN ({shown})) "
                f"AND coalesce(line NOT IN ({hidden}), true)"
            )
        self._engine.set_card(sql("card"), period.end, method.card)
        return self._lever_result(method, period).usd

    def _lever_result(self, method: Method, period: Period) -> LeverResult:
        context = {
            **method.as_mapping(),
            "start": period.start,
            "end": period.end,
            "dimension": "total",
        }
        self._engine.set_days([])

        def groups(_: str) -> list[dict[str, Any]]:
            return self._engine.rows(sql(self._lever), context)

        if self._lever == "retrieval":
            flagged = self._engine.rows(sql("reads_cache"), context)
            reading = frozenset(row["deployment"] for row in flagged)
            return levers.retrieval(groups, method, reading, ())
        if self._lever == "caching":
            return levers.caching(groups, method, ())
        if self._lever == "routing":
            return levers.routing(groups, method, (), None)
        return levers.infrastructure(groups("total"), period.hours, ())


def lines_of_row(
    engine: DuckEngine, period: Period, lever: str, dimension: str, key: Key
) -> list[int]:
    """The lines that a row rests on: its own, and of the deployments in it the cards and a call of
    each model that decides about windows. None where they are more than `MOST_LINES`."""
    if dimension == "decision":
        return _decision(engine, key)
    bulk = {"retrieval": "retrieval", "caching": "model_call", "routing": "routing_decision"}
    if lever not in bulk or dimension not in (
        "agent",
        "pack",
        "index",
        "model",
        "deployment",
        "provider",
        "day",
    ):
        return []
    engine.leave_out([], RECORD_TYPES)
    engine.set_days(period.days())
    within = {"start": period.start, "end": period.end, "key": key}
    of_key = (
        "EXISTS (SELECT 1 FROM days d WHERE d.day = $key AND r.ts >= d.starts AND r.ts < d.ends)"
        if dimension == "day"
        else f'r."{dimension}" IS NOT DISTINCT FROM $key'
    )
    own = engine.rows(
        f"SELECT line, deployment FROM {bulk[lever]} r "
        f"WHERE ts >= $start AND ts < $end AND {of_key} ORDER BY line LIMIT {MOST_LINES + 1}",
        within,
    )
    if not own or len(own) > MOST_LINES:
        return []
    lines = {row["line"] for row in own}
    if lever != "routing":
        lines |= _beside(engine, within, sorted({row["deployment"] for row in own}))
    return sorted(lines) if len(lines) <= MOST_LINES else []


def _decision(engine: DuckEngine, key: Key) -> list[int]:
    """The decisions of that name: their id, or deployment and instant where they have none."""
    engine.leave_out([], RECORD_TYPES)
    deployment, _, instant = (key or "").rpartition(" ")
    rows = engine.rows(
        "SELECT line FROM routing_decision WHERE id = $key OR (id IS NULL "
        "AND deployment = $deployment AND ts = try_cast($instant AS TIMESTAMPTZ)) ORDER BY line",
        {"key": key, "deployment": deployment, "instant": instant},
    )
    return [row["line"] for row in rows]


def _beside(engine: DuckEngine, within: Mapping[str, Any], deployments: Sequence[str]) -> set[int]:
    rows = engine.rows(
        "SELECT line FROM models WHERE deployment IN (SELECT unnest($deployments)) "
        "UNION ALL SELECT min(line) FROM model_call "
        "WHERE deployment IN (SELECT unnest($deployments)) AND ts >= $start AND ts < $end "
        "GROUP BY deployment, pack, model, outcome IS NOT DISTINCT FROM 'refused', "
        "cache_read_tokens > 0",
        {**within, "deployments": list(deployments)},
    )
    return {row["line"] for row in rows}


def reduced(raw: bytes, keep: Sequence[str]) -> dict[str, Any]:
    """A record with what levers read of it and no more; `keep` names attributes kept besides."""
    record = loads(raw)
    kind = record["type"]
    read = {attribute.name for attribute in ATTRIBUTES[kind]} - _UNNEEDED | set(keep)
    attrs = {name: value for name, value in record["attrs"].items() if name in read}
    return {"type": kind, "deployment": record["deployment"], "ts": record["ts"], "attrs": attrs}


def pack(place: Path, records: Sequence[bytes], time_zone: str) -> None:
    """Write these records to `place` as an export of their own, without the tenant's name."""
    place.mkdir(parents=True)
    data = b"".join(line + b"\n" for line in records)
    (place / "records.jsonl").write_bytes(data)
    listed = {
        "path": "records.jsonl",
        "sha256": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        "records": len(records),
    }
    manifest = {"format": "lighthouse-export/1", "time_zone": time_zone, "files": [listed]}
    (place / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")


def cases(
    question: Question, zone: str, switches: Mapping[str, str | bool]
) -> tuple[tuple[Method, Method], tuple[Period, Period]]:
    """The stated method and the other one, each with its period."""
    methods = (Method(zone), Method(zone).but(**dict(switches)))
    since, until = question.since, question.until
    assert since is not None
    assert until is not None
    assert not isinstance(since, datetime)
    one, two = (method.period(since, until) for method in methods)
    return methods, (one, two)
