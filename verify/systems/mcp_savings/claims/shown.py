"""What a document of the program shows, gathered as figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from verify.compare.figures import At, Derived, Figure
from verify.exact import Printed, plain
from verify.findings import Finding
from verify.systems.mcp_savings.documents import Measured
from verify.systems.mcp_savings.keys import pair
from verify.systems.mcp_savings.measures import PAY, SAVED

SHOWN = "shown"
"""Where in `Claims.source` what follows is found."""
HOSTS_OWN = "the host's own count: nothing else records it"


@dataclass(frozen=True)
class Listed:
    """An active session that a report lists: how its name begins, its project, and where."""

    start: str
    project: str
    pointer: str


@dataclass
class Shown:
    """The figures of one document, and what only this product's own tie-out needs.

    `sha256` is that of the document. `whole`: it shows every server of its host, `except_broken`
    but those that are on and could not be measured. `servers` are the servers shown, whether each
    is on and was measured; `tools` the server of each tool's key, `by_tool`: it shows them at all.
    `session` are tokens of a host's own count, which no transcript backs; `carries_session`: this
    very document is their record. `listed` are sessions; None where the document lists none.
    `encoding`: whether its tokens were counted (True), are n/a (False), or nobody can tell.
    `strange` are numbers that no document of the program is known to show.
    """

    read: str
    sha256: str = ""
    host: str | None = None
    whole: bool = False
    except_broken: bool = False
    model: str | None = None
    measured_at: str | None = None
    encoding: bool | None = None
    by_at: dict[At, Figure] = field(default_factory=dict)
    derived: dict[At, Derived] = field(default_factory=dict)
    complete: list[tuple[str, str]] = field(default_factory=list)
    servers: dict[str, tuple[bool, bool]] = field(default_factory=dict)
    tools: dict[str, str] = field(default_factory=dict)
    by_tool: bool = False
    session: list[Figure] = field(default_factory=list)
    carries_session: bool = False
    listed: list[Listed] | None = None
    strange: list[tuple[str, Fraction]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def show(
        self,
        at: At,
        shown: Printed | None,
        pointer: str,
        half_unit: Fraction | None = None,
    ) -> None:
        """One more figure. One that was shown before has to be the same."""
        figure = Figure(at, shown, self.read, pointer, half_unit)
        before = self.by_at.setdefault(at, figure)
        if before.value != figure.value:
            self._contradiction(before, figure)

    def _contradiction(self, before: Figure, figure: Figure) -> None:
        said = f"{before.text or 'n/a'} at {before.pointer}, {figure.text or 'n/a'} at "
        message = f"{self.read} shows {where(figure.at)} as {said}{figure.pointer}"
        self.findings.append(Finding("report_contradicts_itself", message))

    def has_to_be(
        self, at: At, parts: Iterable[tuple[Fraction, Fraction | None]], pointer: str
    ) -> None:
        """The figure at `at` follows from `parts`, each with half a unit of its rounding: their
        sum, within what rounding may add up to."""
        figure = self.by_at.get(at)
        if figure is None or not isinstance(figure.shown, Printed):
            return
        listed = list(parts)
        total = sum((value for value, _ in listed), Fraction(0))
        allowed = sum((half or Fraction(0) for _, half in listed), figure.half_unit or Fraction(0))
        self.derived[at] = Derived(total, len(listed))
        if abs(figure.shown.value - total) > allowed:
            said = f"{self.read}: {where(at)} is {plain(figure.shown.value)}"
            message = f"{said}, its own rows ({pointer}) add up to {plain(total)}"
            self.findings.append(Finding("report_rows_total", message))


def where(at: At) -> str:
    """A figure in words: `pay bytes of atlas`."""
    place = f" of {at.key or 'no server'}" if at.dimension is not None else ""
    return f"{at.lever} {'bytes' if at.measure == 'amount' else at.measure}{place}"


def side_of(enabled: bool) -> str:
    """The lever of a server that is on, or off."""
    return PAY if enabled else SAVED


def show_measured(shown: Shown, servers: Iterable[Measured], measure_at: str = "") -> None:
    """The figures of servers as the program measured them: by server, and by tool."""
    counted: list[bool] = []
    shown.by_tool = True
    for one in servers:
        lever, place = side_of(one.enabled), f"{measure_at}{one.place}"
        if one.server in shown.servers and shown.servers[one.server] != (one.enabled, one.ok):
            message = f"{shown.read} shows {one.server} twice, differently"
            shown.findings.append(Finding("report_contradicts_itself", message))
            continue
        shown.servers[one.server] = (one.enabled, one.ok)
        at = At(lever, "unmeasured", "server", one.server)
        if not one.ok:
            shown.show(at, _count(1), f"{place}/ok")
            if one.bytes or one.tools or one.tokens:
                message = f"{shown.read} shows figures of {one.server}, which was not measured"
                shown.findings.append(Finding("report_contradicts_itself", message))
            continue
        counted += [tool.tokens is not None for tool in one.tools]
        _show_server(shown, one, lever, place)
    if counted:
        shown.encoding = any(counted)


def _show_server(shown: Shown, one: Measured, lever: str, place: str) -> None:
    sizes = At(lever, "bytes", "server", one.server)
    tokens = At(lever, "tokens", "server", one.server)
    shown.show(sizes, _count(one.bytes), f"{place}/bytes")
    shown.show(tokens, _count(one.tokens), f"{place}/tokens")
    shown.show(At(lever, "tools", "server", one.server), _count(len(one.tools)), f"{place}/tools")
    shown.has_to_be(sizes, ((Fraction(tool.bytes), None) for tool in one.tools), f"{place}/tools")
    known = [Fraction(tool.tokens) for tool in one.tools if tool.tokens is not None]
    if len(known) == len(one.tools):
        shown.has_to_be(tokens, ((value, None) for value in known), f"{place}/tools")
    elif one.tokens is not None:
        message = f"{shown.read}: the tokens of {one.server} are a sum, and those of a tool are n/a"
        shown.findings.append(Finding("report_rows_total", message))
    seen: dict[str, int] = {}
    for position, tool in enumerate(one.tools):
        nth = seen[tool.name] = seen.get(tool.name, 0) + 1
        key = pair(one.server, tool.name, nth)
        shown.tools[key] = one.server
        at = f"{place}/tools/{position}"
        shown.show(At(lever, "bytes", "tool", key), _count(tool.bytes), f"{at}/bytes")
        shown.show(At(lever, "tokens", "tool", key), _count(tool.tokens), f"{at}/tokens")


def _count(value: int | None) -> Printed | None:
    return None if value is None else Printed.read(str(value))


def session_figures(
    read: str, key: str | None, tokens: Mapping[str, tuple[Printed, Fraction | None, str]]
) -> list[Figure]:
    """A session's tokens by a host's own count: figures that stand beside those of transcripts."""
    return [
        Figure(At("session", name, "snapshot", key), printed, read, pointer, half)
        for name, (printed, half, pointer) in tokens.items()
    ]
