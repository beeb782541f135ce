"""`verify check`: sound, failed, and gone on with all the same."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from support.exports import record, write_export
from support.program import verify

from verify.schemata import violations

CALL = record("model_call", "d", "2026-06-01T00:00:00Z", model="m", outcome="ok")


def test_a_sound_export_says_how_far_it_is_vouched_for(tmp_path: Path) -> None:
    place = write_export(tmp_path, [CALL, record("heartbeat", "e", "2026-06-02T00:00:00Z")])
    run = verify("check", place, "--format", "json")
    assert run.code == 0
    assert violations(run.json, "outputs/check") == []
    assert run.json["sound"] is True
    assert run.json["export"]["trust"] == "unauthenticated"
    assert {row["key"]: row["records"] for row in run.json["types"]} == {
        "model_call": 1,
        "heartbeat": 1,
    }
    assert run.json["days"] == [
        {"key": "2026-06-01", "records": 1},
        {"key": "2026-06-02", "records": 1},
    ]
    assert run.json["unread"] == [{"what": "type", "key": "heartbeat", "records": 1}]
    for form in ("table", "csv", "md"):
        assert "heartbeat" in verify("check", place, "--format", form).out


def test_days_are_local_days(tmp_path: Path) -> None:
    line = record("model_call", "d", "2026-06-01T22:30:00Z", model="m", outcome="ok")
    place = write_export(tmp_path, [line], zone="Europe/Madrid")
    assert verify("check", place, "--format", "json").json["days"][0]["key"] == "2026-06-02"
    utc = verify("check", place, "--tz", "UTC", "--format", "json").json
    assert utc["days"][0]["key"] == "2026-06-01"


@pytest.mark.parametrize(
    "ts",
    [
        "0000-06-10T12:34:56.789Z",
        "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-00:01",
        "9999-12-31T23:59:59.999Z",
    ],
)
def test_instants_beyond_every_calendar_are_on_no_day(tmp_path: Path, ts: str) -> None:
    place = write_export(tmp_path, [CALL, record("heartbeat", "e", ts)])
    for asked in ((), ("--shape",), ("--deep",)):
        run = verify("check", place, "--format", "json", *asked)
        assert run.code == 0, run.err
        assert run.json["days"] == verify("check", place, "--format", "json").json["days"]
    assert sum(day["records"] for day in run.json["days"]) == 1


def test_a_pinned_manifest(tmp_path: Path) -> None:
    place = write_export(tmp_path, [CALL])
    pin = hashlib.sha256((place / "manifest.json").read_bytes()).hexdigest()
    run = verify("check", place, "--manifest-sha256", pin.upper(), "--format", "json")
    assert run.json["export"]["trust"] == "pinned"
    wrong = verify("check", place, "--manifest-sha256", "0" * 64)
    assert wrong.code == 3
    assert "manifest_pin" in wrong.err


def test_a_changed_byte_is_exit_3_and_no_figure(tmp_path: Path) -> None:
    place = write_export(tmp_path, [CALL])
    data = (place / "records.jsonl").read_bytes()
    (place / "records.jsonl").write_bytes(data.replace(b'"ok"', b'"OK"'))
    run = verify("check", place, "--format", "json")
    assert run.code == 3
    assert run.json["sound"] is False
    assert [problem["code"] for problem in run.json["problems"]] == ["file_digest"]
    assert violations(run.json, "outputs/check") == []
    figure = verify("recompute", place, "--period", "2026-06")
    assert (figure.code, figure.out) == (3, "")
    assert "file_digest" in figure.err


def test_unverified_is_said_in_every_output(tmp_path: Path) -> None:
    place = write_export(tmp_path, [CALL])
    (place / "records.jsonl").write_bytes(CALL + b"\n" + CALL + b"\n")
    for command in (("check",), ("recompute", "--period", "2026-06")):
        for form in ("table", "json", "csv", "md"):
            run = verify(command[0], place, *command[1:], "--unverified", "--format", form)
            assert run.code == 3
            assert "unverified" in run.out.lower()


def test_invalid_lines_are_all_listed(tmp_path: Path) -> None:
    place = write_export(tmp_path, [CALL, b"{", CALL, b'{"type":"model_call"}'] + [b"[]"] * 30)
    run = verify("check", place, "--format", "json")
    assert run.code == 3
    lines = [problem["line"] for problem in run.json["problems"]]
    assert lines == [2, *range(4, 35)]
    table = verify("check", place)
    assert table.code == 3
    assert table.err.count("[line_invalid]") == 20
    assert "and 12 more" in table.err


def test_skipping_invalid_lines_cannot_end_well(tmp_path: Path) -> None:
    place = write_export(tmp_path, [CALL, b"{"])
    run = verify("check", place, "--skip-invalid", "--format", "json")
    assert run.code == 4
    assert {f["code"] for f in run.json["findings"]} >= {"line_skipped"}
    recomputed = verify(
        "recompute", place, "--skip-invalid", "--lever", "caching", "--period", "2026-06"
    )
    assert recomputed.code == 4
    assert "left out" in recomputed.out


@pytest.mark.parametrize("name", ["=1+1", "\x1b[31mred", "\u202egnp", "<script>alert(1)</script>"])
def test_names_are_shown_as_text(tmp_path: Path, name: str) -> None:
    line = record("model_call", name, "2026-06-01T00:00:00Z", model=name, agent=name)
    place = write_export(tmp_path, [line], tenant=name)
    for form in ("table", "json", "csv", "md"):
        for command in ("check", "recompute"):
            out = verify(command, place, "--format", form).out
            assert "\x1b" not in out
            assert "\u202e" not in out
            if form == "csv":
                assert not any(cell.startswith("=") for cell in out.replace("\r\n", ",").split(","))
            if form == "md":
                assert "<script" not in out
