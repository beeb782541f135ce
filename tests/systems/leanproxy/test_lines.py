"""What the product reads in a line, and what it passes over without a word."""

from __future__ import annotations

import json
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.leanproxy.oracle import DAY
from systems.leanproxy.stores import MONDAY, line, record

from verify.systems.leanproxy.instants import (
    ZERO,
    date_text,
    day_number,
    parse_day,
    parse_stamp,
    plain_stamp,
    stamp_text,
)
from verify.systems.leanproxy.lines import decode, salvaged

LINE = line(
    governor={"original_tokens": 10, "returned_tokens": 4, "saved_tokens": 6},
    tools=[{"tool": "a.b", "results": 1, "original_tokens": 10, "returned_tokens": 4}],
    schema_native_tokens_total=5000,
)
TEXT = LINE.decode()


def native(raw: bytes) -> int | None:
    """The native schema tokens that the report reads; None for a line that it passes over."""
    found = decode(raw).line
    if found is None:
        return None
    assert found.snapshot is not None
    return found.snapshot.telemetry.schema_native_tokens_total


def with_native(text: str) -> bytes:
    return TEXT.replace('"schema_native_tokens_total":5000', text).encode()


READ = {
    "as written": (LINE, 5000),
    "with white space": (json.dumps(json.loads(LINE)).encode(), 5000),
    "with CR": (LINE + b"\r", 5000),
    "inside unicode white space": ("\u2003\u00a0".encode() + LINE + b"\x0b", 5000),
    "other case": (TEXT.replace("telemetry", "TeleMetry").encode(), 5000),
    "long s": (TEXT.replace("snapshot", "\u017fnap\u017fhot").encode(), 5000),
    "kelvin": (TEXT.replace('"pid":1', '"to\u212aens":1').encode(), 5000),
    "key twice, the last wins": (
        with_native('"schema_native_tokens_total":5000,"schema_native_tokens_total":7'),
        7,
    ),
    "key twice in another case": (
        with_native('"schema_native_tokens_total":5000,"Schema_Native_Tokens_Total":8'),
        8,
    ),
    "object twice is merged": (TEXT[:-1].encode() + b',"snapshot":{}}', 5000),
    "object and null": (TEXT[:-1].encode() + b',"snapshot":null}', 5000),
    "null changes nothing": (
        with_native('"schema_native_tokens_total":5000,"schema_native_tokens_total":null'),
        5000,
    ),
    "null for all": (with_native('"schema_native_tokens_total":null'), 0),
    "absent": (with_native('"other":1'), 0),
    "unknown members of any type": (with_native('"x":[1.5,{"y":null}],"z":1e999'), 0),
    "escaped key": (with_native('"schema_native_\\u0074okens_total":9'), 9),
    "negative": (with_native('"schema_native_tokens_total":-3'), -3),
    "minus zero": (with_native('"schema_native_tokens_total":-0'), 0),
    "the largest": (with_native('"schema_native_tokens_total":9223372036854775807'), 2**63 - 1),
    "the least": (with_native('"schema_native_tokens_total":-9223372036854775808'), -(2**63)),
    "null pid": (TEXT.replace('"pid":1', '"pid":null').encode(), 5000),
    "no session": (TEXT.replace('"session_id":"s1",', "").encode(), 5000),
    "null": (b"null", 0),
    "empty object": (b"{}", 0),
    "a colon in front of a name": (TEXT.replace('"a.b"', '":a"').encode(), 5000),
    "bytes that are no UTF-8": (LINE.replace(b'"s1"', b'"s\xff1"'), 5000),
    "half a surrogate pair": (TEXT.replace('"s1"', '"\\ud800"').encode(), 5000),
}
SKIPPED = {
    "point": (with_native('"schema_native_tokens_total":5000.0'), "mistyped"),
    "exponent": (with_native('"schema_native_tokens_total":5e3'), "mistyped"),
    "string": (with_native('"schema_native_tokens_total":"5000"'), "mistyped"),
    "truth value": (with_native('"schema_native_tokens_total":true'), "mistyped"),
    "too large": (with_native('"schema_native_tokens_total":9223372036854775808'), "mistyped"),
    "too small": (with_native('"schema_native_tokens_total":-9223372036854775809'), "mistyped"),
    "thousands of digits": (with_native('"schema_native_tokens_total":' + "9" * 5000), "mistyped"),
    "in a counter that no figure reads": (with_native('"requests_total":"1"'), "mistyped"),
    "string pid": (TEXT.replace('"pid":1', '"pid":"1"').encode(), "mistyped"),
    "number as session": (TEXT.replace('"s1"', "1").encode(), "mistyped"),
    "array as snapshot": (b'{"timestamp":"2026-09-21T00:00:00Z","snapshot":[]}', "mistyped"),
    "object as tools": (TEXT.replace('"by_tool":[', '"by_tool":{},"x":[').encode(), "mistyped"),
    "number in tools": (TEXT.replace('"by_tool":[', '"by_tool":[1,').encode(), "mistyped"),
    "text as flag": (TEXT.replace('"enabled":true', '"enabled":"true"').encode(), "mistyped"),
    "negative eviction": (
        TEXT.replace('"enabled":true', '"store":{"evictions":-1}').encode(),
        "mistyped",
    ),
    "negative cache hit": (
        TEXT.replace('"telemetry"', '"response_cache":{"hits":-1},"telemetry"').encode(),
        "mistyped",
    ),
    "wrong and then right": (
        with_native('"schema_native_tokens_total":1.5,"schema_native_tokens_total":2'),
        "mistyped",
    ),
    "stamp without zone": (line("2026-09-23T12:00:00"), "mistyped"),
    "stamp with a blank": (line("2026-09-23 12:00:00Z"), "mistyped"),
    "stamp of no day": (line("2026-02-30T12:00:00Z"), "mistyped"),
    "second 60": (line("2026-09-23T12:00:60Z"), "mistyped"),
    "stamp as number": (TEXT.replace('"2026-09-21T00:00:00Z"', "5").encode(), "mistyped"),
    "escaped stamp": (TEXT.replace("00:00:00Z", "00:00:00\\u005a").encode(), "mistyped"),
    "array": (b"[]", "mistyped"),
    "text": (b'"x"', "mistyped"),
    "byte-order mark": (b"\xef\xbb\xbf" + LINE, "malformed"),
    "NaN": (with_native('"x":NaN'), "malformed"),
    "trailing comma": (TEXT[:-1].encode() + b",}", "malformed"),
    "single quotes": (TEXT.replace('"', "'").encode(), "malformed"),
    "control character": (LINE.replace(b'"s1"', b'"s\x01"'), "malformed"),
    "glued": (LINE + LINE, "glued"),
    "glued to a rest": (LINE[:300] + LINE, "glued"),
    "glued to a short rest": (LINE[:5] + LINE, "glued"),
}


@pytest.mark.parametrize("name", READ)
def test_read(name: str) -> None:
    raw, expected = READ[name]
    assert native(raw) == expected


@pytest.mark.parametrize("name", SKIPPED)
def test_passed_over(name: str) -> None:
    raw, sort = SKIPPED[name]
    found = decode(raw)
    assert found.line is None
    assert found.reason is not None
    assert found.reason.sort == sort
    assert found.reason.words


def test_every_cut_of_a_record_is_torn() -> None:
    for end in range(1, len(LINE)):
        reason = decode(LINE[:end]).reason
        assert reason is not None, end
        assert reason.sort == "torn", (end, reason)


@pytest.mark.parametrize("raw", [b"", b"  \t\r", "\u00a0\u2028".encode()])
def test_a_blank_line_is_neither_read_nor_told(raw: bytes) -> None:
    found = decode(raw)
    assert (found.line, found.live, found.reason) == (None, None, None)


def test_elements_of_an_array_that_comes_twice_are_merged() -> None:
    again = TEXT.replace('"by_tool":[', '"by_tool":[{"tool":"x.y","results":7}],"by_tool":[')
    found = decode(again.replace('"results":1,', "").encode()).line
    assert found is not None
    assert found.snapshot is not None
    assert [(tool.tool, tool.results) for tool in found.snapshot.tools] == [("a.b", 7)]


def test_a_governor_can_be_taken_away_again() -> None:
    found = decode(TEXT.replace('"telemetry"', '"response_governor":null,"telemetry"').encode())
    assert found.line is not None
    assert found.line.snapshot is not None
    assert found.line.snapshot.governor is None


def test_the_live_reader_sees_a_key_without_its_rest() -> None:
    live = decode(line(session="s9", pid="x")).live
    assert live is not None
    assert (live.session, live.snapshot) == ("s9", None)
    assert decode(line("no time", pid=1)).live is None
    assert decode(TEXT.replace('"s1"', "1").encode()).live is None
    assert decode(b"null").live is None
    assert decode("\u00a0".encode() + LINE).live is None, "it trims nothing before it decodes"


def test_what_a_person_would_see() -> None:
    for name, count in {
        "point": 1,
        "string": 1,
        "glued": 2,
        "glued to a rest": 1,
        "byte-order mark": 1,
        "stamp without zone": 1,
        "array": 0,
    }.items():
        assert len(salvaged(SKIPPED[name][0])) == count, name
    (seen,) = salvaged(SKIPPED["point"][0])
    assert seen.snapshot is not None
    assert seen.snapshot.telemetry.schema_native_tokens_total == 5000


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.just(1.5),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from([*record(), *record()["snapshot"], "by_tool", "x"]), inner
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_read_or_told_and_both_ways_agree(document: object) -> None:
    """What is read on the fast way is read on the careful one, and the same."""
    close = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode(
        "utf-8", "replace"
    )
    found, spaced = decode(close), decode(b" " + close[:1] + b" " + close[1:] + b" ")
    assert (found.line is None) == (found.reason is not None)
    assert (found.line, found.live) == (spaced.line, spaced.live) or close[:1] not in b"{["


STAMPS = {
    "2026-09-23T12:00:00Z": "2026-09-23T12:00:00Z",
    "2026-09-23T12:00:00.5Z": "2026-09-23T12:00:00.5Z",
    "2026-09-23T12:00:00.123456789Z": "2026-09-23T12:00:00.123456789Z",
    "2026-09-23T12:00:00.1234567899Z": "2026-09-23T12:00:00.123456789Z",
    "2026-09-23T12:00:00,25Z": "2026-09-23T12:00:00.25Z",
    "2026-09-23T1:00:00Z": "2026-09-23T01:00:00Z",
    "2026-09-23T14:00:00+02:00": "2026-09-23T14:00:00+02:00",
    "2026-09-23T12:00:00+00:00": "2026-09-23T12:00:00Z",
    "2026-09-23T01:15:00-10:45": "2026-09-23T01:15:00-10:45",
    "0001-01-01T00:00:00Z": "0001-01-01T00:00:00Z",
    "0000-02-29T00:00:00Z": "0000-02-29T00:00:00Z",
    "9999-12-31T23:59:59Z": "9999-12-31T23:59:59Z",
}


@pytest.mark.parametrize("text", STAMPS)
def test_stamps(text: str) -> None:
    parsed = parse_stamp(text)
    assert parsed is not None
    assert stamp_text(*parsed) == STAMPS[text]


@pytest.mark.parametrize(
    "text",
    [
        "2026-09-23",
        "2026-09-23t12:00:00z",
        "2026-09-23T24:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-09-23T12:00:00.Z",
        "2026-09-23T12:00Z",
        "2026-09-23T12:00:00+2:00",
        "2026-09-23T12:00:00+25:00",
        "٢026-09-23T12:00:00Z",
        " 2026-09-23T12:00:00Z",
        "2025-02-29T00:00:00Z",
        "2026-00-10T00:00:00Z",
        "2026-09-23T12:00:00Z\n",
    ],
)
def test_no_stamps(text: str) -> None:
    assert parse_stamp(text) is None
    assert plain_stamp(text.encode()) is None


@given(st.datetimes(), st.integers(0, 999_999_999))
def test_stamps_and_days_are_those_of_the_calendar(moment: datetime, nanoseconds: int) -> None:
    text = f"{moment:%Y-%m-%dT%H:%M:%S}".zfill(19)
    parsed = parse_stamp(f"{text}.{nanoseconds:09d}Z")
    assert parsed is not None
    day = moment.toordinal() - date(1970, 1, 1).toordinal()
    assert parsed[0] // DAY == day == parse_day(text[:10])
    assert parsed[0] == plain_stamp(f"{text}.{nanoseconds:09d}Z".encode())
    assert date_text(day) == text[:10]


def test_the_zero_time() -> None:
    assert stamp_text(ZERO) == "0001-01-01T00:00:00Z"
    assert day_number(1970, 1, 1) == 0
    assert day_number(2026, 2, 29) is None
    assert date_text(MONDAY) == "2026-09-21"
