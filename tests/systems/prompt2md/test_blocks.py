"""Blocks, positions and anchors: what makes counting hard."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.systems.prompt2md.blocks import (
    Anchor,
    Units,
    anchors_in,
    blocks_of,
    emitted,
    tokens_of,
    utf16_units,
)

from .oracle import tokens, units

STAMP = "<!-- p2md:generated 2026-11-30T20:46:27.652Z source=a7bfc97675dadc10 -->"
MARK = "<!-- p2md:cache-breakpoint -->"
BLANK = "\ufeff \t\r\u00a0"


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("abc", 3), ("é", 1), ("☕", 1), ("🚀", 2), ("e\u0301", 2), ("👩\u200d💻", 5)],
)
def test_code_units(text: str, count: int) -> None:
    assert utf16_units(text) == len(Units(text)) == count


@given(st.text())
def test_counts_are_those_counted_by_hand(text: str) -> None:
    assert utf16_units(text) == units(text)
    assert tokens_of(text) == tokens(text)


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("", []),
        ("\n \n\t\n", []),
        ("one", ["one"]),
        ("one\ntwo\n\nthree\n", ["one\ntwo", "three"]),
        ("one\n \t\ntwo", ["one", "two"]),
        ("one\n\u00a0\ntwo", ["one", "two"]),
        ("  one  \n\n", ["one"]),
        ("\ufeff# head\ntext", ["# head", "text"]),
        ("# head\ntext\n## next", ["# head", "text", "## next"]),
        ("#no heading\ntext", ["#no heading\ntext"]),
        ("#\ntext", ["#", "text"]),
        ("    # code\ntext", ["# code\ntext"]),
        ("one\r\ntwo\r\n\r\nthree\r\n", ["one\r\ntwo", "three"]),
        ("# head\r\ntext\r\n", ["# head", "text"]),
        ("```\na\n\n# b\n```", ["```\na\n\n# b\n```"]),
        ("text\n```\na\n```\nmore", ["text", "```\na\n```", "more"]),
        ("````\n```\n\n````\nmore", ["````\n```\n\n````", "more"]),
        ("~~~\n```\n\n~~~", ["~~~\n```\n\n~~~"]),
        ("```\nnever\n\nclosed", ["```\nnever\n\nclosed"]),
        ("```\r\na\r\n\r\nb\r\n```\r\nmore", ["```\r\na\r\n\r\nb\r\n```", "more"]),
        ("``` a ` b\n\nc", ["``` a ` b", "c"]),
        ("```\na\n``` x\n\nb\n```", ["```\na\n``` x\n\nb\n```"]),
        ("a\rb\n\nc", ["a\rb", "c"]),
    ],
)
def test_blocks(text: str, blocks: list[str]) -> None:
    assert [block.text for block in blocks_of(text)] == blocks


@given(st.text(alphabet="ab#` ~\n\r\t🚀é\u00a0\ufeff", max_size=60))
def test_positions_lead_back_to_the_text(text: str) -> None:
    data = text.encode("utf-16-le")
    end = 0
    for block in blocks_of(text):
        assert data[2 * block.start : 2 * block.end].decode("utf-16-le") == block.text
        assert block.start >= end
        end = block.end
        assert block.tokens == tokens(block.text)
        first = text.split("\n")[block.line - 1].strip(BLANK)
        assert first == block.text.split("\n")[0].strip(BLANK)
    outside = text.encode("utf-16-le")[2 * end :].decode("utf-16-le")
    assert outside.strip(BLANK + "\n") == ""


def test_where_a_surrogate_pair_is_split() -> None:
    found = Units("a🚀b")
    assert [at for at in range(len(found) + 1) if found.splits(at)] == [2]
    assert not any(Units("é☕").splits(at) for at in range(3))


@pytest.mark.parametrize(
    ("markdown", "body", "mark", "stamp"),
    [
        ("", 0, 0, 0),
        ("text", 1, 0, 0),
        (f"text\n\n{STAMP}", 1, 0, 18),
        (f"text\n\n{MARK}\n\n{STAMP}", 1, 8, 18),
        (f"text\n\n{MARK}", 1, 8, 0),
        (f"{MARK}\n\n{STAMP}\n", 0, 8, 18),
        (STAMP, 0, 0, 18),
        (f"```\nopen\n\n{MARK}\n\n{STAMP}", 2, 8, 18),
        (f"{STAMP}\n\ntext", 19, 0, 0),
        (f"text {STAMP}", 20, 0, 0),
    ],
)
def test_the_layout_stands_last(markdown: str, body: int, mark: int, stamp: int) -> None:
    found = emitted(markdown)
    assert (found.body_tokens, found.breakpoint_tokens, found.volatile_tokens) == (
        body,
        mark,
        stamp,
    )
    assert found.stable_tokens == body + mark
    assert found.stamped == ("a7bfc97675dadc10" if stamp else None)


def test_anchors() -> None:
    good = "first words […]\n<!-- p2md:src=a7bfc97675dadc10#46-685 -->"
    assert anchors_in(good) == ((Anchor("a7bfc97675dadc10", 46, 685),), 0)
    assert anchors_in(good + good)[0] == (Anchor("a7bfc97675dadc10", 46, 685),) * 2
    assert anchors_in("plain") == ((), 0)
    for bad in ("#46-", "#-685", "#46-685-", "#46.5-685", "#٤-685", "", "#1-" + "9" * 16):
        assert anchors_in(f"<!-- p2md:src=a7bfc97675dadc10{bad} -->") == ((), 1), bad
    assert anchors_in("<!-- p2md:src=A7BFC97675DADC10#46-685 -->") == ((), 1)
