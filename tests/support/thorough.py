"""How often a test that draws its cases repeats: a part while one works, all of them in CI.

`VERIFY_THOROUGH=1` asks for all. No test is left out either way.
"""

from __future__ import annotations

import os

THOROUGH = bool(os.environ.get("VERIFY_THOROUGH"))


def cases(all_of_them: int, a_part: int) -> int:
    """How many cases to draw."""
    return all_of_them if THOROUGH else a_part
