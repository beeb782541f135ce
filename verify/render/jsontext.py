"""JSON that a terminal can be shown: every digit, and no character that it would obey."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from verify.render.safe import unprintable

# A list longer than this has a line an item: the indenting encoder is written in Python, and a
# million rows would keep it busy for minutes.
MANY = 1000
_OTHER = re.compile(r"[^\n -~]")


def dumps(document: dict[str, Any]) -> str:
    """`document` as JSON with an indent of 1 and a newline at its end.

    Names stay readable in any script; controls, bidi and other format characters, lone surrogates
    and line separators are written `\\uXXXX`, which reads back as the same text. Raises ValueError
    on a float that JSON has no number for.
    """
    # All that JSON itself consists of is ASCII, so whatever is replaced stands inside a string.
    text = "".join(_written(document, 0))
    return _OTHER.sub(_escaped, text) + "\n"


def _written(value: Any, depth: int) -> Iterator[str]:
    if not isinstance(value, dict | list | tuple) or not value:
        yield _plainly(value)
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    inside, outside = "\n" + " " * (depth + 1), "\n" + " " * depth
    separator = opening + inside
    if isinstance(value, dict):
        for key, item in value.items():
            yield f"{separator}{_plainly(key)}: "
            yield from _written(item, depth + 1)
            separator = "," + inside
    else:
        for item in value:
            yield separator
            yield from (_plainly(item),) if len(value) > MANY else _written(item, depth + 1)
            separator = "," + inside
    yield outside + closing


def _plainly(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _escaped(match: re.Match[str]) -> str:
    char = match[0]
    if not unprintable(char):
        return char
    # DEL is the one control that is ASCII and that JSON does not escape.
    return "\\u007f" if char == "\x7f" else json.dumps(char)[1:-1]
