"""What a product restated between two captures, as a table, JSON, CSV or Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from verify.render.flat import csv_of
from verify.render.jsontext import dumps
from verify.render.pipes import pipe_table
from verify.render.safe import markdown_key, markdown_text, shown_key

if TYPE_CHECKING:
    from verify.compare.restated import Change

_TITLES = ("change", "lever", "dimension", "key", "measure", "before", "after")


def rendered(changes: Sequence[Change], form: str) -> str:
    """The changes in one of the house's forms; all of them show figures as they were printed."""
    if form == "json":
        return dumps(
            {
                "restated": [
                    {
                        "change": change.kind,
                        "lever": change.at.lever,
                        "dimension": change.at.dimension,
                        "key": change.at.key,
                        "measure": change.at.measure,
                        "before": None if change.before is None else str(change.before),
                        "after": None if change.after is None else str(change.after),
                    }
                    for change in changes
                ]
            }
        )
    if form == "csv":
        return csv_of(_TITLES, (_cells(change) for change in changes))
    if form == "md":
        rows = [
            [
                markdown_text(change.kind),
                markdown_text(change.at.lever),
                markdown_text(change.at.dimension or ""),
                markdown_key(change.at.key) if change.at.dimension else "",
                markdown_text(change.at.measure),
                markdown_text(change.before or ""),
                markdown_text(change.after or ""),
            ]
            for change in changes
        ]
        return pipe_table(list(_TITLES), rows, [False] * 5 + [True] * 2)
    return _table(changes)


def _cells(change: Change) -> list[str]:
    return [
        change.kind,
        change.at.lever,
        change.at.dimension or "",
        shown_key(change.at.key) if change.at.dimension else "",
        change.at.measure,
        str(change.before or ""),
        str(change.after or ""),
    ]


def _table(changes: Sequence[Change]) -> str:
    from verify.render.tables import Column, Page

    page = Page(width=100, colour=False)
    if not changes:
        page.line("nothing was restated")
        return page.text()
    page.line(f"{len(changes):,} figures were restated")
    columns = [Column(title, kind="name") for title in _TITLES]
    page.table(columns, [_cells(change) for change in changes])
    return page.text()
