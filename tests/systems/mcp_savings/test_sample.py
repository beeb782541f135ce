"""The sample of the checkout, and the command line around it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from support.program import verify

from verify.schemata import names, violations
from verify.systems import recognise
from verify.systems.mcp_savings.measures import DIMENSIONS, LEVERS, MEASURES
from verify.trust.strictjson import loads

from . import exports, program
from .asked import diffed, found, rows
from .exports import SAMPLE, write, write_document

REPORT = SAMPLE / "report.txt"


def test_the_two_commands_of_the_docs() -> None:
    assert verify("check", SAMPLE).code == 0
    run = diffed(SAMPLE, REPORT)
    assert (run.code, run.json["verdict"]) == (0, "agrees")
    verdicts = Counter(row["verdict"] for row in run.json["rows"])
    assert verdicts == {"exact": 21, "rounding": 10}
    assert run.json["export"]["trust"] == "unmanifested"


def test_the_sample_s_own_snapshot_ties_out() -> None:
    run = diffed(SAMPLE)
    assert run.code == 0
    assert len(rows(run, "exact")) == 40
    assert len(rows(run, "not_comparable")) == 5


def test_what_is_recomputed_of_it() -> None:
    dimensions = ("server", "tool", "session", "project")
    by = [part for name in dimensions for part in ("--by", name)]
    run = verify("recompute", SAMPLE, *by, "--format", "json")
    assert run.code == 0
    assert violations(run.json, "outputs/recompute") == []
    levers = {lever["lever"]: lever for lever in run.json["levers"]}
    assert list(levers) == list(LEVERS)
    assert {lever["usd"] for lever in levers.values()} == {None}
    assert (levers["pay"]["amount"], levers["saved"]["amount"]) == (1896, 832)
    assert (levers["pay"]["totals"]["tokens"], levers["saved"]["totals"]["tokens"]) == (450, 180)
    assert levers["session"]["totals"]["input_tokens"] == 2237
    assert set(levers["session"]["by"]) == {"session", "project"}
    for name, lever in levers.items():
        measures = {measure.name for measure in MEASURES[name]}
        assert set(lever["totals"]) <= measures
        assert set(lever["by"]) <= set(DIMENSIONS[name])
    (tickets,) = [row for row in levers["pay"]["by"]["server"] if row["key"] == "tickets"]
    assert (tickets["bytes"], tickets["tokens"], tickets["unmeasured"]) == (None, None, 1)
    wire = {row["key"]: row["input_tokens"] for row in levers["wire"]["by"]["session"]}
    assert wire == {"5d1f20aa-close": 923, "91c2b7e4-deploy": 1290, None: 120}


def test_what_is_checked_of_it() -> None:
    run = verify("check", SAMPLE, "--format", "json")
    assert violations(run.json, "outputs/check") == []
    assert run.json["sound"] is True
    told = {finding["code"] for finding in run.json["findings"]}
    assert {"server_unmeasured", "id_not_attributed", "lines_without_id", "wire_differs"} <= told
    (loose,) = [tool for tool in run.json["host_tools"] if tool["not_attributed_to"]]
    assert (loose["key"], loose["server"]) == ("files_recent", None)


@pytest.mark.parametrize("form", ["table", "csv", "md"])
def test_every_form_fits_and_names_what_could_not_be_measured(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for command in (
        ("recompute", SAMPLE),
        ("check", SAMPLE),
        ("diff", SAMPLE, "--figures", REPORT),
    ):
        run = verify(*command, "--format", form)
        assert run.code == 0
        assert "tickets" in run.out or form == "csv"
        if form == "table":
            assert max(map(len, run.out.splitlines())) <= 80
    by_server = verify("recompute", SAMPLE, "--by", "server", "--format", form)
    assert "tickets" in by_server.out


def test_the_configuration_in_it_is_read_for_names_alone() -> None:
    for form in ("json", "md"):
        run = verify("check", SAMPLE, "--format", form)
        assert "not-a-real-token" not in run.out + run.err


# --- recognised, or named -------------------------------------------------------------------------


def test_what_is_recognised(tmp_path: Path) -> None:
    def system(place: Path) -> str | None:
        product = recognise(place)
        return product.name if product else None

    assert system(SAMPLE) == "mcp-savings"
    assert system(SAMPLE / "snapshot.json") == "mcp-savings"
    assert system(write(tmp_path / "a")) == "mcp-savings"
    home = exports.write_transcripts(tmp_path / "b", {("p", "s"): ""})
    assert system(home) == "mcp-savings"
    lists = tmp_path / "c"
    lists.mkdir()
    write_document(lists, "atlas.tools.json", {"tools": []})
    assert system(lists) == "mcp-savings"
    write_document(tmp_path, "opencode.json", {"mcp": {}})
    assert system(tmp_path) is None
    assert system(write_document(tmp_path, "x.json", {"a": 1})) is None
    assert system(SAMPLE.parent / "lighthouse") == "lighthouse"
    assert system(SAMPLE.parent / "prompt2md") == "prompt2md"


def test_an_empty_directory_is_exit_2(tmp_path: Path) -> None:
    run = verify("check", tmp_path, "--system", "mcp-savings")
    assert run.code == 2
    assert "nothing to audit" in run.err
    assert verify("check", tmp_path / "x", "--system", "mcp-savings").code == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--lever", "paid"), "no lever 'paid'"),
        (("--by", "day"), "cannot be broken down by 'day'"),
        (("--lever", "pay", "--by", "session"), "server, tool"),
        (("--period", "2026-11"), "--period means nothing"),
        (("--since", "2026-11-01"), "--since means nothing"),
        (("--tz", "UTC"), "--tz means nothing"),
        (("--baseline-model", "m"), "--baseline-model means nothing"),
        (("--set", "model="), "no model"),
        (("--set", "colour=red"), "no option 'colour'"),
        (("--method", "clamp=true"), "no method switch"),
        (("--manifest-sha256", "0" * 64), "no manifest"),
        (("--now", "noon"), "not a timestamp"),
    ],
)
def test_a_wrong_option_is_exit_2_with_a_word_about_it(
    arguments: tuple[str, ...], words: str
) -> None:
    run = verify("recompute", SAMPLE, *arguments)
    assert run.code == 2
    assert words in run.err
    assert run.out == ""


def test_there_is_nothing_to_explain_by(tmp_path: Path) -> None:
    wrong = write_document(
        tmp_path, "report.txt", REPORT.read_text("utf-8").replace("832 B", "831 B")
    )
    run = verify("explain", SAMPLE, "--figures", wrong)
    assert run.code == 2
    assert "no method switches" in run.err


def test_a_manifest_is_not_made_of_what_is_never_checked(tmp_path: Path) -> None:
    run = verify("check", SAMPLE, "--write-manifest", tmp_path / "sums")
    assert run.code == 2
    assert not (tmp_path / "sums").exists()


def test_coverage_can_be_asked_for() -> None:
    asked = ("recompute", SAMPLE, "--lever", "pay", "--min-coverage")
    assert verify(*asked, "75%").code == 0
    assert verify(*asked, "76%").code == 4


# --- schemas --------------------------------------------------------------------------------------

DOCUMENTS = {
    "tool_list": "servers/ledger.tools.json",
    "host_configuration": "opencode.json",
    "snapshot": "snapshot.json",
    "mtimes": "mtimes.json",
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_sample_s_documents_are_what_their_schemas_say(name: str) -> None:
    document = loads((SAMPLE / DOCUMENTS[name]).read_bytes())
    assert violations(document, f"mcp_savings/{name}") == []
    assert violations([], f"mcp_savings/{name}") != []


def test_what_the_program_shows_is_what_its_schemas_say() -> None:
    measured = exports.measurement(exports.SERVERS)
    shown = {
        "measurement": measured,
        "split": program.split(measured),
        "sessions": program.sessions_of({("p", "s"): ""}, lambda *_: 0.0, 0),
    }
    for name, document in shown.items():
        assert violations(loads(json.dumps(document).encode()), f"mcp_savings/{name}") == []
        assert violations({}, f"mcp_savings/{name}") != []


def test_lines_are_what_their_schemas_say() -> None:
    requests = (SAMPLE / "telemetry.jsonl").read_bytes().splitlines()
    for each in requests:
        assert violations(loads(each), "mcp_savings/request") == []
    transcript = SAMPLE / "transcripts" / "books" / "5d1f20aa-close.jsonl"
    lines = [loads(each) for each in transcript.read_bytes().splitlines()[1:-1]]
    for entry in lines:
        assert violations(entry, "mcp_savings/transcript_line") == []


def test_every_schema_is_held_by_a_test() -> None:
    own = {name.partition("/")[2] for name in names() if name.startswith("mcp_savings/")}
    lines = {"measurement", "split", "sessions", "request", "transcript_line"}
    assert own == {*DOCUMENTS, *lines}


def test_findings_are_told_by_code() -> None:
    assert "PAY and SAVED" in verify("finding", "pay_and_saved_added").out
    assert found(diffed(SAMPLE, REPORT))["figures_humanised"].startswith("8 figures")
