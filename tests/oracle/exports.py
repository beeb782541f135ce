"""Whole small exports, made for the places where the rules of the levers bite.

``exports()`` is a hypothesis strategy; ``random_export(seed)`` makes the same kind of export
without hypothesis. Every line is valid. An export is a ``Frame`` (zone, period, moods) and a list
of seeds: one seed becomes one burst of lines that depends on nothing but the frame and itself (only
a repeat looks back), so that hypothesis shrinks an export by leaving bursts out.
"""

import calendar
import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import cache

from hypothesis import strategies as st

from .lighthouse import Period, first_instant
from .records import ModelLine, Profile, read_line

SECOND = 10**9
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
LARGEST = 2**63 - 1

DEPLOYMENTS = ("alpha", "beta", "größe ☕")
MODELS = (
    "m-a",
    "m-b",
    "m-～",
    "m-😀",
)  # by character the last two are in this order; not in UTF-16
PACKS = ("tickets", "wiki", "паке́т")
AGENTS = ("triage", "None", "", "=1+1", "агент")
INDEXES = ("idx-1", "")
PROVIDERS = ("acme", "zürich")
SNAPSHOTS = ("s-1", "s-2", "s-10")

MONTHS = (
    ("Europe/Madrid", 2026, 3),  # 743 hours
    ("Europe/Madrid", 2026, 10),  # 745
    ("Europe/Madrid", 2026, 7),  # 744
    ("America/New_York", 2026, 3),
    ("America/New_York", 2026, 11),
    ("Asia/Kathmandu", 2026, 10),  # 5 h 45 min ahead
    ("Australia/Lord_Howe", 2026, 4),  # clocks go back by 30 minutes
    ("Australia/Lord_Howe", 2026, 10),  # and forward
    ("America/Santiago", 2026, 9),  # a day that begins at 01:00
    ("America/Santiago", 2026, 4),  # a day with 23:00 twice
    ("America/Havana", 2026, 11),  # a day with midnight twice
    ("Pacific/Apia", 2011, 12),  # a month without its 30th
    ("Pacific/Kiritimati", 2026, 1),
    ("Asia/Tokyo", 2028, 2),
    ("UTC", 2026, 6),
)


@dataclass(frozen=True)
class Export:
    """Lines in file order, and what to recompute them for."""

    lines: list[bytes]
    zone: str
    since: date
    until: date
    baseline_model: str | None


@dataclass(frozen=True)
class Frame:
    """What all lines of an export have in common."""

    zone: str
    since: date
    until: date
    baseline_model: str | None
    without_decisions: bool
    unordered: bool


# --- writing JSON in many hands --------------------------------------------------------------


class Raw(str):
    """A number as it shall be written."""


Json = str | bool | None | Raw | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True)
class Hand:
    """How one line is written: its spaces, whether it escapes letters, the order of its keys."""

    colon: str
    comma: str
    escapes: bool
    shuffle: Callable[[list[tuple[str, Json]]], None] | None

    def write(self, value: Json) -> str:
        if isinstance(value, Raw):
            return str(value)
        if isinstance(value, dict):
            pairs = list(value.items())
            if self.shuffle is not None:
                self.shuffle(pairs)
            inner = (f"{self.write(key)}{self.colon}{self.write(item)}" for key, item in pairs)
            return "{" + self.comma.join(inner) + "}"
        if isinstance(value, list):
            return "[" + self.comma.join(self.write(item) for item in value) + "]"
        return json.dumps(value, ensure_ascii=self.escapes)


def hand(rng: random.Random) -> Hand:
    if rng.random() < 0.6:
        return Hand(":", ",", rng.random() < 0.5, None)
    colon, comma = rng.choice(((": ", ", "), (" :\t", " ,  "), (":", ",")))
    return Hand(colon, comma, rng.random() < 0.5, rng.shuffle)


def line(rng: random.Random, kind: str, deployment: str, ts: str, attrs: dict[str, Json]) -> bytes:
    """One record; at times with something in it that nobody reads."""
    record: dict[str, Json] = {"type": kind, "deployment": deployment, "ts": ts, "attrs": attrs}
    if rng.random() < 0.05:
        record["trace"] = ["x", {"model": None}]
    if rng.random() < 0.05:
        attrs["note"] = {"price": {"input_per_m": "free"}}
    return hand(rng).write(record).encode()


def whole(rng: random.Random, value: int) -> Raw:
    """An integer in one of the ways that JSON has for it."""
    if rng.random() < 0.8:
        return Raw(value)
    forms = [f"{value}.0", f"{value}e0", f"{value}.00E+0", f"{value * 10}e-1"]
    if value % 1000 == 0:
        forms.append(f"{value // 1000}e3")
    return Raw(rng.choice(forms))


def maybe(
    rng: random.Random, attrs: dict[str, Json], key: str, value: Json, missing: float
) -> None:
    """Set a key, or leave it out, or set it to null."""
    chance = rng.random()
    if chance >= missing:
        attrs[key] = value
    elif chance < missing / 2:
        attrs[key] = None


# --- moments ---------------------------------------------------------------------------------


@cache
def borders(zone: str, since: date, until: date) -> tuple[int, ...]:
    """Nanoseconds at which something begins: the period and a few of its days, its end."""
    period = Period.between(zone, since, until)
    days = (until - since).days + 1
    inner = [first_instant(zone, since + timedelta(days=n)) for n in range(0, days, 1 + days // 9)]
    return tuple(second * SECOND for second in (period.start, *inner, period.end, period.end))


def moment(rng: random.Random, frame: Frame) -> int:
    """Mostly in the period, often at a border or a hair beside it, sometimes far out."""
    edges = borders(frame.zone, frame.since, frame.until)
    start, end = edges[0], edges[-1]
    chance = rng.random()
    if chance < 0.62:
        step = rng.choice((1, 1000, 10**6, SECOND, MINUTE, 15 * MINUTE, HOUR))
        return start + rng.randrange(max(end - start, 1)) // step * step
    if chance < 0.88:
        hair = rng.choice((0, 0, 0, 1, 1000, 10**6, SECOND, HOUR))
        return rng.choice(edges) + rng.choice((-1, 1)) * hair
    if chance < 0.95:
        return start - rng.randrange(1, 40 * DAY)
    return end + rng.randrange(40 * DAY)


OFFSETS = (0, 0, 60, 120, -240, -300, 345, -210, 630, 840, -720, 1439, -1439)


def timestamp(rng: random.Random, nanoseconds: int) -> str:
    """The moment as RFC 3339 text: with Z, with some offset, or with none at all."""
    chance = rng.random()
    if chance < 0.6:
        minutes, suffix = 0, "Z"
    elif chance < 0.65:
        minutes, suffix = 0, "z"
    elif chance < 0.75:
        minutes, suffix = 0, ""
    else:
        minutes = rng.choice(OFFSETS)
        hours, rest = divmod(abs(minutes), 60)
        sign = "-" if minutes < 0 or (minutes == 0 and rng.random() < 0.5) else "+"
        suffix = f"{sign}{hours:02}:{rest:02}"
    seconds, fraction = divmod(nanoseconds + minutes * MINUTE, SECOND)
    days, second = divmod(seconds, 86400)
    day = date(1970, 1, 1) + timedelta(days=days)
    clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    return f"{day.isoformat()}T{clock}{fraction_text(rng, fraction)}{suffix}"


def fraction_text(rng: random.Random, nanoseconds: int) -> str:
    """The part behind the second, with more or fewer zeros than it needs."""
    digits = f"{nanoseconds:09}".rstrip("0")
    if rng.random() < 0.2:
        digits += "0" * rng.choice((1, 3, 6))
    return f".{digits}" if digits else ""


# --- amounts ---------------------------------------------------------------------------------

PRICES = ("3", "15", "0.3", "3.75", "0.5", "1", "2.50", "0", "0.0", "9e-1", "1.1", "0.05")
ODD_PRICES = (
    "1e-07",
    "0.30000000000000004",
    "0.000000000000000001",
    "2.5E1",
    "1234567.891",
    "-0.2",
)
COSTS = ("0.001", "0.004", "0.009", "0", "1e-07", "0.30000000000000004", "0.12345678901234567")
ODD_COSTS = ("-0.001", "1E-18", "12.5e-2", "4000", "0.0040", "99999999999999999999", "5e0")
SAMPLE_RATES = ("0.3", "1", "0.1", "1e-3", "0.25", "0", "0.0", "1.0", "0.33333333333333333", "0.7")
ODD_SAMPLE_RATES = ("1.5", "-1", "1.000000000000000001", "-0.0", "1e-18", "2e0", "0.010000")
HOURLY = ("0.5", "0.123", "1", "0", "12.75", "1e-2", "0.041666666666666667", "-0.5")


def amount(rng: random.Random, usual: Sequence[str], odd: Sequence[str], odds: float = 0.12) -> Raw:
    return Raw(rng.choice(odd if rng.random() < odds else usual))


def tokens(rng: random.Random, usual: int) -> Raw:
    """A token count: some of it about the usual size, some 0, negative or enormous."""
    chance = rng.random()
    if chance < 0.75:
        value = rng.randrange(usual)
    elif chance < 0.85:
        value = 0
    elif chance < 0.93:
        value = rng.choice((1000, 64000, 200000, 10**6))
    elif chance < 0.98:
        value = -rng.randrange(1, 1000)
    else:
        value = rng.choice((LARGEST, 2**53 + 1, 10**12))
    return whole(rng, value)


# --- bursts: one seed, one to a few lines ----------------------------------------------------


def card(rng: random.Random, usual: Sequence[str] = PRICES) -> Json:
    """A price object, or null; often priced, with or without the cache prices."""
    if rng.random() < 0.08:
        return None
    prices: dict[str, Json] = {}
    for name, missing in (
        ("input_per_m", 0.08),
        ("output_per_m", 0.15),
        ("cache_read_per_m", 0.25),
        ("cache_write_per_m", 0.35),
    ):
        maybe(rng, prices, name, amount(rng, usual, ODD_PRICES), missing)
    return prices


def limits(rng: random.Random) -> Json:
    """The window under one name, under both, not positive, or nowhere."""
    sizes = (1000, 8000, 32000, 64000, 100000, 200000, 0, -1, 1000000)
    both: dict[str, Json] = {}
    maybe(rng, both, "context_tokens", whole(rng, rng.choice(sizes)), 0.3)
    maybe(rng, both, "context_window", whole(rng, rng.choice(sizes)), 0.6)
    return both


def model_record(
    rng: random.Random,
    deployment: str,
    ts: str,
    model: str,
    extra: dict[str, Json],
    prices: Sequence[str] = PRICES,
) -> bytes:
    attrs: dict[str, Json] = {"model": model, **extra}
    maybe(rng, attrs, "limits", limits(rng), 0.08)
    maybe(rng, attrs, "price", card(rng, prices), 0.05)
    maybe(rng, attrs, "provider", rng.choice(PROVIDERS), 0.5)
    return line(rng, "models", deployment, ts, attrs)


def snapshot_moment(rng: random.Random, frame: Frame) -> int:
    """One of few moments, so that snapshots tie; mostly before the period's end."""
    edges = borders(frame.zone, frame.since, frame.until)
    start, end = edges[0], edges[-1]
    middle = start + (end - start) // 2 // HOUR * HOUR
    usual = (start - 9 * DAY, start - DAY, start, middle, middle + 1, end - HOUR)
    odd = (end - 1, end, end + 1, end + DAY)
    return rng.choice(odd if rng.random() < 0.25 else usual)


def snapshot(rng: random.Random, frame: Frame) -> list[bytes]:
    """Some models at one moment, under an id or under their timestamp; whole or not."""
    deployment = rng.choice(DEPLOYMENTS)
    models = rng.sample(MODELS, rng.choice((1, 2, 3, 4, 4, 4)))
    when = snapshot_moment(rng, frame)
    ts = timestamp(rng, when)
    name: Json = rng.choice(SNAPSHOTS) if rng.random() < 0.6 else None
    flag = rng.choices((None, True, False), (80, 12, 8))[0]
    size = rng.choices((None, len(models), len(models) + 1), (55, 37, 8))[0]
    lines = []
    for model in models:
        extra: dict[str, Json] = {} if name is None else {"snapshot": name}
        if flag is not None and rng.random() < 0.7:
            extra["complete"] = flag
        if size is not None and rng.random() < 0.9:
            extra["size"] = whole(rng, size)
        if rng.random() < 0.05:
            ts = timestamp(rng, when)
        lines.append(model_record(rng, deployment, ts, model, extra))
    return lines


def scene(rng: random.Random, frame: Frame) -> list[bytes]:
    """A card of few different prices, calls of its models, and searches that they price."""
    deployment, pack = rng.choice(DEPLOYMENTS), rng.choice(PACKS)
    prices = rng.sample(PRICES, 2)
    ts = timestamp(rng, snapshot_moment(rng, frame))
    extra: dict[str, Json] = {"snapshot": "s-～"} if rng.random() < 0.5 else {"snapshot": "s-😀"}
    lines = [
        model_record(rng, deployment, ts, model, dict(extra), prices)
        for model in rng.sample(MODELS, 3)
    ]
    lines += [one_call(rng, frame, deployment, pack) for _ in range(rng.choice((2, 3, 4)))]
    lines += [one_search(rng, frame, deployment, pack) for _ in range(rng.choice((1, 2, 3)))]
    rng.shuffle(lines)
    return lines


def stray_models(rng: random.Random, frame: Frame) -> list[bytes]:
    """A line or two for one model in one snapshot, which perhaps has it already."""
    deployment, model = rng.choice(DEPLOYMENTS), rng.choice(MODELS)
    extra: dict[str, Json] = {"snapshot": rng.choice(SNAPSHOTS)}
    return [
        model_record(
            rng, deployment, timestamp(rng, snapshot_moment(rng, frame)), model, dict(extra)
        )
        for _ in range(rng.choice((1, 2)))
    ]


def names(rng: random.Random, attrs: dict[str, Json]) -> None:
    """Agent and id: null and absent are one key, "" and "None" are keys of their own."""
    maybe(rng, attrs, "agent", rng.choice(AGENTS), 0.25)
    maybe(rng, attrs, "id", rng.choice(("1", "2", "")), 0.8)


def calls(rng: random.Random, frame: Frame) -> list[bytes]:
    """Calls of one deployment, mostly of one pack."""
    deployment, pack = rng.choice(DEPLOYMENTS), rng.choice(PACKS)
    return [one_call(rng, frame, deployment, pack) for _ in range(rng.choice((1, 2, 4, 6)))]


def one_call(rng: random.Random, frame: Frame, deployment: str, pack: str) -> bytes:
    attrs: dict[str, Json] = {"model": rng.choice(MODELS)}
    names(rng, attrs)
    maybe(rng, attrs, "pack", pack, 0.1)
    maybe(rng, attrs, "provider", rng.choice(PROVIDERS), 0.2)
    outcome = rng.choices(("ok", "error", "refused", "timeout", ""), (60, 10, 20, 5, 5))[0]
    maybe(rng, attrs, "outcome", outcome, 0.1)
    maybe(rng, attrs, "input_tokens", tokens(rng, 5000), 0.1)
    maybe(rng, attrs, "output_tokens", tokens(rng, 900), 0.1)
    maybe(rng, attrs, "cache_read_tokens", tokens(rng, 60000), 0.3)
    maybe(rng, attrs, "cache_write_tokens", tokens(rng, 60000), 0.3)
    return line(rng, "model_call", deployment, timestamp(rng, moment(rng, frame)), attrs)


def searches(rng: random.Random, frame: Frame) -> list[bytes]:
    """Searches of one deployment, mostly of one pack."""
    deployment, pack = rng.choice(DEPLOYMENTS), rng.choice(PACKS)
    return [one_search(rng, frame, deployment, pack) for _ in range(rng.choice((1, 2, 3, 5)))]


def one_search(rng: random.Random, frame: Frame, deployment: str, pack: str) -> bytes:
    attrs: dict[str, Json] = {}
    names(rng, attrs)
    maybe(rng, attrs, "pack", pack, 0.1)
    maybe(rng, attrs, "index", rng.choice(INDEXES), 0.2)
    maybe(rng, attrs, "model", rng.choice((*MODELS, "m-unknown")), 0.5)
    maybe(rng, attrs, "sample_rate", amount(rng, SAMPLE_RATES, ODD_SAMPLE_RATES), 0.3)
    maybe(rng, attrs, "corpus_tokens_in_scope", tokens(rng, 400000), 0.12)
    maybe(rng, attrs, "context_tokens_sent", tokens(rng, 9000), 0.08)
    return line(rng, "retrieval", deployment, timestamp(rng, moment(rng, frame)), attrs)


def decisions(rng: random.Random, frame: Frame) -> list[bytes]:
    """Routing decisions, or calls where the export shall have none."""
    if frame.without_decisions:
        return calls(rng, frame)
    return [one_decision(rng, frame) for _ in range(rng.choice((1, 2, 3)))]


def one_decision(rng: random.Random, frame: Frame) -> bytes:
    picked, baseline = rng.sample(MODELS[:3], 2) if rng.random() < 0.9 else (MODELS[0],) * 2
    attrs: dict[str, Json] = {}
    names(rng, attrs)
    maybe(rng, attrs, "pack", rng.choice(PACKS), 0.15)
    maybe(rng, attrs, "candidates", candidates(rng, picked, baseline), 0.06)
    maybe(rng, attrs, "picked", picked, 0.05)
    maybe(rng, attrs, "baseline", baseline, 0.05)
    maybe(rng, attrs, "applied", rng.random() < 0.6, 0.3)
    deployment = rng.choice(DEPLOYMENTS)
    return line(rng, "routing_decision", deployment, timestamp(rng, moment(rng, frame)), attrs)


def candidates(rng: random.Random, picked: str, baseline: str) -> list[Json]:
    """Mostly the two that matter and others, some twice, some without a name or a cost."""
    models = [picked, baseline] if rng.random() < 0.85 else []
    models += rng.choices(MODELS, k=rng.choice((0, 0, 1, 2, 3)))
    rng.shuffle(models)
    found: list[Json] = []
    for model in models:
        one: dict[str, Json] = {}
        maybe(rng, one, "model", model, 0.04)
        maybe(rng, one, "cost_usd", amount(rng, COSTS, ODD_COSTS), 0.08)
        found.append(one)
    return found


def profiles(rng: random.Random, frame: Frame) -> list[bytes]:
    """A profile or two of a deployment, from few moments, so that they tie and change."""
    deployment = rng.choice(DEPLOYMENTS)
    return [one_profile(rng, frame, deployment) for _ in range(rng.choice((1, 1, 2)))]


def one_profile(rng: random.Random, frame: Frame, deployment: str) -> bytes:
    attrs: dict[str, Json] = {}
    profile = rng.choices(("always_on", "scheduled", "ephemeral", ""), (24, 34, 39, 3))[0]
    maybe(rng, attrs, "profile", profile, 0.06)
    maybe(rng, attrs, "always_on_usd_per_hour", Raw(rng.choice(HOURLY)), 0.1)
    ts = timestamp(rng, snapshot_moment(rng, frame))
    return line(rng, "deployment_profile", deployment, ts, attrs)


def costs(rng: random.Random, frame: Frame) -> list[bytes]:
    """Cost records of one deployment, not all of them of the kind that counts."""
    deployment = rng.choice(DEPLOYMENTS)
    return [one_cost(rng, frame, deployment) for _ in range(rng.choice((1, 2, 4)))]


def one_cost(rng: random.Random, frame: Frame, deployment: str) -> bytes:
    attrs: dict[str, Json] = {}
    kind = rng.choices(("infrastructure", "model", ""), (80, 18, 2))[0]
    maybe(rng, attrs, "kind", kind, 0.06)
    maybe(rng, attrs, "usd", amount(rng, COSTS, ODD_COSTS), 0.12)
    return line(rng, "cost", deployment, timestamp(rng, moment(rng, frame)), attrs)


OTHERS = (
    '{"type":"heartbeat","deployment":"alpha","ts":"2026-10-03T12:00:00Z","attrs":{"note":"=1+1"}}',
    '{"type":"tool_call","deployment":null,"ts":5,"attrs":null}',
    '{"type":"eval"}',
    '{"attrs":[{"model":1}],"type":"","ts":{"seconds":1e400}}',
    '{"type":"Model_call","deployment":"alpha","ts":"2026-10-03T12:00:00Z","attrs":{"model":"m-a"}}',
)


def others(rng: random.Random, _frame: Frame) -> list[bytes]:
    """A record of a type that no lever reads, whatever else is in it."""
    return [rng.choice(OTHERS).encode()]


BURSTS: tuple[Callable[[random.Random, Frame], list[bytes]], ...] = (
    *[snapshot] * 5,
    *[scene] * 4,
    *[stray_models] * 1,
    *[calls] * 4,
    *[searches] * 4,
    *[decisions] * 4,
    *[profiles] * 2,
    *[costs] * 3,
    *[others] * 1,
)
REPEATS = 0.06


def burst(seed: int, frame: Frame, before: Sequence[bytes]) -> list[bytes]:
    """The lines of one seed; now and then an earlier line again, byte for byte."""
    rng = random.Random(seed)
    if before and rng.random() < REPEATS:
        return [rng.choice(before)] * rng.choice((1, 1, 2))
    return rng.choice(BURSTS)(rng, frame)


def build(frame: Frame, seeds: Iterable[int]) -> Export:
    """The export of a frame and its seeds."""
    lines: list[bytes] = []
    for seed in seeds:
        lines.extend(burst(seed, frame, lines))
    if frame.unordered:
        lines = without_competition(lines)
    return Export(lines, frame.zone, frame.since, frame.until, frame.baseline_model)


# --- file order ------------------------------------------------------------------------------


Place = tuple[str, str, str] | tuple[str, Fraction]


def contested_place(raw: bytes) -> Place | None:
    """What only one line can hold: a model in a snapshot, a deployment's profile at an instant."""
    record = read_line(raw)
    if isinstance(record, ModelLine):
        key = record.ts.text if record.snapshot is None else record.snapshot
        return record.deployment, key, record.model
    if isinstance(record, Profile):
        return record.deployment, record.ts.seconds
    return None


def without_competition(lines: Iterable[bytes]) -> list[bytes]:
    """The lines without those that compete with an earlier, different one for the same place."""
    holders: dict[Place, bytes] = {}
    kept = []
    for raw in lines:
        place = contested_place(raw)
        if place is None or holders.setdefault(place, raw) == raw:
            kept.append(raw)
    return kept


def order_matters(lines: Sequence[bytes]) -> bool:
    """Whether shuffling the lines can change a figure (it always can with card=last_in_file)."""
    return len(without_competition(lines)) < len(lines)


# --- the strategies --------------------------------------------------------------------------


def month(zone: str, year: int, number: int) -> tuple[str, date, date]:
    last = calendar.monthrange(year, number)[1]
    return zone, date(year, number, 1), date(year, number, last)


BASELINES = (None, *MODELS, "m-unknown")


@st.composite
def frames(draw: st.DrawFn, *, unordered: bool = False) -> Frame:
    """A zone with a month that is odd there, or 1 to 40 days that begin in that month."""
    zone, since, until = month(*draw(st.sampled_from(MONTHS)))
    if draw(st.booleans()):
        since += timedelta(days=draw(st.integers(0, 27)))
        until = since + timedelta(days=draw(st.integers(0, 39)))
    return Frame(
        zone,
        since,
        until,
        baseline_model=draw(st.sampled_from(BASELINES)),
        without_decisions=draw(st.integers(0, 4)) == 4,
        unordered=unordered,
    )


SEED = st.integers(0, 2**32 - 1)
SEEDS = st.one_of(st.lists(SEED, max_size=6), st.lists(SEED, min_size=12, max_size=28))


@st.composite
def exports(draw: st.DrawFn, *, unordered: bool = False) -> Export:
    """A small export; ``unordered`` leaves out what would make the order of lines matter."""
    return build(draw(frames(unordered=unordered)), draw(SEEDS))


def random_export(seed: int, bursts: int = 20, *, unordered: bool = False) -> Export:
    """The same kind of export from one number, for runs of many without hypothesis."""
    rng = random.Random(seed)
    zone, since, until = month(*rng.choice(MONTHS))
    if rng.random() < 0.5:
        since += timedelta(days=rng.randrange(28))
        until = since + timedelta(days=rng.randrange(40))
    frame = Frame(
        zone,
        since,
        until,
        baseline_model=rng.choice(BASELINES),
        without_decisions=rng.random() < 0.2,
        unordered=unordered,
    )
    return build(frame, [rng.randrange(2**32) for _ in range(bursts)])
