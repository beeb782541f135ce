"""Two engines, two parsers, one contract: Polars over strictly read lines against DuckDB."""

from __future__ import annotations

import gzip
import json
import random
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard
from oracle.exports import Export, random_export
from support.exports import record, write_bytes, write_export
from support.program import verify
from support.thorough import cases

# The same comparison with the oracle that the first calculation has to pass.
from systems.lighthouse.test_against_oracle import (
    ALL_DIMENSIONS,
    ask,
    assert_same,
    drawn_switches,
    oracle,
)
from trust.mutations import mutated

from verify.errors import IntegrityFailure
from verify.systems import system_named
from verify.systems.base import Export as Opened
from verify.systems.base import Question, Reading
from verify.systems.lighthouse import expressions, frames
from verify.systems.lighthouse.groups import EnginesDisagree, folded
from verify.systems.lighthouse.method import SWITCHES
from verify.systems.lighthouse.strict import InvalidLine
from verify.systems.lighthouse.typed import typed_line

SAMPLE = Path(__file__).resolve().parents[3] / "sample_exports" / "lighthouse"
CALL = record("model_call", "d", "2026-06-01T00:00:00Z", model="m", input_tokens=7)
BOTH = {"cross_check": True}


@contextmanager
def opened(case: Export, **reading: Any) -> Iterator[Opened]:
    with tempfile.TemporaryDirectory() as place:
        write_export(Path(place), case.lines, zone=case.zone)
        with system_named("lighthouse").open(Path(place), Reading(cache=False, **reading)) as found:
            yield found


@pytest.mark.drawn
@pytest.mark.parametrize("seed", range(cases(12, 5)))
def test_both_engines_find_the_same_groups(seed: int) -> None:
    """Any difference would be an EnginesDisagree."""
    case, chooser = random_export(seed, bursts=25), random.Random(seed)
    question = Question(
        since=case.since,
        until=case.until,
        by=chooser.sample(ALL_DIMENSIONS, 2),
        baseline_model=case.baseline_model,
        switches=drawn_switches(seed) if seed % 2 else {},
    )
    with opened(case, **BOTH) as export:
        assert export.recompute(question).checked_by == "polars"


def test_both_find_the_same_under_every_switch() -> None:
    case = random_export(1, bursts=40)
    with opened(case, engine="polars", **BOTH) as export:
        for switch in SWITCHES:
            for value in ("Asia/Tokyo",) if switch.name == "zone" else switch.values[1:]:
                result = ask(export, case, {switch.name: value})
                assert (result.engine, result.checked_by) == ("polars", "duckdb")


@pytest.mark.drawn
@pytest.mark.parametrize("seed", range(20, cases(24, 22)))
def test_polars_alone_finds_what_the_oracle_finds(seed: int) -> None:
    case = random_export(seed, bursts=40)
    switches: Mapping[str, Any] = drawn_switches(seed)
    with opened(case, engine="polars") as export:
        assert_same(ask(export, case, {}), oracle(case, {}))
        assert_same(ask(export, case, switches), oracle(case, switches))


def test_damaged_lines_are_refused_by_both_for_the_same_reason(tmp_path: Path) -> None:
    rng = random.Random("two readers")
    case = random_export(11, bursts=60)
    lines = [mutated(rng, line) if rng.random() < 0.2 else line for line in case.lines]
    # What DuckDB's parser forgives in places that nobody reads is not compared here.
    lines = [line for line in lines if b"," not in _unspaced(line) and b"\n" not in line]
    place = write_export(tmp_path, lines, zone=case.zone)
    refused = []
    for engine in ("duckdb", "polars"):
        with pytest.raises(IntegrityFailure) as raised:
            system_named("lighthouse").open(place, Reading(cache=False, engine=engine))
        refused.append(raised.value.problems)
    assert len(refused[0]) > 5
    assert refused[0] == refused[1]
    reading = Reading(cache=False, skip_invalid=True, cross_check=True)
    with system_named("lighthouse").open(place, reading) as export:
        assert ask(export, case, {}).findings


def _unspaced(line: bytes) -> bytes:
    """Commas that stand before the end of something, if there are any."""
    bare = b"".join(line.split())
    return b"," if b",}" in bare or b",]" in bare else b""


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_parts_blanks_and_marks_are_numbered_and_said_alike(engine: str, tmp_path: Path) -> None:
    data = b"\n".join((b"\xef\xbb\xbf" + CALL, b"", CALL.replace(b"7}", b"-7}") + b"\r", CALL))
    files = {
        "records-1.jsonl": data,
        "records-2.jsonl.gz": gzip.compress(b" \n" + data[3:], mtime=0),
        "records-3.jsonl.zst": zstandard.compress(CALL.replace(b"7}", b"-7}")),
    }
    place = write_bytes(tmp_path, files, zone="UTC")
    run = verify("recompute", place, "--period", "2026-06", "--lever", "caching", "--format",
                 "json", "--engine", engine, "--no-cache", "--cross-check")  # fmt: skip
    found = {finding["code"]: finding["examples"] for finding in run.json["findings"]}
    assert found["blank_lines"] == [2, 5, 7]
    assert found["byte_order_mark"] == [1]
    assert "carriage_returns" in found
    (negative,) = (
        finding
        for finding in run.json["levers"][0]["findings"]
        if finding["code"] == "negative_tokens"
    )
    assert negative["examples"] == [3, 8, 10]
    assert run.json["export"]["records"] == 7


def test_the_answers_are_the_same_bytes_but_for_the_engine() -> None:
    documents = []
    for more in (
        (),
        ("--engine", "polars"),
        ("--cross-check",),
        ("--engine=polars", "--cross-check"),
    ):
        run = verify("recompute", SAMPLE, "--period", "2026-10", "--format", "json", "--by", "day",
                     "--by", "agent", *more)  # fmt: skip
        assert run.code in (0, 4), run.err
        documents.append(run.out)
    assert json.loads(documents[1])["engine"] == "polars"
    assert documents[1].replace('"engine": "polars"', '"engine": "duckdb"') == documents[0]
    checked = '"checked_by": "polars",\n '
    assert documents[2].replace(checked, "") == documents[0]
    assert documents[3] != documents[1]
    assert documents[3].replace('"checked_by": "duckdb",\n ', "") == documents[1]


def test_a_planted_fault_stops_everything_and_shows_the_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = expressions.GROUPS["caching"]

    def wrong(world: Any, choices: Any) -> pl.DataFrame:
        first = pl.int_range(pl.len()) == 0
        return right(world, choices).with_columns(pl.col("cache_read_tokens") + first)

    monkeypatch.setitem(expressions.GROUPS, "caching", wrong)
    run = verify("recompute", SAMPLE, "--period", "2026-10", "--cross-check", "--by", "agent")
    assert (run.code, run.out) == (3, "")
    assert "duckdb and polars do not agree on caching" in run.err
    assert "[engines_disagree]" in run.err
    assert "cache_read_tokens" in run.err
    assert verify("recompute", SAMPLE, "--period", "2026-10", "--engine", "polars").code in (0, 4)


def test_a_fault_of_a_reader_stops_everything_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = typed_line

    def wrong(raw: bytes, names: Mapping[str, str], line: int) -> Any:
        found = right(raw, names, line)
        if line == 2:
            raise InvalidLine("a fault was planted")
        return found

    monkeypatch.setattr(frames, "typed_line", wrong)
    place = write_export(tmp_path, [CALL, CALL])
    with pytest.raises(EnginesDisagree) as raised:
        system_named("lighthouse").open(place, Reading(cache=False, cross_check=True))
    (problem,) = raised.value.problems
    assert (problem.line, problem.where) == (2, "records.jsonl, line 2")
    assert "duckdb reads it" in problem.message
    assert "a fault was planted" in problem.message


def test_sums_beyond_64_bits_are_exact(tmp_path: Path) -> None:
    most = CALL.replace(b"7}", b"9223372036854775807}")
    place = write_export(tmp_path, [most] * 3)
    run = verify("recompute", place, "--period", "2026-06", "--lever", "caching", "--format",
                 "json", "--engine", "polars")  # fmt: skip
    assert run.json["levers"][0]["totals"]["input_tokens"] == 3 * (2**63 - 1)


def test_a_file_that_fails_its_digest_gives_no_figure(tmp_path: Path) -> None:
    place = write_export(tmp_path, [CALL])
    (place / "records.jsonl").write_bytes(CALL.replace(b"7}", b"8}") + b"\n")
    run = verify("recompute", place, "--period", "2026-06", "--engine", "polars")
    assert (run.code, run.out) == (3, "")
    assert "[file_digest]" in run.err


def test_what_one_engine_cannot_do_is_said(tmp_path: Path) -> None:
    (tmp_path / "usage-2026-06-01.jsonl").write_bytes(b"{}\n")
    run = verify("recompute", tmp_path, "--engine", "polars")
    assert run.code == 2
    assert "has no engine 'polars'" in run.err
    assert verify("recompute", tmp_path, "--cross-check").code == 2
    assert verify("recompute", SAMPLE, "--master", "local[2]").code == 2


def test_groups_that_differ_only_in_how_a_rate_is_written_are_one() -> None:
    row = {"key": None, "deployment": "d", "sample_rate": "0.5", "measured": 1}
    other = {**row, "sample_rate": "0.50", "measured": 2}
    (sums,) = folded([row, other]).values()
    assert sums == {"measured": 3}


def test_many_processes_read_what_one_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = replace(random_export(5, bursts=40), lines=random_export(5, bursts=40).lines)
    monkeypatch.setattr("verify.trust.tap.BLOCK", 4096)
    answers = []
    for number, small in enumerate((1 << 40, 0)):
        monkeypatch.setattr(frames, "SMALL", small)
        monkeypatch.setenv("VERIFY_THREADS", "2")
        place = write_export(tmp_path / str(number), case.lines, zone=case.zone)
        with system_named("lighthouse").open(place, Reading(engine="polars")) as export:
            answers.append(ask(export, case, {}).as_json())
    assert answers[0] == answers[1]
