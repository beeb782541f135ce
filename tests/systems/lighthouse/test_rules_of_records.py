"""Periods, days, names, numbers and lines, one rule a test: what follows from a few lines, by hand.

See `test_rules.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.books import (
    INSIDE,
    MEGA,
    SEPTEMBER,
    Books,
    call,
    cost,
    decision,
    found,
    model,
    profile,
    rows,
    search,
    strictly,
    usd,
    wide,
)
from support.exports import record, write_bytes

from verify.errors import IntegrityFailure
from verify.exact import finite_places, plain
from verify.period import Period, first_instant
from verify.systems import system_named
from verify.systems.base import Question, Reading

# --- periods, days and timestamps ------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "day", "instant"),
    [
        # Midnight is skipped, the day begins at 01:00, which is 03:00 UTC.
        ("America/Sao_Paulo", date(2018, 11, 4), datetime(2018, 11, 4, 3, tzinfo=UTC)),
        # From 23:30 to 00:30, over midnight: the day begins at 00:30, which is 04:30 UTC.
        ("America/Toronto", date(1919, 3, 31), datetime(1919, 3, 31, 4, 30, tzinfo=UTC)),
        # At 00:01 the clock goes back to 23:01: the day began a minute before, at 02:30 UTC.
        ("America/St_Johns", date(2010, 11, 7), datetime(2010, 11, 7, 2, 30, tzinfo=UTC)),
        # The 30th did not happen; the 31st began when it would have, at 10:00 UTC.
        ("Pacific/Apia", date(2011, 12, 30), datetime(2011, 12, 30, 10, tzinfo=UTC)),
        ("Pacific/Apia", date(2011, 12, 31), datetime(2011, 12, 30, 10, tzinfo=UTC)),
        ("Asia/Kathmandu", date(2026, 10, 1), datetime(2026, 9, 30, 18, 15, tzinfo=UTC)),
    ],
)
def test_the_first_instant_of_a_day(zone: str, day: date, instant: datetime) -> None:
    assert first_instant(day, zone) == instant


def test_days_meet_and_fill_the_period() -> None:
    # The 25th of October has 25 hours in Madrid.
    period = Period(date(2026, 10, 24), date(2026, 10, 26), "Europe/Madrid")
    days = list(period.days())
    assert [(day.end - day.start).total_seconds() / 3600 for day in days] == [24, 25, 24]
    assert [day.start for day in days] == [period.start, days[0].end, days[1].end]
    assert days[-1].end == period.end


def test_both_days_of_a_period_are_part_of_it(books: Books) -> None:
    # The 10th to the 12th, in UTC: 10 + 100 + 1,000.
    days = {f"2026-10-{day:02d}T12:00:00Z": 10 ** (day - 9) for day in range(9, 14)}
    lines = [call(read=tokens, ts=ts) for ts, tokens in days.items()]
    asked: dict[str, Any] = {"since": date(2026, 10, 10), "until": date(2026, 10, 12)}
    result = books.lever("caching", *lines, **asked, by=("day",))
    assert result.totals["cache_read_tokens"] == 1_110
    assert rows(result, "day", "cache_read_tokens") == {
        "2026-10-10": 10,
        "2026-10-11": 100,
        "2026-10-12": 1_000,
    }
    lost = books.lever("caching", *lines, **asked, by=("day",), switches={"until_exclusive": True})
    assert rows(lost, "day", "cache_read_tokens") == {"2026-10-10": 10, "2026-10-11": 100}


# The instants around local midnights in Madrid, with the day each lies on: the 25th of October has
# 25 hours, so the 26th begins an hour later in UTC.
AROUND = {
    "2026-10-24T21:59:59.999999Z": "2026-10-24",
    "2026-10-24T22:00:00Z": "2026-10-25",
    "2026-10-25T22:59:59.999999Z": "2026-10-25",
    "2026-10-25T23:00:00Z": "2026-10-26",
}
BY_DAY = {"2026-10-24": 1, "2026-10-25": 10 + 100, "2026-10-26": 1_000}


def around(make: Callable[[int, str], bytes]) -> list[bytes]:
    """A record at each of those instants: one of 1, of 10, of 100, and of 1,000."""
    return [make(10**power, ts) for power, ts in enumerate(AROUND)]


def test_searches_lie_on_local_days(books: Books) -> None:
    lines = around(lambda size, ts: search(size, 0, ts=ts))
    result = books.lever("retrieval", *lines, zone="Europe/Madrid", by=("day",))
    assert rows(result, "day", "stuffed_tokens") == BY_DAY


def test_calls_lie_on_local_days(books: Books) -> None:
    lines = around(lambda size, ts: call(read=size, ts=ts))
    result = books.lever("caching", *lines, zone="Europe/Madrid", by=("day",))
    assert rows(result, "day", "cache_read_tokens") == BY_DAY
    # Asked for in another zone the days are that zone's: 21:59:59 in Madrid is 05:59:59 in Tokyo.
    tokyo = books.lever("caching", *lines, by=("day",), switches={"zone": "Asia/Tokyo"})
    assert rows(tokyo, "day", "cache_read_tokens") == {"2026-10-25": 11, "2026-10-26": 1_100}


def test_decisions_lie_on_local_days(books: Books) -> None:
    lines = around(lambda size, ts: decision(size, 0, ts=ts))
    result = books.lever("routing", *lines, zone="Europe/Madrid", by=("day",))
    assert rows(result, "day", "saving_usd") == BY_DAY


def test_a_day_that_begins_at_one_o_clock(books: Books) -> None:
    # In Sao Paulo the 4th of November 2018 begins at 03:00 UTC and has 23 hours.
    stamps = ["2018-11-04T02:59:59Z", "2018-11-04T03:00:00Z", "2018-11-05T01:59:59Z"]
    stamps += ["2018-11-05T02:00:00Z"]
    lines = [call(read=10**power, ts=ts) for power, ts in enumerate(stamps)]
    lines += [profile("scheduled", 1, ts="2018-01-01T00:00:00Z"), cost(0, ts=stamps[1])]
    day = date(2018, 11, 4)
    result = books.ask(*lines, zone="America/Sao_Paulo", since=day, until=day)
    assert result.lever("caching").totals["cache_read_tokens"] == 110
    assert result.lever("infrastructure").usd == 23


def test_a_timestamp_without_an_offset_is_utc(books: Books) -> None:
    # October begins in Tokyo at 15:00 UTC on the 30th of September.
    stamps = ["2026-09-30T14:59:59", "2026-09-30T15:00:00", "2026-10-31T14:59:59.999999"]
    lines = [call(read=10**power, ts=ts) for power, ts in enumerate(stamps)]
    result = books.lever("caching", *lines, zone="Asia/Tokyo")
    assert result.totals["cache_read_tokens"] == 110
    assert found(result)["timestamp_without_offset"] == 2
    with_offset = books.lever("caching", call(read=1, ts="2026-10-05T00:00:00+00:00"))
    assert "timestamp_without_offset" not in found(with_offset)


OFFSETS = {
    "2026-10-01T01:59:59+02:00": False,  # 23:59:59 the day before
    "2026-10-01T02:00:00+02:00": True,
    "2026-09-30T23:29:59-00:30": False,
    "2026-09-30T23:30:00-00:30": True,
    "2026-11-01T05:44:59+05:45": True,
    "2026-11-01T05:45:00+05:45": False,
}


def test_the_offset_of_a_timestamp_is_honoured(books: Books) -> None:
    lines = [call(read=1, agent=ts, ts=ts) for ts in OFFSETS]
    lines += [strictly(line) for line in lines]
    result = books.lever("caching", *lines, by=("agent",))
    inside = {ts: 2 for ts, is_inside in OFFSETS.items() if is_inside}
    assert rows(result, "agent", "cache_read_tokens") == inside


# --- names, numbers and lines ----------------------------------------------------------------


def test_no_name_and_an_empty_name_are_two_keys(books: Books) -> None:
    # For each dimension of each lever: 1 of the null key, 10 of "", 100 of "None".
    names: dict[str | None, int] = {None: 1, "": 10, "None": 100}
    of_search = ("agent", "pack", "index", "model")
    of_call = ("agent", "pack", "provider")
    of_decision = ("agent", "pack")
    lines: list[bytes] = []
    for name, size in names.items():
        lines += [
            search(size, 0, **dict.fromkeys(of_search, name)),
            call(read=size, **dict.fromkeys(of_call, name)),
            decision(size, 0, **dict.fromkeys(of_decision, name)),
        ]
    result = books.ask(*lines, by=(*of_search, "provider"))
    for lever, measure, keys in (
        ("retrieval", "stuffed_tokens", of_search),
        ("caching", "cache_read_tokens", of_call),
        ("routing", "saving_usd", of_decision),
    ):
        for key in keys:
            assert rows(result.lever(lever), key, measure) == names, (lever, key)


# Names, as JSON text that spells characters out, and as JSON text that spells as few as it may.
NAMES = {
    "caf\u00e9": (b'"caf\\u00e9"', '"caf\u00e9"'.encode()),
    'say "hi"': (b'"say \\u0022hi\\u0022"', b'"say \\"hi\\""'),
    "back\\slash": (b'"back\\u005cslash"', b'"back\\\\slash"'),
    "a/b": (b'"a\\/b"', b'"a/b"'),
    "two\nlines": (b'"two\\u000alines"', b'"two\\nlines"'),
    "\U0001f600": (b'"\\ud83d\\ude00"', '"\U0001f600"'.encode()),
}


def test_names_are_what_their_escapes_say(books: Books) -> None:
    # Every name written both ways: one key, one deployment, one model on one card.
    of_call = dict.fromkeys(("agent", "pack", "provider"), "X")
    of_search = dict.fromkeys(("agent", "pack", "index", "model"), "X")
    candidates = [{"model": "X", "cost_usd": 5}, {"model": "small", "cost_usd": 3}]
    both = (
        call("X", on="X", read=1, **of_call).replace(b"model_call", b"model\\u005fcall"),
        search(5, 1, on="X", **of_search),
        decision(0, 0, on="X", agent="X", pack="X", baseline="X", candidates=candidates),
        cost(1, on="X"),
    )
    once = (model("X", usd(MEGA, read=0), on="X"), profile("scheduled", 1, on="X"))
    lines: list[bytes] = []
    for spelled, short in NAMES.values():
        lines += [line.replace(b'"X"', spelled) for line in (*once, *both)]
        lines += [line.replace(b'"X"', short) for line in both]
    dimensions = ("agent", "pack", "index", "model", "provider", "deployment")
    result = books.ask(*lines, by=dimensions)
    for name, measure, value in (
        ("caching", "saved_usd", 2),
        ("retrieval", "tokens_avoided", 8),
        ("routing", "saving_usd", 4),
        ("infrastructure", "saved_usd", 742),
    ):
        lever = result.lever(name)
        for dimension in lever.by:
            expected = dict.fromkeys(NAMES, value)
            assert rows(lever, dimension, measure) == expected, (name, dimension)


def test_a_candidate_is_found_by_its_name_however_it_is_spelled(books: Books) -> None:
    # The baseline is spelled in one way, its candidate in the other.
    lines = []
    for spelled, short in NAMES.values():
        line = decision(5, 3, agent="X").replace(b'"X"', short)
        line = line.replace(b'"baseline": "big"', b'"baseline": ' + short)
        lines.append(line.replace(b'"model": "big"', b'"model": ' + spelled))
    result = books.lever("routing", *lines, by=("agent",))
    assert rows(result, "agent", "saving_usd") == dict.fromkeys(NAMES, 2)


def test_a_cell_shows_the_card_it_was_priced_on(books: Books) -> None:
    # The card is the line before last; a blank line and another stand before it.
    lines = (b"", call("x", read=3), b" ", model("m", usd(10, read=1), snapshot="s"), call(read=2))
    result = books.lever("caching", *lines)
    shown = [(c.model, c.snapshot, c.snapshot_at, c.card_line) for c in result.cells]
    assert shown == [("m", "s", SEPTEMBER, 4), ("x", None, None, None)]
    first, second = result.cells
    assert first.price == {
        "input_per_m": 10,
        "output_per_m": None,
        "cache_read_per_m": 1,
        "cache_write_per_m": None,
    }
    assert second.price is None
    assert first.measures["saved_usd"] == Fraction(18, MEGA)
    # Without blank lines a line's number is its place.
    plainly = books.lever("caching", *(line for line in lines if line.strip()))
    assert [cell.card_line for cell in plainly.cells] == [2, None]


def test_lines_are_numbered_on_through_blank_ones_and_parts(tmp_path: Path) -> None:
    # 1 is blank, 3 and 4 too; part two begins with line 6. Both calls without a card are named.
    one = b"\n" + call("x", read=1) + b"\n\n \n" + model("m", usd(1, read=0)) + b"\n"
    two = b"\n" + call("y", read=1) + b"\n" + call("m", read=MEGA) + b"\n"
    export = write_bytes(tmp_path, {"records-1.jsonl": one, "records-2.jsonl": two})
    with system_named("lighthouse").open(export, Reading(cache=False)) as opened:
        asked = opened.recompute(Question(month="2026-10", levers=("caching",)))
    result = asked.lever("caching")
    (finding,) = [f for f in result.findings if f.code == "model_without_card"]
    assert finding.examples == (2, 7)
    assert [cell.card_line for cell in result.cells] == [5, None, None]


def test_lines_that_are_the_same_each_count_unless_asked_otherwise(books: Books) -> None:
    # Three lines alike, and one that only differs in its white space: it is another line. The
    # cards are alike too.
    line = call(read=MEGA)
    spaced = line.replace(b": ", b":  ")
    lines = (model("m", usd(10, read=1)), model("m", usd(10, read=1)), line, line, spaced, line)
    result = books.lever("caching", *lines)
    assert result.usd == 36
    assert result.totals["calls"] == 4
    once = books.lever("caching", *lines, switches={"dedupe": True})
    assert once.usd == 18
    assert once.totals["calls"] == 2
    # Of those alike the first counts.
    assert once.cells[0].card_line == 1


def test_token_counts_are_exact_to_64_bits_and_beyond_in_sums(books: Books) -> None:
    # 2^63 - 1 twice, and 2^53 + 1 and, with a point, 2^53 + 3, which a binary double would lose.
    most, odd, pointed = 2**63 - 1, 2**53 + 1, 2**53 + 3
    calls = [call(read=most), call(read=most), call(read=odd)]
    calls += [call(read=0).replace(b'tokens": 0', f'tokens": {pointed}.0'.encode())]
    result = books.lever("caching", model("m", usd(1, read=0)), *calls)
    assert result.totals["cache_read_tokens"] == 2 * most + odd + pointed
    assert result.usd == Fraction(2 * most + odd + pointed, MEGA)


def test_an_integer_is_one_however_it_is_written(books: Books) -> None:
    texts = {"1.0": 1, "1e0": 1, "10e-1": 1, "0.1e1": 1, "1.000": 1, "1E+0": 1}
    texts |= {"0.0": 0, "-0": 0, "0e5": 0, "9007199254740993e0": 9007199254740993}
    lines = [
        call(read=7, agent=text).replace(b'tokens": 7', b'tokens": ' + text.encode())
        for text in texts
    ]
    result = books.lever("caching", *lines, by=("agent",))
    assert rows(result, "agent", "cache_read_tokens") == texts
    assert rows(result, "agent", "reported") == dict.fromkeys(texts, 1)


# A line, a piece of it, and what makes the line invalid in its place.
IN_DOUBT = {
    "no model": (call(), b'"model": "m"', b'"agent": "m"'),
    "null model": (model("m", None), b'"m"', b"null"),
    "pack": (call(pack="p"), b'"p"', b"5"),
    "agent": (call(agent="p"), b'"p"', b"[]"),
    "provider": (call(provider="p"), b'"p"', b"{}"),
    "outcome": (call(outcome="p"), b'"p"', b"true"),
    "id": (call(id="p"), b'"p"', b"1.5"),
    "index": (search(5, 5, index="p"), b'"p"', b"false"),
    "count as text": (call(read=5), b": 5", b': "5"'),
    "half a token": (call(write=5), b": 5", b": 5.5"),
    "65 bits": (call(input_tokens=5), b": 5", b": 9223372036854775808"),
    "sent": (search(1, 5), b": 5", b": 5.5"),
    "scope": (search(5, 1), b": 5", b": [5]"),
    "rate as text": (search(5, 5, sample_rate=0.5), b"0.5", b'"0.5"'),
    "cost as text": (decision(1, 2), b'"cost_usd": 1', b'"cost_usd": "1"'),
    "applied": (decision(1, 2, applied=True), b"true", b"1"),
    "candidates": (decision(1, 2, candidates=[]), b"[]", b"{}"),
    "candidate": (decision(1, 2, candidates=[7]), b"[7]", b"[7]"),
    "picked": (decision(1, 2, picked="p"), b'"p"', b"7"),
    "baseline": (decision(1, 2, baseline="p"), b'"p"', b"7"),
    "cost twice": (decision(1, 2), b'"cost_usd": 1', b'"cost_usd": 1, "cost_usd": 8'),
    "19 decimals": (model("m", usd(7)), b": 7", b": 0.1234567890123456789"),
    "10^20": (model("m", usd(7)), b": 7", b": 1e20"),
    "price twice": (model("m", usd(7)), b'"input_per_m": 7', b'"input_per_m": 7, "input_per_m": 8'),
    "price": (model("m", 7), b": 7", b": 7"),
    "limits": (model("m", None, window=5), b'{"context_tokens": 5}', b"[]"),
    "window": (model("m", None, window=5), b": 5", b": 5.5"),
    "complete": (model("m", None, complete=True), b"true", b'"true"'),
    "size": (model("m", None, size=5), b": 5", b": 5.5"),
    "snapshot": (model("m", None, snapshot="s"), b'"s"', b"7"),
    "usd": (cost(7), b": 7", b": true"),
    "kind": (cost(7), b'"infrastructure"', b"7"),
    "profile": (profile("scheduled", 7), b'"scheduled"', b"7"),
    "hourly rate": (profile("scheduled", 7), b": 7", b': "7"'),
    "no attributes": (cost(7), b'{"kind": "infrastructure", "usd": 7}', b"null"),
    "no deployment": (call(), b'"d"', b"null"),
    "deployment": (call(), b'"d"', b"7"),
    "no timestamp": (call(), b'"2026-10-05T12:00:00Z"', b"null"),
    "no T": (call(), b"05T12", b"05 12"),
    "no such day": (call(), b"10-05T", b"02-30T"),
    "no such offset": (call(), b'00Z"', b'00+24:00"'),
    "no such hour": (call(), b"T12:", b"T24:"),
}


def test_a_line_that_can_be_read_in_two_ways_is_invalid(books: Books) -> None:
    # A sound line, then each of these.
    assert [case for case, (line, piece, _) in IN_DOUBT.items() if line.count(piece) != 1] == []
    lines = [line.replace(piece, instead) for line, piece, instead in IN_DOUBT.values()]
    with pytest.raises(IntegrityFailure) as raised:
        books.ask(call(read=1), *lines)
    assert {problem.code for problem in raised.value.problems} == {"line_invalid"}
    named = {problem.line for problem in raised.value.problems}
    passed = [case for number, case in enumerate(IN_DOUBT, start=2) if number not in named]
    assert passed == []
    assert 1 not in named


def test_lines_that_the_fast_reader_refuses_are_read_strictly(books: Books) -> None:
    # Each would stop the fast reader for all lines around it; the sound ones are not lost.
    refused = (
        cost(7).replace(b'"usd": 7', b'"usd": 7, "usd": 8'),
        call()[:-1],
        call() + b"]",
        call().replace(b'"attrs": {"model": "m"}', b'"attrs": 5'),
    )
    for line in refused:
        with pytest.raises(IntegrityFailure) as raised:
            books.ask(call(read=1), line, call(read=1))
        assert [(p.code, p.line) for p in raised.value.problems] == [("line_invalid", 2)]


def test_records_that_no_lever_reads_are_never_an_error(books: Books) -> None:
    others = (
        record("heartbeat", "d", INSIDE, model=5, pack=[], cache_read_tokens="many"),
        record("eval", "d", "yesterday"),
        b'{"type": "tool_call", "deployment": 5, "attrs": NaN}',
        b'{"type": "tool_call"}',
    )
    result = books.lever("caching", call(read=1), *others)
    assert result.totals["cache_read_tokens"] == 1


# --- exact amounts ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (Fraction(1, 2), 1, "0.5"),
        (Fraction(-1, 2), 1, "-0.5"),
        (Fraction(1, 8), 3, "0.125"),  # 2^3: three places
        (Fraction(1, 25), 2, "0.04"),  # 5^2: two
        (Fraction(1, 40), 3, "0.025"),  # 2^3 x 5: the greater of three and one
        (Fraction(3, 250), 3, "0.012"),  # 2 x 5^3
        (Fraction(-7, 2), 1, "-3.5"),
        (Fraction(1491302, 100000), 5, "14.91302"),
        (Fraction(12), 0, "12"),
        (Fraction(0), 0, "0"),
        (Fraction(1000), 0, "1000"),
        (Fraction(1, 10**18), 18, "0.000000000000000001"),
        (Fraction(1, 3), None, "1/3"),
        (Fraction(-124966, 6), None, "-62483/3"),
        (Fraction(1, 6), None, "1/6"),
        (Fraction(1, 7_000), None, "1/7000"),
    ],
)
def test_an_amount_is_written_out_in_full(value: Fraction, places: int | None, text: str) -> None:
    assert finite_places(value) == places
    assert plain(value) == text
    assert Fraction(plain(value)) == value


def test_counts_are_written_plainly() -> None:
    assert [plain(n) for n in (0, -7, 10**30)] == ["0", "-7", "1" + "0" * 30]


def test_what_has_no_finite_decimal_is_printed_as_a_fraction(books: Books) -> None:
    # A rate of 0.3 weighs 10/3: 1,000 tokens avoided stand for 10,000/3, at 3 USD for a cent.
    lines = (wide("m", usd(3)), call(), search(1_000, 0, sample_rate=0.3))
    document = books.ask(*lines, levers=("retrieval",)).as_json()
    (shown,) = document["levers"]
    assert shown["totals"]["tokens_avoided"] == "10000/3"
    assert shown["usd"] == "0.01"
    assert shown["totals"]["measured"] == 1
