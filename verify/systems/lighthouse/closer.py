"""What LightHouse offers beyond the shape that every system has: closer looks at an export, and
attributes that an export may name otherwise. `verify.cli.closer` asks for it."""

from __future__ import annotations

from verify.systems.lighthouse import deep, shape
from verify.systems.lighthouse.fields import ATTRIBUTES

LOOKS = {"deep": deep, "shape": shape}

RENAMEABLE = {
    kind: tuple(attribute.name for attribute in group) for kind, group in ATTRIBUTES.items()
}
