"""The products whose savings can be verified, one folder each, and the registry of them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from verify.errors import UnreadableInput, UsageProblem
from verify.systems.base import System

# In the order in which an export is offered to them. Adding a product is adding a line here.
# Those that go by names come first: whoever looks into files is not asked about a home directory.
_REGISTRY = {
    "leanproxy": "verify.systems.leanproxy.system",
    "lighthouse": "verify.systems.lighthouse.system",
    "mcp-savings": "verify.systems.mcp_savings.system",
    "prompt2md": "verify.systems.prompt2md.system",
}

NAMES = tuple(_REGISTRY)


def system_named(name: str) -> System:
    """The system of that name. Raises UsageProblem."""
    if name not in _REGISTRY:
        raise UsageProblem(
            f"there is no system {name!r}", advice=f"There are {', '.join(_REGISTRY)}."
        )
    return cast(System, import_module(_REGISTRY[name]).SYSTEM)


def recognise(path: Path) -> System | None:
    """The system whose export lies at `path`, or None."""
    for name in _REGISTRY:
        system = system_named(name)
        if system.recognises(path):
            return system
    return None


def system_for(path: Path, name: str | None) -> System:
    """The system named, else the one recognised. Raises UnreadableInput when it is neither."""
    if name is not None:
        return system_named(name)
    if not path.exists():
        raise UnreadableInput(f"{path} does not exist")
    system = recognise(path)
    if system is None:
        raise UnreadableInput(
            f"{path} is not an export of any product known here",
            advice=f"Name the product with --system ({', '.join(_REGISTRY)}).",
        )
    return system


def register_findings() -> None:
    """Import every system's own kinds of finding, for what lists all of them."""
    for place in _REGISTRY.values():
        own = f"{place.rpartition('.')[0]}.findings"
        if find_spec(own) is not None:
            import_module(own)


def offered(system: System, what: str) -> Mapping[str, Any]:
    """What a system offers by that name in a module `closer` of its folder; empty where nothing."""
    module = f"{_REGISTRY[system.name].rpartition('.')[0]}.closer"
    found = getattr(import_module(module), what, {}) if find_spec(module) is not None else {}
    return cast(Mapping[str, Any], found)


def renameable(system: System) -> Mapping[str, tuple[str, ...]]:
    """The attributes of each type of record that may have another name; empty where none may."""
    return cast(Mapping[str, tuple[str, ...]], offered(system, "RENAMEABLE"))
