"""A few exports of the proof in planted.py."""

from __future__ import annotations

import pytest
from support.thorough import cases

from compare.planted import case, outcome, planted


@pytest.mark.drawn
@pytest.mark.parametrize("seed", range(1, cases(3, 2)))
def test_what_is_planted_is_named_with_all_its_twins_and_nothing_else(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIFY_THREADS", "1")
    with case(seed) as made:
        result, told = outcome(made, planted(made, 1 + seed % 2))
    assert frozenset(result.planted.items()) in result.twins
    assert result.named == result.twins
    assert result.verdict in ("exact", "together")
    assert told.remaining == ()
    assert told.nearest == ()
