"""The grid answers as the queries of the levers do: exactly, for any set of choices."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from oracle.exports import Export, random_export
from support.exports import write_export
from support.thorough import cases

from verify.compare.figures import At
from verify.result import Recomputation, Value
from verify.systems import system_named
from verify.systems.base import Question, Reading


def recomputed(result: Recomputation) -> dict[At, Value]:
    found: dict[At, Value] = {}
    for lever in result.levers:
        name = lever.lever
        found[At(name, "status")] = lever.status
        found[At(name, "usd")] = lever.usd
        found[At(name, "coverage_measured")] = lever.coverage.measured
        found[At(name, "coverage_total")] = lever.coverage.total
        for measure, value in lever.totals.items():
            if measure != "usd":
                found[At(name, measure)] = value
        for row in lever.by["deployment"]:
            for measure, value in row.measures.items():
                found[At(name, measure, "deployment", row.key)] = value
    return found


def question(case: Export, switches: dict[str, Any]) -> Question:
    return Question(
        since=case.since,
        until=case.until,
        by=("deployment",),
        baseline_model=case.baseline_model,
        switches=switches,
    )


@pytest.mark.drawn
@pytest.mark.parametrize("seed", range(cases(2, 1)))
def test_every_choice_and_drawn_pairs(seed: int, tmp_path: Path) -> None:
    case = random_export(seed + 500, bursts=60)
    write_export(tmp_path, case.lines, zone=case.zone)
    chooser = random.Random(seed)
    with system_named("lighthouse").open(tmp_path, Reading(cache=False)) as export:
        worlds = export.worlds(question(case, {}), 2)
        zones = [c for c in worlds.choices if c.name == "zone"]
        others = [c for c in worlds.choices if c.name != "zone"]
        choices = [*chooser.sample(zones, min(4, len(zones))), *others]
        sets = [{}, *({c.name: c.value} for c in choices)]
        for _ in range(10):
            one, two = chooser.sample(choices, 2)
            sets.append({one.name: one.value, two.name: two.value})
        for switches in sets:
            expected = recomputed(export.recompute(question(case, switches)))
            assert dict(worlds.figures(switches)) == expected, switches


def test_zones_that_share_their_days_are_one_choice(tmp_path: Path) -> None:
    case = random_export(1)
    write_export(tmp_path, case.lines, zone="Europe/Madrid")
    asked = Question(month="2026-10")
    with system_named("lighthouse").open(tmp_path, Reading(cache=False)) as export:
        zones = [c for c in export.worlds(asked, 1).choices if c.name == "zone"]
    values = {str(c.value) for c in zones}
    assert "UTC" in values
    assert "Europe/Paris" not in values | {name for c in zones for name in c.also}
    (utc,) = [c for c in zones if c.value == "UTC"]
    assert "Africa/Abidjan" in utc.also
    assert 30 < len(zones) < 80
