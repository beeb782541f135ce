"""Exports made on the spot, with what the program would show of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import program

SAMPLE = Path(__file__).resolve().parents[3] / "sample_exports" / "mcp-savings"
MODEL = "gpt-5-mini"
NOW = 1_777_890_600_000  # 2026-05-04T10:30:00Z

Tool = dict[str, Any]
Servers = Mapping[str, tuple[bool, Sequence[Tool] | None]]


def tool(name: str, text: str = "", **properties: Any) -> Tool:
    """A tool with a description and a schema."""
    schema = {"type": "object", "properties": properties}
    return {"name": name, "description": text, "inputSchema": schema}


# PAY is 1,187 bytes in 3 servers' tools and SAVED 613: sums that nothing else comes to.
SERVERS: dict[str, tuple[bool, list[Tool] | None]] = {
    "atlas": (True, [tool("find", "Sucht, à la carte: " + "x" * 300), tool("draw", "y" * 411)]),
    "bursar": (False, [tool("pay", "z" * 500)]),
    "courier": (
        True,
        [{"name": "send", "inputSchema": {"type": "object"}}, tool("list", "w" * 77)],
    ),
    "drifter": (True, None),
    "ember": (False, None),
}


def measurement(servers: Servers, *, counted: bool = True) -> list[Any]:
    """What the program measures."""
    return [
        program.measured(name, enabled, tools, counted=counted)
        for name, (enabled, tools) in servers.items()
    ]


def snapshot(servers: Servers, weights: Sequence[Any] = (), **members: Any) -> dict[str, Any]:
    """The program's snapshot of a host with these servers."""
    listed = list(weights) or [
        {"server": program.BUILT_IN, "tools": [{"id": "bash", "bytes": 640}], "bytes": 640},
        {"server": "atlas", "tools": [{"id": "mcp__atlas__find", "bytes": 377}], "bytes": 377},
    ]
    taken = {
        "timestamp": NOW - 8000,
        "host": "opencode",
        "serverWeights": listed,
        "totalSchemaBytes": sum(weight["bytes"] for weight in listed),
        "sessionTokens": dict(
            zip(program.KINDS, (13_941, 9, 0, 105_444_000, 586_149), strict=True)
        ),
        "mcpMeasurement": measurement(servers),
        "model": MODEL,
    }
    return {name: value for name, value in (taken | members).items() if value is not None}


def write(
    place: Path,
    servers: Servers = SERVERS,
    *,
    configured: Mapping[str, Any] | None = None,
    taken: Mapping[str, Any] | None = None,
    lists: Servers | None = None,
) -> Path:
    """An export with tool lists, a configuration and, where `taken` is given, a snapshot."""
    folder = place / "servers"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (_, tools) in (servers if lists is None else lists).items():
        if tools is not None:
            text = json.dumps({"tools": tools}, ensure_ascii=False)
            (folder / f"{name}.tools.json").write_text(text, "utf-8")
    if configured is None:
        configured = {
            name: {"type": "local", "command": ["run", name], **({} if on else {"enabled": False})}
            for name, (on, _) in servers.items()
        }
    (place / "opencode.json").write_text(json.dumps({"mcp": configured}), "utf-8")
    if taken is not None:
        (place / "snapshot.json").write_text(json.dumps(taken), "utf-8")
    return place


def write_transcripts(
    place: Path,
    transcripts: Mapping[tuple[str, str], str],
    *,
    age: Mapping[tuple[str, str], int] | None = None,
    now: int = NOW,
    folder: str = "projects",
) -> Path:
    """Transcripts by project and session, written `age` milliseconds before `now`."""
    files = {}
    for (project, session), text in transcripts.items():
        path = f"{folder}/{project}/{session}.jsonl"
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, "utf-8")
        files[path] = now - (age or {}).get((project, session), 1000)
    (place / "mtimes.json").write_text(json.dumps({"now": now, "files": files}), "utf-8")
    return place


def usage(
    input_tokens: Any = 0, output: Any = 0, read: Any = 0, write: Any = 0, thinking: Any = None
) -> dict[str, Any]:
    """A usage as a provider reports it."""
    found = {
        "input_tokens": input_tokens,
        "output_tokens": output,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": write,
    }
    return (
        found
        if thinking is None
        else {**found, "output_tokens_details": {"thinking_tokens": thinking}}
    )


def line(key: Any, counts: Mapping[str, Any], **members: Any) -> str:
    """A line of a transcript, with its message's id unless that is None."""
    message = {"role": "assistant", "usage": counts, **({} if key is None else {"id": key})}
    return json.dumps({"type": "assistant", "message": message, **members})


def text(*lines: str) -> str:
    """Lines of a file."""
    return "".join(f"{one}\n" for one in lines)


def request(key: str | None, *counts: int | None) -> str:
    """A request in a proxy's log: input, output, cache read, cache write."""
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    entry = {"timestamp": "2026-05-04T10:20:00Z", "session": {"source": "native", "key": key}}
    return json.dumps({**entry, **dict(zip(names, counts, strict=True))})


def write_document(place: Path, name: str, document: Any) -> Path:
    """A document of the program: text as it is, else JSON."""
    target = place / name
    shown = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)
    target.write_text(shown, "utf-8")
    return target
