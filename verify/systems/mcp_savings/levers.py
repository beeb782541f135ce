"""From what was measured to levers: rows, sums and coverage.

A sum over nothing is unknown and never 0; one server whose tokens are unknown makes the tokens of
its side unknown, while the bytes still add up. Nothing here adds one lever to another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from verify.result import Coverage, Key, LeverResult, Row, Value
from verify.systems.mcp_savings.attribution import Attributed
from verify.systems.mcp_savings.keys import pair
from verify.systems.mcp_savings.measure import FROM_LIST, Inventory, Server, Tool, tokens_of
from verify.systems.mcp_savings.measures import (
    HOST_TOOLS,
    PAY,
    SESSION,
    SESSION_TOKENS,
    WIRE,
    WIRE_TOKENS,
)
from verify.systems.mcp_savings.sessions import Sessions, Tokens, Used, summed
from verify.systems.mcp_savings.wire import Log, Requests

OK, NO_DATA, NOT_RECOUNTED = "ok", "no_data", "not_recounted"
"""Statuses. Not recounted: the sums rest in part on the program's own measurement of a server whose
tool list was not given; they are shown, and prove nothing."""

By = Sequence[str]


def side(name: str, inventory: Inventory, by: By) -> LeverResult:
    """`pay` or `saved`: the servers that are on, or those that are off. Bytes per request."""
    servers = inventory.side(name == PAY)
    measured = [server for server in servers if server.tools is not None]
    rows: dict[str, tuple[Row, ...]] = {}
    if "server" in by:
        rows["server"] = tuple(Row(server.name, weight([server])) for server in servers)
    if "tool" in by:
        tools = [tool for server in measured for tool in server.tools or ()]
        tools.sort(key=lambda tool: -tool.bytes)
        rows["tool"] = tuple(Row(tool.key, _tool(tool)) for tool in tools)
    totals = weight(servers)
    if not measured:
        status = NO_DATA
    else:
        recounted = all(server.basis == FROM_LIST for server in measured)
        status = OK if recounted else NOT_RECOUNTED
    return LeverResult(
        name,
        status,
        None,
        totals,
        Coverage(len(measured), len(servers)),
        rows,
        detail={"servers_named_by": inventory.named_by},
        amount=sum(server.bytes or 0 for server in measured) if measured else None,
        unit="bytes",
    )


def weight(servers: Sequence[Server]) -> dict[str, Value]:
    """Bytes, tokens and tools of those that are measured, and how many are and are not."""
    measured = [server for server in servers if server.tools is not None]
    return {
        "bytes": sum(server.bytes or 0 for server in measured) if measured else None,
        "tokens": tokens_of(measured) if measured else None,
        "tools": sum(len(server.tools or ()) for server in measured) if measured else None,
        "servers": len(measured),
        "unmeasured": len(servers) - len(measured),
    }


def _tool(tool: Tool) -> dict[str, Value]:
    return {"bytes": tool.bytes, "tokens": tool.tokens, "tools": 1}


def session(found: Sessions, by: By) -> LeverResult:
    """The tokens of the active sessions. Its kinds of token are not added: there is no one figure.

    Coverage is of lines: those that count over those that have a usage or are no JSON.
    """
    rows: dict[str, tuple[Row, ...]] = {}
    if "session" in by:
        rows["session"] = tuple(Row(session_key(used), _used([used])) for used in found.active)
    if "project" in by:
        rows["project"] = _grouped((used.transcript.project, used) for used in found.active)
    return LeverResult(
        SESSION,
        OK if any(used.counted for used in found.active) else NO_DATA,
        None,
        _used(found.active),
        Coverage(
            sum(used.counted for used in found.active), sum(used.lines for used in found.active)
        ),
        rows,
        unit="tokens",
    )


def session_key(used: Used) -> str:
    """A session's key, with its project, since two projects may have one of the same name."""
    return pair(used.transcript.session, used.transcript.project)


def _grouped(pairs: Iterable[tuple[str, Used]]) -> tuple[Row, ...]:
    groups: dict[str, list[Used]] = {}
    for key, used in pairs:
        groups.setdefault(key, []).append(used)
    return tuple(Row(key, _used(group)) for key, group in groups.items())


def _used(group: Sequence[Used]) -> dict[str, Value]:
    known = any(used.counted for used in group)
    tokens = whole(summed(used.tokens for used in group))
    return {
        **{name: tokens[name] if known else None for name in SESSION_TOKENS},
        "sessions": len(group),
        "messages": sum(used.messages for used in group),
    }


def whole(tokens: Tokens) -> dict[str, Value]:
    """Token sums as integers, but where a count was none."""
    return {name: int(value) if value.denominator == 1 else value for name, value in tokens.items()}


def host_tools(found: Sequence[Attributed], named_by: str, by: By) -> LeverResult:
    """The host's own tools by server. The bytes are the host's; what is computed are their sums,
    their shares in percent, and whose they are."""
    total = sum(one.tool.bytes for one in found)
    groups: dict[str | None, list[Attributed]] = {}
    for one in found:
        groups.setdefault(one.server, []).append(one)

    def row(key: Key, group: Sequence[Attributed]) -> Row:
        size = sum(one.tool.bytes for one in group)
        share = Fraction(100 * size, total) if total else None
        return Row(key, {"bytes": size, "share_percent": share, "tools": len(group)})

    rows: dict[str, tuple[Row, ...]] = {}
    if "server" in by:
        listed = [row(server, group) for server, group in groups.items()]
        rows["server"] = tuple(sorted(listed, key=_heaviest))
    if "tool" in by:
        rows["tool"] = tuple(row(key, [one]) for key, one in zip(_ids(found), found, strict=True))
    return LeverResult(
        HOST_TOOLS,
        OK if found else NO_DATA,
        None,
        {"bytes": total if found else None, "tools": len(found)},
        Coverage(len(found), len(found)),
        rows,
        detail={"servers_named_by": named_by},
        amount=total if found else None,
        unit="bytes",
    )


def _heaviest(row: Row) -> int:
    size = row.measures["bytes"]
    return -size if isinstance(size, int) else 0


def _ids(found: Sequence[Attributed]) -> list[str]:
    """The ids, of one id the second and later numbered."""
    seen: dict[str, int] = {}
    keys = []
    for one in found:
        nth = seen[one.tool.name] = seen.get(one.tool.name, 0) + 1
        keys.append(one.tool.name if nth == 1 else f"{one.tool.name} #{nth}")
    return keys


def wire(log: Log | None, by: By) -> LeverResult:
    """What the proxy measured, by session. Coverage is of requests: those measured whole."""
    sessions: Mapping[str | None, Requests] = log.sessions if log else {}
    groups = list(sessions.values())
    requests = sum(group.requests for group in groups)
    unmeasured = sum(group.unmeasured for group in groups)
    totals: dict[str, Value] = {name: _known(groups, name) for name in WIRE_TOKENS}
    rows: dict[str, tuple[Row, ...]] = {}
    if "session" in by:
        rows["session"] = tuple(
            Row(
                key,
                {
                    **{name: group.known(name) for name in WIRE_TOKENS},
                    "requests": group.requests,
                    "unmeasured": group.unmeasured,
                },
            )
            for key, group in sessions.items()
        )
    return LeverResult(
        WIRE,
        NO_DATA if all(value is None for value in totals.values()) else OK,
        None,
        {**totals, "requests": requests, "unmeasured": unmeasured},
        Coverage(requests - unmeasured, requests),
        rows,
        unit="tokens",
    )


def _known(groups: Sequence[Requests], name: str) -> int | None:
    values = [value for group in groups if (value := group.known(name)) is not None]
    return sum(values) if values else None
