"""What only this product can tie out of a report: what it hides, what cannot be compared, what is
no transcript's, and sums that should not be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from verify.compare.figures import At, Claims, Figure
from verify.compare.tieout import DiffRow
from verify.compare.verdicts import Precision, Tolerance, judge
from verify.exact import Printed, plain
from verify.findings import Finding
from verify.result import Value
from verify.systems.mcp_savings.claims.printed import CLAUDE_CODE
from verify.systems.mcp_savings.claims.shown import HOSTS_OWN, SHOWN, Listed, Shown, side_of
from verify.systems.mcp_savings.inputs import Inputs
from verify.systems.mcp_savings.keys import pair
from verify.systems.mcp_savings.levers import weight
from verify.systems.mcp_savings.measure import Inventory
from verify.systems.mcp_savings.measures import HOST_TOOLS, PAY, SAVED, SESSION, SIDES
from verify.systems.mcp_savings.notes import listed
from verify.systems.mcp_savings.sessions import Sessions

_SUMMED = {"amount": "bytes", "tokens": "tokens"}


def detail_rows(
    claims: Claims, known: Inventory, sessions: Sessions, inputs: Inputs
) -> list[DiffRow]:
    """The rows that the system ties out by itself."""
    shown = claims.source.get(SHOWN)
    if not isinstance(shown, Shown):
        return []
    rows = [*_incomparable(shown, known, inputs)]
    if known.stated and not other_host(shown, known):
        rows += _hidden(shown, known)
    rows += _hidden_tools(shown, known)
    rows += _snapshot_session(shown, inputs)
    if shown.listed is not None:
        rows += _listed_sessions(shown.read, shown.listed, sessions)
    return rows


def other_host(shown: Shown, known: Inventory) -> bool:
    """Whether the report is of an agent whose own configuration is not the one that was given."""
    return shown.host == CLAUDE_CODE and known.stated


# --- what cannot be compared ----------------------------------------------------------------------


def _incomparable(shown: Shown, known: Inventory, inputs: Inputs) -> Iterator[DiffRow]:
    """Figures of what was not given: a server's tool list, the tokenizer, a host's configuration.
    A sum that counts such a server is none that could be compared, either."""
    reasons = _reasons(shown, known)
    sums = {lever: _not_in_sum(lever, shown, known, reasons) for lever in SIDES}
    for at, figure in shown.by_at.items():
        reason = ""
        if at.lever == HOST_TOOLS and inputs.snapshot is None:
            reason = "the snapshot with the host's own tools was not given"
        elif at.lever in SIDES and at.dimension is None:
            missing = sums[at.lever]
            reason = f"it counts what cannot be counted here: {listed(missing)}" if missing else ""
        elif at.lever in SIDES:
            server = shown.tools.get(at.key or "") if at.dimension == "tool" else at.key
            reason = reasons.get(server or "", "")
        if at.measure == "tokens" and figure.shown is not None and known.untokenized:
            reason = reason or "the tokenizer is not installed"
        if reason:
            yield _row(figure, None, None, "not_comparable", reason)


def _reasons(shown: Shown, known: Inventory) -> dict[str, str]:
    """Why a server's figures cannot be compared, by server."""
    servers = {server.name: server for server in known.servers}
    reasons = {}
    for name, (enabled, ok) in shown.servers.items():
        server = servers.get(name)
        if server is None:
            if other_host(shown, known) or not known.stated:
                reasons[name] = "nothing says whether the host has this server"
        elif known.assumed and not enabled:
            reasons[name] = "nothing says whether this server is on"
        elif ok and server.tools is None:
            reasons[name] = "no tool list of this server was given"
    return reasons


def _not_in_sum(
    lever: str, shown: Shown, known: Inventory, reasons: Mapping[str, str]
) -> list[str]:
    """The servers that keep a report's sum from being compared: those that it counts and that
    cannot be counted here, and those counted here that are not of its host."""
    missing = [
        name
        for name in reasons
        if shown.servers[name][1] and (known.assumed or side_of(shown.servers[name][0]) == lever)
    ]
    if other_host(shown, known) or not known.stated:
        missing += [
            server.name
            for server in known.servers
            if server.name not in shown.servers
            and server.tools is not None
            and side_of(server.enabled) == lever
        ]
    return missing


# --- what a report hides --------------------------------------------------------------------------


def _hidden(shown: Shown, known: Inventory) -> Iterator[DiffRow]:
    """Servers that the host knows and a whole report does not show, and a sum that it leaves out
    although there is something to sum."""
    if not shown.whole:
        return
    for server in known.servers:
        lever = side_of(server.enabled)
        there = shown.servers.get(server.name)
        if there is not None and there[0] is server.enabled:
            continue
        if server.tools is None and server.enabled and shown.except_broken:
            continue
        measure, value = ("unmeasured", 1) if server.tools is None else ("bytes", server.bytes)
        at = At(lever, measure, "server", server.name)
        reason = "the report does not show this server"
        if there is not None:
            reason = f"the report shows this server as {'on' if there[0] else 'off'}"
        yield DiffRow(at, None, None, value, None, "only_in_records", reason, shown.read)
    if At(PAY, "amount") not in shown.by_at:
        return
    size = weight(known.side(False))["bytes"]
    if size and At(SAVED, "amount") not in shown.by_at:
        reason = "the report shows no such sum"
        at = At(SAVED, "amount")
        yield DiffRow(at, None, None, size, None, "only_in_records", reason, shown.read)


def _hidden_tools(shown: Shown, known: Inventory) -> Iterator[DiffRow]:
    """Tools that a server lists and a document that shows its tools does not."""
    for server in known.servers if shown.by_tool else ():
        if shown.servers.get(server.name) != (server.enabled, True):
            continue
        for tool in server.tools or ():
            if tool.key not in shown.tools:
                at = At(side_of(server.enabled), "bytes", "tool", tool.key)
                reason = "the document does not show this tool"
                yield DiffRow(
                    at, None, None, tool.bytes, None, "only_in_records", reason, shown.read
                )


# --- sessions -------------------------------------------------------------------------------------


def _snapshot_session(shown: Shown, inputs: Inputs) -> Iterator[DiffRow]:
    """A host's own count of a session against the snapshot that it was printed from."""
    taken = inputs.snapshot
    same = shown.sha256 in {file.sha256 for file in inputs.files}
    for figure in shown.session:
        if shown.carries_session and (same or taken is None):
            yield _row(figure, None, None, "not_comparable", HOSTS_OWN)
        elif taken is None and figure.at.key is not None:
            reason = "the snapshot that it was printed from was not given"
            yield _row(figure, None, None, "not_comparable", reason)
        else:
            value = taken.session.get(figure.at.measure) if taken and figure.at.key else None
            yield _against(figure, value, "as the snapshot has it, which nothing else records")


def _against(figure: Figure, value: Fraction | None, said: str) -> DiffRow:
    if value is None or not isinstance(figure.shown, Printed):
        return _row(figure, None, None, "differs", "the records give none")
    precision = Precision(None, figure.half_unit)
    verdict = judge(figure.shown.value, value, precision, Tolerance())
    words = "the snapshot has another figure" if verdict == "differs" else said
    if verdict == "rounding":
        words = f"within half a printed unit, {plain(precision.half_unit)}; {said}"
    whole: Value = int(value) if value.denominator == 1 else value
    return _row(figure, whole, figure.shown.value - value, verdict, words)


def _listed_sessions(
    read: str, listed_there: Sequence[Listed], sessions: Sessions
) -> Iterator[DiffRow]:
    """Sessions that a report lists as active, by how their names begin, against those that are."""
    left = [(used.transcript.project, used.transcript.session) for used in sessions.active]
    for one in listed_there:
        found = next(
            (pair for pair in left if pair[0] == one.project and pair[1].startswith(one.start)),
            None,
        )
        at = At(SESSION, "active", "session", pair(one.start, one.project))
        if found is not None:
            left.remove(found)
            yield DiffRow(at, "yes", None, "yes", None, "exact", "", read, one.pointer)
        else:
            reason = "no session of this name is active"
            yield DiffRow(at, "yes", None, None, None, "only_in_figures", reason, read, one.pointer)
    for project, session in left:
        at = At(SESSION, "active", "session", pair(session, project))
        reason = "the report does not list this session"
        yield DiffRow(at, None, None, "yes", None, "only_in_records", reason, read)


def _row(
    figure: Figure, value: Value, delta: Fraction | None, verdict: str, reason: str
) -> DiffRow:
    return DiffRow(
        figure.at,
        figure.text,
        None,
        value,
        delta,
        verdict,
        reason,
        figure.read,
        figure.pointer,
    )


# --- findings -------------------------------------------------------------------------------------


def detail_findings(claims: Claims, known: Inventory, rows: Iterable[DiffRow]) -> list[Finding]:
    """What the rows come to, in words."""
    shown = claims.source.get(SHOWN)
    if not isinstance(shown, Shown):
        return []
    found = [*_about_hidden(shown, known, rows), *_about_errors(shown, known)]
    found += _added(shown, known)
    found += _zeros(shown, known)
    if shown.session:
        message = "the session's tokens are the host's own count; no transcript of it was given"
        found.append(Finding("session_of_snapshot", message, len(shown.session)))
    return found


def _about_hidden(shown: Shown, known: Inventory, rows: Iterable[DiffRow]) -> Iterator[Finding]:
    if other_host(shown, known):
        message = f"the report is of {shown.host}, the servers are named by the {known.named_by}"
        yield Finding("report_of_other_host", message)
        return
    hidden = [
        f"{row.at.key} ({row.recomputed:,} bytes)" if row.at.measure == "bytes" else f"{row.at.key}"
        for row in rows
        if row.verdict == "only_in_records"
        and row.at.dimension == "server"
        and row.at.key not in shown.servers
    ]
    if hidden:
        message = f"{shown.read} does not show {listed(hidden, len(hidden))}"
        yield Finding("report_hides_server", message, len(hidden))


def _about_errors(shown: Shown, known: Inventory) -> Iterator[Finding]:
    can_be = [
        server.name
        for server in known.servers
        if server.tools is not None and shown.servers.get(server.name) == (server.enabled, False)
    ]
    if can_be:
        message = f"shown as an error, and measured here: {listed(can_be)}"
        yield Finding("report_says_error", message, len(can_be))


def _added(shown: Shown, known: Inventory) -> Iterator[Finding]:
    """Numbers that are what is paid and what is saved added up. The sums are only looked for."""
    parts: dict[str, tuple[int, int]] = {}
    for name in ("bytes", "tokens"):
        pay, saved = (weight(known.side(enabled))[name] for enabled in (True, False))
        if isinstance(pay, int) and isinstance(saved, int) and pay and saved:
            parts[name] = (pay, saved)
    places = []
    for at, figure in shown.by_at.items():
        measure = _SUMMED.get(at.measure)
        both = parts.get(measure or "") if at.lever in SIDES and at.dimension is None else None
        if both is not None and _is_sum(figure.value, figure.half_unit, both):
            places.append(figure.pointer)
    for place, value in shown.strange:
        if any(_is_sum(value, _rounding(value), each) for each in parts.values()):
            places.append(place)
    if places:
        message = f"{shown.read} adds up what is paid and what is saved at {listed(places)}"
        yield Finding("pay_and_saved_added", message, len(places))


def _is_sum(value: Fraction | str | None, half: Fraction | None, both: tuple[int, int]) -> bool:
    if not isinstance(value, Fraction) or any(abs(value - part) <= (half or 0) for part in both):
        return False
    return abs(value - both[0] - both[1]) <= (half or 0)


def _rounding(value: Fraction) -> Fraction:
    """Half a unit of a number that may have been printed with one decimal and a prefix."""
    power = 0
    while value >= 1000 ** (power + 1) and power < 3:
        power += 1
    return Fraction(1000**power, 20) if power else Fraction(0)


def _zeros(shown: Shown, known: Inventory) -> Iterator[Finding]:
    empty = {side_of(on) for on in (True, False) if weight(known.side(on))["bytes"] is None}
    found = [
        figure.pointer
        for figure in shown.by_at.values()
        if figure.at.dimension is None
        and figure.value == 0
        and figure.at.measure in ("amount", "tokens")
        and figure.at.lever in empty
    ]
    found += [figure.pointer for figure in shown.session if figure.at.key is None]
    counts: Mapping[At, Figure] = shown.by_at
    active = counts.get(At(SESSION, "sessions"))
    if active is not None and active.value == 0:
        found.append(active.pointer)
    if found:
        message = f"{shown.read} shows 0 where nothing was measured: {listed(found)}"
        yield Finding("zero_over_nothing", message, len(found))
