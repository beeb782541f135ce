"""Names are shown, never obeyed, and never mistaken for each other."""

from __future__ import annotations

import re
import unicodedata
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from verify.render.safe import (
    csv_text,
    fitted,
    fitted_apart,
    markdown_key,
    markdown_text,
    pair_key,
    shown_key,
    visible,
)

from .built import CORNERS, calm, keys, obeyed

ESCAPE = re.compile(r"\\(?:\\|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")


def seen_back(text: str) -> str:
    """What `visible` was given."""

    def read(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        return chr(int(code, 16)) if code else "\\"

    return ESCAPE.sub(read, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain-name_1.0", "plain-name_1.0"),
        ("naïve ☕ 漢字 🚀 ❤️", "naïve ☕ 漢字 🚀 ❤️"),
        ("domain\\user", "domain\\user"),
        ("\x1b[31m", r"\x1b[31m"),
        (r"\x1b[31m", r"\\x1b[31m"),
        ("\x9b1m\x7f\x00", r"\x9b1m\x7f\x00"),
        ("\u202egnp", r"\u202egnp"),
        ("a\u200b\ufeffb", r"a\u200b\ufeffb"),
        ("a\u00a0b", r"a\xa0b"),
        ("one\ntwo\u2028three", r"one\x0atwo\u2028three"),
        ("\U000e0041\ue000\ud800", r"\U000e0041\ue000\ud800"),
        ("e\u0301", r"e\u0301"),
        ("\u0301e", r"\u0301e"),
        ("☕\ufe0f", r"☕\ufe0f"),
        ("1\ufe0f", r"1\ufe0f"),
    ],
)
def test_visible(text: str, expected: str) -> None:
    assert visible(text) == expected


@calm
@given(keys)
def test_nothing_obeyed_and_nothing_lost(text: str) -> None:
    shown = visible(text)
    assert not obeyed(shown, allowed="")
    assert seen_back(shown) == text


@calm
@given(keys)
def test_no_two_spellings_of_one_text(text: str) -> None:
    """Text that Unicode holds equal looks equal; what is shown has one spelling only."""
    assert unicodedata.is_normalized("NFC", visible(text))


def test_awkward_keys_are_all_shown_apart() -> None:
    for render in (shown_key, markdown_key):
        shown = [render(key) for key in CORNERS]
        assert len(set(shown)) == len(CORNERS)


@calm
@given(st.one_of(st.none(), keys), st.one_of(st.none(), keys))
def test_two_keys_never_show_alike(one: str | None, other: str | None) -> None:
    assert (shown_key(one) == shown_key(other)) == (one == other)
    assert (markdown_key(one) == markdown_key(other)) == (one == other)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (None, "(none)"),
        ("", '""'),
        ("(none)", '"(none)"'),
        ("null", '"null"'),
        ("None", '"None"'),
        ("Total", '"Total"'),
        ("support-eu", "support-eu"),
        (" x", '" x"'),
        ("x\t", r'"x\x09"'),
        ('"x"', '""x""'),
    ],
)
def test_shown_key(key: str | None, expected: str) -> None:
    assert shown_key(key) == expected


parts = st.one_of(
    st.none(), st.text(st.sampled_from('a/" '), max_size=6), st.sampled_from(["(none)", "a / b"])
)


@calm
@given(parts, parts, parts, parts)
def test_pairs_of_keys_stay_apart(
    a: str | None, b: str | None, c: str | None, d: str | None
) -> None:
    assert (pair_key(a, b) == pair_key(c, d)) == ((a, b) == (c, d))


def test_pairs_whose_keys_hold_the_separator() -> None:
    assert pair_key("a / b", "c") == '"a / b" / c'
    assert pair_key("a", "b / c") == 'a / "b / c"'
    assert pair_key("a /", "b") != pair_key("a", "/ b")
    assert pair_key(None, "") == '(none) / ""'


def test_pairs_of_plain_keys_are_plain() -> None:
    assert pair_key("alpha", "openai/gpt-6") == "alpha / openai/gpt-6"


@calm
@given(keys, st.integers(0, 30))
def test_fitted_is_no_wider(text: str, width: int) -> None:
    shown = visible(text)
    cut = fitted(shown, width)
    assert cell_len(cut) <= width
    assert cut == shown or cut.endswith("…") or width == 0


def test_fitted_counts_wide_characters_twice() -> None:
    assert fitted("漢字漢字", 8) == "漢字漢字"
    assert fitted("漢字漢字", 7) == "漢字漢…"
    assert fitted("漢字漢字", 6) == "漢字…"
    assert fitted("a b", 3) == "a b"


@calm
@given(st.lists(keys, unique=True, max_size=8), st.integers(8, 20))
def test_names_that_are_cut_stay_apart(names: list[str], width: int) -> None:
    shown = [shown_key(name) for name in names]
    cut = fitted_apart(shown, width)
    assert len(set(cut)) == len(set(shown))
    assert all(cell_len(text) <= width for text in cut)


def test_names_that_differ_nowhere_visible_are_numbered() -> None:
    names = ["a" * 20 + middle + "a" * 20 for middle in "xyz"]
    cut = fitted_apart(names, 9)
    assert all(one != other for one, other in combinations(cut, 2))
    assert fitted_apart([names[0], names[0]], 9) == ["aaaaaaaa…"] * 2


@pytest.mark.parametrize(
    "text", ["=1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", "'", "'=1", "＝1", "  =1"]
)
def test_text_that_begins_like_a_formula(text: str) -> None:
    assert csv_text(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a", "a=1", "1-2", "naïve", "a'b"])
def test_text_that_does_not(text: str) -> None:
    assert csv_text(text) == text


@calm
@given(keys)
def test_csv_text_reads_back(text: str) -> None:
    assert csv_text(text).removeprefix("'") == text or csv_text(text) == text
    assert csv_text(text)[:1] not in set("=+-@\t\r")


@calm
@given(keys, keys)
def test_csv_text_keeps_texts_apart(one: str, other: str) -> None:
    assert (csv_text(one) == csv_text(other)) == (one == other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a|b", r"a\|b"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("*_`[x](y)#", r"\*\_\`\[x\](y)\#"),
        ("https://x.y", r"https\://x.y"),
        ("www.x.y", r"www\.x.y"),
        ("@me :smile: :100:", r"\@me \:smile: \:100:"),
        ("2026-10-01T08:00:00Z", "2026-10-01T08:00:00Z"),
        ("a  b", "a &nbsp;b"),
        ("a\nb", r"a\\x0ab"),
        ("support-eu", "support-eu"),
    ],
)
def test_markdown_text(text: str, expected: str) -> None:
    assert markdown_text(text) == expected


@calm
@given(keys)
def test_markdown_text_ends_no_cell(text: str) -> None:
    shown = markdown_text(text)
    assert not obeyed(shown, allowed="")
    unescaped = re.sub(r"\\.", "", shown)
    assert not set(unescaped) & set("|`*_[]<>#~\\")
