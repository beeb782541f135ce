"""What is kept is what was built, or it is built again."""

from __future__ import annotations

import errno
import json
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.killed import left_by_a_killed_run

from verify.errors import UnreadableInput
from verify.store.cache import DATABASE, ENTRY, Cache, Entry, default_root, key_of

CONTENT = b"a database" * 100
ABOUT = {"parts": [1, 2], "invalid": []}
KEY = key_of(["ab" * 32], "loader-1", "2.0.1", {})


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    found = Cache.usable(tmp_path / "cache")
    assert found is not None
    return found


def kept(cache: Cache, key: str = KEY, content: bytes = CONTENT) -> Entry:
    with cache.building() as place:
        (place / DATABASE).write_bytes(content)
        return cache.keep(place, key, ABOUT)


def leftovers(cache: Cache) -> list[str]:
    return [child.name for child in cache.root.iterdir() if child.name.startswith("building-")]


def test_what_was_kept_is_found(cache: Cache) -> None:
    entry = kept(cache)
    assert entry.database.read_bytes() == CONTENT
    assert cache.find(KEY) == entry
    assert entry.about == ABOUT
    assert entry.bytes > len(CONTENT)
    assert cache.entries() == [entry]
    assert leftovers(cache) == []


def test_what_was_not_kept_is_not_found(cache: Cache) -> None:
    assert cache.find(KEY) is None
    assert cache.entries() == []
    assert cache.clear() == 0


def test_everything_that_made_a_database_is_in_its_key() -> None:
    keys = [
        key_of(["a"], "loader-1", "2.0.1", {}),
        key_of(["b"], "loader-1", "2.0.1", {}),
        key_of(["a", "b"], "loader-1", "2.0.1", {}),
        key_of(["b", "a"], "loader-1", "2.0.1", {}),
        key_of(["ab"], "loader-1", "2.0.1", {}),
        key_of([], "loader-1", "2.0.1", {}),
        key_of(["a"], "loader-2", "2.0.1", {}),
        key_of(["a"], "loader-1", "2.0.2", {}),
        key_of(["a"], "loader-1", "2.0.1", {"pack": "bag"}),
        key_of(["a"], "loader-1", "2.0.1", {"bag": "pack"}),
    ]
    assert len(set(keys)) == len(keys)
    assert key_of(["a"], "l", "e", {"x": "1", "y": "2"}) == key_of(
        ["a"], "l", "e", {"y": "2", "x": "1"}
    )


def document(**changes: Any) -> Callable[[Path], object]:
    """Change the note beside the database."""

    def change(place: Path) -> None:
        noted = json.loads((place / ENTRY).read_text())
        (place / ENTRY).write_text(json.dumps({**noted, **changes}))

    return change


def note(data: bytes) -> Callable[[Path], object]:
    return lambda place: (place / ENTRY).write_bytes(data)


def exchange_for_folder(place: Path) -> None:
    (place / DATABASE).unlink()
    (place / DATABASE).mkdir()


UNSOUND: dict[str, Callable[[Path], object]] = {
    "a database cut short": lambda place: (place / DATABASE).write_bytes(CONTENT[:-1]),
    "a database with one byte changed": lambda place: (place / DATABASE).write_bytes(
        b"b" + CONTENT[1:]
    ),
    "a database with more behind": lambda place: (place / DATABASE).write_bytes(CONTENT + b"x"),
    "an empty database": lambda place: (place / DATABASE).write_bytes(b""),
    "no database": lambda place: (place / DATABASE).unlink(),
    "a database that is a folder": exchange_for_folder,
    "no note": lambda place: (place / ENTRY).unlink(),
    "an empty note": note(b""),
    "a note that is no JSON": note(b"{"),
    "a note that is not UTF-8": note(b'{"about":"\xff"}'),
    "a note that is a list": note(b"[]"),
    "a note nested without end": note(b"[" * 200_000),
    "a note of null": note(b"null"),
    "a note about nothing": document(about=None),
    "another version": document(version="0.0.0"),
    "another format": document(format=99),
    "another key": document(key="0" * 40),
    "another size": document(bytes=1),
    "another digest": document(sha256="0" * 64),
    "no digest": document(sha256=None),
}


@pytest.mark.parametrize("what", UNSOUND)
def test_an_unsound_entry_is_removed_and_built_anew(what: str, cache: Cache) -> None:
    UNSOUND[what](kept(cache).directory)
    cache.entries()
    assert cache.find(KEY) is None
    assert not (cache.root / KEY).exists()
    kept(cache)
    assert cache.find(KEY) is not None


def test_a_note_cut_anywhere_is_no_traceback(cache: Cache) -> None:
    whole = (kept(cache).directory / ENTRY).read_bytes()
    for length in range(len(whole)):
        entry = cache.find(KEY) or kept(cache)
        (entry.directory / ENTRY).write_bytes(whole[:length])
        assert cache.find(KEY) is None


def test_a_note_with_any_byte_changed_is_unsound_or_says_the_same(cache: Cache) -> None:
    whole = (kept(cache).directory / ENTRY).read_bytes()
    for at in range(len(whole)):
        entry = cache.find(KEY) or kept(cache)
        changed = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        (entry.directory / ENTRY).write_bytes(changed)
        found = cache.find(KEY)
        assert found is None or found.about == ABOUT


def test_of_two_runs_at_once_both_have_an_entry(cache: Cache) -> None:
    with cache.building() as one, cache.building() as two:
        assert one != two
        (one / DATABASE).write_bytes(CONTENT)
        (two / DATABASE).write_bytes(CONTENT + b"slower")
        first = cache.keep(one, KEY, ABOUT)
        second = cache.keep(two, KEY, ABOUT)
    assert first == second
    assert second.database.read_bytes() == CONTENT
    assert leftovers(cache) == []


def test_the_second_of_two_runs_replaces_an_unsound_first(cache: Cache) -> None:
    with cache.building() as one, cache.building() as two:
        (one / DATABASE).write_bytes(CONTENT)
        (two / DATABASE).write_bytes(CONTENT)
        first = cache.keep(one, KEY, ABOUT)
        first.database.write_bytes(b"spoiled")
        second = cache.keep(two, KEY, ABOUT)
    assert second.database.read_bytes() == CONTENT


def test_many_runs_at_once(cache: Cache) -> None:
    failures: list[BaseException] = []
    start = threading.Barrier(6)

    def run() -> None:
        try:
            start.wait()
            for _ in range(20):
                found = cache.find(KEY) or kept(cache)
                assert found.database.read_bytes() == CONTENT
        except BaseException as error:
            failures.append(error)

    runs = [threading.Thread(target=run) for _ in range(6)]
    for one in runs:
        one.start()
    for one in runs:
        one.join()
    assert failures == []
    assert [entry.key for entry in cache.entries()] == [KEY]
    assert leftovers(cache) == []


@pytest.mark.parametrize("obstacle", ["file", "folder"])
def test_something_else_in_the_place_of_an_entry_is_an_error_with_its_name(
    obstacle: str, cache: Cache
) -> None:
    """A file is not of our making and is left alone; a folder without a note is an entry torn."""
    home = cache.root / KEY
    if obstacle == "file":
        home.write_text("mine")
        with pytest.raises(UnreadableInput, match=KEY):
            kept(cache)
        assert home.read_text() == "mine"
    else:
        home.mkdir()
        (home / "something").touch()
        assert kept(cache).database.read_bytes() == CONTENT
    assert leftovers(cache) == []


def test_a_disk_that_is_full_is_an_error_and_leaves_nothing(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UnreadableInput, match=r"No space left"):
        kept(cache)
    assert list(cache.root.iterdir()) == []


def test_an_error_while_building_leaves_nothing(cache: Cache) -> None:
    def interrupted() -> None:
        with cache.building() as place:
            (place / DATABASE).write_bytes(CONTENT)
            (place / "store.tmp").mkdir()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(cache.root.iterdir()) == []


def test_what_was_spilled_is_not_kept(cache: Cache) -> None:
    with cache.building() as place:
        (place / DATABASE).write_bytes(CONTENT)
        (place / "store.tmp").mkdir()
        (place / "store.tmp" / "block").write_bytes(b"x" * 1000)
        entry = cache.keep(place, KEY, ABOUT)
    assert sorted(child.name for child in entry.directory.iterdir()) == [ENTRY, DATABASE]


# --- what others left ------------------------------------------------------------------------


def test_what_a_killed_run_was_building_is_swept_and_nothing_else(cache: Cache) -> None:
    entry = kept(cache)
    left = left_by_a_killed_run(cache.root, "building-")
    with cache.building() as place:
        again = Cache.usable(cache.root)
        assert again is not None
        assert not left.exists()
        assert place.exists()
        assert again.find(KEY) == entry
        assert leftovers(cache) == [place.name]


def test_clearing_removes_entries_and_leaves_what_is_not_ours(cache: Cache) -> None:
    kept(cache)
    kept(cache, "f" * 40)
    torn = kept(cache, "e" * 40)
    (torn.directory / ENTRY).write_bytes(b"{")
    (cache.root / "notes").mkdir()
    (cache.root / "file").touch()
    assert cache.clear() == 2
    assert sorted(child.name for child in cache.root.iterdir()) == ["file", "notes"]


def test_clearing_does_not_take_the_ground_from_under_a_run(cache: Cache) -> None:
    with cache.building() as place:
        (place / DATABASE).write_bytes(CONTENT)
        cache.clear()
        assert cache.keep(place, KEY, ABOUT).database.read_bytes() == CONTENT


def test_a_cache_that_does_not_exist_holds_nothing(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "gone")
    assert cache.entries() == []
    assert cache.clear() == 0
    assert cache.find(KEY) is None
    with pytest.raises(UnreadableInput, match="cannot write"), cache.building():
        pass


def test_where_nothing_can_be_written_there_is_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    assert Cache.usable(tmp_path / "file") is None
    assert Cache.usable(tmp_path / "file" / "below") is None

    def refused(*_: object, **__: object) -> str:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(tempfile, "mkdtemp", refused)
    assert Cache.usable(tmp_path / "read-only") is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_no_cache(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        assert Cache.usable(tmp_path) is None
        assert Cache.usable(tmp_path / "below") is None
    finally:
        tmp_path.chmod(0o700)


def test_a_cache_is_the_user_s_own(tmp_path: Path) -> None:
    assert Cache.usable(tmp_path / "a" / "b") is not None
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


def test_the_cache_lies_where_it_is_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFY_CACHE_DIR", "/somewhere/else")
    assert default_root() == Path("/somewhere/else")
    monkeypatch.setenv("VERIFY_CACHE_DIR", "")
    assert default_root().name == "verify-savings"
