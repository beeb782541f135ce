"""What stands in the export twice: identical lines, and ids on several records.

The contract counts lines, so nothing is dropped. What counting each once would change is worked
out by recomputing without the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from verify.compare.diagnosis import Cell, Diagnosis, Section
from verify.exact import rounded
from verify.findings import EXAMPLES, Finding
from verify.systems.lighthouse.diagnose.context import (
    Context,
    difference,
    figures,
    lines_in,
    named_queries,
)

IDENTICAL = "identical"
_WORDS = {
    "equal": "the same content",
    "retried": "an earlier one that failed",
    "growing": "output that grows",
    "different": "different content",
}


def diagnose(context: Context) -> Diagnosis:
    """Identical lines and shared ids, and each figure without them."""
    queries = named_queries("identity")
    context.rows(queries["several"])
    shared = context.rows(queries["by_kind"])
    repeats = context.repeats()
    stated = figures(context.recomputed().levers)
    dropped: dict[str, Sequence[int]] = {IDENTICAL: repeats} if repeats else {}
    for kind in dict.fromkeys(row["kind"] for row in shared):
        rows = context.rows(queries["dropped"], kind=kind)
        dropped[kind] = [row["line"] for row in rows]
    effects = [
        row for kind, lines in dropped.items() for row in _effects(context, kind, lines, stated)
    ]
    sections = (
        Section(
            "identical_lines",
            "lines that repeat an earlier one byte for byte, in the whole export",
            ("lines", "first"),
            ((len(repeats), tuple(repeats[:EXAMPLES])),) if repeats else (),
        ),
        Section(
            "shared_ids",
            "ids on several records of the period",
            ("type", "kind", "ids", "records", "lines"),
            tuple(
                (r["type"], r["kind"], r["ids"], r["records"], tuple(r["lines"])) for r in shared
            ),
            "equal: the same content; retried: an earlier record of the id failed; growing: the "
            "same call within an hour, its output never shrinking; different: anything else, such "
            "as two calls that share an id by chance",
        ),
        Section(
            "counted_once",
            "each figure if each of them counted once",
            ("kind", "lever", "usd", "usd_once", "effect"),
            tuple(effects),
            "of identical lines and of equal records the first stays, of others the last",
        ),
    )
    return Diagnosis(sections, tuple(_findings(repeats, shared, effects)))


def _effects(
    context: Context, kind: str, lines: Sequence[int], stated: Mapping[str, Fraction | None]
) -> Iterator[tuple[Cell, ...]]:
    once = figures(context.without(lines))
    for lever, usd in stated.items():
        if once[lever] != usd:
            yield (kind, lever, usd, once[lever], difference(once[lever], usd))


def _findings(
    repeats: Sequence[int], shared: Sequence[Mapping[str, Any]], effects: Sequence[tuple[Cell, ...]]
) -> Iterator[Finding]:
    if repeats:
        message = f"{len(repeats):,} lines repeat an earlier one{_moved(IDENTICAL, effects)}"
        yield Finding("lines_repeated", message, len(repeats), tuple(repeats[:EXAMPLES]))
    for kind, words in _WORDS.items():
        rows = [row for row in shared if row["kind"] == kind]
        if rows:
            ids, records = (sum(row[name] for row in rows) for name in ("ids", "records"))
            stand = "id stands" if ids == 1 else "ids stand"
            message = f"{ids:,} {stand} on {records:,} records with {words}{_moved(kind, effects)}"
            yield Finding("id_repeated", message, ids, lines_in(rows))


def _moved(kind: str, effects: Sequence[tuple[Cell, ...]]) -> str:
    moved = [
        f"{row[1]} by {rounded(row[4], 6)} USD"
        for row in effects
        if row[0] == kind and isinstance(row[4], Fraction)
    ]
    return (
        f"; counted once they would move {' and '.join(moved)}"
        if moved
        else "; no figure hangs on it"
    )
