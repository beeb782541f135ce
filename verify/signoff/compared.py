"""What a sign-off attested beside what comes out now: amount by amount, row by row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from verify.signoff.change import Change
from verify.signoff.folder import DATA
from verify.signoff.result import SignOff

_APART = ("versions", "queries")
"""Compared by themselves."""


def changed_figures(predicate: Mapping[str, Any], made: Mapping[str, Any]) -> Iterator[Change]:
    """Each amount and word of the outcome that is another one now."""
    attested, found = (
        dict(leaves({name: side[name] for name in made if name in side and name not in _APART}))
        for side in (predicate, made)
    )
    for name in {**attested, **found}:
        was, now = attested.get(name, "none"), found.get(name, "none")
        if was != now:
            kind = "policy" if name.startswith("policy") else "figure"
            yield Change(kind, name, was, now)


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from leaves(item, f"{name} {key}".strip())
        if not value:
            yield name, "{}"
    elif isinstance(value, list | tuple):
        for at, item in enumerate(value):
            yield from leaves(item, f"{name} {at}")
        if not value:
            yield name, "[]"
    else:
        yield name, json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value


def changed_rows(place: Path, again: SignOff) -> Iterator[Change]:
    """The rows of signoff.json, one by one."""
    document = data_of(place)
    listed = document.get("rows") if document is not None else None
    if not isinstance(listed, list):
        return  # the document itself is named already
    for row, now in zip(listed, again.diff.rows, strict=False):
        made = now.as_json()
        if isinstance(row, dict) and row != made:
            at = now.at
            name = " ".join(str(p) for p in (at.lever, at.dimension, at.key, at.measure) if p)
            yield from (
                Change("figure", f"row {name}, {part}", str(row.get(part)), str(made[part]))
                for part in made
                if row.get(part) != made[part]
            )
    if len(listed) != len(again.diff.rows):
        yield Change("figure", "rows", str(len(listed)), str(len(again.diff.rows)))


def changed_names(
    kind: str, attested: Mapping[str, Any], found: Mapping[str, str]
) -> Iterator[Change]:
    for name in {**attested, **found}:
        if attested.get(name) != found.get(name):
            was, now = attested.get(name, "none"), found.get(name, "none")
            yield Change(kind, name, str(was), str(now))


def data_of(place: Path) -> dict[str, Any] | None:
    """signoff.json, or None where it cannot be read; its digest says so then."""
    try:
        document = json.loads((place / DATA).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None
