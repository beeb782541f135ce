"""A whole sample: an export with its manifest, and the product's reads of the same period.

It is built in a directory beside the place where it is to stand and moved there once it is whole.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO

from verify.errors import UsageProblem
from verify.systems.base import Question, Reading
from verify.systems.lighthouse.export import open_export
from verify.systems.lighthouse.method import Method
from verify.systems.lighthouse.sample.reads import product_reads
from verify.systems.lighthouse.sample.records import SamplePlan, write_records

_RECORDS, _MANIFEST, _API = "records.jsonl", "manifest.json", "api"
_EXPORTED_AFTER = timedelta(days=5)
"""From the last day of the period to the day of the export: past every record of a sample."""


@dataclass(frozen=True)
class Claim:
    """What the product says of a lever: `usd` as it is printed, None where there is no figure."""

    lever: str
    status: str
    usd: str | None


@dataclass(frozen=True)
class SampleReport:
    """What was made, and where.

    `bytes` and `sha256` are those of the records file; `switches` those by which the product
    calculates otherwise than stated; `claims` what it says, a lever each.
    """

    path: Path
    records: int
    bytes: int
    sha256: str
    switches: Mapping[str, str | bool]
    claims: tuple[Claim, ...]


def make_sample(
    out: Path,
    plan: SamplePlan,
    switches: Mapping[str, str | bool] | None = None,
    *,
    overwrite: bool = False,
) -> SampleReport:
    """Write a sample export to the directory `out`, its reads calculated with `switches`.

    Equal plans and switches make equal bytes. The records do not depend on the switches.

    Raises:
        UsageProblem: for a switch that does not exist; when something already stands at `out`,
            unless it is an empty directory or, with `overwrite`, another sample; when `out` cannot
            be written. Nothing is left behind then, and what stood there still stands.
    """
    planted = dict(switches or {})
    Method(plan.time_zone).but(**planted)
    place = out.resolve()
    _require_free(out, overwrite)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".verify-sample-", dir=place.parent) as beside:
            built = Path(beside) / "new"
            built.mkdir()
            report = _build(built, out, plan, planted)
            with _set_aside(place, Path(beside) / "old"):
                built.rename(place)
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise UsageProblem(f"cannot write {out}: {why}") from error
    return report


def _require_free(out: Path, overwrite: bool) -> None:
    if not out.exists():
        return
    if not out.is_dir():
        raise UsageProblem(f"{out} is not a directory")
    names = {entry.name for entry in out.iterdir()}
    if names and not overwrite:
        raise UsageProblem(
            f"{out} is not empty", advice="Name another directory, or give --overwrite."
        )
    foreign = sorted(names - {_RECORDS, _MANIFEST, _API})
    if foreign:
        raise UsageProblem(
            f"{out} holds {foreign[0]}, which is not part of a sample",
            advice="Only a sample is overwritten; name another directory.",
        )


@contextmanager
def _set_aside(place: Path, aside: Path) -> Iterator[None]:
    """Move what stands at `place` to `aside`; back again if the block fails."""
    stood = place.exists()
    if stood:
        place.rename(aside)
    try:
        yield
    except BaseException:
        if stood:
            aside.rename(place)
        raise


class _Hashing:
    """Bytes written to a file and into their SHA-256."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()

    def write(self, data: bytes, /) -> None:
        """Take the next bytes."""
        self._digest.update(data)
        self._file.write(data)

    @property
    def sha256(self) -> str:
        """Hex digest of what was written so far."""
        return self._digest.hexdigest()


def _build(
    place: Path, out: Path, plan: SamplePlan, switches: Mapping[str, str | bool]
) -> SampleReport:
    with (place / _RECORDS).open("wb") as file:
        hashing = _Hashing(file)
        counts = write_records(plan, hashing)
    listed = {
        "path": _RECORDS,
        "sha256": hashing.sha256,
        "bytes": counts.bytes,
        "records": counts.records,
    }
    manifest = json.dumps(_manifest(plan, listed), indent=2, ensure_ascii=False) + "\n"
    (place / _MANIFEST).write_bytes(manifest.encode())
    claims = _write_reads(place, plan, switches)
    return SampleReport(out, counts.records, counts.bytes, hashing.sha256, switches, claims)


def _manifest(plan: SamplePlan, listed: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "format": "lighthouse-export/1",
        "tenant": plan.tenant,
        "time_zone": plan.time_zone,
        "exported_at": f"{plan.until + _EXPORTED_AFTER}T09:00:00Z",
        "files": [listed],
    }


def _write_reads(
    place: Path, plan: SamplePlan, switches: Mapping[str, str | bool]
) -> tuple[Claim, ...]:
    question = Question(
        since=plan.since, until=plan.until, time_zone=plan.time_zone, switches=switches
    )
    with open_export(place, Reading(cache=False)) as export:
        reads = product_reads(export, question)
        (place / _API).mkdir()
        for name, pieces in reads.bodies():
            with (place / _API / name).open("wb") as file:
                file.writelines(pieces)
    return tuple(
        Claim(row["lever"], row["status"], None if row["usd"] is None else str(row["usd"]))
        for row in reads.claims
    )
