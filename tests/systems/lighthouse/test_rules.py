"""The levers and the price cards, one rule a test: what follows from a few lines, by hand.

The period is October 2026 in UTC, 744 hours, unless a test says otherwise; `support.books` says
what a line is unless told. `tests/mutants` breaks each rule in the code, and a test here has to
notice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from support.books import (
    BORDERS,
    END,
    INSIDE,
    LAST,
    MEGA,
    SEPTEMBER,
    START,
    Books,
    call,
    cost,
    decision,
    found,
    model,
    moved,
    profile,
    rows,
    said,
    search,
    strictly,
    usd,
    wide,
)

from verify.engines.duckdb import EngineFailure
from verify.result import Coverage, LeverResult, Value
from verify.systems.lighthouse import groups as groups_module

# --- retrieval: cached or not ----------------------------------------------------------------

# A search that avoids a million tokens: 10 USD uncached, 1 USD cached.
TEN_OR_ONE = (wide("m", usd(10, read=1)), call(), search(MEGA, 0))


def test_a_refused_call_that_reads_a_cache_makes_the_searches_cached(books: Books) -> None:
    result = books.lever("retrieval", *TEN_OR_ONE, call(outcome="refused", read=5))
    assert result.totals["usd_uncached"] == 10
    assert result.totals["usd_cached"] == result.usd == 1


def test_a_call_of_a_model_without_a_price_makes_the_searches_cached(books: Books) -> None:
    assert books.lever("retrieval", *TEN_OR_ONE, call("nowhere", read=5)).usd == 1


def test_only_more_than_no_cached_token_makes_the_searches_cached(books: Books) -> None:
    nothing = (call(read=0), call(read=-3), call(read=None), call(write=9))
    assert books.lever("retrieval", *TEN_OR_ONE, *nothing).usd == 10
    assert books.lever("retrieval", *TEN_OR_ONE, *nothing, call(read=1)).usd == 1


def test_cached_is_said_of_each_deployment_by_itself(books: Books) -> None:
    there = (wide("m", usd(10, read=1), on="e"), call(on="e", read=5), search(MEGA, 0, on="e"))
    assert books.by_deployment("retrieval", "usd", *TEN_OR_ONE, *there) == {"d": 10, "e": 1}


def test_calls_outside_the_period_do_not_make_the_searches_cached(books: Books) -> None:
    outside = (call(read=5, ts="2026-09-30T23:59:59.999999Z"), call(read=5, ts=END))
    assert books.lever("retrieval", *TEN_OR_ONE, *outside).usd == 10


def test_the_first_instant_of_the_period_makes_the_searches_cached(books: Books) -> None:
    assert books.lever("retrieval", *TEN_OR_ONE, call(read=5, ts=START)).usd == 1
    assert books.lever("retrieval", *TEN_OR_ONE, call(read=5, ts=LAST)).usd == 1


def test_without_a_cache_read_price_cached_dollars_take_the_input_price(books: Books) -> None:
    lines = (wide("m", usd(10)), call(read=5), search(MEGA, 0))
    result = books.lever("retrieval", *lines)
    assert result.totals["usd_cached"] == result.usd == 10


# --- retrieval: the price --------------------------------------------------------------------


def test_a_search_without_a_priced_model_takes_the_cheapest_called(books: Books) -> None:
    # Called in the pack: a at 4 and b at 3. c costs 1, but only another pack called it; x has no
    # input price; y is on no card. Each search avoids a million tokens.
    cards = (wide("a", usd(4)), wide("b", usd(3)), wide("c", usd(1)), wide("x", usd(None, read=9)))
    calls = (call("a", pack="p"), call("b", pack="p"), call("x", pack="p"), call("c", pack="q"))
    searches = [
        search(MEGA, 0, pack="p", agent=name, **attrs)
        for name, attrs in (
            ("none", {}),
            ("null", {"model": None}),
            ("x", {"model": "x"}),
            ("y", {"model": "y"}),
        )
    ]
    result = books.lever("retrieval", *cards, *calls, *searches, by=("agent",))
    assert rows(result, "agent", "usd") == {"none": 3, "null": 3, "x": 3, "y": 3}
    assert result.totals["unpriced"] == 0


def test_a_search_of_a_priced_model_takes_its_price_called_or_not(books: Books) -> None:
    # The fallback would be b at 3. A price of 0 is a price.
    lines = (
        *(wide("a", usd(4)), wide("b", usd(3)), wide("free", usd(0)), call("b")),
        *(search(MEGA, 0, model="a"), search(MEGA, 0, model="free")),
    )
    result = books.lever("retrieval", *lines, by=("model",))
    assert rows(result, "model", "usd") == {"a": 4, "free": 0}


def test_the_cache_read_price_is_that_of_the_model_that_prices(books: Books) -> None:
    # a has no cache-read price of its own: cached dollars are 4, not b's 1.
    lines = (wide("a", usd(4)), wide("b", usd(3, read=1)), call("b", read=5))
    assert books.lever("retrieval", *lines, search(MEGA, 0, model="a")).usd == 4
    assert books.lever("retrieval", *lines, search(MEGA, 0, model="z")).usd == 1


def test_of_equally_cheap_models_the_first_by_name_prices(books: Books) -> None:
    # All at 3; cached they differ: a 1, b 2, B 0.5. "B" comes before "a".
    lines = (
        *(wide("b", usd(3, read=2)), wide("a", usd(3, read=1)), call("b", read=1), call("a")),
        *(wide("B", usd(3, read=0.5), on="e"), wide("a", usd(3, read=1), on="e")),
        *(call("a", on="e"), call("B", on="e", read=1), search(MEGA, 0), search(MEGA, 0, on="e")),
    )
    saved = books.by_deployment("retrieval", "usd", *lines)
    assert saved == {"d": 1, "e": Fraction(1, 2)}


def test_a_refused_call_is_no_call_for_the_price(books: Books) -> None:
    # The cheaper model was only asked and refused.
    lines = (
        *(wide("a", usd(3)), wide("c", usd(1)), call("a"), call("c", outcome="refused")),
        search(MEGA, 0),
    )
    assert books.lever("retrieval", *lines).usd == 3
    switched = books.lever("retrieval", *lines, switches={"refused_in_called": True})
    assert switched.usd == 1


def test_what_nobody_prices_has_no_dollars_and_is_counted(books: Books) -> None:
    # Three of four measured searches: no call in their pack, so no model to price them. They are
    # alike, so that they are one group.
    lines = (
        *(wide("m", usd(10)), call(pack="p"), search(MEGA, 0, pack="p")),
        *(search(MEGA, 0, pack="q") for _ in range(3)),
    )
    result = books.lever("retrieval", *lines)
    assert said(result) == ("ok", 10)
    assert (result.totals["measured"], result.totals["unpriced"]) == (4, 3)
    assert result.totals["tokens_avoided"] == 3 * 200_000 + MEGA


# --- retrieval: the window -------------------------------------------------------------------


def stuffed(books: Books, *lines: bytes, **question: Any) -> dict[str | None, Value]:
    """Stuffed tokens by deployment."""
    return books.by_deployment("retrieval", "stuffed_tokens", *lines, **question)


def test_only_a_refused_call_is_no_call_for_the_window(books: Books) -> None:
    calls = {
        "absent": call(on="absent"),
        "error": call(on="error", outcome="error"),
        "null": call(on="null", outcome=None),
        "other": call(on="other", outcome="timed out"),
        "refused": call(on="refused", outcome="refused"),
    }
    lines: list[bytes] = []
    for place, line in calls.items():
        lines += [
            *(model("m", usd(1), on=place, window=7_000), line),
            search(MEGA, 0, on=place),
        ]
    called = dict.fromkeys(("absent", "error", "null", "other"), 7_000)
    assert stuffed(books, *lines) == {**called, "refused": 200_000}
    switched = stuffed(books, *lines, switches={"refused_in_called": True})
    assert switched == {**called, "refused": 7_000}


def test_windows_of_priced_models_only(books: Books) -> None:
    # At d the smaller window is of a model without a price; at e of one that costs nothing.
    lines = (
        *(model("a", usd(1), window=9_000), model("b", None, window=5_000)),
        *(call("a"), call("b"), search(MEGA, 0)),
        *(model("a", usd(1), on="e", window=9_000), model("b", usd(0), on="e", window=5_000)),
        *(call("a", on="e"), call("b", on="e"), search(MEGA, 0, on="e")),
    )
    assert stuffed(books, *lines) == {"d": 9_000, "e": 5_000}
    switched = stuffed(books, *lines, switches={"window_priced_only": False})
    assert switched == {"d": 5_000, "e": 5_000}


def test_the_smallest_window_of_the_models_called(books: Books) -> None:
    # 9,000 and 5,000 were called, 2,000 was not.
    lines = (
        *(model("a", usd(1), window=9_000), model("b", usd(1), window=5_000)),
        *(model("c", usd(1), window=2_000), call("a"), call("b"), search(MEGA, 0)),
    )
    assert stuffed(books, *lines) == {"d": 5_000}


def test_a_window_that_is_unknown_or_not_positive_is_passed_over(books: Books) -> None:
    # No call at all, and only calls of models whose window is unknown: 200,000. Beside a known
    # window the unknown ones do not count.
    lines = [search(MEGA, 0, on="silent")]
    for name, window in {"null": None, "zero": 0, "negative": -5}.items():
        lines += [model("m", usd(1), on=name, limits={"context_tokens": window})]
        lines += [call(on=name), search(MEGA, 0, on=name)]
        lines += [model(name, usd(1), on="mixed", limits={"context_tokens": window})]
        lines += [call(name, on="mixed")]
    lines += [model("m", usd(1), on="mixed", window=7_000), call(on="mixed")]
    lines += [search(MEGA, 0, on="mixed")]
    unknown = dict.fromkeys(("silent", "null", "zero", "negative"), 200_000)
    assert stuffed(books, *lines) == {**unknown, "mixed": 7_000}
    # A scope that is missing is taken as the window, also where that is unknown.
    switched = stuffed(
        books, search(None, 0), search(None, 50_000), switches={"unmeasured_as_window": True}
    )
    assert switched == {"d": 400_000}


def test_context_tokens_before_context_window(books: Books) -> None:
    limits: dict[str, Any] = {
        "both": {"context_window": 4_000, "context_tokens": 6_000},
        "second": {"context_window": 4_000},
        "null": {"context_tokens": None, "context_window": 4_000},
        "zero": {"context_tokens": 0, "context_window": 4_000},
        "neither": {},
        "nothing": None,
    }
    lines: list[bytes] = []
    for name, given in limits.items():
        lines += [model("m", usd(1), on=name, limits=given), call(on=name)]
        lines += [search(MEGA, 0, on=name)]
    assert stuffed(books, *lines) == {
        "both": 6_000,
        "second": 4_000,
        "null": 4_000,
        "zero": 200_000,
        "neither": 200_000,
        "nothing": 200_000,
    }


def test_calls_count_for_their_own_pack_and_deployment(books: Books) -> None:
    # Windows and prices by pack; no pack and a pack named "" are two.
    cards = [
        model(name, usd(price), window=window)
        for name, price, window in (("a", 3, 1_000), ("b", 4, 2_000), ("c", 5, 4_000))
    ]
    calls = [call("a", pack="p"), call("b"), call("c", pack="")]
    searches = [search(MEGA, 0, pack="p"), search(MEGA, 0), search(MEGA, 0, pack="")]
    elsewhere = [model("z", usd(1), on="e", window=10), call("z", on="e", pack="p")]
    result = books.lever("retrieval", *cards, *calls, *searches, *elsewhere, by=("pack",))
    assert rows(result, "pack", "stuffed_tokens") == {"p": 1_000, None: 2_000, "": 4_000}
    assert rows(result, "pack", "usd") == {
        "p": Fraction(3, 1_000),
        None: Fraction(8, 1_000),
        "": Fraction(20, 1_000),
    }


def test_calls_outside_the_period_give_no_window_and_no_price(books: Books) -> None:
    # A deployment for each border, with one call on it.
    lines: list[bytes] = []
    for ts in BORDERS:
        lines += [
            model("m", usd(1), on=ts, window=7_000),
            call(on=ts, ts=ts),
            search(MEGA, 0, on=ts),
        ]
    before, first, last, end = BORDERS
    assert stuffed(books, *lines) == {before: 200_000, first: 7_000, last: 7_000, end: 200_000}
    unpriced = books.by_deployment("retrieval", "unpriced", *lines)
    assert unpriced == {before: 1, first: 0, last: 0, end: 1}


# --- retrieval: one search -------------------------------------------------------------------


def test_stuffed_is_at_most_the_window_and_avoided_never_negative(books: Books) -> None:
    # Window 1,000. Scope, sent -> stuffed, avoided:
    #   600, 100 -> 600, 500;  5,000, 400 -> 1,000, 600;  200, 700 -> 200, 0 (or -500)
    lines = (
        *(model("m", usd(1), window=1_000), call()),
        *(search(600, 100), search(5_000, 400), search(200, 700)),
    )
    totals = books.lever("retrieval", *lines).totals
    assert totals["stuffed_tokens"] == 600 + 1_000 + 200
    assert totals["sent_tokens"] == 100 + 400 + 700
    assert totals["tokens_avoided"] == 500 + 600 + 0
    assert totals["usd"] == Fraction(1_100, MEGA)
    switched = books.lever("retrieval", *lines, switches={"clamp": False}).totals
    assert switched["tokens_avoided"] == 500 + 600 - 500


def test_a_sampled_search_weighs_as_many_as_it_stands_for(books: Books) -> None:
    # Each avoids 300 of 400 tokens, at 1 USD a million.
    weights = {"0.1": Fraction(10), "0.3": Fraction(10, 3), "1": Fraction(1), "0": Fraction(1)}
    lines = [search(400, 100, agent=rate, sample_rate=float(rate)) for rate in weights]
    lines += [search(400, 100, agent="null", sample_rate=None), search(400, 100, agent="absent")]
    weights |= {"null": Fraction(1), "absent": Fraction(1)}
    lines += [wide("m", usd(1)), call()]
    result = books.lever("retrieval", *lines, by=("agent",))
    for measure, one in (
        ("stuffed_tokens", Fraction(400)),
        ("sent_tokens", Fraction(100)),
        ("tokens_avoided", Fraction(300)),
        ("usd", Fraction(300, MEGA)),
    ):
        assert rows(result, "agent", measure) == {k: one * w for k, w in weights.items()}
    # Searches are counted plainly, whatever they weigh.
    assert rows(result, "agent", "measured") == dict.fromkeys(weights, 1)
    switched = books.lever("retrieval", *lines, switches={"weights": False})
    assert switched.totals["tokens_avoided"] == 6 * 300


def test_a_rate_that_gives_no_weight_leaves_the_search_unmeasured(books: Books) -> None:
    # Above 1, by however little, and below 0; two searches share a rate and so a group.
    over = search(400, 100, sample_rate=1).replace(b"1}}", b"1.0000000000000000000001}}")
    assert over.count(b"1.0000000000000000000001") == 1
    lines = [search(400, 100, sample_rate=rate) for rate in (1.5, 1.5, -0.5)]
    lines += [over, search(400, 100, sample_rate=0.5), wide("m", usd(1)), call()]
    result = books.lever("retrieval", *lines)
    assert (result.totals["measured"], result.totals["unmeasured"]) == (1, 4)
    assert result.totals["tokens_avoided"] == 600
    assert result.coverage == Coverage(1, 5)
    assert found(result)["rate_out_of_range"] == 4
    switched = books.lever("retrieval", *lines, switches={"weights": False})
    assert switched.totals["unmeasured"] == 4


def test_a_search_is_measured_with_its_scope_and_what_was_sent(books: Books) -> None:
    cases: dict[str, tuple[int | None, int | None, bool]] = {
        "no scope": (None, 100, False),
        "not sent": (400, None, False),
        "negative scope": (-1, 0, False),
        "negative sent": (400, -1, False),
        "zeros": (0, 0, True),
        "nothing sent": (400, 0, True),
        "empty scope": (0, 100, True),
    }
    lines = [search(corpus, sent, agent=name) for name, (corpus, sent, _) in cases.items()]
    result = books.lever("retrieval", wide("m", usd(1)), call(), *lines, by=("agent",))
    for measure, values in {
        "measured": {name: int(ok) for name, (_, _, ok) in cases.items()},
        "unmeasured": {name: int(not ok) for name, (_, _, ok) in cases.items()},
        "stuffed_tokens": {name: corpus if ok else 0 for name, (corpus, _, ok) in cases.items()},
        "sent_tokens": {name: sent if ok else 0 for name, (_, sent, ok) in cases.items()},
    }.items():
        assert rows(result, "agent", measure) == values
    assert result.coverage == Coverage(3, 7)
    assert found(result) == {"negative_scope": 2}


def test_a_missing_scope_may_be_taken_as_the_window(books: Books) -> None:
    # Window 1,000: the search without a scope stuffs and avoids all but what it sent. A scope below
    # zero is there, and makes no sense; and without what was sent nothing is measured.
    lines = (
        *(model("m", usd(1), window=1_000), call(), search(None, 300), search(600, 0)),
        *(search(-5, 0), search(None, None)),
    )
    assert books.lever("retrieval", *lines).totals["tokens_avoided"] == 600
    switched = books.lever("retrieval", *lines, switches={"unmeasured_as_window": True})
    assert switched.totals["tokens_avoided"] == 600 + 700
    assert switched.coverage == Coverage(2, 4)


def test_statuses_of_retrieval(books: Books) -> None:
    card = wide("m", usd(1))
    nothing = books.lever("retrieval", card, call())
    assert said(nothing) == ("no_data", None)
    assert nothing.coverage == Coverage(0, 0)
    assert found(nothing) == {"fields_absent": 1}
    unmeasured = books.lever("retrieval", card, call(), search(None, 1))
    assert said(unmeasured) == ("no_data", None)
    unpriced = books.lever("retrieval", card, search(9, 1), search(None, 1))
    assert said(unpriced) == ("no_price_card", None)
    assert unpriced.coverage == Coverage(1, 2)
    # A price of 0 is a price: a figure of 0, not an absent one.
    free = books.lever("retrieval", wide("m", usd(0)), call(), search(9, 1))
    assert said(free) == ("ok", 0)


def test_the_borders_of_the_period_for_searches(books: Books) -> None:
    amounts = dict(zip(BORDERS, (1, 10, 100, 1_000), strict=True))
    result = books.lever("retrieval", *(search(tokens, 0, ts=ts) for ts, tokens in amounts.items()))
    assert result.totals["stuffed_tokens"] == 110


# --- caching ---------------------------------------------------------------------------------


def saved(books: Books, *lines: bytes, **question: Any) -> dict[str | None, Value]:
    """Caching's saving by deployment."""
    return books.by_deployment("caching", "saved_usd", *lines, **question)


def test_reads_save_and_writes_cost_what_is_above_the_input_price(books: Books) -> None:
    # A million tokens read and two million written, input at 10:
    #   plain    read 1, write 12.5    9 - 2 x 2.5 = 4
    #   cheap    read 1, write 5       9 - 0: a write below the input price earns nothing
    #   unknown  read 1, no write      9 - 0: the input price is taken
    #   dear     read 12, write 10     -2 - 0: a read above the input price loses
    #   written  read 1, write 12.5, nothing read     -2 x 2.5 = -5
    lines: list[bytes] = []
    for name, read, write in (
        ("plain", 1, 12.5),
        ("cheap", 1, 5),
        ("unknown", 1, None),
        ("dear", 12, 10),
        ("written", 1, 12.5),
    ):
        lines += [
            model("m", usd(10, read=read, write=write), on=name),
            call(on=name, read=0 if name == "written" else MEGA, write=2 * MEGA),
        ]
    assert saved(books, *lines) == {"plain": 4, "cheap": 9, "unknown": 9, "dear": -2, "written": -5}
    assert saved(books, *lines, switches={"write_premium": False}) == {
        "plain": 9,
        "cheap": 9,
        "unknown": 9,
        "dear": -2,
        "written": 0,
    }


def test_caching_can_lose_as_a_whole(books: Books) -> None:
    lines = (model("m", usd(10, read=1, write=12.5)), call(read=0, write=2 * MEGA))
    assert books.lever("caching", *lines).usd == -5


def test_without_a_card_or_a_cache_read_price_caching_saves_nothing(books: Books) -> None:
    # Writes at a premium do not count either. x has a read price but no input price.
    cards = {
        "null": usd(10, write=99),
        "x": usd(None, read=1, write=99),
        "no price": None,
        "priced": usd(10, read=1),
    }
    lines: list[bytes] = []
    for name, price in cards.items():
        lines += [model("m", price, on=name), call(on=name, read=MEGA, write=MEGA)]
    lines += [call(on="no card", read=MEGA, write=MEGA)]
    none = dict.fromkeys(("null", "x", "no price", "no card"), 0)
    assert saved(books, *lines) == {**none, "priced": 9}
    # Taken as free, reading saves the whole input price, and the premium of 89 counts.
    switched = saved(books, *lines, switches={"null_read_saves": True})
    assert switched == {**none, "priced": 9, "null": 10 - 89}


def test_refused_calls_are_part_of_caching(books: Books) -> None:
    lines = (
        *(model("m", usd(10, read=1)), call(read=MEGA), call(outcome="refused", read=MEGA)),
        call(),
    )
    result = books.lever("caching", *lines)
    assert result.usd == 18
    assert result.coverage == Coverage(2, 3)
    switched = books.lever("caching", *lines, switches={"refused_in_caching": False})
    assert switched.usd == 9
    assert switched.coverage == Coverage(1, 2)


def test_a_negative_token_count_in_a_call_is_taken_as_absent(books: Books) -> None:
    # Each measure: 5 and -3 give 5, not 2. A negative cache read is no report of one.
    lines = (
        *(model("m", usd(10, read=1)), call(read=5, write=5, input_tokens=5, output_tokens=5)),
        call(read=-3, write=-3, input_tokens=-3, output_tokens=-3),
    )
    result = books.lever("caching", *lines)
    for name in ("cache_read_tokens", "cache_write_tokens", "input_tokens", "output_tokens"):
        assert result.totals[name] == 5, name
    assert result.coverage == Coverage(1, 2)
    assert found(result) == {"negative_tokens": 1}


def test_a_call_that_reports_no_cached_token_has_reported(books: Books) -> None:
    calls = (call(read=0), call(read=None), call(write=7), call(read=2))
    lines = (model("m", usd(10, read=1)), *calls)
    result = books.lever("caching", *lines)
    assert (result.totals["reported"], result.totals["calls"]) == (2, 4)
    assert result.coverage == Coverage(2, 4)


def test_statuses_of_caching(books: Books) -> None:
    nothing = books.lever("caching", model("m", usd(10, read=1)), call(write=7))
    assert said(nothing) == ("no_data", None)
    unpriced = books.lever("caching", model("m", usd(None, read=1)), call(read=0), call("x"))
    assert said(unpriced) == ("no_price_card", None)
    # One priced model is enough, here by a price of 0.
    lines = (model("m", usd(0, read=0)), call(read=0), call("x", read=5))
    result = books.lever("caching", *lines)
    assert said(result) == ("ok", 0)
    assert found(result) == {"model_without_card": 1}


def test_each_deployment_is_priced_on_its_own_card(books: Books) -> None:
    # One model, read a million tokens at either place, saves 9 here and 3 there.
    lines = (
        *(model("m", usd(10, read=1), snapshot="s"), call(read=MEGA, provider="one")),
        model("m", usd(5, read=2), on="e", snapshot="s", provider="two"),
        call(on="e", read=MEGA),
    )
    result = books.lever("caching", *lines, by=("deployment", "model", "provider"))
    assert rows(result, "deployment", "saved_usd") == {"d": 9, "e": 3}
    assert rows(result, "model", "saved_usd") == {"m": 12}
    # The provider is what the call says, and null where it says nothing.
    assert rows(result, "provider", "saved_usd") == {"one": 9, None: 3}


def test_the_borders_of_the_period_for_calls(books: Books) -> None:
    amounts = dict(zip(BORDERS, (1, 10, 100, 1_000), strict=True))
    result = books.lever("caching", *(call(read=tokens, ts=ts) for ts, tokens in amounts.items()))
    assert result.totals["cache_read_tokens"] == 110


# --- price cards -----------------------------------------------------------------------------


def prices(
    books: Books, cases: Mapping[str, Sequence[bytes]], **question: Any
) -> dict[str | None, Value]:
    """The input price that model m has, by case: a million tokens are read for nothing."""
    lines = [moved(line, name) for name, case in cases.items() for line in (*case, call(read=MEGA))]
    return saved(books, *lines, **question)


def m(amount: Any, snapshot: str | None, ts: str = SEPTEMBER, **attrs: Any) -> bytes:
    """Model m at a price in a snapshot."""
    if snapshot is not None:
        attrs["snapshot"] = snapshot
    return model("m", usd(amount, read=0), ts=ts, **attrs)


def n(snapshot: str | None, ts: str = SEPTEMBER, **attrs: Any) -> bytes:
    """Another model in a snapshot."""
    return m(99, snapshot, ts, **attrs).replace(b'"model": "m"', b'"model": "n"')


OLD = "2026-08-01T00:00:00Z"
SHORTLY = "2026-09-02T00:00:00Z"


def test_a_snapshot_is_complete_unless_a_line_denies_it(books: Books) -> None:
    # s2 is newer. That it is complete may go unsaid; one line that denies it is enough.
    old = m(1, "s1", OLD)
    cases = {
        "unsaid": (old, m(2, "s2")),
        "null": (old, m(2, "s2", complete=None)),
        "said once": (old, m(2, "s2", complete=True), n("s2")),
        "denied once": (old, m(2, "s2", complete=True), n("s2", complete=False)),
        "denied": (old, m(2, "s2", complete=False)),
        "none": (m(2, "s2", complete=False),),
    }
    complete = dict.fromkeys(("unsaid", "null", "said once"), 2)
    assert prices(books, cases) == {**complete, "denied once": 1, "denied": 1, "none": 0}
    assert prices(books, cases, switches={"card": "newest_any"}) == dict.fromkeys(cases, 2)


def test_a_snapshot_has_as_many_models_as_it_says(books: Books) -> None:
    old = m(1, "s1", OLD)
    cases = {
        "one of two": (old, m(2, "s2", size=2)),
        "two of two": (old, m(2, "s2", size=2), n("s2", size=2)),
        "one says it for both": (old, m(2, "s2"), n("s2", size=2)),
        "two of one": (old, m(2, "s2"), n("s2", size=1)),
    }
    assert prices(books, cases) == {
        "one of two": 1,
        "two of two": 2,
        "one says it for both": 2,
        "two of one": 1,
    }


def test_every_size_that_is_given_has_to_fit(books: Books) -> None:
    # Two models: a line that says one, or three, makes the snapshot incomplete.
    old, fits = m(1, "s1", OLD), n("s2", size=2)
    cases = {"less": (old, m(2, "s2", size=1), fits), "more": (old, m(2, "s2", size=3), fits)}
    assert prices(books, cases) == {"less": 1, "more": 1}


def test_a_model_listed_twice_is_one_model_of_a_snapshot(books: Books) -> None:
    twice = (m(1, "s1", OLD), m(2, "s2", size=2), m(3, "s2", size=2))
    assert prices(books, {"one": twice, "two": (*twice, n("s2"))}) == {"one": 1, "two": 3}


def test_of_two_lines_for_one_model_the_later_counts(books: Books) -> None:
    # Later in the file, whatever their timestamps.
    one, two = m(2, "s", SHORTLY), m(3, "s", SEPTEMBER)
    assert prices(books, {"a": (one, two), "b": (two, one)}) == {"a": 3, "b": 2}


def test_the_newest_snapshot_is_the_one_with_the_latest_line(books: Books) -> None:
    # a spans August to the 2nd of September; b lies between. b's id is the greater one.
    spans, between = (n("a", OLD), m(2, "a", SHORTLY)), m(3, "b", SEPTEMBER)
    assert prices(books, {"a": (*spans, between), "b": (between, *spans)}) == {"a": 2, "b": 2}


def test_of_equally_new_snapshots_the_greater_id_counts(books: Books) -> None:
    one, two = m(2, "b"), m(3, "a")
    assert prices(books, {"a": (one, two), "b": (two, one)}) == {"a": 2, "b": 2}


def test_digits_beyond_the_microsecond_decide_between_snapshots(books: Books) -> None:
    # The greater id is the older one: .0000005 s against .00000049 s, and against none.
    newer = m(2, "a", "2026-09-01T00:00:00.0000005Z")
    older = m(3, "b", "2026-09-01T00:00:00.00000049Z")
    assert prices(books, {"a": (newer, older), "b": (newer, m(3, "b"))}) == {"a": 2, "b": 2}


def test_a_card_at_the_end_of_the_period_is_not_known_in_it(books: Books) -> None:
    old = m(1, "s1", OLD)
    cases = {"last": (old, m(2, "s2", LAST)), "end": (old, m(2, "s2", END))}
    assert prices(books, cases) == {"last": 2, "end": 1}
    switched = prices(books, cases, switches={"card": "newest_in_export"})
    assert switched == {"last": 2, "end": 2}


def test_completeness_is_judged_by_the_lines_before_the_end(books: Books) -> None:
    # The second model comes too late: one of two now. A denial that comes too late does not count.
    old = m(1, "s1", OLD)
    cases = {
        "late model": (old, m(2, "s2", size=2), n("s2", END, size=2)),
        "late denial": (old, m(2, "s2"), n("s2", END, complete=False)),
    }
    assert prices(books, cases) == {"late model": 1, "late denial": 2}


def test_without_an_id_a_snapshot_is_the_text_of_its_timestamp(books: Books) -> None:
    # One instant in three spellings: three snapshots of one model each, and of equally new ones
    # the greater text counts: "...Z" is greater than "...+00:00" and "....0Z". Two lines of one
    # text are one snapshot of two models.
    old = m(1, None, OLD)
    zulu = m(2, None, "2026-09-01T00:00:00Z", size=1)
    others = (n(None, "2026-09-01T00:00:00+00:00"), n(None, "2026-09-01T00:00:00.0Z"))
    pair = (old, m(2, None, size=2), n(None, size=2))
    assert prices(books, {"three": (old, zulu, *others), "one": pair}) == {"three": 2, "one": 2}


def test_the_text_of_a_timestamp_is_kept_when_a_line_is_read_strictly(books: Books) -> None:
    # Two lines have one text and so belong together, two models of two, whoever reads them.
    ts = "2026-09-01T02:00:00+02:00"
    old, one, two = m(1, None, OLD), m(2, None, ts, size=2), n(None, ts, size=2)
    cases = {"one": (old, strictly(one), two), "both": (old, strictly(one), strictly(two))}
    assert prices(books, cases) == {"one": 2, "both": 2}


def test_a_model_that_left_the_newest_snapshot_has_no_price(books: Books) -> None:
    cases = {"left": (m(1, "s1", OLD), n("s2"))}
    assert prices(books, cases) == {"left": 0}
    assert prices(books, cases, switches={"card": "last_in_file"}) == {"left": 1}


def test_the_last_line_in_the_file_is_another_card(books: Books) -> None:
    # Whatever its snapshot, complete or not, and even after the period.
    case = (m(2, "s2"), m(1, "s1", OLD), m(3, "s3", END, complete=False))
    cases = {"so": case, "reversed": case[::-1]}
    for rule, expected in {
        "newest_complete": (2, 2),
        "newest_any": (2, 2),
        "newest_in_export": (2, 2),
        "last_in_file": (3, 2),
    }.items():
        switched = prices(books, cases, switches={"card": rule})
        assert tuple(switched.values())[::-1] == expected, rule


def test_fractions_of_a_second_are_read_as_decimals(books: Books) -> None:
    # .5 s is later than .25 s and .06 s, whoever reads it.
    times = (("a", 2, ".5"), ("b", 3, ".25"), ("c", 4, ".06"))
    plainly = [m(amount, name, f"2026-09-01T00:00:00{ts}Z") for name, amount, ts in times]
    strict = [strictly(line) for line in plainly]
    assert prices(books, {"fast": plainly, "strict": strict}) == {"fast": 2, "strict": 2}


def test_prices_are_not_rounded(books: Books) -> None:
    # Eighteen decimals, and twenty digits before them.
    texts = ("0.123456789012345678", "12345678901234567890.123456789012345678", "0.1", "1e-18")
    cards = {
        text: [m(7, "s").replace(b'"input_per_m": 7', b'"input_per_m": ' + text.encode())]
        for text in texts
    }
    assert prices(books, cards) == {text: Fraction(text) for text in texts}


# --- routing ---------------------------------------------------------------------------------


def test_escalations_are_taken_off_what_routing_saved(books: Books) -> None:
    # 5 - 3 and 4 - 3 are saved, 1 - 2.5 is an escalation of 1.5, 2 - 2 is neither.
    lines = (decision(5, 3), decision(4, 3), decision(1, 2.5), decision(2, 2))
    result = books.lever("routing", *lines)
    assert result.totals["saving_usd"] == 3
    assert result.totals["escalation_usd"] == Fraction(3, 2)
    assert result.usd == Fraction(3, 2)
    assert (result.status, result.coverage) == ("ok", Coverage(4, 4))
    assert result.detail == {"source": "decisions"}
    assert books.lever("routing", *lines, switches={"escalation_netted": False}).usd == 3


def test_a_decision_is_applied_unless_it_says_otherwise(books: Books) -> None:
    # Not applied: 7 - 3 would have saved 4, and what would have cost more adds nothing.
    lines = (
        *(decision(5, 3), decision(9, 8, applied=None), decision(20, 10, applied=True)),
        *(decision(7, 3, applied=False), decision(1, 100, applied=False)),
    )
    result = books.lever("routing", *lines)
    assert result.totals["saving_usd"] == 2 + 1 + 10
    assert result.totals["escalation_usd"] == 0
    assert result.totals["off_saving_usd"] == 4
    assert result.usd == 13
    assert result.coverage == Coverage(5, 5)


def test_a_model_listed_twice_costs_what_is_listed_first(books: Books) -> None:
    def listed(*candidates: tuple[str | None, Any]) -> bytes:
        made = [{"model": name, "cost_usd": usd} for name, usd in candidates]
        return decision(0, 0, candidates=made)

    # Baseline 5, then 50; picked 3, then 30.
    twice = listed(("big", 5), ("small", 3), ("small", 30), ("big", 50))
    assert books.lever("routing", twice).usd == 2
    # The first has no cost: that is what counts, the later cost does not stand in.
    for unknown in (
        listed(("big", None), ("big", 5), ("small", 3)),
        listed(("big", 5), ("small", None), ("small", 3)),
    ):
        result = books.lever("routing", unknown)
        assert (result.status, result.totals["uncomparable"]) == ("no_comparison", 1)


def test_a_decision_without_both_costs_is_uncomparable(books: Books) -> None:
    nameless = [{"model": None, "cost_usd": 9}, {"cost_usd": 9}]
    nameless += [{"model": "small", "cost_usd": 3}]
    lines = (
        *(decision(None, 3), decision(5, None), decision(5, 3, picked="other")),
        *(decision(5, 3, baseline=None), decision(5, 3, candidates=[])),
        *(decision(5, 3, candidates=None), decision(0, 0, candidates=nameless, baseline=None)),
        *(decision(0, 0), decision(5, 4)),
    )
    result = books.lever("routing", *lines)
    assert (result.totals["decisions"], result.totals["uncomparable"]) == (9, 7)
    assert said(result) == ("ok", 1)
    assert result.coverage == Coverage(2, 9)


def test_costs_are_compared_and_added_to_the_last_digit(books: Books) -> None:
    # 0.3 - 0.1 = 0.2; 1.000000000000000001 - 1 = 10^-18; of credits, -0.5 - -0.75 = 0.25;
    # across zero, 0.25 - -1.5 = 1.75; escalated 0.1 - 0.4 = -0.3.
    tiny = decision(1, 1).replace(b'"cost_usd": 1', b'"cost_usd": 1.000000000000000001', 1)
    lines = (decision(0.3, 0.1), tiny, decision(-0.5, -0.75), decision(0.25, -1.5))
    result = books.lever("routing", *lines, decision(0.1, 0.4))
    assert result.totals["saving_usd"] == Fraction(22, 10) + Fraction(1, 10**18)
    assert result.totals["escalation_usd"] == Fraction(3, 10)
    off = (decision(2.75, 0.5, applied=False), decision(0.125, 0.0625, applied=False))
    # 2.25 + 0.0625
    totals = books.lever("routing", *off).totals
    assert totals["off_saving_usd"] == Fraction(37, 16)


def test_the_borders_of_the_period_for_decisions(books: Books) -> None:
    amounts = dict(zip(BORDERS, (1, 10, 100, 1_000), strict=True))
    result = books.lever("routing", *(decision(much, 0, ts=ts) for ts, much in amounts.items()))
    assert result.usd == 110
    assert result.totals["decisions"] == 2


# --- routing without decisions ---------------------------------------------------------------

# A million tokens of each kind. On small: 1 + 2 + 0.1 + 1.25; on big: 10 + 20 + 1 + 12.5.
KINDS: dict[str, Any] = {"input_tokens": MEGA, "output_tokens": MEGA, "read": MEGA, "write": MEGA}
SMALL = model("small", usd(1, read=0.1, write=1.25, output=2))
BIG = model("big", usd(10, read=1, write=12.5, output=20))


def counterfactual(books: Books, *lines: bytes) -> LeverResult:
    return books.lever("routing", *lines, baseline_model="big")


def test_the_same_tokens_on_another_card(books: Books) -> None:
    # 43.5 - 4.35, twice. A negative count is absent.
    two = (call("small", **KINDS), call("small", agent="a", **KINDS))
    absent: dict[str, Any] = dict.fromkeys(KINDS, -5)
    result = counterfactual(books, SMALL, BIG, *two, call("small", **absent))
    assert said(result) == ("partial_comparison", Fraction(7830, 100))
    assert result.detail == {
        "source": "counterfactual",
        "usd": Fraction(7830, 100),
        "calls": 3,
        "uncomparable": 0,
    }
    assert result.coverage == Coverage(0, 0)
    # It is shown, and never counts as a figure.
    assert not result.conclusive()


def test_a_cheaper_baseline_would_have_cost_less(books: Books) -> None:
    result = books.lever("routing", SMALL, BIG, call("big", **KINDS), baseline_model="small")
    assert result.usd == Fraction(-3915, 100)


def test_refused_calls_are_no_calls_of_the_counterfactual(books: Books) -> None:
    lines = (SMALL, BIG, call("small", **KINDS), call("small", outcome="refused", **KINDS))
    result = counterfactual(books, *lines)
    assert (result.usd, result.detail["calls"]) == (Fraction(3915, 100), 1)
    other = counterfactual(books, SMALL, BIG, call("small", outcome="error", **KINDS))
    assert other.usd == Fraction(3915, 100)


def test_cache_tokens_without_a_price_cost_the_input_price(books: Books) -> None:
    # Only cache tokens: on small 1 + 1, on big 10 + 10.
    lines = (model("small", usd(1, output=2)), model("big", usd(10, output=20)))
    reading = counterfactual(books, *lines, call("small", read=MEGA))
    writing = counterfactual(books, *lines, call("small", write=MEGA))
    assert reading.usd == 9
    assert writing.usd == 9


def test_without_a_card_or_an_output_price_a_call_has_no_counterfactual(books: Books) -> None:
    # At e the baseline lacks its output price, at f its card: that of d does not stand in.
    lines = (
        *(SMALL, BIG, model("mute", usd(1)), call("small", **KINDS)),
        *(call("mute", **KINDS), call("mute", **KINDS), call("nowhere", **KINDS)),
        *(model("small", usd(1, output=2), on="e"), model("big", usd(10), on="e")),
        *(call("small", on="e", **KINDS), model("small", usd(1, output=2), on="f")),
        call("small", on="f", **KINDS),
    )
    result = counterfactual(books, *lines)
    assert result.usd == Fraction(3915, 100)
    assert (result.detail["calls"], result.detail["uncomparable"]) == (1, 5)


def test_where_nothing_can_be_computed_there_is_no_comparison(books: Books) -> None:
    result = counterfactual(books, SMALL, call("small", **KINDS))
    assert said(result) == ("no_comparison", None)
    assert result.detail["source"] == "counterfactual"
    unnamed = books.lever("routing", SMALL, BIG, call("small", **KINDS))
    assert said(unnamed) == ("no_comparison", None)
    assert unnamed.detail == {"source": "decisions"}


def test_only_a_period_without_decisions_has_a_counterfactual(books: Books) -> None:
    lines = (SMALL, BIG, call("small", **KINDS))
    uncomparable = counterfactual(books, *lines, decision(None, 3))
    assert said(uncomparable) == ("no_comparison", None)
    assert uncomparable.detail == {"source": "decisions"}
    elsewhere = counterfactual(books, *lines, decision(5, 3, ts=END))
    assert said(elsewhere) == ("partial_comparison", Fraction(3915, 100))


def test_the_borders_of_the_period_for_the_counterfactual(books: Books) -> None:
    # Input at 1 against 10: nine a million tokens.
    amounts = dict(zip(BORDERS, (1, 10, 100, 1_000), strict=True))
    calls = [call("small", ts=ts, input_tokens=n * MEGA) for ts, n in amounts.items()]
    result = counterfactual(books, SMALL, BIG, *calls)
    assert result.usd == 9 * 110
    assert result.detail["calls"] == 2


# --- infrastructure --------------------------------------------------------------------------


def infrastructure(books: Books, *lines: bytes, **question: Any) -> LeverResult:
    return books.lever("infrastructure", *lines, by=("deployment",), **question)


def test_always_on_for_every_hour_less_what_was_paid(books: Books) -> None:
    # 0.5 x 744 = 372; less 100 and 0.25, and a credit of 10 back. At e more was paid: 744 - 1000.
    lines = (
        *(profile("scheduled", 0.5), cost(100), cost(0.25), cost(-10)),
        *(profile("ephemeral", 1, on="e"), cost(1_000, on="e")),
    )
    result = infrastructure(books, *lines)
    assert rows(result, "deployment", "always_on_usd") == {"d": 372, "e": 744}
    assert rows(result, "deployment", "actual_usd") == {"d": Fraction(361, 4), "e": 1_000}
    assert rows(result, "deployment", "saved_usd") == {"d": Fraction(1127, 4), "e": -256}
    assert said(result) == ("ok", Fraction(103, 4))
    assert result.coverage == Coverage(2, 2)
    assert found(result)["negative_money"] == 1


def test_only_infrastructure_is_a_cost_here(books: Books) -> None:
    lines = (profile("scheduled", 1), cost(44), cost(7, kind="storage"), cost(7, kind=None))
    assert infrastructure(books, *lines).usd == 700


def test_without_a_cost_record_nothing_is_known_of_a_deployment(books: Books) -> None:
    # Only d has one. e has none, f one without an amount, g one of another kind, h one outside
    # the period, i one but no hourly rate.
    lines = [profile("scheduled", 1, on=name) for name in "defgh"]
    lines += [cost(44), cost(None), cost(None, on="f"), cost(7, on="g", kind="storage")]
    lines += [cost(7, on="h", ts=END), profile("scheduled", None, on="i"), cost(7, on="i")]
    result = infrastructure(books, *lines)
    unknown: dict[str | None, Value] = dict.fromkeys("efgh")
    assert rows(result, "deployment", "actual_usd") == {"d": 44, **unknown, "i": 7}
    assert rows(result, "deployment", "saved_usd") == {"d": 700, **unknown, "i": None}
    assert rows(result, "deployment", "always_on_usd")["i"] is None
    assert said(result) == ("ok", 700)
    assert result.coverage == Coverage(1, 6)


def test_a_cost_of_nothing_is_a_cost_record(books: Books) -> None:
    result = infrastructure(books, profile("scheduled", 1), cost(0))
    assert said(result) == ("ok", 744)
    assert result.coverage == Coverage(1, 1)


def test_every_profile_but_always_on_counts(books: Books) -> None:
    lines: list[bytes] = []
    for name in ("always_on", "scheduled", "ephemeral", "weekends", None):
        lines += [profile(name, 1, on=str(name)), cost(44, on=str(name))]
    result = infrastructure(books, *lines)
    counted = ("scheduled", "ephemeral", "weekends", "None")
    assert rows(result, "deployment", "saved_usd") == dict.fromkeys(counted, 700)
    assert found(result)["profile_unknown"] == 2


def test_the_newest_profile_before_the_end_is_for_the_whole_period(books: Books) -> None:
    # d changes to 2 at the last microsecond, e only at the end. The order of lines is another.
    lines = (
        *(profile("scheduled", 2, ts=LAST), profile("scheduled", 1), cost(44)),
        *(profile("scheduled", 2, on="e", ts=END), profile("scheduled", 1, on="e")),
        cost(44, on="e"),
    )
    result = infrastructure(books, *lines)
    assert rows(result, "deployment", "saved_usd") == {"d": 2 * 744 - 44, "e": 744 - 44}
    assert found(result)["profile_changed"] == 1


def test_of_equally_new_profiles_the_later_line_counts(books: Books) -> None:
    # At d two of one instant; at e .00000049 s is later in the file, .0000005 s in time.
    fine = "2026-09-01T00:00:00.0000005Z"
    lines = (
        *(profile("scheduled", 2), profile("scheduled", 3), cost(0)),
        *(profile("scheduled", 2, on="e", ts=fine), cost(0, on="e")),
        profile("scheduled", 3, on="e", ts="2026-09-01T00:00:00.00000049Z"),
    )
    result = infrastructure(books, *lines)
    assert rows(result, "deployment", "saved_usd") == {"d": 3 * 744, "e": 2 * 744}


def test_statuses_of_infrastructure(books: Books) -> None:
    nothing = infrastructure(books, profile("always_on", 1), cost(44))
    assert said(nothing) == ("no_data", None)
    assert nothing.coverage == Coverage(0, 0)
    unfed = infrastructure(books, profile("scheduled", 1))
    assert said(unfed) == ("no_cost_feed", None)
    assert unfed.coverage == Coverage(0, 1)
    lines = (profile("scheduled", 1), profile("scheduled", 1, on="e"), cost(44))
    assert infrastructure(books, *lines).status == "ok"


def test_the_borders_of_the_period_for_costs(books: Books) -> None:
    amounts = dict(zip(BORDERS, (1, 10, 100, 1_000), strict=True))
    costs = [cost(much, ts=ts) for ts, much in amounts.items()]
    assert infrastructure(books, profile("scheduled", 1), *costs).usd == 744 - 110


def test_the_hours_are_those_that_passed(books: Books) -> None:
    lines = [profile("scheduled", 2, ts="2026-01-01T00:00:00Z")]
    months = {"2026-03": 743, "2026-05": 744, "2026-10": 745}
    lines += [cost(5, ts=f"{month}-09T00:00:00Z") for month in (*months, "2026-04")]
    for month, hours in months.items():
        result = infrastructure(books, *lines, zone="Europe/Madrid", month=month)
        assert result.usd == 2 * hours - 5, month
    # Lord Howe Island goes back by half an hour: 720.5 hours.
    result = infrastructure(
        books, *lines, zone="Europe/Madrid", time_zone="Australia/Lord_Howe", month="2026-04"
    )
    assert result.usd == 1441 - 5


def test_infrastructure_money_is_not_rounded(books: Books) -> None:
    rate, paid = "0.100000000000000001", "33.333333333333333333"
    lines = (
        profile("scheduled", 7).replace(b": 7", b": " + rate.encode()),
        cost(7).replace(b'"usd": 7', b'"usd": ' + paid.encode()),
    )
    assert infrastructure(books, *lines).usd == Fraction(rate) * 744 - Fraction(paid)


# --- findings --------------------------------------------------------------------------------


def test_every_negative_count_of_a_call_is_found(books: Books) -> None:
    kinds = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    negative: list[dict[str, Any]] = [{kind: -1} for kind in kinds]
    lines = [model("m", usd(1)), call(read=0), *(call(**attrs) for attrs in negative)]
    result = books.lever("caching", *lines)
    assert found(result) == {"negative_tokens": 4}
    assert result.findings[0].examples == (3, 4, 5, 6)


def test_a_negative_cost_of_a_candidate_is_found_however_its_line_is_read(books: Books) -> None:
    finer = INSIDE.replace("Z", ".123456789Z")  # this line goes to the strict reader
    lines = [decision(-2, 1), decision(3, -0.5, ts=finer), decision(3, 1), decision(3, 1, ts=finer)]
    lines.append(decision(0, 0).replace(b'"cost_usd": 0', b'"cost_usd": -0'))
    result = books.lever("routing", *lines)
    assert found(result) == {"negative_money": 2}
    assert result.findings[0].examples == (1, 2)
    assert result.usd == Fraction(-3) + Fraction(7, 2) + 2 + 2


def test_outcomes_of_other_names_are_found(books: Books) -> None:
    outcomes = ("ok", "error", "refused", None, "timeout", "OK")
    lines = [model("m", usd(1)), *(call(outcome=name, read=1) for name in outcomes)]
    assert found(books.lever("caching", *lines)) == {"outcome_unknown": 2}


def test_models_that_are_called_and_have_no_price_are_found(books: Books) -> None:
    # One is on no card, one has no price at all, one no input price, one a price of 0. One that is
    # not called does not matter.
    cards = [model("b", None), model("c", usd(None, read=1)), model("e", usd(0)), model("f", None)]
    lines = [*cards, *(call(name, read=1) for name in "abce")]
    assert found(books.lever("caching", *lines)) == {"model_without_card": 3}


def test_days_without_a_cost_are_found(books: Books) -> None:
    # Costs on two local days of three. e never reports any; f is always on.
    lines = (
        *(profile("scheduled", 1), profile("scheduled", 1, on="e")),
        profile("always_on", 1, on="f"),
        *(cost(1, ts="2026-10-10T00:00:00Z"), cost(1, ts="2026-10-12T23:59:59Z")),
        *(cost(None, ts="2026-10-11T12:00:00Z"), cost(1, on="f", ts="2026-10-11T12:00:00Z")),
        cost(1, ts="2026-10-11T12:00:00Z", kind="storage"),
    )
    asked: dict[str, Any] = {"since": date(2026, 10, 10), "until": date(2026, 10, 12)}
    assert found(infrastructure(books, *lines, **asked)) == {"days_without_cost": 1}


def test_a_profile_that_changes_inside_the_period_is_found(books: Books) -> None:
    # d changes its rate, e its profile; f says the same again; g changed before the period; h
    # changes at its end; i is seen for the first time.
    every_day = [f"2026-10-{day:02d}T06:00:00Z" for day in range(1, 32)]
    lines = [cost(1, on=name, ts=ts) for name in "defghi" for ts in every_day]
    lines += [profile("scheduled", 1, on=name) for name in "defgh"]
    lines += [
        profile("scheduled", 2, ts=START),
        profile("ephemeral", 1, on="e", ts=INSIDE),
        profile("scheduled", 1, on="f", ts=INSIDE),
        profile("scheduled", 2, on="g", ts="2026-09-30T23:59:59Z"),
        profile("scheduled", 2, on="h", ts=END),
        profile("scheduled", 1, on="i", ts=INSIDE),
    ]
    assert found(infrastructure(books, *lines)) == {"profile_changed": 2}


def test_more_groups_than_memory_should_hold_are_refused(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [model("m", usd(1)), *(call(on=f"d{n}", read=1) for n in range(40))]
    monkeypatch.setattr(groups_module, "MOST_GROUPS", 40)
    assert books.lever("caching", *lines).totals["calls"] == 40
    monkeypatch.setattr(groups_module, "MOST_GROUPS", 39)
    with pytest.raises(EngineFailure, match="more than 39 groups"):
        books.lever("caching", *lines)
