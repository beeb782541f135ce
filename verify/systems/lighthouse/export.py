"""An opened LightHouse export: checked against its manifest, loaded, and ready to be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, Self, TypeVar

import duckdb

from verify.compare.diagnosis import Diagnosis
from verify.compare.figures import Claims
from verify.compare.tieout import DiffRow
from verify.compare.worlds import Worlds
from verify.engines.duckdb import DuckEngine
from verify.errors import IntegrityFailure, Problem, UnreadableInput
from verify.findings import EXAMPLES, Finding
from verify.result import ExportIdentity, Key, Recomputation
from verify.store.cache import DATABASE, Cache, default_root, key_of
from verify.store.scratch import scratch
from verify.systems.base import Check, Question, Reading
from verify.systems.lighthouse.ask import Asker
from verify.systems.lighthouse.fields import TOUCHES
from verify.systems.lighthouse.groups import Groups
from verify.systems.lighthouse.load import LOADER, InvalidAt, Loaded, Part, load
from verify.trust.manifest import ListedFile, Manifest, read_manifest
from verify.trust.source import Source, open_source
from verify.trust.tap import Tap

RECORDS = (".jsonl", ".jsonl.gz", ".jsonl.zst")
Listed = tuple[ListedFile, ...]
Combined = Callable[[Groups], Groups]
K = TypeVar("K", covariant=True)


@dataclass(frozen=True)
class Trusted(Generic[K]):
    """An export held against its manifest: what the trust checks say, the files of records with
    what was found in them, and what their reading left to compute with."""

    identity: ExportIdentity
    manifest: Manifest | None
    findings: tuple[Finding, ...]
    paths: list[str]
    loaded: Loaded
    kept: K


class Inside(NamedTuple):
    """What an export is made of, for those of this folder who need the lines themselves."""

    engine: DuckEngine
    source: Source
    loaded: Loaded


class LightHouseExport:
    """See `verify.systems.base.Export`."""

    def __init__(
        self,
        identity: ExportIdentity,
        manifest: Manifest | None,
        loaded: Loaded,
        findings: tuple[Finding, ...],
        engine: DuckEngine,
        stack: ExitStack,
        source: Source,
        reading: Reading,
        combined: Combined,
    ) -> None:
        self._identity = identity
        self._findings = findings
        self._stack = stack
        self.inside = Inside(engine, source, loaded)
        self._asker = Asker(engine, identity, manifest, loaded, findings, source, reading, combined)

    @property
    def identity(self) -> ExportIdentity:
        return self._identity

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self._findings

    def recompute(self, question: Question) -> Recomputation:
        return self._asker.recompute(question)

    def details(self, claims: Claims, result: Recomputation) -> tuple[list[DiffRow], list[Finding]]:
        return self._asker.details(claims, result)

    def worlds(self, question: Question, largest: int) -> Worlds:
        return self._asker.worlds(question, largest)

    def diagnose(self, question: Question, claims: Claims) -> Diagnosis:
        return self._asker.diagnose(question, claims)

    def lines_that_differ(
        self, question: Question, lever: str, switches: Mapping[str, str | bool]
    ) -> Sequence[int]:
        return self._asker.lines_that_differ(question, lever, switches)

    def lines_of_row(
        self, question: Question, lever: str, dimension: str, key: Key
    ) -> Sequence[int]:
        return self._asker.lines_of_row(question, lever, dimension, key)

    def written(self, lines: Sequence[int]) -> Sequence[bytes]:
        return self._asker.written(lines)

    def reduced(self, lines: Sequence[int], keep: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        from verify.systems.lighthouse.diagnose.evidence import reduced

        return [reduced(raw, keep) for raw in self.written(lines)]

    def pack(self, place: Path, records: Sequence[bytes], time_zone: str) -> None:
        from verify.systems.lighthouse.diagnose.evidence import pack

        pack(place, records, time_zone)

    def check(self, question: Question) -> Check:
        return self._asker.check(question)

    def on_close(self, more: ExitStack) -> None:
        """What to let go of as well, when the export is closed."""
        self._stack.push(more)

    def close(self) -> None:
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _alone(groups: Groups) -> Groups:
    return groups


def open_export(
    path: Path,
    reading: Reading,
    beside: Callable[[Source, list[str], Loaded], Combined] | None = None,
) -> LightHouseExport:
    """Open the export at `path` by the rules of `verify.trust.manifest`.

    `beside` reads it with another engine as well, and says how the groups of both become one.
    Raises IntegrityFailure with every problem found unless `reading.unverified`, and for invalid
    lines unless `reading.skip_invalid`; UnreadableInput for what cannot be read at all.
    """
    stack = ExitStack()
    try:
        source = open_source(path)
        stack.callback(source.close)

        def load_all(paths: list[str], listed: Listed) -> tuple[Path, Loaded]:
            return stack.enter_context(_stored(source, paths, listed, reading))

        trusted = trust(source, reading, load_all)
        combined = beside(source, trusted.paths, trusted.loaded) if beside else _alone
        spill = stack.enter_context(scratch(None, "verify-spill-"))
        engine = stack.enter_context(DuckEngine(trusted.kept, spill))
        return LightHouseExport(
            trusted.identity,
            trusted.manifest,
            trusted.loaded,
            trusted.findings,
            engine,
            stack,
            source,
            reading,
            combined,
        )
    except BaseException:
        stack.close()
        raise


def trust(
    source: Source, reading: Reading, load_all: Callable[[list[str], Listed], tuple[K, Loaded]]
) -> Trusted[K]:
    """What the records are worth: `load_all` reads the files of records, and whatever it hands
    back is kept when they fit their manifest. Raises as `open_export` does."""
    found = read_manifest(source, reading.manifest_sha256)
    problems = list(found.problems)
    listed = found.manifest.files if found.manifest else ()
    paths = _record_files(source, found.manifest, problems)
    if problems and not reading.unverified:
        raise IntegrityFailure([*problems, *_digest_problems(source, listed, problems)])
    try:
        kept, loaded = load_all(paths, listed)
    except UnreadableInput as error:
        wrong = [*problems, *_digest_problems(source, listed, problems)]
        if wrong and not reading.unverified:
            raise IntegrityFailure(wrong) from error
        raise
    said = {(problem.code, problem.where) for problem in problems}
    later = [*_against_manifest(listed, loaded), *_others(source, listed, paths, problems)]
    problems += [problem for problem in later if (problem.code, problem.where) not in said]
    invalid = [*_invalid_problems(loaded)]
    if problems and not reading.unverified:
        raise IntegrityFailure([*problems, *invalid])
    if invalid and not reading.skip_invalid:
        raise IntegrityFailure(
            [*problems, *invalid],
            advice="--skip-invalid goes on without these lines; see what they could touch.",
        )
    identity = _identity(found.manifest, loaded, bool(problems), reading)
    findings = tuple(_findings(identity, loaded, problems, found.warnings))
    return Trusted(identity, found.manifest, findings, paths, loaded, kept)


def _record_files(source: Source, manifest: Manifest | None, problems: list[Problem]) -> list[str]:
    """The files to read, in the manifest's order; without one, all that look like records."""
    present = {entry.name for entry in source.entries() if entry.kind == "file"}
    if manifest is None:
        paths = sorted(name for name in present if name.lower().endswith(RECORDS))
    else:
        paths = [
            file.path
            for file in manifest.files
            if file.path.lower().endswith(RECORDS) and file.path in present
        ]
        if not any(file.path.lower().endswith(RECORDS) for file in manifest.files):
            message = "it lists no file of records (*.jsonl, *.jsonl.gz, *.jsonl.zst)"
            problems.append(Problem("manifest_empty", manifest.names[0], message))
    paths = list(dict.fromkeys(paths))
    if not paths and manifest is None:
        raise UnreadableInput(
            f"{source.label} holds no records", advice="An export holds records.jsonl."
        )
    return paths


def _digest_of(source: Source, path: str) -> tuple[str, int]:
    with source.open(path) as handle:
        tap = Tap(handle, path)
        tap.drain()
    return tap.sha256, tap.bytes


def _digest_problems(
    source: Source, listed: tuple[ListedFile, ...], known: list[Problem]
) -> Iterator[Problem]:
    """Digests that do not fit, of those files that can be opened, so that all is said at once."""
    wrong = {problem.where for problem in known}
    for file in listed:
        if file.path in wrong:
            continue
        try:
            digest, _ = _digest_of(source, file.path)
        except UnreadableInput as error:
            yield Problem("file_unreadable", file.path, error.message)
        else:
            if digest != file.sha256:
                yield _digest_problem(file, digest)


def _digest_problem(file: ListedFile, digest: str) -> Problem:
    message = f"its SHA-256 is {digest}, the manifest says {file.sha256}"
    return Problem("file_digest", file.path, message)


def _against_manifest(listed: tuple[ListedFile, ...], loaded: Loaded) -> Iterator[Problem]:
    by_path = {file.path: file for file in listed}
    for part in loaded.parts:
        file = by_path.get(part.path)
        if file is None:
            continue
        if part.sha256 != file.sha256:
            yield _digest_problem(file, part.sha256)
        if file.bytes is not None and part.bytes != file.bytes:
            message = f"{part.bytes:,} bytes were read, the manifest says {file.bytes:,}"
            yield Problem("file_size", part.path, message)
        if file.records is not None and part.records != file.records:
            message = f"{part.records:,} records, the manifest says {file.records:,}"
            yield Problem("file_records", part.path, message)


def _others(
    source: Source, listed: tuple[ListedFile, ...], paths: list[str], known: list[Problem]
) -> Iterator[Problem]:
    """Listed files that hold no records are still held against their digests."""
    for file in listed:
        if file.path not in paths:
            yield from _digest_problems(source, (file,), known)


def _invalid_problems(loaded: Loaded) -> Iterator[Problem]:
    for at in loaded.invalid:
        path, line = loaded.place(at.line)
        yield Problem("line_invalid", f"{path}, line {line}", at.reason, at.line)
    if loaded.more_invalid:
        message = f"{loaded.more_invalid:,} more invalid lines"
        yield Problem("line_invalid", "beyond these", message)


def _identity(
    manifest: Manifest | None, loaded: Loaded, failed: bool, reading: Reading
) -> ExportIdentity:
    if failed or manifest is None:
        trust = "unverified"
    else:
        trust = "pinned" if reading.manifest_sha256 else "unauthenticated"
    files = tuple(ListedFile(part.path, part.sha256) for part in loaded.parts)
    return ExportIdentity(
        "lighthouse",
        manifest.tenant if manifest else None,
        Manifest(("",), "", files).digest(),
        sum(part.records for part in loaded.parts),
        trust,
    )


def _findings(
    identity: ExportIdentity,
    loaded: Loaded,
    problems: list[Problem],
    warnings: tuple[Problem, ...],
) -> Iterator[Finding]:
    if identity.trust == "unverified":
        yield Finding(
            "export_unverified",
            "this export failed its integrity check; nothing below is proven",
            len(problems),
        )
        for problem in problems:
            yield Finding(problem.code, f"{problem.where}: {problem.message}")
    if identity.trust == "unauthenticated":
        yield Finding(
            "manifest_unauthenticated",
            "the files fit the manifest; nobody vouched for the manifest itself",
        )
    yield from _line_findings(loaded)
    unread = [w for w in warnings if w.code == "file_unread"]
    if unread:
        shown = ", ".join(w.where for w in unread[:EXAMPLES])
        more = f" and {len(unread) - EXAMPLES} more" if len(unread) > EXAMPLES else ""
        yield Finding(
            "file_unread", f"not in the manifest, not read as records: {shown}{more}", len(unread)
        )
    for warning in warnings:
        if warning.code != "file_unread":
            yield Finding(warning.code, f"{warning.where}: {warning.message}")


def _touched(loaded: Loaded) -> str:
    """Which figures the lines that were left out could have reached."""
    kinds = [at.kind for at in loaded.invalid]
    unknown = sum(kind not in TOUCHES for kind in kinds) + loaded.more_invalid
    counts = {
        lever: sum(lever in TOUCHES.get(kind or "", ()) for kind in kinds)
        for lever in ("retrieval", "caching", "routing", "infrastructure")
    }
    said = [f"{lever} ({count:,})" for lever, count in counts.items() if count]
    if unknown:
        said.append(f"any figure ({unknown:,} of unknown type)")
    return f"they could have touched {', '.join(said)}"


def _line_findings(loaded: Loaded) -> Iterator[Finding]:
    if loaded.invalid:
        lines = tuple(at.line for at in loaded.invalid[:EXAMPLES])
        count = len(loaded.invalid) + loaded.more_invalid
        unread = "".join(
            f"; {part.path} was not read beyond line {part.lines:,}"
            for part in loaded.parts
            if part.unread_from is not None
        )
        message = f"{count:,} invalid lines were left out{unread}; {_touched(loaded)}"
        yield Finding("line_skipped", message, count, lines)
    blanks = sorted(at for part in loaded.parts for s in part.segments for at in s.blanks)
    if blanks:
        message = f"{len(blanks):,} blank lines"
        yield Finding("blank_lines", message, len(blanks), tuple(blanks[:EXAMPLES]))
    returns = sum(part.carriage_returns for part in loaded.parts)
    if returns:
        yield Finding("carriage_returns", f"{returns:,} lines end in CR LF", returns)
    for part in loaded.parts:
        if part.byte_order_mark:
            message = f"{part.path} begins with a byte-order mark"
            yield Finding("byte_order_mark", message, 1, (part.first_line,))


@contextmanager
def _stored(
    source: Source, paths: list[str], listed: tuple[ListedFile, ...], reading: Reading
) -> Iterator[tuple[Path, Loaded]]:
    """The database of the files `paths`: a stored one, when their bytes have its digests now, or
    one made anew, kept where it may be."""
    cache = Cache.usable(default_root()) if reading.cache else None
    if reading.cache and cache is None:
        reading.notice(
            f"nothing can be kept in {default_root()}; the export is read anew each time"
        )
    if cache is None:
        with scratch(None, "verify-load-") as place:
            database = place / DATABASE
            yield database, _load(source, paths, database, reading)
        return
    expected = {file.path: file.sha256 for file in listed}
    if all(path in expected for path in paths):
        entry = cache.find(_key([(path, expected[path]) for path in paths], reading))
        if entry is not None and _unchanged(source, paths, expected, reading):
            yield entry.database, _loaded(entry.about, paths)
            return
    with cache.building() as place:
        loaded = _load(source, paths, place / DATABASE, reading)
        key = _key([(part.path, part.sha256) for part in loaded.parts], reading)
        entry = cache.keep(place, key, _about(loaded))
    yield entry.database, loaded


def _load(source: Source, paths: list[str], database: Path, reading: Reading) -> Loaded:
    return load(source, paths, database, names=reading.fields, progress=reading.progress)


def _key(files: list[tuple[str, str]], reading: Reading) -> str:
    # Of a name, only what says how the bytes are packed.
    digests = [f"{digest}{Path(path.lower()).suffix}" for path, digest in files]
    return key_of(digests, LOADER, duckdb.__version__, dict(reading.fields))


def _unchanged(
    source: Source, paths: list[str], expected: Mapping[str, str], reading: Reading
) -> bool:
    for path in paths:
        with source.open(path) as handle:
            tap = Tap(handle, path)
            tap.drain()
        if tap.sha256 != expected[path]:
            return False
        if reading.progress is not None:
            reading.progress(tap.bytes)
    return True


def _about(loaded: Loaded) -> dict[str, Any]:
    return {
        "parts": [asdict(part) for part in loaded.parts],
        "invalid": [asdict(at) for at in loaded.invalid],
        "more_invalid": loaded.more_invalid,
    }


def _loaded(about: Mapping[str, Any], paths: list[str]) -> Loaded:
    """What the loader noted, with today's names of the same files."""
    parts = []
    for path, noted in zip(paths, about["parts"], strict=True):
        parts.append(Part.from_noted({**noted, "path": path}))
    invalid = tuple(InvalidAt(**at) for at in about["invalid"])
    return Loaded(tuple(parts), invalid, about["more_invalid"])
