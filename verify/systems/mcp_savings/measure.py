"""What each server's tools weigh: bytes always, tokens where there is a tokenizer for the model.

A tool's text is what a JavaScript program's `JSON.stringify` writes for its name, description and
inputSchema, in this order, what is absent left out. Its bytes are those of the text in UTF-8, its
tokens those that o200k_base makes of it. The two are counted apart: neither follows from the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from verify import tokens
from verify.systems.mcp_savings.documents import Configured, Measured, ToolList
from verify.systems.mcp_savings.inputs import Inputs
from verify.systems.mcp_savings.javascript import stringify, utf8_bytes
from verify.systems.mcp_savings.keys import pair
from verify.systems.mcp_savings.measures import NO_MODEL

MEMBERS = ("name", "description", "inputSchema")
TOKENIZED = ("gpt-4o", "gpt-4.1", "gpt-5")
"""Models, by what their names contain, whose tokens o200k_base makes."""
BY_CONFIGURATION, BY_SNAPSHOT, BY_LISTS, BY_NOBODY = (
    "host configuration",
    "snapshot's measurement",
    "tool lists",
    "nobody",
)
"""Who names the servers."""
FROM_LIST, FROM_MEASUREMENT = "tool list", "measurement"


@dataclass(frozen=True)
class Tool:
    """A tool that was weighed. `tokens` None: n/a, or not counted here."""

    key: str
    name: str
    bytes: int
    tokens: int | None


@dataclass(frozen=True)
class Server:
    """A server that somebody names, on or off, and its tools; None: nobody could measure it.

    `basis` says whether the tools were weighed here, from the server's own list, or are what the
    program measured.
    """

    name: str
    enabled: bool
    tools: tuple[Tool, ...] | None = None
    basis: str | None = None

    @property
    def bytes(self) -> int | None:
        """The bytes of its tools; 0 for a server that has none, None for one that is not known."""
        return None if self.tools is None else sum(tool.bytes for tool in self.tools)

    @property
    def tokens(self) -> int | None:
        """The tokens of its tools; None where those of one of them are not known."""
        return None if self.tools is None else tokens_of(self.tools)


@dataclass(frozen=True)
class Inventory:
    """All servers that are known. `named_by` says who names them; `assumed`: that all are on is not
    said anywhere; `foreign` are servers with tools that are not among those named; `contradicted`
    are those that the snapshot's measurement takes otherwise than the configuration;
    `untokenized`: tokens could be counted, if the tokenizer were installed.
    """

    servers: tuple[Server, ...]
    named_by: str
    assumed: bool = False
    foreign: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    untokenized: bool = False

    @property
    def stated(self) -> bool:
        """Whether somebody says which servers the host has, and which are on."""
        return self.named_by in (BY_CONFIGURATION, BY_SNAPSHOT)

    def side(self, enabled: bool) -> list[Server]:
        """The servers that are on, or those that are off; the heaviest first, as the program sorts
        them, then those that nobody could measure."""
        found = [server for server in self.servers if server.enabled is enabled]
        return sorted(found, key=lambda server: (server.bytes is None, -(server.bytes or 0)))


def tokens_of(items: Iterable[Tool | Server]) -> int | None:
    """The sum of their tokens; one that is not known makes the sum unknown."""
    total = 0
    for item in items:
        if item.tokens is None:
            return None
        total += item.tokens
    return total


def encoding_for(model: str | None) -> str | None:
    """The encoding whose tokens are those of `model`; None where none is known for it."""
    if model is None or model == NO_MODEL:
        return None
    lowered = model.lower()
    known = lowered == tokens.ENCODING or any(part in lowered for part in TOKENIZED)
    return tokens.ENCODING if known else None


def text_of(tool: Mapping[str, Any]) -> str:
    """What is weighed of a tool of a tool list."""
    return stringify({name: tool[name] for name in MEMBERS if name in tool})


def weigh(listed: ToolList, *, tokenized: bool) -> tuple[Tool, ...]:
    """The tools of a list. With `tokenized`, their tokens too, which takes the extra."""
    texts = [text_of(tool) for tool in listed.tools]
    counts: Sequence[int | None] = tokens.count_tokens(texts) if tokenized else [None] * len(texts)
    found = [
        Tool("", str(tool["name"]), utf8_bytes(text), count)
        for tool, text, count in zip(listed.tools, texts, counts, strict=True)
    ]
    return keyed(listed.server, found)


def keyed(server: str, tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """The tools with their keys, by server and name; of one name, the second and later numbered."""
    seen: dict[str, int] = {}
    found = []
    for tool in tools:
        nth = seen[tool.name] = seen.get(tool.name, 0) + 1
        found.append(replace(tool, key=pair(server, tool.name, nth)))
    return tuple(found)


def as_tools(measured: Measured, *, tokenized: bool) -> tuple[Tool, ...]:
    """The tools of a measurement by the program; without `tokenized`, their tokens are n/a."""
    return keyed(
        measured.server,
        (
            Tool("", tool.name, tool.bytes, tool.tokens if tokenized else None)
            for tool in measured.tools
        ),
    )


def inventory(inputs: Inputs, model: str | None) -> Inventory:
    """Every server that the host's configuration names, else those of the snapshot's measurement,
    else those with a tool list [reading: each of these is on, as the program takes it]."""
    encoding = encoding_for(model)
    tokenized = encoding is not None and tokens.available()
    lists = {listed.server: listed for listed in inputs.lists}
    taken = inputs.snapshot
    measured = {each.server: each for each in (taken.measurement if taken else None) or ()}
    same = taken is not None and encoding == encoding_for(taken.model)
    named, named_by = _named(inputs, measured)

    def server(named: Configured) -> Server:
        bare = Server(named.server, named.enabled)
        listed, before = lists.get(bare.name), measured.get(bare.name)
        if listed is not None:
            return replace(bare, tools=weigh(listed, tokenized=tokenized), basis=FROM_LIST)
        if before is not None and before.ok:
            counted = encoding is not None and same
            return replace(bare, tools=as_tools(before, tokenized=counted), basis=FROM_MEASUREMENT)
        return bare

    known = {one.server: one.enabled for one in named}
    contradicted = [
        name
        for name in dict.fromkeys((*known, *measured))
        if name not in measured or known.get(name) is not measured[name].enabled
    ]
    return Inventory(
        tuple(server(one) for one in named),
        named_by,
        assumed=named_by == BY_LISTS,
        foreign=tuple(name for name in dict.fromkeys((*lists, *measured)) if name not in known),
        contradicted=tuple(contradicted) if measured else (),
        untokenized=encoding is not None and not tokens.available(),
    )


def _named(inputs: Inputs, measured: Mapping[str, Measured]) -> tuple[tuple[Configured, ...], str]:
    if inputs.configured is not None:
        return inputs.configured, BY_CONFIGURATION
    if measured:
        named = tuple(Configured(one.server, one.enabled) for one in measured.values())
        return named, BY_SNAPSHOT
    if inputs.lists:
        return tuple(Configured(listed.server, True) for listed in inputs.lists), BY_LISTS
    return (), BY_NOBODY
