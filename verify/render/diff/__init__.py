"""A tie-out as a page for the terminal, as CSV, and as Markdown."""

from verify.render.diff.markdown import markdown
from verify.render.diff.page import table
from verify.render.diff.rows import CSV_COLUMNS, csv

__all__ = ["CSV_COLUMNS", "csv", "markdown", "table"]
