"""What a result is drawn on: a page of the terminal, or of a notebook.

Cells of tables are taken as they come from an export; every other text is expected to be visible
already (see `verify.render.safe`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from verify.findings import Finding
from verify.result import Value

if TYPE_CHECKING:
    from verify.render.tables import Column


class Sheet(Protocol):
    """Headings, paragraphs, pairs, findings and tables, in the order in which they are drawn."""

    ROUNDED: str
    """What to say under figures that are rounded: where every digit is."""
    MORE: str
    """What has all rows of a table, when some are not drawn."""
    JSON: str
    """What has everything."""

    def blank(self) -> None:
        """Some room."""

    def line(self, text: str, style: str = "") -> None:
        """A paragraph."""

    def loud(self, text: str) -> None:
        """A warning that nobody may miss."""

    def heading(self, title: str, *words: str) -> None:
        """A heading over what follows."""

    def pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Labels with what they label."""

    def amounts(self, amounts: Iterable[tuple[str, Value, str]]) -> None:
        """Single amounts: what each is, how much, and its unit."""

    def findings(self, findings: Iterable[Finding]) -> None:
        """Each finding: how grave it is, what it says, its lines and its code."""

    def table(
        self,
        columns: Sequence[Column],
        rows: Sequence[Sequence[Value]],
        total: Sequence[Value] = (),
    ) -> None:
        """A table; `total` is its last line."""
