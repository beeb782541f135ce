"""Exports opened with another engine than DuckDB, alone or beside it.

Alone, an engine recomputes the levers and nothing else: what is asked about single records, about
other worlds or about the contents stays with DuckDB.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NoReturn, Self

from verify.compare.figures import Claims
from verify.compare.tieout import DiffRow
from verify.compare.worlds import Worlds
from verify.errors import Problem, UsageProblem
from verify.findings import Finding
from verify.result import ExportIdentity, Recomputation
from verify.systems.base import Check, Export, Question, Reading
from verify.systems.lighthouse.export import Combined, Listed, Trusted, open_export, trust
from verify.systems.lighthouse.frame_groups import FrameGroups
from verify.systems.lighthouse.frames import Frames, read_frames, repeated
from verify.systems.lighthouse.groups import CheckedGroups, EnginesDisagree, Groups
from verify.systems.lighthouse.load import Loaded
from verify.systems.lighthouse.recomputer import Recomputer
from verify.trust.source import Source, open_source

_FACTS = (
    *("sha256", "bytes", "lines", "records"),
    *("carriage_returns", "byte_order_mark", "unread_from"),
)


class ComputedExport:
    """See `verify.systems.base.Export`. It can be recomputed; the rest raises UsageProblem."""

    def __init__(
        self, trusted: Trusted[object], groups: Groups, reading: Reading, stack: ExitStack
    ) -> None:
        self._trusted = trusted
        self._groups = groups
        self._stack = stack
        self._recomputer = Recomputer(
            groups, trusted.identity, trusted.manifest, trusted.findings, reading
        )

    @property
    def identity(self) -> ExportIdentity:
        return self._trusted.identity

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self._trusted.findings

    def recompute(self, question: Question) -> Recomputation:
        return self._recomputer.recompute(question)

    def details(self, claims: Claims, result: Recomputation) -> tuple[list[DiffRow], list[Finding]]:  # noqa: ARG002
        self._refuse("tie out single records")

    def worlds(self, question: Question, largest: int) -> Worlds:  # noqa: ARG002
        self._refuse("try other methods")

    def check(self, question: Question) -> Check:  # noqa: ARG002
        self._refuse("describe an export")

    def _refuse(self, what: str) -> NoReturn:
        raise UsageProblem(
            f"the {self._groups.name} engine does not {what}", advice="Leave out --engine."
        )

    def close(self) -> None:
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_computed(path: Path, reading: Reading) -> Export:
    """Open the export at `path` with the engine, or the two, that `reading` asks for. Raises as
    `verify.systems.lighthouse.export.open_export` does, and EnginesDisagree."""
    if reading.engine == "spark":
        return _open_on_cluster(path, reading)
    if reading.cross_check:
        return open_export(path, reading, partial(_frames_beside, reading))
    stack = ExitStack()
    try:
        source = open_source(path)
        stack.callback(source.close)
        trusted = trust(source, reading, partial(_frames_of, source, reading))
        groups = _frame_groups(source, trusted.kept, trusted.loaded)
        return ComputedExport(trusted, groups, reading, stack)
    except BaseException:
        stack.close()
        raise


def _open_on_cluster(path: Path, reading: Reading) -> Export:
    from verify.engines.spark import SparkEngine
    from verify.systems.lighthouse.cluster import ClusterFiles, ClusterGroups
    from verify.systems.lighthouse.remote import place_of, source_at

    stack = ExitStack()
    try:
        engine = stack.enter_context(SparkEngine(reading.master))
        place = place_of(path)
        source = source_at(place, engine)
        stack.callback(source.close)

        def read_all(paths: list[str], listed: Listed) -> tuple[ClusterFiles, Loaded]:  # noqa: ARG001
            files = ClusterFiles(engine, place, paths, reading)
            stack.callback(files.close)
            return files, files.read()

        if reading.cross_check:

            def beside(source: Source, paths: list[str], loaded: Loaded) -> Combined:  # noqa: ARG001
                files, again = read_all(paths, ())
                same_reading(("duckdb", loaded), ("spark", again))
                return lambda own: CheckedGroups(ClusterGroups(engine, files), own)

            export = open_export(path, reading, beside)
            export.on_close(stack)
            return export
        trusted = trust(source, reading, read_all)
        return ComputedExport(trusted, ClusterGroups(engine, trusted.kept), reading, stack)
    except BaseException:
        stack.close()
        raise


def _frames_of(
    source: Source,
    reading: Reading,
    paths: list[str],
    listed: Listed,  # noqa: ARG001
) -> tuple[Frames, Loaded]:
    return read_frames(source, paths, names=reading.fields, progress=reading.progress)


def _frame_groups(source: Source, frames: Frames, loaded: Loaded) -> Groups:
    return FrameGroups(frames, partial(repeated, source, loaded))


def _frames_beside(reading: Reading, source: Source, paths: list[str], loaded: Loaded) -> Combined:
    frames, again = _frames_of(source, reading, paths, ())
    same_reading(("duckdb", loaded), ("polars", again))
    second = _frame_groups(source, frames, again)
    if reading.engine == "polars":
        return lambda own: CheckedGroups(second, own)
    return lambda own: CheckedGroups(own, second)


def same_reading(first: tuple[str, Loaded], second: tuple[str, Loaded]) -> None:
    """Hold what two engines read against each other: the same bytes, lines and invalid lines.
    Raises EnginesDisagree."""
    (one, here), (two, there) = first, second
    problems = []
    for ours, theirs in zip(here.parts, there.parts, strict=True):
        for fact in _FACTS:
            if (a := getattr(ours, fact)) != (b := getattr(theirs, fact)):
                message = f"{fact}: {one} {a}; {two} {b}"
                problems.append(Problem("engines_disagree", ours.path, message))
    invalid = {at.line: at.reason for at in here.invalid}
    invalid_too = {at.line: at.reason for at in there.invalid}
    for line in sorted(invalid.keys() | invalid_too.keys()):
        if invalid.get(line) != invalid_too.get(line):
            path, number = here.place(line)
            said = (f"{one} {invalid.get(line, 'reads it')}; "
                    f"{two} {invalid_too.get(line, 'reads it')}")  # fmt: skip
            problems.append(Problem("engines_disagree", f"{path}, line {number}", said, line))
    if here.more_invalid != there.more_invalid:
        message = f"more invalid lines: {one} {here.more_invalid}; {two} {there.more_invalid}"
        problems.append(Problem("engines_disagree", "beyond these", message))
    if problems:
        raise EnginesDisagree(one, two, "what the lines hold", problems)
