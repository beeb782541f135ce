"""The inputs of a sign-off as they lie there now, by the names that an attestation gives them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from verify.errors import VerifyError
from verify.signoff.evidence import figure_files, manifest_file
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


def _digest(source: Source, name: str) -> str:
    digest = hashlib.sha256()
    try:
        with source.open(name) as handle:
            while block := handle.read(_BLOCK):
                digest.update(block)
    except VerifyError as error:
        return f"unreadable: {error.message}"
    return digest.hexdigest()
