"""Which server a tool of the host belongs to, by the strict prefix rule.

A host's list of tools names no owner; the id is all there is. An id belongs to a server when, in
lower case, it begins with `mcp__<server>__` or `mcp_<server>_`. Of several servers that fit, the
one of the longest prefix counts; of names that differ only in case, the first. Nothing looser is
taken: an id that begins with a server's bare name (`delegation_read` and the server `delegation`)
may just as well be a tool of the host itself, and would then be promised as a saving that switching
the server off does not bring.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

UNATTRIBUTED = "(built-in / unattributed)"
"""What the program calls the tools that belong to no server."""

_LOOSE_ENDS = ("_", "-", ".", ":", "/")


@dataclass(frozen=True)
class HostTool:
    """A tool of the host's own list: its id, and its bytes as the host counted them."""

    name: str
    bytes: int


@dataclass(frozen=True)
class Attributed:
    """A host's tool with its server (None: none), and the server that a looser rule would have
    given it to, where there is one."""

    tool: HostTool
    server: str | None
    loosely: str | None


def attribute(tools: Iterable[HostTool], servers: Sequence[str]) -> list[Attributed]:
    """Each tool with its server, in order. `servers` are the names known, in the order in which
    they were configured."""
    strict = _ranked((prefix, server) for server in servers for prefix in _prefixes(server.lower()))
    loose = _ranked(
        (f"{server.lower()}{end}", server) for server in servers if server for end in _LOOSE_ENDS
    )
    found = []
    for tool in tools:
        server = _longest(tool.name.lower(), strict)
        loosely = None if server is not None else _longest(tool.name.lower(), loose)
        found.append(Attributed(tool, server, loosely))
    return found


def _prefixes(server: str) -> tuple[str, str]:
    return f"mcp__{server}__", f"mcp_{server}_"


def _ranked(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted(pairs, key=lambda pair: -len(pair[0]))


def _longest(name: str, ranked: Sequence[tuple[str, str]]) -> str | None:
    return next((server for prefix, server in ranked if name.startswith(prefix)), None)
