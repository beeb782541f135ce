"""How far a long reading has come: one line on stderr, for a person who waits at a terminal."""

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
    """Called with the bytes read and the bytes in all; use it in a `with` block."""

    def __init__(self, label: str, *, quiet: bool) -> None:
        self._label = label
        self._shown = ""
        dumb = os.environ.get("TERM") == "dumb"
        self._active = not quiet and not dumb and sys.stderr.isatty()
        self._next = time.monotonic() + PATIENCE

    def __call__(self, done: int, total: int) -> None:
        if not self._active or (now := time.monotonic()) < self._next:
            return
        self._next = now + _INTERVAL
        percent = min(100 * done // total, 100) if total else 100
        self._show(f"verify: {self._label} {percent:3} %")

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
