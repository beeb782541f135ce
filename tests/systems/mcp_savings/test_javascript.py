"""JSON as Node's own `JSON.parse` and `JSON.stringify` have it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from verify.systems.mcp_savings.javascript import NotJson, number, parse, stringify, utf8_bytes

from .texts import NODE, Node, numbers, strings, texts

STORED = json.loads((Path(__file__).parent / "stringified.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    if NODE is None:
        pytest.skip("Node is not installed; its stored results are compared all the same")
    running = Node()
    yield running
    running.close()


def ours(text: str) -> tuple[str, int] | None:
    try:
        written = stringify(parse(text).value)
    except NotJson:
        return None
    return written, utf8_bytes(written)


@pytest.mark.parametrize("text", [one[0] for one in STORED])
def test_what_node_wrote_once(text: str) -> None:
    (expected,) = [one[1] for one in STORED if one[0] == text]
    assert ours(text) == (None if expected is None else tuple(expected))


def test_the_stored_results_are_node_s(node: Node) -> None:
    for text, expected in STORED:
        assert node.stringified(text) == (None if expected is None else tuple(expected)), text


@settings(max_examples=300, deadline=None)
@given(text=numbers)
def test_whatever_the_number(node: Node, text: str) -> None:
    assert ours(text) == node.stringified(text)


@settings(max_examples=300, deadline=None)
@given(text=strings)
def test_whatever_the_string(node: Node, text: str) -> None:
    assert ours(text) == node.stringified(text)


@settings(max_examples=80, deadline=None)
@given(text=texts)
def test_whatever_the_text(node: Node, text: str) -> None:
    assert ours(text) == node.stringified(text)


@settings(max_examples=40, deadline=None)
@given(text=texts)
def test_what_was_written_reads_back_as_itself(text: str) -> None:
    written = stringify(parse(text).value)
    assert stringify(parse(written).value) == written
    assert utf8_bytes(written) == len(written.encode())


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1e21", "1e+21"), ("1e20", "100000000000000000000"), ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"), ("1.0", "1"), ("-0", "0"), ("1e999", "null"), ("5e-324", "5e-324"),
        ("12345678901234567890", "12345678901234567000"), ("0.1e-6", "1e-7"), ("25E-1", "2.5"),
    ],
)  # fmt: skip
def test_a_number_is_the_double_nearest_to_it(text: str, written: str) -> None:
    assert number(text) == written


def test_keys_that_are_indices_go_first() -> None:
    parsed = parse('{"b":1,"10":2,"a":3,"9":4,"b":5,"4294967295":6}')
    assert stringify(parsed.value) == '{"9":4,"10":2,"b":5,"a":3,"4294967295":6}'
    assert parsed.repeated == ("b",)


def test_half_a_surrogate_pair_is_an_escape_of_six_bytes() -> None:
    written = stringify(parse(r'"\uD83D \ud83d\ude80 é"').value)
    assert written == '"\\ud83d 🚀 é"'
    assert utf8_bytes(written) == 2 + 6 + 1 + 4 + 1 + 2


@pytest.mark.parametrize(
    "text", ["", "{", "NaN", "[1,]", "Infinity", "'a'", '"\n"', "[" * 501, "01"]
)
def test_what_javascript_does_not_parse(text: str) -> None:
    with pytest.raises(NotJson):
        parse(text)
