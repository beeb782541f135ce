"""Archives as sources: what comes out is what the manifest names, or nothing comes out."""

from __future__ import annotations

import gzip
import hashlib
import random
import tempfile
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.archives import GOOD, Tarred, Zipped, deflated, pax, tar_of, zip_of, zstd
from support.exports import record, write_bytes

from verify.errors import IntegrityFailure, UnreadableInput, VerifyError
from verify.trust.archive import member_names, open_archive
from verify.trust.archive.spool import Spool
from verify.trust.inflate import PIECE, Surplus, gunzip, inflate, unzstd
from verify.trust.manifest import read_manifest
from verify.trust.source import open_source

FORMS = ("zip", "zip, stored", "zip64", "zip, sizes behind the data", "zip of a folder",
         "tar", "tar, GNU headers", "tgz", "tar.zst")  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    lines = b"".join(record("model_call", "d", f"2026-06-0{day}T00:00:00Z") for day in range(1, 9))
    place = write_bytes(tmp_path_factory.mktemp("export"), {"records.jsonl": lines, "b/c.csv": b""})
    return {
        str(path.relative_to(place)): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file()
    }


def contents(place: Path) -> dict[str, bytes]:
    """Everything in the archive."""
    source = open_archive(place)
    try:
        found = {}
        for entry in source.entries():
            with source.open(entry.name) as handle:
                found[entry.name] = handle.read()
            assert len(found[entry.name]) == entry.size
        return found
    finally:
        source.close()


def proven(place: Path) -> dict[str, bytes] | None:
    """The listed files, where the manifest has nothing against them; None where it has."""
    source = open_archive(place)
    try:
        reading = read_manifest(source)
        if reading.problems or reading.manifest is None:
            return None
        found = {}
        for listed in reading.manifest.files:
            with source.open(listed.path) as handle:
                found[listed.path] = handle.read()
            if hashlib.sha256(found[listed.path]).hexdigest() != listed.sha256:
                return None
        return found
    finally:
        source.close()


@pytest.mark.parametrize("form", GOOD)
def test_what_went_in_comes_out(form: str, files: dict[str, bytes], tmp_path: Path) -> None:
    name, pack = GOOD[form]
    (tmp_path / name).write_bytes(pack(files))
    assert contents(tmp_path / name) == files


@pytest.mark.parametrize("form", FORMS)
def test_no_flipped_byte_proves_anything_else(
    form: str, files: dict[str, bytes], tmp_path: Path
) -> None:
    name, pack = GOOD[form]
    place, sound = tmp_path / name, pack(files)
    listed = {path: data for path, data in files.items() if path != "manifest.json"}
    chance = random.Random(form)
    for at in chance.sample(range(len(sound)), min(len(sound), 500)):
        bent = bytearray(sound)
        bent[at] ^= 1 << chance.randrange(8)
        place.write_bytes(bent)
        with suppress(UnreadableInput, IntegrityFailure):
            assert proven(place) in (None, listed)


@pytest.mark.parametrize("form", FORMS)
def test_no_cut_goes_unnoticed(form: str, files: dict[str, bytes], tmp_path: Path) -> None:
    name, pack = GOOD[form]
    place, sound = tmp_path / name, pack(files)
    whole = len(sound.rstrip(b"\0")) if name.endswith(".tar") else len(sound) - 1
    for length in range(0, whole, 3 if whole < 1500 else 11):
        place.write_bytes(sound[:length])
        with pytest.raises(VerifyError):
            open_archive(place)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([".zip", ".tar", ".tgz", ".tar.zst"]), st.data())
def test_no_bytes_end_in_anything_but_an_error_of_ours(suffix: str, data: st.DataObject) -> None:
    pieces = [
        b"PK\1\2",
        b"PK\3\4",
        b"PK\5\6",
        b"PK\6\6",
        b"PK\6\7",
        b"PK\7\x08",
        bytes(18),
        b"\xff" * 8,
    ]
    pieces += [tar_of([Tarred("a", b"b")], end=b""), tar_of([pax({"path": "c"})], end=b"")]
    pieces += [zip_of([Zipped("a", b"b")]), bytes(512), b"a"]
    some = data.draw(st.lists(st.one_of(st.sampled_from(pieces), st.binary(max_size=60))))
    content = b"".join(some)
    if suffix == ".tgz":
        content = gzip.compress(content, 1)
    if suffix == ".tar.zst":
        content = zstd(content)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / f"e{suffix}"
        place.write_bytes(content)
        for read in (contents, lambda path: list(member_names(path))):
            with suppress(UnreadableInput, IntegrityFailure):
                read(place)


def test_names_are_read_without_what_they_name(tmp_path: Path) -> None:
    place = tmp_path / "e.tar"
    place.write_bytes(tar_of([Tarred("../a"), Tarred("b", size=1 << 30)], end=b""))
    names = member_names(place)
    assert [next(names), next(names)] == ["../a", "b"]
    with pytest.raises(UnreadableInput, match="ends in the middle of 'b'"):
        next(names)


def test_it_is_served_from_our_own_copy_which_has_no_name(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    place = tmp_path / "e.tgz"
    place.write_bytes(GOOD["tgz"][1](files))
    source = open_source(place)
    place.write_bytes(b"something else")
    assert list(temporary.iterdir()) == []
    with source.open("records.jsonl") as first, source.open("manifest.json") as second:
        assert first.read(5) == files["records.jsonl"][:5]
        assert second.read() == files["manifest.json"]
        assert first.read() == files["records.jsonl"][5:]
    with pytest.raises(UnreadableInput, match=r"no member of .*e\.tgz"):
        source.open("other")
    source.close()
    assert source.label == str(place)


def test_a_large_member_passes_through_little_memory(tmp_path: Path) -> None:
    lines = b"".join(
        record("model_call", f"d{at % 7}", "2026-06-01T00:00:00Z", input_tokens=at * 7919 % 10_000)
        for at in range(10_000)
    )
    times = (100 << 20) // len(lines)
    tar = Tarred("records.jsonl", size=len(lines) * times)
    with gzip.open(tmp_path / "e.tar.gz", "wb", compresslevel=1) as archive:
        archive.write(tar_of([tar], end=b""))
        for _ in range(times):
            archive.write(lines)
        archive.write(bytes(-len(lines) * times % 512 + 1024))
    tracemalloc.start()
    source = open_archive(tmp_path / "e.tar.gz")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [entry.size for entry in source.entries()] == [len(lines) * times]
    source.close()
    assert peak < 8 << 20


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_deflated_data_of_any_length_end_where_they_end(count: int) -> None:
    """A full piece can leave the last bytes in the inflater, with nothing left to feed it."""
    for extra in range(-3, 4):
        data = bytes(max(PIECE * count + extra, 0))
        assert b"".join(inflate(iter([deflated(data)]))) == data
    with pytest.raises(Surplus):
        list(inflate(iter([deflated(b"abc"), b"de"])))
    with pytest.raises(EOFError):
        list(inflate(iter([deflated(b"abc" * 100)[:-1]])))


@pytest.mark.parametrize(("pack", "unpack"), [(gzip.compress, gunzip), (zstd, unzstd)])
def test_pieces_are_small_whatever_the_ratio(
    pack: Callable[[bytes], bytes], unpack: Callable[..., object]
) -> None:
    data = bytes(20 << 20)
    sizes = [len(piece) for piece in unpack(iter([pack(data)]))]  # type: ignore[attr-defined]
    assert sum(sizes) == len(data)
    assert max(sizes) <= PIECE


def test_the_spool_gives_back_what_was_put_in() -> None:
    spool = Spool()
    parts = [b"", b"a" * 70_000, b"b", b"c" * 200_000]
    held = []
    for part in parts:
        held.append((spool.size, len(part)))
        spool.write(memoryview(part))
    opened = [spool.open(*one) for one in held]
    assert [handle.read() for handle in opened] == parts
    assert [handle.read() for handle in opened] == [b""] * 4
    spool.close()
