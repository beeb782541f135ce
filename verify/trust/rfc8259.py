"""One line held to RFC 8259, rule by rule.

For whoever wants to know which rules a line breaks and not only that it breaks one. A line is one
object. Beyond the grammar it must be what two programs cannot read differently: UTF-8, no key twice
in an object at any depth, no NaN or infinity, no half of a surrogate pair.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any, NoReturn

MAX_DEPTH = 500
"""Objects and arrays inside each other. Deeper ones are not followed, on any machine alike."""

_BLANKS = " \t\r\n"
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[{]|[\]}]', re.DOTALL)
_NAME = 40  # characters of a key that a message shows


class Rule(StrEnum):
    """What a line can break, in words."""

    utf8 = "not UTF-8"
    one_object = "not one object a line"
    grammar = "not JSON"
    trailing_comma = "a trailing comma"
    constant = "NaN or an infinity"
    control = "a control character in a string"
    surrogate = "half of a surrogate pair"
    repeated = "a key twice in one object"
    depth = f"nested more than {MAX_DEPTH} deep"


class BrokenRule(ValueError):
    """The line is no object that can be looked into; `rule` says why, `detail` where."""

    def __init__(self, rule: Rule, detail: str) -> None:
        super().__init__(f"{rule}, {detail}")
        self.rule = rule
        self.detail = detail


class LineReader:
    """Reads lines one after another.

    After `read`, `repeated` holds the keys that stood twice in one object of that line, in order;
    the value has the last of each. Numbers that a float would round are not kept: an integer of
    more than 18 digits, or one written otherwise than plainly, comes as 1, and any other number of
    more than 15 digits or with an exponent as 0.5, which is of the same kind.
    """

    def __init__(self) -> None:
        self.repeated: dict[str, None] = {}
        self._decode = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_int=_whole,
            parse_float=_real,
            parse_constant=_constant,
            strict=True,
        ).decode

    def read(self, raw: bytes) -> dict[str, Any] | None:
        """The object on the line, or None when it is blank. Raises BrokenRule."""
        self.repeated = {}
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise BrokenRule(Rule.utf8, f"at byte {error.start + 1}") from None
        if len(text) > MAX_DEPTH and too_deep(text):
            raise BrokenRule(Rule.depth, "not looked into")
        try:
            value = self._decode(text)
        except json.JSONDecodeError as error:
            if not text.strip(_BLANKS):
                return None
            raise _broken(error) from None
        if type(value) is not dict:
            raise BrokenRule(Rule.one_object, f"found {_named(value)}")
        if ("\\ud" in text or "\\uD" in text) and (at := _lone_surrogate(text)) is not None:
            raise BrokenRule(Rule.surrogate, f"at column {at + 1}")
        return value

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    self.repeated[key] = None
                seen.add(key)
        return found


def is_integral(text: str) -> bool:
    """Whether a JSON number is an integer, whatever its length and exponent."""
    try:
        _, digits, exponent = Decimal(text).as_tuple()
    except InvalidOperation:  # an exponent beyond eighteen digits
        mantissa, _, power = text.lower().partition("e")
        return not power.startswith("-") or not mantissa.strip("-0.")
    assert isinstance(exponent, int)
    return exponent >= 0 or not any(digits[exponent:])


def shown(key: str) -> str:
    """A key as a message names it: in quotes, escaped, and short."""
    return repr(key if len(key) <= _NAME else f"{key[: _NAME - 3]}...")


def too_deep(text: str) -> bool:
    """Whether a JSON text may nest more than `MAX_DEPTH` deep, without following it there."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        first = text[token.start()]
        if first in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif first in "]}":
            depth -= 1
    return False


def _whole(text: str) -> int:
    return int(text) if len(text) <= 18 else 1


def _real(text: str) -> float:
    if len(text) <= 16 and "e" not in text and "E" not in text:
        return float(text)
    return 1 if is_integral(text) else 0.5


def _constant(name: str) -> NoReturn:
    raise BrokenRule(Rule.constant, f"found {name}")


def _broken(error: json.JSONDecodeError) -> BrokenRule:
    column = f"at column {error.colno}"
    if error.msg == "Extra data":
        return BrokenRule(Rule.one_object, f"something follows {column}")
    if error.msg.startswith("Invalid control character"):
        return BrokenRule(Rule.control, column)
    if _after_comma(error):
        return BrokenRule(Rule.trailing_comma, column)
    what = error.msg.removesuffix(" at")
    return BrokenRule(Rule.grammar, f"{what[:1].lower()}{what[1:]} {column}")


def _after_comma(error: json.JSONDecodeError) -> bool:
    if "trailing comma" in error.msg:  # what Python says from 3.13 on
        return True
    before, after = error.doc[: error.pos].rstrip(_BLANKS), error.doc[error.pos :].lstrip(_BLANKS)
    return before.endswith(",") and after.startswith(("}", "]"))


def _lone_surrogate(text: str) -> int | None:
    """Where the first escape stands that is half of a pair without its other half."""
    high: int | None = None  # where an upper half stands that waits for its lower one
    after = -1
    for escape in _ESCAPE.finditer(text):
        code = int(escape[1], 16) if escape[1] else 0
        if high is not None and not (escape.start() == after and 0xDC00 <= code <= 0xDFFF):
            return high
        if high is not None:
            high = None
        elif 0xD800 <= code <= 0xDBFF:
            high, after = escape.start(), escape.end()
        elif 0xDC00 <= code <= 0xDFFF:
            return escape.start()
    return high


def _named(value: Any) -> str:
    if isinstance(value, list):
        return "an array"
    return "a string" if isinstance(value, str) else "a value that is no object"
