"""The records of a sample: exact in number, equal for equal plans, and awkward where it matters."""

import hashlib
import io
import json
import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from verify.systems.lighthouse.sample import (
    MINIMUM_RECORDS,
    RecordCounts,
    SamplePlan,
    write_records,
)

OCTOBER = SamplePlan(
    seed=7,
    records=3_000,
    since=date(2025, 10, 1),
    until=date(2025, 10, 31),
    time_zone="Europe/Madrid",
)
START = datetime(2025, 9, 30, 22, tzinfo=UTC)
END = datetime(2025, 10, 31, 23, tzinfo=UTC)
PINNED = "21130f0408753378a9513c243036d2f033e551a482053d166d8256e8dcbc68f5"
"""SHA-256 of OCTOBER with the fewest records possible; a change of it is a change of format."""

Json = dict[str, Any]


def made(plan: SamplePlan) -> tuple[bytes, RecordCounts]:
    out = io.BytesIO()
    counts = write_records(plan, out)
    return out.getvalue(), counts


def strict(line: bytes) -> Json:
    """One object; amounts with decimals stay the text that they are."""

    def no_duplicates(pairs: list[tuple[str, Any]]) -> Json:
        assert len(dict(pairs)) == len(pairs), pairs
        return dict(pairs)

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    read: Json = json.loads(
        line.decode(), object_pairs_hook=no_duplicates, parse_float=str, parse_constant=refuse
    )
    return read


def instant(record: Json) -> datetime:
    return datetime.fromisoformat(record["ts"])


def inside(record: Json) -> bool:
    return START <= instant(record) < END


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    return made(OCTOBER)[0].split(b"\n")[:-1]


@pytest.fixture(scope="module")
def records(lines: list[bytes]) -> list[Json]:
    return [strict(line) for line in lines]


def of(records: list[Json], kind: str) -> list[Json]:
    return [record for record in records if record["type"] == kind]


class Counting:
    """A sink that keeps nothing but the size of each write."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.digest = hashlib.sha256()

    def write(self, data: bytes) -> None:
        self.sizes.append(len(data))
        self.digest.update(data)


# --- the file ---------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [MINIMUM_RECORDS, MINIMUM_RECORDS + 1, 3_000, 20_011])
def test_holds_exactly_the_number_of_lines_asked_for(count: int) -> None:
    data, counts = made(replace(OCTOBER, records=count))
    assert data.count(b"\n") == count
    assert data.endswith(b"}\n")
    assert counts.records == count == sum(counts.by_type.values())
    assert counts.bytes == len(data)


def test_counts_are_those_of_the_lines(records: list[Json]) -> None:
    counted = Counter(record["type"] for record in records)
    assert made(OCTOBER)[1].by_type == counted


def test_equal_plans_make_equal_bytes_on_every_machine() -> None:
    small = replace(OCTOBER, records=MINIMUM_RECORDS)
    data, _ = made(small)
    assert made(replace(small, tenant="other"))[0] == data
    assert hashlib.sha256(data).hexdigest() == PINNED


@pytest.mark.parametrize(
    "other",
    [
        replace(OCTOBER, seed=8),
        replace(OCTOBER, time_zone="Europe/London"),
        replace(OCTOBER, since=date(2025, 10, 2)),
    ],
)
def test_another_plan_makes_other_bytes(other: SamplePlan, lines: list[bytes]) -> None:
    others = made(other)[0].split(b"\n")[:-1]
    assert len(others) == len(lines)
    assert sum(one == two for one, two in zip(lines, others, strict=True)) < len(lines) // 100


def test_is_written_in_bounded_pieces() -> None:
    sink = Counting()
    counts = write_records(replace(OCTOBER, records=35_000), sink)
    assert len(sink.sizes) == 4
    assert max(sink.sizes) < 4_000_000
    assert sum(sink.sizes) == counts.bytes


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"records": MINIMUM_RECORDS - 1}, "at least 1000 records, got 999"),
        ({"records": 0}, "at least 1000 records, got 0"),
        ({"seed": -1}, "seed must be 0 or more, got -1"),
        ({"time_zone": "Mars/Olympus"}, "'Mars/Olympus'.* time zone"),
        ({"time_zone": "../etc/passwd"}, "time zone"),
        ({"time_zone": ""}, "time zone"),
        ({"until": date(2025, 9, 30)}, "7 to 31 days, both ends included, got 0"),
        ({"until": date(2025, 10, 6)}, "got 6"),
        ({"until": date(2025, 11, 1)}, "got 32"),
        ({"since": date(1999, 12, 31), "until": date(2000, 1, 30)}, "years 2000 to 2099"),
        ({"since": date(2099, 12, 31), "until": date(2100, 1, 30)}, "got 2100-01-30"),
    ],
)
def test_an_impossible_plan_says_why(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(OCTOBER, **change)


@pytest.mark.parametrize(
    ("zone", "since", "until"),
    [
        ("America/Santiago", date(2025, 9, 1), date(2025, 9, 30)),
        ("Pacific/Apia", date(2011, 12, 1), date(2011, 12, 31)),
        ("Australia/Lord_Howe", date(2025, 4, 2), date(2025, 4, 8)),
        ("UTC", date(2024, 2, 1), date(2024, 2, 29)),
    ],
)
def test_odd_months_work_too(zone: str, since: date, until: date) -> None:
    plan = SamplePlan(1, MINIMUM_RECORDS, since, until, zone)
    read = [strict(line) for line in made(plan)[0].splitlines()]
    assert len(read) == MINIMUM_RECORDS
    days = {instant(record).date() for record in read}
    assert min(days) < since
    assert max(days) > until


# --- the lines --------------------------------------------------------------------------------


def test_mix_of_types(records: list[Json]) -> None:
    share = {kind: n / len(records) for kind, n in Counter(r["type"] for r in records).items()}
    assert share["model_call"] == pytest.approx(0.48, abs=0.05)
    assert share["retrieval"] == pytest.approx(0.33, abs=0.04)
    assert share["routing_decision"] == pytest.approx(0.10, abs=0.02)
    assert share["models"] < 0.03
    assert share["tool_call"] + share["heartbeat"] + share["eval"] == pytest.approx(0.07, abs=0.02)
    assert {"cost", "deployment_profile"} < share.keys()


def test_types_and_times_interleave(records: list[Json]) -> None:
    earlier = sum(instant(two) < instant(one) for one, two in pairwise(records))
    assert earlier / len(records) == pytest.approx(0.5, abs=0.05)
    for kind in ("models", "cost", "routing_decision"):
        places = [number for number, record in enumerate(records) if record["type"] == kind]
        assert places[0] < 300
        assert places[-1] > 2_700


def test_records_reach_over_both_ends_of_the_period(records: list[Json]) -> None:
    for kind in ("model_call", "retrieval", "routing_decision", "cost"):
        times = [instant(record) for record in of(records, kind)]
        assert START - timedelta(days=3) <= min(times) < START - timedelta(days=1)
        assert END + timedelta(days=1) < max(times) < END + timedelta(days=3)


@pytest.mark.parametrize("kind", ["model_call", "retrieval", "routing_decision", "cost"])
@pytest.mark.parametrize("edge", [START, END])
@pytest.mark.parametrize("microseconds", [-1000, -1, 0, 1, 1000])
def test_records_stand_on_the_edges(
    records: list[Json], kind: str, edge: datetime, microseconds: int
) -> None:
    at = edge + timedelta(microseconds=microseconds)
    assert any(instant(record) == at for record in of(records, kind))


def test_some_records_lie_between_midnight_here_and_in_utc(records: list[Json]) -> None:
    for kind in ("model_call", "retrieval", "routing_decision", "cost"):
        times = [instant(record) for record in of(records, kind)]
        assert any(START < time < datetime(2025, 10, 1, tzinfo=UTC) for time in times)
        assert any(END <= time < datetime(2025, 11, 1, tzinfo=UTC) for time in times)


def test_timestamps_have_offsets_and_most_end_in_milliseconds_and_z(records: list[Json]) -> None:
    stamps = [record["ts"] for record in records]
    plain = [ts for ts in stamps if re.fullmatch(r"[\d-]{10}T[\d:]{8}\.\d{3}Z", ts)]
    assert len(plain) > 0.9 * len(stamps)
    assert all(re.fullmatch(r"[\d-]{10}T[\d:]{8}(\.\d+)?(Z|[+-]\d\d:\d\d)", ts) for ts in stamps)
    assert {"+02:00", "-07:00", "+05:30"} < {ts[-6:] for ts in stamps}


def test_text_is_unicode_as_it_is(lines: list[bytes], records: list[Json]) -> None:
    data = b"\n".join(lines)
    assert "soporte-españa".encode() in data
    assert "☕".encode() in data
    assert "\u2028".encode() in data
    assert b"\\u" not in data
    assert "soporte-españa" in {record["deployment"] for record in records}


def test_few_lines_are_repeated_and_few_ids_used_again(lines: list[bytes]) -> None:
    times = Counter(lines)
    again = [strict(line) for line, count in times.items() if count > 1]
    assert {r["type"] for r in again} == {"model_call", "retrieval", "routing_decision", "cost"}
    assert all(inside(record) for record in again)
    assert len(again) < 10
    ids = Counter(record["attrs"]["id"] for record in map(strict, times) if "id" in record["attrs"])
    shared = [identity for identity, count in ids.items() if count > 1]
    assert {identity[0] for identity in shared} == {"c", "s"}
    assert len(shared) < 10
    assert all(1 <= int(identity[1:]) <= OCTOBER.records for identity in ids)


# --- what decides a figure --------------------------------------------------------------------


def test_calls(records: list[Json]) -> None:
    calls = of(records, "model_call")
    outcomes = Counter(call["attrs"]["outcome"] for call in calls)
    assert outcomes.keys() == {"ok", "error", "refused"}
    assert outcomes["ok"] / len(calls) == pytest.approx(0.93, abs=0.03)
    assert outcomes["refused"] / len(calls) == pytest.approx(0.03, abs=0.02)
    silent = [call for call in calls if call["attrs"].get("cache_read_tokens") is None]
    assert len(silent) / len(calls) == pytest.approx(0.10, abs=0.03)
    assert any("cache_read_tokens" in call["attrs"] for call in silent)
    readers = {c["deployment"] for c in calls if (c["attrs"].get("cache_read_tokens") or 0) > 0}
    assert {call["deployment"] for call in calls} - readers == {"batch-nightly"}
    refused = [call["attrs"] for call in calls if call["attrs"]["outcome"] == "refused"]
    assert any((attrs.get("cache_read_tokens") or 0) > 0 for attrs in refused)
    assert {call["attrs"]["agent"] for call in calls} >= {"triage", "miner", None}


def test_in_one_pack_a_model_is_only_ever_refused(records: list[Json]) -> None:
    by_model: dict[str, set[str]] = {}
    for call in of(records, "model_call"):
        attrs = call["attrs"]
        if call["deployment"] == "support-eu" and attrs["pack"] == "legal" and inside(call):
            by_model.setdefault(attrs["model"], set()).add(attrs["outcome"])
    assert by_model.keys() == {"gpt-6", "gpt-6-mini"}
    assert by_model["gpt-6-mini"] == {"refused"}
    assert "ok" in by_model["gpt-6"]


def test_searches(records: list[Json]) -> None:
    searches = of(records, "retrieval")
    attrs = [search["attrs"] for search in searches]
    measured = [
        one
        for one in attrs
        if one.get("corpus_tokens_in_scope") is not None and "context_tokens_sent" in one
    ]
    assert 1 - len(measured) / len(attrs) == pytest.approx(0.14, abs=0.04)
    assert {one.get("sample_rate") for one in attrs} == {None, "0.5", "0.25", "0.1", "0.3"}
    assert any(one["context_tokens_sent"] > one["corpus_tokens_in_scope"] for one in measured)
    assert max(one["corpus_tokens_in_scope"] for one in measured) > 1_000_000
    assert {one.get("model") for one in attrs} > {None, "llama-4-local"}
    called = {call["attrs"]["pack"] for call in of(records, "model_call")}
    assert {one["pack"] for one in attrs} - called == {"archive"}


def test_decisions(records: list[Json]) -> None:
    attrs = [decision["attrs"] for decision in of(records, "routing_decision")]
    assert {len(one["candidates"]) for one in attrs} == {2, 3, 4}
    assert {one.get("applied") for one in attrs} == {True, False, None}
    costs = [candidate["cost_usd"] for one in attrs for candidate in one["candidates"]]
    assert None in costs
    assert "1e-07" in costs
    assert sum(bool(re.fullmatch(r"0\.\d{6}", str(cost))) for cost in costs) > 0.9 * len(costs)
    names = [[candidate["model"] for candidate in one["candidates"]] for one in attrs]
    assert any(len({*few}) < len(few) for few in names)
    assert any(one["baseline"] not in few for one, few in zip(attrs, names, strict=True))


def test_cards(records: list[Json]) -> None:
    cards = [line["attrs"] for line in of(records, "models")]
    assert all(card["price"] is None for card in cards if card["model"] == "llama-4-local")
    prices = [card["price"] for card in cards if card["price"] is not None]
    assert any(price["cache_read_per_m"] is None for price in prices)
    assert any(price["cache_write_per_m"] is None for price in prices)
    assert any(price["input_per_m"] == 0 for price in prices)
    limits = [(card["limits"], card["price"]) for card in cards]
    assert {"context_tokens"} in [limit.keys() for limit, _ in limits]
    assert {"context_window"} in [limit.keys() for limit, _ in limits]
    window, price = min((min(limit.values()), price is not None) for limit, price in limits)
    assert (window, price) == (32_768, False)
    eu = {
        line["attrs"]["price"]["cache_write_per_m"]
        for line in of(records, "models")
        if line["deployment"] == "support-eu" and line["attrs"]["model"] == "claude-sonnet-5"
    }
    assert eu == {"3.375", "3.75", "1.875", "5.625"}


def test_the_newest_snapshot_is_not_the_one_that_counts(records: list[Json]) -> None:
    snapshots: dict[str, list[Json]] = {}
    for line in of(records, "models"):
        if line["deployment"] == "support-eu":
            snapshots.setdefault(line["attrs"]["snapshot"], []).append(line)
    newest = sorted(snapshots.values(), key=lambda lines: instant(lines[0]))
    whole = [len(lines) == lines[0]["attrs"]["size"] for lines in newest]
    assert whole == [True, True, False, True]
    assert inside(newest[-2][0])
    assert instant(newest[-1][0]) > END


def test_a_draft_that_does_not_say_so_has_too_few_models(records: list[Json]) -> None:
    lines = [line["attrs"] for line in of(records, "models") if "complete" not in line["attrs"]]
    sizes = Counter(attrs["snapshot"] for attrs in lines)
    assert sizes
    assert all(sizes[attrs["snapshot"]] < attrs["size"] for attrs in lines)


def test_profiles_and_costs(records: list[Json]) -> None:
    profiles: dict[str, set[str]] = {}
    for line in of(records, "deployment_profile"):
        if instant(line) < END:
            profiles.setdefault(line["deployment"], set()).add(line["attrs"]["profile"])
    assert len(profiles) >= 5
    assert {"always_on"} in profiles.values()
    assert {"scheduled"} in profiles.values()
    assert {"ephemeral"} in profiles.values()
    assert {"always_on", "scheduled"} in profiles.values()
    days = Counter(line["deployment"] for line in of(records, "cost"))
    assert "research-lab" not in days
    assert 25 < days["claims"] < 37
    assert {line["attrs"]["kind"] for line in of(records, "cost")} == {"infrastructure", "model"}
    assert all(
        re.fullmatch(r"\d\.\d{4}|None", str(line["attrs"]["usd"])) for line in of(records, "cost")
    )


def test_large_exports_have_a_snapshot_every_couple_of_days() -> None:
    _, counts = made(replace(OCTOBER, records=40_000))
    assert 450 < counts.by_type["models"] < 700
