"""The command line, run in this process: exit code, stdout, stderr."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from io import BytesIO, StringIO, TextIOWrapper
from typing import Any
from unittest.mock import patch

from verify.cli import main


@dataclass(frozen=True)
class Run:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document on stdout."""
        return json.loads(self.out)


def verify(*arguments: object) -> Run:
    """Run `verify` with these arguments. A traceback is an error of the test itself."""
    raw = BytesIO()
    out, err = TextIOWrapper(raw, "utf-8", write_through=True), StringIO()
    argv = ["verify", *map(str, arguments)]
    code = 0
    with patch.object(sys, "argv", argv), patch("sys.stdout", out), patch("sys.stderr", err):
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    out.flush()
    return Run(code, raw.getvalue().decode(), err.getvalue())
