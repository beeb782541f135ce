"""leanproxy-mcp as the rest of the house sees it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from verify.compare.figures import Claims
from verify.result import Measure
from verify.systems.base import Reading
from verify.systems.leanproxy.measures import DIMENSIONS, LEVERS, MEASURES, OPTIONS

if TYPE_CHECKING:  # nothing is read before an export is opened
    from verify.systems.leanproxy.export import LeanProxyExport


class LeanProxy:
    """The MCP proxy: its savings report and dashboard windows over `usage-YYYY-MM-DD.jsonl`."""

    name = "leanproxy"
    title = "leanproxy-mcp"
    levers: tuple[str, ...] = LEVERS
    dimensions: Mapping[str, tuple[str, ...]] = DIMENSIONS
    measures: Mapping[str, tuple[Measure, ...]] = MEASURES
    options: Mapping[str, str] = OPTIONS
    takes_manifest = True

    def recognises(self, path: Path) -> bool:
        """A directory with a usage file, and no export of another product in it."""
        from verify.systems.leanproxy.filenames import file_day

        if not path.is_dir() or next(path.glob("records*.jsonl*"), None) is not None:
            return False
        return any(file_day(one.name) is not None for one in path.glob("usage-*.jsonl"))

    def open(self, path: Path, reading: Reading) -> LeanProxyExport:
        """Check and read the store at `path`."""
        from verify.systems.leanproxy.export import open_export

        return open_export(path, reading)

    def read_claims(self, path: Path) -> Claims:
        """The product's report or windows at `path`."""
        from verify.systems.leanproxy.reads import read_claims

        return read_claims(path)

    def carried_claims(self, path: Path) -> Claims | None:  # noqa: ARG002
        """A store carries no report."""
        return None

    def parse_switch(self, text: str) -> tuple[str, str | bool]:
        """`saved=recomputed` (original less returned) or `view=summarize`, and the method's own."""
        from verify.systems.leanproxy.ask import given

        name, _, value = text.partition("=")
        given({name: value})
        return name, value

    def explain_lever(self, name: str) -> str:
        """The lever's measures and dimensions, its formula, and a query to run by hand."""
        from verify.systems.leanproxy.by_hand import query
        from verify.systems.leanproxy.formulas import FORMULAS

        measures = ", ".join(
            f"{m.name} ({m.unit})" if m.unit else m.name for m in self.measures[name]
        )
        parts = [
            f"{self.title}: {name}",
            f"measures    {measures}",
            f"dimensions  {', '.join(self.dimensions[name])}",
            FORMULAS[name].strip(),
            query().strip(),
        ]
        return "\n\n".join(parts) + "\n"


SYSTEM = LeanProxy()
