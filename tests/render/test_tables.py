"""Tables at any width: whole numbers, aligned; names cut; columns left out by rank and said so."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from verify.render.tables import MOST_ROWS, Column, Page
from verify.result import Value

from .built import calm, keys

COLUMNS = [
    Column("agent", kind="key"),
    Column("avoided", "tokens", rank=1),
    Column("saved", "USD"),
    Column("calls", rank=2),
]
ROWS: list[tuple[Value, ...]] = [
    ("triage", Fraction(10, 3), Fraction("-0.5"), 1_234),
    (None, Fraction(1_000_000), None, 0),
]
TOTAL: tuple[Value, ...] = ("total", Fraction(3_000_010, 3), Fraction("-0.5"), 1_234)


def page(width: int, *, colour: bool = False) -> Page:
    return Page(width=width, colour=colour)


def test_a_table() -> None:
    drawn = page(80)
    drawn.table(COLUMNS, ROWS, TOTAL)
    assert drawn.text() == (
        "agent        avoided      saved  calls\n"
        "              tokens        USD\n"
        "──────────────────────────────────────\n"
        "triage          3.33  -0.500000  1,234\n"
        "(none)  1,000,000.00          —      0\n"
        "──────────────────────────────────────\n"
        "total   1,000,003.33  -0.500000  1,234\n"
        "rounded for reading; --format json has every digit\n"
    )


def test_whole_tokens_have_no_decimals_and_nothing_is_said_of_rounding() -> None:
    drawn = page(80)
    drawn.table([Column("avoided", "tokens")], [[Fraction(1_000)], [5]])
    assert drawn.text() == "avoided\n tokens\n───────\n  1,000\n      5\n"


def test_prices_show_the_decimals_that_they_need() -> None:
    drawn = page(80)
    drawn.table([Column("read", "USD/M")], [[Fraction(3)], [Fraction("0.0125")], [None]])
    assert drawn.text().split()[-3:] == ["3.0000", "0.0125", "—"]


def test_columns_are_left_out_by_rank_and_named() -> None:
    columns = [Column(f"c{at}", rank=at) for at in range(8)]
    drawn = page(40)
    drawn.table(columns, [[10**8] * 7 + [1]])
    lines = drawn.text().splitlines()
    # What is small enough for the room that is left comes in, whatever its rank.
    assert lines[0].split() == ["c0", "c1", "c2"]
    assert lines[3] == "--format csv also has c3, c4, c5, c6, c7"
    drawn = page(42)
    drawn.table(columns, [[10**8] * 7 + [1]])
    assert drawn.text().splitlines()[0].split() == ["c0", "c1", "c2", "c7"]


def test_a_number_is_never_cut() -> None:
    digits = 10**60
    drawn = page(40)
    drawn.table([Column("name", kind="name"), Column("saved", "USD")], [["x" * 50, digits]])
    assert f"{digits:,}.000000" in drawn.text()


def test_markup_and_names_mean_nothing() -> None:
    drawn = page(80)
    drawn.table([Column("k", kind="key")], [["[red]x[/red]"], [":smile:"], ["\x1b[31m"]])
    assert drawn.text().splitlines()[2:] == ["[red]x[/red]", ":smile:", r"\x1b[31m"]


def test_colour_only_where_it_is_asked_for() -> None:
    for colour in (False, True):
        drawn = page(80, colour=colour)
        drawn.loud("careful")
        drawn.table(COLUMNS, ROWS, TOTAL)
        assert ("\x1b[" in drawn.text()) is colour


def test_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("COLUMNS", "10")
    drawn = page(80)
    drawn.heading("title")
    assert drawn.text() == "\n── title " + "─" * 71 + "\n"


@calm
@given(
    st.lists(
        st.tuples(
            st.none() | keys,
            st.none() | st.fractions(-(10**9), 10**9, max_denominator=1000),
            st.none() | st.integers(-(10**6), 10**6),
        ),
        min_size=1,
        max_size=5,
    ),
    st.integers(44, 140),
)
def test_no_line_is_wider_and_numbers_stand_right(
    rows: list[tuple[str | None, Fraction | None, int | None]], width: int
) -> None:
    columns = [Column("agent", kind="key"), Column("saved", "USD"), Column("calls")]
    drawn = page(width)
    drawn.table(columns, rows)
    lines = drawn.text().splitlines()
    assert all(cell_len(line) <= width for line in lines)
    body = lines[3 : 3 + len(rows)]
    assert len({cell_len(line) for line in body}) == 1
    for line, (_, saved, calls) in zip(body, rows, strict=True):
        last = "—" if calls is None else f"{calls:,}"
        assert line.endswith(f" {last}")
        assert (saved is None) == (line[: -len(last)].rstrip().endswith("—"))


def test_long_text_wraps_beside_its_label() -> None:
    drawn = page(40)
    drawn.pairs([("trust", "word " * 12), ("path", "x" * 60)])
    lines = drawn.text().splitlines()
    assert all(len(line) <= 40 for line in lines)
    assert lines[0].startswith("trust  word")
    assert all(line.startswith("       ") for line in lines[1:2])
    assert "".join(lines).count("x") == 60


def test_a_table_of_very_many_rows_is_cut_and_says_so() -> None:
    page = Page(width=80, colour=False)
    rows = [(f"row {at}", at) for at in range(MOST_ROWS + 5)]
    page.table([Column("name", kind="name"), Column("count")], rows, ("total", 1))
    text = page.text()
    assert f"row {MOST_ROWS - 1}" in text
    assert f"row {MOST_ROWS}" not in text
    assert "and 5 more rows" in text


def test_only_the_label_of_a_pair_is_dim() -> None:
    page = Page(width=60, colour=True)
    page.pairs([("tenant", "acme " * 20)])
    first, second, *_ = page.text().splitlines()
    assert first.startswith("\x1b[2mtenant\x1b[0m")
    assert "\x1b[2m" not in first.removeprefix("\x1b[2mtenant\x1b[0m")
    assert "\x1b" not in second
