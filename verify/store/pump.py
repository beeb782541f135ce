"""Feeds blocks of bytes to a reader that wants a path, while the caller's iterator hashes them.

On POSIX the path is the reading end of a pipe: the bytes exist once, and nothing can change them
between hashing and parsing. Elsewhere they pass through a private temporary file.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

PIPE_BYTES = 1 << 20
_SET_PIPE_SIZE = 1031  # Linux F_SETPIPE_SZ; a larger pipe means fewer switches between threads

T = TypeVar("T")


def pump(blocks: Iterable[bytes], read: Callable[[str], T], *, pipes: bool | None = None) -> T:
    """Call `read(path)` with a path that yields `blocks` once, in order.

    All of `blocks` is consumed even when `read` stops early, so that a digest taken on the way is
    that of the whole. An error in `blocks` is raised in preference to one in `read`, which it
    would have caused. `pipes=False` forces the temporary file.
    """
    if pipes is None:
        pipes = os.path.isdir("/dev/fd")
    return _through_pipe(blocks, read) if pipes else _through_file(blocks, read)


def _through_pipe(blocks: Iterable[bytes], read: Callable[[str], T]) -> T:
    reading, writing = os.pipe()
    _enlarge(writing)
    failure: list[BaseException] = []

    def feed() -> None:
        broken = False
        try:
            for block in blocks:
                if not broken:
                    broken = not _write(writing, block)
        except BaseException as error:
            failure.append(error)
        finally:
            os.close(writing)

    feeder = threading.Thread(target=feed, name="verify-pump", daemon=True)
    feeder.start()
    try:
        result = read(f"/dev/fd/{reading}")
    except BaseException:
        os.close(reading)
        feeder.join()
        if failure:
            raise failure[0] from None
        raise
    os.close(reading)
    feeder.join()
    if failure:
        raise failure[0]
    return result


def _write(descriptor: int, block: bytes) -> bool:
    rest = memoryview(block)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except BrokenPipeError:  # the reader gave up; its own error says why
        return False
    return True


def _enlarge(descriptor: int) -> None:
    try:
        import fcntl

        fcntl.fcntl(descriptor, _SET_PIPE_SIZE, PIPE_BYTES)
    except (ImportError, OSError):
        pass  # a small pipe is slower and nothing else


def _through_file(blocks: Iterable[bytes], read: Callable[[str], T]) -> T:
    descriptor, path = tempfile.mkstemp(prefix="verify-", suffix=".jsonl")
    try:
        with os.fdopen(descriptor, "wb") as spool:
            for block in blocks:
                spool.write(block)
        return read(path)
    finally:
        os.unlink(path)
