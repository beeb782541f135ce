"""prompt2md's arithmetic: token counts, the cost of cached calls, and its rounding.

Everything is exact: integers and fractions, no float. A *token* is the program's own, a quarter of
a UTF-16 code unit rounded up, and an *effective token* is one at the full input price: a token read
from a cache at a tenth of the price is a tenth of an effective token.

    tokens(n)     = ceil(n / 4)                                     n in UTF-16 code units
    eligible      = P >= m                                          P stable, V volatile tokens
    first         = P (1 + w) + V,    next = P r + V                not eligible: both P + V
    amortized(N)  = (first + (N - 1) next) / N
    headline      = 1 - next / raw                                  raw = 0: 0
    ratio         = compressed / raw                                raw = 0: 1

r, w and m are the provider's (`profiles`). These formulas are the program's published ones. That it
rounds half up at each step, so that `amortized` and `headline` are made of rounded tokens, follows
from its reports; for `headline` no report at hand can tell whether the rounded or the exact `next`
goes in, and the rounded one is our reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

UNITS_A_TOKEN = 4
PERCENT = 100
HEADLINE_PLACES = 1
CLAIMED_CALLS = 10
"""The N of `amortizedTokensOver10Calls`."""


@dataclass(frozen=True)
class Profile:
    """What a provider's prompt cache costs, in parts of the input price, and when it is used.

    A token read from it costs `read` (r), one written `1 + write` (w), and prefixes of less than
    `minimum` tokens (m) are not cached. `breakpoint`: the cached prefix ends at an explicit mark,
    which is a block of the prefix itself.
    """

    name: str
    read: Fraction
    write: Fraction
    minimum: int
    breakpoint: bool


@dataclass(frozen=True)
class Calls:
    """Effective tokens of the first call and of each one after it."""

    first: Fraction
    next: Fraction

    def rounded(self) -> Calls:
        """Both as the program prints them: whole, half up."""
        return Calls(half_up(self.first), half_up(self.next))

    def amortized(self, calls: int) -> Fraction:
        """Effective tokens a call over `calls` calls, not rounded."""
        return (self.first + (calls - 1) * self.next) / calls


def half_up(value: Fraction, places: int = 0) -> Fraction:
    """`value` to `places` decimals; what lies half-way goes towards positive infinity."""
    scale = 10**places
    return Fraction((2 * value * scale + 1) // 2, scale)


def token_count(units: int) -> int:
    """The program's estimate for a text of so many UTF-16 code units."""
    return -(-units // UNITS_A_TOKEN)


def is_eligible(stable: int, profile: Profile) -> bool:
    """Whether a prefix of `stable` tokens is long enough for the cache."""
    return stable >= profile.minimum


def calls_of(stable: int, volatile: int, profile: Profile) -> Calls:
    """The exact cost of a prompt of `stable` and then `volatile` tokens, in effective tokens."""
    if not is_eligible(stable, profile):
        return Calls(Fraction(stable + volatile), Fraction(stable + volatile))
    return Calls(stable * (1 + profile.write) + volatile, stable * profile.read + volatile)


def headline_of(following: Fraction, raw: int) -> Fraction:
    """What a call after the first saves against the raw text, uncached, in percent; not rounded."""
    return PERCENT * (1 - following / raw) if raw else Fraction(0)


def ratio_of(compressed: int, raw: int) -> Fraction:
    """Compressed over raw tokens."""
    return Fraction(compressed, raw) if raw else Fraction(1)


def break_even(calls: Calls, uncached: int) -> int | None:
    """The least number of calls for which caching costs no more than `uncached` tokens a call, the
    cost of writing the cache included; None where it never does or nothing is cached [ours]."""
    gain = uncached - calls.next
    if gain <= 0:
        return None
    return max(1, -(-(calls.first - calls.next) // gain))


def beyond_cache(following: Fraction, raw_cached: Fraction) -> Fraction | None:
    """What a call after the first saves against the raw text cached likewise, in percent: what is
    left of the headline when the cache itself is not counted as a saving [ours]. None for a text
    of nothing."""
    return PERCENT * (1 - following / raw_cached) if raw_cached else None
