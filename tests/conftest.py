"""No test keeps anything in the user's own cache directory."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def private_cache(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A cache directory of each test's own."""
    place = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("VERIFY_CACHE_DIR", str(place))
    monkeypatch.delenv("VERIFY_EXPORT", raising=False)
    return place
