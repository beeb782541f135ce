"""The program's printed report, line by line: what each line shows, and which lines show nothing.

It prints text only. Its forms are those of `report`, for either host, and of `measure`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from verify.systems.mcp_savings.claims.humanised import Humanised, bytes_shown, tokens_shown
from verify.systems.mcp_savings.measures import PAY, SAVED, SESSION_TOKENS

OPENCODE, CLAUDE_CODE = "opencode", "claude-code"
NOT_AVAILABLE = "n/a"
_NOTHING = "-"

_SESSION_LINES = dict(
    zip(("input", "output", "reasoning", "cache read", "cache write"), SESSION_TOKENS, strict=True)
)
_SERVER_COLUMNS = ["SERVER", "ENABLED", "TOOLS", "SCHEMA BYTES", "TOKENS", "STATUS"]
_WEIGHT_COLUMNS = ["SERVER", "TOOLS", "SCHEMA BYTES", "% OF TOTAL"]
_MODEL = re.compile(r"MCP server tool schemas, measured directly from each server \(model: (.*)\):")
_TOKEN_LINE = re.compile(r"  (input|output|reasoning|cache read|cache write): +(\S+)")
_ACTIVE = re.compile(r"From ([0-9]{1,9}) recently active session\(s\):")
_NONE_ACTIVE = "No Claude Code session has been active in the last 30 minutes."
_LISTED = re.compile(r"  (\S.{0,7})  (\S.*)")
_TOTAL = re.compile(
    r"(PAY  |SAVED) ~([0-9.]+ [KMG]?B) / (n/a|~[0-9.]+[KMB]?) tok per request — "
    r"(?:already skipped by )?([0-9]{1,9}) (enabled|disabled) server\(s\)"
    r"(?:\.| \(estimated; tokens exact only for OpenAI models\)\.)"
)
_WEIGHED = re.compile(r"Total schema bytes: ([0-9.]+ [KMG]?B)")
_SHARE = re.compile(r"([0-9]{1,9}\.[0-9])%")
_MEASURED_AT = re.compile(r"\(from snapshot, measured (.*)\)")
_FAILED = re.compile(r"Could not be measured(?: \([0-9]{1,9}\))?:")
# Lines that show no figure.
_SILENT = re.compile(
    r"|=== .* ===|\+[-+]+\+|Snapshot taken: .*|\(measured live just now .*\)"
    r"|No snapshot yet .*|@javilazaro/mcp-savings-opencode .*|No MCP servers found .*"
    r"|Host built-in & plugin tools, .*|No host built-in/plugin tool data yet .*"
)
_HOST = re.compile(r"Host: (.*)")
_NO_SNAPSHOT = re.compile(r"No snapshot yet .*")


class ServerRow(NamedTuple):
    """A server of the table. What is None is not shown for it; `tokens` may be n/a."""

    server: str
    enabled: bool
    ok: bool
    tools: int | None
    bytes: Humanised | None
    tokens: Humanised | None
    line: int


class WeightRow(NamedTuple):
    """The host's own tools of one server; the share in percent, as printed."""

    server: str
    tools: int
    bytes: Humanised
    share: str
    line: int


class Total(NamedTuple):
    """PAY or SAVED, over `servers` servers; `tokens` None is n/a."""

    bytes: Humanised
    tokens: Humanised | None
    servers: int
    line: int


class ListedSession(NamedTuple):
    """An active session by the first eight characters of its name, and its project."""

    start: str
    project: str
    line: int


@dataclass
class Report:
    """What a report shows. `host` None: it does not say; `snapshot`: whether it had one (None: it
    is of no such kind). `unknown` are lines that are none of the program's, with their numbers."""

    host: str | None = None
    snapshot: bool | None = None
    model: str | None = None
    measured_at: str | None = None
    session: dict[str, tuple[Humanised, int]] = field(default_factory=dict)
    active: tuple[int, int] | None = None
    listed: list[ListedSession] = field(default_factory=list)
    servers: list[ServerRow] = field(default_factory=list)
    totals: dict[str, Total] = field(default_factory=dict)
    weights: list[WeightRow] = field(default_factory=list)
    weighed: tuple[Humanised, int] | None = None
    unknown: list[tuple[int, str]] = field(default_factory=list)

    @property
    def is_one(self) -> bool:
        """Whether the text is a report of the program at all."""
        return self.model is not None or bool(self.session) or bool(self.totals)


def read_report(text: str) -> Report:
    """What a printed report shows."""
    report = Report()
    table: list[str] = []
    failed = listing = False
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        cells = _cells(line)
        if cells is not None:
            known = cells in (_SERVER_COLUMNS, _WEIGHT_COLUMNS)
            table = cells if known else table
            if not known and not _row(report, table, line, number):
                report.unknown.append((number, line))
            continue
        if failed and line.startswith("  "):
            continue
        listed = _LISTED.fullmatch(line) if listing else None
        if listed and not _TOKEN_LINE.fullmatch(line):
            report.listed.append(ListedSession(listed[1].rstrip(), listed[2], number))
            continue
        failed = _FAILED.fullmatch(line) is not None
        listing = _ACTIVE.fullmatch(line) is not None
        if not failed and not _take(report, line, number):
            report.unknown.append((number, line))
    return report


def _cells(line: str) -> list[str] | None:
    """The cells of a table's line; the first, a name, may hold what parts cells."""
    if not line.startswith("| ") or not line.endswith(" |"):
        return None
    parts = line[2:-2].split(" | ")
    for columns in (len(_SERVER_COLUMNS), len(_WEIGHT_COLUMNS)):
        if len(parts) == columns:
            return [part.strip() for part in parts]
    return [line]


def _row(report: Report, table: list[str], line: str, number: int) -> bool:
    if not table:
        return False
    name, *rest = line[2:-2].rsplit(" | ", len(table) - 1)
    cells = [name.rstrip(), *(part.strip() for part in rest)]
    if len(cells) != len(table):
        return False
    if table == _WEIGHT_COLUMNS:
        return _weight(report, cells, number)
    return _server(report, cells, number)


def _server(report: Report, cells: list[str], number: int) -> bool:
    name, enabled, tools, size, tokens, status = cells
    if enabled not in ("yes", "no") or status not in ("ok", "error"):
        return False
    if status == "error":
        report.servers.append(ServerRow(name, enabled == "yes", False, None, None, None, number))
        return [tools, size, tokens] == [_NOTHING] * 3
    weight, counted = bytes_shown(size), tokens_shown(tokens)
    if weight is None or not _is_count(tools) or (counted is None and tokens != NOT_AVAILABLE):
        return False
    row = ServerRow(name, enabled == "yes", True, int(tools), weight, counted, number)
    report.servers.append(row)
    return True


def _weight(report: Report, cells: list[str], number: int) -> bool:
    name, tools, size, share = cells
    weight, percent = bytes_shown(size), _SHARE.fullmatch(share)
    if weight is None or percent is None or not _is_count(tools):
        return False
    report.weights.append(WeightRow(name, int(tools), weight, percent[1], number))
    return True


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _take(report: Report, line: str, number: int) -> bool:
    """Read a line outside the tables; whether it is one of the program's."""
    if match := _TOKEN_LINE.fullmatch(line):
        shown = tokens_shown(match[2])
        if shown is not None:
            report.session[_SESSION_LINES[match[1]]] = shown, number
        return shown is not None
    if match := _TOTAL.fullmatch(line):
        side = PAY if match[1].strip() == "PAY" else SAVED
        weight, tokens = bytes_shown(match[2]), tokens_shown(match[3].removeprefix("~"))
        if weight is None or side in report.totals:
            return False
        report.totals[side] = Total(weight, tokens, int(match[4]), number)
        return (match[5] == "enabled") is (side == PAY)
    if match := _WEIGHED.fullmatch(line):
        weight = bytes_shown(match[1])
        report.weighed = None if weight is None else (weight, number)
        return weight is not None
    if match := _ACTIVE.fullmatch(line):
        report.active, report.host = (int(match[1]), number), CLAUDE_CODE
    elif line == _NONE_ACTIVE:
        report.active, report.host = (0, number), CLAUDE_CODE
    elif match := _MODEL.fullmatch(line):
        report.model = match[1]
    elif match := _HOST.fullmatch(line):
        report.host, report.snapshot = match[1], True
    elif match := _MEASURED_AT.fullmatch(line):
        report.measured_at = match[1]
    elif _NO_SNAPSHOT.fullmatch(line):
        report.host, report.snapshot = OPENCODE, False
    else:
        return _SILENT.fullmatch(line) is not None
    return True


def rows_by_side(rows: Iterable[ServerRow]) -> dict[str, list[ServerRow]]:
    """The servers that are on (`pay`), and those that are off (`saved`)."""
    sides: dict[str, list[ServerRow]] = {PAY: [], SAVED: []}
    for row in rows:
        sides[PAY if row.enabled else SAVED].append(row)
    return sides
