"""`verify lever` and `verify finding`: what there is, what it is, and what was meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.exports import record, write_export
from support.program import verify

from verify.findings import KINDS
from verify.systems import NAMES, system_named
from verify.systems.lighthouse.described import INPUTS
from verify.systems.lighthouse.fields import ATTRIBUTES


@pytest.mark.parametrize("system", NAMES)
def test_every_lever_of_every_product_is_explained(system: str) -> None:
    listed = verify("lever").out
    for lever in system_named(system).levers:
        assert lever in listed
        run = verify("lever", lever, "--system", system)
        assert run.code == 0
        assert run.out.startswith(f"{system_named(system).title}: {lever}\n")
        for part in ("measures ", "dimensions "):
            assert f"\n{part}" in run.out
        text = run.out.lower()
        assert any(word in text for word in ("stated", "reading", "source:")), lever


def test_a_lever_of_lighthouse_says_its_inputs_formula_and_query() -> None:
    text = verify("lever", "caching").out
    inputs = text[text.index("inputs") : text.index("-- Caching")]
    assert (
        "model_call: model, pack, outcome, cache_read_tokens, cache_write_tokens [stated]" in inputs
    )
    assert "input_tokens, output_tokens" in inputs.split("[stated]")[1]
    assert "saved = (cache_read x (input - cache_read_price)" in text
    assert "FROM model_call" in text
    assert set().union(*INPUTS.values()) == set(ATTRIBUTES)


def test_a_slip_of_the_finger() -> None:
    run = verify("lever", "cachin")
    assert (run.code, run.out) == (2, "")
    assert "Did you mean caching" in run.err
    assert "verify lever lists all" in verify("lever", "zzzzzz").err
    run = verify("finding", "file_digets")
    assert run.code == 2
    assert "Did you mean file_digest" in run.err
    assert "verify finding lists all" in verify("finding", "zzzzzz").err


def test_findings_are_listed_the_gravest_first() -> None:
    lines = verify("finding").out.splitlines()
    assert [line.split()[0] for line in lines].count("file_digest") == 1
    assert {line.split()[0] for line in lines} == set(KINDS)
    severities = [line.split()[1] for line in lines]
    assert severities == sorted(severities, key=("error", "warning", "info").index)


def test_a_failed_check_leads_to_what_it_means(tmp_path: Path) -> None:
    line = record("model_call", "a", "2026-10-03T10:00:00Z", model="m")
    place = write_export(tmp_path / "export", [line])
    (place / "records.jsonl").write_bytes(line.replace(b"03T", b"04T") + b"\n")
    run = verify("recompute", place)
    assert run.code == 3
    assert "verify finding file_digest says what that means" in run.err
    assert "not the file that the manifest names" in verify("finding", "file_digest").out


def test_no_figures_are_suggested_where_there_are_none(tmp_path: Path) -> None:
    place = write_export(
        tmp_path / "export", [record("model_call", "a", "2026-10-03T10:00:00Z", model="m")]
    )
    assert "--figures, or see verify recompute" in verify("diff", place).err
    (place / "api").mkdir()
    assert f"--figures {place / 'api'}" in verify("diff", place).err
