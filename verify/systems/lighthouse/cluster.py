"""An export on a Spark cluster: read by the executors, one task a file, and asked by the same SQL.

The digests are taken first; then the lines are read, of bytes that have these digests, and kept on
the cluster. Should an executor be lost, its files are read again, and one that has changed stops
the query.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from verify.engines.spark import SparkEngine
from verify.errors import UnreadableInput
from verify.period import Period
from verify.systems.base import Reading
from verify.systems.lighthouse.executor import (
    COLUMNS,
    DIGESTS,
    FILES,
    PART,
    Expected,
    digests_of_files,
    files_seen,
    rows_of_files,
)
from verify.systems.lighthouse.groups import QUARTER, Context, Rows, bad_rates
from verify.systems.lighthouse.load import MAX_INVALID, InvalidAt, Loaded, Part, Segment, sql
from verify.systems.lighthouse.method import Method
from verify.systems.lighthouse.remote import Place, escaped
from verify.systems.lighthouse.typed import RELATIONS, microseconds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_LINE = "p.first_line + r.at - 1"


class ClusterGroups:
    """See `verify.systems.lighthouse.groups.Groups`."""

    name = "spark"
    checked_by = None

    def __init__(self, engine: SparkEngine, files: ClusterFiles) -> None:
        self._engine = engine
        self._files = files

    def prepare(self, method: Method, period: Period) -> None:
        self._files.relate(dedupe=method.dedupe)
        days = [
            (day.date.isoformat(), microseconds(day.start), microseconds(day.end))
            for day in period.days()
            if day.start < day.end
        ]
        self._engine.put("days", "day STRING, starts BIGINT, ends BIGINT", days)
        self._engine.keep("card", sql("card"), {"end": period.end, "card": method.card})

    def rows(self, query: str, context: Context) -> Rows:
        if query == "findings":
            context = {**context, "bad_rates": bad_rates(self.rows("rates", context))}
        return self._engine.rows(sql(query), context)

    def quarters(self, types: Sequence[str]) -> dict[int, int]:
        self._files.relate(dedupe=False)
        known = ", ".join(f"'{name}'" for name in types)
        rows = self._engine.own_rows(
            f"SELECT (ts - pmod(ts, {QUARTER})) DIV {QUARTER} AS at, count(*) AS records "
            f"FROM record WHERE type IN ({known}) GROUP BY ALL"
        )
        return {row["at"]: row["records"] for row in rows}


class ClusterFiles:
    """The record files `paths` of a place, as rows on the cluster."""

    def __init__(
        self, engine: SparkEngine, place: Place, paths: Sequence[str], reading: Reading
    ) -> None:
        self._engine = engine
        self._paths = paths
        self._escaped = [escaped(f"{place.root}/{path}") for path in paths]
        self._parts = {place.path(path): number for number, path in enumerate(paths)}
        self._names: Mapping[str, str] = dict(reading.fields)
        self._deduped: bool | None = None

    def _contents(self) -> DataFrame:
        return self._engine.files(self._escaped).select("path", "content")

    def read(self) -> Loaded:
        """Read every file; what was found on the way, as `load` reports it. Raises
        UnreadableInput."""
        digests = self._digests()
        files = {path: (number, digests[number]) for path, number in self._parts.items()}
        self._expected = Expected(files)
        read = partial(rows_of_files, expected=self._expected, names=self._names)
        self._rows = self._contents().mapInArrow(read, COLUMNS).cache()
        self._rows.createOrReplaceTempView("rows")
        told = self._engine.own_rows(
            f"SELECT part, note FROM rows WHERE relation = '{PART}' ORDER BY part"
        )
        parts: list[Part] = []
        invalid: list[InvalidAt] = []
        more, first = 0, 1
        for path, row in zip(self._paths, told, strict=True):
            note = json.loads(row["note"])
            if note["failure"] is not None:
                raise UnreadableInput(note["failure"])
            parts.append(_part(path, first, digests[row["part"]], note))
            found = [
                InvalidAt(first + at - 1, reason, kind) for at, reason, kind in note["invalid"]
            ]
            room = max(MAX_INVALID - len(invalid), 0)
            invalid += found[:room]
            more += note["more_invalid"] + len(found[room:])
            if (unread := parts[-1].unread_from) is not None:
                invalid.append(InvalidAt(unread, "longer than 16 MiB; nothing after it was read"))
            first += note["lines"] + (unread is not None)
        firsts = [(number, part.first_line) for number, part in enumerate(parts)]
        self._engine.put("parts", "part INT, first_line BIGINT", firsts)
        return Loaded(tuple(parts), tuple(invalid), more)

    def _digests(self) -> dict[int, str]:
        seen = self._contents().mapInArrow(partial(files_seen, parts=self._parts), FILES)
        found = {row["part"]: row["sha256"] for row in self._engine.collected(seen)}
        if found.keys() != set(self._parts.values()):
            raise UnreadableInput("the cluster did not read every file of the export")
        return found

    def close(self) -> None:
        """Let go of the rows."""
        self._rows.unpersist()

    def relate(self, *, dedupe: bool) -> None:
        """Make the relations that the levers' SQL knows, with the lines that repeat an earlier one
        or without."""
        if dedupe == self._deduped:
            return
        self._deduped = dedupe
        joined = "rows r JOIN parts p ON r.part = p.part"
        if dedupe:
            self._mark_repeats()
            joined += f" ANTI JOIN repeated x ON x.line = {_LINE}"
        for relation, kinds in RELATIONS.items():
            columns = ", ".join(
                f"CAST(r.{name} AS DECIMAL(20, 0)) AS {name}" if kind == "count" else f"r.{name}"
                for name, kind in kinds.items()
                if name != "line"
            )
            self._view(relation, f"{columns} FROM {joined} WHERE r.relation = '{relation}'")
        columns = "r.relation AS type, r.deployment, r.ts, r.ts_naive"
        self._view("record", f"{columns} FROM {joined} WHERE r.relation <> '{PART}'")

    def _view(self, name: str, rest: str) -> None:
        text = f"SELECT {_LINE} AS line, {rest}"
        self._engine.own(text).createOrReplaceTempView(name)

    def _mark_repeats(self) -> None:
        read = partial(digests_of_files, expected=self._expected)
        self._contents().mapInArrow(read, DIGESTS).createOrReplaceTempView("digests")
        found = self._engine.own(
            "SELECT line FROM (SELECT line, row_number() OVER (PARTITION BY digest ORDER BY line) "
            f"AS n FROM (SELECT {_LINE} AS line, r.digest "
            "FROM digests r JOIN parts p ON r.part = p.part)) WHERE n > 1"
        )
        found.cache().createOrReplaceTempView("repeated")


def _part(path: str, first: int, sha256: str, note: Mapping[str, Any]) -> Part:
    blanks = [first + at - 1 for at in note["blanks"]]
    segment = Segment(first, 0, note["lines"], note["lines"] - len(blanks), blanks=blanks)
    unread = note["unread_from"]
    return Part(
        path,
        first,
        sha256=sha256,
        bytes=note["bytes"],
        lines=note["lines"],
        carriage_returns=note["carriage_returns"],
        byte_order_mark=note["byte_order_mark"],
        segments=[segment],
        unread_from=None if unread is None else first + unread - 1,
    )
