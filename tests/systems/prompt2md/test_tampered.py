"""A tampered figure, anchor, original or profile is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.program import verify

from .exports import SAMPLE, Json, all_findings, one, sample_report, stored, write
from .oracle import units

NAME = "close-memo.anthropic.400"
ASTRAL = "acta-es.kimi.400"


def member(*path: str, value: Any) -> Callable[[Json], None]:
    """A change of one figure."""

    def change(document: Json) -> None:
        part = document["savings"]
        for name in path[:-1]:
            part = part[name]
        part[path[-1]] = value

    return change


def phase(at: int, value: int) -> Callable[[Json], None]:
    def change(document: Json) -> None:
        document["savings"]["phases"][at]["tokens"] = value

    return change


@pytest.mark.parametrize(
    ("lever", "measure", "change"),
    [
        ("ledger", "raw", member("rawTokens", value=5511)),
        ("ledger", "compressed", member("compressedTokens", value=1567)),
        ("ledger", "saved", member("savedTokens", value=3943)),
        ("ledger", "ratio", member("ratio", value=0.2845735025)),
        ("ledger", "structure", phase(0, 5504)),
        ("ledger", "strip", phase(1, 5502)),
        ("ledger", "summarize", phase(2, 1541)),
        ("ledger", "layout", phase(3, 1567)),
        ("cache", "stable", member("cache", "stablePrefixTokens", value=1549)),
        ("cache", "volatile", member("cache", "volatileTokens", value=17)),
        ("cache", "eligible", member("cache", "cacheEligible", value=False)),
        ("cache", "first", member("cache", "effectiveTokensFirstCall", value=1955)),
        ("cache", "next", member("cache", "effectiveTokensPerSubsequentCall", value=172)),
        ("cache", "amortized", member("cache", "amortizedTokensOver10Calls", value=352)),
        ("cache", "headline", member("subsequentSavingsVsRawPct", value=96.8)),
    ],
)
def test_a_tampered_figure(
    tmp_path: Path, lever: str, measure: str, change: Callable[[Json], None]
) -> None:
    run = verify("diff", one(tmp_path, NAME, change), "--format", "json")
    assert run.code == 1
    wrong = [row for row in run.json["rows"] if row["verdict"] != "exact"]
    assert [(row["lever"], row["measure"], row["key"]) for row in wrong] == [(lever, measure, NAME)]
    assert wrong[0]["verdict"] == "differs"
    told = verify("recompute", tmp_path, "--by", "report", "--format", "json").json
    (index,) = [at for at, each in enumerate(told["levers"]) if each["lever"] == lever]
    assert told["levers"][index]["by"]["report"][0]["differing"] == 1


def test_the_tampered_one_stands_on_top(tmp_path: Path) -> None:
    for name in ("close-memo.anthropic.100000", "empty.kimi.400"):
        one(tmp_path, name)
    one(tmp_path, NAME, member("rawTokens", value=9999))
    told = verify("recompute", tmp_path, "--by", "report", "--format", "json").json
    assert told["levers"][0]["by"]["report"][0]["key"] == NAME


def anchored(old: str, new: str) -> Callable[[Json], None]:
    def change(document: Json) -> None:
        assert document["markdown"].count(old) == 1
        document["markdown"] = document["markdown"].replace(old, new)

    return change


def _split_pair() -> tuple[str, str]:
    """An anchor of the Spanish sample, and one whose end lies inside the rocket of its block."""
    text = (SAMPLE / "inputs" / "acta-es.md").read_text("utf-8")
    at = units(text[: text.index("🚀")]) + 1
    return "#27-440", f"#27-{at}"


@pytest.mark.parametrize(
    ("name", "old", "new", "code", "words"),
    [
        (NAME, "#46-685", "#47-685", "anchor_not_a_block", "#47-685 where the block [46, 685)"),
        (NAME, "#46-685", "#46-1308", "anchor_not_a_block", "[46, 685), [687, 1308) stand"),
        (NAME, "#46-685", "#685-687", "anchor_not_a_block", "no block stands"),
        (NAME, "#46-685", "#46-99999", "anchor_out_of_range", "the original has 22039 units"),
        (NAME, "#46-685", "#685-46", "anchor_out_of_range", "#685-46"),
        (NAME, "#46-685", "#46-46", "anchor_out_of_range", "#46-46"),
        (NAME, "#46-685", "#46–685", "anchor_malformed", "in the block"),
        (NAME, "10#46-685", "11#46-685", "anchor_foreign", "a7bfc97675dadc11"),
        (NAME, "source=a7bf", "source=a7be", "anchor_foreign", "its stamp names"),
        (ASTRAL, *_split_pair(), "anchor_splits_character", "#27-"),
    ],
)
def test_a_tampered_anchor(
    tmp_path: Path, name: str, old: str, new: str, code: str, words: str
) -> None:
    place = one(tmp_path, name, anchored(old, new))
    run = verify("check", place, "--format", "json")
    assert run.code != 0
    assert run.json["sound"] is False
    found = all_findings(run.json)
    assert words in found[code]
    assert name in found[code]
    if not old.startswith("source"):
        assert run.json["losslessness"]["lost"] >= 1, "the block that it led to"
        assert run.json["losslessness"]["resolved"] == run.json["losslessness"]["anchors"] - 1
        diff = verify("diff", place, "--format", "json")
        strip = [row for row in diff.json["rows"] if row["measure"] == "strip"]
        assert [row["verdict"] for row in strip] == ["not_comparable"]


def test_a_changed_block_is_lost_and_foreign(tmp_path: Path) -> None:
    place = one(tmp_path, NAME, anchored("| dep-0 | 7128562 | 399.96 |", "| dep-0 | 1 | 9.96 |"))
    run = verify("check", place, "--format", "json")
    found = all_findings(run.json)
    assert "a7bfc97675dadc10 [2637, 2825) at line 13" in found["blocks_lost"]
    assert NAME in found["block_foreign"]
    assert run.code == 0, "what is lost is said; it can be had back from the store"


def test_an_overwritten_original(tmp_path: Path) -> None:
    place = one(tmp_path, NAME)
    entry = place / "store" / "a7bfc97675dadc10.json"
    entry.write_text(entry.read_text("utf-8").replace("October", "November", 1), "utf-8")
    run = verify("check", place, "--format", "json")
    assert run.code != 0
    assert (
        "store/a7bfc97675dadc10.json: its text hashes to"
        in (all_findings(run.json)["original_overwritten"])
    )
    diff = verify("diff", place, "--format", "json")
    assert diff.code == 4, "nothing can be said by a text that is not the original"
    assert {r["measure"] for r in diff.json["rows"] if r["verdict"] == "not_comparable"} == {
        *("raw", "structure", "strip")
    }


def test_an_original_under_another_name_or_id(tmp_path: Path) -> None:
    place = one(tmp_path, NAME)
    entry = place / "store" / "a7bfc97675dadc10.json"
    document = json.loads(entry.read_text("utf-8"))
    entry.unlink()
    write(place / "store" / "0000000000000000.json", document)
    write(place / "store" / "1111111111111111.json", stored("x", sourceId="1" * 16))
    found = all_findings(verify("check", place, "--format", "json").json)
    assert "it is named 0000000000000000" in found["original_overwritten"]
    assert "it says 1111111111111111" in found["original_overwritten"]
    assert found["original_missing"] == "not in the store: a7bfc97675dadc10"


def test_a_missing_original(tmp_path: Path) -> None:
    place = one(tmp_path, NAME)
    (place / "store" / "a7bfc97675dadc10.json").unlink()
    write(place / "store" / "x.json", {})
    run = verify("check", place, "--format", "json")
    assert run.code != 0
    found = all_findings(run.json)
    assert "a7bfc97675dadc10" in found["original_missing"]
    assert "store/x.json" in found["store_entry_unreadable"]
    (place / "inputs").mkdir()
    text = (SAMPLE / "inputs" / "close-memo.md").read_bytes()
    (place / "inputs" / "memo.md").write_bytes(text)
    again = verify("diff", place, "--format", "json")
    assert again.code == 0, "an input of that digest is the original all the same"
    assert "original_missing" in all_findings(verify("check", place, "--format", "json").json)


def test_a_report_that_reckons_with_another_profile(tmp_path: Path) -> None:
    def cheaper(document: Json) -> None:
        cache = document["savings"]["cache"]
        cache["effectiveTokensFirstCall"] = 1568  # w = 0
        cache["effectiveTokensPerSubsequentCall"] = 96  # r = 0.05
        cache["amortizedTokensOver10Calls"] = 243
        document["savings"]["subsequentSavingsVsRawPct"] = 98.3

    place = one(tmp_path, NAME, cheaper)
    run = verify("diff", place, "--format", "json")
    assert run.code == 1
    assert {row["measure"] for row in run.json["rows"] if row["verdict"] == "differs"} == {
        *("first", "next", "amortized", "headline")
    }
    cache = verify("recompute", place, "--lever", "cache", "--format", "json").json["levers"][0]
    message = {f["code"]: f["message"] for f in cache["findings"]}["profile_contradicted"]
    assert "first 1,568 means write -0.0003 to 0.0003, the profile has 0.25" in message
    assert "next 96 means read 0.0500 to 0.0506, the profile has 0.1" in message


def test_a_report_that_reckons_with_another_providers_profile(tmp_path: Path) -> None:
    def renamed(document: Json) -> None:
        document["savings"]["cache"]["provider"] = "gemini"

    place = one(tmp_path, "close-memo.kimi.400", renamed)
    found = all_findings(verify("recompute", place, "--format", "json").json)
    assert found["profile_contradicted"].endswith("(as kimi would have it)")


def test_a_minimum_that_a_report_does_not_keep(tmp_path: Path) -> None:
    def ineligible(document: Json) -> None:
        cache = document["savings"]["cache"]
        cache["cacheEligible"] = False
        for name in ("FirstCall", "PerSubsequentCall"):
            cache[f"effectiveTokens{name}"] = 1568
        cache["amortizedTokensOver10Calls"] = 1568

    found = all_findings(
        verify("recompute", one(tmp_path, NAME, ineligible), "--format", "json").json
    )
    assert (
        "a minimum that 1,550 tokens do not reach, the profile has 1,024"
        in (found["profile_contradicted"])
    )


def test_a_report_that_caches_what_is_too_short(tmp_path: Path) -> None:
    change = member("cache", "effectiveTokensPerSubsequentCall", value=101)
    place = one(tmp_path, ASTRAL, change)
    found = all_findings(verify("recompute", place, "--format", "json").json)
    assert found["profile_contradicted"] == (
        f"reckoned otherwise: {ASTRAL}: next 101 where nothing is cached, so 849"
    )


def test_a_report_exchanged_between_two_looks_at_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from verify.systems.prompt2md import claims

    place = one(tmp_path / "export", NAME)
    before = claims.carried_claims(place)
    write(place / "reports" / f"{NAME}.json", {**sample_report(NAME), "more": 1})
    monkeypatch.setattr(claims, "carried_claims", lambda _: before)
    run = verify("diff", place, "--format", "json")
    assert run.code == 1
    assert "reports_changed" in all_findings(run.json)
