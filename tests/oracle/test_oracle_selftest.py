"""The oracle against figures worked out by hand, each small enough to check on paper."""

import json
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from .exports import Export, exports, order_matters
from .lighthouse import SWITCHES, Invalid, Period, first_instant, read_line, recompute
from .records import Call, ModelLine, Other, Search

JUNE = date(2026, 6, 1), date(2026, 6, 30)


def record(type_: str, ts: str = "2026-06-10T12:00:00Z", at: str = "d", **attrs: Any) -> bytes:
    return json.dumps({"type": type_, "deployment": at, "ts": ts, "attrs": attrs}).encode()


def card(model: str = "m", ts: str = "2026-06-01T00:00:00Z", **more: Any) -> bytes:
    """A models line priced 3 / 15 / 0.3 / 3.75 with a window of 100,000, unless told otherwise."""
    price = {
        "input_per_m": 3,
        "output_per_m": 15,
        "cache_read_per_m": 0.3,
        "cache_write_per_m": 3.75,
    }
    price.update({key: more.pop(key) for key in list(more) if key in price})
    attrs = {"limits": {"context_tokens": 100000}, "price": price, "snapshot": "s", **more}
    return record("models", ts, model=model, **attrs)


def call(model: str = "m", **more: Any) -> bytes:
    return record("model_call", **{"model": model, "pack": "p", "outcome": "ok", **more})


def search(scope: int | None = 500000, sent: int | None = 1000, **more: Any) -> bytes:
    counts = {"corpus_tokens_in_scope": scope, "context_tokens_sent": sent}
    return record("retrieval", **{"pack": "p", **counts, **more})


def decision(costs: list[tuple[str, float | None]], **more: Any) -> bytes:
    listed = [{"model": model, "cost_usd": cost} for model, cost in costs]
    attrs = {"picked": "a", "baseline": "b", "candidates": listed, **more}
    return record("routing_decision", **attrs)


def lever(name: str, lines: list[bytes], **more: Any) -> dict[str, Any]:
    """One lever of June 2026, in UTC unless told otherwise."""
    result = recompute(
        lines, more.pop("zone", "UTC"), *JUNE, more or None, baseline_model="baseline"
    )
    found: dict[str, Any] = next(one for one in result["levers"] if one["lever"] == name)
    return found


# --- caching ---------------------------------------------------------------------------------


def test_cache_writes_can_outweigh_reads() -> None:
    # 1,000 x (3 - 0.3) = 2,700; 20,000 x (3.75 - 3) = 15,000; -12,300 / 1e6
    lines = [card(), call(cache_read_tokens=1000, cache_write_tokens=20000)]
    assert lever("caching", lines)["usd"] == Fraction("-0.0123")
    # without the premium only the 2,700 are left
    assert lever("caching", lines, write_premium=False)["usd"] == Fraction("0.0027")


def test_a_cache_read_price_of_zero_is_a_price_and_null_is_none() -> None:
    used = call(cache_read_tokens=1000)
    # 1,000 x (3 - 0) / 1e6
    free = [card(cache_read_per_m=0), used]
    assert lever("caching", free)["usd"] == Fraction("0.003")
    silent = [card(cache_read_per_m=None), used]
    assert lever("caching", silent)["usd"] == 0
    assert lever("caching", silent, null_read_saves=True)["usd"] == Fraction("0.003")


def test_a_call_without_tokens_is_counted_but_not_as_reported() -> None:
    lines = [
        card(),
        call(cache_read_tokens=0),
        call(cache_read_tokens=None),
        call(cache_read_tokens=-5, cache_write_tokens=-7),
        call(cache_read_tokens=10, outcome="refused"),
    ]
    found = lever("caching", lines)
    # reported: the 0 and the 10; saved: 10 x 2.7 / 1e6
    assert found["coverage"] == {"measured": 2, "total": 4}
    assert found["totals"]["cache_write_tokens"] == 0
    assert found["usd"] == Fraction("0.000027")
    left_out = lever("caching", lines, refused_in_caching=False)
    assert (left_out["usd"], left_out["coverage"]) == (0, {"measured": 1, "total": 3})


def test_statuses_of_caching() -> None:
    assert lever("caching", [card(), call()])["status"] == "no_data"
    unpriced = lever("caching", [call(cache_read_tokens=1)])
    assert (unpriced["status"], unpriced["usd"]) == ("no_price_card", None)


def test_null_and_absent_are_one_key_and_other_names_are_themselves() -> None:
    agents: list[dict[str, Any]] = [{}, {"agent": None}, {"agent": ""}, {"agent": "None"}]
    found = lever("caching", [card(), *(call(cache_read_tokens=7, **one) for one in agents)])
    table = [(row["key"], row["cache_read_tokens"]) for row in found["by"]["agent"]]
    assert table == [("", 7), ("None", 7), (None, 14)]


# --- retrieval -------------------------------------------------------------------------------


def test_a_search_is_weighed_and_clamped_and_takes_the_smallest_priced_window() -> None:
    lines = [
        card("big"),
        card("small", limits={"context_tokens": 40000}, input_per_m=5, cache_read_per_m=0.5),
        card("tiny", limits={"context_tokens": 9000}, input_per_m=None),
        call("big"),
        call("small"),
        call("tiny"),
        search(sample_rate=0.3),
        search(scope=500),
    ]
    found = lever("retrieval", lines)
    # window 40,000 (tiny has no price); first: (40,000 - 1,000) / 0.3 = 130,000;
    # second: 500 - 1,000 < 0, so 0. Cheapest called: big, at 3: 130,000 x 3 / 1e6
    assert found["totals"]["stuffed_tokens"] == Fraction(40000 * 10, 3) + 500
    assert found["totals"]["tokens_avoided"] == 130000
    assert found["totals"]["usd_uncached"] == found["usd"] == Fraction("0.39")
    assert found["totals"]["usd_cached"] == Fraction("0.039")
    # 39,000 and -500 tokens, unweighted and unclamped; then the window of 9,000
    assert lever("retrieval", lines, weights=False, clamp=False)["totals"][
        "tokens_avoided"
    ] == Fraction(38500)
    # (9,000 - 1,000) / 0.3
    assert lever("retrieval", lines, window_priced_only=False)["totals"][
        "tokens_avoided"
    ] == Fraction(80000, 3)


def test_refused_calls_price_nothing_but_make_the_month_a_cached_one() -> None:
    lines = [card(), call(outcome="refused", cache_read_tokens=1), search(model="m")]
    found = lever("retrieval", lines)
    # no model called: the window is 200,000; (200,000 - 1,000) x 0.3 / 1e6
    assert found["usd"] == Fraction("0.0597")
    # called after all: 100,000 - 1,000 = 99,000
    assert lever("retrieval", lines, refused_in_called=True)["usd"] == Fraction("0.0297")
    lines[-1] = search()
    assert lever("retrieval", lines)["status"] == "no_price_card"


def test_what_cannot_be_measured_is_counted_apart() -> None:
    odd = [
        search(scope=None),
        search(sent=None),
        search(scope=-1),
        search(sent=-1),
        search(sample_rate=1.5),
        search(sample_rate=-0.1),
    ]
    lines = [card(), call(), *odd]
    found = lever("retrieval", lines)
    assert (found["status"], found["coverage"]) == ("no_data", {"measured": 0, "total": 6})
    # the missing scope is now the window: 100,000 - 1,000
    assumed = lever("retrieval", lines, unmeasured_as_window=True)
    assert assumed["coverage"] == {"measured": 1, "total": 6}
    assert assumed["totals"]["tokens_avoided"] == 99000


def test_of_equal_prices_the_first_name_prices_the_search() -> None:
    # both cost 3; only their cache-read prices tell which was taken: a's 1, not b's 2
    lines = [
        card("b", cache_read_per_m=2),
        card("a", cache_read_per_m=1),
        call("b", cache_read_tokens=1),
        call("a"),
        search(scope=2000),
    ]
    assert lever("retrieval", lines)["usd"] == Fraction("0.001")


# --- cards -----------------------------------------------------------------------------------


def paid(lines: list[bytes], **switches: Any) -> Fraction | None:
    """The input price in force, seen through a search of 1,000,000 avoided tokens."""
    found = lever("retrieval", [*lines, call(), search(10**6, 0, model="m")], **switches)
    usd: Fraction | None = found["usd"]
    return usd


def wide_card(price: int, ts: str, **more: Any) -> bytes:
    limits = {"context_tokens": 2000000}
    return card(ts=ts, input_per_m=price, limits=limits, **more)


def test_the_newest_complete_snapshot_before_the_end_is_the_card() -> None:
    lines = [
        wide_card(1, "2026-06-01T00:00:00Z", snapshot="one"),
        wide_card(2, "2026-06-02T00:00:00Z", snapshot="short", size=2),
        wide_card(3, "2026-06-03T00:00:00Z", snapshot="torn", complete=False),
        wide_card(4, "2026-07-01T00:00:00Z", snapshot="late"),
        wide_card(5, "2026-05-01T00:00:00Z", snapshot="old"),
    ]
    assert paid(lines) == 1
    assert paid(lines, card="newest_any") == 3
    assert paid(lines, card="newest_in_export") == 4
    assert paid(lines, card="last_in_file") == 5


def test_of_snapshots_of_one_moment_the_greater_id_and_in_it_the_later_line() -> None:
    lines = [
        wide_card(1, "2026-06-01T00:00:00Z", snapshot="s-2"),
        wide_card(2, "2026-06-01T00:00:00Z", snapshot="s-2"),
        wide_card(3, "2026-06-01T02:00:00+02:00", snapshot="s-10"),
    ]
    assert paid(lines) == 2
    assert order_matters(lines)
    assert not order_matters(lines[1:])


def test_lines_after_the_end_are_dropped_before_completeness_is_judged() -> None:
    first = wide_card(1, "2026-06-01T00:00:00Z", snapshot="x", size=1)
    other = card("n", "2026-07-02T00:00:00Z", snapshot="x")
    assert paid([first, other]) == 1
    assert paid([first, other], card="newest_in_export") is None


# --- routing ---------------------------------------------------------------------------------


def test_savings_and_escalations_are_netted_and_watching_saves_apart() -> None:
    lines = [
        decision([("a", 0.001), ("b", 0.004)]),  # saves 0.003
        decision([("a", 0.009), ("b", 0.004)]),  # costs 0.005
        decision([("a", 0.001), ("b", 0.0035)], applied=False),  # would save 0.0025
        decision([("a", 0.009), ("b", 0.004)], applied=False),  # and this nothing
        decision([("a", 0.001), ("a", 9), ("b", 0.002)]),  # the first a: saves 0.001
        decision([("a", None), ("a", 0.001), ("b", 0.004)]),  # the first a: unknown
        decision([("b", 0.004)]),
    ]
    found = lever("routing", lines)
    assert found["usd"] == Fraction("-0.001")
    assert found["totals"] == {
        "saving_usd": Fraction("0.004"),
        "escalation_usd": Fraction("0.005"),
        "off_saving_usd": Fraction("0.0025"),
        "decisions": 7,
        "uncomparable": 2,
    }
    assert found["coverage"] == {"measured": 5, "total": 7}
    assert lever("routing", lines, escalation_netted=False)["usd"] == Fraction("0.004")


def test_without_decisions_the_baseline_model_is_compared_and_not_counted() -> None:
    lines = [
        card(),
        card("baseline", input_per_m=10, output_per_m=40, cache_read_per_m=None),
        call(input_tokens=1000, output_tokens=100, cache_read_tokens=50, cache_write_tokens=4),
        call("unknown", input_tokens=5),
        call(outcome="refused", input_tokens=10**6),
    ]
    # baseline: 10,000 + 4,000 + 50 x 10 + 4 x 3.75 = 14,515
    # own: 3,000 + 1,500 + 50 x 0.3 + 4 x 3.75 = 4,530; 9,985 / 1e6
    result = recompute(lines, "UTC", *JUNE, baseline_model="baseline")
    expected = {"usd": Fraction("0.009985"), "calls": 1, "uncomparable": 1}
    assert result["counterfactual"] == expected
    found = lever("routing", lines)
    assert (found["status"], found["usd"]) == ("partial_comparison", expected["usd"])
    assert lever("routing", [*lines, decision([])])["status"] == "no_comparison"


# --- infrastructure --------------------------------------------------------------------------


def test_what_was_not_always_on_is_held_against_the_real_hours() -> None:
    def profile(at: str, ts: str = "2026-05-01T00:00:00Z", **attrs: Any) -> bytes:
        return record("deployment_profile", ts, at, **attrs)

    def cost(at: str, usd: float | None, **more: Any) -> bytes:
        return record("cost", at=at, **{"kind": "infrastructure", "usd": usd, **more})

    lines = [
        profile("d", profile="always_on", always_on_usd_per_hour=9),
        profile("d", profile="ephemeral", always_on_usd_per_hour=0.5),  # the later line counts
        profile("e", profile="scheduled", always_on_usd_per_hour=1),
        profile("f", always_on_usd_per_hour=None),
        profile("g", profile="always_on", always_on_usd_per_hour=1),
        cost("d", 400.25),
        cost("d", 70, kind="model"),
        cost("e", None),
        cost("f", 2),
        cost("g", 3),
    ]
    found = lever("infrastructure", lines)
    # June has 720 hours: d: 360 - 400.25; e has no cost record, f no hourly rate
    assert found["usd"] == Fraction("-40.25")
    assert found["coverage"] == {"measured": 1, "total": 3}
    table = [
        (row["key"], row["always_on_usd"], row["actual_usd"], row["saved_usd"])
        for row in found["by"]["deployment"]
    ]
    assert table == [
        ("d", 360, Fraction("400.25"), Fraction("-40.25")),
        ("e", 720, None, None),
        ("f", None, 2, None),
    ]
    assert lever("infrastructure", lines[2:3])["status"] == "no_cost_feed"
    assert lever("infrastructure", lines[3:4] + lines[8:9])["status"] == "ok"
    assert lever("infrastructure", lines[4:5])["status"] == "no_data"


# --- time ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "since", "until", "start", "hours"),
    [
        ("Europe/Madrid", "2026-03-01", "2026-03-31", "2026-02-28T23:00:00Z", 743),
        ("Europe/Madrid", "2026-10-01", "2026-10-31", "2026-09-30T22:00:00Z", 745),
        ("Asia/Kathmandu", "2026-10-01", "2026-10-31", "2026-09-30T18:15:00Z", 744),
        # clocks go from 02:00 to 02:30
        (
            "Australia/Lord_Howe",
            "2026-10-04",
            "2026-10-04",
            "2026-10-03T13:30:00Z",
            Fraction(47, 2),
        ),
        # at midnight clocks go to 01:00: the day begins there, and has 23 hours
        ("America/Santiago", "2026-09-06", "2026-09-06", "2026-09-06T04:00:00Z", 23),
        # at 01:00 clocks go back to midnight: the day begins at the first of the two
        ("America/Havana", "2026-11-01", "2026-11-01", "2026-11-01T04:00:00Z", 25),
        # a day that the zone left out
        ("Pacific/Apia", "2011-12-30", "2011-12-30", "2011-12-30T10:00:00Z", 0),
        ("Pacific/Apia", "2011-12-01", "2011-12-31", "2011-12-01T10:00:00Z", 720),
    ],
)
def test_periods_are_local_days(
    zone: str, since: str, until: str, start: str, hours: int | Fraction
) -> None:
    period = Period.between(zone, date.fromisoformat(since), date.fromisoformat(until))
    assert (period.as_dict()["start"], period.hours) == (start, hours)


def test_a_record_is_in_by_its_exact_instant() -> None:
    moments = {
        "2026-05-31T23:59:59.999999999Z": 0,
        "2026-06-01T00:00:00Z": 1,
        "2026-06-01T02:00:00+02:00": 1,
        "2026-06-30T23:59:59.9999999999999": 1,
        "2026-06-30T20:00:00-04:00": 0,
    }
    for ts, count in moments.items():
        assert lever("caching", [call(ts=ts)])["totals"]["calls"] == count
    # in Madrid June begins two hours earlier
    assert lever("caching", [call(ts="2026-05-31T22:00:00Z")], zone="Europe/Madrid")["by"][
        "day"
    ] == [
        {
            "key": "2026-06-01",
            "saved_usd": 0,
            "input_tokens": 0,
            "output_tokens": 0,
            "cache_read_tokens": 0,
            "cache_write_tokens": 0,
        }
    ]


def test_until_exclusive_loses_the_last_day() -> None:
    lines = [call(ts="2026-06-29T23:59:59Z"), call(ts="2026-06-30T00:00:00Z")]
    assert lever("caching", lines, until_exclusive=True)["totals"]["calls"] == 1


def test_lines_that_are_the_same_count_once_under_dedupe() -> None:
    line = call(cache_read_tokens=1)
    lines = [line, line, line.replace(b": ", b":")]
    assert lever("caching", lines)["totals"]["calls"] == 3
    assert lever("caching", lines, dedupe=True)["totals"]["calls"] == 2


def test_the_first_instant_of_a_day_is_the_first() -> None:
    second = first_instant("America/Havana", date(2026, 3, 8))
    assert second == 1772946000  # 2026-03-08T05:00:00Z, 01:00 there


# --- reading ---------------------------------------------------------------------------------

CALL = b'{"type":"model_call","deployment":"d","ts":"2026-06-01T00:00:00Z","attrs":{"model":"m"%s}}'
CARD = b'{"type":"models","deployment":"d","ts":"2026-06-01T00:00:00Z","attrs":{"model":"m"%s}}'
STAMPED = b'{"type":"retrieval","deployment":"d","ts":"%s","attrs":{}}'

INVALID_LINES = {
    "empty": b"",
    "byte order mark": b"\xef\xbb\xbf" + CALL % b"",
    "not UTF-8": CALL % b',"pack":"\xff"',
    "an array": b"[]",
    "two objects": CALL % b"" + CALL % b"",
    "no type": b'{"deployment":"d"}',
    "type of null": b'{"type":null}',
    "type twice": b'{"type":"heartbeat","type":"heartbeat"}',
    "no deployment": STAMPED.replace(b'"deployment":"d",', b"") % b"2026-06-01T00:00:00Z",
    "deployment a number": STAMPED.replace(b'"d"', b"1") % b"2026-06-01T00:00:00Z",
    "attrs of null": b'{"type":"cost","deployment":"d","ts":"2026-06-01T00:00:00Z","attrs":null}',
    "model of null": CALL.replace(b'"m"', b"null") % b"",
    "no model": CARD.replace(b'"model":"m"', b'"size":1') % b"",
    "attr twice": CALL % b',"pack":"p","pack":"p"',
    "attr twice, once escaped": CALL % b',"pack":"p","p\\u0061ck":"p"',
    "price twice": CARD % b',"price":{"input_per_m":1,"input_per_m":1}',
    "half a surrogate pair": CALL % b',"pack":"\\ud83d"',
    "NaN": CALL % b',"input_tokens":NaN',
    "half a token": CALL % b',"input_tokens":1.5',
    "tokens in a string": CALL % b',"input_tokens":"1"',
    "tokens of true": CALL % b',"input_tokens":true',
    "too many tokens": CALL % b',"input_tokens":9223372036854775808',
    "19 decimals": CARD % b',"price":{"input_per_m":0.0000000000000000001}',
    "10**20": CARD % b',"price":{"input_per_m":1e20}',
    "size of a string": CARD % b',"size":"2"',
    "complete of 1": CARD % b',"complete":1',
    "price of a number": CARD % b',"price":3',
    "leading zero": CALL % b',"input_tokens":01',
    "no such day": STAMPED % b"2026-02-29T00:00:00Z",
    "hour 24": STAMPED % b"2026-06-01T24:00:00Z",
    "second 60": STAMPED % b"2026-06-30T23:59:60Z",
    "a space for T": STAMPED % b"2026-06-01 00:00:00Z",
    "a bare day": STAMPED % b"2026-06-01",
    "no minutes of offset": STAMPED % b"2026-06-01T00:00:00+02",
    "offset of 24 hours": STAMPED % b"2026-06-01T00:00:00+24:00",
    "point without digits": STAMPED % b"2026-06-01T00:00:00.Z",
    "trailing line end in ts": STAMPED % b"2026-06-01T00:00:00Z\\n",
}


@pytest.mark.parametrize("raw", INVALID_LINES.values(), ids=INVALID_LINES.keys())
def test_lines_that_are_invalid(raw: bytes) -> None:
    with pytest.raises(Invalid):
        read_line(raw)


@pytest.mark.parametrize(
    ("written", "tokens"),
    [
        (b"5", 5),
        (b"5.0", 5),
        (b"5e0", 5),
        (b"0.5e1", 5),
        (b"5000E-3", 5),
        (b"1e3", 1000),
        (b"-0.0", 0),
        (b"0e999999999999999999999", 0),
        (b"9223372036854775807", 2**63 - 1),
        (b"null", None),
        (b"-1", None),
    ],
)
def test_whole_numbers_however_they_are_written(written: bytes, tokens: int | None) -> None:
    found = read_line(CALL % b',"input_tokens":%s' % written)
    assert isinstance(found, Call)
    assert found.input_tokens == tokens


@pytest.mark.parametrize(
    ("written", "price"),
    [
        (b"1e-07", Fraction(1, 10**7)),
        (b"100e-20", Fraction(1, 10**18)),
        (b"0.1000000000000000000000", Fraction(1, 10)),
        (b"-99999999999999999999", Fraction(-(10**20) + 1)),
        (b"0.30000000000000004", Fraction(30000000000000004, 10**17)),
    ],
)
def test_money_is_the_decimal_that_was_written(written: bytes, price: Fraction) -> None:
    found = read_line(CARD % b',"price":{"input_per_m":%s}' % written)
    assert isinstance(found, ModelLine)
    assert found.price is not None
    assert found.price.input == price


def test_a_timestamp_keeps_every_digit_and_says_when_its_offset_is_missing() -> None:
    # 2026-06-01 is day 20,605 after 1970-01-01
    exact = read_line(STAMPED % b"2026-06-01T01:00:00.0000000001+01:00")
    bare = read_line(STAMPED % b"2026-06-01T00:00:00")
    assert isinstance(exact, Search)
    assert isinstance(bare, Search)
    assert exact.ts.seconds == 20605 * 86400 + Fraction(1, 10**10)
    assert bare.ts.seconds == 20605 * 86400
    assert (exact.ts.naive, bare.ts.naive) == (False, True)


def test_what_nobody_reads_can_be_anything() -> None:
    assert read_line(b'{"type":"eval","ts":5,"attrs":null,"attrs":NaN}') == Other("eval")
    found = read_line(CALL % b',"mood":"\\ud83d","mood":NaN,"price":3')
    assert isinstance(found, Call)


def test_windows_are_the_first_name_or_else_the_second_and_never_nothing() -> None:
    windows = {
        b'"context_tokens":5,"context_window":4': 5,
        b'"context_tokens":null,"context_window":4': 4,
        b'"context_tokens":0,"context_window":4': None,
        b'"context_window":-1': None,
        b"": None,
    }
    for limits, window in windows.items():
        found = read_line(CARD % b',"limits":{%s}' % limits)
        assert isinstance(found, ModelLine)
        assert found.window == window


# --- whole exports ---------------------------------------------------------------------------


def figures(export: Export, **switches: object) -> dict[str, Any]:
    return recompute(
        export.lines, export.zone, export.since, export.until, switches, export.baseline_model
    )


@given(exports())
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
def test_the_rows_of_every_breakdown_add_up_to_its_totals(export: Export) -> None:
    for one in figures(export)["levers"]:
        for rows in one["by"].values():
            for measure in set(one["totals"]) - {"calls", "reported"}:
                assert sum(row[measure] or 0 for row in rows) == one["totals"][measure]


@given(exports(unordered=True))
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
def test_the_order_of_lines_does_not_matter_where_none_compete(export: Export) -> None:
    backwards = Export(
        export.lines[::-1], export.zone, export.since, export.until, export.baseline_model
    )
    assert figures(backwards) == figures(export)


@given(exports())
@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
def test_every_switch_can_be_thrown(export: Export) -> None:
    for name, alternatives in SWITCHES.items():
        for value in alternatives:
            assert set(figures(export, **{name: value})) == {"period", "levers", "counterfactual"}


def test_an_unknown_switch_is_an_error() -> None:
    with pytest.raises(ValueError, match="no switch"):
        lever("caching", [], wieghts=False)
    with pytest.raises(ValueError, match="has no value"):
        lever("caching", [], card="newest")
