"""Reports, CSVs and windows that were changed, contradict themselves, or are something else."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.program import Run, verify

SAMPLES = Path(__file__).resolve().parents[3] / "sample_exports" / "leanproxy"
FOUR = SAMPLES / "four-sessions"
STORE, REPORTS = FOUR / "usage", FOUR / "reports"
WINDOWS = REPORTS / "windows.now-2026-09-23T12.live.json"
Change = Callable[[Any], object]


def diff(figures: Path, *options: object, store: Path = STORE) -> Run:
    return verify("diff", store, "--figures", figures, *options, "--format", "json")


def changed(tmp_path: Path, source: Path, change: Change) -> Path:
    document = json.loads(source.read_text())
    change(document)
    target = tmp_path / "shown.json"
    target.write_text(json.dumps(document))
    return target


def wrong(run: Run) -> dict[tuple[str, str, str | None, str | None], str]:
    return {
        (row["lever"], row["measure"], row["dimension"], row["key"]): row["verdict"]
        for row in run.json["rows"]
        if row["verdict"] not in ("exact", "rounding")
    }


def put(*path: str | int, value: Any) -> Change:
    def change(document: Any) -> None:
        for part in path[:-1]:
            document = document[part]
        document[path[-1]] = value

    return change


def drop(*path: str | int) -> Change:
    def change(document: Any) -> None:
        for part in path[:-1]:
            document = document[part]
        del document[path[-1]]

    return change


TOP = "top_tools_by_response_size"
REPORT_CHANGES: dict[str, tuple[Change, tuple[str, str, str | None, str | None], str]] = {
    "a row": (
        put("mechanisms", 0, "saved_tokens", value=19_098),
        ("schema", "amount", None, None),
        "differs",
    ),
    "calls": (
        put("mechanisms", 2, "calls", value=9),
        ("response_projection", "calls", None, None),
        "differs",
    ),
    "a label": (
        put("mechanisms", 1, "measured", value=False),
        ("response_truncation", "basis", None, None),
        "differs",
    ),
    "a cost": (drop("mechanisms", 5, "is_cost"), ("discovery", "kind", None, None), "differs"),
    "the estimator": (
        put("estimator", value="tiktoken"),
        ("report", "estimator", None, None),
        "differs",
    ),
    "sessions": (put("session_count", value=5), ("report", "session_count", None, None), "differs"),
    "the percentage": (
        put("total_saved_percent", value=65.7935876661162),
        ("report", "total_saved_percent", None, None),
        "differs",
    ),
    "extra turns": (
        put("extra_turns_estimate", value=7),
        ("report", "extra_turns_estimate", None, None),
        "differs",
    ),
    "the cost": (
        put("estimated_cost_saved", value=0.334666),
        ("report", "estimated_cost_saved", None, None),
        "differs",
    ),
    "a tool": (
        put(TOP, 0, "original_tokens", value=73_788),
        ("report", "original_tokens", "tool", "github.list_issues"),
        "differs",
    ),
    "a tool that is none": (
        put(TOP, 7, "tool", value="no.such"),
        ("report", "original_tokens", "tool", "no.such"),
        "only_in_figures",
    ),
    "a tool left out": (
        drop(TOP, 3),
        ("report", "original_tokens", "tool", "jira.search"),
        "only_in_records",
    ),
    "all tools left out": (
        drop(TOP),
        ("report", "original_tokens", "tool", ".leading"),
        "only_in_records",
    ),
    "the order of tools": (
        lambda document: document[TOP].reverse(),
        ("report", f"{TOP}_order", None, None),
        "differs",
    ),
    "a server left out": (
        drop("top_servers_by_response_size", 0),
        ("report", "original_tokens", "server", "github"),
        "only_in_records",
    ),
    "a session": (
        put("per_session", 1, "total_saved_tokens", value=3),
        ("report", "total_saved_tokens", "session", "serve-4303-1789639200"),
        "differs",
    ),
    "a session's time": (
        put("per_session", 3, "timestamp", value="2026-09-23T10:00:00Z"),
        ("report", "timestamp", "session", "stdio-4404-1790157600"),
        "differs",
    ),
    "all sessions left out": (
        drop("per_session"),
        ("report", "timestamp", "session", "http-4202-1790154000"),
        "only_in_records",
    ),
    "the attempts that fell back": (
        put("mechanisms", 4, "notes", value="local; 2 attempt(s) fell back to truncation"),
        ("response_summarization", "fallbacks", None, None),
        "differs",
    ),
}


@pytest.mark.parametrize("name", REPORT_CHANGES)
def test_a_changed_report_differs_there(tmp_path: Path, name: str) -> None:
    change, place, verdict = REPORT_CHANGES[name]
    run = diff(changed(tmp_path, REPORTS / "report.price3.json", change))
    assert run.code == 1
    assert wrong(run)[place] == verdict


WINDOW_CHANGES: dict[str, tuple[Change, tuple[str, str, str | None, str | None]]] = {
    "sessions": (put("today", "sessions", value=4), ("today", "sessions", None, None)),
    "saved": (put("week", "saved_tokens", value=78_069), ("week", "amount", None, None)),
    "its start": (
        put("week", "since", value="2026-09-20T00:00:00Z"),
        ("week", "since", None, None),
    ),
    "discovery": (
        put("today", "discovery_tokens", value=0),
        ("today", "discovery_tokens", None, None),
    ),
    "tool calls": (put("week", "tool_calls", value=21), ("week", "tool_calls", None, None)),
    "the top server": (put("today", "top_server", value="fs"), ("today", "top_server", None, None)),
    "the top tool": (drop("today", "top_tool"), ("today", "top_tool", None, None)),
    "a tool": (
        put("today", "by_tool", 2, "returned_tokens", value=2000),
        ("today", "returned_tokens", "tool", "fs.read.v2"),
    ),
    "a tool left out": (
        drop("week", "by_tool", 5),
        ("week", "calls", "tool", "github.get_file_contents"),
    ),
    "a server's tools": (
        put("week", "by_server", 0, "tools", value=2),
        ("week", "tools", "server", "github"),
    ),
    "the order": (
        lambda document: document["week"]["by_server"].reverse(),
        ("week", "by_server_order", None, None),
    ),
}


@pytest.mark.parametrize("name", WINDOW_CHANGES)
def test_changed_windows_differ_there(tmp_path: Path, name: str) -> None:
    change, place = WINDOW_CHANGES[name]
    run = diff(changed(tmp_path, WINDOWS, change))
    assert run.code == 1
    assert place in wrong(run)


def test_ties_may_stand_in_any_order(tmp_path: Path) -> None:
    ties = SAMPLES / "edge" / "top_tools_12_ties"

    def swap(document: Any) -> None:
        document[TOP].reverse()
        document[TOP][0]["tool"] = "s07.t"  # one of the two that are left out

    run = diff(changed(tmp_path, ties / "reports" / "report.json", swap), store=ties / "usage")
    assert (run.code, wrong(run)) == (0, {})


def test_a_report_that_does_not_add_up_is_told_whatever_the_store_says(tmp_path: Path) -> None:
    run = diff(changed(tmp_path, REPORTS / "report.json", put("total_saved_tokens", value=111_556)))
    row = next(
        row for row in run.json["rows"] if row["measure"] == "amount" and row["lever"] == "report"
    )
    assert (row["figure"], row["from_read"], row["recomputed"]) == ("111556", "111555", "111555")
    messages = [f["message"] for f in run.json["findings"] if f["code"] == "read_not_its_inputs"]
    assert any("/total_saved_tokens shows 111556, its own rows give 111555" in m for m in messages)


def test_the_csv_has_every_row_and_the_percentage() -> None:
    run = diff(REPORTS / "report.csv")
    percent = next(r for r in run.json["rows"] if r["measure"] == "total_saved_percent")
    assert (percent["figure"], percent["verdict"]) == ("65.8", "rounding")
    assert {row["lever"] for row in run.json["rows"]} == {
        "schema",
        "response_truncation",
        "response_projection",
        "response_dedup",
        "response_summarization",
        "discovery",
        "report",
    }


def test_a_changed_csv_differs(tmp_path: Path) -> None:
    text = (REPORTS / "report.csv").read_text()
    target = tmp_path / "report.csv"
    target.write_text(text.replace("65.8%", "65.7%"))
    assert ("report", "total_saved_percent", None, None) in wrong(diff(target))
    target.write_text(text.replace("36205", "36206"))
    assert ("response_truncation", "amount", None, None) in wrong(diff(target))
    target.write_text(text.replace("schema,", "schemata,"))
    assert diff(target).code == 2
    target.write_text(text.replace("36205", "many"))
    run = diff(target)
    assert run.code == 2
    assert "line 3: saved_tokens: expected a number, found 'many'" in run.err


def test_a_directory_of_one_report_its_csv_and_windows(tmp_path: Path) -> None:
    for source in (REPORTS / "report.json", REPORTS / "report.csv", WINDOWS):
        shutil.copy(source, tmp_path)
    (tmp_path / "other.json").write_text("{}")
    run = diff(tmp_path)
    assert run.code == 0
    assert {row["lever"] for row in run.json["rows"]} >= {"report", "today", "week"}
    assert "read_unknown" in {finding["code"] for finding in run.json["findings"]}
    (tmp_path / "report.csv").write_text(
        (REPORTS / "report.csv").read_text().replace("36205", "36206")
    )
    run = diff(tmp_path)
    assert run.code == 1
    assert "reads_disagree" in {finding["code"] for finding in run.json["findings"]}
    shutil.copy(REPORTS / "report.price3.json", tmp_path)
    run = diff(tmp_path)
    assert run.code == 2
    assert "two documents of one sort" in run.err


def test_the_windows_as_the_metrics_endpoint_serves_them(tmp_path: Path) -> None:
    served = tmp_path / "metrics.json"
    served.write_text(json.dumps({"usage": json.loads(WINDOWS.read_text()), "telemetry": {}}))
    assert diff(served).code == 0


def test_the_reports_own_cut_is_the_question() -> None:
    since = REPORTS / "report.since-2026-09-21.json"
    assert diff(since).json["period"]["start"] == "2026-09-21T00:00:00Z"
    assert diff(since, "--since", "2026-09-21").code == 0
    run = diff(since, "--since", "2026-09-22")
    assert run.code == 2
    assert "2026-09-21" in run.err
    assert diff(REPORTS / "report.price3.json", "--set", "price_per_mtok=4").code == 2


def test_another_time_of_asking_is_another_window() -> None:
    assert diff(WINDOWS, "--now", "2026-09-23T23:59:59Z").code == 0
    run = diff(WINDOWS, "--now", "2026-09-24T00:00:00Z")
    assert run.code == 1
    assert ("today", "since", None, None) in wrong(run)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<html>",
        "[]",
        "{}",
        '{"mechanisms": 5}',
        '{"mechanisms": [], "since": "x"}',
        '{"today": {}, "week": {}}',
        '{"today": 1}',
    ],
)
def test_what_is_no_report_is_exit_2(tmp_path: Path, text: str) -> None:
    shown = tmp_path / "shown.json"
    shown.write_text(text)
    run = diff(shown)
    assert run.code == 2
    assert "Traceback" not in run.err


def test_a_report_without_a_row_is_no_whole_report(tmp_path: Path) -> None:
    run = diff(changed(tmp_path, REPORTS / "report.json", drop("mechanisms", 3)))
    assert run.code == 2
    assert "lacks the rows response_dedup" in run.err


def test_a_row_that_this_program_does_not_know_is_not_passed_over(tmp_path: Path) -> None:
    def add(document: Any) -> None:
        document["mechanisms"].append({**document["mechanisms"][0], "mechanism": "magic"})

    run = diff(changed(tmp_path, REPORTS / "report.json", add))
    assert wrong(run)["magic", "amount", None, None] == "not_comparable"
    assert run.code == 4


def test_two_runs_against_each_other(tmp_path: Path) -> None:
    ours = tmp_path / "ours.json"
    by = [part for name in ("tool", "server", "session", "day") for part in ("--by", name)]
    asked = (
        "--now",
        "2026-09-23T12:00:00Z",
        "--set",
        "price_per_mtok=0.25",
        "--since",
        "2026-09-21",
    )
    assert verify("recompute", STORE, *by, *asked, "--format", "json", "-o", ours).code == 0
    same = diff(ours)
    assert (same.code, {row["verdict"] for row in same.json["rows"]}) == (0, {"exact"})
    other = diff(ours, store=SAMPLES / "edge" / "tie_ts_many" / "usage")
    assert other.code == 1


def test_csv_output_has_every_row() -> None:
    text = verify("recompute", STORE, "--lever", "report", "--by", "tool", "--format", "csv").out
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    tools = {
        row["key"]: row["value"]
        for row in rows
        if row["dimension"] == "tool" and row["measure"] == "original_tokens"
    }
    assert tools["github.list_issues"] == "73787"
    assert {row["measure"] for row in rows if row["dimension"] == "tool"} == {
        "original_tokens",
        "returned_tokens",
        "saved_tokens",
        "calls",
    }
