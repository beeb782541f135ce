"""`verify diff`: verdict and exit code."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from support.program import verify

from verify.schemata import violations

SAMPLE = Path(__file__).resolve().parents[2] / "sample_exports" / "lighthouse"


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A product that takes UTC days for local ones."""
    place: Path = tmp_path_factory.mktemp("planted") / "export"
    assert verify("sample", place, "--records", "1500", "--plant", "zone=UTC").code == 0
    return place


def test_the_sample_agrees() -> None:
    run = verify("diff", SAMPLE, "--figures", SAMPLE / "api", "--format", "json")
    assert run.code == 0
    assert run.json["verdict"] == "agrees"
    assert {row["verdict"] for row in run.json["rows"]} == {"exact", "rounding"}
    assert violations(run.json, "outputs/diff") == []


def test_a_planted_zone_differs(planted: Path) -> None:
    run = verify("diff", planted, "--figures", planted / "api", "--format", "json")
    assert run.code == 1
    assert run.json["verdict"] == "differs"
    for form in ("table", "csv", "md"):
        assert verify("diff", planted, "--figures", planted / "api", "--format", form).code == 1


def test_only_filters_rows_and_not_the_exit_code(planted: Path) -> None:
    asked = ("diff", planted, "--figures", planted / "api", "--only", "exact", "--format", "json")
    run = verify(*asked)
    assert run.code == 1
    assert {row["verdict"] for row in run.json["rows"]} == {"exact"}
    assert run.json["verdict"] == "differs"
    assert verify("diff", SAMPLE, "--figures", SAMPLE / "api", "--only", "wrong").code == 2


def test_tolerance_is_stated_and_recorded(planted: Path) -> None:
    asked = ("diff", planted, "--figures", planted / "api" / "headline.json", "--format", "json")
    assert verify(*asked).code == 1
    run = verify(*asked, "--lever", "caching", "--tolerance", "abs=1000,rel=50%")
    assert run.json["policy"]["tolerance"] == "abs=1000,rel=50%"
    assert verify(*asked, "--tolerance", "about right").code == 2


def test_a_lever_that_nobody_knows_is_exit_2(planted: Path, tmp_path: Path) -> None:
    # Left out without a word, what is left would be said to agree.
    asked = ("--figures", planted / "api", "--lever", "retrieval", "--lever", "cachng")
    for command in (("diff",), ("signoff", "--out", tmp_path / "made")):
        run = verify(command[0], planted, *asked, *command[1:])
        assert run.code == 2
        assert "cachng" in run.err
        assert run.out == ""
    assert not (tmp_path / "made").exists()


def test_another_period_than_the_figures_is_exit_2() -> None:
    run = verify("diff", SAMPLE, "--figures", SAMPLE / "api", "--period", "2026-09")
    assert run.code == 2
    assert "2026-10-01" in run.err


def test_one_document_alone(tmp_path: Path) -> None:
    for name in ("headline", "retrieval", "caching", "routing", "profiles"):
        run = verify("diff", SAMPLE, "--figures", SAMPLE / "api" / f"{name}.json")
        assert run.code == 0, (name, run.out)
    shutil.copy(SAMPLE / "api" / "caching.group_by_deployment.csv", tmp_path / "caching.csv")
    alone = verify(
        "diff",
        SAMPLE,
        "--figures",
        tmp_path / "caching.csv",
        "--period",
        "2026-10",
        "--format",
        "json",
    )
    assert alone.code == 0
    assert {row["dimension"] for row in alone.json["rows"]} == {"deployment_model"}


def test_two_runs_against_each_other(tmp_path: Path, planted: Path) -> None:
    other = tmp_path / "other.json"
    asked = ("--period", "2026-10", "--by", "day", "--by", "model", "--format", "json")
    assert verify("recompute", SAMPLE, *asked, "-o", other).code == 0
    same = verify("diff", SAMPLE, "--figures", other, "--format", "json")
    assert same.code == 0
    assert {row["verdict"] for row in same.json["rows"]} == {"exact"}
    assert verify("diff", planted, "--figures", other).code == 1


def test_a_tampered_export_prints_no_row(tmp_path: Path) -> None:
    place = tmp_path / "export"
    shutil.copytree(SAMPLE, place)
    with (place / "records.jsonl").open("ab") as handle:
        handle.write(b"\n")
    run = verify("diff", place, "--figures", place / "api")
    assert (run.code, run.out) == (3, "")


def test_figures_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "page.json").write_text("<html>Log in</html>")
    assert verify("diff", SAMPLE, "--figures", tmp_path / "page.json").code == 2
    (tmp_path / "page.json").write_text(json.dumps({"hello": 1}))
    assert verify("diff", SAMPLE, "--figures", tmp_path / "page.json").code == 2
    assert verify("diff", SAMPLE, "--figures", tmp_path / "absent.json").code == 2
    assert verify("diff", SAMPLE).code == 2


def test_csv_has_a_line_a_figure(planted: Path) -> None:
    rows = verify("diff", planted, "--figures", planted / "api", "--format", "json").json["rows"]
    text = verify("diff", planted, "--figures", planted / "api", "--format", "csv").out
    lines = [
        row
        for row in csv.DictReader(io.StringIO(text, newline=""))
        if row["verdict"] and row["dimension"] != "finding"
    ]
    assert len(lines) == len(rows)
    assert [line["verdict"] for line in lines] == [row["verdict"] for row in rows]


def test_an_amount_of_an_included_lever_is_explained_too(planted: Path, tmp_path: Path) -> None:
    shutil.copytree(planted / "api", tmp_path / "api")
    path = tmp_path / "api" / "headline.json"
    document = json.loads(path.read_text())
    for lever in document["levers"]:
        if lever["lever"] == "caching":
            document["usd"] -= lever["usd"]
            lever["status"] = "included"
    path.write_text(json.dumps(document))
    run = verify("explain", planted, "--figures", path, "--format", "json")
    assert run.code == 1
    assert {"zone": "UTC"} in run.json["sets"]
    assert ("caching", "usd") in {(c["lever"], c["measure"]) for c in run.json["causes"]}


@pytest.mark.parametrize("command", ["diff", "explain", "recompute", "check"])
def test_an_answer_never_replaces_an_input(tmp_path: Path, command: str) -> None:
    place = tmp_path / "export"
    shutil.copytree(SAMPLE, place)
    shutil.copy(place / "api" / "headline.json", tmp_path / "alone.json")
    with_figures = command in ("diff", "explain")
    inputs: list[tuple[Path, str | None]]
    inputs = [(place / "records.jsonl", "api"), (place / "manifest.json", "api")]
    if with_figures:
        inputs += [(place / "api" / "routing.json", "api"), (tmp_path / "alone.json", None)]
    for path, figures in inputs:
        before = path.read_bytes()
        told = ("--figures", place / figures if figures else path) if with_figures else ()
        run = verify(command, place, *told, "-o", path)
        assert run.code == 2
        assert "is an input" in run.err
        assert path.read_bytes() == before
    # Beside them, an answer is put as often as one likes.
    told = ("--figures", place / "api") if with_figures else ()
    for _ in range(2):
        assert verify(command, place, *told, "-o", place / "answer.txt").code == 0
