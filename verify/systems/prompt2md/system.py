"""prompt2md as the rest of the house sees it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from verify.compare.figures import Claims
from verify.errors import UsageProblem, VerifyError
from verify.result import Measure
from verify.systems.base import Reading
from verify.systems.prompt2md.measures import DIMENSIONS, LEVERS, MEASURES, OPTIONS

if TYPE_CHECKING:  # the schemas' validator is only loaded when an export is opened
    from verify.systems.prompt2md.export import Prompt2mdExport

_MARKS = (b'"savings"', b'"rawTokens"', b'"stablePrefixTokens"')
_IN_REPORTS = re.compile(r"(?:\./)?(?:[^/]+/)?reports/[^/]+\.json\Z", re.IGNORECASE)
_MOST_BYTES = 64 * 1024 * 1024
_MOST_FILES = 20


class Prompt2md:
    """The Markdown compressor: a ledger of tokens and the arithmetic of cached calls."""

    name = "prompt2md"
    title = "prompt2md"
    levers: tuple[str, ...] = LEVERS
    dimensions: Mapping[str, tuple[str, ...]] = DIMENSIONS
    measures: Mapping[str, tuple[Measure, ...]] = MEASURES
    options: Mapping[str, str] = OPTIONS

    def recognises(self, path: Path) -> bool:
        """A report, or a directory that holds one, itself or in `reports`; an archive with a JSON
        file in `reports`, which may lie in a folder."""
        from verify.trust.archive import is_archive, member_names

        try:
            if is_archive(path):
                return any(_IN_REPORTS.match(name) for name in member_names(path))
            if path.is_file():
                return path.suffix.lower() == ".json" and _is_report(path)
            place = path / "reports" if (path / "reports").is_dir() else path
            found = sorted(place.glob("*.json"))[:_MOST_FILES]
            return any(_is_report(file) for file in found)
        except (OSError, VerifyError):
            return False

    def open(self, path: Path, reading: Reading) -> Prompt2mdExport:
        """Read the reports, and the originals beside them."""
        from verify.systems.prompt2md.export import open_export

        return open_export(path, reading)

    def read_claims(self, path: Path) -> Claims:
        """The figures of the report or reports at `path`."""
        from verify.systems.prompt2md.claims import read_claims

        return read_claims(path)

    def carried_claims(self, path: Path) -> Claims | None:
        """The figures of the export's own reports."""
        from verify.systems.prompt2md.claims import carried_claims

        return carried_claims(path)

    def parse_switch(self, text: str) -> tuple[str, str | bool]:
        """There is none."""
        options = ", ".join(f"--set {name}=… ({meaning})" for name, meaning in OPTIONS.items())
        raise UsageProblem(
            f"prompt2md has no method switch, so not {text!r}", advice=f"It has {options}."
        )

    def explain_lever(self, name: str) -> str:
        """The lever's measures and dimensions, and its working paper."""
        measures = ", ".join(
            f"{m.name} ({m.unit})" if m.unit else m.name for m in self.measures[name]
        )
        paper = files("verify.systems.prompt2md").joinpath(f"{name}.txt").read_text("utf-8")
        parts = [
            f"{self.title}: {name}",
            f"measures    {measures}",
            f"dimensions  {', '.join(self.dimensions[name])}",
            paper.rstrip(),
        ]
        return "\n\n".join(parts) + "\n"


def _is_report(path: Path) -> bool:
    if not path.is_file() or path.stat().st_size > _MOST_BYTES:
        return False
    data = path.read_bytes()
    return all(mark in data for mark in _MARKS)


SYSTEM = Prompt2md()
