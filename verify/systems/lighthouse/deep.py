"""The deep check: every byte held to RFC 8259, every record to its JSON Schema.

The ordinary reading is strict about what can reach a figure. This one is strict about everything
else as well: attributes that no lever reads, and records of types that no lever reads. The lines
are read once more, by several processes; the digest of what they read must be that of the ordinary
reading. Values are never shown, only what they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from verify.errors import IntegrityFailure, UsageProblem
from verify.findings import EXAMPLES, Finding
from verify.schemata import schema
from verify.systems.lighthouse.fields import RECORD_TYPES
from verify.trust.rfc8259 import BrokenRule, LineReader, Rule, shown
from verify.trust.sweep import SMALL, Block, Progress, Sweep, in_order
from verify.trust.tap import MAX_LINE

if TYPE_CHECKING:  # the workers need neither the validator's types nor the database
    from jsonschema_rs import Draft202012Validator, ValidationError

    from verify.systems.lighthouse.export import LightHouseExport

COVERS = ("attributes that no lever reads", "records of types that no lever reads")
"""What the ordinary check says that it does not look at, and this one does."""

MAX_LISTED = 100_000
"""Problems that are listed one by one; beyond them they are counted."""

_NAMED_KEYS = 5
_ITEMS = 5  # of an array that is not what its schema says, those that are told one by one
_MESSAGES = {
    "deep_not_rfc8259": "not one object by RFC 8259",
    "deep_duplicate_key": "with a key twice in one object",
    "deep_schema": "not what the JSON Schema of the record says",
    "deep_unread": "not looked into",
}
_WORDS = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}

Renamed = tuple[tuple[str, str], ...]


class Fault(NamedTuple):
    """One thing wrong with one line. `rule` has no value and no position in it."""

    line: int
    where: str
    code: str
    rule: str
    message: str


@dataclass
class Tally:
    """What was found in some lines: all of it counted by rule, the first `room` of it listed."""

    room: int
    lines: int = 0
    blank: int = 0
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    examples: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def add(self, fault: Fault) -> None:
        """One more fault, its line not before those of the same rule."""
        key = (fault.code, fault.rule)
        self.counts[key] = self.counts.get(key, 0) + 1
        first = self.examples.setdefault(key, [])
        if len(first) < EXAMPLES and fault.line not in first:
            first.append(fault.line)
        if len(self.faults) < self.room:
            self.faults.append(fault)

    def take(self, later: Tally) -> None:
        """What was found in later lines."""
        self.lines += later.lines
        self.blank += later.blank
        for key, count in later.counts.items():
            self.counts[key] = self.counts.get(key, 0) + count
            first = self.examples.setdefault(key, [])
            first += [line for line in later.examples[key] if line not in first]
            del first[EXAMPLES:]
        self.faults += later.faults[: self.room - len(self.faults)]


def require() -> None:
    """Raises UsageProblem when the validator that the deep check needs is not installed."""
    try:
        import jsonschema_rs  # noqa: F401
    except ImportError:
        raise UsageProblem(
            "the deep check needs jsonschema-rs, which is not installed",
            advice="Install it with: pip install 'verify-savings[deep]'",
        ) from None


def look(
    export: LightHouseExport,
    fields: Mapping[str, str],
    progress: Progress | None = None,
    processes: int | None = None,
) -> tuple[dict[str, Any], tuple[Finding, ...]]:
    """What the deep check found in an opened export: its JSON form, and findings.

    `fields` maps attributes of the contract to the export's own names. Raises UsageProblem without
    the validator, IntegrityFailure when the bytes are not those of the ordinary reading.
    """
    from verify.store.database import threads

    require()
    inside = export.inside
    sweep = Sweep(inside.source, [part.path for part in inside.loaded.parts], progress)
    if processes is None:
        processes = 1 if sweep.total < SMALL else threads()
    found = Tally(MAX_LISTED)

    def rooms() -> Iterator[tuple[Block, int]]:
        for block in sweep.blocks():
            yield block, MAX_LISTED - len(found.faults)

    work = partial(look_at, tuple(sorted(fields.items())))
    for tally in in_order(work, rooms(), processes):
        found.take(tally)
    if changed := sweep.changed({part.path: part.sha256 for part in inside.loaded.parts}):
        raise IntegrityFailure(changed)
    for file in sweep.files:
        if file.unread_from is not None:
            found.add(_unread(file.path, file.unread_from, file.unread_from - file.first_line + 1))
    return _document(found, sweep), tuple(_findings(found))


def look_at(renamed: Renamed, given: tuple[Block, int]) -> Tally:
    """What is wrong with the lines of one block. Runs in a process of its own."""
    block, room = given
    found = Tally(room)
    reader = LineReader()
    validators = _validators(renamed)
    other = validators["other"]
    lines = block.lines()
    found.lines = len(lines)
    for number, raw in enumerate(lines, start=block.first_line):
        try:
            record = reader.read(raw)
        except BrokenRule as error:
            code = "deep_unread" if error.rule is Rule.depth else "deep_not_rfc8259"
            found.add(Fault(number, block.place(number), code, str(error.rule), str(error)))
            continue
        if record is None:
            found.blank += 1
            continue
        if reader.repeated:
            rule, message = str(Rule.repeated), _repeated(reader.repeated)
            found.add(Fault(number, block.place(number), "deep_duplicate_key", rule, message))
        kind = record.get("type")
        validator = validators.get(kind, other) if isinstance(kind, str) else other
        if not validator.is_valid(record):
            for rule, message in _violations(validator, record, renamed):
                found.add(Fault(number, block.place(number), "deep_schema", rule, message))
    return found


@cache
def _validators(renamed: Renamed) -> dict[str, Draft202012Validator]:
    from jsonschema_rs import Draft202012Validator

    return {kind: Draft202012Validator(_schema(kind, renamed)) for kind in (*RECORD_TYPES, "other")}


@cache
def _schema(kind: str, renamed: Renamed) -> dict[str, Any]:
    """The schema of a record type, with the export's own names of attributes."""
    whole = schema(f"lighthouse/records/{kind}")
    own = dict(renamed)
    attrs = whole["properties"]["attrs"]
    if "properties" in attrs:
        parts = attrs["properties"].items()
        attrs["properties"] = {own.get(name, name): part for name, part in parts}
        attrs["required"] = [own.get(name, name) for name in attrs.get("required", ())]
    return whole


def _violations(
    validator: Draft202012Validator, record: dict[str, Any], renamed: Renamed
) -> Iterator[tuple[str, str]]:
    """The rule and the message of each place where a record is not what its schema says."""
    kind = record.get("type")
    known = kind if isinstance(kind, str) and kind in RECORD_TYPES else "other"
    whole = _schema(known, renamed)
    label = known if known in RECORD_TYPES else "record"
    errors = [(_path(error), error) for error in _errors(validator, record)]
    for path, error in sorted(errors, key=lambda found: [str(part) for part in found[0]]):
        expected = _expected(error, whole)
        found = "nothing" if error.kind.name == "required" else _named(error.instance)
        rule = f"{label} {_dotted(path, indexes=False)}: expected {expected}"
        yield rule, f"{_dotted(path, indexes=True)}: expected {expected}, found {found}"


def _errors(validator: Draft202012Validator, record: dict[str, Any]) -> list[ValidationError]:
    """What the validator finds. It makes a costly object of each error, and a line has room for
    millions: of an array the first items are looked at, else the first error of all counts."""
    from jsonschema_rs import ValidationError

    attrs = record.get("attrs")
    if isinstance(attrs, dict) and any(_long(value) for value in attrs.values()):
        short = {key: value[:_ITEMS] if _long(value) else value for key, value in attrs.items()}
        found = list(validator.iter_errors({**record, "attrs": short}))
        if found:
            return found
        try:
            validator.validate(record)
        except ValidationError as error:
            return [error]
    return list(validator.iter_errors(record))


def _long(value: Any) -> bool:
    return isinstance(value, list) and len(value) > _ITEMS


def _path(error: ValidationError) -> list[str | int]:
    """Where the error is; a missing member is where it should be."""
    missing = getattr(error.kind, "property", None)
    return [*error.instance_path, *([] if missing is None else [missing])]


def _expected(error: ValidationError, whole: Mapping[str, Any]) -> str:
    part: Any = whole
    for step in error.schema_path[:-1]:
        part = part[step]
    if error.kind.name == "required":
        part = part.get("properties", {}).get(_path(error)[-1], {})
    if "title" in part and "pattern" in part:
        return str(part["title"])
    types = part.get("type", ())
    named = [types] if isinstance(types, str) else types
    return " or ".join(_WORDS[name] for name in named) or "another value"


def _dotted(path: Sequence[str | int], *, indexes: bool) -> str:
    steps = (
        f"[{step if indexes else ''}]" if isinstance(step, int) else f".{step}" for step in path
    )
    return "".join(steps).removeprefix(".")


def _named(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return "an integer"
    if isinstance(value, float):
        return "a number that is no integer"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"


def _repeated(keys: Collection[str]) -> str:
    names = ", ".join(shown(key) for key in islice(keys, _NAMED_KEYS))
    if len(keys) == 1:
        return f"the key {names} stands twice in one object"
    more = f" and {len(keys) - _NAMED_KEYS:,} more" if len(keys) > _NAMED_KEYS else ""
    return f"the keys {names}{more} each stand twice in one object"


def _unread(path: str, line: int, line_in_file: int) -> Fault:
    rule = f"longer than {MAX_LINE // 1024**2} MiB"
    message = f"{rule}; nothing after it was read"
    return Fault(line, f"{path}, line {line_in_file}", "deep_unread", rule, message)


def _document(found: Tally, sweep: Sweep) -> dict[str, Any]:
    codes = tuple(_MESSAGES)
    return {
        "lines": found.lines,
        "records": found.lines - found.blank,
        "files": [{"path": file.path, "sha256": file.sha256} for file in sweep.files],
        "rules": [
            {
                "code": code,
                "rule": rule,
                "count": found.counts[code, rule],
                "examples": found.examples[code, rule],
            }
            for code, rule in sorted(found.counts, key=lambda key: (codes.index(key[0]), key[1]))
        ],
        "problems": [
            {"code": at.code, "where": at.where, "message": at.message, "line": at.line}
            for at in sorted(found.faults, key=lambda fault: fault.line)
        ],
        "problems_left_out": sum(found.counts.values()) - len(found.faults),
    }


def _findings(found: Tally) -> Iterator[Finding]:
    for code, words in _MESSAGES.items():
        keys = [key for key in found.counts if key[0] == code]
        if keys:
            count = sum(found.counts[key] for key in keys)
            lines = sorted({line for key in keys for line in found.examples[key]})
            noun = "value" if code == "deep_schema" else "line"
            message = f"{count:,} {noun}{'' if count == 1 else 's'} {words}"
            yield Finding(code, message, count, tuple(lines[:EXAMPLES]))
