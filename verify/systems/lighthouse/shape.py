"""The shape of an export: which fields it has, beside those that the contract expects.

Much of the record format is our reading. Here a first real export shows what it really holds: each
field of each type of record, how often, and what its values look like, never the values. Lines that
the ordinary reading refuses are looked at too, as leniently as can be.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from verify.errors import IntegrityFailure
from verify.findings import Finding
from verify.schemata import schema
from verify.systems.lighthouse.alike import Named, paired_off, same_words
from verify.systems.lighthouse.fields import RECORD_TYPES
from verify.systems.lighthouse.forms import form_words, lenient
from verify.systems.lighthouse.seen import ITEM, Kind, Node, Path, Seen, shortened
from verify.trust.rfc8259 import too_deep
from verify.trust.sweep import SMALL, Block, Progress, Sweep, in_order

if TYPE_CHECKING:
    from verify.systems.lighthouse.export import LightHouseExport

COVERS: tuple[str, ...] = ()
"""It describes, and checks nothing."""

Renamed = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Expected:
    """A field of the contract. `attribute` is its name there, where the export has its own."""

    path: Path
    stated: bool
    required: bool
    types: frozenset[str]
    attribute: str | None = None


def require() -> None:
    """Nothing beyond the package is needed."""


def look(
    export: LightHouseExport,
    fields: Mapping[str, str],
    progress: Progress | None = None,
    processes: int | None = None,
) -> tuple[dict[str, Any], tuple[Finding, ...]]:
    """The shape of an opened export in its JSON form; there are no findings about it.

    `fields` maps attributes of the contract to the export's own names. Raises IntegrityFailure when
    the bytes are not those of the ordinary reading.
    """
    from verify.store.database import threads

    inside = export.inside
    sweep = Sweep(inside.source, [part.path for part in inside.loaded.parts], progress)
    if processes is None:
        processes = 1 if sweep.total < SMALL else threads()
    renamed = tuple(sorted(fields.items()))
    found = _nothing_seen(renamed)
    for seen in in_order(partial(look_at, renamed), sweep.blocks(), processes):
        found.take(seen)
    if changed := sweep.changed({part.path: part.sha256 for part in inside.loaded.parts}):
        raise IntegrityFailure(changed)
    cut_short = sum(file.unread_from is not None for file in sweep.files)
    return _document(found, renamed, cut_short), ()


def look_at(renamed: Renamed, block: Block) -> Seen:
    """What is seen in the lines of one block. Runs in a process of its own."""
    found = _nothing_seen(renamed)
    decode = lenient()
    for raw in block.lines():
        text = raw.decode("utf-8", "replace")
        try:
            record = None if too_deep(text) else decode(text)
        except ValueError:
            record = None
        if type(record) is not dict:
            found.unreadable += bool(text.strip(" \t\r"))
            continue
        found.records += 1
        name = record.get("type")
        kind = found.kind(shortened(name) if isinstance(name, str) else None)
        if kind is None:
            found.left_out += 1
        else:
            kind.see(record)
    found.settle()
    return found


def _nothing_seen(renamed: Renamed) -> Seen:
    return Seen(RECORD_TYPES, partial(_expected_paths, renamed))


def _expected_paths(renamed: Renamed, name: str | None) -> Iterator[Path]:
    return (field.path for field in contract(name, renamed))


@cache
def contract(name: str | None, renamed: Renamed = ()) -> tuple[Expected, ...]:
    """The fields that records of a type are expected to have, as their JSON Schema says it."""
    whole = schema(f"lighthouse/records/{name if name in RECORD_TYPES else 'other'}")
    return tuple(_expected(whole, whole, (), dict(renamed)))


def _expected(
    whole: Mapping[str, Any], part: Mapping[str, Any], path: Path, own: Mapping[str, str]
) -> Iterator[Expected]:
    for name, member in part.get("properties", {}).items():
        other = own.get(name, name) if path == ("attrs",) else name
        inner = {**_resolved(whole, member), **member}
        here = (*path, other)
        required, stated = name in part.get("required", ()), inner["x-basis"] == "stated"
        attribute = name if other != name else None
        yield Expected(here, stated, required, _types(inner), attribute)
        if "items" in inner:
            item = _resolved(whole, inner["items"])
            yield Expected((*here, ITEM), stated, False, _types(item))
            yield from _expected(whole, item, (*here, ITEM), own)
        yield from _expected(whole, inner, here, own)


def _resolved(whole: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in part:
        return part
    found: Mapping[str, Any] = whole["$defs"][part["$ref"].removeprefix("#/$defs/")]
    return found


def _types(part: Mapping[str, Any]) -> frozenset[str]:
    named = part.get("type", "string" if "const" in part else ())
    return frozenset([named] if isinstance(named, str) else named) - {"null"}


def _document(found: Seen, renamed: Renamed, cut_short: int) -> dict[str, Any]:
    seen = [name for name in RECORD_TYPES if name in found.kinds]
    never = [name for name in RECORD_TYPES if name not in found.kinds]
    others = [name for name in found.kinds if name not in RECORD_TYPES]
    alike = paired_off(
        {name: Named(name) for name in never}, {name: Named(name) for name in others if name}
    )
    types = [
        *(_type(name, found.kinds[name], renamed) for name in seen),
        *(_never_seen(name, alike.get(name)) for name in never),
        *(_type(name, found.kinds[name], renamed) for name in others),
    ]
    return {
        "records": found.records,
        "unreadable_lines": found.unreadable,
        "files_cut_short": cut_short,
        "records_left_out": found.left_out,
        "types": types,
        "suggested_fields": _suggested(types),
    }


def _suggested(types: list[dict[str, Any]]) -> dict[str, str]:
    """Attributes of the contract that no record has, with the one name of the same words: what
    could stand in a file for --fields."""
    rows = [row for kind in types if kind["read"] for row in kind["fields"]]
    seen = {row["field"] for row in rows if row["present"]}
    alike: dict[str, set[str]] = {}
    for row in rows:
        if row["looks_like"] is not None and row["field"] not in seen and not row["stands_for"]:
            alike.setdefault(row["field"], set()).add(row["looks_like"])
    names = {name: others.pop() for name, others in alike.items() if len(others) == 1}
    plain = re.compile(r"attrs\.([^.\[\]\"\\]+)")
    return {
        match[1]: other[1]
        for name, looks_like in names.items()
        if (match := plain.fullmatch(name)) and (other := plain.fullmatch(looks_like))
        if other[1].isprintable() and same_words(match[1], other[1])
    }


def _type(name: str | None, kind: Kind, renamed: Renamed) -> dict[str, Any]:
    return {
        "type": name,
        "read": name in RECORD_TYPES,
        "records": kind.root.present,
        "looks_like": None,
        "full": kind.full,
        "fields": _fields(name, kind, renamed),
    }


def _never_seen(name: str, looks_like: str | None) -> dict[str, Any]:
    return {
        "type": name,
        "read": True,
        "records": 0,
        "looks_like": looks_like,
        "full": False,
        "fields": [],
    }


def _fields(name: str | None, kind: Kind, renamed: Renamed) -> list[dict[str, Any]]:
    """The fields of a type: those of the contract, in its order, then the others as they came."""
    expected = {field.path: field for field in contract(name, renamed)}
    nodes = {path: (node, parent) for path, node, parent in kind.root.inside()}
    read = name in RECORD_TYPES
    missing = {
        path: Named(str(field.attribute or path[-1]), field.types, path[:-1])
        for path, field in expected.items()
        if read and path[-1] is not None and not nodes[path][0].present
        if "object" in nodes[path][1].types
    }
    unknown = {
        path: Named(path[-1], frozenset(node.types) - {"null"}, path[:-1])
        for path, (node, _) in nodes.items()
        if path not in expected and path[-1] is not None
    }
    alike = paired_off(missing, unknown)
    rows = []
    for path in (*expected, *(path for path in nodes if path not in expected)):
        node, parent = nodes[path]
        if not node.present and path not in missing:
            continue
        wanted = expected.get(path)
        looks_like = alike.get(path)
        rows.append(
            {
                "field": dotted(path),
                "contract": "expected" if wanted else "unknown" if read else "unread",
                "stands_for": wanted.attribute if wanted else None,
                "basis": ("stated" if wanted.stated else "reading") if wanted else None,
                "required": wanted.required if wanted else None,
                "present": node.present,
                "of": parent.types.get("array", 0)
                if path[-1] is ITEM
                else parent.types.get("object", 0),
                "types": dict(sorted(node.types.items(), key=lambda item: (-item[1], item[0]))),
                "forms": _forms(node),
                "looks_like": None if looks_like is None else dotted(looks_like),
            }
        )
    return rows


def _forms(node: Node) -> dict[str, int]:
    return {
        form_words(form, least, most): count
        for form, (count, least, most) in sorted(
            node.forms.items(), key=lambda item: (-item[1][0], item[0])
        )
    }


def dotted(path: Path) -> str:
    """A path as `attrs.candidates[].cost_usd`; a name that could be misread stands in quotes."""
    text = ""
    for step in path:
        if step is None:
            text += "[]"
        else:
            plain = re.fullmatch(r"[^\s.\[\]\"]+", step)
            text += f".{step}" if plain else f".{json.dumps(step, ensure_ascii=False)}"
    return text.removeprefix(".")
