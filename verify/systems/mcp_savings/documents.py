"""The documents that are read whole: tool lists, the host's configuration, snapshots, measurements.

A tool list and a configuration are read as the program reads them, with JavaScript's rules. What
the program writes itself is read strictly and held against its schema. Of a configuration only the
names of its servers and whether each is on are kept: whatever else stands there (commands,
addresses, headers, environments) may be a credential, and is let go as soon as it is parsed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from verify.errors import UnreadableInput
from verify.exact import Printed
from verify.schemata import violations
from verify.systems.mcp_savings.attribution import HostTool
from verify.systems.mcp_savings.javascript import NotJson, ordered, parse
from verify.trust.strictjson import NotStrictJson, NumberText, loads

_SHOWN = 3
_MOST_DIGITS = 400
TOKENS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "reasoning": "reasoning_tokens",
    "cacheRead": "cache_read_tokens",
    "cacheWrite": "cache_write_tokens",
}
"""The program's names of a session's tokens, with ours."""


@dataclass(frozen=True)
class ToolList:
    """What a server answered to `tools/list`. `paged`: it said that there is more; `repeated` are
    keys that stand twice in one object."""

    server: str
    path: str
    tools: tuple[Mapping[str, Any], ...]
    paged: bool = False
    repeated: tuple[str, ...] = ()


@dataclass(frozen=True)
class Configured:
    """A server that the host's configuration names, and whether it is on."""

    server: str
    enabled: bool


@dataclass(frozen=True)
class MeasuredTool:
    """A tool as the program measured it; `tokens` None is its n/a."""

    name: str
    bytes: int
    tokens: int | None


@dataclass(frozen=True)
class Measured:
    """A server as the program measured it (`ok`), or could not. Its sums are the program's own;
    `place` is where it stands in its document."""

    server: str
    ok: bool
    enabled: bool
    tools: tuple[MeasuredTool, ...]
    bytes: int
    tokens: int | None
    place: str = ""


@dataclass(frozen=True)
class Weight:
    """The host's own tools of one server, as the program grouped them."""

    server: str
    tools: tuple[HostTool, ...]
    bytes: int


@dataclass(frozen=True)
class Snapshot:
    """What the program noted of a host. `taken` is its own time, in milliseconds since 1970, and
    not that of the measurement in it; `session` are tokens by our names; None is not there."""

    taken: Fraction | None
    host: str
    weights: tuple[Weight, ...]
    total_bytes: int | None
    session: Mapping[str, Fraction]
    measurement: tuple[Measured, ...] | None
    model: str | None


@dataclass(frozen=True)
class Times:
    """When transcripts were last written, in milliseconds since 1970, by path; and when that was
    asked."""

    now: Fraction | None
    files: Mapping[str, Fraction] = field(default_factory=dict)


def tool_list(data: bytes, server: str, path: str) -> ToolList:
    """The tool list in `data`: the result of `tools/list`, or the response that holds it.

    Raises UnreadableInput.
    """
    document, repeated = _javascript(data, path)
    if isinstance(document, dict) and isinstance(document.get("result"), dict):
        document = document["result"]
    held(document, "tool_list", path)
    tools = document["tools"]
    return ToolList(server, path, tuple(tools), bool(document.get("nextCursor")), repeated)


def configured(data: bytes, path: str) -> tuple[Configured, ...]:
    """The servers that a configuration names, in the program's order. Raises UnreadableInput.

    An entry that names neither an address nor a command is no server to the program.
    """
    document, _ = _javascript(data, path)
    servers = document.get("mcp") if isinstance(document, dict) else None
    if not isinstance(servers, dict):
        raise UnreadableInput(
            f"{path} names no servers", advice='Expected the host\'s configuration: {"mcp": {...}}.'
        )
    return tuple(
        Configured(name, servers[name].get("enabled") is not False)
        for name in ordered(servers)
        if isinstance(servers[name], dict) and _can_be_reached(servers[name])
    )


def _can_be_reached(entry: Mapping[str, Any]) -> bool:
    url, command = entry.get("url"), entry.get("command")
    if isinstance(url, str) and url and not isinstance(url, NumberText):
        return True
    if isinstance(command, list):
        return bool(command) and bool(command[0])
    return isinstance(command, str) and bool(command.strip())


def _javascript(data: bytes, path: str) -> tuple[Any, tuple[str, ...]]:
    try:
        parsed = parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UnreadableInput(f"{path} is not UTF-8 at byte {error.start + 1}") from None
    except NotJson as error:
        raise UnreadableInput(f"{path} cannot be read: {error}") from None
    return parsed.value, parsed.repeated


def document_in(data: bytes, path: str) -> Any:
    """The JSON document in `data`, read strictly. Raises UnreadableInput."""
    try:
        return loads(data)
    except NotStrictJson as error:
        raise UnreadableInput(
            f"{path} cannot be read: {error}", advice="Save it again as it came."
        ) from None


def held(document: Any, name: str, path: str) -> Any:
    """The document, held against the schema `mcp_savings/<name>`. Raises UnreadableInput."""
    wrong = violations(document, f"mcp_savings/{name}")
    if wrong:
        shown = "; ".join(f"{v.where or '/'}: {v.message}" for v in wrong[:_SHOWN])
        more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise UnreadableInput(
            f"{path} is not what a {name} should be: {shown}{more}",
            advice=f"See schemas/mcp_savings/{name}.schema.json.",
        )
    return document


def amount(text: str, path: str) -> Fraction:
    """A number of a document. Raises UnreadableInput for one that nobody can compute with."""
    try:
        if len(text) > _MOST_DIGITS:
            raise ValueError(text)
        return Printed.read(text).value
    except ValueError:
        shown = text if len(text) <= 40 else f"{text[:40]}..."
        raise UnreadableInput(f"{path}: a number out of all proportion: {shown}") from None


def measured(entries: Any, path: str, place: str = "") -> tuple[Measured, ...]:
    """The servers of a measurement whose schema holds. An entry that does not say whether its
    server is on was measured while it was."""
    return tuple(
        Measured(
            entry["server"],
            entry["ok"],
            entry.get("enabled") is not False,
            tuple(
                MeasuredTool(
                    tool["name"], int(amount(tool["bytes"], path)), _tokens(tool["tokens"], path)
                )
                for tool in entry["tools"]
            ),
            int(amount(entry["bytes"], path)),
            _tokens(entry["tokens"], path),
            f"{place}/{position}",
        )
        for position, entry in enumerate(entries)
    )


def _tokens(value: Any, path: str) -> int | None:
    return None if value is None else int(amount(value, path))


def snapshot(document: Any, path: str) -> Snapshot:
    """The program's snapshot. Raises UnreadableInput where its schema does not hold."""
    held(document, "snapshot", path)
    listed = document.get("mcpMeasurement")
    total = document.get("totalSchemaBytes")
    return Snapshot(
        amount(document["timestamp"], path) if "timestamp" in document else None,
        document.get("host", ""),
        tuple(
            Weight(
                weight["server"],
                tuple(
                    HostTool(tool["id"], int(amount(tool["bytes"], path)))
                    for tool in weight["tools"]
                ),
                int(amount(weight["bytes"], path)),
            )
            for weight in document.get("serverWeights", ())
        ),
        None if total is None else int(amount(total, path)),
        session_tokens(document.get("sessionTokens") or {}, path),
        None if listed is None else measured(listed, path, "/mcpMeasurement"),
        document.get("model"),
    )


def session_tokens(tokens: Mapping[str, Any], path: str) -> dict[str, Fraction]:
    """A session's tokens by our names."""
    return {ours: amount(tokens[name], path) for name, ours in TOKENS.items() if name in tokens}


def times(document: Any, path: str) -> Times:
    """The modification times that a copy carries along. Raises UnreadableInput."""
    held(document, "mtimes", path)
    now = document.get("now")
    return Times(
        None if now is None else amount(now, path),
        {name: amount(value, path) for name, value in document["files"].items()},
    )
