"""Products that save something other than dollars."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.program import verify

from verify.schemata import violations

from .conftest import Made

SAMPLES = Path(__file__).resolve().parents[2] / "sample_exports"


@pytest.mark.parametrize(
    ("export", "figures"),
    [
        ("leanproxy/four-sessions/usage", "leanproxy/four-sessions/reports/report.json"),
        ("mcp-savings", "mcp-savings/report.txt"),
        ("prompt2md", None),
    ],
)
def test_its_sign_off_is_made_and_replayed(
    tmp_path: Path, export: str, figures: str | None
) -> None:
    place = shutil.copytree(SAMPLES / export, tmp_path / "export")
    given: tuple[object, ...] = ()
    if figures is not None:
        given = ("--figures", shutil.copy(SAMPLES / figures, tmp_path))
    run = verify("signoff", place, *given, "--out", tmp_path / "out")
    assert run.code == 0, run.err
    found = json.loads((tmp_path / "out" / "signoff.json").read_text())
    assert violations(found, "signoff/document") == []
    assert {test["result"] for test in found["evidence"]["tests"]} <= {"passed", "not testable"}
    assert found["evidence"]["inputs"]
    again = verify("replay", tmp_path / "out")
    assert again.code == 0, again.out


def test_a_difference_without_choices_to_explain_it(
    tmp_path: Path, sign: Callable[..., Made]
) -> None:
    place = shutil.copytree(SAMPLES / "mcp-savings", tmp_path / "export")
    text = (place / "report.txt").read_text()
    figures = tmp_path / "report.txt"
    figures.write_text(text.replace("832", "932"))
    assert figures.read_text() != text
    made = sign(place, figures, "out")
    assert made.run.code == 1
    assert "no other choices that could be tried" in (made.out / "signoff.md").read_text()
