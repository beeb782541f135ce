"""Drawing costs no database, and a page's library only where a page is drawn."""

from __future__ import annotations

import subprocess
import sys


def test_importing_the_renderers_is_cheap() -> None:
    code = (
        "import sys, verify.render, verify.render.check, verify.render.recomputation\n"
        "print([m for m in ('rich', 'polars', 'duckdb', 'jsonschema') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
