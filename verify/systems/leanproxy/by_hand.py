"""The report's rows as a query that an auditor can read and run by hand."""

from __future__ import annotations

from importlib.resources import files


def query() -> str:
    """`by_hand.sql`, for DuckDB in the store's directory."""
    return files("verify.systems.leanproxy").joinpath("by_hand.sql").read_text("utf-8")
