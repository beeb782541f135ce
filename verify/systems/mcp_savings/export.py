"""An opened export: its files read once, and the questions that it answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Self

from verify.compare.figures import Claims
from verify.compare.tieout import DiffRow
from verify.compare.worlds import Worlds
from verify.errors import UnreadableInput, UsageProblem
from verify.findings import Finding
from verify.period import Stretch, utc_text
from verify.result import ExportIdentity, LeverResult, Recomputation, Value
from verify.systems.base import Check, Question, Reading
from verify.systems.mcp_savings import findings as _kinds  # noqa: F401 (registers them)
from verify.systems.mcp_savings import levers, notes
from verify.systems.mcp_savings.attribution import UNATTRIBUTED, Attributed, attribute
from verify.systems.mcp_savings.described import described
from verify.systems.mcp_savings.details import detail_findings, detail_rows
from verify.systems.mcp_savings.inputs import Inputs, read_inputs
from verify.systems.mcp_savings.measure import Inventory, encoding_for, inventory
from verify.systems.mcp_savings.measures import (
    DIMENSIONS,
    HOST_TOOLS,
    LEVERS,
    MODEL,
    SESSION,
    SIDES,
    STATED,
    WIRE,
)
from verify.systems.mcp_savings.sessions import ACTIVE_MINUTES, Sessions, sessions_at
from verify.systems.mcp_savings.wire import Log, read_log

NAME = "mcp-savings"
NOW = "now"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MEANINGLESS = {
    "--period": "month",
    "--since": "since",
    "--until": "until",
    "--tz": "time_zone",
    "--baseline-model": "baseline_model",
}


class McpSavingsExport:
    """See `verify.systems.base.Export`."""

    def __init__(self, inputs: Inputs, log: Log | None, reading: Reading) -> None:
        self._inputs = inputs
        self._log = log
        self._reading = reading
        self._found: dict[Fraction, Sessions] = {}
        self._asked: dict[str, Sessions] = {}
        self._known: dict[str | None, Inventory] = {}
        self._present: Fraction | None = None

    @property
    def identity(self) -> ExportIdentity:
        """Of the files that do not depend on the time of asking; a recomputation's own has the
        transcripts that it read too."""
        return self._identity(None)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(self._about_files())

    def recompute(self, question: Question) -> Recomputation:
        """See `verify.systems.base.Export.recompute`. Options: see `measures.OPTIONS`."""
        _refuse(question)
        asked = self._levers(question)
        model = self._model(question)
        known = self._inventory(model)
        sessions = self._sessions(question)
        results = [self._lever(name, known, sessions, question) for name in asked]
        needed = any(name in SIDES for name in asked) and bool(known.servers)
        method = _method(model, sessions)
        self._asked[str(method[NOW])] = sessions
        return Recomputation(
            self._identity(sessions),
            Stretch(),
            method,
            tuple(results),
            (
                *self._about_files(),
                *notes.about_servers(self._inputs, known),
                *notes.about_model(model, needed),
            ),
        )

    def details(self, claims: Claims, result: Recomputation) -> tuple[list[DiffRow], list[Finding]]:
        """Servers that a report hides, what cannot be compared, sessions, and sums of both."""
        model = result.method[MODEL]
        known = self._inventory(model if isinstance(model, str) else None)
        sessions = self._asked[str(result.method[NOW])]
        rows = detail_rows(claims, known, sessions, self._inputs)
        return rows, detail_findings(claims, known, rows)

    def worlds(self, question: Question, largest: int) -> Worlds:  # noqa: ARG002
        """There is one method, and nothing in it that two honest counts could choose otherwise."""
        raise UsageProblem(
            f"{NAME} has no method switches to explain a difference by",
            advice="verify diff names the servers, tools and sessions that differ.",
        )

    def check(self, question: Question) -> Check:
        """See `verify.systems.base.Export.check`."""
        _refuse(question)
        model = self._model(question)
        known = self._inventory(model)
        sessions = self._sessions(question)
        tools, only_there = self._host_tools(known)
        found = [
            *self._about_files(),
            *notes.about_servers(self._inputs, known),
            *notes.about_model(model, bool(known.servers)),
        ]
        for name in SIDES:
            found += notes.about_side(name, known)
        found += notes.about_host_tools(tools, only_there)
        found += notes.about_sessions(self._inputs, sessions)
        if self._log is not None:
            found += notes.about_wire(self._log, sessions)
            found += notes.wire_differences(self._log, sessions)
        identity = self._identity(sessions)
        document = described(self._inputs, known, tools, sessions, self._log)
        return Check(identity, True, tuple(found), document)

    def close(self) -> None:
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _identity(self, sessions: Sessions | None) -> ExportIdentity:
        also = sessions.files if sessions else ()
        logged = (self._log.file,) if self._log else ()
        counted = sum(used.lines for used in sessions.active) if sessions else 0
        counted += sum(len(one.tools) for one in self._inputs.lists)
        counted += sum(each.requests for each in self._log.sessions.values()) if self._log else 0
        counted += self._inputs.snapshot is not None
        return ExportIdentity(
            NAME, None, self._inputs.digest((*also, *logged)), counted, "unmanifested"
        )

    def _about_files(self) -> Iterator[Finding]:
        yield Finding("export_unmanifested", "the program writes no manifest of what it measured")
        unread = self._inputs.unread
        if unread:
            yield Finding("file_unread", f"not read: {notes.listed(unread)}", len(unread))

    def _inventory(self, model: str | None) -> Inventory:
        if model not in self._known:
            self._known[model] = inventory(self._inputs, model)
        return self._known[model]

    def _levers(self, question: Question) -> tuple[str, ...]:
        for name in question.levers:
            if name not in LEVERS:
                raise UsageProblem(
                    f"{NAME} has no lever {name!r}", advice=f"It has {', '.join(LEVERS)}."
                )
        beside = {
            HOST_TOOLS: bool(self._inputs.snapshot and self._inputs.snapshot.weights),
            WIRE: self._log is not None,
        }
        default = [name for name in LEVERS if name in STATED or beside[name]]
        asked = tuple(name for name in LEVERS if name in (question.levers or default))
        for dimension in question.by:
            having = [name for name in LEVERS if dimension in DIMENSIONS[name]]
            if not set(having) & set(asked):
                dimensions = sorted({one for name in asked for one in DIMENSIONS[name]})
                raise UsageProblem(
                    f"{', '.join(asked)} cannot be broken down by {dimension!r}",
                    advice=f"There are {', '.join(dimensions)}.",
                )
        return asked

    def _model(self, question: Question) -> str | None:
        given = question.options.get(MODEL)
        if given is not None:
            if not given:
                raise UsageProblem("no model is named", advice=f"Write --set {MODEL}=gpt-5.4.")
            return given
        return self._inputs.snapshot.model if self._inputs.snapshot else None

    def _now(self, given: datetime | None) -> Fraction:
        if given is not None:
            return Fraction((given - _EPOCH) // timedelta(microseconds=1), 1000)
        if self._inputs.times is not None and self._inputs.times.now is not None:
            return self._inputs.times.now
        if self._present is None:
            now = datetime.now(UTC)
            self._present = Fraction((now - _EPOCH) // timedelta(microseconds=1), 1000)
            if self._inputs.transcripts:
                self._reading.notice(
                    f"no --now given: sessions are those active at {utc_text(now)}"
                )
        return self._present

    def _sessions(self, question: Question) -> Sessions:
        now = self._now(question.now)
        if now not in self._found:
            self._found[now] = sessions_at(self._inputs, now)
        return self._found[now]

    def _lever(
        self, name: str, known: Inventory, sessions: Sessions, question: Question
    ) -> LeverResult:
        by = question.by
        if name in SIDES:
            found = levers.side(name, known, by)
            return replace(found, findings=tuple(notes.about_side(name, known)))
        if name == SESSION:
            said = [*notes.about_sessions(self._inputs, sessions)]
            if self._log is not None:
                said += notes.wire_differences(self._log, sessions)
            return replace(levers.session(sessions, by), findings=tuple(said))
        if name == WIRE:
            about = notes.about_wire(self._log, sessions) if self._log else ()
            return replace(levers.wire(self._log, by), findings=tuple(about))
        tools, only_there = self._host_tools(known)
        found = levers.host_tools(tools, known.named_by, by)
        return replace(found, findings=tuple(notes.about_host_tools(tools, only_there)))

    def _host_tools(self, known: Inventory) -> tuple[list[Attributed], list[str]]:
        """The host's own tools with their servers, and the servers that the host's list alone
        names."""
        weights = self._inputs.snapshot.weights if self._inputs.snapshot else ()
        names = [server.name for server in known.servers]
        only_there = [
            weight.server
            for weight in weights
            if weight.server not in names and weight.server != UNATTRIBUTED
        ]
        tools = [tool for weight in weights for tool in weight.tools]
        return attribute(tools, [*names, *only_there]), only_there


def open_export(path: Path, reading: Reading) -> McpSavingsExport:
    """Read the export at `path`. Nothing is started, no server is contacted.

    Raises UnreadableInput for what cannot be read, IntegrityFailure for a link where a file should
    be, UsageProblem for a pinned manifest or renamed fields, which there are none of.
    """
    if reading.manifest_sha256 is not None:
        raise UsageProblem(f"{NAME} writes no manifest: there is none to pin")
    if reading.fields:
        raise UsageProblem(f"what {NAME} reads is read by its own names only")
    inputs = read_inputs(path)
    return McpSavingsExport(inputs, read_log(inputs), reading)


def _refuse(question: Question) -> None:
    for option, name in _MEANINGLESS.items():
        if getattr(question, name) is not None:
            raise UsageProblem(
                f"{option} means nothing here: servers are measured as they are, and sessions at "
                "one time",
                advice="Use --now TIME for the time of asking.",
            )


def _method(model: str | None, sessions: Sessions) -> Mapping[str, Value]:
    try:
        now = utc_text(_EPOCH + timedelta(microseconds=int(sessions.now * 1000)))
    except OverflowError:
        raise UnreadableInput("the time of asking lies beyond every calendar") from None
    return {
        MODEL: model,
        "encoding": encoding_for(model),
        NOW: now,
        "active_minutes": ACTIVE_MINUTES,
    }
