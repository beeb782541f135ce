"""Files are opened by name without trusting the name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from verify.errors import UnreadableInput
from verify.trust import source as source_module
from verify.trust.source import DirectorySource, Entry, open_source


def test_entries_are_files_links_and_devices_by_name(tmp_path: Path) -> None:
    (tmp_path / "b" / "empty").mkdir(parents=True)
    (tmp_path / "b" / "c.jsonl").write_bytes(b"12")
    (tmp_path / "a.gz").write_bytes(b"1")
    os.link(tmp_path / "a.gz", tmp_path / "d")
    (tmp_path / "e").symlink_to("b")
    os.mkfifo(tmp_path / "f.jsonl")
    assert DirectorySource(tmp_path).entries() == [
        Entry("a.gz", "file", 1, 2),
        Entry("b/c.jsonl", "file", 2, 1),
        Entry("d", "file", 1, 2),
        Entry("e", "symlink", 0, 1),
        Entry("f.jsonl", "device", 0, 1),
    ]


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("records.jsonl", True),
        ("RECORDS.JSONL", True),
        ("records.jsonl.gz", True),
        ("records.jsonl.zst", True),
        ("records.ndjson", True),
        ("a/b.gz", True),
        (".jsonl", True),
        ("records.jsonl.bak", False),
        ("records.json", False),
        ("jsonl", False),
        ("x.jsonl/readme", False),
    ],
)
def test_what_a_reader_would_take_for_records(name: str, holds: bool) -> None:
    assert Entry(name, "file", 0).holds_records == holds


@pytest.mark.parametrize(
    "name", ["r[1].jsonl", "*", "?", "it's", '"q"', "a\nb", "a\tb", " ", "$(x)", "%s"]
)
def test_a_name_is_a_name_and_no_pattern(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"right")
    (tmp_path / "r1.jsonl").write_bytes(b"wrong")
    source = DirectorySource(tmp_path)
    assert name in [entry.name for entry in source.entries()]
    with source.open(name) as handle:
        assert handle.read() == b"right"


def test_a_name_that_is_not_utf_8_can_be_opened(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\xfe")
    (tmp_path / name).write_bytes(b"right")
    source = DirectorySource(tmp_path)
    assert [os.fsencode(entry.name) for entry in source.entries()] == [b"\xff\xfe"]
    with source.open(name) as handle:
        assert handle.read() == b"right"


@pytest.fixture
def guarded(tmp_path: Path) -> DirectorySource:
    """An export with a secret beside it, and every way in that leads to the secret."""
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_bytes(b"secret")
    root = tmp_path / "export"
    (root / "in").mkdir(parents=True)
    (root / "file").write_bytes(b"file")
    (root / "link").symlink_to("../secret/key")
    (root / "folder").symlink_to("../secret", target_is_directory=True)
    (root / "in" / "self").symlink_to("../file")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "pipe")
    return DirectorySource(root)


@pytest.mark.parametrize(
    "name",
    [
        "../secret/key",
        "in/../../secret/key",
        "..",
        "link",
        "folder/key",
        "in/self",
        "loop",
        "pipe",
        "in",
        "file/key",
        "gone",
        "",
        "/etc/passwd",
        "in/",
    ],
)
def test_nothing_but_a_regular_file_of_the_export_is_opened(
    name: str, guarded: DirectorySource
) -> None:
    with pytest.raises(UnreadableInput):
        guarded.open(name)


def test_a_link_exchanged_after_the_listing_does_not_lead_out(tmp_path: Path) -> None:
    (tmp_path / "export" / "in").mkdir(parents=True)
    (tmp_path / "export" / "in" / "records.jsonl").write_bytes(b"right")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "records.jsonl").write_bytes(b"wrong")
    source = DirectorySource(tmp_path / "export")
    assert [entry.kind for entry in source.entries()] == ["file"]
    (tmp_path / "export" / "in").rename(tmp_path / "export" / "was")
    (tmp_path / "export" / "in").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    with pytest.raises(UnreadableInput):
        source.open("in/records.jsonl")


def test_an_open_file_is_the_one_that_was_opened_whatever_takes_its_name(tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_bytes(b"right")
    with DirectorySource(tmp_path).open("records.jsonl") as handle:
        (tmp_path / "new").write_bytes(b"wrong")
        os.replace(tmp_path / "new", tmp_path / "records.jsonl")
        assert handle.read() == b"right"


def test_no_descriptor_is_left_open(guarded: DirectorySource) -> None:
    before = len(os.listdir("/dev/fd"))
    for _ in range(50):
        guarded.entries()
        guarded.open("file").close()
        for name in ("link", "folder/key", "pipe", "in", "in/../file"):
            with pytest.raises(UnreadableInput):
                guarded.open(name)
    assert len(os.listdir("/dev/fd")) == before


def test_folders_in_folders_are_no_recursion(tmp_path: Path) -> None:
    depth, here = 1100, Path.cwd()
    os.chdir(tmp_path)
    try:
        for _ in range(depth):
            os.mkdir("d")
            os.chdir("d")
        Path("records.jsonl").write_bytes(b"deep")
        source = DirectorySource(tmp_path)
        (entry,) = source.entries()
        assert entry.name == "d/" * depth + "records.jsonl"
        with source.open(entry.name) as handle:
            assert handle.read() == b"deep"
        Path("records.jsonl").unlink()
    finally:
        for _ in range(depth):  # what removes temporary folders is itself recursive
            os.chdir("..")
            os.rmdir("d")
        os.chdir(here)


def test_a_file_that_is_gone_while_the_folder_is_listed_is_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "records.jsonl").write_bytes(b"")
    listed = os.scandir

    class Vanishing:
        def __init__(self, path: Path) -> None:
            self.inner = listed(path)

        def __enter__(self) -> Vanishing:
            return self

        def __exit__(self, *_: object) -> None:
            self.inner.close()

        def __iter__(self) -> Vanishing:
            return self

        def __next__(self) -> os.DirEntry[str]:
            child = next(self.inner)
            Path(child.path).unlink()
            return child

    monkeypatch.setattr(os, "scandir", Vanishing)
    with pytest.raises(UnreadableInput, match="no such file"):
        DirectorySource(tmp_path).entries()


def test_a_folder_of_too_many_files_is_no_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_module, "MAX_ENTRIES", 3)
    for number in range(3):
        (tmp_path / str(number)).touch()
    assert len(DirectorySource(tmp_path).entries()) == 3
    (tmp_path / "3").touch()
    with pytest.raises(UnreadableInput, match="more than 3 files"):
        DirectorySource(tmp_path).entries()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir(mode=0)
    with pytest.raises(UnreadableInput, match="permission denied"):
        DirectorySource(tmp_path).entries()
    (tmp_path / "records.jsonl").touch(mode=0)
    with pytest.raises(UnreadableInput, match="permission denied"):
        DirectorySource(tmp_path).open("records.jsonl")


def test_what_is_no_export_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="does not exist"):
        open_source(tmp_path / "gone")
    (tmp_path / "file.txt").touch()
    with pytest.raises(UnreadableInput):
        open_source(tmp_path / "file.txt")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableInput):
        open_source(tmp_path / "pipe")
    assert open_source(tmp_path).label == str(tmp_path)
