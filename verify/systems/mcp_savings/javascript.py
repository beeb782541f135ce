"""JSON as a JavaScript program reads it and writes it again, to the last byte.

The figures of this product are lengths of `JSON.stringify` of values that `JSON.parse` made. So the
rules here are ECMA-262's and not RFC 8259's (sections JSON.parse, SerializeJSONProperty,
QuoteJSONString, Number::toString, OrdinaryOwnPropertyKeys): of a key that stands twice the last
value counts, in the first one's place; keys that are array indices go first, ascending; a number is
the IEEE 754 double nearest to its text and is written as the shortest decimal that reads back as
that double; a number beyond all doubles is written `null`; half of a surrogate pair is written as
an escape; whatever else is above U+001F, but quotation mark and backslash, is written as it is.

A float stands here for a JavaScript number, which is the same double: Python reads and writes it
correctly rounded and shortest, so only the form of the digits differs. It never becomes a figure;
what is counted is the length of its text.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from verify.trust.rfc8259 import MAX_DEPTH, too_deep
from verify.trust.strictjson import NumberText, decoder

_LAST_INDEX = 2**32 - 2
_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SHORT_INTEGER = re.compile(r"-?[1-9][0-9]{0,14}")
_MOST_WHOLE = 21  # digits before the point, from where on the form is exponential
_MOST_ZEROS = 6  # zeros after the point, likewise


class NotJson(ValueError):
    """`JSON.parse` would throw, or the text nests deeper than is followed here; says where."""


@dataclass(frozen=True)
class Parsed:
    """What a text holds: dict, list, str, bool, None, or `NumberText` for a number. `repeated` are
    keys that stand twice in one object, in the order met."""

    value: Any
    repeated: tuple[str, ...] = ()


def parse(text: str) -> Parsed:
    """What `JSON.parse` makes of `text`. Raises NotJson.

    Deeper nesting than `MAX_DEPTH` is refused, so that every machine refuses the same.
    """
    if len(text) > MAX_DEPTH and too_deep(text):
        raise NotJson(f"nested more than {MAX_DEPTH} deep")
    repeated: dict[str, None] = {}

    def joined(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    repeated[key] = None
                seen.add(key)
        return found

    def constant(name: str) -> Any:
        raise NotJson(f"{name} is not a JSON number")

    try:
        value = decoder(joined, constant)(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise NotJson(f"not JSON at {where}: {error.msg}") from None
    return Parsed(value, tuple(repeated))


def stringify(value: Any) -> str:
    """What `JSON.stringify` writes for a value of `parse`, without blanks.

    The result can always be encoded as UTF-8.
    """
    parts: list[str] = []
    _write(value, parts)
    return "".join(parts)


def utf8_bytes(text: str) -> int:
    """The length of `text` in UTF-8, in bytes."""
    return len(text) if text.isascii() else len(text.encode())


def _write(value: Any, parts: list[str]) -> None:
    if isinstance(value, NumberText):
        parts.append(number(value))
    elif isinstance(value, str):
        parts.append(string(value))
    elif isinstance(value, dict):
        separator = "{"
        for key in ordered(value):
            parts.append(f"{separator}{string(key)}:")
            _write(value[key], parts)
            separator = ","
        parts.append("}" if value else "{}")
    elif isinstance(value, list):
        separator = "["
        for item in value:
            parts.append(separator)
            _write(item, parts)
            separator = ","
        parts.append("]" if value else "[]")
    else:
        parts.append({None: "null", True: "true", False: "false"}[value])


def ordered(value: dict[str, Any]) -> list[str]:
    """Array indices ascending, then the other keys as they were first met."""
    indices = [key for key in value if _INDEX.fullmatch(key) and int(key) <= _LAST_INDEX]
    if not indices:
        return list(value)
    known = set(indices)
    return [*sorted(indices, key=int), *(key for key in value if key not in known)]


def string(text: str) -> str:
    """A string as `JSON.stringify` quotes it."""
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    quoted = json.dumps(text, ensure_ascii=False)
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", quoted)


def number(text: str) -> str:
    """A JSON number, given as its text, as JavaScript writes it: `1e+21`, `0.000001`, `1e-7`."""
    if _SHORT_INTEGER.fullmatch(text):
        return text
    double = float(text)
    if math.isinf(double):
        return "null"
    if double == 0:
        return "0"
    _, digits, exponent = Decimal(repr(abs(double))).normalize().as_tuple()
    assert isinstance(exponent, int)
    return ("-" if double < 0 else "") + _form("".join(map(str, digits)), exponent)


def _form(digits: str, exponent: int) -> str:
    """Number::toString of digits x 10^exponent, the last digit not 0."""
    point = len(digits) + exponent  # how many digits stand before the decimal point
    if len(digits) <= point <= _MOST_WHOLE:
        return digits + "0" * exponent
    if 0 < point <= _MOST_WHOLE:
        return f"{digits[:point]}.{digits[point:]}"
    if -_MOST_ZEROS < point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{'+' if point > 0 else '-'}{abs(point - 1)}"
