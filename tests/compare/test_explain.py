"""Planted choices are found, alone and in pairs; a typing error is located and not explained."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.exports import write_bytes
from support.program import verify
from support.remembered import remembering
from support.thorough import cases

from verify.compare.explain import Explanation, explain
from verify.compare.verdicts import DIFFERING
from verify.period import month_period
from verify.schemata import violations
from verify.systems import system_named
from verify.systems.base import Question, Reading
from verify.systems.lighthouse.method import SWITCHES
from verify.systems.lighthouse.sample import SamplePlan, build_reads, make_sample

ALONE = [
    (switch.name, value)
    for switch in SWITCHES
    for value in (("UTC",) if switch.name == "zone" else switch.values[1:])
]


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export in which every switch moves a figure."""
    place: Path = tmp_path_factory.mktemp("explain") / "export"
    month = month_period("2026-10", "America/New_York")
    plan = SamplePlan(11, 1000, month.since, month.until, "America/New_York")
    make_sample(place, plan, {})
    return place


@pytest.fixture(scope="module")
def opened(export: Path) -> Iterator[Any]:
    """It, opened once for all."""
    with system_named("lighthouse").open(export, Reading()) as inside:
        yield remembering(inside)


def told(opened: Any, place: Path, switches: dict[str, Any]) -> Explanation:
    """The explanation of a product that calculates with these switches."""
    system = system_named("lighthouse")
    month = month_period("2026-10", "America/New_York")
    place.mkdir(exist_ok=True)
    reads = build_reads(
        opened,
        since=month.since,
        until=month.until,
        time_zone="America/New_York",
        switches=switches,
    )
    for name, body in reads.items():
        (place / name).write_bytes(body)
    return explain(system, opened, system.read_claims(place), Question())


def sets(found: Explanation) -> list[dict[str, Any]]:
    return [{choice.name: choice.value for choice in chosen} for chosen in found.sets]


def adds_up(found: Explanation) -> None:
    for fall in found.waterfalls:
        steps = sum((step.amount for step in fall.steps), Fraction(0))
        assert fall.recomputed + steps + fall.unexplained == Fraction(fall.figure)
        assert fall.delta == Fraction(fall.figure) - fall.recomputed


@pytest.mark.drawn
@pytest.mark.parametrize(("name", "value"), ALONE[:: cases(1, 2)])
def test_a_planted_choice_is_named(opened: Any, tmp_path: Path, name: str, value: Any) -> None:
    found = told(opened, tmp_path, {name: value})
    assert {name: value} in sets(found)
    assert all(len(chosen) == 1 for chosen in found.sets)
    assert found.agreeing == found.tested
    assert found.remaining == ()
    assert {cause.residual for cause in found.causes} == {Fraction(0)}
    adds_up(found)


@pytest.mark.drawn
@pytest.mark.parametrize("seed", range(cases(2, 1)))
def test_a_planted_pair_is_named(opened: Any, tmp_path: Path, seed: int) -> None:
    chooser = random.Random(seed)
    pair: dict[str, Any] = {}
    while len(pair) < 2:
        pair = dict(chooser.sample(ALONE, 2))
    found = told(opened, tmp_path, pair)
    assert found.remaining == ()
    # A smaller or another set may give the very same figures; then none of them is wrong.
    assert pair in sets(found) or all(len(chosen) <= 2 for chosen in found.sets)
    assert found.agreeing == found.tested
    adds_up(found)


def test_a_figure_typed_wrong_is_located_and_not_explained(
    export: Path, opened: Any, tmp_path: Path
) -> None:
    shutil.copytree(export / "api", tmp_path / "api")
    path = tmp_path / "api" / "retrieval.json"
    document = json.loads(path.read_text())
    row = document["stuffing"]["by_agent"][0]
    row["usd_cached"] = round(row["usd_cached"] + 1, 6)
    path.write_text(json.dumps(document))
    system = system_named("lighthouse")
    found = explain(system, opened, system.read_claims(tmp_path / "api"), Question())
    assert found.sets == ()
    (wrong,) = [r for r in found.diff.rows if r.verdict in DIFFERING]
    assert (wrong.at.dimension, wrong.at.key, wrong.at.measure) == (
        "agent",
        row["key"],
        "usd_cached",
    )
    assert found.remaining == (wrong,)


def test_a_planted_choice_and_a_typing_error(opened: Any, tmp_path: Path) -> None:
    told(opened, tmp_path, {"weights": False})
    path = tmp_path / "headline.json"
    document = json.loads(path.read_text())
    document["levers"][1]["usd"] += 5
    path.write_text(json.dumps(document))
    system = system_named("lighthouse")
    found = explain(system, opened, system.read_claims(tmp_path), Question())
    assert sets(found) == [{"weights": False}]
    assert {(row.at.lever, row.at.measure) for row in found.remaining} == {
        ("caching", "usd"),
        ("headline", "usd"),
    }
    (caching,) = [fall for fall in found.waterfalls if fall.at.lever == "caching"]
    assert caching.steps == ()
    assert round(caching.unexplained) == 5
    adds_up(found)


def test_the_command(export: Path, opened: Any, tmp_path: Path) -> None:
    told(opened, tmp_path, {"refused_in_caching": False})
    run = verify("explain", export, "--figures", tmp_path, "--format", "json")
    assert run.code == 1
    assert violations(run.json, "outputs/explain") == []
    assert run.json["sets"] == [{"refused_in_caching": False}]
    agreeing = verify("explain", export, "--figures", export / "api")
    assert agreeing.code == 0
    assert "nothing to explain" in agreeing.out
    assert verify("explain", export).code == 2


def test_lines_that_are_left_out_leave_nothing_agreed(export: Path, tmp_path: Path) -> None:
    place = tmp_path / "export"
    shutil.copytree(export, place)
    data = (place / "records.jsonl").read_bytes() + b"oops\n"
    write_bytes(place, {"records.jsonl": data}, zone="America/New_York")
    for command in ("diff", "explain"):
        asked = (command, place, "--figures", export / "api", "--format", "json")
        assert verify(*asked).code == 3
        run = verify(*asked, "--skip-invalid")
        assert (run.code, run.json["verdict"]) == (4, "inconclusive")
