"""Directories that a run makes for itself and that do not outlive it, even when it is killed.

Each holds a lock file on which its owner holds a lock for as long as it lives; the system lets go
of it whatever ends the run. The next run removes the directories whose lock nobody holds. Numbers
of processes would not do: another container on the same disk counts its own.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":  # nobody can tell there whether an owner lives: nothing is swept
    import fcntl

LOCK = ".lock"


@contextmanager
def scratch(root: Path | None, prefix: str) -> Iterator[Path]:
    """A new directory in `root` (None: the system's place for temporary files); what is left in it
    afterwards goes away. Raises OSError where it cannot be made."""
    place = root or Path(tempfile.gettempdir())
    sweep(place, prefix)
    directory = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
    held = _hold(directory)
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        if held is not None:
            os.close(held)


def sweep(root: Path, prefix: str) -> None:
    """Remove what runs left in `root` that are no more."""
    if sys.platform == "win32":
        return
    for directory in root.glob(f"{prefix}*"):
        if directory.is_symlink() or not _is_ours(directory):
            continue
        try:
            lock = os.open(directory / LOCK, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:  # just made, and its lock not yet there; or not made by us
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue  # its owner lives
        else:
            shutil.rmtree(directory, ignore_errors=True)
        finally:
            os.close(lock)


def _hold(directory: Path) -> int | None:
    if sys.platform == "win32":
        return None
    # Locked under another name first: there is no moment in which a lock lies there unheld.
    made = directory / f"{LOCK}.new"
    held = os.open(made, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
    except OSError:  # a file system without locks: the directory is never taken for a dead one
        os.unlink(made)
    else:
        os.rename(made, directory / LOCK)
    return held


def _is_ours(directory: Path) -> bool:
    try:
        return directory.stat().st_uid == os.getuid()
    except OSError:
        return False
