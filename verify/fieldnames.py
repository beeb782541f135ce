"""`--fields FILE`: the export's own names for attributes of the contract, from a TOML file.

    [attrs]
    cache_read_tokens = "cacheReadTokens"

A name is mapped for every type of record that has the attribute. Members of nested objects, such as
`price.input_per_m`, keep the names of the contract.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verify.errors import UnreadableInput, UsageProblem
from verify.systems import renameable
from verify.systems.base import System

TABLE = "attrs"
RESERVED = "verify:"
_KEY = re.compile(r"^\s*[\"']?([\w.-]+)[\"']?\s*=", re.MULTILINE)
_NESTED = ("price", "limits", "candidates")
_ADVICE = 'Write it as: [attrs], and below it lines like cache_read_tokens = "cacheReadTokens".'


def read_fields(path: Path | None, system: System) -> dict[str, str]:
    """The names in the file at `path`; none without a file.

    Raises UsageProblem naming the file and the key, UnreadableInput when there is no such file.
    """
    if path is None:
        return {}
    types = renameable(system)
    if not types:
        raise UsageProblem(
            f"--fields does not apply: the fields of {system.title} have the names it gives them"
        )
    names: dict[str, str] = {}
    for name, own in _table(path).items():
        names[name] = _checked(path, name, own, types)
    for kind, attributes in types.items():
        taken: dict[str, str] = {}
        for name in attributes:
            own = names.get(name, name)
            if own in taken:
                raise UsageProblem(
                    f"{path}: {TABLE}: {taken[own]} and {name} of {kind} would both be read from "
                    f"{own!r}"
                )
            taken[own] = name
    return names


def _table(path: Path) -> Mapping[str, Any]:
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        why = (error.strerror or "unknown error").lower()
        raise UnreadableInput(f"cannot read {path}: {why}") from None
    except UnicodeDecodeError:
        raise UsageProblem(f"{path} is not UTF-8", advice=_ADVICE) from None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        keys = Counter(_KEY.findall(text))
        twice = [f"{key} stands twice" for key, count in keys.items() if count > 1]
        why = ", ".join(twice) or str(error)
        raise UsageProblem(f"{path} is not TOML: {why}", advice=_ADVICE) from None
    for name in document:
        if name != TABLE:
            raise UsageProblem(f"{path}: there is no table or key {name!r}", advice=_ADVICE)
    table = document.get(TABLE)
    if not isinstance(table, dict) or not table:
        raise UsageProblem(f"{path}: it has no table [{TABLE}] with names", advice=_ADVICE)
    return table


def _checked(path: Path, name: str, own: Any, types: Mapping[str, tuple[str, ...]]) -> str:
    where = f"{path}: {TABLE}.{name}"
    if name.partition(".")[0] in _NESTED and (isinstance(own, dict) or "." in name):
        raise UsageProblem(
            f"{where}: names inside {', '.join(_NESTED)} cannot be mapped",
            advice="Only an attribute itself can have another name.",
        )
    known = list(dict.fromkeys(attribute for group in types.values() for attribute in group))
    if name not in known:
        raise UsageProblem(
            f"{where}: the contract has no attribute of that name",
            advice=f"It has {', '.join(known)}.",
        )
    if not isinstance(own, str) or not own:
        raise UsageProblem(f"{where}: expected a name in quotes", advice=_ADVICE)
    if own.startswith(RESERVED):
        raise UsageProblem(f"{where}: names that begin with {RESERVED} are reserved")
    return own
