"""What a cluster does, without one: SQL in another dialect, places, and an executor's reading."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from oracle.exports import random_export
from support.exports import write_bytes

from verify.systems.lighthouse.frames import read_frames
from verify.systems.lighthouse.load import sql
from verify.systems.lighthouse.typed import RELATIONS, scaled
from verify.trust.source import DirectorySource

pa = pytest.importorskip("pyarrow")
pytest.importorskip("sqlglot")
pytest.importorskip("pyspark")

from verify.engines.dialect import NotTranslated, to_spark  # noqa: E402
from verify.systems.lighthouse.executor import (  # noqa: E402
    PART,
    ChangedFile,
    Expected,
    digests_of_files,
    files_seen,
    plain_path,
    rows_of_files,
)
from verify.systems.lighthouse.remote import Place, escaped, place_of  # noqa: E402

QUERIES = ("retrieval", "caching", "routing", "infrastructure", "counterfactual", "reads_cache")


@pytest.mark.parametrize("name", [*QUERIES, "card", "findings", "rates"])
def test_every_query_has_a_counterpart(name: str) -> None:
    text = to_spark(sql(name))
    for foreign in ("QUALIFY", "TRUNC(", "INT128", "HUGEINT", "UNNEST", "$", "--"):
        assert foreign not in text, foreign
    assert (":dimension" in text) == ("$dimension" in sql(name).split("SELECT", 1)[1])


@pytest.mark.parametrize(
    ("duckdb", "spark"),
    [
        ("SELECT min(line, 5) FROM t", "SELECT MIN_BY(line, line, 5) FROM t"),
        ("SELECT max(row(a, b)) FROM t", "SELECT MAX(STRUCT(a, b)) FROM t"),
        ("SELECT u - trunc(u) FROM t", "SELECT CAST(u % 1 AS DECIMAL(20, 18)) FROM t"),
        (
            "SELECT trunc(u)::HUGEINT FROM t",
            "SELECT CAST(CASE WHEN u < 0 THEN CEIL(u) ELSE FLOOR(u) END AS DECIMAL(38, 0)) FROM t",
        ),
    ],
)
def test_what_sqlglot_does_not_know(duckdb: str, spark: str) -> None:
    assert to_spark(duckdb) == spark


@pytest.mark.parametrize("text", ["SELECT trunc(u) FROM t", "SELECT u - trunc(v) FROM t"])
def test_what_could_mean_something_else_is_refused(text: str) -> None:
    with pytest.raises(NotTranslated):
        to_spark(text)


def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a[1]").mkdir()
    assert place_of(Path("s3a://bucket/2026/10")) == Place("s3a://bucket/2026/10")
    assert place_of(Path("gs://b/x/records-*.jsonl")) == Place("gs://b/x", "records-*.jsonl")
    assert place_of(Path("abfs://c@a.net/x/*/r?.gz")) == Place("abfs://c@a.net/x", "*/r?.gz")
    assert place_of(Path("file:///data/x")) == Place("file:///data/x")
    assert place_of(Path("x")) == Place(str(tmp_path / "x"))
    assert place_of(Path("a[1]")) == Place(str(tmp_path / "a[1]"))
    assert place_of(Path("records*")) == Place(str(tmp_path), "records*")
    assert Place("file:///data/x").path("r.jsonl") == "/data/x/r.jsonl"
    assert plain_path("file:/data/x/r.jsonl") == "/data/x/r.jsonl"
    assert plain_path("s3a://bucket/r.jsonl") == "s3a://bucket/r.jsonl"
    assert escaped("/x/r[1]{a}*.jsonl") == "/x/r\\[1\\]\\{a\\}\\*.jsonl"


def test_an_executor_reads_what_the_second_calculation_reads(tmp_path: Path) -> None:
    case = random_export(3, bursts=60)
    whole = b"\n".join((*case.lines, b"", b"{", case.lines[0]))
    files = {"a.jsonl": b"\xef\xbb\xbf" + whole, "b.jsonl.gz": gzip.compress(whole, mtime=0)}
    source = DirectorySource(write_bytes(tmp_path, files))
    frames, loaded = read_frames(source, list(files))

    table = pl.from_arrow(
        pa.Table.from_batches(list(rows_of_files(batches(files), expected(files), {})))
    )
    assert isinstance(table, pl.DataFrame)
    firsts = pl.DataFrame({"part": [0, 1], "first": [part.first_line for part in loaded.parts]})
    numbered = table.join(firsts.cast({"part": pl.Int32}), on="part").with_columns(
        line=pl.col("first") + pl.col("at") - 1
    )
    for relation, kinds in RELATIONS.items():
        own = numbered.filter(pl.col("relation") == relation).select(list(kinds)).sort("line")
        wanted = frames[relation]
        for name, kind in kinds.items():
            values = own[name].to_list()
            if kind == "amount":
                values = [None if v is None else scaled(str(v)) for v in values]
            assert values == wanted[name].to_list(), (relation, name)
    assert table.filter(pl.col("relation") == PART)["part"].to_list() == [0, 1]
    assert len(loaded.invalid) == 2
    (one, two) = files_seen(batches(files), PARTS)
    assert [one, two] == [
        pa.RecordBatch.from_pydict({"part": [number], "sha256": [part.sha256]}, one.schema)
        for number, part in enumerate(loaded.parts)
    ]


def test_an_executor_reads_no_file_that_has_changed() -> None:
    files = {"a.jsonl": b"{}"}
    for read in (partial(rows_of_files, names={}), digests_of_files):
        with pytest.raises(ChangedFile, match=r"a\.jsonl changed while it was being read"):
            list(read(batches({"a.jsonl": b"{ }"}), expected(files)))


def test_digests_tell_lines_apart_byte_for_byte() -> None:
    lines = [b'{"a":1}', b'{"a": 1}', b'{"a":1}', b'{"a":1}\r']
    files = {"a.jsonl": b"\xef\xbb\xbf" + b"\n".join(lines)}
    batch = pa.Table.from_batches(list(digests_of_files(batches(files), expected(files))))
    one, two, three, four = batch.column("digest").to_pylist()
    assert batch.column("at").to_pylist() == [1, 2, 3, 4]
    assert one == three
    assert len({one, two, four}) == 3


PARTS = {"/x/a.jsonl": 0, "/x/b.jsonl.gz": 1}


def expected(files: dict[str, bytes]) -> Expected:
    digests = {f"/x/{name}": hashlib.sha256(data).hexdigest() for name, data in files.items()}
    return Expected({path: (PARTS[path], digest) for path, digest in digests.items()})


def batches(files: dict[str, bytes]) -> Iterator[Any]:
    for name, data in files.items():
        yield pa.RecordBatch.from_pydict({"path": [f"file:/x/{name}"], "content": [data]})
