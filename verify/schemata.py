"""The JSON Schemas in `schemas/`: where they are found, and documents held against them.

The files are plain draft 2020-12, and any validator reads them. This one differs from a common one
in what a number is: a number that `verify.trust.strictjson` kept as its text is one, an integer
when its value is integral in exact arithmetic; NaN and the infinities are none. A schema is not
the whole of validation: what it cannot say is said by the readers of each format.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verify.errors import UnreadableInput, UsageProblem
from verify.exact import NUMBER, Printed
from verify.trust.rfc8259 import is_integral
from verify.trust.strictjson import NumberText

if TYPE_CHECKING:  # jsonschema is only loaded when a document is held against a schema
    from jsonschema import Draft202012Validator, ValidationError

_SUFFIX = ".schema.json"
_SHOWN = 40
_NAMED_TYPES = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}


@dataclass(frozen=True)
class Violation:
    """One place where a document is not what its schema says.

    `where` is a JSON pointer (`/levers/0/usd`; empty for the whole document), long or unprintable
    keys shortened and escaped; a missing member is pointed at where it should be. `message` says
    what was expected and what was found.
    """

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where or 'the document'}: {self.message}"


def names() -> list[str]:
    """Every schema's name, such as `lighthouse/reads/caching`, sorted."""
    return sorted(_found(_directory(), ""))


def schema(name: str) -> dict[str, Any]:
    """The schema of that name, a copy of the caller's own. Raises UsageProblem."""
    known = names()
    if name not in known:
        raise UsageProblem(f"there is no schema {name!r}", advice=f"There are {', '.join(known)}.")
    found = json.loads(_directory().joinpath(*f"{name}{_SUFFIX}".split("/")).read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def violations(document: Any, name: str) -> list[Violation]:
    """Where `document` is not what the schema `name` says: one violation a place, in the order of
    their places. Empty means valid.

    `document` is what `strictjson.loads` or `json.loads` hands out, or an `as_json()` of this
    package. Raises UsageProblem for a name that is none.
    """
    found: dict[tuple[tuple[bool, int, str], ...], Violation] = {}
    for error in _validator(name).iter_errors(document):
        path = tuple(error.absolute_path)
        place = tuple((isinstance(p, str), p if isinstance(p, int) else 0, str(p)) for p in path)
        if place not in found:
            found[place] = Violation(_pointer(path), _message(error))
    return [found[place] for place in sorted(found)]


def _directory() -> Traversable:
    """`verify/schemas` in an installed package; `schemas` beside the package in a checkout."""
    packaged = files("verify").joinpath("schemas")
    if packaged.is_dir():
        return packaged
    checkout = Path(__file__).resolve().parent.parent / "schemas"
    if checkout.is_dir():
        return checkout
    raise UnreadableInput(
        "the JSON Schemas are missing from this installation", advice="Install the package again."
    )


def _found(directory: Traversable, prefix: str) -> Iterator[str]:
    for entry in directory.iterdir():
        if entry.is_dir():
            yield from _found(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(_SUFFIX):
            yield prefix + entry.name.removesuffix(_SUFFIX)


@cache
def _validator(name: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator, validators

    checker = Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"number": _is_number, "integer": _is_integer, "string": _is_string}
    )
    keywords = {
        "properties": _properties,
        "required": _required,
        "additionalProperties": _additional,
        "propertyNames": _property_names,
        "pattern": _pattern,
        "minimum": _minimum,
    }
    extend: Any = validators.extend
    strict = extend(Draft202012Validator, keywords, type_checker=checker)
    whole = schema(name)
    validator: Draft202012Validator = strict(_inlined(whole, whole.pop("$defs", {})))
    return validator


def _inlined(part: Any, definitions: Mapping[str, Any]) -> Any:
    """The schema with every reference replaced by what it refers to, which saves resolving it for
    each value. References stay inside a file, in no circle, with annotations alone beside them."""
    if isinstance(part, list):
        return [_inlined(item, definitions) for item in part]
    if not isinstance(part, dict):
        return part
    whole = {key: _inlined(item, definitions) for key, item in part.items()}
    if (reference := whole.pop("$ref", None)) is None:
        return whole
    found = _inlined(definitions[reference.removeprefix("#/$defs/")], definitions)
    return {**found, **whole}


def _is_string(_: object, value: object) -> bool:
    return isinstance(value, str) and not isinstance(value, NumberText)


def _is_number(_: object, value: object) -> bool:
    if isinstance(value, NumberText):
        return NUMBER.fullmatch(value) is not None
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _is_integer(_: object, value: object) -> bool:
    if isinstance(value, NumberText):
        return NUMBER.fullmatch(value) is not None and is_integral(value)
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


# Keywords. They differ from the library's own in pointing at the member itself, in reading `$` as
# ECMA does (the end of the text, not a place before a last line feed), in NumberText, and in going
# down into a member only when its type does not settle it: a read can hold 200,000 decisions.

_SETTLED_BY_TYPE = frozenset({"type", "title", "description", "examples", "x-basis"})


def _properties(
    validator: Any, properties: Mapping[str, Any], value: Any, _: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if not validator.is_type(value, "object"):
        return
    for key, part in properties.items():
        if key in value and not _settled(validator, part, value[key]):
            yield from validator.descend(value[key], part, path=key, schema_path=key)


def _settled(validator: Any, part: Any, value: Any) -> bool:
    """Whether the member's schema speaks of nothing but its type, and the value is of it."""
    if not isinstance(part, dict) or "type" not in part or not part.keys() <= _SETTLED_BY_TYPE:
        return False
    types = part["type"]
    if isinstance(types, str):
        return bool(validator.is_type(value, types))
    return any(validator.is_type(value, name) for name in types)


def _required(
    validator: Any, required: Sequence[str], value: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    from jsonschema import ValidationError

    if not validator.is_type(value, "object"):
        return
    for key in required:
        if key not in value:
            wanted = _wanted(schema.get("properties", {}).get(key))
            yield ValidationError(f"expected {wanted}, found nothing", path=[key])


def _additional(
    validator: Any, allowed: Any, value: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    from jsonschema import ValidationError

    if not validator.is_type(value, "object"):
        return
    known = schema.get("properties", {})
    for key in value:
        if key in known:
            continue
        if allowed is False:
            yield ValidationError("expected nothing of this name", path=[key])
        else:
            yield from validator.descend(value[key], allowed, path=key)


def _property_names(
    validator: Any, allowed: Any, value: Any, _: Mapping[str, Any]
) -> Iterator[ValidationError]:
    from jsonschema import ValidationError

    if validator.is_type(value, "object"):
        for key in value:
            for error in validator.descend(key, allowed):
                yield ValidationError(f"its name: {_message(error)}", path=[key])


def _pattern(
    validator: Any, pattern: str, value: Any, _: Mapping[str, Any]
) -> Iterator[ValidationError]:
    from jsonschema import ValidationError

    exact = f"{pattern[:-1]}\\Z" if pattern.endswith("$") else pattern
    if validator.is_type(value, "string") and not re.search(exact, value):
        yield ValidationError("does not match")


def _minimum(
    validator: Any, least: int, value: Any, _: Mapping[str, Any]
) -> Iterator[ValidationError]:
    from jsonschema import ValidationError

    if validator.is_type(value, "number") and not _at_least(value, least):
        yield ValidationError("too small")


def _at_least(value: float | str, least: int) -> bool:
    if isinstance(value, str):
        try:
            return Printed.read(value).value >= least
        except ValueError:  # too long to be worth computing: its sign says it
            return not value.startswith("-")
    return value >= least


def _pointer(path: Sequence[str | int]) -> str:
    return "".join(f"/{_part(part)}" for part in path)


def _part(part: str | int) -> str:
    return _escaped(str(part)).replace("~", "~0").replace("/", "~1")


def _escaped(text: str) -> str:
    """`text` on one line, without control characters, and short."""
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
    return shown if shown.isprintable() else repr(shown)[1:-1]


def _message(error: ValidationError) -> str:
    keyword, rule = str(error.validator), error.validator_value
    if keyword in ("required", "additionalProperties", "propertyNames"):
        return error.message
    return f"expected {_expected(keyword, rule, error.schema)}, found {_named(error.instance)}"


def _expected(keyword: str, rule: Any, schema: Any) -> str:
    if keyword == "type":
        return _types([rule] if isinstance(rule, str) else rule, schema)
    if keyword == "pattern":
        return str(schema.get("title", f"text that matches {rule}"))
    if keyword == "const":
        return repr(rule) if isinstance(rule, str) else _named(rule)
    if keyword == "enum":
        return f"one of {', '.join(map(repr, rule))}"
    if keyword == "not":
        return f"anything but {', '.join(map(repr, rule.get('enum', [rule])))}"
    if keyword == "minimum":
        return f"{rule} or more"
    if keyword in ("minItems", "minProperties", "minLength"):
        return f"at least {rule} of its parts"
    return f"what {keyword} says"


def _wanted(member: Any) -> str:
    """What a member should have been, as far as its own schema says it."""
    if isinstance(member, Mapping):
        for keyword in ("type", "enum", "const"):
            if keyword in member:
                return _expected(keyword, member[keyword], member)
    return "a value"


def _types(types: Sequence[str], schema: Mapping[str, Any]) -> str:
    """The types in words; a string that has a form is called by the name of its form."""
    form = schema.get("title") if "pattern" in schema else None
    words = [str(form) if form and name == "string" else _NAMED_TYPES[name] for name in types]
    return " or ".join(words)


def _named(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, NumberText):
        shown = _escaped(value)
        return f"the number {shown}" if NUMBER.fullmatch(value) else f"{shown}, which is no number"
    if isinstance(value, int | float):
        finite = math.isfinite(value)
        return f"the number {_escaped(str(value))}" if finite else f"{value}, which is no number"
    if isinstance(value, str):
        return f"the string '{_escaped(value)}'"
    if isinstance(value, Mapping):
        return "an object" if value else "an empty object"
    if isinstance(value, list):
        return "an array" if value else "an empty array"
    return f"a {type(value).__name__}"
