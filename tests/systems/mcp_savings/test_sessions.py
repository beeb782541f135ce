"""The tokens of sessions, by the program's rule, and what a proxy saw of them."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from verify.errors import UnreadableInput
from verify.systems.mcp_savings.measures import SESSION_TOKENS

from . import program
from .asked import by, codes, lever, recomputed, said
from .exports import NOW, line, request, text, usage, write_document, write_transcripts

MINUTE = 60_000


def counted(place: Path, *lines: str, **question: Any) -> dict[str, Any]:
    """The tokens of one session with these lines."""
    write_transcripts(place, {("p", "s"): text(*lines)})
    totals = lever(place, "session", **question).totals
    return {name: totals[name] for name in SESSION_TOKENS}


def test_each_kind_of_token(tmp_path: Path) -> None:
    found = counted(tmp_path, line("a", usage(1, 2, 3, 4, 5)), line("b", usage(10, 20, 30, 40)))
    assert list(found.values()) == [11, 22, 5, 33, 44]


def test_of_one_message_the_last_line_counts(tmp_path: Path) -> None:
    lines = [
        line("a", usage(5, 1)),
        line("b", usage(7, 7)),
        line("a", usage(5, 9)),
        line("a", usage(4)),
    ]
    found = counted(tmp_path, *lines)
    assert (found["input_tokens"], found["output_tokens"]) == (11, 7)
    assert lever(tmp_path, "session").totals["messages"] == 2


@pytest.mark.parametrize(
    ("message_id", "members", "counts"),
    [
        ("m", {"uuid": "u"}, True),
        (None, {"uuid": "u"}, True),
        (None, {}, False),
        (None, {"uuid": None}, False),
        (None, {"uuid": 5}, False),
        (5, {"uuid": "u"}, False),
        (False, {"uuid": "u"}, False),
        ("", {}, True),
    ],
)
def test_the_key_of_a_line(tmp_path: Path, message_id: Any, members: Any, counts: bool) -> None:
    found = counted(tmp_path, line("x", usage(1)), line(message_id, usage(100), **members))
    assert found["input_tokens"] == (101 if counts else 1)
    assert ("lines_without_id" in codes(recomputed(tmp_path))) is not counts


def test_the_same_id_as_message_and_as_line_is_one_key(tmp_path: Path) -> None:
    found = counted(tmp_path, line("k", usage(1)), line(None, usage(100), uuid="k"))
    assert found["input_tokens"] == 100


@pytest.mark.parametrize("value", ["12", None, True, [], {}, "x"])
def test_what_is_no_number_counts_0(tmp_path: Path, value: Any) -> None:
    found = counted(tmp_path, line("a", usage(value, 7)))
    assert (found["input_tokens"], found["output_tokens"]) == (0, 7)
    assert ("count_not_number" in codes(recomputed(tmp_path))) is (value is not None)


@pytest.mark.parametrize(
    ("value", "sum_"), [("-5", "-2"), ("1.5", "9/2"), ("9007199254740993", "9007199254740996")]
)
def test_odd_numbers_are_added_as_they_are_written(tmp_path: Path, value: str, sum_: str) -> None:
    odd = line("a", usage(0)).replace('"input_tokens": 0', f'"input_tokens": {value}')
    found = counted(tmp_path, odd, line("b", usage(3)))
    assert str(found["input_tokens"]) == sum_
    assert codes(recomputed(tmp_path))["count_odd"] == 1


def test_a_number_out_of_all_proportion_is_none(tmp_path: Path) -> None:
    odd = line("a", usage(0)).replace('"input_tokens": 0', '"input_tokens": 1e999')
    assert counted(tmp_path, odd)["input_tokens"] == 0
    assert codes(recomputed(tmp_path))["count_not_number"] == 1


def test_lines_that_are_no_json_are_passed_over_and_named(tmp_path: Path) -> None:
    found = counted(tmp_path, "{", line("a", usage(3)), "", "  ", "NaN", '{"message": {"usage"')
    assert found["input_tokens"] == 3
    result = recomputed(tmp_path)
    assert codes(result)["lines_malformed"] == 3
    assert "line 1," in said(result, "lines_malformed")
    session = result.lever("session")
    assert (session.coverage.measured, session.coverage.total) == (1, 4)


def test_other_lines_are_of_no_concern(tmp_path: Path) -> None:
    others = ("5", '"x"', "[]", "{}", '{"message": 1}', '{"message": {"usage": null, "id": "a"}}')
    assert counted(tmp_path, line("a", usage(3)), *others)["input_tokens"] == 3
    assert set(codes(recomputed(tmp_path))) == {"export_unmanifested", "nothing_measured"}


def test_a_null_line_stops_the_program(tmp_path: Path) -> None:
    counted(tmp_path, line("a", usage(3)), "null")
    assert codes(recomputed(tmp_path))["line_null"] == 1


def test_bytes_that_are_no_text_do_not_hide_a_line(tmp_path: Path) -> None:
    write_transcripts(tmp_path, {("p", "s"): ""})
    (tmp_path / "projects/p/s.jsonl").write_bytes(
        line("a", usage(3), note="x").encode().replace(b'"x"', b'"\xff"') + b"\n"
    )
    assert lever(tmp_path, "session").totals["input_tokens"] == 3


def test_a_line_beyond_reading(tmp_path: Path) -> None:
    write_transcripts(tmp_path, {("p", "s"): '"' + "x" * (17 * 1024 * 1024) + '"\n'})
    with pytest.raises(UnreadableInput, match=r"s\.jsonl line 1 is longer"):
        recomputed(tmp_path)


# --- which sessions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("age", "active"), [(0, True), (30 * MINUTE, True), (30 * MINUTE + 1, False)]
)
def test_thirty_minutes_are_still_active(tmp_path: Path, age: int, active: bool) -> None:
    write_transcripts(tmp_path, {("p", "s"): text(line("a", usage(3)))}, age={("p", "s"): age})
    result = recomputed(tmp_path)
    assert result.lever("session").status == ("ok" if active else "no_data")
    assert result.lever("session").totals["input_tokens"] == (3 if active else None)
    assert ("session_idle" in codes(result)) is not active


def test_the_time_of_asking_can_be_given(tmp_path: Path) -> None:
    write_transcripts(tmp_path, {("p", "s"): text(line("a", usage(3)))}, age={("p", "s"): 0})
    late = datetime.fromtimestamp(NOW / 1000 + 1801, UTC)
    assert lever(tmp_path, "session", now=late).status == "no_data"
    before = datetime.fromtimestamp(NOW / 1000 - 60, UTC)
    result = recomputed(tmp_path, now=before)
    assert result.lever("session").status == "ok"
    assert "session_later" in codes(result)
    assert result.method["now"] == "2026-05-04T10:29:00Z"


def test_without_mtimes_the_files_own_times_count_to_the_millisecond(tmp_path: Path) -> None:
    write_transcripts(tmp_path, {("p", "s"): text(line("a", usage(3)))})
    (tmp_path / "mtimes.json").unlink()
    written = 1_777_000_000_000_000_001
    os.utime(tmp_path / "projects/p/s.jsonl", ns=(written, written))
    edge = datetime.fromtimestamp(1_777_000_000 + 1800, UTC)
    result = recomputed(tmp_path, now=edge)
    assert result.lever("session").status == "ok"
    assert "times_of_files" in codes(result)
    os.utime(tmp_path / "projects/p/s.jsonl", ns=(written - 2, written - 2))
    assert lever(tmp_path, "session", now=edge).status == "no_data"


def test_a_transcript_that_mtimes_does_not_list_is_in_no_sum(tmp_path: Path) -> None:
    write_transcripts(tmp_path, {("p", "s"): text(line("a", usage(3)))})
    write_document(tmp_path, "mtimes.json", {"now": NOW, "files": {}})
    result = recomputed(tmp_path)
    assert result.lever("session").status == "no_data"
    assert said(result, "session_undated").endswith("p/s")


def test_the_same_name_in_two_projects_counts_twice_and_is_named(tmp_path: Path) -> None:
    both = {(p, "s"): text(line("a", usage(n))) for p, n in (("one", 3), ("two", 40))}
    write_transcripts(tmp_path, both)
    result = recomputed(tmp_path, by=("session", "project"))
    session = result.lever("session")
    assert session.totals["input_tokens"] == 43
    assert by(session, "session", "input_tokens") == {"s / one": 3, "s / two": 40}
    assert by(session, "project", "sessions") == {"one": 1, "two": 1}
    assert said(result, "session_name_twice") == "the session s is in 2 projects: one, two"


def test_only_a_project_s_own_folder_is_looked_at(tmp_path: Path) -> None:
    write_transcripts(tmp_path, {("p", "s"): text(line("a", usage(3)))})
    deeper = tmp_path / "projects/p/s/subagents"
    deeper.mkdir(parents=True)
    (deeper / "agent.jsonl").write_text(text(line("b", usage(50))))
    (tmp_path / "projects/stray.jsonl").write_text(text(line("c", usage(60))))
    result = recomputed(tmp_path)
    assert result.lever("session").totals["input_tokens"] == 3
    assert codes(result)["transcripts_deeper"] == 1


def test_the_digest_is_of_what_was_read(tmp_path: Path) -> None:
    write_transcripts(tmp_path, {("p", "s"): text(line("a", usage(3)))})
    first = recomputed(tmp_path).export.sha256
    write_transcripts(tmp_path, {("p", "s"): text(line("a", usage(4)))})
    assert recomputed(tmp_path).export.sha256 != first


def test_generated_transcripts_against_the_program(tmp_path: Path) -> None:
    random = Random(5)
    for number in range(25):
        place = tmp_path / str(number)
        transcripts, age = {}, {}
        for session in range(random.randint(1, 4)):
            key = (random.choice("pq"), f"s{session}")
            transcripts[key] = text(*(_any_line(random) for _ in range(random.randint(0, 25))))
            age[key] = random.choice((0, 30 * MINUTE, 30 * MINUTE + 1, 10**9))
        write_transcripts(place, transcripts, age=age)
        written = {key: float(NOW - milliseconds) for key, milliseconds in age.items()}
        expected = program.sessions_of(transcripts, lambda p, s: written[p, s], NOW)  # noqa: B023
        session_lever = lever(place, "session", by=("session",))
        if session_lever.status == "ok":
            totals = [session_lever.totals[name] for name in SESSION_TOKENS]
            assert totals == [expected["totals"][kind] for kind in program.KINDS]
        assert session_lever.totals["sessions"] == len(expected["sessions"])


def _any_line(random: Random) -> str:
    counts = usage(*(random.choice((0, 1, random.randint(0, 10**6), "7", None)) for _ in range(4)))
    if random.random() < 0.5:
        counts["output_tokens_details"] = random.choice(({"thinking_tokens": 9}, None, "x", {}))
    key = random.choice((None, "a", "b", f"m{random.randint(0, 30)}", 4))
    made = line(key, counts, **random.choice(({}, {"uuid": f"u{random.randint(0, 9)}"})))
    return random.choice((made, made, made, made[: random.randint(0, len(made))], "{}"))


# --- the wire -------------------------------------------------------------------------------------


def logged(place: Path, *requests: str) -> Path:
    return write_document(place, "telemetry.jsonl", text(*requests))


def test_null_is_not_measured_and_adds_nothing(tmp_path: Path) -> None:
    logged(
        tmp_path,
        request("s", 1, 2, 3, 4),
        request("s", 10, None, 0, 0),
        request(None, None, None, None, None),
    )
    result = lever(tmp_path, "wire", by=("session",))
    assert by(result, "session", "output_tokens") == {"s": 2, None: None}
    assert result.totals["input_tokens"] == 11
    assert (result.totals["requests"], result.totals["unmeasured"]) == (3, 2)
    assert (result.coverage.measured, result.coverage.total) == (1, 3)
    assert codes(recomputed(tmp_path))["wire_unmeasured"] == 2


def test_the_wire_and_the_transcript_part_by_the_tokens_that_were_no_number(tmp_path: Path) -> None:
    write_transcripts(
        tmp_path, {("p", "s"): text(line("a", usage(5, 1)), line("b", usage("12", 1)))}
    )
    logged(tmp_path, request("s", 5, 1, 0, 0), request("s", 12, 1, 0, 0))
    message = said(recomputed(tmp_path), "wire_differs")
    assert message == "s: 5 input tokens in the transcript, 12 more on the wire"


def test_what_was_not_measured_may_be_what_is_missing(tmp_path: Path) -> None:
    write_transcripts(tmp_path, {("p", "s"): text(line("a", usage(5)), line("b", usage(7)))})
    logged(tmp_path, request("s", 5, 0, 0, 0), request("s", None, 0, 0, 0))
    assert "wire_differs" not in codes(recomputed(tmp_path))
    logged(tmp_path, request("s", 13, 0, 0, 0), request("s", None, 0, 0, 0))
    assert "1 more on the wire" in said(recomputed(tmp_path), "wire_differs")
    logged(tmp_path, request("s", 5, 0, 0, 0))
    assert "7 fewer on the wire" in said(recomputed(tmp_path), "wire_differs")


def test_requests_and_sessions_without_their_counterpart(tmp_path: Path) -> None:
    write_transcripts(tmp_path, {("p", "s"): text(line("a", usage(5)))})
    logged(tmp_path, request("t", 1, 1, 1, 1), request(None, 1, 1, 1, 1))
    message = said(recomputed(tmp_path), "wire_unmatched")
    assert "of t, which is no active session: 1" in message
    assert "of no known session: 1" in message
    assert "of s, which is active: none" in message


NO_REQUESTS = [
    *("{", "[]", "{}", '{"input_tokens": "5"}', '{"input_tokens": -1}', '{"input_tokens": 1.5}'),
    '{"session": {"key": 5}, "input_tokens": 1}',
    '{"input_tokens": 1, "input_tokens": 2}',
]


@pytest.mark.parametrize("bad", NO_REQUESTS)
def test_a_line_that_is_no_request_is_left_out_and_named(tmp_path: Path, bad: str) -> None:
    logged(tmp_path, request("s", 1, 2, 3, 4), bad)
    result = recomputed(tmp_path, levers=("wire",))
    assert result.lever("wire").totals["input_tokens"] == 1
    assert codes(result)["wire_lines_unread"] == 1
    (finding,) = [f for f in result.levers[0].findings if f.code == "wire_lines_unread"]
    assert finding.examples == (2,)


def test_a_log_may_lack_kinds_of_token(tmp_path: Path) -> None:
    logged(tmp_path, json.dumps({"session": None, "input_tokens": 4}))
    totals = lever(tmp_path, "wire").totals
    assert (totals["input_tokens"], totals["output_tokens"]) == (4, None)
