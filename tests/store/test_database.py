"""A connection reaches its own database and nothing else."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from verify.errors import UnreadableInput
from verify.store.database import connect, interruptible, lock, memory_limit, threads


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "store.duckdb"
    with connect(path, read_only=False) as connection:
        connection.execute("CREATE TABLE facts AS SELECT 1 AS n")
    return path


REACHES_OUT = {
    "a text file": "SELECT * FROM read_text('{secret}')",
    "a blob": "SELECT * FROM read_blob('{secret}')",
    "CSV": "SELECT * FROM read_csv('{secret}')",
    "JSON": "SELECT * FROM read_ndjson('{secret}')",
    "a file by its name alone": "SELECT * FROM '{secret}'",
    "Parquet": "SELECT * FROM read_parquet('{secret}')",
    "the names of files": "SELECT * FROM glob('{folder}/*')",
    "another database": "ATTACH '{folder}/other.duckdb' AS other",
    "writing": "COPY (SELECT 1) TO '{folder}/out.csv'",
    "exporting": "EXPORT DATABASE '{folder}/out'",
    "the network": "SELECT * FROM 'http://127.0.0.1:9/x.csv'",
    "installing": "INSTALL httpfs",
    "loading": "LOAD '{folder}/x.duckdb_extension'",
    "asking for the outside again": "SET enable_external_access = true",
    "unlocking": "SET lock_configuration = false",
    "more memory": "SET memory_limit = '100GB'",
    "another zone": "SET TimeZone = 'Asia/Tokyo'",
    "another folder to spill to": "SET temp_directory = '{folder}'",
    "a pragma": "PRAGMA threads = 64",
}


@pytest.mark.parametrize("what", REACHES_OUT)
def test_a_locked_connection_reaches_nothing(what: str, database: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("secret\n1\n")
    sql = REACHES_OUT[what].format(secret=secret, folder=tmp_path)
    before = set(tmp_path.iterdir())
    with connect(database, read_only=True) as connection:
        lock(connection)
        with pytest.raises(duckdb.Error):
            connection.execute(sql).fetchall()
        assert connection.execute("SELECT n FROM facts").fetchall() == [(1,)]
        connection.execute("CREATE TEMP TABLE own AS FROM range(5)")
    assert set(tmp_path.iterdir()) - before <= {database.with_suffix(".tmp")}


def test_one_program_opens_a_database_many_times(database: Path, tmp_path: Path) -> None:
    open_at_once = [
        connect(database, read_only=True, scratch=tmp_path / str(number)) for number in range(3)
    ]
    for number, connection in enumerate(open_at_once):
        lock(connection)
        connection.execute(f"CREATE TEMP TABLE own AS SELECT {number} AS n")
    for number, connection in enumerate(open_at_once):
        assert connection.execute("SELECT n FROM facts").fetchall() == [(1,)]
        assert connection.execute("SELECT n FROM own").fetchall() == [(number,)]
        connection.close()


def test_a_path_is_a_path_and_no_sql(tmp_path: Path) -> None:
    path = tmp_path / 'it\'s "one".duckdb'
    with connect(path, read_only=False) as connection:
        connection.execute("CREATE TABLE facts AS SELECT 1 AS n")
    with connect(path, read_only=True) as connection:
        assert connection.execute("SELECT n FROM facts").fetchall() == [(1,)]


def test_a_read_only_connection_writes_nothing(database: Path) -> None:
    bytes_before = database.read_bytes()
    with (
        connect(database, read_only=True) as connection,
        pytest.raises(duckdb.Error, match="read-only"),
    ):
        connection.execute("INSERT INTO facts VALUES (2)")
    assert database.read_bytes() == bytes_before


def test_a_connection_is_in_utc(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    with connect(database, read_only=True) as connection:
        assert connection.execute("SELECT current_setting('TimeZone')").fetchall() == [("UTC",)]


@pytest.mark.parametrize("bytes_", [b"", b"x", b"not a database at all" * 1000])
def test_what_is_no_database_is_an_error_with_its_name(bytes_: bytes, tmp_path: Path) -> None:
    path = tmp_path / "odd.duckdb"
    path.write_bytes(bytes_)
    with pytest.raises(UnreadableInput, match=r"cannot open the database .*odd\.duckdb"):
        connect(path, read_only=True)


def test_no_database_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput):
        connect(tmp_path / "gone.duckdb", read_only=True)


def test_a_memory_limit_that_is_none_is_an_error_and_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIFY_MEMORY", "a lot")
    with pytest.raises(UnreadableInput):
        connect(tmp_path / "new.duckdb", read_only=False)


@pytest.mark.parametrize(
    ("given", "found"),
    [("3", 3), ("1", 1), ("0", None), ("-2", None), ("", None), ("²", None), ("many", None)],
)
def test_threads_are_those_asked_for_or_one_a_core(
    given: str, found: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 5)
    monkeypatch.setenv("VERIFY_THREADS", given)
    assert threads() == (found or 5)


def test_the_memory_limit_is_the_one_asked_for(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIFY_MEMORY", "123MB")
    assert memory_limit() == "123MB"
    with connect(database, read_only=True) as connection:
        (row,) = connection.execute("SELECT current_setting('memory_limit')").fetchall()
    assert row[0].startswith("117.") or row[0].startswith("123")
    monkeypatch.setenv("VERIFY_MEMORY", "")
    assert memory_limit() == "640MB"


def test_a_block_left_by_an_error_closes_the_connection(database: Path) -> None:
    connection = connect(database, read_only=True)
    with interruptible(connection):
        pass
    assert connection.execute("SELECT n FROM facts").fetchall() == [(1,)]
    with pytest.raises(KeyboardInterrupt), interruptible(connection):
        raise KeyboardInterrupt
    with pytest.raises(duckdb.ConnectionException):
        connection.execute("SELECT n FROM facts")
