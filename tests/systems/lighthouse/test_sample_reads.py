"""A sample's API reads: what the recomputation says, printed as the product prints it."""

import csv
import hashlib
import io
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import verify
from verify.errors import IntegrityFailure, UsageProblem
from verify.result import Recomputation, Value
from verify.systems.base import Export, Question
from verify.systems.lighthouse.method import SWITCHES
from verify.systems.lighthouse.sample import (
    SamplePlan,
    SampleReport,
    build_reads,
    make,
    make_sample,
    product_reads,
)
from verify.trust.strictjson import loads

ZONE = "Europe/Madrid"
PLAN = SamplePlan(
    seed=5, records=1_500, since=date(2026, 10, 1), until=date(2026, 10, 31), time_zone=ZONE
)
READS = {
    "headline.json",
    "retrieval.json",
    "caching.json",
    "caching.group_by_deployment.csv",
    "routing.json",
    "profiles.json",
}
CALLS = {"headline.json", "caching.json", "caching.group_by_deployment.csv"}
SEARCHES = {"headline.json", "retrieval.json"}
# Which reads a switch shows in. A read that no record of the choice can reach must not move.
TOUCHED = {
    "zone=UTC": READS,
    "card=newest_any": CALLS | SEARCHES,
    "card=newest_in_export": CALLS | SEARCHES,
    "card=last_in_file": CALLS | SEARCHES,
    "window_priced_only=False": SEARCHES,
    "weights=False": SEARCHES,
    "clamp=False": SEARCHES,
    "unmeasured_as_window=True": SEARCHES,
    "write_premium=False": CALLS,
    "null_read_saves=True": CALLS,
    "refused_in_caching=False": CALLS,
    "refused_in_called=True": SEARCHES,
    "dedupe=True": READS,
    "until_exclusive=True": READS,
    "escalation_netted=False": {"headline.json"},
}
ALTERNATIVES = {
    f"{switch.name}={value}": {switch.name: value}
    for switch in SWITCHES
    for value in switch.values[1:]
}

Json = dict[str, Any]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> SampleReport:
    return make_sample(tmp_path_factory.mktemp("sample") / "export", PLAN)


@pytest.fixture(scope="module")
def export(sample: SampleReport) -> Iterator[Export]:
    with verify.open_export(sample.path, cache=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def stated(export: Export) -> Mapping[str, bytes]:
    return reads(export)


@pytest.fixture(scope="module")
def recomputed(export: Export) -> Recomputation:
    by = ("agent", "pack", "index", "model", "provider", "deployment", "day")
    return verify.recompute(export, period="2026-10", by=by)


def reads(export: Export, **switches: str | bool) -> Mapping[str, bytes]:
    return build_reads(
        export, since=PLAN.since, until=PLAN.until, time_zone=ZONE, switches=switches
    )


def parsed(body: bytes) -> Json:
    read: Json = loads(body)
    return read


def files(place: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(place)): path.read_bytes()
        for path in place.rglob("*")
        if path.is_file()
    }


def dollars(value: Value) -> str | None:
    """The six decimals that a read should show of an exact amount, by another road than its own."""
    if value is None:
        return None
    assert isinstance(value, Fraction | int)
    millionths = Decimal(round(Fraction(value) * 10**6))
    return str((millionths / 10**6).quantize(Decimal("0.000001"), ROUND_HALF_EVEN))


def shown(text: str | None) -> str | None:
    return None if text is None else str(Decimal(text).quantize(Decimal("0.000001")))


def tokens(value: Value) -> str:
    assert isinstance(value, Fraction | int)
    exact = Fraction(value)
    return str(exact.numerator) if exact.denominator == 1 else repr(float(exact))


def test_the_table_of_switches_is_whole() -> None:
    assert set(TOUCHED) == set(ALTERNATIVES)


@pytest.mark.parametrize("name", ALTERNATIVES)
def test_a_planted_switch_shows_where_it_should(
    name: str, export: Export, stated: Mapping[str, bytes]
) -> None:
    planted = reads(export, **ALTERNATIVES[name])

    assert {read for read in READS if planted[read] != stated[read]} == TOUCHED[name]


def test_another_zone_moves_the_days_but_not_what_the_reads_name(export: Export) -> None:
    planted = reads(export, zone="Asia/Tokyo")

    for name in READS - {"headline.json", "caching.group_by_deployment.csv"}:
        read = parsed(planted[name])
        assert (read["since"], read["until"]) == ("2026-10-01", "2026-10-31")
        assert read["time_zone"] == ZONE
    assert parsed(planted["headline.json"])["time_zone"] == ZONE


def test_the_headline_is_the_recomputation_rounded(
    stated: Mapping[str, bytes], recomputed: Recomputation
) -> None:
    headline = parsed(stated["headline.json"])

    assert [row["lever"] for row in headline["levers"]] == [x.lever for x in recomputed.levers]
    for row, lever in zip(headline["levers"], recomputed.levers, strict=True):
        assert (row["status"], shown(row["usd"])) == (lever.status, dollars(lever.usd))
        coverage = lever.coverage
        assert row["coverage"] == {
            "measured": str(coverage.measured),
            "total": str(coverage.total),
        }
    printed = sum(Decimal(row["usd"]) for row in headline["levers"] if row["status"] == "ok")
    assert Decimal(headline["usd"]) == printed
    assert headline["period"] == "2026-10"


def test_each_row_of_a_breakdown_is_the_recomputation_rounded(
    stated: Mapping[str, bytes], recomputed: Recomputation
) -> None:
    stuffing = parsed(stated["retrieval.json"])["stuffing"]
    caching = parsed(stated["caching.json"])
    for lever, read, dimensions in (
        ("retrieval", stuffing, ("agent", "pack", "index", "model", "deployment", "day")),
        ("caching", caching, ("model", "agent", "pack", "deployment", "provider")),
    ):
        for dimension in dimensions:
            rows = {row["key"]: row for row in read[f"by_{dimension}"]}
            exact = {row.key: row.measures for row in recomputed.lever(lever).by[dimension]}
            assert set(rows) == set(exact)
            for key, row in rows.items():
                for measure in row.keys() - {"key", "price"}:
                    assert_shows(row[measure], exact[key][measure], measure)


def test_totals_and_profiles_are_the_recomputation_rounded(
    stated: Mapping[str, bytes], recomputed: Recomputation
) -> None:
    stuffing = parsed(stated["retrieval.json"])["stuffing"]
    for measure in ("stuffed_tokens", "sent_tokens", "tokens_avoided", "usd_cached", "measured"):
        assert_shows(stuffing[measure], recomputed.lever("retrieval").totals[measure], measure)
    for measure, text in parsed(stated["caching.json"])["total"].items():
        assert_shows(text, recomputed.lever("caching").totals[measure], measure)
    for measure, text in parsed(stated["routing.json"])["totals"].items():
        assert_shows(text, recomputed.lever("routing").totals[measure], measure)
    profiles = parsed(stated["profiles.json"])["deployments"]
    exact = recomputed.lever("infrastructure").by["deployment"]
    assert [row["deployment"] for row in profiles] == [row.key for row in exact]
    for shown_row, row in zip(profiles, exact, strict=True):
        assert shown_row["profile"] == row.measures["profile"]
        assert shown(shown_row["always_on_usd"]) == dollars(row.measures["always_on_usd"])
        assert shown(shown_row["actual_usd"]) == dollars(row.measures["actual_usd"])


def assert_shows(text: str, value: Value, measure: str) -> None:
    if "usd" in measure:
        assert shown(text) == dollars(value)
    else:
        assert text == tokens(value)


def test_the_csv_is_the_caching_read_by_deployment_and_model(
    stated: Mapping[str, bytes], recomputed: Recomputation
) -> None:
    rows = list(csv.DictReader(io.StringIO(stated["caching.group_by_deployment.csv"].decode())))
    cells = parsed(stated["caching.json"])["by_deployment_model"]

    exact = recomputed.lever("caching").cells
    assert len(rows) == len(cells) == len(exact)
    for row, listed, cell in zip(rows, cells, exact, strict=True):
        assert (row["deployment"], row["model"]) == (listed["deployment"], listed["model"])
        price = listed["price"] or {}
        for name in ("input_per_m", "cache_read_per_m", "cache_write_per_m"):
            assert row[name] == (price.get(name) or "")
        for name in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"):
            assert row[name] == listed[name]
        assert shown(row["saved_usd"]) == dollars(cell.measures["saved_usd"])


def test_every_decision_of_the_period_is_listed_as_recorded(
    sample: SampleReport, stated: Mapping[str, bytes], export: Export
) -> None:
    start, end = "2026-09-30T22:00:00", "2026-10-31T23:00:00"
    recorded = []
    for line in (sample.path / "records.jsonl").read_bytes().splitlines():
        record = loads(line)
        if record["type"] == "routing_decision" and start <= utc(record["ts"]) < end:
            recorded.append(
                {"deployment": record["deployment"], "ts": record["ts"], **record["attrs"]}
            )

    listed = parsed(stated["routing.json"])["decisions"]
    assert [list(row.items()) for row in listed] == [list(row.items()) for row in recorded]

    once = list(map(str, parsed(reads(export, dedupe=True)["routing.json"])["decisions"]))
    assert len(once) < len(recorded)
    assert once == list(dict.fromkeys(map(str, recorded)))


def utc(ts: str) -> str:
    return datetime.fromisoformat(ts).astimezone(UTC).replace(tzinfo=None).isoformat()


def test_reads_can_be_written_out_more_than_once(
    export: Export, stated: Mapping[str, bytes]
) -> None:
    question = Question(since=PLAN.since, until=PLAN.until, time_zone=ZONE)
    again = product_reads(export, question)

    for _ in range(2):
        assert {name: b"".join(pieces) for name, pieces in again.bodies()} == stated


def test_a_period_without_records_has_no_data(export: Export) -> None:
    quiet = build_reads(
        export, since=date(2024, 2, 1), until=date(2024, 2, 29), time_zone=ZONE, switches={}
    )

    headline = parsed(quiet["headline.json"])
    assert {row["lever"]: (row["status"], row["usd"]) for row in headline["levers"]} == {
        "retrieval": ("no_data", None),
        "caching": ("no_data", None),
        "routing": ("no_comparison", None),
        "infrastructure": ("no_data", None),
    }
    assert headline["usd"] == "0"
    assert headline["period"] == "2024-02"
    assert b'\n "decisions": []\n}\n' in quiet["routing.json"]
    assert parsed(quiet["profiles.json"])["deployments"] == []
    assert quiet["caching.group_by_deployment.csv"].count(b"\n") == 1


def test_a_period_that_is_no_month_has_no_headline(
    export: Export, stated: Mapping[str, bytes]
) -> None:
    week = build_reads(
        export, since=date(2026, 10, 5), until=date(2026, 10, 11), time_zone=ZONE, switches={}
    )

    assert set(week) == READS - {"headline.json"}
    days = parsed(week["retrieval.json"])["stuffing"]["by_day"]
    month = parsed(stated["retrieval.json"])["stuffing"]["by_day"]
    assert [row["key"] for row in days] == [f"2026-10-{day:02d}" for day in range(5, 12)]
    # Prices may have changed since; what was searched has not.
    assert [row["sent_tokens"] for row in days] == [row["sent_tokens"] for row in month[4:11]]


@pytest.mark.parametrize("lacking", ["since", "until", "time_zone"])
def test_reads_without_dates_or_zone_are_refused(lacking: str, export: Export) -> None:
    known: dict[str, Any] = {"since": PLAN.since, "until": PLAN.until, "time_zone": ZONE}

    with pytest.raises(UsageProblem, match="two dates and a time zone"):
        product_reads(export, Question(**{**known, lacking: None}))


# The whole directory.


def test_a_planted_switch_leaves_the_records_as_they_are(
    sample: SampleReport, tmp_path: Path
) -> None:
    planted = make_sample(tmp_path / "planted", PLAN, {"weights": False})

    assert planted.sha256 == sample.sha256
    moved = {
        name
        for name, body in files(planted.path).items()
        if body != (sample.path / name).read_bytes()
    }
    assert moved == {"api/headline.json", "api/retrieval.json"}
    assert planted.switches == {"weights": False}
    assert [claim.lever for claim in planted.claims if claim not in sample.claims] == ["retrieval"]


def test_equal_arguments_make_equal_bytes_in_place_of_an_older_sample(
    sample: SampleReport, tmp_path: Path
) -> None:
    place = tmp_path / "export"
    shutil.copytree(sample.path, place)
    (place / "records.jsonl").write_text("older")

    make_sample(place, PLAN, overwrite=True)
    assert files(place) == files(sample.path)
    assert set(files(place)) == {"records.jsonl", "manifest.json"} | {f"api/{n}" for n in READS}
    assert [path.name for path in tmp_path.iterdir()] == ["export"]


def test_an_empty_directory_gives_way_and_an_odd_period_has_claims_without_a_headline(
    tmp_path: Path,
) -> None:
    week = replace(PLAN, records=1_000, until=date(2026, 10, 7))

    report = make_sample(tmp_path, week)
    assert set(files(tmp_path)) == {"records.jsonl", "manifest.json"} | {
        f"api/{name}" for name in READS - {"headline.json"}
    }
    assert [(claim.lever, claim.status) for claim in report.claims] == [
        (lever, "ok") for lever in ("retrieval", "caching", "routing", "infrastructure")
    ]


def test_the_manifest_fits(sample: SampleReport, export: Export) -> None:
    records = (sample.path / "records.jsonl").read_bytes()

    assert (sample.path / "manifest.json").read_text() == (
        json.dumps(
            {
                "format": "lighthouse-export/1",
                "tenant": "acme",
                "time_zone": ZONE,
                "exported_at": "2026-11-05T09:00:00Z",
                "files": [
                    {
                        "path": "records.jsonl",
                        "sha256": hashlib.sha256(records).hexdigest(),
                        "bytes": len(records),
                        "records": 1_500,
                    }
                ],
            },
            indent=2,
        )
        + "\n"
    )
    assert export.identity.trust == "unauthenticated"
    assert (sample.records, sample.bytes) == (1_500, len(records))


def test_the_report_says_what_the_headline_says(
    sample: SampleReport, stated: Mapping[str, bytes]
) -> None:
    assert files(sample.path)["api/headline.json"] == stated["headline.json"]
    rows = parsed(stated["headline.json"])["levers"]
    assert [(claim.lever, claim.status, claim.usd) for claim in sample.claims] == [
        (row["lever"], row["status"], row["usd"]) for row in rows
    ]


def test_what_stands_there_is_not_overwritten_unasked(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")

    with pytest.raises(UsageProblem, match="not empty"):
        make_sample(tmp_path, PLAN)
    with pytest.raises(UsageProblem, match=r"notes\.txt, which is not part of a sample"):
        make_sample(tmp_path, PLAN, overwrite=True)
    with pytest.raises(UsageProblem, match="not a directory"):
        make_sample(tmp_path / "notes.txt", PLAN, overwrite=True)
    with pytest.raises(UsageProblem, match="cannot write"):
        make_sample(tmp_path / "notes.txt" / "export", PLAN)
    assert files(tmp_path) == {"notes.txt": b"mine"}


def test_what_fails_half_way_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "export"
    place.mkdir()
    (place / "records.jsonl").write_text("old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(make, "product_reads", fail)
    with pytest.raises(UsageProblem, match="no space left"):
        make_sample(place, PLAN, overwrite=True)
    with pytest.raises(UsageProblem, match="no space left"):
        make_sample(tmp_path / "new", PLAN)
    assert files(tmp_path) == {"export/records.jsonl": b"old"}
    assert [path.name for path in tmp_path.iterdir()] == ["export"]


@pytest.mark.parametrize(
    "switches",
    [{"wieghts": False}, {"weights": "false"}, {"card": "oldest"}, {"zone": "Mars/Olympus"}],
)
def test_unknown_switches_are_refused_before_anything_is_written(
    switches: Mapping[str, str | bool], tmp_path: Path
) -> None:
    with pytest.raises(UsageProblem):
        make_sample(tmp_path / "export", PLAN, switches)
    assert list(tmp_path.iterdir()) == []


# By hand: what the generated exports do not pin down.


def line(kind: str, deployment: str, ts: str, **attrs: Any) -> str:
    return json.dumps({"type": kind, "deployment": deployment, "ts": ts, "attrs": attrs})


def call(deployment: str, read: int, write: int, **attrs: Any) -> str:
    attrs = {"model": "m", **attrs}
    return line(
        "model_call",
        deployment,
        "2026-06-10T00:00:00Z",
        **attrs,
        cache_read_tokens=read,
        cache_write_tokens=write,
    )


def card(deployment: str, model: str = "m", **price: Any) -> str:
    return line("models", deployment, "2026-06-01T00:00:00Z", model=model, price=price)


BY_HAND = (
    card("a", input_per_m=3, output_per_m=6, cache_read_per_m=0.3),
    card("a", "big", input_per_m=10, output_per_m=20, cache_read_per_m=1),
    card("b", input_per_m=1, output_per_m=2, cache_read_per_m=0.5, cache_write_per_m=1.25),
    call("a", 10, 0, agent=None, outcome="ok"),
    call("a", 1, 0, agent="", input_tokens=7, output_tokens=3),
    call("b", 6, 4, agent="None"),
    call("b", 1, 2, agent="Zoë"),
    call("c", 3, 0, agent="a,b"),
    call("a", 0, 0, agent="z", outcome="refused"),
)


@pytest.fixture
def by_hand(tmp_path: Path) -> Iterator[Export]:
    records = "\n".join(BY_HAND).encode() + b"\n"
    (tmp_path / "records.jsonl").write_bytes(records)
    listed = {"records.jsonl": hashlib.sha256(records).hexdigest()}
    (tmp_path / "manifest.json").write_text(json.dumps({"files": listed}))
    with verify.open_export(tmp_path, cache=False) as opened:
        yield opened


def june(export: Export, baseline_model: str | None = None) -> Mapping[str, bytes]:
    return build_reads(
        export,
        since=date(2026, 6, 1),
        until=date(2026, 6, 30),
        time_zone="UTC",
        switches={},
        baseline_model=baseline_model,
    )


def test_small_amounts_prices_and_missing_cards_print_as_the_product_prints_them(
    by_hand: Export,
) -> None:
    assert june(by_hand)["caching.group_by_deployment.csv"].decode() == (
        "deployment,model,input_per_m,cache_read_per_m,cache_write_per_m,"
        "input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,saved_usd\n"
        "a,m,3,0.3,,7,3,11,0,3e-05\n"
        # 7 x 0.5 - 6 x 0.25 millionths of a dollar
        "b,m,1,0.5,1.25,0,0,7,6,2e-06\n"
        "c,m,,,,0,0,3,0,0.0\n"
    )


def test_a_row_by_model_shows_the_card_of_the_most_cached_tokens(by_hand: Export) -> None:
    body = june(by_hand)["caching.json"].decode()

    # b has 13 cached tokens, a only 11: b's card is shown, all three deployments are summed.
    assert (
        """ "by_model": [
  {
   "key": "m",
   "price": {
    "input_per_m": 1,
    "output_per_m": 2,
    "cache_read_per_m": 0.5,
    "cache_write_per_m": 1.25
   },
   "input_tokens": 7,
   "output_tokens": 3,
   "cache_read_tokens": 21,
   "cache_write_tokens": 6,
   "saved_usd": 3.2e-05
  }
 ],
"""
        in body
    )
    assert '"key": "Zoë"' in body


def test_keys_stand_in_the_order_of_their_text_null_as_none(by_hand: Export) -> None:
    rows = parsed(june(by_hand)["caching.json"])["by_agent"]

    assert [row["key"] for row in rows] == ["", None, "None", "Zoë", "a,b", "z"]


def test_a_counterfactual_names_its_baseline_and_is_not_counted(by_hand: Export) -> None:
    headline = june(by_hand, "big")["headline.json"].decode()

    # Unrefused calls of a: (7 x (10 - 3) + 3 x (20 - 6) + 11 x (1 - 0.3)) millionths; b and c
    # have no card of the baseline model.
    assert (
        """  {
   "lever": "routing",
   "status": "partial_comparison",
   "usd": 9.9e-05,
   "coverage": {
    "measured": 0,
    "total": 0
   },
   "detail": {
    "source": "counterfactual",
    "baseline_model": "big",
    "calls": 2
   }
  },
"""
        in headline
    )
    assert '\n "usd": 3.2e-05,\n' in headline


def test_half_a_millionth_goes_to_the_even_one() -> None:
    from verify.systems.lighthouse.sample import reads as module

    halves = [Fraction(n, 2_000_000) for n in (1, 3, 5, -1, -3)]
    assert [module._usd(half) for half in halves] == ["0.0", "2e-06", "2e-06", "0.0", "-2e-06"]


def test_records_that_change_meanwhile_are_noticed(sample: SampleReport, tmp_path: Path) -> None:
    place = tmp_path / "export"
    shutil.copytree(sample.path, place)
    with verify.open_export(place, cache=False) as opened:
        records = (place / "records.jsonl").read_bytes()
        (place / "records.jsonl").write_bytes(records.replace(b'"picked"', b'"Picked"', 1))
        with pytest.raises(IntegrityFailure):
            reads(opened)
