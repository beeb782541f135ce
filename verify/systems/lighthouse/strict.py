"""The strict reading of one line: the typed record, or why the line is invalid.

Slow and plain, for the lines that the fast path will not vouch for. What it accepts is handed on
as a line of canonical JSON, which the same SQL then loads: integers in plain digits, instants in
UTC to the microsecond (finer digits beside them), decimals as strings so that no parser rounds
them. A record of a type that no lever reads is accepted whatever it holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, NoReturn

from verify.systems.lighthouse.fields import (
    ATTRIBUTES,
    CANDIDATE,
    FINER,
    LIMITS,
    LINE,
    PRICE,
    TOP,
    Attribute,
)
from verify.trust.strictjson import NumberText, decoder, has_lone_surrogate

COUNT_MIN, COUNT_MAX = -(2**63), 2**63 - 1
AMOUNT_PLACES = 18
AMOUNT_LIMIT = 10**20
MAX_EXPONENT = 400
_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:([Zz])|([-+])([0-9]{2}):([0-9]{2}))?"
)


class InvalidLine(Exception):
    """The line cannot reach a figure; `reason` says what was expected and what was found. `kind`
    is the type of its record, where that much is beyond doubt."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind: str | None = None


class _Object(dict[str, Any]):
    """An object that remembers which of its keys stood in it more than once."""

    repeated: frozenset[str] = frozenset()


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    found = _Object(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice: set[str] = set()
        for key, _ in pairs:
            (twice if key in seen else seen).add(key)
        found.repeated = frozenset(twice)
    return found


class _NotANumber(str):
    """NaN or an infinity, where JSON knows none."""

    __slots__ = ()


_decode = decoder(_object, _NotANumber)


def read_line(
    raw: bytes, names: Mapping[str, str] | None = None, line: int | None = None
) -> str | None:
    """The canonical form of a line, or None for a blank one. Raises InvalidLine.

    `names` maps an attribute of the contract to the export's own name for it; `line` is carried
    along as the number of the line.
    """
    record = _parse(raw)
    if record is None:
        return None
    kind = _text(record, "type", "type", required=True)
    assert kind is not None
    try:
        return _written(_typed(record, kind, names or {}), line)
    except InvalidLine as error:
        error.kind = kind
        raise


def _typed(record: _Object, kind: str, own: Mapping[str, str]) -> dict[str, Any]:
    """What is used of a record of that type. `own`: the export's names of attributes."""
    canonical: dict[str, Any] = {"type": kind}
    attributes = ATTRIBUTES.get(kind)
    if attributes is None:
        return _loosely(record, canonical)
    _unique(record, TOP, "the record")
    canonical["deployment"] = _text(record, "deployment", "deployment", required=True)
    canonical["ts"], finer = _instant(record)
    attrs = record.get("attrs")
    if not isinstance(attrs, _Object):
        raise InvalidLine(f"attrs: expected an object, found {_named(attrs)}")
    _unique(attrs, [own.get(a.name, a.name) for a in attributes], "attrs")
    typed = {a.name: _attribute(attrs, own.get(a.name, a.name), a) for a in attributes}
    if finer:
        typed[FINER] = finer
    if kind == "models" and typed["snapshot"] is None:
        typed["snapshot"] = record["ts"]  # lines without an id belong together by their ts text
    canonical["attrs"] = {name: value for name, value in typed.items() if value is not None}
    return canonical


def _parse(raw: bytes) -> _Object | None:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidLine(f"not UTF-8 at byte {error.start + 1}") from None
    text = text.strip(" \t\r\n")
    if not text:
        return None
    try:
        record = _decode(text)
    except json.JSONDecodeError as error:
        raise InvalidLine(f"not one JSON object: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise InvalidLine("nested too deeply to be followed") from None
    if not isinstance(record, _Object):
        raise InvalidLine(f"expected one JSON object, found {_named(record)}")
    if "type" in record.repeated:
        raise InvalidLine("the key 'type' stands twice in the record")
    return record


def _loosely(record: _Object, canonical: dict[str, Any]) -> dict[str, Any]:
    """What can be said of a record that no lever reads: where and when, if it is well formed."""
    for key, read in (("deployment", _deployment), ("ts", _only_instant)):
        try:
            canonical[key] = read(record)
        except InvalidLine:
            continue
    return canonical


def _deployment(record: _Object) -> str | None:
    return _text(record, "deployment", "deployment")


def _only_instant(record: _Object) -> str:
    return _instant(record)[0]


def _written(canonical: dict[str, Any], line: int | None) -> str:
    if line is not None:
        canonical.setdefault("attrs", {})[LINE] = str(line)
    return json.dumps(canonical, ensure_ascii=False, separators=(",", ":"))


def _named(value: Any) -> str:
    if value is None:
        return "null or nothing"
    if isinstance(value, _NotANumber):
        return str.__str__(value)
    if isinstance(value, NumberText):
        return f"the number {value if len(value) <= 40 else value[:37] + '...'}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"


def _wrong(where: str, expected: str, value: Any) -> NoReturn:
    raise InvalidLine(f"{where}: expected {expected}, found {_named(value)}")


def _unique(record: _Object, used: Any, where: str) -> None:
    for key in used:
        if key in record.repeated:
            raise InvalidLine(f"the key {key!r} stands twice in {where}")


def _text(record: _Object, key: str, where: str, *, required: bool = False) -> str | None:
    value = record.get(key)
    if value is None and not required:
        return None
    if type(value) is not str:
        _wrong(where, "a string", value)
    if has_lone_surrogate(value):
        raise InvalidLine(f"{where}: half of a surrogate pair is no character")
    return value


def _attribute(attrs: _Object, key: str, attribute: Attribute) -> Any:
    where = f"attrs.{key}"
    value = attrs.get(key)
    if attribute.kind == "text":
        return _text(attrs, key, where, required=attribute.required)
    if value is None:
        return None
    return _READERS[attribute.kind](value, where)


def _count(value: Any, where: str) -> int:
    if not isinstance(value, NumberText):
        _wrong(where, "an integer", value)
    number = _decimal(value, where)
    if number != number.to_integral_value():
        _wrong(where, "an integer", value)
    if not COUNT_MIN <= number <= COUNT_MAX:
        _wrong(where, "an integer of 64 bits", value)
    return int(number)


def _decimal(value: NumberText, where: str) -> Decimal:
    mantissa, _, exponent = value.lower().partition("e")
    if not mantissa.strip("-0."):
        return Decimal(0)  # whatever its exponent
    power = exponent.lstrip("+-0")
    if len(mantissa) > 1000 or len(power) > 3 or int(power or "0") > MAX_EXPONENT:
        _wrong(where, "a number of any sensible size", value)
    return Decimal(value)


def _amount(value: Any, where: str) -> str:
    if not isinstance(value, NumberText):
        _wrong(where, "a number", value)
    number = _decimal(value, where)
    if number.copy_abs() >= AMOUNT_LIMIT:
        _wrong(where, "an amount below 10^20", value)
    text = _plainly(number)
    if len(text.partition(".")[2]) > AMOUNT_PLACES:
        _wrong(where, f"at most {AMOUNT_PLACES} decimals", value)
    return text


def _rate(value: Any, where: str) -> str:
    if not isinstance(value, NumberText):
        _wrong(where, "a number", value)
    return _plainly(_decimal(value, where))


def _plainly(number: Decimal) -> str:
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        _wrong(where, "true or false", value)
    return value


def _part(value: Any, where: str, used: tuple[str, ...]) -> _Object:
    if not isinstance(value, _Object):
        _wrong(where, "an object", value)
    _unique(value, used, where)
    return value


def _price(value: Any, where: str) -> dict[str, str]:
    price = _part(value, where, PRICE)
    return {
        key: _amount(price[key], f"{where}.{key}") for key in PRICE if price.get(key) is not None
    }


def _limits(value: Any, where: str) -> dict[str, int]:
    limits = _part(value, where, LIMITS)
    return {
        key: _count(limits[key], f"{where}.{key}") for key in LIMITS if limits.get(key) is not None
    }


def _candidates(value: Any, where: str) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        _wrong(where, "an array", value)
    read = []
    for position, item in enumerate(value):
        here = f"{where}[{position}]"
        candidate = _part(item, here, CANDIDATE)
        cost = candidate.get("cost_usd")
        read.append(
            {
                "model": _text(candidate, "model", f"{here}.model"),
                "cost_usd": None if cost is None else _amount(cost, f"{here}.cost_usd"),
            }
        )
    return read


_READERS: dict[str, Any] = {
    "count": _count,
    "amount": _amount,
    "rate": _rate,
    "flag": _flag,
    "price": _price,
    "limits": _limits,
    "candidates": _candidates,
}


def _instant(record: _Object) -> tuple[str, str]:
    """The instant as canonical text, still without an offset where it had none, and what digits
    it has beyond the microsecond."""
    value = _text(record, "ts", "ts", required=True)
    assert value is not None
    match = _TIMESTAMP.fullmatch(value)
    if match is None:
        raise InvalidLine(f"ts: expected an RFC 3339 timestamp, found {value[:40]!r}")
    digits = match[7] or ""
    year, month, day, hour, minute, second = (int(match[part]) for part in range(1, 7))
    micro = int(digits[:6].ljust(6, "0"))
    try:
        at = datetime(year, month, day, hour, minute, second, micro, _offset(match))
        at = at.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidLine(f"ts: no such instant as {value[:40]!r}") from None
    naive = match[8] is None and match[9] is None
    return f"{at.replace(tzinfo=None).isoformat('T', 'microseconds')}{'' if naive else 'Z'}", (
        digits[6:].rstrip("0")
    )


def _offset(match: re.Match[str]) -> timezone:
    if match[9] is None:
        return UTC
    hours, minutes = int(match[10]), int(match[11])
    if hours > 23 or minutes > 59:
        raise ValueError("no such offset")
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if match[9] == "-" else offset)
