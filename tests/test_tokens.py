"""The real tokenizer: what it counts, and what is said where it is not installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.program import verify

from verify import tokens
from verify.errors import UsageProblem

SAMPLE = Path(__file__).resolve().parents[1] / "sample_exports" / "prompt2md"
installed = pytest.mark.skipif(not tokens.available(), reason="the extra is not installed")


@installed
@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("hello", 1),
        ("hello world", 2),
        ("<|endoftext|>", 7),
        ("Ningún número se estima: ausente no es cero", 12),
        ("🚀 ☕", 4),
        ('{"name":"add","description":"Add two numbers."}', 12),
    ],
)
def test_counts(text: str, count: int) -> None:
    assert tokens.count_tokens([text, text]) == [count, count]


@installed
def test_half_a_character_is_no_text() -> None:
    with pytest.raises(ValueError):
        tokens.count_tokens(["\ud83d"])


@installed
def test_the_error_of_an_estimate_is_stated() -> None:
    run = verify("check", SAMPLE, "--format", "json")
    rows = {row["key"]: row for row in run.json["texts"]}
    assert rows["close-memo.anthropic.400"] == {
        "key": "close-memo.anthropic.400",
        "raw": 5510,
        "sent": 1568,
        "saved": "71.5 %",
        "o200k_raw": 4530,
        "o200k_sent": 1879,
        "o200k_saved": "58.5 %",
    }
    (message,) = [f["message"] for f in run.json["findings"] if f["code"] == "counter_estimate"]
    assert "close-memo.anthropic.400 saves 58.5 %, not 71.5 %" in message


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "find_spec", lambda _: None)
    with pytest.raises(UsageProblem) as caught:
        tokens.count_tokens(["x"])
    assert "pip install 'verify-savings[tokenizer]'" in caught.value.advice
    run = verify("check", SAMPLE, "--format", "json")
    assert run.code == 0
    assert "texts" not in run.json
    assert any("verify-savings[tokenizer]" in each for each in run.json["not_checked"])


def test_the_extra_is_declared() -> None:
    text = (SAMPLE.parents[1] / "pyproject.toml").read_text()
    assert "tokenizer = [" in text
