"""The sample: every field of every report, every anchor, and the two commands that audit it."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from support.program import Run, verify

from verify.schemata import violations
from verify.systems import recognise

from .exports import SAMPLE, all_findings, codes


@pytest.fixture(scope="module")
def diffed() -> Run:
    return verify("diff", SAMPLE, "--format", "json")


@pytest.fixture(scope="module")
def checked() -> Run:
    return verify("check", SAMPLE, "--format", "json")


@pytest.fixture(scope="module")
def recomputed() -> Run:
    dimensions = [part for name in ("report", "document", "provider") for part in ("--by", name)]
    return verify("recompute", SAMPLE, *dimensions, "--format", "json")


def test_it_is_recognised() -> None:
    found = recognise(SAMPLE)
    assert found is not None
    assert found.name == "prompt2md"


def test_every_field_of_every_report_is_reproduced(diffed: Run) -> None:
    assert diffed.code == 0
    assert diffed.json["verdict"] == "agrees"
    assert violations(diffed.json, "outputs/diff") == []
    rows = diffed.json["rows"]
    assert Counter(row["verdict"] for row in rows) == {"exact": 900}
    assert len({row["key"] for row in rows}) == 60
    assert diffed.json["export"]["trust"] == "unmanifested"
    for row in rows:  # nothing in a report but names, ids and warnings is left out
        document = json.loads((SAMPLE / row["read"]).read_text("utf-8"))
        value = document
        for part in row["pointer"].split("/")[1:]:
            value = value[int(part) if isinstance(value, list) else part]
        assert str(value).lower() == row["figure"]


def test_depth_2_reproduces_what_a_report_says_about_itself(diffed: Run) -> None:
    own = [row for row in diffed.json["rows"] if row["from_read"] is not None]
    measures = {row["measure"] for row in own}
    assert measures == {"compressed", "layout", "saved", "ratio", "amortized", "headline"}
    assert all(Fraction(row["from_read"]) == Fraction(row["figure"]) for row in own)


def test_every_anchor_leads_to_a_block(checked: Run) -> None:
    assert checked.code == 0
    assert checked.json["sound"] is True
    assert violations(checked.json, "outputs/check") == []
    assert checked.json["losslessness"] == {
        "blocks": 1092,
        "verbatim": 600,
        "anchored": 420,
        "repeated": 60,
        "lost": 12,
        "foreign": 0,
        "anchors": 420,
        "resolved": 420,
    }
    assert checked.json["counts"] == {
        "reports": 60,
        "documents": 5,
        "originals": 5,
        "inputs": 5,
        "audited": 60,
    }


def test_what_was_stripped_is_listed_with_its_position(checked: Run) -> None:
    message = codes(checked.json["findings"])["blocks_lost"]
    assert message == (
        "stripped without an anchor: repeats.md [2542, 2568) at line 15 (in 12 reports)"
    )
    text = (SAMPLE / "inputs" / "repeats.md").read_text("utf-8")
    assert text.encode("utf-16-le")[5084:5136].decode("utf-16-le") == text.splitlines()[14]
    assert checked.json["reports"][0]["lost"] == 1, "the worst on top"


def test_claims_that_mislead_are_findings(recomputed: Run) -> None:
    found = all_findings(recomputed.json)
    assert (
        "close-memo.anthropic.100000: 90 %, 0.1 % by compression"
        in (found["headline_uncompressed"])
    )
    assert "close-memo.kimi.100000" in found["eligible_without_layout"]
    assert found["counter_unnamed"].startswith("60 reports")
    assert "acta-es.anthropic.400: 857.0 tokens a call, raw 305.3" in found["cache_forfeited"]
    assert "negative_savings" not in found


def test_rates_are_those_of_sums(recomputed: Run) -> None:
    assert violations(recomputed.json, "outputs/recompute") == []
    assert recomputed.code == 0
    ledger, cache = recomputed.json["levers"]
    reports = [json.loads(path.read_text()) for path in sorted((SAMPLE / "reports").iterdir())]
    raw = sum(report["savings"]["rawTokens"] for report in reports)
    sent = sum(report["savings"]["compressedTokens"] for report in reports)
    later = sum(
        report["savings"]["cache"]["effectiveTokensPerSubsequentCall"] for report in reports
    )
    assert ledger["totals"]["raw"] == raw
    assert ledger["amount"] == raw - sent
    assert Fraction(ledger["totals"]["ratio_exact"]) == Fraction(sent, raw)
    assert cache["totals"]["next"] == later
    assert cache["amount"] == "78.8"
    assert abs(Fraction(788, 10) - 100 * (1 - Fraction(later, raw))) < Fraction(1, 20)
    shown = [Fraction(str(r["savings"]["subsequentSavingsVsRawPct"])) for r in reports]
    mean = sum(shown, Fraction(0)) / 60
    assert abs(mean - Fraction(788, 10)) > 20, "a mean of the rates would be far off"


def test_breakdowns_add_up_but_providers_are_alternatives(recomputed: Run) -> None:
    ledger, cache = recomputed.json["levers"]
    for lever, measure in ((ledger, "saved"), (cache, "next"), (cache, "first")):
        for dimension in ("report", "document"):
            summed = sum(row[measure] for row in lever["by"][dimension])
            assert summed == lever["totals"][measure], (measure, dimension)
    providers = {row["key"]: row for row in cache["by"]["provider"]}
    assert set(providers) == {"anthropic", "openai", "gemini", "kimi"}
    # Three budgets give the same text where nothing needs summarizing: 10 of 15 are distinct.
    assert [row["reports"] for row in providers.values()] == [10] * 4
    assert {row["key"] for row in ledger["by"]["document"]} == {
        *("acta-es.md", "close-memo.md", "empty.md", "repeats.md", "short-note.md")
    }
    page = verify("recompute", SAMPLE, "--by", "provider", "--lever", "cache").out
    assert "anthropic" in page
    assert "total" not in page.split("provider ", 1)[1].split("rounded for reading")[0]
    pasted = verify("recompute", SAMPLE, "--by", "provider", "--lever", "cache", "--format", "md")
    assert "**total**" not in pasted.out


def test_the_worst_stand_on_top(recomputed: Run) -> None:
    ledger, cache = recomputed.json["levers"]
    ratios = [Fraction(row["ratio_exact"]) for row in ledger["by"]["report"] if row["compressed"]]
    assert ratios == sorted(ratios, reverse=True)
    assert cache["by"]["report"][0]["key"] == "acta-es.anthropic.400"
    assert Fraction(cache["by"]["report"][0]["beyond_cache"]) < -180


def test_exact_figures_stand_beside_the_rounded_ones() -> None:
    place = SAMPLE / "reports" / "close-memo.kimi.100000.json"
    cache = verify("recompute", place, "--lever", "cache", "--format", "json").json["levers"][0]
    totals = cache["totals"]
    assert (totals["next"], totals["next_exact"], totals["next_rounding"]) == (550, "550.3", "-0.3")
    assert (totals["amortized"], totals["amortized_exact"]) == (1045, "1045.57")
    assert totals["amortized_rounding"] == "-0.57", "from rounded values: more than half a token"
    assert totals["headline"] == "90"
    assert Fraction(totals["headline_exact"]) == 100 * (1 - Fraction(5503, 55100))


def test_depths(tmp_path: Path) -> None:
    name = "close-memo.anthropic.400"
    with_all = verify("recompute", SAMPLE, "--format", "json").json["levers"]
    assert with_all[0]["detail"] == {
        "from_original": "raw, structure, strip, saved, ratio",
        "from_markdown": "summarize, layout, compressed",
    }
    alone = SAMPLE / "reports" / f"{name}.json"
    ledger, cache = verify("recompute", alone, "--format", "json").json["levers"]
    assert ledger["detail"] == {
        "from_markdown": "summarize, layout, compressed, saved, ratio",
        "not_recomputed": "raw, structure, strip: no original",
        "taken_from_report": "raw, where other figures need it",
    }
    assert ledger["status"] == cache["status"] == "partial_comparison"
    assert ledger["totals"]["strip"] is None
    document = json.loads(alone.read_text("utf-8"))
    del document["markdown"]
    (tmp_path / "bare.json").write_text(json.dumps(document))
    ledger, cache = verify("recompute", tmp_path / "bare.json", "--format", "json").json["levers"]
    assert ledger["detail"]["from_report"] == "layout, compressed, saved, ratio"
    assert cache["detail"]["from_report"] == "eligible, first, next, amortized, headline"
    assert cache["detail"]["not_recomputed"] == "stable, volatile: no Markdown"
    assert cache["totals"]["next"] == 173
    run = verify("diff", tmp_path / "bare.json", "--format", "json")
    assert run.code == 4
    verdicts = {row["measure"]: row["verdict"] for row in run.json["rows"]}
    assert verdicts["first"] == "exact"
    assert verdicts["raw"] == verdicts["stable"] == verdicts["structure"] == "not_comparable"


@pytest.mark.parametrize("where", ["reports", "reports/close-memo.anthropic.400.json"])
def test_without_originals_nothing_differs_and_nothing_is_called_proven(where: str) -> None:
    run = verify("diff", SAMPLE / where, "--format", "json")
    assert run.code == 4
    assert run.json["verdict"] == "inconclusive"
    assert {row["verdict"] for row in run.json["rows"]} == {"exact", "not_comparable"}
    lost = {row["measure"] for row in run.json["rows"] if row["verdict"] == "not_comparable"}
    assert lost == {"raw", "structure", "strip"}
    assert "original_not_given" in all_findings(
        verify("check", SAMPLE / where, "--format", "json").json
    )


def test_figures_can_be_named_too() -> None:
    figures = SAMPLE / "reports" / "acta-es.kimi.400.json"
    run = verify("diff", SAMPLE, "--figures", figures, "--format", "json")
    assert run.code == 0
    assert {row["key"] for row in run.json["rows"]} == {"acta-es.kimi.400"}
    assert len(run.json["rows"]) == 15


def test_another_number_of_calls() -> None:
    place = SAMPLE / "reports" / "close-memo.anthropic.400.json"
    run = verify("recompute", place, "--lever", "cache", "--set", "n=20", "--format", "json")
    totals = run.json["levers"][0]["totals"]
    # first 1956, then 19 times 173; exactly 1955.5
    assert totals["amortized_n"] == 262
    assert totals["amortized_n_exact"] == "262.125"
    assert totals["amortized"] == 351, "the report's own N is in its name"
    assert totals["break_even"] == 2
    assert run.json["method"]["n"] == 20
    assert verify("diff", SAMPLE, "--set", "n=20").code == 0


def test_one_report_under_every_provider() -> None:
    place = SAMPLE / "reports" / "close-memo.anthropic.400.json"
    run = verify("recompute", place, "--by", "provider", "--format", "json")
    rows = {row["key"]: row for row in run.json["levers"][1]["by"]["provider"]}
    for name in ("openai", "gemini", "kimi"):
        real = json.loads((SAMPLE / "reports" / f"close-memo.{name}.400.json").read_text("utf-8"))
        cache = real["savings"]["cache"]
        assert rows[name]["next"] == cache["effectiveTokensPerSubsequentCall"]
        assert rows[name]["first"] == cache["effectiveTokensFirstCall"]
        assert rows[name]["stable"] == cache["stablePrefixTokens"]
        assert rows[name]["reports"] == 0, "it is what would be, not a claim"
    assert rows["anthropic"]["reports"] == 1


@pytest.mark.parametrize("form", ["table", "csv", "md"])
@pytest.mark.parametrize("command", ["check", "recompute", "diff"])
def test_every_form(command: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run = verify(command, SAMPLE, "--format", form)
    assert run.code == 0
    assert run.err == ""
    if form == "table":
        assert max(map(len, run.out.splitlines())) <= 80


def test_the_levers_can_be_printed() -> None:
    for name in ("ledger", "cache"):
        run = verify("lever", name)
        assert run.code == 0
        assert "Stated by the program" in run.out
        assert "Reading" in run.out
