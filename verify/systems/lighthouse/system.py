"""LightHouse as the rest of the house sees it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from verify.compare.figures import Claims
from verify.systems.base import Reading
from verify.systems.lighthouse.measures import DIMENSIONS, LEVERS, MEASURES
from verify.systems.lighthouse.method import parse_switch
from verify.trust.manifest import NAMES

if TYPE_CHECKING:  # the engine is only loaded when an export is opened
    from verify.systems.lighthouse.export import LightHouseExport


class LightHouse:
    """The agent-telemetry product: four levers over `records.jsonl`."""

    name = "lighthouse"
    title = "LightHouse"
    levers = LEVERS
    dimensions = DIMENSIONS
    measures = MEASURES

    def recognises(self, path: Path) -> bool:
        """A directory with a manifest, or with records."""
        if not path.is_dir():
            return False
        return any((path / name).exists() for name in NAMES) or any(
            next(path.glob(pattern), None) is not None
            for pattern in ("records*.jsonl", "records*.jsonl.gz", "records*.jsonl.zst")
        )

    def open(self, path: Path, reading: Reading) -> LightHouseExport:
        """Check and load the export at `path`."""
        from verify.systems.lighthouse.export import open_export

        return open_export(path, reading)

    def read_claims(self, path: Path) -> Claims:
        """The reads captured at `path`."""
        from verify.systems.lighthouse.reads import read_claims

        return read_claims(path)

    def parse_switch(self, text: str) -> tuple[str, str | bool]:
        """A method switch as typed."""
        return parse_switch(text)


SYSTEM = LightHouse()
