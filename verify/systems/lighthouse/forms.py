"""What a JSON value looks like, without the value: its type, its form, and how large it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any


class Look:
    """The type and form of a value; `size` counts what `UNITS` says of the form.

    Counted by the million: of equal ones there is one, as far as that can be, and each is equal to
    itself alone.
    """

    __slots__ = ("form", "size", "type")

    def __init__(self, kind: str, form: str, size: int = 0) -> None:
        self.type = kind
        self.form = form
        self.size = size


UNITS = {
    "integer": "digits",
    "negative integer": "digits",
    "number": "decimals",
    "negative number": "decimals",
    "word": "characters",
    "text": "characters",
    "digits in a string": "digits",
    "array": "items",
    "object": "members",
}

_NULL = Look("null", "null")
_BOOLEAN = Look("boolean", "true or false")
_NO_NUMBER = Look("number", "NaN or an infinity, which is no JSON")
_EXPONENT = Look("number", "number with an exponent")
_INSTANT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?"
_STRINGS = (
    ("empty", ""),
    ("timestamp with Z", f"{_INSTANT}[Zz]"),
    ("timestamp with offset", f"{_INSTANT} ?[-+][0-9]{{2}}:?(?:[0-9]{{2}})?"),
    ("timestamp without offset", _INSTANT),
    ("date", r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    ("uuid-like", r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    ("digits in a string", r"-?[0-9]+"),
    ("decimal in a string", r"-?[0-9]*\.[0-9]+(?:[eE][-+]?[0-9]+)?"),
    ("hex-64", r"[0-9a-fA-F]{64}"),
    ("hex-40", r"[0-9a-fA-F]{40}"),
    ("hex-32", r"[0-9a-fA-F]{32}"),
    ("word", r"[^\s]+"),
)
_STRING = re.compile("|".join(f"({pattern})" for _, pattern in _STRINGS))
_FORMS = tuple(form for form, _ in _STRINGS)


def look_of(value: Any) -> Look:
    """What a value as `lenient` hands it out looks like."""
    kind = type(value)
    if kind is str:
        return _string(value)
    if kind is Look:
        return value  # type: ignore[no-any-return]
    if value is None:
        return _NULL
    if kind is bool:
        return _BOOLEAN
    return _of_size("array" if kind is list else "object", False, len(value))


def lenient() -> Callable[[str], Any]:
    """A decoder that passes over what a strict one refuses: the last of duplicate keys counts, and
    NaN is something. A number comes as what it looks like."""
    return json.JSONDecoder(
        parse_int=_integer, parse_float=_number, parse_constant=lambda _: _NO_NUMBER, strict=False
    ).decode


@lru_cache(maxsize=4096)
def _string(text: str) -> Look:
    match = _STRING.fullmatch(text)
    if match is None or match.lastindex is None:
        return _of_size("string", False, len(text), "text")
    form = _FORMS[match.lastindex - 1]
    return _of_size("string", False, len(text.lstrip("-")) if form in UNITS else 0, form)


def _integer(text: str) -> Look:
    return _of_size("integer", text[0] == "-", len(text) - (text[0] == "-"))


def _number(text: str) -> Look:
    if "e" in text or "E" in text:
        return _EXPONENT
    return _of_size("number", text[0] == "-", len(text) - text.index(".") - 1)


@lru_cache(maxsize=4096)
def _of_size(kind: str, negative: bool, size: int, form: str = "") -> Look:
    return Look(kind, form or (f"negative {kind}" if negative else kind), size)


def form_words(form: str, least: int, most: int) -> str:
    """A form with the range of sizes that was seen of it, in words."""
    unit = UNITS.get(form)
    if unit is None:
        return form
    one = unit.removesuffix("s") if least == most == 1 else unit
    joined = "with" if unit in ("decimals", "items", "members") else "of"
    return (
        f"{form} {joined} {least:,} {one}"
        if least == most
        else (f"{form} {joined} {least:,} to {most:,} {unit}")
    )
