"""Archives as EXPORT: every good form gives the directory's answer, every bad one its code."""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path

import pytest
from support.archives import (
    FROM_A_MAC,
    GOOD,
    Tarred,
    Zipped,
    pax,
    tar_of,
    zip_of,
)
from support.bad_archives import BAD_TAR, BAD_WHOLE, BAD_ZIP, CUT, plain, zip_of_body
from support.exports import record, write_export
from support.program import Run, verify

from verify.schemata import violations

LINES = [
    record("model_call", "d", "2026-06-01T00:00:00Z", model="m", outcome="ok", input_tokens=7),
    record("cost", "d", "2026-06-01T00:00:00Z", usd=1.25),
]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes]:
    """A sound export, as names and bytes."""
    place = write_export(tmp_path / "directory", LINES)
    return {path.name: path.read_bytes() for path in sorted(place.iterdir())}


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where unpacked bytes go, for the test to look at."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def recomputed(place: Path) -> Run:
    return verify("recompute", place, "--period", "2026-06", "--format", "json", "-q", "--no-cache")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The answer for the export in a directory."""
    return recomputed(write_export(tmp_path_factory.mktemp("directory"), LINES))


@pytest.mark.parametrize("form", GOOD)
def test_every_form_gives_the_answer_of_the_directory(
    form: str, files: dict[str, bytes], expected: Run, tmp_path: Path, temporary: Path
) -> None:
    name, pack = GOOD[form]
    (tmp_path / name).write_bytes(pack(files))
    assert recomputed(tmp_path / name) == expected
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("form", FROM_A_MAC)
def test_what_a_mac_adds_is_unread_and_no_error(
    form: str, files: dict[str, bytes], expected: Run, tmp_path: Path
) -> None:
    name, pack = FROM_A_MAC[form]
    (tmp_path / name).write_bytes(pack(files))
    run = recomputed(tmp_path / name)
    assert run.code == expected.code
    document = run.json
    *others, last = document["findings"]
    assert last["code"] == "file_unread"
    assert "._records.jsonl" in last["message"]
    assert {**document, "findings": others} == expected.json


def test_the_sample(tmp_path: Path) -> None:
    sample = Path(__file__).resolve().parents[2] / "sample_exports" / "lighthouse"
    files = {name: (sample / name).read_bytes() for name in ("manifest.json", "records.jsonl")}
    write_files(tmp_path / "directory", files)
    outputs = set()
    for form in ("zip", "tar.zst", "tgz"):
        name, pack = GOOD[form]
        (tmp_path / name).write_bytes(pack(files))
    for name in ("directory", "e.zip", "e.tar.zst", "e.tgz"):
        run = verify("recompute", tmp_path / name, "--period", "2026-10", "--format", "json")
        assert run.code == 0
        outputs.add(run.out)
    assert len(outputs) == 1
    assert verify("cache").out.endswith("\n1 stored\n")


def write_files(place: Path, files: dict[str, bytes]) -> None:
    place.mkdir()
    for name, data in files.items():
        (place / name).write_bytes(data)


def test_records_that_only_look_like_what_a_mac_adds(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    place = tmp_path / "e.zip"
    hidden = Zipped("__MACOSX/._records.jsonl", LINES[0] + b"\n")
    place.write_bytes(zip_of([*plain(files), hidden]))
    assert codes(place) == (3, {"file_unlisted"})


def test_archives_inside_are_not_opened(files: dict[str, bytes], tmp_path: Path) -> None:
    place = tmp_path / "e.zip"
    place.write_bytes(zip_of([*plain(files), Zipped("more.zip", zip_of([Zipped("../x")]))]))
    run = verify("check", place, "--format", "json")
    assert run.code == 0
    assert "more.zip" in str(run.json["findings"])


def test_the_manifest_is_held_against_the_members(
    files: dict[str, bytes], tmp_path: Path, temporary: Path
) -> None:
    place = tmp_path / "e.tar"
    place.write_bytes(
        tar_of(
            [
                Tarred("manifest.json", files["manifest.json"]),
                Tarred("records.jsonl", files["records.jsonl"].replace(b"7", b"8", 1)),
                Tarred("more.jsonl", LINES[0]),
            ]
        )
    )
    assert codes(place) == (3, {"file_digest", "file_unlisted"})
    unverified = verify("check", place, "--unverified", "--format", "json")
    assert unverified.code == 3
    assert unverified.json["export"]["trust"] == "unverified"
    assert list(temporary.iterdir()) == []


def codes(place: Path) -> tuple[int, set[str]]:
    """Exit code, and the codes of the problems; the message of an unreadable one must say more."""
    run = verify("check", place, "--format", "json")
    if run.code == 2:
        assert str(place) in run.err
        assert run.err.count("\n") >= 2
        return 2, set()
    assert violations(run.json, "outputs/check") == []
    assert run.json["sound"] is False
    assert all(problem["where"] for problem in run.json["problems"])
    return run.code, {problem["code"] for problem in run.json["problems"]}


@pytest.mark.parametrize("name", BAD_ZIP)
def test_a_bad_member_of_a_zip(
    name: str,
    files: dict[str, bytes],
    tmp_path: Path,
    temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    added, code, problem = BAD_ZIP[name]
    if name == "bomb in total":
        monkeypatch.setenv("VERIFY_MAX_UNPACKED", "100000")
    if name == "one member inside another":  # where the other's data begin
        outer = len(zip_of_body(plain(files))) + 30 + len("a")
        added = [added[0], Zipped("b", CUT, 0, at=outer)]
    place = tmp_path / "e.zip"
    place.write_bytes(zip_of([*plain(files), *added]))
    assert codes(place) == (code, {problem} - {""})
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("name", BAD_TAR)
def test_a_bad_member_of_a_tar(
    name: str, files: dict[str, bytes], tmp_path: Path, temporary: Path
) -> None:
    added, code, problem = BAD_TAR[name]
    place = tmp_path / "e.tar"
    place.write_bytes(tar_of([*(Tarred(*item) for item in files.items()), *added]))
    assert codes(place) == (code, {problem} - {""})
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("name", BAD_WHOLE)
def test_a_bad_archive(name: str, files: dict[str, bytes], tmp_path: Path, temporary: Path) -> None:
    called, bend, code, problem = BAD_WHOLE[name]
    place = tmp_path / called
    place.write_bytes(bend(files))
    assert codes(place) == (code, {problem} - {""})
    assert list(temporary.iterdir()) == []


def test_too_many_members_in_a_zip(tmp_path: Path) -> None:
    place = tmp_path / "e.zip"
    one = zip_of([Zipped("manifest.json")])
    listing = one[one.index(b"PK\1\2") : one.index(b"PK\5\6")]
    end = struct.pack("<4H2LH", 0, 0, 7, 7, len(listing) * 100_001, 0, 0)
    place.write_bytes(listing * 100_001 + b"PK\5\6" + end)
    run = verify("check", place)
    assert run.code == 3
    assert "more than 100,000 members  [archive_bomb]" in run.err


def test_too_many_members_in_a_tar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.trust.archive.tar.MAX_MEMBERS", 3)
    place = tmp_path / "e.tar"
    place.write_bytes(tar_of([Tarred("manifest.json"), pax({}, b"g"), Tarred("a"), Tarred("b")]))
    assert codes(place) == (3, {"archive_bomb"})


def test_all_problems_are_told_at_once_with_archive_member_and_numbers(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    place = tmp_path / "e.zip"
    bad = [
        Zipped("../a\x1b[2J.txt"),
        Zipped("b", CUT, flags=1),
        Zipped("c", CUT, size=99),
        Zipped("Records.jsonl"),
    ]
    place.write_bytes(zip_of([*plain(files), *bad]))
    run = verify("recompute", place)
    assert (run.code, run.out) == (3, "")
    assert "4 problems" in run.err
    assert f"{place}: c: 15 bytes come out of it, 99 are listed  [archive_ambiguous]" in run.err
    assert f"{place}: Records.jsonl: it and 'records.jsonl' are one file" in run.err
    assert "\x1b" not in run.err
    refused = verify("recompute", place, "--unverified")
    assert (refused.code, refused.out) == (3, "")


def test_a_name_that_is_no_text(files: dict[str, bytes], tmp_path: Path) -> None:
    place = tmp_path / "e.tar"
    members = [Tarred(*item) for item in files.items()]
    place.write_bytes(tar_of([*members, Tarred("\udcff.txt"), Tarred("\udcff*[1]'\".txt")]))
    assert verify("check", place, "--format", "json").code == 0
    place.write_bytes(tar_of([*members, Tarred("\udcff.jsonl"), Tarred("\udcff/../a")]))
    for form in ("json", "table"):
        assert verify("check", place, "--format", form).code == 3


def test_damage_is_told_beside_the_problems_before_it(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    place = tmp_path / "e.tar"
    cut = [Tarred("../a"), Tarred("b", b"1", size=4096)]
    place.write_bytes(tar_of([*(Tarred(*item) for item in files.items()), *cut]))
    assert codes(place) == (3, {"archive_unsafe", "file_unreadable"})


def test_an_archive_of_something_else(tmp_path: Path) -> None:
    for name, data in (
        ("e.zip", zip_of([Zipped("photo.jpg"), Zipped("a/b/manifest.json")])),
        ("e.tar", tar_of([Tarred("photo.jpg")])),
        ("empty.tar", tar_of([])),
        ("e.rar", b"Rar!"),
    ):
        (tmp_path / name).write_bytes(data)
        run = verify("check", tmp_path / name)
        assert run.code == 2
        assert "not an export of any product known here" in run.err
    run = verify("check", tmp_path / "e.rar", "--system", "lighthouse")
    assert run.code == 2
    assert "neither a directory nor an archive" in run.err
    run = verify("check", tmp_path / "e.zip", "--system", "lighthouse")
    assert run.code == 2
    assert "e.zip holds no records" in run.err


def test_a_limit_that_is_no_number(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIFY_MAX_UNPACKED", "many")
    place = tmp_path / "e.zip"
    place.write_bytes(zip_of(plain(files)))
    run = verify("check", place)
    assert run.code == 2
    assert "VERIFY_MAX_UNPACKED" in run.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = Path("/dev/full").open("r+b", buffering=0)  # noqa: SIM115
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: full)
    place = tmp_path / "e.zip"
    place.write_bytes(zip_of(plain(files)))
    run = verify("check", place)
    assert run.code == 2
    assert "no space left" in run.err
    assert "TMPDIR" in run.err


def test_an_archive_that_may_not_be_read(tmp_path: Path) -> None:
    place = tmp_path / "e.zip"
    place.mkdir()
    assert verify("check", place).code == 2  # a directory, whatever it is called
    link = tmp_path / "gone.zip"
    link.symlink_to(tmp_path / "nowhere.zip")
    assert "does not exist" in verify("check", link).err
