"""Renderers: one result, several forms. Everything here draws; nothing computes.

`recomputation`, `check` and `diff` each offer `table` (for a terminal, rounded), `csv` and
`markdown` (both exact); `dumps` prints the JSON document that the result itself makes. Whatever
name comes from an export passes through `safe`, so that no form of it is obeyed by what shows it.
"""

from verify.render import check, diff, recomputation
from verify.render.jsontext import dumps
from verify.render.safe import (
    csv_text,
    fitted,
    inert,
    markdown_key,
    markdown_text,
    shown_key,
    visible,
)

FORMATS = ("table", "json", "csv", "md")

__all__ = [
    "FORMATS",
    "check",
    "csv_text",
    "diff",
    "dumps",
    "fitted",
    "inert",
    "markdown_key",
    "markdown_text",
    "recomputation",
    "shown_key",
    "visible",
]
