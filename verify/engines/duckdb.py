"""The DuckDB engine: a stored database, opened for reading alone, and the levers' SQL over it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb

from verify.errors import VerifyError
from verify.period import Day
from verify.store.database import connect, lock

_PARAMETER = re.compile(r"\$([a-z_]+)")


class EngineFailure(VerifyError):
    """The engine refused a query, for instance because a sum leaves 128 bits."""


def too_many(most: int) -> EngineFailure:
    """What to say when a query yields more groups than memory should hold."""
    return EngineFailure(
        f"there are more than {most:,} groups to compute",
        advice="Are deployments, models or agents named anew with every record? Ask for fewer "
        "breakdowns, or for one lever (--lever).",
    )


class DuckEngine:
    """One open database. Closes with the `with` block."""

    name = "duckdb"

    def __init__(self, database: Path, scratch: Path) -> None:
        self._connection = connect(database, read_only=True, scratch=scratch)
        lock(self._connection)
        self._catalog = database.stem

    def __enter__(self) -> DuckEngine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def rows(
        self, sql: str, parameters: Mapping[str, Any] | None = None, most: int | None = None
    ) -> list[dict[str, Any]]:
        """Run a query of ours with the parameters that it names; a dict a row.

        Raises EngineFailure with DuckDB's own reason, and when there are more than `most` rows.
        """
        given = parameters or {}
        used = {name: given[name] for name in dict.fromkeys(_PARAMETER.findall(_bare(sql)))}
        try:
            result = self._connection.execute(sql, used) if used else self._connection.execute(sql)
            columns = [column[0] for column in result.description or ()]
            found = result.fetchall() if most is None else result.fetchmany(most + 1)
            if most is not None and len(found) > most:
                raise too_many(most)
            return [dict(zip(columns, row, strict=True)) for row in found]
        except duckdb.Error as error:
            raise EngineFailure(f"DuckDB: {str(error).splitlines()[0]}") from error

    def set_days(self, days: Iterable[Day]) -> None:
        """The relation `days(day, starts, ends)` of the local days of the period."""
        rows = [[day.date.isoformat(), day.start, day.end] for day in days if day.start < day.end]
        self._replace("days", "day VARCHAR, starts TIMESTAMPTZ, ends TIMESTAMPTZ", rows)

    def set_card(self, sql: str, end: datetime, rule: str) -> None:
        """The relation `card`: what `card.sql` yields for the end of a period and a rule."""
        used = {"end": end, "card": rule}
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE card AS {sql}", used)

    def leave_out(self, lines: Sequence[int], relations: Sequence[str]) -> None:
        """From now on the records of these lines are not in `relations`; with no lines, all are."""
        for relation in relations:
            self._connection.execute(f"DROP VIEW IF EXISTS temp.{relation}")
        if not lines:
            return
        self._replace("repeated", "line BIGINT", [[line] for line in lines])
        for relation in relations:
            self._connection.execute(
                f"CREATE TEMP VIEW {relation} AS "
                f'SELECT * FROM "{self._catalog}".main.{relation} '
                "WHERE line NOT IN (SELECT line FROM repeated)"
            )

    def put(self, table: str, columns: str, rows: Sequence[list[Any]]) -> None:
        """The temporary relation `table` with these rows; one of that name is replaced."""
        self._replace(table, columns, list(rows))

    def _replace(self, table: str, columns: str, rows: list[list[Any]]) -> None:
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} ({columns})")
        if rows:
            # One statement with a list a column: row by row, thirty days cost more than a query.
            kinds = [column.split()[-1] for column in columns.split(",")]
            lists = ", ".join(f"unnest(?::{kind}[])" for kind in kinds)
            members = [list(column) for column in zip(*rows, strict=True)]
            self._connection.execute(f"INSERT INTO {table} SELECT {lists}", members)


def _bare(sql: str) -> str:
    """`sql` without its comments, in which a parameter is only spoken of."""
    return re.sub(r"--[^\n]*", "", sql)
