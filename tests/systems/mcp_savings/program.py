"""The program as a stranger would write it down: what it measures, prints and adds up.

Made from the documented rules and not from the code under test. Numbers here are JavaScript's, so
they are floats where the program's are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from verify.tokens import count_tokens

Json = Any
KINDS = ("input", "output", "reasoning", "cacheRead", "cacheWrite")
BUILT_IN = "(built-in / unattributed)"
TITLES = ("input:      ", "output:     ", "reasoning:  ", "cache read: ", "cache write:")


def fixed(value: float) -> str:
    """`value.toFixed(1)`."""
    return str(Decimal(value).quantize(Decimal("0.1"), ROUND_HALF_UP))


def _humanised(count: int, units: Sequence[str], gap: str) -> str:
    value, unit = float(count) / 1000, 0
    while value >= 1000 and unit < len(units) - 1:
        value, unit = value / 1000, unit + 1
    return f"{fixed(value)}{gap}{units[unit]}"


def bytes_text(count: int) -> str:
    """A size as the program prints it."""
    return f"{count} B" if count < 1000 else _humanised(count, ("KB", "MB", "GB"), " ")


def tokens_text(count: int | None) -> str:
    """Tokens as the program prints them."""
    if count is None:
        return "n/a"
    return str(count) if count < 1000 else _humanised(count, ("K", "M", "B"), "")


def plain_text(tool: Mapping[str, Any]) -> str:
    """`JSON.stringify` of a tool, good for text and small integers: what the tests' tools hold."""
    kept = {name: tool[name] for name in ("name", "description", "inputSchema") if name in tool}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def measured(
    server: str, enabled: bool, tools: Iterable[Mapping[str, Any]] | None, *, counted: bool = True
) -> Json:
    """One server; `tools` None cannot be reached."""
    if tools is None:
        failed = {"server": server, "ok": False, "enabled": enabled, "error": "fetch failed"}
        return {**failed, "tools": [], "bytes": 0, "tokens": None}
    listed = []
    for tool in tools:
        text = plain_text(tool)
        tokens = count_tokens([text])[0] if counted else None
        listed.append({"name": tool["name"], "bytes": len(text.encode()), "tokens": tokens})
    return {
        "server": server,
        "ok": True,
        "enabled": enabled,
        "tools": listed,
        "bytes": sum(tool["bytes"] for tool in listed),
        "tokens": total([tool["tokens"] for tool in listed]),
    }


def total(counts: Sequence[int | None]) -> int | None:
    """A sum that one unknown makes unknown."""
    return None if None in counts else sum(count or 0 for count in counts)


def split(measurement: Sequence[Json]) -> Json:
    """The two sides."""
    on = [one for one in measurement if one["ok"] and one["enabled"]]
    off = [one for one in measurement if not one["enabled"]]
    off_ok = [one for one in off if one["ok"]]
    found: Json = {"enabledOk": on, "disabledOk": off_ok, "disabled": off}
    for side, servers in (("pay", on), ("saved", off_ok)):
        found[f"{side}Bytes"] = sum(one["bytes"] for one in servers)
        found[f"{side}Tokens"] = total([one["tokens"] for one in servers])
        found[f"{side}Count"] = len(servers)
    return found


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    return [rule, line(header), rule, *map(line, rows), rule]


def measure_text(measurement: Sequence[Json], model: str) -> str:
    """What `measure` prints."""
    return "\n".join([*_servers(measurement, model), "", *_pay_and_saved(measurement)]) + "\n"


def _servers(measurement: Sequence[Json], model: str) -> list[str]:
    rows = []
    for one in sorted(measurement, key=lambda one: -one["bytes"]):
        on = "yes" if one["enabled"] else "no"
        if one["ok"]:
            size, tokens = bytes_text(one["bytes"]), tokens_text(one["tokens"])
            rows.append([one["server"], on, str(len(one["tools"])), size, tokens, "ok"])
        else:
            rows.append([one["server"], on, "-", "-", "-", "error"])
    lines = [f"MCP server tool schemas, measured directly from each server (model: {model}):"]
    lines += _table(["SERVER", "ENABLED", "TOOLS", "SCHEMA BYTES", "TOKENS", "STATUS"], rows)
    failed = [one for one in measurement if not one["ok"]]
    if failed:
        many = f" ({len(failed)})" if len(failed) > 1 else ""
        lines += ["", f"Could not be measured{many}:"]
        lines += [f"  {one['server']}: {one['error']}" for one in failed]
    return lines


def _pay_and_saved(measurement: Sequence[Json]) -> list[str]:
    sides = split(measurement)

    def words(side: str) -> str:
        tokens = sides[f"{side}Tokens"]
        shown = "n/a" if tokens is None else f"~{tokens_text(tokens)}"
        return f"~{bytes_text(sides[f'{side}Bytes'])} / {shown} tok per request —"

    lines = [
        f"PAY   {words('pay')} {sides['payCount']} enabled server(s) "
        "(estimated; tokens exact only for OpenAI models)."
    ]
    if sides["savedBytes"] > 0:
        count = sides["savedCount"]
        lines.append(f"SAVED {words('saved')} already skipped by {count} disabled server(s).")
    return lines


def _session(tokens: Mapping[str, int]) -> list[str]:
    return [
        f"  {title} {tokens_text(tokens[kind])}" for title, kind in zip(TITLES, KINDS, strict=True)
    ]


def report_text(snapshot: Json, *, taken: str = "2026-05-04T10:29:52.203Z") -> str:
    """What `report` prints of a fresh snapshot."""
    weights = snapshot["serverWeights"]
    size = sum(weight["bytes"] for weight in weights)
    rows = [
        [
            weight["server"],
            str(len(weight["tools"])),
            bytes_text(weight["bytes"]),
            f"{fixed(weight['bytes'] / size * 100)}%",
        ]
        for weight in weights
    ]
    return "\n".join(
        [
            "=== Session token usage (real, provider-reported) ===",
            f"Host: {snapshot['host']}",
            f"Snapshot taken: {taken}",
            *_session(snapshot["sessionTokens"]),
            "",
            "=== MCP servers (measured directly from each server) ===",
            f"(from snapshot, measured {taken})",
            *_servers(snapshot["mcpMeasurement"], snapshot["model"]),
            "",
            "=== Built-in & plugin tools (from host API) ===",
            "Host built-in & plugin tools, from the host's tool list (NOT real MCP servers — see "
            "the MCP section above for those):",
            *_table(["SERVER", "TOOLS", "SCHEMA BYTES", "% OF TOTAL"], rows),
            f"Total schema bytes: {bytes_text(size)}",
            "",
            *_pay_and_saved(snapshot["mcpMeasurement"]),
            "",
        ]
    )


def agent_report_text(sessions: Json, measurement: Sequence[Json], model: str) -> str:
    """What `report --host claude-code` prints."""
    active = sessions["sessions"]
    lines = ["=== Session token usage (real, provider-reported) ==="]
    if active:
        lines.append(f"From {len(active)} recently active session(s):")
        lines += [f"  {one['sessionId'][:8]}  {one['project']}" for one in active]
    else:
        lines.append("No Claude Code session has been active in the last 30 minutes.")
    lines += [*_session(sessions["totals"]), ""]
    lines.append("=== MCP servers (measured directly from each server) ===")
    return "\n".join([*lines, *_servers(measurement, model), "", *_pay_and_saved(measurement), ""])


def sessions_of(
    transcripts: Mapping[tuple[str, str], str], written: Callable[[str, str], float], now: float
) -> Json:
    """The tokens of the active sessions, from transcripts by project and session."""
    found: list[Json] = []
    for (project, session), text in transcripts.items():
        at = written(project, session)
        if now - at <= 30 * 60 * 1000:
            entry: Json = {"sessionId": session, "project": project, "lastActivity": at}
            found.append({**entry, "tokens": transcript_tokens(text)})
    found.sort(key=lambda one: -one["lastActivity"])
    totals = {kind: sum(one["tokens"][kind] for one in found) for kind in KINDS}
    return {"sessions": found, "totals": totals}


def transcript_tokens(text: str) -> dict[str, Any]:
    """The tokens of one transcript."""
    latest: dict[str, dict[str, Any]] = {}
    for line in text.split("\n"):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        message = entry.get("message") if isinstance(entry, dict) else None
        usage = message.get("usage") if isinstance(message, dict) else None
        if not (isinstance(entry, dict) and isinstance(message, dict) and isinstance(usage, dict)):
            continue
        key = message.get("id")
        key = entry.get("uuid") if key is None else key
        if isinstance(key, str):
            details = usage.get("output_tokens_details")
            thinking = details.get("thinking_tokens") if isinstance(details, dict) else 0
            values = (
                usage.get("input_tokens"),
                usage.get("output_tokens"),
                thinking,
                usage.get("cache_read_input_tokens"),
                usage.get("cache_creation_input_tokens"),
            )
            latest[key] = {
                kind: value if isinstance(value, int | float) and value is not True else 0
                for kind, value in zip(KINDS, values, strict=True)
            }
    return {kind: sum(one[kind] for one in latest.values()) for kind in KINDS}
