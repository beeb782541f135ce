"""A check: the verdict first, digests in full, many days folded on the page only."""

from __future__ import annotations

import csv as csv_module
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from verify.render import dumps
from verify.render.check import CSV_COLUMNS, csv, markdown, table
from verify.systems.base import Check

from .built import DIGEST, check, keys, obeyed


def page(result: Check, width: int = 80) -> str:
    return table(result, width=width, colour=False)


def csv_rows(result: Check) -> list[dict[str, str]]:
    return list(csv_module.DictReader(io.StringIO(csv(result), newline=""), strict=True))


@pytest.mark.parametrize(
    ("sound", "trust", "verdict"),
    [
        (True, "pinned", "sound: the files are what the manifest says, and "),
        (True, "unauthenticated", "sound as far as the manifest goes: the files are what it says"),
        (True, "unmanifested", "sound as far as can be seen: "),
        (False, "unauthenticated", "NOT SOUND: lines that cannot be read beyond doubt "),
        (False, "unverified", "NOT SOUND: the files are not what the manifest says"),
    ],
)
def test_the_verdict_comes_first(sound: bool, trust: str, verdict: str) -> None:
    result = check(sound=sound, trust=trust)
    assert page(result).startswith(verdict)
    assert markdown(result).startswith(f"# Check: {verdict}")
    assert csv_rows(result)[1]["value"].startswith(verdict)
    assert csv_rows(result)[0]["value"] == str(sound).lower()
    assert ("UNVERIFIED" in page(result)) is (trust == "unverified")
    assert ("UNVERIFIED" in markdown(result)) is (trust == "unverified")


@pytest.mark.parametrize("width", [80, 140])
def test_the_page(width: int) -> None:
    text = page(check(), width)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert f"sha256  {DIGEST}\n" in text
    assert "size    30,739 bytes, 150 lines, 150 records\n" in text
    assert "time zone  Europe/Lisbon\n" in text
    assert "span       first 2026-09-01T00:00:00Z, last 2026-11-03T00:00:00Z\n" in text
    assert "type    records\n───────────────\ncost      1,234\n(none)        1\n" in text
    assert "── what no lever reads ─" in text
    assert "── what was not looked at ─" in text
    assert "- who made the manifest\n" in text
    assert text.endswith("warning  an invalid line was left out (line 7) [line_skipped]\n")


def test_nothing_unread_is_said() -> None:
    result = check()
    quiet = Check(result.export, True, (), {**result.document, "unread": [], "span": None})
    text = page(quiet)
    assert text.split("what no lever reads")[1].splitlines()[1] == "nothing"
    assert "span       nothing\n" in text
    assert "## What no lever reads\n\nNothing.\n" in markdown(quiet)


def test_more_than_forty_days_are_folded_on_the_page_only() -> None:
    assert "day 40       40\n" in page(check(days=40))
    result = check(days=62)
    text = page(result)
    assert "days   62 with records; --format csv has each\n" in text
    assert "first  day 1, 1 records\nlast   day 62, 62 records\n" in text
    assert "day 30" not in text
    assert "| day 30 | 30 |" in markdown(result)
    assert len([row for row in csv_rows(result) if row["section"] == "days"]) == 62


def test_csv() -> None:
    rows = csv_rows(check())
    assert tuple(rows[0]) == CSV_COLUMNS
    found = [tuple(row.values()) for row in rows]
    assert ("files", "1", "alpha.jsonl", "false", "sha256", DIGEST) in found
    assert ("types", "2", "", "true", "records", "1") in found
    assert ("span", "1", "", "false", "first", "2026-09-01T00:00:00Z") in found
    assert ("not_checked", "1", "", "false", "value", "who made the manifest") in found
    assert ("finding", "1", "line_skipped", "false", "severity", "warning") in found


def test_what_another_system_adds_is_shown_too() -> None:
    result = check()
    shape = [{"field": "scope_tokens", "found": 3, "types": ["int", "null"]}]
    more = Check(result.export, True, (), {**result.document, "shape": shape, "lines": 7})
    assert "lines      7\n" in page(more)
    assert 'scope_tokens      3  ["int", "null"]' in page(more)
    assert '| scope\\_tokens | 3 | \\["int", "null"\\] |' in markdown(more)
    assert any(row["measure"] == "types" for row in csv_rows(more))


@settings(max_examples=40, deadline=None)
@given(st.none() | keys)
def test_hostile_names(name: str | None) -> None:
    result = check(name=name)
    text = page(result)
    assert not obeyed(text)
    assert max(cell_len(line) for line in text.splitlines()) <= 80
    assert not obeyed(csv(result), allowed="\r\n")
    assert not obeyed(markdown(result))
    assert not obeyed(dumps(result.as_json()))
