"""Bad exports through the command line: for each the exit code, and what the matter is called.

The rules behind them are tested one by one elsewhere; here stands what a user meets. Archives have
a table of their own (`support/bad_archives.py`).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.exports import FORMAT, record, write_bytes
from support.program import verify

CALL = record("model_call", "d", "2026-06-01T00:00:00Z", model="m", outcome="ok", input_tokens=7)
SEARCH = record(
    "retrieval", "d", "2026-06-01T00:00:00Z", corpus_tokens_in_scope=9, context_tokens_sent=1
)
GOOD = {"records.jsonl": CALL + b"\n" + SEARCH + b"\n"}


@dataclass(frozen=True)
class Bad:
    """How to make an export, and what the command line has to say of it."""

    make: Callable[[Path], object]
    exit: int
    code: str | None
    line: int | None = None


def listed(**more: Any) -> dict[str, Any]:
    """The entry of the sound file of records."""
    data = GOOD["records.jsonl"]
    return {
        "path": "records.jsonl",
        "sha256": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        **more,
    }


def with_manifest(*entries: dict[str, Any], code: str, **top: Any) -> Bad:
    """The sound records under another manifest."""

    def make(place: Path) -> None:
        write_bytes(place, GOOD)
        document = {"format": FORMAT, "time_zone": "UTC", "files": list(entries), **top}
        (place / "manifest.json").write_text(json.dumps(document), "utf-8")

    return Bad(make, 3, code)


def manifest_of(data: bytes, code: str = "manifest_unreadable") -> Bad:
    """The sound records beside these bytes as manifest."""

    def make(place: Path) -> None:
        write_bytes(place, GOOD)
        (place / "manifest.json").write_bytes(data)

    return Bad(make, 3, code)


def afterwards(change: Callable[[Path], object], code: str, status: int = 3) -> Bad:
    """A sound export to which something happens."""

    def make(place: Path) -> None:
        write_bytes(place, GOOD)
        change(place)

    return Bad(make, status, code)


def bytes_changed(change: Callable[[bytes], bytes], code: str = "file_digest") -> Bad:
    """A sound export whose records are not the ones its manifest names."""

    def write(place: Path) -> None:
        path = place / "records.jsonl"
        path.write_bytes(change(path.read_bytes()))

    return afterwards(write, code)


def line(bad: bytes, at: int = 2) -> Bad:
    """Two sound lines around a bad one, under a manifest that fits."""
    lines = [CALL, SEARCH]
    lines.insert(at - 1, bad)
    files = {"records.jsonl": b"".join(each + b"\n" for each in lines)}
    return Bad(lambda place: write_bytes(place, files), 3, "line_invalid", at)


def attrs(text: bytes, kind: bytes = b"model_call") -> Bad:
    """A line of these attributes."""
    return line(
        b'{"type":"%s","deployment":"d","ts":"2026-06-01T00:00:00Z","attrs":{%s}}' % (kind, text)
    )


def at(ts: str) -> Bad:
    """A line of this timestamp."""
    return line(CALL.replace(b"2026-06-01T00:00:00Z", ts.encode()))


def files_of(
    files: dict[str, bytes], status: int, code: str | None, line: int | None = None
) -> Bad:
    """These files under a manifest that fits."""
    return Bad(lambda place: write_bytes(place, files), status, code, line)


def _replaced_by_link(place: Path) -> None:
    os.rename(place / "records.jsonl", place / "elsewhere")
    os.symlink("elsewhere", place / "records.jsonl")


def _made_a_pipe(place: Path) -> None:
    (place / "records.jsonl").unlink()
    os.mkfifo(place / "records.jsonl")


def _made_a_directory(place: Path) -> None:
    (place / "records.jsonl").unlink()
    (place / "records.jsonl").mkdir()


def _extra(name: str) -> Callable[[Path], object]:
    return lambda place: (place / name).write_bytes(CALL + b"\n")


MISSING = {"path": "more.jsonl", "sha256": "0" * 64}
DEEP = b"[" * 100_000 + b"]" * 100_000
WIDE = b",".join(b'"k%d":1' % number for number in range(200_000))

BAD: dict[str, Bad] = {
    # the manifest
    "no manifest": afterwards(lambda place: (place / "manifest.json").unlink(), "manifest_missing"),
    "an empty manifest": manifest_of(b""),
    "a manifest cut short": manifest_of(b'{"format":"lighthouse-export/1","files":['),
    "a manifest that is not UTF-8": manifest_of(b'{"format":"\xff"}'),
    "a manifest that is an array": manifest_of(b"[]"),
    "a manifest nested without end": manifest_of(DEEP),
    "a manifest with a key twice": manifest_of(
        b'{"format":"lighthouse-export/1","files":[],"files":[]}'
    ),
    "a manifest of another format": with_manifest(
        listed(), format="lighthouse-export/9", code="manifest_unreadable"
    ),
    "a manifest that lists nothing": with_manifest(code="manifest_empty"),
    "a digest cut short": with_manifest(listed(sha256="abc"), code="manifest_digest_malformed"),
    "a digest of another kind": with_manifest(
        listed(sha256="sha512:" + "0" * 64), code="manifest_digest_malformed"
    ),
    "another digest": with_manifest(listed(sha256="0" * 64), code="file_digest"),
    "another size": with_manifest(listed(bytes=1), code="file_size"),
    "another number of records": with_manifest(listed(records=3), code="file_records"),
    "a file that is not there": with_manifest(listed(), MISSING, code="file_missing"),
    "a file listed twice": with_manifest(listed(), listed(), code="manifest_duplicate"),
    "a file listed twice, in capitals": with_manifest(
        listed(), listed(path="RECORDS.JSONL"), code="manifest_duplicate"
    ),
    "a path to the parent": with_manifest(
        listed(), {**MISSING, "path": "../more.jsonl"}, code="manifest_path_unsafe"
    ),
    "an absolute path": with_manifest(
        listed(), {**MISSING, "path": "/etc/passwd"}, code="manifest_path_unsafe"
    ),
    "a remote path": with_manifest(
        listed(), {**MISSING, "path": "s3://b/more.jsonl"}, code="manifest_path_unsafe"
    ),
    "an empty path": with_manifest(listed(), {**MISSING, "path": ""}, code="manifest_path_unsafe"),
    "two manifests that disagree": afterwards(
        lambda place: (place / "SHA256SUMS").write_text(f"{'0' * 64}  records.jsonl\n"),
        "manifest_conflict",
    ),
    # the files
    "a listed file gone": afterwards(
        lambda place: (place / "records.jsonl").unlink(), "file_missing"
    ),
    "a link in place of a file": afterwards(_replaced_by_link, "file_not_regular"),
    "a pipe in place of a file": afterwards(_made_a_pipe, "file_not_regular"),
    "a folder in place of a file": afterwards(_made_a_directory, "file_missing"),
    "a byte changed": bytes_changed(lambda data: data.replace(b'"ok"', b'"OK"')),
    "a line deleted": bytes_changed(lambda data: data.split(b"\n", 1)[1], "file_size"),
    "a line repeated": bytes_changed(lambda data: data + data, "file_size"),
    "two lines swapped": bytes_changed(lambda _data: SEARCH + b"\n" + CALL + b"\n"),
    "cut by its last newline": bytes_changed(lambda data: data[:-1], "file_size"),
    "emptied": bytes_changed(lambda _data: b"", "file_size"),
    "records that are not listed": afterwards(_extra("more.jsonl"), "file_unlisted"),
    "packed records that are not listed": afterwards(_extra("more.jsonl.gz"), "file_unlisted"),
    "packed records in capitals": afterwards(_extra("MORE.JSONL.ZST"), "file_unlisted"),
    "packed records cut short": files_of(
        {"records.jsonl.gz": gzip.compress(GOOD["records.jsonl"] * 50)[:-9]}, 2, None
    ),
    "packed records that are not packed": files_of(
        {"records.jsonl.zst": GOOD["records.jsonl"]}, 2, None
    ),
    # the lines
    "not JSON": line(b"oops"),
    "half a line": line(CALL[: len(CALL) // 2]),
    "two objects on a line": line(CALL + CALL),
    "a line that is an array": line(b"[1]"),
    "a line that is not UTF-8": line(CALL.replace(b'"m"', b'"\xff"')),
    "a line in UTF-16": line(CALL.decode().encode("utf-16")),
    "half a surrogate pair": line(CALL.replace(b'"m"', b'"\\ud800"')),
    "a NUL between lines": line(b"\0"),
    "a comment": line(b"// a note"),
    "a type twice": line(CALL.replace(b'{"type"', b'{"type":"x","type"')),
    "a used key twice": attrs(b'"model":"m","input_tokens":1,"input_tokens":2'),
    "a price twice": attrs(b'"model":"m","price":{"input_per_m":1,"input_per_m":2}', b"models"),
    "a cost twice": attrs(
        b'"candidates":[{"model":"m","cost_usd":1,"cost_usd":2}]', b"routing_decision"
    ),
    "a count of 1.5": attrs(b'"model":"m","input_tokens":1.5'),
    "a count in a string": attrs(b'"model":"m","input_tokens":"7"'),
    "a count that is true": attrs(b'"model":"m","input_tokens":true'),
    "a count beyond 64 bits": attrs(b'"model":"m","input_tokens":9223372036854775808'),
    "a count of NaN": attrs(b'"model":"m","input_tokens":NaN'),
    "an endless rate": attrs(b'"sample_rate":1e999', b"retrieval"),
    "a price of infinity": attrs(b'"model":"m","price":{"input_per_m":Infinity}', b"models"),
    "a price of nineteen decimals": attrs(
        b'"model":"m","price":{"input_per_m":0.1234567890123456789}', b"models"
    ),
    "a price in a string": attrs(b'"model":"m","price":{"input_per_m":"3"}', b"models"),
    "a cost in a string": attrs(b'"kind":"infrastructure","usd":"1"', b"cost"),
    "a call without a model": attrs(b'"outcome":"ok"'),
    "a call without attributes": line(
        b'{"type":"model_call","deployment":"d","ts":"2026-06-01T00:00:00Z"}'
    ),
    "a call without a deployment": line(CALL.replace(b'"deployment": "d", ', b"")),
    "a call without a type": line(CALL.replace(b'"type": "model_call", ', b"")),
    "a model that is a number": attrs(b'"model":5'),
    "a leap second": at("2026-06-30T23:59:60Z"),
    "24 o'clock": at("2026-06-30T24:00:00Z"),
    "the 31st of June": at("2026-06-31T00:00:00Z"),
    "an offset of 25 hours": at("2026-06-01T00:00:00+25:00"),
    "a timestamp in seconds": line(CALL.replace(b'"2026-06-01T00:00:00Z"', b"1780272000")),
    "a date alone": at("2026-06-01"),
    # the limits
    "a line of 17 MiB": line(CALL.replace(b'"m"', b'"' + b"m" * (17 << 20) + b'"')),
    "nesting of 100,000 in what no lever reads": files_of(
        {"records.jsonl": CALL[:-2] + b',"x":' + DEEP + b"}}\n"}, 0, None
    ),
    "200,000 keys, one of them twice": attrs(b'"model":"m","model":"n",' + WIDE),
    "no byte at all": files_of({"records.jsonl": b""}, 0, None),
    "one line without a newline": files_of({"records.jsonl": CALL}, 0, None),
    "200,000 keys": files_of({"records.jsonl": CALL[:-2] + b"," + WIDE + b"}}\n"}, 0, None),
}


def test_the_table_is_as_long_as_it_should_be() -> None:
    assert len(BAD) >= 60


@pytest.mark.parametrize("name", BAD)
def test_a_bad_export_is_named(name: str, tmp_path: Path) -> None:
    bad = BAD[name]
    place = tmp_path / "export"
    bad.make(place)
    run = verify("check", place, "--format", "json", "--no-cache", "--quiet")
    assert "Traceback" not in run.err
    assert run.code == bad.exit, run.err
    if bad.exit == 0:
        assert run.json["sound"] is True
    elif bad.exit == 2:
        assert run.out == ""
        assert "records.jsonl" in run.err
    else:
        assert run.json["sound"] is False
        assert bad.code in {problem["code"] for problem in run.json["problems"]}
        if bad.line is not None:
            assert [problem["line"] for problem in run.json["problems"]] == [bad.line]


@pytest.mark.parametrize("name", [name for name, bad in BAD.items() if bad.exit == 3][::4])
def test_a_bad_export_gives_no_figure(name: str, tmp_path: Path) -> None:
    place = tmp_path / "export"
    BAD[name].make(place)
    for command in ("recompute", "diff"):
        more = ("--figures", place / "none") if command == "diff" else ()
        run = verify(command, place, "--period", "2026-06", "--no-cache", *more)
        assert (run.code, run.out) == (2 if more else 3, "")
        assert "Traceback" not in run.err
