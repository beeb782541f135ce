"""JSON as two readers must read it alike, or not at all."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trust.mutations import NUMBERS
from verify.trust.strictjson import NotStrictJson, NumberText, has_lone_surrogate, loads

REFUSED = {
    "nothing": b"",
    "white space": b" \n",
    "two values": b"1 2",
    "a key twice": b'{"a":1,"a":1}',
    "a key twice, once escaped": b'{"a":1,"\\u0061":2}',
    "a key twice, deep": b'[{"b":[1,{"c":{"a":1,"x":0,"a":2}}]}]',
    "an empty key twice": b'{"":1,"":2}',
    "NaN": b'{"a":NaN}',
    "Infinity": b"[Infinity]",
    "-Infinity": b"-Infinity",
    "a trailing comma in an object": b'{"a":1,}',
    "a trailing comma in an array": b"[1,]",
    "a comment": b"[1 /* one */]",
    "single quotes": b"{'a':1}",
    "a bare key": b"{a:1}",
    "a lone high surrogate": b'"\\ud83d"',
    "a lone low surrogate": b'"\\ude00"',
    "surrogates the wrong way round": b'"\\ude00\\ud83d"',
    "a lone surrogate in a key": b'{"\\ud800":1}',
    "a lone surrogate, deep": b'[[{"a":["\\udfff"]}]]',
    "a surrogate written as UTF-8": b'"\xed\xa0\xbd"',
    "not UTF-8": b'"\xff"',
    "overlong UTF-8": b'"\xc0\xaf"',
    "UTF-16": "[1]".encode("utf-16"),
    "a byte-order mark twice": b"\xef\xbb\xbf\xef\xbb\xbf[]",
    "a control character": b'"\x01"',
    "a newline in a string": b'"\n"',
    "an unknown escape": b'"\\x41"',
    "a cut escape": b'"\\u12"',
    "a leading zero": b"01",
    "a plus": b"+1",
    "a point without digits": b"1.",
    "no digit before the point": b".5",
    "a hexadecimal number": b"0x10",
    "an exponent without digits": b"1e",
    "True": b"True",
    "a form feed": b"\x0c[]",
    "a no-break space": b"\xc2\xa0[]",
    "arrays 100,000 deep": b"[" * 100_000 + b"]" * 100_000,
    "objects 100,000 deep": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "arrays that never end": b"[" * 100_000,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_two_readers_could_read_differently_is_refused(name: str) -> None:
    with pytest.raises(NotStrictJson) as caught:
        loads(REFUSED[name])
    assert str(caught.value)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"\xef\xbb\xbf[]", []),
        (b' {"a" : [true, false, null]} \r\n', {"a": [True, False, None]}),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\\u0000"', "\0"),
        ('"\u2028\ufeff"'.encode(), "\u2028\ufeff"),
        (b'{"a":{"a":{"a":"a"}},"A":[]}', {"a": {"a": {"a": "a"}}, "A": []}),
        (b'["a","a"]', ["a", "a"]),
        (b"[" * 400 + b"]" * 400, None),
    ],
)
def test_what_every_reader_reads_alike_is_read(data: bytes, value: Any) -> None:
    found = loads(data)
    assert value is None or found == value


@pytest.mark.parametrize("number", [n for n in NUMBERS if n not in ("true", "false", "null")])
def test_a_number_keeps_its_text_and_is_no_string(number: str) -> None:
    try:
        json.loads(number, parse_constant=lambda _name: 1 / 0)
    except (ValueError, ZeroDivisionError):
        with pytest.raises(NotStrictJson):
            loads(number.encode())
        return
    found = loads(number.encode())
    assert isinstance(found, NumberText)
    assert found == number
    assert type(loads(f'"{number}"'.encode())) is str


@given(st.decimals(allow_nan=False, allow_infinity=False, places=20))
def test_no_digit_of_a_number_is_lost(value: Decimal) -> None:
    assert loads(str(value).encode()) == str(value)


VALUES = st.recursive(
    st.none() | st.booleans() | st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"]), max_size=3), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_any_value_comes_back_however_it_is_written(
    value: Any, escapes: bool, indent: int | None
) -> None:
    assert loads(json.dumps(value, ensure_ascii=escapes, indent=indent).encode()) == value


@given(VALUES, st.data())
def test_a_key_that_is_repeated_anywhere_is_refused(value: Any, data: st.DataObject) -> None:
    key = json.dumps(data.draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=3)))
    twice = "{" + f"{key}:{json.dumps(value)},{key}:null" + "}"
    for wrapper in ("%s", "[%s]", '{"x":%s}', '[null,{"x":[%s]}]'):
        with pytest.raises(NotStrictJson, match="stands twice"):
            loads((wrapper % twice.replace("%", "\\u0025")).encode())


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    try:
        loads(data)
    except NotStrictJson:
        return
    json.loads(data.decode("utf-8-sig"))  # what is accepted is JSON


@given(st.text(max_size=5))
def test_a_lone_surrogate_is_what_utf_8_cannot_write(text: str) -> None:
    assert has_lone_surrogate(text) == any(0xD800 <= ord(letter) <= 0xDFFF for letter in text)
