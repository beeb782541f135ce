"""Each part of a diagnosis on a few lines, by hand. The period is October 2026."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import date
from fractions import Fraction
from math import isqrt
from pathlib import Path
from typing import Any

import pytest
from support.books import MEGA, call, cost, decision, model, profile, search, usd, wide
from support.exports import write_export

from verify.compare.diagnosis import Diagnosis
from verify.compare.figures import At, Claims, Figure
from verify.exact import Printed
from verify.period import Period
from verify.systems import system_named
from verify.systems.base import Reading
from verify.systems.lighthouse.diagnose import (
    cards,
    coverage,
    identity,
    list_prices,
    plausible,
    sampling,
    zones,
)
from verify.systems.lighthouse.diagnose.context import Context
from verify.systems.lighthouse.export import LightHouseExport
from verify.systems.lighthouse.repeats import repeated_lines
from verify.trust.manifest import Manifest

OCTOBER = (date(2026, 10, 1), date(2026, 10, 31))
Make = Callable[..., Context]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Makes a context of these lines."""
    monkeypatch.setenv("VERIFY_THREADS", "1")
    with ExitStack() as stack:

        def make(*lines: bytes, zone: str = "UTC", figures: Any = (), **claims: Any) -> Context:
            path = write_export(tmp_path / str(id(lines)), lines, zone=zone)
            export = system_named("lighthouse").open(path, Reading(cache=False))
            assert isinstance(export, LightHouseExport)
            stack.enter_context(export)
            return Context(
                export.inside.engine,
                lambda: repeated_lines(*export.inside),
                export.identity,
                Manifest(("manifest.json",), "", (), exported_at=claims.get("exported_at")),
                Reading(),
                Period(*OCTOBER, zone),
                Claims(tuple(figures), {}, *OCTOBER, claims.get("time_zone", zone)),
                None,
            )

        yield make


def rows(found: Diagnosis, section: str) -> list[dict[str, Any]]:
    """The rows of a section, by column."""
    part = found.section(section)
    return [dict(zip(part.columns, row, strict=True)) for row in part.rows]


def codes(found: Diagnosis) -> list[str]:
    return [finding.code for finding in found.findings]


# --- zones -------------------------------------------------------------------------------------


def test_what_lies_between_two_zones_has_records_tokens_dollars_and_lines(made: Make) -> None:
    lines = (
        wide("m", usd(10, read=1), ts="2026-09-01T00:00:00Z"),
        call(read=MEGA, ts="2026-09-30T23:00:00Z"),  # Madrid's October, UTC's September
        call(read=MEGA, ts="2026-10-15T12:00:00Z"),
        call(read=3 * MEGA, ts="2026-10-31T23:30:00Z"),  # Madrid's November
        cost(0.25, ts="2026-10-31T23:30:00Z"),
    )
    found = zones.diagnose(made(*lines, zone="Europe/Madrid"))
    edges = [
        (r["edge"], r["only_in"], r["lever"], r["records"], r["tokens"], r["usd"], r["lines"])
        for r in rows(found, "edges")
    ]
    assert edges == [
        ("start", "Europe/Madrid", "caching", 1, MEGA, 9, (2,)),
        ("end", "UTC", "caching", 1, 3 * MEGA, 27, (4,)),
        ("end", "UTC", "infrastructure", 1, None, Fraction(1, 4), (5,)),
    ]
    caching = next(r for r in rows(found, "zone_figures") if r["lever"] == "caching")
    assert (caching["usd"], caching["usd_other_zone"], caching["difference"]) == (18, 36, 18)
    (edge,) = [f for f in found.findings if f.code == "zone_edges"]
    assert (edge.count, edge.examples) == (3, (2, 4, 5))


def test_days_stand_side_by_side_and_add_up(made: Make) -> None:
    lines = (
        wide("m", usd(10, read=1)),
        call(read=MEGA, ts="2026-10-04T23:00:00Z"),
        call(read=MEGA, ts="2026-10-05T12:00:00Z"),
    )
    context = made(*lines, zone="Europe/Madrid")
    days = rows(zones.diagnose(context), "days")
    fourth, fifth = days[3], days[4]
    assert (fourth["records"], fourth["records_other_zone"]) == (0, 1)
    assert (fifth["caching_usd"], fifth["caching_usd_other_zone"]) == (18, 9)
    assert sum(day["caching_usd"] for day in days) == context.recomputed().lever("caching").usd
    assert sum(day["hours"] for day in days) == 745


def test_a_clock_change_is_named(made: Make) -> None:
    found = zones.diagnose(made(call(), zone="Europe/Madrid"))
    assert rows(found, "clock_changes") == [{"day": "2026-10-25", "hours": 25}]
    assert "clock_change" in codes(found)
    assert codes(zones.diagnose(made(call()))) == []


def test_a_tenant_in_utc_is_held_against_the_zone_of_the_figures(made: Make) -> None:
    context = made(call(ts="2026-09-30T23:00:00Z"), time_zone="Europe/Madrid")
    (edge,) = rows(zones.diagnose(context), "edges")
    assert (edge["only_in"], edge["lines"]) == ("Europe/Madrid", (1,))


def test_odd_timestamps_are_counted_with_their_lines(made: Make) -> None:
    lines = (
        call(ts="2026-10-05T12:00:00"),
        call(ts="2126-10-05T12:00:00Z"),
        call(ts="2026-10-05T12:00:00Z"),
    )
    found = zones.diagnose(made(*lines))
    odd = {row["what"]: (row["records"], row["lines"]) for row in rows(found, "timestamps")}
    assert odd == {"without_offset": (1, (1,)), "far_off": (1, (2,))}
    assert codes(found) == ["timestamp_far"]


def test_records_later_than_the_export_are_told(made: Make) -> None:
    lines = (call(ts="2026-10-05T12:00:00Z"), call(ts="2026-10-05T12:00:01Z"))
    found = zones.diagnose(made(*lines, exported_at="2026-10-05T12:00:00Z"))
    assert rows(found, "timestamps")[0]["what"] == "after_export"
    (said,) = found.findings
    assert (said.code, said.count, said.examples) == ("timestamp_future", 1, (2,))
    assert codes(zones.diagnose(made(*lines, exported_at="some day"))) == []


# --- coverage ----------------------------------------------------------------------------------


def test_each_way_of_not_knowing_has_its_own_column(made: Make) -> None:
    lines = (
        wide("m", usd(10, read=1)),
        call(read=5),
        call("nowhere"),
        search(MEGA, 0),
        search(None, 0),
        decision(2, 1),
        decision(None, 1),
        profile("ephemeral", 1),
    )
    found = coverage.diagnose(made(*lines))
    by_lever = {
        row["lever"]: row for row in rows(found, "coverage") if row["dimension"] == "deployment"
    }
    names = ("total", "measured", "unmeasured", "unpriced", "uncomparable", "no_feed")
    assert {lever: tuple(row[n] for n in names) for lever, row in by_lever.items()} == {
        "retrieval": (2, 1, 1, 0, None, None),
        "caching": (2, 1, 1, 1, None, None),
        "routing": (2, 1, None, None, 1, None),
        "infrastructure": (1, 0, None, 0, None, 1),
    }


def test_the_bound_takes_the_mean_of_its_own_pack_and_is_not_added(made: Make) -> None:
    lines = (
        wide("m", usd(10)),
        call(pack="a"),
        call(pack="b"),
        search(MEGA, 0, pack="a"),
        search(3 * MEGA, 0, pack="a"),
        search(None, 0, pack="a"),
        search(None, 0, pack="b"),
    )
    context = made(*lines)
    found = coverage.diagnose(context)
    bounds = {row["pack"]: row["bound_of_unmeasured"] for row in rows(found, "bound")}
    assert bounds == {"a": 20, "b": None}
    assert context.recomputed().lever("retrieval").usd == 40
    (said,) = [f for f in found.findings if f.code == "coverage_bound"]
    assert "never added" in said.message


def test_silence_is_seen_by_day_and_by_deployment(made: Make) -> None:
    days = [day for day in range(1, 32) if day != 7]
    steady = [call(ts=f"2026-10-{day:02}T12:00:00Z", on="steady") for day in days]
    late = [call(ts=f"2026-10-{day:02}T12:00:00Z", on="late") for day in days if day > 9]
    found = coverage.diagnose(made(*steady, *late))
    assert rows(found, "silent_days") == [{"day": "2026-10-07"}]
    ends = {row["deployment"]: (row["starts"], row["stops"]) for row in rows(found, "reporting")}
    assert ends == {"steady": (False, False), "late": (True, False)}
    said = {f.code: f.message for f in found.findings}
    assert "late begins on 2026-10-10" in said["deployment_partial"]


def test_dollars_on_the_least_covered_tenth(made: Make) -> None:
    thin = [search(None, 0, on="thin") for _ in range(3)] + [search(9 * MEGA, 0, on="thin")]
    full = [search(MEGA, 0, on="full") for _ in range(36)]
    cards_of = [wide("m", usd(1), on=name) for name in ("thin", "full")]
    calls = [call(on=name) for name in ("thin", "full")]
    found = coverage.diagnose(made(*cards_of, *calls, *thin, *full))
    retrieval = next(r for r in rows(found, "least_covered") if r["lever"] == "retrieval")
    assert (retrieval["records"], retrieval["records_in_all"]) == (4, 40)
    assert (retrieval["usd"], retrieval["share_of_usd"]) == (9, Fraction(9, 45))
    assert "coverage_resting" in codes(found)


# --- cards -------------------------------------------------------------------------------------


def test_a_change_of_the_card_is_shown_with_its_effect(made: Make) -> None:
    lines = (
        wide("m", usd(10, read=1), snapshot="one"),
        wide("m", usd(5, read=1), snapshot="two", ts="2026-10-20T00:00:00Z"),
        call(read=MEGA),
        search(MEGA, 0),
    )
    context = made(*lines)
    found = cards.diagnose(context)
    assert rows(found, "card_changes") == [
        {
            "at": "2026-10-20T00:00:00Z",
            "deployment": "d",
            "model": "m",
            "what": "input_per_m",
            "before": 10,
            "after": 5,
            "line": 2,
        }
    ]
    effects = {row["lever"]: row for row in rows(found, "card_effects")}
    assert {name: row["effect"] for name, row in effects.items()} == {"retrieval": 0, "caching": -5}
    assert effects["caching"]["usd_after"] == context.recomputed().lever("caching").usd == 4
    assert [row["snapshot"] for row in rows(found, "card")] == ["two"]
    (said,) = [f for f in found.findings if f.code == "card_changed"]
    assert "caching by -5" in said.message
    assert said.examples == (2,)


def test_an_incomplete_snapshot_is_passed_over_and_said(made: Make) -> None:
    lines = (
        wide("m", usd(10, read=1), snapshot="one"),
        wide("m", usd(5, read=1), snapshot="two", ts="2026-10-20T00:00:00Z", size=2),
        call(read=MEGA),
    )
    found = cards.diagnose(made(*lines))
    (passed,) = rows(found, "card_incomplete")
    assert (passed["snapshot"], passed["models"], passed["size"]) == ("two", 1, 2)
    (said,) = [f for f in found.findings if f.code == "card_incomplete"]
    assert "caching by -5" in said.message


@pytest.mark.parametrize(
    ("price", "looks"),
    [
        (0.003, "per thousand tokens, not per million"),
        (0.000003, "per token, not per million"),
        (300, "cents for dollars"),
    ],
)
def test_a_slip_of_unit_is_found(made: Make, price: float, looks: str) -> None:
    lines = (
        wide("m", usd(price), on="d"),
        wide("m", usd(2.5), on="e"),
        wide("m", usd(4), on="f"),
    )
    found = cards.diagnose(made(*lines, call()))
    (odd,) = rows(found, "odd_prices")
    assert (odd["deployment"], odd["what"], odd["looks_like"], odd["line"]) == (
        "d",
        "input_per_m",
        looks,
        1,
    )
    assert "card_unit" in codes(found)


def test_prices_that_differ_as_contracts_do_are_no_slip(made: Make) -> None:
    prices = {"d": 0, "e": 1, "f": 15}
    lines = [wide("m", usd(each), on=name) for name, each in prices.items()]
    assert rows(cards.diagnose(made(*lines, call())), "odd_prices") == []


def test_a_cache_read_dearer_than_input_is_said(made: Make) -> None:
    found = cards.diagnose(made(wide("m", usd(1, read=10)), wide("n", usd(1, read=1)), call()))
    assert [row["model"] for row in rows(found, "dear_cache_reads")] == ["m"]
    assert "card_cache_read" in codes(found)


def test_models_called_without_a_price_are_listed(made: Make) -> None:
    lines = (model("m", None), call(input_tokens=3), call("nowhere", output_tokens=4))
    unpriced = rows(cards.diagnose(made(*lines)), "unpriced_models")
    assert [(r["model"], r["on_card"], r["tokens"], r["lines"]) for r in unpriced] == [
        ("m", True, 3, (2,)),
        ("nowhere", False, 4, (3,)),
    ]


def test_list_prices_say_how_to_get_them(made: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_prices, "available", lambda: False)
    section = cards.diagnose(made(wide("gpt-4o", usd(1)), call())).section("list_prices")
    assert section.rows == ()
    assert "verify-savings[prices]" in section.note


def test_list_prices_stand_beside_the_card(made: Make) -> None:
    pytest.importorskip("genai_prices")
    found = cards.diagnose(made(wide("gpt-4o", usd(5)), wide("no-such-model", usd(5)), call()))
    listed = {row["what"]: row for row in rows(found, "list_prices")}
    assert {row["model"] for row in listed.values()} == {"gpt-4o"}
    price = listed["input_per_m"]
    assert price["times"] == 5 / price["list_price"]


# --- sampling ----------------------------------------------------------------------------------


def test_the_interval_is_that_of_horvitz_and_thompson(made: Make) -> None:
    lines = (
        wide("m", usd(10)),
        call(),
        search(MEGA, 0, sample_rate=0.25, agent="a"),
        search(2 * MEGA, 0, sample_rate=0.5, agent="b"),
        search(4 * MEGA, 0, agent="b"),
    )
    found = sampling.diagnose(made(*lines))
    dollars = {
        (row["dimension"], row["key"]): row
        for row in rows(found, "sampling")
        if row["measure"] == "usd"
    }
    # y^2 (1 - p) / p^2: 10^2 x 12 and 20^2 x 2.
    assert dollars[None, None]["variance"] == 2000
    assert dollars["agent", "a"]["variance"] == 1200
    assert dollars["agent", "b"]["variance"] == 800
    assert dollars[None, None]["estimate_of_sampled"] == 80
    width = dollars[None, None]["half_width"]
    assert width == Fraction(isqrt(2000 * 196**2 * 10**8) + 1, 10**6)
    assert (width - Fraction(1, 10**6)) ** 2 < 2000 * Fraction(196, 100) ** 2 <= width**2
    (said,) = found.findings
    assert (said.code, said.count) == ("figure_is_estimate", 2)


def test_squares_of_the_greatest_counts_stay_exact(made: Make) -> None:
    big = 2**62 + 1
    lines = (model("m", usd(10), window=2**63 - 1), call(), *(search(big, 0, sample_rate=0.5),) * 3)
    found = sampling.diagnose(made(*lines))
    tokens = next(r for r in rows(found, "sampling") if r["measure"] == "tokens_avoided")
    assert tokens["variance"] == 3 * big * big * 2


def test_a_figure_without_sampling_has_no_interval(made: Make) -> None:
    found = sampling.diagnose(made(wide("m", usd(10)), call(), search(MEGA, 0, sample_rate=1)))
    assert found.section("sampling").rows == ()
    assert found.findings == ()


# --- identity ----------------------------------------------------------------------------------


def test_identical_lines_and_shared_ids_with_their_effects(made: Make) -> None:
    growing = [
        call(id="g", read=MEGA, output_tokens=n, ts=f"2026-10-05T12:00:0{n}Z") for n in (1, 2, 3)
    ]
    lines = (
        wide("m", usd(10, read=1)),
        *growing,
        call(id="r", outcome="error", ts="2026-10-06T12:00:00Z"),
        call(id="r", read=MEGA, ts="2026-10-06T12:00:05Z"),
        call(id="x", read=MEGA, ts="2026-10-07T12:00:00Z"),
        call(id="x", read=MEGA, ts="2026-10-14T12:00:00Z"),
        *(search(5, 0, id="s"),) * 2,
    )
    found = identity.diagnose(made(*lines))
    shared = {(r["type"], r["kind"]): (r["ids"], r["records"]) for r in rows(found, "shared_ids")}
    assert shared == {
        ("model_call", "growing"): (1, 3),
        ("model_call", "retried"): (1, 2),
        ("model_call", "different"): (1, 2),
        ("retrieval", "equal"): (1, 2),
    }
    assert rows(found, "identical_lines") == [{"lines": 1, "first": (10,)}]
    effects = {(r["kind"], r["lever"]): r["effect"] for r in rows(found, "counted_once")}
    assert effects["growing", "caching"] == -18
    assert effects["different", "caching"] == -9
    assert ("retried", "caching") not in effects
    said = [f.message for f in found.findings if f.code == "id_repeated"]
    assert any("3 records with output that grows" in m and "by -18" in m for m in said)


def test_one_id_in_two_deployments_or_types_is_two(made: Make) -> None:
    lines = (call(id="a"), call(id="a", on="e"), search(1, 0, id="a"), call())
    found = identity.diagnose(made(*lines))
    assert found.section("shared_ids").rows == ()
    assert found.findings == ()


# --- plausible ---------------------------------------------------------------------------------


def test_a_saving_above_its_baseline_is_said_of_records_and_of_figures(made: Make) -> None:
    lines = (wide("m", usd(10, read=-1)), call(read=MEGA))
    own = plausible.diagnose(made(*lines))
    assert [f.code for f in own.findings if f.severity == "warning"] == [
        "saving_above_baseline",
        "saving_above_baseline",
    ]
    shown = Figure(At("caching", "usd"), Printed.read("225000"), "headline", "/levers/0/usd")
    context = made(wide("m", usd(10, read=1)), call(read=MEGA), figures=[shown])
    said = [f.message for f in plausible.diagnose(context).findings]
    assert any("the product claims a saving of 225,000" in message for message in said)


def test_a_saving_within_its_baseline_is_not(made: Make) -> None:
    lines = (
        wide("m", usd(10, read=1)),
        call(read=MEGA),
        search(MEGA, 0),
        decision(2, 1),
        profile("ephemeral", 1),
        cost(3),
    )
    context = made(*lines)
    found = plausible.diagnose(context)
    baselines = {
        r["lever"]: r["baseline_usd"] for r in rows(found, "baselines") if not r["deployment"]
    }
    assert baselines == {"retrieval": 10, "caching": 10, "routing": 2, "infrastructure": 744}
    assert "saving_above_baseline" not in codes(found)


def test_the_convention_of_cached_tokens_is_pointed_out(made: Make) -> None:
    beside = [call(read=10, input_tokens=2)] * 2 + [call(read=10, input_tokens=12)]
    inside = [call(read=10, input_tokens=12)] * 2
    assert codes(plausible.diagnose(made(*beside))) == ["cached_tokens_outside"]
    assert codes(plausible.diagnose(made(*inside))) == ["cached_tokens_inside"]
    assert codes(plausible.diagnose(made(call(input_tokens=3)))) == []
