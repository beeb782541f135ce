"""An opened export whose worlds are worked out once: they depend on the export and the question,
and many explanations of one export ask for the same."""

from __future__ import annotations

from typing import Any


def remembering(export: Any) -> Any:
    """The export, which from now on keeps its worlds."""
    work_out = export.worlds
    known: dict[str, Any] = {}

    def worlds(question: Any, largest: int) -> Any:
        key = repr((question, largest))
        if key not in known:
            known[key] = work_out(question, largest)
        return known[key]

    export.worlds = worlds
    return export
