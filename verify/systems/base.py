"""The shape that every system has: what the rest of the house may ask of a product.

A system is a folder under `systems/` with a module-level object that satisfies `System`, named in
the registry of `verify.systems`. Nothing outside its folder knows its product.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

from verify.compare.diagnosis import Diagnosis
from verify.compare.figures import Claims
from verify.compare.tieout import DiffRow
from verify.compare.worlds import Worlds
from verify.findings import Finding
from verify.result import ExportIdentity, Key, Measure, Recomputation

Notice = Callable[[str], None]
Progress = Callable[[int], None]


def _silent(_: str) -> None:
    return None


@dataclass(frozen=True)
class Reading:
    """How an export is to be read.

    `manifest_sha256` pins the manifest; `manifest` is one that lies outside the export, for systems
    that write none and say `takes_manifest`; `unverified` goes on after a failed check,
    `skip_invalid` after an invalid line; `fields` maps the contract's attribute names to the
    export's own; `cache` may be turned off. `engine` computes the figures, on the cluster `master`
    where it is one, and with `cross_check` a second one as well; for systems that name their
    `engines`. `notice` is told what a person should know, `progress` the bytes.
    """

    manifest_sha256: str | None = None
    manifest: Path | None = None
    unverified: bool = False
    skip_invalid: bool = False
    cache: bool = True
    fields: Mapping[str, str] = field(default_factory=dict)
    engine: str = "duckdb"
    cross_check: bool = False
    master: str | None = None
    notice: Notice = _silent
    progress: Progress | None = None


@dataclass(frozen=True)
class Question:
    """What is to be recomputed.

    `month` is `YYYY-MM`; or `since` and `until`, both days included; neither: the last whole month
    that the records cover, or for a system without periods everything recorded. Such a system may
    take `since` as an instant, and `now` for what depends on the time of asking. `time_zone`
    overrides the export's own, `fallback_zone` stands in where it has none. `by` names dimensions;
    those a lever lacks are passed over for it. `switches` sets the method otherwise than stated,
    `options` are a system's own (see its `options`).
    """

    levers: Sequence[str] = ()
    month: str | None = None
    since: date | datetime | None = None
    until: date | None = None
    now: datetime | None = None
    time_zone: str | None = None
    fallback_zone: str | None = None
    by: Sequence[str] = ()
    baseline_model: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    switches: Mapping[str, str | bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Check:
    """What `verify check` found: the files, what is in them, and findings; `sound` or not.

    `document` is the JSON form without the parts that every check has.
    """

    export: ExportIdentity
    sound: bool
    findings: tuple[Finding, ...]
    document: Mapping[str, Any]

    def _repr_html_(self) -> str:
        from verify.render.notebook import check_html

        return check_html(self)

    def as_json(self) -> dict[str, Any]:
        """The document that `check --format json` prints."""
        return {
            "export": self.export.as_json(),
            "sound": self.sound,
            **self.document,
            "findings": [finding.as_json() for finding in self.findings],
        }


class Export(Protocol):
    """An opened export. Close it, or use it in a `with` block."""

    @property
    def identity(self) -> ExportIdentity: ...

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the trust checks have to say about the whole export."""

    def recompute(self, question: Question) -> Recomputation:
        """Recompute the levers asked for. Raises UsageProblem for what does not exist."""

    def details(self, claims: Claims, result: Recomputation) -> tuple[list[DiffRow], list[Finding]]:
        """Rows and findings that only the system can tie out: its records one by one."""

    def worlds(self, question: Question, largest: int) -> Worlds:
        """The figures of the question's period under other choices of the method, for sets of up to
        `largest` choices. Raises UsageProblem where a system has no such choices."""

    def check(self, question: Question) -> Check:
        """Describe the export, days in the zone of `question`."""

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


@runtime_checkable
class Diagnosing(Protocol):
    """What an export may offer besides: a diagnosis, whether or not figures differ."""

    def diagnose(self, question: Question, claims: Claims) -> Diagnosis:
        """What the records of the question's period say about the figures of `claims`."""


@runtime_checkable
class Evidencing(Protocol):
    """What an export may offer besides: the fewest records that show a disagreement."""

    def lines_that_differ(
        self, question: Question, lever: str, switches: Mapping[str, str | bool]
    ) -> Sequence[int]:
        """Few line numbers, ascending, whose records alone give the lever another figure under
        these switches; none where no few do."""

    def lines_of_row(
        self, question: Question, lever: str, dimension: str, key: Key
    ) -> Sequence[int]:
        """The line numbers that one row of a breakdown rests on; none where they are many."""

    def reduced(self, lines: Sequence[int], keep: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        """These records with what the levers read of them and no more; `keep` names attributes to
        keep besides. Each is what JSON holds, numbers as `NumberText`."""

    def written(self, lines: Sequence[int]) -> Sequence[bytes]:
        """These lines as they stand in the export."""

    def pack(self, place: Path, records: Sequence[bytes], time_zone: str) -> None:
        """Make an export of its own of these records at `place`."""


class System(Protocol):
    """A product whose savings can be verified."""

    name: str
    title: str
    levers: tuple[str, ...]
    dimensions: Mapping[str, tuple[str, ...]]
    measures: Mapping[str, tuple[Measure, ...]]
    options: Mapping[str, str]  # options of its own for `--set NAME=VALUE`, with their meaning

    def recognises(self, path: Path) -> bool:
        """Whether what lies at `path` looks like an export of this product."""

    def open(self, path: Path, reading: Reading) -> Export:
        """Open it. Raises IntegrityFailure, UnreadableInput."""

    def read_claims(self, path: Path) -> Claims:
        """The product's figures captured at `path`. Raises UnreadableInput."""

    def carried_claims(self, path: Path) -> Claims | None:
        """The product's figures that the export itself carries; None where it carries none."""

    def parse_switch(self, text: str) -> tuple[str, str | bool]:
        """`name=value` of a method switch. Raises UsageProblem."""

    def explain_lever(self, name: str) -> str:
        """What a lever measures, by which dimensions, and its query with formula and source."""
