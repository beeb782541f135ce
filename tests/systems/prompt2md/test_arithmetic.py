"""Rounding, rates and the ratio's last digit, against other ways of computing them."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.systems.prompt2md.arithmetic import (
    Calls,
    Profile,
    beyond_cache,
    break_even,
    calls_of,
    half_up,
    headline_of,
    is_eligible,
    ratio_of,
    token_count,
)
from verify.systems.prompt2md.doubles import printed_quotient
from verify.systems.prompt2md.profiles import built_in

from . import oracle

ANTHROPIC = built_in().by_provider["anthropic"]


@pytest.mark.parametrize(
    ("value", "places", "rounded"),
    [
        ("0", 0, "0"),
        ("0.5", 0, "1"),
        ("1.5", 0, "2"),
        ("2.5", 0, "3"),
        ("2.4999999999999999999999", 0, "2"),
        ("-0.5", 0, "0"),
        ("-1.5", 0, "-1"),
        ("-1.51", 0, "-2"),
        ("90.05", 1, "90.1"),
        ("90.04999", 1, "90"),
        ("-3.25", 1, "-3.2"),
        ("1/3", 1, "0.3"),
    ],
)
def test_half_up(value: str, places: int, rounded: str) -> None:
    assert half_up(Fraction(value), places) == Fraction(rounded)


@pytest.mark.parametrize(
    ("units", "tokens"), [(0, 0), (1, 1), (4, 1), (5, 2), (31, 8), (72, 18), (2**60, 2**58)]
)
def test_token_count(units: int, tokens: int) -> None:
    assert token_count(units) == tokens


def test_ten_thousand_calls_by_every_profile() -> None:
    random = Random(7)
    halves = 0
    for _ in range(10_000):
        name = random.choice(list(oracle.PROVIDERS))
        (read, of_read), (write, of_write), minimum, _ = oracle.PROVIDERS[name]
        profile = built_in().by_provider[name]
        stable = random.choice(
            (random.randrange(3000), minimum, minimum - 1, 5 * random.randrange(900))
        )
        volatile = random.choice((0, 17, 18))
        raw = random.choice((stable + volatile, random.randrange(1, 9000), 2000, 0))
        over = random.choice((1, 2, 7, 10, 20, 1000))
        exact = calls_of(stable, volatile, profile)
        shown = exact.rounded()
        assert is_eligible(stable, profile) == (stable >= minimum)
        if stable >= minimum:
            first = stable * (of_write + write) + volatile * of_write, of_write
            later = stable * read + volatile * of_read, of_read
        else:
            first = later = (stable + volatile, 1)
        assert (exact.first, exact.next) == (Fraction(*first), Fraction(*later))
        own = oracle.half_up(*first), oracle.half_up(*later)
        assert (shown.first, shown.next) == tuple(map(Fraction, own))
        mean = own[0] + (over - 1) * own[1], over
        assert half_up(shown.amortized(over)) == oracle.half_up(*mean)
        halves += oracle.is_half(*first) + oracle.is_half(*later) + oracle.is_half(*mean)
        headline = half_up(headline_of(shown.next, raw), 1)
        if raw:
            assert headline == Fraction(oracle.half_up(1000 * (raw - own[1]), raw), 10)
            halves += oracle.is_half(1000 * (raw - own[1]), raw)
        else:
            assert headline == 0
    assert halves > 3000


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_the_ratio_is_printed_as_a_binary64_prints(compressed: int, raw: int) -> None:
    shown = printed_quotient(ratio_of(compressed, raw))
    assert shown == Fraction(repr(compressed / raw if raw else 1.0))


@given(st.integers(-(10**18), 10**18), st.integers(1, 10**18))
def test_any_quotient_is_printed_as_a_binary64_prints(one: int, other: int) -> None:
    assert printed_quotient(Fraction(one, other)) == Fraction(repr(one / other))


@pytest.mark.parametrize("power", [*range(-40, 60), -1022, 1000])
def test_powers_of_two_and_their_neighbours(power: int) -> None:
    for value in (2.0**power, 2.0**power * (1 - 2**-53), 2.0**power * (1 + 2**-52)):
        assert printed_quotient(Fraction(value)) == Fraction(repr(value))


def test_break_even() -> None:
    # 1 + w / (1 - r): 1 + 0.25 / 0.9 calls, so the second one has paid
    assert break_even(calls_of(2000, 18, ANTHROPIC), 2018) == 2
    assert break_even(calls_of(1000, 18, ANTHROPIC), 1018) is None, "nothing is cached"
    dear = Profile("dear", Fraction(1, 2), Fraction(5, 2), 0, False)
    assert break_even(calls_of(100, 0, dear), 100) == 6
    assert (
        break_even(calls_of(100, 0, Profile("no", Fraction(1), Fraction(0), 0, False)), 100) is None
    )
    assert break_even(Calls(Fraction(5), Fraction(5)), 9) == 1
    for calls in range(1, 12):
        paid = calls_of(100, 7, dear).amortized(calls) <= 107
        assert paid == (calls >= 6)


def test_rates_of_nothing() -> None:
    assert ratio_of(0, 0) == 1
    assert headline_of(Fraction(0), 0) == 0
    assert beyond_cache(Fraction(0), Fraction(0)) is None
    assert headline_of(Fraction(120), 100) == -20
