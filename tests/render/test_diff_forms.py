"""A tie-out as CSV and Markdown: every row, every digit; and hostile names in all its forms."""

from __future__ import annotations

import csv as csv_module
import io
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from verify.compare.figures import At
from verify.compare.tieout import Diff, DiffRow
from verify.exact import plain
from verify.findings import Finding
from verify.render import dumps
from verify.render.diff import CSV_COLUMNS, csv, markdown, table
from verify.render.diff.figures import key_of
from verify.render.safe import csv_text, visible
from verify.result import Key, cell_key

from .built import CORNERS, caching, infrastructure, keys, obeyed, recomputation, retrieval
from .tied import month, tied

USD = At("retrieval", "usd")
CALLS = At("caching", "calls", "deployment_model", cell_key("alpha", "m-cached"))


def csv_rows(diff: Diff) -> list[dict[str, str]]:
    return list(csv_module.DictReader(io.StringIO(csv(diff), newline=""), strict=True))


def figure_rows(diff: Diff) -> list[dict[str, str]]:
    context = {"diff", "export", "period", "method", "fields", "policy", "inconclusive", "finding"}
    return [row for row in csv_rows(diff) if row["dimension"] not in context]


def number(text: str) -> Fraction | None:
    return Fraction(text) if text else None


# CSV


def test_csv_has_every_row_exactly() -> None:
    diff = tied(recomputation(), {USD: "0.70", CALLS: "34"}, extra=month(40))
    read = figure_rows(diff)
    assert tuple(read[0]) == CSV_COLUMNS
    assert len(read) == len(diff.rows)
    for shown, row in zip(read, diff.rows, strict=True):
        assert shown["lever"] == row.at.lever
        assert shown["dimension"] == (row.at.dimension or "")
        assert shown["key"] == (key_of(row.at) or "")
        assert (
            shown["key_is_null"] == str(row.at.dimension is not None and row.at.key is None).lower()
        )
        assert shown["measure"] == row.at.measure
        assert shown["verdict"] == row.verdict
        assert shown["reason"] == row.reason
        assert (shown["read"], shown["pointer"]) == (row.read, row.pointer)
        assert number(shown["from_read"]) == row.from_read
        assert number(shown["delta"]) == row.delta
        assert number(shown["relative"]) == row.relative
        if row.delta is not None and not isinstance(row.recomputed, str | bool | None):
            assert Fraction(shown["recomputed"]) == row.recomputed
            assert Fraction(shown["figure"]) - Fraction(shown["recomputed"]) == row.delta
        elif not row.delta:
            assert shown["recomputed"] == (row.recomputed or "")
            assert shown["figure"] == (row.figure or "")


def test_csv_numbers_are_bare() -> None:
    text = csv(tied(changes={USD: "-0.70"}))
    assert f",usd,USD,-0.7,-0.7,0.7145064,{plain(Fraction('-1.4145064'))}," in text
    assert "'-" not in text


def test_csv_says_what_the_figures_rest_on() -> None:
    diff = tied(recomputation(), {CALLS: "34"}, least=Fraction(1, 2))
    rows = csv_rows(replace(diff, result=replace(diff.result, fields={"agent": "bot"})))
    found = {
        (row["dimension"], row["key"], row["measure"]): row["value"]
        for row in rows
        if not row["lever"]
    }
    assert found["diff", "verdict", "value"] == "differs"
    assert found["export", "trust", "value"] == "unauthenticated"
    assert found["period", "hours", "value"] == "745"
    assert found["method", "weights", "value"] == "true"
    assert found["fields", "agent", "value"] == "bot"
    assert found["policy", "tolerance", "value"] == "abs=0,rel=0%"
    assert found["policy", "min_coverage", "value"] == "0.5"
    assert found["finding", "file_unread", "count"] == "8"
    assert [row["reason"] for row in rows if row["dimension"] == "inconclusive"] == [
        "routing: no_comparison"
    ]
    lever = [row for row in rows if row["lever"] and row["dimension"] == "finding"]
    assert [(row["lever"], row["key"], row["verdict"], row["value"]) for row in lever] == [
        ("retrieval", "negative_scope", "warning", "2"),
        ("retrieval", "rate_out_of_range", "warning", "9"),
    ]
    assert ",method,weights,false,unusual," in csv(diff, unusual={"weights": False})


def test_csv_has_the_levers_coverage_and_units() -> None:
    rows = figure_rows(tied())
    retrieval_rows = [row for row in rows if row["lever"] == "retrieval"]
    assert {(row["lever_measured"], row["lever_total"]) for row in retrieval_rows} == {
        ("922", "1092")
    }
    units = {row["measure"]: row["unit"] for row in rows}
    assert units["usd_cached"] == "USD"
    assert units["tokens_avoided"] == "tokens"
    assert units["measured"] == ""
    assert next(row for row in rows if row["lever"] == "headline")["lever_total"] == ""


def test_csv_of_one_verdict() -> None:
    diff = tied(changes={CALLS: "34"}).only("differs")
    assert len(figure_rows(diff)) == 1
    values = {row["key"]: row["value"] for row in csv_rows(diff) if row["dimension"] == "policy"}
    assert values["only"] == "differs"
    assert next(row for row in csv_rows(diff) if row["dimension"] == "diff")["value"] == "differs"


def test_another_unit_than_dollars() -> None:
    lever = replace(
        retrieval(), lever="trimming", usd=None, amount=5, unit="seconds", totals={}, by={}
    )
    at = At("trimming", "amount")
    extra = (DiffRow(at, "7", None, 5, Fraction(2), "differs", "another figure"),)
    diff = tied(recomputation(lever), leave_out=[At("trimming", "usd")], extra=extra)
    row = next(row for row in figure_rows(diff) if row["measure"] == "amount")
    assert (row["unit"], row["figure"], row["recomputed"]) == ("seconds", "7", "5")
    lines = table(diff, width=140, colour=False).splitlines()
    line = next(line for line in lines if line.startswith("trimming "))
    assert line.split()[:6] == ["trimming", "7", "—", "5", "2", "differs"]


# Markdown


def test_markdown_pastes_exact_values() -> None:
    text = markdown(tied(changes={USD: "0.714000", CALLS: "34"}))
    assert "- from: 2026-09-30T23:00:00Z until, not including, 2026-11-01T00:00:00Z\n" in text
    assert (
        "| retrieval | ok | 0.714 | 0.714 | 0.7145064 | -0.0005064 | -0.000506 | differs "
        "| 922 of 1,092 &nbsp;84.4 % | 1 | 29 |\n" in text
    )
    assert (
        "| totals |  | usd | 0.714000 | 0.714 | 0.7145064 | -0.0005064 | -0.000506 | -0.07 % | it "
        "follows from the product's own read, which the records contradict |\n" in text
    )
    assert "\n## retrieval\n" in text
    assert "\n## infrastructure\n" not in text
    assert "- **warning** retrieval: 2 searches with a negative token count (lines 82, 83)" in text


def test_markdown_of_one_verdict() -> None:
    text = markdown(tied(changes={CALLS: "34"}).only("differs"))
    assert text.startswith("# differs, concluded from all figures; only the 1 with the verdict ")
    assert "| verdict | coverage | shown |" in text


def test_a_difference_in_markdown_is_no_zero() -> None:
    tiny = Fraction(-3, 10**12)
    assert "| -0.000000000003 | -0.000000000003 | &gt;-0.01 % |" in markdown(
        tied(extra=month(1, tiny))
    )


# Hostile names


def pipes(text: str) -> list[set[int]]:
    """How many cells the lines of each table have."""
    runs = re.findall(r"(?:^\|.*\n)+", text, re.M)
    return [
        {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in run.splitlines()} for run in runs
    ]


def everywhere(names: Sequence[Key], tenant: Key) -> Diff:
    """A diff whose names of every sort are these."""
    name = names[0] or ""
    cells = tuple(
        replace(cell, deployment=name, model=names[-1] or "") for cell in caching().cells[:1]
    )
    result = recomputation(
        retrieval(names), replace(caching(names), cells=cells), infrastructure(), tenant=tenant
    )
    result = replace(result, fields={"agent": name})
    changes: dict[At, str | None] = {
        At("retrieval", "measured", "agent", key): "9999" for key in names
    }
    changes[At("caching", "calls", "deployment_model", cell_key(name, names[-1] or ""))] = "9999"
    changes[At("infrastructure", "profile", "deployment", "beta")] = name
    changes[At("infrastructure", "status")] = name
    odd = (
        DiffRow(At(name, "usd"), "1", None, None, None, "not_comparable", name),
        DiffRow(At(name, "status"), name, None, None, None, "not_comparable", name),
        DiffRow(At("routing", "delta_usd", name, name), "1", None, 2, None, "differs", name, name),
    )
    return tied(
        result,
        changes,
        extra=odd,
        findings=[Finding("read_card", name)],
        statuses={"retrieval": name, name: name},
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.none() | keys, unique=True, min_size=1, max_size=4), st.none() | keys)
def test_hostile_names_anywhere(names: Sequence[Key], tenant: Key) -> None:
    diff = everywhere(names, tenant)
    for shown in (diff, diff.only("differs"), diff.only("not_comparable")):
        for width in (80, 140):
            page = table(shown, width=width, colour=False)
            assert not obeyed(page)
            assert max(cell_len(line) for line in page.splitlines()) <= width
        assert not obeyed(csv(shown), allowed="\r\n")
        pasted = markdown(shown)
        assert not obeyed(pasted)
        assert all(len(counts) == 1 for counts in pipes(pasted))
        assert not obeyed(dumps(shown.as_json()))
    found = Counter(
        (row["key"], row["key_is_null"])
        for row in csv_rows(diff)
        if (row["lever"], row["dimension"], row["measure"]) == ("retrieval", "agent", "measured")
    )
    assert found == Counter(
        ("", "true") if key is None else (csv_text(visible(key)), "false") for key in names
    )


@pytest.mark.parametrize("width", [80, 140])
def test_all_corners_at_once(width: int) -> None:
    page = table(everywhere(CORNERS, None), width=width, colour=False)
    assert max(cell_len(line) for line in page.splitlines()) <= width
    assert not obeyed(page)


def test_names_are_made_safe_once() -> None:
    name = "a\x1bb\\x1b|c"
    diff = everywhere((name,), name)
    page = table(diff, width=140, colour=False)
    shown = r"a\x1bb\\x1b|c"
    # tenant, status twice, fields, lever, reasons, keys, columns and figures
    assert page.count(shown) >= 12
    assert page.count("x1bb") == page.count(shown)
    assert csv(diff).count("x1bb") == csv(diff).count(shown)
    pasted = markdown(diff)
    assert pasted.count("x1bb") == pasted.count(r"a\\x1bb\\\\x1b\|c")


def test_importing_it_is_cheap() -> None:
    code = (
        "import sys, verify.render.diff\n"
        "print([m for m in ('rich', 'polars', 'duckdb', 'jsonschema') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
