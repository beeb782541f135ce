"""Opening an export: what it is called, what it is refused for, and what is kept of it."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle.exports import random_export
from support.exports import record, write_bytes, write_export

from verify.errors import IntegrityFailure, UnreadableInput
from verify.store.cache import Cache, default_root
from verify.systems import system_named
from verify.systems.base import Question, Reading
from verify.systems.lighthouse import export as export_module
from verify.systems.lighthouse import load as load_module
from verify.systems.lighthouse.export import LightHouseExport
from verify.systems.lighthouse.load import Loaded, Part
from verify.trust.source import Source
from verify.trust.tap import Tap

JUNE: dict[str, Any] = {"since": date(2026, 6, 1), "until": date(2026, 6, 30)}
CARD = record(
    "models",
    "d",
    "2026-06-01T00:00:00Z",
    model="m",
    snapshot="s",
    price={"input_per_m": 3, "cache_read_per_m": 0.3},
)


def call(tokens: int, pack: str = "p") -> bytes:
    return record(
        "model_call", "d", "2026-06-10T12:00:00Z", model="m", pack=pack, cache_read_tokens=tokens
    )


LINES = [CARD, call(1_000_000), call(2_000_000), record("heartbeat", "d", "2026-06-01T00:00:00Z")]
USD = Fraction("8.1")


def opened(place: Path, **reading: Any) -> LightHouseExport:
    export: Any = system_named("lighthouse").open(place, Reading(**{"cache": False, **reading}))
    assert isinstance(export, LightHouseExport)
    return export


def usd(export: LightHouseExport) -> Fraction | None:
    (caching,) = export.recompute(Question(levers=["caching"], **JUNE)).levers
    return caching.usd


def codes(error: IntegrityFailure) -> list[str]:
    return sorted(problem.code for problem in error.problems)


def refused(place: Path, **reading: Any) -> IntegrityFailure:
    with pytest.raises(IntegrityFailure) as caught:
        opened(place, **reading)
    assert caught.value.exit_code == 3
    return caught.value


def rewrite(place: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change what the manifest says."""
    manifest = json.loads((place / "manifest.json").read_text())
    change(manifest)
    (place / "manifest.json").write_text(json.dumps(manifest))


def sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# --- identity and trust ----------------------------------------------------------------------


def test_an_export_is_known_by_its_bytes(tmp_path: Path) -> None:
    write_export(tmp_path, LINES)
    with opened(tmp_path) as export:
        identity = export.identity
        assert usd(export) == USD
    assert identity.system == "lighthouse"
    assert identity.tenant == "acme"
    assert identity.sha256 == sha(tmp_path / "records.jsonl")
    assert identity.records == 4
    assert identity.trust == "unauthenticated"
    assert [f.code for f in export.findings] == ["manifest_unauthenticated"]


def test_a_pin_that_fits_vouches_for_the_manifest(tmp_path: Path) -> None:
    write_export(tmp_path, LINES)
    pin = sha(tmp_path / "manifest.json")
    for given_pin in (pin, pin.upper()):
        with opened(tmp_path, manifest_sha256=given_pin) as export:
            assert export.identity.trust == "pinned"
            assert export.findings == ()


def test_a_pin_that_does_not_fit_refuses_the_export(tmp_path: Path) -> None:
    write_export(tmp_path, LINES)
    pin = sha(tmp_path / "records.jsonl")
    error = refused(tmp_path, manifest_sha256=pin)
    assert codes(error) == ["manifest_pin"]
    assert pin in error.problems[0].message
    assert sha(tmp_path / "manifest.json") in error.problems[0].message
    with opened(tmp_path, manifest_sha256=pin, unverified=True) as export:
        assert export.identity.trust == "unverified"


def test_without_a_manifest_nothing_is_proven(tmp_path: Path) -> None:
    write_export(tmp_path, LINES)
    (tmp_path / "manifest.json").unlink()
    assert codes(refused(tmp_path)) == ["manifest_missing"]
    with opened(tmp_path, unverified=True) as export:
        assert (export.identity.trust, export.identity.tenant) == ("unverified", None)
        assert {"export_unverified", "manifest_missing"} <= {f.code for f in export.findings}
        assert not export.check(Question(**JUNE)).sound
        assert usd(export) == USD


def test_an_empty_folder_is_no_export(tmp_path: Path) -> None:
    assert codes(refused_or_unreadable(tmp_path)) in (["manifest_missing"], [])
    with pytest.raises(UnreadableInput):
        opened(tmp_path / "gone")


def refused_or_unreadable(place: Path) -> IntegrityFailure:
    try:
        return refused(place)
    except UnreadableInput:
        return IntegrityFailure([])


def wrong_digest(manifest: dict[str, Any]) -> None:
    manifest["files"][0]["sha256"] = "0" * 64


def wrong_size(manifest: dict[str, Any]) -> None:
    manifest["files"][0]["bytes"] += 1


def wrong_records(manifest: dict[str, Any]) -> None:
    manifest["files"][0]["records"] = 5


def one_file_more(manifest: dict[str, Any]) -> None:
    manifest["files"].append({"path": "gone.jsonl", "sha256": "0" * 64})


MISMATCHES: dict[str, tuple[list[Callable[[dict[str, Any]], None]], list[str]]] = {
    "another digest": ([wrong_digest], ["file_digest"]),
    "another size": ([wrong_size], ["file_size"]),
    "another number of records": ([wrong_records], ["file_records"]),
    "a file more": ([one_file_more], ["file_missing"]),
    "another digest and number of records": (
        [wrong_digest, wrong_records],
        ["file_digest", "file_records"],
    ),
    "another digest and a file more": (
        [wrong_digest, one_file_more],
        ["file_digest", "file_missing"],
    ),
    "another size and a file more": ([wrong_size, one_file_more], ["file_missing", "file_size"]),
}


@pytest.mark.parametrize("name", MISMATCHES)
def test_what_is_not_as_listed_is_refused_and_all_of_it_is_said(name: str, tmp_path: Path) -> None:
    changes, expected = MISMATCHES[name]
    write_export(tmp_path, LINES)
    for change in changes:
        rewrite(tmp_path, change)
    assert codes(refused(tmp_path)) == expected
    with opened(tmp_path, unverified=True) as export:
        assert export.identity.trust == "unverified"
        assert export.identity.sha256 == sha(tmp_path / "records.jsonl")
        assert sorted(f.code for f in export.findings) == sorted([*expected, "export_unverified"])


def test_a_number_of_records_that_fits_counts_no_blank_line(tmp_path: Path) -> None:
    write_bytes(tmp_path, {"records.jsonl": b"\n".join([CARD, b"", b" \r", call(1), b""])})
    rewrite(tmp_path, lambda manifest: manifest["files"][0].update(records=2))
    with opened(tmp_path) as export:
        assert export.identity.records == 2
    rewrite(tmp_path, lambda manifest: manifest["files"][0].update(records=4))
    assert codes(refused(tmp_path)) == ["file_records"]


def test_every_listed_file_is_held_against_its_digest(tmp_path: Path) -> None:
    files = {"records.jsonl": b"\n".join(LINES), "README.md": b"read me", "a/b.csv": b"1,2"}
    write_bytes(tmp_path, files)
    opened(tmp_path).close()
    (tmp_path / "README.md").write_bytes(b"READ ME")
    (tmp_path / "a" / "b.csv").write_bytes(b"1,3")
    error = refused(tmp_path)
    assert [(p.code, p.where) for p in error.problems] == [
        ("file_digest", "README.md"),
        ("file_digest", "a/b.csv"),
    ]


def test_a_manifest_of_nothing_to_read_is_refused(tmp_path: Path) -> None:
    write_bytes(tmp_path, {"README.md": b"read me"})
    assert codes(refused(tmp_path)) == ["manifest_empty"]


def test_digests_and_invalid_lines_are_shown_together(tmp_path: Path) -> None:
    write_export(tmp_path, [CARD, b"oops"])
    rewrite(tmp_path, wrong_digest)
    assert codes(refused(tmp_path)) == ["file_digest", "line_invalid"]
    assert codes(refused(tmp_path, skip_invalid=True)) == ["file_digest", "line_invalid"]


def test_oddities_are_findings(tmp_path: Path) -> None:
    place = tmp_path / "export"
    write_export(place, LINES)
    for name in ("a.txt", "b.txt", "c.txt", "d.txt", "e.txt", "f.txt"):
        (place / name).touch()
    os.link(place / "records.jsonl", tmp_path / "elsewhere")
    with opened(place) as export:
        found = {finding.code: finding for finding in export.findings}
    assert found["file_unread"].count == 6
    assert found["file_unread"].message.endswith("a.txt, b.txt, c.txt, d.txt, e.txt and 1 more")
    assert "2 hard links" in found["file_linked"].message


# --- names -----------------------------------------------------------------------------------

NAMES = (
    "r[1].jsonl",
    "r*.jsonl",
    "r?.jsonl",
    'it\'s "r".jsonl',
    "$(r) %s {}.jsonl",
    "größe ☕.jsonl",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_no_pattern(name: str, tmp_path: Path) -> None:
    """A reader that takes the name for a pattern reads r1.jsonl as well, or instead."""
    files = {name: b"\n".join(LINES), "r1.jsonl": call(-1) + b"\n", "rx.jsonl": call(-1) + b"\n"}
    write_bytes(tmp_path, files)
    with opened(tmp_path) as export:
        assert usd(export) == USD
        assert [part.path for part in export.inside.loaded.parts] == list(files)
        assert [part.records for part in export.inside.loaded.parts] == [4, 1, 1]


def test_an_archive_is_read_twice_where_a_line_is_in_doubt(tmp_path: Path) -> None:
    doubtful = call(1_000_000).replace(b"00Z", b"00.0000000Z")
    write_export(tmp_path / "export", [CARD, doubtful, call(2_000_000)])
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for child in (tmp_path / "export").iterdir():
            archive.write(child, child.name)
    with opened(tmp_path / "export.zip") as export:
        assert usd(export) == USD


# --- the cache -------------------------------------------------------------------------------


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The databases that were built, in order."""
    built: list[Path] = []
    load = load_module.load

    def counting(source: Any, paths: Any, database: Path, **more: Any) -> Any:
        built.append(database)
        return load(source, paths, database, **more)

    monkeypatch.setattr(export_module, "load", counting)
    return built


def test_the_second_question_costs_no_loading(tmp_path: Path, loads: list[Path]) -> None:
    write_export(tmp_path, LINES)
    for _ in range(2):
        with opened(tmp_path, cache=True) as export:
            assert usd(export) == USD
    assert len(loads) == 1


def test_without_the_cache_nothing_is_kept(
    tmp_path: Path, loads: list[Path], private_cache: Path
) -> None:
    write_export(tmp_path, LINES)
    for _ in range(2):
        opened(tmp_path, cache=False).close()
    assert len(loads) == 2
    assert list(private_cache.iterdir()) == []
    assert not any(path.exists() for path in loads)


def test_a_changed_byte_is_not_answered_from_the_cache(tmp_path: Path, loads: list[Path]) -> None:
    write_export(tmp_path, LINES)
    opened(tmp_path, cache=True).close()
    data = (tmp_path / "records.jsonl").read_bytes()
    (tmp_path / "records.jsonl").write_bytes(data.replace(b"1000000", b"1000001"))
    assert codes(refused(tmp_path, cache=True)) == ["file_digest"]
    write_export(tmp_path, [CARD, call(1_000_001)])
    with opened(tmp_path, cache=True) as export:
        assert usd(export) == Fraction("2.7000027")
    assert len(loads) == 3


def test_an_unverified_reading_does_not_poison_the_cache(tmp_path: Path) -> None:
    write_export(tmp_path, LINES)
    honest = (tmp_path / "records.jsonl").read_bytes()
    (tmp_path / "records.jsonl").write_bytes(honest.replace(b"1000000", b"9000000"))
    with opened(tmp_path, cache=True, unverified=True) as export:
        assert usd(export) == USD + Fraction("21.6")
    (tmp_path / "records.jsonl").write_bytes(honest)
    with opened(tmp_path, cache=True) as export:
        assert usd(export) == USD


def test_other_names_for_fields_are_another_database(tmp_path: Path, loads: list[Path]) -> None:
    write_export(tmp_path, LINES)
    with opened(tmp_path, cache=True) as export:
        assert usd(export) == USD
    with opened(tmp_path, cache=True, fields={"cache_read_tokens": "cached"}) as export:
        assert usd(export) is None
    assert len(loads) == 2


def test_bytes_that_were_unpacked_are_not_the_bytes_as_they_are(tmp_path: Path) -> None:
    packed = gzip.compress(b"\n".join(LINES), mtime=0)
    write_bytes(tmp_path / "one", {"records.jsonl.gz": packed})
    write_bytes(tmp_path / "two", {"records.jsonl": packed})
    opened(tmp_path / "one", cache=True).close()
    assert set(codes(refused(tmp_path / "two", cache=True))) == {"line_invalid"}


def test_the_same_bytes_under_another_name_are_known_and_named_anew(
    tmp_path: Path, loads: list[Path]
) -> None:
    lines = [*LINES, b"oops"]
    write_export(tmp_path / "one", lines)
    write_export(tmp_path / "two", lines, name="other.jsonl", tenant="else")
    opened(tmp_path / "one", cache=True, skip_invalid=True).close()
    error = refused(tmp_path / "two", cache=True)
    assert [problem.where for problem in error.problems] == ["other.jsonl, line 5"]
    assert len(loads) == 1


def test_parts_in_another_order_are_another_export(tmp_path: Path, loads: list[Path]) -> None:
    """Where two lines compete, the later one counts."""
    cheap = CARD.replace(b": 3,", b": 1,")
    files = {"a.jsonl": CARD + b"\n" + call(1_000_000), "b.jsonl": cheap}
    write_bytes(tmp_path, files)
    with opened(tmp_path, cache=True) as export:
        assert usd(export) == Fraction("0.7")
    write_bytes(tmp_path, dict(reversed(files.items())))
    with opened(tmp_path, cache=True) as export:
        assert usd(export) == Fraction("2.7")
    assert len(loads) == 2


def test_what_was_wrong_with_lines_is_remembered(tmp_path: Path, loads: list[Path]) -> None:
    odd = [b"\xef\xbb\xbf" + CARD, b"", call(1) + b"\r", b"oops", call(True)]
    write_bytes(tmp_path, {"a.jsonl": b"\n".join(odd), "b.jsonl": b"\n".join([call(2), b"{"])})
    answers = []
    for _ in range(2):
        error = refused(tmp_path, cache=True)
        with opened(tmp_path, cache=True, skip_invalid=True) as export:
            answers.append((error.problems, export.findings, usd(export)))
    assert [problem.line for problem in answers[0][0]] == [4, 5, 7]
    assert answers[0] == answers[1]
    assert len(loads) == 1


@pytest.mark.parametrize("harm", ["cut short", "one byte", "a note of another version", "no note"])
def test_a_harmed_entry_is_built_anew(
    harm: str, tmp_path: Path, loads: list[Path], private_cache: Path
) -> None:
    write_export(tmp_path, LINES)
    opened(tmp_path, cache=True).close()
    (entry,) = private_cache.iterdir()
    database, note = entry / "store.duckdb", entry / "entry.json"
    data = database.read_bytes()
    if harm == "cut short":
        database.write_bytes(data[:-4096])
    elif harm == "one byte":
        database.write_bytes(data[:9000] + bytes([data[9000] ^ 1]) + data[9001:])
    elif harm == "no note":
        note.unlink()
    else:
        note.write_text(note.read_text().replace('"version": "', '"version": "9'))
    with opened(tmp_path, cache=True) as export:
        assert usd(export) == USD
    opened(tmp_path, cache=True).close()
    assert len(loads) == 2


def test_an_open_export_outlives_the_clearing_of_the_cache(tmp_path: Path) -> None:
    write_export(tmp_path, LINES)
    with opened(tmp_path, cache=True) as export:
        Cache(default_root()).clear()
        assert usd(export) == USD


def test_where_nothing_can_be_kept_it_is_said_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("VERIFY_CACHE_DIR", str(tmp_path / "file" / "below"))
    write_export(tmp_path / "export", LINES)
    said: list[str] = []
    with opened(tmp_path / "export", cache=True, notice=said.append) as export:
        assert usd(export) == USD
    assert len(said) == 1
    assert "nothing can be kept" in said[0]


def test_two_runs_at_once_share_one_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, private_cache: Path
) -> None:
    write_export(tmp_path, LINES)
    both, load, figures = threading.Barrier(2), load_module.load, []

    def together(*arguments: Any, **more: Any) -> Any:
        both.wait(20)
        return load(*arguments, **more)

    monkeypatch.setattr(export_module, "load", together)

    def run() -> None:
        with opened(tmp_path, cache=True) as export:
            figures.append(usd(export))

    runs = [threading.Thread(target=run) for _ in range(2)]
    for one in runs:
        one.start()
    for one in runs:
        one.join()
    assert figures == [USD, USD]
    assert [child.name.startswith("building-") for child in private_cache.iterdir()] == [False]


# --- while it is read ------------------------------------------------------------------------


def replace_file(path: Path) -> None:
    path.with_name("new").write_bytes(b"\n".join(LINES).replace(b"1000000", b"9000000"))
    os.replace(path.with_name("new"), path)


def append(path: Path) -> None:
    with path.open("ab") as handle:
        handle.write(call(7) + b"\n")


def truncate(path: Path) -> None:
    os.truncate(path, 3_000_000)


def overwrite(path: Path) -> None:
    with path.open("r+b") as handle:
        handle.seek(3_000_000)
        handle.write(b" ")


@pytest.mark.parametrize("change", [append, truncate, overwrite])
@pytest.mark.parametrize("cached", [True, False])
def test_a_file_that_changes_while_it_is_read_is_refused(
    change: Callable[[Path], None], cached: bool, tmp_path: Path, private_cache: Path
) -> None:
    write_export(tmp_path, [CARD] + [call(1, pack="p" * 1000)] * 4000)
    done: list[int] = []

    def once(count: int) -> None:
        if not done:
            change(tmp_path / "records.jsonl")
        done.append(count)

    error = refused(tmp_path, cache=cached, progress=once)
    assert "file_digest" in codes(error)
    if cached:
        for child in private_cache.iterdir():
            assert not child.name.startswith("building-")


def test_a_file_that_is_exchanged_while_it_is_read_is_read_as_it_was(tmp_path: Path) -> None:
    write_export(tmp_path, LINES)
    with opened(tmp_path, progress=lambda _: replace_file(tmp_path / "records.jsonl")) as export:
        assert usd(export) == USD
        assert export.identity.trust == "unauthenticated"


def test_a_file_that_is_exchanged_between_two_readings_is_refused(tmp_path: Path) -> None:
    write_export(tmp_path, [*LINES, call(1).replace(b"00Z", b"00.0000001Z")])

    def exchange(_: int) -> None:
        replace_file(tmp_path / "records.jsonl")

    assert codes(refused(tmp_path, progress=exchange)) == ["file_digest"]


def test_progress_tells_every_byte(tmp_path: Path) -> None:
    write_export(tmp_path, [CARD] + [call(1, pack="p" * 1000)] * 3000)
    size = (tmp_path / "records.jsonl").stat().st_size
    for _ in range(2):
        told: list[int] = []
        opened(tmp_path, cache=True, progress=told.append).close()
        assert sum(told) == size


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("cached", [True, False])
def test_nothing_is_left_behind(
    cached: bool, fails: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, private_cache: Path
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    write_export(tmp_path / "export", LINES)
    if fails:
        (tmp_path / "export" / "records.jsonl").write_bytes(b"oops\n")
    before = len(os.listdir("/dev/fd"))
    for _ in range(2):
        if fails:
            refused(tmp_path / "export", cache=cached)
        else:
            with opened(tmp_path / "export", cache=cached) as export:
                usd(export)
    assert list(temporary.iterdir()) == []
    assert not [child for child in private_cache.iterdir() if child.name.startswith("building-")]
    assert len(os.listdir("/dev/fd")) <= before + 1


def test_an_interrupted_loading_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, private_cache: Path
) -> None:
    write_export(tmp_path, LINES)

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(export_module, "load", interrupted)
    with pytest.raises(KeyboardInterrupt):
        opened(tmp_path, cache=True)
    assert list(private_cache.iterdir()) == []


# --- any byte, any line ----------------------------------------------------------------------

PACKED: Mapping[str, Callable[[bytes], bytes]] = {
    "records.jsonl": bytes,
    "records.jsonl.gz": lambda data: gzip.compress(data, mtime=0),
    "records.jsonl.zst": zstandard.compress,
}
CASE = random_export(7, bursts=12)
DATA = b"".join(line + b"\n" for line in CASE.lines)
BYTES = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module", params=PACKED)
def sound(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, bytes]]:
    """A sound export, and the bytes of its records file."""
    name = str(request.param)
    place = tmp_path_factory.mktemp("sound")
    data = PACKED[name](DATA)
    write_bytes(place, {name: data}, zone=CASE.zone)
    rewrite(place, lambda manifest: manifest["files"][0].pop("bytes"))
    opened(place).close()
    yield place / name, data
    (place / name).write_bytes(data)
    opened(place).close()


def tapping(source: Source, paths: Sequence[str], _database: Path, **_: object) -> Loaded:
    """Read the files as the loader does, and load nothing."""
    parts = []
    for path in paths:
        with source.open(path) as handle:
            tap = Tap(handle, path)
            for _block in tap.blocks():
                pass
        parts.append(Part(path, 1, tap.sha256, tap.bytes, tap.lines))
    return Loaded(tuple(parts), ())


def change_a_byte(path: Path, whole: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(whole) - 1))
    new = data.draw(st.integers(0, 255).filter(lambda byte: byte != whole[at]))
    path.write_bytes(whole[:at] + bytes([new]) + whole[at + 1 :])


@given(data=st.data())
@settings(BYTES, max_examples=10)
def test_any_byte_changed_is_refused(sound: tuple[Path, bytes], data: st.DataObject) -> None:
    change_a_byte(*sound, data)
    assert "file_digest" in codes(refused(sound[0].parent))


@given(data=st.data())
@settings(BYTES, max_examples=120)
def test_any_byte_changed_is_refused_whatever_the_parser_thinks_of_it(
    sound: tuple[Path, bytes], data: st.DataObject
) -> None:
    change_a_byte(*sound, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export_module, "load", tapping)
        assert "file_digest" in codes(refused(sound[0].parent))


@given(data=st.data())
@settings(BYTES, max_examples=6)
def test_any_cut_or_addition_is_refused(sound: tuple[Path, bytes], data: st.DataObject) -> None:
    path, whole = sound
    at = data.draw(st.integers(0, len(whole)))
    behind = data.draw(st.one_of(st.just(at), st.integers(at, len(whole))))
    new = data.draw(st.binary(max_size=3))
    changed = whole[:at] + new + whole[behind:]
    if changed != whole:
        path.write_bytes(changed)
        assert "file_digest" in codes(refused(path.parent))


def lines_changed(lines: list[bytes], how: str, one: int, two: int) -> list[bytes]:
    changed = list(lines)
    if how == "deleted":
        del changed[one]
    elif how == "repeated":
        changed.insert(two, changed[one])
    elif how == "moved":
        changed.insert(two, changed.pop(one))
    else:
        changed[one], changed[two] = changed[two], changed[one]
    return changed


@pytest.mark.parametrize("how", ["deleted", "repeated", "moved", "swapped"])
@given(data=st.data())
@settings(BYTES, max_examples=6)
def test_any_line_deleted_repeated_moved_or_swapped_is_refused(
    how: str, data: st.DataObject
) -> None:
    at = st.integers(0, len(CASE.lines) - 1)
    lines = lines_changed(CASE.lines, how, data.draw(at), data.draw(at))
    if lines == CASE.lines:
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_export(place, CASE.lines, zone=CASE.zone)
        (place / "records.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
        assert codes(refused(place)) in (
            ["file_digest"],
            ["file_size"],
            ["file_digest", "file_size"],
        )


def test_any_byte_of_a_pinned_manifest_changed_is_refused(tmp_path: Path) -> None:
    write_export(tmp_path, LINES)
    path = tmp_path / "manifest.json"
    whole, pin = path.read_bytes(), sha(path)
    rng = random.Random("manifest")
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :])
        refused(tmp_path, manifest_sha256=pin)


def test_any_byte_of_a_manifest_changed_is_refused_or_does_not_touch_the_files(
    tmp_path: Path,
) -> None:
    write_export(tmp_path, LINES)
    path = tmp_path / "manifest.json"
    whole, rng = path.read_bytes(), random.Random("manifest")
    for at in range(rng.randrange(5), len(whole), 5):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :])
        try:
            export = opened(tmp_path, cache=True)
        except IntegrityFailure:
            continue
        with export:
            assert export.identity.trust == "unauthenticated"
            assert export.identity.sha256 == sha(tmp_path / "records.jsonl")
            assert export.identity.records == 4
