"""What `verify check` says of an export: its files, servers, tools, sessions and requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from verify.period import utc_text
from verify.systems.mcp_savings.attribution import Attributed
from verify.systems.mcp_savings.inputs import Hashed, Inputs
from verify.systems.mcp_savings.levers import session_key
from verify.systems.mcp_savings.measure import Inventory
from verify.systems.mcp_savings.sessions import Sessions
from verify.systems.mcp_savings.wire import Log

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def described(
    inputs: Inputs,
    known: Inventory,
    tools: Sequence[Attributed],
    sessions: Sessions,
    log: Log | None,
) -> dict[str, Any]:
    """The check's document, without what every check has."""
    taken = inputs.snapshot
    return {
        "files": [_file(file) for file in _files(inputs, sessions, log)],
        "servers_named_by": known.named_by,
        "snapshot": None
        if taken is None
        else {"host": taken.host, "taken": _instant(taken.taken), "model": taken.model},
        "asked_at": _instant(sessions.now) if inputs.transcripts else None,
        "servers": list(_servers(known)),
        "host_tools": [
            {
                "key": one.tool.name,
                "server": one.server,
                "bytes": one.tool.bytes,
                "not_attributed_to": one.loosely,
            }
            for one in tools
        ],
        "sessions": list(_sessions(sessions)),
        "idle_sessions": len(sessions.idle),
        "requests": list(_requests(log)) if log else [],
        "not_checked": [
            "what the host really sends to the model: it may rename tools or leave parts out",
            "whether a tool list is the one that the server gives today",
            "the schemas of the host's own tools, which are not kept",
            "transcripts of sessions that are not active",
            *(["when the servers of the snapshot were measured"] if taken else []),
        ],
    }


def _files(inputs: Inputs, sessions: Sessions, log: Log | None) -> Iterator[Hashed]:
    yield from inputs.files
    if log is not None:
        yield log.file
    yield from sessions.files


def _file(file: Hashed) -> Mapping[str, Any]:
    return {"path": file.path, "role": file.role, "sha256": file.sha256, "bytes": file.bytes}


def _servers(known: Inventory) -> Iterator[Mapping[str, Any]]:
    for enabled in (True, False):
        for server in known.side(enabled):
            yield {
                "key": server.name,
                "on": "yes" if enabled else "no",
                "bytes": server.bytes,
                "tokens": server.tokens,
                "tools": None if server.tools is None else len(server.tools),
                "from": server.basis,
            }


def _sessions(sessions: Sessions) -> Iterator[Mapping[str, Any]]:
    for used in sessions.active:
        yield {
            "key": session_key(used),
            "messages": used.messages,
            "lines": used.lines,
            "passed_over": used.lines - used.counted,
            "written": _instant(used.transcript.written),
        }


def _requests(log: Log) -> Iterator[Mapping[str, Any]]:
    for key, each in log.sessions.items():
        yield {"key": key, "requests": each.requests, "unmeasured": each.unmeasured}


def _instant(milliseconds: Fraction | None) -> str | None:
    if milliseconds is None:
        return None
    try:
        return utc_text(_EPOCH + timedelta(microseconds=int(milliseconds * 1000)))
    except OverflowError:
        return None
