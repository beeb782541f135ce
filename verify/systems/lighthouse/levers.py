"""From integer groups to figures: one small function a lever.

Each takes the groups that its SQL yields and applies weights and prices to them with exact
fractions. Prices are USD per million tokens. The formulas are those at the head of each `.sql`
file; which of them the product states and which are our reading is said there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from verify.exact import MILLION, from_decimal, total
from verify.period import utc_text
from verify.result import CardCell, Coverage, Key, LeverResult, Row, Value
from verify.systems.lighthouse.measures import DIMENSIONS
from verify.systems.lighthouse.method import Method

Group = Mapping[str, Any]
Groups = Callable[[str], list[dict[str, Any]]]
PRICES = ("input_per_m", "output_per_m", "cache_read_per_m", "cache_write_per_m")


@lru_cache(maxsize=4096)
def sampling_weight(rate: str | None) -> Fraction | None:
    """1 / rate; 1 for a rate that is absent or 0; None for one outside (0, 1]."""
    if rate is None:
        return Fraction(1)
    value = Fraction(rate)
    if value == 0:
        return Fraction(1)
    return 1 / value if 0 < value <= 1 else None


def _ordered(rows: Iterable[Row]) -> tuple[Row, ...]:
    return tuple(sorted(rows, key=lambda row: (row.key is None, row.key or "")))


def _by_key(groups: Iterable[Group]) -> dict[Key, list[Group]]:
    found: dict[Key, list[Group]] = {}
    for group in groups:
        found.setdefault(group["key"], []).append(group)
    return found


def _rows(
    groups: Iterable[Group], measure: Callable[[Sequence[Group]], dict[str, Value]]
) -> tuple[Row, ...]:
    return _ordered(Row(key, measure(members)) for key, members in _by_key(groups).items())


def retrieval(
    groups: Groups, method: Method, reads_cache: frozenset[str], by: Iterable[str]
) -> LeverResult:
    """The retrieval lever. `groups(dimension)` runs retrieval.sql; `reads_cache` names the
    deployments whose searches are priced at the cache-read price."""

    def measure(members: Sequence[Group]) -> dict[str, Value]:
        return retrieval_measures(members, method, reads_cache)

    return retrieval_of(
        measure(groups("total")), {name: _rows(groups(name), measure) for name in by}
    )


def retrieval_of(totals: Mapping[str, Value], by: Mapping[str, tuple[Row, ...]]) -> LeverResult:
    """The retrieval lever of these totals and rows."""
    measured, unmeasured = _int(totals["measured"]), _int(totals["unmeasured"])
    if measured == 0:
        status = "no_data"
    elif totals["unpriced"] == measured:
        status = "no_price_card"
    else:
        status = "ok"
    return LeverResult(
        "retrieval",
        status,
        _figure(totals["usd"], status),
        totals,
        Coverage(measured, measured + unmeasured),
        by,
    )


@lru_cache(maxsize=4096)
def _per_token(price: Decimal) -> Fraction:
    """USD a token, of a price per million."""
    return Fraction(price) / MILLION


def retrieval_measures(
    members: Sequence[Group], method: Method, reads_cache: frozenset[str]
) -> dict[str, Value]:
    """What groups of searches saved, and how many could be measured."""
    stuffed = sent = avoided = uncached = cached = usd = Fraction(0)
    measured = unmeasured = unpriced = 0
    for group in members:
        weight = sampling_weight(group["sample_rate"])
        unmeasured += group["unmeasured"]
        if weight is None:
            unmeasured += group["measured"]
            continue
        if not group["measured"]:
            continue
        if not method.weights:
            weight = Fraction(1)
        measured += group["measured"]
        stuffed += group["stuffed_tokens"] * weight
        sent += group["sent_tokens"] * weight
        saved = group["tokens_avoided"] * weight
        avoided += saved
        price, read_price = group["input_per_m"], group["cache_read_per_m"]
        if price is None:
            unpriced += group["measured"]
            continue
        fresh = saved * _per_token(price)
        read = fresh if read_price is None else saved * _per_token(read_price)
        uncached += fresh
        cached += read
        usd += read if group["deployment"] in reads_cache else fresh
    return {
        "stuffed_tokens": stuffed,
        "sent_tokens": sent,
        "tokens_avoided": avoided,
        "usd_uncached": uncached,
        "usd_cached": cached,
        "usd": usd,
        "measured": measured,
        "unmeasured": unmeasured,
        "unpriced": unpriced,
    }


def caching_saving(group: Group, method: Method) -> Fraction:
    """USD that one deployment and model saved by caching. `group` holds its token sums and the
    prices of its card; without a card or a cache-read price nothing is saved."""
    price = from_decimal(group["input_per_m"])
    read_price = from_decimal(group["cache_read_per_m"])
    if price is None:
        return Fraction(0)
    if read_price is None:
        if not method.null_read_saves:
            return Fraction(0)
        read_price = Fraction(0)
    write_price = from_decimal(group["cache_write_per_m"])
    premium = Fraction(0)
    if method.write_premium and write_price is not None:
        premium = max(write_price - price, Fraction(0))
    reads = group["cache_read_tokens"] * (price - read_price)
    writes = group["cache_write_tokens"] * premium
    return Fraction(reads - writes) / MILLION


def caching(groups: Groups, method: Method, by: Iterable[str]) -> LeverResult:
    """The caching lever, with a cell for each deployment and model beside its card."""

    def measure(members: Sequence[Group]) -> dict[str, Value]:
        counted = (
            "input_tokens",
            "output_tokens",
            "cache_read_tokens",
            "cache_write_tokens",
            "calls",
            "reported",
        )
        saved: dict[str, Value] = {
            "saved_usd": total(caching_saving(group, method) for group in members)
        }
        return saved | {name: sum(int(group[name]) for group in members) for name in counted}

    cells = groups("total")
    totals = measure(cells)
    if totals["reported"] == 0:
        status = "no_data"
    elif all(group["input_per_m"] is None for group in cells):
        status = "no_price_card"
    else:
        status = "ok"
    return LeverResult(
        "caching",
        status,
        _figure(totals["saved_usd"], status),
        totals,
        Coverage(_int(totals["reported"]), _int(totals["calls"])),
        {name: _rows(groups(name), measure) for name in by},
        cells=tuple(
            _cell(group, measure([group]))
            for group in sorted(cells, key=lambda group: (group["deployment"], group["model"]))
        ),
    )


def _cell(group: Group, measures: Mapping[str, Value]) -> CardCell:
    on_card = group["card_line"] is not None
    prices = {name: from_decimal(group[name]) for name in PRICES}
    return CardCell(
        group["deployment"],
        group["model"],
        prices if on_card and any(price is not None for price in prices.values()) else None,
        group["snapshot"],
        utc_text(group["snapshot_at"]) if on_card else None,
        group["card_line"],
        measures,
    )


def routing(
    groups: Groups,
    method: Method,
    by: Iterable[str],
    counterfactual: Callable[[], list[dict[str, Any]]] | None,
) -> LeverResult:
    """The routing lever. `counterfactual` runs counterfactual.sql; None where no baseline model is
    named. It is only asked when the period has no decision."""

    def measure(members: Sequence[Group]) -> dict[str, Value]:
        money = ("saving", "escalation", "off_saving")
        found: dict[str, Value] = {
            f"{name}_usd": total(_amount(group, name) for group in members) for name in money
        }
        counts = ("decisions", "uncomparable")
        return found | {name: sum(int(group[name]) for group in members) for name in counts}

    totals = measure(groups("total"))
    decisions, uncomparable = _int(totals["decisions"]), _int(totals["uncomparable"])
    comparable = decisions - uncomparable
    status, usd = "no_comparison", None
    detail: dict[str, Value] = {"source": "decisions"}
    if comparable:
        status = "ok"
        usd = _exact(totals["saving_usd"])
        if method.escalation_netted:
            usd -= _exact(totals["escalation_usd"])
    elif decisions == 0 and counterfactual is not None:
        detail = _counterfactual_detail(counterfactual())
        if detail["calls"]:
            status, usd = "partial_comparison", _exact(detail["usd"])
    return LeverResult(
        "routing",
        status,
        usd,
        totals,
        Coverage(comparable, decisions),
        {name: _rows(groups(name), measure) for name in by},
        detail=detail,
    )


def _counterfactual_detail(groups: Iterable[Group]) -> dict[str, Value]:
    usd, calls, uncomparable = Fraction(0), 0, 0
    for group in groups:
        own, base = _call_cost(group, ""), _call_cost(group, "base_")
        if own is None or base is None:
            uncomparable += group["calls"]
        else:
            usd += base - own
            calls += group["calls"]
    return {"source": "counterfactual", "usd": usd, "calls": calls, "uncomparable": uncomparable}


def _call_cost(group: Group, card: str) -> Fraction | None:
    price = from_decimal(group[f"{card}input_per_m"])
    out = from_decimal(group[f"{card}output_per_m"])
    if price is None or out is None:
        return None
    read = from_decimal(group[f"{card}cache_read_per_m"])
    write = from_decimal(group[f"{card}cache_write_per_m"])
    cost = (
        group["input_tokens"] * price
        + group["output_tokens"] * out
        + group["cache_read_tokens"] * (price if read is None else read)
        + group["cache_write_tokens"] * (price if write is None else write)
    )
    return Fraction(cost) / MILLION


def infrastructure(groups: Iterable[Group], hours: Fraction, by: Iterable[str]) -> LeverResult:
    """The infrastructure lever over `hours` real hours, from the rows of infrastructure.sql."""
    rows = _ordered(Row(group["deployment"], _infra_row(group, hours)) for group in groups)
    computed = sum(1 for row in rows if row.measures["saved_usd"] is not None)
    if not rows:
        status = "no_data"
    else:
        fed = any(row.measures["actual_usd"] is not None for row in rows)
        status = "ok" if fed else "no_cost_feed"
    saved = total(_exact(v) for row in rows if (v := row.measures["saved_usd"]) is not None)
    return LeverResult(
        "infrastructure",
        status,
        _figure(saved, status),
        {"saved_usd": saved},
        Coverage(computed, len(rows)),
        {"deployment": rows} if "deployment" in by else {},
    )


def _infra_row(group: Group, hours: Fraction) -> dict[str, Value]:
    rate = from_decimal(group["always_on_usd_per_hour"])
    always_on = None if rate is None else rate * hours
    actual = _amount(group, "actual")
    saved = None if always_on is None or actual is None else always_on - actual
    return {
        "profile": group["profile"],
        "always_on_usd": always_on,
        "actual_usd": actual,
        "saved_usd": saved,
    }


def _amount(group: Group, name: str) -> Fraction | None:
    """A sum of money that came as whole dollars and the rest; None over nothing."""
    whole = group[f"{name}_whole"]
    return None if whole is None else Fraction(whole) + Fraction(group[f"{name}_rest"])


def _figure(value: Value, status: str) -> Fraction | None:
    return _exact(value) if status == "ok" else None


def _exact(value: Value) -> Fraction:
    assert isinstance(value, Fraction | int)
    return Fraction(value)


def _int(value: Value) -> int:
    assert isinstance(value, int)
    return value


def dimensions_of(lever: str, asked: Iterable[str]) -> tuple[str, ...]:
    """Those of the dimensions asked for that the lever has, in its own order."""
    wanted = set(asked)
    return tuple(name for name in DIMENSIONS[lever] if name in wanted)
