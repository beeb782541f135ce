"""mcp-savings as the rest of the house sees it."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from verify.compare.figures import Claims
from verify.errors import UsageProblem
from verify.systems.base import Reading
from verify.systems.mcp_savings.measures import DIMENSIONS, LEVERS, MEASURES, OPTIONS

if TYPE_CHECKING:  # the schemas' validator is only loaded when an export is opened
    from verify.systems.mcp_savings.export import McpSavingsExport


class McpSavings:
    """The measure of MCP servers: what they add to every request, and what those that are switched
    off no longer add."""

    name = "mcp-savings"
    title = "mcp-savings"
    levers = LEVERS
    dimensions = DIMENSIONS
    measures = MEASURES
    options = OPTIONS

    def recognises(self, path: Path) -> bool:
        """A snapshot, or a directory with tool lists, a snapshot or transcripts."""
        from verify.systems.mcp_savings.inputs import looks_like_an_export

        return looks_like_an_export(path)

    def open(self, path: Path, reading: Reading) -> McpSavingsExport:
        """Read what lies at `path`; nothing is started or contacted."""
        from verify.systems.mcp_savings.export import open_export

        return open_export(path, reading)

    def read_claims(self, path: Path) -> Claims:
        """The figures of the printed report or the measurement at `path`."""
        from verify.systems.mcp_savings.claims import read_claims

        return read_claims(path)

    def carried_claims(self, path: Path) -> Claims | None:
        """The figures of the export's own snapshot, or of the one measurement or report in it."""
        from verify.systems.mcp_savings.claims import carried_claims

        return carried_claims(path)

    def parse_switch(self, text: str) -> tuple[str, str | bool]:
        """There is none."""
        options = ", ".join(f"--set {name}=… ({meaning})" for name, meaning in OPTIONS.items())
        raise UsageProblem(
            f"mcp-savings has no method switch, so not {text!r}", advice=f"It has {options}."
        )

    def explain_lever(self, name: str) -> str:
        """The lever's measures and dimensions, and its working paper."""
        measures = ", ".join(
            f"{m.name} ({m.unit})" if m.unit else m.name for m in self.measures[name]
        )
        folder = files("verify.systems.mcp_savings")
        parts = [
            f"{self.title}: {name}",
            f"measures    {measures}",
            f"dimensions  {', '.join(self.dimensions[name])}",
            folder.joinpath(f"{name}.txt").read_text("utf-8").rstrip(),
        ]
        return "\n\n".join(parts) + "\n"


SYSTEM = McpSavings()
