"""The sample stores: every number of every report and window that the product made from them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from support.program import verify

from verify.schemata import violations
from verify.systems.leanproxy.by_hand import query
from verify.trust.strictjson import loads

SAMPLES = Path(__file__).resolve().parents[3] / "sample_exports" / "leanproxy"
FOUR = SAMPLES / "four-sessions"
SHOWN = sorted(FOUR.glob("reports/*")) + sorted(SAMPLES.glob("edge/*/reports/report.json"))
EMPTY = {"wrong_day_file_minus2"}
FOUND = {
    "bad_timestamp": "usage_line_mistyped",
    "counter_drop_over_midnight": "usage_counter_fell",
    "crlf_bom": "usage_line_malformed",
    "empty_obj_line": "usage_line_empty",
    "float_int_5000.0": "usage_line_mistyped",
    "int64_overflow_sum": "usage_sum_overflowed",
    "live_latest_bad_type": "usage_line_mistyped",
    "null_timestamp": "usage_stamp_absent",
    "other_estimator": "usage_estimator",
    "out_of_order_file": "usage_out_of_order",
    "tie_ts_many": "usage_stamp_repeated",
    "torn_tail_invalid": "usage_line_torn",
    "wrong_day_file_minus1": "usage_file_day",
    "wrong_day_file_minus2": "usage_file_day",
}


@pytest.mark.parametrize("shown", SHOWN, ids=lambda path: str(path.relative_to(SAMPLES)))
def test_every_number_follows_from_the_store(shown: Path) -> None:
    store = shown.parent.parent / "usage"
    view = ("--set", "view=summarize") if "summarize" in shown.name else ()
    run = verify("diff", store, "--figures", shown, *view, "--format", "json")
    assert violations(run.json, "outputs/diff") == []
    verdicts = Counter(row["verdict"] for row in run.json["rows"])
    assert set(verdicts) <= {"exact", "rounding"}, run.json["rows"]
    rounded = {row["measure"] for row in run.json["rows"] if row["verdict"] == "rounding"}
    assert rounded <= {"total_saved_percent", "saved_percent", "estimated_cost_saved"}
    assert run.code == (4 if shown.parts[-3] in EMPTY else 0)
    assert run.json["export"]["trust"] == "unmanifested"
    assert "export_unmanifested" in {finding["code"] for finding in run.json["findings"]}


def test_every_number_is_compared() -> None:
    """No number of the report is without a row, but what says when it was made, and its question:
    the cut and the price."""
    document = json.loads((FOUR / "reports" / "report.price3.json").read_text())
    run = verify(
        "diff",
        FOUR / "usage",
        "--figures",
        FOUR / "reports" / "report.price3.json",
        "--format",
        "json",
    )
    pointers = {row["pointer"] for row in run.json["rows"]}

    def numbers(value: object, place: str = "") -> list[str]:
        if isinstance(value, dict):
            return [one for key in value for one in numbers(value[key], f"{place}/{key}")]
        if isinstance(value, list):
            return [one for at, item in enumerate(value) for one in numbers(item, f"{place}/{at}")]
        return [place] if isinstance(value, int | float) and not isinstance(value, bool) else []

    assert set(numbers(document)) - pointers == {"/price_per_mtok"}
    windows = FOUR / "reports" / "windows.now-2026-09-23T12.live.json"
    run = verify("diff", FOUR / "usage", "--figures", windows, "--format", "json")
    pointers = {row["pointer"] for row in run.json["rows"]}
    assert set(numbers(json.loads(windows.read_text()))) <= pointers


@pytest.mark.parametrize("name", FOUND)
def test_what_is_odd_about_a_store_is_a_finding(name: str) -> None:
    run = verify("recompute", SAMPLES / "edge" / name / "usage", "--format", "json")
    levers = [finding for lever in run.json["levers"] for finding in lever["findings"]]
    assert FOUND[name] in {finding["code"] for finding in run.json["findings"] + levers}
    assert violations(run.json, "outputs/recompute") == []


@pytest.mark.parametrize("form", ["table", "json", "csv", "md"])
def test_every_form_says_that_there_is_no_manifest(form: str) -> None:
    for command in (
        ("recompute",),
        ("check",),
        ("diff", "--figures", str(FOUR / "reports" / "report.csv")),
    ):
        run = verify(command[0], FOUR / "usage", *command[1:], "--format", form)
        assert run.code == 0
        assert "unmanifested" in run.out


def test_lines_and_documents_are_what_their_schemas_say() -> None:
    for usage in FOUR.glob("usage/*.jsonl"):
        for raw in usage.read_bytes().splitlines():
            assert violations(loads(raw), "leanproxy/line") == []
    for shown in FOUR.glob("reports/*.json"):
        name = "windows" if "windows" in shown.name else "report"
        assert violations(loads(shown.read_bytes()), f"leanproxy/{name}") == []


def test_the_query_by_hand_gives_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    document = json.loads((FOUR / "reports" / "report.json").read_text())
    monkeypatch.chdir(FOUR / "usage")
    rows = duckdb.connect().execute(query()).fetchall()
    members = ("mechanism", "original_tokens", "resulting_tokens", "saved_tokens", "calls")
    assert rows == [tuple(row[name] for name in members) for row in document["mechanisms"]]


def test_the_table_fits_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    by = [part for name in ("tool", "server", "session", "day") for part in ("--by", name)]
    for command in (
        ("recompute", FOUR / "usage", "--now", "2026-09-23T12:00:00Z", *by),
        ("diff", FOUR / "usage", "--figures", FOUR / "reports" / "report.price3.json"),
    ):
        run = verify(*command, "--set", "price_per_mtok=3")
        assert max(map(len, run.out.splitlines())) <= 80
        assert run.code == 0
