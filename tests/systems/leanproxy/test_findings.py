"""Every diagnosis: what a store has to be like for it, and what it says."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from support.program import verify
from systems.leanproxy.oracle import DAY, NS, Written, report, windows
from systems.leanproxy.stores import MONDAY, day_text, line, write

from verify.errors import UnreadableInput
from verify.findings import Finding
from verify.systems.base import Question, Reading
from verify.systems.leanproxy.store import MAX_LINE
from verify.systems.leanproxy.system import SYSTEM

NOON = MONDAY * DAY + 12 * 3600 * NS
GOVERNOR = {"original_tokens": 100, "returned_tokens": 40, "saved_tokens": 60}


def told(place: Path, **question: Any) -> dict[str, Finding]:
    """The findings of all levers and of the whole, by code; of several the last."""
    with SYSTEM.open(place, Reading()) as export:
        result = export.recompute(Question(**question))
    found = [*result.findings, *(one for lever in result.levers for one in lever.findings)]
    return {finding.code: finding for finding in found}


def at(seconds: int) -> int:
    return NOON + seconds * NS


def moment(day: int) -> datetime:
    return datetime.fromisoformat(f"{day_text(day)}T12:00:00+00:00").astimezone(UTC)


def test_skipped_lines_say_where_why_and_what_they_would_add(tmp_path: Path) -> None:
    kept = line(at(0), schema_native_tokens_total=1000, schema_sent_tokens_total=100)
    lines = [
        kept,
        line(at(5), pid="x", schema_native_tokens_total=1500, schema_sent_tokens_total=150),
        kept[:200],
        line(at(-5), pid="x", schema_native_tokens_total=900),
        line(at(5), "s2", schema_native_tokens_total=50.0) + line(at(6), "s3"),
        b"garbage",
    ]
    place = write(tmp_path, {MONDAY: lines})
    with SYSTEM.open(place, Reading()) as export:
        found = [f for f in export.recompute(Question()).findings if f.code.startswith("usage_l")]
    words = {finding.examples: finding.message for finding in found}
    file = "usage-2026-09-21.jsonl"
    assert words[(2,)] == (
        f"{file} line 2: pid: expected an integer of 64 bits, found the string 'x'; "
        "it would add 500 original and 450 saved tokens"
    )
    assert words[(3,)].endswith("middle of a record; what it would add cannot be made out")
    assert words[(4,)].endswith("the report takes another line of its session")
    assert words[(5,)].endswith("it would add 50 original and 50 saved tokens")
    assert [finding.code for finding in found] == [
        "usage_line_mistyped",
        "usage_line_torn",
        "usage_line_mistyped",
        "usage_line_glued",
        "usage_line_malformed",
        "usage_lines_skipped",
    ]
    assert words[()] == (
        "5 lines are passed over: 1 torn, 1 glued, 1 malformed, 2 mistyped; together they would "
        "add 550 original and 500 saved tokens, as far as they can be made out"
    )


def test_a_skipped_line_outside_the_cut_would_add_nothing(tmp_path: Path) -> None:
    place = write(tmp_path, {MONDAY - 1: [line(at(0) - DAY, pid="x"), line(at(0))]})
    found = told(place, since=moment(MONDAY).date())["usage_line_mistyped"]
    assert found.message.endswith("the cut leaves it out")


def test_many_skipped_lines_are_told_in_short(tmp_path: Path) -> None:
    place = write(tmp_path, {MONDAY: [line(at(0)), *[b"{"] * 1500]})
    with SYSTEM.open(place, Reading()) as export:
        codes = [finding.code for finding in export.recompute(Question()).findings]
        checked = export.check(Question())
    assert codes.count("usage_line_torn") == 20
    assert codes.count("usage_lines_skipped") == 1
    assert checked.sound
    assert checked.document["skipped_lines"] == 1500
    assert len(checked.document["skipped"]) == 1000


def test_null_counts_as_a_session(tmp_path: Path) -> None:
    place = write(tmp_path, {MONDAY: [line(at(0)), b"null", b"{}"]})
    found = told(place)["usage_line_empty"]
    assert (found.count, found.examples) == (2, (2, 3))
    with SYSTEM.open(place, Reading()) as export:
        lever = export.recompute(Question(levers=("report",), by=("session",))).lever("report")
    assert lever.totals["session_count"] == 2
    assert next((row.key, row.measures["timestamp"]) for row in lever.by["session"]) == (
        "",
        "0001-01-01T00:00:00Z",
    )


def test_lines_without_session_or_time(tmp_path: Path) -> None:
    nameless = line(at(0)).replace(b'"session_id":"s1",', b"")
    place = write(tmp_path, {MONDAY: [nameless, line(None, "s2")]})
    assert told(place)["usage_session_unnamed"].examples == (1,)
    assert told(place)["usage_stamp_absent"].examples == (2,)


def test_a_counter_that_falls(tmp_path: Path) -> None:
    lines = [
        line(at(0), governor=GOVERNOR, discovery_calls_total=5),
        line(at(5), governor=GOVERNOR, discovery_calls_total=4),
        line(at(10)),
    ]
    found = told(write(tmp_path, {MONDAY: lines}))["usage_counter_fell"]
    assert (found.count, found.examples) == (2, (2, 3))
    assert "discovery_calls_total" in found.message
    assert "response_governor" in found.message
    assert "; first usage-2026-09-21.jsonl line 2 (session s1: " in found.message


def test_savings_may_fall_when_a_result_grew(tmp_path: Path) -> None:
    grown = {"original_tokens": 110, "returned_tokens": 60, "saved_tokens": 50}
    lines = [line(at(0), governor=GOVERNOR), line(at(5), governor=grown)]
    assert "usage_counter_fell" not in told(write(tmp_path, {MONDAY: lines}))


def test_a_clock_that_goes_back(tmp_path: Path) -> None:
    lines = [line(at(0), discovery_calls_total=1), line(at(-60), discovery_calls_total=2)]
    found = told(write(tmp_path, {MONDAY: lines}))
    assert found["usage_clock_back"].examples == (2,)
    assert "usage_counter_fell" not in found


def test_lines_out_of_order_and_repeated_stamps(tmp_path: Path) -> None:
    lines = [
        line(at(0), discovery_calls_total=2),
        line(at(-60), discovery_calls_total=1),
        line(at(-60), discovery_calls_total=1),
        line(at(-60), "s2"),
    ]
    found = told(write(tmp_path, {MONDAY: lines}))
    assert found["usage_out_of_order"].examples == (2,)
    assert found["usage_stamp_repeated"].examples == (3,)


def test_stored_savings_that_are_not_the_difference(tmp_path: Path) -> None:
    lines = [line(at(0), governor={**GOVERNOR, "saved_tokens": 75})] * 2
    place = write(tmp_path, {MONDAY: lines})
    assert "+15" in told(place)["usage_saved_differs"].message
    with SYSTEM.open(place, Reading()) as export:
        stored = export.recompute(Question())
        ours = export.recompute(Question(switches={"saved": "recomputed"}))
    assert (stored.lever("report").amount, ours.lever("report").amount) == (75, 60)
    assert [f.count for f in stored.findings if f.code == "usage_saved_differs"] == [2]


def test_another_estimator(tmp_path: Path) -> None:
    lines = [line(at(0), estimator="tiktoken"), line(at(5), estimator="tiktoken"), line(at(10))]
    found = told(write(tmp_path, {MONDAY: lines}))["usage_estimator"]
    assert (found.count, found.message[-10:]) == (2, "'tiktoken'")


def test_the_file_of_another_day(tmp_path: Path) -> None:
    place = write(tmp_path, {MONDAY - 2: [line(at(0))], MONDAY: [line(at(0), "s2")]})
    assert told(place)["usage_file_day"].examples == (1,)
    with SYSTEM.open(place, Reading()) as export:
        cut = export.recompute(Question(levers=("report",), since=moment(MONDAY).date()))
    assert cut.lever("report").totals["session_count"] == 1, "files of days before are left out"


def test_files_that_are_not_read_and_days_that_are_missing(tmp_path: Path) -> None:
    place = write(
        tmp_path,
        {
            MONDAY: [line(at(0))],
            MONDAY - 3: [],
            "usage-2026-9-21.jsonl": b"x",
            "Usage-2026-09-21.jsonl": b"x",
            "usage-2026-09-21.jsonl.gz": b"x",
            "notes.txt": b"x",
            "usage-2026-02-30.jsonl": b"x",
        },
    )
    (place / "usage-2026-09-20.jsonl").mkdir()
    found = told(place)
    assert found["usage_file_ignored"].count == 5
    assert found["usage_days_missing"].count == 2
    assert "2026-09-19, 2026-09-20" in found["usage_days_missing"].message


def test_the_edge_of_retention(tmp_path: Path) -> None:
    place = write(tmp_path, {MONDAY: [line(at(0))]})
    assert "usage_retention_edge" not in told(place)
    assert "usage_retention_edge" not in told(place, now=moment(MONDAY + 88))
    assert "usage_retention_edge" in told(place, now=moment(MONDAY + 89))
    write(place, {MONDAY - 95: [line(at(0) - 95 * DAY)]})
    assert "95 days back" in told(place)["usage_retention_edge"].message


def test_a_cut_before_the_store(tmp_path: Path) -> None:
    place = write(tmp_path, {MONDAY: [line(at(0))]})
    assert "usage_cut_before_store" in told(place, since=moment(MONDAY - 1).date())
    assert "usage_cut_before_store" not in told(place, since=moment(MONDAY).date())


def test_a_governor_that_is_off(tmp_path: Path) -> None:
    lines = [line(at(0), governor=GOVERNOR), line(at(0), "s2")]
    place = write(tmp_path, {MONDAY: lines})
    assert told(place)["usage_governor_off"].count == 1
    with SYSTEM.open(place, Reading()) as export:
        result = export.recompute(Question())
    assert [(lever.coverage.measured, lever.coverage.total) for lever in result.levers[:2]] == [
        (2, 2),
        (1, 2),
    ]


@pytest.mark.parametrize("cut", [NOON, MONDAY * DAY])
def test_a_session_that_spans_the_cut_with_its_earlier_share(tmp_path: Path, cut: int) -> None:
    lines = [
        line(cut - NS, schema_native_tokens_total=700, schema_sent_tokens_total=200),
        line(cut, schema_native_tokens_total=900, schema_sent_tokens_total=250),
        line(cut, "s2", schema_native_tokens_total=40),
    ]
    place = write(tmp_path, {MONDAY - 1: lines})
    start = datetime.fromtimestamp(cut // NS, UTC)
    found = told(place, since=start)["usage_session_spans"]
    assert found.count == 1
    assert "1 of 2 sessions began before the cut" in found.message
    assert "700 original and 500 saved tokens" in found.message
    assert "usage_session_spans" not in told(place)


def test_sums_beyond_64_bits(tmp_path: Path) -> None:
    lines = [line(at(0), f"s{n}", schema_native_tokens_total=2**63 - 1) for n in range(3)]
    place = write(tmp_path, {MONDAY: lines})
    assert "usage_sum_overflowed" in told(place)
    with SYSTEM.open(place, Reading()) as export:
        totals = export.recompute(Question()).lever("report").totals
    assert totals["total_original_tokens"] == 2**63 - 3
    assert totals["total_saved_percent"] == 100


def test_days_are_not_the_report(tmp_path: Path) -> None:
    place = write(tmp_path, {MONDAY: [line(at(0), schema_native_tokens_total=5)]})
    assert "usage_days_not_report" not in told(place)
    assert "5 saved tokens" in told(place, by=("day",))["usage_days_not_report"].message
    assert "usage_days_not_report" in told(place, levers=("schema",), by=("day",))


def week(tmp_path: Path) -> Path:
    """A session of two weeks whose last line of the old one is in a file of the Friday before, one
    that fell, one that is older, one whose latest line cannot be decoded whole."""
    friday, now = MONDAY - 3, MONDAY + 2
    return write(
        tmp_path,
        {
            friday: [
                line(friday * DAY, "long", schema_native_tokens_total=1000),
                line(friday * DAY, "old", schema_native_tokens_total=30),
            ],
            MONDAY - 1: [line((MONDAY - 1) * DAY, "fell", schema_native_tokens_total=500)],
            now: [
                line(now * DAY, "long", schema_native_tokens_total=1300),
                line(now * DAY, "fell", schema_native_tokens_total=100),
                line(now * DAY, "half", schema_native_tokens_total=7),
                line(now * DAY + NS, "half", pid="x", schema_native_tokens_total=9),
            ],
        },
    )


def test_why_a_window_is_not_the_report(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"levers": ("week",), "now": moment(MONDAY + 2)}
    place = week(tmp_path)
    with SYSTEM.open(place, Reading()) as export:
        live = export.recompute(Question(**asked)).lever("week")
        whole = export.recompute(Question(**asked, options={"view": "summarize"})).lever("week")
    assert (live.amount, whole.amount) == (1300, 307)
    codes = {finding.code: finding for finding in live.findings}
    assert codes["usage_baseline_unseen"].count == 1
    assert "1,000 original and 1,000 saved" in codes["usage_baseline_unseen"].message
    assert codes["usage_window_left_out"].message.endswith("half")
    assert codes["usage_window_fell"].message.endswith("fell")
    assert re.search(
        r"report has 1,437 saved tokens, the window 1,300", codes["usage_window_bridge"].message
    )
    assert {finding.code for finding in whole.findings} == {
        "usage_window_fell",
        "usage_window_bridge",
    }


def test_a_last_line_without_a_line_feed_is_not_live_yet(tmp_path: Path) -> None:
    place = write(
        tmp_path,
        {
            MONDAY: line(at(0), schema_native_tokens_total=5)
            + b"\n"
            + line(at(5), schema_native_tokens_total=8)
        },
    )
    asked: dict[str, Any] = {"levers": ("report", "today"), "now": moment(MONDAY)}
    with SYSTEM.open(place, Reading()) as export:
        live = export.recompute(Question(**asked))
        whole = export.recompute(Question(**asked, options={"view": "summarize"}))
    assert [lever.amount for lever in live.levers] == [8, 5]
    assert [lever.amount for lever in whole.levers] == [8, 8]


def test_a_line_that_the_product_cannot_read(tmp_path: Path) -> None:
    """A line of 8 MiB fails its report; one byte less does not."""
    filler = line(at(0), "x" * 100, schema_native_tokens_total=5)
    fits = filler.replace(b"x" * 100, b"x" * (MAX_LINE - 1 - len(filler) + 100))
    assert len(fits) == MAX_LINE - 1
    place = write(tmp_path, {MONDAY: [fits], MONDAY - 9: [line(at(0) - 9 * DAY), fits + b" "]})
    with SYSTEM.open(place, Reading()) as export:
        with pytest.raises(UnreadableInput, match=r"usage-2026-09-12\.jsonl line 2"):
            export.recompute(Question())
        cut = export.recompute(Question(since=moment(MONDAY).date()))
        checked = export.check(Question())
    assert cut.lever("report").amount == 5, "a cut leaves the file out"
    assert not checked.sound
    assert "usage_line_too_long" in {finding.code for finding in checked.findings}


def test_a_line_without_an_end_is_not_held_in_memory(tmp_path: Path) -> None:
    place = write(tmp_path, {MONDAY: line(at(0)) + b"\n" + b"x" * (3 * MAX_LINE)})
    with SYSTEM.open(place, Reading()) as export:
        assert not export.check(Question()).sound


def test_another_reader_explains_another_window(tmp_path: Path) -> None:
    """Windows of the one reader, set against the other one: explained by the reader alone."""
    lines = [line(at(0), schema_native_tokens_total=5), line(at(5), schema_native_tokens_total=8)]
    place = write(tmp_path / "usage", {MONDAY: b"\n".join(lines)})
    shown = tmp_path / "shown.json"
    spoken = [
        Written(MONDAY, at(n), "s1", {"schema_native_tokens_total": v}, ended=e)
        for n, v, e in ((0, 5, True), (5, 8, False))
    ]
    shown.write_text(json.dumps(windows(spoken, at(9), "summarize")))
    run = verify("explain", place, "--figures", shown, "--format", "json")
    assert run.code == 1
    assert run.json["sets"] == [{"view": "summarize"}]
    assert run.json["remaining"] == []


def test_stored_savings_explain_a_report_that_trusts_them(tmp_path: Path) -> None:
    governor = {**GOVERNOR, "saved_tokens": 75}
    place = write(tmp_path / "usage", {MONDAY: [line(at(0), governor=governor)]})
    shown = tmp_path / "shown.json"
    spoken = Written(MONDAY, at(0), "s1", {}, {**governor, "saved_tokens": 60})
    shown.write_text(json.dumps(report([spoken], None)))
    run = verify("explain", place, "--figures", shown, "--format", "json")
    assert run.json["sets"] == [{"saved": "recomputed"}]
    falls = {fall["lever"]: fall for fall in run.json["waterfall"]}
    for lever in ("response_truncation", "report"):
        assert falls[lever]["measure"] == "amount"
        assert [step["amount"] for step in falls[lever]["steps"]] == ["-15"]
        assert falls[lever]["unexplained"] == "0"
