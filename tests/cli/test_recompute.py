"""`verify recompute` as typed."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from support.exports import record, write_export
from support.program import verify

from verify.schemata import violations

SAMPLE = Path(__file__).resolve().parents[2] / "sample_exports" / "lighthouse"
CARD = {"input_per_m": 3, "output_per_m": 15, "cache_read_per_m": 0.3, "cache_write_per_m": 3.75}


def small(place: Path, **attrs: object) -> Path:
    """One call of a cached model, on the first of June, and a card."""
    return write_export(
        place,
        [
            record("models", "one", "2026-05-30T00:00:00Z", model="m", price=CARD, snapshot="s"),
            record(
                "model_call",
                "one",
                "2026-06-01T00:00:00Z",
                model="m",
                outcome="ok",
                cache_read_tokens=1000,
                cache_write_tokens=20000,
                **attrs,
            ),
        ],
        zone="Europe/Madrid",
    )


def test_as_typed_it_reads_the_sample_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = verify("recompute", "--lever", "caching")
    assert run.code == 0
    assert "caching" in run.out
    assert "sample_exports/lighthouse" in run.err
    assert "2026-10" in run.err


def test_writes_can_outweigh_reads(tmp_path: Path) -> None:
    run = verify("recompute", small(tmp_path), "--period", "2026-06", "--format", "json")
    (caching,) = [lever for lever in run.json["levers"] if lever["lever"] == "caching"]
    # 1,000 x (3 - 0.3) - 20,000 x (3.75 - 3), per million
    assert caching["usd"] == "-0.0123"
    assert run.code == 4, "three levers have no data"


def test_one_lever_with_a_figure_is_exit_0(tmp_path: Path) -> None:
    run = verify("recompute", small(tmp_path), "--lever", "caching", "--period", "2026-06")
    assert run.code == 0
    assert "-0.012300" in run.out


def test_coverage_below_the_least_asked_for_is_inconclusive(tmp_path: Path) -> None:
    place = small(tmp_path)
    at_full = ("recompute", place, "--lever", "caching", "--period", "2026-06", "--min-coverage")
    assert verify(*at_full, "100%").code == 0
    lines = [
        *(place / "records.jsonl").read_bytes().splitlines(),
        record("model_call", "one", "2026-06-02T00:00:00Z", model="m", outcome="ok"),
    ]
    write_export(place, lines, zone="Europe/Madrid")
    assert verify(*at_full, "0.5").code == 0
    assert verify(*at_full, "51%").code == 4


def test_json_is_what_its_schema_says() -> None:
    run = verify("recompute", SAMPLE, "--period", "2026-10", "--by", "day", "--format", "json")
    assert violations(run.json, "outputs/recompute") == []
    assert run.json["export"]["trust"] == "unauthenticated"


def test_days_add_up_to_the_period_and_to_each_other() -> None:
    month = verify(
        "recompute",
        SAMPLE,
        "--period",
        "2026-10",
        "--lever",
        "retrieval",
        "--by",
        "day",
        "--format",
        "json",
    ).json
    (lever,) = month["levers"]
    summed = Fraction(0)
    for row in lever["by"]["day"][:5]:
        day = verify(
            "recompute",
            SAMPLE,
            "--since",
            row["key"],
            "--until",
            row["key"],
            "--lever",
            "retrieval",
            "--format",
            "json",
        ).json["levers"][0]
        # A single day has windows of its own; counts always add up.
        assert day["totals"]["measured"] == row["measured"]
    for row in lever["by"]["day"]:
        summed += Fraction(row["usd"])
    assert summed == Fraction(lever["usd"])


def test_csv_holds_every_row_exactly() -> None:
    json_run = verify(
        "recompute", SAMPLE, "--period", "2026-10", "--by", "model", "--format", "json"
    )
    csv_run = verify("recompute", SAMPLE, "--period", "2026-10", "--by", "model", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(csv_run.out, newline="")))
    shown = {
        (row["lever"], row["key"], row["measure"]): row["value"]
        for row in rows
        if row["dimension"] == "model" and row["key_is_null"] == "false"
    }
    for lever in json_run.json["levers"]:
        for row in lever["by"].get("model", ()):
            for measure, value in row.items():
                if measure != "key" and row["key"] is not None:
                    assert shown[lever["lever"], row["key"], measure] == str(value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--period", "2026-13"), "not a month"),
        (("--period", "October"), "not a month"),
        (("--period", "9999-12"), "no period can reach"),
        (("--min-coverage", "1e99999999"), "not a share"),
        (("--since", "2026-10-01"), "go together"),
        (("--period", "2026-10", "--since", "2026-10-01", "--until", "2026-10-02"), "one form"),
        (("--since", "2026-10-02", "--until", "2026-10-01"), "before it begins"),
        (("--since", "2026-02-30", "--until", "2026-03-01"), "not a date"),
        (("--tz", "Mars/Olympus"), "not an IANA time zone"),
        (("--tz", "../../etc/passwd"), "not an IANA time zone"),
        (("--lever", "cachng"), "no lever"),
        (("--by", "colour"), "broken down"),
        (("--lever", "infrastructure", "--by", "day"), "cannot be broken down"),
        (("--method", "weights=maybe"), "true, false"),
        (("--method", "weight=false"), "not a method switch"),
        (("--min-coverage", "lots"), "not a share"),
        (("--manifest-sha256", "abc"), "64 hex digits"),
        (("--system", "darkhouse"), "no system"),
        (("--format", "pdf"), "pdf"),
    ],
)
def test_a_wrong_option_is_exit_2_with_a_word_about_it(
    arguments: tuple[str, ...], words: str
) -> None:
    run = verify("recompute", SAMPLE, *arguments)
    assert run.code == 2
    assert words in run.err
    assert run.out == ""
    assert "Traceback" not in run.err


def test_missing_and_foreign_exports_are_exit_2(tmp_path: Path) -> None:
    assert verify("recompute", tmp_path / "nowhere").code == 2
    assert verify("recompute", tmp_path).code == 2
    (tmp_path / "file").write_text("x")
    assert verify("recompute", tmp_path / "file").code == 2


def test_the_export_can_be_named_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFY_EXPORT", str(SAMPLE))
    run = verify("recompute", "--lever", "routing", "--format", "json")
    assert run.code == 0
    assert run.json["levers"][0]["lever"] == "routing"
    assert "VERIFY_EXPORT" in run.err


def test_the_current_directory_is_read_when_it_is_an_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small(tmp_path))
    run = verify("recompute", "--lever", "caching", "--format", "json")
    assert run.json["export"]["records"] == 2


def test_quiet_leaves_stderr_empty() -> None:
    assert verify("recompute", SAMPLE, "--quiet").err == ""


def test_the_answer_goes_to_a_file_in_one_step(tmp_path: Path) -> None:
    target = tmp_path / "answer.json"
    run = verify("recompute", SAMPLE, "--format", "json", "-o", target)
    assert run.out == ""
    assert json.loads(target.read_text())["export"]["system"] == "lighthouse"
    assert [p.name for p in tmp_path.iterdir()] == ["answer.json"]
    run = verify("recompute", SAMPLE, "-o", tmp_path / "no" / "such" / "place")
    assert run.code == 2
    assert "cannot write" in run.err


def test_another_method_is_said_in_every_form() -> None:
    asked = ("recompute", SAMPLE, "--method", "weights=false", "--period", "2026-10")
    assert verify(*asked, "--format", "json").json["method"]["weights"] is False
    for form in ("table", "csv", "md"):
        assert "weights" in verify(*asked, "--format", form).out


def test_days_of_another_zone() -> None:
    run = verify(
        "recompute", SAMPLE, "--tz", "Asia/Kathmandu", "--period", "2026-10", "--format", "json"
    )
    assert run.json["period"]["start"] == "2026-09-30T18:15:00Z"
    assert run.json["period"]["time_zone"] == "Asia/Kathmandu"


def test_without_a_zone_it_is_utc_and_a_finding(tmp_path: Path) -> None:
    write_export(tmp_path, [record("heartbeat", "d", "2026-01-01T00:00:00Z")], zone=None)
    run = verify("recompute", tmp_path, "--period", "2026-01", "--format", "json")
    assert run.json["period"]["time_zone"] == "UTC"
    assert "time_zone_assumed" in {finding["code"] for finding in run.json["findings"]}
    assert run.code == 4


def test_default_period_is_the_last_whole_month(tmp_path: Path) -> None:
    days = ("2026-05-01", "2026-05-31", "2026-06-01", "2026-06-30", "2026-07-01", "2026-07-15")
    lines = [record("model_call", "d", f"{day}T12:00:00Z", model="m", outcome="ok") for day in days]
    run = verify("recompute", write_export(tmp_path, lines), "--format", "json")
    assert run.json["period"]["since"] == "2026-06-01"
    assert "last whole month" in run.err


def test_help_starts_without_the_engines() -> None:
    code = (
        "import sys; sys.argv = ['verify', '--help']\n"
        "from verify.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "assert not {'polars', 'duckdb', 'jsonschema'} & set(sys.modules), sorted(sys.modules)\n"
    )
    environment = dict(os.environ, COLUMNS="80")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
