"""A tie-out's page: the conclusion first, a line a lever, and of what differs the largest."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from verify.compare.figures import HEADLINE, At
from verify.compare.tieout import Diff, DiffRow
from verify.compare.verdicts import Tolerance
from verify.exact import Printed
from verify.findings import Finding
from verify.render.diff import markdown, table
from verify.render.diff.figures import Digits, figure_of, key_of, percent
from verify.render.diff.told import conclusion
from verify.result import Value, cell_key

from .built import calm, recomputation, retrieval
from .tied import month, sound, tied

USD = At("retrieval", "usd")
CELL = At("caching", "calls", "deployment_model", cell_key("alpha", "m-cached"))
WRONG = {
    At(HEADLINE, "usd"): "-115.300000",
    USD: "0.714000",
    At("retrieval", "measured"): "40",
    At("retrieval", "usd", "agent", None): "0.700000",
    CELL: "34",
    At("infrastructure", "profile", "deployment", "beta"): "ephemeral",
    At("infrastructure", "actual_usd", "deployment", "delta"): "3.5",
}


def page(diff: Diff, width: int = 80, **unusual: Value) -> str:
    return table(diff, width=width, colour=False, unusual=unusual)


def part(text: str, heading: str) -> list[str]:
    """The lines under a heading."""
    return text.split(f"── {heading} ")[1].split("\n── ")[0].splitlines()[1:]


# The conclusion


def test_all_agree() -> None:
    diff = tied()
    rounded = sum(row.verdict == "rounding" for row in diff.rows)
    assert rounded
    words = (
        f"agrees: all {len(diff.rows)} figures follow from the records, {rounded} of them rounded"
    )
    assert conclusion(diff) == words
    assert page(diff).startswith(words + "\n\ntenant ")
    assert markdown(diff).startswith(f"# {words}\n")


def test_how_many_differ() -> None:
    diff = tied(changes=WRONG)
    words = f"differs: {len(WRONG)} of {len(diff.rows)} figures are not what the records give"
    assert conclusion(diff) == words
    one = tied(changes={CELL: "34"})
    assert conclusion(one) == f"differs: 1 of {len(one.rows)} figures is not what the records give"


def test_errors_alone_make_it_differ() -> None:
    error = Finding("reads_disagree", "two reads show one figure differently")
    diff = tied(findings=[error])
    start = f"differs: 1 finding is an error, though all {len(diff.rows)} figures follow"
    assert conclusion(diff).startswith(start)
    assert conclusion(tied(changes={CELL: "34"}, findings=[error, error])).endswith(
        "; 2 findings are errors"
    )


def test_what_is_within_the_tolerance_agrees() -> None:
    diff = tied(changes={USD: "0.714000"}, tolerance=Tolerance(absolute=Fraction(1)))
    assert diff.verdict == "agrees"
    assert conclusion(diff).endswith(", 1 within the tolerance")
    text = page(diff)
    assert "\ntolerance  abs=1,rel=0%\n" in text
    assert part(text, "retrieval")[0] == "totals, 1 of 11 figures: within tolerance"


def test_what_keeps_it_inconclusive() -> None:
    diff = tied(recomputation())
    assert diff.verdict == "inconclusive"
    assert conclusion(diff).startswith(f"inconclusive: all {len(diff.rows)} figures follow from ")
    assert conclusion(diff).endswith(", but routing: no_comparison")
    assert "cannot be concluded" not in page(diff)
    many = replace(diff, inconclusive=tuple(f"lever {number}: no_data" for number in range(20)))
    assert conclusion(many).endswith(
        ", but lever 0: no_data; lever 1: no_data; lever 2: no_data; and 17 more"
    )
    shown = part(page(many), "what cannot be concluded")
    assert shown == [
        *(f"- lever {n}: no_data" for n in range(12)),
        "and 8 more; --format csv has all",
    ]
    assert markdown(many).count("- lever ") == 20


def test_a_difference_that_is_inconclusive_too() -> None:
    diff = tied(recomputation(), {CELL: "34"})
    assert diff.verdict == "differs"
    assert part(page(diff), "what cannot be concluded") == ["- routing: no_comparison"]


def test_nothing_was_compared() -> None:
    diff = replace(tied(), rows=(), inconclusive=("no figure was compared",))
    assert conclusion(diff) == "inconclusive: no figure was compared"
    assert "retrieval" in page(diff)


def test_what_was_taken_as_shown() -> None:
    at = At("ephemeral", "usd")
    diff = tied(claimed=[(at, Printed.read("4.2"))], accepted={at: "inside infrastructure"})
    assert diff.verdict == "agrees"
    assert ", 1 taken as shown" in conclusion(diff)
    line = next(line for line in page(diff, 140).splitlines() if line.startswith("ephemeral "))
    assert re.split("  +", line)[:6] == [
        "ephemeral", "4.200000", "4.200000", "—", "—", "not comparable",
    ]  # fmt: skip
    assert part(page(diff), "ephemeral")[0] == (
        "totals, 1 of 1 figure: not comparable: inside infrastructure"
    )


# What stands above the figures


def test_the_head() -> None:
    lines = page(tied(least=Fraction(1, 10))).splitlines()
    assert lines[2:8] == [
        "tenant        acme (lighthouse)",
        "period        2026-10 in Europe/Lisbon, 745 hours",
        "export        1,500 records, SHA-256 694af028c9dd…",
        "trust         unauthenticated: the files fit the manifest; nobody vouched for",
        "              the manifest itself",
        "min coverage  10 %",
    ]


def test_warnings_come_before_the_conclusion() -> None:
    diff = tied(recomputation(retrieval(), trust="unverified"))
    assert page(diff).startswith("!!!  UNVERIFIED: ")
    assert "> **UNVERIFIED: " in markdown(diff)
    assert "UNVERIFIED" not in page(tied())
    assert page(tied(), weights=False).startswith("!!!  NOT BY THE STATED METHOD: weights=false\n")


def test_fields_of_another_name() -> None:
    diff = tied(replace(sound(), fields={"agent": "bot"}))
    assert "\nfields  agent is bot\n" in page(diff)
    assert "\n- fields: agent is bot\n" in markdown(diff)


# A line a lever


def test_a_line_a_lever() -> None:
    lines = page(tied(changes=WRONG), 140).splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("lever "))
    found = [re.split(r"  +", line) for line in lines[start + 3 : start + 7]]
    assert [line[:1] + line[4:] for line in found] == [
        ["headline", "0.00453670", "differs", "—", "—", "1", "1"],
        ["retrieval", "-0.00050640", "differs", "ok", "922 of 1,092", "84.4 %", "3", "29"],
        ["caching", "0.00000010", "rounding", "ok", "31 of 33", "93.9 %", "1", "38"],
        ["infrastructure", "0.00000000", "exact", "ok", "1 of 2", "50.0 %", "2", "12"],
    ]
    assert [line[1:4] for line in found] == [
        ["-115.300000", "-115.300000", "-115.304537"],
        ["0.714000", "0.714000", "0.714506"],
        ["-0.012254", "-0.012254", "-0.012254"],
        ["-116.006789", "-116.006789", "-116.006789"],
    ]


def test_the_lead_fits_one_screen() -> None:
    text = page(tied(changes=WRONG))
    assert len(text.split("\n── ")[0].splitlines()) <= 24


def test_an_agreeing_diff_is_short() -> None:
    text = page(tied())
    assert len(text.splitlines()) <= 32
    assert [line for line in text.splitlines() if line.startswith("──")][-1].startswith(
        "── findings"
    )


def test_a_status_that_is_not_ok() -> None:
    lines = page(tied(recomputation())).splitlines()
    assert any(re.fullmatch(r"routing +— +— +— +— +exact", line) for line in lines)
    assert any(re.match(r"routing +no_comparison +0 of 0  —", line) for line in lines)


def test_large_amounts_are_shown_to_the_cent() -> None:
    large = Fraction("12345678.123456")
    result = recomputation(replace(retrieval(), usd=large))
    lines = page(tied(result, {USD: "12345678.133456"})).splitlines()
    line = next(line for line in lines if line.startswith("retrieval "))
    figure = "12,345,678.12"
    assert line.split() == [
        "retrieval",
        "12,345,678.13",
        "12,345,678.13",
        figure,
        "0.01",
        "differs",
    ]


# What differs


def test_what_differs_unfolds() -> None:
    text = page(tied(changes=WRONG))
    headings = [line for line in text.splitlines() if line.startswith("── ")]
    assert [heading.rstrip("─ ") for heading in headings] == [
        "── headline  1 of 1 figure differs",
        "── retrieval  3 of 29 figures differ",
        "── caching  1 of 38 figures differs",
        "── infrastructure  2 of 12 figures differ",
        "── findings",
    ]
    assert part(text, "retrieval")[8:13] == [
        "by agent, 1 of 18 figures: it follows from the product's own read, which the",
        "records contradict",
        "agent   measure    figure  recomputed  difference  relative",
        "───────────────────────────────────────────────────────────",
        "(none)  usd      0.700000    0.714506   -0.014506   -2.03 %",
    ]


def test_a_reason_each_where_they_are_not_the_same() -> None:
    lines = part(page(tied(changes=WRONG)), "retrieval")
    assert lines[:7] == [
        "totals, 2 of 11 figures",
        "measure     figure  recomputed  difference  relative  why  read",
        "────────────────────────────────────────────────────────────────────",
        "usd       0.714000    0.714506   -0.000506   -0.07 %    1  headline",
        "measured        40          41          -1   -2.44 %    2  retrieval",
        "1  it follows from the product's own read, which the records contradict",
        "2  the records give another figure",
    ]


def test_names_that_differ_have_a_table_of_their_own() -> None:
    lines = part(page(tied(changes=WRONG)), "infrastructure")
    assert lines[:10] == [
        "by deployment, 2 of 8 figures",
        "deployment  measure  figure     recomputed  why",
        "───────────────────────────────────────────────",
        "beta        profile  ephemeral  scheduled     1",
        "",
        "deployment  measure       figure  recomputed  difference  relative  why",
        "───────────────────────────────────────────────────────────────────────",
        "delta       actual_usd  3.500000           —           —         —    2",
        "1  the records say otherwise",
        "2  the records give none",
    ]


def test_a_cell_is_named_by_deployment_and_model() -> None:
    text = page(tied(changes=WRONG))
    assert "by deployment and model, 1 of 15 figures" in text
    assert "\nalpha / m-cached    calls        34          33           1\n" in text
    assert "| alpha / m-cached | calls | 34 |" in markdown(tied(changes=WRONG))
    odd = replace(CELL, key="[1, 2]")
    assert key_of(odd) == "[1, 2]"
    assert key_of(replace(CELL, key="[")) == "["
    assert key_of(replace(CELL, key='["a",null]')) == "a / (none)"


def test_many_rows_are_folded_the_largest_first() -> None:
    diff = tied(extra=month(31))
    lines = part(page(diff), "retrieval")
    assert lines[0] == "by day, 31 of 31 figures, largest first: another figure"
    days = [line.split()[0] for line in lines if line.startswith("2026-10-")]
    assert days == [f"2026-10-{number}" for number in range(31, 19, -1)]
    assert "and 19 more rows by day; --format csv has every row" in lines
    assert len(re.findall(r"\| by day \| 2026-10-", markdown(diff))) == 31
    smallest, *others = month(31)
    lines = part(page(tied(extra=(replace(smallest, reason="of its own"), *others))), "retrieval")
    assert lines[0] == "by day, 31 of 31 figures, largest first"
    assert "1  another figure" in lines
    few = part(page(tied(extra=month(12))), "retrieval")
    assert few[0] == "by day, 12 of 12 figures: another figure"
    assert few[3].startswith("2026-10-01")
    assert not any("more row" in line for line in few)


def test_a_row_that_one_side_lacks() -> None:
    left = [
        At("caching", name, "agent", "triage")
        for name in ("saved_usd", "input_tokens", "cache_read_tokens", "calls", "reported")
    ]
    extra = (At("caching", "calls", "agent", "who"), Printed.read("7"))
    diff = tied(leave_out=left, claimed=[extra], complete=[("caching", "agent")])
    text = page(diff)
    assert "── caching  1 of 39 figures only in the figures, 5 only in the records ─" in text
    assert re.search(r"^who +calls +7 +— +— +— +1$", text, re.M)
    assert re.search(r"^triage +calls +— +33 +— +— +2$", text, re.M)
    assert "\n1  only in the figures: the records have no such row\n" in text
    assert "\n2  only in the records: the product's breakdown has no such row\n" in text


# One verdict alone


def test_only_rows_of_one_verdict() -> None:
    diff = tied(changes=WRONG).only("differs")
    words = f"differs, concluded from all figures; only the {len(WRONG)} with the verdict differs "
    assert page(diff).replace("\n", " ").startswith(words + "are shown")
    assert "── caching  1 differs ─" in page(diff)
    line = next(line for line in page(diff).splitlines() if line.startswith("caching "))
    assert line.split()[-1] == "another"


def test_only_what_is_exact() -> None:
    diff = tied(changes=WRONG).only("exact")
    text = page(diff)
    assert text.startswith("differs, concluded from all figures; only the ")
    assert "difference" in text
    assert "largest first" not in text
    assert part(text, "retrieval")[0].endswith(" figures: exact")


def test_only_of_which_there_is_none() -> None:
    text = page(tied().only("differs"))
    assert text.startswith(
        "agrees, concluded from all figures; none has the verdict asked for\n\ntenant"
    )
    assert "recomputed" not in text


# Widths and digits


@pytest.mark.parametrize("width", [80, 140])
def test_no_line_is_wider_than_the_page(width: int) -> None:
    for diff in (tied(), tied(changes=WRONG), tied(recomputation(), extra=month(31))):
        for shown in (diff, diff.only("exact"), diff.only("differs")):
            assert max(cell_len(line) for line in page(shown, width).splitlines()) <= width


def test_colour_changes_nothing_else() -> None:
    diff = tied(changes=WRONG)
    coloured = table(diff, width=80, colour=True)
    assert "\x1b[1;31m" in coloured
    lines = re.sub(r"\x1b\[[0-9;]*m", "", coloured).splitlines()
    assert [line.rstrip() for line in lines] == page(diff).splitlines()


amounts = st.fractions(min_value=-(10**7), max_value=10**7, max_denominator=10**15)


@calm
@given(st.lists(amounts, min_size=1, max_size=5), st.sampled_from(["USD", "tokens", ""]))
def test_a_difference_never_reads_as_zero(deltas: list[Fraction], unit: str) -> None:
    digits = Digits.of(unit, deltas, deltas)
    for delta in deltas:
        shown = digits.difference(delta)
        assert shown is not None
        assert bool(re.search("[1-9]", shown)) == (delta != 0)
        assert shown.startswith("-") == (delta < 0)
        ratio = percent(delta)
        assert ratio is not None
        assert ("-" in ratio) == (delta < 0)
        assert bool(re.search("[1-9]", ratio)) == (delta != 0)


def test_the_smallest_difference_on_the_page() -> None:
    tiny = Fraction(-3, 10**20)
    rows = month(2, tiny)
    text = page(tied(extra=rows))
    assert "-0.000000000000000000030  >-0.01 %" in text
    assert "-0.000000000000000000060" in text
    assert "-0.000000\n" not in text


def test_a_half_is_no_zero() -> None:
    assert Digits.of("USD", (), [Fraction(1, 2_000_000)]).difference(Fraction(1, 2_000_000)) == (
        "0.00000050"
    )


def test_unknown_is_a_dash_and_no_zero() -> None:
    digits = Digits.of("USD", [None], [])
    assert digits.amount(None) is None
    assert digits.difference(None) is None
    assert percent(None) is None


def test_what_the_product_shows_is_read_with_care() -> None:
    def row(figure: str | None, recomputed: Value = None) -> DiffRow:
        return DiffRow(USD, figure, None, recomputed, None, "only_in_figures", "")

    assert figure_of(row(None)) is None
    assert figure_of(row("-0.50")) == Fraction(-1, 2)
    assert figure_of(row("4.6e-05")) == Fraction(46, 10**6)
    assert figure_of(row("124966/3")) == Fraction(124966, 3)
    for word in ("1e999999999", "1/0", "nan", "1_000", " 1", "/", ""):
        assert figure_of(row(word)) == word
    assert figure_of(row("12", "ok")) == "12"


def test_findings_the_gravest_first() -> None:
    findings = [
        Finding("file_unread", "info"),
        Finding("read_card", "warning"),
        Finding("reads_disagree", "error"),
        Finding("manifest_unauthenticated", "said in the head"),
    ]
    shown = part(page(tied(findings=findings), 140), "findings")
    assert [line.split()[0] for line in shown] == [
        "error", "warning", "warning", "warning", "info", "info",
    ]  # fmt: skip
    assert "warning  retrieval: 2 searches with a negative token count (lines 82, 83)" in shown[2]
    assert "said in the head" in markdown(tied(findings=findings))
