"""The manifest's rules: each way to break one has a name, and a code that it must be given."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.errors import UnreadableInput
from verify.findings import KINDS
from verify.trust import manifest as manifest_module
from verify.trust.manifest import NAMES, Reading, read_manifest, unsafe_path
from verify.trust.source import DirectorySource, Entry

DATA = b'{"type":"heartbeat"}\n'
SHA = hashlib.sha256(DATA).hexdigest()
OTHER = hashlib.sha256(b"other").hexdigest()
FORM = '"format":"lighthouse-export/1",'


def entry(path: Any = "records.jsonl", sha256: Any = SHA, **more: Any) -> dict[str, Any]:
    return {"path": path, "sha256": sha256, **more}


def full(*files: Any, **more: Any) -> bytes:
    """A manifest.json that lists these."""
    return json.dumps({"format": "lighthouse-export/1", "files": list(files), **more}).encode()


def listing(*paths: str, sha256: str = SHA) -> bytes:
    """A SHA256SUMS that lists these."""
    return "".join(f"{sha256}  {path}\n" for path in paths).encode()


@dataclass(frozen=True)
class Case:
    """An export: its manifests, its files, what else to do to it, and the codes it must be given,
    sorted: problems, then warnings."""

    manifests: dict[str, bytes]
    problems: tuple[str, ...] = ()
    files: tuple[str, ...] = ("records.jsonl",)
    warnings: tuple[str, ...] = ()
    pin: str | None = None
    arrange: Callable[[Path], object] = field(default=lambda _place: None)


def one(data: bytes, *problems: str, **more: Any) -> Case:
    return Case({"manifest.json": data}, problems, **more)


def sums(data: bytes, *problems: str, **more: Any) -> Case:
    return Case({"SHA256SUMS": data}, problems, **more)


def unsafe(path: str) -> Case:
    return one(full(entry(), entry(path)), "manifest_path_unsafe")


def move_behind_link(place: Path) -> None:
    outside = place.parent / f"{place.name}-outside"
    (place / "in").rename(outside)
    (place / "in").symlink_to(outside, target_is_directory=True)


def replace(name: str, make: Callable[[Path], object]) -> Callable[[Path], None]:
    def arrange(place: Path) -> None:
        (place / name).unlink()
        make(place / name)

    return arrange


def listen(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(path.parent)  # the path of a socket must be short
        try:
            server.bind(path.name)
        finally:
            os.chdir(here)


def link_elsewhere(path: Path) -> None:
    target = path.with_name("target")
    target.write_bytes(DATA)
    path.symlink_to(target)


BOTH = {"manifest.json": full(entry()), "SHA256SUMS": listing("records.jsonl")}
PIN = hashlib.sha256(full(entry())).hexdigest()
LONGEST = "".join(chr(0x61 + at % 26) for at in range(250))

CASES = {
    # sound
    "manifest.json": one(full(entry())),
    "manifest.json with size and count": one(full(entry(bytes=len(DATA), records=1))),
    "manifest.json, byte-order mark": one(b"\xef\xbb\xbf" + full(entry())),
    "short form": one(json.dumps({"files": {"records.jsonl": SHA}}).encode()),
    "short form that names its format": one(
        b'{%s"files":{"records.jsonl":"%s"}}' % (FORM.encode(), SHA.encode())
    ),
    "SHA256SUMS": sums(listing("records.jsonl")),
    "manifest-sha256.txt": Case({"manifest-sha256.txt": listing("records.jsonl")}),
    "SHA256SUMS, binary mark": sums(f"{SHA} *records.jsonl\n".encode()),
    "SHA256SUMS, ./ in front": sums(listing("./records.jsonl")),
    "SHA256SUMS, CR LF and blank lines": sums(f"\r\n{SHA}  records.jsonl\r\n\r\n".encode()),
    "SHA256SUMS, no newline at its end": sums(listing("records.jsonl")[:-1]),
    "SHA256SUMS, byte-order mark": sums(b"\xef\xbb\xbf" + listing("records.jsonl")),
    "digest in capitals": one(full(entry(sha256=SHA.upper()))),
    "three manifests that agree": Case({**BOTH, "manifest-sha256.txt": listing("records.jsonl")}),
    "a list that vouches for the manifest": Case(
        {
            "manifest.json": full(entry()),
            "SHA256SUMS": listing("records.jsonl") + f"{PIN}  manifest.json\n".encode(),
        }
    ),
    "a pin that fits": one(full(entry()), pin=PIN),
    "a pin in capitals": one(full(entry()), pin=PIN.upper()),
    "names with brackets, stars, quotes and spaces": one(
        full(*(entry(name) for name in ("r[1].jsonl", "r*.jsonl", "r?.jsonl", 'it\'s "r".jsonl'))),
        files=("r[1].jsonl", "r*.jsonl", "r?.jsonl", 'it\'s "r".jsonl'),
    ),
    "names of other letters": one(
        full(entry("größe ☕.jsonl"), entry("записи.jsonl")),
        files=("größe ☕.jsonl", "записи.jsonl"),
    ),
    "a file in a folder": one(full(entry("a/b/records.jsonl")), files=("a/b/records.jsonl",)),
    "a file beside that nobody reads": one(
        full(entry()), files=("records.jsonl", "README.md"), warnings=("file_unread",)
    ),
    "a link beside that nobody reads": one(
        full(entry()),
        warnings=("file_unread",),
        arrange=lambda place: (place / "latest").symlink_to("records.jsonl"),
    ),
    "a second hard link": one(
        full(entry()),
        warnings=("file_linked",),
        arrange=lambda place: os.link(place / "records.jsonl", place.parent / f"{place.name}-ln"),
    ),
    # 1. there is one, it can be read, it lists something
    "no manifest": Case({}, ("manifest_missing",)),
    "a manifest in a folder": Case({"in/manifest.json": full(entry())}, ("manifest_missing",)),
    "a manifest in capitals": Case({"MANIFEST.JSON": full(entry())}, ("manifest_missing",)),
    "an empty file": one(b"", "manifest_unreadable"),
    "not JSON": one(b"SHA256", "manifest_unreadable"),
    "cut short": one(full(entry())[:-1], "manifest_unreadable"),
    "two documents": one(full(entry()) * 2, "manifest_unreadable"),
    "not UTF-8": one(full(entry(tenant="#")).replace(b"#", b"\xff"), "manifest_unreadable"),
    "a trailing comma": one(full(entry()).replace(b"}]", b"},]"), "manifest_unreadable"),
    "an array": one(b"[]", "manifest_unreadable"),
    "a string": one(b'"records.jsonl"', "manifest_unreadable"),
    "null": one(b"null", "manifest_unreadable"),
    "NaN in it": one(full(entry(bytes=float("nan"))), "manifest_unreadable"),
    "a key twice": one(
        b'{%s"files":[{"path":"records.jsonl","sha256":"%s","sha256":"%s"}]}'
        % (FORM.encode(), OTHER.encode(), SHA.encode()),
        "manifest_unreadable",
    ),
    "files twice": one(
        b'{%s"files":[],"files":{"records.jsonl":"%s"}}' % (FORM.encode(), SHA.encode()),
        "manifest_unreadable",
    ),
    "a path twice in the short form": one(
        b'{"files":{"records.jsonl":"%s","records.jsonl":"%s"}}' % (OTHER.encode(), SHA.encode()),
        "manifest_unreadable",
    ),
    "half a surrogate pair": one(full(entry(), entry("\ud83d.txt")), "manifest_unreadable"),
    "nested 100,000 deep": one(b"[" * 100_000 + b"]" * 100_000, "manifest_unreadable"),
    "no files": one(b'{"format":"lighthouse-export/1"}', "manifest_unreadable"),
    "files a string": one(b'{%s"files":"records.jsonl"}' % FORM.encode(), "manifest_unreadable"),
    "a format of tomorrow": one(
        full(entry()).replace(b"export/1", b"export/2"), "manifest_unreadable"
    ),
    "a short form of tomorrow": one(
        b'{"format":"lighthouse-export/2","files":{"records.jsonl":"%s"}}' % SHA.encode(),
        "manifest_unreadable",
    ),
    "no format": one(json.dumps({"files": [entry()]}).encode(), "manifest_unreadable"),
    "an entry of null": one(full(entry(), None), "manifest_unreadable"),
    "an entry that is a path": one(full(entry(), "more.jsonl"), "manifest_unreadable"),
    "an entry without a path": one(full(entry(), {"sha256": SHA}), "manifest_unreadable"),
    "a path that is a number": one(full(entry(), entry(5)), "manifest_unreadable"),
    "bytes of half": one(full(entry(bytes=0.5)), "file_unlisted", "manifest_unreadable"),
    "bytes below nothing": one(full(entry(bytes=-1)), "file_unlisted", "manifest_unreadable"),
    "bytes in a string": one(full(entry(bytes="21")), "file_unlisted", "manifest_unreadable"),
    "bytes of true": one(full(entry(bytes=True)), "file_unlisted", "manifest_unreadable"),
    "records of 10^30": one(full(entry(records=10**30)), "file_unlisted", "manifest_unreadable"),
    "a tenant that is a number": one(full(entry(), tenant=5), "manifest_unreadable"),
    "a time zone that is a list": one(full(entry(), time_zone=["UTC"]), "manifest_unreadable"),
    "no entry": one(full(), "file_unlisted", "manifest_empty"),
    "no entry in the short form": one(b'{"files":{}}', "file_unlisted", "manifest_empty"),
    "an empty list": sums(b"", "file_unlisted", "manifest_empty"),
    "a list of blank lines": sums(b"\n \n\t\n", "file_unlisted", "manifest_empty"),
    "a list that is not UTF-8": sums(listing("records.jsonl") + b"\xff", "manifest_unreadable"),
    "a line of a list without a digest": sums(
        listing("records.jsonl") + b"more.jsonl\n", "manifest_unreadable"
    ),
    "a list with a comment": sums(b"# by hand\n" + listing("records.jsonl"), "manifest_unreadable"),
    "a list with one space": sums(
        listing("records.jsonl") + f"{SHA} more.jsonl\n".encode(), "manifest_unreadable"
    ),
    "a list with a tab": sums(
        listing("records.jsonl") + f"{SHA}\tmore.jsonl\n".encode(), "manifest_unreadable"
    ),
    "a list with a space in front": sums(
        b" " + listing("records.jsonl"), "file_unlisted", "manifest_unreadable"
    ),
    "a list of the BSD kind": sums(
        f"SHA256 (records.jsonl) = {SHA}\n".encode(), "file_unlisted", "manifest_unreadable"
    ),
    "a list that is JSON": sums(full(entry()), "file_unlisted", "manifest_unreadable"),
    "a manifest.json that is a list": one(listing("records.jsonl"), "manifest_unreadable"),
    "a link to a manifest": Case(
        {"manifest.json": full(entry())},
        ("file_not_regular",),
        warnings=("file_unread",),
        arrange=replace("manifest.json", link_elsewhere),
    ),
    "a manifest that is a pipe": Case(
        {"manifest.json": full(entry())},
        ("file_not_regular",),
        arrange=replace("manifest.json", os.mkfifo),
    ),
    "a manifest that is a folder": Case(
        {"manifest.json": full(entry())},
        ("manifest_missing",),
        arrange=replace("manifest.json", Path.mkdir),
    ),
    # 2. every entry is well formed
    "no digest": one(full(entry(), {"path": "more.txt"}), "manifest_digest_malformed"),
    "a digest of null": one(full(entry(), entry("more.txt", None)), "manifest_digest_malformed"),
    "a digest of 63 digits": one(
        full(entry(), entry("more.txt", SHA[:-1])), "manifest_digest_malformed"
    ),
    "a digest of 65 digits": one(
        full(entry(), entry("more.txt", SHA + "0")), "manifest_digest_malformed"
    ),
    "a digest with a space behind": one(
        full(entry(), entry("more.txt", SHA[:-1] + " ")), "manifest_digest_malformed"
    ),
    "a digest with a newline behind": one(
        full(entry(), entry("more.txt", SHA + "\n")), "manifest_digest_malformed"
    ),
    "a digest that names its kind": one(
        full(entry(), entry("more.txt", "sha256:" + SHA)), "manifest_digest_malformed"
    ),
    "a digest of Arabic digits": one(
        full(entry(), entry("more.txt", "\u0661" * 64)), "manifest_digest_malformed"
    ),
    "a digest that is a number": one(
        full(entry(), entry("more.txt", int("1" * 64))), "manifest_digest_malformed"
    ),
    "an MD5 in a list": sums(
        listing("records.jsonl") + b"d41d8cd98f00b204e9800998ecf8427e  more.txt\n",
        "manifest_digest_malformed",
    ),
    "a list without the digest's digits": sums(
        listing("records.jsonl") + b"  more.txt\n", "manifest_digest_malformed"
    ),
    "a digest and a path that are wrong": one(
        full(entry(), entry("../more.txt", "x")),
        "manifest_digest_malformed",
        "manifest_path_unsafe",
    ),
    "an empty path": unsafe(""),
    "an absolute path": unsafe("/etc/passwd"),
    "a parent path": unsafe("../records.jsonl"),
    "a parent path inside": unsafe("a/../records.jsonl"),
    "a parent at the end": unsafe("a/.."),
    "a drive": unsafe("C:/records.jsonl"),
    "a drive without a slash": unsafe("c:records.jsonl"),
    "a network path": unsafe("\\\\host\\share\\records.jsonl"),
    "a backslash": unsafe("a\\records.jsonl"),
    "an http address": unsafe("https://example.com/records.jsonl"),
    "a bucket": unsafe("s3://bucket/records.jsonl"),
    "a file address": unsafe("file:///etc/passwd"),
    "a dot": unsafe("."),
    "a dot inside": unsafe("a/./records.jsonl"),
    "a dot in front": unsafe("./records.jsonl"),
    "two slashes": unsafe("a//records.jsonl"),
    "a slash at the end": unsafe("records.jsonl/"),
    "a NUL": unsafe("records.jsonl\0.txt"),
    "a newline": unsafe("records.jsonl\n"),
    "a tab": unsafe("a\trecords.jsonl"),
    "an escape sequence": unsafe("\x1b[2Jrecords.jsonl"),
    "a C1 control": unsafe("a\x85.jsonl"),
    "a parent path in a list": sums(
        listing("records.jsonl", "../records.jsonl"), "manifest_path_unsafe"
    ),
    "an absolute path in a list": sums(
        listing("records.jsonl", "/etc/passwd"), "manifest_path_unsafe"
    ),
    "nothing behind ./ in a list": sums(listing("records.jsonl", "./"), "manifest_path_unsafe"),
    "./ twice in a list": sums(listing("records.jsonl", "././a.txt"), "manifest_path_unsafe"),
    "no path in a list": sums(listing("records.jsonl", ""), "manifest_path_unsafe"),
    "an escaped name in a list": sums(
        listing("records.jsonl") + b"\\" + listing("a\\\\nb.txt"), "manifest_path_unsafe"
    ),
    # 3. no two entries name one file; manifests agree
    "a path twice": one(full(entry(), entry()), "manifest_duplicate"),
    "a path twice with two digests": one(full(entry(sha256=OTHER), entry()), "manifest_duplicate"),
    "a path three times": one(
        full(entry(), entry(), entry()), "manifest_duplicate", "manifest_duplicate"
    ),
    "two paths that differ in case": one(
        full(entry(), entry("Records.JSONL")),
        "manifest_duplicate",
        files=("records.jsonl", "Records.JSONL"),
    ),
    "two paths that differ in Unicode form": one(
        full(entry("é.jsonl"), entry("e\u0301.jsonl")),
        "manifest_duplicate",
        files=("é.jsonl", "e\u0301.jsonl"),
    ),
    "two paths that differ in case and form": one(
        full(entry("É.jsonl"), entry("e\u0301.jsonl")),
        "manifest_duplicate",
        files=("É.jsonl", "e\u0301.jsonl"),
    ),
    "ß and ss": one(
        full(entry("straße.jsonl"), entry("STRASSE.jsonl")),
        "manifest_duplicate",
        files=("straße.jsonl", "STRASSE.jsonl"),
    ),
    "a path twice in a list": sums(
        listing("records.jsonl", "./records.jsonl"), "manifest_duplicate"
    ),
    "a path twice in the second manifest": Case(
        {
            "manifest.json": full(entry()),
            "SHA256SUMS": listing("records.jsonl", sha256=OTHER) + listing("records.jsonl"),
        },
        ("manifest_duplicate",),
    ),
    "two manifests with two digests": Case(
        {"manifest.json": full(entry()), "SHA256SUMS": listing("records.jsonl", sha256=OTHER)},
        ("manifest_conflict",),
    ),
    "a second manifest that lists more": Case(
        {"manifest.json": full(entry()), "SHA256SUMS": listing("records.jsonl", "more.txt")},
        ("manifest_conflict",),
    ),
    "a second manifest that lists less": Case(
        {
            "SHA256SUMS": listing("records.jsonl", "more.jsonl"),
            "manifest-sha256.txt": listing("records.jsonl"),
        },
        ("manifest_conflict",),
        files=("records.jsonl", "more.jsonl"),
    ),
    "a second manifest that cannot be read": Case(
        {"manifest.json": full(entry()), "SHA256SUMS": b"?"},
        ("manifest_conflict", "manifest_unreadable"),
    ),
    "a list that contradicts the manifest's own bytes": Case(
        {
            "manifest.json": full(entry()),
            "SHA256SUMS": listing("records.jsonl") + listing("manifest.json", sha256=OTHER),
        },
        ("manifest_conflict",),
    ),
    # 4. every listed file is there, is a file, and has its size
    "a file that is missing": one(full(entry(), entry("more.jsonl")), "file_missing"),
    "a file that is missing and one too many": one(
        full(entry("Records.jsonl")), "file_missing", "file_unlisted"
    ),
    "a file of another size": one(full(entry(bytes=20)), "file_size"),
    "a link in the place of a file": one(
        full(entry()),
        "file_not_regular",
        warnings=("file_unread",),
        arrange=replace("records.jsonl", link_elsewhere),
    ),
    "a link to nothing in the place of a file": one(
        full(entry()),
        "file_not_regular",
        arrange=replace("records.jsonl", lambda path: path.symlink_to("nowhere")),
    ),
    "a pipe in the place of a file": one(
        full(entry()), "file_not_regular", arrange=replace("records.jsonl", os.mkfifo)
    ),
    "a socket in the place of a file": one(
        full(entry()), "file_not_regular", arrange=replace("records.jsonl", listen)
    ),
    "a folder in the place of a file": one(
        full(entry()), "file_missing", arrange=replace("records.jsonl", Path.mkdir)
    ),
    "a folder on the way that is a link": one(
        full(entry("in/records.jsonl")),
        "file_missing",
        files=("in/records.jsonl",),
        warnings=("file_unread",),
        arrange=move_behind_link,
    ),
    "a file where a folder should be": one(
        full(entry("in/records.jsonl")), "file_missing", files=("in",), warnings=("file_unread",)
    ),
    # 5. every file of records is listed
    "records that are not listed": one(
        full(entry()), "file_unlisted", files=("records.jsonl", "more.jsonl")
    ),
    "compressed records that are not listed": one(
        full(entry()),
        "file_unlisted",
        "file_unlisted",
        "file_unlisted",
        files=("records.jsonl", "a.jsonl.gz", "b.jsonl.zst", "c.gz"),
    ),
    "records in capitals that are not listed": one(
        full(entry()), "file_unlisted", files=("records.jsonl", "MORE.JSONL")
    ),
    "hidden records that are not listed": one(
        full(entry()), "file_unlisted", files=("records.jsonl", ".jsonl")
    ),
    "records in a folder that are not listed": one(
        full(entry()), "file_unlisted", files=("records.jsonl", "a/b/c/more.ndjson")
    ),
    "a link to records that is not listed": one(
        full(entry()),
        "file_unlisted",
        arrange=lambda place: (place / "more.jsonl").symlink_to("records.jsonl"),
    ),
    "a pipe of records that is not listed": one(
        full(entry()), "file_unlisted", arrange=lambda place: os.mkfifo(place / "more.jsonl")
    ),
    "records that are not listed, with a newline": one(
        full(entry()), "file_unlisted", files=("records.jsonl", "more\n.jsonl")
    ),
    "records that are not listed, of a very long name": one(
        full(entry()), "file_unlisted", files=("records.jsonl", LONGEST[:-10] + ".jsonl")
    ),
    # 6. the pin
    "a pin that does not fit": one(full(entry()), "manifest_pin", pin=OTHER),
    "an empty pin": one(full(entry()), "manifest_pin", pin=""),
    "the pin of the second manifest": Case(
        BOTH, ("manifest_pin",), pin=hashlib.sha256(BOTH["SHA256SUMS"]).hexdigest()
    ),
    "everything at once": Case(
        {
            "manifest.json": full(
                entry(bytes=1), entry("gone.jsonl"), entry("../x"), entry("y", "z"), entry(), None
            ),
            "SHA256SUMS": b"",
        },
        (
            "file_missing",
            "file_size",
            "file_unlisted",
            "manifest_conflict",
            "manifest_conflict",
            "manifest_digest_malformed",
            "manifest_duplicate",
            "manifest_empty",
            "manifest_path_unsafe",
            "manifest_pin",
            "manifest_unreadable",
        ),
        files=("records.jsonl", "more.jsonl", "note.txt"),
        warnings=("file_unread",),
        pin=OTHER,
    ),
}


def built(place: Path, case: Case) -> Path:
    for name in case.files:
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(DATA)
    for name, data in case.manifests.items():
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    case.arrange(place)
    return place


def sorted_codes(found: Reading) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (
        tuple(sorted(problem.code for problem in found.problems)),
        tuple(sorted(warning.code for warning in found.warnings)),
    )


@pytest.mark.parametrize("name", CASES)
def test_each_way_to_break_a_rule_has_its_code(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    place = built(tmp_path / "export", case)
    found = read_manifest(DirectorySource(place), case.pin)
    assert sorted_codes(found) == (case.problems, case.warnings)
    for problem in (*found.problems, *found.warnings):
        assert problem.code in KINDS
        assert problem.where
        assert problem.message


def test_every_code_of_a_manifest_or_a_file_is_shown_by_some_case() -> None:
    shown = {code for case in CASES.values() for code in (*case.problems, *case.warnings)}
    elsewhere = {"file_digest", "file_records", "file_unreadable", "manifest_unauthenticated"}
    named = {code for code in KINDS if code.startswith(("manifest_", "file_"))}
    assert named - elsewhere == shown


def test_a_manifest_is_what_it_says(tmp_path: Path) -> None:
    listed = full(
        entry(bytes=len(DATA), records=1), tenant="acme", time_zone="UTC", exported_at="2026-11-01"
    )
    found = read_manifest(DirectorySource(built(tmp_path, one(listed)))).manifest
    assert found is not None
    (file,) = found.files
    assert (file.path, file.sha256, file.bytes, file.records) == ("records.jsonl", SHA, 21, 1)
    assert (found.tenant, found.time_zone, found.exported_at) == ("acme", "UTC", "2026-11-01")
    assert found.sha256 == hashlib.sha256(listed).hexdigest()
    assert found.digest() == SHA


def test_the_digest_of_several_files_is_that_of_their_list_by_path(tmp_path: Path) -> None:
    paths = ("b.jsonl", "a.jsonl", "a/z.jsonl")
    digests = []
    for order in (paths, paths[::-1]):
        case = one(full(*map(entry, order)), files=paths)
        found = read_manifest(DirectorySource(built(tmp_path / order[0][0], case))).manifest
        assert found is not None
        digests.append(found.digest())
    by_hand = "".join(f"{SHA}  {path}\n" for path in ("a.jsonl", "a/z.jsonl", "b.jsonl"))
    assert set(digests) == {hashlib.sha256(by_hand.encode()).hexdigest()}


def test_a_manifest_beyond_all_size_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest_module, "MAX_MANIFEST_BYTES", 1000)
    place = built(tmp_path, one(full(entry(), tenant="x" * 1000)))
    found = read_manifest(DirectorySource(place))
    assert sorted_codes(found) == (("manifest_unreadable",), ())


@dataclass
class Odd:
    """A source of one manifest and one file, whose manifest cannot be read as one would think."""

    label = "odd"
    piece: int | None = None

    def entries(self) -> list[Entry]:
        return [Entry("SHA256SUMS", "file", 10), Entry("records.jsonl", "file", len(DATA))]

    def open(self, name: str) -> BinaryIO:
        if self.piece is None:
            raise UnreadableInput(f"cannot read {name}: permission denied")
        return _Dripping(listing("a.jsonl", "records.jsonl"), self.piece)

    def close(self) -> None:
        """Nothing is held."""


class _Dripping(BytesIO):
    """A file that hands out few bytes at a time."""

    def __init__(self, data: bytes, piece: int) -> None:
        super().__init__(data)
        self.piece = piece

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self.piece if size is None or size < 0 else min(size, self.piece))


def test_a_manifest_that_may_not_be_opened_is_a_problem_and_no_exception() -> None:
    found = read_manifest(Odd())
    assert sorted_codes(found) == (("manifest_unreadable",), ())
    assert "permission denied" in found.problems[0].message


def test_a_manifest_that_comes_in_pieces_is_read_to_its_end() -> None:
    found = read_manifest(Odd(piece=67 + 7))
    assert found.manifest is not None
    assert [file.path for file in found.manifest.files] == ["a.jsonl", "records.jsonl"]


def test_a_name_that_is_not_utf_8_is_seen(tmp_path: Path) -> None:
    place = built(tmp_path, one(full(entry())))
    (place / os.fsdecode(b"more\xff.jsonl")).write_bytes(DATA)
    found = read_manifest(DirectorySource(place))
    assert sorted_codes(found) == (("file_unlisted",), ())
    assert os.fsencode(found.problems[0].where) == b"more\xff.jsonl"


@given(st.binary(max_size=300), st.sampled_from(NAMES))
def test_no_bytes_whatever_raise(data: bytes, name: str) -> None:
    found = read_manifest(_InMemory({name: data}))
    assert found.problems


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["path", "sha256", "bytes", "records", "files", "x"]),
                inner,
                max_size=4,
            )
        ),
    )
)
def test_no_json_whatever_raises(value: Any) -> None:
    for document in (value, {"format": "lighthouse-export/1", "files": value}, {"files": [value]}):
        found = read_manifest(
            _InMemory({"manifest.json": json.dumps(document).encode("utf-8", "replace")})
        )
        assert found.problems


@given(st.text(min_size=1, max_size=8))
def test_a_path_that_may_stand_in_a_manifest_stays_inside(path: str) -> None:
    if unsafe_path(path) is None:
        inside = Path("/export") / path
        assert inside.parts[:2] == ("/", "export")
        assert os.path.normpath(inside) == str(inside)
        assert inside != Path("/export")


@dataclass
class _InMemory:
    files: dict[str, bytes]
    label = "memory"

    def entries(self) -> list[Entry]:
        return [Entry(name, "file", len(data)) for name, data in self.files.items()]

    def open(self, name: str) -> BinaryIO:
        return _Dripping(self.files[name], 100)

    def close(self) -> None:
        """Nothing is held."""
