"""One result as page, CSV and Markdown: the same figures, each as exact as its form says."""

from __future__ import annotations

import csv as csv_module
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from verify.exact import plain, rounded
from verify.render import dumps
from verify.render.recomputation import CSV_COLUMNS, csv, markdown, table
from verify.render.safe import csv_text, visible
from verify.result import Key, Recomputation, Value

from .built import CORNERS, MEASURES, caching, keys, obeyed, recomputation, retrieval, routing


def page(result: Recomputation, width: int = 80, **unusual: Value) -> str:
    return table(result, measures=MEASURES, width=width, colour=False, unusual=unusual)


def csv_rows(result: Recomputation) -> list[dict[str, str]]:
    text = csv(result, measures=MEASURES)
    return list(csv_module.DictReader(io.StringIO(text, newline=""), strict=True))


def block(text: str, first: str) -> list[str]:
    """The lines of the table whose first column is headed `first`."""
    lines = text.splitlines()
    start = next(at for at, line in enumerate(lines) if line.split("  ")[0] == first)
    end = next((at for at in range(start, len(lines)) if not lines[at]), len(lines))
    return lines[start:end]


@pytest.mark.parametrize("width", [40, 80, 140])
def test_no_line_is_wider_than_the_page(width: int) -> None:
    for keys_of in (("triage", None), CORNERS):
        text = page(recomputation(retrieval(keys_of), caching(keys_of)), width)
        assert max(cell_len(line) for line in text.splitlines()) <= width
        assert not obeyed(text)


def test_head_and_summary() -> None:
    lines = page(recomputation()).splitlines()
    assert lines[:16] == [
        "tenant  acme (lighthouse)",
        "period  2026-10 in Europe/Lisbon, 745 hours",
        "from    2026-09-30T23:00:00Z until, not including, 2026-11-01T00:00:00Z",
        "export  1,500 records, SHA-256 694af028c9dd…",
        "trust   unauthenticated: the files fit the manifest; nobody vouched for the",
        "        manifest itself",
        "",
        "lever           status              figure  coverage              findings",
        "                                       USD",
        "──────────────────────────────────────────────────────────────────────────",
        "retrieval       ok                0.714506  922 of 1,092  84.4 %         2",
        "caching         ok               -0.012254  31 of 33  93.9 %             0",
        "routing         no_comparison            —  0 of 0  —                    0",
        "infrastructure  ok             -116.006789  1 of 2  50.0 %               0",
        "rounded for reading; --format json has every digit",
        "",
    ]


def test_findings_stand_under_their_lever() -> None:
    text = page(recomputation(), 140)
    assert "warning  2 searches with a negative token count (lines 82, 83) [negative_scope]" in text
    assert "warning  9 searches with a rate of 2 (lines 42, 60, 64 …) [rate_out_of_range]" in text
    assert text.index("rate_out_of_range") < text.index("── caching")
    assert text.splitlines()[-2].startswith("── the whole export ─")
    assert (
        text.splitlines()[-1] == "info     not in the manifest, not read: api/x.json [file_unread]"
    )


def test_a_figure_that_is_not_there_is_no_zero() -> None:
    result = recomputation(routing())
    text = page(result)
    assert "── routing  no_comparison  no figure ──" in text
    assert "0.0" not in text
    figure = next(row for row in csv_rows(result) if row["measure"] == "figure")
    assert figure["value"] == ""
    assert "| routing | no\\_comparison | — | — |" in markdown(result, measures=MEASURES)


def test_the_total_line_is_the_totals() -> None:
    result = recomputation(retrieval())
    totals = result.levers[0].totals
    last = next(line for line in block(page(result, 140), "agent") if line.startswith("total"))
    expected = [
        rounded(value, {"usd": 6, "tokens": 2}.get(unit, 0))
        for name, value in totals.items()
        for unit in ["usd" if "usd" in name else "tokens" if "tokens" in name else ""]
        if isinstance(value, int | Fraction)
    ]
    # The whole number of stuffed tokens shows no decimals, for all of its column are whole.
    expected[0] = expected[0].removesuffix(".00")
    assert last.split() == ["total", *expected]


def test_narrow_tables_keep_what_tells_most() -> None:
    lines = block(page(recomputation(retrieval())), "agent")
    kept = ["agent", "avoided", "uncached", "saved", "measured", "unmeasured", "unpriced"]
    assert lines[0].split() == kept
    assert lines[-1] == "--format csv also has stuffed tokens, sent tokens, cached USD"


def test_numbers_stand_right_and_keep_their_sign() -> None:
    infrastructure = page(recomputation()).split("── infrastructure")[1]
    lines = block(infrastructure, "deployment")
    assert lines[3:] == [
        "beta        scheduled    7.450000  123.456789  -116.006789",
        "delta       ephemeral  745.000000           —            —",
        "──────────────────────────────────────────────────────────",
        "total                                          -116.006789",
    ]


def test_a_total_over_nothing_known_is_a_dash() -> None:
    lever = recomputation().levers[3]
    unknown = replace(lever, by={"deployment": lever.by["deployment"][1:]})
    text = page(recomputation(replace(unknown, totals={"saved_usd": Fraction(0)})))
    assert re.search(r"^total +—$", text, re.M)


def test_cells_show_the_card() -> None:
    lines = block(page(recomputation(caching()), 140), "deployment")
    assert lines[0].split()[:8] == [
        "deployment", "model", "saved", "input", "output", "read", "write", "line",
    ]  # fmt: skip
    alpha, beta, gamma = (line.split() for line in lines[3:6])
    assert alpha[2:10] == [
        "0.000046", "3.00", "3.00", "0.30", "3.75", "12345", "a-1", "2026-09-20T00:00:00Z",
    ]  # fmt: skip
    assert beta[2:8] == ["-0.012300", "0.00", "0.00", "0.00", "—", "12345"]
    assert gamma[2:10] == ["0.000000", *"———————"]


def test_without_a_breakdown_the_totals_stand_alone() -> None:
    text = page(recomputation(replace(caching(), by={}, cells=())))
    assert "input       1,234,567 tokens\n" in text
    assert "saved       -0.012254 USD\n" in text


def test_what_must_be_loud_comes_first() -> None:
    text = page(recomputation(trust="unverified"), zone="UTC", weights=False)
    assert text.startswith("!!!  UNVERIFIED: ")
    assert "!!!  NOT BY THE STATED METHOD: zone=UTC, weights=false\n" in text
    assert text.index("NOT BY THE STATED METHOD") < text.index("tenant")
    pasted = markdown(
        recomputation(trust="unverified"), measures=MEASURES, unusual={"weights": False}
    )
    assert pasted.index("UNVERIFIED") < pasted.index("- tenant")
    assert pasted.index("NOT BY THE STATED METHOD: weights=false") < pasted.index("- tenant")
    rows = csv_module.reader(
        io.StringIO(
            csv(recomputation(trust="unverified"), measures=MEASURES, unusual={"weights": False})
        )
    )
    found = list(rows)
    assert ["", "", "export", "trust", "false", "value", "", "unverified"] in found
    assert ["", "", "method", "weights", "false", "unusual", "", "false"] in found


def test_fields_of_another_name_are_in_every_output() -> None:
    result = replace(recomputation(), fields={"scope_tokens": "scope|tok"})
    assert "fields  scope_tokens is scope|tok\n" in page(result)
    assert "| scope\\_tokens | scope\\|tok |" in markdown(result, measures=MEASURES)
    assert any(
        row["dimension"] == "fields" and row["value"] == "scope|tok" for row in csv_rows(result)
    )


def test_csv_has_stable_columns_and_every_exact_value() -> None:
    text = csv(recomputation(), measures=MEASURES)
    assert text.startswith("lever,status,dimension,key,key_is_null,measure,unit,value\r\n")
    assert text.count("\r\n") == text.count("\n")
    rows = csv_rows(recomputation())
    assert tuple(rows[0]) == CSV_COLUMNS

    def values(lever: str, dimension: str, measure: str) -> list[tuple[str, str, str]]:
        return [
            (row["key"], row["key_is_null"], row["value"])
            for row in rows
            if (row["lever"], row["dimension"], row["measure"]) == (lever, dimension, measure)
        ]

    totals = recomputation().levers[0].totals
    assert isinstance(totals["tokens_avoided"], Fraction)
    assert values("retrieval", "", "figure") == [("", "false", "0.7145064")]
    assert values("retrieval", "", "coverage_measured") == [("", "false", "922")]
    assert values("retrieval", "", "coverage_total") == [("", "false", "1092")]
    assert values("retrieval", "", "tokens_avoided") == [
        ("", "false", plain(totals["tokens_avoided"]))
    ]
    assert values("retrieval", "agent", "tokens_avoided") == [
        ("triage", "false", "13084034/3"),
        ("", "true", "13084037/3"),
    ]
    assert values("caching", "agent", "calls")[0] == ("", "false", "33")
    assert values("caching", "deployment_model", "saved_usd") == [
        ("alpha / m-cached", "false", "0.0000459"),
        ("beta / m-cached", "false", "-0.0123"),
        ("gamma / m-cached", "false", "0"),
    ]
    assert [value for _, _, value in values("caching", "deployment_model", "card_line")] == [
        "12345", "12345", "",
    ]  # fmt: skip
    assert values("infrastructure", "deployment", "profile")[0] == ("beta", "false", "scheduled")
    assert values("infrastructure", "deployment", "saved_usd") == [
        ("beta", "false", "-116.006789"),
        ("delta", "false", ""),
    ]
    assert values("retrieval", "finding", "count")[1] == ("rate_out_of_range", "false", "9")


def test_csv_numbers_are_bare_and_names_never_formulas() -> None:
    result = recomputation(retrieval(("=1+1", "a;=1", "-2")), tenant="@SUM(A1)")
    text = csv(result, measures=MEASURES)
    assert ',"\'=1+1",' in text
    assert ',"a;=1",' in text
    assert ',"\'-2",' in text
    assert '"\'@SUM(A1)"' in text
    assert ",-116.006789\r\n" in csv(recomputation(), measures=MEASURES)


def test_markdown_pastes_exact_values() -> None:
    text = markdown(recomputation(), measures=MEASURES)
    assert text.startswith("# Savings recomputed: acme, 2026-10\n")
    assert "| retrieval | ok | 0.7145064 | 0.714506 | USD | 922 of 1,092 &nbsp;84.4 % | 2 |" in text
    assert "| tokens avoided" not in text
    assert "13084034/3" in text
    assert "| (none) | 4399100 |" in text
    assert '| "None" |' in text
    assert "| alpha | m-cached | 3 | 3 | 0.3 | 3.75 | a-1 | 2026-09-20T00:00:00Z | 12345 |" in text
    assert "| gamma | m-cached | — | — | — | — | — | — | — | 0 |" in text
    assert "| delta | ephemeral | 745 | — | — |" in text
    assert (
        "- **warning** 9 searches with a rate of 2 (lines 42, 60, 64 …) (`rate_out_of_range`)"
        in text
    )


def markdown_tables(text: str) -> list[list[str]]:
    """Runs of lines that begin with a pipe."""
    runs = re.findall(r"(?:^\|.*\n)+", text, re.M)
    return [run.splitlines() for run in runs]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.none() | keys, unique=True, min_size=1, max_size=4), st.none() | keys)
def test_hostile_names_anywhere(names: Sequence[Key], tenant: str | None) -> None:
    name = names[0]
    cells = tuple(
        replace(cell, deployment=name or "", model=name or "", snapshot=name)
        for cell in caching().cells
    )
    result = recomputation(retrieval(names), replace(caching(names), cells=cells), tenant=tenant)

    shown = page(result)
    assert not obeyed(shown)
    assert max(cell_len(line) for line in shown.splitlines()) <= 80
    lines = block(shown, "agent")
    numbers = len(lines[0].split()) - 1
    drawn = [line.rsplit(maxsplit=numbers)[0] for line in lines[3 : 3 + len(names)]]
    assert len(set(drawn)) == len(names)

    text = csv(result, measures=MEASURES)
    assert not obeyed(text, allowed="\r\n")
    read = [
        (row["key"], row["key_is_null"])
        for row in csv_rows(result)
        if row["dimension"] == "agent" and row["measure"] == "usd"
    ]
    assert read == [
        ("", "true") if key is None else (csv_text(visible(key)), "false") for key in names
    ]

    pasted = markdown(result, measures=MEASURES)
    assert not obeyed(pasted)
    for lines in markdown_tables(pasted):
        pipes = [len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines]
        assert len(set(pipes)) == 1

    assert not obeyed(dumps(result.as_json()))
