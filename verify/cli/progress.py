"""How far a long reading has come, how fast, and how long it will take yet: one line on stderr,
for a person who waits at a terminal."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import Self

PATIENCE = 1.0
"""Seconds before anything is shown."""
_INTERVAL = 0.1


class Progress:
    """Called with the bytes read and the bytes in all; use it in a `with` block.

    `total` is what `add` takes as all the bytes; None where nobody knows.
    """

    def __init__(self, label: str, *, quiet: bool, total: int | None = None) -> None:
        self._label = label
        self._total = total
        self._done = 0
        self._begun = time.monotonic()
        self._shown = ""
        dumb = os.environ.get("TERM") == "dumb"
        self._active = not quiet and not dumb and sys.stderr.isatty()
        self._next = time.monotonic() + PATIENCE

    def __call__(self, done: int, total: int) -> None:
        if not self._active or (now := time.monotonic()) < self._next:
            return
        self._next = now + _INTERVAL
        percent = min(100 * done // total, 100) if total else 100
        self._show(f"verify: {self._label} {percent:3} %{self._pace(now, done, total)}")

    def add(self, size: int) -> None:
        """So many bytes more were read."""
        self._done += size
        if self._total:
            self(min(self._done, self._total), self._total)
        elif self._active and (now := time.monotonic()) >= self._next:
            self._next = now + _INTERVAL
            self._show(f"verify: {self._label} {self._done >> 20:,} MB{self._pace(now, 0, 0)}")

    def _pace(self, now: float, done: int, total: int) -> str:
        passed = now - self._begun
        rate = (done or self._done) / passed
        if not rate:
            return ""
        left = f", {_time((total - done) / rate)} left" if total > done else ""
        return f", {rate / 1e6:,.0f} MB/s{left}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            self._show("")

    def _show(self, text: str) -> None:
        sys.stderr.write(
            f"\r{text:{len(self._shown)}}" if text else f"\r{' ' * len(self._shown)}\r"
        )
        sys.stderr.flush()
        self._shown = text


def _time(seconds: float) -> str:
    minutes, rest = divmod(max(round(seconds), 1), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
