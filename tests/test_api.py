"""The public functions: the same answers as the command line's, and forms of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from support.program import verify as program

import verify
from verify.compare.verdicts import Tolerance
from verify.errors import UnreadableInput, UsageProblem
from verify.samples import NAMES
from verify.systems.base import Export

SAMPLE = verify.sample_export("lighthouse-planted")
API = SAMPLE / "api"


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Export]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VERIFY_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        with verify.open_export(SAMPLE) as opened:
            yield opened


def test_the_answers_are_those_of_the_command_line(export: Export) -> None:
    asked = ("--lever", "caching", "--by", "model", "--method", "write_premium=false")
    result = verify.recompute(
        export, levers="caching", by="model", switches={"write_premium": False}
    )
    assert result.as_json() == program("recompute", SAMPLE, *asked, "--format", "json").json
    assert result.unusual == {"write_premium": False}
    tied = verify.diff(export, API, levers="caching", tolerance="abs=1.00", min_coverage="50%")
    typed = ("--figures", API, "--lever", "caching", "--tolerance", "abs=1.00")
    run = program("diff", SAMPLE, *typed, "--min-coverage", "50%", "--format", "json")
    assert tied.as_json() == run.json


def test_figures_may_be_read_before(export: Export) -> None:
    figures = verify.read_figures(API, system="lighthouse")
    tied = verify.diff(export, figures, tolerance=Tolerance(Fraction(5)), min_coverage=Fraction(1))
    assert tied.as_json()["policy"] == {"tolerance": "abs=5,rel=0%", "min_coverage": "1"}
    assert tied.verdict == "differs"


def test_figures_that_an_export_carries() -> None:
    place = verify.sample_export("prompt2md")
    with verify.open_export(place, cache=False) as export:
        assert verify.diff(export, verify.read_figures(place)).verdict == "agrees"
    with pytest.raises(UsageProblem, match="no figures given") as refused:
        verify.read_figures(SAMPLE)
    assert "--figures" in refused.value.advice
    with pytest.raises(UnreadableInput):
        verify.read_figures(SAMPLE / "nowhere", system="lighthouse")


def test_a_period_in_every_form(export: Export) -> None:
    month = verify.recompute(export, levers="routing", period="2026-11")
    for form in (
        {"period": ("2026-11-01", "2026-11-30")},
        {"period": (date(2026, 11, 1), date(2026, 11, 30))},
        {"since": "2026-11-01", "until": date(2026, 11, 30)},
    ):
        assert verify.recompute(export, levers=["routing"], **form).as_json() == month.as_json()
    with pytest.raises(UsageProblem, match="use one"):
        verify.recompute(export, period="2026-11", since="2026-11-02")
    with pytest.raises(UsageProblem, match="about 2026-11-01"):
        verify.diff(export, API, period="2026-10")
    with pytest.raises(UsageProblem, match="about 2026-11-01"):
        verify.explain(export, API, period="2026-10")


def test_options_and_the_time_of_asking() -> None:
    place = verify.sample_export("leanproxy/four-sessions/usage")
    with verify.open_export(place, cache=False) as export:
        for now in ("2026-09-23T12:00:00Z", datetime(2026, 9, 23, 12, tzinfo=UTC)):
            asked = verify.recompute(export, levers="today", now=now, options={"view": "summarize"})
            assert asked.method["view"] == "summarize"
            assert asked.lever("today").figure is not None
        with pytest.raises(UsageProblem, match="no option 'viw'"):
            verify.recompute(export, options={"viw": "live"})


def test_explanations(export: Export) -> None:
    told = verify.explain(export, API)
    assert [choice.name for choice in told.sets[0]] == ["zone"]
    frame = told.to_polars(scale=6)
    for _, steps in frame.group_by("lever"):
        amounts = dict(zip(steps["step"], steps["amount"], strict=True))
        assert (
            abs(sum(steps["amount"]) - 2 * amounts["figure"])
            <= 3 * pl.Series(["1e-6"]).cast(pl.Decimal(30, 6)).item()
        )
    with pytest.raises(UsageProblem, match="largest is 1, 2 or 3"):
        verify.explain(export, API, largest=4)


def test_what_does_not_apply_is_refused() -> None:
    with pytest.raises(UsageProblem, match="--manifest does not apply"):
        verify.open_export(SAMPLE, manifest=SAMPLE / "manifest.json")
    with pytest.raises(UsageProblem, match="64 hex digits"):
        verify.open_export(SAMPLE, manifest_sha256="abc")
    with pytest.raises(UsageProblem, match="no engine 'abacus'"):
        verify.open_export(SAMPLE, engine="abacus")
    with pytest.raises(UsageProblem, match="no sample 'no'"):
        verify.sample_export("no")


def test_every_sample_is_an_export_of_its_product() -> None:
    for name in NAMES:
        with verify.open_export(verify.sample_export(name), cache=False) as opened:
            assert opened.identity.system == name.partition("/")[0].removesuffix("-planted")


def test_notices_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFY_CACHE_DIR", str(tmp_path))
    told: list[str] = []
    with verify.open_export(SAMPLE, notice=told.append) as export:
        verify.recompute(export, levers="routing")
    assert any("no period given: 2026-11" in message for message in told)


def test_tab_completion_offers_the_public_names() -> None:
    assert set(dir(verify)) == {*verify.__all__, "errors"}


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys, verify\n"
        "verify.errors.UsageProblem\n"
        "import verify.cli.app\n"
        "heavy = ('polars', 'duckdb', 'jsonschema', 'altair', 'rich.console')\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
