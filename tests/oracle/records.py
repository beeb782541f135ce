"""Strict reading of LightHouse record lines, with every number kept as the text says it.

A line is read into one of six typed records, or into ``Other`` when no lever reads its type.
Anything that a lever would read and that is not what it must be raises ``Invalid``. ``null`` means
the same as a missing key everywhere.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import NoReturn

INT64 = range(-(2**63), 2**63)
MONEY_DECIMALS = 18
MONEY_DIGITS = 20
LONGEST_NUMBER = 4000
FIRST_DAY = date(1970, 1, 1).toordinal()

NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?")
TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:([Zz])|([-+])([0-9]{2}):([0-9]{2}))?"
)


class Invalid(ValueError):
    """A line that cannot be read; the text is the reason."""


# --- JSON, without losing anything -----------------------------------------------------------


@dataclass(frozen=True)
class Number:
    """A JSON number, as it was written."""

    text: str


@dataclass(frozen=True)
class NotJson:
    """``NaN``, ``Infinity`` or ``-Infinity``: harmless where nobody reads it."""

    text: str


@dataclass(frozen=True)
class JsonObject:
    """A JSON object with its keys in order, repeated ones included."""

    pairs: list[tuple[str, object]]

    def get(self, key: str) -> object:
        """The value of a key that is read: None when absent or null, and it stands there once."""
        values = [value for name, value in self.pairs if name == key]
        if len(values) > 1:
            raise Invalid(f"key {key!r} is there {len(values)} times")
        return values[0] if values else None


def parse(raw: bytes) -> JsonObject:
    """One JSON object in UTF-8 and nothing else."""
    try:
        value = json.loads(
            raw.decode("utf-8"),
            parse_int=Number,
            parse_float=Number,
            parse_constant=NotJson,
            object_pairs_hook=JsonObject,
        )
    except UnicodeDecodeError:
        raise Invalid("not UTF-8") from None
    except RecursionError:
        raise Invalid("nested too deeply") from None
    except ValueError as error:
        raise Invalid(f"not JSON: {error}") from None
    if not isinstance(value, JsonObject):
        raise Invalid("not a JSON object")
    return value


def wrong_type(value: object, wanted: str) -> NoReturn:
    raise Invalid(f"expected {wanted}, found {value!r}")


def text(value: object) -> str | None:
    """A string of whole characters: a lone half of a surrogate pair is none."""
    if value is None:
        return None
    if not isinstance(value, str):
        wrong_type(value, "a string")
    if any(0xD800 <= ord(character) <= 0xDFFF for character in value):
        raise Invalid("a string with half a surrogate pair")
    return value


def required(value: str | None, name: str) -> str:
    if value is None:
        raise Invalid(f"no {name}")
    return value


def boolean(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    wrong_type(value, "true or false")


def an_object(value: object) -> JsonObject | None:
    if value is None or isinstance(value, JsonObject):
        return value
    wrong_type(value, "an object")


def a_list(value: object) -> list[object]:
    if value is None:
        return []
    if isinstance(value, list):
        return value
    wrong_type(value, "a list")


# --- numbers ---------------------------------------------------------------------------------


def mantissa_and_exponent(value: object) -> tuple[int, int]:
    """The number as ``mantissa * 10**exponent``, the mantissa without trailing zeros."""
    if not isinstance(value, Number):
        wrong_type(value, "a number")
    match = NUMBER.fullmatch(value.text)
    if match is None:
        wrong_type(value, "a number")
    sign, whole, decimals, power = match.groups(default="")
    digits = (whole + decimals).lstrip("0")
    significant = digits.rstrip("0")
    if not significant:
        return 0, 0
    if len(significant) > LONGEST_NUMBER or len(power.lstrip("+-0")) > 9:
        raise Invalid("a number of absurd length or size")
    exponent = int(power or "0") - len(decimals) + len(digits) - len(significant)
    return int(sign + significant), exponent


def integer(value: object) -> int | None:
    """A whole number of 64 bits, however it is written: 5, 5.0 and 5e0 are the same."""
    if value is None:
        return None
    mantissa, exponent = mantissa_and_exponent(value)
    if exponent < 0:
        raise Invalid("not a whole number")
    if exponent > 19 or mantissa * 10**exponent not in INT64:
        raise Invalid("a whole number beyond 64 bits")
    return int(mantissa * 10**exponent)


def money(value: object) -> Fraction | None:
    """An exact decimal of at most 18 places, below 10**20 either way."""
    if value is None:
        return None
    mantissa, exponent = mantissa_and_exponent(value)
    if exponent < -MONEY_DECIMALS:
        raise Invalid("money of more than 18 decimals")
    if len(str(abs(mantissa))) + exponent > MONEY_DIGITS:
        raise Invalid("money of 10**20 or more")
    return mantissa * Fraction(10) ** exponent


def rate(value: object) -> Fraction | None:
    """Any exact number; whether it can be a sampling rate is judged where it is used."""
    if value is None:
        return None
    mantissa, exponent = mantissa_and_exponent(value)
    if abs(exponent) > LONGEST_NUMBER:
        raise Invalid("a number of absurd length or size")
    return mantissa * Fraction(10) ** exponent


# --- time ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stamp:
    """An instant in exact seconds since 1970 UTC, the text it was read from, and whether that
    text had no offset (it is UTC then)."""

    seconds: Fraction
    text: str
    naive: bool


def stamp(value: object) -> Stamp:
    """An RFC 3339 timestamp; the offset may be missing, fractions may be of any length."""
    written = required(text(value), "ts")
    match = TIMESTAMP.fullmatch(written)
    if match is None:
        raise Invalid(f"not a timestamp: {written!r}")
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction, zulu, sign, offset_hour, offset_minute = match.groups()[6:]
    if hour > 23 or minute > 59 or second > 59:
        raise Invalid(f"no such time of day: {written!r}")
    try:
        days = date(year, month, day).toordinal() - FIRST_DAY
    except ValueError:
        raise Invalid(f"no such date: {written!r}") from None
    seconds = Fraction(days * 86400 + hour * 3600 + minute * 60 + second)
    if fraction is not None:
        seconds += decimal_fraction(fraction)
    if sign is not None:
        seconds -= offset_seconds(sign, int(offset_hour), int(offset_minute))
    return Stamp(seconds, written, naive=zulu is None and sign is None)


def decimal_fraction(digits: str) -> Fraction:
    """The value of the digits behind a decimal point."""
    if len(digits) > LONGEST_NUMBER:
        raise Invalid("a number of absurd length or size")
    return Fraction(int(digits), 10 ** len(digits))


def offset_seconds(sign: str, hours: int, minutes: int) -> int:
    if hours > 23 or minutes > 59:
        raise Invalid("no such offset")
    return (hours * 3600 + minutes * 60) * (-1 if sign == "-" else 1)


# --- the records -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Price:
    """USD per million tokens; None where the card is silent."""

    input: Fraction | None
    output: Fraction | None
    cache_read: Fraction | None
    cache_write: Fraction | None


@dataclass(frozen=True)
class ModelLine:
    """One model of a price-card snapshot. ``window`` is None when not known."""

    deployment: str
    ts: Stamp
    model: str
    window: int | None
    price: Price | None
    provider: str | None
    snapshot: str | None
    complete: bool | None
    size: int | None


@dataclass(frozen=True)
class Call:
    """One model call. A token count that is absent, null or negative is None."""

    deployment: str
    ts: Stamp
    model: str
    pack: str | None
    outcome: str | None
    input_tokens: int | None
    output_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    id: str | None
    agent: str | None
    provider: str | None

    @property
    def refused(self) -> bool:
        return self.outcome == "refused"


@dataclass(frozen=True)
class Search:
    """One retrieval, its numbers as recorded, negative or out of range included."""

    deployment: str
    ts: Stamp
    pack: str | None
    corpus: int | None
    sent: int | None
    sample_rate: Fraction | None
    id: str | None
    agent: str | None
    index: str | None
    model: str | None


@dataclass(frozen=True)
class Candidate:
    model: str | None
    cost: Fraction | None


@dataclass(frozen=True)
class Decision:
    """One routing decision."""

    deployment: str
    ts: Stamp
    candidates: tuple[Candidate, ...]
    picked: str | None
    baseline: str | None
    applied: bool
    id: str | None
    agent: str | None
    pack: str | None


@dataclass(frozen=True)
class Profile:
    deployment: str
    ts: Stamp
    profile: str | None
    always_on_usd_per_hour: Fraction | None


@dataclass(frozen=True)
class Cost:
    deployment: str
    ts: Stamp
    kind: str | None
    usd: Fraction | None


@dataclass(frozen=True)
class Other:
    """A record of a type that no lever reads: it is counted and that is all."""

    type: str


Read = ModelLine | Call | Search | Decision | Profile | Cost
Record = Read | Other


def model_line(deployment: str, ts: Stamp, attrs: JsonObject) -> ModelLine:
    return ModelLine(
        deployment=deployment,
        ts=ts,
        model=required(text(attrs.get("model")), "model"),
        window=window(an_object(attrs.get("limits"))),
        price=price(an_object(attrs.get("price"))),
        provider=text(attrs.get("provider")),
        snapshot=text(attrs.get("snapshot")),
        complete=boolean(attrs.get("complete")),
        size=integer(attrs.get("size")),
    )


def window(limits: JsonObject | None) -> int | None:
    """``context_tokens`` or else ``context_window``; not positive is not known."""
    if limits is None:
        return None
    first = integer(limits.get("context_tokens"))
    second = integer(limits.get("context_window"))
    chosen = second if first is None else first
    return chosen if chosen is not None and chosen > 0 else None


def price(card: JsonObject | None) -> Price | None:
    if card is None:
        return None
    return Price(
        input=money(card.get("input_per_m")),
        output=money(card.get("output_per_m")),
        cache_read=money(card.get("cache_read_per_m")),
        cache_write=money(card.get("cache_write_per_m")),
    )


def call(deployment: str, ts: Stamp, attrs: JsonObject) -> Call:
    return Call(
        deployment=deployment,
        ts=ts,
        model=required(text(attrs.get("model")), "model"),
        pack=text(attrs.get("pack")),
        outcome=text(attrs.get("outcome")),
        input_tokens=reported(attrs.get("input_tokens")),
        output_tokens=reported(attrs.get("output_tokens")),
        cache_read_tokens=reported(attrs.get("cache_read_tokens")),
        cache_write_tokens=reported(attrs.get("cache_write_tokens")),
        id=text(attrs.get("id")),
        agent=text(attrs.get("agent")),
        provider=text(attrs.get("provider")),
    )


def reported(value: object) -> int | None:
    """A call's token count; a negative one was not reported."""
    count = integer(value)
    return count if count is not None and count >= 0 else None


def search(deployment: str, ts: Stamp, attrs: JsonObject) -> Search:
    return Search(
        deployment=deployment,
        ts=ts,
        pack=text(attrs.get("pack")),
        corpus=integer(attrs.get("corpus_tokens_in_scope")),
        sent=integer(attrs.get("context_tokens_sent")),
        sample_rate=rate(attrs.get("sample_rate")),
        id=text(attrs.get("id")),
        agent=text(attrs.get("agent")),
        index=text(attrs.get("index")),
        model=text(attrs.get("model")),
    )


def decision(deployment: str, ts: Stamp, attrs: JsonObject) -> Decision:
    return Decision(
        deployment=deployment,
        ts=ts,
        candidates=tuple(candidate(item) for item in a_list(attrs.get("candidates"))),
        picked=text(attrs.get("picked")),
        baseline=text(attrs.get("baseline")),
        applied=boolean(attrs.get("applied")) is not False,
        id=text(attrs.get("id")),
        agent=text(attrs.get("agent")),
        pack=text(attrs.get("pack")),
    )


def candidate(item: object) -> Candidate:
    if not isinstance(item, JsonObject):
        wrong_type(item, "a candidate object")
    return Candidate(model=text(item.get("model")), cost=money(item.get("cost_usd")))


def profile(deployment: str, ts: Stamp, attrs: JsonObject) -> Profile:
    return Profile(
        deployment=deployment,
        ts=ts,
        profile=text(attrs.get("profile")),
        always_on_usd_per_hour=money(attrs.get("always_on_usd_per_hour")),
    )


def cost(deployment: str, ts: Stamp, attrs: JsonObject) -> Cost:
    return Cost(
        deployment=deployment,
        ts=ts,
        kind=text(attrs.get("kind")),
        usd=money(attrs.get("usd")),
    )


READERS: dict[str, Callable[[str, Stamp, JsonObject], Read]] = {
    "models": model_line,
    "model_call": call,
    "retrieval": search,
    "routing_decision": decision,
    "deployment_profile": profile,
    "cost": cost,
}


def read_line(raw: bytes) -> Record:
    """One line of the export as a typed record, or ``Invalid``."""
    line = parse(raw)
    kind = required(text(line.get("type")), "type")
    if kind not in READERS:
        return Other(kind)
    deployment = required(text(line.get("deployment")), "deployment")
    ts = stamp(line.get("ts"))
    attrs = an_object(line.get("attrs"))
    if attrs is None:
        raise Invalid("no attrs")
    return READERS[kind](deployment, ts, attrs)
