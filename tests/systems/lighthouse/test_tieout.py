"""Reads tied out against the records: an agreeing sample, planted causes, and each figure moved."""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from compare.captures import (
    CSV_FILE,
    JSON_READS,
    SAMPLE,
    Capture,
    Opened,
    Place,
    at,
    capture_of,
    changed,
    claims_of,
    month_of,
    moved,
    numbers,
    opened,
    pointer,
    written,
)
from support.exports import record, write_export

from verify.compare.figures import HEADLINE, At, Claims
from verify.compare.tieout import Diff, DiffRow
from verify.compare.verdicts import DIFFERING
from verify.errors import UsageProblem
from verify.result import cell_key
from verify.systems.base import Question
from verify.systems.lighthouse.method import SWITCHES
from verify.systems.lighthouse.reads import read_claims
from verify.systems.lighthouse.sample import SamplePlan, build_reads, make_sample
from verify.trust.strictjson import NumberText

ZONE, MONTH = "Europe/Madrid", "2026-10"
SINCE, UNTIL = date(2026, 10, 1), date(2026, 10, 31)
PLAN = SamplePlan(seed=5, records=1_500, since=SINCE, until=UNTIL, time_zone=ZONE)
ALTERNATIVES = [(switch.name, value) for switch in SWITCHES for value in switch.values[1:]]
WEIGHTED = ("stuffed_tokens", "sent_tokens", "tokens_avoided")
CARD_FINDINGS = {"read_card", "read_not_its_inputs", "reads_disagree"}


@pytest.fixture(scope="module")
def sample() -> Iterator[Opened]:
    with opened(SAMPLE) as export:
        yield export


@pytest.fixture(scope="module")
def capture() -> Capture:
    return capture_of(SAMPLE / "api")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    place: Path = tmp_path_factory.mktemp("made") / "export"
    make_sample(place, PLAN)
    with opened(place) as export:
        yield export


def captured(export: Opened, place: Path, **switches: str | bool) -> Path:
    """What a product that calculates with these switches would answer, as files."""
    reads = build_reads(export.export, since=SINCE, until=UNTIL, time_zone=ZONE, switches=switches)
    export.forget()
    place.mkdir(exist_ok=True)
    for name, body in reads.items():
        (place / name).write_bytes(body)
    return place


def differing(diff: Diff) -> list[DiffRow]:
    return [row for row in diff.rows if row.verdict in DIFFERING]


def named(diff: Diff) -> set[tuple[str, str]]:
    """Read and place of every row that does not agree."""
    return {(row.read, row.pointer) for row in differing(diff)}


def codes(diff: Diff) -> set[str]:
    return {finding.code for finding in diff.findings if finding.severity != "info"}


# A product that calculates as stated


def test_every_row_of_an_agreeing_sample_is_exact_or_rounding(
    made: Opened, sample: Opened, tmp_path: Path
) -> None:
    for export, place in ((sample, SAMPLE / "api"), (made, captured(made, tmp_path / "api"))):
        diff = export.diff(read_claims(place))
        assert diff.verdict == "agrees"
        assert {row.verdict for row in diff.rows} == {"exact", "rounding"}
        assert {row.reason for row in diff.rows} == {""}
        assert codes(diff) == set()
        assert diff.inconclusive == ()


def test_every_figure_shown_has_a_row(sample: Opened, capture: Capture, tmp_path: Path) -> None:
    """Each number in the JSON reads but for cards, which are inputs, and for decisions, which
    have a row each."""
    diff = sample.diff(claims_of(tmp_path, capture))
    places = {(row.read, row.pointer) for row in diff.rows}
    for name in JSON_READS:
        for place, _ in numbers(capture[name]):
            if "price" not in place:
                shown = place[:2] if place[0] == "decisions" else place
                assert (name, pointer(shown)) in places
    assert len(places) == len(diff.rows)
    alone = sample.diff(month_of(claims_of(tmp_path, {CSV_FILE: capture[CSV_FILE]}), MONTH))
    assert len(alone.rows) == 5 * (len(capture[CSV_FILE]) - 1)
    assert alone.verdict == "agrees"


def test_each_read_alone_agrees(sample: Opened, capture: Capture, tmp_path: Path) -> None:
    for name in JSON_READS:
        diff = sample.diff(claims_of(tmp_path, {name: capture[name]}))
        assert diff.verdict == "agrees", name
        assert {row.read for row in diff.rows} == {name}


def test_what_follows_from_the_reads_alone_is_shown_beside(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    diff = sample.diff(claims_of(tmp_path, capture))
    without = {row.at for row in diff.rows if row.from_read is None and row.at.dimension is None}
    assert without == {At(lever, "status") for lever in SYSTEM_LEVERS} | {
        At("caching", "coverage_measured"),
        At("caching", "coverage_total"),
        At("routing", "source"),
    }
    for row in diff.rows:
        if row.from_read is not None and row.figure is not None:
            assert abs(row.from_read - Fraction(row.figure)) < Fraction(1, 1000)


SYSTEM_LEVERS = ("retrieval", "caching", "routing", "infrastructure")


# A product that calculates otherwise


def figures_of(claims: Claims) -> dict[tuple[str, At], str | None]:
    return {(figure.read, figure.at): figure.text for figure in claims.figures}


def decisions_of(place: Path) -> Counter[str]:
    read = json.loads((place / "routing.json").read_text(), parse_float=str)
    return Counter(json.dumps(decision, sort_keys=True) for decision in read["decisions"])


def moves(right: Claims, shown: Claims) -> Counter[tuple[str, At, str]]:
    """The rows that two captures of one period should differ in, told without a recomputation."""
    one, other = figures_of(right), figures_of(shown)
    found: Counter[tuple[str, At, str]] = Counter()
    for place in {*one, *other}:
        if place not in one:
            found[*place, "only_in_figures"] += 1
        elif place not in other:
            found[*place, "only_in_records"] += 1
        elif one[place] != other[place]:
            found[*place, "differs"] += 1
    return found


def counted(rows: list[DiffRow]) -> Counter[tuple[str, At, str]]:
    return Counter((row.read, row.at, row.verdict) for row in rows)


@pytest.fixture(scope="module")
def stated(made: Opened, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return captured(made, tmp_path_factory.mktemp("stated") / "api")


@pytest.mark.parametrize(("switch", "value"), ALTERNATIVES)
def test_exactly_the_figures_that_a_planted_cause_moves_differ(
    switch: str, value: str | bool, made: Opened, stated: Path, tmp_path: Path
) -> None:
    planted = captured(made, tmp_path / "planted", **{switch: value})
    table = (planted / CSV_FILE).rename(tmp_path / CSV_FILE)
    shown = read_claims(planted)
    diff = made.diff(shown)
    assert diff.verdict == "differs"
    found = [row for row in differing(diff) if row.at.dimension != "decision"]
    assert counted(found) == moves(read_claims(stated), shown)
    lost, extra = (
        decisions_of(stated) - decisions_of(planted),
        decisions_of(planted) - decisions_of(stated),
    )
    decisions = Counter(row.verdict for row in diff.rows if row.at.dimension == "decision")
    assert decisions["only_in_records"] == lost.total()
    assert decisions["only_in_figures"] == extra.total()
    assert decisions["differs"] == 0
    assert found or lost or extra
    shown_alone = month_of(read_claims(table), MONTH)
    alone = made.diff(shown_alone)
    moved_alone = moves(read_claims(stated / CSV_FILE), shown_alone)
    assert counted(differing(alone)) == moved_alone
    assert alone.verdict == ("differs" if moved_alone else "agrees")


def test_a_tolerance_is_stated_before_the_run_and_hides_no_row(
    made: Opened, tmp_path: Path
) -> None:
    claims = read_claims(captured(made, tmp_path / "api", weights=False))
    strict, lax = made.diff(claims), made.diff(claims, tolerance="rel=100%,abs=1000000000")
    assert len(strict.rows) == len(lax.rows)
    moved_rows = {row.at for row in differing(strict)}
    assert {row.at for row in lax.rows if row.verdict == "within_tolerance"} == moved_rows
    assert differing(lax) == []


# Each figure moved


def cases(capture: Capture, name: str) -> list[Place]:
    """Places of numbers in a read: of each kind one in the middle and the last."""
    kinds: dict[str, list[Place]] = {}
    for place, _ in numbers(capture[name]):
        kinds.setdefault(re.sub(r"/[0-9]+", "/*", pointer(place)), []).append(place)
    found = (dict.fromkeys((of[len(of) // 2], of[-1])) for of in kinds.values())
    return [place for places in found for place in places]


def moved_figure(text: str, measure: object, sign: int) -> NumberText:
    """Two units of the last printed digit further, a weighted token figure 0.01."""
    if measure in WEIGHTED and "." in text:
        return NumberText(str(Decimal(text) + sign * Decimal("0.01")))
    return moved(text, 2 * sign)


def depending(capture: Capture, name: str, place: Place) -> set[tuple[str, str]]:
    """The rows that have to be named when the figure at `place` is another."""
    if "price" in place:
        return set()
    if place[0] == "decisions":
        return {(name, pointer(place[:2]))}
    named_rows = {(name, pointer(place))}
    counted = name == HEADLINE and place[0] == "levers" and place[2:] == ("usd",)
    if counted and capture[name]["levers"][place[1]]["status"] == "ok":
        named_rows.add((HEADLINE, "/usd"))
    return named_rows


@pytest.mark.parametrize("name", JSON_READS)
def test_any_figure_that_is_moved_is_named_and_nothing_else(
    name: str, sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    alone = {name: capture[name]}
    before = sample.diff(claims_of(tmp_path, alone))
    for position, place in enumerate(cases(capture, name)):
        text = moved_figure(at(capture[name], place), place[-1], (-1) ** position)
        diff = sample.diff(claims_of(tmp_path, changed(alone, name, place, text)))
        assert named(diff) == depending(capture, name, place), pointer(place)
        assert len(diff.rows) == len(before.rows)
        if "price" in place:
            assert codes(diff) & CARD_FINDINGS, pointer(place)
        else:
            assert diff.verdict == "differs"


def test_any_figure_of_the_csv_that_is_moved_is_named(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    table = capture[CSV_FILE]
    places = [
        (row, column)
        for row, column in product(range(1, len(table)), range(2, len(table[0])))
        if table[row][column] and (row + column) % 3 == 0
    ]
    for place in places:
        row, column = place
        text = str(moved(table[row][column], 2 if row % 2 else -2))
        for whole in ({CSV_FILE: table}, capture if row % 7 == 0 else {}):
            if whole:
                claims = claims_of(tmp_path, changed(whole, CSV_FILE, place, text))
                diff = sample.diff(month_of(claims, MONTH))
                measure = table[0][column]
                if measure.endswith("_per_m"):
                    assert named(diff) == set(), place
                    assert codes(diff) & CARD_FINDINGS, place
                else:
                    assert named(diff) == {("caching.csv", f"/{row - 1}/{measure}")}
                    assert diff.verdict == "differs"


def test_a_figure_moved_in_a_whole_capture_is_named_once(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    """Beside other reads that show it too, which agree with the records."""
    shaker = random.Random(3)
    for name in JSON_READS:
        for place in shaker.sample(cases(capture, name), 3):
            text = moved_figure(at(capture[name], place), place[-1], 1)
            diff = sample.diff(claims_of(tmp_path, changed(capture, name, place, text)))
            assert named(diff) == depending(capture, name, place), (name, pointer(place))


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        ("picked", "someone-else", "another picked"),
        ("picked", None, "another picked"),
        ("baseline", "someone-else", "another baseline"),
        ("agent", "someone-else", "another agent"),
        ("pack", "", "another pack"),
        ("applied", "other", "another applied"),
        ("candidates", [], "another candidates"),
        ("candidates", None, "another candidates"),
    ],
)
def test_a_decision_is_its_record_in_every_part(
    part: str, value: Any, said: str, sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    decision = capture["routing"]["decisions"][3]
    if value == "other":
        value = not decision["applied"]
    assert decision[part] != value
    alone = {"routing": capture["routing"]}
    diff = sample.diff(
        claims_of(tmp_path, changed(alone, "routing", ("decisions", 3, part), value))
    )
    (row,) = differing(diff)
    assert (row.pointer, row.verdict) == ("/decisions/3", "differs")
    assert said in row.reason
    assert "line " in row.reason


@pytest.mark.parametrize(
    ("part", "value"),
    [("id", "r0"), ("ts", "2026-10-28T08:04:22.813Z"), ("ts", None), ("deployment", "elsewhere")],
)
def test_a_decision_of_another_name_is_on_one_side_only(
    part: str, value: Any, sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    alone = {"routing": capture["routing"]}
    diff = sample.diff(
        claims_of(tmp_path, changed(alone, "routing", ("decisions", 3, part), value))
    )
    verdicts = Counter(row.verdict for row in differing(diff))
    assert verdicts == {"only_in_figures": 1, "only_in_records": 1}


def test_a_decision_left_out_twice_or_in_another_order(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    decisions = capture["routing"]["decisions"]

    def found(shown: list[Any]) -> tuple[str, dict[str, int]]:
        claims = claims_of(tmp_path, {"routing": {**capture["routing"], "decisions": shown}})
        diff = sample.diff(claims)
        return diff.verdict, dict(Counter(row.verdict for row in differing(diff)))

    assert found(decisions[::-1]) == ("agrees", {})
    assert found(decisions[1:]) == ("differs", {"only_in_records": 1})
    assert found([*decisions, decisions[5]]) == ("differs", {"only_in_figures": 1})
    assert found([])[1]["only_in_records"] == len(decisions)
    same_instant = copy.deepcopy(decisions)
    same_instant[0]["ts"] = "2026-10-30T11:54:46.426000+01:00"
    assert found(same_instant) == ("agrees", {})


# Rows, keys, levers


def test_a_row_on_one_side_only(sample: Opened, capture: Capture, tmp_path: Path) -> None:
    for name, place in (
        ("retrieval", ("stuffing", "by_day")),
        ("retrieval", ("stuffing", "by_index")),
        ("caching", ("by_provider",)),
        ("caching", ("by_deployment_model",)),
        ("profiles", ("deployments",)),
    ):
        rows = at(capture[name], place)
        alone = {name: capture[name]}
        fewer = sample.diff(claims_of(tmp_path, changed(alone, name, place, rows[1:])))
        lost = {row.verdict for row in differing(fewer)}
        assert lost == {"only_in_records"}, (name, place)
        assert fewer.verdict == "differs"
        new = copy.deepcopy(rows[0])
        new["key" if "key" in new else "deployment"] = "nowhere"
        more = sample.diff(claims_of(tmp_path, changed(alone, name, place, [*rows, new])))
        assert {row.verdict for row in differing(more)} == {"only_in_figures"}, (name, place)


def test_an_empty_breakdown_lacks_all_rows(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    """Also where nothing else in the capture is broken down like this, or about that lever."""
    for name in ("retrieval", "caching", "profiles"):
        part = capture[name]["stuffing"] if name == "retrieval" else capture[name]
        for dimension in [key for key in part if key.startswith("by_") or key == "deployments"]:
            place = ("stuffing", dimension) if name == "retrieval" else (dimension,)
            emptied = changed({name: capture[name]}, name, place, [])
            lone = copy.deepcopy(emptied)
            held = lone[name]["stuffing"] if name == "retrieval" else lone[name]
            for other in [key for key in held if key.startswith("by_") and key != dimension]:
                del held[other]
            for shown in (emptied, lone):
                diff = sample.diff(claims_of(tmp_path, shown))
                assert diff.verdict == "differs", (name, dimension)
                assert {row.verdict for row in differing(diff)} == {"only_in_records"}
                assert len({row.at.key for row in differing(diff)}) == len(part[dimension])


def test_a_breakdown_that_is_not_there_makes_no_row(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    read = copy.deepcopy(capture["caching"])
    for dimension in [key for key in read if key.startswith("by_")]:
        del read[dimension]
        diff = sample.diff(claims_of(tmp_path, {"caching": read}))
        assert diff.verdict == "agrees", dimension
        assert dimension.removeprefix("by_") not in {row.at.dimension for row in diff.rows}


def test_a_breakdown_that_the_records_do_not_have_is_not_comparable(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    rows = capture["caching"]["by_agent"]
    for dimension in ("by_region", "by_index"):
        shown = changed({"caching": capture["caching"]}, "caching", (dimension,), rows)
        diff = sample.diff(claims_of(tmp_path, shown))
        verdicts = {row.verdict for row in diff.rows if f"by_{row.at.dimension}" == dimension}
        assert verdicts == {"not_comparable"}
        assert diff.verdict == "inconclusive"


def test_one_row_twice_differs_though_each_agrees(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    for name, place in (
        ("headline", ("levers",)),
        ("retrieval", ("stuffing", "by_model")),
        ("caching", ("by_deployment_model",)),
        ("profiles", ("deployments",)),
    ):
        rows = at(capture[name], place)
        twice = changed({name: capture[name]}, name, place, [*rows, rows[-1]])
        diff = sample.diff(claims_of(tmp_path, twice))
        assert diff.verdict == "differs"
        assert "read_duplicate_row" in codes(diff)
        others = {row.verdict for row in diff.rows if row.at.lever != HEADLINE}
        assert others <= {"exact", "rounding"}


def test_order_changes_nothing(sample: Opened, capture: Capture, tmp_path: Path) -> None:
    shuffled, shaker = copy.deepcopy(capture), random.Random(11)
    shaker.shuffle(shuffled["headline"]["levers"])
    shaker.shuffle(shuffled["routing"]["decisions"])
    shaker.shuffle(shuffled["profiles"]["deployments"])
    for part in (shuffled["retrieval"]["stuffing"], shuffled["caching"]):
        for name in [key for key in part if key.startswith("by_")]:
            shaker.shuffle(part[name])
    wrong = changed(shuffled, "headline", ("levers", 0, "coverage", "total"), NumberText("1"))
    for shown, verdict in ((shuffled, "agrees"), (wrong, "differs")):
        diff = sample.diff(claims_of(tmp_path, shown))
        assert diff.verdict == verdict
        assert len(differing(diff)) == (verdict == "differs")


def test_a_lever_that_the_headline_leaves_out(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    """The headline is then the sum of its levers, and greater where what is left out is a loss."""
    document = copy.deepcopy(capture["headline"])
    gone = document["levers"].pop(2)
    kept = sum(Fraction(lever["usd"]) for lever in document["levers"])
    document["usd"] = NumberText(f"{float(kept):.6f}")
    diff = sample.diff(claims_of(tmp_path, {"headline": document}))
    assert diff.verdict == "differs"
    (row,) = differing(diff)
    assert (row.at, row.verdict) == (At("routing", "usd"), "only_in_records")
    assert gone["lever"] == "routing"
    one = sample.diff(claims_of(tmp_path, {"headline": document}), levers=("caching",))
    assert one.verdict == "agrees"


def test_a_headline_without_levers(sample: Opened, capture: Capture, tmp_path: Path) -> None:
    for usd in (NumberText("0"), None):
        bare = {**capture["headline"], "usd": usd, "levers": []}
        diff = sample.diff(claims_of(tmp_path, {"headline": bare}))
        assert diff.verdict == "differs"
        lost = {row.at.lever for row in differing(diff)}
        assert lost == set(SYSTEM_LEVERS)


def test_a_lever_twice_in_the_headline(sample: Opened, capture: Capture, tmp_path: Path) -> None:
    document = copy.deepcopy(capture["headline"])
    document["levers"].append(document["levers"][1])
    document["usd"] = NumberText(
        f"{float(sum(Fraction(lever['usd']) for lever in document['levers'])):.6f}"
    )
    diff = sample.diff(claims_of(tmp_path, {"headline": document}))
    assert diff.verdict == "differs"
    assert (HEADLINE, "/usd") in named(diff)
    assert "read_duplicate_row" in codes(diff)


# Statuses


def status_changed(capture: Capture, position: int, **parts: Any) -> Capture:
    document = copy.deepcopy(capture["headline"])
    document["levers"][position].update(parts)
    counted = [
        Fraction(lever["usd"])
        for lever in document["levers"]
        if lever["status"] == "ok" and lever["usd"] is not None
    ]
    document["usd"] = NumberText(f"{float(sum(counted)):.6f}")
    return {"headline": document}


@pytest.mark.parametrize("status", ["no_data", "no_price_card", "partial_comparison", "disputed"])
def test_a_status_that_the_records_contradict_differs(
    status: str, sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    claims = claims_of(tmp_path, status_changed(capture, 1, status=status))
    diff = sample.diff(claims)
    assert named(diff) == {("headline", "/levers/1/status")}
    assert diff.verdict == "differs"


def test_a_figure_that_is_null_or_zero_where_the_records_give_one(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    for usd in (None, NumberText("0"), NumberText("0.0"), NumberText("-0.0")):
        claims = claims_of(tmp_path, status_changed(capture, 1, status="ok", usd=usd))
        assert ("headline", "/levers/1/usd") in named(sample.diff(claims))


def test_an_included_lever_is_accepted_and_never_added(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    document = copy.deepcopy(capture["headline"])
    inside = {"lever": "ephemeral", "status": "included", "usd": NumberText("4.2")}
    document["levers"].append({**inside, "coverage": None, "detail": {"inside": "infrastructure"}})
    diff = sample.diff(claims_of(tmp_path, {"headline": document}))
    assert diff.verdict == "agrees"
    assert [row.at.measure for row in diff.rows if row.verdict == "not_comparable"] == [
        "status",
        "usd",
    ]
    document["usd"] = moved(document["usd"], 4_200_000)
    added = sample.diff(claims_of(tmp_path, {"headline": document}))
    assert named(added) == {(HEADLINE, "/usd")}
    assert "headline_not_sum" in codes(added)


def test_an_unknown_lever_that_counts_is_inconclusive(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    document = copy.deepcopy(capture["headline"])
    document["levers"].append({"lever": "batching", "status": "ok", "usd": NumberText("1.5")})
    document["usd"] = moved(document["usd"], 1_500_000)
    diff = sample.diff(claims_of(tmp_path, {"headline": document}))
    assert diff.verdict == "inconclusive"
    unknown = {
        (row.at.lever, row.at.measure) for row in diff.rows if row.verdict == "not_comparable"
    }
    assert unknown == {("batching", "status"), ("batching", "usd"), (HEADLINE, "usd")}
    assert any("batching" in said for said in diff.inconclusive)


@pytest.mark.parametrize(
    ("least", "verdict"), [("0.79", "agrees"), ("0.80", "agrees"), ("0.801", "inconclusive")]
)
def test_coverage_below_the_least_asked_for(
    least: str, verdict: str, sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    """The least covered lever here is infrastructure, with 4 of 5."""
    claims = claims_of(tmp_path, {"profiles": capture["profiles"]})
    assert sample.diff(claims, least_coverage=Fraction(least)).verdict == verdict


def test_null_is_exact_and_its_lever_inconclusive(tmp_path: Path) -> None:
    """An export with calls alone: three levers without a figure."""
    calls = [
        record("models", "eu", "2026-10-01T00:00:00Z", model="m", price=PRICE, snapshot="s"),
        record(
            "model_call",
            "eu",
            "2026-10-02T00:00:00Z",
            model="m",
            cache_read_tokens=1_000_000,
            cache_write_tokens=0,
        ),
    ]
    nothing = {"usd": None, "coverage": {"measured": NumberText("0"), "total": NumberText("0")}}
    document = {
        "period": MONTH,
        "usd": NumberText("2.7"),
        "levers": [
            {"lever": "retrieval", "status": "no_data", **nothing},
            {"lever": "caching", "status": "ok", "usd": NumberText("2.7")},
            {"lever": "routing", "status": "no_comparison", **nothing},
            {"lever": "infrastructure", "status": "no_data", **nothing},
        ],
    }
    with opened(write_export(tmp_path / "export", calls)) as export:
        diff = export.diff(claims_of(tmp_path / "api", {"headline": document}))
        assert {row.verdict for row in diff.rows} == {"exact"}
        assert (diff.verdict, diff.inconclusive) == (
            "inconclusive",
            ("retrieval: no_data", "routing: no_comparison", "infrastructure: no_data"),
        )
        bare = {**document, "levers": document["levers"][1:2]}
        assert export.diff(claims_of(tmp_path / "api", {"headline": bare})).verdict == "agrees"
        empty = {"since": "2026-10-01", "until": "2026-10-31", "deployments": []}
        none = export.diff(claims_of(tmp_path / "api", {"profiles": empty}))
        assert none.verdict == "inconclusive"
        assert "no figure was compared" in none.inconclusive


PRICE = {"input_per_m": 3, "output_per_m": 15, "cache_read_per_m": 0.3, "cache_write_per_m": 3.75}


# What the records hold is shown in another form


def test_a_cost_with_more_decimals_than_the_product_prints_is_rounding(tmp_path: Path) -> None:
    candidates = [
        {"model": "a", "cost_usd": 0.0123454321},
        {"model": "b", "cost_usd": 0.02},
    ]
    given: dict[str, Any] = {"picked": "a", "baseline": "b", "id": "r1"}
    line = record("routing_decision", "eu", "2026-10-02T00:00:00z", **given, candidates=candidates)
    with opened(write_export(tmp_path / "export", [line])) as export:
        for shown, verdict in (
            ("0.0123454321", "exact"),
            ("0.012345", "rounding"),
            ("0.0123454", "rounding"),
            ("0.012346", "differs"),
            ("0.012344", "differs"),
            ("0.0123455", "differs"),
            ("0.01234543", "rounding"),
            ("0.01234544", "differs"),
        ):
            costs = [NumberText(shown), NumberText("0.02")]
            read_candidates = [
                {"model": name, "cost_usd": cost} for name, cost in zip("ab", costs, strict=True)
            ]
            decision = {
                "deployment": "eu",
                "ts": "2026-10-02T00:00:00z",
                **given,
                "candidates": read_candidates,
            }
            saving = NumberText(f"{float(Fraction('0.02') - Fraction(shown)):.6f}")
            zero = NumberText("0")
            totals = {"saving_usd": saving, "escalation_usd": zero, "off_saving_usd": zero}
            read = {
                "since": "2026-10-01",
                "until": "2026-10-31",
                "totals": totals,
                "decisions": [decision],
            }
            diff = export.diff(claims_of(tmp_path / "api", {"routing": read}))
            (row,) = (row for row in diff.rows if row.at.dimension == "decision")
            assert row.verdict == verdict, shown


def test_deployments_that_are_always_on_are_shown_and_save_nothing(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    rows = capture["profiles"]["deployments"]
    extra = {"deployment": "elsewhere", "profile": "always_on", "always_on_usd": NumberText("9.5")}
    more = changed({"profiles": capture["profiles"]}, "profiles", ("deployments",), [*rows, extra])
    diff = sample.diff(claims_of(tmp_path, more))
    assert diff.verdict == "agrees"
    shown = [row for row in diff.rows if row.at.key == "elsewhere"]
    assert {(row.verdict, row.reason) for row in shown} == {
        ("not_comparable", "always on: no saving rests on it")
    }
    hidden = changed(
        {"profiles": capture["profiles"]}, "profiles", ("deployments", 0, "profile"), "always_on"
    )
    contradicted = sample.diff(claims_of(tmp_path, hidden))
    assert named(contradicted) == {("profiles", "/deployments/0/profile")}


def test_names_that_are_hard_to_tell_apart(tmp_path: Path) -> None:
    """Null, absent, empty and `None` agents in the records; each row of the read is its own."""
    agents: list[Any] = [None, "absent", "", "None", "null", "x" * 10_000, "=1+1"]
    lines = [record("models", "eu", "2026-10-01T00:00:00Z", model="m", price=PRICE, snapshot="s")]
    for position, agent in enumerate(agents):
        attrs: dict[str, Any] = {"model": "m", "cache_read_tokens": 10**position}
        if agent != "absent":
            attrs["agent"] = agent
        lines.append(record("model_call", "eu", f"2026-10-02T00:00:0{position}Z", **attrs))
    tokens: dict[Any, int] = {None: 11}
    tokens |= {agent: 10**n for n, agent in enumerate(agents) if n > 1}
    rows = [
        {
            "key": key,
            "cache_read_tokens": NumberText(str(count)),
            "cache_write_tokens": NumberText("0"),
            "saved_usd": NumberText(f"{count * 27 / 10**7:.7f}"),
        }
        for key, count in tokens.items()
    ]
    total = {"saved_usd": NumberText("2.9999997"), "cache_read_tokens": NumberText("1111111")}
    read = {"since": "2026-10-01", "until": "2026-10-31", "total": total, "by_agent": rows}
    with opened(write_export(tmp_path / "export", lines)) as export:
        diff = export.diff(claims_of(tmp_path / "api", {"caching": read}))
        assert diff.verdict == "agrees", differing(diff)
        for position, row in enumerate(rows):
            other = {"": "None", "None": ""}.get(row["key"], "someone")
            wrong = changed({"caching": read}, "caching", ("by_agent", position, "key"), other)
            found = export.diff(claims_of(tmp_path / "api", wrong))
            assert found.verdict == "differs"
            keys = {entry.at.key for entry in differing(found)}
            assert row["key"] in keys or "read_duplicate_row" in codes(found)


# Contradictions count whatever the records say


def test_a_contradiction_differs_though_every_row_is_within_tolerance(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    for name, place, code in (
        ("headline", ("usd",), "headline_not_sum"),
        ("headline", ("levers", 1, "detail", "cache_read_tokens"), "reads_disagree"),
        ("retrieval", ("stuffing", "usd_cached"), "read_rows_total"),
        ("routing", ("totals", "saving_usd"), "read_not_its_inputs"),
    ):
        text = moved(at(capture[name], place), 7)
        claims = claims_of(tmp_path, changed(capture, name, place, text))
        diff = sample.diff(claims, tolerance="abs=10,rel=1%")
        assert differing(diff) == []
        assert code in codes(diff)
        assert diff.verdict == "differs"


def test_a_stale_card_that_moves_no_figure_is_a_finding(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    place = ("by_deployment_model", 0, "price", "output_per_m")
    claims = claims_of(tmp_path, changed(capture, "caching", place, NumberText("99")))
    diff = sample.diff(claims)
    assert codes(diff) == {"read_card"}
    (finding,) = (f for f in diff.findings if f.code == "read_card")
    assert "99" in finding.message
    without = copy.deepcopy(capture["caching"])
    for cell in without["by_deployment_model"]:
        if cell["price"]:
            del cell["price"]["output_per_m"]
    assert codes(sample.diff(claims_of(tmp_path, {"caching": without}))) == set()


# The period


def dates(diff: Diff) -> tuple[str, str]:
    period = diff.as_json()["period"]
    return period["since"], period["until"]


def test_the_period_is_that_of_the_figures(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    claims = claims_of(tmp_path, {"headline": capture["headline"]})
    for asked in ({}, {"month": MONTH}, {"since": SINCE, "until": UNTIL}):
        diff = sample.diff(claims, **asked)
        assert dates(diff) == ("2026-10-01", "2026-10-31")
        assert diff.result.period.time_zone == ZONE
    wrong: list[dict[str, Any]] = [
        {"month": "2026-09"},
        {"since": SINCE, "until": date(2026, 10, 30)},
        {"since": date(2026, 10, 2)},
        {"until": date(2026, 11, 1)},
    ]
    for asked in wrong:
        with pytest.raises(UsageProblem, match="2026-10-01 to 2026-10-31"):
            sample.diff(claims, **asked)


def test_the_zone_of_the_figures_stands_in_where_the_export_names_none(tmp_path: Path) -> None:
    line = record("cost", "eu", "2026-10-02T00:00:00Z", kind="infrastructure", usd=1)
    profile = record("deployment_profile", "eu", "2026-09-02T00:00:00Z", profile="scheduled")
    place = write_export(tmp_path / "export", [line, profile], zone=None)
    with opened(place) as export:
        shown: dict[str, Any] = {"deployments": [], "time_zone": "Asia/Tokyo"}
        dated = {**shown, "since": "2026-10-01", "until": "2026-10-31"}
        for read, month in ((dated, None), (shown, MONTH)):
            diff = export.diff(claims_of(tmp_path / "api", {"profiles": read}), month=month)
            assert diff.result.period.time_zone == "Asia/Tokyo"
            assert "time_zone_assumed" not in codes(diff)


def test_another_zone_than_the_manifests_is_pointed_out(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    other = changed({"profiles": capture["profiles"]}, "profiles", ("time_zone",), "UTC")
    diff = sample.diff(claims_of(tmp_path, other))
    assert codes(diff) == {"figures_zone"}
    assert diff.result.period.time_zone == ZONE


# Two recomputations


@pytest.fixture(scope="module")
def document(sample: Opened) -> Any:
    """What `recompute` says of the sample, by a few dimensions."""
    named_levers = ("retrieval", "caching", "routing", "infrastructure")
    question = Question(levers=named_levers, month=MONTH, by=("deployment", "model"))
    return sample.recompute(question).as_json()


def other(place: Path, document: Any) -> Claims:
    """A recomputation saved as JSON, as figures."""
    target = place / "other.json"
    target.write_text(json.dumps(document))
    return read_claims(target)


def test_a_recomputation_is_equal_to_itself_in_every_figure(
    sample: Opened, document: Any, tmp_path: Path
) -> None:
    diff = sample.diff(other(tmp_path, document))
    assert {row.verdict for row in diff.rows} == {"exact"}
    assert diff.verdict == "agrees"
    assert {row.at.dimension for row in diff.rows} == (
        {None, "deployment", "model", "deployment_model"}
    )
    assert any("/" in (row.figure or "") for row in diff.rows)
    assert codes(diff) == set()


def leaves(value: Any, place: Place = ()) -> Iterator[Place]:
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*place, key))
    else:
        yield place


_NO_FIGURE = {"lever", "findings", "key", "deployment", "model", "price"}
_NO_FIGURE |= {"snapshot", "snapshot_at", "card_line"}


def test_one_digit_of_a_recomputation_changed_is_named(
    sample: Opened, document: Any, tmp_path: Path
) -> None:
    """Of every figure, total, coverage, row, cell and detail: each alone, and all at once."""
    places = [
        place
        for place in leaves(document["levers"])
        if place[-1] not in _NO_FIGURE and not {"findings", "price"} & {*place}
    ]
    assert len(places) > 300
    everything = copy.deepcopy(document)
    for place in places:
        at(everything["levers"], place[:-1])[place[-1]] = another(at(document["levers"], place))
    diff = sample.diff(other(tmp_path, everything))
    assert named(diff) == {("recompute", f"/levers{pointer(place)}") for place in places}
    assert len(diff.rows) == len(places)
    for place in random.Random(2).sample(places, 12):
        one = copy.deepcopy(document)
        at(one["levers"], place[:-1])[place[-1]] = another(at(document["levers"], place))
        diff = sample.diff(other(tmp_path, one))
        assert named(diff) == {("recompute", f"/levers{pointer(place)}")}
        assert diff.verdict == "differs"


def another(value: Any) -> Any:
    """A value that differs by one digit, or by a word."""
    if value is None:
        return "1"
    if isinstance(value, int):
        return value + 1
    if not value.lstrip("-")[0].isdigit():
        return {"ok": "partial_comparison", "decisions": "counterfactual"}.get(value, "other")
    last = value[-1]
    return value[:-1] + ("7" if last != "7" else "3")


def test_a_card_of_another_recomputation_is_a_finding(
    sample: Opened, document: Any, tmp_path: Path
) -> None:
    dearer = copy.deepcopy(document)
    cells = next(lever["cells"] for lever in dearer["levers"] if lever.get("cells"))
    next(cell for cell in cells if cell["price"])["price"]["input_per_m"] = "77"
    assert codes(sample.diff(other(tmp_path, dearer))) == {"read_card"}


def test_a_word_that_looks_like_an_amount_is_a_word(tmp_path: Path) -> None:
    lines = [
        record(
            "deployment_profile",
            "eu",
            "2026-10-02T00:00:00Z",
            profile="24",
            always_on_usd_per_hour=1,
        ),
        record("cost", "eu", "2026-10-02T00:00:00Z", kind="infrastructure", usd=1),
    ]
    with opened(write_export(tmp_path / "export", lines)) as export:
        empty = {"since": "2026-10-01", "until": "2026-10-31", "deployments": []}
        result = export.diff(claims_of(tmp_path / "api", {"profiles": empty})).result
        diff = export.diff(other(tmp_path, result.as_json()))
        assert {row.verdict for row in diff.rows} == {"exact"}


def test_a_recomputation_of_one_lever_says_nothing_of_the_others(
    sample: Opened, document: Any, tmp_path: Path
) -> None:
    diff = sample.diff(other(tmp_path, {**document, "levers": document["levers"][1:2]}))
    assert {row.at.lever for row in diff.rows} == {"caching"}
    assert diff.verdict == "agrees"


# Levers named in the question


def test_naming_a_lever_ties_out_that_lever_alone(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    claims = claims_of(tmp_path, capture)
    for lever in SYSTEM_LEVERS:
        diff = sample.diff(claims, levers=(lever,))
        assert {row.at.lever for row in diff.rows} == {lever}
        assert diff.verdict == "agrees"
    alone = claims_of(tmp_path, {"caching": capture["caching"]})
    nothing = sample.diff(alone, levers=("routing",))
    assert (nothing.rows, nothing.verdict) == ((), "inconclusive")


def test_cells_of_the_csv_and_of_the_json_are_the_same_rows(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    """A capture whose JSON has no cells is completed by its CSV."""
    read = {key: value for key, value in capture["caching"].items() if key != "by_deployment_model"}
    diff = sample.diff(claims_of(tmp_path, {"caching": read, CSV_FILE: capture[CSV_FILE]}))
    assert diff.verdict == "agrees"
    table = capture[CSV_FILE]
    keys = {cell_key(row[0], row[1]) for row in table[1:]}
    shown = {row.at.key for row in diff.rows if row.at.dimension == "deployment_model"}
    assert shown == keys
    fewer = {"caching": read, CSV_FILE: table[:-1]}
    lost = differing(sample.diff(claims_of(tmp_path, fewer)))
    assert {row.verdict for row in lost} == {"only_in_records"}
    assert {row.at.key for row in lost} == {cell_key(table[-1][0], table[-1][1])}


def test_figures_saved_by_hand_are_said_to_be(
    sample: Opened, tmp_path: Path, capture: Capture
) -> None:
    place = written(tmp_path, {"headline": capture["headline"]})
    diff = sample.diff(read_claims(place))
    assert "capture_hand_saved" in {finding.code for finding in diff.findings}
    assert diff.verdict == "agrees"


def test_shown_figures_are_never_made_of_floats(
    sample: Opened, capture: Capture, tmp_path: Path
) -> None:
    diff = sample.diff(claims_of(tmp_path, capture))
    values: list[Any] = []
    for row in diff.rows:
        values += [row.delta, row.from_read, row.recomputed, row.relative]
    assert not any(isinstance(value, float) for value in values)
    texts: list[Mapping[str, Any]] = diff.as_json()["rows"]
    assert all(not isinstance(value, float) for row in texts for value in row.values())
    assert replace(diff, rows=()).verdict == "agrees"
