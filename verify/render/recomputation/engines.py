"""What a recomputation says of the engines that computed it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from verify.result import Recomputation, Value

USUAL = "duckdb"


def engines_of(result: Recomputation) -> Mapping[str, Value]:
    """`engine`, and `checked_by` where a second one found the same; nothing where a system has no
    choice of engines."""
    found = {"engine": result.engine, "checked_by": result.checked_by}
    return {name: value for name, value in found.items() if value is not None}


def engine_words(result: Recomputation) -> Iterable[tuple[str, str]]:
    """The same for people, where it is not the usual one alone."""
    if result.checked_by is not None:
        yield "engines", f"{result.engine} and {result.checked_by}, which agree in every group"
    elif result.engine not in (None, USUAL):
        yield "engine", f"{result.engine}"
