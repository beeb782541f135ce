"""Stores at random: every figure that the product would print ties out, to the last digit."""

from __future__ import annotations

import json
import tempfile
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from systems.leanproxy.oracle import DAY, NS, Written, report, stamp, windows
from systems.leanproxy.stores import MONDAY, stores, write

from verify.compare.run import run_diff
from verify.compare.tieout import Diff
from verify.compare.verdicts import Tolerance
from verify.result import Recomputation
from verify.systems.base import Question, Reading
from verify.systems.leanproxy.instants import parse_stamp
from verify.systems.leanproxy.system import SYSTEM

STORE = stores()
CUTS = st.one_of(
    st.none(),
    st.integers(MONDAY - 3, MONDAY + 5).map(lambda day: day * DAY),
    st.integers((MONDAY - 2) * DAY // 1000, (MONDAY + 3) * DAY // 1000).map(lambda at: at * 1000),
)
relaxed = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def moment(at: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at // 1000)


def tied(files: dict[int, bytes], document: dict[str, Any], question: Question) -> Diff:
    """The document that the product would show, held against the store."""
    with tempfile.TemporaryDirectory() as place:
        store = write(Path(place) / "usage", files)
        shown = Path(place) / "shown.json"
        shown.write_text(json.dumps(document), "utf-8")
        claims = SYSTEM.read_claims(shown)
        with SYSTEM.open(store, Reading()) as export:
            return run_diff(
                SYSTEM, export, claims, question, tolerance=Tolerance(), least_coverage=None
            )


def asked(files: dict[int, bytes], question: Question) -> Recomputation:
    with (
        tempfile.TemporaryDirectory() as place,
        SYSTEM.open(write(Path(place), files), Reading()) as export,
    ):
        return export.recompute(question)


def agrees(diff: Diff) -> bool:
    wrong = [row for row in diff.rows if row.verdict not in ("exact", "rounding")]
    assert not wrong, wrong
    return all(finding.severity != "error" for finding in diff.findings)


@relaxed
@given(STORE, CUTS, st.sampled_from((None, 3, 0.25)))
def test_every_figure_of_a_report(
    store: tuple[list[Written], dict[int, bytes]], since: int | None, price: float | None
) -> None:
    lines, files = store
    assert agrees(tied(files, report(lines, since, price), Question()))


@relaxed
@given(
    STORE,
    st.integers((MONDAY - 1) * DAY, (MONDAY + 6) * DAY),
    st.sampled_from(("live", "summarize")),
)
def test_every_figure_of_the_windows(
    store: tuple[list[Written], dict[int, bytes]], now: int, view: str
) -> None:
    lines, files = store
    question = Question(options={"view": view})
    assert agrees(tied(files, windows(lines, now, view), question))


@relaxed
@given(STORE, st.integers((MONDAY - 1) * DAY, (MONDAY + 6) * DAY), CUTS)
def test_a_window_is_the_report_and_the_steps_between(
    store: tuple[list[Written], dict[int, bytes]], now: int, since: int | None
) -> None:
    question = Question(
        levers=("today", "week"),
        now=moment(now),
        since=None if since is None else moment(since),
    )
    for lever in asked(store[1], question).levers:
        step = {name: value for name, value in lever.detail.items() if isinstance(value, int)}
        assert lever.amount == (
            step["report_saved_tokens"]
            - step["older_sessions_saved_tokens"]
            - step["earlier_saved_tokens"]
            + step["floored_saved_tokens"]
            + step["read_otherwise_saved_tokens"]
        )


@relaxed
@given(STORE)
def test_breakdowns_add_up_where_they_are_parts(
    store: tuple[list[Written], dict[int, bytes]],
) -> None:
    result = asked(store[1], Question(by=("session", "server", "tool")))
    for lever in result.levers:
        measure = "total_saved_tokens" if lever.lever == "report" else "saved_tokens"
        rows = [row.measures[measure] for row in lever.by["session"]]
        assert sum(Fraction(value) for value in rows if isinstance(value, int)) == lever.amount
    parts = [lever.amount or 0 for lever in result.levers[:5]]
    assert result.lever("report").amount == sum(parts), "discovery is in no total"


@relaxed
@given(STORE)
def test_days_follow_the_window_rule(store: tuple[list[Written], dict[int, bytes]]) -> None:
    """A day of the store is a window of the product that ends with the day."""
    lines, files = store
    rows = asked(files, Question(levers=("report",), by=("day",))).lever("report").by["day"]
    days = sorted({line.at // DAY for line in lines if line.readable})
    assert [row.key for row in rows] == [stamp(day * DAY)[:10] for day in days]
    for day, row in zip(days, rows, strict=True):
        upto = [line for line in lines if line.at < (day + 1) * DAY]
        expected = windows(upto, day * DAY + NS, "summarize")["today"]
        assert row.measures["total_saved_tokens"] == expected["saved_tokens"]
        assert row.measures["total_original_tokens"] == expected["original_tokens"]
        assert row.measures["session_count"] == expected["sessions"]


@relaxed
@given(STORE, CUTS)
def test_a_cut_to_the_nanosecond(
    store: tuple[list[Written], dict[int, bytes]], since: int | None
) -> None:
    lines, files = store
    cut = (since or lines[0].at) + 7
    found = asked(files, Question(options={"since": stamp(cut)}))
    assert found.lever("report").amount == report(lines, cut)["total_saved_tokens"]
    assert parse_stamp(stamp(cut)) == (cut, 0)
