"""Connections to DuckDB: bounded in memory, in UTC, and closed to everything outside."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from verify.errors import UnreadableInput

MEMORY_LIMIT = "640MB"
# What a reader of JSON hands on at once fills one or two of these; were they larger, DuckDB would
# have to copy them together to keep the order of the lines, which takes half as long again.
ROW_GROUP = 16_384


def threads() -> int:
    """How many threads to use: `VERIFY_THREADS`, else one a core."""
    given = os.environ.get("VERIFY_THREADS", "")
    return int(given) if given.isdecimal() and int(given) > 0 else os.cpu_count() or 1


def memory_limit() -> str:
    """What DuckDB may hold before it spills: `VERIFY_MEMORY`, else 640 MB."""
    return os.environ.get("VERIFY_MEMORY") or MEMORY_LIMIT


def connect(
    path: Path, *, read_only: bool, scratch: Path | None = None
) -> duckdb.DuckDBPyConnection:
    """Open the database at `path`, spilling to `scratch` (default: beside it).

    One program may open a database many times, for reading alone. Raises UnreadableInput when it
    cannot be opened.
    """
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory_limit(),
        "threads": threads(),
        "temp_directory": str(scratch or path.with_suffix(".tmp")),
        "preserve_insertion_order": True,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    try:
        # Attached, because two connections to one file would have to share their settings, the
        # lock included; and because only then can the size of its row groups be chosen.
        connection = duckdb.connect(":memory:", config=settings)
        literal, name = str(path).replace("'", "''"), path.stem.replace('"', '""')
        how = "READ_ONLY" if read_only else f"ROW_GROUP_SIZE {ROW_GROUP}"
        connection.execute(f"ATTACH '{literal}' AS \"{name}\" (TYPE duckdb, {how})")
        connection.execute(f'USE "{name}"')
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise UnreadableInput(f"cannot open the database {path}: {reason}") from None
    connection.execute("SET TimeZone = 'UTC'")
    with suppress(duckdb.Error):  # in a notebook it may not even be turned off
        connection.execute("SET enable_progress_bar = false")  # it would draw on our stdout
    return connection


def lock(connection: duckdb.DuckDBPyConnection) -> None:
    """From here on the connection reads no file, no network, and keeps its settings."""
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


@contextmanager
def interruptible(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Close the connection if the block is left by an error, whatever the error."""
    done = threading.Event()
    try:
        yield
        done.set()
    finally:
        if not done.is_set():
            connection.close()
