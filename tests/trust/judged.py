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

from oracle.records import Invalid, Other, Record, Search
from oracle.records import read_line as oracle_line

from trust.mutations import tokens_of
from verify.systems.lighthouse.fields import COLUMNS, FINER, LINE, TOP

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST = int((datetime(1, 1, 1, tzinfo=UTC) - EPOCH).total_seconds())
LATEST = int((datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC) - EPOCH).total_seconds()) + 1

# RFC 3339 allows a small t; the independent reader does not know it.
SMALL_T = re.compile(rb'"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:t|\\u0074)')
# It reads rates of any size; ours refuses an exponent beyond 400 before it fills the memory.
_POWER = re.compile(rb'"sample_rate"\s*:\s*-?[0-9.]*[1-9][0-9.]*[eE][-+]?0*([0-9]+)')
_NOT_A_NUMBER = re.compile(rb"nan|inf|infinity", re.IGNORECASE)


def record_of(raw: bytes) -> Record | None:
    """The record that a line holds; None where it is refused, lies outside every calendar, or
    holds a rate out of all proportion."""
    try:
        record = oracle_line(raw)
    except Invalid:
        return None
    if not isinstance(record, Other) and not EARLIEST <= record.ts.seconds < LATEST:
        return None
    if isinstance(record, Search) and record.sample_rate:
        power = _POWER.search(raw)
        return None if power is not None and int(power[1]) > 400 else record
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


class _Pairs(list[tuple[str, Any]]):
    """An object as it is written, repeated keys included."""

    def repeats(self, used: tuple[str, ...]) -> bool:
        keys = [key for key, _ in self if key in used]
        return len(keys) != len(set(keys))


def _pairs(pairs: list[tuple[str, Any]]) -> _Pairs:
    json.dumps(pairs, ensure_ascii=False).encode()  # no half of a surrogate pair
    return _Pairs(pairs)


def is_json(raw: bytes) -> bool:
    """Whether the line is such that only the values in it can be wrong, not how it is written: a
    parser that is told the types of record and attributes takes it."""
    try:
        value = json.loads(forgiven(raw).decode(), object_pairs_hook=_pairs)
    except (ValueError, RecursionError):
        return False
    if b"\n" in raw or not isinstance(value, _Pairs) or value.repeats(TOP):
        return False
    attrs = dict(value).get("attrs")
    return attrs is None or (
        isinstance(attrs, _Pairs) and not attrs.repeats((*COLUMNS, LINE, FINER))
    )
