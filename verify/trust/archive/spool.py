"""The bytes of an archive's members, unpacked once into a file that has no name.

On POSIX the file is unlinked before anything is written to it, elsewhere the system removes it with
its last handle: nobody can exchange it, and nothing is left behind, not even by a run that is
killed.
"""

from __future__ import annotations

import io
import tempfile
from threading import Lock
from typing import BinaryIO

from verify.errors import UnreadableInput
from verify.trust.archive.member import Bytes

BUFFER = 64 * 1024


class Spool:
    """A store of bytes that is only added to. `size` is where the next byte goes."""

    def __init__(self) -> None:
        self.size = 0
        self._lock = Lock()
        try:
            self._file = tempfile.TemporaryFile(prefix="verify-", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise _no_room(error) from None

    def write(self, data: Bytes) -> None:
        """Add `data` at the end. Raises UnreadableInput where the disk is full."""
        rest = memoryview(data)
        with self._lock:
            try:
                self._file.seek(self.size)
                while rest:
                    rest = rest[self._file.write(rest) :]
            except OSError as error:
                raise _no_room(error) from None
            self.size += len(data)

    def read_into(self, buffer: memoryview, start: int) -> int:
        """Fill `buffer` from `start` on; returns how many bytes there were."""
        with self._lock:
            self._file.seek(start)
            return self._file.readinto(buffer) or 0

    def open(self, start: int, size: int) -> BinaryIO:
        """The `size` bytes from `start` on, as a file of their own."""
        return io.BufferedReader(_Slice(self, start, size), BUFFER)

    def close(self) -> None:
        """Give the bytes up."""
        self._file.close()


class _Slice(io.RawIOBase):
    def __init__(self, spool: Spool, start: int, size: int) -> None:
        self._spool = spool
        self._at = start
        self._end = start + size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = self._spool.read_into(memoryview(buffer)[: self._end - self._at], self._at)
        self._at += count
        return count


def _no_room(error: OSError) -> UnreadableInput:
    why = (error.strerror or type(error).__name__).lower()
    return UnreadableInput(
        f"cannot unpack the archive into {tempfile.gettempdir()}: {why}",
        advice="It needs room for all of its members; TMPDIR names another place.",
    )
