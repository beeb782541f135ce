"""Runs that end without a chance to tidy up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_HOLDING = """
import pathlib, sys, time
from verify.store.scratch import scratch
with scratch(pathlib.Path(sys.argv[1]), sys.argv[2]) as place:
    (place / "store.duckdb").write_bytes(b"half")
    print(place, flush=True)
    time.sleep(600)
"""


def left_by_a_killed_run(root: Path, prefix: str) -> Path:
    """The directory of a run that was killed while it held it."""
    command = [sys.executable, "-c", _HOLDING, str(root), prefix]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        place = Path(process.stdout.readline().strip())
        process.kill()
    assert (place / "store.duckdb").exists()
    return place
