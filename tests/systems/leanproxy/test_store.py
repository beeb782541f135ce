"""The store read once: which line stands for which, to which of the product's two readers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from systems.leanproxy.oracle import DAY, NS, stamp
from systems.leanproxy.stores import MONDAY, line, write

from verify.result import Recomputation
from verify.systems.base import Question, Reading
from verify.systems.leanproxy.system import SYSTEM

START = MONDAY * DAY
NOW = datetime.fromisoformat(stamp(START + DAY - NS)).astimezone(UTC)


def saved(at: int, tokens: int, pid: object = 1) -> bytes:
    """A line that has counted so many saved tokens."""
    return line(at, pid=pid, schema_native_tokens_total=tokens)


def read(place: Path, view: str = "live") -> Recomputation:
    with SYSTEM.open(place, Reading()) as export:
        return export.recompute(Question(now=NOW, options={"view": view}))


def amounts(place: Path, view: str = "live") -> tuple[object, object]:
    """Saved tokens of the report and of today."""
    result = read(place, view)
    return result.lever("report").amount, result.lever("today").amount


def test_of_equal_stamps_the_first_stays_though_another_comes_twice(tmp_path: Path) -> None:
    lines = [saved(START, 5), saved(START, 8), saved(START, 8)]
    assert amounts(write(tmp_path, {MONDAY: lines})) == (5, 5)


def test_a_line_that_repeats_another_is_its_sessions_latest(tmp_path: Path) -> None:
    lines = [saved(START, 5), saved(START + NS, 8), saved(START + 2 * NS, 8)]
    place = write(tmp_path, {MONDAY: [*lines, saved(START + NS, 5)]})
    with SYSTEM.open(place, Reading()) as export:
        rows = export.recompute(Question(by=("session",))).lever("report").by["session"]
    assert [row.measures["timestamp"] for row in rows] == [stamp(START + 2 * NS)]
    assert amounts(place) == (8, 8)


def test_a_window_begins_with_its_first_instant(tmp_path: Path) -> None:
    place = write(tmp_path, {MONDAY - 1: [saved(START - 1, 5)], MONDAY: [saved(START, 8)]})
    assert amounts(place) == amounts(place, "summarize") == (8, 3)


def test_after_a_line_of_which_only_the_key_can_be_read_the_next_counts(tmp_path: Path) -> None:
    lines = [saved(START, 5), saved(START + NS, 9, pid="x"), saved(START + 2 * NS, 5)]
    place = write(tmp_path, {MONDAY: lines})
    assert amounts(place) == amounts(place, "summarize") == (5, 5)
    place = write(tmp_path, {MONDAY: lines[:2]})
    assert amounts(place) == (5, 0)
    assert amounts(place, "summarize") == (5, 5)


def test_a_baseline_of_which_only_the_key_can_be_read_is_none(tmp_path: Path) -> None:
    before = [saved(START - 2 * NS, 5), saved(START - NS, 5, pid="x")]
    place = write(tmp_path, {MONDAY - 1: before, MONDAY: [saved(START, 8)]})
    assert amounts(place) == (8, 8)
    assert amounts(place, "summarize") == (8, 3)


def test_the_same_rest_in_another_file_is_read_again(tmp_path: Path) -> None:
    files = {MONDAY + at: [saved(START + at * DAY, 5)] * 2 for at in range(3)}
    with SYSTEM.open(write(tmp_path, files), Reading()) as export:
        checked = export.check(Question())
    assert export.identity.records == 6
    assert [day["records"] for day in checked.document["days"]] == [2, 2, 2]


def test_lines_are_counted_through_the_whole_store(tmp_path: Path) -> None:
    files = {MONDAY: [saved(START, 5), b""], MONDAY + 1: [b"{", saved(START + DAY, 5)]}
    findings = {finding.code: finding for finding in read(write(tmp_path, files)).findings}
    assert findings["blank_lines"].examples == (2,)
    assert findings["usage_line_torn"].examples == (3,)
    assert findings["usage_line_torn"].message.startswith("usage-2026-09-22.jsonl line 1: ")


def test_lines_across_blocks_of_reading(tmp_path: Path) -> None:
    """Lines that a block of reading cuts are whole lines."""
    lines = [saved(START + at * NS, at // 7) for at in range(4000)]
    place = write(tmp_path, {MONDAY: lines})
    assert (place / "usage-2026-09-21.jsonl").stat().st_size > 1 << 20
    assert amounts(place) == (3999 // 7, 3999 // 7)
    with SYSTEM.open(place, Reading()) as export:
        assert export.identity.records == 4000
        assert not [f for f in export.findings if f.code.startswith("usage_")]
