"""What the records themselves have to say about figures, whether or not any differs.

A diagnosis is plain rows in named sections, and findings: what of it nobody should overlook. It
describes; no figure and no verdict rests on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from verify.findings import Finding
from verify.result import Value, json_value

if TYPE_CHECKING:
    import polars as pl

Lines = tuple[int, ...]
Cell = Value | Lines
"""A value, or line numbers of the export, ascending, few."""


@dataclass(frozen=True)
class Section:
    """One table: what it shows, its columns, its rows, and `note`: how it is to be read."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def to_polars(self, *, scale: int | None = None) -> pl.DataFrame:
        """Its rows. See `verify.render.frames`; line numbers are a list."""
        from verify.render.frames import section_frame

        return section_frame(self, scale)

    def as_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "note": self.note,
            "rows": [
                {name: _json(cell) for name, cell in zip(self.columns, row, strict=True)}
                for row in self.rows
            ],
        }


@dataclass(frozen=True)
class Diagnosis:
    """All sections, in the order in which they are read, and what is noteworthy in them."""

    sections: tuple[Section, ...] = ()
    findings: tuple[Finding, ...] = ()

    def section(self, name: str) -> Section:
        """The section of that name. Raises KeyError."""
        for section in self.sections:
            if section.name == name:
                return section
        raise KeyError(name)

    def as_json(self) -> dict[str, Any]:
        """What stands under `diagnostics` in `explain --format json`."""
        return {
            "sections": {section.name: section.as_json() for section in self.sections},
            "findings": [finding.as_json() for finding in self.findings],
        }


def _json(cell: Cell) -> Any:
    return list(cell) if isinstance(cell, tuple) else json_value(cell)
