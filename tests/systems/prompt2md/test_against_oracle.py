"""Generated reports: every figure as the oracle has it, to the last digit.

VERIFY_TEST_REPORTS sets how many; the suite makes a few hundred.
"""

from __future__ import annotations

import os
from collections import Counter
from fractions import Fraction
from pathlib import Path

from verify.compare.run import run_diff
from verify.compare.verdicts import Tolerance
from verify.systems import system_named
from verify.systems.base import Question, Reading

from .generated import write

REPORTS = int(os.environ.get("VERIFY_TEST_REPORTS", "300"))


def test_every_figure_of_generated_reports(tmp_path: Path) -> None:
    halves = write(tmp_path / "export", REPORTS, seed=20261130)
    assert halves > REPORTS // 4, "half-way cases are among them"
    system = system_named("prompt2md")
    claims = system.carried_claims(tmp_path / "export")
    assert claims is not None
    assert len(claims.figures) == 15 * REPORTS
    with system.open(tmp_path / "export", Reading()) as export:
        diff = run_diff(
            system, export, claims, Question(), tolerance=Tolerance(), least_coverage=Fraction(1)
        )
    wrong = [(row.at, row.figure, row.recomputed) for row in diff.rows if row.verdict != "exact"]
    assert wrong == []
    assert Counter(row.verdict for row in diff.rows) == {"exact": 15 * REPORTS}
    assert diff.verdict == "agrees"
    assert [lever.coverage.share for lever in diff.result.levers] == [1, 1]
    assert diff.result.lever("ledger").totals["differing"] == 0
    codes = {f.code for lever in diff.result.levers for f in lever.findings}
    assert not {code for code in codes if code.startswith("anchor")}
    assert "block_foreign" not in codes
