"""The LightHouse levers recomputed from raw record lines, slowly and plainly, in exact fractions.

Nothing here is shared with the product: each formula is written once, over whole records, with no
grouping, no database and no float. ``recompute`` is the entry; ``Method`` holds the switches under
which it can be run in another way.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from functools import cache
from math import floor
from typing import Any
from zoneinfo import ZoneInfo

from .records import (
    Call,
    Candidate,
    Cost,
    Decision,
    Invalid,
    ModelLine,
    Other,
    Price,
    Profile,
    Read,
    Record,
    Search,
    read_line,
)

__all__ = ["SWITCHES", "Invalid", "Method", "Period", "first_instant", "read_line", "recompute"]

MILLION = 1_000_000
UNKNOWN_WINDOW = 200_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

SWITCHES: dict[str, tuple[object, ...]] = {
    "zone": ("UTC",),
    "card": ("newest_any", "newest_in_export", "last_in_file"),
    "window_priced_only": (False,),
    "weights": (False,),
    "clamp": (False,),
    "unmeasured_as_window": (True,),
    "write_premium": (False,),
    "null_read_saves": (True,),
    "refused_in_caching": (False,),
    "refused_in_called": (True,),
    "dedupe": (True,),
    "until_exclusive": (True,),
    "escalation_netted": (False,),
}
"""Every switch with its alternatives (``zone`` takes any other zone as well)."""


@dataclass(frozen=True)
class Method:
    """The choices of the calculation; the defaults are the right ones."""

    zone: str
    card: str = "newest_complete"
    window_priced_only: bool = True
    weights: bool = True
    clamp: bool = True
    unmeasured_as_window: bool = False
    write_premium: bool = True
    null_read_saves: bool = False
    refused_in_caching: bool = True
    refused_in_called: bool = False
    dedupe: bool = False
    until_exclusive: bool = False
    escalation_netted: bool = True


def chosen_method(zone: str, switches: Mapping[str, object]) -> Method:
    """The right method with the named switches thrown; an unknown name or value is an error."""
    for name, value in switches.items():
        if name not in SWITCHES:
            raise ValueError(f"no switch {name!r}")
        allowed = (*SWITCHES[name], getattr(Method(zone), name))
        if name != "zone" and value not in allowed:
            raise ValueError(f"switch {name!r} has no value {value!r}")
    values: dict[str, Any] = {"zone": zone, **switches}
    return Method(**values)


def recompute(
    lines: list[bytes],
    zone: str,
    since: date,
    until: date,
    switches: Mapping[str, object] | None = None,
    baseline_model: str | None = None,
) -> dict[str, Any]:
    """Every figure of every lever, with amounts as fractions and counts as integers.

    ``lines`` are in file order: where two lines compete, the one further down wins. ``since`` and
    ``until`` are both in. Raises ``Invalid`` on the first line that cannot be read.
    """
    method = chosen_method(zone, switches or {})
    records = [read_line(line) for line in (once_each(lines) if method.dedupe else lines)]
    period = Period.between(method.zone, since, until, until_exclusive=method.until_exclusive)
    books = Books(records, period, method)
    counterfactual = counterfactual_figures(books, baseline_model)
    return {
        "period": period.as_dict(),
        "levers": [
            retrieval_lever(books),
            caching_lever(books),
            routing_lever(books, counterfactual),
            infrastructure_lever(books),
        ],
        "counterfactual": counterfactual,
    }


def once_each(lines: Iterable[bytes]) -> list[bytes]:
    """Of lines that are the same byte for byte, the first."""
    return list(dict.fromkeys(line.rstrip(b"\n") for line in lines))


# --- period and days -------------------------------------------------------------------------


@cache
def first_instant(zone: str, day: date) -> int:
    """The first second (UTC, since 1970) of a local day, found by walking up to it.

    The day need not begin at midnight. Where the zone skips a day, it is that of the next one.
    """
    second = int((datetime(day.year, day.month, day.day, tzinfo=UTC) - EPOCH).total_seconds())
    second -= 30 * 3600
    for step in (3600, 60, 1):
        while local_day(zone, Fraction(second + step)) < day:
            second += step
    return second + 1


def local_day(zone: str, seconds: Fraction) -> date:
    """The calendar day that an instant falls on in a zone."""
    return (EPOCH + timedelta(seconds=floor(seconds))).astimezone(ZoneInfo(zone)).date()


@dataclass(frozen=True)
class Period:
    """Whole local days: from ``start``, included, to ``end``, excluded, in seconds since 1970."""

    zone: str
    start: int
    end: int

    @classmethod
    def between(
        cls, zone: str, since: date, until: date, *, until_exclusive: bool = False
    ) -> "Period":
        """From the first instant of ``since`` to that of the day after ``until``."""
        after = until if until_exclusive else until + timedelta(days=1)
        return cls(zone, first_instant(zone, since), first_instant(zone, after))

    @property
    def hours(self) -> Fraction:
        """The hours that really passed, whatever the clocks said."""
        return Fraction(self.end - self.start, 3600)

    def holds(self, record: Record) -> bool:
        return not isinstance(record, Other) and self.start <= record.ts.seconds < self.end

    def day_of(self, record: Read) -> str:
        return local_day(self.zone, record.ts.seconds).isoformat()

    def as_dict(self) -> dict[str, Any]:
        return {
            "start": utc_text(self.start),
            "end": utc_text(self.end),
            "time_zone": self.zone,
            "hours": self.hours,
        }


def utc_text(second: int) -> str:
    return (EPOCH + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")


# --- price cards -----------------------------------------------------------------------------


Cards = dict[tuple[str, str], ModelLine]
"""The line that gives price and window, by deployment and model."""


@dataclass(frozen=True)
class Snapshot:
    """The lines of one deployment that were taken together, in file order."""

    key: str
    lines: list[ModelLine]

    @property
    def complete(self) -> bool:
        """No line denies it, and every size that is given is the number of different models."""
        models = {line.model for line in self.lines}
        return all(
            line.complete is not False and line.size in (None, len(models)) for line in self.lines
        )

    @property
    def age(self) -> tuple[Fraction, str]:
        """What the newest is greatest in: the latest instant, then the key."""
        return max(line.ts.seconds for line in self.lines), self.key


def price_cards(records: Iterable[Record], period: Period, method: Method) -> Cards:
    """The card of every deployment and model, under the chosen rule."""
    lines = [record for record in records if isinstance(record, ModelLine)]
    if method.card == "last_in_file":
        return {(line.deployment, line.model): line for line in lines}
    if method.card != "newest_in_export":
        lines = [line for line in lines if line.ts.seconds < period.end]
    cards: Cards = {}
    for deployment in {line.deployment for line in lines}:
        snapshots = snapshots_of([line for line in lines if line.deployment == deployment])
        if method.card != "newest_any":
            snapshots = [snapshot for snapshot in snapshots if snapshot.complete]
        if snapshots:
            newest = max(snapshots, key=lambda snapshot: snapshot.age)
            cards.update({(deployment, line.model): line for line in newest.lines})
    return cards


def snapshots_of(lines: Iterable[ModelLine]) -> list[Snapshot]:
    """One deployment's lines by snapshot id; a line without one belongs to its timestamp's text."""
    snapshots: dict[str, Snapshot] = {}
    for line in lines:
        key = line.ts.text if line.snapshot is None else line.snapshot
        snapshots.setdefault(key, Snapshot(key, [])).lines.append(line)
    return list(snapshots.values())


@dataclass(frozen=True)
class Rates:
    """The card of a priced model: an input price there is; the others may be None."""

    input: Fraction
    output: Fraction | None
    cache_read: Fraction | None
    cache_write: Fraction | None


def rates_of(price: Price | None) -> Rates | None:
    """The rates of a card that names an input price; a price of nothing counts as named."""
    if price is None or price.input is None:
        return None
    return Rates(price.input, price.output, price.cache_read, price.cache_write)


def either(value: Fraction | None, otherwise: Fraction) -> Fraction:
    return otherwise if value is None else value


# --- what the levers look up -----------------------------------------------------------------


class Books:
    """The period's records by kind, and the cards; what every lever reads from."""

    def __init__(self, records: Sequence[Record], period: Period, method: Method) -> None:
        self.period = period
        self.method = method
        self.cards = price_cards(records, period, method)
        inside = [record for record in records if period.holds(record)]
        self.calls = [record for record in inside if isinstance(record, Call)]
        self.searches = [record for record in inside if isinstance(record, Search)]
        self.decisions = [record for record in inside if isinstance(record, Decision)]
        self.costs = [record for record in inside if isinstance(record, Cost)]
        self.profiles = [
            record
            for record in records
            if isinstance(record, Profile) and record.ts.seconds < period.end
        ]

    def rates(self, deployment: str, model: str | None) -> Rates | None:
        """The price card of a model at a deployment, if it is priced there."""
        line = None if model is None else self.cards.get((deployment, model))
        return None if line is None else rates_of(line.price)

    def window(self, deployment: str, model: str) -> int | None:
        line = self.cards.get((deployment, model))
        return None if line is None else line.window

    def called(self, deployment: str, pack: str | None) -> set[str]:
        """The models that a deployment and pack called; a refused call is none."""
        return {
            call.model
            for call in self.calls
            if call.deployment == deployment
            and call.pack == pack
            and (self.method.refused_in_called or not call.refused)
        }

    def cached(self, deployment: str) -> bool:
        """Whether any call of the deployment, even a refused one, read from a cache."""
        return any(
            call.deployment == deployment and (call.cache_read_tokens or 0) > 0
            for call in self.calls
        )


# --- adding up -------------------------------------------------------------------------------


Amount = Fraction | int


@dataclass(frozen=True)
class Entry:
    """What one record adds, and the keys that it is added under."""

    keys: dict[str, str | None]
    amounts: dict[str, Amount]


def summed(entries: Iterable[Entry], zero: Mapping[str, Amount]) -> dict[str, Amount]:
    """The sum of every measure that ``zero`` names."""
    sums = dict(zero)
    for entry in entries:
        for measure in sums:
            sums[measure] += entry.amounts[measure]
    return sums


def key_order(key: str | None) -> tuple[bool, str]:
    """Names by their characters, null behind them."""
    return key is None, key or ""


def rows(
    entries: Sequence[Entry], dimension: str, zero: Mapping[str, Amount]
) -> list[dict[str, Any]]:
    """The measures by one dimension; "" and "None" are keys of their own, null is null."""
    keys = {entry.keys[dimension] for entry in entries}
    return [
        {
            "key": key,
            **summed((entry for entry in entries if entry.keys[dimension] == key), zero),
        }
        for key in sorted(keys, key=key_order)
    ]


def breakdowns(
    entries: Sequence[Entry], dimensions: Iterable[str], zero: Mapping[str, Amount]
) -> dict[str, list[dict[str, Any]]]:
    return {dimension: rows(entries, dimension, zero) for dimension in dimensions}


def lever(
    name: str,
    status: str,
    usd: Amount,
    totals: Mapping[str, Amount],
    coverage: tuple[Amount, Amount],
    by: Mapping[str, list[dict[str, Any]]],
) -> dict[str, Any]:
    """A lever's result; a figure only where the status has one."""
    return {
        "lever": name,
        "status": status,
        "usd": usd if status in ("ok", "partial_comparison") else None,
        "totals": dict(totals),
        "coverage": {"measured": coverage[0], "total": coverage[1]},
        "by": dict(by),
    }


# --- retrieval -------------------------------------------------------------------------------


SEARCH_DIMENSIONS = ("agent", "pack", "index", "model", "deployment", "day")
SEARCH_ZERO: dict[str, Amount] = {
    "stuffed_tokens": Fraction(0),
    "sent_tokens": Fraction(0),
    "tokens_avoided": Fraction(0),
    "usd_uncached": Fraction(0),
    "usd_cached": Fraction(0),
    "usd": Fraction(0),
    "measured": 0,
    "unmeasured": 0,
    "unpriced": 0,
}


def retrieval_lever(books: Books) -> dict[str, Any]:
    """What was not sent because a search chose, against stuffing the whole scope."""
    entries = [search_entry(books, search) for search in books.searches]
    totals = summed(entries, SEARCH_ZERO)
    if totals["measured"] == 0:
        status = "no_data"
    elif totals["unpriced"] == totals["measured"]:
        status = "no_price_card"
    else:
        status = "ok"
    coverage = (totals["measured"], totals["measured"] + totals["unmeasured"])
    by = breakdowns(entries, SEARCH_DIMENSIONS, SEARCH_ZERO)
    return lever("retrieval", status, totals["usd"], totals, coverage, by)


def search_entry(books: Books, search: Search) -> Entry:
    keys = {
        "agent": search.agent,
        "pack": search.pack,
        "index": search.index,
        "model": search.model,
        "deployment": search.deployment,
        "day": books.period.day_of(search),
    }
    return Entry(keys, {**SEARCH_ZERO, **search_amounts(books, search)})


def search_amounts(books: Books, search: Search) -> dict[str, Amount]:
    """The measures of one search."""
    window = smallest_window(books, search)
    corpus = scope(books.method, search, window)
    if corpus is None or search.sent is None or not plausible(search):
        return {"unmeasured": 1}
    weight = 1 / search.sample_rate if books.method.weights and search.sample_rate else Fraction(1)
    stuffed = min(corpus, window)
    avoided = stuffed - search.sent
    if books.method.clamp:
        avoided = max(avoided, 0)
    tokens: dict[str, Amount] = {
        "stuffed_tokens": stuffed * weight,
        "sent_tokens": search.sent * weight,
        "tokens_avoided": avoided * weight,
        "measured": 1,
    }
    return {**tokens, **search_dollars(books, search, avoided * weight)}


def scope(method: Method, search: Search, window: int) -> int | None:
    """The tokens that could have been sent; None when the search does not say."""
    if search.corpus is None and method.unmeasured_as_window:
        return window
    return search.corpus


def plausible(search: Search) -> bool:
    """No count is negative, and the rate is 0 (which stands for 1) or up to 1."""
    counts_are = all(count is None or count >= 0 for count in (search.corpus, search.sent))
    return counts_are and 0 <= (search.sample_rate or 0) <= 1


def smallest_window(books: Books, search: Search) -> int:
    """The smallest known window among the models called, priced ones unless the switch says all."""
    windows = [
        window
        for model in books.called(search.deployment, search.pack)
        if not books.method.window_priced_only or books.rates(search.deployment, model) is not None
        if (window := books.window(search.deployment, model)) is not None
    ]
    return min(windows, default=UNKNOWN_WINDOW)


def search_dollars(books: Books, search: Search, tokens: Fraction) -> dict[str, Amount]:
    """The weighted tokens in dollars, both ways, and the way that counts for the deployment."""
    rates = pricing_rates(books, search)
    if rates is None:
        return {"unpriced": 1}
    uncached = tokens * rates.input / MILLION
    cached = tokens * either(rates.cache_read, rates.input) / MILLION
    return {
        "usd_uncached": uncached,
        "usd_cached": cached,
        "usd": cached if books.cached(search.deployment) else uncached,
    }


def pricing_rates(books: Books, search: Search) -> Rates | None:
    """The card of the search's own model if priced, else of the cheapest priced one called."""
    own = books.rates(search.deployment, search.model)
    if own is not None:
        return own
    cheapest: tuple[Fraction, str, Rates] | None = None
    for model in sorted(books.called(search.deployment, search.pack)):
        rates = books.rates(search.deployment, model)
        if rates is not None and (cheapest is None or rates.input < cheapest[0]):
            cheapest = (rates.input, model, rates)
    return None if cheapest is None else cheapest[2]


# --- caching ---------------------------------------------------------------------------------


CALL_DIMENSIONS = ("model", "agent", "pack", "deployment", "provider", "day")
CALL_ROW_ZERO: dict[str, Amount] = {
    "saved_usd": Fraction(0),
    "input_tokens": 0,
    "output_tokens": 0,
    "cache_read_tokens": 0,
    "cache_write_tokens": 0,
}
CALL_ZERO: dict[str, Amount] = {**CALL_ROW_ZERO, "calls": 0, "reported": 0}


def caching_lever(books: Books) -> dict[str, Any]:
    """What cache reads saved, less what cache writes cost above plain input."""
    calls = [call for call in books.calls if books.method.refused_in_caching or not call.refused]
    entries = [call_entry(books, call) for call in calls]
    totals = summed(entries, CALL_ZERO)
    if totals["reported"] == 0:
        status = "no_data"
    elif all(books.rates(call.deployment, call.model) is None for call in calls):
        status = "no_price_card"
    else:
        status = "ok"
    coverage = (totals["reported"], totals["calls"])
    by = breakdowns(entries, CALL_DIMENSIONS, CALL_ROW_ZERO)
    return lever("caching", status, totals["saved_usd"], totals, coverage, by)


def call_entry(books: Books, call: Call) -> Entry:
    keys = {
        "model": call.model,
        "agent": call.agent,
        "pack": call.pack,
        "deployment": call.deployment,
        "provider": call.provider,
        "day": books.period.day_of(call),
    }
    amounts: dict[str, Amount] = {
        "saved_usd": cache_saving(books, call),
        "input_tokens": call.input_tokens or 0,
        "output_tokens": call.output_tokens or 0,
        "cache_read_tokens": call.cache_read_tokens or 0,
        "cache_write_tokens": call.cache_write_tokens or 0,
        "calls": 1,
        "reported": 0 if call.cache_read_tokens is None else 1,
    }
    return Entry(keys, amounts)


def cache_saving(books: Books, call: Call) -> Fraction:
    """Signed: writes can outweigh reads. Without a card or a cache-read price it is nothing."""
    rates = books.rates(call.deployment, call.model)
    if rates is None:
        return Fraction(0)
    read_price = rates.cache_read
    if read_price is None and books.method.null_read_saves:
        read_price = Fraction(0)
    if read_price is None:
        return Fraction(0)
    premium = max(either(rates.cache_write, rates.input) - rates.input, Fraction(0))
    if not books.method.write_premium:
        premium = Fraction(0)
    saved = (call.cache_read_tokens or 0) * (rates.input - read_price)
    return (saved - (call.cache_write_tokens or 0) * premium) / MILLION


# --- routing ---------------------------------------------------------------------------------


DECISION_DIMENSIONS = ("agent", "pack", "deployment", "day")
DECISION_ZERO: dict[str, Amount] = {
    "saving_usd": Fraction(0),
    "escalation_usd": Fraction(0),
    "off_saving_usd": Fraction(0),
    "decisions": 0,
    "uncomparable": 0,
}


def routing_lever(books: Books, counterfactual: Mapping[str, Amount]) -> dict[str, Any]:
    """What picking another model than the baseline saved; without decisions, the counterfactual."""
    entries = [decision_entry(books, decision) for decision in books.decisions]
    totals = summed(entries, DECISION_ZERO)
    comparable = totals["decisions"] - totals["uncomparable"]
    usd = totals["saving_usd"]
    if books.method.escalation_netted:
        usd -= totals["escalation_usd"]
    if comparable > 0:
        status = "ok"
    elif counterfactual["calls"] > 0:
        status, usd = "partial_comparison", counterfactual["usd"]
    else:
        status = "no_comparison"
    by = breakdowns(entries, DECISION_DIMENSIONS, DECISION_ZERO)
    return lever("routing", status, usd, totals, (comparable, totals["decisions"]), by)


def decision_entry(books: Books, decision: Decision) -> Entry:
    keys = {
        "agent": decision.agent,
        "pack": decision.pack,
        "deployment": decision.deployment,
        "day": books.period.day_of(decision),
    }
    return Entry(keys, {**DECISION_ZERO, "decisions": 1, **decision_amounts(decision)})


def decision_amounts(decision: Decision) -> dict[str, Amount]:
    """The difference in cost, in the column where its sign and the router's mode put it."""
    baseline = candidate_cost(decision.candidates, decision.baseline)
    picked = candidate_cost(decision.candidates, decision.picked)
    if baseline is None or picked is None:
        return {"uncomparable": 1}
    delta = baseline - picked
    if not decision.applied:
        return {"off_saving_usd": max(delta, Fraction(0))}
    if delta >= 0:
        return {"saving_usd": delta}
    return {"escalation_usd": -delta}


def candidate_cost(candidates: Iterable[Candidate], model: str | None) -> Fraction | None:
    """The cost of the first candidate of that name; without a name there is no match."""
    if model is None:
        return None
    return next((one.cost for one in candidates if one.model == model), None)


def counterfactual_figures(books: Books, baseline_model: str | None) -> dict[str, Amount]:
    """The period's tokens at the baseline's prices less their own, where nobody decided."""
    usd, calls, uncomparable = Fraction(0), 0, 0
    if baseline_model is not None and not books.decisions:
        for call in books.calls:
            if call.refused:
                continue
            baseline = cost_of_call(call, books.rates(call.deployment, baseline_model))
            own = cost_of_call(call, books.rates(call.deployment, call.model))
            if baseline is None or own is None:
                uncomparable += 1
            else:
                calls += 1
                usd += baseline - own
    return {"usd": usd, "calls": calls, "uncomparable": uncomparable}


def cost_of_call(call: Call, rates: Rates | None) -> Fraction | None:
    """What the call's tokens cost on a card; None without a card or an output price."""
    if rates is None or rates.output is None:
        return None
    per_million = (
        (call.input_tokens or 0) * rates.input
        + (call.output_tokens or 0) * rates.output
        + (call.cache_read_tokens or 0) * either(rates.cache_read, rates.input)
        + (call.cache_write_tokens or 0) * either(rates.cache_write, rates.input)
    )
    return per_million / MILLION


# --- infrastructure --------------------------------------------------------------------------


def infrastructure_lever(books: Books) -> dict[str, Any]:
    """What deployments that are not always on would have cost, less what they did cost."""
    profiles = {
        name: profile for name, profile in newest_profiles(books).items() if varies(profile)
    }
    table = [infrastructure_row(books, profiles[name]) for name in sorted(profiles)]
    savings = [row["saved_usd"] for row in table if row["saved_usd"] is not None]
    total = sum(savings, Fraction(0))
    if not table:
        status = "no_data"
    elif all(row["actual_usd"] is None for row in table):
        status = "no_cost_feed"
    else:
        status = "ok"
    coverage = (len(savings), len(table))
    return lever(
        "infrastructure", status, total, {"saved_usd": total}, coverage, {"deployment": table}
    )


def newest_profiles(books: Books) -> dict[str, Profile]:
    """Each deployment's last profile before the period's end; of equal ones the later line."""
    newest: dict[str, Profile] = {}
    for profile in books.profiles:
        known = newest.get(profile.deployment)
        if known is None or profile.ts.seconds >= known.ts.seconds:
            newest[profile.deployment] = profile
    return newest


def varies(profile: Profile) -> bool:
    return profile.profile != "always_on"


def infrastructure_row(books: Books, profile: Profile) -> dict[str, Any]:
    """One deployment: an unknown rate or no cost record leaves its saving unknown, not 0."""
    hourly = profile.always_on_usd_per_hour
    always_on = None if hourly is None else hourly * books.period.hours
    amounts = [
        cost.usd
        for cost in books.costs
        if cost.deployment == profile.deployment
        and cost.kind == "infrastructure"
        and cost.usd is not None
    ]
    actual = sum(amounts, Fraction(0)) if amounts else None
    saved = None if always_on is None or actual is None else always_on - actual
    return {
        "key": profile.deployment,
        "profile": profile.profile,
        "always_on_usd": always_on,
        "actual_usd": actual,
        "saved_usd": saved,
    }
