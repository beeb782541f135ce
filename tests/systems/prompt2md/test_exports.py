"""What an export may be, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.program import verify

from verify.schemata import violations
from verify.systems import recognise
from verify.trust.strictjson import loads

from .exports import SAMPLE, Json, all_findings, codes, one, sample_report, stored, write

NAME = "close-memo.anthropic.400"


def test_reports_and_originals_in_one_folder(tmp_path: Path) -> None:
    for name in ("reports", "store"):
        for path in (SAMPLE / name).iterdir():
            shutil.copy(path, tmp_path)
    shutil.copy(SAMPLE / "inputs" / "acta-es.md", tmp_path)
    (tmp_path / "notes.txt").write_text("x")
    write(tmp_path / "other.json", {"hello": 1})
    run = verify("diff", tmp_path, "--format", "json")
    assert run.code == 0
    assert len(run.json["rows"]) == 900
    check = verify("check", tmp_path, "--format", "json").json
    assert "notes.txt, other.json" in codes(check["findings"])["file_unread"]
    assert check["counts"]["inputs"] == 1


def test_what_lies_beside_the_folders_is_not_read(tmp_path: Path) -> None:
    place = one(tmp_path, NAME)
    write(place / "copy.json", sample_report(NAME))
    write(place / "old" / "reports" / "copy.json", sample_report(NAME))
    run = verify("check", place, "--format", "json")
    assert run.json["counts"]["reports"] == 1
    assert codes(run.json["findings"])["file_unread"] == (
        "not read: copy.json, old/reports/copy.json"
    )


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"savings": {"rawTokens"', "not JSON at line 1"),
        (b'{"savings": 1, "savings": 2}', "stands twice"),
        (b"[]", "expected an object"),
        (b"\xff", "not UTF-8"),
        (b'{"savings": {}, "sourceId": "a7bfc97675dadc10"}', "/savings/cache: expected"),
    ],
)
def test_a_report_that_cannot_be_read_is_exit_3(tmp_path: Path, data: bytes, words: str) -> None:
    place = one(tmp_path, NAME)
    (place / "reports" / "torn.json").write_bytes(data)
    for command in ("check", "recompute", "diff"):
        run = verify(command, place)
        assert run.code == 3, command
        assert "torn.json" in run.err
        assert words in run.err
        assert run.out == ""
    failed = verify("check", place, "--format", "json").json
    assert [problem["code"] for problem in failed["problems"]] == ["document_invalid"]
    skipped = verify("diff", place, "--skip-invalid", "--format", "json")
    assert skipped.code == 4
    assert "torn.json" in codes(skipped.json["findings"])["line_skipped"]
    assert verify("check", place, "--skip-invalid").code == 4


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("savings", "rawTokens"), 1.5, "expected an integer"),
        (("savings", "rawTokens"), "5510", "expected an integer"),
        (("savings", "ratio"), None, "expected a number"),
        (("savings", "cache", "cacheEligible"), 1, "expected true or false"),
        (("savings", "cache", "provider"), None, "expected a string"),
        (("sourceId",), "A7BFC97675DADC10", "16 lower-case hex digits"),
        (("markdown",), 7, "expected a string or null"),
        (("savings", "phases"), [], "the phase structure is missing"),
        (("savings", "phases"), [{"phase": "layout", "tokens": 1}] * 2, "layout is given twice"),
    ],
)
def test_a_document_that_is_not_of_the_form(
    tmp_path: Path, path: tuple[str, ...], value: object, words: str
) -> None:
    document = sample_report(NAME)
    part = document
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    run = verify("check", write(tmp_path / "report.json", document), "--system", "prompt2md")
    assert run.code == 3
    assert words in run.err


def test_half_a_character_in_a_document_is_refused(tmp_path: Path) -> None:
    document = sample_report(NAME)
    document["markdown"] += "\ud83d"
    (tmp_path / "report.json").write_text(json.dumps(document))
    run = verify("check", tmp_path / "report.json")
    assert run.code == 3
    assert "surrogate" in run.err


def test_numbers_keep_every_digit(tmp_path: Path) -> None:
    text = json.dumps(sample_report(NAME))
    text = text.replace("0.28457350272232307", "0.284573502722323070000000000000000001")
    text = text.replace('"rawTokens": 5510', '"rawTokens": 5.51e3')
    (tmp_path / "report.json").write_text(text)
    run = verify("diff", tmp_path / "report.json", "--format", "json")
    ratio = next(row for row in run.json["rows"] if row["measure"] == "ratio")
    assert ratio["figure"] == "0.284573502722323070000000000000000001"
    assert ratio["delta"] == "0.000000000000000000000000000000000001"
    saved = next(row for row in run.json["rows"] if row["measure"] == "saved")
    assert saved["verdict"] == "exact"


@pytest.mark.parametrize("form", ["zip", "gztar"])
def test_an_archive(tmp_path: Path, form: str) -> None:
    where = shutil.make_archive(str(tmp_path / "export"), form, SAMPLE.parent, "prompt2md")
    found = recognise(Path(where))
    assert found is not None
    assert found.name == "prompt2md"
    run = verify("diff", where, "--format", "json")
    assert run.code == 0
    assert len(run.json["rows"]) == 900
    assert run.json["export"] == verify("diff", SAMPLE, "--format", "json").json["export"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    place = one(tmp_path / "export", NAME)
    (place / "reports" / "link.json").symlink_to(place / "reports" / f"{NAME}.json")
    run = verify("check", place, "--format", "json")
    assert run.code == 3
    assert [problem["code"] for problem in run.json["problems"]] == ["file_not_regular"]


def test_what_is_no_export(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert recognise(tmp_path / "empty") is None
    assert verify("check", tmp_path / "empty", "--system", "prompt2md").code == 2
    assert verify("check", tmp_path / "nowhere", "--system", "prompt2md").code == 2
    write(tmp_path / "store" / "x.json", stored("x"))
    assert recognise(tmp_path) is None
    run = verify("check", tmp_path, "--system", "prompt2md")
    assert run.code == 2
    assert "no report" in run.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("recompute", "--period", "2026-11"), "no period"),
        (("recompute", "--since", "2026-11-01"), "no period"),
        (("recompute", "--tz", "UTC"), "no period"),
        (("recompute", "--now", "2026-11-01T00:00:00Z"), "no period"),
        (("recompute", "--baseline-model", "m"), "no period"),
        (("check", "--tz", "UTC"), "no period"),
        (("recompute", "--lever", "caching"), "no lever"),
        (("recompute", "--by", "model"), "broken down"),
        (("recompute", "--set", "n=0"), "not a number of calls"),
        (("recompute", "--set", "n=1.5"), "not a number of calls"),
        (("recompute", "--set", "n=99999999999"), "not a number of calls"),
        (("recompute", "--set", "m=1"), "no option"),
        (("recompute", "--method", "weights=false"), "no method switch"),
        (("check", "--manifest-sha256", "0" * 64), "no manifest"),
    ],
)
def test_options_that_mean_nothing_are_refused(arguments: tuple[str, ...], words: str) -> None:
    command, *rest = arguments
    run = verify(command, SAMPLE, *rest)
    assert run.code == 2
    assert words in run.err
    assert run.out == ""


def test_negative_savings_and_unknown_members(tmp_path: Path) -> None:
    text = "# tiny\n\nnote"
    source = stored(text)["sourceId"]
    markdown = f"{text}\n\n<!-- p2md:generated 2026-11-30T20:46:27.652Z source={source} -->"
    document: Json = {
        "markdown": markdown,
        "savings": {
            "rawTokens": 3,
            "compressedTokens": 21,
            "savedTokens": -18,
            "ratio": 7,
            "phases": [
                *({"phase": name, "tokens": 3} for name in ("structure", "strip", "summarize")),
                {"phase": "layout", "tokens": 21},
                {"phase": "polish", "tokens": 21},
            ],
            "cache": {
                "provider": "openai",
                "stablePrefixTokens": 3,
                "volatileTokens": 18,
                "cacheEligible": False,
                "effectiveTokensFirstCall": 21,
                "effectiveTokensPerSubsequentCall": 21,
                "amortizedTokensOver10Calls": 21,
                "ttl": 300,
            },
            "subsequentSavingsVsRawPct": -600,
            "tokenCounter": "chars/4",
        },
        "sourceId": source,
        "version": "2.0",
    }
    write(tmp_path / "reports" / "tiny.json", document)
    write(tmp_path / "store" / f"{source}.json", stored(text))
    run = verify("diff", tmp_path, "--format", "json")
    assert run.code == 0
    found = all_findings(verify("recompute", tmp_path, "--format", "json").json)
    assert found["negative_savings"] == "saved -18 tokens by tiny"
    assert "counter_unnamed" not in found
    assert found["members_unknown"] == (
        "not read: version; savings.cache.ttl; savings.phases.polish"
    )


def test_an_empty_text(tmp_path: Path) -> None:
    place = one(tmp_path, "empty.anthropic.400")
    run = verify("recompute", place, "--by", "report", "--format", "json")
    assert run.code == 0
    ledger, cache = run.json["levers"]
    assert (ledger["amount"], ledger["totals"]["ratio_exact"]) == (0, "1")
    assert (cache["amount"], cache["totals"]["beyond_cache"]) == ("0", None)
    assert cache["totals"]["break_even"] is None
    assert verify("diff", place).code == 0


@pytest.mark.parametrize("name", ["=1+1", "\x1b[31mred", "\u202egnp", "<b>x</b>", "a|b"])
def test_names_are_shown_as_text(tmp_path: Path, name: str) -> None:
    document = sample_report(NAME)
    document["savings"]["cache"]["provider"] = name
    document["savings"][name] = 1
    write(tmp_path / f"{name.replace('/', '_')}.json", document)
    for form in ("table", "json", "csv", "md"):
        for command in ("check", "recompute", "diff"):
            out = verify(command, tmp_path, "--format", form).out
            assert out
            assert "\x1b" not in out
            assert "\u202e" not in out
            if form == "md":
                assert "<b>" not in out


def test_the_schemas_are_held_to(tmp_path: Path) -> None:
    for path in (SAMPLE / "reports").iterdir():
        assert violations(loads(path.read_bytes()), "prompt2md/report") == []
    for path in (SAMPLE / "store").iterdir():
        assert violations(loads(path.read_bytes()), "prompt2md/store_entry") == []
    write(tmp_path / "x.json", {**stored("x"), "sourceId": "x"})
    found = violations(loads((tmp_path / "x.json").read_bytes()), "prompt2md/store_entry")
    assert [violation.where for violation in found] == ["/sourceId"]
