"""Usage stores for the tests: lines written as the product writes them, and stores at random."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from systems.leanproxy.oracle import DAY, GOVERNOR, NS, TELEMETRY, TOOL, Written, stamp

MONDAY = 20_717  # 2026-09-21
TOOLS = ("github.list_issues", "github.search", "fs.read.v2", "orphan", ".leading", "jira.find")


def record(
    at: int | str | None = MONDAY * DAY,
    session: str = "s1",
    *,
    governor: dict[str, int] | None = None,
    tools: list[dict[str, Any]] | None = None,
    estimator: str = "chars/4",
    pid: Any = 1,
    **telemetry: Any,
) -> dict[str, Any]:
    """A record as a document. Counters are 0 unless they are given."""
    snapshot: dict[str, Any] = {}
    if governor is not None:
        snapshot["response_governor"] = {
            "enabled": True,
            **dict.fromkeys(GOVERNOR, 0),
            **governor,
            **({"by_tool": tools} if tools else {}),
        }
    snapshot["telemetry"] = {"requests_total": 0, **dict.fromkeys(TELEMETRY, 0), **telemetry}
    return {
        "timestamp": stamp(at) if isinstance(at, int) else at,
        "session_id": session,
        "pid": pid,
        "estimator": estimator,
        "snapshot": snapshot,
    }


def line(*arguments: Any, **named: Any) -> bytes:
    """The same as a line, without its line feed."""
    return compact(record(*arguments, **named))


def compact(document: Any) -> bytes:
    """A document as the product writes it."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def day_text(day: int) -> str:
    """The date of a day number."""
    return stamp(day * DAY)[:10]


def write(place: Path, files: Mapping[Any, bytes | list[bytes]]) -> Path:
    """A store with these files, by day number or name; lists are lines that all end."""
    place.mkdir(parents=True, exist_ok=True)
    for key, content in files.items():
        name = f"usage-{day_text(key)}.jsonl" if isinstance(key, int) else key
        data = content if isinstance(content, bytes) else b"".join(one + b"\n" for one in content)
        (place / name).write_bytes(data)
    return place


class _Session:
    """A front end: its counters, its clock, and how it writes."""

    def __init__(self, name: str, at: int) -> None:
        self.name, self.at = name, at
        self.telemetry = dict.fromkeys(TELEMETRY, 0)
        self.governor: dict[str, int] | None = None
        self.tools: dict[str, dict[str, Any]] = {}

    def written(self, file_day: int) -> Written:
        return Written(
            file_day,
            self.at,
            self.name,
            dict(self.telemetry),
            None if self.governor is None else dict(self.governor),
            [] if self.governor is None else [dict(tool) for tool in self.tools.values()],
        )


@st.composite
def stores(draw: st.DrawFn) -> tuple[list[Written], dict[int, bytes]]:
    """A store at random, as lines that know what they say and as the bytes of its files: restarts,
    torn and glued lines, clock steps, files of another day, repeated timestamps, counters that
    fall, a governor that is switched, lines with a value of another type."""
    start = (MONDAY - 2) * DAY + draw(st.integers(0, 3 * DAY))
    sessions = [
        _Session(f"s{number}", start + draw(st.integers(0, 2 * DAY)))
        for number in range(draw(st.integers(1, 4)))
    ]
    lines: list[tuple[Written, bytes]] = []
    for _ in range(draw(st.integers(1, 25))):
        session = draw(st.sampled_from(sessions))
        step = draw(st.sampled_from((5, 5, 5, 3_600, 50_000, 200_000, 0, -4_000, -90_000)))
        session.at += step * NS + draw(st.sampled_from((0, 0, 1, 500_000_000)))
        _change(draw, session)
        lines.append(_line(draw, session))
    return _in_files(draw, lines)


def _change(draw: st.DrawFn, session: _Session) -> None:
    what = draw(st.sampled_from(("none", "none", "schema", "tool", "tool", "switch", "fall")))
    if what == "schema":
        for name in TELEMETRY:
            session.telemetry[name] += draw(st.integers(0, 5_000))
    elif what == "switch":
        session.governor = None if session.governor else dict.fromkeys(GOVERNOR, 0)
    elif what == "fall":
        session.telemetry = dict.fromkeys(TELEMETRY, 3)
        if session.governor:
            session.governor = dict.fromkeys(GOVERNOR, 2)
            session.tools = {}
    elif what == "tool" and session.governor is not None:
        original, returned = draw(st.integers(0, 900)), draw(st.integers(0, 950))
        name = draw(st.sampled_from(TOOLS))
        tool = session.tools.setdefault(name, {"tool": name, **dict.fromkeys(TOOL, 0)})
        for counters in (session.governor, tool):
            counters["results"] += 1
            counters["original_tokens"] += original
            counters["returned_tokens"] += returned
        session.governor["saved_tokens"] += original - returned
        part = draw(st.sampled_from(("projection_saved", "dedup_saved", "summarize_saved")))
        session.governor[f"{part}_tokens"] += draw(st.integers(0, 100))


def _line(draw: st.DrawFn, session: _Session) -> tuple[Written, bytes]:
    file_day = session.at // DAY + draw(st.sampled_from((0,) * 12 + (-1, 1, -3, 2)))
    written = session.written(file_day)
    document = record(
        session.at,
        session.name,
        governor=written.governor,
        tools=written.tools,
        **dict[str, Any](written.telemetry),
    )
    how = draw(st.sampled_from(("plain",) * 10 + ("spaced", "typed", "torn", "bom", "keys")))
    data = compact(document)
    if how == "spaced":
        data = json.dumps(document).encode()
    elif how == "keys":
        text = data.decode().replace('"session_id"', '"Session_ID"')
        data = text.replace("{", '{"pid":7,', 1).encode()
    elif how == "typed":
        document["pid"] = "x"
        written.readable, data = False, compact(document)
    elif how == "torn":
        written.readable = written.key = False
        data = data[: draw(st.integers(1, len(data) - 1))]
    elif how == "bom":
        written.readable = written.key = False
        data = b"\xef\xbb\xbf" + data
    return written, data


def _in_files(
    draw: st.DrawFn, lines: list[tuple[Written, bytes]]
) -> tuple[list[Written], dict[int, bytes]]:
    files: dict[int, list[tuple[Written, bytes]]] = {}
    for written, data in lines:
        files.setdefault(written.file_day, []).append((written, data))
    ordered: list[Written] = []
    content: dict[int, bytes] = {}
    for day in sorted(files):
        text = b""
        for at, (written, data) in enumerate(files[day]):
            last = at == len(files[day]) - 1
            ends = not last or draw(st.booleans())
            glued = not last and draw(st.integers(0, 15)) == 0
            if glued:  # the next record is appended to it, and both are lost
                following = files[day][at + 1][0]
                for one in (written, following):
                    one.readable = one.key = False
            written.ended = ends
            text += data + (b"\n" if ends and not glued else b"")
            ordered.append(written)
        content[day] = text
    return ordered, content
