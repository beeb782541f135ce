"""All levers against an independent calculation, over generated exports: exactly equal.

The oracle shares no code with the package. It is slow, plain Python over fractions.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from oracle.exports import Export, exports, random_export
from oracle.lighthouse import SWITCHES as ORACLE_SWITCHES
from oracle.lighthouse import recompute as oracle_recompute
from support.exports import write_export
from support.thorough import cases

from verify.result import Recomputation
from verify.systems import system_named
from verify.systems.base import Question, Reading
from verify.systems.lighthouse.measures import DIMENSIONS, LEVERS
from verify.systems.lighthouse.method import SWITCHES

ALL_DIMENSIONS = tuple(sorted({name for names in DIMENSIONS.values() for name in names}))
PLAIN = settings(
    deadline=None,
    max_examples=cases(200, 8),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    phases=[phase for phase in Phase if phase is not Phase.shrink],  # bursts are small enough
)


def ask(export: Any, case: Export, switches: Mapping[str, Any]) -> Recomputation:
    result: Recomputation = export.recompute(
        Question(
            since=case.since,
            until=case.until,
            by=ALL_DIMENSIONS,
            baseline_model=case.baseline_model,
            switches=dict(switches),
        )
    )
    return result


def assert_same(result: Recomputation, expected: Mapping[str, Any]) -> None:
    """Every status, figure, total, coverage and row, as exact numbers."""
    document = result.as_json()
    for name in ("start", "end", "time_zone"):
        assert document["period"][name] == expected["period"][name]
    assert Fraction(document["period"]["hours"]) == Fraction(expected["period"]["hours"])
    for lever, wanted in zip(result.levers, expected["levers"], strict=True):
        where = lever.lever
        assert where == wanted["lever"]
        assert lever.status == wanted["status"], where
        assert lever.usd == wanted["usd"], where
        assert (lever.coverage.measured, lever.coverage.total) == (
            wanted["coverage"]["measured"],
            wanted["coverage"]["total"],
        ), where
        for measure, value in wanted["totals"].items():
            assert lever.totals[measure] == value, (where, measure)
        for dimension, rows in wanted["by"].items():
            own = {row.key: row.measures for row in lever.by[dimension]}
            assert set(own) == {row["key"] for row in rows}, (where, dimension)
            for row in rows:
                for measure, value in row.items():
                    if measure != "key":
                        assert own[row["key"]][measure] == value, (where, dimension, row["key"])
    expected_cf = expected["counterfactual"]
    routing = result.lever("routing")
    if routing.detail["source"] == "counterfactual":
        assert routing.detail["usd"] == expected_cf["usd"]
        assert routing.detail["calls"] == expected_cf["calls"]
        assert routing.detail["uncomparable"] == expected_cf["uncomparable"]


def oracle(case: Export, switches: Mapping[str, Any]) -> Mapping[str, Any]:
    expected: Mapping[str, Any] = oracle_recompute(
        case.lines, case.zone, case.since, case.until, dict(switches), case.baseline_model
    )
    return expected


def opened(place: Path, case: Export) -> Any:
    write_export(place, case.lines, zone=case.zone)
    return system_named("lighthouse").open(place, Reading(cache=False))


def drawn_switches(seed: int) -> dict[str, Any]:
    """One or two switches set otherwise."""
    chooser = random.Random(seed)
    names = chooser.sample([s.name for s in SWITCHES], k=chooser.choice((1, 1, 2)))
    found: dict[str, Any] = {}
    for switch in SWITCHES:
        if switch.name in names:
            others = ["UTC", "Asia/Tokyo"] if switch.name == "zone" else switch.values[1:]
            found[switch.name] = chooser.choice(list(others))
    return found


@pytest.mark.drawn
@given(case=exports(), seed=st.integers(0, 2**16))
@PLAIN
def test_stated_method_and_a_switch(case: Export, seed: int) -> None:
    with tempfile.TemporaryDirectory() as place, opened(Path(place), case) as export:
        assert_same(ask(export, case, {}), oracle(case, {}))
        switches = drawn_switches(seed)
        assert_same(ask(export, case, switches), oracle(case, switches))


@pytest.mark.drawn
@pytest.mark.parametrize("seed", range(cases(4, 2)))
def test_every_switch_alone(seed: int, tmp_path: Path) -> None:
    case = random_export(seed, bursts=40)
    with opened(tmp_path, case) as export:
        assert_same(ask(export, case, {}), oracle(case, {}))
        for switch in SWITCHES:
            for value in ("UTC",) if switch.name == "zone" else switch.values[1:]:
                assert_same(
                    ask(export, case, {switch.name: value}), oracle(case, {switch.name: value})
                )


@pytest.mark.drawn
@given(case=exports(unordered=True), seed=st.integers(0, 2**16))
@settings(PLAIN, max_examples=cases(40, 4))
def test_order_of_lines_never_matters(case: Export, seed: int) -> None:
    shuffled = list(case.lines)
    random.Random(seed).shuffle(shuffled)
    with (
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory() as two,
        opened(Path(one), case) as export,
    ):
        write_export(Path(two), shuffled, zone=case.zone)
        with system_named("lighthouse").open(Path(two), Reading(cache=False)) as other:
            assert figures(ask(export, case, {})) == figures(ask(other, case, {}))


def figures(result: Recomputation) -> Any:
    """All that is not about lines."""
    return [
        (lever.lever, lever.status, lever.usd, lever.totals, lever.coverage, lever.by)
        for lever in result.levers
    ]


@pytest.mark.drawn
@given(case=exports())
@settings(PLAIN, max_examples=cases(40, 4))
def test_rows_add_up_to_totals_and_days_to_the_period(case: Export) -> None:
    with tempfile.TemporaryDirectory() as place, opened(Path(place), case) as export:
        result = ask(export, case, {})
        for lever in result.levers:
            for rows in lever.by.values():
                for measure, total in lever.totals.items():
                    if isinstance(total, int | Fraction):
                        summed = sum((row.measures[measure] or 0) for row in rows)  # type: ignore[misc]
                        assert summed == total, (lever.lever, measure)


@pytest.mark.drawn
def test_one_thread_and_two_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(100, cases(103, 101)):
        case = random_export(seed, bursts=200)
        answers = []
        for threads in ("1", "2"):
            monkeypatch.setenv("VERIFY_THREADS", threads)
            with opened(tmp_path / f"{seed}-{threads}", case) as export:
                answers.append(ask(export, case, {}).as_json())
        assert answers[0] == answers[1]


def test_the_switches_are_those_of_the_oracle() -> None:
    """One list of switches; neither side has one that the other lacks."""
    assert {switch.name for switch in SWITCHES} == set(ORACLE_SWITCHES)
    assert tuple(LEVERS) == ("retrieval", "caching", "routing", "infrastructure")
