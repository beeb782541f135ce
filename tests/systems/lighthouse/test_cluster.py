"""One export through DuckDB with one thread and two, Polars, and Spark on a standalone cluster."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard
from oracle.exports import Export, random_export
from support.exports import record, write_bytes
from support.program import Run, verify
from support.spark import SMALL, environment, need_spark, standalone

CALL = record("model_call", "d", "2026-06-01T00:00:00Z", model="m", input_tokens=7)
CASE = random_export(7, bursts=120)


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster, with one session on it that every run shares."""
    need_spark()
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment().items():
            patch.setenv(name, value)
        with standalone(tmp_path_factory.mktemp("cluster")) as url:
            builder = SparkSession.builder.master(url).config(map=SMALL)
            session = builder.config("spark.log.level", "OFF").getOrCreate()
            yield url
            session.stop()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export in three parts, each packed otherwise, one with blank lines."""
    return in_parts(tmp_path_factory.mktemp("export"), CASE)


def in_parts(place: Path, case: Export, *more: bytes) -> Path:
    third = len(case.lines) // 3
    cuts = case.lines[:third], case.lines[third : 2 * third], (*case.lines[2 * third :], *more)
    one, two, three = (b"".join(line + b"\n" for line in cut) for cut in cuts)
    files = {
        "records-1.jsonl": b"\xef\xbb\xbf" + one,
        "records-2.jsonl.gz": gzip.compress(b"\n \r\n" + two, mtime=0),
        "records-[3] of 3.jsonl.zst": zstandard.compress(three),
    }
    return write_bytes(place, files, zone=case.zone)


def recompute(place: Path | str, *more: str) -> Run:
    dates = ("--since", str(CASE.since), "--until", str(CASE.until))
    model = ("--baseline-model", CASE.baseline_model) if CASE.baseline_model else ()
    return verify("recompute", place, *dates, *model, "--format", "json", "--no-cache", *more)


def test_every_engine_prints_the_same_bytes(
    master: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by = ("--by", "provider")
    documents = {}
    for threads in ("1", "2"):
        monkeypatch.setenv("VERIFY_THREADS", threads)
        documents[f"duckdb {threads}"] = recompute(place, *by)
    documents["polars"] = recompute(place, *by, "--engine", "polars")
    documents["spark"] = recompute(place, *by, "--engine", "spark", "--master", master)
    for name, run in documents.items():
        engine = name.split()[0]
        assert run.out.count(f'"engine": "{engine}"') == 1, (name, run.err)
        bare = run.out.replace(f'"engine": "{engine}"', '"engine": "duckdb"')
        assert bare == documents["duckdb 1"].out, name
        assert run.code == documents["duckdb 1"].code
    (levers,) = {str(sorted(lever["lever"] for lever in run.json["levers"])) for run in
                 documents.values()}  # fmt: skip
    assert "retrieval" in levers


def test_another_method_and_a_pattern(master: str, place: Path) -> None:
    """Repeated lines are found on the cluster too; and parts are named by a pattern."""
    asked = ("--method", "dedupe=true", "--method", "card=last_in_file", "--lever", "caching")
    one = recompute(place, *asked)
    two = recompute(f"{place}/records-*", *asked, "--engine", "spark", "--master", master)
    assert one.code in (0, 4), one.err
    assert two.out.replace('"spark"', '"duckdb"') == one.out
    assert recompute(place, *asked[2:]).out != one.out
    part = recompute(f"{place}/records-1*", "--engine", "spark", "--master", master)
    assert (part.code, part.out) == (3, "")
    assert "records-2.jsonl.gz" in part.err


def test_lines_are_invalid_by_the_same_rules(master: str, tmp_path: Path) -> None:
    bad = (CALL[:-1], CALL.replace(b"7}", b"7.5}"), CALL.replace(b'"m"', b"7"), b'"x"', b"\xff")
    in_parts(tmp_path, CASE, *bad)
    runs = [recompute(tmp_path, *more) for more in ((), ("--engine", "spark", "--master", master))]
    assert [(run.code, run.out) for run in runs] == [(3, ""), (3, "")]
    assert runs[0].err.count("[line_invalid]") == len(bad)
    assert runs[0].err == runs[1].err
    first = tmp_path / "records-1.jsonl"
    first.write_bytes(first.read_bytes().replace(b"alpha", b"ALPHA"))
    changed = recompute(tmp_path, "--engine", "spark", "--master", master)
    assert changed.code == 3
    assert "[file_digest]" in changed.err


def test_what_only_the_cluster_can_read_is_listed_and_fetched_there(
    master: str, place: Path
) -> None:
    from verify.engines.spark import SparkEngine
    from verify.systems.lighthouse.remote import ClusterSource, Place
    from verify.trust.source import DirectorySource

    with SparkEngine(master) as engine:
        source = ClusterSource(Place(f"file://{place}"), engine)
        here = DirectorySource(place)
        assert [(e.name, e.size) for e in source.entries()] == [
            (e.name, e.size) for e in here.entries()
        ]
        for name in ("manifest.json", "records-[3] of 3.jsonl.zst"):
            assert source.open(name).read() == here.open(name).read()


def test_a_file_that_changes_behind_the_rows_stops_the_query(master: str, tmp_path: Path) -> None:
    """As it would where an executor is lost and its files are read again."""
    from verify.engines.duckdb import EngineFailure
    from verify.systems import system_named
    from verify.systems.base import Question, Reading

    place = in_parts(tmp_path, CASE)
    reading = Reading(engine="spark", master=master)
    with system_named("lighthouse").open(place, reading) as export:
        export._groups._files.close()  # type: ignore[attr-defined]
        (place / "records-1.jsonl").write_bytes(CALL + b"\n")
        with pytest.raises(EngineFailure, match="changed while it was being read"):
            export.recompute(Question(since=CASE.since, until=CASE.until, levers=("caching",)))


def test_a_cluster_that_is_not_there_is_said(place: Path) -> None:
    need_spark()
    if os.environ.get("SPARK_LOCAL_IP"):  # a session is open: it would be used
        return
    run = recompute(place, "--engine", "spark", "--master", "nowhere")
    assert run.code == 2
    assert "no session on nowhere" in run.err
