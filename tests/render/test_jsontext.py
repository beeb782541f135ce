"""JSON reads back as it was, and a terminal obeys nothing in it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.render import dumps
from verify.render.jsontext import MANY

from .built import calm, keys, obeyed, recomputation

# A lone high surrogate before a lone low one reads back as the character that they make: JSON
# cannot tell, and so no JSON document can hold them.
text = keys.filter(lambda text: not re.search("[\ud800-\udbff][\udc00-\udfff]", text))
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)


@calm
@given(st.dictionaries(text, values, max_size=4))
def test_reads_back_exactly(document: dict[str, Any]) -> None:
    printed = dumps(document)
    assert json.loads(printed) == document
    assert not obeyed(printed)
    assert printed.endswith("\n")


@calm
@given(st.dictionaries(st.text('ab"\\\n'), values, max_size=4))
def test_is_indented_as_json_is_everywhere(document: dict[str, Any]) -> None:
    expected = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    assert json.loads(dumps(document)) == document
    if not obeyed(expected):
        assert dumps(document) == expected


def test_a_long_list_has_a_line_an_item() -> None:
    rows = [{"key": str(number), "records": [number]} for number in range(MANY + 1)]
    printed = dumps({"rows": rows, "few": (1, [])})
    assert json.loads(printed) == {"rows": rows, "few": [1, []]}
    assert printed.splitlines()[2] == '  {"key": "0", "records": [0]},'
    assert len(printed.splitlines()) == len(rows) + 8


def test_names_stay_readable() -> None:
    assert dumps({"name": "naïve ☕ 漢字"}) == '{\n "name": "naïve ☕ 漢字"\n}\n'


def test_escapes() -> None:
    shown = dumps({"k": "\x1b\x7f\x9b\u202e\u2028\ud800\U000e0041\n"})
    assert r'"\u001b\u007f\u009b\u202e\u2028\ud800\udb40\udc41\n"' in shown


def test_a_float_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError):
        dumps({"share": float("nan")})


def test_a_recomputation() -> None:
    document = recomputation().as_json()
    assert json.loads(dumps(document)) == document
