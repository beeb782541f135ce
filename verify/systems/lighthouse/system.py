"""LightHouse as the rest of the house sees it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from verify.compare.figures import Claims
from verify.errors import VerifyError
from verify.systems.base import Export, Reading
from verify.systems.lighthouse.measures import DIMENSIONS, LEVERS, MEASURES
from verify.systems.lighthouse.method import parse_switch
from verify.trust.manifest import NAMES

_OF_AN_EXPORT = re.compile(
    r"(?:\./)?(?:[^/\\]*[/\\])?"
    rf"(?:{'|'.join(map(re.escape, NAMES))}|records[^/\\]*\.jsonl(?:\.gz|\.zst)?)"
)


class LightHouse:
    """The agent-telemetry product: four levers over `records.jsonl`."""

    name = "lighthouse"
    title = "LightHouse"
    levers = LEVERS
    dimensions = DIMENSIONS
    measures = MEASURES
    options: Mapping[str, str] = {}
    engines = ("duckdb", "polars", "spark")

    def recognises(self, path: Path) -> bool:
        """A directory with a manifest, or with records; an archive with a member of such a name,
        at its top or in a folder there, or one that cannot be listed: opening it says why."""
        from verify.trust.archive import is_archive, member_names

        if is_archive(path):
            try:
                return any(_OF_AN_EXPORT.fullmatch(name) for name in member_names(path))
            except VerifyError:
                return True
        if not path.is_dir():
            return False
        return any((path / name).exists() for name in NAMES) or any(
            next(path.glob(pattern), None) is not None
            for pattern in ("records*.jsonl", "records*.jsonl.gz", "records*.jsonl.zst")
        )

    def open(self, path: Path, reading: Reading) -> Export:
        """Check and load the export at `path`."""
        if reading.engine != "duckdb" or reading.cross_check:
            from verify.systems.lighthouse.computed import open_computed

            return open_computed(path, reading)
        from verify.systems.lighthouse.export import open_export

        return open_export(path, reading)

    def read_claims(self, path: Path) -> Claims:
        """The reads captured at `path`."""
        from verify.systems.lighthouse.reads import read_claims

        return read_claims(path)

    def carried_claims(self, path: Path) -> Claims | None:  # noqa: ARG002
        """The reads are captured beside the export, not in it."""
        return None

    def parse_switch(self, text: str) -> tuple[str, str | bool]:
        """A method switch as typed."""
        return parse_switch(text)

    def explain_lever(self, name: str) -> str:
        """The lever's measures, dimensions and inputs, and the SQL that computes its groups."""
        from verify.systems.lighthouse.described import lever_text

        return lever_text(self.title, name)


SYSTEM = LightHouse()
