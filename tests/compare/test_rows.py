"""Figures set beside a recomputation that is made by hand: each case on its own."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from verify.compare.figures import HEADLINE, At, Claims, Derived, Figure
from verify.compare.tieout import Diff, DiffRow, tie_out
from verify.compare.verdicts import Tolerance
from verify.exact import Printed
from verify.findings import Finding
from verify.period import Period
from verify.result import (
    CardCell,
    Coverage,
    ExportIdentity,
    Key,
    LeverResult,
    Recomputation,
    Row,
    Value,
    cell_key,
)

UNITS = {"usd": "USD", "saved_usd": "USD", "tokens": "tokens", "weighted": "tokens", "calls": ""}
EXPORT = ExportIdentity("made", None, "0" * 64, 1, "pinned")
PERIOD = Period(date(2026, 10, 1), date(2026, 10, 31), "UTC")
Shown = str | int | None


def lever(
    name: str = "caching",
    usd: str | None = "17.9161614",
    *,
    status: str = "ok",
    totals: Mapping[str, Value] | None = None,
    coverage: tuple[int, int] = (9, 10),
    by: Mapping[str, Mapping[Key, Mapping[str, Value]]] | None = None,
    cells: tuple[CardCell, ...] = (),
    detail: Mapping[str, Value] | None = None,
) -> LeverResult:
    rows = {
        dimension: tuple(Row(key, measures) for key, measures in of.items())
        for dimension, of in (by or {}).items()
    }
    figure = None if usd is None else Fraction(usd)
    return LeverResult(
        name, status, figure, totals or {}, Coverage(*coverage), rows, cells, detail or {}
    )


def figure(
    measure: str, shown: Shown, name: str = "caching", by: str | None = None, key: Key = None
) -> Figure:
    """A figure whose text is a number where it looks like one."""
    text = str(shown) if isinstance(shown, int) else shown
    value: Printed | str | None = text
    if text is not None and text.lstrip("-")[:1].isdigit():
        value = Printed.read(text)
    return Figure(At(name, measure, by, key), value, "read", f"/{name}/{by}/{key}/{measure}")


def claims(*figures: Figure, **given: Any) -> Claims:
    return Claims(figures, given.pop("from_reads", {}), PERIOD.since, PERIOD.until, "UTC", **given)


def tied(
    shown: Claims,
    *levers: LeverResult,
    tolerance: str | None = None,
    least: str | None = None,
    extra: Sequence[DiffRow] = (),
    findings: Sequence[Finding] = (),
) -> Diff:
    return tie_out(
        Recomputation(EXPORT, PERIOD, {}, levers),
        shown,
        UNITS,
        tolerance=Tolerance() if tolerance is None else Tolerance.parse(tolerance),
        least_coverage=None if least is None else Fraction(least),
        extra=extra,
        findings=findings,
    )


def only(diff: Diff) -> DiffRow:
    (row,) = diff.rows
    return row


@pytest.mark.parametrize(
    ("shown", "verdict"),
    [
        ("17.9161614", "exact"),
        ("17.916161", "rounding"),
        ("17.916162", "differs"),
        ("17.9161610", "differs"),
        ("17.916", "differs"),
        ("17.9", "differs"),
        ("18", "differs"),
        ("-17.916161", "differs"),
        ("0.0", "differs"),
        ("17916161.4e-6", "exact"),
    ],
)
def test_dollars_have_six_decimals_however_few_are_printed(shown: str, verdict: str) -> None:
    row = only(tied(claims(figure("usd", shown)), lever()))
    assert row.verdict == verdict
    assert row.figure == shown
    assert row.delta == Fraction(shown) - Fraction("17.9161614")


def test_the_most_decimals_of_a_measure_count_for_all_of_its_figures() -> None:
    rows: dict[Key, Mapping[str, Value]] = {
        "a": {"weighted": Fraction(1, 3)},
        "b": {"weighted": Fraction(2, 3)},
    }
    made = lever(by={"agent": rows}, totals={"weighted": Fraction(1)})

    def found(one: str, other: str) -> list[str]:
        shown = claims(
            figure("weighted", one, by="agent", key="a"),
            figure("weighted", other, by="agent", key="b"),
        )
        return [row.verdict for row in tied(shown, made).rows]

    assert found("0.3", "0.7") == ["rounding", "rounding"]
    assert found("0.333", "0.7") == ["rounding", "differs"]
    assert found("0.333", "0.667") == ["rounding", "rounding"]
    assert found("0", "1") == ["differs", "differs"]


def test_precision_is_of_one_lever_and_one_measure() -> None:
    made = lever(totals={"weighted": Fraction(1, 3), "tokens": Fraction(1, 3)})
    other = lever("routing", totals={"weighted": Fraction(1, 3)})
    shown = claims(
        figure("weighted", "0.3"),
        figure("tokens", "0.3333"),
        figure("weighted", "0.333333", "routing"),
    )
    assert [row.verdict for row in tied(shown, made, other).rows] == ["rounding"] * 3


def test_counts_are_exact_however_they_are_printed() -> None:
    made = lever(totals={"tokens": 10**15, "calls": 7})
    for shown, verdict in (
        (10**15, "exact"),
        ("1e15", "exact"),
        ("1000000000000000.0", "exact"),
        (10**15 + 1, "differs"),
        ("1000000000000000.1", "differs"),
        ("1000000000000000.0000001", "differs"),
    ):
        row = only(tied(claims(figure("tokens", shown)), made))
        assert row.verdict == verdict, shown
        assert row.as_json()["recomputed"] == "1000000000000000"


def test_an_unrounded_amount_has_no_half_unit() -> None:
    at = At("caching", "usd")
    for text, verdict in (("17.9161614", "exact"), ("17.916161", "differs")):
        shown = claims(Figure(at, Printed.amount(text), "other", "/usd"))
        assert only(tied(shown, lever())).verdict == verdict
    third = claims(Figure(at, Printed.amount("1/3"), "other", "/usd"))
    assert only(tied(third, lever(usd="1/3"))).verdict == "exact"
    assert only(tied(third, lever(usd="0.333333333333"))).verdict == "differs"


def test_null_is_equal_to_null_alone() -> None:
    unknown = lever(usd=None, status="no_data")
    both = tied(claims(figure("usd", None)), unknown)
    assert (only(both).verdict, only(both).delta, only(both).relative) == ("exact", None, None)
    zero = only(tied(claims(figure("usd", "0.0")), unknown))
    assert (zero.verdict, zero.reason) == ("differs", "the records give none")
    lost = only(tied(claims(figure("usd", None)), lever()))
    assert (lost.verdict, lost.reason) == ("differs", "the product shows none")
    nothing = only(tied(claims(figure("usd", None)), lever(usd="0")))
    assert nothing.verdict == "differs"
    assert tied(claims(figure("usd", None)), lever(usd="0"), tolerance="abs=9").verdict == "differs"


@pytest.mark.parametrize(
    ("shown", "own", "verdict"),
    [
        ("ok", "ok", "exact"),
        ("ok", "no_data", "differs"),
        ("no_data", "ok", "differs"),
        ("no_price_card", "no_data", "differs"),
        ("partial_comparison", "ok", "differs"),
        ("estimated", "ok", "differs"),
        ("OK", "ok", "differs"),
    ],
)
def test_a_status_is_compared_as_it_is(shown: str, own: str, verdict: str) -> None:
    usd = "1" if own == "ok" else None
    row = only(tied(claims(figure("status", shown)), lever(usd=usd, status=own)))
    assert row.verdict == verdict


def test_a_number_is_no_word_and_a_word_no_number() -> None:
    made = lever("infrastructure", detail={"profile": "12"}, totals={"calls": 12})
    rows = tied(
        claims(
            figure("profile", 12, "infrastructure"), figure("calls", "twelve", "infrastructure")
        ),
        made,
    ).rows
    assert [row.verdict for row in rows] == ["differs", "differs"]


def test_keys_null_empty_and_named_none_are_three_keys() -> None:
    keys: list[Key] = [None, "", "None", "null"]
    own: dict[Key, Mapping[str, Value]] = {
        key: {"tokens": position} for position, key in enumerate(keys)
    }
    made = lever(by={"agent": own})
    shown = [figure("tokens", position, by="agent", key=key) for position, key in enumerate(keys)]
    whole = {"complete": [("caching", "agent")]}
    assert tied(claims(*shown, **whole), made).verdict == "agrees"
    for position, key in enumerate(keys):
        rest = shown[:position] + shown[position + 1 :]
        diff = tied(claims(*rest, **whole), made)
        lost = [row for row in diff.rows if row.verdict != "exact"]
        assert [(row.at.key, row.verdict) for row in lost] == [(key, "only_in_records")]
        assert diff.verdict == "differs"
    swapped = [
        replace(f, at=replace(f.at, key={None: "", "": None}.get(f.at.key, f.at.key)))
        for f in shown
    ]
    diff = tied(claims(*swapped, **whole), made)
    assert {row.at.key for row in diff.rows if row.verdict == "differs"} == {None, ""}


def test_rows_of_one_side_only() -> None:
    made = lever(by={"agent": {"a": {"tokens": 1, "usd": Fraction(2)}, "b": {"tokens": 3}}})
    shown = claims(
        figure("tokens", 1, by="agent", key="a"),
        figure("tokens", 0, by="agent", key="c"),
        complete=[("caching", "agent")],
    )
    diff = tied(shown, made)
    verdicts = {row.at.key: (row.verdict, row.figure, row.recomputed) for row in diff.rows}
    assert verdicts == {
        "a": ("exact", "1", 1),
        "b": ("only_in_records", None, 3),
        "c": ("only_in_figures", "0", None),
    }
    assert diff.verdict == "differs"


def test_a_row_of_zeros_is_a_row() -> None:
    """Neither side may leave one out because there is nothing in it."""
    made = lever(by={"agent": {"a": {"tokens": 0}, "b": {"tokens": 1}}})
    shown = claims(figure("tokens", 1, by="agent", key="b"), complete=[("caching", "agent")])
    assert tied(shown, made).verdict == "differs"


def test_a_breakdown_that_is_not_shown_makes_no_row() -> None:
    made = lever(by={"agent": {"a": {"tokens": 1}}, "pack": {"p": {"tokens": 1}}})
    shown = claims(figure("tokens", 1, by="agent", key="a"), complete=[("caching", "agent")])
    diff = tied(shown, made)
    assert len(diff.rows) == 1
    assert diff.verdict == "agrees"


def test_an_empty_breakdown_lacks_every_row_and_measure() -> None:
    made = lever(by={"agent": {None: {"tokens": 1, "usd": Fraction(1)}}})
    diff = tied(claims(figure("usd", "17.916161"), complete=[("caching", "agent")]), made)
    lost = [row for row in diff.rows if row.verdict == "only_in_records"]
    assert [(row.at.key, row.at.measure) for row in lost] == [(None, "tokens"), (None, "usd")]
    assert diff.verdict == "differs"


def test_what_is_only_broken_down_is_asked_for_all_the_same() -> None:
    shown = claims(complete=[("caching", "provider"), ("infrastructure", "deployment")])
    assert shown.dimensions == ("provider", "deployment")
    assert shown.levers == ("caching", "infrastructure")


def test_a_breakdown_or_measure_or_lever_that_cannot_be_recomputed_is_not_comparable() -> None:
    made = lever(by={"agent": {"a": {"tokens": 1}}}, totals={"tokens": 1})
    for shown in (
        figure("tokens", 1, by="region", key="eu"),
        figure("latency", 1),
        figure("latency", 1, by="agent", key="a"),
        figure("usd", "4.2", "ephemeral"),
    ):
        diff = tied(claims(shown, figure("tokens", 1)), made)
        assert [row.verdict for row in diff.rows] == ["not_comparable", "exact"]
        assert diff.verdict == "inconclusive"
        assert diff.inconclusive


def test_a_cell_is_of_a_deployment_and_a_model() -> None:
    cell = CardCell("eu", "m", None, None, None, None, {"tokens": 1})
    key = cell_key("eu", "m")
    shown = figure("tokens", 1, by="deployment_model", key=key)
    assert tied(claims(shown), lever(cells=(cell,))).verdict == "agrees"
    assert only(tied(claims(shown), lever())).verdict == "only_in_figures"
    forged = figure("tokens", 1, by="deployment_model", key='["eu","m"]')
    assert only(tied(claims(forged), lever(cells=(cell,)))).verdict == "exact"
    assert cell_key('eu","m', "") != cell_key("eu", 'm","')


def headline(shown: Shown, statuses: Mapping[str, str], printed: str, *others: Figure) -> Claims:
    total = At(HEADLINE, "usd")
    return claims(
        figure("usd", shown, HEADLINE),
        *others,
        statuses=statuses,
        from_reads={total: Derived(Fraction(printed))},
    )


def levers_of(*usd: str) -> list[LeverResult]:
    return [lever(f"lever{position}", amount) for position, amount in enumerate(usd)]


def shown_levers(*usd: str) -> tuple[list[Figure], dict[str, str]]:
    figures = [figure("usd", amount, f"lever{position}") for position, amount in enumerate(usd)]
    return figures, {f"lever{position}": "ok" for position in range(len(usd))}


def test_a_headline_that_sums_rounded_levers_ties() -> None:
    exact = ("0.0000004", "0.0000004", "0.0000004", "0.0000004")
    figures, statuses = shown_levers("0.0", "0.0", "0.0", "0.0")
    diff = tied(headline("0.0", statuses, "0", *figures), *levers_of(*exact))
    assert [row.verdict for row in diff.rows] == ["rounding"] * 5
    assert diff.rows[0].delta == Fraction("-0.0000016")
    assert diff.verdict == "agrees"


def test_a_headline_that_is_not_the_sum_of_what_is_printed_differs() -> None:
    """Even where it is nearer to the records than the sum."""
    exact = ("0.0000004", "0.0000004", "0.0000004")
    figures, statuses = shown_levers("0.0", "0.0", "0.0")
    diff = tied(headline("0.000001", statuses, "0", *figures), *levers_of(*exact))
    assert diff.rows[0].verdict == "differs"
    assert "not the sum" in diff.rows[0].reason


def test_a_headline_whose_levers_differ_differs_with_them() -> None:
    figures, statuses = shown_levers("1.0", "2.0")
    diff = tied(headline("3.0", statuses, "3", *figures), *levers_of("1", "2.5"))
    assert [row.verdict for row in diff.rows] == ["differs", "exact", "differs"]
    assert "of which some differ" in diff.rows[0].reason
    within = tied(
        headline("3.0", statuses, "3", *figures), *levers_of("1", "2.5"), tolerance="abs=1"
    )
    assert [row.verdict for row in within.rows] == ["within_tolerance", "exact", "within_tolerance"]


def test_only_ok_levers_are_counted() -> None:
    figures, statuses = shown_levers("1.0", "2.0")
    made = levers_of("1", "2")
    statuses["lever1"] = "partial_comparison"
    assert tied(headline("1.0", statuses, "1", *figures), *made).rows[0].verdict == "exact"
    assert tied(headline("3.0", statuses, "1", *figures), *made).rows[0].verdict == "differs"


def test_a_headline_over_nothing_is_zero_or_null() -> None:
    made = lever(usd=None, status="no_data")
    for shown, verdict in (("0", "exact"), (None, "exact"), ("0.1", "differs")):
        diff = tied(headline(shown, {"caching": "no_data"}, "0", figure("usd", None)), made)
        assert diff.rows[0].verdict == verdict
        assert diff.verdict == ("differs" if verdict == "differs" else "inconclusive")
    figures, statuses = shown_levers("1.0")
    null = tied(headline(None, statuses, "1", *figures), *levers_of("1"))
    assert (null.rows[0].verdict, null.rows[0].reason) == ("differs", "the product shows none")


def test_a_headline_without_levers_proves_nothing() -> None:
    unknown = lever(usd=None, status="no_data")
    for shown in ("0", None):
        alone = tied(headline(shown, {}, "0"), unknown)
        assert alone.verdict == "inconclusive"
        assert alone.inconclusive == ("no figure was compared",)


def test_a_lever_that_the_headline_leaves_out_is_a_difference() -> None:
    """Else a product need only leave out what cost money to show a greater saving."""
    figures, statuses = shown_levers("1.0")
    shown = headline("1.0", statuses, "1", *figures)
    diff = tied(shown, *levers_of("1", "-5"))
    lost = [row for row in diff.rows if row.verdict == "only_in_records"]
    assert [(row.at.lever, row.at.measure, row.recomputed) for row in lost] == [
        ("lever1", "usd", -5)
    ]
    assert diff.verdict == "differs"
    without = lever("lever1", None, status="no_data")
    assert tied(shown, *levers_of("1"), without).verdict == "agrees"
    assert tied(claims(*figures), *levers_of("1", "-5")).verdict == "agrees"


def test_a_headline_that_counts_an_unknown_lever_is_not_comparable() -> None:
    figures, statuses = shown_levers("1.0", "2.0")
    diff = tied(headline("3.0", statuses, "3", *figures), *levers_of("1"))
    assert [row.verdict for row in diff.rows] == ["not_comparable", "exact", "not_comparable"]
    assert diff.verdict == "inconclusive"


def accepted(name: str = "ephemeral", *rest: Figure) -> Claims:
    status, usd = At(name, "status"), At(name, "usd")
    return claims(
        figure("status", "included", name),
        figure("usd", "4.2", name),
        *rest,
        accepted={status: "never added", usd: "never added"},
        statuses={name: "included"},
    )


def test_an_included_lever_is_accepted_and_does_not_hinder() -> None:
    diff = tied(accepted("ephemeral", figure("usd", "17.916161")), lever())
    assert [row.verdict for row in diff.rows] == ["not_comparable", "not_comparable", "rounding"]
    assert diff.rows[0].reason == "never added"
    assert diff.verdict == "agrees"


def test_an_included_lever_alone_proves_nothing() -> None:
    assert tied(accepted()).verdict == "inconclusive"


def test_an_amount_of_an_included_lever_is_held_against_the_records() -> None:
    wrong = tied(accepted("caching"), lever())
    assert [row.verdict for row in wrong.rows] == ["not_comparable", "differs"]
    assert wrong.verdict == "differs"
    right = tied(accepted("caching"), lever(usd="4.2"))
    assert [row.verdict for row in right.rows] == ["not_comparable", "exact"]
    assert right.verdict == "agrees"
    # Where the records have no figure, the product's rests on nothing.
    assert tied(accepted("caching"), lever(usd=None, status="no_data")).verdict == "differs"


def test_a_row_is_accepted_only_where_the_records_have_none() -> None:
    at = At("infrastructure", "usd", "deployment", "eu")
    shown = claims(
        figure("usd", "1.0", "infrastructure", "deployment", "eu"),
        figure("usd", "2.0", "infrastructure"),
        accepted={at: "always on"},
    )
    without = lever("infrastructure", "2", by={"deployment": {}})
    assert tied(shown, without).rows[0].verdict == "not_comparable"
    assert tied(shown, without).verdict == "agrees"
    having = lever("infrastructure", "2", by={"deployment": {"eu": {"usd": Fraction(3)}}})
    assert tied(shown, having).rows[0].verdict == "differs"


def test_a_lever_without_a_figure_is_compared_and_inconclusive() -> None:
    for status in ("no_data", "no_price_card", "no_comparison", "no_cost_feed"):
        made = lever(usd=None, status=status)
        diff = tied(claims(figure("status", status), figure("usd", None)), made)
        assert [row.verdict for row in diff.rows] == ["exact", "exact"]
        assert (diff.verdict, diff.inconclusive) == ("inconclusive", (f"caching: {status}",))


def test_a_partial_comparison_is_compared_and_inconclusive() -> None:
    made = lever("routing", "-0.0031018", status="partial_comparison")
    figures = [
        figure("status", "partial_comparison", "routing"),
        figure("usd", "-0.003102", "routing"),
    ]
    diff = tied(claims(*figures), made)
    assert [row.verdict for row in diff.rows] == ["exact", "rounding"]
    assert (diff.verdict, diff.inconclusive) == ("inconclusive", ("routing: partial_comparison",))
    other = tied(claims(figures[0], figure("usd", "-0.0032", "routing")), made)
    assert other.verdict == "differs"


@pytest.mark.parametrize(
    ("coverage", "least", "verdict"),
    [
        ((9, 10), "0.9", "agrees"),
        ((9, 10), "0.9000001", "inconclusive"),
        ((9, 10), None, "agrees"),
        ((0, 10), "0", "agrees"),
        ((0, 0), "0", "inconclusive"),
        ((0, 0), None, "agrees"),
        ((10, 10), "1", "agrees"),
    ],
)
def test_coverage_below_the_least_is_inconclusive(
    coverage: tuple[int, int], least: str | None, verdict: str
) -> None:
    shown = claims(figure("usd", "17.916161"))
    assert tied(shown, lever(coverage=coverage), least=least).verdict == verdict


def test_coverage_of_a_lever_that_is_not_shown_does_not_matter() -> None:
    shown = claims(figure("usd", "17.916161"))
    poor = lever("routing", "1", coverage=(0, 100))
    assert tied(shown, lever(), poor, least="0.5").verdict == "agrees"
    assert tied(shown, lever(), lever("routing", None, status="no_data")).verdict == "agrees"


def test_coverage_is_two_counts_that_are_exact() -> None:
    shown = claims(figure("coverage_measured", 9), figure("coverage_total", 11))
    assert [row.verdict for row in tied(shown, lever()).rows] == ["exact", "differs"]


def test_no_figure_at_all_is_inconclusive() -> None:
    diff = tied(claims(), lever())
    assert (diff.verdict, diff.inconclusive) == ("inconclusive", ("no figure was compared",))


def test_differs_comes_before_inconclusive_before_agrees() -> None:
    unknown = figure("usd", "4.2", "ephemeral")
    good, bad = figure("usd", "17.916161"), figure("usd", "18.0")
    assert tied(claims(good), lever()).verdict == "agrees"
    assert tied(claims(good, unknown), lever()).verdict == "inconclusive"
    assert tied(claims(bad, unknown), lever()).verdict == "differs"


def test_an_amount_that_no_read_is_known_to_carry_keeps_the_answer_open() -> None:
    more = Finding("figure_unknown", "annualized_usd")
    good, bad = figure("usd", "17.916161"), figure("usd", "18")
    assert tied(claims(good, findings=(more,)), lever()).verdict == "inconclusive"
    assert tied(claims(bad, findings=(more,)), lever()).verdict == "differs"


def test_a_read_that_contradicts_itself_differs_whatever_the_records_say() -> None:
    good = figure("usd", "17.916161")
    for code, verdict in (
        ("read_rows_total", "differs"),
        ("read_not_its_inputs", "differs"),
        ("headline_not_sum", "differs"),
        ("reads_disagree", "differs"),
        ("read_duplicate_row", "differs"),
        ("read_card", "agrees"),
        ("read_unknown", "agrees"),
        ("figures_zone", "agrees"),
    ):
        finding = Finding(code, "as made")
        assert tied(claims(good, findings=(finding,)), lever()).verdict == verdict
        assert tied(claims(good), lever(), findings=[finding]).verdict == verdict


def test_rows_that_only_the_system_ties_out_count_like_all() -> None:
    row = DiffRow(At("routing", "delta_usd", "decision", "r1"), None, None, None, None, "exact", "")
    assert tied(claims(), lever(), extra=[row]).verdict == "agrees"
    for verdict in ("differs", "only_in_figures", "only_in_records"):
        assert tied(claims(), lever(), extra=[replace(row, verdict=verdict)]).verdict == "differs"


def test_showing_only_some_rows_changes_no_conclusion() -> None:
    diff = tied(claims(figure("usd", "18.0"), figure("coverage_total", 10)), lever())
    for verdict in ("exact", "differs", "rounding"):
        shown = diff.only(verdict)
        assert {row.verdict for row in shown.rows} <= {verdict}
        assert shown.verdict == shown.as_json()["verdict"] == "differs"


def test_the_delta_is_figure_less_recomputed_and_relative_to_the_recomputed() -> None:
    row = only(tied(claims(figure("usd", "3.0")), lever(usd="2"))).as_json()
    assert (row["delta"], row["relative"], row["recomputed"]) == ("1", "0.5", "2")
    third = only(tied(claims(figure("usd", "1.0")), lever(usd="3"))).as_json()
    assert (third["delta"], third["relative"]) == ("-2", "-2/3")
    zero = only(tied(claims(figure("usd", "1.0")), lever(usd="0"))).as_json()
    assert (zero["delta"], zero["relative"]) == ("1", None)


def test_the_reason_says_what_the_read_itself_gives() -> None:
    at = At("caching", "usd")

    def reason(shown: str, derived: str | None, shares: int = 0) -> str:
        given = {} if derived is None else {at: Derived(Fraction(derived), shares)}
        return only(tied(claims(figure("usd", shown), from_reads=given), lever(usd="9"))).reason

    assert reason("1.0", None) == "the records give another figure"
    assert "which the records contradict" in reason("1.0", "1.0000005")
    assert "neither" in reason("1.0", "1.0000006")
    assert "which the records contradict" in reason("1.0", "1.0000010", shares=1)
    assert "neither" in reason("1.0", "1.0000011", shares=1)


def test_order_changes_nothing() -> None:
    own: dict[Key, Mapping[str, Value]] = {f"k{n}": {"tokens": n} for n in range(20)}
    made = [lever(by={"agent": own}), lever("routing", "1")]
    figures = [figure("tokens", n + n // 13, by="agent", key=f"k{n}") for n in range(18)]
    figures += [figure("usd", "17.916161"), figure("usd", "1.1", "routing")]
    given: dict[str, Any] = {"complete": [("caching", "agent")]}
    first = tied(claims(*figures, **given), *made)
    for seed in range(5):
        random.Random(seed).shuffle(figures)
        other = tied(claims(*figures, **given), *reversed(made))
        assert {(row.at, row.verdict) for row in other.rows} == {
            (row.at, row.verdict) for row in first.rows
        }
        assert other.verdict == first.verdict == "differs"


def test_a_total_or_detail_of_a_name_that_the_lever_has_is_compared_apart() -> None:
    made = lever("routing", None, status="no_comparison", totals={"usd": 3}, detail={"calls": 2})
    shown = claims(
        figure("usd", None, "routing"),
        figure("totals-usd", 3, "routing"),
        figure("detail-calls", 2, "routing"),
        figure("calls", 3, "routing"),
        figure("detail-usd", 3, "routing"),
    )
    assert [row.verdict for row in tied(shown, made).rows] == [
        "exact",
        "exact",
        "exact",
        "differs",
        "not_comparable",
    ]
