"""The Spark engine: a session on a local, standalone or Connect cluster, and the levers' SQL on it.

Only groups come back to this process. Sums of tokens are decimals of 38 digits there, and Spark is
told to fail where one would not fit.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verify.engines.duckdb import EngineFailure, too_many
from verify.errors import UnreadableInput, UsageProblem
from verify.systems.lighthouse.typed import instant_at, microseconds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EXTRA = "pip install 'verify-savings[spark]'"
LOCAL = "local[*]"
_PARAMETER = re.compile(r":([a-z_]+)")
_RAISED = re.compile(r"^verify\.[a-z_.]+\.[A-Za-z]+: (.+)$", re.MULTILINE)
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",  # a sum that does not fit is an error, not null
    # One task a file: opening one more is said to cost more than any task may take on.
    "spark.sql.files.maxPartitionBytes": str(1 << 40),
    "spark.sql.files.openCostInBytes": str(1 << 40),
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1",  # here a record is a file
}


def require() -> None:
    """Raises UsageProblem, which says how to install it, where the extra is missing."""
    if any(find_spec(package) is None for package in ("pyspark", "sqlglot", "pyarrow")):
        raise UsageProblem("the packages of --engine spark are not installed", advice=EXTRA)


class SparkEngine:
    """One session. The end of the `with` block stops it, unless it ran before."""

    name = "spark"

    def __init__(self, master: str | None) -> None:
        require()
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession

        self._failures = (PySparkException, Py4JError)
        master = master or LOCAL
        builder = SparkSession.builder.appName("verify")
        if master.startswith("sc://"):
            builder = builder.remote(master)
        else:
            builder = builder.master(master).config("spark.log.level", "ERROR")
            for name in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
                builder = builder.config(name, "false")
        if master.startswith("local"):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            builder = builder.config("spark.sql.shuffle.partitions", "4")
            for name in ("spark.driver.host", "spark.driver.bindAddress"):
                builder = builder.config(name, "127.0.0.1")
        try:
            active = SparkSession.getActiveSession()
            self._own = active is None
            # In a session that is somebody else's: settings and relations of our own beside theirs.
            self.session: SparkSession = active.newSession() if active else builder.getOrCreate()
            for name, value in _SETTINGS.items():
                self.session.conf.set(name, value)
            self._ship(connect=master.startswith("sc://"))
        except self._failures as error:
            raise EngineFailure(
                f"no session on {master}: {_first_line(error)}",
                advice="Is the cluster up, and is Java 17 or later on the PATH?",
            ) from None

    def __enter__(self) -> SparkEngine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._own:
            self.session.stop()

    def _ship(self, *, connect: bool) -> None:
        """Give the executors this very code: they read lines by the same reader."""
        archive = str(_archive())
        if connect:
            self.session.addArtifacts(archive, pyfile=True)
        else:
            self.session.sparkContext.addPyFile(archive)

    def own(self, sql: str, parameters: Mapping[str, Any] | None = None) -> DataFrame:
        """What a query in Spark's own dialect yields, left on the cluster. Raises EngineFailure."""
        try:
            return self.session.sql(sql, args=dict(parameters or {}))
        except self._failures as error:
            raise EngineFailure(f"Spark: {_first_line(error)}") from error

    def query(self, sql: str, parameters: Mapping[str, Any] | None = None) -> DataFrame:
        """The same for one of the levers' queries, with the parameters that it names."""
        text = _translated(sql)
        given = parameters or {}
        return self.own(text, {name: _argument(given[name]) for name in _PARAMETER.findall(text)})

    def own_rows(self, sql: str) -> list[dict[str, Any]]:
        """The rows of `own`, of this process."""
        return self.collected(self.own(sql))

    def rows(
        self, sql: str, parameters: Mapping[str, Any] | None = None, most: int | None = None
    ) -> list[dict[str, Any]]:
        """The rows of `query`, of this process: whole decimals as integers, instants in UTC.

        Raises EngineFailure, also when there are more than `most` rows.
        """
        frame = self.query(sql, parameters)
        rows = self.collected(frame if most is None else frame.limit(most + 1))
        if most is not None and len(rows) > most:
            raise too_many(most)
        return rows

    def collected(self, frame: DataFrame) -> list[dict[str, Any]]:
        """The rows of a frame of few. Raises EngineFailure."""
        try:
            return [
                {name: _value(name, value) for name, value in row.asDict().items()}
                for row in frame.collect()
            ]
        except self._failures as error:
            raise EngineFailure(f"Spark: {_first_line(error)}") from error

    def files(self, paths: Sequence[str]) -> DataFrame:
        """The files there, those in folders too: `path`, `length`, `content` and more."""
        reader = self.session.read.format("binaryFile").option("recursiveFileLookup", "true")
        try:
            return reader.load(list(paths))
        except self._failures as error:
            raise UnreadableInput(f"the cluster cannot read it: {_first_line(error)}") from None

    def put(self, table: str, columns: str, rows: Sequence[Sequence[str | int]]) -> None:
        """The temporary relation `table` with these few rows, written into the query, so that Spark
        knows them to be few; one of that name is replaced. Texts are of letters and digits."""
        empty = [tuple("0" if "STRING" in column else 0 for column in columns.split(","))]
        values = ", ".join(f"({', '.join(map(_written, row))})" for row in rows or empty)
        names = ", ".join(column.split()[0] for column in columns.split(","))
        typed = ", ".join("CAST({} AS {}) AS {}".format(*column.split()[:2], column.split()[0])
                          for column in columns.split(","))  # fmt: skip
        which = "" if rows else " WHERE false"
        text = f"SELECT {typed} FROM VALUES {values} AS t({names}){which}"
        self.own(text).createOrReplaceTempView(table)

    def keep(self, table: str, sql: str, parameters: Mapping[str, Any]) -> None:
        """The temporary relation `table` of what one of the levers' queries yields, computed now,
        kept on the cluster, and small enough to go to every executor."""
        from pyspark.sql.functions import broadcast

        try:
            kept = self.query(sql, parameters).localCheckpoint()
            broadcast(kept).createOrReplaceTempView(table)
        except self._failures as error:
            raise EngineFailure(f"Spark: {_first_line(error)}") from error


def _written(value: str | int) -> str:
    if isinstance(value, int):
        return f"{value}"
    assert re.fullmatch(r"[-0-9a-zA-Z]*", value)
    return f"'{value}'"


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


@cache
def _archive() -> Path:
    """This package in an archive that lives as long as this process: a session that is shared goes
    on asking for it."""
    _KEPT.append(tempfile.TemporaryDirectory(prefix="verify-"))
    archive = Path(_KEPT[0].name) / f"verify-{os.getpid()}.zip"
    package = Path(__file__).resolve().parents[1]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for module in sorted(package.rglob("*.py")):
            made.write(module, Path(package.name) / module.relative_to(package))
    return archive


@cache
def _translated(sql: str) -> str:
    from verify.engines.dialect import to_spark

    return to_spark(sql)


def _argument(value: Any) -> Any:
    if isinstance(value, datetime):
        return microseconds(value)
    if isinstance(value, list):
        from pyspark.sql import functions

        return functions.array(*map(functions.lit, value or [None]))  # of nothing: no type
    return value


def _value(name: str, value: Any) -> Any:
    if name == "snapshot_at":
        return instant_at(value)
    if isinstance(value, Decimal) and value.as_tuple().exponent == 0:
        return int(value)
    return value


def _first_line(error: BaseException) -> str:
    text = str(getattr(error, "java_exception", error)).strip()
    if raised := _RAISED.search(text):  # by our own code, on an executor
        return raised[1]
    return text.splitlines()[0] if text else type(error).__name__
