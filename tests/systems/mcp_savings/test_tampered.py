"""One thing wrong at a time: each is named, and none is called agreement."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from . import exports, program
from .asked import diffed, found, rows
from .exports import MODEL, NOW, SERVERS, line, snapshot, text, tool, usage, write, write_document

Json = Any


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """An export with a snapshot."""
    return write(tmp_path / "export", taken=snapshot(SERVERS))


def measured() -> Json:
    return exports.measurement(SERVERS)


def one(measurement: Json, name: str) -> Json:
    """One server of a measurement."""
    return next(each for each in measurement if each["server"] == name)


def judged(export: Path, name: str, document: Json) -> Any:
    """The tie-out of a document."""
    return diffed(export, write_document(export.parent, name, document))


def test_a_byte_count(export: Path) -> None:
    document = measured()
    one(document, "atlas")["tools"][0]["bytes"] += 1
    one(document, "atlas")["bytes"] += 1
    run = judged(export, "measure.json", document)
    assert (run.json["verdict"], run.code) == ("differs", 1)
    assert set(rows(run, "differs")) == {
        ("pay", "atlas / find", "bytes"),
        ("pay", "atlas", "bytes"),
    }


def test_a_server_s_sum_that_its_tools_do_not_make(export: Path) -> None:
    document = measured()
    one(document, "atlas")["bytes"] += 1
    run = judged(export, "measure.json", document)
    assert rows(run, "differs") == [("pay", "atlas", "bytes")]
    assert "892" in found(run)["report_rows_total"]
    (row,) = [row for row in run.json["rows"] if row["verdict"] == "differs"]
    assert row["from_read"] == "891"


def test_a_token_count(export: Path) -> None:
    document = measured()
    one(document, "bursar")["tools"][0]["tokens"] -= 1
    run = judged(export, "measure.json", document)
    assert rows(run, "differs") == [("saved", "bursar / pay", "tokens")]
    assert "report_rows_total" in found(run)


@pytest.mark.parametrize("value", [0, None, 270 - 1])
def test_tokens_that_are_0_or_none_are_not_those_that_were_counted(
    export: Path, value: int | None
) -> None:
    document = measured()
    one(document, "bursar")["tokens"] = one(document, "bursar")["tools"][0]["tokens"] = value
    run = judged(export, "measure.json", document)
    assert ("saved", "bursar", "tokens") in rows(run, "differs")


def test_tokens_for_a_model_that_has_no_tokenizer(export: Path) -> None:
    run = judged(export, "measure.txt", program.measure_text(measured(), "claude-x"))
    assert ("saved", "bursar", "tokens") in rows(run, "differs")
    assert ("saved", "bursar", "bytes") in rows(run, "exact")


@pytest.mark.parametrize("name", list(SERVERS))
def test_a_hidden_server(export: Path, name: str) -> None:
    document = [each for each in measured() if each["server"] != name]
    texts = program.measure_text(document, MODEL)
    for file, shown in (("measure.json", document), ("measure.txt", texts)):
        run = judged(export, file, shown)
        assert (run.json["verdict"], run.code) == ("differs", 1)
        assert name in found(run)["report_hides_server"]
        missing = rows(run, "only_in_records")
        assert any(key == name for _, key, _ in missing)


def test_a_server_that_could_not_be_measured_may_not_be_left_out(export: Path) -> None:
    run = judged(export, "measure.json", [m for m in measured() if m["server"] != "drifter"])
    assert rows(run, "only_in_records") == [("pay", "drifter", "unmeasured")]


def test_of_the_two_sides_only_the_broken_ones_that_are_on_are_not_shown(export: Path) -> None:
    sides = program.split(measured())
    assert judged(export, "split.json", sides).json["verdict"] == "agrees"
    sides["disabled"] = [each for each in sides["disabled"] if each["server"] != "ember"]
    run = judged(export, "split.json", sides)
    assert rows(run, "only_in_records") == [("saved", "ember", "unmeasured")]


def test_a_hidden_tool(export: Path) -> None:
    document = measured()
    server = one(document, "courier")
    gone = server["tools"].pop()
    server["bytes"] -= gone["bytes"]
    server["tokens"] -= gone["tokens"]
    run = judged(export, "measure.json", document)
    assert ("pay", "courier / list", "bytes") in rows(run, "only_in_records")
    assert ("pay", "courier", "tools") in rows(run, "differs")


def test_a_tool_that_nobody_listed(export: Path) -> None:
    document = measured()
    one(document, "courier")["tools"].append({"name": "ghost", "bytes": 0, "tokens": 0})
    run = judged(export, "measure.json", document)
    assert ("pay", "courier / ghost", "bytes") in rows(run, "only_in_figures")


def test_a_server_that_the_host_does_not_have(export: Path) -> None:
    document = [*measured(), program.measured("ghost", True, [tool("x")])]
    run = judged(export, "measure.json", document)
    assert ("pay", "ghost", "bytes") in rows(run, "only_in_figures")


def test_a_server_on_the_wrong_side(export: Path) -> None:
    document = measured()
    one(document, "bursar")["enabled"] = True
    run = judged(export, "measure.json", document)
    assert ("pay", "bursar", "bytes") in rows(run, "only_in_figures")
    assert ("saved", "bursar", "bytes") in rows(run, "only_in_records")


def test_an_error_for_a_server_that_can_be_measured(export: Path) -> None:
    broken = {**SERVERS, "atlas": (True, None)}
    run = judged(export, "measure.txt", program.measure_text(exports.measurement(broken), MODEL))
    assert ("pay", "atlas", "unmeasured") in rows(run, "differs")
    assert ("pay", None, "amount") in rows(run, "differs")
    assert "atlas" in found(run)["report_says_error"]


# --- sums that should not be ----------------------------------------------------------------------


def added(report: str) -> str:
    """A report whose PAY is PAY and SAVED."""
    pay, saved = program.split(measured())["payBytes"], program.split(measured())["savedBytes"]
    shown = report.replace(f"~{program.bytes_text(pay)} /", f"~{program.bytes_text(pay + saved)} /")
    assert shown != report
    return shown


def test_a_report_that_adds_what_is_paid_and_what_is_saved(export: Path) -> None:
    report = added(program.measure_text(measured(), MODEL))
    run = judged(export, "measure.txt", report)
    assert run.json["verdict"] == "differs"
    assert ("pay", None, "amount") in rows(run, "differs")
    assert "adds up what is paid and what is saved" in found(run)["pay_and_saved_added"]


@pytest.mark.parametrize(
    "line_", ["TOTAL ~1.7 KB / ~529 tok", "Together 1,674 B", "529 tokens in all"]
)
def test_a_line_with_the_sum_of_both(export: Path, line_: str) -> None:
    report = program.measure_text(measured(), MODEL) + line_ + "\n"
    run = judged(export, "measure.txt", report)
    assert (run.json["verdict"], run.code) == ("differs", 1)
    assert "line" in found(run)["pay_and_saved_added"]
    assert "line" in found(run)["read_unknown"]


@pytest.mark.parametrize("value", [1095 + 579, 259 + 270])
def test_a_member_with_the_sum_of_both(export: Path, value: int) -> None:
    sides = {**program.split(measured()), "grand": {"total": value}}
    run = judged(export, "split.json", sides)
    assert run.json["verdict"] == "differs"
    assert "/grand/total" in found(run)["pay_and_saved_added"]


def test_a_member_with_another_number_is_only_unknown(export: Path) -> None:
    run = judged(export, "split.json", {**program.split(measured()), "year": 2026})
    assert run.json["verdict"] == "agrees"
    assert "/year" in found(run)["read_unknown"]
    assert "pay_and_saved_added" not in found(run)


def test_a_sum_that_is_left_out(export: Path) -> None:
    report = program.measure_text(measured(), MODEL)
    cut = "".join(f"{each}\n" for each in report.split("\n") if not each.startswith("SAVED"))
    run = judged(export, "measure.txt", cut)
    assert ("saved", None, "amount") in rows(run, "only_in_records")


def test_a_report_s_sum_that_its_rows_do_not_make(export: Path) -> None:
    report = program.measure_text(measured(), MODEL).replace("~579 B", "~580 B")
    run = judged(export, "measure.txt", report)
    assert rows(run, "differs") == [("saved", None, "amount")]
    assert "saved bytes is 580" in found(run)["report_rows_total"]


def test_a_figure_just_beyond_half_a_unit(export: Path) -> None:
    report = program.measure_text(measured(), MODEL)
    assert (
        judged(export, "a.txt", report.replace("~1.1 KB", "~1.2 KB")).json["verdict"] == "differs"
    )
    assert (
        judged(export, "b.txt", report.replace("~1.1 KB", "~1.0 KB")).json["verdict"] == "differs"
    )


def test_zero_over_nothing_has_a_name(tmp_path: Path) -> None:
    servers: exports.Servers = {"drifter": (True, None), "ember": (False, None)}
    place = write(tmp_path / "export", servers)
    shown = exports.measurement(servers)
    for name, document in (
        ("measure.txt", program.measure_text(shown, MODEL)),
        ("split.json", program.split(shown)),
    ):
        run = judged(place, name, document)
        assert run.json["verdict"] == "differs"
        assert ("pay", None, "amount") in rows(run, "differs")
        assert "nothing was measured" in found(run)["zero_over_nothing"]


# --- documents that contradict themselves ---------------------------------------------------------


def test_a_server_that_is_shown_twice(export: Path) -> None:
    twice = [*measured(), program.measured("atlas", True, None)]
    assert "report_contradicts_itself" in found(judged(export, "measure.json", twice))
    report = program.measure_text(measured(), MODEL)
    row = next(each for each in report.split("\n") if each.startswith("| bursar"))
    run = judged(export, "measure.txt", report.replace(row, f"{row}\n{row.replace('579', '578')}"))
    assert run.json["verdict"] == "differs"
    assert "report_contradicts_itself" in found(run)


def test_two_values_of_one_server_in_the_two_sides(export: Path) -> None:
    sides = json.loads(json.dumps(program.split(measured())))
    sides["disabledOk"][0]["bytes"] += 5
    sides["disabledOk"][0]["tools"][0]["bytes"] += 5
    sides["savedBytes"] += 5
    run = judged(export, "split.json", sides)
    assert "report_contradicts_itself" in found(run)
    assert ("saved", None, "amount") in rows(run, "differs")


def test_figures_of_a_server_that_was_not_measured(export: Path) -> None:
    document = measured()
    one(document, "drifter")["bytes"] = 7
    assert "report_contradicts_itself" in found(judged(export, "measure.json", document))


# --- the host's own tools and its session ---------------------------------------------------------


def weights(*changes: Callable[[Json], None]) -> Json:
    """A snapshot with changes."""
    taken = json.loads(json.dumps(snapshot(SERVERS)))
    for change in changes:
        change(taken)
    return taken


def test_a_tool_given_to_a_server_by_its_bare_name(tmp_path: Path) -> None:
    tools = [{"id": "mcp__atlas__find", "bytes": 377}, {"id": "atlas_read", "bytes": 633}]
    listed = [{"server": "atlas", "tools": tools, "bytes": 1010}]
    taken = snapshot(SERVERS, listed)
    place = write(tmp_path, taken=taken)
    run = diffed(place)
    assert run.json["verdict"] == "differs"
    assert ("host_tools", "atlas", "bytes") in rows(run, "differs")
    assert ("host_tools", None, "bytes") in rows(run, "only_in_records")


def test_the_host_s_total(tmp_path: Path) -> None:
    run = diffed(write(tmp_path, taken=snapshot(SERVERS, totalSchemaBytes=1018)))
    assert ("host_tools", None, "amount") in rows(run, "differs")
    assert "report_rows_total" in found(run)


@pytest.mark.parametrize(
    ("printed", "wrong", "row"),
    [
        ("62.9%", "63.1%", ("host_tools", None, "share_percent")),
        ("  13.9K", "  14.0K", ("session", "opencode", "input_tokens")),
        ("105.4M", "105.5M", ("session", "opencode", "cache_read_tokens")),
        (" 1.0 KB", " 1.2 KB", ("host_tools", None, "amount")),
    ],
)
def test_a_line_of_the_report(export: Path, printed: str, wrong: str, row: Any) -> None:
    report = program.report_text(snapshot(SERVERS))
    assert judged(export, "report.txt", report).json["verdict"] == "agrees"
    assert printed in report.replace("input:      ", "")
    run = judged(export, "report.txt", report.replace(printed.strip(), wrong.strip()))
    assert run.json["verdict"] == "differs"
    assert row in rows(run, "differs")


def test_a_later_snapshot_is_another_one(export: Path) -> None:
    tokens = dict(zip(program.KINDS, (1, 2, 3, 4, 5), strict=True))
    run = judged(export, "later.json", weights(lambda taken: taken.update(sessionTokens=tokens)))
    assert ("session", "opencode", "input_tokens") in rows(run, "differs")


# --- sessions -------------------------------------------------------------------------------------

TRANSCRIPTS = {
    ("p", "11111111-a"): text(line("m", usage(100, 5))),
    ("q", "22222222-b"): text(line("m", usage(20, 6)), line("m", usage(21, 7))),
}


FIRST, SECOND = "11111111-a / p", "22222222-b / q"
CHANGES: list[tuple[Callable[[Json], Any], Any]] = [
    (lambda d: d["totals"].update(input=222), ("session", None, "input_tokens")),
    (
        lambda d: d["sessions"][0]["tokens"].update(output=9),
        ("session", FIRST, "output_tokens"),
    ),
    (lambda d: d["sessions"].pop(), ("session", SECOND, "active")),
    (
        lambda d: d["sessions"][0].update(project="z"),
        ("session", "11111111-a / z", "input_tokens"),
    ),
]


@pytest.mark.parametrize(("change", "row"), CHANGES)
def test_sessions(tmp_path: Path, change: Callable[[Json], Any], row: Any) -> None:
    place = exports.write_transcripts(tmp_path / "home", TRANSCRIPTS)
    shown = program.sessions_of(TRANSCRIPTS, lambda *_: NOW - 1000.0, NOW)
    path = write_document(tmp_path, "sessions.json", shown)
    assert diffed(place, path).json["verdict"] == "agrees"
    change(shown)
    run = diffed(place, write_document(tmp_path, "sessions.json", shown))
    assert run.json["verdict"] == "differs"
    assert row in rows(run, "differs", "only_in_figures", "only_in_records")


def test_a_report_that_does_not_list_a_session(tmp_path: Path) -> None:
    place = exports.write_transcripts(write(tmp_path / "home"), TRANSCRIPTS)
    shown = program.sessions_of(TRANSCRIPTS, lambda *_: NOW - 1000.0, NOW)
    report = program.agent_report_text(shown, measured(), MODEL)
    cut = report.replace("  22222222  q\n", "  33333333  q\n")
    run = diffed(place, write_document(tmp_path, "agent.txt", cut))
    assert ("session", "33333333 / q", "active") in rows(run, "only_in_figures")
    assert ("session", "22222222-b / q", "active") in rows(run, "only_in_records")


def test_no_active_session_is_no_zero(tmp_path: Path) -> None:
    place = exports.write_transcripts(
        write(tmp_path / "home"), TRANSCRIPTS, age=dict.fromkeys(TRANSCRIPTS, 10**8)
    )
    empty = program.sessions_of({}, lambda *_: 0.0, NOW)
    report = program.agent_report_text(empty, measured(), MODEL)
    run = diffed(place, write_document(tmp_path, "agent.txt", report))
    assert ("session", None, "input_tokens") in rows(run, "differs")
    assert "zero_over_nothing" in found(run)
