"""Exports of a few lines for the tests of single rules."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from support.books import Books


@pytest.fixture
def books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Books]:
    """Makes exports on the spot; they are open until the test ends."""
    monkeypatch.setenv("VERIFY_THREADS", "1")  # small exports load faster without a second one
    with ExitStack() as stack:
        yield Books(tmp_path, stack)
