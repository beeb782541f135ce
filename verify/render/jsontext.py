"""JSON that a terminal can be shown: every digit, and no character that it would obey."""

from __future__ import annotations

import json
import re
from typing import Any

from verify.render.safe import unprintable

_OTHER = re.compile(r"[^\n -~]")


def dumps(document: dict[str, Any]) -> str:
    """`document` as JSON with an indent of 1 and a newline at its end.

    Names stay readable in any script; controls, bidi and other format characters, lone surrogates
    and line separators are written `\\uXXXX`, which reads back as the same text. Raises ValueError
    on a float that JSON has no number for.
    """
    # All that JSON itself consists of is ASCII, so whatever is replaced stands inside a string.
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)
    return _OTHER.sub(_escaped, text) + "\n"


def _escaped(match: re.Match[str]) -> str:
    char = match[0]
    if not unprintable(char):
        return char
    # DEL is the one control that is ASCII and that JSON does not escape.
    return "\\u007f" if char == "\x7f" else json.dumps(char)[1:-1]
