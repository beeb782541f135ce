"""JSON decoded into a shape as the product's own library does it, leniencies included.

Keys match without regard to case; of duplicate keys the last wins, and objects and the elements of
arrays that come twice are merged; null changes nothing but takes an optional object or an array
away; integers have 64 bits and no point or exponent; unknown keys are passed over. A value of
another type is an error of the line, but what else is in it is still decoded.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from verify.systems.leanproxy.instants import parse_stamp
from verify.systems.leanproxy.shape import (
    COUNT,
    FLAG,
    INTEGER,
    STAMP,
    TEXT,
    Kind,
    Many,
    Part,
    Shape,
)
from verify.trust.strictjson import NumberText, decoder

LOWEST, HIGHEST = -(2**63), 2**63 - 1
SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_INTEGER = re.compile(r"-?[0-9]+")
_WHOLE = re.compile(r"(-?[0-9]{1,19})(?:\.0*)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_MARK = "\ue000"


class Pairs(list[tuple[str, Any]]):
    """The members of a JSON object, in order, duplicates and all."""


class NoNumber(ValueError):
    """NaN or an infinity, which are no JSON."""


def _refuse(name: str) -> Any:
    raise NoNumber(name)


_decode = decoder(Pairs, _refuse)
loads_plainly = json.JSONDecoder(parse_constant=_refuse).decode
"""The standard decoder, for text in which no key stands twice."""


def _one_a_byte(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error("verify-one-a-byte", _one_a_byte)


def text_of(raw: bytes) -> str:
    """Bytes as text; each byte that is not UTF-8 becomes a replacement character."""
    return raw.decode("utf-8", "verify-one-a-byte")


def parse(text: str) -> Any:
    """The one JSON value in `text`, objects as `Pairs`, numbers as `NumberText`.

    Raises ValueError or RecursionError where there is none.
    """
    return _decode(text)


def folded(key: str) -> str:
    """A key without regard to case: ASCII letters, and the two other letters that fold to them."""
    return key.replace("\u017f", "s").lower()


def known_as(key: str, shape: Shape) -> str | None:
    """The field of `shape` that a key stands for."""
    if key in shape:
        return key
    other = folded(key)
    return other if other in shape else None


def escaped_members(text: str) -> frozenset[int]:
    """The positions of those members of the object in `text` whose value is a string with an
    escape in it. The product reads a timestamp from the raw text, where an escape is none."""
    if "\\" not in text:
        return frozenset()
    marked = _decode(_ESCAPE.sub(_MARK, text))
    return frozenset(
        at
        for at, (_, value) in enumerate(marked if isinstance(marked, Pairs) else ())
        if isinstance(value, str) and _MARK in value
    )


class Decoding:
    """One value decoded into a shape. `errors` says which fields could not be, and why.

    `lenient` also takes what a person would: `5000.0` and `"5000"` for an integer.
    """

    def __init__(self, *, lenient: bool = False) -> None:
        self.errors: list[tuple[str, str]] = []
        self._lenient = lenient

    def into(
        self,
        pairs: Pairs,
        shape: Shape,
        target: dict[str, Any],
        path: str = "",
        escaped: frozenset[int] = frozenset(),
    ) -> dict[str, Any]:
        """Decode the members of an object into `target`."""
        for at, (key, value) in enumerate(pairs):
            name = known_as(key, shape)
            if name is not None:
                place = f"{path}.{name}" if path else name
                self._field(place, shape[name], value, target, name, at in escaped)
        return target

    def _field(
        self,
        place: str,
        kind: Kind,
        value: Any,
        target: dict[str, Any],
        name: str,
        escaped: bool,
    ) -> None:
        if value is None:
            if isinstance(kind, Many) or (isinstance(kind, Part) and kind.optional):
                target.pop(name, None)
        elif isinstance(kind, Part):
            if isinstance(value, Pairs):
                self.into(value, kind.shape, target.setdefault(name, {}), place)
            else:
                self._wrong(place, "an object", value)
        elif isinstance(kind, Many):
            if isinstance(value, list) and not isinstance(value, Pairs):
                target[name] = self._elements(place, kind.shape, value, target.get(name, []))
            else:
                self._wrong(place, "an array", value)
        else:
            self._scalar(place, kind, value, target, name, escaped)

    def _elements(
        self, place: str, shape: Shape, values: list[Any], before: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        found = []
        for at, value in enumerate(values):
            element = before[at] if at < len(before) else {}
            found.append(element)
            if isinstance(value, Pairs):
                self.into(value, shape, element, f"{place}[{at}]")
            elif value is not None:
                self._wrong(f"{place}[{at}]", "an object", value)
        return found

    def _scalar(
        self,
        place: str,
        kind: Kind,
        value: Any,
        target: dict[str, Any],
        name: str,
        escaped: bool,
    ) -> None:
        if kind in (INTEGER, COUNT):
            number = self._integer(kind, value)
            if number is not None:
                target[name] = number
                return
        elif kind == FLAG and isinstance(value, bool):
            target[name] = value
            return
        elif kind == TEXT and _is_text(value):
            target[name] = _SURROGATE.sub("\ufffd", value)
            return
        elif kind == STAMP and _is_text(value) and not escaped:
            target[name] = value
            if parse_stamp(value) is not None:
                return
        self._wrong(place, str(kind), value)

    def _integer(self, kind: Kind, value: Any) -> int | None:
        low, high = (LOWEST, HIGHEST) if kind == INTEGER else (0, 2**64 - 1)
        if self._lenient and isinstance(value, str):
            match = _WHOLE.fullmatch(value)
            value = NumberText(match[1]) if match else value
        if not isinstance(value, NumberText) or not _INTEGER.fullmatch(value):
            return None
        if kind == COUNT and value.startswith("-"):
            return None
        if len(value) > 400:  # far outside, and not worth converting
            return None
        number = int(value)
        return number if low <= number <= high else None

    def _wrong(self, place: str, expected: str, value: Any) -> None:
        self.errors.append((place, f"{place}: expected {expected}, found {described(value)}"))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, NumberText)


def described(value: Any) -> str:
    """A JSON value in a few words."""
    if isinstance(value, NumberText):
        return f"the number {_short(value)}"
    if isinstance(value, str):
        return f"the string {_short(value)!r}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Pairs):
        return "an object"
    return "an array" if isinstance(value, list) else "null"


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def counted_keys(value: dict[str, Any], shape: Shape) -> int:
    """How many keys an object has, those of known objects in it included; -1 where anything in it
    is not plainly what the shape says, which the decoder then judges."""
    count = len(value)
    for key, item in value.items():
        kind = shape.get(key)
        if kind is INTEGER:
            if type(item) is not int or not LOWEST <= item <= HIGHEST:
                return -1
        elif kind is TEXT or kind is STAMP:
            if type(item) is not str:
                return -1
        elif kind is FLAG:
            if type(item) is not bool:
                return -1
        elif kind is COUNT:
            if type(item) is not int or not 0 <= item < 2**64:
                return -1
        else:
            inner = _counted_parts(key, item, kind, shape)
            if inner < 0:
                return -1
            count += inner
    return count


def _counted_parts(key: str, item: Any, kind: Kind | None, shape: Shape) -> int:
    if kind is None:
        return -1 if known_as(key, shape) is not None else 0
    if isinstance(kind, Part):
        if type(item) is not dict:
            return -1
        return (
            _counted_integers(item, kind.shape)
            if kind.counters
            else (counted_keys(item, kind.shape))
        )
    assert isinstance(kind, Many)
    if type(item) is not list:
        return -1
    counts = [counted_keys(one, kind.shape) if type(one) is dict else -1 for one in item]
    return -1 if -1 in counts else sum(counts)


def _counted_integers(value: dict[str, Any], shape: Shape) -> int:
    """The same where nothing but integers belongs, which is most of a line."""
    if value.keys() <= shape.keys() and set(map(type, value.values())) <= {int}:
        numbers = value.values()
        if not numbers or LOWEST <= min(numbers) <= max(numbers) <= HIGHEST:
            return len(value)
    return counted_keys(value, shape)


def record_starts(text: str) -> list[int]:
    """Where in a line a record begins, as the product writes records."""
    return [match.start() for match in re.finditer(r'\{"timestamp":', text)]


def records_in(text: str) -> Iterator[str]:
    """The pieces of a line that each begin as a record does."""
    starts = [*record_starts(text), len(text)]
    for start, end in pairwise(starts):
        yield text[start:end]
