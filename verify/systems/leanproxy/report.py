"""The product's report recomputed: of each session the latest line, its whole cumulative total.

Stated: the rows and what each is made of, what is in the total, extra turns as a count of discovery
calls that is never turned into tokens, the cut of `--since`. Reading: of equal instants the first
line read counts, a cut leaves out files of days before the day before it, sums wrap at 64 bits, a
percentage of an original that is not positive is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from verify.exact import MILLION
from verify.systems.leanproxy.instants import DAY
from verify.systems.leanproxy.notes import wrapped
from verify.systems.leanproxy.shape import EMPTY, Governor, Snapshot, Telemetry, Tool
from verify.systems.leanproxy.store import Kept, Store

SCHEMA, TRUNCATION, PROJECTION = "schema", "response_truncation", "response_projection"
DEDUP, SUMMARIZATION, DISCOVERY = "response_dedup", "response_summarization", "discovery"
MECHANISMS = (SCHEMA, TRUNCATION, PROJECTION, DEDUP, SUMMARIZATION, DISCOVERY)


class Mechanism(NamedTuple):
    """A row of the report, in tokens and calls. `original` and `resulting` are 0 where the product
    tracks only what was saved."""

    original: int
    resulting: int
    saved: int
    calls: int


@dataclass(frozen=True)
class Totals:
    """What a set of cumulative counters adds up to, as the product adds: integers of 64 bits.

    `overflowed` says that a sum left 64 bits, so that what is shown is not what was counted.
    """

    mechanisms: Mapping[str, Mechanism]
    sessions: int
    results: int
    fallbacks: int
    overflowed: bool

    @property
    def original(self) -> int:
        """Tokens without the product: schemas and tool results."""
        return wrapped(self.mechanisms[SCHEMA].original + self.mechanisms[TRUNCATION].original)

    @property
    def saved(self) -> int:
        """Tokens saved: every row that is no cost. Discovery is a cost and is never in it."""
        return wrapped(sum(row.saved for name, row in self.mechanisms.items() if name != DISCOVERY))

    @property
    def percent(self) -> Fraction:
        """Saved of original, times 100; 0 where nothing was there to be saved."""
        return Fraction(self.saved * 100, self.original) if self.original > 0 else Fraction(0)

    @property
    def extra_turns(self) -> int:
        """Discovery calls, each of which may have cost the model a turn: an estimate."""
        return self.mechanisms[DISCOVERY].calls

    def cost(self, price: Fraction) -> Fraction:
        """USD that the saved tokens would have cost at `price` USD per million."""
        return self.saved * price / MILLION


def totals(snapshots: Iterable[Snapshot], *, stored: bool = True) -> Totals:
    """Add up snapshots, one a session.

    `stored` trusts the store's own `saved_tokens`, as the product does; otherwise they are
    original less returned.
    """
    telemetry, governor = [0] * len(Telemetry._fields), [0] * len(Governor._fields)
    sessions = 0
    for snapshot in snapshots:
        sessions += 1
        telemetry = [a + b for a, b in zip(telemetry, snapshot.telemetry, strict=True)]
        if snapshot.governor is not None:
            governor = [a + b for a, b in zip(governor, snapshot.governor, strict=True)]
    plain = (*telemetry, *governor)
    t = Telemetry(*map(wrapped, telemetry))
    g = Governor(*map(wrapped, governor))
    saved = g.saved_tokens if stored else wrapped(g.original_tokens - g.returned_tokens)
    parts = g.projection_saved_tokens + g.dedup_saved_tokens + g.summarize_saved_tokens
    native, sent = t.schema_native_tokens_total, t.schema_sent_tokens_total
    discovered = t.discovery_tokens_total
    rows = {
        SCHEMA: Mechanism(native, sent, wrapped(native - sent), t.schema_listings_total),
        TRUNCATION: Mechanism(
            g.original_tokens, g.returned_tokens, wrapped(saved - parts), g.truncated
        ),
        PROJECTION: Mechanism(0, 0, g.projection_saved_tokens, g.projected),
        DEDUP: Mechanism(0, 0, g.dedup_saved_tokens, g.dedup_hits),
        SUMMARIZATION: Mechanism(0, 0, g.summarize_saved_tokens, g.summarized),
        DISCOVERY: Mechanism(0, discovered, wrapped(-discovered), t.discovery_calls_total),
    }
    overflowed = any(wrapped(number) != number for number in plain)
    return Totals(rows, sessions, g.results, g.summarize_fallbacks, overflowed)


def files_read(store: Store, since: int | None) -> frozenset[int]:
    """The files that a report with that cut reads, by position."""
    return frozenset(
        at for at, file in enumerate(store.files) if since is None or file.day >= since // DAY - 1
    )


def latest(store: Store, since: int | None) -> dict[str, Kept]:
    """Of each session the line that the report takes, by session id.

    `since` is an instant of UTC midnight, or the one that the store was cut at.
    """
    files, found = files_read(store, since), dict[str, Kept]()
    for group, kept in store.ends.items():
        if group.file not in files or (since is not None and kept.at < since):
            continue
        if kept.later_than(found.get(group.session)):
            found[group.session] = kept
    return dict(sorted(found.items(), key=lambda item: item[0].encode("utf-8")))


def before(store: Store, since: int) -> dict[str, Kept]:
    """Of each session the last line before a cut, in whatever file it stands."""
    found: dict[str, Kept] = {}
    for group, kept in store.ends.items():
        if kept.at < since and kept.later_than(found.get(group.session)):
            found[group.session] = kept
    return found


def snapshots(kept: Iterable[Kept]) -> Iterator[Snapshot]:
    """The counters of lines, zeros where only a line's key can be read."""
    for one in kept:
        yield one.snapshot or EMPTY


class ToolTotal(NamedTuple):
    """Tool results of one tool or server, in tokens, before and after the governor."""

    calls: int = 0
    original: int = 0
    returned: int = 0

    @property
    def saved(self) -> int:
        """Original less returned."""
        return wrapped(self.original - self.returned)

    def plus(self, tool: Tool | ToolTotal) -> ToolTotal:
        """Both together."""
        if isinstance(tool, Tool):
            tool = ToolTotal(tool.results, tool.original_tokens, tool.returned_tokens)
        return ToolTotal(*(wrapped(a + b) for a, b in zip(self, tool, strict=True)))


def by_tool(found: Iterable[Snapshot]) -> dict[str, ToolTotal]:
    """Tool results by the tool's whole name."""
    tools: dict[str, ToolTotal] = {}
    for snapshot in found:
        for tool in snapshot.tools:
            tools[tool.tool] = tools.get(tool.tool, ToolTotal()).plus(tool)
    return tools


def by_server(tools: Mapping[str, ToolTotal], *, windows: bool) -> dict[str, ToolTotal]:
    """The same by server."""
    servers: dict[str, ToolTotal] = {}
    for name, tool in tools.items():
        server = server_of(name, windows=windows)
        servers[server] = servers.get(server, ToolTotal()).plus(tool)
    return servers


def server_of(tool: str, *, windows: bool) -> str:
    """What stands before the first dot. A name without one, or with a leading one, is its own
    server in reports and of no server, "", in windows."""
    dot = tool.find(".")
    if dot > 0:
        return tool[:dot]
    return "" if windows else tool
