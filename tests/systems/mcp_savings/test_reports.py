"""Reports and measurements against exports that they were really made from."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify import tokens
from verify.schemata import violations
from verify.systems.mcp_savings.claims.humanised import bytes_shown, tokens_shown

from . import exports, program
from .asked import diffed, found, rows
from .exports import MODEL, NOW, SERVERS, line, snapshot, text, tool, usage, write, write_document

# --- humanised figures ----------------------------------------------------------------------------

counts = st.integers(0, 10**13) | st.integers(0, 12).flatmap(
    lambda power: st.integers(-60, 60).map(lambda step: max(0, 10**power + step))
)


@given(counts)
def test_a_humanised_figure_is_within_half_its_own_unit(count: int) -> None:
    for shown in (bytes_shown(program.bytes_text(count)), tokens_shown(program.tokens_text(count))):
        assert shown is not None
        assert abs(shown.printed.value - count) <= (shown.half_unit or 0)
        assert (shown.half_unit is None) is (count < 1000)


@pytest.mark.parametrize(
    ("printed", "value", "half"),
    [
        ("882 B", 882, None), ("1.0 KB", 1000, 50), ("1000.0 KB", 1_000_000, 50),
        ("1.5 GB", 1_500_000_000, 50_000_000), ("0 B", 0, None), ("12 KB", 12_000, 500),
    ],
)  # fmt: skip
def test_half_a_unit_of_bytes(printed: str, value: int, half: int | None) -> None:
    shown = bytes_shown(printed)
    assert shown is not None
    assert shown.printed.value == value
    assert shown.half_unit == half


@pytest.mark.parametrize(
    "printed", ["", "B", "5", "1,5 KB", "-1 B", "013 B", "1e3 B", "5KB", "5 kB"]
)
def test_what_is_no_figure_of_bytes(printed: str) -> None:
    assert bytes_shown(printed) is None


def test_a_figure_of_tokens_has_its_prefix_at_its_end() -> None:
    shown = tokens_shown("13.9K")
    assert shown is not None
    assert (shown.printed.text, shown.half_unit) == ("13.9e3", Fraction(50))
    assert tokens_shown("13.9 K") is None


# --- every document of an export ------------------------------------------------------------------


def documents(place: Path, servers: exports.Servers, model: str) -> dict[str, Path]:
    """What the program shows of these servers, in every form but the agent's report."""
    counted = program.total([]) is not None and "gpt" in model
    measured = exports.measurement(servers, counted=counted)
    taken = snapshot(servers, mcpMeasurement=measured, model=model)
    shown = {
        "measure.txt": program.measure_text(measured, model),
        "measure.json": measured,
        "split.json": program.split(measured),
        "report.txt": program.report_text(taken),
    }
    write(place / "export", servers, taken=taken)
    return {name: write_document(place, name, each) for name, each in shown.items()}


@pytest.mark.parametrize("model", [MODEL, "claude-opus-4-8"])
def test_every_document_ties_out(tmp_path: Path, model: str) -> None:
    for name, path in documents(tmp_path, SERVERS, model).items():
        run = diffed(tmp_path / "export", path)
        assert run.json["verdict"] == "agrees", name
        assert run.code == 0
        assert {row["verdict"] for row in run.json["rows"]} <= {"exact", "rounding"}
        assert violations(run.json, "outputs/diff") == []


def test_the_verdict_says_within_how_much(tmp_path: Path) -> None:
    path = documents(tmp_path, SERVERS, MODEL)["report.txt"]
    run = diffed(tmp_path / "export", path)
    (pay,) = [r for r in run.json["rows"] if (r["lever"], r["measure"]) == ("pay", "amount")]
    assert (pay["figure"], pay["recomputed"], pay["verdict"]) == ("1.1e3", "1095", "rounding")
    assert pay["reason"] == "within half a printed unit, 50"
    (read,) = [r for r in run.json["rows"] if r["measure"] == "cache_read_tokens"]
    assert (read["figure"], read["recomputed"], read["delta"]) == ("105.4e6", "105444000", "-44000")
    assert read["reason"].startswith("within half a printed unit, 50000; as the snapshot has it")
    assert "pay bytes 1100 within 50" in found(run)["figures_humanised"]
    assert "snapshot" in found(run)["measured_when_unknown"]


def test_generated_servers(tmp_path: Path) -> None:
    random = Random(3)
    for number in range(8):
        servers = {}
        for name in random.sample(["a", "b | c", "dé", "e / f", "(x)", "g"], random.randint(1, 6)):
            many = range(random.randint(0, 6))
            listed = [
                tool(f"t{n}", "ü🚀x"[: random.randint(0, 3)] * random.randint(0, 400)) for n in many
            ]
            servers[name] = (random.random() < 0.6, None if random.random() < 0.25 else listed)
        place = tmp_path / str(number)
        place.mkdir()
        if "e / f" in servers:  # a file cannot have this name, so its list cannot be given
            servers["e / f"] = (servers["e / f"][0], None)
        for name, path in documents(place, servers, MODEL).items():
            run = diffed(place / "export", path)
            empty = {
                side
                for side in ("pay", "saved")
                if not program.split(exports.measurement(servers))[f"{side}Count"]
            }
            # Over nothing the program prints 0, which is another thing than n/a.
            wrong = rows(run, "differs", "only_in_figures", "only_in_records", "not_comparable")
            assert {lever for lever, _, _ in wrong} <= empty, (number, name, wrong)


def test_an_agent_s_report_ties_out_with_its_transcripts(tmp_path: Path) -> None:
    transcripts = {
        ("books", "0123456789-first"): text(line("a", usage(1_040, 52, 101_003, 1_504, 2))),
        ("site", "abcdef"): text(line("a", usage(13, 1))),
        ("site", "idle-one"): text(line("a", usage(99_999))),
    }
    age = {("site", "idle-one"): 1_800_001, ("site", "abcdef"): 5_000}
    place = exports.write_transcripts(write(tmp_path / "export"), transcripts, age=age)
    sessions = program.sessions_of(
        transcripts, lambda p, s: float(NOW - age.get((p, s), 1000)), NOW
    )
    measured = exports.measurement(SERVERS)
    report = write_document(
        tmp_path, "agent.txt", program.agent_report_text(sessions, measured, MODEL)
    )
    run = diffed(place, report)
    assert run.json["verdict"] == "agrees"
    assert "report_of_other_host" in found(run)
    both = write_document(tmp_path, "sessions.json", sessions)
    assert diffed(place, both).json["verdict"] == "agrees"
    assert len(rows(diffed(place, both), "exact")) == 5 + 2 * 5 + 1 + 2


# --- what cannot be compared ----------------------------------------------------------------------


def test_a_server_without_a_tool_list_cannot_be_compared(tmp_path: Path) -> None:
    shown = documents(tmp_path, SERVERS, MODEL)
    export = write(
        tmp_path / "other", lists={"atlas": SERVERS["atlas"], "bursar": SERVERS["bursar"]}
    )
    for name in ("measure.txt", "measure.json", "split.json"):
        run = diffed(export, shown[name])
        assert (run.json["verdict"], run.code) == ("inconclusive", 4), name
        assert ("pay", "courier", "bytes") in rows(run, "not_comparable")
        assert ("pay", "drifter", "unmeasured") not in rows(run, "not_comparable", "differs")
        assert rows(run, "differs", "only_in_records", "only_in_figures") == []
    assert ("pay", None, "amount") in rows(diffed(export, shown["measure.txt"]), "not_comparable")
    assert ("saved", None, "amount") in rows(diffed(export, shown["measure.txt"]), "exact")


def test_without_the_tokenizer_tokens_cannot_be_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = documents(tmp_path, SERVERS, MODEL)
    monkeypatch.setattr(tokens, "available", lambda: False)
    run = diffed(tmp_path / "export", shown["measure.json"])
    assert run.json["verdict"] == "inconclusive"
    assert {measure for _, _, measure in rows(run, "not_comparable")} == {"tokens"}
    assert rows(run, "differs") == []


def test_a_snapshot_alone_is_no_record_of_itself(tmp_path: Path) -> None:
    taken = write_document(tmp_path, "snapshot.json", snapshot(SERVERS))
    run = diffed(taken)
    assert (run.json["verdict"], run.code) == ("inconclusive", 4)
    report = write_document(tmp_path, "report.txt", program.report_text(snapshot(SERVERS)))
    run = diffed(taken, report)
    assert run.json["verdict"] == "inconclusive"
    assert rows(run, "differs", "not_comparable") == []


def test_the_export_s_own_snapshot_needs_no_figures(tmp_path: Path) -> None:
    documents(tmp_path, SERVERS, MODEL)
    run = diffed(tmp_path / "export")
    assert run.json["verdict"] == "agrees"
    taken = rows(run, "not_comparable")
    assert {(lever, key) for lever, key, _ in taken} == {("session", "opencode")}
    assert "session_of_snapshot" in found(run)


def test_of_several_documents_in_an_export_one_has_to_be_named(tmp_path: Path) -> None:
    place = write(tmp_path)
    measured = exports.measurement(SERVERS)
    write_document(place, "measure.json", measured)
    assert diffed(place).json["verdict"] == "agrees"
    write_document(place, "measure.txt", program.measure_text(measured, MODEL))
    run = diffed(place)
    assert run.code == 2
    assert "measure.json, measure.txt" in run.err
    write_document(place, "measure.txt", "nothing of the kind")
    assert diffed(place).json["verdict"] == "agrees"


def test_nothing_says_which_servers_a_list_s_host_has(tmp_path: Path) -> None:
    shown = documents(tmp_path, SERVERS, MODEL)
    lists = tmp_path / "lists"
    write(lists)
    (lists / "opencode.json").unlink()
    run = diffed(lists, shown["measure.txt"])
    assert run.json["verdict"] == "inconclusive"
    assert rows(run, "differs", "only_in_figures", "only_in_records") == []
    assert ("saved", "bursar", "bytes") in rows(run, "not_comparable")
    write_document(lists, "other.tools.json", {"tools": [tool("x")]})
    for name in ("measure.txt", "measure.json"):
        run = diffed(lists, shown[name])
        assert run.json["verdict"] == "inconclusive"
        assert rows(run, "differs", "only_in_figures", "only_in_records") == []


def test_a_report_printed_without_a_snapshot_shows_zeros(tmp_path: Path) -> None:
    report = program.report_text(snapshot(SERVERS))
    zeros = [f"  {title} 0" for title in program.TITLES]
    start = report.index("\n\n=== MCP")
    lines = [
        report.split("\n")[0],
        "No snapshot yet — run a host adapter (e.g. OpenCode with",
        *zeros,
    ]
    text_ = "\n".join(lines) + report[start:]
    run = diffed(
        write(tmp_path), write_document(tmp_path, "report.txt", text_), "--lever", "session"
    )
    assert run.json["verdict"] == "differs"
    assert len(rows(run, "differs")) == 5
    assert "zero_over_nothing" in found(run)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("", "no figures"), ("{}", "no figures"), ("[5]", "measurement"), ("{", "cannot be read"),
        ('{"payBytes": 5}', "split"), ('{"sessions": 5, "totals": {}}', "sessions"),
        ("hello", "no figures"), ('[{"server": "a", "server": "b"}]', "twice"),
    ],
)  # fmt: skip
def test_what_is_no_document_of_the_program(tmp_path: Path, document: str, words: str) -> None:
    run = diffed(write(tmp_path), write_document(tmp_path, "figures", document))
    assert run.code == 2
    assert words in run.err


def test_a_directory_is_no_document(tmp_path: Path) -> None:
    place: Any = write(tmp_path)
    run = diffed(place, place)
    assert run.code == 2
    assert "is a directory" in run.err
    assert diffed(place, place / "nowhere").code == 2


def test_figures_are_of_their_own_model(tmp_path: Path) -> None:
    shown = documents(tmp_path, SERVERS, MODEL)
    run = diffed(tmp_path / "export", shown["measure.txt"], "--set", "model=claude-x")
    assert run.code == 2
    assert "model" in run.err
