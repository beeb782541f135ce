"""The product's report and windows, calculated once more: plainly, from lists, with no code shared.

A store is a list of `Written` lines that know what they say. `report` and `windows` answer as the
product prints its JSON; percentages are binary floats, as they are there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

NS = 1_000_000_000
DAY = 86_400 * NS
TELEMETRY = (
    "schema_listings_total",
    "schema_native_tokens_total",
    "schema_sent_tokens_total",
    "discovery_calls_total",
    "discovery_tokens_total",
)
GOVERNOR = (
    "results",
    "truncated",
    "original_tokens",
    "returned_tokens",
    "saved_tokens",
    "projected",
    "projection_saved_tokens",
    "dedup_hits",
    "dedup_saved_tokens",
    "summarized",
    "summarize_saved_tokens",
    "summarize_fallbacks",
)
TOOL = ("results", "original_tokens", "returned_tokens")


@dataclass
class Written:
    """A line as it stands in the file of `file_day`.

    `readable`: the report reads it. `key`: its timestamp and session can be read. `ended`: it ends
    in a line feed.
    """

    file_day: int
    at: int
    session: str
    telemetry: dict[str, int] = field(default_factory=dict)
    governor: dict[str, int] | None = None
    tools: list[dict[str, Any]] = field(default_factory=list)
    readable: bool = True
    key: bool = True
    ended: bool = True


def stamp(at: int) -> str:
    """RFC 3339 in UTC, zeros at the end of the fraction dropped."""
    seconds, rest = divmod(at, NS)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}Z"


def report(lines: list[Written], since: int | None, price: float | None = None) -> dict[str, Any]:
    """What report --export json prints."""
    read = [line for line in lines if line.readable]
    if since is not None:
        first = since // DAY - 1
        read = [line for line in read if line.file_day >= first and line.at >= since]
    latest: dict[str, Written] = {}
    for line in read:
        if line.session not in latest or line.at > latest[line.session].at:
            latest[line.session] = line
    document = totals([latest[name] for name in sorted(latest)])
    document["since"] = "0001-01-01T00:00:00Z" if since is None else stamp(since)
    document["session_count"] = len(latest)
    document["estimator"] = "chars/4"
    sizes = tool_sizes(list(latest.values()))
    servers: dict[str, list[int]] = {}
    for name, (calls, original, _) in sizes.items():
        dot = name.find(".")
        server = name[:dot] if dot > 0 else name
        entry = servers.setdefault(server, [0, 0])
        entry[0] += calls
        entry[1] += original
    if sizes:
        document["top_tools_by_response_size"] = largest(
            {name: [calls, original] for name, (calls, original, _) in sizes.items()}
        )
        document["top_servers_by_response_size"] = largest(servers)
    if latest:
        document["per_session"] = [
            {
                "session_id": name,
                "timestamp": stamp(latest[name].at),
                "total_original_tokens": totals([latest[name]])["total_original_tokens"],
                "total_saved_tokens": totals([latest[name]])["total_saved_tokens"],
            }
            for name in sorted(latest)
        ]
    if price is not None:
        document["price_per_mtok"] = price
        document["estimated_cost_saved"] = document["total_saved_tokens"] / 1_000_000 * price
    return document


def largest(sizes: dict[str, list[int]]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {"tool": name, "original_tokens": original, "calls": calls}
        for name, (calls, original) in sizes.items()
    ]
    rows.sort(key=lambda row: -row["original_tokens"])
    return rows[:10]


def tool_sizes(lines: list[Written]) -> dict[str, list[int]]:
    """Calls, original and returned tokens by tool."""
    sizes: dict[str, list[int]] = {}
    for line in lines:
        for tool in line.tools:
            entry = sizes.setdefault(tool["tool"], [0, 0, 0])
            for at, name in enumerate(TOOL):
                entry[at] += tool[name]
    return sizes


def totals(lines: list[Written]) -> dict[str, Any]:
    t = {name: sum(line.telemetry.get(name, 0) for line in lines) for name in TELEMETRY}
    g = {name: sum((line.governor or {}).get(name, 0) for line in lines) for name in GOVERNOR}
    native, sent = t["schema_native_tokens_total"], t["schema_sent_tokens_total"]
    parts = g["projection_saved_tokens"] + g["dedup_saved_tokens"] + g["summarize_saved_tokens"]
    rows = [
        ("schema", native, sent, native - sent, t["schema_listings_total"]),
        (
            "response_truncation",
            g["original_tokens"],
            g["returned_tokens"],
            g["saved_tokens"] - parts,
            g["truncated"],
        ),
        ("response_projection", 0, 0, g["projection_saved_tokens"], g["projected"]),
        ("response_dedup", 0, 0, g["dedup_saved_tokens"], g["dedup_hits"]),
        ("response_summarization", 0, 0, g["summarize_saved_tokens"], g["summarized"]),
        (
            "discovery",
            0,
            t["discovery_tokens_total"],
            -t["discovery_tokens_total"],
            t["discovery_calls_total"],
        ),
    ]
    saved = native - sent + g["saved_tokens"]
    original = native + g["original_tokens"]
    return {
        "mechanisms": [
            {
                "mechanism": name,
                "measured": True,
                **({"is_cost": True} if name == "discovery" else {}),
                "estimator": "chars/4",
                "original_tokens": row_original,
                "resulting_tokens": resulting,
                "saved_tokens": row_saved,
                "calls": calls,
                "notes": "",
            }
            for name, row_original, resulting, row_saved, calls in rows
        ],
        "total_original_tokens": original,
        "total_saved_tokens": saved,
        "total_saved_percent": saved / original * 100 if original > 0 else 0,
        "extra_turns_estimate": t["discovery_calls_total"],
    }


def windows(lines: list[Written], now: int, view: str) -> dict[str, Any]:
    """What the dashboard serves."""
    today = now // DAY * DAY
    weekday = datetime.fromtimestamp(now // NS, UTC).weekday()
    week = today - weekday * DAY
    if view == "summarize":
        seen = [line for line in lines if line.readable]
    else:
        first = week // DAY - 1
        seen = [line for line in lines if line.key and line.ended and line.file_day >= first]
    return {
        "estimator": "chars/4",
        "today": window(seen, today),
        "week": window(seen, week),
    }


def window(lines: list[Written], start: int) -> dict[str, Any]:
    deltas = []
    for session in {line.session for line in lines}:
        own = [line for line in lines if line.session == session]
        latest = max(own, key=lambda line: line.at)  # the first of equal ones
        if latest.at < start or not latest.readable:
            continue
        earlier = [line for line in own if line.at < start]
        base = max(earlier, key=lambda line: line.at) if earlier else None
        deltas.append(delta(latest, base if base and base.readable else None))
    found = totals(deltas)
    sizes = tool_sizes(deltas)
    tools: list[dict[str, Any]] = []
    servers: dict[str, dict[str, Any]] = {}
    for name, (calls, original, returned) in sizes.items():
        dot = name.find(".")
        server, tool = (name[:dot], name[dot + 1 :]) if dot > 0 else ("", name)
        row = {
            "server": server,
            "tool": tool,
            "calls": calls,
            "original_tokens": original,
            "returned_tokens": returned,
            "saved_tokens": original - returned,
        }
        tools.append(row)
        total = servers.setdefault(
            server,
            {"server": server, "tools": 0}
            | dict.fromkeys(("calls", "original_tokens", "returned_tokens", "saved_tokens"), 0),
        )
        total["tools"] += 1
        for name_ in ("calls", "original_tokens", "returned_tokens", "saved_tokens"):
            total[name_] += row[name_]
    tools.sort(key=lambda row: (-row["original_tokens"], row["server"], row["tool"]))
    ordered = sorted(servers.values(), key=lambda row: (-row["original_tokens"], row["server"]))
    discovery = found["mechanisms"][-1]
    answer = {
        "since": stamp(start),
        "sessions": len(deltas),
        "original_tokens": found["total_original_tokens"],
        "saved_tokens": found["total_saved_tokens"],
        "saved_percent": found["total_saved_percent"],
        "discovery_calls": discovery["calls"],
        "discovery_tokens": discovery["resulting_tokens"],
        "tool_calls": sum((line.governor or {}).get("results", 0) for line in deltas),
        "by_server": ordered,
        "by_tool": tools,
    }
    if tools:
        top = tools[0]
        answer["top_tool"] = f"{top['server']}.{top['tool']}" if top["server"] else top["tool"]
    if ordered and ordered[0]["server"]:
        answer["top_server"] = ordered[0]["server"]
    return answer


def delta(latest: Written, base: Written | None) -> Written:
    """What was counted between two lines, nothing below 0."""
    before = base or Written(0, 0, "")
    telemetry = {
        name: max(latest.telemetry.get(name, 0) - before.telemetry.get(name, 0), 0)
        for name in TELEMETRY
    }
    if latest.governor is None:
        return Written(0, latest.at, latest.session, telemetry)
    old = before.governor or {}
    governor = {name: max(latest.governor.get(name, 0) - old.get(name, 0), 0) for name in GOVERNOR}
    governor["saved_tokens"] = max(governor["original_tokens"] - governor["returned_tokens"], 0)
    tools = []
    for tool in latest.tools:
        then = [one for one in before.tools if one["tool"] == tool["tool"]]
        grown = {"tool": tool["tool"]} | {
            name: max(tool[name] - (then[-1][name] if then else 0), 0) for name in TOOL
        }
        if grown["results"] > 0 or grown["original_tokens"] > 0:
            tools.append(grown)
    return Written(0, latest.at, latest.session, telemetry, governor, tools)
