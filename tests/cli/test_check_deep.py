"""`verify check --deep`, `--shape` and `--fields`, as they are typed."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from support.exports import record, write_bytes, write_export
from support.program import Run, verify

from verify import systems
from verify.cli import closer
from verify.cli import progress as progress_module
from verify.cli.progress import Progress
from verify.schemata import violations
from verify.systems.base import Export
from verify.trust.strictjson import loads

SAMPLE = Path(__file__).resolve().parents[2] / "sample_exports" / "lighthouse"
AT = "2026-06-01T00:00:00Z"
CALL = record("model_call", "d", AT, model="m", outcome="ok", cache_read_tokens=7)
COMMA = b'{"type":"eval","attrs":{"a":1,}}'
TWICE = b'{"type":"eval","attrs":{"a":1,"a":2}}'
FORMS = ("table", "json", "csv", "md")


def checked(*arguments: object) -> Run:
    run = verify("check", *arguments)
    if "json" in arguments:
        assert violations(loads(run.out.encode()), "outputs/check") == []
    return run


def csv_rows(run: Run) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(run.out, newline=""), strict=True))


# --- deep --------------------------------------------------------------------------------------


def test_a_sound_export(tmp_path: Path) -> None:
    place = write_export(tmp_path, [CALL, record("eval", "d", AT, a=1)])
    run = checked(place, "--deep", "--format", "json")
    assert run.code == 0
    assert run.json["sound"] is True
    assert run.json["deep"]["rules"] == []
    assert run.json["not_checked"] == ["who made the manifest"]
    assert (
        "attributes that no lever reads" in checked(place, "--format", "json").json["not_checked"]
    )
    assert "every byte is by RFC 8259" in checked(place, "--deep").out
    for form in ("csv", "md"):
        assert checked(place, "--deep", "--format", form).code == 0


def test_what_the_ordinary_check_passes_over_is_exit_3(tmp_path: Path) -> None:
    place = write_export(tmp_path, [CALL, COMMA, CALL, TWICE])
    assert checked(place).code == 0
    run = checked(place, "--deep", "--format", "json")
    assert run.code == 3
    assert run.json["sound"] is False
    assert [(at["code"], at["line"]) for at in run.json["deep"]["problems"]] == [
        ("deep_not_rfc8259", 2),
        ("deep_duplicate_key", 4),
    ]
    codes = {finding["code"]: finding for finding in run.json["findings"]}
    assert codes["deep_not_rfc8259"]["examples"] == [2]
    assert codes["deep_duplicate_key"]["severity"] == "error"
    for form in FORMS:
        shown = checked(place, "--deep", "--format", form)
        assert shown.code == 3
        assert "trailing comma" in shown.out
        assert "records.jsonl, line 4" in shown.out
    assert checked(place, "--deep").out.startswith("NOT SOUND: the closer look found")


def test_the_table_shows_twenty_and_the_other_forms_all(tmp_path: Path) -> None:
    place = write_export(tmp_path, [COMMA] * 75)
    run = checked(place, "--deep")
    assert run.out.count("[deep_not_rfc8259]") == 20 + 1  # and the finding
    assert "75  a trailing comma (lines 1, 2, 3, 4, 5 …)" in run.out
    assert "and 55 more; --format json lists all" in run.out
    assert len(checked(place, "--deep", "--format", "json").json["deep"]["problems"]) == 75
    rows = csv_rows(checked(place, "--deep", "--format", "csv"))
    assert len({row["row"] for row in rows if row["section"] == "deep_problems"}) == 75
    assert checked(place, "--deep", "--format", "md").out.count("records.jsonl, line") == 20


def test_an_export_that_fails_already_is_looked_at_all_the_same(tmp_path: Path) -> None:
    broken = (
        b'{"type":"model_call","deployment":"d","ts":"never","attrs":{"model":"m","x":1,"x":1}}'
    )
    place = write_export(tmp_path, [CALL, broken, COMMA, b"{"])
    run = checked(place, "--deep", "--shape", "--format", "json")
    assert run.code == 3
    assert [(p["code"], p["line"]) for p in run.json["problems"]] == [
        ("line_invalid", 2),
        ("line_invalid", 3),
        ("line_invalid", 4),
    ]
    assert [(p["code"], p["line"]) for p in run.json["deep"]["problems"]] == [
        ("deep_duplicate_key", 2),
        ("deep_schema", 2),
        ("deep_not_rfc8259", 3),
        ("deep_not_rfc8259", 4),
    ]
    assert run.json["shape"]["unreadable_lines"] == 2
    for form in ("table", "csv", "md"):
        shown = checked(place, "--deep", "--format", form)
        assert shown.code == 3
        assert "[line_invalid]" in shown.err
        assert "NOT SOUND" in shown.out
        assert "RFC 3339" in shown.out
    assert checked(place, "--format", "table").out == ""


def test_a_changed_file_is_looked_at_and_still_exit_3(tmp_path: Path) -> None:
    place = write_export(tmp_path, [CALL])
    (place / "records.jsonl").write_bytes(CALL + b"\n" + TWICE + b"\n")
    run = checked(place, "--deep", "--format", "json")
    assert run.code == 3
    assert {problem["code"] for problem in run.json["problems"]} == {"file_size"}
    assert [at["line"] for at in run.json["deep"]["problems"]] == [2]
    table = checked(place, "--deep")
    assert "UNVERIFIED" in table.out
    gone_on = checked(place, "--deep", "--unverified")
    assert gone_on.code == 3
    assert "twice in one object" in gone_on.out


def test_what_cannot_be_read_at_all_is_said_beside_the_problems(tmp_path: Path) -> None:
    place = write_bytes(tmp_path, {"records.jsonl.gz": b"\x1f\x8b\x08\x00cut"})
    (place / "records.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00")
    run = checked(place, "--deep", "--format", "json")
    assert run.code == 3
    assert "deep" not in run.json
    assert "decompress" in run.err
    assert "integrity check" in run.err


def test_a_file_changed_between_the_readings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = write_export(tmp_path, [CALL])
    ordinary = closer.look_closer

    def exchanged(*arguments: Any, **named: Any) -> closer.Looked:
        (place / "records.jsonl").write_bytes(CALL.replace(b"7", b"8") + b"\n")
        return ordinary(*arguments, **named)

    monkeypatch.setattr(closer, "look_closer", exchanged)
    run = checked(place, "--deep", "--format", "json")
    assert run.code == 3
    assert [problem["code"] for problem in run.json["problems"]] == ["file_digest"]


def test_skipping_invalid_lines_does_not_help(tmp_path: Path) -> None:
    place = write_export(tmp_path, [CALL, b"{"])
    assert checked(place, "--skip-invalid").code == 4
    run = checked(place, "--skip-invalid", "--deep", "--format", "json")
    assert run.code == 3
    assert {f["code"] for f in run.json["findings"]} >= {"line_skipped", "deep_not_rfc8259"}


def test_without_the_validator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = write_export(tmp_path, [CALL])
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    run = checked(place, "--deep")
    assert (run.code, run.out) == (2, "")
    assert "pip install 'verify-savings[deep]'" in run.err
    assert checked(place, "--shape").code == 0


def test_a_system_without_closer_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems, "find_spec", lambda _: None)
    for option in ("--deep", "--shape"):
        run = checked(SAMPLE, option)
        assert run.code == 2
        assert f"{option} does not apply to LightHouse" in run.err


# --- shape -------------------------------------------------------------------------------------


def test_the_shape_in_every_form(tmp_path: Path) -> None:
    line = record("model_call", "d", AT, model="m", cacheReadTokens=12, note="four words of text")
    place = write_export(tmp_path, [line, CALL, record("eval", "d", AT, score=0.25)])
    for form in FORMS:
        run = checked(place, "--shape", "--format", form)
        assert run.code == 0
        for words in ("cacheReadTokens", "number with 2 decimals", "timestamp with Z"):
            assert words in run.out
        assert "four words" not in run.out
    page = checked(place, "--shape").out
    assert re.search(r"attrs.cacheReadTokens +UNKNOWN; in 1 of 2; integer of 2 digits\n", page)
    assert re.search(r"attrs.pack +stated, NEVER SEEN\n", page)
    assert "── eval  1 record  no lever reads it ─" in page
    assert "── cost  0 records ─" in page
    rows = csv_rows(checked(place, "--shape", "--format", "csv"))
    found = [(row["key"], row["measure"], row["value"]) for row in rows]
    assert ("attrs.cacheReadTokens", "contract", "unknown") in found
    assert ("attrs.score", "forms", "number with 2 decimals (1)") in found


def test_the_shape_suggests_a_file_that_works(tmp_path: Path) -> None:
    lines = [
        record("model_call", "d", AT, modelName=f"m{at}", cacheReadTokens=at) for at in range(5)
    ]
    place = write_export(tmp_path / "export", lines)
    first = checked(place, "--shape")
    assert first.code == 3  # model is required
    page = first.out
    names = tmp_path / "fields.toml"
    names.write_text(page[page.index("[attrs]") :].split("\n\n")[0])
    assert names.read_text() == '[attrs]\ncache_read_tokens = "cacheReadTokens"'
    with names.open("a") as handle:
        handle.write('\nmodel = "modelName"\n')
    again = checked(place, "--shape", "--deep", "--fields", names, "--format", "json")
    assert again.code == 0
    assert again.json["fields"] == {"cache_read_tokens": "cacheReadTokens", "model": "modelName"}
    assert again.json["shape"]["suggested_fields"] == {}


@pytest.mark.parametrize("name", ["=1+1", "\x1b[31mred", "\u202egnp", "<script>alert(1)</script>"])
def test_hostile_names_of_fields_and_types(tmp_path: Path, name: str) -> None:
    lines = [record(name, "d", AT, **{name: {name: 1}}), record("cost", "d", AT, **{name: 1})]
    lines.append(f'{{"type":"eval",{json.dumps(name)}:1,{json.dumps(name)}:2}}'.encode())
    place = write_export(tmp_path, lines)
    for form in FORMS:
        out = checked(place, "--shape", "--deep", "--format", form).out
        assert "\x1b" not in out
        assert "\u202e" not in out
        if form == "csv":
            assert not any(
                cell.startswith("=") for row in csv.reader(io.StringIO(out)) for cell in row
            )
        if form == "md":
            assert "<script" not in out


# --- fields ------------------------------------------------------------------------------------


def renamed_sample(place: Path, names: dict[str, str]) -> Path:
    """The sample with attributes of other names, and a manifest that fits."""
    lines = []
    for raw in (SAMPLE / "records.jsonl").read_text("utf-8").split("\n"):
        document = json.loads(raw) if raw else {}
        if isinstance(document.get("attrs"), dict):
            for name, own in names.items():
                if name in document["attrs"]:
                    raw = raw.replace(f'"{name}":', f"{json.dumps(own)}:", 1)
        lines.append(raw.encode())
    return write_export(place, lines, zone="Europe/Madrid")


def test_figures_of_renamed_fields_are_the_same(tmp_path: Path) -> None:
    names = {
        "cache_read_tokens": "cacheReadTokens",
        "input_tokens": 'in "put"\u202e',
        "corpus_tokens_in_scope": "CorpusTokens",
        "agent": "Agent'; --",
        "candidates": "options",
        "always_on_usd_per_hour": "rate",
    }
    (tmp_path / "fields.toml").write_text(
        "[attrs]\n" + "".join(f"{name} = {json.dumps(own)}\n" for name, own in names.items())
    )
    place = renamed_sample(tmp_path / "export", names)
    period = ("--period", "2026-10", "--tz", "Europe/Madrid", "--by", "agent", "--format", "json")
    ordinary = verify("recompute", SAMPLE, *period)
    renamed = verify("recompute", place, *period, "--fields", tmp_path / "fields.toml")
    assert renamed.code == ordinary.code
    assert renamed.json["fields"] == names
    assert renamed.json["levers"] == ordinary.json["levers"]
    assert verify("recompute", place, *period).json["levers"] != ordinary.json["levers"]
    told = ("--figures", SAMPLE / "api", "--fields", tmp_path / "fields.toml", "--format", "json")
    for command, schema in (("diff", "outputs/diff"), ("explain", "outputs/explain")):
        run = verify(command, place, *told)
        assert run.json["fields"] == names
        assert run.json["verdict"] == "agrees"
        assert violations(run.json, schema) == []


def test_the_strict_reader_honours_the_names(tmp_path: Path) -> None:
    lines = [
        record("model_call", "d", AT, name="m", read="7"),
        record("model_call", "d", AT, name="m", read=7.0, cache_read_tokens="any"),
    ]
    place = write_export(tmp_path / "export", lines)
    (tmp_path / "f.toml").write_text('[attrs]\nmodel = "name"\ncache_read_tokens = "read"\n')
    run = checked(place, "--fields", tmp_path / "f.toml", "--format", "json")
    assert [(at["line"], at["message"]) for at in run.json["problems"]] == [
        (1, "attrs.read: expected an integer, found a string")
    ]
    assert run.json["fields"] == {"model": "name", "cache_read_tokens": "read"}


@pytest.mark.parametrize(
    ("command", "form"),
    [
        (command, form)
        for command in ("check", "recompute", "diff")
        for form in FORMS
        if (command, form) != ("diff", "json")
    ],
)
def test_every_output_says_so(tmp_path: Path, command: str, form: str) -> None:
    names = tmp_path / "fields.toml"
    names.write_text('[attrs]\noutput_tokens = "out_tokens"\n')
    arguments = ("--figures", SAMPLE / "api") if command == "diff" else ()
    run = verify(command, SAMPLE, *arguments, "--fields", names, "--format", form)
    assert run.code in (0, 1)
    assert "out_tokens" in run.out.replace("\\", "")


BAD = [
    ("[attrs", "is not TOML"),
    ("", "it has no table [attrs]"),
    ("[attrs]", "it has no table [attrs]"),
    ("attrs = 5", "it has no table [attrs]"),
    ("model = 'm'", "there is no table or key 'model'"),
    ("[attrs]\nmodel='m'\n[top]\ntype='t'", "there is no table or key 'top'"),
    ("[attrs]\nmodle = 'm'", "attrs.modle: the contract has no attribute of that name"),
    ("[attrs]\nmodel = 5", "attrs.model: expected a name in quotes"),
    ("[attrs]\nmodel = ''", "attrs.model: expected a name in quotes"),
    ("[attrs]\nmodel = ['m']", "attrs.model: expected a name in quotes"),
    ("[attrs]\nmodel = 'verify:line'", "attrs.model: names that begin with verify:"),
    ("[attrs]\nmodel = 'm'\nmodel = 'n'", "model stands twice"),
    ("[attrs]\nmodel = 'm'\npack = 'm'", "would both be read from 'm'"),
    ("[attrs]\nmodel = 'pack'", "model and pack of model_call would both be read from 'pack'"),
    ("[attrs]\nprice.input_per_m = 'in'", "attrs.price: names inside price, limits, candidates"),
    ("[attrs]\n'limits.context_tokens' = 'in'", "attrs.limits.context_tokens: names inside"),
    ("[attrs.candidates]\nmodel = 'in'", "attrs.candidates: names inside"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[text for text, _ in BAD])
def test_a_file_that_does_not_fit(tmp_path: Path, text: str, message: str) -> None:
    names = tmp_path / "fields.toml"
    names.write_text(text)
    run = checked(SAMPLE, "--fields", names)
    assert (run.code, run.out) == (2, "")
    assert str(names) in run.err
    assert message in run.err


def test_names_that_clash_in_no_type_are_allowed(tmp_path: Path) -> None:
    names = tmp_path / "fields.toml"
    names.write_text('\ufeff[attrs]\npicked = "model"\nprofile = "kind"\n', "utf-8")
    assert checked(SAMPLE, "--fields", names).code == 0


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    run = checked(SAMPLE, "--fields", tmp_path / "none.toml")
    assert run.code == 2
    assert "none.toml: no such file" in run.err
    (tmp_path / "latin.toml").write_bytes(b"[attrs]\nmodel = '\xe9'\n")
    assert "not UTF-8" in checked(SAMPLE, "--fields", tmp_path / "latin.toml").err


def test_a_system_whose_fields_have_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fields.toml").write_text('[attrs]\nmodel = "m"\n')
    monkeypatch.setattr(systems, "find_spec", lambda _: None)
    run = checked(SAMPLE, "--fields", tmp_path / "fields.toml")
    assert run.code == 2
    assert "--fields does not apply" in run.err


# --- progress ----------------------------------------------------------------------------------


class Terminal(StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def told(monkeypatch: pytest.MonkeyPatch, stream: StringIO, *, quiet: bool = False) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress_module, "PATIENCE", 0.05)
    monkeypatch.setenv("TERM", "xterm")
    with Progress("check --deep", quiet=quiet) as progress:
        progress(1, 200)
        time.sleep(0.06)
        progress(50, 200)
        progress(60, 200)
        time.sleep(0.11)
        progress(200, 200)
    return stream.getvalue()


def test_progress_is_shown_after_a_while_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    text = told(monkeypatch, Terminal())
    shown = [part.strip() for part in text.split("\r") if part.strip()]
    assert [text.partition(",")[0] for text in shown] == [
        "verify: check --deep  25 %",
        "verify: check --deep 100 %",
    ]
    assert re.fullmatch(r"verify: check --deep  25 %, [0-9]+ MB/s, 1 s left", shown[0])
    assert text.endswith(" \r")


def test_what_is_read_adds_up_and_a_size_that_nobody_knows_has_no_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress_module, "PATIENCE", 0.0)
    monkeypatch.setattr(progress_module, "_INTERVAL", 0.0)
    for total, expected in ((4 << 20, ["25 %", "75 %"]), (None, ["1 MB", "3 MB"])):
        stream = Terminal()
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        with Progress("reading", quiet=False, total=total) as progress:
            progress.add(1 << 20)
            progress.add(2 << 20)
        parts = [part.strip() for part in stream.getvalue().split("\r") if part.strip()]
        assert [
            part.partition("reading")[2].partition(",")[0].strip() for part in parts
        ] == expected
        assert all("MB/s" in part for part in parts)
        assert all(("left" in part) == (total is not None) for part in parts)


def test_no_progress_where_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, StringIO()) == ""
    assert told(monkeypatch, Terminal(), quiet=True) == ""
    quick = Terminal()
    monkeypatch.setattr(sys, "stderr", quick)
    with Progress("quick", quiet=False) as progress:
        progress(0, 0)
    assert quick.getvalue() == ""


def test_the_looks_are_told_how_far_they_are() -> None:
    told: list[tuple[object, int, int]] = []

    class Looking:
        COVERS: tuple[str, ...] = ("this",)

        def require(self) -> None: ...

        def look(self, export: Export, fields: Any, progress: Any = None) -> Any:
            progress(1, 2)
            told.append((export, 1, 2))
            return {"found": len(fields)}, ()

    export: Any = object()
    found = closer.look_closer({"deep": Looking()}, export, {"a": "b"}, quiet=True)
    assert (found.document, found.covers, told) == (
        {"deep": {"found": 1}},
        ("this",),
        [(export, 1, 2)],
    )
