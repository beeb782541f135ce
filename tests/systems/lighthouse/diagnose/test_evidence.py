"""The fewest lines that show a disagreement, found among others that do not matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from support.books import LAST, MEGA, call, cost, decision, profile, search, usd, wide
from support.exports import write_export

from verify.systems import system_named
from verify.systems.base import Evidencing, Question, Reading
from verify.systems.lighthouse.diagnose.evidence import reduced

QUESTION = Question(since=date(2026, 10, 1), until=date(2026, 10, 31))
Open = Callable[..., Evidencing]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    monkeypatch.setenv("VERIFY_THREADS", "1")
    with ExitStack() as stack:

        def open_(lines: Sequence[bytes], zone: str = "UTC") -> Evidencing:
            place = write_export(tmp_path / "export", lines, zone=zone)
            export = system_named("lighthouse").open(place, Reading(cache=False))
            stack.enter_context(export)
            assert isinstance(export, Evidencing)
            return export

        yield open_


CARD = wide("m", usd(10, read=1, write=20))
NOISE = [call(input_tokens=n) for n in range(5)]

SAMPLED = search(MEGA, 0, sample_rate=0.5)
BOTH = call(read=MEGA, write=MEGA)
REFUSED = call(read=MEGA, outcome="refused")
LATER = wide("m", usd(5, read=1), ts="2026-11-05T00:00:00Z")
IDLE = profile("ephemeral", 1)
# A snapshot that is passed over because of its last line, and is not needed at all in the end.
OLD = wide("m", usd(10, read=1, write=20), snapshot="old")
NEW = wide("m", usd(10, read=1), snapshot="new", ts="2026-09-02T00:00:00Z")
UNFINISHED = wide("n", None, snapshot="new", ts="2026-09-02T00:00:00Z", complete=False)
FEW: list[tuple[str, dict[str, Any], list[bytes], list[int]]] = [
    ("retrieval", {"weights": False}, [*NOISE, CARD, search(9, 0), SAMPLED], [1, 6, 8]),
    ("caching", {"write_premium": False}, [*NOISE, CARD, call(read=5), BOTH], [6, 8]),
    ("caching", {"refused_in_caching": False}, [CARD, *NOISE, BOTH, REFUSED], [1, 7, 8]),
    ("routing", {"escalation_netted": False}, [decision(2, 1), *NOISE, decision(1, 2)], [7]),
    ("infrastructure", {"until_exclusive": True}, [*NOISE, cost(1), IDLE, cost(2)], [6, 7]),
    ("caching", {"dedupe": True}, [CARD, call(read=MEGA), *NOISE, call(read=MEGA)], [1, 2, 8]),
    ("caching", {"write_premium": False}, [OLD, NEW, BOTH, UNFINISHED], [1, 3]),
    ("caching", {"card": "newest_in_export"}, [LATER, CARD, call(read=MEGA)], [1, 2, 3]),
]


@pytest.mark.parametrize(("lever", "switches", "lines", "few"), FEW)
def test_only_what_is_needed_is_left(
    opened: Open, lever: str, switches: dict[str, Any], lines: list[bytes], few: list[int]
) -> None:
    export = opened(lines)
    assert list(export.lines_that_differ(QUESTION, lever, switches)) == few
    assert list(export.written(few)) == [lines[line - 1] for line in few]


def test_an_hour_at_the_edge_is_found(opened: Open) -> None:
    lines = [*NOISE, CARD, call(read=MEGA, ts="2026-09-30T23:00:00Z"), call(read=MEGA)]
    export = opened(lines, "Europe/Madrid")
    found = export.lines_that_differ(QUESTION, "caching", {"zone": "UTC"})
    assert set(found) >= {6, 7}
    assert len(found) == 3  # the other reading needs a call of its own to have a figure


def test_where_the_method_makes_no_difference_there_are_no_lines(opened: Open) -> None:
    export = opened([CARD, call(read=MEGA), search(MEGA, 0)])
    assert list(export.lines_that_differ(QUESTION, "retrieval", {"weights": False})) == []


def test_a_row_rests_on_its_lines_the_card_and_a_call_of_each_kind(opened: Open) -> None:
    lines = [
        CARD,
        wide("m", usd(1), on="elsewhere"),
        call(pack="p"),
        call(pack="p", input_tokens=7),
        search(MEGA, 0, agent="a", pack="p"),
        search(MEGA, 0, agent="b", pack="p"),
        search(MEGA, 0, agent="a", pack="p", ts=LAST),
        search(MEGA, 0, agent="a", pack="p", ts="2026-11-01T00:00:00Z"),
    ]
    export = opened(lines)
    assert list(export.lines_of_row(QUESTION, "retrieval", "agent", "a")) == [1, 3, 5, 7]
    assert list(export.lines_of_row(QUESTION, "retrieval", "day", "2026-10-31")) == [1, 3, 7]
    assert list(export.lines_of_row(QUESTION, "retrieval", "agent", "nobody")) == []


def test_a_decision_is_found_by_its_name(opened: Open) -> None:
    lines = [decision(2, 1, id="one"), decision(2, 1, ts="2026-10-06T12:00:00Z")]
    export = opened(lines)
    assert list(export.lines_of_row(QUESTION, "routing", "decision", "one")) == [1]
    unnamed = "d 2026-10-06T12:00:00+00:00"
    assert list(export.lines_of_row(QUESTION, "routing", "decision", unnamed)) == [2]


def test_a_record_keeps_what_levers_read_of_it() -> None:
    raw = search(5, 1, agent="a", index="i", id="x", model="m", pack="p", other=[1])
    kept = {"corpus_tokens_in_scope", "context_tokens_sent", "model", "pack"}
    assert set(reduced(raw, [])["attrs"]) == kept
    assert set(reduced(raw, ["agent"])["attrs"]) == kept | {"agent"}
