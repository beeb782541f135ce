"""An opened usage store: checked against a manifest where there is one, read once, and asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from verify.compare.figures import Claims
from verify.compare.tieout import DiffRow
from verify.compare.worlds import Worlds
from verify.errors import IntegrityFailure, Problem, UsageProblem
from verify.findings import Finding
from verify.result import ExportIdentity, Recomputation
from verify.systems.base import Check, Question, Reading
from verify.systems.leanproxy import findings as _kinds  # noqa: F401 (registers them)
from verify.systems.leanproxy.ask import (
    Asked,
    answer,
    asked_of,
    checked,
    nanoseconds,
    window_of,
)
from verify.systems.leanproxy.details import report_rows, table_rows, window_rows
from verify.systems.leanproxy.diagnose import about_store, skipped_lines
from verify.systems.leanproxy.filenames import file_day
from verify.systems.leanproxy.instants import date_text, stamp_text
from verify.systems.leanproxy.measures import WINDOWS
from verify.systems.leanproxy.report import latest, snapshots, totals
from verify.systems.leanproxy.store import Reader, Store
from verify.systems.leanproxy.worlds import UsageWorlds
from verify.trust.manifest import NAMES, ListedFile, Manifest, read_manifest
from verify.trust.source import Source, open_source
from verify.trust.sums import with_manifest

NAME = "leanproxy"
_MISSING = "manifest_missing"


@dataclass(frozen=True)
class _Trusted:
    """What the checks of the files came to."""

    manifest: Manifest | None
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    pinned: bool

    @property
    def word(self) -> str:
        if self.problems:
            return "unverified"
        if self.manifest is None:
            return "unmanifested"
        return "pinned" if self.pinned else "unauthenticated"


class LeanProxyExport:
    """See `verify.systems.base.Export`."""

    def __init__(self, source: Source, paths: list[str], store: Store, trusted: _Trusted) -> None:
        self._source = source
        self._paths = paths
        self._store = store
        self._cut_store: Store | None = None
        self._trusted = trusted
        read = tuple(ListedFile(file.path, file.sha256) for file in store.files)
        self._identity = ExportIdentity(
            NAME,
            None,
            Manifest(("",), "", read).digest(),
            sum(file.records for file in store.files),
            trusted.word,
        )

    @property
    def identity(self) -> ExportIdentity:
        return self._identity

    @property
    def findings(self) -> tuple[Finding, ...]:
        return (*self._trust_findings(), *about_store(self._store, self._ignored(), None, None))

    def recompute(self, question: Question) -> Recomputation:
        asked = checked(question)
        store = self._store_for(asked)
        results = tuple(answer(store, asked))
        notes = (
            *about_store(store, self._ignored(), asked.since, asked.now),
            *skipped_lines(store, latest(store, asked.since), asked.since),
        )
        return Recomputation(
            self._identity,
            asked.period(),
            asked.method(),
            results,
            (*self._trust_findings(), *notes),
        )

    def details(self, claims: Claims, result: Recomputation) -> tuple[list[DiffRow], list[Finding]]:
        asked = asked_of(result)
        store = self._store_for(asked)
        kept = latest(store, asked.since)
        whole = totals(snapshots(kept.values()), stored=asked.stored)
        rows = [*report_rows(claims, kept), *table_rows(claims, whole)]
        if asked.now is not None:
            found = {name: window_of(store, asked, name) for name in WINDOWS}
            rows += window_rows(claims, found)
        return rows, []

    def worlds(self, question: Question, largest: int) -> Worlds:  # noqa: ARG002
        asked = checked(question)
        return UsageWorlds(asked, lambda other: tuple(answer(self._store_for(other), other)))

    def check(self, question: Question) -> Check:
        if question.time_zone not in (None, "UTC"):
            raise UsageProblem("the store's days are UTC days; --tz has no meaning for it")
        store = self._store
        kept = latest(store, None)
        now = None if question.now is None else nanoseconds(question.now)
        notes = (
            *self._trust_findings(),
            *about_store(store, self._ignored(), None, now),
            *skipped_lines(store, kept, None),
        )
        too_long = any(file.too_long is not None for file in store.files)
        sound = self._trusted.word != "unverified" and not too_long
        return Check(self._identity, sound, notes, self._document())

    def close(self) -> None:
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _store_for(self, asked: Asked) -> Store:
        """The store, read again where the cut falls inside a day."""
        if asked.cut is None:
            return self._store
        if self._cut_store is None or self._cut_store.cut != asked.cut:
            again = read_store(self._source, self._paths, asked.cut)
            before = [file.sha256 for file in self._store.files]
            if [file.sha256 for file in again.files] != before:
                raise IntegrityFailure(
                    [Problem("file_digest", self._source.label, "it changed while it was read")],
                    advice="Copy the store, and read the copy.",
                )
            self._cut_store = again
        return self._cut_store

    def _ignored(self) -> list[str]:
        return [
            entry.name
            for entry in self._source.entries()
            if entry.name not in self._paths and entry.name not in NAMES
        ]

    def _trust_findings(self) -> Iterator[Finding]:
        trusted = self._trusted
        if trusted.word == "unverified":
            yield Finding(
                "export_unverified",
                "this store failed its integrity check; nothing below is proven",
                len(trusted.problems),
            )
            for problem in trusted.problems:
                yield Finding(problem.code, f"{problem.where}: {problem.message}")
        elif trusted.word == "unmanifested":
            yield Finding(
                "export_unmanifested",
                "the product writes no manifest, so nothing shows whether the store was changed; "
                "verify check --write-manifest makes one now",
            )
        elif trusted.word == "unauthenticated":
            yield Finding(
                "manifest_unauthenticated",
                "the files fit the manifest; nobody vouched for the manifest itself",
            )
        for warning in trusted.warnings:
            if warning.code != "file_unread":
                yield Finding(warning.code, f"{warning.where}: {warning.message}")

    def _document(self) -> dict[str, Any]:
        store = self._store
        records: dict[int, int] = {}
        for group, kept in store.ends.items():
            records[group.day] = records.get(group.day, 0) + kept.count
        stamps = list(store.ends.values())
        first_days = sorted(records)
        return {
            "files": [
                {
                    "path": file.path,
                    "sha256": file.sha256,
                    "bytes": file.bytes,
                    "lines": file.lines,
                    "records": file.records,
                    "skipped": file.skipped,
                }
                for file in store.files
            ],
            "time_zone": "UTC",
            "span": {
                "first_day": date_text(first_days[0]),
                "last": stamp_text(max(kept.at for kept in stamps)),
            }
            if stamps
            else None,
            "sessions": len({group.session for group in store.ends}),
            "skipped_lines": sum(file.skipped for file in store.files),
            "days": [
                {"key": date_text(day), "records": count} for day, count in sorted(records.items())
            ],
            "skipped": [
                {
                    "path": store.files[one.file].path,
                    "line": one.line,
                    "sort": one.reason.sort,
                    "reason": one.reason.words,
                }
                for one in store.skipped
            ],
            "not_checked": [
                "what the product measured and how it counted it",
                "counters that no figure is made of, beyond their type",
                "whether a proxy ran that wrote no line",
            ],
        }


def open_export(path: Path, reading: Reading) -> LeanProxyExport:
    """Open the usage store at `path`.

    A manifest that lies in it (`SHA256SUMS`) or is given is checked by the rules of
    `verify.trust.manifest`; without one the store is unmanifested. Raises IntegrityFailure with
    every problem found unless `reading.unverified`, UnreadableInput, and UsageProblem for renamed
    fields, which it has none of.
    """
    if reading.fields:
        raise UsageProblem("a usage store has one form; its fields cannot be renamed")
    source = with_manifest(open_source(path), reading.manifest)
    try:
        found = read_manifest(source, reading.manifest_sha256)
        missing = found.manifest is None and any(p.code == _MISSING for p in found.problems)
        problems = [p for p in found.problems if p.code != _MISSING]
        if missing and reading.manifest_sha256 is not None:
            problems += [p for p in found.problems if p.code == _MISSING]
        paths = []
        for entry in source.entries():
            if file_day(entry.name) is None:
                continue
            if entry.kind == "file":
                paths.append(entry.name)
            else:
                message = f"it is a {entry.kind}, which the product would follow"
                problems.append(Problem("file_not_regular", entry.name, message))
        if problems and not reading.unverified:
            raise IntegrityFailure(list(dict.fromkeys(problems)))
        store = read_store(source, sorted(paths), None, reading)
        if found.manifest is not None:
            problems += _digests(source, found.manifest, store)
        if problems and not reading.unverified:
            raise IntegrityFailure(problems)
        pinned = reading.manifest_sha256 is not None
        trusted = _Trusted(found.manifest, tuple(problems), found.warnings, pinned)
        return LeanProxyExport(source, sorted(paths), store, trusted)
    except BaseException:
        source.close()
        raise


def read_store(
    source: Source, paths: list[str], cut: int | None, reading: Reading | None = None
) -> Store:
    """Read the usage files in the order in which the product does: by name."""
    reader = Reader(cut)
    for path in paths:
        day = file_day(path)
        assert day is not None
        with source.open(path) as handle:
            reader.read(handle, path, day, reading.progress if reading else None)
    return reader.store


def _digests(source: Source, manifest: Manifest, store: Store) -> Iterator[Problem]:
    """Files that are not what the manifest says."""
    read = {file.path: file for file in store.files}
    for listed in manifest.files:
        file = read.get(listed.path)
        digest = _digest_of(source, listed.path) if file is None else file.sha256
        if digest is not None and digest != listed.sha256:
            message = f"its SHA-256 is {digest}, the manifest says {listed.sha256}"
            yield Problem("file_digest", listed.path, message)
        if file is not None and listed.records not in (None, file.records):
            message = f"{file.records:,} records, the manifest says {listed.records:,}"
            yield Problem("file_records", listed.path, message)


def _digest_of(source: Source, path: str) -> str | None:
    import hashlib

    kinds = {entry.name: entry.kind for entry in source.entries()}
    if kinds.get(path) != "file":
        return None  # said already
    digest = hashlib.sha256()
    with source.open(path) as handle:
        while block := handle.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
