"""JSON reads back as it was, and a terminal obeys nothing in it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.render import dumps

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
