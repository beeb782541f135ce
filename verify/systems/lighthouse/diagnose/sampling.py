"""How sure a figure is that rests on sampled searches: its 95 % interval.

A search recorded with rate p stands for 1 / p searches. Horvitz and Thompson's estimate of a sum
adds y / p for each; searches being sampled independently, its variance is estimated by the sum of
y^2 (1 - p) / p^2. The half width of the interval is 1.96 times the square root, by integer square
root rounded up at the sixth decimal. No binary float is in it.

The interval describes the estimate. Product and recomputation have the same records, so it never
excuses a difference between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

from verify.compare.diagnosis import Cell, Diagnosis, Section
from verify.exact import MILLION, from_decimal, rounded
from verify.findings import Finding
from verify.systems.lighthouse.diagnose.context import Context, exact, query
from verify.systems.lighthouse.levers import sampling_weight
from verify.systems.lighthouse.load import sql
from verify.systems.lighthouse.measures import DIMENSIONS

PLACES = 6
Z = Fraction(196, 100)
_TOKENS = {"stuffed_tokens": "stuffed", "sent_tokens": "sent", "tokens_avoided": "avoided"}
_DOLLARS = ("usd_uncached", "usd_cached", "usd")
_WORD = 2**32


def diagnose(context: Context) -> Diagnosis:
    """The interval of each measure of retrieval, in total and for each row, where it is sampled."""
    rows = [
        row
        for dimension in ("total", *DIMENSIONS["retrieval"])
        for row in _rows(context, dimension)
    ]
    section = Section(
        "sampling",
        "95 % intervals of figures that rest on sampled searches",
        ("dimension", "key", "measure", "sampled", "estimate_of_sampled", "variance", "half_width"),
        tuple(rows),
        "estimate_of_sampled is the part of the figure that rests on searches with a rate below 1; "
        f"half_width is 1.96 x the root of the variance, rounded up at {PLACES} decimals. Searches "
        "are taken as sampled independently. It never changes a verdict",
    )
    usd = context.recomputed().lever("retrieval").usd
    return Diagnosis((section,), tuple(_findings(usd, rows)))


def half_width(variance: Fraction) -> Fraction:
    """1.96 times the root of a variance, rounded up at the sixth decimal."""
    scaled = variance * Z * Z * 10 ** (2 * PLACES)
    whole = -(-scaled.numerator // scaled.denominator)
    root = isqrt(whole)
    return Fraction(root + (root * root < whole), 10**PLACES)


def searches_query() -> str:
    """The searches of retrieval.sql with their squares summed in place of its sums."""
    head, seam, _ = sql("retrieval").rpartition("\n)\nSELECT\n")
    assert seam, "retrieval.sql ends in one SELECT over its searches"
    return f"{head}\n)\n{query('sampling')}"


def _rows(context: Context, dimension: str) -> Iterator[tuple[Cell, ...]]:
    by_key: dict[str | None, list[Mapping[str, Any]]] = {}
    for group in context.searches(searches_query(), dimension):
        weight = sampling_weight(group["sample_rate"])
        if weight is not None and weight > 1:
            by_key.setdefault(group["key"], []).append(group | {"weight": weight})
    reading = context.reads_cache()
    name = None if dimension == "total" else dimension
    for key, groups in sorted(by_key.items(), key=lambda item: (item[0] is None, item[0] or "")):
        sampled = sum(group["measured"] for group in groups)
        for measure in (*_TOKENS, *_DOLLARS):
            estimate, variance = _moments(measure, groups, reading)
            yield (name, key, measure, sampled, estimate, variance, half_width(variance))


def _moments(
    measure: str, groups: Sequence[Mapping[str, Any]], reading: frozenset[str]
) -> tuple[Fraction, Fraction]:
    """The estimate of a measure over sampled searches, and the estimate of its variance."""
    estimate = variance = Fraction(0)
    for group in groups:
        weight, what, price = group["weight"], _TOKENS.get(measure, "avoided"), Fraction(1)
        if measure in _DOLLARS:
            known = _dollars(measure, group, reading)
            if known is None:
                continue
            price = known / MILLION
        estimate += group[f"{what}_sum"] * weight * price
        # (1 - p) / p^2 is w^2 - w, with w = 1 / p.
        variance += _squares(group, what) * price * price * (weight * weight - weight)
    return estimate, variance


def _dollars(measure: str, group: Mapping[str, Any], reading: frozenset[str]) -> Fraction | None:
    """The price per million tokens that a measure takes."""
    price, read = from_decimal(group["input_per_m"]), from_decimal(group["cache_read_per_m"])
    cached = price if read is None else read
    if price is None or measure == "usd_uncached":
        return price
    return cached if measure == "usd_cached" or group["deployment"] in reading else price


def _squares(group: Mapping[str, Any], what: str) -> int:
    high, mixed, low = (int(group[f"{what}_{part}"]) for part in ("hh", "hl", "ll"))
    return high * _WORD * _WORD + 2 * mixed * _WORD + low


def _findings(usd: Fraction | None, rows: Sequence[tuple[Cell, ...]]) -> Iterator[Finding]:
    for dimension, _, measure, sampled, _, _, width in rows:
        if dimension is None and measure == "usd" and usd is not None:
            assert isinstance(sampled, int)
            message = (
                f"retrieval's figure is an estimate, {rounded(usd, PLACES)} USD "
                f"± {rounded(exact(width), PLACES)} (95 %), from {sampled:,} sampled searches"
            )
            yield Finding("figure_is_estimate", message, sampled)
