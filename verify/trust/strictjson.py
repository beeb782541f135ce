"""JSON as RFC 8259 means it, with every number kept as its text.

The standard decoder is lenient in ways that let two programs read two things from one document:
it keeps the last of duplicate keys, accepts NaN and Infinity, and passes lone surrogates on. Here
each of these is an error. Trailing commas, comments and the like already are.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


class NotStrictJson(ValueError):
    """A document that is no JSON, or that two readers could read differently."""


class NumberText(str):
    """A JSON number as it was written; a type of its own so that no string is taken for one."""

    __slots__ = ()


def _reject_constant(name: str) -> Any:
    raise NotStrictJson(f"{name} is not a JSON number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise NotStrictJson(f"the key {key!r} stands twice in one object")
            seen.add(key)
    return found


def decoder(
    pairs_hook: Callable[[list[tuple[str, Any]]], Any] = _unique,
    constant_hook: Callable[[str], Any] = _reject_constant,
) -> Callable[[str], Any]:
    """A function from text to value; numbers come as `NumberText`."""
    return json.JSONDecoder(
        object_pairs_hook=pairs_hook,
        parse_float=NumberText,
        parse_int=NumberText,
        parse_constant=constant_hook,
        strict=True,
    ).decode


_decode = decoder()


def has_lone_surrogate(text: str) -> bool:
    """Whether `text` cannot be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _first_lone_surrogate(value: Any) -> str | None:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if has_lone_surrogate(item):
                return item
        elif isinstance(item, dict):
            stack.extend(item)
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return None


def loads(data: bytes) -> Any:
    """The one value in `data`: dict, list, str, bool, None, or `NumberText` for a number.

    A byte-order mark at the start is passed over. Raises NotStrictJson, saying where.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotStrictJson(f"not UTF-8 at byte {error.start + 1}") from None
    try:
        value = _decode(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise NotStrictJson(f"not JSON at {where}: {error.msg}") from None
    except RecursionError:
        raise NotStrictJson("nested deeper than any reader should follow") from None
    if "\\u" in text and _first_lone_surrogate(value) is not None:
        raise NotStrictJson("a string holds half of a surrogate pair, which is no character")
    return value
