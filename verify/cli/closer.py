"""What a system may offer beyond the shape that every one has, in a module `closer` of its folder.

`LOOKS` are the closer looks `--deep` and `--shape`. Each says by `require()` what it lacks, hands
back by `look` its part of the document and its findings, and names in `COVERS` what it has looked
at of that which the ordinary check says it does not look at. `RENAMEABLE` are the attributes, by
type of record, that an export may name otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from verify.cli.progress import Progress
from verify.errors import UsageProblem
from verify.findings import Finding
from verify.systems import offered
from verify.systems.base import Export, System


class Look(Protocol):
    """A closer look at an opened export."""

    COVERS: tuple[str, ...]

    def require(self) -> None:
        """Raises UsageProblem when something it needs is not installed."""

    def look(
        self,
        export: Export,
        fields: Mapping[str, str],
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[dict[str, Any], tuple[Finding, ...]]:
        """Its part of the document, and findings. Raises IntegrityFailure."""


@dataclass
class Looked:
    """What the closer looks found; `document` by their names."""

    document: dict[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    covers: tuple[str, ...] = ()

    @property
    def wrong(self) -> bool:
        """Whether the export does not stand the closer look."""
        return any(finding.severity == "error" for finding in self.findings)


def closer_looks(system: System, *, deep: bool, shape: bool) -> dict[str, Look]:
    """The looks asked for. Raises UsageProblem for one that the system does not have."""
    asked = [name for name, wanted in (("deep", deep), ("shape", shape)) if wanted]
    known = cast(Mapping[str, Look], offered(system, "LOOKS") if asked else {})
    for name in asked:
        if name not in known:
            raise UsageProblem(f"--{name} does not apply to {system.title}")
        known[name].require()
    return {name: known[name] for name in asked}


def look_closer(
    looks: Mapping[str, Look], export: Export, fields: Mapping[str, str], *, quiet: bool
) -> Looked:
    """All of them, one after the other, at an opened export."""
    found = Looked()
    for name, look in looks.items():
        with Progress(f"check --{name}", quiet=quiet) as progress:
            document, findings = look.look(export, fields, progress)
        found.document[name] = document
        found.findings += findings
        found.covers += look.COVERS
    return found
