"""Every line of an export once more: in blocks, hashed as they are read, by several processes.

What the processes find comes back in the order of the blocks, so that nothing depends on how many
there are. However large the file, no more than a few blocks are held at once.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from verify.errors import Problem, UnreadableInput
from verify.trust.source import Source
from verify.trust.tap import LineTooLong, Tap

Progress = Callable[[int, int], None]
"""Told how many bytes of how many were read."""

SMALL = 16 * 1024 * 1024
"""Fewer bytes than these are not worth starting processes for."""

T = TypeVar("T")
R = TypeVar("R")

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Block:
    """Whole lines of one file. Lines are counted from 1 through all files; `first_line` is that of
    the first one here, `file_line` the first one of the file."""

    data: bytes
    path: str
    first_line: int
    file_line: int

    def lines(self) -> list[bytes]:
        """The lines without their line feeds, and without the byte-order mark of the file."""
        lines = self.data.split(b"\n")
        if not lines[-1]:
            lines.pop()
        if self.first_line == self.file_line and lines:
            lines[0] = lines[0].removeprefix(_BYTE_ORDER_MARK)
        return lines

    def place(self, line: int) -> str:
        """The file and the line in it, of a line counted through all files."""
        return f"{self.path}, line {line - self.file_line + 1}"


@dataclass(frozen=True)
class Swept:
    """A file that was read. `unread_from` is the line at which the reading stopped, if it did."""

    path: str
    sha256: str
    first_line: int
    lines: int
    unread_from: int | None = None


class Sweep:
    """One reading of the files `paths`. `files` fills as it goes on."""

    def __init__(
        self, source: Source, paths: Sequence[str], progress: Progress | None = None
    ) -> None:
        self._source = source
        self._paths = paths
        self._progress = progress
        self.files: list[Swept] = []
        sizes = {entry.name: entry.size for entry in source.entries()}
        self.total = sum(sizes.get(path, 0) for path in paths)

    def blocks(self) -> Iterator[Block]:
        """Every block, file after file. Raises UnreadableInput."""
        next_line, done = 1, 0
        for path in self._paths:
            first = next_line
            unread: int | None = None
            with self._source.open(path) as handle:
                tap = Tap(handle, path)
                try:
                    for data in tap.blocks():
                        yield Block(data, path, next_line, first)
                        next_line = first + tap.lines
                        if self._progress is not None:
                            self._progress(done + tap.bytes, self.total)
                except LineTooLong as error:
                    unread = first + error.line - 1
                    tap.drain()
            next_line = first + tap.lines + (unread is not None)
            done += tap.bytes
            self.files.append(Swept(path, tap.sha256, first, tap.lines, unread))

    def changed(self, digests: Mapping[str, str]) -> list[Problem]:
        """The files whose bytes were not those that have these digests."""
        message = "it changed while it was being read"
        return [
            Problem("file_digest", file.path, message)
            for file in self.files
            if file.sha256 != digests[file.path]
        ]


def in_order(work: Callable[[T], R], items: Iterable[T], processes: int) -> Iterator[R]:
    """`work` of each of `items`, in their order, a few of them at a time.

    With one process it is done in this one; else `work` must be a function that can be pickled.
    Raises UnreadableInput when a process is ended from outside.
    """
    if processes < 2:
        yield from map(work, items)
        return
    left = iter(items)
    # Spawned, not forked: this process may hold a database with threads of its own.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, initializer=_leave_interrupts_to_the_parent)
    try:
        waiting: deque[Future[R]] = deque()
        for item in islice(left, 2 * processes):
            waiting.append(pool.submit(work, item))
        while waiting:
            found = waiting.popleft().result()
            for item in islice(left, 1):
                waiting.append(pool.submit(work, item))
            yield found
    except BrokenProcessPool:
        raise UnreadableInput(
            "a process that read the lines was ended from outside",
            advice="Was there memory enough? VERIFY_THREADS=1 reads in one process.",
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
