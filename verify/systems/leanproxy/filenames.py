"""Which files are the product's usage files; small, because every export is asked by it."""

from __future__ import annotations

from verify.systems.leanproxy.instants import parse_day

_PREFIX, _SUFFIX = "usage-", ".jsonl"


def file_day(name: str) -> int | None:
    """The UTC day of a usage file by its name; None for a name that the product does not read."""
    if not name.startswith(_PREFIX) or not name.endswith(_SUFFIX):
        return None
    return parse_day(name[len(_PREFIX) : -len(_SUFFIX)])
