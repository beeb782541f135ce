"""One line of a usage store: what the product reads in it, or why it passes it over.

The report and the dashboard's live reader do not read quite alike. The report decodes every line
whole. The live reader looks at the timestamp and the session of every line, and decodes the rest
only of the lines that it needs: a line whose rest cannot be decoded is still a session's latest,
and then leaves that session out [reading, from the product's published source].
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from json import JSONDecodeError
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from verify.systems.leanproxy.golang import (
    SPACES,
    Decoding,
    Pairs,
    counted_keys,
    described,
    escaped_members,
    loads_plainly,
    parse,
    record_starts,
    records_in,
    text_of,
)
from verify.systems.leanproxy.instants import SECOND, ZERO, parse_stamp, plain_stamp
from verify.systems.leanproxy.shape import LINE, Governor, Snapshot, Telemetry, Tool

TORN, GLUED, MALFORMED, MISTYPED = "torn", "glued", "malformed", "mistyped"
_KEY_FIELDS = ("timestamp", "session_id")


class Line(NamedTuple):
    """A record. `at` is its instant, `offset` how its timestamp stood to UTC, in seconds.

    `snapshot` is None where only timestamp and session can be read.
    """

    at: int
    offset: int
    session: str
    estimator: str
    snapshot: Snapshot | None


class Reason(NamedTuple):
    """Why a line is passed over: a word for the sort, and a sentence."""

    sort: str
    words: str


class Decoded(NamedTuple):
    """What a line is to the report (`line`) and to the live reader (`live`), None where they pass
    it over; `reason` says why the report does, and is None for a blank line.

    `plain`: written as the product itself writes, so that an equal rest of a line says the same.
    """

    line: Line | None
    live: Line | None
    reason: Reason | None = None
    plain: bool = False


_BLANK = Decoded(None, None)
_Fields = TypeVar("_Fields", Telemetry, Governor, Tool)
_TELEMETRY = itemgetter(*Telemetry._fields)
_GOVERNOR = itemgetter(*Governor._fields)
_TOOL = itemgetter(*Tool._fields)


def decode(raw: bytes) -> Decoded:
    """Read one line, without its line feed."""
    line = _plainly(raw.strip(b" \t\r"))
    if line is not None:
        return Decoded(line, _seen_live(line), plain=True)
    return _carefully(raw)


def _plainly(raw: bytes) -> Line | None:
    """A line as the product itself writes it. None says nothing: the careful way decides.

    Without an escape and without white space, `":` stands once for every key that was written;
    one more than there are keys after decoding is a key that stands twice.
    """
    if b"\\" in raw or b" " in raw or b"\t" in raw:
        return None
    try:
        document = loads_plainly(raw.decode())
    except (ValueError, RecursionError):
        return None
    if type(document) is not dict or counted_keys(document, LINE) != raw.count(b'":'):
        return None
    stamp = document.get("timestamp")
    at = None if stamp is None else plain_stamp(stamp.encode())
    return None if at is None else _line(document, at, 0)


def _line(document: dict[str, Any], at: int, offset: int) -> Line:
    snapshot = document.get("snapshot") or {}
    governor = snapshot.get("response_governor")
    found = Snapshot(
        _picked(Telemetry, _TELEMETRY, snapshot.get("telemetry") or {}),
        None if governor is None else _picked(Governor, _GOVERNOR, governor),
        tuple(_picked(Tool, _TOOL, tool) for tool in (governor or {}).get("by_tool") or ()),
    )
    return Line(at, offset, document.get("session_id", ""), document.get("estimator", ""), found)


def _picked(into: type[_Fields], pick: Callable[[dict[str, Any]], Any], values: Any) -> _Fields:
    """The fields of a named tuple out of an object; its defaults for those that are not there."""
    try:
        return into._make(pick(values))
    except KeyError:
        return into(**{name: values[name] for name in into._fields if name in values})


def _seen_live(line: Line) -> Line | None:
    """The live reader passes over what has neither a session nor a time."""
    return None if line.session == "" and line.at == ZERO else line


def _carefully(raw: bytes) -> Decoded:
    text = text_of(raw)
    trimmed = text.strip(SPACES)
    if not trimmed:
        return _BLANK
    try:
        value = parse(trimmed)
    except (ValueError, RecursionError) as error:
        return Decoded(None, None, _unreadable(trimmed, error))
    # The report trims any white space of Unicode before it decodes, the live reader none.
    live = trimmed == text.strip(" \t\r")
    if value is None:
        return Decoded(Line(ZERO, 0, "", "", Snapshot()), None)
    if not isinstance(value, Pairs):
        words = f"the line is {described(value)}, not an object"
        return Decoded(None, None, Reason(MISTYPED, words))
    decoding = Decoding()
    document = decoding.into(value, LINE, {}, escaped=escaped_members(trimmed))
    stamp = document.get("timestamp")
    at, offset = (ZERO, 0) if stamp is None else parse_stamp(stamp) or (ZERO, 0)
    line = _line(document, at, offset)
    if not decoding.errors:
        return Decoded(line, _seen_live(line) if live else None)
    key_read = live and not any(place in _KEY_FIELDS for place, _ in decoding.errors)
    key = Line(at, offset, line.session, line.estimator, None) if key_read else None
    reason = Reason(MISTYPED, "; ".join(words for _, words in decoding.errors[:3]))
    return Decoded(None, None if key is None else _seen_live(key), reason)


def _unreadable(text: str, error: Exception) -> Reason:
    starts = record_starts(text)
    if len(starts) > 1 or (starts and text[: starts[0]].strip("\ufeff")):
        return Reason(GLUED, "a record begins in the middle of it, without a line feed before")
    if text.startswith("\ufeff"):
        return Reason(MALFORMED, "it begins with a byte-order mark")
    if isinstance(error, JSONDecodeError):
        if _ends_early(text, error):
            return Reason(TORN, "it ends in the middle of a record")
        return Reason(MALFORMED, f"it is not JSON at character {error.pos + 1}")
    if isinstance(error, RecursionError):
        return Reason(MALFORMED, "it is nested deeper than this program follows")
    return Reason(MALFORMED, f"it is not JSON: {error} is no number")


def _ends_early(text: str, error: JSONDecodeError) -> bool:
    rest = text[error.pos :]
    return (
        not rest
        or error.msg.startswith("Unterminated string")
        or any(word.startswith(rest) for word in ("true", "false", "null", "-"))
        or (error.msg.startswith("Invalid \\u") and len(rest) < 6)
    )


def salvaged(raw: bytes) -> list[Line]:
    """The records that a person would see in a line that the product passes over: each that was
    glued to another, what follows a byte-order mark, `5000.0` and `"5000"` as integers, a
    timestamp without its zone in UTC. Empty where nothing can be said."""
    text = text_of(raw).strip(SPACES + "\ufeff")
    found = []
    for piece in list(records_in(text)) or [text]:
        try:
            value = parse(piece)
        except (ValueError, RecursionError):
            continue
        line = _salvaged(value) if isinstance(value, Pairs) else None
        if line is not None:
            found.append(line)
    return found


def _salvaged(pairs: Pairs) -> Line | None:
    document = Decoding(lenient=True).into(pairs, LINE, {})
    stamp = document.get("timestamp")
    if not isinstance(stamp, str):
        return None
    parsed = parse_stamp(stamp)
    if parsed is None:
        try:
            guessed = datetime.fromisoformat(stamp)
        except ValueError:
            return None
        if guessed.tzinfo is None:
            guessed = guessed.replace(tzinfo=UTC)
        since = guessed - datetime(1970, 1, 1, tzinfo=UTC)
        seconds = since.days * 86_400 + since.seconds
        parsed = seconds * SECOND + since.microseconds * 1000, 0
    return _line(document, *parsed)
