"""A recomputation as a page for the terminal, as CSV, and as Markdown."""

from verify.render.recomputation.markdown import markdown
from verify.render.recomputation.page import table
from verify.render.recomputation.rows import CSV_COLUMNS, csv

__all__ = ["CSV_COLUMNS", "csv", "markdown", "table"]
