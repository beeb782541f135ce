"""Each rule of RFC 8259 by a line that breaks it alone, and lines that look as if they did."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.trust.rfc8259 import MAX_DEPTH, BrokenRule, LineReader, Rule, is_integral, too_deep
from verify.trust.strictjson import NotStrictJson, loads

calm = settings(max_examples=60, deadline=None)

BROKEN: list[tuple[bytes, Rule, str]] = [
    (b'{"a":"\xff"}', Rule.utf8, "at byte 7"),
    (b'{"a":"\xed\xa0\x80"}', Rule.utf8, "at byte 7"),
    (b'{"a":"\xc0\xaf"}', Rule.utf8, "at byte 7"),
    (b"[1]", Rule.one_object, "an array"),
    (b'"x"', Rule.one_object, "a string"),
    (b"1", Rule.one_object, "no object"),
    (b"null", Rule.one_object, "no object"),
    (b'{"a":1}{"b":2}', Rule.one_object, "follows at column 8"),
    (b'{"a":1} x', Rule.one_object, "follows at column 9"),
    (b'{"a":1}\x00', Rule.one_object, "follows at column 8"),
    (b'{"a":1}\x0c', Rule.one_object, "follows at column 8"),
    (b'{"a":1,}', Rule.trailing_comma, "at column 8"),
    (b'{"a":[1 , ]}', Rule.trailing_comma, "at column 11"),
    (b'{"a":{"b":[{}],}}', Rule.trailing_comma, "at column 16"),
    (b'{"a":NaN}', Rule.constant, "NaN"),
    (b'{"a":[{"b":-Infinity}]}', Rule.constant, "-Infinity"),
    (b'{"a":"\x01"}', Rule.control, "at column 7"),
    (b'{"a\tb":1}', Rule.control, "at column 4"),
    (b'{"a":"\r"}', Rule.control, "at column 7"),
    (b'{"a":"\\ud800"}', Rule.surrogate, "at column 7"),
    (b'{"a":"\\uDFFF"}', Rule.surrogate, "at column 7"),
    (b'{"\\uDbff":1}', Rule.surrogate, "at column 3"),
    (b'{"a":"\\ude00\\ud83d"}', Rule.surrogate, "at column 7"),
    (b'{"a":"\\ud83dx\\ude00"}', Rule.surrogate, "at column 7"),
    (b'{"a":"\\ud83d\\n\\ude00"}', Rule.surrogate, "at column 7"),
    (b'{"a":"\\ud83d\\ud83d\\ude00"}', Rule.surrogate, "at column 7"),
    (b'{"a":"\\ud83d","b":"\\ude00"}', Rule.surrogate, "at column 7"),
    (b'{"a":"\\ud800","a":1}', Rule.surrogate, "at column 7"),
    (b'{"a":' + b"[" * 600 + b"]" * 600 + b"}", Rule.depth, "not looked into"),
    (b'{"a":' + b"[" * 600, Rule.depth, "not looked into"),
]
NOT_JSON = [
    b'{"a":01}', b'{"a":-01}', b'{"a":1.}', b'{"a":.5}', b'{"a":+1}', b'{"a":-}', b'{"a":1e}',
    b'{"a":1e+}', b'{"a":0x1}', b'{"a":1_000}', b'{"a":--1}', b'{"a":- 1}', b'{"a":-NaN}',
    b'{"a":nan}', b'{"a":inf}', b'{"a":"\\x"}', b'{"a":"\\u12"}', b'{"a":"\\u 123"}',
    b"{'a':1}", b"{a:1}", b"{1:2}", b'{"a" 1}', b'{"a":}', b'{"a":,}', b'{,"a":1}',
    b'{"a":1 "b":2}',
    b'{"a":[1 2]}', b'{"a":1]', b'{"a":[1}', b'{"a":"x', b"{", b'{"a":tru}', b'{"a":True}',
    b'{"a":/*c*/1}', b'{"a":1}//', b"\x0b{}", b"\xef\xbb\xbf{}", b"\xc2\xa0{}", '{"a":１}'.encode(),
    b'{"a":"x\\"}', b'{"a":;}', b'{"a"::1}', b"\x00", b"\xe2\x80\xa8{}",
]  # fmt: skip
SOUND = [
    b"{}", b" { } ", b'\t{"a":1}\r', b'{"a":-0}', b'{"a":1E+5}', b'{"a":0.10}', b'{"a":1e999}',
    b'{"a":"\x7f"}', '{"a":"\u2028\ufeff"}'.encode(), b'{"a":"\\ud83d\\ude00"}',
    b'{"a":"\\\\ud800"}', b'{"a":"\\\\\\\\ud800"}', b'{"":{"":{"":[]}}}', b'{"a":"\\u0000"}',
    b'{"a":"[[[[\\"{{{{"}', b'{"a":' + b"9" * 5000 + b"}",
    b'{"a":' + b"[" * (MAX_DEPTH - 1) + b"]" * (MAX_DEPTH - 1) + b"}",
    b'{"a":"' + b"[" * 600 + b'"}', b'{"a":"' + b'\\"[' * 600 + b'"}',
    b'{"a":[' + b"[],{}," * 600 + b"0]}",
]  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "rule", "detail"), BROKEN, ids=[str(raw)[:30] for raw, *_ in BROKEN]
)
def test_each_rule(raw: bytes, rule: Rule, detail: str) -> None:
    with pytest.raises(BrokenRule) as caught:
        LineReader().read(raw)
    assert caught.value.rule is rule
    assert detail in caught.value.detail


@pytest.mark.parametrize("raw", NOT_JSON)
def test_what_is_no_json(raw: bytes) -> None:
    with pytest.raises(BrokenRule) as caught:
        LineReader().read(raw)
    assert caught.value.rule in (Rule.grammar, Rule.one_object)


@pytest.mark.parametrize("raw", SOUND, ids=[str(raw)[:30] for raw in SOUND])
def test_what_breaks_no_rule(raw: bytes) -> None:
    reader = LineReader()
    assert isinstance(reader.read(raw), dict)
    assert not reader.repeated


@pytest.mark.parametrize("raw", [b"", b" ", b"\r", b"\t \r", b" " * 1000])
def test_a_blank_line_holds_nothing(raw: bytes) -> None:
    assert LineReader().read(raw) is None


def test_keys_that_stand_twice_at_any_depth() -> None:
    reader = LineReader()
    raw = b'{"a":1,"b":[{"c":1,"c":2,"c":3}],"\\u0061":2,"d":{"e":{"f":0,"f":0}}}'
    assert reader.read(raw) is not None
    assert list(reader.repeated) == ["c", "f", "a"]
    assert reader.read(b'{"a":[{"b":1},{"b":2}]}') is not None
    assert not reader.repeated


def test_a_million_repeated_keys_are_no_trouble() -> None:
    reader = LineReader()
    once = b",".join(b'"%d":0' % number for number in range(100_000))
    assert reader.read(b"{" + once + b"," + once + b"}") is not None
    assert len(reader.repeated) == 100_000


@pytest.mark.parametrize(
    ("text", "stands_for"),
    [
        ("0", 0), ("-12", -12), ("1.5", 1.5), ("1.0", 1.0), ("0.000000000000001", 0.5),
        ("999999999999999999", 999999999999999999), ("9223372036854775808", 1), ("9" * 5000, 1),
        ("1.00000000000000000000001", 0.5), ("1.00000000000000000000000", 1), ("1e999", 1),
        ("1e-999", 0.5), ("-1e400", 1), ("100e-2", 1), ("150e-2", 0.5),
        ("0e-99999999999999999999", 1),
        ("1e99999999999999999999", 1), ("1e-99999999999999999999", 0.5),
        ("3.14159265358979323846", 0.5),
    ],
)  # fmt: skip
def test_numbers_keep_their_kind(text: str, stands_for: float) -> None:
    found = LineReader().read(f'{{"a":{text}}}'.encode())
    assert found is not None
    assert found["a"] == stands_for
    assert is_integral(text) is (float(found["a"]).is_integer())


@calm
@given(st.text("0123456789", min_size=1, max_size=20), st.text("0123456789", max_size=20))
def test_is_integral(whole: str, part: str) -> None:
    text = f"{int(whole)}.{part or '0'}"
    assert is_integral(text) is (not part.strip("0"))
    assert is_integral(f"{text}e{len(part)}")


values: st.SearchStrategy[object] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@calm
@given(st.dictionaries(st.text(), values), st.booleans())
def test_what_is_written_as_json_is_read(value: object, escaped: bool) -> None:
    raw = json.dumps(value, ensure_ascii=escaped, allow_nan=False).encode()
    assert LineReader().read(raw) is not None


@calm
@given(st.dictionaries(st.text(), values), st.data())
def test_it_agrees_with_the_strict_reader(value: object, data: st.DataObject) -> None:
    """Of a line with one byte changed, either both take it or neither does."""
    raw = bytearray(json.dumps(value, ensure_ascii=False, allow_nan=False).encode())
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(
        st.sampled_from(b'{}[],:"\\u0x1.-eN\t ')
    )
    reader = LineReader()
    try:
        broken = not isinstance(reader.read(bytes(raw)), dict) or bool(reader.repeated)
    except BrokenRule:
        broken = True
    try:
        refused = not isinstance(loads(bytes(raw)), dict)
    except NotStrictJson:
        refused = True
    assert broken is refused


def test_depth_is_judged_in_linear_time() -> None:
    assert not too_deep('{"a":"' + '\\"[' * 300_000)
    assert not too_deep("[]," * 300_000)
    assert too_deep("[" * 300_000)
