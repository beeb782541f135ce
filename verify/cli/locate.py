"""Which export a command speaks of, and how it is opened."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from verify.cli.fieldnames import read_fields
from verify.errors import UsageProblem
from verify.systems import recognise, system_for
from verify.systems.base import Export, Reading, System

SAMPLE = Path(__file__).resolve().parents[2] / "sample_exports" / "lighthouse"


def find_export(given: Path | None, notice: Callable[[str], None]) -> Path:
    """The path given, else `$VERIFY_EXPORT`, else the current directory if it is an export, else
    the checkout's sample, which is said. Raises UsageProblem when there is none."""
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
    if SAMPLE.is_dir():
        notice("no export given: reading the sample, sample_exports/lighthouse")
        return SAMPLE
    raise UsageProblem(
        "no export given",
        advice="Name its directory, set VERIFY_EXPORT, or make one with: verify sample DIR",
    )


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
) -> tuple[System, Export]:
    """The export's system and the opened export. `fields` names a file for `read_fields`,
    `manifest` one that lies outside the export, for systems that write none."""
    path = find_export(given, notice)
    product = system_for(path, system)
    if manifest is not None and not getattr(product, "takes_manifest", False):
        raise UsageProblem(
            f"--manifest does not apply: an export of {product.title} is checked against its own"
        )
    reading = Reading(
        manifest=manifest,
        manifest_sha256=_hex(pin),
        unverified=unverified,
        skip_invalid=skip_invalid,
        cache=not no_cache,
        fields=read_fields(fields, product),
        notice=notice,
    )
    return product, product.open(path, reading)


def _hex(pin: str | None) -> str | None:
    if pin is None:
        return None
    digits = pin.strip().lower()
    if len(digits) != 64 or set(digits) - set("0123456789abcdef"):
        raise UsageProblem("--manifest-sha256 takes 64 hex digits")
    return digits
