"""The inputs of a sign-off as they lie there now, by the names that an attestation gives them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from verify.errors import VerifyError
from verify.signoff.change import Change
from verify.signoff.evidence import export_files, figure_files, manifest_file
from verify.signoff.result import SignOff
from verify.systems import system_named
from verify.systems.base import Question, Reading
from verify.trust.source import Source, open_source

_BLOCK = 1 << 20


def found_inputs(names: Iterable[str], places: Mapping[str, Path | None]) -> dict[str, str]:
    """The digests of the named files of the export, and of every file among the figures. A file
    that is not there has none; one that cannot be read has the reason in its place."""
    export = places["export"]
    inputs = (*figure_files(places["figures"]), *manifest_file(places["manifest"]))
    found = {file.name: file.sha256 for file in inputs}
    inside = [name.removeprefix("export/") for name in names if name.startswith("export/")]
    if export is None:
        return found
    source = open_source(export)
    try:
        present = {entry.name for entry in source.entries() if entry.kind == "file"}
        for name in inside:
            if name in present:
                found[f"export/{name}"] = _digest(source, name)
    finally:
        source.close()
    return found


def kept_digests(system: str, export: Path, names: Iterable[str]) -> dict[str, str]:
    """The digests that a system's own check gives the named files; none where it refuses."""
    try:
        with system_named(system).open(export, Reading(cache=False)) as opened:
            checked = opened.check(Question()).document
    except VerifyError:
        return {}
    listed = {
        f"export/{entry['path']}": str(entry["sha256"])
        for entry in checked.get("files", ())
        if {"path", "sha256"} <= set(entry)
    }
    return {name: listed[name] for name in names if name in listed}


def other_inputs(subjects: Iterable[Mapping[str, Any]], again: SignOff | None) -> Iterator[Change]:
    """Inputs of the sign-off made anew that are no subject, and subjects that are no input of it:
    a file may have been added, or left out of the attestation."""
    if again is None:
        return
    attested = {entry["name"]: entry["digest"]["sha256"] for entry in subjects}
    found = {file.name: file.sha256 for file in again.evidence.inputs}
    for name in {**attested, **found}:
        was, now = attested.get(name, "not there"), found.get(name, "no input")
        if was != now:
            yield Change("file", name, was, now)


def beside(again: SignOff, places: Mapping[str, Path | None]) -> list[str]:
    """The files that lie in the export and are no input."""
    export, own = places["export"], {file.name for file in again.evidence.inputs}
    if export is None:
        return []
    every = export_files(export, {}, places["figures"])
    return [file.name for file in every if file.name not in own]


def _digest(source: Source, name: str) -> str:
    digest = hashlib.sha256()
    try:
        with source.open(name) as handle:
            while block := handle.read(_BLOCK):
                digest.update(block)
    except VerifyError as error:
        return f"unreadable: {error.message}"
    return digest.hexdigest()
