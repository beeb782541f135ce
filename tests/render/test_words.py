"""What every form says in the same words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from verify.findings import Finding
from verify.render.pipes import findings_list
from verify.render.words import (
    amount_words,
    coverage_words,
    detail_unit,
    export_words,
    finding_words,
    loud_words,
    places_for,
)
from verify.result import Coverage, Value

from .built import DIGEST, identity


@pytest.mark.parametrize(
    ("measured", "total", "expected"),
    [
        (922, 1_092, "922 of 1,092  84.4 %"),
        (5, 5, "5 of 5  100.0 %"),
        (0, 5, "0 of 5  0.0 %"),
        (99_999, 100_000, "99,999 of 100,000  >99.9 %"),
        (1, 100_000, "1 of 100,000  <0.1 %"),
        (0, 0, "0 of 0  —"),
    ],
)
def test_coverage(measured: int, total: int, expected: str) -> None:
    assert coverage_words(Coverage(measured, total)) == expected


@pytest.mark.parametrize(
    ("unit", "values", "places"),
    [
        ("USD", [1], 6),
        ("tokens", [Fraction(4, 2), 3, None], 0),
        ("tokens", [Fraction(1, 3), 3], 2),
        ("", [Fraction(3, 2)], 2),
        ("USD/M", [Fraction("0.3")], 2),
        ("USD/M", [Fraction("3.75"), Fraction("4.125")], 3),
        ("USD/M", [Fraction(1, 3)], 6),
        ("", [True, "name"], 0),
    ],
)
def test_places(unit: str, values: list[Value], places: int) -> None:
    assert places_for(unit, values) == places


def test_amounts() -> None:
    assert amount_words(Fraction("-1234.5"), "USD") == "-1,234.500000 USD"
    assert amount_words(None, "USD") == "—"
    assert amount_words(True, "") == "yes"
    assert (detail_unit("usd"), detail_unit("usd_base"), detail_unit("calls")) == ("USD", "USD", "")


def test_findings_name_their_lines() -> None:
    assert finding_words(Finding("blank_lines", "a blank line", 1, (7,))) == "a blank line (line 7)"
    many = Finding("blank_lines", "blank \x1b lines", 9, (42, 60))
    assert finding_words(many) == r"blank \x1b lines (lines 42, 60 …)"
    assert finding_words(Finding("blank_lines", "none shown", 9)) == "none shown"
    listed = findings_list([Finding("blank_lines", "[x](y) <b> a_b")])
    assert listed == "- **info** \\[x\\](y) &lt;b&gt; a\\_b (`blank_lines`)\n"


def test_trust_in_words() -> None:
    head = dict(export_words(identity("pinned", tenant=None)))
    assert head["product"] == "lighthouse"
    assert head["export"] == f"1,500 records, SHA-256 {DIGEST}"
    assert head["trust"].startswith("pinned: the files fit the manifest, and ")
    assert "nobody vouched" in dict(export_words(identity()))["trust"]
    assert loud_words(identity(), {}) == []
    assert len(loud_words(identity("unverified"), {"dedupe": True})) == 2
