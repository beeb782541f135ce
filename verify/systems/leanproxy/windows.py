"""The dashboard's windows recomputed: of each session what it counted since a UTC midnight.

Stated: today begins at 00:00 UTC, the week on Monday at 00:00 UTC; a session counts with its latest
line less its last line before the window, each counter at least 0, and what was saved is original
less returned of these differences. Reading: the saved difference is at least 0 too, a tool is left
out when neither results nor original tokens grew, and two readers exist, which see different lines.

`summarize` reads every line that the report reads. `live` reads the files from the day before the
week on, only lines that end in a line feed, and of a line that cannot be decoded whole still the
timestamp and the session.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from verify.systems.leanproxy.instants import DAY
from verify.systems.leanproxy.notes import wrapped
from verify.systems.leanproxy.report import ToolTotal, Totals, by_server, by_tool, totals
from verify.systems.leanproxy.shape import EMPTY, Governor, Snapshot, Telemetry, Tool
from verify.systems.leanproxy.store import Group, Kept, Store

LIVE, SUMMARIZE = "live", "summarize"
VIEWS = (LIVE, SUMMARIZE)
TODAY, WEEK = "today", "week"


@dataclass(frozen=True)
class Part:
    """What one session adds to a window: its counters since `base`."""

    latest: Kept
    base: Kept | None
    delta: Snapshot


@dataclass(frozen=True)
class Window:
    """A window as the product shows it. `parts` are its sessions."""

    start: int
    parts: Mapping[str, Part]
    totals: Totals
    tools: Mapping[str, ToolTotal]
    servers: Mapping[str, ToolTotal]


def day_start(now: int) -> int:
    """The instant at which the UTC day of `now` begins."""
    return now // DAY * DAY


def week_start(now: int) -> int:
    """The instant at which the week of `now` begins: Monday, 00:00 UTC."""
    day = now // DAY
    return (day - (day + 3) % 7) * DAY  # 1970-01-01 was a Thursday


def seen(store: Store, view: str, now: int) -> list[tuple[Group, Kept]]:
    """The lines that stand for their groups, to one of the two readers."""
    if view == SUMMARIZE:
        return list(store.ends.items())
    first = week_start(now) // DAY - 1
    groups = dict.fromkeys([*store.ends, *store.live])
    found = []
    for group in groups:
        kept = store.live[group] if group in store.live else store.ends[group]
        if kept is not None and store.files[group.file].day >= first:
            found.append((group, kept))
    return found


def window(lines: Iterable[tuple[Group, Kept]], start: int, end: int | None = None) -> Window:
    """The window from `start` on, up to the instant `end` where one is given.

    A session that the store says nothing of in the window is not in it; nor is one whose latest
    line cannot be decoded.
    """
    latest: dict[str, Kept] = {}
    base: dict[str, Kept] = {}
    for group, kept in lines:
        if end is not None and kept.at >= end:
            continue
        if kept.later_than(latest.get(group.session)):
            latest[group.session] = kept
        if kept.at < start and kept.later_than(base.get(group.session)):
            base[group.session] = kept
    parts = {
        session: Part(kept, base.get(session), _delta(kept.snapshot, base.get(session)))
        for session, kept in sorted(latest.items())
        if kept.at >= start and kept.snapshot is not None
    }
    deltas = [part.delta for part in parts.values()]
    tools = by_tool(deltas)
    return Window(start, parts, totals(deltas), tools, by_server(tools, windows=True))


def days(store: Store, since: int | None) -> Iterator[tuple[int, Window]]:
    """Each UTC day of the store, from the cut's day on, by the window rule: what its sessions
    counted on that day. The days need not add up to the report."""
    lines = list(store.ends.items())
    for day in sorted({group.day for group, _ in lines}):
        if since is None or day >= since // DAY:
            yield day, window(lines, day * DAY, (day + 1) * DAY)


def _delta(latest: Snapshot | None, base: Kept | None) -> Snapshot:
    now = latest or EMPTY
    then = EMPTY if base is None or base.snapshot is None else base.snapshot
    telemetry = Telemetry(*map(grown, now.telemetry, then.telemetry))
    if now.governor is None:
        return Snapshot(telemetry)
    governor = Governor(*map(grown, now.governor, then.governor or Governor()))
    saved = grown(governor.original_tokens, governor.returned_tokens)
    earlier = {tool.tool: tool for tool in then.tools}
    tools = (_tool_delta(tool, earlier.get(tool.tool, Tool())) for tool in now.tools)
    kept = tuple(tool for tool in tools if tool.results > 0 or tool.original_tokens > 0)
    return Snapshot(telemetry, governor._replace(saved_tokens=saved), kept)


def _tool_delta(now: Tool, then: Tool) -> Tool:
    return Tool(
        now.tool,
        grown(now.results, then.results),
        grown(now.original_tokens, then.original_tokens),
        grown(now.returned_tokens, then.returned_tokens),
    )


def grown(now: int, then: int) -> int:
    """How much a counter grew; 0 where it fell."""
    return wrapped(now - then) if now >= then else 0
