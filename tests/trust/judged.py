"""What an independent strict reader says of a line, and which departures from JSON are harmless.

A line that the strict reader refuses may only be accepted where no value that is used can be in
doubt: a trailing comma, white space that JSON does not know at an end of the line, a NaN in other
letters. `forgiven` takes these away; what it leaves must still please the strict reader.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

from oracle.records import Invalid, Other, Record
from oracle.records import read_line as oracle_line

from trust.mutations import tokens_of
from verify.systems.lighthouse.fields import COLUMNS, FINER, LINE, TOP

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST = int((datetime(1, 1, 1, tzinfo=UTC) - EPOCH).total_seconds())
LATEST = int((datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC) - EPOCH).total_seconds()) + 1

# RFC 3339 allows a small t; the independent reader does not know it.
SMALL_T = re.compile(rb'"[0-9]{4}-[0-9]{2}-[0-9]{2}t')
_NOT_A_NUMBER = re.compile(rb"nan|inf|infinity", re.IGNORECASE)


def record_of(raw: bytes) -> Record | None:
    """The record that a line holds; None where it is refused, or lies outside every calendar."""
    try:
        record = oracle_line(raw)
    except Invalid:
        return None
    if not isinstance(record, Other) and not EARLIEST <= record.ts.seconds < LATEST:
        return None
    return record


def is_blank(raw: bytes) -> bool:
    """Whether a line holds nothing at all."""
    return not raw.strip(b" \t\r\n")


def forgiven(raw: bytes) -> bytes:
    """The line without what is harmless in it."""
    tokens = tokens_of(raw.strip(b" \t\r\n\x0b\x0c"))
    for at, token in enumerate(tokens):
        if _NOT_A_NUMBER.fullmatch(token):
            tokens[at] = b"NaN"
            if at and tokens[at - 1] == b"-":
                tokens[at - 1] = b""
        elif token in (b"}", b"]"):
            comma = _before(tokens, at)
            if tokens[comma] == b"," and tokens[_before(tokens, comma)] not in (b"{", b"[", b","):
                tokens[comma] = b""
    return b"".join(tokens)


def _before(tokens: list[bytes], at: int) -> int:
    """Where the token before that one stands, white space passed over."""
    at -= 1
    while at > 0 and not tokens[at].strip(b" \t\r\n"):
        at -= 1
    return max(at, 0)


class _Repeated(ValueError):
    pass


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    used = [key for key, _ in pairs if key in (*COLUMNS, *TOP, LINE, FINER)]
    if len(used) != len(set(used)):
        raise _Repeated
    json.dumps(pairs, ensure_ascii=False).encode()  # no half of a surrogate pair
    return dict(pairs)


def is_json(raw: bytes) -> bool:
    """Whether the line is such that only the values in it can be wrong, not how it is written."""
    try:
        value = json.loads(forgiven(raw).decode(), object_pairs_hook=_pairs)
    except (ValueError, RecursionError):
        return False
    return (
        b"\n" not in raw and isinstance(value, dict) and isinstance(value.get("attrs"), dict | None)
    )
