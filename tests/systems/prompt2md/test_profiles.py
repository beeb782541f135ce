"""Profiles: data with a date and a source, overridable, and refused when they are not."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from support.program import verify

from verify.errors import UnreadableInput
from verify.systems.prompt2md.profiles import built_in, profiles_from

from . import oracle
from .exports import SAMPLE, all_findings

HEAD = 'date = "2027-01-15"\nsource = "the provider\'s price list"\n'
ONE = "[providers.anthropic]\nread = 0.05\nwrite = 0.1\nminimum = 2048\nbreakpoint = true\n"


def test_the_built_in_ones() -> None:
    assert built_in().date == "2026-11-30"
    assert built_in().source
    own = {
        name: (profile.read, profile.write, profile.minimum, profile.breakpoint)
        for name, profile in built_in().by_provider.items()
    }
    assert own == {
        name: (Fraction(*read), Fraction(*write), minimum, mark)
        for name, (read, write, minimum, mark) in oracle.PROVIDERS.items()
    }


def test_a_file_takes_the_place_of_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "january.toml"
    path.write_text(HEAD + ONE)
    found = profiles_from(path)
    assert found.by_provider["anthropic"].read == Fraction(1, 20)
    assert found.by_provider["kimi"] == built_in().by_provider["kimi"]
    assert (found.name, found.date) == ("january.toml", "2027-01-15")
    report = SAMPLE / "reports" / "close-memo.anthropic.400.json"
    run = verify("recompute", report, "--set", f"profiles={path}", "--format", "json")
    assert run.json["method"]["profiles_source"] == "the provider's price list"
    cache = run.json["levers"][1]
    assert cache["totals"]["next"] == 1568, "1,550 tokens are not cached any more"
    assert "from 2048 tokens (january.toml, 2027-01-15)" in cache["detail"]["profile_anthropic"]
    diff = verify("diff", SAMPLE, "--set", f"profiles={path}", "--format", "json")
    assert diff.code == 1
    wrong = {row["key"].split(".")[1] for row in diff.json["rows"] if row["verdict"] == "differs"}
    assert wrong == {"anthropic"}


def test_an_unknown_provider_is_not_guessed(tmp_path: Path) -> None:
    text = (SAMPLE / "reports" / "close-memo.kimi.400.json").read_text("utf-8")
    path = tmp_path / "report.json"
    path.write_text(text.replace('"kimi"', '"mistral"'), "utf-8")
    run = verify("recompute", path, "--format", "json")
    assert run.code == 4
    cache = run.json["levers"][1]
    assert (cache["status"], cache["amount"]) == ("no_price_card", None)
    assert "no profile of mistral" in all_findings(run.json)["provider_unknown"]
    assert "headline: no profile" in cache["detail"]["not_recomputed"]
    diff = verify("diff", path, "--lever", "cache", "--format", "json")
    assert diff.code == 4
    assert {row["measure"] for row in diff.json["rows"] if row["verdict"] == "not_comparable"} == {
        *("eligible", "first", "next", "amortized", "headline")
    }
    own = tmp_path / "own.toml"
    own.write_text(HEAD + ONE.replace("anthropic", "mistral").replace("0.05", "0.1"))
    own.write_text(own.read_text().replace("write = 0.1", "write = 0").replace("2048", "1024"))
    again = verify("recompute", path, "--set", f"profiles={own}", "--format", "json")
    assert again.json["levers"][1]["totals"]["next"] == 172


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("date = ", "not TOML"),
        (ONE, "date: expected a text"),
        (HEAD, "expected a table [providers.NAME]"),
        (HEAD.replace("2027-01-15", "January") + ONE, "expected YYYY-MM-DD"),
        (HEAD + "colour = 1\n" + ONE, "'colour'"),
        (HEAD + ONE + "note = 1\n", "providers.anthropic: expected read"),
        (HEAD + ONE.replace("read = 0.05\n", ""), "expected read, write, minimum, breakpoint"),
        (HEAD + ONE.replace("0.05", "-0.05"), "providers.anthropic.read: expected a number"),
        (HEAD + ONE.replace("0.05", "nan"), "expected a number"),
        (HEAD + ONE.replace("0.05", "inf"), "expected a number"),
        (HEAD + ONE.replace("0.05", "true"), "expected a number"),
        (HEAD + ONE.replace("0.05", '"0.05"'), "expected a number"),
        (HEAD + ONE.replace("0.05", "1e99"), "out of all proportion"),
        (HEAD + ONE.replace("2048", "2048.5"), "minimum: expected a number of tokens"),
        (HEAD + ONE.replace("2048", "-1"), "minimum: expected a number of tokens"),
        (HEAD + ONE.replace("= true", "= 1"), "breakpoint: expected true or false"),
        (HEAD + ONE.replace("anthropic", '"two words"'), "expected a name"),
    ],
)
def test_what_is_no_file_of_profiles(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(UnreadableInput) as caught:
        profiles_from(path)
    assert words in caught.value.message
    run = verify("recompute", SAMPLE, "--set", f"profiles={path}")
    assert (run.code, run.out) == (2, "")


def test_no_file_of_profiles(tmp_path: Path) -> None:
    assert verify("recompute", SAMPLE, "--set", f"profiles={tmp_path / 'none'}").code == 2
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    assert verify("recompute", SAMPLE, "--set", f"profiles={tmp_path / 'bytes.toml'}").code == 2
