"""Which export a command speaks of, and how it is opened."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from verify.asking import reading
from verify.cli.progress import Progress
from verify.errors import UsageProblem
from verify.samples import sample_export
from verify.systems import recognise, system_for
from verify.systems.base import Export, System
from verify.trust.manifest import NAMES

_RECORDS = re.compile(r".+\.jsonl(?:\.gz|\.zst)?")


def find_export(given: Path | None, notice: Callable[[str], None]) -> Path:
    """The path given, else `$VERIFY_EXPORT`, else the current directory if it is an export, else
    the sample, which is said. Raises UsageProblem when there is none."""
    if given is not None:
        return given
    named = os.environ.get("VERIFY_EXPORT")
    if named:
        notice(f"reading $VERIFY_EXPORT: {named}")
        return Path(named)
    here = Path()
    if recognise(here) is not None:
        notice("reading the export in this directory")
        return here
    try:
        sample = sample_export()
    except UsageProblem:
        raise UsageProblem(
            "no export given",
            advice="Name its directory, set VERIFY_EXPORT, or make one with: verify sample DIR",
        ) from None
    notice(f"no export given: reading the sample, {'/'.join(sample.parts[-2:])}")
    return sample


def opened(
    given: Path | None,
    system: str | None,
    *,
    pin: str | None,
    unverified: bool,
    skip_invalid: bool,
    no_cache: bool,
    notice: Callable[[str], None],
    fields: Path | None = None,
    manifest: Path | None = None,
    engine: str = "duckdb",
    cross_check: bool = False,
    master: str | None = None,
    quiet: bool = True,
    figures: Path | None = None,
    output: Path | None = None,
) -> tuple[System, Export]:
    """The export's system and the opened export. `fields` names a file for `read_fields`,
    `manifest` one that lies outside the export, for systems that write none; `engine`, `master`
    and `cross_check` say what computes, for systems that have a choice. Raises UsageProblem where
    `output`, the place of the answer, is an input: the export, or one of the `figures`."""
    path = find_export(given, notice)
    if output is not None:
        _spared(output, path, [at for at in (figures, manifest, fields) if at is not None])
    # What a cluster reads may lie where this machine cannot look.
    product = system_for(path, "lighthouse" if engine == "spark" and system is None else system)
    how = reading(
        product,
        manifest_sha256=pin,
        manifest=manifest,
        unverified=unverified,
        skip_invalid=skip_invalid,
        cache=not no_cache,
        fields=fields,
        engine=engine,
        cross_check=cross_check,
        master=master,
        notice=notice,
    )
    with Progress("reading", quiet=quiet, total=_bytes_in(path)) as progress:
        return product, product.open(path, replace(how, progress=progress.add))


def _spared(output: Path, export: Path, others: list[Path]) -> None:
    """Raises UsageProblem where an answer at `output` would replace an input. In an export's own
    directory, where one may well work, that is a manifest or a file of records."""
    if not output.exists():
        return
    own = output.resolve()
    of_export = export.resolve() in own.parents and (
        own.name in NAMES or _RECORDS.fullmatch(own.name) is not None
    )
    inside = any(place.resolve() in (own, *own.parents) for place in others)
    if of_export or inside or own == export.resolve():
        raise UsageProblem(
            f"{output} is an input, and an answer there would replace it",
            advice="Name another file with -o.",
        )


def _bytes_in(path: Path) -> int | None:
    """What there is to read, where that can be seen at a glance: packed files unpack to more."""
    if not path.is_dir():
        return None
    files = [file for file in path.rglob("*.jsonl*") if file.is_file()]
    if any(not file.name.endswith(".jsonl") for file in files):
        return None
    return sum(file.stat().st_size for file in files)
