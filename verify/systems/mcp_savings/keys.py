"""Names of two parts as one key that neither part can forge: `server / tool`."""

from __future__ import annotations

import json
import re

# What is written as it is; anything else is quoted, so that the key can be read only one way.
_PLAIN = re.compile(r"[^\s/\"#()](?:[^/\"#()\r\n]*[^\s/\"#()])?")


def pair(first: str, second: str, nth: int = 1) -> str:
    """`first / second`; `nth` tells repetitions of one pair apart: ` #2` is the second."""
    repeated = f" #{nth}" if nth > 1 else ""
    return f"{_part(first)} / {_part(second)}{repeated}"


def _part(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)
